"""Outlines, how far apart they are, whether they meet and can be seen.

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

THOUSANDTHS = 1000
HUNDREDTHS = 100
TURN = 360
HALF_TURN = 180
QUARTER = 90
EIGHTH = 45
UNIT = 10**9
"""The length of the vectors that stand for directions."""

Number = int | Fraction
Vector = tuple[int, int]


def halves_up(above: int, below: int) -> int:
    """The whole number nearest to a quotient with a positive divisor, halves upwards."""
    return (2 * above + below) // (2 * below)


def root(above: int, below: int = 1) -> int:
    """The whole number nearest to the square root of a quotient.

    >>> root(2), root(9), root(25, 4)
    (1, 3, 3)
    """
    return (isqrt(4 * above // below) + 1) // 2


def whole(number: Number, parts: int) -> Number:
    """A number rounded to a part, halves away from zero; an `int` where it comes out even."""
    size = halves_up(abs(number.numerator) * parts, number.denominator)
    rounded = Fraction(size if number >= 0 else -size, parts)
    return rounded.numerator if rounded.denominator == 1 else rounded


def inches(number: Number | None) -> Number | None:
    """A number as inches: rounded to thousandths, halves away from zero; none stays none."""
    return number if number is None or isinstance(number, int) else whole(number, THOUSANDTHS)


def angle(number: Number | None) -> Number | None:
    """A number as an angle: hundredths of a degree, from 0 and below 360; none stays none."""
    if number is None:
        return None
    return number % TURN if isinstance(number, int) else whole(whole(number, HUNDREDTHS) % TURN, HUNDREDTHS)


def of_thousandths(length: int) -> Number:
    """A length in inches."""
    inches_, rest = divmod(length, THOUSANDTHS)
    return inches_ if rest == 0 else Fraction(length, THOUSANDTHS)


def to_thousandths(number: Number) -> int:
    """A number of inches as a length."""
    return int(whole(number, THOUSANDTHS) * THOUSANDTHS)


@lru_cache(maxsize=4096)
def heading(degrees_: Number) -> Vector:
    """The vector of a direction, `UNIT` long: 0 is along +y, and they turn clockwise."""
    turns, rest = divmod(degrees_, QUARTER)
    if rest == 0:
        return ((0, UNIT), (UNIT, 0), (0, -UNIT), (-UNIT, 0))[turns % 4]
    turned = radians(float(degrees_ % TURN))
    return floor(sin(turned) * UNIT + 0.5), floor(cos(turned) * UNIT + 0.5)


def bearing(right: int, up: int) -> Number:
    """The angle of a vector that is not (0, 0), rounded to hundredths of a degree."""
    found = floor(degrees(atan2(right, up)) * HUNDREDTHS + 0.5) % (TURN * HUNDREDTHS)
    return whole(Fraction(found, HUNDREDTHS), HUNDREDTHS)


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


Edge = tuple[Point, Point]


def between(a: Point, b: Point) -> int:
    """The distance of two points."""
    return root((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def from_edge(point: Point, edge: Edge) -> int:
    """The distance of a point from an edge."""
    (ax, ay), (bx, by) = edge
    dx, dy, px, py = bx - ax, by - ay, point[0] - ax, point[1] - ay
    along, whole = px * dx + py * dy, dx * dx + dy * dy
    if along <= 0:
        return root(px * px + py * py)
    if along >= whole:
        return root((point[0] - bx) ** 2 + (point[1] - by) ** 2)
    return root((px * dy - py * dx) ** 2, whole)


def side(a: Point, b: Point, c: Point) -> int:
    """Positive where c lies left of the way from a to b, 0 on its line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _on(point: Point, edge: Edge) -> bool:
    a, b = edge
    return (
        side(a, b, point) == 0
        and min(a[0], b[0]) <= point[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= point[1] <= max(a[1], b[1])
    )


def holds(area: Area, point: Point) -> bool:
    """Whether a point lies in an area or on its edge."""
    return any(_on(point, edge) for edge in edges(area)) or inside(area, point)


def inside(area: Area, point: Point) -> bool:
    """Whether a point off the edges lies in an area: a ray from it crosses an odd number of edges. Lines hold none."""
    found = False
    if len(area) < 3:  # noqa: PLR2004 - a polygon has three corners
        return found
    for a, b in edges(area):
        if (a[1] > point[1]) != (b[1] > point[1]):
            left = side(a, b, point)
            found ^= left > 0 if b[1] > a[1] else left < 0
    return found


def strictly_inside(area: Area, point: Point) -> bool:
    """Whether a point lies in an area and on no edge of it."""
    return inside(area, point) and not any(_on(point, edge) for edge in edges(area))


def _meet(first: Edge, second: Edge) -> bool:
    (a, b), (c, d) = first, second
    if any(_on(*each) for each in ((a, second), (b, second), (c, first), (d, first))):
        return True
    return (side(a, b, c) > 0) != (side(a, b, d) > 0) and (side(c, d, a) > 0) != (side(c, d, b) > 0)


def is_simple(area: Area) -> bool:
    """Whether no edge of a polygon meets another but at the corner they share."""
    found = edges(area)
    count = len(found)
    for at, first in enumerate(found):
        for later in range(at + 1, count):
            second = found[later]
            if later == at + 1 or (at == 0 and later == count - 1):
                shared, far = (first[1], second[1]) if later == at + 1 else (first[0], second[0])
                near = first[0] if shared == first[1] else first[1]
                if _on(far, first) or _on(near, second):
                    return False
            elif _meet(first, second):
                return False
    return True


def _areas_meet(a: Area, b: Area) -> bool:
    if any(_meet(first, second) for first in edges(a) for second in edges(b)):
        return True
    return inside(b, a[0]) or inside(a, b[0])


def gap(a: Outline, b: Outline) -> int:
    """The shortest way from one outline to the other; 0 where they meet."""
    if is_disc(a):
        return _from_disc(cast("Disc", a), b)
    if is_disc(b):
        return _from_disc(cast("Disc", b), a)
    return _of_areas(cast("Area", a), cast("Area", b))


def near(a: Outline, b: Outline, reach: int) -> bool:
    """Whether two outlines are at most so far apart; a look at their boxes spares most of the work."""
    if is_disc(a) and is_disc(b):
        return _of_discs(cast("Disc", a), cast("Disc", b)) <= reach
    (left, low, right, high), (west, south, east, north) = box(a), box(b)
    if left - east > reach or west - right > reach or low - north > reach or south - high > reach:
        return False
    return gap(a, b) <= reach


@lru_cache(maxsize=16384)
def _of_areas(first: Area, second: Area) -> int:
    if _areas_meet(first, second):
        return 0
    there = [from_edge(point, edge) for point in first for edge in edges(second)]
    return min(there + [from_edge(point, edge) for point in second for edge in edges(first)])


def _of_discs(a: Disc, b: Disc) -> int:
    return max(0, root((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) - a[2] - b[2])


def _from_disc(disc: Disc, other: Outline) -> int:
    x, y, radius = disc
    if is_disc(other):
        return _of_discs(disc, cast("Disc", other))
    area = cast("Area", other)
    if inside(area, (x, y)):
        return 0
    return max(0, min(from_edge((x, y), edge) for edge in edges(area)) - radius)


def overlap(a: Outline, b: Outline) -> bool:
    """Whether the insides of two outlines have a point in common; a line has its points but its ends inside."""
    if is_disc(a):
        return _disc_overlaps(cast("Disc", a), b)
    if is_disc(b):
        return _disc_overlaps(cast("Disc", b), a)
    first, second = cast("Area", a), cast("Area", b)
    if not _boxes_meet(first, second):
        return False
    one, other = _geometry(first), _geometry(second)
    return bool(one.intersects(other) and not one.touches(other))


def _disc_overlaps(disc: Disc, other: Outline) -> bool:
    x, y, radius = disc
    if is_disc(other):
        ox, oy, reach = cast("Disc", other)
        return root((x - ox) ** 2 + (y - oy) ** 2) < radius + reach
    area = cast("Area", other)
    left, low, right, high = box(area)
    if x + radius < left or x - radius > right or y + radius < low or y - radius > high:
        return False
    return strictly_inside(area, (x, y)) or min(from_edge((x, y), edge) for edge in edges(area)) < radius


def _boxes_meet(a: Area, b: Area) -> bool:
    (left, low, right, high), (west, south, east, north) = box(a), box(b)
    return left <= east and west <= right and low <= north and south <= high


def within(inner: Outline, outer: Outline) -> bool:
    """Whether an outline lies wholly in another, edges included."""
    if is_disc(inner):
        x, y, radius = cast("Disc", inner)
        if is_disc(outer):
            ox, oy, reach = cast("Disc", outer)
            return between((x, y), (ox, oy)) + radius <= reach
        area = cast("Area", outer)
        return holds(area, (x, y)) and min(from_edge((x, y), edge) for edge in edges(area)) >= radius
    corners = cast("Area", inner)
    if is_disc(outer):
        ox, oy, reach = cast("Disc", outer)
        return all(between(corner, (ox, oy)) <= reach for corner in corners)
    return bool(_geometry(cast("Area", outer)).covers(_geometry(corners)))


def _geometry(area: Area) -> Any:  # shapely has no types of its own
    """An area for shapely, which is loaded where two areas are compared and not before."""
    import shapely  # noqa: PLC0415

    if len(set(area)) == 1:
        return shapely.Point(area[0])
    return shapely.LineString(area) if len(area) == 2 else shapely.Polygon(area)  # noqa: PLR2004 - two ends


def _cross(a: Vector, b: Vector) -> int:
    """Positive where b lies clockwise of a, within half a turn."""
    return b[0] * a[1] - b[1] * a[0]


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1]


@dataclass(frozen=True, slots=True)
class Arc:
    """What lies between two directions, clockwise from the first to the second, both included; narrower than a turn."""

    first: Vector  # one direction
    last: Vector  # the other one
    middle: Vector  # the direction between them
    wide: bool  # whether it is wider than half a turn
    straight: bool  # whether it is half a turn or more

    def has(self, way: Vector) -> bool:
        """Whether a vector from the corner of the arc ends in it."""
        if self.wide:
            return not (_cross(self.last, way) > 0 and _cross(way, self.first) > 0)
        between_both = _cross(self.first, way) >= 0 and _cross(way, self.last) >= 0
        return between_both and (self.straight or _dot(self.middle, way) >= 0)


def _arc(facing: Number, degrees: Number) -> Arc:
    half = Fraction(degrees) / 2
    first, last = heading(Fraction(facing) - half), heading(Fraction(facing) + half)
    return Arc(first, last, heading(facing), degrees > HALF_TURN, degrees >= HALF_TURN)


def in_arc(eye: Point, facing: Number, degrees: Number, seen: Outline) -> bool:
    """Whether any part of an outline lies in the arc of some degrees around a facing, from a point."""
    if degrees >= TURN:
        return True
    arc = _arc(facing, max(degrees, 0))
    if is_disc(seen):
        return _disc_in(arc, eye, cast("Disc", seen))
    area = cast("Area", seen)
    if holds(area, eye) or any(arc.has(_way(eye, corner)) for corner in area):
        return True
    return any(_ray_meets(ray, _way(eye, a), _way(eye, b)) for a, b in edges(area) for ray in (arc.first, arc.last))


def _way(eye: Point, point: Point) -> Vector:
    return point[0] - eye[0], point[1] - eye[1]


def _disc_in(arc: Arc, eye: Point, disc: Disc) -> bool:
    x, y, radius = disc
    way = _way(eye, (x, y))
    return arc.has(way) or any(_from_ray(way, ray) <= radius for ray in (arc.first, arc.last))


def _from_ray(way: Vector, ray: Vector) -> int:
    """The distance of the end of a vector from a ray."""
    if _dot(way, ray) <= 0:
        return between((0, 0), way)
    return root(_cross(ray, way) ** 2, _dot(ray, ray))


def _ray_meets(ray: Vector, a: Vector, b: Vector) -> bool:
    """Whether a ray meets the edge from a to b; along its own line it does where an end of the edge lies on it."""
    before, after = _cross(ray, a), _cross(ray, b)
    if (before > 0) == (after > 0) and before != 0 and after != 0:
        return False
    if before == after == 0:
        return _dot(ray, a) >= 0 or _dot(ray, b) >= 0
    ahead = _dot(ray, a) * after - _dot(ray, b) * before
    return ahead >= 0 if after > before else ahead <= 0


def targets(eye: Point, seen: Outline, middle: Point) -> Iterator[Point]:
    """Where lines of sight end: the middle, then both outermost points of a round base or the corners of an area."""
    yield middle
    if not is_disc(seen):
        yield from cast("Area", seen)
        return
    x, y, radius = cast("Disc", seen)
    right, up = _way(eye, middle)
    length = right * right + up * up
    if radius and length:
        across, along = (root((part * radius) ** 2, length) * (1 if part >= 0 else -1) for part in (up, -right))
        yield x + across, y + along
        yield x - across, y - along


def clear(eye: Point, seen: Outline, middle: Point, walls: Iterable[Area]) -> bool:
    """Whether a line of sight runs through no polygon but those that hold one of its two middles."""
    blocking = [each for each in walls if not holds(each, eye) and not holds(each, middle)]
    return any(not any(overlap((eye, end), wall) for wall in blocking) for end in targets(eye, seen, middle))
