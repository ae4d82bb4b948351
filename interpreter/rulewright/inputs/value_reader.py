"""Typed values out of nodes, with every finding in the words of the game."""

import re
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, assert_never

from rulewright.inputs import plane_values
from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.wording import bounds, did_you_mean, meant, one_of, quoted, shown, there_are
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

FLAGS = {"yes": True, "no": False, "true": True, "false": False}
CELL_KEY = re.compile(r"(-?[0-9]{1,6}), ?(-?[0-9]{1,6})")
_FRACTION = re.compile(r"(-?[0-9]{1,100})/([0-9]{1,100})")


@dataclass(frozen=True)
class ValueReader:
    """Reads values of one play.

    `what` is how messages call the value: `` `morale` of `gawain` ``. A value with something wrong in it is
    `WRONG`, and everything wrong in it has been reported: RW0712 (bounds), RW0713 (another sort of value), RW0714
    (no such thing), RW0715 (no such word), RW0710 and RW0711 (parts of records).

    Of the kinds in `unsure` something is wrong with the things themselves, which was reported: that others name
    things not found among them is then no cause of its own.
    """

    names: Names
    findings: Findings
    unsure: set[str] = field(default_factory=set)

    def read(self, node: Node, target: Type, what: str) -> Value | Wrong:  # noqa: C901, PLR0911, PLR0912
        """The value of a node where a type is wanted."""
        match target:
            case NumberType():
                return self._number(node, target, what)
            case FractionType():
                return self._fraction(node, what)
            case InchesType():
                return plane_values.inches(node, what, self.findings)
            case PlaneType(name):
                return plane_values.value(node, name, what, self)
            case FlagType():
                return self._flag(node, what)
            case TextType():
                return self._text(node, what)
            case WordType(values):
                return self._word(node, values, what)
            case ThingType(kind):
                return self.thing(node, kind, what)
            case DirectionType():
                return self._number(node, NumberType(0, target.count - 1), what)
            case CellType():
                return self._numbers(node, what, "the two numbers of a cell, such as `[2, -1]`")
            case OptionalType(inner):
                return None if is_none(node, inner) else self.read(node, inner, what)
            case SetType(item):
                return self._set(node, item, what)
            case ListType(item) | DeckType(item):
                return self._members(node, item, what)
            case BagType(item):
                members = self._members(node, item, what)
                return members if isinstance(members, Wrong) else in_order(members)
            case TupleType(parts):
                return self._tuple(node, parts, what)
            case RecordType(record):
                return self._record(node, record, what)
            case MapType():
                return self.entries(node, target, zero(target.value), what)
            case NoneType():
                return None if is_none(node, target) else self._other(node, what, "empty")
            case DieType():
                return self._numbers(node, what, "the roll and the place of a die, such as `[0, 2]`")
            case EmptyType() | PoolType():
                return self._other(node, what, "left out, since it cannot be written down")
            case _:
                assert_never(target)

    def field(self, node: Node, target: Type, start: Value, what: str) -> Value | Wrong:
        """The value of a stored field; a map keeps the default of its start."""
        if isinstance(target, MapType):
            default = start.default if isinstance(start, Map) else zero(target.value)
            return self.entries(node, target, default, what)
        return self.read(node, target, what)

    def thing(self, node: Node | Key, kind: str, what: str) -> Value | Wrong:
        """The number of a thing."""
        name = node.text if isinstance(node, Key) else self._name(node, what, f"the name of a {kind}")
        if isinstance(name, Wrong):
            return name
        number = self.names.numbers.get(kind, {}).get(name)
        if number is not None:
            return number
        if kind in self.unsure:
            return WRONG
        if not self.names.ids(kind):
            self.unsure.add(kind)
        remedy = did_you_mean(name, self.names.ids(kind)) or self._listed(kind)
        return self.findings.error("RW0714", node, f"{what} is {quoted(name)}, which is no {kind} here", help=remedy)

    def _listed(self, kind: str) -> str:
        ids = self.names.ids(kind)
        return f"it may be {one_of(ids)}" if ids else f"there is no {kind} at all"

    def _other(self, node: Node, what: str, wanted: str, remedy: str = "") -> Wrong:
        message = f"{what} is {shown(node)}; it must be {wanted}"
        return self.findings.error("RW0713", node, message, help=remedy)

    def _name(self, node: Node, what: str, wanted: str) -> str | Wrong:
        """A text that names something."""
        match node:
            case Scalar(value=str(name)):
                return name
            case Scalar(value=None):
                return self._other(node, what, wanted)
            case Scalar(written=written):
                return self._other(node, what, wanted, f'put a name like this in quotes: `"{written}"`')
            case _:
                return self._other(node, what, wanted)

    def _number(self, node: Node, target: NumberType, what: str) -> Value | Wrong:
        allowed = bounds(target)
        match node:
            case Scalar(value=bool()):
                pass
            case Scalar(value=int(number)):
                if (target.low is None or number >= target.low) and (target.high is None or number <= target.high):
                    return number
                return self.findings.error("RW0712", node, f"{what} is {shown(node)}; it must be {allowed}")
            case Scalar(value=str(written)) if re.fullmatch(r"-?[0-9]+", written):
                return self._other(node, what, _whole(allowed), f"write it without quotes: `{written}`")
        return self._other(node, what, _whole(allowed))

    def _fraction(self, node: Node, what: str) -> Value | Wrong:
        match node:
            case Scalar(value=bool()):
                pass
            case Scalar(value=int() | Fraction() as number):
                return Fraction(number)
            case Scalar(value=str(written)) if (found := _FRACTION.fullmatch(written)) and int(found[2]):
                return Fraction(int(found[1]), int(found[2]))
        return self._other(node, what, 'a number or a fraction such as `"1/3"`')

    def _flag(self, node: Node, what: str) -> Value | Wrong:
        match node:
            case Scalar(value=bool(flag)):
                return flag
            case Scalar(value=str(written)) if written in FLAGS:
                return FLAGS[written]
        return self._other(node, what, "`yes` or `no`")

    def _text(self, node: Node, what: str) -> Value | Wrong:
        match node:
            case Scalar(value=str(text)):
                return text
            case Scalar(value=int() | Fraction(), written=written):
                return self._other(node, what, "a text", f'put it in quotes: `"{written}"`')
        return self._other(node, what, "a text")

    def _word(self, node: Node | Key, values: str, what: str) -> Value | Wrong:
        words = self.names.words(values)
        name = node.text if isinstance(node, Key) else self._name(node, what, one_of(words))
        if isinstance(name, Wrong):
            return name
        if name in words:
            return words.index(name)
        message = f"{what} is {quoted(name)}; it must be {one_of(words)}"
        return self.findings.error("RW0715", node, message, help=did_you_mean(name, words))

    def _numbers(self, node: Node, what: str, wanted: str) -> Value | Wrong:
        match node:
            case Items(items=(Scalar(value=int(first)), Scalar(value=int(second)))) if not (
                isinstance(first, bool) or isinstance(second, bool)
            ):
                return (first, second)
        return self._other(node, what, wanted)

    def _members(self, node: Node, item: Type, what: str) -> tuple[Any, ...] | Wrong:
        if not isinstance(node, Items):
            wanted = "a list"
            remedy = f"write it in brackets: `[{node.written}]`" if isinstance(node, Scalar) and node.written else ""
            return self._other(node, what, wanted, remedy)
        values = [self.read(each, item, f"a member of {what}") for each in node.items]
        return WRONG if WRONG in values else tuple(values)

    def _set(self, node: Node, item: Type, what: str) -> Value | Wrong:
        members = self._members(node, item, what)
        if isinstance(members, Wrong):
            return WRONG
        seen = set()
        assert isinstance(node, Items)
        for each, value in zip(node.items, members, strict=True):
            if value in seen:
                return self.findings.error("RW0713", each, f"{what} has this member twice; a set has each once")
            seen.add(value)
        return make_set(members)

    def _tuple(self, node: Node, parts: tuple[Type, ...], what: str) -> Value | Wrong:
        if not isinstance(node, Items) or len(node.items) != len(parts):
            return self._other(node, what, f"a list of {len(parts)} values")
        values = [self.read(each, part, f"a part of {what}") for each, part in zip(node.items, parts, strict=True)]
        return WRONG if WRONG in values else tuple(values)  # type: ignore[arg-type]

    def _record(self, node: Node, record: str, what: str) -> Value | Wrong:
        fields = {each.name: each for each in self.names.program.records[record].parts}
        if not isinstance(node, Mapping):
            return self._other(node, what, f"a mapping with {one_of(list(fields)).replace(' or ', ' and ')}")
        known = self.known_keys(node, fields, f"a part of {what}")
        misspelt = meant((key.text for key, _ in node), fields)
        values: list[Value | Wrong] = []
        for name, each in fields.items():
            given = node.get(name)
            if given is not None:
                values.append(self.read(given, each.type, f"`{name}` of {what}"))
            elif each.start is not None:
                values.append(start_value(each.start, each.type))
            elif name in misspelt:
                values.append(WRONG)
            else:
                values.append(self.findings.error("RW0711", node, f"{what} lacks `{name}`"))
        return WRONG if WRONG in values or not known else tuple(values)  # type: ignore[arg-type]

    def known_keys(self, node: Mapping, valid: MappingOf[str, object], sort: str) -> bool:
        """Whether all keys are among the valid ones; reports the others as RW0710."""
        unknown = [key for key, _ in node if key.text not in valid]
        for key in unknown:
            remedy = did_you_mean(key.text, valid) or (there_are(list(valid)) if valid else "")
            self.findings.error("RW0710", key, f"{quoted(key.text)} is not {sort}", help=remedy)
        return not unknown

    def entries(self, node: Node, target: MapType, default: Value, what: str) -> Value | Wrong:
        """A map: an object where keys are things or words, or a list of pairs."""
        if isinstance(node, Mapping) and isinstance(target.key, ThingType | WordType):
            pairs = [
                (self._map_key(key, target.key, what), self.read(value, target.value, f"{quoted(key.text)} of {what}"))
                for key, value in node
            ]
        elif isinstance(node, Items):
            pairs = [self._pair(each, target, what) for each in node.items]
        elif isinstance(target.key, ThingType | WordType):
            return self._other(node, what, "a mapping")
        else:
            return self._other(node, what, "a list of pairs `[key, value]`")
        if any(WRONG in pair for pair in pairs):
            return WRONG
        return self._distinct(node, default, pairs, what)

    def _distinct(self, node: Node, default: Value, pairs: Any, what: str) -> Value | Wrong:  # noqa: ANN401
        if len({key for key, _ in pairs}) < len(pairs):
            return self.findings.error("RW0713", node, f"{what} has a key twice")
        return Map.of(default, pairs)

    def _map_key(self, key: Key, target: ThingType | WordType, what: str) -> Value | Wrong:
        if isinstance(target, ThingType):
            return self.thing(key, target.kind, f"a key of {what}")
        return self._word(key, target.values, f"a key of {what}")

    def _pair(self, node: Node, target: MapType, what: str) -> tuple[Value | Wrong, Value | Wrong]:
        if not isinstance(node, Items) or len(node.items) != 2:  # noqa: PLR2004
            return self._other(node, f"an entry of {what}", "a pair `[key, value]`"), WRONG
        key, value = node.items
        return self.read(key, target.key, f"a key of {what}"), self.read(value, target.value, f"an entry of {what}")


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


def _whole(allowed: str) -> str:
    return allowed if allowed.startswith("any") else f"a whole number, {allowed}"
