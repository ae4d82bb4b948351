"""WebAssembly for numbers: arithmetic, quotients, order and equality."""

from dataclasses import dataclass
from fractions import Fraction

from rulewright.odds.kernel import plane_tables, runtime_library as lib
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.value_conversion import convert_value
from rulewright.odds.kernel.value_shapes import (
    MAX_EXACT_INTEGER,
    SCALAR,
    BatchUnsupportedError,
    Bits,
    Scalar,
    SequenceShape,
    Shape,
    is_numbered,
)
from rulewright.odds.kernel.wasm_assembler import Code, const, select
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression
from rulewright.program.types import strip_optional

NUMBER_OPERATIONS = OperationTable()
_SMALL_FACTOR = 1 << 31
"""Bound of factors whose product is exact."""
TOO_LARGE = "very large numbers"


def is_bounded(type_: core.CoreType | None, most: int = MAX_EXACT_INTEGER) -> bool:
    """Whether numbers of a type are so small that they need no test."""
    match strip_optional(type_):  # type: ignore[arg-type]
        case ty.NumberType(int() as low, int() as high):
            return -most < low and high < most
        case ty.NumberType() | ty.FractionType() | ty.LengthType():
            return False
        case _:
            return True


def is_exact(value: Code) -> Code:
    """Test whether a number is within the bound of exact ones."""
    return (value + MAX_EXACT_INTEGER).operate("lt_u", 2 * MAX_EXACT_INTEGER)


def check_number(c: RoutineCode, type_: core.CoreType, value: Code) -> Code:
    """A number of a type, which is exact."""
    if is_bounded(type_):
        return value
    value = c.hold(value)
    c.require(is_exact(value), TOO_LARGE)
    return value


@NUMBER_OPERATIONS.register("add", "subtract")
def _emit_sum(c: RoutineCode, node: core.Op) -> Code:
    left, right = map(c.value, node.arguments)
    return check_number(c, node.type, left + right if node.name == "add" else left - right)


@NUMBER_OPERATIONS.register("multiply")
def _emit_product(c: RoutineCode, node: core.Op) -> Code:
    if is_bounded(node.type):
        left, right = map(c.value, node.arguments)
        return left * right
    factors = [c.held(each) for each in node.arguments]
    for factor, each in zip(factors, node.arguments, strict=True):
        if not is_bounded(each.type, _SMALL_FACTOR):
            c.require((factor + _SMALL_FACTOR).operate("lt_u", 2 * _SMALL_FACTOR), TOO_LARGE)
    return check_number(c, node.type, factors[0] * factors[1])


@NUMBER_OPERATIONS.register("negate")
def _emit_negative(c: RoutineCode, node: core.Op) -> Code:
    return const(0) - c.value(node.arguments[0])


@NUMBER_OPERATIONS.register("absolute")
def _emit_absolute(c: RoutineCode, node: core.Op) -> Code:
    value = c.held(node.arguments[0])
    return select(const(0) - value, value, value < 0)


@dataclass(frozen=True)
class _Ratio:
    """A number as a quotient of whole ones, the lower one above 0."""

    upper: Code
    lower: Code


def _emit_ratio(c: RoutineCode, node: Expression) -> _Ratio:
    match node:
        case core.Op(name=name) if name in plane_tables.PLANE_NUMBERS:
            return _Ratio(*map(c.hold, plane_tables.measure_bodies(c, node)))
        case core.Const(value=Fraction() as value):
            return _Ratio(const(value.numerator), const(value.denominator))
        case core.Op(name="divide", arguments=(left, right)):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            upper, lower = c.hold(over.upper * under.lower), c.hold(over.lower * under.upper)
            c.require(lower.ne(0), "a division by zero")
            sign = c.hold(select(-1, 1, lower < 0))
            return _Ratio(_exact(c, upper * sign), _exact(c, lower * sign))
        case core.Op(name="multiply", arguments=(left, right)) if not isinstance(node.type, ty.NumberType):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            return _Ratio(_exact(c, over.upper * under.upper), _exact(c, over.lower * under.lower))
        case core.Op(name="add" | "subtract" as name, arguments=(left, right)) if not isinstance(
            node.type, ty.NumberType
        ):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            first, second = over.upper * under.lower, under.upper * over.lower
            added = first + second if name == "add" else first - second
            return _Ratio(_exact(c, added), _exact(c, over.lower * under.lower))
        case core.Op(name="negate", arguments=(inner,)) if not isinstance(node.type, ty.NumberType):
            ratio = _emit_ratio(c, inner)
            return _Ratio(const(0) - ratio.upper, ratio.lower)
    return _Ratio(_exact(c, c.value(node)), const(1))


