"""Typed values out of nodes, with every finding in the words of the game."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulewright.codecs.schemas import FARTHEST, UnitMeasure
from rulewright.codecs.table import codec, zero
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import WRONG, Findings, Read, Wrong, did_you_mean, in_yaml, one_of, quoted, shown
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar, json_text, name_of
from rulewright.inputs.placing import placed
from rulewright.inputs.yaml_places import MOST_NODES, read
from rulewright.machine.layout import start_value
from rulewright.machine.values import Map, Value
from rulewright.program.declarations import Field, Setting
from rulewright.program.types import MapType, Type
from rulewright.program.wording import a
from rulewright.source import Text

_DIGITS = {1000: "three", 100: "two"}


def starting(each: Field | Setting) -> Value:
    """What a field has where nothing is said."""
    start = each.value if isinstance(each, Setting) else each.start
    return None if start is None else start_value(start, each.type)


def from_node(node: Node, target: Type, names: Names) -> Read[Value]:
    """The typed value of a node, or what is wrong with it."""
    findings = Findings()
    value = ValueReader(names, findings).read(node, target, "this value")
    return findings.read(None if isinstance(value, Wrong) else value)


def node_of(data: Json, name: str = "answer", most: int = MOST_NODES) -> Node:
    """JSON data as a node, of so many values at most, for those who have it without a text.

    Places are those in its JSON text.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    node = placed(data, name, most)
    if node is not None:
        return node
    outcome = read(Text(name, json_text(data)), most)
    if outcome.value is None:
        raise ValueError(outcome.diagnostics[0].message)
    return outcome.value


@dataclass(frozen=True)
class ValueReader:
    """Reads values of one play.

    `what` is how messages call the value: `` `morale` of `gawain` ``. A value with something wrong in it is
    `WRONG`, and everything wrong in it has been reported: RW0712 (bounds), RW0713 (another sort of value), RW0714
    (no such thing), RW0715 (no such word), RW0710 and RW0711 (parts of records).

    Of the kinds in `unsure` it is not known which things there are, which was reported: that a value names one that is
    not found is then no cause of its own.
    """

    names: Names
    findings: Findings
    unsure: set[str] = field(default_factory=set)

    def read(self, node: Node, target: Type, what: str) -> Value | Wrong:
        """The value of a node where a type is wanted; its shape is judged by the schema of the type."""
        if not shapes_of(self.names.program).of(target).judge(node, self.findings, what):
            return WRONG
        value: Value | Wrong = self.meaning(node, target, what)
        return value

    def meaning(self, node: Any, target: Type, what: str) -> Any:
        """The value of a node that has the shape of the type, or `WRONG`."""
        return codec(target).read(target, node, what, self)

    def field(self, node: Node, target: Type, start: Value, what: str) -> Value | Wrong:
        """The value of a stored field that has its shape; a map keeps the default of its start."""
        if isinstance(target, MapType):
            default = start.default if isinstance(start, Map) else zero(target.value)
            return self.entries(node, target, default, what)
        value: Value | Wrong = self.meaning(node, target, what)
        return value

    def thing(self, node: Scalar, kind: str, what: str) -> int | Wrong:
        """The number of a thing that is named."""
        name = node.written
        number = self.names.numbers.get(kind, {}).get(name)
        if number is not None:
            return number
        ids = self.names.ids(kind)
        if kind in self.unsure:
            return WRONG
        self.unsure.update(() if ids else (kind,))
        remedy = did_you_mean(name, ids) or (f"it may be {one_of(ids)}" if ids else f"there is no {kind} at all")
        message = f"{what} is {quoted(name)}, which is not {a(kind)} here"
        return self.findings.error("RW0714", node, message, help=remedy)

    def die(self, node: Any, part: Type | None, what: str) -> tuple[int, int] | Wrong:
        """A die by its roll and place, or as it is called (RW0713)."""
        if isinstance(node, Items):
            roll, place = node.items
            return roll.value, place.value  # type: ignore[union-attr, return-value]
        called = " ".join(node.written.replace("_", " ").split())
        for titled in (False, True):
            dice = {each: self.names.spellings(each, part, titled=titled) for each in self.names.all_dice()}
            found = [die for die, names in dice.items() if called in names]
            if len(found) == 1:
                return found[0]
        remedy = did_you_mean(node.written, [in_yaml(names[0]) for names in dice.values() if names])
        message = f"{what} is {quoted(node.written)}, which is not a die here"
        return self.error(node, message, remedy or "write its roll and its place, such as `[0, 2]`")

    def measure(self, node: Scalar, what: str, measure: UnitMeasure) -> int | Wrong:
        """A number as whole parts of its unit (RW0712); one of another unit is rounded, halves away from zero."""
        factor, parts, unit = measure.alone, measure.parts, measure.counted
        if isinstance(node.value, str):
            behind = next(each for each in measure.sizes if node.value.endswith(each))
            number, factor = Fraction(node.value.removesuffix(behind).strip()), measure.sizes[behind]
        else:
            assert isinstance(node.value, int | Fraction)
            number = Fraction(node.value)
        counted = number * factor * parts
        if abs(counted) > FARTHEST * parts * max(Fraction(1), factor):
            return self.findings.error("RW0712", node, f"{what} is {shown(node)}; it must be within {FARTHEST} {unit}")
        if factor != 1:
            nearest = math.floor(abs(counted) + Fraction(1, 2))
            return nearest if counted > 0 else -nearest
        if counted.denominator == 1:
            return counted.numerator
        message = f"{what} is {shown(node)}; {unit} have at most {_DIGITS[parts]} digits after the point"
        return self.findings.error("RW0712", node, message)

    def entries(self, node: Node, target: MapType, default: Value, what: str) -> Map | Wrong:
        """A map that has its shape: an object where keys are things or words, or a list of pairs."""
        if isinstance(node, Mapping):
            parts: list[Any] = [(name_of(key), value, f"{quoted(key.text)} of {what}") for key, value in node]
        else:
            assert isinstance(node, Items)
            parts = [(*each.items, f"an entry of {what}") for each in node.items if isinstance(each, Items)]
        pairs = [
            (self.meaning(key, target.key, f"a key of {what}"), self.meaning(value, target.value, called))
            for key, value, called in parts
        ]
        if any(WRONG in pair for pair in pairs):
            return WRONG
        if len({key for key, _ in pairs}) < len(pairs) and not _is_laid_over(node):
            return self.findings.error("RW0713", node, f"{what} has a key twice")
        return Map.of(default, dict(pairs).items())

    def whole(self, parts: list[Any]) -> tuple[Any, ...] | Wrong:
        """The parts, or `WRONG` where one is."""
        return WRONG if WRONG in parts else tuple(parts)

    def then(self, found: Any, make: Callable[[Any], Any]) -> Any:
        """What is made of something found, if it is not wrong."""
        return found if isinstance(found, Wrong) else make(found)

    def error(self, node: Node, message: str, remedy: str = "") -> Wrong:
        """Reports a value that cannot be (RW0713)."""
        return self.findings.error("RW0713", node, message, help=remedy)


def _is_laid_over(node: Node) -> bool:
    """Whether a mapping was laid over another, which may name a word where this one has its title: the later counts."""
    owners = {key.pointer.rpartition("/")[0] for key, _ in node} if isinstance(node, Mapping) else ()
    return len(owners) > 1
