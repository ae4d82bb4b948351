"""Legal situations among made ones, and arguments with which procedures begin in them."""

from collections.abc import Callable, Iterator
from itertools import product

from rulewright.documents.document_nodes import Json
from rulewright.documents.state_generation import parse_situation
from rulewright.documents.value_sampling import ChoiceSource, NoValueError
from rulewright.program import types as ty
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import Type
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Faulted, Refused
from rulewright.runtime.run import Outcome, start_run
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value

_MAX_STATES, _MAX_STARTS, _MAX_NUMBER_CANDIDATES = 200, 40, 3


def make_legal_situation(make: Callable[[], dict[str, Json]], program: Program) -> Situation | None:
    """The first of 200 made states that can be read; none where there is none among them."""
    for _ in range(_MAX_STATES):
        try:
            found = parse_situation(make(), program)
        except NoValueError:
            continue
        if found is not None:
            return found
    return None


def begin_procedure(
    executable: Executable, situation: Situation, procedure: Procedure, chooser: ChoiceSource, limits: RunLimits
) -> tuple[tuple[Value, ...], Outcome] | None:
    """Arguments with which a procedure begins in a situation, and how it begins; none where 40 are refused."""
    for arguments in iterate_arguments(situation, procedure, executable.program, chooser):
        outcome = start_run(executable, situation, procedure.name, arguments, limits)
        if not isinstance(outcome, Refused | Faulted):
            return arguments, outcome
    return None


def iterate_arguments(
    situation: Situation, procedure: Procedure, program: Program, chooser: ChoiceSource
) -> Iterator[tuple[Value, ...]]:
    """Arguments of a procedure in a situation, in random order; at most 40 of them."""
    every = [_list_candidates(each.type, situation, program) for each in procedure.parameters]
    ways = list(product(*every))
    for _ in range(min(_MAX_STARTS, len(ways))):
        yield ways.pop(chooser.below(len(ways)))


def _list_candidates(type_: Type, situation: Situation, program: Program) -> list[Value]:
    match type_:
        case ty.ThingType(kind):
            gone = situation.gone.get(kind, ())
            return [each for each in range(len(situation.base.things[kind])) if each not in gone]
        case ty.OptionalType(inner):
            return [None, *_list_candidates(inner, situation, program)]
        case ty.FlagType():
            return [False, True]
        case ty.WordType(values):
            return list(range(len(program.values[values].words)))
        case ty.NumberType(low, high):
            first = low or 0
            last = min(first + _MAX_NUMBER_CANDIDATES, first + _MAX_NUMBER_CANDIDATES if high is None else high)
            return [each for each in range(first, last + 1) if type_.contains_number(each)]
        case _:
            return []
