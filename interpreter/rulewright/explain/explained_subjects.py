"""Subjects of an explanation (expressions and steps) and goals of a counterfactual search."""

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property, partial
from operator import ne
from typing import TYPE_CHECKING, Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.explain.dynamic_slice import ChangedPlace, DynamicSlice
from rulewright.odds.measure_syntax import RESULT_NAME
from rulewright.play.session import PlayStart, Session
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Measure, Program
from rulewright.program.effects import ReadFootprint, get_called_name, list_read_places
from rulewright.program.types import Type
from rulewright.runtime.codec_protocols import NameSource
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Run
from rulewright.runtime.slicing import PROCEDURE_RESULT, RelevantInputs
from rulewright.runtime.snapshot import make_measure_evaluator
from rulewright.runtime.state import State, make_initial_state
from rulewright.runtime.trace_record import TraceRecord
from rulewright.runtime.type_codecs import format_value, value_to_json
from rulewright.runtime.values import Value

if TYPE_CHECKING:
    from rulewright.odds.end_measures import MeasuredPlay

NO_VALUE = object()
"""Value that cannot be computed, or that the play did not reach."""


class StepStatus(IntEnum):
    """How a play came to a step, in ascending order."""

    NEVER = 0
    SKIPPED = 1
    ENTERED = 2


_STATUS_WORDS = {StepStatus.NEVER: "never reached", StepStatus.SKIPPED: "skipped", StepStatus.ENTERED: "entered"}


@dataclass(frozen=True, slots=True)
class StepSubject:
    """A step that is asked about."""

    text: str  # as written
    address: str
    executable: Executable  # traced

    @property
    def fixed_places(self) -> frozenset[ChangedPlace]:
        """Values of the start that are not changed: none."""
        return frozenset()

    @property
    def places_read(self) -> frozenset[str]:
        """Places that it reads itself: none."""
        return frozenset()

    def value_in_session(self, session: Session) -> object:
        """Best status so far, or `NO_VALUE`."""
        return self.best_status(session.visited_steps)

    def best_status(self, steps: Iterable[tuple[str, bool]]) -> StepStatus:
        """Best status of the step among some entries."""
        generator = (
            StepStatus.ENTERED if entered else StepStatus.SKIPPED
            for address, entered in steps
            if address == self.address
        )
        return max(generator, default=StepStatus.NEVER)

    def value_at_start(self, start: PlayStart) -> object:
        del start
        return NO_VALUE

    def format_value(self, value: object, names: NameSource) -> str:
        del names
        assert isinstance(value, StepStatus)
        return _STATUS_WORDS[value]

    def value_to_json(self, value: object, names: NameSource) -> str | None:
        return None if value is NO_VALUE else self.format_value(value, names)

    def trace_causes(self, tracing: DynamicSlice) -> frozenset[int]:
        """Positions of the entries that made the status what it is; of a step never reached what led past it."""
        met = [at for at, entry in enumerate(tracing.entries) if entry.address == self.address]
        return tracing.slice_back(met[-1:] or [*self._positions_led_past(tracing)][-1:])

    def _positions_led_past(self, tracing: DynamicSlice) -> Iterator[int]:
        procedure = self.address.partition("/")[0]
        for at, entry in enumerate(tracing.entries):
            leads = isinstance(entry.node, st.Proceed | st.Finish | st.FinishOuter)
            if leads and entry.address.partition("/")[0] == procedure:
                yield at

    def goal_of_other_value(self, value: object) -> "StepGoal":
        """Goal to enter the step if it was not entered, else not to."""
        return StepGoal(self, wanted=value != StepStatus.ENTERED)


