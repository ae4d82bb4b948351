"""Outlines: what a shape covers when it is put somewhere.

An outline is a disc `(x, y, radius)` of numbers, or an area, a tuple of points: a polygon, a line of two points or one
point.
"""

from functools import lru_cache
from typing import Any, cast

from rulewright.machine.plane.rounding import UNIT, Number, halves_up, heading

Point = tuple[int, int]
Disc = tuple[int, int, int]
Area = tuple[Point, ...]
Outline = Disc | Area
Shape = tuple[Any, ...]


def is_disc(outline: Outline) -> bool:
    """Whether an outline is round."""
    return isinstance(outline[0], int)


@lru_cache(maxsize=16384)
def put(shape: Shape, at: Point, facing: Number) -> Outline:
    """The outline of a shape at a point, turned to a facing."""
    match shape:
        case ("round", radius):
            return (at[0], at[1], radius)
        case ("rectangle", width, length):
            return _corners(width, length, at, facing)
        case _:
            raise AssertionError(shape)


def _corners(width: int, length: int, at: Point, facing: Number) -> Area:
    """The corners clockwise from the front left one, each rounded to whole thousandths."""
    ahead, side = heading(facing), heading(facing + 90)
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return tuple(
        (
            at[0] + halves_up(right * width * side[0] + front * length * ahead[0], 2 * UNIT),
            at[1] + halves_up(right * width * side[1] + front * length * ahead[1], 2 * UNIT),
        )
        for right, front in signs
    )


@lru_cache(maxsize=16384)
def edges(area: Area) -> tuple[tuple[Point, Point], ...]:
    """The edges of an area; a point has one, from itself to itself."""
    if len(area) < 3:  # noqa: PLR2004 - a polygon has three corners
        return ((area[0], area[-1]),)
    return tuple(zip(area, (*area[1:], area[0]), strict=True))


def box(outline: Outline) -> tuple[int, int, int, int]:
    """The least coordinates of an outline, x and y, then the greatest."""
    if is_disc(outline):
        x, y, radius = cast("Disc", outline)
        return x - radius, y - radius, x + radius, y + radius
    return _box(cast("Area", outline))


@lru_cache(maxsize=16384)
def _box(area: Area) -> tuple[int, int, int, int]:
    across, along = zip(*area, strict=True)
    return min(across), min(along), max(across), max(along)
