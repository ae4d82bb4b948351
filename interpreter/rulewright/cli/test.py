"""The verb `test`: plays scenarios, and accepts actual results; JSON as in `grammar/schemas/test.schema.json`."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import click

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, format_counted_noun, make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.diagnostics.renderings import encode_diagnostic
from rulewright.base.files import DISK
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.cli.command_files import (
    files_for,
    places_or_project,
    require_overwritable,
    require_unchanged,
    write_file,
)
from rulewright.cli.options import (
    LimitOptions,
    WholeNumberOption,
    flag,
    format_option,
    option,
    options_of,
    places_argument,
    verb_command,
)
from rulewright.cli.output import (
    CommandStop,
    ExitCode,
    Output,
    ProgressLine,
    diagnostics_exit,
    error_output,
    make_error,
    make_output,
    numbered_diff,
    render_numbered_diff,
)
from rulewright.documents.findings import describe_choices
from rulewright.documents.ruleset_location import unread_below
from rulewright.play.session import Session
from rulewright.runtime.faults import LIMIT_CODES, RunLimits
from rulewright.scenarios.acceptance import SCRIPT_KEY, AcceptanceResult, accept_failures, is_acceptable
from rulewright.scenarios.cached_play import (
    CachedRulesetLoader,
    choose_worker_count,
    load_failures,
    play_cases,
    store_failures,
)
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import CaseFilter, all_cases, read_suites, wait_for_change
from rulewright.scenarios.suite import (
    REPORT_PREFIX,
    CaseResult,
    ResultRenderer,
    ScenarioCase,
    Suite,
    count_outcomes,
    describe_outcome,
    render_junit,
    result_to_json,
    summarize_outcomes,
)

_YES_ANSWERS = frozenset({"y", "yes"})
TEST_FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class AcceptedFailures:
    """Proposed or written changes of expectations."""

    files: tuple[AcceptanceResult, ...]  # every file with a failure
    is_written: bool


@verb_command("test")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...] = places_argument,
    name: str = option("-k", "NAME", "only scenarios with this in their name", default=""),
    step: str = option("--step", "ID", "only scenarios that reach this step, or this address", default=""),
    clause: str = option("--clause", "ID", "only scenarios that cover this clause", default=""),
    last_failed: bool = flag("--last-failed", "only scenarios that failed the last time"),
    watch: bool = flag("--watch", "play again whenever a file changes; Ctrl-C ends it"),
    workers: int | None = option("--workers", "N", "how many processes to use", WholeNumberOption(1, 64)),
    report: str | None = option("--junit", "FILE", "write the results for a build server"),
    accepting: bool = flag("--accept", "show new expectations for what failed, and write them if you agree"),
    yes: bool = flag("--yes", "with `--accept`: write without asking"),
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = format_option,
) -> int:
    """Plays scenarios and shows those that do not end as expected.

    PATH is a file, or a folder with everything below it. Without one, it tests the rulesets that the
    `rulewright.toml` of this folder names, or this folder.

    Exits with 0 if all passed; 1 if one does not end as expected; 2 if one has an error, a file of
    rules cannot be read, or none was selected; 3 if one cannot be judged because its rules, its files
    or its play exceed a limit.

    Example: `rulewright test pig`.
    """
    if yes and not accepting:
        raise click.UsageError("`--yes` does nothing without `--accept`")
    if watch and accepting:
        raise click.UsageError("`--watch` and `--accept` cannot be combined")
    require_overwritable(report, REPORT_PREFIX)
    out = make_output(form)
    accept = ("yes" if yes else "ask") if accepting else ""
    allowed = RunLimits(**limits.list_given())
    request = _TestRequest(
        places_or_project(places, (".",)), name, clause, step, workers, accept, allowed, last_failed=last_failed
    )
    if watch:
        _watch_and_test(request, report, out)
    return _run_tests(request, report, out, CachedRulesetLoader(files_for(*request.places)))


@dataclass(frozen=True, slots=True)
class _TestRequest:
    places: Sequence[str]
    name: str
    clause: str
    step: str
    workers: int | None
    accept: str
    limits: RunLimits
    last_failed: bool


def _watch_and_test(request: _TestRequest, report: str | None, out: Output) -> NoReturn:
    """Test again after each change of a file, also after unreadable input."""
    files = files_for(*request.places)
    while True:
        rules = CachedRulesetLoader(files)
        try:
            _run_tests(request, report, out, rules)
        except CommandStop as stop:
            error_output(out.form).print_diagnostics(stop.diagnostics, stop.texts)
            rules.texts.update(stop.texts)
        wait_for_change(request.places, rules)


def _run_tests(request: _TestRequest, report: str | None, out: Output, rules: RulesetLoader) -> ExitCode:
    read_result = read_suites(request.places, rules)
    if read_result.value is None:
        raise CommandStop([_suggest_place(wrong, request.places) for wrong in read_result.diagnostics], rules.texts)
    unread = dict.fromkeys(chain.from_iterable(unread_below(place, rules.provider) for place in request.places))
    error_output(out.form).print_diagnostics([*read_result.diagnostics, *unread], rules.texts)
    case_filter = CaseFilter(request.name, request.clause, load_failures() if request.last_failed else None)
    every, printed = all_cases(read_result.value), {*unread}
    played = _play_and_report(case_filter.select_cases(every), request, rules, printed, out)
    if not played:
        remedy = "leave out what selects, or select another"
        if request.name and not (request.clause or request.step or request.last_failed):
            remedy = describe_choices([case.name for case in every], "select")
        raise CommandStop([make_error("RW1010", "no scenario was selected", remedy)], rules.texts)
    blessing = None
    if request.accept:
        blessing = _accept_failures(read_result.value, played, rules, out, yes=request.accept == "yes")
        played = results_after_acceptance(blessing, played)
    store_failures(played)
    if report is not None:
        write_file(Path(report), render_junit(played, rules.texts))
    if out.form == "json":
        for result in played:
            _read_missing_texts(result, rules)
    out.print_report(lambda: _test_report_json(played, blessing, rules.texts), [summarize_outcomes(played)])
    outcomes = {one.outcome for one in played}
    if unread or "wrong" in outcomes:
        problems = (wrong for one in played for wrong in one.problems)
        return max(ExitCode.BAD_INPUT, diagnostics_exit(problems, ExitCode.BAD_INPUT))
    if any(one.fault in LIMIT_CODES for one in played):
        return ExitCode.UNKNOWN
    return ExitCode.FINDINGS if "failed" in outcomes else ExitCode.SUCCESS


class _PlayProgress(ProgressLine):
    """How many plays of how many are over; of a case that fails the rest of its plays is not played."""

    def __init__(self, cases: Sequence[ScenarioCase], out: Output) -> None:
        self._play_count = sum(case.plays for case in cases)
        self._noun = " plays" if self._play_count > len(cases) else ""
        self._done = self._sessions = 0
        super().__init__(self._play_count, out)

    def count_session(self, _: Session) -> None:
        """One more play of the case that is played."""
        self._sessions += 1
        self._show(self._done + self._sessions)

    def count_case(self, case: ScenarioCase) -> None:
        """A case is over."""
        self._done, self._sessions = self._done + case.plays, 0
        self._show(self._done)

    def _show(self, done: int) -> None:
        self.show_progress(f"{done} of {self._play_count}{self._noun}")


def _suggest_place(wrong: Diagnostic, places: Sequence[str]) -> Diagnostic:
    """The error of a place that is not there, with the nearest one that is, or how a scenario is selected by name."""
    place = next((item for item in places if wrong.message == f"there is no file `{item}`"), None)
    if place is None or wrong.code != "RW0001" or wrong.help:
        return wrong
    known = [name for folder in ("", DISK.get_rulesets_folder()) for name in DISK.list_folder_names(folder)]
    close = find_nearest_name(place, known)
    remedy = f"did you mean `{close}`?" if close else ""
    if not close and place != places[0] and not {".", "/"} & set(place):
        before = ["rulewright", "test", *places[: places.index(place)]]
        remedy = f"to test the scenarios with this in their names: `{shlex.join([*before, '-k', place])}`"
    return replace(wrong, message=f"there is no file or folder `{place}`", help=remedy)


def _play_and_report(
    cases: tuple[ScenarioCase, ...], request: _TestRequest, rules: RulesetLoader, printed: set[Diagnostic], out: Output
) -> list[CaseResult]:
    """Play cases and print failures at once; diagnostics that were printed are not repeated."""
    played: list[CaseResult] = []
    previous: CaseResult | None = None  # that was printed last
    workers = request.workers or choose_worker_count(len(cases))
    with _PlayProgress(cases, out) as progress:
        results = play_cases(cases, workers, rules, request.step, request.limits, on_session=progress.count_session)
        for case, result in zip(cases, results, strict=True):
            progress.count_case(case)
            if result is not None:
                played.append(result)
                progress.erase_line()
                _output_result(result, previous, printed, rules, out)
                previous = previous if result.outcome == "passed" else result
    return played


def _output_result(
    result: CaseResult, previous: CaseResult | None, printed: set[Diagnostic], rules: RulesetLoader, out: Output
) -> None:
    """Print a failure; one that has nothing but the errors of the failure before it in one line."""
    if out.form == "json" or result.outcome == "passed":
        return
    if previous and result.problems and result.problems == previous.problems and not result.excerpt.lines:
        line = f"{describe_outcome(result.outcome)}: {make_visible(result.case.name)}, as above"
        out.print_line(out.paint(line, "error"))
        return
    _read_missing_texts(result, rules)
    out.print_lines(ResultRenderer(out.paint, rules.texts).render_result(result))
    if result.problems and printed.issuperset(result.problems):
        out.print_line(f"  {make_visible(result.problems[0].message)}, as above")
    out.print_diagnostics((problem for problem in result.problems if problem not in printed), rules.texts)
    printed.update(result.problems)


def _read_missing_texts(result: CaseResult, rules: RulesetLoader) -> None:
    """Read the texts of a fault or difference, if the rules came from a cache."""
    for span in filter(None, (result.excerpt.fault, result.excerpt.differs)):
        if span.source not in rules.texts:
            text = read_text_file(span.source, rules.provider)
            if isinstance(text, Text):
                rules.texts[span.source] = text


def _accept_failures(
    suites: Sequence[Suite], played: Sequence[CaseResult], rules: RulesetLoader, out: Output, *, yes: bool
) -> AcceptedFailures:
    """Show the changes, and write them if `yes` or a person confirms."""
    failed: dict[str, list[CaseResult]] = {}
    for result in filter(is_acceptable, played):
        failed.setdefault(result.case.file, []).append(result)
    files = {suite.file: suite for suite in suites}
    items = tuple(accept_failures(files[name], results, rules) for name, results in failed.items())
    if out.form != "json":
        _output_proposals(items, rules, out)
    written = any(item.proposals for item in items) and (yes or _is_agreed_to(items, out))
    if written:
        for item in filter(lambda item: item.proposals, items):
            before = item.before  # if it is still what was read
            mark = require_unchanged(before.name, before.content, "RW1053", "accept again, with what it says now")
            write_file(Path(before.name), mark + item.after.content)
    return AcceptedFailures(items, written)


def results_after_acceptance(blessing: AcceptedFailures, played: Sequence[CaseResult]) -> list[CaseResult]:
    """Results with accepted failures as passed."""
    if not blessing.is_written:
        return list(played)
    new = {(result.case.file, result.case.name): result for one in blessing.files for result in one.results}
    return [new.get((result.case.file, result.case.name), result) for result in played]


def _output_proposals(acceptances: Sequence[AcceptanceResult], rules: RulesetLoader, out: Output) -> None:
    for item in acceptances:
        out.print_lines(render_numbered_diff(item.before, item.after, out))
        out.print_diagnostics(item.remaining, rules.texts)
    if not any(item.proposals for item in acceptances):
        out.print_line("there is nothing to accept")


def _is_agreed_to(acceptances: Sequence[AcceptanceResult], out: Output) -> bool:
    if out.form == "json":
        return False
    about = [one.what == SCRIPT_KEY for each in acceptances for one in each.proposals]
    counts = (("expectation", about.count(False)), ("script", about.count(True)))
    counted = " and ".join(format_counted_noun(count, name) for name, count in counts if count)
    what = f"this {counted.removeprefix('1 ')}" if len(about) == 1 else f"these {counted}"
    if not (sys.stdin and sys.stdin.isatty() and out.stream.isatty()):
        out.print_line(f"nothing is written; `--accept --yes` writes {what}")
        return False
    out.print_text(out.paint(f"write {what}? (yes or no) ", "ask"))
    return sys.stdin.readline().strip().lower() in _YES_ANSWERS


def _test_report_json(
    played: Sequence[CaseResult], blessing: AcceptedFailures | None, texts: Mapping[str, Text]
) -> dict[str, Any]:
    """The whole JSON document; every key is always there, except `accept` without `--accept`."""
    result = {
        "version": TEST_FORMAT_VERSION,
        "counts": count_outcomes(played),
        "results": [result_to_json(one, texts) for one in played],
    }
    return result if blessing is None else {**result, "accept": _acceptance_json(blessing, texts)}


def _acceptance_json(blessing: AcceptedFailures, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "written": blessing.is_written,
        "accepted": [
            {"file": file.before.name, "name": one.case.name, "expectation": one.what}
            for file in blessing.files
            for one in file.proposals
        ],
        "difference": [line for file in blessing.files for _, line in numbered_diff(file.before, file.after)],
        "left": [encode_diagnostic(one, texts) for file in blessing.files for one in file.remaining],
    }
