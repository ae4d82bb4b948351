"""Every moment that a play may come to: forked at chance and where several answers are given, equal futures once."""

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Answering as AtOnce, Paused, Run
from rulewright.machine.values import Value
from rulewright.odds.chain import Ways


@dataclass(frozen=True, slots=True)
class Way:
    """One of the answers that are given at a moment."""

    likely: Fraction  # how likely it is given
    answer: Value  # it
    memory: Hashable  # what its giver remembers from then on


@dataclass(frozen=True, slots=True)
class Fork:
    """The answers that are given at a moment."""

    ways: Sequence[Way]  # them
    # number of the player who takes the best of them; none where each is as likely as it says
    chooser: int | None = None


class Answering(Protocol):
    """Who answers."""

    @property
    def memory(self) -> Hashable:
        """What is remembered at the beginning."""

    @property
    def forgets(self) -> bool:
        """Whether nobody plays for the best, and nothing of the way to an end makes a difference."""

    @property
    def is_even(self) -> bool:
        """Whether dice that look alike are the same for all who choose some of them."""

    @property
    def each_step(self) -> "Answering":
        """The same, remembering of what is counted on the way the last step alone, which `counting` adds up."""

    def throws(self, run: Run, memory: Hashable) -> bool:
        """Whether a run stands at a roll that falls as chance has it."""

    def at_once(self, memory: Hashable) -> AtOnce | None:
        """Gives the answers to requests that are answered in one way only, after which the same is remembered."""

    def noted(self, run: Run, memory: Hashable) -> Hashable:
        """What is remembered of what happened since the last request of a run."""

    def told(self, memory: Hashable) -> Hashable:
        """What of it makes a difference at the end."""

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """The answers to the request at which a run stands.

        Raises:
            UndecidedError: nobody says what is answered here.
        """


class UndecidedError(Exception):
    """Nobody answers a request, or what a script says to it does not fit."""

    def __init__(self, paused: Paused, wrong: tuple[Diagnostic, ...] = (), *, is_too_much: bool = False) -> None:
        super().__init__()
        self.paused = paused  # the request
        self.wrong = wrong  # what is wrong with the answer of a script
        self.is_too_much = is_too_much  # whether there are legal answers, but more than are told apart


@dataclass(frozen=True, slots=True)
class Choice:
    """A moment at which a player takes the best of several answers."""

    player: int  # their number
    answers: tuple[Value, ...]  # the legal ones, in order
    leads: tuple[int, ...]  # the moment that each leads to


Over = Ended | Refused | Faulted
"""How a play is over."""


@dataclass(frozen=True, slots=True)
class Explored:
    """The moments of a play by number, the first the beginning."""

    ways: tuple[Ways, ...]  # where each leads; not said of choices
    choices: Mapping[int, Choice]  # by the number of the moment
    # how plays are over, by the number of the moment; one that leads nowhere and is none is beyond the limit
    ends: Mapping[int, Over]
    # by the number of a moment what is remembered of the way there that makes a difference
    told: Mapping[int, Any]


def end_key(over: Over, told: Hashable) -> Hashable:
    """What tells the end of a play from others; `told` is what is remembered of the way there."""
    match over:
        case Ended(result=result):
            return "end", result, over.state, told
        case Faulted():
            return "fault", over.code, over.address, over.message
        case Refused(reasons=reasons):
            return "refused", repr(reasons)


class Met(NamedTuple):
    """How far plays were followed."""

    moments: int  # how many different moments were met
    followed: float | None  # the share of plays that came to an end, at least; none where players choose
    together: bool = False  # whether plays that differ in numbers alone are followed as one
    steps: int = 0  # how much was done for it: so many answers, and so many lines as take as long


Heed = Callable[[Met], None]
"""Told again and again how far plays were followed; it may raise something to have no more of it."""


class Noting(Protocol):
    """Who tells moments apart, and hears of each step from one to the next."""

    def key(self, run: Run) -> Hashable:
        """What decides the future of a run."""

    def begun(self, run: Run) -> None:
        """The steps that follow begin where a run stands."""

    def came(self, run: Run, number: int, to: int) -> None:
        """A step has led to a run: from one moment to another, by their numbers."""


class _Keys:
    """Tells moments apart by `Run.key`."""

    def key(self, run: Run) -> Hashable:
        return run.key()  # type: ignore[no-any-return]

    def begun(self, run: Run) -> None:
        """Nothing hangs on it."""

    def came(self, run: Run, number: int, to: int) -> None:
        """Nothing hangs on it."""


