"""Edges of bases by the machine and by the judge: all ways, turned bases, round ones and those off the board."""

import pytest

from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset skirmish "Skirmish" revision "1"
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
  met: set of angle = {}
kind Wall, walls:
  outline: polygon
board field of plane
procedure go(m: Mini, foe: Mini) "Go":
  ask m.owner whether turned "Turn?":
    turn foe to face m
  ask m.owner for way in {0, 44.99, 45, 90, 134.5, 135, 180, 225, 270, 314.99, 315, 359} "Which way?":
    for each other_way in {way, 0, 90, 180, 270}:
      if gap(m, edge(foe, other_way)) = gap(m, foe):
        add other_way to foe.met
    if some w in walls where crosses(edge(foe, way), w.outline):
      turn foe to way
"""

STATE = """\
players: [red]
minis:
  a: {owner: red, at: [0, 0], facing: 90.5, base: {round: 1.576}}
  b: {owner: red, at: [1, 2.5], facing: 33.33, base: {width: 1, length: 2}}
  c: {owner: red, at: [3, 3], base: {width: 2, length: 1}}
  d: {owner: red, at: none, base: {width: 2, length: 1}}
walls:
  v: {outline: [[2, -1], [2, 3]]}
"""


@pytest.mark.parametrize(("mover", "foe"), [(0, 1), (0, 2), (1, 2), (2, 0), (0, 3)])
def test_edges(mover: int, foe: int) -> None:
    played = load_program(RULES)
    for seed in range(12):
        compare_with_judge(played, read_situation(STATE, played), "go", (mover, foe), seed)
