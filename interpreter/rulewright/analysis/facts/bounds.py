"""Bounds of numbers: by their types, by what they are made of, and by facts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor

from rulewright.analysis.facts.intervals import (
    WHOLE,
    FractionRange,
    Range,
    at_least,
    greatest,
    hull,
    least,
    negative,
    overlap,
    product,
    quotient,
    total,
)
from rulewright.analysis.facts.knowledge import MOST_NAMES, MOST_PARTS, Facts, claim, conjuncts, key, members, selects
from rulewright.analysis.facts.opening import opened, substituted
from rulewright.analysis.reads import reads
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import chained
from rulewright.program.expressions import Binding, Expression, Variable

MOST_FORMS = 6
REORDERED = "in some order"
"""The name of what stands for a list with the members of a collection; no ruleset can call it."""

Judge = Callable[[Facts, Expression, Expression], bool]


def value_of(facts: Facts, expression: Expression) -> Expression:
    """The only value a name can have, as far as it is known; anything else stands for itself."""
    found = values_of(facts, expression)
    return found[0] if len(found) == 1 else expression


def values_of(facts: Facts, expression: Expression) -> tuple[Expression, ...]:
    """The few values a name can have, as far as they are known; anything else stands for itself."""
    if isinstance(expression, ex.Local):
        found = facts.values.get(expression.variable.index)
        if found is not None:
            return found[0]
    return (expression,)


def collection_of(facts: Facts, source: Expression, depth: int = 0) -> Expression:
    """What a collection is made of: a name by its only value, a term or attribute by its body."""
    value = value_of(facts, source)
    body = opened(value, facts.functions, depth)
    return value if body is None or body.value is None else collection_of(facts, body.value, depth + 1)


def forms(facts: Facts, binding: Binding) -> tuple[Binding, ...]:
    """A binding in every way to say it: `c in hand(p)` is `c in cards where c.owner = p` where that is the body."""
    found = [binding]
    while len(found) < MOST_FORMS and len(binding.variables) == 1:
        inner = selection_of(source := collection_of(facts, binding.source))
        if inner is not None:
            binding = within(binding, inner)
        elif source is not binding.source:
            binding = replace(binding, source=source)
        else:
            break
        found.append(binding)
    return tuple(found)


def within(outer: Binding, inner: Binding) -> Binding:
    """A binding over what another selects, as one over the members of that."""
    (name,), (own,) = outer.variables, inner.variables
    assert own is not None
    where = inner.where
    if where is not None and name is not None:
        where = substituted(where, {own.index: ex.Local(type=name.type, span=outer.source.span, variable=name)})
    wheres = [each for each in (where, outer.where) if each is not None]
    return Binding((name or own,), inner.source, chained(wheres, "and", inner.source.span) if wheres else None)


def selection_of(source: Expression) -> Binding | None:
    """What `{each x in S where C}` selects from what; none of another collection, or where members become one."""
    if isinstance(source, ex.Comprehension) and selects(source) and _keeps_number(source):
        return source.binding
    return None


def _left_by(binding: Binding, number: int) -> int:
    """How many of so many members of a set a `where` leaves at least: each `x != y` passes over one at most."""
    (name, *_) = binding.variables
    if name is None or not isinstance(binding.source.type, ty.SetType) or binding.where is None:
        return 0
    if not isinstance(name.type, ty.NumberType | ty.WordType | ty.ThingType | ty.CellType):
        return 0
    passed = [_unequal_to(each, name) for each in conjuncts(binding.where)]
    return max(0, number - len(passed)) if all(passed) else 0


def _unequal_to(condition: Expression, name: Variable) -> bool:
    """Whether a condition says that a member is not one value, which is the same for all members."""
    match condition:
        case ex.Comparison(operator="!=", left=left, right=right):
            sides = ((left, right), (right, left))
            own = f"local/{name.index}"
            return any(
                isinstance(one, ex.Local) and one.variable == name and own not in reads(two) for one, two in sides
            )
        case _:
            return False


def _keeps_number(source: ex.Comprehension) -> bool:
    """Whether no two members become one, as equal ones of a list do in a set."""
    return isinstance(source.type, ty.ListType) or isinstance(source.binding.source.type, ty.SetType | ty.PoolType)


def is_less(facts: Facts, small: Expression, great: Expression) -> bool:
    """Whether one number was found to be less than another."""
    found = facts.truths.get(("<", key(small), key(great)))
    return found is not None and found[0]


def bounds_of(facts: Facts, expression: Expression, distinct: Judge, at_most: Judge) -> Range:
    """The bounds of a number; `distinct` tells which members of a set are certainly two, `at_most` compares numbers."""
    return _Bounds(facts, distinct, at_most).of(expression)


def fraction_of(facts: Facts, expression: Expression, distinct: Judge, at_most: Judge) -> FractionRange:
    """The bounds of a number that need not be whole."""
    return _Bounds(facts, distinct, at_most).fraction(expression)


class _Bounds:
    """One look at the bounds of an expression."""

    def __init__(self, facts: Facts, distinct: Judge, at_most: Judge) -> None:
        self._facts = facts
        self._distinct = distinct
        self._at_most = at_most

    def of(self, expression: Expression) -> Range:
        declared, look = by_type(expression), self._facts.look
        if look.parts < MOST_PARTS and self._facts.goes_on():
            look.parts += 1
            declared = overlap(declared, self._made(expression))
            look.parts -= 1
        found = self._facts.ranges.get(key(expression)) if self._facts.ranges else None
        return overlap(declared, found[0]) if found is not None else declared

    def _made(self, expression: Expression) -> Range:  # noqa: PLR0911 - one case for each sort
        match expression:
            case ex.Narrowed(operand=operand):
                return self.of(operand)
            case ex.Local():
                return self._named(expression)
            case ex.Negation(operand=operand):
                return negative(self.of(operand))
            case ex.Arithmetic() if isinstance(expression.type, ty.NumberType):
                return self._arithmetic(expression)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self._conditional(condition, then, otherwise)
            case ex.Builtin(name=name, arguments=arguments):
                return self._builtin(name, arguments)
            case ex.Aggregate(word="count", binding=binding):
                return self._size(binding)
            case ex.Aggregate(word="sum", binding=binding, value=value) if _is_whole(value):
                assert value is not None
                return product(self._size(binding), self.of(value))
            case ex.Aggregate(word="min" | "max", value=value) if _is_whole(value):
                assert value is not None
                return self.of(value)
            case _:
                return WHOLE

    def _named(self, name: ex.Local) -> Range:
        """Bounds of the values a name can have, each name looked at once, and not beyond a number of them."""
        values = values_of(self._facts, name)
        if name in values:
            return WHOLE
        return self._followed(name, "number", lambda: reduce(hull, (self.of(value) for value in values))) or WHOLE

    def _followed(self, name: ex.Local, what: str, find: Callable[[], Range]) -> Range | None:
        look = self._facts.look
        if look.names >= MOST_NAMES:
            return None
        place = what, name.variable.index, look.names
        if place not in look.ranges:
            look.names += 1
            look.ranges[place] = find()
            look.names -= 1
        return look.ranges[place]

    def _arithmetic(self, expression: ex.Arithmetic) -> Range:
        left, right = self.of(expression.left), self.of(expression.right)
        match expression.operator:
            case "+":
                return total(left, right)
            case "-":
                return overlap(total(left, negative(right)), self._difference(expression.left, expression.right))
            case "*":
                return product(left, right)
            case _:
                return WHOLE

    def _difference(self, left: Expression, right: Expression) -> Range:
        """Bounds by what was compared: `a - b` is not below 0 where `b` is not above `a`."""
        low = 0 if self._at_most(self._facts, right, left) else None
        high = 0 if self._at_most(self._facts, left, right) else None
        return (1 if is_less(self._facts, right, left) else low), (-1 if is_less(self._facts, left, right) else high)

    def _conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> Range:
        said = claim(condition)
        found = self._facts.truths.get(said.key)
        if found is not None:
            return self.of(then if found[0] == said.truth else otherwise)
        return hull(self.of(then), self.of(otherwise))

    def _builtin(self, name: str, arguments: tuple[Expression, ...]) -> Range:  # noqa: PLR0911 - one case for each
        match name, arguments:
            case "floor" | "ceiling" | "round", (argument,):
                return _rounded(name, self.fraction(argument))
            case "distance", (one, other) if key(one) == key(other):
                return 0, 0
            case "total", (argument,) if isinstance(argument.type, ty.PoolType):
                face = argument.type.face
                known = (face.low, face.high) if isinstance(face, ty.NumberType) else WHOLE
                return product(overlap((0, None), self._members(argument)), known)
        if not arguments or not all(isinstance(each.type, ty.NumberType) for each in arguments):
            return WHOLE
        ranges = [self.of(each) for each in arguments]
        match name:
            case "min":
                return least(ranges)
            case "max":
                return greatest(ranges)
            case "abs":
                return _magnitude(ranges[0])
            case _:
                return WHOLE

    def fraction(self, expression: Expression) -> FractionRange:  # noqa: C901, PLR0911 - one case for each sort
        """Bounds of a number that need not be whole; what a whole number is divided by is not 0."""
        if isinstance(expression.type, ty.NumberType):
            low, high = self.of(expression)
            return (None if low is None else Fraction(low)), (None if high is None else Fraction(high))
        match expression if isinstance(expression.type, ty.FractionType | ty.LengthType) else None:
            case ex.Literal(value=int() | Fraction() as value):
                return Fraction(value), Fraction(value)
            case ex.Narrowed(operand=operand):
                return self.fraction(operand)
            case ex.Negation(operand=operand):
                return negative(self.fraction(operand))
            case ex.Arithmetic(operator="+", left=left, right=right):
                return total(self.fraction(left), self.fraction(right))
            case ex.Arithmetic(operator="-", left=left, right=right):
                return total(self.fraction(left), negative(self.fraction(right)))
            case ex.Arithmetic(operator="*", left=left, right=right):
                return product(self.fraction(left), self.fraction(right))
            case ex.Arithmetic(operator="/", left=left, right=right):
                return quotient(self.fraction(left), self._divisor(right))
            case ex.Builtin(name="min" | "max" as name, arguments=arguments):
                sides = [self.fraction(each) for each in arguments]
                return least(sides) if name == "min" else greatest(sides)
            case ex.Aggregate(word="sum", binding=binding, value=value) if value is not None:
                low, high = self._size(binding)
                return product((Fraction(low or 0), None if high is None else Fraction(high)), self.fraction(value))
            case _:
                return None, None

    def _divisor(self, expression: Expression) -> FractionRange:
        """Bounds of what something is divided by: a whole number from 0 is 1 at least, for by 0 there is no value."""
        low, high = self.fraction(expression)
        whole = isinstance(expression.type, ty.NumberType)
        return (Fraction(1) if whole and low == 0 and high != 0 else low), high

    def _size(self, binding: Binding) -> Range:
        found: Range = (0, None)
        for form in forms(self._facts, binding):
            known = self._facts.ranges.get(("size", members(form)))
            whole = self._members(form.source)
            found = overlap(found, whole if form.where is None else (_left_by(form, whole[0] or 0), whole[1]))
            found = found if known is None else overlap(found, known[0])
        return found

    def _members(self, source: Expression) -> Range:
        known = self._facts.ranges.get(("size", members(Binding((None,), source, None))))
        made = self._held(source) if self._facts.goes_on() else (0, None)
        return overlap(made, known[0]) if known is not None else made

    def _held(self, source: Expression) -> Range:
        value = value_of(self._facts, source)
        if value is source or not isinstance(source, ex.Local):
            return self._made_members(value)
        return self._followed(source, "members", lambda: self._made_members(value)) or (0, None)

    def _made_members(self, source: Expression) -> Range:  # noqa: PLR0911 - one case for each sort
        match source:
            case ex.MakeCollection(items=items, type=ty.ListType()):
                return len(items), len(items)
            case ex.MakeCollection(items=items, type=ty.SetType()):
                return self._certainly_different(items), len(items)
            case ex.Interval(low=low, high=high):
                size = total(total(self.of(high), negative(self.of(low))), (1, 1))
                return at_least(size, 1 if self._at_most(self._facts, low, high) else 0)
            case ex.InPlay(kind=kind) if kind in self._facts.numbers:
                return self._facts.numbers[kind]
            case ex.Comprehension(binding=binding, type=ty.ListType()):
                return self._size(binding)
            case ex.Comprehension(binding=binding):
                least, most = self._size(binding)
                return min(least or 0, 1), most
            case ex.Builtin(name="in some order" | "sorted", arguments=(inner, *_)):
                return self._members(inner)
            case ex.Joined(operator="+", left=left, right=right):
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


def by_type(expression: Expression) -> Range:
    """The bounds that the type of a number gives."""
    type_ = ty.present(expression.type)
    return (type_.low, type_.high) if isinstance(type_, ty.NumberType) else WHOLE


def _magnitude(range_: Range) -> Range:
    low, high = range_
    if low is not None and low >= 0:
        return range_
    if high is not None and high <= 0:
        return negative(range_)
    return 0, (None if low is None or high is None else max(-low, high))


def _rounded(name: str, range_: FractionRange) -> Range:
    low, high = range_
    return (None if low is None else _ROUNDINGS[name](low)), (None if high is None else _ROUNDINGS[name](high))


def _round(number: Fraction) -> int:
    """The nearest whole number; halves go away from zero."""
    nearest = floor(abs(number) + Fraction(1, 2))
    return nearest if number >= 0 else -nearest


_ROUNDINGS: Mapping[str, Callable[[Fraction], int]] = {"floor": floor, "ceiling": ceil, "round": _round}


def _is_whole(value: Expression | None) -> bool:
    return value is not None and isinstance(value.type, ty.NumberType)
