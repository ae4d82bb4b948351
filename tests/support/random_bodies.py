"""Bodies on the plane drawn at random, as the machine and as the judge know them."""

from fractions import Fraction
from random import Random
from typing import Any

from rulewright.runtime.geometry import Outline, place_shape
from support.reference.plane_geometry import Body, place_base as judged, round_half_up

Pair = tuple[Outline, Body]


def draw_point(draw: Random, reach: int) -> tuple[int, int]:
    """A point, often one with round coordinates."""
    step = draw.choice((1, 1, 250, 1000))
    return (draw.randint(-reach, reach) // step * step, draw.randint(-reach, reach) // step * step)


def draw_facing(draw: Random) -> Any:
    """An angle, often a quarter turn."""
    found = draw.choice((0, 90, 180, 270, Fraction(draw.randrange(36000), 100)))
    return int(found) if found == int(found) else found


def draw_base(draw: Random, at: tuple[int, int], number: int = 0) -> Pair:
    """A round or rectangular base at a point."""
    shape: tuple[Any, ...] = ("round", draw.choice((0, 500, draw.randint(1, 2000))))
    if draw.random() < 0.5:
        shape = ("rectangle", draw.randint(1, 3000), draw.choice((1000, draw.randint(1, 4000))))
    turned = draw_facing(draw)
    return place_shape(shape, at, turned), judged(("Mini", number), shape, at, turned)


def draw_polygon(draw: Random, reach: int) -> Pair:
    """A star-shaped polygon around a point, hollow more often than not; now and then a line."""
    if draw.random() < 0.2:
        ends = (draw_point(draw, reach), draw_point(draw, reach))
        corners = ends if ends[0] != ends[1] else (*ends[:1], (ends[0][0] + 1000, ends[0][1]))
        return corners, Body(None, corners[0], 0, None, corners)
    cx, cy = draw_point(draw, reach)
    ways = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    kept = sorted(draw.sample(range(8), draw.randint(3, 8)))
    while max((after - before) % 8 for before, after in zip(kept, [*kept[1:], kept[0]], strict=True)) >= 4:
        kept = sorted(draw.sample(range(8), draw.randint(3, 8)))
    corners = tuple(
        (cx + ways[each][0] * size, cy + ways[each][1] * size)
        for each in kept
        for size in [draw.choice((500, 1000, draw.randint(1, 3000)))]
    )
    return corners, Body(None, corners[0], 0, None, corners)


def draw_body(draw: Random, reach: int = 4000) -> Pair:
    """A base or a polygon."""
    return draw_base(draw, draw_point(draw, reach)) if draw.random() < 0.6 else draw_polygon(draw, reach)


def draw_base_beside(draw: Random, first: Body) -> Pair:
    """A round base whose edge is about where that of a round one is."""
    assert first.radius is not None
    radius = draw.randint(1, 2000)
    turn = draw.choice(((Fraction(3, 5), Fraction(4, 5)), (1, 0), (Fraction(5, 13), Fraction(12, 13))))
    away = first.radius + radius + draw.randint(-12, 12)
    at = (first.middle[0] + round_half_up(turn[0] * away), first.middle[1] + round_half_up(turn[1] * away))
    return place_shape(("round", radius), at, 0), judged(("Mini", 1), ("round", radius), at, 0)
