"""The verb `simulate`: plays with seeded dice, counted."""

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from os import cpu_count
from time import monotonic
from typing import Any

import click

from rulewright.cli.asked_odds import (
    AskedOdds,
    asked_by,
    asking_options,
    is_ordered,
    opened,
    table,
    tell_refused,
    value_json,
)
from rulewright.cli.options import LARGEST_SEED, Number, WholeNumber, format_option, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, output
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.chance import fresh_seed
from rulewright.inputs.names import Names
from rulewright.inputs.script import Script
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import CannotBeginError
from rulewright.odds.simulation import (
    CONFIDENCE,
    Counted,
    UnansweredError,
    interval,
    mean,
    nothing_counted,
    shares,
    simulated,
)
from rulewright.workers import started_workers

_PLAYS = 10_000
_PART = 500
"""So many plays are counted together; whether they suffice is asked between them."""
_PERCENT = 100
_MOST_WORKERS = 64


@verb("simulate")
@asking_options
@click.option("--runs", type=WholeNumber(1), default=_PLAYS, metavar="N", help="how many plays; 10000 unless given")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), metavar="N", help="where the dice come from")
@click.option("--within", type=Number(0, 50), metavar="PERCENT", help="enough when every share is known as closely")
@click.option("--workers", type=WholeNumber(1, _MOST_WORKERS), metavar="N", help="how many play at the same time")
@format_option
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

    The same seed gives the same counts, with however many workers. An interruption tells what was counted until then.
    Where `odds` comes to an end use that: it is exact.

    Exits with 1 where some plays meet a fault, 2 where a question has no answer.
    """
    out, asked = output(form), asked_by(given)
    opening, play = opened(asked)
    seed = fresh_seed() if seed is None else seed
    workers = workers or (min(cpu_count() or 1, runs // _PART) or 1)
    parts = _parts(asked, (play, opening.script), seed, runs, workers)
    try:
        counted = _counted(parts, play, (runs, within), out)
    except CannotBeginError as refused:
        tell_refused(refused.reasons, play, out)
        return Exit.FOUND
    if not counted.plays:
        raise KeyboardInterrupt
    if out.form == "json":
        out.data(_document(counted, play, seed))
    else:
        for line in _lines(counted, play, seed, out):
            out.say(line)
    return Exit.FOUND if counted.faults else Exit.FINE


def _counted(
    parts: Generator[Counted, None, None], play: PlayToMeasure, enough: tuple[int, float | None], out: Output
) -> Counted:
    """All plays, those that are enough, or those until an interruption."""
    runs, within = enough
    begun, counted = monotonic(), nothing_counted(len(play.measures))
    with Progress(0, out) as progress, closing(parts), suppress(KeyboardInterrupt):
        for part in parts:
            counted = counted.plus(part)
            rate = counted.plays / max(monotonic() - begun, 0.001)
            progress.tell(f"{counted.plays:,} of {runs:,} plays, {rate:,.0f} a second")
            if within is not None and _is_within(counted, within / _PERCENT):
                break
    return counted


def _parts(
    asked: AskedOdds, play: tuple[PlayToMeasure, Script | None], seed: int, runs: int, workers: int
) -> Generator[Counted, None, None]:
    """The plays in parts, in order.

    Raises:
        Stop: a play stops at a question that nobody answers.
    """
    ranges = [range(first, min(first + _PART, runs)) for first in range(0, runs, _PART)]
    try:
        if workers == 1 or len(ranges) == 1:
            yield from (simulated(*play, asked.policy, seed, each) for each in ranges)
            return
        pool = started_workers(workers, _begin, asked)
        try:
            yield from pool.map(_part, [(seed, each) for each in ranges])
        finally:
            pool.shutdown(cancel_futures=True)
    except UnansweredError as stopped:
        raise Stop(stopped.diagnostics) from None


_opened: list[tuple[PlayToMeasure, Script | None, str]] = []
"""Of a process that plays for another: its play."""


def _begin(asked: AskedOdds) -> None:
    opening, play = opened(asked)
    _opened.append((play, opening.script, asked.policy))


def _part(given: tuple[int, range]) -> Counted:
    play, script, policy = _opened[0]
    return simulated(play, script, policy, *given)


def _is_within(counted: Counted, wanted: float) -> bool:
    ends = (interval(often, counted.plays) for counts in counted.values for often in counts.values())
    return all(high - low <= 2 * wanted for low, high in ends)


def _lines(counted: Counted, play: PlayToMeasure, seed: int, out: Output) -> Iterator[str]:
    procedure = play.begun.procedure
    title = out.paint(visible(procedure.title or procedure.name), "strong")
    yield f"{title}: {counted.plays:,} plays, seed {seed}; intervals hold {CONFIDENCE:.0%} of the time"
    for number in range(len(play.measures)):
        yield ""
        yield from _table(counted, play, number, out)
    for (code, message), often in counted.faults.items():
        said = f"{code}: {message}" if code else message
        yield ""
        yield visible(f"{often:,} plays cannot be carried on: {said}")


def _table(counted: Counted, play: PlayToMeasure, number: int, out: Output) -> Iterator[str]:
    measure, counts, names = play.measures[number], counted.values[number], play.begun.names
    yield out.paint(visible(measure.text), "strong")
    likely = shares(counts, counted.plays)
    beside = ["{:.2f} to {:.2f} %".format(*_interval(counts[value], counted.plays)) for value in likely]
    yield from table(measure, likely, beside, names, out)
    found = mean(measure, counts)
    if found is not None and is_ordered(measure, likely):
        yield f"  on average {found[0]:.4g} ± {found[1]:.2g}"


def _interval(came: int, plays: int) -> tuple[float, float]:
    low, high = interval(came, plays)
    return low * _PERCENT, high * _PERCENT


def _document(counted: Counted, play: PlayToMeasure, seed: int) -> dict[str, Any]:
    program = play.begun.executable.program
    return {
        "version": 1,
        "ruleset": program.name,
        "fingerprint": program.fingerprint,
        "procedure": play.begun.procedure.name,
        "seed": seed,
        "plays": counted.plays,
        "confidence": CONFIDENCE,
        "counts": [_counts(counted, play, number, play.begun.names) for number in range(len(play.measures))],
        "faults": [
            {"code": code, "message": message, "plays": often} for (code, message), often in counted.faults.items()
        ],
    }


def _counts(counted: Counted, play: PlayToMeasure, number: int, names: Names) -> dict[str, Any]:
    measure, counts = play.measures[number], counted.values[number]
    found = mean(measure, counts)
    return {
        "of": measure.text,
        "values": [
            {
                "value": value_json(value, measure, names),
                "plays": counts[value],
                "interval": interval(counts[value], counted.plays),
            }
            for value in shares(counts, counted.plays)
        ],
        "mean": None if found is None else {"about": found[0], "within": found[1]},
    }
