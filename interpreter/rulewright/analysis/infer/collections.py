"""Collections as literals, entries, and tuples."""

from rulewright.analysis import promises
from rulewright.analysis.facts.knowledge import all_inside
from rulewright.analysis.infer.lookup import is_visible, known
from rulewright.analysis.infer.slots import common_of, fitted, undecided
from rulewright.analysis.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import answered, size_of
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import Type
from rulewright.program.wording import is_a, sort_in_words, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def value(node: nodes.Expression, scope: Scope) -> Expression | None:
    """An expression whose type nothing else decides, as after `let x =`; reports `none`, `{}` and `[]` alone."""
    found = scope.infer(node)
    if found is None or not undecided(found.type):
        return found
    whose = next(iter(scope.shapes.kinds), "Unit")
    empty = {ty.ListType: f"list of {whose} = []", ty.SetType: f"set of {whose} = {{}}"}
    shown = empty.get(type(found.type), f"{whose}? = none")
    remedy = f"declare it, as in `let x: {shown}`"
    scope.report.error("RW0311", found.span, "the type of this value is not clear", help=remedy)
    return None


def is_bare(node: nodes.Expression, scope: Scope) -> bool:
    """Whether the other side has to say what it means: a bare word, `none`, or a collection of nothing else."""
    match node:
        case nodes.Reference(name=name):
            return name in scope.module.words and not is_visible(name, scope)
        case nodes.NoneValue():
            return True
        case nodes.Collection(items=items) | nodes.Group(items=items):
            return all(is_bare(each, scope) for each in items)
        case nodes.IfValue(then=then, otherwise=otherwise):
            return is_bare(then, scope) or is_bare(otherwise, scope)
        case _:
            return False


def collection(node: nodes.Collection, scope: Scope, expected: Type | None) -> Expression | None:
    """`{a, b}` or `[a, b]`, with the narrowest type for all."""
    items = _items(node, scope, _wished_item(expected))
    if items is None:
        return None
    item = common_of([each.type for each in items])
    if item is None:
        message = "the members are not of one sort: " + ", ".join(
            dict.fromkeys(sort_in_words(each.type) for each in items)
        )
        scope.report.error("RW0325", node.span, message)
        return None
    if isinstance(item, ty.EmptyType):
        item = _wished_item(expected) or item
    type_: Type = ty.SetType(item) if node.word == "set" else ty.ListType(item)
    return ex.MakeCollection(type=type_, span=node.span, items=items)


def _wished_item(expected: Type | None) -> Type | None:
    match expected:
        case ty.OptionalType(inner):
            return _wished_item(inner)
        case ty.MapType(value=wished):
            return _wished_item(wished)
        case None:
            return None
        case _:
            return ty.member_type(expected)


def _items(node: nodes.Collection, scope: Scope, wished: Type | None) -> tuple[Expression, ...] | None:
    found: dict[int, Expression | None] = {}
    for place, each in sorted(enumerate(node.items), key=lambda pair: is_bare(pair[1], scope)):
        member = scope.infer(each, wished)
        if member is None and wished is None and is_bare(each, scope):
            return None
        found[place] = member
        wished = wished or (member.type if member is not None else None)
    items = tuple(found[place] for place in range(len(node.items)))
    return None if None in items else items  # type: ignore[return-value]


def group(node: nodes.Group, scope: Scope, expected: Type | None) -> Expression | None:
    """Several values in brackets, `(a, b)`; each part is typed by that of the expected tuple."""
    wished = expected and ty.present(expected)
    hopes: tuple[Type | None, ...] = wished.parts if isinstance(wished, ty.TupleType) else ()
    if len(hopes) != len(node.items):
        hopes = (None,) * len(node.items)
    parts = tuple(scope.infer(item, hope) for item, hope in zip(node.items, hopes, strict=True))
    if None in parts:
        return None
    types = tuple(each.type for each in parts)  # type: ignore[union-attr]
    return ex.MakeTuple(type=ty.TupleType(types), span=node.span, parts=parts)  # type: ignore[arg-type]


