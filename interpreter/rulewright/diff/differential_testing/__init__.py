"""How two revisions of a ruleset play: side by side, with the same situations, answers and dice."""

from rulewright.diff.differential_testing.play_comparison import compare_plays

__all__ = ["compare_plays"]
