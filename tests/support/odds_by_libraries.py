"""The odds of the generated cases of `odds_cases` as icepool and dyce, of the extra `bench`, work them out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dyce import H, P, expand, explode_n
from icepool import Deck, Die, d

Likely = Mapping[int, Fraction]
FAULT = -99
"""In place of a result where the play meets a fault."""


def compute_by_libraries(family: str, given: Sequence[Any], faulty: Fraction) -> Mapping[str, Likely]:
    """What each library that can say it makes of a case, by its name; a share of faults is left out as `odds` does."""
    found = {"icepool": _ICEPOOL.get(family), "dyce": _DYCE.get(family)}
    return {name: _normalize(ask(*given), faulty) for name, ask in found.items() if ask is not None}


def _normalize(found: Any, faulty: Fraction) -> Likely:
    counts = {int(outcome): count for outcome, count in found.items()}
    likely = {outcome: Fraction(counts[outcome], sum(counts.values())) for outcome in sorted(counts)}
    assert likely.pop(FAULT, 0) == faulty
    return likely


def _draw_rest(chits: Sequence[int], first: int) -> list[int]:
    at = chits.index(first)
    return [*chits[:at], *chits[at + 1 :]]


def _loop_icepool(sides: int, least: int, often: int, number: int = 1) -> Any:
    if number > often + 1:
        return FAULT
    return (d(sides) >= least).if_else(number, _loop_icepool(sides, least, often, number + 1))


def _loop_dyce(sides: int, least: int, often: int, number: int = 1) -> Any:
    if number > often + 1:
        return FAULT
    again = _loop_dyce(sides, least, often, number + 1)
    return expand(lambda die: number if die.outcome >= least else again, H(sides))


def _recursion_icepool(sides: int, deep: int) -> Any:
    if not deep:
        return d(sides)
    below = _recursion_icepool(sides, deep - 1)
    return d(sides).map(lambda face: face if face % 2 else below + face)


def _recursion_dyce(sides: int, deep: int) -> Any:
    if not deep:
        return H(sides)
    below = _recursion_dyce(sides, deep - 1)
    return expand(lambda die: die.outcome if die.outcome % 2 else below + die.outcome, H(sides))


def _kept_dyce(count: int, sides: int, first: int, last: int) -> Any:
    found = Counter[int]()
    for roll, times in (P(sides) @ count).rolls_with_counts():
        found[sum(sorted(roll)[first:last])] += times
    return found


_ICEPOOL: Mapping[str, Callable[..., Any]] = {
    "make_opposed_case": lambda one, other, sides, least, most: one @ (d(sides) >= least) - other @ (d(sides) >= most),
    "make_exploding_case": lambda sides, often: d(sides).explode({sides}, depth=often),
    "make_kept_dice_case": lambda count, sides, first, last: d(sides).pool(count)[first:last].sum(),
    "make_reroll_case": lambda count, sides, low, least: (
        count @ (d(sides).reroll(set(range(1, low)), depth=1) >= least)
    ),
    "make_deck_case": lambda worths, hand: Deck(list(worths)).deal(hand).sum(),
    "make_bag_case": lambda chits: Die(list(chits)).map(lambda first: Die(_draw_rest(chits, first)) + 10 * first),
    "make_loop_case": _loop_icepool,
    "make_recursion_case": _recursion_icepool,
}
_DYCE: Mapping[str, Callable[..., Any]] = {
    "make_opposed_case": lambda one, other, sides, least, most: one @ H(sides).ge(least) - other @ H(sides).ge(most),
    "make_exploding_case": lambda sides, often: explode_n(H(sides), n=often),
    "make_kept_dice_case": _kept_dyce,
    "make_reroll_case": lambda count, sides, low, least: (
        count @ expand(lambda die: H(sides) if die.outcome < low else die.outcome, H(sides)).ge(least)
    ),
    "make_bag_case": lambda chits: expand(
        lambda die: H.from_counts(Counter(_draw_rest(chits, die.outcome))) + 10 * die.outcome,
        H.from_counts(Counter(chits)),
    ),
    "make_loop_case": _loop_dyce,
    "make_recursion_case": _recursion_dyce,
}
