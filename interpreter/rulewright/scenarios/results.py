"""What came of a case."""

from rulewright.diagnostics import Diagnostic
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
    """A case after it was played, as plain data.

    Attributes:
        case: it.
        outcome: `passed`, `failed`, `skipped`, or `wrong` where the scenario itself is.
        misses: expectations that were not met.
        wrong: what is wrong with the scenario.
        told: what happened in the play that failed, in lines.
        number: of the play that failed, from 0.
        seconds: how long it took.
    """

    case: Case
    outcome: str
    misses: tuple[Miss, ...] = ()
    wrong: tuple[Diagnostic, ...] = ()
    told: tuple[str, ...] = ()
    number: int = 0
    seconds: float = 0.0


OUTCOMES = ("passed", "failed", "wrong", "skipped")


def as_data(result: Result) -> dict[str, object]:
    """A result as JSON data."""
    return {
        "file": result.case.file,
        "name": result.case.name,
        "outcome": result.outcome,
        "skip": result.case.skip,
        "covers": [each.text for each in result.case.covers],
        "misses": [
            {"what": each.what, "place": each.place, "expected": each.expected, "got": each.got}
            for each in result.misses
        ],
        "wrong": [{"code": each.code, "message": each.message, "help": each.help} for each in result.wrong],
        "told": list(result.told),
        "seconds": round(result.seconds, 4),
    }
