"""The grids that boards are made of: which cells touch, in the order of directions, clockwise from 0.

Hexes are axial, direction 0 is (+1, 0); squares have x to the right and y down, direction 0 is (0, -1). Squares of the
sort `square8` also touch by corners, so that every second direction is a diagonal.
"""

Step = tuple[int, int]

GRIDS: dict[str, tuple[Step, ...]] = {
    "hex": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    "square": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "square8": ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)),
}
