"""A play of a core program comes to the same before and after its normalization, each routine in normal form."""

import pytest

from support.normal_form_plays import compare_random_core, compare_subject, list_subjects
from support.sample_sizes import choose_count

ROUNDS = range(choose_count(2, 12))
LEAVING_BOUNDS = 88
"""A round in which a number that is added would leave its bounds: what is tested is no number within them."""


@pytest.mark.parametrize("number", [*ROUNDS, LEAVING_BOUNDS])
def test_normal_forms_of_random_programs_play_alike(number: int) -> None:
    for subject in list_subjects(number):
        _, differing = compare_subject(subject, range(number, number + 2), inlines=bool(number % 2))
        assert differing == []


@pytest.mark.parametrize("seed", ROUNDS)
def test_normal_forms_of_random_core_play_alike(seed: int) -> None:
    assert compare_random_core(seed, 3) == []
