"""The verb `test`: plays scenarios, accepts what came out; JSON data as in `grammar/schemas/test.schema.json`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from rulewright.cli.named_files import files_for, may_write, places_or, unchanged, write
from rulewright.cli.opening import limits_in
from rulewright.cli.options import WholeNumber, format_option, limit_options, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, difference, errors, exit_of, output
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.renderings import diagnostic_json, place_json
from rulewright.diagnostics.terminal import visible
from rulewright.files import read
from rulewright.frozen import dataclass
from rulewright.machine.codes import LIMITS
from rulewright.machine.faults import Limits
from rulewright.scenarios.acceptance import Accepted, accepted
from rulewright.scenarios.kept import KeptRules, failed, fitting, remember, results
from rulewright.scenarios.loading import Wanted, all_cases, changed, suites_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Case, Result, Suite, counted, in_numbers
from rulewright.scenarios.telling import BEGINNING, Telling, junit
from rulewright.source import Text

_YES = frozenset({"y", "yes"})
_COLOURS = {"-": "error", "+": "good"}
VERSION = 1


@dataclass(frozen=True, slots=True)
class Blessing:
    """What can be accepted of some failures."""

    files: tuple[Accepted, ...]  # every file with a failure, in order
    written: bool  # whether it was written

    @property
    def left(self) -> tuple[Diagnostic, ...]:
        """Warnings about expectations that stay as they are."""
        return tuple(one for each in self.files for one in each.left)


@verb("test")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("-k", "name", default="", metavar="NAME", help="only scenarios with this in their name")
@click.option("--step", default="", metavar="ID", help="only scenarios that reach this step, or this address")
@click.option("--clause", default="", metavar="ID", help="only scenarios that cover this clause")
@click.option("--last-failed", is_flag=True, help="only scenarios that failed the last time")
@click.option("--watch", is_flag=True, help="play again whenever a file changes; Ctrl-C ends it")
@click.option("--workers", type=WholeNumber(1, 64), metavar="N", help="how many processes to use")
@click.option("--junit", "report", metavar="FILE", help="write the results for a build server")
@click.option(
    "--accept", "accepting", is_flag=True, help="show new expectations for what failed, and write them if you agree"
)
@click.option("--yes", is_flag=True, help="with `--accept`: write without asking")
@limit_options
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...],
    name: str,
    step: str,
    clause: str,
    last_failed: bool,
    watch: bool,
    workers: int | None,
    report: str | None,
    accepting: bool,
    yes: bool,
    form: str | None,
    **limits: int | None,
) -> int:
    """Plays scenarios and shows those that do not end as expected.

    PATH is a file, or a folder with everything below it. Without one, it tests the rulesets that the
    `rulewright.toml` of this folder names, or this folder.

    Exits with 0 if all passed; 1 if one does not end as expected; 2 if one has an error or none was selected; 3 if
    one cannot be judged because its rules, its files or its play exceed a limit.

    Example: `rulewright test pig`.
    """
    if yes and not accepting:
        raise click.UsageError("`--yes` does nothing without `--accept`")
    if watch and accepting:
        raise click.UsageError("`--watch` and `--accept` cannot be combined")
    may_write(report, BEGINNING)
    out = output(form)
    accept = ("yes" if yes else "ask") if accepting else ""
    allowed = Limits(**limits_in(limits))
    asked = _Asked(places_or(places, (".",)), name, clause, step, workers, accept, allowed, last_failed=last_failed)
    if watch:
        _watch(asked, report, out)
    return _round(asked, report, out, KeptRules(files_for(*asked.places)))


@dataclass(frozen=True, slots=True)
class _Asked:
    places: Sequence[str]
    name: str
    clause: str
    step: str
    workers: int | None
    accept: str
    limits: Limits
    last_failed: bool


def _watch(asked: _Asked, report: str | None, out: Output) -> NoReturn:
    """Plays again and again, also after something that could not be read."""
    files = files_for(*asked.places)
    while True:
        rules = KeptRules(files)
        try:
            _round(asked, report, out, rules)
        except Stop as stop:
            errors(out.form).report(stop.diagnostics, stop.texts)
            rules.texts.update(stop.texts)
        changed(asked.places, rules)


def _round(asked: _Asked, report: str | None, out: Output, rules: Rules) -> Exit:
    found = suites_of(asked.places, rules)
    if found.value is None:
        raise Stop(found.diagnostics, rules.texts)
    errors(out.form).report(found.diagnostics, rules.texts)
    wanted = Wanted(asked.name, asked.clause, failed() if asked.last_failed else None)
    played = _played(wanted.of(all_cases(found.value)), asked, rules, out)
    if not played:
        remedy = "leave out what selects, or select another"
        raise Stop([complaint("RW1010", "no scenario was selected", remedy)], rules.texts)
    blessing = None
    if asked.accept:
        blessing = _bless(found.value, played, rules, out, yes=asked.accept == "yes")
        played = after(blessing, played)
    remember(played)
    if report is not None:
        write(Path(report), junit(played, rules.texts))
    _sum_up(played, blessing, rules, out)
    if any(each.outcome == "wrong" for each in played):
        return max(Exit.BAD, exit_of((wrong for each in played for wrong in each.wrong), Exit.BAD))
    if any(each.fault in LIMITS for each in played):
        return Exit.UNKNOWN
    return Exit.FOUND if any(each.outcome == "failed" for each in played) else Exit.FINE


def _played(cases: tuple[Case, ...], asked: _Asked, rules: Rules, out: Output) -> list[Result]:
    """Plays and tells, failures as soon as they are known; what is wrong in several is told once."""
    played: list[Result] = []
    told: set[Diagnostic] = set()
    with Progress(len(cases), out) as progress:
        for result in results(cases, asked.workers or fitting(len(cases)), rules, asked.step, asked.limits):
            progress.step()
            if result is not None:
                played.append(result)
                progress.wipe()
                _tell(result, told, rules, out)
    return played


def _tell(result: Result, told: set[Diagnostic], rules: Rules, out: Output) -> None:
    if out.form == "json" or result.outcome == "passed":
        return
    _learn(result, rules)
    out.tell(Telling(out.paint, rules.texts).lines(result))
    if result.wrong and told.issuperset(result.wrong):
        out.say(f"  {visible(result.wrong[0].message)}, as above")
    out.report((each for each in result.wrong if each not in told), rules.texts)
    told.update(result.wrong)


def _learn(result: Result, rules: Rules) -> None:
    """Reads the texts in which a fault was met or it went otherwise, where the rules were kept from another run."""
    for span in filter(None, (result.happened.fault, result.happened.differs)):
        if span.source not in rules.texts:
            text = read(span.source, rules.provider)
            if isinstance(text, Text):
                rules.texts[span.source] = text


def _sum_up(played: list[Result], blessing: Blessing | None, rules: Rules, out: Output) -> None:
    if out.form == "json":
        for each in played:
            _learn(each, rules)
        out.data(_as_json(played, blessing, rules.texts))
        return
    out.say(in_numbers(played))


def _bless(suites: Sequence[Suite], played: Sequence[Result], rules: Rules, out: Output, *, yes: bool) -> Blessing:
    """Shows the difference and writes it, where `yes` says so or somebody at a terminal does."""
    failed = [each for each in played if each.outcome == "failed"]
    files = {each.file: each for each in suites}
    names = dict.fromkeys(each.case.file for each in failed)
    found = tuple(accepted(files[name], [each for each in failed if each.case.file == name], rules) for name in names)
    if out.form != "json":
        _show(found, rules, out)
    written = any(each.proposals for each in found) and (yes or _agreed_to(found, out))
    if written:
        for each in found:
            _write(each)
    return Blessing(found, written)


def after(blessing: Blessing, played: Sequence[Result]) -> list[Result]:
    """The results as they are now."""
    if not blessing.written:
        return list(played)
    new = {(each.case.file, each.case.name): each for one in blessing.files for each in one.results}
    return [new.get((each.case.file, each.case.name), each) for each in played]


def _show(found: Sequence[Accepted], rules: Rules, out: Output) -> None:
    for each in found:
        for sign, line in difference(each.before, each.after):
            out.say(out.paint(line, _COLOURS[sign]) if sign else line)
        out.report(each.left, rules.texts)
    if not any(each.proposals for each in found):
        out.say("there is nothing to accept")


def _agreed_to(found: Sequence[Accepted], out: Output) -> bool:
    if out.form == "json":
        return False
    count = sum(len(each.proposals) for each in found)
    what = "this expectation" if count == 1 else f"these {count} expectations"
    if not (sys.stdin and sys.stdin.isatty() and out.stream.isatty()):
        out.say(f"nothing is written; `--accept --yes` writes {what}")
        return False
    out.write(out.paint(f"write {what}? (yes or no) ", "ask"))
    return sys.stdin.readline().strip().lower() in _YES


def _write(each: Accepted) -> None:
    """Puts the new text in the place of the old one, which must still be there."""
    if not each.proposals:
        return
    mark = unchanged(each.before.name, each.before.content, "RW1053", "accept again, with what it says now")
    write(Path(each.before.name), mark + each.after.content)


def _as_json(played: Sequence[Result], blessing: Blessing | None, texts: Mapping[str, Text]) -> dict[str, Any]:
    """The whole document; every key is always there, but for `accept` where nobody asked for it."""
    found = {
        "version": VERSION,
        "counts": counted(played),
        "results": [_result(each, texts) for each in played],
    }
    return found if blessing is None else {**found, "accept": _accept(blessing, texts)}


def _result(result: Result, texts: Mapping[str, Text]) -> dict[str, Any]:
    case, happened = result.case, result.happened
    return {
        "file": case.file,
        "line": texts[case.file].position(case.place.span.start).line,
        "name": case.name,
        "outcome": result.outcome,
        "skip": case.skip,
        "covers": [each.text for each in case.covers],
        "seconds": round(result.seconds, 4),
        "play": _play(result) if result.misses else None,
        "misses": [
            {
                "what": each.what,
                "place": each.place,
                "expected": each.expected,
                "got": each.got,
                "cell": None if each.cell is None else place_json(each.cell, texts),
            }
            for each in result.misses
        ],
        "told": list(happened.lines),
        "path": list(happened.steps),
        "goes_on": happened.goes_on,
        "differs": None if happened.differs is None else place_json(happened.differs, texts),
        "fault": None if happened.fault is None else place_json(happened.fault, texts),
        "wrong": [diagnostic_json(each, texts) for each in result.wrong],
    }


def _play(result: Result) -> dict[str, Any]:
    case, number = result.case, result.number
    return {"number": number + 1, "of": case.plays, "seed": None if case.seed is None else case.seed + number}


def _accept(blessing: Blessing, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "written": blessing.written,
        "accepted": [
            {"file": each.before.name, "name": one.case.name, "expectation": one.what}
            for each in blessing.files
            for one in each.proposals
        ],
        "difference": [line for each in blessing.files for _, line in difference(each.before, each.after)],
        "left": [diagnostic_json(each, texts) for each in blessing.left],
    }
