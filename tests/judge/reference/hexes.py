"""Geometry of hexes (axial) and squares, by angles and by search."""

from math import atan2, degrees, sqrt

Cell = tuple[int, int]
STEPS = {
    "hex": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    "square": ((0, -1), (1, 0), (0, 1), (-1, 0)),
}


def step(cell: Cell, heading: int, space: str) -> Cell:
    """The next cell in a direction."""
    across, down = STEPS[space][heading]
    return (cell[0] + across, cell[1] + down)


def around(cell: Cell, space: str) -> list[Cell]:
    """All neighbours, on the board or not, clockwise from 0."""
    return [step(cell, heading, space) for heading in range(len(STEPS[space]))]


def distance(a: Cell, b: Cell, space: str) -> int:
    """The fewest steps, found by walking ever nearer."""
    across, down = b[0] - a[0], b[1] - a[1]
    if space == "square":
        return abs(across) + abs(down)
    return (abs(across) + abs(down) + abs(across + down)) // 2


def direction(a: Cell, b: Cell, space: str) -> int:
    """The direction whose angle is nearest; of two equally near the first clockwise."""
    across, down = b[0] - a[0], b[1] - a[1]
    if space == "hex":
        turns = degrees(atan2(down * sqrt(3) / 2, across + down / 2)) % 360 / 60
        count = 6
    else:
        turns = degrees(atan2(across, -down)) % 360 / 90
        count = 4
    below = int(turns + 1e-9)
    return (below if turns - below < 0.5 + 1e-9 else below + 1) % count
