"""A board of cells as a drawing has it: its cells in columns and rows, what each of them holds, which part is drawn."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rulewright.boards.figures import Figure, Players, figures
from rulewright.codecs.table import show
from rulewright.frozen import dataclass
from rulewright.inputs.answers import listed
from rulewright.inputs.names import Names
from rulewright.machine.layout import constant
from rulewright.machine.request import Request
from rulewright.machine.state import Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field
from rulewright.program.offsets import AXIAL, meant, written
from rulewright.program.types import CellType, DirectionType, WordType, present
from rulewright.telling.conditions import spoken

HEX = "hex"
SHIFTED_ROWS = "odd rows"
REFUSED, MISSED = "-", "!"
MARKS: Mapping[str, str] = MappingProxyType({REFUSED: "cannot be answered", MISSED: "not as expected"})
"""Marks that are no numbers of answers, and the words for them."""
_SIGNS = "#*~%^&$@:;+|"
_OTHERWISE = "?"
_PAIR = re.compile(r"(-?[0-9]{1,6})[\s,]+(-?[0-9]{1,6})")
_UNMARKED: Mapping[Cell, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Spot:
    """What a cell holds that is more than a plain cell."""

    figures: tuple[Figure, ...] = ()  # what stands there
    ground: str = ""  # the sign of its ground; empty where it is plain
    mark: str = ""  # what is written over it, such as the number of an answer; empty where nothing is


@dataclass(frozen=True, slots=True)
class DrawnBoard:
    """A board of hexes or squares."""

    name: str
    space: str  # the sort of its cells, of `program.types.GRIDS`
    coordinates: str  # how states write its cells, of `program.offsets.COORDINATES`
    cells: Mapping[Cell, Cell]  # its cells, in the columns and rows in which they are drawn
    spots: Mapping[Cell, Spot]  # those that hold something, first those where things stand, in the order of the things
    grounds: Mapping[str, str]  # the words of each sort of ground that is not plain, by its sign
    players: Players  # of the game
    sides: tuple[tuple[Cell, Cell, str], ...]  # pairs of neighbours between which something lies, and the words for it

    @property
    def shifts(self) -> str:
        """Which rows or columns stand half a cell on: `odd rows`, say; empty on squares."""
        return _shifts(self.space, self.coordinates)

    def column_and_row(self, cell: Cell) -> Cell:
        """Where a cell is drawn."""
        return written(cell, self.shifts or AXIAL)

    def place(self, cell: Cell) -> str:
        """A cell as states write it, in a key: `2,-1`."""
        return "{},{}".format(*written(cell, self.coordinates if self.space == HEX else AXIAL))


def drawn_board(board: Board, situation: Situation, names: Names, marks: Mapping[Cell, str] = _UNMARKED) -> DrawnBoard:
    """A board of hexes or squares as it is in a situation, with marks on some of its cells."""
    cells = situation.base.boards.get(board.name, ())
    grounds = _grounds(board, cells, situation, names)
    sorts = sorted(set(grounds.values()))
    signs = {each: _SIGNS[at] if at < len(_SIGNS) else _OTHERWISE for at, each in enumerate(sorts)}
    standing: dict[Cell, list[Figure]] = {}
    for each in figures(situation, names, CellType(board.space), DirectionType(board.space)):
        standing.setdefault(each.at, []).append(each)
    shifts = _shifts(board.space, names.coordinates)
    inside = frozenset(cells)
    held = {
        cell: Spot(tuple(standing.get(cell, ())), signs.get(grounds.get(cell, ()), ""), marks.get(cell, ""))
        for cell in (*standing, *grounds, *marks)
        if cell in inside
    }
    return DrawnBoard(
        name=board.name,
        space=board.space,
        coordinates=names.coordinates,
        cells={written(cell, shifts or AXIAL): cell for cell in cells},
        spots={cell: each for cell, each in held.items() if each != Spot()},
        grounds=_legend(signs),
        players=Players(names.ids("player")),
        sides=_sides(board, situation, names),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Columns and rows of a board that are drawn."""

    columns: range
    rows: range
    left_out: int = 0  # how many cells lie outside

    def has(self, spot: Cell) -> bool:
        """Whether a column and row are drawn."""
        return spot[0] in self.columns and spot[1] in self.rows


