"""Bodies: what plane functions are asked about, with whose outline it is."""

from typing import Any

from rulewright.machine.plane.outlines import Area, Outline, Point, box, put
from rulewright.machine.plane.stands import Stand
from rulewright.machine.world import World

Body = tuple[str, int, Outline, Point, Any] | None
"""Kind, number, outline, middle and facing; -1 for what is no thing; none for a thing that is nowhere."""


def of_thing(world: World, how: Stand, thing: int) -> Body:
    """The body of a thing where it stands."""
    at = world[how.at][thing]
    if at is None or world[how.gone][thing]:
        return None
    return _standing(world, how, thing, at, world[how.facing][thing] if how.facing is not None else 0)


def of_pose(world: World, how: Stand, pose: tuple[Any, ...]) -> Body:
    """The body of a thing as a pose puts it; a thing out of play can be put nowhere."""
    thing, at, facing = pose
    return None if world[how.gone][thing] else _standing(world, how, thing, at, facing)


def _standing(world: World, how: Stand, thing: int, at: Point, facing: Any) -> Body:  # noqa: ANN401
    base = world[how.base][thing] if how.base is not None else ("round", 0)
    if base is None:
        return None
    turned = 0 if facing is None else facing
    outline = (at[0], at[1], base[1]) if base[0] == "round" else put(base, at, turned)
    return how.kind, thing, outline, at, turned


def of_point(point: Point) -> Body:
    """A point as a body without size."""
    return "", -1, (point[0], point[1], 0), point, 0


def of_polygon(polygon: Area) -> Body:
    """A polygon as a body."""
    return "", -1, polygon, polygon[0], 0


def pose_of(world: World, how: Stand, thing: int) -> tuple[Any, ...] | None:
    """The pose of a thing where it stands, in play or not; none where it is off the board."""
    at = world[how.at][thing]
    if at is None:
        return None
    facing = world[how.facing][thing] if how.facing is not None else 0
    return thing, at, 0 if facing is None else facing


def same(a: Body, b: Body) -> bool:
    """Whether two bodies are of one thing."""
    return a is not None and b is not None and a[1] == b[1] >= 0 and a[0] == b[0]


def base_at(world: World, pose: tuple[Any, ...]) -> Body:
    """The body of a thing as a pose puts it, in a ruleset whose poses are of one kind."""
    return of_pose(world, world[0].tables.stands[0], pose)


def standing(world: World) -> list[Any]:
    """The bodies of all things in play that stand somewhere, by kind and number."""
    return [body for body, _ in boxed(world)]


def boxed(world: World) -> list[tuple[Any, tuple[int, int, int, int]]]:
    """As `standing`, each with the box of its outline; made anew when one of them has changed."""
    control = world[0]
    made_of = [world[column] for how in control.tables.stands for column in how.columns]
    if control.standing is None or control.standing[0] != made_of:
        found = (of_thing(world, how, thing) for how in control.tables.stands for thing in world[how.in_play])
        bodies = [(each, box(each[2])) for each in found if each is not None]
        control.standing = [each[:] for each in made_of], bodies
    return control.standing[1]  # type: ignore[no-any-return]
