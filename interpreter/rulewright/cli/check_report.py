"""Checks, fixes and reports of the verb `check`, of rulesets and of the scenarios beside them."""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulewright.base.diagnostics import Diagnostic, Severity, format_counted_noun, has_errors, make_visible
from rulewright.base.diagnostics.renderings import encode_diagnostics
from rulewright.base.files import DISK, FileProvider, RevisedFiles
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.cli.command_files import CommandPlaces, require_unchanged, require_writable, write_file
from rulewright.cli.output import ExitCode, Output, diagnostics_exit, error_output, make_error
from rulewright.cli.ruleset_loading import find_rulesets
from rulewright.documents.check_findings import (
    FixResult,
    apply_fixes,
    check_published_readings,
    find_unknown_rulesets,
    load_and_check,
)
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import (
    RulesetListing,
    find_overlays,
    find_rulesets_by_name,
    locate_ruleset,
    read_header,
)

if TYPE_CHECKING:
    from rulewright.scenarios.cached_play import CachedRulesetLoader
    from rulewright.scenarios.case_opening import RulesetLoader

_VERDICT_FINE = "fine"


@dataclass(frozen=True, slots=True)
class AppliedFixes:
    """Fixes applied in memory, to be written or shown as a diff."""

    mended: FixResult
    is_writing: bool
    includes_unsafe: bool
    skipped_unsafe_fixes: int  # number of skipped fixes that may change the meaning

    def render_fix_summary(self) -> Iterator[str]:
        """Text lines: the number of fixes of each file, then why fixes were skipped."""
        for place, number in self._count_fixes_by_file().items():
            verb = "applied" if self.is_writing else "would be applied"
            yield f"{make_visible(place)}: {format_counted_noun(number, 'remedy', 'remedies')} {verb}"
        if self._has_shipped_fixes():
            yield "shipped rulesets are not written; copy one to change it"
        if self.skipped_unsafe_fixes:
            them = "it" if self.skipped_unsafe_fixes == 1 else "them"
            skipped = format_counted_noun(self.skipped_unsafe_fixes, "remedy", "remedies")
            yield f"{skipped} may change what the rules mean: `--unsafe` takes {them} too"

    def fixes_to_json(self) -> dict[str, Any]:
        """Keys that fixes add to the JSON document of `check`."""
        mended = [
            {"file": place, "remedies": number, "diff": "".join(_unified_fix_diff(place, self.mended))}
            for place, number in self._count_fixes_by_file().items()
        ]
        return {"written": self.is_writing, "mended": mended}

    def has_unapplied_fixes(self) -> bool:
        """Whether a requested fix has not reached its file."""
        return self._has_shipped_fixes() or (bool(self.mended.after) and not self.is_writing)

    def _count_fixes_by_file(self) -> dict[str, int]:
        places = Counter(place for one in self.mended.fixed for place in {edit.span.source for edit in one.edits})
        return {place: places[place] for place in self.mended.after}

    def _has_shipped_fixes(self) -> bool:
        requested = [one for one in self.mended.remaining if self.includes_unsafe or one.is_safe_to_mend]
        return any(not _is_user_file(edit.span.source) for one in requested for edit in one.edits)


def apply_fixes_in_memory(names: Sequence[str], places: CommandPlaces, *, unsafe: bool, writing: bool) -> AppliedFixes:
    """Apply the fixes of rulesets in memory; shipped rulesets stay as they are."""
    files = places.files
    loads = [partial(load_and_check, name, places.overlays, files.get_weights_at) for name in names]
    mended = apply_fixes(loads, files, _is_user_file, unsafe=unsafe)
    if unsafe or all(one.is_safe_to_mend for one in mended.remaining):
        return AppliedFixes(mended, writing, unsafe, 0)
    result = RevisedFiles(files, mended.after) if writing else files
    also = apply_fixes(loads, result, _is_user_file, unsafe=True).fixed
    return AppliedFixes(mended, writing, unsafe, sum(not one.is_safe_to_mend for one in also))


