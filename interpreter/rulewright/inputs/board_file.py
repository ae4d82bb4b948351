"""Boards in state files: their cells, in the coordinates that the state writes, and what cells and sides have."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from rulewright.codecs.schemas import length_measure
from rulewright.inputs.document_schemas import CONTACT, DEPTH, LONGEST_EDGE, WIDEST_RADIUS, WIDTH
from rulewright.inputs.findings import Findings, Wrong, quoted
from rulewright.inputs.names import CELLS, COORDINATES, SHAPE, SIDES
from rulewright.inputs.nodes import Json, Mapping, Node, Scalar, data_of, entries_of, value_under
from rulewright.inputs.value_reader import ValueReader, starting
from rulewright.machine.state import TOLERANCES, Plane
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field
from rulewright.program.offsets import AXIAL, meant, written
from rulewright.program.types import GRIDS

HEX = "hex"
_CELL_KEY = re.compile(r"(-?[0-9]{1,6}), ?(-?[0-9]{1,6})")
_Where = TypeVar("_Where", bound=Hashable)


def hexagon(radius: int) -> tuple[Cell, ...]:
    """All hexes within a distance of (0, 0), in order."""
    span = range(-radius, radius + 1)
    return tuple((q, r) for q in span for r in span if abs(q + r) <= radius)


def parallelogram(across: int, down: int) -> tuple[Cell, ...]:
    """The hexes from (0, 0) to (across - 1, down - 1) in axial coordinates, in order."""
    return tuple((q, r) for q in range(across) for r in range(down))


def ragged(rows: Sequence[int], way: str) -> tuple[Cell, ...]:
    """The cells of rows of so many, in order; each row begins in column 0 of coordinates."""
    return tuple(sorted(meant((column, row), way) for row, length in enumerate(rows) for column in range(length)))


def _laid_out(board: Board, coordinates: str) -> str:
    """The coordinates in which a board has columns and rows; axial ones have none, so that every second row shifts."""
    return AXIAL if board.space != HEX else "odd rows" if coordinates == AXIAL else coordinates


def board_cells(  # noqa: PLR0911 - one case for each form
    node: Node | None, board: Board, coordinates: str
) -> tuple[Cell, ...]:
    """The cells of a board, in order."""
    shape: Any = data_of(node) if isinstance(node, Mapping) else {}
    way = _laid_out(board, coordinates)
    match shape.get(SHAPE, {"cells": []}):
        case {"radius": radius}:
            return hexagon(radius)
        case {"parallelogram": [across, down]}:
            return parallelogram(across, down)
        case {"columns": columns, "rows": rows}:
            return ragged([columns] * rows, way)
        case {"rows": rows}:
            return ragged(rows, way)
        case {"columns": columns}:
            across = (meant((column, row), way) for column, length in enumerate(columns) for row in range(length))
            return tuple(sorted(across))
        case {"cells": cells}:
            return tuple(sorted(meant((first, second), coordinates) for first, second in cells))
        case _:
            return ()


def read_coordinates(boards: Iterable[tuple[Board, Node | None]], findings: Findings) -> str:
    """How hexes are written, which is the same for all boards, since a hex does not say of which board it is.

    Reports RW0720 (two ways).
    """
    found: dict[str, Node] = {}
    for board, node in boards:
        if board.space == HEX and isinstance(node, Mapping):
            given = node.get(COORDINATES)
            found.setdefault(given.written if isinstance(given, Scalar) else AXIAL, given or node)
    ways = list(found) or [AXIAL]
    if len(ways) > 1:
        message = f"all boards write hexes in the same way, but here are {quoted(ways[0])} and {quoted(ways[1])}"
        findings.error(
            "RW0720", found[ways[1]], message, help=f"write the same `{COORDINATES}:` on each board of hexes"
        )
    return ways[0]


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

    def where(key: str) -> Cell | None:
        match _cells(key, board, values):
            case (cell,) if cell in inside:
                return cell
        return None

    return _places(given, board, board.fields, values, where, CELLS)


def side_attributes(
    node: Node | None, board: Board, cells: tuple[Cell, ...], values: ValueReader
) -> dict[str, dict[tuple[Cell, Cell], Value]]:
    """Attributes of the sides between two neighbouring cells, by `board/name` and pair of cells in order."""
    given = node.get(SIDES) if isinstance(node, Mapping) and cells else None
    inside = frozenset(cells)

    def where(key: str) -> tuple[Cell, Cell] | None:
        match _cells(key, board, values):
            case (first, second) if first in inside and second in inside:
                touching = (second[0] - first[0], second[1] - first[1]) in GRIDS[board.space]
                return (min(first, second), max(first, second)) if touching else None
        return None

    return _places(given, board, board.sides, values, where, SIDES)


def _cells(key: str, board: Board, values: ValueReader) -> tuple[Cell, ...]:
    way = values.names.coordinates if board.space == HEX else AXIAL
    return tuple(meant(pair, way) for pair in parse_cells(key) or ())


def _places(  # noqa: PLR0913, PLR0917
    given: Node | None,
    board: Board,
    fields: tuple[Field, ...],
    values: ValueReader,
    where: Callable[[str], _Where | None],
    section: str,
) -> dict[str, dict[_Where, Value]]:
    found: dict[str, dict[_Where, Value]] = {f"{board.name}/{each.name}": {} for each in fields}
    for key, node in entries_of(given):
        place = where(key.text)
        if place is None:
            sort = "cell" if section == CELLS else "side between two neighbouring cells"
            values.findings.error("RW0716", key, f"{quoted(key.text)} is not a {sort} of `{board.name}`")
            continue
        for each in fields:
            inner = value_under(node, each.name)
            if inner is not None:
                value = values.field(inner, each.type, starting(each), f"`{each.name}` of {section[:-1]} `{key.text}`")
                found[f"{board.name}/{each.name}"][place] = None if isinstance(value, Wrong) else value
    return found


def shape_of(cells: tuple[Cell, ...], board: Board, coordinates: str) -> Json:
    """The shortest way to write which cells a board has."""
    radius = max((q for q, _ in cells), default=0)
    if board.space == HEX and 0 <= radius <= WIDEST_RADIUS and cells == hexagon(radius):
        return {"radius": radius}
    across, down = (max((each[axis] for each in cells), default=0) + 1 for axis in (0, 1))
    is_small = min(across, down) > 1 and max(across, down) <= LONGEST_EDGE
    if board.space == HEX and coordinates == AXIAL and is_small and cells == parallelogram(across, down):
        return {"parallelogram": [across, down]}
    way = _laid_out(board, coordinates)
    rows = Counter(row for _, row in (written(cell, way) for cell in cells))
    lengths = [rows[row] for row in range(len(rows))]
    if cells and max(lengths) <= LONGEST_EDGE and len(rows) <= LONGEST_EDGE and cells == ragged(lengths, way):
        return {"columns": lengths[0], "rows": len(rows)} if len(set(lengths)) == 1 else {"rows": [*lengths]}
    return {"cells": [list(written(cell, coordinates)) for cell in cells]}


def read_plane(node: Node | None, board: Board, values: ValueReader) -> Plane:
    """What a state says of the board of the plane; all of it may be left out."""
    if not isinstance(node, Mapping):
        return Plane(contact=TOLERANCES[board.unit])
    width, depth, contact = (_length(node, name, board, values) for name in (WIDTH, DEPTH, CONTACT))
    return Plane(width, depth, TOLERANCES[board.unit] if contact is None else contact)


def _length(node: Mapping, name: str, board: Board, values: ValueReader) -> int | None:
    given = node.get(name)
    if not isinstance(given, Scalar):
        return None
    found = values.measure(given, f"`{name}` of `{board.name}`", length_measure(values.names.program))
    return None if isinstance(found, Wrong) else found
