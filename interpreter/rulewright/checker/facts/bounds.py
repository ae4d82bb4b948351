"""Interval analysis of numbers: from types, from the structure of expressions, and from facts."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial, reduce
from math import ceil, floor

from rulewright.base.frozen import replace
from rulewright.checker.facts.fact_store import (
    MAX_FOLLOWED_NAMES,
    MAX_NESTED_BOUNDS,
    Facts,
    is_plain_selection,
    make_key,
    make_members_key,
    normalize_claim,
)
from rulewright.checker.facts.inlining import inline_value, substitute_locals
from rulewright.checker.facts.intervals import (
    UNBOUNDED,
    Interval,
    add_intervals,
    apply_tally_change,
    clip_below,
    compute_maximum_interval,
    compute_minimum_interval,
    divide_intervals,
    intersect_intervals,
    join_intervals,
    multiply_intervals,
    negate_interval,
    widen_repeated_bounds,
)
from rulewright.checker.facts.linear_forms import bound_sum
from rulewright.checker.read_sets import collect_reads
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import chain_conditions, split_conjuncts
from rulewright.program.declarations import Tally
from rulewright.program.expressions import Binding, Expression, TallyRow, Variable

MAX_NESTED_TALLIES = 4  # tallies bounded for each other
MAX_BINDING_FORMS = 6  # equivalent forms of one binding
REORDERED_BUILTIN = "in some order"
"""Internal function: a list with the members of a collection in any order; no ruleset can call it."""

ComparisonJudge = Callable[[Facts, Expression, Expression], bool]


def resolve_only_value(facts: Facts, expression: Expression) -> Expression:
    """The only value a name can have, if known; any other expression itself."""
    items = resolve_values(facts, expression)
    return items[0] if len(items) == 1 else expression


def resolve_values(facts: Facts, expression: Expression) -> tuple[Expression, ...]:
    """The few values a name can have, if known; any other expression itself."""
    if isinstance(expression, ex.Local):
        items = facts.values.get(expression.variable.index)
        if items is not None:
            return items[0]
    return (expression,)


def resolve_collection(facts: Facts, source: Expression, depth: int = 0) -> Expression:
    """Definition of a collection: the only value of a name, the body of a term or attribute."""
    value = resolve_only_value(facts, source)
    body = inline_value(value, facts.functions, depth)
    return value if body is None else resolve_collection(facts, body, depth + 1)


def expand_binding_forms(facts: Facts, binding: Binding) -> tuple[Binding, ...]:
    """Equivalent forms of a binding: `c in hand(p)` is `c in cards where c.owner = p` where that is the body."""
    items = [binding]
    while len(items) < MAX_BINDING_FORMS and len(binding.variables) == 1:
        inner = get_selection_binding(source := resolve_collection(facts, binding.source))
        if inner is not None:
            binding = compose_bindings(binding, inner)
        elif source is not binding.source:
            binding = replace(binding, source=source)
        else:
            break
        items.append(binding)
    return tuple(items)


def compose_bindings(outer: Binding, inner: Binding) -> Binding:
    """Binding over a selection as a binding over the members of its source."""
    (name,), (inner_name,) = outer.variables, inner.variables
    assert inner_name is not None
    where = inner.where
    if where is not None and name is not None:
        where = substitute_locals(
            where, {inner_name.index: ex.Local(type=name.type, span=outer.source.span, variable=name)}
        )
    wheres = [item for item in (where, outer.where) if item is not None]
    return Binding(
        (name or inner_name,), inner.source, chain_conditions(wheres, "and", inner.source.span) if wheres else None
    )


def get_selection_binding(source: Expression) -> Binding | None:
    """Binding of `{each x in S where C}`; None of other collections, or where members may become one."""
    if isinstance(source, ex.Comprehension) and is_plain_selection(source) and _is_count_preserving(source):
        return source.binding
    return None


def _count_min_remaining(binding: Binding, number: int) -> int:
    """Least number of set members that a `where` leaves: each `x != y` excludes one at most."""
    (name, *_) = binding.variables
    if name is None or not isinstance(binding.source.type, ty.SetType) or binding.where is None:
        return 0
    if not isinstance(name.type, ty.NumberType | ty.WordType | ty.ThingType | ty.CellType):
        return 0
    passed = [_is_single_exclusion(conjunct, name) for conjunct in split_conjuncts(binding.where)]
    return max(0, number - len(passed)) if all(passed) else 0


def _is_single_exclusion(condition: Expression, name: Variable) -> bool:
    """Whether a condition says that a member is not one value, which is the same for all members."""
    match condition:
        case ex.Comparison(operator="!=", left=left, right=right):
            sides = ((left, right), (right, left))
            member_key = f"local/{name.index}"
            return any(
                isinstance(one, ex.Local) and one.variable == name and member_key not in collect_reads(two)
                for one, two in sides
            )
        case _:
            return False


def _is_count_preserving(source: ex.Comprehension) -> bool:
    """Whether no two members become one, as equal ones of a list do in a set."""
    return isinstance(source.type, ty.ListType) or isinstance(source.binding.source.type, ty.SetType | ty.PoolType)


def is_known_less(facts: Facts, small: Expression, great: Expression) -> bool:
    items = facts.truths.get(("<", make_key(small), make_key(great)))
    return items is not None and items[0]


def compute_bounds(
    facts: Facts, expression: Expression, distinct: ComparisonJudge, at_most: ComparisonJudge
) -> Interval:
    """Interval of a number.

    `distinct` judges whether members of a set are certainly two, `at_most` compares numbers.
    """
    return _IntervalEvaluator(facts, distinct, at_most).evaluate_bounds(expression)


class _IntervalEvaluator:
    def __init__(self, facts: Facts, distinct: ComparisonJudge, at_most: ComparisonJudge, tally_depth: int = 0) -> None:
        self._facts = facts
        self._distinct = distinct
        self._at_most = at_most
        self._tally_depth = tally_depth  # tallies bounded for each other, nested

    def evaluate_bounds(self, expression: Expression) -> Interval:
        declared, session = get_type_bounds(expression), self._facts.session
        if session.open_bounds < MAX_NESTED_BOUNDS and self._facts.take_step():
            session.open_bounds += 1
            declared = intersect_intervals(declared, self._evaluate_structure(expression))
            session.open_bounds -= 1
        items = self._facts.ranges.get(make_key(expression)) if self._facts.ranges else None
        return intersect_intervals(declared, items[0]) if items is not None else declared

    def _evaluate_structure(self, expression: Expression) -> Interval:
        is_whole = isinstance(expression.type, ty.NumberType)
        match expression:
            case ex.Narrowed(operand=operand):
                return self.evaluate_bounds(operand)
            case ex.Local():
                return self._bound_local(expression)
            case ex.Negation(operand=operand):
                return negate_interval(self.evaluate_bounds(operand))
            case ex.Literal(value=Fraction() as value):
                return value, value
            case ex.Arithmetic():
                return self._bound_arithmetic(expression)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self._bound_conditional(condition, then, otherwise)
            case ex.Builtin(name=name, arguments=arguments):
                return self._bound_builtin(name, arguments)
            case ex.Aggregate(word="count", binding=binding):
                return self._bound_size(binding)
            case ex.Aggregate(word="sum", binding=binding, value=value) if value is not None:
                return multiply_intervals(self._bound_size(binding), self.evaluate_bounds(value))
            case ex.Aggregate(word="min" | "max", value=value) if value is not None:
                return self.evaluate_bounds(value)
            case ex.CallFunction(function=name) if not is_whole and name in self._facts.functions:
                return self._bound_tally(self._facts.functions[name].body)
            case _:
                return UNBOUNDED

    def _bound_local(self, name: ex.Local) -> Interval:
        values = resolve_values(self._facts, name)
        if name in values:
            return UNBOUNDED
        return (
            self._follow_local(
                name, "number", lambda: reduce(join_intervals, (self.evaluate_bounds(value) for value in values))
            )
            or UNBOUNDED
        )

    def _follow_local(self, name: ex.Local, what: str, find: Callable[[], Interval]) -> Interval | None:
        session = self._facts.session
        if session.followed_names >= MAX_FOLLOWED_NAMES:
            return None
        place = what, name.variable.index, session.followed_names
        if place not in session.bounds_by_name:
            session.followed_names += 1
            session.bounds_by_name[place] = find()
            session.followed_names -= 1
        return session.bounds_by_name[place]

    def _bound_arithmetic(self, expression: ex.Arithmetic) -> Interval:
        left, right = self.evaluate_bounds(expression.left), self.evaluate_bounds(expression.right)
        is_whole = isinstance(expression.type, ty.NumberType)
        known = self._bound_by_terms(expression) if is_whole and expression.operator in {"+", "-"} else UNBOUNDED
        match expression.operator:
            case "+":
                return intersect_intervals(add_intervals(left, right), known)
            case "-":
                if is_whole:
                    known = intersect_intervals(known, self._bound_difference(expression.left, expression.right))
                    known = intersect_intervals(known, self._bound_remainder(expression.left, expression.right))
                return intersect_intervals(add_intervals(left, negate_interval(right)), known)
            case "*":
                return multiply_intervals(left, right)
            case _:
                return divide_intervals(left, self._bound_divisor(expression.right, right))

    def _bound_by_terms(self, total: ex.Arithmetic) -> Interval:
        return bound_sum(self._facts, total, partial(resolve_only_value, self._facts), self.evaluate_bounds)

    def _bound_difference(self, left: Expression, right: Expression) -> Interval:
        """Bounds by comparisons: `a - b` is not below 0 where `b` is not above `a`."""
        low = 0 if self._at_most(self._facts, right, left) else None
        high = 0 if self._at_most(self._facts, left, right) else None
        return (1 if is_known_less(self._facts, right, left) else low), (
            -1 if is_known_less(self._facts, left, right) else high
        )

    def _bound_remainder(self, number: Expression, product: Expression) -> Interval:
        """Bounds of `n - d * floor(n / d)`, which is less than `d`."""
        resolve = partial(resolve_only_value, self._facts)
        match resolve(product):
            case ex.Arithmetic(operator="*", left=left, right=right):
                for divisor, quotient in ((left, right), (right, left)):
                    match resolve(quotient):
                        case ex.Builtin(
                            name="floor", arguments=(ex.Arithmetic(operator="/", left=whole, right=by),)
                        ) if make_key(resolve(whole)) == make_key(resolve(number)) and make_key(
                            resolve(by)
                        ) == make_key(resolve(divisor)):
                            least, most = self.evaluate_bounds(divisor)
                            return (0, None if most is None else most - 1) if (least or 0) > 0 else UNBOUNDED
                        case _:
                            pass
            case _:
                pass
        return UNBOUNDED

    def _bound_conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> Interval:
        claim = normalize_claim(condition)
        items = self._facts.truths.get(claim.key)
        if items is not None:
            return self.evaluate_bounds(then if items[0] == claim.truth else otherwise)
        return join_intervals(self.evaluate_bounds(then), self.evaluate_bounds(otherwise))

    def _bound_builtin(self, name: str, arguments: tuple[Expression, ...]) -> Interval:
        match name, arguments:
            case "floor" | "ceiling" | "round", (argument,):
                return _round_bounds(name, self.evaluate_bounds(argument))
            case "distance", (one, other) if make_key(one) == make_key(other):
                return 0, 0
            case "total", (argument,) if isinstance(argument.type, ty.PoolType):
                face = argument.type.face
                known = (face.low, face.high) if isinstance(face, ty.NumberType) else UNBOUNDED
                return multiply_intervals(intersect_intervals((0, None), self._bound_member_count(argument)), known)
        if not arguments or not all(isinstance(item.type, ty.NUMERIC) for item in arguments):
            return UNBOUNDED
        ranges = [self.evaluate_bounds(item) for item in arguments]
        match name:
            case "min":
                return compute_minimum_interval(ranges)
            case "max":
                return compute_maximum_interval(ranges)
            case "abs":
                return _make_absolute_bounds(ranges[0])
            case _:
                return UNBOUNDED

    def _bound_tally(self, body: object) -> Interval:
        """Bounds of a tally whatever its arguments are: its rows in order, with the types of what they read."""
        if not isinstance(body, Tally) or self._tally_depth >= MAX_NESTED_TALLIES:
            return UNBOUNDED
        facts = self._facts.without_learnt()
        anywhere = _IntervalEvaluator(facts, self._distinct, self._at_most, self._tally_depth + 1)
        bounds = anywhere.evaluate_bounds(body.start)
        for row in body.rows:
            bounds = bound_after_tally_row(row, bounds, anywhere.evaluate_bounds(row.amount))
        return bounds

    def _bound_divisor(self, expression: Expression, bounds: Interval) -> Interval:
        """Bounds of a divisor: a whole number from 0 is at least 1, for by 0 there is no value."""
        low, high = bounds
        return (1 if isinstance(expression.type, ty.NumberType) and low == 0 and high != 0 else low), high

    def _bound_size(self, binding: Binding) -> Interval:
        result: Interval = (0, None)
        for form in expand_binding_forms(self._facts, binding):
            known = self._facts.ranges.get(("size", make_members_key(form)))
            whole = self._bound_member_count(form.source)
            result = intersect_intervals(
                result, whole if form.where is None else (_count_min_remaining(form, whole[0] or 0), whole[1])
            )
            result = result if known is None else intersect_intervals(result, known[0])
        return result

    def _bound_member_count(self, source: Expression) -> Interval:
        known = self._facts.ranges.get(("size", make_members_key(Binding((None,), source, None))))
        bounds = self._bound_held_members(source) if self._facts.take_step() else (0, None)
        return intersect_intervals(bounds, known[0]) if known is not None else bounds

    def _bound_held_members(self, source: Expression) -> Interval:
        value = resolve_only_value(self._facts, source)
        if value is source or not isinstance(source, ex.Local):
            return self._bound_members_by_structure(value)
        return self._follow_local(source, "members", lambda: self._bound_members_by_structure(value)) or (0, None)

    def _bound_members_by_structure(self, source: Expression) -> Interval:
        match source:
            case ex.MakeCollection(items=items, type=ty.ListType()):
                return len(items), len(items)
            case ex.MakeCollection(items=items, type=ty.SetType()):
                return self._count_distinct_items(items), len(items)
            case ex.Interval(low=low, high=high):
                size = add_intervals(
                    add_intervals(self.evaluate_bounds(high), negate_interval(self.evaluate_bounds(low))), (1, 1)
                )
                return clip_below(size, 1 if self._at_most(self._facts, low, high) else 0)
            case ex.InPlay(kind=kind) if kind in self._facts.kind_counts:
                return self._facts.kind_counts[kind]
            case ex.Comprehension(binding=binding, type=ty.ListType()):
                return self._bound_size(binding)
            case ex.Comprehension(binding=binding):
                least, most = self._bound_size(binding)
                return min(least or 0, 1), most
            case ex.Builtin(name="in some order" | "sorted", arguments=(inner, *_)):
                return self._bound_member_count(inner)
            case ex.Joined(operator="+", left=left, right=right):
                one, two = self._bound_member_count(left), self._bound_member_count(right)
                return max(one[0] or 0, two[0] or 0), add_intervals(one, two)[1]
            case _:
                return 0, None

    def _count_distinct_items(self, items: tuple[Expression, ...]) -> int:
        result: list[Expression] = []
        for item in items:
            if all(self._distinct(self._facts, item, other) for other in result):
                result.append(item)
        return len(result)


def bound_after_tally_row(row: TallyRow, bounds: Interval, amount: Interval) -> Interval:
    """Interval of the running value of a tally after a row."""
    changed = apply_tally_change(row.change, bounds, amount)
    if row.binding is not None:
        return widen_repeated_bounds(bounds, changed)
    return changed if row.guard is None else join_intervals(bounds, changed)


def get_type_bounds(expression: Expression) -> Interval:
    type_ = ty.strip_optional(expression.type)
    return (type_.low, type_.high) if isinstance(type_, ty.NumberType) else UNBOUNDED


def _make_absolute_bounds(range_: Interval) -> Interval:
    low, high = range_
    if low is not None and low >= 0:
        return range_
    if high is not None and high <= 0:
        return negate_interval(range_)
    return 0, (None if low is None or high is None else max(-low, high))


def _round_bounds(name: str, range_: Interval) -> Interval:
    low, high = range_
    return (None if low is None else _ROUNDINGS[name](low)), (None if high is None else _ROUNDINGS[name](high))


def _round_half_away(number: Fraction) -> int:
    """Nearest whole number; halves go away from zero."""
    nearest = floor(abs(number) + Fraction(1, 2))
    return nearest if number >= 0 else -nearest


_ROUNDINGS: Mapping[str, Callable[[Fraction], int]] = {"floor": floor, "ceiling": ceil, "round": _round_half_away}