def _is_user_file(place: str) -> bool:
    shipped = DISK.get_rulesets_folder()
    return not shipped or not Path(DISK.get_identity(place)).is_relative_to(os.path.realpath(shipped))


def render_fix_diff(fixes: AppliedFixes, out: Output) -> Iterator[str]:
    """Unified diff of every changed text; lines have their line ends."""
    roles = {"-": "error", "+": "good", "@": "place"}
    for place in fixes.mended.after:
        for line in _unified_fix_diff(place, fixes.mended):
            role = roles.get(line[:1])
            shown = line.removesuffix("\n")
            shown = make_visible(shown) if out.form == "human" or out.stream.isatty() else shown
            yield f"{out.paint(shown, role) if role and out.form == 'human' else shown}\n"


def _unified_fix_diff(place: str, mended: FixResult) -> Iterator[str]:
    # lines end at \n alone
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (mended.before[place].content, mended.after[place]))
    for line in unified_diff(old, new, f"a/{place}", f"b/{place}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class _CheckedRuleset:
    name: str
    loaded: LoadedRuleset


@dataclass(frozen=True, slots=True)
class _CheckReport:
    rulesets: Sequence[_CheckedRuleset]
    diagnostics: tuple[Diagnostic, ...]  # findings in files beside the rulesets
    texts: Mapping[str, Text]  # texts that the findings point into
    scenarios: int = 0  # number of scenario files
    overlays: tuple[str, ...] = ()  # unchecked overlays beside the rulesets
    example_overlay_arguments: str = ""  # arguments that check the first of them
    unopened_scenarios: int = 0  # beyond `_MAX_OPENED_SCENARIOS`, or under overlays


def check_and_report(places: CommandPlaces, files: FileProvider, out: Output) -> ExitCode:
    """Check the rulesets of some places and report findings, also against published readings."""
    listings = find_rulesets(places.paths, places.overlays, files)
    rules = _make_scenario_loader(places, files)
    load = load_ruleset if rules is None else rules.load_uncompiled
    weigh = places.files.get_weights_at
    loaded = {
        name: load_and_check(name, places.overlays, weigh, files, load) for name in _unique_ruleset_names(listings)
    }
    return _output_check_report(_collect_check_report(places, listings, loaded, files, rules), out)


def _make_scenario_loader(places: CommandPlaces, files: FileProvider) -> "CachedRulesetLoader | None":
    """What loads the rulesets of the scenarios below given folders; None where no folder is given."""
    if not _list_folders(places, files):
        return None
    from rulewright.scenarios.cached_play import CachedRulesetLoader  # noqa: PLC0415 - only where there is a folder

    return CachedRulesetLoader(files)


def _list_folders(places: CommandPlaces, files: FileProvider) -> list[str]:
    return [path for path in places.paths if files.get_file_type(path) == "folder"]


def _report_unmatched_readings(
    places: CommandPlaces, checked: Collection[str], files: FileProvider
) -> Iterator[Diagnostic]:
    for project in {one.folder: one for one in places.projects}.values():
        if not project.published_readings.keys() <= set(checked):
            known = find_rulesets_by_name(
                filter(None, (project.folder, *project.shared_folders, files.get_rulesets_folder())), files
            )
            yield from find_unknown_rulesets(project, known.keys())


def fix_and_report(places: CommandPlaces, out: Output, *, unsafe: bool, writing: bool) -> ExitCode:
    """Write fixes, or show them as a diff, and report the result.

    If results go to standard output, the diff is alone there and the rest is on the error stream.
    """
    listings = find_rulesets(places.paths, places.overlays, places.files)
    names = _unique_ruleset_names(listings)
    fixes = apply_fixes_in_memory(names, places, unsafe=unsafe, writing=writing)
    files = RevisedFiles(places.files, fixes.mended.after)
    loaded = dict(zip(names, fixes.mended.loaded, strict=True))
    report = _collect_check_report(places, listings, loaded, files, _make_scenario_loader(places, files))
    if writing:
        again, old, new = "give the command again", fixes.mended.before, fixes.mended.after
        marks = {place: require_unchanged(place, old[place].content, "RW0015", again) for place in new}
        for place in marks:
            require_writable(place)
        for place, mark in marks.items():
            write_file(Path(place), mark + new[place])
    elif out.form != "json":
        for line in render_fix_diff(fixes, out):
            out.print_text(line)
        out = error_output(out.form)
    ended = _output_check_report(report, out, fixes)
    return max(ended, ExitCode.FINDINGS) if fixes.has_unapplied_fixes() else ended


def _unique_ruleset_names(listings: Mapping[str, RulesetListing]) -> list[str]:
    return list(dict.fromkeys(name for one in listings.values() for name in one.names))


def _output_check_report(report: _CheckReport, out: Output, fixes: AppliedFixes | None = None) -> ExitCode:
    if out.form == "json":
        out.print_json(_check_report_json(report, **(fixes.fixes_to_json() if fixes else {})))
    else:
        _print_check_report(report, out, fixes)
    every = (report.diagnostics, *(ruleset.loaded.diagnostics for ruleset in report.rulesets))
    return max(diagnostics_exit(item, ExitCode.FINDINGS) for item in every)


def _collect_check_report(
    named: CommandPlaces,
    listings: Mapping[str, RulesetListing],
    loaded: Mapping[str, LoadedRuleset],
    files: FileProvider,
    rules: "CachedRulesetLoader | None",
) -> _CheckReport:
    """Report of rulesets, held to published readings, with the scenarios below the given folders; none is played."""
    checked = [_CheckedRuleset(name, check_published_readings(one, named.projects)) for name, one in loaded.items()]
    names = {one.loaded.program.name for one in checked if one.loaded.program}
    astray = _report_unmatched_readings(named, names, files)
    unread = (*_find_unused_rule_files(listings.values(), checked), *astray)
    texts = {project.text.name: project.text for project in named.projects}
    if rules is None:
        return _CheckReport(checked, unread, texts)
    from rulewright.scenarios.scenario_files import walk_scenario_files  # noqa: PLC0415 - only where there is a folder

    folders = _list_folders(named, files)
    places = dict.fromkeys(place for folder in folders for place in walk_scenario_files(folder, files))
    known = {_finding_key(one) for ruleset in checked for one in ruleset.loaded.diagnostics}
    is_sound = all(ruleset.loaded.program for ruleset in checked)
    found, unopened = _check_scenarios(list(places), rules, opens=is_sound)
    wrong = [one for one in found if _finding_key(one) not in known]
    read = {place for one in checked for place in one.loaded.texts}
    below = (place for folder in folders for place in find_overlays(folder, files) if place not in read)
    overlays = tuple(dict.fromkeys(below))
    one = _overlay_check_arguments(overlays[0], checked, files) if overlays else ""
    texts |= rules.texts
    return _CheckReport(checked, (*unread, *dict.fromkeys(wrong)), texts, len(places), overlays, one, unopened)


_MAX_OPENED_SCENARIOS = 150
"""Limit of the scenarios that one check opens, the first of each file; chosen, so that a large folder is checked in seconds."""


def _check_scenarios(places: Sequence[str], rules: "RulesetLoader", *, opens: bool) -> tuple[list[Diagnostic], int]:
    """Findings of scenario files, and of scenarios that a play would find whatever its answers; how many were not opened.

    None is opened where `opens` is false, since what is wrong in rules would be told again; and none under overlays, each set
    of which would be a check of its own.
    """
    if not places:
        return [], 0
    from rulewright.scenarios.case_play import check_case  # noqa: PLC0415 - only where there are scenarios
    from rulewright.scenarios.scenario_files import all_cases, read_suites  # noqa: PLC0415

    result, unopened = list[Diagnostic](), 0
    most = max(1, _MAX_OPENED_SCENARIOS // len(places))
    for place in places:
        read_result = read_suites([place], rules)
        result += read_result.diagnostics
        cases = [*all_cases(read_result.value or ())]
        opened = [case for case in cases if opens and not case.overlays][:most]
        unopened += len(cases) - len(opened) if opens else 0
        result += (one for case in opened for one in check_case(case, rules))
    return result, unopened


def _finding_key(diagnostic: Diagnostic) -> tuple[str, Span | None]:
    return diagnostic.code, diagnostic.primary.span if diagnostic.primary else None


def _overlay_check_arguments(overlay: str, checked: Sequence[_CheckedRuleset], files: FileProvider) -> str:
    """Arguments with which `rulewright check` can check an overlay, with its base where it names several."""
    amended = read_header(overlay, files)[1]
    bases = [one.name for one in checked if one.loaded.program and one.loaded.program.name == amended]
    alone = locate_ruleset(overlay, files).main is not None or not bases
    return make_visible(overlay) if alone else f"{make_visible(bases[0])} --overlay {make_visible(overlay)}"


def _find_unused_rule_files(
    listings: Iterable[RulesetListing], checked: Sequence[_CheckedRuleset]
) -> tuple[Diagnostic, ...]:
    read = {place for one in checked for place in one.loaded.texts}
    message = "`{}` begins with neither `ruleset` nor `amends`, and no ruleset here uses it"
    remedy = 'begin it with `ruleset name "Title" revision "1"`, or bring it in with `use`'
    loose = dict.fromkeys(place for one in listings for place in one.unattached if place not in read)
    return tuple(make_error("RW0016", message.format(place), remedy) for place in loose)


def _print_check_report(report: _CheckReport, out: Output, fixes: AppliedFixes | None) -> None:
    printed: set[Diagnostic] = set()
    for ruleset in report.rulesets:
        out.print_diagnostics((one for one in ruleset.loaded.diagnostics if one not in printed), ruleset.loaded.texts)
        printed.update(ruleset.loaded.diagnostics)
    out.print_diagnostics(report.diagnostics, report.texts)
    if fixes:
        out.print_lines(fixes.render_fix_summary())
    beside = _summarize_folder_errors(report)
    for checked_ruleset in report.rulesets:
        fine = checked_ruleset.loaded.program is not None
        then = "once written, " if fixes and not fixes.is_writing and fixes.mended.after else ""
        verdict, role = _format_check_verdict(checked_ruleset), "good" if fine else "error"
        if beside and fine:
            verdict = f"the rules {'are' if verdict.startswith(_VERDICT_FINE) else 'have'} {verdict}"
            if len(report.rulesets) == 1:
                verdict, role = f"{beside}; {verdict}", "error"
        out.print_line(f"{then}{make_visible(checked_ruleset.name)}: {out.paint(verdict, role)}")
    if beside and not (len(report.rulesets) == 1 and report.rulesets[0].loaded.program):
        out.print_line(out.paint(beside, "error"))
    if report.overlays:
        unchecked = format_counted_noun(len(report.overlays), "overlay is", "overlays are")
        checks = f"`rulewright check {report.example_overlay_arguments}` checks one"
        out.print_line(out.paint(f"{unchecked} not checked: {checks}", "dim"))
    if report.scenarios and not has_errors(report.diagnostics):
        read = format_counted_noun(report.scenarios, "scenario file is", "scenario files are")
        unopened = format_counted_noun(report.unopened_scenarios, "scenario")
        left = f", and {unopened} not opened" if report.unopened_scenarios else ""
        play = f"`rulewright test` plays {'it' if report.scenarios == 1 else 'them'}"
        out.print_line(out.paint(f"{read} not played here{left}: {play}", "dim"))


def _summarize_folder_errors(report: _CheckReport) -> str:
    """Count and file of errors beside the rules, such as `1 error in plays.scenario.yaml`; or empty."""
    result = [one for one in report.diagnostics if one.severity is Severity.ERROR]
    if not result:
        return ""
    files = {one.primary.span.source if one.primary else "" for one in result}
    where = "beside the rules" if len(files) > 1 or "" in files else f"in {make_visible(*files)}"
    return f"{format_counted_noun(len(result), 'error')} {where}"


def _format_check_verdict(checked_ruleset: _CheckedRuleset) -> str:
    """Verdict such as `fine, 86 of 86 clauses answered`, or the counts of findings and of foreseen faults."""
    loaded = checked_ruleset.loaded
    severities = Counter(one.severity for one in loaded.diagnostics)
    warned = [one.code for one in loaded.diagnostics if one.severity is Severity.WARNING]
    foreseeing = _fault_warning_codes() if warned else frozenset()
    faults = sum(code in foreseeing for code in warned)
    counts = [format_counted_noun(severities[one], one.value) for one in Severity if severities[one]]
    never = _summarize_unreachable(checked_ruleset)
    is_fine = loaded.program is not None and not faults and not never
    fine, silenced = [_VERDICT_FINE] * is_fine, [f"{loaded.silenced_count} silenced"] * bool(loaded.silenced_count)
    has_clauses = loaded.clause_count and loaded.program is not None
    answered = [f"{_count_answered_clauses(loaded)} of {loaded.clause_count} clauses answered"] if has_clauses else []
    verdict = ", ".join([*fine, *counts, *silenced, *answered])
    if loaded.program is None:
        return verdict
    if faults:
        there = "there" if faults == len(loaded.diagnostics) == 1 else f"at {faults} of them"
        verdict = f"{verdict}; a play may stop {there}"
    return f"{verdict}; {never}" if never else verdict


def _summarize_unreachable(checked_ruleset: _CheckedRuleset) -> str:
    """Unreachable steps, then lines, such as `steps 2 and 3 never happen`; or empty."""
    steps = [one.address.split("/") for one in checked_ruleset.loaded.diagnostics if one.code == "RW0526"]
    lines = sum(one.code == "RW0504" for one in checked_ruleset.loaded.diagnostics)
    named = [make_visible(way[-1]) for way in steps] if len({way[0] for way in steps}) == 1 else []
    if len(steps) == 1:
        return f"step {named[0]} never happens"
    if steps:
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        return f"steps {listed} never happen" if named else f"{len(steps)} steps never happen"
    return f"{'a line is' if lines == 1 else f'{lines} lines are'} never carried out" if lines else ""


def _fault_warning_codes() -> frozenset[str]:
    """Codes of warnings that foresee a fault of a play."""
    from rulewright.base.diagnostics.pages import find_page, list_page_files  # noqa: PLC0415 - only where something is found

    faults = (find_page(code) for code in list_page_files() if code.startswith("RW08"))
    return frozenset(code for fault in faults if fault is not None for code in fault.foreseen)


def _count_answered_clauses(loaded: LoadedRuleset) -> int:
    return loaded.clause_count - sum(one.code == "RW0603" for one in loaded.diagnostics)


def _check_report_json(report: _CheckReport, **more: Any) -> dict[str, Any]:
    texts = {
        **report.texts,
        **{name: text for ruleset in report.rulesets for name, text in ruleset.loaded.texts.items()},
    }
    result = dict.fromkeys(
        [*(one for ruleset in report.rulesets for one in ruleset.loaded.diagnostics), *report.diagnostics]
    )
    return encode_diagnostics(
        result, texts, files=[_checked_ruleset_json(ruleset) for ruleset in report.rulesets], **more
    )


def _checked_ruleset_json(checked_ruleset: _CheckedRuleset) -> dict[str, Any]:
    program = checked_ruleset.loaded.program
    return {
        "path": checked_ruleset.name,
        "fine": program is not None,
        "ruleset": program.name if program else None,
        "fingerprint": program.fingerprint if program else None,
        "silenced": checked_ruleset.loaded.silenced_count,
        "clauses": {
            "answered": _count_answered_clauses(checked_ruleset.loaded) if program else 0,
            "listed": checked_ruleset.loaded.clause_count,
        },
    }
