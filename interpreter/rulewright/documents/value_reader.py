"""Typed values from nodes, and JSON data from callers as nodes; every error is reported in the game's words."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.source import Text
from rulewright.documents.document_nodes import (
    MAX_NESTING,
    MAX_NUMBER_DIGITS,
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    ScalarNode,
    child_pointer,
    data_to_node,
    format_json,
    key_as_scalar,
)
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import (
    INVALID,
    Findings,
    InvalidValue,
    ReadResult,
    did_you_mean,
    list_alternatives,
    quote_for_yaml,
    quote_name,
    show_node,
)
from rulewright.documents.name_table import NameTable
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, parse_yaml
from rulewright.program.declarations import Field, Setting
from rulewright.program.types import MapType, Type
from rulewright.program.wording import add_article
from rulewright.runtime.codec_protocols import MAX_LENGTH, UnitMeasure
from rulewright.runtime.state import evaluate_start_value
from rulewright.runtime.type_codecs import codec_of, zero_value
from rulewright.runtime.values import GameMap, Value

_T = TypeVar("_T")
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
    """Error about data that a program gave."""
    return Diagnostic(code, Severity.ERROR, message, help=remedy, pointer=pointer)


def report_non_mapping(data: Any, what: str) -> Diagnostic:
    """RW0713 for data that are no mapping."""
    remedy = "read the file first, and give the data in it" if what == "state" and isinstance(data, str) else ""
    return make_data_error("RW0713", f"`{what}` is {_describe_value(data)}; it must be a mapping", remedy)


def find_json_error(data: Any, what: str) -> Diagnostic | None:
    """RW0702 (a limit) or RW0713 for data that are no JSON; else `None`."""
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
    if isinstance(data, str):
        return f"the text {quote_name(data)}"
    if data is None or isinstance(data, bool | float):
        return f"`{data}`"
    names = (name for types, name in _TYPE_NAMES.items() if isinstance(data, types))
    return next(names, f"a value of the class `{type(data).__name__}`")


_DIGIT_WORDS = {1000: "three", 100: "two"}


def initial_value(each: Field | Setting) -> Value:
    """Start value of a field or setting; `None` where it has none."""
    start = each.value if isinstance(each, Setting) else each.start
    return None if start is None else evaluate_start_value(start, each.type)


def read_value(node: DocumentNode, target: Type, names: NameTable) -> ReadResult[Value]:
    """Typed value of a node, or what is wrong with it."""
    findings = Findings()
    value = ValueReader(names, findings).read_typed(node, target, "this value")
    return findings.make_result(None if isinstance(value, InvalidValue) else value)


def read_data(
    data: Json, read: Callable[[DocumentNode], ReadResult[_T]], name: str, most: int = MAX_DOCUMENT_NODES
) -> ReadResult[_T]:
    """What a reader makes of JSON data that stand in no text.

    Only where it finds anything are the data written as JSON, and read with the places that they have there.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    try:
        node = data_to_node(data, most)
    except ValueError:
        node = None
    result = None if node is None else read(node)
    if result is not None and not result.diagnostics:
        return result
    placed = parse_yaml(Text(name, format_json(data)), most)
    if placed.value is None:
        raise ValueError(placed.diagnostics[0].message)
    return read(placed.value)


