# ruff: noqa: SLF001 - a sum looks into its parts
"""Tracked values of the start, which log the comparisons made of them, and the starts that answer all alike."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rulewright.runtime.values import GameMap

_COMPARE_FUNCTIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}
LinearTerms = tuple[tuple[int, int], ...]
"""Linear sum of tracked values: (number, coefficient) pairs in order of the number."""
ValueQuery = tuple[str, LinearTerms, int]
"""Comparison of a linear sum plus a constant with 0: `<`, `<=` or `=`, the terms, the constant."""
_BINARY_OPERATIONS = ("floordiv", "truediv", "mod", "divmod", "pow", "and", "or", "xor", "lshift", "rshift")
_UNARY_OPERATIONS = ("abs", "int", "float", "round", "trunc", "floor", "ceil", "invert", "str", "repr", "format")


class QueryLog:
    """Comparisons made in the running play, with their results."""

    __slots__ = ("queries",)

    def __init__(self) -> None:
        self.queries: dict[ValueQuery, bool] = {}  # in order, without repetitions


class TrackedValue:
    """A number, flag, word or thing that logs every comparison; sums of tracked values are tracked.

    Any other operation reveals the value, which is logged as an equality.
    """

    __slots__ = ("_is_flag", "_notes", "_offset", "_terms", "_value")

    def __init__(self, notes: QueryLog, terms: LinearTerms, offset: int, value: int, *, is_flag: bool = False) -> None:
        self._notes = notes
        self._terms = terms
        self._offset = offset
        self._value = value
        self._is_flag = is_flag

    @classmethod
    def track_value(cls, notes: QueryLog, number: int, value: int) -> "TrackedValue":
        """Tracked value of the place with a number."""
        return cls(notes, ((number, 1),), 0, int(value), is_flag=isinstance(value, bool))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """`int` or `bool`, for `isinstance` in the runtime."""
        return bool if self._is_flag else int

    def _add_scaled(self, other: Any, sign: int, factor: int = 1) -> Any:  # a number of any sort
        if type(other) is TrackedValue:
            counts = {number: count * factor for number, count in self._terms}
            for number, count in other._terms:
                counts[number] = counts.get(number, 0) + sign * count
            terms = tuple(sorted((number, count) for number, count in counts.items() if count))
            offset, value = other._offset, other._value
        elif isinstance(other, int):
            terms = self._terms if factor == 1 else tuple([(number, count * factor) for number, count in self._terms])
            offset = value = other
        else:
            return factor * self.reveal_value() + sign * other
        return TrackedValue(
            self._notes, terms, factor * self._offset + sign * offset, factor * self._value + sign * value
        )

    def _compare_and_note(self, how: str, other: Any, sign: int = 1) -> Any:
        if not isinstance(other, int):
            return (
                _COMPARE_FUNCTIONS[how](sign * self.reveal_value(), sign * other)
                if hasattr(other, "numerator")
                else NotImplemented
            )
        result = self._add_scaled(other, -sign, sign)
        is_true = _COMPARE_FUNCTIONS[how](result._value, 0)
        if result._terms:
            self._notes.queries[how, result._terms, result._offset] = is_true
        return is_true

    def reveal_value(self) -> int | bool:
        self._notes.queries["=", self._terms, self._offset - self._value] = True
        return bool(self._value) if self._is_flag else self._value

    def __add__(self, other: Any) -> Any:
        return self._add_scaled(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._add_scaled(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self._add_scaled(other, 1, -1)

    def __neg__(self) -> Any:
        return self._add_scaled(0, 1, -1)

    def __pos__(self) -> "TrackedValue":
        return self

    def __mul__(self, other: Any) -> Any:
        return (
            self._add_scaled(0, 1, other) if type(other) is int else self.reveal_value() * reveal_tracked_values(other)
        )

    __rmul__ = __mul__

    def __lt__(self, other: Any) -> Any:
        return self._compare_and_note("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare_and_note("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare_and_note("<", other, -1)

    def __ge__(self, other: Any) -> Any:
        return self._compare_and_note("<=", other, -1)

    def __eq__(self, other: object) -> Any:
        return self._compare_and_note("=", other)

    def __ne__(self, other: object) -> Any:
        not_implemented_type = self._compare_and_note("=", other)
        return not_implemented_type if not_implemented_type is NotImplemented else not not_implemented_type

    def __bool__(self) -> bool:
        return not self._compare_and_note("=", 0)

    def __hash__(self) -> int:
        return hash(self.reveal_value())

    def __index__(self) -> int:
        return int(self.reveal_value())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reveal_value(), name)


def _make_revealing_method(name: str) -> Callable[..., Any]:
    def reveal_and_call(self: TrackedValue, *others: Any) -> Any:
        return getattr(self.reveal_value(), name)(*map(reveal_tracked_values, others))

    return reveal_and_call


for _name in (
    *_UNARY_OPERATIONS,
    *_BINARY_OPERATIONS,
    *(f"r{binary_operation}" for binary_operation in _BINARY_OPERATIONS),
):
    setattr(TrackedValue, f"__{_name}__", _make_revealing_method(f"__{_name}__"))


def reveal_tracked_values(value: Any) -> Any:  # a value of any type
    """A value with all tracked values in it revealed."""
    if type(value) is TrackedValue:
        return value.reveal_value()
    if type(value) is tuple:
        return tuple(map(reveal_tracked_values, value))
    if type(value) is GameMap:
        return GameMap(
            reveal_tracked_values(value.default),
            {reveal_tracked_values(key): reveal_tracked_values(item) for key, item in value.entries.items()},
        )
    return value


class StartEquivalence:
    """Starts that give the same results to the comparisons of a play.

    Args:
        queries: comparisons of the play.
        values: by place all values.
        base: by place the value in the play.
    """

    __slots__ = ("_base", "_masks", "_queries_by_pair", "_queries_by_value", "_values")

    def __init__(
        self, queries: Mapping[ValueQuery, bool], values: Sequence[Sequence[Any]], base: Sequence[Any]
    ) -> None:
        self._values = values
        self._base = base
        self._queries_by_value: dict[int, list[tuple[ValueQuery, bool]]] = {}
        self._queries_by_pair: dict[tuple[int, int], list[tuple[ValueQuery, bool]]] = {}
        self._masks: dict[int, int] = {}
        for question, is_true in queries.items():
            numbers = [number for number, _ in question[1]]
            for at, number in enumerate(numbers):
                self._queries_by_value.setdefault(number, []).append((question, is_true))
                for other in numbers[at + 1 :]:
                    self._queries_by_pair.setdefault((number, other), []).append((question, is_true))

    def equivalent_values(self, number: int) -> int:
        """Bit mask of the values of a place that are equivalent if all others stay."""
        if number not in self._masks:
            base = self._base[number]
            result = 0
            if is_trackable(base):
                for at, value in enumerate(self._values[number]):
                    if value == base or (
                        is_trackable(value)
                        and self._do_queries_hold(self._queries_by_value.get(number, ()), {number: value})
                    ):
                        result |= 1 << at
            else:
                result = 1 << self._values[number].index(base)
            self._masks[number] = result
        return self._masks[number]

    def remove_equivalent_pairs(self, first: int, second: int, untried: list[int]) -> None:
        """Removes equivalent pairs of values from `untried`.

        `untried` has for each position of the first place a bit mask of positions of the second, which has a higher
        number.
        """
        joint = self._queries_by_pair.get((first, second))
        if joint is None:
            equivalent, others = self.equivalent_values(first), ~self.equivalent_values(second)
            for at in range(len(untried)):
                if equivalent >> at & 1:
                    untried[at] &= others
        elif is_trackable(self._base[second]):
            queries = [*joint, *self._queries_by_value[first], *self._queries_by_value[second]]
            for at, value in enumerate(self._values[first]):
                if untried[at] and is_trackable(value):
                    untried[at] &= ~self._equivalent_second_values(queries, first, value, second, untried[at])

    def _equivalent_second_values(
        self, queries: Sequence[tuple[ValueQuery, bool]], first: int, value: Any, second: int, among: int
    ) -> int:
        result = 0
        for at, other in enumerate(self._values[second]):
            if (
                among >> at & 1
                and is_trackable(other)
                and self._do_queries_hold(queries, {first: value, second: other})
            ):
                result |= 1 << at
        return result

    def _do_queries_hold(self, queries: Iterable[tuple[ValueQuery, bool]], changed: Mapping[int, Any]) -> bool:
        base = self._base
        for (how, terms, offset), is_true in queries:
            total = offset
            for number, count in terms:
                total += count * (changed[number] if number in changed else base[number])
            if (total < 0 if how == "<" else total <= 0 if how == "<=" else total == 0) is not is_true:
                return False
        return True


def is_trackable(value: object) -> bool:
    """Whether a value of the start can be tracked."""
    return isinstance(value, int)
