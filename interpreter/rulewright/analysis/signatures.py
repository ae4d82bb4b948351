"""Parameters and results of all that can be called; relations, externals and what these may change (Elsewhere)."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rulewright.analysis.clauses import qualify
from rulewright.analysis.infer.slots import widens
from rulewright.analysis.name_spaces import resolve_type
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Linked, Module, Symbol, home
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import Remedy, left_out, meant, nearest, respelt
from rulewright.frozen import dataclass
from rulewright.program import declarations as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import FLAG, RecordType, ThingType, Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e
from rulewright.syntax.nodes.declarations import Bind
from rulewright.syntax.nodes.expressions import Dotted, Name

_Node = TypeVar("_Node", bound=d.Declared)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Declarations:
    """Everything declared that is neither a function nor a routine, by qualified name, in order of declaration."""

    shapes: Shapes = dataclasses.field(default_factory=Shapes)
    values: dict[str, typed.WordList] = dataclasses.field(default_factory=dict)
    dice: dict[str, typed.NamedDie] = dataclasses.field(default_factory=dict)
    boards: dict[str, typed.Board] = dataclasses.field(default_factory=dict)
    game: dict[str, typed.Field] = dataclasses.field(default_factory=dict)
    settings: dict[str, typed.Setting] = dataclasses.field(default_factory=dict)
    relations: dict[str, typed.Relation] = dataclasses.field(default_factory=dict)
    external_procedures: dict[str, typed.ExternalProcedure] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """A start value still to be inferred, the slot it is for, and who takes it."""

    node: e.Expression
    type: Type
    module: Module
    address: str
    take: Callable[[Expression], None]


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Work:
    """Declarations in the making."""

    linked: Linked  # all modules
    report: Report  # where findings go
    found: Declarations = dataclasses.field(default_factory=Declarations)  # what is declared so far
    starts: list[Start] = dataclasses.field(default_factory=list)  # start values that wait until every type is known

    def each(self, sort: type[_Node]) -> Iterator[tuple[Module, _Node]]:
        """Every declaration of a sort with its module; findings meanwhile carry its address."""
        for module, node in self.linked.each(sort):
            name = getattr(node, "name", None)
            self.report.address = module.prefix + name.text if name else "game"
            yield module, node

    def shared(self, name: str, node: d.Declared) -> dict[str, Any]:
        """The fields that all declarations of a program share."""
        title = node.title.text if node.title else ""
        return {"name": name, "title": title, "cites": qualify(node.cites, self.linked), "span": node.head}

    def is_new(self, name: Name, seen: set[str]) -> bool:
        """Whether a field or parameter is the first of its name (RW0207); notes it."""
        if name.text not in seen:
            seen.add(name.text)
            return True
        message = f"`{name.text}` is declared twice"
        self.report.error("RW0207", name.span, message, help="choose another name for one of them")
        return False


def is_entered(space: Mapping[str, Symbol], name: Name) -> bool:
    """Whether a declaration is the one its name stands for, and not a second one."""
    symbol = space.get(name.text)
    return symbol is not None and symbol.span == name.span


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
        report.error("RW0221", name.span, f"`{name.text}` is a {symbol.sort}, not a {wanted}")
        return None
    report.error("RW0221", name.span, f"there is no {wanted} `{name.text}`", remedy=_meant(name, where, module, sorts))
    return None


def _meant(name: Dotted, where: Module | None, module: Module, sorts: tuple[str, ...]) -> Remedy:
    last = name.parts[-1].text
    if where is None:
        first = name.parts[0].text
        guess = nearest(first, module.uses)
        return respelt(name.span, f"{guess}.{last}") if guess else Remedy(f"no `use` line has the prefix `{first}`")
    valid = [text for text, symbol in where.callables.items() if symbol.sort in sorts]
    elsewhere = ((alias, other.callables.get(last)) for alias, other in module.uses.items())
    alias = next((alias for alias, symbol in elsewhere if symbol is not None and symbol.sort in sorts), None)
    if nearest(last, valid) is None and alias is not None:
        return respelt(name.span, f"{alias}.{last}")
    return meant(last, valid, name.span, before=name.text.removesuffix(last))


_FUNCTIONS = ("term", "tally", "decide", "table", "external term")


def bind_externals(linked: Linked, shapes: Shapes, report: Report) -> None:
    """Fills `Linked.binds`.

    Reports RW0221 (no such external or procedure), RW0222 (parameters or results disagree) and RW0223 (bound twice).
    """
    assert isinstance(linked.binds, dict)
    first: dict[str, Bind] = {}
    for module, node in linked.each(Bind):
        report.address = node.external.text
        _bind(node, module, shapes, report, first, linked.binds)


def _bind(  # noqa: PLR0913, PLR0917 - one bind in the light of all
    node: Bind, module: Module, shapes: Shapes, report: Report, first: dict[str, Bind], binds: dict[str, str]
) -> None:
    external = callable_named(node.external, module, ("external procedure", "external term"), report)
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
    problem = _unlike_parameters(external, target) or _results(external, target, shapes)
    if problem:
        labels = (Label(external.span, "the external"), Label(target.span, "what it is bound to"))
        message = f"`{node.to.text}` does not fit `{node.external.text}`"
        report.error("RW0222", node.to.span, message, secondary=labels, notes=(problem,))
    return not problem


def _unlike_parameters(external: Symbol, target: Symbol) -> str:
    """Why the arguments of the external are none for its target; empty where they are."""
    if len(external.parameters) != len(target.parameters):
        return f"It takes {len(target.parameters)} arguments, not {len(external.parameters)}."
    for (name, given), (taken, type_) in zip(external.parameters, target.parameters, strict=True):
        if not widens(given, type_):
            return f"`{name}` is {given}, but `{taken}` takes {type_}."
    return ""


def _results(external: Symbol, target: Symbol, shapes: Shapes) -> str:
    wanted = shapes.results.get(external.name)
    if wanted is None:
        return ""
    given = shapes.results.get(target.name)
    if given is None:
        return "" if target.sort == "tally" else f"It gives nothing, but {wanted} is wanted."
    return "" if _fits(given, wanted, shapes) else f"It gives {given}, but {wanted} is wanted."


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


def changes(node: d.ExternalProcedure, module: Module, shapes: Shapes, report: Report) -> tuple[str, ...]:
    """The targets of `changes`, as `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute` or a relation.

    Reports RW0224 for anything else.
    """
    valid = dict(_valid(module, shapes))
    found = []
    for each in node.changes:
        text = ".".join(e.dotted(each, ""))
        if text in valid:
            found.append(valid[text])
            _may_leave(valid[text], each, shapes, report)
        elif not _is_failed(text, module, shapes):
            _unknown(each, text, valid, module, report)
    return tuple(dict.fromkeys(found))


def _may_leave(target: str, node: e.Expression, shapes: Shapes, report: Report) -> None:
    """Reports an external that may take things out of play of which there is always one number (RW0547)."""
    kind, _, name = target.partition("/")
    if name == "gone" and shapes.kinds[kind].number is not None:
        message = f"no {kind} can leave play, because an `always` says how many there are"
        report.error("RW0547", node.span, message, help="leave it out, or change the `always`")


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


def _is_failed(text: str, module: Module, shapes: Shapes) -> bool:
    """Whether an attribute was reported where it is declared."""
    kind, _, name = text.partition(".")
    return kind in module.types and f"{module.types[kind].name}/{name}" in shapes.failed


def _unknown(node: e.Expression, text: str, valid: Mapping[str, str], module: Module, report: Report) -> None:
    match node:
        case e.Attribute(target=e.Reference(name=kind), name=name) if kind in module.types:
            own = [each.removeprefix(f"{kind}.") for each in valid if each.startswith(f"{kind}.")]
            instead = meant(name.text, own, name.span)
            message = f"`{module.types[kind].name}` has no attribute `{name.text}`"
            report.error("RW0306", name.span, message, help=instead.help, edits=instead.edits)
            return
    message = f"nothing that can change is called `{text}`" if text else "only attributes and game fields can change"
    otherwise = "name attributes as `Kind.attribute`, game fields by their name"
    report.error("RW0224", node.span, message, remedy=meant(text, valid, node.span, otherwise))


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
            work.report.error("RW0214", parameter.span, message, help="only derived relations take other values")
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
        work.report.error("RW0214", node.parameters[1].span, "the two sides of a symmetric relation have one type")
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
