"""Run-time values, and their total order (manual, Values and Order)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import Any

from rulewright.program import types as ty
from rulewright.program.declarations import Record


class GameMap:
    """A map with a default and entries; entries equal to the default are left out.

    Immutable, equal by default and entries, hashable. Iteration visits the keys in order. A random entry may be equal
    to the default: it has to become concrete where keys are read.
    """

    __slots__ = ("_hash", "_sorted", "default", "entries")

    def __init__(self, default: "Value", entries: dict["Value", "Value"]) -> None:
        self.default = default
        self.entries = entries
        self._sorted: tuple[Value, ...] | None = None
        self._hash: int | None = None

    @classmethod
    def from_pairs(cls, default: "Value", pairs: Iterable[tuple["Value", "Value"]] = ()) -> "GameMap":
        """A map from pairs; pairs equal to the default are left out."""
        return cls(default, {key: value for key, value in pairs if (value != default) is not False})

    def __getitem__(self, key: "Value") -> "Value":
        return self.entries.get(key, self.default)

    def with_entry(self, key: "Value", value: "Value") -> "GameMap":
        """A copy with one entry changed."""
        if self.entries.get(key, self.default) is value:
            return self
        entries = self.entries.copy()
        if (value == self.default) is True:
            entries.pop(key, None)
        else:
            entries[key] = value
        return GameMap(self.default, entries)

    def keys(self) -> tuple["Value", ...]:
        """Keys of the entries, in order."""
        if self._sorted is None:
            differ = [value != self.default for value in self.entries.values()]
            keys = sort_values(compress(self.entries, differ))
            if all(item is True for item in differ):
                self._sorted = keys
            return keys
        return self._sorted

    def items(self) -> tuple[tuple["Value", "Value"], ...]:
        """Entries, in the order of their keys."""
        return tuple((key, self.entries[key]) for key in self.keys())

    def __iter__(self) -> Iterator["Value"]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return bool(key in self.entries and self.entries[key] != self.default)  # type: ignore[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameMap) and self.default == other.default and self.items() == other.items()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.default, frozenset(self.entries.items())))
        return self._hash

    def __repr__(self) -> str:
        return f"Map({self.default!r}, {dict(self.items())!r})"


@dataclass(frozen=True, slots=True)
class HiddenValue:
    """A concealed value as a player sees it: a bag or deck with its size, or without a number any other value."""

    count: int | None = None

    def __iter__(self) -> Iterator["HiddenValue"]:
        """Its members, concealed."""
        return iter([HiddenValue()] * (self.count or 0))

    def __len__(self) -> int:
        return self.count or 0

    def __bool__(self) -> bool:
        return self.count != 0


Value = int | Fraction | bool | str | None | tuple["Value", ...] | GameMap | HiddenValue
Cell = tuple[int, int]


def order_key(value: Any) -> tuple[Any, ...]:
    """Sort key for values of one type, `none` first."""
    match value:
        case None:
            return (0,)
        case tuple():
            return (1, tuple(map(order_key, value)))
        case GameMap():
            return (1, tuple((order_key(key), order_key(value[key])) for key in value))
        case _:
            return (1, value)


class PartlyShuffledDeck(tuple[Any, ...]):  # noqa: SLOT001 - a tuple takes no slots
    """A deck whose first cards are in uniformly random, unseen order.

    The stored order of these is arbitrary. Decks are equal if their unseen cards are equal as multisets, and the cards
    below in order. Made by odds only.

    Attributes:
        unseen_count: number of cards at the top in unseen order.
    """

    unseen_count: int

    def without_card(self, at: int) -> tuple[Any, ...]:
        """The deck without the card at an index from 0."""
        return make_partly_shuffled((*self[:at], *self[at + 1 :]), self.unseen_count - (at < self.unseen_count))

    def __add__(self, under: tuple[Any, ...]) -> tuple[Any, ...]:
        return make_partly_shuffled((*self, *under), self.unseen_count)

    def _comparison_key(self) -> tuple[Any, ...]:
        return frozenset(Counter(self[: self.unseen_count]).items()), self[self.unseen_count :]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartlyShuffledDeck) and self._comparison_key() == other._comparison_key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._comparison_key())


def make_partly_shuffled(cards: tuple[Any, ...], unseen: int) -> tuple[Any, ...]:
    """A deck whose first `unseen` cards are in unseen order; a plain one if these are all equal."""
    if len(set(cards[:unseen])) < 2:  # noqa: PLR2004
        return tuple(cards)
    deck = PartlyShuffledDeck(cards)
    deck.unseen_count = unseen
    return deck


def sort_values(values: Iterable[Any]) -> tuple[Any, ...]:
    """Values in the order of the language."""
    return tuple(sorted(values, key=order_key))


def make_set(values: Iterable[Any]) -> tuple[Any, ...]:
    """Set of values: in order, without duplicates."""
    return sort_values(set(values))


def has_plain_order(kind: ty.Type) -> bool:
    """Whether Python's order of values of this type is the order of the language."""
    match kind:
        case ty.OptionalType() | ty.MapType() | ty.RecordType() | ty.SetType():
            return False
        case ty.TupleType(parts):
            return all(map(has_plain_order, parts))
        case _:
            return True


def rebuild_value(value: Any, type_: ty.Type, records: Mapping[str, Record], of: Callable[[Any, ty.Type], Any]) -> Any:
    """A value with each direct part replaced by the result of `of` for the part and its type.

    Different parts must stay different.
    """
    match type_:
        case ty.OptionalType(inner):
            return None if value is None else of(value, inner)
        case ty.SetType(item):
            return make_set(of(each, item) for each in value)
        case ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return tuple(of(each, item) for each in value)
        case ty.MapType(key, inner):
            return GameMap(of(value.default, inner), {of(each, key): of(value[each], inner) for each in value})
        case ty.TupleType(parts):
            return tuple(map(of, value, parts))
        case ty.RecordType(record) if record in records:
            return tuple(of(each, part.type) for each, part in zip(value, records[record].parts, strict=True))
        case _:
            return value
