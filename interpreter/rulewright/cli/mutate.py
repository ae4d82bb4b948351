"""The verb `mutate`: changes made and tried, as text and as JSON data (`grammar/schemas/mutate.schema.json`)."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rulewright.cli.cover import at, played_of, section, several_as_json, wrong_json
from rulewright.cli.loading import value_of
from rulewright.cli.named_files import can_write, files_for, places_or, said_of
from rulewright.cli.options import LARGEST_SEED, WholeNumber, allow_option, format_option, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, errors, output, stopped
from rulewright.coverage.reach import Played, Player, played_in
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.renderings import start_json
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider
from rulewright.inputs.findings import any_of, did_you_mean, quoted
from rulewright.mutations.mutant import OPERATORS, Mutant, change
from rulewright.scenarios.suite import Reason, Suite
from rulewright.scoring.baseline import Baseline, Keeping, Kept, Lines, Unwritable, baseline, lines_in
from rulewright.scoring.judging import verdicts as judged
from rulewright.scoring.report import STATES, Count, Scored, Verdict, Wanted, counts, explained
from rulewright.source import Text

_HIGHEST = 100
_MOST = 6
_VERSION = 1


@dataclass(frozen=True)
class Begun:
    """What is to be tried of a ruleset, by its name, and against what; and the survivors that are explained."""

    name: str
    baseline: Baseline
    wanted: tuple[Mutant, ...]
    explanations: tuple[Reason, ...]
    texts: Mapping[str, Text]
    files: Provider
    floor: float | None  # of its project, for all changes together


@verb("mutate")
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("-k", "name", default="", metavar="NAME", help="try only changes with this in their name")
@click.option(
    "--step", default="", metavar="ID", help="try only changes in this step or declaration, or at this address"
)
@click.option("--clause", default="", metavar="ID", help="try only changes of lines that cite this clause")
@click.option("--operators", default="", metavar="NAMES", help="try only these sorts of changes, separated by commas")
@click.option("--sample", type=WholeNumber(1), metavar="N", help="try only this many changes, picked at random")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), default=0, metavar="N", help="seed for `--sample`")
@click.option("--list", "listed", is_flag=True, help="list the changes without trying them")
@click.option("--resume", metavar="FILE", help="save results here, and continue from those it holds")
@click.option(
    "--workers", type=WholeNumber(1, 64), metavar="N", help="how many processes to use; all cores unless given"
)
@click.option("--floor", type=WholeNumber(0, _HIGHEST), metavar="PERCENT", help="fail if fewer changes are noticed")
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
    """Shows which small changes of the rules no scenario of PATH would notice.

    Each ruleset gets a report, and several get a total as well. Without `--floor`, and if it tries all changes, it
    takes the floor in the `rulewright.toml` of the project.

    Exits with 0; 1 if a scenario already fails, or fewer changes than the floor are noticed; 2 if a scenario has
    an error.

    Example: `rulewright mutate pig`.
    """
    if listed and (resume is not None or floor is not None):
        raise click.UsageError("`--list` tries nothing, so `--resume` and `--floor` have nothing to go by")
    out = output(form)
    known = _kept_lines(resume)
    wanted = Wanted(name, step, clause, _operators(operators), sample, seed)
    found = begun(places_or(places, (".",)), wanted, out)
    if listed:
        _list(found, out)
        return Exit.FINE
    place, number = Path(resume) if resume else None, workers or os.cpu_count() or 1
    return _told([(each, tried(each, place, known, number, out)) for each in found], floor, out)


def _operators(written: str) -> frozenset[str]:
    names = [each.strip() for each in written.split(",")] if written else []
    for each in names:
        if each not in OPERATORS:
            remedy = (each and did_you_mean(each, OPERATORS)) or f"you can write {any_of(list(OPERATORS))}"
            raise stopped("RW1065", f"there is no sort of change called {quoted(each) if each else 'nothing'}", remedy)
    return frozenset(names)


def _list(found: Sequence[Begun], out: Output) -> None:
    mutants = tuple(dict.fromkeys(one for each in found for one in each.wanted))
    texts = {name: text for each in found for name, text in each.baseline.texts.items()}
    if out.form == "json":
        out.data({"version": _VERSION, "changes": [_mutant(each, texts) for each in mutants]})
        return
    out.tell(_listed(mutants, texts, out))


def _told(found: Sequence[tuple[Begun, dict[Mutant, Verdict]]], floor: int | None, out: Output) -> Exit:
    """One report, or one for each ruleset under its name and then the sum; the worst of their ends."""
    documents, ends, every, several = [], [], dict[Mutant, Scored](), len(found) > 1
    for one, verdicts in found:
        left, stale = explained(one.explanations, one.baseline.mutants, verdicts)
        scored = [Scored(mutant, verdict, left.get(mutant, "")) for mutant, verdict in verdicts.items()]
        every |= {each.mutant: each for each in scored if each.because or each.mutant not in every}
        wrong = [*stale, *_short(scored, one.floor if floor is None else floor)]
        ends.append(Exit.BAD if has_errors(stale) else Exit.FOUND if wrong else Exit.FINE)
        if out.form == "json":
            documents.append((one.name, _as_json(scored, wrong, one.texts)))
            continue
        _print(one.name if several else "", scored, out, one.texts)
        out.report(wrong, one.texts)
        if several:
            out.say()
    if out.form == "json":
        out.data(several_as_json(documents, _counts(list(every.values()))) if several else documents[0][1])
    elif several:
        out.say(out.paint("all rulesets", "strong"))
        out.tell(_summed(list(every.values()), out))
    return max(ends)


def _print(name: str, scored: Sequence[Scored], out: Output, texts: Mapping[str, Text]) -> None:
    if name:
        out.say(out.paint(visible(name), "strong"))
    out.tell(_lines(scored, texts, out))


def _short(scored: Sequence[Scored], floor: float | None) -> list[Diagnostic]:
    """RW1064 where too few are noticed; explained survivors do not count."""
    score = counts(scored)[-1].unexplained
    if floor is None or score >= floor:
        return []
    message = f"{score:g} % of the changes are noticed, and the floor is {floor:g} %"
    return [complaint("RW1064", message, "write scenarios that notice the others, or explain these under `survivors:`")]


def begun(places: Sequence[str], wanted: Wanted, out: Output) -> tuple[Begun, ...]:
    """Reads and plays the scenarios of some places, and makes the mutants of the rules of each ruleset they play.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1010, nothing was played; RW1060, a scenario fails
            already; RW1066, no mutant was selected.
    """
    files = files_for(*places)
    player = Player(files)
    texts = player.rules.texts
    played, _, groups = played_of(places, player, out)
    held = [_held(each, player, played, alone=len(groups) == 1) for _, each in groups]
    chosen = wanted.of(tuple(dict.fromkeys(one for each in held for one in each.mutants)))
    if not chosen:
        remedy = "check the name, step or clause, or play other scenarios"
        raise stopped("RW1066", "no change of the rules was selected", remedy)
    return tuple(
        Begun(
            name,
            base,
            tuple(one for one in chosen if one in own),
            tuple(one for each in part for one in each.survivors),
            texts,
            files,
            _floor(part, wanted),
        )
        for (name, part), base in zip(groups, held, strict=True)
        if (own := set(base.mutants)) & set(chosen)
    )


def _floor(suites: Sequence[Suite], wanted: Wanted) -> float | None:
    """The floor of the project of a ruleset; none where only some of the changes are tried."""
    said = said_of(suites[0].file) if wanted == Wanted(seed=wanted.seed) else None
    return said.noticed if said is not None else None


def _held(suites: Sequence[Suite], player: Player, played: Sequence[Played], *, alone: bool) -> Baseline:
    """What the changes of one ruleset are held against."""
    part = played_in(suites, played)
    found = baseline(player if alone else player.of(part), part)
    if found.value is None:
        wrong = any(each.result.outcome == "wrong" for each in part)
        raise Stop(found.diagnostics, player.rules.texts, Exit.BAD if wrong else Exit.FOUND)
    return found.value


def _kept_lines(resume: str | None) -> Lines:
    """What a file keeps from runs before; nothing without one."""
    lines = value_of(lines_in(Path(resume))) if resume is not None else ()
    can_write(resume)
    return lines


def tried(found: Begun, resume: Path | None, lines: Lines, workers: int, out: Output) -> dict[Mutant, Verdict]:
    """What becomes of each wanted mutant; known already, or found out now; stops with RW0011 if it cannot be kept."""
    kept = Kept(found.baseline, lines)
    known = {each: verdict for each in found.wanted if (verdict := kept.verdict(each))}
    todo = [each for each in found.wanted if each not in known]
    try:
        with Keeping(resume, kept) as keeping, Progress(len(todo), out) as progress:
            for mutant, verdict in judged(todo, found.baseline, found.files, workers) if todo else ():
                known[mutant] = verdict
                keeping.add(mutant, verdict)
                progress.step()
    except KeyboardInterrupt:
        goes_on = f"the same command goes on from `{resume}`" if resume else "`--resume FILE` keeps what is known"
        errors(out.form).say(f"{len(known)} of {len(found.wanted)} changes were tried; {goes_on}")
        raise
    except Unwritable as trouble:
        raise stopped("RW0011", f"`{resume}` cannot be written: {trouble}") from None
    return {each: known[each] for each in found.wanted}


def _lines(scored: Sequence[Scored], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield from _table(counts(scored), out)
    survivors = [each.mutant for each in scored if each.state == "survived"]
    if survivors:
        yield ""
        yield out.paint("No test would notice this:", "strong")
        for each in survivors:
            yield from _shown(each, texts, out)
    yield from _section("Explained", [(each.mutant, each.because) for each in scored if each.because], texts, out)
    equivalent = [(each.mutant, each.verdict.why) for each in scored if each.state == "equivalent"]
    yield from _section("Proved to play the same", equivalent, texts, out)
    yield ""
    yield from _sum(counts(scored)[-1])


def _summed(scored: Sequence[Scored], out: Output) -> Iterator[str]:
    yield from _table(counts(scored), out)
    yield ""
    yield from _sum(counts(scored)[-1])


def _listed(mutants: Iterable[Mutant], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    number = 0
    for number, each in enumerate(mutants, 1):  # noqa: B007 - told at the end
        yield from _shown(each, texts, out)
    yield f"{number} changes"


def _table(found: Sequence[Count], out: Output) -> Iterator[str]:
    yield f"{'':<11}" + "".join(f"{state:>12}" for state in STATES) + f"{'noticed':>10}"
    for each in found:
        numbers = "".join(f"{number:>12}" for number in (getattr(each, state) for state in STATES))
        role = "good" if not each.survived else "warning"
        yield f"{each.operator:<11}{numbers}{out.paint(f'{each.score:g} %'.rjust(10), role)}"


def _shown(mutant: Mutant, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield f"  {out.paint(visible(mutant.name), 'strong')}{at(mutant.place, texts, out)}"
    found = change(mutant, texts[mutant.place.source])
    for sign, role, side in (("-", "error", found.old), ("+", "good", found.new)):
        for line in side[:_MOST]:
            yield out.paint(f"    {sign} {visible(line.strip())}", role)
        if len(side) > _MOST:
            yield out.paint(f"    {sign} … and {len(side) - _MOST} lines more", role)


def _section(
    title: str, mutants: Sequence[tuple[Mutant, str]], texts: Mapping[str, Text], out: Output
) -> Iterator[str]:
    yield from section(title, [(visible(each.name), each.place, why) for each, why in mutants], texts, out)


def _sum(count: Count) -> Iterator[str]:
    tried = count.killed + count.survived + count.explained
    is_ = "change is" if tried == 1 else "changes are"
    yield f"{count.killed} of {tried} {is_} noticed, {count.score:g} %"
    if count.explained:
        rest = f"{count.killed} of {tried - count.explained}, {count.unexplained:g} %"
        yield f"without the {count.explained} explained ones {rest}"
    if count.equivalent or count.refused:
        yield f"not counted: {count.equivalent} that play the same, {count.refused} that the checker refuses"


def _as_json(scored: Sequence[Scored], wrong: Iterable[Diagnostic], texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "counts": _counts(scored),
        "changes": [{**_mutant(each.mutant, texts), **_verdict(each)} for each in scored],
        "wrong": wrong_json(wrong),
    }


def _counts(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    return [
        {
            "operator": each.operator,
            **{state: getattr(each, state) for state in STATES},
            "percent": each.score,
            "percent_unexplained": each.unexplained,
        }
        for each in counts(scored)
    ]


def _mutant(mutant: Mutant, texts: Mapping[str, Text]) -> dict[str, Any]:
    text = texts[mutant.place.source]
    changed = change(mutant, text)
    return {
        "name": mutant.name,
        "operator": mutant.operator,
        "address": mutant.address,
        "place": start_json(mutant.place, texts),
        "old": mutant.old,
        "new": mutant.new,
        "before": list(changed.old),
        "after": list(changed.new),
    }


def _verdict(scored: Scored) -> dict[str, Any]:
    file, name = scored.verdict.by
    return {
        "outcome": scored.state,
        "why": scored.because or scored.verdict.why,
        "by": {"file": file, "name": name} if name else None,
        "plays": scored.verdict.plays,
    }
