"""A play recorded for a decisive story alone is told in the same words as one that is recorded whole."""

import pytest

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.documents.name_table import NameTable
from rulewright.documents.value_sampling import SeededChoices
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.play_story import Story
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, run_to_end
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from support.legal_starts import begin_procedure
from support.random_plays import list_games, load_game
from support.sample_sizes import choose_count, sample_cases

PLAYS = choose_count(1, 8)


def _tell_decisive_story(session: Session) -> list[str]:
    return list(Story(session.start.names, "decisive", PLAIN_PAINTER).render_session(session))


@pytest.mark.long
@pytest.mark.parametrize(("name", "overlays", "procedure"), sample_cases(list_games(), 6))
def test_the_decisive_story_is_the_same(name: str, overlays: tuple[str, ...], procedure: str) -> None:
    chosen = load_game(name, overlays, procedure)
    whole, program = chosen.ruleset.executable, chosen.ruleset.program
    decisive = compile_program(program, traced=True, decisive=True)
    compared = fewer = 0
    for seed in range(PLAYS * 12):
        chooser = SeededChoices(seed)
        situation = chosen.make_situation(seed, chooser)
        start = situation and begin_procedure(whole, situation, chosen.procedure, chooser, RunLimits())
        if situation is None or not start:
            continue
        sources = AnswerSourceChain(NameTable(program, situation.base), SeededRandom(seed), policy="random")
        first, second = (
            run_to_end(PlayStart(each, chosen.procedure, situation, start[0], RunLimits()), sources).session
            for each in (whole, decisive)
        )
        assert _tell_decisive_story(first) == _tell_decisive_story(second)
        assert type(first.outcome) is type(second.outcome)
        compared += 1
        fewer += len(second.entries) < len(first.entries)
        if compared == PLAYS and fewer:
            break
    assert compared
    assert fewer
