"""Proofs by a solver: two versions of a rule as formulas, and whether any situation tells them apart.

What others call, each with a limit of the solver's steps, never of time:

- `apart.functions_told_apart`: two functions, for all arguments;
- `apart.values_told_apart`: two expressions at one place of two routines;
- `lines.lines_told_apart`: two rows of straight lines, by what they leave behind;
- `pairing.declarations_told_apart`: two functions, or two routines place by place.

All give a `Told`: whether both are proved to be alike, else why not, with `Wish`es for situations worth playing. Whose
names are whose is for the caller to say, by a `Revision` for each side. Without the solver the answer is `MISSING`.
"""
