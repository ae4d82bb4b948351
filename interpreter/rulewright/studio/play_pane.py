"""The pane `play`: plays in processes of their own, each serving one request at a time.

A play lasts until it is ended, so it is found by a reloaded page, and by a second tab for another seat. The process
of a play hides what a seat may not see. Start options and requests are stored in the user's cache folder: a play whose
process is gone, or whose rules were edited, is replayed from its beginning.
"""

import asyncio
import json
import re
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from rulewright.studio.command_lines import CommandDialog, CommandResult
from rulewright.studio.files_api import find_owners, find_starter_play
from rulewright.studio.request_table import (
    BAD_REQUEST_MESSAGE,
    OPTIONAL_FLAG,
    OPTIONAL_TEXT,
    TEXT,
    TEXT_LIST,
    TEXT_MAP,
    Caller,
    PaneRequest,
    RequestProblem,
    run_blocking,
)
from rulewright.studio.workbench import Workbench, parse_command_json, require_text

MAX_STORED_PLAYS = 30
"""Limit of stored plays."""

MAX_RUNNING_PLAYS = 6
"""Limit of plays with a process; the least recently used process is ended."""

_REPLY_TIMEOUT_S = 60.0
"""Seconds without a reply after which the process is ended."""
_POLL_TIMEOUT_S = 20.0
"""Seconds of a long poll."""
_REPLAYED_ACTIONS = frozenset({"answer", "undo", "fork", "close", "throw"})
"""Actions that are repeated by a replay."""
_ANSWER_ACTIONS = frozenset({"answer", "throw"})
_FILE_ACTIONS = frozenset({"record", "save"})
_SEED_LIMIT = 1 << 31
_POSITION_FILE_PATTERN = re.compile(r"[^`\"\s]*\brulewright-[^/\\`\"\s]*[/\\]+position\.json(?::\d+)*(?:: )?")
"""The temporary file of a position, however a command names it."""


@dataclass
class StoredPlay:
    """A stored play."""

    number: str  # id for the browser
    start_options: Mapping[str, Any]  # with the seed
    arguments: tuple[str, ...]
    dialog: CommandDialog | None = None  # None: no process
    actions: list[dict[str, Any]] = field(default_factory=list)  # changing requests, in order
    impossible_actions: list[dict[str, Any]] = field(
        default_factory=list
    )  # requests after these that no longer fit the rules
    is_over: bool = False  # no line of play has a question
    rule_versions: Mapping[str, str] = field(default_factory=dict)  # rule versions its process has read
    version: int = 0  # number of changes
    changed_at: float = field(default_factory=time.time)  # Unix time
    asked_at: float = field(default_factory=time.time)  # Unix time of the last request
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    change_event: asyncio.Event = field(default_factory=asyncio.Event)

    def mark_changed(self) -> None:
        """Increase the version and wake all pollers."""
        self.version += 1
        self.change_event.set()
        self.change_event = asyncio.Event()

    def update_is_over(self, reply: Mapping[str, Any]) -> None:
        lines = reply["moment"].get("lines", ())
        self.is_over = bool(lines) and all(line["over"] for line in lines)

    def end_process(self) -> None:
        """End its process; the next request replays it."""
        if self.dialog is not None:
            self.dialog.end()
        self.dialog = None


