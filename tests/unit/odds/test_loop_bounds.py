"""Loops whose bounds are promises: solved without them where next to no play reaches them, and only there."""

from fractions import Fraction

import pytest

from rulewright.odds.state_exploration import NEGLIGIBLE_SHARE
from support.odds_questions import get_odds, work_out
from unit.odds.test_exact_odds import CRAPS

WALK = """
game:
  purse: 0..10 = 5
procedure gamble() gives flag "Until broke or rich":
  repeat while purse > 0 and purse < 10 at most BOUND:
    roll d6 as throw
    if throw.natural <= 2:
      add up to 1 to purse
    else:
      take up to 1 from purse
  finish with purse = 10
"""

ONE_IN = """
procedure wait() gives 0..1 "Until a one":
  repeat while yes at most BOUND:
    roll die(SIDES) as throw
    if throw.natural = 1:
      finish with 1
  finish with 0
"""


def test_craps_comes_to_the_known_fraction_in_a_handful_of_moments() -> None:
    found = work_out(CRAPS.replace("at most 30", "at most 1000"))
    assert get_odds(found) == {False: Fraction(251, 495), True: Fraction(244, 495)}
    assert not found.faults
    assert found.error_share == NEGLIGIBLE_SHARE
    assert found.state_count < 20


def test_a_gambler_is_ruined_as_often_as_the_formula_says() -> None:
    """With one chance in three of winning, five to ten: 1 / (1 + 2^5)."""
    found = work_out(WALK.replace("BOUND", "100000"))
    assert get_odds(found) == {False: Fraction(32, 33), True: Fraction(1, 33)}


@pytest.mark.parametrize(("sides", "bound"), [(6, 100), (6, 99), (50, 100), (50, 200), (6, 1000)])
def test_what_is_left_out_is_no_more_than_is_said(sides: int, bound: int) -> None:
    found = work_out(ONE_IN.replace("SIDES", str(sides)).replace("BOUND", str(bound)))
    missed = Fraction(sides - 1, sides) ** bound
    if found.error_share:
        assert missed <= found.error_share <= NEGLIGIBLE_SHARE
        assert get_odds(found) == {1: Fraction(1)}
    else:
        assert get_odds(found) == {1: 1 - missed}
        assert [*found.faults.values()] == [missed]


def test_a_bound_that_plays_do_reach_is_followed_round_by_round() -> None:
    found = work_out(ONE_IN.replace("SIDES", "50").replace("BOUND", "200"))
    assert not found.error_share
    assert [*found.faults.values()] == [Fraction(49, 50) ** 200]


def test_a_loop_that_nobody_leaves_ends_at_its_bound() -> None:
    found = work_out("""
procedure wait() gives 0..1 "For ever":
  let thrown: 0..6 = 0
  repeat while thrown < 7 at most 300:
    roll d6 as throw
    set thrown to throw.natural
  finish with 1
""")
    assert [code for code, _ in found.faults] == ["RW0811"]


def test_a_loop_in_a_loop_begins_its_rounds_anew() -> None:
    """Three times until a six: each of them without bound, for next to none reaches it."""
    found = work_out("""
procedure wait() gives 0..3 "Three sixes":
  let sixes: 0..3 = 0
  repeat while sixes < 3 at most 500:
    let is_six: flag = no
    repeat while not is_six at most 500:
      roll d6 as throw
      set is_six to throw.natural = 6
    add up to 1 to sixes
  finish with sixes
""")
    assert get_odds(found) == {3: Fraction(1)}
    assert found.error_share
    assert found.state_count < 20


def test_rounds_that_are_counted_by_the_rules_are_told_apart() -> None:
    """A limit of the rules is part of the state, so the bound of the loop is never reached and nothing is left out."""
    found = work_out("""
procedure wait() gives 0..200 "Ten rounds":
  let rounds: 0..200 = 0
  let is_six: flag = no
  repeat while not is_six and rounds < 10 at most 100:
    roll d6 as throw
    set is_six to throw.natural = 6
    add up to 1 to rounds
  finish with rounds
""")
    assert not found.error_share
    assert get_odds(found)[10] == Fraction(5, 6) ** 9


def test_rounds_that_hardly_any_play_makes_are_not_followed() -> None:
    """The rules count them, so each is a moment of its own; 200,001 of them were followed one by one."""
    found = work_out("""
procedure wait() gives 0..100000 "Until a six":
  let rounds: 0..100000 = 0
  let is_six: flag = no
  repeat while not is_six at most 100000:
    set rounds to rounds + 1
    roll d6 as throw
    set is_six to throw.natural = 6
  finish with rounds
""")
    assert found.is_loop_cut
    assert found.error_share == 2 * NEGLIGIBLE_SHARE
    assert not found.open_share
    assert not found.faults
    assert not found.never_ends
    assert found.state_count < 6_000
    shares = get_odds(found)
    assert all(shares[rounds] == Fraction(5, 6) ** (rounds - 1) / 6 for rounds in range(1, 400))
    assert 1 - NEGLIGIBLE_SHARE <= sum(shares.values()) < 1


def test_a_loop_whose_rounds_the_rules_count_has_no_bound_either() -> None:
    """The count stops at 99: the rounds before are moments of their own, and from there on one leads back to itself."""
    found = work_out("""
procedure wait() gives flag "Until a one or a two":
  let rounds: 0..99 = 0
  step 1 "Round":
    roll d6 as throw
    if throw.natural <= 3:
      finish with throw.natural = 1 or rounds > 90
    add up to 1 to rounds
    proceed to 1 at most 100
""")
    assert found.error_share == NEGLIGIBLE_SHARE
    assert not found.faults
    assert get_odds(found)[True] == Fraction(1, 3) + Fraction(2, 3) * Fraction(1, 2) ** 91


@pytest.mark.parametrize(("performs", "most"), [("", 3), ("perform wait()", 400)])
def test_only_a_loop_that_plays_come_to_keeps_pools_from_being_left_open(performs: str, most: int) -> None:
    """The two pools are 121 moments where they are followed throw by throw."""
    found = work_out(f"""
procedure strike() gives 0..20 "Two pools":
  roll 10d6 as blows
  roll 10d6 as guards
  {performs}
  finish with count(each d in blows where d.natural > 4) + count(each d in guards where d.natural > 3)

procedure wait() "Until a one":
  repeat while yes at most 1000:
    roll d6 as throw
    if throw.natural = 1:
      finish
""")
    likely = get_odds(found)
    assert sum(likely.values()) == 1
    assert likely[20] == Fraction(1, 3) ** 10 * Fraction(1, 2) ** 10
    assert found.state_count <= most
    assert (found.state_count > 100) == bool(performs)
