"""Whatever a play changes after a request was foreseen there."""

import pytest

from rulewright.machine.faults import Limits
from rulewright.machine.request import CHANCE
from rulewright.machine.run import Paused, Run
from rulewright.machine.state import State, changes
from rulewright.situations.values import Seeded
from support import flips
from support.beginnings import begun
from support.random_plays import game

GAMES = [("risk", (), "battle"), *flips.GAMES]
PLAYS = 2


def played(run: Run, chooser: Seeded) -> list[tuple[State, frozenset[str]]]:
    """The states at the requests of a play, each with what was foreseen to change."""
    met = []
    while isinstance(run.outcome, Paused):
        met.append((run.freeze(), run.changing))
        if run.question().sort not in CHANCE and not run.legal:
            break
        count = len(run.chances if run.question().sort in CHANCE else run.legal)
        run.take(chooser.below(count))
    return met


@pytest.mark.parametrize(("name", "overlays", "procedure"), GAMES)
def test_what_changes_was_foreseen(name: str, overlays: tuple[str, ...], procedure: str) -> None:
    chosen, chooser = game(name, overlays, procedure), Seeded(7)
    executable, seen = chosen.ruleset.executable, 0
    for number in range(PLAYS * 3):
        situation = chosen.situation(number, chooser)
        given = situation and begun(executable, situation, chosen.procedure, chooser, Limits())
        if situation is None or not given:
            continue
        met = played(Run.begin(executable, situation, procedure, given[0]), chooser)
        for at, (before, foreseen) in enumerate(met):
            for after, _ in met[at + 1 :]:
                assert {each.place for each in changes(before, after)} <= foreseen
        seen += bool(met)
        if seen == PLAYS:
            break
