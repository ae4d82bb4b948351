"""What was read from YAML or JSON: plain data with places, as trees of nodes; and data that nobody wrote."""

import dataclasses
from collections.abc import Container, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulewright.frozen import dataclass
from rulewright.source import Span

Plain = int | Fraction | bool | str | None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping as it is written, quotes taken off; the pointer is that of its value."""

    text: str
    span: Span
    pointer: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value.

    Attributes:
        value: a number, flag, text or nothing, as the YAML 1.2 core schema tells them apart.
        written: the text of it, quotes taken off.
        span: with its quotes.
        pointer: JSON pointer from the root.
    """

    value: Plain
    written: str
    span: Span
    pointer: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list; the span of one written in lines is its first line."""

    items: tuple["Node", ...]
    span: Span
    pointer: str


@dataclasses.dataclass(frozen=True)
class Mapping:
    """A mapping with different keys, in the written order; the span of one written in lines is its first line."""

    entries: tuple[tuple[Key, "Node"], ...]
    span: Span
    pointer: str

    @cached_property
    def _by_key(self) -> dict[str, tuple[Key, "Node"]]:
        return {key.text: (key, node) for key, node in self.entries}

    def get(self, key: str) -> "Node | None":
        """The value of a key, or none."""
        found = self._by_key.get(key)
        return found[1] if found else None

    def key(self, key: str) -> Key:
        """The key itself, with its place.

        Raises:
            KeyError: there is no such key.
        """
        return self._by_key[key][0]

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __iter__(self) -> Iterator[tuple[Key, "Node"]]:
        return iter(self.entries)


Node = Scalar | Items | Mapping
Json = int | float | bool | str | None | list["Json"] | dict[str, "Json"]


def child_pointer(pointer: str, step: str | int) -> str:
    """The JSON pointer of an entry (RFC 6901)."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


_NOWHERE = Span("", 0, 0)


def unplaced(data: Json) -> Node:
    """The node of some JSON data, as if it were read."""
    match data:
        case dict():
            return mapping(data)
        case list():
            return Items(tuple(unplaced(each) for each in data), _NOWHERE, "")
        case bool() | None:
            return Scalar(data, {True: "true", False: "false", None: "null"}[data], _NOWHERE, "")
        case float():
            return Scalar(Fraction(str(data)), str(data), _NOWHERE, "")
        case _:
            return Scalar(data, str(data), _NOWHERE, "")


def mapping(data: dict[str, Json]) -> Mapping:
    """The node of a JSON object."""
    return Mapping(tuple((Key(key, _NOWHERE, ""), unplaced(each)) for key, each in data.items()), _NOWHERE, "")


def data_of(node: Node) -> Any:  # noqa: ANN401 - JSON data, with exact numbers
    """The data of a node, as `jsonschema` judges them."""
    match node:
        case Mapping(entries):
            return {key.text: data_of(each) for key, each in entries}
        case Items(items):
            return [data_of(each) for each in items]
        case Scalar(value):
            return value


def without(node: Node, paths: Container[tuple[str, ...]], here: tuple[str, ...] = ()) -> Node:
    """A document without the entries of mappings at some paths from its root."""
    if not isinstance(node, Mapping):
        return node
    left = [(key, each) for key, each in node if (*here, key.text) not in paths]
    kept = tuple((key, without(each, paths, (*here, key.text))) for key, each in left)
    return Mapping(kept, node.span, node.pointer)


def name_of(key: Key) -> Scalar:
    """A key as a text."""
    return Scalar(key.text, key.text, key.span, key.pointer)
