"""JSON data as nodes with the places of their JSON text, without writing and reading that text."""

from typing import Any

from rulewright.inputs.nodes import (
    LONGEST_NUMBER,
    Items,
    Json,
    Key,
    Mapping,
    Node,
    Scalar,
    child_pointer,
    is_written_as_it_is,
    resolve,
)
from rulewright.inputs.yaml_places import DEEPEST, LARGEST_TEXT, MERGE
from rulewright.source import Span

CONSTANTS = {True: "true", False: "false", None: "null"}


def placed(data: Json, name: str, most: int) -> Node | None:
    """The node of data, of so many values at most, as `read` makes it of `json_text`; none of data that are unusual.

    Of these only reading the text says what they are, or what is wrong with them.
    """
    placing = _Placing(name, most)
    try:
        node = placing.node(data, "", 0)
    except (_UnusualError, OverflowError):
        return None
    return node if placing.at <= LARGEST_TEXT else None


class _UnusualError(Exception):
    """Data that are no JSON, or are written with escapes, or go beyond a limit."""


class _Placing:
    """Goes through data as they are written in one line."""

    def __init__(self, name: str, most: int) -> None:
        self.at = 0
        self._name = name
        self._left = most

    def node(self, data: Any, pointer: str, depth: int) -> Node:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            raise _UnusualError
        start = self.at
        kind = type(data)
        if kind is int or kind is float:
            written = repr(data)
            if len(written) > LONGEST_NUMBER or written[-1] in "fn":
                raise _UnusualError
            self.at += len(written)
            return Scalar(data if kind is int else resolve(written), written, self._from(start), pointer)
        if kind is str:
            return Scalar(data, data, self._text(data), pointer)
        if data is None or kind is bool:
            self.at += len(CONSTANTS[data])
            return Scalar(data, CONSTANTS[data], self._from(start), pointer)
        self.at += 1
        if kind is dict:
            entries: list[tuple[Key, Node]] = []
            for key, each in data.items():
                self.at += 2 if entries else 0
                entries.append(self._entry(key, each, pointer, depth))
            self.at += 1
            return Mapping(tuple(entries), self._from(start), pointer)
        if kind is not list:
            raise _UnusualError
        items: list[Node] = []
        for number, each in enumerate(data):
            self.at += 2 if items else 0
            items.append(self.node(each, child_pointer(pointer, number), depth + 1))
        self.at += 1
        return Items(tuple(items), self._from(start), pointer)

    def _entry(self, key: Any, data: Any, pointer: str, depth: int) -> tuple[Key, Node]:
        """An entry, its key first."""
        if type(key) is not str or key == MERGE:
            raise _UnusualError
        below = child_pointer(pointer, key)
        found = Key(key, self._text(key), below)
        self.at += 2
        return found, self.node(data, below, depth + 1)

    def _text(self, text: str) -> Span:
        if not is_written_as_it_is(text):
            raise _UnusualError
        start = self.at
        self.at += len(text) + 2
        return self._from(start)

    def _from(self, start: int) -> Span:
        return Span(self._name, start, self.at)