@dataclass(frozen=True, slots=True)
class StepGoal:
    """Goal that a step is entered, or not."""

    subject: StepSubject
    wanted: bool

    @property
    def executable(self) -> Executable:
        """For changed plays."""
        return self.subject.executable

    def compute_slice(self, procedure: str) -> RelevantInputs | None:
        """Inputs on which the goal may depend at the end of a procedure; None if unknown."""
        return self.executable.relevance.find_relevant(procedure, frozenset(), self.subject.address)

    def update_goal_memory(self, before: Hashable, run: Run) -> Hashable:
        """Best status so far; `before` is None at the beginning."""
        known = before if isinstance(before, StepStatus) else StepStatus.NEVER
        met = (self.subject.best_status(entries.steps) for entries in _recorded_stretches(run))
        return max(known, *met, StepStatus.NEVER)

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the recorded one does, reaches the goal."""
        return not isinstance(run.outcome, Refused | Faulted) and (heard is StepStatus.ENTERED) is self.wanted

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play at a request can no longer reach the goal: a step stays entered."""
        del run
        return heard is StepStatus.ENTERED and not self.wanted

    def holds_in_session(self, session: Session) -> bool:
        """Whether a replayed session reaches the goal."""
        return (self.subject.value_in_session(session) is StepStatus.ENTERED) is self.wanted


def _recorded_stretches(run: Run) -> Iterator[TraceRecord]:
    for entries in (*(paused.entries for paused, _ in run.answered_requests), run.outcome.entries):
        if isinstance(entries, TraceRecord):
            yield entries


def find_steps(text: str, program: Program, procedure: str) -> tuple[str, ...]:
    """Addresses of the steps that a text means: in the procedure of the play, else in any."""
    every = [step.address for item in program.procedures.values() for step in item.steps]
    meant = [item for item in every if item == text or item.endswith(f"/{text}")]
    local_steps = [item for item in meant if item.partition("/")[0] == procedure]
    return tuple(local_steps or meant)


@dataclasses.dataclass(frozen=True)
class ExpressionSubject:
    """An expression that is asked about."""

    text: str  # as written
    type: Type  # of its values
    executable: Executable  # of a program with a measure of it
    declared: Measure  # the measure
    arguments: Callable[[Value], Sequence[Value]]  # of the measure for a result of the play

    @cached_property
    def asks_result(self) -> bool:
        """Whether it reads the result of the procedure."""
        return any(parameter.name == RESULT_NAME for parameter in self.declared.parameters)

    # Its value.

    def value_in_run(self, run: Run) -> object:
        """Value where a run stands, or `NO_VALUE`."""
        outcome = run.outcome
        if isinstance(outcome, Refused | Faulted):
            return NO_VALUE
        result = outcome.result if isinstance(outcome, Ended) else None
        return _value_unless_fault(lambda: run.evaluate_measure(self.declared.name, self.arguments(result)))

    def value_in_session(self, session: Session) -> object:
        """Value where a session stands, or `NO_VALUE`."""
        state, outcome = session.state, session.outcome
        if not isinstance(state, State):
            return NO_VALUE
        return self._value_in_state(state, outcome.result if isinstance(outcome, Ended) else None)

    def value_at_start(self, start: PlayStart) -> object:
        """Value at the start, or `NO_VALUE`."""
        return (
            NO_VALUE
            if self.asks_result
            else self._value_in_state(make_initial_state(start.situation, self.executable.layout), None)
        )

    def _value_in_state(self, state: State, result: Value) -> object:
        return _value_unless_fault(
            lambda: make_measure_evaluator(self.executable, state)(self.declared.name, self.arguments(result))
        )

    def format_value(self, value: object, names: NameSource) -> str:
        return format_value(value, self.type, names)

    def value_to_json(self, value: object, names: NameSource) -> Any:
        return None if value in {None, NO_VALUE} else value_to_json(value, self.type, names)

    def goal_of_other_value(self, value: object) -> "ValueGoal":
        return ValueGoal(self, partial(ne, value))

    # On what it rests.

    @cached_property
    def root_places(self) -> frozenset[ChangedPlace]:
        """Places that it reads, each with a thing, or None for all things."""
        return frozenset(self._find_root_places())

    def _find_root_places(self) -> Iterator[ChangedPlace]:
        given = dict(zip((parameter.name for parameter in self.declared.parameters), self.arguments(None), strict=True))
        footprint = ReadFootprint(self.executable.program)
        for node in walk_nodes(self.declared.value):
            if isinstance(node, ex.Typed):
                thing = _named_thing(node, given)
                places = footprint.collect_read_places(node) if get_called_name(node) else list_read_places(node)  # type: ignore[arg-type]
                yield from ((place, thing) for place in places)

    @property
    def fixed_places(self) -> frozenset[ChangedPlace]:
        """Values of the start that are not changed: the start of the value itself, if it is asked for alone."""
        plain = isinstance(self.declared.value, ex.StoredAttribute | ex.GameField)
        return self.root_places if plain and len(self.root_places) == 1 else frozenset()

    @cached_property
    def places_read(self) -> frozenset[str]:
        return frozenset(place for place, _ in self.root_places)

    def trace_causes(self, tracing: DynamicSlice) -> frozenset[int]:
        """Positions of the entries that made the value what it is."""
        last = [
            positions[-1]
            for (place, key), positions in tracing.change_positions.items()
            if any(place == root and thing in {None, key} for root, thing in self.root_places)
        ]
        if self.asks_result:
            gave = [at for at, entry in enumerate(tracing.entries) if isinstance(entry.node, st.Finish)]
            last += gave[-1:]
        return tracing.slice_back(last)


