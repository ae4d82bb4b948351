"""Whatever a play changes after a request was foreseen there."""

import pytest

from rulewright.documents.value_sampling import SeededChoices
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.state import State, list_changes
from support import exhaustive_counterfactuals
from support.legal_starts import begin_procedure
from support.random_plays import load_game

GAMES = [("risk", (), "battle"), *exhaustive_counterfactuals.GAMES]
PLAYS = 2


def played(run: Run, chooser: SeededChoices) -> list[tuple[State, frozenset[str]]]:
    """The states at the requests of a play, each with what was foreseen to change."""
    met = []
    while isinstance(run.outcome, Paused):
        met.append((run.freeze(), run.changeable_places))
        is_chance = run.make_question().sort in CHANCE_SORTS
        answers = [each.answer for each in run.chance_outcomes] if is_chance else run.legal_answers
        if not answers:
            break
        run.reply(answers[chooser.below(len(answers))])
    return met


@pytest.mark.parametrize(("name", "overlays", "procedure"), GAMES)
def test_what_changes_was_foreseen(name: str, overlays: tuple[str, ...], procedure: str) -> None:
    chosen, chooser = load_game(name, overlays, procedure), SeededChoices(7)
    executable, seen = chosen.ruleset.executable, 0
    for number in range(PLAYS * 3):
        situation = chosen.make_situation(number, chooser)
        given = situation and begin_procedure(executable, situation, chosen.procedure, chooser, RunLimits())
        if situation is None or not given:
            continue
        met = played(Run.begin(executable, situation, procedure, given[0]), chooser)
        for at, (before, foreseen) in enumerate(met):
            for after, _ in met[at + 1 :]:
                assert {each.place for each in list_changes(before, after)} <= foreseen
        seen += bool(met)
        if seen == PLAYS:
            break
