"""The boards of a state file: which cells there are, and what lies in them and between them."""

from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar
from rulewright.inputs.sections import CELLS, SHAPE, SIDES
from rulewright.inputs.value_reader import CELL_KEY, ValueReader
from rulewright.inputs.wording import did_you_mean, meant, quoted, shown, there_are
from rulewright.machine.constants import start_value
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field
from rulewright.program.types import GRIDS

WIDEST_RADIUS = 150
LONGEST_EDGE = 300
_SHAPES = {
    space: f"{'`{radius: 3}`, ' if space == 'hex' else ''}`{{columns: 13, rows: 11}}` or `{{cells: [[0, 0], [1, 0]]}}`"
    for space in GRIDS
}

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


def board_cells(node: Node | None, board: Board, root: Node, findings: Findings) -> tuple[Cell, ...]:
    """The cells of a board, in order; none at all where they were reported as wrong.

    Reports RW0711 (no board, no shape), RW0710 (keys), RW0712 and RW0713 (sizes and cells).
    """
    if node is None:
        first = "radius: 3" if board.space == "hex" else "columns: 8, rows: 8"
        remedy = f"add `{board.name}: {{shape: {{{first}}}}}`"
        findings.error("RW0711", root, f"the board `{board.name}` is missing", help=remedy)
        return ()
    if not isinstance(node, Mapping):
        findings.error("RW0713", node, f"`{board.name}` is {shown(node)}; it must be a mapping with `shape`")
        return ()
    _known(node, [SHAPE, CELLS, SIDES], f"part of the board `{board.name}`", findings)
    shape = node.get(SHAPE)
    if shape is None and SHAPE in meant((key.text for key, _ in node), [SHAPE, CELLS, SIDES]):
        return ()
    if shape is None:
        findings.error(
            "RW0711", node, f"the board `{board.name}` lacks `shape`", help=f"add `shape:` with {_SHAPES[board.space]}"
        )
        return ()
    cells = _shape(shape, board, findings)
    return () if isinstance(cells, Wrong) else cells


def _known(node: Mapping, valid: list[str], what: str, findings: Findings) -> None:
    for key, _ in node:
        if key.text not in valid:
            remedy = did_you_mean(key.text, valid) or there_are(valid)
            findings.error("RW0710", key, f"{quoted(key.text)} is no {what}", help=remedy)


def _shape(node: Node, board: Board, findings: Findings) -> tuple[Cell, ...] | Wrong:
    keys = {key.text for key, _ in node} if isinstance(node, Mapping) else set()
    if isinstance(node, Mapping):
        match sorted(keys):
            case ["radius"] if board.space == "hex":
                radius = _size(node, "radius", 0, WIDEST_RADIUS, findings)
                return WRONG if isinstance(radius, Wrong) else hexagon(radius)
            case ["columns", "rows"]:
                columns = _size(node, "columns", 1, LONGEST_EDGE, findings)
                rows = _size(node, "rows", 1, LONGEST_EDGE, findings)
                if isinstance(columns, Wrong) or isinstance(rows, Wrong):
                    return WRONG
                return rectangle(columns, rows, board.space)
            case ["cells"]:
                return _listed_cells(node, findings)
    return findings.error(
        "RW0713", node, f"the shape of `{board.name}` is not one that is known", help=f"use {_SHAPES[board.space]}"
    )


def _size(node: Mapping, name: str, low: int, high: int, findings: Findings) -> int | Wrong:
    given = node.get(name)
    assert given is not None
    match given:
        case Scalar(value=int(number)) if not isinstance(number, bool):
            if low <= number <= high:
                return number
            return findings.error("RW0712", given, f"`{name}` is {shown(given)}; it must be from {low} to {high}")
    message = f"`{name}` is {shown(given)}; it must be a whole number, from {low} to {high}"
    return findings.error("RW0713", given, message)


def _listed_cells(node: Mapping, findings: Findings) -> tuple[Cell, ...] | Wrong:
    given = node.get("cells")
    if not isinstance(given, Items) or not given.items:
        return findings.error("RW0713", given or node, "`cells` must be a list of cells, such as `[[0, 0], [1, 0]]`")
    found: dict[Cell, Node] = {}
    complete = True
    for each in given.items:
        cell = _cell(each)
        if cell is None or cell in found:
            trouble = (
                f"is {shown(each)}; it must be two numbers, such as `[2, -1]`" if cell is None else "stands here twice"
            )
            findings.error("RW0713", each, f"a cell of the board {trouble}")
            complete = False
        else:
            found[cell] = each
    return tuple(sorted(found)) if complete else WRONG


def _cell(node: Node) -> Cell | None:
    match node:
        case Items(items=(Scalar(value=int(first)), Scalar(value=int(second)))):
            return None if isinstance(first, bool) or isinstance(second, bool) else (first, second)
    return None


def parse_cells(written: str) -> tuple[Cell, ...] | None:
    """The cells of a key such as `2,-1`, or of a side `0,0 1,0`; none where it is not written so."""
    found = [CELL_KEY.fullmatch(part) for part in written.replace(", ", ",").split(" ")]
    cells = [(int(each[1]), int(each[2])) for each in found if each]
    return tuple(cells) if len(cells) == len(found) else None


def cell_attributes(
    node: Node | None, board: Board, cells: tuple[Cell, ...], values: ValueReader
) -> dict[str, dict[Cell, Value]]:
    """Attributes of cells, by `board/name`; those not written keep their start.

    Reports RW0716 (no such cell), RW0710 (no such attribute) and what `ValueReader` does.
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
    if given is None:
        return found
    if not isinstance(given, Mapping):
        values.findings.error("RW0713", given, f"`{section}` is {shown(given)}; it must be a mapping")
        return found
    for key, node in given:
        place = where(key.text)
        if place is None:
            _no_place(key, board, section, values.findings)
            continue
        for each, value in _written_fields(key, node, fields, f"{section[:-1]} `{key.text}`", values):
            found[f"{board.name}/{each.name}"][place] = value
    return found


def _no_place(key: Key, board: Board, section: str, findings: Findings) -> None:
    cells = parse_cells(key.text) or ()
    sort, count, example = (
        ("cell", 1, '"2,-1"') if section == CELLS else ("side between two neighbouring cells", 2, '"0,0 1,0"')
    )
    if len(cells) == count:
        findings.error("RW0716", key, f"{quoted(key.text)} is no {sort} of `{board.name}`")
    else:
        message = f"{quoted(key.text)} is no {sort.split()[0]}"
        findings.error("RW0713", key, message, help=f"a {sort.split()[0]} is written `{example}`")


def _written_fields(
    key: Key, node: Node, fields: tuple[Field, ...], whose: str, values: ValueReader
) -> Iterator[tuple[Field, Value]]:
    if not isinstance(node, Mapping):
        message = f"{quoted(key.text)} is {shown(node)}; it must be a mapping of attributes"
        values.findings.error("RW0713", node, message)
        return
    _known(node, [each.name for each in fields], f"attribute of a {whose.split(maxsplit=1)[0]}", values.findings)
    for each in fields:
        given = node.get(each.name)
        if given is None:
            continue
        start = None if each.start is None else start_value(each.start, each.type)
        value = values.field(given, each.type, start, f"`{each.name}` of {whose}")
        if not isinstance(value, Wrong):
            yield each, value


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
