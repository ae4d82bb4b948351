"""The core of a program plays as the judge plays the program.

In all tests it follows every play of the judge (`tests/conftest.py`); `support.core_plays` makes ten million comparisons of four
engines.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest

from rulewright.program.core.operations import OPERATIONS
from support import core_operations
from support.core_plays import (
    JUDGE_AND_BATCH,
    JUDGE_AND_CORE,
    JUDGE_AND_RECORD,
    JUDGE_AND_RUN,
    Counts,
    EngineSubject,
    compare_subject,
    find_case_subject,
    find_shipped_subject,
    list_language_cases,
    list_random_subjects,
    load_found_subject,
    make_subject,
)
from support.random_plays import list_games
from support.reference.ruleset_texts import load_program
from support.sample_sizes import choose_count, sample_cases


@pytest.mark.parametrize("seed", range(choose_count(4, 40)))
def test_the_machine_plays_random_rulesets(seed: int) -> None:
    counts = Counts()
    for subject in list_random_subjects(seed):
        compare_subject(subject, [seed, seed + 1], counts, machine=True)
    assert counts.differing == []
    assert counts.plays > 0


FOUND = [1001, 1002, 1008, 1015, 1019, 135, 209]
"""Programs in which a watch, a window, a block behind `else` or a pick waits for a value from outside; in the last two a line
that may nest so deep stands in ranges of steps that are performed."""


@pytest.mark.parametrize("seed", FOUND)
def test_the_machine_plays_what_it_once_played_otherwise(seed: int) -> None:
    counts = Counts()
    compare_subject(load_found_subject("thick", seed), [seed, seed + 1], counts, machine=True)
    assert counts.differing == []
    assert counts.plays > 0


def test_a_standing_rule_that_asks_is_measured_before_anything_settles() -> None:
    counts, subject = Counts(), find_case_subject("placing/good/piling_in")
    assert subject is not None
    compare_subject(subject, range(95, 98), counts, machine=True)
    assert counts.differing == []
    assert counts.ends["RW0814"] > 0


@pytest.mark.parametrize("seed", range(choose_count(1, 10)))
def test_four_engines_play_random_rulesets(seed: int) -> None:
    counts = Counts()
    for subject in map(EngineSubject.compile, list_random_subjects(seed)):
        subject.compare_procedure("main", seed, (2, 3), counts)
    assert counts.differing == []
    assert counts.pairs.keys() == {JUDGE_AND_BATCH, JUDGE_AND_CORE, JUDGE_AND_RECORD, JUDGE_AND_RUN}
    assert counts.pairs.total() == counts.plays


def test_a_place_that_a_better_one_rules_out_is_refused() -> None:
    counts, subject = Counts(), find_case_subject("placing/good/a_charge")
    assert subject is not None
    compiled = EngineSubject.compile(subject)
    for seed in range(choose_count(4, 20)):
        compiled.compare_procedure("charge", seed, (2, 3), counts)
    assert counts.differing == []
    assert counts.pairs[JUDGE_AND_RECORD] > 10


@pytest.mark.parametrize("number", sample_cases(range(len([*list_games()])), 9))
def test_shipped_games(number: int) -> None:
    counts = Counts()
    compare_subject(find_shipped_subject(number), range(choose_count(1, 20)), counts)
    assert counts.differing == []
    assert counts.plays > 0


@pytest.mark.parametrize("name", sample_cases([name for name, _ in list_language_cases()], 40))
def test_cases_of_the_language(name: str) -> None:
    counts, subject = Counts(), find_case_subject(name)
    if subject is not None:
        compare_subject(subject, range(choose_count(1, 10)), counts)
    assert counts.differing == []


COVERING = (
    "changes/good/a_part_rounded",
    "changes/good/entries_and_parts",
    "decks/good/a_deck_that_runs_out",
    "decisions/good/a_turn_with_rows",
    "dice/good/tens_and_units",
    "events/good/windows_and_handlers",
    "expressions/good/connected_without_the_gone",
    "expressions/good/the_place_of_a_direction",
    "externals/good/terms_and_procedures",
    "first_taker/good/one_interrupts",
    "placing/good/piling_in",
    "plane/good/arcs_walls_and_bases",
    "plane/good/edges_of_a_base",
    "plane/good/moving_and_turning",
    "ranks/good/dice_in_pairs",
    "secrets/good/a_hand_of_secret_cards",
    "secrets/good/who_was_asked_has_an_answer",
    "squares/good/a_board_of_squares",
    "squares/good/corners",
    "tracing/good/rows_count_wherever_they_are_asked",
    "values/good/several_at_once",
)
"""Cases of the language that use nearly all operations."""
BESIDE = """\
ruleset example "Example" revision "1"
values Mood: calm, wary, angry
kind Unit, units:
  owner: player
  health: 0..9 = 3
  mood: Mood = calm
game:
  tokens: bag of 1..6 = {}
  row: list of 0..9 = [3, 1, 3, 2]
  worth: map of Unit to 0..9 = 2
record Score:
  low: 0..9
  high: 0..99
procedure go(u: Unit, t: Unit) gives 0..99:
  let more: map of Unit to 0..9 = 2
  set more[u] to 5
  set worth[t] to 4
  set tokens to {1, 2, 2}
  set tokens to tokens - {2, 6}
  set tokens to tokens + {each x in units: min(6, x.health + 1)}
  set row to row - [3]
  set row to row + [1]
  set row[1] to 8
  let score = Score(low: min(row), high: sum(row))
  set score.low to max(row)
  set t.mood to along(u.mood, 1)
  set u.health to max(0, min(9, -t.health + floor(score.high * 2 / 3)))
  finish with min(99, abs(3 - score.low) + count(row) + max(worth[u], more[t]))
"""


def test_every_operation_is_compared() -> None:
    counts, used = Counts(), set[str]()

    def record(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: used.add(name) or compute(*given)

    subjects = [*map(find_case_subject, COVERING), make_subject("beside", load_program(BESIDE))]
    with ExitStack() as patches:
        for table in (core_operations.OPERATIONS_ON_VALUES, core_operations.OPERATIONS_IN_PLAY):
            recording = {name: record(name, compute) for name, compute in table.items()}
            patches.enter_context(patch.dict(table, recording))
        for subject in subjects:
            assert subject is not None
            compare_subject(subject, range(4), counts)
    assert counts.differing == []
    assert OPERATIONS.keys() == used


@pytest.mark.parametrize("wrong", ["subtract", "at most", "without"])
def test_what_plays_otherwise_is_told(wrong: str) -> None:
    counts = Counts()
    with patch.dict(core_operations.OPERATIONS_ON_VALUES, {wrong: lambda left, _right: left}):
        for subject in (subject for seed in range(20) for subject in list_random_subjects(seed)):
            compare_subject(subject, [1], counts)
            if counts.differing:
                return
    raise AssertionError(f"nothing plays otherwise where `{wrong}` is wrong")
