"""Plays of both revisions drawn from one sequence of choices: the situation, the roles and every answer."""

from rulewright.diff.differential_testing.harness import Harness
from rulewright.diff.differential_testing.initial_states import (
    PairedState,
    draw_starts,
    drop_changed_values,
    pair_state,
)
from rulewright.diff.differential_testing.paired_play import UNUSABLE, PairedPlay, play_side_by_side
from rulewright.diff.differential_testing.results import ROLES_COST, SITUATION_COST, WorkBudget
from rulewright.diff.differential_testing.shared_questions import draw_answers
from rulewright.documents.state_generation import make_state, vary_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import (
    ChoiceSource,
    NoValueError,
    SizeRanges,
    choose_one,
    choose_with_chance,
)
from rulewright.program.declarations import Program
from rulewright.runtime.request import Faulted

_FIXTURE_PERCENT, _UNVARIED_PERCENT, _DROP_VALUES_PERCENT, _EMPTY_KIND_PERCENT = 65, 15, 50, 6
_PLAYER_COUNTS = ((2, 2),) * 6 + ((0, 0), (1, 1), (3, 3), (4, 4))


def draw_play(
    harness: Harness, entrance: tuple[str, str], choices: ChoiceSource, work: WorkBudget
) -> PairedPlay | None:
    """Play from an entry procedure, by its old and new name; None where the choices lead to none."""
    side = choices.below(2)
    work.spend_units(SITUATION_COST)
    state = _draw_state(harness, side, choices)
    if state is None:
        return None
    procedures = harness.entry_procedures(entrance)
    for opened in draw_starts(state, side, procedures, harness.translations, choices):
        play = play_side_by_side(
            harness.executables, opened, lambda question, common: draw_answers(question, common, choices)
        )
        work.spend_units(ROLES_COST + play.work_units)
        if play.difference != UNUSABLE:
            return play
        harness.reset_probes()
        if play.turns or isinstance(play.outcomes[0], Faulted):
            return None
    return None


def _draw_state(harness: Harness, side: int, choices: ChoiceSource) -> PairedState | None:
    """State of one revision with its counterpart: generated, or one that is written beside it, mostly varied."""
    program = harness.programs[side]
    fixtures = harness.task.fixtures.new if side else harness.task.fixtures.old
    try:
        if fixtures and choose_with_chance(choices, _FIXTURE_PERCENT):
            fixture = choose_one(choices, fixtures)
            state = (
                state_to_json(fixture, program)
                if choose_with_chance(choices, _UNVARIED_PERCENT)
                else vary_state(
                    program,
                    fixture,
                    SizeRanges(constants=harness.constants, settings=harness.settings),
                    choices,
                )
            )
        else:
            state = make_state(program, _draw_sizes(harness, program, choices), choices)
    except NoValueError:
        return None
    if choose_with_chance(choices, _DROP_VALUES_PERCENT):
        state = drop_changed_values(state, harness.task.altered.names[side], program)
    return pair_state(state, side, harness.translations, choices)


def _draw_sizes(harness: Harness, program: Program, choices: ChoiceSource) -> SizeRanges:
    """Numbers of things per kind: mostly two players; sometimes another number, or none of some kind."""
    nothing = (
        {choose_one(choices, list(program.kinds)): (0, 0)} if choose_with_chance(choices, _EMPTY_KIND_PERCENT) else {}
    )
    players = choose_one(choices, _PLAYER_COUNTS)
    return SizeRanges(players, nothing, constants=harness.constants, settings=harness.settings)
