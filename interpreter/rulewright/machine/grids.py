"""Hexes and squares: neighbours, distances, directions.

Hexes are axial; direction 0 is (+1, 0), the others follow clockwise. Squares touch by sides and corners are not
neighbours; direction 0 is (0, -1), the others follow clockwise.
"""

from typing import Any

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.values import Cell
from rulewright.machine.world import BOARD, World

HEX_STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
SQUARE_STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
DIRECTIONS = tuple(range(6))
SQUARE_DIRECTIONS = tuple(range(4))
_NEXT = {True: frozenset(SQUARE_STEPS), False: frozenset(HEX_STEPS)}


def pair(first: int, second: int) -> Cell:
    """A cell from its coordinates."""
    return (first, second)


def side(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    """The side between two cells."""
    return (first, second) if first <= second else (second, first)


def _steps(*, square: bool) -> tuple[Cell, ...]:
    return SQUARE_STEPS if square else HEX_STEPS


def adjacent(a: Cell, b: Cell, square: bool = False) -> bool:  # noqa: FBT001, FBT002
    """Whether two cells are next to each other."""
    return (b[0] - a[0], b[1] - a[1]) in _NEXT[square]


def distance(a: Cell, b: Cell, square: bool = False) -> int:  # noqa: FBT001, FBT002
    """The fewest steps between two cells."""
    across, down = b[0] - a[0], b[1] - a[1]
    if square:
        return abs(across) + abs(down)
    return max(abs(across), abs(down), abs(across + down))


def step(cell: Cell, heading: int, square: bool = False) -> Cell:  # noqa: FBT001, FBT002
    """The next cell in a direction."""
    across, down = _steps(square=square)[heading]
    return (cell[0] + across, cell[1] + down)


def neighbours(world: World, cell: Cell, square: bool = False) -> tuple[Cell, ...]:  # noqa: FBT001, FBT002
    """The neighbours on the board, in order."""
    board = world[BOARD]
    around = ((cell[0] + across, cell[1] + down) for across, down in _steps(square=square))
    return tuple(sorted([each for each in around if each in board]))


def rear_hexes(world: World, cell: Cell, facing: int, square: bool = False) -> tuple[Cell, ...]:  # noqa: FBT001, FBT002
    """The three neighbours behind that are on the board, in order."""
    board = world[BOARD]
    behind = [step(cell, (facing + turn) % 6) for turn in (2, 3, 4)] if not square else [step(cell, (facing + 2) % 4)]
    return tuple(sorted([each for each in behind if each in board]))


def toward(a: Cell, b: Cell, square: bool = False) -> tuple[Cell, ...]:  # noqa: FBT001, FBT002
    """The neighbours of a cell that are nearer to another."""
    here = distance(a, b, square)
    around = ((a[0] + across, a[1] + down) for across, down in _steps(square=square))
    return tuple(sorted([each for each in around if distance(each, b, square) < here]))


def direction(a: Cell, b: Cell, square: bool = False) -> int:  # noqa: FBT001, FBT002
    """The direction from one cell in which another lies; of two equally near the first clockwise."""
    if a == b:
        raise Fault(codes.NO_SUCH_PLACE, "a cell has no direction to itself")
    span = (b[0] - a[0], b[1] - a[1])
    steps = SQUARE_STEPS if square else HEX_STEPS
    if span in _NEXT[square]:
        return steps.index(span)
    nearness = [_along(each, span, square=square) for each in steps]
    best = [each for each, near in enumerate(nearness) if near == max(nearness)]
    return next((each for each in best if (each - 1) % len(steps) not in best), best[0])


def _along(unit: Cell, span: Cell, *, square: bool) -> Any:  # noqa: ANN401
    if square:
        return unit[0] * span[0] + unit[1] * span[1]
    return 2 * unit[0] * span[0] + 2 * unit[1] * span[1] + unit[0] * span[1] + unit[1] * span[0]
