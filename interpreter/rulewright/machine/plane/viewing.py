"""Arcs and lines of sight."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from rulewright.machine.plane.apart import between, holds
from rulewright.machine.plane.meeting import overlap
from rulewright.machine.plane.outlines import Area, Disc, Outline, Point, edges, is_disc
from rulewright.machine.plane.rounding import TURN, Number, Vector, heading, root

_HALF_TURN = 180


def _cross(a: Vector, b: Vector) -> int:
    """Positive where b lies clockwise of a, within half a turn."""
    return b[0] * a[1] - b[1] * a[0]


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1]


@dataclass(frozen=True, slots=True)
class Arc:
    """What lies between two directions, clockwise from the first to the second, both included; narrower than a turn.

    Attributes:
        first: one direction.
        last: the other one.
        middle: the direction between them.
        wide: whether it is wider than half a turn.
        straight: whether it is half a turn or more.
    """

    first: Vector
    last: Vector
    middle: Vector
    wide: bool
    straight: bool

    def has(self, way: Vector) -> bool:
        """Whether a vector from the corner of the arc ends in it."""
        if self.wide:
            return not (_cross(self.last, way) > 0 and _cross(way, self.first) > 0)
        between_both = _cross(self.first, way) >= 0 and _cross(way, self.last) >= 0
        return between_both and (self.straight or _dot(self.middle, way) >= 0)


def _arc(facing: Number, degrees: Number) -> Arc:
    half = Fraction(degrees) / 2
    first, last = heading(Fraction(facing) - half), heading(Fraction(facing) + half)
    return Arc(first, last, heading(facing), degrees > _HALF_TURN, degrees >= _HALF_TURN)


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