def part(board: DrawnBoard, columns: int, rows: int, around: Cell | None = None) -> Part:
    """The whole board, or so many columns and rows: around a cell, else around marks, else around what stands there."""
    if not board.cells:
        return Part(range(0), range(0))
    across = sorted({column for column, _ in board.cells})
    along = sorted({row for _, row in board.cells})
    marked = [cell for cell, each in board.spots.items() if each.mark]
    standing = [cell for cell, each in board.spots.items() if each.figures]
    wanted = [around] if around is not None else marked or standing
    middles = [board.column_and_row(each) for each in wanted] or [(across[0], along[0])]
    found = Part(
        _run(across[0], across[-1], columns, [column for column, _ in middles]),
        _run(along[0], along[-1], rows, [row for _, row in middles]),
    )
    inside = sum(map(found.has, board.cells))
    return Part(found.columns, found.rows, len(board.cells) - inside)


def _run(first: int, last: int, most: int, wanted: Iterable[int]) -> range:
    """At most so many numbers from first to last, with what is wanted in their middle."""
    if last - first < most:
        return range(first, last + 1)
    middle = (min(wanted) + max(wanted)) // 2
    start = min(max(first, middle - most // 2), last + 1 - most)
    return range(start, start + most)


def marks_of(request: Request, names: Names) -> dict[Cell, str]:
    """The numbers under which a question lists cells; a cell that cannot be answered is crossed out."""
    offered = [(each.value, each.reason is None) for each in listed(request, names)]
    offered = offered or [(each, True) for each in request.items]
    inner = getattr(request.type, "item", request.type)
    if inner is None or not isinstance(present(inner), CellType):
        return {}
    numbered: list[tuple[Any, str]] = [
        (cell, str(number) if legal else REFUSED) for number, (cell, legal) in enumerate(offered, 1)
    ]
    return {cell: mark for cell, mark in numbered if cell is not None}


def spot_of(written_: str, board: DrawnBoard) -> Cell | None:
    """The cell that somebody means, by its coordinates, `2,-1`, or by the id of what stands there; or none."""
    pair = _PAIR.fullmatch(written_.strip("[]() "))
    if pair is not None:
        cell = meant((int(pair[1]), int(pair[2])), board.coordinates if board.space == HEX else AXIAL)
        return cell if board.column_and_row(cell) in board.cells else None
    standing = (cell for cell, each in board.spots.items() if any(one.id == written_ for one in each.figures))
    return next(standing, None)


def _shifts(space: str, coordinates: str) -> str:
    if space != HEX:
        return ""
    return SHIFTED_ROWS if coordinates == AXIAL else coordinates


def _grounds(board: Board, cells: Sequence[Cell], situation: Situation, names: Names) -> dict[Cell, tuple[str, ...]]:
    """The words for every cell that is not as cells are at first."""
    found: dict[Cell, tuple[str, ...]] = {}
    inside = frozenset(cells)
    for each in board.fields:
        for cell, value in situation.cells.get(f"{board.name}/{each.name}", {}).items():
            if cell in inside and (words := _had(each, value, names)):
                found[cell] = (*found.get(cell, ()), words)
    return found


def _had(field: Field, value: Value, names: Names) -> str:
    """What is said of an attribute with a value: `woods`, `height 2`; nothing where it is the start."""
    assert field.start is not None  # the analysis asks for it (RW0426)
    if value == constant(field.start):
        return ""
    if isinstance(value, bool):
        return spoken(field.name) if value else f"not {spoken(field.name)}"
    told = spoken(show(value, field.type, names))
    return told if isinstance(present(field.type), WordType) and value is not None else f"{spoken(field.name)} {told}"


def _legend(signs: Mapping[tuple[str, ...], str]) -> dict[str, str]:
    several = [words for words, sign in signs.items() if sign == _OTHERWISE]
    found = {sign: ", ".join(words) for words, sign in signs.items() if sign != _OTHERWISE}
    return found | ({_OTHERWISE: f"one of {len(several)} other sorts of ground"} if several else {})


def _sides(board: Board, situation: Situation, names: Names) -> tuple[tuple[Cell, Cell, str], ...]:
    found: dict[tuple[Cell, Cell], str] = {}
    for each in board.sides:
        for pair, value in sorted(situation.sides.get(f"{board.name}/{each.name}", {}).items()):
            if words := _had(each, value, names):
                found[pair] = f"{found[pair]}, {words}" if pair in found else words
    return tuple((first, second, words) for (first, second), words in found.items())
