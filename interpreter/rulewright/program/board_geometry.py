"""Boards: kinds with places and bases on the plane, units of lengths, and coordinate systems of hexes."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rulewright.program.declarations import Board, Kind, Program
from rulewright.program.types import INCHES, PlaneType, ThingType, Type, strip_optional

ANGLE = PlaneType("angle")
POINT = PlaneType("point")
POLYGON = PlaneType("polygon")
POSE = PlaneType("pose")
SHAPE = PlaneType("shape")


def get_stored_types(kind: Kind) -> dict[str, Type]:
    """Types of the stored attributes of a kind, by name."""
    return {field.name: field.type for field in kind.fields}


def has_place(kind: Kind) -> bool:
    """Whether things of a kind have an attribute `at` on the plane."""
    at = get_stored_types(kind).get("at")
    return at is not None and strip_optional(at) == POINT


def has_base(kind: Kind) -> bool:
    """Whether things of a kind have a place and an attribute `base`."""
    base = get_stored_types(kind).get("base")
    return has_place(kind) and base is not None and strip_optional(base) == SHAPE


def list_based_kinds(kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    """Kinds with a base on the plane, in order of declaration."""
    return tuple(name for name, kind in kinds.items() if has_base(kind))


def list_polygon_attributes(kinds: Mapping[str, Kind]) -> tuple[tuple[str, str], ...]:
    """Attributes that hold a polygon, as (kind, attribute), in order of declaration."""
    return tuple(
        (name, field.name)
        for name, kind in kinds.items()
        for field in kind.fields
        if strip_optional(field.type) == POLYGON
    )


def find_posed_kind(kinds: Mapping[str, Kind]) -> str | None:
    """The kind whose things a pose places: the only kind with bases; none if there are several or none."""
    items = list_based_kinds(kinds)
    return items[0] if len(items) == 1 else None


def list_plane_reads(name: str, arguments: tuple[Type, ...], kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    """State places that a plane function reads, sorted, as `Kind/attribute` and `Kind/gone`."""
    members: set[str] = set()
    for argument_type in map(strip_optional, arguments):
        if isinstance(argument_type, ThingType):
            members.update(_list_standing_places(argument_type.kind, kinds))
        elif argument_type == POSE:
            members.update(_list_standing_places(find_posed_kind(kinds) or "", kinds))
    if name == "poses" or (name == "sees" and len(arguments) == 2):  # noqa: PLR2004 - without the polygons in the way
        members.update(
            f"{kind}/{part}" for kind, attribute in list_polygon_attributes(kinds) for part in (attribute, "gone")
        )
    if name in {"fits", "poses"}:
        members.update(
            standing_place for kind in list_based_kinds(kinds) for standing_place in _list_standing_places(kind, kinds)
        )
    return tuple(sorted(members))


def _list_standing_places(kind: str, kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    parts = [item for item in ("at", "facing", "base") if kind in kinds and item in get_stored_types(kinds[kind])]
    return (*(f"{kind}/{part}" for part in parts), f"{kind}/gone")


def find_plane_board(program: Program) -> Board | None:
    """The board of the plane, or none."""
    return next((board for board in program.boards.values() if board.space == "plane"), None)


def get_length_unit(program: Program) -> str:
    """Unit of lengths on the plane."""
    board = find_plane_board(program)
    return board.unit if board else INCHES


def get_base_unit(program: Program) -> str:
    """Unit of plain numbers in bases."""
    board = find_plane_board(program)
    return board.bases if board else INCHES


def get_approximate_inch(unit: str) -> int:
    """About an inch, in thousandths of a unit; quarters of it are whole in every unit."""
    return {INCHES: 1000, "cm": 2500, "mm": 25000}[unit]


_THOUSANDTHS_PER_UNIT = 1000


def make_decimal(number: int | Fraction) -> int | float:
    """A number as `int` where it is whole, else as `float`, for JSON."""
    return int(number) if number == int(number) else float(number)


def encode_point(point: tuple[int, int]) -> list[Any]:
    """JSON of a point, in the unit of lengths."""
    return [make_decimal(Fraction(item, _THOUSANDTHS_PER_UNIT)) for item in point]


def encode_shape(shape: Any, unit: Fraction) -> dict[str, Any]:
    """JSON of a shape, in units of this length in inches; a round one by its diameter."""
    match shape:
        case ("round", radius):
            return {"round": _find_shortest_decimal(2 * radius, unit, lambda length: (length + 1) // 2)}
        case (_, width, length):
            return {
                "width": _find_shortest_decimal(width, unit, int),
                "length": _find_shortest_decimal(length, unit, int),
            }
        case _:
            raise AssertionError(shape)


def _find_shortest_decimal(length: int, unit: Fraction, rounded: Callable[[int], int]) -> int | float:
    exact, digits = Fraction(length, _THOUSANDTHS_PER_UNIT) / unit, 0
    while rounded(math.floor(round(exact, digits) * unit * _THOUSANDTHS_PER_UNIT + Fraction(1, 2))) != rounded(length):
        digits += 1
    return make_decimal(round(exact, digits))


HexCell = tuple[int, int]

AXIAL = "axial"


def _make_row_offset(parity: int) -> tuple[Callable[[HexCell], HexCell], Callable[[HexCell], HexCell]]:
    return (
        lambda cell: (cell[0] + (cell[1] + 1 - parity) // 2, cell[1]),
        lambda cell: (cell[0] - (cell[1] + 1 - parity) // 2, cell[1]),
    )


def _make_column_offset(parity: int) -> tuple[Callable[[HexCell], HexCell], Callable[[HexCell], HexCell]]:
    return (
        lambda cell: (cell[0], cell[1] + (cell[0] + 1 - parity) // 2),
        lambda cell: (cell[0], cell[1] - (cell[0] + 1 - parity) // 2),
    )


COORDINATE_SYSTEMS: Mapping[str, tuple[Callable[[HexCell], HexCell], Callable[[HexCell], HexCell]]] = {
    AXIAL: (lambda cell: cell, lambda cell: cell),
    "odd rows": _make_row_offset(1),
    "even rows": _make_row_offset(0),
    "odd columns": _make_column_offset(1),
    "even columns": _make_column_offset(0),
}
"""Coordinate systems of hexes: the maps from and to axial coordinates."""


def convert_from_axial(cell: HexCell, coordinates: str) -> HexCell:
    """A hex in the coordinates of its board."""
    return COORDINATE_SYSTEMS[coordinates][0](cell)


def convert_to_axial(pair: HexCell, coordinates: str) -> HexCell:
    """The axial hex of a pair in the coordinates of its board."""
    return COORDINATE_SYSTEMS[coordinates][1](pair)
