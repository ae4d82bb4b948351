"""The verb `test`."""

from pathlib import Path

import click

from rulewright.cli.exits import Exit
from rulewright.cli.options import format_option
from rulewright.cli.output import Output, errors, output
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import write
from rulewright.files import DISK
from rulewright.files import read as read_file
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING, Wanted, scenario_files
from rulewright.scenarios.junit import junit
from rulewright.scenarios.playing import play
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case
from rulewright.scenarios.telling import Telling
from rulewright.source import Text


@click.command("test")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("-k", "name", default="", metavar="NAME", help="only scenarios with this in their name")
@click.option("--clause", default="", metavar="ID", help="only scenarios that cover this clause")
@click.option("--junit", "report", metavar="FILE", help="write the results for a build server")
@format_option
def command(places: tuple[str, ...], name: str, clause: str, report: str | None, form: str | None) -> int:
    """Plays the scenarios of PATH: files, or folders with all below them; the folder you are in without any.

    Exits with 0 where all passed, 1 where one failed, 2 where a scenario itself is wrong or none was selected.
    """
    rules = Rules(DISK)
    cases = Wanted(name, clause).of(_cases(places or (".",), rules))
    if not cases:
        raise Stop([complaint("RW1010", "no scenario was selected", "leave out `-k` or `--clause`, or name others")])
    out = output(form)
    results = []
    for case in cases:
        results.append(play(case, rules))
        _tell(results[-1], out, rules)
    if report is not None:
        write(Path(report), junit(results, rules.texts))
    _sum_up(results, out)
    return _exit(results)


def _cases(places: tuple[str, ...], rules: Rules) -> list[Case]:
    """Every case of every file.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1011, there are no scenario files.
    """
    files = [file for place in places for file in scenario_files(place, DISK)]
    if not files:
        remedy = f"a scenario file ends in `{ENDING}`"
        raise Stop([complaint("RW1011", f"there are no scenario files in {', '.join(places)}", remedy)])
    cases: list[Case] = []
    wrong = []
    for file in files:
        text = read_file(file, DISK)
        if not isinstance(text, Text):
            wrong.append(text)
            continue
        rules.texts[text.name] = text
        found = read_suite(text, DISK)
        wrong += found.diagnostics
        cases += found.value.cases if found.value else ()
    if wrong:
        raise Stop(wrong, rules.texts)
    return cases


def _tell(result: Result, out: Output, rules: Rules) -> None:
    if out.form == "json" or result.outcome in {"passed", "skipped"}:
        return
    for line in Telling(out.paint).lines(result):
        out.say(line)
    errors(out.form).report(result.wrong, rules.texts)


def _sum_up(results: list[Result], out: Output) -> None:
    counts = {outcome: sum(each.outcome == outcome for each in results) for outcome in _OUTCOMES}
    if out.form == "json":
        out.data({"version": 1, "counts": counts, "results": [_data(each) for each in results]})
    else:
        out.say(", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number))


_OUTCOMES = ("passed", "failed", "wrong", "skipped")


def _data(result: Result) -> dict[str, object]:
    misses = [
        {"what": each.what, "place": each.place, "expected": each.expected, "got": each.got} for each in result.misses
    ]
    return {
        "file": result.case.file,
        "name": result.case.name,
        "outcome": result.outcome,
        "skip": result.case.skip,
        "misses": misses,
        "wrong": [each.message for each in result.wrong],
        "seconds": round(result.seconds, 4),
    }


def _exit(results: list[Result]) -> Exit:
    outcomes = {each.outcome for each in results}
    if "wrong" in outcomes:
        return Exit.BAD
    return Exit.FOUND if "failed" in outcomes else Exit.FINE
