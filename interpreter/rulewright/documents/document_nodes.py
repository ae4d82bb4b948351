"""Document trees: YAML or JSON values as nodes with source spans and JSON pointers, with conversion, merge and format."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.source import NO_SPAN, Span

PlainValue = int | Fraction | bool | str | None
Json = int | float | bool | str | None | list["Json"] | dict[str, "Json"]
MAX_NUMBER_DIGITS = 100
MAX_NESTING = 64
_NUMBER_BOUND = 10**MAX_NUMBER_DIGITS
_NO_PLAIN_DATA = "this is not JSON data within the limits of documents"
_JSON_CONSTANTS = {True: "true", False: "false", None: "null"}
FLAG_SPELLINGS = {"yes": True, "no": False, "true": True, "false": False}
_WHOLE_NUMBER_PATTERN = re.compile(r"[-+]?[0-9]+")
_OCTAL_PATTERN = re.compile(r"0o[0-7]+")
_HEX_PATTERN = re.compile(r"0x[0-9a-fA-F]+")
_DECIMAL_PATTERN = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
_NULL_SPELLINGS = {"", "~", "null", "Null", "NULL"}
_YAML_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_ESCAPED_CHARS_PATTERN = re.compile(
    "[\x7f-\xa0\xad\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]"
)
_MAX_UNQUOTED_CHARS = 100
_UNQUOTED_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./'-]*(?: [A-Za-z0-9_./'-]+)*")
_WORDS_TO_QUOTE = {*FLAG_SPELLINGS, "True", "TRUE", "False", "FALSE", "null", "Null", "NULL"}
_SHAPE_FORMS = tuple(
    map(frozenset, (("radius",), ("parallelogram",), ("columns", "rows"), ("cells",), ("round",), ("width", "length")))
)
"""Keys of each form of a shape, of a board or a thing."""


@dataclass(frozen=True, slots=True)
class MapKey:
    """A mapping key without its quotes; `pointer` is that of its value."""

    text: str
    span: Span
    pointer: str


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A plain value of a document with its place."""

    value: PlainValue  # by the YAML 1.2 core schema
    written: str  # without quotes
    span: Span  # with quotes
    pointer: str  # JSON pointer from the root (RFC 6901)


@dataclass(frozen=True, slots=True)
class BlockScalar(ScalarNode):
    """A literal block (`|`), with the offset in the text at which each of its lines begins."""

    line_starts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list; the span of a block list is its first line."""

    items: tuple["DocumentNode", ...]
    span: Span
    pointer: str


@dataclasses.dataclass(frozen=True)
class MapNode:
    """A mapping with unique keys, in written order; the span of a block mapping is its first line."""

    entries: tuple[tuple[MapKey, "DocumentNode"], ...]
    span: Span
    pointer: str

    @cached_property
    def _by_key(self) -> dict[str, tuple[MapKey, "DocumentNode"]]:
        return {key.text: (key, node) for key, node in self.entries}

    def get(self, key: str) -> "DocumentNode | None":
        items = self._by_key.get(key)
        return items[1] if items else None

    def key(self, key: str) -> MapKey:
        """The key itself, with its span.

        Raises:
            KeyError: there is no such key.
        """
        return self._by_key[key][0]

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __iter__(self) -> Iterator[tuple[MapKey, "DocumentNode"]]:
        return iter(self.entries)


DocumentNode = ScalarNode | ListNode | MapNode


def child_pointer(pointer: str, step: str | int) -> str:
    """JSON pointer of an entry (RFC 6901)."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


def data_to_node(data: Any, most: int | None = None) -> DocumentNode:  # JSON data
    """Node of JSON data that stand in no text, with at most `most` values.

    Raises:
        ValueError: the data is no JSON, or exceeds a limit.
    """
    return _UnplacedNodes(most).make_node(data, 0)


