"""Expressions that are asked about: their values in plays, and on what these rest."""

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property, partial
from operator import ne
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.explain.dynamic_slice import ChangedPlace, DynamicSlice
from rulewright.odds.end_measures import RESULT_NAME, MeasuredPlay
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

NO_VALUE = object()
"""What is worth nothing, because the play did not come that far or the value cannot be computed."""


class StepStatus(IntEnum):
    """How a play comes to a step."""

    NEVER = 0
    SKIPPED = 1
    ENTERED = 2


_STATUS_WORDS = {StepStatus.NEVER: "never reached", StepStatus.SKIPPED: "skipped", StepStatus.ENTERED: "entered"}


@dataclass(frozen=True, slots=True)
class StepSubject:
    """A step that is asked about."""

    text: str  # as it was written
    address: str  # of the step
    executable: Executable  # what plays run; it records them

    @property
    def fixed_places(self) -> frozenset[ChangedPlace]:
        """Values of the start that stay as they are: none."""
        return frozenset()

    @property
    def places_read(self) -> frozenset[str]:
        """Places of the game that it looks at itself: none but what the rules look at."""
        return frozenset()

    def value_in_session(self, session: Session) -> object:
        """What it is where a play stands, or `NO_VALUE`."""
        return self.best_status(session.visited_steps)

    def best_status(self, steps: Iterable[tuple[str, bool]]) -> StepStatus:
        """How the step was met among some, at best."""
        generator = (
            StepStatus.ENTERED if entered else StepStatus.SKIPPED
            for address, entered in steps
            if address == self.address
        )
        return max(generator, default=StepStatus.NEVER)

    def value_at_start(self, begun: PlayStart) -> object:
        """What it was at the start: `NO_VALUE`."""
        del begun
        return NO_VALUE

    def format_value(self, value: object, names: NameSource) -> str:
        """A value of it in words."""
        del names
        assert isinstance(value, StepStatus)
        return _STATUS_WORDS[value]

    def value_to_json(self, value: object, names: NameSource) -> str | None:
        """A value of it as JSON."""
        return None if value is NO_VALUE else self.format_value(value, names)

    def trace_causes(self, tracing: DynamicSlice) -> frozenset[int]:
        """The positions of the happenings that made it what it is; of a step never reached what led past it."""
        met = [at for at, entry in enumerate(tracing.entries) if entry.address == self.address]
        return tracing.slice_back(met[-1:] or [*self._positions_led_past(tracing)][-1:])

    def _positions_led_past(self, tracing: DynamicSlice) -> Iterator[int]:
        """Positions of the jumps and ends of its procedure."""
        procedure = self.address.partition("/")[0]
        for at, entry in enumerate(tracing.entries):
            leads = isinstance(entry.node, st.Proceed | st.Finish | st.FinishOuter)
            if leads and entry.address.partition("/")[0] == procedure:
                yield at

    def goal_of_other_value(self, value: object) -> "StepGoal":
        """Another value than this: entered, where it was not, and else not."""
        return StepGoal(self, wanted=value != StepStatus.ENTERED)


