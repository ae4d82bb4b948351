"""A play as one viewer, or all at one screen, may see it: visible session, undo, and a snapshot as JSON."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass as stdlib_dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, Diagnostic, Painter
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.answer_scripts import NO_SCRIPT_ANSWER
from rulewright.documents.answers import name_offered_dice
from rulewright.play.answer_sources import SourcedAnswer, SourceReply
from rulewright.play.play_story import Story, StoryOrigin, StoryRecord
from rulewright.play.player_prompts import AnswerOption, PlayerPrompt
from rulewright.play.session import (
    AnsweredTurn,
    PlayStart,
    Session,
    count_common_turns,
    make_refusal_diagnostic,
    report_unused_answers,
)
from rulewright.play.session_views import PlayRestriction, render_sheet, restrict_to_player, worths
from rulewright.play.turn_rendering import render_all_changes, render_ending, render_question, show_answer
from rulewright.program import statements as st
from rulewright.program.types import FLAG
from rulewright.program.walk import get_secret_variable, map_address_spans
from rulewright.runtime.pending_question import find_only_answer, iterate_request_answers
from rulewright.runtime.player_view import PlayerView
from rulewright.runtime.request import CHANCE_SORTS, Ended, Request, StateChange
from rulewright.runtime.run import Paused
from rulewright.runtime.type_codecs import format_value
from rulewright.wording.entry_rendering import show_change, show_player


@dataclass(frozen=True, slots=True)
class UndoneAnswer:
    """A session before an answer that was taken back."""

    session: Session
    turn: AnsweredTurn
    preserved_notes: tuple[str, ...]  # what of the undone turns comes again as it was


@dataclass(frozen=True, slots=True)
class PlayViewers:
    """A play with the player whose view is shown."""

    session: Session  # unrestricted
    viewer: int | None  # player number; None: several share a screen

    @property
    def visible_session(self) -> Session:
        """The session restricted to the viewer."""
        return restrict_to_player(self.session, self.viewer)

    @property
    def viewer_view(self) -> PlayerView:
        """Mask of the viewer."""
        return PlayerView(self.session.start.executable, self.viewer)

    def is_secret(self, request: Request) -> bool:
        """Whether someone at the screen may not know the answer."""
        return request.audience not in {None, self.viewer} or self.is_hidden_draw(request)

    def is_hidden_draw(self, request: Request) -> bool:
        """Whether it asks for the content of a bag or deck that nobody may see."""
        return request.audience is None and not self.viewer_view.can_see_request(request)

    def is_covered(self, request: Request) -> bool:
        """Whether its options appear only on request."""
        return self.is_secret(request) and (self.viewer is not None or self.is_hidden_draw(request))

    def render_turn(self, turn: AnsweredTurn) -> str:
        """Question with answer, as far as all at the screen may know it."""
        request, names = turn.request, self.session.start.names
        who = f"{show_player(request.player, names)}: {render_question(request, names)}"
        if self.viewer_view.can_see_request(request):
            return f"{who} {show_answer(request, turn.answer.value, names)}"
        return f"{who} (a secret)"

    def render_external_changes(self, turn: AnsweredTurn) -> Iterator[str]:
        """Changes that the answer of an external made."""
        names, view = self.session.start.names, self.viewer_view
        if turn.request.sort != "external" or not isinstance(turn.answer.value, tuple):
            return
        altered: Any = turn.answer.value[1]
        before = view.mask_situation(turn.paused.state.extract_situation())
        for place, number, after in altered:
            owner, _, name = place.rpartition("/")
            if number is None:
                old = before.game[name]
            else:
                old = number in before.gone[owner] if name == "gone" else before.attributes[place][number]
            type_ = turn.paused.state.layout.types.get(place, FLAG)
            yield show_change(StateChange(place, number, old, view.mask_value(after, type_), type_), names)

    def undo_last_answer(self) -> UndoneAnswer | str:
        """Result of an undo, or why it is impossible."""
        index = self.find_undoable_turn()
        if isinstance(index, str):
            return index
        before = self.session.undo_last_turn()
        assert before is not None
        turns = self.session.turns[index:]
        return UndoneAnswer(before, turns[0], tuple(_render_preserved(turns, before)))

    def find_undoable_turn(self) -> int | str:
        """Number of the turn that an undo takes back, or why it is impossible."""
        index = self.session.find_undoable_turn()
        if index is None:
            is_seen = any(turn.answer.source in {"person", "typed", "kept"} for turn in self.session.turns)
            return "there is no answer to take back" + ("; what was seen stands" if is_seen else "")
        if self.viewer is not None and (learned := self._describe_learned(index)):
            return f"not taken back: {show_player(self.viewer, self.session.start.names)} has seen {learned} since"
        return index

    def _describe_learned(self, index: int) -> str:
        """What the viewer saw since a turn, besides open answers; else empty."""
        undone_turn, now = self.session.turns[index], self.session.outcome
        retyped = undone_turn.request.sort in CHANCE_SORTS
        happened = [entry for entry in self.session.entries_since(index) if not isinstance(entry.node, st.Shuffle)]
        fallen = [trace_entry for trace_entry in happened if trace_entry.sort == "roll"][retyped:]
        requests = [turn.request for turn in self.session.turns[index + 1 :]]
        requests += [now.request] if isinstance(now, Paused) else []
        if revealed := next((trace_entry.title for trace_entry in happened if trace_entry.sort == "revealed"), ""):
            return f"the answers to `{revealed}`"
        if any(trace_entry.dice for trace_entry in fallen) or any(
            answer.source != "kept" for answer in self.session.sources.seen_answers
        ):
            return "how the dice fell"
        if fallen:
            return "what was drawn"
        return "what lies in a bag or deck" if any(map(self.viewer_view.shows_hidden_contents, requests)) else ""

    def explain_withheld_script(self) -> str:
        """What a script of the play would reveal to the viewer; empty if nothing."""
        closed = None if self.viewer is None else next(filter(self._is_hidden_turn, self.session.turns), None)
        if closed is None:
            return ""
        names = self.session.start.names
        revealed = (
            f"{show_player(closed.request.player, names)}: {render_question(closed.request, names).removesuffix(':')}"
        )
        known = not closed.is_secret or self.session.is_revealed(self.session.turns.index(closed))
        what = "what could be answered" if known and closed.request.sort != "shuffle" else "the answer"
        return (
            f"a script would show what is hidden from {show_player(self.viewer, names)}, such as {what} to `{revealed}`"
        )

    def _is_hidden_turn(self, turn: AnsweredTurn) -> bool:
        unseen = turn.question.site in self.session.start.limits.forced_sites and self.is_secret(turn.request)
        drawn = get_secret_variable(turn.question.node) is not None and turn.request.player != self.viewer
        return (
            unseen or drawn or (turn.request.sort == "shuffle" and not self.viewer_view.can_see_request(turn.request))
        )


def _render_preserved(undone_turns: Sequence[AnsweredTurn], before: Session) -> Iterator[str]:
    if any(turn.request.sort in CHANCE_SORTS for turn in undone_turns[1:] if turn.answer.source != "script"):
        yield "dice and draws that were already seen are kept: they fall the same when they come again"
    seen_addresses = {seen_answer.at for seen_answer in before.sources.seen_answers}
    if any(turn.is_secret and turn.request.address in seen_addresses for turn in undone_turns[1:]):
        yield "answers that were revealed stand: they are given again when they are asked for"


def reply_without_people(session: Session) -> SourceReply:
    """Reply of script, chance and seen answers to the open question."""
    paused, script = session.outcome, session.sources.script
    assert isinstance(paused, Paused)
    is_put = paused.asked.site in session.start.limits.forced_sites
    if script is not None and is_put and script.can_answer(paused.request):
        only = find_only_answer(paused.request)
        if only:
            return SourceReply(SourcedAnswer(only[0], "script"), (), session.sources)
    return session.ask_sources()


def is_script_mismatch(reply: SourceReply) -> bool:
    """Whether the script contradicts the request, so that people must answer from here on."""
    return reply.answer is None and bool(reply.errors) and reply.errors[0].code != NO_SCRIPT_ANSWER


def drop_script(session: Session) -> Session:
    """Session without its script."""
    return replace(session, sources=replace(session.sources, script=None))


def advance_to_person(session: Session) -> tuple[Session, tuple[Diagnostic, ...]]:
    """Session at the next question for a person or at the end, and diagnostics of a script then dropped."""
    wrong: tuple[Diagnostic, ...] = ()
    while isinstance(paused := session.outcome, Paused):
        reply = reply_without_people(session)
        if reply.answer is not None:
            after = session.apply_answer(reply.answer, reply.remaining_sources)
            if isinstance(after, Session):
                session = after
                continue
            wrong += (make_refusal_diagnostic(paused.request, after, session.start.names),)
        elif is_script_mismatch(reply):
            wrong += reply.errors if paused.request.audience is None else ()
        else:
            break
        session = drop_script(session)
    return session, wrong


def describe_script_part(session: Session) -> str:
    """`answered everything`, or `made every choice`, of a play that asked nobody."""
    turns = session.turns
    decided = any(turn.request.sort not in CHANCE_SORTS for turn in turns)
    has_asked_person = any(turn.answer.source == "person" for turn in turns)
    if not isinstance(session.outcome, Ended) or not decided or has_asked_person:
        return ""
    return "answered everything" if all(turn.answer.source == "script" for turn in turns) else "made every choice"


StyledPieces = list[tuple[str, str]]
"""Pieces of a line: role of `Painter` or empty, and text."""
_MARK_PATTERN = re.compile("\x01([a-z]+)\x02|(\x03)|([^\x01\x03]+)")
_MAX_WORTHS = 100
_ANSWER_FORMS = {
    "pick": "several",
    "order": "order",
    "handlers": "order",
    "shuffle": "order",
    "split": "shares",
    "draw": "one",
    "roll": "dice",
    "place": "place",
    "heading": "text",
    "external": "parts",
    "value": "text",
}


@dataclass(frozen=True, slots=True)
class RoleMarks(Painter):
    """Painter that marks roles by invisible characters, for `split_styled_pieces`."""

    def __call__(self, text: str, role: str) -> str:
        return f"\x01{role}\x02{text}\x03" if text else text


ROLE_MARKS = RoleMarks(colour=False)


def split_styled_pieces(marked: str) -> StyledPieces:
    """Pieces of a line painted by `RoleMarks`; the innermost role counts."""
    result: StyledPieces = []
    roles = [""]
    for begins, ends, text in _MARK_PATTERN.findall(marked):
        if begins:
            roles.append(begins)
        elif ends:
            roles.pop()
        else:
            result.append((roles[-1], text))
    return result


class SnapshotCache:
    """What was computed for one moment of a play and holds for later ones, as one viewer sees them."""

    def __init__(self, start: PlayStart, viewer: int | None) -> None:
        self.restriction = PlayRestriction(start, viewer)
        self.story = StoryRecord(Story(self.restriction.start.names, "decisive", ROLE_MARKS))
        self.turns: list[tuple[AnsweredTurn, dict[str, Any]]] = []
        self.story_lines: list[tuple[tuple[str, StoryOrigin], dict[str, Any]]] = []
        self.sheet: tuple[object, list[str]] | None = None  # with the state of which it is
        self.boards: dict[str, Any] = {}  # what was drawn of each, by its name
        self._start = start

    @cached_property
    def worths(self) -> list[str]:
        """Measures and numbers that can be asked for."""
        return list(islice(worths(self._start), _MAX_WORTHS))

    @cached_property
    def address_spans(self) -> Mapping[str, Span]:
        """Where the rules say what has an address."""
        return map_address_spans(self._start.executable.program)


@stdlib_dataclass(frozen=True)
class PlaySnapshot:
    """One moment of a play for its viewers."""

    viewers: PlayViewers
    texts: Mapping[str, Text]  # of the rules
    is_looking: bool = False  # the player asked in secret looks at the screen
    earlier: SnapshotCache | None = None  # of this viewer, from earlier moments of the play

    @cached_property
    def cache(self) -> SnapshotCache:
        """What later moments need not compute again."""
        return self.earlier or SnapshotCache(self._session.start, self.viewers.viewer)

    @cached_property
    def visible_session(self) -> Session:
        """The session as the viewers may see it."""
        return self.cache.restriction.restrict(self._session)

    @property
    def _session(self) -> Session:
        return self.viewers.session

    @cached_property
    def viewer_question(self) -> PlayerPrompt | None:
        """Question to the viewers, with all its options; None if they have nothing to answer."""
        paused = self._session.outcome
        if not isinstance(paused, Paused) or not self._is_for_viewers(paused.request):
            return None
        if self.viewers.is_secret(paused.request) and not self.is_looking:
            return None
        return PlayerPrompt(
            paused, name_offered_dice(paused.request, self._session.start.names), PLAIN_PAINTER, commands=()
        )

    def _is_for_viewers(self, request: Request) -> bool:
        return self.viewers.viewer is None or request.player in {None, self.viewers.viewer}

    def snapshot_json(self) -> dict[str, Any]:
        """Question, turns and game state as JSON, without boards."""
        visible = self.visible_session
        undoable = self.viewers.find_undoable_turn()
        return {
            "story": list(self._story_json(visible)),
            "asks": self._question_json(),
            "waits": None if self.viewer_question else self._waiting_json(visible),
            "over": None if isinstance(visible.outcome, Paused) else list(self._ending_lines(visible)),
            "turns": list(self._turns_json(visible)),
            "sheet": self._sheet_json(visible),
            "worths": self.cache.worths,
            "undo": {
                "can": not isinstance(undoable, str),
                "says": undoable
                if isinstance(undoable, str)
                else self.viewers.render_turn(self._session.turns[undoable]),
            },
        }

    def _sheet_json(self, visible: Session) -> list[str]:
        known, state = self.cache.sheet, visible.state
        if known is None or known[0] != state:
            known = self.cache.sheet = state, list(render_sheet(visible))
        return known[1]

    def _turns_json(self, visible: Session) -> Iterator[dict[str, Any]]:
        """Answers of people that the viewers may know: where a second play can branch off."""
        known = self.cache.turns
        del known[count_common_turns([turn for turn, _ in known], visible.turns) :]
        numbers = {id(answered_turn.question): number for number, answered_turn in enumerate(self._session.turns)}
        for turn in visible.turns[len(known) :]:
            known.append((turn, self._turn_json(turn, numbers[id(turn.question)])))
        return (shown for turn, shown in known if turn.question.sort not in CHANCE_SORTS)

    def _turn_json(self, turn: AnsweredTurn, number: int) -> dict[str, Any]:
        names = self._session.start.names
        text = f"{show_player(turn.request.player, names)}: {render_question(turn.request, names)}"
        return {"turn": number, "asked": text, "told": self.viewers.render_turn(turn)}

    # What happened.

    def _story_json(self, visible: Session) -> Iterator[dict[str, Any]]:
        lines, known = self.cache.story.list_lines(visible), self.cache.story_lines
        pairs = zip(lines, known, strict=False)
        del known[next((at for at, (line, (before, _)) in enumerate(pairs) if line is not before), len(lines)) :]
        known += [(line, self._story_line_json(*line)) for line in lines[len(known) :]]
        return (shown for _, shown in known)

    def _story_line_json(self, line: str, origin: StoryOrigin) -> dict[str, Any]:
        text = line.lstrip(" ")
        return {
            "text": split_styled_pieces(text),
            "depth": (len(line) - len(text)) // 2,
            "of": [origin.entry, origin.address],
            **self._source_place_json(origin.address),
        }

    def _source_place_json(self, address: str) -> dict[str, Any]:
        span = self.cache.address_spans.get(address) if self.texts else None
        text = None if span is None else self.texts.get(span.source)
        if span is None or text is None:
            return {"file": None, "line": None}
        return {"file": span.source, "line": text.get_position(span.start).line}

    def _ending_lines(self, visible: Session) -> Iterator[StyledPieces]:
        for line in render_ending(visible.outcome, visible, ROLE_MARKS, self.texts):
            yield split_styled_pieces(line)
        for line in render_all_changes(visible):
            yield split_styled_pieces(f"  {line}")
        for unused_answer in report_unused_answers(self._session) if self.viewers.viewer is None else ():
            yield [("warning", unused_answer.message)]
        if whole := describe_script_part(self._session):
            yield [("dim", f"the scenario's script {whole}")]

    # What is asked.

    def _waiting_json(self, visible: Session) -> dict[str, Any] | None:
        """Whom the play waits for if the viewers are not asked, and whether they may look in secret."""
        if not isinstance(visible.outcome, Paused):
            return None
        request = visible.outcome.request
        who = show_player(request.player, visible.start.names)
        covered = self._is_for_viewers(request)
        text = render_question(request, visible.start.names)
        return {"who": who, "asked": text, "covered": covered, "chance": request.sort in CHANCE_SORTS}

    def _question_json(self) -> dict[str, Any] | None:
        question = self.viewer_question
        if question is None:
            return None
        request = question.request
        return {
            "who": question.player_name,
            "asked": question.question_text,
            "sort": request.sort,
            "secret": self.viewers.is_secret(request),
            "takes": _ANSWER_FORMS.get(request.sort, "one" if request.choices else "text"),
            "low": request.low,
            "high": request.high,
            "options": [self._option_json(option) for option in question.list_options()],
            "dice": [*_thrown_dice_json(request, question)] if request.sort == "roll" else [],
            "parts": [{"name": name, "says": says, "values": few} for name, says, few in question.list_result_parts()],
            "forms": list(question.render_answer_forms()),
            "only": bool(question.only_answer),
            "none": request.claimable and next(iterate_request_answers(request), None) is None,
            "cites": list(request.cites),
            **self._source_place_json(request.question.line_address if request.question else request.address),
        }

    def _option_json(self, option: AnswerOption) -> dict[str, Any]:
        return {"typed": option.input_text, "shown": option.label, "title": option.title, "refused": option.refusal}


def _thrown_dice_json(request: Request, question: PlayerPrompt) -> Iterator[dict[str, Any]]:
    for thrown in request.dice:
        part = (
            ""
            if thrown.part is None or request.part is None
            else format_value(thrown.part, request.part, question.names)
        )
        faces: Sequence[str] = list(
            dict.fromkeys(format_value(face, thrown.face, question.names) for face in thrown.faces)
        )
        for _ in range(thrown.count):
            yield {"called": " ".join(filter(None, (part, thrown.die))), "faces": faces}
