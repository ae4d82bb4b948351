"""What differs between two revisions, as JSON data; `grammar/schemas/diff.schema.json` describes the form."""

from collections.abc import Mapping
from typing import Any

from rulewright.cli.diff_found import Found
from rulewright.cli.diff_sides import Side
from rulewright.comparing.naming import Name
from rulewright.comparing.telling import Told
from rulewright.source import Span, Text

VERSION = 1


def document(found: Found) -> dict[str, Any]:
    """The whole document; every key is always there."""
    verdict, remaining = found.whole.verdict, found.whole.comparison.remaining
    return {
        "version": VERSION,
        "old": _side(found.old),
        "new": _side(found.new),
        "verdict": {"word": verdict.word, "how": verdict.how},
        "layers": found.whole.layers,
        "edits": [_edit(each, found) for each in found.told],
        "unproved": {"old": [_name(each) for each in remaining.old], "new": [_name(each) for each in remaining.new]},
    }


def _side(side: Side) -> dict[str, Any]:
    program = side.program
    return {
        "place": side.asked.written,
        "name": program.name,
        "title": program.title,
        "revision": program.revision,
        "overlays": list(side.asked.overlays),
        "fingerprint": program.fingerprint,
    }


def _edit(each: Told, found: Found) -> dict[str, Any]:
    return {
        "section": each.section,
        "sort": each.sort,
        "group": each.group,
        "place": each.place,
        "text": each.text,
        "cites": list(each.cites),
        "old": _place(each.old, found.old.loaded.texts),
        "new": _place(each.new, found.new.loaded.texts),
    }


def _place(span: Span | None, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    if span is None:
        return None
    position = texts[span.source].position(span.start)
    return {"file": span.source, "line": position.line, "column": position.column}


def _name(name: Name) -> dict[str, str]:
    return {"sort": name.sort, "name": name.name}
