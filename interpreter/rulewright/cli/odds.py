"""The verb `odds`: exact distributions of the ends of a procedure, and the expected value of answers."""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from functools import partial
from os import cpu_count
from pathlib import Path, PurePath
from time import monotonic

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import DISK
from rulewright.base.workers import ProcessPool
from rulewright.cli.advice import advice_to_json, plot_advice, render_advice_csv, render_advice_lines
from rulewright.cli.command_files import write_file
from rulewright.cli.odds_progress import (
    OddsProgress,
    estimate_query_size,
    estimate_to_json,
    reject_options_with_estimate,
    render_estimate,
)
from rulewright.cli.odds_query import (
    REFUSALS,
    OddsArguments,
    OddsOptions,
    OddsQuery,
    explain_odds_refusal,
    impossible_condition_error,
    resolve_odds_query,
    table_format_option,
)
from rulewright.cli.odds_report import OddsReport, StartOdds, is_limit_reached, odds_header_json
from rulewright.cli.options import (
    ChoiceOption,
    LimitOptions,
    PlayOptions,
    WholeNumberOption,
    flag,
    option,
    options_of,
    overlay_option,
    several,
    verb_command,
)
from rulewright.cli.output import (
    CommandStop,
    ExitCode,
    Output,
    ProgressLine,
    error_output,
    is_limit_code,
    make_output,
    make_stop,
)
from rulewright.cli.play_opening import make_play_request
from rulewright.cli.plots import layout_option, picture_option, require_drawable, require_layout_fits, write_plots
from rulewright.cli.result_tables import VALUES, describe_scripted_chance, format_start_values, output_refusal_reasons
from rulewright.cli.session_files import require_nameable_rules, require_recordable
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.best_play_solver import evaluate_answers
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import CannotBeginError, PlayOdds, begin_run, check_unused_lines, compute_odds
from rulewright.odds.likelihood_formats import STYLES
from rulewright.odds.state_exploration import ExplorationProgress, ProgressCallback
from rulewright.odds.state_space_size import MAX_STATES, estimate_effort
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.request import RefusalReason, Refused
from rulewright.runtime.run import Run
from rulewright.scenarios.odds_recording import RecordedQuestion, RecordedStart, UnrecordableOddsError, record_odds


def require_recordable_odds(file: str | None, arguments: OddsArguments) -> None:
    """Check before the work that a scenario can ask the same; stops with RW0784 or as `require_recordable` does."""
    if file is None:
        return
    require_recordable(file)
    given = {
        "`--best`": arguments.best,
        "`--known`": arguments.known,
        "`--load`": arguments.load,
        "`--script`": arguments.play.script,
        "`--external`": arguments.external,
    }
    wrong = next((what for what, value in given.items() if value), None)
    if wrong is not None:
        beside = f"write the likelihoods into `{PurePath(file).with_suffix('').stem}.odds.yaml` beside it instead"
        remedy = beside if wrong == "`--external`" else "ask without it, or without `--record`"
        raise make_stop("RW0784", f"a scenario cannot ask with {wrong}, so nothing can be recorded", remedy)


def _record_odds(file: str, starts: Sequence[StartOdds], query: OddsQuery) -> None:
    """Write odds as scenarios that expect them, one for each start.

    Raises:
        CommandStop: RW0784, not everything is known exactly, or can be written; RW1016, the file cannot name the rules;
            RW0011, it cannot be written.
    """
    opening, recorded = query.opening, list[RecordedStart]()
    require_nameable_rules(file, opening.ruleset, opening.overlays)
    for start in starts:
        values = format_start_values(query.varied, start.axis_values, start.play.start.names)
        title = ", ".join(f"{axis.path} {value}" for axis, value in zip(query.varied, values, strict=True))
        reasons = [reason.text for reason in start.refusal_reasons]
        recorded.append(RecordedStart(title, start.play.start, start.odds, reasons))
    case = opening.case
    script = case.script if case is not None and opening.script is not None else None
    question = RecordedQuestion(opening.ruleset, opening.overlays, opening.policies, script, query.play.reported_count)
    try:
        content = record_odds(file, recorded, question, DISK)
    except UnrecordableOddsError as wrong:
        raise make_stop("RW0784", wrong.message, wrong.remedy) from None
    write_file(Path(file), content)


_MAX_WORKERS = 64
_PRECHECK_MOMENTS = 40
"""Explored states before the exploration, to find unanswerable questions early; heuristic."""
_SINGLE_PROCESS_TIME_S = 1.0
"""Seconds of work in one process before other processes are started; heuristic."""
_OddsOrRefusal = PlayOdds | tuple[RefusalReason, ...]
"""Odds, or the reasons why a procedure cannot begin."""


