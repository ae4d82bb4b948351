"""Insides of areas on the plane: every edge is cut where it meets the other area, and each piece looked at."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from support.reference.plane_geometry import (
    Body,
    Point,
    contains_point,
    direction_vector,
    list_edges,
    round_root,
    squared_distance,
    squared_distance_to_edge,
)

Edge = tuple[Point, Point]


def list_piece_middles(corners: tuple[Point, ...], other: tuple[Point, ...]) -> Iterator[Point]:
    """The middles of the pieces that the edges of an area fall into where they meet another."""
    for a, b in list_edges(corners):
        marks = sorted(
            {Fraction(0), Fraction(1), *(mark for edge in list_edges(other) for mark in _list_cuts((a, b), edge))}
        )
        for before, after in itertools.pairwise(marks):
            share = (before + after) / 2
            yield a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _list_cuts(edge: Edge, other: Edge) -> Iterator[Fraction]:
    """Where along an edge the line of the other is crossed, or an end of it lies."""
    (ax, ay), (bx, by) = edge
    dx, dy = bx - ax, by - ay
    whole = dx * dx + dy * dy
    if whole == 0:
        return
    (cx, cy), (ex, ey) = other
    slope = dx * (ey - cy) - dy * (ex - cx)
    found = [Fraction((cx - ax) * (ey - cy) - (cy - ay) * (ex - cx), slope)] if slope else []
    found += [Fraction((x - ax) * dx + (y - ay) * dy, whole) for x, y in other]
    yield from (each for each in found if 0 < each < 1)


def is_on_edge(point: Point, corners: tuple[Point, ...]) -> bool:
    """Whether a point lies on an edge of an area."""
    return any(squared_distance_to_edge(point, edge) == 0 for edge in list_edges(corners))


def is_inside(point: Point, corners: tuple[Point, ...]) -> bool:
    """Whether a point lies in an area and on no edge of it; in a line, on it and at no end."""
    if len(corners) == 2:
        return is_on_edge(point, corners) and point not in corners
    return contains_point(point, corners) and not is_on_edge(point, corners)


def do_areas_overlap(a: Body, b: Body) -> bool:
    """Whether the insides of two bodies have a point in common."""
    if a.radius is not None and b.radius is not None:
        return round_root(squared_distance(a.middle, b.middle)) < a.radius + b.radius
    if b.radius is not None:
        a, b = b, a
    if a.radius is not None:
        near = min(round_root(squared_distance_to_edge(a.middle, edge)) for edge in list_edges(b.corners)) < a.radius
        return near or (len(b.corners) > 2 and is_inside(a.middle, b.corners))
    if len(a.corners) == 2 and len(b.corners) == 2:
        return _do_lines_overlap(a.corners, b.corners)
    if any(is_inside(each, b.corners) for each in list_piece_middles(a.corners, b.corners) if len(b.corners) > 2):
        return True
    if any(is_inside(each, a.corners) for each in list_piece_middles(b.corners, a.corners) if len(a.corners) > 2):
        return True
    return len(a.corners) > 2 and len(b.corners) > 2 and _are_same_area(a.corners, b.corners)


def _do_lines_overlap(a: tuple[Point, ...], b: tuple[Point, ...]) -> bool:
    if any(is_inside(each, b) for each in list_piece_middles(a, b)):
        return True
    (ax, ay), (bx, by) = a
    (cx, cy), (dx, dy) = b
    slope = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if slope == 0:
        return False
    along = Fraction((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx), slope)
    across = Fraction((cx - ax) * (by - ay) - (cy - ay) * (bx - ax), slope)
    return 0 < along < 1 and 0 < across < 1


def _are_same_area(a: tuple[Point, ...], b: tuple[Point, ...]) -> bool:
    return all(is_on_edge(each, b) for each in list_piece_middles(a, b)) and all(
        is_on_edge(each, a) for each in list_piece_middles(b, a)
    )


def lies_within(a: Body, b: Body) -> bool:
    """Whether a body lies wholly in another, edges included."""
    if a.radius is not None and b.radius is not None:
        return round_root(squared_distance(a.middle, b.middle)) <= b.radius - a.radius
    if b.radius is not None:
        return max(round_root(squared_distance(each, b.middle)) for each in a.corners) <= b.radius
    if a.radius is not None:
        room = min(round_root(squared_distance_to_edge(a.middle, edge)) for edge in list_edges(b.corners))
        return contains_point(a.middle, b.corners) and room >= a.radius
    if not all(contains_point(each, b.corners) for each in (*a.corners, *list_piece_middles(a.corners, b.corners))):
        return False
    return len(a.corners) == 2 or not any(
        is_inside(each, a.corners) for each in list_piece_middles(b.corners, a.corners)
    )


# Arcs.


def is_in_arc(a: Body, b: Body, degrees: Any) -> bool:
    """Whether any part of a body lies in the arc around a facing."""
    if degrees >= 360:
        return True
    half = Fraction(degrees) / 2
    rays = [direction_vector(a.facing - half), direction_vector(a.facing + half)]

    def seen(point: Point) -> bool:
        return _is_between_rays((point[0] - a.middle[0], point[1] - a.middle[1]), rays[0], rays[1], degrees)

    if b.radius is not None:
        return seen(b.middle) or any(_find_ray_distance(a.middle, ray, b.middle) <= b.radius for ray in rays)
    if contains_point(a.middle, b.corners) or any(seen(each) for each in b.corners):
        return True
    return any(_does_ray_meet_edge(a.middle, ray, edge) for ray in rays for edge in list_edges(b.corners))


def _is_between_rays(way: Point, first: Point, last: Point, degrees: Any) -> bool:
    if degrees == 180:
        return way[0] * first[1] - way[1] * first[0] >= 0
    if degrees > 180:
        shares = _split_vector(way, last, first)
        return shares is None or not (shares[0] > 0 and shares[1] > 0)
    shares = _split_vector(way, first, last)
    if shares is None:
        return way[0] * first[1] == way[1] * first[0] and way[0] * first[0] + way[1] * first[1] >= 0
    return shares[0] >= 0 and shares[1] >= 0


def _split_vector(way: Point, first: Point, last: Point) -> tuple[Fraction, Fraction] | None:
    """How much of each of two vectors makes up a third."""
    whole = first[0] * last[1] - first[1] * last[0]
    if whole == 0:
        return None
    return (
        Fraction(way[0] * last[1] - way[1] * last[0], whole),
        Fraction(first[0] * way[1] - first[1] * way[0], whole),
    )


def _find_ray_distance(eye: Point, ray: Point, point: Point) -> int:
    whole = ray[0] ** 2 + ray[1] ** 2
    way = (point[0] - eye[0], point[1] - eye[1])
    share = max(Fraction(0), Fraction(way[0] * ray[0] + way[1] * ray[1], whole))
    return round_root(squared_distance(way, (share * ray[0], share * ray[1])))


def _does_ray_meet_edge(eye: Point, ray: Point, edge: Edge) -> bool:
    """Whether a ray crosses an edge; one along it has an end of the edge on it, or none of it."""
    (ax, ay), (bx, by) = edge
    dx, dy = bx - ax, by - ay
    whole = dx * ray[1] - dy * ray[0]
    if whole == 0:
        return False
    along = Fraction((eye[0] - ax) * ray[1] - (eye[1] - ay) * ray[0], whole)
    out = Fraction((eye[0] - ax) * dy - (eye[1] - ay) * dx, whole)
    return 0 <= along <= 1 and out >= 0


# Sight.


def list_sight_ends(eye: Point, b: Body) -> Iterator[Point]:
    """Where lines of sight end."""
    yield b.middle
    if b.radius is None:
        yield from b.corners
        return
    whole = squared_distance(eye, b.middle)
    if whole and b.radius:
        up, right = b.middle[1] - eye[1], b.middle[0] - eye[0]
        dx, dy = (
            round_root(Fraction((part * b.radius) ** 2) / whole) * (1 if part >= 0 else -1) for part in (up, -right)
        )
        yield b.middle[0] + dx, b.middle[1] + dy
        yield b.middle[0] - dx, b.middle[1] - dy


def has_line_of_sight(a: Body, b: Body, walls: list[tuple[Point, ...]]) -> bool:
    """Whether a line of sight is free."""
    blocking = [each for each in walls if not contains_point(a.middle, each) and not contains_point(b.middle, each)]
    return any(not any(_blocks_sight(a.middle, end, wall) for wall in blocking) for end in list_sight_ends(a.middle, b))


def _blocks_sight(eye: Point, end: Point, wall: tuple[Point, ...]) -> bool:
    line = Body(None, eye, 0, None, (eye, end))
    return eye != end and do_areas_overlap(line, Body(None, wall[0], 0, None, wall))
