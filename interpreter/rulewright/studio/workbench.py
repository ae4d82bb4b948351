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

from rulewright.base.diagnostics.terminal import is_encodable
from rulewright.studio.command_runner import CommandResult, CommandRunner
from rulewright.studio.document_store import DocumentStore, DraftStore, EarlierSaves
from rulewright.studio.request_gate import RequestProblem
from rulewright.studio.work_folder import WorkFolder

BAD_REQUEST_MESSAGE = "the workbench did not understand what the browser sent; load the page again"
_MAX_LIST_ITEMS = 40
_UNKNOWN_REASON = "this cannot be done; the reason is not known"


@dataclass(frozen=True, slots=True)
class Workbench:
    """The folder that is worked in, what is kept of it, and who answers questions about it."""

    folder: WorkFolder
    runner: CommandRunner
    drafts: DraftStore
    earlier_saves: EarlierSaves
    play_store: DocumentStore

    @classmethod
    def for_folder(cls, folder: WorkFolder, standby: CommandRunner, place: Path | None = None) -> "Workbench":
        """That of a folder; `requested_place` is where things are kept, if not in the usual folder."""
        drafts, saves, plays = (DocumentStore(folder.path, sort, place) for sort in ("studio", "saves", "plays"))
        for document_store in (drafts, saves, plays):
            document_store.remove_old_documents()
        folder.remove_leftovers()
        return cls(folder, standby, DraftStore(folder, drafts), EarlierSaves(saves), plays)

    def requested_place(self, given: Mapping[str, Any], name: str = "path") -> str:
        """The place of the file that a question names, as `WorkFolder.normalize_place` has it."""
        return self.folder.normalize_place(require_text(given, name))

    def overlay_options(self, given: Mapping[str, Any]) -> list[str]:
        """The overlays that a question names, as options."""
        return [f"--overlay={self.folder.normalize_place(item)}" for item in require_texts(given, "overlays")]

    async def read_playable(
        self, request: Request, given: Mapping[str, Any], texts: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """What of a ruleset or scenario can be played, as `play --list` has it; scenarios that can be opened here."""
        line = ["--list", "--format", "json", *self.overlay_options(given)]
        line += [f"--state={self.requested_place(given, 'state')}"] if given.get("state") else []
        line += ["--", self.requested_place(given), *([require_text(given, "name")] if given.get("name") else [])]
        said = await self.runner.run_command("play", line, request=request, texts=texts)
        return await run_in_threadpool(self._keep_openable_scenarios, said)

    def _keep_openable_scenarios(self, said: CommandResult) -> dict[str, Any]:
        mapping = parse_command_json(said, "procedures")
        ours = {scan_file.path for scan_file in self.folder.scan_files()}
        return {**mapping, "scenarios": [item for item in mapping["scenarios"] if item["file"] in ours]}


def json_response(data: Any, status: int = 200) -> Response:  # whatever JSON can hold
    """An answer for the browser, as JSON."""
    return Response(json.dumps(data, ensure_ascii=False), status, media_type="application/json")


def post_route(path: str, does: Callable[[dict[str, Any], Request], Awaitable[dict[str, Any]]]) -> Route:
    """What is answered to the JSON object in the body of a question; how large that may be is up to the gate."""

    async def handle_post(request: Request) -> Response:
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise RequestProblem(400, BAD_REQUEST_MESSAGE)
        return json_response(await does(given, request))

    return Route(path, handle_post, methods=["POST"])


def require_text(given: Mapping[str, Any], name: str) -> str:
    """A text that a question needs; a `RequestProblem` where it is missing, or no text."""
    result = given.get(name)
    if not isinstance(result, str) or not is_encodable(result):
        raise RequestProblem(400, BAD_REQUEST_MESSAGE)
    return result


def require_texts(given: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list that a question has; none without such a list, a `RequestProblem` where it is none of texts."""
    items = given.get(name) or []
    if not isinstance(items, list) or len(items) > _MAX_LIST_ITEMS:
        raise RequestProblem(400, BAD_REQUEST_MESSAGE)
    return [require_text({name: item}, name) for item in items]


def parse_command_json(said: CommandResult, needed: str) -> dict[str, Any]:
    """The JSON object that a command printed, which has the key that is needed.

    Raises:
        Problem: 422, it printed none; what it says instead, of findings in JSON each error with place and remedy.
    """
    try:
        result = json.loads(said.out)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise RequestProblem(422, said.err.strip() or said.out.strip() or _UNKNOWN_REASON)
    if needed not in result:
        wrong = [item for item in result.get("diagnostics", ()) if item["severity"] == "error"]
        raise RequestProblem(422, "\n".join(map(_format_finding, wrong)) or said.err.strip() or _UNKNOWN_REASON)
    return result


def _format_finding(found: Mapping[str, Any]) -> str:
    """A finding of a command: where, what is wrong, what to do about it."""
    place = found["place"]
    where = f"{place['file']}:{place['line']}" if place else ""
    return ": ".join(filter(None, (where, found["message"], found["help"])))
