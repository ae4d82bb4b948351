"""A program whose chosen readings are folded, as chapters tell it, plays as the whole program does."""

from dataclasses import replace

import pytest

from rulewright.documents.name_table import NameTable
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import initial_value
from rulewright.documents.value_sampling import SeededChoices
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value
from rulewright.wording.chosen_readings import fold_chosen_readings
from support.legal_starts import begin_procedure
from support.random_plays import ShippedGame, list_games, load_game, writes_setting
from support.sample_sizes import choose_count, sample_cases

PLAYS = choose_count(2, 20)
GAMES = [(name, overlays, procedure) for name, overlays, procedure in list_games() if writes_setting(name, overlays)]


@pytest.mark.parametrize("game", sample_cases(GAMES, 7), ids=lambda game: "-".join((game[0], *game[1], game[2])))
def test_folded_readings_play_as_the_whole_program_does(game: tuple[str, tuple[str, ...], str]) -> None:
    chosen = load_game(*game)
    assert chosen.ruleset.program.settings
    whole = chosen.ruleset.executable
    readings = fold_chosen_readings(chosen.ruleset.program)
    folded = compile_program(readings.program, traced=True)
    played = 0
    for seed in range(PLAYS * 20):
        chooser = SeededChoices(seed)
        situation = _choose_written_readings(chosen, chosen.make_situation(seed, chooser))
        start = situation and begin_procedure(whole, situation, chosen.procedure, chooser, RunLimits())
        if situation is None or not start:
            continue
        assert _play(whole, chosen, situation, start[0], seed) == _play(folded, chosen, situation, start[0], seed)
        played += 1
        if played == PLAYS:
            return
    assert played


def _choose_written_readings(chosen: ShippedGame, situation: Situation | None) -> Situation | None:
    if situation is None:
        return None
    written = {name: initial_value(setting) for name, setting in chosen.ruleset.program.settings.items()}
    return replace(situation, base=replace(situation.base, settings=written))


def _play(
    executable: Executable, chosen: ShippedGame, situation: Situation, arguments: tuple[Value, ...], seed: int
) -> object:
    """The end as data, or another outcome by its name; and each question with its answer."""
    program = executable.program
    sources = AnswerSourceChain(NameTable(chosen.ruleset.program, situation.base), SeededRandom(seed), policy="random")
    session = run_to_end(PlayStart(executable, chosen.procedure, situation, arguments, RunLimits()), sources).session
    outcome = session.outcome
    end = state_to_json(outcome.state.extract_situation(), program) if isinstance(outcome, Ended) else type(outcome)
    return end, [(turn.paused.asked.line_address, turn.answer.value) for turn in session.turns]
