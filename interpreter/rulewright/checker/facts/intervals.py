"""Interval arithmetic (Cousot and Cousot 1977); an end that is None is unbounded."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Interval = tuple[Any, Any]
"""Least and greatest of whole numbers or of fractions."""

UNBOUNDED: Interval = (None, None)


def add_intervals(first: Interval, second: Interval) -> Interval:
    """Interval of a sum."""
    return _add_ends(first[0], second[0]), _add_ends(first[1], second[1])


def _add_ends(first: Any, second: Any) -> Any:
    return None if first is None or second is None else first + second


def negate_interval(range_: Interval) -> Interval:
    """Interval of a number with the other sign."""
    low, high = range_
    return (None if high is None else -high), (None if low is None else -low)


def multiply_intervals(first: Interval, second: Interval) -> Interval:
    """Interval of a product; unbounded where an unbounded end could matter.

    >>> multiply_intervals((2, 3), (0, None))
    (0, None)
    """
    for zero in (first, second):
        if zero == (0, 0):
            return zero
    ends = [_multiply_ends(a, b) for a in _to_infinite_ends(first) for b in _to_infinite_ends(second)]
    return _clamp_ends(min(ends), max(ends))


def divide_intervals(first: Interval, second: Interval) -> Interval:
    """Interval of a quotient; unbounded where the divisor may be 0.

    >>> divide_intervals((3, 9), (2, None))
    (Fraction(0, 1), Fraction(9, 2))
    """
    least, most = second
    if most is not None and most < 0:
        return divide_intervals(negate_interval(first), negate_interval(second))
    if least is None or least <= 0:
        return None, None
    return multiply_intervals(first, (_NEAR_ZERO if most is None else Fraction(1, most), Fraction(1, least)))


_INFINITY = float("inf")
_MAX_FINITE_END = 10**100
# stands for 1 divided by an unbounded number: not 0, and rounded like it
_NEAR_ZERO = Fraction(1, _MAX_FINITE_END**3)


def _clamp_ends(low: Any, high: Any) -> Interval:  # ends of either type, or infinite
    """Interval with printable ends: beyond `_MAX_FINITE_END` an end is open, or brought in to that."""
    return (
        None if low < -_MAX_FINITE_END else min(low, _MAX_FINITE_END),
        None if high > _MAX_FINITE_END else max(high, -_MAX_FINITE_END),
    )


def _to_infinite_ends(range_: Interval) -> Interval:
    low, high = range_
    return (-_INFINITY if low is None else low), (_INFINITY if high is None else high)


def _multiply_ends(first: Any, second: Any) -> Any:  # ends of either type, or infinite
    if first == 0 or second == 0:
        return first if first == 0 else second
    if _INFINITY in {abs(first), abs(second)}:
        return _INFINITY if (first > 0) == (second > 0) else -_INFINITY
    return first * second


def join_intervals(first: Interval, second: Interval) -> Interval:
    """Smallest interval around both."""
    low = None if first[0] is None or second[0] is None else min(first[0], second[0])
    high = None if first[1] is None or second[1] is None else max(first[1], second[1])
    return low, high


def intersect_intervals(first: Interval, second: Interval) -> Interval:
    """Intersection; its ends descend where it is empty."""
    return clip_below(clip_above(first, second[1]), second[0])


def clip_below(range_: Interval, bound: Any) -> Interval:
    """Interval of the greater of a number and a bound."""
    low, high = range_
    if bound is None:
        return range_
    return (bound if low is None else max(low, bound)), high


def clip_above(range_: Interval, bound: Any) -> Interval:
    """Interval of a number known not to exceed a bound."""
    low, high = range_
    if bound is None:
        return range_
    return low, (bound if high is None else min(high, bound))


def apply_tally_change(change: str, bounds: Interval, amount: Interval) -> Interval:
    """Interval of the running value of a tally after a row that always applies."""
    low, high = bounds
    match change:
        case "plus":
            return add_intervals(bounds, amount)
        case "times":
            return multiply_intervals(bounds, amount)
        case "becomes":
            return amount
        case "at least":
            if high is not None and amount[0] is not None and high <= amount[0]:
                return amount
            return clip_below((low, None if high is None or amount[1] is None else max(high, amount[1])), amount[0])
        case _:
            return clip_above((None if low is None or amount[0] is None else min(low, amount[0]), high), amount[1])


def widen_repeated_bounds(before: Interval, after: Interval) -> Interval:
    """Bounds after a row for each member: an end that moved once may move any number of times."""
    both = join_intervals(before, after)
    return (both[0] if both[0] == before[0] else None), (both[1] if both[1] == before[1] else None)


def is_inside_interval(inner: Interval, outer: Interval) -> bool:
    """Whether every number of one interval is in another."""
    low_fits = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    high_fits = outer[1] is None or (inner[1] is not None and inner[1] <= outer[1])
    return low_fits and high_fits


def are_disjoint(first: Interval, second: Interval) -> bool:
    return is_entirely_below(first, second) or is_entirely_below(second, first)


def is_entirely_below(first: Interval, second: Interval) -> bool:
    return first[1] is not None and second[0] is not None and first[1] < second[0]


def compare_less(first: Interval, second: Interval) -> bool | None:
    """Truth of `a < b` for numbers of two intervals; None where it depends on the numbers."""
    if is_entirely_below(first, second):
        return True
    return False if first[0] is not None and second[1] is not None and second[1] <= first[0] else None


def compare_equal(first: Interval, second: Interval) -> bool | None:
    """Truth of `a = b` for numbers of two intervals; None where it depends on the numbers."""
    if are_disjoint(first, second):
        return False
    return True if first[0] is not None and first[0] == first[1] == second[0] == second[1] else None


def compute_minimum_interval(ranges: Sequence[Interval]) -> Interval:
    """Interval of the least of some numbers."""
    lows = [low for low, _ in ranges if low is not None]
    bounds: Interval = (min(lows) if len(lows) == len(ranges) else None, None)
    for _, high in ranges:
        bounds = clip_above(bounds, high)
    return bounds


def compute_maximum_interval(ranges: Sequence[Interval]) -> Interval:
    """Interval of the greatest of some numbers."""
    return negate_interval(compute_minimum_interval([negate_interval(range_) for range_ in ranges]))
