"""Breadth-first exploration of the reachable states of a play, deduplicated by what decides their future.

Arrivals at one point of the rules whose leaves differ are merged: the leaves get a joint distribution.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm, prod
from typing import Any, NamedTuple

from rulewright.base.frozen import dataclass
from rulewright.odds.answerers import AnswererMemory, PlayAnswerer
from rulewright.odds.markov_chain import Transitions, find_strong_components
from rulewright.runtime import faults
from rulewright.runtime.random_values import (
    MAX_JOINT_OUTCOMES,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    joint_weights,
)
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class PlayerDecision:
    """A state at which a player takes the best of several answers."""

    player: int  # number
    answers: tuple[Value, ...]  # legal ones, in order
    successors: tuple[int, ...]  # state after each answer


PlayEnd = Ended | Refused | Faulted
"""Outcome of a play that is over."""


@dataclass(frozen=True, slots=True)
class ExploredStates:
    """Reachable states of a play by number, 0 the start."""

    transitions: tuple[Transitions, ...]  # by state; empty for decisions, ends, and states beyond the limit
    decisions: Mapping[int, PlayerDecision]  # by state
    # by state; one without transitions that is neither here nor a decision is beyond the limit
    ends: Mapping[int, PlayEnd]
    event_counts: Mapping[int, Any]  # by state, of what is counted on the way


def end_key(over: PlayEnd, event_counts: Hashable) -> Hashable:
    """Key of the end of a play; `event_counts` are the counts of events on the way there."""
    match over:
        case Ended(result=result):
            return "end", result, over.state, event_counts
        case Faulted():
            return "fault", over.code, over.address, over.message
        case Refused(reasons=reasons):
            return "refused", repr(reasons)


class ExplorationProgress(NamedTuple):
    """Amount of exploration so far."""

    state_count: int
    explored_share: float | None  # share of plays that have ended, at least; None where players choose
    is_merging: bool = False  # whether states that differ in values alone are explored as one
    step_count: int = 0  # work: answers, and lines in units of `LINES_PER_STEP`


ProgressCallback = Callable[[ExplorationProgress], None]
"""Receives the progress again and again; an exception that it raises ends the exploration."""


class ExplorationObserver:
    """Source of state keys, notified of each transition; by default of whole keys, and nothing is recorded."""

    def state_key(self, run: Run) -> Hashable:
        """Key of all that decides the future of a run."""
        return run.future_key()  # type: ignore[no-any-return]

    def start_step(self, run: Run) -> None: ...

    def record_step(self, run: Run, number: int, successor: int) -> None:
        """Called after each transition from state `number` to its successor, with the run there."""


_DEFAULT_OBSERVER = ExplorationObserver()
LINES_PER_STEP = 50
"""Lines of rules that take as long as one answer."""
STEPS_PER_REPORT = 128
"""Steps from one state between two reports of progress."""
_GROWTH_FACTOR = 4
"""Growth of the state limit between two batches; chosen."""


class _BreadthFirstExplorer:
    """First in, first out, so that states beyond the limit are far from the start."""

    def __init__(
        self, answerer: PlayAnswerer, max_states: int, on_progress: ProgressCallback, observer: ExplorationObserver
    ) -> None:
        self._answerer = answerer
        self._max_states = max_states
        self._on_progress = on_progress
        self._observer = observer
        self._state_numbers: dict[Hashable, int] = {}
        self._transitions: list[Transitions] = []
        self._decisions: dict[int, PlayerDecision] = {}
        self._waiting: deque[tuple[int, Run, AnswererMemory]] = deque()
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
        return ExplorationProgress(
            len(self._transitions),
            None if self._decisions else min(self._explored_share, 1.0),
            step_count=self._step_count,
        )

    def _number_state(self, run: Run, memory: AnswererMemory) -> int:
        outcome, memory = run.outcome, self._answerer.update_memory(run, memory)
        event_counts = memory.event_counts
        key: Hashable
        match outcome:
            case Paused():
                key = (self._observer.state_key(run), memory)
            case over:
                key = end_key(over, event_counts)
        number = self._state_numbers.get(key)
        if number is None:
            number = self._state_numbers[key] = len(self._transitions)
            self._transitions.append(())
            self._event_counts[number] = event_counts
            if isinstance(outcome, Paused):
                self._waiting.append((number, run, memory))
            else:
                self._ends[number] = outcome
        return number

    def _expand_state(self, number: int, run: Run, memory: AnswererMemory) -> None:
        fork = self._answerer.enumerate_answers(run, memory)
        successors: list[int] = []
        lines = run.work
        self._observer.start_step(run)
        for place, branch in enumerate(fork.branches, 1):
            after = run if place == len(fork.branches) else run.fork()
            after.reply(branch.answer)
            self._step_count += 1 + (after.work - lines) // LINES_PER_STEP
            successors.append(self._number_state(after, branch.memory))
            self._observer.record_step(after, number, successors[-1])
            if not place % STEPS_PER_REPORT:
                self._on_progress(self._measure_progress())
        if fork.chooser is not None:
            answers = tuple(item.answer for item in fork.branches)
            self._decisions[number] = PlayerDecision(fork.chooser, answers, tuple(successors))
            return
        mapping: dict[int, Fraction] = {}
        for answer_branch, successor in zip(fork.branches, successors, strict=True):
            mapping[successor] = mapping.get(successor, Fraction(0)) + answer_branch.probability
        self._transitions[number] = tuple((probability, successor) for successor, probability in mapping.items())
        share = self._shares.pop(number, 0.0)
        for probability, successor in self._transitions[number] if share else ():
            if successor in self._ends:
                self._explored_share += share * float(probability)
            else:
                self._shares[successor] = self._shares.get(successor, 0.0) + share * float(probability)


def explore_states(
    start: Run,
    answerer: PlayAnswerer,
    max_states: int,
    on_progress: ProgressCallback = lambda _: None,
    observer: ExplorationObserver = _DEFAULT_OBSERVER,
) -> ExploredStates:
    """All reachable states of a play.

    Args:
        start: a run at its first request, or over; it is advanced.
        answerer: who answers.
        max_states: number of states after which no more are expanded.
        on_progress: receives the progress.
        observer: source of state keys; `Run.future_key` by default.

    Raises:
        UndecidedError: nobody answers something.
        TooManyOutcomesError: one roll or draw has too many outcomes to enumerate.
    """
    return next(explore_incrementally(start, answerer, max_states, max_states, on_progress, observer))


def explore_incrementally(  # noqa: PLR0913, PLR0917
    start: Run,
    answerer: PlayAnswerer,
    first: int,
    max_states: int,
    on_progress: ProgressCallback = lambda _: None,
    observer: ExplorationObserver = _DEFAULT_OBSERVER,
) -> Iterator[ExploredStates]:
    """Growing parts of the reachable states: `first` states, then more, at last all or `max_states`.

    A part is invalid once the next is asked for. Raises as `explore_states`.
    """
    if answerer.is_symmetric_in_dice:
        start.executable = start.executable.with_like_dice_equated
    return _BreadthFirstExplorer(answerer, max_states, on_progress, observer).explore_in_batches(start, first)


NEGLIGIBLE_SHARE = Fraction(1, 10**12)
"""Share of plays that results may leave out."""
_MAX_TRANSITION_STEPS = 20_000_000
"""Work limit of `_bound_round_probability`, in transitions."""
_ROUNDING_SLACK = 1 + 1e-9
"""Factor that exceeds the rounding errors of floats, so that a bound stays a bound."""
_LOOP_BOUND_CODES = {faults.JUMPED_TOO_OFTEN, faults.LOOP_TOO_LONG}


class LoopExploration(NamedTuple):
    """Reachable states, with loop bounds left out where that makes hardly a difference."""

    explored: ExploredStates
    error_share: Fraction  # upper bound of the share of plays that are followed wrongly
    # of the loops whose bounds were left out, if any
    round_observer: "LoopRoundObserver | None" = None
    is_cut: bool = False  # whether states were left out to which hardly any play comes

    def tighten_error_share(self, share: Fraction) -> Fraction:
        """An upper bound of `error_share` that is at most `share`, or 1 if none is known."""
        return (
            self.error_share
            if self.round_observer is None
            else self.round_observer.estimate_share_at_bound(self.explored, self.explored.transitions, share=share)
        )


def explore_without_loop_bounds(
    start: Run,
    answerer: PlayAnswerer,
    max_states: int,
    on_progress: ProgressCallback = lambda _: None,
    *,
    cuts_rounds: bool = False,
) -> LoopExploration:
    """Reachable states without round counters of loops, and an upper bound of the error.

    A loop that promises `MIN_PROMISED_ROUNDS` or more has no bound here if at most `NEGLIGIBLE_SHARE` of all plays can
    reach it; otherwise each round is a state of its own, and the error is 0. With `cuts_rounds` rounds that rules tell
    apart are not followed where hardly any play makes them.
    """
    if not (isinstance(start.outcome, Paused) and start.has_many_round_loops):
        return LoopExploration(explore_states(start, answerer, max_states, on_progress), Fraction(0))
    first = min(max_states, _FIRST_ROUND_STATES) if cuts_rounds else max_states
    rounds = LoopRoundObserver()
    explored, is_cut = _explore_until_negligible(start.fork(), answerer, first, max_states, on_progress, rounds)
    beyond = rounds.estimate_share_at_bound(explored, explored.transitions)
    if beyond <= NEGLIGIBLE_SHARE:
        return LoopExploration(explored, beyond, rounds, is_cut)
    explored, is_cut = _explore_until_negligible(start, answerer, first, max_states, on_progress, _DEFAULT_OBSERVER)
    return LoopExploration(explored, Fraction(0), is_cut=is_cut)


_FIRST_ROUND_STATES = 5_000
"""States after which rounds are left out that hardly any play makes; chosen."""


def _explore_until_negligible(  # noqa: PLR0913, PLR0917
    start: Run,
    answerer: PlayAnswerer,
    first: int,
    max_states: int,
    on_progress: ProgressCallback,
    observer: ExplorationObserver,
) -> tuple[ExploredStates, bool]:
    """As `explore_incrementally`, up to where hardly any play goes on; whether that leaves states out."""
    share: float | None = None

    def watch_progress(progress: ExplorationProgress) -> None:
        nonlocal share
        share = progress.explored_share
        on_progress(progress)

    for explored in explore_incrementally(start, answerer, first, max_states, watch_progress, observer):
        if first < len(explored.transitions) and share is not None and share >= 1 - NEGLIGIBLE_SHARE / 2:
            return explored, True
    return explored, False


class LoopRoundObserver(ExplorationObserver):
    """State keys without loop rounds, and a record of the transitions in which rounds are made."""

    def __init__(self) -> None:
        # of all loops left out; None if none was running
        self.lowest_bound: int | None = None
        # (from, to) of steps in which a loop made a round
        self.round_transitions: set[tuple[int, int]] = set()
        self.max_rounds_per_step = self.max_lines_per_step = 1
        self._rounds_before: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._work_before = 0

    def state_key(self, run: Run) -> Hashable:
        return run.endless_future_key()  # type: ignore[no-any-return]

    def start_step(self, run: Run) -> None:
        self._rounds_before, self._work_before = run.open_loop_rounds(), run.work

    def record_step(self, run: Run, number: int, successor: int) -> None:
        self.max_lines_per_step = max(self.max_lines_per_step, run.work - self._work_before)
        for loop, (round_count, bound) in run.open_loop_rounds().items():
            self.lowest_bound = bound if self.lowest_bound is None else min(self.lowest_bound, bound)
            more = round_count - self._rounds_before.get(loop, (0, bound))[0]
            if more > 0:
                self.round_transitions.add((number, successor))
                self.max_rounds_per_step = max(self.max_rounds_per_step, more)

    def estimate_share_at_bound(
        self,
        explored: ExploredStates,
        transitions: Sequence[Transitions],
        start: int = 0,
        share: Fraction = NEGLIGIBLE_SHARE,
    ) -> Fraction:
        """Upper bound of the share of plays in which a loop reaches its bound: 0, `share` or 1.

        A step shows no more rounds of a loop than it runs lines, even where the loop ends and begins again in it. So a
        play that reaches a bound has shown half of it before, unless one step runs as many lines.
        """
        if self.lowest_bound is None:
            return Fraction(0)
        half = self.lowest_bound // 2
        if self.max_lines_per_step > half or any(is_loop_bound_end(end) for end in explored.ends.values()):
            return Fraction(1)
        return _bound_round_probability(
            transitions, set(self.round_transitions), half // self.max_rounds_per_step, start, share
        )


def is_loop_bound_end(over: PlayEnd) -> bool:
    """Whether a play is over because a loop goes on at its bound."""
    return isinstance(over, Faulted) and over.code in _LOOP_BOUND_CODES


def _bound_round_probability(
    transitions: Sequence[Transitions], counted: set[tuple[int, int]], needed: int, start: int, share: Fraction
) -> Fraction:
    """Upper bound of the probability of `needed` counted transitions: 0, `share` or 1.

    Cycles without a counted transition are counted too, which only raises the bound. Floats, rounded up.
    """
    plain: list[Transitions] = [
        [(probability, successor) for probability, successor in way if (state, successor) not in counted]
        for state, way in enumerate(transitions)
    ]
    plain.append([(Fraction(1), each) for each in range(len(transitions))])
    order: list[int] = []
    for component in find_strong_components(plain, len(transitions)):
        order += component
        counted |= {
            (state, successor) for state in component for _, successor in plain[state] if successor in component
        }
    steps = [
        (
            state,
            [
                (float(p) * _ROUNDING_SLACK, successor, (state, successor) in counted)
                for p, successor in transitions[state]
            ],
        )
        for state in reversed(order)
        if state < len(transitions)
    ]
    here = {start: 1.0}
    for _ in range(min(needed, _MAX_TRANSITION_STEPS // sum(len(way) for way in transitions))):
        onward: defaultdict[int, float] = defaultdict(float)
        for state, item in steps:
            probability = here.get(state, 0.0)
            for p, successor, is_counted in item if probability else ():
                if is_counted:
                    onward[successor] += probability * p
                else:
                    here[successor] = here.get(successor, 0.0) + probability * p
        if sum(onward.values()) <= share:
            return share if onward else Fraction(0)
        here = onward
    return Fraction(1)


JointParts = dict[tuple[int, ...], dict[tuple[Any, ...], int]]
"""Joint distributions of open leaves: by the numbers of the leaves, the weight of each row of values."""


class Arrival(NamedTuple):
    """One path that reached a point of the rules."""

    probability: Fraction
    leaves: Sequence[Any]  # values there; of open ones anything
    parts: JointParts  # distributions of the open ones


def group_dependent_leaves(leaves: Sequence[Any]) -> JointParts:
    """Joint distributions of the random leaves, grouped by the variables that they share.

    Raises:
        NeedsConcreteValue: a joint distribution would be too large.
    """
    groups: dict[int, tuple[tuple[RandomVariable, ...], list[int]]] = {}  # variables, and numbers of the leaves
    group_of: dict[RandomVariable, int] = {}
    for number, value in [(number, value) for number, value in enumerate(leaves) if isinstance(value, RandomValue)]:
        variables, numbers = value.variables, [number]
        for met in sorted({group_of[item] for item in variables if item in group_of}):
            theirs, before = groups.pop(met)
            variables, numbers = theirs + tuple([item for item in variables if item not in theirs]), before + numbers
        groups[number] = variables, numbers
        group_of.update(dict.fromkeys(variables, number))
    result: JointParts = {}
    for variables, numbers in groups.values():
        try:
            weights = joint_weights(variables)
        except OverflowError:
            raise NeedsConcreteValue(
                min((leaves[item] for item in numbers), key=lambda item: len(item.values))
            ) from None
        rows: dict[tuple[Any, ...], int] = {}
        for row, many in zip(
            zip(*[leaves[item].expand_over(variables) for item in numbers], strict=True), weights, strict=True
        ):
            rows[row] = rows.get(row, 0) + many
        result[tuple(numbers)] = _reduce_weights(rows)
    return result


def _reduce_weights(rows: dict[tuple[Any, ...], int]) -> dict[tuple[Any, ...], int]:
    by = gcd(*rows.values())
    return rows if by == 1 else {row: many // by for row, many in rows.items()}


def merge_arrivals(arrivals: Sequence[Arrival]) -> Arrival:
    """One arrival with the distribution of all; parts that all share stay independent.

    Raises:
        OverflowError: the joint distribution would be too large.
    """
    first, *others = arrivals
    if not others:
        return first
    shared_parts = {
        numbers: rows
        for numbers, rows in first.parts.items()
        if all(other.parts.get(numbers) == rows for other in others)
    }
    shared_numbers = {number for numbers in shared_parts for number in numbers}
    open_ = {number for item in arrivals for numbers in item.parts for number in numbers} - shared_numbers
    differ = [
        number
        for number, value in enumerate(first.leaves)
        if number in open_ or (number not in shared_numbers and any(other.leaves[number] != value for other in others))
    ]
    probability = sum([item.probability for item in arrivals], Fraction(0))
    shares = [
        item.probability / prod([sum(rows.values()) for rows in _parts_except(item, shared_parts).values()])
        for item in arrivals
    ]
    all_ = lcm(*[item.denominator for item in shares])
    mapping: dict[tuple[Any, ...], int] = {}
    for arrival, share in zip(arrivals, shares, strict=True):
        scale = share.numerator * (all_ // share.denominator)
        for row, many in _enumerate_joint_rows(arrival, _parts_except(arrival, shared_parts), differ):
            mapping[row] = mapping.get(row, 0) + many * scale
    parts = {**shared_parts, tuple(differ): _reduce_weights(mapping)} if differ else shared_parts
    return Arrival(probability, first.leaves, parts)


def _parts_except(arrival: Arrival, excluded: JointParts) -> JointParts:
    return {numbers: rows for numbers, rows in arrival.parts.items() if numbers not in excluded}


def _enumerate_joint_rows(
    arrival: Arrival, parts: JointParts, numbers: Sequence[int]
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Rows of values of the leaves `numbers`, with their weights."""
    if prod(map(len, parts.values())) > MAX_JOINT_OUTCOMES:
        raise OverflowError
    open_ = [number for part in parts for number in part]
    fixed = [number for number in numbers if number not in open_]
    order = [*fixed, *open_]
    at = [order.index(number) for number in numbers]
    known = tuple([arrival.leaves[number] for number in fixed])
    for chosen in product(*[rows.items() for rows in parts.values()]):
        row = known
        many = 1
        for values, of in chosen:
            row += values
            many *= of
        yield tuple([row[item] for item in at]), many
