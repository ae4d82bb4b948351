"""The boards of a play as drawings, with the places that stand for answers, for a program that asks."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.cli.reports import render_template
from rulewright.documents.answers import answer_to_json, answer_type, item_type
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.play.boards.grid_drawing import BoardPage, DrawnBoard, answer_marks, draw_board, lay_out_board
from rulewright.play.boards.plane_drawing import PlanePage, draw_plane, lay_out_plane, search_placement
from rulewright.play.player_prompts import AnswerOption, PlayerPrompt
from rulewright.play.player_views import PlaySnapshot
from rulewright.program.declarations import Board
from rulewright.program.types import GRID_STEPS, CellType, ThingType, Type, strip_optional
from rulewright.runtime.state import Situation, State
from rulewright.runtime.values import Value

_POINT_RADIUS = 6.0
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


def locate_grid_answers(
    page: BoardPage, board: DrawnBoard, type_: Type, options: Sequence[Value]
) -> Iterator[AnswerSpot]:
    """The cells, or the counters of the things, that are options of a question; those that are not drawn are left out.

    `type_` is that of an option.
    """
    match strip_optional(type_):
        case CellType():
            drawn = {cell_drawn.place: cell_drawn for cell_drawn in page.cells}
            for number, value in enumerate(options):
                cell: Any = value
                at = drawn.get(board.cell_key(cell)) if cell is not None else None
                if at is not None:
                    yield AnswerSpot(at.x, at.y, 0, page.outline, number)
        case ThingType(kind):
            stands = {counter_drawn.thing: counter_drawn for counter_drawn in page.counters}
            for number, value in enumerate(options):
                counter = stands.get((kind, value)) if isinstance(value, int) else None
                if counter is not None:
                    yield AnswerSpot(counter.x, counter.y, counter.radius, option=number)
        case _:
            return


def locate_plane_answers(page: PlanePage, type_: Type | None, options: Sequence[Value]) -> Iterator[AnswerSpot]:
    """The bases of the things that are options, then the points where the search for a place found one."""
    if type_ is not None and isinstance(sort := strip_optional(type_), ThingType):
        stands = {thing: (x, y, reach) for thing, x, y, reach in page.bases}
        for number, value in enumerate(options):
            if isinstance(value, int) and (sort.kind, value) in stands:
                yield AnswerSpot(*stands[sort.kind, value], option=number)
    yield from (AnswerSpot(x, y, _POINT_RADIUS, answer=pose) for pose, x, y in page.answer_spots)


def boards_to_json(moment: PlaySnapshot) -> Iterator[dict[str, Any]]:
    """Every board as it is drawn, with the places that stand for answers."""
    seen, names = moment.viewers.visible_session, moment.viewers.session.start.names
    situation = seen.state.extract_situation() if isinstance(seen.state, State) else seen.start.situation
    question, every = moment.viewer_question, names.program.boards.values()
    options = list(question.list_options()) if question is not None and every else []
    for board in every:
        drawn = _grid_board_json if board.space in GRID_STEPS else _plane_board_json
        yield drawn(board, situation, names, question, options)


def _grid_board_json(
    board: Board, situation: Situation, names: NameTable, question: PlayerPrompt | None, options: list[AnswerOption]
) -> dict[str, Any]:
    made = draw_board(board, situation, names, answer_marks(question.request, names) if question is not None else {})
    page, spots = lay_out_board(made), list[dict[str, Any]]()
    if question is not None and options:
        drawn = locate_grid_answers(page, made, _option_type(question), [option.value for option in options])
        spots = [_answer_spot_json(answer_spot, question, options) for answer_spot in drawn]
    return {"name": board.name, "svg": render_template("board.svg", page), "spots": spots, "plane": None}


def _plane_board_json(
    board: Board, situation: Situation, names: NameTable, question: PlayerPrompt | None, options: list[AnswerOption]
) -> dict[str, Any]:
    search = search_placement(question.request, situation, names) if question is not None else None
    page, spots = lay_out_plane(draw_plane(board, situation, names, search)), list[dict[str, Any]]()
    if question is not None:
        type_ = _option_type(question) if options else None
        drawn = locate_plane_answers(page, type_, [option.value for option in options])
        spots = [_answer_spot_json(answer_spot, question, options) for answer_spot in drawn]
    plane = {"x": page.zero[0], "y": page.zero[1], "scale": page.scale, "unit": board.unit}
    return {"name": board.name, "svg": render_template("plane.svg", page), "spots": spots, "plane": plane}


def _option_type(question: PlayerPrompt) -> Type:
    type_ = answer_type(question.request)
    return item_type(type_) if question.request.items else type_


def _format_typed_pose(answer: Any) -> str:  # as JSON has it
    """Where something is put, as it is typed: `3.5 2 90`."""
    match answer:
        case {"at": [int() | float() as x, int() | float() as y], "facing": int() | float() as facing, **rest} if (
            not rest
        ):
            return f"{x} {y} {facing}"
        case _:
            return format_one_line(answer)


def _answer_spot_json(spot: AnswerSpot, question: PlayerPrompt, options: list[AnswerOption]) -> dict[str, Any]:
    """A place to point at: where it is, what is typed for it, what it is called and why it is refused, if it is."""
    drawn = {"x": spot.x, "y": spot.y, "radius": spot.radius, "outline": spot.outline}
    if spot.option is None:
        typed = _format_typed_pose(answer_to_json(question.request, spot.answer, question.names))
        return {**drawn, "typed": typed, "shown": typed, "refused": None}
    option = options[spot.option]
    return {**drawn, "typed": option.input_text, "shown": option.title or option.label, "refused": option.refusal}
