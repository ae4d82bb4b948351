"""Differences of pairs: intervals hold the true difference as often as they say, and are those of the paper."""

import random
from collections import Counter

import pytest

from rulewright.odds.pairs import difference_interval, differences, differing, means

CELLS = {(0, 0): 0.55, (0, 1): 0.15, (1, 0): 0.05, (1, 1): 0.15, (2, 0): 0.02, (2, 1): 0.08}


@pytest.mark.parametrize("plays", [40, 400])
def test_intervals_hold_the_true_difference_as_often_as_they_say(plays: int) -> None:
    chance = random.Random(plays)
    held = meant = 0
    for _ in range(400):
        joint = Counter(chance.choices([*CELLS], [*CELLS.values()], k=plays))
        one = next((each for each in differences(joint, plays) if each.value == 1), None)
        held += one is not None and one.low <= 0.38 - 0.20 <= one.high
        about = means(joint)
        assert about is not None
        meant += abs(about.difference - (0.38 - 0.40)) <= about.within
    assert held >= 0.93 * 400
    assert meant >= 0.92 * 400


def test_the_interval_is_that_of_the_paper() -> None:
    """Agresti and Min, Simple improved confidence intervals for comparing matched proportions, 2005, section 3: the
    interval of Wald after half a pair more in each cell."""
    low, high = difference_interval(12, 4, 50)
    pairs, one, other = 52, 12.5, 4.5
    middle = (other - one) / pairs
    half = 1.959964 * ((one + other) / pairs - middle**2) ** 0.5 / pairs**0.5
    assert (low, high) == (pytest.approx(middle - half), pytest.approx(middle + half))


def test_pairs_that_are_alike_are_no_certainty() -> None:
    low, high = difference_interval(0, 0, 100)
    assert low < 0 < high
    assert differing({(1, 1): 99, (1, 2): 1}) == 1


def test_flags_and_texts_have_no_mean() -> None:
    assert means({(True, False): 50}) is None
    assert means({("a", "b"): 50}) is None
    assert means({(None, 1): 50}) is None
    assert means({(1, 3): 50}).difference == 2  # type: ignore[union-attr]
