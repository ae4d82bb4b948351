"""Judges many mutants, in this process or in several."""

import signal
from collections.abc import Iterator, Sequence

from rulewright.files import Provider
from rulewright.mutations.mutant import Mutant
from rulewright.scoring.baseline import Baseline
from rulewright.scoring.judging import Judge
from rulewright.scoring.verdict import Verdict

_AT_ONCE = 4


def verdicts(
    mutants: Sequence[Mutant], baseline: Baseline, provider: Provider, workers: int
) -> Iterator[tuple[Mutant, Verdict]]:
    """What becomes of each mutant, as soon as it is known.

    When nobody asks for more, what was not begun is given up.
    """
    if workers == 1 or len(mutants) == 1:
        judge = Judge(baseline, provider)
        for each in mutants:
            yield each, judge.verdict(each)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed  # noqa: PLC0415 - seldom wanted

    parts = [mutants[first : first + _AT_ONCE] for first in range(0, len(mutants), _AT_ONCE)]
    pool = ProcessPoolExecutor(workers, initializer=_begin, initargs=(baseline, provider))
    try:
        for done in as_completed([pool.submit(_part, part) for part in parts]):
            yield from done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_JUDGES: list[Judge] = []
"""The one of a worker, which keeps what it read."""


def _begin(baseline: Baseline, provider: Provider) -> None:
    """An interruption is for the process that was started, which then tells its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _JUDGES[:] = [Judge(baseline, provider)]


def _part(mutants: Sequence[Mutant]) -> list[tuple[Mutant, Verdict]]:
    return [(each, _JUDGES[0].verdict(each)) for each in mutants]
