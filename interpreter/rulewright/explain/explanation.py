"""Explanations: causes and smallest changes for `why`, and answers to `why` at the table."""

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, Painter, make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.documents.answers import answer_type
from rulewright.documents.findings import list_alternatives
from rulewright.documents.name_table import NameTable
from rulewright.explain.alternatives import (
    AnswerChange,
    CourseReplayer,
    RecordedCourse,
    RequestKey,
    StartChange,
    list_start_changes,
    record_course,
    split_usual_answer,
)
from rulewright.explain.counterfactual_search import MAX_CHANGES, Counterfactual, SearchResult, search_counterfactuals
from rulewright.explain.dynamic_slice import DynamicSlice
from rulewright.explain.explained_subjects import (
    CounterfactualGoal,
    ExplainedSubject,
    StepStatus,
    StepSubject,
    find_steps,
)
from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.play_story import Story, StoryOrigin
from rulewright.play.player_prompts import PlayerPrompt
from rulewright.play.session import AnsweredTurn, Session, begin_session
from rulewright.program import statements as st
from rulewright.runtime.request import AnswerChoice, Faulted, Request
from rulewright.runtime.run import NOT_ANSWERED, Paused
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import last_address_part, render_reason

_MAX_REPLAYED_CHANGES = 3
"""Counterfactuals that are replayed, one of each rank."""
_NO_CHANGE_POSSIBLE = SearchResult((), MAX_CHANGES, None, 0, {}, is_cut=False)
"""Result without a search, where nothing that is performed can change the value."""


@dataclass(frozen=True, slots=True)
class ReplayedPlay:
    """A counterfactual played as a session."""

    counterfactual: Counterfactual
    session: Session
    turns: dict[RequestKey, AnsweredTurn]

    def new_turns(self, course: RecordedCourse) -> Iterator[AnsweredTurn]:
        """Turns with answers that the recorded play does not have, without the changed ones.

        They answer new requests, have more dice, or stand where the answer of the recorded play did not fit.
        """
        changed = {change.request_key for change in self.counterfactual.changes if isinstance(change, AnswerChange)}
        return (
            turn
            for occasion, turn in self.turns.items()
            if occasion not in changed and not _is_recorded(turn, course.recorded_answers.get(occasion, NOT_ANSWERED))
        )


def _is_recorded(turn: AnsweredTurn, given: Any) -> bool:
    answer: Any = turn.answer.value
    if turn.request.sort == "roll" and given is not NOT_ANSWERED:
        return tuple(answer) == tuple(given[: len(answer)])  # fewer dice are the first of those that fell
    return bool(answer == given)


def replay_counterfactual(course: RecordedCourse, flip: Counterfactual) -> ReplayedPlay:
    """The changed play as a session."""
    situation = course.start.situation
    for change in flip.changes:
        situation = change.apply_to_start(situation) if isinstance(change, StartChange) else situation
    session = begin_session(replace(course.start, situation=situation), course.sources)
    following, turns = CourseReplayer(course), dict[RequestKey, AnsweredTurn]()
    while isinstance(paused := session.outcome, Paused) and not following.is_at_stop(paused.asked):
        usual = following.usual_answer(paused)
        if usual is NOT_ANSWERED:
            break
        occasion = following.request_key(paused.asked)
        following.note_request(paused.asked)
        answer = _changed_answer(paused, usual, occasion, flip)
        after = session.apply_answer(SourcedAnswer(answer, "script"), session.sources)
        assert isinstance(after, Session)
        session = after
        turns[occasion] = session.turns[-1]
    return ReplayedPlay(flip, session, turns)


def _changed_answer(paused: Paused, usual: Value, occasion: RequestKey, flip: Counterfactual) -> Value:
    changes = [change for change in flip.changes if isinstance(change, AnswerChange) and change.request_key == occasion]
    if not changes:
        return usual
    slots = split_usual_answer(paused.resume_run(), usual)
    values = list(slots.values)
    for change in changes:
        values[change.slot or 0] = change.after
    return slots.join_parts(values)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class PlayExplanation:
    """Causes of a value, and the counterfactuals if asked for."""

    subject: ExplainedSubject
    session: Session
    value: object  # where the play stands
    before: object  # at the start; `NO_VALUE` without one
    cause_positions: frozenset[int]  # of trace entries
    counterfactuals: "CounterfactualReport | None" = None  # None where not asked for