class _UnplacedNodes:
    def __init__(self, most: int | None) -> None:
        self._values_left = most

    def make_node(self, data: Any, depth: int) -> DocumentNode:
        if self._values_left is not None:
            self._values_left -= 1
            if self._values_left < 0:
                raise ValueError(_NO_PLAIN_DATA)
        match data:
            case str():
                return ScalarNode(data, data, NO_SPAN, "")
            case bool() | None:
                return ScalarNode(data, _JSON_CONSTANTS[data], NO_SPAN, "")
            case int() if abs(data) < _NUMBER_BOUND:
                return ScalarNode(data, str(data), NO_SPAN, "")
            case float() if isfinite(data) and (data == 0 or 1 / _NUMBER_BOUND < abs(data) < _NUMBER_BOUND):
                return ScalarNode(parse_plain_scalar(repr(data)), repr(data), NO_SPAN, "")
            case dict() if depth < MAX_NESTING and all(type(key) is str for key in data):
                entries = [(MapKey(key, NO_SPAN, ""), self.make_node(item, depth + 1)) for key, item in data.items()]
                return MapNode(tuple(entries), NO_SPAN, "")
            case list() if depth < MAX_NESTING:
                return ListNode(tuple([self.make_node(item, depth + 1) for item in data]), NO_SPAN, "")
            case _:
                raise ValueError(_NO_PLAIN_DATA)


def make_unplaced_map(data: dict[str, Json]) -> MapNode:
    """`data_to_node` of an object."""
    node = data_to_node(data)
    assert isinstance(node, MapNode)
    return node


def walk_nodes(root: DocumentNode) -> Iterator[DocumentNode]:
    """The root and all nodes below it, in preorder and written order; iterative, so depth is no limit."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case MapNode(entries):
                waiting.extend(item for _, item in reversed(entries))
            case ListNode(items):
                waiting.extend(reversed(items))
            case _:
                pass


def map_entries(node: DocumentNode | None) -> tuple[tuple[MapKey, DocumentNode], ...]:
    """Entries of a mapping in order; empty for any other node."""
    return node.entries if isinstance(node, MapNode) else ()


def walk_entries(root: DocumentNode | None) -> Iterator[tuple[MapKey, DocumentNode]]:
    """Entries of all mappings in a tree, in preorder."""
    return (entry for node in walk_nodes(root) for entry in map_entries(node)) if root is not None else iter(())


def value_under(node: DocumentNode | None, key: str) -> DocumentNode | None:
    """Value of a key in a mapping; `None` where there is no such key, or no mapping."""
    return node.get(key) if isinstance(node, MapNode) else None


def node_to_data(node: DocumentNode) -> Any:  # JSON data, with exact numbers
    """Plain data of a node, with exact numbers, as `jsonschema` takes them."""
    match node:
        case MapNode(entries):
            return {key.text: node_to_data(item) for key, item in entries}
        case ListNode(items):
            return [node_to_data(item) for item in items]
        case ScalarNode(value):
            return value


def remove_paths(node: MapNode, paths: Iterable[tuple[str, ...]]) -> MapNode:
    """Copy of a document without the entries at some key paths; unchanged parts are shared."""
    below = [path for path in paths if path]
    if not below:
        return node
    removed_keys = {path[0] for path in below if len(path) == 1}
    entries: list[tuple[MapKey, DocumentNode]] = []
    for key, map_node in node:
        if key.text not in removed_keys:
            inner = [path[1:] for path in below if path[0] == key.text]
            entries.append((key, remove_paths(map_node, inner) if isinstance(map_node, MapNode) else map_node))
    return MapNode(tuple(entries), node.span, node.pointer)


def key_as_scalar(key: MapKey) -> ScalarNode:
    return ScalarNode(key.text, key.text, key.span, key.pointer)


def parse_plain_scalar(written: str) -> PlainValue:
    """Value of an unquoted scalar, by the YAML 1.2 core schema.

    Decimals are exact, whole where they can be (`1.0` is 1). What YAML calls infinite or not a number stays text.

    Raises:
        OverflowError: a number with more than `MAX_NUMBER_DIGITS` digits.
    """
    if written in _NULL_SPELLINGS:
        return None
    if written in _YAML_FLAGS:
        return _YAML_FLAGS[written]
    if not (written[0] in "+-." or "0" <= written[0] <= "9"):
        return written
    return _parse_number(written)


def _parse_number(written: str) -> PlainValue:
    for pattern, base in ((_WHOLE_NUMBER_PATTERN, 10), (_OCTAL_PATTERN, 8), (_HEX_PATTERN, 16)):
        if pattern.fullmatch(written):
            _check_number_length(written)
            return int(written if base == 10 else written[2:], base)  # noqa: PLR2004
    decimal = _DECIMAL_PATTERN.fullmatch(written)
    if not decimal:
        return written
    _check_number_length(written)
    if abs(int(decimal["exponent"] or 0)) > MAX_NUMBER_DIGITS:
        raise OverflowError
    exact = Fraction(written)
    return exact.numerator if exact.denominator == 1 else exact


def _check_number_length(written: str) -> None:
    if len(written) > MAX_NUMBER_DIGITS:
        raise OverflowError


def format_one_line(data: Json) -> str:
    """JSON data on one line in flow style: `yes`, and texts without quotes where they need none."""
    match data:
        case bool():
            return "yes" if data else "no"
        case str() if _can_be_unquoted(data):
            return data
        case list():
            return f"[{', '.join(map(format_one_line, data))}]"
        case dict():
            return (
                f"{{{', '.join(f'{format_one_line(key)}: {format_one_line(value)}' for key, value in data.items())}}}"
            )
        case _:
            return format_json(data)


def format_json(data: Json, *, indent: int | None = None) -> str:
    """JSON text that `parse_yaml` reads back; characters that are not allowed in a text are escaped."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    return _ESCAPED_CHARS_PATTERN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _can_be_unquoted(text: str) -> bool:
    return (
        len(text) <= _MAX_UNQUOTED_CHARS
        and bool(_UNQUOTED_PATTERN.fullmatch(text))
        and text not in _WORDS_TO_QUOTE
        and parse_plain_scalar(text) == text
    )


