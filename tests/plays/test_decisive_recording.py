"""A play recorded for a decisive story alone is told in the same words as one that is recorded whole."""

import pytest

from rulewright.diagnostics.terminal import PLAIN
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import run
from rulewright.drivers.session import Begun, Session
from rulewright.drivers.sources import Sources
from rulewright.drivers.story import Story
from rulewright.inputs.names import Names
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Limits
from rulewright.situations.values import Seeded
from support.beginnings import begun
from support.draws import drawn, sampled
from support.random_plays import game, games

PLAYS = drawn(1, 8)


def _told(session: Session) -> list[str]:
    return list(Story(session.begun.names, "decisive", PLAIN).lines(session))


@pytest.mark.parametrize(("name", "overlays", "procedure"), sampled(games(), 6))
def test_the_decisive_story_is_the_same(name: str, overlays: tuple[str, ...], procedure: str) -> None:
    chosen = game(name, overlays, procedure)
    whole, program = chosen.ruleset.executable, chosen.ruleset.program
    decisive = compile_program(program, traced=True, decisive=True)
    compared = fewer = 0
    for seed in range(PLAYS * 12):
        chooser = Seeded(seed)
        situation = chosen.situation(seed, chooser)
        start = situation and begun(whole, situation, chosen.procedure, chooser, Limits())
        if situation is None or not start:
            continue
        sources = Sources(Names(program, situation.base), Chance(seed), policy="random")
        first, second = (
            run(Begun(each, chosen.procedure, situation, start[0], Limits()), sources).session
            for each in (whole, decisive)
        )
        assert _told(first) == _told(second)
        assert type(first.outcome) is type(second.outcome)
        compared += 1
        fewer += len(second.entries) < len(first.entries)
        if compared == PLAYS and fewer:
            break
    assert compared
    assert fewer
