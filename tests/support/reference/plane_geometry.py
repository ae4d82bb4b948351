"""The plane, straight from the manual: fractions, one formula after the other, and no thought of speed."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import atan2, cos, degrees, isqrt, pi, sin
from typing import Any

from rulewright.program.types import OptionalType, PlaneType, ThingType, Type
from support.reference.world import JudgedFault, World

Point = tuple[Any, Any]


@dataclass(frozen=True)
class Body:
    """Something put somewhere: a disc where it has a radius, else an area with corners."""

    thing: tuple[str, int] | None
    middle: Point
    facing: Any
    radius: int | None
    corners: tuple[Point, ...]


# Numbers.


def round_half_up(value: Fraction) -> int:
    """The nearest whole number, halves upwards."""
    return (value + Fraction(1, 2)).__floor__()


def round_root(squared: Fraction | int) -> int:
    """The whole number nearest to a root."""
    return (isqrt((4 * squared).__floor__()) + 1) // 2


def make_inches(thousandths: int) -> Fraction:
    """A length as the language knows it."""
    return Fraction(thousandths, 1000)


def round_to_type(value: Any, type_: Type) -> Any:
    """A number in a slot for inches or for an angle."""
    if value is None:
        return None
    inner = type_.inner if isinstance(type_, OptionalType) else type_
    parts = 100 if inner == PlaneType("angle") else 1000
    sign = -1 if value < 0 else 1
    found = sign * Fraction(round_half_up(abs(Fraction(value)) * parts), parts)
    return found % 360 if parts == 100 else found


def direction_vector(angle: Any) -> tuple[int, int]:
    """A vector of a thousand million, clockwise from straight up; exact along the axes."""
    exact = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}.get(Fraction(angle) % 360)
    if exact is not None:
        return exact[0] * 10**9, exact[1] * 10**9
    turned = float(Fraction(angle) % 360) * pi / 180
    return round_half_up(Fraction(sin(turned) * 10**9)), round_half_up(Fraction(cos(turned) * 10**9))


# Bodies.


def make_body(world: World, value: Any, type_: Type) -> Body | None:
    """What a plane function is asked about; none for a thing that is nowhere."""
    match type_:
        case ThingType(kind) if world.called is None:
            return _make_thing_body(world, kind, value)
        case ThingType(kind):
            if ("body", kind, value) not in world.called:
                world.called["body", kind, value] = _make_thing_body(world, kind, value)
            return world.called["body", kind, value]  # type: ignore[no-any-return]
        case PlaneType("pose"):
            return _make_standing_body(world, list_standing_kinds(world)[0], *value)
        case PlaneType("point"):
            return Body(None, value, 0, 0, ())
        case _:
            return Body(None, value[0], 0, None, value)


def _make_thing_body(world: World, kind: str, number: int) -> Body | None:
    parts = {each.name for each in world.program.kinds[kind].fields}
    at = world.game.attributes[f"{kind}/at"][number]
    facing = world.game.attributes[f"{kind}/facing"][number] if "facing" in parts else 0
    return _make_standing_body(world, kind, number, at, facing or 0)


def list_standing_kinds(world: World) -> list[str]:
    """The kinds with a place on the plane and a base, found once for a play."""
    if world.standing is None:
        world.standing = [
            kind.name
            for kind in world.program.kinds.values()
            if {("at", "point"), ("base", "shape")}
            <= {(each.name, getattr(_strip_optional(each.type), "name", "")) for each in kind.fields}
        ]
    return world.standing


def _strip_optional(type_: Type) -> Type:
    return type_.inner if isinstance(type_, OptionalType) else type_


def _make_standing_body(world: World, kind: str, number: int, at: Point | None, facing: Any) -> Body | None:
    if at is None or number in world.game.gone[kind]:
        return None
    bases = world.game.attributes.get(f"{kind}/base") if kind in list_standing_kinds(world) else None
    base = ("round", 0) if bases is None else bases[number]
    return None if base is None else place_base((kind, number), base, at, facing)


def place_base(thing: tuple[str, int] | None, base: Any, at: Point, facing: Any) -> Body:
    """A base at a point with a facing."""
    if base[0] == "round":
        return Body(thing, at, facing, base[1], ())
    return Body(thing, at, facing, None, tuple(_list_corners(base[1], base[2], at, facing)))


def _list_corners(width: int, length_: int, at: Point, facing: Any) -> Iterator[Point]:
    ahead, right = direction_vector(facing), direction_vector(facing + 90)
    for across, along in ((-width, length_), (width, length_), (width, -length_), (-width, -length_)):
        x = Fraction(across * right[0] + along * ahead[0], 2 * 10**9)
        y = Fraction(across * right[1] + along * ahead[1], 2 * 10**9)
        yield at[0] + round_half_up(x), at[1] + round_half_up(y)


# Distances.


def list_edges(corners: tuple[Point, ...]) -> list[tuple[Point, Point]]:
    """The edges of an area."""
    if len(corners) == 2:
        return [(corners[0], corners[1])]
    return [(corners[each - 1], corners[each]) for each in range(len(corners))]


def squared_distance(a: Point, b: Point) -> Any:
    """The square of a distance: a whole number between whole points, else a fraction."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def squared_distance_to_edge(point: Point, edge: tuple[Point, Point]) -> Any:
    """The square of the distance of a point from its nearest point on an edge."""
    a, b = edge
    whole = squared_distance(a, b)
    if whole == 0:
        return squared_distance(point, a)
    along = (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])
    if along <= 0:
        return squared_distance(point, a)
    if along >= whole:
        return squared_distance(point, b)
    share = Fraction(along, whole)
    return squared_distance(point, (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))


