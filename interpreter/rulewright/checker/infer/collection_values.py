"""Collection literals, entries of maps and lists, and tuples."""

from rulewright.base.diagnostics import Edit, Remedy
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.facts.fact_store import is_whole_kind_inside, make_key
from rulewright.checker.infer.name_lookup import is_visible_name
from rulewright.checker.infer.type_fitting import find_common_type_of_all, infer_fitted, is_undecided_type
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import make_answered_condition, make_size_expression
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import Type
from rulewright.program.wording import describe_expression, describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes


def infer_decided_value(node: nodes.Expression, scope: Scope) -> Expression | None:
    """An expression that nothing else types, as after `let x =`; reports `none`, `{}` and `[]` alone (RW0311)."""
    result = scope.infer(node)
    if result is None or not is_undecided_type(result.type):
        return result
    whose = next(iter(scope.environment.kinds), "Unit")
    empty = {ty.ListType: f"list of {whose} = []", ty.SetType: f"set of {whose} = {{}}"}
    shown = empty.get(type(result.type), f"{whose}? = none")
    remedy = f"declare it, as in `let x: {shown}`"
    scope.report.error("RW0311", result.span, "the type of this value is not clear", help=remedy)
    return None


def needs_expected_type(node: nodes.Expression, scope: Scope) -> bool:
    """Whether a node has no type of its own: a bare word, `none`, or a collection of nothing else."""
    match node:
        case nodes.Reference(name=name):
            return name in scope.module.words and not is_visible_name(name, scope)
        case nodes.NoneValue():
            return True
        case nodes.Collection(items=items) | nodes.Group(items=items):
            return all(needs_expected_type(item, scope) for item in items)
        case nodes.IfValue(then=then, otherwise=otherwise):
            return needs_expected_type(then, scope) or needs_expected_type(otherwise, scope)
        case _:
            return False


def infer_collection(node: nodes.Collection, scope: Scope, expected: Type | None) -> Expression | None:
    """Collection literal with the narrowest type for all members."""
    items = _infer_items(node, scope, _get_expected_item(expected))
    if items is None:
        return None
    item = find_common_type_of_all([each.type for each in items])
    if item is None:
        message = "the members are not of one sort: " + ", ".join(
            dict.fromkeys(describe_type(each.type) for each in items)
        )
        scope.report.error("RW0325", node.span, message)
        return None
    if isinstance(item, ty.EmptyType):
        item = _get_expected_item(expected) or item
    type_: Type = ty.SetType(item) if node.word == "set" else ty.ListType(item)
    return ex.MakeCollection(type=type_, span=node.span, items=items)


def _get_expected_item(expected: Type | None) -> Type | None:
    match expected:
        case ty.OptionalType(inner):
            return _get_expected_item(inner)
        case ty.MapType(value=wished):
            return _get_expected_item(wished)
        case None:
            return None
        case _:
            return ty.get_member_type(expected)


def _infer_items(node: nodes.Collection, scope: Scope, wished: Type | None) -> tuple[Expression, ...] | None:
    mapping: dict[int, Expression | None] = {}
    for place, item in sorted(enumerate(node.items), key=lambda pair: needs_expected_type(pair[1], scope)):
        member = scope.infer(item, wished)
        if member is None and wished is None and needs_expected_type(item, scope):
            return None
        mapping[place] = member
        wished = wished or (member.type if member is not None else None)
    items = tuple(mapping[place] for place in range(len(node.items)))
    return None if None in items else items  # type: ignore[return-value]


def infer_group(node: nodes.Group, scope: Scope, expected: Type | None) -> Expression | None:
    """Tuple `(a, b)`; each part is typed with the expected part."""
    wished = expected and ty.strip_optional(expected)
    hopes: tuple[Type | None, ...] = wished.parts if isinstance(wished, ty.TupleType) else ()
    if len(hopes) != len(node.items):
        hopes = (None,) * len(node.items)
    parts = tuple(scope.infer(item, hope) for item, hope in zip(node.items, hopes, strict=True))
    if None in parts:
        return None
    types = tuple(part.type for part in parts)  # type: ignore[union-attr]
    return ex.MakeTuple(type=ty.TupleType(types), span=node.span, parts=parts)  # type: ignore[arg-type]


