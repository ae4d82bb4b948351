"""No statement of core stops of which the analysis says that it does not: random rulesets."""

from random import Random
from typing import Any

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.stopping import StopAnalysis, Volume
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.core_interpreter import CoreInterpreter, Frame, Run
from support.judge_comparison import choose_answer
from support.random_programs import make_situation, write_program
from support.reference.play import finish_play
from support.reference.ruleset_texts import load_text
from support.reference.world import open_world
from support.sample_sizes import choose_count


class StopWatchingInterpreter(CoreInterpreter):
    """Compares each stop with what the analysis says of the statements under way."""

    def __init__(self, program: core.CoreProgram, world: Any, analysis: StopAnalysis) -> None:
        super().__init__(program, world)
        self.analysis = analysis
        self.stops = 0

    def _run_block(self, frame: Frame, block: core.Block) -> Run:
        volume = Volume.HELD_BACK if self.holding_back else Volume.QUIET if self.quiet else Volume.LOUD
        for statement, may_stop in zip(block, self.analysis.may_stop_in_block(block, volume), strict=True):
            run = self._run_statement(frame, statement)
            try:
                asked = next(run)
                while True:
                    assert may_stop, f"{frame.routine.key}: {statement} stops for {asked}"
                    assert self.analysis.may_routine_stop(frame.routine.key, volume), frame.routine.key
                    self.stops += 1
                    asked = run.send((yield asked))
            except StopIteration:
                pass


def count_stops(lowered: core.CoreProgram, program: Program, start: Situation, seed: int) -> int:
    world, draw = open_world(program, start), Random(seed)
    interpreter = StopWatchingInterpreter(lowered, world, StopAnalysis(lowered))
    play = interpreter.play("main", (0, 1))
    finish_play(world, play, interpreter.path, lambda asked: choose_answer(asked, program, start, draw))
    return interpreter.stops


def count_stops_of_ruleset(seed: int) -> int:
    program = load_text(write_program("random", seed)).program
    assert program is not None
    return count_stops(lower_program(program), program, make_situation(seed), seed)


@pytest.mark.parametrize("seed", range(choose_count(8, 300)))
def test_random_rulesets_stop_where_they_may(seed: int) -> None:
    count_stops_of_ruleset(seed)


def test_what_would_be_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StopAnalysis, "may_stop_in_block", lambda _, block, __: [False] * len(block))
    with pytest.raises(AssertionError, match="stops for"):
        sum(map(count_stops_of_ruleset, range(5)))
