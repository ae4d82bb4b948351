"""Binders: what stands after `each`, `some`, `no`, `every` and `the`, of one kind of things or of several."""

from collections.abc import Callable
from functools import reduce

from rulewright.base.diagnostics import Remedy, format_counted_noun
from rulewright.base.diagnostics.remedies import make_replacement_remedy, make_wrapping_edits
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.facts.prover import Proof, prove_without_inlining
from rulewright.checker.facts.transfer_functions import learn_binding
from rulewright.checker.infer.arithmetic import check_is_number, get_size_bounds, narrow_type_by_facts
from rulewright.checker.infer.conditions import infer_flag, warn_constant_condition
from rulewright.checker.infer.name_lookup import format_as_code, has_name_conflict
from rulewright.checker.infer.plane_functions import infer_poses, is_poses_call
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import make_size_expression
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import Type
from rulewright.program.wording import describe_expression, describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes


def infer_binding(node: nodes.Binder, scope: Scope, expected: Type | None = None) -> tuple[Binding, Scope] | None:
    """Typed binding, and the scope inside, where its names are bound and its `where` holds."""
    return _infer_binding_over(node, scope.infer(node.source, expected), scope)


def infer_optional_binding(node: nodes.Binder | None, scope: Scope) -> tuple[Binding | None, Scope] | None:
    """As `infer_binding`; without a binder no binding, and the scope itself."""
    return (None, scope) if node is None else infer_binding(node, scope)


def _infer_binding_over(node: nodes.Binder, source: Expression | None, scope: Scope) -> tuple[Binding, Scope] | None:
    item = None if source is None else check_item_type(source, scope)
    if source is None or item is None:
        return None
    variables = _make_binder_variables(node, item, scope)
    if variables is None:
        return None
    inner = scope.with_variables(*(variable for variable in variables if variable is not None))
    inner = inner.with_facts(learn_binding(inner.facts, Binding(variables, source, None)))
    where = infer_flag(node.where, inner, "`where`") if node.where is not None else None
    if where is not None and prove_without_inlining(inner.facts, where) is Proof.REFUTED:
        warn_constant_condition(where, inner)
    if node.where is not None and where is None:
        return None
    binding = Binding(variables, source, where)
    return binding, inner.with_facts(learn_binding(inner.facts, binding))


def check_item_type(source: Expression, scope: Scope) -> Type | None:
    """Type of the members of a collection; reports other values."""
    if isinstance(source.type, ty.OptionalType):
        scope.report.proved_error(
            "RW0403",
            source.span,
            f"`{render_brief_expression(source)}` may be `none` here",
            help=f"ask `{render_brief_expression(source)} != none` first",
            subject=render_brief_expression(source),
        )
        return None
    item = ty.get_member_type(source.type)
    if item is None:
        message = f"{describe_expression(source)}, not a collection"
        remedy = Remedy()
        if isinstance(source.type, ty.ThingType):
            remedy = Remedy(f"for one thing, write `{{{render_brief_expression(source)}}}`")
        elif isinstance(source.type, ty.NumberType):
            remedy = Remedy(
                f"for so many times, write `1..{render_brief_expression(source)}`",
                make_wrapping_edits("1..", source.span, ""),
            )
        scope.report.error("RW0318", source.span, message, remedy=remedy)
    return item


def infer_collection_and_item(node: nodes.Expression, scope: Scope) -> tuple[Expression, Type] | None:
    """Collection and the type of its members."""
    source = scope.infer(node)
    item = check_item_type(source, scope) if source is not None else None
    return (source, item) if source is not None and item is not None else None


def _make_binder_variables(node: nodes.Binder, item: Type, scope: Scope) -> tuple[Variable | None, ...] | None:
    types = _split_item_type(node, item, scope)
    if types is None or any([has_name_conflict(name, scope) for name in node.names]):  # noqa: C419 - every one is reported
        return None
    named = zip(node.names, types, strict=True)
    return tuple(None if name.text == "_" else scope.variables.new_variable(name.text, type_) for name, type_ in named)


def _split_item_type(node: nodes.Binder, item: Type, scope: Scope) -> tuple[Type, ...] | None:
    if len(node.names) == 1:
        return (item,)
    if isinstance(item, ty.TupleType) and len(item.parts) == len(node.names):
        return item.parts
    part_count = len(item.parts) if isinstance(item, ty.TupleType) else 1
    span = node.names[0].span.extend_to(node.names[-1].span)
    message = f"{len(node.names)} names for members that have {format_counted_noun(part_count, 'part')}"
    scope.report.error("RW0319", span, message, help=f"each member is {describe_type(item)}")
    return None


