"""Core programs made at random: what they are made of, that they keep the invariants, and that they play the same again."""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.printing import render_core
from rulewright.program.core.walking import walk_forms, walk_statements
from support.core_invariants import check_core
from support.random_core import list_smaller, play_random_core, shrink_core, write_core
from support.sample_sizes import choose_count

SEEDS = range(choose_count(12, 400))
PLAYS = choose_count(2, 4)
write_once = cache(write_core)
ON_THE_PLANE = {core.Poses, core.Headings}


@pytest.mark.parametrize("seed", SEEDS)
def test_random_core_keeps_the_invariants_and_plays_the_same_again(seed: int) -> None:
    program = write_once(seed)
    assert check_core(program) == []
    assert program == write_core(seed)
    for play in range(PLAYS):
        one, other = play_random_core(program, play), play_random_core(write_core(seed), play)
        assert (one.how, one.result, one.asked, one.game) == (other.how, other.result, other.asked, other.game)


def test_all_forms_are_written() -> None:
    met = {type(form) for seed in range(30) for form in walk_forms(write_once(seed).routines)}
    wanted = {*get_args(core.Statement), *get_args(core.Expression), *get_args(core.AnswerSpace)}
    assert wanted - met == ON_THE_PLANE


def test_what_no_text_lowers_to_is_written() -> None:
    """Stops in loops of windows, jumps out of loops, ends of outer calls in handlers, lazy external values."""
    programs = [write_once(seed) for seed in range(60)]
    assert any(map(stops_in_a_loop_of_a_window, programs))
    assert any(map(jumps_out_of_two_loops, programs))
    for key in ("rule:despair", "handler:flinch"):
        assert any(unwinds(program, key) for program in programs)
    assert any(map(wants_a_value_lazily, programs))


def stops_in_a_loop_of_a_window(program: core.CoreProgram) -> bool:
    return any(
        isinstance(inner, core.Ask | core.Roll | core.Call)
        for loop in list_loops(program.routines["window:called"].entry)
        for inner in walk_statements(loop.body)
    )


def list_loops(*blocks: core.Block) -> Iterator[core.For | core.Loop]:
    return (form for form in walk_statements(*blocks) if isinstance(form, core.For | core.Loop))


def jumps_out_of_two_loops(program: core.CoreProgram) -> bool:
    main = program.routines["procedure:main"]
    return any(
        isinstance(form, core.Jump)
        for outer in list_loops(*(step.block for step in main.steps))
        for inner in list_loops(outer.body)
        for form in walk_statements(inner.body)
    )


def unwinds(program: core.CoreProgram, key: str) -> bool:
    return any(isinstance(form, core.Unwind) for form in walk_statements(program.routines[key].entry))


def wants_a_value_lazily(program: core.CoreProgram) -> bool:
    return any(
        isinstance(inner, core.Wanted) and inner.default is None
        for form in walk_forms(program.routines["procedure:main"])
        if isinstance(form, core.Cond)
        for inner in walk_forms(form.then, form.other)
    )


def test_plays_end_and_ask() -> None:
    plays = [play_random_core(write_once(seed), play) for seed in range(50) for play in range(2)]
    assert sum(play.how == "ended" for play in plays) > len(plays) / 4
    sorts = {asked.sort for play in plays for asked in play.asked}
    assert sorts >= {"roll", "draw", "external", "value", "whether", "one", "handlers"}


def count_statements(program: core.CoreProgram, *keys: str) -> int:
    return sum(1 for key in keys for _ in walk_statements(program.routines[key].entry, program.routines[key].steps))


def test_what_fails_is_made_smaller() -> None:
    def fails(program: core.CoreProgram) -> bool:
        return any(asked.sort == "roll" for asked in play_random_core(program, 1).asked)

    program = next(program for seed in range(20) if fails(program := write_core(seed, budget=20)))
    small = shrink_core(program, fails)
    assert fails(small)
    assert check_core(small) == []
    assert count_statements(small, "procedure:main") <= 8, "\n".join(render_core(small))
    assert not any(check_core(each) == [] and fails(each) for each in list_smaller(small))


def test_every_smaller_program_has_less() -> None:
    program = write_once(1)
    size: Any = count_statements(program, *program.routines)
    assert all(count_statements(each, *each.routines) < size for each in list_smaller(program))
