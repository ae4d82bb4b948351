"""What came of all mutants."""

from collections.abc import Iterable

from rulewright.frozen import dataclass
from rulewright.mutations.mutant import OPERATORS, Mutant
from rulewright.scoring.verdict import Verdict


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