def make_member_value(binding: Binding, span: Span) -> Expression:
    """The bound member as a value: its name, or a tuple of names."""
    parts = tuple(
        ex.Local(type=variable.type, span=span, variable=variable)
        for variable in binding.variables
        if variable is not None
    )
    if len(parts) == 1:
        return parts[0]
    return ex.MakeTuple(type=ty.TupleType(tuple(part.type for part in parts)), span=span, parts=parts)


def _make_whole_member(node: nodes.Binder, binding: Binding, scope: Scope) -> Expression | None:
    if None not in binding.variables:
        return make_member_value(binding, node.span)
    scope.report.error("RW0319", node.span, "the members are the value here, so each part needs a name, not `_`")
    return None


def infer_quantified(node: nodes.Quantified, scope: Scope) -> Expression | None:
    kinds = list_occupant_set_types(node.binder.source, scope) if node.word != "the" else ()
    if kinds:
        return _infer_quantified_per_kind(node, kinds, lambda kind: _infer_quantified_over(node, scope, kind))
    return _infer_quantified_over(node, scope, None)


def _infer_quantified_over(node: nodes.Quantified, scope: Scope, expected: Type | None) -> Expression | None:
    searched = node.word in {"some", "no"} and is_poses_call(node.binder.source)
    written = node.binder.source
    source = infer_poses(written, scope) if searched else scope.infer(written, expected)
    bound = _infer_binding_over(node.binder, source, scope)
    if bound is None:
        return None
    binding, inner = bound
    if node.word == "the":
        return _infer_the_only(node, binding, scope)
    body = infer_flag(node.body, inner, "what follows `every … :`") if node.body is not None else None
    if body is None and node.body is not None:
        return None
    return ex.Quantifier(type=ty.FLAG, span=node.span, word=node.word, binding=binding, body=body)


def _infer_the_only(node: nodes.Quantified, binding: Binding, scope: Scope) -> Expression | None:
    member_ = _make_whole_member(node.binder, binding, scope)
    if member_ is None:
        return None
    low, high = get_size_bounds(binding, node.span, scope)
    if (high is not None and high < 1) or (low is not None and low > 1):
        scope.report.proved_error("RW0405", node.span, "`the` never finds exactly one member here")
        return None
    if not low == high == 1:
        message = "`the` may not find exactly one member here"
        notes = ("No line above makes sure of exactly one; without it the run stops here.",)
        remedy = "check `count(…) = 1` first, in an `if`, a `when` or a `require`"
        scope.report.warning("RW0405", node.span, message, notes=notes, help=remedy)
    return ex.TheOnly(type=member_.type, span=node.span, binding=binding)


def infer_comprehension(node: nodes.Comprehension, scope: Scope, expected: Type | None) -> Expression | None:
    bound = infer_binding(node.binder, scope)
    if bound is None:
        return None
    binding, inner = bound
    if node.value is None:
        value = _make_whole_member(node.binder, binding, scope)
    else:
        wished = ty.get_member_type(expected) if expected is not None else None
        value = inner.infer(node.value, wished)
    if value is None:
        return None
    item = narrow_type_by_facts(value, inner)
    type_: Type = ty.SetType(item) if node.word == "set" else ty.ListType(item)
    return ex.Comprehension(type=type_, span=node.span, binding=binding, value=value)


FOREIGN_EXTREME_NAMES = {"highest": "max", "best": "max", "lowest": "min", "worst": "min"}
"""Names of `min` and `max` in other notations."""


def infer_aggregate(node: nodes.Aggregate, scope: Scope) -> Expression | None:
    word = node.function.name if isinstance(node.function, nodes.Reference) else ""
    if word not in {"count", "sum", "min", "max"}:
        meant_ = FOREIGN_EXTREME_NAMES.get(word)
        remedy = make_replacement_remedy(meant_, node.function.span) if meant_ else Remedy("put it in `{…}`")
        message = "only `count`, `sum`, `min` and `max` take `each`"
        scope.report.error("RW0314", node.function.span, message, remedy=remedy, subject=word)
        return None
    kinds = list_occupant_set_types(node.binder.source, scope) if word == "count" else ()
    if kinds:
        return infer_count_per_kind(node.span, kinds, lambda kind: _infer_aggregate_over(node, word, scope, kind))
    return _infer_aggregate_over(node, word, scope, None)


def _infer_aggregate_over(node: nodes.Aggregate, word: str, scope: Scope, expected: Type | None) -> Expression | None:
    bound = infer_binding(node.binder, scope, expected)
    if bound is None:
        return None
    binding, inner = bound
    if word == "count" and node.value is not None:
        scope.report.error("RW0316", node.value.span, "`count` counts members and takes no value after `:`")
        return None
    if word == "count":
        return make_size_expression(binding, node.span)
    added = _make_whole_member(node.binder, binding, scope) if node.value is None else inner.infer(node.value)
    return added and make_aggregate(word, binding, (added, narrow_type_by_facts(added, inner)), node.span, scope)


