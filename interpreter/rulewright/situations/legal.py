"""Legal situations, one after the other, and arguments a procedure begins with."""

from collections.abc import Callable, Iterator
from itertools import product

from rulewright.diagnostics import has_errors
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.state_file import state_of
from rulewright.machine.executable import Executable
from rulewright.machine.limits import Limits
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Outcome, start
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import FlagType, NumberType, OptionalType, ThingType, Type, WordType
from rulewright.situations.sampler import Chooser
from rulewright.situations.values import NoValueError

_TRIES, _STARTS, _NUMBERS = 200, 40, 3
_REMEMBERED = 2_000
_READ: dict[tuple[int, str], tuple[Program, Situation | None]] = {}
"""Situations by their program and their text; when there are too many, all are forgotten."""


def situation_of(state: dict[str, Json], program: Program) -> Situation | None:
    """The situation of a state in the form of a state file; none where the reader refuses it.

    Of a state that was read not long ago it is the same object.
    """
    place = id(program), repr(state)
    if place not in _READ:
        found = state_of(unplaced(state), program)
        if len(_READ) >= _REMEMBERED:
            _READ.clear()
        _READ[place] = program, None if has_errors(found.diagnostics) else found.value
    return _READ[place][1]


def legal(make: Callable[[], dict[str, Json]], program: Program) -> Situation | None:
    """The first of 200 made states that can be read; none where there is none among them."""
    for _ in range(_TRIES):
        try:
            found = situation_of(make(), program)
        except NoValueError:
            continue
        if found is not None:
            return found
    return None


def begun(
    executable: Executable, situation: Situation, procedure: Procedure, chooser: Chooser, limits: Limits
) -> tuple[tuple[Value, ...], Outcome] | None:
    """Arguments with which a procedure begins in a situation, and how it begins; none where 40 are refused."""
    for arguments in _arguments(situation, procedure, executable.program, chooser):
        outcome = start(executable, situation, procedure.name, arguments, limits)
        if not isinstance(outcome, Refused | Faulted):
            return arguments, outcome
    return None


def _arguments(
    situation: Situation, procedure: Procedure, program: Program, chooser: Chooser
) -> Iterator[tuple[Value, ...]]:
    every = [_candidates(each.type, situation, program) for each in procedure.parameters]
    ways = list(product(*every))
    for _ in range(min(_STARTS, len(ways))):
        yield ways.pop(chooser.below(len(ways)))


def _candidates(type_: Type, situation: Situation, program: Program) -> list[Value]:
    match type_:
        case ThingType(kind):
            gone = situation.gone.get(kind, ())
            return [each for each in range(len(situation.base.things[kind])) if each not in gone]
        case OptionalType(inner):
            return [None, *_candidates(inner, situation, program)]
        case FlagType():
            return [False, True]
        case WordType(values):
            return list(range(len(program.values[values].words)))
        case NumberType(low, high):
            first = low or 0
            return list(range(first, min(first + _NUMBERS, first + _NUMBERS if high is None else high) + 1))
        case _:
            return []
