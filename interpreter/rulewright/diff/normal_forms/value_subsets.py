"""Conditions on one value as sets of intervals, so that equal conditions are written alike.

Literature: interval sets of a scrutinee as in the compilation of pattern matching (Maranget 2008).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from rulewright.base.frozen import dataclass, replace
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression
from rulewright.program.core.lower_expressions import make_conjunction, make_disjunction, make_flag, make_op, make_test
from rulewright.program.declarations import Program
from rulewright.program.types import WHOLE, NumberType, OptionalType, WordType, strip_optional


def make_constant(value: int, origin: core.Origin) -> core.Const:
    return core.Const(value, type=NumberType(value, value), origin=origin)


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

    def combine_with(self, other: "ValueSubset", *, union: bool) -> "ValueSubset":
        """Union or intersection with a condition on the same expression that is evaluated after it."""
        if union:
            return replace(self, intervals=_clip_intervals((*self.intervals, *other.intervals), self.domain))
        outside = (
            *_subtract_intervals(self.domain, self.intervals),
            *_subtract_intervals(self.domain, _clip_intervals(other.intervals, self.domain)),
        )
        return replace(self, intervals=tuple(_subtract_intervals(self.domain, _clip_intervals(outside, self.domain))))


class SubsetTranslator:
    """Translation between conditions and subsets; `is_same` compares two values."""

    def __init__(self, program: Program, is_same: Callable[[Expression, Expression], bool]) -> None:
        self._values = program.values
        self._is_same = is_same

    def read_condition(self, form: Expression) -> ValueSubset | None:
        """Subset of a condition; None where it has more than one value, or one of another type."""
        match form:
            case core.Op(name="not", arguments=(operand,)):
                subset = self.read_condition(operand)
                return None if subset is None else subset.complement
            case core.Op(name="equal" | "less" | "at most" | "more" | "at least" as name, arguments=(left, right)):
                if _find_position(right) is not None:
                    return self._read_comparison(left, name, right)
                return self._read_comparison(right, MIRRORED.get(name, name), left)
            case core.Op(name="in", arguments=(item, collection)):
                return self._read_membership(item, collection)
            case core.Cond(test=left, then=right, other=core.Const(value=False)):
                return self._read_pair(left, right, union=False)
            case core.Cond(test=left, then=core.Const(value=True), other=right):
                return self._read_pair(left, right, union=True)
            case _:
                return None

    def _read_pair(self, left: Expression, right: Expression, *, union: bool) -> ValueSubset | None:
        first, second = self.read_condition(left), self.read_condition(right)
        if first is None or second is None or not self._is_same(first.subject, second.subject):
            return None
        return first.combine_with(second, union=union)

    def _read_comparison(self, subject: Expression, name: str, constant: Expression) -> ValueSubset | None:
        value = _find_position(constant)
        if value is None or (isinstance(subject.type, NumberType) and _is_none(constant)):
            return None
        pieces: dict[str, ValueInterval] = {
            "equal": (value, value),
            "less": (None, value - 1),
            "at most": (None, value),
            "more": (value + 1, None),
            "at least": (value, None),
        }
        return self._make_subset(subject, (pieces[name],))

    def _read_membership(self, subject: Expression, collection: Expression) -> ValueSubset | None:
        match collection:
            case core.Op(name="interval", arguments=(low, high)):
                first, last = _find_position(low), _find_position(high)
                if first is None or last is None:
                    return None
                return self._make_subset(subject, ((first, last),) if first <= last else ())
            case core.Op(name="set" | "list", arguments=items):
                values = [_find_position(item) for item in items]
                known = [(value, value) for value in values if value is not None]
                return self._make_subset(subject, known) if len(known) == len(values) else None
            case _:
                return None

    def _make_subset(self, subject: Expression, pieces: Iterable[ValueInterval]) -> ValueSubset | None:
        domain = self._find_domain(subject)
        if domain is None or _find_position(subject) is not None:
            return None
        return ValueSubset(subject, domain, _clip_intervals(pieces, domain))

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
        origin = subset.subject.origin
        if not subset.intervals or subset.intervals == (subset.domain,):
            return make_flag(origin, value=bool(subset.intervals))
        if not isinstance(subset.subject.type, NumberType):
            return self._write_words(subset)
        outside = subset.complement.intervals
        if len(outside) == 1 and _is_single_value(outside) and not _is_single_value(subset.intervals):
            return make_test("not", _make_comparison(subset, "equal", outside[0][0]), origin=origin)
        return make_disjunction([self._write_interval(subset, interval) for interval in subset.intervals], origin)

    def _write_interval(self, subset: ValueSubset, piece: ValueInterval) -> Expression:
        low, high = piece
        if low is not None and low == high:
            return _make_comparison(subset, "equal", low)
        tests: list[Expression] = []
        if low != subset.domain[0]:
            tests.append(_make_comparison(subset, "at least", low))
        if high != subset.domain[1]:
            tests.append(_make_comparison(subset, "at most", high))
        return make_conjunction(tests, subset.subject.origin)

    def _write_words(self, subset: ValueSubset) -> Expression:
        origin = subset.subject.origin
        inside, outside = (list(_list_members(side.intervals)) for side in (subset, subset.complement))
        if len(inside) == 1:
            return _make_comparison(subset, "equal", inside[0])
        if len(outside) == 1:
            return make_test("not", _make_comparison(subset, "equal", outside[0]), origin=origin)
        items = tuple(_make_literal(subset, item) for item in inside)
        return make_test("in", subset.subject, make_op("set", *items, type_=WHOLE, origin=origin), origin=origin)


MIRRORED = {"less": "more", "more": "less", "at most": "at least", "at least": "at most"}
"""Comparisons with their operands exchanged."""


def _is_single_value(pieces: Sequence[ValueInterval]) -> bool:
    return len(pieces) == 1 and pieces[0][0] is not None and pieces[0][0] == pieces[0][1]


def _list_members(pieces: Iterable[ValueInterval]) -> Iterator[int]:
    for low, high in pieces:
        assert low is not None
        assert high is not None
        yield from range(low, high + 1)


def _is_none(form: Expression) -> bool:
    return isinstance(form, core.Const) and form.value is None


def _find_position(form: Expression) -> int | None:
    """Integer, position of a word, or -1 for `none`."""
    match form:
        case core.Const(value=None):
            return _NONE_POSITION
        case core.Const(value=int() as value, type=type_) if not isinstance(value, bool) and isinstance(
            strip_optional(type_) if not isinstance(type_, core.RankingType) else type_, NumberType | WordType
        ):
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


def _make_comparison(subset: ValueSubset, name: str, value: int | None) -> core.Op:
    assert value is not None
    return make_test(name, subset.subject, _make_literal(subset, value), origin=subset.subject.origin)


def _make_literal(subset: ValueSubset, value: int) -> core.Const:
    kind = subset.subject.type
    if isinstance(kind, NumberType):
        return make_constant(value, subset.subject.origin)
    assert not isinstance(kind, core.RankingType)
    if value == _NONE_POSITION:
        return core.Const(None, type=kind, origin=subset.subject.origin)
    return core.Const(value, type=strip_optional(kind), origin=subset.subject.origin)


_Way = TypeVar("_Way")
SwitchArm = tuple[ValueSubset, _Way]


@dataclass(frozen=True, slots=True)
class TwoWayBranch(Generic[_Way]):
    """Condition with both its branches."""

    condition: Expression
    then: _Way
    other: _Way


@dataclass(frozen=True, slots=True)
class SwitchAnalysis(Generic[_Way]):
    """Analysis of branches that one value decides."""

    read_subset: Callable[[Expression], ValueSubset | None]
    is_same: Callable[[Any, Any], bool]
    open_branch: Callable[[_Way], TwoWayBranch[_Way] | None]  # branch of an arm; None if it is none

    def find_arms(self, branches: TwoWayBranch[_Way]) -> list[SwitchArm[_Way]] | None:
        """Distinct arms with the values for which they are taken; None where not one value decides."""
        subset = self.read_subset(branches.condition)
        if subset is None:
            return None
        result: list[SwitchArm[_Way]] = []
        for way, values in ((branches.then, subset), (branches.other, subset.complement)):
            for inner_subset, inner in self._nested_arms(way, subset) or [(values, way)]:
                self._add_arm(result, inner, inner_subset.combine_with(values, union=False))
        return [(item, way) for item, way in result if item.intervals]

    def _nested_arms(self, way: _Way, outer: ValueSubset) -> list[SwitchArm[_Way]] | None:
        opened = self.open_branch(way)
        arms = None if opened is None else self.find_arms(opened)
        return arms if arms and self.is_same(arms[0][0].subject, outer.subject) else None

    def _add_arm(self, arms: list[SwitchArm[_Way]], way: _Way, values: ValueSubset) -> None:
        same = next((at for at, (_, known) in enumerate(arms) if self.is_same(known, way)), None)
        if same is None:
            arms.append((values, way))
        else:
            arms[same] = arms[same][0].combine_with(values, union=True), way

    def merge_branches(self, branches: TwoWayBranch[_Way]) -> tuple[bool, TwoWayBranch[_Way], bool] | None:
        """Merge of equal arms: whether by `or`, the inner branch, and whether it is exchanged."""
        inner = self.open_branch(branches.other)
        if inner is not None:
            if self.is_same(branches.then, inner.then):
                return True, inner, False
            if self.is_same(branches.then, inner.other):
                return True, inner, True
        inner = self.open_branch(branches.then)
        if inner is not None:
            if self.is_same(branches.other, inner.other):
                return False, inner, False
            if self.is_same(branches.other, inner.then):
                return False, inner, True
        return None


def sort_arms(arms: Sequence[SwitchArm[_Way]], is_idle: Callable[[_Way], bool]) -> list[SwitchArm[_Way]]:
    """Arms in the order of their values, the idle one last."""
    return sorted(
        arms, key=lambda arm: (is_idle(arm[1]), arm[0].intervals[0][0] is not None, arm[0].intervals[0][0] or 0)
    )
