"""The plane: bases, outlines, its extent, the places where a base may go, as SVG; what a base would see there."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, islice
from math import dist
from typing import Any, cast

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.documents.name_table import NameTable
from rulewright.play.board_drawing_parts import (
    Figure,
    FigureOwners,
    assign_thing_letters,
    explain_numbers,
    find_figures,
    list_things_in_play,
)
from rulewright.play.board_svg import (
    LINE_HEIGHT,
    MIN_PAGE_WIDTH,
    LegendItem,
    choose_grounds,
    escape_text,
    fill_of_side,
    join_named_items,
    join_svg,
    pointer_corners,
    round_length,
    svg_points,
    write_on_counter,
)
from rulewright.program import expressions as ex
from rulewright.program.board_geometry import ANGLE, POINT, get_approximate_inch, list_polygon_attributes
from rulewright.program.declarations import Board, Program
from rulewright.program.types import INCHES, INCHES_PER_UNIT, PlaneType, ThingType, strip_optional
from rulewright.runtime.geometry import (
    THOUSANDTHS_PER_INCH,
    Area,
    Disc,
    Number,
    Outline,
    Point,
    bounding_box,
    inches_to_thousandths,
    is_disc,
    place_shape,
    point_distance,
    thousandths_to_inches,
)
from rulewright.runtime.plane_bodies import body_at_pose, gap_of, in_arc_of, list_bodies, sees_of
from rulewright.runtime.pose_search import PoseSearch
from rulewright.runtime.request import Request
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value
from rulewright.wording.english import speak_name

PlaneBox = tuple[int, int, int, int]
"""Minimum x and y, then maximum, in thousandths of the board's unit."""
_NUMBER_REGEX = r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?)"
_POINT_PATTERN = re.compile(rf"{_NUMBER_REGEX}[\s,]+{_NUMBER_REGEX}")
MAX_PLACES_TRIED = 1_500
"""Candidates of a place search that are drawn."""
_MARGIN_INCHES, _VIEW_RADIUS_INCHES = 2, 8
"""Margin around figures and outlines, and half the size of a view around a place."""


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A figure with its base; a point if it has none."""

    figure: Figure
    outline: Outline


@dataclass(frozen=True, slots=True)
class PlacedOutline:
    """An outline without a place of its own, such as a wall."""

    id: str
    letters: str
    outline: Area


@dataclass(frozen=True, slots=True)
class PlacementSearch:
    """Result of the search for a place."""

    thing: str  # its id
    base: Outline | None  # outline at the first legal place
    legal: tuple[Point, ...]  # centres
    refused: tuple[Point, ...]  # centres
    legal_answers: tuple[Value, ...] = ()  # in the order of `legal`


@dataclass(frozen=True, slots=True)
class DrawnPlane:
    """The plane in one situation, in thousandths of its unit."""

    name: str  # of the board
    extent: PlaneBox  # the drawn part
    placed_figures: tuple[PlacedFigure, ...]  # by kind and number
    outlines: tuple[PlacedOutline, ...]
    players: FigureOwners
    search: PlacementSearch | None = None  # for the place that is asked for
    unit: str = INCHES
    numbers: tuple[str, ...] = ()  # what the numbers on bases are


def draw_plane(
    board: Board, situation: Situation, names: NameTable, search: PlacementSearch | None = None, around: str = ""
) -> DrawnPlane:
    """Drawing of the plane: the whole board if it is bounded, or the surroundings of a thing or point."""
    figures = tuple(
        PlacedFigure(figure, _figure_outline(figure, situation))
        for figure in find_figures(situation, names, POINT, ANGLE)
    )
    lying = tuple(_place_outlines(situation, names))
    plane = situation.base.plane
    reach = (plane.width, plane.depth)
    centre = find_point(around, figures) if around else None
    inch = get_approximate_inch(board.unit)
    shown = (
        _box_around(centre, _VIEW_RADIUS_INCHES * inch)
        if centre
        else _plane_extent(reach, figures, lying, search, _MARGIN_INCHES * inch)
    )
    return DrawnPlane(
        board.name,
        shown,
        figures,
        lying,
        FigureOwners(names.ids_of_kind("player")),
        search,
        board.unit,
        tuple(explain_numbers((placed_figure.figure for placed_figure in figures), names)),
    )


def find_point(written: str, figures: Sequence[PlacedFigure]) -> Point | None:
    """Point by typed coordinates, `3.5,2`, or by the id of a thing there."""
    pair = _POINT_PATTERN.fullmatch(written.strip("[]() "))
    if pair is None:
        return next((placed_figure.figure.at for placed_figure in figures if placed_figure.figure.id == written), None)
    return round(float(pair[1]) * THOUSANDTHS_PER_INCH), round(float(pair[2]) * THOUSANDTHS_PER_INCH)


def search_placement(request: Request, situation: Situation, names: NameTable) -> PlacementSearch | None:
    """Verdicts on the first candidates for a place that is asked for; None for other questions."""
    question = request.question
    if request.sort != "place" or question is None:
        return None
    spots = PoseSearch(question.world, question.frame, question.data)
    judged = [*islice(spots.judge_candidates(), MAX_PLACES_TRIED)]
    legal = [pose for pose, is_legal in judged if is_legal]
    first = legal[0] if legal else spots.find_witness()
    thing, type_ = request.arguments["thing"]
    assert isinstance(type_, ThingType)
    assert isinstance(thing, int)
    base: Any = situation.attributes[f"{type_.kind}/base"][thing]
    return PlacementSearch(
        thing=names.thing_id(type_.kind, thing),
        base=None if first is None else place_shape(base, first[1], first[2]),
        legal=tuple(at for _, at, _ in legal),
        refused=tuple(pose[1] for pose, is_legal in judged if not is_legal),
        legal_answers=tuple(legal),
    )


def _figure_outline(figure: Figure, situation: Situation) -> Outline:
    base: Any = situation.attributes.get(f"{figure.kind}/base", {})
    shape = base[figure.number] if base else None
    return place_shape(shape, figure.at, figure.facing or 0) if shape is not None else (*figure.at, 0)


def _place_outlines(situation: Situation, names: NameTable) -> Iterator[PlacedOutline]:
    called = assign_thing_letters(names, POINT)
    for kind, attribute in list_polygon_attributes(names.program.kinds):
        for number, id_ in list_things_in_play(kind, situation):
            outline: Any = situation.attributes[f"{kind}/{attribute}"][number]
            if isinstance(outline, tuple):
                yield PlacedOutline(id_, called[kind, id_], outline)


def _box_around(centre: Point, far: int) -> PlaneBox:
    x, y = centre
    return x - far, y - far, x + far, y + far


def _plane_extent(
    reach: tuple[int | None, int | None],
    figures: Sequence[PlacedFigure],
    lying: Sequence[PlacedOutline],
    search: PlacementSearch | None,
    margin: int,
) -> PlaneBox:
    """The reach of the board, or the bounding box of all that is there with a margin if it is unbounded."""
    width, depth = reach
    items = [
        *(bounding_box(placed_figure.outline) for placed_figure in figures),
        *(bounding_box(placed_outline.outline) for placed_outline in lying),
    ]
    items += [(x, y, x, y) for x, y in (search.legal if search is not None else ())]
    left, low, right, high = zip(*(items or [(0, 0, 0, 0)]), strict=True)
    along_x = (0, width) if width is not None else (min(left) - margin, max(right) + margin)
    along_y = (0, depth) if depth is not None else (min(low) - margin, max(high) + margin)
    return along_x[0], along_y[0], along_x[1], along_y[1]


_MAX_PLANE_SIZE, _MAX_INCH_SIZE = 840.0, 40.0
"""In units of SVG."""
_LEFT_MARGIN, _TOP_MARGIN, _RIGHT_MARGIN, _BOTTOM_MARGIN = 38.0, 16.0, 16.0, 30.0
_MIN_GRID_SPACING, _MIN_NUMBER_SPACING = 12.0, 30.0
_MIN_LETTERED_RADIUS, _MIN_NAMED_RADIUS = 7.0, 16.0
"""In units of SVG; letters of smaller bases stand beside them, names of larger ones on them."""
_MEASURED_PLACES = 40
_MIN_LEGAL_WIDTH, _MAX_LEGAL_WIDTH, _LEGAL_OVERLAP = 4.0, 60.0, 1.7
"""In units of SVG, the stroke of a place that is legal; in distances to the next such place."""
_LETTER_SIZE, _MAX_LETTER_SIZE = 10, 13.0
_MIN_HULL_RADIUS = 40
"""In units of SVG; a larger base is an outline around a disc."""
_RIGHT_ANGLE_DEGREES = 90


@dataclass(frozen=True, slots=True)
class PlanePage:
    """A plane as SVG, and where things are in it, in its units."""

    svg: str
    bases: Mapping[tuple[str, int], tuple[float, float, float]]  # by kind and number: middle, radius
    # each answer that was found for a base, and where its middle is drawn
    answer_spots: tuple[tuple[Value, float, float], ...]
    zero: tuple[float, float]  # position of the origin
    scale: float  # of one unit of the board
    found: tuple[
        float, tuple[tuple[float, float], ...]
    ]  # radius, or corners, of the base at the first place found for it

    def point_at(self, point: Point) -> tuple[float, float]:
        """Where a point of the plane is drawn."""
        x, y = (length * self.scale / THOUSANDTHS_PER_INCH for length in point)
        return round_length(self.zero[0] + x), round_length(self.zero[1] - y)


def lay_out_plane(plane: DrawnPlane) -> PlanePage:
    """Page of a plane."""
    return _PlaneLayout(plane).make_plane_page()


class _PlaneLayout:
    def __init__(self, plane: DrawnPlane) -> None:
        self._plane = plane
        left, low, right, high = plane.extent
        self._scale = min(
            _MAX_INCH_SIZE / get_approximate_inch(plane.unit),
            *(_MAX_PLANE_SIZE / max(item, 1) for item in (right - left, high - low)),
        )
        self._drawn_width, self._drawn_height = (right - left) * self._scale, (high - low) * self._scale
        self._figures = [each for each in plane.placed_figures if self._is_shown(each.outline)]
        self._lying = [each for each in plane.outlines if self._is_shown(each.outline)]

    def _page_point(self, point: Iterable[float]) -> tuple[float, float]:
        """Y points up on the plane and down on the page."""
        x, y = point
        left, low, *_ = self._plane.extent
        return _LEFT_MARGIN + (x - left) * self._scale, _TOP_MARGIN + self._drawn_height - (y - low) * self._scale

    def _rounded_point(self, point: Iterable[float]) -> tuple[float, float]:
        x, y = self._page_point(point)
        return round_length(x), round_length(y)

    def make_plane_page(self) -> PlanePage:
        search = self._plane.search
        width = max(MIN_PAGE_WIDTH, _LEFT_MARGIN + self._drawn_width + _RIGHT_MARGIN)
        bottom = _TOP_MARGIN + self._drawn_height + _BOTTOM_MARGIN + LINE_HEIGHT
        svg = join_svg(
            self._plane.name,
            width,
            [*self._draw_field(), '<g clip-path="url(#inside)">', *self._draw_contents(), "</g>"],
            styles=map(self._side_colour, self._figures),
            grounds=choose_grounds({1: "wall"} if self._lying else {}),
            legend=self._plane_legend_items(),
            legend_place=(_LEFT_MARGIN, bottom, width - _LEFT_MARGIN - _RIGHT_MARGIN),
        )
        return PlanePage(
            svg,
            {(each.figure.kind, each.figure.number): self._base_reach(each) for each in self._figures},
            tuple(self._legal_answer_spots(search)) if search is not None else (),
            self._page_point((0, 0)),
            self._scale * THOUSANDTHS_PER_INCH,
            (0, ()) if search is None or search.base is None else self._page_outline(search.base),
        )

    def _side_colour(self, each: PlacedFigure) -> str:
        return self._plane.players.side_colour(each.figure.owner)

    def _legal_width(self, places: Sequence[Point]) -> float:
        """Width of a dot at legal places: so wide that most of them touch the dots around them."""
        apart = list(dict.fromkeys(places))
        sample = apart[:: max(1, len(apart) // _MEASURED_PLACES)]
        nearest = sorted(min(dist(place, other) for other in apart if other != place) for place in sample if apart[1:])
        spacing = nearest[len(nearest) * 3 // 4] * self._scale if nearest else 0
        return round_length(min(_MAX_LEGAL_WIDTH, max(_MIN_LEGAL_WIDTH, spacing * _LEGAL_OVERLAP)))

    def _legal_answer_spots(self, search: PlacementSearch) -> Iterator[tuple[Value, float, float]]:
        """The first answer for each centre."""
        first = dict(zip(reversed(search.legal), reversed(search.legal_answers), strict=True))
        for at, pose in first.items():
            if self._is_shown((*at, 0)):
                yield pose, *self._rounded_point(at)

    def _base_reach(self, each: PlacedFigure) -> tuple[float, float, float]:
        reach = max(_MIN_LETTERED_RADIUS, self._room_on(each.outline))
        return *self._rounded_point(_middle_of(each.outline)), round_length(reach)

    def _room_on(self, outline: Outline) -> float:
        """Half the shorter side of the box around an outline."""
        west, south, east, north = bounding_box(outline)
        return min(east - west, north - south) * self._scale / 2

    def _is_shown(self, outline: Outline) -> bool:
        left, low, right, high = self._plane.extent
        west, south, east, north = bounding_box(outline)
        return west <= right and east >= left and south <= high and north >= low

    def _tick_positions(self, axis: int, spacing: float) -> Iterator[int]:
        """Multiples of a readable step, at least `spacing` from each other on the page."""
        steps = (step * THOUSANDTHS_PER_INCH for step in _tick_steps(self._plane.unit))
        step = next(step for step in steps if step * self._scale >= spacing)
        first = -(-self._plane.extent[axis] // step) * step
        return iter(range(first, self._plane.extent[axis + 2] + 1, step))

    def _draw_field(self) -> Iterator[str]:
        """The drawn part of the plane, its grid, and lengths along its edges."""
        wide, high = round_length(self._drawn_width), round_length(self._drawn_height)
        frame = f'x="{_LEFT_MARGIN}" y="{_TOP_MARGIN}" width="{wide}" height="{high}"'
        left, low, *_ = self._plane.extent
        up = (self._rounded_point((x, low))[0] for x in self._tick_positions(0, _MIN_GRID_SPACING))
        over = (self._rounded_point((left, y))[1] for y in self._tick_positions(1, _MIN_GRID_SPACING))
        lines = [f"M{x} {_TOP_MARGIN}v{high}" for x in up] + [f"M{_LEFT_MARGIN} {y}h{wide}" for y in over]
        yield f'<defs><clipPath id="inside"><rect {frame}/></clipPath></defs>'
        yield '<rect width="100%" height="100%" class="paper"/>'
        yield f'<rect {frame} class="field"/>'
        yield f'<path d="{"".join(lines)}" class="frame" stroke-opacity=".8"/>'
        yield f'<rect {frame} class="frame"/>'
        yield '<g font-size="10">'
        for axis, anchor in ((0, "middle"), (1, "end")):
            for at in self._tick_positions(axis, _MIN_NUMBER_SPACING):
                across, down = self._page_point((left, at) if axis else (at, low))
                x, y = (across - 5, down + 4) if axis else (across, down + 14)
                place = f'x="{round_length(x)}" y="{round_length(y)}" text-anchor="{anchor}"'
                yield f"<text {place}>{at // THOUSANDTHS_PER_INCH}</text>"
        yield "</g>"

    def _draw_contents(self) -> Iterator[str]:
        """Places that were tried, outlines and bases, the front last, and letters."""
        search = self._plane.search
        legal, refused = (search.legal, search.refused) if search is not None else ((), ())
        width = _MIN_LEGAL_WIDTH if search is None else self._legal_width(legal)
        yield f'<path d="{self._dots_path(legal)}" class="dot legal" stroke-width="{width}"/>'
        yield f'<path d="{self._dots_path(refused)}" class="dot refused"/>'
        for lying in self._lying:
            yield self._draw_outline(lying.outline, 'class="wall"')
        for each in self._figures:
            yield from self._draw_base(each)
        if search is not None and search.base is not None:
            yield self._draw_outline(search.base, 'class="found"')
        for lying in self._lying:
            x, y = self._page_point(_middle_of(lying.outline))
            yield _write_over(speak_name(lying.id), x, y + 4, _MAX_LETTER_SIZE, ' text-anchor="middle"')
        for each in self._figures:
            yield from self._draw_figure_labels(each)

    def _draw_base(self, each: PlacedFigure) -> Iterator[str]:
        """A large base is an outline around a disc with its owner's look; a triangle shows the facing."""
        facing, side = each.figure.facing, self._side_colour(each)
        if facing is not None:
            x, y = self._page_point(each.figure.at)
            ahead = _front_distance(each) * self._scale + 1
            way = pointer_corners(x, y, ahead, float(facing) - _RIGHT_ANGLE_DEGREES)
            yield f'<polygon points="{way}" class="{side} way"/>'
        if self._room_on(each.outline) <= _MIN_HULL_RADIUS:
            yield self._draw_outline(each.outline, f'class="body" {fill_of_side(side)}')
            return
        yield self._draw_outline(each.outline, f'class="body hull" {fill_of_side(side)}')
        x, y = self._rounded_point(_middle_of(each.outline))
        yield f'<circle cx="{x}" cy="{y}" r="{1.3 * _MAX_LETTER_SIZE}" class="body" {fill_of_side(side)}/>'

    def _page_outline(self, outline: Outline) -> tuple[float, tuple[tuple[float, float], ...]]:
        """Radius of a disc, or the corners of another outline, on the page."""
        if is_disc(outline):
            return max(2.0, round_length(cast("Disc", outline)[2] * self._scale)), ()
        return 0, tuple(map(self._rounded_point, cast("Area", outline)))

    def _draw_outline(self, outline: Outline, looks: str) -> str:
        radius, corners = self._page_outline(outline)
        if not radius:
            return f'<polygon points="{svg_points(corners)}" {looks}/>'
        x, y = self._rounded_point(cast("Disc", outline)[:2])
        return f'<circle cx="{x}" cy="{y}" r="{radius}" {looks}/>'

    def _draw_figure_labels(self, each: PlacedFigure) -> Iterator[str]:
        room, letters = self._room_on(each.outline), self._plane.players.figure_letters(each.figure)
        if room < _MIN_LETTERED_RADIUS:
            _, _, east, north = bounding_box(each.outline)
            x, y = self._page_point((east, north))
            yield _write_over(letters, x + 1, y, _LETTER_SIZE)
            return
        named = room >= _MIN_NAMED_RADIUS
        name, large = (speak_name(each.figure.id), each.figure.numbers or letters) if named else ("", letters)
        radius = min(0.8 * room, 1.6 * _MAX_LETTER_SIZE)
        middle = self._page_point(_middle_of(each.outline))
        yield from write_on_counter(name, large, *middle, radius, self._side_colour(each))

    def _dots_path(self, middles: Sequence[Point]) -> str:
        shown = (self._rounded_point(middle) for middle in middles if self._is_shown((*middle, 0)))
        return "".join(f"M{x} {y}h0" for x, y in shown)

    def _plane_legend_items(self) -> Iterator[LegendItem]:
        players = self._plane.players
        for owner, called in players.list_by_owner(each.figure for each in self._figures):
            yield "counter", players.side_colour(owner), f"{players.owner_prefix(owner)}{join_named_items(called)}"
        yield from (("", "", words) for words in self._plane.numbers if self._figures)
        if self._lying:
            yield "ground", "1", join_named_items([each.id for each in self._lying])
        if self._plane.search is not None:
            yield from _search_legend_items(self._plane.search)
        outside = len(self._plane.placed_figures) - len(self._figures)
        if outside:
            yield "", "", f"{outside:,} more stand{'s' if outside == 1 else ''} beyond what is drawn"


