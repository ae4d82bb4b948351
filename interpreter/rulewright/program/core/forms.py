"""Forms of the core language: statements, expressions, places and spaces of answers.

A core program is a set of routines over one store, the game. Statements are a tree; expressions are pure and stay
nested. Every form bears its origin, the node of the checked program that it was made from, and an expression of the
program is the origin of one form at most; origins and types do not count where forms are compared, so that equal forms
mean the same. `README.md` beside this file says in one page what each
form does; `tests/support/core_interpreter.py` does it.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from rulewright.base.frozen import dataclass
from rulewright.program.types import Type

Origin = Any
"""A node of the checked program: a line, a row, an expression, a step or a declaration; none for what no text says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreNode:
    """Base of all forms."""

    origin: Origin = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RankingType:
    """An order of members in which neighbours may still be tied; only temporaries hold one."""

    member: Type


CoreType = Type | RankingType


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(CoreNode):
    """Base of expressions."""

    type: CoreType = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """A name of one routine.

    Indices of declared variables are those of the program; temporaries follow them.
    """

    index: int
    type: CoreType = field(compare=False, repr=False)
    name: str = field(default="", compare=False)  # of the declared variable; empty for a temporary


Names = tuple[Local | None, ...]
"""Names for the parts of a member, or for the whole member if it is one; none for a part that is not named."""


# The store.


@dataclass(frozen=True, slots=True)
class GameField:
    """A field of the game."""

    name: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, fixed for a play."""

    name: str


@dataclass(frozen=True, slots=True)
class InPlay:
    """The set of the things of a kind in play; it follows from `Gone`."""

    kind: str


@dataclass(frozen=True, slots=True)
class RemovedThings:
    """The set of the things of a kind out of play; it follows from `Gone`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Cells:
    """The set of the cells of a board."""

    board: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a thing."""

    kind: str
    name: str
    thing: "Expression"


@dataclass(frozen=True, slots=True)
class Gone:
    """Whether a thing is out of play."""

    kind: str
    thing: "Expression"


@dataclass(frozen=True, slots=True)
class CellAttribute:
    """An attribute of a cell."""

    board: str
    name: str
    cell: "Expression"


@dataclass(frozen=True, slots=True)
class SideAttribute:
    """An attribute of the side between two cells, in either order."""

    board: str
    name: str
    first: "Expression"
    second: "Expression"


@dataclass(frozen=True, slots=True)
class Pair:
    """Whether a relation holds between two things; read, it does not hold where one of them is out of play."""

    relation: str
    kinds: tuple[str, str]
    symmetric: bool
    first: "Expression"
    second: "Expression"


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a standing rule or an invariant is to be tried; every change of a place that it reads sets it."""

    key: str  # `rule:NAME` or `invariant:NAME`


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a standing rule waits for the end of a call that holds it; of no rule, whether any waits."""

    rule: str


StoreRoot = (
    GameField | Setting | InPlay | RemovedThings | Cells | Attribute | Gone | CellAttribute | SideAttribute | Pair
    | Due | Held
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EntryOf:
    """An entry of a map, of the type."""

    key: "Expression"
    type: CoreType = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ItemOf:
    """A member of a list, of the type, by position from 1."""

    position: "Expression"
    type: CoreType = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PartOf:
    """A part of a record or tuple, of the type, by position from 0."""

    position: int
    type: CoreType = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Place:
    """What a statement writes: a name or a place of the store, or something inside its value.

    The keys of places are names and constants, so that they may be read twice.
    """

    root: Local | StoreRoot
    path: tuple[EntryOf | ItemOf | PartOf, ...]
    root_type: CoreType = field(compare=False, repr=False)

    @property
    def type(self) -> CoreType:
        """Type of the values that the place holds."""
        return self.path[-1].type if self.path else self.root_type


# Expressions.


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A value: number, fraction, flag, word by position, text, none, cell, or a collection of these."""

    value: Any


