"""Model of scenario files and results: suites, cases, results of cases, and their text and JUnit reports."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from rulewright.base.diagnostics import PLAIN_PAINTER, Diagnostic, Painter, make_visible
from rulewright.base.diagnostics.renderings import (
    encode_diagnostic,
    encode_span,
    format_place,
    render_plain_diagnostic,
)
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.document_nodes import DocumentNode, MapKey, MapNode
from rulewright.runtime import faults

ONLY_PLAYED = "only_played"
"""Outcome of a scenario with neither answers nor expectations: a start for `play` and `run`."""

_OUTCOMES = ("passed", "failed", "wrong", "skipped", ONLY_PLAYED)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Text with its place in the file."""

    text: str
    place: MapKey | DocumentNode


@dataclass(frozen=True, slots=True)
class ScenarioCase:
    """One case to play; scenarios are expanded by their cases and matrix."""

    file: str
    name: str  # with case and readings: `ties / defender [wounds_that_count: test_only]`
    place: MapKey
    ruleset: str
    procedure: PlacedText
    roles: MapNode
    state: DocumentNode  # initial state
    expect: MapNode
    ruleset_place: MapKey | DocumentNode | None = None  # `None` where it is that of the folder
    overlays: tuple[PlacedText, ...] = ()
    settings: MapNode | None = None  # overrides of the state's
    patch: MapNode | None = None  # patch over the state
    script: DocumentNode | None = None
    seed: int | None = None  # of the dice that the script leaves out
    policies: tuple[PlayerPolicy, ...] = ()  # for decisions outside the script; earlier ones win
    plays: int = 1  # number of plays, with consecutive seeds
    covers: tuple[PlacedText, ...] = ()
    skip: str = ""  # reason, or ""
    # errors, for which it is not played; other fields may then be incomplete
    problems: tuple[Diagnostic, ...] = ()
    shared_roles: MapNode | None = None  # arguments for required roles that it does not name
    # case at whose end it begins; `None` where it begins with its state
    previous: "ScenarioCase | None" = None


@dataclass(frozen=True, slots=True)
class Exemption:
    """An accepted gap: what it is, by name, and the reason."""

    what: PlacedText
    because: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Scenario file."""

    file: str
    cases: tuple[ScenarioCase, ...]  # in order, invalid ones included
    exclude: tuple[Exemption, ...]  # units left out of coverage, or addresses with all their units
    # accepted mutants: a mutant, an address, or an operator at one
    survivors: tuple[Exemption, ...]


@dataclass(frozen=True, slots=True)
class UnmetExpectation:
    what: str  # key of the expectation
    expected: str  # in one line
    got: str  # in one line
    place: str = ""  # part of the state, step or question, or ""
    # trace position of the first difference; `None` where unknown
    moment: int | None = None
    cell: Span | None = None  # cell of the table of cases that holds it
    wrong_cells: tuple[tuple[int, int], ...] = ()  # board cells that differ, by coordinates


@dataclass(frozen=True, slots=True)
class PlayExcerpt:
    # steps, answers, changes and decisive conditions with what they read; no line twice in a row
    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()  # ids of the steps entered in them
    has_more: bool = False
    fault: Span | None = None  # line of the fault in which the play ended
    boards: tuple[str, ...] = ()  # boards at the end with cells that differ, as text
    differs: Span | None = None  # line of the rules at the first difference


EMPTY_EXCERPT = PlayExcerpt()
"""Excerpt where nothing was played, or nothing needs to be shown."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Result of a played case, as plain data."""

    case: ScenarioCase
    outcome: str  # `passed`, `failed`, `skipped`, `only_played`, or `wrong` for an invalid scenario
    misses: tuple[UnmetExpectation, ...] = ()
    problems: tuple[Diagnostic, ...] = ()  # errors of the scenario
    excerpt: PlayExcerpt = EMPTY_EXCERPT  # of the failed play, up to the first miss with a known moment
    number: int = 0  # index of the failed play
    fault: str = ""  # code of the fault in which the failed play ended
    seconds: float = 0.0


def describe_outcome(outcome: str) -> str:
    """Outcome for people: an invalid scenario failed, too."""
    return "failed" if outcome == "wrong" else outcome.replace("_", " ")


def count_outcomes(results: Iterable[CaseResult]) -> dict[str, int]:
    """Number of results by outcome."""
    counts = Counter(result.outcome for result in results)
    return {outcome: counts[outcome] for outcome in _OUTCOMES}


def summarize_outcomes(results: Iterable[CaseResult]) -> str:
    """Summary of results: `3 passed, 1 failed`."""
    counts = Counter(describe_outcome(result.outcome) for result in results)
    return ", ".join(
        f"{counts[outcome]} {outcome}" for outcome in dict.fromkeys(map(describe_outcome, _OUTCOMES)) if counts[outcome]
    )


_OUTCOME_STYLES = {"passed": "good", "failed": "error", "wrong": "error", "skipped": "dim", ONLY_PLAYED: "dim"}
_MAX_STORY_LINES = 30
UNJUDGED_MESSAGE = "it has no `expect:`, so `test` has nothing to judge; `play` and `run` begin with it"
REPORT_PREFIX = "<?xml"
"""First characters of every JUnit report."""


