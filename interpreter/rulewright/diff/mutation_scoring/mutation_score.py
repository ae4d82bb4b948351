"""Which mutants are tried, what became of each, which survivors scenario files explain, and what came of all."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.diff.mutation_scoring.operators.mutants import OPERATOR_DESCRIPTIONS, Mutant
from rulewright.documents.findings import Findings, did_you_mean, quote_name
from rulewright.scenarios.suite import Exemption

OUTCOME_MEANINGS = {
    "killed": "noticed by a scenario",
    "survived": "noticed by none",
    "equivalent": "proved to play the same",
    "refused": "refused by the checker",
}
"""Outcomes with what they mean, in the order of reports."""

MUTANT_STATES = ("killed", "survived", "explained", "equivalent", "refused")
"""States in the order of reports."""

ALL_OPERATORS_LABEL = "all"


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """What became of a mutant."""

    outcome: str  # a key of `OUTCOME_MEANINGS`
    # of a killed one what the scenario saw, of a refused one the checker's message, of an equivalent one the proof;
    # empty of a survivor
    reason: str = ""
    scenario: tuple[str, str] = ("", "")  # file and name of the scenario that noticed it; empty where none did
    play_count: int = 0  # how many scenarios were played


@dataclass(frozen=True, slots=True)
class ScoredMutant:
    """A mutant, what became of it, and of an explained survivor why it is let pass."""

    mutant: Mutant
    verdict: MutantVerdict
    explanation: str = ""

    @property
    def state(self) -> str:
        """Its outcome; `explained` is one of its own."""
        return "explained" if self.explanation else self.verdict.outcome


@dataclass(frozen=True, slots=True)
class OperatorScore:
    """How many mutants of an operator, or of all, came to each state."""

    operator: str
    killed: int
    survived: int
    explained: int
    equivalent: int
    refused: int

    @property
    def mutant_count(self) -> int:
        """All of them."""
        return self.killed + self.survived + self.explained + self.equivalent + self.refused

    @property
    def score(self) -> float:
        """Percent noticed of those that can be; rounded down to a tenth, 100 where there are none."""
        return _percent_of(self.killed, self.killed + self.survived + self.explained)

    @property
    def score_without_explained(self) -> float:
        """The same where explained survivors do not count."""
        return _percent_of(self.killed, self.killed + self.survived)


def _percent_of(part: int, whole: int) -> float:
    return part * 1000 // whole / 10 if whole else 100.0


def score_operators(scored: Iterable[ScoredMutant]) -> tuple[OperatorScore, ...]:
    """The counts of all operators that have any mutants, and of all together as the last."""
    items = tuple(scored)
    by = [
        _score_operator(name, [scored_mutant for scored_mutant in items if scored_mutant.mutant.operator == name])
        for name in OPERATOR_DESCRIPTIONS
    ]
    return (
        *(operator_score for operator_score in by if operator_score.mutant_count),
        _score_operator(ALL_OPERATORS_LABEL, items),
    )


def _score_operator(name: str, scored: Iterable[ScoredMutant]) -> OperatorScore:
    states = [scored_mutant.state for scored_mutant in scored]
    return OperatorScore(name, *(states.count(state) for state in MUTANT_STATES))


def match_explanations(
    explanations: Sequence[Exemption], mutants: Sequence[Mutant], verdicts: Mapping[Mutant, MutantVerdict]
) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that are explained, with the reasons, and everything wrong with the explanations.

    Mutants are all there are; verdicts are those of the ones that were tried. An explanation is stale where all it
    is about was tried and nothing of it survived.
    """
    left: dict[Mutant, str] = {}
    findings = Findings()
    for explanation in explanations:
        about = [mutant for mutant in mutants if explanation.what.text in _names_of_mutant(mutant)]
        survivors = [one for one in about if one in verdicts and verdicts[one].outcome == "survived"]
        left |= dict.fromkeys(survivors, explanation.because)
        if not about:
            _report_unknown_mutant(explanation, mutants, findings)
        elif not survivors and all(one in verdicts for one in about):
            became = OUTCOME_MEANINGS[verdicts[about[0]].outcome]
            message = f"{quote_name(explanation.what.text)} is explained, but it is {became}"
            findings.add_error("RW1063", explanation.what.place, message, help="take the explanation out")
    return left, tuple(findings.collected)


def _report_unknown_mutant(each: Exemption, mutants: Sequence[Mutant], findings: Findings) -> None:
    close = did_you_mean(each.what.text, [name for one in mutants for name in _names_of_mutant(one)])
    remedy = close or "`rulewright mutate --list` shows all changes; take this out"
    findings.add_error(
        "RW1062", each.what.place, f"no change of the rules is called {quote_name(each.what.text)}", help=remedy
    )


def _names_of_mutant(mutant: Mutant) -> Iterator[str]:
    yield mutant.name
    yield mutant.address
    yield f"{mutant.address} {mutant.operator}"


@dataclass(frozen=True, slots=True)
class MutantFilter:
    """Which mutants are tried: those that have everything asked for."""

    name: str = ""  # a part of the name, in large or small letters, or empty
    step: str = ""  # the id of a step around them, or empty
    clause: str = ""  # a clause in the margin around them, or empty
    operators: frozenset[str] = frozenset()  # their operators; all where there are none
    sample: int | None = None  # how many of these, drawn at random; none for all
    seed: int = 0  # what the drawing begins with

    def select_mutants(self, mutants: Sequence[Mutant]) -> tuple[Mutant, ...]:
        """The wanted among some mutants, in their order."""
        result = [mutant for mutant in mutants if self._is_wanted(mutant)]
        if self.sample is None or self.sample >= len(result):
            return tuple(result)
        drawn = random.Random(self.seed).sample(range(len(result)), self.sample)  # noqa: S311 - no secret
        return tuple(result[item] for item in sorted(drawn))

    def _is_wanted(self, mutant: Mutant) -> bool:
        return (
            self.name.lower() in mutant.name.lower()
            and (not self.step or f"/{self.step}/" in f"/{mutant.address}/")
            and (not self.clause or any(_is_same_clause(cite, self.clause) for cite in mutant.cites))
            and (not self.operators or mutant.operator in self.operators)
        )


def _is_same_clause(cite: str, asked: str) -> bool:
    """Whether a clause in a margin, with or without its document, is the one that is asked for."""
    written = cite.replace(":", ".", 1)
    return asked == written or asked.replace(":", ".", 1).endswith(f".{written}") or written.endswith(f".{asked}")
