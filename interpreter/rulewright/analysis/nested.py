"""Values that depend on conditions inside conditions (manual, Conditional values)."""

from rulewright.analysis.addresses import name_of
from rulewright.analysis.report import Report
from rulewright.analysis.survey import nodes_of
from rulewright.analysis.symbols import Linked
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import IfValue


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
