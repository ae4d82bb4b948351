"""The functions that the language has without a declaration, but those of the plane."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.types import CellType, DirectionType, SetType
from support.reference import evaluate as expressions, functions, hexes
from support.reference.world import Faulty, Unsupported, World


def builtin(world: World, node: ex.Builtin, given: tuple[Any, ...]) -> Any:
    if node.name in PLAIN:
        return PLAIN[node.name](*given)
    if node.name in DICE:
        return DICE[node.name](world, *given)
    if node.name in GRID:
        return GRID[node.name](world, _space(node), *given)
    match node.name:
        case "along":
            words = world.program.values[node.type.values].words  # type: ignore[union-attr]
            return max(0, min(len(words) - 1, given[0] + given[1]))
        case "connected":
            return _connected(world, node, given[0])
        case "occupants":
            kind = expressions.kind_of(node.type.item)  # type: ignore[union-attr]
            places = world.game.attributes[f"{kind}/at"]
            return tuple(
                each for each, place in places.items() if place == given[0] and each not in world.game.gone[kind]
            )
        case _:
            raise Unsupported(node.name)


def _round(value: Any) -> int:
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _other(member: Any, pair: tuple[Any, ...]) -> Any:
    if len(pair) != 2 or member not in pair:
        raise Faulty("RW0817")
    return pair[1] if pair[0] == member else pair[0]


def _position(member: Any, row: tuple[Any, ...]) -> int:
    if member not in row:
        raise Faulty("RW0806")
    return row.index(member) + 1


def _starting_with(row: tuple[Any, ...], first: Any) -> tuple[Any, ...]:
    cut = row.index(first) if first in row else 0
    return row[cut:] + row[:cut]


PLAIN: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": floor,
    "ceiling": ceil,
    "round": _round,
    "min": lambda *given: min(given),
    "max": lambda *given: max(given),
    "pairs": lambda left, right: tuple(product(left, right)),
    "other": _other,
    "position": _position,
    "sorted": lambda row: tuple(sorted(row, reverse=True)),
    "starting_with": _starting_with,
    "hex": lambda q, r: (q, r),
    "square": lambda x, y: (x, y),
    "square8": lambda x, y: (x, y),
}


def _total(world: World, dice: Any) -> Any:
    if isinstance(dice, tuple):
        return world.rolls[dice[0]][dice[1]].face
    return sum(die.face for die in world.rolls[dice] if die.kept)


DICE: dict[str, Callable[..., Any]] = {
    "total": _total,
    "highest_face": lambda world, die: max(world.rolls[die[0]][die[1]].faces),
}


def _space(node: ex.Builtin) -> str:
    types = [node.type, *(each.type for each in node.arguments)]
    types += [each.item for each in types if isinstance(each, SetType)]
    return next((each.space for each in types if isinstance(each, CellType | DirectionType)), "hex")


def _near(world: World, space: str, cell: Any) -> tuple[Any, ...]:
    return tuple(sorted(each for each in hexes.around(cell, space) if world.on_board(each)))


def _rear(world: World, space: str, cell: Any, facing: int) -> tuple[Any, ...]:
    return tuple(sorted(each for each in hexes.behind(cell, facing, space) if world.on_board(each)))


def _direction(_world: World, space: str, a: Any, b: Any) -> int:
    if a == b:
        raise Faulty("RW0806")
    return hexes.direction(a, b, space)


GRID: dict[str, Callable[..., Any]] = {
    "neighbours": _near,
    "rear_hexes": _rear,
    "direction": _direction,
    "distance": lambda _world, space, a, b: hexes.distance(a, b, space),
    "adjacent": lambda _world, space, a, b: hexes.distance(a, b, space) == 1,
    "directions": lambda _world, space: tuple(range(len(hexes.STEPS[space]))),
    "step": lambda _world, space, cell, heading: hexes.step(cell, heading, space),
}


def _connected(world: World, node: ex.Builtin, start: int) -> tuple[int, ...]:
    kind = expressions.kind_of(node.arguments[0].type)
    alive = [each for each in world.ids(kind) if each not in world.game.gone[kind]]
    found = {start}
    while True:
        more = {each for each in alive if any(_linked(world, node.relation, here, each) for here in found)} - found
        if not more:
            return tuple(sorted(found))
        found |= more


def _linked(world: World, relation: str, a: int, b: int) -> bool:
    if relation in world.program.relations:
        return expressions.related(world, relation, a, b)
    return bool(functions.call(world, world.program.functions[relation], (a, b)))
