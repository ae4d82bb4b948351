"""Plays and pairs of plays that are counted in parts: by this process or several, until there are enough."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from rulewright.cli.asked_odds import AskedOdds, AskedPlay, opened
from rulewright.cli.output import Stop
from rulewright.cli.simulate_kept import Kept
from rulewright.odds.batch.playing import Playing
from rulewright.odds.pairs import Side, differences, paired
from rulewright.odds.simulation import Counted, UnansweredError, confidence_interval
from rulewright.workers import started_workers

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

PART = 500
"""So many plays are counted together; whether they suffice is asked between them."""
_BATCH = 2_000
"""So many plays are worth the beginning of the batch path."""
_ALONE = 2_000_000
"""So many plays of the batch path are over before other processes have begun."""
_LARGE = 1 << 17
_SOON = 0.1
"""A part that took less seconds may be followed by one twice as large."""
_MINUTE = 60


class Table:
    """What is counted: plays, or pairs of plays.

    Attributes:
        asked: the plays; of pairs those of the second too.
        is_paired: whether plays are paired.
        earliest: number of the first start that is counted.
    """

    def __init__(self, written: AskedOdds, other: AskedOdds | None, *, first: bool) -> None:
        """`first` says whether each start is paired with the first."""
        self._given = written, other, first
        asked = opened(written)
        beside = opened(other) if other is not None else asked
        self.is_paired = first or other is not None
        self.asked: tuple[AskedPlay, ...] = (asked, beside) if self.is_paired else (asked,)
        self.earliest = 1 if first else 0
        self._is_first = first
        self._playing: dict[int, Playing] = {}

    def __reduce__(self) -> tuple[Callable[..., "Table"], tuple[object, ...]]:
        """Another process opens it for itself."""
        written, other, first = self._given
        return partial(Table, first=first), (written, other)

    def played(self, start: int, seed: int, plays: range, *, batch: bool = False) -> Counted:
        """Plays or pairs from a start; raises as `simulated`.

        `batch` says whether so much is played that the batch path is worth its beginning.
        """
        first = self.asked[0]
        if not self.is_paired:
            if start not in self._playing:
                self._playing[start] = Playing(first.starts[start][1], first.answers, batch=batch)
            return self._playing[start].counted(seed, plays)
        before = Side(first.starts[0 if self._is_first else start][1], first.answers)
        return paired((before, Side(self.asked[1].starts[start][1], self.asked[1].answers)), seed, plays)

    def is_batch(self, start: int) -> bool:
        """Whether the batch path plays from a start, as far as it was tried."""
        return start in self._playing and self._playing[start].is_batch

    def refused(self, start: int) -> str:
        """Why the batch path does not play from a start; empty where there is no reason."""
        return self._playing[start].refused if start in self._playing else ""


class Players:
    """Who plays: this process, or several that each open the play for themselves.

    Attributes:
        table: what is counted.
    """

    def __init__(self, table: Table, workers: int) -> None:
        self.table = table
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def parts(
        self, start: int, seed: int, runs: int, done: int = 0, *, together: bool = False
    ) -> Generator[Counted, None, None]:
        """The plays from a start in parts, in order, without those that are done.

        `together` says that nothing is asked between parts, so that they may be larger where they are soon over.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            Stop: a play stops at a question that nobody answers.
        """
        batch, end = runs - done >= _BATCH, min(done - done % PART + PART, runs)
        try:
            yield self.table.played(start, seed, range(done, end), batch=batch)
            batch = self.table.is_batch(start)
            if self._workers > 1 and end < runs and not (batch and runs - end <= _ALONE):
                size = _LARGE if batch and together else PART
                wanted = [(start, seed, range(at, min(at + size, runs)), batch) for at in range(end, runs, size)]
                self._pool = self._pool or started_workers(self._workers, _begin, self.table)
                yield from self._pool.map(_part, wanted)
                return
            size = PART
            while end < runs:
                begun, first = monotonic(), end
                end = min(end + size, runs)
                yield self.table.played(start, seed, range(first, end), batch=batch)
                if batch and together and monotonic() - begun < _SOON:
                    size = min(2 * size, _LARGE)
        except UnansweredError as stopped:
            raise Stop(stopped.diagnostics) from None

    def close(self) -> None:
        """Ends the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


_tables: list[Table] = []
"""Of a process that plays for another: what it plays."""


def _begin(table: Table) -> None:
    _tables.append(table)


def _part(wanted: tuple[int, int, range, bool]) -> Counted:
    start, seed, plays, batch = wanted
    return _tables[0].played(start, seed, plays, batch=batch)


def is_within(counted: Counted, wanted: float, table: Table) -> bool:
    """Whether every share is known as closely as is wanted: its interval reaches no further to either side."""
    return all(width <= 2 * wanted for width in _widths(counted, table))


def _widths(counted: Counted, table: Table) -> Iterator[float]:
    """How wide the interval of each share is, of pairs that of each difference."""
    if table.is_paired:
        yield from (each.high - each.low for joint in counted.values for each in differences(joint, counted.plays))
        return
    for often in (*(often for counts in counted.values for often in counts.values()), *counted.faults.values()):
        low, high = confidence_interval(often, counted.plays)
        yield high - low


def wanted_plays(counted: Counted, wanted: float, table: Table) -> int | None:
    """So many plays have intervals as narrow, to two figures; none where no number has."""
    if not wanted or not counted.plays:
        return None
    plays = round(counted.plays * (max(_widths(counted, table), default=0.0) / (2 * wanted)) ** 2) + 1
    rounding: int = 10 ** max(len(str(plays)) - 2, 0)
    return -(-plays // rounding) * rounding


def count(
    players: Players, number: int, enough: tuple[int, float | None], kept: Kept, tell: Callable[[str], None]
) -> bool:
    """Counts all plays of a start, those that are enough, or those until an interruption; whether there was none."""
    runs, within = enough
    begun, counted = monotonic(), kept.counted[number]
    before = counted.plays

    def is_enough() -> bool:
        return within is not None and counted.plays > 0 and is_within(counted, within, players.table)

    try:
        if counted.plays < runs and not (counted.plays % PART == 0 and is_enough()):
            with closing(players.parts(number, kept.seed, runs, counted.plays, together=within is None)) as parts:
                for part in parts:
                    counted = counted.plus(part)
                    kept.keep(number, counted)
                    rate = (counted.plays - before) / max(monotonic() - begun, 0.001)
                    whole = min(runs, wanted_plays(counted, within or 0, players.table) or runs)
                    left = _time((whole - counted.plays) / rate)
                    tell(f"{counted.plays:,} of {whole:,} plays, {rate:,.0f} a second, {left} left")
                    if is_enough():
                        break
    except KeyboardInterrupt:
        return False
    finally:
        kept.keep(number, counted, now=True)
    return True


def _time(seconds: float) -> str:
    """`12 s`, `3 min`, `2.5 h`."""
    if seconds < _MINUTE:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _MINUTE**2 else f"{seconds / _MINUTE**2:.1f} h"
