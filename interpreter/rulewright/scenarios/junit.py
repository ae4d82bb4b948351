"""Results in the form that build servers read (JUnit XML)."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from rulewright.diagnostics.as_text import plain
from rulewright.diagnostics.paint import PLAIN
from rulewright.scenarios.results import Miss, Result
from rulewright.scenarios.telling import Telling
from rulewright.source import Text

BEGINNING = "<?xml"
"""How every report begins."""


def junit(results: Sequence[Result], texts: dict[str, Text]) -> str:
    """One test suite for each scenario file."""
    root = Element("testsuites")
    files = dict.fromkeys(each.case.file for each in results)
    for file in files:
        _suite(root, file, [each for each in results if each.case.file == file], texts)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Element, file: str, results: Sequence[Result], texts: dict[str, Text]) -> None:
    suite = SubElement(root, "testsuite", name=file, tests=str(len(results)))
    for name, outcome in (("failures", "failed"), ("errors", "wrong"), ("skipped", "skipped")):
        suite.set(name, str(sum(each.outcome == outcome for each in results)))
    for each in results:
        case = SubElement(suite, "testcase", classname=file, name=each.case.name, time=f"{each.seconds:.3f}")
        match each.outcome:
            case "failed":
                SubElement(case, "failure", message=_first(each.misses)).text = "\n".join(Telling(PLAIN).lines(each))
            case "wrong":
                told = "\n".join(plain(one, texts) for one in each.wrong)
                SubElement(case, "error", message=each.wrong[0].message if each.wrong else "").text = told
            case "skipped":
                SubElement(case, "skipped", message=each.case.skip)


def _first(misses: Sequence[Miss]) -> str:
    told = (f"{each.what} {each.place}".strip() + f": expected {each.expected}, got {each.got}" for each in misses)
    return next(told, "")
