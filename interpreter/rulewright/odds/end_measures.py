"""Measures of the end of a play: expressions over the game, its things, the roles, the result and event counts."""

import posixpath
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.files import FileProvider, FilesWithExtra
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import AnswerScript
from rulewright.documents.compiled_rulesets import compile_kept_ruleset
from rulewright.documents.findings import ReadResult, describe_choices, did_you_mean, join_alternatives, quote_name
from rulewright.documents.procedure_arguments import expand_measure_calls
from rulewright.documents.ruleset_loading import LoadedRuleset, LoadRuleset, load_cached_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset
from rulewright.documents.state_file import NO_TEXT_NAME
from rulewright.documents.value_reader import read_value
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.odds.measure_syntax import (
    COUNT_WORDS,
    RESULT_NAME,
    CountedEvent,
    UndefinedConditionError,
    apply_condition,
    check_event_exists,
    event_count_name,
    event_number_of_name,
    replace_counts,
    report_non_flag_condition,
    split_condition,
)
from rulewright.play.session import PlayStart
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint, StatePlaces
from rulewright.program.types import FlagType, FractionType, LengthType, NumberType, ThingType, Type, strip_optional
from rulewright.runtime.event_engine import RESULT_SLOT
from rulewright.runtime.executable import Executable, compile_program, link_executable
from rulewright.runtime.faults import Fault
from rulewright.runtime.random_values import RandomValue, join_parts
from rulewright.runtime.request import Ended
from rulewright.runtime.snapshot import MeasureEvaluator, make_measure_evaluator
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import CONTROL, STACK, WorkingMemory

