"""Bodies on the plane, as generated code asks for them: distances, contact, sight."""

from fractions import Fraction
from typing import Any, NamedTuple

from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.geometry import (
    EIGHTH_TURN_DEG,
    QUARTER_TURN_DEG,
    THOUSANDTHS_PER_INCH,
    Area,
    Number,
    Outline,
    Point,
    bearing_of_vector,
    bounding_box,
    do_outlines_overlap,
    has_clear_sight,
    inches_to_thousandths,
    is_disc,
    is_in_arc,
    is_wholly_within,
    is_within_reach,
    list_edges,
    measure_gap,
    place_shape,
    point_distance,
    thousandths_to_inches,
)
from rulewright.runtime.state import Plane
from rulewright.runtime.working_memory import (
    CONTROL,
    PlaneColumns,
    WorkingMemory,
)


class PlaneBody(NamedTuple):
    """What a thing, a point or a polygon takes up on the plane."""

    kind: str  # empty for what is no thing
    thing: int  # its number; -1 for what is no thing
    outline: Outline
    middle: Point
    facing: Any


def body_of_thing(world: WorkingMemory, columns: PlaneColumns, thing: int) -> PlaneBody | None:
    """Body of a thing where it stands."""
    at = world[columns.at][thing]
    if at is None or world[columns.gone][thing]:
        return None
    return _make_body(world, columns, thing, at, world[columns.facing][thing] if columns.facing is not None else 0)


def body_of_pose(world: WorkingMemory, columns: PlaneColumns, pose: tuple[Any, ...]) -> PlaneBody | None:
    """Body of a thing at a pose; a fault if the thing is out of play."""
    thing, at, facing = pose
    return None if world[columns.gone][thing] else _make_body(world, columns, thing, at, facing)


def _make_body(world: WorkingMemory, columns: PlaneColumns, thing: int, at: Point, facing: Any) -> PlaneBody | None:
    base = world[columns.base][thing] if columns.base is not None else ("round", 0)
    if base is None:
        return None
    turned = 0 if facing is None else facing
    outline = (at[0], at[1], base[1]) if base[0] == "round" else place_shape(base, at, turned)
    return PlaneBody(columns.kind, thing, outline, at, turned)


def body_of_point(point: Point) -> PlaneBody | None:
    """A point as a body without size."""
    return PlaneBody("", -1, (point[0], point[1], 0), point, 0)


def body_of_polygon(polygon: Area) -> PlaneBody | None:
    return PlaneBody("", -1, polygon, polygon[0], 0)


def pose_of(world: WorkingMemory, columns: PlaneColumns, thing: int) -> tuple[Any, ...] | None:
    """Pose of a thing where it stands, in play or not; none if it is off the board."""
    at = world[columns.at][thing]
    if at is None:
        return None
    facing = world[columns.facing][thing] if columns.facing is not None else 0
    return thing, at, 0 if facing is None else facing


