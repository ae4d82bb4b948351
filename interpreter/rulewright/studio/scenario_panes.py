"""The panes `odds` and `scenarios`: questions for `odds` and `simulate`, stored as scenarios; and runs of `test`."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.studio.files_api import unsaved_texts
from rulewright.studio.request_table import (
    FLAG,
    OPTIONAL_FLAG,
    OPTIONAL_TEXT,
    TEXT,
    TEXT_LIST,
    Caller,
    PaneRequest,
    RequestProblem,
    RequestSchema,
    run_blocking,
)
from rulewright.studio.workbench import Workbench, parse_command_json, require_text

ODDS_TIMEOUT_S = 180
"""Seconds until a question is given up."""

_LIST_OPTIONS = ("of", "given", "vary", "with", "set", "external", "policy", "best", "known")
_EXACT_ONLY_OPTIONS = frozenset({"best", "known"})


class OddsPane:
    """What the pane `odds` asks."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def list_odds_choices(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Procedures, settings, measures, scenarios and stored questions (`play --list`)."""
        place = self._workbench.requested_place(given)
        texts = await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))
        return await self._workbench.read_playable(caller, given, texts)

    async def answer_odds(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """The answer as JSON of the verb, or with `words` as text; `record` also writes a scenario beside the rules."""
        place = self._workbench.requested_place(given)
        texts = await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))
        verb = "simulate" if given.get("simulated") else "odds"
        arguments = list(self._make_odds_arguments(given, place, verb))
        result = await self._workbench.runner.run_command(
            verb, arguments, caller=caller, texts=texts, limit=ODDS_TIMEOUT_S, asking=given.get("asking")
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
                yield from (f"--{name}={item}" for item in given.get(name) or ())
        if given.get("unscripted"):
            yield "--no-script"
        for name in ("most",) if verb == "odds" else ("runs",):
            if given.get(name):
                yield f"--{name}={given[name]}"
        if verb == "odds" and given.get("record"):
            yield f"--record={self._workbench.requested_place(given, 'record')}"
        if given.get("scenario"):
            yield from ("--", self._workbench.requested_place(given, "scenario"), require_text(given, "name"))
            return
        yield f"--state={self._workbench.requested_place(given, 'state')}"
        yield from ("--", place, require_text(given, "procedure"))


MAX_SCENARIO_FILES = 200
"""Limit of scenario files per run."""

_TEST_TIMEOUT_S = 300.0


class _ScenariosPane:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def run_scenarios(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Results of the scenarios of some files, or of those with a name."""
        return await self._run_test_verb(given, [], caller)

    async def draw_scenes(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Of each scenario of a file, or of those with a name: its boards before and after its play, and its story."""
        place = self._workbench.requested_place(given, "file")
        named = [given["name"]] if given.get("name") else []
        result = await self._workbench.runner.run_command(
            "draw", ["--as", "json", "--", place, *named], caller=caller, limit=_TEST_TIMEOUT_S
        )
        return parse_command_json(result, "scenes")

    async def accept_results(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Proposed changes of failed expectations; `write` writes them."""
        accepting = ["--accept", *(["--yes"] if given.get("write") is True else [])]
        return await self._run_test_verb(given, accepting, caller)

    async def _run_test_verb(self, given: dict[str, Any], options: list[str], caller: Caller) -> dict[str, Any]:
        files = given["files"]
        if not files or len(files) > MAX_SCENARIO_FILES:
            raise RequestProblem(400, f"1 to {MAX_SCENARIO_FILES} scenario files can be played at once")
        places = [self._workbench.folder.normalize_place(file) for file in files]
        named = ["-k", given["name"]] if given.get("name") else []
        line = [*options, *named, "--format", "json", "--", *places]
        asking = given.get("asking")
        result = await self._workbench.runner.run_command(
            "test", line, caller=caller, limit=_TEST_TIMEOUT_S, asking=asking
        )
        return {**parse_command_json(result, "results"), "said": result.err.strip()}


def list_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of both panes."""
    odds, scenarios = OddsPane(workbench), _ScenariosPane(workbench)
    files: Mapping[str, RequestSchema] = {"files": {"type": "array", "items": TEXT}}
    named = {"name": OPTIONAL_TEXT, "asking": TEXT}
    begins = {"name": TEXT, "state": OPTIONAL_TEXT, "overlays": TEXT_LIST, "tab": TEXT}
    question = {
        **dict.fromkeys(("scenario", "name", "state", "procedure", "most", "runs", "record"), OPTIONAL_TEXT),
        **dict.fromkeys(("simulated", "words", "unscripted"), OPTIONAL_FLAG),
        **dict.fromkeys(_LIST_OPTIONS, TEXT_LIST),
        "tab": TEXT,
        "asking": TEXT,
    }
    return [
        PaneRequest("odds/choices", odds.list_odds_choices, {"path": TEXT}, begins),
        PaneRequest("odds", odds.answer_odds, {"path": TEXT}, question),
        PaneRequest("scenarios/run", scenarios.run_scenarios, files, named),
        PaneRequest("scenarios/scenes", scenarios.draw_scenes, {"file": TEXT}, named),
        PaneRequest("scenarios/accept", scenarios.accept_results, files, {**named, "write": FLAG}),
    ]
