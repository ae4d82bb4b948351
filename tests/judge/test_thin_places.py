"""Places as thin as a thousandth of an inch, where two limits cross: machine and judge both find them."""

import pytest

from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import choose_count

RULES = """\
ruleset thin "Thin" revision "1"
kind Mini, minis:
  owner: player
  at: point
  facing: angle = 0
  base: shape
kind Wall, walls:
  outline: polygon
board field of plane
game:
  found: flag = no

setting near: inches = 0 "How far from a friend?"

term joins(spot: pose, m: Mini) when all "in contact, beside a friend":
  contact: some x in minis where x.owner != m.owner and contact(x, spot) "it has to touch an enemy"
  friend: some x in minis where x != m and x.owner = m.owner and gap(x, spot) <= near "it has to be near a friend"
  room: fits(spot) "no room"
  clear: no w in walls where overlaps(spot, w.outline) "a wall is in the way"

procedure charge(m: Mini) "Charge":
  if some p in poses(m) where joins(p, m):
    set found to yes
    ask m.owner to place m as spot "Where?":
      require joins: joins(spot, m)
      place m at spot
    else:
      nothing
"""
OF = load_program(RULES)
BIKES = """\
players: [red, blue]
minis:
  a: {owner: red, at: [5.2, 0.901], facing: 270, base: {round: 2}}
  b: {owner: red, at: [3.7, 3.5], facing: 270, base: {round: 2}}
  c: {owner: blue, at: [5, 4.25], base: {round: 1}}
"""
WALL = "walls: {w: {outline: [[6.2, 2], [9, 2], [9, 3.5], [6.2, 3.5]]}}"
WALLS = WALL[:-1] + ", x: {outline: [[3, 6], [5, 6], [5, 7], [3, 7]]}}"
OBLONG = """\
players: [red, blue]
minis:
  a: {owner: red, at: [0, 0], facing: 30, base: {width: 1, length: 3}}
  b: {owner: red, at: [6, 0], facing: 0, base: {width: 2, length: 3}}
  c: {owner: blue, at: [8, 2.5], base: {round: 1}}
"""


@pytest.mark.parametrize("seed", range(choose_count(1, 4)))
@pytest.mark.parametrize(
    ("scene", "found"), [(BIKES, True), (BIKES + WALL, True), (BIKES + WALLS, False), (OBLONG, True)]
)
def test_both_find_the_place_beside_two(scene: str, seed: int, *, found: bool) -> None:
    played = compare_with_judge(OF, read_situation(scene, OF), "charge", (0,), seed)
    assert (played.how, played.game.game["found"]) == ("ended", found)


STEPS = """\
ruleset steps "Steps" revision "1"
kind Mini, minis:
  owner: player
  at: point
  base: shape
kind Wall, walls:
  outline: polygon
board field of plane
game:
  found: flag = no

term free(spot: pose, m: Mini) when all "a place of its own, away from enemies":
  near: distance(spot.at, m.at) <= 2 "two inches at most"
  room: fits(spot) "no room"
  clear: no w in walls where overlaps(spot, w.outline) "a wall is in the way"
  straight: no w in walls where crosses(segment(m.at, spot.at), w.outline) "not straight"
  away: no x in minis where x.owner != m.owner and contact(x, spot) "next to an enemy"

procedure step(m: Mini) "Step":
  if some p in poses(m) where free(p, m):
    set found to yes
  ask m.owner to place m as spot "Where?":
    require free: free(spot, m)
    place m at spot
  else:
    nothing
"""
STEPPING = load_program(STEPS)


@pytest.mark.parametrize("seed", range(choose_count(1, 2)))
@pytest.mark.parametrize(("top", "found"), [(1.5, True), (1.6, False)])
def test_both_find_the_place_where_its_own_reach_ends(top: float, seed: int, *, found: bool) -> None:
    """Walls to the left and right as high as `top`, an enemy in front: only places about two inches off are free."""
    scene = f"""\
players: [red, blue]
minis:
  a: {{owner: red, at: [0, 0], base: {{round: 1}}}}
  b: {{owner: blue, at: [0, 1], base: {{round: 1}}}}
walls:
  west: {{outline: [[-0.6, -0.6], [-0.5, -0.6], [-0.5, {top}], [-0.6, {top}]]}}
  east: {{outline: [[0.5, -0.6], [0.6, -0.6], [0.6, {top}], [0.5, {top}]]}}
  south: {{outline: [[-0.6, -0.6], [0.6, -0.6], [0.6, -0.5], [-0.6, -0.5]]}}
"""
    played = compare_with_judge(STEPPING, read_situation(scene, STEPPING), "step", (0,), seed)
    assert (played.how, played.game.game["found"]) == ("ended", found)
