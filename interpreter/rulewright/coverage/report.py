"""What scenarios reach of the rulesets they play, and what they leave out."""

from collections.abc import Iterable, Mapping, Sequence

from rulewright.analysis.clauses.trace import Traced, TracedDocument
from rulewright.coverage.unit import SORTS, Unit
from rulewright.frozen import dataclass
from rulewright.scenarios.results import Result


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit that was reached, and the numbers of the scenarios that reached it, in order."""

    unit: Unit
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """A unit that was left out on purpose, and why."""

    unit: Unit
    because: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a coverage run; every unit stands in one of its lists, sorted as in `SORTS`, then by place.

    Attributes:
        results: of the scenarios, by their number.
        reached: units that a scenario reached.
        missing: units that none reached.
        dead: units that none can reach.
        excluded: units that the scenario files leave out.
        documents: the documents of the rulesets.
    """

    results: tuple[Result, ...]
    reached: tuple[Hit, ...]
    missing: tuple[Unit, ...]
    dead: tuple[Unit, ...]
    excluded: tuple[Left, ...]
    documents: tuple[TracedDocument, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """How much of a sort was reached, of what can be and is not left out on purpose."""

    sort: str
    reached: int
    whole: int

    @property
    def percent(self) -> float:
        """The share in percent, rounded down to a tenth; 100 where there is nothing to reach."""
        return self.reached * 1000 // self.whole / 10 if self.whole else 100.0


def counts(report: Report) -> tuple[Count, ...]:
    """The counts of all sorts, in their order."""
    hits = [each.unit.sort for each in report.reached]
    missing = [each.sort for each in report.missing]
    return tuple(Count(sort, hits.count(sort), hits.count(sort) + missing.count(sort)) for sort in SORTS)


def below(report: Report, floors: Mapping[str, float]) -> tuple[tuple[Count, float], ...]:
    """The counts that stay below their floor, with it; floors are percentages by sort."""
    return tuple((each, floors[each.sort]) for each in counts(report) if each.percent < floors.get(each.sort, 0))


def wanted(clauses: Iterable[Traced]) -> tuple[Traced, ...]:
    """The clauses that scenarios are to reach: those that something of the ruleset carries out, or nobody answers."""
    return tuple(each for each in clauses if each.answer in {"cited", "missing"})


def who(by: Sequence[int], results: Sequence[Result]) -> tuple[str, ...]:
    """The names of scenarios."""
    return tuple(results[each].case.name for each in by)


def percent_text(percent: float) -> str:
    """A percentage for people: `100 %`, `66.6 %`."""
    return f"{percent:g} %"
