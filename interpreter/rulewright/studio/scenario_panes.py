"""The panes `odds` and `scenarios`: questions for `odds` and `simulate`, stored as scenarios; and runs of `test`."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.studio.files_api import unsaved_texts
from rulewright.studio.request_gate import RequestProblem
from rulewright.studio.workbench import Workbench, parse_command_json, post_route, require_text, require_texts

ODDS_TIMEOUT_S = 180
"""Seconds until a question is given up."""

_LIST_OPTIONS = ("of", "given", "vary", "with", "set", "external", "policy", "best", "known")
_EXACT_ONLY_OPTIONS = frozenset({"best", "known"})


class OddsPane:
    """Endpoints of the pane `odds`."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def list_odds_choices(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Procedures, settings, measures, scenarios and stored questions (`play --list`)."""
        place = self._workbench.requested_place(given)
        texts = await run_in_threadpool(unsaved_texts, self._workbench, place, given.get("tab"))
        return await self._workbench.read_playable(request, given, texts)

    async def answer_odds(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """The answer as JSON of the verb, or with `words` as text; `record` also writes a scenario beside the rules."""
        place = self._workbench.requested_place(given)
        texts = await run_in_threadpool(unsaved_texts, self._workbench, place, given.get("tab"))
        verb = "simulate" if given.get("simulated") else "odds"
        arguments = list(self._make_odds_arguments(given, place, verb))
        result = await self._workbench.runner.run_command(
            verb, arguments, request=request, texts=texts, limit=ODDS_TIMEOUT_S, asking=given.get("asking")
        )
        remarks = (
            [f"Worked out from text that is not saved yet: {', '.join(f'`{text}`' for text in texts)}."]
            if texts
            else []
        )
        remarks += [result.err.strip()] if result.err.strip() else []
        if given.get("words"):
            if not result.out:
                raise RequestProblem(422, result.err.strip() or "there is no answer")
            return {"said": result.out, "remarks": "\n".join(remarks)}
        return {"answer": parse_command_json(result, "procedure"), "remarks": "\n".join(remarks)}

    def _make_odds_arguments(self, given: Mapping[str, Any], place: str, verb: str) -> Iterator[str]:
        yield from ("--format", "plain" if given.get("words") else "json")
        for name in _LIST_OPTIONS:
            if name not in _EXACT_ONLY_OPTIONS or verb == "odds":
                yield from (f"--{name}={item}" for item in require_texts(given, name))
        if given.get("unscripted"):
            yield "--no-script"
        for name in ("most",) if verb == "odds" else ("runs",):
            if given.get(name):
                yield f"--{name}={require_text(given, name)}"
        if verb == "odds" and given.get("record"):
            yield f"--record={self._workbench.requested_place(given, 'record')}"
        if given.get("scenario"):
            yield from ("--", self._workbench.requested_place(given, "scenario"), require_text(given, "name"))
            return
        yield f"--state={self._workbench.requested_place(given, 'state')}"
        yield from ("--", place, require_text(given, "procedure"))


def routes(workbench: Workbench) -> list[BaseRoute]:
    """Endpoints of both panes."""
    odds = OddsPane(workbench)
    return [
        post_route("/api/odds/choices", odds.list_odds_choices),
        post_route("/api/odds", odds.answer_odds),
        *_scenario_routes(workbench),
    ]


MAX_SCENARIO_FILES = 200
"""Limit of scenario files per run."""

_TEST_TIMEOUT_S = 300.0


class _ScenariosPane:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def run_scenarios(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Results of the scenarios of some files, or of those with a name."""
        return await self._run_test_verb(given, [], request)

    async def draw_scenes(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Of each scenario of a file, or of those with a name: its boards before and after its play, and its story."""
        place = self._workbench.requested_place(given, "file")
        named = [require_text(given, "name")] if given.get("name") else []
        result = await self._workbench.runner.run_command(
            "draw", ["--as", "json", "--", place, *named], request=request, limit=_TEST_TIMEOUT_S
        )
        return parse_command_json(result, "scenes")

    async def accept_results(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Proposed changes of failed expectations; `write` writes them."""
        accepting = ["--accept", *(["--yes"] if given.get("write") is True else [])]
        return await self._run_test_verb(given, accepting, request)

    async def _run_test_verb(self, given: dict[str, Any], options: list[str], request: Request) -> dict[str, Any]:
        files = given.get("files")
        if not isinstance(files, list) or not files or len(files) > MAX_SCENARIO_FILES:
            raise RequestProblem(400, f"1 to {MAX_SCENARIO_FILES} scenario files can be played at once")
        places = [self._workbench.folder.normalize_place(str(file)) for file in files]
        named = ["-k", require_text(given, "name")] if given.get("name") else []
        line = [*options, *named, "--format", "json", "--", *places]
        asking = given.get("asking")
        result = await self._workbench.runner.run_command(
            "test", line, request=request, limit=_TEST_TIMEOUT_S, asking=asking
        )
        return {**parse_command_json(result, "results"), "said": result.err.strip()}


def _scenario_routes(workbench: Workbench) -> list[BaseRoute]:
    scenarios = _ScenariosPane(workbench)
    return [
        post_route("/api/scenarios/run", scenarios.run_scenarios),
        post_route("/api/scenarios/scenes", scenarios.draw_scenes),
        post_route("/api/scenarios/accept", scenarios.accept_results),
    ]
