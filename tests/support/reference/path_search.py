"""Cells that can be come to, all ways walked at once."""

from typing import Any

from rulewright.program.declarations import Paths
from rulewright.program.types import Type
from support.reference import evaluation as expressions, functions, grid_geometry
from support.reference.world import Env, World

MAX_PATH_MOVES = 40


def list_destinations(world: World, env: Env, body: Paths, type_: Type) -> tuple[Any, ...]:
    """Every cell where a way of at most that many moves can stop, all ways walked at once."""
    space = type_.item.space  # type: ignore[union-attr]
    start = expressions.evaluate(world, env, body.start)
    stops = _may_stop(world, _bind_move(env, body, start, start, 0, 0), body)
    found = {start} if stops else set()
    under_way = {(start, 0)}
    for moves in range(1, MAX_PATH_MOVES + 1):
        after = set()
        for left, spent in under_way:
            for entered in grid_geometry.list_neighbours(left, space):
                if entered not in world.start.base.boards[body.board]:
                    continue
                before = _bind_move(env, body, left, entered, spent, moves)
                cost = _compute_move_cost(world, before, body)
                move = _bind_move(env, body, left, entered, spent + cost, moves)
                judged = {
                    (row.word, functions.judge_condition(world, move, row)) for row in body.rows if row.word != "end"
                }
                if ("enter", False) in judged:
                    continue
                stops = _may_stop(world, move, body)
                if stops or (stops is None and entered != start):
                    found.add(entered)
                if ("halt", True) not in judged:
                    after.add((entered, spent + cost))
        under_way = after
    return tuple(sorted(found))


def _compute_move_cost(world: World, env: Env, body: Paths) -> Any:
    return 1 if body.cost is None else functions.compute_tally(world, env, body.cost.running.index, 0, body.cost.rows)


def _bind_move(env: Env, body: Paths, left: Any, entered: Any, spent: int, moves: int) -> Env:
    names = (body.left, body.entered, body.spent, body.moves)
    return env | {each.index: value for each, value in zip(names, (left, entered, spent, moves), strict=True)}


def _may_stop(world: World, move: Env, body: Paths) -> bool | None:
    """Whether the `end` rows that are judged hold; none where no row is."""
    judged = {functions.judge_condition(world, move, row) for row in body.rows if row.word == "end"} - {None}
    return judged == {True} if judged else None
