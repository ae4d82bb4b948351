"""Odds against every throw: written out for one generated case of each sort, told apart for random procedures.

`support.odds_cases`, `support.dice_programs` and `support.pick_programs` judge hundreds.
"""

from random import Random

import pytest

from support import dice_programs, pick_programs
from support.odds_cases import CASE_FAMILIES, OddsCase, describe_difference
from support.sample_sizes import choose_count


@pytest.mark.parametrize("number", range(len(CASE_FAMILIES)))
def test_odds_are_those_of_every_throw_written_out(number: int) -> None:
    assert not describe_difference(CASE_FAMILIES[number](Random(number)))


def test_what_differs_is_noticed() -> None:
    case = CASE_FAMILIES[0](Random(0))
    assert describe_difference(OddsCase(case.rules, {**case.likely, 9: case.likely[0]}))


def test_odds_of_random_procedures_are_those_of_every_throw_told_apart() -> None:
    assert dice_programs.judge_seeds(range(1, choose_count(13, 41))) == (choose_count(6, 23), [])


def test_random_procedures_are_judged() -> None:
    found = [dice_programs.write_procedure(seed) for seed in range(1, 11)]
    assert any("keep" in each for each in found)
    assert any("reroll" in each for each in found)
    assert any("min(3, max(0" in each for each in found)


def test_odds_of_random_picks_of_dice_are_those_of_every_throw_and_answer_told_apart() -> None:
    assert pick_programs.judge_seeds(range(1, choose_count(5, 13))) == (choose_count(4, 9), [])
    # These were once false: by sets of dice that are told apart, and by a loop that reads what it adds to.
    assert pick_programs.judge_seeds([2028, 2284, 2441, 2676]) == (4, [])
