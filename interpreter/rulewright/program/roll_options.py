"""Options of a roll: one row says of each what its value is, which dice it leaves, and how it is put in words.

The checker, the machine, chances, traces and chapters follow the row of an option that keeps some of the dice. What an
option does that brings dice, as `explode` does, is in `runtime/dice.py`; one of a third sort is a class beside these
two, and `make_dice` has to know it.
"""

from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Any, NamedTuple

from rulewright.program.types import COUNT, Type


class KeepingOption(NamedTuple):
    """An option that keeps some of the dice by their first faces; `best` is `highest` or `lowest`, or empty."""

    value_type: Type | None  # of its value; none: that of a face of the dice
    phrase: str  # with `{value}` and `{best}`
    # positions of the first faces that are kept, of those in order
    choose_kept: Callable[[Sequence[Any], Any, str], Collection[int]]
    # fewest and most dice that are left of a number of dice by a value, monotone in both
    count_kept: Callable[[float, float], tuple[float, float]]
    computed_phrase: str = ""  # for a value that is computed; empty: as `phrase`


class ExplodingOption(NamedTuple):
    """An option by which each die that shows a face brings one more."""

    phrase: str  # with `{value}` and `{bound}`
    value_type: Type | None = None
    computed_phrase: str = ""


def _rank_positions(faces: Sequence[Any], best: str) -> list[int]:
    """Positions of faces, the best first, of equal ones the earlier."""
    return sorted(range(len(faces)), key=lambda at: (-faces[at] if best == "highest" else faces[at], at))


def _keep_best(faces: Sequence[Any], count: int, best: str) -> Collection[int]:
    return _rank_positions(faces, best)[:count]


def _drop_best(faces: Sequence[Any], count: int, best: str) -> Collection[int]:
    """Of equal faces the earlier is kept, the later dropped."""
    worst_first = _rank_positions(faces, "lowest" if best == "highest" else "highest")
    return worst_first[: max(0, len(faces) - max(0, count))]


ROLL_OPTIONS: dict[str, KeepingOption | ExplodingOption] = {
    "keep": KeepingOption(
        COUNT,
        "keeping the {value} {best}",
        _keep_best,
        lambda number, value: (min(number, value), min(number, value)),
        "keeping the {best}, as many as {value}",
    ),
    "drop": KeepingOption(
        COUNT,
        "without the {value} {best}",
        _drop_best,
        lambda number, value: (max(0, number - value), max(0, number - value)),
        "without the {best}, as many as {value}",
    ),
    "explode": ExplodingOption("each {value} explodes into one more die{bound}"),
}


def is_exploding(word: str) -> bool:
    """Whether dice with the option of this word may bring more."""
    return isinstance(ROLL_OPTIONS[word], ExplodingOption)


def bound_kept_dice(
    option: KeepingOption, number: tuple[int | None, int | None], value: tuple[int | None, int | None]
) -> tuple[int | None, int | None]:
    """Bounds of the dice that an option leaves, by bounds of their number and of its value; none: without end."""
    ends = [[low or 0, inf if high is None else high] for low, high in (number, value)]
    left = [option.count_kept(each, by) for each in ends[0] for by in ends[1]]
    least, most = min(low for low, _ in left), max(high for _, high in left)
    return int(max(0, least)), None if most == inf else int(most)
