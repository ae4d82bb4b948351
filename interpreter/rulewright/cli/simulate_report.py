"""The report of `simulate`: counts of plays, or of pairs of plays, with confidence intervals."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.cli.odds_query import OddsQuery
from rulewright.cli.outcome_report import OutcomeReport, SharesReport, format_start_count, join_reasons, measure_to_json
from rulewright.cli.output import Output
from rulewright.cli.plots import PlotWithTable
from rulewright.cli.result_tables import PERCENT, MeasuredShares, format_start_values, is_ordered, render_value_table
from rulewright.cli.text_layout import align_columns
from rulewright.documents.document_nodes import Json
from rulewright.documents.findings import quote_name
from rulewright.odds.end_measures import AskedMeasure
from rulewright.odds.exact_odds import sort_values
from rulewright.odds.likelihood_formats import format_percent
from rulewright.odds.monte_carlo import (
    CONFIDENCE_LEVEL,
    ComparableValue,
    MeanEstimate,
    PairCounts,
    ShareDifference,
    StartCounts,
    compare_means,
    compare_shares,
    compute_shares,
    confidence_interval,
    count_differing_pairs,
    estimate_measure_mean,
    has_faulty_pair,
)
from rulewright.odds.plot_drawing import CurveData, CurvePlot
from rulewright.runtime.type_codecs import format_value, fraction_to_json


def has_faults(starts: Sequence[StartCounts], *, paired: bool) -> bool:
    """Whether a play could not begin or met a fault."""
    return any(
        start.refusal_reasons
        or start.counts.fault_counts
        or (paired and any(map(has_faulty_pair, start.counts.value_counts)))
        for start in starts
    )


def _describe_plays(query: OddsQuery, seed: int, policy: str) -> tuple[dict[str, Any], dict[str, object]]:
    """Head of the JSON document, and the last cells of rows."""
    program = query.opening.start.executable.program
    head = {
        "version": 1,
        "ruleset": program.name,
        "fingerprint": program.fingerprint,
        "procedure": query.play.start.procedure.name,
        "seed": seed,
        "policy": policy,
        "confidence": CONFIDENCE_LEVEL,
    }
    return head, {"seed": seed, "policy": policy, "fingerprint": program.fingerprint}


class CountsReport(SharesReport[StartCounts]):
    """Counts of the plays from all starts."""

    heads = ("of", "value", "plays", "of plays", "low", "high")
    refused_cells = (0, 0, None, None)

    def __init__(self, query: OddsQuery, starts: Sequence[StartCounts], layout: str, seed: int, policy: str) -> None:
        """`policy` is as written, or empty."""
        hold = f"the true value lies within the ± {CONFIDENCE_LEVEL:.0%} of the time"
        heading = f"{format_start_count(len(starts))}, seed {seed}; {hold}"
        super().__init__(query, starts, *_describe_plays(query, seed, policy), ("", layout), heading)
        self._seed = seed

    def list_faults(self) -> set[tuple[str, str]]:
        return {fault for start in self.starts for fault in start.counts.fault_counts}

    def render_start(self, start: StartCounts, out: Output) -> Iterator[str]:
        title = out.paint(make_visible(start.play.start.procedure.heading), "strong")
        plays = _format_play_count(start.counts.play_count)
        yield f"{title}: {plays}, seed {self._seed}; intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
        for number in range(len(start.play.measures)):
            yield ""
            yield from _render_counted_measure(start, number, out, self.odds_style[1])
        for (code, message), often in start.counts.fault_counts.items():
            fault_text = f"{code}: {message}" if code else message
            yield from ("", make_visible(f"{_format_play_count(often)} cannot be carried on: {fault_text}"))
        if start.batch_refusal:
            yield from ("", make_visible(f"Played one by one: {start.batch_refusal}"))

    def measure_start(self, start: StartCounts, number: int) -> MeasuredShares:
        counts, plays = start.counts_of_measure(number)
        about = estimate_measure_mean(start.play.measures[number], counts)
        faulty = sum(start.counts.fault_counts.values())
        return MeasuredShares(
            self.start_values(start),
            compute_shares(counts, plays),
            None if about is None else about.mean,
            "" if about is None else f"{about.mean:.4g} ± {about.margin:.2g}",
            {"plays": f"{plays:,}"} | ({"cannot be carried on": f"{faulty:,}"} if faulty else {}),
            plays,
        )

    def list_unfinished(self, start: StartCounts) -> dict[str, Fraction]:
        return {"cannot be carried on": Fraction(sum(start.counts.fault_counts.values()), start.counts.play_count)}

    def render_measure_notes(self, number: int) -> Iterator[str]:
        measure = self.query.play.measures[number]
        abouts = [estimate_measure_mean(measure, start.counts_of_measure(number)[0]) for start in self.starts]
        if any(about is not None and not about.covers_range for about in abouts):
            yield "  an average may lie further off if something rarer lies far away"

    def start_to_json(self, start: StartCounts) -> dict[str, Any]:
        return {
            "plays": start.counts.play_count,
            "counts": [_counted_measure_to_json(start, number) for number in range(len(start.play.measures))],
            "faults": [
                {"code": code, "message": message, "plays": often}
                for (code, message), often in start.counts.fault_counts.items()
            ],
        }

    def list_rows(self, start: StartCounts) -> Iterator[tuple[object, ...]]:
        for number, measure in enumerate(start.play.measures):
            counts, plays = start.counts_of_measure(number)
            for value in compute_shares(counts, plays):
                shown = "" if value is None else format_value(value, measure.type, start.play.start.names)
                yield measure.text, shown, counts[value], plays, *confidence_interval(counts[value], plays)
        for (code, _), often in start.counts.fault_counts.items():
            plays = start.counts.play_count
            yield "", f"cannot be carried on {code}".strip(), often, plays, *confidence_interval(often, plays)


def _format_play_count(plays: int) -> str:
    return "1 play" if plays == 1 else f"{plays:,} plays"


def _render_counted_measure(start: StartCounts, number: int, out: Output, layout: str) -> Iterator[str]:
    measure, (counts, plays) = start.play.measures[number], start.counts_of_measure(number)
    yield out.paint(make_visible(measure.text), "strong")
    likely, rows = compute_shares(counts, plays), []
    for value, share in likely.items():
        low, high = (bound * PERCENT for bound in confidence_interval(counts[value], plays))
        rows.append((value, share, f"{format_percent(share)}  {low:.2f} to {high:.2f} %"))
    yield from render_value_table(measure, rows, start.play.start.names, out, layout)
    about = estimate_measure_mean(measure, counts)
    if about is not None and is_ordered(measure, likely):
        yield f"  on average {format_mean_interval(about)}"
    if measure.condition_number is not None:
        condition = quote_name(start.play.condition_text(measure))
        unmet = f"no play ended with {condition}: more may (`--runs N`), and `odds` says whether any can"
        yield make_visible(f"  asked of {_format_play_count(plays)}: those with {condition}" if plays else f"  {unmet}")


def _counted_measure_to_json(start: StartCounts, number: int) -> dict[str, Any]:
    measure, (counts, plays) = start.play.measures[number], start.counts_of_measure(number)
    about = estimate_measure_mean(measure, counts)
    mean = None if about is None else {"about": about.mean, **mean_interval_json(about)}
    shares = (
        (value, {"plays": counts[value], "interval": confidence_interval(counts[value], plays)})
        for value in compute_shares(counts, plays)
    )
    condition = start.play.condition_text(measure)
    given = {"given": {"of": condition, "plays": plays}} if measure.condition_number is not None else {}
    return measure_to_json(measure, start.play.start.names, shares, mean) | given


def format_mean_interval(estimate: MeanEstimate, sign: str = "") -> str:
    """Mean ± margin, and the interval that also covers rare values far away."""
    mean = f"{estimate.mean:{sign}.4g} ± {estimate.margin:.2g}"
    if estimate.covers_range:
        return mean
    if estimate.bounded_interval is None:
        return f"{mean}, unless something rarer lies far away"
    low, high = estimate.bounded_interval
    return f"{mean}, or {low:{sign}.4g} to {high:{sign}.4g} if something rarer lies far away"


def mean_interval_json(estimate: MeanEstimate) -> dict[str, Any]:
    """JSON of the interval of a mean."""
    return {"within": estimate.margin, "anywhere": estimate.bounded_interval}


class PairsReport(OutcomeReport[StartCounts]):
    """Counts of pairs of plays from all starts."""

    heads = ("of", "value", "first", "other", "of pairs", "difference", "low", "high")
    refused_cells = (0, 0, 0, None, None, None)

    def __init__(self, query: OddsQuery, starts: Sequence[StartCounts], seed: int, policy: str, other: str) -> None:
        """`query` is that of the first of each pair, and `other` the second, as written."""
        head, end_cells = _describe_plays(query, seed, policy)
        super().__init__(query, starts, {**head, "against": other}, {**end_cells, "against": other})
        self._other = other
        self._seed = seed

    def render_lines(self, out: Output) -> Iterator[str]:
        """The shares of each start and measure beside each other."""
        title = out.paint(make_visible(self.query.play.start.procedure.heading), "strong")
        hold = f"intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
        yield f"{title}: pairs of plays on the same dice, seed {self._seed}; {hold}"
        if self._other:
            yield make_visible(f"other: {self._other}")
        for start in self.starts:
            values = zip(self.query.varied, self.start_values(start), strict=True)
            at = ", ".join(f"{axis.path} = {value}" for axis, value in values)
            if start.refusal_reasons:
                yield from ("", make_visible(f"{f'{at}: ' if at else ''}cannot begin: {join_reasons(start)}"))
                continue
            for measure, joint in zip(start.play.measures, start.counts.value_counts, strict=True):
                yield from ("", out.paint(make_visible(f"{measure.text}{f', {at}' if at else ''}"), "strong"))
                yield from _render_pair_table(joint, start.counts.play_count, measure)

    def plot_measures(self) -> list[PlotWithTable]:
        """The shares of one start, or of several what differs along the starts."""
        return [self._plot_measure(number) for number in range(len(self.query.play.measures))]

    def _plot_measure(self, number: int) -> PlotWithTable:
        other, measure = make_visible(self._other) or "other", self.query.play.measures[number]
        title, of = make_visible(self.query.play.start.procedure.heading), make_visible(measure.text)
        joints = [start.counts.value_counts[number] for start in self.starts]
        pairs = f"{CONFIDENCE_LEVEL:.0%} intervals of {max(start.counts.play_count for start in self.starts):,} pairs"
        if not self.query.varied:
            (joint,), plays = joints, self.starts[0].counts.play_count
            every = compare_shares(joint, plays)
            lines = (
                _make_counted_curve("first", [one.first for one in every], plays),
                _make_counted_curve(other, [one.other for one in every], plays),
            )
            note = f"{pairs}, of which {count_differing_pairs(joint):,} differ"
            values = tuple(_format_pair_value(one.value) for one in every)
            head, *rows = map(tuple, _pair_table_cells(joint, plays))
            return PlotWithTable(
                title, of, CurvePlot(title, of, "how likely", values, lines, note=note), head, tuple(rows)
            )
        curves, by_mean = _make_difference_curves(self.starts, joints, measure)
        across = ", ".join(make_visible(axis.path) for axis in self.query.varied)
        names = self.query.play.start.names
        at = tuple(", ".join(format_start_values(self.query.varied, one.axis_values, names)) for one in self.starts)
        up = f"{of}: {other} - first{', on average' if by_mean else ''}"
        picture = CurvePlot(title, across, up, at, curves, is_share=not by_mean, is_apart=True, note=pairs)
        rows = [
            (start, *(_format_difference(line, place, by_mean=by_mean) for line in curves))
            for place, start in enumerate(at)
        ]
        heads = (across, *(line.label or "other - first" for line in curves))
        return PlotWithTable(title, up, picture, heads, tuple(rows))

    def start_to_json(self, start: StartCounts) -> dict[str, Any]:
        pairs, plays = zip(start.play.measures, start.counts.value_counts, strict=True), start.counts.play_count
        return {"pairs": plays, "measures": [_pair_measure_json(*pair, plays) for pair in pairs]}

    def list_rows(self, start: StartCounts) -> Iterator[tuple[object, ...]]:
        plays = start.counts.play_count
        for measure, joint in zip(start.play.measures, start.counts.value_counts, strict=True):
            for one in compare_shares(joint, plays):
                shares = one.first, one.other, plays, _share_difference(one, plays), one.low, one.high
                yield measure.text, _format_pair_value(one.value), *shares


def _pair_table_cells(joint: PairCounts, plays: int) -> list[list[str]]:
    """A row for each value."""
    rows = [["", "first", "other", "other - first", ""]]
    for one in compare_shares(joint, plays):
        shares = [f"{number / plays:.2%}".replace("%", " %") for number in (one.first, one.other)]
        difference = f"{_share_difference(one, plays) * PERCENT:+.2f} %"
        interval = f"{one.low * PERCENT:+.2f} to {one.high * PERCENT:+.2f} %"
        rows.append([_format_pair_value(one.value), *shares, difference, interval])
    return rows


def _render_pair_table(joint: PairCounts, plays: int, measure: AskedMeasure) -> Iterator[str]:
    yield from align_columns(_pair_table_cells(joint, plays))
    about = compare_means(joint, measure.bounds)
    if about is not None and count_differing_pairs(joint):
        yield f"  on average {about.first:.4g} → {about.other:.4g}: {format_mean_interval(about.difference, '+')}"
    apart_in = count_differing_pairs(joint)
    most = f"; at most {confidence_interval(0, plays)[1] * PERCENT:.2g} % do" if not apart_in else ""
    yield f"  {apart_in:,} of {plays:,} pairs differ{most}"


def _format_pair_value(value: ComparableValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no value" if value is None else make_visible(str(value))


def _pair_measure_json(measure: AskedMeasure, joint: PairCounts, plays: int) -> dict[str, Any]:
    about, values = compare_means(joint, measure.bounds), list[dict[str, Json]]()
    for one in compare_shares(joint, plays):
        value = fraction_to_json(one.value) if isinstance(one.value, Fraction) else one.value
        values.append({"value": value, "first": one.first, "other": one.other, "interval": [one.low, one.high]})
    means = about and {
        "first": about.first,
        "other": about.other,
        "difference": about.difference.mean,
        **mean_interval_json(about.difference),
    }
    return {"of": measure.text, "values": values, "means": means, "differ": count_differing_pairs(joint)}


def _share_difference(shares: ShareDifference, plays: int) -> float:
    """Share in the second minus share in the first."""
    return (shares.other - shares.first) / plays


def _make_counted_curve(label: str, often: Sequence[int], plays: int) -> CurveData:
    between = [confidence_interval(item, plays) for item in often]
    heights = tuple(item / plays for item in often)
    return CurveData(label, heights, tuple(low for low, _ in between), tuple(high for _, high in between))


_Interval = tuple[float, float, float]
"""A difference between its bounds: middle, low, high."""


def _make_difference_curves(
    starts: Sequence[StartCounts], joints: Sequence[PairCounts], measure: AskedMeasure
) -> tuple[tuple[CurveData, ...], bool]:
    """Of numbers the difference of means (True), else of the shares of each value, of flags of `yes`."""
    means = [compare_means(joint, measure.bounds) for joint in joints]
    if measure.is_number and all(about for about, joint in zip(means, joints, strict=True) if joint):
        differences = (about.difference if about else None for about in means)
        intervals = [(one.mean, one.mean - one.margin, one.mean + one.margin) if one else None for one in differences]
        return (_make_interval_curve("", intervals),), True
    values = sort_values(dict.fromkeys(value for joint in joints for pair in joint for value in pair))
    curves = []
    for value in values[1:] if values == [False, True] else values:
        along: list[_Interval | None] = []
        for start, joint in zip(starts, joints, strict=True):
            plays = start.counts.play_count
            one = next((one for one in compare_shares(joint, plays) if one.value == value), None)
            nowhere = (0.0, 0.0, 0.0) if joint else None
            along.append(nowhere if one is None else (_share_difference(one, plays), one.low, one.high))
        curves.append(_make_interval_curve(_format_pair_value(value), along))  # type: ignore[arg-type]
    return tuple(curves), False


def _make_interval_curve(label: str, intervals: Sequence[_Interval | None]) -> CurveData:
    """Curve of differences with intervals; None where a play cannot begin."""
    lows, highs = (tuple(item[end] if item else 0.0 for item in intervals) for end in (1, 2))
    return CurveData(label, tuple(item[0] if item else None for item in intervals), lows, highs)


def _format_difference(line: CurveData, at: int, *, by_mean: bool) -> str:
    if line.heights[at] is None:
        return ""
    interval = (line.heights[at] or 0.0, line.low[at], line.high[at])
    middle, low, high = (f"{item:+.3g}" if by_mean else f"{item * PERCENT:+.2f} %" for item in interval)
    return f"{middle} ({low} to {high})"
