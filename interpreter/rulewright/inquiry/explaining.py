"""A question about a play and its whole answer: what made it so, and the smallest change that makes it otherwise."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.drivers.session import Session, Turn, begin
from rulewright.drivers.sources import Given
from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import OtherAnswer, OtherStart, slots_at
from rulewright.inquiry.chain import Tracing
from rulewright.inquiry.changed_plays import Flip
from rulewright.inquiry.course import Course, Following, Occasion, course_of
from rulewright.inquiry.flips import MOST_CHANGES, Searched, search
from rulewright.inquiry.starts import starts
from rulewright.inquiry.values import Goal, Matter
from rulewright.machine.run import UNANSWERED, Paused
from rulewright.machine.values import Value

_TOLD = 3
"""So many flips are played again, one of each sort."""
_UNCHANGED = Searched((), MOST_CHANGES, None, 0, {}, is_cut=False)
"""Nothing that is performed can change it, so that no play has to be tried."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A changed play."""

    flip: Flip  # what is changed
    session: Session  # the play
    turns: dict[Occasion, Turn]  # its answers by occasion

    def new(self, course: Course) -> Iterator[Turn]:
        """What was asked that is not asked in the play as it was, but for what is changed itself."""
        changed = {each.occasion for each in self.flip.changes if isinstance(each, OtherAnswer)}
        return (turn for occasion, turn in self.turns.items() if occasion not in {*course.given, *changed})


def replayed(course: Course, flip: Flip) -> Replayed:
    """Plays a changed play again."""
    situation = course.begun.situation
    for each in flip.changes:
        situation = each.made(situation) if isinstance(each, OtherStart) else situation
    session = begin(replace(course.begun, situation=situation), course.sources)
    following, turns = Following(course), dict[Occasion, Turn]()
    while isinstance(paused := session.outcome, Paused) and not following.stands(paused.asked):
        usual = following.usual(paused)
        if usual is UNANSWERED:
            break
        occasion = following.occasion(paused.asked)
        following.pass_by(paused.asked)
        answer = _changed(paused, usual, occasion, flip)
        after = session.answered(Given(answer, "script"), session.sources)
        assert isinstance(after, Session)
        session = after
        turns[occasion] = session.turns[-1]
    return Replayed(flip, session, turns)


def _changed(paused: Paused, usual: Value, occasion: Occasion, flip: Flip) -> Value:
    """The answer to a request as it is changed."""
    changes = [each for each in flip.changes if isinstance(each, OtherAnswer) and each.occasion == occasion]
    if not changes:
        return usual
    slots = slots_at(paused.run(), usual)
    values = list(slots.values)
    for each in changes:
        values[each.slot or 0] = each.after
    return slots.whole(values)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Explained:
    """Why something is what it is."""

    matter: Matter  # what was asked
    session: Session  # the play
    value: object  # what it is where the play stands
    before: object  # what it was at the start; `NO_VALUE` where it had none
    why: frozenset[int]  # the positions of the happenings that made it so
    # by which smallest change it would be otherwise; none where that was not asked
    otherwise: "Otherwise | None" = None


@dataclass(frozen=True, slots=True)
class Otherwise:
    """By which smallest change something would be otherwise."""

    course: Course  # the play, to be gone through again
    searched: Searched  # what the search came to
    # the smallest changes of each sort, played again, and what the value is then
    changed: tuple[tuple[Replayed, object], ...]
    left: bool  # whether the start of the value itself stayed as it was


def explain(session: Session, matter: Matter) -> Explained:
    """Answers why something is what it is where a play stands."""
    why = matter.why(Tracing(session))
    return Explained(matter, session, matter.value(session), matter.start(session.begun), why)


def otherwise(session: Session, matter: Matter, goal: Goal, most: int) -> Otherwise:
    """Looks for the smallest change by which something would come to a goal; gives up after so many plays."""
    course, left = course_of(session), matter.left
    begun = course.begun
    if left and not matter.read & begun.executable.changing.ever(begun.procedure.name):
        return Otherwise(course, _UNCHANGED, (), left=True)
    searched = search(course, goal, starts(begun, left, matter.read), most)
    return Otherwise(course, searched, tuple(_again(course, matter, goal, searched)), bool(left))


def _again(course: Course, matter: Matter, goal: Goal, searched: Searched) -> Iterator[tuple[Replayed, object]]:
    """The smallest change, and the smallest of other sorts, as the whole play shows them."""
    ranks = set[int]()
    for each in searched.flips:
        rank = max(change.rank for change in each.changes)
        if rank not in ranks and len(ranks) < _TOLD:
            ranks.add(rank)
            again = replayed(course, each)
            assert goal.holds(again.session), each
            yield again, matter.value(again.session)
