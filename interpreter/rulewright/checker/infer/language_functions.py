"""Functions of the language: of numbers, words and dice, of collections, of cells and what stands on them."""

from rulewright.base.diagnostics import Basis
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.infer.arithmetic import get_size_bounds
from rulewright.checker.infer.binders import (
    infer_collection_aggregate,
    infer_collection_and_item,
    infer_count_per_kind,
    list_board_kinds,
    list_occupant_set_types,
)
from rulewright.checker.infer.call_arguments import (
    CallRule,
    check_argument_count,
    infer_cell_arguments,
    infer_number_argument,
    make_builtin_call,
    report_unfit_argument,
    require_distinct_places,
    with_argument_count,
)
from rulewright.checker.infer.name_lookup import report_unknown_name, resolve_prefix_module
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.name_spaces import get_direction_grid
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import LinkedModule, Symbol, note_symbol
from rulewright.program import types as ty
from rulewright.program.expressions import Binding, Builtin, DieAttribute, Expression, Membership, Removed
from rulewright.program.types import Type
from rulewright.program.wording import describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes
from rulewright.syntax.nodes.expressions import Name


@with_argument_count(1)
def _infer_rounding(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    result = infer_number_argument(name, node.arguments[0].value, scope)
    if result is None:
        return None
    whole = isinstance(result.type, ty.NumberType)
    rounds = name in {"floor", "ceiling", "round"}
    return _narrow_builtin_type(
        make_builtin_call(name, node, result.type if whole is rounds else ty.WHOLE, result), scope
    )


def _narrow_builtin_type(built: Builtin, scope: Scope) -> Builtin:
    """The call with the bounds that its arguments alone give it."""
    if not isinstance(built.type, ty.NumberType):
        return built
    bounds = compute_number_range(type(scope.facts)(), built)
    return Builtin(type=ty.NumberType(*bounds), span=built.span, name=built.name, arguments=built.arguments)


def _infer_min_max(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if len(node.arguments) == 1:
        return _infer_collection_function(name, node, scope)
    if not node.arguments:
        check_argument_count(name, node, 2, scope)
        return None
    items = tuple(infer_number_argument(name, argument.value, scope) for argument in node.arguments)
    if None in items:
        return None
    whole = all(isinstance(item.type, ty.NumberType) for item in items)  # type: ignore[union-attr]
    return _narrow_builtin_type(make_builtin_call(name, node, ty.WHOLE if whole else ty.FractionType(), *items), scope)  # type: ignore[arg-type]


@with_argument_count(1)
def _infer_collection_function(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    written = node.arguments[0].value
    kinds = list_occupant_set_types(written, scope) if name == "count" else ()
    if kinds:
        return infer_count_per_kind(node.span, kinds, lambda kind: _infer_combined_members(name, node, scope, kind))
    return _infer_combined_members(name, node, scope, None)


def _infer_combined_members(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    source = scope.infer(node.arguments[0].value, expected)
    return source and infer_collection_aggregate(name, source, node.span, scope)


def infer_along(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`along(word, steps)`, whose word may be of the expected list."""
    if not check_argument_count("along", node, 2, scope):
        return None
    word = scope.infer(node.arguments[0].value, expected)
    steps = infer_number_argument("along", node.arguments[1].value, scope)
    if word is None or steps is None:
        return None
    if not isinstance(word.type, ty.WordType):
        report_unfit_argument(word, "`along` needs a word of a list", scope)
        return None
    whole = fit_expression(steps, ty.WHOLE, scope, "the second argument of `along`")
    return whole and make_builtin_call("along", node, word.type, word, whole)


@with_argument_count(1)
def _infer_total(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    dice = scope.infer(node.arguments[0].value)
    if dice is None:
        return None
    match dice.type:
        case ty.PoolType(ty.NumberType(low, high)):
            least = 0 if low is not None and low >= 0 else None
            most = 0 if high is not None and high <= 0 else None
            return make_builtin_call(name, node, ty.NumberType(least, most), dice)
        case ty.DieType(ty.NumberType() as face):
            return DieAttribute(target=dice, name="natural", type=face, span=node.span)
        case _:
            report_unfit_argument(dice, "`total` needs dice with numbers", scope)
            return None


@with_argument_count(1)
def _infer_highest_face(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    die = scope.infer(node.arguments[0].value)
    if die is None:
        return None
    if isinstance(die.type, ty.DieType | ty.PoolType) and isinstance(die.type.face, ty.NumberType):
        return make_builtin_call(name, node, die.type.face, die)
    report_unfit_argument(die, "`highest_face` needs a die with numbers", scope)
    return None


def _report_die_as_value(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    remedy = "roll it, and use the name of the roll: `roll 2 of die(n) as NAME`"
    message = f"`{name}(…)` names what is rolled, and has no value by itself"
    scope.report.error("RW0250", node.span, message, help=remedy)
    return None


_SORT_KEY_REMEDY = "write what to sort by: `sorted([each x in …: …])`"


@with_argument_count(2)
def _infer_other(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    item, among = scope.infer(node.arguments[0].value), infer_collection_and_item(node.arguments[1].value, scope)
    one = item and among and fit_expression(item, among[1], scope, "the first argument of `other`")
    if among is None or one is None:
        return None
    _check_set_of_two(one, among[0], node.span, scope)
    return make_builtin_call(name, node, among[1], one, among[0])


def _check_set_of_two(item: Expression, source: Expression, span: Span, scope: Scope) -> None:
    """Warns where a set may not have two members, or the given one may not be among them."""
    low, high = get_size_bounds(Binding((None,), source, None), span, scope)
    there = prove_condition(
        scope.facts, Membership(type=ty.FLAG, span=span, item=item, collection=source, negated=False)
    )
    if there is Proof.REFUTED or (high is not None and high < 2) or (low is not None and low > 2):  # noqa: PLR2004 - two members
        message = f"`other` needs a set of two with `{render_brief_expression(item)}` in it, and this never is one"
        scope.report.proved_error("RW0407", span, message)
    elif there is not Proof.PROVED or low != 2 or high != 2:  # noqa: PLR2004 - two members
        scope.report.warning(
            "RW0407",
            span,
            f"this may not be a set of two with `{render_brief_expression(item)}` in it",
            notes=("If it is not, the run stops here.",),
            help=f"check `{render_brief_expression(item)} in …` first, and that the two are not the same",
        )


@with_argument_count(2)
def _infer_pairs(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    items = [infer_collection_and_item(argument.value, scope) for argument in node.arguments]
    pairs = [each for each in items if each is not None]
    if len(pairs) < len(items):
        return None
    return make_builtin_call(
        name, node, ty.SetType(ty.TupleType(tuple(item for _, item in pairs))), *(each for each, _ in pairs)
    )


@with_argument_count(2)
def _infer_position(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = infer_collection_and_item(node.arguments[1].value, scope)
    item = listed and infer_fitted(node.arguments[0].value, listed[1], scope, f"the first argument of `{name}`")
    if listed is None or item is None:
        return None
    source = listed[0]
    if not isinstance(source.type, ty.ListType):
        report_unfit_argument(source, "`position` needs a list", scope)
        return None
    there = Membership(type=ty.FLAG, span=node.span, item=item, collection=source, negated=False)
    member, within = render_brief_expression(item), render_brief_expression(source)
    messages = (
        f"`{member}` may not be in `{within}`, and then it has no position",
        f"`{member}` is not in `{within}`, so it has no position",
        preconditions.format_guard_remedy(f"{member} in {within}"),
    )
    preconditions.require_condition("RW0418", there, node.span, messages, scope)
    return make_builtin_call(name, node, ty.NumberType(1, _count_max_directions(source)), item, source)


def _count_max_directions(listed: Expression) -> int | None:
    match listed:
        case Builtin(name="starting_with", arguments=(source, _)):
            match source.type:
                case ty.SetType(item=ty.DirectionType() as direction):
                    return direction.count
                case _:
                    return None
        case _:
            return None


@with_argument_count(2)
def _infer_starting_with(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = infer_collection_and_item(node.arguments[0].value, scope)
    item = listed and infer_fitted(node.arguments[1].value, listed[1], scope, f"the second argument of `{name}`")
    return (
        make_builtin_call(name, node, ty.ListType(listed[1]), listed[0], item) if listed is not None and item else None
    )


@with_argument_count(1)
def _infer_sorted(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = infer_collection_and_item(node.arguments[0].value, scope)
    if listed is None:
        return None
    source, item = listed
    if not isinstance(item, ty.NumberType | ty.FractionType | ty.WordType):
        message = f"`sorted` needs numbers or words, and each of these is {describe_type(item)}"
        scope.report.error("RW0317", source.span, message, help=_SORT_KEY_REMEDY)
        return None
    return make_builtin_call(name, node, ty.ListType(item), source)


@with_argument_count(2)
def _infer_connected(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    begins, written = (argument.value for argument in node.arguments)
    symbol = _find_named_relation(written, scope)
    if symbol is None:
        swapped = _find_named_relation(begins, scope)
        remedy = f"write it last: `connected(…, {swapped.name})`" if swapped else ""
        scope.report.error(
            "RW0317", written.span, "`connected` needs the name of a relation", help=remedy, basis=Basis.NAMES
        )
        return None
    start = scope.infer(begins)
    first = (
        start
        and symbol.parameters
        and fit_expression(start, symbol.parameters[0][1], scope, "the start of `connected`")
    )
    if not first:
        return None
    return Builtin(type=ty.SetType(first.type), span=node.span, name=name, arguments=(first,), relation=symbol.name)


def _find_named_relation(written: nodes.Expression, scope: Scope) -> Symbol | None:
    module, called = _resolve_named_declaration(written, scope)
    symbol = module.callables.get(called.text)
    if symbol is None or symbol.sort != "relation":
        return None
    note_symbol(called.span, symbol, scope.report)
    return symbol


@with_argument_count(1)
def _infer_removed(_: str, node: nodes.Call, scope: Scope) -> Expression | None:
    written = node.arguments[0].value
    module, called = _resolve_named_declaration(written, scope)
    symbol = module.names.get(called.text)
    if symbol is None and isinstance(written, nodes.Reference) and written.name not in scope.locals:
        report_unknown_name(written, scope)
        return None
    if symbol is None or symbol.sort != "plural":
        scope.report.error(
            "RW0317", written.span, "`removed` needs the plural of a kind, as in `removed(units)`", basis=Basis.NAMES
        )
        return None
    note_symbol(called.span, symbol, scope.report)
    return Removed(type=ty.SetType(ty.ThingType(symbol.name)), span=node.span, kind=symbol.name)


def _resolve_named_declaration(written: nodes.Expression, scope: Scope) -> tuple[LinkedModule, Name]:
    match written:
        case nodes.Reference(name=text):
            return scope.module, Name(text, written.span)
        case nodes.Attribute(target=target, name=part):
            module = resolve_prefix_module(target, scope)
            return (module, part) if module else (scope.module, Name("", written.span))
    return scope.module, Name("", written.span)


def _infer_cell_function(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    items = infer_cell_arguments(node, 1 if name == "neighbours" else 2, scope)
    if items is None:
        return None
    cell = items[0].type
    assert isinstance(cell, ty.CellType)
    if any(item.type != cell for item in items):
        scope.report.error("RW0309", node.span, f"`{name}` takes cells of one board")
        return None
    types: dict[str, Type] = {
        "neighbours": ty.SetType(cell),
        "distance": ty.COUNT,
        "adjacent": ty.FLAG,
        "direction": ty.DirectionType(cell.space),
    }
    if name == "direction":
        require_distinct_places(items[0], items[1], node.span, scope)
    return make_builtin_call(name, node, types[name], *items)


@with_argument_count(0)
def _infer_directions(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    return make_builtin_call(name, node, ty.SetType(ty.DirectionType(get_direction_grid(scope.linked))))


@with_argument_count(2)
def _infer_directed_function(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    written = nodes.Call(node.function, node.arguments[:1], node.span)
    items = infer_cell_arguments(written, 1, scope)
    if items is None:
        return None
    cell = items[0].type
    assert isinstance(cell, ty.CellType)
    written_way = scope.infer(node.arguments[1].value)
    heading = written_way and fit_expression(
        written_way, ty.DirectionType(cell.space), scope, f"the second argument of `{name}`"
    )
    return heading and make_builtin_call(name, node, cell if name == "step" else ty.SetType(cell), items[0], heading)


def infer_occupants(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`occupants(cell)`: things of the only kind that stands on the board, or of the expected kind."""
    items = infer_cell_arguments(node, 1, scope)
    if items is None:
        return None
    kinds = list_board_kinds(items[0].type, scope)
    wished = [kind for kind in kinds if expected == ty.SetType(ty.ThingType(kind))] or kinds
    if len(wished) == 1:
        return make_builtin_call("occupants", node, ty.SetType(ty.ThingType(wished[0])), *items)
    if kinds:
        listed = " or ".join(f"`{kind}`" for kind in kinds)
        plural = scope.environment.kinds[kinds[0]].plural
        remedy = f"write `{{each x in {plural} where x.at = …}}`"
        remedy += "; `some`, `no`, `every`, `count` take things of all kinds"
        scope.report.error("RW0311", node.span, f"the kind is not clear here: it may be {listed}", help=remedy)
    elif not any(failed.endswith("/at") for failed in scope.environment.failed_declarations):
        message = "no kind has an `at` on this board, so it has no occupants"
        scope.report.error("RW0317", node.span, message, missing="a kind with a place")
    return None


@with_argument_count(2)
def _infer_coordinates(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    items = [infer_fitted(argument.value, ty.WHOLE, scope, f"a coordinate of `{name}`") for argument in node.arguments]
    return None if None in items else make_builtin_call(name, node, ty.CellType(name), *items)  # type: ignore[arg-type]


def _report_side_as_value(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    message = "a side is not a value by itself"
    scope.report.error("RW0305", node.span, message, help=f"read one of its attributes: `{name}(a, b).wall`")
    return None


NON_PLANE_FUNCTIONS: dict[str, CallRule] = {
    **dict.fromkeys(("abs", "floor", "ceiling", "round"), _infer_rounding),
    **dict.fromkeys(("min", "max"), _infer_min_max),
    **dict.fromkeys(("sum", "count"), _infer_collection_function),
    "total": _infer_total,
    "highest_face": _infer_highest_face,
    "die": _report_die_as_value,
    "other": _infer_other,
    "pairs": _infer_pairs,
    "position": _infer_position,
    "sorted": _infer_sorted,
    "starting_with": _infer_starting_with,
    "connected": _infer_connected,
    "removed": _infer_removed,
    "along": lambda _, node, scope: infer_along(node, scope, None),
    **dict.fromkeys(("neighbours", "distance", "adjacent", "direction"), _infer_cell_function),
    "directions": _infer_directions,
    **dict.fromkeys(("step", "rear_hexes"), _infer_directed_function),
    "side": _report_side_as_value,
    **dict.fromkeys(ty.GRID_STEPS, _infer_coordinates),
    "occupants": lambda _, node, scope: infer_occupants(node, scope, None),
}
"""Typing rules of the functions of the language, those of the plane aside."""
