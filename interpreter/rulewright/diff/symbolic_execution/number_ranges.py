"""Names of a routine whose type bounds their numbers at every place, by interval arithmetic over all that sets them.

The type of the running total of a tally bounds what it comes to, and not what it holds between two rows; so does that
of the price of a path.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from rulewright.checker.facts.intervals import (
    UNBOUNDED,
    Interval,
    add_intervals,
    compute_maximum_interval,
    compute_minimum_interval,
    is_inside_interval,
    join_intervals,
    negate_interval,
)
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_forms
from rulewright.program.types import NumberType

ARITHMETIC = frozenset(
    {"add", "subtract", "multiply", "divide", "negate", "absolute", "floor", "ceiling", "round", "least", "greatest"}
)
"""Operations whose type may be that of the total that they change."""
_NO_NUMBER: Interval = (0, -1)


def find_unbounded_names(routines: Iterable[core.Routine]) -> frozenset[int]:
    """Names that may hold numbers beyond their type: the greatest set of the others that keep to it together."""
    every = [*routines]
    forms = [form for routine in every for form in walk_forms(routine.entry, routine.steps)]
    moves = (routine for routine in every if routine.key.startswith(("enter:", "end:")))
    result = frozenset(parameter.index for routine in moves for parameter in routine.parameters)
    while more := frozenset(_find_more(forms, result)) - result:
        result |= more
    return result


def _find_more(forms: list[Any], unbounded: frozenset[int]) -> Iterator[int]:
    for form in forms:
        match form:
            case core.Set(place=core.Place(root=core.Local() as local, path=()), value=value):
                if not _is_within(_find_range(value, unbounded), local.type):
                    yield local.index
            case (
                core.Over(names=names, source=source) | core.For(names=names, source=source)
                | core.Members(names=names, source=source) | core.Subsets(names=names, source=source)
            ):  # fmt: skip
                if _reads(source, unbounded):
                    yield from (name.index for name in names if name is not None)


def _reads(form: Any, names: frozenset[int]) -> bool:
    return any(isinstance(part, core.Local) and part.index in names for part in walk_forms(form))


def _is_within(found: Interval, type_: core.CoreType) -> bool:
    held = _get_number_type(type_)
    return held is None or is_inside_interval(found, (held.low, held.high))


def _get_number_type(type_: core.CoreType) -> NumberType | None:
    held = None if isinstance(type_, core.RankingType) else ty.strip_optional(type_)
    return held if isinstance(held, NumberType) else None


def _find_range(form: core.Expression, unbounded: frozenset[int]) -> Interval:
    """Numbers that an expression may have."""
    match form:
        case core.Const(value=int() as value):
            return value, value
        case core.Const(value=None):
            return _NO_NUMBER
        case core.Cond(then=then, other=other):
            ranges = [_find_range(each, unbounded) for each in (then, other)]
            numbers = [each for each in ranges if each != _NO_NUMBER]
            return join_intervals(numbers[0], numbers[-1]) if numbers else _NO_NUMBER
        case core.Op(name="narrow", arguments=(operand,), facts=(type_,)):
            held = _get_number_type(type_)
            return _find_range(operand, unbounded) if held is None else (held.low, held.high)
        case core.Op(name="add", arguments=(one, other)):
            return add_intervals(_find_range(one, unbounded), _find_range(other, unbounded))
        case core.Op(name="subtract", arguments=(one, other)):
            return add_intervals(_find_range(one, unbounded), negate_interval(_find_range(other, unbounded)))
        case core.Op(name="least" | "greatest" as name, arguments=arguments):
            ranges = [_find_range(each, unbounded) for each in arguments]
            return compute_minimum_interval(ranges) if name == "least" else compute_maximum_interval(ranges)
        case core.Op(name=name) if name in ARITHMETIC:
            return UNBOUNDED
        case _:
            held = _get_number_type(form.type)
            return UNBOUNDED if held is None or _reads(form, unbounded) else (held.low, held.high)
