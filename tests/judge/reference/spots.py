"""Places for a thing on the plane by brute force: many samples, each judged; no thought of where one may be found."""

from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

from reference import plane
from reference.world import World

_TURNS = 90
_STEP = 500
_ROUND = 4


def facing_of(world: World, thing: int) -> Any:
    """The facing a thing keeps."""
    kind = plane.standing_kinds(world)[0]
    facings = world.game.attributes.get(f"{kind}/facing")
    return (facings[thing] if facings else 0) or 0


def samples(world: World, thing: int) -> Iterator[tuple[int, Any, Any]]:
    """Poses of a thing: where it is, all around the others at every half tolerance, and over a grid."""
    kind = plane.standing_kinds(world)[0]
    at, base, facing = world.game.attributes[f"{kind}/at"][thing], _base(world, kind, thing), facing_of(world, thing)
    if at is not None:
        yield thing, at, facing
    others = [each for each in world.ids(kind) if each != thing and each not in world.game.gone[kind]]
    spots = [(world.game.attributes[f"{kind}/at"][each], _base(world, kind, each)) for each in others]
    standing = [(spot, size) for spot, size in spots if spot is not None]
    for point in _rings(standing, base, world.start.base.plane.contact):
        yield thing, point, facing
    for middle, _ in [*standing, ((at or (0, 0)), base)]:
        for column in range(-_ROUND, _ROUND + 1):
            for row in range(-_ROUND, _ROUND + 1):
                yield thing, (middle[0] + column * _STEP, middle[1] + row * _STEP), facing


def _rings(standing: list[tuple[Any, int]], base: int, contact: int) -> Iterator[Any]:
    for (x, y), size in standing:
        for gap in (0, contact // 2, contact):
            for turn in range(_TURNS):
                angle, far = 2 * pi * turn / _TURNS, size + base + gap
                yield round(x + far * sin(angle)), round(y + far * cos(angle))


def _base(world: World, kind: str, thing: int) -> int:
    match world.game.attributes[f"{kind}/base"][thing]:
        case ("round", radius):
            return int(radius)
        case (_, width, length):
            return int(max(width, length) // 2)
        case _:
            return 0
