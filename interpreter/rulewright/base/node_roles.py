"""Roles of the fields of nodes, the tree walkers that go by them, and the relocation of spans after an edit.

A class of the program or of the syntax tree annotates a field with a role, as in `address: Address`. Without an
annotation, a field that holds nodes is a child, and one of plain values is content. Every pass over trees asks for
roles, so that a new field is seen by all passes or is an error: a class with a field of no role is refused when it is
first walked, and a test walks all of them.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from operator import attrgetter, is_
from types import EllipsisType, NoneType
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin

from rulewright.base.frozen import dataclass, replace
from rulewright.base.source import Span, count_common_ends

_F = TypeVar("_F", bound=Callable[..., Any])


def _cache_typed(function: _F) -> _F:
    return cache(function)  # type: ignore[return-value]


class Role(Enum):
    """Role of a field in tree walks."""

    CONTENT = "content"
    """What the node itself says: plain values, and types that the author wrote."""
    CHILD = "child"
    """Nodes inside it."""
    SCOPE = "scope"
    """Variables of a routine, by index."""
    NAME = "name"
    """The author's name for it."""
    PLACE = "place"
    """Spans and addresses."""
    PROOF = "proof"
    """Results of the checker: types, and expressions that only prove."""
    FACT = "fact"
    """Consequences of the names in it: position of a part, kind of a thing, events of a removal."""
    EFFECT = "effect"
    """Consequences of types and counts in play: bounds of a place."""
    MARGIN = "margin"
    """Clauses it implements, and its origin."""
    WORDS = "words"
    """Text for people: titles, questions."""


Address = Annotated[str, Role.PLACE]
NodeLabel = Annotated[str, Role.NAME]
Clauses = Annotated[tuple[str, ...], Role.MARGIN]
Origin = Annotated[str, Role.MARGIN]
Words = Annotated[str, Role.WORDS]


@dataclass(frozen=True, slots=True)
class NameOf:
    """Marks a field that names something declared, beside its role: `Annotated[str, Role.CONTENT, NameOf("relation")]`."""

    sort: str
    inside: str = ""  # the field with the name of the declaration around it


_CONTENT_TYPES = (str, int, bool, Fraction, NoneType, EllipsisType)


@_cache_typed
def get_field_roles(kind: Any) -> Mapping[str, Role]:
    """Role of every field of a node class, in order of declaration.

    Raises:
        TypeError: the type of a field implies no role.
    """
    result = {field.name: _infer_role(field.type) for field in fields(kind)}
    lacking = [name for name, role in result.items() if role is None]
    if lacking:
        raise TypeError(f"{kind.__name__}: no role for {', '.join(lacking)}")
    return result  # type: ignore[return-value]


def _infer_role(annotation: Any) -> Role | None:
    if get_origin(annotation) is Annotated:
        return annotation.__metadata__[0]  # type: ignore[no-any-return]
    if isinstance(annotation, str):  # the name of a class that comes later
        return Role.CHILD
    if annotation in _CONTENT_TYPES or annotation is ...:
        return Role.CONTENT
    if annotation is Span:
        return Role.PLACE
    if isinstance(annotation, type) and is_dataclass(annotation):
        return Role.CHILD
    inside = {_infer_role(argument) for argument in get_args(annotation)}
    if len(inside) > 1:
        inside.discard(Role.CONTENT)
    return inside.pop() if len(inside) == 1 else None


@_cache_typed
def get_named_fields(kind: Any) -> Mapping[str, NameOf]:
    """Fields of a node class that name something declared."""
    marks = ((field.name, mark) for field in fields(kind) for mark in getattr(field.type, "__metadata__", ()))
    return {name: mark for name, mark in marks if isinstance(mark, NameOf)}


@_cache_typed
def list_fields_of_type(kind: Any, *types: Any) -> tuple[str, ...]:
    """Fields of a node class that are declared with one of some types."""
    return tuple(field.name for field in fields(kind) if field.type in types)


@_cache_typed
def get_field_names(kind: Any, *left_out: Role) -> tuple[str, ...]:
    """Fields of a node class without those of some roles, in order of declaration."""
    return tuple(name for name, role in get_field_roles(kind).items() if role not in left_out)


@_cache_typed
def is_node_class(kind: Any) -> bool:
    """Whether values of a class are nodes: data classes but spans."""
    return is_dataclass(kind) and kind is not Span


@_cache_typed
def _get_child_reader(kind: Any, *also: Role) -> Callable[[Any], tuple[Any, ...]] | None:
    """Reader of the child fields of a class, last field first; none for a class that is no node."""
    if not is_node_class(kind):
        return None
    return make_field_reader(tuple(reversed(_get_child_fields(kind, *also))))


@_cache_typed
def _get_child_fields(kind: Any, *also: Role) -> tuple[str, ...]:
    inside = {Role.CHILD, Role.SCOPE, *also}
    return tuple(name for name, role in get_field_roles(kind).items() if role in inside)


def make_field_reader(fields_: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Reader of some fields of a node, as a tuple."""
    if len(fields_) > 1:
        return attrgetter(*fields_)
    if not fields_:
        return lambda _: ()
    get_only_value = attrgetter(*fields_)
    return lambda node: (get_only_value(node),)


def walk_nodes(root: Any, *also: Role) -> Iterator[Any]:
    """Preorder walk of a node, or a tuple, and all nodes below it; also through fields of the roles `also`."""
    waiting = [root]
    while waiting:
        each = waiting.pop()
        inside = _get_child_reader(each.__class__, *also)
        if inside is not None:
            yield each
            waiting += inside(each)
        elif isinstance(each, tuple):
            waiting += each[::-1]
        elif isinstance(each, Mapping):
            waiting += reversed(tuple(each.values()))


def get_children(node: Any, *also: Role) -> list[Any]:
    """Direct child nodes in written order, tuples flattened; also in fields of the roles `also`."""
    result: list[Any] = []
    inside = None if isinstance(node, tuple) else _get_child_reader(node.__class__, *also)
    values = node if isinstance(node, tuple) else reversed(inside(node)) if inside else ()
    for value in values:
        if isinstance(value, tuple):
            result.extend(get_children(value))
        elif is_node_class(value.__class__):
            result.append(value)
    return result


def map_children(node: Any, change: Callable[[Any], Any], *also: Role) -> Any:
    """Copy of a node or tuple with each child replaced by `change`; the same object if none changes."""
    if isinstance(node, tuple):
        row = tuple(map(change, node))
        return node if all(map(is_, row, node)) else row
    if not is_node_class(node.__class__):
        return node
    changed: dict[str, Any] = {}
    for name in _get_child_fields(node.__class__, *also):
        was = getattr(node, name)
        now = change(was)
        if now is not was:
            changed[name] = now
    return replace(node, **changed) if changed else node


def are_trees_equal(one: Any, other: Any, *left_out: Role) -> bool:
    """Structural equality of two trees, ignoring fields of some roles."""
    pending = [(one, other)]
    while pending:
        one, other = pending.pop()
        if one.__class__ is not other.__class__:
            return False
        if isinstance(one, tuple):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif is_node_class(one.__class__):
            pending.extend(
                (getattr(one, name), getattr(other, name)) for name in get_field_names(one.__class__, *left_out)
            )
        elif one != other:
            return False
    return True


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
    start, same = count_common_ends(old, new)
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
