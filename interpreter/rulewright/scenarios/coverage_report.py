"""Coverage report: units reached by case, missing, dead and excluded units, floors, MC/DC pairs, and marked charts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from rulewright.base.bounded_files import make_file_error
from rulewright.base.diagnostics import Diagnostic, Severity, format_counted_noun
from rulewright.base.diagnostics.renderings import encode_span_start
from rulewright.base.frozen import dataclass
from rulewright.base.json_keys import JsonKeys, KeyedEncoder
from rulewright.base.source import Span, Text
from rulewright.checker.clauses import TracedClause, TracedDocument
from rulewright.documents.findings import Findings, ReadResult, did_you_mean, join_alternatives, quote_name
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.walk import walk_block_lines
from rulewright.scenarios.coverage_units import (
    FAILS,
    HOLDS,
    UNIT_SORTS,
    CoverageCondition,
    CoverageUnit,
    UnitListing,
    branch_name,
    list_units,
    outermost_blocks,
)
from rulewright.scenarios.reached_units import ConditionOutcome, CoveragePlayer, CoveredCase
from rulewright.scenarios.suite import CaseResult, Exemption, summarize_outcomes
from rulewright.wording.flow_chart import NO_MARK, ChartBox, ChartMark, ChartNote, FlowChart

_FORMAT_VERSION = 1
ALL_SORTS = "all"
_MAX_PERCENT = 100


def find_mcdc_pair(
    part: int, outcomes: Collection[ConditionOutcome]
) -> tuple[ConditionOutcome, ConditionOutcome] | None:
    """Pair of outcomes that shows an atom's independent effect on a condition (unique-cause MC/DC); `None` without one.

    In the two the atom differs, the whole differs, and every other atom that both evaluated is equal. An atom that one
    of them did not evaluate (short circuit) may have any value.
    """
    true_outcomes = [outcome for outcome in outcomes if outcome.is_true]
    false_outcomes = [outcome for outcome in outcomes if not outcome.is_true]
    return next((pair for pair in product(true_outcomes, false_outcomes) if _is_mcdc_pair(part, *pair)), None)


def _is_mcdc_pair(part: int, true_outcome: ConditionOutcome, false_outcome: ConditionOutcome) -> bool:
    return None not in (true_outcome.parts[part], false_outcome.parts[part]) and all(
        (one != other) == (number == part)
        for number, (one, other) in enumerate(zip(true_outcome.parts, false_outcome.parts, strict=True))
        if one is not None and other is not None
    )


UnitKey = tuple[str, str, Span | None]
CasesByUnit = dict[UnitKey, set[int]]


def gather_coverage(played: Sequence[CoveredCase]) -> CasesByUnit:
    """Case numbers by unit reached, clauses left out."""
    by: CasesByUnit = defaultdict(set)
    for listing, numbers in _group_by_listing(played):
        keys = {(unit.sort, unit.name): unit.key for unit in listing.units}
        for number in numbers:
            for name in _reached_unit_names(played[number], listing):
                if name in keys:
                    by[keys[name]].add(number)
        for name, shown in _find_mcdc_atoms(listing, {number: played[number] for number in numbers}):
            by[keys[name]] |= shown
    return dict(by)


def _group_by_listing(played: Sequence[CoveredCase]) -> Iterator[tuple[UnitListing, list[int]]]:
    mapping: dict[int, tuple[UnitListing, list[int]]] = {}
    for number, covered_case in enumerate(played):
        if covered_case.listing is not None:
            mapping.setdefault(id(covered_case.listing), (covered_case.listing, []))[1].append(number)
    yield from mapping.values()


def _reached_unit_names(played: CoveredCase, listing: UnitListing) -> Iterator[tuple[str, str]]:
    """Sort and name of the units a case reached by itself."""
    yield from played.reached
    for row in played.record.rows:
        yield "rows", row
        yield "modifiers", f"{row} applied"
    branches = _branch_edges(listing)
    for outcome in played.record.outcomes:
        condition = listing.conditions[outcome.condition]
        yield "conditions", _condition_unit_name(condition, HOLDS if outcome.is_true else FAILS)
        if not outcome.is_true and condition.word == "when":
            yield "modifiers", f"{condition.address} idle"
        for name in branches.get((id(condition.node), outcome.is_true), ()):
            yield "edges", name


def _condition_unit_name(condition: CoverageCondition, end: str) -> str:
    return f"{condition.address} {condition.side_name(end)}"


def _branch_edges(listing: UnitListing) -> dict[tuple[int, bool], list[str]]:
    """Edges from each `if`, by its condition and outcome."""
    result: dict[tuple[int, bool], list[str]] = defaultdict(list)
    for block in outermost_blocks(listing.program):
        for line in walk_block_lines(block):
            if isinstance(line, st.If):
                for number, branch in enumerate(line.branches, 1):
                    result[id(branch.condition), True].append(f"{line.address} {branch_name(number)}")
                result[id(line.branches[-1].condition), False].append(f"{line.address} else")
    return result


def _find_mcdc_atoms(
    listing: UnitListing, played: dict[int, CoveredCase]
) -> Iterator[tuple[tuple[str, str], set[int]]]:
    """Atoms with a shown effect, each with the cases of a pair of outcomes that shows it."""
    outcomes: dict[int, dict[ConditionOutcome, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, covered_case in played.items():
        for outcome in covered_case.record.outcomes:
            outcomes[outcome.condition][outcome].add(number)
    for position, condition in enumerate(listing.conditions):
        for part in range(len(condition.atoms) if len(condition.atoms) > 1 else 0):
            known = outcomes.get(position, {})
            plainly = sorted(
                known,
                key=lambda condition_outcome: (condition_outcome.is_true, tuple(map(str, condition_outcome.parts))),
            )
            pair = find_mcdc_pair(part, plainly)
            if pair is not None:
                yield ("atoms", _condition_unit_name(condition, f"part {part + 1}")), known[pair[0]] | known[pair[1]]


@dataclass(frozen=True, slots=True)
class ReachedUnit:
    """A reached unit with the sorted numbers of its cases."""

    unit: CoverageUnit
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExcludedUnit:
    """An excluded unit with its reason."""

    unit: CoverageUnit
    because: str


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """Result of a coverage run; every unit is in one list, sorted as in `UNIT_SORTS`, then by place."""

    results: tuple[CaseResult, ...]  # by number of the case
    reached: tuple[ReachedUnit, ...]
    missing: tuple[CoverageUnit, ...]
    dead: tuple[CoverageUnit, ...]  # unreachable units
    excluded: tuple[ExcludedUnit, ...]
    documents: tuple[TracedDocument, ...]
    stale: tuple[Diagnostic, ...]  # errors of exclusions


@dataclass(frozen=True, slots=True)
class CoverageCount:
    """Reached and reachable units of one sort, excluded ones left out."""

    sort: str
    reached: int
    whole: int

    @property
    def percent(self) -> float:
        """Percentage, rounded down to a tenth; 100 where there is nothing to reach."""
        return self.reached * 1000 // self.whole / 10 if self.whole else 100.0


def count_units(report: CoverageReport) -> tuple[CoverageCount, ...]:
    """Counts of reached and of all units, by sort in the order of `UNIT_SORTS`."""
    hits = [one.unit.sort for one in report.reached]
    missing = [one.sort for one in report.missing]
    return tuple(CoverageCount(sort, hits.count(sort), hits.count(sort) + missing.count(sort)) for sort in UNIT_SORTS)


def counts_below_floors(report: CoverageReport, floors: Mapping[str, float]) -> tuple[tuple[CoverageCount, float], ...]:
    """Counts below their floor, with it; floors are percentages by sort."""
    return tuple((unit, floors[unit.sort]) for unit in count_units(report) if unit.percent < floors.get(unit.sort, 0))


def select_coverable_clauses(clauses: Iterable[TracedClause]) -> tuple[TracedClause, ...]:
    """Clauses that scenarios should reach: implemented by the ruleset, or not accounted for."""
    return tuple(clause for clause in clauses if clause.answer_kind in {"cited", "missing"})


def list_scenario_names(by: Sequence[int], results: Sequence[CaseResult]) -> tuple[str, ...]:
    """Names of the scenarios at some positions of a list of results."""
    return tuple(results[item].case.name for item in by)


def format_coverage_percent(percent: float) -> str:
    """Percentage for people: `100 %`, `66.6 %`."""
    return f"{percent:g} %"


def parse_floors(written: Sequence[str]) -> ReadResult[Mapping[str, float]]:
    """Floors by sort, from texts such as `steps=100`; `all` covers every sort that is not named.

    Reports RW1033 (no floor).
    """
    result: dict[str, float] = {}
    for item in written:
        sort, _, percent = item.partition("=")
        problem = _explain_bad_floor(sort, percent)
        if problem is not None:
            return ReadResult(None, (make_file_error("RW1033", f"{quote_name(item)} is not a floor", problem),))
        result[sort] = float(percent)
    return ReadResult(complete_floors(result))


def complete_floors(floors: Mapping[str, float]) -> Mapping[str, float]:
    """Floor of every sort, `all` expanded."""
    return {sort: floors.get(sort, floors.get(ALL_SORTS, 0)) for sort in UNIT_SORTS}


def _explain_bad_floor(sort: str, percent: str) -> str | None:
    if sort not in {*UNIT_SORTS, ALL_SORTS}:
        return (
            did_you_mean(sort, [*UNIT_SORTS, ALL_SORTS])
            or f"the sorts are {join_alternatives([*UNIT_SORTS, ALL_SORTS])}"
        )
    if not percent.replace(".", "", 1).isdecimal() or float(percent) > _MAX_PERCENT:
        return f"write `{sort}=` and a number from 0 to {_MAX_PERCENT}"
    return None


def report_below_floor(report: CoverageReport, floors: Mapping[str, float]) -> tuple[Diagnostic, ...]:
    """RW1034 for every sort below its floor, with the names of missing units."""
    return tuple(
        Diagnostic(
            "RW1034",
            Severity.ERROR,
            f"{format_coverage_percent(count.percent)} of the {count.sort} are reached, and the floor is {format_coverage_percent(floor)}",
            notes=tuple(f"Missing: {unit.name}" for unit in report.missing if unit.sort == count.sort),
            help="write scenarios that reach them, or leave them out under `exclude:` with a reason",
        )
        for count, floor in counts_below_floors(report, floors)
    )


def resolve_exclusions(
    exclusions: Sequence[Exemption], units: Sequence[CoverageUnit], reached: Collection[UnitKey]
) -> tuple[dict[UnitKey, str], tuple[Diagnostic, ...]]:
    """Reason by excluded unit, and the errors of exclusions.

    An address excludes the units of it that were not reached; an exclusion whose units were all reached is stale.
    """
    reasons: dict[UnitKey, str] = {}
    findings = Findings()
    for exclusion in exclusions:
        named = [unit for unit in units if exclusion.what.text in {unit.name, unit.address}]
        open_ = [unit for unit in named if unit.key not in reached]
        if not named:
            close = did_you_mean(exclusion.what.text, [name for unit in units for name in (unit.name, unit.address)])
            remedy = close or "`rulewright cover` shows what is missing; take this out"
            findings.add_error(
                "RW1031",
                exclusion.what.place,
                f"there is no {quote_name(exclusion.what.text)} to leave out",
                help=remedy,
            )
        elif not open_:
            message = f"{quote_name(exclusion.what.text)} is left out, but a scenario reaches it"
            findings.add_error("RW1032", exclusion.what.place, message, help="take the exclusion out")
        reasons |= {unit.key: exclusion.because for unit in open_}
    return reasons, tuple(findings.collected)


def build_coverage_report(
    player: CoveragePlayer, played: Sequence[CoveredCase], exclusions: Sequence[Exemption]
) -> CoverageReport:
    """Coverage of the cases, with the errors of exclusions.

    Only units in the folders of the rulesets and of the overlays that scenarios name count; units that rulesets share
    count once. Reports RW1031 (an exclusion of nothing) and RW1032 (an exclusion of what was reached).
    """
    by = gather_coverage(played)
    units = _collect_units(player)
    _add_clause_units(units, by, player, played)
    excluded, stale = resolve_exclusions(exclusions, tuple(units.values()), by.keys())
    ordered = sorted(units.values(), key=_unit_order)
    reached = [ReachedUnit(one, tuple(sorted(by[one.key]))) for one in ordered if one.key in by]
    rest = [one for one in ordered if one.key not in by]
    return CoverageReport(
        results=tuple(one.result for one in played),
        reached=tuple(reached),
        missing=tuple(one for one in rest if not one.dead and one.key not in excluded),
        dead=tuple(one for one in rest if one.dead),
        excluded=tuple(ExcludedUnit(one, excluded[one.key]) for one in rest if one.key in excluded and not one.dead),
        documents=player.documents,
        stale=stale,
    )


def _unit_order(unit: CoverageUnit) -> tuple[int, str, int]:
    order = list(UNIT_SORTS).index(unit.sort)
    return (order, unit.span.source, unit.span.start) if unit.span else (order, "", 0)


def _collect_units(player: CoveragePlayer) -> dict[UnitKey, CoverageUnit]:
    units: dict[UnitKey, CoverageUnit] = {}
    for listing in player.listings:
        for unit in listing.units:
            if unit.span is not None and player.is_home_text(unit.span.source):
                units.setdefault(unit.key, unit)
    return units


def _add_clause_units(
    units: dict[UnitKey, CoverageUnit], by: CasesByUnit, player: CoveragePlayer, played: Sequence[CoveredCase]
) -> None:
    """Adds the clauses of clause lists, covered by passing cases that declare them and reach a line that cites them."""
    cites = _clauses_by_case(units, by)
    for clause in (each for one in player.documents if one.listed for each in select_coverable_clauses(one.clauses)):
        unit = CoverageUnit("clauses", clause.entry.id, "", None, clause.entry.paraphrase)
        units[unit.key] = unit
        covering = {
            number
            for number, covered_case in enumerate(played)
            if covered_case.result.outcome == "passed"
            and any(declared.text == unit.address for declared in covered_case.result.case.covers)
            and (unit.address in covered_case.cited or unit.address in cites.get(number, ()))
        }
        if covering:
            by[unit.key] = covering


def _clauses_by_case(units: Mapping[UnitKey, CoverageUnit], by: CasesByUnit) -> dict[int, set[str]]:
    """Clauses in the margins of the units each case reached."""
    result: dict[int, set[str]] = {}
    for key, numbers in by.items():
        for number in numbers if key in units else ():
            result.setdefault(number, set()).update(units[key].cites)
    return result


_LEGEND = (
    ("full", "exercised"),
    ("part", "exercised in part, with what never is"),
    ("none", "never exercised"),
    ("left", "left out on purpose, or out of reach"),
)
_PASSED_OVER = "passed over"
_OUTCOME_WORDS = {HOLDS: "true", FAILS: "false", _PASSED_OVER: "false"}
_SINGULARS: Mapping[str, str] = {
    "steps": "step",
    "lines": "other line",
    "edges": "way on",
    "conditions": "outcome of a condition",
    "atoms": "part of a condition",
    "rows": "row",
    "modifiers": "modifier",
    "answers": "answer",
    "options": "option",
    "rules": "standing rule",
    "handlers": "handler",
    "settings": "value of a setting",
    "clauses": "clause",
}
_PLURALS = {
    "lines": "other lines",
    "edges": "ways on",
    "conditions": "outcomes of conditions",
    "atoms": "parts of conditions",
    "rules": "standing rules",
    "settings": "values of settings",
}


@dataclass(frozen=True, slots=True)
class UnitStatus:
    """A unit and its status: `reached`, `missing`, or `left` (excluded or unreachable)."""

    unit: CoverageUnit
    status: str


def classify_units(
    program: Program, played: Sequence[CoveredCase], exclusions: Sequence[Exemption], identity: Callable[[str], object]
) -> tuple[tuple[UnitStatus, ...], tuple[CoveredCase, ...]]:
    """Status of the units of a program, and the cases that play any of it.

    `identity` maps names of texts to the files they stand for.
    """

    def unit_place(unit: CoverageUnit) -> object:
        sort, detail, span = unit.key
        return sort, detail, span and (identity(span.source), span.start, span.end)

    units = list_units(program).units
    here = {unit_place(one) for one in units if one.span}
    playing = {
        id(each.listing)
        for each in {id(one.listing): one for one in played}.values()
        if each.listing is not None and any(unit_place(unit) in here for unit in each.listing.units)
    }
    playing_cases = tuple(one for one in played if id(one.listing) in playing)
    keys = {each.key: each for one in playing_cases if one.listing is not None for each in one.listing.units}
    reached = {unit_place(keys[key]) for key in gather_coverage(playing_cases)}
    excluded, _ = resolve_exclusions(exclusions, units, [one.key for one in units if unit_place(one) in reached])

    def unit_status(unit: CoverageUnit) -> str:
        if unit_place(unit) in reached:
            return "reached"
        return "left" if unit.dead or unit.key in excluded else "missing"

    return tuple(UnitStatus(one, unit_status(one)) for one in units), playing_cases


def mark_chart(chart: FlowChart, units: Sequence[UnitStatus], played: Sequence[CoveredCase]) -> FlowChart:
    """Flow chart with every box and line marked by the coverage of its units."""
    colouring = _ChartMarker(chart, units)
    summary = summarize_outcomes(one.result for one in played)
    return replace(
        chart,
        boxes=tuple(map(colouring.mark_box, chart.boxes)),
        legend=_LEGEND,
        remarks=(f"{format_counted_noun(len(played), 'scenario')}: {summary}",),
    )


class _ChartMarker:
    def __init__(self, chart: FlowChart, units: Sequence[UnitStatus]) -> None:
        self._boxes = {box.address for box in chart.boxes}
        self._lines = {note.address for box in chart.boxes for note in box.notes} - self._boxes - {""}
        self._units_by_address: dict[str, list[UnitStatus]] = {}
        for unit in units:
            self._units_by_address.setdefault(self._owner_address(unit.unit.address), []).append(unit)

    def _owner_address(self, address: str) -> str:
        while address and address not in self._lines and address not in self._boxes:
            address = address.rpartition("/")[0]
        return address

    def mark_box(self, box: ChartBox) -> ChartBox:
        here = self._units_by_address.get(box.address, [])
        guard = [one for one in here if _is_guard_unit(one.unit)]
        own_units = [one for one in here if one not in guard]
        notes = tuple(self._mark_note(note, guard if note.address == box.address else None) for note in box.notes)
        inside = [
            one
            for note in box.notes
            for one in self._units_by_address.get(note.address, ())
            if note.address not in {"", box.address}
        ]
        sort = _mark_sort([*own_units, *inside])
        sort = "part" if sort == "full" and _mark_sort(guard) not in {"full", ""} else sort or _mark_sort(guard)
        lacking = ", ".join(_count_by_sort([one.unit for one in own_units if one.status == "missing"]))
        remarks = (f"never: {lacking}",) if lacking and sort == "part" else ()
        return replace(box, notes=notes, mark=ChartMark(sort, remarks), onward_mark=_onward_mark(here))

    def _mark_note(self, note: ChartNote, guard: list[UnitStatus] | None) -> ChartNote:
        if not note.address:  # a change, which belongs to several lines
            return note
        units = self._units_by_address.get(note.address, []) if guard is None else guard
        sort = _mark_sort(units)
        return replace(
            note, mark=ChartMark(sort, tuple(_describe_missing(units, note.address)) if sort == "part" else ())
        )


def _is_guard_unit(unit: CoverageUnit) -> bool:
    """Whether a unit belongs to the condition of a step."""
    return unit.detail == _PASSED_OVER or unit.detail.split()[:1] == ["when"]


def _mark_sort(units: Sequence[UnitStatus]) -> str:
    fates = {unit.status for unit in units}
    if "missing" in fates:
        return "part" if "reached" in fates else "none"
    return "full" if "reached" in fates else "left" if fates else ""


def _onward_mark(units: Sequence[UnitStatus]) -> ChartMark:
    """Mark of the edge to the next box: exercised where a play reached the end of the step, or passed it over."""
    exits = [unit for unit in units if unit.unit.sort == "edges" and unit.unit.detail in {"ends", _PASSED_OVER}]
    sort = _mark_sort(exits)
    return ChartMark(sort) if sort in {"none", "left"} else NO_MARK


def _describe_missing(units: Sequence[UnitStatus], address: str) -> Iterator[str]:
    """Missing units of a line that is reached in part."""
    missing = [unit.unit for unit in units if unit.status == "missing"]
    named = {one.key: label for one in missing if (label := _describe_unit(one, address))}
    parts = [one.text for one in missing if one.sort == "atoms" and one.address == address]
    lost = {one.address for one in missing if one.sort in {"rows", "options", "lines"}} - {address}
    others = [
        one
        for one in missing
        if one.key not in named and one.address not in lost and not (one.sort == "atoms" and one.address == address)
    ]
    labels = [*dict.fromkeys(named.values()), *_count_by_sort(others)]
    if labels:
        yield f"never: {', '.join(labels)}"
    if parts:
        yield f"never decided by: {', '.join(parts)}"


def _describe_unit(unit: CoverageUnit, address: str) -> str:
    """Short label of a part of a line; `""` without one."""
    if unit.sort in {"conditions", "edges"} and unit.address == address:
        return _OUTCOME_WORDS.get(unit.detail.removeprefix("when").strip(), "")
    if unit.sort in {"rows", "modifiers", "options"}:
        title = f"“{unit.text}”" if unit.text else unit.address.rpartition("/")[2].replace("_", " ")
        return f"{title} {unit.detail}".strip()
    return unit.detail if unit.sort == "answers" else ""


def _count_by_sort(units: Sequence[CoverageUnit]) -> Iterator[str]:
    for sort, number in Counter(unit.sort for unit in units).items():
        yield format_counted_noun(number, _SINGULARS[sort], _PLURALS.get(sort, sort))


_KEYS: JsonKeys = {
    CaseResult: "file=case.file name=case.name outcome",
    CoverageCount: "sort reached whole percent",
    CoverageUnit: "sort name text place=span",
}


def coverage_to_json(report: CoverageReport, texts: Mapping[str, Text]) -> dict[str, Any]:
    """The report, as in `grammar/schemas/cover.schema.json`."""
    encode = KeyedEncoder(_KEYS, lambda span: encode_span_start(span, texts)).encode
    return {
        "version": _FORMAT_VERSION,
        "scenarios": encode(report.results),
        "counts": coverage_counts_to_json(report),
        "reached": [{**encode(one.unit), "by": list(one.by)} for one in report.reached],
        "missing": encode(report.missing),
        "excluded": [{**encode(one.unit), "because": one.because} for one in report.excluded],
        "dead": [{**encode(one), "because": one.dead} for one in report.dead],
    }


def coverage_counts_to_json(report: CoverageReport) -> list[dict[str, Any]]:
    """Reached and countable units, by sort."""
    return [KeyedEncoder(_KEYS).encode(count) for count in count_units(report)]
