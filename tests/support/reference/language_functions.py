"""The functions that the language has without a declaration, but those of the plane."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.types import CellType, DirectionType, SetType
from support.reference import evaluation as expressions, functions, grid_geometry
from support.reference.world import JudgedFault, UnsupportedByJudge, World


def call_language_function(world: World, node: ex.Builtin, given: tuple[Any, ...]) -> Any:
    if node.name in PLAIN_FUNCTIONS:
        return PLAIN_FUNCTIONS[node.name](*given)
    if node.name in DICE_FUNCTIONS:
        return DICE_FUNCTIONS[node.name](world, *given)
    if node.name in GRID_FUNCTIONS:
        return GRID_FUNCTIONS[node.name](world, _find_cell_space(node), *given)
    match node.name:
        case "along":
            words = world.program.values[node.type.values].words  # type: ignore[union-attr]
            return max(0, min(len(words) - 1, given[0] + given[1]))
        case "connected":
            return _list_connected(world, node, given[0])
        case "occupants":
            kind = expressions.get_kind(node.type.item)  # type: ignore[union-attr]
            places = world.game.attributes[f"{kind}/at"]
            return tuple(
                each for each, place in places.items() if place == given[0] and each not in world.game.gone[kind]
            )
        case _:
            raise UnsupportedByJudge(node.name)


def _round_half_away(value: Any) -> int:
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _find_other_of_pair(member: Any, pair: tuple[Any, ...]) -> Any:
    if len(pair) != 2 or member not in pair:
        raise JudgedFault("RW0817")
    return pair[1] if pair[0] == member else pair[0]


def _find_position(member: Any, row: tuple[Any, ...]) -> int:
    if member not in row:
        raise JudgedFault("RW0806")
    return row.index(member) + 1


def _rotate_row(row: tuple[Any, ...], first: Any) -> tuple[Any, ...]:
    cut = row.index(first) if first in row else 0
    return row[cut:] + row[:cut]


PLAIN_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": floor,
    "ceiling": ceil,
    "round": _round_half_away,
    "min": lambda *given: min(given),
    "max": lambda *given: max(given),
    "pairs": lambda left, right: tuple(product(left, right)),
    "other": _find_other_of_pair,
    "position": _find_position,
    "sorted": lambda row: tuple(sorted(row, reverse=True)),
    "starting_with": _rotate_row,
    "hex": lambda q, r: (q, r),
    "square": lambda x, y: (x, y),
    "square8": lambda x, y: (x, y),
}


def _add_up_dice(world: World, dice: Any) -> Any:
    if isinstance(dice, tuple):
        return world.rolls[dice[0]][dice[1]].face
    return sum(die.face for die in world.rolls[dice] if die.kept)


DICE_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "total": _add_up_dice,
    "highest_face": lambda world, die: max(world.rolls[die[0]][die[1]].faces),
}


def _find_cell_space(node: ex.Builtin) -> str:
    types = [node.type, *(each.type for each in node.arguments)]
    types += [each.item for each in types if isinstance(each, SetType)]
    return next((each.space for each in types if isinstance(each, CellType | DirectionType)), "hex")


def _list_board_neighbours(world: World, space: str, cell: Any) -> tuple[Any, ...]:
    return tuple(sorted(each for each in grid_geometry.list_neighbours(cell, space) if world.is_on_board(each)))


def _list_rear_hexes(world: World, space: str, cell: Any, facing: int) -> tuple[Any, ...]:
    return tuple(sorted(each for each in grid_geometry.list_rear_cells(cell, facing, space) if world.is_on_board(each)))


def _find_cell_direction(_world: World, space: str, a: Any, b: Any) -> int:
    if a == b:
        raise JudgedFault("RW0806")
    return grid_geometry.find_direction(a, b, space)


GRID_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "neighbours": _list_board_neighbours,
    "rear_hexes": _list_rear_hexes,
    "direction": _find_cell_direction,
    "distance": lambda _world, space, a, b: grid_geometry.count_steps(a, b, space),
    "adjacent": lambda _world, space, a, b: grid_geometry.count_steps(a, b, space) == 1,
    "directions": lambda _world, space: tuple(range(len(grid_geometry.GRID_STEPS[space]))),
    "step": lambda _world, space, cell, heading: grid_geometry.step_towards(cell, heading, space),
}


def _list_connected(world: World, node: ex.Builtin, start: int) -> tuple[int, ...]:
    kind = expressions.get_kind(node.arguments[0].type)
    alive = [each for each in world.list_ids(kind) if each not in world.game.gone[kind]]
    found = {start}
    while True:
        more = {each for each in alive if any(_list_linked(world, node.relation, here, each) for here in found)} - found
        if not more:
            return tuple(sorted(found))
        found |= more


def _list_linked(world: World, relation: str, a: int, b: int) -> bool:
    if relation in world.program.relations:
        return expressions.are_related(world, relation, a, b)
    return bool(functions.call_function(world, world.program.functions[relation], (a, b)))
