"""Boards of squares, touching by sides or by corners too: machine and judge, and the geometry by brute force."""

from collections import deque
from itertools import product

import pytest

from rulewright.program.declarations import Program
from rulewright.program.types import GRID_STEPS
from rulewright.runtime import grid_cells
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import Ended
from rulewright.runtime.run import start_run
from support.judge_comparison import compare_with_judge
from support.reference import grid_geometry
from support.reference.functions import call_function
from support.reference.ruleset_texts import load_program, read_situation
from support.reference.world import open_world

SPACES = ["square", "square8"]

STATE = """\
players: [red, blue]
units:
  a: {owner: red, at: [1, 1], facing: 0}
  b: {owner: blue, at: [2, 1], facing: 3, ways: [0, 2]}
  c: {owner: red, at: [0, 3], facing: 2}
field:
  shape: {columns: 5, rows: 4}
  cells: {"2,2": {woods: yes}, "3,0": {woods: yes}}
  sides: {"1,1 1,2": {wall: yes}, "2,1 3,1": {wall: yes}}
"""


def load_rules(space: str, more: str) -> Program:
    return load_program(f"""\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  at: {space}
  facing: direction
  ways: set of direction = {{1, 3}}
board field of {space}:
  woods: flag = no
  side wall: flag = no
term free(c: {space}) gives flag means no x in occupants(c)
{more}""")


PLAY = """\
paths walk(u: Unit) on field from u.at "Walk":
  cost plain: 1
  cost woods: +1 when entered.woods
  enter open: free(entered) and not crossed.wall
  enter near: spent <= 3
  halt trees: entered.woods
procedure go(u: Unit, t: Unit) "Go":
  ask u.owner for dest in walk(u) "Where?":
    turn u to face dest
    move u to dest
  else:
    stop_here()
  ask u.owner to turn t as heading "Turn where?"
  turn t to heading
  if some c in rear_hexes(t.at, t.facing) where free(c):
    add t.facing to t.ways
  for each c in neighbours(t.at) where direction(t.at, c) in t.ways:
    if free(c):
      move t to c
      stop
  let near = step(u.at, u.facing)
  if near in field and free(near) and adjacent(near, u.at) and distance(near, t.at) <= 3:
    set near.woods to yes
  let nearer = {each way in directions() where distance(step(u.at, way), t.at) < distance(u.at, t.at):
      step(u.at, way)}
  for each c in nearer where free(c):
    move u to c
    stop
"""


@pytest.mark.parametrize("space", SPACES)
def test_machine_and_judge_play_alike_on_squares(space: str) -> None:
    rules = load_rules(space, PLAY.replace("    stop_here()\n", "    nothing\n"))
    begun = read_situation(STATE, rules)
    for seed, (u, t) in product(range(8), product(range(3), repeat=2)):
        compare_with_judge(rules, begun, "go", (u, t), seed)


WAYS = {
    "straight": "  enter on: direction(left, entered) in {0, 2}\n",
    "walls": "  enter open: not crossed.wall\n  halt far: moves = 3\n  end away: moves >= 1 and free(entered)\n",
    "exactly two": "  halt far: moves = 2\n  end exact: moves = 2\n",
    "costs": "  cost woods: if(entered.woods, 2, 1)\n  enter near: spent <= 3\n  halt trees: entered.woods\n",
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("rows", WAYS.values(), ids=WAYS)
def test_paths_on_squares(space: str, rows: str) -> None:
    head = f"paths way(u: Unit) on field from u.at:\n{rows}"
    rules = load_rules(space, f"{head}procedure go(u: Unit) gives set of {space}:\n  finish with way(u)\n")
    begun = read_situation(STATE, rules)
    executable = compile_program(rules, traced=False)
    for unit in range(3):
        ended = start_run(executable, begun, "go", (unit,))
        assert isinstance(ended, Ended)
        assert ended.result == call_function(open_world(rules, begun), rules.functions["way"], (unit,))


def _count_walked_steps(space: str, goal: tuple[int, int]) -> int:
    """The fewest steps from (0, 0), by walking."""
    seen, waiting = {(0, 0): 0}, deque([(0, 0)])
    while goal not in seen:
        cell = waiting.popleft()
        for across, down in GRID_STEPS[space]:
            found = (cell[0] + across, cell[1] + down)
            if found not in seen:
                seen[found] = seen[cell] + 1
                waiting.append(found)
    return seen[goal]


@pytest.mark.parametrize("space", GRID_STEPS)
def test_geometry_is_that_of_walks_and_angles(space: str) -> None:
    for goal in product(range(-6, 7), repeat=2):
        assert (
            grid_cells.cell_distance((0, 0), goal, space)
            == _count_walked_steps(space, goal)
            == grid_geometry.count_steps((0, 0), goal, space)
        )
        assert grid_cells.are_adjacent((0, 0), goal, space) == (_count_walked_steps(space, goal) == 1)
        if goal != (0, 0):
            assert grid_cells.find_direction((0, 0), goal, space) == grid_geometry.find_direction((0, 0), goal, space)


@pytest.mark.parametrize("space", GRID_STEPS)
def test_steps_go_clockwise_and_back(space: str) -> None:
    steps = GRID_STEPS[space]
    angles = [grid_geometry.compute_angle(*each, space) for each in steps]
    assert [round(each) for each in angles] == [round(360 / len(steps) * number) for number in range(len(steps))]
    for heading, each in enumerate(steps):
        back = steps[(heading + len(steps) // 2) % len(steps)]
        assert (each[0] + back[0], each[1] + back[1]) == (0, 0)
