"""Resolved, typed lines of a routine."""

from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Address, Clauses, NameOf, NodeLabel, Origin, Role, Words
from rulewright.base.source import Span
from rulewright.program.expressions import (
    AttributeName,
    Binding,
    CellAttributeName,
    ConditionRow,
    DecideRow,
    Expression,
    ExternalName,
    RelationName,
    TallyRow,
    Variable,
)
from rulewright.program.types import PAIRED_FACES, PlaneType, ProvenType, Type, strip_optional

Block = tuple["Statement", ...]
BoundVariable = Annotated[Variable, Role.CHILD]
"""A variable that a line binds."""
BoundResult = Annotated[Variable | None, Role.CHILD]
"""A variable that a line binds to a result, if it is wanted."""
ProcedureName = Annotated[str, Role.CONTENT, NameOf("procedure")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Base of lines; cites are whole clause ids, those inherited from the enclosing block included."""

    address: Address
    cites: Clauses
    span: Span

    @property
    def alternatives(self) -> tuple[Block, ...]:
        """Blocks of which one runs whenever the line does; none where control may pass by all of its blocks."""
        return ()

    @property
    def is_structural(self) -> bool:
        """Whether it does nothing itself, and only declares a name or holds lines together."""
        return False

    @property
    def written_state(self) -> tuple[str, ...]:
        """State that it writes besides its fields that are places, as `program/effects.py` names it."""
        return ()


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """A variable of the routine."""

    variable: Variable

    @property
    def type(self) -> Type:
        return self.variable.type


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """An entry of a map, or of a list by position, held by a name, an attribute or a game field."""

    target: "Place"
    key: Expression
    type: ProvenType


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A part of a record held by another place."""

    target: "Place"
    name: str
    position: Annotated[int, Role.FACT]
    type: ProvenType


@dataclass(frozen=True, slots=True)
class AttributePlace:
    """A stored attribute of a thing."""

    target: Expression
    kind: str
    name: AttributeName
    type: ProvenType


@dataclass(frozen=True, slots=True)
class GamePlace:
    """A field of `game`."""

    name: Annotated[str, Role.CONTENT, NameOf("field")]
    type: ProvenType


@dataclass(frozen=True, slots=True)
class CellPlace:
    """An attribute of a cell."""

    target: Expression
    board: str
    name: CellAttributeName
    type: ProvenType


Place = VariablePlace | EntryPlace | PartPlace | AttributePlace | GamePlace | CellPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Line):
    """Binds a variable; without a value it only declares it."""

    variable: BoundVariable
    value: Expression | None

    @property
    def is_structural(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Line):
    """`set place to value`."""

    place: Place
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAmount(Line):
    """`add` and `take` of a number.

    `up to` saturates at the bounds of the place. Otherwise, without room nothing changes and the otherwise block runs,
    or without one it is a fault.
    """

    place: Place
    amount: Expression
    take: bool
    up_to: bool
    low: Annotated[int | None, Role.EFFECT]
    high: Annotated[int | None, Role.EFFECT]
    otherwise: Block | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMember(Line):
    """`add x to place` and `take x from place` of a set, list, bag or deck."""

    place: Place
    member: Expression
    take: bool
    otherwise: Block | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPair(Line):
    """`add (a, b) to relation` and `take (a, b) from relation`."""

    relation: RelationName
    first: Expression
    second: Expression
    take: bool

    @property
    def written_state(self) -> tuple[str, ...]:
        return (self.relation,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Line):
    """`move thing to cell`."""

    thing: Expression
    kind: Annotated[str, Role.FACT]
    destination: Expression

    @property
    def written_state(self) -> tuple[str, ...]:
        return (f"{self.kind}/at",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Line):
    """`turn thing to heading`; with `face` the heading is a cell to look at."""

    thing: Expression
    kind: Annotated[str, Role.FACT]
    heading: Expression
    face: bool

    @property
    def written_state(self) -> tuple[str, ...]:
        return (f"{self.kind}/facing",)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceThing(Line):
    """`place thing at spot`; the spot may be none."""

    thing: Expression
    kind: Annotated[str, Role.FACT]
    spot: Expression

    @property
    def written_state(self) -> tuple[str, ...]:
        return (
            (f"{self.kind}/at", f"{self.kind}/facing")
            if strip_optional(self.spot.type) == PlaneType("pose")
            else (f"{self.kind}/at",)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Line):
    """`remove thing`; events are those `on removal` of its kind, triggered right after."""

    thing: Expression
    kind: Annotated[str, Role.FACT]
    events: Annotated[tuple[str, ...], Role.FACT]

    @property
    def written_state(self) -> tuple[str, ...]:
        return (f"{self.kind}/gone",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Together(Line):
    """`together`: standing rules do not settle between its lines."""

    block: Block

    @property
    def alternatives(self) -> tuple[Block, ...]:
        return (self.block,)

    @property
    def is_structural(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition and its block."""

    condition: Expression
    block: Block
    cites: Clauses
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Line):
    """`if`, `else if`, `else`."""

    branches: tuple[Branch, ...]
    otherwise: Block | None

    @property
    def alternatives(self) -> tuple[Block, ...]:
        return (*(branch.block for branch in self.branches), self.otherwise or ())


@dataclass(frozen=True, slots=True)
class Case:
    """`on a, 2..9:`, whose values are words or literals, all numbers of a range; without values `otherwise:`."""

    values: tuple[Expression, ...]
    block: Block
    cites: Clauses
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Line):
    """`match`; the cases cover every value."""

    subject: Expression
    cases: tuple[Case, ...]

    @property
    def alternatives(self) -> tuple[Block, ...]:
        return tuple(case.block for case in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForEach(Line):
    """`for each`: members as on entry; skipped if gone since, or if `where` fails at their turn."""

    binding: Binding
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Line):
    """`repeat while`: the bound is read on entry; a fault when the condition still holds at the bound."""

    condition: Expression
    bound: Expression
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(Line):
    """No effect; a remark tells readers what is not done here."""

    remark: Words = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Line):
    """Leaves the innermost loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceed(Line):
    """Jump to a step of the same procedure; upwards with a bound on the jumps of this line."""

    step: str
    bound: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(Line):
    """Ends the routine in whose text it stands, with its result if it gives one."""

    value: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishOuter(Line):
    """Ends the innermost running call of a procedure, with everything it called; then the state settles."""

    procedure: ProcedureName
    value: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Perform(Line):
    """Calls a procedure."""

    procedure: ProcedureName
    arguments: tuple[Expression, ...]  # in the order of its parameters, defaults filled in
    steps: tuple[str, str] | None  # first and last step of a range
    depth: Expression | None  # bound on the nesting of this line
    result: BoundResult  # variable of the result


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformExternal(Line):
    """Requests the result of an external procedure that is not bound."""

    external: ExternalName
    arguments: tuple[Expression, ...]
    result: BoundResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger(Line):
    """Opens the window of an event; the result is the list of its handlers' results."""

    event: Annotated[str, Role.CONTENT, NameOf("event")]
    arguments: tuple[Expression, ...]
    result: BoundResult


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyLine(Line):
    """Evaluates a tally once."""

    variable: BoundVariable
    start: Expression
    rows: tuple[TallyRow, ...]
    title: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideLine(Line):
    """Evaluates a decide: the first row whose guard holds."""

    variable: BoundVariable
    rows: tuple[DecideRow, ...]
    title: Words


@dataclass(frozen=True, slots=True)
class RankKey:
    """Sort key of a rank: `best` is `highest`, `lowest` or `ask`.

    With dice, the parts of a roll, the key is rolled by the player `value`; with `ask`, `value` is the player asked.
    """

    id: NodeLabel
    address: Address
    best: str
    value: Expression
    dice: "tuple[Dice, ...] | None"
    cites: Clauses
    span: Span
    title: Words

    @property
    def requests(self) -> bool:
        """Whether it needs a roll or an answer."""
        return self.dice is not None or self.best == "ask"

    @property
    def demands(self) -> tuple["Demand", ...]:
        """Always empty: any order of the members is a legal answer."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank(Line):
    """Sorts members into a list by keys."""

    variable: BoundVariable
    binding: Binding
    keys: tuple[RankKey, ...]


@dataclass(frozen=True, slots=True)
class NumberedDie:
    """A die with faces 1 to n."""

    faces: int


@dataclass(frozen=True, slots=True)
class PairedDie:
    """`d66`: one number read from two six-sided dice, tens and units."""


@dataclass(frozen=True, slots=True)
class ComputedDie:
    """A die with faces from 1 to a number evaluated at the roll, at most `most`."""

    faces: Expression
    most: int


@dataclass(frozen=True, slots=True)
class NamedDie:
    """A declared die."""

    name: Annotated[str, Role.CONTENT, NameOf("die")]


Die = NumberedDie | PairedDie | ComputedDie | NamedDie


@dataclass(frozen=True, slots=True)
class RollOption:
    """An option of a roll; if `best` of `explode` is `more`, higher faces explode too."""

    word: str  # of `ROLL_OPTIONS` in `program/roll_options.py`
    value: Expression
    best: str
    bound: Expression | None  # of `explode`, how often one die does; none: without limit


def get_die_name(faces: tuple[object, ...], declared: str) -> str:
    """Name of a die by its faces: as declared, else `d6`; `d66` for tens and units."""
    if declared or faces == PAIRED_FACES:
        return declared or f"d{PAIRED_FACES[-1]}"
    return f"die({len(faces)})" if len(faces) == PAIRED_FACES[-1] else f"d{len(faces)}"


@dataclass(frozen=True, slots=True)
class Dice:
    """A part of a roll, and its name.

    The count is none for a single die; a roll of it alone is a die, not a pool. With an advantage of n, n more dice are
    rolled and the best kept, below 0 the worst.
    """

    count: Expression | None
    die: Die
    options: tuple[RollOption, ...]
    part: Expression | None = None
    advantage: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll(Line):
    """Rolls dice into a variable; options of the whole roll stand beside those of its parts."""

    variable: BoundVariable
    parts: tuple[Dice, ...]
    options: tuple[RollOption, ...]
    by: Expression | None

    @property
    def is_plain(self) -> bool:
        """Whether dice of one sort are rolled without options."""
        (part, *more) = self.parts
        options = more or self.options or part.options or part.part is not None or part.advantage is not None
        return not options and not isinstance(part.die, ComputedDie)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reroll(Line):
    """Rolls a die, some dice or a pool again, in place."""

    dice: Expression
    by: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Line):
    """Removes a random member of a collection, or the top of a deck."""

    place: Place
    variable: BoundVariable
    learner: Expression | None  # the only player who learns it; none: all do
    otherwise: Block | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle(Line):
    """Mixes a deck."""

    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal(Line):
    """Shows a secret answer, or what was drawn in secret."""

    variable: Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(Line):
    """A reading of the source that applies here."""

    number: str
    text: Words


@dataclass(frozen=True, slots=True)
class Whether:
    """A flag; no, unasked, when the guard is false."""

    guard: Expression | None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One member of a source; the binding's variable is the answer's."""

    binding: Binding


@dataclass(frozen=True, slots=True)
class Pick:
    """A subset with a size from low to high; the answer is a set."""

    low: Expression
    high: Expression
    binding: Binding


@dataclass(frozen=True, slots=True)
class Split:
    """A map from the members of `over` to counts that add up to the amount."""

    amount: Expression
    over: Expression


@dataclass(frozen=True, slots=True)
class Order:
    """A permutation of all items, as a list."""

    items: Expression


@dataclass(frozen=True, slots=True)
class PlaceWhere:
    """A pose on the plane for a thing."""

    thing: Expression


@dataclass(frozen=True, slots=True)
class TurnHow:
    """A direction for a thing, or on the plane an angle."""

    thing: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A named option, its guard, and its block; the answer is its name as text."""

    id: NodeLabel
    address: Address
    title: Words
    cites: Clauses
    span: Span
    guard: Expression | None
    block: Block


@dataclass(frozen=True, slots=True)
class Choose:
    """One of the options, whose block then runs."""

    options: tuple[Option, ...]


Shape = Whether | OneOf | Pick | Split | Order | PlaceWhere | TurnHow | Choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand(ConditionRow):
    """`require` rejects answers; `prefer` keeps only answers that satisfy it, if any does."""

    prefer: bool = False


@dataclass(frozen=True, slots=True)
class QuestionPolicy:
    """A policy by which a player answers a question automatically; laid beside the rules, no part of them."""

    player: Origin  # player id
    word: Origin  # `highest` or `lowest`, with what it is judged by; `first` or `random` without
    worth: Expression | None  # value of an answer, with the variable set to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Line):
    """Asks a player."""

    who: Expression
    shape: Shape
    variable: BoundVariable  # variable of the answer
    prompt: Words  # the question; the line's own name in words where none was written
    demands: tuple[Demand, ...]  # judged on the whole answer, with the variable set to it
    block: Block  # runs with the answer, of `whether` with yes; empty for `choose`, whose options have their own
    otherwise: Block | None  # runs when there is no legal answer, or `whether` is declined or not asked
    secret: bool = False  # hidden from others until revealed, or until the last of all has answered
    everyone: Variable | None = None  # of a question to all, the variable that stands for each player in turn
    policies: tuple[QuestionPolicy, ...] = ()  # of players who answer by one, each player once

    @property
    def question(self) -> "Ask":
        """What each player is asked, as of a question to all."""
        return self

    @property
    def alternatives(self) -> tuple[Block, ...]:
        chosen = [option.block for option in self.shape.options] if isinstance(self.shape, Choose) else [self.block]
        declined = [] if self.otherwise is None and not isinstance(self.shape, Whether) else [self.otherwise or ()]
        return (*chosen, *declined)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAll(Line):
    """Asks several players at once."""

    players: Binding  # those asked, in the order of players, and the variable that stands for each
    question: Ask  # what each is asked; its variable holds the answer of that player
    answers: BoundVariable  # the map from player to answer, set when the last is in; it has no default


Statement = (
    Let | Assign | AddAmount | AddMember | AddPair | Move | Turn | PlaceThing | Remove | Together | If | Match
    | ForEach | Repeat | Nothing | Stop | Proceed | Finish | FinishOuter | Perform | PerformExternal | Trigger
    | TallyLine | DecideLine | Rank | Roll | Reroll | Draw | Shuffle | Reveal | Ruling | Ask | AskAll
)  # fmt: skip

EndLine = Finish | FinishOuter
"""Lines that end a routine."""
ExitLine = Proceed | EndLine | Stop
"""Lines that control never passes."""
LoopLine = ForEach | Repeat
AddLine = AddAmount | AddMember
"""Lines that change a place by something, with an `else` for where that is impossible."""
OverwritingLine = Assign | Move | Turn | PlaceThing
"""Lines after which nothing is left of what stood there before."""
QuestionLine = Ask | AskAll
ChanceLine = Roll | Reroll | Draw | Shuffle
"""Lines that dice or cards decide."""
RowsLine = TallyLine | DecideLine
"""Lines that evaluate a table of rows once."""
CallLine = Perform | PerformExternal | Trigger
"""Lines by which something declared is carried out, with arguments."""


def is_bare_nothing(node: object) -> bool:
    """Whether a node is `nothing` without a remark, of which there is nothing to tell."""
    return isinstance(node, Nothing) and not node.remark


def does_nothing(block: Block) -> bool:
    """Whether a block has rulings at most, perhaps under conditions; a remark is something to tell."""
    return all(
        isinstance(line, Ruling)
        or is_bare_nothing(line)
        or (isinstance(line, If) and all(map(does_nothing, line.alternatives)))
        for line in block
    )