_MEASURES_FILE = "asked-of-the-end.rules"
_MEASURE_NAME_PREFIX = "asked_of_the_end_"
_CALL_PATTERN = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*")
_WORD_PATTERN = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_MAX_EVENT_COUNT = 999_999_999
"""Upper bound of the type of an event count; chosen: no play counts as far."""


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """An expression that is evaluated at every end."""

    text: str  # as written
    type: Type  # of its values
    # index of its condition (`given`) behind all measures in `MeasuredPlay.argument_lists`
    condition_number: int | None = None

    @property
    def is_number(self) -> bool:
        return isinstance(strip_optional(self.type), NumberType | FractionType | LengthType)

    @property
    def is_optimizable(self) -> bool:
        """Whether a player can maximize it: a number or a flag."""
        return isinstance(self.type, NumberType | FractionType | FlagType)

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Lowest and highest value of its type; None if the type has no bounds."""
        match self.type:
            case FlagType():
                return Fraction(0), Fraction(1)
            case NumberType(int() as low, int() as high):
                return Fraction(low), Fraction(high)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class _MeasureArgument:
    name: str
    type: Type  # of its value
    role_number: int | None = None
    known_value: Value = None  # of a thing, word or number
    # of a counted event
    event_number: int | None = None

    @property
    def is_result(self) -> bool:
        return self.role_number is None and self.event_number is None and self.known_value is None

    def evaluate_argument(self, start: PlayStart, result: Value, times: Sequence[int]) -> Value:
        """Value at the end of a play with this result and these event counts."""
        if self.role_number is not None:
            return start.arguments[self.role_number]
        if self.event_number is not None:
            return times[self.event_number]
        return result if self.is_result else self.known_value


@dataclass(frozen=True, slots=True)
class MeasuredPlay:
    """A play that can begin, with all that is asked of its ends."""

    start: PlayStart  # its executable has the measures
    measures: tuple[AskedMeasure, ...]  # in order
    # arguments of each measure, then of each condition
    argument_lists: tuple[tuple[_MeasureArgument, ...], ...]
    measure_names: tuple[str, ...]  # names in the program of each measure, then of each condition
    reported_count: int  # of the measures; those after them are objectives only
    objectives: Mapping[int, int]  # by number of a player the number of the measure that the player maximizes
    counted_events: tuple[CountedEvent, ...] = ()
    conditions: tuple[str, ...] = ()  # as written
    minimizing_players: frozenset[int] = frozenset()  # numbers of players who minimize the first objective

    def with_start(self, start: PlayStart) -> "MeasuredPlay":
        """The same measures from another start or with other roles."""
        limits = replace(start.limits, forced=self.start.limits.forced)
        return replace(self, start=replace(start, executable=self.start.executable, limits=limits))

    def with_all_questions_put(self) -> "MeasuredPlay":
        """The same play with questions put that answer themselves, as only a traced run can."""
        executable = compile_program(self.start.executable.program, traced=True)
        limits = replace(self.start.limits, forced=True)
        return replace(self, start=replace(self.start, executable=executable, limits=limits))

    def adapt_to_script(self, script: AnswerScript | None) -> "MeasuredPlay":
        """`with_all_questions_put` if answers in order name their question, which may answer itself; else unchanged."""
        return self.with_all_questions_put() if script is not None and script.names_questions else self

    def with_measures(self, numbers: Sequence[int]) -> "MeasuredPlay":
        """The same play with some of its measures."""
        conditions = sorted({at for item in numbers if (at := self.measures[item].condition_number) is not None})
        selected = [*numbers, *conditions]
        place = {at: number for number, at in enumerate(conditions, len(numbers))}
        selected_measures = (self.measures[item] for item in numbers)
        return replace(
            self,
            measures=tuple(
                replace(
                    asked_measure,
                    condition_number=None
                    if asked_measure.condition_number is None
                    else place[asked_measure.condition_number],
                )
                for asked_measure in selected_measures
            ),
            argument_lists=tuple(self.argument_lists[item] for item in selected),
            measure_names=tuple(self.measure_names[item] for item in selected),
            reported_count=len(numbers),
            objectives={},
            conditions=tuple(self.conditions[condition - len(self.measures)] for condition in conditions),
        )

    def condition_text(self, measure: AskedMeasure) -> str:
        """Condition of a measure as written; empty without one."""
        return (
            "" if measure.condition_number is None else self.conditions[measure.condition_number - len(self.measures)]
        )

    def evaluate_measures(self, end: Ended, times: Hashable = ()) -> tuple[Value, ...]:
        """Value of each measure at an end, None for no value; `times` are the event counts.

        Raises:
            UndefinedConditionError: a condition has no value there.
        """
        worth, event_counts = (
            make_measure_evaluator(self.start.executable, end.state),
            times if isinstance(times, tuple) else (),
        )
        return self.apply_conditions(
            [
                _evaluate_measure(worth, name, self.evaluate_arguments(measure_name, end.result, event_counts))
                for measure_name, name in enumerate(self.measure_names)
            ]
        )

    def apply_conditions(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Values of the measures, `ExcludedPlay` where the condition fails; `values` are measures, then conditions."""
        if not self.conditions:
            return tuple(values)
        first = len(self.measures)
        unknown = next((text for text, item in zip(self.conditions, values[first:], strict=True) if item is None), None)
        if unknown is not None:
            raise UndefinedConditionError(unknown)
        return tuple(
            value if measure.condition_number is None else apply_condition(values[measure.condition_number], value)
            for value, measure in zip(values, self.measures, strict=False)
        )

    def evaluate_arguments(self, number: int, result: Value, times: Sequence[int] = ()) -> list[Value]:
        """Arguments of a measure at the end of a play with this result and these event counts."""
        return [
            argument_list.evaluate_argument(self.start, result, times) for argument_list in self.argument_lists[number]
        ]


def _evaluate_measure(worth: MeasureEvaluator, name: str, arguments: Sequence[Value]) -> Value:
    try:
        return worth(name, arguments)
    except Fault:
        return None


