"""Which mutants are tried, what became of each, which survivors scenario files explain, and what came of all."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, did_you_mean, quoted
from rulewright.mutations.mutant import OPERATORS, Mutant
from rulewright.scenarios.suite import Reason

OUTCOMES = {
    "killed": "noticed by a scenario",
    "survived": "noticed by none",
    "equivalent": "proved to play the same",
    "refused": "refused by the checker",
}
"""Outcomes with what they mean, in the order of reports."""

STATES = ("killed", "survived", "explained", "equivalent", "refused")
"""States in the order of reports."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant."""

    outcome: str  # a key of `OUTCOMES`
    # of a killed one what the scenario saw, of a refused one the checker's message, of an equivalent one the proof;
    # empty of a survivor
    why: str = ""
    by: tuple[str, str] = ("", "")  # file and name of the scenario that noticed it; empty where none did
    plays: int = 0  # how many scenarios were played


@dataclass(frozen=True, slots=True)
class Scored:
    """A mutant, what became of it, and of an explained survivor why it is let pass."""

    mutant: Mutant
    verdict: Verdict
    because: str = ""

    @property
    def state(self) -> str:
        """Its outcome; `explained` is one of its own."""
        return "explained" if self.because else self.verdict.outcome


@dataclass(frozen=True, slots=True)
class Count:
    """How many mutants of an operator, or of all, came to each state."""

    operator: str
    killed: int
    survived: int
    explained: int
    equivalent: int
    refused: int

    @property
    def whole(self) -> int:
        """All of them."""
        return self.killed + self.survived + self.explained + self.equivalent + self.refused

    @property
    def score(self) -> float:
        """Percent noticed of those that can be; rounded down to a tenth, 100 where there are none."""
        return _percent(self.killed, self.killed + self.survived + self.explained)

    @property
    def unexplained(self) -> float:
        """The same where explained survivors do not count."""
        return _percent(self.killed, self.killed + self.survived)


def _percent(part: int, whole: int) -> float:
    return part * 1000 // whole / 10 if whole else 100.0


def counts(scored: Iterable[Scored]) -> tuple[Count, ...]:
    """The counts of all operators that have any mutants, and of all together as the last."""
    found = tuple(scored)
    by = [_count(name, [each for each in found if each.mutant.operator == name]) for name in OPERATORS]
    return (*(each for each in by if each.whole), _count(ALL, found))


def _count(name: str, scored: Iterable[Scored]) -> Count:
    states = [each.state for each in scored]
    return Count(name, *(states.count(state) for state in STATES))


def explained(
    explanations: Sequence[Reason], mutants: Sequence[Mutant], verdicts: Mapping[Mutant, Verdict]
) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that are explained, with the reasons, and everything wrong with the explanations.

    Mutants are all there are; verdicts are those of the ones that were tried. An explanation is stale where all it
    is about was tried and nothing of it survived.
    """
    left: dict[Mutant, str] = {}
    findings = Findings()
    for each in explanations:
        about = [mutant for mutant in mutants if each.what.text in _names(mutant)]
        survivors = [one for one in about if one in verdicts and verdicts[one].outcome == "survived"]
        left |= dict.fromkeys(survivors, each.because)
        if not about:
            _unknown(each, mutants, findings)
        elif not survivors and all(one in verdicts for one in about):
            became = OUTCOMES[verdicts[about[0]].outcome]
            message = f"{quoted(each.what.text)} is explained, but it is {became}"
            findings.error("RW1063", each.what.place, message, help="take the explanation out")
    return left, tuple(findings.found)


def _unknown(each: Reason, mutants: Sequence[Mutant], findings: Findings) -> None:
    close = did_you_mean(each.what.text, [name for one in mutants for name in _names(one)])
    remedy = close or "`rulewright mutate --list` shows all changes; take this out"
    findings.error("RW1062", each.what.place, f"no change of the rules is called {quoted(each.what.text)}", help=remedy)


def _names(mutant: Mutant) -> Iterator[str]:
    yield mutant.name
    yield mutant.address
    yield f"{mutant.address} {mutant.operator}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which mutants are tried: those that have everything asked for."""

    name: str = ""  # a part of the name, in large or small letters, or empty
    step: str = ""  # the id of a step around them, or empty
    clause: str = ""  # a clause in the margin around them, or empty
    operators: frozenset[str] = frozenset()  # their operators; all where there are none
    sample: int | None = None  # how many of these, drawn at random; none for all
    seed: int = 0  # what the drawing begins with

    def of(self, mutants: Sequence[Mutant]) -> tuple[Mutant, ...]:
        """The wanted among some mutants, in their order."""
        found = [each for each in mutants if self._is_wanted(each)]
        if self.sample is None or self.sample >= len(found):
            return tuple(found)
        drawn = random.Random(self.seed).sample(range(len(found)), self.sample)  # noqa: S311 - no secret
        return tuple(found[each] for each in sorted(drawn))

    def _is_wanted(self, mutant: Mutant) -> bool:
        return (
            self.name.lower() in mutant.name.lower()
            and (not self.step or f"/{self.step}/" in f"/{mutant.address}/")
            and (not self.clause or any(_is(each, self.clause) for each in mutant.cites))
            and (not self.operators or mutant.operator in self.operators)
        )


def _is(cite: str, asked: str) -> bool:
    """Whether a clause in a margin, with or without its document, is the one that is asked for."""
    written = cite.replace(":", ".", 1)
    return asked == written or asked.replace(":", ".", 1).endswith(f".{written}") or written.endswith(f".{asked}")
