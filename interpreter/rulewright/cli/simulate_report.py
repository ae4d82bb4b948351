"""What `simulate` tells: tables for people, JSON, and rows for a spreadsheet."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics.terminal import make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.odds_formatting import (
    GRID,
    PERCENT,
    VALUES,
    cumulate_likelihoods,
    format_percent,
    format_refusal_reasons,
    is_ordered,
    measure_value_json,
    render_value_table,
)
from rulewright.cli.odds_query import OddsQuery
from rulewright.cli.odds_report import format_start_count
from rulewright.cli.output import Output
from rulewright.cli.plots import PlotWithTable, StartShares, describe_unfinished_shares, make_heat_map, make_plots
from rulewright.cli.result_tables import (
    SweepRow,
    format_start_values,
    render_csv_lines,
    render_sweep_table,
    render_text_grid,
    start_values_json,
)
from rulewright.cli.simulate_pairs import (
    PAIR_HEADS,
    format_mean_interval,
    mean_interval_json,
    pair_csv_rows,
    pairs_to_json,
    plot_pairs,
    render_pairs,
)
from rulewright.documents.findings import quote_name
from rulewright.odds.exact_odds import sort_values
from rulewright.odds.monte_carlo import (
    CONFIDENCE_LEVEL,
    StartCounts,
    compute_shares,
    confidence_interval,
    estimate_measure_mean,
    has_faulty_pair,
)
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value

_CSV_HEADS = ("of", "value", "plays", "of plays", "low", "high")


def render_counts(found: StartCounts, seed: int, out: Output, layout: str) -> Iterator[str]:
    """What was counted from one start, for people."""
    counted, procedure = found.counts, found.play.begun.procedure
    title = out.paint(make_visible(procedure.heading), "strong")
    yield f"{title}: {counted.play_count:,} plays, seed {seed}; intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
    for number in range(len(found.play.measures)):
        yield ""
        yield from _render_counted_measure(found, number, out, layout)
    for (code, message), often in counted.fault_counts.items():
        said = f"{code}: {message}" if code else message
        yield ""
        yield make_visible(f"{often:,} plays cannot be carried on: {said}")
    if found.batch_refusal:
        yield ""
        yield make_visible(f"Played one by one: {found.batch_refusal}")


def _render_counted_measure(found: StartCounts, number: int, out: Output, layout: str) -> Iterator[str]:
    names, measure = found.play.begun.names, found.play.measures[number]
    counts, plays = found.counts_of_measure(number)
    yield out.paint(make_visible(measure.text), "strong")
    likely = compute_shares(counts, plays)
    told = [
        (
            value,
            share,
            f"{format_percent(share)}  {'{:.2f} to {:.2f} %'.format(*_percent_interval(counts[value], plays))}",
        )
        for value, share in likely.items()
    ]
    yield from render_value_table(measure, told, names, out, layout)
    about = estimate_measure_mean(measure, counts)
    if about is not None and is_ordered(measure, likely):
        yield f"  on average {format_mean_interval(about)}"
    if measure.condition_number is not None:
        condition = quote_name(found.play.condition_text(measure))
        unmet = f"no play ended with {condition}: more may (`--runs N`), and `odds` says whether any can"
        yield make_visible(f"  asked of {plays:,} plays: those with {condition}" if plays else f"  {unmet}")


def _percent_interval(came: int, plays: int) -> tuple[float, float]:
    low, high = confidence_interval(came, plays)
    return low * PERCENT, high * PERCENT


def _unfinished_count_shares(found: Sequence[StartCounts]) -> list[tuple[str, Fraction]]:
    """The shares of plays that come to no value, by what becomes of them."""
    faulty = [
        (sum(start_counts.counts.fault_counts.values()), start_counts.counts.play_count)
        for start_counts in found
        if not start_counts.refusal_reasons
    ]
    lost = [("cannot be carried on", Fraction(faults, plays)) for faults, plays in faulty]
    return lost + [("cannot begin", Fraction(1)) for start_counts in found if start_counts.refusal_reasons]


def render_counts_sweep(
    found: Sequence[StartCounts], asked: OddsQuery, seed: int, out: Output, layout: str
) -> Iterator[str]:
    """What was counted from several starts, for people: a table for each measure."""
    procedure, names = asked.play.begun.procedure, asked.play.begun.names
    title = out.paint(make_visible(procedure.heading), "strong")
    many = format_start_count(len(found))
    yield f"{title}: {many}, seed {seed}; the true value lies within the ± {CONFIDENCE_LEVEL:.0%} of the time"
    for number, measure in enumerate(asked.play.measures):
        yield ""
        if layout == GRID:
            yield from render_text_grid(
                make_heat_map(
                    measure,
                    _counted_shares(found, number, asked),
                    asked,
                    "",
                    describe_unfinished_shares(_unfinished_count_shares(found)),
                ),
                out,
            )
            continue
        values = sort_values({value for start_counts in found for value in start_counts.counts_of_measure(number)[0]})
        lines = [_counts_sweep_row(start_counts, number, asked, values, layout) for start_counts in found]
        yield from render_sweep_table(measure, asked.varied, lines, names, out, layout)
        abouts = [estimate_measure_mean(measure, start_counts.counts_of_measure(number)[0]) for start_counts in found]
        if any(about is not None and not about.covers_range for about in abouts):
            yield "  an average may lie further off if something rarer lies far away"


def _counts_sweep_row(
    found: StartCounts, number: int, asked: OddsQuery, values: Sequence[Value], layout: str
) -> SweepRow:
    counted, measure = found.counts, found.play.measures[number]
    counts, plays = found.counts_of_measure(number)
    at = format_start_values(asked.varied, found.axis_values, found.play.begun.names)
    if found.refusal_reasons:
        return SweepRow(
            at, {}, "", {"cannot begin": "; ".join(format_refusal_reasons(found.refusal_reasons, found.play))}
        )
    likely, about = compute_shares(counts, plays), estimate_measure_mean(measure, counts)
    likely = likely if layout == VALUES else cumulate_likelihoods(likely, values, layout)
    told = {value: _format_share_interval(round(share * plays), plays) for value, share in likely.items()}
    faulty = sum(counted.fault_counts.values())
    rest = {"plays": f"{plays:,}"} | ({"cannot be carried on": f"{faulty:,}"} if faulty else {})
    return SweepRow(at, told, "" if about is None else f"{about.mean:.4g} ± {about.margin:.2g}", rest)


def _counted_shares(found: Sequence[StartCounts], number: int, asked: OddsQuery) -> list[StartShares]:
    """The counted shares of a measure from each start."""
    drawn_from = []
    for start_counts in found:
        counts, plays = start_counts.counts_of_measure(number)
        about = estimate_measure_mean(start_counts.play.measures[number], counts)
        at = format_start_values(asked.varied, start_counts.axis_values, start_counts.play.begun.names)
        likely = compute_shares(counts, plays) if plays else {}
        drawn_from.append(StartShares(at, likely, None if about is None else about.mean, plays))
    return drawn_from


def _format_share_interval(came: int, plays: int) -> str:
    low, high = _percent_interval(came, plays)
    return f"{came / plays * PERCENT:.2f} ± {(high - low) / 2:.2f} %"


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """All that was counted, to be told in several forms."""

    counted_starts: Sequence[StartCounts]  # from each start
    query: OddsQuery  # what was asked; of pairs of their first
    seed: int
    policy: str  # who chose, as it was written; or empty
    layout: str = VALUES  # one of `LAYOUTS`
    against: str | None = None  # of pairs what the second was, as it was written; none where plays are not paired

    @property
    def is_faulty(self) -> bool:
        """Whether a play could not begin or be carried on."""
        if any(counted_start.refusal_reasons for counted_start in self.counted_starts):
            return True
        counted = [counted_start.counts for counted_start in self.counted_starts]
        joints = (
            [joint for play_counts in counted for joint in play_counts.value_counts] if self.against is not None else []
        )
        return any(play_counts.fault_counts for play_counts in counted) or any(map(has_faulty_pair, joints))

    def render_lines(self, out: Output) -> Iterator[str]:
        """For people."""
        if self.against is not None:
            return render_pairs(self.counted_starts, self.query, self.against, self.seed, out)
        if self.query.varied:
            return render_counts_sweep(self.counted_starts, self.query, self.seed, out, self.layout)
        return render_counts(self.counted_starts[0], self.seed, out, self.layout)

    def plot_measures(self) -> list[PlotWithTable]:
        """A picture of each measure, with its table."""
        if self.against is not None:
            return plot_pairs(self.counted_starts, self.query, self.against)
        each_of = [
            _counted_shares(self.counted_starts, number, self.query) for number in range(len(self.query.play.measures))
        ]
        return make_plots(each_of, self.query, ("", self.layout), _unfinished_count_shares(self.counted_starts))

    def simulation_to_json(self) -> dict[str, Any]:
        """As data: of one start, or of all that a sweep has."""
        begun = self.query.play.begun
        program = self.query.opening.begun.executable.program
        head = {
            "version": 1,
            "ruleset": program.name,
            "fingerprint": program.fingerprint,
            "procedure": begun.procedure.name,
            "seed": self.seed,
            "policy": self.policy,
            "confidence": CONFIDENCE_LEVEL,
        }
        told = _start_counts_json
        if self.against is not None:
            head, told = head | {"against": self.against}, pairs_to_json
        if not self.query.varied:
            return head | told(self.counted_starts[0])
        names = begun.names
        starts = [
            {"at": start_values_json(self.query.varied, counted_start.axis_values, names)} | told(counted_start)
            for counted_start in self.counted_starts
        ]
        return head | {"vary": [sweep_axis.path for sweep_axis in self.query.varied], "starts": starts}

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands above the rows."""
        own = _CSV_HEADS if self.against is None else PAIR_HEADS
        beside = () if self.against is None else ("against",)
        return (*(sweep_axis.path for sweep_axis in self.query.varied), *own, "seed", "policy", "fingerprint", *beside)

    def table_cells(self) -> Iterator[tuple[object, ...]]:
        """A row for each value of each measure from each start, with the interval; and what cannot be carried on."""
        rows = _count_rows if self.against is None else pair_csv_rows
        beside = () if self.against is None else (self.against,)
        whence = self.seed, self.policy, self.query.opening.begun.executable.program.fingerprint, *beside
        for counted_start in self.counted_starts:
            at = format_start_values(self.query.varied, counted_start.axis_values, counted_start.play.begun.names)
            yield from ((*at, *row, *whence) for row in rows(counted_start))

    def render_csv(self) -> Iterator[str]:
        """The heads and rows as comma-separated values (RFC 4180), a line each."""
        return render_csv_lines(self.heads, self.table_cells())


