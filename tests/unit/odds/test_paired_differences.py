"""Differences of pairs: intervals hold the true difference as often as they say."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from rulewright.odds.monte_carlo import compare_means, compare_shares, count_differing_pairs, difference_interval

CELLS = {(0, 0): 0.55, (0, 1): 0.15, (1, 0): 0.05, (1, 1): 0.15, (2, 0): 0.02, (2, 1): 0.08}


@pytest.mark.parametrize("plays", [40, 400])
def test_intervals_hold_the_true_difference_as_often_as_they_say(plays: int) -> None:
    chance = random.Random(plays)
    held = meant = 0
    for _ in range(400):
        joint = Counter(chance.choices([*CELLS], [*CELLS.values()], k=plays))
        one = next((each for each in compare_shares(joint, plays) if each.value == 1), None)
        held += one is not None and one.low <= 0.38 - 0.20 <= one.high
        about = compare_means(joint)
        assert about is not None
        meant += abs(about.difference.mean - (0.38 - 0.40)) <= about.difference.margin
    assert held >= 0.93 * 400
    assert meant >= 0.92 * 400


def test_intervals_of_differences_hold_what_is_rare_as_often_as_they_say() -> None:
    """Reckoned for all counts of 40 pairs."""
    plays = 40
    counts = [(one, other) for one in range(plays + 1) for other in range(plays + 1 - one)]
    intervals = {each: difference_interval(*each, plays) for each in counts}
    for first, second in product((0.001, 0.2, 1, 2, 6, 18), repeat=2):
        only_first, only_other = first / plays, second / plays
        held = sum(
            comb(plays, one)
            * comb(plays - one, other)
            * only_first**one
            * only_other**other
            * (1 - only_first - only_other) ** (plays - one - other)
            for (one, other), (low, high) in intervals.items()
            if low <= only_other - only_first <= high
        )
        assert held >= 0.95, (first, second)


def test_pairs_that_are_alike_are_no_certainty() -> None:
    low, high = difference_interval(0, 0, 100)
    assert low < 0 < high
    assert count_differing_pairs({(1, 1): 99, (1, 2): 1}) == 1


def test_flags_and_texts_have_no_mean() -> None:
    assert compare_means({(True, False): 50}) is None
    assert compare_means({("a", "b"): 50}) is None
    assert compare_means({(None, 1): 50}) is None
    assert compare_means({(1, 3): 50}) is None
    found = compare_means({(1, 3): 50}, (Fraction(0), Fraction(9)))
    assert found is not None
    assert found.difference.mean == 2
    assert found.difference.margin == pytest.approx((1 - 0.025 ** (1 / 50)) * 11)
