"""Judging of mutants: scenarios are played against each, in one process or several; equivalent ones are proved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rulewright.base.files import FileProvider, RevisedFiles
from rulewright.base.node_roles import walk_nodes
from rulewright.base.workers import map_in_processes
from rulewright.diff.edits import Correspondence
from rulewright.diff.equivalence_proofs import DeclarationPairs, UnprovedDeclarations
from rulewright.diff.mutants import Mutant, MutantVerdict
from rulewright.diff.mutation_baseline import MutationBaseline, find_plainest_run, runs_with_text, select_runs
from rulewright.diff.normal_forms.declared_parts import all_declarations
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.play.session import Session
from rulewright.program.declarations import Program
from rulewright.program.expressions import (
    DecideRow,
    TableRow,
    TallyRow,
)
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Faulted
from rulewright.scenarios.cached_play import CachedRulesetLoader
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.suite import CaseResult

SAME_EFFECT = "both are proved to do the same in every situation"

_EMPTY_CORRESPONDENCE = Correspondence({}, {})
_NEVER_ENDED_CODE = "RW0901"


def explain_equivalence(before: Program, after: Program) -> str:
    """Reason why two programs play the same; empty where that could not be shown."""
    if _list_priorities(before) != _list_priorities(after):
        before, after = _rank_standing_rules(before), _rank_standing_rules(after)
    pairs = DeclarationPairs(before, after, _EMPTY_CORRESPONDENCE)
    if pairs.find_unproved() != UnprovedDeclarations((), ()):
        return ""
    declared = dict(all_declarations(before))
    may_tell_others = any(_has_rows(declared[name]) for name in pairs.proved_on_paths)
    return "" if may_tell_others else SAME_EFFECT


def _list_priorities(program: Program) -> list[tuple[str, int]]:
    return [(rule.name, rule.priority) for rule in program.rules.values()]


def _rank_standing_rules(program: Program) -> Program:
    """Program with the priority of each standing rule replaced by its place in the order in which they are tried."""
    order = sorted(program.rules.values(), key=lambda rule: rule.priority)
    rules = {rule.name: replace(rule, priority=rank) for rank, rule in enumerate(order)}
    return replace(program, rules={name: rules[name] for name in program.rules})


def _has_rows(declared: Any) -> bool:
    """Whether stories and scenarios show which rows of a declaration decide and count."""
    return any(isinstance(node, TallyRow | DecideRow | TableRow) for node in walk_nodes(declared))


@dataclass(frozen=True)
class MutantJudge:
    """Judge of mutants; each is checked as an edit of rules that are loaded once."""

    baseline: MutationBaseline
    provider: FileProvider
    _loader: IncrementalLoader = field(default_factory=IncrementalLoader)
    _loaded_rulesets: set[tuple[RulesetLocation, tuple[str, ...]]] = field(default_factory=set)

    def judge_mutant(self, mutant: Mutant) -> MutantVerdict:
        rules = self._mutated_rules(mutant)
        checked = rules.compile_for_case(find_plainest_run(mutant, self.baseline).case)
        if checked.value is None:
            return MutantVerdict("refused", checked.diagnostics[0].message if checked.diagnostics else "")
        runs = select_runs(mutant, self.baseline)
        for number, run in enumerate(runs, 1):
            sessions: list[Session] = []
            result = play_case(run.case, rules, sessions.append, RunLimits(work=run.step_limit))
            if result.outcome != "passed":
                return MutantVerdict(
                    "killed", _describe_failure(result, sessions), (run.case.file, run.case.name), number
                )
        proof = self._prove_equivalent(mutant, rules)
        return (
            MutantVerdict("equivalent", proof, play_count=len(runs))
            if proof
            else MutantVerdict("survived", play_count=len(runs))
        )

    def _mutated_rules(self, mutant: Mutant) -> RulesetLoader:
        text = mutant.apply_to_text(self.baseline.texts[mutant.place.source])
        return RulesetLoader(RevisedFiles(self.provider, {text.name: text.content}), loader=self._load_incrementally)

    def _load_incrementally(
        self, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> LoadedRuleset:
        if (located, overlays) not in self._loaded_rulesets:
            self._loaded_rulesets.add((located, overlays))
            self._loader.load_changed(located, overlays, self.provider)
        return self._loader.load_changed(located, overlays, provider)

    @cached_property
    def _original_rules(self) -> RulesetLoader:
        return CachedRulesetLoader(self.provider)

    def _prove_equivalent(self, mutant: Mutant, rules: RulesetLoader) -> str:
        """Proof that a mutant is equivalent in whatever ruleset; empty where that is unknown."""
        if mutant.line is not None and mutant.line in self.baseline.dead_places:
            return self.baseline.dead_places[mutant.line]
        proofs = []
        for run in {case_run.ruleset_key: case_run for case_run in runs_with_text(mutant, self.baseline)}.values():
            before, after = (
                self._original_rules.compile_for_case(run.case).value,
                rules.compile_for_case(run.case).value,
            )
            proof = explain_equivalence(before.program, after.program) if before and after else ""
            if not proof:
                return ""
            proofs.append(proof)
        return proofs[0]


def _describe_failure(result: CaseResult, sessions: Sequence[Session]) -> str:
    outcomes = (session.outcome for session in sessions)
    if any(isinstance(outcome, Faulted) and outcome.code == _NEVER_ENDED_CODE for outcome in outcomes):
        return "it never ended"
    if result.outcome == "wrong":
        diagnostic = result.problems[0] if result.problems else None
        return f"{diagnostic.message} ({diagnostic.code})" if diagnostic else ""
    return ", ".join(dict.fromkeys(miss.what for miss in result.misses))


def judge_mutants(
    mutants: Sequence[Mutant], baseline: MutationBaseline, provider: FileProvider, workers: int
) -> Iterator[tuple[Mutant, MutantVerdict]]:
    """Verdict of each mutant, in their order.

    When the consumer stops, mutants that were not begun are dropped.
    """
    judge = MutantJudge(baseline, provider)
    verdicts = map_in_processes(workers if len(mutants) > 1 else 1, MutantJudge.judge_mutant, judge, mutants)
    yield from zip(mutants, verdicts, strict=True)
