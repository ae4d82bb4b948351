"""Proofs by a solver: two versions of a rule as formulas, and whether any situation tells them apart."""
