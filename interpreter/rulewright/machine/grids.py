"""Cells of grids: neighbours, distances, directions, and paths from cell to cell."""

from collections import deque
from collections.abc import Callable, Set as AbstractSet
from functools import lru_cache
from typing import Any

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.values import Cell
from rulewright.machine.world import BOARD, CONTROL, RECORD, World
from rulewright.program.types import GRIDS

Judge = Callable[[Cell, Cell, int, int], tuple[int, bool] | None]
Ending = Callable[[Cell, Cell, int, int], bool | None]


def reached(  # noqa: PLR0913
    world: World,
    start: Cell,
    board: AbstractSet[Cell],
    judge: Judge,
    ends: Ending,
    *,
    spent_counts: bool,
    moves_count: bool,
    space: str,
) -> tuple[Cell, ...]:
    """The destinations from a cell, in order.

    `judge` takes the cell left, the cell entered, what was spent before and the moves with this one; it gives what
    is spent then and whether the move ends there, or none where the cell cannot be entered. `ends` says whether the
    thing can stop after such a move, or none where no row is judged. What no row reads does not tell two places on
    the way apart.
    """
    length = len(world[RECORD]) if world[RECORD] is not None else 0
    found = {start} if ends(start, start, 0, 0) else set()
    seen = {(start, 0, 0)}
    waiting = deque(seen)
    while waiting:
        left, before, moved = waiting.popleft()
        moves = moved + 1
        for entered in neighbours(world, left, space):
            made = judge(left, entered, before, moves) if entered in board else None
            if made is None:
                continue
            spent, halted = made
            stops = ends(left, entered, spent, moves)
            if stops or (stops is None and entered != start):
                found.add(entered)
            place = (entered, spent if spent_counts else 0, moves if moves_count else 0)
            if not halted and place not in seen:
                seen.add(place)
                waiting.append(place)
        _count(world, len(seen))
    if world[RECORD] is not None:
        del world[RECORD][length:]
    return tuple(sorted(found))


def nearest(  # noqa: PLR0913, PLR0917 - a search with what is sought
    world: World,
    sought: Cell,
    start: Cell,
    board: AbstractSet[Cell],
    judge: Judge,
    ends: Ending,
    **alike: Any,  # as `reached` takes them
) -> tuple[Cell, int, int] | None:
    """The move into a cell that came nearest to ending there: the last that may be made, else the first that is tried.

    It is the cell left, what was spent before and the moves with this one; none where no move into the cell is tried.
    """
    refused: list[tuple[Cell, int, int]] = []
    made: list[tuple[Cell, int, int]] = []

    def noting(left: Cell, entered: Cell, before: int, moves: int) -> tuple[int, bool] | None:
        found = judge(left, entered, before, moves)
        if entered == sought:
            (refused if found is None else made).append((left, before, moves))
        return found

    reached(world, start, board, noting, ends, **alike)
    return made[-1] if made else refused[0] if refused else None


def _count(world: World, places: int) -> None:
    most = world[CONTROL].limits.members
    if places > most:
        raise Fault(codes.WAYS, f"the search for a path gave up after {most:,} places")


_NEXT = {space: frozenset(steps) for space, steps in GRIDS.items()}
_BEHIND = {"hex": (2, 3, 4), "square": (2,), "square8": (3, 4, 5)}
_SPANS = 1 << 12
"""The directions of so many spans are remembered."""


def pair(first: int, second: int) -> Cell:
    """A cell from its coordinates."""
    return (first, second)


def side(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    """The side between two cells."""
    return (first, second) if first <= second else (second, first)


def adjacent(a: Cell, b: Cell, space: str = "hex") -> bool:
    """Whether two cells are next to each other."""
    return (b[0] - a[0], b[1] - a[1]) in _NEXT[space]


def distance(a: Cell, b: Cell, space: str = "hex") -> int:
    """The fewest steps between two cells."""
    across, down = b[0] - a[0], b[1] - a[1]
    if space == "hex":
        return max(abs(across), abs(down), abs(across + down))
    return abs(across) + abs(down) if space == "square" else max(abs(across), abs(down))


def step(cell: Cell, heading: int, space: str = "hex") -> Cell:
    """The next cell in a direction."""
    across, down = GRIDS[space][heading]
    return (cell[0] + across, cell[1] + down)


def neighbours(world: World, cell: Cell, space: str = "hex") -> tuple[Cell, ...]:
    """The neighbours on the board, in order."""
    board, (right, down) = world[BOARD], cell
    return tuple(sorted([each for x, y in GRIDS[space] if (each := (right + x, down + y)) in board]))


def rear_hexes(world: World, cell: Cell, facing: int, space: str = "hex") -> tuple[Cell, ...]:
    """The neighbours behind that are on the board, in order: of a square that touches by sides one, else three."""
    board, count = world[BOARD], len(GRIDS[space])
    behind = [step(cell, (facing + turn) % count, space) for turn in _BEHIND[space]]
    return tuple(sorted([each for each in behind if each in board]))


def direction(a: Cell, b: Cell, space: str = "hex") -> int:
    """The direction from one cell in which another lies; of two equally near the first clockwise."""
    if a == b:
        raise Fault(codes.NO_SUCH_PLACE, "a cell has no direction to itself")
    return _towards((b[0] - a[0], b[1] - a[1]), space)


@lru_cache(_SPANS)
def _towards(span: Cell, space: str) -> int:
    steps = GRIDS[space]
    if span in _NEXT[space]:
        return steps.index(span)
    nearness = [_along(each, span, space) for each in steps]
    best = [each for each, near in enumerate(nearness) if near == max(nearness)]
    return next((each for each in best if (each - 1) % len(steps) not in best), best[0])


def _along(unit: Cell, span: Cell, space: str) -> int:
    """How far a span goes along a direction, in a measure that only compares; squared where steps differ in length."""
    product = unit[0] * span[0] + unit[1] * span[1]
    if space == "hex":
        return 2 * product + unit[0] * span[1] + unit[1] * span[0]
    if space == "square":
        return product
    longer = unit[0] * unit[0] + unit[1] * unit[1]
    return (2 // longer) * product * abs(product)
