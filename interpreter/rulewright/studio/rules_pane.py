"""The pane of the rules: what is wrong, the chapter and the chart beside the text, and what scenarios reach of it."""

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.coverage.listing import HOLDS
from rulewright.keeping import as_installed
from rulewright.resources import folder
from rulewright.studio.files_api import owners
from rulewright.studio.folder import OVERLAY, RULESET
from rulewright.studio.gate import Problem
from rulewright.studio.standby import Said
from rulewright.studio.workbench import Workbench, document, posted, text_of

_AS_PAGE = ("--html", "{PAGE}", "--places")
_MOST_AHEAD = 20
_LEADS_OUT = re.compile(r'(?m)^use[ \t]+"([^"\n]*\.\.|[/~\\]|[A-Za-z]:)')
_MOST_KNOWN = 12
"""So many chapters and charts are remembered; the largest has some 500 kB."""
_FEW = 3


class Rules:
    """The answers of the pane, for a ruleset with the texts that were typed and not saved."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._known = OrderedDict[tuple[object, ...], Said]()  # what was said of which texts, the latest last

    async def check(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """What is wrong with a ruleset, as `check` finds it."""
        said = await self._said(request, given, "check", [self._ruleset(given), "--format", "json"])
        return document(said, "diagnostics")

    async def chapter(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """A ruleset as a page, and which lines of the texts its parts tell of."""
        said = await self._said_once(request, given, "read", [self._ruleset(given), *_AS_PAGE])
        found = document(said, "places")
        return {"page": said.files["PAGE"], "title": found["title"], "places": self._placed(found["places"])}

    async def chart(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """A procedure as SVG, the lines that its boxes tell of and where they stand, and all procedures."""
        arguments = [self._ruleset(given), "--places", "--write", "{CHART}"]
        line = given.get("line")
        if isinstance(given.get("procedure"), str):
            arguments = [*arguments, "--", text_of(given, "procedure")]
        elif isinstance(line, int):
            arguments = [*arguments, "--at", f"{self._workbench.place(given)}:{line}"]
        said = await self._said_once(request, given, "draw", arguments)
        found = document(said, "boxes")
        return {
            **found,
            "svg": said.files.get("CHART", ""),
            "procedures": self._placed(found["procedures"]),
            "boxes": self._placed(found["boxes"]),
        }

    async def cover(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Which lines of a ruleset its scenarios reach, and how much of each sort."""
        ruleset, listed = self._ruleset(given), self._workbench.folder.list()
        mine = owners(listed)
        scenarios = [each.path for each in listed if each.sort == "scenario" and mine.get(each.path) == ruleset]
        if not scenarios:
            return {"lines": [], "counts": [], "scenarios": 0}
        said = await self._said(request, given, "cover", [*scenarios, "--format", "json"], limit=300)
        found = document(said, "reached")
        names = [each["name"] for each in found["scenarios"]]
        lines = [
            *(_reached(each, _by(each["by"], names), reached=True) for each in found["reached"]),
            *(_reached(each, _missed(each), reached=False) for each in found["missing"]),
            *(_reached(each, each["because"], reached=None) for each in (*found["excluded"], *found["dead"])),
        ]
        placed = [each for each in lines if each is not None]
        return {"lines": self._placed(placed), "counts": found["counts"], "scenarios": len(names)}

    def _ruleset(self, given: Mapping[str, Any]) -> str:
        """The ruleset that a file belongs to; an overlay stands for itself, with what it amends."""
        place = self._workbench.place(given)
        listed = self._workbench.folder.list()
        is_overlay = any(each.path == place and each.begins == OVERLAY for each in listed)
        return place if is_overlay else owners(listed).get(place, place)

    async def _said(
        self, request: Request, given: Mapping[str, Any], verb: str, arguments: Sequence[str], limit: float = 60
    ) -> Said:
        typed = given.get("texts")
        texts = {
            self._workbench.folder.place(path): text
            for path, text in (typed.items() if isinstance(typed, dict) else ())
            if isinstance(text, str)
        }
        return await self._workbench.standby.run(verb, arguments, request=request, texts=texts, limit=limit)

    async def _said_once(self, request: Request, given: Mapping[str, Any], verb: str, arguments: Sequence[str]) -> Said:
        """What a verb says of texts; what it said before, where no text of the folder and no shipped one is another.

        A text that uses one outside of the folder is asked anew each time: nobody sees here when that one changes.
        """
        listed = await run_in_threadpool(self._workbench.folder.list)
        typed = given.get("texts")
        texts = (each for each in (typed.values() if isinstance(typed, dict) else ()) if isinstance(each, str))
        if any(
            _LEADS_OUT.search(each) for each in (*texts, *(f'use "{name}"' for file in listed for name in file.names))
        ):
            return await self._said(request, given, verb, arguments)
        shipped = await run_in_threadpool(as_installed, folder("rulesets"))
        asked = (verb, *arguments, json.dumps(typed), shipped, *((each.path, each.version) for each in listed))
        said = self._known.pop(asked, None) or await self._said(request, given, verb, arguments)
        if said.exit == 0:
            self._known[asked] = said
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return said

    def _placed(self, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Places in the folder, each with its `path`; those in other files are none that the browser can show."""
        found = []
        for each in places:
            rest = {name: value for name, value in each.items() if name != "file"}
            try:
                found.append({**rest, "path": self._workbench.folder.place(each["file"])})
            except Problem:
                continue
        return found


async def look_ahead(workbench: Workbench, rest: float = 2.0) -> None:
    """Prints the rulesets of the folder once its page is there: checked ones are kept, so the next print is soon done.

    The page has the machine for itself for the seconds of `rest`.
    """
    await asyncio.sleep(rest)
    with suppress(OSError, Problem):
        listed = await run_in_threadpool(workbench.folder.list)
        for each in [each.path for each in listed if each.begins == RULESET][:_MOST_AHEAD]:
            await workbench.standby.run("read", [each, *_AS_PAGE])


def _reached(unit: Mapping[str, Any], said: str, *, reached: bool | None) -> dict[str, Any] | None:
    place = unit["place"]
    if place is None:
        return None
    return {"file": place["file"], "line": place["line"], "sort": unit["sort"], "reached": reached, "said": said}


def _missed(unit: Mapping[str, Any]) -> str:
    """What of a line no scenario reaches, in words; other parts of the line may be reached."""
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


def _by(numbers: Sequence[int], names: Sequence[str]) -> str:
    """Which scenarios come by, in words."""
    told = [names[each] for each in numbers[:_FEW]]
    more = f" and {len(numbers) - _FEW} more" if len(numbers) > _FEW else ""
    return f"reached by {', '.join(told)}{more}"


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    rules = Rules(workbench)
    named = {"check": rules.check, "chapter": rules.chapter, "chart": rules.chart, "cover": rules.cover}
    return [posted(f"/api/rules/{name}", does) for name, does in named.items()]
