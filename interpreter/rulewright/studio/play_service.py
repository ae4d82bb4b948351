"""A play that is asked: one request in, one reply out, whoever carries them.

In a request, `do` is the action, `line` the line of play (0 is the first, others are forks), `seat` the player (none:
all at one table), `look` whether a player who is asked in secret looks. A reply has the `moment` after it; both are
described in `grammar/schemas/play.schema.json`. Nothing here reads a disk, a clock or a terminal.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rulewright.base.source import Text
from rulewright.documents.answers import answer_to_json, answer_type, item_type
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.play.answer_sources import SourcedAnswer, draw_outcome
from rulewright.play.board_svg import BoardPage, lay_out_board, svg_points
from rulewright.play.grid_drawing import DrawnBoard, answer_marks, draw_board
from rulewright.play.plane_drawing import (
    DrawnPlane,
    PlacementSearch,
    PlanePage,
    draw_plane,
    lay_out_plane,
    search_placement,
)
from rulewright.play.play_story import Story, StoryOrigin, StoryRecord
from rulewright.play.player_prompts import AnswerOption, PlayerPrompt, explain_unreadable_line
from rulewright.play.player_views import (
    ROLE_MARKS,
    PlaySnapshot,
    PlayViewers,
    SnapshotCache,
    StyledPieces,
    advance_to_person,
    split_styled_pieces,
)
from rulewright.play.session import PlayStart, Session, make_refusal_diagnostic
from rulewright.play.session_views import describe_unknown_player
from rulewright.play.turn_rendering import render_question
from rulewright.program.declarations import Board
from rulewright.program.types import GRID_STEPS, CellType, ThingType, Type, strip_optional
from rulewright.runtime.answer_reasons import list_move_costs
from rulewright.runtime.request import CHANCE_SORTS, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.state import Situation, State
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import show_player

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


def _square(half: float) -> str:
    return svg_points([(-half, -half), (half, -half), (half, half), (-half, half)])


def locate_grid_answers(
    page: BoardPage, board: DrawnBoard, type_: Type, options: Sequence[Value]
) -> Iterator[AnswerSpot]:
    """Cells or counters that are options of a question, as far as they are drawn; `type_` is that of an option."""
    match strip_optional(type_):
        case CellType():
            for number, value in enumerate(options):
                cell: Any = value
                at = page.cells.get(board.cell_key(cell)) if cell is not None else None
                if at is not None:
                    yield AnswerSpot(*at, 0, page.outline, number)
        case ThingType(kind):
            for number, value in enumerate(options):
                counter = page.counters.get((kind, value)) if isinstance(value, int) else None
                if counter is not None:
                    yield AnswerSpot(*counter, _square(counter[2]), number)
        case _:
            return


def locate_plane_answers(page: PlanePage, type_: Type | None, options: Sequence[Value]) -> Iterator[AnswerSpot]:
    """Bases of things that are options, then points that the pose search found."""
    if type_ is not None and isinstance(sort := strip_optional(type_), ThingType):
        for number, value in enumerate(options):
            if isinstance(value, int) and (sort.kind, value) in page.bases:
                yield AnswerSpot(*page.bases[sort.kind, value], option=number)
    yield from (AnswerSpot(x, y, _POINT_RADIUS, answer=pose) for pose, x, y in page.answer_spots)


def boards_to_json(moment: PlaySnapshot, *, with_costs: bool = False) -> Iterator[dict[str, Any]]:
    """JSON of every board: its drawing, and the clickable answers, perhaps with what moves to them cost."""
    seen, names = moment.visible_session, moment.viewers.session.start.names
    situation = seen.situation
    question, every = moment.viewer_question, names.program.boards.values()
    options = list(question.list_options()) if question is not None and every else []
    for board in every:
        if board.space not in GRID_STEPS:
            yield _plane_board_json(board, situation, names, question, options)
            continue
        marks = answer_marks(question.request, names) if question is not None else {}
        shown: _LaidOutBoard | None = moment.cache.boards.get(board.name)
        if shown is None or (shown.state, shown.marks) != (seen.state, marks):
            drawing = draw_board(board, situation, names, marks)
            if shown is None or shown.drawing != drawing:
                shown = _LaidOutBoard(seen.state, marks, drawing, lay_out_board(drawing))
            shown = moment.cache.boards[board.name] = replace(shown, state=seen.state, marks=marks)
        costs = list_move_costs(question.request) if with_costs and question is not None and options else {}
        yield _grid_board_json(shown, question, options, costs)


@dataclass(frozen=True, slots=True)
class _LaidOutBoard:
    state: State | None  # of the play, as it is seen
    marks: Mapping[Any, str]
    drawing: DrawnBoard
    page: BoardPage


def _grid_board_json(
    board: _LaidOutBoard, question: PlayerPrompt | None, options: list[AnswerOption], costs: Mapping[Value, int]
) -> dict[str, Any]:
    drawing, page, spots = board.drawing, board.page, list[dict[str, Any]]()
    if question is not None and options:
        drawn = [*locate_grid_answers(page, drawing, _option_type(question), [option.value for option in options])]
        spots = [_answer_spot_json(one, question, options) for one in drawn]
        for answer_spot, spot in zip(drawn, spots, strict=True) if costs else ():
            value = None if answer_spot.option is None else options[answer_spot.option].value
            if spot["refused"] is None and value in costs:
                spot["cost"] = costs[value]
    return {"name": drawing.name, "svg": page.svg, "spots": spots, "plane": None}


def _plane_board_json(
    board: Board, situation: Situation, names: NameTable, question: PlayerPrompt | None, options: list[AnswerOption]
) -> dict[str, Any]:
    search = search_placement(question.request, situation, names) if question is not None else None
    drawing = draw_plane(board, situation, names, search)
    page, spots = lay_out_plane(drawing), list[dict[str, Any]]()
    if question is not None:
        type_ = _option_type(question) if options else None
        drawn = locate_plane_answers(page, type_, [option.value for option in options])
        spots = [_answer_spot_json(one, question, options) for one in drawn]
    plane = {
        "x": page.zero[0],
        "y": page.zero[1],
        "scale": page.scale,
        "unit": board.unit,
        "base": None if search is None else _base_json(search, drawing, page),
    }
    return {"name": board.name, "svg": page.svg, "spots": spots, "plane": plane}


def _base_json(search: PlacementSearch, drawing: DrawnPlane, page: PlanePage) -> dict[str, Any] | None:
    """The base that is to be placed, around the first place that was found for it."""
    if not search.legal_answers:
        return None
    first: Any = search.legal_answers[0]
    _, middle, facing = first
    radius, corners = page.found
    at = page.point_at(middle)
    standing = next((one.figure for one in drawing.placed_figures if one.figure.id == search.thing), None)
    outline = svg_points((corner_x - at[0], corner_y - at[1]) for corner_x, corner_y in corners)
    return {
        "thing": search.thing,
        "side": drawing.players.side_colour(standing.owner if standing is not None else None),
        "from": None if standing is None else page.point_at(standing.at),
        "radius": radius,
        "outline": outline,
        "facing": facing,
    }


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


_MAX_TRIED_FACES = 20
"""Faces of a die of which each is tried."""
MAX_PLAY_LINES = 8
"""Limit of lines of play beside each other."""


class RequestRefusedError(Exception):
    """A refused request; the message says why."""


@dataclass
class PlayLine:
    """One course of a play; others branch off from it."""

    session: Session
    parent_line: int | None = None  # None: the first line
    replaced_answer: str = ""  # in words
    caches: dict[int | None, SnapshotCache] = field(default_factory=dict)  # by viewer
    table_story: StoryRecord | None = None  # of all that happened


@dataclass
class PlayService:
    """Lines of one play, and what may be asked of them; the same behind a pipe, HTTP and a worker in a page."""

    start: PlayStart
    texts: Mapping[str, Text]  # of the rules
    ruleset: str  # as the person who plays knows it
    lines: dict[int, PlayLine]
    pending_messages: list[str] = field(default_factory=list)  # script errors not yet reported
    shows_costs: bool = False  # whether boards say what moves cost

    def list_actions(self) -> Mapping[str, "RequestAction"]:
        """What a request may want, by its `do`."""
        actions = (self.see, self.answer, self.throw, self.undo, self.fork, self.close, self.why, self.faces)
        return {action.__name__: action for action in actions}

    def handle_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Reply to a request.

        Raises:
            RequestRefusedError: it cannot be done; nothing has changed.
        """
        at, reply = self.apply_request(request)
        return {"moment": self._snapshot_json(at), **reply}

    def apply_request(self, request: Mapping[str, Any]) -> tuple["RequestView", dict[str, Any]]:
        """Do what is asked, without the moment after it: what the moment would be seen from, and the rest of the reply.

        Raises:
            RequestRefusedError: as `handle_request`.
        """
        action = self.list_actions().get(str(request.get("do")))
        line = request.get("line", 0)
        if action is None or isinstance(line, bool) or not isinstance(line, int):
            raise RequestRefusedError(f"`do` is one of {', '.join(self.list_actions())}, and `line` is a number")
        if line not in self.lines:
            raise RequestRefusedError(f"there is no line {line} any more")
        seat = request.get("seat")
        viewer = None if seat is None else find_player(str(seat), self.start.names)
        looks = request.get("look") is True
        reply = action(RequestView(line, viewer, looks), request)
        line = reply.pop("line", line)
        is_shown = looks and request.get("do") in {"see", "advise"}
        return RequestView(line if line in self.lines else 0, viewer, is_shown), reply

    def is_anybody_asked(self) -> bool:
        """Whether the first line of play waits for an answer."""
        return isinstance(self.lines[0].session.outcome, Paused)

    def _make_snapshot(self, at: "RequestView") -> PlaySnapshot:
        line = self.lines[at.line]
        if at.viewer not in line.caches:
            line.caches[at.viewer] = SnapshotCache(self.start, at.viewer)
        viewers = PlayViewers(line.session, at.viewer)
        return PlaySnapshot(viewers, self.texts, at.reveals_secret, line.caches[at.viewer])

    def _snapshot_json(self, at: "RequestView") -> dict[str, Any]:
        moment, start = self._make_snapshot(at), self.start
        sources = self.lines[at.line].session.sources
        items, self.pending_messages = self.pending_messages, []
        return {
            "ruleset": self.ruleset,
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
            "boards": list(boards_to_json(moment, with_costs=self.shows_costs)),
            "found": items,
        }

    # What can be wanted.

    def see(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """The moment as it is."""
        del at, request
        return {}

    def answer(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the open question with what was typed."""
        question = self.require_question(replace(at, reveals_secret=True))
        written = str(request.get("typed", "")).strip()
        trouble = explain_unreadable_line(written)
        if not written and not question.only_answer:
            trouble = "nothing is chosen or typed yet"
        value, wrong = (None, (trouble,)) if trouble else question.read_typed_answer(written)
        if wrong:
            raise RequestRefusedError("; ".join(wrong))
        self._apply_given_answer(at, SourcedAnswer(value, "person"))
        return {}

    def throw(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the open roll, draw or shuffle by seeded chance."""
        del request
        question, session = self.require_question(replace(at, reveals_secret=True)), self.lines[at.line].session
        if question.request.sort not in CHANCE_SORTS:
            raise RequestRefusedError("this is a choice, not a roll")
        occasion = session.turns.count_occasions(question.paused.asked)
        value = draw_outcome(question.paused.live_question, occasion, session.sources.chance)
        self._apply_given_answer(at, SourcedAnswer(value, "dice"))
        fell = answer_to_json(question.request, value, question.names)
        return {"fell": [format_one_line(item) for item in (fell if isinstance(fell, list) else [fell])]}

    def require_question(self, at: "RequestView") -> PlayerPrompt:
        """The open question to the viewer; refuses a request that needs one where there is none."""
        question = self._make_snapshot(at).viewer_question
        if question is None:
            raise RequestRefusedError("no question is waiting for an answer from here")
        return question

    def _apply_given_answer(self, at: "RequestView", given: SourcedAnswer) -> None:
        line = self.lines[at.line]
        assert isinstance(line.session.outcome, Paused)
        after = line.session.apply_answer(given, line.session.sources)
        if isinstance(after, Refused):
            raise RequestRefusedError(
                make_refusal_diagnostic(line.session.outcome.request, after, line.session.start.names).message
            )
        line.session, items = advance_to_person(after)
        self.pending_messages += [one.message for one in items]

    def undo(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Take back the last answer of a person."""
        del request
        onlookers = PlayViewers(self.lines[at.line].session, at.viewer)
        taken = onlookers.undo_last_answer()
        if isinstance(taken, str):
            raise RequestRefusedError(taken)
        self.lines[at.line].session = taken.session
        return {
            "says": [
                [("", f"taken back: {onlookers.render_turn(taken.turn)}")],
                *([("", one)] for one in taken.preserved_notes),
            ]
        }

    def fork(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Add a line of play that branches off before an answer, by its number, or at the end."""
        self.require_table_view(at, "what would be shows how dice fall that nobody has seen")
        turn = request.get("turn")
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
            raise RequestRefusedError("`turn` is the number of an answer")
        session, replaced_answer = self.lines[at.line].session, ""
        if turn is not None and 0 <= turn < len(session.turns) and session.turns[turn].request.sort in CHANCE_SORTS:
            replaced_answer = PlayViewers(session, None).render_turn(session.turns[turn])
            session = session.rewind_to(turn)
        while turn is not None and len(session.turns) > turn:
            taken = PlayViewers(session, None).undo_last_answer()
            if isinstance(taken, str):
                raise RequestRefusedError(taken)
            replaced_answer = PlayViewers(session, None).render_turn(taken.turn)
            session = taken.session
        if len(self.lines) >= MAX_PLAY_LINES:
            raise RequestRefusedError(f"{MAX_PLAY_LINES} lines of play are open; close one first")
        number = max(self.lines) + 1
        self.lines[number] = PlayLine(session, at.line, replaced_answer)
        return {"line": number}

    def close(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Drop a line of play; those that branched off from it hang on its parent."""
        del request
        self.require_table_view(at, "others look at it, too")
        if at.line == 0:
            raise RequestRefusedError("the first line of play stays")
        closed = self.lines.pop(at.line)
        for line in self.lines.values():
            line.parent_line = closed.parent_line if line.parent_line == at.line else line.parent_line
        return {"line": closed.parent_line or 0}

    def why(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """Explain a line of the story or a step, or why an answer is refused."""
        from rulewright.explain.explanation import answer_why, explain_story_line  # noqa: PLC0415 - seldom wanted

        seen = PlayViewers(self.lines[at.line].session, at.viewer).visible_session
        match request.get("of"), request.get("wanted"):
            case [int() as entry, str() as address], _ if entry >= 0 and address:
                return {"says": format_runs(explain_story_line(seen, StoryOrigin(entry, address), ROLE_MARKS))}
            case _, str() as wanted if wanted:
                return {"says": format_runs(answer_why(seen, wanted, ROLE_MARKS))}
            case _:
                raise RequestRefusedError("say what is to be explained")

    def faces(self, at: "RequestView", request: Mapping[str, Any]) -> dict[str, Any]:
        """What each face of a die does: of the die that is to be thrown, else of the last one that fell."""
        del request
        self.require_table_view(at, "it shows what nobody has seen yet")
        line = self.lines[at.line]
        session, last = line.session, _last_throw(line.session)
        line.table_story = line.table_story or StoryRecord(Story(self.start.names, "decisive", ROLE_MARKS))
        if _is_single_throw(session.outcome):
            return {"faces": _throw_faces_json(session, line.table_story, None, None)}
        if last is None:
            raise RequestRefusedError("no single die was thrown")
        turn, before = last
        return {"faces": _throw_faces_json(before, line.table_story, turn, session.turns[turn].answer)}

    def require_table_view(self, at: "RequestView", why: str) -> None:
        """Refuses a request of a seat that is for the whole table."""
        if at.viewer is not None:
            raise RequestRefusedError(f"this is for the table, not for a seat: {why}")


@dataclass(frozen=True)
class RequestView:
    """Line of play, viewer, and whether a player who is asked in secret looks."""

    line: int
    viewer: int | None
    reveals_secret: bool


def _is_single_throw(outcome: Outcome) -> bool:
    if not isinstance(outcome, Paused) or outcome.request.sort != "roll":
        return False
    dice = outcome.request.dice
    return len(dice) == 1 and dice[0].count == 1 and len(set(dice[0].faces)) <= _MAX_TRIED_FACES


def _last_throw(session: Session) -> tuple[int, Session] | None:
    """Number of the last answer that was a single die, and the play before it."""
    numbers = range(len(session.turns) - 1, -1, -1)
    turn = next((number for number in numbers if _is_single_throw(session.turns[number].paused)), None)
    return None if turn is None else (turn, session.rewind_to(turn))


def _throw_faces_json(
    before: Session, story: StoryRecord, turn: int | None, given: SourcedAnswer | None
) -> dict[str, Any]:
    assert isinstance(before.outcome, Paused)
    request, names = before.outcome.request, before.start.names
    told = len(story.list_lines(before))
    fallen: dict[str, list[tuple[str, _Consequence]]] = {}
    untold: list[str] = []  # faces that end in a fault
    for face in dict.fromkeys(request.dice[0].faces):
        fork = replace(before, outcome=before.outcome.fork())
        after = fork.apply_answer(SourcedAnswer((face,), "person"), before.sources)
        if not isinstance(after, Refused):
            fresh, shown = story.copy().list_lines(after)[told:], format_value(face, request.dice[0].face, names)
            fallen[shown] = [*_list_consequences(fresh)]
            untold += [shown] if isinstance(after.outcome, Faulted) else []
    says = _choose_consequences({face: lines for face, lines in fallen.items() if face not in untold})
    chosen: Any = given.value if given is not None else None
    return {
        "turn": turn,
        "who": show_player(request.player, names),
        "asked": render_question(request, names),
        "fell": None if given is None else format_value(chosen[0], request.dice[0].face, names),
        "rows": [{"face": face, "says": says.get(face, "")} for face in fallen],
    }


@dataclass(frozen=True, slots=True)
class _Consequence:
    """A line of the story that says what came of something."""

    text: str
    is_change: bool


def _list_consequences(lines: Iterable[tuple[str, StoryOrigin]]) -> Iterator[tuple[str, _Consequence]]:
    """Addresses and lines that say what came of something: no headings, no asides."""
    for line, origin in lines:
        pieces = split_styled_pieces(line.strip())
        if pieces and pieces[0][0] not in {"strong", "dim"}:
            yield origin.address, _Consequence("".join(text for _, text in pieces), pieces[0][0] == "good")


def _choose_consequences(fallen: Mapping[str, list[tuple[str, _Consequence]]]) -> dict[str, str]:
    """What faces do that not all of them do, the throw itself left out; empty where no words are complete.

    The first line that every face has, such as the result on a chart, else all changes of each face.
    """
    after = {face: lines[1:] for face, lines in fallen.items()}
    told = {
        address: {dict(lines).get(address) for lines in after.values()}
        for lines in after.values()
        for address, _ in lines
    }
    apart = [address for address, texts in told.items() if len(texts) > 1]
    grouped = [address for address in apart if None not in told[address] and len(told[address]) < len(fallen)]
    results = [address for address in grouped if not any(line and line.is_change for line in told[address])]
    if results:
        return {face: _shorten_result(dict(lines)[results[0]].text) for face, lines in after.items()}
    changes = {face: [line.text for _, line in lines if line.is_change] for face, lines in after.items()}
    shared = set.intersection(*map(set, changes.values())) if changes else set()
    return {
        face: "; ".join(_shorten_change(text) for text in texts if text not in shared)
        for face, texts in changes.items()
    }


def _shorten_result(text: str) -> str:
    """`No effect` of `Combat results: No effect (1/2:1)`."""
    return re.sub(r" \([^()]*\)$", "", text.partition(": ")[2] or text)


def _shorten_change(text: str) -> str:
    """`alaska loses 1 army` of `alaska loses 1 army: 2 → 1`."""
    return re.sub(r"^(\S+ (?:loses|lose|gains|gain|moves|move)\b[^:]*): .* → .*$", r"\1", text)


def format_runs(lines: Iterator[str]) -> list[StyledPieces]:
    """Painted lines in their pieces."""
    return [split_styled_pieces(line) for line in lines]


def find_player(written: str, names: NameTable) -> int:
    """Number of a player.

    Raises:
        RequestRefusedError: nobody is called so.
    """
    ids = list(names.ids_of_kind("player"))
    if written not in ids:
        raise RequestRefusedError("; ".join(describe_unknown_player(written, ids)))
    return ids.index(written)


RequestAction = Callable[[RequestView, Mapping[str, Any]], dict[str, Any]]
"""An action of a request on a line of play; its result is added to the reply."""
