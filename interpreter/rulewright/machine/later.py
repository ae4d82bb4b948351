"""Values that chance has not decided yet: reckoned with as they are, and decided only where a line has to know.

A `Lot` is one matter of chance, independent of all others, that may have come out in several ways. A `Later` is a
value that hangs on lots: one value for each way in which they come out together, the last lot the fastest. Sums,
comparisons and the like of such values are such values again. Where Python has to know one (a condition, an index, a
member of a set), `Undecided` is raised with it: whoever plays goes on from before that line, once for each value. A
condition or an index may be `Taking` one of its values instead: the play goes on with it, and is played again for the
others alone.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, prod
from operator import index
from typing import Any, NamedTuple, NoReturn

MOST_WAYS = 20_000
"""Values that hang on more ways of lots together are decided one by one."""
_MOST_POWERS = 100_000
"""So many powers of a polynomial are worked out at most."""
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


class Unthrown(Later):
    """Dice of a roll that lie as chance has it, all of them kept.

    Its values are the dice that may lie there, each way a tuple of pairs: a die, and how many like it there are.
    """

    __slots__ = ("count", "looks")

    def __init__(
        self, lot: Lot, values: Sequence[tuple[tuple[Any, int], ...]], count: int | None, looks: object
    ) -> None:
        super().__init__((lot,), values)
        self.count = count  # how many dice there are; none where that is left open too
        self.looks = looks  # what was seen of them where like ones were last put together; none where they were not

    @property
    def some(self) -> tuple[tuple[Any, int], ...]:
        """Dice that may lie there."""
        return self.values[0]  # type: ignore[no-any-return]

    def made(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
        """Another one like it; where all ways are the same the dice as one of its values has them."""
        found = simplest(lots, values)
        if not isinstance(found, Later):
            return found
        return Unthrown(lots[0], values, same_count(values) if self.count is None else self.count, self.looks)

    def __len__(self) -> int:  # type: ignore[override]
        if self.count is None:
            raise Undecided(self)
        return self.count

    def __getitem__(self, at: int) -> Any:  # type: ignore[override]
        if self.count != 1:
            raise Undecided(self)
        return _Die(self)

    def added(self, worth: Callable[[Any], Any]) -> Any:
        """What all dice are worth together."""
        known: dict[int, Any] = {}
        found = []
        thrown = left(self)
        for dice in thrown.values if isinstance(thrown, Unthrown) else (thrown,):
            total = 0
            for die, many in dice:
                one = known.get(id(die))
                if one is None:
                    one = known[id(die)] = worth(die)
                total += one * many
            found.append(total)
        return simplest(thrown.lots, found) if isinstance(thrown, Unthrown) else found[0]


def same_count(values: Sequence[tuple[tuple[Any, int], ...]]) -> int | None:
    """How many dice lie there in all ways; none where that differs."""
    counts = {sum([many for _, many in dice]) for dice in values}
    return counts.pop() if len(counts) == 1 else None


class LookedError(Exception):
    """Of dice of which only is known what they are worth together more is looked at."""


class AskedMoreError(LookedError):
    """They are worth something together that was not asked of such dice before, and from now on is known of them."""


Asked = list[tuple[int, ...]]
"""What was asked of like dice: each time what one of them is worth, by the way in which it falls."""


class Summed(Unthrown):
    """Dice of a roll of which is only known what they are worth together, in the ways in which that is asked.

    Its values are that. Whoever meets anything else that has to know more raises `LookedError`: the dice themselves
    are nowhere, and so may be many.
    """

    __slots__ = ("_asked", "_dice", "_many")

    def __init__(self, dice: Sequence[Any], count: int, asked: Asked, taking: "Taking | None") -> None:
        """`dice` are those that each of `count` dice may be, equally likely; what is asked of them is added to `asked`.

        Raises:
            LookedError: what is asked of them comes to too many values.
        """
        Later.__init__(self, (Lot((1,), taking),), ((),))
        self.count = self._many = count
        self.looks = None
        self._dice = dice
        self._asked = asked
        if asked:
            self._fall()

    @property
    def some(self) -> tuple[tuple[Any, int], ...]:
        """Dice that may lie there."""
        return ((self._dice[0], self._many),)

    def made(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
        """The same with what is left of the ways."""
        found = Summed(self._dice, self._many, [], lots[0].taking)
        found.lots, found.values, found._asked = lots, values, self._asked
        return found

    def __getitem__(self, at: int) -> NoReturn:  # type: ignore[override]
        raise LookedError

    def added(self, worth: Callable[[Any], Any]) -> Any:
        """What all dice are worth together.

        Raises:
            AskedMoreError: that was not asked before, and something else was.
            LookedError: it is no whole number, or there are too many.
        """
        each = tuple([worth(die) for die in self._dice])
        if not all(isinstance(one, int) for one in each):
            raise LookedError
        if each not in self._asked:
            self._asked.append(each)
            if len(self._asked) > 1:
                raise AskedMoreError
        if not self.values[0]:
            self._fall()
        place, now = self._asked.index(each), left(self)
        return simplest(now.lots, [value[place] for value in now.values])

    def _fall(self) -> None:
        totals = thrown_together(Counter(zip(*self._asked, strict=True)), self._many)
        self.lots, self.values = (Lot([*totals.values()], self.lots[0].taking),), [*totals]


def thrown_together(worths: Mapping[tuple[int, ...], int], count: int) -> dict[tuple[int, ...], int]:
    """How often so many dice come to each sum, by what one is worth how often, in several ways at once.

    The sums are written as the digits of one number. The powers of a polynomial follow one from the other, each from
    those just below it.

    Raises:
        LookedError: there are too many.
    """
    lows = [min(each) for each in zip(*worths, strict=True)]
    bases = [(max(each) - low) * count + 1 for each, low in zip(zip(*worths, strict=True), lows, strict=True)]
    written: dict[int, int] = {}
    for each, many in worths.items():
        number = 0
        for one, low, base in zip(each, lows, bases, strict=True):
            number = number * base + one - low
        written[number] = many
    found: dict[tuple[int, ...], int] = {}
    for total, many in _powers(written, count).items():
        sums, rest = [], total
        for low, base in zip(reversed(lows), reversed(bases), strict=True):
            rest, digit = divmod(rest, base)
            sums.append(low * count + digit)
        found[tuple(reversed(sums))] = many
    return found


def _powers(worths: Mapping[int, int], count: int) -> dict[int, int]:
    """How often each sum comes of so many dice, by what one is worth how often.

    Raises as `thrown_together`.
    """
    low = min(worths)
    if len(worths) == 1:
        return {low * count: worths[low] ** count}
    step = gcd(*(each - low for each in worths))
    apart = {(each - low) // step: many for each, many in worths.items()}
    first, highest = apart.pop(0), max(apart) * count
    if highest >= _MOST_POWERS:
        raise LookedError
    found = [first**count]
    for at in range(1, highest + 1):
        summed = sum(((count + 1) * by - at) * many * found[at - by] for by, many in apart.items() if by <= at)
        found.append(summed // (at * first))
    sums = {low * count + step * at: many for at, many in enumerate(found) if many}
    if len(sums) > MOST_WAYS:
        raise LookedError
    return sums


class _Die:
    """The only die of a roll."""

    __slots__ = ("_roll",)

    def __init__(self, roll: Unthrown) -> None:
        self._roll = roll

    def __getitem__(self, part: int) -> Any:
        return simplest(self._roll.lots, [dice[0][0][part] for dice in self._roll.values])


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
