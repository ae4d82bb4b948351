"""Paired simulation (common random numbers): the second of each pair, reports of differences, plots."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import DISK, FileProvider, FilesWithExtra
from rulewright.cli.command_files import read_text
from rulewright.cli.odds_query import OddsArguments, OddsQuery
from rulewright.cli.options import PolicyOption, combine_options
from rulewright.cli.output import Output, make_stop
from rulewright.cli.play_opening import PlayRequest, is_scenario_path
from rulewright.cli.plots import CurveData, CurvePlot, PlotWithTable
from rulewright.cli.result_tables import PERCENT, align_columns, format_refusal_reasons, format_start_values
from rulewright.documents.document_nodes import Json
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
    confidence_interval,
    count_differing_pairs,
)
from rulewright.runtime.type_codecs import fraction_to_json
from rulewright.scenarios.scenario_files import resolve_shipped_place

pair_options = combine_options(
    click.option("--against", metavar="RULESET|SCENARIO|REV:PLACE", help="also play by these rules, on the same dice"),
    click.option(
        "--against-overlay",
        "against_overlays",
        multiple=True,
        metavar="FILE",
        help="an overlay for --against; repeatable",
    ),
    click.option(
        "--against-set",
        "against_settings",
        multiple=True,
        metavar="SETTING=VALUE",
        help="a reading for --against; repeatable",
    ),
    click.option(
        "--against-policy",
        "against_policies",
        type=PolicyOption(),
        multiple=True,
        metavar="[PLAYER[/QUESTION]=]POLICY",
        help="how players choose for --against; repeatable",
    ),
    click.option("--against-first", is_flag=True, help="compare each start of --vary with the first"),
)
"""Options of the second of a pair."""
AGAINST_OPTIONS = ("against", "against_overlays", "against_settings", "against_policies")
PAIR_HEADS = ("of", "value", "first", "other", "of pairs", "difference", "low", "high")


def parse_second_of_pair(arguments: OddsArguments, given: Mapping[str, Any], *, first: bool) -> OddsArguments | None:
    """Question of the second of each pair; None if plays are not paired, or paired with the first start.

    Stops with RW1135 if it is unclear what is paired.
    """
    given_options = [against_option for against_option in AGAINST_OPTIONS if given[against_option]]
    if first and (given_options or not arguments.vary):
        message = "`--against-first` compares the starts of one sweep with the first of them"
        remedy = "leave out the other `--against` options" if given_options else "add `--vary PATH=VALUES`"
        raise make_stop("RW1135", message, remedy)
    if not given_options:
        return None
    play, place = arguments.play, given["against"]
    play = replace(
        play,
        overlays=(*play.overlays, *given["against_overlays"]),
        settings=(*play.settings, *given["against_settings"]),
    )
    if place is not None:
        place, revision = _resolve_against_place(place, play)
        play = replace(play, revision=revision)
    if place is not None and (is_scenario_path(place) or not is_scenario_path(play.ruleset)):
        play = replace(play, ruleset=place)
    elif place is not None:
        play = replace(play, rules=place)
    return replace(arguments, play=play, policies=given["against_policies"] or arguments.policies)


def _resolve_against_place(place: str, play: PlayRequest) -> tuple[str, FileProvider | None]:
    """Place and file provider of a place or `REV:PLACE`; a scenario that is played stays that of the disk."""
    from rulewright.cli.diff_result import resolve_side  # noqa: PLC0415 - seldom wanted

    if DISK.get_file_type(place) or ":" not in place:
        return place, None
    side_request = resolve_side("--against", place, ())
    if not is_scenario_path(play.ruleset) or is_scenario_path(side_request.place):
        return side_request.place, side_request.provider
    scenario = resolve_shipped_place(play.ruleset, DISK)
    return side_request.place, FilesWithExtra(side_request.provider, scenario, read_text(scenario).content)


def describe_second_of_pair(given: Mapping[str, Any]) -> str:
    """The second of each pair, as written."""
    parts = [f"{given['against']}"] if given["against"] else []
    parts += [f"with {item}" for item in given["against_overlays"]]
    parts += [f"by {item}" for item in given["against_settings"]]
    parts += [f"policy {item}" for item in given["against_policies"]]
    return " ".join(parts)


def render_pairs(starts: Sequence[StartCounts], query: OddsQuery, second: str, seed: int, out: Output) -> Iterator[str]:
    """Text of the counts of pairs: the shares of each start and measure beside each other."""
    procedure, names = query.play.start.procedure, query.play.start.names
    title = out.paint(make_visible(procedure.heading), "strong")
    yield f"{title}: pairs of plays on the same dice, seed {seed}; intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
    if second:
        yield make_visible(f"other: {second}")
    for start_counts in starts:
        at = ", ".join(
            f"{path.path} = {value}"
            for path, value in zip(
                query.varied, format_start_values(query.varied, start_counts.axis_values, names), strict=True
            )
        )
        if start_counts.refusal_reasons:
            why = "; ".join(format_refusal_reasons(start_counts.refusal_reasons, start_counts.play))
            yield from ("", make_visible(f"{f'{at}: ' if at else ''}cannot begin: {why}"))
            continue
        for measure, joint in zip(start_counts.play.measures, start_counts.counts.value_counts, strict=True):
            yield ""
            yield out.paint(make_visible(f"{measure.text}{f', {at}' if at else ''}"), "strong")
            yield from _render_pair_table(joint, start_counts.counts.play_count, measure)


def pair_table_cells(joint: PairCounts, plays: int) -> list[list[str]]:
    """A row for each value."""
    rows = [["", "first", "other", "other - first", ""]]
    for compare_share in compare_shares(joint, plays):
        low, high = compare_share.low * PERCENT, compare_share.high * PERCENT
        shares = [f"{number / plays:.2%}".replace("%", " %") for number in (compare_share.first, compare_share.other)]
        difference = (compare_share.other - compare_share.first) / plays * PERCENT
        rows.append(
            [format_pair_value(compare_share.value), *shares, f"{difference:+.2f} %", f"{low:+.2f} to {high:+.2f} %"]
        )
    return rows


def _render_pair_table(joint: PairCounts, plays: int, measure: AskedMeasure) -> Iterator[str]:
    yield from align_columns(pair_table_cells(joint, plays))
    about = compare_means(joint, measure.bounds)
    if about is not None and count_differing_pairs(joint):
        yield f"  on average {about.first:.4g} → {about.other:.4g}: {format_mean_interval(about.difference, '+')}"
    apart_in = count_differing_pairs(joint)
    most = f"; at most {confidence_interval(0, plays)[1] * PERCENT:.2g} % do" if not apart_in else ""
    yield f"  {apart_in:,} of {plays:,} pairs differ{most}"


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


def format_pair_value(value: ComparableValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no value" if value is None else make_visible(str(value))


def pairs_to_json(counts: StartCounts) -> dict[str, Any]:
    """JSON of the counts of pairs from one start."""
    if counts.refusal_reasons:
        return {"refused": format_refusal_reasons(counts.refusal_reasons, counts.play)}
    pairs = zip(counts.play.measures, counts.counts.value_counts, strict=True)
    return {
        "pairs": counts.counts.play_count,
        "measures": [_pair_measure_json(*pair, counts.counts.play_count) for pair in pairs],
    }


def _pair_measure_json(measure: AskedMeasure, joint: PairCounts, plays: int) -> dict[str, Any]:
    about = compare_means(joint, measure.bounds)
    return {
        "of": measure.text,
        "values": [
            {
                "value": pair_value_json(compare_share.value),
                "first": compare_share.first,
                "other": compare_share.other,
                "interval": [compare_share.low, compare_share.high],
            }
            for compare_share in compare_shares(joint, plays)
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


def pair_value_json(value: ComparableValue) -> Json:
    return fraction_to_json(value) if isinstance(value, Fraction) else value


def pair_csv_rows(counts: StartCounts) -> Iterator[tuple[object, ...]]:
    """A row for each value of each measure."""
    plays = counts.counts.play_count
    if counts.refusal_reasons:
        yield "", "cannot begin", 0, 0, 0, None, None, None
        return
    for measure, joint in zip(counts.play.measures, counts.counts.value_counts, strict=True):
        for compare_share in compare_shares(joint, plays):
            yield (
                measure.text,
                format_pair_value(compare_share.value),
                compare_share.first,
                compare_share.other,
                plays,
                share_difference(compare_share, plays),
                compare_share.low,
                compare_share.high,
            )


def share_difference(shares: ShareDifference, plays: int) -> float:
    """Share in the second minus share in the first."""
    return (shares.other - shares.first) / plays


def plot_pairs(starts: Sequence[StartCounts], query: OddsQuery, second: str) -> list[PlotWithTable]:
    """A plot with table for each measure; `second` names the second of each pair."""
    drawn = _plot_along_starts if query.varied else _plot_single_start
    return [drawn(number, starts, query, make_visible(second) or "other") for number in range(len(query.play.measures))]


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
        tuple(format_pair_value(item.value) for item in every),
        lines,
        note=note,
    )
    head, *rows = pair_table_cells(joint, plays)
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
    joints: list[PairCounts] = [start_counts.counts.value_counts[number] for start_counts in start_counts_list]
    by_mean = measure.is_number and all(compare_means(mapping, measure.bounds) for mapping in joints if mapping)
    values = sort_values(dict.fromkeys(value for joint in joints for pair in joint for value in pair))
    shown = values[1:] if values == [False, True] else values
    lines = (
        (_mean_difference_curve(joints, measure),)
        if by_mean
        else tuple(_share_difference_curve(item, start_counts_list, joints) for item in shown)  # type: ignore[arg-type]
    )
    across = ", ".join(make_visible(sweep_axis.path) for sweep_axis in query.varied)
    starts = tuple(
        ", ".join(format_start_values(query.varied, start_counts.axis_values, query.play.start.names))
        for start_counts in start_counts_list
    )
    up = f"{make_visible(measure.text)}: {second} - first{', on average' if by_mean else ''}"
    note = f"{CONFIDENCE_LEVEL:.0%} intervals of {max(start_counts.counts.play_count for start_counts in start_counts_list):,} pairs"
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
    apart_by = [
        (paired_means.difference.mean, paired_means.difference.margin) if paired_means else None
        for paired_means in result
    ]
    return _make_interval_curve("", [item and (item[0], item[0] - item[1], item[0] + item[1]) for item in apart_by])


def _share_difference_curve(
    value: ComparableValue, starts: Iterable[StartCounts], joints: Iterable[PairCounts]
) -> CurveData:
    intervals: list[tuple[float, float, float] | None] = []
    for start_counts, joint in zip(starts, joints, strict=True):
        one = next((one for one in compare_shares(joint, start_counts.counts.play_count) if one.value == value), None)
        nowhere = (0.0, 0.0, 0.0) if joint else None
        intervals.append(
            nowhere if one is None else (share_difference(one, start_counts.counts.play_count), one.low, one.high)
        )
    return _make_interval_curve(format_pair_value(value), intervals)


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
    procedure = query.play.start.procedure
    return make_visible(procedure.heading)
