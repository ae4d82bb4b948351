"""Parameters and results of all that can be called; relations, externals and what these may change (Elsewhere)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.analysis.declare.declaring import Work, is_entered
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Module, Symbol
from rulewright.analysis.types import resolve_type
from rulewright.diagnostics.suggest import left_out, meant
from rulewright.program import declarations as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import FLAG, RecordType, ThingType, Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Expression, Name, Reference


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


_Parameters = tuple[tuple[str, Type], ...]


def declare_callables(work: Work) -> None:
    """Fills `Symbol.parameters`, `Shapes.results`, stored relations and external procedures."""
    for module in work.linked.modules:
        for node in module.declarations:
            name = getattr(node, "name", None)
            if isinstance(name, Name) and is_entered(module.callables, name):
                work.report.address = module.prefix + name.text
                view = work.linked.views.get(module.prefix + name.text, module)
                _callable(node, name, view, work)


def _callable(node: d.Declaration, name: Name, module: Module, work: Work) -> None:
    symbol = module.callables[name.text]
    parameters = _parameters(getattr(node, "parameters", ()), node, module, work)
    module.callables[name.text] = replace(symbol, parameters=parameters)
    match node:
        case d.Relation():
            _relation(node, symbol.name, parameters, work)
        case d.ExternalProcedure():
            _external(node, symbol.name, parameters, module, work)
        case d.Term(gives=None):
            work.found.shapes.results[symbol.name] = FLAG
        case d.Term() | d.Decide() | d.Table() | d.ExternalTerm() | d.Procedure():
            _result(node, symbol.name, module, work)
        case _:
            pass


def _result(
    node: d.Term | d.Decide | d.Table | d.ExternalTerm | d.Procedure | d.ExternalProcedure,
    name: str,
    module: Module,
    work: Work,
) -> None:
    """Notes the type that something gives, or that it could not be read."""
    if node.gives is None:
        return
    type_ = resolve_type(node.gives, module, work.linked, work.report)
    if type_ is None:
        work.found.shapes.failed.add(name)
    else:
        work.found.shapes.results[name] = type_


def _parameters(nodes: tuple[d.Parameter, ...], owner: d.Declaration, module: Module, work: Work) -> _Parameters:
    """Names and types of parameters; those whose type could not be read are left out."""
    found: list[tuple[str, Type]] = []
    seen: set[str] = set()
    for node in nodes:
        if node.default is not None and not isinstance(owner, d.Procedure | d.ProcedureLike):
            message = "only parameters of procedures have defaults"
            gone = left_out(Span(node.span.source, node.type.span.end, node.default.span.end))
            work.report.error("RW0217", node.span, message, help="leave out `= …`", edits=gone)
        type_ = resolve_type(node.type, module, work.linked, work.report)
        if type_ is None:
            work.found.shapes.unread.add(node.name.text)
        if work.is_new(node.name, seen) and type_ is not None:
            found.append((node.name.text, type_))
    return tuple(found)


def _relation(node: d.Relation, name: str, parameters: _Parameters, work: Work) -> None:
    work.found.shapes.results[name] = FLAG
    if not _links_two(node, parameters, work) or node.value is not None or node.conditions is not None:
        return
    for parameter, (_, type_) in zip(node.parameters, parameters, strict=True):
        if not isinstance(type_, ThingType):
            message = "a stored relation links things of a kind"
            remedy = "only derived relations take other values"
            work.report.error("RW0214", parameter.span, message, help=remedy)
            return
    (first, first_type), (second, second_type) = parameters
    pair = (Variable(first, 0, first_type), Variable(second, 1, second_type))
    made = typed.Relation(**work.shared(name, node), parameters=pair, symmetric=node.symmetric)
    work.found.relations[name] = made


def _links_two(node: d.Relation, parameters: _Parameters, work: Work) -> bool:
    """Whether there are two parameters that can be read, of one type where the relation is symmetric."""
    if len(node.parameters) != 2:  # noqa: PLR2004 - a relation links two things
        message = "a relation links two things"
        work.report.error("RW0214", node.head, message, help="give it two parameters, or declare a `term`")
        return False
    if len(parameters) != len(node.parameters):
        return False
    (_, first), (_, second) = parameters
    if node.symmetric and first != second:
        message = "the two sides of a symmetric relation have one type"
        work.report.error("RW0214", node.parameters[1].span, message)
        return False
    return True


def _external(node: d.ExternalProcedure, name: str, parameters: _Parameters, module: Module, work: Work) -> None:
    shapes = work.found.shapes
    if node.results:
        _named_results(node, name, module, work)
    else:
        _result(node, name, module, work)
    work.found.external_procedures[name] = typed.ExternalProcedure(
        **work.shared(name, node),
        parameters=tuple(Variable(text, index, type_) for index, (text, type_) in enumerate(parameters)),
        result=shapes.results.get(name),
        changes=changes(node, module, shapes, work.report),
    )


def _named_results(node: d.ExternalProcedure, name: str, module: Module, work: Work) -> None:
    """Named results make a record type of the external's own name."""
    made = _parameters(node.results, node, module, work)
    if len(made) != len(node.results):
        work.found.shapes.failed.add(name)
        return
    places = {each.name.text: each.span for each in node.results}
    parts = tuple(
        typed.Field(name=text, address=f"{name}/{text}", type=type_, start=None, title="", span=places[text])
        for text, type_ in made
    )
    work.found.shapes.records[name] = typed.Record(**work.shared(name, node), parts=parts, derived=())
    work.found.shapes.results[name] = RecordType(name)
