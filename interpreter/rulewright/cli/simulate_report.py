"""The report of `simulate`: counts of plays, or of pairs of plays, with confidence intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.cli.odds_query import OddsQuery
from rulewright.cli.outcome_report import OutcomeReport, format_start_count, join_reasons, measure_to_json
from rulewright.cli.output import Output
from rulewright.cli.plots import PlotWithTable
from rulewright.cli.result_tables import (
    PERCENT,
    VALUES,
    MeasuredShares,
    align_columns,
    format_percent,
    format_start_values,
    is_ordered,
    render_value_table,
)
from rulewright.documents.document_nodes import Json
from rulewright.documents.findings import quote_name
from rulewright.odds.end_measures import AskedMeasure
from rulewright.odds.exact_odds import sort_values
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


class CountsReport(OutcomeReport[StartCounts]):
    """Counts of the plays from all starts."""

    heads: tuple[str, ...] = ("of", "value", "plays", "of plays", "low", "high")
    refused_cells: tuple[object, ...] = (0, 0, None, None)

    def __init__(self, query: OddsQuery, starts: Sequence[StartCounts], layout: str, seed: int, policy: str) -> None:
        """`policy` is as written, or empty."""
        super().__init__(query, starts, ("", layout))
        self._program = query.opening.start.executable.program
        self.seed = seed
        self._policy = policy

    @property
    def is_faulty(self) -> bool:
        """Whether a play could not begin or met a fault."""
        return any(start.refusal_reasons or start.counts.fault_counts for start in self.starts)

    @property
    def sweep_heading(self) -> str:
        many = format_start_count(len(self.starts))
        return f"{many}, seed {self.seed}; the true value lies within the ± {CONFIDENCE_LEVEL:.0%} of the time"

    def render_start(self, start: StartCounts, out: Output) -> Iterator[str]:
        title = out.paint(make_visible(start.play.start.procedure.heading), "strong")
        plays = _format_play_count(start.counts.play_count)
        yield f"{title}: {plays}, seed {self.seed}; intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
        for number in range(len(start.play.measures)):
            yield ""
            yield from _render_counted_measure(start, number, out, self.odds_style[1])
        for (code, message), often in start.counts.fault_counts.items():
            yield ""
            fault_text = f"{code}: {message}" if code else message
            yield make_visible(f"{_format_play_count(often)} cannot be carried on: {fault_text}")
        if start.batch_refusal:
            yield ""
            yield make_visible(f"Played one by one: {start.batch_refusal}")

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

    def head_to_json(self) -> dict[str, Any]:
        return {
            "version": 1,
            "ruleset": self._program.name,
            "fingerprint": self._program.fingerprint,
            "procedure": self.query.play.start.procedure.name,
            "seed": self.seed,
            "policy": self._policy,
            "confidence": CONFIDENCE_LEVEL,
        }

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

    def list_end_cells(self) -> Mapping[str, object]:
        return {"seed": self.seed, "policy": self._policy, "fingerprint": self._program.fingerprint}


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


class PairsReport(CountsReport):
    """Counts of pairs of plays from all starts."""

    heads = ("of", "value", "first", "other", "of pairs", "difference", "low", "high")
    refused_cells = (0, 0, 0, None, None, None)

    def __init__(self, query: OddsQuery, starts: Sequence[StartCounts], seed: int, policy: str, other: str) -> None:
        """`query` is that of the first of each pair, and `other` the second, as written."""
        super().__init__(query, starts, VALUES, seed, policy)
        self._other = other

    @property
    def is_faulty(self) -> bool:
        return super().is_faulty or any(
            has_faulty_pair(joint) for start in self.starts for joint in start.counts.value_counts
        )

    def render_lines(self, out: Output) -> Iterator[str]:
        """The shares of each start and measure beside each other."""
        title = out.paint(make_visible(self.query.play.start.procedure.heading), "strong")
        hold = f"intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
        yield f"{title}: pairs of plays on the same dice, seed {self.seed}; {hold}"
        if self._other:
            yield make_visible(f"other: {self._other}")
        for start in self.starts:
            values = self.start_values(start)
            at = ", ".join(f"{axis.path} = {value}" for axis, value in zip(self.query.varied, values, strict=True))
            if start.refusal_reasons:
                why = join_reasons(start)
                yield from ("", make_visible(f"{f'{at}: ' if at else ''}cannot begin: {why}"))
                continue
            for measure, joint in zip(start.play.measures, start.counts.value_counts, strict=True):
                yield ""
                yield out.paint(make_visible(f"{measure.text}{f', {at}' if at else ''}"), "strong")
                yield from _render_pair_table(joint, start.counts.play_count, measure)

    def plot_measures(self) -> list[PlotWithTable]:
        drawn = _plot_along_starts if self.query.varied else _plot_single_start
        other, numbers = make_visible(self._other) or "other", range(len(self.query.play.measures))
        return [drawn(number, self.starts, self.query, other) for number in numbers]

    def head_to_json(self) -> dict[str, Any]:
        return {**super().head_to_json(), "against": self._other}

    def start_to_json(self, start: StartCounts) -> dict[str, Any]:
        pairs, plays = zip(start.play.measures, start.counts.value_counts, strict=True), start.counts.play_count
        return {"pairs": plays, "measures": [_pair_measure_json(*pair, plays) for pair in pairs]}

    def list_rows(self, start: StartCounts) -> Iterator[tuple[object, ...]]:
        plays = start.counts.play_count
        for measure, joint in zip(start.play.measures, start.counts.value_counts, strict=True):
            for one in compare_shares(joint, plays):
                shares = one.first, one.other, plays, _share_difference(one, plays), one.low, one.high
                yield measure.text, _format_pair_value(one.value), *shares

    def list_end_cells(self) -> Mapping[str, object]:
        return {**super().list_end_cells(), "against": self._other}


def _pair_table_cells(joint: PairCounts, plays: int) -> list[list[str]]:
    """A row for each value."""
    rows = [["", "first", "other", "other - first", ""]]
    for compare_share in compare_shares(joint, plays):
        low, high = compare_share.low * PERCENT, compare_share.high * PERCENT
        shares = [f"{number / plays:.2%}".replace("%", " %") for number in (compare_share.first, compare_share.other)]
        difference = (compare_share.other - compare_share.first) / plays * PERCENT
        rows.append(
            [_format_pair_value(compare_share.value), *shares, f"{difference:+.2f} %", f"{low:+.2f} to {high:+.2f} %"]
        )
    return rows


def _render_pair_table(joint: PairCounts, plays: int, measure: AskedMeasure) -> Iterator[str]:
    yield from align_columns(_pair_table_cells(joint, plays))
    about = compare_means(joint, measure.bounds)
    if about is not None and count_differing_pairs(joint):
        yield f"  on average {about.first:.4g} → {about.other:.4g}: {format_mean_interval(about.difference, '+')}"
    apart_in = count_differing_pairs(joint)
    most = f"; at most {confidence_interval(0, plays)[1] * PERCENT:.2g} % do" if not apart_in else ""
    yield f"  {apart_in:,} of {plays:,} pairs differ{most}"


def _pair_value_json(value: ComparableValue) -> Json:
    return fraction_to_json(value) if isinstance(value, Fraction) else value


def _format_pair_value(value: ComparableValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no value" if value is None else make_visible(str(value))


def _pair_measure_json(measure: AskedMeasure, joint: PairCounts, plays: int) -> dict[str, Any]:
    about = compare_means(joint, measure.bounds)
    return {
        "of": measure.text,
        "values": [
            {
                "value": _pair_value_json(one.value),
                "first": one.first,
                "other": one.other,
                "interval": [one.low, one.high],
            }
            for one in compare_shares(joint, plays)
        ],
        "means": None
        if about is None
        else {
            "first": about.first,
            "other": about.other,
            "difference": about.difference.mean,
            **mean_interval_json(about.difference),
        },
        "differ": count_differing_pairs(joint),
    }


def _share_difference(shares: ShareDifference, plays: int) -> float:
    """Share in the second minus share in the first."""
    return (shares.other - shares.first) / plays


def _plot_single_start(number: int, starts: Sequence[StartCounts], query: OddsQuery, other: str) -> PlotWithTable:
    (only,) = starts
    plays, joint = only.counts.play_count, only.counts.value_counts[number]
    every = compare_shares(joint, plays)
    first, second = [item.first for item in every], [item.other for item in every]
    of = make_visible(query.play.measures[number].text)
    note = f"{CONFIDENCE_LEVEL:.0%} intervals of {plays:,} pairs, of which {count_differing_pairs(joint):,} differ"
    lines = _make_counted_curve("first", first, plays), _make_counted_curve(other, second, plays)
    picture = CurvePlot(
        _procedure_title(query),
        of,
        "how likely",
        tuple(_format_pair_value(item.value) for item in every),
        lines,
        note=note,
    )
    head, *rows = _pair_table_cells(joint, plays)
    return PlotWithTable(_procedure_title(query), of, picture, tuple(head), tuple(map(tuple, rows)))


def _make_counted_curve(label: str, often: Sequence[int], plays: int) -> CurveData:
    between = [confidence_interval(item, plays) for item in often]
    heights = tuple(item / plays for item in often)
    return CurveData(label, heights, tuple(low for low, _ in between), tuple(high for _, high in between))


def _plot_along_starts(
    number: int, start_counts_list: Sequence[StartCounts], query: OddsQuery, second: str
) -> PlotWithTable:
    """Over starts: of numbers the difference of means, else the shares of each value, of flags that of `yes`."""
    measure = query.play.measures[number]
    joints: list[PairCounts] = [one.counts.value_counts[number] for one in start_counts_list]
    by_mean = measure.is_number and all(compare_means(mapping, measure.bounds) for mapping in joints if mapping)
    values = sort_values(dict.fromkeys(value for joint in joints for pair in joint for value in pair))
    shown = values[1:] if values == [False, True] else values
    lines = (
        (_mean_difference_curve(joints, measure),)
        if by_mean
        else tuple(_share_difference_curve(item, start_counts_list, joints) for item in shown)  # type: ignore[arg-type]
    )
    across = ", ".join(make_visible(one.path) for one in query.varied)
    starts = tuple(
        ", ".join(format_start_values(query.varied, one.axis_values, query.play.start.names))
        for one in start_counts_list
    )
    up = f"{make_visible(measure.text)}: {second} - first{', on average' if by_mean else ''}"
    note = f"{CONFIDENCE_LEVEL:.0%} intervals of {max(one.counts.play_count for one in start_counts_list):,} pairs"
    picture = CurvePlot(
        _procedure_title(query), across, up, starts, lines, is_share=not by_mean, is_apart=True, note=note
    )
    rows = (
        (start, *(_format_difference(line, at, by_mean=by_mean) for line in lines)) for at, start in enumerate(starts)
    )
    return PlotWithTable(
        _procedure_title(query), up, picture, (across, *(line.label or "other - first" for line in lines)), tuple(rows)
    )


def _mean_difference_curve(joints: Iterable[PairCounts], measure: AskedMeasure) -> CurveData:
    result = [compare_means(joint, measure.bounds) for joint in joints]
    apart_by = [(one.difference.mean, one.difference.margin) if one else None for one in result]
    return _make_interval_curve("", [item and (item[0], item[0] - item[1], item[0] + item[1]) for item in apart_by])


def _share_difference_curve(
    value: ComparableValue, starts: Iterable[StartCounts], joints: Iterable[PairCounts]
) -> CurveData:
    intervals: list[tuple[float, float, float] | None] = []
    for start_counts, joint in zip(starts, joints, strict=True):
        one = next((one for one in compare_shares(joint, start_counts.counts.play_count) if one.value == value), None)
        nowhere = (0.0, 0.0, 0.0) if joint else None
        intervals.append(
            nowhere if one is None else (_share_difference(one, start_counts.counts.play_count), one.low, one.high)
        )
    return _make_interval_curve(_format_pair_value(value), intervals)


def _make_interval_curve(label: str, intervals: Sequence[tuple[float, float, float] | None]) -> CurveData:
    """Curve of differences with intervals; None where a play cannot begin."""
    lows, highs = (tuple(item[end] if item else 0.0 for item in intervals) for end in (1, 2))
    return CurveData(label, tuple(item[0] if item else None for item in intervals), lows, highs)


def _format_difference(line: CurveData, at: int, *, by_mean: bool) -> str:
    if line.heights[at] is None:
        return ""
    interval = (line.heights[at] or 0.0, line.low[at], line.high[at])
    middle, low, high = (f"{item:+.3g}" if by_mean else f"{item * PERCENT:+.2f} %" for item in interval)
    return f"{middle} ({low} to {high})"


def _procedure_title(query: OddsQuery) -> str:
    return make_visible(query.play.start.procedure.heading)
