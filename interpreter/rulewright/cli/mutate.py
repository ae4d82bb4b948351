"""The verb `mutate`."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from rulewright.cli import mutate_as_json, mutate_as_text
from rulewright.cli.exits import Exit
from rulewright.cli.mutating import Begun, begun, kept_lines, tried
from rulewright.cli.options import LARGEST_SEED, allow_option, format_option, verb
from rulewright.cli.output import Output, output
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.visible import visible
from rulewright.inputs.wording import any_of, did_you_mean, quoted
from rulewright.mutations.mutant import OPERATORS, Mutant
from rulewright.scoring.explained import explained
from rulewright.scoring.report import Scored, Verdict, counts
from rulewright.scoring.wanted import Wanted
from rulewright.source import Text

_HIGHEST = 100


@verb("mutate")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("-k", "name", default="", metavar="NAME", help="only changes with this in their name")
@click.option("--step", default="", metavar="ID", help="only changes in this step or declaration")
@click.option("--clause", default="", metavar="ID", help="only changes of what has this clause in its margin")
@click.option("--operators", default="", metavar="NAMES", help="only these sorts of changes, with commas between them")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="only so many changes, drawn at random")
@click.option("--seed", type=click.IntRange(0, LARGEST_SEED), default=0, metavar="N", help="where the drawing begins")
@click.option("--list", "listed", is_flag=True, help="show the changes, try none")
@click.option("--resume", metavar="FILE", help="keep what is known of changes here, and go on from there")
@click.option("--workers", type=click.IntRange(1, 64), metavar="N", help="how many work at the same time; all cores")
@click.option("--floor", type=click.IntRange(0, _HIGHEST), metavar="PERCENT", help="fail where fewer are noticed")
@allow_option
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...],
    name: str,
    step: str,
    clause: str,
    operators: str,
    sample: int | None,
    seed: int,
    listed: bool,
    resume: str | None,
    workers: int | None,
    floor: int | None,
    form: str | None,
) -> int:
    """Changes the rules a little, again and again, and tells which changes no scenario of PATH would notice.

    Scenarios of several rulesets give one report for each, and a sum.

    Exits with 0, with 1 where a scenario fails already or fewer changes than the floor are noticed, 2 where a scenario
    file is wrong.
    """
    if listed and (resume is not None or floor is not None):
        message = "`--list` tries nothing, so `--resume` and `--floor` have nothing to go by"
        raise click.UsageError(message)
    out = output(form)
    known = kept_lines(resume)
    wanted = Wanted(name, step, clause, _operators(operators), sample, seed)
    found = begun(places or (".",), wanted, out)
    if listed:
        _list(found, out)
        return Exit.FINE
    place, number = Path(resume) if resume else None, workers or os.cpu_count() or 1
    return _told([(each, tried(each, place, known, number, out)) for each in found], floor, out)


def _operators(written: str) -> frozenset[str]:
    """The operators that are asked for.

    Raises:
        Stop: RW1065, there is no such operator.
    """
    names = [each.strip() for each in written.split(",")] if written else []
    for each in names:
        if each not in OPERATORS:
            remedy = (each and did_you_mean(each, OPERATORS)) or f"there are {any_of(list(OPERATORS))}"
            raise Stop(
                [
                    complaint(
                        "RW1065", f"there is no sort of change called {quoted(each) if each else 'nothing'}", remedy
                    )
                ]
            )
    return frozenset(names)


def _list(found: Sequence[Begun], out: Output) -> None:
    mutants = tuple(dict.fromkeys(one for each in found for one in each.wanted))
    texts = {name: text for each in found for name, text in each.baseline.texts.items()}
    if out.form == "json":
        out.data(mutate_as_json.listed(mutants, texts))
        return
    for line in mutate_as_text.listed(mutants, texts, out):
        out.say(line)


def _told(found: Sequence[tuple[Begun, dict[Mutant, Verdict]]], floor: int | None, out: Output) -> Exit:
    """One report, or one for each ruleset under its name and then the sum; the worst of their ends."""
    documents, ends, every, several = [], [], dict[Mutant, Scored](), len(found) > 1
    for one, verdicts in found:
        left, stale = explained(one.explanations, one.baseline.mutants, verdicts)
        scored = [Scored(mutant, verdict, left.get(mutant, "")) for mutant, verdict in verdicts.items()]
        every |= {each.mutant: each for each in scored if each.because or each.mutant not in every}
        wrong = [*stale, *_short(scored, floor)]
        ends.append(Exit.BAD if has_errors(stale) else Exit.FOUND if wrong else Exit.FINE)
        if out.form == "json":
            documents.append((one.name, mutate_as_json.document(scored, wrong, one.texts)))
            continue
        _print(one.name if several else "", scored, out, one.texts)
        out.report(wrong, one.texts)
        if several:
            out.say()
    if out.form == "json":
        out.data(mutate_as_json.several(documents, list(every.values())) if several else documents[0][1])
    elif several:
        out.say(out.paint("all rulesets", "strong"))
        for line in mutate_as_text.summed(list(every.values()), out):
            out.say(line)
    return max(ends)


def _print(name: str, scored: Sequence[Scored], out: Output, texts: Mapping[str, Text]) -> None:
    if name:
        out.say(out.paint(visible(name), "strong"))
    for line in mutate_as_text.lines(scored, texts, out):
        out.say(line)


def _short(scored: Sequence[Scored], floor: int | None) -> list[Diagnostic]:
    """RW1064 where too few are noticed; explained survivors do not count."""
    score = counts(scored)[-1].unexplained
    if floor is None or score >= floor:
        return []
    message = f"{score:g} % of the changes are noticed, and the floor is {floor} %"
    remedy = "write scenarios that notice the others, or explain these under `survivors:`"
    return [complaint("RW1064", message, remedy)]
