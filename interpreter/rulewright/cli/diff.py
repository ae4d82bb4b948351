"""The verb `diff`."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rulewright.cli import diff_as_text, diff_row, diff_screen
from rulewright.cli.diff_addresses import named_beside
from rulewright.cli.diff_driver import drive, on_one_side
from rulewright.cli.diff_found import Found, compared
from rulewright.cli.diff_games import games_of, moved_on
from rulewright.cli.diff_places import Written, places_of
from rulewright.cli.diff_playing import Wanted, played, playing_options
from rulewright.cli.diff_scenario import write_scenario
from rulewright.cli.diff_sides import read_side
from rulewright.cli.exits import Exit
from rulewright.cli.options import allow_option, overlay_option, verb
from rulewright.cli.output import FORMATS, Output, errors, output
from rulewright.cli.recording import may_record
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import PAGE, may_write, write

_TWO = 2
_TOO_DEEP = complaint(
    "RW0850",
    "comparing stops here: rows and lines lead too deep into each other",
    "cut decisions of hundreds of rows into tables or smaller decisions",
)


@verb("diff")
@click.argument("places", nargs=-1, metavar="OLD NEW")
@click.option("--git", "revision", metavar="REV", help="OLD is what PLACE, or this folder, was in this revision of git")
@click.option(
    "--as", "version_of", metavar="FILE", help="OLD and NEW are versions of this file, among the files beside it"
)
@click.option("--driver", is_flag=True, help="the arguments are those that git gives a diff driver")
@overlay_option
@allow_option
@click.option("--old-overlay", "old_overlays", multiple=True, metavar="FILE", help="one that amends OLD; repeatable")
@click.option("--new-overlay", "new_overlays", multiple=True, metavar="FILE", help="one that amends NEW; repeatable")
@click.option("--strict", is_flag=True, help="exit with 1 unless both are identical")
@playing_options
@click.option("--show", "row", type=click.IntRange(1), metavar="N", help="row N in full: its edits, and its play")
@click.option("--edits", is_flag=True, help="every edited line instead of the first screen")
@click.option("--scenarios", is_flag=True, help="what becomes of scenarios and scripts beside OLD")
@click.option("--readings", is_flag=True, help="settings, and what only another reading than the written one brings")
@click.option("--margins", is_flag=True, help="clauses cited in margins, and rulings")
@click.option("--all", "whole", is_flag=True, help="everything at length, with every witness")
@click.option(
    "--format",
    "form",
    type=click.Choice((*FORMATS, "markdown")),
    help="human (default on a terminal), plain (default elsewhere), json, or markdown: a draft change log",
)
@click.option("--write-scenario", "scenario", metavar="FILE", help="write the first witness that a scenario can tell")
@click.option(
    "--games",
    "games_",
    multiple=True,
    metavar="FILE",
    help="tell whether a save or scenario of OLD still runs",
)
@click.option("--html", "page", metavar="FILE", help="write a page with both texts side by side")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...],
    revision: str | None,
    version_of: str | None,
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
    **effort: Any,  # noqa: ANN401 - whole numbers, and none for seconds
) -> int:
    """Tells what changed between two revisions of a ruleset: OLD NEW, or --git REV [PLACE].

    OLD and NEW are rulesets, overlays with their base, or REV:PLACE for what a place was in a revision of git. Exits
    with 0 where both are identical, or proved or found to play alike, 1 where play changed, 3 where that is unknown.
    """
    may_write(page, PAGE)
    may_record(scenario)
    out = output(form)
    if driver:
        return drive(places, out)
    alone = on_one_side(version_of, *places) if version_of is not None and len(places) == _TWO else ""
    if alone and out.form != "json":
        out.say(alone)
        return Exit.FOUND
    old, new = places_of(Written(places, revision, version_of, overlays, old_overlays, new_overlays))
    sides = read_side(old), read_side(new)
    saves = games_of(games_, sides[0])
    effort["every"] = row is not None
    try:
        found = compared(*sides, lambda comparison: played(*sides, comparison, Wanted(**effort), out))
    except RecursionError:
        raise Stop([_TOO_DEEP]) from None
    found = replace(found, addresses=named_beside(*sides, found.whole.comparison))
    if saves:
        found = replace(found, games=moved_on(saves, *sides, found.whole.comparison))
    if scenario is not None:
        write_scenario(found, scenario, errors(out.form))
    if page is not None:
        from rulewright.cli.reports import diff  # noqa: PLC0415 - seldom wanted

        write(Path(page), diff.page(found))
    flags = {"edits": edits, "scenarios": scenarios, "readings": readings, "margins": margins, "all": whole}
    _show(found, out, row, frozenset(name for name, given in flags.items() if given))
    return _exit(found, strict=strict)


def _show(found: Found, out: Output, row: int | None, wanted: frozenset[str]) -> None:
    match out.form:
        case "json":
            from rulewright.cli import diff_as_json  # noqa: PLC0415 - one form is wanted

            out.data(diff_as_json.document(found))
        case "markdown":
            from rulewright.cli.reports import diff  # noqa: PLC0415

            out.write(diff.log(found))
        case _:
            for line in _lines(found, out, row, wanted):
                out.say(line)


def _lines(found: Found, out: Output, row: int | None, wanted: frozenset[str]) -> Iterator[str]:
    if row is not None:
        return diff_row.lines(found, row, out)
    if "all" in wanted:
        return diff_as_text.lines(found, out, whole=True)
    return diff_as_text.parts(found, wanted, out) if wanted else diff_screen.lines(found, out)


def _exit(found: Found, *, strict: bool) -> Exit:
    word = found.whole.verdict.word
    if strict:
        return Exit.FINE if word == "identical" else Exit.FOUND
    return {"changed": Exit.FOUND, "unknown": Exit.UNKNOWN}.get(word, Exit.FINE)