def prepare_measured_play(  # noqa: PLR0913, PLR0917
    start: PlayStart,
    expressions: Sequence[str],
    ruleset: str,
    overlays: Sequence[str],
    files: FileProvider,
    objectives: Sequence[tuple[int, str]] = (),
    *,
    watching: bool = False,
    loading: LoadRuleset = load_cached_ruleset,
) -> ReadResult[MeasuredPlay]:
    """The play with measures for what is asked, in an extended program.

    Args:
        start: a play of the ruleset with its overlays.
        expressions: expressions as written.
        ruleset: file, folder or shipped name.
        overlays: files that amend it.
        files: source of texts.
        objectives: by number of a player the expressions to maximize.
        watching: whether events may be counted.
        loading: reads and checks a ruleset with overlays.

    Reports RW1127, an objective is neither a number nor a flag; RW1132, there is no such step or list of rows; RW1202,
    a condition is neither yes nor no; RW1215, what is asked comes from elsewhere; RW1216, a measure is not asked as it
    is declared; what is wrong with an expression as `check` says it, with the expression in a note.
    """
    program, event_numbers = start.executable.program, dict[CountedEvent, int]()
    split = [split_condition(item) if watching else (item, "") for item in expressions]
    conditions = tuple(dict.fromkeys(condition for _, condition in split if condition))
    written = (*(text for text, _ in split), *(text for _, text in objectives), *conditions)

    def name_counted_event(way: CountedEvent) -> str:
        name = event_count_name(event_numbers.setdefault(way, len(event_numbers)))
        begins = way == CountedEvent("visits", start.procedure.name)  # which is no call
        return f"({name} + 1)" if begins else name

    texts = [replace_counts(item, program, name_counted_event) if watching else item for item in written]
    calls = [_match_declared_measure(item, start) for item in texts]
    unfit = [_check_measure_call(text, start) for text, call in zip(texts, calls, strict=True) if not call]
    if any(unfit):
        return ReadResult(None, tuple(diagnostic for diagnostic in unfit if diagnostic is not None))
    given = [
        tuple(_find_mentioned_names(text, start)) if call is None else call[1]
        for text, call in zip(texts, calls, strict=True)
    ]
    lines = {at: _write_measure_line(at, texts[at], of) for at, of in enumerate(given) if not calls[at]}
    names = tuple(f"{_MEASURE_NAME_PREFIX}{at}" if call is None else call[0] for at, call in enumerate(calls))
    content = "\n".join([f'amends {program.name} revision "odds"', *lines.values()]) + "\n"
    traced = bool(event_numbers) or (bool(objectives) and any(start.executable.secret_sites))
    compiled = _compile_with_measures(locate_ruleset(ruleset, files), tuple(overlays), files, content, loading, traced)
    nowhere = tuple(gap for counted_event in event_numbers if (gap := check_event_exists(counted_event, program)))
    if compiled.value is None or nowhere:
        wrong = compiled.diagnostics
        reworded = (
            _reword_finding(diagnostic, [written[at] for at in lines], content, event_numbers) for diagnostic in wrong
        )
        return ReadResult(
            None, tuple(dict.fromkeys((*nowhere, *(_add_remedy(diagnostic, start) for diagnostic in reworded))))
        )
    extended = compiled.value.program
    declared = extended.measures
    footprint = ReadFootprint(extended)
    reads = [footprint.collect_read_places(declared[name].value) for name in names]
    gaps = [_check_no_external(*item, extended) for item in zip(written, reads, strict=True)]
    if any(gaps):
        return ReadResult(None, tuple(diagnostic for diagnostic in gaps if diagnostic is not None))
    counted = {event_count_name(number): NumberType(0, None) for number in event_numbers.values()}
    types = [counted.get(text.strip(), declared[name].type) for text, name in zip(texts, names, strict=True)]
    first = len(expressions) + len(objectives)
    at_end = [first + conditions.index(condition) if condition else None for _, condition in split]
    measures = (
        *map(AskedMeasure, expressions, types, at_end),
        *map(AskedMeasure, written[len(expressions) : first], types[len(expressions) : first]),
    )
    wrong = tuple(
        _report_bad_objective(measure) for measure in measures[len(expressions) :] if not measure.is_optimizable
    )
    of_conditions = zip(conditions, types[first:], strict=True)
    wrong += tuple(report_non_flag_condition(*item) for item in of_conditions if not isinstance(item[1], FlagType))
    if wrong:
        return ReadResult(None, wrong)
    play = replace(start, executable=compiled.value)
    wanted = {player: len(expressions) + number for number, (player, _) in enumerate(objectives)}
    return ReadResult(
        MeasuredPlay(play, measures, tuple(given), names, len(expressions), wanted, tuple(event_numbers), conditions)
    )


