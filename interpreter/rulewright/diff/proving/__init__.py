"""Proofs by a solver: two versions of a rule as formulas, and whether any situation tells them apart.

What others call, each with a limit of the solver's steps, never of time:

- `apart.prove_functions_equal`: two functions, for all arguments;
- `apart.prove_values_equal`: two expressions at one place of two routines;
- `lines.prove_lines_equal`: two rows of straight lines, by what they leave behind;
- `pairing.prove_declarations_equal`: two functions, or two routines place by place.

All give a `EquivalenceResult`: whether both are proved to be alike, else why not, with `SituationWish`es for situations worth playing. Whose
names are whose is for the caller to say, by a `ProofRevision` for each side. Without the solver the answer is `SOLVER_MISSING`.
"""
