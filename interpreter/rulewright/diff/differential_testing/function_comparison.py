"""Functions and measures of both revisions, evaluated for the same arguments and states."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from math import prod

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.harness import ComparisonTask
from rulewright.diff.differential_testing.initial_states import PairedState, list_role_candidates, pair_state
from rulewright.diff.differential_testing.paired_play import PLAY_LIMITS
from rulewright.diff.differential_testing.play_shrinking import leave_out_state_parts
from rulewright.diff.differential_testing.reachability import measures_reaching
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
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import NameTable
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
from rulewright.runtime.snapshot import MeasureEvaluator
from rulewright.runtime.state import GameSetup, Situation, build_state_layout, evaluate_start_value, make_initial_state
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value
from rulewright.wording.english import join_words

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
        measure_pair = _MeasurePair(both, executables, (task.old.measures[old], task.new.measures[new]))
        first = next(((one, state) for state in states if (one := measure_pair.find_difference(state))), None)
        work.spend_units(measure_pair.work_used // MEMBERS_PER_COST_UNIT)
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


@dataclass(frozen=True, slots=True)
class _ValueDifference:
    """Arguments and values of both revisions, as JSON; a fault is its message."""

    arguments: tuple[dict[str, Json], dict[str, Json]]
    values: tuple[Json, Json]
    has_fault: bool


class _OpenedMeasures:
    """Measures of both revisions, each in a state of its own.

    Args:
        executables: both revisions.
        measures: their measures.
        situations: their states.
        translations: of values between the revisions.
        limits: of all evaluations in a state together.
    """

    def __init__(
        self,
        executables: tuple[Executable, Executable],
        measures: tuple[Measure, Measure],
        situations: tuple[Situation, Situation],
        translations: RevisionTranslations,
        limits: RunLimits,
    ) -> None:
        sides = tuple(zip(executables, situations, strict=True))
        old, new = (NameTable(executable.program, situation.base) for executable, situation in sides)
        self.common = CommonForm(translations, old, new)
        self._measures = measures
        self._evaluators = [
            MeasureEvaluator(executable, make_initial_state(situation, executable.layout), limits)
            for executable, situation in sides
        ]

    @property
    def work_used(self) -> int:
        return sum(evaluator.work_used for evaluator in self._evaluators)

    def compare_values(self, given: Sequence[Value]) -> _ValueDifference | bool:
        """Difference for arguments of the old measure, or True for equal values.

        Raises:
            NoCounterpartError: the new measure takes no such arguments.
            _MachineLimitError: a limit of the machine ended a revision.
        """
        old, new = self._measures
        parameters = zip(given, old.parameters, new.parameters, strict=True)
        theirs = [_translate_argument(value, here.type, there.type, self.common) for value, here, there in parameters]
        first, second = self._evaluate_measure(0, given), self._evaluate_measure(1, theirs)
        if isinstance(first, Fault) and isinstance(second, Fault) and first.code == second.code:
            return True
        has_fault = isinstance(first, Fault) or isinstance(second, Fault)
        if not isinstance(first, Fault) and not isinstance(second, Fault):
            common = self.common.canonical_old(first, old.type, new.type)
            if common == self.common.canonical_new(second, new.type):
                return True
        sides = (old, given, first, self.common.old), (new, theirs, second, self.common.new)
        arguments = [_arguments_as_json(measure, values, names) for measure, values, _, names in sides]
        values = [
            value.message if isinstance(value, Fault) else value_to_json(value, measure.type, names)
            for measure, _, value, names in sides
        ]
        return _ValueDifference((arguments[0], arguments[1]), (values[0], values[1]), has_fault)

    def _evaluate_measure(self, side: int, given: Sequence[Value]) -> Value | Fault:
        try:
            return self._evaluators[side](self._measures[side].name, given)
        except Fault as fault:
            if fault.code in LIMIT_CODES:
                raise _MachineLimitError from fault
            return fault


class _MachineLimitError(Exception):
    pass


def _translate_argument(value: Value, type_: Type, target: Type, common: CommonForm) -> Value:
    if common.translations.is_identity and type_ == target:
        return value
    written = common.translations.forward.translate_value(value_to_json(value, type_, common.old), type_, target)
    result = read_value(data_to_node(written), target, common.new)
    if result.diagnostics:
        raise NoCounterpartError
    return result.value


def _arguments_as_json(measure: Measure, given: Sequence[Value], names: NameTable) -> dict[str, Json]:
    pairs = zip(measure.parameters, given, strict=True)
    return {parameter.name: value_to_json(value, parameter.type, names) for parameter, value in pairs}


@dataclasses.dataclass
class _MeasurePair:
    """Measure of both revisions that can be evaluated in states of both."""

    translations: RevisionTranslations
    executables: tuple[Executable, Executable]
    measures: tuple[Measure, Measure]
    work_used: int = 0

    def shrink_state(self, witness: ValueWitness, state: PairedState) -> ValueWitness:
        """Witness in a smaller state that still shows a difference, after a bounded number of tries."""
        for _ in range(_MAX_STATE_SHRINKS):
            smaller = next(self._find_smaller_states(state), None)
            if smaller is None:
                break
            state, witness = smaller
        return witness

    def _find_smaller_states(self, state: PairedState) -> Iterator[tuple[PairedState, ValueWitness]]:
        for fewer in leave_out_state_parts(state.states[1], self.translations.forward.target_program):
            paired_state = pair_state(fewer, 1, self.translations, FirstChooser())
            if paired_state is not None and paired_state.states != state.states:
                witness = self.find_difference(paired_state)
                if witness is not None:
                    yield paired_state, witness

    def find_difference(self, paired_state: PairedState) -> ValueWitness | None:
        """Difference of the two values in a state, for the first arguments that show one.

        A fault is none: states are made, and may be such as the rules never come to.
        """
        old, new = self.measures
        if len(old.parameters) != len(new.parameters):
            return None
        opened = _OpenedMeasures(
            self.executables, self.measures, paired_state.situations, self.translations, PLAY_LIMITS
        )
        names = opened.common.old
        values = make_value_source(names, SeededChoices(0))
        every = (
            list_role_candidates(parameter.type, paired_state.situations[0], values) for parameter in old.parameters
        )
        try:
            for written in islice(product(*every), _MAX_ARGUMENT_SETS):
                pairs = zip(written, old.parameters, strict=True)
                given = [read_value(data_to_node(item), parameter.type, names).value for item, parameter in pairs]
                with suppress(NoCounterpartError):
                    found = opened.compare_values(given)
                    if isinstance(found, _ValueDifference) and not found.has_fault:
                        settings: tuple[dict[str, Json], dict[str, Json]] = ({}, {})
                        return ValueWitness(
                            old.name, new.name, found.arguments, settings, found.values, paired_state.states
                        )
        except _MachineLimitError:
            return None
        finally:
            self.work_used += opened.work_used
        return None


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


def _compare_function(
    pair: tuple[Function, Function], both: RevisionTranslations, most: int
) -> tuple[TriedFunction, ValueWitness | None] | None:
    programs = both.forward.source_program, both.forward.target_program
    if not all(is_state_independent(function, program) for function, program in zip(pair, programs, strict=True)):
        return None
    readings = sorted(_find_shared_settings(pair, both))
    settings = [(programs[0].settings[old], programs[1].settings[new]) for old, new in readings]
    types = [*(setting.type for setting, _ in settings), *(parameter.type for parameter in pair[0].parameters)]
    values = list_value_ranges(types, programs[0], most)
    if values is None or len(pair[0].parameters) != len(pair[1].parameters):
        return None
    measures = function_as_measure(pair[0], _MEASURE_NAME), function_as_measure(pair[1], _MEASURE_NAME)
    old, new = (
        compile_program(replace(program, measures={_MEASURE_NAME: measure}), traced=False)
        for program, measure in zip(programs, measures, strict=True)
    )
    common = CommonForm(both, *(NameTable(program, GameSetup({})) for program in programs))
    number, whole = 0, prod(len(value) for value in values)
    for chosen in product(*values[: len(readings)]):
        try:
            theirs = [
                _translate_argument(value, here.type, there.type, common)
                for value, (here, there) in zip(chosen, settings, strict=True)
            ]
        except NoCounterpartError:
            continue
        given = [
            {setting.name: value for setting, value in zip(declared, values_, strict=True)}
            for declared, values_ in (
                ([here for here, _ in settings], chosen),
                ([there for _, there in settings], theirs),
            )
        ]
        situations = _empty_situation(programs[0], given[0]), _empty_situation(programs[1], given[1])
        opened = _OpenedMeasures((old, new), measures, situations, both, RunLimits())
        for arguments in product(*values[len(readings) :]):
            with suppress(NoCounterpartError):
                found = opened.compare_values(arguments)
                number += 1
                if isinstance(found, _ValueDifference):
                    shown = _settings_as_json(given[0], common.old), _settings_as_json(given[1], common.new)
                    names = pair[0].name, pair[1].name
                    witness = ValueWitness(*names, found.arguments, shown, found.values)
                    return TriedFunction(*names, number, equal=False), witness
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


def _settings_as_json(given: Mapping[str, Value], names: NameTable) -> dict[str, Json]:
    settings = names.program.settings
    return {name: value_to_json(value, settings[name].type, names) for name, value in given.items()}


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


def _empty_situation(program: Program, given: Mapping[str, Value]) -> Situation:
    columns = build_state_layout(program).columns
    written = {name: evaluate_start_value(setting.value, setting.type) for name, setting in program.settings.items()}
    base = GameSetup(dict.fromkeys(program.kinds, ()), dict.fromkeys(program.boards, ()), {**written, **given})
    return Situation(base, dict.fromkeys(columns, ()), game=dict.fromkeys(program.game))


def find_equal_functions(
    tried_functions: Sequence[TriedFunction],
) -> tuple[frozenset[DeclaredName], frozenset[DeclaredName]]:
    """Names, in both revisions, of functions with equal values for all arguments."""
    equal = [tried_function for tried_function in tried_functions if tried_function.equal]
    return frozenset(DeclaredName("function", tried_function.old) for tried_function in equal), frozenset(
        DeclaredName("function", tried_function.new) for tried_function in equal
    )