def merge_nodes(base: DocumentNode, patch: DocumentNode) -> DocumentNode:
    """Deep merge of a patch over a base: mappings by key, everything else replaced whole.

    A shape that the patch gives in another form replaces the base's. A list of ids over a mapping means the things of
    these ids without attributes, as in a state file.
    """
    if not isinstance(patch, MapNode):
        return patch
    if isinstance(base, ListNode):
        ids = (item for item in base.items if isinstance(item, ScalarNode))
        things = tuple(
            (MapKey(identifier.written, identifier.span, identifier.pointer), make_empty_map(identifier))
            for identifier in ids
        )
        base = MapNode(things, base.span, base.pointer)
    if not isinstance(base, MapNode):
        return patch
    old, new = _shape_form(base), _shape_form(patch)
    return patch if old and new and old != new else merge_map_nodes(base, patch)


def _shape_form(shape: MapNode) -> frozenset[str] | None:
    keys = frozenset(key.text for key, _ in shape)
    listed = len(keys) == 1 and keys < {"columns", "rows"} and isinstance(shape.entries[0][1], ListNode)
    return keys if listed or keys in _SHAPE_FORMS else None


def merge_map_nodes(base: MapNode, patch: MapNode) -> MapNode:
    """Deep merge of two mappings, by key; the place is that of the patch, if it has one."""
    entries = {key.text: (key, node) for key, node in base}
    for key, node in patch:
        below = entries.get(key.text)
        entries[key.text] = (key, node if below is None else merge_nodes(below[1], node))
    place = patch if patch.span.source else base
    return MapNode(tuple(entries.values()), place.span, place.pointer)


def make_empty_map(place: DocumentNode) -> MapNode:
    """Empty mapping with the span and pointer of another node."""
    return MapNode((), place.span, place.pointer)
