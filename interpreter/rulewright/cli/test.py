"""The verb `test`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from rulewright.cli import test_as_json
from rulewright.cli.accepting import Blessing, after, bless
from rulewright.cli.exits import Exit, exit_of
from rulewright.cli.options import allow_option, format_option, verb
from rulewright.cli.output import Output, errors, output
from rulewright.cli.progress import Progress
from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import may_write, write
from rulewright.diagnostics import Diagnostic
from rulewright.files import read
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import Wanted
from rulewright.scenarios.kept import KeptRules, failed, remember
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.results import OUTCOMES, Result
from rulewright.scenarios.suite import Case
from rulewright.scenarios.telling import BEGINNING, Telling, junit
from rulewright.scenarios.watching import changed
from rulewright.scenarios.working import fitting, results
from rulewright.source import Text


@verb("test")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("-k", "name", default="", metavar="NAME", help="only scenarios with this in their name")
@click.option("--step", default="", metavar="ID", help="only scenarios that come to this step")
@click.option("--clause", default="", metavar="ID", help="only scenarios that cover this clause")
@click.option("--last-failed", is_flag=True, help="only scenarios that failed when they were last played here")
@click.option("--watch", is_flag=True, help="play again whenever a file changes, until interrupted")
@click.option("--workers", type=click.IntRange(1, 64), metavar="N", help="how many play at the same time")
@click.option("--junit", "report", metavar="FILE", help="write the results for a build server")
@click.option("--accept", "accepting", is_flag=True, help="show what failed expectations would say now; ask; write it")
@click.option("--yes", is_flag=True, help="with `--accept`: write without asking")
@allow_option
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
) -> int:
    """Plays the scenarios of PATH: files, or folders with all below them; the folder you are in without any.

    Exits with 0 where all passed, 1 where one failed, 2 where a scenario itself is wrong or none was selected,
    3 where one cannot be played because its rules or its files go beyond a limit.
    """
    if yes and not accepting:
        message = "`--yes` does nothing without `--accept`"
        raise click.UsageError(message)
    if watch and accepting:
        message = "`--watch` and `--accept` exclude each other"
        raise click.UsageError(message)
    may_write(report, BEGINNING)
    out = output(form)
    accept = ("yes" if yes else "ask") if accepting else ""
    asked = _Asked(places or (".",), name, clause, step, workers, accept, last_failed=last_failed)
    if watch:
        _watch(asked, report, out)
    return _round(asked, report, out, KeptRules(files_for(*asked.places)))


@dataclass(frozen=True)
class _Asked:
    """What is to be played."""

    places: Sequence[str]
    name: str
    clause: str
    step: str
    workers: int | None
    accept: str
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
    """Plays what is asked for once.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1010, nothing was selected.
    """
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
        blessing = bless(found.value, played, rules, out, yes=asked.accept == "yes")
        played = after(blessing, played)
    remember(played)
    if report is not None:
        write(Path(report), junit(played, rules.texts))
    _sum_up(played, blessing, rules, out)
    return _exit(played)


def _played(cases: tuple[Case, ...], asked: _Asked, rules: Rules, out: Output) -> list[Result]:
    """Plays and tells, failures as soon as they are known; what is wrong in several is told once."""
    played: list[Result] = []
    told: set[Diagnostic] = set()
    with Progress(len(cases), out) as progress:
        for result in results(cases, asked.workers or fitting(len(cases)), rules, asked.step):
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
    for line in Telling(out.paint, rules.texts).lines(result):
        out.say(line)
    out.report((each for each in result.wrong if each not in told), rules.texts)
    told.update(result.wrong)


def _learn(result: Result, rules: Rules) -> None:
    """Reads the text in which a fault was met, where the rules were kept from another run."""
    fault = result.happened.fault
    if fault is not None and fault.source not in rules.texts:
        text = read(fault.source, rules.provider)
        if isinstance(text, Text):
            rules.texts[fault.source] = text


def _sum_up(played: list[Result], blessing: Blessing | None, rules: Rules, out: Output) -> None:
    if out.form == "json":
        for each in played:
            _learn(each, rules)
        out.data(test_as_json.document(played, blessing, rules.texts))
        return
    counts = {outcome: sum(each.outcome == outcome for each in played) for outcome in OUTCOMES}
    out.say(", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number))


def _exit(played: list[Result]) -> Exit:
    if any(each.outcome == "wrong" for each in played):
        return max(Exit.BAD, exit_of((wrong for each in played for wrong in each.wrong), Exit.BAD))
    return Exit.FOUND if any(each.outcome == "failed" for each in played) else Exit.FINE
