"""Typed values out of nodes, with every finding in the words of the game."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, assert_never

from rulewright.inputs import plane_values
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import WRONG, Findings, Wrong, did_you_mean, one_of, quoted
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import FLAGS, Items, Mapping, Node, Scalar, name_of
from rulewright.machine.constants import start_value
from rulewright.machine.values import Map, Value, in_order, make_set
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)


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
        return self.meaning(node, target, what)

    def meaning(self, node: Any, target: Type, what: str) -> Value | Wrong:  # noqa: ANN401, C901, PLR0911, PLR0912
        """The value of a node that has the shape of the type."""
        match target:
            case NumberType() | DirectionType() | TextType():
                value: Value = node.value
                return value
            case FractionType():
                return Fraction(node.value)
            case InchesType():
                return plane_values.inches(node, what, self.findings)
            case PlaneType(name):
                return plane_values.value(node, name, what, self)
            case FlagType():
                return FLAGS[node.written] if isinstance(node.value, str) else bool(node.value)
            case WordType(values):
                return self.names.words(values).index(node.value)
            case ThingType(kind):
                return self.thing(node, kind, what)
            case CellType() | DieType():
                return node.items[0].value, node.items[1].value
            case OptionalType(inner):
                return None if is_none(node, inner) else self.meaning(node, inner, what)
            case SetType(item):
                return self._set(node, item, what)
            case ListType(item) | DeckType(item):
                return self._members(node, item, what)
            case BagType(item):
                members = self._members(node, item, what)
                return members if isinstance(members, Wrong) else in_order(members)
            case TupleType(parts):
                pairs = zip(node.items, parts, strict=True)
                return _all([self.meaning(each, part, f"a part of {what}") for each, part in pairs])
            case RecordType(record):
                return self._record(node, record, what)
            case MapType():
                return self.entries(node, target, zero(target.value), what)
            case NoneType() | EmptyType() | PoolType():
                return None
            case _:
                assert_never(target)

    def field(self, node: Node, target: Type, start: Value, what: str) -> Value | Wrong:
        """The value of a stored field that has its shape; a map keeps the default of its start."""
        if isinstance(target, MapType):
            default = start.default if isinstance(start, Map) else zero(target.value)
            return self.entries(node, target, default, what)
        return self.meaning(node, target, what)

    def thing(self, node: Scalar, kind: str, what: str) -> Value | Wrong:
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
        return self.findings.error("RW0714", node, f"{what} is {quoted(name)}, which is no {kind} here", help=remedy)

    def _members(self, node: Items, item: Type, what: str) -> tuple[Any, ...] | Wrong:
        return _all([self.meaning(each, item, f"a member of {what}") for each in node.items])

    def _set(self, node: Items, item: Type, what: str) -> Value | Wrong:
        members = self._members(node, item, what)
        if isinstance(members, Wrong):
            return WRONG
        seen = set()
        for each, value in zip(node.items, members, strict=True):
            if value in seen:
                return self.findings.error("RW0713", each, f"{what} has this member twice; a set has each once")
            seen.add(value)
        return make_set(members)

    def _record(self, node: Mapping, record: str, what: str) -> Value | Wrong:
        values: list[Value | Wrong] = []
        for each in self.names.program.records[record].parts:
            given = node.get(each.name)
            if given is not None:
                values.append(self.meaning(given, each.type, f"`{each.name}` of {what}"))
            else:
                assert each.start is not None
                values.append(start_value(each.start, each.type))
        return _all(values)

    def entries(self, node: Node, target: MapType, default: Value, what: str) -> Value | Wrong:
        """A map that has its shape: an object where keys are things or words, or a list of pairs."""
        if isinstance(node, Mapping):
            pairs = [
                (
                    self.meaning(name_of(key), target.key, f"a key of {what}"),
                    self.meaning(value, target.value, f"{quoted(key.text)} of {what}"),
                )
                for key, value in node
            ]
        else:
            assert isinstance(node, Items)
            pairs = [self._pair(each, target, what) for each in node.items]
        if any(WRONG in pair for pair in pairs):
            return WRONG
        if len({key for key, _ in pairs}) < len(pairs):
            return self.findings.error("RW0713", node, f"{what} has a key twice")
        return Map.of(default, pairs)  # type: ignore[arg-type]

    def _pair(self, node: Any, target: MapType, what: str) -> tuple[Value | Wrong, Value | Wrong]:  # noqa: ANN401
        key, value = node.items
        return self.meaning(key, target.key, f"a key of {what}"), self.meaning(
            value, target.value, f"an entry of {what}"
        )


def _all(values: list[Any]) -> tuple[Any, ...] | Wrong:
    return WRONG if WRONG in values else tuple(values)


def is_none(node: Node, inner: Type) -> bool:
    """Whether a node stands for `none`: empty, or the word itself where no text is wanted."""
    match node:
        case Scalar(value=None):
            return True
        case Scalar(value="none"):
            return not isinstance(inner, TextType)
        case _:
            return False


def zero(target: Type) -> Value:  # noqa: PLR0911
    """What a map has where nothing is said: 0 or the lowest number, no, nothing."""
    match target:
        case NumberType(low, high):
            if (low is None or low <= 0) and (high is None or high >= 0):
                return 0
            return high if low is None else max(low, 0)
        case FractionType() | InchesType():
            return Fraction(0)
        case FlagType():
            return False
        case TextType():
            return ""
        case SetType() | ListType() | BagType() | DeckType() | EmptyType():
            return ()
        case MapType(_, value):
            return Map.of(zero(value))
        case TupleType(parts):
            return tuple(zero(each) for each in parts)
        case _:
            return None
