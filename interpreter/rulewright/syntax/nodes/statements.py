"""Statements, and rows: `id: value when condition "title" : @cites`."""

from typing import Annotated, Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, list_fields_of_type
from rulewright.base.source import Span
from rulewright.syntax.nodes.expressions import (
    Argument,
    Binder,
    Dotted,
    Expression,
    MarginCites,
    Name,
    OptionalTitle,
    Type,
)

BoundName = Annotated[Name, Role.CHILD]
"""A name that a line binds."""
BoundResult = Annotated[Name | None, Role.CHILD]
"""A name that a line binds to a result, if it is wanted."""
ChangedPlace = Annotated[Expression, Role.CHILD]
"""A place that a line changes."""


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


@dataclass(frozen=True, slots=True)
class Block:
    """Indented lines; the cites are the margin of the line that opens them."""

    lines: tuple["Statement", ...]
    span: Span
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Base of lines."""

    span: Span  # the whole line with its block
    head: Span  # the line itself, from its verb to its last word
    label: Name | None = None  # an id in front, `follow: move …`
    title: OptionalTitle = None
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Line):
    """`let NAME: type = value`."""

    name: BoundName
    type: Type | None = None
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Set(Line):
    """`set place to value`."""

    place: ChangedPlace
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Line):
    """`add [up to] amount to place` or `take [up to] amount from place`; the word is `add` or `take`.

    In `add 3 of token to place` the token is copied.
    """

    word: str
    up_to: bool
    amount: Expression
    place: ChangedPlace
    otherwise: Block | None = None
    copied: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Line):
    """`move thing to cell`."""

    thing: Expression
    destination: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Line):
    """`turn thing to heading`, or `turn thing to face place` with `face` set."""

    thing: Expression
    heading: Expression
    face: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Line):
    """`place thing at spot`."""

    thing: Expression
    spot: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Line):
    """`remove thing`."""

    thing: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Together(Line):
    """`together:`."""

    block: Block


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition and its block, of `if` and `else if`."""

    condition: Expression
    block: Block
    span: Span
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Line):
    """`if … / else if … / else`; the cites of the first branch are those of the line."""

    branches: tuple[Branch, ...]
    otherwise: Block | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """`on value, 2..9, 12+:`; without values `otherwise:`."""

    values: tuple[Expression | Cell, ...]
    block: Block
    span: Span
    cites: MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Line):
    """`match subject:` with cases."""

    subject: Expression
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForEach(Line):
    """`for each x in S where C:`."""

    binder: Binder
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Line):
    """`repeat while condition at most bound:`."""

    condition: Expression
    bound: Annotated[Expression, Role.PROOF]
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(Line):
    """`nothing`, or `nothing "REMARK"`: what a reader may expect here, and is not done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Line):
    """`stop`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceed(Line):
    """`proceed to STEP at most N`."""

    step: Name
    bound: Annotated[Expression | None, Role.PROOF] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(Line):
    """`finish`, `finish with value`, `finish NAME`."""

    procedure: Name | None = None
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Perform(Line):
    """`perform NAME(…) steps A to B at most N deep as RESULT`."""

    procedure: Dotted
    arguments: tuple[Argument, ...]
    steps: tuple[Name, Name] | None = None
    depth: Annotated[Expression | None, Role.PROOF] = None
    result: BoundResult = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger(Line):
    """`trigger NAME(…) as GAINS`."""

    event: Dotted
    arguments: tuple[Argument, ...]
    result: BoundResult = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyLine(Line):
    """`tally NAME from start:` inside a procedure."""

    name: BoundName
    start: Expression
    rows: tuple[TallyRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideLine(Line):
    """`decide NAME:` inside a procedure."""

    name: BoundName
    rows: tuple[DecideRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank(Line):
    """`rank each x in S as NAME:`."""

    binder: Binder
    name: BoundName
    keys: tuple[RankRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll(Line):
    """`roll dice options as NAME by PLAYER`."""

    dice: Dice
    options: tuple[RollOption, ...]
    name: BoundName
    by: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reroll(Line):
    """`reroll dice by PLAYER`."""

    dice: Expression
    by: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Line):
    """`draw from collection as NAME`, or `draw secretly from collection as NAME for PLAYER`."""

    source: ChangedPlace
    name: BoundName
    by: Expression | None = None
    secretly: bool = False
    otherwise: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle(Line):
    """`shuffle deck`."""

    deck: ChangedPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal(Line):
    """`reveal NAME`."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingLine(Line):
    """`ruling ID "reading"`; the title is the reading."""

    number: Name


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked: `who`, `who secretly`, or `all who as each_name`."""

    who: Expression
    span: Span
    secretly: bool = False
    each_name: Name | None = None


@dataclass(frozen=True, slots=True)
class Whether:
    """`whether NAME when C`."""

    name: Name
    guard: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class OneOf:
    """`for x in S where C`."""

    binder: Binder
    span: Span


@dataclass(frozen=True, slots=True)
class Pick:
    """`to pick 0..2 of each w in S where C as NAME`; the size is a number or a range."""

    size: Expression
    binder: Binder
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Split:
    """`to split N over S as NAME`."""

    amount: Expression
    over: Expression
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Order:
    """`to order S as NAME`."""

    items: Expression
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class PlaceWhere:
    """`to place m as NAME`."""

    thing: Expression
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class TurnHow:
    """`to turn u as NAME`."""

    thing: Expression
    name: Name
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """`option NAME when C "title":`."""

    name: Name
    span: Span
    guard: Expression | None = None
    title: OptionalTitle = None
    cites: MarginCites = ()
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class Choose:
    """`to choose NAME:` with options."""

    name: Name
    options: tuple[Option, ...]
    span: Span


Shape = Whether | OneOf | Pick | Split | Order | PlaceWhere | TurnHow | Choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand(ConditionRow):
    """`require NAME: C` or `prefer NAME: C`; the word says which."""

    word: str


@dataclass(frozen=True, slots=True)
class QuestionPolicy:
    """A policy by which a player answers a question automatically, laid beside the rules; no rules text has one."""

    player: str
    word: str
    worth: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Line):
    """`ask WHO SHAPE "question":` with demands, then lines; `else:` after it."""

    asked: Asked
    shape: Shape
    demands: tuple[Demand, ...] = ()
    block: Block | None = None
    otherwise: Block | None = None
    policies: tuple[QuestionPolicy, ...] = ()


Statement = (
    Let | Set | Change | Move | Turn | Place | Remove | Together | If | Match | ForEach | Repeat | Nothing | Stop
    | Proceed | Finish | Perform | Trigger | TallyLine | DecideLine | Rank | Roll | Reroll | Draw | Shuffle | Reveal
    | RulingLine | Ask
)  # fmt: skip

VERB_FORMS = {
    "add": "add amount to place",
    "ask": "ask player …",
    "decide": "decide name:",
    "draw": "draw from collection as name",
    "finish": "finish with value",
    "for": "for each x in collection:",
    "if": "if condition:",
    "let": "let name = value",
    "match": "match value:",
    "move": "move thing to cell",
    "nothing": "nothing",
    "perform": "perform procedure(arguments) as name",
    "place": "place thing at spot",
    "proceed": "proceed to step",
    "rank": "rank each x in collection as name:",
    "remove": "remove thing",
    "repeat": "repeat while condition at most number:",
    "reroll": "reroll dice",
    "reveal": "reveal name",
    "roll": "roll dice as name",
    "ruling": 'ruling id "reading"',
    "set": "set place to value",
    "shuffle": "shuffle deck",
    "stop": "stop",
    "take": "take amount from place",
    "tally": "tally name from value:",
    "together": "together:",
    "trigger": "trigger event(arguments)",
    "turn": "turn thing to direction",
}
"""Verbs of a procedure's lines, each with its form."""


def get_changed_places(node: Any) -> tuple[Expression, ...]:
    """Places that a line changes, in written order; none for other nodes."""
    return tuple(getattr(node, name) for name in list_fields_of_type(type(node), ChangedPlace))
