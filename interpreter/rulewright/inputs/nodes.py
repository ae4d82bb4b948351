"""What was read from YAML or JSON: plain data with places, as trees of nodes; and data that nobody wrote."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulewright.frozen import dataclass
from rulewright.source import NOWHERE, Span

Plain = int | Fraction | bool | str | None
Json = int | float | bool | str | None | list["Json"] | dict[str, "Json"]
LONGEST_NUMBER = 100
FLAGS = {"yes": True, "no": False, "true": True, "false": False}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
_NOTHING = {"", "~", "null", "Null", "NULL"}
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOT_AS_IT_IS = re.compile("[\x7f-\xa0\xad\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]")
_LONGEST = 100
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./'-]*(?: [A-Za-z0-9_./'-]+)*")
_QUOTED = {*FLAGS, "True", "TRUE", "False", "FALSE", "null", "Null", "NULL"}
_FORMS = tuple(
    map(frozenset, (("radius",), ("parallelogram",), ("columns", "rows"), ("cells",), ("round",), ("width", "length")))
)
"""The keys of each form of a shape, of a board or a thing."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping as it is written, quotes taken off; the pointer is that of its value."""

    text: str
    span: Span
    pointer: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value."""

    value: Plain  # a number, flag, text or nothing, as the YAML 1.2 core schema tells them apart
    written: str  # the text of it, quotes taken off
    span: Span  # with its quotes
    pointer: str  # JSON pointer from the root


@dataclass(frozen=True, slots=True)
class Block(Scalar):
    """A text of several lines, kept as it is written, with the offset at which each line begins."""

    starts: tuple[int, ...] = ()


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


def child_pointer(pointer: str, step: str | int) -> str:
    """The JSON pointer of an entry (RFC 6901)."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


def unplaced(data: Json) -> Node:
    """The node of some JSON data, as if it were read."""
    match data:
        case dict():
            return mapping(data)
        case list():
            return Items(tuple(unplaced(each) for each in data), NOWHERE, "")
        case bool() | None:
            return Scalar(data, {True: "true", False: "false", None: "null"}[data], NOWHERE, "")
        case float():
            return Scalar(Fraction(str(data)), str(data), NOWHERE, "")
        case _:
            return Scalar(data, str(data), NOWHERE, "")


def mapping(data: dict[str, Json]) -> Mapping:
    """The node of a JSON object."""
    return Mapping(tuple((Key(key, NOWHERE, ""), unplaced(each)) for key, each in data.items()), NOWHERE, "")


