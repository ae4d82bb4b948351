"""First takers, and procedures ended by name from inside windows, settling and holds, by machine and judge."""

import pytest

from judge.test_side_by_side import (
    test_a_play_frozen_at_every_question_and_a_live_one_come_to_the_same as both_ways,
    test_machine_and_judge_agree as agree,
)

TAKERS = """\
event rolled(u: Unit, blow: die, n: 0..9) gives 0..9 "Interrupt?":
  holders units
  order by [u.owner, active] first taker
handler jinx for each h in units on rolled when h.owner != u.owner and h.morale > 0 optional "Jinx":
  take up to 1 from h.morale
  reroll blow by h.owner
  finish with n
handler curse for each h in units on rolled when h != u and h.health > 1 optional "Curse":
  take up to 1 from h.health
handler cheer for each h in units on rolled when h.owner = u.owner and turn > 2 "Cheer":
  add up to 1 to h.morale
  if h.morale < 4:
    perform once_more(h, blow) at most 2 deep as inner
    finish with inner
procedure once_more(u: Unit, blow: die) gives 0..9 "Once more":
  trigger rolled(u, blow, 1) as inner
  finish with min(9, sum(inner))
procedure go(t: Unit) gives 0..99 "Go":
  let sum_of: 0..99 = 0
  repeat while turn < 5 at most 6:
    add up to 1 to turn
    roll d6 as blow by t.owner
    trigger rolled(t, blow, min(turn, 9)) as gains
    tally score from blow.natural:
      gained: +g for each g in gains
    add up to score to sum_of
  finish with sum_of
"""

ENDS = """\
event hit(u: Unit) gives 0..9 "Hit":
  holders units
  order by [u.owner, active]
event lost(x: Unit) on removal "Lost":
  holders units
handler flee for each h in units on hit when h.owner = u.owner optional "Flee":
  take up to 1 from h.health
  finish combat with 3
handler yield_all for each h in units on hit when h.health <= 2 optional "Yield":
  finish war with h.health
handler panic for each h in units on lost when h.owner != x.owner optional "Panic":
  add up to 1 to h.morale
  finish combat with 5
whenever dead for each u in units "dead":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
whenever tired for each u in units "tired":
  when u.morale = 0 and weary not in u.tags
  priority 2
  lowers count(each u in units where weary not in u.tags)
  add weary to u.tags
procedure combat(u: Unit, depth: 0..3) gives 0..9 "Combat":
  hold tired
  let heard: 0..99 = 0
  watch hit when heard < 9:
    add up to 1 to heard
  take up to 2 from u.morale
  step 1 "Blows":
    trigger hit(u) as gains
    take up to 1 from u.health
  step 2 "Again" when depth > 0:
    perform combat(u, depth - 1) at most 3 deep as inner
    add up to inner to turn
  step 3 "End":
    trigger hit(u) as more
    finish with heard
procedure war(n: 0..3) gives 0..9 "War":
  hold dead
  for each u in units:
    perform combat(u, n) as won
    add up to won to turn
  finish with 1
procedure go(n: 0..3) gives 0..99 "Go":
  for each u in units:
    add up to 1 to u.morale
  perform war(n) as got
  add up to 1 to turn
  finish with got + turn
procedure brawl(u: Unit, n: 0..3) gives 0..99 "Brawl":
  perform combat(u, n) as got
  add up to 1 to turn
  finish with got + turn
"""

CASES = [
    *(pytest.param(TAKERS, "go", (unit,), id=f"takers-{unit}") for unit in range(3)),
    *(pytest.param(ENDS, "go", (deep,), id=f"ends-{deep}") for deep in range(3)),
    *(pytest.param(ENDS, "brawl", (unit, deep), id=f"brawl-{unit}-{deep}") for unit in range(3) for deep in (0, 2)),
]


@pytest.mark.parametrize(("rules", "procedure", "arguments"), CASES)
def test_machine_and_judge_agree(rules: str, procedure: str, arguments: tuple[int, ...]) -> None:
    agree(rules, procedure, arguments)


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize(("rules", "procedure", "arguments"), CASES)
def test_a_play_frozen_at_every_question_and_a_live_one_come_to_the_same(
    rules: str, procedure: str, arguments: tuple[int, ...], *, traced: bool
) -> None:
    both_ways(rules, procedure, arguments, traced=traced)
