"""Linear sums, and conditions on one value as sets of intervals, so that equal conditions are written alike."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from rulewright.base.frozen import dataclass, replace
from rulewright.base.source import Span
from rulewright.program import expressions as ex
from rulewright.program.conditions import chain_conditions, combine_conditions, is_none_literal
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.types import FLAG, WHOLE, ListType, NumberType, OptionalType, SetType, WordType, strip_optional

TermKey = Callable[[Expression], Any]


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """Coefficient and value."""

    coefficient: int
    value: Expression


@dataclass(frozen=True, slots=True)
class LinearSum:
    """Linear sum: terms with distinct values and nonzero coefficients, and a constant."""

    terms: tuple[LinearTerm, ...]
    constant: int


def parse_linear_sum(node: Expression, key: TermKey, may_go: Callable[[Expression], bool]) -> LinearSum | None:
    """Expression as a linear sum; None where a value cancels out that may not be dropped."""
    mapping: dict[Any, tuple[int, Expression]] = {}
    number = _gather_terms(node, 1, key, mapping)
    cancelled = (value for times, value in mapping.values() if times == 0)
    if not all(map(may_go, cancelled)):
        return None
    terms = sorted((item for item in mapping.items() if item[1][0]), key=lambda item: item[0])
    return LinearSum(tuple(LinearTerm(*item) for _, item in terms), number)


def _gather_terms(node: Expression, times: int, key: TermKey, terms: dict[Any, tuple[int, Expression]]) -> int:
    """Adds the terms of an expression to `terms`; returns its constant."""
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return times * value
        case ex.Negation(operand=operand):
            return _gather_terms(operand, -times, key, terms)
        case ex.Arithmetic(operator="+" | "-" as operator, left=left, right=right) if _is_all_whole(left, right):
            second = times if operator == "+" else -times
            return _gather_terms(left, times, key, terms) + _gather_terms(right, second, key, terms)
        case ex.Arithmetic(operator="*", left=ex.Literal(value=int() as value), right=right) if _is_all_whole(right):
            return _gather_terms(right, times * value, key, terms)
        case ex.Arithmetic(operator="*", left=left, right=ex.Literal(value=int() as value)) if _is_all_whole(left):
            return _gather_terms(left, times * value, key, terms)
        case _:
            before = terms.get(key(node), (0, node))[0]
            terms[key(node)] = before + times, node
            return 0


def _is_all_whole(*nodes: Expression) -> bool:
    return all(isinstance(node.type, NumberType) for node in nodes)


def build_sum(linear_sum: LinearSum, span: Span) -> Expression:
    """Canonical expression of a sum."""
    more = [term for term in linear_sum.terms if term.coefficient > 0]
    less = [term for term in linear_sum.terms if term.coefficient < 0]
    if not more:
        value: Expression = make_constant(linear_sum.constant, span)
    else:
        value = _add_terms(more)
    for linear_term in less:
        value = _make_arithmetic("-", value, _scale_value(-linear_term.coefficient, linear_term.value))
    if more and linear_sum.constant:
        value = _make_arithmetic(
            "+" if linear_sum.constant > 0 else "-", value, make_constant(abs(linear_sum.constant), span)
        )
    return value


def build_sum_comparison(linear_sum: LinearSum, operator: str, span: Span) -> ex.Comparison:
    """Comparison of a sum with zero (`=`, `!=` or `<=`), with nothing subtracted on either side."""
    turned = operator != "<=" and bool(linear_sum.terms) and linear_sum.terms[0].coefficient < 0
    sign = -1 if turned else 1
    left = [LinearTerm(sign * term.coefficient, term.value) for term in linear_sum.terms if sign * term.coefficient > 0]
    right = [
        LinearTerm(-sign * term.coefficient, term.value) for term in linear_sum.terms if sign * term.coefficient < 0
    ]
    number = sign * linear_sum.constant
    first, second = _build_sum_side(left, max(0, number), span), _build_sum_side(right, max(0, -number), span)
    return ex.Comparison(type=FLAG, span=span, operator=operator, left=first, right=second)


def _build_sum_side(terms: Sequence[LinearTerm], number: int, span: Span) -> Expression:
    if not terms:
        return make_constant(number, span)
    value = _add_terms(terms)
    return _make_arithmetic("+", value, make_constant(number, span)) if number else value


def _add_terms(terms: Sequence[LinearTerm]) -> Expression:
    value = _scale_value(terms[0].coefficient, terms[0].value)
    for term in terms[1:]:
        value = _make_arithmetic("+", value, _scale_value(term.coefficient, term.value))
    return value


def _scale_value(times: int, value: Expression) -> Expression:
    return value if times == 1 else _make_arithmetic("*", make_constant(times, value.span), value)


def _make_arithmetic(operator: str, left: Expression, right: Expression) -> ex.Arithmetic:
    return ex.Arithmetic(type=WHOLE, span=left.span, operator=operator, left=left, right=right)


def make_constant(value: int, span: Span) -> ex.Literal:
    return ex.Literal(type=NumberType(value, value), span=span, value=value)


ValueInterval = tuple[int | None, int | None]
_NONE_POSITION = -1


@dataclass(frozen=True, slots=True)
class ValueSubset:
    """Set of the values of an expression for which a condition holds."""

    subject: Expression
    domain: ValueInterval  # of possible values; an open end is None. Words count from 0, `none` is -1
    intervals: tuple[ValueInterval, ...]  # where the condition holds: disjoint, ascending

    @property
    def complement(self) -> "ValueSubset":
        return replace(self, intervals=tuple(_subtract_intervals(self.domain, self.intervals)))

    def combine_with(self, other: "ValueSubset", operator: str) -> "ValueSubset":
        """Intersection (`and`) or union (`or`) with a condition on the same expression that is evaluated after it."""
        if operator == "or":
            return replace(self, intervals=_clip_intervals((*self.intervals, *other.intervals), self.domain))
        outside = (
            *_subtract_intervals(self.domain, self.intervals),
            *_subtract_intervals(self.domain, _clip_intervals(other.intervals, self.domain)),
        )
        return replace(self, intervals=tuple(_subtract_intervals(self.domain, _clip_intervals(outside, self.domain))))


class SubsetTranslator:
    """Translation between conditions and subsets; `same` compares two values."""

    def __init__(self, program: Program, same: Callable[[Expression, Expression], bool]) -> None:
        self._values = program.values
        self._is_same_value = same

    def read_condition(self, node: Expression) -> ValueSubset | None:
        """Subset of a condition; None where it has more than one value, or one of another type."""
        match node:
            case ex.Not(operand=operand):
                value_subset = self.read_condition(operand)
                return None if value_subset is None else value_subset.complement
            case ex.Comparison(operator=operator, left=left, right=right):
                if _constant_position(right) is not None:
                    return self._read_comparison(left, operator, right)
                return self._read_comparison(right, ex.MIRRORED_OPERATORS[operator], left)
            case ex.Membership(item=item, collection=collection, negated=negated):
                value_subset = self._read_membership(item, collection)
                return value_subset.complement if value_subset is not None and negated else value_subset
            case ex.Logical(operator=operator, left=left, right=right):
                first, second = self.read_condition(left), self.read_condition(right)
                if first is None or second is None or not self._is_same_value(first.subject, second.subject):
                    return None
                return first.combine_with(second, operator)
            case _:
                return None

    def _read_comparison(self, subject: Expression, operator: str, constant: Expression) -> ValueSubset | None:
        value = _constant_position(constant)
        if value is None or (
            value == _NONE_POSITION and isinstance(subject.type, NumberType) and is_none_literal(constant)
        ):
            return None
        pieces: dict[str, tuple[ValueInterval, ...]] = {
            "=": ((value, value),),
            "!=": ((None, value - 1), (value + 1, None)),
            "<": ((None, value - 1),),
            "<=": ((None, value),),
            ">": ((value + 1, None),),
            ">=": ((value, None),),
        }
        return self._make_subset(subject, pieces[operator])

    def _read_membership(self, subject: Expression, collection: Expression) -> ValueSubset | None:
        match collection:
            case ex.Interval(low=low, high=high):
                ends = _constant_position(low), _constant_position(high)
                if None in ends:
                    return None
                return self._make_subset(subject, (ends,) if ends[0] <= ends[1] else ())  # type: ignore[operator]
            case ex.MakeCollection(type=SetType() | ListType(), items=items):
                values = [_constant_position(item) for item in items]
                result = [value for value in values if value is not None]
                return (
                    self._make_subset(subject, [(item, item) for item in result])
                    if len(result) == len(values)
                    else None
                )
            case _:
                return None

    def _make_subset(self, subject: Expression, pieces: Iterable[ValueInterval]) -> ValueSubset | None:
        whole = self._find_domain(subject)
        if whole is None or _constant_position(subject) is not None:
            return None
        return ValueSubset(subject, whole, _clip_intervals(pieces, whole))

    def _find_domain(self, subject: Expression) -> ValueInterval | None:
        match subject.type:
            case NumberType(low, high):
                return low, high
            case WordType(values):
                return 0, len(self._values[values].words) - 1
            case OptionalType(WordType(values)):
                return _NONE_POSITION, len(self._values[values].words) - 1
            case _:
                return None

    def write_condition(self, subset: ValueSubset) -> Expression:
        """Canonical condition of a subset."""
        if not subset.intervals or subset.intervals == (subset.domain,):
            return _make_flag(subset, value=bool(subset.intervals))
        if isinstance(subset.subject.type, NumberType):
            outside = subset.complement.intervals
            if (
                len(outside) == 1
                and outside[0][0] == outside[0][1] is not None
                and not _is_single_value(subset.intervals)
            ):
                return _make_comparison(subset, "!=", outside[0][0])
            return chain_conditions(
                [self._write_interval(subset, interval) for interval in subset.intervals], "or", subset.subject.span
            )
        return self._write_words(subset)

    def _write_interval(self, subset: ValueSubset, piece: ValueInterval) -> Expression:
        low, high = piece
        if low is not None and low == high:
            return _make_comparison(subset, "=", low)
        above = None if low == subset.domain[0] else _make_comparison(subset, "<", low - 1, turned=True)  # type: ignore[operator]
        below = None if high == subset.domain[1] else _make_comparison(subset, "<=", high)
        if above is not None and below is not None:
            return combine_conditions("and", above, below)
        return above or below or _make_flag(subset, value=True)

    def _write_words(self, subset: ValueSubset) -> Expression:
        inside, outside = (
            list(_interval_members(value_subset.intervals)) for value_subset in (subset, subset.complement)
        )
        for operator, values in (("=", inside), ("!=", outside)):
            if len(values) == 1:
                return _make_comparison(subset, operator, values[0])
        kind = subset.subject.type
        items = tuple(_make_literal(subset, item) for item in inside)
        collection = ex.MakeCollection(type=SetType(kind), span=subset.subject.span, items=items)
        return ex.Membership(
            type=FLAG, span=subset.subject.span, item=subset.subject, collection=collection, negated=False
        )


def _is_single_value(pieces: tuple[ValueInterval, ...]) -> bool:
    return len(pieces) == 1 and pieces[0][0] is not None and pieces[0][0] == pieces[0][1]


def _interval_members(pieces: Iterable[ValueInterval]) -> Iterator[int]:
    for low, high in pieces:
        assert low is not None
        assert high is not None
        yield from range(low, high + 1)


def _constant_position(node: Expression) -> int | None:
    """Integer, position of a word, or -1 for `none`."""
    match node:
        case ex.WordLiteral(position=position):
            return position
        case ex.Literal(value=None):
            return _NONE_POSITION
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case _:
            return None


def _clip_intervals(pieces: Iterable[ValueInterval], whole: ValueInterval) -> tuple[ValueInterval, ...]:
    """Intervals within a whole, ascending, adjacent ones joined."""
    low, high = whole
    items: list[ValueInterval] = []
    inside = ((_max_lower_bound(a, low), _min_upper_bound(b, high)) for a, b in pieces)
    for a, b in sorted(inside, key=lambda item: (item[0] is not None, item[0] or 0)):
        if a is not None and b is not None and a > b:
            continue
        if items and (items[-1][1] is None or a is None or a <= items[-1][1] + 1):
            end = items[-1][1]
            items[-1] = (items[-1][0], None if end is None or b is None else max(end, b))
        else:
            items.append((a, b))
    return tuple(items)


def _max_lower_bound(value: int | None, low: int | None) -> int | None:
    return low if value is None else value if low is None else max(value, low)


def _min_upper_bound(value: int | None, high: int | None) -> int | None:
    return high if value is None else value if high is None else min(value, high)


def _subtract_intervals(whole: ValueInterval, pieces: Iterable[ValueInterval]) -> Iterator[ValueInterval]:
    low, high = whole
    for a, b in pieces:
        if a is not None and (low is None or low < a):
            yield low, a - 1
        if b is None:
            return
        low = b + 1
    if high is None or low is None or low <= high:
        yield low, high


def _make_comparison(subset: ValueSubset, operator: str, value: int | None, *, turned: bool = False) -> ex.Comparison:
    assert value is not None
    literal = _make_literal(subset, value)
    left, right = (literal, subset.subject) if turned else (subset.subject, literal)
    return ex.Comparison(type=FLAG, span=subset.subject.span, operator=operator, left=left, right=right)


def _make_literal(subset: ValueSubset, value: int) -> Expression:
    span, kind = subset.subject.span, subset.subject.type
    if isinstance(kind, NumberType):
        return ex.Literal(type=NumberType(value, value), span=span, value=value)
    if value == _NONE_POSITION:
        return ex.Literal(type=kind, span=span, value=None)
    return ex.WordLiteral(type=strip_optional(kind), span=span, position=value)


def _make_flag(subset: ValueSubset, *, value: bool) -> ex.Literal:
    return ex.Literal(type=FLAG, span=subset.subject.span, value=value)


_Way = TypeVar("_Way")
SwitchArm = tuple[ValueSubset, _Way]


@dataclass(frozen=True, slots=True)
class TwoWayBranch(Generic[_Way]):
    """Condition with both its branches."""

    condition: Expression
    then: _Way
    otherwise: _Way


@dataclass(frozen=True, slots=True)
class SwitchAnalysis(Generic[_Way]):
    """Analysis of branches that one value decides."""

    read_subset: Callable[[Expression], ValueSubset | None]
    key: Callable[[Any], Any]  # equal for equal arms
    open_branch: Callable[[_Way], TwoWayBranch[_Way] | None]  # branch of an arm; None if it is none

    def find_arms(self, branches: TwoWayBranch[_Way]) -> list[SwitchArm[_Way]] | None:
        """Distinct arms with the values for which they are taken; None where not one value decides."""
        subset = self.read_subset(branches.condition)
        if subset is None:
            return None
        result: list[SwitchArm[_Way]] = []
        for way, values in ((branches.then, subset), (branches.otherwise, subset.complement)):
            for value_subset, inner in self._nested_arms(way, subset) or [(values, way)]:
                self._add_arm(result, inner, value_subset.combine_with(values, "and"))
        return [(item, way) for item, way in result if item.intervals]

    def _nested_arms(self, way: _Way, outer: ValueSubset) -> list[SwitchArm[_Way]] | None:
        opened = self.open_branch(way)
        arms = None if opened is None else self.find_arms(opened)
        one = bool(arms) and self.key(arms[0][0].subject) == self.key(outer.subject)  # type: ignore[index]
        return arms if one else None

    def _add_arm(self, arms: list[SwitchArm[_Way]], way: _Way, values: ValueSubset) -> None:
        same = next((at for at, (_, known) in enumerate(arms) if self.key(known) == self.key(way)), None)
        if same is None:
            arms.append((values, way))
        else:
            arms[same] = arms[same][0].combine_with(values, "or"), way

    def merge_branches(self, branches: TwoWayBranch[_Way]) -> tuple[str, TwoWayBranch[_Way], bool] | None:
        """Merge of equal arms: operator `and` or `or`, the inner branch, and whether it is exchanged."""
        inner = self.open_branch(branches.otherwise)
        if inner is not None and self.key(branches.then) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "or", inner, self.key(branches.then) != self.key(inner.then)
        inner = self.open_branch(branches.then)
        if inner is not None and self.key(branches.otherwise) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "and", inner, self.key(branches.otherwise) != self.key(inner.otherwise)
        return None


def sort_arms(arms: Sequence[SwitchArm[_Way]], is_idle: Callable[[_Way], bool]) -> list[SwitchArm[_Way]]:
    """Arms in the order of their values, the idle one last."""
    return sorted(
        arms, key=lambda arm: (is_idle(arm[1]), arm[0].intervals[0][0] is not None, arm[0].intervals[0][0] or 0)
    )
