"""Resolved declarations and the whole program.

Names are those of the main file's view: its own plain, those of a ruleset used `as base` written `base.name`.
Mappings keep the order of declaration.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Address, Clauses, NodeLabel, Origin, Role, Words
from rulewright.base.source import Span
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.rows import ConditionRow, DecideRow, TableRow, TallyRow
from rulewright.program.statements import Block
from rulewright.program.types import INCHES, WrittenType

_MAX_TITLE_WORDS = 4
"""A longer title explains its word; a shorter one is another name of it."""
_LITERAL_WORDS = frozenset({"none", "yes", "no"})
"""How other values are written."""


@dataclass(frozen=True, slots=True)
class WordTitles:
    """How the words of one list are called and written."""

    names: Sequence[str]  # of the words, in order
    titles: Sequence[str]  # of each, empty where it has none

    @property
    def display_names(self) -> tuple[str, ...]:
        """What people call each word: its title where that is a name, else the word itself.

        A title is a name if it has at most four words and no comma, and no other word of the list is called so.

        >>> WordTitles(["heavy", "mend"], ["Heavy blow", "heals after wounds are dealt"]).called
        ('Heavy blow', 'mend')
        """
        spelt = Counter(item.casefold() for item in (*self.names, *self.titles))
        pairs = zip(self.names, self.titles, strict=True)
        return tuple(title if _is_title_name(title, name, spelt) else name for name, title in pairs)

    @property
    def spellings(self) -> Mapping[str, int]:
        """The position of a word by its name, and by its title where no other word is written so."""
        often = Counter(self.titles)
        titles = {title: at for at, title in enumerate(self.titles) if _is_written_title(title) and often[title] == 1}
        return titles | {name: at for at, name in enumerate(self.names)}


def _is_written_title(title: str) -> bool:
    return bool(title.strip()) and title not in _LITERAL_WORDS


def _is_title_name(title: str, word: str, spelt: Mapping[str, int]) -> bool:
    """Whether a title is a name that nothing else in the list has; it may be its own word with other capitals."""
    if not _is_written_title(title) or "," in title or len(title.split()) > _MAX_TITLE_WORDS:
        return False
    return spelt[title.casefold()] == 1 + (title.casefold() == word.casefold())


Scope = Annotated[tuple[Variable, ...], Role.SCOPE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What all declarations share; the name is also the address."""

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
    """A word of a list; the title is empty where none was written."""

    name: str
    title: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class WordList(Declared):
    """A `values` list; a word's position is its run-time value."""

    words: tuple[Word, ...]

    @property
    def titles(self) -> WordTitles:
        """How its words are called and written."""
        return WordTitles([word.name for word in self.words], [" ".join(word.title.split()) for word in self.words])


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDie(Declared):
    """A declared die: every face once for each time it occurs, all of one type."""

    face_type: WrittenType
    faces: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A stored attribute, game field or cell attribute; the start is none where the state must give it."""

    name: str
    address: Address
    type: WrittenType
    start: Expression | None
    title: Words
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Declared):
    """Things with identity; derived attributes are functions named `Kind/attribute`."""

    plural: str  # the name of the set of those in play
    fields: tuple[Field, ...]  # what is stored of each
    derived: tuple[str, ...]  # what is worked out of each
    # how many there are in every play, as an `always` says; none where that is left open
    number: Annotated[int | None, Role.PROOF] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Declared):
    """A value made of parts; also the named results of an external."""

    parts: tuple[Field, ...]
    derived: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Declared):
    """A board of hexes, squares or the plane; side fields lie between two cells.

    On the plane lengths are counted in the unit; numbers that stand alone in bases are of theirs.
    """

    space: str
    fields: tuple[Field, ...]
    sides: tuple[Field, ...]
    unit: str = INCHES
    bases: str = INCHES


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Declared):
    """A reading fixed per play."""

    type: WrittenType
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Declared):
    """A stored relation; a derived one is a function."""

    parameters: tuple[Variable, Variable]
    symmetric: bool


@dataclass(frozen=True, slots=True)
class Value:
    """The body of `means`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Conditions:
    """The body of `when all` or `when any`; judging stops at the first row that decides."""

    mode: str
    rows: tuple[ConditionRow, ...]
    title: Words


@dataclass(frozen=True, slots=True)
class Selection:
    """The body of `over each … when all`: the members for which the rows hold."""

    binding: Binding
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Tally:
    """The body of a tally."""

    running: Variable
    start: Expression
    rows: tuple[TallyRow, ...]


@dataclass(frozen=True, slots=True)
class Decide:
    """The body of a decide: the first row whose guard holds."""

    rows: tuple[DecideRow, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The body of a table: the first row whose cells all match the parameters."""

    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRow(ConditionRow):
    """`enter`, `halt` or `end`; the word says which."""

    word: str


@dataclass(frozen=True, slots=True)
class Paths:
    """The body of a paths term: the destinations on a board.

    `cost` is what one move costs, 1 where there is none. `spent` and `moves` count the move under way, but in the
    cost itself `spent` is what the moves before it cost.
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
    """Anything computed from arguments: term, derived attribute, derived relation, tally, decide, table, paths.

    For a derived attribute `owner` is the kind or record and the first parameter is `self`. `variables` lists
    every variable of the body, parameters first, by index.
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
    """A procedure of another text; changed attributes as `Kind/name`, `Kind/gone` or `game/name`."""

    parameters: tuple[Variable, ...]
    result: WrittenType | None
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTerm(Declared):
    """A pure function of another text."""

    parameters: tuple[Variable, ...]
    type: WrittenType
    default: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Declared):
    """A value that reports ask for after a run."""

    parameters: tuple[Variable, ...]
    variables: Scope
    type: WrittenType
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant(Declared):
    """An `always`; variables are those of its binding and inside."""

    variables: Scope
    binding: Binding | None
    guard: Expression | None
    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Declared):
    """A window, or without holders only a report for watches."""

    parameters: tuple[Variable, ...]
    variables: Scope
    gives: WrittenType | None
    on_removal: bool
    holders: Expression | None
    order: Expression | None
    first_taker: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine(Declared):
    """What procedures, handlers and standing rules share: every variable, by index, parameters first."""

    variables: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler(Routine):
    """What a holder does in a window; the first variables are the event's parameters, then the binding's."""

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
    """Books kept while a procedure runs; parameters are variables of the procedure, filled when told.

    The block changes only the procedure's names.
    """

    event: str
    address: Address
    cites: Clauses
    span: Span
    parameters: tuple[Variable, ...]
    guard: Expression | None
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Need(ConditionRow):
    """An opening condition; the title is the reason of the refusal."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Standing rules that wait until the procedure ends."""

    address: Address
    rules: tuple[str, ...]
    cites: Clauses
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """A numbered step; a step whose guard is false on arrival is passed over."""

    id: NodeLabel
    address: Address
    title: Words
    cites: Clauses
    span: Span
    guard: Expression | None
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure(Routine):
    """A procedure: opening lines as written (needs, holds, watches and plain lines mixed), then steps.

    A procedure without steps has only opening lines. `like` names the one it is derived from, or is empty. An `inner`
    one is only performed by others, never begun.
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
    """Clauses answered for without a line: word is outside, void or departs."""

    word: str
    clauses: tuple[str, ...]
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ruling:
    """A reading chosen once: its number and what it says; address of its line or the file's."""

    id: NodeLabel
    text: Words
    address: Address
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: its short name, which begins every clause id, and its title."""

    name: str
    title: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A checked ruleset with everything it uses, overlays applied.

    `fingerprint` is the SHA-256 of the normalised syntax (comments and layout do not count).
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
