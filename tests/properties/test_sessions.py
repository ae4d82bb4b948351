"""States are values: answering leaves them as they are, saving keeps them, the same answers lead to the same end."""

from random import Random
from typing import Any

from hypothesis import assume, given, settings, strategies as st

from rulewright.program.declarations import Program
from rulewright.runtime.executable import compile_program
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from support.judge_comparison import compile_once
from support.random_programs import make_situation, read_found, write_program
from support.reference.ruleset_texts import load_program, load_text
from support.sample_sizes import choose_count

SEEDS = st.integers(0, 2**32)


def choose_answer(question: PendingQuestion | None, draw: Random) -> Any:
    assert question is not None
    if question.sort in CHANCE_SORTS:
        return question.outcome_at(draw.randrange(question.outcome_count))
    return draw.choice(list(question.iterate_answers()))


def describe_outcome(outcome: Outcome) -> Any:
    state = getattr(outcome, "state", None)
    if state is None:
        return type(outcome)
    parts = state.columns, state.gone, state.game, state.relations, state.rolls, state.frames, state.pending
    return type(outcome), parts, hash(state), list(outcome.entries)


@settings(max_examples=choose_count(12, 50), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_a_play_is_the_same_however_it_is_gone_on_with(seed: int, play: int) -> None:
    program = load_text(write_program("random", seed)).program
    assume(program is not None)
    assert program is not None
    go_on_in_every_way(program, play)


def test_an_answer_may_name_dice_after_rolls_that_nothing_holds_any_more() -> None:
    go_on_in_every_way(load_program(read_found("random", 1814)), 447)


def go_on_in_every_way(program: Program, play: int) -> None:
    executable, draw, other = compile_once(program), Random(play), Random(play + 1)
    outcome = again = start_run(executable, make_situation(play), "main", (0, 1))
    while isinstance(outcome, Paused):
        before = describe_outcome(outcome)
        thawed = Run.thaw(executable, outcome.state)
        assert thawed.freeze() == outcome.state
        answer = choose_answer(outcome.request.question, draw)
        answer_paused(outcome, choose_answer(outcome.request.question, other))
        assert describe_outcome(outcome) == before
        assert isinstance(again, Paused)
        outcome, again, saved = answer_paused(outcome, answer), answer_paused(again, answer), thawed.reply(answer)
        assert describe_outcome(again) == describe_outcome(outcome)
        assert describe_outcome(saved)[:2] == describe_outcome(outcome)[:2]
    for made in (executable, compile_program(program, traced=False)):
        draw = Random(play)
        run = Run.begin(made, make_situation(play), "main", (0, 1))
        while isinstance(run.outcome, Paused):
            run.reply(choose_answer(run.make_question(), draw))
        assert describe_end(run.outcome) == describe_end(outcome)


def describe_end(outcome: Outcome) -> Any:
    state = getattr(outcome, "state", None)
    return type(outcome), state and (state.columns, state.gone, state.game, state.relations)
