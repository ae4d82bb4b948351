"""The coverage report as one HTML page: counts, clauses, and texts with coloured lines."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.checker.clauses import TracedClause
from rulewright.cli.reports import render_template
from rulewright.scenarios.coverage_report import (
    CoverageReport,
    count_units,
    format_coverage_percent,
    list_scenario_names,
)
from rulewright.scenarios.coverage_units import UNIT_SORTS, CoverageUnit

_MAX_NAMED_SCENARIOS = 12
_REACHABLE_ANSWERS = frozenset({"cited", "missing"})


@dataclass(frozen=True, slots=True)
class _PlaceCoverage:
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


def render_coverage_page(report: CoverageReport, texts: Mapping[str, Text]) -> str:
    """HTML page: counts, clauses of the documents, every text with coloured lines."""
    places = _collect_place_coverage(report, texts)
    sources = list(dict.fromkeys(source for source, _ in places if source))
    shown = SimpleNamespace(
        title="Coverage",
        counts=[
            (unit, format_coverage_percent(unit.percent), UNIT_SORTS[unit.sort])
            for unit in count_units(report)
            if unit.whole
        ],
        texts=[(item, _lines_with_coverage(texts[item], places)) for item in sources],
        documents=[
            (
                document.title or document.name,
                [_clause_with_coverage(one, places, sources, texts) for one in document.clauses],
            )
            for document in report.documents
        ],
    )
    return render_template("coverage.html", shown)


_PlaceKey = tuple[str, int | str]


def _collect_place_coverage(report: CoverageReport, texts: Mapping[str, Text]) -> dict[_PlaceKey, _PlaceCoverage]:
    """Coverage by text and line, and by clause under the empty text name."""
    reached: dict[_PlaceKey, list[str]] = defaultdict(list)
    missing: dict[_PlaceKey, list[str]] = defaultdict(list)
    left: dict[_PlaceKey, list[str]] = defaultdict(list)
    by: dict[_PlaceKey, set[int]] = defaultdict(set)
    for hit in report.reached:
        reached[_unit_place_key(hit.unit, texts)].append(_unit_label(hit.unit))
        by[_unit_place_key(hit.unit, texts)].update(hit.by)
    for unit in report.missing:
        missing[_unit_place_key(unit, texts)].append(_unit_label(unit))
    for excluded_unit in report.excluded:
        left[_unit_place_key(excluded_unit.unit, texts)].append(
            f"{_unit_label(excluded_unit.unit)}, because {excluded_unit.because}"
        )
    for unit in report.dead:
        left[_unit_place_key(unit, texts)].append(f"{_unit_label(unit)}, because {unit.dead}")
    every = dict.fromkeys([*reached, *missing, *left])
    return {
        item: _PlaceCoverage(
            tuple(reached[item]),
            tuple(missing[item]),
            tuple(left[item]),
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
    text: Text, places: Mapping[_PlaceKey, _PlaceCoverage]
) -> Iterator[tuple[int, str, _PlaceCoverage]]:
    for number, line in enumerate(text.content.splitlines(), 1):
        yield number, line, places.get((text.name, number), _PlaceCoverage())


def _clause_with_coverage(
    clause: TracedClause, places: Mapping[_PlaceKey, _PlaceCoverage], sources: list[str], texts: Mapping[str, Text]
) -> SimpleNamespace:
    """A clause, its explanation, and the lines that cite it, by text."""
    spans = (statement.span for statement in clause.statements if statement.span.source in sources)
    return SimpleNamespace(
        entry=clause.entry,
        account="" if clause.answer_kind in _REACHABLE_ANSWERS else clause.answer_kind,
        here=places.get(("", clause.entry.id), _PlaceCoverage()),
        lines=dict.fromkeys((sources.index(span.source), _first_line(span, texts)) for span in spans),
    )
