"""Quick fixes of diagnostics, and the refactoring of a scenario to a case table."""

from collections.abc import Iterable, Iterator

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.source import Span, Text
from rulewright.documents.document_nodes import (
    BlockScalar,
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    format_one_line,
    map_entries,
    value_under,
)
from rulewright.editor.editor_results import QuickFix
from rulewright.editor.live_text import LiveData


def list_fixes(diagnostics: Iterable[Diagnostic], span: Span) -> tuple[QuickFix, ...]:
    """Quick fixes of the diagnostics that touch a span, safe ones first; edits of one fix are applied together."""
    made = [
        fix
        for diagnostic in diagnostics
        if diagnostic.primary is not None and _spans_touch(diagnostic.primary.span, span)
        for fix in _make_fix(diagnostic)
    ]
    return tuple(sorted(made, key=lambda quick_fix: not quick_fix.is_safe))


def list_safe_fixes(diagnostics: Iterable[Diagnostic]) -> tuple[QuickFix, ...]:
    """Quick fixes that keep the meaning of the rules, without those that overlap an earlier one."""
    taken: list[Span] = []
    fixes: list[QuickFix] = []
    for diagnostic in diagnostics:
        for fix in _make_fix(diagnostic) if diagnostic.is_safe_to_mend else ():
            if not any(_spans_touch(edit.span, span) for edit in fix.edits for span in taken):
                taken += [edit.span for edit in fix.edits]
                fixes.append(fix)
    return tuple(fixes)


def _make_fix(diagnostic: Diagnostic) -> Iterator[QuickFix]:
    if diagnostic.edits and diagnostic.primary is not None:
        yield QuickFix(
            diagnostic.code, diagnostic.message, diagnostic.primary.span, diagnostic.edits, diagnostic.is_safe_to_mend
        )


def _spans_touch(one: Span, other: Span) -> bool:
    return one.source == other.source and one.start <= other.end and other.start <= one.end


_TABLED_KEYS = ("script", "expect")
_FLOW_CHARACTERS = frozenset(",[]{}")


def make_case_table_edit(live: LiveData, span: Span) -> Edit | None:
    """Edit that turns the scenario named at a span into a case table of its answers and expectations.

    None if no scenario is named there, if it has cases or neither answers nor expectations, or if it contains a
    comment, which would be lost.
    """
    text, listed = live.text, map_entries(value_under(live.root, "scenarios"))
    ends = [*(_line_start(text, key.span.start) for key, _ in listed[1:]), len(text.content)]
    for (key, node), end in zip(listed, ends, strict=False):
        if isinstance(node, MapNode) and _line_start(text, key.span.start) <= span.end and span.start <= key.span.end:
            return _make_table_edit(text, key, node, end)
    return None


def _make_table_edit(text: Text, key: MapKey, node: MapNode, end: int) -> Edit | None:
    start = text.content.index(":", key.span.end) + 1
    written = text.content[start:end].rstrip()
    tabled = [(name, value) for name in _TABLED_KEYS if (value := node.get(name)) is not None]
    if not tabled or "cases" in node or "#" in written:
        return None
    columns = dict(_list_table_columns(text, tabled))
    indent = " " * (key.span.start - _line_start(text, key.span.start) + 2)
    remaining = [f"{indent}{remaining_line}" for remaining_line in _remaining_lines(text, node)]
    rows = (f"[case, {', '.join(columns)}]", f"[as before, {', '.join(columns.values())}]")
    lines = [*remaining, f"{indent}cases:", *(f"{indent}  - {row}" for row in rows)]
    return Edit(Span(text.name, start, start + len(written)), "".join(f"\n{line}" for line in lines), safe=False)


def _list_table_columns(text: Text, tabled: list[tuple[str, DocumentNode]]) -> Iterator[tuple[str, str]]:
    """Column heads and cells: one column for all answers, one for each sort of expectation."""
    for name, value in tabled:
        if name == "expect" and isinstance(value, MapNode):
            yield from ((f"expect.{key.text}", _inline_yaml(text, item)) for key, item in value)
        else:
            yield name, _inline_yaml(text, value)


def _remaining_lines(text: Text, node: MapNode) -> Iterator[str]:
    """Entries of the scenario that are no columns, a line each."""
    return (f"{key.text}: {_inline_yaml(text, item)}" for key, item in node if key.text not in _TABLED_KEYS)


def _inline_yaml(text: Text, node: DocumentNode) -> str:
    """Flow style; numbers and quotes as written."""
    match node:
        case MapNode(entries):
            return (
                f"{{{', '.join(f'{format_one_line(key.text)}: {_inline_yaml(text, item)}' for key, item in entries)}}}"
            )
        case ListNode(items):
            return f"[{', '.join(_inline_yaml(text, item) for item in items)}]"
        case ScalarNode(value=str() as value) if isinstance(node, BlockScalar) or _FLOW_CHARACTERS & set(value):
            return format_one_line(value)
        case ScalarNode(span=span):
            return text.content[span.start : span.end]


def _line_start(text: Text, place: int) -> int:
    return text.content.rfind("\n", 0, place) + 1
