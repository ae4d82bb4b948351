"""What became of each mutant, and what came of all."""

from collections.abc import Iterable

from rulewright.frozen import dataclass
from rulewright.mutations.mutant import OPERATORS, Mutant

OUTCOMES = {
    "killed": "noticed by a scenario",
    "survived": "noticed by none",
    "equivalent": "proved to play the same",
    "refused": "refused by the checker",
}
"""Outcomes with what they mean, in the order of reports."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        outcome: a key of `OUTCOMES`.
        why: of a killed one what the scenario saw, of a refused one the checker's message, of an equivalent one the
            proof; empty of a survivor.
        by: file and name of the scenario that noticed it; empty where none did.
        plays: how many scenarios were played.
    """

    outcome: str
    why: str = ""
    by: tuple[str, str] = ("", "")
    plays: int = 0


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


STATES = ("killed", "survived", "explained", "equivalent", "refused")
"""States in the order of reports."""


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


ALL = "all"


def counts(scored: Iterable[Scored]) -> tuple[Count, ...]:
    """The counts of all operators that have any mutants, and of all together as the last."""
    found = tuple(scored)
    by = [_count(name, [each for each in found if each.mutant.operator == name]) for name in OPERATORS]
    return (*(each for each in by if each.whole), _count(ALL, found))


def _count(name: str, scored: Iterable[Scored]) -> Count:
    states = [each.state for each in scored]
    return Count(name, *(states.count(state) for state in STATES))
