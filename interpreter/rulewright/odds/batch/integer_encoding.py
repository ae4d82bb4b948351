"""Encoding of values of finite types as 64-bit integers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.types import Type
from rulewright.runtime.values import Cell, GameMap, Value

NONE_CODE = -(1 << 62)
"""Code of `none`, below all other values."""
WORD_BITS = 64
MAX_NARROW_MEMBERS = 62
"""Largest number of members of a set in one word; the bits of wider sets lie in memory."""
_MAX_WIDE_MEMBERS = 1 << 10
"""Members that a set in memory may have, one bit each; chosen, to bound memory."""
_MAX_VALUES = 1 << 62


class BatchUnsupportedError(Exception):
    """Something that the batch path cannot hold or do; the message says what."""


@dataclass(frozen=True, slots=True)
class IntegerEncoding:
    """Codes of the values of one play.

    Numbers, flags, things, words, directions and cells (by number) are their own codes; a set is a bit mask; records,
    tuples and maps are mixed-radix numbers with a digit for each part or key. Dice, lists and wide sets are addresses.
    """

    program: Program
    thing_counts: Mapping[str, int]  # by kind
    cells: Sequence[Cell]  # of the board and around it, in order

    def count_values(self, type_: Type) -> int:
        """Number of values of a type.

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
            case ty.SetType(item):
                return 1 << self.count_narrow_bits(item)
            case ty.RecordType() | ty.TupleType() | ty.MapType():
                result = 1
                for part in self.digit_types(type_):
                    result *= self.count_values(part)
                if result > _MAX_VALUES:
                    raise BatchUnsupportedError(f"{type_} has too many values")
                return result
            case _:
                raise BatchUnsupportedError(f"values of the type {type_} have no bound")

    def count_set_bits(self, item: Type) -> int:
        """Bits of a set, narrow or wide.

        Raises:
            BatchUnsupportedError: too many.
        """
        match item:
            case ty.NumberType(int() as low, int() as high) if low >= 0 and high < _MAX_WIDE_MEMBERS:
                return high + 1
            case ty.FlagType() | ty.ThingType() | ty.WordType() | ty.DirectionType() | ty.CellType() | ty.EmptyType():
                if (size := self.count_values(item)) <= _MAX_WIDE_MEMBERS:
                    return size
        raise BatchUnsupportedError(f"a set of {item} may have more than {_MAX_WIDE_MEMBERS:,} different members")

    def count_narrow_bits(self, item: Type) -> int:
        """Bits of a one-word set.

        Raises:
            BatchUnsupportedError: too many.
        """
        if (bits := self.count_set_bits(item)) > MAX_NARROW_MEMBERS:
            raise BatchUnsupportedError(
                f"a set of {item} that may have more than {MAX_NARROW_MEMBERS} different members, inside another value"
            )
        return bits

    def count_set_words(self, item: Type) -> int:
        """Words of a wide set; 0 for a narrow one.

        Raises:
            BatchUnsupportedError: too many.
        """
        bits = self.count_set_bits(item)
        return -(-bits // WORD_BITS) if bits > MAX_NARROW_MEMBERS else 0

    def is_reference(self, type_: Type) -> bool:
        """Whether the code is an address: dice, lists and wide sets."""
        match ty.strip_optional(type_):
            case ty.PoolType() | ty.DieType() | ty.ListType():
                return True
            case ty.SetType(item):
                try:
                    return self.count_set_words(item) > 0
                except BatchUnsupportedError:
                    return False
            case _:
                return False

    def digit_types(self, type_: Type) -> tuple[Type, ...]:
        """Types of the digits of a record, tuple or map; of a map the values by key, then the default."""
        match type_:
            case ty.RecordType(record):
                if record not in self.program.records:
                    raise BatchUnsupportedError(f"values of {record} come from elsewhere")
                return tuple(part.type for part in self.program.records[record].parts)
            case ty.TupleType(parts):
                return parts
            case ty.MapType(key, value):
                optional = value if isinstance(value, ty.OptionalType) else ty.OptionalType(value)
                return (optional,) * (self.count_narrow_bits(key) + 1)
            case _:
                raise TypeError(type_)

    def digit_weights(self, type_: Type) -> tuple[int, ...]:
        """Weights of the digits, the first the largest."""
        items, weight = [], 1
        for part in reversed(self.digit_types(type_)):
            items.append(weight)
            weight *= self.count_values(part)
        return tuple(reversed(items))

    def encode_value(self, value: Any, type_: Type) -> int:
        """Raises `BatchUnsupportedError` for a value without a code."""
        match type_:
            case _ if value is None:
                return NONE_CODE
            case ty.OptionalType(inner):
                return self.encode_value(value, inner)
            case ty.CellType():
                if value not in self.cells:
                    raise BatchUnsupportedError("a cell far off the board")
                return self.cells.index(value)
            case ty.SetType(item):
                self.count_narrow_bits(item)
                return self.encode_members(value, item)
            case ty.RecordType() | ty.TupleType():
                return self._encode_digits(list(value), type_)
            case ty.MapType(key, _):
                by_key = {self.encode_value(each, key): entry_value for each, entry_value in value.entries.items()}
                every = [by_key.get(number, value.default) for number in range(self.count_narrow_bits(key))]
                return self._encode_digits([*every, value.default], type_)
            case ty.NumberType() | ty.FlagType() | ty.ThingType() | ty.WordType() | ty.DirectionType():
                return int(value)
            case _:
                raise BatchUnsupportedError(f"values of the type {type_}")

    def encode_members(self, members: Iterable[Any], item: Type) -> int:
        """Bit mask of members, also of a wide set.

        Raises:
            BatchUnsupportedError: a member has no number.
        """
        return sum(1 << self.encode_value(member, item) for member in members)

    def encode_wide_set(self, members: Iterable[Any], item: Type) -> list[int]:
        """Words of a wide set."""
        bits = self.encode_members(members, item)
        return [bits >> WORD_BITS * at & (1 << WORD_BITS) - 1 for at in range(self.count_set_words(item))]

    def _encode_digits(self, values: list[Any], type_: Type) -> int:
        self.count_values(type_)
        digits = zip(values, self.digit_types(type_), self.digit_weights(type_), strict=True)
        return sum(self.index_of_code(self.encode_value(value, part), part) * weight for value, part, weight in digits)

    def lowest_value(self, type_: Type) -> int:
        """Difference between a code and its index among the values of the type."""
        return type_.low or 0 if isinstance(type_, ty.NumberType) else 0

    def index_of_code(self, code: int, type_: Type) -> int:
        """Index of a code among the values of its type, from 0."""
        if isinstance(type_, ty.OptionalType):
            return 0 if code == NONE_CODE else 1 + self.index_of_code(code, type_.inner)
        return 0 if code == NONE_CODE else code - self.lowest_value(type_)

    def decode_value(self, number: int, type_: Type) -> Value:
        """Value of an index, the inverse of `encode_value` and `index_of_code`."""
        match type_:
            case ty.OptionalType(inner):
                return None if number == 0 else self.decode_value(number - 1, inner)
            case ty.NoneType():
                return None
            case ty.FlagType():
                return bool(number)
            case ty.CellType():
                return self.cells[number]
            case ty.SetType(item):
                return tuple(
                    self.decode_value(each - self.lowest_value(item), item)
                    for each in range(self.count_narrow_bits(item))
                    if number >> each & 1
                )
            case ty.RecordType() | ty.TupleType():
                return tuple(self._decode_digits(number, type_))
            case ty.MapType(key, _):
                *entries, default = self._decode_digits(number, type_)
                keys = [self.decode_value(each - self.lowest_value(key), key) for each in range(len(entries))]
                return GameMap(
                    default, {at: entry for at, entry in zip(keys, entries, strict=True) if entry != default}
                )
            case _:
                return number + self.lowest_value(type_)

    def _decode_digits(self, number: int, type_: Type) -> list[Any]:
        digits = zip(self.digit_types(type_), self.digit_weights(type_), strict=True)
        return [self.decode_value(number // weight % self.count_values(part), part) for part, weight in digits]
