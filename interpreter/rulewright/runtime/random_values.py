"""Values that chance has not decided yet: reckoned with as they are, and decided only where a line has to know.

A `RandomVariable` is one matter of chance, independent of all others, that may have come out in several ways. A `RandomValue` is a
value that hangs on lots: one value for each way in which they come out together, the last lot the fastest. Sums,
comparisons and the like of such values are such values again. Where Python has to know one (a condition, an index, a
member of a set), `NeedsConcreteValue` is raised with it: whoever plays goes on from before that line, once for each value. A
condition or an index may be `Conditioning` one of its values instead: the play goes on with it, and is played again for the
others alone.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import prod
from operator import index
from typing import Any, NamedTuple, NoReturn

MAX_JOINT_OUTCOMES = 20_000
"""Values that hang on more ways of lots together are decided one by one."""
_PLAIN_TYPES = frozenset({int, bool, Fraction, type(None)})


class RandomVariable:
    """A matter of chance: whole numbers that say how often each of its ways comes beside the others."""

    __slots__ = ("conditioning", "weights")

    def __init__(self, weights: Sequence[int], taking: "Conditioning | None" = None) -> None:
        self.weights = weights  # they
        self.conditioning = (
            taking  # what plays that go on took of it and others; none where they take nothing by themselves
        )


Observed = dict[RandomVariable, tuple[RandomVariable, Sequence[int]]]
"""By lot of which some ways are left: the lot of what is left of it and others, and by its ways those of the first."""


class DeferredBranch(NamedTuple):
    """A value of which a play took one, the others to be played yet."""

    observed: Observed  # what was taken before
    numerator: int  # how likely that was: so often ...
    denominator: int  # ... of so many times
    value: "RandomValue"  # it, as far as it was open; the play took the first
    weights: Sequence[int]  # of its ways


class Conditioning:
    """What a play took where a line had to know what is left open.

    Attributes:
        stops: numbers of the blocks before which plays stand, so that they may come together there.
        passed_through: those before which they never stand, though lines have to know something there.
        may: whether it takes anything by itself at present.
        taken: what is left since.
        often: how likely what it took is: so often ...
        of: ... of so many times.
        passed: what it did not take, in order.
    """

    __slots__ = ("deferred", "denominator", "may_branch", "merge_blocks", "numerator", "observed", "unmergeable_blocks")

    def __init__(self) -> None:
        self.merge_blocks: set[int] = set()
        self.unmergeable_blocks: set[int] = set()
        self.reset_observations()

    def reset_observations(self) -> None:
        """A play goes on from where nothing was taken."""
        self.may_branch = False
        self.observed: Observed = {}
        self.numerator = self.denominator = 1
        self.deferred: list[DeferredBranch] = []

    def observe_first_value(self, value: "RandomValue") -> Any:
        """The first of the values of what is open, taken from here on."""
        lots, one = value.variables, value.values[0]
        weights = joint_weights(lots)
        first = [at for at, item in enumerate(value.values) if item == one]
        lot = RandomVariable([weights[at] for at in first], self)
        self.deferred.append(DeferredBranch(self.observed, self.numerator, self.denominator, value, weights))
        self.numerator *= sum(lot.weights)
        self.denominator *= sum(weights)
        self.replace_variables(lots, lot, first)
        return one

    def replace_variables(self, lots: tuple[RandomVariable, ...], lot: RandomVariable, at: Sequence[int]) -> None:
        """Another lot takes the place of some; `at` has for each of its ways which one of theirs together it is."""
        before = [(item, *taken) for item, taken in self.observed.items() if taken[0] in lots]
        self.observed = {**self.observed}
        for random_variable, of, ways_ in (*before, *[(item, item, range(len(item.weights))) for item in lots]):
            came = ways_ if len(lots) == 1 else RandomValue((of,), ways_).expand_over(lots)
            self.observed[random_variable] = lot, [came[way] for way in at]


def group_outcomes_by_value(value: "RandomValue") -> dict[Any, list[int]]:
    """By value the ways in which it comes."""
    result: dict[Any, list[int]] = {}
    for at, item in enumerate(value.values):
        result.setdefault(item, []).append(at)
    return result


def condition_value(value: Any, taken: Observed) -> Any:
    """A value once only some ways of some lots are left; plain where it is the same for all.

    Raises:
        Undecided: it hangs on too many ways then.
    """
    if not isinstance(value, RandomValue):
        return value
    lots, values = value.variables, value.values
    if len(lots) == 1:
        if lots[0] not in taken:
            return value
        lot, at = taken[lots[0]]
        return value.with_values((lot,), [values[item] for item in at])
    if not any(lot in taken for lot in lots):
        return value
    offsets: dict[RandomVariable, list[int]] = {}
    stride = 1
    for random_variable in reversed(lots):
        lot, at = taken.get(random_variable) or (random_variable, range(len(random_variable.weights)))
        here = [stride * way for way in at]
        stride *= len(random_variable.weights)
        offsets[lot] = [*map(operator.add, offsets[lot], here)] if lot in offsets else here
    if prod(map(len, offsets.values())) > MAX_JOINT_OUTCOMES:
        raise NeedsConcreteValue(value)
    places = [0]
    for steps in offsets.values():
        places = [here + step for here in places for step in steps]
    return value.with_values(tuple(offsets), [values[place] for place in places])


class NeedsConcreteValue(Exception):  # noqa: N818 - no error: a line has to know a value
    """A line has to know a value that chance has not decided yet."""

    def __init__(self, value: "RandomValue") -> None:
        super().__init__()
        self.value = value  # it
        self.block: int | None = None  # the number of the block with the line; none where plays cannot stand before it


class RandomValue:
    """A value that hangs on lots."""

    __slots__ = ("values", "variables")

    def __init__(self, lots: tuple[RandomVariable, ...], values: Sequence[Any]) -> None:
        self.variables = lots  # what it hangs on
        self.values = values  # its value for each way, all of one type; at least two differ

    def expand_over(self, lots: tuple[RandomVariable, ...]) -> Sequence[Any]:
        """Its values by the ways of some lots, which those that it hangs on are among."""
        if lots == self.variables:
            return self.values
        strides, stride = {}, 1
        for variable in reversed(self.variables):
            strides[variable] = stride
            stride *= len(variable.weights)
        at = [0]
        for lot in lots:
            step = strides.get(lot, 0)
            at = [here + step * way for here in at for way in range(len(lot.weights))]
        return [self.values[here] for here in at]

    def with_values(self, lots: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
        """Another one like it; plain where it is the same for all ways."""
        return collapse_if_constant(lots, values)

    def _observe(self) -> Any:
        value, taking = current_value(self), self.variables[0].conditioning
        if not isinstance(value, RandomValue):
            return value
        if taking is None or not taking.may_branch:
            raise NeedsConcreteValue(self)
        return taking.observe_first_value(value)

    def __bool__(self) -> bool:
        return bool(self._observe())

    def __index__(self) -> int:
        return index(self._observe())

    def _refuse_unknown(self, *_: object) -> NoReturn:
        raise NeedsConcreteValue(self)

    __hash__ = __int__ = __float__ = __len__ = __iter__ = __contains__ = _refuse_unknown
    __getitem__ = __str__ = __repr__ = __format__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refuse_unknown


def joint_weights(lots: Iterable[RandomVariable]) -> Sequence[int]:
    """How often each way of some lots together comes beside the others.

    Raises:
        OverflowError: there are too many of several lots together.
    """
    result: Sequence[int] = (1,)
    for lot in lots:
        if len(result) > 1 and len(result) * len(lot.weights) > MAX_JOINT_OUTCOMES:
            raise OverflowError
        result = [one * other for one in result for other in lot.weights] if len(result) > 1 else lot.weights
    return result


def collapse_if_constant(lots: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
    """A value that hangs on lots; plain where it is the same for all ways."""
    first = values[0]
    return first if values.count(first) == len(values) else RandomValue(lots, values)


def apply_to_random(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """A function of two values, of which at least one hangs on lots."""
    one, other = current_value(one), current_value(other)
    if not isinstance(other, RandomValue):
        if not isinstance(one, RandomValue):
            return function(one, other)
        if type(other) not in _PLAIN_TYPES:
            raise NeedsConcreteValue(one)
        return collapse_if_constant(one.variables, [function(value, other) for value in one.values])
    if not isinstance(one, RandomValue):
        if type(one) not in _PLAIN_TYPES:
            raise NeedsConcreteValue(other)
        return collapse_if_constant(other.variables, [function(one, value) for value in other.values])
    if one.variables == other.variables:
        return collapse_if_constant(one.variables, [*map(function, one.values, other.values)])
    lots = one.variables + tuple(variable for variable in other.variables if variable not in one.variables)
    try:
        joint_weights(lots)
    except OverflowError:
        raise NeedsConcreteValue(min(one, other, key=lambda random_value: len(set(random_value.values)))) from None
    return collapse_if_constant(lots, [*map(function, one.expand_over(lots), other.expand_over(lots))])


def current_value(value: Any) -> Any:
    """A value as far as the play that goes on has taken nothing else.

    Raises:
        Undecided: it hangs on too many ways then.
    """
    if isinstance(value, RandomValue):
        taking = value.variables[0].conditioning
        if taking is not None and taking.observed:
            return condition_value(value, taking.observed)
    return value


def _make_binary_operators(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return lambda one, other: apply_to_random(function, one, other), lambda one, other: apply_to_random(
        function, other, one
    )


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _plain, _reflected = _make_binary_operators(getattr(operator, _name))
    setattr(RandomValue, f"__{_name}__", _plain)
    setattr(RandomValue, f"__r{_name}__", _reflected)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(RandomValue, f"__{_name}__", _make_binary_operators(getattr(operator, _name))[0])


def _make_unary_operator(function: Callable[[Any], Any]) -> Callable[[RandomValue], Any]:
    def apply_unary(one: RandomValue) -> Any:
        random_value = current_value(one)
        return (
            collapse_if_constant(random_value.variables, [*map(function, random_value.values)])
            if isinstance(random_value, RandomValue)
            else function(random_value)
        )

    return apply_unary


for _name in ("neg", "pos", "abs"):
    setattr(RandomValue, f"__{_name}__", _make_unary_operator(getattr(operator, _name)))


def greatest_number(one: Any, other: Any, *more: Any) -> Any:
    """The greatest of some numbers."""
    if type(one) is int and type(other) is int and not more:
        return max(one, other)
    return _fold_numbers(max, (one, other, *more))


def least_number(one: Any, other: Any, *more: Any) -> Any:
    """The least of some numbers."""
    if type(one) is int and type(other) is int and not more:
        return min(one, other)
    return _fold_numbers(min, (one, other, *more))


def _fold_numbers(of: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    if RandomValue not in map(type, values):
        return of(values)
    result = values[0]
    for value in values[1:]:
        hangs = isinstance(result, RandomValue) or isinstance(value, RandomValue)
        result = apply_to_random(of, result, value) if hangs else of(result, value)
    return result


def join_parts(value: Any) -> Any:
    """A record or list whose parts may hang on lots as one value that does.

    Raises:
        Undecided: they hang on too much together.
    """
    if not isinstance(value, tuple):
        return current_value(value)
    parts = [join_parts(item) for item in value]
    later = [part for part in parts if isinstance(part, RandomValue)]
    if not later:
        return tuple(parts)
    lots = tuple(dict.fromkeys(lot for random_value in later for lot in random_value.variables))
    try:
        many = len(joint_weights(lots))
    except OverflowError:
        raise NeedsConcreteValue(later[0]) from None
    return RandomValue(
        lots,
        [
            *zip(
                *[part.expand_over(lots) if isinstance(part, RandomValue) else [part] * many for part in parts],
                strict=True,
            )
        ],
    )
