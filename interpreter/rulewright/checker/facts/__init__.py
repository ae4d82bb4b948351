"""Facts and proofs: abstract state at a point of the program, and what follows from it (manual, Proofs).

`fact_store` holds facts, `assumption` and `assignments` transform them, `prover` draws conclusions.
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
