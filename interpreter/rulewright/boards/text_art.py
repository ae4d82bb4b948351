"""A board as lines of text: one cell beside the other, every second row or column of hexes half a cell on.

The manner is that of boards drawn in states, with room for letters, facings and numbers.
"""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rulewright.boards.drawn_board import MARKS, DrawnBoard, Part, Spot, part
from rulewright.boards.figures import Figure
from rulewright.inputs.drawings import PLAIN
from rulewright.machine.values import Cell

WIDTH, HEIGHT = 100, 40
"""How many characters and lines the cells of a board take at most."""
_ARROWS = {"square": "↑→↓←", "square8": "↑↗→↘↓↙←↖", "rows": "→↘↙←↖↗", "columns": "↘↓↙↖↑↗"}
"""Directions, by the sort of squares or by what shifts of hexes."""
_TOGETHER = "/"
_STACKED = 2
_NAMED = 24


def text_art(board: DrawnBoard, around: Cell | None = None, elsewhere: str = "") -> Iterator[str]:
    """The board, or the part of it that has room: around a cell, or what matters most; then a legend.

    `elsewhere` says how to see another part.
    """
    if not board.cells:
        yield "  it has no cells"
        return
    drawing = _Drawing(board)
    shown = drawing.part(around)
    yield from drawing.cells(shown)
    yield from drawing.legend(shown)
    if shown.left_out:
        things = drawing.outside(shown)
        also = f" and {things} thing{'' if things == 1 else 's'}" if things else ""
        yield from _told(f"{shown.left_out:,} more cells{also} have no room here{elsewhere and f'; {elsewhere}'}")


class _Drawing:
    def __init__(self, board: DrawnBoard) -> None:
        self._board = board
        self._shift = board.shifts.rpartition(" ")[2]
        self._odd = board.shifts.startswith("odd")
        self._is_numbered = board.shifts in {"", board.coordinates}
        self._written = {cell: self._content(each) for cell, each in board.spots.items()}
        self._spots = [(board.column_and_row(cell), each) for cell, each in board.spots.items()]
        widest = 1 + max(map(len, self._written.values()), default=1)
        self._wide = widest + widest % 2 if self._shift == "rows" else widest

    def part(self, around: Cell | None) -> Part:
        """What of the board has room."""
        high = HEIGHT // 2 if self._shift == "columns" else HEIGHT
        return part(self._board, max(1, WIDTH // self._wide), high, around)

    def _content(self, spot: Spot) -> str:
        standing = [self._figure(each) for each in spot.figures[:_STACKED]]
        more = [str(len(spot.figures) - _STACKED)] if len(spot.figures) > _STACKED else []
        mark = f"{spot.mark}=" if spot.mark.isdecimal() and standing else spot.mark
        return f"{mark}{_TOGETHER.join([*standing, *more])}{spot.ground}" or PLAIN

    def _figure(self, figure: Figure) -> str:
        arrows = _ARROWS[self._shift or self._board.space]
        return f"{self._board.players.called(figure)}{arrows[figure.facing] if figure.facing is not None else ''}"

    def cells(self, shown: Part) -> Iterator[str]:
        """The cells with their coordinates: columns above, rows at the left; of axial hexes the first of each row."""
        found: dict[int, list[tuple[int, str]]] = {}
        heads: dict[int, str] = {}
        for row in shown.rows:
            for column in shown.columns:
                cell = self._board.cells.get((column, row))
                if cell is not None:
                    line, at = self._where(column, row, shown)
                    found.setdefault(line, []).append((at, self._written.get(cell, PLAIN)))
                    head = str(row) if self._is_numbered else self._board.place(cell)
                    heads.setdefault(self._where_row(row, shown), head)
        margin = max(map(len, heads.values()), default=0)
        if self._is_numbered:
            numbers = ((at * self._wide, str(column)) for at, column in enumerate(shown.columns))
            yield f"  {'':{margin}}  {_laid(numbers)}"
        for line in range(max(found, default=-1) + 1):
            yield f"  {heads.get(line, ''):>{margin}}  {_laid(found.get(line, ()))}".rstrip()

    def _where(self, column: int, row: int, shown: Part) -> tuple[int, int]:
        """The line and the character where a cell is written."""
        line, at = self._where_row(row, shown), (column - shown.columns[0]) * self._wide
        if self._shift == "columns":
            return line + (column % 2 == self._odd), at
        return line, at + (self._wide // 2 if self._shift and row % 2 == self._odd else 0)

    def _where_row(self, row: int, shown: Part) -> int:
        return (row - shown.rows[0]) * (2 if self._shift == "columns" else 1)

    def legend(self, shown: Part) -> Iterator[str]:
        """Whose the figures are, what the ground is and what lies on sides, as far as they are shown."""
        inside = [each for at, each in self._spots if shown.has(at)]
        for owner, called in self._board.players.listed(figure for each in inside for figure in each.figures):
            yield from _listed(self._board.players.head(owner), called)
        signs = {each.ground for each in inside}
        grounds = [f"{sign} {words}" for sign, words in self._board.grounds.items() if sign in signs]
        yield from _listed("", grounds, "; ")
        between: dict[str, list[str]] = {}
        for first, second, words in self._board.sides:
            if shown.has(self._board.column_and_row(first)) and shown.has(self._board.column_and_row(second)):
                between.setdefault(words, []).append(f"{self._board.place(first)} and {self._board.place(second)}")
        for words, pairs in between.items():
            yield from _listed(f"{words} between ", pairs, "; ")
        marks = {each.mark for each in inside}
        yield from (f"  {mark} {words}" for mark, words in MARKS.items() if mark in marks)

    def outside(self, shown: Part) -> int:
        """How many things stand where there is no room."""
        return sum(len(each.figures) for at, each in self._spots if not shown.has(at))


def _listed(head: str, items: list[str], between: str = ", ") -> Iterator[str]:
    """Items one after the other; of many the first."""
    if items:
        more = [f"and {len(items) - _NAMED} more"] if len(items) > _NAMED else []
        yield from _told(f"{head}{between.join([*items[:_NAMED], *more])}")


def _told(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _laid(items: Iterable[tuple[int, str]]) -> str:
    """Texts at their places in a line; one that would touch the one before it is left out."""
    line = ""
    for at, text in items:
        if not line or len(line) < at:
            line = line.ljust(at) + text
    return line
