"""All checks on one finished routine."""

from rulewright.analysis.scope import Scope
from rulewright.program.declarations import Handler, Procedure, StandingRule


def check(routine: Procedure | Handler | StandingRule, scope: Scope) -> None:
    """Reports what is wrong with the ways through a routine."""
