"""Plays in pairs: two revisions, readings or policies on the same dice, so that what both share cancels out."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Any

from rulewright.codecs.table import show
from rulewright.frozen import dataclass
from rulewright.machine.request import Faulted
from rulewright.machine.values import Value
from rulewright.odds.answering import Answers
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.odds.odds import from_least
from rulewright.odds.simulation import Counted, Middle, Repeated, confidence_interval, middle
from rulewright.program.types import FlagType, present

Told = bool | int | Fraction | str | None
"""A value that two programs can have alike: a number or flag, any other by how people say it; none is no value."""
NO_END = "cannot be carried on"
Joint = Mapping[Any, int]
"""How many pairs of plays came to each pair of values."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one of a pair plays."""

    play: PlayToMeasure  # it, with what is asked of its end
    answers: Answers  # who answers


def paired(sides: tuple[Side, Side], seed: int, plays: range) -> Counted:
    """Pairs of plays by their numbers, each thrown the same dice wherever both come to the same line.

    Of each measure pairs of values are counted.

    Raises:
        CannotBeginError: the procedure cannot begin in one of them.
        UnansweredError: a play stops at a question.
    """
    joint: tuple[Counter[Any], ...] = tuple(Counter() for _ in sides[0].play.measures)
    both = [(each.play, Repeated(each.play, each.answers)) for each in sides]
    for number in plays:
        ends = [_told(play, repeated.end(seed, number)) for play, repeated in both]
        for counts, *pair in zip(joint, *ends, strict=True):
            counts[tuple(pair)] += 1
    return Counted(len(plays), joint, {})


def _told(play: PlayToMeasure, end: tuple[Value, ...] | Faulted) -> tuple[Told, ...]:
    if isinstance(end, Faulted):
        return (NO_END,) * len(play.measures)
    return tuple(_alike(value, each, play) for value, each in zip(end, play.measures, strict=True))


def _alike(value: Value, measure: AskedMeasure, play: PlayToMeasure) -> Told:
    if value is None or isinstance(present(measure.type), FlagType) or measure.is_number:
        return value  # type: ignore[return-value]
    return show(value, measure.type, play.begun.names)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger the share of a value is in the second of a pair."""

    value: Told
    first: int  # pairs in which the first came to it
    other: int  # in which the second did
    low: float  # the difference of the shares is at least so much
    high: float  # and at most so much


@dataclass(frozen=True, slots=True)
class Means:
    """Means of numbers, and how much larger that of the second of a pair is."""

    first: float
    other: float
    difference: Middle


def differences(joint: Joint, plays: int) -> tuple[Difference, ...]:
    """For every value of either, how much likelier it is in the second, in order."""
    first, other = Counter[Any](), Counter[Any]()
    for pair, often in joint.items():
        first[pair[0]] += often
        other[pair[1]] += often
    return tuple(
        Difference(each, first[each], other[each], *difference_interval(first[each] - both, other[each] - both, plays))  # type: ignore[arg-type]
        for each in from_least(dict.fromkeys([*first, *other]))
        for both in [joint.get((each, each), 0)]
    )


def difference_interval(only_first: int, only_other: int, plays: int) -> tuple[float, float]:
    """Between what the difference of two paired shares is.

    `only_first` pairs had it in the first alone, `only_other` in the second alone. The intervals of both are put
    together by how far each reaches (Zou and Donner 2008), so that no pair that differs is no certainty.
    """
    one, other = only_first / plays, only_other / plays
    (low, high), (least, most) = confidence_interval(only_first, plays), confidence_interval(only_other, plays)
    both = sqrt(one * other / ((1 - one) * (1 - other))) if max(one, other) < 1 else 0.0
    below, above = (
        sqrt(this * this + that * that + 2 * both * this * that)
        for this, that in ((other - least, high - one), (most - other, one - low))
    )
    return max(-1.0, other - one - below), min(1.0, other - one + above)


def means(joint: Joint, bounds: tuple[Fraction, Fraction] | None = None) -> Means | None:
    """The means of numbers and their difference; none of other values, and where `middle` has none.

    `bounds` are those of the numbers.
    """
    if not all(_is_number(each) for pair in joint for each in pair):
        return None
    apart = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    found = middle([(float(other - first), often) for (first, other), often in joint.items()], apart)
    if found is None:
        return None
    plays = sum(joint.values())
    first, other = (sum(float(pair[at]) * often for pair, often in joint.items()) / plays for at in (0, 1))
    return Means(first, other, found)


def differing(joint: Joint) -> int:
    """How many pairs came to two values."""
    return sum(often for (first, other), often in joint.items() if first != other)


def _is_number(value: Told) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def is_faulty(joint: Joint) -> bool:
    """Whether a play of any pair could not be carried on."""
    return any(NO_END in pair for pair in joint)
