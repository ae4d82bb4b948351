"""The verb `simulate`: Monte Carlo counts of plays or pairs of plays, and their report."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from functools import partial
from os import cpu_count
from typing import Any

import click

from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.odds_query import OddsQuery, odds_query_options, parse_odds_arguments
from rulewright.cli.odds_report import format_start_count, render_fault_replays
from rulewright.cli.options import LARGEST_SEED, NumberOption, WholeNumberOption, verb_command
from rulewright.cli.output import ExitCode, Output, ProgressLine, error_output, make_output
from rulewright.cli.play_counting import (
    PLAYS_PER_PART,
    ResumeFile,
    SimulationPlan,
    SimulationWorkers,
    count_until_precise,
    estimate_needed_plays,
    is_precise_enough,
)
from rulewright.cli.plots import (
    PlotWithTable,
    StartShares,
    describe_unfinished_shares,
    make_heat_map,
    make_plots,
    picture_options,
    require_drawable,
    require_layout_fits,
    write_plots,
)
from rulewright.cli.result_tables import (
    GRID,
    PERCENT,
    VALUES,
    SweepRow,
    cumulate_likelihoods,
    describe_scripted_chance,
    format_percent,
    format_refusal_reasons,
    format_start_values,
    is_ordered,
    measure_scale_json,
    measure_value_json,
    measure_value_text,
    output_refusal_reasons,
    render_csv_lines,
    render_sweep_table,
    render_text_grid,
    render_value_table,
    require_writable_parquet,
    start_values_json,
    write_parquet,
)
from rulewright.cli.simulate_pairs import (
    AGAINST_OPTIONS,
    PAIR_HEADS,
    describe_second_of_pair,
    format_mean_interval,
    mean_interval_json,
    pair_csv_rows,
    pair_options,
    pairs_to_json,
    parse_second_of_pair,
    plot_pairs,
    render_pairs,
)
from rulewright.documents.answer_scripts import report_untaken
from rulewright.documents.findings import quote_name
from rulewright.odds.exact_odds import CannotBeginError, sort_values
from rulewright.odds.monte_carlo import (
    CONFIDENCE_LEVEL,
    RepeatedPlay,
    StartCounts,
    compute_shares,
    confidence_interval,
    estimate_measure_mean,
    has_faulty_pair,
    make_empty_counts,
)
from rulewright.play.seeded_random import make_fresh_seed
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value

_CSV_HEADS = ("of", "value", "plays", "of plays", "low", "high")


def render_counts(counts: StartCounts, seed: int, out: Output, layout: str) -> Iterator[str]:
    """Text of the counts from one start."""
    counted, procedure = counts.counts, counts.play.start.procedure
    title = out.paint(make_visible(procedure.heading), "strong")
    yield f"{title}: {_format_play_count(counted.play_count)}, seed {seed}; intervals hold {CONFIDENCE_LEVEL:.0%} of the time"
    for number in range(len(counts.play.measures)):
        yield ""
        yield from _render_counted_measure(counts, number, out, layout)
    for (code, message), often in counted.fault_counts.items():
        fault_text = f"{code}: {message}" if code else message
        yield ""
        yield make_visible(f"{_format_play_count(often)} cannot be carried on: {fault_text}")
    if counts.batch_refusal:
        yield ""
        yield make_visible(f"Played one by one: {counts.batch_refusal}")


def _format_play_count(plays: int) -> str:
    return "1 play" if plays == 1 else f"{plays:,} plays"


def _render_counted_measure(start_counts: StartCounts, number: int, out: Output, layout: str) -> Iterator[str]:
    names, measure = start_counts.play.start.names, start_counts.play.measures[number]
    counts, plays = start_counts.counts_of_measure(number)
    yield out.paint(make_visible(measure.text), "strong")
    likely = compute_shares(counts, plays)
    rows = [
        (
            value,
            share,
            f"{format_percent(share)}  {'{:.2f} to {:.2f} %'.format(*_percent_interval(counts[value], plays))}",
        )
        for value, share in likely.items()
    ]
    yield from render_value_table(measure, rows, names, out, layout)
    about = estimate_measure_mean(measure, counts)
    if about is not None and is_ordered(measure, likely):
        yield f"  on average {format_mean_interval(about)}"
    if measure.condition_number is not None:
        condition = quote_name(start_counts.play.condition_text(measure))
        unmet = f"no play ended with {condition}: more may (`--runs N`), and `odds` says whether any can"
        yield make_visible(f"  asked of {_format_play_count(plays)}: those with {condition}" if plays else f"  {unmet}")


def _percent_interval(successes: int, plays: int) -> tuple[float, float]:
    low, high = confidence_interval(successes, plays)
    return low * PERCENT, high * PERCENT


def _unfinished_count_shares(starts: Sequence[StartCounts]) -> list[tuple[str, Fraction]]:
    """Shares of plays without a value, by their fate in words."""
    faulty = [
        (sum(start_counts.counts.fault_counts.values()), start_counts.counts.play_count)
        for start_counts in starts
        if not start_counts.refusal_reasons
    ]
    lost = [("cannot be carried on", Fraction(faults, plays)) for faults, plays in faulty]
    return lost + [("cannot begin", Fraction(1)) for start_counts in starts if start_counts.refusal_reasons]


def render_counts_sweep(
    starts: Sequence[StartCounts], query: OddsQuery, seed: int, out: Output, layout: str
) -> Iterator[str]:
    """Text of the counts from several starts: a table for each measure."""
    procedure, names = query.play.start.procedure, query.play.start.names
    title = out.paint(make_visible(procedure.heading), "strong")
    many = format_start_count(len(starts))
    yield f"{title}: {many}, seed {seed}; the true value lies within the ± {CONFIDENCE_LEVEL:.0%} of the time"
    for number, measure in enumerate(query.play.measures):
        yield ""
        if layout == GRID:
            yield from render_text_grid(
                make_heat_map(
                    measure,
                    _counted_shares(starts, number, query),
                    query,
                    "",
                    describe_unfinished_shares(_unfinished_count_shares(starts)),
                ),
                out,
            )
            continue
        values = sort_values({value for start_counts in starts for value in start_counts.counts_of_measure(number)[0]})
        lines = [_counts_sweep_row(start_counts, number, query, values, layout) for start_counts in starts]
        yield from render_sweep_table(measure, query.varied, lines, names, out, layout)
        abouts = [estimate_measure_mean(measure, start_counts.counts_of_measure(number)[0]) for start_counts in starts]
        if any(about is not None and not about.covers_range for about in abouts):
            yield "  an average may lie further off if something rarer lies far away"


def _counts_sweep_row(
    start_counts: StartCounts, number: int, query: OddsQuery, values: Sequence[Value], layout: str
) -> SweepRow:
    counted, measure = start_counts.counts, start_counts.play.measures[number]
    counts, plays = start_counts.counts_of_measure(number)
    at = format_start_values(query.varied, start_counts.axis_values, start_counts.play.start.names)
    if start_counts.refusal_reasons:
        return SweepRow(
            at,
            {},
            "",
            {"cannot begin": "; ".join(format_refusal_reasons(start_counts.refusal_reasons, start_counts.play))},
        )
    likely, about = compute_shares(counts, plays), estimate_measure_mean(measure, counts)
    likely = likely if layout == VALUES else cumulate_likelihoods(likely, values, layout)
    shares = {value: _format_share_interval(round(share * plays), plays) for value, share in likely.items()}
    faulty = sum(counted.fault_counts.values())
    rest = {"plays": f"{plays:,}"} | ({"cannot be carried on": f"{faulty:,}"} if faulty else {})
    return SweepRow(at, shares, "" if about is None else f"{about.mean:.4g} ± {about.margin:.2g}", rest)


def _counted_shares(starts: Sequence[StartCounts], number: int, query: OddsQuery) -> list[StartShares]:
    """Shares of a measure from each start."""
    drawn_from = []
    for start_counts in starts:
        counts, plays = start_counts.counts_of_measure(number)
        about = estimate_measure_mean(start_counts.play.measures[number], counts)
        at = format_start_values(query.varied, start_counts.axis_values, start_counts.play.start.names)
        likely = compute_shares(counts, plays) if plays else {}
        drawn_from.append(StartShares(at, likely, None if about is None else about.mean, plays))
    return drawn_from


def _format_share_interval(successes: int, plays: int) -> str:
    low, high = _percent_interval(successes, plays)
    return f"{successes / plays * PERCENT:.2f} ± {(high - low) / 2:.2f} %"


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """Counts of all starts, with renderings as text, plots, JSON and rows."""

    counted_starts: Sequence[StartCounts]  # by start
    query: OddsQuery  # of pairs that of the first
    seed: int
    policy: str  # as written, or empty
    layout: str = VALUES  # one of `LAYOUTS`
    against: str | None = None  # the second of pairs, as written; None: not paired

    @property
    def is_faulty(self) -> bool:
        """Whether a play could not begin or met a fault."""
        if any(counted_start.refusal_reasons for counted_start in self.counted_starts):
            return True
        counted = [counted_start.counts for counted_start in self.counted_starts]
        joints = (
            [joint for play_counts in counted for joint in play_counts.value_counts] if self.against is not None else []
        )
        return any(play_counts.fault_counts for play_counts in counted) or any(map(has_faulty_pair, joints))

    def render_lines(self, out: Output) -> Iterator[str]:
        if self.against is not None:
            return render_pairs(self.counted_starts, self.query, self.against, self.seed, out)
        if self.query.varied:
            return render_counts_sweep(self.counted_starts, self.query, self.seed, out, self.layout)
        return render_counts(self.counted_starts[0], self.seed, out, self.layout)

    def plot_measures(self) -> list[PlotWithTable]:
        """A plot with table for each measure."""
        if self.against is not None:
            return plot_pairs(self.counted_starts, self.query, self.against)
        each_of = [
            _counted_shares(self.counted_starts, number, self.query) for number in range(len(self.query.play.measures))
        ]
        return make_plots(each_of, self.query, ("", self.layout), _unfinished_count_shares(self.counted_starts))

    def simulation_to_json(self) -> dict[str, Any]:
        """JSON of one start, or of a sweep."""
        start = self.query.play.start
        program = self.query.opening.start.executable.program
        head = {
            "version": 1,
            "ruleset": program.name,
            "fingerprint": program.fingerprint,
            "procedure": start.procedure.name,
            "seed": self.seed,
            "policy": self.policy,
            "confidence": CONFIDENCE_LEVEL,
        }
        to_json = _start_counts_json
        if self.against is not None:
            head, to_json = head | {"against": self.against}, pairs_to_json
        if not self.query.varied:
            return head | to_json(self.counted_starts[0])
        names = start.names
        starts = [
            {"at": start_values_json(self.query.varied, counted_start.axis_values, names)} | to_json(counted_start)
            for counted_start in self.counted_starts
        ]
        return head | {"vary": [sweep_axis.path for sweep_axis in self.query.varied], "starts": starts}

    @property
    def heads(self) -> tuple[str, ...]:
        heads = _CSV_HEADS if self.against is None else PAIR_HEADS
        beside = () if self.against is None else ("against",)
        return (
            *(sweep_axis.path for sweep_axis in self.query.varied),
            *heads,
            "seed",
            "policy",
            "fingerprint",
            *beside,
        )

    def table_cells(self) -> Iterator[tuple[object, ...]]:
        """A row for each value of each measure from each start, with its interval; then unfinished shares."""
        rows = _count_rows if self.against is None else pair_csv_rows
        beside = () if self.against is None else (self.against,)
        whence = self.seed, self.policy, self.query.opening.start.executable.program.fingerprint, *beside
        for counted_start in self.counted_starts:
            at = format_start_values(self.query.varied, counted_start.axis_values, counted_start.play.start.names)
            yield from ((*at, *row, *whence) for row in rows(counted_start))

    def render_csv(self) -> Iterator[str]:
        """Heads and rows as comma-separated values (RFC 4180)."""
        return render_csv_lines(self.heads, self.table_cells())


def _start_counts_json(counts: StartCounts) -> dict[str, Any]:
    if counts.refusal_reasons:
        return {"refused": format_refusal_reasons(counts.refusal_reasons, counts.play)}
    return {
        "plays": counts.counts.play_count,
        "counts": [_measure_counts_json(counts, number) for number in range(len(counts.play.measures))],
        "faults": [
            {"code": code, "message": message, "plays": often}
            for (code, message), often in counts.counts.fault_counts.items()
        ],
    }


def _measure_counts_json(start_counts: StartCounts, number: int) -> dict[str, Any]:
    measure, (counts, plays) = start_counts.play.measures[number], start_counts.counts_of_measure(number)
    about = estimate_measure_mean(measure, counts)
    return {
        "of": measure.text,
        "values": [
            {
                "value": measure_value_json(value, measure, start_counts.play.start.names),
                "says": measure_value_text(value, measure, start_counts.play.start.names),
                "plays": counts[value],
                "interval": confidence_interval(counts[value], plays),
            }
            for value in compute_shares(counts, plays)
        ],
        "scale": measure_scale_json(measure, start_counts.play.start.names),
        "mean": None if about is None else {"about": about.mean, **mean_interval_json(about)},
        **(
            {}
            if measure.condition_number is None
            else {"given": {"of": start_counts.play.condition_text(measure), "plays": plays}}
        ),
    }


def _count_rows(start_counts: StartCounts) -> Iterator[tuple[object, ...]]:
    if start_counts.refusal_reasons:
        yield "", "cannot begin", 0, 0, None, None
        return
    plays, names = start_counts.counts.play_count, start_counts.play.start.names
    for number, measure in enumerate(start_counts.play.measures):
        counts, counted_plays = start_counts.counts_of_measure(number)
        for value in compute_shares(counts, counted_plays):
            shown = "" if value is None else format_value(value, measure.type, names)
            yield measure.text, shown, counts[value], counted_plays, *confidence_interval(counts[value], counted_plays)
    for (code, _), often in start_counts.counts.fault_counts.items():
        yield "", f"cannot be carried on {code}".strip(), often, plays, *confidence_interval(often, plays)


_DEFAULT_PLAYS = 10_000
_MAX_PLAYS_WITHIN = 1_000_000
_MAX_RUNS = 1_000_000_000
"""Limit of plays if a precision is requested."""
_MAX_WORKERS = 64
_INSPECTED_PLAYS = 20
"""Plays inspected for rolls that the script answers; heuristic."""


@verb_command("simulate")
@odds_query_options
@picture_options
@pair_options
@click.option("--runs", type=WholeNumberOption(1, _MAX_RUNS), metavar="N", help="how many plays, 10000 unless given")
@click.option("--seed", type=WholeNumberOption(0, LARGEST_SEED), metavar="N", help="seed for the dice")
@click.option(
    "--within", type=NumberOption(0, 50), metavar="PERCENT", help="stop once every share is known this closely"
)
@click.option("--workers", type=WholeNumberOption(1, _MAX_WORKERS), metavar="N", help="how many processes to use")
@click.option("--cluster", metavar="ADDRESS", help="play on the workers of this Dask cluster")
@click.option("--resume", "resumed", metavar="FILE", help="save the counts here, and continue from those it holds")
@click.option("--parquet", metavar="FILE", help="also write the rows as a Parquet file")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    runs: int | None,
    seed: int | None,
    within: float | None,
    workers: int | None,
    cluster: str | None,
    resumed: str | None,
    parquet: str | None,
    layout: str,
    picture: str | None,
    against_first: bool,
    form: str | None,
    **given: Any,  # as `odds_query_options` and `pair_options` give them
) -> int:
    """Plays a procedure many times and counts the results, or the final values of EXPRESSION, with 95 % intervals.

    If `odds` can answer, use that: it is exact. The same seed gives the same counts with any number of
    workers, and the same dice from each start of `--vary`. `--against` plays another revision, overlay, reading or
    policy on the same dice and shows the differences. The extra `batch` plays many procedures hundreds of times
    faster, with the same counts. If you interrupt it, it shows the counts so far; `--resume FILE` continues from there.

    Exits with 1 if some plays meet a fault or cannot begin; 2 if a question has no answer, no play took an answer of
    the script, or you interrupted it; 3 if the plays were too few for `--within`, or `--given` held in none.

    Example, after `rulewright new skirmish`: `rulewright simulate skirmish/skirmish.scenario.yaml falls --no-script
    --policy random --of "mordred.health" --runs 100`.
    """
    out, against = make_output(form), {against_option: given.pop(against_option) for against_option in AGAINST_OPTIONS}
    require_writable_parquet(parquet)
    require_drawable(picture)
    written = parse_odds_arguments(given)
    second = parse_second_of_pair(written, against, first=against_first)
    table = SimulationPlan(written, second, first=against_first)
    query = table.queries[0]
    require_layout_fits(layout, query, "what differs in pairs is shown" if table.is_paired and layout != VALUES else "")
    most = runs or (_MAX_PLAYS_WITHIN if within is not None else _DEFAULT_PLAYS)
    share = None if within is None else within / PERCENT
    resume_file = ResumeFile(resumed, table.queries, seed, make_fresh_seed())
    workers = workers or (min(cpu_count() or 1, most // PLAYS_PER_PART) or 1)
    with closing(SimulationWorkers(table, workers, cluster)) as players:
        items, is_complete = _count_all_starts(table, players, (most, share), resume_file, out)
    if not is_complete:
        _output_interruption(resumed, form)
    if not items:
        return ExitCode.BAD_INPUT
    beside = describe_second_of_pair(against) if table.is_paired else None
    report = SimulationReport(
        items, query, resume_file.seed, ", ".join(written.policies) or query.answers.policy, layout, beside
    )
    if parquet is not None:
        write_parquet(parquet, report.heads, tuple(report.table_cells()))
    if not query.varied and items[0].refusal_reasons:
        output_refusal_reasons(items[0].refusal_reasons, query.play, out)
    elif out.form == "json":
        out.print_json(report.simulation_to_json())
    else:
        out.print_lines(report.render_csv() if out.form == "csv" else report.render_lines(out))
        if out.form != "csv" and not table.is_paired:
            out.print_lines(
                render_fault_replays(
                    {fault for start_counts in items for fault in start_counts.counts.fault_counts}, query, written
                )
            )
    if picture is not None and not all(start_counts.refusal_reasons for start_counts in items):
        write_plots(picture, report.plot_measures())
    untaken_errors = _untaken_answer_errors(items, query)
    if is_complete and untaken_errors:
        error_output(form).print_diagnostics(untaken_errors, query.texts)
    elif out.form in {"human", "plain"}:
        error_output(form).print_lines(
            describe_scripted_chance(
                _scripted_chance_answers(query, resume_file.seed), by_script=written.play.script is not None
            )
        )
    return _simulation_exit(report, share, table, out) if is_complete and not untaken_errors else ExitCode.BAD_INPUT


def _untaken_answer_errors(starts: Sequence[StartCounts], query: OddsQuery) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that no play took."""
    script, of_each = (
        query.answers.script,
        [start_counts.counts.unused_lines for start_counts in starts if start_counts.counts.unused_lines is not None],
    )
    if script is None or not of_each:
        return ()
    untaken = frozenset.intersection(*of_each)
    return report_untaken(
        [line for number, line in enumerate(script.lines) if number in untaken], ordered=script.is_ordered
    )


