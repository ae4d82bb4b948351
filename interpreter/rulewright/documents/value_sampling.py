"""Random values of types as JSON, boards and places, from a source of choices; biased to bounds, where rules differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import ceil, cos, hypot, radians, sin
from random import Random
from typing import Protocol, TypeVar

from rulewright.base.frozen import dataclass
from rulewright.documents.board_sections import hexagon_cells
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import CELLS, SHAPE, SIDES
from rulewright.program.board_geometry import get_approximate_inch, get_base_unit, get_length_unit
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.program.types import (
    GRID_STEPS,
    ThingType,
    Type,
    WordType,
)
from rulewright.runtime.codec_protocols import base_measure
from rulewright.runtime.type_codecs import codec_of

Item = TypeVar("Item")
UNPLACED_KIND_RANGE, PLACED_KIND_RANGE = (1, 3), (2, 5)
_WIDE_RANGE, _MAX_MEMBERS, _DRAWN_PERCENT, _SETTINGS_PERCENT, _READ_SETTINGS_PERCENT = 12, 4, 50, 25, 60
_MARKED_PERCENT, _BESIDE_PERCENT, _SHARED_CELL_PERCENT = 25, 70, 10

THOUSANDTHS_PER_UNIT = 1000
"""Resolution of lengths."""
_BASE_QUARTERS = (4, 5, 6, 8)
"""Sides of bases in quarters of an inch."""
_CONTACT_PERCENT, _NEAR_PERCENT, _MAX_PLACEMENT_TRIES = 65, 60, 20
_CONSTANT_PERCENT = 40
_ANGLE_STEP_DEGREES, _RIGHT_ANGLE_DEGREES = 15, 90


class ChoiceSource(Protocol):
    """Source of whole numbers; smaller numbers stand for simpler states, which shrinking looks for."""

    def below(self, limit: int) -> int:
        """Number from 0 to `limit - 1`."""
        ...


class SeededChoices:
    """Uniform choices from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - states are made, no secrets

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)


def choose_between(chooser: ChoiceSource, low: int, high: int) -> int:
    """Whole number in a range, ends included."""
    return low + chooser.below(high - low + 1)


def choose_one(chooser: ChoiceSource, items: Sequence[Item]) -> Item:
    """One of several items.

    Raises:
        NoValueError: there is none.
    """
    return items[chooser.below(len(items))]


def choose_some(chooser: ChoiceSource, items: Sequence[Item], most: int) -> list[Item]:
    """Different members in random order, at most `most`."""
    rest = list(items)
    number = chooser.below(min(most, len(rest)) + 1)
    return [rest.pop(chooser.below(len(rest))) for _ in range(number)]


def choose_with_chance(chooser: ChoiceSource, percent: int) -> bool:
    """True in `percent` of a hundred cases."""
    return chooser.below(100) >= 100 - percent


@dataclass(frozen=True, slots=True)
class SizeRanges:
    """Ranges of sizes of generated states, ends included, and what their values are often drawn from."""

    players: tuple[int, int] = (2, 2)
    # by name of the kind; default 2 to 5 for kinds with a place, else 1 to 3
    things: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    radius: tuple[int, int] = (1, 3)  # of a board of hexes; a board of squares is 2r + 1 wide
    inches: int = 6  # half the edge of a plane
    oblong_percent: int = 0  # percentage of rectangular bases
    constants: tuple[int, ...] = ()  # numbers and distances that conditions compare with
    settings: frozenset[str] = frozenset()  # settings that conditions read

    def kind_range(self, kind: Kind, program: Program) -> tuple[int, int]:
        """Range of the number of things of a kind."""
        if kind.number is not None:
            return kind.number, kind.number
        if kind.name == "player":
            return self.players
        stands = program.boards and any(item.name == "at" for item in kind.fields)
        return self.things.get(kind.name, PLACED_KIND_RANGE if stands else UNPLACED_KIND_RANGE)


class NoValueError(Exception):
    """A type has no value here: a thing of an empty kind, a cell of a board without cells."""


