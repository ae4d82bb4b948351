"""Watched values answer as numbers do, and what they note says exactly which others answer alike."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from rulewright.explain.tracked_values import QueryLog, StartEquivalence, TrackedValue, reveal_tracked_values

VALUES = (range(-3, 6), range(4))
Test = Callable[[Any, Any], bool]
TESTS: tuple[Test, ...] = (
    lambda a, _: a < 2,
    lambda a, b: a + b >= 4,
    lambda a, b: 3 - a == b,
    lambda a, b: a != b,
    lambda a, _: bool(a),
    lambda a, b: max(a, b, 1) - min(a, 2) > 1,
    lambda a, b: -2 * a + 1 <= b - a,
    lambda a, b: [10, 20, 30, 40][b] + a < 21,
    lambda a, _: len(range(a)) == 2,
    lambda a, b: a // 2 + b % 2 == 1,
    lambda a, b: a in {1, 2} or b in (0, 3),
    lambda a, _: Fraction(a, 2) < Fraction(3, 2),
    lambda a, _: a < Fraction(5, 2),
    lambda a, _: f"{a}" == "1",
    lambda a, b: sorted((a, b, 2)) == [1, 2, 3],
    lambda a, b: abs(a - b) > 1,
)


def told(tests: Sequence[Test], first: Any, second: Any) -> list[bool]:
    return [test(first, second) for test in tests]


def taken(alike: StartEquivalence) -> set[tuple[int, int]]:
    """The pairs of values that are alike to those of a play."""
    left = [0b1111 for _ in VALUES[0]]
    alike.remove_equivalent_pairs(0, 1, left)
    return {(VALUES[0][at], VALUES[1][to]) for at, bits in enumerate(left) for to in range(4) if not bits >> to & 1}


@given(st.lists(st.sampled_from(TESTS), max_size=4), st.sampled_from(VALUES[0]), st.sampled_from(VALUES[1]))
def test_what_is_called_alike_answers_alike(tests: Sequence[Test], first: int, second: int) -> None:
    notes = QueryLog()
    watched = [TrackedValue.track_value(notes, number, value) for number, value in enumerate((first, second))]
    expected = told(tests, first, second)
    assert told(tests, *watched) == expected
    alike = StartEquivalence(notes.queries, VALUES, (first, second))
    both = taken(alike)
    assert (first, second) in both
    assert all(told(tests, *each) == expected for each in both)
    assert {each for each, to in both if to == second} == {
        VALUES[0][at] for at in range(len(VALUES[0])) if alike.equivalent_values(0) >> at & 1
    }


def test_comparisons_alone_leave_all_values_between() -> None:
    notes = QueryLog()
    value = TrackedValue.track_value(notes, 0, 3)
    assert not value < 2
    assert value <= 4
    alike = StartEquivalence(notes.queries, VALUES, (3, 0))
    assert [VALUES[0][at] for at in range(9) if alike.equivalent_values(0) >> at & 1] == [2, 3, 4]
    assert alike.equivalent_values(1) == 0b1111, "nothing was asked of it"


def test_two_values_that_are_only_added_up_are_told_by_their_sum() -> None:
    notes = QueryLog()
    first, second = (TrackedValue.track_value(notes, number, 2) for number in range(2))
    assert len(range(first + second)) == 4
    alike = StartEquivalence(notes.queries, VALUES, (2, 2))
    assert taken(alike) == {each for each in product(*VALUES) if sum(each) == 4}


@pytest.mark.parametrize("value", [True, False, 0, 7])
def test_it_is_taken_for_what_it_stands_for(value: int) -> None:
    watched = TrackedValue.track_value(QueryLog(), 0, value)
    assert isinstance(watched, type(value))
    assert reveal_tracked_values((watched, (watched, 1))) == (value, (value, 1))
    assert type(reveal_tracked_values(watched)) is type(value)
