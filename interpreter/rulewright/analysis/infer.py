"""Types of expressions: nodes to typed expressions (manual, Expressions)."""

from rulewright.analysis.scope import Scope
from rulewright.program import expressions as typed
from rulewright.program.types import Type
from rulewright.syntax.nodes import expressions as nodes


def infer(node: nodes.Expression, scope: Scope, expected: Type | None = None) -> typed.Expression | None:
    """The typed expression, or none where a diagnostic was reported.

    The expected type tells bare words apart and types `{}`, `[]` and `none`; it is a wish, not a demand: whoever
    needs the type calls `fit` with the result.
    """
    raise NotImplementedError


def bind(node: nodes.Binder, scope: Scope) -> tuple[typed.Binding, Scope] | None:
    """The binding and the scope inside, where its names are seen and its `where` is known."""
    raise NotImplementedError


def condition(node: nodes.Expression, scope: Scope) -> typed.Expression | None:
    """A flag; reports conditions that are always yes or always no here."""
    raise NotImplementedError
