"""Resolved rows of terms, tallies, decides and tables."""

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Address, Clauses, NodeLabel, Words
from rulewright.base.source import Span
from rulewright.program.expressions import Binding, Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Base of rows; cites are whole clause ids such as `DOC.60.f`, those of the enclosing line included."""

    id: NodeLabel
    address: Address
    title: Words
    cites: Clauses
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow(Row):
    """A condition; with a false guard the row is skipped."""

    condition: Expression
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow(Row):
    """A change of the running value.

    The change is `plus`, `times`, `becomes`, `at least` or `at most`; with a binding the row applies once for
    each member whose guard holds.
    """

    change: str
    amount: Expression
    binding: Binding | None = None
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRow(Row):
    """A value and its condition; none on the `otherwise` row."""

    value: Expression
    guard: Expression | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Condition on one input: from low to high (either may be open), or one value; all none: any."""

    low: Expression | None = None
    high: Expression | None = None
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow(Row):
    """Cells for the parameters in order, and the result; a two-way table has one such row for each result."""

    cells: tuple[Cell, ...]
    result: Expression
