"""What can be asked of a play, and what a changed play should come to."""

from collections.abc import Hashable
from typing import Any, Protocol

from rulewright.codecs.codec import Named
from rulewright.drivers.session import Begun, Session
from rulewright.inquiry.chain import Place, Tracing
from rulewright.machine.executable import Executable
from rulewright.machine.relevance import Relevant
from rulewright.machine.run import Run

NO_VALUE = object()
"""What is worth nothing, because the play did not come that far or the value cannot be computed."""


class Goal(Protocol):
    """What a changed play should come to."""

    @property
    def executable(self) -> Executable:
        """What changed plays run."""

    def relevant(self, procedure: str) -> Relevant | None:
        """What it may hang on where a play of a procedure is over; none where nothing is known."""

    def heard(self, before: Hashable, run: Run) -> Hashable:
        """What is known of a play since it last stopped, added to what was known before; none at the beginning."""

    def is_met(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that is over, or stands where the course does, is what is wanted."""

    def is_lost(self, run: Run, heard: Hashable) -> bool:
        """Whether a play that stands at a request can no more become what is wanted, however it goes on."""

    def holds(self, session: Session) -> bool:
        """Whether a play that was played again is what is wanted."""


class Matter(Protocol):
    """What is asked about: an expression, or a step."""

    @property
    def text(self) -> str:
        """As it was written."""

    @property
    def left(self) -> frozenset[Place]:
        """Values of the start that stay as they are."""

    @property
    def read(self) -> frozenset[str]:
        """Places of the game that it looks at itself."""

    def value(self, session: Session) -> object:
        """What it is where a play stands, or `NO_VALUE`."""

    def start(self, begun: Begun) -> object:
        """What it was at the start, or `NO_VALUE`."""

    def shown(self, value: object, names: Named) -> str:
        """A value of it in words."""

    def data(self, value: object, names: Named) -> Any:  # noqa: ANN401
        """A value of it as JSON."""

    def why(self, tracing: Tracing) -> frozenset[int]:
        """The positions of the happenings that made it what it is."""

    def unlike(self, value: object) -> Goal:
        """Another value than this."""
