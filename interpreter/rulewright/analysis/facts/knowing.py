"""What is known of the values of names and attributes where they are read."""

from dataclasses import replace
from typing import TypeVar

from rulewright.analysis.facts.keys import NONE, equal, key
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Expression, Typed
from rulewright.program.types import OptionalType

_E = TypeVar("_E", bound=Typed)


def known(expression: _E, scope: Scope) -> _E:
    """The expression, of type `T` instead of `T?` where it is known not to be none."""
    if isinstance(expression.type, OptionalType) and not _may_be_none(expression, scope):  # type: ignore[arg-type]
        return replace(expression, type=expression.type.inner)
    return expression


def _may_be_none(expression: Expression, scope: Scope) -> bool:
    found = scope.facts.truths.get(equal(key(expression), NONE))
    return found is None or found[0]
