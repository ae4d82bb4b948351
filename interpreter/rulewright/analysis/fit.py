"""Values in slots: widening, and the proof a narrow slot needs (manual, Types)."""

from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Expression
from rulewright.program.types import Type


def fit(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    """The expression as a value of the target type.

    Widens silently; narrows a number with a proof, else with a warning and `Narrowed`; reports values that never
    fit. `what` names the slot for messages, such as "`morale`" or "argument `amount`".
    """
    raise NotImplementedError


def widens(source: Type, target: Type) -> bool:
    """Whether every value of the source is one of the target."""
    raise NotImplementedError


def common(first: Type, second: Type) -> Type | None:
    """The narrowest type both widen to, or none where they are unlike."""
    raise NotImplementedError
