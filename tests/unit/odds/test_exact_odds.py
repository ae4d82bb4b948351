"""Odds of whole procedures, beside numbers that are known and beside every way written out."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from rulewright.odds.answerers import UndecidedError
from support.odds_questions import get_odds, work_out

CRAPS = """
procedure craps() gives flag "The pass line":
  let goal: 0..12 = 0
  step 1 "Come out":
    roll 2d6 as first
    if total(first) in {7, 11}:
      finish with yes
    if total(first) in {2, 3, 12}:
      finish with no
    set goal to total(first)
  step 2 "For the point":
    roll 2d6 as next
    if total(next) = goal:
      finish with yes
    if total(next) = 7:
      finish with no
    proceed to 2 at most 30
"""


def test_a_point_is_thrown_for_as_often_as_the_rules_allow() -> None:
    """Thirty ways back are 31 throws; without a bound it would be the known 244 of 495."""
    throws = Counter(sum(throw) for throw in product(range(1, 7), repeat=2))
    likely = {total: Fraction(many, 36) for total, many in throws.items()}
    won, lost, open_ = likely[7] + likely[11], likely[2] + likely[3] + likely[12], Fraction(0)
    for point in (4, 5, 6, 8, 9, 10):
        again = 1 - likely[point] - likely[7]
        rounds = sum(again**number for number in range(31))
        won += likely[point] * likely[point] * rounds
        lost += likely[point] * likely[7] * rounds
        open_ += likely[point] * again**31
    found = work_out(CRAPS)
    assert get_odds(found) == {False: lost, True: won}
    assert dict(found.faults).popitem()[1] == open_
    assert float(won) == pytest.approx(244 / 495, abs=1e-4)


CHOICE = """
kind Unit, units:
  health: 0..9
procedure risk_it(unit: Unit) "A choice":
  ask ann_of() whether dares "Dare?":
    roll d6 as blow
    if blow.natural <= 2:
      take up to 2 from unit.health
term ann_of() gives player means the p in players where true_of(p)
term true_of(p: player) gives flag means yes
"""
UNITS = "players: [ann]\nunits: {hammer: {health: 3}}"


@pytest.mark.parametrize(
    ("script", "policy", "left"),
    [
        ("", "random", {1: Fraction(1, 6), 3: Fraction(5, 6)}),
        ("", "first", {1: Fraction(1, 3), 3: Fraction(2, 3)}),
        ("dares: no", "", {3: Fraction(1)}),
        ("dares: yes\nblow: 1", "", {1: Fraction(1)}),
        ("dares: {always: yes}", "", {1: Fraction(1, 3), 3: Fraction(2, 3)}),
    ],
)
def test_choices_follow_the_script_and_then_the_policy(script: str, policy: str, left: dict[int, Fraction]) -> None:
    found = work_out(CHOICE, "hammer.health", state=UNITS, script=script, policy=policy)
    assert get_odds(found) == left


def test_without_either_nobody_decides() -> None:
    with pytest.raises(UndecidedError):
        work_out(CHOICE, "hammer.health", state=UNITS)


def test_roles_things_terms_and_comparisons_are_asked() -> None:
    found = work_out(CHOICE, "unit.health - 1", "hammer = unit", "count(units)", state=UNITS, policy="random")
    assert [dict(each.probabilities) for each in found.distributions] == [
        {0: Fraction(1, 6), 2: Fraction(5, 6)},
        {True: Fraction(1)},
        {1: Fraction(1)},
    ]
    assert found.distributions[0].mean == Fraction(5, 3)


def test_what_goes_beyond_the_limit_is_left_open() -> None:
    found = work_out(CRAPS, most=4)
    (told,) = found.distributions
    assert found.open_share > 0
    assert sum(told.probabilities.values()) + found.open_share == 1
    assert all(
        likely <= exact
        for likely, exact in zip(told.probabilities.values(), get_odds(work_out(CRAPS)).values(), strict=False)
    )


def test_plays_that_meet_a_fault_are_told_apart() -> None:
    rules = """
procedure narrow() gives 1..5 "A name that is too small":
  let kept: 1..5 = 1
  roll d6 as blow
  set kept to blow.natural
  finish with kept
"""
    found = work_out(rules)
    assert sum(found.faults.values()) == Fraction(1, 6)
    assert sum(get_odds(found).values()) == Fraction(5, 6)
    assert found.distributions[0].mean is None


def test_a_start_refused_by_what_is_said_elsewhere_is_told_with_its_reason() -> None:
    rules = """
external term wet() gives flag "Is it wet?"
procedure march() gives 1..6 "A march":
  require dry: not wet() "the road is wet"
  roll d6 as pace
  finish with pace.natural
"""
    found = work_out(rules, script="wet: yes")
    assert found.faults == {("", "the road is wet"): Fraction(1)}


def test_what_is_elsewhere_comes_as_often_as_is_said() -> None:
    rules = """
external procedure test() gives (mine: 0..9, theirs: 0..9)
external term wind() gives 0..1 "The wind"
procedure clash() gives -9..18 "A clash":
  perform test() as first
  perform test() as second
  finish with first.mine - second.theirs + wind()
"""
    said = {
        "test": [
            {"answer": {"mine": 2, "theirs": 0}, "likely": "25 %"},
            {"answer": {"mine": 0, "theirs": 3}, "likely": 0.75},
        ],
        "wind": {"0": "2/3", "1": "1/3"},
    }
    ways: Counter[int] = Counter()
    for (mine, one), (theirs, two), (wind, three) in product([(2, 1), (0, 3)], [(0, 1), (3, 3)], [(0, 2), (1, 1)]):
        ways[mine - theirs + wind] += one * two * three
    found = work_out(rules, elsewhere=said)
    assert get_odds(found) == {value: Fraction(many, 48) for value, many in sorted(ways.items())}


def test_a_map_is_asked_for_beside_a_number() -> None:
    """What the map holds has to be known; the number that was asked first counts once all the same."""
    found = work_out(
        """
values Side: left, right
game:
  won: 0..6 = 0
  hits: map of Side to 0..6 = 0
procedure strike():
  roll d6 as blow
  set won to blow.natural
  set hits[left] to blow.natural
""",
        "won",
        "hits",
    )
    won, hits = (each.probabilities for each in found.distributions)
    assert dict(won) == dict.fromkeys(range(1, 7), Fraction(1, 6))
    assert sorted(hits.values()) == [Fraction(1, 6)] * 6
