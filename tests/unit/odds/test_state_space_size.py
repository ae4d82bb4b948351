"""How large a question is, as a few plays show it, beside how large it is."""

from collections.abc import Callable
from random import Random

import pytest

from rulewright.odds.exact_odds import begin_run
from rulewright.odds.state_exploration import explore_states
from rulewright.odds.state_space_size import BranchingLine, StateSpaceSize, estimate_state_space
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from support.odds_cases import CASE_FAMILIES, OddsCase, ask_case

WALK = OddsCase("""
game:
  east: 0..99 = 0
  north: 0..99 = 0
procedure walk() gives 0..9999 "Steps east or north":
  repeat while east + north < 30 at most 40:
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to east
    else:
      add up to 1 to north
  finish with east * north
""")
HAND = OddsCase("""
procedure hand() gives list of 1..20 "Late, and too much":
  roll d6 as one
  roll 20d20 as throng
  finish with [each d in throng: d.natural]
""")


def sized(case: OddsCase, most: int) -> tuple[StateSpaceSize, int]:
    """How large a case seems, and how many moments it has."""
    play, answers = ask_case(case)
    start = begin_run(play.start)
    return estimate_state_space(start, answers, most), len(explore_states(start.fork(), answers, 1_000_000).transitions)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("family", CASE_FAMILIES)
def test_what_was_seen_is_never_more_than_there_is(family: Callable[[Random], OddsCase], seed: int) -> None:
    case = family(Random(seed))
    few, moments = sized(case, 20)
    many, _ = sized(case, 400)
    assert 1 <= few.seen_states <= many.seen_states <= moments
    assert moments / 2 <= many.estimated_states <= 2 * moments


def test_a_question_too_large_to_be_seen_whole_is_estimated() -> None:
    size, moments = sized(WALK, 300)
    assert size.seen_states < moments
    assert moments / 3 <= size.estimated_states <= moments
    assert size.branching_lines == (BranchingLine("walk/throw", "roll", 2, is_frequent=True),)
    assert size == sized(WALK, 300)[0]


def test_what_comes_before_any_end_is_never_more_than_there_is() -> None:
    """A walk of thirty steps has n + 1 places after n of them; all plays end after the last."""
    size, moments = sized(WALK, 300)
    assert 30 <= size.states_before_end <= moments == 496


def test_a_roll_that_cannot_be_followed_is_met_before_all_else_is() -> None:
    play, answers = ask_case(HAND)
    with pytest.raises(TooManyOutcomesError) as met:
        estimate_state_space(begin_run(play.start), answers)
    assert met.value.address == "hand/throng"
    assert met.value.count == 20**20


ONCE = """
procedure hand() gives list of 1..20 "One throw":
  roll 4d20 as throw
  finish with [each d in throw: d.natural]
"""
LOOP = """
game:
  log: list of 0..20 = []
procedure hand() gives list of 0..20 "Throws":
  repeat while count(log) < 32 at most 8:
    roll 4d20 as throw
    set log to log + [each d in throw: d.natural]
  finish with log
"""


def test_a_roll_in_more_ways_than_are_listed_is_estimated_within_a_factor_of_five() -> None:
    play, answers = ask_case(OddsCase(ONCE))
    size = estimate_state_space(begin_run(play.start), answers)
    assert size.is_estimated
    assert 160_001 / 5 <= size.estimated_states <= 160_001 * 5
    assert size.branching_lines == (BranchingLine("hand/throw", "roll", 160_000, is_frequent=False),)


def test_what_hardly_any_two_plays_come_to_is_not_estimated() -> None:
    play, answers = ask_case(OddsCase(LOOP))
    size = estimate_state_space(begin_run(play.start), answers)
    assert not size.is_estimated
    assert size.play_count > 100
    assert size.branching_lines == (BranchingLine("hand/throw", "roll", 160_000, is_frequent=True),)
