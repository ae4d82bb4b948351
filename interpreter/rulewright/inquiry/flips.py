"""The smallest change of a play that makes it come to something else, found by going through changed plays."""

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import Change, OtherStart, alternatives, slots_at
from rulewright.inquiry.course import Course, Following
from rulewright.inquiry.goals import Goal
from rulewright.machine.request import Refused
from rulewright.machine.run import UNANSWERED, Paused, Run

MOST_CHANGES = 2
_ROUNDS = (0, 2, 4, 8, 16, 1_000_000)
"""Two changes are tried in rounds, by how far they are together: the nearest first."""


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


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search for the smallest change came to."""

    # what was found, the smallest first, one for each place or pair of places; all of as many changes
    flips: tuple[Flip, ...]
    changes: int  # so many changes at once were tried in all ways
    steps: int | None  # of two changes those that are together no further than this; none where all were tried
    plays: int  # how many changed plays were gone through
    open: int  # how many of them come to a question that nobody answers
    is_cut: bool  # whether some question has more answers than are tried

    @property
    def is_sure(self) -> bool:
        """Whether something was found, or there is none of up to two changes."""
        return bool(self.flips) or (self.changes == MOST_CHANGES and not self.open and not self.is_cut)


class _EnoughError(Exception):
    """As many plays as wanted were gone through."""


@dataclasses.dataclass(slots=True)
class _Moment:
    """A changed play where it stands."""

    run: Run
    following: Following
    heard: Hashable
    changes: tuple[Change, ...] = ()

    def fork(self) -> "_Moment":
        return _Moment(self.run.fork(), self.following.copy(), self.heard, self.changes)


@dataclasses.dataclass(slots=True)
class _Search:
    course: Course
    goal: Goal
    starts: Sequence[OtherStart]
    most: int
    plays: int = 0
    open: int = 0
    is_cut: bool = False
    found: dict[Hashable, Flip] = field(default_factory=dict)
    seen: dict[Hashable, int] = field(default_factory=dict)

    # One play.

    def begun(self, changed: tuple[OtherStart, ...] = ()) -> _Moment | None:
        """A play from a changed start, up to its first request; none where it cannot begin so."""
        situation = self.course.begun.situation
        for each in changed:
            situation = each.made(situation)
        run = self.course.begin(self.goal.executable, situation)
        if isinstance(run.outcome, Refused):
            return None
        return _Moment(run, Following(self.course), self.goal.heard(None, run), changed)

    def moments(self, moment: _Moment) -> Iterator[tuple[_Moment, object]]:
        """The requests to come with their usual answers, as a play comes to them; it is gone on with."""
        while (usual := self._usual(moment)) is not UNANSWERED:
            yield moment, usual
            self._answer(moment, usual)

    def _usual(self, moment: _Moment) -> object:
        paused = moment.run.outcome
        if not isinstance(paused, Paused) or moment.following.stands(paused.asked):
            return UNANSWERED
        return moment.following.usual(paused)

    def _answer(self, moment: _Moment, answer: object) -> None:
        paused = moment.run.outcome
        assert isinstance(paused, Paused)
        moment.following.pass_by(paused.asked)
        paused.take(answer)  # type: ignore[arg-type]
        moment.heard = self.goal.heard(moment.heard, moment.run)

    def judge(self, moment: _Moment) -> None:
        """Goes on with a play to its end, and keeps its changes if they do what is wanted."""
        self.plays += 1
        if self.plays > self.most:
            raise _EnoughError
        moment.run.answering = moment.following.at_once
        while (usual := self._usual(moment)) is not UNANSWERED:
            self._answer(moment, usual)
        outcome = moment.run.outcome
        if isinstance(outcome, Paused) and not moment.following.stands(outcome.asked):
            self.open += 1
        elif self.goal.is_met(moment.run, moment.heard):
            self._keep(Flip(moment.changes))

    def _keep(self, flip: Flip) -> None:
        place = tuple(each.place for each in flip.changes)
        if place not in self.found or flip.order < self.found[place].order:
            self.found[place] = flip

    def others(self, moment: _Moment, usual: object, count: int, most: int) -> Iterator[_Moment]:
        """Plays that answer a request otherwise, with so many changes of at most so many steps."""
        asked = moment.run.question()
        slots = slots_at(moment.run, usual)
        self.is_cut |= slots.is_cut
        for each in alternatives(slots, moment.following.occasion(asked), asked.sort, count):
            if each.steps <= most:
                other = moment.fork()
                other.changes = (*moment.changes, *each.changes)
                self._answer(other, each.answer)
                yield other

    # All plays.

    def one(self) -> None:
        """Tries every single change."""
        for each in self.starts:
            moment = self.begun((each,))
            if moment is not None:
                self.judge(moment)
        usual_play = self.begun()
        if usual_play is None:
            return
        for moment, usual in self.moments(usual_play):
            for other in self.others(moment, usual, 1, _ROUNDS[-1]):
                self.judge(other)

    def two(self, over: int, most: int) -> None:
        """Tries every two changes that are together more than some steps and at most others."""
        self.seen.clear()
        self._two_starts(over, most)
        usual_play = self.begun()
        if usual_play is None:
            return
        for moment, usual in self.moments(usual_play):
            self._mark(moment)
            for both in self.others(moment, usual, 2, most):
                self._judge_beyond(both, over)
            for first in self.others(moment, usual, 1, most - 1):
                self._second(first, over, most)

    def _two_starts(self, over: int, most: int) -> None:
        for at, first in enumerate(self.starts):
            if first.steps >= most:
                continue
            moment = self.begun((first,))
            if moment is None:
                continue
            self._second(moment, over, most)
            for second in self.starts[at + 1 :]:
                if second.place != first.place and over < first.steps + second.steps <= most:
                    both = self.begun((first, second))
                    if both is not None:
                        self.judge(both)

    def _second(self, changed: _Moment, over: int, most: int) -> None:
        """Tries every change that may follow a first one."""
        first = Flip(changed.changes).steps
        for moment, usual in self.moments(changed):
            if self._is_known(moment, first):
                return
            for both in self.others(moment, usual, 1, most - first):
                self._judge_beyond(both, over)

    def _judge_beyond(self, moment: _Moment, over: int) -> None:
        if Flip(moment.changes).steps > over:
            self.judge(moment)

    def _mark(self, moment: _Moment) -> None:
        """Remembers a moment from which every single change was tried."""
        self.seen[self._key(moment)] = 0

    def _is_known(self, moment: _Moment, steps: int) -> bool:
        """Whether a play with no more steps has come to a moment with the same future; it is remembered."""
        key = self._key(moment)
        if self.seen.get(key, steps + 1) <= steps:
            return True
        self.seen[key] = steps
        return False

    def _key(self, moment: _Moment) -> Hashable:
        return moment.run.key(), moment.following.memory, moment.heard


def search(course: Course, goal: Goal, starts: Sequence[OtherStart], most: int) -> Searched:
    """Looks for the smallest change: every single one, then every two, the nearest first.

    Args:
        course: the play.
        goal: what it should come to.
        starts: values of the start that may be others.
        most: after so many plays it is given up.
    """
    looking = _Search(course, goal, starts, most)

    def searched(changes: int, steps: int | None) -> Searched:
        flips = tuple(sorted(looking.found.values(), key=lambda each: each.order))
        return Searched(flips, changes, steps, looking.plays, looking.open, looking.is_cut)

    done, within = 0, None
    try:
        looking.one()
        if looking.found:
            return searched(1, None)
        done, within = 1, 0
        for over, upto in pairwise(_ROUNDS):
            looking.two(over, upto)
            if looking.found:
                break
            within = upto
    except _EnoughError:
        return searched(done, within)
    return searched(MOST_CHANGES, None)