@dataclass(frozen=True, slots=True)
class Get(Value):
    """The value of a name; none before it is set."""

    local: Local


@dataclass(frozen=True, slots=True)
class Load(Value):
    """The value of a place of the store."""

    root: StoreRoot


@dataclass(frozen=True, slots=True)
class Op(Value):
    """An operation of `operations.OPERATIONS` on values; `facts` are its constants, such as the space of a grid."""

    name: str
    arguments: tuple["Expression", ...]
    facts: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Cond(Value):
    """One of two expressions; only that one is evaluated.

    `a and b` is `Cond(a, b, no)`, `a or b` is `Cond(a, yes, b)`.
    """

    test: "Expression"
    then: "Expression"
    other: "Expression"


@dataclass(frozen=True, slots=True)
class Bind(Value):
    """A value under a name for one expression."""

    local: Local
    value: "Expression"
    body: "Expression"


Gather = Literal["list", "set", "bag", "some", "no", "every", "count", "sum", "least", "greatest", "only"]


@dataclass(frozen=True, slots=True)
class Over(Value):
    """What is gathered of the members of a source for which `where` holds, in order.

    The value is what is gathered of each: a member itself where it is none. `some`, `no` and `every` stop at the first
    member that decides; `least` and `greatest` of no member, and `only` unless there is one, are faults.
    """

    names: Names
    source: "Expression"  # a list, set, bag, deck, the keys of a map, the kept dice of a pool, or poses
    where: "Expression | None"
    gather: Gather
    value: "Expression | None"


@dataclass(frozen=True, slots=True)
class Apply(Value):
    """The result of a pure routine."""

    routine: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Closure(Value):
    """A pure routine with its first arguments, as argument of an operation that calls it."""

    routine: str
    captured: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Wanted(Value):
    """The value of an external term: scripted, answered before, or its default.

    Without any of these the statement that holds it stops for the value and begins anew.
    """

    external: str
    arguments: tuple["Expression", ...]
    default: str | None  # routine of the default


@dataclass(frozen=True, slots=True)
class RollOptionOf:
    """An option of a roll: `keep` and `drop` a number of dice, `explode` at a face at most `bound` times a die."""

    word: str
    best: str
    value: "Expression"
    bound: "Expression | None"


@dataclass(frozen=True, slots=True)
class DiceOf:
    """Equal dice of a roll; with an advantage of n, n more are thrown and the best kept, below 0 the worst."""

    count: "Expression | None"  # none for a single die
    faces: "Expression"  # the list of faces
    model: str  # name of a declared die, or empty
    options: tuple[RollOptionOf, ...]
    called: "Expression | None"
    advantage: "Expression | None"


@dataclass(frozen=True, slots=True)
class RollOf(Value):
    """A roll described: its dice, and options of all of them.

    With members it is thrown for each of them anew, the names bound to the member: the dice of a rank.
    """

    dice: tuple[DiceOf, ...]
    options: tuple[RollOptionOf, ...]
    names: Names = ()
    members: "Expression | None" = None

    @property
    def is_plain(self) -> bool:
        """Whether dice of one sort, whose faces are known, are thrown without options and for no members."""
        (part, *more) = self.dice
        options = more or self.options or part.options or part.called is not None or part.advantage is not None
        return not options and isinstance(part.faces, Const) and self.members is None


Expression = Const | Get | Load | Op | Cond | Bind | Over | Apply | Closure | Wanted | RollOf


# Answers.


@dataclass(frozen=True, slots=True)
class Condition(CoreNode):
    """A condition on an answer, which stands in the name of the result.

    Without `prefer` answers that fail are refused. With it they are refused if some answer meets it of those that
    are left by all conditions without `prefer` and by the conditions before it.
    """

    test: Expression
    prefer: bool


