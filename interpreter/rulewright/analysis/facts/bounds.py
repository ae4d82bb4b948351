"""Bounds of numbers: by their types, by what they are made of, and by facts."""

from collections.abc import Callable
from functools import reduce

from rulewright.analysis.facts.intervals import (
    WHOLE,
    Range,
    at_least,
    at_most,
    hull,
    negative,
    overlap,
    product,
    total,
)
from rulewright.analysis.facts.keys import claim, key, members
from rulewright.analysis.facts.knowledge import Facts
from rulewright.program.expressions import (
    Aggregate,
    Arithmetic,
    Binding,
    Builtin,
    Comprehension,
    Conditional,
    Expression,
    Interval,
    Joined,
    Local,
    MakeCollection,
    Narrowed,
    Negation,
)
from rulewright.program.types import ListType, NumberType, OptionalType, SetType

REORDERED = "in some order"
"""The name of what stands for a list with the members of a collection; no ruleset can call it."""

Distinct = Callable[[Facts, Expression, Expression], bool]


def value_of(facts: Facts, expression: Expression) -> Expression:
    """The only value a name can have, as far as it is known; anything else stands for itself."""
    found = values_of(facts, expression)
    return found[0] if len(found) == 1 else expression


def values_of(facts: Facts, expression: Expression) -> tuple[Expression, ...]:
    """The few values a name can have, as far as they are known; anything else stands for itself."""
    if isinstance(expression, Local):
        found = facts.values.get(expression.variable.index)
        if found is not None:
            return found[0]
    return (expression,)


def bounds_of(facts: Facts, expression: Expression, distinct: Distinct) -> Range:
    """The bounds of a number; `distinct` tells which members of a set are certainly two."""
    return _Bounds(facts, distinct).of(expression)


class _Bounds:
    """One look at the bounds of an expression."""

    def __init__(self, facts: Facts, distinct: Distinct) -> None:
        self._facts = facts
        self._distinct = distinct

    def of(self, expression: Expression) -> Range:
        declared = self._declared(expression)
        found = self._facts.ranges.get(key(expression)) if self._facts.ranges else None
        return overlap(declared, found[0]) if found is not None else declared

    def _declared(self, expression: Expression) -> Range:
        type_ = expression.type.inner if isinstance(expression.type, OptionalType) else expression.type
        by_type = (type_.low, type_.high) if isinstance(type_, NumberType) else WHOLE
        return overlap(by_type, self._made(expression))

    def _made(self, expression: Expression) -> Range:  # noqa: PLR0911 - one case for each sort
        match expression:
            case Narrowed(operand=operand):
                return self.of(operand)
            case Local():
                values = values_of(self._facts, expression)
                return WHOLE if expression in values else reduce(hull, (self.of(value) for value in values))
            case Negation(operand=operand):
                return negative(self.of(operand))
            case Arithmetic() if isinstance(expression.type, NumberType):
                return self._arithmetic(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return self._conditional(condition, then, otherwise)
            case Builtin(name=name, arguments=arguments):
                return self._builtin(name, arguments)
            case Aggregate(word="count", binding=binding):
                return self._size(binding)
            case _:
                return WHOLE

    def _arithmetic(self, expression: Arithmetic) -> Range:
        left, right = self.of(expression.left), self.of(expression.right)
        match expression.operator:
            case "+":
                return total(left, right)
            case "-":
                return total(left, negative(right))
            case "*":
                return product(left, right)
            case _:
                return WHOLE

    def _conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> Range:
        said = claim(condition)
        found = self._facts.truths.get(said.key)
        if found is not None:
            return self.of(then if found[0] == said.truth else otherwise)
        return hull(self.of(then), self.of(otherwise))

    def _builtin(self, name: str, arguments: tuple[Expression, ...]) -> Range:
        if not arguments or not all(isinstance(each.type, NumberType) for each in arguments):
            return self._of_fractions(name, arguments)
        ranges = [self.of(each) for each in arguments]
        match name:
            case "min":
                return _least(ranges)
            case "max":
                return negative(_least([negative(each) for each in ranges]))
            case "abs":
                return _magnitude(ranges[0])
            case "floor" | "ceiling" | "round":
                return ranges[0]
            case _:
                return WHOLE

    def _of_fractions(self, name: str, arguments: tuple[Expression, ...]) -> Range:
        """Bounds of `floor(a / b)` and the like, by bounds of a number and of one from 0; by 0 there is no value."""
        match arguments:
            case (Arithmetic(operator="/", left=left, right=right),) if name in {"floor", "ceiling", "round"}:
                least, most = self.of(right)
                if least is not None and least >= 0 and most != 0 and isinstance(left.type, NumberType):
                    return _divided(name, self.of(left), (max(1, least), most))
        return WHOLE

    def _size(self, binding: Binding) -> Range:
        whole = overlap((0, None), self._members(binding.source))
        if binding.where is None:
            return whole
        return 0, whole[1]

    def _members(self, source: Expression) -> Range:
        known = self._facts.ranges.get(("size", members(Binding((None,), source, None))))
        made = self._made_members(value_of(self._facts, source))
        return overlap(made, known[0]) if known is not None else made

    def _made_members(self, source: Expression) -> Range:  # noqa: PLR0911 - one case for each sort
        match source:
            case MakeCollection(items=items, type=ListType()):
                return len(items), len(items)
            case MakeCollection(items=items, type=SetType()):
                return self._certainly_different(items), len(items)
            case Interval(low=low, high=high):
                return at_least(total(total(self.of(high), negative(self.of(low))), (1, 1)), 0)
            case Comprehension(binding=binding, type=ListType()):
                return self._size(binding)
            case Comprehension(binding=binding):
                least, most = self._size(binding)
                return min(least or 0, 1), most
            case Builtin(name="in some order", arguments=(inner, _)):
                return self._members(inner)
            case Joined(operator="+", left=left, right=right):
                one, two = self._members(left), self._members(right)
                return max(one[0] or 0, two[0] or 0), total(one, two)[1]
            case _:
                return 0, None

    def _certainly_different(self, items: tuple[Expression, ...]) -> int:
        found: list[Expression] = []
        for item in items:
            if all(self._distinct(self._facts, item, other) for other in found):
                found.append(item)
        return len(found)


def _least(ranges: list[Range]) -> Range:
    lows = [low for low, _ in ranges if low is not None]
    bounds: Range = (min(lows) if len(lows) == len(ranges) else None, None)
    for _, high in ranges:
        bounds = at_most(bounds, high)
    return bounds


def _magnitude(range_: Range) -> Range:
    low, high = range_
    if low is not None and low >= 0:
        return range_
    if high is not None and high <= 0:
        return negative(range_)
    return 0, (None if low is None or high is None else max(-low, high))


def _divided(name: str, range_: Range, by: tuple[int, int | None]) -> Range:
    """Bounds of a rounded quotient: what is below 0 is least over the least divisor, what is above 0 over the most."""
    least, most = by
    low, high = range_
    first = None if low is None else _quotient(name, low, least if low < 0 else most)
    last = None if high is None else _quotient(name, high, most if high < 0 else least)
    return first, last


def _quotient(name: str, number: int, by: int | None) -> int:
    """A rounded quotient; by a number without bounds the one nearest to nothing, before it is rounded."""
    if by is None:
        return -1 if number < 0 and name == "floor" else 1 if number > 0 and name == "ceiling" else 0
    match name:
        case "floor":
            return number // by
        case "ceiling":
            return -(-number // by)
        case _:
            halves = (abs(number) * 2 + by) // (2 * by)
            return halves if number >= 0 else -halves
