"""Outlines on the plane: distances, overlap, arcs and lines of sight.

Lengths are whole thousandths of an inch. A value computed from a formula is rounded to thousandths by whole-number
arithmetic and then compared exactly; see the manual, The plane.

An outline is a disc `(x, y, radius)` of numbers, or an area, a tuple of points: a polygon, a line of two points or one
point.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import atan2, cos, degrees, floor, isqrt, radians, sin
from typing import Any, cast

THOUSANDTHS_PER_INCH = 1000
HUNDREDTHS_PER_DEGREE = 100
FULL_TURN_DEG = 360
HALF_TURN_DEG = 180
QUARTER_TURN_DEG = 90
EIGHTH_TURN_DEG = 45
DIRECTION_LENGTH = 10**9
"""Length of direction vectors."""

Number = int | Fraction
Vector = tuple[int, int]


def divide_half_up(above: int, below: int) -> int:
    """Nearest whole number to a quotient with a positive divisor, halves upwards."""
    return (2 * above + below) // (2 * below)


def round_root(above: int, below: int = 1) -> int:
    """Nearest whole number to the square root of a quotient.

    >>> round_root(2), round_root(9), round_root(25, 4) (1, 3, 3)
    """
    return (isqrt(4 * above // below) + 1) // 2


def round_to_fraction(number: Number, parts: int) -> Number:
    """A number rounded to a multiple of 1/`parts`, halves away from zero; an `int` if it is whole."""
    size = divide_half_up(abs(number.numerator) * parts, number.denominator)
    rounded = Fraction(size if number >= 0 else -size, parts)
    return rounded.numerator if rounded.denominator == 1 else rounded


def round_to_thousandths(number: Number | None) -> Number | None:
    """Inches rounded to thousandths, halves away from zero; none stays none."""
    return number if number is None or isinstance(number, int) else round_to_fraction(number, THOUSANDTHS_PER_INCH)


def normalize_angle(number: Number | None) -> Number | None:
    """An angle in hundredths of a degree, from 0 and below 360 degrees; none stays none."""
    if number is None:
        return None
    return (
        number % FULL_TURN_DEG
        if isinstance(number, int)
        else round_to_fraction(round_to_fraction(number, HUNDREDTHS_PER_DEGREE) % FULL_TURN_DEG, HUNDREDTHS_PER_DEGREE)
    )


def thousandths_to_inches(length: int) -> Number:
    """Inches of a length in thousandths."""
    inches_, rest = divmod(length, THOUSANDTHS_PER_INCH)
    return inches_ if rest == 0 else Fraction(length, THOUSANDTHS_PER_INCH)


def inches_to_thousandths(number: Number) -> int:
    """Length in thousandths of a number of inches."""
    return int(round_to_fraction(number, THOUSANDTHS_PER_INCH) * THOUSANDTHS_PER_INCH)


@lru_cache(maxsize=4096)
def heading_vector(degrees_: Number) -> Vector:
    """Vector of a direction, `DIRECTION_LENGTH` long: 0 is along +y, angles turn clockwise."""
    turns, rest = divmod(degrees_, QUARTER_TURN_DEG)
    if rest == 0:
        return ((0, DIRECTION_LENGTH), (DIRECTION_LENGTH, 0), (0, -DIRECTION_LENGTH), (-DIRECTION_LENGTH, 0))[turns % 4]
    turned = radians(float(degrees_ % FULL_TURN_DEG))
    return floor(sin(turned) * DIRECTION_LENGTH + 0.5), floor(cos(turned) * DIRECTION_LENGTH + 0.5)


def bearing_of_vector(right: int, up: int) -> Number:
    """Angle of a vector that is not (0, 0), rounded to hundredths of a degree."""
    number = floor(degrees(atan2(right, up)) * HUNDREDTHS_PER_DEGREE + 0.5) % (FULL_TURN_DEG * HUNDREDTHS_PER_DEGREE)
    return round_to_fraction(Fraction(number, HUNDREDTHS_PER_DEGREE), HUNDREDTHS_PER_DEGREE)


Point = tuple[int, int]
Disc = tuple[int, int, int]
Area = tuple[Point, ...]
Outline = Disc | Area
Shape = tuple[Any, ...]


def is_disc(outline: Outline) -> bool:
    """Whether an outline is round."""
    return isinstance(outline[0], int)


@lru_cache(maxsize=16384)
def place_shape(shape: Shape, at: Point, facing: Number) -> Outline:
    """Outline of a shape at a point, turned to a facing."""
    match shape:
        case ("round", radius):
            return (at[0], at[1], radius)
        case ("rectangle", width, length):
            return _rectangle_corners(width, length, at, facing)
        case _:
            raise AssertionError(shape)


def _rectangle_corners(width: int, length: int, at: Point, facing: Number) -> Area:
    """The corners clockwise from the front left one, each rounded to whole thousandths."""
    ahead, side = heading_vector(facing), heading_vector(facing + 90)
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return tuple(
        (
            at[0] + divide_half_up(right * width * side[0] + front * length * ahead[0], 2 * DIRECTION_LENGTH),
            at[1] + divide_half_up(right * width * side[1] + front * length * ahead[1], 2 * DIRECTION_LENGTH),
        )
        for right, front in signs
    )


@lru_cache(maxsize=16384)
def list_edges(area: Area) -> tuple[tuple[Point, Point], ...]:
    """Edges of an area; a point has one, from itself to itself."""
    if len(area) < 3:  # noqa: PLR2004 - a polygon has three corners
        return ((area[0], area[-1]),)
    return tuple(zip(area, (*area[1:], area[0]), strict=True))


def bounding_box(outline: Outline) -> tuple[int, int, int, int]:
    """Least x and y, then greatest x and y of an outline."""
    if is_disc(outline):
        x, y, radius = cast("Disc", outline)
        return x - radius, y - radius, x + radius, y + radius
    return _area_bounding_box(cast("Area", outline))


@lru_cache(maxsize=16384)
def _area_bounding_box(area: Area) -> tuple[int, int, int, int]:
    across, along = zip(*area, strict=True)
    return min(across), min(along), max(across), max(along)


Edge = tuple[Point, Point]


def point_distance(a: Point, b: Point) -> int:
    """Distance of two points."""
    return round_root((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def distance_from_edge(point: Point, edge: Edge) -> int:
    (ax, ay), (bx, by) = edge
    dx, dy, px, py = bx - ax, by - ay, point[0] - ax, point[1] - ay
    along, whole = px * dx + py * dy, dx * dx + dy * dy
    if along <= 0:
        return round_root(px * px + py * py)
    if along >= whole:
        return round_root((point[0] - bx) ** 2 + (point[1] - by) ** 2)
    return round_root((px * dy - py * dx) ** 2, whole)


def side_of_line(a: Point, b: Point, c: Point) -> int:
    """Positive if c lies left of the way from a to b, 0 on its line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _is_on_edge(point: Point, edge: Edge) -> bool:
    a, b = edge
    return (
        side_of_line(a, b, point) == 0
        and min(a[0], b[0]) <= point[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= point[1] <= max(a[1], b[1])
    )


def contains_point(area: Area, point: Point) -> bool:
    return any(_is_on_edge(point, edge) for edge in list_edges(area)) or is_inside_by_ray_cast(area, point)


def is_inside_by_ray_cast(area: Area, point: Point) -> bool:
    """Whether a point off the edges lies in an area: a ray from it crosses an odd number of edges.

    Lines have no inside.
    """
    result = False
    if len(area) < 3:  # noqa: PLR2004 - a polygon has three corners
        return result
    for a, b in list_edges(area):
        if (a[1] > point[1]) != (b[1] > point[1]):
            side = side_of_line(a, b, point)
            result ^= side > 0 if b[1] > a[1] else side < 0
    return result


def is_strictly_inside(area: Area, point: Point) -> bool:
    return is_inside_by_ray_cast(area, point) and not any(_is_on_edge(point, edge) for edge in list_edges(area))


def _do_edges_meet(first: Edge, second: Edge) -> bool:
    (a, b), (c, d) = first, second
    if any(_is_on_edge(*item) for item in ((a, second), (b, second), (c, first), (d, first))):
        return True
    return (side_of_line(a, b, c) > 0) != (side_of_line(a, b, d) > 0) and (side_of_line(c, d, a) > 0) != (
        side_of_line(c, d, b) > 0
    )


def is_simple_polygon(area: Area) -> bool:
    """Whether edges of a polygon meet only at shared corners."""
    items = list_edges(area)
    count = len(items)
    for at, first in enumerate(items):
        for later in range(at + 1, count):
            second = items[later]
            if later == at + 1 or (at == 0 and later == count - 1):
                shared, far = (first[1], second[1]) if later == at + 1 else (first[0], second[0])
                near = first[0] if shared == first[1] else first[1]
                if _is_on_edge(far, first) or _is_on_edge(near, second):
                    return False
            elif _do_edges_meet(first, second):
                return False
    return True


def _do_areas_meet(a: Area, b: Area) -> bool:
    if any(_do_edges_meet(first, second) for first in list_edges(a) for second in list_edges(b)):
        return True
    return is_inside_by_ray_cast(b, a[0]) or is_inside_by_ray_cast(a, b[0])


def measure_gap(a: Outline, b: Outline) -> int:
    """Shortest distance of two outlines; 0 if they meet."""
    if is_disc(a):
        return _gap_from_disc(cast("Disc", a), b)
    if is_disc(b):
        return _gap_from_disc(cast("Disc", b), a)
    return _gap_of_areas(cast("Area", a), cast("Area", b))


def is_within_reach(a: Outline, b: Outline, reach: int) -> bool:
    """Whether two outlines are at most `reach` apart; bounding boxes decide most cases."""
    if is_disc(a) and is_disc(b):
        return _gap_of_discs(cast("Disc", a), cast("Disc", b)) <= reach
    (left, low, right, high), (west, south, east, north) = bounding_box(a), bounding_box(b)
    if left - east > reach or west - right > reach or low - north > reach or south - high > reach:
        return False
    return measure_gap(a, b) <= reach


@lru_cache(maxsize=16384)
def _gap_of_areas(first: Area, second: Area) -> int:
    if _do_areas_meet(first, second):
        return 0
    there = [distance_from_edge(point, edge) for point in first for edge in list_edges(second)]
    return min(there + [distance_from_edge(point, edge) for point in second for edge in list_edges(first)])


def _gap_of_discs(a: Disc, b: Disc) -> int:
    return max(0, round_root((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) - a[2] - b[2])


def _gap_from_disc(disc: Disc, other: Outline) -> int:
    x, y, radius = disc
    if is_disc(other):
        return _gap_of_discs(disc, cast("Disc", other))
    area = cast("Area", other)
    if is_inside_by_ray_cast(area, (x, y)):
        return 0
    return max(0, min(distance_from_edge((x, y), edge) for edge in list_edges(area)) - radius)


def do_outlines_overlap(a: Outline, b: Outline) -> bool:
    """Whether the insides of two outlines share a point; the inside of a line is all but its ends."""
    if is_disc(a):
        return _does_disc_overlap(cast("Disc", a), b)
    if is_disc(b):
        return _does_disc_overlap(cast("Disc", b), a)
    first, second = cast("Area", a), cast("Area", b)
    if not _do_boxes_meet(first, second):
        return False
    one, other = _to_shapely(first), _to_shapely(second)
    return bool(one.intersects(other) and not one.touches(other))


def _does_disc_overlap(disc: Disc, other: Outline) -> bool:
    x, y, radius = disc
    if is_disc(other):
        ox, oy, reach = cast("Disc", other)
        return round_root((x - ox) ** 2 + (y - oy) ** 2) < radius + reach
    area = cast("Area", other)
    left, low, right, high = bounding_box(area)
    if x + radius < left or x - radius > right or y + radius < low or y - radius > high:
        return False
    return (
        is_strictly_inside(area, (x, y)) or min(distance_from_edge((x, y), edge) for edge in list_edges(area)) < radius
    )


def _do_boxes_meet(a: Area, b: Area) -> bool:
    (left, low, right, high), (west, south, east, north) = bounding_box(a), bounding_box(b)
    return left <= east and west <= right and low <= north and south <= high


def is_wholly_within(inner: Outline, outer: Outline) -> bool:
    """Whether an outline lies wholly in another, edges included."""
    if is_disc(inner):
        x, y, radius = cast("Disc", inner)
        if is_disc(outer):
            ox, oy, reach = cast("Disc", outer)
            return point_distance((x, y), (ox, oy)) + radius <= reach
        area = cast("Area", outer)
        return (
            contains_point(area, (x, y))
            and min(distance_from_edge((x, y), edge) for edge in list_edges(area)) >= radius
        )
    corners = cast("Area", inner)
    if is_disc(outer):
        ox, oy, reach = cast("Disc", outer)
        return all(point_distance(corner, (ox, oy)) <= reach for corner in corners)
    return bool(_to_shapely(cast("Area", outer)).covers(_to_shapely(corners)))


def _to_shapely(area: Area) -> Any:  # shapely has no types of its own
    """An area for shapely, which is loaded only when two areas are compared."""
    import shapely  # noqa: PLC0415

    if len(set(area)) == 1:
        return shapely.Point(area[0])
    return shapely.LineString(area) if len(area) == 2 else shapely.Polygon(area)  # noqa: PLR2004 - two ends


def _cross_product(a: Vector, b: Vector) -> int:
    """Positive if b lies clockwise of a, within half a turn."""
    return b[0] * a[1] - b[1] * a[0]


def _dot_product(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1]


@dataclass(frozen=True, slots=True)
class Arc:
    """Directions clockwise from the first to the second, both included; narrower than a turn."""

    first: Vector
    last: Vector
    middle: Vector
    wide: bool  # whether it is wider than half a turn
    straight: bool  # whether it is half a turn or more

    def contains_direction(self, way: Vector) -> bool:
        """Whether a vector from the corner of the arc ends in it."""
        if self.wide:
            return not (_cross_product(self.last, way) > 0 and _cross_product(way, self.first) > 0)
        between_both = _cross_product(self.first, way) >= 0 and _cross_product(way, self.last) >= 0
        return between_both and (self.straight or _dot_product(self.middle, way) >= 0)


def _make_arc(facing: Number, degrees: Number) -> Arc:
    half = Fraction(degrees) / 2
    first, last = heading_vector(Fraction(facing) - half), heading_vector(Fraction(facing) + half)
    return Arc(first, last, heading_vector(facing), degrees > HALF_TURN_DEG, degrees >= HALF_TURN_DEG)


def is_in_arc(eye: Point, facing: Number, degrees: Number, target: Outline) -> bool:
    """Whether any part of an outline lies in the arc of so many degrees around a facing, from a point."""
    if degrees >= FULL_TURN_DEG:
        return True
    arc = _make_arc(facing, max(degrees, 0))
    if is_disc(target):
        return _is_disc_in_arc(arc, eye, cast("Disc", target))
    area = cast("Area", target)
    if contains_point(area, eye) or any(arc.contains_direction(_vector_between(eye, corner)) for corner in area):
        return True
    return any(
        _does_ray_meet_edge(ray, _vector_between(eye, a), _vector_between(eye, b))
        for a, b in list_edges(area)
        for ray in (arc.first, arc.last)
    )


def _vector_between(eye: Point, point: Point) -> Vector:
    return point[0] - eye[0], point[1] - eye[1]


def _is_disc_in_arc(arc: Arc, eye: Point, disc: Disc) -> bool:
    x, y, radius = disc
    way = _vector_between(eye, (x, y))
    return arc.contains_direction(way) or any(_distance_from_ray(way, ray) <= radius for ray in (arc.first, arc.last))


def _distance_from_ray(way: Vector, ray: Vector) -> int:
    if _dot_product(way, ray) <= 0:
        return point_distance((0, 0), way)
    return round_root(_cross_product(ray, way) ** 2, _dot_product(ray, ray))


def _does_ray_meet_edge(ray: Vector, a: Vector, b: Vector) -> bool:
    """Whether a ray meets the edge from a to b; a collinear edge is met if an end of it lies on the ray."""
    before, after = _cross_product(ray, a), _cross_product(ray, b)
    if (before > 0) == (after > 0) and before != 0 and after != 0:
        return False
    if before == after == 0:
        return _dot_product(ray, a) >= 0 or _dot_product(ray, b) >= 0
    ahead = _dot_product(ray, a) * after - _dot_product(ray, b) * before
    return ahead >= 0 if after > before else ahead <= 0


def sight_line_ends(eye: Point, target: Outline, middle: Point) -> Iterator[Point]:
    """Ends of lines of sight: the middle, then both outermost points of a round base or the corners of an area."""
    yield middle
    if not is_disc(target):
        yield from cast("Area", target)
        return
    x, y, radius = cast("Disc", target)
    right, up = _vector_between(eye, middle)
    length = right * right + up * up
    if radius and length:
        across, along = (round_root((part * radius) ** 2, length) * (1 if part >= 0 else -1) for part in (up, -right))
        yield x + across, y + along
        yield x - across, y - along


def has_clear_sight(eye: Point, target: Outline, middle: Point, walls: Iterable[Area]) -> bool:
    """Whether some line of sight crosses no polygon, except those that contain one of the two middles."""
    blocking = [item for item in walls if not contains_point(item, eye) and not contains_point(item, middle)]
    return any(
        not any(do_outlines_overlap((eye, end), wall) for wall in blocking)
        for end in sight_line_ends(eye, target, middle)
    )
