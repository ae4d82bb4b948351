"""The verb `diff`: which two rulesets are meant, what is shown and written of them; the same for git."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import click

from rulewright.cli import diff_estimate, diff_odds, diff_report, diff_screen
from rulewright.cli.diff_beside import compared_whole
from rulewright.cli.diff_found import (
    Asked,
    Found,
    Side,
    Wanted,
    asked_for,
    at_revision,
    compared,
    named_beside,
    playing_options,
    read_side,
)
from rulewright.cli.following import told_alone
from rulewright.cli.loading import value_of
from rulewright.cli.named_files import PAGE, can_write, files_for, may_write, read_text, write
from rulewright.cli.options import OneOf, WholeNumber, allow_option, overlay_option, verb
from rulewright.cli.output import (
    FORMATS,
    Exit,
    Output,
    PrintError,
    Stop,
    complaint,
    difference,
    errors,
    output,
    stopped,
)
from rulewright.cli.session_files import may_record
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.data import Migrated
from rulewright.comparing.playing.suites import migrated
from rulewright.comparing.playing.witnesses import scenario_of, tells_apart
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Session
from rulewright.files import DISK, Provider
from rulewright.files.providers import NOWHERE, Replaced
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save, read_save
from rulewright.scenarios.loading import ENDING, all_cases, suites_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workspace import load, locate, whole_files

_TWO = 2
_TOO_DEEP = complaint(
    "RW0850",
    "comparing stops here: rows and lines are nested too deep",
    "cut decisions of hundreds of rows into tables or smaller decisions",
)
_USUAL = 7
_RENAMED = 9


@verb("diff")
@click.argument("places", nargs=-1, metavar="OLD NEW")
@click.option(
    "--git", "revision", metavar="REV", help="compare with PLACE, or this folder, as it was in this git revision"
)
@click.option(
    "--as", "version_of", metavar="FILE", help="OLD and NEW are versions of this file; read the files beside it"
)
@click.option("--called", nargs=2, metavar="OLD NEW", help="how to name the two sides in the output")
@click.option("--driver", is_flag=True, help="take the arguments that git passes to a diff driver")
@overlay_option
@allow_option
@click.option(
    "--old-overlay", "old_overlays", multiple=True, metavar="FILE", help="an overlay for OLD alone; repeatable"
)
@click.option(
    "--new-overlay", "new_overlays", multiple=True, metavar="FILE", help="an overlay for NEW alone; repeatable"
)
@click.option("--strict", is_flag=True, help="exit with 1 unless both texts are identical")
@playing_options
@diff_odds.odds_options
@click.option("--show", "row", type=WholeNumber(1), metavar="N", help="show row N in full: its edits, and a play")
@click.option("--edits", is_flag=True, help="list every edited line")
@click.option("--scenarios", is_flag=True, help="show how the scenarios and scripts beside OLD end now")
@click.option("--readings", is_flag=True, help="list settings, and changes under another reading only")
@click.option("--margins", is_flag=True, help="list changed citations and rulings")
@click.option("--all", "whole", is_flag=True, help="show everything in full, with every witness")
@click.option(
    "--format",
    "form",
    type=OneOf((*FORMATS, "markdown")),
    help="human (default on a terminal), plain (default elsewhere), json, or markdown: a draft change log",
)
@click.option(
    "--write-scenario", "scenario", metavar="FILE", help="write a play that shows a difference, as a scenario"
)
@click.option("--games", "games_", multiple=True, metavar="FILE", help="check if a save or scenario of OLD still runs")
@click.option("--html", "page", metavar="FILE", help="write a page with both texts side by side")
@click.option("--log", metavar="FILE", help="write a draft change log, in Markdown")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...],
    revision: str | None,
    version_of: str | None,
    called: tuple[str, str] | None,
    driver: bool,
    overlays: tuple[str, ...],
    old_overlays: tuple[str, ...],
    new_overlays: tuple[str, ...],
    strict: bool,
    row: int | None,
    edits: bool,
    scenarios: bool,
    readings: bool,
    margins: bool,
    whole: bool,
    form: str | None,
    scenario: str | None,
    games_: tuple[str, ...],
    page: str | None,
    log: str | None,
    odds: bool,
    of: tuple[str, ...],
    policies: tuple[str, ...],
    external: tuple[str, ...],
    most: int | None,
    estimate: bool,
    **effort: Any,  # whole numbers, and none for seconds
) -> int:
    """Shows what changed for players between two revisions of a ruleset: OLD NEW, or --git REV [PLACE].

    OLD and NEW are rulesets, overlays with their base, or REV:PLACE, a place as it was in a revision of git.

    Exits with 0 if both are identical, or are proved or found to play alike; 1 if play changed; 3 if that is unknown.

    Example: `rulewright diff melee-phase-2025-10 melee-phase`.
    """
    flags = {"edits": edits, "scenarios": scenarios, "readings": readings, "margins": margins, "all": whole}
    asked = diff_odds.question(odds=odds, of=of, external=external, policies=policies, most=most, estimate=estimate)
    if estimate:
        files = {"--html": page, "--log": log, "--write-scenario": scenario, "--games": games_}
        shown = {"--show": row, "--strict": strict, "--driver": driver, "--format markdown": form == "markdown"}
        told_alone({**files, **shown, **{f"--{name}": given for name, given in flags.items()}})
    may_write(page, PAGE)
    can_write(log)
    may_record(scenario)
    out = output(form)
    if driver:
        return _drive(places, out)
    alone = on_one_side(version_of, *places) if version_of is not None and len(places) == _TWO else ""
    if alone and out.form != "json":
        out.say(alone)
        return Exit.FOUND
    line = CommandLine(places, revision, version_of, overlays, old_overlays, new_overlays)
    old, new = _called(called, *_places_of(line))
    sides = read_side(old), read_side(new)
    saves = dict(pair for file in games_ for pair in _saves(file, sides[0]))
    effort["every"] = row is not None or page is not None
    try:
        if asked is not None and estimate:
            return diff_estimate.estimated(*sides, asked, out)
        found = compared_whole(
            *sides,
            Wanted(**effort),
            out,
            lambda comparison, proved: (
                None if asked is None else diff_odds.shifts(*sides, comparison, asked, out, proved)
            ),
        )
    except RecursionError:
        raise Stop([_TOO_DEEP]) from None
    found = replace(found, addresses=named_beside(*sides, found.whole.comparison))
    found = replace(found, games=moved_on(saves, *sides, found.whole.comparison))
    if scenario is not None:
        _write_scenario(found, scenario, errors(out.form))
    if page is not None:
        from rulewright.cli.reports import diff as report  # noqa: PLC0415 - seldom wanted

        write(Path(page), report.page(found))
    if log is not None:
        _write_log(log, found)
    _show(found, out, row, frozenset(name for name, given in flags.items() if given))
    word = found.verdict.word
    if strict:
        return Exit.FINE if word == "identical" else Exit.FOUND
    return {"changed": Exit.FOUND, "unknown": Exit.UNKNOWN}.get(word, Exit.FINE)


def _called(names: tuple[str, str] | None, old: Asked, new: Asked) -> tuple[Asked, Asked]:
    """Both sides, called as somebody says; as they are written without that."""
    return (old, new) if names is None else (replace(old, written=names[0]), replace(new, written=names[1]))


def _write_log(file: str, found: Found) -> None:
    """Writes the change log over an older one, and over nothing else."""
    from rulewright.cli.reports.diff import log  # noqa: PLC0415 - seldom wanted

    text = log(found)
    may_write(file, "".join(text.partition(": from ")[:2]))
    write(Path(file), text)


def _show(found: Found, out: Output, row: int | None, wanted: frozenset[str]) -> None:
    match out.form:
        case "json":
            out.data(diff_report.document(found))
        case "markdown":
            from rulewright.cli.reports.diff import log  # noqa: PLC0415

            out.write(log(found))
        case _:
            out.tell(_lines(found, out, row, wanted))


def _lines(found: Found, out: Output, row: int | None, wanted: frozenset[str]) -> Iterator[str]:
    if row is not None:
        yield from diff_report.row_lines(found, row, out)
    if "all" in wanted:
        yield from diff_report.lines(found, out, whole=True)
    elif wanted:
        yield from diff_report.parts(found, wanted, out, headed=row is None)
    elif row is None:
        yield from diff_screen.lines(found, out)


def _drive(arguments: tuple[str, ...], out: Output) -> Exit:
    """Shows what a file of git became, between other files as they are now; git would stop at any exit but 0."""
    if len(arguments) == 1:
        out.say(f"{visible(arguments[0])}: not merged yet")
        return Exit.FINE
    if len(arguments) not in {_USUAL, _RENAMED}:
        remedy = "`git config diff.rulewright.command 'rulewright diff --driver'` lets git give them"
        raise stopped("RW1106", f"git gives a diff driver 7 arguments, and here are {len(arguments)}", remedy)
    place, old, new = arguments[-2] if len(arguments) == _RENAMED else arguments[0], arguments[1], arguments[4]
    try:
        out.tell(_driver_lines(place, old, new, out))
        out.say()
    except PrintError as trouble:
        raise PrintError(trouble.reason, Exit.FINE) from None
    return Exit.FINE


def _driver_lines(place: str, old: str, new: str, out: Output) -> Iterator[str]:
    alone = on_one_side(place, old, new)
    if alone:
        yield alone
        return
    try:
        before, after = _places_of(CommandLine((old, new), None, place, (), (), ()))
        yield from diff_report.lines(compared(read_side(before), read_side(after), lambda _: None), out, whole=False)
    except Stop as stop:
        out.report(stop.diagnostics, stop.texts)
        yield from _line_by_line(place, old, new)


def on_one_side(place: str, old: str, new: str) -> str:
    """What to say of a file that came or went; nothing of one with two versions."""
    if old in NOWHERE or new in NOWHERE:
        return f"{visible(place)}: {'added' if old in NOWHERE else 'removed'}"
    return ""


def _line_by_line(place: str, old: str, new: str) -> Iterator[str]:
    """Both texts as they are, where they are texts."""
    try:
        before, after = read_text(old), read_text(new)
    except Stop:
        yield f"{visible(place)}: no text, so it is not shown"
        return
    yield from (line for _, line in difference(Text(place, before.content), Text(place, after.content)))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What stands in the command line."""

    places: tuple[str, ...]  # the arguments
    revision: str | None  # of `--git`
    version_of: str | None  # of `--as`
    both: tuple[str, ...]  # overlays of both sides
    old: tuple[str, ...]  # overlays of the old side only
    new: tuple[str, ...]  # overlays of the new one only


