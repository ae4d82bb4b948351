"""Where on a drawn board the answers to a question lie, for those who point at them."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.boards.board_page import BoardPage
from rulewright.boards.drawn_board import DrawnBoard
from rulewright.boards.plane_page import PlanePage
from rulewright.frozen import dataclass
from rulewright.machine.values import Value
from rulewright.program.types import CellType, ThingType, Type, present


@dataclass(frozen=True, slots=True)
class AnswerSpot:
    """A place of a drawing that stands for an answer."""

    x: float  # of its middle
    y: float  # of its middle
    radius: float  # of a disc around it
    outline: str = ""  # in place of the disc: corners around 0, 0
    option: int | None = None  # which of the options of the question, from 0
    answer: Value = None  # or the answer itself, where something may be put on the plane


_NEAR = 6.0
"""How far around a point of the plane it can be pointed at."""


def spots_of_cells(page: BoardPage, board: DrawnBoard, type_: Type, options: Sequence[Value]) -> Iterator[AnswerSpot]:
    """The cells, or the counters of the things, that are options of a question; those that are not drawn are left out.

    `type_` is that of an option.
    """
    match present(type_):
        case CellType():
            drawn = {each.place: each for each in page.cells}
            for number, value in enumerate(options):
                cell: Any = value
                at = drawn.get(board.place(cell)) if cell is not None else None
                if at is not None:
                    yield AnswerSpot(at.x, at.y, 0, page.outline, number)
        case ThingType(kind):
            stands = {each.thing: each for each in page.counters}
            for number, value in enumerate(options):
                counter = stands.get((kind, value)) if isinstance(value, int) else None
                if counter is not None:
                    yield AnswerSpot(counter.x, counter.y, counter.radius, option=number)
        case _:
            return


def spots_of_plane(page: PlanePage, type_: Type | None, options: Sequence[Value]) -> Iterator[AnswerSpot]:
    """The bases of the things that are options, then the points where the search for a place found one."""
    if type_ is not None and isinstance(sort := present(type_), ThingType):
        stands = {thing: (x, y, reach) for thing, x, y, reach in page.bases}
        for number, value in enumerate(options):
            if isinstance(value, int) and (sort.kind, value) in stands:
                yield AnswerSpot(*stands[sort.kind, value], option=number)
    yield from (AnswerSpot(x, y, _NEAR, answer=pose) for pose, x, y in page.found)
