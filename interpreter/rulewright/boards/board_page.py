"""A board of hexes or squares on a page: where each cell, counter, side and mark lies."""

from collections.abc import Iterator, Sequence
from math import cos, radians, sin, sqrt

from rulewright.boards.drawn_board import MARKS, REFUSED, DrawnBoard, Part, Spot, part
from rulewright.boards.figures import Figure
from rulewright.boards.page import LINE, NARROWEST, Counter, LegendLine, legend, listed, pointer, points, short, style
from rulewright.frozen import dataclass
from rulewright.machine.values import Cell

MOST = 60
"""How many columns and rows are drawn at most."""
_EDGE = 32.0
"""How long the edge of a hex is; a square is as wide as a hex."""
_WIDE = _EDGE * sqrt(3)
_MARGIN = 16.0
_ALONE, _BESIDE, _APART = 15.0, 11.0, 12.5
_STACKED = 2


@dataclass(frozen=True, slots=True)
class CellDrawn:
    """A cell: its middle, the number of its ground from 1, or 0 where it is plain, and how states write it."""

    x: float
    y: float
    ground: int
    place: str


@dataclass(frozen=True, slots=True)
class SideDrawn:
    """What lies between two cells: the ends of a line, and which line it is."""

    x: float
    y: float
    to_x: float
    to_y: float
    key: int


@dataclass(frozen=True, slots=True)
class MarkDrawn:
    """The number of an answer, or a cross where its text is empty."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A drawing of a board: its size, the outline of a cell around (0, 0), and all that lies on it."""

    title: str
    width: float
    height: float
    outline: str
    top: float
    cells: tuple[CellDrawn, ...]
    sides: tuple[SideDrawn, ...]
    counters: tuple[Counter, ...]
    more: tuple[MarkDrawn, ...]
    marks: tuple[MarkDrawn, ...]
    entries: tuple[LegendLine, ...]


def board_page(board: DrawnBoard, around: Cell | None = None) -> BoardPage:
    """A board on a page, or the part of it that has room: around a cell, or what matters most."""
    return _Laying(board, part(board, MOST, MOST, around)).page()


