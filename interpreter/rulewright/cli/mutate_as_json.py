"""Mutants as JSON data; `grammar/schemas/mutate.schema.json` describes the form."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.mutations.mutant import Mutant, change
from rulewright.scoring.report import STATES, Scored, counts
from rulewright.source import Text

VERSION = 1


def document(scored: Sequence[Scored], wrong: Iterable[Diagnostic], texts: Mapping[str, Text]) -> dict[str, Any]:
    """The whole document; every key is always there."""
    return {
        "version": VERSION,
        "counts": _counts(scored),
        "changes": [{**_mutant(each.mutant, texts), **_verdict(each)} for each in scored],
        "wrong": [{"code": each.code, "message": each.message, "help": each.help} for each in wrong],
    }


def several(documents: Sequence[tuple[str, Mapping[str, Any]]], scored: Sequence[Scored]) -> dict[str, Any]:
    """A document for each ruleset, with its name as `path`, and the sum, in which what several share counts once."""
    return {
        "version": VERSION,
        "rulesets": [{"path": name, **each} for name, each in documents],
        "counts": _counts(scored),
    }


def _counts(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    return [
        {
            "operator": each.operator,
            **{state: getattr(each, state) for state in STATES},
            "percent": each.score,
            "percent_unexplained": each.unexplained,
        }
        for each in counts(scored)
    ]


def listed(mutants: Iterable[Mutant], texts: Mapping[str, Text]) -> dict[str, Any]:
    """The mutants, without anything being tried."""
    return {"version": VERSION, "changes": [_mutant(each, texts) for each in mutants]}


def _mutant(mutant: Mutant, texts: Mapping[str, Text]) -> dict[str, Any]:
    text = texts[mutant.place.source]
    position, changed = text.position(mutant.place.start), change(mutant, text)
    return {
        "name": mutant.name,
        "operator": mutant.operator,
        "address": mutant.address,
        "place": {"file": mutant.place.source, "line": position.line, "column": position.column},
        "old": mutant.old,
        "new": mutant.new,
        "before": list(changed.old),
        "after": list(changed.new),
    }


def _verdict(scored: Scored) -> dict[str, Any]:
    file, name = scored.verdict.by
    return {
        "outcome": scored.state,
        "why": scored.because or scored.verdict.why,
        "by": {"file": file, "name": name} if name else None,
        "plays": scored.verdict.plays,
    }
