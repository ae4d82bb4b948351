"""Resolved, typed expressions, and the rows of terms, tallies, decides and tables.

Every class of expressions has `type` and `span`. Evaluation goes from left to right, has no side effects, and
short-circuits.
"""

from collections.abc import Callable
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Annotated, Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Address, Clauses, NameOf, NodeLabel, Role, Words
from rulewright.base.source import Span
from rulewright.program.types import ProvenType

KindName = Annotated[str, Role.CONTENT, NameOf("kind")]
AttributeName = Annotated[str, Role.CONTENT, NameOf("attribute", "kind")]
CellAttributeName = Annotated[str, Role.CONTENT, NameOf("cell", "board")]
RelationName = Annotated[str, Role.CONTENT, NameOf("relation")]
ExternalName = Annotated[str, Role.CONTENT, NameOf("external")]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of one routine, identified by its index; names bound by `each` have indices of their own."""

    name: str
    index: int
    type: ProvenType


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """Base of expressions."""

    type: ProvenType
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Typed):
    """A number, fraction, flag, text or `none`."""

    value: int | Fraction | bool | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLiteral(Typed):
    """A word of a `values` list, by its position there from 0."""

    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Local(Typed):
    """A variable; its type here may be narrower than that of the variable."""

    variable: Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Itself(Typed):
    """`self` in a derived attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameField(Typed):
    """A field of `game`."""

    name: Annotated[str, Role.CONTENT, NameOf("field")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue(Typed):
    """A setting, fixed per play."""

    name: Annotated[str, Role.CONTENT, NameOf("setting")]


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlay(Typed):
    """The plural of a kind: the set of its things in play."""

    kind: KindName


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed(Typed):
    """`removed(units)`: the set of things of a kind out of play."""

    kind: KindName


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCells(Typed):
    """The name of a board: the set of its cells."""

    board: Annotated[str, Role.CONTENT, NameOf("board")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAttribute(Typed):
    """A stored attribute of a thing."""

    target: "Expression"
    kind: str
    name: AttributeName


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedAttribute(Typed):
    """A derived attribute of a thing or record: function is its address."""

    target: "Expression"
    function: Annotated[str, Role.CONTENT, NameOf("attribute")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone(Typed):
    """`thing.gone`."""

    target: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAttribute(Typed):
    """An attribute of a cell of a board."""

    target: "Expression"
    board: str
    name: CellAttributeName


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAttribute(Typed):
    """An attribute of the side between two neighbouring cells: `side(a, b).name`."""

    first: "Expression"
    second: "Expression"
    board: str
    name: Annotated[str, Role.CONTENT, NameOf("side", "board")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Typed):
    """A part of a record, a tuple (its name is its number from 1), or of the named results of an external."""

    target: "Expression"
    name: str
    position: Annotated[int, Role.FACT]


@dataclass(frozen=True, slots=True, kw_only=True)
class DieAttribute(Typed):
    """`natural`, `face`, `first`, `rerolls`, `part` or `name` of a die."""

    target: "Expression"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeRecord(Typed):
    """A record with all its parts, in the order of the declaration."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeTuple(Typed):
    """`(a, b)`."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCollection(Typed):
    """`{a, b}` or `[a, b]`, or a map without entries, whose one item is its default; the type says which."""

    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Binding:
    """`x in S where C`; with several variables each member is a tuple taken apart.

    A variable that is none stands for `_`. A map is visited by its keys, in order, entries equal to the default
    left out; a pool by its kept dice.
    """

    variables: tuple[Variable | None, ...]
    source: "Expression"
    where: "Expression | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comprehension(Typed):
    """`{each x in S where C: value}` or `[…]`; the type says which."""

    binding: Binding
    value: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantifier(Typed):
    """`some`, `no` (no body) or `every` (with a body); the word says which."""

    word: str
    binding: Binding
    body: "Expression | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class TheOnly(Typed):
    """`the x in S where C`: a fault unless exactly one member remains."""

    binding: Binding


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Typed):
    """`count`, `sum`, `min` or `max` over members; for count the value is none."""

    word: str
    binding: Binding
    value: "Expression | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Typed):
    """An entry of a map by key, or of a list by position from 1 (out of range is a fault)."""

    target: "Expression"
    key: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFunction(Typed):
    """A term, declared tally, decide, table, paths or derived relation, by its address."""

    function: Annotated[str, Role.CONTENT, NameOf("function")]
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationHolds(Typed):
    """`melee(a, b)` of a stored relation; no where one of them is gone."""

    relation: RelationName
    first: "Expression"
    second: "Expression"
    symmetric: Annotated[bool, Role.FACT] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalValue(Typed):
    """An external term: bound, scripted, or its default."""

    external: ExternalName
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Builtin(Typed):
    """A function of the language, named as in the manual; `relation` is the address of that of `connected`.

    `places` is what a plane function reads besides its arguments, as `Kind/attribute`.
    """

    name: str
    arguments: tuple["Expression", ...]
    relation: str = ""
    places: Annotated[tuple[str, ...], Role.FACT] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneAttribute(Typed):
    """`thing.pose` with the kind of the thing, or a coordinate of a point as a length: `point.x`, `point.y`."""

    target: "Expression"
    name: str
    kind: Annotated[str, Role.FACT] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded(Typed):
    """A number as a length or an angle: rounded to what these hold, an angle brought to 0 and below 360."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional(Typed):
    """`if(condition, a, b)`."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Logical(Typed):
    """`and` or `or`; stops when decided."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(Typed):
    """`not x`."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Typed):
    """`= != < <= > >=` between values of one type."""

    operator: str
    left: "Expression"
    right: "Expression"


COMPARISON_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
"""Functions of the comparison operators, for values and for terms of a solver."""
NEGATED_OPERATORS = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MIRRORED_OPERATORS = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership(Typed):
    """`item in collection`, or `not in` when negated; a map contains the keys of its entries."""

    item: "Expression"
    collection: "Expression"
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Typed):
    """`1..6`: a list of whole numbers; empty when it would descend."""

    low: "Expression"
    high: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Typed):
    """`+ - * /` on numbers; division is exact, by zero a fault."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation(Typed):
    """`-x` on numbers."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(Typed):
    """`+` (joins) or `-` (subtracts) on collections of one sort; on two lists `-` takes each member out once."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed(Typed):
    """A run-time check where a wide value meets a narrow slot: a fault unless the value fits `type`.

    The checker omits it where it has a proof.
    """

    operand: "Expression"


Expression = (
    Literal | WordLiteral | Local | Itself | GameField | SettingValue | InPlay | Removed | BoardCells
    | StoredAttribute | DerivedAttribute | Gone | CellAttribute | SideAttribute | Part | DieAttribute | MakeRecord
    | MakeTuple | MakeCollection | Comprehension | Quantifier | TheOnly | Aggregate | Entry | CallFunction
    | RelationHolds | ExternalValue | Builtin | PlaneAttribute | Rounded | Conditional | Logical | Not | Comparison
    | Membership | Interval | Arithmetic | Negation | Joined | Narrowed
)  # fmt: skip

FunctionValue = CallFunction | DerivedAttribute
"""Expressions that evaluate a function."""
StoredValue = StoredAttribute | GameField | CellAttribute | SideAttribute | Entry | Part
"""Expressions that give what something stores."""
WrittenForm = (
    Literal | WordLiteral | Narrowed | Negation | Rounded | Arithmetic | MakeRecord | MakeTuple | MakeCollection
)
"""Expressions that give a value known before any play, if their parts do."""


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
