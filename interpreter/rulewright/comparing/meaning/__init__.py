"""One way of writing what means the same: programs that are equal in it play alike.

Rewritten is only what holds for every state: the sense of comparisons and negations, the order of operands where
neither can fail or ask, whole numbers against constants, the shape of branches, and terms that one revision only has.
Two faults of one line count as the same, whichever is told.
"""

from rulewright.comparing.meaning.lines import canonical

__all__ = ["canonical"]
