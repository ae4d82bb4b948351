"""Binding: what carries out the externals of a ruleset (manual, Elsewhere)."""

from rulewright.analysis.infer.fit import widens
from rulewright.analysis.lookup import callable_named
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.diagnostics import Label
from rulewright.program.describe import describe
from rulewright.program.types import RecordType, Type
from rulewright.syntax.nodes.declarations import Bind

_EXTERNALS = ("external procedure", "external term")
_FUNCTIONS = ("term", "tally", "decide", "table", "external term")


def bind_externals(linked: Linked, shapes: Shapes, report: Report) -> None:
    """Fills `Linked.binds`.

    Reports RW0221 (no such external or procedure), RW0222 (parameters or results disagree) and RW0223 (bound twice).
    """
    assert isinstance(linked.binds, dict)
    first: dict[str, Bind] = {}
    for module in linked.modules:
        for node in module.declarations:
            if isinstance(node, Bind):
                report.address = node.external.text
                _bind(node, module, shapes, report, first, linked.binds)


def _bind(  # noqa: PLR0913, PLR0917 - one bind in the light of all
    node: Bind, module: Module, shapes: Shapes, report: Report, first: dict[str, Bind], binds: dict[str, str]
) -> None:
    external = callable_named(node.external, module, _EXTERNALS, report)
    if external is None:
        return
    known = first.setdefault(external.name, node)
    if known is not node:
        there = (Label(known.head, "bound here first"),)
        report.error("RW0223", node.head, f"`{node.external.text}` is bound twice", secondary=there)
        return
    wanted = ("procedure", "external procedure") if external.sort == "external procedure" else _FUNCTIONS
    target = callable_named(node.to, module, wanted, report)
    if target is None or not _agree(node, external, target, shapes, report):
        return
    binds[external.name] = target.name


def _agree(node: Bind, external: Symbol, target: Symbol, shapes: Shapes, report: Report) -> bool:
    problem = _parameters(external, target) or _results(external, target, shapes)
    if problem:
        labels = (Label(external.span, "the external"), Label(target.span, "what it is bound to"))
        message = f"`{node.to.text}` does not fit `{node.external.text}`"
        report.error("RW0222", node.to.span, message, secondary=labels, notes=(problem,))
    return not problem


def _parameters(external: Symbol, target: Symbol) -> str:
    """Why the arguments of the external are none for its target; empty where they are."""
    if len(external.parameters) != len(target.parameters):
        return f"It takes {len(target.parameters)} arguments, not {len(external.parameters)}."
    for (name, given), (taken, type_) in zip(external.parameters, target.parameters, strict=True):
        if not widens(given, type_):
            return f"`{name}` is {describe(given)}, but `{taken}` takes {describe(type_)}."
    return ""


def _results(external: Symbol, target: Symbol, shapes: Shapes) -> str:
    wanted = shapes.results.get(external.name)
    if wanted is None:
        return ""
    given = shapes.results.get(target.name)
    if given is None:
        return "" if target.sort == "tally" else f"It gives nothing, but {describe(wanted)} is wanted."
    return "" if _fits(given, wanted, shapes) else f"It gives {describe(given)}, but {describe(wanted)} is wanted."


def _fits(given: Type, wanted: Type, shapes: Shapes) -> bool:
    """Whether a result serves; a record serves for named results with the same parts in the same order."""
    if widens(given, wanted):
        return True
    if not isinstance(given, RecordType) or not isinstance(wanted, RecordType):
        return False
    parts = shapes.records[given.record].parts
    names = shapes.records[wanted.record].parts
    return [part.name for part in parts] == [part.name for part in names] and all(
        widens(part.type, name.type) for part, name in zip(parts, names, strict=True)
    )