@dataclass(frozen=True, slots=True)
class CounterfactualReport:
    """Result of a counterfactual search, with its best results replayed."""

    course: RecordedCourse
    search_result: SearchResult
    replays: tuple[tuple[ReplayedPlay, object], ...]  # smallest change of each rank, with the value that it leads to
    is_own_start_fixed: bool  # whether the start of the value itself was not changed


def explain_subject(session: Session, matter: ExplainedSubject) -> PlayExplanation:
    """Causes of a value where a session stands."""
    why = matter.trace_causes(DynamicSlice(session))
    return PlayExplanation(matter, session, matter.value_in_session(session), matter.value_at_start(session.start), why)


def find_counterfactuals(
    session: Session, matter: ExplainedSubject, goal: CounterfactualGoal, most: int
) -> CounterfactualReport:
    """Smallest changes by which a subject reaches a goal; gives up after `most` plays."""
    course, fixed_places = record_course(session), matter.fixed_places
    start = course.start
    if fixed_places and not matter.places_read & start.executable.reachable_effects.find_places_changed_by(
        start.procedure.name
    ):
        return CounterfactualReport(course, _NO_CHANGE_POSSIBLE, (), is_own_start_fixed=True)
    searched = search_counterfactuals(course, goal, list_start_changes(start, fixed_places, matter.places_read), most)
    replayed, refuted = _replay_nearest(course, matter, goal, searched)
    if refuted:
        confirmed = tuple(each for each in searched.counterfactuals if each not in refuted)
        searched = replace(searched, counterfactuals=confirmed, is_cut=True)
    return CounterfactualReport(course, searched, replayed, bool(fixed_places))


def _replay_nearest(
    course: RecordedCourse, matter: ExplainedSubject, goal: CounterfactualGoal, searched: SearchResult
) -> tuple[tuple[tuple[ReplayedPlay, object], ...], list[Counterfactual]]:
    """Replays of the nearest changes with the subject's value, and changes whose replay meets a limit of steps instead."""
    ranks, replayed, refuted = set[int](), list[tuple[ReplayedPlay, object]](), list[Counterfactual]()
    for counterfactual in searched.counterfactuals:
        rank = max(change.rank for change in counterfactual.changes)
        if rank not in ranks and len(ranks) < _MAX_REPLAYED_CHANGES:
            again = replay_counterfactual(course, counterfactual)
            if goal.holds_in_session(again.session):
                ranks.add(rank)
                replayed.append((again, matter.value_in_session(again.session)))
            else:
                assert isinstance(again.session.outcome, Faulted), counterfactual
                refuted.append(counterfactual)
    return tuple(replayed), refuted


def answer_why(session: Session, wanted: str, paint: Painter) -> Iterator[str]:
    """Lines that answer `why …`; the session is what the asker may see.

    `wanted` is a step or the name of a question; after `not` also an answer to the current question.
    """
    if wanted == "not" or wanted.startswith("not "):
        yield from _explain_impossible_answer(session, wanted.removeprefix("not").strip(), paint)
        return
    yield from (
        _explain_step(session, wanted, paint)
        or _explain_question(session, wanted, paint)
        or _explain_unknown_subject(wanted)
    )


def explain_story_line(session: Session, origin: StoryOrigin, paint: Painter) -> Iterator[str]:
    """Lines of what led to a line of the story: its sources and itself."""
    later = range(origin.entry, len(session.entries))
    position = next((at for at in later if session.entries[at].address == origin.address), None)
    if position is None:
        yield "nothing that happened led to this line"
    else:
        yield from _render_story_lines(session, DynamicSlice(session).slice_back([position]), paint)


def _explain_unknown_subject(wanted: str) -> Iterator[str]:
    tells = "`why STEP` tells why it was entered or skipped, `why not ANSWER` why it is not possible"
    yield f"`{make_visible(wanted)}` is not a step or a question; {tells}"


def _explain_step(session: Session, wanted: str, paint: Painter) -> list[str]:
    start = session.start
    meant = find_steps(wanted, start.executable.program, start.procedure.name)
    if len(meant) > 1:
        return [f"`{make_visible(wanted)}` stands for several steps: write {list_alternatives(meant)}"]
    return [
        line
        for item in meant
        for line in _render_step_causes(StepSubject(wanted, item, start.executable), session, paint)
    ]


