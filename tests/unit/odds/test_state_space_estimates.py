"""Estimates of how many moments of play there are, beside all of them counted, for questions of many sorts."""

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

import pytest

from rulewright.odds.exact_odds import begin_run
from rulewright.odds.state_exploration import explore_states, explore_without_loop_bounds
from rulewright.odds.state_space_size import BranchingLine, StateSpaceSize, estimate_effort, estimate_state_space
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from support.odds_cases import CASE_FAMILIES, OddsCase
from support.odds_questions import ask_play, make_answerer

_PAGE = Path(__file__).with_name("questions.md").read_text(encoding="utf-8")
_QUESTION = re.compile(r"^## (.*)\n\n```rules\n((?:.+\n)*)```\n(?:\nMoments: (\d+)\n)?", re.MULTILINE)
QUESTIONS = {title: (rules, int(moments or 0)) for title, rules, moments in _QUESTION.findall(_PAGE)}
"""Rules, and how many moments there are, if that is known."""


def estimate(rules: str, most: int = 0) -> StateSpaceSize:
    play = ask_play(rules)
    return estimate_state_space(begin_run(play.start), make_answerer(play), *([most] if most else []))


def count_moments(title: str) -> int:
    play = ask_play(QUESTIONS[title][0])
    answers = make_answerer(play, policy="random")
    return len(explore_without_loop_bounds(begin_run(play.start), answers, 400_000).explored.transitions)


@pytest.mark.parametrize("title", QUESTIONS)
def test_an_estimate_is_within_a_factor_of_five(title: str) -> None:
    rules, known = QUESTIONS[title]
    play = ask_play(rules)
    size = estimate_state_space(begin_run(play.start), make_answerer(play, policy="random"))
    moments = known or count_moments(title)
    assert moments / 5 <= size.estimated_states <= 5 * moments


@pytest.mark.long
@pytest.mark.parametrize("title", [title for title, (_, known) in QUESTIONS.items() if known])
def test_what_is_known_is_so(title: str) -> None:
    assert count_moments(title) == QUESTIONS[title][1]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("family", CASE_FAMILIES)
def test_what_was_seen_is_never_more_than_there_is(family: Callable[[Random], OddsCase], seed: int) -> None:
    case = family(Random(seed))
    play = ask_play(case.rules, state=case.state, best=case.best)
    start, answers = begin_run(play.start), make_answerer(play)
    few, many = (estimate_state_space(start.fork(), answers, most) for most in (20, 400))
    moments = len(explore_states(start, answers, 1_000_000).transitions)
    assert 1 <= few.seen_states <= many.seen_states <= moments
    assert moments / 2 <= many.estimated_states <= 2 * moments


def test_a_walk_of_thirty_steps() -> None:
    """It has n + 1 places after n of them; all plays end after the last."""
    walk = QUESTIONS["A walk on a grid"][0].replace("60", "30")
    size = estimate(walk, 300)
    assert size == estimate(walk, 300)
    assert 30 <= size.states_before_end <= 496
    assert size.seen_states < 496
    assert 496 / 3 <= size.estimated_states <= 496
    assert size.branching_lines == (BranchingLine("walk/throw", "roll", 2, is_frequent=True),)


def test_what_hardly_any_two_plays_come_to_is_said_to_be_unknown() -> None:
    """More than a million: five of eighteen, in order."""
    drawn = QUESTIONS["A bag of which what is drawn is a set"][0]
    drawn = drawn.replace("15, 16}", "15, 16, 17, 18}").replace("hand: set of 1..60 = {}", "hand: list of 1..60 = []")
    drawn = drawn.replace("< 8", "< 5").replace("add one to hand", "set hand to hand + [one]")
    size = estimate(drawn)
    assert not size.is_estimated
    assert size.estimated_states < 1_106_821
    assert size.play_count > 100


def test_a_roll_in_more_ways_than_are_listed_is_told() -> None:
    once = QUESTIONS["One roll of which every die is looked at"][0]
    assert estimate(once).branching_lines == (BranchingLine("hand/throw", "roll", 20**4, is_frequent=False),)
    with pytest.raises(TooManyOutcomesError) as met:
        estimate(once.replace("4d20", "20d20").replace("  roll", "  roll d6 as one\n  roll"))
    assert (met.value.address, met.value.count) == ("hand/throw", 20**20)


def test_an_estimate_hangs_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small question is followed whole, a large one looked at, however fast the machine is."""
    told = []
    for pace in (1e-6, 1e6):
        times = count(0.0, pace)
        monkeypatch.setattr("rulewright.odds.state_space_size.monotonic", lambda times=times: next(times))
        for title in ("A gambler without end", "A memory of throws", "One roll of which every die is looked at"):
            play = ask_play(QUESTIONS[title][0])
            found = estimate_effort(play, make_answerer(play), 200_000, lambda _: None)
            told.append((found.state_count, found.size, found.step_count))
    assert told[:3] == told[3:]
    assert told[0][:2] == (201, None)
    assert told[2][0] is None
    assert told[2][1] is not None
