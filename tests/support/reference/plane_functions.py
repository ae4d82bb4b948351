"""Functions of the language on the plane."""

from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.types import PlaneType, ThingType
from support.reference import insides
from support.reference.plane import Body, bearing, body, gap, inches, length, rounded, squared, standing_kinds
from support.reference.world import Faulty, World

_NEEDING_BOTH = frozenset({"gap", "distance", "bearing", "segment"})


def builtin(world: World, node: ex.Builtin, given: tuple[Any, ...]) -> Any:
    """The value of a function of the plane."""
    if node.name == "point":
        return tuple(int(rounded(each, PlaneType("inches")) * 1000) for each in given)
    if node.name == "fits":
        return fits(world, given[0])
    if node.name == "edge":
        return edge(body(world, given[0], node.arguments[0].type), given[1])
    bodies = [body(world, value, each.type) for value, each in zip(given[:2], node.arguments, strict=False)]
    if None in bodies:
        if node.name in _NEEDING_BOTH:
            raise Faulty("RW0822")
        return False
    a, b = bodies
    assert a is not None
    assert b is not None
    if node.name in _NEEDING_BOTH:
        return _measured(node.name, a, b)
    return not _same(a, b) and _judged(world, node.name, a, b, given[2:])


def edge(base: Body | None, way: Any) -> Any:
    """The edge of a base whose direction from the facing is nearest, of two the next clockwise."""
    if base is None:
        raise Faulty("RW0822")
    if not base.corners:
        raise Faulty("RW0806")
    off = [min((way - each) % 360, (each - way) % 360) for each in (0, 90, 180, 270)]
    nearest = [each for each in range(4) if off[each] == min(off)]
    chosen = 0 if nearest == [0, 3] else nearest[-1]
    return (base.corners[chosen], base.corners[(chosen + 1) % 4])


def _measured(name: str, a: Body, b: Body) -> Any:
    match name:
        case "gap":
            return inches(gap(a, b))
        case "distance":
            return inches(length(squared(a.middle, b.middle)))
        case "bearing":
            return bearing(a, b)
        case _:
            return (a.middle, b.middle)


def _judged(world: World, name: str, a: Body, b: Body, more: tuple[Any, ...]) -> bool:
    match name:
        case "contact" | "touches":
            return gap(a, b) <= world.start.base.plane.contact
        case "overlaps" | "crosses":
            return insides.overlap(a, b)
        case "aboard":
            return insides.lies_in(a, b)
        case "in_arc":
            return insides.in_arc(a, b, more[0])
        case _:
            return insides.sees(a, b, list(more[0]) if more else walls(world))


def _same(a: Body, b: Body) -> bool:
    return a.thing is not None and a.thing == b.thing


def walls(world: World) -> list[Any]:
    """The polygons of all things in play."""
    return [
        world.game.attributes[f"{kind.name}/{each.name}"][number]
        for kind in world.program.kinds.values()
        for each in kind.fields
        if each.type == PlaneType("polygon")
        for number in world.ids(kind.name)
        if number not in world.game.gone[kind.name]
    ]


def fits(world: World, pose: Any) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    put = body(world, pose, PlaneType("pose"))
    if put is None:
        return False
    plane = world.start.base.plane
    across = [each[0] for each in put.corners] or [put.middle[0] - put.radius, put.middle[0] + put.radius]
    along = [each[1] for each in put.corners] or [put.middle[1] - put.radius, put.middle[1] + put.radius]
    for most, found in ((plane.width, across), (plane.depth, along)):
        if most is not None and not (min(found) >= 0 and max(found) <= most):
            return False
    others = [body(world, number, ThingType(kind)) for kind in standing_kinds(world) for number in world.ids(kind)]
    return not any(insides.overlap(put, each) for each in others if each is not None and not _same(put, each))


NAMES = frozenset(
    {"point", "fits", "contact", "touches", "overlaps", "crosses", "edge", "aboard", "in_arc", "sees", *_NEEDING_BOTH}
)
