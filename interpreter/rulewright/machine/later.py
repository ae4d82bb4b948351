"""Values that chance has not decided yet: reckoned with as they are, and decided only where a line has to know.

A `Lot` is one matter of chance, independent of all others, that may have come out in several ways. A `Later` is a
value that hangs on lots: one value for each way in which they come out together, the last lot the fastest. Sums,
comparisons and the like of such values are such values again. Where Python has to know one (a condition, an index, a
member of a set), `Undecided` is raised with it: whoever plays goes on from before that line, once for each value.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

MOST_WAYS = 20_000
"""Values that hang on more ways of lots together are decided one by one."""
_PLAIN = frozenset({int, bool, Fraction, type(None)})


class Lot:
    """A matter of chance: whole numbers that say how often each of its ways comes beside the others."""

    __slots__ = ("weights",)

    def __init__(self, weights: Sequence[int]) -> None:
        self.weights = weights


class Undecided(Exception):  # noqa: N818 - no error: a line has to know a value
    """A line has to know a value that chance has not decided yet.

    Attributes:
        value: it.
        block: the number of the block with the line; none where plays cannot stand before it.
    """

    def __init__(self, value: "Later") -> None:
        super().__init__()
        self.value = value
        self.block: int | None = None


class Later:
    """A value that hangs on lots.

    Attributes:
        lots: what it hangs on.
        values: its value for each way, all of one type; at least two differ.
    """

    __slots__ = ("lots", "values")

    def __init__(self, lots: tuple[Lot, ...], values: Sequence[Any]) -> None:
        self.lots = lots
        self.values = values

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

    def _known(self, *_: object) -> NoReturn:
        raise Undecided(self)

    __bool__ = __hash__ = __index__ = __int__ = __float__ = __len__ = __iter__ = __contains__ = _known
    __getitem__ = __str__ = __repr__ = __format__ = __round__ = __floor__ = __ceil__ = __trunc__ = _known


def ways(lots: Iterable[Lot]) -> Sequence[int]:
    """How often each way of some lots together comes beside the others.

    Raises:
        OverflowError: there are too many.
    """
    found: Sequence[int] = (1,)
    for each in lots:
        if len(found) * len(each.weights) > MOST_WAYS:
            raise OverflowError
        found = [one * other for one in found for other in each.weights]
    return found


def simplest(lots: tuple[Lot, ...], values: Sequence[Any]) -> Any:  # noqa: ANN401
    """A value that hangs on lots; plain where it is the same for all ways."""
    first = values[0]
    return first if values.count(first) == len(values) else Later(lots, values)


def applied(function: Callable[..., Any], one: Any, other: Any) -> Any:  # noqa: ANN401
    """A function of two values, of which at least one hangs on lots."""
    if not isinstance(other, Later):
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


def _both(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return lambda one, other: applied(function, one, other), lambda one, other: applied(function, other, one)


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _plain, _reflected = _both(getattr(operator, _name))
    setattr(Later, f"__{_name}__", _plain)
    setattr(Later, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Later, f"__{_name}__", _both(getattr(operator, _name))[0])


def _alone(function: Callable[[Any], Any]) -> Callable[[Later], Any]:
    return lambda one: simplest(one.lots, [*map(function, one.values)])


for _name in ("neg", "pos", "abs"):
    setattr(Later, f"__{_name}__", _alone(getattr(operator, _name)))


class Unthrown(Later):
    """Dice of a roll that lie as chance has it, all of them kept.

    Its values are the dice that may lie there, each way a tuple of pairs: a die, and how many like it there are.

    Attributes:
        count: how many dice there are.
        looks: what was seen of them where like ones were last put together; none where they were not.
    """

    __slots__ = ("count", "looks")

    def __init__(self, lot: Lot, values: Sequence[tuple[tuple[Any, int], ...]], count: int, looks: object) -> None:
        super().__init__((lot,), values)
        self.count = count
        self.looks = looks

    def __len__(self) -> int:  # type: ignore[override]
        return self.count

    def __getitem__(self, at: int) -> Any:  # type: ignore[override]  # noqa: ANN401
        if self.count != 1:
            raise Undecided(self)
        return _Die(self)

    def added(self, worth: Callable[[Any], Any]) -> Any:  # noqa: ANN401
        """What all dice are worth together."""
        known: dict[int, Any] = {}
        found = []
        for dice in self.values:
            total = 0
            for die, many in dice:
                one = known.get(id(die))
                if one is None:
                    one = known[id(die)] = worth(die)
                total += one * many
            found.append(total)
        return simplest(self.lots, found)


class _Die:
    """The only die of a roll."""

    __slots__ = ("_roll",)

    def __init__(self, roll: Unthrown) -> None:
        self._roll = roll

    def __getitem__(self, part: int) -> Any:  # noqa: ANN401
        return simplest(self._roll.lots, [dice[0][0][part] for dice in self._roll.values])


def greatest(*values: Any) -> Any:  # noqa: ANN401
    """The greatest of some numbers."""
    return _extreme(max, values)


def least(*values: Any) -> Any:  # noqa: ANN401
    """The least of some numbers."""
    return _extreme(min, values)


def _extreme(of: Callable[..., Any], values: tuple[Any, ...]) -> Any:  # noqa: ANN401
    try:
        return of(values)
    except Undecided:
        found = values[0]
        for each in values[1:]:
            hangs = isinstance(found, Later) or isinstance(each, Later)
            found = applied(of, found, each) if hangs else of(found, each)
        return found


def joined(value: Any) -> Any:  # noqa: ANN401
    """A record or list whose parts may hang on lots as one value that does.

    Raises:
        Undecided: they hang on too much together.
    """
    if not isinstance(value, tuple):
        return value
    parts = [joined(each) for each in value]
    later = [each for each in parts if isinstance(each, Later)]
    if not later:
        return value
    lots = tuple(dict.fromkeys(lot for each in later for lot in each.lots))
    try:
        many = len(ways(lots))
    except OverflowError:
        raise Undecided(later[0]) from None
    return Later(
        lots, [*zip(*[each.over(lots) if isinstance(each, Later) else [each] * many for each in parts], strict=True)]
    )
