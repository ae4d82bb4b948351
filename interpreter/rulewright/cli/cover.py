"""The verb `cover`, as text and as JSON data (`grammar/schemas/cover.schema.json`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from rulewright.cli.loading import value_of
from rulewright.cli.named_files import PAGE, files_for, may_write, places_or, said_of, write
from rulewright.cli.options import allow_option, format_option, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, exit_of, output, stopped
from rulewright.coverage.listing import SORTS, Unit
from rulewright.coverage.reach import Played, Player, played_in
from rulewright.coverage.report import Report, below_floor, counts, floors_for, floors_of, percent_text, report, who
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.diagnostics.renderings import place, start_json
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.scenarios.loading import all_cases, by_ruleset, suites_of
from rulewright.scenarios.suite import Reason, Suite, in_numbers, worded
from rulewright.source import Span, Text

Groups = tuple[tuple[str, tuple[Suite, ...]], ...]
Exclusions = Mapping[str, tuple[Reason, ...]]
VERSION = 1


@dataclass(frozen=True, slots=True)
class _Covered:
    name: str  # of the ruleset
    report: Report
    short: Sequence[Diagnostic]  # the floors that are not reached

    @property
    def wrong(self) -> Sequence[Diagnostic]:
        return (*(said for each in self.report.results for said in each.wrong), *self.report.stale)

    @property
    def exit(self) -> Exit:
        results = self.report.results
        if has_errors(self.wrong) or any(each.outcome == "wrong" for each in results):
            return max(Exit.BAD, exit_of(self.wrong, Exit.BAD))
        return Exit.FOUND if self.short or any(each.outcome == "failed" for each in results) else Exit.FINE


@verb("cover")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option(
    "--floor",
    "floors",
    multiple=True,
    metavar="SORT=PERCENT",
    help="fail if less of this sort, or of `all`, is reached",
)
@click.option("--who", default="", metavar="ADDRESS", help="list the scenarios that reached this address")
@click.option("--html", "page", metavar="FILE", help="write a page of the rules, coloured by what is reached")
@allow_option
@format_option
def command(*, places: tuple[str, ...], floors: tuple[str, ...], who: str, page: str | None, form: str | None) -> int:
    """Shows which rules the scenarios of PATH reach, and which they never reach; without PATH, those of this folder.

    Each ruleset gets a report, and several get a total as well. Without `--floor` it takes the floors in the
    `rulewright.toml` of the project.

    Exits with 0 if all passed and reached every floor; 1 if not; 2 if a scenario or an exclusion has an error; 3 if
    a scenario cannot be played because its rules or its files exceed a limit.

    Example: `rulewright cover pig`.
    """
    given = value_of(floors_of(floors)) if floors else None
    may_write(page, PAGE)
    out = output(form)
    places = places_or(places, (".",))
    player = Player(files_for(*places))
    played, exclusions, groups = played_of(places, player, out)
    whole = report(player, played, [one for each in exclusions.values() for one in each])
    _look_for(who, whole)
    if page is not None:
        from rulewright.cli.reports import coverage  # noqa: PLC0415 - seldom wanted

        write(Path(page), coverage.page(whole, player.rules.texts))
    found = []
    for name, suites in groups:
        part = played_in(suites, played)
        left = [one for each in suites for one in exclusions[each.file]]
        each = whole if len(groups) == 1 else report(player.of(part), part, left)
        found.append(_Covered(name, each, below_floor(each, _floors(given, suites))))
    _tell(found, whole, who, player.rules.texts, out)
    return max(each.exit for each in found)


def _floors(given: Mapping[str, float] | None, suites: Sequence[Suite]) -> Mapping[str, float]:
    """The floors of a ruleset: those of the command line, else those of its project."""
    said = said_of(suites[0].file) if given is None else None
    return given or floors_for(said.covered if said is not None else {})


def played_of(places: Sequence[str], player: Player, out: Output) -> tuple[list[Played], Exclusions, Groups]:
    """Every case with what it reached, what the files leave out, and the files by ruleset.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1010, nothing was played.
    """
    rules = player.rules
    suites = value_of(suites_of(places, rules), *rules.texts.values())
    cases = all_cases(suites)
    if not cases:
        raise Stop([complaint("RW1010", "no scenario was selected", "name another place")], rules.texts)
    with Progress(len(cases), out) as progress:
        played = list(player.played(cases, progress.step))
    return played, {each.file: each.exclude for each in suites}, by_ruleset(suites, rules.provider)


def _look_for(address: str, told: Report) -> None:
    units = [*(each.unit for each in told.reached), *told.missing]
    if address and not any(each.is_at(address) for each in units):
        close = nearest(address, [name for each in units for name in (each.name, each.address)])
        remedy = suggested(close, "`--format json` lists all addresses")
        raise stopped("RW1035", f"nothing is counted at `{address}`", remedy)


def _tell(found: Sequence[_Covered], whole: Report, who: str, texts: Mapping[str, Text], out: Output) -> None:
    """One report, or one for each ruleset under its name and then the sum."""
    several = len(found) > 1
    if out.form == "json":
        documents = [(each.name, _as_json(each, texts)) for each in found]
        out.data(several_as_json(documents, _counts(whole)) if several else documents[0][1])
        return
    for each in found:
        if several:
            out.say(out.paint(visible(each.name), "strong"))
        out.tell(_reached(who, each.report, texts, out) if who else _lines(each.report, texts, out))
        out.report([*dict.fromkeys(each.wrong), *each.short], texts)
        if several:
            out.say()
    if several and not who:
        out.say(out.paint("all rulesets", "strong"))
        out.tell(_summed(whole, out))


def _lines(found: Report, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield from _table(found, out)
    yield from _section("Missing", [(each, each.text) for each in found.missing], texts, out)
    yield from _section("Left out", [(each.unit, each.because) for each in found.excluded], texts, out)
    yield from _section("Cannot be reached", [(each, each.dead) for each in found.dead], texts, out)
    yield ""
    for each in found.results:
        if each.outcome in {"failed", "wrong"}:
            yield f"{out.paint(worded(each.outcome), 'error')} {visible(each.case.file)}: {visible(each.case.name)}"
    yield in_numbers(found.results)


def _summed(found: Report, out: Output) -> Iterator[str]:
    yield from _table(found, out)
    yield ""
    yield in_numbers(found.results)


def _reached(address: str, found: Report, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The lines that tell who reached what of an address, with all that is inside."""
    hits = [each for each in found.reached if each.unit.is_at(address)]
    for each in hits:
        yield f"{each.unit.sort} {out.paint(each.unit.name, 'strong')}{at(each.unit.span, texts, out)}"
        for name in who(each.by, found.results):
            yield f"  {visible(name)}"
    for unit in found.missing:
        if unit.is_at(address):
            yield f"{unit.sort} {out.paint(unit.name, 'strong')}{at(unit.span, texts, out)}"
            yield f"  {out.paint('nobody', 'warning')}"


