"""Candidate positions of a base in the order in which a pose search tries them, and the curves that they lie on.

First the present position. Then positions at a gap that matters from one obstacle, 0 first: the point nearest to the
present position, and sampled angles; only off things that must be touched, if there are such. Then positions off two
obstacles or edges at once. Last the points of a grid. Within each part nearer points come first, then lesser x and y.
"""

from collections.abc import Callable, Iterable, Iterator
from math import ceil, floor, sqrt
from typing import cast

from rulewright.base.frozen import dataclass
from rulewright.runtime.geometry import (
    DIRECTION_LENGTH,
    Area,
    Disc,
    Outline,
    Point,
    heading_vector,
    is_disc,
    list_edges,
)

POSE_SEARCH_VERSION = 2
"""Version of the positions and their order; kept in saves, since another version may find a pose that this one misses."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An outline that the base may stand against, its middle, and the radius of the largest disc inside."""

    outline: Outline
    middle: Point
    inner_radius: int = 0


@dataclass(frozen=True, slots=True)
class PlacementScene:
    """Input of a search for positions, in thousandths of an inch."""

    moving: Outline  # outline of the base, with its facing, at (0, 0)
    inner_radius: int  # radius of the largest disc inside it
    start: Point | None  # present middle
    fixed: tuple[Obstacle, ...]  # the bases of other things, and polygons
    # indices in `fixed` of those one of which must be touched, or none
    partners: tuple[int, ...] | None
    gaps: tuple[int, ...]  # relevant gaps from a thing
    reaches: tuple[int, ...] = ()  # relevant distances between middles
    middles: tuple[Point, ...] = ()  # origins of these distances
    width: int | None = None  # extent of the board from 0 along x, none: unbounded
    depth: int | None = None  # along y
    must_fit: bool = False  # whether it must be on the board and overlap nothing


