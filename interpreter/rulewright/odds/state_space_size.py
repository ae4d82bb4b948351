"""Estimated number of states of a play and the lines that branch most, from random walks."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from math import inf, log2
from random import Random
from sys import maxsize
from time import monotonic
from typing import Any, NamedTuple

from rulewright.base.diagnostics import make_visible
from rulewright.base.frozen import dataclass
from rulewright.odds.answerers import AnswerBranch, AnswererMemory, AnswerFork, PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.event_counting import UncountableError
from rulewright.odds.exact_odds import begin_run, compute_odds
from rulewright.odds.state_exploration import (
    ExplorationProgress,
    ProgressCallback,
    end_key,
)
from rulewright.play.answer_sources import draw_outcome
from rulewright.play.seeded_random import SeededRandom
from rulewright.runtime.chance_outcomes import (
    MAX_CHANCE_OUTCOMES,
    TooManyOutcomesError,
    list_chance_outcomes,
    require_bounded_outcomes,
)
from rulewright.runtime.run import Paused, Run

MAX_STATES = 200_000
"""Default limit of expanded states."""
SAMPLED_STATES = 2_500
"""States visited by the random walks, repetitions included."""
_MAX_BRANCHES_PER_STATE = 40
"""Limit of the answers listed for a visited state, on average, without the first state; chosen."""
MAX_LISTED_ROLLS = 1_000
"""Limit of the outcomes listed for a roll; of more, a few are drawn."""
_MAX_REQUESTS_PER_PLAY = 500
"""Length limit of a walk, in requests."""
_MAX_BRANCH_TRIES = 4
"""Answers tried at a state to find one after which the play goes on; chosen."""
_MAX_LEAN_FACTOR = 8.0
"""Largest bias of a walk to the first or last answers of a line, as an exponent; chosen."""
_MIN_REPEATED_STATES = 3
"""States at one depth that must be seen twice for a usable estimate; chosen."""
_MAX_REPORTED_LINES = 3
"""Lines named as those that branch most; chosen."""
_FREQUENT_VISITS_PER_PLAY = 1.5
"""Mean visits in a play beyond which a line counts as visited again and again; chosen."""
_MIN_REPORTED_SHARE = 0.05
"""Share of the branching below which a line is not reported; chosen."""


@dataclass(frozen=True, slots=True)
class BranchingLine:
    """A line at which plays branch."""

    address: str
    sort: str  # as `Request.sort`
    branch_count: int  # maximum
    is_frequent: bool  # whether a play comes there again and again


@dataclass(frozen=True, slots=True)
class StateSpaceSize:
    """Estimated size of the state space, from walks that take every answer with equal probability."""

    play_count: int  # walks
    seen_states: int  # distinct; a lower bound
    estimated_states: int  # too low on average, hardly ever too high
    states_before_end: int  # estimated number of states nearer than the first end that was seen, by number of requests
    branching_lines: tuple[BranchingLine, ...]  # the most branching first
    is_estimated: bool = True  # whether enough states were seen twice; if not, `estimated_states` is far too low


def estimate_state_space(start: Run, answerer: PlayAnswerer, most: int = SAMPLED_STATES) -> StateSpaceSize:
    """Estimated size of the state space; deterministic.

    Random walks prefer answers after which the play goes on. The numbers of states seen in one walk and in two give a
    lower bound of those never seen (capture and recapture, Chao 1987); it is low where many states are rare.

    Args:
        start: a run at its first request; it is not advanced.
        answerer: who answers.
        most: number of visited states.

    Raises:
        UndecidedError: nobody answers something that a walk comes to.
        HiddenInformationError: best play would depend on what its player cannot see.
        TooManyOutcomesError: a walk comes to a roll or draw with too many outcomes to enumerate.
    """
    looking = _RandomWalkSampler(start, answerer, most)
    met, first = looking.sample_states()
    if looking.counts_loop_rounds:
        looking = _RandomWalkSampler(start, answerer, most, counts_rounds=True)
        met, first = looking.sample_states()
    depths: dict[int, list[int]] = {}
    for key, depth in first.items():
        depths.setdefault(depth, []).append(met[key])
    each = {depth: _estimate_by_chao(times, looking.play_count) for depth, times in depths.items()}
    before = sum(many for depth, many in each.items() if depth < looking.earliest_end)
    about = max(_estimate_by_chao([*met.values()], looking.play_count), sum(each.values()))
    rare = [depth for depth, met_ in depths.items() if sum(times > 1 for times in met_) < _MIN_REPEATED_STATES]
    guessed = sum(each[depth] - len(depths[depth]) for depth in rare)
    is_estimated = 2 * guessed <= sum(each.values())
    return StateSpaceSize(looking.play_count, len(met), about, before, looking.rank_branching_lines(), is_estimated)


def _estimate_by_chao(times: Sequence[int], plays: int) -> int:
    once, twice = (times.count(item) for item in (1, 2))
    return len(times) + once * (once - 1) // (2 * (twice + 1)) * (plays - 1) // plays


class _LineKey(NamedTuple):
    address: str
    sort: str


class _StateBranches(NamedTuple):
    branch_count: int
    listed_branches: Sequence[AnswerBranch]  # empty if not listed


class _RandomWalkSampler:
    def __init__(self, start: Run, answerer: PlayAnswerer, most: int, *, counts_rounds: bool = False) -> None:
        self.state_budget = most  # visits left
        self.play_count = 0  # walks begun
        # whether rounds are part of the state key: a walk came near the bound of a loop
        self.counts_loop_rounds = counts_rounds
        self.earliest_end = inf  # number of requests of the shortest walk to an end
        self._start = start
        self._answerer = answerer
        self._random = Random(0)  # noqa: S311 - no cryptography
        self._branch_budget = _MAX_BRANCHES_PER_STATE * max(most, SAMPLED_STATES)
        # Of the first state and of rolls, whose faces mean the same wherever state keys are equal.
        self._known_branches: dict[Hashable, _StateBranches] = {}
        self._chance = SeededRandom(0)
        self._max_branches: dict[_LineKey, int] = {}
        self._visit_counts: dict[_LineKey, int] = {}
        self._branch_bits: dict[_LineKey, float] = {}
        self._leans: dict[str, float] = {}

    def sample_states(self) -> tuple[Counter[Hashable], dict[Hashable, int]]:
        """Number of walks that saw each state, and its smallest depth in requests."""
        met, first, counts_rounds = Counter[Hashable](), dict[Hashable, int](), self.counts_loop_rounds
        while self.state_budget > 0 and self.counts_loop_rounds is counts_rounds:
            keys = [*self.walk_play()]
            met.update({*keys})
            for depth, key in enumerate(keys):
                first[key] = min(depth, first.get(key, depth))
        return met, first

    def walk_play(self) -> Iterator[Hashable]:
        """State keys along one walk, the coarsest that exploration would use."""
        run, memory = self._start.fork(), self._answerer.update_memory(self._start, self._answerer.initial_memory)
        self.play_count += 1
        self._leans = {}
        for number in range(_MAX_REQUESTS_PER_PLAY):
            is_endless = not self.counts_loop_rounds and run.has_many_round_loops
            self.counts_loop_rounds |= is_endless and any(
                2 * round_count > bound for round_count, bound in run.open_loop_rounds().values()
            )
            key = (run.endless_future_key() if is_endless else run.future_key()), memory
            yield key
            self.state_budget -= 1
            branches = self._known_branches.get(key)
            if branches is None:
                branches = self._list_branches(run, memory)
                self._branch_budget -= len(branches.listed_branches) if number else 0
                if not number or run.make_question().sort == "roll":
                    self._known_branches[key] = branches
            self._count_branches(run, branches.branch_count)
            for answer, then in self._pick_branches(run, memory, branches):
                after = run.fork()
                after.reply(answer)
                come = self._answerer.update_memory(after, then)
                if isinstance(after.outcome, Paused):
                    break
                self.earliest_end = min(self.earliest_end, number + 1)
                yield end_key(after.outcome, come.event_counts)
            else:
                return
            if self.state_budget <= 0 or self._branch_budget <= 0:
                self.state_budget = 0
                return
            run, memory = after, come

    def _list_branches(self, run: Run, memory: AnswererMemory) -> "_StateBranches":
        question = run.make_question()
        rolled = self._answerer.is_chance_roll(run, memory) and question.outcome_count > MAX_LISTED_ROLLS
        if rolled and (len(question.dice_to_roll) == 1 or question.outcome_count <= MAX_CHANCE_OUTCOMES):
            require_bounded_outcomes(run.make_question())
            try:
                list_chance_outcomes(run.make_question(), MAX_LISTED_ROLLS)
            except TooManyOutcomesError as many:
                if many.count > MAX_CHANCE_OUTCOMES:
                    raise
                return _StateBranches(many.count if len(question.dice_to_roll) == 1 else question.outcome_count, ())
        listed = self._answerer.enumerate_answers(run, memory).branches
        return _StateBranches(len(listed), listed)

    def _pick_branches(
        self, run: Run, memory: AnswererMemory, branches: "_StateBranches"
    ) -> Iterator[tuple[Any, AnswererMemory]]:
        lean = self._leans.setdefault(
            run.make_question().address, _MAX_LEAN_FACTOR ** self._random.uniform(-1, 1) if self.play_count % 2 else 1
        )
        for _ in range(_MAX_BRANCH_TRIES if branches.listed_branches else 0):
            way = branches.listed_branches[int(len(branches.listed_branches) * self._random.random() ** lean)]
            yield way.answer, way.memory
        for number in () if branches.listed_branches else range(_MAX_BRANCH_TRIES):
            yield (
                draw_outcome(run.make_question(), _MAX_BRANCH_TRIES * self.state_budget + number, self._chance),
                memory,
            )

    def _count_branches(self, run: Run, branch_count: int) -> None:
        question = run.make_question()
        at = _LineKey(question.address, question.sort)
        self._max_branches[at] = max(self._max_branches.get(at, 0), branch_count)
        self._visit_counts[at] = self._visit_counts.get(at, 0) + 1
        self._branch_bits[at] = self._branch_bits.get(at, 0.0) + log2(max(branch_count, 1))

    def rank_branching_lines(self) -> tuple[BranchingLine, ...]:
        whole = sum(self._branch_bits.values())
        much = [at for at, bits in self._branch_bits.items() if bits > _MIN_REPORTED_SHARE * whole]
        ranked = sorted(much, key=lambda at: -self._branch_bits[at])
        return tuple(
            BranchingLine(
                *at, self._max_branches[at], self._visit_counts[at] > _FREQUENT_VISITS_PER_PLAY * self.play_count
            )
            for at in ranked[:_MAX_REPORTED_LINES]
        )


MAX_ESTIMATE_STEPS = 4_000
"""Step limit of an estimate; counted in steps, not time, so that results are reproducible."""


@dataclass(frozen=True, slots=True)
class EffortEstimate:
    """Effort of a question; with neither count nor size where sums of very many dice are asked for."""

    state_count: int | None = None  # if all were explored
    size: StateSpaceSize | None = None  # if not
    progress: ExplorationProgress = ExplorationProgress(0, None)  # of the exploration
    states_per_second: float = 0.0
    step_count: int = 0  # spent on the estimate


def _refuse_long_list(answers: PlayAnswerer, run: Run, memory: AnswererMemory) -> AnswerFork:
    """Raises `TooManyOutcomesError` where the list would be long."""
    if answers.is_chance_roll(run, memory) and run.make_question().outcome_count > MAX_LISTED_ROLLS:
        require_bounded_outcomes(run.make_question())
        list_chance_outcomes(run.make_question(), MAX_LISTED_ROLLS)
    return answers.list_answers(run, memory)


class _StepLimitError(Exception):
    """The step limit is reached."""


def estimate_effort(  # noqa: PLR0913, PLR0917
    play: MeasuredPlay,
    answers: PlayAnswerer,
    most: int,
    on_progress: ProgressCallback,
    at: Run | None = None,
    steps: int = maxsize,
) -> EffortEstimate:
    """Effort of a question: explored for at most `steps`, then estimated.

    Arguments and errors as in `compute_odds`.
    """
    begun_at, before, last, steps = monotonic(), 0, ExplorationProgress(0, None), min(steps, MAX_ESTIMATE_STEPS)

    def watch_progress(met: ExplorationProgress) -> None:
        nonlocal before, last
        before, last = before + (last.step_count if met.step_count < last.step_count else 0), met
        on_progress(met)
        if before + met.step_count > steps:
            raise _StepLimitError

    try:
        play_odds = compute_odds(play, replace(answers, at_fork=_refuse_long_list), most, watch_progress, at)
        if not play_odds.open_share:
            return EffortEstimate(play_odds.state_count, step_count=before + last.step_count)
    except _StepLimitError:
        pass
    except TooManyOutcomesError as many:
        if many.count > MAX_CHANCE_OUTCOMES or many.is_endless or isinstance(many, UncountableError):
            raise
    rate = last.state_count / max(monotonic() - begun_at, 0.001)
    try:
        size = estimate_state_space(at or begin_run(play.start), answers.counting_by_step)
    except TooManyOutcomesError as many:
        if not (many.is_sum and last.is_merging):
            raise
        size = None
    return EffortEstimate(None, size, last, rate, before + last.step_count + SAMPLED_STATES)


_SORT_PHRASES = {"roll": "a roll", "draw": "a draw", "shuffle": "a shuffle"}
_SHORTER_PLAY_HELP = "a start nearer to the end, or fewer rounds"
_HELP_BY_SORT = {
    "roll": "have the rules look at less of these dice, such as how many hit, or say in a script what falls",
    "draw": "draw fewer, or say in a script which are drawn",
    "shuffle": "let rules draw from the deck and not look at its order",
}
_DECISION_HELP = "a script or `--policy first`, which leave one answer"
HELP_PREFIX = "what helps: "
SIMULATE_HINT = "`rulewright simulate` plays many of them instead, and says how sure it is"
_SIGNIFICANT_FIGURES = 2
UNKNOWN_SIZE_TEXT = (
    "how many different moments of play there are cannot be known from a few plays, which hardly ever meet the same one"
)


def describe_state_count(number: int) -> str:
    """Number of states in words."""
    return "one moment of play" if number == 1 else f"{number:,} different moments of play"


def describe_limit_hit(most: int) -> str:
    """Message that exploration met the limit."""
    return f"there are more than {describe_state_count(most)}"


def describe_size(size: StateSpaceSize, met: int) -> Iterator[str]:
    """Message about the size where exploration met the limit after `met` states, and which lines branch."""
    yield (
        f"in all there are {describe_estimated_states(max(size.estimated_states, met))}"
        if size.is_estimated
        else UNKNOWN_SIZE_TEXT
    )
    yield from describe_branching(size)


def describe_estimated_states(moments: int) -> str:
    """Rounded number of states in words."""
    unit: int = 10 ** max(len(str(moments)) - _SIGNIFICANT_FIGURES, 0)
    return f"at least about {describe_state_count(moments // unit * unit)}"


def describe_branching(size: StateSpaceSize) -> Iterator[str]:
    """Lines that branch most, and the remedy."""
    if size.branching_lines:
        yield f"what makes them many: {'; '.join(map(_describe_branching_line, size.branching_lines))}"
        first = size.branching_lines[0]
        yield f"{HELP_PREFIX}{_SHORTER_PLAY_HELP if first.is_frequent else _HELP_BY_SORT.get(first.sort, _DECISION_HELP)}; {SIMULATE_HINT}"


def _describe_branching_line(parting: BranchingLine) -> str:
    sort = _SORT_PHRASES.get(parting.sort, "a question")
    branch_text = "1 way" if parting.branch_count == 1 else f"{parting.branch_count:,} ways"
    return f"`{make_visible(parting.address)}` ({sort} with up to {branch_text}{', again and again' if parting.is_frequent else ''})"
