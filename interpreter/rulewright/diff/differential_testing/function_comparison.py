"""Functions and measures of both revisions, evaluated for the same arguments and states."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.change_points import measures_reaching
from rulewright.diff.differential_testing.harness import ComparisonTask
from rulewright.diff.differential_testing.initial_states import PairedState, list_role_candidates, pair_state
from rulewright.diff.differential_testing.paired_play import PLAY_LIMITS
from rulewright.diff.differential_testing.play_shrinking import remove_defaults, remove_one_thing
from rulewright.diff.differential_testing.results import (
    FUNCTION_COST,
    MEMBERS_PER_COST_UNIT,
    SITUATION_COST,
    TriedFunction,
    ValueWitness,
    WorkBudget,
)
from rulewright.diff.differential_testing.revision_translation import (
    CommonForm,
    NoCounterpartError,
    RevisionTranslations,
    build_translations,
)
from rulewright.diff.differential_testing.shared_questions import FirstChooser, make_value_source
from rulewright.diff.differential_testing.stored_values import StateData
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import SETTINGS, NameTable
from rulewright.documents.state_generation import make_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import read_value
from rulewright.documents.value_sampling import NoValueError, SeededChoices, SizeRanges
from rulewright.program import expressions as ex
from rulewright.program.declarations import Function, Measure, Program
from rulewright.program.effects import ReadFootprint
from rulewright.program.expressions import CallFunction, DerivedAttribute, Expression, Local
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import FlagType, NumberType, OptionalType, Type, WordType
from rulewright.program.walk import compute_transitive_closure
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import LIMIT_CODES, Fault, RunLimits
from rulewright.runtime.snapshot import MeasureEvaluator, thaw_state
from rulewright.runtime.state import GameSetup, Situation, build_state_layout, evaluate_start_value, make_initial_state
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value
from rulewright.wording.condition_rendering import join_words

_MAX_MADE_STATES, _MAX_ARGUMENT_SETS, _MAX_STATE_SHRINKS = 100, 20, 40
_DEFAULT_SIZES = SizeRanges()


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """Result for a measure that computes with something that changed."""

    name: str  # in the new revision
    is_changed_itself: bool
    state_count: int  # states it was evaluated in
    witness: ValueWitness | None  # if the values differ


def compare_measures(task: ComparisonTask, work: WorkBudget) -> Iterator[MeasureComparison]:
    """Comparison of every measure that changed or computes with a change, in fixture and generated states."""
    changed = task.altered.names
    reaching = measures_reaching(task.old, changed[0]), measures_reaching(task.new, changed[1])
    pairs = [(old, task.names.find_new_name("measure", old) or "") for old in task.old.measures]
    wanted = [(old, new) for old, new in pairs if new and (old in reaching[0] or new in reaching[1])]
    if not wanted:
        return
    both = build_translations(task.old, task.new, task.names)
    states = tuple(_draw_test_states(task, both, work))
    executables = compile_program(task.old, traced=False), compile_program(task.new, traced=False)
    for old, new in wanted:
        measure_pair = MeasurePair(both, executables, (task.old.measures[old], task.new.measures[new]), VisitMeter())
        first = next(((one, state) for state in states if (one := measure_pair.find_difference(state))), None)
        work.spend_units(measure_pair.meter.visited // MEMBERS_PER_COST_UNIT)
        itself = any(declared_name.sort == "measure" and declared_name.name == old for declared_name in changed[0])
        yield MeasureComparison(new, itself, len(states), measure_pair.shrink_state(*first) if first else None)


def _draw_test_states(task: ComparisonTask, both: RevisionTranslations, work: WorkBudget) -> Iterator[PairedState]:
    chooser = SeededChoices(task.seed)
    for side, (program, fixtures) in enumerate(((task.old, task.fixtures.old), (task.new, task.fixtures.new))):
        written = sorted((state_to_json(fixture, program) for fixture in fixtures), key=lambda one: len(str(one)))
        for item in written:
            work.spend_units(SITUATION_COST)
            if (paired_state := pair_state(item, side, both, chooser)) is not None:
                yield paired_state
        for _ in range(_MAX_MADE_STATES):
            work.spend_units(SITUATION_COST)
            if work.is_exhausted:
                return
            try:
                state = make_state(program, _DEFAULT_SIZES, chooser)
            except NoValueError:
                return
            if (paired_state := pair_state(state, side, both, chooser)) is not None:
                yield paired_state


@dataclasses.dataclass
class VisitMeter:
    """Counter of members of collections, lines and calls that evaluated functions visited."""

    visited: int = 0


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """Measures of both revisions that can be evaluated in a state of both."""

    translations: RevisionTranslations
    executables: tuple[Executable, Executable]
    measures: tuple[Measure, Measure]
    meter: VisitMeter

    def shrink_state(self, witness: ValueWitness, current_state: PairedState) -> ValueWitness:
        """Smaller state that still shows a difference, after a bounded number of tries."""
        program = self.translations.forward.target_program
        for _ in range(_MAX_STATE_SHRINKS):
            fewer_ = (
                item
                for way in (_drop_settings, remove_defaults, remove_one_thing)
                for item in way(current_state.states[1], program)
            )
            placed_ = (pair_state(item, 1, self.translations, FirstChooser()) for item in fewer_)
            tried = (
                (paired_state, self.find_difference(paired_state))
                for paired_state in placed_
                if paired_state is not None
            )
            smaller = next(
                (
                    (paired_state, one)
                    for paired_state, one in tried
                    if one and paired_state.states != current_state.states
                ),
                None,
            )
            if smaller is None:
                break
            current_state, witness = smaller
        return witness

    def find_difference(self, paired_state: PairedState) -> ValueWitness | None:
        """Difference of the two values in a state, for the first arguments that show one."""
        old, new = (
            NameTable(executable.program, situation.base)
            for executable, situation in zip(self.executables, paired_state.situations, strict=True)
        )
        common = CommonForm(self.translations, old, new)
        values = make_value_source(old, SeededChoices(0))
        every = (
            list_role_candidates(parameter.type, paired_state.situations[0], values)
            for parameter in self.measures[0].parameters
        )
        sides = [
            MeasureEvaluator(executable, make_initial_state(situation, executable.layout), PLAY_LIMITS)
            for executable, situation in zip(self.executables, paired_state.situations, strict=True)
        ]
        tried = (
            self._compare_for_arguments(list(given), paired_state, common, sides)
            for given in islice(product(*every), _MAX_ARGUMENT_SETS)
        )
        witness = next((value_witness for value_witness in tried if value_witness is not None), None)
        self.meter.visited += sum(side.work_used for side in sides)
        return witness

    def _compare_for_arguments(
        self, given: list[Json], paired_state: PairedState, common: CommonForm, sides: Sequence[MeasureEvaluator]
    ) -> ValueWitness | None:
        here, there = self.measures
        if len(here.parameters) != len(there.parameters):
            return None
        pairs = zip(given, here.parameters, there.parameters, strict=True)
        try:
            theirs = [
                self.translations.forward.translate_value(value, old_parameter.type, new_parameter.type)
                for value, old_parameter, new_parameter in pairs
            ]
        except NoCounterpartError:
            return None
        values = _take_measure(sides[0], here, given, common.old), _take_measure(sides[1], there, theirs, common.new)
        if isinstance(values[0], Fault) or isinstance(values[1], Fault):
            return None
        if common.canonical_old(values[0], here.type, there.type) == common.canonical_new(values[1], there.type):
            return None
        shown = value_to_json(values[0], here.type, common.old), value_to_json(values[1], there.type, common.new)
        arguments = [
            {parameter.name: value for parameter, value in zip(one.parameters, given_values, strict=True)}
            for one, given_values in ((here, given), (there, theirs))
        ]
        return ValueWitness(here.name, there.name, (arguments[0], arguments[1]), ({}, {}), shown, paired_state.states)


def _take_measure(evaluator: MeasureEvaluator, one: Measure, given: list[Json], names: NameTable) -> Value | Fault:
    types = (parameter.type for parameter in one.parameters)
    read = [read_value(data_to_node(item), type_, names).value for item, type_ in zip(given, types, strict=True)]
    try:
        return evaluator(one.name, read)
    except Fault as fault:
        return fault


def _drop_settings(state: StateData, program: Program) -> Iterator[StateData]:
    del program
    yield {key: item for key, item in state.items() if key != SETTINGS}


def list_all_values(type_: Type, program: Program) -> Sequence[Value] | None:
    """All values of a type, plain ones first; None for infinite types and things of a play."""
    match type_:
        case NumberType():
            return type_.list_numbers()
        case FlagType():
            return (False, True)
        case WordType(values):
            return range(len(program.values[values].words))
        case OptionalType(inner):
            result = list_all_values(inner, program)
            return None if result is None else (None, *result)
        case _:
            return None


def list_value_ranges(types: Sequence[Type], program: Program, most: int) -> tuple[Sequence[Value], ...] | None:
    """All values of each type; None where they cannot be listed or have more than `most` combinations."""
    result = [list_all_values(type_, program) for type_ in types]
    listed = [sequence for sequence in result if sequence is not None]
    if len(listed) < len(result) or prod(len(sequence) for sequence in listed) > most:
        return None
    return tuple(listed)


def is_state_independent(function: Function, program: Program) -> bool:
    """Whether a function and those it calls read nothing of a state."""
    if ReadFootprint(program).collect_read_places(function.body):
        return False
    return not any(
        isinstance(reachable_node, ex.BoardCells | ex.Itself) for reachable_node in _reachable_nodes(function, program)
    )


def find_read_settings(function: Function, program: Program) -> frozenset[str]:
    """Settings that a function and those it calls read."""
    return frozenset(
        reachable_node.name
        for reachable_node in _reachable_nodes(function, program)
        if isinstance(reachable_node, ex.SettingValue)
    )


def _reachable_nodes(function: Function, program: Program) -> Iterator[object]:
    for name in compute_transitive_closure(
        [function.name], lambda name: find_called_functions(program.functions[name])
    ):
        yield from walk_nodes(program.functions[name].body)


def find_called_functions(function: Function) -> frozenset[str]:
    """Functions that a function calls directly."""
    calls = (node for node in walk_nodes(function.body) if isinstance(node, ex.CallFunction | ex.DerivedAttribute))
    return frozenset(call.function for call in calls)


_MEASURE_NAME = "value"
ComputeFunction = Callable[[dict[str, Value], Sequence[Value]], Any]


class _MachineLimitError(Exception):
    pass


def compare_functions(
    task: ComparisonTask, most: int, work: WorkBudget
) -> Iterator[tuple[TriedFunction, ValueWitness | None]]:
    """Comparison of every changed function with at most `most` argument lists, exhaustively."""
    both = build_translations(task.old, task.new, task.names)
    for name in sorted(task.altered.names[0]):
        other = task.names.names.get(name)
        if name.sort == "function" and other in task.altered.names[1]:
            pair = task.old.functions[name.name], task.new.functions[other.name]
            try:
                result = (
                    None
                    if work.is_exhausted
                    else _compare_function(pair, both, min(most, work.units_left // FUNCTION_COST))
                )
            except _MachineLimitError:
                result = None
            if result is not None:
                work.spend_units(FUNCTION_COST * result[0].argument_count)
                yield result


@dataclass(frozen=True, slots=True)
class _CompiledFunction:
    program: Program
    function: Function
    names: NameTable
    compute: ComputeFunction


def _compare_function(
    pair: tuple[Function, Function], both: RevisionTranslations, most: int
) -> tuple[TriedFunction, ValueWitness | None] | None:
    programs = both.forward.source_program, both.forward.target_program
    if not all(is_state_independent(function, program) for function, program in zip(pair, programs, strict=True)):
        return None
    readings = sorted(_find_shared_settings(pair, both))
    types = [
        *(programs[0].settings[name].type for name, _ in readings),
        *(parameter.type for parameter in pair[0].parameters),
    ]
    values = list_value_ranges(types, programs[0], most)
    if values is None or len(pair[0].parameters) != len(pair[1].parameters):
        return None
    old, new = (_compile_function(function, program) for function, program in zip(pair, programs, strict=True))
    common = CommonForm(both, old.names, new.names)
    number, whole = 0, prod(len(value) for value in values)
    for chosen in product(*values):
        result = _compare_for_values(chosen, readings, old, new, common)
        number += 0 if result is None else 1
        if isinstance(result, ValueWitness):
            return TriedFunction(pair[0].name, pair[1].name, number, equal=False), result
    space = _describe_function_space(pair, [name for _, name in readings], both)
    return (
        (TriedFunction(pair[0].name, pair[1].name, number, equal=True, space=space), None) if number == whole else None
    )


def _describe_function_space(
    pair: tuple[Function, Function], readings: Sequence[str], both: RevisionTranslations
) -> str:
    varied = [f"`{item}`" for item in (*(parameter.name for parameter in pair[1].parameters), *readings)]
    alone = [
        f"`{setting}`"
        for function, way in zip(pair, (both.forward, both.backward), strict=True)
        for setting in sorted(find_read_settings(function, way.source_program))
        if way.names.find_new_name("setting", setting) is None
    ]
    text = f"`{pair[1].name}` for every {join_words(varied)}" if varied else f"`{pair[1].name}`"
    return text + (f", with {join_words(alone)} as written" if alone else "")


def _find_shared_settings(pair: tuple[Function, Function], both: RevisionTranslations) -> set[tuple[str, str]]:
    across = both.forward
    first = find_read_settings(pair[0], across.source_program)
    second = find_read_settings(pair[1], across.target_program)
    known = {(name, across.names.find_new_name("setting", name)) for name in across.source_program.settings}
    return {(old, new) for old, new in known if new is not None and (old in first or new in second)}


def _compare_for_values(
    chosen: Sequence[Value],
    readings: Sequence[tuple[str, str]],
    old: _CompiledFunction,
    new: _CompiledFunction,
    common: CommonForm,
) -> ValueWitness | bool | None:
    """Difference for these settings and arguments; True for equal values, None where the new revision takes none."""
    set_, given = chosen[: len(readings)], chosen[len(readings) :]
    try:
        their_set = [
            _translate_argument(value, old.program.settings[first].type, new.program.settings[second].type, common)
            for value, (first, second) in zip(set_, readings, strict=True)
        ]
        theirs = [
            _translate_argument(value, here.type, there.type, common)
            for value, here, there in zip(given, old.function.parameters, new.function.parameters, strict=True)
        ]
    except NoCounterpartError:
        return None
    old_settings = {first: value for (first, _), value in zip(readings, set_, strict=True)}
    values = (
        old.compute(old_settings, given),
        new.compute(dict(zip([n for _, n in readings], their_set, strict=True)), theirs),
    )
    if _has_same_value(values, old, new, common):
        return True
    return ValueWitness(
        old.function.name,
        new.function.name,
        (_arguments_as_json(old, given), _arguments_as_json(new, theirs)),
        (
            _settings_as_json(old, old_settings),
            _settings_as_json(new, dict(zip([n for _, n in readings], their_set, strict=True))),
        ),
        (_value_as_json(old, values[0]), _value_as_json(new, values[1])),
    )


def _translate_argument(value: Value, type_: Type, target: Type, common: CommonForm) -> Value:
    if common.translations.is_identity and type_ == target:
        return value
    result = read_value(
        data_to_node(
            common.translations.forward.translate_value(value_to_json(value, type_, common.old), type_, target)
        ),
        target,
        common.new,
    )
    if result.diagnostics:
        raise NoCounterpartError
    return result.value


def _has_same_value(
    values: tuple[Any, Any], old: _CompiledFunction, new: _CompiledFunction, common: CommonForm
) -> bool:
    if any(isinstance(value, Fault) for value in values):
        return all(isinstance(value, Fault) for value in values) and values[0].code == values[1].code
    first = common.canonical_old(values[0], old.function.type, new.function.type)
    return bool(first == common.canonical_new(values[1], new.function.type))


def _value_as_json(listed: _CompiledFunction, value: Any) -> Json:
    return value.message if isinstance(value, Fault) else value_to_json(value, listed.function.type, listed.names)


def _arguments_as_json(listed: _CompiledFunction, given: Sequence[Value]) -> dict[str, Json]:
    parameters = listed.function.parameters
    return {
        parameter.name: value_to_json(value, parameter.type, listed.names)
        for parameter, value in zip(parameters, given, strict=True)
    }


def _settings_as_json(listed: _CompiledFunction, given: dict[str, Value]) -> dict[str, Json]:
    return {
        name: value_to_json(value, listed.program.settings[name].type, listed.names) for name, value in given.items()
    }


def function_as_measure(function: Function, name: str) -> Measure:
    """Function as a measure, under a name by which it can be evaluated in a state."""
    span, type_ = function.span, function.type
    given = tuple(Local(variable=parameter, type=parameter.type, span=span) for parameter in function.parameters)
    call: Expression
    if function.owner:
        call = DerivedAttribute(target=given[0], function=function.name, type=type_, span=span)
    else:
        call = CallFunction(function=function.name, arguments=given, type=type_, span=span)
    known = function.parameters
    return Measure(name=name, title="", cites=(), span=span, parameters=known, variables=known, type=type_, value=call)


def _compile_function(function: Function, program: Program) -> _CompiledFunction:
    measures = {_MEASURE_NAME: function_as_measure(function, _MEASURE_NAME)}
    executable = compile_program(replace(program, measures=measures), traced=False)
    written = {name: evaluate_start_value(setting.value, setting.type) for name, setting in program.settings.items()}
    worlds: dict[tuple[tuple[str, Value], ...], Any] = {}

    def compute_value(settings: dict[str, Value], given: Sequence[Value]) -> Any:
        key = tuple(settings.items())
        if key not in worlds:
            state = make_initial_state(_empty_situation(program, written | settings), executable.layout)
            worlds[key] = thaw_state(executable, state, RunLimits())
        try:
            return executable.measures[_MEASURE_NAME](worlds[key], *given)
        except Fault as fault:
            if fault.code in LIMIT_CODES:
                raise _MachineLimitError from fault
            return fault

    return _CompiledFunction(program, function, NameTable(program, GameSetup({})), compute_value)


def _empty_situation(program: Program, settings: dict[str, Value]) -> Situation:
    columns = build_state_layout(program).columns
    base = GameSetup(dict.fromkeys(program.kinds, ()), dict.fromkeys(program.boards, ()), settings)
    return Situation(base, dict.fromkeys(columns, ()), game=dict.fromkeys(program.game))


def find_equal_functions(
    tried_functions: Sequence[TriedFunction],
) -> tuple[frozenset[DeclaredName], frozenset[DeclaredName]]:
    """Names, in both revisions, of functions with equal values for all arguments."""
    equal = [tried_function for tried_function in tried_functions if tried_function.equal]
    return frozenset(DeclaredName("function", tried_function.old) for tried_function in equal), frozenset(
        DeclaredName("function", tried_function.new) for tried_function in equal
    )
