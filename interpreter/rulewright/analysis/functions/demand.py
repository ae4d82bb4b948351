"""Functions built when they are first needed."""

from rulewright.analysis.scope import Shapes
from rulewright.program.declarations import Function


def demand(shapes: Shapes, name: str) -> Function | None:
    """The function of a qualified name, built now if it is not yet; none where its body has an error."""
    shapes.parts.demanded(name)
    if name not in shapes.functions and name in shapes.pending:
        shapes.pending[name]()
    return shapes.functions.get(name)
