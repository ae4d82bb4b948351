"""Keys and chances against brute force: every throw of dice told apart, along every way of small procedures."""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from textwrap import indent
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.state import GameSetup, Situation
from support.judge_comparison import compile_once
from support.random_programs import make_situation, write_program
from support.reference.ruleset_texts import load_program, load_text
from support.sample_sizes import choose_count, sample_cases
from support.state_key_checks import check_request, fork_with_answer, get_run_signature, weigh_results


def read_bodies(page: str) -> dict[str, str]:
    """Bodies of procedures on a page, by the titles of their sections."""
    found = re.findall(r"^## ([^\n]*)\n\n```rules\n(.*?)\n```", page, re.MULTILINE | re.DOTALL)
    return {title: indent(body, "  ").lstrip() for title, body in found}


_PAGE = Path(__file__).with_name("dice.md").read_text(encoding="utf-8")
HEAD = _PAGE.partition("```rules\n")[2].partition("```")[0]
BODIES = read_bodies(_PAGE)


def _begin_run(body: str) -> Run:
    executable = compile_once(load_program(f"{HEAD}  {body}\n"), traced=False)
    start = Situation(GameSetup({"player": ("red",)}, {}, {}), {}, {}, {}, {}, {})
    return Run.begin(executable, start, "main", (0,))


def _compute_exactly(run: Run) -> Counter[Any]:
    """By chances, and equal keys once."""
    waiting: dict[Any, tuple[Run, Fraction]] = {get_run_signature(run): (run, Fraction(1))}
    found: Counter[Any] = Counter()
    while waiting:
        gone_on, weight = waiting.pop(next(iter(waiting)))
        if not isinstance(gone_on.outcome, Paused):
            found[gone_on.outcome.result] += weight  # type: ignore[union-attr, assignment]
            continue
        if gone_on.make_question().sort in CHANCE_SORTS:
            ways = [(each.answer, each.weight) for each in gone_on.chance_outcomes]
        else:
            ways = [(each, Fraction(1, len(gone_on.legal_answers))) for each in gone_on.legal_answers]
        for answer, likely in ways:
            then = fork_with_answer(gone_on, answer)
            _, before = waiting.get(get_run_signature(then), (None, Fraction(0)))
            waiting[get_run_signature(then)] = then, before + weight * likely
    return found


@pytest.mark.parametrize("body", sample_cases(BODIES, 2))
def test_exact_odds_are_those_of_every_throw(body: str) -> None:
    assert _compute_exactly(_begin_run(BODIES[body])) == weigh_results(_begin_run(BODIES[body]))


@pytest.mark.parametrize("body", sample_cases(BODIES, 2))
def test_so_they_are_where_like_dice_are_the_same_to_players(body: str) -> None:
    even = _begin_run(BODIES[body])
    even.executable = even.executable.with_like_dice_equated
    assert _compute_exactly(even) == weigh_results(_begin_run(BODIES[body]))


OUTCOMES = {
    name: int(number) for name, number in re.findall(r"^## (.*)\n(?:(?!## ).*\n)*?Outcomes: (\d+)", _PAGE, re.MULTILINE)
}


@pytest.mark.parametrize("body", list(OUTCOMES))
def test_there_are_as_many_outcomes_as_are_told_apart(body: str) -> None:
    assert len(_begin_run(BODIES[body]).chance_outcomes) == OUTCOMES[body]


@pytest.mark.parametrize(("body", "outcomes"), [("a choice of dice", 20), ("some picked", 20), ("picked twice", 10)])
def test_outcomes_that_differ_in_where_dice_lie_are_one_for_players_to_whom_they_are_the_same(
    body: str, outcomes: int
) -> None:
    even = _begin_run(BODIES[body])
    even.executable = even.executable.with_like_dice_equated
    assert len(even.chance_outcomes) == outcomes < len(_begin_run(BODIES[body]).chance_outcomes)


@settings(max_examples=choose_count(15, 60), deadline=None)
@given(seed=st.integers(0, 2**32), play=st.integers(0, 2**32))
def test_along_plays_of_rulesets_made_at_random(seed: int, play: int) -> None:
    found = load_text(write_program("random", seed))
    assume(not has_errors(found.diagnostics))
    assert found.program is not None
    draw = Random(play)
    run = Run.begin(compile_program(found.program, traced=False), make_situation(play), "main", (0, 1))
    for _ in range(30):
        if not isinstance(run.outcome, Paused) or run.make_question().sort in {"external", "value"}:
            return
        check_request(run, draw)
        question = run.make_question()
        if question.sort in CHANCE_SORTS:
            run.reply(question.outcome_at(draw.randrange(question.outcome_count)))
        else:
            legal = run.legal_answers[:50]
            if not legal:
                return
            run.reply(draw.choice(legal))
