"""What stands after `each`, `some`, `no`, `every` and `the`, of one kind of things or of several."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from rulewright.analysis.facts import Proof
from rulewright.analysis.facts.assignments import member
from rulewright.analysis.facts.prove import prove_as_said
from rulewright.analysis.infer.arithmetic import narrowest, needs_number, size
from rulewright.analysis.infer.conditions import constant, flag
from rulewright.analysis.infer.lookup import as_code, hides
from rulewright.analysis.infer.plane_functions import is_poses, poses
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.remedies import Remedy, wrapped, written
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import size_of
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import Type
from rulewright.program.wording import is_a, sort_in_words, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def bind(node: nodes.Binder, scope: Scope, expected: Type | None = None) -> tuple[Binding, Scope] | None:
    """The binding and the scope inside, where its names are seen and its `where` is known."""
    return _bound(node, scope.infer(node.source, expected), scope)


def _bound(node: nodes.Binder, source: Expression | None, scope: Scope) -> tuple[Binding, Scope] | None:
    item = None if source is None else item_of(source, scope)
    if source is None or item is None:
        return None
    variables = _variables(node, item, scope)
    if variables is None:
        return None
    inner = scope.binding(*(each for each in variables if each is not None))
    inner = inner.knowing(member(inner.facts, Binding(variables, source, None)))
    where = flag(node.where, inner, "`where`") if node.where is not None else None
    if where is not None and prove_as_said(inner.facts, where) is Proof.REFUTED:
        constant(where, inner)
    if node.where is not None and where is None:
        return None
    binding = Binding(variables, source, where)
    return binding, inner.knowing(member(inner.facts, binding))


def item_of(source: Expression, scope: Scope) -> Type | None:
    """The type of the members of a collection; reports what is none."""
    if isinstance(source.type, ty.OptionalType):
        scope.report.error(
            "RW0403",
            source.span,
            f"`{wording(source)}` may be `none` here",
            help=f"ask `{wording(source)} != none` first",
        )
        return None
    item = ty.member_type(source.type)
    if item is None:
        message = f"{is_a(source)}, not a collection"
        remedy = Remedy()
        if isinstance(source.type, ty.ThingType):
            remedy = Remedy(f"for one thing, write `{{{wording(source)}}}`")
        elif isinstance(source.type, ty.NumberType):
            remedy = Remedy(f"for so many times, write `1..{wording(source)}`", wrapped("1..", source.span, ""))
        scope.report.error("RW0318", source.span, message, remedy=remedy)
    return item


def gathered(node: nodes.Expression, scope: Scope) -> tuple[Expression, Type] | None:
    """A collection with the type of its members."""
    source = scope.infer(node)
    held = item_of(source, scope) if source is not None else None
    return (source, held) if source is not None and held is not None else None


def _variables(node: nodes.Binder, item: Type, scope: Scope) -> tuple[Variable | None, ...] | None:
    types = _part_types(node, item, scope)
    if types is None or any([hides(name, scope) for name in node.names]):  # noqa: C419 - every one is reported
        return None
    named = zip(node.names, types, strict=True)
    return tuple(None if name.text == "_" else scope.variables.new(name.text, type_) for name, type_ in named)


def _part_types(node: nodes.Binder, item: Type, scope: Scope) -> tuple[Type, ...] | None:
    if len(node.names) == 1:
        return (item,)
    if isinstance(item, ty.TupleType) and len(item.parts) == len(node.names):
        return item.parts
    held = len(item.parts) if isinstance(item, ty.TupleType) else 1
    span = node.names[0].span.to(node.names[-1].span)
    message = f"{len(node.names)} names for members that have {held} part{'' if held == 1 else 's'}"
    scope.report.error("RW0319", span, message, help=f"each member is {sort_in_words(item)}")
    return None


def members(binding: Binding, span: Span) -> Expression:
    """The member a binding stands at, as a value: its name, or a tuple of them."""
    parts = tuple(ex.Local(type=each.type, span=span, variable=each) for each in binding.variables if each is not None)
    if len(parts) == 1:
        return parts[0]
    return ex.MakeTuple(type=ty.TupleType(tuple(each.type for each in parts)), span=span, parts=parts)


def _whole_member(node: nodes.Binder, binding: Binding, scope: Scope) -> Expression | None:
    if None not in binding.variables:
        return members(binding, node.span)
    scope.report.error("RW0319", node.span, "the members are the value here, so each part needs a name, not `_`")
    return None


def quantified(node: nodes.Quantified, scope: Scope) -> Expression | None:
    """`some`, `no`, `every` and `the`."""
    kinds = kinds_of_occupants(node.binder.source, scope) if node.word != "the" else ()
    if kinds:
        return _of_each_kind(node, kinds, lambda kind: _quantified(node, scope, kind))
    return _quantified(node, scope, None)


def _quantified(node: nodes.Quantified, scope: Scope, expected: Type | None) -> Expression | None:
    searched = node.word in {"some", "no"} and is_poses(node.binder.source)
    written = node.binder.source
    source = poses(written, scope) if searched else scope.infer(written, expected)
    bound = _bound(node.binder, source, scope)
    if bound is None:
        return None
    binding, inner = bound
    if node.word == "the":
        return _the(node, binding, scope)
    body = flag(node.body, inner, "what follows `every … :`") if node.body is not None else None
    if body is None and node.body is not None:
        return None
    return ex.Quantifier(type=ty.FLAG, span=node.span, word=node.word, binding=binding, body=body)


def _the(node: nodes.Quantified, binding: Binding, scope: Scope) -> Expression | None:
    member_ = _whole_member(node.binder, binding, scope)
    if member_ is None:
        return None
    low, high = size(binding, node.span, scope)
    if (high is not None and high < 1) or (low is not None and low > 1):
        scope.report.error("RW0405", node.span, "`the` never finds exactly one member here")
        return None
    if not low == high == 1:
        message = "`the` may not find exactly one member here"
        notes = ("No line above makes sure of exactly one; without it the run stops here.",)
        remedy = "check `count(…) = 1` first, in an `if`, a `when` or a `require`"
        scope.report.warning("RW0405", node.span, message, notes=notes, help=remedy)
    return ex.TheOnly(type=member_.type, span=node.span, binding=binding)


def comprehension(node: nodes.Comprehension, scope: Scope, expected: Type | None) -> Expression | None:
    """`{each x in S where C: value}`, `[each …]`."""
    bound = bind(node.binder, scope)
    if bound is None:
        return None
    binding, inner = bound
    if node.value is None:
        made = _whole_member(node.binder, binding, scope)
    else:
        wished = ty.member_type(expected) if expected is not None else None
        made = inner.infer(node.value, wished)
    if made is None:
        return None
    item = narrowest(made, inner)
    type_: Type = ty.SetType(item) if node.word == "set" else ty.ListType(item)
    return ex.Comprehension(type=type_, span=node.span, binding=binding, value=made)


ENDS = {"highest": "max", "best": "max", "lowest": "min", "worst": "min"}
"""Functions as others call them."""


def aggregate(node: nodes.Aggregate, scope: Scope) -> Expression | None:
    """`count(each …)`, `sum`, `min` and `max` of members."""
    word = node.function.name if isinstance(node.function, nodes.Reference) else ""
    if word not in {"count", "sum", "min", "max"}:
        meant_ = ENDS.get(word)
        remedy = written(meant_, node.function.span) if meant_ else Remedy("put it in `{…}`")
        message = "only `count`, `sum`, `min` and `max` take `each`"
        scope.report.error("RW0314", node.function.span, message, remedy=remedy)
        return None
    kinds = kinds_of_occupants(node.binder.source, scope) if word == "count" else ()
    if kinds:
        return counted_of_each_kind(node.span, kinds, lambda kind: _aggregate(node, word, scope, kind))
    return _aggregate(node, word, scope, None)


def _aggregate(node: nodes.Aggregate, word: str, scope: Scope, expected: Type | None) -> Expression | None:
    bound = bind(node.binder, scope, expected)
    if bound is None:
        return None
    binding, inner = bound
    if word == "count" and node.value is not None:
        scope.report.error("RW0316", node.value.span, "`count` counts members and takes no value after `:`")
        return None
    if word == "count":
        return size_of(binding, node.span)
    added = _whole_member(node.binder, binding, scope) if node.value is None else inner.infer(node.value)
    return added and combined(word, binding, (added, narrowest(added, inner)), node.span, scope)


def over_collection(word: str, source: Expression, span: Span, scope: Scope) -> Expression | None:
    """`count(units)`, `sum(numbers)`, `max(numbers)`: the members themselves are counted or combined."""
    item = item_of(source, scope)
    if item is None:
        return None
    if word == "count":
        return size_of(Binding((None,), source, None), span)
    if not isinstance(ty.present(item), ty.NumberType | ty.FractionType | ty.LengthType):
        _numbers_of(word, source, item, scope)
        return None
    variable = scope.variables.new("_", item)
    made = ex.Local(type=item, span=source.span, variable=variable)
    return combined(word, Binding((variable,), source, None), (made, item), span, scope)


def _numbers_of(word: str, source: Expression, item: Type, scope: Scope) -> None:
    """Reports members that are no numbers, with how a number of each is combined."""
    members = as_code(source, scope)
    match source.type, item:
        case ty.MapType(), _:
            each = f"each x in {members}: {members}[x]"
        case _, ty.DieType():
            each = f"each d in {members}: d.natural"
        case _:
            each = f"each x in {members}: x.…"
    message = f"`{word}` needs numbers, and a member of `{members}` is {sort_in_words(item)}"
    scope.report.error("RW0308", source.span, message, help=f"write `{word}({each})`")


def combined(
    word: str, binding: Binding, added: tuple[Expression, Type], span: Span, scope: Scope
) -> Expression | None:
    """`sum`, `min` or `max` of a value of each member, given with its type; warns of the least or greatest of none."""
    value, type_ = added
    if not needs_number(value, f"`{word}`", scope):
        return None
    if word == "sum":
        return ex.Aggregate(type=_sum_type(type_), span=span, word=word, binding=binding, value=value)
    low, high = size(binding, span, scope)
    if high == 0:
        scope.report.error("RW0406", span, f"there is nothing here to take the `{word}` of")
        return None
    if low is None or low < 1:
        notes = ("No line above makes sure of a member; without one the run stops here.",)
        remedy = "check `some x in …` first, in an `if` or a `when`"
        scope.report.warning("RW0406", span, f"`{word}` may have no members here", notes=notes, help=remedy)
    return ex.Aggregate(type=type_, span=span, word=word, binding=binding, value=value)


def _sum_type(type_: Type) -> Type:
    if not isinstance(type_, ty.NumberType):
        return type_
    positive = type_.low is not None and type_.low >= 0
    negative = type_.high is not None and type_.high <= 0
    return ty.NumberType(0 if positive else None, 0 if negative else None)


_Judge = Callable[[Type], Expression | None]


def standing_kinds(cell: Type, scope: Scope) -> tuple[str, ...]:
    """The kinds whose things stand on a board of such cells, in order of declaration."""
    return tuple(
        kind.name
        for kind in scope.shapes.kinds.values()
        if any(field.name == "at" and field.type in (cell, ty.OptionalType(cell)) for field in kind.fields)
    )


def kinds_of_occupants(source: nodes.Expression, scope: Scope) -> tuple[Type, ...]:
    """The sets that `occupants(…)` of several kinds may be; none where the source is anything else."""
    match source:
        case nodes.Group(items=(inner,)):
            return kinds_of_occupants(inner, scope)
        case nodes.Call(function=nodes.Reference(name="occupants"), arguments=(argument,)):
            cell = replace(scope, report=Report()).infer(argument.value)
            type_ = cell.type if cell is not None else None
            found = () if type_ is None else standing_kinds(ty.present(type_), scope)
            return tuple(ty.SetType(ty.ThingType(each)) for each in found) if len(found) > 1 else ()
        case _:
            return ()


def _of_each_kind(node: nodes.Quantified, found: tuple[Type, ...], judge: _Judge) -> Expression | None:
    """`some`, `no` or `every` of all kinds; where one has an error, nothing is said of the others."""
    operator = "or" if node.word == "some" else "and"

    def join(left: Expression, right: Expression) -> Expression:
        return ex.Logical(type=ty.FLAG, span=node.span, operator=operator, left=left, right=right)

    return _joined(found, judge, join)


def counted_of_each_kind(span: Span, found: tuple[Type, ...], judge: _Judge) -> Expression | None:
    """How many there are of all kinds."""

    def add(left: Expression, right: Expression) -> Expression:
        return ex.Arithmetic(type=ty.COUNT, span=span, operator="+", left=left, right=right)

    return _joined(found, judge, add)


def _joined(
    found: tuple[Type, ...], judge: _Judge, join: Callable[[Expression, Expression], Expression]
) -> Expression | None:
    parts: list[Expression] = []
    for each in found:
        part = judge(each)
        if part is None:
            return None
        parts.append(part)
    return reduce(join, parts)
