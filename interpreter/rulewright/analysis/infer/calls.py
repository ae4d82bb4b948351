"""Calls: functions of the rules and of the language, relations, records."""

import re

from rulewright.analysis import promises
from rulewright.analysis.infer.binders import ENDS
from rulewright.analysis.infer.call_arguments import FUNCTIONS, Callee, Rule, Slot, arguments
from rulewright.analysis.infer.language_functions import RULES as OFF_THE_PLANE, along, occupants
from rulewright.analysis.infer.lookup import VERBS, derived_function, has_attribute, itself, known, owner_type, prefixed
from rulewright.analysis.infer.plane_functions import DISTANCE, PLANE_RULES, is_on
from rulewright.analysis.infer.references import attribute_of
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import Remedy, meant, written
from rulewright.program.expressions import CallFunction, Expression, ExternalValue, MakeRecord, RelationHolds
from rulewright.program.types import FLAG, NumberType, RecordType, Type
from rulewright.program.wording import a
from rulewright.source import Span
from rulewright.syntax.nodes import declarations, expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def of_language(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """A call of a function of the language."""
    for argument in node.arguments:
        if argument.name is not None:
            message = f"the arguments of `{name}` have no names"
            scope.report.error("RW0316", argument.name.span, message, help="leave out the name and its `:`")
            return None
    if name == "distance" and is_on(node, scope):
        return DISTANCE(name, node, scope)
    if name == "along":
        return along(node, scope, expected)
    if name == "occupants":
        return occupants(node, scope, expected)
    return RULES[name](name, node, scope)


RULES: dict[str, Rule] = OFF_THE_PLANE | PLANE_RULES


def call(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`empty(h)`, `base.empty(h)`, `Hit(weapon: w)`, `u.range_to(h)`."""
    match node.function:
        case nodes.Reference(name=name):
            return _plain(node, name, scope, expected)
        case nodes.Attribute(target=target, name=Name(text=text)):
            module = prefixed(target, scope)
            if module is not None:
                return _in_module(node, text, module, scope)
            found = scope.infer(target)
            return found and _derived(node, found, node.function.name, scope)
        case _:
            scope.report.error("RW0314", node.function.span, "this cannot be called")
            return None


def _plain(node: nodes.Call, name: str, scope: Scope, expected: Type | None) -> Expression | None:
    record = scope.module.types.get(name)
    if name in scope.module.callables or (record is not None and record.sort == "record"):
        return _in_module(node, name, scope.module, scope)
    if scope.owner and has_attribute(owner_type(scope), name, scope):
        target = itself(node.function.span, scope)
        return _derived(node, target, Name(name, node.function.span), scope)
    if name in RULES:
        return of_language(name, node, scope, expected)
    if name in _FORMER and len(node.arguments) == _FORMER[name][1]:
        _former(node, name, scope)
    else:
        _unknown(node, name, [*scope.module.callables, *RULES], scope)
    return None


_NEARER = "{each way in directions() where distance(step(A, way), B) < distance(A, B): step(A, way)}"
_FORMER = {"sign": ("max(-1, min(1, A))", 1), "toward": (_NEARER, 2)}
"""Functions of earlier versions: what others say in their place, and of how many arguments."""


def _former(node: nodes.Call, name: str, scope: Scope) -> None:
    """Refuses a function of an earlier version, with an edit that says the same, except of a fraction."""
    from rulewright.syntax.format import format_expression  # noqa: PLC0415 - only where a mistake is explained

    given = [format_expression(each.value) for each in node.arguments]
    written = _FORMER[name][0]
    said = _LETTER.sub(lambda found: given["AB".index(found[0])], written)
    first = scope.infer(node.arguments[0].value)
    is_same = name != "sign" or (first is not None and isinstance(first.type, NumberType))
    edits = (Edit(node.span, said, safe=True),) if is_same else ()
    message = f"there is no function `{name}` any more"
    remedy = f"write `{said}`" if is_same else "ask with `if(…)`"
    scope.report.error("RW0131", node.span, message, help=remedy, edits=edits)


_LETTER = re.compile(r"\b[AB]\b")


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
        before = node.function.target if isinstance(node.function, nodes.Attribute) else None
        prefix = f"{before.name}." if isinstance(before, nodes.Reference) else ""
        counted = written("count", span) if name in _COUNTS and not prefix else None
        told = Remedy(_ELSEWHERE[name]) if name in _ELSEWHERE and not prefix else None
        remedy = counted or _of_dice(node, name) or told or meant(name, names, span, before=prefix)
        scope.report.error("RW0314", span, f"there is no function `{name}`", remedy=remedy)


_RANKED = "`rank each x in S as ranked:` with a key such as `near: lowest distance(…)` puts them in order"
_DRAWN = "what chance decides is rolled or drawn on a line of its own: `roll d6 as NAME`, `draw from S as NAME`"
_ELSEWHERE = {
    "all": "write `every x in S: condition`",
    "any": "write `some x in S where condition`",
    "average": "write `sum(S) / count(S)`",
    "closest": _RANKED,
    "contains": "write `x in S`",
    "empty": "write `no x in S`",
    "exists": "write `some x in S where condition`",
    "first": "of a list `L[1]` is the first; a set has no order, and `rank` gives it one",
    "is_empty": "write `no x in S`",
    "last": "of a list `L[count(L)]` is the last; a set has no order, and `rank` gives it one",
    "mean": "write `sum(S) / count(S)`",
    "mod": "write `n - d * floor(n / d)`",
    "nearest": _RANKED,
    "next": "`along(w, 1)` is the word after `w` in its list, `starting_with(players, p)[2]` the player after `p`",
    "none": "write `no x in S where condition`",
    "previous": "`along(w, -1)` is the word before `w` in its list",
    "rand": _DRAWN,
    "randint": _DRAWN,
    "random": _DRAWN,
}
"""How other notations' functions are said here."""

_COUNTS = frozenset({"len", "length", "number", "number_of", "size"})


def _of_dice(node: nodes.Call, name: str) -> Remedy | None:
    """What to write for the highest or lowest of several dice; none for other names."""
    match node.arguments:
        case [nodes.Argument(value=nodes.Reference(name=dice))] if name in ENDS:
            said = f"{ENDS[name]}(each d in {dice}: d.natural)"
            return Remedy(f"of several dice it is `{said}`", (Edit(node.span, said),))
        case [nodes.Argument(value=nodes.Comprehension() | nodes.Collection())] | [_, _, *_] if name in ENDS:
            return written(ENDS[name], node.function.span)
        case _:
            return None


def _symbol(node: nodes.Call, symbol: Symbol, module: Module, scope: Scope) -> Expression | None:
    if symbol.sort in FUNCTIONS or symbol.sort in {"relation", "external term"}:
        found = arguments(node.arguments, callee(symbol, module, node.function), node.span, scope)
        return None if found is None else _result(symbol, found, node.span, scope)
    verb = VERBS.get(symbol.sort, "")
    remedy = f"`{verb}` it on a line of its own" if verb else ""
    name = ".".join(nodes.dotted(node.function, "this"))
    scope.report.error("RW0313", node.span, f"`{name}` is {a(symbol.sort)} and has no value here", help=remedy)
    return None


def _result(symbol: Symbol, found: tuple[Expression, ...], span: Span, scope: Scope) -> Expression | None:
    name = scope.linked.binds.get(symbol.name, symbol.name)
    match symbol.node:
        case declarations.Relation(value=None, conditions=None, symmetric=both):
            first, second = found
            return RelationHolds(type=FLAG, span=span, relation=name, first=first, second=second, symmetric=both)
    if symbol.sort == "external term" and name == symbol.name:
        given = scope.shapes.results.get(name)
        if given is None:
            return None
        return known(ExternalValue(type=given, span=span, external=name, arguments=found), scope)
    body = scope.shapes.function(name)
    type_ = body.type if body is not None else scope.shapes.results.get(name)
    if type_ is None:
        return None
    promises.called(name, found, span, scope)
    return known(CallFunction(type=type_, span=span, function=name, arguments=found), scope)


def callee(symbol: Symbol, module: Module, written: nodes.Expression) -> Callee:
    """The parameters of something declared, with their defaults."""
    parameters = getattr(symbol.node, "parameters", ())
    defaults: dict[str, nodes.Expression | None] = {each.name.text: each.default for each in parameters}
    slots = tuple(Slot(name, type_, defaults.get(name)) for name, type_ in symbol.parameters)
    return Callee(".".join(nodes.dotted(written, "this")), slots, module, broken=len(slots) != len(parameters))


def _record(node: nodes.Call, symbol: Symbol, module: Module, scope: Scope) -> Expression | None:
    shape = scope.shapes.records.get(symbol.name)
    if shape is None:
        return None
    assert isinstance(symbol.node, declarations.Record)
    starts = {
        field.name.text: field.start for field in symbol.node.fields if isinstance(field, declarations.StoredField)
    }
    slots = tuple(Slot(part.name, part.type, starts.get(part.name)) for part in shape.parts)
    found = arguments(
        node.arguments, Callee(".".join(nodes.dotted(node.function, "this")), slots, module), node.span, scope
    )
    return None if found is None else MakeRecord(type=RecordType(symbol.name), span=node.span, parts=found)


def _derived(node: nodes.Call, target: Expression, name: Name, scope: Scope) -> Expression | None:
    """A derived attribute with parameters, `u.range_to(h)`."""
    owner = derived_function(target.type, name.text, scope)
    if owner is None:
        if attribute_of(target, name, scope) is not None:
            scope.report.error("RW0314", name.span, f"`{name.text}` is an attribute and takes no arguments")
        return None
    body = scope.shapes.function(owner)
    if body is None:
        return None
    slots = tuple(Slot(each.name, each.type) for each in body.parameters[1:])
    found = arguments(node.arguments, Callee(name.text, slots, scope.module), node.span, scope)
    if found is None:
        return None
    promises.called(owner, (target, *found), node.span, scope)
    return CallFunction(type=body.type, span=node.span, function=owner, arguments=(target, *found))
