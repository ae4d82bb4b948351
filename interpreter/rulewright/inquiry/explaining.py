"""A question about a play and its whole answer: what made it so, and the smallest change that makes it otherwise."""

from collections.abc import Iterator, Mapping

from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import starts
from rulewright.inquiry.chain import Place, Tracing
from rulewright.inquiry.course import Course, course_of
from rulewright.inquiry.flips import Searched, search
from rulewright.inquiry.goals import NO_VALUE, Subject, Worth
from rulewright.inquiry.replaying import Replayed, replayed
from rulewright.machine.request import Ended
from rulewright.machine.state import State, initial
from rulewright.machine.values import Value
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.effects import Footprint, called_by, read_by
from rulewright.roles import nodes

_TOLD = 3
"""So many flips are played again, one of each sort."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a value is what it is.

    Attributes:
        subject: what was asked.
        session: the play.
        value: what it is where the play stands.
        before: what it was at the start; `NO_VALUE` where it had none.
        why: the positions of the happenings that made it so.
        otherwise: by which smallest change it would be otherwise; none where that was not asked.
    """

    subject: Subject
    session: Session
    value: object
    before: object
    why: frozenset[int]
    otherwise: "Otherwise | None" = None


@dataclass(frozen=True, slots=True)
class Otherwise:
    """By which smallest change a value would be otherwise.

    Attributes:
        course: the play, to be gone through again.
        searched: what the search came to.
        changed: the smallest changes of each sort, played again, and what the value is then.
        left: whether the start of the value itself stayed as it was.
    """

    course: Course
    searched: Searched
    changed: tuple[tuple[Replayed, object], ...]
    left: bool


@dataclass(frozen=True, slots=True)
class Resting:
    """On what a value rests.

    Attributes:
        roots: places of the game, each with a thing, or with none for all there are.
        alone: the one place whose value it is, and nothing else; none where it is more than one.
    """

    roots: frozenset[Place]
    alone: Place | None


def explain(session: Session, subject: Subject) -> Explained:
    """Answers why a value is what it is where a play stands."""
    begun = session.begun
    start = initial(begun.situation, subject.executable.layout)
    before = NO_VALUE if subject.gives else subject.worth_in(start, None)
    return Explained(subject, session, worth_of(session, subject), before, made_so(session, subject))


def otherwise(session: Session, subject: Subject, goal: Worth, most: int) -> Otherwise:
    """Looks for the smallest change by which a value would be otherwise.

    Args:
        session: the play.
        subject: the value.
        goal: what it should be.
        most: after so many plays the search is given up.
    """
    course, resting = course_of(session), resting_of(subject)
    left = frozenset({resting.alone} if resting.alone else ())
    read = frozenset(place for place, _ in resting.roots)
    searched = search(course, goal, starts(course.begun, left, read), most)
    return Otherwise(course, searched, tuple(_again(course, subject, goal, searched)), bool(left))


def _again(course: Course, subject: Subject, goal: Worth, searched: Searched) -> Iterator[tuple[Replayed, object]]:
    """The smallest change, and the smallest of other sorts, as the whole play shows them."""
    ranks = set[int]()
    for each in searched.flips:
        rank = max(change.rank for change in each.changes)
        if rank not in ranks and len(ranks) < _TOLD:
            ranks.add(rank)
            again = replayed(course, each)
            assert goal.is_wanted(worth_of(again.session, goal.subject)), each
            yield again, worth_of(again.session, subject)


def worth_of(session: Session, subject: Subject) -> object:
    """A value where a play stands, or `NO_VALUE`."""
    state, outcome = session.state, session.outcome
    if not isinstance(state, State):
        return NO_VALUE
    return subject.worth_in(state, outcome.result if isinstance(outcome, Ended) else None)


def resting_of(subject: Subject) -> Resting:
    """On what a value rests."""
    declared = subject.declared
    given = dict(zip((each.name for each in declared.parameters), subject.arguments(None), strict=True))
    footprint = Footprint(subject.executable.program)
    roots: set[Place] = set()
    for each in nodes(declared.value):
        if isinstance(each, ex.Typed):
            thing = _thing(each, given)
            places = footprint.reads(each) if called_by(each) else read_by(each)  # type: ignore[arg-type]
            roots |= {(place, thing) for place in places}
    plain = isinstance(declared.value, ex.StoredAttribute | ex.GameField) and len(roots) == 1
    return Resting(frozenset(roots), next(iter(roots)) if plain else None)


def _thing(node: object, given: Mapping[str, Value]) -> Value:
    """The thing that an attribute is of, where the expression names it."""
    match node:
        case (
            ex.StoredAttribute(target=ex.Local(variable=variable))
            | ex.DerivedAttribute(target=ex.Local(variable=variable))
            | ex.Gone(target=ex.Local(variable=variable))
        ):
            return given.get(variable.name)
        case _:
            return None


def made_so(session: Session, subject: Subject) -> frozenset[int]:
    """The positions of the happenings that made a value what it is."""
    tracing, resting = Tracing(session), resting_of(subject)
    last = [
        positions[-1]
        for (place, key), positions in tracing.changed.items()
        if any(place == root and thing in {None, key} for root, thing in resting.roots)
    ]
    if subject.gives:
        gave = [at for at, each in enumerate(tracing.entries) if isinstance(each.node, st.Finish)]
        last += gave[-1:]
    return tracing.back_from(last)