def _compile_with_measures(  # noqa: PLR0913, PLR0917
    located: RulesetLocation,
    overlays: tuple[str, ...],
    files: FileProvider,
    content: str,
    loading: LoadRuleset,
    traced: bool,  # noqa: FBT001
) -> ReadResult[Executable]:
    """The ruleset with an overlay of measures; it is kept on disk, unless it is loaded in a way of its own."""
    place = posixpath.join(posixpath.dirname(located.main or ""), _MEASURES_FILE)

    def load(files: FileProvider) -> LoadedRuleset:
        return loading(located, (*overlays, place), FilesWithExtra(files, place, content))

    if loading is not load_cached_ruleset:
        loaded = load(files)
        if loaded.program is None:
            return ReadResult(None, loaded.errors)
        return ReadResult(compile_program(loaded.program, traced=traced))
    compiled = compile_kept_ruleset(located, (*overlays, content), files, load, lambda _: None, traced=traced)
    return ReadResult(None if compiled.value is None else link_executable(compiled.value[0]), compiled.diagnostics)


def _match_declared_measure(text: str, start: PlayStart) -> tuple[str, tuple[_MeasureArgument, ...]] | None:
    result, program = _CALL_PATTERN.fullmatch(text), start.executable.program
    declared = None if result is None else program.measures.get(result[1])
    if result is None or declared is None:
        return None
    written = [item.strip() for item in result[2].split(",")] if result[2] else []
    if len(written) != len(declared.parameters):
        return None
    given = [_read_argument(item, of.type, start) for item, of in zip(written, declared.parameters, strict=True)]
    return (
        None
        if None in given
        else (declared.name, tuple(measure_argument for measure_argument in given if measure_argument))
    )


def _check_measure_call(text: str, start: PlayStart) -> Diagnostic | None:
    result, program = _CALL_PATTERN.fullmatch(text), start.executable.program
    declared = None if result is None else program.measures.get(result[1])
    if declared is None:
        return None
    takes = [f"`{parameter.name}` ({parameter.type})" for parameter in declared.parameters]
    few = [measure for measure in list_declared_measures(start)[0] if measure.partition("(")[0] == declared.name]
    message = f"the measure {quote_name(declared.name)} cannot be asked as {quote_name(text.strip())}"
    remedy = f"it takes {' and '.join(takes) or 'nothing'}"
    return Diagnostic(
        "RW1216",
        Severity.ERROR,
        message,
        help=f"{remedy}: {join_alternatives(few[:_MAX_SUGGESTIONS])}" if few else remedy,
    )


_MAX_SUGGESTIONS = 3
"""Measures suggested in a message; chosen."""


def _check_no_external(text: str, reads: StatePlaces, program: Program) -> Diagnostic | None:
    external = next(
        (
            external_term
            for name, external_term in program.external_terms.items()
            if name in reads and not external_term.default
        ),
        None,
    )
    if external is None:
        return None
    message = f"{quote_name(text.strip())} cannot be asked at the end, because {quote_name(external.name)} comes from elsewhere"
    remedy = f"ask for what the rules made of it, such as the result, or give {quote_name(external.name)} a `default`"
    return Diagnostic("RW1215", Severity.ERROR, message, help=remedy)


