"""Geometry of hexes (axial) and squares, by angles and by search."""

from math import atan2, degrees, sqrt

Cell = tuple[int, int]
GRID_STEPS = {
    "hex": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    "square": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "square8": ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)),
}


def step_towards(cell: Cell, heading: int, space: str) -> Cell:
    """The next cell in a direction."""
    across, down = GRID_STEPS[space][heading]
    return (cell[0] + across, cell[1] + down)


def list_neighbours(cell: Cell, space: str) -> list[Cell]:
    """All neighbours, on the board or not, clockwise from 0."""
    return [step_towards(cell, heading, space) for heading in range(len(GRID_STEPS[space]))]


def count_steps(a: Cell, b: Cell, space: str) -> int:
    """The fewest steps: diagonals first where there are any."""
    across, down = abs(b[0] - a[0]), abs(b[1] - a[1])
    if space == "square":
        return across + down
    if space == "square8":
        return min(across, down) + abs(across - down)
    return (across + down + abs(b[0] - a[0] + b[1] - a[1])) // 2


def compute_angle(across: float, down: float, space: str) -> float:
    """Degrees clockwise from direction 0."""
    if space == "hex":
        return degrees(atan2(down * sqrt(3) / 2, across + down / 2)) % 360
    return degrees(atan2(across, -down)) % 360


def find_direction(a: Cell, b: Cell, space: str) -> int:
    """The direction whose angle is nearest; of two equally near the first clockwise."""
    count = len(GRID_STEPS[space])
    turns = compute_angle(b[0] - a[0], b[1] - a[1], space) * count / 360
    below = int(turns + 1e-9)
    return (below if turns - below < 0.5 + 1e-9 else below + 1) % count


def list_rear_cells(cell: Cell, facing: int, space: str) -> list[Cell]:
    """The neighbours whose direction turns away from the facing by more than a right angle."""
    full = 360 / len(GRID_STEPS[space])
    return [
        step_towards(cell, heading, space)
        for heading in range(len(GRID_STEPS[space]))
        if _angle_between(heading, facing, full) > 91
    ]


def _angle_between(heading: int, facing: int, full: float) -> float:
    between = (heading - facing) * full % 360
    return min(between, 360 - between)
