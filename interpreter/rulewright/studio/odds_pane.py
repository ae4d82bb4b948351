"""The pane of odds: what can be asked of a ruleset, what `odds` and `simulate` answer, questions kept as scenarios."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.studio.files_api import typed
from rulewright.studio.gate import Problem
from rulewright.studio.workbench import Workbench, listed_in, posted, text_of

LONGEST = 180
"""After how many seconds a question is given up."""

_BAD = 2
_LISTS = ("of", "vary", "with", "set", "external", "policy", "best", "known")
_EXACT = frozenset({"best", "known"})


class Odds:
    """The answers of the pane."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def choices(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Procedures with roles, readings, measures, scenarios and questions that are kept: what `play --list` has."""
        place = self._workbench.place(given)
        texts = await run_in_threadpool(typed, self._workbench, place, given.get("tab"))
        return await self._workbench.choices(request, given, texts)

    async def ask(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """The answer in words, with pictures and tables as data; what is kept is written beside the rules."""
        place = self._workbench.place(given)
        texts = await run_in_threadpool(typed, self._workbench, place, given.get("tab"))
        verb = "simulate" if given.get("simulated") else "odds"
        arguments = list(self._arguments(given, place, verb))
        said = await self._workbench.standby.run(
            verb, arguments, request=request, texts=texts, limit=LONGEST, asking=given.get("asking")
        )
        if not said.out and (said.exit >= _BAD or said.err):
            raise Problem(422, said.err.strip() or "there is no answer")
        remarks = (
            [f"Worked out from text that is not saved yet: {', '.join(f'`{each}`' for each in texts)}."]
            if texts
            else []
        )
        remarks += [said.err.strip()] if said.err.strip() else []
        drawn = json.loads(said.files.get("PICTURES.JSON", "null"))
        return {"said": said.out, "pictures": drawn["pictures"] if drawn else [], "remarks": "\n".join(remarks)}

    def _arguments(self, given: Mapping[str, Any], place: str, verb: str) -> Iterator[str]:
        yield from ("--format", "plain", "--picture", "{PICTURES.JSON}")
        for name in _LISTS:
            if name not in _EXACT or verb == "odds":
                yield from (f"--{name}={each}" for each in listed_in(given, name))
        if given.get("unscripted"):
            yield "--no-script"
        if given.get("show"):
            yield f"--show={text_of(given, 'show')}"
        for name in ("as", "most") if verb == "odds" else ("runs",):
            if given.get(name):
                yield f"--{name}={text_of(given, name)}"
        if verb == "odds" and given.get("record"):
            yield f"--record={self._workbench.place(given, 'record')}"
        if given.get("scenario"):
            yield from ("--", self._workbench.place(given, "scenario"), text_of(given, "name"))
            return
        yield f"--state={self._workbench.place(given, 'state')}"
        yield from ("--", place, text_of(given, "procedure"))


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    odds = Odds(workbench)
    return [
        posted("/api/odds/choices", odds.choices),
        posted("/api/odds", odds.ask),
    ]
