"""The smallest change of a play that makes it come to something else, found by going through changed plays."""

import dataclasses
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations, pairwise

from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import Alternative, OtherStart
from rulewright.inquiry.changed_plays import EnoughError, Flip, Moment, Plays, name_of, name_of_all
from rulewright.inquiry.course import Course
from rulewright.inquiry.starts import Starts
from rulewright.inquiry.values import Goal
from rulewright.inquiry.watched import Alike

MOST_CHANGES = 2
_ROUNDS = (0, 2, 4, 8, 16, 1_000_000)
"""Two changes are tried in rounds, by how far they are together: the nearest first."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search for the smallest change came to."""

    # what was found, the smallest first, one for each place or pair of places; all of as many changes
    flips: tuple[Flip, ...]
    changes: int  # so many changes at once were tried in all ways
    steps: int | None  # of two changes those that are together no further than this; none where all were tried
    plays: int  # how many changed plays were gone through
    # by the line that asks and its question, how many of them come to something that nobody answers
    unanswered: Mapping[tuple[str, str], int]
    is_cut: bool  # whether some question has more answers than are tried

    @property
    def open(self) -> int:
        """How many plays come to something that nobody answers."""
        return sum(self.unanswered.values())

    @property
    def is_sure(self) -> bool:
        """Whether something was found, or there is none of up to two changes."""
        return bool(self.flips) or (self.changes == MOST_CHANGES and not self.open and not self.is_cut)


@dataclasses.dataclass(slots=True)
class _Class:
    """Values of one place of the start with which a play comes to the same requests, and how these may be answered."""

    bits: int  # the values, by position
    others: Sequence[tuple[int, list[Alternative]]]  # by number of a request, how it may be answered otherwise


