"""How much is to be reached at least."""

from collections.abc import Mapping, Sequence

from rulewright.coverage.report import Report, below, percent_text
from rulewright.coverage.unit import SORTS
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.files import complaint
from rulewright.inputs.findings import Read
from rulewright.inputs.wording import any_of, did_you_mean, quoted

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
