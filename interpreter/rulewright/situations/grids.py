"""Boards of cells, and where things stand on them: near each other, since that is where rules meet."""

from collections.abc import Sequence

from rulewright.inputs.names import CELLS, SHAPE, SIDES
from rulewright.inputs.nodes import Json
from rulewright.program.declarations import Board, Field
from rulewright.program.types import GRIDS
from rulewright.situations.sampler import Chooser, Sizes, between, chance, one_of
from rulewright.situations.values import Values

Cell = tuple[int, int]
_MARKED, _BESIDE, _SHARED = 25, 70, 10


def shape(board: Board, chooser: Chooser, sizes: Sizes) -> tuple[Json, list[Cell]]:
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


def standing(board: Board, cells: Sequence[Cell], number: int, chooser: Chooser) -> list[Cell]:
    """Cells for so many things: mostly beside one that stands already, seldom on the same."""
    steps = GRIDS[board.space]
    found: list[Cell] = []
    for _ in range(number):
        found.append(_place(cells, found, steps, chooser))
    return found


def _place(cells: Sequence[Cell], taken: list[Cell], steps: Sequence[Cell], chooser: Chooser) -> Cell:
    if taken and chance(chooser, _SHARED):
        return one_of(chooser, taken)
    free = [each for each in cells if each not in taken] or list(cells)
    if taken and chance(chooser, _BESIDE):
        near = one_of(chooser, taken)
        beside = [each for each in free if (each[0] - near[0], each[1] - near[1]) in steps]
        free = beside or free
    return one_of(chooser, free)
