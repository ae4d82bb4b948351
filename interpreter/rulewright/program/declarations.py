"""Resolved declarations and the whole program.

Names are those of the main file's view: its own plain, those of a ruleset used `as base` written `base.name`.
Mappings keep the order of declaration.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Address, Clauses, NameOf, NodeLabel, Origin, Role, Words
from rulewright.base.source import Span
from rulewright.program.expressions import Binding, ConditionRow, DecideRow, Expression, TableRow, TallyRow, Variable
from rulewright.program.statements import Block
from rulewright.program.types import INCHES, WrittenType

_MAX_TITLE_WORDS = 4
"""Words of the longest title that is a name; a longer title explains its word. Chosen, not measured."""
_LITERAL_WORDS = frozenset({"none", "yes", "no"})
"""Words that are literals of other types."""


@dataclass(frozen=True, slots=True)
class WordTitles:
    """Names and titles of the words of one list."""

    names: Sequence[str]
    titles: Sequence[str]  # empty where a word has none

    @property
    def display_names(self) -> tuple[str, ...]:
        """Display name of each word: its title where that is a name, else the word.

        A title is a name if it has at most four words and no comma, and no other word of the list is called so.

        >>> WordTitles(["heavy", "mend"], ["Heavy blow", "heals after wounds are dealt"]).display_names
        ('Heavy blow', 'mend')
        """
        spelt = Counter(item.casefold() for item in (*self.names, *self.titles))
        pairs = zip(self.names, self.titles, strict=True)
        return tuple(title if _is_title_name(title, name, spelt) else name for name, title in pairs)

    @property
    def spellings(self) -> Mapping[str, int]:
        """Position of each word by name, and by title where no other word is spelt so."""
        often = Counter(self.titles)
        titles = {title: at for at, title in enumerate(self.titles) if _is_written_title(title) and often[title] == 1}
        return titles | {name: at for at, name in enumerate(self.names)}


def _is_written_title(title: str) -> bool:
    return bool(title.strip()) and title not in _LITERAL_WORDS


def _is_title_name(title: str, word: str, spelt: Mapping[str, int]) -> bool:
    """Whether a title is a unique name in its list; it may be its own word with other capitals."""
    if not _is_written_title(title) or "," in title or len(title.split()) > _MAX_TITLE_WORDS:
        return False
    return spelt[title.casefold()] == 1 + (title.casefold() == word.casefold())


Scope = Annotated[tuple[Variable, ...], Role.SCOPE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Base of declarations; the name is also the address."""

    name: NodeLabel
    title: Words
    cites: Clauses
    span: Span

    @property
    def heading(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a `values` list; the title is empty where none was written."""

    name: str
    title: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class WordList(Declared):
    """A `values` list; the run-time value of a word is its position."""

    words: tuple[Word, ...]

    @property
    def titles(self) -> WordTitles:
        return WordTitles([word.name for word in self.words], [" ".join(word.title.split()) for word in self.words])


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDie(Declared):
    """A declared die: its faces with repetitions, all of one type."""

    face_type: WrittenType
    faces: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A stored attribute, game field or cell attribute; without a start the state must give its value."""

    name: str
    address: Address
    type: WrittenType
    start: Expression | None
    title: Words
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Declared):
    """A kind of things with identity; derived attributes are functions named `Kind/attribute`."""

    plural: str  # name of the set of its things in play
    fields: tuple[Field, ...]  # stored attributes
    derived: tuple[str, ...]  # names of derived attributes
    # how many there are in every play, as an `always` says; none where that is left open
    number: Annotated[int | None, Role.PROOF] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Declared):
    """A record type; also the named results of an external procedure."""

    parts: tuple[Field, ...]
    derived: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Declared):
    """A board of hexes, squares or the plane; side fields belong to pairs of neighbouring cells.

    On the plane, `unit` is that of lengths and `bases` that of plain numbers in bases.
    """

    space: str
    fields: tuple[Field, ...]
    sides: tuple[Field, ...]
    unit: str = INCHES
    bases: str = INCHES


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Declared):
    """A setting: a value fixed per play."""

    type: WrittenType
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Declared):
    """A stored relation; a derived one is a function."""

    parameters: tuple[Variable, Variable]
    symmetric: bool


@dataclass(frozen=True, slots=True)
class Value:
    """Body `means value`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Conditions:
    """Body `when all` or `when any`; evaluation stops at the first row that decides."""

    mode: str
    rows: tuple[ConditionRow, ...]
    title: Words


@dataclass(frozen=True, slots=True)
class Selection:
    """Body `over each … when all`: the set of members for which the rows hold."""

    binding: Binding
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Tally:
    """Body of a tally: a start and rows that change it in order."""

    running: Variable
    start: Expression
    rows: tuple[TallyRow, ...]


@dataclass(frozen=True, slots=True)
class Decide:
    """Body of a decide: the value of the first row whose guard holds."""

    rows: tuple[DecideRow, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Body of a table: the result of the first row whose cells all match the parameters."""

    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRow(ConditionRow):
    """A row of a paths term; the word is `enter`, `halt` or `end`."""

    word: str


