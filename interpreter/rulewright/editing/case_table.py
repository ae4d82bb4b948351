"""A scenario written as a table of cases, with what it says as the first row."""

from collections.abc import Iterator

from rulewright.diagnostics import Edit
from rulewright.editing.standing import LiveData
from rulewright.inputs.nodes import Block, Items, Key, Mapping, Node, Scalar, entries_of, one_line, value_under
from rulewright.source import Span, Text

_TABLED = ("script", "expect")
_IN_FLOW = frozenset(",[]{}")


def as_table(live: LiveData, span: Span) -> Edit | None:
    """The edit that gives the scenario whose name stands in a place a table with its answers and what it expects.

    None where the name of no scenario stands there, where it has cases or neither answers nor expectations, or where
    a comment stands in it, for that would be lost.
    """
    text, listed = live.text, entries_of(value_under(live.root, "scenarios"))
    ends = [*(_line(text, key.span.start) for key, _ in listed[1:]), len(text.content)]
    for (key, node), end in zip(listed, ends, strict=False):
        if isinstance(node, Mapping) and _line(text, key.span.start) <= span.end and span.start <= key.span.end:
            return _edit(text, key, node, end)
    return None


def _edit(text: Text, key: Key, node: Mapping, end: int) -> Edit | None:
    start = text.content.index(":", key.span.end) + 1
    said = text.content[start:end].rstrip()
    tabled = [(name, value) for name in _TABLED if (value := node.get(name)) is not None]
    if not tabled or "cases" in node or "#" in said:
        return None
    columns = dict(_columns(text, tabled))
    indent = " " * (key.span.start - _line(text, key.span.start) + 2)
    kept = [f"{indent}{each}" for each in _kept(text, node)]
    rows = (f"[case, {', '.join(columns)}]", f"[as before, {', '.join(columns.values())}]")
    lines = [*kept, f"{indent}cases:", *(f"{indent}  - {row}" for row in rows)]
    return Edit(Span(text.name, start, start + len(said)), "".join(f"\n{each}" for each in lines), safe=False)


def _columns(text: Text, tabled: list[tuple[str, Node]]) -> Iterator[tuple[str, str]]:
    """The columns, each with what stands in it: all answers in one, a column for each sort of expectation."""
    for name, value in tabled:
        if name == "expect" and isinstance(value, Mapping):
            yield from ((f"expect.{key.text}", _cell(text, each)) for key, each in value)
        else:
            yield name, _cell(text, value)


def _kept(text: Text, node: Mapping) -> Iterator[str]:
    """Everything else that the scenario says, a line each."""
    return (f"{key.text}: {_cell(text, each)}" for key, each in node if key.text not in _TABLED)


def _cell(text: Text, node: Node) -> str:
    """A value in one line, its numbers and quotes as they are written."""
    match node:
        case Mapping(entries):
            return f"{{{', '.join(f'{one_line(key.text)}: {_cell(text, each)}' for key, each in entries)}}}"
        case Items(items):
            return f"[{', '.join(_cell(text, each) for each in items)}]"
        case Scalar(value=str() as value) if isinstance(node, Block) or _IN_FLOW & set(value):
            return one_line(value)
        case Scalar(span=span):
            return text.content[span.start : span.end]


def _line(text: Text, place: int) -> int:
    """Where the line of a place begins."""
    return text.content.rfind("\n", 0, place) + 1