def infer_entry(node: nodes.Index, scope: Scope) -> Expression | None:
    """`blows[w, t]` of a map, `members[1]` of a list, `pair[1]` of a tuple."""
    target = scope.infer(node.target)
    if target is None:
        return None
    if isinstance(target.type, ty.TupleType):
        return _infer_tuple_part(target, target.type.parts, node, scope)
    wanted = get_entry_key_type(target.type)
    if wanted is None:
        message = f"only maps and lists have entries, and {describe_expression(target)}"
        remedy = _suggest_own_answer(target, node, scope) or Remedy(_suggest_order(target))
        scope.report.error("RW0320", node.span, message, remedy=remedy)
        return None
    written = node.keys[0] if len(node.keys) == 1 else nodes.Group(node.keys, node.span)
    result = infer_fitted(written, wanted, scope, "the key")
    if result is None:
        return None
    assert isinstance(target.type, ty.MapType | ty.ListType | ty.DeckType)
    if isinstance(target.type, ty.ListType):
        _check_list_position(target, result, node.span, scope)
    if isinstance(target, ex.Local) and target.variable.index in scope.variables.answer_indices:
        _check_was_asked(target, result, node.span, scope)
    value_type = target.type.value if isinstance(target.type, ty.MapType) else target.type.item
    return ex.Entry(type=value_type, span=node.span, target=target, key=result)


def _infer_tuple_part(
    target: Expression, types: tuple[Type, ...], node: nodes.Index, scope: Scope
) -> Expression | None:
    match node.keys:
        case (nodes.WholeNumber(value=number),) if 1 <= number <= len(types):
            part_type = types[number - 1]
            return ex.Part(type=part_type, span=node.span, target=target, name=str(number), position=number - 1)
    text = render_brief_expression(target)
    message = f"the parts of `{text}` are read by the numbers 1 to {len(types)}, as written in the rules"
    scope.report.error("RW0320", node.span, message, help=f"write `{text}[1]` or `{text}[{len(types)}]`")
    return None


def _suggest_own_answer(target: Expression, node: nodes.Index, scope: Scope) -> Remedy | None:
    """`sent[p]` in a row of `ask all players as p`, where `sent` is the answer of that player."""
    match target, node.keys:
        case ex.Local(), (nodes.Reference(name=name),) if (
            name in scope.locals and scope.locals[name].index in scope.variables.asked_indices
        ):
            text = render_brief_expression(target)
            remedy = f"write `{text}`: in these rows it is the answer of `{name}` alone"
            return Remedy(remedy, (Edit(node.span, text, safe=True),))
        case _:
            return None


def _suggest_order(target: Expression) -> str:
    match target.type:
        case ty.PoolType():
            return f"`sorted([each d in {render_brief_expression(target)}: d.natural])` puts them in order, the highest first"
        case ty.SetType():
            return "`rank each x in … as ranked:` puts them in order; `ask player for x in …` leaves it to a player"
        case _:
            return ""


def _check_list_position(target: Expression, position: Expression, span: Span, scope: Scope) -> None:
    size = make_size_expression(Binding((None,), target, None), span)
    one = ex.Literal(type=ty.NumberType(1, 1), span=span, value=1)
    from_one = ex.Comparison(type=ty.FLAG, span=span, operator=">=", left=position, right=one)
    in_list = ex.Comparison(type=ty.FLAG, span=span, operator="<=", left=position, right=size)
    text, at = render_brief_expression(target), render_brief_expression(position)
    low = "" if isinstance(position, ex.Literal) else f"{at} >= 1 and "
    guard = f"{low}{at} <= count({text})"
    if _is_last_position(position, target):
        at, guard = f"count({text})", f"some x in {text}"
    messages = (
        f"`{text}` may have no member at position `{at}`",
        f"`{text}` never has a member at position `{at}`",
        preconditions.format_guard_remedy(guard),
    )
    for condition in (from_one, in_list):
        preconditions.require_condition("RW0418", condition, span, messages, scope)


def _is_last_position(position: Expression, target: Expression) -> bool:
    match position:
        case ex.Aggregate(word="count", binding=Binding(source=source, where=None)):
            return make_key(source) == make_key(target)
        case _:
            return False


def _check_was_asked(answers: Expression, player: Expression, span: Span, scope: Scope) -> None:
    if is_whole_kind_inside(scope.facts, player, answers):
        return
    text, who = render_brief_expression(answers), render_brief_expression(player)
    messages = (
        f"`{text}` may have no answer of `{who}`, who may not have been asked",
        f"`{text}` has no answer of `{who}`, who was not asked",
        f"ask first, in an `if` or with `and`: `{who} in {text}`",
    )
    preconditions.require_condition("RW0402", make_answered_condition(player, answers), span, messages, scope)


def get_entry_key_type(type_: Type) -> Type | None:
    """Type of the key in brackets: the key of a map, a position from 1 in a list; else None."""
    match type_:
        case ty.MapType(key):
            return key
        case ty.ListType():
            return ty.WHOLE
        case _:
            return None
