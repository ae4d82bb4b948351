"""How facts are learnt from conditions and assignments (manual, Proofs)."""

from rulewright.analysis.knowledge import Facts
from rulewright.program.expressions import Expression, Variable


def assume(facts: Facts, condition: Expression, truth: bool) -> Facts:  # noqa: FBT001
    """What is known in the lines after a condition was found true or false.

    That an attribute is not `none` is known for one expression or row only, so it is not learnt here: see `suppose`.
    """
    raise NotImplementedError


def suppose(facts: Facts, condition: Expression, truth: bool) -> Facts:  # noqa: FBT001
    """What is known in the rest of the same expression or row."""
    raise NotImplementedError


def define(facts: Facts, variable: Variable, value: Expression) -> Facts:
    """What is known after a name was given a value; what was known of the name is forgotten."""
    raise NotImplementedError
