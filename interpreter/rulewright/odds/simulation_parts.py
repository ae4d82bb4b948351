"""Counting of plays in parts, by one process, several, or a cluster; when intervals are narrow enough."""

from collections.abc import Generator, Iterator
from time import monotonic

from rulewright.base.workers import ProcessPool, WorkerPool
from rulewright.odds.measure_syntax import drop_excluded_plays
from rulewright.odds.monte_carlo import PlayCountersByStart, PlayCounts, compare_shares, confidence_interval

PLAYS_PER_PART = 500
"""Plays counted together; the stopping rule is applied between parts."""
_MIN_BATCH_PLAYS = 2_000
"""Least number of plays for the batch path, whose start has a cost; heuristic."""
_MAX_SINGLE_PROCESS_PLAYS = 2_000_000
"""Plays of the batch path that take less time than the start of other processes; heuristic."""
_MAX_PART_PLAYS = 1 << 17
_FAST_PART_S = 0.1
"""A part that took fewer seconds may be followed by one twice as large; heuristic."""
_CLUSTER_CHUNK_S = 1.0
"""Target duration in seconds of a task of a cluster, so that its scheduler keeps up; heuristic."""
_MAX_PARTS_PER_CHUNK = 4_000
"""Limit of parts per task of a cluster; heuristic."""


class SimulationWorkers:
    """Executor of parts: this process, several of this machine, or a cluster."""

    def __init__(self, plays: PlayCountersByStart, workers: int, cluster: WorkerPool | None = None) -> None:
        """`cluster` replaces the processes of this machine."""
        self._plays = plays
        self._count = workers
        self._is_far = cluster is not None
        self._workers = cluster

    def count_in_parts(
        self, start: int, seed: int, runs: int, done_count: int = 0, *, parts_may_grow: bool = False
    ) -> Generator[PlayCounts, None, None]:
        """Counts of the plays of a start by parts, in order, without the first `done_count`.

        `parts_may_grow`: no stopping rule is applied between parts, so that they may grow while they are fast.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            UnansweredError: a play stops at a question.
            UndefinedConditionError: a condition has no value at some end.
            ClusterError: the cluster is lost.
        """
        plays, batch, end = (
            self._plays,
            runs - done_count >= _MIN_BATCH_PLAYS,
            min(done_count - done_count % PLAYS_PER_PART + PLAYS_PER_PART, runs),
        )
        begun_at = monotonic()
        yield plays.count_plays_from(start, seed, range(done_count, end), batch=batch)
        duration = monotonic() - begun_at
        batch = plays.uses_batch_from(start)
        if end < runs and (
            self._is_far or (self._count > 1 and not (batch and runs - end <= _MAX_SINGLE_PROCESS_PLAYS))
        ):
            size = _MAX_PART_PLAYS if batch and parts_may_grow else PLAYS_PER_PART
            parts = ((start, seed, range(at, min(at + size, runs)), batch) for at in range(end, runs, size))
            self._workers = self._workers or ProcessPool(self._count, plays)
            yield from self._workers.map(
                _count_part, parts, max(1, min(_MAX_PARTS_PER_CHUNK, int(_CLUSTER_CHUNK_S / max(duration, 0.001))))
            )
            return
        size = PLAYS_PER_PART
        while end < runs:
            begun_at, first = monotonic(), end
            end = min(end + size, runs)
            yield plays.count_plays_from(start, seed, range(first, end), batch=batch)
            if batch and parts_may_grow and monotonic() - begun_at < _FAST_PART_S:
                size = min(2 * size, _MAX_PART_PLAYS)

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()


def _count_part(plays: PlayCountersByStart, part: tuple[int, int, range, bool]) -> PlayCounts:
    start, seed, numbers, batch = part
    return plays.count_plays_from(start, seed, numbers, batch=batch)


def is_precise_enough(counted: PlayCounts, precision: float, *, paired: bool) -> bool:
    """Whether the confidence interval of every share is within `precision` to either side."""
    return all(width <= 2 * precision for width in _interval_widths(counted, paired=paired))


def _interval_widths(counted: PlayCounts, *, paired: bool) -> Iterator[float]:
    """Widths of the interval of each share, of pairs of each difference."""
    if paired:
        yield from (
            compare_share.high - compare_share.low
            for joint in counted.value_counts
            for compare_share in compare_shares(joint, counted.play_count)
        )
        return
    for counts in counted.value_counts:
        shares = drop_excluded_plays(counts)
        plays = sum(shares.values()) if len(shares) < len(counts) else counted.play_count
        for often in shares.values() or (0,):
            low, high = confidence_interval(often, plays)
            yield high - low
    for often in counted.fault_counts.values():
        low, high = confidence_interval(often, counted.play_count)
        yield high - low


def estimate_needed_plays(counted: PlayCounts, precision: float, *, paired: bool) -> int | None:
    """Number of plays, to two figures, whose intervals are narrow enough; None if no number is."""
    if not precision or not counted.play_count:
        return None
    plays = (
        round(counted.play_count * (max(_interval_widths(counted, paired=paired), default=0.0) / (2 * precision)) ** 2)
        + 1
    )
    rounding: int = 10 ** max(len(str(plays)) - 2, 0)
    return -(-plays // rounding) * rounding
