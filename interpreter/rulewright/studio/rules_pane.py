"""The pane of the rules: findings, chapter and chart beside the text, and coverage of lines by scenarios."""

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rulewright.base.disk_cache import fingerprint_installation
from rulewright.base.files import get_resource_folder
from rulewright.scenarios.coverage_units import HOLDS
from rulewright.studio.command_lines import CommandResult
from rulewright.studio.files_api import find_owners
from rulewright.studio.request_table import (
    LINE_NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    TEXT_MAP,
    Caller,
    PaneRequest,
    RequestProblem,
    run_blocking,
)
from rulewright.studio.work_folder import OVERLAY_WORD, RULESET_WORD
from rulewright.studio.workbench import Workbench, parse_command_json

_PAGE_OPTIONS = ("--html", "{PAGE}", "--places")
_MAX_PREPARED_RULESETS = 20
_OUTSIDE_USE_PATTERN = re.compile(r'(?m)^use[ \t]+"([^"\n]*\.\.|[/~\\]|[A-Za-z]:)')
_MAX_REMEMBERED_RESULTS = 12
"""Limit of cached chapters and charts; the largest measured has some 500 kB."""
_MAX_NAMED_SCENARIOS = 3


class RulesPane:
    """What the pane asks, on a ruleset with its drafts."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._remembered = OrderedDict[tuple[object, ...], CommandResult]()  # by texts, the latest last

    async def check_ruleset(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Findings of `check`."""
        result = await self._run_verb(caller, given, "check", [self._owning_ruleset(given), "--format", "json"])
        return parse_command_json(result, "diagnostics")

    async def render_chapter(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Chapter as HTML, and the source lines of its parts."""
        result = await self._run_verb_cached(caller, given, "read", [self._owning_ruleset(given), *_PAGE_OPTIONS])
        mapping = parse_command_json(result, "places")
        return {
            "page": result.files["PAGE"],
            "title": mapping["title"],
            "places": self._keep_folder_places(mapping["places"]),
        }

    async def render_chart(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Chart of a procedure as SVG, lines and positions of its boxes, and all procedures."""
        arguments = [self._owning_ruleset(given), "--places", "--write", "{CHART}"]
        line = given.get("line")
        if given.get("procedure") is not None:
            arguments = [*arguments, "--", given["procedure"]]
        elif line is not None:
            arguments = [*arguments, "--at", f"{self._workbench.requested_place(given)}:{line}"]
        result = await self._run_verb_cached(caller, given, "draw", arguments)
        mapping = parse_command_json(result, "boxes")
        return {
            **mapping,
            "svg": result.files.get("CHART", ""),
            "procedures": self._keep_folder_places(mapping["procedures"]),
            "boxes": self._keep_folder_places(mapping["boxes"]),
        }

    async def measure_coverage(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Lines that scenarios reach, and counts by sort of unit."""
        ruleset, listed = self._owning_ruleset(given), self._workbench.folder.scan_files()
        mine = find_owners(listed)
        scenarios = [one.path for one in listed if one.sort == "scenario" and mine.get(one.path) == ruleset]
        if not scenarios:
            return {"lines": [], "counts": [], "scenarios": 0}
        said = await self._run_verb(caller, given, "cover", [*scenarios, "--format", "json"], limit=300)
        result = parse_command_json(said, "reached")
        names = [item["name"] for item in result["scenarios"]]
        lines = [
            *(_reached_line_json(item, _name_scenarios(item["by"], names), reached=True) for item in result["reached"]),
            *(_reached_line_json(item, _describe_missed(item), reached=False) for item in result["missing"]),
            *(
                _reached_line_json(item, item["because"], reached=None)
                for item in (*result["excluded"], *result["dead"])
            ),
        ]
        placed = [line for line in lines if line is not None]
        return {"lines": self._keep_folder_places(placed), "counts": result["counts"], "scenarios": len(names)}

    def _owning_ruleset(self, given: Mapping[str, Any]) -> str:
        """Ruleset of a file; an overlay is its own, as it names its base."""
        place = self._workbench.requested_place(given)
        listed = self._workbench.folder.scan_files()
        is_overlay = any(one.path == place and one.header_word == OVERLAY_WORD for one in listed)
        return place if is_overlay else find_owners(listed).get(place, place)

    async def _run_verb(
        self, caller: Caller, given: Mapping[str, Any], verb: str, arguments: Sequence[str], limit: float = 60
    ) -> CommandResult:
        texts = self._workbench.typed_texts(given)
        return await self._workbench.runner.run_command(verb, arguments, caller=caller, texts=texts, limit=limit)

    async def _run_verb_cached(
        self, caller: Caller, given: Mapping[str, Any], verb: str, arguments: Sequence[str]
    ) -> CommandResult:
        """Result of a verb on texts, cached by all texts of the folder and the installation.

        Rules that use a file outside the folder are not cached, as changes there are not seen.
        """
        listed = await run_blocking(self._workbench.folder.scan_files)
        typed = given.get("texts") or {}
        if any(
            _OUTSIDE_USE_PATTERN.search(text)
            for text in (*typed.values(), *(f'use "{name}"' for file in listed for name in file.names))
        ):
            return await self._run_verb(caller, given, verb, arguments)
        shipped = await run_blocking(fingerprint_installation, get_resource_folder("rulesets"))
        cache_key = (
            verb,
            *arguments,
            json.dumps(typed),
            shipped,
            *((one.path, one.version) for one in listed),
        )
        result = self._remembered.pop(cache_key, None) or await self._run_verb(caller, given, verb, arguments)
        if result.exit == 0:
            self._remembered[cache_key] = result
        while len(self._remembered) > _MAX_REMEMBERED_RESULTS:
            self._remembered.popitem(last=False)
        return result

    def _keep_folder_places(self, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Places in the folder, each with its `path`; others are left out."""
        result = []
        for place in places:
            rest = {name: value for name, value in place.items() if name != "file"}
            try:
                result.append({**rest, "path": self._workbench.folder.normalize_place(place["file"])})
            except RequestProblem:
                continue
        return result


async def prepare_chapters(workbench: Workbench, rest: float = 2.0) -> None:
    """Check and print the rulesets of the folder in the background, which fills the caches.

    Waits `rest` seconds first, for the page to load.
    """
    await asyncio.sleep(rest)
    with suppress(OSError, RequestProblem):
        listed = await run_blocking(workbench.folder.scan_files)
        for item in [one.path for one in listed if one.header_word == RULESET_WORD][:_MAX_PREPARED_RULESETS]:
            await workbench.runner.run_command("read", [item, *_PAGE_OPTIONS])


def _reached_line_json(unit: Mapping[str, Any], said: str, *, reached: bool | None) -> dict[str, Any] | None:
    place = unit["place"]
    if place is None:
        return None
    return {"file": place["file"], "line": place["line"], "sort": unit["sort"], "reached": reached, "said": said}


def _describe_missed(unit: Mapping[str, Any]) -> str:
    """What no scenario reaches at a line, in words; other parts of the line may be reached."""
    text, detail = " ".join(unit["text"].split()), unit["name"].rpartition(" ")[2]
    match unit["sort"], detail:
        case "conditions", _:
            said = f"never {'true' if detail == HOLDS else 'false'}: {text}"
        case "atoms", _:
            said = f"no scenario shows that this part decides: {text}"
        case "edges", "else":
            said = "no scenario skips all of the branches"
        case "edges", _ if text:
            said = f"no scenario reaches {text.replace('`', '')}"
        case "rows", _:
            said = "no scenario takes this row"
        case "modifiers", _:
            said = "never applies" if detail == "applied" else "always applies"
        case "answers", _:
            said = f"never answered with {detail}"
        case "settings", _:
            said = f"never played with {detail}"
        case _:
            said = "no scenario reaches this line"
    return said


def _name_scenarios(numbers: Sequence[int], names: Sequence[str]) -> str:
    shown_names = [names[number] for number in numbers[:_MAX_NAMED_SCENARIOS]]
    more = f" and {len(numbers) - _MAX_NAMED_SCENARIOS} more" if len(numbers) > _MAX_NAMED_SCENARIOS else ""
    return f"reached by {', '.join(shown_names)}{more}"


def list_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of the pane."""
    rules = RulesPane(workbench)
    typed = {"texts": TEXT_MAP}
    return [
        PaneRequest("rules/check", rules.check_ruleset, {"path": TEXT}, typed),
        PaneRequest("rules/chapter", rules.render_chapter, {"path": TEXT}, typed),
        PaneRequest(
            "rules/chart",
            rules.render_chart,
            {"path": TEXT},
            {**typed, "procedure": OPTIONAL_TEXT, "line": LINE_NUMBER},
        ),
        PaneRequest("rules/cover", rules.measure_coverage, {"path": TEXT}, typed),
    ]
