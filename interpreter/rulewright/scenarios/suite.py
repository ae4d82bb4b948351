"""Scenarios as they were read, of whose rulesets nothing is known yet, and what came of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from xml.etree.ElementTree import Element, SubElement, tostring

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.diagnostics.renderings import format_place, render_plain_diagnostic
from rulewright.base.diagnostics.terminal import PLAIN_PAINTER, Painter, make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.document_nodes import DocumentNode, MapKey, MapNode
from rulewright.runtime import faults

ONLY_PLAYED = "only_played"
"""The outcome of a scenario that has neither answers nor expectations: a start to play from."""

_OUTCOMES = ("passed", "failed", "wrong", "skipped", ONLY_PLAYED)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text of the file with its place."""

    text: str
    place: MapKey | DocumentNode


@dataclass(frozen=True, slots=True)
class ScenarioCase:
    """One thing to play, with what has to come of it; cases and readings of a scenario are spelled out."""

    file: str  # name of the scenario file
    name: str  # of the scenario, its case and its readings: `ties / defender [wounds_that_count: test_only]`
    place: MapKey  # where it is written
    ruleset: str  # file, folder or shipped name
    procedure: PlacedText  # what is begun
    roles: MapNode  # arguments by role
    state: DocumentNode  # where it begins
    expect: MapNode  # what has to come of it
    ruleset_place: MapKey | DocumentNode | None = None  # where it is written, or none where it is that of the folder
    overlays: tuple[PlacedText, ...] = ()  # files that amend it
    settings: MapNode | None = None  # readings other than the state's
    patch: MapNode | None = None  # what is otherwise there, or none
    script: DocumentNode | None = None  # answers, or none
    seed: int | None = None  # of the dice a script leaves out, or none where it leaves none out
    policies: tuple[PlayerPolicy, ...] = ()  # who decides what the script does not; those first that count
    plays: int = 1  # how often it is played, with one seed after the other
    covers: tuple[PlacedText, ...] = ()  # clauses it shows
    skip: str = ""  # why it is not played, or empty
    # what is wrong with it, so that it is not played; then nothing else of it can be relied on
    problems: tuple[Diagnostic, ...] = ()
    shared_roles: MapNode | None = None  # arguments for roles that it needs and does not name
    # the case at whose end it begins, in place of its state; none where it begins with its state
    previous: "ScenarioCase | None" = None


@dataclass(frozen=True, slots=True)
class Exemption:
    """Why something is let be, and what, by its name."""

    what: PlacedText
    because: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A scenario file."""

    file: str  # its name
    cases: tuple[ScenarioCase, ...]  # all of it, in order, with those that something is wrong with
    exclude: tuple[Exemption, ...]  # what it leaves out of coverage: a unit, or an address with all its units
    # which changes of the rules it lets pass unnoticed: a mutant, an address, or an operator at one
    survivors: tuple[Exemption, ...]


@dataclass(frozen=True, slots=True)
class UnmetExpectation:
    """One expectation that was not met."""

    what: str  # the key of the expectation
    expected: str  # in one line
    got: str  # in one line
    place: str = ""  # where it happened: a part of the state, a step, a question; empty where there is none
    # position of the entry of the play with which it went otherwise; none where that is not known
    moment: int | None = None
    cell: Span | None = None  # where it is written, if that is a cell of a table of cases
    wrong_cells: tuple[tuple[int, int], ...] = ()  # the cells of boards that are not as expected, by coordinates


@dataclass(frozen=True, slots=True)
class PlayExcerpt:
    """What happened in a play."""

    # steps, answers, changes and decisive conditions with what they read; nothing twice in a row
    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()  # ids of the steps that were entered in them
    has_more: bool = False  # whether the play went on after them
    fault: Span | None = None  # the line at which it met a fault, if it ended so
    boards: tuple[str, ...] = ()  # those at the end on which cells are not as expected, as text
    differs: Span | None = None  # the line of the rules where it first went otherwise, if that is known


EMPTY_EXCERPT = PlayExcerpt()
"""Where nothing was played, or nothing needs to be told of it."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case after it was played, as plain data."""

    case: ScenarioCase
    outcome: str  # `passed`, `failed`, `skipped`, `only_played`, or `problems` where the scenario itself is
    misses: tuple[UnmetExpectation, ...] = ()  # expectations that were not met
    problems: tuple[Diagnostic, ...] = ()  # what is wrong with the scenario
    excerpt: PlayExcerpt = (
        EMPTY_EXCERPT  # what happened in the play that failed, up to the first miss whose moment is known
    )
    number: int = 0  # of the play that failed, from 0
    fault: str = ""  # the code of the fault in which the play that failed ended
    seconds: float = 0.0  # how long it took


