"""Normal forms of declarations: declarations with equal normal forms play alike.

Only rewrites that hold in every state are made. Two faults of one play count as the same, whichever is reported; names
and the division into steps are not play.
"""

from rulewright.diff.normalization.normal_form import NormalForm, Normalizer, StepRanges

__all__ = ["NormalForm", "Normalizer", "StepRanges"]
