"""Steps that are asked about: whether a play enters them, skips them, or never comes to them."""

from collections.abc import Hashable, Iterable, Iterator
from enum import IntEnum

from rulewright.codecs.codec import Named
from rulewright.drivers.session import Begun, Session
from rulewright.frozen import dataclass
from rulewright.inquiry.chain import Place, Tracing
from rulewright.machine.entries import Record
from rulewright.machine.executable import Executable
from rulewright.machine.relevance import Relevant
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Run
from rulewright.program import statements as st
from rulewright.program.declarations import Program

NO_VALUE = object()
"""What is worth nothing, because the play did not come that far or the value cannot be computed."""


class Met(IntEnum):
    """How a play comes to a step."""

    NEVER = 0
    SKIPPED = 1
    ENTERED = 2


_WORDS = {Met.NEVER: "never reached", Met.SKIPPED: "skipped", Met.ENTERED: "entered"}


@dataclass(frozen=True, slots=True)
class StepSubject:
    """A step that is asked about."""

    text: str  # as it was written
    address: str  # of the step
    executable: Executable  # what plays run; it records them

    @property
    def left(self) -> frozenset[Place]:
        """Values of the start that stay as they are: none."""
        return frozenset()

    @property
    def read(self) -> frozenset[str]:
        """Places of the game that it looks at itself: none but what the rules look at."""
        return frozenset()

    def value(self, session: Session) -> object:
        """What it is where a play stands, or `NO_VALUE`."""
        return self.met(session.steps)

    def met(self, steps: Iterable[tuple[str, bool]]) -> Met:
        """How the step was met among some, at best."""
        found = (Met.ENTERED if entered else Met.SKIPPED for address, entered in steps if address == self.address)
        return max(found, default=Met.NEVER)

    def start(self, begun: Begun) -> object:
        """What it was at the start: `NO_VALUE`."""
        del begun
        return NO_VALUE

    def shown(self, value: object, names: Named) -> str:
        """A value of it in words."""
        del names
        assert isinstance(value, Met)
        return _WORDS[value]

    def data(self, value: object, names: Named) -> str | None:
        """A value of it as JSON."""
        return None if value is NO_VALUE else self.shown(value, names)

    def why(self, tracing: Tracing) -> frozenset[int]:
        """The positions of the happenings that made it what it is; of a step never reached what led past it."""
        met = [at for at, each in enumerate(tracing.entries) if each.address == self.address]
        return tracing.back_from(met[-1:] or [*self._led_past(tracing)][-1:])

    def _led_past(self, tracing: Tracing) -> Iterator[int]:
        """Positions of the jumps and ends of its procedure."""
        procedure = self.address.partition("/")[0]
        for at, each in enumerate(tracing.entries):
            leads = isinstance(each.node, st.Proceed | st.Finish | st.FinishOuter)
            if leads and each.address.partition("/")[0] == procedure:
                yield at

    def unlike(self, value: object) -> "Entering":
        """Another value than this: entered, where it was not, and else not."""
        return Entering(self, wanted=value != Met.ENTERED)


@dataclass(frozen=True, slots=True)
class Entering:
    """That a step is entered, or not."""

    subject: StepSubject  # the step
    wanted: bool  # which of both

    @property
    def executable(self) -> Executable:
        """What changed plays run."""
        return self.subject.executable

    def relevant(self, procedure: str) -> Relevant | None:
        """What it may hang on where a play of a procedure is over; none where nothing is known."""
        return self.executable.relevance.of(procedure, frozenset(), self.subject.address)

    def heard(self, before: Hashable, run: Run) -> Hashable:
        """How the step was met at best: since the play last stopped, or before; none at the beginning."""
        known = before if isinstance(before, Met) else Met.NEVER
        met = (self.subject.met(entries.steps) for entries in _records(run))
        return max(known, *met, Met.NEVER)

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""
        return not isinstance(run.outcome, Refused | Faulted) and (heard is Met.ENTERED) is self.wanted

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that stands at a request can no more become what is wanted: what was entered stays so."""
        del run
        return heard is Met.ENTERED and not self.wanted

    def holds(self, session: Session) -> bool:
        """Whether a play that was played again is what is wanted."""
        return (self.subject.value(session) is Met.ENTERED) is self.wanted


def _records(run: Run) -> Iterator[Record]:
    for entries in (*(paused.entries for paused, _ in run.requests), run.outcome.entries):
        if isinstance(entries, Record):
            yield entries


def steps_called(text: str, program: Program, procedure: str) -> tuple[str, ...]:
    """The addresses of the steps that are meant: in the procedure that is played, else in any."""
    every = [step.address for each in program.procedures.values() for step in each.steps]
    meant = [each for each in every if each == text or each.endswith(f"/{text}")]
    own = [each for each in meant if each.partition("/")[0] == procedure]
    return tuple(own or meant)