@verb_command("odds")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    begins: PlayOptions = options_of(PlayOptions),
    asks: OddsOptions = options_of(OddsOptions),
    overlays: tuple[str, ...] = overlay_option,
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = table_format_option,
    layout: str = layout_option,
    picture: str | None = picture_option,
    best: tuple[str, ...] = several("--best", "PLAYER:EXPRESSION", "this player plays for the highest value"),
    known: tuple[str, ...] = several("--known", "NAME", "all players know what is in this bag or deck; repeatable"),
    advise: bool = flag("--advise", "show what `--best` can expect after each answer to the next question"),
    load: str | None = option("--load", "FILE", "continue from a save of `play`"),
    recorded: str | None = option("--record", "FILE", "save the question as a scenario that expects this answer"),
    style: str | None = option(
        "--as", "", "how likelihoods are written: fraction, percent or odds, 1 in 6", ChoiceOption(STYLES)
    ),
    estimate: bool = flag("--estimate", "only estimate how many moments of play there are"),
    workers: int | None = option(
        "--workers", "N", "how many processes to use with --vary", WholeNumberOption(1, _MAX_WORKERS)
    ),
    most: int = option(
        "--most", "N", "follow at most this many moments of play", WholeNumberOption(1), default=MAX_STATES
    ),
) -> int:
    """Works out exactly how likely each result of a procedure is, or each final value of EXPRESSION.

    EXPRESSION is written as in the rules, with the ids of things, roles, terms and `result`: `--of "hammer.health"`.
    Without one it asks for the result. It follows every way that dice and draws can fall. `--vary
    hammer.health=1..6` repeats the question from each of these starts. `--best "red: hammer.health"` has a player
    choose the answers that make the value highest; two players may want opposite things. `--advise` shows what each
    answer to the next question is worth to such a player. `--picture FILE` draws the answer.

    Exits with 1 if some plays meet a fault, never end or cannot begin; 2 if no play takes an answer of the script; 3
    if a limit was reached: it then shows how much likelier each value may be.

    Example, after `rulewright new skirmish`: `rulewright odds skirmish/skirmish.scenario.yaml falls --no-script
    --policy random --of "mordred.health"`.
    """
    if estimate:
        conflicting = {"--picture": picture, "--record": recorded, "--advise": advise, "--format csv": form == "csv"}
        reject_options_with_estimate(conflicting)
    require_drawable(picture)
    play = make_play_request(begins, overlays, limits, recording="none")
    question = OddsArguments(**asdict(asks), play=play, best=best, load=load, known=known)
    require_recordable_odds(recorded, question)
    out, query, odds_style = make_output(form), resolve_odds_query(question), (style or "", layout)
    require_layout_fits(layout, query, "advice is shown" if advise and layout != VALUES else "")
    if estimate:
        return _output_odds_estimate(query, most, out)
    if advise:
        return _output_advice(query, most, out, picture)
    result = tuple(_iterate_start_odds(query, most, workers or cpu_count() or 1, out))
    _require_possible_condition(result)
    report = OddsReport(query, result, odds_style, most)
    report.print_report(out, question)
    report.write_picture(picture)
    if not _is_script_used_up(result, query, question, out):
        return ExitCode.BAD_INPUT
    if recorded is not None:
        _record_odds(recorded, result, query)
    return max(map(_odds_exit, result))


def _output_advice(query: OddsQuery, most: int, out: Output, picture: str | None) -> ExitCode:
    play_start = query.play.start
    if query.play.conditions:
        message = "advice weighs all plays, so it takes no `--given`"
        raise make_stop("RW1209", message, "leave `--given` out")
    if not query.play.objectives or query.varied:
        message = "there is no advice without an objective" if not query.varied else "advice is for one start"
        raise make_stop("RW1131", message, "add `--best PLAYER:EXPRESSION`, and leave `--vary` out")
    start = query.saved_run or begin_run(play_start)
    if isinstance(start.outcome, Refused):
        output_refusal_reasons(start.outcome.reasons, query.play, out)
        return ExitCode.FINDINGS
    with ProgressLine(0, out) as progress:
        try:
            following = OddsProgress(most, progress)
            following.start_following(0, partial(estimate_query_size, query, query.play))
            result = evaluate_answers(query.play, query.answers, start, most, following)
        except REFUSALS as error:
            raise explain_odds_refusal(error, query.play, query.answers, query.texts) from None
    render = render_advice_csv if out.form == "csv" else render_advice_lines
    out.print_report(lambda: advice_to_json(result, play_start.names), render(result, play_start.names))
    if picture is not None:
        write_plots(picture, [plot_advice(result, play_start.names)])
    return ExitCode.UNKNOWN if result.has_open_bounds else ExitCode.SUCCESS


def _require_possible_condition(starts: Sequence[StartOdds]) -> None:
    """Stops with RW1203 if no play meets the condition."""
    plays = [(one.play, one.odds) for one in starts if one.odds is not None]
    for number in range(len(plays[0][1].distributions) if plays else 0):
        of_each = [odds.distributions[number] for _, odds in plays]
        if not any(one.condition_probability or one.open_share for one in of_each):
            raise CommandStop([impossible_condition_error(plays[0][0].condition_text(of_each[0].measure))])