def _middle_of(outline: Outline) -> tuple[float, float]:
    """The middle of the box around an outline."""
    west, south, east, north = bounding_box(outline)
    return (west + east) / 2, (south + north) / 2


def _write_over(text: str, x: float, y: float, size: float, anchor: str = "") -> str:
    """Letters over what is drawn; beside a point unless anchored."""
    looks = f'x="{round_length(x)}" y="{round_length(y)}"{anchor} font-size="{size}" font-weight="bold"'
    return f'<g class="over"><text {looks}>{escape_text(text)}</text></g>'


def _search_legend_items(search: PlacementSearch) -> Iterator[LegendItem]:
    if search.base is None:
        yield "", "", f"no place for {search.thing} was found"
    else:
        yield "found", "", f"the first place found for {search.thing}"
    if search.legal:
        yield "dot", "legal", f"where its middle may be: {len(search.legal):,} of the first places tried"
    if search.refused:
        yield "dot", "refused", f"where it may not be: {len(search.refused):,} of them"


def _tick_steps(unit: str) -> Iterator[int]:
    """Increasing: 1, 2, 3, 6, 12, 24, 60 inches; else 1, 2, 5 times powers of ten."""
    first, steps = ((1, 2, 3, 6), (12, 24, 60)) if unit == INCHES else ((), (1, 2, 5))
    yield from first
    for tens in count():
        yield from (step * 10**tens for step in steps)