def _start_counts_json(found: StartCounts) -> dict[str, Any]:
    if found.refusal_reasons:
        return {"refused": format_refusal_reasons(found.refusal_reasons, found.play)}
    return {
        "plays": found.counts.play_count,
        "counts": [_measure_counts_json(found, number) for number in range(len(found.play.measures))],
        "faults": [
            {"code": code, "message": message, "plays": often}
            for (code, message), often in found.counts.fault_counts.items()
        ],
    }


def _measure_counts_json(found: StartCounts, number: int) -> dict[str, Any]:
    measure, (counts, plays) = found.play.measures[number], found.counts_of_measure(number)
    about = estimate_measure_mean(measure, counts)
    return {
        "of": measure.text,
        "values": [
            {
                "value": measure_value_json(value, measure, found.play.begun.names),
                "plays": counts[value],
                "interval": confidence_interval(counts[value], plays),
            }
            for value in compute_shares(counts, plays)
        ],
        "mean": None if about is None else {"about": about.mean, **mean_interval_json(about)},
        **(
            {}
            if measure.condition_number is None
            else {"given": {"of": found.play.condition_text(measure), "plays": plays}}
        ),
    }


def _count_rows(found: StartCounts) -> Iterator[tuple[object, ...]]:
    if found.refusal_reasons:
        yield "", "cannot begin", 0, 0, None, None
        return
    plays, names = found.counts.play_count, found.play.begun.names
    for number, measure in enumerate(found.play.measures):
        counts, asked = found.counts_of_measure(number)
        for value in compute_shares(counts, asked):
            shown = "" if value is None else format_value(value, measure.type, names)
            yield measure.text, shown, counts[value], asked, *confidence_interval(counts[value], asked)
    for (code, _), often in found.counts.fault_counts.items():
        yield "", f"cannot be carried on {code}".strip(), often, plays, *confidence_interval(often, plays)
