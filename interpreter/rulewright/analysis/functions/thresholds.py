"""Thresholds in order: `x >= 3` is a case of `x >= 2`, so that its row is meant to stand above the other."""

from dataclasses import replace
from fractions import Fraction

from rulewright.analysis.facts import Facts, number_range
from rulewright.analysis.facts.knowledge import Key, key
from rulewright.frozen import dataclass
from rulewright.program.expressions import MIRRORED, Arithmetic, Comparison, Expression, Literal, Logical
from rulewright.program.types import FractionType, NumberType


@dataclass(frozen=True, slots=True)
class _Threshold:
    """What `value >= factor * unit` says; the unit is none where a number stands alone."""

    value: Key
    upwards: bool
    strict: bool
    factor: Fraction
    unit: Expression | None


def narrower(one: Expression, other: Expression, facts: Facts) -> bool:
    """Whether a condition implies another, comparison by comparison of one value.

    `x >= 3` implies `x >= 2`, `a >= 3 * b` that `a >= 2 * b`, `a > 2 * b or b > 2 * a` that `a != b`.
    """
    match one, other:
        case Logical(operator="or"), _:
            return narrower(one.left, other, facts) and narrower(one.right, other, facts)
        case _, Logical(operator="and"):
            return narrower(one, other.left, facts) and narrower(one, other.right, facts)
        case Logical(operator="and"), _:
            return narrower(one.left, other, facts) or narrower(one.right, other, facts)
        case _, Logical(operator="or"):
            return narrower(one, other.left, facts) or narrower(one, other.right, facts)
        case _, Comparison(operator="!="):
            return any(narrower(one, replace(other, operator=each), facts) for each in "<>")
    return any(
        _implies(first, second, facts)
        for first in _thresholds(one)
        for second in _thresholds(other)
        if first.value == second.value and first.upwards == second.upwards
    )


def _implies(first: _Threshold, second: _Threshold, facts: Facts) -> bool:
    gap = first.factor - second.factor if first.upwards else second.factor - first.factor
    loose = second.strict and not first.strict
    if first.unit is None or second.unit is None:
        return first.unit is second.unit and (gap > 0 or (gap == 0 and not loose))
    low = number_range(facts, first.unit)[0]
    if key(first.unit) != key(second.unit) or low is None:
        return False
    return (low > 0 and gap > 0) if loose else (low >= 0 and gap >= 0)


def _thresholds(condition: Expression) -> tuple[_Threshold, ...]:
    """A comparison in both directions; nothing of any other condition."""
    if not isinstance(condition, Comparison) or condition.operator not in {"<", "<=", ">", ">="}:
        return ()
    sides = (condition.left, condition.operator, condition.right)
    turned = (condition.right, MIRRORED[condition.operator], condition.left)
    return tuple(
        found
        for value, operator, bound in (sides, turned)
        if isinstance(bound.type, NumberType | FractionType) and (found := _threshold(value, operator, bound))
    )


def _threshold(value: Expression, operator: str, bound: Expression) -> _Threshold | None:
    """What a comparison says of one value, whatever constant multiplies it; none where that is no positive number."""
    (scale, subject), (factor, unit) = _scaled(value), _scaled(bound)
    if subject is None or scale <= 0:
        return None
    return _Threshold(key(subject), operator in {">", ">="}, operator in {"<", ">"}, factor / scale, unit)


def _scaled(expression: Expression) -> tuple[Fraction, Expression | None]:
    """A number as a constant factor and what it multiplies; none where it is a constant."""
    match expression:
        case Literal(value=int() | Fraction() as number):
            return Fraction(number), None
        case Arithmetic(operator="*" | "/" as operator, left=left, right=right):
            (first, unit), (second, other) = _scaled(left), _scaled(right)
            if operator == "*" and (unit is None or other is None):
                return first * second, unit or other
            if operator == "/" and other is None and second:
                return first / second, unit
    return Fraction(1), expression