def below(root: Node) -> Iterator[Node]:
    """The root and all nodes below it, outermost first, in written order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Mapping(entries):
                waiting.extend(each for _, each in reversed(entries))
            case Items(items):
                waiting.extend(reversed(items))
            case _:
                pass


def entries_of(node: Node | None) -> tuple[tuple[Key, Node], ...]:
    """The entries of a mapping in their order; none of anything else."""
    return node.entries if isinstance(node, Mapping) else ()


def entries_below(root: Node | None) -> Iterator[tuple[Key, Node]]:
    """The entries of all mappings in a tree, outermost first."""
    return (entry for each in below(root) for entry in entries_of(each)) if root is not None else iter(())


def value_under(node: Node | None, key: str) -> Node | None:
    """The value of a key in a mapping; none where there is no such key, or no mapping."""
    return node.get(key) if isinstance(node, Mapping) else None


def data_of(node: Node) -> Any:  # JSON data, with exact numbers
    """The data of a node, as `jsonschema` judges them."""
    match node:
        case Mapping(entries):
            return {key.text: data_of(each) for key, each in entries}
        case Items(items):
            return [data_of(each) for each in items]
        case Scalar(value):
            return value


def without(node: Mapping, paths: Iterable[tuple[str, ...]]) -> Mapping:
    """A document without the entries of mappings at some paths from its root; parts that lack nothing are the same."""
    below = [path for path in paths if path]
    if not below:
        return node
    gone = {path[0] for path in below if len(path) == 1}
    entries: list[tuple[Key, Node]] = []
    for key, each in node:
        if key.text not in gone:
            inner = [path[1:] for path in below if path[0] == key.text]
            entries.append((key, without(each, inner) if isinstance(each, Mapping) else each))
    return Mapping(tuple(entries), node.span, node.pointer)


def name_of(key: Key) -> Scalar:
    """A key as a text."""
    return Scalar(key.text, key.text, key.span, key.pointer)


def resolve(written: str) -> Plain:
    """The value of an unquoted scalar.

    Decimals are exact, whole where they can be (`1.0` is 1). What YAML calls infinite or not a number stays text.

    Raises:
        OverflowError: a number with more than `LONGEST_NUMBER` digits.
    """
    if written in _NOTHING:
        return None
    if written in _FLAGS:
        return _FLAGS[written]
    if not (written[0] in "+-." or "0" <= written[0] <= "9"):
        return written
    return _number(written)


def _number(written: str) -> Plain:
    for pattern, base in ((_WHOLE, 10), (_OCTAL, 8), (_HEX, 16)):
        if pattern.fullmatch(written):
            _check_length(written)
            return int(written if base == 10 else written[2:], base)  # noqa: PLR2004
    decimal = _DECIMAL.fullmatch(written)
    if not decimal:
        return written
    _check_length(written)
    if abs(int(decimal["exponent"] or 0)) > LONGEST_NUMBER:
        raise OverflowError
    exact = Fraction(written)
    return exact.numerator if exact.denominator == 1 else exact


def _check_length(written: str) -> None:
    if len(written) > LONGEST_NUMBER:
        raise OverflowError


def one_line(data: Json) -> str:
    """JSON data in one line as people write it: `yes`, and texts without quotes where they need none."""
    match data:
        case bool():
            return "yes" if data else "no"
        case str() if _is_plain(data):
            return data
        case list():
            return f"[{', '.join(map(one_line, data))}]"
        case dict():
            return f"{{{', '.join(f'{one_line(key)}: {one_line(value)}' for key, value in data.items())}}}"
        case _:
            return json_text(data)


def json_text(data: Json, *, indent: int | None = None) -> str:
    """JSON text that is read again as it is: what is not allowed in a text is written as an escape."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    return _NOT_AS_IT_IS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def is_written_as_it_is(text: str) -> bool:
    """Whether JSON text has no escape for any character of a text."""
    return text.isprintable() and '"' not in text and "\\" not in text and not _NOT_AS_IT_IS.search(text)


def _is_plain(text: str) -> bool:
    """Whether a text is itself without quotes, also in brackets."""
    return len(text) <= _LONGEST and bool(_PLAIN.fullmatch(text)) and text not in _QUOTED and resolve(text) == text


def merged(base: Node, patch: Node) -> Node:
    """The base with what the patch says otherwise: mappings by key, everything else replaced whole.

    So is a shape that the patch gives in another form. A list of ids under a mapping is the things of these ids without
    attributes, as in a state file.
    """
    if not isinstance(patch, Mapping):
        return patch
    if isinstance(base, Items):
        ids = (each for each in base.items if isinstance(each, Scalar))
        things = tuple((Key(each.written, each.span, each.pointer), nothing_at(each)) for each in ids)
        base = Mapping(things, base.span, base.pointer)
    if not isinstance(base, Mapping):
        return patch
    old, new = _form(base), _form(patch)
    return patch if old and new and old != new else merged_mappings(base, patch)


def _form(shape: Mapping) -> frozenset[str] | None:
    """Its keys, if it is a shape; rows alone are a list of how long they are."""
    keys = frozenset(key.text for key, _ in shape)
    listed = len(keys) == 1 and keys < {"columns", "rows"} and isinstance(shape.entries[0][1], Items)
    return keys if listed or keys in _FORMS else None


def merged_mappings(base: Mapping, patch: Mapping) -> Mapping:
    """A mapping with what another says otherwise, by key."""
    entries = {key.text: (key, node) for key, node in base}
    for key, node in patch:
        below = entries.get(key.text)
        entries[key.text] = (key, node if below is None else merged(below[1], node))
    return Mapping(tuple(entries.values()), patch.span, patch.pointer)


def nothing_at(place: Node) -> Mapping:
    """A mapping without entries where something else stands."""
    return Mapping((), place.span, place.pointer)
