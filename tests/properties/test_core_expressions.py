"""Expressions of core made at random: Python and WebAssembly written from them give what the core interpreter gives."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.frozen import replace
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import prepare_measured_play
from rulewright.play.session import PlayStart
from rulewright.program.core import forms as core, lowering
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.printing import render_routine
from rulewright.program.core.walking import walk_forms
from rulewright.program.types import FLAG, Type
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import Fault, RunLimits
from rulewright.runtime.generate import module_generation
from rulewright.runtime.run import Run
from rulewright.runtime.state import Situation
from support.core_forms import UNIT, UNITS
from support.core_interpreter import CoreInterpreter
from support.core_invariants import check_core
from support.engine_plays import play_side_by_side
from support.random_core import (
    CELL,
    CELLS,
    MARK,
    MOOD,
    NUMBER,
    NUMBERS,
    SOMEBODY,
    STORE_HEAD,
    WOUNDS,
    make_start,
    write_pure_routine,
)
from support.reference.ruleset_texts import load_program
from support.reference.world import JudgedFault, open_world
from support.sample_sizes import choose_count

TYPES: tuple[Type, ...] = (NUMBER, FLAG, UNIT, UNITS, NUMBERS, MOOD, WOUNDS, MARK, SOMEBODY, CELL, CELLS)
ARGUMENTS = ((0, 1, 3), (1, 1, 0), (1, 0, 9))
SEEDS = range(choose_count(15, 400))
PLAYS = 12
UNWRITTEN = frozenset({"with entry"})
"""Operations of which no Python is written yet: lines write them in their own way."""


ASKS = """\
procedure main(u: Unit) "Main":
  ask u.owner whether ready "Ready?"
  if ready:
    nothing
"""
COUNTED: Mapping[str, Type] = {"u.morale": NUMBER, "u.morale > 3": FLAG, "u": UNIT, "u.mood": MOOD}
"""Types of values that can be counted, by expressions that have them."""
GIVEN_BACK = UNWRITTEN | {"divide"}
"""Operations that the batch path gives back, as it has no fractions."""
ROLLS = """\
procedure main(u: Unit, t: Unit) "Main":
  roll 2d6 as red by u.owner
  set u.morale to min(9, total(red))
  roll d6 as die by u.owner
  set u.mood to along(u.mood, die.natural)
  if die.natural > 3:
    take up to 2 from t.health
  if die.natural = 6:
    remove t
"""


def write_text(values: Sequence[str], main: str) -> str:
    """The store with a measure for each value, and the procedure after whose end they are taken."""
    measures = "".join(
        f"measure m{number}(u: Unit, t: Unit, n: 0..9): {value}\n" for number, value in enumerate(values)
    )
    return f"{STORE_HEAD}{measures}{main}"


MEASURES = load_program(write_text(["u.morale"] * len(TYPES), ASKS))
COUNTED_TEXT = write_text([*COUNTED] * 2, ROLLS)


@pytest.mark.parametrize("seed", SEEDS)
def test_python_gives_what_the_interpreter_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lowered, draw = lower_program(MEASURES), Random(seed)
    written = {
        key: write_measure(draw, lowered, lowered.routines[key], type_)
        for key, type_ in zip(lowered.measures.values(), TYPES, strict=True)
    }
    program = replace(lowered, routines={**lowered.routines, **written})
    assert check_core(program) == []
    monkeypatch.setattr(module_generation, "lower_program", lambda _: program)
    executable = compile_program(MEASURES, traced=bool(seed % 2))
    start = make_settled_situation(seed)
    run = Run.begin(executable, start, "main", (0,))
    interpreter = CoreInterpreter(program, open_world(MEASURES, start))
    for name, key in lowered.measures.items():
        for arguments in ARGUMENTS:
            judged = interpret(interpreter, written[key], arguments)
            assert evaluate(run, name, arguments) == judged, "\n".join(render_routine(written[key]))


@pytest.mark.parametrize("seed", range(choose_count(5, 300)))
def test_webassembly_gives_what_python_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, draw = load_program(COUNTED_TEXT), Random(seed)
    lowered = lower_program(rules)
    written = {
        key: write_measure(draw, lowered, lowered.routines[key], type_, GIVEN_BACK)
        for key, type_ in zip(lowered.measures.values(), [*COUNTED.values()] * 2, strict=True)
    }
    program = replace(lowered, routines={**lowered.routines, **written})
    for module in (module_generation, lowering):
        monkeypatch.setattr(module, "lower_program", lambda _: program)
    begun = PlayStart(
        compile_program(rules, traced=False), rules.procedures["main"], make_start(seed), (0, 1), RunLimits()
    )
    asked = [f"{name}(unit0, unit1, {draw.randrange(10)})" for name in lowered.measures]
    play = prepare_measured_play(begun, asked, "example.rules", (), MemoryFiles({"example.rules": COUNTED_TEXT}))
    assert play.value is not None, play.diagnostics
    found = play_side_by_side(play.value, PlayAnswerer(begun.names, policy="random"), range(PLAYS))
    assert found.same + found.back == PLAYS, "\n".join(
        line for each in written.values() for line in render_routine(each)
    )


def make_settled_situation(seed: int) -> Situation:
    """A start at which no standing rule applies."""
    start = make_start(seed)
    morale = tuple(max(1, number) for number in start.attributes["Unit/morale"])
    return replace(start, attributes={**start.attributes, "Unit/morale": morale})


def write_measure(
    draw: Random, lowered: core.CoreProgram, routine: core.Routine, type_: Type, without: frozenset[str] = UNWRITTEN
) -> core.Routine:
    while True:
        written = write_pure_routine(draw, routine, lowered, type_)
        names = {form.name for form in walk_forms(written) if isinstance(form, core.Op)}
        if not names & without:
            return written


def evaluate(run: Run, measure: str, arguments: tuple[int, ...]) -> Any:
    try:
        return run.evaluate_measure(measure, arguments)
    except Fault as fault:
        return fault.code


def interpret(interpreter: CoreInterpreter, routine: core.Routine, arguments: tuple[int, ...]) -> Any:
    try:
        return interpreter._run_pure_routine(routine, arguments)  # noqa: SLF001 - a pure routine by itself
    except JudgedFault as fault:
        return str(fault)