@dataclass(frozen=True, slots=True)
class Policy(CoreNode):
    """What a policy of a player is after: answers of the highest or lowest worth, or none of these."""

    player: str
    word: str
    worth: "Expression | None"  # of an answer, which stands in the name of the result


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that may be answered if its guard holds."""

    value: Const
    guard: Expression | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One of some values."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """A member of a source for which `where` holds; members that are equal are one."""

    names: Names
    source: Expression
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Subsets:
    """A set of members for which `where` holds, from `low` to `high` many."""

    low: Expression
    high: Expression
    names: Names
    source: Expression
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Splits:
    """A map from members to counts from 0 that add up to an amount."""

    amount: Expression
    over: Expression


@dataclass(frozen=True, slots=True)
class Orders:
    """A list of all items in some order."""

    items: Expression


@dataclass(frozen=True, slots=True)
class Poses:
    """A pose of a thing on the plane."""

    thing: Expression


@dataclass(frozen=True, slots=True)
class Headings:
    """An angle for a thing on the plane."""

    thing: Expression


AnswerSpace = Listed | Members | Subsets | Splits | Orders | Poses | Headings


# Statements. A statement evaluates all its expressions before it changes anything.

Block = tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Set(CoreNode):
    """Puts a value into a place.

    Where that changes the game, what reads the place is due, and answered values of external terms are forgotten.
    """

    place: Place
    value: Expression


@dataclass(frozen=True, slots=True)
class If(CoreNode):
    """One of two blocks."""

    test: Expression
    then: Block
    other: Block = ()


@dataclass(frozen=True, slots=True)
class For(CoreNode):
    """A block for each member that a source has on entry."""

    names: Names
    source: Expression
    body: Block
    label: int


@dataclass(frozen=True, slots=True)
class Loop(CoreNode):
    """A block while a test holds before each round; without a test until it is left.

    The bound is read on entry; a round beyond it, for which the test holds, is a fault. Without a bound the lowering
    proves that the loop ends.
    """

    test: Expression | None
    bound: Expression | None
    body: Block
    label: int


@dataclass(frozen=True, slots=True)
class Leave(CoreNode):
    """Ends the round of the loop with the label, or the loop."""

    label: int
    again: bool  # goes on with the next round


@dataclass(frozen=True, slots=True)
class Quiet(CoreNode):
    """A block, and all that it calls, in which nothing settles.

    If it holds back removals, their windows open at its end.
    """

    body: Block
    holds_back: bool


@dataclass(frozen=True, slots=True)
class Jump(CoreNode):
    """Goes on at a step of the same routine; `rounds` counts the jumps of this line in this call."""

    step: int
    bound: Expression | None
    rounds: Local | None


@dataclass(frozen=True, slots=True)
class Call(CoreNode):
    """Runs a routine that may change the game; `nest` bounds how many calls of this line may be open."""

    routine: str
    arguments: tuple[Expression, ...]
    result: Local | None
    nest: Expression | None = None


@dataclass(frozen=True, slots=True)
class Return(CoreNode):
    """Ends the routine with a value."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Unwind(CoreNode):
    """Ends the innermost running call of a procedure, with all that it called; then the state settles."""

    procedure: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Fail(CoreNode):
    """A fault; of a need in the outermost call a refusal. The details are what its text tells."""

    fault: str  # a name of `operations.FAULTS`
    details: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask(CoreNode):
    """Finds the legal answers of a player: takes the only one, runs `none` if there is none, else stops for one.

    `then` runs with the answer. A secret answer is known to its player alone until a note reveals it.
    """

    player: Expression
    space: AnswerSpace
    conditions: tuple[Condition, ...]
    result: Local
    then: Block
    none: Block
    secret: bool = False
    everyone: Local | None = None  # of a question to all, the name of the player
    policies: tuple[Policy, ...] = field(default=(), compare=False)  # laid beside the rules, no part of them
    subject: Expression | None = None  # of a question whether a handler runs, the handler


