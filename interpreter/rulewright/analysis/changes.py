"""What an external procedure may change (manual, Elsewhere)."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import meant
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Expression, Reference


def changes(node: d.ExternalProcedure, module: Module, shapes: Shapes, report: Report) -> tuple[str, ...]:
    """The targets of `changes`, as `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute` or a relation.

    Reports RW0224 for anything else.
    """
    valid = dict(_valid(module, shapes))
    found = []
    for each in node.changes:
        text = _text(each)
        if text in valid:
            found.append(valid[text])
        elif not _is_failed(text, module, shapes):
            _unknown(each, text, valid, module, report)
    return tuple(dict.fromkeys(found))


def _valid(module: Module, shapes: Shapes, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Everything that can change, as written here, with its address."""
    for name, symbol in module.types.items():
        if symbol.sort == "kind" and symbol.name in shapes.kinds:
            yield f"{prefix}{name}.gone", f"{symbol.name}/gone"
            for attribute in shapes.kinds[symbol.name].fields:
                yield f"{prefix}{name}.{attribute.name}", f"{symbol.name}/{attribute.name}"
    for name, symbol in module.names.items():
        yield from _named(f"{prefix}{name}", symbol, shapes)
    for name, symbol in module.callables.items():
        if isinstance(symbol.node, d.Relation) and symbol.node.value is None and symbol.node.conditions is None:
            yield f"{prefix}{name}", symbol.name
    for alias, other in module.uses.items():
        yield from _valid(other, shapes, f"{prefix}{alias}.")


def _named(written: str, symbol: Symbol, shapes: Shapes) -> Iterator[tuple[str, str]]:
    if symbol.sort == "game":
        yield written, f"game/{symbol.name}"
        yield f"game.{written}", f"game/{symbol.name}"
    if symbol.sort == "board":
        for attribute in shapes.cells.get(symbol.name, {}):
            yield f"{written}.{attribute}", f"{symbol.name}/{attribute}"


def _text(node: Expression) -> str:
    match node:
        case Reference(name=name):
            return name
        case Attribute(target=target, name=name):
            return f"{_text(target)}.{name.text}"
        case _:
            return ""


def _is_failed(text: str, module: Module, shapes: Shapes) -> bool:
    """Whether an attribute was reported where it is declared."""
    kind, _, name = text.partition(".")
    return kind in module.types and f"{module.types[kind].name}/{name}" in shapes.failed


def _unknown(node: Expression, text: str, valid: Mapping[str, str], module: Module, report: Report) -> None:
    match node:
        case Attribute(target=Reference(name=kind), name=name) if kind in module.types:
            own = [each.removeprefix(f"{kind}.") for each in valid if each.startswith(f"{kind}.")]
            instead = meant(name.text, own, name.span)
            message = f"`{module.types[kind].name}` has no attribute `{name.text}`"
            report.error("RW0306", name.span, message, help=instead.help, edits=instead.edits)
            return
    message = f"nothing that can change is called `{text}`" if text else "only attributes and game fields can change"
    otherwise = "name attributes as `Kind.attribute`, game fields by their name"
    remedy = meant(text, valid, node.span, otherwise)
    report.error("RW0224", node.span, message, help=remedy.help, edits=remedy.edits)
