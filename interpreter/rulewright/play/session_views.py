"""Views of a session: as one player may see it (manual, Secrets), its measures, and its boards as text."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.frozen import dataclass
from rulewright.documents.findings import quote_name
from rulewright.documents.name_table import NameTable
from rulewright.documents.procedure_arguments import expand_measure_calls
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.grid_drawing import (
    UNEXPECTED_MARK,
    DrawnBoard,
    answer_marks,
    draw_board,
    find_cell,
    render_text_board,
)
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import AnsweredTurn, PlayStart, Session, TurnHistory, count_common_turns
from rulewright.program.declarations import Board
from rulewright.program.effects import ReadFootprint
from rulewright.program.types import GRID_STEPS, NumberType
from rulewright.runtime.player_view import PlayerView
from rulewright.runtime.request import Request, TraceEntry
from rulewright.runtime.state import Situation
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Cell


def render_sheet(session: Session) -> Iterator[str]:
    """Things with attributes, fields of the game, and stored relations that hold."""
    situation, names = session.situation, session.start.names
    yield from _render_things(situation, names)
    for name, field in names.program.game.items():
        yield f"{make_visible(name)}: {format_value(situation.game[name], field.type, names)}"
    yield from _render_relations(situation, names)


def _render_things(situation: Situation, names: NameTable) -> Iterator[str]:
    for kind in names.program.kinds.values():
        removed = situation.gone.get(kind.name, ())
        for number, id_ in enumerate(names.ids_of_kind(kind.name)):
            values = [(field, situation.attributes[f"{kind.name}/{field.name}"][number]) for field in kind.fields]
            attributes = [
                f"{make_visible(field.name)} {format_value(value, field.type, names)}" for field, value in values
            ]
            if attributes or number in removed:
                out = "  (out of play)" if number in removed else ""
                yield f"{make_visible(id_)}: {', '.join(attributes)}{out}"


def _render_relations(situation: Situation, names: NameTable) -> Iterator[str]:
    for name, relation in names.program.relations.items():
        first, second = relation.parameters
        for a, b in situation.relations.get(name, ()):
            yield f"{make_visible(name)}({format_value(a, first.type, names)}, {format_value(b, second.type, names)})"


def restrict_to_player(session: Session, player: int | None) -> Session:
    """Session that shows only what a player may know; None: what is open to all.

    Bags and decks keep their sizes. Secret answers appear in the trace without values, their requests are omitted. The
    result is read-only: it cannot be continued.
    """
    return PlayRestriction(session.start, player).restrict(session)


@dataclass(frozen=True, slots=True)
class _RestrictedTurn:
    original: AnsweredTurn
    visible: AnsweredTurn | None  # None: the player may not see its request
    entries: tuple[TraceEntry, ...]  # those that the next visible turn takes over


class PlayRestriction:
    """`restrict_to_player` for the sessions of a play that goes on: each turn is restricted once."""

    def __init__(self, start: PlayStart, player: int | None) -> None:
        self.view = PlayerView(start.executable, player)
        self.start = _restrict_start(start, self.view)
        self._sources = AnswerSourceChain(start.names, SeededRandom(0))
        self._turns: list[_RestrictedTurn] = []  # of the session before

    def restrict(self, session: Session) -> Session:
        """A session of the play as the player may see it."""
        del self._turns[count_common_turns([each.original for each in self._turns], session.turns) :]
        for turn in session.turns[len(self._turns) :]:
            self._turns.append(self._restrict_turn(turn))
        entries = self._list_waiting_entries() + self.view.mask_entries(session.outcome.entries)
        outcome = self.view.mask_outcome(session.outcome, entries, session.start.procedure.result)
        visible = [each.visible for each in self._turns if each.visible is not None]
        return Session(self.start, outcome, self._sources, TurnHistory(visible))

    def _list_waiting_entries(self) -> tuple[TraceEntry, ...]:
        return self._turns[-1].entries if self._turns else ()

    def _restrict_turn(self, turn: AnsweredTurn) -> _RestrictedTurn:
        view, entries = self.view, self._list_waiting_entries() + self.view.mask_entries(turn.paused.entries)
        if not view.can_see_request(turn.request) and turn.request.sort != "shuffle":
            return _RestrictedTurn(turn, None, entries)
        paused = view.mask_paused(turn.paused, entries)
        value = view.mask_value(turn.answer.value, paused.request.type if paused.request.closed else None)
        visible = AnsweredTurn(paused, SourcedAnswer(value, turn.answer.source), self._sources)
        return _RestrictedTurn(turn, visible, ())


def _restrict_start(start: PlayStart, view: PlayerView) -> PlayStart:
    executable = start.executable
    measures = executable.program.measures
    open_ = {
        name: item
        for name, item in executable.measures.items()
        if not executable.concealment.expression_looks_inside(measures[name].value)
    }
    given = zip(start.arguments, start.procedure.parameters, strict=True)
    return replace(
        start,
        executable=replace(executable, make_code=lambda: replace(executable.code, measures=open_)),
        situation=view.mask_situation(start.situation),
        arguments=tuple(view.mask_value(value, variable.type) for value, variable in given),
    )


def is_fully_visible(session: Session, player: int) -> bool:
    """Whether a player may know all of a play: no secret answers, no bags or decks."""
    view = PlayerView(session.start.executable, player)
    return not session.start.executable.concealment.has_hidden_collections and all(
        view.can_see_request(turn.request) for turn in session.turns
    )


def worths(start: PlayStart) -> Iterator[str]:
    """Names of the measures, and of numbers of the game and of things, that can be asked for.

    Values that no statement of the play changes are omitted, as they are always the same.
    """
    names, program = start.names, start.names.program
    changed = start.executable.reachable_effects.find_places_changed_by(start.procedure.name)
    footprint = ReadFootprint(program)
    for measure in program.measures.values():
        reads = footprint.collect_read_places(measure.value)
        if not reads or reads & changed:
            yield from expand_measure_calls(measure, program, start.situation) or ()
    for field in program.game.values():
        if isinstance(field.type, NumberType) and f"game/{field.name}" in changed:
            yield field.name
    for kind in program.kinds.values():
        numbers = [item.name for item in kind.fields if isinstance(item.type, NumberType)]
        counted = [number for number in numbers if f"{kind.name}/{number}" in changed]
        yield from (f"{id_}.{name}" for id_ in names.ids_of_kind(kind.name) for name in counted)


def draw_current_boards(session: Session) -> tuple[DrawnBoard, ...]:
    """Current boards of hexes or squares."""
    return draw_situation_boards(session.situation, session.start.names)


def draw_situation_boards(situation: Situation, names: NameTable) -> tuple[DrawnBoard, ...]:
    """Boards of hexes or squares in a situation."""
    return tuple(draw_board(grid_board, situation, names) for grid_board in _grid_boards(names))


def draw_question_board(request: Request, situation: Situation, names: NameTable) -> tuple[DrawnBoard, ...]:
    """Board of the cells that a question offers, with answer numbers; empty for other questions."""
    return tuple(_draw_marked_boards(answer_marks(request, names), situation, names))[:1]


def render_unexpected_boards(session: Session, spots: Collection[Cell]) -> Iterator[str]:
    """Text of the boards with cells that differ from the expectation, marked."""
    boards = (
        _draw_marked_boards(dict.fromkeys(spots, UNEXPECTED_MARK), session.situation, session.start.names)
        if spots
        else ()
    )
    return render_boards(boards, "", ", at the end")


def _draw_marked_boards(marks: Mapping[Cell, str], situation: Situation, names: NameTable) -> Iterator[DrawnBoard]:
    cells = situation.base.boards
    marked = (board for board in _grid_boards(names) if not marks.keys().isdisjoint(cells.get(board.name, ())))
    return (draw_board(board, situation, names, marks) for board in marked)


def _grid_boards(names: NameTable) -> Iterator[Board]:
    return (board for board in names.program.boards.values() if board.space in GRID_STEPS)


def explain_missing_grid(names: NameTable) -> str:
    """Message if there is no board of hexes or squares."""
    is_plane = any(board.space not in GRID_STEPS for board in names.program.boards.values())
    return f"there is no board of hexes or squares{'; `rulewright draw` draws the plane' if is_plane else ''}"


def render_boards(boards: Iterable[DrawnBoard], elsewhere: str, when: str = "") -> Iterator[str]:
    """Boards as text, each under its name and `when`; `elsewhere` says how to see another part."""
    for board in boards:
        yield f"{make_visible(board.name)}{when}"
        yield from render_text_board(board, elsewhere=elsewhere)


def render_board_view(session: Session, around: str, elsewhere: str) -> Iterator[str]:
    """Current boards as text, or their parts around a cell or a thing."""
    boards = draw_current_boards(session)
    result = [(drawn_board, find_cell(around, drawn_board)) for drawn_board in boards if around]
    if not boards:
        yield explain_missing_grid(session.start.names)
    elif not around:
        yield from render_boards(boards, elsewhere)
    elif all(spot is None for _, spot in result):
        yield f"no cell is written {make_visible(quote_name(around))}, and nothing that stands on a board is called so"
    for board, spot in result:
        if spot is not None:
            yield make_visible(board.name)
            yield from render_text_board(board, spot, elsewhere)


def describe_unknown_player(written: str, ids: Sequence[str]) -> tuple[str, str]:
    """Message and remedy where nobody is called so."""
    listed = f"the players are {', '.join(f'`{id_}`' for id_ in ids)}" if ids else "the state has no players"
    return f"there is no player {quote_name(written)}", suggest_name(find_nearest_name(written, list(ids)), listed)