_KEYS = _Keys()
LINES = 50
"""So many lines take as long as an answer by itself."""
STEPS = 128
"""After so many steps from one moment it is told how far plays were followed."""
_MORE = 4
"""So many times as many moments are met before plays are looked at again."""


class _Explorer:
    """Goes on from moments in the order in which they were met, so that what is left open at a limit is far away."""

    def __init__(self, answering: Answering, most: int, heed: Heed, noting: Noting) -> None:
        self._answering = answering
        self._most = most
        self._heed = heed
        self._noting = noting
        self._numbers: dict[Hashable, int] = {}
        self._ways: list[Ways] = []
        self._choices: dict[int, Choice] = {}
        self._waiting: deque[tuple[int, Run, Hashable]] = deque()
        self._ends: dict[int, Over] = {}
        self._told: dict[int, Hashable] = {}
        self._shares: dict[int, float] = {0: 1.0}
        self._followed = 0.0
        self._steps = 0

    def explore(self, start: Run, first: int) -> Iterator[Explored]:
        self._number(start, self._answering.memory)
        enough = min(first, self._most)
        while True:
            while self._waiting and len(self._ways) <= enough:
                self._go_on(*self._waiting.popleft())
                self._heed(self._far())
            yield Explored(tuple(self._ways), self._choices, self._ends, self._told)
            if not self._waiting or enough == self._most:
                return
            enough = min(_MORE * enough, self._most)

    def _far(self) -> Met:
        """How far it is."""
        return Met(len(self._ways), None if self._choices else min(self._followed, 1.0), steps=self._steps)

    def _number(self, run: Run, memory: Hashable) -> int:
        """The number of a moment; one that is new waits to be gone on from."""
        outcome, memory = run.outcome, self._answering.noted(run, memory)
        told = self._answering.told(memory)
        key: Hashable
        match outcome:
            case Paused():
                key = (self._noting.key(run), memory)
            case over:
                key = end_key(over, told)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._ways)
            self._ways.append(())
            self._told[number] = told
            if isinstance(outcome, Paused):
                self._waiting.append((number, run, memory))
            else:
                self._ends[number] = outcome
        return number

    def _go_on(self, number: int, run: Run, memory: Hashable) -> None:
        fork = self._answering.fork(run, memory)
        leads: list[int] = []
        lines = run.work
        self._noting.begun(run)
        for place, each in enumerate(fork.ways, 1):
            after = run if place == len(fork.ways) else run.fork()
            after.reply(each.answer)
            self._steps += 1 + (after.work - lines) // LINES
            leads.append(self._number(after, each.memory))
            self._noting.came(after, number, leads[-1])
            if not place % STEPS:
                self._heed(self._far())
        if fork.chooser is not None:
            answers = tuple(each.answer for each in fork.ways)
            self._choices[number] = Choice(fork.chooser, answers, tuple(leads))
            return
        found: dict[int, Fraction] = {}
        for each, to in zip(fork.ways, leads, strict=True):
            found[to] = found.get(to, Fraction(0)) + each.likely
        self._ways[number] = tuple((likely, to) for to, likely in found.items())
        share = self._shares.pop(number, 0.0)
        for likely, to in self._ways[number] if share else ():
            if to in self._ends:
                self._followed += share * float(likely)
            else:
                self._shares[to] = self._shares.get(to, 0.0) + share * float(likely)


def explore(
    start: Run,
    answering: Answering,
    most: int,
    heed: Heed = lambda _: None,
    noting: Noting = _KEYS,
) -> Explored:
    """All that a play may come to.

    Args:
        start: a run at its first request, or over; it is gone on with.
        answering: who answers.
        most: after so many moments no more are gone on from.
        heed: told how far it is.
        noting: who tells moments apart; without it `Run.key` does.

    Raises:
        UndecidedError: nobody answers something.
        TooManyOutcomesError: one roll or draw has more outcomes than are told one by one.
    """
    return next(explored(start, answering, most, most, heed, noting))


def explored(  # noqa: PLR0913, PLR0917
    start: Run,
    answering: Answering,
    first: int,
    most: int,
    heed: Heed = lambda _: None,
    noting: Noting = _KEYS,
) -> Iterator[Explored]:
    """As `explore`, more and more of it: once so many moments as `first` says were met, and at last all or the most.

    What was given before holds no longer once more is asked for.
    """
    if answering.is_even:
        start.executable = start.executable.evened
    return _Explorer(answering, most, heed, noting).explore(start, first)