@dataclass(frozen=True, slots=True)
class ValueSampler:
    """Generator of the values of one play."""

    program: Program
    chooser: ChoiceSource
    things: Mapping[str, Sequence[str]]
    cells: Sequence[tuple[int, int]]
    sizes: SizeRanges

    def sample_value(self, type_: Type) -> Json:
        """Value of a type.

        Raises:
            NoValueError: there is none.
        """
        sample: Json = codec_of(type_).sample(type_, self)
        return sample

    def sample_fields(self, fields: Iterable[Field]) -> dict[str, Json]:
        """Attributes by name; every other one with a start value is left out.

        Raises:
            NoValueError: one has no value.
        """
        drawn = [item for item in fields if item.start is None or choose_with_chance(self.chooser, _DRAWN_PERCENT)]
        return {item.name: self.sample_value(item.type) for item in drawn}

    def sample_settings(self) -> dict[str, Json]:
        """In three of four plays none (the published readings), else every other setting.

        Where conditions read settings, in two of five plays none, else all of these and every other one of the rest.
        """
        percent = _READ_SETTINGS_PERCENT if self.sizes.settings else _SETTINGS_PERCENT
        if not choose_with_chance(self.chooser, percent):
            return {}
        items_view = self.program.settings.items()
        return {
            name: self.sample_value(setting.type)
            for name, setting in items_view
            if name in self.sizes.settings or choose_with_chance(self.chooser, _DRAWN_PERCENT)
        }

    def sample_number(self, low: int | None, high: int | None) -> int:
        """Number in a range, often a constant of the conditions."""
        near = [
            number
            for number in self.sizes.constants
            if (low is None or number >= low) and (high is None or number <= high)
        ]
        if near and choose_with_chance(self.chooser, _CONSTANT_PERCENT):
            return choose_one(self.chooser, near)
        return choose_number(self.chooser, low, high)

    def below(self, limit: int) -> int:
        return self.chooser.below(limit)

    def sample_quarters(self) -> Fraction:
        """Number in quarters."""
        return Fraction(choose_between(self.chooser, 0, 24), 4)

    def is_left_out(self) -> bool:
        """Whether an optional value is `None`."""
        return choose_with_chance(self.chooser, 30)

    def pick_one(self, items: Sequence[Item]) -> Item:
        """One of several items.

        Raises:
            NoValueError: there is none.
        """
        if not items:
            raise NoValueError
        return choose_one(self.chooser, items)

    def kind_ids(self, kind: str) -> Sequence[str]:
        return self.things.get(kind, ())

    def sample_several(self, item: Type) -> list[Json]:
        return [self.sample_value(item) for _ in range(self.chooser.below(_MAX_MEMBERS + 1))]

    def sample_distinct(self, item: Type) -> list[Json]:
        """Different values."""
        match item:
            case ThingType(kind):
                return list(choose_some(self.chooser, self.kind_ids(kind), _MAX_MEMBERS))
            case WordType(values):
                return list(
                    choose_some(self.chooser, [each.name for each in self.program.values[values].words], _MAX_MEMBERS)
                )
            case _:
                result: list[Json] = []
                for _ in range(self.chooser.below(_MAX_MEMBERS)):
                    each = self.sample_value(item)
                    if each not in result:
                        result.append(each)
                return result

    def sample_plane_value(self, name: str) -> Json:
        """Point, angle, shape or polygon, or a length."""
        return choose_plane_value(name, self.chooser, self.sizes, self.program)

    def raise_no_value(self) -> Json:
        """Raises for a type whose values cannot be written."""
        raise NoValueError


def choose_number(chooser: ChoiceSource, low: int | None, high: int | None) -> int:
    """Whole number; in a wide range often an end or near it, since conditions compare with bounds."""
    first = low if low is not None else min(0, high or 0)
    last = high if high is not None else first + _WIDE_RANGE
    if last - first <= _WIDE_RANGE:
        return choose_between(chooser, first, last)
    near = (first, first + 1, first + 2, last - 1, last)
    return choose_one(chooser, near) if choose_with_chance(chooser, 40) else choose_between(chooser, first, last)


Cell = tuple[int, int]


