"""What is asked of a play: a value at its end, a step that is entered or not, what a line of it comes to."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Protocol

from rulewright.frozen import dataclass
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Run
from rulewright.machine.snapshot import measuring
from rulewright.machine.state import State
from rulewright.machine.values import Value
from rulewright.odds.measures import RESULT, PlayToMeasure
from rulewright.program.declarations import Measure
from rulewright.program.types import Type

NO_VALUE = object()
"""What is worth nothing, because the play did not come that far or the value cannot be computed."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An expression that is asked about, to be worked out wherever a play stands.

    Attributes:
        text: as it was written.
        type: of its values.
        executable: of a program with a measure of it.
        declared: the measure.
        arguments: what is given to it where a play comes to a result.
    """

    text: str
    type: Type
    executable: Executable
    declared: Measure
    arguments: Callable[[Value], Sequence[Value]]

    @property
    def gives(self) -> bool:
        """Whether it asks for the result of the procedure."""
        return any(each.name == RESULT for each in self.declared.parameters)

    def worth(self, run: Run) -> object:
        """Its value where a play stands, or `NO_VALUE`."""
        outcome = run.outcome
        if isinstance(outcome, Refused | Faulted):
            return NO_VALUE
        result = outcome.result if isinstance(outcome, Ended) else None
        return self._valued(lambda: run.worth(self.declared.name, self.arguments(result)))

    def worth_in(self, state: State, result: Value) -> object:
        """Its value in a state, or `NO_VALUE`."""
        return self._valued(lambda: measuring(self.executable, state)(self.declared.name, self.arguments(result)))

    def _valued(self, work_out: Callable[[], Value]) -> object:
        try:
            return work_out()
        except Fault:
            return NO_VALUE


def subjects(play: PlayToMeasure) -> tuple[Subject, ...]:
    """Everything that is asked of a play."""
    executable = play.begun.executable
    return tuple(
        Subject(
            each.text,
            each.type,
            executable,
            executable.program.measures[play.name(number)],
            partial(play.arguments, number),
        )
        for number, each in enumerate(play.measures)
    )


class Goal(Protocol):
    """What a changed play should come to."""

    @property
    def executable(self) -> Executable:
        """What changed plays run."""

    def heard(self, before: Hashable, run: Run) -> Hashable:
        """What is known of a play since it last stopped, added to what was known before; none at the beginning."""

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""


@dataclass(frozen=True, slots=True)
class Worth:
    """Another value of an expression at the end.

    Attributes:
        subject: the expression.
        is_wanted: which values are wanted.
    """

    subject: Subject
    is_wanted: Callable[[object], bool]

    @property
    def executable(self) -> Executable:
        """As `Goal.executable`."""
        return self.subject.executable

    def heard(self, before: Hashable, run: Run) -> Hashable:
        """Nothing: the end says all."""
        del run
        return before

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """As `Goal.is_met`."""
        del heard
        value = self.subject.worth(run)
        return value is not NO_VALUE and self.is_wanted(value)
