"""Odds of plays in which something is so, beside every throw written out; and what is so in none, or not known."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from rulewright.odds.measure_syntax import UndefinedConditionError, split_condition
from rulewright.odds.monte_carlo import confidence_interval, simulate_plays
from support.odds_questions import answer_play, ask_play, make_answerer, work_out

RULES = """\
ruleset example "Example" revision "1"
game:
  wounds: 0..20 = 0
  spent: 0..9 = 0
procedure clash() gives 0..9 "A clash":
  step 1 "Blows":
    roll {blows}d{sides} as blows
    add count(each d in blows where d.natural >= {least}) to wounds
    if wounds = 0:
      proceed to 3
  step 2 "A second wind":
    roll d{sides} as wind
    if wind.natural <= {low}:
      add 1 to spent
      proceed to 2 at most {again}
    add wind.natural to wounds
  step 3 "The end":
    roll d{sides} as last
    finish with floor(last.natural / 2)
"""
Throw = tuple[int, ...]


class _End(dict[str, int]):
    """One play written out: what it comes to, and how likely it is, as a number of throws of as many dice."""


def _every(draw: Random) -> tuple[str, list[_End]]:
    """Rules with some numbers, and every play of them as far as `again` goes."""
    sides, blows, again = draw.choice([4, 6]), draw.randint(1, 2), draw.randint(1, 2)
    least, low = draw.randint(2, sides), draw.randint(1, sides - 1)
    rules = RULES.format(blows=blows, sides=sides, least=least, low=low, again=again)
    ends = []
    for throw in product(range(1, sides + 1), repeat=blows + again + 2):
        hits = sum(face >= least for face in throw[:blows])
        end = _End(wounds=hits, spent=0, winds=0, result=throw[-1] // 2, faulty=0)
        winds = throw[blows : blows + again + 1] if hits else ()
        for number, wind in enumerate(winds):
            end["winds"] += 1
            if wind > low:
                end["wounds"] += wind
                break
            end["spent"] += 1
            end["faulty"] = int(number == again)
        ends.append(end)
    return rules, ends


ASKED: dict[str, tuple[Callable[[_End], Any], Callable[[_End], bool]]] = {
    "wounds given result = 1": (lambda end: end["wounds"], lambda end: end["result"] == 1),
    "result given wounds > 2": (lambda end: end["result"], lambda end: end["wounds"] > 2),
    "wounds given visits(clash/2) > 1": (lambda end: end["wounds"], lambda end: end["winds"] > 1),
    "wounds + visits(2) given spent > 0 or result = 0": (
        lambda end: end["wounds"] + end["winds"],
        lambda end: end["spent"] > 0 or end["result"] == 0,
    ),
    "spent given wounds > 0 given result > 0": (
        lambda end: end["spent"],
        lambda end: end["wounds"] > 0 and end["result"] > 0,
    ),
}


@pytest.mark.parametrize("number", range(8))
def test_shares_are_those_of_the_plays_in_which_it_is_so(number: int) -> None:
    """Of the end alone plays are followed together, of the way one by one: both are the throws written out."""
    rules, every = _every(Random(number))
    ends = [each for each in every if not each["faulty"]]
    texts = [text for text in ASKED if any(ASKED[text][1](end) for end in ends)]
    assert len(texts) > 2
    of_the_end = [text for text in texts if "visits" not in text]
    for some in (texts, of_the_end):
        found = work_out(rules, *some)
        for text, each in zip(some, found.distributions, strict=True):
            value, holds = ASKED[text]
            counts = Counter(value(end) for end in ends if holds(end))
            assert dict(each.probabilities) == {
                one: Fraction(many, counts.total()) for one, many in sorted(counts.items())
            }
            assert each.condition_probability == Fraction(counts.total(), len(every))


def test_counts_are_of_the_plays_in_which_it_is_so() -> None:
    rules, _ = _every(Random(3))
    play = ask_play(rules, "wounds given result = 1")
    (exact,) = answer_play(play).distributions
    counted = simulate_plays(play, make_answerer(play), 1, range(4_000)).value_counts[0]
    plays = sum(counted[value] for value in exact.probabilities)
    low, high = confidence_interval(plays, 4_000)
    assert low < exact.condition_probability < high
    for value, likely in exact.probabilities.items():
        low, high = confidence_interval(counted[value], plays)
        assert low - 0.01 < likely < high + 0.01


def test_at_a_limit_shares_lie_within_what_is_told() -> None:
    """What is left open may be so or not: the exact share lies between what is told and so much more."""
    rules, _ = _every(Random(5))
    text = "wounds + 0 * visits(2) given result = 1"
    exact = work_out(rules, text).distributions[0]
    for most in (3, 8, 20, 40):
        cut = work_out(rules, text, most=most)
        found = cut.distributions[0]
        assert (
            found.open_share == cut.open_share / (found.condition_probability + cut.open_share)
            if cut.open_share
            else found.open_share == 0
        )
        for value, likely in exact.probabilities.items():
            assert found.probabilities.get(value, 0) <= likely <= found.probabilities.get(value, 0) + found.open_share


def test_what_is_never_so_has_no_shares() -> None:
    rules, _ = _every(Random(1))
    found = work_out(rules, "result given wounds > 19", "result").distributions
    assert (found[0].probabilities, found[0].condition_probability, found[0].mean) == ({}, 0, None)
    assert sum(found[1].probabilities.values()) + sum(work_out(rules, "result").faults.values()) == 1


def test_a_condition_without_a_value_is_not_taken_for_no() -> None:
    rules, _ = _every(Random(1))
    with pytest.raises(UndefinedConditionError, match=r"1 / \(result - 1\) > 0"):
        work_out(rules, "wounds given 1 / (result - 1) > 0")


def test_several_conditions_are_one() -> None:
    assert split_condition("result given a = 1 given visits(2) > 0") == ("result", "(a = 1) and (visits(2) > 0)")
    assert split_condition("result") == ("result", "")


def test_a_high_bound_is_followed_where_few_plays_are_asked_of() -> None:
    """Of a loop that is left where next to no play comes to its bound, the plays that come near it are still exact."""
    rules = """\
ruleset example "Example" revision "1"
game:
  rounds: 0..200 = 0
procedure toss() "Toss":
  step 1 "Toss":
    roll d6 as coin
    add up to 1 to rounds
    if coin.natural < 4:
      proceed to 1 at most 150
"""
    found = work_out(rules, "rounds given rounds > 140").distributions[0]
    weights = {rounds: Fraction(1, 2**rounds) for rounds in range(141, 152)}
    whole = sum(weights.values())
    assert dict(found.probabilities) == {rounds: weight / whole for rounds, weight in weights.items()}


def test_a_condition_on_dice_that_explode_without_limit_leaves_fractions() -> None:
    """Sums of two dice are alike in 1 throw of 7: with as many sixes both, in 1/36 of them with more, the last alike."""
    rules = """\
ruleset example "Example" revision "1"
game:
  alike: flag = no
  sixes: 0..1 = 0
procedure clash() gives 0..9 "A clash":
  roll 1d6 explode on 6 without limit as one
  roll 1d6 explode on 6 without limit as other
  set alike to total(one) = total(other)
  set sixes to if(total(one) > 6, 1, 0)
  finish with 0
"""
    found = work_out(rules, "sixes given alike", "alike")
    given, alike = found.distributions
    assert given.condition_probability == alike.probabilities[True] == Fraction(1, 7)
    assert given.probabilities == {0: Fraction(35, 36), 1: Fraction(1, 36)}
    assert not given.is_cut
