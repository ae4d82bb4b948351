"""What a slice leaves out changes nothing: start values and answers of random plays, changed beside the slice."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest

from rulewright.explain.alternatives import list_start_changes
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.program.core.lowering import lower_program
from rulewright.program.effects import list_state_places
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.control_flow_builder import FrameAnalysis
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from rulewright.runtime.slicing import PROCEDURE_RESULT, RelevanceAnalysis
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value
from support.core_plays import Subject, list_random_subjects
from support.sample_sizes import choose_count

STARTS, WANTED = 2, 6


def reseed(seed: int, lines: frozenset[str]) -> SeededRandom:
    """Random numbers of a seed, but others at some lines."""
    usual, others = SeededRandom(seed), SeededRandom(seed + 1)

    class Reseeded(SeededRandom):
        def below(self, line: str, occasion: int, limit: int) -> int:
            return choose(line).below(line, occasion, limit)

        def roll_faces(self, line: str, *of: Any) -> tuple[Value, ...]:
            return choose(line).roll_faces(line, *of)

    def choose(line: str) -> SeededRandom:
        return others if strip_address_numbers(line) in lines else usual

    return Reseeded(seed)


def play(begun: PlayStart, chance: SeededRandom) -> Ended | None:
    outcome = run_to_end(begun, AnswerSourceChain(begun.names, chance, policy="random")).session.outcome
    return outcome if isinstance(outcome, Ended) else None


def read_place(executable: Executable, ended: Ended, place: str) -> Any:
    layout, state = executable.layout, ended.state
    owner, _, name = place.partition("/")
    if place == PROCEDURE_RESULT:
        return ended.result
    if place in layout.columns:
        return state.columns[layout.columns.index(place)]
    if name == "gone":
        return state.gone[layout.kinds.index(owner)]
    if owner == "game":
        return state.game[layout.game.index(name)]
    groups = (layout.cells, state.cells), (layout.sides, state.sides), (layout.relations, state.relations)
    return next(values[names.index(place)] for names, values in groups if place in names)


def find_differences(subject: Subject, seed: int) -> Iterator[str]:
    """Places that come out otherwise when something beside their slice is changed."""
    chooser, program = Random(seed), subject.program
    executable = compile_program(program, traced=False)
    analysis = RelevanceAnalysis(program, FrameAnalysis(lower_program(program)))
    places = [*sorted(list_state_places(program)), PROCEDURE_RESULT]
    for situation, arguments in islice(subject.list_begins("main", seed), STARTS):

        def begin(start: Situation, arguments: tuple[Any, ...] = arguments) -> PlayStart:
            return PlayStart(executable, program.procedures["main"], start, arguments, RunLimits())

        begun = begin(situation)
        usual = play(begun, SeededRandom(seed))
        if usual is None:
            continue
        changes = list_start_changes(begun, (), frozenset())
        for place in chooser.sample(places, min(WANTED, len(places))):
            found = analysis.find_relevant("main", frozenset({place}))
            assert found is not None
            free = [change for change in changes if change.stored_place not in found.places]
            start = situation
            for change in chooser.sample(free, min(2, len(free))):
                start = change.apply_to_start(start)
            lines = found.analysed_questions - found.relevant_questions
            changed = play(begin(start), reseed(seed, lines))
            if changed is not None and read_place(executable, changed, place) != read_place(executable, usual, place):
                yield f"{subject.name}: {place}"


@pytest.mark.parametrize("seed", range(choose_count(3, 200)))
def test_what_a_slice_leaves_out_changes_nothing(seed: int) -> None:
    for subject in list_random_subjects(seed):
        assert [*find_differences(subject, seed)] == []
