"""The report of `odds`: tables, JSON, CSV, plots, and commands that replay faults."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.renderings import format_place
from rulewright.base.frozen import dataclass
from rulewright.cli.advice import format_worth
from rulewright.cli.odds_progress import render_open_size, size_to_json
from rulewright.cli.odds_query import OddsArguments, OddsQuery
from rulewright.cli.output import Output
from rulewright.cli.plots import PlotWithTable, StartShares, describe_unfinished_shares, make_heat_map, make_plots
from rulewright.cli.result_tables import (
    GRID,
    MAX_REQUESTED_DENOMINATOR,
    NO_FRACTION,
    VALUES,
    OddsStyle,
    SweepRow,
    cumulate_likelihoods,
    format_fraction,
    format_likelihood,
    format_mean,
    format_percent,
    format_refusal_reasons,
    format_start_values,
    measure_scale_json,
    measure_value_json,
    measure_value_text,
    render_csv_lines,
    render_sweep_table,
    render_text_grid,
    render_value_table,
    start_values_json,
)
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.findings import quote_name
from rulewright.documents.name_table import NameTable
from rulewright.odds.best_play_solver import OptimalValue
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import OutcomeDistribution, PlayOdds, sort_values
from rulewright.odds.state_space_size import StateSpaceSize, describe_state_count
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import run_to_end
from rulewright.program.types import FlagType
from rulewright.program.walk import find_address_span
from rulewright.runtime.faults import LIMIT_CODES
from rulewright.runtime.request import Faulted, RefusalReason
from rulewright.runtime.type_codecs import format_exact_fraction, format_value, fraction_to_json
from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class StartOdds:
    """Odds from one start of a sweep."""

    varied_values: tuple[Value, ...]  # in the order of the axes
    play: MeasuredPlay
    odds: PlayOdds | None  # None: the procedure cannot begin
    refusal_reasons: tuple[RefusalReason, ...] = ()  # why it cannot begin
    size: StateSpaceSize | None = None  # estimate, if the exploration met its limit


def render_odds_report(
    start_odds: StartOdds, odds: PlayOdds, most: int, out: Output, style: OddsStyle
) -> Iterator[str]:
    """Text of the odds from one start."""
    start = start_odds.play.start
    title = make_visible(start.procedure.heading)
    yield f"{out.paint(title, 'strong')}: {describe_state_count(odds.state_count)}"
    for best in odds.optimal_values:
        yield f"best play of {make_visible(start.names.player_id(best.player))}: {_format_best_play(best)}"
    for distribution in odds.distributions:
        yield ""
        yield out.paint(make_visible(distribution.measure.text), "strong")
        yield from _render_distribution(distribution, start.names, out, style)
        yield from _render_condition_share(distribution, start_odds.play, style[0])
    long = [
        one
        for outcome_distribution in odds.distributions
        for one in outcome_distribution.probabilities.values()
        if format_fraction(one) == NO_FRACTION
    ]
    if long and not style[0]:
        way = "--as fraction" if all(one.denominator <= MAX_REQUESTED_DENOMINATOR for one in long) else "--format json"
        yield ""
        yield f"{NO_FRACTION} stands for a long fraction: `{way}` prints it"
    yield from _render_unfinished_plays(odds, most)
    if start_odds.size is not None and odds.open_share:
        yield from render_open_size(odds, start_odds.size)


def format_start_count(number: int) -> str:
    """Number of starts in words."""
    return "one start" if number == 1 else f"{number:,} starts"


def _format_best_play(best: OptimalValue) -> str:
    worth_text, text = format_worth(best.measure, best.low, best.high), f"`{make_visible(best.measure.text)}`"
    is_flag = isinstance(best.measure.type, FlagType)
    return f"{text} in {worth_text} of all plays" if is_flag else f"{text} is {worth_text} on average"


def _render_distribution(
    distribution: OutcomeDistribution, names: NameTable, out: Output, odds_style: OddsStyle
) -> Iterator[str]:
    style, layout = odds_style
    exact = [
        format_likelihood(probability, style)
        if style
        else f"{format_percent(probability)}  {format_fraction(probability)}"
        for probability in distribution.probabilities.values()
    ]
    rows = [(*item, exact_text) for item, exact_text in zip(distribution.probabilities.items(), exact, strict=True)]
    yield from render_value_table(distribution.measure, rows, names, out, layout)
    if distribution.mean is not None and len(distribution.probabilities) > 1:
        yield f"  on average {format_mean(distribution.mean)}"


def _render_condition_share(distribution: OutcomeDistribution, play: MeasuredPlay, style: str) -> Iterator[str]:
    """Share of plays that meet the condition, if not all do."""
    if distribution.measure.condition_number is None:
        return
    share = (
        format_likelihood(distribution.condition_probability, style)
        if style
        else f"{format_percent(distribution.condition_probability).strip()} ({format_fraction(distribution.condition_probability)})"
    )
    least = "at least " if distribution.open_share else ""
    yield make_visible(
        f"  this counts {least}{share} of all plays: those with {quote_name(play.condition_text(distribution.measure))}"
    )
    if distribution.open_share:
        yield f"  among them each value is as likely as shown, or up to {format_percent(distribution.open_share).strip()} more"


def _render_unfinished_plays(odds: PlayOdds, most: int) -> Iterator[str]:
    """Shares of plays that do not end or were not explored."""
    if odds.faults or odds.never_ends or odds.open_share or odds.error_share:
        yield ""
    if odds.error_share:
        many = len(str(int(1 / odds.error_share))) - 1
        longer = (
            ", or longer than is counted" if any(distribution.is_cut for distribution in odds.distributions) else ""
        )
        until = "goes on until the bound of a loop stops it" + longer
        if odds.is_loop_cut:
            until = "goes on for more rounds than are counted"
        if odds.is_explosion_cut:
            until = "has dice that explode further than is counted"
        yield f"left out: fewer than 1 play in 10^{many} {until}"
    for (code, message), likely in odds.faults.items():
        fault_text = f"{code}: {message}" if code else message
        yield make_visible(f"{format_percent(likely).strip()} of all plays cannot be carried on: {fault_text}")
    if odds.never_ends:
        yield f"{format_percent(odds.never_ends).strip()} of all plays never end"
    if odds.open_share and odds.optimal_values:
        share = format_percent(odds.open_share).strip()
        more = f" in {share} of all plays: each value is as likely as shown, or up to {share} more"
        yield f"{describe_state_count(odds.state_count)} do not show what is best{more if odds.open_share < 1 else ''}"
        yield f"--most N follows more than {most:,} of them"
    elif odds.open_share == 1:
        yield f"no play ends within the {odds.state_count:,} moments that were met; --most N follows more of them"
    elif odds.open_share:
        share = format_percent(odds.open_share).strip()
        yield f"{share} of all plays go beyond {most:,} moments: each value is as likely as shown, or up to {share} more"
        yield "--most N follows more of them"


def render_odds_sweep(
    starts: Sequence[StartOdds], query: OddsQuery, most: int, out: Output, odds_style: OddsStyle
) -> Iterator[str]:
    """Text of the odds from several starts: a table for each measure."""
    style, layout = odds_style
    procedure, names = query.play.start.procedure, query.play.start.names
    yield f"{out.paint(make_visible(procedure.heading), 'strong')}: {format_start_count(len(starts))}"
    for number, measure in enumerate(query.play.measures[: query.play.reported_count]):
        yield ""
        if layout == GRID:
            yield from render_text_grid(
                make_heat_map(
                    measure,
                    _measure_shares(starts, number, query),
                    query,
                    style,
                    describe_unfinished_shares(_all_unfinished_shares(starts)),
                ),
                out,
            )
            continue
        values = sort_values(
            {
                value
                for start_odds in starts
                if start_odds.odds
                for value in start_odds.odds.distributions[number].probabilities
            }
        )
        lines = [_sweep_row(start_odds, number, query, values, odds_style) for start_odds in starts]
        yield from render_sweep_table(measure, query.varied, lines, names, out, layout)
    if any(start_odds.odds is not None and start_odds.odds.open_share for start_odds in starts):
        yield ""
        yield f"`open` is the share of plays that go beyond {most:,} moments; --most N follows more of them"


def _sweep_row(
    start: StartOdds, number: int, query: OddsQuery, values: Sequence[Value], odds_style: OddsStyle
) -> SweepRow:
    style, layout = odds_style
    names = start.play.start.names
    at = format_start_values(query.varied, start.varied_values, names)
    if start.odds is None:
        return SweepRow(
            at, {}, "", {"cannot begin": "; ".join(format_refusal_reasons(start.refusal_reasons, start.play))}
        )
    distribution = start.odds.distributions[number]
    mean = "" if distribution.mean is None else f"{float(distribution.mean):.4g}"
    likely = (
        distribution.probabilities
        if layout == VALUES
        else cumulate_likelihoods(distribution.probabilities, values, layout)
    )
    every = values if likely and style not in {"", "percent"} else likely
    shares = {value: format_likelihood(likely.get(value, Fraction(0)), style or "percent") for value in every}
    beside = {
        f"best for {make_visible(names.player_id(optimal_value.player))}": _format_bounds(optimal_value)
        for optimal_value in start.odds.optimal_values
    }
    if distribution.measure.condition_number is not None:
        beside["of plays"] = format_likelihood(distribution.condition_probability, style or "percent")
    lost = _unfinished_shares(start) | {"open": distribution.open_share}
    return SweepRow(
        at, shares, mean, beside | {name: format_percent(item).strip() for name, item in lost.items() if item}
    )


def _unfinished_shares(start: StartOdds) -> dict[str, Fraction]:
    """Shares of plays without an end, by their fate in words."""
    if start.odds is None:
        return {"cannot begin": Fraction(1)}
    faulty = sum(start.odds.faults.values(), Fraction(0))
    return {"cannot be carried on": faulty, "never ends": start.odds.never_ends, "open": start.odds.open_share}


def _all_unfinished_shares(starts: Sequence[StartOdds]) -> list[tuple[str, Fraction]]:
    return [item for start_odds in starts for item in _unfinished_shares(start_odds).items()]


def plot_odds(starts: Sequence[StartOdds], query: OddsQuery, style: OddsStyle) -> list[PlotWithTable]:
    """A plot with table for each measure."""
    each_of = [_measure_shares(starts, number, query) for number in range(query.play.reported_count)]
    return make_plots(each_of, query, style, _all_unfinished_shares(starts))


def _measure_shares(starts: Sequence[StartOdds], number: int, query: OddsQuery) -> list[StartShares]:
    distributions = [
        (start_odds, None if start_odds.odds is None else start_odds.odds.distributions[number])
        for start_odds in starts
    ]
    return [
        StartShares(
            format_start_values(query.varied, start_odds.varied_values, start_odds.play.start.names),
            {} if one is None else one.probabilities,
            None if one is None else one.mean,
        )
        for start_odds, one in distributions
    ]


def _format_bounds(best: OptimalValue) -> str:
    return " to ".join(dict.fromkeys(f"{float(item):.6g}" for item in (best.low, best.high)))


def odds_to_json(starts: Sequence[StartOdds], query: OddsQuery, most: int) -> dict[str, Any]:
    """JSON of the odds of one start, or of a sweep."""
    start, head = query.play.start, odds_header_json(query.play, most)
    if not query.varied:
        (only,) = starts
        return head | _start_odds_json(only)
    return head | {
        "vary": [sweep_axis.path for sweep_axis in query.varied],
        "starts": [
            {"at": start_values_json(query.varied, start_odds.varied_values, start.names)}
            | _start_odds_json(start_odds)
            for start_odds in starts
        ],
    }


def odds_header_json(play: MeasuredPlay, most: int) -> dict[str, Any]:
    """JSON keys of the question."""
    start = play.start
    return {"version": 1, "ruleset": start.executable.program.name, "procedure": start.procedure.name, "most": most}


def _start_odds_json(start: StartOdds) -> dict[str, Any]:
    if start.odds is None:
        return {"refused": format_refusal_reasons(start.refusal_reasons, start.play)}
    names, odds = start.play.start.names, start.odds
    return {
        "moments": odds.state_count,
        "odds": [
            {
                "of": distribution.measure.text,
                "values": [
                    {
                        "value": measure_value_json(value, distribution.measure, names),
                        "says": measure_value_text(value, distribution.measure, names),
                        "likely": format_exact_fraction(likely),
                        "about": float(likely),
                    }
                    for value, likely in distribution.probabilities.items()
                ],
                "scale": measure_scale_json(distribution.measure, names),
                "mean": None if distribution.mean is None else fraction_to_json(distribution.mean),
                **_condition_json(distribution, start.play),
            }
            for distribution in odds.distributions
        ],
        "faults": [
            {"code": code, "message": message, "likely": format_exact_fraction(likely), "about": float(likely)}
            for (code, message), likely in odds.faults.items()
        ],
        **(
            {"best": [_best_play_json(optimal_value, names) for optimal_value in odds.optimal_values]}
            if odds.optimal_values
            else {}
        ),
        "never": str(odds.never_ends),
        "open": str(odds.open_share),
        **({"scripted": dict(odds.scripted_chance)} if odds.scripted_chance else {}),
        **({"size": size_to_json(start.size)} if start.size else {}),
        **({"beyond": str(odds.error_share)} if odds.error_share else {}),
    }


def _condition_json(distribution: OutcomeDistribution, play: MeasuredPlay) -> dict[str, Any]:
    """JSON keys of the condition of a measure, if it has one."""
    if distribution.measure.condition_number is None:
        return {}
    share = {
        "likely": format_exact_fraction(distribution.condition_probability),
        "about": float(distribution.condition_probability),
        "open": format_exact_fraction(distribution.open_share),
    }
    return {"given": {"of": play.condition_text(distribution.measure)} | share}


def _best_play_json(best: OptimalValue, names: NameTable) -> dict[str, Any]:
    low, high = fraction_to_json(best.low), fraction_to_json(best.high)
    return {"player": names.player_id(best.player), "of": best.measure.text, "low": low, "high": high}


def render_odds_csv(starts: Sequence[StartOdds], query: OddsQuery) -> Iterator[str]:
    """CSV lines: a row for each value of each measure from each start, exact and rounded; then unfinished shares."""
    heads = [*(sweep_axis.path for sweep_axis in query.varied), "of", "value", "likely", "about"]
    rows = (
        (*format_start_values(query.varied, start_odds.varied_values, start_odds.play.start.names), *row)
        for start_odds in starts
        for row in _csv_rows_of_start(start_odds)
    )
    return render_csv_lines(heads, rows)


def _csv_rows_of_start(start: StartOdds) -> Iterator[tuple[object, ...]]:
    if start.odds is None:
        yield "", "cannot begin", 1, 1.0
        return
    names = start.play.start.names
    for distribution in start.odds.distributions:
        for value, likely in distribution.probabilities.items():
            shown = "" if value is None else format_value(value, distribution.measure.type, names)
            yield distribution.measure.text, shown, format_exact_fraction(likely), float(likely)
    for best in start.odds.optimal_values:
        yield (
            best.measure.text,
            f"best for {make_visible(names.player_id(best.player))}",
            format_exact_fraction(best.low),
            float(best.low),
        )
    rest = {**{f"cannot be carried on {code}".strip(): item for (code, _), item in start.odds.faults.items()}}
    for name, likely in (rest | {"never ends": start.odds.never_ends, "open": start.odds.open_share}).items():
        if likely:
            yield "", name, format_exact_fraction(likely), float(likely)


_MAX_TRIED_SEEDS = 500
"""Limit of seeds tried per fault; heuristic."""
_MAX_REPLAY_WORK = 50_000
"""Limit of the length of one tried play, in counted work; heuristic."""


def render_fault_replays(faults: Iterable[tuple[str, str]], query: OddsQuery, written: OddsArguments) -> Iterator[str]:
    """For each fault, by code and message: its line, and a `run` command that reproduces it.

    Left out are faults that no seed reproduces soon, and plays whose answerers `run` cannot have.
    """
    unexplained, answers = {fault for fault in faults if fault[0] not in LIMIT_CODES}, query.answers
    if query.varied or query.saved_run or answers.maximizing_players or written.external or written.play.limits:
        return
    decided = query.opening.deciding
    sources = AnswerSourceChain(
        answers.names,
        SeededRandom(0),
        answers.script,
        is_chance_requested=True,
        policy=decided.default or None,
        policies=decided.by_player,
    )
    start = replace(query.play.start, limits=replace(query.play.start.limits, work=_MAX_REPLAY_WORK))
    for seed in range(_MAX_TRIED_SEEDS if unexplained else 0):
        end = run_to_end(start, replace(sources, chance=SeededRandom(seed))).session.outcome
        if isinstance(end, Faulted) and (end.code, end.message) in unexplained:
            unexplained.remove((end.code, end.message))
            span = find_address_span(end.address, start.executable.program)
            yield ""
            yield make_visible(f"{end.code} stops at {end.address}")
            if span is not None:
                yield f"  --> {format_place(span, query.texts)}"
            yield make_visible(f"  `{_replay_command_line(written, query.opening.policies, seed)}` plays it")
            if not unexplained:
                return


def _replay_command_line(written: OddsArguments, policies: Sequence[PlayerPolicy], seed: int) -> str:
    play = written.play
    words = ["rulewright", "run", play.ruleset, *([play.procedure] if play.procedure else [])]
    chosen = [policy.written for policy in reversed(policies)]
    several = (("--overlay", play.overlays), ("--with", play.roles), ("--set", play.settings), ("--policy", chosen))
    once = (("--state", play.state), ("--script", play.script))
    words += [word for option, values in several for item in values for word in (option, item)]
    words += [word for option, value in once if value for word in (option, value)]
    return shlex.join([*words, *(["--no-script"] if play.unscripted else []), "--seed", str(seed)])