def _front_distance(each: PlacedFigure) -> float:
    """Distance from the centre of a base to its edge, in the direction that it faces."""
    if is_disc(each.outline):
        return cast("Disc", each.outline)[2]
    (left_x, left_y), (right_x, right_y), *_ = cast("Area", each.outline)
    return dist(each.figure.at, ((left_x + right_x) / 2, (left_y + right_y) / 2))


@dataclass(frozen=True, slots=True)
class Sight:
    """Another base as seen from a place; lengths in the unit of the board."""

    thing: str  # its id
    middle: tuple[float, float]
    gap: float  # from edge to edge
    sees: bool | None  # None: the rules never ask
    ahead: bool | None  # in the widest arc that the rules ask about; None: they ask about none


@dataclass(frozen=True, slots=True)
class SightRules:
    """What the rules ask about sight."""

    asks_sight: bool
    arc: Number | None  # the widest, in degrees


def find_sight_rules(program: Program) -> SightRules:
    """What a ruleset asks about sight and arcs, anywhere in it."""
    calls = [node for node in walk_nodes(program) if isinstance(node, ex.Builtin)]
    arcs = [
        value
        for call in calls
        if call.name == "in_arc" and isinstance(call.arguments[2], ex.Literal)
        for value in (call.arguments[2].value,)
        if isinstance(value, int | Fraction)
    ]
    return SightRules(any(call.name == "sees" for call in calls), max(arcs, default=None))


