"""A play as a server of JSON lines: one request in, one reply out; `play --format json`.

In a request, `do` is the action, `line` the line of play (0 is the first, others are forks), `seat` the player (none:
all at one table), `look` whether a player who is asked in secret looks. Every reply has a `problem` in words, or the
`moment` after it; both are described in `grammar/schemas/play.schema.json`.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from rulewright.base.diagnostics import Severity
from rulewright.base.diagnostics.renderings import format_place
from rulewright.base.diagnostics.terminal import make_visible
from rulewright.cli.command_files import require_overwritable, write_file
from rulewright.cli.main import report_internal_error
from rulewright.cli.output import CommandStop, ExitCode, Output
from rulewright.cli.play_opening import OpenedPlay, require_player
from rulewright.cli.reports import render_template
from rulewright.cli.session_files import render_save, require_nameable_rules, require_recordable, write_recording
from rulewright.documents.answers import answer_to_json, answer_type, item_type
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import SAVE_PREFIX
from rulewright.play.answer_sources import SourcedAnswer, draw_outcome
from rulewright.play.grid_drawing import BoardPage, DrawnBoard, answer_marks, draw_board, lay_out_board
from rulewright.play.plane_drawing import PlanePage, draw_plane, lay_out_plane, search_placement
from rulewright.play.play_story import StoryOrigin
from rulewright.play.player_prompts import AnswerOption, PlayerPrompt, explain_unreadable_line
from rulewright.play.player_views import (
    ROLE_MARKS,
    PlaySnapshot,
    PlayViewers,
    StyledPieces,
    advance_to_person,
    split_styled_pieces,
)
from rulewright.play.session import Session, make_refusal_diagnostic
from rulewright.program.declarations import Board
from rulewright.program.types import GRID_STEPS, CellType, ThingType, Type, strip_optional
from rulewright.runtime.request import CHANCE_SORTS, Refused
from rulewright.runtime.run import Paused
from rulewright.runtime.state import Situation, State
from rulewright.runtime.values import Value

_POINT_RADIUS = 6.0
"""Radius of the disc around a point of the plane that can be clicked."""


@dataclass(frozen=True, slots=True)
class AnswerSpot:
    """A clickable place of a drawing that stands for an answer."""

    x: float  # centre
    y: float  # centre
    radius: float  # of the disc
    outline: str = ""  # SVG points around the centre, in place of the disc
    option: int | None = None  # index of the option
    answer: Value = None  # the answer if it is no option: a pose


def locate_grid_answers(
    page: BoardPage, board: DrawnBoard, type_: Type, options: Sequence[Value]
) -> Iterator[AnswerSpot]:
    """Cells or counters that are options of a question, as far as they are drawn; `type_` is that of an option."""
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
    """Bases of things that are options, then points that the pose search found."""
    if type_ is not None and isinstance(sort := strip_optional(type_), ThingType):
        stands = {thing: (x, y, reach) for thing, x, y, reach in page.bases}
        for number, value in enumerate(options):
            if isinstance(value, int) and (sort.kind, value) in stands:
                yield AnswerSpot(*stands[sort.kind, value], option=number)
    yield from (AnswerSpot(x, y, _POINT_RADIUS, answer=pose) for pose, x, y in page.answer_spots)


def boards_to_json(moment: PlaySnapshot) -> Iterator[dict[str, Any]]:
    """JSON of every board: its drawing, and the clickable answers."""
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
    drawing = draw_board(board, situation, names, answer_marks(question.request, names) if question is not None else {})
    page, spots = lay_out_board(drawing), list[dict[str, Any]]()
    if question is not None and options:
        drawn = locate_grid_answers(page, drawing, _option_type(question), [option.value for option in options])
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
    """`3.5 2 90`."""
    match answer:
        case {"at": [int() | float() as x, int() | float() as y], "facing": int() | float() as facing, **rest} if (
            not rest
        ):
            return f"{x} {y} {facing}"
        case _:
            return format_one_line(answer)


def _answer_spot_json(spot: AnswerSpot, question: PlayerPrompt, options: list[AnswerOption]) -> dict[str, Any]:
    drawn = {"x": spot.x, "y": spot.y, "radius": spot.radius, "outline": spot.outline}
    if spot.option is None:
        typed = _format_typed_pose(answer_to_json(question.request, spot.answer, question.names))
        return {**drawn, "typed": typed, "shown": typed, "refused": None}
    option = options[spot.option]
    return {**drawn, "typed": option.input_text, "shown": option.title or option.label, "refused": option.refusal}


MAX_PLAY_LINES = 8
"""Limit of lines of play beside each other."""
_MAX_REQUEST_CHARS = 1_000_000
"""Limit of the characters of a request."""


class _RequestRefusedError(Exception):
    """A refused request; the message says why."""


@dataclass
class _PlayLine:
    session: Session
    parent_line: int | None = None  # None: the first line
    replaced_answer: str = ""  # in words


@dataclass
class _PlayServer:
    opening: OpenedPlay
    lines: dict[int, _PlayLine]
    pending_messages: list[str] = field(default_factory=list)  # script errors not yet reported

    def handle_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Reply to a request."""
        action = _ACTIONS.get(str(request.get("do")))
        line = request.get("line", 0)
        if action is None or isinstance(line, bool) or not isinstance(line, int):
            raise _RequestRefusedError(f"`do` is one of {', '.join(_ACTIONS)}, and `line` is a number")
        if line not in self.lines:
            raise _RequestRefusedError(f"there is no line {line} any more")
        seat = request.get("seat")
        viewer = None if seat is None else require_player(str(seat), self.opening.begun.names)
        looks = request.get("look") is True
        reply = action(self, _RequestView(line, viewer, looks), request)
        line = reply.pop("line", line)
        at = _RequestView(line if line in self.lines else 0, viewer, looks and request.get("do") in {"see", "advise"})
        return {"moment": self._snapshot_json(at), **reply}

    def _make_snapshot(self, at: "_RequestView") -> PlaySnapshot:
        return PlaySnapshot(PlayViewers(self.lines[at.line].session, at.viewer), self.opening.texts, at.reveals_secret)

    def _snapshot_json(self, at: "_RequestView") -> dict[str, Any]:
        moment, start = self._make_snapshot(at), self.opening.begun
        sources = self.lines[at.line].session.sources
        items, self.pending_messages = self.pending_messages, []
        return {
            "ruleset": self.opening.ruleset,
            "procedure": start.procedure.name,
            "title": start.procedure.title,
            "seed": sources.chance.seed if sources.has_seeded_dice and at.viewer is None else None,
            "seats": list(start.names.ids_of_kind("player")),
            "secrets": start.executable.concealment.has_hidden_collections or bool(start.executable.withheld_sites),
            "line": at.line,
            "lines": [
                {
                    "line": number,
                    "of": play_line.parent_line,
                    "before": play_line.replaced_answer,
                    "over": not isinstance(play_line.session.outcome, Paused),
                }
                for number, play_line in self.lines.items()
            ],
            **moment.snapshot_json(),
            "boards": list(boards_to_json(moment)),
            "found": items,
        }

    # What can be wanted.

    def see(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        del at, request
        return {}

    def answer(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        question = self._require_question(replace(at, reveals_secret=True))
        written = str(request.get("typed", "")).strip()
        trouble = explain_unreadable_line(written)
        value, wrong = (None, (trouble,)) if trouble else question.read_typed_answer(written)
        if wrong:
            raise _RequestRefusedError("; ".join(wrong))
        self._apply_given_answer(at, SourcedAnswer(value, "person"))
        return {}

    def throw(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        del request
        question, session = self._require_question(replace(at, reveals_secret=True)), self.lines[at.line].session
        if question.request.sort not in CHANCE_SORTS:
            raise _RequestRefusedError("this is a choice, not a roll")
        occasion = session.turns.count_occasions(question.paused.asked)
        self._apply_given_answer(
            at, SourcedAnswer(draw_outcome(question.paused.asked, occasion, session.sources.chance), "dice")
        )
        return {}

    def _require_question(self, at: "_RequestView") -> PlayerPrompt:
        question = self._make_snapshot(at).viewer_question
        if question is None:
            raise _RequestRefusedError("no question is waiting for an answer from here")
        return question

    def _apply_given_answer(self, at: "_RequestView", given: SourcedAnswer) -> None:
        line = self.lines[at.line]
        assert isinstance(line.session.outcome, Paused)
        after = line.session.apply_answer(given, line.session.sources)
        if isinstance(after, Refused):
            raise _RequestRefusedError(
                make_refusal_diagnostic(line.session.outcome.request, after, line.session.start.names).message
            )
        line.session, items = advance_to_person(after)
        self.pending_messages += [diagnostic.message for diagnostic in items]

    def undo(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Take back the last answer of a person."""
        del request
        onlookers = PlayViewers(self.lines[at.line].session, at.viewer)
        taken = onlookers.undo_last_answer()
        if isinstance(taken, str):
            raise _RequestRefusedError(taken)
        self.lines[at.line].session = taken.session
        return {
            "says": [
                [("", f"taken back: {onlookers.render_turn(taken.turn)}")],
                *([("", preserved_note)] for preserved_note in taken.preserved_notes),
            ]
        }

    def fork(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Add a line of play that branches off before an answer, by its number, or at the end."""
        self._require_table_view(at, "what would be shows how dice fall that nobody has seen")
        turn = request.get("turn")
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
            raise _RequestRefusedError("`turn` is the number of an answer")
        session, replaced_answer = self.lines[at.line].session, ""
        while turn is not None and len(session.turns) > turn:
            taken = PlayViewers(session, None).undo_last_answer()
            if isinstance(taken, str):
                raise _RequestRefusedError(taken)
            replaced_answer = PlayViewers(session, None).render_turn(taken.turn)
            session = taken.session
        if len(self.lines) >= MAX_PLAY_LINES:
            raise _RequestRefusedError(f"{MAX_PLAY_LINES} lines of play are open; close one first")
        number = max(self.lines) + 1
        self.lines[number] = _PlayLine(session, at.line, replaced_answer)
        return {"line": number}

    def close(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        del request
        self._require_table_view(at, "others look at it, too")
        if at.line == 0:
            raise _RequestRefusedError("the first line of play stays")
        closed = self.lines.pop(at.line)
        for line in self.lines.values():
            line.parent_line = closed.parent_line if line.parent_line == at.line else line.parent_line
        return {"line": closed.parent_line or 0}

    def why(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Explain a line of the story or a step, or why an answer is refused."""
        from rulewright.explain.explanation import answer_why, explain_story_line  # noqa: PLC0415 - seldom wanted

        seen = PlayViewers(self.lines[at.line].session, at.viewer).visible_session
        match request.get("of"), request.get("wanted"):
            case [int() as entry, str() as address], _ if entry >= 0 and address:
                return {"says": _format_runs(explain_story_line(seen, StoryOrigin(entry, address), ROLE_MARKS))}
            case _, str() as wanted if wanted:
                return {"says": _format_runs(answer_why(seen, wanted, ROLE_MARKS))}
            case _:
                raise _RequestRefusedError("say what is to be explained")

    def advise(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Expected value of each answer for the player who is asked."""
        from rulewright.cli.advice import (  # noqa: PLC0415 - seldom wanted
            OPPONENTS_ASSUMPTION,
            compute_advice,
            format_worth,
        )
        from rulewright.odds.answer_advice import AnswerAdvice  # noqa: PLC0415 - seldom wanted

        expression = str(request.get("of", "")).strip()
        if not expression:
            raise _RequestRefusedError("say what is wanted the most of")
        question = self._require_question(at)
        answer_advice = compute_advice(self.lines[at.line].session, expression, at.viewer, self.opening)
        if not isinstance(answer_advice, AnswerAdvice):
            return {"says": [[("", item)] for item in answer_advice]}
        asks, names = answer_advice.request, question.names
        rows = [
            {
                "typed": _format_typed_answer(answer.answer, question) if asks == question.request else None,
                "shown": format_one_line(answer_to_json(asks, answer.answer, names)),
                "worth": "a fault may follow"
                if answer.may_meet_fault
                else format_worth(answer_advice.measure, answer.low, answer.high),
                "best": answer_advice.is_best(answer),
            }
            for answer in answer_advice.answers
        ]
        what = f"`{answer_advice.measure.text}`, as far as {answer_advice.state_count:,} moments of play show it"
        return {
            "says": [[("", what)], *([[("", OPPONENTS_ASSUMPTION)]] if len(names.ids_of_kind("player")) > 1 else [])],
            "advice": rows,
        }

    def record(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        self._require_table_view(at, "a scenario would show what is hidden")
        file, session = _requested_file(request), self.lines[at.line].session
        require_recordable(file)
        require_nameable_rules(file, self.opening.ruleset, self.opening.overlays)
        write_recording(file, session, self.opening.ruleset, self.opening.overlays)
        return {"says": [[("", f"the play is written down in {file}")]], "file": file}

    def save(self, at: "_RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        self._require_table_view(at, "a save holds what is hidden")
        file = _requested_file(request)
        require_overwritable(file, SAVE_PREFIX)
        write_file(Path(file), render_save(self.lines[at.line].session, file, self.opening), waits=False)
        return {"says": [[("", f"session written to {file}")]], "file": file}

    def _require_table_view(self, at: "_RequestView", why: str) -> None:
        if at.viewer is not None:
            raise _RequestRefusedError(f"this is for the table, not for a seat: {why}")


@dataclass(frozen=True)
class _RequestView:
    """Line of play, viewer, and whether a player who is asked in secret looks."""

    line: int
    viewer: int | None
    reveals_secret: bool


_ACTIONS: Mapping[str, Callable[[_PlayServer, _RequestView, Mapping[str, Any]], dict[str, Any]]] = {
    item.__name__: item
    for item in (
        _PlayServer.see,
        _PlayServer.answer,
        _PlayServer.throw,
        _PlayServer.undo,
        _PlayServer.fork,
        _PlayServer.close,
        _PlayServer.why,
        _PlayServer.advise,
        _PlayServer.record,
        _PlayServer.save,
    )
}


def serve_play(begin: Callable[[], tuple[Session, OpenedPlay]], out: Output) -> ExitCode:
    """Answer requests until the input ends; if the play cannot begin, the first with the reason."""
    try:
        session, opening = begin()
    except CommandStop as stop:
        _output_reply(out, {"problem": _format_first_problem(stop)})
        return stop.exit
    session, items = advance_to_person(session)
    served = _PlayServer(opening, {0: _PlayLine(session)}, [diagnostic.message for diagnostic in items])
    while line := sys.stdin.readline(_MAX_REQUEST_CHARS):
        _output_reply(out, _handle_line(served, line))
    return ExitCode.SUCCESS


def _handle_line(served: _PlayServer, line: str) -> dict[str, Any]:
    try:
        request = json.loads(line)
        return served.handle_request(request if isinstance(request, dict) else {})
    except _RequestRefusedError as unfit:
        return {"problem": str(unfit)}
    except CommandStop as stop:
        return {"problem": _format_first_problem(stop)}
    except (ValueError, RecursionError):
        return {"problem": "this is not a JSON document in one line"}
    except Exception as fault:  # noqa: BLE001 - whatever is asked, the play goes on
        report_internal_error(fault, click.get_current_context().find_root().obj)
        return {"problem": "this is a fault of rulewright itself, not of your rules; the play goes on as it was before"}


def _format_first_problem(stop: CommandStop) -> str:
    first = next(
        (diagnostic for diagnostic in stop.diagnostics if diagnostic.severity is Severity.ERROR), stop.diagnostics[0]
    )
    span = first.primary.span if first.primary is not None else None
    where = f" ({format_place(span, stop.texts)})" if span is not None and span.source in stop.texts else ""
    return "; ".join(filter(None, (f"{make_visible(first.message)}{where}", make_visible(first.help))))


def _output_reply(out: Output, document: Mapping[str, Any]) -> None:
    out.print_line(json.dumps(document, separators=(",", ":")))


def _requested_file(request: Mapping[str, Any]) -> str:
    file = str(request.get("file", "")).strip()
    if not file or explain_unreadable_line(file):
        raise _RequestRefusedError("name a file")
    return file


def _format_runs(lines: Iterator[str]) -> list[StyledPieces]:
    return [split_styled_pieces(line) for line in lines]


def _format_typed_answer(answer: Value, question: PlayerPrompt) -> str:
    """Input for an answer: its number in the list, or its form in scripts."""
    listed = next((option.input_text for option in question.list_options() if option.value == answer), None)
    return listed or format_one_line(answer_to_json(question.request, answer, question.names))
