"""Every moment that a play may come to: forked at chance and where several answers are given, equal futures once."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.odds.markov_chain import Transitions, find_strong_components
from rulewright.runtime import faults
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Answerer as AtOnce, Paused, Run
from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class AnswerBranch:
    """One of the answers that are given at a moment."""

    probability: Fraction  # how likely it is given
    answer: Value  # it
    memory: Hashable  # what its giver remembers from then on


@dataclass(frozen=True, slots=True)
class AnswerFork:
    """The answers that are given at a moment."""

    branches: Sequence[AnswerBranch]  # them
    # number of the player who takes the best of them; none where each is as likely as it says
    chooser: int | None = None


class StateAnswerer(Protocol):
    """Who answers."""

    @property
    def initial_memory(self) -> Hashable:
        """What is remembered at the beginning."""

    @property
    def allows_merging(self) -> bool:
        """Whether nobody plays for the best, and nothing of the way to an end makes a difference."""

    @property
    def is_symmetric_in_dice(self) -> bool:
        """Whether dice that look alike are the same for all who choose some of them."""

    @property
    def counting_by_step(self) -> "StateAnswerer":
        """The same, remembering of what is counted on the way the last step alone, which `counting` adds up."""

    def is_chance_roll(self, run: Run, memory: Hashable) -> bool:
        """Whether a run stands at a roll that falls as chance has it."""

    def make_immediate_answerer(self, memory: Hashable) -> AtOnce | None:
        """Gives the answers to requests that are answered in one way only, after which the same is remembered."""

    def update_memory(self, run: Run, memory: Hashable) -> Hashable:
        """What is remembered of what happened since the last request of a run."""

    def extract_counts(self, memory: Hashable) -> Hashable:
        """What of it makes a difference at the end."""

    def enumerate_answers(self, run: Run, memory: Hashable) -> AnswerFork:
        """The answers to the request at which a run stands.

        Raises:
            UndecidedError: nobody says what is answered here.
        """


class UndecidedError(Exception):
    """Nobody answers a request, or what a script says to it does not fit."""

    def __init__(self, paused: Paused, wrong: tuple[Diagnostic, ...] = (), *, is_too_much: bool = False) -> None:
        super().__init__()
        self.paused = paused  # the request
        self.findings = wrong  # what is wrong with the answer of a script
        self.has_too_many_answers = is_too_much  # whether there are legal answers, but more than are told apart


@dataclass(frozen=True, slots=True)
class PlayerDecision:
    """A moment at which a player takes the best of several answers."""

    player: int  # their number
    answers: tuple[Value, ...]  # the legal ones, in order
    successors: tuple[int, ...]  # the moment that each leads to


PlayEnd = Ended | Refused | Faulted
"""How a play is over."""


@dataclass(frozen=True, slots=True)
class ExploredStates:
    """The moments of a play by number, the first the beginning."""

    transitions: tuple[Transitions, ...]  # where each leads; not said of choices
    decisions: Mapping[int, PlayerDecision]  # by the number of the moment
    # how plays are over, by the number of the moment; one that leads nowhere and is none is beyond the limit
    ends: Mapping[int, PlayEnd]
    # by the number of a moment what is remembered of the way there that makes a difference
    event_counts: Mapping[int, Any]


def end_key(over: PlayEnd, told: Hashable) -> Hashable:
    """What tells the end of a play from others; `told` is what is remembered of the way there."""
    match over:
        case Ended(result=result):
            return "end", result, over.state, told
        case Faulted():
            return "fault", over.code, over.address, over.message
        case Refused(reasons=reasons):
            return "refused", repr(reasons)


class ExplorationProgress(NamedTuple):
    """How far plays were followed."""

    state_count: int  # how many different moments were met
    explored_share: float | None  # the share of plays that came to an end, at least; none where players choose
    is_merging: bool = False  # whether plays that differ in numbers alone are followed as one
    step_count: int = 0  # how much was done for it: so many answers, and so many lines as take as long


ProgressCallback = Callable[[ExplorationProgress], None]
"""Told again and again how far plays were followed; it may raise something to have no more of it."""


class ExplorationObserver(Protocol):
    """Who tells moments apart, and hears of each step from one to the next."""

    def state_key(self, run: Run) -> Hashable:
        """What decides the future of a run."""

    def start_step(self, run: Run) -> None:
        """The steps that follow begin where a run stands."""

    def record_step(self, run: Run, number: int, to: int) -> None:
        """A step has led to a run: from one moment to another, by their numbers."""


class _DefaultObserver:
    """Tells moments apart by `Run.future_key`."""

    def state_key(self, run: Run) -> Hashable:
        return run.future_key()  # type: ignore[no-any-return]

    def start_step(self, run: Run) -> None:
        """Nothing hangs on it."""

    def record_step(self, run: Run, number: int, to: int) -> None:
        """Nothing hangs on it."""


_DEFAULT_OBSERVER = _DefaultObserver()
LINES_PER_STEP = 50
"""So many lines take as long as an answer by itself."""
STEPS_PER_REPORT = 128
"""After so many steps from one moment it is told how far plays were followed."""
_GROWTH_FACTOR = 4
"""So many times as many moments are met before plays are looked at again."""


class _BreadthFirstExplorer:
    """Goes on from moments in the order in which they were met, so that what is left open at a limit is far away."""

    def __init__(
        self, answering: StateAnswerer, most: int, heed: ProgressCallback, noting: ExplorationObserver
    ) -> None:
        self._answerer = answering
        self._max_states = most
        self._on_progress = heed
        self._observer = noting
        self._state_numbers: dict[Hashable, int] = {}
        self._transitions: list[Transitions] = []
        self._decisions: dict[int, PlayerDecision] = {}
        self._waiting: deque[tuple[int, Run, Hashable]] = deque()
        self._ends: dict[int, PlayEnd] = {}
        self._event_counts: dict[int, Hashable] = {}
        self._shares: dict[int, float] = {0: 1.0}
        self._explored_share = 0.0
        self._step_count = 0

    def explore_in_batches(self, start: Run, first: int) -> Iterator[ExploredStates]:
        self._number_state(start, self._answerer.initial_memory)
        enough = min(first, self._max_states)
        while True:
            while self._waiting and len(self._transitions) <= enough:
                self._expand_state(*self._waiting.popleft())
                self._on_progress(self._measure_progress())
            yield ExploredStates(tuple(self._transitions), self._decisions, self._ends, self._event_counts)
            if not self._waiting or enough == self._max_states:
                return
            enough = min(_GROWTH_FACTOR * enough, self._max_states)

    def _measure_progress(self) -> ExplorationProgress:
        """How far it is."""
        return ExplorationProgress(
            len(self._transitions),
            None if self._decisions else min(self._explored_share, 1.0),
            step_count=self._step_count,
        )

    def _number_state(self, run: Run, memory: Hashable) -> int:
        """The number of a moment; one that is new waits to be gone on from."""
        outcome, memory = run.outcome, self._answerer.update_memory(run, memory)
        told = self._answerer.extract_counts(memory)
        key: Hashable
        match outcome:
            case Paused():
                key = (self._observer.state_key(run), memory)
            case over:
                key = end_key(over, told)
        number = self._state_numbers.get(key)
        if number is None:
            number = self._state_numbers[key] = len(self._transitions)
            self._transitions.append(())
            self._event_counts[number] = told
            if isinstance(outcome, Paused):
                self._waiting.append((number, run, memory))
            else:
                self._ends[number] = outcome
        return number

    def _expand_state(self, number: int, run: Run, memory: Hashable) -> None:
        fork = self._answerer.enumerate_answers(run, memory)
        leads: list[int] = []
        lines = run.work
        self._observer.start_step(run)
        for place, branch in enumerate(fork.branches, 1):
            after = run if place == len(fork.branches) else run.fork()
            after.reply(branch.answer)
            self._step_count += 1 + (after.work - lines) // LINES_PER_STEP
            leads.append(self._number_state(after, branch.memory))
            self._observer.record_step(after, number, leads[-1])
            if not place % STEPS_PER_REPORT:
                self._on_progress(self._measure_progress())
        if fork.chooser is not None:
            answers = tuple(item.answer for item in fork.branches)
            self._decisions[number] = PlayerDecision(fork.chooser, answers, tuple(leads))
            return
        mapping: dict[int, Fraction] = {}
        for answer_branch, to in zip(fork.branches, leads, strict=True):
            mapping[to] = mapping.get(to, Fraction(0)) + answer_branch.probability
        self._transitions[number] = tuple((likely, to) for to, likely in mapping.items())
        share = self._shares.pop(number, 0.0)
        for likely, to in self._transitions[number] if share else ():
            if to in self._ends:
                self._explored_share += share * float(likely)
            else:
                self._shares[to] = self._shares.get(to, 0.0) + share * float(likely)


def explore_states(
    start: Run,
    answering: StateAnswerer,
    most: int,
    heed: ProgressCallback = lambda _: None,
    noting: ExplorationObserver = _DEFAULT_OBSERVER,
) -> ExploredStates:
    """All that a play may come to.

    Args:
        start: a run at its first request, or over; it is gone on with.
        answering: who answers.
        most: after so many moments no more are gone on from.
        heed: told how far it is.
        noting: who tells moments apart; without it `Run.future_key` does.

    Raises:
        UndecidedError: nobody answers something.
        TooManyOutcomesError: one roll or draw has more outcomes than are told one by one.
    """
    return next(explore_incrementally(start, answering, most, most, heed, noting))


def explore_incrementally(  # noqa: PLR0913, PLR0917
    start: Run,
    answering: StateAnswerer,
    first: int,
    most: int,
    heed: ProgressCallback = lambda _: None,
    noting: ExplorationObserver = _DEFAULT_OBSERVER,
) -> Iterator[ExploredStates]:
    """As `explore`, more and more of it: once so many moments as `first` says were met, and at last all or the most.

    What was given before holds no longer once more is asked for.
    """
    if answering.is_symmetric_in_dice:
        start.executable = start.executable.with_like_dice_equated
    return _BreadthFirstExplorer(answering, most, heed, noting).explore_in_batches(start, first)


NEGLIGIBLE_SHARE = Fraction(1, 10**12)
"""A share of plays that is left out."""
_MAX_TRANSITION_STEPS = 20_000_000
"""How many ways are gone to find how fast loops are left."""
_ROUNDING_SLACK = 1 + 1e-9
"""More than what floating-point numbers lose."""
_LOOP_BOUND_CODES = {faults.JUMPED_TOO_OFTEN, faults.LOOP_TOO_LONG}


class LoopExploration(NamedTuple):
    """All that a play may come to."""

    explored: ExploredStates  # it
    error_share: Fraction  # the share of plays, at most, that is told wrongly
    round_observer: "LoopRoundObserver | None" = (
        None  # what was counted of loops whose bounds were left out, where any were
    )

    def tighten_error_share(self, share: Fraction) -> Fraction:
        """The same share of plays, where it may be no more than so much: 1 where it may be more."""
        return (
            self.error_share
            if self.round_observer is None
            else self.round_observer.estimate_share_at_bound(self.explored, self.explored.transitions, share=share)
        )


def explore_without_loop_bounds(
    start: Run, answering: StateAnswerer, most: int, heed: ProgressCallback = lambda _: None
) -> LoopExploration:
    """All that a play may come to, as `explore`, and the share of plays, at most, that is told wrongly.

    The bound of a loop that promises to end after `MIN_PROMISED_ROUNDS` or more is left out where no more than `NEGLIGIBLE_SHARE`
    of all plays can reach it; elsewhere each round is a moment of its own.
    """
    if not (isinstance(start.outcome, Paused) and start.has_many_round_loops):
        return LoopExploration(explore_states(start, answering, most, heed), Fraction(0))
    rounds = LoopRoundObserver()
    explored_states = explore_states(start.fork(), answering, most, heed, rounds)
    beyond = rounds.estimate_share_at_bound(explored_states, explored_states.transitions)
    if beyond <= NEGLIGIBLE_SHARE:
        return LoopExploration(explored_states, beyond, rounds)
    return LoopExploration(explore_states(start, answering, most, heed), Fraction(0))


class LoopRoundObserver:
    """Tells moments apart without the rounds of loops, and counts these."""

    def __init__(self) -> None:
        self.lowest_bound: int | None = (
            None  # the lowest bound of a loop that was left out; none where none was under way
        )
        self.round_transitions: set[tuple[int, int]] = (
            set()
        )  # the steps in which a loop made a round, from moment to moment
        self.max_rounds_per_step = self.max_lines_per_step = 1  # the most lines that were run in one step
        self._rounds_before: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._work_before = 0

    def state_key(self, run: Run) -> Hashable:
        """As `ExplorationObserver.state_key`."""
        return run.endless_future_key()  # type: ignore[no-any-return]

    def start_step(self, run: Run) -> None:
        """As `ExplorationObserver.start_step`."""
        self._rounds_before, self._work_before = run.open_loop_rounds(), run.work

    def record_step(self, run: Run, number: int, to: int) -> None:
        """As `ExplorationObserver.record_step`."""
        self.max_lines_per_step = max(self.max_lines_per_step, run.work - self._work_before)
        for loop, (made, bound) in run.open_loop_rounds().items():
            self.lowest_bound = bound if self.lowest_bound is None else min(self.lowest_bound, bound)
            more = made - self._rounds_before.get(loop, (0, bound))[0]
            if more > 0:
                self.round_transitions.add((number, to))
                self.max_rounds_per_step = max(self.max_rounds_per_step, more)

    def estimate_share_at_bound(
        self, found: ExploredStates, ways: Sequence[Transitions], start: int = 0, share: Fraction = NEGLIGIBLE_SHARE
    ) -> Fraction:
        """The share of plays, at most, in which a loop reaches its bound, where moments lead on in some ways.

        It is 0, `share` or 1.

        A step shows no more rounds of a loop than it runs lines, even where the loop ends and begins again in it. So a
        play that reaches a bound has shown half of it before, unless one step runs as many lines.
        """
        if self.lowest_bound is None:
            return Fraction(0)
        half = self.lowest_bound // 2
        if self.max_lines_per_step > half or any(is_loop_bound_end(end) for end in found.ends.values()):
            return Fraction(1)
        return _bound_round_probability(
            ways, set(self.round_transitions), half // self.max_rounds_per_step, start, share
        )


def is_loop_bound_end(over: PlayEnd) -> bool:
    """Whether a play is over because a loop goes on at its bound."""
    return isinstance(over, Faulted) and over.code in _LOOP_BOUND_CODES


def _bound_round_probability(
    ways: Sequence[Transitions], counted: set[tuple[int, int]], needed: int, start: int, share: Fraction
) -> Fraction:
    """How likely a play is, at most, to go so many of the counted ways: 0, `share` or 1.

    Ways that lead round without a counted one are counted too, which makes it likelier.
    """
    plain: list[Transitions] = [
        [(likely, to) for likely, to in way if (moment, to) not in counted] for moment, way in enumerate(ways)
    ]
    plain.append([(Fraction(1), each) for each in range(len(ways))])
    order: list[int] = []
    for moments in find_strong_components(plain, len(ways)):
        order += moments
        counted |= {(moment, to) for moment in moments for _, to in plain[moment] if to in moments}
    steps = [
        (moment, [(float(p) * _ROUNDING_SLACK, to, (moment, to) in counted) for p, to in ways[moment]])
        for moment in reversed(order)
        if moment < len(ways)
    ]
    here = {start: 1.0}
    for _ in range(min(needed, _MAX_TRANSITION_STEPS // sum(len(way) for way in ways))):
        onward: defaultdict[int, float] = defaultdict(float)
        for moment, item in steps:
            likely = here.get(moment, 0.0)
            for p, to, is_counted in item if likely else ():
                if is_counted:
                    onward[to] += likely * p
                else:
                    here[to] = here.get(to, 0.0) + likely * p
        if sum(onward.values()) <= share:
            return share if onward else Fraction(0)
        here = onward
    return Fraction(1)
