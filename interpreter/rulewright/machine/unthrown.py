"""Dice of a roll that lie as chance has it: told apart as they lie, or known only by what they are worth together."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import gcd
from operator import add
from typing import Any, NamedTuple, NoReturn

from rulewright.machine.later import MOST_WAYS, Later, Lot, Taking, Undecided, left, simplest

_MOST_SUMS = 4_000_000
"""So many sums of a die with those that it brings are gone through at most, twice as many as there are."""
_MOST_POWERS = 100_000
"""So many powers of a polynomial are worked out at most."""
FACE = 2
"""Where a die says what it shows."""
_KEPT = 4
"""Where a die says whether it is kept."""


class Unthrown(Later):
    """Dice of a roll that lie as chance has it.

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

    @property
    def are_kept(self) -> bool:
        """Whether all of them are kept, however they lie."""
        return all(die[_KEPT] for dice in self.values for die, _ in dice)

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
        """What all dice that are kept are worth together."""
        known: dict[int, Any] = {}
        found = []
        thrown = left(self)
        for dice in thrown.values if isinstance(thrown, Unthrown) else (thrown,):
            total = 0
            for die, many in dice:
                one = known.get(id(die))
                if one is None:
                    one = known[id(die)] = worth(die) if die[_KEPT] else 0
                total += one * many
            found.append(total)
        return simplest(thrown.lots, found) if isinstance(thrown, Unthrown) else found[0]


class Exploded(Unthrown):
    """Dice of a roll with those that they bring; once they are known they lie as they do, and are not thrown."""

    __slots__ = ()

    def made(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
        """As `Unthrown.made`."""
        found = super().made(lots, values)
        return Exploded(found.lots[0], found.values, found.count, found.looks) if isinstance(found, Unthrown) else found


class Lying(tuple[Any, ...]):
    """Dice as they lie, in place of the faces that dice show."""

    __slots__ = ()


def same_count(values: Sequence[tuple[tuple[Any, int], ...]]) -> int | None:
    """How many dice lie there in all ways; none where that differs."""
    counts = {sum([many for _, many in dice]) for dice in values}
    return counts.pop() if len(counts) == 1 else None


class LookedError(Exception):
    """Of dice of which only is known what they are worth together more is looked at."""


class AskedMoreError(LookedError):
    """They are worth something together that was not asked of such dice before, and from now on is known of them."""


Asked = list[tuple[int, ...]]
"""What was asked of like dice: each time what one of them is worth, by the place of the face it shows."""
Multiset = tuple[tuple[int, int], ...]
"""Dice by the place of the face that they show, and how many show it."""


class Falls(NamedTuple):
    """How each of like dice may fall."""

    dice: tuple[Any, ...]  # one for each face
    explodes: tuple[bool, ...]  # by the place of a face whether a die that shows it brings another
    most: int  # how many dice one brings at most
    # which of those thrown first are kept, and of how many throws; none where all are
    kept: tuple[tuple[Multiset, int], ...] | None = None


class Summed(Unthrown):
    """Dice of a roll of which is only known what they are worth together, in the ways in which that is asked.

    Its values are that. Whoever meets anything else that has to know more raises `LookedError`: the dice themselves
    are nowhere, and so may be many.
    """

    __slots__ = ("_asked", "_falls", "_many")

    def __init__(self, falls: Falls, count: int, asked: Asked, taking: Taking | None) -> None:
        """`falls` says how each of `count` dice may fall; what is asked of them is added to `asked`.

        Raises:
            LookedError: what is asked of them comes to too many values.
        """
        Later.__init__(self, (Lot((1,), taking),), ((),))
        self.count = self._many = count
        self.looks = None
        self._falls = falls
        self._asked = asked
        if asked:
            self._fall()

    @property
    def some(self) -> tuple[tuple[Any, int], ...]:
        """Dice that may lie there."""
        return ((self._falls.dice[0], self._many),)

    def made(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:
        """The same with what is left of the ways."""
        found = Summed(self._falls, self._many, [], lots[0].taking)
        found.lots, found.values, found._asked = lots, values, self._asked
        return found

    @property
    def are_kept(self) -> bool:
        """As `Unthrown.are_kept`."""
        return self._falls.kept is None

    def __len__(self) -> int:  # type: ignore[override]
        if self._falls.most or not self.are_kept:
            raise LookedError
        return self._many

    def __getitem__(self, at: int) -> NoReturn:  # type: ignore[override]
        raise LookedError

    def added(self, worth: Callable[[Any], Any]) -> Any:
        """What all dice are worth together.

        Raises:
            AskedMoreError: that was not asked before, and something else was.
            LookedError: it is no whole number, or there are too many.
        """
        each = tuple([worth(die) for die in self._falls.dice])
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
        totals = _totals([*zip(*self._asked, strict=True)], self._falls, self._many)
        self.lots, self.values = (Lot([*totals.values()], self.lots[0].taking),), [*totals]


_Sums = tuple[int, ...]
"""What dice are worth together, in each way that is asked."""


def _totals(worths: Sequence[_Sums], falls: Falls, count: int) -> dict[_Sums, int]:
    """How often so many dice come to each sum, by what a die is worth that shows a face.

    Raises:
        LookedError: there are too many.
    """
    if falls.kept is None:
        return thrown_together(one_thrown(worths, falls), count)
    brought, most = _brought(worths, falls), len(worths) ** falls.most
    first: dict[int, Counter[_Sums]] = {}
    for kept, many in falls.kept:
        fixed = tuple([sum([worths[at][part] * often for at, often in kept]) for part in range(len(worths[0]))])
        first.setdefault(sum([often for at, often in kept if falls.explodes[at]]), Counter())[fixed] += many
    found, highest = Counter[_Sums](), max(first)
    for exploding, fixed_ in first.items():
        after = thrown_together(brought, exploding) if exploding else {(0,) * len(worths[0]): 1}
        if len(after) * len(fixed_) > _MOST_POWERS:
            raise LookedError
        scale = most ** (highest - exploding)
        for (one_, many), (other, times) in product(fixed_.items(), after.items()):
            found[_added(one_, other)] += many * times * scale
    if len(found) > MOST_WAYS:
        raise LookedError
    return found


def one_thrown(worths: Sequence[_Sums], falls: Falls) -> Counter[_Sums]:
    """How often one die comes to each sum with those that it brings.

    Raises:
        LookedError: there are too many.
    """
    brought, most = _brought(worths, falls), len(worths) ** falls.most
    one = Counter[_Sums]()
    for worth, explodes in zip(worths, falls.explodes, strict=True):
        for more, many in brought.items() if explodes else (((0,) * len(worth), most),):
            one[_added(worth, more)] += many
    return one


def _brought(worths: Sequence[_Sums], falls: Falls) -> Counter[_Sums]:
    """How often the dice that one die brings come to each sum, of as many throws as there are of so many dice."""
    found, on = Counter[_Sums](), Counter({(0,) * len(worths[0]): 1})
    apart = max(max(each) - min(each) for each in zip(*worths, strict=True))
    if falls.most**2 * apart * len(worths) > _MOST_SUMS:
        raise LookedError
    for rest in range(falls.most - 1, -1, -1):
        before, on = on, Counter[_Sums]()
        for (sums, many), (worth, explodes) in product(before.items(), zip(worths, falls.explodes, strict=True)):
            if explodes and rest:
                on[_added(sums, worth)] += many
            else:
                found[_added(sums, worth)] += many * len(worths) ** rest
        if len(on) > MOST_WAYS:
            raise LookedError
    return found


def _added(one: _Sums, other: _Sums) -> _Sums:
    return tuple(map(add, one, other))


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