def entry(node: nodes.Index, scope: Scope) -> Expression | None:
    """`blows[w, t]` of a map, `members[1]` of a list, `pair[1]` of a tuple."""
    target = scope.infer(node.target)
    if target is None:
        return None
    if isinstance(target.type, ty.TupleType):
        return _part(target, target.type.parts, node, scope)
    wanted = key_type(target.type)
    if wanted is None:
        message = f"only maps and lists have entries, and {is_a(target)}"
        scope.report.error("RW0320", node.span, message, help=_ordered(target))
        return None
    written = node.keys[0] if len(node.keys) == 1 else nodes.Group(node.keys, node.span)
    found = fitted(written, wanted, scope, "the key")
    if found is None:
        return None
    assert isinstance(target.type, ty.MapType | ty.ListType | ty.DeckType)
    if isinstance(target.type, ty.ListType):
        _numbered(target, found, node.span, scope)
    if isinstance(target, ex.Local) and target.variable.index in scope.variables.answers:
        _given(target, found, node.span, scope)
    held = target.type.value if isinstance(target.type, ty.MapType) else target.type.item
    return known(ex.Entry(type=held, span=node.span, target=target, key=found), scope)


def _part(target: Expression, types: tuple[Type, ...], node: nodes.Index, scope: Scope) -> Expression | None:
    """A part of a tuple, by a number that is written, for each may be of another type."""
    match node.keys:
        case (nodes.WholeNumber(value=number),) if 1 <= number <= len(types):
            held = types[number - 1]
            part = ex.Part(type=held, span=node.span, target=target, name=str(number), position=number - 1)
            return known(part, scope)
    text = wording(target)
    message = f"the parts of `{text}` are read by the numbers 1 to {len(types)}, as written in the rules"
    scope.report.error("RW0320", node.span, message, help=f"write `{text}[1]` or `{text}[{len(types)}]`")
    return None


def _ordered(target: Expression) -> str:
    """How members that stand in no order are put in one."""
    match target.type:
        case ty.PoolType():
            return f"`sorted([each d in {wording(target)}: d.natural])` puts them in order, the highest first"
        case ty.SetType():
            return "`rank each x in … as ranked:` puts them in order; `ask player for x in …` leaves it to a player"
        case _:
            return ""


def _numbered(target: Expression, position: Expression, span: Span, scope: Scope) -> None:
    """Warns where a list may have no member at a position (RW0418)."""
    size = size_of(Binding((None,), target, None), span)
    one = ex.Literal(type=ty.NumberType(1, 1), span=span, value=1)
    from_one = ex.Comparison(type=ty.FLAG, span=span, operator=">=", left=position, right=one)
    in_list = ex.Comparison(type=ty.FLAG, span=span, operator="<=", left=position, right=size)
    text, at = wording(target), wording(position)
    low = "" if isinstance(position, ex.Literal) else f"{at} >= 1 and "
    said = (
        f"`{text}` may have no member at position `{at}`",
        f"`{text}` never has a member at position `{at}`",
        promises.asked_first(f"{low}{at} <= count({text})"),
    )
    for condition in (from_one, in_list):
        promises.need(promises.holding("RW0418", condition, span, said), scope)


def _given(answers: Expression, player: Expression, span: Span, scope: Scope) -> None:
    """Warns where the answer of a player is read who may not have been asked (RW0402)."""
    if all_inside(scope.facts, player, answers):
        return
    text, who = wording(answers), wording(player)
    said = (
        f"`{text}` may have no answer of `{who}`, who may not have been asked",
        f"`{text}` has no answer of `{who}`, who was not asked",
        f"ask first, in an `if` or with `and`: `{who} in {text}`",
    )
    promises.need(promises.holding("RW0402", answered(player, answers), span, said), scope)


def key_type(type_: Type) -> Type | None:
    """What stands in the brackets after a map (its key) or a list (a position from 1)."""
    match type_:
        case ty.MapType(key):
            return key
        case ty.ListType():
            return ty.WHOLE
        case _:
            return None
