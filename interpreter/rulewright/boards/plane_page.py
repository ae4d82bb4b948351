"""The plane on a page: bases and outlines to scale, lengths marked at the edges, the search for a place as dots."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from math import dist
from typing import cast

from rulewright.boards.drawn_plane import DrawnPlane, Lying, Search, Standing
from rulewright.boards.page import LINE, NARROWEST, LegendLine, legend, listed, pointer, points, short, style
from rulewright.frozen import dataclass
from rulewright.machine.geometry import THOUSANDTHS, Area, Disc, Outline, Point, box, is_disc
from rulewright.machine.values import Value
from rulewright.program.plane import about_an_inch
from rulewright.program.types import INCHES

_LARGEST, _CLOSEST = 840.0, 40.0
"""How wide and high the plane is drawn at most, and how large an inch is at most."""
_LEFT, _TOP, _RIGHT, _BOTTOM = 38.0, 16.0, 16.0, 30.0
_LINES_APART, _NUMBERS_APART = 12.0, 30.0
_FITTING = 7.0
"""How far the edge of a base is from its middle, at least, for letters to stand on it."""
_LETTERS = 13.0
"""How large letters are at most."""
_LARGE = 40
"""How far the edge of a base is from its middle, at least, for it to be drawn as an outline."""
_QUARTER = 90


@dataclass(frozen=True, slots=True)
class Form:
    """An outline and how it looks: of a disc its middle and radius; of all else its corners, and no radius."""

    style: str
    x: float
    y: float
    radius: float
    corners: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Letters or a number at a place, how they look and how large they are."""

    style: str
    x: float
    y: float
    text: str
    size: float = 10


@dataclass(frozen=True, slots=True)
class PlanePage:
    """A drawing of the plane."""

    title: str  # the name of the board
    width: float  # of the page
    height: float  # of the page
    frame: tuple[float, float, float, float]  # x, y, width and height of what is drawn of the plane
    lines: str  # the grid, as a path
    numbers: tuple[Words, ...]  # lengths along the edges
    forms: tuple[Form, ...]  # outlines and bases, those in front last
    letters: tuple[Words, ...]  # what they are called
    legal: str  # the middles that were found for a base, as a path of dots
    refused: str  # the middles that were tried in vain
    entries: tuple[LegendLine, ...]  # the legend
    bases: tuple[tuple[tuple[str, int], float, float, float], ...]  # kind and number of a thing, its middle, its reach
    found: tuple[
        tuple[Value, float, float], ...
    ]  # each answer that was found for a base, and where its middle is drawn
    zero: tuple[float, float]  # where the point 0, 0 is drawn
    scale: float  # how large one of the unit of lengths is drawn


def plane_page(plane: DrawnPlane) -> PlanePage:
    """The plane on a page."""
    return _Laying(plane).page()


