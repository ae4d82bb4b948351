"""What `simulate` tells: tables for people, JSON, and rows for a spreadsheet."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_values import is_ordered, percent, reasons_told, table, value_json
from rulewright.cli.output import Output
from rulewright.cli.sweep_tables import Line, at_start, csv_lines, start_json, sweep_table
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.simulation import CONFIDENCE, Counted, confidence_interval, mean, shares

PERCENT = 100


@dataclass(frozen=True, slots=True)
class CountedFrom:
    """What was counted from one start."""

    at: tuple[Value, ...]  # the value of each thing that is varied
    play: PlayToMeasure  # what begins there
    counted: Counted  # what came of its plays; of none where the rules do not let it begin
    refused: tuple[Reason, ...] = ()  # why they do not


def counts_lines(found: CountedFrom, seed: int, out: Output) -> Iterator[str]:
    """What was counted from one start, for people."""
    counted, procedure = found.counted, found.play.begun.procedure
    title = out.paint(visible(procedure.title or procedure.name), "strong")
    yield f"{title}: {counted.plays:,} plays, seed {seed}; intervals hold {CONFIDENCE:.0%} of the time"
    for number in range(len(found.play.measures)):
        yield ""
        yield from _table(found, number, out)
    for (code, message), often in counted.faults.items():
        said = f"{code}: {message}" if code else message
        yield ""
        yield visible(f"{often:,} plays cannot be carried on: {said}")


def _table(found: CountedFrom, number: int, out: Output) -> Iterator[str]:
    counted, names = found.counted, found.play.begun.names
    measure, counts = found.play.measures[number], counted.values[number]
    yield out.paint(visible(measure.text), "strong")
    likely = shares(counts, counted.plays)
    told = [
        (value, share, f"{percent(share)}  {'{:.2f} to {:.2f} %'.format(*_interval(counts[value], counted.plays))}")
        for value, share in likely.items()
    ]
    yield from table(measure, told, names, out)
    about = mean(measure, counts)
    if about is not None and is_ordered(measure, likely):
        yield f"  on average {about[0]:.4g} ± {about[1]:.2g}"


def _interval(came: int, plays: int) -> tuple[float, float]:
    low, high = confidence_interval(came, plays)
    return low * PERCENT, high * PERCENT


def counts_sweep(found: Sequence[CountedFrom], asked: AskedPlay, seed: int, out: Output) -> Iterator[str]:
    """What was counted from several starts, for people: a table for each measure."""
    procedure, names = asked.play.begun.procedure, asked.play.begun.names
    title = out.paint(visible(procedure.title or procedure.name), "strong")
    yield f"{title}: {len(found):,} starts, seed {seed}; the truth is within the ± told {CONFIDENCE:.0%} of the time"
    for number, measure in enumerate(asked.play.measures):
        yield ""
        yield from sweep_table(measure, asked.varied, [_line(each, number, asked) for each in found], names, out)


def _line(found: CountedFrom, number: int, asked: AskedPlay) -> Line:
    counted, measure = found.counted, found.play.measures[number]
    at = at_start(asked.varied, found.at, found.play.begun.names)
    if found.refused:
        return Line(at, {}, "", {"cannot begin": "; ".join(reasons_told(found.refused, found.play))})
    counts, about = counted.values[number], mean(measure, counted.values[number])
    told = {value: _about(counts[value], counted.plays) for value in counts}
    faulty = sum(counted.faults.values())
    rest = {"plays": f"{counted.plays:,}"} | ({"cannot be carried on": f"{faulty:,}"} if faulty else {})
    return Line(at, told, "" if about is None else f"{about[0]:.4g} ± {about[1]:.2g}", rest)


def _about(came: int, plays: int) -> str:
    low, high = _interval(came, plays)
    return f"{came / plays * PERCENT:.2f} ± {(high - low) / 2:.2f} %"


def counts_document(found: Sequence[CountedFrom], asked: AskedPlay, seed: int) -> dict[str, Any]:
    """What was counted as data: from one start, or from all that a sweep has."""
    begun = asked.play.begun
    program = begun.executable.program
    head = {
        "version": 1,
        "ruleset": program.name,
        "fingerprint": program.fingerprint,
        "procedure": begun.procedure.name,
        "seed": seed,
        "confidence": CONFIDENCE,
    }
    if not asked.varied:
        return head | _data(found[0])
    return head | {
        "vary": [each.path for each in asked.varied],
        "starts": [{"at": start_json(asked.varied, each.at, begun.names)} | _data(each) for each in found],
    }


def _data(found: CountedFrom) -> dict[str, Any]:
    if found.refused:
        return {"refused": reasons_told(found.refused, found.play)}
    return {
        "plays": found.counted.plays,
        "counts": [_counts(found, number) for number in range(len(found.play.measures))],
        "faults": [
            {"code": code, "message": message, "plays": often}
            for (code, message), often in found.counted.faults.items()
        ],
    }


def _counts(found: CountedFrom, number: int) -> dict[str, Any]:
    measure, counts, plays = found.play.measures[number], found.counted.values[number], found.counted.plays
    about = mean(measure, counts)
    return {
        "of": measure.text,
        "values": [
            {
                "value": value_json(value, measure, found.play.begun.names),
                "plays": counts[value],
                "interval": confidence_interval(counts[value], plays),
            }
            for value in shares(counts, plays)
        ],
        "mean": None if about is None else {"about": about[0], "within": about[1]},
    }


def counts_rows(found: Sequence[CountedFrom], asked: AskedPlay) -> Iterator[str]:
    """A row for each value of each measure from each start, with the interval; and what cannot be carried on."""
    heads = [*(each.path for each in asked.varied), "of", "value", "plays", "of plays", "low", "high"]
    rows = ((*at_start(asked.varied, each.at, each.play.begun.names), *row) for each in found for row in _rows(each))
    return csv_lines(heads, rows)


def _rows(found: CountedFrom) -> Iterator[tuple[object, ...]]:
    if found.refused:
        yield "", "cannot begin", 0, 0, "", ""
        return
    plays, names = found.counted.plays, found.play.begun.names
    for measure, counts in zip(found.play.measures, found.counted.values, strict=True):
        for value in shares(counts, plays):
            shown = "" if value is None else show(value, measure.type, names)
            yield measure.text, shown, counts[value], plays, *confidence_interval(counts[value], plays)
    for (code, _), often in found.counted.faults.items():
        yield "", f"cannot be carried on {code}".strip(), often, plays, *confidence_interval(often, plays)
