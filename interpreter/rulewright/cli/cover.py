"""The verb `cover`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from rulewright.cli import cover_as_json, cover_as_text
from rulewright.cli.exits import Exit, exit_of
from rulewright.cli.options import allow_option, format_option, verb
from rulewright.cli.output import Output, output
from rulewright.cli.progress import Progress
from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import PAGE, may_write, write
from rulewright.coverage.playing import Played, Player, played_in
from rulewright.coverage.report import Report, below_floor, floors_of
from rulewright.coverage.reporting import exclusions_of, report
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.suggest import nearest
from rulewright.diagnostics.visible import visible
from rulewright.inputs.findings import Read
from rulewright.scenarios.loading import all_cases, by_ruleset, suites_of
from rulewright.scenarios.reasons import Reason
from rulewright.scenarios.suite import Suite

Groups = tuple[tuple[str, tuple[Suite, ...]], ...]
Exclusions = Mapping[str, tuple[Reason, ...]]


@verb("cover")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option(
    "--floor",
    "floors",
    multiple=True,
    metavar="SORT=PERCENT",
    help="fail where less of a sort, or of `all`, is reached",
)
@click.option("--who", default="", metavar="ADDRESS", help="show which scenarios reached what of this address")
@click.option("--html", "page", metavar="FILE", help="write a page with the text of the ruleset coloured")
@allow_option
@format_option
def command(*, places: tuple[str, ...], floors: tuple[str, ...], who: str, page: str | None, form: str | None) -> int:
    """Plays the scenarios of PATH and tells what of their rulesets they reach; the folder you are in without any.

    Scenarios of several rulesets give one report for each, and a sum.

    Exits with 0 where all passed and every floor is reached, 1 where not, 2 where a scenario or an exclusion is wrong,
    3 where a scenario cannot be played because its rules or its files go beyond a limit.
    """
    lowest = floors_of(floors)
    if lowest.value is None:
        raise Stop(lowest.diagnostics)
    may_write(page, PAGE)
    out = output(form)
    player = Player(files_for(*(places or (".",))))
    played, exclusions, groups = _played(places or (".",), player, out)
    found = report(player, played, [one for each in exclusions.values() for one in each])
    assert found.value is not None
    _look_for(who, found.value)
    if page is not None:
        from rulewright.cli.reports import coverage  # noqa: PLC0415 - seldom wanted

        write(Path(page), coverage.page(found.value, player.rules.texts))
    if len(groups) > 1:
        return _several(groups, exclusions, lowest.value, who, found.value, player, played, out)
    short = below_floor(found.value, lowest.value)
    _tell(found, short, who, player, out)
    return _exit(found, short)


def _several(  # noqa: PLR0913, PLR0917
    groups: Groups,
    exclusions: Exclusions,
    lowest: Mapping[str, float],
    who: str,
    whole: Report,
    player: Player,
    played: Sequence[Played],
    out: Output,
) -> Exit:
    """A report for each ruleset under its name, then the sum; the worst of their ends."""
    documents, ends = [], []
    for name, suites in groups:
        part = played_in(suites, played)
        found = report(player.of(part), part, [one for each in suites for one in exclusions[each.file]])
        assert found.value is not None
        short = below_floor(found.value, lowest)
        ends.append(_exit(found, short))
        if out.form == "json":
            documents.append((name, _document(found, short, player)))
        else:
            out.say(out.paint(visible(name), "strong"))
            _tell(found, short, who, player, out)
            out.say()
    if out.form == "json":
        out.data(cover_as_json.several(documents, whole))
    elif not who:
        out.say(out.paint("all rulesets", "strong"))
        for line in cover_as_text.summed(whole, out):
            out.say(line)
    return max(ends)


def _played(places: Sequence[str], player: Player, out: Output) -> tuple[list[Played], Exclusions, Groups]:
    """Every case with what it reached, what the files leave out, and the files by ruleset.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1010, nothing was played.
    """
    rules = player.rules
    suites = suites_of(places, rules)
    if suites.value is None:
        raise Stop(suites.diagnostics, rules.texts)
    cases = all_cases(suites.value)
    read = {each.file: exclusions_of(each) for each in suites.value}
    wrong = [one for each in read.values() for one in each.diagnostics]
    if has_errors(wrong):
        raise Stop(wrong, rules.texts)
    if not cases:
        raise Stop([complaint("RW1010", "no scenario was selected", "name another place")], rules.texts)
    with Progress(len(cases), out) as progress:
        played = list(player.played(cases, progress.step))
    found = by_ruleset(suites.value, rules.provider)
    return played, {file: each.value or () for file, each in read.items()}, found


def _look_for(address: str, told: Report) -> None:
    """Makes sure that something is counted at an address.

    Raises:
        Stop: RW1035, nothing is.
    """
    units = [*(each.unit for each in told.reached), *told.missing]
    if address and not any(each.is_at(address) for each in units):
        close = nearest(address, [name for each in units for name in (each.name, each.address)])
        remedy = f"did you mean `{close}`?" if close else "`--format json` lists all addresses"
        raise Stop([complaint("RW1035", f"nothing is counted at `{address}`", remedy)])


def _tell(found: Read[Report], short: Sequence[Diagnostic], who: str, player: Player, out: Output) -> None:
    told, texts = found.value, player.rules.texts
    assert told is not None
    if out.form == "json":
        out.data(_document(found, short, player))
        return
    lines = cover_as_text.reached(who, told, texts, out) if who else cover_as_text.lines(told, texts, out)
    for line in lines:
        out.say(line)
    wrong = dict.fromkeys(one for each in told.results for one in each.wrong)
    out.report([*wrong, *found.diagnostics, *short], texts)


def _document(found: Read[Report], short: Sequence[Diagnostic], player: Player) -> dict[str, Any]:
    assert found.value is not None
    return cover_as_json.document(found.value, [*found.diagnostics, *short], player.rules.texts)


def _exit(found: Read[Report], short: Sequence[Diagnostic]) -> Exit:
    assert found.value is not None
    results = found.value.results
    wrong = [*found.diagnostics, *(said for each in results for said in each.wrong)]
    if has_errors(wrong) or any(each.outcome == "wrong" for each in results):
        return max(Exit.BAD, exit_of(wrong, Exit.BAD))
    return Exit.FOUND if short or any(each.outcome == "failed" for each in results) else Exit.FINE
