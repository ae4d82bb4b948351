"""Rows of terms, tallies and decides, in declarations and as lines of a procedure."""

from rulewright.analysis.scope import Scope
from rulewright.program import rows as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import Type
from rulewright.syntax.nodes import rows as nodes
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.nodes.names import Cite, Name
from rulewright.program.expressions import Expression as Typed


def condition_rows(
    rows: tuple[nodes.ConditionRow, ...], mode: str, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[typed.ConditionRow, ...]:
    """Rows under `when all` or `when any`; a row knows that those before it did not decide.

    The address is that of the declaration, to which rows add their id; the cites are those of the block around.
    """
    raise NotImplementedError


def tally_rows(
    name: Name, start: Expression, rows: tuple[nodes.TallyRow, ...], scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[Variable, Typed, tuple[typed.TallyRow, ...]] | None:
    """The running value, whose type holds every value on the way, the start and the rows.

    The variable is new in `scope.variables` and is seen by the rows; the caller shows it to what follows.
    """
    raise NotImplementedError


def decide_rows(
    rows: tuple[nodes.DecideRow, ...], gives: Type | None, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[Type, tuple[typed.DecideRow, ...]] | None:
    """The type and rows of a decide; reports cases left open and rows never reached.

    Without `gives` the type is the narrowest for all rows.
    """
    raise NotImplementedError
