"""Shapes of values in a kernel: what an i64 that holds a value of a type means.

Numbers, flags, things, words, directions and cells (by number) are their own codes, `none` is below all of them. Sets
of few possible members are bits. All else is an address of words in memory that are never changed: a sequence (list,
deck top first, bag and large set in order) is its length and its members; a map with few possible keys its default and
a value for each key, another its default, a length and its entries in order; a record or tuple its parts. A die is the
address of its entry in a pool, which a re-roll changes in place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.board_geometry import ANGLE
from rulewright.program.declarations import Program
from rulewright.program.types import Type
from rulewright.runtime.values import Cell, GameMap, Value

NONE_CODE = -(1 << 62)
"""Code of `none`, below all other values."""
WORD_BYTES = 8
MAX_EXACT_INTEGER = 1 << 50
"""Bound beyond which numbers give the play back."""
MAX_BITS = 62
"""Largest number of possible members of a set in one word."""
_MAX_INDEX = 1 << 62


class BatchUnsupportedError(Exception):
    """Something that the batch path cannot hold or do; the message says what."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """Its own code."""


@dataclass(frozen=True, slots=True)
class Bits:
    """A set in one word."""

    count: int = field(compare=False)  # of possible members


@dataclass(frozen=True, slots=True)
class SequenceShape:
    """Members of a list, deck, bag or large set."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class DenseMap:
    """A map with a value for each of its possible keys."""

    count: int
    value: "Shape"


@dataclass(frozen=True, slots=True)
class EntryMap:
    """A map with its entries in order."""

    key: "Shape"
    value: "Shape"


@dataclass(frozen=True, slots=True)
class Parts:
    """A record or tuple."""

    parts: tuple["Shape", ...]


@dataclass(frozen=True, slots=True)
class DieShape:
    """A die: the address of its entry."""


@dataclass(frozen=True, slots=True)
class PoolShape:
    """A pool: the number of its dice, then their entries."""


Shape = Scalar | Bits | SequenceShape | DenseMap | EntryMap | Parts | DieShape | PoolShape
SCALAR = Scalar()
DIE, POOL = DieShape(), PoolShape()

StaticWords = Callable[[Sequence[int]], int]
"""Puts words into memory that is not changed, and gives their address."""


