"""Types of the language, and the grids of boards.

As text a type is written as in the language, `0..9`, `set of Unit`, `Unit?`; an inferred type without notation, such as
that of `count(…)`, is put in words, `whole number from 0`. Room `documents` reads, writes and shows their values.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import NameOf, Role

GridStep = tuple[int, int]

GRID_STEPS: dict[str, tuple[GridStep, ...]] = {
    "hex": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    "square": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "square8": ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)),
}
"""Steps to neighbouring cells, in the order of directions, clockwise from 0.

Hexes are axial, direction 0 is (+1, 0); squares have x to the right and y down, direction 0 is (0, -1). `square8` has
corner neighbours too, so that every second direction is a diagonal.
"""

INCHES = "inches"
INCHES_PER_UNIT = {INCHES: Fraction(1), "cm": Fraction(100, 254), "mm": Fraction(10, 254)}
"""Units of lengths on a plane, in inches."""
MAX_DICE = 1_000
"""Most dice of one roll, unless a play allows more."""

PAIRED_FACES = tuple(10 * tens + units for tens in range(1, 7) for units in range(1, 7))
"""Faces of `d66`."""


@dataclass(frozen=True, slots=True)
class NumberType:
    """Whole numbers from low to high, inclusive; an end that is none is open.

    Paired numbers are those of a `d66`: tens and units, each from 1 to 6.
    """

    low: int | None
    high: int | None
    paired: bool = False

    def contains_number(self, number: int) -> bool:
        low_fits = self.low is None or number >= self.low
        high_fits = self.high is None or number <= self.high
        return low_fits and high_fits and (number in PAIRED_FACES or not self.paired)

    def list_numbers(self) -> Sequence[int] | None:
        """All numbers in order; none if an end is open."""
        if self.low is None or self.high is None:
            return None
        whole = range(self.low, self.high + 1)
        return tuple(item for item in whole if item in PAIRED_FACES) if self.paired else whole

    def __str__(self) -> str:
        if self.paired:
            return "d66" if (self.low, self.high) == (11, 66) else f"{self.low}..{self.high} of d66"
        match self.low, self.high:
            case None, None:
                return "whole number"
            case int(), None:
                return f"whole number from {self.low}"
            case None, int():
                return f"whole number up to {self.high}"
            case low, high:
                return f"{low}" if low == high else f"{low}..{high}"


@dataclass(frozen=True, slots=True)
class FractionType:
    """An exact fraction, which must be rounded before it is stored."""

    def __str__(self) -> str:
        return "fraction"


@dataclass(frozen=True, slots=True)
class LengthType:
    """A distance on the plane, in the unit of its board."""

    def __str__(self) -> str:
        return "length"


NUMERIC = (NumberType, FractionType, LengthType)
"""Types of numbers, which can be added."""


@dataclass(frozen=True, slots=True)
class FlagType:
    """`yes` or `no`."""

    def __str__(self) -> str:
        return "flag"


@dataclass(frozen=True, slots=True)
class TextType:
    """Text in quotes."""

    def __str__(self) -> str:
        return "text"


@dataclass(frozen=True, slots=True)
class ThingType:
    """A thing of a kind; `player` is such a kind."""

    kind: Annotated[str, Role.CONTENT, NameOf("kind")]

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class WordType:
    """A word of a `values` list."""

    values: Annotated[str, Role.CONTENT, NameOf("values")]

    def __str__(self) -> str:
        return self.values


@dataclass(frozen=True, slots=True)
class RecordType:
    """A record type; with a name of its own the named results of an external procedure."""

    record: Annotated[str, Role.CONTENT, NameOf("record")]

    def __str__(self) -> str:
        return self.record


@dataclass(frozen=True, slots=True)
class CellType:
    """A cell of a grid, a key of `GRID_STEPS`."""

    space: str

    def __str__(self) -> str:
        return self.space


@dataclass(frozen=True, slots=True)
class DirectionType:
    """A direction of a grid, clockwise from 0."""

    space: str

    @property
    def count(self) -> int:
        """Number of directions of the grid."""
        return len(GRID_STEPS[self.space])

    def __str__(self) -> str:
        return "direction"


@dataclass(frozen=True, slots=True)
class PlaneType:
    """A type of the plane: `point`, `angle`, `pose`, `shape` or `polygon`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class DieType:
    """A rolled die with faces of a type, and the type of the name of its part, if named."""

    face: "Type"
    part: "Type | None" = None

    def __str__(self) -> str:
        return "die" if isinstance(self.face, NumberType) else f"die of {self.face}"


