"""Geometry of the machine and of the judge, on bodies drawn at random, touching ones among them."""

from random import Random

import pytest

from rulewright.runtime import geometry
from support.judge_comparison import compare_with_judge
from support.random_bodies import draw_base, draw_base_beside, draw_body, draw_point
from support.reference import plane_geometry as judge
from support.reference.ruleset_texts import load_program, read_situation

SEEDS = range(6)

RULES = """\
ruleset skirmish "Skirmish" revision "1"
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
  move: inches = 6
  engaged: flag = no
board field of plane
whenever meet for each m in minis "Meeting":
  when (some e in minis where e.owner != m.owner and contact(e, m)) and not m.engaged
  priority 1
  lowers count(each x in minis where not x.engaged)
  set m.engaged to yes
measure spread: max(each m in minis: max(each n in minis: if(m.at = none or n.at = none, 0, m.move)))
procedure go(m: Mini, foe: Mini) "Go":
  let before = m.pose
  let way: inches = gap(m, foe) / 3
  let there = foe.at
  if there != none:
    ask m.owner whether near "Near?":
      move m to point(there.x, there.y - foe.move * 0.25)
    else:
      move m to point(there.x + way, there.y + 0.5)
  turn m to face foe
  turn m to m.facing - bearing(m, point(1, 1)) + way
  if contact(m, foe) and distance(m, foe) > 0.5:
    set m.move to distance(m, foe) + gap(m, foe) + 0.0005
  ask m.owner whether back "Back?":
    place m at before
    set m.engaged to no
  ask m.owner whether off "Off?":
    place m at none
  ask m.owner whether lost "Lost?":
    remove foe
  if gap(m, foe) < 1:
    set foe.engaged to no
"""

STATE = """\
players: [red, blue]
minis:
  a: {owner: red, at: [0, 0], facing: 90.5, base: {round: 1.575}}
  b: {owner: blue, at: [1, 2.5], base: {width: 1, length: 2}}
  c: {owner: red, at: [3.5, 1.125], base: {round: 1}, facing: 33.33}
  d: {owner: blue, base: {round: 1}, at: [3.5, 2.13]}
field: {width: 5, depth: 5, contact: 0.02}
"""


@pytest.mark.parametrize(("mover", "foe"), [(0, 1), (1, 2), (2, 3), (3, 1), (0, 3)])
def test_a_play_on_the_plane(mover: int, foe: int) -> None:
    played = load_program(RULES)
    for seed in range(6):
        compare_with_judge(played, read_situation(STATE, played), "go", (mover, foe), seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_gaps(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        (a, first), (b, second) = draw_body(draw), draw_body(draw)
        gap = judge.measure_gap(first, second)
        assert geometry.measure_gap(a, b) == geometry.measure_gap(b, a) == gap
        assert [geometry.is_within_reach(a, b, reach) for reach in (gap - 1, gap, gap + 1)] == [False, True, True]


@pytest.mark.parametrize("seed", SEEDS)
def test_gaps_of_bases_that_all_but_touch(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        a, first = draw_base(draw, draw_point(draw, 4000))
        if first.radius is None:
            continue
        b, second = draw_base_beside(draw, first)
        assert geometry.measure_gap(a, b) == judge.measure_gap(first, second)
        assert geometry.measure_gap(a, b) <= 24


@pytest.mark.parametrize("seed", SEEDS)
def test_bearings(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        (_, a), (_, b) = draw_base(draw, draw_point(draw, 4000)), draw_base(draw, draw_point(draw, 4000), 1)
        if a.middle != b.middle:
            found = geometry.bearing_of_vector(b.middle[0] - a.middle[0], b.middle[1] - a.middle[1])
            assert found == judge.measure_bearing(a, b)


def test_nothing_is_inside_a_line() -> None:
    assert geometry.measure_gap((-110, 477, 500), ((1000, 1000), (2000, -1000))) == 727


@pytest.mark.parametrize(
    ("above", "below", "root"), [(0, 1, 0), (1, 4, 1), (6, 1, 2), (7, 1, 3), (9, 4, 2), (25, 4, 3), (2, 9, 0)]
)
def test_roots_round_halves_up(above: int, below: int, root: int) -> None:
    assert geometry.round_root(above, below) == root
