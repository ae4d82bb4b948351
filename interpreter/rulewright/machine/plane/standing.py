"""Where a base can stand, and what is in play around it."""

from typing import Any

from rulewright.machine.plane.bodies import base_at, same, standing
from rulewright.machine.plane.meeting import overlap
from rulewright.machine.plane.outlines import Area, Outline, is_disc
from rulewright.machine.situation import Plane
from rulewright.machine.world import World


def fits(world: World, pose: tuple[Any, ...]) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    body = base_at(world, pose)
    if body is None or not on_board(body[2], world[0].base.plane):
        return False
    return not any(overlap(body[2], other[2]) for other in standing(world) if other and not same(body, other))


def on_board(outline: Outline, plane: Plane) -> bool:
    """Whether an outline lies wholly on the board; without an extent everything does."""
    if plane.width is None or plane.depth is None:
        return True
    least, most = _box(outline)
    return least[0] >= 0 and least[1] >= 0 and most[0] <= plane.width and most[1] <= plane.depth


def _box(outline: Any) -> tuple[tuple[int, int], tuple[int, int]]:  # noqa: ANN401
    if is_disc(outline):
        x, y, radius = outline
        return (x - radius, y - radius), (x + radius, y + radius)
    across, along = zip(*outline, strict=True)
    return (min(across), min(along)), (max(across), max(along))


def walls_in_play(world: World) -> tuple[Area, ...]:
    """The polygons of all things in play."""
    return tuple(world[column][thing] for in_play, column in world[0].tables.walls for thing in world[in_play])
