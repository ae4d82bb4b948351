"""Bodies that stand on the plane, and what generated code calls for the functions asked about them."""

from fractions import Fraction
from typing import Any

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.geometry import (
    EIGHTH,
    QUARTER,
    THOUSANDTHS,
    Area,
    Number,
    Outline,
    Point,
    bearing,
    between,
    box,
    clear,
    edges,
    gap,
    in_arc,
    is_disc,
    near,
    of_thousandths,
    overlap,
    put,
    to_thousandths,
    within,
)
from rulewright.machine.state import Plane
from rulewright.machine.world import Stand, World

Body = tuple[str, int, Outline, Point, Any] | None
"""Kind, number, outline, middle and facing; -1 for what is not a thing; none for a thing that is nowhere."""


def of_thing(world: World, how: Stand, thing: int) -> Body:
    """The body of a thing where it stands."""
    at = world[how.at][thing]
    if at is None or world[how.gone][thing]:
        return None
    return _standing(world, how, thing, at, world[how.facing][thing] if how.facing is not None else 0)


def of_pose(world: World, how: Stand, pose: tuple[Any, ...]) -> Body:
    """The body of a thing as a pose puts it; a thing out of play can be put nowhere."""
    thing, at, facing = pose
    return None if world[how.gone][thing] else _standing(world, how, thing, at, facing)


def _standing(world: World, how: Stand, thing: int, at: Point, facing: Any) -> Body:
    base = world[how.base][thing] if how.base is not None else ("round", 0)
    if base is None:
        return None
    turned = 0 if facing is None else facing
    outline = (at[0], at[1], base[1]) if base[0] == "round" else put(base, at, turned)
    return how.kind, thing, outline, at, turned


def of_point(point: Point) -> Body:
    """A point as a body without size."""
    return "", -1, (point[0], point[1], 0), point, 0


def of_polygon(polygon: Area) -> Body:
    """A polygon as a body."""
    return "", -1, polygon, polygon[0], 0


def pose_of(world: World, how: Stand, thing: int) -> tuple[Any, ...] | None:
    """The pose of a thing where it stands, in play or not; none where it is off the board."""
    at = world[how.at][thing]
    if at is None:
        return None
    facing = world[how.facing][thing] if how.facing is not None else 0
    return thing, at, 0 if facing is None else facing


def same(a: Body, b: Body) -> bool:
    """Whether two bodies are of one thing."""
    return a is not None and b is not None and a[1] == b[1] >= 0 and a[0] == b[0]


def base_at(world: World, pose: tuple[Any, ...]) -> Body:
    """The body of a thing as a pose puts it, in a ruleset whose poses are of one kind."""
    return of_pose(world, world[0].tables.stands[0], pose)


def standing(world: World) -> list[Any]:
    """The bodies of all things in play that stand somewhere, by kind and number."""
    return [body for body, _ in boxed(world)]


def boxed(world: World) -> list[tuple[Any, tuple[int, int, int, int]]]:
    """As `standing`, each with the box of its outline; made anew when one of them has changed."""
    control = world[0]
    made_of = [world[column] for how in control.tables.stands for column in how.columns]
    if control.standing is None or control.standing[0] != made_of:
        found = (of_thing(world, how, thing) for how in control.tables.stands for thing in world[how.in_play])
        bodies = [(each, box(each[2])) for each in found if each is not None]
        control.standing = [each[:] for each in made_of], bodies
    return control.standing[1]  # type: ignore[no-any-return]


def fits_of(world: World, pose: tuple[Any, ...]) -> bool:
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


def _there(body: Body, text: str) -> tuple[Any, ...]:
    if body is None:
        raise Fault(codes.NOWHERE, f"`{text}` asks about something that is not on the board")
    return body


def gap_of(a: Body, b: Body, text: str) -> Number:
    """The shortest way from edge to edge in inches; a fault for what is nowhere."""
    return of_thousandths(gap(_there(a, text)[2], _there(b, text)[2]))


def distance_of(a: Body, b: Body, text: str) -> Number:
    """The distance of the middles in inches; a fault for what is nowhere."""
    return of_thousandths(between(_there(a, text)[3], _there(b, text)[3]))


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
    return near(a[2], b[2], world[0].base.plane.contact)


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