def infer_collection_aggregate(word: str, source: Expression, span: Span, scope: Scope) -> Expression | None:
    """`count(units)`, `sum(numbers)`, `max(numbers)`: aggregates of the members themselves."""
    item = check_item_type(source, scope)
    if item is None:
        return None
    if word == "count":
        return make_size_expression(Binding((None,), source, None), span)
    if not isinstance(ty.strip_optional(item), ty.NumberType | ty.FractionType | ty.LengthType):
        _report_members_not_numbers(word, source, item, scope)
        return None
    variable = scope.variables.new_variable("_", item)
    member = ex.Local(type=item, span=source.span, variable=variable)
    return make_aggregate(word, Binding((variable,), source, None), (member, item), span, scope)


def _report_members_not_numbers(word: str, source: Expression, item: Type, scope: Scope) -> None:
    members = format_as_code(source, scope)
    match source.type, item:
        case ty.MapType(), _:
            each = f"each x in {members}: {members}[x]"
        case _, ty.DieType():
            each = f"each d in {members}: d.natural"
        case _:
            each = f"each x in {members}: x.…"
    message = f"`{word}` needs numbers, and a member of `{members}` is {describe_type(item)}"
    scope.report.error("RW0308", source.span, message, help=f"write `{word}({each})`")


def make_aggregate(
    word: str, binding: Binding, added: tuple[Expression, Type], span: Span, scope: Scope
) -> Expression | None:
    """`sum`, `min` or `max` of a value of each member; warns of the least or greatest of none."""
    value, type_ = added
    if not check_is_number(value, f"`{word}`", scope):
        return None
    if word == "sum":
        return ex.Aggregate(type=_get_sum_type(type_), span=span, word=word, binding=binding, value=value)
    _, high = get_size_bounds(binding, span, scope)
    if high == 0:
        scope.report.proved_error("RW0406", span, f"there is nothing here to take the `{word}` of")
        return None
    some = ex.Quantifier(type=ty.FLAG, span=span, word="some", binding=binding, body=None)
    messages = (
        f"`{word}` may have no members here",
        f"`{word}` never has a member here",
        "check `some x in …` first, in an `if`, a `when` or a `require`"
        + preconditions.suggest_always_some(binding, scope),
    )
    preconditions.require_condition("RW0406", some, span, messages, scope)
    return ex.Aggregate(type=type_, span=span, word=word, binding=binding, value=value)


def _get_sum_type(type_: Type) -> Type:
    if not isinstance(type_, ty.NumberType):
        return type_
    positive = type_.low is not None and type_.low >= 0
    negative = type_.high is not None and type_.high <= 0
    return ty.NumberType(0 if positive else None, 0 if negative else None)


_InferForType = Callable[[Type], Expression | None]


def list_board_kinds(cell: Type, scope: Scope) -> tuple[str, ...]:
    """Kinds whose things stand on a board of such cells, in order of declaration."""
    return tuple(
        kind.name
        for kind in scope.environment.kinds.values()
        if any(field.name == "at" and field.type in (cell, ty.OptionalType(cell)) for field in kind.fields)
    )


def list_occupant_set_types(source: nodes.Expression, scope: Scope) -> tuple[Type, ...]:
    """Set types that `occupants(…)` of several kinds may have; () for other sources."""
    match source:
        case nodes.Group(items=(inner,)):
            return list_occupant_set_types(inner, scope)
        case nodes.Call(function=nodes.Reference(name="occupants"), arguments=(argument,)):
            cell = scope.aside().infer(argument.value)
            type_ = cell.type if cell is not None else None
            result = () if type_ is None else list_board_kinds(ty.strip_optional(type_), scope)
            return tuple(ty.SetType(ty.ThingType(item)) for item in result) if len(result) > 1 else ()
        case _:
            return ()


def _infer_quantified_per_kind(
    node: nodes.Quantified, types: tuple[Type, ...], judge: _InferForType
) -> Expression | None:
    operator = "or" if node.word == "some" else "and"

    def join_logical(left: Expression, right: Expression) -> Expression:
        return ex.Logical(type=ty.FLAG, span=node.span, operator=operator, left=left, right=right)

    return _join_per_kind(types, judge, join_logical)


def infer_count_per_kind(span: Span, types: tuple[Type, ...], judge: _InferForType) -> Expression | None:
    """Sum of the counts of all kinds."""

    def add_counts(left: Expression, right: Expression) -> Expression:
        return ex.Arithmetic(type=ty.COUNT, span=span, operator="+", left=left, right=right)

    return _join_per_kind(types, judge, add_counts)


def _join_per_kind(
    types: tuple[Type, ...], judge: _InferForType, join: Callable[[Expression, Expression], Expression]
) -> Expression | None:
    parts: list[Expression] = []
    for item in types:
        part = judge(item)
        if part is None:
            return None
        parts.append(part)
    return reduce(join, parts)
