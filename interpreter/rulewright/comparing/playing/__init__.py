"""How two revisions of a ruleset play: side by side, with the same situations, answers and dice."""

from rulewright.comparing.playing.comparing import compare_plays

__all__ = ["compare_plays"]
