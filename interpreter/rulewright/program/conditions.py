"""Constructors of conditions: rows and guards as one condition, narrowed bindings, counts of members."""

from collections.abc import Iterator, Sequence

from rulewright.base.frozen import replace
from rulewright.base.source import Span
from rulewright.program.declarations import Conditions, Function, Invariant, Selection
from rulewright.program.expressions import (
    Aggregate,
    Arithmetic,
    Binding,
    Comparison,
    Comprehension,
    ConditionRow,
    Expression,
    Literal,
    Local,
    Logical,
    Membership,
    Not,
    Quantifier,
    Variable,
)
from rulewright.program.types import COUNT, FLAG
from rulewright.program.walk import walk_subexpressions


def combine_conditions(operator: str, left: Expression, right: Expression) -> Logical:
    """Two conditions joined by `and` or `or`."""
    return Logical(type=FLAG, span=left.span, operator=operator, left=left, right=right)


def make_negation(condition: Expression) -> Not:
    """The negation of a condition."""
    return Not(type=FLAG, span=condition.span, operand=condition)


def chain_conditions(parts: Sequence[Expression], operator: str, span: Span) -> Expression:
    """Conditions joined by `and` or `or`; of none its neutral element: yes for `and`, no for `or`."""
    if not parts:
        return Literal(type=FLAG, span=span, value=operator == "and")
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = combine_conditions(operator, part, result)
    return result


def list_operands(expression: Expression, operator: str) -> Iterator[Expression]:
    """Operands of an associative operator of logic or arithmetic, nested uses of it flattened."""
    if isinstance(expression, Logical | Arithmetic) and expression.operator == operator:
        yield from list_operands(expression.left, operator)
        yield from list_operands(expression.right, operator)
    else:
        yield expression


def split_conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """Operands of nested `and`; another condition alone, none for no condition."""
    return () if condition is None else tuple(list_operands(condition, "and"))


def guard_condition(guard: Expression | None, condition: Expression) -> Expression:
    """`not guard or condition`; the condition alone without a guard."""
    return condition if guard is None else combine_conditions("or", make_negation(guard), condition)


def make_row_condition(row: ConditionRow, operator: str = "and") -> Expression:
    """A row as one condition; a row with a false guard is neutral for the operator."""
    if row.guard is not None and operator == "or":
        return combine_conditions("and", row.guard, row.condition)
    return guard_condition(row.guard, row.condition)


def make_rows_condition(conditions: Conditions, span: Span) -> Expression:
    """The rows of `when all` or `when any` as one condition."""
    operator = "and" if conditions.mode == "all" else "or"
    return chain_conditions([make_row_condition(row, operator) for row in conditions.rows], operator, span)


def narrow_binding(binding: Binding, condition: Expression) -> Binding:
    """A binding with one more condition on its members."""
    return replace(
        binding, where=condition if binding.where is None else combine_conditions("and", binding.where, condition)
    )


def find_selected_member(quantifier: Quantifier) -> Membership | None:
    """`E in S`, where `some x in S where x = E`, or `no x …`, says no more: of the same truth as the quantifier."""
    match quantifier:
        case Quantifier(
            word="some" | "no" as word,
            binding=Binding(
                variables=(Variable() as member,), source=source, where=Comparison(operator="=", left=left, right=right)
            ),
        ):
            for side, value in ((left, right), (right, left)):
                own = isinstance(side, Local) and side.variable == member
                if own and all(
                    part.variable != member for part in walk_subexpressions(value) if isinstance(part, Local)
                ):
                    item, negated = value, word == "no"
                    return Membership(type=FLAG, span=quantifier.span, item=item, collection=source, negated=negated)
    return None


def is_none_literal(expression: Expression) -> bool:
    """Whether an expression is the literal `none`, of any type."""
    return isinstance(expression, Literal) and expression.value is None


def make_size_expression(binding: Binding, span: Span) -> Aggregate:
    """`count` of a binding."""
    return Aggregate(type=COUNT, span=span, word="count", binding=binding, value=None)


def make_answered_condition(player: Expression, answers: Expression) -> Membership:
    """Membership of a player in the answers of a question to all."""
    return Membership(type=FLAG, span=player.span, item=player, collection=answers, negated=False)


def make_members_comprehension(function: Function, selection: Selection) -> Comprehension | None:
    """`over each x in S when all:` as `{each x in S where …}`; none unless the binding has one variable."""
    match selection.binding.variables:
        case (variable,) if variable is not None:
            binding = narrow_binding(selection.binding, make_rows_condition(selection.conditions, function.span))
            member = Local(type=variable.type, span=function.span, variable=variable)
            return Comprehension(type=function.type, span=function.span, binding=binding, value=member)
        case _:
            return None


def make_invariant_condition(invariant: Invariant) -> Expression:
    """The condition of an invariant for one member, its guard and `where` included."""
    where = None if invariant.binding is None else invariant.binding.where
    return guard_condition(where, guard_condition(invariant.guard, invariant.condition))
