"""Comparisons of whole numbers with constants, by the numbers for which they hold."""

from dataclasses import replace

from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import FLAG, NumberType

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def against_constant(comparison: ex.Comparison) -> Expression:
    """A comparison of a bounded number with a constant, as `low <= x`, `x <= high`, `x = c`, `x != c`, yes or no.

    Of all ways to say that a number of its type is in a range, always the same one is chosen.
    """
    left, operator, right = comparison.left, comparison.operator, comparison.right
    if isinstance(left, ex.Literal):
        left, operator, right = right, _MIRRORED[operator], left
    match left.type, right:
        case NumberType(low, high), ex.Literal(value=int() as value) if not isinstance(value, bool):
            return _in_range(comparison, left, operator, value, (low, high))
        case _:
            return comparison


def _in_range(
    comparison: ex.Comparison, left: Expression, operator: str, value: int, bounds: tuple[int | None, int | None]
) -> Expression:
    if operator in {"=", "!="}:
        return _equal(comparison, left, operator, value, bounds)
    low, high = bounds
    if operator in {"<", "<="}:
        last = value - 1 if operator == "<" else value
        return _up_to(comparison, left, last, low, high)
    first = value + 1 if operator == ">" else value
    below = _up_to(comparison, left, first - 1, low, high)
    return _negated(below)


def _up_to(comparison: ex.Comparison, left: Expression, last: int, low: int | None, high: int | None) -> Expression:
    """`left <= last`, or what it comes to within the bounds."""
    if high is not None and last >= high:
        return _flag(comparison, value=True)
    if low is not None and last < low:
        return _flag(comparison, value=False)
    if last == low:
        return _compared(comparison, left, "=", last)
    if high is not None and last == high - 1:
        return _compared(comparison, left, "!=", high)
    return _compared(comparison, left, "<=", last)


def _equal(
    comparison: ex.Comparison, left: Expression, operator: str, value: int, bounds: tuple[int | None, int | None]
) -> Expression:
    low, high = bounds
    if (low is not None and value < low) or (high is not None and value > high):
        return _flag(comparison, value=operator == "!=")
    if low == high == value:
        return _flag(comparison, value=operator == "=")
    if low is not None and high == low + 1 and value == high:
        return _compared(comparison, left, "=" if operator == "!=" else "!=", low)
    return _compared(comparison, left, operator, value)


def _negated(expression: Expression) -> Expression:
    match expression:
        case ex.Literal(value=value):
            return replace(expression, value=not value)
        case ex.Comparison(operator="="):
            return replace(expression, operator="!=")
        case ex.Comparison(operator="!="):
            return replace(expression, operator="=")
        case _:
            return ex.Not(type=FLAG, span=expression.span, operand=expression)


def _compared(comparison: ex.Comparison, left: Expression, operator: str, value: int) -> ex.Comparison:
    constant = ex.Literal(type=NumberType(value, value), span=comparison.span, value=value)
    return replace(comparison, left=left, operator=operator, right=constant)


def _flag(comparison: ex.Comparison, *, value: bool) -> ex.Literal:
    return ex.Literal(type=FLAG, span=comparison.span, value=value)