@dataclass(frozen=True)
class ValueReader:
    """Decoder of the values of one play.

    `what` is the label of the value in messages: `` `morale` of `gawain` ``. A wrong value is returned as `INVALID` and
    has been reported: RW0712 (bounds), RW0713 (another type), RW0714 (no such thing), RW0715 (no such word), RW0710 and
    RW0711 (parts of records).

    Things of `unknown_kinds` could not be read, which was reported: a reference to one that is missing is no error of
    its own.
    """

    names: NameTable
    findings: Findings
    unknown_kinds: set[str] = field(default_factory=set)

    def read_typed(self, node: DocumentNode, target: Type, what: str) -> Value | InvalidValue:
        """Value of a node; validates its shape against the schema of the type first."""
        if not document_shapes(self.names.program).value_shape(target).validate_node(node, self.findings, what):
            return INVALID
        value: Value | InvalidValue = self.decode_value(node, target, what)
        return value

    def decode_value(self, node: Any, target: Type, what: str) -> Any:
        """Value of a node whose shape is valid, or `INVALID`."""
        return codec_of(target).read(target, node, what, self)

    def decode_field(self, node: DocumentNode, target: Type, start: Value, what: str) -> Value | InvalidValue:
        """Value of a stored field whose shape is valid; a map keeps the default of its start value."""
        if isinstance(target, MapType):
            default = start.default if isinstance(start, GameMap) else zero_value(target.value)
            return self.decode_entries(node, target, default, what)
        value: Value | InvalidValue = self.decode_value(node, target, what)
        return value

    def resolve_thing(self, node: ScalarNode, kind: str, what: str) -> int | InvalidValue:
        """Number of a thing by its id."""
        name = node.written
        number = self.names.thing_numbers.get(kind, {}).get(name)
        if number is not None:
            return number
        ids = self.names.ids_of_kind(kind)
        if kind in self.unknown_kinds:
            return INVALID
        self.unknown_kinds.update(() if ids else (kind,))
        remedy = did_you_mean(name, ids) or (
            f"it may be {list_alternatives(ids)}" if ids else f"there is no {kind} at all"
        )
        message = f"{what} is {quote_name(name)}, which is not {add_article(kind)} here"
        return self.findings.add_error("RW0714", node, message, help=remedy)

    def resolve_die(self, node: Any, part: Type | None, what: str) -> tuple[int, int] | InvalidValue:
        """Die as (roll, position), from that pair or its name (RW0713)."""
        if isinstance(node, ListNode):
            roll, place = node.items
            return roll.value, place.value  # type: ignore[union-attr, return-value]
        called = " ".join(node.written.replace("_", " ").split())
        for titled in (False, True):
            dice = {item: self.names.die_spellings(item, part, titled=titled) for item in self.names.all_dice()}
            items = [die for die, names in dice.items() if called in names]
            if len(items) == 1:
                return items[0]
        remedy = did_you_mean(node.written, [quote_for_yaml(names[0]) for names in dice.values() if names])
        message = f"{what} is {quote_name(node.written)}, which is not a die here"
        return self.report_value_error(node, message, remedy or "write its roll and its place, such as `[0, 2]`")

    def decode_measure(self, node: ScalarNode, what: str, measure: UnitMeasure) -> int | InvalidValue:
        """Number of base units (RW0712); one in another unit is rounded, halves away from zero."""
        factor, parts, unit = measure.default_factor, measure.parts, measure.counted
        if isinstance(node.value, str):
            behind = next(unit_factor for unit_factor in measure.unit_factors if node.value.endswith(unit_factor))
            number: int | Fraction = Fraction(node.value.removesuffix(behind).strip())
            factor = measure.unit_factors[behind]
        else:
            assert isinstance(node.value, int | Fraction)
            number = node.value
        counted = Fraction(number * parts if factor == 1 else number * parts * factor)
        if abs(counted) > MAX_LENGTH * parts * max(Fraction(1), factor):
            return self.findings.add_error(
                "RW0712", node, f"{what} is {show_node(node)}; it must be within {MAX_LENGTH} {unit}"
            )
        if factor != 1:
            nearest = math.floor(abs(counted) + Fraction(1, 2))
            return nearest if counted > 0 else -nearest
        if counted.denominator == 1:
            return counted.numerator
        message = f"{what} is {show_node(node)}; {unit} have at most {_DIGIT_WORDS[parts]} digits after the point"
        return self.findings.add_error("RW0712", node, message)

    def decode_entries(self, node: DocumentNode, target: MapType, default: Value, what: str) -> GameMap | InvalidValue:
        """Map whose shape is valid: an object where keys are things or words, or a list of pairs."""
        if isinstance(node, MapNode):
            parts: list[Any] = [(key_as_scalar(key), value, f"{quote_name(key.text)} of {what}") for key, value in node]
        else:
            assert isinstance(node, ListNode)
            parts = [(*item.items, f"an entry of {what}") for item in node.items if isinstance(item, ListNode)]
        pairs = [
            (self.decode_value(key, target.key, f"a key of {what}"), self.decode_value(value, target.value, called))
            for key, value, called in parts
        ]
        if any(INVALID in pair for pair in pairs):
            return INVALID
        if len({key for key, _ in pairs}) < len(pairs) and not _is_merged_map(node):
            return self.findings.add_error("RW0713", node, f"{what} has a key twice")
        return GameMap.from_pairs(default, dict(pairs).items())

    def collect_parts(self, parts: list[Any]) -> tuple[Any, ...] | InvalidValue:
        """The parts as a tuple, or `INVALID` where one is."""
        return INVALID if INVALID in parts else tuple(parts)

    def map_valid(self, value: Any, make: Callable[[Any], Any]) -> Any:
        """`make` applied to a value that is not `INVALID`."""
        return value if isinstance(value, InvalidValue) else make(value)

    def report_value_error(self, node: DocumentNode, message: str, remedy: str = "") -> InvalidValue:
        """Reports a value that cannot be (RW0713)."""
        return self.findings.add_error("RW0713", node, message, help=remedy)


def _is_merged_map(node: DocumentNode) -> bool:
    owners = {key.pointer.rpartition("/")[0] for key, _ in node} if isinstance(node, MapNode) else ()
    return len(owners) > 1
