# ruff: noqa: SLF001 - a sum looks into its parts
"""Values of the start that note what a play asks of them, so that others with the same answers need not be played."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rulewright.machine.values import Map

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}
Terms = tuple[tuple[int, int], ...]
"""A sum of watched values: by number of the value, in order, how often it counts."""
Asked = tuple[str, Terms, int]
"""Whether a sum and a number are together less than 0, at most 0, or 0."""
_SIDED = ("floordiv", "truediv", "mod", "divmod", "pow", "and", "or", "xor", "lshift", "rshift")
_ALONE = ("abs", "int", "float", "round", "trunc", "floor", "ceil", "invert", "str", "repr", "format")


class Notes:
    """What was asked of watched values in the play that runs."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked: dict[Asked, bool] = {}  # each question once, in order


class Watched:
    """A number, flag, word or thing that stands for itself in a play, and notes every comparison.

    A sum of such values is one, too. Whatever else looks at it sees a number, and that it is this one is noted.
    """

    __slots__ = ("_is_flag", "_notes", "_offset", "_terms", "_value")

    def __init__(self, notes: Notes, terms: Terms, offset: int, value: int, *, is_flag: bool = False) -> None:
        self._notes = notes
        self._terms = terms
        self._offset = offset
        self._value = value
        self._is_flag = is_flag

    @classmethod
    def of(cls, notes: Notes, number: int, value: int) -> "Watched":
        """The watched value of a number."""
        return cls(notes, ((number, 1),), 0, int(value), is_flag=isinstance(value, bool))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What the machine takes it for."""
        return bool if self._is_flag else int

    def _sum(self, other: Any, sign: int, factor: int = 1) -> Any:  # a number of any sort
        """So many times itself, and another with a sign."""
        if type(other) is Watched:
            counts = {number: count * factor for number, count in self._terms}
            for number, count in other._terms:
                counts[number] = counts.get(number, 0) + sign * count
            terms = tuple(sorted((number, count) for number, count in counts.items() if count))
            offset, value = other._offset, other._value
        elif isinstance(other, int):
            terms = self._terms if factor == 1 else tuple([(number, count * factor) for number, count in self._terms])
            offset = value = other
        else:
            return factor * self.seen() + sign * other
        return Watched(self._notes, terms, factor * self._offset + sign * offset, factor * self._value + sign * value)

    def _compared(self, how: str, other: Any, sign: int = 1) -> Any:
        """Whether it is less than, at most or equal to another; with the sign -1 whether the other is."""
        if not isinstance(other, int):
            return _COMPARED[how](sign * self.seen(), sign * other) if hasattr(other, "numerator") else NotImplemented
        found = self._sum(other, -sign, sign)
        told = _COMPARED[how](found._value, 0)
        if found._terms:
            self._notes.asked[how, found._terms, found._offset] = told
        return told

    def seen(self) -> int | bool:
        """The value itself, which is noted."""
        self._notes.asked["=", self._terms, self._offset - self._value] = True
        return bool(self._value) if self._is_flag else self._value

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(other, 1, -1)

    def __neg__(self) -> Any:
        return self._sum(0, 1, -1)

    def __pos__(self) -> "Watched":
        return self

    def __mul__(self, other: Any) -> Any:
        return self._sum(0, 1, other) if type(other) is int else self.seen() * plain(other)

    __rmul__ = __mul__

    def __lt__(self, other: Any) -> Any:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared("<", other, -1)

    def __ge__(self, other: Any) -> Any:
        return self._compared("<=", other, -1)

    def __eq__(self, other: object) -> Any:
        return self._compared("=", other)

    def __ne__(self, other: object) -> Any:
        found = self._compared("=", other)
        return found if found is NotImplemented else not found

    def __bool__(self) -> bool:
        return not self._compared("=", 0)

    def __hash__(self) -> int:
        return hash(self.seen())

    def __index__(self) -> int:
        return int(self.seen())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seen(), name)


def _seen_by(name: str) -> Callable[..., Any]:
    def do(self: Watched, *others: Any) -> Any:
        return getattr(self.seen(), name)(*map(plain, others))

    return do


for _name in (*_ALONE, *_SIDED, *(f"r{each}" for each in _SIDED)):
    setattr(Watched, f"__{_name}__", _seen_by(f"__{_name}__"))


def plain(value: Any) -> Any:  # a value of any type
    """The same with every watched value in it seen."""
    if type(value) is Watched:
        return value.seen()
    if type(value) is tuple:
        return tuple(map(plain, value))
    if type(value) is Map:
        return Map(plain(value.default), {plain(key): plain(each) for key, each in value.entries.items()})
    return value


class Alike:
    """Which values of the start lead through a play in the same way.

    Args:
        asked: what the play asked of them.
        values: by number of a watched value all that it may be.
        base: by number what it is in the play.
    """

    __slots__ = ("_base", "_joint", "_masks", "_of", "_values")

    def __init__(self, asked: Mapping[Asked, bool], values: Sequence[Sequence[Any]], base: Sequence[Any]) -> None:
        self._values = values
        self._base = base
        self._of: dict[int, list[tuple[Asked, bool]]] = {}
        self._joint: dict[tuple[int, int], list[tuple[Asked, bool]]] = {}
        self._masks: dict[int, int] = {}
        for question, told in asked.items():
            numbers = [number for number, _ in question[1]]
            for at, number in enumerate(numbers):
                self._of.setdefault(number, []).append((question, told))
                for other in numbers[at + 1 :]:
                    self._joint.setdefault((number, other), []).append((question, told))

    def mask(self, number: int) -> int:
        """As bits which of its values one may have, all others being as they are in the play."""
        if number not in self._masks:
            base = self._base[number]
            found = 0
            if is_watched(base):
                for at, value in enumerate(self._values[number]):
                    if value == base or (is_watched(value) and self._holds(self._of.get(number, ()), {number: value})):
                        found |= 1 << at
            else:
                found = 1 << self._values[number].index(base)
            self._masks[number] = found
        return self._masks[number]

    def take(self, first: int, second: int, left: list[int]) -> None:
        """Takes out of pairs of values that are left those that two places may have.

        `left` are by position of a value of the first, as bits, those of the second, which comes later.
        """
        joint = self._joint.get((first, second))
        if joint is None:
            mine, others = self.mask(first), ~self.mask(second)
            for at in range(len(left)):
                if mine >> at & 1:
                    left[at] &= others
        elif is_watched(self._base[second]):
            asked = [*joint, *self._of[first], *self._of[second]]
            for at, value in enumerate(self._values[first]):
                if left[at] and is_watched(value):
                    left[at] &= ~self._second(asked, first, value, second, left[at])

    def _second(self, asked: Sequence[tuple[Asked, bool]], first: int, value: Any, second: int, among: int) -> int:
        found = 0
        for at, other in enumerate(self._values[second]):
            if among >> at & 1 and is_watched(other) and self._holds(asked, {first: value, second: other}):
                found |= 1 << at
        return found

    def _holds(self, asked: Iterable[tuple[Asked, bool]], changed: Mapping[int, Any]) -> bool:
        base = self._base
        for (how, terms, offset), told in asked:
            total = offset
            for number, count in terms:
                total += count * (changed[number] if number in changed else base[number])
            if (total < 0 if how == "<" else total <= 0 if how == "<=" else total == 0) is not told:
                return False
        return True


def is_watched(value: object) -> bool:
    """Whether a value of the start can be watched."""
    return isinstance(value, int)
