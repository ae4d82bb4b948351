"""Bounds of rounded quotients hold for every number and divisor, and no narrower ones do."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, floor

import pytest

from rulewright.checker.facts.bounds import _round_bounds
from rulewright.checker.facts.intervals import Interval, divide_intervals

NUMBERS = range(-7, 8)
DIVISORS = range(1, 7)


def halves_away_from_zero(value: Fraction) -> int:
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def divided(name: str, numbers: Interval, by: Interval) -> Interval:
    return _round_bounds(name, divide_intervals(numbers, by))


ROUND = {"floor": floor, "ceiling": ceil, "round": halves_away_from_zero}


@pytest.mark.parametrize("name", ROUND)
def test_bounded_divisors(name: str) -> None:
    for low, high in combinations_with_replacement(NUMBERS, 2):
        for least, most in combinations_with_replacement(DIVISORS, 2):
            found = [
                ROUND[name](Fraction(number, by)) for number in range(low, high + 1) for by in range(least, most + 1)
            ]
            assert divided(name, (low, high), (least, most)) == (min(found), max(found)), (low, high, least, most)


@pytest.mark.parametrize("name", ROUND)
def test_divisors_without_an_end(name: str) -> None:
    for low, high in combinations_with_replacement(NUMBERS, 2):
        found = [ROUND[name](Fraction(number, by)) for number in range(low, high + 1) for by in (1, 2, 3, 10**6)]
        assert divided(name, (low, high), (1, None)) == (min(found), max(found)), (low, high)


def test_numbers_without_an_end() -> None:
    assert divided("floor", (None, 9), (1, 3)) == (None, 9)
    assert divided("floor", (1, None), (1, 3)) == (0, None)
