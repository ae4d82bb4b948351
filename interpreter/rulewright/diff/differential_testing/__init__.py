"""Differential testing: both revisions play from the same situations, with the same answers and dice."""

from rulewright.diff.differential_testing.play_comparison import compare_plays

__all__ = ["compare_plays"]