class _Laying:
    def __init__(self, board: DrawnBoard, shown: Part) -> None:
        self._board = board
        self._shown = shown
        self._shift = board.shifts.rpartition(" ")[2]
        self._odd = board.shifts.startswith("odd")
        self._grounds = {sign: number for number, sign in enumerate(board.grounds, 1)}
        drawn = (shown.has(board.column_and_row(a)) and shown.has(board.column_and_row(b)) for a, b, _ in board.sides)
        words = dict.fromkeys(each for (_, _, each), is_drawn in zip(board.sides, drawn, strict=True) if is_drawn)
        self._sides = {each: number for number, each in enumerate(words)}

    def page(self) -> BoardPage:
        inside = {cell: self._middle(cell) for at, cell in sorted(self._board.cells.items()) if self._shown.has(at)}
        spots = [(inside[cell], each) for cell, each in self._board.spots.items() if cell in inside]
        right = max((x for x, _ in inside.values()), default=0.0) + _WIDE / 2 + _EDGE / 4 + _MARGIN
        width = max(NARROWEST, right)
        bottom = max((y for _, y in inside.values()), default=0.0) + _EDGE + _MARGIN + LINE / 2
        items = [*self._legend([each for _, each in spots])]
        entries = tuple(legend(items, _MARGIN, bottom, width - 2 * _MARGIN))
        between = ((inside.get(a), inside.get(b), words) for a, b, words in self._board.sides)
        return BoardPage(
            title=self._board.name,
            width=short(width),
            height=short(bottom + LINE * len(entries)),
            outline=self._outline(),
            top=short(-_EDGE * (0.5 if self._shift == "rows" else 0.55)),
            cells=tuple(self._cell(cell, *at) for cell, at in inside.items()),
            sides=tuple(self._side(a, b, words) for a, b, words in between if a is not None and b is not None),
            counters=tuple(each for at, spot in spots for each in self._counters(spot, *at)),
            more=tuple(each for at, spot in spots for each in _uncounted(spot, *at)),
            marks=tuple(self._mark(spot, *at) for at, spot in spots if spot.mark),
            entries=entries,
        )

    def _middle(self, cell: Cell) -> tuple[float, float]:
        column, row = self._board.column_and_row(cell)
        across, down = float(column - self._shown.columns[0]), float(row - self._shown.rows[0])
        left, top = _MARGIN + _WIDE / 2, _MARGIN + _EDGE
        match self._shift:
            case "rows":
                half = 0.5 if row % 2 == self._odd else 0.0
                return left + (across + half) * _WIDE, top + down * 1.5 * _EDGE
            case "columns":
                half = 0.5 if column % 2 == self._odd else 0.0
                return left + _EDGE / 8 + across * 1.5 * _EDGE, top + (down + half) * _WIDE
            case _:
                return left + across * _WIDE, top + down * _WIDE

    def _outline(self) -> str:
        if not self._shift:
            half = _WIDE / 2
            return points([(-half, -half), (half, -half), (half, half), (-half, half)])
        first = 30 if self._shift == "rows" else 0
        corners = [radians(first + turn) for turn in range(0, 360, 60)]
        return points((_EDGE * cos(each), _EDGE * sin(each)) for each in corners)

    def _cell(self, cell: Cell, x: float, y: float) -> CellDrawn:
        spot = self._board.spots.get(cell, Spot())
        return CellDrawn(short(x), short(y), self._grounds.get(spot.ground, 0), self._board.place(cell))

    def _side(self, one: tuple[float, float], other: tuple[float, float], words: str) -> SideDrawn:
        """The edge between two neighbours: across the middle of the way between them."""
        (x, y), (to_x, to_y) = one, other
        half = (_EDGE if self._shift else _WIDE) / 2 / sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
        across, down = (to_y - y) * half, (x - to_x) * half
        x, y = (x + to_x) / 2, (y + to_y) / 2
        return SideDrawn(short(x - across), short(y - down), short(x + across), short(y + down), self._sides[words])

    def _counters(self, spot: Spot, x: float, y: float) -> Iterator[Counter]:
        alone = len(spot.figures) == 1
        for number, figure in enumerate(spot.figures[:_STACKED]):
            radius = _ALONE if alone else _BESIDE
            across = x if alone else x + (_APART if number else -_APART)
            yield self._counter(figure, across, y + 2, radius)

    def _counter(self, figure: Figure, x: float, y: float, radius: float) -> Counter:
        facing = ""
        if figure.facing is not None:
            first, step = {"rows": (0, 60), "columns": (30, 60)}.get(self._shift, (-90, 90))
            step = 45 if self._board.space == "square8" else step
            facing = pointer(x, y, radius, first + step * figure.facing)
        return Counter(
            x=short(x),
            y=short(y),
            radius=short(radius),
            style=style(figure.owner),
            letters=self._board.players.called(figure),
            pointer=facing,
            thing=(figure.kind, figure.number),
        )

    def _mark(self, spot: Spot, x: float, y: float) -> MarkDrawn:
        down = 20.0 if spot.figures else 2.0
        return MarkDrawn(short(x), short(y + down), _written(spot.mark))

    def _legend(self, spots: Sequence[Spot]) -> Iterator[tuple[str, str, str]]:
        for owner, called in self._board.players.listed(figure for each in spots for figure in each.figures):
            yield "counter", style(owner), f"{self._board.players.head(owner)}{listed(called)}"
        signs = {each.ground for each in spots}
        grounds = ((sign, words) for sign, words in self._board.grounds.items() if sign in signs)
        yield from (("ground", str(self._grounds[sign]), words) for sign, words in grounds)
        yield from (("side", str(number), words) for words, number in self._sides.items())
        marks = {each.mark for each in spots} - {""}
        if marks - MARKS.keys():
            yield "mark", "1", "an answer, by its number"
        yield from (("mark", _written(mark), words) for mark, words in MARKS.items() if mark in marks)
        if self._shown.left_out:
            yield "", "", f"{self._shown.left_out:,} more cells are not drawn"


def _written(mark: str) -> str:
    """A mark on a page: what is refused is crossed out."""
    return "" if mark == REFUSED else mark


def _uncounted(spot: Spot, x: float, y: float) -> Iterator[MarkDrawn]:
    """How many more things stand where there is room for two."""
    if len(spot.figures) > _STACKED:
        yield MarkDrawn(short(x), short(y + 24), f"+{len(spot.figures) - _STACKED}")
