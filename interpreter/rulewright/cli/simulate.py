"""The verb `simulate`: Monte Carlo counts of plays or pairs of plays, and their report."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from os import cpu_count

from rulewright.base.diagnostics import Diagnostic
from rulewright.cli.odds_query import OddsArguments, OddsOptions, OddsQuery, table_format_option
from rulewright.cli.options import (
    LimitOptions,
    NumberOption,
    PlayOptions,
    WholeNumberOption,
    option,
    options_of,
    overlay_option,
    play_seed_option,
    verb_command,
)
from rulewright.cli.output import ExitCode, Output, ProgressLine, error_output, make_output
from rulewright.cli.play_counting import ResumeFile, SecondOfPair, SimulationPlan, connect_cluster, count_until_precise
from rulewright.cli.play_opening import make_play_request
from rulewright.cli.plots import layout_option, picture_option, require_drawable, require_layout_fits
from rulewright.cli.result_tables import (
    PERCENT,
    VALUES,
    describe_scripted_chance,
    require_writable_parquet,
    write_parquet,
)
from rulewright.cli.simulate_report import CountsReport, PairsReport, has_faults
from rulewright.documents.answer_scripts import report_untaken
from rulewright.odds.exact_odds import CannotBeginError
from rulewright.odds.monte_carlo import RepeatedPlay, StartCounts, make_empty_counts
from rulewright.odds.simulation_parts import PLAYS_PER_PART, SimulationWorkers, estimate_needed_plays, is_precise_enough
from rulewright.play.seeded_random import make_fresh_seed

_DEFAULT_PLAYS = 10_000
_MAX_PLAYS_WITHIN = 1_000_000
_MAX_RUNS = 1_000_000_000
"""Limit of plays if a precision is requested."""
_MAX_WORKERS = 64
_INSPECTED_PLAYS = 20
"""Plays inspected for rolls that the script answers; heuristic."""


@verb_command("simulate")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    begins: PlayOptions = options_of(PlayOptions),
    asks: OddsOptions = options_of(OddsOptions),
    overlays: tuple[str, ...] = overlay_option,
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = table_format_option,
    layout: str = layout_option,
    picture: str | None = picture_option,
    against: SecondOfPair = options_of(SecondOfPair),
    runs: int | None = option("--runs", "N", "how many plays, 10000 unless given", WholeNumberOption(1, _MAX_RUNS)),
    seed: int | None = play_seed_option,
    within: float | None = option(
        "--within", "PERCENT", "stop once every share is known this closely", NumberOption(0, 50)
    ),
    workers: int | None = option("--workers", "N", "how many processes to use", WholeNumberOption(1, _MAX_WORKERS)),
    cluster: str | None = option("--cluster", "ADDRESS", "play on the workers of this Dask cluster"),
    resumed: str | None = option("--resume", "FILE", "save the counts here, and continue from those it holds"),
    parquet: str | None = option("--parquet", "FILE", "also write the rows as a Parquet file"),
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
    out = make_output(form)
    require_writable_parquet(parquet)
    require_drawable(picture)
    play = make_play_request(begins, overlays, limits, recording="none")
    written = OddsArguments(**asdict(asks), play=play)
    table = SimulationPlan(written, against.make_arguments(written), first=against.against_first)
    query = table.queries[0]
    require_layout_fits(layout, query, "what differs in pairs is shown" if table.is_paired and layout != VALUES else "")
    most = runs or (_MAX_PLAYS_WITHIN if within is not None else _DEFAULT_PLAYS)
    share = None if within is None else within / PERCENT
    resume_file = ResumeFile(resumed, table.queries, seed, make_fresh_seed())
    workers = workers or (min(cpu_count() or 1, most // PLAYS_PER_PART) or 1)
    far = None if cluster is None else connect_cluster(cluster, table.plays)
    with closing(SimulationWorkers(table.plays, workers, far)) as players:
        items, is_complete = _count_all_starts(table, players, (most, share), resume_file, out)
    if not is_complete:
        goes_on = f"the same command goes on from `{resumed}`" if resumed else "`--resume FILE` keeps what is counted"
        error_output(form).print_line(f"stopped before all plays were counted; {goes_on}")
    if not items:
        return ExitCode.BAD_INPUT
    policy = ", ".join(written.policies) or query.answers.policy
    report = (
        PairsReport(query, items, resume_file.seed, policy, against.describe())
        if table.is_paired
        else CountsReport(query, items, layout, resume_file.seed, policy)
    )
    if parquet is not None:
        write_parquet(parquet, report.all_heads, tuple(report.list_all_rows()))
    report.print_report(out, written)
    report.write_picture(picture)
    untaken_errors = _untaken_answer_errors(items, query)
    if is_complete and untaken_errors:
        error_output(form).print_diagnostics(untaken_errors, query.texts)
    elif out.form in {"human", "plain"}:
        error_output(form).print_lines(
            describe_scripted_chance(
                _scripted_chance_answers(query, resume_file.seed), by_script=written.play.script is not None
            )
        )
    return _simulation_exit(items, share, table, out) if is_complete and not untaken_errors else ExitCode.BAD_INPUT


def _untaken_answer_errors(starts: Sequence[StartCounts], query: OddsQuery) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that no play took."""
    script = query.answers.script
    of_each = [start.counts.unused_lines for start in starts if start.counts.unused_lines is not None]
    if script is None or not of_each:
        return ()
    untaken = frozenset.intersection(*of_each)
    return report_untaken([script.lines[number] for number in sorted(untaken)], ordered=script.is_ordered)


def _scripted_chance_answers(query: OddsQuery, seed: int) -> Mapping[str, str]:
    """Rolls and draws that the script answers in the first plays from the first start."""
    if query.answers.script is None:
        return {}
    repeated = RepeatedPlay(query.play, query.answers)
    return dict(item for number in range(_INSPECTED_PLAYS) for item in repeated.list_scripted_chance(seed, number))


def _simulation_exit(
    result: Sequence[StartCounts], share: float | None, table: SimulationPlan, out: Output
) -> ExitCode:
    """Exit code; prints which shares miss the requested precision."""
    is_imprecise = share is not None and not all(
        one.refusal_reasons or is_precise_enough(one.counts, share, paired=table.is_paired) for one in result
    )
    if share is not None and is_imprecise and out.form not in {"json", "csv"}:
        out.print_line(f"not within {share * PERCENT:g} % yet: {_describe_needed_plays(result, share, table)}")
    if has_faults(result, paired=table.is_paired):
        return ExitCode.FINDINGS
    return ExitCode.UNKNOWN if is_imprecise or _is_condition_unmet(result) else ExitCode.SUCCESS


def _is_condition_unmet(starts: Sequence[StartCounts]) -> bool:
    """Whether a condition is given and no counted play meets it."""
    playable = [start for start in starts if not start.refusal_reasons]
    measures = playable[0].play.measures if playable else ()
    return any(not any(start.counts_of_measure(number)[1] for start in playable) for number in range(len(measures)))


def _describe_needed_plays(starts: Sequence[StartCounts], within: float, table: SimulationPlan) -> str:
    """Number of plays that would suffice, in words."""
    needed = [
        estimate_needed_plays(one.counts, within, paired=table.is_paired) for one in starts if not one.refusal_reasons
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
            progress.prefix = f"{number:,} of {len(query.starts):,} starts, " if query.varied else ""
            try:
                is_complete = count_until_precise(players, number, enough, resume_file, progress.show_progress)
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
