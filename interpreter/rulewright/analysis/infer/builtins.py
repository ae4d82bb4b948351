"""Calls of the language's own functions: a rule for each that types it and checks its arguments."""

from rulewright.analysis.infer import of_cells, of_collections, of_numbers
from rulewright.analysis.infer import plane as infer_plane
from rulewright.analysis.infer.called import Rule
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Expression
from rulewright.program.types import Type
from rulewright.syntax.nodes import expressions as nodes


def call(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """A call of a function of the language."""
    for argument in node.arguments:
        if argument.name is not None:
            message = f"the arguments of `{name}` have no names"
            scope.report.error("RW0316", argument.name.span, message, help="leave out the name and its `:`")
            return None
    if name == "distance" and infer_plane.is_on(node, scope):
        return infer_plane.DISTANCE(name, node, scope)
    if name == "along":
        return of_numbers.along(node, scope, expected)
    if name == "occupants":
        return of_cells.occupants(node, scope, expected)
    return RULES[name](name, node, scope)


RULES: dict[str, Rule] = {
    **of_numbers.RULES,
    **of_collections.RULES,
    "along": lambda _, node, scope: of_numbers.along(node, scope, None),
    **of_cells.RULES,
    "occupants": lambda _, node, scope: of_cells.occupants(node, scope, None),
    **infer_plane.RULES,
}
