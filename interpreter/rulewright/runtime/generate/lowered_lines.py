"""Core statements of single lines, for what is still written from the lines of the program."""

from rulewright.program import declarations as d, statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.lower_statements import StatementLowering
from rulewright.program.walk import AnyRoutine
from rulewright.runtime.generate.places import PlaceCode, emit_held_value, resolve_place
from rulewright.runtime.generate.writer import FunctionBuilder


def make_lowering(body: FunctionBuilder) -> StatementLowering:
    """A lowering of lines of the routine that is written."""
    sort, _, name = body.site.routine.partition(":")
    routine = _find_routine(body.module.program, sort, name)
    steps = {step.id: number for number, step in enumerate(getattr(routine, "steps", ()))}
    return StatementLowering(body.module.program, routine, body.module.core.due_keys, steps)


def _find_routine(program: d.Program, sort: str, name: str) -> AnyRoutine:
    match sort:
        case "handler":
            return program.handlers[name]
        case "rule":
            return program.rules[name]
        case _:
            return program.procedures[name.partition(":")[0]]


def lower_line(body: FunctionBuilder, line: st.Statement) -> core.Block:
    """The statements of a line."""
    return make_lowering(body).lower_block((line,))


def resolve_line_place(body: FunctionBuilder, line: st.Draw | st.Shuffle) -> PlaceCode:
    """Python for the place of a line, its keys already computed."""
    stored, place = make_lowering(body).lower_place(line.place, line)
    for statement in stored:
        assert isinstance(statement, core.Set)
        emit_held_value(body, statement)
    return resolve_place(body, place)