FloatPoint = tuple[float, float]
FloatBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class CircleCurve:
    """Points at a distance from a middle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class SegmentCurve:
    """Points from one end to the other."""

    ax: float
    ay: float
    bx: float
    by: float


Curve = CircleCurve | SegmentCurve


def offset_curves(moving: Outline, fixed: Outline, gap: float) -> Iterator[Curve]:
    """Positions of the middle of an outline at a gap from another, and a little more than that.

    `moving` is the outline at (0, 0). Arcs are whole circles, and a segment stands on both sides of an edge.
    """
    corners, rim = _corners_and_rim(moving)
    others, other_rim = _corners_and_rim(fixed)
    reach = rim + other_rim + gap
    for px, py in corners:
        for vx, vy in others:
            yield CircleCurve(vx - px, vy - py, reach)
        for (ax, ay), (bx, by) in _edges_of_outline(fixed):
            yield from _parallel_segments(SegmentCurve(ax - px, ay - py, bx - px, by - py), reach)
    for (ax, ay), (bx, by) in _edges_of_outline(moving):
        for vx, vy in others:
            yield from _parallel_segments(SegmentCurve(vx - ax, vy - ay, vx - bx, vy - by), reach)


def _corners_and_rim(outline: Outline) -> tuple[tuple[FloatPoint, ...], float]:
    if is_disc(outline):
        x, y, radius = cast("Disc", outline)
        return ((x, y),), radius
    return cast("Area", outline), 0


def _edges_of_outline(outline: Outline) -> tuple[tuple[FloatPoint, FloatPoint], ...]:
    return () if is_disc(outline) else list_edges(cast("Area", outline))


def _parallel_segments(segment: SegmentCurve, reach: float) -> Iterator[SegmentCurve]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    if length == 0:
        return
    if reach == 0:
        yield segment
        return
    ox, oy = -dy / length * reach, dx / length * reach
    for sign in (1, -1):
        yield SegmentCurve(
            segment.ax + sign * ox, segment.ay + sign * oy, segment.bx + sign * ox, segment.by + sign * oy
        )


def intersect_curves(first: Curve, second: Curve) -> tuple[FloatPoint, ...]:
    """Common points of two curves, at most two; none if they coincide."""
    match first, second:
        case CircleCurve(), CircleCurve():
            return _intersect_circles(first, second)
        case CircleCurve(), SegmentCurve():
            return _intersect_circle_and_segment(first, second)
        case SegmentCurve(), CircleCurve():
            return _intersect_circle_and_segment(second, first)
        case SegmentCurve(), SegmentCurve():
            return _intersect_segments(first, second)
        case _:
            raise AssertionError(first, second)


_INTERSECTION_SLACK = 1.0
"""Thousandths of an inch by which curves may miss each other and still count as touching; chosen, above what rounding errs by."""


def _intersect_circles(a: CircleCurve, b: CircleCurve) -> tuple[FloatPoint, ...]:
    dx, dy = b.x - a.x, b.y - a.y
    distance = sqrt(dx * dx + dy * dy)
    if (
        distance == 0
        or distance > a.radius + b.radius + _INTERSECTION_SLACK
        or distance < abs(a.radius - b.radius) - _INTERSECTION_SLACK
    ):
        return ()
    along = (distance * distance + a.radius * a.radius - b.radius * b.radius) / (2 * distance)
    off = sqrt(max(0.0, a.radius * a.radius - along * along))
    x, y = a.x + along * dx / distance, a.y + along * dy / distance
    if off == 0:
        return ((x, y),)
    ox, oy = -dy / distance * off, dx / distance * off
    return (x + ox, y + oy), (x - ox, y - oy)


def _intersect_circle_and_segment(circle: CircleCurve, segment: SegmentCurve) -> tuple[FloatPoint, ...]:
    dx, dy = segment.bx - segment.ax, segment.by - segment.ay
    length = sqrt(dx * dx + dy * dy)
    ux, uy = dx / length, dy / length
    px, py = circle.x - segment.ax, circle.y - segment.ay
    along, off = px * ux + py * uy, px * uy - py * ux
    if abs(off) > circle.radius + _INTERSECTION_SLACK:
        return ()
    half = sqrt(max(0.0, circle.radius * circle.radius - off * off))
    offsets = (along,) if half == 0 else (along - half, along + half)
    return tuple(
        (segment.ax + way * ux, segment.ay + way * uy)
        for way in offsets
        if -_INTERSECTION_SLACK <= way <= length + _INTERSECTION_SLACK
    )


def _intersect_segments(a: SegmentCurve, b: SegmentCurve) -> tuple[FloatPoint, ...]:
    rx, ry, sx, sy = a.bx - a.ax, a.by - a.ay, b.bx - b.ax, b.by - b.ay
    cross = rx * sy - ry * sx
    if cross == 0:
        return ()
    qx, qy = b.ax - a.ax, b.ay - a.ay
    t, u = (qx * sy - qy * sx) / cross, (qx * ry - qy * rx) / cross
    slack_t, slack_u = _INTERSECTION_SLACK / sqrt(rx * rx + ry * ry), _INTERSECTION_SLACK / sqrt(sx * sx + sy * sy)
    if -slack_t <= t <= 1 + slack_t and -slack_u <= u <= 1 + slack_u:
        return ((a.ax + t * rx, a.ay + t * ry),)
    return ()


def nearest_point_of(curve: Curve, spot: FloatPoint) -> FloatPoint:
    """Point of a curve nearest to a spot."""
    match curve:
        case CircleCurve(x, y, radius):
            dx, dy = spot[0] - x, spot[1] - y
            distance = sqrt(dx * dx + dy * dy)
            return (x + radius, y) if distance == 0 else (x + dx / distance * radius, y + dy / distance * radius)
        case SegmentCurve(ax, ay, bx, by):
            dx, dy = bx - ax, by - ay
            share = ((spot[0] - ax) * dx + (spot[1] - ay) * dy) / (dx * dx + dy * dy)
            share = min(1.0, max(0.0, share))
            return ax + share * dx, ay + share * dy


def curve_bounding_box(curve: Curve) -> FloatBox:
    """Least and greatest x, then y, of a curve."""
    match curve:
        case CircleCurve(x, y, radius):
            return x - radius, x + radius, y - radius, y + radius
        case SegmentCurve(ax, ay, bx, by):
            return min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)


def make_fit_test(scene: PlacementScene) -> Callable[[Point], bool]:
    """A necessary test for positions of a base that must fit; if it need not fit, every point passes."""
    if not scene.must_fit:
        return lambda _: True
    width, depth, inner = scene.width, scene.depth, scene.inner_radius
    solid = [item for item in scene.fixed if item.inner_radius]
    size = max([item.inner_radius + inner for item in solid], default=1)
    cells: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for obstacle in solid:
        (x, y), least = obstacle.middle, obstacle.inner_radius + inner - 1
        for column in range(x // size - 1, x // size + 2):
            for row in range(y // size - 1, y // size + 2):
                cells.setdefault((column, row), []).append((x, y, least * least))

    def may_fit(point: Point) -> bool:
        px, py = point
        if width is not None and not (inner <= px <= width - inner):
            return False
        if depth is not None and not (inner <= py <= depth - inner):
            return False
        near = cells.get((px // size, py // size), ())
        return all((px - x) ** 2 + (py - y) ** 2 >= least for x, y, least in near)

    return may_fit


SAMPLES_PER_CIRCLE = 24
"""Points tried on a circle, one every 15 degrees; chosen."""
SAMPLES_PER_SEGMENT = 8
"""Parts into which the points tried on a segment divide it; chosen."""
MAX_GRID_POINTS = 2_500
"""Points of the grid, about 50 by 50; chosen."""
MIN_GRID_STEP = 500
"""Least distance of grid points, in thousandths of an inch; chosen: half an inch is finer than bases."""
GRID_MARGIN = 6_000
"""Margin of the grid around everything, in thousandths of an inch, on a board without extent; chosen."""
_FULL_TURN_DEG = 360


_PAIRS_PER_CHARGE = 8
"""Comparisons of bounding boxes that cost as much as one point."""

ChargePoints = Callable[[int], None]
"""Called with the number of points to be computed or tried next."""


def generate_candidates(scene: PlacementScene, charge: ChargePoints) -> Iterator[Point]:
    """All points to try, each once, in order; `charge` is called for points computed and tried."""
    generated: set[Point] = set()
    standing_off = (_candidates_off_one_obstacle(scene, gap, charge) for gap in scene.gaps)
    for part in (
        _current_position(scene),
        *standing_off,
        _candidates_at_crossings(scene, charge),
        _grid_candidates(scene),
    ):
        for point in _sort_by_distance(part, scene):
            charge(1)
            if point not in generated:
                generated.add(point)
                yield point


def _sort_by_distance(points: Iterable[Point], scene: PlacementScene) -> list[Point]:
    x, y = _search_origin(scene)
    return sorted(set(points), key=lambda point: ((point[0] - x) ** 2 + (point[1] - y) ** 2, point))


def _search_origin(scene: PlacementScene) -> Point:
    if scene.start is not None:
        return scene.start
    if scene.width is not None and scene.depth is not None:
        return scene.width // 2, scene.depth // 2
    return scene.fixed[0].middle if scene.fixed else (0, 0)


def _current_position(scene: PlacementScene) -> Iterator[Point]:
    if scene.partners is None:
        yield _search_origin(scene)
    elif scene.start is not None:
        yield scene.start


def _candidates_off_one_obstacle(scene: PlacementScene, gap: int, charge: ChargePoints) -> Iterator[Point]:
    origin = _search_origin(scene)
    edges = _board_and_reach_curves(scene, must_touch=True) if gap == scene.gaps[0] else ()
    for curve in (*_obstacle_curves(scene, (gap,), must_touch=True), *edges):
        charge(SAMPLES_PER_CIRCLE if isinstance(curve, CircleCurve) else SAMPLES_PER_SEGMENT)
        for spot in (nearest_point_of(curve, origin), *_sample_curve(curve)):
            yield round(spot[0]), round(spot[1])


def _sample_curve(curve: Curve) -> Iterator[FloatPoint]:
    match curve:
        case CircleCurve(x, y, radius):
            for part in range(SAMPLES_PER_CIRCLE):
                right, up = heading_vector(part * _FULL_TURN_DEG // SAMPLES_PER_CIRCLE)
                yield x + radius * right / DIRECTION_LENGTH, y + radius * up / DIRECTION_LENGTH
        case SegmentCurve(ax, ay, bx, by):
            for part in range(SAMPLES_PER_SEGMENT + 1):
                yield ax + (bx - ax) * part / SAMPLES_PER_SEGMENT, ay + (by - ay) * part / SAMPLES_PER_SEGMENT


def _candidates_at_crossings(scene: PlacementScene, charge: ChargePoints) -> Iterator[Point]:
    """Crossings of two curves, one of a partner if there must be one; every whole point around a crossing."""
    touching, others = (
        _obstacle_curves(scene, scene.gaps, must_touch=True),
        _obstacle_curves(scene, scene.gaps, must_touch=False),
    )
    edges = (*_board_and_reach_curves(scene, must_touch=True), *_board_and_reach_curves(scene, must_touch=False))
    boxed = [(item, curve_bounding_box(item)) for item in (*touching, *others, *edges)]
    count = len(boxed) if scene.partners is None else len(touching)
    for at, (first, here) in enumerate(boxed[:count]):
        charge((len(boxed) - at) // _PAIRS_PER_CHARGE)
        for second in _curves_near_box(here, boxed[at + 1 :]):
            items = intersect_curves(first, second)
            charge(1 + _POINTS_PER_CROSSING * len(items))
            for x, y in items:
                yield floor(x), floor(y)
                yield floor(x), ceil(y)
                yield ceil(x), floor(y)
                yield ceil(x), ceil(y)


_POINTS_PER_CROSSING = 4
"""Points charged per crossing of two curves; chosen."""


def _curves_near_box(here: FloatBox, boxed: Iterable[tuple[Curve, FloatBox]]) -> list[Curve]:
    """Curves whose bounding boxes come within a thousandth of a box."""
    left, right, low, high = here[0], here[1] + 1, here[2], here[3] + 1
    return [item for item, (x, xx, y, yy) in boxed if x <= right and left <= xx + 1 and y <= high and low <= yy + 1]


def _obstacle_curves(scene: PlacementScene, gaps: tuple[int, ...], *, must_touch: bool) -> tuple[Curve, ...]:
    """Curves of the obstacles that must be touched, or of the others; if none must be, all are of the first sort."""
    chosen = range(len(scene.fixed)) if scene.partners is None else scene.partners
    numbers = chosen if must_touch else sorted(set(range(len(scene.fixed))) - set(chosen))
    mapping: dict[Curve, None] = {}
    for number in numbers:
        for gap in gaps:
            mapping.update(dict.fromkeys(offset_curves(scene.moving, scene.fixed[number].outline, gap)))
    return tuple(mapping)


def _board_and_reach_curves(scene: PlacementScene, *, must_touch: bool) -> tuple[Curve, ...]:
    if must_touch != (scene.partners is None):
        return ()
    items: list[Curve] = [CircleCurve(x, y, reach) for x, y in scene.middles for reach in scene.reaches]
    if scene.width is not None and scene.depth is not None:
        w, d = scene.width, scene.depth
        for edge in (((0, 0), (w, 0)), ((w, 0), (w, d)), ((w, d), (0, d)), ((0, d), (0, 0))):
            items.extend(offset_curves(scene.moving, edge, 0))
    return tuple(curve for curve in items if not isinstance(curve, CircleCurve) or curve.radius > 0)


def _grid_candidates(scene: PlacementScene) -> Iterator[Point]:
    if scene.partners is not None:
        return
    low_x, high_x, low_y, high_y = _grid_extent(scene)
    step = max(MIN_GRID_STEP, ceil(sqrt((high_x - low_x) * (high_y - low_y) / MAX_GRID_POINTS)))
    x, y = _search_origin(scene)
    for column in range(ceil((low_x - x) / step), floor((high_x - x) / step) + 1):
        for row in range(ceil((low_y - y) / step), floor((high_y - y) / step) + 1):
            yield x + column * step, y + row * step


def _grid_extent(scene: PlacementScene) -> tuple[int, int, int, int]:
    points = [_search_origin(scene), *(obstacle.middle for obstacle in scene.fixed)]
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    low_x, high_x, low_y, high_y = (
        min(xs) - GRID_MARGIN,
        max(xs) + GRID_MARGIN,
        min(ys) - GRID_MARGIN,
        max(ys) + GRID_MARGIN,
    )
    if scene.width is not None and scene.depth is not None:
        return max(0, low_x), min(scene.width, high_x), max(0, low_y), min(scene.depth, high_y)
    return low_x, high_x, low_y, high_y
