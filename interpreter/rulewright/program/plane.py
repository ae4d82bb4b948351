"""What stands on the plane: kinds by their places and bases, kinds with outlines, values as people write them."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rulewright.program.declarations import Board, Kind, Program
from rulewright.program.types import INCHES, PlaneType, ThingType, Type, present

ANGLE = PlaneType("angle")
POINT = PlaneType("point")
POLYGON = PlaneType("polygon")
POSE = PlaneType("pose")
SHAPE = PlaneType("shape")


def types_of(kind: Kind) -> dict[str, Type]:
    """The types of the stored attributes of a kind."""
    return {each.name: each.type for each in kind.fields}


def has_place(kind: Kind) -> bool:
    """Whether things of a kind have their `at` on the plane."""
    at = types_of(kind).get("at")
    return at is not None and present(at) == POINT


def has_base(kind: Kind) -> bool:
    """Whether things of a kind have a `base` besides their place."""
    base = types_of(kind).get("base")
    return has_place(kind) and base is not None and present(base) == SHAPE


def bases(kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    """The kinds that stand on the plane with a base, in order of declaration."""
    return tuple(name for name, kind in kinds.items() if has_base(kind))


def outlines(kinds: Mapping[str, Kind]) -> tuple[tuple[str, str], ...]:
    """The attributes that hold a polygon, by kind and name, in order of declaration."""
    return tuple(
        (name, each.name) for name, kind in kinds.items() for each in kind.fields if present(each.type) == POLYGON
    )


def posed(kinds: Mapping[str, Kind]) -> str | None:
    """The kind whose things a pose places: the only kind with bases; none where there are several or none."""
    found = bases(kinds)
    return found[0] if len(found) == 1 else None


def reads(name: str, arguments: tuple[Type, ...], kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    """What a function of the plane reads of the game, sorted, as `Kind/attribute` and `Kind/gone`."""
    found: set[str] = set()
    for each in map(present, arguments):
        if isinstance(each, ThingType):
            found.update(_standing(each.kind, kinds))
        elif each == POSE:
            found.update(_standing(posed(kinds) or "", kinds))
    if name == "poses" or (name == "sees" and len(arguments) == 2):  # noqa: PLR2004 - without the polygons in the way
        found.update(f"{kind}/{part}" for kind, attribute in outlines(kinds) for part in (attribute, "gone"))
    if name in {"fits", "poses"}:
        found.update(each for kind in bases(kinds) for each in _standing(kind, kinds))
    return tuple(sorted(found))


def _standing(kind: str, kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    parts = [each for each in ("at", "facing", "base") if kind in kinds and each in types_of(kinds[kind])]
    return (*(f"{kind}/{each}" for each in parts), f"{kind}/gone")


def plane_board(program: Program) -> Board | None:
    """The board of the plane, if there is one."""
    return next((each for each in program.boards.values() if each.space == "plane"), None)


def length_unit(program: Program) -> str:
    """The unit in which lengths are counted."""
    board = plane_board(program)
    return board.unit if board else INCHES


def base_unit(program: Program) -> str:
    """The unit of numbers that stand alone in bases."""
    board = plane_board(program)
    return board.bases if board else INCHES


def about_an_inch(unit: str) -> int:
    """An inch in thousandths of a unit, about: whole quarters of it are whole in every unit."""
    return {INCHES: 1000, "cm": 2500, "mm": 25000}[unit]


_THOUSANDTHS = 1000


def decimal(number: int | Fraction) -> int | float:
    """A number of thousandths or hundredths, whole where it comes out even."""
    return int(number) if number == int(number) else float(number)


def point_json(point: tuple[int, int]) -> list[Any]:
    """A point in the unit of lengths."""
    return [decimal(Fraction(each, _THOUSANDTHS)) for each in point]


def shape_json(shape: Any, unit: Fraction) -> dict[str, Any]:
    """A shape in a unit of this length; a round one by its diameter."""
    match shape:
        case ("round", radius):
            return {"round": _shortest(2 * radius, unit, lambda length: (length + 1) // 2)}
        case (_, width, length):
            return {"width": _shortest(width, unit, int), "length": _shortest(length, unit, int)}
        case _:
            raise AssertionError(shape)


def _shortest(length: int, unit: Fraction, kept: Callable[[int], int]) -> int | float:
    """The shortest decimal that is read as the same length."""
    exact, digits = Fraction(length, _THOUSANDTHS) / unit, 0
    while kept(math.floor(round(exact, digits) * unit * _THOUSANDTHS + Fraction(1, 2))) != kept(length):
        digits += 1
    return decimal(round(exact, digits))
