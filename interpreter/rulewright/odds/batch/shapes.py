"""Values as whole numbers of 64 bits: how each type whose values are finite is held, and what is not."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.values import Cell, Map, Value
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.types import Type

NONE = -(1 << 62)
"""`none`, below all other values."""
WORD_BITS = 64
MOST_MEMBERS = 62
"""A set that may have more members is wide: its bits lie in memory."""
_MOST_WIDE = 1 << 10
_MOST = 1 << 62


class UnfitError(Exception):
    """Something that plays on the batch path cannot hold or do; the message says what."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """How values are held in one play.

    Numbers, flags, things, words, directions and cells by their number stand for themselves; a set is the bits of its
    members; records, tuples and maps are digits, one for each part or key, of the number of the part among its values.
    Dice, lists and wide sets are held by where they lie in memory.
    """

    program: Program
    things: Mapping[str, int]  # how many of each kind
    cells: Sequence[Cell]  # those of the board and around it, in order

    def size(self, type_: Type) -> int:  # noqa: C901, PLR0911, PLR0912 - one case for each
        """How many values a type has.

        Raises:
            UnfitError: they have no end, or are too many.
        """
        match type_:
            case ty.NumberType(int() as low, int() as high):
                return max(1, high - low + 1)
            case ty.FlagType():
                return 2
            case ty.ThingType(kind):
                return max(1, self.things[kind])
            case ty.WordType(values):
                return len(self.program.values[values].words)
            case ty.DirectionType():
                return type_.count
            case ty.CellType():
                return max(1, len(self.cells))
            case ty.OptionalType(inner):
                return self.size(inner) + 1
            case ty.NoneType() | ty.EmptyType():
                return 1
            case ty.SetType(item):
                return 1 << self.members(item)
            case ty.RecordType() | ty.TupleType() | ty.MapType():
                found = 1
                for part in self.parts(type_):
                    found *= self.size(part)
                if found > _MOST:
                    raise UnfitError(f"{type_} has too many values")
                return found
            case _:
                raise UnfitError(f"values of the type {type_} have no bound")

    def bits(self, item: Type) -> int:
        """How many bits a set has, wide or not.

        Raises:
            UnfitError: they are too many.
        """
        match item:
            case ty.NumberType(int() as low, int() as high) if low >= 0 and high < _MOST_WIDE:
                return high + 1
            case ty.FlagType() | ty.ThingType() | ty.WordType() | ty.DirectionType() | ty.CellType() | ty.EmptyType():
                if (size := self.size(item)) <= _MOST_WIDE:
                    return size
        raise UnfitError(f"a set of {item} may have more than {_MOST_WIDE:,} different members")

    def members(self, item: Type) -> int:
        """How many bits a set has that one number holds.

        Raises:
            UnfitError: they are too many.
        """
        if (bits := self.bits(item)) > MOST_MEMBERS:
            raise UnfitError(
                f"a set of {item} that may have more than {MOST_MEMBERS} different members, inside another value"
            )
        return bits

    def words(self, item: Type) -> int:
        """Of a wide set how many numbers hold it, of another 0.

        Raises:
            UnfitError: they are too many.
        """
        bits = self.bits(item)
        return -(-bits // WORD_BITS) if bits > MOST_MEMBERS else 0

    def is_reference(self, type_: Type) -> bool:
        """Whether a value is held by where it lies in memory: dice, lists and wide sets."""
        match ty.present(type_):
            case ty.PoolType() | ty.DieType() | ty.ListType():
                return True
            case ty.SetType(item):
                try:
                    return self.words(item) > 0
                except UnfitError:
                    return False
            case _:
                return False

    def parts(self, type_: Type) -> tuple[Type, ...]:
        """The types of the digits of a record, a tuple or a map: of a map the values by key, then the default."""
        match type_:
            case ty.RecordType(record):
                if record not in self.program.records:
                    raise UnfitError(f"values of {record} come from elsewhere")
                return tuple(each.type for each in self.program.records[record].parts)
            case ty.TupleType(parts):
                return parts
            case ty.MapType(key, value):
                held = value if isinstance(value, ty.OptionalType) else ty.OptionalType(value)
                return (held,) * (self.members(key) + 1)
            case _:
                raise TypeError(type_)

    def weights(self, type_: Type) -> tuple[int, ...]:
        """What the digits of a record, a tuple or a map count for, the first most."""
        found, weight = [], 1
        for part in reversed(self.parts(type_)):
            found.append(weight)
            weight *= self.size(part)
        return tuple(reversed(found))

    def held(self, value: Any, type_: Type) -> int:  # noqa: PLR0911
        """A value as a number.

        Raises:
            UnfitError: it has none.
        """
        match type_:
            case _ if value is None:
                return NONE
            case ty.OptionalType(inner):
                return self.held(value, inner)
            case ty.CellType():
                if value not in self.cells:
                    raise UnfitError("a cell far off the board")
                return self.cells.index(value)
            case ty.SetType(item):
                self.members(item)
                return self.held_members(value, item)
            case ty.RecordType() | ty.TupleType():
                return self._digits(list(value), type_)
            case ty.MapType(key, _):
                by_key = {self.held(each, key): held for each, held in value.entries.items()}
                every = [by_key.get(number, value.default) for number in range(self.members(key))]
                return self._digits([*every, value.default], type_)
            case ty.NumberType() | ty.FlagType() | ty.ThingType() | ty.WordType() | ty.DirectionType():
                return int(value)
            case _:
                raise UnfitError(f"values of the type {type_}")

    def held_members(self, members: Iterable[Any], item: Type) -> int:
        """The members of a set as bits, of a wide one too.

        Raises:
            UnfitError: one of them has no number.
        """
        return sum(1 << self.held(each, item) for each in members)

    def in_words(self, members: Iterable[Any], item: Type) -> list[int]:
        """The members of a wide set as the numbers that hold them."""
        bits = self.held_members(members, item)
        return [bits >> WORD_BITS * at & (1 << WORD_BITS) - 1 for at in range(self.words(item))]

    def _digits(self, values: list[Any], type_: Type) -> int:
        self.size(type_)
        digits = zip(values, self.parts(type_), self.weights(type_), strict=True)
        return sum(self.number(self.held(value, part), part) * weight for value, part, weight in digits)

    def lowest(self, type_: Type) -> int:
        """What is taken from a value for its number among those of its type."""
        return type_.low or 0 if isinstance(type_, ty.NumberType) else 0

    def number(self, held: int, type_: Type) -> int:
        """The number of a value among those of its type, from 0."""
        if isinstance(type_, ty.OptionalType):
            return 0 if held == NONE else 1 + self.number(held, type_.inner)
        return 0 if held == NONE else held - self.lowest(type_)

    def value(self, number: int, type_: Type) -> Value:  # noqa: PLR0911
        """The value of a number among those of its type."""
        match type_:
            case ty.OptionalType(inner):
                return None if number == 0 else self.value(number - 1, inner)
            case ty.NoneType():
                return None
            case ty.FlagType():
                return bool(number)
            case ty.CellType():
                return self.cells[number]
            case ty.SetType(item):
                return tuple(
                    self.value(each - self.lowest(item), item)
                    for each in range(self.members(item))
                    if number >> each & 1
                )
            case ty.RecordType() | ty.TupleType():
                return tuple(self._values(number, type_))
            case ty.MapType(key, _):
                *entries, default = self._values(number, type_)
                keys = [self.value(each - self.lowest(key), key) for each in range(len(entries))]
                return Map(default, {at: each for at, each in zip(keys, entries, strict=True) if each != default})
            case _:
                return number + self.lowest(type_)

    def _values(self, number: int, type_: Type) -> list[Any]:
        digits = zip(self.parts(type_), self.weights(type_), strict=True)
        return [self.value(number // weight % self.size(part), part) for part, weight in digits]
