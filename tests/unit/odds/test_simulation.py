"""Counted plays, beside exact odds; intervals that hold what they are about."""

import pytest

from rulewright.drivers.session import Begun
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Limits
from rulewright.odds.answering import Answers
from rulewright.odds.measures import PlayToMeasure, play_to_measure
from rulewright.odds.odds import odds
from rulewright.odds.simulation import confidence_interval, mean, nothing_counted, simulated
from rulewright.workspace import Memory
from support.reference.texts import program, situation

RULES = """\
ruleset example "Example" revision "1"
procedure race() gives 0..12 "The higher of two sums":
  let best: 0..12 = 0
  for each _ in 1..2:
    roll 2d6 as dash
    set best to max(best, total(dash))
  finish with best
"""


def race() -> PlayToMeasure:
    checked = program(RULES)
    start = situation("players: [ann]", checked)
    begun = Begun(compile_program(checked, traced=False), checked.procedures["race"], start, (), Limits())
    found = play_to_measure(begun, ("result", "result >= 9"), "example.rules", (), Memory({"example.rules": RULES}))
    assert found.value is not None
    return found.value


def test_the_same_seed_counts_the_same_in_parts_of_any_size() -> None:
    play = race()
    whole = simulated(play, Answers(play.begun.names), 5, range(300))
    again = nothing_counted(2)
    for first, end in ((0, 100), (100, 250), (250, 300)):
        again = again.plus(simulated(play, Answers(play.begun.names), 5, range(first, end)))
    assert (again.plays, again.values) == (whole.plays, whole.values)


def test_intervals_hold_the_exact_odds_as_often_as_they_say() -> None:
    play = race()
    exact = odds(play, Answers(play.begun.names), 10_000, lambda _: None).distributions
    likely = float(exact[1].likely[True])
    middle = exact[0].mean
    assert middle is not None
    held = means = 0
    for seed in range(100):
        counted = simulated(play, Answers(play.begun.names), seed, range(200))
        low, high = confidence_interval(counted.values[1][True], counted.plays)
        held += low <= likely <= high
        found = mean(play.measures[0], counted.values[0])
        assert found is not None
        means += abs(found[0] - float(middle)) <= found[1]
    assert held >= 90
    assert means >= 90


@pytest.mark.parametrize(
    ("came", "plays", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (15, 148, 0.0624, 0.1605), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_those_of_the_books(came: int, plays: int, low: float, high: float) -> None:
    """Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I (score method)."""
    assert confidence_interval(came, plays) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_few_plays_and_flags_have_no_mean() -> None:
    number, flag = race().measures
    assert mean(number, {1: 20}) is None
    assert mean(flag, {True: 40}) is None
    assert mean(number, {1: 20, 3: 20}) == (2.0, pytest.approx(0.3138, abs=1e-3))
