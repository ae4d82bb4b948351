"""Any value of a type as JSON, boards and places, drawn from a source of choices: often near what rules turn on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import ceil, cos, hypot, radians, sin
from random import Random
from typing import Protocol, TypeVar

from rulewright.codecs.schemas import base_measure
from rulewright.codecs.table import codec
from rulewright.frozen import dataclass
from rulewright.inputs.names import CELLS, SHAPE, SIDES
from rulewright.inputs.nodes import Json
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.program.plane import about_an_inch, base_unit, length_unit
from rulewright.program.types import (
    GRIDS,
    ThingType,
    Type,
    WordType,
)

Item = TypeVar("Item")
FEW, MANY = (1, 3), (2, 5)
_WIDE, _MEMBERS, _DRAWN, _OTHERWISE = 12, 4, 50, 25
_MARKED, _BESIDE, _SHARED = 25, 70, 10

THOUSAND = 1000
"""Lengths are whole thousandths of their unit."""
_BASES = (4, 5, 6, 8)
"""Sides in quarters of an inch."""
_CONTACT, _NEAR, _TRIES = 65, 60, 20
_TURN = 15


class Chooser(Protocol):
    """A source of whole numbers; smaller numbers stand for simpler states."""

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""
        ...


class Seeded:
    """Choices from a seed: the same seed makes the same states."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - states are made, no secrets

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit, all equally likely."""
        return self._random.randrange(limit)


def between(chooser: Chooser, low: int, high: int) -> int:
    """A whole number, ends included."""
    return low + chooser.below(high - low + 1)


def one_of(chooser: Chooser, items: Sequence[Item]) -> Item:
    """One of several; a `NoValueError` where there is none."""
    return items[chooser.below(len(items))]


def some_of(chooser: Chooser, items: Sequence[Item], most: int) -> list[Item]:
    """Different members in a random order, at most so many."""
    rest = list(items)
    number = chooser.below(min(most, len(rest)) + 1)
    return [rest.pop(chooser.below(len(rest))) for _ in range(number)]


def chance(chooser: Chooser, percent: int) -> bool:
    """Whether something happens that happens so often of a hundred times."""
    return chooser.below(100) >= 100 - percent


@dataclass(frozen=True, slots=True)
class Sizes:
    """Fewest and most of everything, ends included."""

    players: tuple[int, int] = (2, 2)  # of the game
    # of a kind, by its name; kinds with a place have 2 to 5 otherwise, others 1 to 3
    things: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    radius: tuple[int, int] = (1, 3)  # of a board of hexes; a board of squares is twice as wide and one more
    inches: int = 6  # the edge of a plane, from its middle
    oblong: int = 0  # how many bases of a hundred are rectangles

    def of(self, kind: Kind, program: Program) -> tuple[int, int]:
        """Any value of a type; a `NoValueError` where it has none."""
        if kind.number is not None:
            return kind.number, kind.number
        if kind.name == "player":
            return self.players
        stands = program.boards and any(each.name == "at" for each in kind.fields)
        return self.things.get(kind.name, MANY if stands else FEW)


class NoValueError(Exception):
    """A type has no value here: a thing of a kind that has none, a cell of a board without cells."""


@dataclass(frozen=True, slots=True)
class Values:
    """Makes values of one play."""

    program: Program  # for words and records
    chooser: Chooser  # who chooses
    things: Mapping[str, Sequence[str]]  # ids by kind
    cells: Sequence[tuple[int, int]]  # of all boards
    sizes: Sizes  # of what is made

    def of(self, type_: Type) -> Json:
        """Any value of a type.

        Raises:
            NoValueError: there is none.
        """
        made: Json = codec(type_).sample(type_, self)
        return made

    def started(self, fields: Iterable[Field]) -> dict[str, Json]:
        """Attributes by name; of those with a start value every other one is left out, so that it has that value.

        Raises:
            NoValueError: one has no value.
        """
        drawn = [each for each in fields if each.start is None or chance(self.chooser, _DRAWN)]
        return {each.name: self.of(each.type) for each in drawn}

    def settings(self) -> dict[str, Json]:
        """In three of four plays none, so that the published readings hold; in the fourth every other setting."""
        if not chance(self.chooser, _OTHERWISE):
            return {}
        found = self.program.settings.items()
        return {name: self.of(each.type) for name, each in found if chance(self.chooser, _DRAWN)}

    def number(self, low: int | None, high: int | None) -> int:
        """A whole number."""
        return number(self.chooser, low, high)

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""
        return self.chooser.below(limit)

    def quarters(self) -> Fraction:
        """A number of quarters."""
        return Fraction(between(self.chooser, 0, 24), 4)

    def is_left_out(self) -> bool:
        """Whether an optional value is none."""
        return chance(self.chooser, 30)

    def one_of(self, items: Sequence[Item]) -> Item:
        """One of several.

        Raises:
            NoValueError: there is none.
        """
        if not items:
            raise NoValueError
        return one_of(self.chooser, items)

    def ids(self, kind: str) -> Sequence[str]:
        """The things of a kind."""
        return self.things.get(kind, ())

    def several(self, item: Type) -> list[Json]:
        """Some values."""
        return [self.of(item) for _ in range(self.chooser.below(_MEMBERS + 1))]

    def different(self, item: Type) -> list[Json]:
        """Some values, each once."""
        match item:
            case ThingType(kind):
                return list(some_of(self.chooser, self.ids(kind), _MEMBERS))
            case WordType(values):
                return list(some_of(self.chooser, [each.name for each in self.program.values[values].words], _MEMBERS))
            case _:
                found: list[Json] = []
                for _ in range(self.chooser.below(_MEMBERS)):
                    each = self.of(item)
                    if each not in found:
                        found.append(each)
                return found

    def on_plane(self, name: str) -> Json:
        """A point, angle, shape or polygon, or a length."""
        return plane_value(name, self.chooser, self.sizes, self.program)

    def nothing(self) -> Json:
        """A type of which no value can be written."""
        raise NoValueError


def number(chooser: Chooser, low: int | None, high: int | None) -> int:
    """A whole number; of a wide range often an end or near it, for there rules turn."""
    first = low if low is not None else min(0, high or 0)
    last = high if high is not None else first + _WIDE
    if last - first <= _WIDE:
        return between(chooser, first, last)
    near = (first, first + 1, first + 2, last - 1, last)
    return one_of(chooser, near) if chance(chooser, 40) else between(chooser, first, last)


Cell = tuple[int, int]


def board_shape(board: Board, chooser: Chooser, sizes: Sizes) -> tuple[Json, list[Cell]]:
    """The shape of a board as written, and its cells in order."""
    radius = between(chooser, *sizes.radius)
    if board.space == "hex":
        across = range(-radius, radius + 1)
        return {"radius": radius}, [(q, r) for q in across for r in across if abs(q + r) <= radius]
    edge = 2 * radius + 1
    return {"columns": edge, "rows": edge}, [(x, y) for x in range(edge) for y in range(edge)]


def board_json(board: Board, written: Json, cells: Sequence[Cell], values: Values) -> dict[str, Json]:
    """A board with attributes on some of its cells and sides."""
    found: dict[str, Json] = {SHAPE: written}
    marked = {_key(each): _attributes(board.fields, values) for each in cells if _is_marked(board.fields, values)}
    sides = {
        f"{_key(a)} {_key(b)}": _attributes(board.sides, values)
        for a, b in _sides(board, cells)
        if _is_marked(board.sides, values)
    }
    return found | ({CELLS: dict(marked)} if marked else {}) | ({SIDES: dict(sides)} if sides else {})


def _is_marked(fields: Sequence[Field], values: Values) -> bool:
    return bool(fields) and chance(values.chooser, _MARKED)


def _attributes(fields: Sequence[Field], values: Values) -> Json:
    return {each.name: values.of(each.type) for each in fields}


def _key(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def _sides(board: Board, cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    known = set(cells)
    steps = GRIDS[board.space]
    return [
        (cell, other)
        for cell in cells
        for other in ((cell[0] + across, cell[1] + down) for across, down in steps)
        if board.sides and other in known and cell < other
    ]


def cells_for(board: Board, cells: Sequence[Cell], number: int, chooser: Chooser) -> list[Cell]:
    """Cells for so many things: mostly beside one that stands already, seldom on the same."""
    steps = GRIDS[board.space]
    found: list[Cell] = []
    for _ in range(number):
        found.append(_cell_near(cells, found, steps, chooser))
    return found


def _cell_near(cells: Sequence[Cell], taken: list[Cell], steps: Sequence[Cell], chooser: Chooser) -> Cell:
    if taken and chance(chooser, _SHARED):
        return one_of(chooser, taken)
    free = [each for each in cells if each not in taken] or list(cells)
    if taken and chance(chooser, _BESIDE):
        near = one_of(chooser, taken)
        beside = [each for each in free if (each[0] - near[0], each[1] - near[1]) in steps]
        free = beside or free
    return one_of(chooser, free)


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a base stands, all in thousandths of the unit; the radius is that of a circle around it."""

    across: int
    up: int
    radius: int


