"""Where a base can stand, and what is in play around it."""

from typing import Any

from rulewright.machine.plane.bodies import base_at, boxed, same
from rulewright.machine.plane.meeting import overlap
from rulewright.machine.plane.outlines import Area, Outline, box
from rulewright.machine.situation import Plane
from rulewright.machine.world import World


def fits(world: World, pose: tuple[Any, ...]) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    body = base_at(world, pose)
    if body is None or not on_board(body[2], world[0].base.plane):
        return False
    left, low, right, high = box(body[2])
    return not any(
        overlap(body[2], other[2])
        for other, (west, south, east, north) in boxed(world)
        if left <= east and west <= right and low <= north and south <= high and not same(body, other)
    )


def on_board(outline: Outline, plane: Plane) -> bool:
    """Whether an outline lies wholly on the board; without an extent everything does."""
    if plane.width is None or plane.depth is None:
        return True
    left, low, right, high = box(outline)
    return left >= 0 and low >= 0 and right <= plane.width and high <= plane.depth


def walls_in_play(world: World) -> tuple[Area, ...]:
    """The polygons of all things in play."""
    return tuple(world[column][thing] for in_play, column in world[0].tables.walls for thing in world[in_play])
