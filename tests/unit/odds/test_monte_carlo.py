"""Counted plays, beside exact odds; intervals that hold what they are about."""

from collections import Counter
from fractions import Fraction
from math import comb, hypot, prod
from random import Random

import pytest

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import compute_odds
from rulewright.odds.monte_carlo import (
    RepeatedPlay,
    confidence_interval,
    estimate_mean,
    estimate_measure_mean,
    make_empty_counts,
    simulate_plays,
)
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import run_to_end
from rulewright.runtime.request import Ended, Faulted
from support.odds_questions import ask_play

RULES = """\
ruleset example "Example" revision "1"
procedure race() gives 0..12 "The higher of two sums":
  let best: 0..12 = 0
  for each _ in 1..2:
    roll 2d6 as dash
    set best to max(best, total(dash))
  finish with best
"""


def race() -> MeasuredPlay:
    return ask_play(RULES, "result", "result >= 9")


def test_the_same_seed_counts_the_same_in_parts_of_any_size() -> None:
    play = race()
    whole = simulate_plays(play, PlayAnswerer(play.start.names), 5, range(300))
    again = make_empty_counts(2)
    for first, end in ((0, 100), (100, 250), (250, 300)):
        again = again.add_counts(simulate_plays(play, PlayAnswerer(play.start.names), 5, range(first, end)))
    assert (again.play_count, again.value_counts) == (whole.play_count, whole.value_counts)


def test_intervals_hold_the_exact_odds_as_often_as_they_say() -> None:
    play = race()
    exact = compute_odds(play, PlayAnswerer(play.start.names), 10_000, lambda _: None).distributions
    likely = float(exact[1].probabilities[True])
    middle = exact[0].mean
    assert middle is not None
    held = means = 0
    for seed in range(100):
        counted = simulate_plays(play, PlayAnswerer(play.start.names), seed, range(200))
        low, high = confidence_interval(counted.value_counts[1][True], counted.play_count)
        held += low <= likely <= high
        found = estimate_measure_mean(play.measures[0], counted.value_counts[0])
        assert found is not None
        means += abs(found[0] - float(middle)) <= found[1]
    assert held >= 90
    assert means >= 90


@pytest.mark.parametrize(
    ("came", "plays", "low", "high"),
    [(81, 263, 0.2535, 0.3682), (15, 148, 0.0598, 0.1644), (0, 20, 0.0, 0.2005), (1, 29, 0.0018, 0.1963)],
)
def test_intervals_are_those_of_the_books(came: int, plays: int, low: float, high: float) -> None:
    """Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I (method 4)."""
    assert confidence_interval(came, plays) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert confidence_interval(plays - came, plays) == (
        pytest.approx(1 - high, abs=1e-4),
        pytest.approx(1 - low, abs=1e-4),
    )


@pytest.mark.parametrize("plays", [30, 300])
def test_intervals_hold_what_is_rare_as_often_as_they_say(plays: int) -> None:
    """Reckoned for all counts; that of Wilson alone holds 0.17 of all plays in 84 of 100."""
    intervals = [confidence_interval(came, plays) for came in range(plays + 1)]
    for likely in (*(each / 20 / plays for each in range(1, 160)), *(each / 50 for each in range(1, 50))):
        held = sum(
            comb(plays, came) * likely**came * (1 - likely) ** (plays - came)
            for came, (low, high) in enumerate(intervals)
            if low <= likely <= high
        )
        assert held >= 0.95, likely


SHARES = {
    "a constant": ({3: 1.0}, 20),
    "a die": (dict.fromkeys(range(1, 7), 1 / 6), 20),
    "once in 500": ({0: 0.998, 10: 0.002}, 10),
    "once in 100": ({0: 0.99, 10: 0.01}, 10),
}


@pytest.mark.parametrize("plays", [60, 400])
@pytest.mark.parametrize("what", SHARES)
def test_intervals_hold_means_of_what_is_rare_and_of_constants(what: str, plays: int) -> None:
    likely, most = SHARES[what]
    true, chance, held = sum(each * share for each, share in likely.items()), Random(plays), 0
    for _ in range(200):
        counts = Counter(chance.choices([*likely], [*likely.values()], k=plays))
        found = estimate_mean([*counts.items()], (Fraction(0), Fraction(most)))
        assert found is not None
        assert found[1] > 0
        held += abs(found[0] - true) <= found[1]
    assert held >= 183


