"""Roots, directions and lengths in whole numbers."""

from fractions import Fraction
from functools import lru_cache
from math import atan2, cos, degrees, floor, isqrt, radians, sin

THOUSANDTHS = 1000
HUNDREDTHS = 100
TURN = 360
QUARTER = 90
EIGHTH = 45
UNIT = 10**9
"""The length of the vectors that stand for directions."""

Number = int | Fraction
Vector = tuple[int, int]


def halves_up(above: int, below: int) -> int:
    """The whole number nearest to a quotient with a positive divisor, halves upwards."""
    return (2 * above + below) // (2 * below)


def root(above: int, below: int = 1) -> int:
    """The whole number nearest to the square root of a quotient.

    >>> root(2), root(9), root(25, 4)
    (1, 3, 3)
    """
    return (isqrt(4 * above // below) + 1) // 2


def whole(number: Number, parts: int) -> Number:
    """A number rounded to a part, halves away from zero; an `int` where it comes out even."""
    size = halves_up(abs(number.numerator) * parts, number.denominator)
    rounded = Fraction(size if number >= 0 else -size, parts)
    return rounded.numerator if rounded.denominator == 1 else rounded


def inches(number: Number | None) -> Number | None:
    """A number as inches: rounded to thousandths, halves away from zero; none stays none."""
    return number if number is None or isinstance(number, int) else whole(number, THOUSANDTHS)


def angle(number: Number | None) -> Number | None:
    """A number as an angle: hundredths of a degree, from 0 and below 360; none stays none."""
    if number is None:
        return None
    return number % TURN if isinstance(number, int) else whole(whole(number, HUNDREDTHS) % TURN, HUNDREDTHS)


def of_thousandths(length: int) -> Number:
    """A length in inches."""
    inches_, rest = divmod(length, THOUSANDTHS)
    return inches_ if rest == 0 else Fraction(length, THOUSANDTHS)


def to_thousandths(number: Number) -> int:
    """A number of inches as a length."""
    return int(whole(number, THOUSANDTHS) * THOUSANDTHS)


@lru_cache(maxsize=4096)
def heading(degrees_: Number) -> Vector:
    """The vector of a direction, `UNIT` long: 0 is along +y, and they turn clockwise."""
    turns, rest = divmod(degrees_, QUARTER)
    if rest == 0:
        return ((0, UNIT), (UNIT, 0), (0, -UNIT), (-UNIT, 0))[turns % 4]
    turned = radians(float(degrees_ % TURN))
    return floor(sin(turned) * UNIT + 0.5), floor(cos(turned) * UNIT + 0.5)


def bearing(right: int, up: int) -> Number:
    """The angle of a vector that is not (0, 0), rounded to hundredths of a degree."""
    found = floor(degrees(atan2(right, up)) * HUNDREDTHS + 0.5) % (TURN * HUNDREDTHS)
    return whole(Fraction(found, HUNDREDTHS), HUNDREDTHS)
