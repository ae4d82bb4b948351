"""The parts of a search, in this process or in several."""

from collections.abc import Iterator
from time import monotonic

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.data import Effort
from rulewright.comparing.playing.searching import Shard, searched

PARTS = 16


def shards(bench: Bench, effort: Effort) -> Iterator[Shard]:
    """The parts of a search in order: a small one in this process first, the others as they are wanted.

    Which plays a part makes does not depend on how many processes there are; where time runs out there are fewer.
    """
    until = None if effort.seconds is None else monotonic() + effort.seconds
    size = effort.plays // PARTS
    yield searched(bench, 0, effort.plays - size * (PARTS - 1), effort.witnesses, until)
    if effort.workers > 1 and size:
        yield from _spread(bench.task, size, effort, until)
        return
    for number in range(1, PARTS if size else 1):
        yield searched(bench, number, size, effort.witnesses, until)


def _spread(task: Task, size: int, effort: Effort, until: float | None) -> Iterator[Shard]:
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    pool = ProcessPoolExecutor(effort.workers, initializer=_begin, initargs=(task,))
    try:
        parts = [pool.submit(_part, number, size, effort.witnesses, until) for number in range(1, PARTS)]
        for each in parts:
            yield each.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_BENCHES: list[Bench] = []
"""That of a worker, made once for all its parts."""


def _begin(task: Task) -> None:
    _BENCHES[:] = [Bench(task)]


def _part(number: int, size: int, enough: int, until: float | None) -> Shard:
    return searched(_BENCHES[0], number, size, enough, until)