def _render_step_causes(step: StepSubject, session: Session, paint: Painter) -> Iterator[str]:
    value = step.value_in_session(session)
    shown = (
        "not reached yet"
        if value is StepStatus.NEVER and _is_ongoing(session)
        else step.format_value(value, session.start.names)
    )
    yield f"{make_visible(step.text)}: {shown}"
    yield from _render_story_lines(session, step.trace_causes(DynamicSlice(session)), paint)


def _explain_question(session: Session, wanted: str, paint: Painter) -> list[str]:
    program, tracing = session.start.executable.program, DynamicSlice(session)
    procedures = [session.start.procedure, *program.procedures.values()]
    inside = [
        step.address
        for procedure in procedures
        for step in procedure.steps
        if any(isinstance(line, st.Ask) and line.variable.name == wanted for line in walk_nodes(step))
    ]
    met = [
        at
        for at, entry in enumerate(session.entries)
        if entry.sort == "answer" and last_address_part(entry.address) == wanted
    ]
    if met:
        how = "one answer was possible" if session.entries[met[-1]].forced else "answered"
        return [f"{make_visible(wanted)}: {how}", *_render_story_lines(session, tracing.slice_back(met[-1:]), paint)]
    request = session.outcome.request if isinstance(session.outcome, Paused) else None
    if request is not None and last_address_part(request.address) == wanted:
        return [f"{make_visible(wanted)}: asked now"]
    if not inside:
        return []
    step_entries = [at for at, entry in enumerate(session.entries) if f"{entry.address}/".startswith(f"{inside[0]}/")]
    led = (
        tracing.slice_back(step_entries[-1:])
        if step_entries
        else StepSubject(wanted, inside[0], session.start.executable).trace_causes(tracing)
    )
    how = "not asked yet" if _is_ongoing(session) else "never asked"
    return [f"{make_visible(wanted)}: {how}", *_render_story_lines(session, led, paint)]


def _render_story_lines(session: Session, positions: Container[int], paint: Painter) -> Iterator[str]:
    return (f"  {line}" for line in render_causes(session, positions, paint))


def render_causes(session: Session, positions: Container[int], paint: Painter) -> Iterator[str]:
    """Story of the trace entries at some positions."""
    story = Story(session.start.names, "decisive", paint, shows_unmet=True)
    return (line for line in story.render_selected(session, positions) if line)


def _is_ongoing(session: Session) -> bool:
    return isinstance(session.outcome, Paused)


def _explain_impossible_answer(session: Session, wanted: str, paint: Painter) -> Iterator[str]:
    paused = session.outcome if isinstance(session.outcome, Paused) else None
    names = session.start.names
    choices = () if paused is None else paused.request.choices
    if paused is not None and wanted in {"", last_address_part(paused.request.address)}:
        impossible = [choice for choice in choices if choice.reason is not None]
        yield from (_render_impossible_choice(answer_choice, paused.request, names) for answer_choice in impossible)
        if not impossible:
            yield "every answer to this question is possible"
        return
    meant = []
    if paused is not None:
        meant = [
            choice
            for choice in choices
            if wanted in {_render_choice(choice, paused.request, names), make_visible(choice.title)}
        ]
    asks = meant or (wanted.isdigit() and paused is not None)
    lines = [] if asks else [*_explain_step(session, wanted, paint)] or _explain_question(session, wanted, paint)
    if lines:
        yield from lines
    elif paused is None:
        yield "the play is over, and no question is waiting"
    elif meant and meant[0].reason is not None:
        yield _render_impossible_choice(meant[0], paused.request, names)
    else:
        _, refused = (None, ()) if meant else PlayerPrompt(paused, names, PLAIN_PAINTER).read_typed_answer(wanted)
        yield from refused or (f"`{make_visible(wanted)}` is possible",)


def _render_impossible_choice(choice: AnswerChoice, request: Request, names: NameTable) -> str:
    assert choice.reason is not None
    return f"{_render_choice(choice, request, names)} is not possible: {render_reason(choice.reason, names)}"


def _render_choice(choice: AnswerChoice, request: Request, names: NameTable) -> str:
    return format_value(choice.value, answer_type(request), names)
