"""Binding: what carries out the externals of a ruleset (manual, Elsewhere); names with prefixes."""

from rulewright.analysis.infer.slots import widens
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.diagnostics import Label
from rulewright.diagnostics.suggest import Remedy, meant, nearest, respelt
from rulewright.program.types import RecordType, Type
from rulewright.program.wording import describe
from rulewright.syntax.nodes.declarations import Bind
from rulewright.syntax.nodes.expressions import Dotted


def home(name: Dotted, module: Module) -> Module | None:
    """The module that the prefixes of a name lead to."""
    found: Module | None = module
    for prefix in name.parts[:-1]:
        found = found.uses.get(prefix.text) if found else None
    return found


def callable_named(name: Dotted, module: Module, sorts: tuple[str, ...], report: Report) -> Symbol | None:
    """What can be called, performed or triggered under a name, of one of the sorts wanted.

    Reports RW0221 where there is no such thing; the sorts are named in the message.
    """
    where = home(name, module)
    last = name.parts[-1]
    symbol = where.callables.get(last.text) if where else None
    if symbol is not None and symbol.sort in sorts:
        return symbol
    if where is None and name.parts[0].text in module.broken:
        return None
    wanted = sorts[0]
    if symbol is not None:
        message = f"`{name.text}` is a {symbol.sort}, not a {wanted}"
        report.error("RW0221", name.span, message)
        return None
    remedy = _meant(name, where, module, sorts)
    report.error("RW0221", name.span, f"there is no {wanted} `{name.text}`", help=remedy.help, edits=remedy.edits)
    return None


def _meant(name: Dotted, where: Module | None, module: Module, sorts: tuple[str, ...]) -> Remedy:
    last = name.parts[-1].text
    if where is None:
        first = name.parts[0].text
        guess = nearest(first, module.uses)
        return respelt(name.span, f"{guess}.{last}") if guess else Remedy(f"no `use` line has the prefix `{first}`")
    valid = [text for text, symbol in where.callables.items() if symbol.sort in sorts]
    elsewhere = (alias for alias, other in module.uses.items() if _has(other, last, sorts))
    alias = next(elsewhere, None)
    if nearest(last, valid) is None and alias is not None:
        return respelt(name.span, f"{alias}.{last}")
    return meant(last, valid, name.span, before=name.text.removesuffix(last))


def _has(module: Module, name: str, sorts: tuple[str, ...]) -> bool:
    found = module.callables.get(name)
    return found is not None and found.sort in sorts


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