def make_board_shape(board: Board, chooser: ChoiceSource, sizes: SizeRanges) -> tuple[Json, list[Cell]]:
    """Shape of a board as written, and its cells in order."""
    radius = choose_between(chooser, *sizes.radius)
    if board.space == "hex":
        return {"radius": radius}, [*hexagon_cells(radius)]
    edge = 2 * radius + 1
    return {"columns": edge, "rows": edge}, [(x, y) for x in range(edge) for y in range(edge)]


def make_board(board: Board, written: Json, cells: Sequence[Cell], values: ValueSampler) -> dict[str, Json]:
    """Board with attributes on some of its cells and sides."""
    mapping: dict[str, Json] = {SHAPE: written}
    marked = {
        _cell_key(cell): _sample_attributes(board.fields, values) for cell in cells if _is_marked(board.fields, values)
    }
    sides = {
        f"{_cell_key(a)} {_cell_key(b)}": _sample_attributes(board.sides, values)
        for a, b in _board_sides(board, cells)
        if _is_marked(board.sides, values)
    }
    return mapping | ({CELLS: dict(marked)} if marked else {}) | ({SIDES: dict(sides)} if sides else {})


def _is_marked(fields: Sequence[Field], values: ValueSampler) -> bool:
    return bool(fields) and choose_with_chance(values.chooser, _MARKED_PERCENT)


def _sample_attributes(fields: Sequence[Field], values: ValueSampler) -> Json:
    return {item.name: values.sample_value(item.type) for item in fields}


