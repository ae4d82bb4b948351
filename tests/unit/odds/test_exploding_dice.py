"""Dice that explode without limit and are told apart, beside every throw written out as far as it matters."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import pytest

from rulewright.odds.state_exploration import NEGLIGIBLE_SHARE
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from support.odds_questions import work_out

DEEP = 7
Dice = Sequence[int]


def _die(sides: int, least: int, deep: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """What one die and those that it brings show, and how likely that is; nothing of what goes deeper."""
    for face in range(1, sides + 1):
        if face < least:
            yield (face,), Fraction(1, sides)
        elif deep:
            for more, likely in _die(sides, least, deep - 1):
                yield (face, *more), likely / sides


def _written_out(count: int, sides: int, least: int, value: Callable[[Dice], object]) -> dict[object, Fraction]:
    found = defaultdict[object, Fraction](Fraction)
    for dice in product([*_die(sides, least, DEEP)], repeat=count):
        likely = Fraction(1)
        for _, share in dice:
            likely *= share
        found[value([face for faces, _ in dice for face in faces])] += likely
    return found


def _either(dice: Dice) -> int:
    return sum(dice) if sum(dice) > 4 else 100 + [*dice].count(1)


def _other(dice: Dice) -> int:
    return max(dice) if len(dice) > 1 else sum(dice)


ROLLS = [
    ("1d6 explode on 6", 1, 6, 6),
    ("1d4 explode on 4", 1, 4, 4),
    ("2d5 explode on 5", 2, 5, 5),
    ("1d4 explode on 3+", 1, 4, 3),
]
ASKED: list[tuple[str, Callable[[Dice], object]]] = [
    ("count(x)", len),
    ("max([each d in x: d.natural])", max),
    ("count(x) * min([each d in x: d.natural])", lambda dice: len(dice) * min(dice)),
    ("if(total(x) > 4, total(x), 100 + count(each d in x where d.natural = 1))", _either),
    ("if(count(x) > 1, max([each d in x: d.natural]), total(x))", _other),
]


@pytest.mark.parametrize(("text", "value"), ASKED)
@pytest.mark.parametrize(("roll", "count", "sides", "least"), ROLLS)
def test_all_that_is_seen_of_them_is_as_likely_as_throws_say(
    roll: str, count: int, sides: int, least: int, text: str, value: Callable[[Dice], object]
) -> None:
    rules = f"""
procedure burst() gives 0..9999 "Bursts":
  roll {roll} without limit as x
  finish with {text}
"""
    (found,) = work_out(rules).distributions
    written = _written_out(count, sides, least, value)
    missed = 1 - sum(written.values())
    assert sum(found.probabilities.values()) == 1
    for each in {*found.probabilities, *written}:
        low = written.get(each, Fraction(0))
        assert low - NEGLIGIBLE_SHARE <= found.probabilities.get(each, 0) <= low + missed + NEGLIGIBLE_SHARE  # type: ignore[call-overload]


@pytest.mark.parametrize("sides", [4, 6, 20])
def test_how_many_there_are_and_the_highest_are_closed_forms(sides: int) -> None:
    rules = f"""
procedure burst() gives 0..9999 "Bursts":
  roll 1d{sides} explode on {sides} without limit as x
  finish with ASKED
"""
    count = work_out(rules.replace("ASKED", "count(x)"))
    rate = Fraction(1, sides)
    assert count.distributions[0].mean == 1 / (1 - rate)
    assert [count.distributions[0].probabilities[each] for each in (1, 2, 5)] == [
        1 - rate,
        rate * (1 - rate),
        rate**4 * (1 - rate),
    ]
    assert count.is_explosion_cut
    highest = work_out(rules.replace("ASKED", "max([each d in x: d.natural])"))
    assert highest.distributions[0].probabilities == dict.fromkeys(range(1, sides + 1), rate)


def test_one_die_with_a_name_is_what_falls_first() -> None:
    found = work_out("""
procedure burst() gives 0..9999 "Bursts":
  roll d20 explode on 19+ without limit as x
  roll 2d4 explode on 4 at most 2 as y
  finish with if(x.natural > 10, x.natural, count(y))
""")
    (told,) = found.distributions
    assert [told.probabilities[each] for each in (11, 20)] == [Fraction(1, 20)] * 2
    assert told.probabilities[2] == Fraction(1, 2) * Fraction(3, 4) ** 2


def test_dice_that_explode_nearly_always_are_counted() -> None:
    found = work_out("""
procedure burst() gives 0..9999 "Bursts":
  roll 1d6 explode on 2+ without limit as x
  finish with count(x)
""")
    assert found.distributions[0].mean == 6


@pytest.mark.parametrize(
    "rules",
    [
        "  roll 6d6 explode on 6 without limit as x\n  finish with max([each d in x: d.natural]) * count(x)\n",
        "  roll 2d6 explode on 5+ without limit as x\n  finish with max([each d in x: d.natural]) * count(x)\n",
        "  roll 2d6 explode on 1+ without limit as x\n  finish with count(x)\n",
        "  roll 2d6 keep highest 1 explode on 6 without limit as x\n  finish with max([each d in x: d.natural])\n",
        "  roll 1d20 explode on 2+ without limit as x\n  finish with total(x)\n",
    ],
)
def test_what_lies_in_too_many_ways_is_refused(rules: str) -> None:
    with pytest.raises(TooManyOutcomesError) as met:
        work_out(f'\nprocedure burst() gives 0..9999 "Bursts":\n{rules}')
    assert met.value.is_endless
