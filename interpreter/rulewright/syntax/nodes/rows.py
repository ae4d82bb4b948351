"""Rows: `id: value when condition "title" : @cites`."""

from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role
from rulewright.base.source import Span
from rulewright.syntax.nodes.expressions import Binder, Expression, MarginCites, Name, OptionalTitle


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Base of rows."""

    name: Name
    span: Span
    title: OptionalTitle = None
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow(Row):
    """A row under `when all:` or `when any:`; also `require`, `prefer`, `enter`, `halt`, `end`."""

    condition: Expression
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow(Row):
    """A line of a tally; change is `plus`, `times`, `becomes`, `at least` or `at most`."""

    change: str
    amount: Expression
    binder: Binder | None = None
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRow(Row):
    """A line of a decide; the guard is none on the `otherwise` row."""

    value: Expression
    guard: Expression | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; sort is `value`, `at least`, `at most` or `any` (then the value is none)."""

    sort: str
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a table: the last cell is the result, or with `across` the results in its order."""

    name: Name | None
    cells: tuple[Cell, ...]
    span: Span
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True)
class Conditions:
    """`when all "title":` or `when any "title":` with rows."""

    mode: str
    rows: tuple[ConditionRow, ...]
    span: Span
    title: OptionalTitle = None
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow(Row):
    """A key of a rank.

    `best` is `highest`, `lowest` or `ask`. With `dice` the key is rolled by `value`, else `value` is the key itself, or
    for `ask` the person asked.
    """

    best: str
    value: Expression
    dice: "Dice | None" = None


@dataclass(frozen=True, slots=True)
class DiceWord:
    """`d6` (count none) or `2d6`."""

    count: int | None
    faces: int
    span: Span


@dataclass(frozen=True, slots=True)
class DiceOf:
    """`n of d6`, `n of battle_die`; one die alone, `battle_die`, has no count."""

    count: Expression | None
    die: "DiceWord | Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class DicePart:
    """A part of a pool in brackets, `block: 2 of d8`, with its own options."""

    name: Expression | None
    dice: DiceWord | DiceOf
    options: tuple["RollOption", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DiceParts:
    """`[1 of d20, 3 of d6 drop lowest 1]`, `[attack: 3 of d6, block: 2 of d8]`."""

    parts: tuple[DicePart, ...]
    span: Span


Dice = DiceWord | DiceOf | DiceParts


@dataclass(frozen=True, slots=True)
class RollOption:
    """An option of a roll."""

    word: str  # `keep`, `drop`, `explode` or `with advantage`
    value: Expression  # number to keep or drop, face that explodes, or net advantage
    span: Span
    best: str = ""  # `highest` or `lowest` for keep and drop, `more` where faces above the one explode too, else empty
    bound: Annotated[Expression | None, Role.PROOF] = None  # for explode, at most how often; none means `without limit`
