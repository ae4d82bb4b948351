"""Semantic diff of two revisions of a ruleset: edits, proofs of equivalence, differential testing, mutation scoring."""
