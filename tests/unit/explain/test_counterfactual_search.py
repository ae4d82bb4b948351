"""Flips of random plays are real, and trying changes one by one finds no smaller one."""

import pytest

from rulewright.documents.value_sampling import SeededChoices
from rulewright.explain.explanation import replay_counterfactual
from support.exhaustive_counterfactuals import (
    GAMES,
    describe_wrong_result,
    find_wrongly_excluded_change,
    list_random_values,
    sample_wrong_pairs,
)
from support.sample_sizes import choose_count

SEED, PAIRS = 1, 40


@pytest.mark.parametrize(("name", "overlays", "procedure"), GAMES, ids=[each[0] for each in GAMES])
def test_flips_of_random_plays(name: str, overlays: tuple[str, ...], procedure: str) -> None:
    chooser, sure = SeededChoices(SEED), 0
    for each in list_random_values(name, overlays, procedure, SEED, 3):
        searched = each.search(1_500)
        if not searched.is_sure:
            continue
        sure += 1
        if searched.change_count == 1:
            assert not describe_wrong_result(each, searched), each.subject.text
        assert all(
            each.goal.holds_in_session(replay_counterfactual(each.course, flip).session)
            for flip in searched.counterfactuals
        )
        assert not sample_wrong_pairs(each, searched, PAIRS, chooser), each.subject.text
    assert sure > 1


@pytest.mark.parametrize("seed", range(choose_count(1, 3)))
@pytest.mark.parametrize(("name", "overlays", "procedure"), GAMES, ids=[each[0] for each in GAMES])
def test_what_does_not_count_changes_nothing(name: str, overlays: tuple[str, ...], procedure: str, seed: int) -> None:
    for each in list_random_values(name, overlays, procedure, seed, choose_count(2, 6)):
        assert not find_wrongly_excluded_change(each), each.subject.text
