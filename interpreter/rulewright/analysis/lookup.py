"""Names with prefixes: `base.fight_begins`."""

from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import Remedy, meant, nearest, respelt
from rulewright.syntax.nodes.names import Dotted


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
