"""The plane: bases, outlines, its extent, the places where a base may go, as a page with lengths; what a base would see there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count, islice
from math import dist
from typing import Any, cast

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.documents.name_table import NameTable
from rulewright.play.board_drawing_parts import (
    LINE_HEIGHT,
    MIN_PAGE_WIDTH,
    CounterText,
    Figure,
    FigureOwners,
    GroundDrawn,
    LegendLine,
    assign_thing_letters,
    choose_grounds,
    explain_numbers,
    find_figures,
    join_named_items,
    lay_out_legend,
    legend_end,
    list_things_in_play,
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
_MAX_LETTER_SIZE = 13.0
_MIN_HULL_RADIUS = 40
"""In units of SVG; a larger base is an outline around a disc."""
_RIGHT_ANGLE_DEGREES = 90


@dataclass(frozen=True, slots=True)
class OutlineDrawn:
    """An outline and its style: centre and radius of a disc, else corners."""

    style: str
    x: float
    y: float
    radius: float
    corners: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class LabelDrawn:
    """Letters or a number at a point, with style and size."""

    style: str
    x: float
    y: float
    text: str
    size: float = 10


@dataclass(frozen=True, slots=True)
class PlanePage:
    """A plane in units of SVG."""

    title: str  # name of the board
    width: float
    height: float
    frame: tuple[float, float, float, float]  # x, y, width and height of the drawn part of the plane
    lines: str  # grid, as an SVG path
    numbers: tuple[LabelDrawn, ...]  # lengths along the edges
    forms: tuple[OutlineDrawn, ...]  # outlines and bases, front last
    letters: tuple[LabelDrawn, ...]
    legal: str  # legal centres, as an SVG path of dots
    legal_width: float  # of a dot, so that they fill the ground between them
    refused: str  # illegal centres, likewise
    entries: tuple[LegendLine, ...]  # legend
    bases: tuple[tuple[tuple[str, int], float, float, float], ...]  # (kind, number), centre x and y, radius
    answer_spots: tuple[
        tuple[Value, float, float], ...
    ]  # each answer that was found for a base, and where its middle is drawn
    zero: tuple[float, float]  # position of the origin
    scale: float  # of one unit of the board
    grounds: tuple[GroundDrawn, ...]
    styles: tuple[str, ...]  # of the bases that are drawn

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

    def _page_point(self, point: Iterable[float]) -> tuple[float, float]:
        """Y points up on the plane and down on the page."""
        x, y = point
        left, low, *_ = self._plane.extent
        return _LEFT_MARGIN + (x - left) * self._scale, _TOP_MARGIN + self._drawn_height - (y - low) * self._scale

    def make_plane_page(self) -> PlanePage:
        figures = [
            placed_figure for placed_figure in self._plane.placed_figures if self._is_shown(placed_figure.outline)
        ]
        lying = [outline for outline in self._plane.outlines if self._is_shown(outline.outline)]
        width = max(MIN_PAGE_WIDTH, _LEFT_MARGIN + self._drawn_width + _RIGHT_MARGIN)
        bottom = _TOP_MARGIN + self._drawn_height + _BOTTOM_MARGIN + LINE_HEIGHT
        items = [*self._plane_legend_items(figures, [placed_outline.id for placed_outline in lying])]
        entries = tuple(lay_out_legend(items, _LEFT_MARGIN, bottom, width - _LEFT_MARGIN - _RIGHT_MARGIN))
        search = self._plane.search
        result = (self._make_outline("found", search.base),) if search is not None and search.base is not None else ()
        return PlanePage(
            title=self._plane.name,
            width=round_length(width),
            height=legend_end(entries, bottom),
            frame=(_LEFT_MARGIN, _TOP_MARGIN, round_length(self._drawn_width), round_length(self._drawn_height)),
            lines=self._grid_path(),
            numbers=tuple(self._make_tick_labels()),
            forms=(
                *(self._make_outline("wall", placed_outline.outline) for placed_outline in lying),
                *(form for placed_figure in figures for form in self._make_base_outlines(placed_figure)),
                *result,
            ),
            letters=(
                *map(self._make_outline_label, lying),
                *(label for placed_figure in figures for label in self._make_figure_labels(placed_figure)),
            ),
            legal=self._dots_path(search.legal) if search is not None else "",
            legal_width=self._legal_width(search.legal) if search is not None else _MIN_LEGAL_WIDTH,
            refused=self._dots_path(search.refused) if search is not None else "",
            entries=entries,
            bases=tuple(self._base_reach(placed_figure) for placed_figure in figures),
            answer_spots=tuple(self._legal_answer_spots(search)) if search is not None else (),
            zero=self._page_point((0, 0)),
            scale=self._scale * THOUSANDTHS_PER_INCH,
            grounds=choose_grounds({1: "wall"} if lying else {}),
            styles=tuple(dict.fromkeys(map(self._side_colour, figures))),
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
                x, y = self._page_point(at)
                yield pose, round_length(x), round_length(y)

    def _base_reach(self, each: PlacedFigure) -> tuple[tuple[str, int], float, float, float]:
        west, south, east, north = bounding_box(each.outline)
        x, y = self._page_point(((west + east) / 2, (south + north) / 2))
        reach = max(_MIN_LETTERED_RADIUS, min(east - west, north - south) * self._scale / 2)
        return (each.figure.kind, each.figure.number), round_length(x), round_length(y), round_length(reach)

    def _is_shown(self, outline: Outline) -> bool:
        left, low, right, high = self._plane.extent
        west, south, east, north = bounding_box(outline)
        return west <= right and east >= left and south <= high and north >= low

    def _tick_positions(self, axis: int, spacing: float) -> Iterator[int]:
        """Multiples of a readable step, at least `spacing` from each other on the page."""
        step = (
            next(
                tick_step
                for tick_step in _tick_steps(self._plane.unit)
                if tick_step * THOUSANDTHS_PER_INCH * self._scale >= spacing
            )
            * THOUSANDTHS_PER_INCH
        )
        first = -(-self._plane.extent[axis] // step) * step
        return iter(range(first, self._plane.extent[axis + 2] + 1, step))

    def _grid_path(self) -> str:
        left, low, *_ = self._plane.extent
        up = (
            f"M{round_length(self._page_point((x, low))[0])} {_TOP_MARGIN}v{round_length(self._drawn_height)}"
            for x in self._tick_positions(0, _MIN_GRID_SPACING)
        )
        over = (
            f"M{_LEFT_MARGIN} {round_length(self._page_point((left, y))[1])}h{round_length(self._drawn_width)}"
            for y in self._tick_positions(1, _MIN_GRID_SPACING)
        )
        return "".join([*up, *over])

    def _make_tick_labels(self) -> Iterator[LabelDrawn]:
        left, low, *_ = self._plane.extent
        for x in self._tick_positions(0, _MIN_NUMBER_SPACING):
            across, down = self._page_point((x, low))
            yield LabelDrawn("below", round_length(across), round_length(down + 14), str(x // THOUSANDTHS_PER_INCH))
        for y in self._tick_positions(1, _MIN_NUMBER_SPACING):
            across, down = self._page_point((left, y))
            yield LabelDrawn("beside", round_length(across - 5), round_length(down + 4), str(y // THOUSANDTHS_PER_INCH))

    def _make_base_outlines(self, each: PlacedFigure) -> Iterator[OutlineDrawn]:
        """A large base is an outline around a disc with its owner's style; a triangle shows the facing."""
        facing, looks = each.figure.facing, self._side_colour(each)
        x, y = self._page_point(each.figure.at)
        ahead = _front_distance(each) * self._scale + 1 if facing is not None else 0
        way = pointer_corners(x, y, ahead, float(facing) - _RIGHT_ANGLE_DEGREES) if facing is not None else ""
        west, south, east, north = bounding_box(each.outline)
        is_large = min(east - west, north - south) * self._scale / 2 > _MIN_HULL_RADIUS
        yield self._make_outline(f"{looks} hull" if is_large else looks, each.outline, way)
        if is_large:
            x, y = self._page_point(((west + east) / 2, (south + north) / 2))
            yield OutlineDrawn(looks, round_length(x), round_length(y), 1.3 * _MAX_LETTER_SIZE, "", "")

    def _make_outline(self, looks: str, outline: Outline, way: str = "") -> OutlineDrawn:
        if is_disc(outline):
            across, along, radius = cast("Disc", outline)
            x, y = self._page_point((across, along))
            return OutlineDrawn(
                looks, round_length(x), round_length(y), max(2.0, round_length(radius * self._scale)), "", way
            )
        return OutlineDrawn(looks, 0, 0, 0, svg_points(map(self._page_point, cast("Area", outline))), way)

    def _make_figure_labels(self, each: PlacedFigure) -> Iterator[LabelDrawn]:
        west, south, east, north = bounding_box(each.outline)
        room = min(east - west, north - south) * self._scale / 2
        letters = self._plane.players.figure_letters(each.figure)
        if room < _MIN_LETTERED_RADIUS:
            x, y = self._page_point((east, north))
            yield LabelDrawn("beside", round_length(x + 1), round_length(y), letters)
            return
        x, y = self._page_point(((west + east) / 2, (south + north) / 2))
        named = room >= _MIN_NAMED_RADIUS
        name, large = (speak_name(each.figure.id), each.figure.numbers or letters) if named else ("", letters)
        for line in write_on_counter(name, large, x, y, min(0.8 * room, 1.6 * _MAX_LETTER_SIZE)):
            yield self._label_counter(line, each)

    def _label_counter(self, line: CounterText, each: PlacedFigure) -> LabelDrawn:
        return LabelDrawn(self._side_colour(each), line.x, line.y, line.text, line.size)

    def _make_outline_label(self, each: PlacedOutline) -> LabelDrawn:
        west, south, east, north = bounding_box(each.outline)
        x, y = self._page_point(((west + east) / 2, (south + north) / 2))
        return LabelDrawn("over", round_length(x), round_length(y + 4), speak_name(each.id), _MAX_LETTER_SIZE)

    def _dots_path(self, middles: Sequence[Point]) -> str:
        shown = (self._page_point(middle) for middle in middles if self._is_shown((*middle, 0)))
        return "".join(f"M{round_length(x)} {round_length(y)}h0" for x, y in shown)

    def _plane_legend_items(
        self, figures: Sequence[PlacedFigure], lying: Sequence[str]
    ) -> Iterator[tuple[str, str, str]]:
        players = self._plane.players
        for owner, called in players.list_by_owner(placed_figure.figure for placed_figure in figures):
            yield "counter", players.side_colour(owner), f"{players.owner_prefix(owner)}{join_named_items(called)}"
        yield from (("", "", words) for words in self._plane.numbers if figures)
        if lying:
            yield "ground", "1", join_named_items(lying)
        if self._plane.search is not None:
            yield from _search_legend_items(self._plane.search)
        outside = len(self._plane.placed_figures) - len(figures)
        if outside:
            yield "", "", f"{outside:,} more stand{'s' if outside == 1 else ''} beyond what is drawn"


def _search_legend_items(search: PlacementSearch) -> Iterator[tuple[str, str, str]]:
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