class _PlayPane:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._plays: dict[str, StoredPlay] = {}
        for number in workbench.play_store.list_names():
            with suppress(RequestProblem, AttributeError, KeyError, TypeError, ValueError):
                mapping = workbench.play_store.read_document(number) or {}
                log, at, over = [*map(dict, mapping["log"])], float(mapping["at"]), mapping.get("over") is True
                arguments = self._make_play_arguments(mapping["begins"])
                self._plays[number] = StoredPlay(
                    number, mapping["begins"], arguments, actions=log, changed_at=at, asked_at=at, is_over=over
                )

    async def list_play_choices(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """What can be played of a ruleset (`play --list`), with the candidates of a state for each role."""
        return await self._workbench.read_playable(caller, given)

    async def show_position(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """A position that is changed by clicking: that of a scenario, or a state as JSON (`draw --places`)."""
        runner = self._workbench.runner
        if given.get("scenario"):
            line = ["--places", "--", self._workbench.requested_place(given, "scenario"), require_text(given, "name")]
            return parse_command_json(await runner.run_command("draw", line, caller=caller), "boards")
        place = self._workbench.requested_place(given)
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            file = Path(aside, "position.json")
            await run_blocking(file.write_text, json.dumps(given.get("state") or {}), "utf-8")
            line = [f"--state={file}", "--places", "--", place]
            result = await runner.run_command("draw", line, caller=caller)
        out, err = (_POSITION_FILE_PATTERN.sub("", text) for text in (result.out, result.err))
        return parse_command_json(CommandResult(result.exit, out, err), "boards")

    async def list_plays(self, _: dict[str, Any], __: Caller) -> dict[str, Any]:
        """Stored plays, the most recently used first: start options, answers, whether it is over."""
        listed = sorted(self._plays.values(), key=lambda stored_play: -stored_play.asked_at)
        return {
            "plays": [
                {
                    "id": each.number,
                    "begins": each.start_options,
                    "answers": sum(
                        one.get("do") in _ANSWER_ACTIONS for one in (*each.actions, *each.impossible_actions)
                    ),
                    "at": each.changed_at,
                    "over": each.is_over,
                }
                for each in listed
            ]
        }

    async def begin_play(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        if len(self._plays) >= MAX_STORED_PLAYS:
            raise RequestProblem(409, f"{MAX_STORED_PLAYS} plays are kept; end one of them first")
        begins = given if given.get("load") else {**given, "seed": _parse_seed(given.get("seed"))}
        arguments = self._make_play_arguments(begins)
        rules = await self._read_rule_versions(begins)
        dialog, reply = await self._start_play_process(arguments)
        play = StoredPlay(secrets.token_hex(9), begins, arguments, dialog, rule_versions=rules)
        play.update_is_over(reply)
        self._plays[play.number] = play
        self._store_play(play)
        return {"id": play.number, **await self._reply_json(play, reply)}

    async def ask_play(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Send a request to a play: show, answer, undo, explain."""
        play = self._require_play(given)
        play_request = {name: value for name, value in given.items() if name != "id"}
        if play_request.get("do") in _FILE_ACTIONS:
            play_request["file"] = self._workbench.requested_place(play_request, "file")
        async with play.lock:
            reply = await self._ask_process(play, play_request)
            if play_request.get("do") in _REPLAYED_ACTIONS:
                play.actions.append(play_request)
                play.impossible_actions.clear()
                play.changed_at = time.time()
                self._store_play(play)
                play.mark_changed()
            return await self._reply_json(play, reply)

    async def wait_for_change(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Long poll for a new version of a play; after the timeout the same version."""
        play = self._require_play(given)
        if given.get("version") == play.version:
            changed = asyncio.ensure_future(play.change_event.wait())
            try:
                for _ in range(int(_POLL_TIMEOUT_S * 2)):
                    await asyncio.wait([changed], timeout=0.5)
                    if changed.done() or await caller.is_gone():
                        break
            finally:
                changed.cancel()
        return {"version": play.version, "gone": play.number not in self._plays}

    async def play_again(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Replay with the current rules, as far as the answers still fit."""
        play = self._require_play(given)
        async with play.lock:
            reply = await self._replay_from_start(play)
            play.mark_changed()
            return await self._reply_json(play, reply)

    async def end_play(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        play = self._require_play(given)
        play.end_process()
        self._plays.pop(play.number, None)
        self._workbench.play_store.drop_document(play.number)
        play.mark_changed()
        return {}

    # A play and its process.

    def _require_play(self, given: Mapping[str, Any]) -> StoredPlay:
        result = self._plays.get(str(given.get("id")))
        if result is None:
            raise RequestProblem(404, "this play was ended")
        result.asked_at = time.time()
        return result

    async def _reply_json(self, play: StoredPlay, reply: dict[str, Any]) -> dict[str, Any]:
        """Reply for the browser, with whether the rules were edited since the process read them."""
        edited = await self._read_rule_versions(play.start_options) != play.rule_versions
        return {"version": play.version, "edited": edited, **_hide_outside_places(reply)}

    async def _read_rule_versions(self, begins: Mapping[str, Any]) -> Mapping[str, str]:
        """Versions of the rules a play may read: of its ruleset, or all if that is unknown."""
        listed = await run_blocking(self._workbench.folder.scan_files)
        mine = find_owners(listed)
        own = mine.get(str(begins.get("path")))
        return {
            one.path: one.version
            for one in listed
            if one.sort == "rules" and (own is None or mine.get(one.path, own) == own)
        }

    def _store_play(self, play: StoredPlay) -> None:
        """Store a play unless it was ended; on a full disk it lasts as long as the workbench."""
        if self._plays.get(play.number) is not play:
            return
        with suppress(OSError, ValueError):
            document = {
                "begins": dict(play.start_options),
                "log": [*play.actions, *play.impossible_actions],
                "at": play.changed_at,
                "over": play.is_over,
            }
            self._workbench.play_store.write_document(play.number, document)

    async def _start_play_process(self, arguments: Sequence[str]) -> tuple[CommandDialog, dict[str, Any]]:
        living = sorted(
            (play for play in self._plays.values() if play.dialog is not None), key=lambda item: item.asked_at
        )
        for stored_play in living[: -MAX_RUNNING_PLAYS + 1]:
            if not stored_play.lock.locked():
                stored_play.end_process()
        dialog = await self._workbench.runner.start_dialog("play", arguments)
        line = await dialog.exchange_line(json.dumps({"do": "see"}), _REPLY_TIMEOUT_S)
        reply = _parse_object(line)
        if reply is None or "problem" in reply:
            dialog.end()
            raise RequestProblem(400, str(reply["problem"]) if reply else "this play cannot begin")
        return dialog, reply

    async def _ask_process(self, play: StoredPlay, play_request: Mapping[str, Any]) -> dict[str, Any]:
        """Reply of the process of a play, which is replayed first if it is gone."""
        if play.dialog is None or play.dialog.result is not None:
            await self._replay_from_start(play)
        assert play.dialog is not None
        reply = _parse_object(await play.dialog.exchange_line(json.dumps(play_request), _REPLY_TIMEOUT_S))
        if reply is None:
            play.dialog.end()
            back = await self._replay_from_start(play)
            raise RequestProblem(409, "the play gave no answer, so it is back where it was before", **back)
        if "problem" in reply:
            raise RequestProblem(400, str(reply["problem"]))
        play.update_is_over(reply)
        return reply

    async def _replay_from_start(self, play: StoredPlay) -> dict[str, Any]:
        """Last reply of a replay, as far as the answers fit; `found` says where not."""
        rules = await self._read_rule_versions(play.start_options)
        dialog, reply = await self._start_play_process(play.arguments)
        play.end_process()
        play.dialog, play.rule_versions = dialog, rules
        log, play.actions = [*play.actions, *play.impossible_actions], []
        for item in log:
            answered = _parse_object(await dialog.exchange_line(json.dumps(item), _REPLY_TIMEOUT_S))
            if answered is None or "problem" in answered:
                why = str(answered["problem"]) if answered else "the play gave no answer"
                reply["moment"]["found"] = [*reply["moment"]["found"], f"the same answers lead no further: {why}"]
                break
            reply = answered
            play.actions.append(item)
        play.impossible_actions = log[len(play.actions) :]
        play.update_is_over(reply)
        return reply

    # What was chosen, as a command line.

    def _make_play_arguments(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        items = ["--format", "json", *self._workbench.overlay_options(given)]
        if given.get("source"):
            first_play = find_starter_play(require_text(given, "source"))
            return (*items, "--no-script", "--dice=ask", f"--seed={_parse_seed(given.get('seed'))}", "--", *first_play)
        if given.get("load"):
            return (*items, f"--load={self._workbench.requested_place(given, 'load')}")
        place = self._workbench.requested_place(given)
        if given.get("state"):
            items.append(f"--state={self._workbench.requested_place(given, 'state')}")
        items += [f"--with={format_pair}" for format_pair in _format_pairs(given.get("roles"))]
        items += [f"--set={format_pair}" for format_pair in _format_pairs(given.get("readings"))]
        items += [] if given.get("scripted") else ["--no-script"]
        items += ["--dice=ask"] if given.get("dice") == "ask" else []
        items.append(f"--seed={_parse_seed(given.get('seed'))}")
        name = given.get("name")
        return (*items, "--", place, *([require_text(given, "name")] if name else []))


def _format_pairs(given: Any) -> list[str]:  # whatever the browser sent
    if given is None:
        return []
    if not isinstance(given, dict):
        raise RequestProblem(400, BAD_REQUEST_MESSAGE)
    return [
        f"{name}={value}" for name, value in given.items() if str(value) and not set("\0\n") & set(f"{name}{value}")
    ]


def _parse_seed(given: Any) -> int:  # whatever the browser sent
    """The requested seed, or a random one, needed also if people type their dice."""
    if given in {None, ""}:
        return secrets.randbelow(_SEED_LIMIT)
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < _SEED_LIMIT:
        return given
    raise RequestProblem(400, f"a seed is a whole number from 0 to {_SEED_LIMIT - 1}")


def _parse_object(line: str | None) -> dict[str, Any] | None:
    try:
        result = None if line is None else json.loads(line)
    except ValueError:
        return None
    return result if isinstance(result, dict) else None


def _hide_outside_places(reply: dict[str, Any]) -> dict[str, Any]:
    """Reply without places in texts outside the folder, such as those of a shipped ruleset."""
    moment = reply["moment"]
    for item in (*moment["story"], *filter(None, [moment["asks"]])):
        if item["file"] is not None and _is_outside(item["file"]):
            item.update(file=None, line=None)
    if _is_outside(moment["ruleset"]):
        moment["ruleset"] = PurePath(moment["ruleset"]).name
    return reply


def _is_outside(place: str) -> bool:
    return PurePath(place).is_absolute() or place.startswith("..")


def list_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of the pane."""
    plays, play = _PlayPane(workbench), {"id": TEXT}
    start = {"state": OPTIONAL_TEXT, "name": OPTIONAL_TEXT, "overlays": TEXT_LIST}
    begins = {
        **start,
        **dict.fromkeys(("path", "load", "source", "dice"), OPTIONAL_TEXT),
        **dict.fromkeys(("roles", "readings"), TEXT_MAP),
        "scripted": OPTIONAL_FLAG,
        "seed": {"type": ["integer", "string", "null"]},
    }
    position = {**dict.fromkeys(("scenario", "name"), OPTIONAL_TEXT), "state": {"type": ["object", "null"]}}
    return [
        PaneRequest("play", plays.list_plays, is_read=True),
        PaneRequest("play/choices", plays.list_play_choices, {"path": TEXT}, start),
        PaneRequest("play/position", plays.show_position, {"path": TEXT}, position),
        PaneRequest("play/begin", plays.begin_play, {}, begins),
        PaneRequest("play/ask", plays.ask_play, play, is_open=True),
        PaneRequest("play/wait", plays.wait_for_change, play, {"version": {"type": "integer"}}),
        PaneRequest("play/again", plays.play_again, play),
        PaneRequest("play/end", plays.end_play, play),
    ]
