"""What `odds` tells: tables for people, JSON, and rows for a spreadsheet."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.cli.advice import worth
from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.following import left_open, size_json
from rulewright.cli.odds_values import (
    GRID,
    LONGEST_ASKED,
    NO_FRACTION,
    VALUES,
    Telling,
    cumulated,
    exactly,
    likelihood,
    mean_told,
    percent,
    reasons_told,
    table,
    value_json,
)
from rulewright.cli.output import Output
from rulewright.cli.pictures import Drawn, Shares, drawn, heat_of, lost_told
from rulewright.cli.sweep_tables import Line, at_start, csv_lines, grid, start_json, sweep_table
from rulewright.codecs.table import exactly_written, fraction_text, show
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.inputs.findings import quoted
from rulewright.inputs.names import Names
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.objectives import BestPlay
from rulewright.odds.odds import Distribution, Odds, from_least
from rulewright.odds.size import Size
from rulewright.odds.size_words import moments_told
from rulewright.program.types import FlagType


@dataclass(frozen=True, slots=True)
class OddsFrom:
    """What was found from one start."""

    at: tuple[Value, ...]  # the value of each thing that is varied
    play: PlayToMeasure  # what begins there
    odds: Odds | None  # of it; none where the rules do not let it begin
    refused: tuple[Reason, ...] = ()  # why they do not
    size: Size | None = None  # about how large the question is, where it was not followed to its end


def odds_lines(told: OddsFrom, found: Odds, most: int, out: Output, telling: Telling) -> Iterator[str]:
    """The odds from one start, for people."""
    begun = told.play.begun
    title = visible(begun.procedure.heading)
    yield f"{out.paint(title, 'strong')}: {moments_told(found.moments)}"
    for best in found.best:
        yield f"best play of {visible(begun.names.player(best.player))}: {_worth(best)}"
    for each in found.distributions:
        yield ""
        yield out.paint(visible(each.measure.text), "strong")
        yield from _table(each, begun.names, out, telling)
        yield from _among(each, told.play, telling[0])
    long = [one for each in found.distributions for one in each.likely.values() if exactly(one) == NO_FRACTION]
    if long and not telling[0]:
        way = "--as fraction" if all(one.denominator <= LONGEST_ASKED for one in long) else "--format json"
        yield ""
        yield f"{NO_FRACTION} stands for a long fraction: `{way}` prints it"
    yield from _rest(found, most)
    if told.size is not None and found.open:
        yield from left_open(found, told.size)


def starts_told(number: int) -> str:
    """How many starts there are."""
    return "one start" if number == 1 else f"{number:,} starts"


def _worth(best: BestPlay) -> str:
    told, text = worth(best.measure, best.low, best.high), f"`{visible(best.measure.text)}`"
    is_flag = isinstance(best.measure.type, FlagType)
    return f"{text} in {told} of all plays" if is_flag else f"{text} is {told} on average"


def _table(told: Distribution, names: Names, out: Output, telling: Telling) -> Iterator[str]:
    style, layout = telling
    exact = [likelihood(each, style) if style else f"{percent(each)}  {exactly(each)}" for each in told.likely.values()]
    rows = [(*each, said) for each, said in zip(told.likely.items(), exact, strict=True)]
    yield from table(told.measure, rows, names, out, layout)
    if told.mean is not None and len(told.likely) > 1:
        yield f"  on average {mean_told(told.mean)}"


def _among(told: Distribution, play: PlayToMeasure, style: str) -> Iterator[str]:
    """How many plays are asked of, where not all are."""
    if told.measure.given is None:
        return
    share = likelihood(told.given, style) if style else f"{percent(told.given).strip()} ({exactly(told.given)})"
    least = "at least " if told.open else ""
    yield visible(f"  this counts {least}{share} of all plays: those with {quoted(play.condition(told.measure))}")
    if told.open:
        yield f"  among them each value is as likely as shown, or up to {percent(told.open).strip()} more"


def _rest(found: Odds, most: int) -> Iterator[str]:
    """What does not come to an end, or was not looked at."""
    if found.faults or found.never or found.open or found.beyond:
        yield ""
    if found.beyond:
        many = len(str(int(1 / found.beyond))) - 1
        longer = ", or longer than is counted" if any(each.is_cut for each in found.distributions) else ""
        until = "goes on until the bound of a loop stops it" + longer
        if found.explodes:
            until = "has dice that explode further than is counted"
        yield f"left out: fewer than 1 play in 10^{many} {until}"
    for (code, message), likely in found.faults.items():
        said = f"{code}: {message}" if code else message
        yield visible(f"{percent(likely).strip()} of all plays cannot be carried on: {said}")
    if found.never:
        yield f"{percent(found.never).strip()} of all plays never end"
    if found.open and found.best:
        far = percent(found.open).strip()
        more = f" in {far} of all plays: each value is as likely as shown, or up to {far} more"
        yield f"{moments_told(found.moments)} do not show what is best{more if found.open < 1 else ''}"
        yield f"--most N follows more than {most:,} of them"
    elif found.open == 1:
        yield f"no play ends within the {found.moments:,} moments that were met; --most N follows more of them"
    elif found.open:
        far = percent(found.open).strip()
        yield f"{far} of all plays go beyond {most:,} moments: each value is as likely as shown, or up to {far} more"
        yield "--most N follows more of them"


def sweep_lines(found: Sequence[OddsFrom], asked: AskedPlay, most: int, out: Output, telling: Telling) -> Iterator[str]:
    """The odds from several starts, for people: a table for each measure."""
    style, layout = telling
    procedure, names = asked.play.begun.procedure, asked.play.begun.names
    yield f"{out.paint(visible(procedure.heading), 'strong')}: {starts_told(len(found))}"
    for number, measure in enumerate(asked.play.measures[: asked.play.told]):
        yield ""
        if layout == GRID:
            yield from grid(
                heat_of(measure, _shares(found, number, asked), asked, style, lost_told(_all_lost(found))), out
            )
            continue
        values = from_least({value for each in found if each.odds for value in each.odds.distributions[number].likely})
        lines = [_line(each, number, asked, values, telling) for each in found]
        yield from sweep_table(measure, asked.varied, lines, names, out, layout)
    if any(each.odds is not None and each.odds.open for each in found):
        yield ""
        yield f"`open` is the share of plays that go beyond {most:,} moments; --most N follows more of them"


def _line(found: OddsFrom, number: int, asked: AskedPlay, values: Sequence[Value], telling: Telling) -> Line:
    style, layout = telling
    names = found.play.begun.names
    at = at_start(asked.varied, found.at, names)
    if found.odds is None:
        return Line(at, {}, "", {"cannot begin": "; ".join(reasons_told(found.refused, found.play))})
    told = found.odds.distributions[number]
    mean = "" if told.mean is None else f"{float(told.mean):.4g}"
    likely = told.likely if layout == VALUES else cumulated(told.likely, values, layout)
    every = values if likely and style not in {"", "percent"} else likely
    shares = {value: likelihood(likely.get(value, Fraction(0)), style or "percent") for value in every}
    beside = {f"best for {visible(names.player(each.player))}": _between(each) for each in found.odds.best}
    if told.measure.given is not None:
        beside["of plays"] = likelihood(told.given, style or "percent")
    lost = _lost(found) | {"open": told.open}
    return Line(at, shares, mean, beside | {name: percent(each).strip() for name, each in lost.items() if each})


def _lost(found: OddsFrom) -> dict[str, Fraction]:
    """The shares of plays without an end, by what becomes of them."""
    if found.odds is None:
        return {"cannot begin": Fraction(1)}
    faulty = sum(found.odds.faults.values(), Fraction(0))
    return {"cannot be carried on": faulty, "never ends": found.odds.never, "open": found.odds.open}


def _all_lost(found: Sequence[OddsFrom]) -> list[tuple[str, Fraction]]:
    return [item for each in found for item in _lost(each).items()]


def odds_pictures(found: Sequence[OddsFrom], asked: AskedPlay, telling: Telling) -> list[Drawn]:
    """A picture of each measure, with its table."""
    each_of = [_shares(found, number, asked) for number in range(asked.play.told)]
    return drawn(each_of, asked, telling, _all_lost(found))


def _shares(found: Sequence[OddsFrom], number: int, asked: AskedPlay) -> list[Shares]:
    """How likely the values of a measure are from each start."""
    told = [(each, None if each.odds is None else each.odds.distributions[number]) for each in found]
    return [
        Shares(
            at_start(asked.varied, each.at, each.play.begun.names),
            {} if one is None else one.likely,
            None if one is None else one.mean,
        )
        for each, one in told
    ]


def _between(best: BestPlay) -> str:
    return " to ".join(dict.fromkeys(f"{float(each):.6g}" for each in (best.low, best.high)))


def odds_document(found: Sequence[OddsFrom], asked: AskedPlay, most: int) -> dict[str, Any]:
    """The odds as data: of one start, or of all that a sweep has."""
    begun, head = asked.play.begun, odds_head(asked.play, most)
    if not asked.varied:
        (only,) = found
        return head | _data(only)
    return head | {
        "vary": [each.path for each in asked.varied],
        "starts": [{"at": start_json(asked.varied, each.at, begun.names)} | _data(each) for each in found],
    }


def odds_head(play: PlayToMeasure, most: int) -> dict[str, Any]:
    """What was asked, as data."""
    begun = play.begun
    return {"version": 1, "ruleset": begun.executable.program.name, "procedure": begun.procedure.name, "most": most}


def _data(found: OddsFrom) -> dict[str, Any]:
    if found.odds is None:
        return {"refused": reasons_told(found.refused, found.play)}
    names, odds = found.play.begun.names, found.odds
    return {
        "moments": odds.moments,
        "odds": [
            {
                "of": each.measure.text,
                "values": [
                    {
                        "value": value_json(value, each.measure, names),
                        "likely": fraction_text(likely),
                        "about": float(likely),
                    }
                    for value, likely in each.likely.items()
                ],
                "mean": None if each.mean is None else exactly_written(each.mean),
                **_given(each, found.play),
            }
            for each in odds.distributions
        ],
        "faults": [
            {"code": code, "message": message, "likely": fraction_text(likely), "about": float(likely)}
            for (code, message), likely in odds.faults.items()
        ],
        **({"best": [_best(each, names) for each in odds.best]} if odds.best else {}),
        "never": str(odds.never),
        "open": str(odds.open),
        **({"size": size_json(found.size)} if found.size else {}),
        **({"beyond": str(odds.beyond)} if odds.beyond else {}),
    }


def _given(told: Distribution, play: PlayToMeasure) -> dict[str, Any]:
    """Of which plays a measure is told, as data; nothing where of all."""
    if told.measure.given is None:
        return {}
    share = {"likely": fraction_text(told.given), "about": float(told.given), "open": fraction_text(told.open)}
    return {"given": {"of": play.condition(told.measure)} | share}


def _best(best: BestPlay, names: Names) -> dict[str, Any]:
    low, high = exactly_written(best.low), exactly_written(best.high)
    return {"player": names.player(best.player), "of": best.measure.text, "low": low, "high": high}


def odds_rows(found: Sequence[OddsFrom], asked: AskedPlay) -> Iterator[str]:
    """A row for each value of each measure from each start, likelihoods exact and about; and what does not end."""
    heads = [*(each.path for each in asked.varied), "of", "value", "likely", "about"]
    rows = ((*at_start(asked.varied, each.at, each.play.begun.names), *row) for each in found for row in _rows(each))
    return csv_lines(heads, rows)


def _rows(found: OddsFrom) -> Iterator[tuple[object, ...]]:
    if found.odds is None:
        yield "", "cannot begin", 1, 1.0
        return
    names = found.play.begun.names
    for told in found.odds.distributions:
        for value, likely in told.likely.items():
            shown = "" if value is None else show(value, told.measure.type, names)
            yield told.measure.text, shown, fraction_text(likely), float(likely)
    for best in found.odds.best:
        yield (
            best.measure.text,
            f"best for {visible(names.player(best.player))}",
            fraction_text(best.low),
            float(best.low),
        )
    rest = {**{f"cannot be carried on {code}".strip(): each for (code, _), each in found.odds.faults.items()}}
    for name, likely in (rest | {"never ends": found.odds.never, "open": found.odds.open}).items():
        if likely:
            yield "", name, fraction_text(likely), float(likely)
