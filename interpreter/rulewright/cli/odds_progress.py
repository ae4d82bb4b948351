"""Progress and size estimates of odds computations, and the refusal of hopeless ones."""

from collections.abc import Callable, Iterator, Mapping
from sys import maxsize
from time import monotonic
from typing import Any

from rulewright.cli.odds_query import REFUSALS, OddsQuery, explain_odds_refusal
from rulewright.cli.output import CommandStop, ExitCode, ProgressLine, format_duration, make_error, make_stop
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import begin_run
from rulewright.odds.state_exploration import ExplorationProgress
from rulewright.odds.state_space_size import (
    HELP_PREFIX,
    SAMPLED_STATES,
    UNKNOWN_SIZE_TEXT,
    EffortEstimate,
    StateSpaceSize,
    describe_branching,
    describe_estimated_states,
    describe_state_count,
    estimate_state_space,
)
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.run import Paused

_SIZE_ESTIMATE_DELAY_S = 2.0
"""Seconds of exploration before its size is estimated; heuristic."""
_MIN_MOMENTS_FOR_RATE = 20
"""Explored states before a rate is shown; heuristic."""
_HOPELESS_FACTOR, _RECHECK_FACTOR = 10, 4
"""Refuse a question whose states before any end are 10 times the limit, by an estimate from 4 times the samples; heuristic."""
_SUM_SIZE_UNKNOWN = (
    "how many different moments of play there are is not known: sums are asked of more dice than are told apart"
)


class OddsProgress:
    """Progress callback (`odds.state_exploration.ProgressCallback`) of several explorations in order."""

    def __init__(self, most: int, progress: ProgressLine, total: int = 1, of: str = "starts") -> None:
        """`total` is the number of explorations, and `of` the word for them."""
        self.size: StateSpaceSize | None = None  # of the current exploration, once estimated
        self._most = most
        self._progress = progress
        self._total, self._unit_name = total, of
        self._started_at = self._rate_since = self._query_started_at = monotonic()
        self._last_progress = ExplorationProgress(0, 0.0)
        self._number = 0
        self._estimate: Callable[[int], StateSpaceSize | None] = lambda _: None
        self._may_estimate = True

    def start_following(
        self, number: int, look: Callable[[int], StateSpaceSize | None], of: tuple[int, str] | None = None
    ) -> None:
        """Begin the exploration of a number; `look` estimates its size from that many states.

        `of` is the count and the word for them, where these change; of several the size is then not wanted.
        """
        if of is not None and of != (self._total, self._unit_name):
            (self._total, self._unit_name), self._started_at = of, monotonic()
        self._number, self._last_progress = number, ExplorationProgress(0, 0.0)
        self._estimate = look if of is None or of[0] == 1 else lambda _: None
        self.size, self._rate_since, self._query_started_at = None, monotonic(), monotonic()

    def __call__(self, met: ExplorationProgress) -> None:
        """Show the progress.

        Raises:
            CommandStop: RW1210, too many states come before any end; else as in `explain_odds_refusal`.
        """
        if met.is_merging != self._last_progress.is_merging or met.state_count < self._last_progress.state_count:
            self._rate_since, self._may_estimate = monotonic(), self._may_estimate or self._last_progress.is_merging
        self._last_progress = met
        if self._may_estimate and monotonic() - self._query_started_at > _SIZE_ESTIMATE_DELAY_S:
            self._may_estimate = False
            self.size = self._estimate_size(met)
            if self.size is not None and self._total == 1:
                self._progress.print_note(_render_size(self.size, met, self._most, self._rate()))
                self._refuse_hopeless(self.size, met)
        self._progress.show_progress(self._progress_text(met))

    def _estimate_size(self, met: ExplorationProgress) -> StateSpaceSize | None:
        """Estimated size; None where a roll has too many outcomes, which merged plays may sum."""
        try:
            return self._estimate(SAMPLED_STATES)
        except TooManyOutcomesError:
            if met.is_merging:
                return None
            raise

    def _refuse_hopeless(self, size: StateSpaceSize, met: ExplorationProgress) -> None:
        """Stop if a second estimate agrees that the limit is met before any end."""
        if met.is_merging or met.explored_share or _RECHECK_FACTOR * size.states_before_end <= self._most:
            return
        more = self._estimate(_RECHECK_FACTOR * SAMPLED_STATES)
        if more is None or more.states_before_end < _HOPELESS_FACTOR * self._most:
            return
        far = "far more different moments of play"
        before = describe_estimated_states(more.states_before_end) if more.is_estimated else far
        message = f"no play was seen to end before {before}, and {self._most:,} are followed"
        *notes, remedy = describe_branching(more)
        raise CommandStop(
            [make_error("RW1210", message, remedy.removeprefix(HELP_PREFIX), notes)], error_exit=ExitCode.UNKNOWN
        )

    def _rate(self) -> float:
        return self._last_progress.state_count / max(monotonic() - self._rate_since, 0.001)

    def _progress_text(self, met: ExplorationProgress) -> str:
        several = [f"{self._number:,} of {self._total:,} {self._unit_name}"] if self._total > 1 else []
        moments = [f"{met.state_count:,} moments", f"{self._rate():,.0f} a second"] if met.state_count else []
        share = [f"{met.explored_share:.1%} of plays followed".replace("%", " %")] if met.explored_share else []
        return ", ".join([*several, *moments, *share, *self._remaining_time(met)])

    def _remaining_time(self, met: ExplorationProgress) -> Iterator[str]:
        if self._total > 1:
            if self._number:
                spent = monotonic() - self._started_at
                yield f"about {format_duration(spent * (self._total - self._number) / self._number)} left"
        elif self.size is not None and not met.is_merging and met.state_count > _MIN_MOMENTS_FOR_RATE:
            goal = min(self.size.estimated_states, self._most)
            duration = format_duration((goal - met.state_count) / self._rate())
            if goal == self._most:
                yield f"the limit in {duration}"
            elif goal > met.state_count:
                yield f"at least about {duration} left"


