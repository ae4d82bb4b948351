"""The places that are tried, in order: version 2, with the curves that they lie on.

First where the thing is. Then it stands off one thing by each gap that matters, 0 first: at the point nearest to where
it is, and at sampled angles; off things that must be touched only, where there are such. Then it stands off two things
or edges at once. Last come the points of a grid. Within each part what is nearer to where the thing is comes first,
then the lesser x and y.
"""

from collections.abc import Callable, Iterable, Iterator
from math import ceil, floor, sqrt
from typing import cast

from rulewright.frozen import dataclass
from rulewright.machine.geometry import UNIT, Area, Disc, Outline, Point, edges, heading, is_disc


@dataclass(frozen=True, slots=True)
class Fixed:
    """Something the base may stand against: its outline, its middle, and the radius of the largest disc inside."""

    outline: Outline
    middle: Point
    inner: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """What a search for a place looks at, in thousandths of an inch."""

    moving: Outline  # the outline of the base, with its facing, put at (0, 0)
    inner: int  # radius of the largest disc inside it
    start: Point | None  # where its middle is now, or none
    fixed: tuple[Fixed, ...]  # the bases of other things, and polygons
    # positions in `fixed` of those one of which must be touched; none where nothing must
    partners: tuple[int, ...] | None
    gaps: tuple[int, ...]  # how far from a thing it may matter to stand
    reaches: tuple[int, ...] = ()  # how far from a middle it may matter that the middle is
    middles: tuple[Point, ...] = ()  # points such distances are from
    width: int | None = None  # how far the board reaches from 0 along x; without end where it is none
    depth: int | None = None  # the same along y
    solid: bool = False  # whether it may stand over nothing, and only on the board