def _exact(c: RoutineCode, value: Code) -> Code:
    """A number so small that its products are exact."""
    if value.constant is not None:
        return value
    value = c.hold(value)
    c.require((value + _SMALL_FACTOR).operate("lt_u", 2 * _SMALL_FACTOR), TOO_LARGE)
    return value


@NUMBER_OPERATIONS.register("divide")
def _emit_quotient(c: RoutineCode, node: core.Op) -> Code:
    ratio = _emit_ratio(c, node)
    upper, lower = c.hold(ratio.upper), c.hold(ratio.lower)
    c.require(upper.operate("rem_s", lower).is_zero(), "a fraction")
    return upper.operate("div_s", lower)


@NUMBER_OPERATIONS.register("floor", "ceiling", "round")
def _emit_rounded(c: RoutineCode, node: core.Op) -> Code:
    if isinstance(node.arguments[0].type, ty.NumberType):
        return c.value(node.arguments[0])
    ratio = _emit_ratio(c, node.arguments[0])
    upper, lower = c.hold(ratio.upper), c.hold(ratio.lower)
    if node.name == "floor":
        return _floor(upper, lower)
    if node.name == "ceiling":
        return const(0) - _floor(c.hold(const(0) - upper), lower)
    size = c.hold(select(const(0) - upper, upper, upper < 0))
    rounded = (size * 2 + lower).operate("div_s", lower * 2)
    return select(const(0) - rounded, rounded, upper < 0)


def _floor(upper: Code, lower: Code) -> Code:
    return upper.operate("div_s", lower) - (upper.operate("rem_s", lower) < 0).as_flag()


@NUMBER_OPERATIONS.register("least", "greatest")
def _emit_extreme(c: RoutineCode, node: core.Op) -> Code:
    shape = c.shape(node)
    result = c.hold(c.slot(node.arguments[0], node.type))
    for each in node.arguments[1:]:
        other = c.hold(c.slot(each, node.type))
        pair = (other, result) if node.name == "least" else (result, other)
        result = c.hold(select(other, result, lib.is_before(c.module, shape, *pair)))
    return result


@NUMBER_OPERATIONS.register("shift word")
def _emit_shifted_word(c: RoutineCode, node: core.Op) -> Code:
    (last,) = node.facts
    moved = c.hold(c.value(node.arguments[0]) + c.value(node.arguments[1]))
    low = c.hold(select(0, moved, moved < 0))
    return select(last, low, low > last)


@NUMBER_OPERATIONS.register("equal")
def _emit_equal(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    if isinstance(right.type, ty.NoneType) or isinstance(left.type, ty.NoneType):
        return c.value(left).eq(c.value(right))
    if _is_ratio(left) or _is_ratio(right):
        first, second = _emit_ratio(c, left), _emit_ratio(c, right)
        return (first.upper * second.lower).eq(second.upper * first.lower)
    shape = _common_shape(c, left, right)
    one, other = (convert_value(c.module, c.value(each), c.shape(each), shape) for each in (left, right))
    return lib.are_equal(c.module, shape, one, other)


def _common_shape(c: RoutineCode, left: Expression, right: Expression) -> Shape:
    one, other = c.shape(left), c.shape(right)
    return other if isinstance(one, Bits) or one == SequenceShape(SCALAR) else one


def _is_ratio(node: Expression) -> bool:
    return isinstance(node.type, ty.FractionType | ty.LengthType)


_ORDERS = {"less": "lt_s", "at most": "le_s", "more": "gt_s", "at least": "ge_s"}


@NUMBER_OPERATIONS.register(*_ORDERS)
def _emit_order(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    if not isinstance(left.type, core.RankingType) and is_numbered(left.type):
        raise BatchUnsupportedError(f"{left.type} in order")
    if _is_ratio(left) or _is_ratio(right):
        first, second = _emit_ratio(c, left), _emit_ratio(c, right)
        one, other = first.upper * second.lower, second.upper * first.lower
    else:
        shape = c.shape(left)
        one, other = c.value(left), c.value(right)
        if not isinstance(shape, Scalar):
            one, other = lib.compare(c.module, shape, one, other), const(0)
    return one.operate(_ORDERS[node.name], other)


@NUMBER_OPERATIONS.register("not")
def _emit_not(c: RoutineCode, node: core.Op) -> Code:
    return ~c.test(node.arguments[0])