def _scripted_chance_answers(query: OddsQuery, seed: int) -> Mapping[str, str]:
    """Rolls and draws that the script answers in the first plays from the first start."""
    if query.answers.script is None:
        return {}
    repeated = RepeatedPlay(query.play, query.answers)
    return dict(item for number in range(_INSPECTED_PLAYS) for item in repeated.list_scripted_chance(seed, number))


def _simulation_exit(report: SimulationReport, share: float | None, table: SimulationPlan, out: Output) -> ExitCode:
    """Exit code; prints which shares miss the requested precision."""
    result = report.counted_starts
    is_imprecise = share is not None and not all(
        start_counts.refusal_reasons or is_precise_enough(start_counts.counts, share, table) for start_counts in result
    )
    if share is not None and is_imprecise and out.form not in {"json", "csv"}:
        out.print_line(f"not within {share * PERCENT:g} % yet: {_describe_needed_plays(result, share, table)}")
    if report.is_faulty:
        return ExitCode.FINDINGS
    return ExitCode.UNKNOWN if is_imprecise or _is_condition_unmet(result) else ExitCode.SUCCESS


def _is_condition_unmet(starts: Sequence[StartCounts]) -> bool:
    """Whether a condition is given and no counted play meets it."""
    playable = [start_counts for start_counts in starts if not start_counts.refusal_reasons]
    measures = playable[0].play.measures if playable else ()
    return any(
        not any(start_counts.counts_of_measure(number)[1] for start_counts in playable)
        for number in range(len(measures))
    )