@dataclass(frozen=True, slots=True)
class Roll(CoreNode):
    """Stops for the faces of dice, again for each explosion; without dice it lands at once.

    The result is the pool, or the die of a roll of a single one; for the members of a rank their sums in order.
    """

    dice: RollOf
    by: Expression | None
    result: Local


@dataclass(frozen=True, slots=True)
class Reroll(CoreNode):
    """Stops for new faces of dice that lie: a die, some dice or a pool; not where there are none."""

    dice: Expression
    by: Expression | None


@dataclass(frozen=True, slots=True)
class Draw(CoreNode):
    """Takes the top of a deck, or a member of what is not empty; stops unless only one can come."""

    place: Place
    result: Local
    learner: Expression | None  # the only player who learns it


@dataclass(frozen=True, slots=True)
class Shuffle(CoreNode):
    """Stops for an order of the members of a place, unless it has less than two."""

    place: Place


@dataclass(frozen=True, slots=True)
class External(CoreNode):
    """Stops for the result of an external procedure, and its changes of the places it may change."""

    name: str
    arguments: tuple[Expression, ...]
    result: Local | None


@dataclass(frozen=True, slots=True)
class Trigger(CoreNode):
    """Tells the watches of running calls, outermost first, then opens the window of the event if it has handlers.

    In a `Quiet` that holds back removals, the event of a removal waits for its end.
    """

    event: str
    arguments: tuple[Expression, ...]
    result: Local | None
    removal: bool


@dataclass(frozen=True, slots=True)
class Settle(CoreNode):
    """Calls the settling, if anything is due and nothing is quiet."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Standing rules that wait."""

    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listening:
    """A block that runs at an event, over the names of the call; its parameters take those of the event."""

    event: str
    parameters: tuple[Local, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class During(CoreNode):
    """What is so from here to the end of the call."""

    effect: Holding | Listening


@dataclass(frozen=True, slots=True)
class Note(CoreNode):
    """An entry of the trace; it changes nothing."""

    entry: str
    values: tuple[Expression, ...] = ()


Statement = (
    Set | If | For | Loop | Leave | Quiet | Jump | Call | Return | Unwind | Fail | Ask | Roll | Reroll | Draw | Shuffle
    | External | Trigger | Settle | During | Note
)  # fmt: skip


# Routines.


@dataclass(frozen=True, slots=True)
class Step(CoreNode):
    """A step of a procedure; passed over if its guard does not hold on arrival."""

    guard: Expression | None
    block: Block


RoutineSort = Literal["procedure", "handler", "rule", "function", "window", "settling"]


@dataclass(frozen=True, slots=True)
class Routine(CoreNode):
    """A block, then steps in order; at the end of the text it returns none.

    A pure routine changes nothing, never stops and does not write the store.
    """

    key: str  # `sort:name`, for a performed range followed by its steps
    sort: RoutineSort
    parameters: tuple[Local, ...]
    locals: tuple[Local, ...]  # all names by index, parameters too
    entry: Block
    steps: tuple[Step, ...]
    result: Type | None = field(compare=False, repr=False)

    @property
    def is_pure(self) -> bool:
        return self.sort == "function"


@dataclass(frozen=True, slots=True)
class CoreProgram:
    """All routines by key.

    `due_keys` says by place of the store (`Kind/name`, `Kind/gone`, `game/name`, `board/name`, a relation) which rules
    and invariants become due when it changes.
    """

    routines: Mapping[str, Routine]
    due_keys: Mapping[str, tuple[str, ...]]
    rules: tuple[str, ...]  # keys of standing rules, in the order in which they are tried
    invariants: tuple[str, ...]
    windows: Mapping[str, str]  # routine of the window by event, if it opens one
    measures: Mapping[str, str]  # routine by measure


SETTLING = "settling:"
"""Key of the routine that fires standing rules until none applies, then judges the invariants."""
JUDGING = "settling:judging"
"""Key of the routine that judges the invariants that are due."""
