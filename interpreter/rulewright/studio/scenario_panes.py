"""The panes `odds` and `scenarios`: questions for `odds` and `simulate`, stored as scenarios; runs of `test`; plays that came back."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rulewright.studio.command_lines import CommandResult
from rulewright.studio.files_api import unsaved_texts
from rulewright.studio.request_table import (
    FLAG,
    OPTIONAL_FLAG,
    OPTIONAL_TEXT,
    TEXT,
    TEXT_LIST,
    TEXT_MAP,
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

MAX_RETURNED_PLAYS = 100
"""Limit of plays that came back and are read together."""

_TEST_TIMEOUT_S = 300.0
_RETURNED_FILE_PATTERN = re.compile(r"[^`\"\n]*\brulewright-[^/\\`\"\n]*[/\\]+returned-play-(\d+)\.json")
"""A file of `_write_returned_plays`, however a command names it."""


_SCENARIO_NAMES: RequestSchema = {"type": "array", "items": TEXT, "maxItems": 1000}


class _ScenariosPane:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def run_scenarios(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Results of the scenarios of some files, or of those with a name."""
        return await self._run_test_verb(given, [], caller)

    async def draw_scenes(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Of each scenario of a file, or of those with a name: its boards before and after its play, and its story.

        Texts that the request brings along count in place of their files.
        """
        place, texts = self._workbench.requested_place(given, "file"), self._workbench.typed_texts(given)
        named = [given["name"]] if given.get("name") else []
        result = await self._workbench.runner.run_command(
            "draw", ["--as", "json", "--", place, *named], caller=caller, texts=texts, limit=_TEST_TIMEOUT_S
        )
        return parse_command_json(result, "scenes")

    async def accept_results(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Proposed changes of failed expectations; `write` writes them."""
        accepting = ["--accept", *(["--yes"] if given.get("write") is True else [])]
        return await self._run_test_verb(given, accepting, caller)

    async def replay_returned_plays(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Plays that came back, each under the rules as they are typed, and counted together (`share --back`)."""
        return await self._run_share_verb(given, ["--scenes"], caller)

    async def keep_returned_play(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """A scenario file made of one play that came back."""
        place = self._workbench.requested_place(given, "file")
        await self._run_share_verb(given, [f"--to={place}"], caller)
        return {"file": place}

    async def make_shared_page(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """The page of a ruleset as it is typed, for a download, and what is in it (`share --to`)."""
        place = self._workbench.requested_place(given)
        texts = await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))
        result = await self._workbench.runner.run_command(
            "share",
            ["--format", "json", "--to", "{PAGE}", "--", place, *(given.get("names") or ())],
            caller=caller,
            texts=texts,
            limit=_TEST_TIMEOUT_S,
            asking=given.get("asking"),
        )
        written = parse_command_json(result, "scenarios")
        named = {name: written[name] for name in ("bytes", "scenarios", "left_out")}
        return {**named, "page": result.files["PAGE"], "typed": list(texts)}

    async def _run_share_verb(self, given: dict[str, Any], options: list[str], caller: Caller) -> dict[str, Any]:
        """JSON of `share --back` for the files that a request holds, each called as the browser calls it."""
        place = self._workbench.requested_place(given)
        returned = [(file["name"], file["text"]) for file in given["returned"]]
        if not returned or len(returned) > MAX_RETURNED_PLAYS:
            raise RequestProblem(400, f"1 to {MAX_RETURNED_PLAYS} plays can be read together")
        texts = await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            files = await run_blocking(_write_returned_plays, returned, Path(aside))
            result = await self._workbench.runner.run_command(
                "share",
                [*options, "--format", "json", *(f"--back={file}" for file in files), "--", place],
                caller=caller,
                texts=texts,
                limit=_TEST_TIMEOUT_S,
                asking=given.get("asking"),
            )
        document = parse_command_json(_call_as_given(result, returned), "plays")
        return {**document, "typed": list(texts)}

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


def _write_returned_plays(returned: Sequence[tuple[str, str]], folder: Path) -> list[str]:
    """Files in a temporary folder; their names are ours."""
    files = [folder / f"returned-play-{number}.json" for number in range(len(returned))]
    for file, (_, text) in zip(files, returned, strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    return [str(file) for file in files]


def _call_as_given(result: CommandResult, returned: Sequence[tuple[str, str]]) -> CommandResult:
    """What a command printed, with files called as the browser calls them."""

    def replace_places(text: str, *, is_json: bool) -> str:
        def name_file(found: re.Match[str]) -> str:
            name = returned[int(found[1])][0]
            return json.dumps(name)[1:-1] if is_json else name

        return _RETURNED_FILE_PATTERN.sub(name_file, text)

    out, err = replace_places(result.out, is_json=True), replace_places(result.err, is_json=False)
    return CommandResult(result.exit, out, err)


def list_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of both panes."""
    odds, scenarios = OddsPane(workbench), _ScenariosPane(workbench)
    files: Mapping[str, RequestSchema] = {"files": {"type": "array", "items": TEXT}}
    named = {"name": OPTIONAL_TEXT, "asking": TEXT}
    returned: Mapping[str, RequestSchema] = {
        "path": TEXT,
        "returned": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": TEXT, "text": TEXT}, "required": ["name", "text"]},
        },
    }
    typed = {"tab": TEXT, "asking": TEXT}
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
        PaneRequest("scenarios/scenes", scenarios.draw_scenes, {"file": TEXT}, {**named, "texts": TEXT_MAP}),
        PaneRequest("scenarios/accept", scenarios.accept_results, files, {**named, "write": FLAG}),
        PaneRequest("share", scenarios.make_shared_page, {"path": TEXT}, {**typed, "names": _SCENARIO_NAMES}),
        PaneRequest("scenarios/returned", scenarios.replay_returned_plays, returned, typed),
        PaneRequest("scenarios/keep", scenarios.keep_returned_play, {**returned, "file": TEXT}, typed),
    ]
