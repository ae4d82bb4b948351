"""Bounds of numbers; an end that is none is open."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

Range = tuple[int | None, int | None]
FractionRange = tuple[Fraction | None, Fraction | None]
_Number = TypeVar("_Number", int, Fraction)
_Ends = tuple[_Number | None, _Number | None]

WHOLE: Range = (None, None)


def total(first: _Ends[_Number], second: _Ends[_Number]) -> _Ends[_Number]:
    """Bounds of a sum."""
    return _plus(first[0], second[0]), _plus(first[1], second[1])


def _plus(first: _Number | None, second: _Number | None) -> _Number | None:
    return None if first is None or second is None else first + second


def negative(range_: _Ends[_Number]) -> _Ends[_Number]:
    """Bounds of the opposite number."""
    low, high = range_
    return (None if high is None else -high), (None if low is None else -low)


def product(first: _Ends[_Number], second: _Ends[_Number]) -> _Ends[_Number]:
    """Bounds of a product; open where an open end could matter.

    >>> product((2, 3), (0, None))
    (0, None)
    """
    for zero in (first, second):
        if zero == (0, 0):
            return zero
    ends = [_times(a, b) for a in _ends(first) for b in _ends(second)]
    return _near(min(ends), max(ends))


def quotient(first: FractionRange, second: FractionRange) -> FractionRange:
    """Bounds of what is divided by a number of one sign; open where that may be 0.

    >>> quotient((Fraction(3), Fraction(9)), (Fraction(2), None))
    (Fraction(0, 1), Fraction(9, 2))
    """
    least, most = second
    if most is not None and most < 0:
        return quotient(negative(first), negative(second))
    if least is None or least <= 0:
        return None, None
    return product(first, (_NEAREST if most is None else 1 / most, 1 / least))


_FAR = float("inf")
_FARTHEST = 10**100
_NEAREST = Fraction(1, _FARTHEST**3)  # what stands for a number divided by one without end: not 0, and rounded as it


def _near(low: Any, high: Any) -> tuple[Any, Any]:  # ends of either sort, or infinite
    """Bounds whose ends can still be written: an end beyond `_FARTHEST` is open, or brought in to that."""
    return (
        None if low < -_FARTHEST else min(low, _FARTHEST),
        None if high > _FARTHEST else max(high, -_FARTHEST),
    )


def _ends(range_: tuple[Any, Any]) -> tuple[Any, Any]:
    low, high = range_
    return (-_FAR if low is None else low), (_FAR if high is None else high)


def _times(first: Any, second: Any) -> Any:  # ends of either sort, or infinite
    if first == 0 or second == 0:
        return first if first == 0 else second
    if _FAR in {abs(first), abs(second)}:
        return _FAR if (first > 0) == (second > 0) else -_FAR
    return first * second


def hull(first: Range, second: Range) -> Range:
    """The smallest bounds around both."""
    low = None if first[0] is None or second[0] is None else min(first[0], second[0])
    high = None if first[1] is None or second[1] is None else max(first[1], second[1])
    return low, high


def overlap(first: Range, second: Range) -> Range:
    """The bounds of what lies in both; they descend where nothing does."""
    return at_least(at_most(first, second[1]), second[0])


def at_least(range_: _Ends[_Number], bound: _Number | None) -> _Ends[_Number]:
    """Bounds of the greater of a number and a bound."""
    low, high = range_
    if bound is None:
        return range_
    return (bound if low is None else max(low, bound)), high


def at_most(range_: _Ends[_Number], bound: _Number | None) -> _Ends[_Number]:
    """Bounds of a number known not to exceed a bound."""
    low, high = range_
    if bound is None:
        return range_
    return low, (bound if high is None else min(high, bound))


def within(inner: Range, outer: Range) -> bool:
    """Whether the first lies inside the second."""
    low_fits = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    high_fits = outer[1] is None or (inner[1] is not None and inner[1] <= outer[1])
    return low_fits and high_fits


def apart(first: _Ends[_Number], second: _Ends[_Number]) -> bool:
    """Whether nothing lies in both."""
    return below(first, second) or below(second, first)


def below(first: _Ends[_Number], second: _Ends[_Number]) -> bool:
    """Whether everything in the first is smaller than everything in the second."""
    return first[1] is not None and second[0] is not None and first[1] < second[0]


def less(first: Range, second: Range) -> bool | None:
    """Whether a number of the first is less than one of the second; none where that hangs on which they are."""
    if below(first, second):
        return True
    return False if first[0] is not None and second[1] is not None and second[1] <= first[0] else None


def same(first: Range, second: Range) -> bool | None:
    """Whether a number of the first is one of the second; none where that hangs on which they are."""
    if apart(first, second):
        return False
    return True if first[0] is not None and first[0] == first[1] == second[0] == second[1] else None


def least(ranges: Sequence[_Ends[_Number]]) -> _Ends[_Number]:
    """Bounds of the least of some numbers."""
    lows = [low for low, _ in ranges if low is not None]
    bounds: _Ends[_Number] = (min(lows) if len(lows) == len(ranges) else None, None)
    for _, high in ranges:
        bounds = at_most(bounds, high)
    return bounds


def greatest(ranges: Sequence[_Ends[_Number]]) -> _Ends[_Number]:
    """Bounds of the greatest of some numbers."""
    return negative(least([negative(each) for each in ranges]))
