"""What generated code calls for the functions of the plane; bodies come from `bodies`."""

from fractions import Fraction
from typing import Any

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.plane import apart
from rulewright.machine.plane.bodies import Body, same
from rulewright.machine.plane.outlines import Point
from rulewright.machine.plane.rounding import THOUSANDTHS, Number, bearing, of_thousandths, to_thousandths
from rulewright.machine.world import World


def _there(body: Body, text: str) -> tuple[Any, ...]:
    if body is None:
        raise Fault(codes.NOWHERE, f"`{text}` asks about something that is not on the board")
    return body


def gap_of(a: Body, b: Body, text: str) -> Number:
    """The shortest way from edge to edge in inches; a fault for what is nowhere."""
    return of_thousandths(apart.gap(_there(a, text)[2], _there(b, text)[2]))


def distance_of(a: Body, b: Body, text: str) -> Number:
    """The distance of the middles in inches; a fault for what is nowhere."""
    return of_thousandths(apart.between(_there(a, text)[3], _there(b, text)[3]))


def bearing_of(a: Body, b: Body, text: str) -> Number:
    """The angle from one middle to another; a fault for what is nowhere or where both are one point."""
    here, there = _there(a, text)[3], _there(b, text)[3]
    if here == there:
        raise Fault(codes.NO_SUCH_PLACE, f"`{text}` asks for the direction from a point to itself")
    return bearing(there[0] - here[0], there[1] - here[1])


def contact_of(world: World, a: Body, b: Body) -> bool:
    """Whether two bodies are at most the tolerance of the board apart; a thing is in no contact with itself."""
    if a is None or b is None or same(a, b):
        return False
    near: int = world[0].base.plane.contact
    return apart.gap(a[2], b[2]) <= near


def on_plane(world: World, at: Point | None) -> None:
    """A fault where a thing would be put outside the extent of the board."""
    plane = world[0].base.plane
    if at is not None and not all(
        end is None or 0 <= each <= end for each, end in zip(at, (plane.width, plane.depth), strict=True)
    ):
        raise Fault(codes.OFF_BOARD, f"{shown(at)} is not on the board")


def shown(at: Point) -> str:
    """A point in inches, as in `(3.5, 2)`."""
    return f"({at[0] / THOUSANDTHS:g}, {at[1] / THOUSANDTHS:g})"


def point_of(x: Number, y: Number) -> Point:
    """The point of two coordinates in inches."""
    return to_thousandths(x), to_thousandths(y)


def coordinate(length: int) -> int | Fraction:
    """A coordinate of a point in inches."""
    return of_thousandths(length)
