"""Typed values out of nodes, with every finding in the words of the game."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulewright.base.source import Text
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    ScalarNode,
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
from rulewright.documents.json_data import place_json_data
from rulewright.documents.name_table import NameTable
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, parse_yaml
from rulewright.program.declarations import Field, Setting
from rulewright.program.types import MapType, Type
from rulewright.program.wording import add_article
from rulewright.runtime.codec_protocols import MAX_LENGTH, UnitMeasure
from rulewright.runtime.state import evaluate_start_value
from rulewright.runtime.type_codecs import codec_of, zero_value
from rulewright.runtime.values import GameMap, Value

_DIGIT_WORDS = {1000: "three", 100: "two"}


def initial_value(each: Field | Setting) -> Value:
    """What a field has where nothing is said."""
    start = each.value if isinstance(each, Setting) else each.start
    return None if start is None else evaluate_start_value(start, each.type)


def read_value(node: DocumentNode, target: Type, names: NameTable) -> ReadResult[Value]:
    """The typed value of a node, or what is wrong with it."""
    findings = Findings()
    value = ValueReader(names, findings).read_typed(node, target, "this value")
    return findings.make_result(None if isinstance(value, InvalidValue) else value)


def data_to_node(data: Json, name: str = "answer", most: int = MAX_DOCUMENT_NODES) -> DocumentNode:
    """JSON data as a node, of so many values at most, for those who have it without a text.

    Places are those in its JSON text.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    node = place_json_data(data, name, most)
    if node is not None:
        return node
    outcome = parse_yaml(Text(name, format_json(data)), most)
    if outcome.value is None:
        raise ValueError(outcome.diagnostics[0].message)
    return outcome.value


@dataclass(frozen=True)
class ValueReader:
    """Reads values of one play.

    `what` is how messages call the value: `` `morale` of `gawain` ``. A value with something wrong in it is
    `WRONG`, and everything wrong in it has been reported: RW0712 (bounds), RW0713 (another sort of value), RW0714
    (no such thing), RW0715 (no such word), RW0710 and RW0711 (parts of records).

    Of the kinds in `unknown_kinds` it is not known which things there are, which was reported: that a value names one that is
    not found is then no cause of its own.
    """

    names: NameTable
    findings: Findings
    unknown_kinds: set[str] = field(default_factory=set)

    def read_typed(self, node: DocumentNode, target: Type, what: str) -> Value | InvalidValue:
        """The value of a node where a type is wanted; its shape is judged by the schema of the type."""
        if not document_shapes(self.names.program).value_shape(target).validate_node(node, self.findings, what):
            return INVALID
        value: Value | InvalidValue = self.decode_value(node, target, what)
        return value

    def decode_value(self, node: Any, target: Type, what: str) -> Any:
        """The value of a node that has the shape of the type, or `WRONG`."""
        return codec_of(target).read(target, node, what, self)

    def decode_field(self, node: DocumentNode, target: Type, start: Value, what: str) -> Value | InvalidValue:
        """The value of a stored field that has its shape; a map keeps the default of its start."""
        if isinstance(target, MapType):
            default = start.default if isinstance(start, GameMap) else zero_value(target.value)
            return self.decode_entries(node, target, default, what)
        value: Value | InvalidValue = self.decode_value(node, target, what)
        return value

    def resolve_thing(self, node: ScalarNode, kind: str, what: str) -> int | InvalidValue:
        """The number of a thing that is named."""
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
        """A die by its roll and place, or as it is called (RW0713)."""
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
        """A number as whole parts of its unit (RW0712); one of another unit is rounded, halves away from zero."""
        factor, parts, unit = measure.default_factor, measure.parts, measure.counted
        if isinstance(node.value, str):
            behind = next(unit_factor for unit_factor in measure.unit_factors if node.value.endswith(unit_factor))
            number, factor = Fraction(node.value.removesuffix(behind).strip()), measure.unit_factors[behind]
        else:
            assert isinstance(node.value, int | Fraction)
            number = Fraction(node.value)
        counted = number * factor * parts
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
        """A map that has its shape: an object where keys are things or words, or a list of pairs."""
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
        """The parts, or `WRONG` where one is."""
        return INVALID if INVALID in parts else tuple(parts)

    def map_valid(self, found: Any, make: Callable[[Any], Any]) -> Any:
        """What is made of something found, if it is not wrong."""
        return found if isinstance(found, InvalidValue) else make(found)

    def report_value_error(self, node: DocumentNode, message: str, remedy: str = "") -> InvalidValue:
        """Reports a value that cannot be (RW0713)."""
        return self.findings.add_error("RW0713", node, message, help=remedy)


def _is_merged_map(node: DocumentNode) -> bool:
    """Whether a mapping was laid over another, which may name a word where this one has its title: the later counts."""
    owners = {key.pointer.rpartition("/")[0] for key, _ in node} if isinstance(node, MapNode) else ()
    return len(owners) > 1
