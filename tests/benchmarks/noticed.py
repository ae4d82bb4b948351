"""Prints how many mutants `rulewright diff` notices of those that scenarios do.

`python tests/benchmarks/noticed.py mel --sample 60`: so many mutants that the suite of a shipped ruleset notices are
drawn by a seed and compared with the ruleset as the command does, with its limits. What is not `changed` is named.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

from rulewright.base.files import DISK, FileProvider, RevisedFiles
from rulewright.cli.diff_result import (
    ComparedPair,
    ComparedSide,
    DiffResult,
    PlayEffort,
    SideRequest,
    compare_by_play,
    compare_pair,
)
from rulewright.cli.mutate import prepare_mutation_tasks
from rulewright.cli.output import make_output
from rulewright.diff.differential_testing.results import DEFAULT_WORK
from rulewright.diff.mutant_judging import MutantJudge
from rulewright.diff.mutants import Mutant, MutantFilter
from rulewright.diff.mutation_baseline import MutationBaseline
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.scenarios.suite import ScenarioCase
from rulewright.syntax.parser import parse_rules_text

RULESETS = Path(__file__).parents[2] / "rulesets"
OUT = make_output("plain")


def noticed(baseline: MutationBaseline, seed: int) -> Iterator[tuple[Mutant, ScenarioCase]]:
    """The mutants that scenarios notice, each with the one that does, in an order drawn by the seed."""
    judge = MutantJudge(baseline, DISK)
    cases = {(each.case.file, each.case.name): each.case for each in baseline.runs}
    for mutant in random.Random(seed).sample(baseline.mutants, len(baseline.mutants)):
        verdict = judge.judge_mutant(mutant)
        if verdict.outcome == "killed":
            yield mutant, cases[verdict.scenario]


def compared_with(baseline: MutationBaseline, seed: int) -> Iterator[tuple[Mutant, ComparedPair]]:
    """Mutants with the ruleset that the scenario plays, without and with them; without those it has errors with."""
    for mutant, case in noticed(baseline, seed):
        text = mutant.apply_to_text(baseline.texts[mutant.place.source])
        changed = RevisedFiles(DISK, {text.name: text.content})
        old, new = _side("OLD", case, DISK), _side("NEW", case, changed)
        if old is not None and new is not None:
            yield mutant, ComparedPair(old, new)


def _side(word: str, case: ScenarioCase, provider: FileProvider) -> ComparedSide | None:
    asked = SideRequest(word, case.ruleset, case.ruleset, provider, tuple(each.text for each in case.overlays))
    located = locate_ruleset(asked.place)
    loaded = load_ruleset(located, asked.overlays, provider, lambda text, _: parse_rules_text(text))
    return None if loaded.program is None else ComparedSide(asked, located, loaded.program, loaded)


def found(pair: ComparedPair, effort: PlayEffort) -> DiffResult:
    """What the command finds between a ruleset and a mutant."""
    return compare_pair(pair, compare_by_play(pair, effort, OUT))


def main() -> None:
    """Prints a line for each mutant that is not called changed, then the numbers."""
    asked = argparse.ArgumentParser()
    asked.add_argument("ruleset")
    asked.add_argument("--sample", type=int, default=60)
    asked.add_argument("--draw", type=int, default=0, help="the seed of the sample")
    asked.add_argument("--work", type=int, default=DEFAULT_WORK)
    asked.add_argument("--workers", type=int, default=2)
    given = asked.parse_args()
    baseline = prepare_mutation_tasks([str(RULESETS / given.ruleset)], MutantFilter(), OUT)[0].baseline
    words: Counter[str] = Counter()
    plays, times = [], []
    for mutant, pair in islice(compared_with(baseline, given.draw), given.sample):
        started = perf_counter()
        verdict = found(pair, PlayEffort(given.work, None, given.workers, 5, 0))
        times.append(perf_counter() - started)
        behaviour = verdict.whole.behaviour
        plays.append(behaviour.plays if behaviour else 0)
        word = verdict.whole.verdict
        words[word.word] += 1
        if word.word != "changed":
            print(f"{mutant.name}: {word}, {plays[-1]} plays, {times[-1]:.1f} s", flush=True)
    told = ", ".join(f"{number} {word}" for word, number in words.most_common())
    print(f"{given.ruleset}: {told}; plays: median {median(plays):.0f}, most {max(plays)}")
    print(f"seconds: median {median(times):.1f}, most {max(times):.1f}")


if __name__ == "__main__":
    main()
