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
from support.reference import lengths, plane
from support.reference.loci import Locus, Ring, Stretch, crossings, off
from support.reference.plane import Body, Point
from support.reference.plane_functions import walls
from support.reference.world import World

_TURNS = 72
_STEP = 700
_ROUND = 3


def facing_of(world: World, thing: int) -> Any:
    """The facing a thing keeps."""
    kind = plane.standing_kinds(world)[0]
    facings = world.game.attributes.get(f"{kind}/facing")
    return (facings[thing] if facings else 0) or 0


def samples(world: World, thing: int) -> Iterator[tuple[int, Any, Any]]:
    """Poses of a thing, each once."""
    facing = facing_of(world, thing)
    for point in dict.fromkeys(_points(world, thing, facing)):
        yield thing, point, facing


def _points(world: World, thing: int, facing: Any) -> Iterator[Point]:
    kind = plane.standing_kinds(world)[0]
    base = world.game.attributes[f"{kind}/base"][thing]
    if base is None or thing in world.game.gone[kind]:
        return
    at = world.game.attributes[f"{kind}/at"][thing]
    if at is not None:
        yield at
    moving = plane.put_down(None, base, (0, 0), facing)
    others = [each for each in _others(world, thing) if each is not None]
    yield from _around(others, moving, world.start.base.plane.contact)
    yield from _grids([each.middle for each in others] + [at or (0, 0)])
    yield from _crossings(list(dict.fromkeys(_loci(world, moving, at, others))))


def _others(world: World, thing: int) -> Iterator[Body | None]:
    for kind in plane.standing_kinds(world):
        for each in world.ids(kind):
            if (kind, each) != (plane.standing_kinds(world)[0], thing):
                yield plane.body(world, each, ThingType(kind))


def _around(others: list[Body], moving: Body, contact: int) -> Iterator[Point]:
    for each in others:
        for turn in range(_TURNS):
            angle, far = 2 * pi * turn / _TURNS, _across(each) + _across(moving) + contact // 2
            yield round(each.middle[0] + far * sin(angle)), round(each.middle[1] + far * cos(angle))


def _across(body: Body) -> int:
    """Half of what a base measures at its widest side."""
    if body.radius is not None:
        return body.radius
    return plane.length(max(plane.squared(*each) for each in plane.sides(body.corners))) // 2


def _grids(middles: list[Point]) -> Iterator[Point]:
    for (x, y), column, row in product(middles, range(-_ROUND, _ROUND + 1), range(-_ROUND, _ROUND + 1)):
        yield x + column * _STEP, y + row * _STEP


def _loci(world: World, moving: Body, at: Point | None, others: list[Body]) -> Iterator[Locus]:
    extent = world.start.base.plane
    known = lengths.compared(world)
    fixed = [*others, *(Body(None, each[0], 0, None, each) for each in walls(world) if each is not None)]
    for each, gap in product(fixed, {0, extent.contact // 2, extent.contact, *_about(known["gap"])}):
        yield from off(moving, each, gap)
    for middle, far in product([each.middle for each in others] + ([at] if at else []), _about(known["distance"])):
        yield Ring(complex(*middle), far)
    yield from _edges(extent, moving)


def _about(values: set[int]) -> set[int]:
    return {each + more for each in values for more in (-1, 0, 1) if each + more >= 0}


def _edges(extent: Any, moving: Body) -> Iterator[Locus]:
    """Where the base just lies on the board."""
    far = 10**6
    reaches = [_reach(moving, axis) for axis in (0, 1)]
    for axis, (most, (low, high)) in enumerate(zip((extent.width, extent.depth), reaches, strict=True)):
        for where in () if most is None else (-low, most - high):
            ends = ((where, -far), (where, far)) if axis == 0 else ((-far, where), (far, where))
            yield Stretch(*(complex(*each) for each in ends))


def _reach(moving: Body, axis: int) -> tuple[Fraction | int, Fraction | int]:
    if moving.radius is not None:
        return -moving.radius, moving.radius
    found = [each[axis] for each in moving.corners]
    return min(found), max(found)


def _crossings(loci: list[Locus]) -> Iterator[Point]:
    """Every whole point about a crossing of two lines."""
    for first, second in combinations(loci, 2):
        for each in crossings(first, second):
            yield from product((floor(each.real), ceil(each.real)), (floor(each.imag), ceil(each.imag)))