def _is_script_used_up(starts: Sequence[StartOdds], query: OddsQuery, question: OddsArguments, out: Output) -> bool:
    """Whether plays take all answers of the script; reports unused ones, else those that replace chance."""
    known = [start.odds for start in starts if start.odds is not None]
    unused = [line for line in known[0].unused_lines if all(line in one.unused_lines for one in known)] if known else []
    untaken = check_unused_lines(query.play, query.answers, unused)
    if untaken:
        error_output(out.form).print_diagnostics(untaken, query.texts)
    elif out.form in {"human", "plain"}:
        given = {at: answer for one in known for at, answer in one.scripted_chance.items()}
        error_output(out.form).print_lines(describe_scripted_chance(given, by_script=question.play.script is not None))
    return not untaken


def _iterate_start_odds(query: OddsQuery, most: int, workers: int, out: Output) -> Iterator[StartOdds]:
    begun_at, starts = monotonic(), query.starts
    with ProgressLine(0, out) as progress:
        following = OddsProgress(most, progress, len(starts))
        with suppress(TooManyOutcomesError):
            estimate_query_size(query, query.play, min(_PRECHECK_MOMENTS, most))
        for number, (_, play) in enumerate(starts):
            if workers > 1 and number < len(starts) - 1 and monotonic() - begun_at > _SINGLE_PROCESS_TIME_S:
                yield from _compute_odds_in_parallel(
                    query, most, (number, min(workers, len(starts) - number)), following
                )
                return
            following.start_following(number, partial(estimate_query_size, query, play))
            result = _compute_start_odds(query, play, most, following)
            size = following.size
            if isinstance(result, PlayOdds) and result.open_share and not query.varied:
                if not is_limit_reached(result, most):
                    size = None
                elif size is None:
                    with suppress(TooManyOutcomesError):
                        size = estimate_query_size(query, play)
            yield replace(_make_start_odds(query, number, result), size=size)


def _compute_start_odds(
    query: OddsQuery, play: MeasuredPlay, most: int, on_progress: ProgressCallback
) -> _OddsOrRefusal:
    try:
        return _try_start_odds(play, query.answers, most, on_progress, query.saved_run)
    except REFUSALS as error:
        raise explain_odds_refusal(error, play, query.answers, query.texts) from None


def _try_start_odds(
    play: MeasuredPlay, answers: PlayAnswerer, most: int, on_progress: ProgressCallback, at: Run | None = None
) -> _OddsOrRefusal:
    try:
        return compute_odds(play, answers, most, on_progress, at)
    except CannotBeginError as refused:
        return refused.reasons


def _make_start_odds(query: OddsQuery, number: int, odds: _OddsOrRefusal) -> StartOdds:
    at, play = query.starts[number]
    return StartOdds(at, play, odds) if isinstance(odds, PlayOdds) else StartOdds(at, play, None, odds)


def _compute_odds_in_parallel(
    query: OddsQuery, most: int, number_range: tuple[int, int], following: OddsProgress
) -> Iterator[StartOdds]:
    first, workers = number_range
    numbers = range(first, len(query.starts))
    given = [play for _, play in query.starts], query.answers, most
    with closing(ProcessPool(workers, given)) as processes:
        for number, result in zip(numbers, processes.map(_compute_odds_in_worker, numbers), strict=True):
            play = query.starts[number][1]
            following.start_following(number + 1, lambda _: None)
            yield _make_start_odds(query, number, result or _compute_start_odds(query, play, most, following))
            following(ExplorationProgress(0, None))


def _compute_odds_in_worker(
    given: tuple[Sequence[MeasuredPlay], PlayAnswerer, int], number: int
) -> _OddsOrRefusal | None:
    """Odds of a start by number; None if a refusal is to be explained by the main process."""
    plays, answers, most = given
    with suppress(*REFUSALS):
        return _try_start_odds(plays[number], answers, most, lambda _: None)
    return None


def _output_odds_estimate(query: OddsQuery, most: int, out: Output) -> ExitCode:
    """Print the estimated size, the exit code as `estimated`; of several starts that of the first."""
    play = query.starts[0][1]
    with ProgressLine(0, out) as progress:
        try:
            estimate = estimate_effort(
                play,
                query.answers,
                most,
                lambda met: progress.show_progress(f"{met.state_count:,} moments"),
                query.saved_run,
            )
        except CannotBeginError as refused:
            output_refusal_reasons(refused.reasons, play, out)
            return ExitCode.FINDINGS
        except REFUSALS as error:
            raise explain_odds_refusal(error, play, query.answers, query.texts) from None
    title = make_visible(play.start.procedure.heading)
    of = f", from the first of {len(query.starts):,} starts" if query.varied else ""
    out.print_report(
        lambda: odds_header_json(play, most) | estimate_to_json(estimate),
        [f"{out.paint(title, 'strong')}{of}:", *(f"  {line}" for line in render_estimate(estimate, most))],
    )
    return ExitCode.SUCCESS


def _odds_exit(start: StartOdds) -> ExitCode:
    if start.odds is None:
        return ExitCode.FINDINGS
    is_open = start.odds.open_share or any(one.low != one.high for one in start.odds.optimal_values)
    if is_open or any(is_limit_code(code) for code, _ in start.odds.faults):
        return ExitCode.UNKNOWN
    return ExitCode.FINDINGS if start.odds.faults or start.odds.never_ends else ExitCode.SUCCESS
