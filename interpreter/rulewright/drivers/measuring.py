"""What measures are worth in a state, as JSON."""

from math import prod

from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.measures import Measuring, measuring
from rulewright.machine.state import State
from rulewright.machine.values import Value
from rulewright.program.declarations import Measure
from rulewright.program.types import FlagType, ThingType, Type, WordType

_MOST = 10_000
_Given = tuple[tuple[str, Value], ...]


def measured(executable: Executable, state: State, names: Names) -> dict[str, Json]:
    """The values of all measures that the executable has, by name; null where there is nothing to measure.

    A measure with parameters has a value for each thing in play, word and flag, by their names, one inside the other;
    it is left out where it takes anything else, or more than 10 000 together.
    """
    given = {name: _all_given(each, state, names) for name, each in executable.program.measures.items()}
    opened = measuring(executable, state)
    return {
        name: _table(executable.program.measures[name], parts, (), opened, names)
        for name, parts in given.items()
        if parts is not None and name in executable.measures
    }


def _all_given(measure: Measure, state: State, names: Names) -> tuple[_Given, ...] | None:
    """What can be given to each parameter; none where that is not to be counted."""
    found: list[_Given] = []
    for each in measure.parameters:
        given = _given(each.type, state, names)
        if given is None:
            return None
        found.append(given)
    return tuple(found) if prod(map(len, found)) <= _MOST else None


def _given(type_: Type, state: State, names: Names) -> _Given | None:
    match type_:
        case ThingType(kind):
            ids = enumerate(names.ids(kind))
            return tuple((id_, number) for number, id_ in ids if not state.is_gone(kind, number))
        case WordType(values):
            return tuple((word, number) for number, word in enumerate(names.words(values)))
        case FlagType():
            return (("no", False), ("yes", True))
        case _:
            return None


def _table(measure: Measure, parts: tuple[_Given, ...], before: tuple[Value, ...], of: Measuring, names: Names) -> Json:
    if parts:
        return {name: _table(measure, parts[1:], (*before, value), of, names) for name, value in parts[0]}
    try:
        value = of(measure.name, before)
    except Fault:
        return None
    return None if value is None else to_json(value, measure.type, names)
