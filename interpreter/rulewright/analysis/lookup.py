"""Names with prefixes: `base.fight_begins`."""

from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import nearest
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
    report.error("RW0221", name.span, f"there is no {wanted} `{name.text}`", help=_guess(name, where, module, sorts))
    return None


def _guess(name: Dotted, where: Module | None, module: Module, sorts: tuple[str, ...]) -> str:
    last = name.parts[-1].text
    if where is None:
        guess = nearest(name.parts[0].text, module.uses)
        return f"did you mean `{guess}.{last}`?" if guess else f"no `use` line has the prefix `{name.parts[0].text}`"
    prefix = name.text.removesuffix(last)
    valid = [text for text, symbol in where.callables.items() if symbol.sort in sorts]
    guess = nearest(last, valid)
    if guess:
        return f"did you mean `{prefix}{guess}`?"
    for alias, other in module.uses.items():
        found = other.callables.get(last)
        if found is not None and found.sort in sorts:
            return f"did you mean `{alias}.{last}`?"
    return ""
