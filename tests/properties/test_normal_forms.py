"""A play of a core program comes to the same before and after its normalization, each routine in normal form."""

import pytest

from support.core_plays import load_found_subject
from support.normal_form_plays import compare_subject, list_subjects
from support.sample_sizes import choose_count

ROUNDS = range(choose_count(3, 16))


@pytest.mark.parametrize("number", ROUNDS)
def test_normal_forms_of_random_programs_play_alike(number: int) -> None:
    for subject in list_subjects(number):
        _, differing = compare_subject(subject, range(number, number + 2), inlines=bool(number % 2))
        assert differing == []


@pytest.mark.parametrize("sort", ["random", "thick"])
def test_what_is_tested_is_no_number_within_its_bounds(sort: str) -> None:
    """Where a number that is added would leave its bounds."""
    _, differing = compare_subject(load_found_subject(sort, 88), range(88, 90), inlines=False)
    assert differing == []
