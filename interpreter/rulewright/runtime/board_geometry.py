"""Bodies on the plane and cells of grids, as generated code asks for them: distances, contact, sight, destinations."""

from collections import deque
from collections.abc import Callable, Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from rulewright.program.types import GRID_STEPS
from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.geometry import (
    EIGHTH_TURN_DEG,
    QUARTER_TURN_DEG,
    THOUSANDTHS_PER_INCH,
    Area,
    Number,
    Outline,
    Point,
    bearing_of_vector,
    bounding_box,
    do_outlines_overlap,
    has_clear_sight,
    inches_to_thousandths,
    is_disc,
    is_in_arc,
    is_wholly_within,
    is_within_reach,
    list_edges,
    measure_gap,
    place_shape,
    point_distance,
    thousandths_to_inches,
)
from rulewright.runtime.state import Plane
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import (
    BOARD,
    CONTROL,
    RECORD,
    PlaneColumns,
    WorkingMemory,
)


class PlaneBody(NamedTuple):
    """What a thing, a point or a polygon takes up on the plane."""

    kind: str  # empty for what is no thing
    thing: int  # its number; -1 for what is no thing
    outline: Outline
    middle: Point
    facing: Any


def body_of_thing(world: WorkingMemory, columns: PlaneColumns, thing: int) -> PlaneBody | None:
    """Body of a thing where it stands."""
    at = world[columns.at][thing]
    if at is None or world[columns.gone][thing]:
        return None
    return _make_body(world, columns, thing, at, world[columns.facing][thing] if columns.facing is not None else 0)


def body_of_pose(world: WorkingMemory, columns: PlaneColumns, pose: tuple[Any, ...]) -> PlaneBody | None:
    """Body of a thing at a pose; a fault if the thing is out of play."""
    thing, at, facing = pose
    return None if world[columns.gone][thing] else _make_body(world, columns, thing, at, facing)


def _make_body(world: WorkingMemory, columns: PlaneColumns, thing: int, at: Point, facing: Any) -> PlaneBody | None:
    base = world[columns.base][thing] if columns.base is not None else ("round", 0)
    if base is None:
        return None
    turned = 0 if facing is None else facing
    outline = (at[0], at[1], base[1]) if base[0] == "round" else place_shape(base, at, turned)
    return PlaneBody(columns.kind, thing, outline, at, turned)


def body_of_point(point: Point) -> PlaneBody | None:
    """A point as a body without size."""
    return PlaneBody("", -1, (point[0], point[1], 0), point, 0)


def body_of_polygon(polygon: Area) -> PlaneBody | None:
    return PlaneBody("", -1, polygon, polygon[0], 0)


def pose_of(world: WorkingMemory, columns: PlaneColumns, thing: int) -> tuple[Any, ...] | None:
    """Pose of a thing where it stands, in play or not; none if it is off the board."""
    at = world[columns.at][thing]
    if at is None:
        return None
    facing = world[columns.facing][thing] if columns.facing is not None else 0
    return thing, at, 0 if facing is None else facing