def _output_interruption(resumed: str | None, form: str | None) -> None:
    goes_on = f"the same command goes on from `{resumed}`" if resumed else "`--resume FILE` keeps what is counted"
    error_output(form).print_line(f"stopped before all plays were counted; {goes_on}")


def _describe_needed_plays(starts: Sequence[StartCounts], within: float, table: SimulationPlan) -> str:
    """Number of plays that would suffice, in words."""
    needed = [
        estimate_needed_plays(start_counts.counts, within, table)
        for start_counts in starts
        if not start_counts.refusal_reasons
    ]
    most = max((item for item in needed if item is not None), default=None)
    return "no number of plays suffices" if most is None else f"about {most:,} plays would do: `--runs {most}`"


def _count_all_starts(
    table: SimulationPlan,
    players: SimulationWorkers,
    enough: tuple[int, float | None],
    resume_file: ResumeFile,
    out: Output,
) -> tuple[tuple[StartCounts, ...], bool]:
    """Counts from each start; False if interrupted."""
    query, result, is_complete = table.queries[0], list[StartCounts](), True
    with ProgressLine(0, out) as progress:
        for number, (at, play) in enumerate(query.starts):
            if number < table.first_start:
                continue
            before = f"{number:,} of {len(query.starts):,} starts, " if query.varied else ""
            try:
                is_complete = count_until_precise(
                    players, number, enough, resume_file, partial(_show_start_progress, progress, before)
                )
            except CannotBeginError as refused:
                result.append(StartCounts(at, play, make_empty_counts(len(play.measures)), refused.reasons))
                continue
            if resume_file.counted[number].play_count:
                result.append(
                    StartCounts(
                        at, play, resume_file.counted[number], batch_refusal=table.plays.batch_refusal_of(number)
                    )
                )
            if not is_complete:
                break
    return tuple(result), is_complete


def _show_start_progress(progress: ProgressLine, before: str, text: str) -> None:
    progress.show_progress(before + text)
