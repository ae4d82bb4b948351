"""Plays scenarios against mutants, in this process or in several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.files.replaced import Revised
from rulewright.machine.limits import Limits
from rulewright.machine.request import Faulted
from rulewright.machine.run import Outcome
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.kept import KeptRules
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Result
from rulewright.scoring.baseline import Baseline, plainest, plays_of, with_text
from rulewright.scoring.proofs import same
from rulewright.scoring.report import Verdict
from rulewright.workers import started_workers
from rulewright.workspace import Loaded, Located
from rulewright.workspace.load import Again

_NEVER_ENDED = "RW0901"


@dataclass(frozen=True)
class Judge:
    """Judges mutants; each is seen as an edit of rules that are loaded once.

    Attributes:
        baseline: what they are held against.
        provider: where texts come from.
    """

    baseline: Baseline
    provider: Provider
    _again: Again = field(default_factory=Again)
    _begun: set[tuple[Located, tuple[str, ...]]] = field(default_factory=set)

    def verdict(self, mutant: Mutant) -> Verdict:
        """What becomes of a mutant."""
        rules = self._rules(mutant)
        checked = rules.of(plainest(mutant, self.baseline).case)
        if checked.value is None:
            return Verdict("refused", checked.diagnostics[0].message if checked.diagnostics else "")
        runs = plays_of(mutant, self.baseline)
        for number, run in enumerate(runs, 1):
            sessions: list[Session] = []
            result = play(run.case, rules, sessions.append, Limits(work=run.limit))
            if result.outcome != "passed":
                return Verdict("killed", _seen(result, sessions), (run.case.file, run.case.name), number)
        proof = self._proof(mutant, rules)
        return Verdict("equivalent", proof, plays=len(runs)) if proof else Verdict("survived", plays=len(runs))

    def _rules(self, mutant: Mutant) -> Rules:
        text = mutant.applied(self.baseline.texts[mutant.place.source])
        return Rules(Revised(self.provider, {text.name: text.content}), loader=self._load)

    def _load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
        if (located, overlays) not in self._begun:
            self._begun.add((located, overlays))
            self._again.load(located, overlays, self.provider)
        return self._again.load(located, overlays, provider)

    @cached_property
    def _unchanged(self) -> Rules:
        return KeptRules(self.provider)

    def _proof(self, mutant: Mutant, rules: Rules) -> str:
        """Why a mutant plays as the rules do, whatever the ruleset it is part of; empty where that is not known."""
        if mutant.line is not None and mutant.line in self.baseline.dead:
            return self.baseline.dead[mutant.line]
        proofs = []
        for run in {each.ruleset: each for each in with_text(mutant, self.baseline)}.values():
            before, after = self._unchanged.of(run.case).value, rules.of(run.case).value
            proof = same(before.program, after.program) if before and after else ""
            if not proof:
                return ""
            proofs.append(proof)
        return proofs[0]


def _seen(result: Result, sessions: Sequence[Session]) -> str:
    """What a scenario saw of a change, in a few words."""
    if any(_ran_on(each.outcome) for each in sessions):
        return "it never ended"
    if result.outcome == "wrong":
        found = result.wrong[0] if result.wrong else None
        return _message(found) if found else ""
    return ", ".join(dict.fromkeys(each.what for each in result.misses))


def _ran_on(outcome: Outcome) -> bool:
    return isinstance(outcome, Faulted) and outcome.code == _NEVER_ENDED


def _message(found: Diagnostic) -> str:
    return f"{found.message} ({found.code})"


_AT_ONCE = 4


def verdicts(
    mutants: Sequence[Mutant], baseline: Baseline, provider: Provider, workers: int
) -> Iterator[tuple[Mutant, Verdict]]:
    """What becomes of each mutant, as soon as it is known.

    When nobody asks for more, what was not begun is given up.
    """
    if workers == 1 or len(mutants) == 1:
        judge = Judge(baseline, provider)
        for each in mutants:
            yield each, judge.verdict(each)
        return
    from concurrent.futures import as_completed  # noqa: PLC0415 - seldom wanted

    parts = [mutants[first : first + _AT_ONCE] for first in range(0, len(mutants), _AT_ONCE)]
    pool = started_workers(workers, _begin, baseline, provider)
    try:
        for done in as_completed([pool.submit(_part, part) for part in parts]):
            yield from done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_JUDGES: list[Judge] = []
"""The one of a worker, which keeps what it read."""


def _begin(baseline: Baseline, provider: Provider) -> None:
    _JUDGES[:] = [Judge(baseline, provider)]


def _part(mutants: Sequence[Mutant]) -> list[tuple[Mutant, Verdict]]:
    return [(each, _JUDGES[0].verdict(each)) for each in mutants]