def reject_options_with_estimate(given: Mapping[str, object]) -> None:
    """Stops with RW1223 if an estimate is requested with options that need the odds.

    `given` are the other options with their values.
    """
    conflicting = next((name for name, value in given.items() if value), "")
    if conflicting:
        raise make_stop("RW1223", f"with `--estimate`, `{conflicting}` has nothing to show", "leave one of them out")


def estimate_query_size(query: OddsQuery, play: MeasuredPlay, most: int = SAMPLED_STATES) -> StateSpaceSize | None:
    """Estimated size of the question from one start, by exploring `most` states; None where the play is over.

    Raises:
        CommandStop: as in `explain_odds_refusal`.
        TooManyOutcomesError: a roll has too many outcomes to list, but may be explored as a sum.
    """
    start = query.saved_run or begin_run(play.start)
    if not isinstance(start.outcome, Paused):
        return None
    try:
        return estimate_state_space(start, query.answers.counting_by_step, most)
    except REFUSALS as error:
        if isinstance(error, TooManyOutcomesError) and error.is_sum:
            raise
        raise explain_odds_refusal(error, play, query.answers, query.texts) from None


def render_estimate(estimate: EffortEstimate, most: int) -> Iterator[str]:
    """Text lines of an effort estimate."""
    if estimate.state_count is not None:
        followed = ", all of them followed" if estimate.state_count > 1 else ""
        yield f"{describe_state_count(estimate.state_count)}{followed}"
    elif estimate.size is not None:
        yield from _render_size(estimate.size, estimate.progress, most, estimate.states_per_second)
    else:
        yield _SUM_SIZE_UNKNOWN


def estimate_to_json(estimate: EffortEstimate) -> dict[str, Any]:
    """JSON object of an effort estimate."""
    return {"moments": estimate.state_count, "size": estimate.size and size_to_json(estimate.size)}


def _render_size(size: StateSpaceSize, met: ExplorationProgress, most: int, rate: float) -> Iterator[str]:
    """Text lines of a size; `rate` is in states per second."""
    state_count = size.estimated_states if met.is_merging else max(size.estimated_states, met.state_count)
    yield f"followed one by one, {describe_estimated_states(state_count)}" if size.is_estimated else UNKNOWN_SIZE_TEXT
    if met.is_merging:
        yield "plays that differ only in numbers are followed together where possible, so far fewer may be enough"
    elif size.is_estimated and state_count <= most:
        yield f"that takes at least about {format_duration(state_count / rate)}"
    elif most < maxsize:
        yield f"at most {most:,} of them are followed (`--most`), in about {format_duration(most / rate)}"
    yield from describe_branching(size)


def size_to_json(size: StateSpaceSize) -> dict[str, Any]:
    """JSON object of a size."""
    return {
        "plays": size.play_count,
        "seen": size.seen_states,
        "about": size.estimated_states if size.is_estimated else None,
        "before": size.states_before_end,
        "partings": [
            {"address": one.address, "sort": one.sort, "ways": one.branch_count, "often": one.is_frequent}
            for one in size.branching_lines
        ],
    }
