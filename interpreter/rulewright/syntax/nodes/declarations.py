"""Declarations and the headers of a file, as written."""

from typing import Annotated

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role
from rulewright.base.source import Span
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes.expressions import Expression, Name, Title
from rulewright.syntax.nodes.statements import (
    Block,
    Cell,
    ConditionRow,
    Conditions,
    DecideRow,
    Option,
    Statement,
    TableRow,
    TallyRow,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Base of declarations: span, head, title and margin."""

    span: Span
    head: Span
    title: e.OptionalTitle = None
    cites: e.MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetHeader(Declared):
    """`ruleset NAME "title" revision "1" edition 2`."""

    name: Name
    revision: Title
    edition: e.WholeNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendsHeader(Declared):
    """`amends NAME revision "1-house" edition 2`; in place of the name the path of a ruleset in another folder."""

    name: Name | Title
    revision: Title
    edition: e.WholeNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenForHeader(Declared):
    """`written for revision "1" fingerprint "…"`: which rules the author of an overlay read."""

    revision: Title
    fingerprint: Title | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentHeader(Declared):
    """`document DOC "title"`."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class UseHeader(Declared):
    """`use "base.rules" as base`."""

    path: Title
    prefix: Name | None = None


Header = RulesetHeader | AmendsHeader | WrittenForHeader | DocumentHeader | UseHeader


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a `values` list."""

    name: Name
    span: Span
    title: e.OptionalTitle = None
    cites: e.MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(Declared):
    """`values Symbol: infantry, cavalry`."""

    name: Name
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Face:
    """`infantry * 2`."""

    value: Expression
    count: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class DieDeclaration(Declared):
    """`die battle_die: infantry * 2, flag`."""

    name: Name
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name: type = default`."""

    name: Name
    type: e.Type
    default: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredField:
    """`name: type = start "title"`; `side` where it belongs between two cells."""

    name: Name
    type: e.Type
    span: Span
    start: Expression | None = None
    title: e.OptionalTitle = None
    cites: e.MarginCites = ()
    side: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedField:
    """`name means value`."""

    name: Name
    value: Expression
    span: Span
    parameters: tuple[Parameter, ...] = ()
    title: e.OptionalTitle = None
    cites: e.MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedConditions:
    """`name when all:` with rows."""

    name: Name
    conditions: Conditions
    span: Span


Field = StoredField | DerivedField | DerivedConditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Declared):
    """`kind Unit, units:`."""

    name: Name
    plural: Name
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Declared):
    """`record Hit:`."""

    name: Name
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Declared):
    """`board field of hex:`; on the plane with the unit of lengths, and that of bases if different."""

    name: Name
    space: Name
    unit: Name | None = None
    bases: Name | None = None
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Declared):
    """`game:`."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Declared):
    """`setting NAME: type = value`; without a type in an amendment that keeps it."""

    name: Name
    type: e.Type | None
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Declared):
    """`measure NAME(params): value`."""

    name: Name
    parameters: tuple[Parameter, ...]
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Declared):
    """`outside`, `void` or `departs` with a reason (the title) and clauses (the cites)."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Term(Declared):
    """`term NAME(params) gives T means value`, `… when all:`, or `… gives T over each x in S when all:`."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type | None = None
    value: Expression | None = None
    over: e.Binder | None = None
    conditions: Conditions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Declared):
    """`relation NAME(a: A, b: B) symmetric`, stored, or derived by a value or conditions."""

    name: Name
    parameters: tuple[Parameter, ...]
    symmetric: bool
    value: Expression | None = None
    conditions: Conditions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally(Declared):
    """`tally NAME(params) from start:`."""

    name: Name
    parameters: tuple[Parameter, ...]
    start: Expression
    rows: tuple[TallyRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Declared):
    """`decide NAME(params) gives T:`."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type
    rows: tuple[DecideRow, ...]


