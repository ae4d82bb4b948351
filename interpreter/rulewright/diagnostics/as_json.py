"""Diagnostics as JSON data; `grammar/schemas/diagnostics.schema.json` describes the form."""

from collections.abc import Iterable, Mapping
from typing import Any

from rulewright.diagnostics.model import Diagnostic, Edit, Label
from rulewright.source import Span, Text

VERSION = 1


def document(diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """A whole document: the version of the form, the diagnostics in the order given, and what a command adds."""
    return {"version": VERSION, "diagnostics": [to_json(each, texts) for each in diagnostics], **more}


def to_json(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> dict[str, Any]:
    """One diagnostic; every key is always there."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": place_json(diagnostic.primary.span, texts) if diagnostic.primary else None,
        "label": diagnostic.primary.text if diagnostic.primary else "",
        "secondary": [_label(label, texts) for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "edits": [_edit(edit, texts) for edit in diagnostic.edits],
        "address": diagnostic.address,
        "pointer": diagnostic.pointer,
    }


def _label(label: Label, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"place": place_json(label.span, texts), "text": label.text}


def _edit(edit: Edit, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"place": place_json(edit.span, texts), "replacement": edit.replacement, "safe": edit.safe}


def place_json(span: Span, texts: Mapping[str, Text]) -> dict[str, Any]:
    """Both ends of a span, the second past its last character; lines and columns are null without the text."""
    text = texts.get(span.source)
    start, end = (text.position(span.start), text.position(span.end)) if text else (None, None)
    return {
        "file": span.source,
        "line": start.line if start else None,
        "column": start.column if start else None,
        "end_line": end.line if end else None,
        "end_column": end.column if end else None,
    }