@dataclass(frozen=True, slots=True)
class ResultRenderer:
    """Renderer of results as text."""

    paint: Painter
    # of rules and scenarios, for the places of faults and table cells
    texts: Mapping[str, Text] = field(default_factory=dict)

    def render_result(self, result: CaseResult) -> Iterator[str]:
        """Lines of a result: expected against actual values, then the play up to the first difference."""
        case = result.case
        yield self.paint(
            f"{describe_outcome(result.outcome)}: {make_visible(case.name)}", _OUTCOME_STYLES[result.outcome]
        )
        if result.outcome == ONLY_PLAYED:
            yield f"  {UNJUDGED_MESSAGE}"
        if case.plays > 1 and case.seed is not None and result.excerpt.lines:
            yield f"  in play {result.number + 1} of {case.plays}, seed {case.seed + result.number}"
        for miss in result.misses:
            yield from self._render_miss(miss)
        yield from self._render_excerpt(result.excerpt)
        if result.fault in faults.LIMIT_CODES and result.fault in faults.REMEDIES:
            yield f"  help: {faults.REMEDIES[result.fault]}"

    def _render_excerpt(self, happened: PlayExcerpt) -> Iterator[str]:
        if not happened.lines:
            return
        yield "  what happened, up to where it differs:" if happened.has_more else "  what happened:"
        before = len(happened.lines) - _MAX_STORY_LINES
        if before > 0:
            if happened.steps:
                yield f"    by way of {', '.join(make_visible(step) for step in happened.steps)}"
            yield f"    … {before:,} lines"
        yield from (f"    {line}" for line in happened.lines[max(before, 0) :])
        if happened.fault is not None:
            yield f"    --> {format_place(happened.fault, self.texts)}"
        yield from (f"    {line}" for line in happened.boards)

    def _render_miss(self, miss: UnmetExpectation) -> Iterator[str]:
        where = f" {make_visible(miss.place)}" if miss.place else ""
        yield f"  {miss.what}{where}"
        yield f"    expected: {self.paint(make_visible(miss.expected), 'good')}"
        yield f"    got:      {self.paint(make_visible(miss.got), 'error')}"
        if miss.cell is not None:
            yield f"    --> {format_place(miss.cell, self.texts)}"


def render_junit(results: Sequence[CaseResult], texts: dict[str, Text]) -> str:
    """JUnit report of results, with one test suite for each scenario file."""
    root = Element("testsuites")
    files = dict.fromkeys(result.case.file for result in results)
    for file in files:
        _add_test_suite(root, file, [result for result in results if result.case.file == file], texts)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_test_suite(root: Element, file: str, results: Sequence[CaseResult], texts: dict[str, Text]) -> None:
    suite = SubElement(root, "testsuite", name=make_visible(file), tests=str(len(results)))
    for name, outcomes in (("failures", ("failed",)), ("errors", ("wrong",)), ("skipped", ("skipped", ONLY_PLAYED))):
        suite.set(name, str(sum(one.outcome in outcomes for one in results)))
    for result in results:
        name, took = make_visible(result.case.name), f"{result.seconds:.3f}"
        case = SubElement(suite, "testcase", classname=make_visible(file), name=name, time=took)
        match result.outcome:
            case "failed":
                SubElement(case, "failure", message=_first_failure(result.misses)).text = "\n".join(
                    ResultRenderer(PLAIN_PAINTER).render_result(result)
                )
            case "wrong":
                problems = "\n".join(render_plain_diagnostic(one, texts) for one in result.problems)
                SubElement(
                    case, "error", message=make_visible(result.problems[0].message) if result.problems else ""
                ).text = problems
            case "skipped":
                SubElement(case, "skipped", message=make_visible(result.case.skip))
            case "only_played":
                SubElement(case, "skipped", message=UNJUDGED_MESSAGE)


def _first_failure(misses: Sequence[UnmetExpectation]) -> str:
    texts = (f"{miss.what} {miss.place}".strip() + f": expected {miss.expected}, got {miss.got}" for miss in misses)
    return make_visible(next(texts, ""))


def result_to_json(result: CaseResult, texts: Mapping[str, Text]) -> dict[str, Any]:
    """The result of a case, as in `grammar/schemas/test.schema.json`."""
    case, happened = result.case, result.excerpt
    seed = None if case.seed is None else case.seed + result.number
    seeded = {"number": result.number + 1, "of": case.plays, "seed": seed}
    return {
        "file": case.file,
        "line": texts[case.file].get_position(case.place.span.start).line,
        "name": case.name,
        "outcome": result.outcome,
        "skip": case.skip,
        "covers": [cover.text for cover in case.covers],
        "seconds": round(result.seconds, 4),
        "play": seeded if result.misses else None,
        "misses": [
            {
                "what": miss.what,
                "place": miss.place,
                "expected": miss.expected,
                "got": miss.got,
                "cell": encode_span(miss.cell, texts),
            }
            for miss in result.misses
        ],
        "told": list(happened.lines),
        "path": list(happened.steps),
        "goes_on": happened.has_more,
        "differs": encode_span(happened.differs, texts),
        "fault": encode_span(happened.fault, texts),
        "wrong": [encode_diagnostic(problem, texts) for problem in result.problems],
    }