def are_same_thing(a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies belong to one thing."""
    return a is not None and b is not None and a.thing == b.thing >= 0 and a.kind == b.kind


def body_at_pose(world: WorkingMemory, pose: tuple[Any, ...]) -> PlaneBody | None:
    """Body of a thing at a pose, in a ruleset whose poses are of one kind."""
    return body_of_pose(world, world[CONTROL].tables.stands[0], pose)


def list_bodies(world: WorkingMemory) -> list[PlaneBody]:
    """Bodies of all things in play that stand somewhere, by kind and number."""
    return [body for body, _ in list_boxed_bodies(world)]


def list_boxed_bodies(world: WorkingMemory) -> list[tuple[PlaneBody, tuple[int, int, int, int]]]:
    """As `list_bodies`, each with its bounding box; cached until one of them changes."""
    control = world[CONTROL]
    made_of = [world[column] for columns in control.tables.stands for column in columns.columns]
    if control.plane_bodies is None or control.plane_bodies[0] != made_of:
        generator = (
            body_of_thing(world, columns, thing)
            for columns in control.tables.stands
            for thing in world[columns.in_play]
        )
        bodies = [(item, bounding_box(item.outline)) for item in generator if item is not None]
        control.plane_bodies = [item[:] for item in made_of], bodies
    return control.plane_bodies[1]  # type: ignore[no-any-return]


def fits_of(world: WorkingMemory, pose: tuple[Any, ...]) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    body = body_at_pose(world, pose)
    if body is None or not is_on_board(body.outline, world[CONTROL].base.plane):
        return False
    left, low, right, high = bounding_box(body.outline)
    return not any(
        do_outlines_overlap(body.outline, other.outline)
        for other, (west, south, east, north) in list_boxed_bodies(world)
        if left <= east and west <= right and low <= north and south <= high and not are_same_thing(body, other)
    )


def is_on_board(outline: Outline, plane: Plane) -> bool:
    """Whether an outline lies wholly on the board; a board without extent contains everything."""
    if plane.width is None or plane.depth is None:
        return True
    left, low, right, high = bounding_box(outline)
    return left >= 0 and low >= 0 and right <= plane.width and high <= plane.depth


def list_walls(world: WorkingMemory) -> tuple[Area, ...]:
    """Polygons of all things in play."""
    return tuple(world[column][thing] for in_play, column in world[CONTROL].tables.walls for thing in world[in_play])


def _require_body(body: PlaneBody | None, text: str) -> PlaneBody:
    if body is None:
        raise Fault(faults.NOT_ON_BOARD, f"`{text}` asks about something that is not on the board")
    return body


def gap_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Shortest distance from edge to edge in inches; a fault for what is nowhere."""
    return thousandths_to_inches(measure_gap(_require_body(a, text).outline, _require_body(b, text).outline))


def distance_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Distance of the middles in inches; a fault for what is nowhere."""
    return thousandths_to_inches(point_distance(_require_body(a, text).middle, _require_body(b, text).middle))


def bearing_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Angle from one middle to another; a fault for what is nowhere or if both are one point."""
    here, there = _require_body(a, text).middle, _require_body(b, text).middle
    if here == there:
        raise Fault(faults.NO_SUCH_PLACE, f"`{text}` asks for the direction from a point to itself")
    return bearing_of_vector(there[0] - here[0], there[1] - here[1])


def contact_of(world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies are at most the tolerance of the board apart; a thing is in no contact with itself."""
    if a is None or b is None or are_same_thing(a, b):
        return False
    return is_within_reach(a.outline, b.outline, world[CONTROL].base.plane.contact)


def is_on_plane(world: WorkingMemory, at: Point | None) -> bool:
    """Whether a point is none, or within the extent of the board."""
    plane = world[CONTROL].base.plane
    return at is None or all(
        end is None or 0 <= item <= end for item, end in zip(at, (plane.width, plane.depth), strict=True)
    )


def fault_off_plane(at: Point) -> None:
    """Fault: a thing would be put outside the extent of the board."""
    raise Fault(faults.OFF_BOARD, describe_off_plane(at))


def describe_off_plane(at: Point) -> str:
    """What is wrong with a point outside the extent of the board."""
    return f"{format_point(at)} is not on the board"


def format_point(at: Point) -> str:
    """A point in inches, as in `(3.5, 2)`."""
    return f"({at[0] / THOUSANDTHS_PER_INCH:g}, {at[1] / THOUSANDTHS_PER_INCH:g})"


def point_of(x: Number, y: Number) -> Point:
    """Point of two coordinates in inches."""
    return inches_to_thousandths(x), inches_to_thousandths(y)


def coordinate_in_inches(length: int) -> int | Fraction:
    """Coordinate of a point in inches."""
    return thousandths_to_inches(length)


def touches_of(world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a base is at most the tolerance of the board away from something else."""
    return contact_of(world, a, b)


def overlaps_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies overlap; a thing does not overlap itself."""
    return a is not None and b is not None and not are_same_thing(a, b) and do_outlines_overlap(a.outline, b.outline)


def aboard_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a base lies wholly within another."""
    return a is not None and b is not None and not are_same_thing(a, b) and is_wholly_within(a.outline, b.outline)


def segment_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Area:
    """Line from one middle to another; a fault for what is nowhere."""
    return _require_body(a, text).middle, _require_body(b, text).middle


def edge_of(a: PlaneBody | None, way: Number, text: str) -> Area:
    """Edge of a base nearest to a direction from its facing; a fault for a round base and for what is nowhere."""
    outline = _require_body(a, text).outline
    if is_disc(outline):
        raise Fault(faults.NO_SUCH_PLACE, f"`{text}` asks for an edge of a round base")
    return list_edges(outline)[(way + EIGHTH_TURN_DEG) // QUARTER_TURN_DEG % len(outline)]


def crosses_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a line runs through the inside of a polygon."""
    return a is not None and b is not None and do_outlines_overlap(a.outline, b.outline)


def in_arc_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None, degrees: Number) -> bool:
    """Whether any part of a body lies in an arc around the facing of a base, from its middle."""
    return (
        a is not None
        and b is not None
        and not are_same_thing(a, b)
        and is_in_arc(a.middle, a.facing, degrees, b.outline)
    )


def sees_of(
    world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None, walls: tuple[Area, ...] | None = None
) -> bool:
    """Whether some line of sight is free of the walls given, else of all polygons in play."""
    if a is None or b is None or are_same_thing(a, b):
        return False
    return has_clear_sight(a.middle, b.outline, b.middle, list_walls(world) if walls is None else walls)