def contains_point(point: Point, corners: tuple[Point, ...]) -> bool:
    """Whether a point lies in an area or on its edge: the edges wind around it."""
    if any(squared_distance_to_edge(point, edge) == 0 for edge in list_edges(corners)):
        return True
    if len(corners) == 2:
        return False
    crossings = 0
    for (ax, ay), (bx, by) in list_edges(corners):
        if min(ay, by) <= point[1] < max(ay, by):
            crossings += ax + (point[1] - ay) * Fraction(bx - ax, by - ay) > point[0]
    return crossings % 2 == 1


def do_edges_cross(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Whether two edges have a point in common."""
    (ax, ay), (bx, by) = first
    (cx, cy), (dx, dy) = second
    slope = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if slope == 0:
        ends = [(each, second) for each in first] + [(each, first) for each in second]
        return any(squared_distance_to_edge(point, edge) == 0 for point, edge in ends)
    along = Fraction((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx), slope)
    across = Fraction((cx - ax) * (by - ay) - (cy - ay) * (bx - ax), slope)
    return 0 <= along <= 1 and 0 <= across <= 1


def measure_gap(a: Body, b: Body) -> int:
    """From edge to edge, in thousandths."""
    if a.radius is not None and b.radius is not None:
        return max(0, round_root(squared_distance(a.middle, b.middle)) - a.radius - b.radius)
    if b.radius is not None:
        a, b = b, a
    if a.radius is not None:
        if contains_point(a.middle, b.corners):
            return 0
        return max(
            0, min(round_root(squared_distance_to_edge(a.middle, edge)) for edge in list_edges(b.corners)) - a.radius
        )
    pairs = [(first, second) for first in list_edges(a.corners) for second in list_edges(b.corners)]
    if (
        any(do_edges_cross(*pair) for pair in pairs)
        or contains_point(a.corners[0], b.corners)
        or contains_point(b.corners[0], a.corners)
    ):
        return 0
    return min(
        round_root(squared_distance_to_edge(point, edge))
        for one, other in ((a, b), (b, a))
        for point in one.corners
        for edge in list_edges(other.corners)
    )


# Functions of the language.


def get_pose(world: World, kind: str, thing: int) -> Any:
    """`thing.pose`."""
    at = world.game.attributes[f"{kind}/at"][thing]
    facings = world.game.attributes.get(f"{kind}/facing")
    return None if at is None else (thing, at, (facings[thing] if facings else 0) or 0)


def measure_bearing(a: Body | None, b: Body | None) -> Fraction:
    """The angle from one middle to another."""
    if a is None or b is None:
        raise JudgedFault("RW0822")
    if a.middle == b.middle:
        raise JudgedFault("RW0806")
    turned = degrees(atan2(b.middle[0] - a.middle[0], b.middle[1] - a.middle[1]))
    return Fraction(round_half_up(Fraction(turned) * 100) % 36000, 100)
