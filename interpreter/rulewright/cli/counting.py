"""Plays and pairs of plays that are counted in parts: by this process or several, until there are enough."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from time import monotonic

from rulewright.cli.asked_odds import AskedOdds, AskedPlay, opened
from rulewright.cli.odds_refused import no_condition
from rulewright.cli.output import Stop, lasting, stopped
from rulewright.cli.simulate_kept import Kept
from rulewright.cluster import Cluster, ClusterError, is_installed
from rulewright.installing import installing
from rulewright.odds.batch.playing import Plays
from rulewright.odds.conditions import NoConditionError, among
from rulewright.odds.pairs import Side, differences
from rulewright.odds.simulation import Counted, UnansweredError, confidence_interval
from rulewright.workers import Processes, Workers

PART = 500
"""So many plays are counted together; whether they suffice is asked between them."""
_BATCH = 2_000
"""So many plays are worth the beginning of the batch path."""
_ALONE = 2_000_000
"""So many plays of the batch path are over before other processes have begun."""
_LARGE = 1 << 17
_SOON = 0.1
"""A part that took less seconds may be followed by one twice as large."""
_FAR = 1.0
"""Seconds that what is sent to a worker of a cluster takes, about, so that its scheduler keeps up."""
_MANY = 4_000
"""So many parts are sent together at most."""


class Table:
    """What is counted: plays, or pairs of plays.

    Attributes:
        asked: the plays; of pairs those of the second too.
        is_paired: whether plays are paired.
        earliest: number of the first start that is counted.
        plays: what is played from each start.
    """

    def __init__(self, written: AskedOdds, other: AskedOdds | None, *, first: bool) -> None:
        """`first` says whether each start is paired with the first.

        Raises:
            Stop: RW1135, what is varied has other values in the second of a pair; RW1209, only some plays are asked of
                in pairs; what `opened` raises.
        """
        asked = opened(written)
        beside = opened(other) if other is not None else asked
        self.is_paired = first or other is not None
        if self.is_paired and asked.play.conditions:
            message = "pairs of plays are compared whole, so a condition cannot choose among them"
            raise stopped("RW1209", message, "count each by itself, with `--given` and without `--against`")
        self.asked: tuple[AskedPlay, ...] = (asked, beside) if self.is_paired else (asked,)
        self.earliest = 1 if first else 0
        ours = [Side(play, asked.answers) for _, play in asked.starts]
        theirs = [Side(play, beside.answers) for _, play in beside.starts]
        if len(ours) != len(theirs):
            message = f"what is varied has {len(ours)} values here and {len(theirs)} there"
            raise stopped("RW1135", message, "say which: `--vary PATH=VALUES`")
        if first and len(ours) == 1:
            message = "`--against-first` compares starts with the first of them, and there is no other"
            raise stopped("RW1135", message, "vary more: `--vary PATH=1..3`")
        pairs = zip(ours[:1] * len(theirs) if first else ours, theirs, strict=True)
        self.plays = Plays(tuple(pairs) if self.is_paired else tuple((each,) for each in ours))


class Players:
    """Who plays: this process, several of this machine, or those of a cluster."""

    def __init__(self, table: Table, workers: int, cluster: str | None = None) -> None:
        """`cluster` is the address of one, whose workers play instead of those of this machine.

        Raises:
            Stop: RW1221, the library for clusters is not installed; RW1222, the cluster cannot be worked with.
        """
        self.table = table  # what is counted
        self._count = workers
        self._is_far = cluster is not None
        self._workers: Workers | None = None if cluster is None else _joined(cluster, table.plays)

    def parts(
        self, start: int, seed: int, runs: int, done: int = 0, *, together: bool = False
    ) -> Generator[Counted, None, None]:
        """The plays from a start in parts, in order, without those that are done.

        `together` says that nothing is asked between parts, so that they may be larger where they are soon over.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            Stop: a play stops at a question that nobody answers; RW1222, the cluster is lost.
        """
        plays, batch, end = self.table.plays, runs - done >= _BATCH, min(done - done % PART + PART, runs)
        try:
            begun = monotonic()
            yield plays.counted(start, seed, range(done, end), batch=batch)
            took = monotonic() - begun
            batch = plays.is_batch(start)
            if end < runs and (self._is_far or (self._count > 1 and not (batch and runs - end <= _ALONE))):
                size = _LARGE if batch and together else PART
                wanted = ((start, seed, range(at, min(at + size, runs)), batch) for at in range(end, runs, size))
                self._workers = self._workers or Processes(self._count, plays)
                yield from self._workers.map(_part, wanted, max(1, min(_MANY, int(_FAR / max(took, 0.001)))))
                return
            size = PART
            while end < runs:
                begun, first = monotonic(), end
                end = min(end + size, runs)
                yield plays.counted(start, seed, range(first, end), batch=batch)
                if batch and together and monotonic() - begun < _SOON:
                    size = min(2 * size, _LARGE)
        except UnansweredError as unanswered:
            raise Stop(unanswered.diagnostics) from None
        except NoConditionError as lacking:
            raise Stop([no_condition(lacking.text)]) from None
        except ClusterError as lost:
            raise stopped("RW1222", lost.message, lost.remedy) from None

    def close(self) -> None:
        """Ends the processes."""
        if self._workers is not None:
            self._workers.close()


def _joined(address: str, plays: Plays) -> Cluster:
    if not is_installed():
        raise stopped("RW1221", "the library for clusters is not installed", f"`{installing('cluster')}`")
    try:
        return Cluster(address, plays)
    except ClusterError as error:
        raise stopped("RW1222", error.message, error.remedy) from None


def _part(plays: Plays, wanted: tuple[int, int, range, bool]) -> Counted:
    start, seed, numbers, batch = wanted
    return plays.counted(start, seed, numbers, batch=batch)


def is_within(counted: Counted, wanted: float, table: Table) -> bool:
    """Whether every share is known as closely as is wanted: its interval reaches no further to either side."""
    return all(width <= 2 * wanted for width in _widths(counted, table))


def _widths(counted: Counted, table: Table) -> Iterator[float]:
    """How wide the interval of each share is, of pairs that of each difference."""
    if table.is_paired:
        yield from (each.high - each.low for joint in counted.values for each in differences(joint, counted.plays))
        return
    for counts in counted.values:
        asked = among(counts)
        plays = sum(asked.values()) if len(asked) < len(counts) else counted.plays
        for often in asked.values() or (0,):
            low, high = confidence_interval(often, plays)
            yield high - low
    for often in counted.faults.values():
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
                    left = lasting((whole - counted.plays) / rate)
                    tell(f"{counted.plays:,} of {whole:,} plays, {rate:,.0f} a second, {left} left")
                    if is_enough():
                        break
    except KeyboardInterrupt:
        return False
    finally:
        kept.keep(number, counted, now=True)
    return True
