"""A board as lines of text: one cell beside the other, every second row or column of hexes half a cell on.

The manner is that of boards drawn in states, with room for letters, facings and numbers.
"""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rulewright.documents.board_sections import PLAIN_CELL_CHAR
from rulewright.play.boards.figures import Figure
from rulewright.play.boards.grid_drawing import MARK_MEANINGS, BoardWindow, CellContent, DrawnBoard, select_window
from rulewright.runtime.values import Cell

MAX_TEXT_WIDTH, MAX_TEXT_HEIGHT = 100, 40
"""How many characters and lines the cells of a board take at most."""
_FACING_ARROWS = {"square": "↑→↓←", "square8": "↑↗→↘↓↙←↖", "rows": "→↘↙←↖↗", "columns": "↘↓↙↖↑↗"}
"""Directions, by the sort of squares or by what shifts of hexes."""
_FIGURE_SEPARATOR = "/"
_MAX_STACKED_FIGURES = 2
_MAX_LEGEND_ITEMS = 24


def render_text_board(board: DrawnBoard, around: Cell | None = None, elsewhere: str = "") -> Iterator[str]:
    """The board, or the part of it that has room: around a cell, or what matters most; then a legend.

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
        also = f" and {things} thing{'' if things == 1 else 's'}" if things else ""
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
        """What of the board has room."""
        high = MAX_TEXT_HEIGHT // 2 if self._shift == "columns" else MAX_TEXT_HEIGHT
        return select_window(self._board, max(1, MAX_TEXT_WIDTH // self._cell_width), high, around)

    def _render_cell_content(self, spot: CellContent) -> str:
        standing = [self._render_figure(figure) for figure in spot.figures[:_MAX_STACKED_FIGURES]]
        more = [str(len(spot.figures) - _MAX_STACKED_FIGURES)] if len(spot.figures) > _MAX_STACKED_FIGURES else []
        mark = f"{spot.mark}=" if spot.mark.isdecimal() and standing else spot.mark
        return f"{mark}{_FIGURE_SEPARATOR.join([*standing, *more])}{spot.ground}" or PLAIN_CELL_CHAR

    def _render_figure(self, figure: Figure) -> str:
        arrows = _FACING_ARROWS[self._shift or self._board.space]
        return (
            f"{self._board.players.figure_letters(figure)}{arrows[figure.facing] if figure.facing is not None else ''}"
        )

    def render_cells(self, shown: BoardWindow) -> Iterator[str]:
        """The cells with their coordinates: columns above, rows at the left; of axial hexes the first of each row."""
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
        """The line and the character where a cell is written."""
        line, at = self._row_line(row, shown), (column - shown.columns[0]) * self._cell_width
        if self._shift == "columns":
            return line + (column % 2 == self._is_odd_shifted), at
        return line, at + (self._cell_width // 2 if self._shift and row % 2 == self._is_odd_shifted else 0)

    def _row_line(self, row: int, shown: BoardWindow) -> int:
        return (row - shown.rows[0]) * (2 if self._shift == "columns" else 1)

    def render_text_legend(self, shown: BoardWindow) -> Iterator[str]:
        """Whose the figures are, what the ground is and what lies on sides, as far as they are shown."""
        inside = [cell_content for at, cell_content in self._placed_contents if shown.contains(at)]
        for owner, called in self._board.players.list_by_owner(
            figure for cell_content in inside for figure in cell_content.figures
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
        """How many things stand where there is no room."""
        return sum(len(cell_content.figures) for at, cell_content in self._placed_contents if not shown.contains(at))


def _render_legend_items(head: str, items: list[str], between: str = ", ") -> Iterator[str]:
    """Items one after the other; of many the first."""
    if items:
        more = [f"and {len(items) - _MAX_LEGEND_ITEMS} more"] if len(items) > _MAX_LEGEND_ITEMS else []
        yield from _wrap_indented(f"{head}{between.join([*items[:_MAX_LEGEND_ITEMS], *more])}")


def _wrap_indented(text: str) -> list[str]:
    return wrap(text, MAX_TEXT_WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _place_in_line(items: Iterable[tuple[int, str]]) -> str:
    """Texts at their places in a line; one that would touch the one before it is left out."""
    line = ""
    for at, text in items:
        if not line or len(line) < at:
            line = line.ljust(at) + text
    return line
