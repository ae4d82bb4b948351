"""Functions of the language on the plane."""

from collections.abc import Sequence
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.types import PlaneType, ThingType, Type
from support.reference import area_overlap
from support.reference.plane_geometry import (
    Body,
    list_standing_kinds,
    make_body,
    make_inches,
    measure_bearing,
    measure_gap,
    round_root,
    round_to_type,
    squared_distance,
)
from support.reference.world import JudgedFault, World

_NEEDING_BOTH = frozenset({"gap", "distance", "bearing", "segment"})


def call_plane_function(world: World, node: ex.Builtin, given: tuple[Any, ...]) -> Any:
    """The value of a function of the plane."""
    return compute_plane_function(world, node.name, [each.type for each in node.arguments], given)


def compute_plane_function(world: World, name: str, types: Sequence[Type], given: tuple[Any, ...]) -> Any:
    """What a function of the plane gives for arguments of these types."""
    if name == "point":
        return tuple(int(round_to_type(each, PlaneType("inches")) * 1000) for each in given)
    if name == "fits":
        return pose_fits(world, given[0])
    if name == "edge":
        return find_base_edge(make_body(world, given[0], types[0]), given[1])
    bodies = [make_body(world, value, type_) for value, type_ in zip(given[:2], types, strict=False)]
    if None in bodies:
        if name in _NEEDING_BOTH:
            raise JudgedFault("RW0822")
        return False
    a, b = bodies
    assert a is not None
    assert b is not None
    if name in _NEEDING_BOTH:
        return _measure(name, a, b)
    return not _are_same_thing(a, b) and _judge_pair(world, name, a, b, given[2:])


def find_base_edge(base: Body | None, way: Any) -> Any:
    """The edge of a base whose direction from the facing is nearest, of two the next clockwise."""
    if base is None:
        raise JudgedFault("RW0822")
    if not base.corners:
        raise JudgedFault("RW0806")
    off = [min((way - each) % 360, (each - way) % 360) for each in (0, 90, 180, 270)]
    nearest = [each for each in range(4) if off[each] == min(off)]
    chosen = 0 if nearest == [0, 3] else nearest[-1]
    return (base.corners[chosen], base.corners[(chosen + 1) % 4])


def _measure(name: str, a: Body, b: Body) -> Any:
    match name:
        case "gap":
            return make_inches(measure_gap(a, b))
        case "distance":
            return make_inches(round_root(squared_distance(a.middle, b.middle)))
        case "bearing":
            return measure_bearing(a, b)
        case _:
            return (a.middle, b.middle)


def _judge_pair(world: World, name: str, a: Body, b: Body, more: tuple[Any, ...]) -> bool:
    match name:
        case "contact" | "touches":
            return measure_gap(a, b) <= world.start.base.plane.contact
        case "overlaps" | "crosses":
            return area_overlap.do_areas_overlap(a, b)
        case "aboard":
            return area_overlap.lies_within(a, b)
        case "in_arc":
            return area_overlap.is_in_arc(a, b, more[0])
        case _:
            return area_overlap.has_line_of_sight(a, b, list(more[0]) if more else list_walls(world))


def _are_same_thing(a: Body, b: Body) -> bool:
    return a.thing is not None and a.thing == b.thing


def list_walls(world: World) -> list[Any]:
    """The polygons of all things in play."""
    return [
        world.game.attributes[f"{kind.name}/{each.name}"][number]
        for kind in world.program.kinds.values()
        for each in kind.fields
        if each.type == PlaneType("polygon")
        for number in world.list_ids(kind.name)
        if number not in world.game.gone[kind.name]
    ]


def pose_fits(world: World, pose: Any) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    put = make_body(world, pose, PlaneType("pose"))
    if put is None:
        return False
    plane = world.start.base.plane
    across = [each[0] for each in put.corners] or [put.middle[0] - put.radius, put.middle[0] + put.radius]
    along = [each[1] for each in put.corners] or [put.middle[1] - put.radius, put.middle[1] + put.radius]
    for most, found in ((plane.width, across), (plane.depth, along)):
        if most is not None and not (min(found) >= 0 and max(found) <= most):
            return False
    others = [
        make_body(world, number, ThingType(kind))
        for kind in list_standing_kinds(world)
        for number in world.list_ids(kind)
    ]
    return not any(
        area_overlap.do_areas_overlap(put, each)
        for each in others
        if each is not None and not _are_same_thing(put, each)
    )


PLANE_FUNCTION_NAMES = frozenset(
    {"point", "fits", "contact", "touches", "overlaps", "crosses", "edge", "aboard", "in_arc", "sees", *_NEEDING_BOTH}
)
