"""Changed plays: begun, gone on with answer by answer, and judged; which of them need not be tried."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import field, replace
from functools import partial
from operator import attrgetter

from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import Alternative, Change, OtherAnswer, OtherStart, alternatives, slots_at
from rulewright.inquiry.course import Course, Following
from rulewright.inquiry.starts import Starts
from rulewright.inquiry.values import Goal
from rulewright.inquiry.watched import Alike, Asked, Notes, plain
from rulewright.machine.question import Question
from rulewright.machine.relevance import Relevant
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import UNANSWERED, Paused, Run


@dataclass(frozen=True, slots=True)
class Flip:
    """Changes that make a play come to something else."""

    changes: tuple[Change, ...]  # in the order of the play, values of the start first

    @property
    def steps(self) -> int:
        """How far they are together."""
        return sum(each.steps for each in self.changes)

    @property
    def order(self) -> tuple[int, int, int]:
        """The smallest first; of alike ones dice before answers before values of the start."""
        return len(self.changes), self.steps, sum(each.rank for each in self.changes)


class EnoughError(Exception):
    """As many plays as wanted were gone through."""


@dataclasses.dataclass(slots=True)
class Moment:
    """A changed play where it stands."""

    run: Run
    following: Following
    heard: Hashable
    changes: tuple[Change, ...]
    asked: dict[Asked, bool]  # what it asked of watched values so far

    def fork(self) -> "Moment":
        """The same, to be gone on with apart."""
        return Moment(self.run.fork(), self.following.copy(), self.heard, self.changes, self.asked.copy())


@dataclasses.dataclass(slots=True)
class Plays:
    """Goes through changed plays, and keeps what makes them what is wanted."""

    course: Course
    goal: Goal
    starts: Starts
    most: int
    relevant: Relevant | None  # on what it may hang, if that is known
    plays: int = 0
    unanswered: Counter[tuple[str, str]] = field(default_factory=Counter)
    is_cut: bool = False
    found: dict[Hashable, Flip] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    spoilt: set[Hashable] = field(default_factory=set)  # single changes whose play had no end
    is_spoilt: bool = False  # whether the play judged last had no end
    is_kept: bool = False  # whether it was what is wanted

    # One play.

    def begun(self, changed: tuple[OtherStart, ...] = (), watched: Collection[int] = ()) -> Moment:
        """A play from a changed start, up to its first request, if it can begin so; some of its places are watched."""
        asked: dict[Asked, bool] = {}
        self.notes.asked = asked
        situation = self.starts.situation(changed, self.notes, watched)
        run = self.course.begin(self.goal.executable, situation)
        return Moment(run, Following(self.course), self.goal.heard(None, run), changed, asked)

    def moments(self, moment: Moment) -> Iterator[tuple[Moment, object]]:
        """The requests to come with their usual answers, as a play comes to them; it is gone on with."""
        while not self.is_lost_now(moment) and (usual := self._usual(moment)) is not UNANSWERED:
            yield moment, usual
            self._answer(moment, usual)

    def is_lost_now(self, moment: Moment) -> bool:
        """Whether a play that stands at a request can no more become what is wanted."""
        self.notes.asked = moment.asked
        return isinstance(moment.run.outcome, Paused) and self.goal.is_lost(moment.run, moment.heard)

    def _usual(self, moment: Moment) -> object:
        self.notes.asked = moment.asked
        paused = moment.run.outcome
        if not isinstance(paused, Paused) or moment.following.stands(paused.asked):
            return UNANSWERED
        return plain(moment.following.usual(paused))

    def _answer(self, moment: Moment, answer: object) -> None:
        self.notes.asked = moment.asked
        paused = moment.run.outcome
        assert isinstance(paused, Paused)
        moment.following.pass_by(paused.asked)
        paused.take(answer)  # type: ignore[arg-type]
        moment.heard = self.goal.heard(moment.heard, moment.run)

    def judge(self, moment: Moment) -> Alike:
        """Goes on with a play to its end, and keeps its changes if they are wanted; which starts it stands for."""
        self.plays += 1
        if self.plays > self.most:
            raise EnoughError
        self.is_spoilt = self.is_kept = False
        if self.is_lost_now(moment):
            return self.alike_starts(moment)
        moment.run.answering = partial(self._at_once, moment)
        for _ in self.moments(moment):
            pass
        outcome = moment.run.outcome
        answered = any(isinstance(each, OtherAnswer) for each in moment.changes)
        self.is_spoilt = isinstance(outcome, (Faulted, Refused) if answered else Faulted)
        if self.is_lost_now(moment):
            pass
        elif isinstance(outcome, Paused) and not moment.following.stands(outcome.asked):
            self.is_spoilt = True
            if any(map(self.counts, moment.changes)):
                self.unanswered[outcome.asked.address, outcome.request.prompt or outcome.request.name] += 1
        elif self.goal.is_met(moment.run, moment.heard):
            self.is_kept = True
            self.keep(Flip(moment.changes))
        return self.alike_starts(moment)

    def _at_once(self, moment: Moment, asked: Question) -> object:
        """The usual answer where the question alone shows it and the play may still become what is wanted."""
        return UNANSWERED if self.goal.is_lost(moment.run, moment.heard) else moment.following.at_once(asked)

    def alike_starts(self, moment: Moment) -> Alike:
        """Which starts lead through a play in the same way."""
        return Alike(moment.asked, self.starts.values, self.starts.base(moment.changes))

    def keep(self, flip: Flip) -> None:
        """Keeps changes that do what is wanted: of each place, or pair of places, the nearest."""
        place = tuple(each.place for each in flip.changes)
        if place not in self.found or flip.order < self.found[place].order:
            self.found[place] = flip

    def others(self, moment: Moment, usual: object, count: int, most: int) -> Iterator[Alternative]:
        """Other answers to a request, with so many changes of at most so many steps."""
        self.notes.asked = moment.asked
        asked = moment.run.question()
        slots = slots_at(moment.run, usual)
        slots = replace(slots, values=plain(tuple(slots.values)), options=plain(tuple(map(tuple, slots.options))))
        occasion = plain(moment.following.occasion(asked))
        self.is_cut |= slots.is_cut and (self.relevant is None or self.relevant.counts(occasion[0]))
        return (each for each in alternatives(slots, occasion, asked.sort, count) if each.steps <= most)

    def alike(self, moment: Moment, usual: object, found: Iterable[Alternative]) -> list[list[Alternative]]:
        """Answers after which a play goes on alike, the nearest first, without those alike to the usual one."""
        self.notes.asked = moment.asked
        shown = moment.run.alike if moment.run.question().sort == "roll" else None
        if shown is None:
            return [[each] for each in found]
        groups: dict[Hashable, list[Alternative]] = {plain(shown(usual)): []}  # type: ignore[arg-type]
        (known,) = groups
        for each in sorted(found, key=attrgetter("steps")):
            groups.setdefault(plain(shown(each.answer)), []).append(each)
        return [each for mark, each in groups.items() if mark != known]

    def answered_with(self, moment: Moment, other: Alternative) -> Moment:
        """The play that goes on with another answer."""
        forked = moment.fork()
        forked.changes = (*moment.changes, *other.changes)
        self._answer(forked, other.answer)
        return forked

    # What need not be tried.

    def counts(self, change: Change) -> bool:
        """Whether anything that is wanted may hang on what is changed."""
        if self.relevant is None:
            return True
        if isinstance(change, OtherStart):
            return change.where in self.relevant.places
        return self.relevant.counts(change.occasion[0])

    def is_needed(self, first: Change, second: Change) -> bool:
        """Whether two changes may do what neither does alone.

        One on which nothing hangs leaves the other's end as it is, unless that play had no end.
        """
        both = [each for each in (first, second) if self.counts(each)]
        return len(both) > 1 or any(name_of(each) in self.spoilt for each in both)


def name_of_all(other: Alternative) -> Hashable:
    """What an answer changes, to be known again."""
    return tuple(map(name_of, other.changes))


def name_of(change: Change) -> Hashable:
    """A change, to be known again."""
    return change.place, change.after
