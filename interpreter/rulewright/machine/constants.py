"""Values of expressions that read nothing: start values and the readings of settings."""

from fractions import Fraction
from typing import Any

from rulewright.machine.geometry import angle, inches, to_thousandths
from rulewright.machine.values import Map, Value, make_set
from rulewright.program.expressions import (
    Arithmetic,
    Builtin,
    Expression,
    Literal,
    MakeCollection,
    MakeRecord,
    MakeTuple,
    Narrowed,
    Negation,
    Rounded,
    WordLiteral,
)
from rulewright.program.plane import ANGLE
from rulewright.program.types import GRIDS, BagType, MapType, SetType, Type


def constant(expression: Expression) -> Value:  # noqa: C901, PLR0911, PLR0912
    """The value of an expression that is written out (`analysis.reads.written_out`).

    Raises:
        ValueError: the expression reads something.
    """
    match expression:
        case Literal(value=value):
            return value
        case WordLiteral(position=position):
            return position
        case Narrowed(operand=operand):
            return constant(operand)
        case Negation(operand=operand):
            return -_number(constant(operand))
        case Rounded(type=type_, operand=operand):
            return (angle if ANGLE in (type_, getattr(type_, "inner", None)) else inches)(_number(constant(operand)))
        case Arithmetic(operator=operator, left=left, right=right):
            return _arithmetic(operator, _number(constant(left)), _number(constant(right)))
        case Builtin(name="point", arguments=(x, y)):
            return to_thousandths(_number(constant(x))), to_thousandths(_number(constant(y)))
        case Builtin(name=name, arguments=parts) if name in GRIDS:
            return tuple(map(constant, parts))
        case MakeRecord(parts=parts) | MakeTuple(parts=parts):
            return tuple(map(constant, parts))
        case MakeCollection(items=(default,), type=MapType()):
            return Map.of(constant(default))
        case MakeCollection(items=items, type=MapType()):
            return Map.of(constant(items[0]))
        case MakeCollection(items=items, type=SetType()):
            return make_set(map(constant, items))
        case MakeCollection(items=items):
            return tuple(map(constant, items))
        case _:
            message = "not a constant"
            raise ValueError(message)


def start_value(expression: Expression, target: Type) -> Value:
    """The start value of a field of a type; that of a map is its default.

    Raises:
        ValueError: the expression reads something.
    """
    value = constant(expression)
    match target:
        case MapType() if not isinstance(value, Map):
            return Map.of(value)
        case SetType():
            return make_set(_members(value))
        case BagType():
            return tuple(sorted(_members(value)))
        case _:
            return value


def _members(value: Value) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _number(value: Value) -> int | Fraction:
    if isinstance(value, int | Fraction):
        return value
    message = "not a number"
    raise ValueError(message)


def _arithmetic(operator: str, left: int | Fraction, right: int | Fraction) -> int | Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return Fraction(left) / right
