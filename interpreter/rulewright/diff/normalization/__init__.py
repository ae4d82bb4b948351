"""One way of writing what means the same: declarations that are equal in it play alike.

Rewritten is only what holds for every state. Two faults of one play count as the same, whichever is told; which steps
a play goes through, and what they are called, is not play.
"""

from rulewright.diff.normalization.normal_form import NormalForm, Normalizer, StepRanges

__all__ = ["NormalForm", "Normalizer", "StepRanges"]
