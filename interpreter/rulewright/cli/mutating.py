"""Mutants of the rules that scenarios play: made, and tried, with progress."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rulewright.cli.exits import Exit
from rulewright.cli.loading import value_of
from rulewright.cli.output import Output, errors
from rulewright.cli.progress import Progress
from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint, stop_on
from rulewright.cli.writing import can_write
from rulewright.coverage.playing import Played, Player, played_in
from rulewright.files import Provider
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.loading import all_cases, by_ruleset, suites_of
from rulewright.scenarios.reasons import Reason
from rulewright.scenarios.suite import Suite
from rulewright.scoring.baseline import Baseline, baseline
from rulewright.scoring.explained import explanations_of
from rulewright.scoring.judging import verdicts
from rulewright.scoring.keeping import Keeping, Kept, Lines, Unwritable, lines_in
from rulewright.scoring.report import Verdict
from rulewright.scoring.wanted import Wanted
from rulewright.source import Text


@dataclass(frozen=True)
class Begun:
    """What is to be tried of a ruleset, by its name, and against what; and the survivors that are explained."""

    name: str
    baseline: Baseline
    wanted: tuple[Mutant, ...]
    explanations: tuple[Reason, ...]
    texts: Mapping[str, Text]
    files: Provider


def begun(places: Sequence[str], wanted: Wanted, out: Output) -> tuple[Begun, ...]:
    """Reads and plays the scenarios of some places, and makes the mutants of the rules of each ruleset they play.

    Raises:
        Stop: a file cannot be read, or something is wrong with it; RW1010, nothing was played; RW1060, a scenario fails
            already; RW1066, no mutant was selected.
    """
    files = files_for(*places)
    player = Player(files)
    texts = player.rules.texts
    suites = suites_of(places, player.rules)
    if suites.value is None:
        raise Stop(suites.diagnostics, texts)
    read = {each.file: explanations_of(each) for each in suites.value}
    stop_on([one for each in read.values() for one in each.diagnostics], texts)
    cases = all_cases(suites.value)
    if not cases:
        raise Stop([complaint("RW1010", "no scenario was selected", "name another place")], texts)
    with Progress(len(cases), out) as progress:
        played = list(player.played(cases, progress.step))
    groups = by_ruleset(suites.value, files)
    held = [_held(each, player, played, alone=len(groups) == 1) for _, each in groups]
    chosen = wanted.of(tuple(dict.fromkeys(one for each in held for one in each.mutants)))
    if not chosen:
        remedy = "check the name, step or clause, or play other scenarios"
        raise Stop([complaint("RW1066", "no change of the rules was selected", remedy)])
    explanations = {file: each.value or () for file, each in read.items()}
    return tuple(
        Begun(
            name,
            base,
            tuple(one for one in chosen if one in own),
            tuple(one for each in part for one in explanations[each.file]),
            texts,
            files,
        )
        for (name, part), base in zip(groups, held, strict=True)
        if (own := set(base.mutants)) & set(chosen)
    )


def _held(suites: Sequence[Suite], player: Player, played: Sequence[Played], *, alone: bool) -> Baseline:
    """What the changes of one ruleset are held against."""
    part = played_in(suites, played)
    found = baseline(player if alone else player.of(part), part)
    if found.value is None:
        wrong = any(each.result.outcome == "wrong" for each in part)
        raise Stop(found.diagnostics, player.rules.texts, Exit.BAD if wrong else Exit.FOUND)
    return found.value


def kept_lines(resume: str | None) -> Lines:
    """What a file keeps from runs before; nothing without one.

    Raises:
        Stop: RW1067, the file keeps something else; RW0011, it cannot be written.
    """
    lines = value_of(lines_in(Path(resume))) if resume is not None else ()
    can_write(resume)
    return lines


def tried(found: Begun, resume: Path | None, lines: Lines, workers: int, out: Output) -> dict[Mutant, Verdict]:
    """What becomes of each wanted mutant; known already, or found out now.

    Raises:
        Stop: RW0011, the file cannot be written.
    """
    kept = Kept(found.baseline, lines)
    known = {each: verdict for each in found.wanted if (verdict := kept.verdict(each))}
    todo = [each for each in found.wanted if each not in known]
    try:
        with Keeping(resume, kept) as keeping, Progress(len(todo), out) as progress:
            for mutant, verdict in _verdicts(todo, found, workers):
                known[mutant] = verdict
                keeping.add(mutant, verdict)
                progress.step()
    except KeyboardInterrupt:
        goes_on = f"the same command goes on from `{resume}`" if resume else "`--resume FILE` keeps what is known"
        errors(out.form).say(f"{len(known)} of {len(found.wanted)} changes were tried; {goes_on}")
        raise
    except Unwritable as trouble:
        raise Stop([complaint("RW0011", f"`{resume}` cannot be written: {trouble}")]) from None
    return {each: known[each] for each in found.wanted}


def _verdicts(todo: Sequence[Mutant], found: Begun, workers: int) -> Iterator[tuple[Mutant, Verdict]]:
    return verdicts(todo, found.baseline, found.files, workers) if todo else iter(())
