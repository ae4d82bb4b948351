"""The report of `odds`: exact distributions as text, JSON, CSV and plots."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.advice import format_worth
from rulewright.cli.odds_progress import size_to_json
from rulewright.cli.odds_query import OddsQuery
from rulewright.cli.outcome_report import SharesReport, format_start_count, measure_to_json
from rulewright.cli.output import Output
from rulewright.cli.result_tables import MeasuredShares, OddsStyle, render_value_table
from rulewright.documents.findings import quote_name
from rulewright.documents.name_table import NameTable
from rulewright.odds.best_play_solver import OptimalValue
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import OutcomeDistribution, PlayOdds
from rulewright.odds.likelihood_formats import (
    MAX_REQUESTED_DENOMINATOR,
    NO_FRACTION,
    format_fraction,
    format_likelihood,
    format_mean,
    format_percent,
)
from rulewright.odds.state_space_size import StateSpaceSize, describe_size, describe_state_count
from rulewright.program.types import FlagType
from rulewright.runtime.request import RefusalReason
from rulewright.runtime.type_codecs import format_exact_fraction, format_value, fraction_to_json
from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class StartOdds:
    """Odds from one start of a sweep."""

    axis_values: tuple[Value, ...]  # by axis of the sweep
    play: MeasuredPlay
    odds: PlayOdds | None  # None: the procedure cannot begin
    refusal_reasons: tuple[RefusalReason, ...] = ()  # why it cannot begin
    size: StateSpaceSize | None = None  # estimate, if the exploration met its limit

    @property
    def known_odds(self) -> PlayOdds:
        """Of a procedure that can begin."""
        assert self.odds is not None
        return self.odds


class OddsReport(SharesReport[StartOdds]):
    """The report of `odds`."""

    heads = ("of", "value", "likely", "about")
    refused_cells = (1, 1.0)

    def __init__(self, query: OddsQuery, starts: Sequence[StartOdds], odds_style: OddsStyle, most: int) -> None:
        head = odds_header_json(query.play, most)
        super().__init__(query, starts, head, {}, odds_style, format_start_count(len(starts)))
        self._most = most

    def list_faults(self) -> set[tuple[str, str]]:
        return {fault for start in self.starts if start.odds for fault in start.odds.faults}

    def render_start(self, start: StartOdds, out: Output) -> Iterator[str]:
        odds, names, style = start.known_odds, start.play.start.names, self.odds_style[0]
        title = make_visible(start.play.start.procedure.heading)
        yield f"{out.paint(title, 'strong')}: {describe_state_count(odds.state_count)}"
        for best in odds.optimal_values:
            yield f"best play of {make_visible(names.player_id(best.player))}: {_format_best_play(best)}"
        for distribution in odds.distributions:
            yield ""
            yield out.paint(make_visible(distribution.measure.text), "strong")
            yield from _render_distribution(distribution, names, out, self.odds_style)
            yield from _render_condition_share(distribution, start.play, style)
        every = [share for one in odds.distributions for share in one.probabilities.values()]
        long = [share for share in every if format_fraction(share) == NO_FRACTION]
        if long and not style:
            is_printable = all(share.denominator <= MAX_REQUESTED_DENOMINATOR for share in long)
            yield ""
            yield f"{NO_FRACTION} stands for a long fraction: `{'--as fraction' if is_printable else '--format json'}` prints it"
        yield from _render_unfinished_plays(odds, self._most)
        if start.size is not None and odds.open_share:
            yield from describe_size(start.size, odds.state_count)

    def measure_start(self, start: StartOdds, number: int) -> MeasuredShares:
        odds, names = start.known_odds, start.play.start.names
        distribution, style = odds.distributions[number], self.odds_style[0] or "percent"
        beside = {_name_best_player(one, names): _format_bounds(one) for one in odds.optimal_values}
        if distribution.measure.condition_number is not None:
            beside["of plays"] = format_likelihood(distribution.condition_probability, style)
        lost = self.list_unfinished(start) | {"open": distribution.open_share}
        beside |= {name: format_percent(share).strip() for name, share in lost.items() if share}
        mean = "" if distribution.mean is None else f"{float(distribution.mean):.4g}"
        at = self.start_values(start)
        return MeasuredShares(at, distribution.probabilities, distribution.mean, mean, beside)

    def list_unfinished(self, start: StartOdds) -> dict[str, Fraction]:
        odds = start.known_odds
        faulty = sum(odds.faults.values(), Fraction(0))
        return {"cannot be carried on": faulty, "never ends": odds.never_ends, "open": odds.open_share}

    def render_sweep_notes(self) -> Iterator[str]:
        if any(start.odds is not None and start.odds.open_share for start in self.starts):
            yield ""
            yield f"`open` is the share of plays that go beyond {self._most:,} moments; --most N follows more of them"

    def start_to_json(self, start: StartOdds) -> dict[str, Any]:
        names, odds = start.play.start.names, start.known_odds
        best = [
            {
                "player": names.player_id(one.player),
                "of": one.measure.text,
                "low": fraction_to_json(one.low),
                "high": fraction_to_json(one.high),
            }
            for one in odds.optimal_values
        ]
        return {
            "moments": odds.state_count,
            "odds": [_distribution_json(one, start.play) for one in odds.distributions],
            "faults": [
                {"code": code, "message": message, **_likelihood_json(likely)}
                for (code, message), likely in odds.faults.items()
            ],
            **({"best": best} if best else {}),
            "never": str(odds.never_ends),
            "open": str(odds.open_share),
            **({"scripted": dict(odds.scripted_chance)} if odds.scripted_chance else {}),
            **({"size": size_to_json(start.size)} if start.size else {}),
            **({"beyond": str(odds.error_share)} if odds.error_share else {}),
        }

    def list_rows(self, start: StartOdds) -> Iterator[tuple[object, ...]]:
        names, odds = start.play.start.names, start.known_odds
        for distribution in odds.distributions:
            for value, likely in distribution.probabilities.items():
                shown = "" if value is None else format_value(value, distribution.measure.type, names)
                yield distribution.measure.text, shown, *_likelihood_json(likely).values()
        for best in odds.optimal_values:
            yield best.measure.text, _name_best_player(best, names), *_likelihood_json(best.low).values()
        faults = {f"cannot be carried on {code}".strip(): likely for (code, _), likely in odds.faults.items()}
        for name, likely in (faults | {"never ends": odds.never_ends, "open": odds.open_share}).items():
            if likely:
                yield "", name, *_likelihood_json(likely).values()


def _likelihood_json(likely: Fraction) -> dict[str, str | float]:
    return {"likely": format_exact_fraction(likely), "about": float(likely)}


def _distribution_json(distribution: OutcomeDistribution, play: MeasuredPlay) -> dict[str, Any]:
    shares = [(value, _likelihood_json(likely)) for value, likely in distribution.probabilities.items()]
    mean = None if distribution.mean is None else fraction_to_json(distribution.mean)
    document = measure_to_json(distribution.measure, play.start.names, shares, mean)
    if distribution.measure.condition_number is None:
        return document
    share, open_share = _likelihood_json(distribution.condition_probability), distribution.open_share
    condition = play.condition_text(distribution.measure)
    return {**document, "given": {"of": condition, **share, "open": format_exact_fraction(open_share)}}


def _name_best_player(best: OptimalValue, names: NameTable) -> str:
    return f"best for {make_visible(names.player_id(best.player))}"


def _format_best_play(best: OptimalValue) -> str:
    worth_text, text = format_worth(best.measure, best.low, best.high), f"`{make_visible(best.measure.text)}`"
    is_flag = isinstance(best.measure.type, FlagType)
    return f"{text} in {worth_text} of all plays" if is_flag else f"{text} is {worth_text} on average"


def _render_distribution(
    distribution: OutcomeDistribution, names: NameTable, out: Output, odds_style: OddsStyle
) -> Iterator[str]:
    style, layout = odds_style
    rows = [
        (
            value,
            likely,
            format_likelihood(likely, style) if style else f"{format_percent(likely)}  {format_fraction(likely)}",
        )
        for value, likely in distribution.probabilities.items()
    ]
    yield from render_value_table(distribution.measure, rows, names, out, layout)
    if distribution.mean is not None and len(distribution.probabilities) > 1:
        yield f"  on average {format_mean(distribution.mean)}"


def _render_condition_share(distribution: OutcomeDistribution, play: MeasuredPlay, style: str) -> Iterator[str]:
    """Share of plays that meet the condition, if not all do."""
    if distribution.measure.condition_number is None:
        return
    likely, open_share = distribution.condition_probability, distribution.open_share
    share = (
        format_likelihood(likely, style) if style else f"{format_percent(likely).strip()} ({format_fraction(likely)})"
    )
    condition = quote_name(play.condition_text(distribution.measure))
    least = "at least " if open_share else ""
    yield make_visible(f"  this counts {least}{share} of all plays: those with {condition}")
    if open_share:
        yield f"  among them each value is as likely as shown, or up to {format_percent(open_share).strip()} more"


def is_limit_reached(odds: PlayOdds, most: int) -> bool:
    """Whether following more moments would tell more; a fault leaves best play unknown for good."""
    return bool(odds.open_share) and not (odds.faults and odds.state_count < most)


def _render_unfinished_plays(odds: PlayOdds, most: int) -> Iterator[str]:
    """Shares of plays that do not end or were not explored."""
    if odds.faults or odds.never_ends or odds.open_share or odds.error_share:
        yield ""
    if odds.error_share:
        many = len(str(int(1 / odds.error_share))) - 1
        longer = ", or longer than is counted" if any(one.is_cut for one in odds.distributions) else ""
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
        if not is_limit_reached(odds, most):
            yield "what a play is worth that cannot be carried on is not known: correct the rules, or the start"
        else:
            yield f"--most N follows more than {most:,} of them"
    elif odds.open_share == 1:
        yield f"no play ends within the {odds.state_count:,} moments that were met; --most N follows more of them"
    elif odds.open_share:
        share = format_percent(odds.open_share).strip()
        yield f"{share} of all plays go beyond {most:,} moments: each value is as likely as shown, or up to {share} more"
        yield "--most N follows more of them"


def _format_bounds(best: OptimalValue) -> str:
    return " to ".join(dict.fromkeys(f"{float(item):.6g}" for item in (best.low, best.high)))


def odds_header_json(play: MeasuredPlay, most: int) -> dict[str, Any]:
    """JSON keys of the question."""
    start = play.start
    return {"version": 1, "ruleset": start.executable.program.name, "procedure": start.procedure.name, "most": most}
