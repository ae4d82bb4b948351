"""Where the middle of a base lies when it stands just so far from something, and where two such lines cross.

A place of the plane is a complex number here, in thousandths of an inch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from support.reference.plane_geometry import Body, list_edges

_SLACK = 1.0


@dataclass(frozen=True)
class Ring:
    """All places at a distance from one."""

    middle: complex
    radius: float


@dataclass(frozen=True)
class Stretch:
    """All places from one to another."""

    start: complex
    end: complex


Locus = Ring | Stretch


def find_locus(moving: Body, fixed: Body, gap: int) -> Iterator[Locus]:
    """Where the middle of `moving` lies when it stands a gap off `fixed`; `moving` is put down at (0, 0).

    For each edge of `fixed`, the corners of both give the places where the two coincide in a point; the hull of these,
    widened by the radii and the gap, is where the middle must not lie, and its rim is what is wanted.
    """
    wide = (moving.radius or 0) + (fixed.radius or 0) + gap
    for part in _list_body_parts(fixed):
        hull = _convex_hull({complex(*there) - complex(*here) for there in part for here in _list_body_corners(moving)})
        for corner in hull:
            yield Ring(corner, wide)
        for start, end in pairwise([*hull, hull[0]] if len(hull) > 1 else []):
            out = wide * (end - start) / abs(end - start) * -1j
            yield Stretch(start + out, end + out)


def _list_body_corners(body: Body) -> tuple[Any, ...]:
    return body.corners or (body.middle,)


def _list_body_parts(fixed: Body) -> list[tuple[Any, ...]]:
    return [(fixed.middle,)] if fixed.radius is not None else [tuple(each) for each in list_edges(fixed.corners)]


def _convex_hull(places: set[complex]) -> list[complex]:
    """The corners of the smallest area around places without dents, anticlockwise."""
    ordered = sorted(places, key=lambda each: (each.real, each.imag))
    if len(ordered) < 3:
        return ordered
    halves = []
    for way in (ordered, ordered[::-1]):
        half: list[complex] = []
        for each in way:
            while len(half) > 1 and _cross_product(half[-1] - half[-2], each - half[-1]) <= 0:
                half.pop()
            half.append(each)
        halves += half[:-1]
    return halves


def _cross_product(a: complex, b: complex) -> float:
    """Above 0 where `b` goes to the left of `a`, below where it goes to the right."""
    return (a.conjugate() * b).imag


def list_crossings(a: Locus, b: Locus) -> list[complex]:
    """The places that two lines share, at most two; those nearest to each other where they just miss."""
    match a, b:
        case Ring(), Ring():
            return _cross_rings(a, b)
        case Stretch(), Stretch():
            return _cross_stretches(a, b)
        case Ring(), Stretch():
            return _cross_ring_and_stretch(a, b)
        case Stretch(), Ring():
            return _cross_ring_and_stretch(b, a)
        case _:
            raise AssertionError(a, b)


def _cross_rings(a: Ring, b: Ring) -> list[complex]:
    apart = abs(b.middle - a.middle)
    if apart == 0 or not abs(a.radius - b.radius) - _SLACK <= apart <= a.radius + b.radius + _SLACK:
        return []
    way = (b.middle - a.middle) / apart
    along = (apart + (a.radius**2 - b.radius**2) / apart) / 2
    return _mirror_point(a.middle + way * along, way, a.radius**2 - along**2)


def _cross_ring_and_stretch(ring: Ring, stretch: Stretch) -> list[complex]:
    whole = stretch.end - stretch.start
    way = whole / abs(whole)
    there = (ring.middle - stretch.start) / way
    if abs(there.imag) > ring.radius + _SLACK:
        return []
    found = _mirror_point(stretch.start + way * there.real, way * 1j, ring.radius**2 - there.imag**2)
    return [each for each in found if -_SLACK <= ((each - stretch.start) / way).real <= abs(whole) + _SLACK]


def _mirror_point(foot: complex, way: complex, squared: float) -> list[complex]:
    aside = way * 1j * max(0.0, squared) ** 0.5
    return [foot + aside, foot - aside] if aside else [foot]


def _cross_stretches(a: Stretch, b: Stretch) -> list[complex]:
    first, second, between = a.end - a.start, b.end - b.start, b.start - a.start
    slope = _cross_product(first, second)
    if slope == 0:
        return []
    along, across = _cross_product(between, second) / slope, _cross_product(between, first) / slope
    for share, whole in ((along, first), (across, second)):
        if not -_SLACK <= share * abs(whole) <= abs(whole) + _SLACK:
            return []
    return [a.start + along * first]
