"""A question about a play and its whole answer: what made it so, and the smallest change that makes it otherwise."""

from collections.abc import Iterator

from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inquiry.chain import Tracing
from rulewright.inquiry.course import Course, course_of
from rulewright.inquiry.flips import MOST_CHANGES, Searched, search
from rulewright.inquiry.goals import Goal, Matter
from rulewright.inquiry.replaying import Replayed, replayed
from rulewright.inquiry.starts import starts

_TOLD = 3
"""So many flips are played again, one of each sort."""


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
    """Looks for the smallest change by which something would be otherwise.

    Args:
        session: the play.
        matter: what was asked.
        goal: what it should be.
        most: after so many plays the search is given up.
    """
    course, left = course_of(session), matter.left
    begun = course.begun
    if left and not matter.read & begun.executable.changing.ever(begun.procedure.name):
        return Otherwise(course, _UNCHANGED, (), left=True)
    searched = search(course, goal, starts(begun, left, matter.read), most)
    return Otherwise(course, searched, tuple(_again(course, matter, goal, searched)), bool(left))


_UNCHANGED = Searched((), MOST_CHANGES, None, 0, {}, is_cut=False)
"""Nothing that is performed can change it, so that no play has to be tried."""


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
