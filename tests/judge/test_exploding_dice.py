"""Dice that explode, parts of rolls and dropped dice: the judge agrees, and small laws come out exactly."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import pytest

from rulewright.runtime.run import Run
from support.judge_comparison import compile_once
from support.reference.ruleset_texts import load_program, read_situation
from support.state_key_checks import weigh_results

STATE = """\
players: [red]
units:
  a: {owner: red}
game: {}
"""

RULES = """\
ruleset example "Example" revision "1" edition 2
values Arm: horse, foot
kind Unit, units:
  owner: player
game:
  seen: 0..99 = 0
procedure throw(u: Unit) gives 0..99 "Throw":
  roll LINE as dice by u.owner
  set seen to count(each d in dice where CHOSEN)
  finish with min(99, total(dice))
"""

Law = dict[tuple[int, int], Fraction]


def _fill_rules(line: str, chosen: str = "d.face > 1") -> str:
    return RULES.replace("LINE", line).replace("CHOSEN", chosen)


def _compute_distribution(rules: str) -> Law:
    """How likely each result is, with how many dice were seen."""
    played = load_program(rules)
    begun = Run.begin(compile_once(played, traced=False), read_situation(STATE, played), "throw", (0,))
    return dict(weigh_results(begun, lambda end: (end.result, end.state.game[0])))


def test_one_die_explodes_at_most_twice() -> None:
    assert _compute_distribution(_fill_rules("1 of d3 explode on 3 at most 2")) == {
        (1, 0): Fraction(1, 3),
        (2, 1): Fraction(1, 3),
        (4, 1): Fraction(1, 9),
        (5, 2): Fraction(1, 9),
        (7, 2): Fraction(1, 27),
        (8, 3): Fraction(1, 27),
        (9, 3): Fraction(1, 27),
    }


def test_each_kept_die_explodes_on_its_own() -> None:
    one = {1: Fraction(1, 2), 3: Fraction(1, 4), 4: Fraction(1, 4)}
    both: Counter[int] = Counter()
    for left, chance in one.items():
        for right, other in one.items():
            both[left + right] += chance * other
    sums: Counter[int] = Counter()
    for (total, _), chance in _compute_distribution(_fill_rules("2 of d2 explode on 2 at most 1")).items():
        sums[total] += chance
    assert sums == both


def test_faces_from_a_number_on_explode() -> None:
    assert _compute_distribution(_fill_rules("1 of d3 explode on 2+ at most 1", "d.face in 2+")) == {
        (1, 0): Fraction(1, 3),
        (3, 1): Fraction(1, 9),
        (4, 2): Fraction(1, 9),
        (5, 2): Fraction(2, 9),
        (4, 1): Fraction(1, 9),
        (6, 2): Fraction(1, 9),
    }


def test_a_dropped_die_does_not_explode() -> None:
    assert _compute_distribution(_fill_rules("2 of d2 drop highest 1 explode on 2 at most 1")) == {
        (1, 0): Fraction(3, 4),
        (3, 1): Fraction(1, 8),
        (4, 2): Fraction(1, 8),
    }


@pytest.mark.parametrize(("net", "best"), [(0, min), (2, max), (-1, min)])
def test_an_advantage_keeps_one_of_so_many_more(net: int, best: Callable[[Iterable[int]], int]) -> None:
    faces = list(product(range(1, 5), repeat=1 + abs(net)))
    law: Law = Counter()
    for each in faces:
        law[best(each), 0] += Fraction(1, len(faces))
    assert _compute_distribution(_fill_rules(f"1 of d4 with advantage {net}", "d.rerolls > 0")) == law


def test_tens_and_units_are_thirty_six_numbers_all_alike() -> None:
    numbers = {(10 * tens + units, 0): Fraction(1, 36) for tens in range(1, 7) for units in range(1, 7)}
    assert _compute_distribution(_fill_rules("1 of d66", "d.face = 17 or d.face > 66")) == numbers


def test_dice_that_explosions_bring_belong_to_their_part() -> None:
    line = "[Arm.horse: 1 of d2 explode on 2 at most 1, Arm.foot: 1 of d2]"
    seen: Counter[int] = Counter()
    for (_, horses), chance in _compute_distribution(_fill_rules(line, "d.part = horse")).items():
        seen[horses] += chance
    assert seen == {1: Fraction(1, 2), 2: Fraction(1, 2)}
