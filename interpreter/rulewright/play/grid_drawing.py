"""A board of hexes or squares: what each cell holds, and its lines of text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from rulewright.base.diagnostics import format_counted_noun
from rulewright.base.frozen import dataclass
from rulewright.documents.answers import list_choices_by_row
from rulewright.documents.board_sections import PLAIN_CELL_CHAR
from rulewright.documents.name_table import NameTable
from rulewright.play.board_drawing_parts import Figure, FigureOwners, explain_numbers, find_figures
from rulewright.program.board_geometry import AXIAL, convert_from_axial, convert_to_axial
from rulewright.program.declarations import Board, Field
from rulewright.program.types import CellType, DirectionType, WordType, strip_optional
from rulewright.runtime.request import Request
from rulewright.runtime.state import Situation, evaluate_constant
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Cell, Value
from rulewright.wording.english import speak_name

HEX_SPACE = "hex"
SHIFTED_ROWS = "odd rows"
REFUSED_MARK, UNEXPECTED_MARK = "-", "!"
MARK_MEANINGS: Mapping[str, str] = MappingProxyType(
    {REFUSED_MARK: "cannot be answered", UNEXPECTED_MARK: "not as expected"}
)
"""Marks that are no numbers of answers, with their legend."""
_GROUND_SIGNS = "#*~%^&$@:;+|"
_OTHER_GROUND_SIGN = "?"
_CELL_COORDINATES_PATTERN = re.compile(r"(-?[0-9]{1,6})[\s,]+(-?[0-9]{1,6})")
_NO_MARKS: Mapping[Cell, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CellContent:
    """Figures, ground and mark of a cell."""

    figures: tuple[Figure, ...] = ()
    ground: str = ""  # its sign; empty for plain ground
    mark: str = ""  # such as the number of an answer


@dataclass(frozen=True, slots=True)
class DrawnBoard:
    """A board of hexes or squares in one situation."""

    name: str
    space: str  # of `program.types.GRID_STEPS`
    coordinates: str  # of `program.board_geometry.COORDINATE_SYSTEMS`
    cells: Mapping[Cell, Cell]  # cell by drawn column and row
    contents: Mapping[
        Cell, CellContent
    ]  # those that hold something, first those where things stand, in the order of the things
    grounds: Mapping[str, str]  # legend by sign
    players: FigureOwners
    sides: tuple[tuple[Cell, Cell, str], ...]  # two neighbours and the words of what lies between them
    numbers: tuple[str, ...] = ()  # what the numbers on counters are

    @property
    def shifts(self) -> str:
        """Coordinate system in which hexes are drawn, such as `odd rows`; empty for squares."""
        return _shifted_lines(self.space, self.coordinates)

    def column_and_row(self, cell: Cell) -> Cell:
        """Drawn position of a cell."""
        return convert_from_axial(cell, self.shifts or AXIAL)

    def cell_key(self, cell: Cell) -> str:
        """A cell as a key in states: `2,-1`."""
        return "{},{}".format(*convert_from_axial(cell, self.coordinates if self.space == HEX_SPACE else AXIAL))


def draw_board(
    board: Board, situation: Situation, names: NameTable, marks: Mapping[Cell, str] = _NO_MARKS
) -> DrawnBoard:
    """Drawing of a board in a situation, with marks by cell."""
    cells = situation.base.boards.get(board.name, ())
    grounds = _ground_words(board, cells, situation, names)
    sorts = sorted(set(grounds.values()))
    signs = {
        sort: _GROUND_SIGNS[at] if at < len(_GROUND_SIGNS) else _OTHER_GROUND_SIGN for at, sort in enumerate(sorts)
    }
    figures_by_cell: dict[Cell, list[Figure]] = {}
    for figure in find_figures(situation, names, CellType(board.space), DirectionType(board.space)):
        figures_by_cell.setdefault(figure.at, []).append(figure)
    shifts = _shifted_lines(board.space, names.coordinates)
    inside = frozenset(cells)
    contents = {
        cell: CellContent(
            tuple(figures_by_cell.get(cell, ())), signs.get(grounds.get(cell, ()), ""), marks.get(cell, "")
        )
        for cell in (*figures_by_cell, *grounds, *marks)
        if cell in inside
    }
    return DrawnBoard(
        name=board.name,
        space=board.space,
        coordinates=names.coordinates,
        cells={convert_from_axial(cell, shifts or AXIAL): cell for cell in cells},
        contents={cell: cell_content for cell, cell_content in contents.items() if cell_content != CellContent()},
        grounds=_ground_legend(signs),
        players=FigureOwners(names.ids_of_kind("player")),
        sides=_drawn_sides(board, situation, names),
        numbers=tuple(explain_numbers((one for each in figures_by_cell.values() for one in each), names)),
    )


@dataclass(frozen=True, slots=True)
class BoardWindow:
    """The drawn columns and rows of a board."""

    columns: range
    rows: range
    outside_cell_count: int = 0

    def contains(self, spot: Cell) -> bool:
        """Whether a column and row are drawn."""
        return spot[0] in self.columns and spot[1] in self.rows


def select_window(board: DrawnBoard, columns: int, rows: int, around: Cell | None = None) -> BoardWindow:
    """Window of at most `columns` by `rows`: around a cell, else around marks, else around figures."""
    if not board.cells:
        return BoardWindow(range(0), range(0))
    across = sorted({column for column, _ in board.cells})
    along = sorted({row for _, row in board.cells})
    marked = [cell for cell, cell_content in board.contents.items() if cell_content.mark]
    occupied = [cell for cell, cell_content in board.contents.items() if cell_content.figures]
    wanted = [around] if around is not None else marked or occupied
    middles = [board.column_and_row(item) for item in wanted] or [(across[0], along[0])]
    board_window = BoardWindow(
        _select_range(across[0], across[-1], columns, [column for column, _ in middles]),
        _select_range(along[0], along[-1], rows, [row for _, row in middles]),
    )
    inside = sum(map(board_window.contains, board.cells))
    return BoardWindow(board_window.columns, board_window.rows, len(board.cells) - inside)


def _select_range(first: int, last: int, most: int, wanted: Iterable[int]) -> range:
    """At most `most` numbers from first to last, with the wanted ones in the middle."""
    if last - first < most:
        return range(first, last + 1)
    middle = (min(wanted) + max(wanted)) // 2
    start = min(max(first, middle - most // 2), last + 1 - most)
    return range(start, start + most)


def answer_marks(request: Request, names: NameTable) -> dict[Cell, str]:
    """Marks by cell of a question that lists cells: option numbers, or a cross for an illegal cell."""
    offered = [(choice.value, choice.reason is None) for choice in list_choices_by_row(request, names)]
    offered = offered or [(item, True) for item in request.items]
    inner = getattr(request.type, "item", request.type)
    if inner is None or not isinstance(strip_optional(inner), CellType):
        return {}
    numbered: list[tuple[Any, str]] = [
        (cell, str(number) if legal else REFUSED_MARK) for number, (cell, legal) in enumerate(offered, 1)
    ]
    return {cell: mark for cell, mark in numbered if cell is not None}


def find_cell(written_: str, board: DrawnBoard) -> Cell | None:
    """Cell by typed coordinates, `2,-1`, or by the id of a thing there."""
    pair = _CELL_COORDINATES_PATTERN.fullmatch(written_.strip("[]() "))
    if pair is not None:
        cell = convert_to_axial((int(pair[1]), int(pair[2])), board.coordinates if board.space == HEX_SPACE else AXIAL)
        return cell if board.column_and_row(cell) in board.cells else None
    matching = (
        cell for cell, cell_content in board.contents.items() if any(one.id == written_ for one in cell_content.figures)
    )
    return next(matching, None)


def _shifted_lines(space: str, coordinates: str) -> str:
    if space != HEX_SPACE:
        return ""
    return SHIFTED_ROWS if coordinates == AXIAL else coordinates


def _ground_words(
    board: Board, cells: Sequence[Cell], situation: Situation, names: NameTable
) -> dict[Cell, tuple[str, ...]]:
    """Words by cell, for the cells whose attributes differ from their start values."""
    result: dict[Cell, tuple[str, ...]] = {}
    inside = frozenset(cells)
    for field in board.fields:
        for cell, value in situation.cells.get(f"{board.name}/{field.name}", {}).items():
            if cell in inside and (words := _attribute_words(field, value, names)):
                result[cell] = (*result.get(cell, ()), words)
    return result


def _attribute_words(field: Field, value: Value, names: NameTable) -> str:
    """`woods`, `height 2`; empty for the start value."""
    assert field.start is not None  # the analysis asks for it (RW0426)
    if value == evaluate_constant(field.start):
        return ""
    if isinstance(value, bool):
        return speak_name(field.name) if value else f"not {speak_name(field.name)}"
    value_text = speak_name(format_value(value, field.type, names))
    return (
        value_text
        if isinstance(strip_optional(field.type), WordType) and value is not None
        else f"{speak_name(field.name)} {value_text}"
    )


def _ground_legend(signs: Mapping[tuple[str, ...], str]) -> dict[str, str]:
    several = [words for words, sign in signs.items() if sign == _OTHER_GROUND_SIGN]
    result = {sign: ", ".join(words) for words, sign in signs.items() if sign != _OTHER_GROUND_SIGN}
    return result | ({_OTHER_GROUND_SIGN: f"one of {len(several)} other sorts of ground"} if several else {})


def _drawn_sides(board: Board, situation: Situation, names: NameTable) -> tuple[tuple[Cell, Cell, str], ...]:
    result: dict[tuple[Cell, Cell], str] = {}
    for side in board.sides:
        for pair, value in sorted(situation.sides.get(f"{board.name}/{side.name}", {}).items()):
            if words := _attribute_words(side, value, names):
                result[pair] = f"{result[pair]}, {words}" if pair in result else words
    return tuple((first, second, words) for (first, second), words in result.items())


MAX_TEXT_WIDTH, MAX_TEXT_HEIGHT = 100, 40
"""Characters and lines of the cells of a text board."""
_FACING_ARROWS = {"square": "↑→↓←", "square8": "↑↗→↘↓↙←↖", "rows": "→↘↙←↖↗", "columns": "↘↓↙↖↑↗"}
"""Arrows of directions, by sort of squares or shift of hexes."""
_FIGURE_SEPARATOR = "/"
_MAX_STACKED_FIGURES = 2
_MAX_LEGEND_ITEMS = 24


def render_text_board(board: DrawnBoard, around: Cell | None = None, elsewhere: str = "") -> Iterator[str]:
    """Text of a board, or of its window around a cell or what matters most, and its legend.

    `elsewhere` says how to see another part.
    """
    if not board.cells:
        yield "  it has no cells"
        return
    drawing = _TextDrawing(board)
    shown = drawing.select_text_window(around)
    yield from drawing.render_cells(shown)
    yield from drawing.render_text_legend(shown)
    if shown.outside_cell_count:
        things = drawing.count_outside(shown)
        also = f" and {format_counted_noun(things, 'thing')}" if things else ""
        yield from _wrap_indented(
            f"{shown.outside_cell_count:,} more cells{also} have no room here{elsewhere and f'; {elsewhere}'}"
        )


class _TextDrawing:
    def __init__(self, board: DrawnBoard) -> None:
        self._board = board
        self._shift = board.shifts.rpartition(" ")[2]
        self._is_odd_shifted = board.shifts.startswith("odd")
        self._is_numbered = board.shifts in {"", board.coordinates}
        self._cell_texts = {
            cell: self._render_cell_content(cell_content) for cell, cell_content in board.contents.items()
        }
        self._placed_contents = [
            (board.column_and_row(cell), cell_content) for cell, cell_content in board.contents.items()
        ]
        widest = 1 + max(map(len, self._cell_texts.values()), default=1)
        self._cell_width = widest + widest % 2 if self._shift == "rows" else widest

    def select_text_window(self, around: Cell | None) -> BoardWindow:
        high = MAX_TEXT_HEIGHT // 2 if self._shift == "columns" else MAX_TEXT_HEIGHT
        return select_window(self._board, max(1, MAX_TEXT_WIDTH // self._cell_width), high, around)

    def _render_cell_content(self, spot: CellContent) -> str:
        figures = [self._render_figure(figure) for figure in spot.figures[:_MAX_STACKED_FIGURES]]
        more = [str(len(spot.figures) - _MAX_STACKED_FIGURES)] if len(spot.figures) > _MAX_STACKED_FIGURES else []
        mark = f"{spot.mark}=" if spot.mark.isdecimal() and figures else spot.mark
        return f"{mark}{_FIGURE_SEPARATOR.join([*figures, *more])}{spot.ground}" or PLAIN_CELL_CHAR

    def _render_figure(self, figure: Figure) -> str:
        arrows = _FACING_ARROWS[self._shift or self._board.space]
        return (
            f"{self._board.players.figure_letters(figure)}{arrows[figure.facing] if figure.facing is not None else ''}"
        )

    def render_cells(self, shown: BoardWindow) -> Iterator[str]:
        result: dict[int, list[tuple[int, str]]] = {}
        heads: dict[int, str] = {}
        for row in shown.rows:
            for column in shown.columns:
                cell = self._board.cells.get((column, row))
                if cell is not None:
                    line, at = self._cell_position(column, row, shown)
                    result.setdefault(line, []).append((at, self._cell_texts.get(cell, PLAIN_CELL_CHAR)))
                    head = str(row) if self._is_numbered else self._board.cell_key(cell)
                    heads.setdefault(self._row_line(row, shown), head)
        margin = max(map(len, heads.values()), default=0)
        if self._is_numbered:
            numbers = ((at * self._cell_width, str(column)) for at, column in enumerate(shown.columns))
            yield f"  {'':{margin}}  {_place_in_line(numbers)}"
        for line in range(max(result, default=-1) + 1):
            yield f"  {heads.get(line, ''):>{margin}}  {_place_in_line(result.get(line, ()))}".rstrip()

    def _cell_position(self, column: int, row: int, shown: BoardWindow) -> tuple[int, int]:
        line, at = self._row_line(row, shown), (column - shown.columns[0]) * self._cell_width
        if self._shift == "columns":
            return line + (column % 2 == self._is_odd_shifted), at
        return line, at + (self._cell_width // 2 if self._shift and row % 2 == self._is_odd_shifted else 0)

    def _row_line(self, row: int, shown: BoardWindow) -> int:
        return (row - shown.rows[0]) * (2 if self._shift == "columns" else 1)

    def render_text_legend(self, shown: BoardWindow) -> Iterator[str]:
        inside = [cell_content for at, cell_content in self._placed_contents if shown.contains(at)]
        for owner, called in self._board.players.list_by_owner(
            figure for content in inside for figure in content.figures
        ):
            yield from _render_legend_items(self._board.players.owner_prefix(owner), called)
        signs = {cell_content.ground for cell_content in inside}
        grounds = [f"{sign} {words}" for sign, words in self._board.grounds.items() if sign in signs]
        yield from _render_legend_items("", grounds, "; ")
        between: dict[str, list[str]] = {}
        for first, second, words in self._board.sides:
            if shown.contains(self._board.column_and_row(first)) and shown.contains(self._board.column_and_row(second)):
                between.setdefault(words, []).append(
                    f"{self._board.cell_key(first)} and {self._board.cell_key(second)}"
                )
        for words, pairs in between.items():
            yield from _render_legend_items(f"{words} between ", pairs, "; ")
        marks = {cell_content.mark for cell_content in inside}
        yield from (f"  {mark} {words}" for mark, words in MARK_MEANINGS.items() if mark in marks)

    def count_outside(self, shown: BoardWindow) -> int:
        return sum(len(cell_content.figures) for at, cell_content in self._placed_contents if not shown.contains(at))


def _render_legend_items(head: str, items: list[str], between: str = ", ") -> Iterator[str]:
    if items:
        more = [f"and {len(items) - _MAX_LEGEND_ITEMS} more"] if len(items) > _MAX_LEGEND_ITEMS else []
        yield from _wrap_indented(f"{head}{between.join([*items[:_MAX_LEGEND_ITEMS], *more])}")


def _wrap_indented(text: str) -> list[str]:
    return wrap(text, MAX_TEXT_WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _place_in_line(items: Iterable[tuple[int, str]]) -> str:
    line = ""
    for at, text in items:
        if not line or len(line) < at:
            line = line.ljust(at) + text
    return line