Spot = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Circle:
    """All points at a distance from a middle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Segment:
    """All points from one end to the other."""

    ax: float
    ay: float
    bx: float
    by: float


Curve = Circle | Segment


def around(moving: Outline, fixed: Outline, gap: float) -> Iterator[Curve]:
    """Where the middle of an outline lies when it is a gap away from another, and a little more than that.

    `moving` is the outline as put at (0, 0). Arcs are whole circles, and a segment stands on both sides of an edge.
    """
    corners, rim = _corners(moving)
    others, other_rim = _corners(fixed)
    reach = rim + other_rim + gap
    for px, py in corners:
        for vx, vy in others:
            yield Circle(vx - px, vy - py, reach)
        for (ax, ay), (bx, by) in _sides_of(fixed):
            yield from _beside(Segment(ax - px, ay - py, bx - px, by - py), reach)
    for (ax, ay), (bx, by) in _sides_of(moving):
        for vx, vy in others:
            yield from _beside(Segment(vx - ax, vy - ay, vx - bx, vy - by), reach)


def _corners(outline: Outline) -> tuple[tuple[Spot, ...], float]:
    """The corners of an outline, and how far it reaches around them."""
    if is_disc(outline):
        x, y, radius = cast("Disc", outline)
        return ((x, y),), radius
    return cast("Area", outline), 0


def _sides_of(outline: Outline) -> tuple[tuple[Spot, Spot], ...]:
    return () if is_disc(outline) else edges(cast("Area", outline))


def _beside(segment: Segment, reach: float) -> Iterator[Segment]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    if length == 0:
        return
    if reach == 0:
        yield segment
        return
    ox, oy = -dy / length * reach, dx / length * reach
    for sign in (1, -1):
        yield Segment(segment.ax + sign * ox, segment.ay + sign * oy, segment.bx + sign * ox, segment.by + sign * oy)


def crossings(first: Curve, second: Curve) -> tuple[Spot, ...]:
    """The points, at most two, that two curves share; none where they coincide."""
    match first, second:
        case Circle(), Circle():
            return _of_circles(first, second)
        case Circle(), Segment():
            return _of_both(first, second)
        case Segment(), Circle():
            return _of_both(second, first)
        case Segment(), Segment():
            return _of_segments(first, second)
        case _:
            raise AssertionError(first, second)


_NEAR = 1.0


def _of_circles(a: Circle, b: Circle) -> tuple[Spot, ...]:
    dx, dy = b.x - a.x, b.y - a.y
    apart = sqrt(dx * dx + dy * dy)
    if apart == 0 or apart > a.radius + b.radius + _NEAR or apart < abs(a.radius - b.radius) - _NEAR:
        return ()
    along = (apart * apart + a.radius * a.radius - b.radius * b.radius) / (2 * apart)
    off = sqrt(max(0.0, a.radius * a.radius - along * along))
    x, y = a.x + along * dx / apart, a.y + along * dy / apart
    if off == 0:
        return ((x, y),)
    ox, oy = -dy / apart * off, dx / apart * off
    return (x + ox, y + oy), (x - ox, y - oy)


def _of_both(circle: Circle, segment: Segment) -> tuple[Spot, ...]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    ux, uy = dx / length, dy / length
    px, py = circle.x - segment.ax, circle.y - segment.ay
    along, off = px * ux + py * uy, px * uy - py * ux
    if abs(off) > circle.radius + _NEAR:
        return ()
    half = sqrt(max(0.0, circle.radius * circle.radius - off * off))
    ways = (along,) if half == 0 else (along - half, along + half)
    return tuple((segment.ax + way * ux, segment.ay + way * uy) for way in ways if -_NEAR <= way <= length + _NEAR)


def _of_segments(a: Segment, b: Segment) -> tuple[Spot, ...]:
    rx, ry, sx, sy = a.bx - a.ax, a.by - a.ay, b.bx - b.ax, b.by - b.ay
    cross = rx * sy - ry * sx
    if cross == 0:
        return ()
    qx, qy = b.ax - a.ax, b.ay - a.ay
    t, u = (qx * sy - qy * sx) / cross, (qx * ry - qy * rx) / cross
    slack_t, slack_u = _NEAR / sqrt(rx * rx + ry * ry), _NEAR / sqrt(sx * sx + sy * sy)
    if -slack_t <= t <= 1 + slack_t and -slack_u <= u <= 1 + slack_u:
        return ((a.ax + t * rx, a.ay + t * ry),)
    return ()


def nearest(curve: Curve, spot: Spot) -> Spot:
    """The point of a curve nearest to a spot."""
    match curve:
        case Circle(x, y, radius):
            dx, dy = spot[0] - x, spot[1] - y
            apart = sqrt(dx * dx + dy * dy)
            return (x + radius, y) if apart == 0 else (x + dx / apart * radius, y + dy / apart * radius)
        case Segment(ax, ay, bx, by):
            dx, dy = bx - ax, by - ay
            share = ((spot[0] - ax) * dx + (spot[1] - ay) * dy) / (dx * dx + dy * dy)
            share = min(1.0, max(0.0, share))
            return ax + share * dx, ay + share * dy


def box(curve: Curve) -> Box:
    """The least and greatest x, then y, of a curve."""
    match curve:
        case Circle(x, y, radius):
            return x - radius, x + radius, y - radius, y + radius
        case Segment(ax, ay, bx, by):
            return min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)


def free(scene: Scene) -> Callable[[Point], bool]:
    """A test of points that only those fail where a base cannot fit; every point passes where it need not fit."""
    if not scene.solid:
        return lambda _: True
    width, depth, inner = scene.width, scene.depth, scene.inner
    solid = [each for each in scene.fixed if each.inner]
    size = max([each.inner + inner for each in solid], default=1)
    cells: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for each in solid:
        (x, y), least = each.middle, each.inner + inner - 1
        for column in range(x // size - 1, x // size + 2):
            for row in range(y // size - 1, y // size + 2):
                cells.setdefault((column, row), []).append((x, y, least * least))

    def fits(point: Point) -> bool:
        px, py = point
        if width is not None and not (inner <= px <= width - inner):
            return False
        if depth is not None and not (inner <= py <= depth - inner):
            return False
        near = cells.get((px // size, py // size), ())
        return all((px - x) ** 2 + (py - y) ** 2 >= least for x, y, least in near)

    return fits


ANGLES = 24
ALONG = 8
GRID = 2_500
CLOSEST = 500
AROUND = 6_000
_TURN = 360


_PAIRS = 8
"""Pairs of curves whose boxes are compared cost as much as one point."""

Charge = Callable[[int], None]
"""Called with the number of points that are worked out or tried next."""


def tries(scene: Scene, charge: Charge) -> Iterator[Point]:
    """Every point to try, each once, in order; working a point out is charged, and so is trying it."""
    seen: set[Point] = set()
    standing_off = (_touching_one(scene, gap, charge) for gap in scene.gaps)
    for part in (_here(scene), *standing_off, _touching_two(scene, charge), _grid(scene)):
        for point in _sorted(part, scene):
            charge(1)
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


def _touching_one(scene: Scene, gap: int, charge: Charge) -> Iterator[Point]:
    origin = _origin(scene)
    edges = _edges(scene, own=True) if gap == scene.gaps[0] else ()
    for curve in (*_curves(scene, (gap,), own=True), *edges):
        charge(ANGLES if isinstance(curve, Circle) else ALONG)
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


def _touching_two(scene: Scene, charge: Charge) -> Iterator[Point]:
    """Crossings of two curves, one of a partner where there must be one; every whole point around a crossing."""
    own, others = _curves(scene, scene.gaps, own=True), _curves(scene, scene.gaps, own=False)
    edges = (*_edges(scene, own=True), *_edges(scene, own=False))
    boxed = [(each, box(each)) for each in (*own, *others, *edges)]
    count = len(boxed) if scene.partners is None else len(own)
    for at, (first, here) in enumerate(boxed[:count]):
        charge((len(boxed) - at) // _PAIRS)
        for second in _near(here, boxed[at + 1 :]):
            found = crossings(first, second)
            charge(1 + _CORNERS * len(found))
            for x, y in found:
                yield floor(x), floor(y)
                yield floor(x), ceil(y)
                yield ceil(x), floor(y)
                yield ceil(x), ceil(y)


_CORNERS = 4
"""Whole points around a crossing."""


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
