"""Which part of a board is drawn where the whole of it has no room."""

from collections.abc import Iterable

from rulewright.boards.drawn_board import DrawnBoard
from rulewright.frozen import dataclass
from rulewright.machine.values import Cell


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
