"""Equivalence proofs by an SMT solver (Z3): two versions of a rule as formulas over shared symbols.

Entry points, each with a limit of the solver's steps, never of time:

- `equivalence_query.prove_functions_equal`: two functions, for all arguments; - `equivalence_query.prove_values_equal`:
two expressions at one place of two routines; - `symbolic_execution.prove_lines_equal`: two sequences of straight lines,
by the state after them; - `equivalence_walk.prove_declarations_equal`: two functions, or two routines place by place.

All return an `EquivalenceResult`: proved, or why not, with `SituationWish`es for situations worth playing. The caller
maps names by a `ProofRevision` for each side. Without the solver the answer is `SOLVER_MISSING`.
"""
