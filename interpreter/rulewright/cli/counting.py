"""Plays and pairs of plays that are counted in parts: by this process or several, until there are enough."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from rulewright.cli.asked_odds import AskedOdds, AskedPlay, opened
from rulewright.cli.output import Stop
from rulewright.cli.simulate_kept import Kept
from rulewright.odds.pairs import Side, differences, paired
from rulewright.odds.simulation import Counted, UnansweredError, confidence_interval, simulated
from rulewright.workers import started_workers

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

PART = 500
"""So many plays are counted together; whether they suffice is asked between them."""
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

    def __reduce__(self) -> tuple[Callable[..., "Table"], tuple[object, ...]]:
        """Another process opens it for itself."""
        written, other, first = self._given
        return partial(Table, first=first), (written, other)

    def played(self, start: int, seed: int, plays: range) -> Counted:
        """Plays or pairs from a start; raises as `simulated`."""
        first = self.asked[0]
        if not self.is_paired:
            return simulated(first.starts[start][1], first.answers, seed, plays)
        before = Side(first.starts[0 if self._is_first else start][1], first.answers)
        return paired((before, Side(self.asked[1].starts[start][1], self.asked[1].answers)), seed, plays)


class Players:
    """Who plays: this process, or several that each open the play for themselves.

    Attributes:
        table: what is counted.
    """

    def __init__(self, table: Table, workers: int) -> None:
        self.table = table
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def parts(self, start: int, seed: int, runs: int, done: int = 0) -> Generator[Counted, None, None]:
        """The plays from a start in parts, in order, without those that are done.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            Stop: a play stops at a question that nobody answers.
        """
        ends = [*range(done - done % PART + PART, runs, PART), runs]
        wanted = [(start, seed, range(first, end)) for first, end in zip([done, *ends], ends, strict=False)]
        try:
            if self._workers == 1 or len(wanted) == 1:
                yield from (self.table.played(*each) for each in wanted)
                return
            self._pool = self._pool or started_workers(self._workers, _begin, self.table)
            yield from self._pool.map(_part, wanted)
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


def _part(wanted: tuple[int, int, range]) -> Counted:
    return _tables[0].played(*wanted)


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
            with closing(players.parts(number, kept.seed, runs, counted.plays)) as parts:
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
