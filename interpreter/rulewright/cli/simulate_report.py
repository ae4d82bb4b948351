"""What `simulate` tells: tables for people, JSON, and rows for a spreadsheet."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_report import starts_told
from rulewright.cli.odds_values import (
    GRID,
    PERCENT,
    VALUES,
    cumulated,
    is_ordered,
    percent,
    reasons_told,
    table,
    value_json,
)
from rulewright.cli.output import Output
from rulewright.cli.pictures import Drawn, Shares, drawn, heat_of, lost_told
from rulewright.cli.simulate_pairs import (
    PAIR_HEADS,
    middle_json,
    pair_data,
    pair_lines,
    pair_pictures,
    pair_rows,
    said_middle,
)
from rulewright.cli.sweep_tables import Line, at_start, csv_lines, grid, start_json, sweep_table
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.inputs.findings import quoted
from rulewright.machine.values import Value
from rulewright.odds.odds import from_least
from rulewright.odds.pairs import is_faulty
from rulewright.odds.simulation import CONFIDENCE, CountedFrom, confidence_interval, mean, shares

_HEADS = ("of", "value", "plays", "of plays", "low", "high")


def counts_lines(found: CountedFrom, seed: int, out: Output, layout: str) -> Iterator[str]:
    """What was counted from one start, for people."""
    counted, procedure = found.counted, found.play.begun.procedure
    title = out.paint(visible(procedure.heading), "strong")
    yield f"{title}: {counted.plays:,} plays, seed {seed}; intervals hold {CONFIDENCE:.0%} of the time"
    for number in range(len(found.play.measures)):
        yield ""
        yield from _table(found, number, out, layout)
    for (code, message), often in counted.faults.items():
        said = f"{code}: {message}" if code else message
        yield ""
        yield visible(f"{often:,} plays cannot be carried on: {said}")
    if found.one_by_one:
        yield ""
        yield visible(f"Played one by one: {found.one_by_one}")


def _table(found: CountedFrom, number: int, out: Output, layout: str) -> Iterator[str]:
    names, measure = found.play.begun.names, found.play.measures[number]
    counts, plays = found.of(number)
    yield out.paint(visible(measure.text), "strong")
    likely = shares(counts, plays)
    told = [
        (value, share, f"{percent(share)}  {'{:.2f} to {:.2f} %'.format(*_interval(counts[value], plays))}")
        for value, share in likely.items()
    ]
    yield from table(measure, told, names, out, layout)
    about = mean(measure, counts)
    if about is not None and is_ordered(measure, likely):
        yield f"  on average {said_middle(about)}"
    if measure.given is not None:
        condition = quoted(found.play.condition(measure))
        unmet = f"no play ended with {condition}: more may (`--runs N`), and `odds` says whether any can"
        yield visible(f"  asked of {plays:,} plays: those with {condition}" if plays else f"  {unmet}")


def _interval(came: int, plays: int) -> tuple[float, float]:
    low, high = confidence_interval(came, plays)
    return low * PERCENT, high * PERCENT


def _lost(found: Sequence[CountedFrom]) -> list[tuple[str, Fraction]]:
    """The shares of plays that come to no value, by what becomes of them."""
    faulty = [(sum(each.counted.faults.values()), each.counted.plays) for each in found if not each.refused]
    lost = [("cannot be carried on", Fraction(faults, plays)) for faults, plays in faulty]
    return lost + [("cannot begin", Fraction(1)) for each in found if each.refused]


def counts_sweep(found: Sequence[CountedFrom], asked: AskedPlay, seed: int, out: Output, layout: str) -> Iterator[str]:
    """What was counted from several starts, for people: a table for each measure."""
    procedure, names = asked.play.begun.procedure, asked.play.begun.names
    title = out.paint(visible(procedure.heading), "strong")
    many = starts_told(len(found))
    yield f"{title}: {many}, seed {seed}; the true value lies within the ± {CONFIDENCE:.0%} of the time"
    for number, measure in enumerate(asked.play.measures):
        yield ""
        if layout == GRID:
            yield from grid(heat_of(measure, _shares(found, number, asked), asked, "", lost_told(_lost(found))), out)
            continue
        values = from_least({value for each in found for value in each.of(number)[0]})
        lines = [_line(each, number, asked, values, layout) for each in found]
        yield from sweep_table(measure, asked.varied, lines, names, out, layout)
        abouts = [mean(measure, each.of(number)[0]) for each in found]
        if any(about is not None and not about.is_whole for about in abouts):
            yield "  an average may lie further off if something rarer lies far away"


def _line(found: CountedFrom, number: int, asked: AskedPlay, values: Sequence[Value], layout: str) -> Line:
    counted, measure = found.counted, found.play.measures[number]
    counts, plays = found.of(number)
    at = at_start(asked.varied, found.at, found.play.begun.names)
    if found.refused:
        return Line(at, {}, "", {"cannot begin": "; ".join(reasons_told(found.refused, found.play))})
    likely, about = shares(counts, plays), mean(measure, counts)
    likely = likely if layout == VALUES else cumulated(likely, values, layout)
    told = {value: _about(round(share * plays), plays) for value, share in likely.items()}
    faulty = sum(counted.faults.values())
    rest = {"plays": f"{plays:,}"} | ({"cannot be carried on": f"{faulty:,}"} if faulty else {})
    return Line(at, told, "" if about is None else f"{about.about:.4g} ± {about.within:.2g}", rest)


def _shares(found: Sequence[CountedFrom], number: int, asked: AskedPlay) -> list[Shares]:
    """The counted shares of a measure from each start."""
    drawn_from = []
    for each in found:
        counts, plays = each.of(number)
        about = mean(each.play.measures[number], counts)
        at = at_start(asked.varied, each.at, each.play.begun.names)
        likely = shares(counts, plays) if plays else {}
        drawn_from.append(Shares(at, likely, None if about is None else about.about, plays))
    return drawn_from


def _about(came: int, plays: int) -> str:
    low, high = _interval(came, plays)
    return f"{came / plays * PERCENT:.2f} ± {(high - low) / 2:.2f} %"


@dataclass(frozen=True, slots=True)
class Report:
    """All that was counted, to be told in several forms."""

    found: Sequence[CountedFrom]  # from each start
    asked: AskedPlay  # what was asked; of pairs of their first
    seed: int
    policy: str  # who chose, as it was written; or empty
    layout: str = VALUES  # one of `LAYOUTS`
    against: str | None = None  # of pairs what the second was, as it was written; none where plays are not paired

    @property
    def is_faulty(self) -> bool:
        """Whether a play could not begin or be carried on."""
        if any(each.refused for each in self.found):
            return True
        counted = [each.counted for each in self.found]
        joints = [joint for each in counted for joint in each.values] if self.against is not None else []
        return any(each.faults for each in counted) or any(map(is_faulty, joints))

    def lines(self, out: Output) -> Iterator[str]:
        """For people."""
        if self.against is not None:
            return pair_lines(self.found, self.asked, self.against, self.seed, out)
        if self.asked.varied:
            return counts_sweep(self.found, self.asked, self.seed, out, self.layout)
        return counts_lines(self.found[0], self.seed, out, self.layout)

    def pictures(self) -> list[Drawn]:
        """A picture of each measure, with its table."""
        if self.against is not None:
            return pair_pictures(self.found, self.asked, self.against)
        each_of = [_shares(self.found, number, self.asked) for number in range(len(self.asked.play.measures))]
        return drawn(each_of, self.asked, ("", self.layout), _lost(self.found))

    def document(self) -> dict[str, Any]:
        """As data: of one start, or of all that a sweep has."""
        begun = self.asked.play.begun
        program = self.asked.opening.begun.executable.program
        head = {
            "version": 1,
            "ruleset": program.name,
            "fingerprint": program.fingerprint,
            "procedure": begun.procedure.name,
            "seed": self.seed,
            "policy": self.policy,
            "confidence": CONFIDENCE,
        }
        told = _data
        if self.against is not None:
            head, told = head | {"against": self.against}, pair_data
        if not self.asked.varied:
            return head | told(self.found[0])
        names = begun.names
        starts = [{"at": start_json(self.asked.varied, each.at, names)} | told(each) for each in self.found]
        return head | {"vary": [each.path for each in self.asked.varied], "starts": starts}

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands above the rows."""
        own = _HEADS if self.against is None else PAIR_HEADS
        beside = () if self.against is None else ("against",)
        return (*(each.path for each in self.asked.varied), *own, "seed", "policy", "fingerprint", *beside)

    def cells(self) -> Iterator[tuple[object, ...]]:
        """A row for each value of each measure from each start, with the interval; and what cannot be carried on."""
        rows = _rows if self.against is None else pair_rows
        beside = () if self.against is None else (self.against,)
        whence = self.seed, self.policy, self.asked.opening.begun.executable.program.fingerprint, *beside
        for each in self.found:
            at = at_start(self.asked.varied, each.at, each.play.begun.names)
            yield from ((*at, *row, *whence) for row in rows(each))

    def rows(self) -> Iterator[str]:
        """The heads and rows as comma-separated values (RFC 4180), a line each."""
        return csv_lines(self.heads, self.cells())


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
    measure, (counts, plays) = found.play.measures[number], found.of(number)
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
        "mean": None if about is None else {"about": about.about, **middle_json(about)},
        **({} if measure.given is None else {"given": {"of": found.play.condition(measure), "plays": plays}}),
    }


def _rows(found: CountedFrom) -> Iterator[tuple[object, ...]]:
    if found.refused:
        yield "", "cannot begin", 0, 0, None, None
        return
    plays, names = found.counted.plays, found.play.begun.names
    for number, measure in enumerate(found.play.measures):
        counts, asked = found.of(number)
        for value in shares(counts, asked):
            shown = "" if value is None else show(value, measure.type, names)
            yield measure.text, shown, counts[value], asked, *confidence_interval(counts[value], asked)
    for (code, _), often in found.counted.faults.items():
        yield "", f"cannot be carried on {code}".strip(), often, plays, *confidence_interval(often, plays)
