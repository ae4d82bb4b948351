"""The parts of a search, and what is made smaller, in this process or in several."""

from collections.abc import Iterator, Sequence

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.checking import Alone, Check
from rulewright.comparing.playing.data import Effort
from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.searching import Shard, searched
from rulewright.comparing.playing.shrinking import shrunk
from rulewright.comparing.playing.work import Work
from rulewright.frozen import dataclass
from rulewright.workers import started_workers

PARTS = 8


def shards(bench: Bench, work: Work, effort: Effort) -> Iterator[Shard]:
    """The parts of a search in order, each with the same share of the work: one here first, then as they are wanted.

    Which plays a part makes does not depend on how many processes there are. What the parts cost is for the caller to
    take from the work: of parts that were made and are not wanted nothing counts.
    """
    share = work.part(work.left // PARTS)
    yield searched(bench, 0, effort.witnesses, share.part(share.left))
    if effort.workers > 1:
        yield from _spread(bench.task, share, effort)
        return
    for number in range(1, PARTS):
        yield searched(bench, number, effort.witnesses, share.part(share.left))


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest play like another that shows the same edit; none where it does not part again. What that cost."""

    found: Found | None
    work: int
    cut: bool


def smallest(
    bench: Bench, found: Sequence[tuple[Found, Alone | None]], work: Work, effort: Effort
) -> Iterator[Smallest]:
    """The smallest play like each of some, in order, each with the same share of the work."""
    share = work.part(work.left // max(1, len(found)))
    if effort.workers <= 1 or len(found) <= 1:
        yield from (_smallest(bench, *each, effort.shrinks, share.part(share.left)) for each in found)
        return
    with started_workers(effort.workers, _begin, bench.task) as pool:
        yield from pool.map(_shrunk, *zip(*found, strict=True), [effort.shrinks] * len(found), [share] * len(found))


def _smallest(bench: Bench, each: Found, alone: Alone | None, most: int, work: Work) -> Smallest:
    before = work.left
    if alone is None:
        made = shrunk(bench, each, most, work)
    else:
        check = Check(alone, bench)
        made = shrunk(bench, each, most, work, lambda smaller: check.credited(smaller, work))
    return Smallest(made, before - work.left, work.cut)


def _spread(task: Task, share: Work, effort: Effort) -> Iterator[Shard]:
    pool = started_workers(effort.workers, _begin, task)
    try:
        parts = [pool.submit(_part, number, effort.witnesses, share) for number in range(1, PARTS)]
        for each in parts:
            yield each.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_BENCHES: list[Bench] = []
"""That of a worker, made once for all its parts."""


def _begin(task: Task) -> None:
    _BENCHES[:] = [Bench(task)]


def _shrunk(each: Found, alone: Alone | None, most: int, share: Work) -> Smallest:
    return _smallest(_BENCHES[0], each, alone, most, share.part(share.left))


def _part(number: int, enough: int, share: Work) -> Shard:
    return searched(_BENCHES[0], number, enough, share.part(share.left))
