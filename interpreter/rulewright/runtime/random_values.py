"""Values not yet decided by chance, with arithmetic on their joint distribution.

A `RandomVariable` is one independent matter of chance with weighted outcomes. A `RandomValue` depends on variables: one
value per joint outcome, the last variable varying fastest. Sums, comparisons and the like of such values are such
values again. Where Python needs a concrete one (a condition, an index, a member of a set), `NeedsConcreteValue` is
raised with it: the caller plays on from before that line, once per value. A condition or an index may instead observe
the first value by `Conditioning`: the play goes on with it, and the others are deferred branches.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil, floor, prod
from operator import index
from typing import Any, NamedTuple, NoReturn

MAX_JOINT_OUTCOMES = 20_000
"""Joint outcomes up to which a random value is stored; beyond, variables become concrete.

Chosen, to bound the time of one operation.
"""
_PLAIN_TYPES = frozenset({int, bool, Fraction, type(None)})


class RandomVariable:
    """An independent matter of chance: relative weights of its outcomes."""

    __slots__ = ("conditioning", "weights")

    def __init__(self, weights: Sequence[int], conditioning: "Conditioning | None" = None) -> None:
        self.weights = weights
        self.conditioning = conditioning  # observations of the current play, if it may observe by itself


class Replacement(NamedTuple):
    """What replaces a conditioned variable."""

    variable: RandomVariable
    outcomes: Sequence[int]  # of the conditioned variable, per outcome of this one


Observed = dict[RandomVariable, Replacement]
"""Replacements of the conditioned variables."""


class DeferredBranch(NamedTuple):
    """A value of which a play observed one, the others to be played yet."""

    observed: Observed  # earlier observations
    numerator: int  # their probability: numerator ...
    denominator: int  # ... and denominator
    value: "RandomValue"  # conditioned on these; the play observed its first value
    weights: Sequence[int]  # of its joint outcomes


class Conditioning:
    """Observations of a play where a line needed a concrete value.

    Attributes:
        merge_blocks: numbers of the blocks before which plays stop, so that they may be merged there.
        unmergeable_blocks: blocks before which they never stop, though lines need concrete values there.
        may_branch: whether it observes anything by itself at present.
        observed: what the play has learned: per variable that a needed value depended on, the variable of the outcomes
            still possible. Values made before are conditioned on it when they are next used (`current_value`).
        numerator: probability of the observations: numerator ...
        denominator: ... and denominator.
        deferred: what was not observed, in order.
    """

    __slots__ = ("deferred", "denominator", "may_branch", "merge_blocks", "numerator", "observed", "unmergeable_blocks")

    def __init__(self) -> None:
        self.merge_blocks: set[int] = set()
        self.unmergeable_blocks: set[int] = set()
        self.reset_observations()

    def reset_observations(self) -> None:
        """Starts a play without observations."""
        self.may_branch = False
        self.observed: Observed = {}
        self.numerator = self.denominator = 1
        self.deferred: list[DeferredBranch] = []

    def observe_first_value(self, value: "RandomValue") -> Any:
        """The first of the values, observed from here on; the others are deferred."""
        variables, one = value.variables, value.values[0]
        weights = joint_weights(variables)
        first = [at for at, item in enumerate(value.values) if item == one]
        variable = RandomVariable([weights[at] for at in first], self)
        self.deferred.append(DeferredBranch(self.observed, self.numerator, self.denominator, value, weights))
        self.numerator *= sum(variable.weights)
        self.denominator *= sum(weights)
        self.replace_variables(variables, variable, first)
        return one

    def replace_variables(
        self, variables: tuple[RandomVariable, ...], variable: RandomVariable, at: Sequence[int]
    ) -> None:
        """Replaces variables by `variable`; `at` has the joint outcome of theirs for each of its outcomes."""
        before = [(item, *observed) for item, observed in self.observed.items() if observed.variable in variables]
        self.observed = {**self.observed}
        for one in variables:
            self.observed[one] = Replacement(variable, list_outcomes(one, variables, at))
        for item, of, outcomes in before:
            self.observed[item] = Replacement(variable, [outcomes[way] for way in self.observed[of].outcomes])


def list_outcomes(variable: RandomVariable, variables: tuple[RandomVariable, ...], at: Sequence[int]) -> Sequence[int]:
    """Outcomes of one of some variables for some of their joint outcomes."""
    if len(variables) == 1:
        return at
    stride, many = 1, len(variable.weights)
    for after in reversed(variables):
        if after is variable:
            break
        stride *= len(after.weights)
    return [way // stride % many for way in at]


def group_outcomes_by_value(value: "RandomValue") -> dict[Any, list[int]]:
    """Indices of joint outcomes by value."""
    result: dict[Any, list[int]] = {}
    for at, item in enumerate(value.values):
        result.setdefault(item, []).append(at)
    return result


def condition_value(value: Any, observed: Observed) -> Any:
    """A value conditioned on observed variables; plain if it has become constant.

    Raises:
        NeedsConcreteValue: it depends on too many joint outcomes then.
    """
    if not isinstance(value, RandomValue):
        return value
    variables, values = value.variables, value.values
    if len(variables) == 1:
        if variables[0] not in observed:
            return value
        variable, at = observed[variables[0]]
        return value.with_values((variable,), [values[item] for item in at])
    if not any(variable in observed for variable in variables):
        return value
    offsets: dict[RandomVariable, list[int]] = {}
    stride = 1
    for random_variable in reversed(variables):
        variable, at = observed.get(random_variable) or (random_variable, range(len(random_variable.weights)))
        here = [stride * way for way in at]
        stride *= len(random_variable.weights)
        offsets[variable] = [*map(operator.add, offsets[variable], here)] if variable in offsets else here
    if prod(map(len, offsets.values())) > MAX_JOINT_OUTCOMES:
        raise NeedsConcreteValue(value)
    places = [0]
    for steps in offsets.values():
        places = [here + step for here in places for step in steps]
    return value.with_values(tuple(offsets), [values[place] for place in places])


class NeedsConcreteValue(Exception):  # noqa: N818 - no error: a line has to know a value
    """A line needs a value that chance has not decided yet."""

    def __init__(self, value: "RandomValue") -> None:
        super().__init__()
        self.value = value
        self.block: int | None = None  # number of the block to stop before; none if plays cannot stop there


class RandomValue:
    """A value per joint outcome of independent variables."""

    __slots__ = ("values", "variables")

    def __init__(self, variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> None:
        self.variables = variables
        self.values = values  # per joint outcome, all of one type, at least two different

    def expand_over(self, variables: tuple[RandomVariable, ...]) -> Sequence[Any]:
        """Values by joint outcomes of `variables`, a superset of its variables."""
        if variables == self.variables:
            return self.values
        if variables[: len(self.variables)] == self.variables:
            times = range(prod([len(variable.weights) for variable in variables[len(self.variables) :]]))
            return [value for value in self.values for _ in times]
        strides, stride = {}, 1
        for variable in reversed(self.variables):
            strides[variable] = stride
            stride *= len(variable.weights)
        at = [0]
        for variable in variables:
            step = strides.get(variable, 0)
            at = [here + step * outcome for here in at for outcome in range(len(variable.weights))]
        return [self.values[here] for here in at]

    def with_values(self, variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
        """A copy with other values; plain if they are all equal."""
        return collapse_if_constant(variables, values)

    def _observe(self) -> Any:
        value, conditioning = current_value(self), self.variables[0].conditioning
        if not isinstance(value, RandomValue):
            return value
        if conditioning is None or not conditioning.may_branch:
            raise NeedsConcreteValue(self)
        return conditioning.observe_first_value(value)

    def __bool__(self) -> bool:
        return bool(self._observe())

    def __index__(self) -> int:
        return index(self._observe())

    def _refuse_unknown(self, *_: object) -> NoReturn:
        raise NeedsConcreteValue(self)

    __hash__ = __int__ = __float__ = __len__ = __iter__ = __contains__ = _refuse_unknown
    __getitem__ = __str__ = __repr__ = __format__ = __round__ = __trunc__ = _refuse_unknown


def list_random_places(values: Sequence[Any]) -> list[int]:
    """Indices of random values, among which are no dice."""
    if RandomValue not in map(type, values):
        return []
    return [at for at, value in enumerate(values) if value.__class__ is RandomValue]


def joint_weights(variables: Iterable[RandomVariable]) -> Sequence[int]:
    """Weights of the joint outcomes of independent variables; the last variable varies fastest.

    Raises:
        OverflowError: several variables have too many joint outcomes.
    """
    result: Sequence[int] = (1,)
    for variable in variables:
        if len(result) > 1 and len(result) * len(variable.weights) > MAX_JOINT_OUTCOMES:
            raise OverflowError
        result = [one * other for one in result for other in variable.weights] if len(result) > 1 else variable.weights
    return result


def collapse_if_constant(variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
    """A random value, or a plain one if all its values are equal."""
    first = values[0]
    return first if values.count(first) == len(values) else RandomValue(variables, values)


def apply_to_random(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """A function of two values, at least one of which is random."""
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
    more = tuple([variable for variable in other.variables if variable not in one.variables])
    many = prod([len(variable.weights) for variable in more])
    if many > 1 and len(one.values) * many > MAX_JOINT_OUTCOMES:
        raise NeedsConcreteValue(min(one, other, key=lambda random_value: len(set(random_value.values))))
    variables = one.variables + more
    if len(more) == len(other.variables):
        return collapse_if_constant(variables, [function(value, item) for value in one.values for item in other.values])
    return collapse_if_constant(variables, [*map(function, one.expand_over(variables), other.expand_over(variables))])


def current_value(value: Any) -> Any:
    """A value conditioned on the observations of the current play.

    Raises:
        NeedsConcreteValue: it depends on too many joint outcomes then.
    """
    if isinstance(value, RandomValue):
        conditioning = value.variables[0].conditioning
        if conditioning is not None and conditioning.observed:
            return condition_value(value, conditioning.observed)
    return value


def _make_binary_operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator whose left operand is random."""

    def apply_binary(one: RandomValue, other: Any) -> Any:
        if other.__class__ is int:
            conditioning = one.variables[0].conditioning
            if conditioning is None or not conditioning.observed:
                return collapse_if_constant(one.variables, [function(value, other) for value in one.values])
        return apply_to_random(function, one, other)

    return apply_binary


