"""Texts in quotes that say nothing (manual, Lines and words)."""

from collections.abc import Iterator

from rulewright.analysis.report import Report
from rulewright.analysis.survey import nodes_of
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.names import Title


def check_titles(linked: Linked, report: Report) -> None:
    """Reports revisions (an error) and titles (a warning) without a letter or figure (RW0414)."""
    report.address = ""
    for module in linked.modules:
        for file in module.files:
            for header in file.headers:
                if isinstance(header, d.RulesetHeader | d.AmendsHeader) and _empty(header.revision):
                    message = "the revision is empty"
                    remedy = 'say which it is: `revision "1"`'
                    number = Edit(header.revision.span, '"1"')
                    report.error("RW0414", header.revision.span, message, help=remedy, edits=(number,))
    for title in _titles(linked):
        if _empty(title):
            message = "this title says nothing"
            report.warning("RW0414", title.span, message, help="leave it out, or write it", edits=left_out(title.span))


def _titles(linked: Linked) -> Iterator[Title]:
    """Every title, but not revisions."""
    for module in linked.modules:
        for file in module.files:
            yield from (header.title for header in file.headers if header.title is not None)
        for node in module.declarations:
            yield from (each for each in nodes_of(node) if isinstance(each, Title))


def _empty(title: Title) -> bool:
    return not any(each.isalnum() for each in title.text)