@dataclass(frozen=True, slots=True)
class Across:
    """`across NAME: a | b`."""

    name: Name
    cells: tuple[Cell, ...]
    span: Span
    cites: e.MarginCites = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Declared):
    """`table NAME(params) gives T:`."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type
    rows: tuple[TableRow, ...]
    across: Across | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRow(ConditionRow):
    """`enter`, `halt` or `end` of a paths term; the word says which."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths(Declared):
    """`paths NAME(params) on BOARD from start:`."""

    name: Name
    parameters: tuple[Parameter, ...]
    board: Name
    start: Expression
    costs: tuple[TallyRow, ...]
    rows: tuple[PathRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalProcedure(Declared):
    """`external procedure NAME(params) gives T changes …`; `results` where the result has named parts."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type | None = None
    results: tuple[Parameter, ...] = ()
    changes: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTerm(Declared):
    """`external term NAME(params) gives T default value`."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type
    default: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind(Declared):
    """`bind base.attack_test to dice.attack_test`."""

    external: e.Dotted
    to: e.Dotted


@dataclass(frozen=True, slots=True, kw_only=True)
class Always(Declared):
    """`always NAME for each x in S: condition when C`."""

    name: Name
    condition: Expression
    binder: e.Binder | None = None
    guard: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(Declared):
    """`ruling ID "reading"`."""

    number: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Declared):
    """`event NAME(params) gives T on removal "title":` with `holders` and `order by`."""

    name: Name
    parameters: tuple[Parameter, ...]
    gives: e.Type | None = None
    on_removal: bool = False
    holders: Expression | None = None
    order: Expression | None = None
    first_taker: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler(Declared):
    """`handler NAME for each x in S on EVENT when C optional "title":`."""

    name: Name
    binder: e.Binder
    event: e.Dotted
    block: Block
    guard: Expression | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Whenever(Declared):
    """`whenever NAME for each x in S:` with `when`, `priority`, `lowers` and lines."""

    name: Name
    condition: Expression
    priority: int
    lowers: Annotated[Expression, Role.PROOF]
    block: Block
    binder: e.Binder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(Declared):
    """`hold pile_in`."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement(ConditionRow):
    """`require NAME: condition when C "reason"` at the head of a procedure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Declared):
    """`watch EVENT when C:`."""

    event: e.Dotted
    block: Block
    guard: Expression | None = None


Opening = Requirement | Hold | Watch | Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Declared):
    """`step ID "title" when C:`."""

    name: Name
    guard: Expression | None = None
    block: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure(Declared):
    """`procedure NAME(params) gives T:`; opening and plain lines, then steps. An `inner` one is performed only."""

    name: Name
    parameters: tuple[Parameter, ...]
    opening: tuple[Opening, ...]
    steps: tuple[Step, ...]
    gives: e.Type | None = None
    inner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureLike(Declared):
    """`procedure NAME(params) like BASE(args):` with amendments."""

    name: Name
    parameters: tuple[Parameter, ...]
    base: e.Dotted
    arguments: tuple[e.Argument, ...]
    amendments: tuple["Amendment", ...]
    inner: bool = False


@dataclass(frozen=True, slots=True)
class RowTarget:
    """A row of a tally, decide or table under its address; `+1` without `when` is one of a tally."""

    address: Name
    span: Span
    row: TallyRow | DecideRow | TableRow

    @property
    def cites(self) -> e.MarginCites:
        return self.row.cites


@dataclass(frozen=True, slots=True)
class Target:
    """Any other named part under its address.

    The part is a Step, Option, Demand, Let, Term (value only), Setting, StoredField or Word whose own
    name is the whole address as written.
    """

    address: Name
    span: Span
    part: "Step | Option | ConditionRow | Statement | Term | Setting | StoredField | Word"

    @property
    def cites(self) -> e.MarginCites:
        return self.part.cites


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace(Declared):
    """`replace step …`, `replace row …`."""

    target: RowTarget | Target


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceWhole(Declared):
    """`replace whenever …`: a whole declaration, found by its own name."""

    declaration: "Relation | Tally | Decide | Table | Paths | Event | Handler | Whenever | Procedure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceLine(Declared):
    """`replace line ADDRESS:` with the lines that stand in its place."""

    address: Name
    lines: tuple[Opening, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Declared):
    """`insert after ADDRESS row …`; `where` is `before`, `after`, or empty for appending at the target's address."""

    where: str
    anchor: Name | None
    target: RowTarget | Target


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertLines(Declared):
    """`insert after ADDRESS:` with lines; `where` is `before`, `after` or `into`."""

    where: str
    anchor: Name
    lines: tuple[Opening, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePart(Declared):
    """`remove ADDRESS`."""

    address: Name


Amendment = Replace | ReplaceWhole | ReplaceLine | Insert | InsertLines | RemovePart

Declaration = (
    Values | DieDeclaration | Kind | Record | Board | Game | Setting | Measure | Account | Term | Relation | Tally
    | Decide | Table | Paths | ExternalProcedure | ExternalTerm | Bind | Always | Ruling | Event | Handler | Whenever
    | Procedure | ProcedureLike | Amendment
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class File:
    """A whole text: headers, declarations, and comments, each in order of place."""

    headers: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    comments: tuple[e.Comment, ...]
    span: Span