def _make_reflected_operator(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda one, other: apply_to_random(function, other, one)


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(RandomValue, f"__{_name}__", _make_binary_operator(getattr(operator, _name)))
    setattr(RandomValue, f"__r{_name}__", _make_reflected_operator(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(RandomValue, f"__{_name}__", _make_binary_operator(getattr(operator, _name)))


def map_random(function: Callable[[Any], Any], value: Any) -> Any:
    """A function of one value, which may be random; it is asked once for each different value."""
    value = current_value(value)
    if not isinstance(value, RandomValue):
        return function(value)
    results = {item: function(item) for item in {*value.values}}
    return collapse_if_constant(value.variables, [results[item] for item in value.values])


def _make_unary_operator(function: Callable[[Any], Any]) -> Callable[[RandomValue], Any]:
    return lambda value: map_random(function, value)


for _name, _function in {"neg": operator.neg, "pos": operator.pos, "abs": abs, "floor": floor, "ceil": ceil}.items():
    setattr(RandomValue, f"__{_name}__", _make_unary_operator(_function))  # type: ignore[arg-type]


def greatest_number(one: Any, other: Any, *more: Any) -> Any:
    if type(one) is int and type(other) is int and not more:
        return max(one, other)
    return _fold_numbers(max, (one, other, *more))


def least_number(one: Any, other: Any, *more: Any) -> Any:
    if type(one) is int and type(other) is int and not more:
        return min(one, other)
    return _fold_numbers(min, (one, other, *more))


def _fold_numbers(of: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    result = values[0]
    for value in values[1:]:
        is_random = isinstance(result, RandomValue) or isinstance(value, RandomValue)
        result = apply_to_random(of, result, value) if is_random else of(result, value)
    return result


def join_parts(value: Any) -> Any:
    """A record or list with random parts as one random value.

    Raises:
        NeedsConcreteValue: the parts have too many joint outcomes.
    """
    if not isinstance(value, tuple):
        return current_value(value)
    parts = [join_parts(item) for item in value]
    random_parts = [part for part in parts if isinstance(part, RandomValue)]
    if not random_parts:
        return tuple(parts)
    variables = tuple(dict.fromkeys(variable for random_value in random_parts for variable in random_value.variables))
    try:
        many = len(joint_weights(variables))
    except OverflowError:
        raise NeedsConcreteValue(random_parts[0]) from None
    return RandomValue(
        variables,
        [
            *zip(
                *[part.expand_over(variables) if isinstance(part, RandomValue) else [part] * many for part in parts],
                strict=True,
            )
        ],
    )
