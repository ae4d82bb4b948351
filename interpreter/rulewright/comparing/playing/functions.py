"""Functions and measures of both revisions, computed for the same arguments and states."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.playing.answers import Plain, values_of
from rulewright.comparing.playing.bench import Task
from rulewright.comparing.playing.data import ARGUMENTS, ORIGIN, VISITED, Tried, ValueWitness, Work
from rulewright.comparing.playing.points import measures_reaching
from rulewright.comparing.playing.shrinking import fewer, stripped
from rulewright.comparing.playing.side_by_side import LIMITS as LIMITS_OF_PLAYS
from rulewright.comparing.playing.starts import Placed, candidates, placed
from rulewright.comparing.playing.states import State
from rulewright.comparing.playing.translate_values import Common, LostError, Ways, ways
from rulewright.frozen import dataclass
from rulewright.inputs.names import SETTINGS, Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import from_node
from rulewright.machine.codes import LIMITS
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, Limits
from rulewright.machine.layout import layout, start_value
from rulewright.machine.snapshot import Measuring, thaw
from rulewright.machine.state import Base, Situation, initial
from rulewright.machine.values import Value
from rulewright.outline.items import Name
from rulewright.program import expressions as ex
from rulewright.program.declarations import Function, Measure, Program
from rulewright.program.effects import Footprint
from rulewright.program.expressions import CallFunction, DerivedAttribute, Expression, Local
from rulewright.program.types import FlagType, NumberType, OptionalType, Type, WordType
from rulewright.program.walk import reached
from rulewright.roles import nodes
from rulewright.situations.making import made
from rulewright.situations.values import NoValueError, Seeded, Sizes
from rulewright.telling.conditions import listed

_MADE, _WAYS, _SMALLER = 100, 20, 40
_SIZES = Sizes()


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure that comes to what changed."""

    name: str  # its new name
    itself: bool  # whether it changed itself
    states: int  # how many it was taken in
    differs: ValueWitness | None  # where it is not worth the same


