import pytest

from rulewright.checker.facts.intervals import Interval, multiply_intervals

HUGE = 10**100


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((2, 3), (4, 5), (8, 15)),
        ((-2, 3), (4, None), (None, None)),
        ((HUGE, HUGE), (HUGE, HUGE), (HUGE, None)),
        ((-HUGE, HUGE), (0, HUGE), (None, None)),
        ((-HUGE, -HUGE), (HUGE, HUGE), (None, -HUGE)),
        ((HUGE, None), (HUGE, None), (HUGE, None)),
    ],
)
def test_bounds_of_products_stay_writable(first: Interval, second: Interval, expected: Interval) -> None:
    assert multiply_intervals(first, second) == expected
