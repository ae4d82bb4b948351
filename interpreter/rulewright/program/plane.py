"""What stands on the plane: kinds by their places and bases, kinds with outlines, values as people write them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rulewright.program.declarations import Kind
from rulewright.program.types import PlaneType, ThingType, Type, present

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
    """The kind whose things poses put somewhere: the only one with bases; none where there are several or none."""
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
    if name == "poses":
        found.update(f"{kind}/{part}" for kind, attribute in outlines(kinds) for part in (attribute, "gone"))
    if name in {"fits", "poses"}:
        found.update(each for kind in bases(kinds) for each in _standing(kind, kinds))
    if name == "sees" and len(arguments) == 2:  # noqa: PLR2004 - without the polygons in the way
        found.update(each for kind, part in outlines(kinds) for each in (f"{kind}/{part}", f"{kind}/gone"))
    return tuple(sorted(found))


def _standing(kind: str, kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    parts = [each for each in ("at", "facing", "base") if kind in kinds and each in types_of(kinds[kind])]
    return (*(f"{kind}/{each}" for each in parts), f"{kind}/gone")


_THOUSANDTHS = 1000


def decimal(number: int | Fraction) -> int | float:
    """A number of thousandths or hundredths, whole where it comes out even."""
    return int(number) if number == int(number) else float(number)


def point_json(point: tuple[int, int]) -> list[Any]:
    """A point in inches."""
    return [decimal(Fraction(each, _THOUSANDTHS)) for each in point]


def shape_json(shape: Any) -> dict[str, Any]:  # noqa: ANN401
    """A shape in inches; a round one by its diameter."""
    match shape:
        case ("round", radius):
            return {"round": decimal(Fraction(2 * radius, _THOUSANDTHS))}
        case (_, width, length):
            return {"width": decimal(Fraction(width, _THOUSANDTHS)), "length": decimal(Fraction(length, _THOUSANDTHS))}
        case _:
            raise AssertionError(shape)
