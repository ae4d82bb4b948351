"""Whether outlines go into each other, and whether one lies within another."""

from typing import Any, cast

from rulewright.machine.plane.apart import between, from_edge, holds, strictly_inside
from rulewright.machine.plane.outlines import Area, Disc, Outline, box, edges, is_disc
from rulewright.machine.plane.rounding import root


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


def _geometry(area: Area) -> Any:  # noqa: ANN401 - shapely has no types of its own
    """An area for shapely, which is loaded where two areas are compared and not before."""
    import shapely  # noqa: PLC0415

    if len(set(area)) == 1:
        return shapely.Point(area[0])
    return shapely.LineString(area) if len(area) == 2 else shapely.Polygon(area)  # noqa: PLR2004 - two ends
