"""Values that chance has not decided yet: reckoned with as they are, and decided only where a line has to know.

A `Lot` is one matter of chance, independent of all others, that may have come out in several ways. A `Later` is a
value that hangs on lots: one value for each way in which they come out together, the last lot the fastest. Sums,
comparisons and the like of such values are such values again. Where Python has to know one (a condition, an index, a
member of a set), `Undecided` is raised with it: whoever plays goes on from before that line, once for each value. A
condition or an index may be `Taking` one of its values instead: the play goes on with it, and is played again for the
others alone.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import prod
from operator import index
from typing import Any, NamedTuple, NoReturn

MOST_WAYS = 20_000
"""Values that hang on more ways of lots together are decided one by one."""
_PLAIN = frozenset({int, bool, Fraction, type(None)})


class Lot:
    """A matter of chance: whole numbers that say how often each of its ways comes beside the others."""

    __slots__ = ("taking", "weights")

    def __init__(self, weights: Sequence[int], taking: "Taking | None" = None) -> None:
        self.weights = weights  # they
        self.taking = taking  # what plays that go on took of it and others; none where they take nothing by themselves


Taken = dict[Lot, tuple[Lot, Sequence[int]]]
"""By lot of which some ways are left: the lot of what is left of it and others, and by its ways those of the first."""


class Passed(NamedTuple):
    """A value of which a play took one, the others to be played yet."""

    taken: Taken  # what was taken before
    often: int  # how likely that was: so often ...
    of: int  # ... of so many times
    value: "Later"  # it, as far as it was open; the play took the first
    weights: Sequence[int]  # of its ways


class Taking:
    """What a play took where a line had to know what is left open.

    Attributes:
        stops: numbers of the blocks before which plays stand, so that they may come together there.
        passed_through: those before which they never stand, though lines have to know something there.
        may: whether it takes anything by itself at present.
        taken: what is left since.
        often: how likely what it took is: so often ...
        of: ... of so many times.
        passed: what it did not take, in order.
    """

    __slots__ = ("may", "of", "often", "passed", "passed_through", "stops", "taken")

    def __init__(self) -> None:
        self.stops: set[int] = set()
        self.passed_through: set[int] = set()
        self.begin()

    def begin(self) -> None:
        """A play goes on from where nothing was taken."""
        self.may = False
        self.taken: Taken = {}
        self.often = self.of = 1
        self.passed: list[Passed] = []

    def take(self, value: "Later") -> Any:
        """The first of the values of what is open, taken from here on."""
        lots, one = value.lots, value.values[0]
        weights = ways(lots)
        first = [at for at, each in enumerate(value.values) if each == one]
        lot = Lot([weights[at] for at in first], self)
        self.passed.append(Passed(self.taken, self.often, self.of, value, weights))
        self.often *= sum(lot.weights)
        self.of *= sum(weights)
        self.hang(lots, lot, first)
        return one

    def hang(self, lots: tuple[Lot, ...], lot: Lot, at: Sequence[int]) -> None:
        """Another lot takes the place of some; `at` has for each of its ways which one of theirs together it is."""
        before = [(each, *taken) for each, taken in self.taken.items() if taken[0] in lots]
        self.taken = {**self.taken}
        for each, of, ways_ in (*before, *[(each, each, range(len(each.weights))) for each in lots]):
            came = ways_ if len(lots) == 1 else Later((of,), ways_).over(lots)
            self.taken[each] = lot, [came[way] for way in at]


def sorts(value: "Later") -> dict[Any, list[int]]:
    """By value the ways in which it comes."""
    found: dict[Any, list[int]] = {}
    for at, each in enumerate(value.values):
        found.setdefault(each, []).append(at)
    return found


def narrowed(value: Any, taken: Taken) -> Any:
    """A value once only some ways of some lots are left; plain where it is the same for all.

    Raises:
        Undecided: it hangs on too many ways then.
    """
    if not isinstance(value, Later):
        return value
    lots, values = value.lots, value.values
    if len(lots) == 1:
        if lots[0] not in taken:
            return value
        lot, at = taken[lots[0]]
        return value.made((lot,), [values[each] for each in at])
    if not any(lot in taken for lot in lots):
        return value
    offsets: dict[Lot, list[int]] = {}
    stride = 1
    for each in reversed(lots):
        lot, at = taken.get(each) or (each, range(len(each.weights)))
        here = [stride * way for way in at]
        stride *= len(each.weights)
        offsets[lot] = [*map(operator.add, offsets[lot], here)] if lot in offsets else here
    if prod(map(len, offsets.values())) > MOST_WAYS:
        raise Undecided(value)
    places = [0]
    for steps in offsets.values():
        places = [here + step for here in places for step in steps]
    return value.made(tuple(offsets), [values[each] for each in places])


class Undecided(Exception):  # noqa: N818 - no error: a line has to know a value
    """A line has to know a value that chance has not decided yet."""

    def __init__(self, value: "Later") -> None:
        super().__init__()
        self.value = value  # it
        self.block: int | None = None  # the number of the block with the line; none where plays cannot stand before it


class Later:
    """A value that hangs on lots."""

    __slots__ = ("lots", "values")

    def __init__(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> None:
        self.lots = lots  # what it hangs on
        self.values = values  # its value for each way, all of one type; at least two differ

    def over(self, lots: tuple[Lot, ...]) -> Sequence[Any]:
        """Its values by the ways of some lots, which those that it hangs on are among."""
        if lots == self.lots:
            return self.values
        strides, stride = {}, 1
        for each in reversed(self.lots):
            strides[each] = stride
            stride *= len(each.weights)
        at = [0]
        for each in lots:
            step = strides.get(each, 0)
            at = [here + step * way for here in at for way in range(len(each.weights))]
        return [self.values[here] for here in at]

    def made(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
        """Another one like it; plain where it is the same for all ways."""
        return simplest(lots, values)

    def _taken(self) -> Any:
        value, taking = left(self), self.lots[0].taking
        if not isinstance(value, Later):
            return value
        if taking is None or not taking.may:
            raise Undecided(self)
        return taking.take(value)

    def __bool__(self) -> bool:
        return bool(self._taken())

    def __index__(self) -> int:
        return index(self._taken())

    def _known(self, *_: object) -> NoReturn:
        raise Undecided(self)

    __hash__ = __int__ = __float__ = __len__ = __iter__ = __contains__ = _known
    __getitem__ = __str__ = __repr__ = __format__ = __round__ = __floor__ = __ceil__ = __trunc__ = _known


def ways(lots: Iterable[Lot]) -> Sequence[int]:
    """How often each way of some lots together comes beside the others.

    Raises:
        OverflowError: there are too many of several lots together.
    """
    found: Sequence[int] = (1,)
    for each in lots:
        if len(found) > 1 and len(found) * len(each.weights) > MOST_WAYS:
            raise OverflowError
        found = [one * other for one in found for other in each.weights] if len(found) > 1 else each.weights
    return found


def simplest(lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
    """A value that hangs on lots; plain where it is the same for all ways."""
    first = values[0]
    return first if values.count(first) == len(values) else Later(lots, values)


def applied(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """A function of two values, of which at least one hangs on lots."""
    one, other = left(one), left(other)
    if not isinstance(other, Later):
        if not isinstance(one, Later):
            return function(one, other)
        if type(other) not in _PLAIN:
            raise Undecided(one)
        return simplest(one.lots, [function(each, other) for each in one.values])
    if not isinstance(one, Later):
        if type(one) not in _PLAIN:
            raise Undecided(other)
        return simplest(other.lots, [function(one, each) for each in other.values])
    if one.lots == other.lots:
        return simplest(one.lots, [*map(function, one.values, other.values)])
    lots = one.lots + tuple(each for each in other.lots if each not in one.lots)
    try:
        ways(lots)
    except OverflowError:
        raise Undecided(min(one, other, key=lambda each: len(set(each.values)))) from None
    return simplest(lots, [*map(function, one.over(lots), other.over(lots))])


def left(value: Any) -> Any:
    """A value as far as the play that goes on has taken nothing else.

    Raises:
        Undecided: it hangs on too many ways then.
    """
    if isinstance(value, Later):
        taking = value.lots[0].taking
        if taking is not None and taking.taken:
            return narrowed(value, taking.taken)
    return value


def _both(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return lambda one, other: applied(function, one, other), lambda one, other: applied(function, other, one)


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _plain, _reflected = _both(getattr(operator, _name))
    setattr(Later, f"__{_name}__", _plain)
    setattr(Later, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Later, f"__{_name}__", _both(getattr(operator, _name))[0])


def _alone(function: Callable[[Any], Any]) -> Callable[[Later], Any]:
    def of(one: Later) -> Any:
        found = left(one)
        return simplest(found.lots, [*map(function, found.values)]) if isinstance(found, Later) else function(found)

    return of


for _name in ("neg", "pos", "abs"):
    setattr(Later, f"__{_name}__", _alone(getattr(operator, _name)))


def greatest(one: Any, other: Any, *more: Any) -> Any:
    """The greatest of some numbers."""
    if type(one) is int and type(other) is int and not more:
        return max(one, other)
    return _extreme(max, (one, other, *more))


def least(one: Any, other: Any, *more: Any) -> Any:
    """The least of some numbers."""
    if type(one) is int and type(other) is int and not more:
        return min(one, other)
    return _extreme(min, (one, other, *more))


def _extreme(of: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    if Later not in map(type, values):
        return of(values)
    found = values[0]
    for each in values[1:]:
        hangs = isinstance(found, Later) or isinstance(each, Later)
        found = applied(of, found, each) if hangs else of(found, each)
    return found


def joined(value: Any) -> Any:
    """A record or list whose parts may hang on lots as one value that does.

    Raises:
        Undecided: they hang on too much together.
    """
    if not isinstance(value, tuple):
        return left(value)
    parts = [joined(each) for each in value]
    later = [each for each in parts if isinstance(each, Later)]
    if not later:
        return tuple(parts)
    lots = tuple(dict.fromkeys(lot for each in later for lot in each.lots))
    try:
        many = len(ways(lots))
    except OverflowError:
        raise Undecided(later[0]) from None
    return Later(
        lots, [*zip(*[each.over(lots) if isinstance(each, Later) else [each] * many for each in parts], strict=True)]
    )