def list_sights(request: Request, pose: Value, names: NameTable, unit: str) -> list[Sight]:
    """All other bases as seen from a pose that a request asks for; none where the rules ask nothing about sight."""
    rules, question = find_sight_rules(names.program), request.question
    if question is None or request.sort != "place" or not (rules.asks_sight or rules.arc is not None):
        return []
    world = question.world
    own = body_at_pose(world, pose) if isinstance(pose, tuple) else None
    if own is None:
        return []
    scale = float(INCHES_PER_UNIT[unit])
    return [
        Sight(
            thing=names.thing_id(other.kind, other.thing),
            middle=(_in_unit(other.middle[0], scale), _in_unit(other.middle[1], scale)),
            gap=round(float(gap_of(own, other, "")) / scale, 2),
            sees=sees_of(world, own, other) if rules.asks_sight else None,
            ahead=in_arc_of(world, own, other, rules.arc) if rules.arc is not None else None,
        )
        for other in list_bodies(world)
        if (other.kind, other.thing) != (own.kind, own.thing)
    ]


def find_reach(request: Request, situation: Situation, names: NameTable, unit: str) -> float | None:
    """How far the middle of a base may go from where it stands, where a condition compares that distance; in the unit.

    It is the shortest length compared that no legal place goes beyond.
    """
    search, question = search_placement(request, situation, names), request.question
    if search is None or question is None:
        return None
    thing, type_ = request.arguments["thing"]
    assert isinstance(type_, ThingType)
    assert isinstance(thing, int)
    places = [
        column for name, column in situation.attributes.items() if name == f"{type_.kind}/{_place_of(names, type_)}"
    ]
    start: Any = places[0][thing] if places else None
    if start is None:
        return None
    farthest = max((point_distance(start, at) for at in search.legal), default=0)
    reaches = PoseSearch(question.world, question.frame, question.data).list_reaches()
    fitting = sorted(reach for reach in reaches if inches_to_thousandths(reach) >= farthest - _ROUNDING)
    return round(float(fitting[0]) / float(INCHES_PER_UNIT[unit]), 3) if fitting else None


_ROUNDING = 2
"""Thousandths of an inch by which a place may be rounded."""


def _place_of(names: NameTable, type_: ThingType) -> str:
    """Name of the attribute that says where things of a kind stand."""
    fields = names.program.kinds[type_.kind].fields
    return next((field.name for field in fields if strip_optional(field.type) == PlaneType("point")), "")


def _in_unit(thousandths: int, scale: float) -> float:
    return round(float(thousandths_to_inches(thousandths)) / scale, 3)
