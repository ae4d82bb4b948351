"""Conditions put together: a row and its guard, several rows as one, members that meet one more; how many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.base.source import Span
from rulewright.program.declarations import Conditions, Function, Invariant, Selection
from rulewright.program.expressions import (
    Aggregate,
    Arithmetic,
    Binding,
    Comprehension,
    Expression,
    Literal,
    Local,
    Logical,
    Membership,
    Not,
)
from rulewright.program.rows import ConditionRow
from rulewright.program.types import COUNT, FLAG


def combine_conditions(operator: str, left: Expression, right: Expression) -> Logical:
    """Two conditions joined by `and` or `or`."""
    return Logical(type=FLAG, span=left.span, operator=operator, left=left, right=right)


def make_negation(condition: Expression) -> Not:
    """What holds where a condition fails."""
    return Not(type=FLAG, span=condition.span, operand=condition)


def chain_conditions(parts: Sequence[Expression], operator: str, span: Span) -> Expression:
    """Conditions joined by `and` or `or`; of none, the value that changes nothing: yes for `and`, no for `or`."""
    if not parts:
        return Literal(type=FLAG, span=span, value=operator == "and")
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = combine_conditions(operator, part, result)
    return result


def list_operands(expression: Expression, operator: str) -> Iterator[Expression]:
    """What an operator of logic or arithmetic joins, groups of the same operator opened."""
    if isinstance(expression, Logical | Arithmetic) and expression.operator == operator:
        yield from list_operands(expression.left, operator)
        yield from list_operands(expression.right, operator)
    else:
        yield expression


def guard_condition(guard: Expression | None, condition: Expression) -> Expression:
    """A condition that counts only where its guard holds."""
    return condition if guard is None else combine_conditions("or", make_negation(guard), condition)


def make_row_condition(row: ConditionRow, operator: str = "and") -> Expression:
    """A row as one condition: a row that is not judged holds among those that all must, and fails among others."""
    if row.guard is not None and operator == "or":
        return combine_conditions("and", row.guard, row.condition)
    return guard_condition(row.guard, row.condition)


def make_rows_condition(conditions: Conditions, span: Span) -> Expression:
    """The rows of `when all` or `when any` as one condition."""
    operator = "and" if conditions.mode == "all" else "or"
    return chain_conditions([make_row_condition(row, operator) for row in conditions.rows], operator, span)


def narrow_binding(binding: Binding, condition: Expression) -> Binding:
    """The members that meet a condition too."""
    return replace(
        binding, where=condition if binding.where is None else combine_conditions("and", binding.where, condition)
    )


def is_none_literal(expression: Expression) -> bool:
    """Whether it is the literal `none`, whatever type its place has given it."""
    return isinstance(expression, Literal) and expression.value is None


def make_size_expression(binding: Binding, span: Span) -> Aggregate:
    """The number of members that a binding visits."""
    return Aggregate(type=COUNT, span=span, word="count", binding=binding, value=None)


def make_answered_condition(player: Expression, answers: Expression) -> Membership:
    """That a player is one of those whose answers there are, where all of some were asked."""
    return Membership(type=FLAG, span=player.span, item=player, collection=answers, negated=False)


def make_members_comprehension(function: Function, selection: Selection) -> Comprehension | None:
    """`over each x in S when all:` as `{each x in S where …}`; none where it does not bind one name."""
    match selection.binding.variables:
        case (variable,) if variable is not None:
            binding = narrow_binding(selection.binding, make_rows_condition(selection.conditions, function.span))
            member = Local(type=variable.type, span=function.span, variable=variable)
            return Comprehension(type=function.type, span=function.span, binding=binding, value=member)
        case _:
            return None


def make_invariant_condition(invariant: Invariant) -> Expression:
    """What must hold of every member, with the guard and `where` as conditions."""
    where = None if invariant.binding is None else invariant.binding.where
    return guard_condition(where, guard_condition(invariant.guard, invariant.condition))
