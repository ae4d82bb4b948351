"""What came of cases: as lines to read, and in the form that build servers read (JUnit XML)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from xml.etree.ElementTree import Element, SubElement, tostring

from rulewright.diagnostics.renderings import place, plain
from rulewright.diagnostics.terminal import PLAIN, Paint, visible
from rulewright.frozen import dataclass
from rulewright.machine import codes
from rulewright.scenarios.suite import ONLY_PLAYED, Happening, Miss, Result, worded
from rulewright.source import Text

_LABELS = {"passed": "good", "failed": "error", "wrong": "error", "skipped": "dim", ONLY_PLAYED: "dim"}
_MOST = 30
UNJUDGED = "it has no `expect:`, so `test` has nothing to judge; `play` and `run` begin with it"
BEGINNING = "<?xml"
"""How every report begins."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells results."""

    paint: Paint  # colours
    # of rules and scenarios, to say where a fault was met, and in which cell something else is expected
    texts: Mapping[str, Text] = field(default_factory=dict)

    def lines(self, result: Result) -> Iterator[str]:
        """A failure: what was expected against what came, then the path to there and what decided."""
        case = result.case
        yield self.paint(f"{worded(result.outcome)}: {visible(case.name)}", _LABELS[result.outcome])
        if result.outcome == ONLY_PLAYED:
            yield f"  {UNJUDGED}"
        if case.plays > 1 and case.seed is not None and result.happened.lines:
            yield f"  in play {result.number + 1} of {case.plays}, seed {case.seed + result.number}"
        for miss in result.misses:
            yield from self._miss(miss)
        yield from self._happened(result.happened)
        if result.fault in codes.LIMITS and result.fault in codes.REMEDIES:
            yield f"  help: {codes.REMEDIES[result.fault]}"

    def _happened(self, happened: Happening) -> Iterator[str]:
        """The last lines before it differs; of a long way to there only the steps."""
        if not happened.lines:
            return
        yield "  what happened, up to where it differs:" if happened.goes_on else "  what happened:"
        before = len(happened.lines) - _MOST
        if before > 0:
            if happened.steps:
                yield f"    by way of {', '.join(visible(each) for each in happened.steps)}"
            yield f"    … {before:,} lines"
        yield from (f"    {line}" for line in happened.lines[max(before, 0) :])
        if happened.fault is not None:
            yield f"    --> {place(happened.fault, self.texts)}"
        yield from (f"    {line}" for line in happened.boards)

    def _miss(self, miss: Miss) -> Iterator[str]:
        where = f" {visible(miss.place)}" if miss.place else ""
        yield f"  {miss.what}{where}"
        yield f"    expected: {self.paint(visible(miss.expected), 'good')}"
        yield f"    got:      {self.paint(visible(miss.got), 'error')}"
        if miss.cell is not None:
            yield f"    --> {place(miss.cell, self.texts)}"


def junit(results: Sequence[Result], texts: dict[str, Text]) -> str:
    """One test suite for each scenario file."""
    root = Element("testsuites")
    files = dict.fromkeys(each.case.file for each in results)
    for file in files:
        _suite(root, file, [each for each in results if each.case.file == file], texts)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Element, file: str, results: Sequence[Result], texts: dict[str, Text]) -> None:
    suite = SubElement(root, "testsuite", name=visible(file), tests=str(len(results)))
    for name, outcomes in (("failures", ("failed",)), ("errors", ("wrong",)), ("skipped", ("skipped", ONLY_PLAYED))):
        suite.set(name, str(sum(each.outcome in outcomes for each in results)))
    for each in results:
        name, took = visible(each.case.name), f"{each.seconds:.3f}"
        case = SubElement(suite, "testcase", classname=visible(file), name=name, time=took)
        match each.outcome:
            case "failed":
                SubElement(case, "failure", message=_first(each.misses)).text = "\n".join(Telling(PLAIN).lines(each))
            case "wrong":
                told = "\n".join(plain(one, texts) for one in each.wrong)
                SubElement(case, "error", message=visible(each.wrong[0].message) if each.wrong else "").text = told
            case "skipped":
                SubElement(case, "skipped", message=visible(each.case.skip))
            case "only_played":
                SubElement(case, "skipped", message=UNJUDGED)


def _first(misses: Sequence[Miss]) -> str:
    told = (f"{each.what} {each.place}".strip() + f": expected {each.expected}, got {each.got}" for each in misses)
    return visible(next(told, ""))
