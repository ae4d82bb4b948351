"""Which mutants are tried."""

import random
from collections.abc import Sequence

from rulewright.frozen import dataclass
from rulewright.mutations.mutant import Mutant


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which mutants are tried: those that have everything asked for.

    Attributes:
        name: a part of the name, in large or small letters, or empty.
        step: the id of a step around them, or empty.
        clause: a clause in the margin around them, or empty.
        operators: their operators; all where there are none.
        sample: how many of these, drawn at random; none for all.
        seed: what the drawing begins with.
    """

    name: str = ""
    step: str = ""
    clause: str = ""
    operators: frozenset[str] = frozenset()
    sample: int | None = None
    seed: int = 0

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
            and (not self.step or self.step == mutant.address or self.step in mutant.address.split("/"))
            and (not self.clause or any(_is(each, self.clause) for each in mutant.cites))
            and (not self.operators or mutant.operator in self.operators)
        )


def _is(cite: str, asked: str) -> bool:
    """Whether a clause in a margin, with or without its document, is the one that is asked for."""
    written = cite.replace(":", ".", 1)
    return asked == written or asked.replace(":", ".", 1).endswith(f".{written}") or written.endswith(f".{asked}")
