"""Written things that mean less than they seem: titles that say nothing, values of conditions inside conditions."""

from collections.abc import Iterator

from rulewright.analysis.addresses import name_of
from rulewright.analysis.mentions import nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import IfValue, Title


def check_nested(linked: Linked, report: Report) -> None:
    """Hints at `decide` where one `if(…)` chooses another (RW0334); each chain is told of once, at its outermost."""
    for module in linked.modules:
        for declaration in module.declarations:
            name = name_of(declaration)
            report.address = module.prefix + name.text if name else ""
            _check(declaration, report)
    report.address = ""


def _check(declaration: d.Declaration, report: Report) -> None:
    chains = {each.span: _chosen(each) for each in nodes_of(declaration) if isinstance(each, IfValue)}
    inner = {each.span for chosen in chains.values() for each in chosen}
    for span in sorted(each for each, chosen in chains.items() if chosen and each not in inner):
        message = "one `if(…)` chooses another here"
        report.hint("RW0334", span, message, help="write `decide NAME:` with a row for each case, and read the name")


def _chosen(node: IfValue) -> tuple[IfValue, ...]:
    """The values of an `if(…)` that are such themselves."""
    return tuple(each for each in (node.then, node.otherwise) if isinstance(each, IfValue))


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
