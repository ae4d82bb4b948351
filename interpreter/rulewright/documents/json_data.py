"""JSON data as nodes with the places of their JSON text, without writing and reading that text."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.source import Span
from rulewright.documents.document_nodes import (
    MAX_NUMBER_DIGITS,
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    child_pointer,
    needs_no_escape,
    parse_plain_scalar,
)
from rulewright.documents.findings import quote_name
from rulewright.documents.yaml_reader import MAX_NESTING, MAX_TEXT_CHARS, MERGE_KEY

JSON_CONSTANTS = {True: "true", False: "false", None: "null"}


def place_json_data(data: Json, name: str, most: int) -> DocumentNode | None:
    """The node of data, of so many values at most, as `read` makes it of `format_json`; none of data that are unusual.

    Of these only reading the text says what they are, or what is wrong with them.
    """
    placing = _JsonPlacer(name, most)
    try:
        node = placing.place_value(data, "", 0)
    except (_NeedsTextError, OverflowError):
        return None
    return node if placing.offset <= MAX_TEXT_CHARS else None


class _NeedsTextError(Exception):
    """Data that are no JSON, or are written with escapes, or go beyond a limit."""


class _JsonPlacer:
    """Goes through data as they are written in one line."""

    def __init__(self, name: str, most: int) -> None:
        self.offset = 0
        self._name = name
        self._nodes_left = most

    def place_value(self, data: Any, pointer: str, depth: int) -> DocumentNode:
        self._nodes_left -= 1
        if self._nodes_left < 0 or depth > MAX_NESTING:
            raise _NeedsTextError
        start = self.offset
        kind = type(data)
        if kind is int or kind is float:
            written = repr(data)
            if len(written) > MAX_NUMBER_DIGITS or written[-1] in "fn":
                raise _NeedsTextError
            self.offset += len(written)
            return ScalarNode(
                data if kind is int else parse_plain_scalar(written), written, self._span_from(start), pointer
            )
        if kind is str:
            return ScalarNode(data, data, self._place_text(data), pointer)
        if data is None or kind is bool:
            self.offset += len(JSON_CONSTANTS[data])
            return ScalarNode(data, JSON_CONSTANTS[data], self._span_from(start), pointer)
        self.offset += 1
        if kind is dict:
            entries: list[tuple[MapKey, DocumentNode]] = []
            for key, each in data.items():
                self.offset += 2 if entries else 0
                entries.append(self._place_entry(key, each, pointer, depth))
            self.offset += 1
            return MapNode(tuple(entries), self._span_from(start), pointer)
        if kind is not list:
            raise _NeedsTextError
        items: list[DocumentNode] = []
        for number, item in enumerate(data):
            self.offset += 2 if items else 0
            items.append(self.place_value(item, child_pointer(pointer, number), depth + 1))
        self.offset += 1
        return ListNode(tuple(items), self._span_from(start), pointer)

    def _place_entry(self, key: Any, data: Any, pointer: str, depth: int) -> tuple[MapKey, DocumentNode]:
        """An entry, its key first."""
        if type(key) is not str or key == MERGE_KEY:
            raise _NeedsTextError
        below = child_pointer(pointer, key)
        result = MapKey(key, self._place_text(key), below)
        self.offset += 2
        return result, self.place_value(data, below, depth + 1)

    def _place_text(self, text: str) -> Span:
        if not needs_no_escape(text):
            raise _NeedsTextError
        start = self.offset
        self.offset += len(text) + 2
        return self._span_from(start)

    def _span_from(self, start: int) -> Span:
        return Span(self._name, start, self.offset)


_JSON_REMEDY = "JSON data hold mappings, lists, texts, numbers, `True`, `False` and `None`"
_NUMBER_BOUND = 10**MAX_NUMBER_DIGITS
_TYPE_NAMES: Mapping[tuple[type, ...], str] = {
    (int,): "a number",
    (list, tuple): "a list",
    (Mapping,): "a mapping",
    (set, frozenset): "a set",
    (bytes, bytearray): "bytes",
}


def make_data_error(code: str, message: str, remedy: str = "", pointer: str = "") -> Diagnostic:
    """An error of what a program gives."""
    return Diagnostic(code, Severity.ERROR, message, help=remedy, pointer=pointer)


def report_non_mapping(data: Any, what: str) -> Diagnostic:
    """RW0713 for data that are no mapping."""
    remedy = "read the file first, and give the data in it" if what == "state" and isinstance(data, str) else ""
    return make_data_error("RW0713", f"`{what}` is {_describe_value(data)}; it must be a mapping", remedy)


def find_json_error(data: Any, what: str) -> Diagnostic | None:
    """Why data are no JSON data: RW0702 (a limit) or RW0713; none where they are."""
    return next(_find_data_errors(data, what, "", ()), None)


def _find_data_errors(data: Any, what: str, pointer: str, around: tuple[int, ...]) -> Iterator[Diagnostic]:
    if not isinstance(data, Mapping | list | tuple):
        yield from _find_scalar_errors(data, what, pointer)
    elif id(data) in around:
        yield make_data_error("RW0713", f"`{what}` holds itself", "give each value its own copy", pointer)
    elif len(around) > MAX_NESTING:
        yield make_data_error("RW0702", f"lists and mappings in `{what}` are nested more than {MAX_NESTING} deep")
    else:
        for key, item in data.items() if isinstance(data, Mapping) else enumerate(data):
            if isinstance(data, Mapping) and not isinstance(key, str):
                message = f"a key in `{what}` is {_describe_value(key)}; it must be a text"
                yield make_data_error("RW0713", message, "put it in quotes", pointer)
            yield from _find_data_errors(item, what, child_pointer(pointer, key), (*around, id(data)))


def _find_scalar_errors(data: Any, what: str, pointer: str) -> Iterator[Diagnostic]:
    match data:
        case bool() | str() | None:
            return
        case int():
            if abs(data) >= _NUMBER_BOUND:
                message = f"a number in `{what}` has more than {MAX_NUMBER_DIGITS} digits"
                yield make_data_error("RW0702", message, pointer=pointer)
        case float():
            if not math.isfinite(data):
                yield make_data_error(
                    "RW0713", f"`{what}` holds `{data}`, which is not a number to count with", "", pointer
                )
        case _:
            yield make_data_error(
                "RW0713", f"`{what}` holds {_describe_value(data)}, which JSON data cannot hold", _JSON_REMEDY, pointer
            )


def _describe_value(data: Any) -> str:
    """What somebody gave, as they may know it."""
    if isinstance(data, str):
        return f"the text {quote_name(data)}"
    if data is None or isinstance(data, bool | float):
        return f"`{data}`"
    names = (name for types, name in _TYPE_NAMES.items() if isinstance(data, types))
    return next(names, f"a value of the class `{type(data).__name__}`")
