"""The pane `play`: plays that live in processes of their own, each answered one request after the other.

A play is kept until it is ended, so a page that is loaded again finds it, and so does a second tab, for another seat.
What a seat may not see is left out by the process that plays. What was chosen and asked is kept in the user's cache
folder: a play whose process ended with the workbench or without, or whose rules were edited, is played again from its
beginning.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rulewright.studio.files_api import owners
from rulewright.studio.gate import Problem
from rulewright.studio.standby import Talking
from rulewright.studio.workbench import MUDDLED, Workbench, answer, posted, text_of

MOST = 30
"""How many plays are kept."""

LIVING = 6
"""How many of them have a process at once; the one that was asked longest ago rests."""

_PATIENCE = 60.0
"""After how many seconds without a reply a play is ended."""
_WAIT = 20.0
"""How long a page waits for others to go on, in seconds, before it asks again."""
_KEPT = frozenset({"answer", "undo", "fork", "close", "throw"})
"""What is done again where a play is played again."""
_ANSWERS = frozenset({"answer", "throw"})
_FILES = frozenset({"record", "save"})
_LARGEST_SEED = 1 << 31


@dataclass
class Play:
    """A play that is kept."""

    number: str  # which it is, for the browser
    begins: Mapping[str, Any]  # what was chosen, with the seed
    arguments: tuple[str, ...]  # of the command line
    talking: Talking | None = None  # its process; none where it rests
    log: list[dict[str, Any]] = field(default_factory=list)  # what has changed it, in order
    rest: list[dict[str, Any]] = field(default_factory=list)  # what did after that, and is not possible as rules are
    over: bool = False  # whether nothing is left to answer in any of its lines
    rules: Mapping[str, str] = field(default_factory=dict)  # the versions of the rules that its process has read
    version: int = 0  # how often it has changed
    at: float = field(default_factory=time.time)  # when it was changed last, in seconds since 1970
    asked: float = field(default_factory=time.time)  # when it was asked last, which a look at it does, too
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def is_another(self) -> None:
        """Tells all who wait that it is not as it was."""
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def stands(self, reply: Mapping[str, Any]) -> None:
        """Takes from a reply whether it is over."""
        lines = reply["moment"].get("lines", ())
        self.over = bool(lines) and all(each["over"] for each in lines)

    def sleep(self) -> None:
        """Ends its process; it is played again when somebody asks."""
        if self.talking is not None:
            self.talking.end()
        self.talking = None


class _Plays:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._plays: dict[str, Play] = {}
        for number in workbench.plays.names():
            with suppress(Problem, AttributeError, KeyError, TypeError, ValueError):
                found = workbench.plays.read(number) or {}
                log, at, over = [*map(dict, found["log"])], float(found["at"]), found.get("over") is True
                arguments = self._arguments(found["begins"])
                self._plays[number] = Play(number, found["begins"], arguments, log=log, at=at, asked=at, over=over)

    async def choices(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """What of a ruleset can be played, with what of a state each role can be."""
        return await self._workbench.choices(request, given)

    async def plays(self, request: Request) -> Response:
        """The plays that are kept, the one that was asked last first: how it began, its answers, whether it is over."""
        del request
        listed = sorted(self._plays.values(), key=lambda each: -each.asked)
        return answer(
            {
                "plays": [
                    {
                        "id": each.number,
                        "begins": each.begins,
                        "answers": sum(one.get("do") in _ANSWERS for one in (*each.log, *each.rest)),
                        "at": each.at,
                        "over": each.over,
                    }
                    for each in listed
                ]
            }
        )

    async def begin(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        if len(self._plays) >= MOST:
            raise Problem(409, f"{MOST} plays are kept; end one of them first")
        begins = given if given.get("load") else {**given, "seed": _seed(given.get("seed"))}
        arguments = self._arguments(begins)
        rules = await self._rules(begins)
        talking, reply = await self._begun(arguments)
        play = Play(secrets.token_hex(9), begins, arguments, talking, rules=rules)
        play.stands(reply)
        self._plays[play.number] = play
        self._keep(play)
        return {"id": play.number, **await self._seen(play, reply)}

    async def ask(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Asks something of a play: to see it, to answer, to go back, what led to a line."""
        play = self._play(given)
        wanted = {name: value for name, value in given.items() if name != "id"}
        if wanted.get("do") in _FILES:
            wanted["file"] = self._workbench.place(wanted, "file")
        async with play.lock:
            reply = await self._told(play, wanted)
            if wanted.get("do") in _KEPT:
                play.log.append(wanted)
                play.rest.clear()
                play.at = time.time()
                self._keep(play)
                play.is_another()
            return await self._seen(play, reply)

    async def wait(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Waits until a play has changed since it was seen, and tells its version; after a while it is the same."""
        play = self._play(given)
        if given.get("version") == play.version:
            changed = asyncio.ensure_future(play.changed.wait())
            try:
                for _ in range(int(_WAIT * 2)):
                    await asyncio.wait([changed], timeout=0.5)
                    if changed.done() or await request.is_disconnected():
                        break
            finally:
                changed.cancel()
        return {"version": play.version, "gone": play.number not in self._plays}

    async def again(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Plays the same again, with the rules as they are now, as far as the same answers are possible."""
        play = self._play(given)
        async with play.lock:
            reply = await self._revived(play)
            play.is_another()
            return await self._seen(play, reply)

    async def end(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        play = self._play(given)
        play.sleep()
        self._plays.pop(play.number, None)
        self._workbench.plays.drop(play.number)
        play.is_another()
        return {}

    # A play and its process.

    def _play(self, given: Mapping[str, Any]) -> Play:
        found = self._plays.get(str(given.get("id")))
        if found is None:
            raise Problem(404, "this play was ended")
        found.asked = time.time()
        return found

    async def _seen(self, play: Play, reply: dict[str, Any]) -> dict[str, Any]:
        """A reply as the browser has it, with whether the rules were edited since the process of the play read them."""
        edited = await self._rules(play.begins) != play.rules
        return {"version": play.version, "edited": edited, **_inside(reply)}

    async def _rules(self, begins: Mapping[str, Any]) -> Mapping[str, str]:
        """The versions of the rules that a play may read: those of its ruleset, or all, where that is not known."""
        listed = await run_in_threadpool(self._workbench.folder.list)
        mine = owners(listed)
        own = mine.get(str(begins.get("path")))
        return {
            each.path: each.version
            for each in listed
            if each.sort == "rules" and (own is None or mine.get(each.path, own) == own)
        }

    def _keep(self, play: Play) -> None:
        """Keeps a play beyond this process, unless it was ended; on a full disk it lasts as long as the workbench."""
        if self._plays.get(play.number) is not play:
            return
        with suppress(OSError, ValueError):
            kept = {"begins": dict(play.begins), "log": [*play.log, *play.rest], "at": play.at, "over": play.over}
            self._workbench.plays.write(play.number, kept)

    async def _begun(self, arguments: Sequence[str]) -> tuple[Talking, dict[str, Any]]:
        living = sorted(
            (each for each in self._plays.values() if each.talking is not None), key=lambda each: each.asked
        )
        for each in living[: -LIVING + 1]:
            if not each.lock.locked():
                each.sleep()
        talking = await self._workbench.standby.start("play", arguments)
        said = await talking.ask(json.dumps({"do": "see"}), _PATIENCE)
        reply = _object(said)
        if reply is None or "problem" in reply:
            talking.end()
            raise Problem(400, str(reply["problem"]) if reply else "this play cannot begin")
        return talking, reply

    async def _told(self, play: Play, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """What a play replies; one whose process is gone is played again first."""
        if play.talking is None or play.talking.said is not None:
            await self._revived(play)
        assert play.talking is not None
        reply = _object(await play.talking.ask(json.dumps(wanted), _PATIENCE))
        if reply is None:
            play.talking.end()
            back = await self._revived(play)
            raise Problem(409, "the play gave no answer, so it is back where it was before", **back)
        if "problem" in reply:
            raise Problem(400, str(reply["problem"]))
        play.stands(reply)
        return reply

    async def _revived(self, play: Play) -> dict[str, Any]:
        """The play from its beginning with the same answers, as far as they are possible; `found` says where not."""
        rules = await self._rules(play.begins)
        talking, reply = await self._begun(play.arguments)
        play.sleep()
        play.talking, play.rules = talking, rules
        log, play.log = [*play.log, *play.rest], []
        for each in log:
            told = _object(await talking.ask(json.dumps(each), _PATIENCE))
            if told is None or "problem" in told:
                why = str(told["problem"]) if told else "the play gave no answer"
                reply["moment"]["found"] = [*reply["moment"]["found"], f"the same answers lead no further: {why}"]
                break
            reply = told
            play.log.append(each)
        play.rest = log[len(play.log) :]
        play.stands(reply)
        return reply

    # What was chosen, as a command line.

    def _arguments(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        found = ["--format", "json", *self._workbench.overlays(given)]
        if given.get("load"):
            return (*found, f"--load={self._workbench.place(given, 'load')}")
        place = self._workbench.place(given)
        if given.get("state"):
            found.append(f"--state={self._workbench.place(given, 'state')}")
        found += [f"--with={each}" for each in _pairs(given.get("roles"))]
        found += [f"--set={each}" for each in _pairs(given.get("readings"))]
        found += [] if given.get("scripted") else ["--no-script"]
        found += ["--dice=ask"] if given.get("dice") == "ask" else []
        found.append(f"--seed={_seed(given.get('seed'))}")
        name = given.get("name")
        return (*found, "--", place, *([text_of(given, "name")] if name else []))


def _pairs(given: Any) -> list[str]:  # whatever the browser sent
    if given is None:
        return []
    if not isinstance(given, dict):
        raise Problem(400, MUDDLED)
    return [
        f"{name}={value}" for name, value in given.items() if str(value) and not set("\0\n") & set(f"{name}{value}")
    ]


def _seed(given: Any) -> int:  # whatever the browser sent
    """The seed that was chosen, or any; dice that are thrown for people who would type them hang on it, too."""
    if given in {None, ""}:
        return secrets.randbelow(_LARGEST_SEED)
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < _LARGEST_SEED:
        return given
    raise Problem(400, f"a seed is a whole number from 0 to {_LARGEST_SEED - 1}")


def _object(said: str | None) -> dict[str, Any] | None:
    try:
        found = None if said is None else json.loads(said)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _inside(reply: dict[str, Any]) -> dict[str, Any]:
    """The same without the places of texts that lie outside the folder, such as those of a shipped ruleset."""
    moment = reply["moment"]
    for each in (*moment["story"], *filter(None, [moment["asks"]])):
        if each["file"] is not None and (PurePath(each["file"]).is_absolute() or each["file"].startswith("..")):
            each.update(file=None, line=None)
    return reply


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    plays = _Plays(workbench)
    return [
        Route("/api/play", plays.plays, methods=["GET"]),
        posted("/api/play/choices", plays.choices),
        posted("/api/play/begin", plays.begin),
        posted("/api/play/ask", plays.ask),
        posted("/api/play/wait", plays.wait),
        posted("/api/play/again", plays.again),
        posted("/api/play/end", plays.end),
    ]
