"""Connected groups, maps with tuples as keys and recursion with a bound, by machine and judge."""

import pytest

from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_situation

HEAD = """\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  at: hex
  health: 0..9 = 3
board field of hex
game:
  blows: map of (Unit, Unit) to 0..20 = 0
  named: list of Unit = []
relation near(a: Unit, b: Unit) symmetric means adjacent(a.at, b.at) and a.owner = b.owner
relation lead(a: Unit, b: Unit)
relation melee(a: Unit, b: Unit) symmetric
"""

STATE = """\
players: [red, blue]
units:
  a: {owner: red, at: [0, 0]}
  b: {owner: red, at: [1, 0]}
  c: {owner: red, at: [2, 0]}
  d: {owner: blue, at: [0, 1]}
  e: {owner: blue, at: [-1, 1]}
field: {shape: {radius: 2}}
lead: [[a, b], [b, c], [d, a]]
melee: [[a, d]]
"""

ROUTINES = {
    "groups": """\
procedure go(u: Unit, t: Unit) gives 0..99 "Go":
  let before = connected(u, near)
  add (u, t) to melee
  add (t, u) to lead
  let fight = connected(t, melee)
  ask u.owner for x in connected(u, lead) "Who goes?":
    remove x
  for each z in before - connected(u, near):
    add up to 1 to z.health
  finish with min(99, count(before) + 10 * count(fight))
""",
    "maps": """\
procedure go(u: Unit, t: Unit) gives 0..99 "Go":
  let own: map of (Unit, player) to 0..9 = 1
  for each (a, b) in pairs(units, {u, t}) where a != b:
    add up to 2 to blows[a, b]
    add up to a.health to own[a, b.owner]
  set blows[u, t] to 0
  for each (a, b) in blows:
    if blows[a, b] > 1 and blows[b, a] = 0:
      add a to named
  if (u, t.owner) in own:
    set blows[t, t] to own[u, t.owner]
  finish with min(99, count(blows) + count(own))
""",
    "recursion": """\
procedure chain(x: Unit, left: 0..9) gives 0..99 "Chain":
  ask x.owner for y in units where y != x and y.health > 0 "Whom?":
    take up to 2 from y.health
    add up to 1 to blows[x, y]
    if left > 0:
      perform chain(y, max(0, left - 1)) at most 3 deep as more
      finish with min(99, more + 1)
  else:
    nothing
  finish with 1
procedure go(u: Unit, t: Unit) gives 0..99 "Go":
  perform chain(u, 2) as first
  perform chain(t, 5) as second
  finish with min(99, first + second)
""",
}


@pytest.mark.parametrize("routine", ROUTINES.values(), ids=ROUTINES)
def test_machine_and_judge_play_alike(routine: str) -> None:
    rules = load_program(HEAD + routine)
    begun = read_situation(STATE, rules)
    for seed in range(8):
        for pair in ((0, 3), (1, 2), (4, 0), (3, 4)):
            compare_with_judge(rules, begun, "go", pair, seed)
