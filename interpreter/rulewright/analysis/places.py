"""Places that lines can change."""

from rulewright.analysis.scope import Scope
from rulewright.program.statements import Place
from rulewright.program.types import Type
from rulewright.syntax.nodes.expressions import Expression


def place(node: Expression, scope: Scope) -> Place | None:
    """What `set`, `add`, `take`, `draw` and `shuffle` change; reports values that cannot be changed."""
    raise NotImplementedError


def type_of(changed: Place) -> Type:
    """The type of the values a place can hold."""
    raise NotImplementedError


def written(changed: Place) -> frozenset[str]:
    """What is written when the place changes, in the notation of `forget`."""
    raise NotImplementedError
