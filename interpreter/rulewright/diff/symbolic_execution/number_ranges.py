"""Names of a routine whose type bounds their numbers at every place, by interval arithmetic over all that sets them.

The type of the running total of a tally bounds what it comes to, and not what it holds between two rows; so does that
of the price of a path.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_forms
from rulewright.program.types import NumberType

ARITHMETIC = frozenset(
    {"add", "subtract", "multiply", "divide", "negate", "absolute", "floor", "ceiling", "round", "least", "greatest"}
)
"""Operations whose type may be that of the total that they change."""
_Range = tuple[int | None, int | None]
_EVERY: _Range = (None, None)


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
            case core.Over(names=names, source=source) | core.For(names=names, source=source):
                if _reads(source, unbounded):
                    yield from (name.index for name in names if name is not None)
            case core.Members(names=names, source=source) | core.Subsets(names=names, source=source):
                if _reads(source, unbounded):
                    yield from (name.index for name in names if name is not None)


def _reads(form: Any, names: frozenset[int]) -> bool:
    return any(isinstance(part, core.Local) and part.index in names for part in walk_forms(form))


def _is_within(found: _Range, type_: core.CoreType) -> bool:
    held = _get_number_type(type_)
    if held is None:
        return True
    (low, high), least, most = found, held.low, held.high
    return (least is None or (low is not None and low >= least)) and (
        most is None or (high is not None and high <= most)
    )


def _get_number_type(type_: core.CoreType) -> NumberType | None:
    held = None if isinstance(type_, core.RankingType) else ty.strip_optional(type_)
    return held if isinstance(held, NumberType) else None


def _find_range(form: core.Expression, unbounded: frozenset[int]) -> _Range:
    """Least and greatest number that an expression may have; none where there may be no such."""
    match form:
        case core.Const(value=int() as value):
            return value, value
        case core.Const(value=None):
            return 0, -1
        case core.Cond(then=then, other=other):
            (low, high), (least, most) = _find_range(then, unbounded), _find_range(other, unbounded)
            if (least, most) == (0, -1):
                return low, high
            if (low, high) == (0, -1):
                return least, most
            return _pick(min, low, least), _pick(max, high, most)
        case core.Op(name="narrow", arguments=(operand,), facts=(type_,)):
            held = _get_number_type(type_)
            return _find_range(operand, unbounded) if held is None else (held.low, held.high)
        case core.Op(name="add", arguments=(one, other)):
            (low, high), (least, most) = _find_range(one, unbounded), _find_range(other, unbounded)
            return _sum(low, least), _sum(high, most)
        case core.Op(name="subtract", arguments=(one, other)):
            (low, high), (least, most) = _find_range(one, unbounded), _find_range(other, unbounded)
            return _sum(low, None if most is None else -most), _sum(high, None if least is None else -least)
        case core.Op(name="least" | "greatest" as name, arguments=arguments):
            ranges = [_find_range(each, unbounded) for each in arguments]
            ends = [[end for end in side if end is not None] for side in zip(*ranges, strict=True)]
            is_whole = [len(side) == len(ranges) for side in ends]
            if name == "least":
                return min(ends[0]) if is_whole[0] else None, min(ends[1], default=None)
            return max(ends[0], default=None), max(ends[1]) if is_whole[1] else None
        case core.Op(name=name) if name in ARITHMETIC:
            return _EVERY
        case _:
            held = _get_number_type(form.type)
            return _EVERY if held is None or _reads(form, unbounded) else (held.low, held.high)


def _pick(choose: Any, one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else choose(one, other)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
