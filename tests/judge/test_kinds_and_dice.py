"""Things of several kinds in a cell, and dice whose number of faces is computed, by machine and judge."""

from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  at: hex
  skill: 2..12 = 6
  score: 0..99 = 0
kind Fort, forts:
  owner: player
  at: hex?
board field of hex
procedure go(u: Unit, h: hex) gives 0..99 "Go":
  roll 2 of die(u.skill) as check by u.owner
  roll [1 of die(u.skill + 1) explode on 2 at most 2, 1 of d4] as other_dice
  ask u.owner for c in neighbours(h) where no x in occupants(c) "Where?":
    move u to c
  if some x in occupants(h) where x.owner != u.owner:
    set u.score to min(99, total(check))
  if every x in occupants(h): x.owner = u.owner:
    add up to count(occupants(h)) to u.score
  finish with min(99, total(other_dice) + count(each x in occupants(h) where x.owner = u.owner))
"""

STATE = """\
players: [red, blue]
units:
  a: {owner: red, at: [0, 0]}
  b: {owner: blue, at: [1, 0], skill: 2}
forts:
  keep: {owner: red, at: [0, 0]}
  tower: {owner: red, at: [0, 1]}
  lost: {owner: blue, at: none}
field: {shape: {radius: 2}}
"""


def test_machine_and_judge_play_alike() -> None:
    rules = load_program(RULES)
    begun = read_situation(STATE, rules)
    for seed in range(10):
        for unit in range(2):
            for cell in ((0, 0), (1, 0), (0, 1), (-1, 0)):
                compare_with_judge(rules, begun, "go", (unit, cell), seed)