def are_same_thing(a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies belong to one thing."""
    return a is not None and b is not None and a.thing == b.thing >= 0 and a.kind == b.kind


def body_at_pose(world: WorkingMemory, pose: tuple[Any, ...]) -> PlaneBody | None:
    """Body of a thing at a pose, in a ruleset whose poses are of one kind."""
    return body_of_pose(world, world[CONTROL].tables.stands[0], pose)


def list_bodies(world: WorkingMemory) -> list[PlaneBody]:
    """Bodies of all things in play that stand somewhere, by kind and number."""
    return [body for body, _ in list_boxed_bodies(world)]


def list_boxed_bodies(world: WorkingMemory) -> list[tuple[PlaneBody, tuple[int, int, int, int]]]:
    """As `list_bodies`, each with its bounding box; cached until one of them changes."""
    control = world[CONTROL]
    made_of = [world[column] for columns in control.tables.stands for column in columns.columns]
    if control.plane_bodies is None or control.plane_bodies[0] != made_of:
        generator = (
            body_of_thing(world, columns, thing)
            for columns in control.tables.stands
            for thing in world[columns.in_play]
        )
        bodies = [(item, bounding_box(item.outline)) for item in generator if item is not None]
        control.plane_bodies = [item[:] for item in made_of], bodies
    return control.plane_bodies[1]  # type: ignore[no-any-return]


def fits_of(world: WorkingMemory, pose: tuple[Any, ...]) -> bool:
    """Whether the base of a pose lies on the board and over no other base."""
    body = body_at_pose(world, pose)
    if body is None or not is_on_board(body.outline, world[CONTROL].base.plane):
        return False
    left, low, right, high = bounding_box(body.outline)
    return not any(
        do_outlines_overlap(body.outline, other.outline)
        for other, (west, south, east, north) in list_boxed_bodies(world)
        if left <= east and west <= right and low <= north and south <= high and not are_same_thing(body, other)
    )


def is_on_board(outline: Outline, plane: Plane) -> bool:
    """Whether an outline lies wholly on the board; a board without extent contains everything."""
    if plane.width is None or plane.depth is None:
        return True
    left, low, right, high = bounding_box(outline)
    return left >= 0 and low >= 0 and right <= plane.width and high <= plane.depth


def list_walls(world: WorkingMemory) -> tuple[Area, ...]:
    """Polygons of all things in play."""
    return tuple(world[column][thing] for in_play, column in world[CONTROL].tables.walls for thing in world[in_play])


def _require_body(body: PlaneBody | None, text: str) -> PlaneBody:
    if body is None:
        raise Fault(faults.NOT_ON_BOARD, f"`{text}` asks about something that is not on the board")
    return body


def gap_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Shortest distance from edge to edge in inches; a fault for what is nowhere."""
    return thousandths_to_inches(measure_gap(_require_body(a, text).outline, _require_body(b, text).outline))


def distance_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Distance of the middles in inches; a fault for what is nowhere."""
    return thousandths_to_inches(point_distance(_require_body(a, text).middle, _require_body(b, text).middle))


def bearing_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Number:
    """Angle from one middle to another; a fault for what is nowhere or if both are one point."""
    here, there = _require_body(a, text).middle, _require_body(b, text).middle
    if here == there:
        raise Fault(faults.NO_SUCH_PLACE, f"`{text}` asks for the direction from a point to itself")
    return bearing_of_vector(there[0] - here[0], there[1] - here[1])


def contact_of(world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies are at most the tolerance of the board apart; a thing is in no contact with itself."""
    if a is None or b is None or are_same_thing(a, b):
        return False
    return is_within_reach(a.outline, b.outline, world[CONTROL].base.plane.contact)


def is_on_plane(world: WorkingMemory, at: Point | None) -> bool:
    """Whether a point is none, or within the extent of the board."""
    plane = world[CONTROL].base.plane
    return at is None or all(
        end is None or 0 <= item <= end for item, end in zip(at, (plane.width, plane.depth), strict=True)
    )


def fault_off_plane(at: Point) -> None:
    """Fault: a thing would be put outside the extent of the board."""
    raise Fault(faults.OFF_BOARD, describe_off_plane(at))


def describe_off_plane(at: Point) -> str:
    """What is wrong with a point outside the extent of the board."""
    return f"{format_point(at)} is not on the board"


def format_point(at: Point) -> str:
    """A point in inches, as in `(3.5, 2)`."""
    return f"({at[0] / THOUSANDTHS_PER_INCH:g}, {at[1] / THOUSANDTHS_PER_INCH:g})"


def point_of(x: Number, y: Number) -> Point:
    """Point of two coordinates in inches."""
    return inches_to_thousandths(x), inches_to_thousandths(y)


def coordinate_in_inches(length: int) -> int | Fraction:
    """Coordinate of a point in inches."""
    return thousandths_to_inches(length)


def touches_of(world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a base is at most the tolerance of the board away from something else."""
    return contact_of(world, a, b)


def overlaps_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether two bodies overlap; a thing does not overlap itself."""
    return a is not None and b is not None and not are_same_thing(a, b) and do_outlines_overlap(a.outline, b.outline)


def aboard_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a base lies wholly within another."""
    return a is not None and b is not None and not are_same_thing(a, b) and is_wholly_within(a.outline, b.outline)


def segment_of(a: PlaneBody | None, b: PlaneBody | None, text: str) -> Area:
    """Line from one middle to another; a fault for what is nowhere."""
    return _require_body(a, text).middle, _require_body(b, text).middle


def edge_of(a: PlaneBody | None, way: Number, text: str) -> Area:
    """Edge of a base nearest to a direction from its facing; a fault for a round base and for what is nowhere."""
    outline = _require_body(a, text).outline
    if is_disc(outline):
        raise Fault(faults.NO_SUCH_PLACE, f"`{text}` asks for an edge of a round base")
    return list_edges(outline)[(way + EIGHTH_TURN_DEG) // QUARTER_TURN_DEG % len(outline)]


def crosses_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None) -> bool:
    """Whether a line runs through the inside of a polygon."""
    return a is not None and b is not None and do_outlines_overlap(a.outline, b.outline)


def in_arc_of(_world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None, degrees: Number) -> bool:
    """Whether any part of a body lies in an arc around the facing of a base, from its middle."""
    return (
        a is not None
        and b is not None
        and not are_same_thing(a, b)
        and is_in_arc(a.middle, a.facing, degrees, b.outline)
    )


def sees_of(
    world: WorkingMemory, a: PlaneBody | None, b: PlaneBody | None, walls: tuple[Area, ...] | None = None
) -> bool:
    """Whether some line of sight is free of the walls given, else of all polygons in play."""
    if a is None or b is None or are_same_thing(a, b):
        return False
    return has_clear_sight(a.middle, b.outline, b.middle, list_walls(world) if walls is None else walls)


MoveJudge = Callable[[Cell, Cell, int, int], tuple[int, bool] | None]
EndJudge = Callable[[Cell, Cell, int, int], bool | None]


def find_destinations(  # noqa: PLR0913
    world: WorkingMemory,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    *,
    spent_counts: bool,
    moves_count: bool,
    space: str,
) -> tuple[Cell, ...]:
    """Destinations from a cell, in order, by breadth-first search over cell, amount spent and number of moves.

    `judge` takes the cell left, the cell entered, the amount spent before and the moves with this one; it returns the
    amount spent then and whether the move ends there, or none if the cell cannot be entered. `ends` says whether the
    thing can stop after such a move, or none if no row is judged. Amounts or moves that no row reads do not distinguish
    places.
    """
    length = len(world[RECORD]) if world[RECORD] is not None else 0
    members = {start} if ends(start, start, 0, 0) else set()
    visited = {(start, 0, 0)}
    waiting = deque(visited)
    while waiting:
        from_cell, before, moved = waiting.popleft()
        moves = moved + 1
        for entered in neighbours(world, from_cell, space):
            judged = judge(from_cell, entered, before, moves) if entered in board else None
            if judged is None:
                continue
            spent, halted = judged
            stops = ends(from_cell, entered, spent, moves)
            if stops or (stops is None and entered != start):
                members.add(entered)
            place = (entered, spent if spent_counts else 0, moves if moves_count else 0)
            if not halted and place not in visited:
                visited.add(place)
                waiting.append(place)
        _check_path_limit(world, len(visited))
    if world[RECORD] is not None:
        del world[RECORD][length:]
    return tuple(sorted(members))


def find_nearest_move(  # noqa: PLR0913, PLR0917 - a search with what is sought
    world: WorkingMemory,
    sought: Cell,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    **alike: Any,  # as `find_destinations` takes them
) -> tuple[Cell, int, int] | None:
    """The move into a cell that came nearest to ending there: the last that may be made, else the first that is tried.

    Returns the cell left, the amount spent before and the moves with this one; none if no move into the cell is tried.
    """
    refused: list[tuple[Cell, int, int]] = []
    accepted: list[tuple[Cell, int, int]] = []

    def judge_and_note(from_cell: Cell, entered: Cell, before: int, moves: int) -> tuple[int, bool] | None:
        result = judge(from_cell, entered, before, moves)
        if entered == sought:
            (refused if result is None else accepted).append((from_cell, before, moves))
        return result

    find_destinations(world, start, board, judge_and_note, ends, **alike)
    return accepted[-1] if accepted else refused[0] if refused else None


def find_least_costs(
    world: WorkingMemory,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    **alike: Any,  # as `find_destinations` takes them
) -> dict[Cell, int]:
    """The least that the moves to each destination cost; none where no row limits what may be spent."""
    costs: dict[Cell, int] = {}
    if not alike["spent_counts"]:
        return costs

    def end_and_note(from_cell: Cell, entered: Cell, spent: int, moves: int) -> bool | None:
        stops = ends(from_cell, entered, spent, moves)
        if stops or (stops is None and entered != start):
            costs[entered] = min(spent, costs.get(entered, spent))
        return stops

    find_destinations(world, start, board, judge, end_and_note, **alike)
    return costs


def _check_path_limit(world: WorkingMemory, places: int) -> None:
    most = world[CONTROL].limits.members
    if places > most:
        raise Fault(faults.PATH_LIMIT, f"the search for a path gave up after {most:,} places")


_STEPS_BY_GRID = {space: frozenset(steps) for space, steps in GRID_STEPS.items()}
_ORDERED_STEPS = {space: tuple(sorted(steps)) for space, steps in GRID_STEPS.items()}
"""Steps in the order of the cells that they lead to."""
_REAR_TURNS = {"hex": (2, 3, 4), "square": (2,), "square8": (3, 4, 5)}
_MAX_CACHED_SPANS = 1 << 12
"""Entries of the cache of directions by span."""


def make_cell(first: int, second: int) -> Cell:
    return (first, second)


def make_side(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    return (first, second) if first <= second else (second, first)


def are_adjacent(a: Cell, b: Cell, space: str = "hex") -> bool:
    """Whether two cells are neighbours."""
    return (b[0] - a[0], b[1] - a[1]) in _STEPS_BY_GRID[space]


def cell_distance(a: Cell, b: Cell, space: str = "hex") -> int:
    """Least number of steps between two cells."""
    across, down = b[0] - a[0], b[1] - a[1]
    if space == "hex":
        return max(abs(across), abs(down), abs(across + down))
    return abs(across) + abs(down) if space == "square" else max(abs(across), abs(down))


def next_cell(cell: Cell, heading: int, space: str = "hex") -> Cell:
    """The next cell in a direction."""
    across, down = GRID_STEPS[space][heading]
    return (cell[0] + across, cell[1] + down)


def neighbours(world: WorkingMemory, cell: Cell, space: str = "hex") -> tuple[Cell, ...]:
    """Neighbours on the board, in order."""
    board, (right, down) = world[BOARD], cell
    return tuple([each for x, y in _ORDERED_STEPS[space] if (each := (right + x, down + y)) in board])


def rear_hexes(world: WorkingMemory, cell: Cell, facing: int, space: str = "hex") -> tuple[Cell, ...]:
    """Neighbours behind that are on the board, in order: one for squares that touch by sides, else three."""
    board, count = world[BOARD], len(GRID_STEPS[space])
    behind = [next_cell(cell, (facing + turn) % count, space) for turn in _REAR_TURNS[space]]
    return tuple(sorted([item for item in behind if item in board]))


def find_direction(a: Cell, b: Cell, space: str = "hex") -> int:
    """Direction from one cell towards another; of two equally near the first clockwise."""
    if a == b:
        raise Fault(faults.NO_SUCH_PLACE, "a cell has no direction to itself")
    return _direction_of_span((b[0] - a[0], b[1] - a[1]), space)


@lru_cache(_MAX_CACHED_SPANS)
def _direction_of_span(span: Cell, space: str) -> int:
    steps = GRID_STEPS[space]
    if span in _STEPS_BY_GRID[space]:
        return steps.index(span)
    nearness = [_project_span(step, span, space) for step in steps]
    best = [item for item, near in enumerate(nearness) if near == max(nearness)]
    return next((item for item in best if (item - 1) % len(steps) not in best), best[0])


def _project_span(unit: Cell, span: Cell, space: str) -> int:
    """Length of a span along a direction, good for comparison only: squared where steps differ in length."""
    product = unit[0] * span[0] + unit[1] * span[1]
    if space == "hex":
        return 2 * product + unit[0] * span[1] + unit[1] * span[0]
    if space == "square":
        return product
    longer = unit[0] * unit[0] + unit[1] * unit[1]
    return (2 // longer) * product * abs(product)
