"""A question about a play and its whole answer: what made it so, and the smallest change that makes it otherwise."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.base.frozen import dataclass
from rulewright.explain.alternatives import AnswerChange, StartChange, list_start_changes, split_usual_answer
from rulewright.explain.counterfactual_search import MAX_CHANGES, Counterfactual, SearchResult, search_counterfactuals
from rulewright.explain.course_replay import CourseReplayer, RecordedCourse, RequestKey, record_course
from rulewright.explain.dynamic_slice import DynamicSlice
from rulewright.explain.explained_subjects import CounterfactualGoal, ExplainedSubject
from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.session import AnsweredTurn, Session, begin_session
from rulewright.runtime.run import NOT_ANSWERED, Paused
from rulewright.runtime.values import Value

_MAX_REPLAYED_CHANGES = 3
"""So many flips are played again, one of each sort."""
_NO_CHANGE_POSSIBLE = SearchResult((), MAX_CHANGES, None, 0, {}, is_cut=False)
"""Nothing that is performed can change it, so that no play has to be tried."""


@dataclass(frozen=True, slots=True)
class ReplayedPlay:
    """A changed play."""

    counterfactual: Counterfactual  # what is changed
    session: Session  # the play
    turns: dict[RequestKey, AnsweredTurn]  # its answers by occasion

    def new_turns(self, course: RecordedCourse) -> Iterator[AnsweredTurn]:
        """What was asked that is not asked in the play as it was, but for what is changed itself."""
        changed = {change.request_key for change in self.counterfactual.changes if isinstance(change, AnswerChange)}
        return (turn for occasion, turn in self.turns.items() if occasion not in {*course.recorded_answers, *changed})


def replay_counterfactual(course: RecordedCourse, flip: Counterfactual) -> ReplayedPlay:
    """Plays a changed play again."""
    situation = course.begun.situation
    for change in flip.changes:
        situation = change.apply_to_start(situation) if isinstance(change, StartChange) else situation
    session = begin_session(replace(course.begun, situation=situation), course.sources)
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
    """The answer to a request as it is changed."""
    changes = [
        answer_change
        for answer_change in flip.changes
        if isinstance(answer_change, AnswerChange) and answer_change.request_key == occasion
    ]
    if not changes:
        return usual
    slots = split_usual_answer(paused.resume_run(), usual)
    values = list(slots.values)
    for change in changes:
        values[change.slot or 0] = change.after
    return slots.join_parts(values)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class PlayExplanation:
    """Why something is what it is."""

    subject: ExplainedSubject  # what was asked
    session: Session  # the play
    value: object  # what it is where the play stands
    before: object  # what it was at the start; `NO_VALUE` where it had none
    cause_positions: frozenset[int]  # the positions of the happenings that made it so
    # by which smallest change it would be otherwise; none where that was not asked
    counterfactuals: "CounterfactualReport | None" = None


@dataclass(frozen=True, slots=True)
class CounterfactualReport:
    """By which smallest change something would be otherwise."""

    course: RecordedCourse  # the play, to be gone through again
    search_result: SearchResult  # what the search came to
    # the smallest changes of each sort, played again, and what the value is then
    replays: tuple[tuple[ReplayedPlay, object], ...]
    is_own_start_fixed: bool  # whether the start of the value itself stayed as it was


def explain_subject(session: Session, matter: ExplainedSubject) -> PlayExplanation:
    """Answers why something is what it is where a play stands."""
    why = matter.trace_causes(DynamicSlice(session))
    return PlayExplanation(matter, session, matter.value_in_session(session), matter.value_at_start(session.start), why)


def find_counterfactuals(
    session: Session, matter: ExplainedSubject, goal: CounterfactualGoal, most: int
) -> CounterfactualReport:
    """Looks for the smallest change by which something would come to a goal; gives up after so many plays."""
    course, left = record_course(session), matter.fixed_places
    begun = course.begun
    if left and not matter.places_read & begun.executable.reachable_effects.find_places_changed_by(
        begun.procedure.name
    ):
        return CounterfactualReport(course, _NO_CHANGE_POSSIBLE, (), is_own_start_fixed=True)
    searched = search_counterfactuals(course, goal, list_start_changes(begun, left, matter.places_read), most)
    return CounterfactualReport(course, searched, tuple(_replay_nearest(course, matter, goal, searched)), bool(left))


def _replay_nearest(
    course: RecordedCourse, matter: ExplainedSubject, goal: CounterfactualGoal, searched: SearchResult
) -> Iterator[tuple[ReplayedPlay, object]]:
    """The smallest change, and the smallest of other sorts, as the whole play shows them."""
    ranks = set[int]()
    for counterfactual in searched.counterfactuals:
        rank = max(change.rank for change in counterfactual.changes)
        if rank not in ranks and len(ranks) < _MAX_REPLAYED_CHANGES:
            ranks.add(rank)
            again = replay_counterfactual(course, counterfactual)
            assert goal.holds_in_session(again.session), counterfactual
            yield again, matter.value_in_session(again.session)