@dataclass(frozen=True, slots=True)
class ValueShapes:
    """Shapes and codes of the values of one start."""

    program: Program
    thing_counts: Mapping[str, int]  # by kind
    cells: Sequence[Cell]  # of the boards and around them, in order
    numbers: dict[Any, int]  # of texts, points and outlines, which are only compared
    known: dict[Type, Shape] = field(default_factory=dict, compare=False)
    cell_numbers: dict[Cell, int] = field(default_factory=dict, compare=False)  # by cell, once one is asked for

    def of(self, type_: Type | None) -> Shape:
        """Shape of the values of a type.

        Raises:
            BatchUnsupportedError: they are not held.
        """
        if type_ is None:
            return SCALAR
        result = self.known.get(type_)
        if result is None:
            result = self.known[type_] = self._find_shape(type_)
        return result

    def _find_shape(self, type_: Type) -> Shape:
        match type_:
            case ty.OptionalType(inner):
                return self.of(inner)
            case (
                ty.NumberType() | ty.FlagType() | ty.ThingType() | ty.WordType() | ty.CellType() | ty.DirectionType()
                | ty.NoneType() | ty.EmptyType() | ty.FractionType() | ty.LengthType() | ty.TextType() | ty.PlaneType()
            ):  # fmt: skip
                return SCALAR
            case ty.SetType(item) | ty.BagType(item) | ty.MapType(item) if is_numbered(item):
                raise BatchUnsupportedError(f"{item} in order")
            case ty.SetType(item):
                count = self.count_bits(item)
                return Bits(count) if count else SequenceShape(self.of(item))
            case ty.ListType(item) | ty.DeckType(item) | ty.BagType(item):
                return SequenceShape(self.of(item))
            case ty.MapType(key, value):
                count = self.count_bits(key)
                return DenseMap(count, self.of(value)) if count else EntryMap(self.of(key), self.of(value))
            case ty.TupleType(parts):
                return Parts(tuple([self.of(part) for part in parts]))
            case ty.RecordType(record) if record in self.program.records:
                return Parts(tuple([self.of(part.type) for part in self.program.records[record].parts]))
            case ty.DieType():
                return DIE
            case ty.PoolType():
                return POOL
            case _:
                raise BatchUnsupportedError(f"values of the type {type_}")

    def count_bits(self, item: Type) -> int:
        """Bits of a set in one word; 0 where it may have more members, or others."""
        match item:
            case ty.NumberType(int() as low, int() as high) if low >= 0 and high < MAX_BITS:
                return high + 1
            case ty.FlagType() | ty.ThingType() | ty.WordType() | ty.DirectionType() | ty.CellType() | ty.EmptyType():
                count = self.count_values(item)
                return count if count <= MAX_BITS else 0
        return 0

    def count_values(self, type_: Type) -> int:
        """Number of values of a type that has few.

        Raises:
            BatchUnsupportedError: infinitely many, or too many.
        """
        match type_:
            case ty.NumberType(int() as low, int() as high):
                return max(1, high - low + 1)
            case ty.FlagType():
                return 2
            case ty.ThingType(kind):
                return max(1, self.thing_counts[kind])
            case ty.WordType(values):
                return len(self.program.values[values].words)
            case ty.DirectionType():
                return type_.count
            case ty.CellType():
                return max(1, len(self.cells))
            case ty.OptionalType(inner):
                return self.count_values(inner) + 1
            case ty.NoneType() | ty.EmptyType():
                return 1
            case ty.SetType(item) if self.count_bits(item):
                return 1 << self.count_bits(item)
            case ty.RecordType() | ty.TupleType() | ty.MapType():
                result = 1
                for part in self.list_digits(type_):
                    result *= self.count_values(part)
                if result <= _MAX_INDEX:
                    return result
        raise BatchUnsupportedError(f"values of the type {type_} have no bound, or a high one")

    def list_digits(self, type_: Type) -> tuple[Type, ...]:
        """Types of the parts of a record or tuple; of a map of its values by key, then of its default."""
        match type_:
            case ty.RecordType(record) if record in self.program.records:
                return tuple([part.type for part in self.program.records[record].parts])
            case ty.TupleType(parts):
                return parts
            case ty.MapType(key, value) if self.count_bits(key):
                return (value,) * (self.count_bits(key) + 1)
        raise BatchUnsupportedError(f"values of the type {type_}")

    @staticmethod
    def lowest_value(type_: Type) -> int:
        return type_.low or 0 if isinstance(type_, ty.NumberType) else 0

    def decode_index(self, number: int, type_: Type) -> Value:
        """Value by its index among those of its type."""
        match type_:
            case ty.OptionalType(inner):
                return None if number == 0 else self.decode_index(number - 1, inner)
            case ty.NoneType():
                return None
            case ty.FlagType():
                return bool(number)
            case ty.CellType():
                return self.cells[number]
            case ty.SetType(item):
                members = [at for at in range(self.count_bits(item)) if number >> at & 1]
                return tuple([self.decode_index(at - self.lowest_value(item), item) for at in members])
            case ty.RecordType() | ty.TupleType():
                return tuple(self._decode_digits(number, type_))
            case ty.MapType(key, _):
                *entries, default = self._decode_digits(number, type_)
                keys = [self.decode_index(at - self.lowest_value(key), key) for at in range(len(entries))]
                return GameMap.from_pairs(default, zip(keys, entries, strict=True))
            case _:
                return number + self.lowest_value(type_)

    def _decode_digits(self, number: int, type_: Type) -> list[Value]:
        result = []
        for part in reversed(self.list_digits(type_)):
            number, digit = divmod(number, self.count_values(part))
            result.append(self.decode_index(digit, part))
        return result[::-1]

    def number_cell(self, cell: Cell) -> int | None:
        """Number of a cell; none if it is far off the board."""
        if not self.cell_numbers:
            self.cell_numbers.update({each: number for number, each in enumerate(self.cells)})
        return self.cell_numbers.get(cell)

    def encode(self, value: Any, type_: Type, place: StaticWords) -> int:
        """Code of a value; words of compound values are placed.

        Raises:
            BatchUnsupportedError: the value has none.
        """
        if value is None:
            return NONE_CODE
        if is_numbered(type_):
            return self.numbers.setdefault(value, len(self.numbers))
        match type_:
            case ty.OptionalType(inner):
                return self.encode(value, inner, place)
            case ty.CellType():
                number = self.number_cell(value)
                if number is None:
                    raise BatchUnsupportedError("a cell far off the board")
                return number
            case ty.SetType(item) if self.count_bits(item):
                return sum([1 << self.encode(each, item, place) for each in value])
            case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
                return place([len(value), *[self.encode(each, item, place) for each in value]])
            case ty.MapType(key, inner):
                default = self.encode(value.default, inner, place)
                entries = [(self.encode(k, key, place), self.encode(v, inner, place)) for k, v in value.items()]
                if count := self.count_bits(key):
                    by_key = dict(entries)
                    return place([default, *[by_key.get(at, default) for at in range(count)]])
                return place([default, len(entries), *[code for entry in entries for code in entry]])
            case ty.RecordType() | ty.TupleType():
                types = self.list_digits(type_)
                return place([self.encode(*each, place) for each in zip(value, types, strict=True)])
        if isinstance(self.of(type_), Scalar) and (isinstance(value, int) or _is_whole(value)):
            return int(value)
        raise BatchUnsupportedError(f"values of the type {type_}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def is_numbered(type_: Type) -> bool:
    """Whether a value is held by a number that says only which it is."""
    inner = ty.strip_optional(type_)
    return isinstance(inner, ty.TextType) or (isinstance(inner, ty.PlaneType) and inner != ANGLE)


def is_address(shape: Shape) -> bool:
    """Whether values of the shape lie in memory."""
    return not isinstance(shape, Scalar | Bits)
