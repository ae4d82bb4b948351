"""The verb `cover`: coverage of rules by scenarios, as text and JSON (`grammar/schemas/cover.schema.json`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rulewright.base.diagnostics import Diagnostic, has_errors, make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.diagnostics.renderings import format_place
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.cli.command_files import (
    HTML_PREFIX,
    files_for,
    places_or_project,
    read_project,
    require_overwritable,
    write_file,
)
from rulewright.cli.options import allow_option, format_option, option, places_argument, several, verb_command
from rulewright.cli.output import (
    CommandStop,
    ExitCode,
    Output,
    ProgressLine,
    diagnostics_exit,
    make_error,
    make_output,
    make_stop,
)
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.scenarios.coverage_page import make_coverage_page
from rulewright.scenarios.coverage_report import (
    CoverageReport,
    build_coverage_report,
    complete_floors,
    count_units,
    coverage_counts_to_json,
    coverage_to_json,
    format_coverage_percent,
    list_scenario_names,
    parse_floors,
    report_below_floor,
)
from rulewright.scenarios.coverage_units import UNIT_SORTS
from rulewright.scenarios.reached_units import CoveragePlayer, CoveredCase, select_covered
from rulewright.scenarios.scenario_files import all_cases, group_by_ruleset, read_suites
from rulewright.scenarios.suite import Exemption, Suite, describe_outcome, summarize_outcomes

SuiteGroups = tuple[tuple[str, tuple[Suite, ...]], ...]
SuiteExclusions = Mapping[str, tuple[Exemption, ...]]


@dataclass(frozen=True, slots=True)
class _RulesetCoverage:
    name: str  # name of the ruleset
    report: CoverageReport
    missed_floors: Sequence[Diagnostic]

    @property
    def problems(self) -> Sequence[Diagnostic]:
        return (*(one for result in self.report.results for one in result.problems), *self.report.stale)

    @property
    def exit_code(self) -> ExitCode:
        results = self.report.results
        if has_errors(self.problems) or any(result.outcome == "wrong" for result in results):
            return max(ExitCode.BAD_INPUT, diagnostics_exit(self.problems, ExitCode.BAD_INPUT))
        is_unmet = self.missed_floors or any(result.outcome == "failed" for result in results)
        return ExitCode.FINDINGS if is_unmet else ExitCode.SUCCESS


@verb_command("cover")
def command(
    *,
    places: tuple[str, ...] = places_argument,
    floors: tuple[str, ...] = several("--floor", "SORT=PERCENT", "fail if less of this sort, or of `all`, is reached"),
    who: str = option("--who", "ADDRESS", "list the scenarios that reached this address", default=""),
    page: str | None = option("--html", "FILE", "write a page of the rules, coloured by what is reached"),
    _allow: Any = allow_option,
    form: str | None = format_option,
) -> int:
    """Shows which rules the scenarios of PATH reach, and which they never reach; without PATH, those of this folder.

    Each ruleset gets a report, and several get a total as well. Without `--floor` it takes the floors in the
    `rulewright.toml` of the project.

    Exits with 0 if all passed and reached every floor; 1 if not; 2 if a scenario or an exclusion has an error; 3 if
    a scenario cannot be played because its rules or its files exceed a limit.

    Example: `rulewright cover pig`.
    """
    given = unwrap_or_stop(parse_floors(floors)) if floors else None
    require_overwritable(page, HTML_PREFIX)
    out = make_output(form)
    places = places_or_project(places, (".",))
    player = CoveragePlayer(files_for(*places))
    played, exclusions, groups = play_for_coverage(places, player, out)
    total = build_coverage_report(player, played, [one for each in exclusions.values() for one in each])
    _require_known_address(who, total)
    if page is not None:
        write_file(Path(page), render_template("coverage.html", make_coverage_page(total, player.loader.texts)))
    items = []
    for name, suites in groups:
        settings = read_project(suites[0].file) if given is None else None
        required = given or complete_floors(settings.coverage_floors if settings is not None else {})
        part = select_covered(suites, played)
        excluded = [one for each in suites for one in exclusions[each.file]]
        each = total if len(groups) == 1 else build_coverage_report(player.restrict_to(part), part, excluded)
        items.append(_RulesetCoverage(name, each, report_below_floor(each, required)))
    _output_coverage(items, total, who, player.loader.texts, out)
    return max(each.exit_code for each in items)


def play_for_coverage(
    places: Sequence[str], player: CoveragePlayer, out: Output
) -> tuple[list[CoveredCase], SuiteExclusions, SuiteGroups]:
    """Every case with the units it reached, the exclusions of the files, and the files by ruleset.

    Raises:
        CommandStop: a file cannot be read, or has errors; RW1010, nothing was played.
    """
    rules = player.loader
    suites = unwrap_or_stop(read_suites(places, rules), *rules.texts.values())
    cases = all_cases(suites)
    if not cases:
        raise CommandStop([make_error("RW1010", "no scenario was selected", "name another place")], rules.texts)
    with ProgressLine(len(cases), out) as progress:
        played = list(player.cover_cases(cases, progress.count_step))
    return played, {suite.file: suite.exclude for suite in suites}, group_by_ruleset(suites, rules.provider)


def _require_known_address(address: str, report: CoverageReport) -> None:
    units = [*(one.unit for one in report.reached), *report.missing]
    if address and not any(unit.is_meant_by(address) for unit in units):
        close = find_nearest_name(address, [name for unit in units for name in (unit.name, unit.address)])
        remedy = suggest_name(close, "`--format json` lists all addresses")
        raise make_stop("RW1035", f"nothing is counted at `{address}`", remedy)


class RulesetPart(NamedTuple):
    """What is reported of one ruleset of several."""

    name: str
    document: Callable[[], dict[str, Any]]  # JSON
    lines: Iterable[str]
    problems: Iterable[Diagnostic]


def print_ruleset_parts(
    parts: Sequence[RulesetPart],
    counts: Callable[[], list[dict[str, Any]]],
    total: Iterable[str],
    texts: Mapping[str, Text],
    out: Output,
) -> None:
    """Print the report of one ruleset, or those of several, each with its name, and of all without double counting.

    `counts` is the JSON of all, `total` their lines.
    """
    several = len(parts) > 1
    if out.form == "json":
        documents = [part.document() for part in parts]
        named = [{"path": part.name, **document} for part, document in zip(parts, documents, strict=True)]
        every = {"version": documents[0]["version"], "rulesets": named}
        out.print_json({**every, "counts": counts()} if several else documents[0])
        return
    for part in parts:
        if several:
            out.print_line(out.paint(make_visible(part.name), "strong"))
        out.print_lines(part.lines)
        out.print_diagnostics(part.problems, texts)
        if several:
            out.print_line()
    if several and (lines := [*total]):
        out.print_lines([out.paint("all rulesets", "strong"), *lines])


def _output_coverage(
    rulesets: Sequence[_RulesetCoverage], total: CoverageReport, who: str, texts: Mapping[str, Text], out: Output
) -> None:
    parts = []
    for one in rulesets:
        problems = [*dict.fromkeys(one.problems), *one.missed_floors]
        lines = _render_who_reached(who, one.report, texts, out) if who else _render_coverage(one.report, texts, out)
        parts.append(RulesetPart(one.name, partial(_coverage_json, one, texts), lines, problems))
    every = () if who else [*_render_coverage_table(total, out), "", summarize_outcomes(total.results)]
    print_ruleset_parts(parts, lambda: coverage_counts_to_json(total), every, texts, out)


def _render_coverage(report: CoverageReport, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield from _render_coverage_table(report, out)
    for title, units in (
        ("Missing", [(one, one.text) for one in report.missing]),
        ("Left out", [(one.unit, one.because) for one in report.excluded]),
        ("Cannot be reached", [(one, one.dead) for one in report.dead]),
    ):
        rows = [(f"{unit.sort:<11} {unit.name}", unit.span, text) for unit, text in units]
        yield from render_place_list(title, rows, texts, out)
    yield ""
    for result in report.results:
        if result.outcome in {"failed", "wrong"}:
            outcome = out.paint(describe_outcome(result.outcome), "error")
            yield f"{outcome} {make_visible(result.case.file)}: {make_visible(result.case.name)}"
    yield summarize_outcomes(report.results)


def _render_who_reached(address: str, report: CoverageReport, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    reached = [(one.unit, list_scenario_names(one.by, report.results)) for one in report.reached]
    for unit, names in (*reached, *((unit, None) for unit in report.missing)):
        if unit.is_meant_by(address):
            yield f"{unit.sort} {out.paint(unit.name, 'strong')}{format_place_suffix(unit.span, texts, out)}"
            shown = [out.paint("nobody", "warning")] if names is None else map(make_visible, names)
            yield from (f"  {name}" for name in shown)


def _render_coverage_table(report: CoverageReport, out: Output) -> Iterator[str]:
    for count in count_units(report):
        if count.whole:
            role = "good" if count.reached == count.whole else "warning"
            share = out.paint(f"{format_coverage_percent(count.percent):>7}", role)
            yield f"{count.sort:<11} {f'{count.reached} of {count.whole}':>13} {share}  {UNIT_SORTS[count.sort]}"


def render_place_list(
    title: str, rows: Sequence[tuple[str, Span | None, str]], texts: Mapping[str, Text], out: Output
) -> Iterator[str]:
    """Titled list of names, each with its place and remark; nothing if empty."""
    if rows:
        yield ""
        yield out.paint(f"{title}:", "strong")
    for name, span, text in rows:
        remark = out.paint(f"  {make_visible(text)}", "dim") if text else ""
        yield f"  {name}{format_place_suffix(span, texts, out)}{remark}"


def format_place_suffix(span: Span | None, texts: Mapping[str, Text], out: Output) -> str:
    """File and line of a span as the suffix of a line."""
    return f"  {out.paint(format_place(span, texts), 'place')}" if span else ""


def _coverage_json(covered: _RulesetCoverage, texts: Mapping[str, Text]) -> dict[str, Any]:
    wrong = problems_to_json([*covered.problems, *covered.missed_floors])
    return {**coverage_to_json(covered.report, texts), "wrong": wrong}


def problems_to_json(wrong: Iterable[Diagnostic]) -> list[dict[str, str]]:
    """JSON list of diagnostics, without places."""
    return [{"code": one.code, "message": one.message, "help": one.help} for one in wrong]
