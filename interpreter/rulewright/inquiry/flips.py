"""The smallest change of a play that makes it come to something else, found by going through changed plays."""

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations, pairwise

from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import Alternative, Change, OtherStart, alternatives, slots_at
from rulewright.inquiry.course import Course, Following
from rulewright.inquiry.goals import Goal
from rulewright.inquiry.starts import Starts
from rulewright.inquiry.watched import Alike, Asked, Notes, plain
from rulewright.machine.question import Question
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
    changes: tuple[Change, ...]
    asked: dict[Asked, bool]  # what it asked of watched values so far

    def fork(self) -> "_Moment":
        return _Moment(self.run.fork(), self.following.copy(), self.heard, self.changes, self.asked.copy())


@dataclasses.dataclass(slots=True)
class _Class:
    """Values of one place of the start with which a play comes to the same requests, and how these may be answered."""

    bits: int  # the values, by position
    others: Sequence[tuple[int, Alternative]]  # by number of a request, how it may be answered otherwise


@dataclasses.dataclass(slots=True)
class _Search:
    course: Course
    goal: Goal
    starts: Starts
    most: int
    plays: int = 0
    open: int = 0
    is_cut: bool = False
    found: dict[Hashable, Flip] = field(default_factory=dict)
    seen: dict[Hashable, int] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    usual: Alike | None = None
    answered: dict[Hashable, Alike] = field(default_factory=dict)
    begun_as: list[list[Alike]] = field(default_factory=list)
    classes: dict[int, list[_Class]] = field(default_factory=dict)
    walks: dict[tuple[int, int], list[_Moment]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    left: dict[Hashable, int] = field(default_factory=dict)

    # One play.

    def begun(self, changed: tuple[OtherStart, ...] = (), watched: Collection[int] = ()) -> _Moment:
        """A play from a changed start, up to its first request, if it can begin so; some of its places are watched."""
        asked: dict[Asked, bool] = {}
        self.notes.asked = asked
        situation = self.starts.situation(changed, self.notes, watched)
        run = self.course.begin(self.goal.executable, situation)
        return _Moment(run, Following(self.course), self.goal.heard(None, run), changed, asked)

    def moments(self, moment: _Moment) -> Iterator[tuple[_Moment, object]]:
        """The requests to come with their usual answers, as a play comes to them; it is gone on with."""
        while not self._is_lost(moment) and (usual := self._usual(moment)) is not UNANSWERED:
            yield moment, usual
            self._answer(moment, usual)

    def _is_lost(self, moment: _Moment) -> bool:
        self.notes.asked = moment.asked
        return isinstance(moment.run.outcome, Paused) and self.goal.is_lost(moment.run, moment.heard)

    def _usual(self, moment: _Moment) -> object:
        self.notes.asked = moment.asked
        paused = moment.run.outcome
        if not isinstance(paused, Paused) or moment.following.stands(paused.asked):
            return UNANSWERED
        return plain(moment.following.usual(paused))

    def _answer(self, moment: _Moment, answer: object) -> None:
        self.notes.asked = moment.asked
        paused = moment.run.outcome
        assert isinstance(paused, Paused)
        moment.following.pass_by(paused.asked)
        paused.take(answer)  # type: ignore[arg-type]
        moment.heard = self.goal.heard(moment.heard, moment.run)

    def judge(self, moment: _Moment) -> Alike:
        """Goes on with a play to its end, and keeps its changes if they are wanted; which starts it stands for."""
        self.plays += 1
        if self.plays > self.most:
            raise _EnoughError
        if self._is_lost(moment):
            return self._alike(moment)
        moment.run.answering = partial(self._at_once, moment)
        for _ in self.moments(moment):
            pass
        outcome = moment.run.outcome
        if self._is_lost(moment):
            pass
        elif isinstance(outcome, Paused) and not moment.following.stands(outcome.asked):
            self.open += 1
        elif self.goal.is_met(moment.run, moment.heard):
            self._keep(Flip(moment.changes))
        return self._alike(moment)

    def _at_once(self, moment: _Moment, asked: Question) -> object:
        """The usual answer where the question alone shows it and the play may still become what is wanted."""
        return UNANSWERED if self.goal.is_lost(moment.run, moment.heard) else moment.following.at_once(asked)

    def _alike(self, moment: _Moment) -> Alike:
        return Alike(moment.asked, self.starts.values, self.starts.base(moment.changes))

    def _keep(self, flip: Flip) -> None:
        place = tuple(each.place for each in flip.changes)
        if place not in self.found or flip.order < self.found[place].order:
            self.found[place] = flip

    def others(self, moment: _Moment, usual: object, count: int, most: int) -> Iterator[Alternative]:
        """Other answers to a request, with so many changes of at most so many steps."""
        self.notes.asked = moment.asked
        asked = moment.run.question()
        slots = slots_at(moment.run, usual)
        slots = replace(slots, values=plain(tuple(slots.values)), options=plain(tuple(map(tuple, slots.options))))
        self.is_cut |= slots.is_cut
        found = alternatives(slots, plain(moment.following.occasion(asked)), asked.sort, count)
        return (each for each in found if each.steps <= most)

    def answered_with(self, moment: _Moment, other: Alternative) -> _Moment:
        """The play that goes on with another answer."""
        forked = moment.fork()
        forked.changes = (*moment.changes, *other.changes)
        self._answer(forked, other.answer)
        return forked

    # Every single change.

    def one(self) -> None:
        """Tries every single change."""
        every = range(len(self.starts.others))
        play = self.begun((), every)
        for moment, usual in self.moments(play):
            for each in [*self.others(moment, usual, 1, _ROUNDS[-1])]:
                self.answered[_name(each)] = self.judge(self.answered_with(moment, each))
        self.notes.asked = play.asked
        self.goal.is_met(play.run, play.heard)
        self.usual = self._alike(play)
        for number, others in enumerate(self.starts.others):
            alike = list[Alike]()
            left = self.starts.every[number] & ~self.usual.mask(number)
            while left:
                at = _first(left)
                alike.append(self.judge(self.begun((others[at - 1],), every)))
                left &= ~(alike[-1].mask(number) | 1 << at)
            self.begun_as.append(alike)

    # Every two changes.

    def two(self, over: int, most: int) -> None:
        """Tries every two changes that are together at most some steps apart, but for those that were tried already."""
        self._two_answers(over, most)
        for number in range(len(self.starts.others)):
            self._start_and_answer(number, most)
        for first, second in combinations(range(len(self.starts.others)), 2):
            self._two_starts(first, second, most)

    def _two_starts(self, first: int, second: int, most: int) -> None:
        assert self.usual is not None
        left = self.pairs.get((first, second))
        if left is None:
            every = self.starts.every[second]
            left = [0, *(every for _ in self.starts.others[first])]
            for alike in (self.usual, *self.begun_as[first], *self.begun_as[second]):
                _take(left, alike.both(first, second))
            self.pairs[first, second] = left
        while (nearest := self.starts.nearest(first, second, left, most)) is not None:
            one, other = nearest
            changed = (self.starts.others[first][one - 1], self.starts.others[second][other - 1])
            _take(left, self.judge(self.begun(changed, (first, second))).both(first, second))
            left[one] &= ~(1 << other)

    def _start_and_answer(self, number: int, most: int) -> None:
        for each in self._classes(number):
            nearest = self.starts.steps[number][_first(each.bits)]
            for at, other in each.others:
                if nearest + other.steps <= most:
                    self._with_answer(number, each, at, other, most)

    def _with_answer(self, number: int, of: _Class, at: int, other: Alternative, most: int) -> None:
        name = number, _first(of.bits), _name(other)
        left = self.left.get(name)
        if left is None:
            known = self.answered.get(_name(other))
            left = of.bits if known is None else of.bits & ~known.mask(number)
        while left and self.starts.steps[number][_first(left)] + other.steps <= most:
            value = _first(left)
            moment = self._walk(number, value)[at]
            left &= ~(self.judge(self.answered_with(moment, other)).mask(number) | 1 << value)
        self.left[name] = left

    def _classes(self, number: int) -> list[_Class]:
        """The values of a place, by the requests that plays come to with them."""
        if number not in self.classes:
            found, left = list[_Class](), self.starts.every[number]
            while left:
                value = _first(left)
                moment = self.begun((self.starts.others[number][value - 1],), (number,))
                others = [
                    (at, other)
                    for at, (each, usual) in enumerate(self.moments(moment))
                    for other in self.others(each, usual, 1, _ROUNDS[-1])
                ]
                bits = left & (self._alike(moment).mask(number) | 1 << value)
                found.append(_Class(bits, others))
                left &= ~bits
            self.classes[number] = found
        return self.classes[number]

    def _walk(self, number: int, value: int) -> list[_Moment]:
        """The play from a start with another value, at each of its requests."""
        if (number, value) not in self.walks:
            play = self.begun((self.starts.others[number][value - 1],), (number,))
            self.walks[number, value] = [moment.fork() for moment, _ in self.moments(play)]
        return self.walks[number, value]

    def _two_answers(self, over: int, most: int) -> None:
        self.seen.clear()
        for moment, usual in self.moments(self.begun()):
            self.seen[self._key(moment)] = 0
            for both in self.others(moment, usual, 2, most):
                if both.steps > over:
                    self.judge(self.answered_with(moment, both))
            for each in self.others(moment, usual, 1, most - 1):
                self._second(self.answered_with(moment, each), over - each.steps, most - each.steps)

    def _second(self, changed: _Moment, over: int, most: int) -> None:
        """Tries every other answer that may follow a first one."""
        first = Flip(changed.changes).steps
        for moment, usual in self.moments(changed):
            key = self._key(moment)
            if self.seen.get(key, first + 1) <= first:
                return
            self.seen[key] = first
            for each in self.others(moment, usual, 1, most):
                if each.steps > over:
                    self.judge(self.answered_with(moment, each))

    def _key(self, moment: _Moment) -> Hashable:
        return moment.run.key(), moment.following.memory, moment.heard


def _name(other: Alternative) -> Hashable:
    return tuple((each.place, each.after) for each in other.changes)


def _first(bits: int) -> int:
    """The position of the first of some values."""
    return (bits & -bits).bit_length() - 1


def _take(left: list[int], found: Iterable[tuple[int, int]]) -> None:
    for at, bits in found:
        left[at] &= ~bits


def search(course: Course, goal: Goal, starts: Sequence[OtherStart], most: int) -> Searched:
    """Looks for the smallest change: every single one, then every two, the nearest first.

    Args:
        course: the play.
        goal: what it should come to.
        starts: values of the start that may be others.
        most: after so many plays it is given up.
    """
    looking = _Search(course, goal, Starts(course.begun.situation, starts), most)

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
