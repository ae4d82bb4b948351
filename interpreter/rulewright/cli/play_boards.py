"""The boards of a play as drawings, with the places that stand for answers, for a program that asks."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.boards.board_page import BoardPage, board_page
from rulewright.boards.drawn_board import DrawnBoard, drawn_board, marks_of
from rulewright.boards.drawn_plane import drawn_plane, search_of
from rulewright.boards.plane_page import PlanePage, plane_page
from rulewright.cli.reports import rendered
from rulewright.drivers.moment import Moment
from rulewright.drivers.questions import Option, Question
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json, answer_type, item_type
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import one_line
from rulewright.machine.state import Situation, State
from rulewright.machine.values import Value
from rulewright.program.declarations import Board
from rulewright.program.types import GRIDS, CellType, ThingType, Type, present

_NEAR = 6.0
"""How far around a point of the plane it can be pointed at."""


@dataclass(frozen=True, slots=True)
class AnswerSpot:
    """A place of a drawing that stands for an answer."""

    x: float  # of its middle
    y: float  # of its middle
    radius: float  # of a disc around it
    outline: str = ""  # in place of the disc: corners around 0, 0
    option: int | None = None  # which of the options of the question, from 0
    answer: Value = None  # or the answer itself, where something may be put on the plane


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


def boards(moment: Moment) -> Iterator[dict[str, Any]]:
    """Every board as it is drawn, with the places that stand for answers."""
    seen, names = moment.onlookers.seen, moment.onlookers.session.begun.names
    situation = seen.state.situation() if isinstance(seen.state, State) else seen.begun.situation
    question, every = moment.question, names.program.boards.values()
    options = list(question.options()) if question is not None and every else []
    for board in every:
        drawn = _of_cells if board.space in GRIDS else _of_plane
        yield drawn(board, situation, names, question, options)


def _of_cells(
    board: Board, situation: Situation, names: Names, question: Question | None, options: list[Option]
) -> dict[str, Any]:
    made = drawn_board(board, situation, names, marks_of(question.request, names) if question is not None else {})
    page, spots = board_page(made), list[dict[str, Any]]()
    if question is not None and options:
        drawn = spots_of_cells(page, made, _type_of_options(question), [each.value for each in options])
        spots = [_spot(each, question, options) for each in drawn]
    return {"name": board.name, "svg": rendered("board.svg", page), "spots": spots, "plane": None}


def _of_plane(
    board: Board, situation: Situation, names: Names, question: Question | None, options: list[Option]
) -> dict[str, Any]:
    search = search_of(question.request, situation, names) if question is not None else None
    page, spots = plane_page(drawn_plane(board, situation, names, search)), list[dict[str, Any]]()
    if question is not None:
        type_ = _type_of_options(question) if options else None
        drawn = spots_of_plane(page, type_, [each.value for each in options])
        spots = [_spot(each, question, options) for each in drawn]
    plane = {"x": page.zero[0], "y": page.zero[1], "scale": page.scale, "unit": board.unit}
    return {"name": board.name, "svg": rendered("plane.svg", page), "spots": spots, "plane": plane}


def _type_of_options(question: Question) -> Type:
    type_ = answer_type(question.request)
    return item_type(type_) if question.request.items else type_


def _pose(answer: Any) -> str:  # as JSON has it
    """Where something is put, as it is typed: `3.5 2 90`."""
    match answer:
        case {"at": [int() | float() as x, int() | float() as y], "facing": int() | float() as facing, **rest} if (
            not rest
        ):
            return f"{x} {y} {facing}"
        case _:
            return one_line(answer)


def _spot(spot: AnswerSpot, question: Question, options: list[Option]) -> dict[str, Any]:
    """A place to point at: where it is, what is typed for it, what it is called and why it is refused, if it is."""
    drawn = {"x": spot.x, "y": spot.y, "radius": spot.radius, "outline": spot.outline}
    if spot.option is None:
        typed = _pose(answer_json(question.request, spot.answer, question.names))
        return {**drawn, "typed": typed, "shown": typed, "refused": None}
    option = options[spot.option]
    return {**drawn, "typed": option.typed, "shown": option.title or option.shown, "refused": option.refused}
