"""The parts of a search, and what is made smaller, in this process or in several."""

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.checking import Alone, Check
from rulewright.comparing.playing.data import Effort
from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.searching import Shard, searched
from rulewright.comparing.playing.shrinking import shrunk

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

PARTS = 8


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


def smallest(bench: Bench, found: Sequence[tuple[Found, Alone | None]], effort: Effort) -> Iterator[Found | None]:
    """The smallest play like each of some, in order, that shows the same edit; none where one does not part again."""
    if effort.workers <= 1 or len(found) <= 1:
        yield from (_smallest(bench, *each, effort.shrinks) for each in found)
        return
    with _pool(bench.task, effort) as pool:
        yield from pool.map(_shrunk, *zip(*found, strict=True), [effort.shrinks] * len(found))


def _smallest(bench: Bench, each: Found, alone: Alone | None, most: int) -> Found | None:
    return shrunk(bench, each, most) if alone is None else shrunk(bench, each, most, Check(alone).shows)


def _pool(task: Task, effort: Effort) -> "ProcessPoolExecutor":
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    return ProcessPoolExecutor(effort.workers, initializer=_begin, initargs=(task,))


def _spread(task: Task, size: int, effort: Effort, until: float | None) -> Iterator[Shard]:
    pool = _pool(task, effort)
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


def _shrunk(each: Found, alone: Alone | None, most: int) -> Found | None:
    return _smallest(_BENCHES[0], each, alone, most)


def _part(number: int, size: int, enough: int, until: float | None) -> Shard:
    return searched(_BENCHES[0], number, size, enough, until)
