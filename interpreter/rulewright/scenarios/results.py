"""What came of a case."""

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.scenarios.suite import Case


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that was not met.

    Attributes:
        what: the key of the expectation.
        expected: in one line.
        got: in one line.
        place: where it happened: a part of the state, a step, a question; empty where there is none.
    """

    what: str
    expected: str
    got: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A case after it was played.

    Attributes:
        case: it.
        outcome: `passed`, `failed`, `skipped`, or `wrong` where the scenario itself is.
        misses: expectations that were not met.
        wrong: what is wrong with the scenario.
        session: the play that failed, or the last one; none where nothing was played.
        number: of that play, from 0.
        seconds: how long it took.
    """

    case: Case
    outcome: str
    misses: tuple[Miss, ...] = ()
    wrong: tuple[Diagnostic, ...] = ()
    session: Session | None = None
    number: int = 0
    seconds: float = 0.0