def plane_value(name: str, chooser: Chooser, sizes: Sizes, program: Program) -> Json:
    """A value of a type of the plane, of all but `pose`, or a length."""
    one = about_an_inch(length_unit(program))
    match name:
        case "angle":
            return _TURN * chooser.below(360 // _TURN)
        case "shape":
            return _base(chooser, sizes, about_an_inch(base_unit(program)))
        case "polygon":
            return _rectangle(chooser, sizes, one)
        case "length":
            return written_length(between(chooser, 0, 24) * one // 4)
        case _:
            return _anywhere(chooser, sizes, one)


def _base(chooser: Chooser, sizes: Sizes, one: int) -> Json:
    def side() -> Json:
        return written_length(one_of(chooser, _BASES) * one // 4)

    if sizes.oblong and chance(chooser, sizes.oblong):
        return {"width": side(), "length": side()}
    return {"round": side()}


def written_length(thousandths: int) -> Json:
    """A length as it is written."""
    return thousandths // THOUSAND if thousandths % THOUSAND == 0 else thousandths / THOUSAND


def _anywhere(chooser: Chooser, sizes: Sizes, one: int) -> Json:
    edge = sizes.inches * 4
    return [written_length(between(chooser, -edge, edge) * one // 4) for _ in range(2)]


def _rectangle(chooser: Chooser, sizes: Sizes, one: int) -> Json:
    edge = sizes.inches * 2
    left, low = (between(chooser, -edge, edge) * one // 2 for _ in range(2))
    width, height = between(chooser, 1, 6) * one // 2, between(chooser, 1, 2) * one // 2
    corners = ((left, low), (left + width, low), (left + width, low + height), (left, low + height))
    return [[written_length(x), written_length(y)] for x, y in corners]


def points_for(radii: Sequence[int], chooser: Chooser, sizes: Sizes, one: int = THOUSAND) -> list[Json]:
    """Points for bases of these radii, in thousandths, none over another where room is found; an inch is so many."""
    taken: list[Stand] = []
    for radius in radii:
        tries = (_stand_near(radius, taken, chooser, sizes, one) for _ in range(_TRIES))
        found = next((each for each in tries if not any(_over(each, other) for other in taken)), None)
        taken.append(found or Stand(0, (len(taken) + 1) * 10 * one, radius))
    return [[written_length(each.across), written_length(each.up)] for each in taken]


def _over(first: Stand, second: Stand) -> bool:
    return hypot(first.across - second.across, first.up - second.up) < first.radius + second.radius


def _stand_near(radius: int, taken: Sequence[Stand], chooser: Chooser, sizes: Sizes, one: int) -> Stand:
    if not taken or not chance(chooser, _CONTACT + (100 - _CONTACT) * _NEAR // 100):
        edge = sizes.inches * 4
        return Stand(between(chooser, -edge, edge) * one // 4, between(chooser, -edge, edge) * one // 4, radius)
    other = one_of(chooser, taken)
    apart = 0 if chance(chooser, _CONTACT) else between(chooser, 1, 16) * one // 8
    reach, angle = radius + other.radius + apart, radians(_TURN * chooser.below(360 // _TURN))
    return Stand(_outward(other.across, reach * sin(angle)), _outward(other.up, reach * cos(angle)), radius)


def _outward(start: int, far: float) -> int:
    """Away from the start, so that bases in contact are never over each other."""
    return start + (ceil(far - 1e-6) if far > 0 else -ceil(-far - 1e-6))


def radius_of(shape: Json, program: Program) -> int:
    """The radius of a circle around a base as written, in thousandths of the unit of lengths."""
    assert isinstance(shape, dict)
    alone = base_measure(program).alone
    sides = {name: round(Fraction(str(side)) * alone * THOUSAND) for name, side in shape.items()}
    if "round" in sides:
        return ceil(sides["round"] / 2)
    return ceil(hypot(*sides.values()) / 2)
