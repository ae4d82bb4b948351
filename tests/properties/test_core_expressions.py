"""Expressions of core made at random: the Python that is written from them gives what the core interpreter gives."""

from random import Random
from typing import Any

import pytest

from rulewright.base.frozen import replace
from rulewright.program.core import forms as core
from rulewright.program.core.invariants import check_core
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.printing import render_routine
from rulewright.program.core.walking import walk_forms
from rulewright.program.declarations import Program
from rulewright.program.types import FLAG, Type
from rulewright.runtime import generate
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import Fault
from rulewright.runtime.run import Run
from rulewright.runtime.state import Situation
from support.core_forms import UNIT, UNITS
from support.core_interpreter import CoreInterpreter
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
from support.reference.ruleset_texts import load_text
from support.reference.world import JudgedFault, open_world
from support.sample_sizes import choose_count

TYPES: tuple[Type, ...] = (NUMBER, FLAG, UNIT, UNITS, NUMBERS, MOOD, WOUNDS, MARK, SOMEBODY, CELL, CELLS)
ARGUMENTS = ((0, 1, 3), (1, 1, 0), (1, 0, 9))
SEEDS = range(choose_count(15, 400))
UNWRITTEN = {"with entry"}
"""Operations of which no Python is written yet: lines write them in their own way."""


def load_measures() -> Program:
    measures = "\n".join(f"measure m{number}(u: Unit, t: Unit, n: 0..9): u.morale" for number in range(len(TYPES)))
    asks = 'procedure main(u: Unit) "Main":\n  ask u.owner whether ready "Ready?"\n  if ready:\n    nothing\n'
    program = load_text(f"{STORE_HEAD}{measures}\n{asks}").program
    assert program is not None
    return program


MEASURES = load_measures()


@pytest.mark.parametrize("seed", SEEDS)
def test_python_gives_what_the_interpreter_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lowered, draw = lower_program(MEASURES), Random(seed)
    written = {
        key: write_measure(draw, lowered, lowered.routines[key], type_)
        for key, type_ in zip(lowered.measures.values(), TYPES, strict=True)
    }
    program = replace(lowered, routines={**lowered.routines, **written})
    assert check_core(program) == []
    monkeypatch.setattr(generate, "lower_program", lambda _: program)
    executable = compile_program(MEASURES, traced=bool(seed % 2))
    start = make_settled_situation(seed)
    run = Run.begin(executable, start, "main", (0,))
    interpreter = CoreInterpreter(program, open_world(MEASURES, start))
    for name, key in lowered.measures.items():
        for arguments in ARGUMENTS:
            judged = interpret(interpreter, written[key], arguments)
            assert evaluate(run, name, arguments) == judged, "\n".join(render_routine(written[key]))


def make_settled_situation(seed: int) -> Situation:
    """A start at which no standing rule applies."""
    start = make_start(seed)
    morale = tuple(max(1, number) for number in start.attributes["Unit/morale"])
    return replace(start, attributes={**start.attributes, "Unit/morale": morale})


def write_measure(draw: Random, lowered: core.CoreProgram, routine: core.Routine, type_: Type) -> core.Routine:
    while True:
        written = write_pure_routine(draw, routine, lowered, type_)
        names = {form.name for form in walk_forms(written) if isinstance(form, core.Op)}
        if not names & UNWRITTEN:
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
