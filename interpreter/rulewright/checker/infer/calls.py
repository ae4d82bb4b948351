"""Calls: functions of the rules and of the language, relations, records."""

import re

from rulewright.base.diagnostics import Edit, Remedy
from rulewright.base.diagnostics.remedies import make_name_remedy, make_replacement_remedy
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.infer.binders import FOREIGN_EXTREME_NAMES
from rulewright.checker.infer.call_arguments import FUNCTION_SORTS, CallRule, CallTarget, ParameterSlot, infer_arguments
from rulewright.checker.infer.language_functions import NON_PLANE_FUNCTIONS, infer_along, infer_occupants
from rulewright.checker.infer.name_lookup import (
    INVOKING_VERBS,
    find_derived_function,
    get_self_type,
    has_attribute,
    make_self_reference,
    resolve_prefix_module,
)
from rulewright.checker.infer.plane_functions import PLANE_DISTANCE, PLANE_FUNCTIONS, is_plane_distance
from rulewright.checker.infer.references import read_attribute
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import ATTRIBUTE_SPACE, PARAMETER_SPACE, LinkedModule, Symbol, note_symbol
from rulewright.program.expressions import CallFunction, Expression, ExternalValue, MakeRecord, RelationHolds
from rulewright.program.types import FLAG, NumberType, RecordType, Type
from rulewright.program.wording import add_article
from rulewright.syntax.nodes import declarations, expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def infer_language_call(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    for argument in node.arguments:
        if argument.name is not None:
            message = f"the arguments of `{name}` have no names"
            scope.report.error("RW0316", argument.name.span, message, help="leave out the name and its `:`")
            return None
    if name == "distance" and is_plane_distance(node, scope):
        return PLANE_DISTANCE(name, node, scope)
    if name == "along":
        return infer_along(node, scope, expected)
    if name == "occupants":
        return infer_occupants(node, scope, expected)
    return LANGUAGE_FUNCTIONS[name](name, node, scope)


LANGUAGE_FUNCTIONS: dict[str, CallRule] = NON_PLANE_FUNCTIONS | PLANE_FUNCTIONS


def infer_call(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`empty(h)`, `base.empty(h)`, `Hit(weapon: w)`, `u.range_to(h)`."""
    match node.function:
        case nodes.Reference(name=name):
            return _infer_plain_call(node, name, scope, expected)
        case nodes.Attribute(target=target, name=Name(text=text)):
            module = resolve_prefix_module(target, scope)
            if module is not None:
                return _infer_module_call(node, text, module, scope)
            result = scope.infer(target)
            return result and _infer_derived_call(node, result, node.function.name, scope)
        case _:
            scope.report.error("RW0314", node.function.span, "this cannot be called")
            return None


def _infer_plain_call(node: nodes.Call, name: str, scope: Scope, expected: Type | None) -> Expression | None:
    record = scope.module.types.get(name)
    if name in scope.module.callables or (record is not None and record.sort == "record"):
        return _infer_module_call(node, name, scope.module, scope)
    if scope.owner and has_attribute(get_self_type(scope), name, scope):
        target = make_self_reference(node.function.span, scope)
        return _infer_derived_call(node, target, Name(name, node.function.span), scope)
    if name in LANGUAGE_FUNCTIONS:
        return infer_language_call(name, node, scope, expected)
    if name in _FORMER_FUNCTIONS and len(node.arguments) == _FORMER_FUNCTIONS[name][1]:
        _report_former_function(node, name, scope)
    else:
        _report_unknown_function(node, name, [*scope.module.callables, *LANGUAGE_FUNCTIONS], scope)
    return None


_NEARER_CELLS_TEMPLATE = "{each way in directions() where distance(step(A, way), B) < distance(A, B): step(A, way)}"
_FORMER_FUNCTIONS = {"sign": ("max(-1, min(1, A))", 1), "toward": (_NEARER_CELLS_TEMPLATE, 2)}
"""Functions of earlier versions: replacement and number of arguments."""


def _report_former_function(node: nodes.Call, name: str, scope: Scope) -> None:
    """Reports a function of an earlier version (RW0131); the edit means the same, except for `sign` of a fraction."""
    from rulewright.syntax.format import format_expression  # noqa: PLC0415 - only where a mistake is explained

    given = [format_expression(argument.value) for argument in node.arguments]
    written = _FORMER_FUNCTIONS[name][0]
    replacement = _TEMPLATE_LETTER_PATTERN.sub(lambda match: given["AB".index(match[0])], written)
    first = scope.infer(node.arguments[0].value)
    is_same = name != "sign" or (first is not None and isinstance(first.type, NumberType))
    edits = (Edit(node.span, replacement, safe=True),) if is_same else ()
    message = f"there is no function `{name}` any more"
    remedy = f"write `{replacement}`" if is_same else "ask with `if(…)`"
    scope.report.error("RW0131", node.span, message, help=remedy, edits=edits)


_TEMPLATE_LETTER_PATTERN = re.compile(r"\b[AB]\b")


def _infer_module_call(node: nodes.Call, name: str, module: LinkedModule, scope: Scope) -> Expression | None:
    symbol = module.callables.get(name)
    span = node.function.name.span if isinstance(node.function, nodes.Attribute) else node.function.span
    if symbol is not None:
        note_symbol(span, symbol, scope.report)
        return _infer_symbol_call(node, symbol, module, scope)
    record = module.types.get(name)
    if record is not None and record.sort == "record":
        note_symbol(span, record, scope.report)
        return _infer_record(node, record, module, scope)
    _report_unknown_function(node, name, list(module.callables), scope)
    return None


def _report_unknown_function(node: nodes.Call, name: str, names: list[str], scope: Scope) -> None:
    span = node.function.span
    if name in scope.locals or name in scope.module.names:
        scope.report.error("RW0314", span, f"`{name}` is a value and takes no arguments", subject=name)
    else:
        before = node.function.target if isinstance(node.function, nodes.Attribute) else None
        prefix = f"{before.name}." if isinstance(before, nodes.Reference) else ""
        counted = make_replacement_remedy("count", span) if name in _FOREIGN_COUNT_NAMES and not prefix else None
        foreign = (
            Remedy(_FOREIGN_FUNCTION_REMEDIES[name]) if name in _FOREIGN_FUNCTION_REMEDIES and not prefix else None
        )
        remedy = (
            counted
            or _suggest_dice_extreme(node, name)
            or foreign
            or make_name_remedy(name, names, span, before=prefix)
        )
        scope.report.error("RW0314", span, f"there is no function `{name}`", remedy=remedy, missing=name)


_RANK_REMEDY = "`rank each x in S as ranked:` with a key such as `near: lowest distance(…)` puts them in order"
_CHANCE_REMEDY = "what chance decides is rolled or drawn on a line of its own: `roll d6 as NAME`, `draw from S as NAME`"
_SIDE_REMEDY = "the side between two neighbours is `side(a, b)`"
_FOREIGN_FUNCTION_REMEDIES = {
    "all": "write `every x in S: condition`",
    "any": "write `some x in S where condition`",
    "average": "write `sum(S) / count(S)`",
    "border": _SIDE_REMEDY,
    "boundary": _SIDE_REMEDY,
    "closest": _RANK_REMEDY,
    "contains": "write `x in S`",
    "empty": "write `no x in S`",
    "edge_between": _SIDE_REMEDY,
    "exists": "write `some x in S where condition`",
    "first": "of a list `L[1]` is the first; a set has no order, and `rank` gives it one",
    "hexside": _SIDE_REMEDY,
    "is_empty": "write `no x in S`",
    "last": "of a list `L[count(L)]` is the last; a set has no order, and `rank` gives it one",
    "mean": "write `sum(S) / count(S)`",
    "mod": "write `n - d * floor(n / d)`",
    "nearest": _RANK_REMEDY,
    "next": "`along(w, 1)` is the word after `w` in its list, `starting_with(players, p)[2]` the player after `p`",
    "none": "write `no x in S where condition`",
    "previous": "`along(w, -1)` is the word before `w` in its list",
    "rand": _CHANCE_REMEDY,
    "randint": _CHANCE_REMEDY,
    "random": _CHANCE_REMEDY,
}
"""Remedies for functions of other notations."""

_FOREIGN_COUNT_NAMES = frozenset({"len", "length", "number", "number_of", "size"})


def _suggest_dice_extreme(node: nodes.Call, name: str) -> Remedy | None:
    match node.arguments:
        case [nodes.Argument(value=nodes.Reference(name=dice))] if name in FOREIGN_EXTREME_NAMES:
            replacement = f"{FOREIGN_EXTREME_NAMES[name]}(each d in {dice}: d.natural)"
            return Remedy(f"of several dice it is `{replacement}`", (Edit(node.span, replacement),))
        case [nodes.Argument(value=nodes.Comprehension() | nodes.Collection())] | [_, _, *_] if (
            name in FOREIGN_EXTREME_NAMES
        ):
            return make_replacement_remedy(FOREIGN_EXTREME_NAMES[name], node.function.span)
        case _:
            return None


def _infer_symbol_call(node: nodes.Call, symbol: Symbol, module: LinkedModule, scope: Scope) -> Expression | None:
    if symbol.sort in FUNCTION_SORTS or symbol.sort in {"relation", "external term"}:
        items = infer_arguments(node.arguments, make_call_target(symbol, module, node.function), node.span, scope)
        return None if items is None else _make_call_result(symbol, items, node.span, scope)
    verb = INVOKING_VERBS.get(symbol.sort, "")
    remedy = f"`{verb}` it on a line of its own" if verb else ""
    name = ".".join(nodes.get_dotted_names(node.function, "this"))
    scope.report.error(
        "RW0313", node.span, f"`{name}` is {add_article(symbol.sort)} and has no value here", help=remedy
    )
    return None


def _make_call_result(symbol: Symbol, arguments: tuple[Expression, ...], span: Span, scope: Scope) -> Expression | None:
    name = scope.linked.external_bindings.get(symbol.name, symbol.name)
    match symbol.node:
        case declarations.Relation(value=None, conditions=None, symmetric=both):
            first, second = arguments
            return RelationHolds(type=FLAG, span=span, relation=name, first=first, second=second, symmetric=both)
    if symbol.sort == "external term" and name == symbol.name:
        given = scope.environment.result_types.get(name)
        if given is None:
            return None
        return ExternalValue(type=given, span=span, external=name, arguments=arguments)
    body = scope.environment.demand_function(name)
    type_ = body.type if body is not None else scope.environment.result_types.get(name)
    if type_ is None:
        return None
    preconditions.check_call_preconditions(name, arguments, span, scope)
    return CallFunction(type=type_, span=span, function=name, arguments=arguments)


def make_call_target(symbol: Symbol, module: LinkedModule, written: nodes.Expression) -> CallTarget:
    """Parameters of a declared callable, with their defaults."""
    parameters = getattr(symbol.node, "parameters", ())
    defaults: dict[str, nodes.Expression | None] = {parameter.name.text: parameter.default for parameter in parameters}
    slots = tuple(ParameterSlot(name, type_, defaults.get(name)) for name, type_ in symbol.parameters)
    return CallTarget(
        ".".join(nodes.get_dotted_names(written, "this")),
        slots,
        module,
        (PARAMETER_SPACE, symbol.name),
        has_untyped_parameter=len(slots) != len(parameters),
    )


def _infer_record(node: nodes.Call, symbol: Symbol, module: LinkedModule, scope: Scope) -> Expression | None:
    shape = scope.environment.records.get(symbol.name)
    if shape is None:
        return None
    assert isinstance(symbol.node, declarations.Record)
    starts = {
        field.name.text: field.start for field in symbol.node.fields if isinstance(field, declarations.StoredField)
    }
    slots = tuple(ParameterSlot(part.name, part.type, starts.get(part.name)) for part in shape.parts)
    items = infer_arguments(
        node.arguments,
        CallTarget(
            ".".join(nodes.get_dotted_names(node.function, "this")), slots, module, (ATTRIBUTE_SPACE, symbol.name)
        ),
        node.span,
        scope,
    )
    return None if items is None else MakeRecord(type=RecordType(symbol.name), span=node.span, parts=items)


def _infer_derived_call(node: nodes.Call, target: Expression, name: Name, scope: Scope) -> Expression | None:
    owner = find_derived_function(target.type, name.text, scope)
    if owner is None:
        if read_attribute(target, name, scope) is not None:
            scope.report.error(
                "RW0314", name.span, f"`{name.text}` is an attribute and takes no arguments", subject=name.text
            )
        return None
    kind, _, called = owner.rpartition("/")
    scope.report.note_use(name.span, ATTRIBUTE_SPACE, kind, called)
    body = scope.environment.demand_function(owner)
    if body is None:
        return None
    slots = tuple(ParameterSlot(parameter.name, parameter.type) for parameter in body.parameters[1:])
    items = infer_arguments(
        node.arguments, CallTarget(name.text, slots, scope.module, (PARAMETER_SPACE, owner)), node.span, scope
    )
    if items is None:
        return None
    preconditions.check_call_preconditions(owner, (target, *items), node.span, scope)
    return CallFunction(type=body.type, span=node.span, function=owner, arguments=(target, *items))
