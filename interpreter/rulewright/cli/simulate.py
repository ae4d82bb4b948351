"""The verb `simulate`: plays with seeded dice, counted."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from os import cpu_count
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.asked_odds import AskedOdds, AskedPlay, asked_by, asking_options, opened
from rulewright.cli.odds_values import tell_refused
from rulewright.cli.options import LARGEST_SEED, Number, WholeNumber, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, output
from rulewright.cli.simulate_report import (
    PERCENT,
    CountedFrom,
    counts_document,
    counts_lines,
    counts_rows,
    counts_sweep,
)
from rulewright.drivers.chance import fresh_seed
from rulewright.odds.odds import CannotBeginError
from rulewright.odds.simulation import Counted, UnansweredError, confidence_interval, nothing_counted, simulated
from rulewright.workers import started_workers

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_PLAYS = 10_000
_PART = 500
"""So many plays are counted together; whether they suffice is asked between them."""
_MOST_WORKERS = 64


@verb("simulate")
@asking_options
@click.option("--runs", type=WholeNumber(1), default=_PLAYS, metavar="N", help="how many plays; 10000 unless given")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), metavar="N", help="where the dice come from")
@click.option("--within", type=Number(0, 50), metavar="PERCENT", help="enough when every share is known as closely")
@click.option("--workers", type=WholeNumber(1, _MOST_WORKERS), metavar="N", help="how many play at the same time")
def command(
    *,
    runs: int,
    seed: int | None,
    within: float | None,
    workers: int | None,
    form: str | None,
    **given: Any,  # noqa: ANN401 - as `asking_options` gives them
) -> int:
    """Plays a procedure many times and counts what EXPRESSION is worth at the end, with 95 % intervals.

    The same seed gives the same counts, with however many workers, and the same dice from each start of `--vary`. An
    interruption tells what was counted until then. Where `odds` comes to an end use that: it is exact.

    Exits with 1 where some plays meet a fault or cannot begin, 2 where a question has no answer.
    """
    out, written = output(form), asked_by(given)
    asked = opened(written)
    seed = fresh_seed() if seed is None else seed
    workers = workers or (min(cpu_count() or 1, runs // _PART) or 1)
    with closing(Players(written, asked, workers)) as players:
        found = tuple(_each(asked, players, (seed, runs, within), out))
    if not found:
        raise KeyboardInterrupt
    if not asked.varied and found[0].refused:
        tell_refused(found[0].refused, asked.play, out)
    elif out.form == "json":
        out.data(counts_document(found, asked, seed))
    else:
        for line in _lines(found, asked, seed, out):
            out.say(line)
    return Exit.FOUND if any(each.refused or each.counted.faults for each in found) else Exit.FINE


def _lines(found: Sequence[CountedFrom], asked: AskedPlay, seed: int, out: Output) -> Iterator[str]:
    if out.form == "csv":
        return counts_rows(found, asked)
    return counts_sweep(found, asked, seed, out) if asked.varied else counts_lines(found[0], seed, out)


def _each(
    asked: AskedPlay, players: "Players", enough: tuple[int, int, float | None], out: Output
) -> Iterator[CountedFrom]:
    """What came of the plays from each start, until an interruption."""
    seed, runs, within = enough
    with Progress(0, out) as progress:
        for number, (at, play) in enumerate(asked.starts):
            parts = players.parts(number, seed, runs)
            before = f"{number:,} of {len(asked.starts):,} starts, " if asked.varied else ""
            try:
                counted, whole = _counted(parts, len(play.measures), (runs, within), partial(_tell, progress, before))
            except CannotBeginError as refused:
                yield CountedFrom(at, play, nothing_counted(len(play.measures)), refused.reasons)
                continue
            if counted.plays:
                yield CountedFrom(at, play, counted)
            if not whole:
                return


def _tell(progress: Progress, before: str, said: str) -> None:
    progress.tell(before + said)


def _counted(
    parts: Generator[Counted, None, None], measures: int, enough: tuple[int, float | None], tell: Callable[[str], None]
) -> tuple[Counted, bool]:
    """All plays, those that are enough, or those until an interruption; and whether there was none."""
    runs, within = enough
    begun, counted = monotonic(), nothing_counted(measures)
    with closing(parts):
        try:
            for part in parts:
                counted = counted.plus(part)
                rate = counted.plays / max(monotonic() - begun, 0.001)
                tell(f"{counted.plays:,} of {runs:,} plays, {rate:,.0f} a second")
                if within is not None and _is_within(counted, within / PERCENT):
                    break
        except KeyboardInterrupt:
            return counted, False
    return counted, True


class Players:
    """Who plays: this process, or several that each open the play for themselves."""

    def __init__(self, written: AskedOdds, asked: AskedPlay, workers: int) -> None:
        self._written = written
        self._asked = asked
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def parts(self, start: int, seed: int, runs: int) -> Generator[Counted, None, None]:
        """The plays from a start in parts, in order.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            Stop: a play stops at a question that nobody answers.
        """
        wanted = [(start, seed, range(first, min(first + _PART, runs))) for first in range(0, runs, _PART)]
        try:
            if self._workers == 1 or len(wanted) == 1:
                yield from (_played(self._asked, *each) for each in wanted)
                return
            self._pool = self._pool or started_workers(self._workers, _begin, self._written)
            yield from self._pool.map(_part, wanted)
        except UnansweredError as stopped:
            raise Stop(stopped.diagnostics) from None

    def close(self) -> None:
        """Ends the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


_opened: list[AskedPlay] = []
"""Of a process that plays for another: what it plays."""


def _begin(written: AskedOdds) -> None:
    _opened.append(opened(written))


def _part(wanted: tuple[int, int, range]) -> Counted:
    return _played(_opened[0], *wanted)


def _played(asked: AskedPlay, start: int, seed: int, plays: range) -> Counted:
    _, play = asked.starts[start]
    return simulated(play, asked.answers, seed, plays)


def _is_within(counted: Counted, wanted: float) -> bool:
    ends = (confidence_interval(often, counted.plays) for counts in counted.values for often in counts.values())
    return all(high - low <= 2 * wanted for low, high in ends)