class _Laying:
    def __init__(self, plane: DrawnPlane) -> None:
        self._plane = plane
        left, low, right, high = plane.shown
        self._scale = min(
            _CLOSEST / about_an_inch(plane.unit), *(_LARGEST / max(each, 1) for each in (right - left, high - low))
        )
        self._across, self._down = (right - left) * self._scale, (high - low) * self._scale

    def _at(self, point: Iterable[float]) -> tuple[float, float]:
        """Where a point is drawn; y grows upwards on the plane."""
        x, y = point
        left, low, *_ = self._plane.shown
        return _LEFT + (x - left) * self._scale, _TOP + self._down - (y - low) * self._scale

    def page(self) -> PlanePage:
        standing = [each for each in self._plane.standing if self._is_shown(each.outline)]
        lying = [each for each in self._plane.lying if self._is_shown(each.outline)]
        width = max(NARROWEST, _LEFT + self._across + _RIGHT)
        bottom = _TOP + self._down + _BOTTOM + LINE
        items = [*self._legend(standing, [f"{each.letters} {each.id}" for each in lying])]
        entries = tuple(legend(items, _LEFT, bottom, width - _LEFT - _RIGHT))
        search = self._plane.search
        found = (self._form("found", search.base),) if search is not None and search.base is not None else ()
        return PlanePage(
            title=self._plane.name,
            width=short(width),
            height=short(bottom + LINE * len(entries)),
            frame=(_LEFT, _TOP, short(self._across), short(self._down)),
            lines=self._lines(),
            numbers=tuple(self._numbers()),
            forms=(
                *(self._form("wall", each.outline) for each in lying),
                *(form for each in standing for form in self._base(each)),
                *found,
            ),
            letters=(
                *map(self._named, lying),
                *map(self._letters, standing),
            ),
            legal=self._dots(search.legal) if search is not None else "",
            refused=self._dots(search.refused) if search is not None else "",
            entries=entries,
            bases=tuple(self._reach(each) for each in standing),
            found=tuple(self._found(search)) if search is not None else (),
            zero=self._at((0, 0)),
            scale=self._scale * THOUSANDTHS,
        )

    def _found(self, search: Search) -> Iterator[tuple[Value, float, float]]:
        """Of answers with one middle the first."""
        first = dict(zip(reversed(search.legal), reversed(search.poses), strict=True))
        for at, pose in first.items():
            if self._is_shown((*at, 0)):
                x, y = self._at(at)
                yield pose, short(x), short(y)

    def _reach(self, each: Standing) -> tuple[tuple[str, int], float, float, float]:
        west, south, east, north = box(each.outline)
        x, y = self._at(((west + east) / 2, (south + north) / 2))
        reach = max(_FITTING, min(east - west, north - south) * self._scale / 2)
        return (each.figure.kind, each.figure.number), short(x), short(y), short(reach)

    def _is_shown(self, outline: Outline) -> bool:
        left, low, right, high = self._plane.shown
        west, south, east, north = box(outline)
        return west <= right and east >= left and south <= high and north >= low

    def _ticks(self, axis: int, apart: float) -> Iterator[int]:
        """Whole lengths along x or y, in thousandths, with at least so much room between them."""
        step = (
            next(each for each in _steps(self._plane.unit) if each * THOUSANDTHS * self._scale >= apart) * THOUSANDTHS
        )
        first = -(-self._plane.shown[axis] // step) * step
        return iter(range(first, self._plane.shown[axis + 2] + 1, step))

    def _lines(self) -> str:
        left, low, *_ = self._plane.shown
        up = (f"M{short(self._at((x, low))[0])} {_TOP}v{short(self._down)}" for x in self._ticks(0, _LINES_APART))
        over = (f"M{_LEFT} {short(self._at((left, y))[1])}h{short(self._across)}" for y in self._ticks(1, _LINES_APART))
        return "".join([*up, *over])

    def _numbers(self) -> Iterator[Words]:
        left, low, *_ = self._plane.shown
        for x in self._ticks(0, _NUMBERS_APART):
            across, down = self._at((x, low))
            yield Words("below", short(across), short(down + 14), str(x // THOUSANDTHS))
        for y in self._ticks(1, _NUMBERS_APART):
            across, down = self._at((left, y))
            yield Words("beside", short(across - 5), short(down + 4), str(y // THOUSANDTHS))

    def _base(self, each: Standing) -> Iterator[Form]:
        """A base with a triangle where it faces: before the edge of a disc, before the front of a rectangle.

        A large one is an outline around a disc that looks like its owner's.
        """
        facing, looks = each.figure.facing, style(each.figure.owner)
        x, y = self._at(each.figure.at)
        ahead = _ahead(each) * self._scale + 1 if facing is not None else 0
        way = pointer(x, y, ahead, float(facing) - _QUARTER) if facing is not None else ""
        west, south, east, north = box(each.outline)
        is_large = min(east - west, north - south) * self._scale / 2 > _LARGE
        yield self._form(f"{looks} hull" if is_large else looks, each.outline, way)
        if is_large:
            x, y = self._at(((west + east) / 2, (south + north) / 2))
            yield Form(looks, short(x), short(y), 1.3 * _LETTERS, "", "")

    def _form(self, looks: str, outline: Outline, way: str = "") -> Form:
        if is_disc(outline):
            across, along, radius = cast("Disc", outline)
            x, y = self._at((across, along))
            return Form(looks, short(x), short(y), max(2.0, short(radius * self._scale)), "", way)
        return Form(looks, 0, 0, 0, points(map(self._at, cast("Area", outline))), way)

    def _letters(self, each: Standing) -> Words:
        """On the base where there is room, else beside it."""
        west, south, east, north = box(each.outline)
        room = min(east - west, north - south) * self._scale / 2
        text = self._plane.players.called(each.figure)
        if room < _FITTING:
            x, y = self._at((east, north))
            return Words("beside", short(x + 1), short(y), text)
        x, y = self._at(((west + east) / 2, (south + north) / 2))
        size = min(_LETTERS, 1.1 * room, 2.6 * room / len(text))
        return Words(style(each.figure.owner), short(x), short(y + size / 3), text, short(size))

    def _named(self, each: Lying) -> Words:
        west, south, east, north = box(each.outline)
        x, y = self._at(((west + east) / 2, (south + north) / 2))
        return Words("over", short(x), short(y + 4), each.letters, _LETTERS)

    def _dots(self, middles: Sequence[Point]) -> str:
        shown = (self._at(each) for each in middles if self._is_shown((*each, 0)))
        return "".join(f"M{short(x)} {short(y)}h0" for x, y in shown)

    def _legend(self, standing: Sequence[Standing], lying: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        for owner, called in self._plane.players.listed(each.figure for each in standing):
            yield "counter", style(owner), f"{self._plane.players.head(owner)}{listed(called)}"
        if lying:
            yield "ground", "1", listed(lying)
        if self._plane.search is not None:
            yield from _searched(self._plane.search)
        outside = len(self._plane.standing) - len(standing)
        if outside:
            yield "", "", f"{outside:,} more stand{'s' if outside == 1 else ''} beyond what is drawn"


def _searched(search: Search) -> Iterator[tuple[str, str, str]]:
    if search.base is None:
        yield "", "", f"no place for {search.thing} was found"
    else:
        yield "found", "", f"the first place found for {search.thing}"
    if search.legal:
        yield "dot", "legal", f"where its middle may be: {len(search.legal):,} of the first places tried"
    if search.refused:
        yield "dot", "refused", f"where it may not be: {len(search.refused):,} of them"


def _steps(unit: str) -> Iterator[int]:
    """Numbers of inches that people count in, or of another unit, each greater than the one before."""
    first, steps = ((1, 2, 3, 6), (12, 24, 60)) if unit == INCHES else ((), (1, 2, 5))
    yield from first
    for tens in count():
        yield from (each * 10**tens for each in steps)


def _ahead(each: Standing) -> float:
    """How far the edge of a base is from its middle, the way it faces."""
    if is_disc(each.outline):
        return cast("Disc", each.outline)[2]
    (left_x, left_y), (right_x, right_y), *_ = cast("Area", each.outline)
    return dist(each.figure.at, ((left_x + right_x) / 2, (left_y + right_y) / 2))
