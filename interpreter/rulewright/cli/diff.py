"""The verb `diff`: selection of the two revisions and of the report to write; also a diff driver of git."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

import click

from rulewright.base.diagnostics import Diagnostic, Severity, make_visible
from rulewright.base.files import DISK, NULL_DEVICES, FileProvider, FilesWithReplacement
from rulewright.base.source import Text, count_common_prefix
from rulewright.cli import diff_odds, diff_report, diff_screen
from rulewright.cli.command_files import (
    HTML_PREFIX,
    files_for,
    read_text,
    require_overwritable,
    require_writable,
    write_file,
)
from rulewright.cli.diff_json import diff_json, side_json
from rulewright.cli.diff_odds import (
    NO_SCENARIO,
    format_scenario_names,
    format_situation_count,
    make_odds_comparison,
    refuse_unasked,
    summarize_shifts,
)
from rulewright.cli.diff_result import (
    ComparedPair,
    ComparedSide,
    DiffResult,
    PlayEffort,
    SideRequest,
    compare_pair,
    load_side,
    resolve_git_side,
    resolve_side,
)
from rulewright.cli.diff_screen import comparison_title
from rulewright.cli.diff_witnesses import shorten_shipped_path
from rulewright.cli.folder_comparison import compare_with_folder, has_folder_differences
from rulewright.cli.odds_progress import estimate_to_json, reject_options_with_estimate, render_estimate
from rulewright.cli.options import (
    WholeNumberOption,
    allow_option,
    argument,
    flag,
    make_format_option,
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
    PrintError,
    ProgressLine,
    error_output,
    make_error,
    make_output,
    make_stop,
    numbered_diff,
)
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.cli.session_files import require_recordable
from rulewright.diff.differential_testing.results import OddsComparison, PlayEstimate, RevisionEstimate
from rulewright.diff.differential_testing.scenario_migration import migrate_saved_plays
from rulewright.diff.differential_testing.witnesses import is_distinguishing_scenario, write_witness_scenario
from rulewright.diff.odds_shift import InvalidOddsQuestionError, OddsQuestion
from rulewright.diff.outdated_addresses import find_outdated_addresses
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import find_main_files, locate_ruleset
from rulewright.documents.saved_sessions import SavedSession, read_save
from rulewright.odds.state_exploration import ExplorationProgress
from rulewright.odds.state_space_size import EffortEstimate, StateSpaceSize
from rulewright.play.session import Session
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX, all_cases, read_suites

_CANNOT_BEGIN = "cannot begin"
_PROVED_SHIFTS = OddsComparison((), "", 0, is_proved=True)


class _EstimateProgress:
    """Progress line of a size estimate."""

    def __init__(self, progress: ProgressLine) -> None:
        self._progress = progress
        self._message = ""

    def start_following(self, number: int, look: Callable[[int], StateSpaceSize | None], of: tuple[int, str]) -> None:
        del look
        self._message = f"{number:,} of {of[0]:,} {of[1]}"

    def __call__(self, met: ExplorationProgress) -> None:
        del met
        self._progress.show_progress(self._message)


def estimate_odds_work(pair: ComparedPair, question: OddsQuestion, out: Output) -> ExitCode:
    """Print the estimated size of every odds question; exit code 3 where none is known."""
    proved = pair.comparison.is_proved_under_policies and not has_folder_differences(pair)
    items = [] if proved else _estimate_situations(pair, question, out)
    head = out.paint(make_visible(comparison_title(pair)), "strong")
    out.print_report(
        lambda: {
            "version": 1,
            "old": side_json(pair.old),
            "new": side_json(pair.new),
            "proved": proved,
            "most": question.max_states,
            "situations": [_situation_estimate_json(one) for one in items],
        },
        chain([head], _render_estimates(items, question.max_states, proved=proved)),
    )
    is_known = any(one.old is not None and not one.old.reason for one in items)
    return ExitCode.SUCCESS if proved or is_known else ExitCode.UNKNOWN


def _estimate_situations(pair: ComparedPair, question: OddsQuestion, out: Output) -> list[PlayEstimate]:
    with ProgressLine(0, out) as progress:
        try:
            result = [*make_odds_comparison(pair, question).estimate_plays(_EstimateProgress(progress))]
        except InvalidOddsQuestionError as wrong:
            raise CommandStop(wrong.diagnostics) from None
    refuse_unasked([one.is_unasked for one in result])
    return result


def _render_estimates(estimates: Sequence[PlayEstimate], most: int, *, proved: bool) -> Iterator[str]:
    """Estimates by situation, the largest first; equal ones are merged."""
    if not estimates:
        yield f"ODDS    {summarize_shifts(_PROVED_SHIFTS) if proved else NO_SCENARIO}"
        return
    situations = format_situation_count(len(estimates))
    yield f"ODDS    {situations}; at most {most:,} different moments of play are followed for all of them (`--most`)"
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in sorted(estimates, key=_known_moment_count, reverse=True):
        alike.setdefault(tuple(_render_situation_estimate(one, most)), []).extend(one.names)
    for lines, names in alike.items():
        yield f"  {make_visible(format_scenario_names(names))}"
        yield from (f"    {line}" for line in lines)


def _known_moment_count(estimate: PlayEstimate) -> int:
    known = [side.estimate for side in (estimate.old, estimate.new) if side is not None and side.estimate is not None]
    return sum(one.state_count or (one.size.estimated_states if one.size is not None else 0) for one in known)


def _render_situation_estimate(estimate: PlayEstimate, most: int) -> Iterator[str]:
    if estimate.reason:
        yield f"unknown: {make_visible(estimate.reason)}"
    old, new = ([*_render_side_estimate(side, most)] for side in (estimate.old, estimate.new))
    alike = count_common_prefix(old[::-1], new[::-1])
    first = len(old) - alike
    for word, lines in ("OLD", old[:first]), ("NEW", new[: len(new) - alike]), ("both", old[first:]):
        yield from (f"{'' if number else word:4}  {line}" for number, line in enumerate(lines))


def _render_side_estimate(side: RevisionEstimate | None, most: int) -> Iterator[str]:
    if side is not None and side.estimate is not None:
        yield from render_estimate(side.estimate, most)
    elif side is not None:
        yield f"unknown: {make_visible(side.reason)}" if side.reason else _CANNOT_BEGIN


def _situation_estimate_json(estimate: PlayEstimate) -> dict[str, Any]:
    sides: dict[str, Any] = {"old": estimate.old, "new": estimate.new}
    for word, side in sides.items():
        why = None if side is None or side.estimate else side.reason or _CANNOT_BEGIN
        sides[word] = side and {**estimate_to_json(side.estimate or EffortEstimate()), "why": why}
    names = [shorten_shipped_path(name) for name in estimate.names]
    return {"scenarios": names, **sides, "why": estimate.reason or None}


_COMPARED_PLACES = 2
_TOO_DEEP_TO_COMPARE = make_error(
    "RW0850",
    "comparing stops here: rows and lines are nested too deep",
    "cut decisions of hundreds of rows into tables or smaller decisions",
)
_DRIVER_ARGUMENTS = 7
_DRIVER_ARGUMENTS_WITH_RENAME = 9


@verb_command("diff")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...] = argument("OLD NEW", nargs=-1),
    revision: str | None = option("--git", "REV", "compare with PLACE, or this folder, as it was in this git revision"),
    version_of: str | None = option("--as", "FILE", "OLD and NEW are versions of this file; read the files beside it"),
    called: tuple[str, str] | None = option("--called", "OLD NEW", "how to name the two sides in the output", nargs=2),
    driver: bool = flag("--driver", "take the arguments that git passes to a diff driver"),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
    old_overlays: tuple[str, ...] = several("--old-overlay", "FILE", "an overlay for OLD alone; repeatable"),
    new_overlays: tuple[str, ...] = several("--new-overlay", "FILE", "an overlay for NEW alone; repeatable"),
    strict: bool = flag("--strict", "exit with 1 unless both texts are identical"),
    effort: PlayEffort = options_of(PlayEffort),
    asked: diff_odds.OddsShiftOptions = options_of(diff_odds.OddsShiftOptions),
    row: int | None = option("--show", "N", "show row N in full: its edits, and a play", WholeNumberOption(1)),
    edits: bool = flag("--edits", "list every edited line"),
    scenarios: bool = flag("--scenarios", "show how the scenarios and scripts beside OLD end now"),
    readings: bool = flag("--readings", "list settings, and changes under another reading only"),
    margins: bool = flag("--margins", "list changed citations and rulings"),
    whole: bool = flag("--all", "show everything in full, with every witness"),
    form: str | None = make_format_option(", json, or markdown: a draft change log", "markdown"),
    scenario: str | None = option("--write-scenario", "FILE", "write a play that shows a difference, as a scenario"),
    games_: tuple[str, ...] = several("--games", "FILE", "check if a save or scenario of OLD still runs"),
    scenes: bool = flag(
        "--scenes", "with `--format json`: of each witness its boards, its story and the scenario most like it"
    ),
    page: str | None = option("--html", "FILE", "write a page with both texts side by side"),
    log: str | None = option("--log", "FILE", "write a draft change log, in Markdown"),
) -> int:
    """Shows what changed for players between two revisions of a ruleset: OLD NEW, or --git REV [PLACE].

    OLD and NEW are rulesets, overlays with their base, or REV:PLACE, a place as it was in a revision of git.

    Exits with 0 if both are identical, or are proved or found to play alike; 1 if play or the odds
    changed; 3 if that is unknown.

    Example: `rulewright diff melee-phase-2025-10 melee-phase`.
    """
    flags = {"edits": edits, "scenarios": scenarios, "readings": readings, "margins": margins, "all": whole}
    question = diff_odds.parse_odds_question(asked)
    if asked.estimate:
        files = {"--html": page, "--log": log, "--write-scenario": scenario, "--games": games_}
        shown = {"--show": row, "--strict": strict, "--driver": driver, "--format markdown": form == "markdown"}
        reject_options_with_estimate({**files, **shown, **{f"--{name}": given for name, given in flags.items()}})
    require_overwritable(page, HTML_PREFIX)
    require_writable(log)
    require_recordable(scenario)
    out = make_output(form)
    if scenes and out.form != "json":
        raise click.UsageError("`--scenes` is for `--format json`")
    if driver:
        return _run_git_driver(places, out)
    is_pair = version_of is not None and len(places) == _COMPARED_PLACES
    alone = describe_one_sided_file(version_of or "", *places) if is_pair else ""
    if alone and out.form != "json":
        out.print_line(alone)
        return ExitCode.FINDINGS
    each_overlays = (*overlays, *old_overlays), (*overlays, *new_overlays)
    requests = _resolve_sides(places, revision, version_of, *each_overlays)
    if called is not None:
        requests = replace(requests[0], display_name=called[0]), replace(requests[1], display_name=called[1])
    pair = ComparedPair(load_side(requests[0]), load_side(requests[1]))
    saves = dict(save for file in games_ for save in _load_saves(file, pair.old))
    try:
        if question is not None and asked.estimate:
            return estimate_odds_work(pair, question, out)
        result = compare_with_folder(
            pair,
            replace(effort, every=row is not None or page is not None),
            out,
            lambda proved: None if question is None else diff_odds.compute_odds_shifts(pair, question, out, proved),
        )
    except RecursionError:
        raise CommandStop([_TOO_DEEP_TO_COMPARE]) from None
    same, programs = result.comparison.correspondence, (pair.old.program, pair.new.program)
    result = replace(
        result,
        outdated_addresses=find_outdated_addresses(pair.old.beside, pair.new.beside, same),
        games=tuple(migrate_saved_plays(*programs, same, saves)) if saves else (),
    )
    if scenario is not None:
        _write_witness_scenario(result, scenario, error_output(out.form))
    if page is not None:
        from rulewright.cli.reports import diff as report  # noqa: PLC0415 - seldom wanted

        write_file(Path(page), report.render_diff_page(result))
    if log is not None:
        from rulewright.cli.reports import diff as report  # noqa: PLC0415

        text = report.render_change_log(result)
        require_overwritable(log, "".join(text.partition(": from ")[:2]))
        write_file(Path(log), text)
    sections = frozenset(name for name, given in flags.items() if given)
    _output_diff(result, out, row, sections, scenes=scenes)
    word = result.verdict.word
    if strict:
        return ExitCode.SUCCESS if word == "identical" else ExitCode.FINDINGS
    if result.whole.odds_comparison is not None and result.whole.odds_comparison.shifted:
        return ExitCode.FINDINGS
    return {"changed": ExitCode.FINDINGS, "unknown": ExitCode.UNKNOWN}.get(word, ExitCode.SUCCESS)


def _output_diff(
    diff: DiffResult, out: Output, row: int | None, sections: frozenset[str], *, scenes: bool = False
) -> None:
    match out.form:
        case "json":
            out.print_json(diff_json(diff, with_scenes=scenes))
        case "markdown":
            from rulewright.cli.reports import diff as report  # noqa: PLC0415 - seldom wanted

            out.print_text(report.render_change_log(diff))
        case _:
            out.print_lines(_render_diff(diff, out, row, sections))


def _render_diff(diff: DiffResult, out: Output, row: int | None, sections: frozenset[str]) -> Iterator[str]:
    if row is not None:
        yield from diff_report.render_row(diff, row, out)
    if "all" in sections:
        yield from diff_report.render_full_diff(diff, out, whole=True)
    elif sections:
        yield from diff_report.render_requested_parts(diff, sections, out, headed=row is None)
    elif row is None:
        yield from diff_screen.render_first_screen(diff, out)


def _run_git_driver(arguments: tuple[str, ...], out: Output) -> ExitCode:
    """Diff of one file in the form of a git diff driver; exits with 0, as git stops at anything else."""
    if len(arguments) == 1:
        out.print_line(f"{make_visible(arguments[0])}: not merged yet")
        return ExitCode.SUCCESS
    if len(arguments) not in {_DRIVER_ARGUMENTS, _DRIVER_ARGUMENTS_WITH_RENAME}:
        remedy = "`git config diff.rulewright.command 'rulewright diff --driver'` lets git give them"
        raise make_stop("RW1106", f"git gives a diff driver 7 arguments, and here are {len(arguments)}", remedy)
    place, old, new = (
        arguments[-2] if len(arguments) == _DRIVER_ARGUMENTS_WITH_RENAME else arguments[0],
        arguments[1],
        arguments[4],
    )
    try:
        out.print_lines(_render_driver_diff(place, old, new, out))
        out.print_line()
    except PrintError as trouble:
        raise PrintError(trouble.reason, ExitCode.SUCCESS) from None
    return ExitCode.SUCCESS


def _render_driver_diff(place: str, old: str, new: str, out: Output) -> Iterator[str]:
    alone = describe_one_sided_file(place, old, new)
    if alone:
        yield alone
        return
    try:
        pair = ComparedPair(*map(load_side, _resolve_sides((old, new), None, place, (), ())))
        yield from diff_report.render_full_diff(compare_pair(pair), out, whole=False)
    except CommandStop as stop:
        out.print_diagnostics(stop.diagnostics, stop.texts)
        try:
            texts = [Text(place, read_text(file).content) for file in (old, new)]
        except CommandStop:
            yield f"{make_visible(place)}: no text, so it is not shown"
        else:
            yield from (line for _, line in numbered_diff(*texts))


def describe_one_sided_file(place: str, old: str, new: str) -> str:
    """Sentence for a file that only one revision has; empty if both have it."""
    if old in NULL_DEVICES or new in NULL_DEVICES:
        return f"{make_visible(place)}: {'added' if old in NULL_DEVICES else 'removed'}"
    return ""


def _resolve_sides(
    places: tuple[str, ...],
    revision: str | None,
    version_of: str | None,
    old_overlays: tuple[str, ...],
    new_overlays: tuple[str, ...],
) -> tuple[SideRequest, SideRequest]:
    """Both sides of a command line; `revision` is the value of `--git`, `version_of` that of `--as`."""
    match revision, version_of, places:
        case str(commit), None, () | (_,):
            place = places[0] if places else "."
            old = resolve_git_side("OLD", commit, place, old_overlays)
            return old, SideRequest("NEW", place, place, files_for(place, *new_overlays), new_overlays)
        case None, str(place), (before, after):
            files = files_for(place, before, after, *old_overlays, *new_overlays)
            was, now = FilesWithReplacement(files, place, before), FilesWithReplacement(files, place, after)
            main = _find_using_ruleset(place, now, was)
            old = SideRequest("OLD", f"a/{place}", main, was, old_overlays)
            return old, SideRequest("NEW", f"b/{place}", main, now, new_overlays)
        case None, None, (before, after):
            return resolve_side("OLD", before, old_overlays), resolve_side("NEW", after, new_overlays)
        case _:
            raise CommandStop([_explain_place_count(len(places), revision, version_of)])


def _find_using_ruleset(place: str, *providers: FileProvider) -> str:
    """A ruleset or overlay itself; for another file the nearest ruleset that uses it, else the file."""
    for files in providers:
        for ruleset in find_main_files(place, files):
            texts = () if ruleset == place else load_ruleset(locate_ruleset(ruleset, files), (), files).texts
            if ruleset == place or files.get_identity(place) in map(files.get_identity, texts):
                return ruleset
    return place


def _explain_place_count(number: int, revision: str | None, version_of: str | None) -> Diagnostic:
    given = {0: "none is given", 1: "one is given"}.get(number, f"{number} are given")
    if revision is not None and version_of is not None:
        return make_error("RW1105", "`--git` and `--as` cannot be combined", "use one of them")
    if revision is not None:
        return make_error("RW1105", f"with `--git` at most one place is compared, and {given}", "NEW is the work tree")
    return make_error("RW1105", f"`diff` compares two, OLD and NEW, and {given}", "or write `--git REV` and one place")


def _write_witness_scenario(diff: DiffResult, file: str, out: Output) -> None:
    """Write the first witness that can be a scenario, after checking that it passes under OLD and fails under NEW.

    Reports RW1107, a warning, where there is none.
    """
    place = posixpath.normpath(PurePath(file).as_posix())
    for part in diff.parts:
        old, programs = part.old.request, (part.old.program, part.new.program)
        for witness in part.witnesses:
            text = write_witness_scenario(witness, old.place, old.overlays, place, DISK)
            if text is not None and is_distinguishing_scenario(text, place, *programs, old.provider):
                write_file(Path(file), text)
                return
    message = f"nothing was written to `{file}`: no play shows a difference that a scenario can test"
    out.print_diagnostics([Diagnostic("RW1107", Severity.WARNING, message)], {})


def _load_saves(file: str, old: ComparedSide) -> Iterator[tuple[str, SavedSession]]:
    if not file.endswith(SCENARIO_SUFFIX):
        text = read_text(file)
        if not text.content.lstrip().startswith("{"):
            message = f"`{file}` is neither a save nor a file of scenarios"
            remedy = f"`run` and `play` write saves with `--save FILE`; the name of a scenario file ends in `{SCENARIO_SUFFIX}`"
            raise make_stop("RW1108", message, remedy)
        yield file, unwrap_or_stop(read_save(text, old.program), text)
        return
    rules = RulesetLoader(old.request.provider)
    suites = unwrap_or_stop(read_suites((file,), rules), *rules.texts.values())
    for case in all_cases(suites):
        sessions = list[Session]()
        play_case(case, rules, sessions.append)
        if sessions and sessions[0].start.executable.program.fingerprint == old.program.fingerprint:
            yield f"{file}: {case.name}", sessions[0].make_save()
