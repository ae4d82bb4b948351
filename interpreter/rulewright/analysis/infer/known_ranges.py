"""Why a comparison of numbers always comes out the same, where the numbers that its sides can be show it."""

from collections.abc import Callable

from rulewright.analysis.facts import Facts
from rulewright.analysis.facts.intervals import Range, less, same
from rulewright.analysis.facts.prove import number_range
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import NumberType
from rulewright.program.wording import wording

_DECIDED: dict[str, Callable[[Range, Range], bool | None]] = {
    "<": less,
    ">": lambda one, other: less(other, one),
    "<=": lambda one, other: _denied(less(other, one)),
    ">=": lambda one, other: _denied(less(one, other)),
    "=": same,
    "!=": lambda one, other: _denied(same(one, other)),
}
"""Whether the numbers of two sides decide a comparison."""

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_THAN = {
    "<": "less than {}",
    ">": "more than {}",
    "<=": "{} or less",
    ">=": "{} or more",
    "=": "{}",
    "!=": "{}",
}


def why_constant(condition: Expression, facts: Facts, *, truth: bool) -> tuple[str, ...]:
    """A note that says which numbers the sides of a comparison can be; none where they alone do not decide it so."""
    if isinstance(condition, ex.Logical):
        sides = (why_constant(each, facts, truth=truth) for each in (condition.left, condition.right))
        return next(filter(None, sides), ())
    if not isinstance(condition, ex.Comparison) or condition.operator not in _DECIDED:
        return ()
    left, right, operator = condition.left, condition.right, condition.operator
    if isinstance(left, ex.Literal):
        left, right, operator = right, left, _MIRRORED.get(operator, operator)
    if not all(isinstance(each.type, NumberType) for each in (left, right)) or isinstance(left, ex.Literal):
        return ()
    ranges = number_range(facts, left), number_range(facts, right)
    decided = _DECIDED[operator](*ranges)
    said = [_said(each, range_, facts) for each, range_ in zip((left, right), ranges, strict=True)]
    if decided is not truth or not said[0]:
        return ()
    if isinstance(right, ex.Literal):
        how = "always" if truth is (operator != "!=") else "never"
        return (f"{said[0]}, {how} {_THAN[operator].format(right.value)}.",)
    return (f"{said[0]}, and {said[1]}.",) if said[1] else ()


def _said(side: Expression, range_: Range, facts: Facts) -> str:
    """Which numbers a side can be; empty where it has no short name, or they have no end."""
    code = wording(side)
    low, high = range_
    if "…" in code or " in play" in code or (low is None and high is None):
        return ""
    here = "" if range_ == number_range(facts.unlearnt(), side) else " here"
    if low == high:
        return f"`{code}` is {low}{here}"
    if low is None or high is None:
        return f"`{code}` is {f'at most {high}' if low is None else f'at least {low}'}{here}"
    return f"`{code}` is {low} to {high}{here}"


def _denied(found: bool | None) -> bool | None:  # noqa: FBT001 - an answer
    return None if found is None else not found
