"""What the panes of the workbench share: the folder, the processes that answer, and how a pane answers the browser."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rulewright.diagnostics.terminal import is_unicode
from rulewright.studio.folder import Folder
from rulewright.studio.gate import Problem
from rulewright.studio.kept import Drafts, Earlier, Kept
from rulewright.studio.standby import Said, Standby

MUDDLED = "the workbench did not understand what the browser sent; load the page again"
_MANY = 40
_SILENT = "this cannot be done; the reason is not known"


@dataclass(frozen=True, slots=True)
class Workbench:
    """The folder that is worked in, what is kept of it, and who answers questions about it."""

    folder: Folder
    standby: Standby
    drafts: Drafts
    earlier: Earlier
    plays: Kept

    @classmethod
    def of(cls, folder: Folder, standby: Standby, place: Path | None = None) -> "Workbench":
        """That of a folder; `place` is where things are kept, if not in the usual folder."""
        drafts, saves, plays = (Kept(folder.path, sort, place) for sort in ("studio", "saves", "plays"))
        for each in (drafts, saves, plays):
            each.clear()
        folder.tidy()
        return cls(folder, standby, Drafts(folder, drafts), Earlier(saves), plays)

    def place(self, given: Mapping[str, Any], name: str = "path") -> str:
        """The place of the file that a question names, as `Folder.place` has it."""
        return self.folder.place(text_of(given, name))

    def overlays(self, given: Mapping[str, Any]) -> list[str]:
        """The overlays that a question names, as options."""
        return [f"--overlay={self.folder.place(each)}" for each in listed_in(given, "overlays")]

    async def choices(
        self, request: Request, given: Mapping[str, Any], texts: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """What of a ruleset or scenario can be played, as `play --list` has it; scenarios that can be opened here."""
        line = ["--list", "--format", "json", *self.overlays(given)]
        line += [f"--state={self.place(given, 'state')}"] if given.get("state") else []
        line += ["--", self.place(given), *([text_of(given, "name")] if given.get("name") else [])]
        said = await self.standby.run("play", line, request=request, texts=texts)
        return await run_in_threadpool(self._openable, said)

    def _openable(self, said: Said) -> dict[str, Any]:
        found = document(said, "procedures")
        ours = {each.path for each in self.folder.list()}
        return {**found, "scenarios": [each for each in found["scenarios"] if each["file"] in ours]}


def answer(data: Any, status: int = 200) -> Response:  # whatever JSON can hold
    """An answer for the browser, as JSON."""
    return Response(json.dumps(data, ensure_ascii=False), status, media_type="application/json")


def posted(path: str, does: Callable[[dict[str, Any], Request], Awaitable[dict[str, Any]]]) -> Route:
    """What is answered to the JSON object in the body of a question; how large that may be is up to the gate."""

    async def answers(request: Request) -> Response:
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Problem(400, MUDDLED)
        return answer(await does(given, request))

    return Route(path, answers, methods=["POST"])


def text_of(given: Mapping[str, Any], name: str) -> str:
    """A text that a question needs; a `Problem` where it is missing, or no text."""
    found = given.get(name)
    if not isinstance(found, str) or not is_unicode(found):
        raise Problem(400, MUDDLED)
    return found


def listed_in(given: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list that a question has; none without such a list, a `Problem` where it is none of texts."""
    found = given.get(name) or []
    if not isinstance(found, list) or len(found) > _MANY:
        raise Problem(400, MUDDLED)
    return [text_of({name: each}, name) for each in found]


def document(said: Said, needed: str) -> dict[str, Any]:
    """The JSON object that a command printed, which has the key that is needed.

    Raises:
        Problem: 422, it printed none; what it says instead, of findings in JSON each error with place and remedy.
    """
    try:
        found = json.loads(said.out)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Problem(422, said.err.strip() or said.out.strip() or _SILENT)
    if needed not in found:
        wrong = [each for each in found.get("diagnostics", ()) if each["severity"] == "error"]
        raise Problem(422, "\n".join(map(_in_words, wrong)) or said.err.strip() or _SILENT)
    return found


def _in_words(found: Mapping[str, Any]) -> str:
    """A finding of a command: where, what is wrong, what to do about it."""
    place = found["place"]
    where = f"{place['file']}:{place['line']}" if place else ""
    return ": ".join(filter(None, (where, found["message"], found["help"])))
