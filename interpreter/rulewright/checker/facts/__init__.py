"""What is known at a place of the rules, and what follows from it (manual, Proofs).

`knowledge` holds facts, `learn` and `assignments` add to them, `prove_condition` draws conclusions; this module is their face.
"""

from rulewright.checker.facts.assignments import define_by_rows, define_size, define_variable
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import (
    MAX_CHECK_PROOF_STEPS,
    Facts,
    ProofEffort,
    ProofEffortExhausted,
    invalidate_facts,
    merge_facts,
)
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition

__all__ = [
    "MAX_CHECK_PROOF_STEPS",
    "Facts",
    "Proof",
    "ProofEffort",
    "ProofEffortExhausted",
    "assume",
    "compute_number_range",
    "define_by_rows",
    "define_size",
    "define_variable",
    "invalidate_facts",
    "merge_facts",
    "prove_condition",
]
