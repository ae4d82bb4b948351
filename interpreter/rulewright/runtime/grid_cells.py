"""Cells of hex and square grids: neighbours, distances, directions."""

from functools import lru_cache

from rulewright.program.types import GRID_STEPS
from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import (
    BOARD,
    WorkingMemory,
)

_STEPS_BY_GRID = {space: frozenset(steps) for space, steps in GRID_STEPS.items()}


_ORDERED_STEPS = {space: tuple(sorted(steps)) for space, steps in GRID_STEPS.items()}
"""Steps in the order of the cells that they lead to."""


_REAR_TURNS = {"hex": (2, 3, 4), "square": (2,), "square8": (3, 4, 5)}


_MAX_CACHED_SPANS = 1 << 12
"""Entries of the cache of directions by span."""


def make_cell(first: int, second: int) -> Cell:
    return (first, second)


def make_side(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    return (first, second) if first <= second else (second, first)


def are_adjacent(a: Cell, b: Cell, space: str = "hex") -> bool:
    """Whether two cells are neighbours."""
    return (b[0] - a[0], b[1] - a[1]) in _STEPS_BY_GRID[space]


def cell_distance(a: Cell, b: Cell, space: str = "hex") -> int:
    """Least number of steps between two cells."""
    across, down = b[0] - a[0], b[1] - a[1]
    if space == "hex":
        return max(abs(across), abs(down), abs(across + down))
    return abs(across) + abs(down) if space == "square" else max(abs(across), abs(down))


def next_cell(cell: Cell, heading: int, space: str = "hex") -> Cell:
    """The next cell in a direction."""
    across, down = GRID_STEPS[space][heading]
    return (cell[0] + across, cell[1] + down)


def neighbours(world: WorkingMemory, cell: Cell, space: str = "hex") -> tuple[Cell, ...]:
    """Neighbours on the board, in order."""
    board, (right, down) = world[BOARD], cell
    return tuple([each for x, y in _ORDERED_STEPS[space] if (each := (right + x, down + y)) in board])


def rear_hexes(world: WorkingMemory, cell: Cell, facing: int, space: str = "hex") -> tuple[Cell, ...]:
    """Neighbours behind that are on the board, in order: one for squares that touch by sides, else three."""
    board, count = world[BOARD], len(GRID_STEPS[space])
    behind = [next_cell(cell, (facing + turn) % count, space) for turn in _REAR_TURNS[space]]
    return tuple(sorted([item for item in behind if item in board]))


def find_direction(a: Cell, b: Cell, space: str = "hex") -> int:
    """Direction from one cell towards another; of two equally near the first clockwise."""
    if a == b:
        raise Fault(faults.NO_SUCH_PLACE, "a cell has no direction to itself")
    return _direction_of_span((b[0] - a[0], b[1] - a[1]), space)


@lru_cache(_MAX_CACHED_SPANS)
def _direction_of_span(span: Cell, space: str) -> int:
    steps = GRID_STEPS[space]
    if span in _STEPS_BY_GRID[space]:
        return steps.index(span)
    nearness = [_project_span(step, span, space) for step in steps]
    best = [item for item, near in enumerate(nearness) if near == max(nearness)]
    return next((item for item in best if (item - 1) % len(steps) not in best), best[0])


def _project_span(unit: Cell, span: Cell, space: str) -> int:
    """Length of a span along a direction, good for comparison only: squared where steps differ in length."""
    product = unit[0] * span[0] + unit[1] * span[1]
    if space == "hex":
        return 2 * product + unit[0] * span[1] + unit[1] * span[0]
    if space == "square":
        return product
    longer = unit[0] * unit[0] + unit[1] * unit[1]
    return (2 // longer) * product * abs(product)
