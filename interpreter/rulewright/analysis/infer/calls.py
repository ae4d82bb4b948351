"""Calls: functions of the rules and of the language, relations, records; how arguments are matched to parameters."""

from rulewright.analysis import infer, promises
from rulewright.analysis.facts.knowing import known
from rulewright.analysis.functions.demand import demand
from rulewright.analysis.infer import attributes as infer_attributes
from rulewright.analysis.infer import names as infer_names
from rulewright.analysis.infer import of_cells, of_collections, of_numbers
from rulewright.analysis.infer import plane as infer_plane
from rulewright.analysis.infer.called import Rule
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.scope import Scope, fresh
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import meant, wrapped
from rulewright.frozen import dataclass
from rulewright.program.expressions import CallFunction, Expression, ExternalValue, MakeRecord, RelationHolds
from rulewright.program.types import FLAG, CellType, OptionalType, RecordType, Type
from rulewright.program.wording import describe
from rulewright.source import Span
from rulewright.syntax.nodes import declarations
from rulewright.syntax.nodes import expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def of_language(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """A call of a function of the language."""
    for argument in node.arguments:
        if argument.name is not None:
            message = f"the arguments of `{name}` have no names"
            scope.report.error("RW0316", argument.name.span, message, help="leave out the name and its `:`")
            return None
    if name == "distance" and infer_plane.is_on(node, scope):
        return infer_plane.DISTANCE(name, node, scope)
    if name == "along":
        return of_numbers.along(node, scope, expected)
    if name == "occupants":
        return of_cells.occupants(node, scope, expected)
    return RULES[name](name, node, scope)


RULES: dict[str, Rule] = {
    **of_numbers.RULES,
    **of_collections.RULES,
    "along": lambda _, node, scope: of_numbers.along(node, scope, None),
    **of_cells.RULES,
    "occupants": lambda _, node, scope: of_cells.occupants(node, scope, None),
    **infer_plane.RULES,
}


FUNCTIONS = frozenset({"term", "tally", "decide", "table", "paths"})


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter that arguments are matched to; the default is written in the module it belongs to."""

    name: str
    type: Type
    default: nodes.Expression | None = None


@dataclass(frozen=True, slots=True)
class Callee:
    """What a call names: for messages its name as written, and its parameters.

    It is broken where the type of a parameter could not be read, which was reported there.
    """

    text: str
    slots: tuple[Slot, ...]
    module: Module
    broken: bool = False


def call(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`empty(h)`, `base.empty(h)`, `Hit(weapon: w)`, `u.range_to(h)`."""
    match node.function:
        case nodes.Reference(name=name):
            return _plain(node, name, scope, expected)
        case nodes.Attribute(target=target, name=Name(text=text)):
            module = infer_names.prefixed(target, scope)
            if module is not None:
                return _in_module(node, text, module, scope)
            return _method(node, node.function, scope)
        case _:
            scope.report.error("RW0314", node.function.span, "this cannot be called")
            return None


def _plain(node: nodes.Call, name: str, scope: Scope, expected: Type | None) -> Expression | None:
    if _declared(name, scope.module):
        return _in_module(node, name, scope.module, scope)
    if scope.owner and infer_attributes.has(infer_names.owner_type(scope), name, scope):
        target = infer_names.itself(node.function.span, scope)
        return _derived(node, target, Name(name, node.function.span), scope)
    if name in RULES:
        return of_language(name, node, scope, expected)
    _unknown(node, name, [*scope.module.callables, *RULES], scope)
    return None


def _declared(name: str, module: Module) -> bool:
    record = module.types.get(name)
    return name in module.callables or (record is not None and record.sort == "record")


def _in_module(node: nodes.Call, name: str, module: Module, scope: Scope) -> Expression | None:
    symbol = module.callables.get(name)
    if symbol is not None:
        return _symbol(node, symbol, module, scope)
    record = module.types.get(name)
    if record is not None and record.sort == "record":
        return _record(node, record, module, scope)
    _unknown(node, name, list(module.callables), scope)
    return None


def _unknown(node: nodes.Call, name: str, names: list[str], scope: Scope) -> None:
    span = node.function.span
    if name in scope.locals or name in scope.module.names:
        scope.report.error("RW0314", span, f"`{name}` is a value and takes no arguments")
    else:
        remedy = meant(name, names, span, before=_prefix(node.function))
        scope.report.error("RW0314", span, f"there is no function `{name}`", help=remedy.help, edits=remedy.edits)


def _prefix(function: nodes.Expression) -> str:
    """What stands before the name of a function of a used ruleset."""
    match function:
        case nodes.Attribute(target=nodes.Reference(name=prefix)):
            return f"{prefix}."
        case _:
            return ""


def _symbol(node: nodes.Call, symbol: Symbol, module: Module, scope: Scope) -> Expression | None:
    if symbol.sort in FUNCTIONS or symbol.sort in {"relation", "external term"}:
        found = arguments(node.arguments, callee(symbol, module, node.function), node.span, scope)
        return None if found is None else _result(symbol, found, node.span, scope)
    verb = _VERBS.get(symbol.sort, "")
    remedy = f"`{verb}` it on a line of its own" if verb else ""
    name = _text(node.function)
    scope.report.error("RW0313", node.span, f"`{name}` is {_a(symbol.sort)} and has no value here", help=remedy)
    return None


_VERBS = {"procedure": "perform", "external procedure": "perform", "event": "trigger"}


def _a(sort: str) -> str:
    return f"an {sort}" if sort[0] in "aeiou" else f"a {sort}"


def _result(symbol: Symbol, found: tuple[Expression, ...], span: Span, scope: Scope) -> Expression | None:
    name = scope.linked.binds.get(symbol.name, symbol.name)
    if symbol.sort == "relation" and _stored(symbol):
        first, second = found
        both = isinstance(symbol.node, declarations.Relation) and symbol.node.symmetric
        return RelationHolds(type=FLAG, span=span, relation=name, first=first, second=second, symmetric=both)
    if symbol.sort == "external term" and name == symbol.name:
        given = scope.shapes.results.get(name)
        if given is None:
            return None
        return known(ExternalValue(type=given, span=span, external=name, arguments=found), scope)
    body = demand(scope.shapes, name)
    type_ = body.type if body is not None else scope.shapes.results.get(name)
    if type_ is None:
        return None
    promises.called(name, found, span, scope)
    return known(CallFunction(type=type_, span=span, function=name, arguments=found), scope)


def _stored(symbol: Symbol) -> bool:
    node = symbol.node
    return isinstance(node, declarations.Relation) and node.value is None and node.conditions is None


def callee(symbol: Symbol, module: Module, written: nodes.Expression) -> Callee:
    """The parameters of something declared, with their defaults."""
    parameters = getattr(symbol.node, "parameters", ())
    defaults: dict[str, nodes.Expression | None] = {each.name.text: each.default for each in parameters}
    slots = tuple(Slot(name, type_, defaults.get(name)) for name, type_ in symbol.parameters)
    return Callee(_text(written), slots, module, broken=len(slots) != len(parameters))


def _text(function: nodes.Expression) -> str:
    match function:
        case nodes.Attribute(target=target, name=name):
            return f"{_text(target)}.{name.text}"
        case nodes.Reference(name=text):
            return text
        case _:
            return "this"


def _record(node: nodes.Call, symbol: Symbol, module: Module, scope: Scope) -> Expression | None:
    shape = scope.shapes.records.get(symbol.name)
    if shape is None:
        return None
    assert isinstance(symbol.node, declarations.Record)
    starts = {
        field.name.text: field.start for field in symbol.node.fields if isinstance(field, declarations.StoredField)
    }
    slots = tuple(Slot(part.name, part.type, starts.get(part.name)) for part in shape.parts)
    found = arguments(node.arguments, Callee(_text(node.function), slots, module), node.span, scope)
    return None if found is None else MakeRecord(type=RecordType(symbol.name), span=node.span, parts=found)


def _method(node: nodes.Call, function: nodes.Attribute, scope: Scope) -> Expression | None:
    target = infer.infer(function.target, scope)
    return target and _derived(node, target, function.name, scope)


def _derived(node: nodes.Call, target: Expression, name: Name, scope: Scope) -> Expression | None:
    """A derived attribute with parameters, `u.range_to(h)`."""
    owner = infer_attributes.derived(target.type, name.text, scope)
    if owner is None:
        if infer_attributes.of(target, name, scope) is not None:
            scope.report.error("RW0314", name.span, f"`{name.text}` is an attribute and takes no arguments")
        return None
    body = demand(scope.shapes, owner)
    if body is None:
        return None
    slots = tuple(Slot(each.name, each.type) for each in body.parameters[1:])
    found = arguments(node.arguments, Callee(name.text, slots, scope.module), node.span, scope)
    if found is None:
        return None
    promises.called(owner, (target, *found), node.span, scope)
    return CallFunction(type=body.type, span=node.span, function=owner, arguments=(target, *found))


def without_parameters(name: str, module: Module) -> bool:
    """Whether a bare name is a function that takes no arguments."""
    symbol = module.callables.get(name)
    return symbol is not None and symbol.sort in FUNCTIONS | {"external term"} and not symbol.parameters


def arguments(
    written: tuple[nodes.Argument, ...], to: Callee, span: Span, scope: Scope
) -> tuple[Expression, ...] | None:
    """The arguments in the order of the parameters, defaults filled in; none where one is missing or wrong."""
    matched = None if to.broken else _matched(written, to, span, scope)
    if matched is None:
        return None
    found = tuple(_argument(slot, matched[slot.name], to, scope) for slot in to.slots)
    return None if None in found else found  # type: ignore[return-value]


def _argument(slot: Slot, node: nodes.Expression | None, to: Callee, scope: Scope) -> Expression | None:
    if node is None:
        assert slot.default is not None
        node, scope = slot.default, fresh(scope.linked, to.module, scope.shapes, scope.report)
    found = infer.infer(node, scope, slot.type)
    return found and fit(found, slot.type, scope, f"argument `{slot.name}` of `{to.text}`")


def _matched(
    written: tuple[nodes.Argument, ...], to: Callee, span: Span, scope: Scope
) -> dict[str, nodes.Expression | None] | None:
    names = [slot.name for slot in to.slots]
    matched: dict[str, nodes.Expression | None] = {}
    for place, argument in enumerate(written):
        name = _slot_name(argument, place, names, to, scope)
        if name is None:
            return None
        if name in matched:
            scope.report.error("RW0316", argument.span, f"`{name}` is given twice")
            return None
        matched[name] = argument.value
    missing = [slot.name for slot in to.slots if slot.name not in matched and slot.default is None]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        scope.report.error("RW0315", span, f"`{to.text}` lacks {listed}", help=_signature(to))
        return None
    return {name: matched.get(name) for name in names}


def _slot_name(argument: nodes.Argument, place: int, names: list[str], to: Callee, scope: Scope) -> str | None:
    if argument.name is None:
        if place < len(names):
            return names[place]
        message = f"`{to.text}` takes {_count(len(names))}, and this is one too many"
        scope.report.error("RW0315", argument.span, message, help=_signature(to))
        return None
    if argument.name.text in names:
        return argument.name.text
    remedy = meant(argument.name.text, names, argument.name.span, _signature(to))
    message = f"`{to.text}` has no `{argument.name.text}`"
    scope.report.error("RW0316", argument.name.span, message, help=remedy.help, edits=remedy.edits)
    return None


def _count(number: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(number, f"{number} arguments")


def _signature(to: Callee) -> str:
    slots = ", ".join(f"{slot.name}: {describe(slot.type)}" for slot in to.slots)
    return f"it is `{to.text}({slots})`"


def cells(node: nodes.Call, number: int, scope: Scope) -> tuple[Expression, ...] | None:
    """The arguments of a function of cells."""
    assert isinstance(node.function, nodes.Reference)
    text = node.function.name
    if len(node.arguments) != number:
        scope.report.error("RW0315", node.span, f"`{text}` takes {_count(number)}")
        return None
    found = tuple(_cell(argument.value, text, scope) for argument in node.arguments)
    return None if None in found else found  # type: ignore[return-value]


def _cell(node: nodes.Expression, text: str, scope: Scope) -> Expression | None:
    found = infer.infer(node, scope)
    if found is None:
        return None
    match found.type:
        case CellType():
            return found
        case OptionalType(CellType() as cell):
            return fit(found, cell, scope, f"an argument of `{text}`")
        case type_:
            has_place = infer_attributes.has(type_, "at", scope)
            remedy = "write where it is, `….at`" if has_place else ""
            message = f"`{text}` takes cells of a board, and this is a value of type `{describe(type_)}`"
            edits = wrapped("", found.span, ".at", safe=True) if has_place and isinstance(node, nodes.Reference) else ()
            scope.report.error("RW0317", found.span, message, help=remedy, edits=edits)
            return None
