"""The places that are tried, in order: version 2.

First where the thing is. Then it stands off one thing by each gap that matters, 0 first: at the point nearest to where
it is, and at sampled angles; off things that must be touched only, where there are such. Then it stands off two things
or edges at once. Last come the points of a grid. Within each part what is nearer to where the thing is comes first,
then the lesser x and y.
"""

from collections.abc import Iterable, Iterator
from math import ceil, floor, sqrt

from rulewright.machine.placing.curves import Box, Circle, Curve, Segment, Spot, around, box, crossings, nearest
from rulewright.machine.placing.scene import Scene
from rulewright.machine.plane.outlines import Point
from rulewright.machine.plane.rounding import UNIT, heading

ANGLES = 24
ALONG = 8
GRID = 2_500
CLOSEST = 500
AROUND = 6_000
_TURN = 360


def tries(scene: Scene) -> Iterator[Point]:
    """Every point to try, each once, in order."""
    seen: set[Point] = set()
    standing_off = (_touching_one(scene, gap) for gap in scene.gaps)
    for part in (_here(scene), *standing_off, _touching_two(scene), _grid(scene)):
        for point in _sorted(part, scene):
            if point not in seen:
                seen.add(point)
                yield point


def _sorted(points: Iterable[Point], scene: Scene) -> list[Point]:
    x, y = _origin(scene)
    return sorted(set(points), key=lambda point: ((point[0] - x) ** 2 + (point[1] - y) ** 2, point))


def _origin(scene: Scene) -> Point:
    """Where the thing is; else the middle of the board, or of the first thing on it."""
    if scene.start is not None:
        return scene.start
    if scene.width is not None and scene.depth is not None:
        return scene.width // 2, scene.depth // 2
    return scene.fixed[0].middle if scene.fixed else (0, 0)


def _here(scene: Scene) -> Iterator[Point]:
    if scene.partners is None:
        yield _origin(scene)
    elif scene.start is not None:
        yield scene.start


def _touching_one(scene: Scene, gap: int) -> Iterator[Point]:
    origin = _origin(scene)
    edges = _edges(scene, own=True) if gap == scene.gaps[0] else ()
    for curve in (*_curves(scene, (gap,), own=True), *edges):
        for spot in (nearest(curve, origin), *_sampled(curve)):
            yield round(spot[0]), round(spot[1])


def _sampled(curve: Curve) -> Iterator[Spot]:
    match curve:
        case Circle(x, y, radius):
            for part in range(ANGLES):
                right, up = heading(part * _TURN // ANGLES)
                yield x + radius * right / UNIT, y + radius * up / UNIT
        case Segment(ax, ay, bx, by):
            for part in range(ALONG + 1):
                yield ax + (bx - ax) * part / ALONG, ay + (by - ay) * part / ALONG


def _touching_two(scene: Scene) -> Iterator[Point]:
    """Crossings of two curves, one of a partner where there must be one; every whole point around a crossing."""
    own, others = _curves(scene, scene.gaps, own=True), _curves(scene, scene.gaps, own=False)
    edges = (*_edges(scene, own=True), *_edges(scene, own=False))
    boxed = [(each, box(each)) for each in (*own, *others, *edges)]
    count = len(boxed) if scene.partners is None else len(own)
    for at, (first, here) in enumerate(boxed[:count]):
        for second in _near(here, boxed[at + 1 :]):
            for x, y in crossings(first, second):
                yield floor(x), floor(y)
                yield floor(x), ceil(y)
                yield ceil(x), floor(y)
                yield ceil(x), ceil(y)


def _near(here: Box, boxed: Iterable[tuple[Curve, Box]]) -> list[Curve]:
    """The curves whose boxes come within a thousandth of a box."""
    left, right, low, high = here[0], here[1] + 1, here[2], here[3] + 1
    return [each for each, (x, xx, y, yy) in boxed if x <= right and left <= xx + 1 and y <= high and low <= yy + 1]


def _curves(scene: Scene, gaps: tuple[int, ...], *, own: bool) -> tuple[Curve, ...]:
    """The curves around what must be touched, or around all else; all are `own` where nothing must be touched."""
    chosen = range(len(scene.fixed)) if scene.partners is None else scene.partners
    numbers = chosen if own else sorted(set(range(len(scene.fixed))) - set(chosen))
    found: dict[Curve, None] = {}
    for number in numbers:
        for gap in gaps:
            found.update(dict.fromkeys(around(scene.moving, scene.fixed[number].outline, gap)))
    return tuple(found)


def _edges(scene: Scene, *, own: bool) -> tuple[Curve, ...]:
    """The edges of the board and the reaches around middles: `own` where nothing must be touched."""
    if own != (scene.partners is None):
        return ()
    found: list[Curve] = [Circle(x, y, reach) for x, y in scene.middles for reach in scene.reaches]
    if scene.width is not None and scene.depth is not None:
        w, d = scene.width, scene.depth
        for edge in (((0, 0), (w, 0)), ((w, 0), (w, d)), ((w, d), (0, d)), ((0, d), (0, 0))):
            found.extend(around(scene.moving, edge, 0))
    return tuple(each for each in found if not isinstance(each, Circle) or each.radius > 0)


def _grid(scene: Scene) -> Iterator[Point]:
    if scene.partners is not None:
        return
    low_x, high_x, low_y, high_y = _extent(scene)
    step = max(CLOSEST, ceil(sqrt((high_x - low_x) * (high_y - low_y) / GRID)))
    x, y = _origin(scene)
    for column in range(ceil((low_x - x) / step), floor((high_x - x) / step) + 1):
        for row in range(ceil((low_y - y) / step), floor((high_y - y) / step) + 1):
            yield x + column * step, y + row * step


def _extent(scene: Scene) -> tuple[int, int, int, int]:
    """What the grid covers: around everything that stands there, on the board."""
    points = [_origin(scene), *(each.middle for each in scene.fixed)]
    xs, ys = [each[0] for each in points], [each[1] for each in points]
    low_x, high_x, low_y, high_y = min(xs) - AROUND, max(xs) + AROUND, min(ys) - AROUND, max(ys) + AROUND
    if scene.width is not None and scene.depth is not None:
        return max(0, low_x), min(scene.width, high_x), max(0, low_y), min(scene.depth, high_y)
    return low_x, high_x, low_y, high_y