@dataclasses.dataclass(slots=True)
class _Search(Plays):
    usual: Alike | None = None
    answered: dict[Hashable, Alike] = field(default_factory=dict)
    begun_as: list[list[Alike]] = field(default_factory=list)
    classes: dict[int, list[_Class]] = field(default_factory=dict)
    walks: dict[tuple[int, int], list[Moment]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    left: dict[Hashable, int] = field(default_factory=dict)
    seen: dict[Hashable, int] = field(default_factory=dict)

    def _judge_alike(self, moment: Moment, same: Sequence[Alternative]) -> Alike:
        """Goes on with the first of some answers that are alike, and keeps all of them if that is wanted."""
        found = self.judge(self.answered_with(moment, same[0]))
        if self.is_kept:
            for each in same[1:]:
                self.keep(Flip((*moment.changes, *each.changes)))
        return found

    def _judge_one(self, moment: Moment) -> Alike:
        """As `judge`, of a single change; whether its play has an end is remembered."""
        found = self.judge(moment)
        if self.is_spoilt:
            self.spoilt.update(map(name_of, moment.changes))
        return found

    # Every single change.

    def one(self) -> None:
        """Tries every single change."""
        every = range(len(self.starts.others))
        play = self.begun((), every)
        for moment, usual in self.moments(play):
            for same in self.alike(moment, usual, self.others(moment, usual, 1, _ROUNDS[-1])):
                found = self._judge_alike(moment, same)
                for each in same:
                    self.answered[name_of_all(each)] = found
                    if self.is_spoilt:
                        self.spoilt.update(map(name_of, each.changes))
        self.notes.asked = play.asked
        self.goal.is_met(play.run, play.heard)
        self.usual = self.alike_starts(play)
        for number, others in enumerate(self.starts.others):
            alike = list[Alike]()
            left = self.starts.every[number] & ~self.usual.mask(number)
            while left:
                at = _first(left)
                alike.append(self._judge_one(self.begun((others[at - 1],), every)))
                bits = left & (alike[-1].mask(number) | 1 << at)
                left &= ~bits
                if self.is_spoilt:
                    self.spoilt.update(name_of(each) for position, each in enumerate(others, 1) if bits >> position & 1)
            self.begun_as.append(alike)

    # Every two changes.

    def two(self, over: int, most: int) -> None:
        """Tries every two changes that are together at most some steps apart, but for those that were tried already."""
        self._two_answers(over, most)
        for number in range(len(self.starts.others)):
            self._start_and_answer(number, most)
        for first, second in combinations(range(len(self.starts.others)), 2):
            if self._are_needed(first, second):
                self._two_starts(first, second, most)

    def _are_needed(self, first: int, second: int) -> bool:
        """Whether some value of one place and some of another have to be tried together."""
        both = [each for each in (first, second) if self.counts(self.starts.others[each][0])]
        return len(both) > 1 or any(name_of(each) in self.spoilt for one in both for each in self.starts.others[one])

    def _two_starts(self, first: int, second: int, most: int) -> None:
        assert self.usual is not None
        left = self.pairs.get((first, second))
        if left is None:
            every = self.starts.every[second]
            left = [0, *(every for _ in self.starts.others[first])]
            for alike in (self.usual, *self.begun_as[first], *self.begun_as[second]):
                alike.take(first, second, left)
            self.pairs[first, second] = left
        while (nearest := self.starts.nearest(first, second, left, most)) is not None:
            one, other = nearest
            changed = (self.starts.others[first][one - 1], self.starts.others[second][other - 1])
            self.judge(self.begun(changed, (first, second))).take(first, second, left)
            left[one] &= ~(1 << other)

    def _start_and_answer(self, number: int, most: int) -> None:
        if not self.spoilt and not self.counts(self.starts.others[number][0]):
            return
        for each in self._classes(number):
            nearest = self.starts.steps[number][_first(each.bits)]
            for at, same in each.others:
                if nearest + same[0].steps <= most:
                    self._with_answer(number, each, at, same, most)

    def _with_answer(self, number: int, of: _Class, at: int, same: Sequence[Alternative], most: int) -> None:
        other = same[0]
        name = number, _first(of.bits), name_of_all(other)
        left = self.left.get(name)
        if left is None:
            known = self.answered.get(name_of_all(other))
            left = of.bits if known is None else of.bits & ~known.mask(number)
        while left and self.starts.steps[number][_first(left)] + other.steps <= most:
            value = _first(left)
            moment = self._walk(number, value)[at]
            left &= ~(self._judge_alike(moment, same).mask(number) | 1 << value)
        self.left[name] = left

    def _classes(self, number: int) -> list[_Class]:
        """The values of a place, by the requests that plays come to with them."""
        if number not in self.classes:
            found, left = list[_Class](), self.starts.every[number]
            while left:
                value = _first(left)
                moment = self.begun((self.starts.others[number][value - 1],), (number,))
                others = [
                    (at, same)
                    for at, (each, usual) in enumerate(self.moments(moment))
                    for same in self.alike(each, usual, self._needed(each, usual, _ROUNDS[-1]))
                ]
                bits = left & (self.alike_starts(moment).mask(number) | 1 << value)
                found.append(_Class(bits, others))
                left &= ~bits
            self.classes[number] = found
        return self.classes[number]

    def _walk(self, number: int, value: int) -> list[Moment]:
        """The play from a start with another value, at each of its requests."""
        if (number, value) not in self.walks:
            play = self.begun((self.starts.others[number][value - 1],), (number,))
            self.walks[number, value] = [moment.fork() for moment, _ in self.moments(play)]
        return self.walks[number, value]

    def _two_answers(self, over: int, most: int) -> None:
        self.seen.clear()
        for moment, usual in self.moments(self.begun()):
            self.seen[self._key(moment)] = 0
            pairs = (each for each in self.others(moment, usual, 2, most) if self.is_needed(*each.changes))
            for same in self.alike(moment, usual, pairs):
                if same[0].steps > over:
                    self._judge_alike(moment, same)
            for same in self.alike(moment, usual, self.others(moment, usual, 1, most - 1)):
                if self.spoilt or self.counts(same[0].changes[0]):
                    first = self.answered_with(moment, same[0])
                    self._second(first, over - same[0].steps, most - same[0].steps)

    def _needed(self, changed: Moment, usual: object, most: int) -> Iterator[Alternative]:
        """The other answers that have to be tried beside the change that a play has already."""
        (change,) = changed.changes
        found = self.others(changed, usual, 1, most)
        return (each for each in found if self.is_needed(change, each.changes[0]))

    def _second(self, changed: Moment, over: int, most: int) -> None:
        """Tries every other answer that may follow a first one."""
        first, (change,) = Flip(changed.changes).steps, changed.changes
        for moment, usual in self.moments(changed):
            if self.counts(change):
                key = self._key(moment)
                if self.seen.get(key, first + 1) <= first:
                    return
                self.seen[key] = first
            for same in self.alike(moment, usual, self._needed(moment, usual, most)):
                if same[0].steps > over:
                    self._judge_alike(moment, same)

    def _key(self, moment: Moment) -> Hashable:
        return moment.run.key(), moment.following.memory, moment.heard


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def search(course: Course, goal: Goal, starts: Sequence[OtherStart], most: int) -> Searched:
    """Looks for the smallest change by which a play comes to a goal; gives up after so many plays.

    First come all single changes, then all of two, the nearest first; `starts` are other values of the start.
    """
    relevant = goal.relevant(course.begun.procedure.name) if course.until is None else None
    looking = _Search(course, goal, Starts(course.begun.situation, starts), most, relevant)

    def searched(changes: int, steps: int | None) -> Searched:
        flips = tuple(sorted(looking.found.values(), key=lambda each: each.order))
        return Searched(flips, changes, steps, looking.plays, looking.unanswered, looking.is_cut)

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
    except EnoughError:
        return searched(done, within)
    return searched(MOST_CHANGES, None)