def _read_argument(written: str, type_: Type, start: PlayStart) -> _MeasureArgument | None:
    for number, role in enumerate(start.procedure.parameters):
        if role.name == written:
            return _MeasureArgument(written, type_, role_number=number) if role.type == type_ else None
    node = parse_yaml(Text(NO_TEXT_NAME, written)).value
    result = None if node is None else read_value(node, type_, start.names)
    return (
        None
        if result is None or result.value is None or result.diagnostics
        else _MeasureArgument(written, type_, known_value=result.value)
    )


def list_declared_measures(start: PlayStart) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Calls of the declared measures with all combinations of things and words; names of those left out.

    Left out are measures with parameters whose values are not few and known, or with too many combinations.
    """
    program, result, omitted = start.executable.program, list[str](), list[str]()
    for measure in program.measures.values():
        calls = expand_measure_calls(measure, program, start.situation)
        if calls is None:
            omitted.append(measure.name)
        else:
            result += calls
    return tuple(result), tuple(omitted)


def _report_bad_objective(measure: AskedMeasure) -> Diagnostic:
    message = f"`{measure.text}` is {measure.type}; best play needs a number or a flag"
    return Diagnostic("RW1127", Severity.ERROR, message, help="compare it: `… = …` is a flag")


def _find_mentioned_names(text: str, start: PlayStart) -> Iterator[_MeasureArgument]:
    procedure = start.procedure
    roles = {
        parameter.name: _MeasureArgument(parameter.name, parameter.type, role_number=at)
        for at, parameter in enumerate(procedure.parameters)
    }
    things = {
        id_: _MeasureArgument(id_, ThingType(kind), known_value=number)
        for kind in start.executable.program.kinds
        for number, id_ in enumerate(start.names.ids_of_kind(kind))
    }
    members = _find_member_names(text)
    for name in dict.fromkeys(_WORD_PATTERN.findall(text)):
        if name in members:
            continue
        if (way := event_number_of_name(name)) is not None:
            yield _MeasureArgument(name, NumberType(0, _MAX_EVENT_COUNT), event_number=way)
        elif name in roles:
            yield roles[name]
        elif name == RESULT_NAME and procedure.result is not None:
            yield _MeasureArgument(RESULT_NAME, procedure.result)
        elif name in things:
            yield things[name]


_BINDER_PATTERN = re.compile(r"\b(?:each|some|no|every|the)\s+(\w+|\([^()]*\))\s+in\b")


def _find_member_names(text: str) -> frozenset[str]:
    """Names that a question gives to members, `u` in `each u in units`; there they hide roles and things."""
    return frozenset(name for bound in _BINDER_PATTERN.findall(text) for name in _WORD_PATTERN.findall(bound))


def _write_measure_line(number: int, text: str, given: Sequence[_MeasureArgument]) -> str:
    parameters = ", ".join(f"{measure_argument.name}: {measure_argument.type}" for measure_argument in given)
    return f"measure {_MEASURE_NAME_PREFIX}{number}{f'({parameters})' if parameters else ''}: {' '.join(text.split())}"


def _add_remedy(diagnostic: Diagnostic, start: PlayStart) -> Diagnostic:
    name = diagnostic.message.partition("`")[2].partition("`")[0]
    if diagnostic.help.endswith("`measure name: value`"):
        remedy = "ask for one expression, as in the rules; `… given …` asks of the plays in which the second is so"
        return replace(diagnostic, help=remedy)
    if diagnostic.code == "RW0313" and name in start.executable.program.measures:
        return replace(
            diagnostic, help="ask for the measure alone; in an expression stands a `term` that gives the same"
        )
    if diagnostic.code == "RW0301" and name in {given.name for given in _find_mentioned_names(name, start)}:
        message = f"`{name}` names both a member and a role or thing in what is asked"
        return replace(diagnostic, message=message, help="give the member another name")
    if diagnostic.code not in _UNKNOWN_NAME_CODES or diagnostic.help:
        return diagnostic
    if name in COUNT_WORDS:
        return replace(diagnostic, help=f"write it with one address: `{name}({COUNT_WORDS[name]})`")
    if name == RESULT_NAME:
        return replace(diagnostic, help=f"`{start.procedure.name}` gives no result; ask for what it changes")
    roles = [parameter.name for parameter in start.procedure.parameters]
    things = [id_ for kind in start.executable.program.kinds for id_ in start.names.ids_of_kind(kind)]
    known = [*roles, *things, *COUNT_WORDS, *([] if start.procedure.result is None else [RESULT_NAME])]
    there = describe_choices([*roles, *things]) if roles or things else ""
    return replace(diagnostic, help=did_you_mean(name, known) or there)


_UNKNOWN_NAME_CODES = frozenset({"RW0301", "RW0314"})


def _reword_finding(
    diagnostic: Diagnostic, texts: Sequence[str], content: str, event_numbers: Mapping[CountedEvent, int]
) -> Diagnostic:
    if diagnostic.primary is None or posixpath.basename(diagnostic.primary.span.source) != _MEASURES_FILE:
        return diagnostic
    line = content.count("\n", 0, diagnostic.primary.span.start) - 1
    text = texts[min(max(line, 0), len(texts) - 1)]
    message, remedy = diagnostic.message, diagnostic.help
    if content[diagnostic.primary.span.start :].partition("\n")[0].strip() == " ".join(text.split()):
        message = message.replace(" after `:`", "", 1)  # which stands before what is asked
    if diagnostic.code == "RW0312":
        name = message.partition(" ")[0]
        message = f"{name} is the name of a thing of this play, and of something else in the rules"
        remedy = f"give the thing another id in the state, or ask for a `measure` with {name} that the rules declare"
    for way, number in reversed([*event_numbers.items()]):
        message, remedy = (item.replace(event_count_name(number), str(way)) for item in (message, remedy))
    notes = (f"in what is asked: {quote_name(text)}",)
    return Diagnostic(diagnostic.code, Severity.ERROR, message, notes=notes, help=remedy)


_RESULT_MARKER: Any = object()
"""Placeholder for the result of the play."""


class EndMeasurer:
    """Evaluation of the reported measures in the world of an end.

    Attributes:
        measure_names: names in the program of what is evaluated.
    """

    __slots__ = ("_measure_calls", "_play", "measure_names")

    def __init__(self, play: MeasuredPlay) -> None:
        functions = play.start.executable.measures
        # by measure its function, what is given to it, and whether the result of a play is among that; none if unwanted
        self._measure_calls = [
            (
                functions[name],
                play.evaluate_arguments(number, _RESULT_MARKER),
                any(argument_list.is_result for argument_list in play.argument_lists[number]),
            )
            if number < play.reported_count or number >= len(play.measures)
            else None
            for number, name in enumerate(play.measure_names)
        ]
        self.measure_names = [
            name for name, call in zip(play.measure_names, self._measure_calls, strict=True) if call is not None
        ]
        self._play = play

    def measure_end_world(self, world: WorkingMemory) -> tuple[Any, ...]:
        """Value of each measure; may be random.

        Raises:
            NeedsConcreteValue: a measure has to know an open value.
            UndefinedConditionError: a condition has no value there.
        """
        control, result = world[CONTROL], world[STACK][0][RESULT_SLOT]
        control.work_left, control.size_left = control.limits.work, control.limits.size
        values: list[Any] = []
        for measure_call in self._measure_calls:
            if measure_call is None:
                values.append(None)
                continue
            function, given, takes_result = measure_call
            if takes_result:
                given = [result if item is _RESULT_MARKER else item for item in given]
            try:
                value = function(world, *given)
                values.append(join_parts(value) if isinstance(value, RandomValue | tuple) else value)
            except Fault:
                values.append(None)
        return self._play.apply_conditions(values)[: self._play.reported_count]
