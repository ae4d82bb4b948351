"""Conclusions from facts: small, predictable, and never a guess (manual, Proofs)."""

from enum import Enum

from rulewright.analysis.knowledge import Facts, Range
from rulewright.program.expressions import Expression


class Proof(Enum):
    """How a proof ends: it always holds, it never holds, or neither could be shown."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def prove(facts: Facts, condition: Expression) -> Proof:
    """Whether the facts decide a condition."""
    raise NotImplementedError


def number_range(facts: Facts, expression: Expression) -> Range:
    """The bounds of a number; an end that is none is open."""
    raise NotImplementedError
