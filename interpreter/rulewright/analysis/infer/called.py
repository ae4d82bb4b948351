"""What the rules of the language's functions share: counting arguments, and making the call."""

from collections.abc import Callable

from rulewright.analysis import infer
from rulewright.analysis.infer import numbers
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Builtin, Expression
from rulewright.program.types import Type
from rulewright.syntax.nodes import expressions as nodes

Rule = Callable[[str, nodes.Call, Scope], Expression | None]
"""Types a call of a function by its name, and checks its arguments."""


def takes(name: str, node: nodes.Call, count: int, scope: Scope) -> bool:
    """Whether a call has so many arguments; reports it where it has not (RW0315)."""
    given = len(node.arguments)
    if given == count:
        return True
    counted = {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")
    scope.report.error("RW0315", node.span, f"`{name}` takes {counted}, not {given}")
    return False


def built(name: str, node: nodes.Call, type_: Type, *found: Expression) -> Builtin:
    """The call with its arguments."""
    return Builtin(type=type_, span=node.span, name=name, arguments=found)


def number(name: str, node: nodes.Expression, scope: Scope) -> Expression | None:
    """An argument that must be a number."""
    found = infer.infer(node, scope)
    return found if found is not None and numbers.needs_number(found, f"`{name}`", scope) else None
