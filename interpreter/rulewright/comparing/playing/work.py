"""Counted work: what a comparison costs, the same on every machine and by any clock."""

import dataclasses
from time import monotonic

ARGUMENTS, BEGINNING, PLAY, TURN, READING, ORIGIN = 2, 8, 15, 50, 60, 120
"""Charges in lines: a function computed by both revisions, roles given, a play begun by both, a question of both with
its answer, a recorded or found play read again, a situation made."""

HYBRID = 30_000
"""The charge for a revision with some of the edits, checked and compiled."""

WORK = 2_000_000
"""What a comparison may cost where nobody says how much."""


@dataclasses.dataclass
class Work:
    """How much may still be tried.

    A unit is one line that one revision carries out; what else takes time has a fixed charge in the same unit. So the
    same texts, seed and budget end at the same play everywhere.

    Attributes:
        left: units; below zero where the last piece of work was larger than what was left.
        until: a moment of the monotonic clock at which everything ends, or none. What ends there is said to be cut.
        cut: whether that moment came while there was work left.
    """

    left: int
    until: float | None = None
    cut: bool = False

    def spend(self, units: int) -> None:
        """Takes what something cost."""
        self.left -= units

    @property
    def over(self) -> bool:
        """Whether nothing more is to be begun."""
        if self.left > 0 and not self.cut and self.until is not None:
            self.cut = monotonic() > self.until
        return self.left <= 0 or self.cut

    def part(self, units: int) -> "Work":
        """A budget of its own under the same clock; who carries it out says afterwards what it cost."""
        return Work(units, self.until, self.cut)

    def join(self, spent: int, *, cut: bool = False) -> None:
        """Takes what a part cost, and whether the clock cut it."""
        self.left -= spent
        self.cut = self.cut or cut
