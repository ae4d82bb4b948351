"""What a ruleset makes of its documents, as JSON data; `grammar/schemas/trace.schema.json` describes the form."""

from collections.abc import Mapping
from typing import Any

from rulewright.analysis.clauses.trace import Statement, Trace, Traced, TracedDocument
from rulewright.program.declarations import Account, Finding
from rulewright.source import Span, Text

VERSION = 1


def document(found: Trace, texts: Mapping[str, Text]) -> dict[str, Any]:
    """The whole document; every key is always there."""
    return {
        "version": VERSION,
        "fine": not (found.missing or found.unknown),
        "documents": [_document(each, texts) for each in found.documents],
        "missing": [each.entry.id for each in found.missing],
        "unknown": [
            {"clause": each.clause, "nearest": each.nearest, "statement": _statement(each.statement, texts)}
            for each in found.unknown
        ],
        "rulings": [_ruling(each, texts) for each in found.rulings],
    }


def _document(each: TracedDocument, texts: Mapping[str, Text]) -> dict[str, Any]:
    clauses = [_clause(clause, texts) for clause in each.clauses]
    return {"name": each.name, "title": each.title, "listed": each.listed, "clauses": clauses}


def _clause(each: Traced, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "id": each.entry.id,
        "where": each.entry.where,
        "says": each.entry.says,
        "observable": each.entry.observable,
        "answer": each.answer,
        "statements": [_statement(one, texts) for one in each.statements],
        "accounts": [_account(one, texts) for one in each.accounts],
    }


def _statement(each: Statement, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"address": each.address, "title": each.title, "place": _place(each.span, texts)}


def _account(each: Account, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"word": each.word, "reason": each.reason, "place": _place(each.span, texts)}


def _ruling(each: Finding, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"finding": each.id, "text": each.text, "address": each.address, "place": _place(each.span, texts)}


def _place(span: Span, texts: Mapping[str, Text]) -> dict[str, Any]:
    text = texts[span.source]
    position = text.position(span.start)
    return {"file": span.source, "line": position.line, "column": position.column}
