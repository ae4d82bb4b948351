"""How far apart outlines are, and whether they meet."""

from functools import lru_cache
from typing import cast

from rulewright.machine.plane.outlines import Area, Disc, Outline, Point, box, edges, is_disc
from rulewright.machine.plane.rounding import root

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
