"""The search behind paths terms: from cell to cell, by what a move was judged to be."""

from collections import deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.grids import neighbours
from rulewright.machine.values import Cell
from rulewright.machine.world import CONTROL, RECORD, World

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


def _count(world: World, places: int) -> None:
    most = world[CONTROL].limits.members
    if places > most:
        raise Fault(codes.WAYS, f"the search for a path gave up after {most:,} places")