def _places_of(written: CommandLine) -> tuple[Asked, Asked]:
    """The old and the new side."""
    before, after = (*written.both, *written.old), (*written.both, *written.new)
    match written:
        case CommandLine(revision=str(revision), version_of=None, places=() | (_,)):
            place = written.places[0] if written.places else "."
            files = files_for(place, *after)
            return at_revision("OLD", revision, place, before), Asked("NEW", place, place, files, after)
        case CommandLine(revision=None, version_of=str(place), places=(old, new)):
            files = files_for(place, old, new, *before, *after)
            was, now = Replaced(files, place, old), Replaced(files, place, new)
            main = _ruleset(place, now, was)
            return Asked("OLD", f"a/{place}", main, was, before), Asked("NEW", f"b/{place}", main, now, after)
        case CommandLine(revision=None, version_of=None, places=(old, new)):
            return asked_for("OLD", old, before), asked_for("NEW", new, after)
        case _:
            raise Stop([_miscounted(written)])


def _ruleset(place: str, *providers: Provider) -> str:
    """The file itself where it is a ruleset or overlay, else the first near it that uses it; or again itself."""
    files = ((each, provider) for provider in providers for each in whole_files(place, provider))
    return next((each for each, provider in files if each == place or _reads(each, place, provider)), place)


