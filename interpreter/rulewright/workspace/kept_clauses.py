"""Clause lists without mistakes, kept between runs: a document changes seldom, and YAML is slow to load."""

import json
from functools import cache

from rulewright.analysis.symbols import ClauseEntry
from rulewright.diagnostics import Diagnostic
from rulewright.keeping import Shelf, key_of, made_by
from rulewright.source import Text

SHELF = Shelf("clauses", most=100, size=16_000_000)


def read_kept_clauses(text: Text, document: str) -> tuple[tuple[ClauseEntry, ...] | None, tuple[Diagnostic, ...]]:
    """As `clause_lists.read_clauses`; a list that was read before by the same reader is not read again."""
    key = key_of(_reader(), document, text.content)
    kept = SHELF.kept(key)
    if kept is not None:
        return tuple(ClauseEntry(*each) for each in json.loads(kept)), ()
    from rulewright.workspace.clause_lists import read_clauses  # noqa: PLC0415 - YAML loads when needed

    entries, diagnostics = read_clauses(text, document)
    if entries is not None and not diagnostics:
        SHELF.keep(key, json.dumps([(each.id, each.where, each.says, each.observable) for each in entries]).encode())
    return entries, diagnostics


@cache
def _reader() -> str:
    return made_by(("analysis/symbols.py", "diagnostics", "inputs", "source", "workspace"), "yaml")
