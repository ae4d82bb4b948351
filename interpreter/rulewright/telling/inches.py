"""Lengths, points and shapes of the plane as people and files write them."""

from fractions import Fraction
from typing import Any

Json = int | float | bool | str | list["Json"] | dict[str, "Json"] | None

_THOUSANDTHS = 1000


def decimal(number: int | Fraction) -> Json:
    """A number of thousandths or hundredths, whole where it comes out even."""
    return int(number) if number == int(number) else float(number)


def point_json(point: tuple[int, int]) -> list[Json]:
    """A point in inches."""
    return [decimal(Fraction(each, _THOUSANDTHS)) for each in point]


def shape_json(shape: Any) -> dict[str, Json]:  # noqa: ANN401
    """A shape in inches; a round one by its diameter."""
    match shape:
        case ("round", radius):
            return {"round": decimal(Fraction(2 * radius, _THOUSANDTHS))}
        case (_, width, length):
            return {"width": decimal(Fraction(width, _THOUSANDTHS)), "length": decimal(Fraction(length, _THOUSANDTHS))}
        case _:
            raise AssertionError(shape)
