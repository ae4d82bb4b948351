"""The core of a program plays as the judge plays the program.

With `--long` the core follows every play of the judge in all tests, too; `support.core_plays` makes a million comparisons.
"""

from unittest.mock import patch

import pytest

from support import core_operations
from support.core_plays import (
    Counts,
    compare_subject,
    find_case_subject,
    find_shipped_subject,
    list_language_cases,
    list_random_subjects,
)
from support.random_plays import list_games
from support.sample_sizes import choose_count, sample_cases


def test_random_rulesets() -> None:
    counts = Counts()
    for seed in range(choose_count(6, 100)):
        for subject in list_random_subjects(seed):
            compare_subject(subject, range(seed, seed + choose_count(2, 10)), counts)
    assert counts.differing == []
    assert not counts.left_out
    assert counts.requests > counts.plays > 0.7 * counts.ends["ended"] > 0


@pytest.mark.parametrize("number", sample_cases(range(len([*list_games()])), 9))
def test_shipped_games(number: int) -> None:
    counts = Counts()
    compare_subject(find_shipped_subject(number), range(choose_count(1, 20)), counts)
    assert counts.differing == []
    assert counts.plays > 0


@pytest.mark.parametrize("number", sample_cases(range(len(list_language_cases())), 12))
def test_cases_of_the_language(number: int) -> None:
    counts, subject = Counts(), find_case_subject(number)
    if subject is not None:
        compare_subject(subject, range(choose_count(1, 10)), counts)
    assert counts.differing == []


@pytest.mark.parametrize("wrong", ["subtract", "at most", "without"])
def test_what_plays_otherwise_is_told(wrong: str) -> None:
    counts = Counts()
    with patch.dict(core_operations.OPERATIONS_ON_VALUES, {wrong: lambda left, _right: left}):
        for subject in (subject for seed in range(20) for subject in list_random_subjects(seed)):
            compare_subject(subject, [1], counts)
            if counts.differing:
                return
    raise AssertionError(f"nothing plays otherwise where `{wrong}` is wrong")
