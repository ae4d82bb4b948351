"""States are values: answering leaves them as they are, encoding keeps them, the same answers lead to the same end."""

from random import Random
from typing import Any

from hypothesis import example, given, settings, strategies as st

from rulewright.runtime.executable import compile_program
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from support.judge_comparison import compile_once
from support.random_rulesets import RulesetWriter, make_situation
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

SEEDS = st.integers(0, 2**32)
CHANCE = frozenset({"roll", "draw", "shuffle"})


def _play_recorded(seed: int, play: int) -> tuple[list[Outcome], list[Any], Any]:
    """The outcomes of a play, its answers, and what was compiled."""
    found = load_text(RulesetWriter(seed).write_ruleset())
    assert found.program is not None
    executable = compile_once(found.program)
    draw = Random(play)
    outcome = start_run(executable, make_situation(play), "main", (0, 1))
    outcomes, answers = [outcome], []
    while isinstance(outcome, Paused):
        answer = _choose_answer(outcome.request.question, draw)
        answers.append(answer)
        outcome = answer_paused(outcome, answer)
        outcomes.append(outcome)
    return outcomes, answers, executable


def _choose_answer(question: PendingQuestion | None, draw: Random) -> Any:
    assert question is not None
    if question.sort in CHANCE:
        return question.outcome_at(draw.randrange(question.outcome_count))
    return draw.choice(list(question.iterate_answers()))


def _get_state(outcome: Outcome) -> Any:
    return getattr(outcome, "state", None)


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_the_same_answers_lead_to_the_same_states(seed: int, play: int) -> None:
    outcomes, answers, executable = _play_recorded(seed, play)
    outcome = start_run(executable, make_situation(play), "main", (0, 1))
    again = [outcome]
    for answer in answers:
        assert isinstance(outcome, Paused)
        outcome = answer_paused(outcome, answer)
        again.append(outcome)
    assert [type(each) for each in again] == [type(each) for each in outcomes]
    assert [_get_situation(each) for each in again] == [_get_situation(each) for each in outcomes]
    assert [list(each.entries) for each in again] == [list(each.entries) for each in outcomes]


def _get_situation(outcome: Outcome) -> Any:
    state = _get_state(outcome)
    if state is None:
        return None
    return state.columns, state.gone, state.game, state.relations, state.rolls, state.frames, state.pending


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_a_fork_leaves_its_sibling_as_it_was(seed: int, play: int) -> None:
    outcomes, _, _ = _play_recorded(seed, play)
    draw = Random(play + 1)
    for outcome in outcomes:
        if isinstance(outcome, Paused):
            before = _get_situation(outcome), hash(outcome.state)
            answer_paused(outcome, _choose_answer(outcome.request.question, draw))
            assert (_get_situation(outcome), hash(outcome.state)) == before


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS, play=SEEDS)
@example(seed=1814, play=447)  # an answer names dice after rolls that nothing holds any more
def test_a_saved_state_goes_on_as_the_state_itself(seed: int, play: int) -> None:
    outcomes, answers, executable = _play_recorded(seed, play)
    for outcome, answer, following in zip(outcomes, answers, outcomes[1:], strict=False):
        assert isinstance(outcome, Paused)
        thawed = Run.thaw(executable, outcome.state)
        assert thawed.freeze() == outcome.state
        gone_on = thawed.reply(answer)
        assert type(gone_on) is type(following)
        assert _get_situation(gone_on) == _get_situation(following)


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_a_play_that_nobody_looks_at_comes_to_the_same_end(seed: int, play: int) -> None:
    outcomes, _, executable = _play_recorded(seed, play)
    for traced in (True, False):
        draw = Random(play)
        made = executable if traced else compile_program(executable.program, traced=False)
        run = Run.begin(made, make_situation(play), "main", (0, 1))
        while isinstance(run.outcome, Paused):
            run.reply(_choose_answer(run.make_question(), draw))
        assert type(run.outcome) is type(outcomes[-1])
        assert _get_end(run.outcome) == _get_end(outcomes[-1])


def _get_end(outcome: Outcome) -> Any:
    state = _get_state(outcome)
    return None if state is None else (state.columns, state.gone, state.game, state.relations)
