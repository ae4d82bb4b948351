"""Expressions that are asked about: their values in plays, and on what these rest."""

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import ne
from typing import Any

from rulewright.codecs.codec import Named
from rulewright.codecs.table import show, to_json
from rulewright.drivers.session import Begun, Session
from rulewright.frozen import dataclass
from rulewright.inquiry.chain import Place, Tracing
from rulewright.inquiry.steps import NO_VALUE, Entering, StepSubject
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.relevance import GIVEN, Relevant
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Run
from rulewright.machine.snapshot import measuring
from rulewright.machine.state import State, initial
from rulewright.machine.values import Value
from rulewright.odds.measures import RESULT, PlayToMeasure
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Measure
from rulewright.program.effects import Footprint, called_by, read_by
from rulewright.program.types import Type
from rulewright.roles import nodes


@dataclasses.dataclass(frozen=True)
class Subject:
    """An expression that is asked about, to be worked out wherever a play stands."""

    text: str  # as it was written
    type: Type  # of its values
    executable: Executable  # of a program with a measure of it
    declared: Measure  # the measure
    arguments: Callable[[Value], Sequence[Value]]  # what is given to it where a play comes to a result

    @cached_property
    def gives(self) -> bool:
        """Whether it asks for the result of the procedure."""
        return any(each.name == RESULT for each in self.declared.parameters)

    # Its value.

    def worth(self, run: Run) -> object:
        """Its value where a live play stands, or `NO_VALUE`."""
        outcome = run.outcome
        if isinstance(outcome, Refused | Faulted):
            return NO_VALUE
        result = outcome.result if isinstance(outcome, Ended) else None
        return _valued(lambda: run.worth(self.declared.name, self.arguments(result)))

    def value(self, session: Session) -> object:
        """What it is where a play stands, or `NO_VALUE`."""
        state, outcome = session.state, session.outcome
        if not isinstance(state, State):
            return NO_VALUE
        return self._worth_in(state, outcome.result if isinstance(outcome, Ended) else None)

    def start(self, begun: Begun) -> object:
        """What it was at the start, or `NO_VALUE`."""
        return NO_VALUE if self.gives else self._worth_in(initial(begun.situation, self.executable.layout), None)

    def _worth_in(self, state: State, result: Value) -> object:
        return _valued(lambda: measuring(self.executable, state)(self.declared.name, self.arguments(result)))

    def shown(self, value: object, names: Named) -> str:
        """A value of it in words."""
        return show(value, self.type, names)

    def data(self, value: object, names: Named) -> Any:
        """A value of it as JSON."""
        return None if value in {None, NO_VALUE} else to_json(value, self.type, names)

    def unlike(self, value: object) -> "Worth":
        """Another value than this."""
        return Worth(self, partial(ne, value))

    # On what it rests.

    @cached_property
    def roots(self) -> frozenset[Place]:
        """Places of the game that it rests on, each with a thing, or with none for all there are."""
        return frozenset(self._roots())

    def _roots(self) -> Iterator[Place]:
        given = dict(zip((each.name for each in self.declared.parameters), self.arguments(None), strict=True))
        footprint = Footprint(self.executable.program)
        for each in nodes(self.declared.value):
            if isinstance(each, ex.Typed):
                thing = _thing(each, given)
                places = footprint.reads(each) if called_by(each) else read_by(each)  # type: ignore[arg-type]
                yield from ((place, thing) for place in places)

    @property
    def left(self) -> frozenset[Place]:
        """Values of the start that stay as they are: the start of the value itself, where it is asked for alone."""
        plain = isinstance(self.declared.value, ex.StoredAttribute | ex.GameField)
        return self.roots if plain and len(self.roots) == 1 else frozenset()

    @cached_property
    def read(self) -> frozenset[str]:
        """Places of the game that it looks at itself."""
        return frozenset(place for place, _ in self.roots)

    def why(self, tracing: Tracing) -> frozenset[int]:
        """The positions of the happenings that made it what it is."""
        last = [
            positions[-1]
            for (place, key), positions in tracing.changed.items()
            if any(place == root and thing in {None, key} for root, thing in self.roots)
        ]
        if self.gives:
            gave = [at for at, each in enumerate(tracing.entries) if isinstance(each.node, st.Finish)]
            last += gave[-1:]
        return tracing.back_from(last)


def subjects(play: PlayToMeasure) -> tuple[Subject, ...]:
    """Everything that is asked of a play."""
    executable = play.begun.executable
    return tuple(
        Subject(
            each.text,
            each.type,
            executable,
            executable.program.measures[play.names[number]],
            partial(play.arguments, number),
        )
        for number, each in enumerate(play.measures)
    )


@dataclass(frozen=True, slots=True)
class Worth:
    """Another value of an expression at the end."""

    subject: Subject  # the expression
    is_wanted: Callable[[object], bool]  # which values are wanted

    @property
    def executable(self) -> Executable:
        """What changed plays run."""
        return self.subject.executable

    def relevant(self, procedure: str) -> Relevant | None:
        """What it may hang on where a play of a procedure is over; none where nothing is known."""
        result = {GIVEN} if self.subject.gives else set[str]()
        return self.executable.relevance.of(procedure, self.subject.read | result)

    def heard(self, before: Hashable, run: Run) -> Hashable:
        """Nothing: the end says all."""
        del run
        return before

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""
        del heard
        value = self.subject.worth(run)
        return value is not NO_VALUE and self.is_wanted(value)

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play can no more become what is wanted: nothing to come changes what it rests on."""
        subject = self.subject
        return not subject.gives and not subject.read & run.changing and not self.is_met(run, heard)

    def holds(self, session: Session) -> bool:
        """Whether a play that was played again is what is wanted."""
        value = self.subject.value(session)
        return value is not NO_VALUE and self.is_wanted(value)


Matter = StepSubject | Subject
"""What is asked about."""

Goal = Entering | Worth
"""What a changed play should come to."""


def _valued(work_out: Callable[[], Value]) -> object:
    try:
        return work_out()
    except Fault:
        return NO_VALUE


def _thing(node: object, given: Mapping[str, Value]) -> Value:
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
