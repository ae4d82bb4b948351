"""Curves on which the middle of a base lies when it is just so far from something, and where they cross.

All numbers are thousandths of an inch; curves have parts of them, points that are tried are whole.
"""

from collections.abc import Iterator
from math import sqrt
from typing import cast

from rulewright.frozen import dataclass
from rulewright.machine.plane.outlines import Area, Disc, Outline, edges, is_disc

Spot = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Circle:
    """All points at a distance from a middle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Segment:
    """All points from one end to the other."""

    ax: float
    ay: float
    bx: float
    by: float


Curve = Circle | Segment


def around(moving: Outline, fixed: Outline, gap: float) -> Iterator[Curve]:
    """Where the middle of an outline lies when it is a gap away from another, and a little more than that.

    `moving` is the outline as put at (0, 0). Arcs are whole circles, and a segment stands on both sides of an edge.
    """
    corners, rim = _corners(moving)
    others, other_rim = _corners(fixed)
    reach = rim + other_rim + gap
    for px, py in corners:
        for vx, vy in others:
            yield Circle(vx - px, vy - py, reach)
        for (ax, ay), (bx, by) in _edges(fixed):
            yield from _beside(Segment(ax - px, ay - py, bx - px, by - py), reach)
    for (ax, ay), (bx, by) in _edges(moving):
        for vx, vy in others:
            yield from _beside(Segment(vx - ax, vy - ay, vx - bx, vy - by), reach)


def _corners(outline: Outline) -> tuple[tuple[Spot, ...], float]:
    """The corners of an outline, and how far it reaches around them."""
    if is_disc(outline):
        x, y, radius = cast("Disc", outline)
        return ((x, y),), radius
    return cast("Area", outline), 0


def _edges(outline: Outline) -> tuple[tuple[Spot, Spot], ...]:
    return () if is_disc(outline) else edges(cast("Area", outline))


def _beside(segment: Segment, reach: float) -> Iterator[Segment]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    if length == 0:
        return
    if reach == 0:
        yield segment
        return
    ox, oy = -dy / length * reach, dx / length * reach
    for sign in (1, -1):
        yield Segment(segment.ax + sign * ox, segment.ay + sign * oy, segment.bx + sign * ox, segment.by + sign * oy)


def crossings(first: Curve, second: Curve) -> tuple[Spot, ...]:
    """The points, at most two, that two curves share; none where they coincide."""
    match first, second:
        case Circle(), Circle():
            return _of_circles(first, second)
        case Circle(), Segment():
            return _of_both(first, second)
        case Segment(), Circle():
            return _of_both(second, first)
        case Segment(), Segment():
            return _of_segments(first, second)
        case _:
            raise AssertionError(first, second)


_NEAR = 1.0


def _of_circles(a: Circle, b: Circle) -> tuple[Spot, ...]:
    dx, dy = b.x - a.x, b.y - a.y
    apart = sqrt(dx * dx + dy * dy)
    if apart == 0 or apart > a.radius + b.radius + _NEAR or apart < abs(a.radius - b.radius) - _NEAR:
        return ()
    along = (apart * apart + a.radius * a.radius - b.radius * b.radius) / (2 * apart)
    off = sqrt(max(0.0, a.radius * a.radius - along * along))
    x, y = a.x + along * dx / apart, a.y + along * dy / apart
    if off == 0:
        return ((x, y),)
    ox, oy = -dy / apart * off, dx / apart * off
    return (x + ox, y + oy), (x - ox, y - oy)


def _of_both(circle: Circle, segment: Segment) -> tuple[Spot, ...]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    ux, uy = dx / length, dy / length
    px, py = circle.x - segment.ax, circle.y - segment.ay
    along, off = px * ux + py * uy, px * uy - py * ux
    if abs(off) > circle.radius + _NEAR:
        return ()
    half = sqrt(max(0.0, circle.radius * circle.radius - off * off))
    ways = (along,) if half == 0 else (along - half, along + half)
    return tuple((segment.ax + way * ux, segment.ay + way * uy) for way in ways if -_NEAR <= way <= length + _NEAR)


def _of_segments(a: Segment, b: Segment) -> tuple[Spot, ...]:
    rx, ry, sx, sy = a.bx - a.ax, a.by - a.ay, b.bx - b.ax, b.by - b.ay
    cross = rx * sy - ry * sx
    if cross == 0:
        return ()
    qx, qy = b.ax - a.ax, b.ay - a.ay
    t, u = (qx * sy - qy * sx) / cross, (qx * ry - qy * rx) / cross
    slack_t, slack_u = _NEAR / sqrt(rx * rx + ry * ry), _NEAR / sqrt(sx * sx + sy * sy)
    if -slack_t <= t <= 1 + slack_t and -slack_u <= u <= 1 + slack_u:
        return ((a.ax + t * rx, a.ay + t * ry),)
    return ()


def nearest(curve: Curve, spot: Spot) -> Spot:
    """The point of a curve nearest to a spot."""
    match curve:
        case Circle(x, y, radius):
            dx, dy = spot[0] - x, spot[1] - y
            apart = sqrt(dx * dx + dy * dy)
            return (x + radius, y) if apart == 0 else (x + dx / apart * radius, y + dy / apart * radius)
        case Segment(ax, ay, bx, by):
            dx, dy = bx - ax, by - ay
            share = ((spot[0] - ax) * dx + (spot[1] - ay) * dy) / (dx * dx + dy * dy)
            share = min(1.0, max(0.0, share))
            return ax + share * dx, ay + share * dy


def box(curve: Curve) -> Box:
    """The least and greatest x, then y, of a curve."""
    match curve:
        case Circle(x, y, radius):
            return x - radius, x + radius, y - radius, y + radius
        case Segment(ax, ay, bx, by):
            return min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