def _cell_key(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def _board_sides(board: Board, cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    known = set(cells)
    steps = GRID_STEPS[board.space]
    return [
        (cell, other)
        for cell in cells
        for other in ((cell[0] + across, cell[1] + down) for across, down in steps)
        if board.sides and other in known and cell < other
    ]


def choose_cells(space: str, cells: Sequence[Cell], number: int, chooser: ChoiceSource) -> list[Cell]:
    """Cells of hexes or squares for a number of things: mostly next to an occupied one, seldom shared."""
    steps = GRID_STEPS[space]
    result: list[Cell] = []
    for _ in range(number):
        result.append(_choose_cell_near(cells, result, steps, chooser))
    return result


def _choose_cell_near(
    cells: Sequence[Cell], occupied: list[Cell], steps: Sequence[Cell], chooser: ChoiceSource
) -> Cell:
    if occupied and choose_with_chance(chooser, _SHARED_CELL_PERCENT):
        return choose_one(chooser, occupied)
    free = [cell for cell in cells if cell not in occupied] or list(cells)
    if occupied and choose_with_chance(chooser, _BESIDE_PERCENT):
        near = choose_one(chooser, occupied)
        beside = [item for item in free if (item[0] - near[0], item[1] - near[1]) in steps]
        free = beside or free
    return choose_one(chooser, free)


@dataclass(frozen=True, slots=True)
class BasePosition:
    """Centre and enclosing radius of a base, in thousandths of the unit."""

    across: int
    up: int
    radius: int


def choose_plane_value(name: str, chooser: ChoiceSource, sizes: SizeRanges, program: Program) -> Json:
    """Value of a type of the plane other than `pose`, or a length."""
    one = get_approximate_inch(get_length_unit(program))
    match name:
        case "angle":
            return _ANGLE_STEP_DEGREES * chooser.below(360 // _ANGLE_STEP_DEGREES)
        case "shape":
            return _choose_base(chooser, sizes, get_approximate_inch(get_base_unit(program)))
        case "polygon":
            return _choose_rectangle(chooser, sizes, one)
        case "length":
            return thousandths_to_json(choose_between(chooser, 0, 24) * one // 4)
        case _:
            return _choose_point(chooser, sizes, one)


def _choose_base(chooser: ChoiceSource, sizes: SizeRanges, one: int) -> Json:
    def choose_side() -> Json:
        return thousandths_to_json(choose_one(chooser, _BASE_QUARTERS) * one // 4)

    if sizes.oblong_percent and choose_with_chance(chooser, sizes.oblong_percent):
        return {"width": choose_side(), "length": choose_side()}
    return {"round": choose_side()}


def thousandths_to_json(thousandths: int) -> Json:
    """A length in the unit of its plane, from whole thousandths; an `int` where it is whole."""
    return (
        thousandths // THOUSANDTHS_PER_UNIT
        if thousandths % THOUSANDTHS_PER_UNIT == 0
        else thousandths / THOUSANDTHS_PER_UNIT
    )


def _choose_point(chooser: ChoiceSource, sizes: SizeRanges, one: int) -> Json:
    edge = sizes.inches * 4
    return [thousandths_to_json(choose_between(chooser, -edge, edge) * one // 4) for _ in range(2)]


def _choose_rectangle(chooser: ChoiceSource, sizes: SizeRanges, one: int) -> Json:
    edge = sizes.inches * 2
    left, low = (choose_between(chooser, -edge, edge) * one // 2 for _ in range(2))
    width, height = choose_between(chooser, 1, 6) * one // 2, choose_between(chooser, 1, 2) * one // 2
    corners = ((left, low), (left + width, low), (left + width, low + height), (left, low + height))
    return [[thousandths_to_json(x), thousandths_to_json(y)] for x, y in corners]


def choose_points(
    radii: Sequence[int], chooser: ChoiceSource, sizes: SizeRanges, one: int = THOUSANDTHS_PER_UNIT
) -> list[Json]:
    """Centres for bases with given radii, in thousandths, apart where room is found; `one` is an inch."""
    occupied: list[BasePosition] = []
    for radius in radii:
        tries = (_choose_position_near(radius, occupied, chooser, sizes, one) for _ in range(_MAX_PLACEMENT_TRIES))
        result = next(
            (position for position in tries if not any(_is_overlapping(position, other) for other in occupied)),
            None,
        )
        occupied.append(result or BasePosition(0, (len(occupied) + 1) * 10 * one, radius))
    return [[thousandths_to_json(position.across), thousandths_to_json(position.up)] for position in occupied]


def _is_overlapping(first: BasePosition, second: BasePosition) -> bool:
    return hypot(first.across - second.across, first.up - second.up) < first.radius + second.radius


def _choose_position_near(
    radius: int, occupied: Sequence[BasePosition], chooser: ChoiceSource, sizes: SizeRanges, one: int
) -> BasePosition:
    if not occupied or not choose_with_chance(
        chooser, _CONTACT_PERCENT + (100 - _CONTACT_PERCENT) * _NEAR_PERCENT // 100
    ):
        edge = sizes.inches * 4
        return BasePosition(
            choose_between(chooser, -edge, edge) * one // 4, choose_between(chooser, -edge, edge) * one // 4, radius
        )
    other = choose_one(chooser, occupied)
    far, step = [number for number in sizes.constants if number > 0], _ANGLE_STEP_DEGREES
    if choose_with_chance(chooser, _CONTACT_PERCENT):
        gap = 0
    elif far and choose_with_chance(chooser, _CONSTANT_PERCENT):
        gap, step = choose_one(chooser, far) * THOUSANDTHS_PER_UNIT, _RIGHT_ANGLE_DEGREES  # so that it is exact
    else:
        gap = choose_between(chooser, 1, 16) * one // 8
    reach, angle = radius + other.radius + gap, radians(step * chooser.below(360 // step))
    return BasePosition(
        _round_outward(other.across, reach * sin(angle)), _round_outward(other.up, reach * cos(angle)), radius
    )


def _round_outward(start: int, far: float) -> int:
    """Rounds away from the start, so that bases in contact do not overlap."""
    return start + (ceil(far - 1e-6) if far > 0 else -ceil(-far - 1e-6))


def base_radius(shape: Json, program: Program) -> int:
    """Radius of the enclosing circle of a base, in thousandths of the unit of lengths."""
    assert isinstance(shape, dict)
    alone = base_measure(program).default_factor
    sides = {name: round(Fraction(str(side)) * alone * THOUSANDTHS_PER_UNIT) for name, side in shape.items()}
    if "round" in sides:
        return ceil(sides["round"] / 2)
    return ceil(hypot(*sides.values()) / 2)
