"""What is known at a place of the rules, and what follows from it (manual, Proofs).

`knowledge` holds facts, `learn` and `assignments` add to them, `prove` draws conclusions; this module is their face.
"""

from rulewright.analysis.facts.assignments import define, define_one_of, sized
from rulewright.analysis.facts.knowledge import MOST_EFFORT, Effort, Exhausted, Facts, forget, merge
from rulewright.analysis.facts.learn import suppose
from rulewright.analysis.facts.prove import Proof, number_range, prove

__all__ = [
    "MOST_EFFORT",
    "Effort",
    "Exhausted",
    "Facts",
    "Proof",
    "define",
    "define_one_of",
    "forget",
    "merge",
    "number_range",
    "prove",
    "sized",
    "suppose",
]
