"""The boards of a state file: which cells there are, and what lies in them and between them."""

import re
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from rulewright.inputs.document_schemas import LONGEST_EDGE, WIDEST_RADIUS
from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.nodes import Json, Key, Mapping, Node
from rulewright.inputs.sections import CELLS, SHAPE, SIDES
from rulewright.inputs.shapes import data_of
from rulewright.inputs.things import starting
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import quoted
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field
from rulewright.program.types import GRIDS

_CELL_KEY = re.compile(r"(-?[0-9]{1,6}), ?(-?[0-9]{1,6})")
_Where = TypeVar("_Where", bound=Hashable)


def hexagon(radius: int) -> tuple[Cell, ...]:
    """All hexes within a distance of (0, 0), in order."""
    span = range(-radius, radius + 1)
    return tuple((q, r) for q in span for r in span if abs(q + r) <= radius)


def rectangle(columns: int, rows: int, space: str) -> tuple[Cell, ...]:
    """All cells of a map of columns and rows, in order.

    On hexes every second row stands half a hex to the right, and (0, 0) is the first of the first row.
    """
    shift = 1 if space == "hex" else 0
    return tuple(sorted((column - shift * (row // 2), row) for row in range(rows) for column in range(columns)))


def board_cells(node: Node | None, board: Board) -> tuple[Cell, ...]:
    """The cells of a board, in order."""
    shape: Any = data_of(node) if isinstance(node, Mapping) else {}
    match shape.get(SHAPE, {"cells": []}):
        case {"radius": radius}:
            return hexagon(radius)
        case {"columns": columns, "rows": rows}:
            return rectangle(columns, rows, board.space)
        case {"cells": cells}:
            return tuple(sorted((across, down) for across, down in cells))
        case _:
            return ()


def parse_cells(written: str) -> tuple[Cell, ...] | None:
    """The cells of a key such as `2,-1`, or of a side `0,0 1,0`; none where it is not written so."""
    found = [_CELL_KEY.fullmatch(part) for part in written.replace(", ", ",").split(" ")]
    cells = [(int(each[1]), int(each[2])) for each in found if each]
    return tuple(cells) if len(cells) == len(found) else None


def cell_attributes(
    node: Node | None, board: Board, cells: tuple[Cell, ...], values: ValueReader
) -> dict[str, dict[Cell, Value]]:
    """Attributes of cells, by `board/name`; those not written keep their start.

    Reports RW0716 (no such cell) and what `ValueReader` does of meanings.
    """
    given = node.get(CELLS) if isinstance(node, Mapping) and cells else None
    inside = frozenset(cells)
    return _places(given, board, board.fields, values, lambda written: _one_cell(written, inside), CELLS)


def side_attributes(
    node: Node | None, board: Board, cells: tuple[Cell, ...], values: ValueReader
) -> dict[str, dict[tuple[Cell, Cell], Value]]:
    """Attributes of the sides between two neighbouring cells, by `board/name` and pair of cells in order."""
    given = node.get(SIDES) if isinstance(node, Mapping) and cells else None
    inside = frozenset(cells)
    return _places(given, board, board.sides, values, lambda written: _one_side(written, inside, board.space), SIDES)


def _one_cell(written: str, inside: frozenset[Cell]) -> Cell | None:
    match parse_cells(written):
        case (cell,) if cell in inside:
            return cell
    return None


def _one_side(written: str, inside: frozenset[Cell], space: str) -> tuple[Cell, Cell] | None:
    match parse_cells(written):
        case (first, second) if first in inside and second in inside and _touch(first, second, space):
            return min(first, second), max(first, second)
    return None


def _touch(first: Cell, second: Cell, space: str) -> bool:
    return (second[0] - first[0], second[1] - first[1]) in GRIDS[space]


def _places(  # noqa: PLR0913, PLR0917
    given: Node | None,
    board: Board,
    fields: tuple[Field, ...],
    values: ValueReader,
    where: Callable[[str], _Where | None],
    section: str,
) -> dict[str, dict[_Where, Value]]:
    found: dict[str, dict[_Where, Value]] = {f"{board.name}/{each.name}": {} for each in fields}
    for key, node in given if isinstance(given, Mapping) else ():
        place = where(key.text)
        if place is None:
            _no_place(key, board, section, values.findings)
            continue
        for each in fields:
            inner = node.get(each.name) if isinstance(node, Mapping) else None
            if inner is not None:
                value = values.field(inner, each.type, starting(each), f"`{each.name}` of {section[:-1]} `{key.text}`")
                found[f"{board.name}/{each.name}"][place] = None if isinstance(value, Wrong) else value
    return found


def _no_place(key: Key, board: Board, section: str, findings: Findings) -> None:
    sort = "cell" if section == CELLS else "side between two neighbouring cells"
    findings.error("RW0716", key, f"{quoted(key.text)} is no {sort} of `{board.name}`")


def shape_of(cells: tuple[Cell, ...], space: str) -> Json:
    """The shortest way to write which cells a board has."""
    radius = max((q for q, _ in cells), default=0)
    if space == "hex" and 0 <= radius <= WIDEST_RADIUS and cells == hexagon(radius):
        return {"radius": radius}
    rows = max((row for _, row in cells), default=0) + 1
    columns = len(cells) // rows if rows > 0 else 0
    if 0 < columns <= LONGEST_EDGE and rows <= LONGEST_EDGE and cells == rectangle(columns, rows, space):
        return {"columns": columns, "rows": rows}
    return {"cells": [list(cell) for cell in cells]}
