"""What scenarios reach of the rulesets they play, what they leave out, and how much is to be reached at least."""

from collections.abc import Iterable, Mapping, Sequence

from rulewright.analysis.clauses.trace import Traced, TracedDocument
from rulewright.coverage.unit import SORTS, Unit
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.files import complaint
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read
from rulewright.inputs.wording import any_of, did_you_mean, quoted
from rulewright.scenarios.suite import Result


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


ALL = "all"
_MOST = 100


def floors_of(written: Sequence[str]) -> Read[Mapping[str, float]]:
    """Floors by sort, from texts such as `steps=100`; `all` stands for every sort that is not named.

    Reports RW1033 (no floor).
    """
    found: dict[str, float] = {}
    for each in written:
        sort, _, percent = each.partition("=")
        problem = _problem(sort, percent)
        if problem is not None:
            return Read(None, (complaint("RW1033", f"{quoted(each)} is no floor", problem),))
        found[sort] = float(percent)
    return Read({sort: found.get(sort, found.get(ALL, 0)) for sort in SORTS})


def _problem(sort: str, percent: str) -> str | None:
    """What to write in place of a floor, or none where it is one."""
    if sort not in {*SORTS, ALL}:
        return did_you_mean(sort, [*SORTS, ALL]) or f"the sorts are {any_of([*SORTS, ALL])}"
    if not percent.replace(".", "", 1).isdecimal() or float(percent) > _MOST:
        return f"write `{sort}=` and a number from 0 to {_MOST}"
    return None


def below_floor(report: Report, floors: Mapping[str, float]) -> tuple[Diagnostic, ...]:
    """RW1034 for every sort of which too little is reached, with the names of what is missing."""
    return tuple(
        Diagnostic(
            "RW1034",
            Severity.ERROR,
            f"{percent_text(count.percent)} of the {count.sort} are reached, and the floor is {percent_text(floor)}",
            notes=tuple(f"Missing: {each.name}" for each in report.missing if each.sort == count.sort),
            help="write scenarios that reach them, or leave them out under `exclude:` with a reason",
        )
        for count, floor in below(report, floors)
    )
