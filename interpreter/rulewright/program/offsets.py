"""Hexes as maps print them, in columns and rows: offset coordinates beside the axial ones in which all is computed.

Rows that shift stand half a hex to the right, columns that shift half a hex down; the odd or the even ones do, counted
from 0.
"""

from collections.abc import Callable, Mapping

Cell = tuple[int, int]

AXIAL = "axial"


def _rows(parity: int) -> tuple[Callable[[Cell], Cell], Callable[[Cell], Cell]]:
    """From axial and back, where rows shift whose number has this parity."""
    return (
        lambda cell: (cell[0] + (cell[1] + 1 - parity) // 2, cell[1]),
        lambda cell: (cell[0] - (cell[1] + 1 - parity) // 2, cell[1]),
    )


def _columns(parity: int) -> tuple[Callable[[Cell], Cell], Callable[[Cell], Cell]]:
    return (
        lambda cell: (cell[0], cell[1] + (cell[0] + 1 - parity) // 2),
        lambda cell: (cell[0], cell[1] - (cell[0] + 1 - parity) // 2),
    )


COORDINATES: Mapping[str, tuple[Callable[[Cell], Cell], Callable[[Cell], Cell]]] = {
    AXIAL: (lambda cell: cell, lambda cell: cell),
    "odd rows": _rows(1),
    "even rows": _rows(0),
    "odd columns": _columns(1),
    "even columns": _columns(0),
}
"""The ways to write a hex: from the axial pair to what is written, and back."""


def written(cell: Cell, coordinates: str) -> Cell:
    """A hex as its board writes it."""
    return COORDINATES[coordinates][0](cell)


def meant(pair: Cell, coordinates: str) -> Cell:
    """The axial hex that a written pair stands for."""
    return COORDINATES[coordinates][1](pair)
