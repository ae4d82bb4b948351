"""What generated code calls for the functions of the plane; bodies come from `bodies`."""

from fractions import Fraction
from typing import Any

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.plane import apart
from rulewright.machine.plane.bodies import Body, same
from rulewright.machine.plane.meeting import overlap, within
from rulewright.machine.plane.outlines import Area, Point, edges, is_disc
from rulewright.machine.plane.rounding import (
    EIGHTH,
    QUARTER,
    THOUSANDTHS,
    Number,
    bearing,
    of_thousandths,
    to_thousandths,
)
from rulewright.machine.plane.standing import walls_in_play
from rulewright.machine.plane.viewing import clear, in_arc
from rulewright.machine.world import World


def _there(body: Body, text: str) -> tuple[Any, ...]:
    if body is None:
        raise Fault(codes.NOWHERE, f"`{text}` asks about something that is not on the board")
    return body


def gap_of(a: Body, b: Body, text: str) -> Number:
    """The shortest way from edge to edge in inches; a fault for what is nowhere."""
    return of_thousandths(apart.gap(_there(a, text)[2], _there(b, text)[2]))


def distance_of(a: Body, b: Body, text: str) -> Number:
    """The distance of the middles in inches; a fault for what is nowhere."""
    return of_thousandths(apart.between(_there(a, text)[3], _there(b, text)[3]))


def bearing_of(a: Body, b: Body, text: str) -> Number:
    """The angle from one middle to another; a fault for what is nowhere or where both are one point."""
    here, there = _there(a, text)[3], _there(b, text)[3]
    if here == there:
        raise Fault(codes.NO_SUCH_PLACE, f"`{text}` asks for the direction from a point to itself")
    return bearing(there[0] - here[0], there[1] - here[1])


def contact_of(world: World, a: Body, b: Body) -> bool:
    """Whether two bodies are at most the tolerance of the board apart; a thing is in no contact with itself."""
    if a is None or b is None or same(a, b):
        return False
    return apart.near(a[2], b[2], world[0].base.plane.contact)


def on_plane(world: World, at: Point | None) -> None:
    """A fault where a thing would be put outside the extent of the board."""
    plane = world[0].base.plane
    if at is not None and not all(
        end is None or 0 <= each <= end for each, end in zip(at, (plane.width, plane.depth), strict=True)
    ):
        raise Fault(codes.OFF_BOARD, f"{shown(at)} is not on the board")


def shown(at: Point) -> str:
    """A point in inches, as in `(3.5, 2)`."""
    return f"({at[0] / THOUSANDTHS:g}, {at[1] / THOUSANDTHS:g})"


def point_of(x: Number, y: Number) -> Point:
    """The point of two coordinates in inches."""
    return to_thousandths(x), to_thousandths(y)


def coordinate(length: int) -> int | Fraction:
    """A coordinate of a point in inches."""
    return of_thousandths(length)


def touches_of(world: World, a: Body, b: Body) -> bool:
    """Whether a base is at most the tolerance of the board away from something else."""
    return contact_of(world, a, b)


def overlaps_of(_world: World, a: Body, b: Body) -> bool:
    """Whether two bodies lie over each other; a thing does not overlap itself."""
    return a is not None and b is not None and not same(a, b) and overlap(a[2], b[2])


def aboard_of(_world: World, a: Body, b: Body) -> bool:
    """Whether a base lies wholly within another."""
    return a is not None and b is not None and not same(a, b) and within(a[2], b[2])


def segment_of(a: Body, b: Body, text: str) -> Area:
    """The line from one middle to another; a fault for what is nowhere."""
    return _there(a, text)[3], _there(b, text)[3]


def edge_of(a: Body, way: Number, text: str) -> Area:
    """The edge of a base nearest to a way from its facing; a fault for a round base and for what is nowhere."""
    outline = _there(a, text)[2]
    if is_disc(outline):
        raise Fault(codes.NO_SUCH_PLACE, f"`{text}` asks for an edge of a round base")
    return edges(outline)[(way + EIGHTH) // QUARTER % len(outline)]


def crosses_of(_world: World, a: Body, b: Body) -> bool:
    """Whether a line runs through the inside of a polygon."""
    return a is not None and b is not None and overlap(a[2], b[2])


def in_arc_of(_world: World, a: Body, b: Body, degrees: Number) -> bool:
    """Whether any part of a body lies in an arc around the facing of a base, from its middle."""
    return a is not None and b is not None and not same(a, b) and in_arc(a[3], a[4], degrees, b[2])


def sees_of(world: World, a: Body, b: Body, walls: tuple[Area, ...] | None = None) -> bool:
    """Whether some line of sight is free of the walls given, else of all polygons in play."""
    if a is None or b is None or same(a, b):
        return False
    return clear(a[3], b[2], b[3], walls_in_play(world) if walls is None else walls)
