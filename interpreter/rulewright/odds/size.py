"""About how many moments a play may come to, and what makes them many: as a few plays show it at the start."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import inf, log2
from random import Random
from typing import Any, NamedTuple

from rulewright.drivers.chance import Chance
from rulewright.drivers.sources import fallen
from rulewright.frozen import dataclass
from rulewright.machine.outcomes import MOST_OUTCOMES, TooManyOutcomesError, chances, ends
from rulewright.machine.run import Paused, Run
from rulewright.odds.exploration import Answering, Way, end_key

MOST_MOMENTS = 200_000
"""So many different moments of play are gone on from, wherever nobody says otherwise."""
LOOKED = 2_500
"""So many moments are looked at, each as often as plays come to it."""
_WAYS = 40
"""So many ways are listed at most for each moment that is looked at, but for those of the first."""
LISTED = 1_000
"""So many ways of a roll are listed at most; of one with more, a few fall by chance."""
_LONGEST = 500
"""So many requests of one play are answered at most."""
_TRIES = 4
"""So many ways of a moment are tried to find one with which the play goes on."""
_LEANS = 8.0
"""A play leans to the first or the last ways of a line: so many times as often at most."""
_TWICE = 3
"""So many moments have to be met again, among those after equally many requests, for an estimate to be of use."""
_TOLD = 3
_OFTEN = 1.5
_LITTLE = 0.05
"""What adds less than this share to the size of plays is not told."""


@dataclass(frozen=True, slots=True)
class Parting:
    """A line at which plays part."""

    address: str  # of the line
    sort: str  # what it asks for, as `Request.sort`
    ways: int  # in how many ways it was gone on from, at most
    is_often: bool  # whether a play comes there again and again


@dataclass(frozen=True, slots=True)
class Size:
    """How large a question is, as a few plays show it that take every way as soon as any other."""

    plays: int  # how many were looked at
    seen: int  # how many different moments they came to; there are no fewer
    about: int  # how many there are, estimated; on average the estimate is too low, hardly ever too high
    # how many come before any at which a play that was looked at is over, estimated alike from request to request
    before: int
    partings: tuple[Parting, ...]  # what makes them many, the most first
    # whether enough moments were met twice for `about` to be an estimate; else it is only far too low
    is_estimated: bool = True


def size_of(start: Run, answering: Answering, most: int = LOOKED) -> Size:
    """How large a question is; the same each time.

    Looked at are plays that go on at random, rather than end at once where they can go on, until `most` moments were
    met. From how many moments one play alone came to, and how many two, follows how many none did (Chao 1987); moments
    that hardly any play comes to make the estimate too low.

    Args:
        start: a run at its first request; it stays there.
        answering: who answers.
        most: so many moments are looked at.

    Raises:
        UndecidedError: nobody answers something that a play comes to.
        UnseenError: best play would look at what its player cannot see.
        TooManyOutcomesError: a play comes to a roll or draw that has more outcomes than are told one by one.
    """
    looking = _Looking(start, answering, most)
    met, first = looking.met()
    if looking.counts_rounds:
        looking = _Looking(start, answering, most, counts_rounds=True)
        met, first = looking.met()
    depths: dict[int, list[int]] = {}
    for key, depth in first.items():
        depths.setdefault(depth, []).append(met[key])
    each = {depth: _estimated(times, looking.plays) for depth, times in depths.items()}
    before = sum(many for depth, many in each.items() if depth < looking.soonest)
    about = max(_estimated([*met.values()], looking.plays), sum(each.values()))
    rare = [depth for depth, met_ in depths.items() if sum(times > 1 for times in met_) < _TWICE]
    guessed = sum(each[depth] - len(depths[depth]) for depth in rare)
    is_estimated = 2 * guessed <= sum(each.values())
    return Size(looking.plays, len(met), about, before, looking.partings(), is_estimated)


def _estimated(times: Sequence[int], plays: int) -> int:
    """How many moments there are of those that so many of the plays came to (Chao 1987)."""
    once, twice = (times.count(each) for each in (1, 2))
    return len(times) + once * (once - 1) // (2 * (twice + 1)) * (plays - 1) // plays


class _At(NamedTuple):
    address: str
    sort: str


class _Ways(NamedTuple):
    """The ways in which plays go on from a moment."""

    many: int  # how many there are
    listed: Sequence[Way]  # them; empty where they are so many that some fall by chance


class _Looking:
    """Goes through plays at random and counts the ways that part them."""

    def __init__(self, start: Run, answering: Answering, most: int, *, counts_rounds: bool = False) -> None:
        self.left = most  # so many moments may still be looked at
        self.plays = 0  # how many plays were begun
        self.counts_rounds = counts_rounds  # whether a play came so near to the bound of a loop that its rounds count
        self.soonest = inf  # after so many requests a play was over; infinite where none was
        self._start = start
        self._answering = answering
        self._draw = Random(0)  # noqa: S311 - no secret hangs on it
        self._room = _WAYS * max(most, LOOKED)
        # The ways of the first moment, and of those that roll: faces mean the same wherever futures are equal.
        self._known: dict[Hashable, _Ways] = {}
        self._chance = Chance(0)
        self._most: dict[_At, int] = {}
        self._times: dict[_At, int] = {}
        self._bits: dict[_At, float] = {}
        self._leans: dict[str, float] = {}

    def met(self) -> tuple[Counter[Hashable], dict[Hashable, int]]:
        """How many plays came to each moment, and after how many requests the soonest."""
        met, first, counts_rounds = Counter[Hashable](), dict[Hashable, int](), self.counts_rounds
        while self.left > 0 and self.counts_rounds is counts_rounds:
            keys = [*self.keys()]
            met.update({*keys})
            for depth, key in enumerate(keys):
                first[key] = min(depth, first.get(key, depth))
        return met, first

    def keys(self) -> Iterator[Hashable]:
        """What tells the moments of one play apart, as `explore` has it with the fewest."""
        run, memory = self._start.fork(), self._answering.noted(self._start, self._answering.memory)
        self.plays += 1
        self._leans = {}
        for number in range(_LONGEST):
            is_endless = not self.counts_rounds and run.promises_rounds
            self.counts_rounds |= is_endless and any(2 * made > bound for made, bound in run.rounds().values())
            key = (run.endless_key() if is_endless else run.key()), memory
            yield key
            self.left -= 1
            ways = self._known.get(key)
            if ways is None:
                ways = self._ways(run, memory)
                self._room -= len(ways.listed) if number else 0
                if not number or run.question().sort == "roll":
                    self._known[key] = ways
            self._count(run, ways.many)
            for answer, then in self._some(run, memory, ways):
                after = run.fork()
                after.reply(answer)
                come = self._answering.noted(after, then)
                if isinstance(after.outcome, Paused):
                    break
                self.soonest = min(self.soonest, number + 1)
                yield end_key(after.outcome, self._answering.told(come))
            else:
                return
            if self.left <= 0 or self._room <= 0:
                self.left = 0
                return
            run, memory = after, come

    def _ways(self, run: Run, memory: Hashable) -> "_Ways":
        """The ways of a moment; those of a roll that has many are counted, not listed."""
        question = run.question()
        rolled = self._answering.throws(run, memory) and question.outcomes > LISTED
        if rolled and (len(question.dice) == 1 or question.outcomes <= MOST_OUTCOMES):
            ends(run.executable, run.world)
            try:
                chances(run.executable, run.world, LISTED)
            except TooManyOutcomesError as many:
                if many.count > MOST_OUTCOMES:
                    raise
                return _Ways(many.count if len(question.dice) == 1 else question.outcomes, ())
        listed = self._answering.fork(run, memory).ways
        return _Ways(len(listed), listed)

    def _some(self, run: Run, memory: Hashable, ways: "_Ways") -> Iterator[tuple[Any, Hashable]]:
        """A few of the ways of a moment, each an answer with what is remembered after it."""
        lean = self._leans.setdefault(
            run.question().address, _LEANS ** self._draw.uniform(-1, 1) if self.plays % 2 else 1
        )
        for _ in range(_TRIES if ways.listed else 0):
            way = ways.listed[int(len(ways.listed) * self._draw.random() ** lean)]
            yield way.answer, way.memory
        for number in () if ways.listed else range(_TRIES):
            yield fallen(run.question(), _TRIES * self.left + number, self._chance), memory

    def _count(self, run: Run, ways: int) -> None:
        question = run.question()
        at = _At(question.address, question.sort)
        self._most[at] = max(self._most.get(at, 0), ways)
        self._times[at] = self._times.get(at, 0) + 1
        self._bits[at] = self._bits.get(at, 0.0) + log2(max(ways, 1))

    def partings(self) -> tuple[Parting, ...]:
        """The lines that make plays many, the most first."""
        whole = sum(self._bits.values())
        much = [at for at, bits in self._bits.items() if bits > _LITTLE * whole]
        ranked = sorted(much, key=lambda at: -self._bits[at])
        return tuple(Parting(*at, self._most[at], self._times[at] > _OFTEN * self.plays) for at in ranked[:_TOLD])
