"""Overlaps, arcs and sight by the machine and by the judge: random bodies, shared edges and corners."""

from fractions import Fraction
from random import Random

import pytest

from rulewright.runtime import geometry
from support.judge_comparison import compare_with_judge
from support.random_bodies import draw_base, draw_base_beside, draw_body, draw_point, draw_polygon
from support.reference import area_overlap
from support.reference.plane_geometry import Body
from support.reference.ruleset_texts import load_program, read_situation

SEEDS = range(6)
DEGREES = (0, 45, 90, 180, 270, 359, 360, Fraction(1, 3), Fraction(361, 2))

RULES = """\
ruleset skirmish "Skirmish" revision "1"
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
  marks: set of Mark = {}
values Mark: on, ahead, seen, past, over, room, touching
kind Wall, walls:
  outline: polygon
board field of plane
procedure go(m: Mini, foe: Mini) "Go":
  ask m.owner whether walk "Walk?":
    ask m.owner for n in 0..6 "How far?":
      move m to point(n * 0.5, 2 - n * 0.25)
  ask m.owner whether off "Off?":
    place m at none
  ask m.owner whether lost "Lost?":
    remove foe
  for each x in minis:
    if aboard(m, x):
      add on to x.marks
    if in_arc(m, x, 90) or in_arc(x, m, 10.5):
      add ahead to x.marks
    if sees(m, x):
      add seen to x.marks
    if overlaps(m, x):
      add over to x.marks
    let spot = x.pose
    if spot != none and fits(spot):
      add room to x.marks
  for each w in walls:
    if touches(m, w.outline):
      add touching to m.marks
    let here = m.at
    let there = foe.at
    if here != none and there != none and crosses(segment(here, there), w.outline):
      add past to m.marks
  if sees(m, foe, {each w in walls: w.outline}):
    add seen to m.marks
"""

STATE = """\
players: [red, blue]
minis:
  a: {owner: red, at: [0, 0], facing: 90.5, base: {round: 1.576}}
  b: {owner: blue, at: [1, 2.5], base: {width: 1, length: 2}}
  c: {owner: red, at: [3.5, 1.125], base: {round: 1}, facing: 33.33}
  d: {owner: blue, at: [3.5, 2], base: {round: 3}}
walls:
  w: {outline: [[0, 1], [3, 1], [3, 1.25], [0, 1.25]]}
  v: {outline: [[2, -1], [2, 3]]}
field: {width: 5, depth: 5}
"""


@pytest.mark.parametrize(("mover", "foe"), [(0, 1), (1, 2), (2, 3), (3, 1)])
def test_a_play_with_walls(mover: int, foe: int) -> None:
    played = load_program(RULES)
    for seed in range(6):
        compare_with_judge(played, read_situation(STATE, played), "go", (mover, foe), seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_overlaps(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        (a, first), (b, second) = draw_body(draw, 2500), draw_body(draw, 2500)
        assert (
            geometry.do_outlines_overlap(a, b)
            == geometry.do_outlines_overlap(b, a)
            == area_overlap.do_areas_overlap(first, second)
        ), (a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_areas_with_shared_corners_and_edges(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        area, first = draw_polygon(draw, 1000)
        if not geometry.is_simple_polygon(area):
            continue
        moved = draw.choice(((0, 0), (1000, 0), (500, -500), (0, 1)))
        turned = tuple((x + moved[0], y + moved[1]) for x, y in draw.choice((area, area[1:] + area[:1], area[::-1])))
        other = turned if draw.random() < 0.7 else turned[: max(2, len(turned) - 1)]
        if not geometry.is_simple_polygon(other):
            continue
        second = Body(None, other[0], 0, None, other)
        assert geometry.do_outlines_overlap(area, other) == area_overlap.do_areas_overlap(first, second), (area, other)
        if len(area) > 2 and len(other) > 2:
            assert geometry.is_wholly_within(area, other) == area_overlap.lies_within(first, second), (area, other)
        assert geometry.measure_gap(area, other) == 0 or not geometry.do_outlines_overlap(area, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_bases_that_all_but_touch(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        a, first = draw_base(draw, draw_point(draw, 4000))
        if first.radius is not None:
            b, second = draw_base_beside(draw, first)
            assert geometry.do_outlines_overlap(a, b) == area_overlap.do_areas_overlap(first, second)
            assert not (geometry.do_outlines_overlap(a, b) and geometry.measure_gap(a, b) > 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_within_the_other(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        (a, first), (b, second) = draw_base(draw, draw_point(draw, 800)), draw_body(draw, 800)
        if len(second.corners) != 2:
            assert geometry.is_wholly_within(a, b) == area_overlap.lies_within(first, second), (a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_arcs(seed: int) -> None:
    draw = Random(seed)
    for _ in range(40):
        (_, first), (b, second) = draw_base(draw, draw_point(draw, 2500)), draw_body(draw, 2500)
        degrees = draw.choice(DEGREES)
        found = geometry.is_in_arc(first.middle, first.facing, degrees, b)
        assert found == area_overlap.is_in_arc(first, second, degrees), (first, second, degrees)


@pytest.mark.parametrize("seed", SEEDS)
def test_sight(seed: int) -> None:
    draw = Random(seed)
    for _ in range(20):
        (_, first), (b, second) = draw_base(draw, draw_point(draw, 3000)), draw_body(draw, 3000)
        walls = [area for area, _ in (draw_polygon(draw, 3000) for _ in range(3)) if geometry.is_simple_polygon(area)]
        found = geometry.has_clear_sight(first.middle, b, second.middle, walls)
        assert found == area_overlap.has_line_of_sight(first, second, walls), (first, second, walls)


@pytest.mark.parametrize(
    ("area", "simple"),
    [
        (((0, 0), (4, 0), (4, 4)), True),
        (((0, 0), (4, 4), (4, 0), (0, 4)), False),
        (((0, 0), (4, 0), (2, 0)), False),
        (((0, 0), (4, 0), (4, 4), (4, 0), (0, 4)), False),
        (((0, 0), (4, 0), (4, 4), (2, 0), (0, 4)), False),
        (((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)), True),
    ],
)
def test_polygons_that_cross_themselves(area: geometry.Area, simple: bool) -> None:
    assert geometry.is_simple_polygon(area) == simple
