"""Coverage line by line and clause by clause, for the page of `cover --html`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.checker.clauses import TracedClause
from rulewright.checker.symbols import ClauseListEntry
from rulewright.scenarios.coverage_report import (
    CoverageCount,
    CoverageReport,
    count_units,
    format_coverage_percent,
    list_scenario_names,
)
from rulewright.scenarios.coverage_units import UNIT_SORTS, CoverageUnit

_MAX_NAMED_SCENARIOS = 12
_REACHABLE_ANSWERS = frozenset({"cited", "missing"})


@dataclass(frozen=True, slots=True)
class PlaceCoverage:
    """Coverage of one line or clause: unit names by outcome, and scenarios that reached it."""

    reached: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    scenario_names: tuple[str, ...] = ()

    @property
    def colour(self) -> str:
        """CSS class; empty where there is nothing to reach."""
        if self.missing:
            return "part" if self.reached else "none"
        if self.reached:
            return "full"
        return "left" if self.excluded else ""

    @property
    def tooltip(self) -> str:
        parts = [f"not reached: {item}" for item in self.missing]
        parts += [f"left out: {item}" for item in self.excluded]
        parts += [f"reached by {scenario_name}" for scenario_name in self.scenario_names[:_MAX_NAMED_SCENARIOS]]
        more = len(self.scenario_names) - _MAX_NAMED_SCENARIOS
        return "\n".join([*parts, *([f"and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """A clause, and where the lines that cite it stand."""

    entry: ClauseListEntry
    account: str  # why it cannot be reached; empty where it can
    here: PlaceCoverage
    lines: tuple[tuple[int, int], ...]  # number of the text in `CoveragePage.texts`, and of the line


@dataclass(frozen=True, slots=True)
class CoveragePage:
    """What the page of `cover --html` shows."""

    title: str
    counts: tuple[tuple[CoverageCount, str, str], ...]  # with the percentage, and what the sort means
    texts: tuple[tuple[str, tuple[tuple[int, str, PlaceCoverage], ...]], ...]  # by name, the numbered lines
    documents: tuple[tuple[str, tuple[ClauseCoverage, ...]], ...]  # by title


def make_coverage_page(report: CoverageReport, texts: Mapping[str, Text]) -> CoveragePage:
    """Counts, clauses of the documents, every text with coloured lines."""
    places = _collect_place_coverage(report, texts)
    sources = list(dict.fromkeys(source for source, _ in places if source))
    counts = [count for count in count_units(report) if count.whole]
    return CoveragePage(
        "Coverage",
        tuple((count, format_coverage_percent(count.percent), UNIT_SORTS[count.sort]) for count in counts),
        tuple((source, tuple(_lines_with_coverage(texts[source], places))) for source in sources),
        tuple(
            (
                document.title or document.name,
                tuple(_clause_with_coverage(clause, places, sources, texts) for clause in document.clauses),
            )
            for document in report.documents
        ),
    )


_PlaceKey = tuple[str, int | str]


def _collect_place_coverage(report: CoverageReport, texts: Mapping[str, Text]) -> dict[_PlaceKey, PlaceCoverage]:
    """Coverage by text and line, and by clause under the empty text name."""
    reached: dict[_PlaceKey, list[str]] = defaultdict(list)
    missing: dict[_PlaceKey, list[str]] = defaultdict(list)
    exclusion_reasons: dict[_PlaceKey, list[str]] = defaultdict(list)
    by: dict[_PlaceKey, set[int]] = defaultdict(set)
    for hit in report.reached:
        reached[_unit_place_key(hit.unit, texts)].append(_unit_label(hit.unit))
        by[_unit_place_key(hit.unit, texts)].update(hit.by)
    for unit in report.missing:
        missing[_unit_place_key(unit, texts)].append(_unit_label(unit))
    for excluded_unit in report.excluded:
        exclusion_reasons[_unit_place_key(excluded_unit.unit, texts)].append(
            f"{_unit_label(excluded_unit.unit)}, because {excluded_unit.because}"
        )
    for unit in report.dead:
        exclusion_reasons[_unit_place_key(unit, texts)].append(f"{_unit_label(unit)}, because {unit.dead}")
    every = dict.fromkeys([*reached, *missing, *exclusion_reasons])
    return {
        item: PlaceCoverage(
            tuple(reached[item]),
            tuple(missing[item]),
            tuple(exclusion_reasons[item]),
            list_scenario_names(sorted(by[item]), report.results),
        )
        for item in every
    }


def _unit_label(unit: CoverageUnit) -> str:
    return f"{unit.sort} {unit.detail}".strip() if unit.detail else unit.sort


def _unit_place_key(unit: CoverageUnit, texts: Mapping[str, Text]) -> _PlaceKey:
    if unit.span is None:
        return "", unit.address
    return unit.span.source, _first_line(unit.span, texts)


def _first_line(span: Span, texts: Mapping[str, Text]) -> int:
    return texts[span.source].get_position(span.start).line


def _lines_with_coverage(
    text: Text, places: Mapping[_PlaceKey, PlaceCoverage]
) -> Iterator[tuple[int, str, PlaceCoverage]]:
    for number, line in enumerate(text.content.splitlines(), 1):
        yield number, line, places.get((text.name, number), PlaceCoverage())


def _clause_with_coverage(
    clause: TracedClause, places: Mapping[_PlaceKey, PlaceCoverage], sources: list[str], texts: Mapping[str, Text]
) -> ClauseCoverage:
    """A clause, its explanation, and the lines that cite it, by text."""
    spans = (one.span for one in clause.statements if one.span.source in sources)
    return ClauseCoverage(
        clause.entry,
        "" if clause.answer_kind in _REACHABLE_ANSWERS else clause.answer_kind,
        places.get(("", clause.entry.id), PlaceCoverage()),
        tuple(dict.fromkeys((sources.index(span.source), _first_line(span, texts)) for span in spans)),
    )