def _table(found: Report, out: Output) -> Iterator[str]:
    for count in counts(found):
        if count.whole:
            role = "good" if count.reached == count.whole else "warning"
            share = out.paint(f"{percent_text(count.percent):>7}", role)
            yield f"{count.sort:<11} {f'{count.reached} of {count.whole}':>13} {share}  {SORTS[count.sort]}"


def _section(title: str, units: Sequence[tuple[Unit, str]], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield from section(title, [(f"{each.sort:<11} {each.name}", each.span, text) for each, text in units], texts, out)


def section(
    title: str, rows: Sequence[tuple[str, Span | None, str]], texts: Mapping[str, Text], out: Output
) -> Iterator[str]:
    """Names below a title, each with its place and what is said of it; nothing where there are none."""
    if rows:
        yield ""
        yield out.paint(f"{title}:", "strong")
    for name, span, text in rows:
        yield f"  {name}{at(span, texts, out)}{out.paint(f'  {visible(text)}', 'dim') if text else ''}"


def at(span: Span | None, texts: Mapping[str, Text], out: Output) -> str:
    """A place, behind what stands there."""
    return f"  {out.paint(place(span, texts), 'place')}" if span else ""


def _as_json(covered: _Covered, texts: Mapping[str, Text]) -> dict[str, Any]:
    found = covered.report
    return {
        "version": VERSION,
        "scenarios": [
            {"file": each.case.file, "name": each.case.name, "outcome": each.outcome} for each in found.results
        ],
        "counts": _counts(found),
        "reached": [{**_unit(each.unit, texts), "by": list(each.by)} for each in found.reached],
        "missing": [_unit(each, texts) for each in found.missing],
        "excluded": [{**_unit(each.unit, texts), "because": each.because} for each in found.excluded],
        "dead": [{**_unit(each, texts), "because": each.dead} for each in found.dead],
        "wrong": wrong_json([*covered.wrong, *covered.short]),
    }


def wrong_json(wrong: Iterable[Diagnostic]) -> list[dict[str, str]]:
    """What is wrong, without its places."""
    return [{"code": each.code, "message": each.message, "help": each.help} for each in wrong]


def several_as_json(documents: Sequence[tuple[str, Mapping[str, Any]]], counted: Sequence[Any]) -> dict[str, Any]:
    """A document for each ruleset, with its name as `path`, and the sum, in which what several share counts once."""
    rulesets = [{"path": name, **each} for name, each in documents]
    return {"version": rulesets[0]["version"], "rulesets": rulesets, "counts": counted}


def _counts(found: Report) -> list[dict[str, Any]]:
    return [
        {"sort": each.sort, "reached": each.reached, "whole": each.whole, "percent": each.percent}
        for each in counts(found)
    ]


def _unit(unit: Unit, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"sort": unit.sort, "name": unit.name, "text": unit.text, "place": start_json(unit.span, texts)}
