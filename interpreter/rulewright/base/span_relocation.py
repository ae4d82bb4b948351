"""Relocation of spans after an edit, for incremental parsing and checking."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from operator import is_
from os.path import commonprefix
from typing import Any, Protocol, TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import make_field_reader
from rulewright.base.source import Span

_T = TypeVar("_T")


class SpanInsideEditError(Exception):
    """A span begins or ends in the edited range."""


@dataclass(frozen=True, slots=True)
class EditedRange:
    """One edit of a text: before `start` nothing changed, from `end` on everything moved by `shift`."""

    start: int
    end: int
    shift: int

    def moved(self, span: Span) -> Span:
        """The span after the edit.

        Raises:
            SpanInsideEditError: it begins or ends in the edited range.
        """
        if span.end < self.start:
            return span
        if span.start > self.end:
            return Span(span.source, span.start + self.shift, span.end + self.shift)
        if span.start < self.start and span.end > self.end:
            return Span(span.source, span.start, span.end + self.shift)
        raise SpanInsideEditError


def find_edited_range(old: str, new: str) -> EditedRange:
    """The edit between two versions of a text: what lies between their common prefix and suffix.

    A pure insertion or deletion is aligned to the start of its line where the result is the same.
    """
    start = len(commonprefix((old, new)))  # noqa: RUF071 - of texts
    same = len(commonprefix((old[start:][::-1], new[start:][::-1])))  # noqa: RUF071
    end, by = len(old) - same, len(new) - len(old)
    longer, size = (new if by > 0 else old), abs(by)
    line = longer.rfind("\n", 0, start) + 1
    if start == min(end, end + by) and longer[line:start] == longer[line + size : start + size]:
        start, end = line, end - (start - line)
    return EditedRange(start, end, by)


def find_edited_ranges(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, EditedRange]:
    """The edit of each changed text, by name."""
    return {
        name: find_edited_range(old, after[name])
        for name, old in before.items()
        if name in after and after[name] != old
    }


class SpanShifter(Protocol):
    """Mapping of spans of one text."""

    def moved(self, span: Span) -> Span:
        """The new span.

        Raises:
            SpanInsideEditError: it begins or ends in the edited range.
        """


class SpanRelocator:
    """Maps the spans inside values to their places after edits; a value without moved spans stays the same object."""

    def __init__(self, edited: Mapping[str, SpanShifter]) -> None:
        """Relocates spans of the edited texts, given by name."""
        self._shifters = edited
        self.texts = frozenset(edited)
        self._moved_nodes: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: _T) -> _T:
        """The value with its spans relocated.

        Raises:
            SpanInsideEditError: one of them begins or ends in an edited range.
        """
        if not self._shifters:
            return value
        match value:
            case Span():
                edited = self._shifters.get(value.source)
                return edited.moved(value) if edited is not None else value  # type: ignore[return-value]
            case tuple():
                parts = tuple(map(self, value))
                return value if all(map(is_, parts, value)) else parts  # type: ignore[return-value]
            case _ if dataclasses.is_dataclass(value):
                return self._move_node(value)  # type: ignore[no-any-return]
            case _:
                return value

    def _move_node(self, node: Any) -> Any:
        known = self._moved_nodes.get(id(node))
        if known is None:
            names, values = get_span_fields(node.__class__)
            old = values(node)
            new = tuple(map(self, old))
            changed = {name: now for name, now, was in zip(names, new, old, strict=True) if now is not was}
            known = self._moved_nodes[id(node)] = (node, replace(node, **changed) if changed else node)
        return known[1]


def find_span_sources(value: object) -> frozenset[str]:
    """Names of the texts of all relocated spans in a value."""
    sources, visited = set[str](), set[int]()
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Span):
            sources.add(item.source)
        elif isinstance(item, tuple):
            waiting.extend(item)
        elif dataclasses.is_dataclass(item) and id(item) not in visited:
            visited.add(id(item))
            waiting.extend(get_span_fields(item.__class__)[1](item))
    return frozenset(sources)


@cache
def get_span_fields(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Names of the fields that may hold spans, and a reader of them; `facts` holds proofs, which have none."""
    names = tuple(
        field.name for field in dataclasses.fields(kind) if field.type not in _SPANLESS_TYPES and field.name != "facts"
    )
    return names, make_field_reader(names)


_SPANLESS_TYPES = frozenset({str, int, bool, "str", "int", "bool"})
