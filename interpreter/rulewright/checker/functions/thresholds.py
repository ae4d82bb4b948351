"""Thresholds in order: `x >= 3` is a case of `x >= 2`, so that its row is meant to stand above the other."""

from dataclasses import replace
from fractions import Fraction

from rulewright.base.frozen import dataclass
from rulewright.checker.facts import Facts, compute_number_range
from rulewright.checker.facts.fact_store import FactKey, make_key
from rulewright.program.expressions import MIRRORED_OPERATORS, Arithmetic, Comparison, Expression, Literal, Logical
from rulewright.program.types import FractionType, NumberType


@dataclass(frozen=True, slots=True)
class _Threshold:
    """What `value >= factor * unit` says; the unit is none where a number stands alone."""

    value: FactKey
    upwards: bool
    strict: bool
    factor: Fraction
    unit: Expression | None


def is_stronger_condition(one: Expression, other: Expression, facts: Facts) -> bool:
    """Whether a condition implies another, comparison by comparison of one value.

    `x >= 3` implies `x >= 2`, `a >= 3 * b` that `a >= 2 * b`, `a > 2 * b or b > 2 * a` that `a != b`.
    """
    match one, other:
        case Logical(operator="or"), _:
            return is_stronger_condition(one.left, other, facts) and is_stronger_condition(one.right, other, facts)
        case _, Logical(operator="and"):
            return is_stronger_condition(one, other.left, facts) and is_stronger_condition(one, other.right, facts)
        case Logical(operator="and"), _:
            return is_stronger_condition(one.left, other, facts) or is_stronger_condition(one.right, other, facts)
        case _, Logical(operator="or"):
            return is_stronger_condition(one, other.left, facts) or is_stronger_condition(one, other.right, facts)
        case _, Comparison(operator="!="):
            return any(is_stronger_condition(one, replace(other, operator=item), facts) for item in "<>")
    return any(
        _is_stronger_threshold(first, second, facts)
        for first in _list_thresholds(one)
        for second in _list_thresholds(other)
        if first.value == second.value and first.upwards == second.upwards
    )


def _is_stronger_threshold(first: _Threshold, second: _Threshold, facts: Facts) -> bool:
    gap = first.factor - second.factor if first.upwards else second.factor - first.factor
    loose = second.strict and not first.strict
    if first.unit is None or second.unit is None:
        return first.unit is second.unit and (gap > 0 or (gap == 0 and not loose))
    low = compute_number_range(facts, first.unit)[0]
    if make_key(first.unit) != make_key(second.unit) or low is None:
        return False
    return (low > 0 and gap > 0) if loose else (low >= 0 and gap >= 0)


def _list_thresholds(condition: Expression) -> tuple[_Threshold, ...]:
    """A comparison in both directions; nothing of any other condition."""
    if not isinstance(condition, Comparison) or condition.operator not in {"<", "<=", ">", ">="}:
        return ()
    sides = (condition.left, condition.operator, condition.right)
    turned = (condition.right, MIRRORED_OPERATORS[condition.operator], condition.left)
    return tuple(
        threshold
        for value, operator, bound in (sides, turned)
        if isinstance(bound.type, NumberType | FractionType) and (threshold := _parse_threshold(value, operator, bound))
    )


def _parse_threshold(value: Expression, operator: str, bound: Expression) -> _Threshold | None:
    """What a comparison says of one value, whatever constant multiplies it; none where that is no positive number."""
    (scale, subject), (factor, unit) = _split_constant_factor(value), _split_constant_factor(bound)
    if subject is None or scale <= 0:
        return None
    return _Threshold(make_key(subject), operator in {">", ">="}, operator in {"<", ">"}, factor / scale, unit)


def _split_constant_factor(expression: Expression) -> tuple[Fraction, Expression | None]:
    """A number as a constant factor and what it multiplies; none where it is a constant."""
    match expression:
        case Literal(value=int() | Fraction() as number):
            return Fraction(number), None
        case Arithmetic(operator="*" | "/" as operator, left=left, right=right):
            (first, unit), (second, other) = _split_constant_factor(left), _split_constant_factor(right)
            if operator == "*" and (unit is None or other is None):
                return first * second, unit or other
            if operator == "/" and other is None and second:
                return first / second, unit
    return Fraction(1), expression