@dataclass(frozen=True, slots=True)
class Paths:
    """Body of a paths term: the reachable destinations on a board.

    `cost` is the price of one move, 1 if there is none. In rows `spent` and `moves` include the move under way; in the
    cost itself `spent` is the price of the moves before it.
    """

    board: str
    start: Expression
    left: Variable
    entered: Variable
    spent: Variable
    moves: Variable
    cost: Tally | None
    rows: tuple[PathRow, ...]


Body = Value | Conditions | Selection | Tally | Decide | Table | Paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Declared):
    """A pure function: term, derived attribute, derived relation, tally, decide, table or paths.

    For a derived attribute `owner` is the kind or record and the first parameter is `self`. `variables` lists
    every variable of the body by index, parameters first.
    """

    sort: str
    owner: str
    parameters: tuple[Variable, ...]
    variables: Scope
    type: WrittenType
    body: Body
    symmetric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalProcedure(Declared):
    """A procedure that another text provides; `changes` are state places: `Kind/name`, `Kind/gone` or `game/name`."""

    parameters: tuple[Variable, ...]
    result: WrittenType | None
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTerm(Declared):
    """A pure function that another text provides."""

    parameters: tuple[Variable, ...]
    type: WrittenType
    default: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Declared):
    """A value that reports show after a run."""

    parameters: tuple[Variable, ...]
    variables: Scope
    type: WrittenType
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant(Declared):
    """An `always`; variables are those of its binding and condition."""

    variables: Scope
    binding: Binding | None
    guard: Expression | None
    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Declared):
    """An event: its window for handlers, or without handlers only a report to watches.

    Without holders whoever a handler is for may act.
    """

    parameters: tuple[Variable, ...]
    variables: Scope
    gives: WrittenType | None
    on_removal: bool
    holders: Expression | None
    order: Expression | None
    first_taker: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine(Declared):
    """Base of procedures, handlers and standing rules: all variables by index, parameters first."""

    variables: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler(Routine):
    """The lines of a holder in an event window; first variables: the event's parameters, then the binding's."""

    event: str
    binding: Binding
    guard: Expression | None
    optional: bool
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRule(Routine):
    """A `whenever`."""

    binding: Binding | None
    condition: Expression
    priority: int
    lowers: Expression
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Lines that run at events while a procedure runs; parameters are variables of the procedure, set at the event.

    The block changes only the procedure's names.
    """

    event: Annotated[str, Role.CONTENT, NameOf("event")]
    address: Address
    cites: Clauses
    span: Span
    parameters: tuple[Variable, ...]
    guard: Expression | None
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Need(ConditionRow):
    """A precondition of a procedure; the title is the reason of the refusal."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Standing rules suspended until the procedure ends."""

    address: Address
    rules: tuple[str, ...]
    cites: Clauses
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """A numbered step; skipped if its guard is false on arrival."""

    id: NodeLabel
    address: Address
    title: Words
    cites: Clauses
    span: Span
    guard: Expression | None
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure(Routine):
    """A procedure: opening lines in written order (needs, holds, watches, plain lines), then steps.

    Without steps it has only opening lines. `like` names the procedure it derives from, or is empty. An `inner` one is
    only performed by others, never begun.
    """

    parameters: tuple[Variable, ...]
    defaults: tuple[Expression | None, ...]
    result: WrittenType | None
    opening: tuple[Need | Hold | Watch | Block, ...]
    steps: tuple[Step, ...]
    like: Origin = ""
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """Clauses accounted for without a line; the word is `outside`, `void` or `departs`."""

    word: str
    clauses: tuple[str, ...]
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ruling:
    """A reading of the source chosen by the author: its id and text."""

    id: NodeLabel
    text: Words
    address: Address
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: its short name, the prefix of its clause ids, and its title."""

    name: str
    title: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A checked ruleset with everything it uses, overlays applied.

    `fingerprint` is the SHA-256 of the normalised syntax, in which comments and layout do not count.
    """

    name: str
    title: Words
    revision: str
    fingerprint: Address
    documents: tuple[Document, ...]
    values: Mapping[str, WordList]
    dice: Mapping[str, NamedDie]
    kinds: Mapping[str, Kind]
    records: Mapping[str, Record]
    boards: Mapping[str, Board]
    game: Mapping[str, Field]
    settings: Mapping[str, Setting]
    relations: Mapping[str, Relation]
    functions: Mapping[str, Function]
    external_procedures: Mapping[str, ExternalProcedure]
    external_terms: Mapping[str, ExternalTerm]
    measures: Mapping[str, Measure]
    invariants: Mapping[str, Invariant]
    events: Mapping[str, Event]
    handlers: Mapping[str, Handler]
    rules: Mapping[str, StandingRule]
    procedures: Mapping[str, Procedure]
    accounts: tuple[Account, ...]
    rulings: tuple[Ruling, ...]
