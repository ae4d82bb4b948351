"""Where a thing can move: breadth-first search over cells, what was spent and the number of moves."""

from collections import deque
from collections.abc import Callable, Set as AbstractSet
from typing import Any

from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.grid_cells import neighbours
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import (
    CONTROL,
    RECORD,
    WorkingMemory,
)

MoveJudge = Callable[[Cell, Cell, int, int], tuple[int, bool] | None]


EndJudge = Callable[[Cell, Cell, int, int], bool | None]


def find_destinations(  # noqa: PLR0913
    world: WorkingMemory,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    *,
    spent_counts: bool,
    moves_count: bool,
    space: str,
) -> tuple[Cell, ...]:
    """Destinations from a cell, in order, by breadth-first search over cell, amount spent and number of moves.

    `judge` takes the cell left, the cell entered, the amount spent before and the moves with this one; it returns the
    amount spent then and whether the move ends there, or none if the cell cannot be entered. `ends` says whether the
    thing can stop after such a move, or none if no row is judged. Amounts or moves that no row reads do not distinguish
    places.
    """
    length = len(world[RECORD]) if world[RECORD] is not None else 0
    members = {start} if ends(start, start, 0, 0) else set()
    visited = {(start, 0, 0)}
    waiting = deque(visited)
    while waiting:
        from_cell, before, moved = waiting.popleft()
        moves = moved + 1
        for entered in neighbours(world, from_cell, space):
            judged = judge(from_cell, entered, before, moves) if entered in board else None
            if judged is None:
                continue
            spent, halted = judged
            stops = ends(from_cell, entered, spent, moves)
            if stops or (stops is None and entered != start):
                members.add(entered)
            place = (entered, spent if spent_counts else 0, moves if moves_count else 0)
            if not halted and place not in visited:
                visited.add(place)
                waiting.append(place)
        _check_path_limit(world, len(visited))
    if world[RECORD] is not None:
        del world[RECORD][length:]
    return tuple(sorted(members))


def find_nearest_move(  # noqa: PLR0913, PLR0917 - a search with what is sought
    world: WorkingMemory,
    sought: Cell,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    **alike: Any,  # as `find_destinations` takes them
) -> tuple[Cell, int, int] | None:
    """The move into a cell that came nearest to ending there: the last that may be made, else the first that is tried.

    Returns the cell left, the amount spent before and the moves with this one; none if no move into the cell is tried.
    """
    refused: list[tuple[Cell, int, int]] = []
    accepted: list[tuple[Cell, int, int]] = []

    def judge_and_note(from_cell: Cell, entered: Cell, before: int, moves: int) -> tuple[int, bool] | None:
        result = judge(from_cell, entered, before, moves)
        if entered == sought:
            (refused if result is None else accepted).append((from_cell, before, moves))
        return result

    find_destinations(world, start, board, judge_and_note, ends, **alike)
    return accepted[-1] if accepted else refused[0] if refused else None


def find_least_costs(
    world: WorkingMemory,
    start: Cell,
    board: AbstractSet[Cell],
    judge: MoveJudge,
    ends: EndJudge,
    **alike: Any,  # as `find_destinations` takes them
) -> dict[Cell, int]:
    """The least that the moves to each destination cost; none where no row limits what may be spent."""
    costs: dict[Cell, int] = {}
    if not alike["spent_counts"]:
        return costs

    def end_and_note(from_cell: Cell, entered: Cell, spent: int, moves: int) -> bool | None:
        stops = ends(from_cell, entered, spent, moves)
        if stops or (stops is None and entered != start):
            costs[entered] = min(spent, costs.get(entered, spent))
        return stops

    find_destinations(world, start, board, judge, end_and_note, **alike)
    return costs


def _check_path_limit(world: WorkingMemory, places: int) -> None:
    most = world[CONTROL].limits.members
    if places > most:
        raise Fault(faults.PATH_LIMIT, f"the search for a path gave up after {most:,} places")
