"""What came of scenarios, as JSON data; `grammar/schemas/test.schema.json` describes the form."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.cli.accepting import Blessing
from rulewright.cli.differing import difference
from rulewright.diagnostics.as_json import place_json, to_json
from rulewright.scenarios.results import OUTCOMES, Result
from rulewright.source import Text

VERSION = 1


def document(played: Sequence[Result], blessing: Blessing | None, texts: Mapping[str, Text]) -> dict[str, Any]:
    """The whole document; every key is always there, but for `accept` where nobody asked for it."""
    found = {
        "version": VERSION,
        "counts": {outcome: sum(each.outcome == outcome for each in played) for outcome in OUTCOMES},
        "results": [_result(each, texts) for each in played],
    }
    return found if blessing is None else {**found, "accept": _accept(blessing, texts)}


def _result(result: Result, texts: Mapping[str, Text]) -> dict[str, Any]:
    case, happened = result.case, result.happened
    return {
        "file": case.file,
        "line": texts[case.file].position(case.place.span.start).line,
        "name": case.name,
        "outcome": result.outcome,
        "skip": case.skip,
        "covers": [each.text for each in case.covers],
        "seconds": round(result.seconds, 4),
        "play": _play(result) if result.misses else None,
        "misses": [
            {"what": each.what, "place": each.place, "expected": each.expected, "got": each.got}
            for each in result.misses
        ],
        "told": list(happened.lines),
        "path": list(happened.steps),
        "goes_on": happened.goes_on,
        "fault": None if happened.fault is None else place_json(happened.fault, texts),
        "wrong": [to_json(each, texts) for each in result.wrong],
    }


def _play(result: Result) -> dict[str, Any]:
    case, number = result.case, result.number
    return {"number": number + 1, "of": case.plays, "seed": None if case.seed is None else case.seed + number}


def _accept(blessing: Blessing, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "written": blessing.written,
        "accepted": [
            {"file": each.before.name, "name": one.case.name, "expectation": one.what}
            for each in blessing.files
            for one in each.proposals
        ],
        "difference": [line for each in blessing.files for _, line in difference(each.before, each.after)],
        "left": [to_json(each, texts) for each in blessing.left],
    }
