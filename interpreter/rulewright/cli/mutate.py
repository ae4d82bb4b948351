"""The verb `mutate`: mutation testing of rules, as text and JSON (`grammar/schemas/mutate.schema.json`)."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from rulewright.base.diagnostics import Diagnostic, format_counted_noun, has_errors, make_visible
from rulewright.base.diagnostics.renderings import encode_span_start
from rulewright.base.files import FileProvider
from rulewright.base.json_keys import JsonKeys, KeyedEncoder
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for, places_or_project, read_project, require_writable
from rulewright.cli.cover import (
    RulesetPart,
    format_place_suffix,
    play_for_coverage,
    print_ruleset_parts,
    problems_to_json,
    render_place_list,
)
from rulewright.cli.options import (
    LARGEST_SEED,
    WholeNumberOption,
    allow_option,
    flag,
    format_option,
    option,
    places_argument,
    verb_command,
)
from rulewright.cli.output import (
    CommandStop,
    ExitCode,
    Output,
    ProgressLine,
    error_output,
    make_error,
    make_output,
    make_stop,
)
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.diff.mutant_judging import judge_mutants
from rulewright.diff.mutants import (
    MUTANT_STATES,
    OPERATOR_DESCRIPTIONS,
    Mutant,
    MutantFilter,
    MutantVerdict,
    OperatorScore,
    ScoredMutant,
    compute_changed_lines,
    match_explanations,
    score_operators,
)
from rulewright.diff.mutation_baseline import (
    KeptVerdicts,
    MutationBaseline,
    UnwritableVerdictsError,
    VerdictLines,
    VerdictWriter,
    build_baseline,
    read_verdict_lines,
)
from rulewright.documents.findings import did_you_mean, join_alternatives, quote_name
from rulewright.scenarios.reached_units import CoveragePlayer, CoveredCase, select_covered
from rulewright.scenarios.suite import Exemption, Suite

_MAX_PERCENT = 100
_MAX_CHANGED_LINES = 6
_MUTATE_FORMAT_VERSION = 1


@dataclass(frozen=True)
class MutationTask:
    """Mutants of one ruleset, the baseline they are compared with, and the explained survivors."""

    name: str
    baseline: MutationBaseline
    selected: tuple[Mutant, ...]
    survivor_reasons: tuple[Exemption, ...]
    texts: Mapping[str, Text]
    files: FileProvider
    floor: float | None  # percent, of the project, for all mutants together


@verb_command("mutate")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    places: tuple[str, ...] = places_argument,
    name: str = option("-k", "NAME", "try only changes with this in their name", default=""),
    step: str = option("--step", "ID", "try only changes in this step or declaration, or at this address", default=""),
    clause: str = option("--clause", "ID", "try only changes of lines that cite this clause", default=""),
    operators: str = option("--operators", "NAMES", "try only these sorts of changes, separated by commas", default=""),
    sample: int | None = option("--sample", "N", "try only this many changes, picked at random", WholeNumberOption(1)),
    seed: int = option("--seed", "N", "seed for `--sample`", WholeNumberOption(0, LARGEST_SEED), default=0),
    listed: bool = flag("--list", "list the changes without trying them"),
    resume: str | None = option("--resume", "FILE", "save results here, and continue from those it holds"),
    workers: int | None = option(
        "--workers", "N", "how many processes to use; all cores unless given", WholeNumberOption(1, 64)
    ),
    floor: int | None = option(
        "--floor", "PERCENT", "fail if fewer changes are noticed", WholeNumberOption(0, _MAX_PERCENT)
    ),
    _allow: Any = allow_option,
    form: str | None = format_option,
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
    out = make_output(form)
    known = unwrap_or_stop(read_verdict_lines(Path(resume))) if resume is not None else ()
    require_writable(resume)
    mutant_filter = MutantFilter(name, step, clause, _parse_operators(operators), sample, seed)
    items = prepare_mutation_tasks(places_or_project(places, (".",)), mutant_filter, out)
    if listed:
        _output_mutant_list(items, out)
        return ExitCode.SUCCESS
    place, number = Path(resume) if resume else None, workers or os.cpu_count() or 1
    return _output_mutation_scores([(one, try_mutants(one, place, known, number, out)) for one in items], floor, out)


def _parse_operators(written: str) -> frozenset[str]:
    names = [item.strip() for item in written.split(",")] if written else []
    for name in names:
        if name not in OPERATOR_DESCRIPTIONS:
            choices = f"you can write {join_alternatives(list(OPERATOR_DESCRIPTIONS))}"
            message = f"there is no sort of change called {quote_name(name) if name else 'nothing'}"
            raise make_stop("RW1065", message, (name and did_you_mean(name, OPERATOR_DESCRIPTIONS)) or choices)
    return frozenset(names)


def _output_mutant_list(tasks: Sequence[MutationTask], out: Output) -> None:
    mutants = tuple(dict.fromkeys(one for task in tasks for one in task.selected))
    texts = {name: text for task in tasks for name, text in task.baseline.texts.items()}
    lines = (line for mutant in mutants for line in _render_mutant(mutant, texts, out))
    out.print_report(
        lambda: {"version": _MUTATE_FORMAT_VERSION, "changes": [_mutant_json(mutant, texts) for mutant in mutants]},
        chain(lines, [f"{len(mutants)} changes"]),
    )


def _output_mutation_scores(
    scored_tasks: Sequence[tuple[MutationTask, dict[Mutant, MutantVerdict]]], floor: int | None, out: Output
) -> ExitCode:
    """Print one report, or one for each ruleset and the sum; returns the worst exit code."""
    parts, ends, every = list[RulesetPart](), list[ExitCode](), dict[Mutant, ScoredMutant]()
    for task, verdicts in scored_tasks:
        explanations, stale = match_explanations(task.survivor_reasons, task.baseline.mutants, verdicts)
        scored = [ScoredMutant(mutant, verdict, explanations.get(mutant, "")) for mutant, verdict in verdicts.items()]
        every |= {one.mutant: one for one in scored if one.explanation or one.mutant not in every}
        wrong = [*stale, *_find_missed_floor(scored, task.floor if floor is None else floor)]
        ends.append(ExitCode.BAD_INPUT if has_errors(stale) else ExitCode.FINDINGS if wrong else ExitCode.SUCCESS)
        lines = _render_mutation_report(scored, task.texts, out)
        parts.append(RulesetPart(task.name, partial(_mutation_report_json, scored, wrong, task.texts), lines, wrong))
    totals, texts = list(every.values()), scored_tasks[0][0].texts
    scores = score_operators(totals)
    every_line = [*_render_score_table(scores, out), "", *_summarize_score(scores[-1])]
    print_ruleset_parts(parts, lambda: _score_counts_json(totals), every_line, texts, out)
    return max(ends)


def _find_missed_floor(scored: Sequence[ScoredMutant], floor: float | None) -> list[Diagnostic]:
    """RW1064 if the score, without explained survivors, is below the floor."""
    score = score_operators(scored)[-1].score_without_explained
    if floor is None or score >= floor:
        return []
    message = f"{score:g} % of the changes are noticed, and the floor is {floor:g} %"
    return [
        make_error("RW1064", message, "write scenarios that notice the others, or explain these under `survivors:`")
    ]


def prepare_mutation_tasks(places: Sequence[str], mutant_filter: MutantFilter, out: Output) -> tuple[MutationTask, ...]:
    """Play the scenarios of some places, and make the mutants of each ruleset they play.

    Raises:
        CommandStop: a file cannot be read, or has errors; RW1010, nothing was played; RW1060, a scenario fails already;
            RW1066, no mutant was selected.
    """
    files = files_for(*places)
    player = CoveragePlayer(files)
    played, _, groups = play_for_coverage(places, player, out)
    baselines = [_make_baseline(item, player, played, alone=len(groups) == 1) for _, item in groups]
    chosen = mutant_filter.select_mutants(tuple(dict.fromkeys(one for each in baselines for one in each.mutants)))
    if not chosen:
        remedy = "check the name, step or clause, or play other scenarios"
        raise make_stop("RW1066", "no change of the rules was selected", remedy)
    tasks = []
    for (name, part), base in zip(groups, baselines, strict=True):
        known = set(base.mutants)
        selected = tuple(one for one in chosen if one in known)
        reasons = tuple(one for suite in part for one in suite.survivors)
        # the floor of the project is for all mutants together
        settings = read_project(part[0].file) if mutant_filter == MutantFilter(seed=mutant_filter.seed) else None
        floor = settings.mutation_floor if settings is not None else None
        if selected:
            tasks.append(MutationTask(name, base, selected, reasons, player.loader.texts, files, floor))
    return tuple(tasks)


def _make_baseline(
    suites: Sequence[Suite], player: CoveragePlayer, played: Sequence[CoveredCase], *, alone: bool
) -> MutationBaseline:
    part = select_covered(suites, played)
    result = build_baseline(player if alone else player.restrict_to(part), part)
    if result.value is None:
        wrong = any(one.result.outcome == "wrong" for one in part)
        raise CommandStop(result.diagnostics, player.loader.texts, ExitCode.BAD_INPUT if wrong else ExitCode.FINDINGS)
    return result.value


def try_mutants(
    task: MutationTask, resume: Path | None, lines: VerdictLines, workers: int, out: Output
) -> dict[Mutant, MutantVerdict]:
    """Verdict of each selected mutant, known or computed now; stops with RW0011 if it cannot be stored."""
    known_verdicts = KeptVerdicts(task.baseline, lines)
    known = {item: verdict for item in task.selected if (verdict := known_verdicts.find_verdict(item))}
    todo = [item for item in task.selected if item not in known]
    try:
        with VerdictWriter(resume, known_verdicts) as keeping, ProgressLine(len(todo), out) as progress:
            for mutant, verdict in judge_mutants(todo, task.baseline, task.files, workers) if todo else ():
                known[mutant] = verdict
                keeping.add_verdict(mutant, verdict)
                progress.count_step()
    except KeyboardInterrupt:
        goes_on = f"the same command goes on from `{resume}`" if resume else "`--resume FILE` keeps what is known"
        error_output(out.form).print_line(f"{len(known)} of {len(task.selected)} changes were tried; {goes_on}")
        raise
    except UnwritableVerdictsError as trouble:
        raise make_stop("RW0011", f"`{resume}` cannot be written: {trouble}") from None
    return {item: known[item] for item in task.selected}


def _render_mutation_report(scored: Sequence[ScoredMutant], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    scores = score_operators(scored)
    yield from _render_score_table(scores, out)
    survivors = [one.mutant for one in scored if one.state == "survived"]
    if survivors:
        yield from ("", out.paint("No test would notice this:", "strong"))
        for survivor in survivors:
            yield from _render_mutant(survivor, texts, out)
    explained = [(one.mutant, one.explanation) for one in scored if one.explanation]
    equivalent = [(one.mutant, one.verdict.reason) for one in scored if one.state == "equivalent"]
    for title, mutants in (("Explained", explained), ("Proved to play the same", equivalent)):
        rows = [(make_visible(mutant.name), mutant.place, why) for mutant, why in mutants]
        yield from render_place_list(title, rows, texts, out)
    yield from ("", *_summarize_score(scores[-1]))


def _render_score_table(scores: Sequence[OperatorScore], out: Output) -> Iterator[str]:
    yield f"{'':<11}" + "".join(f"{state:>12}" for state in MUTANT_STATES) + f"{'noticed':>10}"
    for operator_score in scores:
        numbers = "".join(f"{number:>12}" for number in (getattr(operator_score, state) for state in MUTANT_STATES))
        role = "good" if not operator_score.survived else "warning"
        yield f"{operator_score.operator:<11}{numbers}{out.paint(f'{operator_score.score:g} %'.rjust(10), role)}"


def _render_mutant(mutant: Mutant, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    yield f"  {out.paint(make_visible(mutant.name), 'strong')}{format_place_suffix(mutant.place, texts, out)}"
    result = compute_changed_lines(mutant, texts[mutant.place.source])
    for sign, role, side in (("-", "error", result.old), ("+", "good", result.new)):
        for line in side[:_MAX_CHANGED_LINES]:
            yield out.paint(f"    {sign} {make_visible(line.strip())}", role)
        if len(side) > _MAX_CHANGED_LINES:
            yield out.paint(f"    {sign} … and {len(side) - _MAX_CHANGED_LINES} lines more", role)


def _summarize_score(count: OperatorScore) -> Iterator[str]:
    tried = count.killed + count.survived + count.explained
    yield f"{count.killed} of {format_counted_noun(tried, 'change is', 'changes are')} noticed, {count.score:g} %"
    if count.explained:
        rest = f"{count.killed} of {tried - count.explained}, {count.score_without_explained:g} %"
        yield f"without the {count.explained} explained ones {rest}"
    if count.equivalent or count.refused:
        yield f"not counted: {count.equivalent} that play the same, {count.refused} that the checker refuses"


_KEYS: JsonKeys = {
    Mutant: "name operator address place old new",
    OperatorScore: f"operator {' '.join(MUTANT_STATES)} percent=score percent_unexplained=score_without_explained",
}


def _mutation_report_json(
    scored: Sequence[ScoredMutant], wrong: Iterable[Diagnostic], texts: Mapping[str, Text]
) -> dict[str, Any]:
    changes = []
    for one in scored:
        file, name = one.verdict.scenario
        verdict = {
            "outcome": one.state,
            "why": one.explanation or one.verdict.reason,
            "by": {"file": file, "name": name} if name else None,
            "plays": one.verdict.play_count,
        }
        changes.append({**_mutant_json(one.mutant, texts), **verdict})
    counts, problems = _score_counts_json(scored), problems_to_json(wrong)
    return {"version": _MUTATE_FORMAT_VERSION, "counts": counts, "changes": changes, "wrong": problems}


def _score_counts_json(scored: Sequence[ScoredMutant]) -> list[dict[str, Any]]:
    return [KeyedEncoder(_KEYS).encode(score) for score in score_operators(scored)]


def _mutant_json(mutant: Mutant, texts: Mapping[str, Text]) -> dict[str, Any]:
    changed = compute_changed_lines(mutant, texts[mutant.place.source])
    document = KeyedEncoder(_KEYS, lambda span: encode_span_start(span, texts)).encode(mutant)
    return {**document, "before": list(changed.old), "after": list(changed.new)}