@dataclass(frozen=True, slots=True)
class StepGoal:
    """That a step is entered, or not."""

    subject: StepSubject  # the step
    wanted: bool  # which of both

    @property
    def executable(self) -> Executable:
        """What changed plays run."""
        return self.subject.executable

    def compute_slice(self, procedure: str) -> RelevantInputs | None:
        """What it may hang on where a play of a procedure is over; none where nothing is known."""
        return self.executable.relevance.find_relevant(procedure, frozenset(), self.subject.address)

    def update_goal_memory(self, before: Hashable, run: Run) -> Hashable:
        """How the step was met at best: since the play last stopped, or before; none at the beginning."""
        known = before if isinstance(before, StepStatus) else StepStatus.NEVER
        met = (self.subject.best_status(entries.steps) for entries in _recorded_stretches(run))
        return max(known, *met, StepStatus.NEVER)

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""
        return not isinstance(run.outcome, Refused | Faulted) and (heard is StepStatus.ENTERED) is self.wanted

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that stands at a request can no more become what is wanted: what was entered stays so."""
        del run
        return heard is StepStatus.ENTERED and not self.wanted

    def holds_in_session(self, session: Session) -> bool:
        """Whether a play that was played again is what is wanted."""
        return (self.subject.value_in_session(session) is StepStatus.ENTERED) is self.wanted


def _recorded_stretches(run: Run) -> Iterator[TraceRecord]:
    for entries in (*(paused.entries for paused, _ in run.answered_requests), run.outcome.entries):
        if isinstance(entries, TraceRecord):
            yield entries


def find_steps(text: str, program: Program, procedure: str) -> tuple[str, ...]:
    """The addresses of the steps that are meant: in the procedure that is played, else in any."""
    every = [step.address for item in program.procedures.values() for step in item.steps]
    meant = [item for item in every if item == text or item.endswith(f"/{text}")]
    own = [item for item in meant if item.partition("/")[0] == procedure]
    return tuple(own or meant)


@dataclasses.dataclass(frozen=True)
class ExpressionSubject:
    """An expression that is asked about, to be worked out wherever a play stands."""

    text: str  # as it was written
    type: Type  # of its values
    executable: Executable  # of a program with a measure of it
    declared: Measure  # the measure
    arguments: Callable[[Value], Sequence[Value]]  # what is given to it where a play comes to a result

    @cached_property
    def asks_result(self) -> bool:
        """Whether it asks for the result of the procedure."""
        return any(parameter.name == RESULT_NAME for parameter in self.declared.parameters)

    # Its value.

    def value_in_run(self, run: Run) -> object:
        """Its value where a live play stands, or `NO_VALUE`."""
        outcome = run.outcome
        if isinstance(outcome, Refused | Faulted):
            return NO_VALUE
        result = outcome.result if isinstance(outcome, Ended) else None
        return _value_unless_fault(lambda: run.evaluate_measure(self.declared.name, self.arguments(result)))

    def value_in_session(self, session: Session) -> object:
        """What it is where a play stands, or `NO_VALUE`."""
        state, outcome = session.state, session.outcome
        if not isinstance(state, State):
            return NO_VALUE
        return self._value_in_state(state, outcome.result if isinstance(outcome, Ended) else None)

    def value_at_start(self, begun: PlayStart) -> object:
        """What it was at the start, or `NO_VALUE`."""
        return (
            NO_VALUE
            if self.asks_result
            else self._value_in_state(make_initial_state(begun.situation, self.executable.layout), None)
        )

    def _value_in_state(self, state: State, result: Value) -> object:
        return _value_unless_fault(
            lambda: make_measure_evaluator(self.executable, state)(self.declared.name, self.arguments(result))
        )

    def format_value(self, value: object, names: NameSource) -> str:
        """A value of it in words."""
        return format_value(value, self.type, names)

    def value_to_json(self, value: object, names: NameSource) -> Any:
        """A value of it as JSON."""
        return None if value in {None, NO_VALUE} else value_to_json(value, self.type, names)

    def goal_of_other_value(self, value: object) -> "ValueGoal":
        """Another value than this."""
        return ValueGoal(self, partial(ne, value))

    # On what it rests.

    @cached_property
    def root_places(self) -> frozenset[ChangedPlace]:
        """Places of the game that it rests on, each with a thing, or with none for all there are."""
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
        """Values of the start that stay as they are: the start of the value itself, where it is asked for alone."""
        plain = isinstance(self.declared.value, ex.StoredAttribute | ex.GameField)
        return self.root_places if plain and len(self.root_places) == 1 else frozenset()

    @cached_property
    def places_read(self) -> frozenset[str]:
        """Places of the game that it looks at itself."""
        return frozenset(place for place, _ in self.root_places)

    def trace_causes(self, tracing: DynamicSlice) -> frozenset[int]:
        """The positions of the happenings that made it what it is."""
        last = [
            positions[-1]
            for (place, key), positions in tracing.change_positions.items()
            if any(place == root and thing in {None, key} for root, thing in self.root_places)
        ]
        if self.asks_result:
            gave = [at for at, entry in enumerate(tracing.entries) if isinstance(entry.node, st.Finish)]
            last += gave[-1:]
        return tracing.slice_back(last)


def build_subjects(play: MeasuredPlay) -> tuple[ExpressionSubject, ...]:
    """Everything that is asked of a play."""
    executable = play.begun.executable
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
    """Another value of an expression at the end."""

    subject: ExpressionSubject  # the expression
    is_wanted: Callable[[object], bool]  # which values are wanted

    @property
    def executable(self) -> Executable:
        """What changed plays run."""
        return self.subject.executable

    def compute_slice(self, procedure: str) -> RelevantInputs | None:
        """What it may hang on where a play of a procedure is over; none where nothing is known."""
        result = {PROCEDURE_RESULT} if self.subject.asks_result else set[str]()
        return self.executable.relevance.find_relevant(procedure, self.subject.places_read | result)

    def update_goal_memory(self, before: Hashable, run: Run) -> Hashable:
        """Nothing: the end says all."""
        del run
        return before

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""
        del heard
        value = self.subject.value_in_run(run)
        return value is not NO_VALUE and self.is_wanted(value)

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play can no more become what is wanted: nothing to come changes what it rests on."""
        subject = self.subject
        return (
            not subject.asks_result and not subject.places_read & run.changeable_places and not self.is_met(run, heard)
        )

    def holds_in_session(self, session: Session) -> bool:
        """Whether a play that was played again is what is wanted."""
        value = self.subject.value_in_session(session)
        return value is not NO_VALUE and self.is_wanted(value)


ExplainedSubject = StepSubject | ExpressionSubject
"""What is asked about."""

CounterfactualGoal = StepGoal | ValueGoal
"""What a changed play should come to."""


def _value_unless_fault(work_out: Callable[[], Value]) -> object:
    try:
        return work_out()
    except Fault:
        return NO_VALUE


def _named_thing(node: object, given: Mapping[str, Value]) -> Value:
    """The thing that an attribute is of, where the expression names it."""
    match node:
        case (
            ex.StoredAttribute(target=ex.Local(variable=variable))
            | ex.DerivedAttribute(target=ex.Local(variable=variable))
            | ex.Gone(target=ex.Local(variable=variable))
        ):
            return given.get(variable.name)
        case _:
            return None
