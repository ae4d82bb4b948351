"""What came of a case."""

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.scenarios.suite import Case
from rulewright.source import Span


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that was not met.

    Attributes:
        what: the key of the expectation.
        expected: in one line.
        got: in one line.
        place: where it happened: a part of the state, a step, a question; empty where there is none.
        moment: position of the entry of the play with which it went otherwise; none where that is not known.
    """

    what: str
    expected: str
    got: str
    place: str = ""
    moment: int | None = None


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened in a play.

    Attributes:
        lines: steps, answers, changes and decisive conditions with what they read; nothing twice in a row.
        steps: ids of the steps that were entered in them.
        goes_on: whether the play went on after them.
        fault: the line at which it met a fault, if it ended so.
    """

    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    goes_on: bool = False
    fault: Span | None = None


NOTHING = Happening()
"""Where nothing was played, or nothing needs to be told of it."""


@dataclass(frozen=True, slots=True)
class Result:
    """A case after it was played, as plain data.

    Attributes:
        case: it.
        outcome: `passed`, `failed`, `skipped`, or `wrong` where the scenario itself is.
        misses: expectations that were not met.
        wrong: what is wrong with the scenario.
        happened: what happened in the play that failed, up to the first miss whose moment is known.
        number: of the play that failed, from 0.
        seconds: how long it took.
    """

    case: Case
    outcome: str
    misses: tuple[Miss, ...] = ()
    wrong: tuple[Diagnostic, ...] = ()
    happened: Happening = NOTHING
    number: int = 0
    seconds: float = 0.0


OUTCOMES = ("passed", "failed", "wrong", "skipped")