def describe_outcome(outcome: str) -> str:
    """An outcome as people read it: whatever keeps a scenario from passing, it failed."""
    return "failed" if outcome == "wrong" else outcome.replace("_", " ")


def count_outcomes(results: Iterable[CaseResult]) -> dict[str, int]:
    """How many results have each outcome."""
    counts = Counter(result.outcome for result in results)
    return {outcome: counts[outcome] for outcome in _OUTCOMES}


def summarize_outcomes(results: Iterable[CaseResult]) -> str:
    """The outcomes of results: `3 passed, 1 failed`."""
    counts = Counter(describe_outcome(result.outcome) for result in results)
    return ", ".join(
        f"{counts[said]} {said}" for said in dict.fromkeys(map(describe_outcome, _OUTCOMES)) if counts[said]
    )


_OUTCOME_STYLES = {"passed": "good", "failed": "error", "wrong": "error", "skipped": "dim", ONLY_PLAYED: "dim"}
_MAX_STORY_LINES = 30
UNJUDGED_MESSAGE = "it has no `expect:`, so `test` has nothing to judge; `play` and `run` begin with it"
REPORT_PREFIX = "<?xml"
"""How every report begins."""


@dataclass(frozen=True, slots=True)
class ResultRenderer:
    """Tells results."""

    paint: Painter  # colours
    # of rules and scenarios, to say where a fault was met, and in which cell something else is expected
    texts: Mapping[str, Text] = field(default_factory=dict)

    def render_result(self, result: CaseResult) -> Iterator[str]:
        """A failure: what was expected against what came, then the path to there and what decided."""
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
        """The last lines before it differs; of a long way to there only the steps."""
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
    """One test suite for each scenario file."""
    root = Element("testsuites")
    files = dict.fromkeys(result.case.file for result in results)
    for file in files:
        _add_test_suite(root, file, [result for result in results if result.case.file == file], texts)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_test_suite(root: Element, file: str, results: Sequence[CaseResult], texts: dict[str, Text]) -> None:
    suite = SubElement(root, "testsuite", name=make_visible(file), tests=str(len(results)))
    for name, outcomes in (("failures", ("failed",)), ("errors", ("wrong",)), ("skipped", ("skipped", ONLY_PLAYED))):
        suite.set(name, str(sum(case_result.outcome in outcomes for case_result in results)))
    for result in results:
        name, took = make_visible(result.case.name), f"{result.seconds:.3f}"
        case = SubElement(suite, "testcase", classname=make_visible(file), name=name, time=took)
        match result.outcome:
            case "failed":
                SubElement(case, "failure", message=_first_failure(result.misses)).text = "\n".join(
                    ResultRenderer(PLAIN_PAINTER).render_result(result)
                )
            case "wrong":
                told = "\n".join(render_plain_diagnostic(one, texts) for one in result.problems)
                SubElement(
                    case, "error", message=make_visible(result.problems[0].message) if result.problems else ""
                ).text = told
            case "skipped":
                SubElement(case, "skipped", message=make_visible(result.case.skip))
            case "only_played":
                SubElement(case, "skipped", message=UNJUDGED_MESSAGE)


def _first_failure(misses: Sequence[UnmetExpectation]) -> str:
    told = (f"{miss.what} {miss.place}".strip() + f": expected {miss.expected}, got {miss.got}" for miss in misses)
    return make_visible(next(told, ""))
