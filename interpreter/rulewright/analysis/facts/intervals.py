"""Bounds of whole numbers; an end that is none is open."""

Range = tuple[int | None, int | None]

WHOLE: Range = (None, None)


def total(first: Range, second: Range) -> Range:
    """Bounds of a sum."""
    return _plus(first[0], second[0]), _plus(first[1], second[1])


def _plus(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def negative(range_: Range) -> Range:
    """Bounds of the opposite number."""
    low, high = range_
    return (None if high is None else -high), (None if low is None else -low)


def product(first: Range, second: Range) -> Range:
    """Bounds of a product; open where an open end could matter.

    >>> product((2, 3), (0, None))
    (0, None)
    """
    if first == (0, 0) or second == (0, 0):
        return 0, 0
    ends = [_times(a, b) for a in _ends(first) for b in _ends(second)]
    low, high = min(ends), max(ends)
    return _near((None if low == -_FAR else int(low)), (None if high == _FAR else int(high)))


_FAR = float("inf")
_FARTHEST = 10**100


def _near(low: int | None, high: int | None) -> Range:
    """Bounds that stay writable: an end farther out than anybody needs is open, or as far in as that."""
    return (
        None if low is None or low < -_FARTHEST else min(low, _FARTHEST),
        None if high is None or high > _FARTHEST else max(high, -_FARTHEST),
    )


def _ends(range_: Range) -> tuple[float, float]:
    low, high = range_
    return (-_FAR if low is None else low), (_FAR if high is None else high)


def _times(first: float, second: float) -> float:
    return 0 if first == 0 or second == 0 else first * second


def hull(first: Range, second: Range) -> Range:
    """The smallest bounds around both."""
    low = None if first[0] is None or second[0] is None else min(first[0], second[0])
    high = None if first[1] is None or second[1] is None else max(first[1], second[1])
    return low, high


def overlap(first: Range, second: Range) -> Range:
    """The bounds of what lies in both; they descend where nothing does."""
    return at_least(at_most(first, second[1]), second[0])


def at_least(range_: Range, bound: int | None) -> Range:
    """Bounds of the greater of a number and a bound."""
    low, high = range_
    if bound is None:
        return range_
    return (bound if low is None else max(low, bound)), high


def at_most(range_: Range, bound: int | None) -> Range:
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


def apart(first: Range, second: Range) -> bool:
    """Whether nothing lies in both."""
    return below(first, second) or below(second, first)


def below(first: Range, second: Range) -> bool:
    """Whether everything in the first is smaller than everything in the second."""
    return first[1] is not None and second[0] is not None and first[1] < second[0]
