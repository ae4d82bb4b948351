"""Functions built when they are first needed."""

from rulewright.analysis.scope import Shapes
from rulewright.program.declarations import Function


def demand(shapes: Shapes, name: str) -> Function | None:
    """The function of a qualified name, built now if it is not yet; none where its body has an error."""
    build = shapes.pending.get(name)
    if build is not None:
        build()
    return shapes.functions.get(name)