@dataclass(frozen=True, slots=True)
class PoolType:
    """Dice rolled together; iteration visits the kept dice. Names of parts are of one type, or not known."""

    face: "Type"
    part: "Type | None" = None

    def __str__(self) -> str:
        return "pool" if isinstance(self.face, NumberType) else f"pool of {self.face}"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """`T?`; never nested."""

    inner: "Type"

    def __str__(self) -> str:
        return f"{self.inner}?"


@dataclass(frozen=True, slots=True)
class SetType:
    """A set; its order is that of its members."""

    item: "Type"

    def __str__(self) -> str:
        return _render_collection_type("set", self.item)


@dataclass(frozen=True, slots=True)
class ListType:
    """A list in a written order."""

    item: "Type"

    def __str__(self) -> str:
        return _render_collection_type("list", self.item)


@dataclass(frozen=True, slots=True)
class BagType:
    """A hidden bag."""

    item: "Type"

    def __str__(self) -> str:
        return _render_collection_type("bag", self.item)


@dataclass(frozen=True, slots=True)
class DeckType:
    """A hidden deck, top first."""

    item: "Type"

    def __str__(self) -> str:
        return _render_collection_type("deck", self.item)


@dataclass(frozen=True, slots=True)
class MapType:
    """A map with a default and entries."""

    key: "Type"
    value: "Type"

    def __str__(self) -> str:
        return f"map of {self.key} to {self.value}"


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple of values, each of its own type."""

    parts: tuple["Type", ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class NoneType:
    """The type of `none` alone, before it widens to some `T?`."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True, slots=True)
class EmptyType:
    """The item type of `{}` and `[]` alone, before it widens."""

    def __str__(self) -> str:
        return "nothing"


Type = (
    NumberType | FractionType | LengthType | FlagType | TextType | ThingType | WordType | RecordType | CellType
    | DirectionType | PlaneType | DieType | PoolType | OptionalType | SetType | ListType | BagType | DeckType
    | MapType | TupleType | NoneType | EmptyType
)  # fmt: skip
ProvenType = Annotated[Type, Role.PROOF]
"""A type that the checker inferred."""
WrittenType = Annotated[Type, Role.CONTENT]
"""A type that the author wrote."""

WHOLE = NumberType(None, None)
COUNT = NumberType(0, None)
PAIRED = NumberType(PAIRED_FACES[0], PAIRED_FACES[-1], paired=True)
FLAG = FlagType()
TEXT = TextType()
PLAYER = ThingType("player")


def strip_optional(type_: Type) -> Type:
    """The type without its `?`."""
    return type_.inner if isinstance(type_, OptionalType) else type_


def list_held_types(type_: Type) -> tuple[Type, ...]:
    """Types of the values that a value of a type directly holds; none for a record, see its declaration."""
    match type_:
        case OptionalType(inner):
            return (inner,)
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return (item,)
        case MapType(key, value):
            return key, value
        case TupleType(parts):
            return parts
        case _:
            return ()


def get_member_type(type_: Type) -> Type | None:
    """Type of the loop variable over a value, for a map its keys; none for what is no collection."""
    match type_:
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return item
        case MapType(key):
            return key
        case PoolType(face, part):
            return DieType(face, part)
        case _:
            return None


def _render_collection_type(word: str, item: Type) -> str:
    return f"empty {word}" if isinstance(item, EmptyType) else f"{word} of {item}"
