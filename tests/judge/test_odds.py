"""Odds against every play of the judge: one case of each family, and random procedures.

`support.odds_cases` and `support.judged_odds` compare hundreds.
"""

import re
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from support import judged_odds
from support.odds_cases import CASE_FAMILIES, judge_case
from support.sample_sizes import choose_count


@pytest.mark.parametrize("number", range(len(CASE_FAMILIES)))
def test_odds_of_a_family_are_those_of_every_play_of_the_judge(number: int) -> None:
    assert not judge_case(CASE_FAMILIES[number](Random(number)))


@pytest.mark.parametrize("first", range(0, choose_count(32, 1408), 32))
def test_odds_of_random_procedures_are_those_of_every_play_of_the_judge(first: int) -> None:
    counts = judged_odds.compare_seeds(range(first, first + 32), choose_count(80, judged_odds.PLAYS))
    assert counts.differing == []
    assert counts.compared >= 12


FALSE_ONCE = re.findall(
    r"```rules\n(.*?)```", Path(__file__).with_name("odds_once_false.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize("rules", FALSE_ONCE, ids=[str(number) for number in range(1, len(FALSE_ONCE) + 1)])
def test_odds_that_were_once_false(rules: str) -> None:
    assert not judged_odds.describe_difference(rules, 100_000)


def test_odds_that_are_wrong_are_noticed() -> None:
    rules = (
        'procedure main(p: player) gives 0..9:\n  roll d3 as a\n  ask p whether more "More?":\n    roll d3 as b\n'
        "    finish with a.natural + b.natural\n  finish with a.natural\n"
    )
    assert not judged_odds.describe_difference(rules)
    weigh = judged_odds.weigh_plays
    with patch.object(judged_odds, "weigh_plays", lambda tree, _: weigh(tree, "first")):
        assert judged_odds.describe_difference(rules).startswith("random")
    with patch.object(judged_odds, "compute_best_value", lambda *_: 5):
        assert judged_odds.describe_difference(rules).startswith("best play")


def test_random_procedures_are_judged() -> None:
    found = [judged_odds.write_case(seed) for seed in range(40)]
    for said in (
        "keep",
        "reroll",
        "min(3, max(0",
        "draw from lots",
        "shuffle pile",
        "explode",
        "repeat",
        "ask p to pick",
    ):
        assert any(said in each for each in found), said