def measured(task: Task, work: Work) -> Iterator[Measured]:
    """Every measure of both revisions that changed or comes to what changed, in written and made states."""
    changed = task.altered.names
    reaching = measures_reaching(task.old, changed[0]), measures_reaching(task.new, changed[1])
    pairs = [(old, task.names.new("measure", old) or "") for old in task.old.measures]
    wanted = [(old, new) for old, new in pairs if new and (old in reaching[0] or new in reaching[1])]
    if not wanted:
        return
    both = ways(task.old, task.new, task.names)
    states = tuple(_states(task, both, work))
    executables = compile_program(task.old, traced=False), compile_program(task.new, traced=False)
    for old, new in wanted:
        found = Taken(both, executables, (task.old.measures[old], task.new.measures[new]), Meter())
        first = next(((one, each) for each in states if (one := found.differing(each))), None)
        work.spend(found.meter.visited // VISITED)
        itself = any(each.sort == "measure" and each.name == old for each in changed[0])
        yield Measured(new, itself, len(states), found.smallest(*first) if first else None)


def _states(task: Task, both: Ways, work: Work) -> Iterator[Placed]:
    chooser = Seeded(task.seed)
    for side, (program, fixtures) in enumerate(((task.old, task.fixtures.old), (task.new, task.fixtures.new))):
        written = sorted((state_json(each, program) for each in fixtures), key=lambda one: len(str(one)))
        for each in written:
            work.spend(ORIGIN)
            if (found := placed(each, side, both, chooser)) is not None:
                yield found
        for _ in range(_MADE):
            work.spend(ORIGIN)
            if work.over:
                return
            try:
                state = made(program, _SIZES, chooser)
            except NoValueError:
                return
            if (found := placed(state, side, both, chooser)) is not None:
                yield found


@dataclasses.dataclass
class Meter:
    """How many members of collections, lines and calls functions came to that were taken."""

    visited: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """Two measures that can be taken in a state of both revisions."""

    both: Ways
    executables: tuple[Executable, Executable]
    measures: tuple[Measure, Measure]
    meter: Meter

    def smallest(self, witness: ValueWitness, found: Placed) -> ValueWitness:
        """One in a state with less in it, after some tries."""
        program = self.both.across.there
        for _ in range(_SMALLER):
            fewer_ = (each for way in (_as_written, stripped, fewer) for each in way(found.states[1], program))
            placed_ = (placed(each, 1, self.both, Plain()) for each in fewer_)
            tried = ((each, self.differing(each)) for each in placed_ if each is not None)
            smaller = next(((each, one) for each, one in tried if one and each.states != found.states), None)
            if smaller is None:
                break
            found, witness = smaller
        return witness

    def differing(self, found: Placed) -> ValueWitness | None:
        """Where the two are not worth the same in a state, for the first arguments that show it."""
        old, new = (
            Names(each.program, situation.base)
            for each, situation in zip(self.executables, found.situations, strict=True)
        )
        common = Common(self.both, old, new)
        values = values_of(old, Seeded(0))
        every = (candidates(each.type, found.situations[0], values) for each in self.measures[0].parameters)
        sides = [
            Measuring(each, initial(situation, each.layout), LIMITS_OF_PLAYS)
            for each, situation in zip(self.executables, found.situations, strict=True)
        ]
        tried = (self._of(list(given), found, common, sides) for given in islice(product(*every), _WAYS))
        witness = next((each for each in tried if each is not None), None)
        self.meter.visited += sum(each.visited for each in sides)
        return witness

    def _of(self, given: list[Json], found: Placed, common: Common, sides: Sequence[Measuring]) -> ValueWitness | None:
        here, there = self.measures
        if len(here.parameters) != len(there.parameters):
            return None
        pairs = zip(given, here.parameters, there.parameters, strict=True)
        try:
            theirs = [self.both.across.value(value, mine.type, other.type) for value, mine, other in pairs]
        except LostError:
            return None
        values = _value(sides[0], here, given, common.old), _value(sides[1], there, theirs, common.new)
        if isinstance(values[0], Fault) or isinstance(values[1], Fault):
            return None
        if common.of_old(values[0], here.type, there.type) == common.of_new(values[1], there.type):
            return None
        shown = to_json(values[0], here.type, common.old), to_json(values[1], there.type, common.new)
        arguments = [
            {each.name: value for each, value in zip(one.parameters, told, strict=True)}
            for one, told in ((here, given), (there, theirs))
        ]
        return ValueWitness(here.name, there.name, (arguments[0], arguments[1]), ({}, {}), shown, found.states)


def _value(taken: Measuring, one: Measure, given: list[Json], names: Names) -> Value | Fault:
    types = (each.type for each in one.parameters)
    read = [from_node(unplaced(each), type_, names).value for each, type_ in zip(given, types, strict=True)]
    try:
        return taken(one.name, read)
    except Fault as fault:
        return fault


def _as_written(state: State, program: Program) -> Iterator[State]:
    """The state with the readings that the rules have written."""
    del program
    yield {key: each for key, each in state.items() if key != SETTINGS}


def every(type_: Type, program: Program) -> Sequence[Value] | None:
    """All values of a type, plain ones first; none where they are without end or of the things of a play."""
    match type_:
        case NumberType():
            return type_.numbers()
        case FlagType():
            return (False, True)
        case WordType(values):
            return range(len(program.values[values].words))
        case OptionalType(inner):
            found = every(inner, program)
            return None if found is None else (None, *found)
        case _:
            return None


def ranges(types: Sequence[Type], program: Program, most: int) -> tuple[Sequence[Value], ...] | None:
    """All values of each of some types; none where they cannot be listed or make more than so many together."""
    found = [every(each, program) for each in types]
    listed = [each for each in found if each is not None]
    if len(listed) < len(found) or prod(len(each) for each in listed) > most:
        return None
    return tuple(listed)


def is_pure(function: Function, program: Program) -> bool:
    """Whether it reads nothing of a state, through other functions neither."""
    if Footprint(program).reads(function.body):
        return False
    return not any(isinstance(each, ex.BoardCells | ex.Itself) for each in _all(function, program))


def settings_of(function: Function, program: Program) -> frozenset[str]:
    """The settings it reads, through other functions too."""
    return frozenset(each.name for each in _all(function, program) if isinstance(each, ex.SettingValue))


def _all(function: Function, program: Program) -> Iterator[object]:
    """Every node of a function and of those it calls."""
    for name in reached([function.name], lambda name: called_in(program.functions[name])):
        yield from nodes(program.functions[name].body)


def called_in(function: Function) -> frozenset[str]:
    """The functions that a function calls itself."""
    calls = (each for each in nodes(function.body) if isinstance(each, ex.CallFunction | ex.DerivedAttribute))
    return frozenset(each.function for each in calls)


_MEASURED = "value"
Computed = Callable[[dict[str, Value], Sequence[Value]], Any]


class _BeyondError(Exception):
    """A limit of the machine ended what computes a value, so nothing is known of it."""


def tried(task: Task, most: int, work: Work) -> Iterator[tuple[Tried, ValueWitness | None]]:
    """Every changed function whose arguments can all be listed, at most so many, and where it has another value."""
    both = ways(task.old, task.new, task.names)
    for name in sorted(task.altered.names[0]):
        other = task.names.names.get(name)
        if name.sort == "function" and other in task.altered.names[1]:
            pair = task.old.functions[name.name], task.new.functions[other.name]
            try:
                found = None if work.over else _tried(pair, both, min(most, work.left // ARGUMENTS))
            except _BeyondError:
                found = None
            if found is not None:
                work.spend(ARGUMENTS * found[0].number)
                yield found


@dataclass(frozen=True, slots=True)
class _Listed:
    """A function in one revision: the program, itself, and what computes it."""

    program: Program
    function: Function
    names: Names
    compute: Computed


def _tried(pair: tuple[Function, Function], both: Ways, most: int) -> tuple[Tried, ValueWitness | None] | None:
    programs = both.across.here, both.across.there
    if not all(is_pure(function, program) for function, program in zip(pair, programs, strict=True)):
        return None
    readings = sorted(_shared(pair, both))
    types = [*(programs[0].settings[name].type for name, _ in readings), *(each.type for each in pair[0].parameters)]
    values = ranges(types, programs[0], most)
    if values is None or len(pair[0].parameters) != len(pair[1].parameters):
        return None
    old, new = (_listed(function, program) for function, program in zip(pair, programs, strict=True))
    common = Common(both, old.names, new.names)
    number, whole = 0, prod(len(each) for each in values)
    for chosen in product(*values):
        found = _compared(chosen, readings, old, new, common)
        number += 0 if found is None else 1
        if isinstance(found, ValueWitness):
            return Tried(pair[0].name, pair[1].name, number, equal=False), found
    space = _space(pair, [name for _, name in readings], both)
    return (Tried(pair[0].name, pair[1].name, number, equal=True, space=space), None) if number == whole else None


def _space(pair: tuple[Function, Function], readings: Sequence[str], both: Ways) -> str:
    """What a function was tried for, in words."""
    varied = [f"`{each}`" for each in (*(each.name for each in pair[1].parameters), *readings)]
    alone = [
        f"`{each}`"
        for function, way in zip(pair, (both.across, both.back), strict=True)
        for each in sorted(settings_of(function, way.here))
        if way.names.new("setting", each) is None
    ]
    said = f"`{pair[1].name}` for every {listed(varied)}" if varied else f"`{pair[1].name}`"
    return said + (f", with {listed(alone)} as written" if alone else "")


def _shared(pair: tuple[Function, Function], both: Ways) -> set[tuple[str, str]]:
    """Settings that one of them reads and both revisions have, by both names."""
    across = both.across
    first = settings_of(pair[0], across.here)
    second = settings_of(pair[1], across.there)
    known = {(name, across.names.new("setting", name)) for name in across.here.settings}
    return {(old, new) for old, new in known if new is not None and (old in first or new in second)}


def _compared(
    chosen: Sequence[Value], readings: Sequence[tuple[str, str]], old: _Listed, new: _Listed, common: Common
) -> ValueWitness | bool | None:
    """A difference for these settings and arguments; true where there is none; none where the new one takes none."""
    set_, given = chosen[: len(readings)], chosen[len(readings) :]
    try:
        their_set = [
            _crossed(value, old.program.settings[first].type, new.program.settings[second].type, common)
            for value, (first, second) in zip(set_, readings, strict=True)
        ]
        theirs = [
            _crossed(value, here.type, there.type, common)
            for value, here, there in zip(given, old.function.parameters, new.function.parameters, strict=True)
        ]
    except LostError:
        return None
    ours = {first: value for (first, _), value in zip(readings, set_, strict=True)}
    values = old.compute(ours, given), new.compute(dict(zip([n for _, n in readings], their_set, strict=True)), theirs)
    if _same(values, old, new, common):
        return True
    return ValueWitness(
        old.function.name,
        new.function.name,
        (_arguments(old, given), _arguments(new, theirs)),
        (_settings(old, ours), _settings(new, dict(zip([n for _, n in readings], their_set, strict=True)))),
        (_shown(old, values[0]), _shown(new, values[1])),
    )


def _crossed(value: Value, type_: Type, target: Type, common: Common) -> Value:
    if common.ways.alike and type_ == target:
        return value
    found = from_node(
        unplaced(common.ways.across.value(to_json(value, type_, common.old), type_, target)), target, common.new
    )
    if found.diagnostics:
        raise LostError
    return found.value


def _same(values: tuple[Any, Any], old: _Listed, new: _Listed, common: Common) -> bool:
    if any(isinstance(each, Fault) for each in values):
        return all(isinstance(each, Fault) for each in values) and values[0].code == values[1].code
    first = common.of_old(values[0], old.function.type, new.function.type)
    return bool(first == common.of_new(values[1], new.function.type))


def _shown(listed: _Listed, value: Any) -> Json:
    return value.message if isinstance(value, Fault) else to_json(value, listed.function.type, listed.names)


def _arguments(listed: _Listed, given: Sequence[Value]) -> dict[str, Json]:
    parameters = listed.function.parameters
    return {each.name: to_json(value, each.type, listed.names) for each, value in zip(parameters, given, strict=True)}


def _settings(listed: _Listed, given: dict[str, Value]) -> dict[str, Json]:
    return {name: to_json(value, listed.program.settings[name].type, listed.names) for name, value in given.items()}


def as_measure(function: Function, name: str) -> Measure:
    """A function under a name by which it can be taken in a state."""
    span, type_ = function.span, function.type
    given = tuple(Local(variable=each, type=each.type, span=span) for each in function.parameters)
    call: Expression
    if function.owner:
        call = DerivedAttribute(target=given[0], function=function.name, type=type_, span=span)
    else:
        call = CallFunction(function=function.name, arguments=given, type=type_, span=span)
    known = function.parameters
    return Measure(name=name, title="", cites=(), span=span, parameters=known, variables=known, type=type_, value=call)


def _listed(function: Function, program: Program) -> _Listed:
    """A function as a measure of its program, in a state without things."""
    measures = {_MEASURED: as_measure(function, _MEASURED)}
    executable = compile_program(replace(program, measures=measures), traced=False)
    written = {name: start_value(each.value, each.type) for name, each in program.settings.items()}
    worlds: dict[tuple[tuple[str, Value], ...], Any] = {}

    def compute(settings: dict[str, Value], given: Sequence[Value]) -> Any:
        key = tuple(settings.items())
        if key not in worlds:
            state = initial(_nothing(program, written | settings), executable.layout)
            worlds[key] = thaw(executable, state, Limits())
        try:
            return executable.measures[_MEASURED](worlds[key], *given)
        except Fault as fault:
            if fault.code in LIMITS:
                raise _BeyondError from fault
            return fault

    return _Listed(program, function, Names(program, Base({})), compute)


def _nothing(program: Program, settings: dict[str, Value]) -> Situation:
    """A state without things and cells."""
    columns = layout(program).columns
    base = Base(dict.fromkeys(program.kinds, ()), dict.fromkeys(program.boards, ()), settings)
    return Situation(base, dict.fromkeys(columns, ()), game=dict.fromkeys(program.game))


def equal_names(found: Sequence[Tried]) -> tuple[frozenset[Name], frozenset[Name]]:
    """Names of functions that are equal everywhere, in both revisions."""
    equal = [each for each in found if each.equal]
    return frozenset(Name("function", each.old) for each in equal), frozenset(
        Name("function", each.new) for each in equal
    )
