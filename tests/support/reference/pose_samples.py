"""Places for a thing on the plane: many samples, each judged.

Where it is; around every other thing; where it stands just so far off two things, edges or middles at once, at the
gaps that contact knows and the lengths that conditions compare with; and over grids.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import ceil, cos, floor, pi, sin
from typing import Any

from rulewright.program.types import ThingType
from support.reference import compared_lengths, plane_geometry
from support.reference.loci import Locus, Ring, Stretch, find_locus, list_crossings
from support.reference.plane_functions import list_walls
from support.reference.plane_geometry import Body, Point
from support.reference.world import World

_SAMPLED_FACINGS = 72
_GRID_STEP = 700
_ROUND_POINTS = 3


def get_facing(world: World, thing: int) -> Any:
    """The facing a thing keeps."""
    kind = plane_geometry.list_standing_kinds(world)[0]
    facings = world.game.attributes.get(f"{kind}/facing")
    return (facings[thing] if facings else 0) or 0


def list_pose_samples(world: World, thing: int) -> Iterator[tuple[int, Any, Any]]:
    """Poses of a thing, each once."""
    facing = get_facing(world, thing)
    for point in dict.fromkeys(_list_sample_points(world, thing, facing)):
        yield thing, point, facing


def _list_sample_points(world: World, thing: int, facing: Any) -> Iterator[Point]:
    kind = plane_geometry.list_standing_kinds(world)[0]
    base = world.game.attributes[f"{kind}/base"][thing]
    if base is None or thing in world.game.gone[kind]:
        return
    at = world.game.attributes[f"{kind}/at"][thing]
    if at is not None:
        yield at
    moving = plane_geometry.place_base(None, base, (0, 0), facing)
    others = [each for each in _list_other_bodies(world, thing) if each is not None]
    yield from _list_points_around(others, moving, world.start.base.plane.contact)
    yield from _list_grid_points([each.middle for each in others] + [at or (0, 0)])
    yield from _list_crossing_points(list(dict.fromkeys(_list_loci(world, moving, at, others))))


def _list_other_bodies(world: World, thing: int) -> Iterator[Body | None]:
    for kind in plane_geometry.list_standing_kinds(world):
        for each in world.list_ids(kind):
            if (kind, each) != (plane_geometry.list_standing_kinds(world)[0], thing):
                yield plane_geometry.make_body(world, each, ThingType(kind))


def _list_points_around(others: list[Body], moving: Body, contact: int) -> Iterator[Point]:
    for each in others:
        for turn in range(_SAMPLED_FACINGS):
            angle, far = (
                2 * pi * turn / _SAMPLED_FACINGS,
                _measure_half_width(each) + _measure_half_width(moving) + contact // 2,
            )
            yield round(each.middle[0] + far * sin(angle)), round(each.middle[1] + far * cos(angle))


def _measure_half_width(body: Body) -> int:
    """Half of what a base measures at its widest side."""
    if body.radius is not None:
        return body.radius
    return (
        plane_geometry.round_root(
            max(plane_geometry.squared_distance(*each) for each in plane_geometry.list_edges(body.corners))
        )
        // 2
    )


def _list_grid_points(middles: list[Point]) -> Iterator[Point]:
    for (x, y), column, row in product(
        middles, range(-_ROUND_POINTS, _ROUND_POINTS + 1), range(-_ROUND_POINTS, _ROUND_POINTS + 1)
    ):
        yield x + column * _GRID_STEP, y + row * _GRID_STEP


def _list_loci(world: World, moving: Body, at: Point | None, others: list[Body]) -> Iterator[Locus]:
    extent = world.start.base.plane
    known = compared_lengths.list_compared_lengths(world)
    fixed = [*others, *(Body(None, each[0], 0, None, each) for each in list_walls(world) if each is not None)]
    for each, gap in product(fixed, {0, extent.contact // 2, extent.contact, *_list_values_about(known["gap"])}):
        yield from find_locus(moving, each, gap)
    for middle, far in product(
        [each.middle for each in others] + ([at] if at else []), _list_values_about(known["distance"])
    ):
        yield Ring(complex(*middle), far)
    yield from _list_board_edge_loci(extent, moving)


def _list_values_about(values: set[int]) -> set[int]:
    return {each + more for each in values for more in (-1, 0, 1) if each + more >= 0}


def _list_board_edge_loci(extent: Any, moving: Body) -> Iterator[Locus]:
    """Where the base just lies on the board."""
    far = 10**6
    reaches = [_measure_reach(moving, axis) for axis in (0, 1)]
    for axis, (most, (low, high)) in enumerate(zip((extent.width, extent.depth), reaches, strict=True)):
        for where in () if most is None else (-low, most - high):
            ends = ((where, -far), (where, far)) if axis == 0 else ((-far, where), (far, where))
            yield Stretch(*(complex(*each) for each in ends))


def _measure_reach(moving: Body, axis: int) -> tuple[Fraction | int, Fraction | int]:
    if moving.radius is not None:
        return -moving.radius, moving.radius
    found = [each[axis] for each in moving.corners]
    return min(found), max(found)


def _list_crossing_points(loci: list[Locus]) -> Iterator[Point]:
    """Every whole point about a crossing of two lines."""
    for first, second in combinations(loci, 2):
        for each in list_crossings(first, second):
            yield from product((floor(each.real), ceil(each.real)), (floor(each.imag), ceil(each.imag)))
