"""What scenarios reach, as JSON data; `grammar/schemas/cover.schema.json` describes the form."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.coverage.report import Report, counts
from rulewright.coverage.unit import Unit
from rulewright.diagnostics import Diagnostic
from rulewright.source import Text

VERSION = 1


def document(found: Report, wrong: Sequence[Diagnostic], texts: Mapping[str, Text]) -> dict[str, Any]:
    """The whole document; every key is always there."""
    return {
        "version": VERSION,
        "scenarios": [
            {"file": each.case.file, "name": each.case.name, "outcome": each.outcome} for each in found.results
        ],
        "counts": _counts(found),
        "reached": [{**_unit(each.unit, texts), "by": list(each.by)} for each in found.reached],
        "missing": [_unit(each, texts) for each in found.missing],
        "excluded": [{**_unit(each.unit, texts), "because": each.because} for each in found.excluded],
        "dead": [{**_unit(each, texts), "because": each.dead} for each in found.dead],
        "wrong": [
            {"code": each.code, "message": each.message, "help": each.help}
            for each in [*(one for result in found.results for one in result.wrong), *wrong]
        ],
    }


def several(documents: Sequence[tuple[str, Mapping[str, Any]]], whole: Report) -> dict[str, Any]:
    """A document for each ruleset, with its name as `path`, and the sum, in which what several share counts once."""
    return {
        "version": VERSION,
        "rulesets": [{"path": name, **each} for name, each in documents],
        "counts": _counts(whole),
    }


def _counts(found: Report) -> list[dict[str, Any]]:
    return [
        {"sort": each.sort, "reached": each.reached, "whole": each.whole, "percent": each.percent}
        for each in counts(found)
    ]


def _unit(unit: Unit, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"sort": unit.sort, "name": unit.name, "text": unit.text, "place": _place(unit, texts)}


def _place(unit: Unit, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    if unit.span is None:
        return None
    position = texts[unit.span.source].position(unit.span.start)
    return {"file": unit.span.source, "line": position.line, "column": position.column}
