"""The boards of a play as those at the screen see them: as they are, at a question for a cell, around a place."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from rulewright.boards.drawn_board import MISSED, DrawnBoard, drawn_board, marks_of, spot_of
from rulewright.boards.text_art import text_art
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Session
from rulewright.inputs.findings import quoted
from rulewright.inputs.names import Names
from rulewright.machine.request import Request
from rulewright.machine.state import Situation, State
from rulewright.machine.values import Cell
from rulewright.program.declarations import Board
from rulewright.program.types import GRIDS


def boards_of(session: Session) -> tuple[DrawnBoard, ...]:
    """Every board of hexes or squares as it is now."""
    return boards_in(_situation(session), session.begun.names)


def _situation(session: Session) -> Situation:
    return session.state.situation() if isinstance(session.state, State) else session.begun.situation


def boards_in(situation: Situation, names: Names) -> tuple[DrawnBoard, ...]:
    """Every board of hexes or squares of a situation."""
    return tuple(drawn_board(each, situation, names) for each in _of_cells(names))


def board_of(request: Request, situation: Situation, names: Names) -> tuple[DrawnBoard, ...]:
    """The board on which a question looks for a cell, with the numbers of the answers; nothing for other questions."""
    return tuple(_with(marks_of(request, names), situation, names))[:1]


def marked_boards(session: Session, spots: Collection[Cell]) -> Iterator[str]:
    """The boards at the end on which cells are not as expected, with marks there, as text."""
    boards = _with(dict.fromkeys(spots, MISSED), _situation(session), session.begun.names) if spots else ()
    return drawn(boards, "", ", at the end")


def _with(marks: Mapping[Cell, str], situation: Situation, names: Names) -> Iterator[DrawnBoard]:
    """The boards that have marked cells."""
    cells = situation.base.boards
    marked = (each for each in _of_cells(names) if not marks.keys().isdisjoint(cells.get(each.name, ())))
    return (drawn_board(each, situation, names, marks) for each in marked)


def _of_cells(names: Names) -> Iterator[Board]:
    return (each for each in names.program.boards.values() if each.space in GRIDS)


def no_cells(names: Names) -> str:
    """What is said where no board of hexes or squares is there to be drawn."""
    is_plane = any(each.space not in GRIDS for each in names.program.boards.values())
    return f"there is no board of hexes or squares{'; `rulewright draw` draws the plane' if is_plane else ''}"


def drawn(boards: Iterable[DrawnBoard], elsewhere: str, when: str = "") -> Iterator[str]:
    """Boards as text, each under its name, of which `when` tells more; `elsewhere` says how to see another part."""
    for each in boards:
        yield f"{visible(each.name)}{when}"
        yield from text_art(each, elsewhere=elsewhere)


def looked_at(session: Session, around: str, elsewhere: str) -> Iterator[str]:
    """The boards now; or what lies around a cell, or around the thing of an id, on those that have it."""
    boards = boards_of(session)
    found = [(each, spot_of(around, each)) for each in boards if around]
    if not boards:
        yield no_cells(session.begun.names)
    elif not around:
        yield from drawn(boards, elsewhere)
    elif all(spot is None for _, spot in found):
        yield f"no cell is written {visible(quoted(around))}, and nothing that stands on a board is called so"
    for board, spot in found:
        if spot is not None:
            yield visible(board.name)
            yield from text_art(board, spot, elsewhere)