RARE: dict[str, tuple[dict[int, float], int]] = {
    "a thousand once in 500": ({0: 0.5, 1: 0.498, 999: 0.002}, 999),
    "99 once in 500": ({0: 0.5, 1: 0.498, 99: 0.002}, 999),
    "50 once in 100": ({0: 0.4, 5: 0.59, 50: 0.01}, 50),
    "little once in 200": ({0: 0.005, 10: 0.5, 11: 0.495}, 11),
    "both ends": ({0: 0.003, 500: 0.994, 999: 0.003}, 999),
    "20 once in 33": ({3: 0.6, 4: 0.37, 20: 0.03}, 20),
    "three faces": ({1: 1 / 3, 2: 1 / 3, 3: 1 / 3}, 3),
}


@pytest.mark.parametrize("plays", [30, 60, 90])
@pytest.mark.parametrize("what", RARE)
def test_a_mean_is_held_wherever_what_is_rare_lies_in_the_bounds(what: str, plays: int) -> None:
    likely, most = RARE[what]
    true, held = sum(each * share for each, share in likely.items()), 0.0
    for first in range(plays + 1):
        for second in range(plays - first + 1):
            often = (first, second, plays - first - second)
            ways = comb(plays, first) * comb(plays - first, second)
            found = estimate_mean(
                [(float(each), count) for each, count in zip(likely, often, strict=True) if count],
                (Fraction(0), Fraction(most)),
            )
            assert found is not None
            assert found.bounded_interval is not None
            if found.bounded_interval[0] <= true <= found.bounded_interval[1]:
                held += ways * prod(share**count for share, count in zip(likely.values(), often, strict=True))
    assert held >= 0.95


def test_few_plays_and_flags_have_no_mean() -> None:
    number, flag = race().measures
    assert estimate_measure_mean(number, {1: 20}) is None
    assert estimate_measure_mean(flag, {True: 40}) is None
    unseen = 1 - 0.025 ** (1 / 40)
    assert estimate_measure_mean(number, {1: 20, 3: 20})[:2] == (2.0, pytest.approx(hypot(0.3138, unseen), abs=1e-3))
    assert estimate_mean([(2.0, 40)], None) is None


ASKING = """\
ruleset asking "Asking" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
game:
  pile: deck of Unit = []
procedure fight(first: Unit) gives 0..99 "A fight in which everything is asked":
  ask first.owner to pick 1..2 of each u in units where u != first as hit "Who is hit?"
  for each u in hit:
    roll 7d6 as blow by first.owner
    take up to count(each d in blow where d.natural >= 5) from u.health
  ask first.owner to order hit as turns "In which order do they strike back?"
  for each u in turns:
    roll d6 as back by u.owner
    if back.natural > u.health:
      take up to 1 from first.health
    ask u.owner to split 2 over units as share "Who is healed?"
    for each each_unit in share:
      add share[each_unit] to each_unit.health
  shuffle pile
  draw from pile as next
  take up to 1 from next.health
  finish with sum(each u in units: u.health)
"""
START = """\
players: [ann, bob]
units:
  a: {owner: ann, health: 5}
  b: {owner: bob, health: 9}
  c: {owner: bob, health: 2}
game: {pile: [a, b, c]}
"""


@pytest.mark.parametrize("policies", [{}, {1: "random"}])
@pytest.mark.parametrize("policy", ["first", "random"])
def test_a_play_that_is_not_kept_comes_to_what_one_comes_to_that_is(policy: str, policies: dict[int, str]) -> None:
    """Some plays are healed above what a unit may have, which is a fault."""
    play = ask_play(ASKING, "result", "count(each u in units where u.health > 2)", state=START)
    begun = play.start
    repeated = RepeatedPlay(play, PlayAnswerer(begun.names, policy=policy, policies=policies))
    ends = set()
    for number in range(60):
        kept = run_to_end(
            play.start, AnswerSourceChain(begun.names, SeededRandom(3, number), policy=policy, policies=policies)
        )
        over, found = kept.session.outcome, repeated.play_to_end(3, number)
        if isinstance(over, Ended):
            assert found == play.evaluate_measures(over)
        else:
            assert isinstance(over, Faulted)
            assert isinstance(found, Faulted)
            assert (found.code, found.message) == (over.code, over.message)
        ends.add(type(over))
    assert Ended in ends
    assert (Faulted in ends) == ("random" in {policy, *policies.values()})


@pytest.mark.parametrize(("line", "end"), [("nothing", (3,)), ("take 1 from left", None)])
def test_a_play_in_which_nothing_is_asked_is_counted(line: str, end: tuple[int] | None) -> None:
    rules = f"""\
ruleset still "Still" revision "1"
game:
  left: 0..9 = 0
procedure sit() gives 0..9 "Nothing is asked":
  {line}
  finish with 3
"""
    play = ask_play(rules, state="game: {left: 0}")
    found = RepeatedPlay(play, PlayAnswerer(play.start.names)).play_to_end(3, 0)
    assert found == end if end else isinstance(found, Faulted)