def _reads(ruleset: str, place: str, provider: Provider) -> bool:
    texts = load(locate(ruleset, provider), (), provider).texts
    return provider.identity(place) in map(provider.identity, texts)


def _miscounted(written: CommandLine) -> Diagnostic:
    number = len(written.places)
    given = {0: "none is given", 1: "one is given"}.get(number, f"{number} are given")
    if written.revision is not None and written.version_of is not None:
        return complaint("RW1105", "`--git` and `--as` cannot be combined", "use one of them")
    if written.revision is not None:
        return complaint("RW1105", f"with `--git` at most one place is compared, and {given}", "NEW is the work tree")
    return complaint("RW1105", f"`diff` compares two, OLD and NEW, and {given}", "or write `--git REV` and one place")


def _write_scenario(found: Found, file: str, out: Output) -> None:
    """Writes the first witness that a scenario can tell, when it was just seen to pass under OLD and fail under NEW.

    Reports RW1107, a warning, where there is none.
    """
    place = posixpath.normpath(PurePath(file).as_posix())
    for part in found.parts:
        asked = part.old.asked
        for each in part.whole.behaviour.witnesses if part.whole.behaviour else ():
            text = scenario_of(each, asked.place, asked.overlays, place, DISK)
            if text is not None and tells_apart(text, place, part.old.program, part.new.program, asked.provider):
                write(Path(file), text)
                return
    message = f"nothing was written to `{file}`: no play shows a difference that a scenario can test"
    out.report([Diagnostic("RW1107", Severity.WARNING, message)], {})


def moved_on(saves: Mapping[str, Save], old: Side, new: Side, comparison: Comparison) -> tuple[Migrated, ...]:
    """What becomes of them under the new revision."""
    return tuple(migrated(old.program, new.program, comparison.correspondence, saves)) if saves else ()


def _saves(file: str, old: Side) -> Iterator[tuple[str, Save]]:
    if not file.endswith(ENDING):
        text = read_text(file)
        if not text.content.lstrip().startswith("{"):
            message = f"`{file}` is neither a save nor a file of scenarios"
            remedy = f"`run` and `play` write saves with `--save FILE`; the name of a scenario file ends in `{ENDING}`"
            raise stopped("RW1108", message, remedy)
        yield file, value_of(read_save(text, old.program), text)
        return
    rules = Rules(old.asked.provider)
    suites = value_of(suites_of((file,), rules), *rules.texts.values())
    for case in all_cases(suites):
        session = _played(case, rules)
        if session is not None and session.begun.executable.program.fingerprint == old.program.fingerprint:
            yield f"{file}: {case.name}", session.save()


def _played(case: Case, rules: Rules) -> Session | None:
    """The play of a scenario, the first where it has several; none where it cannot be played."""
    sessions: list[Session] = []
    play(case, rules, sessions.append)
    return sessions[0] if sessions else None
