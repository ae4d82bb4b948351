"""What an expression comes to where what it reads is known."""

from collections.abc import Mapping
from typing import Any

from rulewright.comparing.playing.forms import members
from rulewright.comparing.playing.reading import Key, Reading
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import NumberType, OptionalType, Type, present


class _FaultError(Exception):
    """A value does not fit its slot."""


class Working:
    """Works out expressions of one revision for one combination of what they read."""

    def __init__(self, reading: Reading, side: int, given: Mapping[Key, Any]) -> None:
        self._reading = reading
        self._side = side
        self._given = given
        self._unsteady: list[Key] = []

    def result(self, root: Expression) -> tuple[Any, tuple[Key, ...]]:
        """What an expression comes to, and what was read on the way that may fail or ask."""
        try:
            value = self._value(root)
        except (_FaultError, TypeError):
            value = ("fault",)
        return value, tuple(self._unsteady)

    def _value(self, node: Expression) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912
        of = self._value
        plan = self._reading.plans.get(id(node))
        if plan is not None:
            return self._planned(plan, node)
        match node:
            case ex.Literal(value=value):
                return value
            case ex.WordLiteral(position=position):
                return position
            case ex.Not(operand=operand):
                return not of(operand)
            case ex.Negation(operand=operand):
                return -of(operand)
            case ex.Narrowed(operand=operand, type=type_):
                return _fitting(of(operand), type_)
            case ex.Logical(operator="and", left=left, right=right):
                return of(left) and of(right)
            case ex.Logical(left=left, right=right):
                return of(left) or of(right)
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return _computed(operator, of(left), of(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return of(then) if of(condition) else of(otherwise)
            case ex.Comparison(operator=operator, left=left, right=right):
                return ex.COMPARES[operator](of(left), of(right))
            case ex.Membership(item=item, collection=ex.Interval(low=low, high=high), negated=negated):
                return (of(low) <= of(item) <= of(high)) != negated
            case ex.Membership(item=item, collection=collection, negated=negated):
                return (of(item) in [of(each) for each in members(collection)]) != negated
        message = f"nothing known of {type(node).__name__}"
        raise AssertionError(message)

    def _planned(self, plan: tuple[str, Any], node: Expression) -> Any:  # noqa: ANN401
        sort, told = plan
        if sort == "kept":
            return told
        key, flag = told
        if not self._reading.language.steady[self._side].is_steady(node):
            self._unsteady.append(key)
        if sort == "sign":
            assert isinstance(node, ex.Comparison)
            return ex.COMPARES[node.operator](-self._given[key] if flag else self._given[key], 0)
        return self._given[key] if flag else not self._given[key]


def _computed(operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _fitting(value: Any, type_: Type) -> Any:  # noqa: ANN401
    bounds = present(type_)
    if value is None and not isinstance(type_, OptionalType):
        raise _FaultError
    if isinstance(bounds, NumberType) and value is not None:
        below = bounds.low is not None and value < bounds.low
        if below or (bounds.high is not None and value > bounds.high):
            raise _FaultError
    return value