def build_subjects(play: "MeasuredPlay") -> tuple[ExpressionSubject, ...]:
    """Subject of each measure of a play."""
    executable = play.start.executable
    return tuple(
        ExpressionSubject(
            measure.text,
            measure.type,
            executable,
            executable.program.measures[play.measure_names[number]],
            partial(play.evaluate_arguments, number),
        )
        for number, measure in enumerate(play.measures)
    )


@dataclass(frozen=True, slots=True)
class ValueGoal:
    """Goal that an expression has another value at the end."""

    subject: ExpressionSubject
    is_wanted: Callable[[object], bool]  # predicate of values

    @property
    def executable(self) -> Executable:
        """For changed plays."""
        return self.subject.executable

    def compute_slice(self, procedure: str) -> RelevantInputs | None:
        """Inputs on which the goal may depend at the end of a procedure; None if unknown."""
        result = {PROCEDURE_RESULT} if self.subject.asks_result else set[str]()
        return self.executable.relevance.find_relevant(procedure, self.subject.places_read | result)

    def update_goal_memory(self, before: Hashable, run: Run) -> Hashable:
        """None: the end decides."""
        del run
        return before

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the recorded one does, reaches the goal."""
        del heard
        value = self.subject.value_in_run(run)
        return value is not NO_VALUE and self.is_wanted(value)

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether the goal is missed and nothing to come changes what the expression reads."""
        subject = self.subject
        return (
            not subject.asks_result and not subject.places_read & run.changeable_places and not self.is_met(run, heard)
        )

    def holds_in_session(self, session: Session) -> bool:
        """Whether a replayed session reaches the goal."""
        value = self.subject.value_in_session(session)
        return value is not NO_VALUE and self.is_wanted(value)


ExplainedSubject = StepSubject | ExpressionSubject

CounterfactualGoal = StepGoal | ValueGoal


def _value_unless_fault(work_out: Callable[[], Value]) -> object:
    try:
        return work_out()
    except Fault:
        return NO_VALUE


def _named_thing(node: object, given: Mapping[str, Value]) -> Value:
    match node:
        case (
            ex.StoredAttribute(target=ex.Local(variable=variable))
            | ex.DerivedAttribute(target=ex.Local(variable=variable))
            | ex.Gone(target=ex.Local(variable=variable))
        ):
            return given.get(variable.name)
        case _:
            return None
