"""Where chains of chance come to, beside what many steps of them come near to, and beside answers known by hand."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from rulewright.odds.markov_chain import Transitions, compute_absorption

HALF = Fraction(1, 2)


def test_a_way_back_to_itself_is_left_in_the_end() -> None:
    found = compute_absorption([((Fraction(1, 6), 1), (Fraction(5, 6), 0)), ()])
    assert found.ends == {1: 1}
    assert found.never_ends == 0


def test_what_never_ends_is_told() -> None:
    found = compute_absorption([((HALF, 1), (HALF, 2)), ((HALF, 0), (HALF, 3)), ((Fraction(1), 2),), ()])
    assert found.ends == {3: Fraction(1, 3)}
    assert found.never_ends == Fraction(2, 3)


def test_a_beginning_may_be_the_end() -> None:
    assert compute_absorption([()]).ends == {0: 1}


@pytest.mark.parametrize("fortune", range(1, 8))
def test_a_gambler_is_ruined_as_often_as_is_known(fortune: int) -> None:
    """Feller, An Introduction to Probability Theory, XIV.2: with p = 1/3 of a stake, goal 8."""
    ways: list[Transitions] = [((Fraction(1), 1 + fortune),)]
    for held in range(9):
        ways.append(() if held in {0, 8} else ((Fraction(1, 3), held + 2), (Fraction(2, 3), held)))
    ruined = compute_absorption(ways).ends.get(1, Fraction(0))
    assert ruined == (Fraction(2) ** 8 - Fraction(2) ** fortune) / (Fraction(2) ** 8 - 1)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_many_steps_come_near_to_it(seed: int) -> None:
    draw = Random(seed)
    size = draw.randint(2, 9)
    ways: list[Transitions] = []
    for _ in range(size):
        weights = [draw.randint(1, 5) for _ in range(draw.randint(0, 3))]
        ways.append(tuple((Fraction(each, sum(weights)), draw.randrange(size)) for each in weights))
    found = compute_absorption(ways)
    assert sum(found.ends.values()) + found.never_ends == 1
    here = [0.0] * size
    here[0] = 1.0
    for _ in range(3_000):
        after = [0.0] * size
        for at, weight in enumerate(here):
            for likely, to in ways[at] or ((Fraction(1), at),):
                after[to] += weight * float(likely)
        here = after
    for at in range(size):
        if not ways[at]:
            assert here[at] == pytest.approx(float(found.ends.get(at, 0)), abs=1e-6)
