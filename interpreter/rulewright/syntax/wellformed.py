"""Mistakes that follow the grammar and are mistakes all the same."""

from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic, Edit, Label, Severity
from rulewright.source import Span
from rulewright.syntax.format_expression import format_expression
from rulewright.syntax.nodes.declarations import (
    Always,
    Board,
    Decide,
    DieDeclaration,
    Event,
    ExternalProcedure,
    ExternalTerm,
    File,
    Handler,
    Insert,
    InsertLines,
    Kind,
    Measure,
    Parameter,
    Paths,
    Procedure,
    ProcedureLike,
    Record,
    Relation,
    RemovePart,
    RowTarget,
    Setting,
    Table,
    Tally,
    Target,
    Term,
    Values,
    Whenever,
)
from rulewright.syntax.nodes.expressions import Binary, Binder, Call, Reference
from rulewright.syntax.nodes.names import Name
from rulewright.syntax.nodes.statements import (
    Ask,
    Asked,
    Choose,
    DecideLine,
    Draw,
    Let,
    Order,
    Perform,
    Pick,
    PlaceWhere,
    Rank,
    Roll,
    Split,
    TallyLine,
    Trigger,
    TurnHow,
    Whether,
)
from rulewright.syntax.walk import walk
from rulewright.syntax.words import RESERVED, VERBS

_NAMED = (
    Always, Board, Choose, Decide, DecideLine, DieDeclaration, Draw, Event, ExternalProcedure, ExternalTerm, Handler,
    Kind, Let, Measure, Order, Parameter, Paths, Pick, PlaceWhere, Procedure, ProcedureLike, Rank, Record, Relation,
    Roll, Setting, Split, Table, Tally, TallyLine, Term, TurnHow, Values, Whenever, Whether,
)  # fmt: skip
_COUNTING = frozenset({"count", "sum", "min", "max"})
_SPREADSHEET = {"IF": "if(condition, value, otherwise)", "AND": "a and b", "OR": "a or b", "NOT": "not a"} | {
    "and": "a and b",
    "or": "a or b",
}


def check_nodes(file: File) -> Iterator[Diagnostic]:
    """All of them, in no special order.

    Diagnostics: RW0106 functions spelled as in a spreadsheet, RW0108 reserved names, RW0115 a count without `each`,
    RW0118 demands below other lines, RW0119 addresses of lines without an id.
    """
    for node in walk((file.headers, file.declarations)):
        for name in _bound(node):
            yield from _check_name(name)
        match node:
            case Call():
                yield from _check_call(node)
            case Ask():
                yield from _check_demands(node)
            case RowTarget() | Target() | RemovePart():
                yield from _check_address(node.address)
            case Insert(anchor=Name() as anchor) | InsertLines(anchor=anchor):
                yield from _check_address(anchor)


def _bound(node: object) -> Iterator[Name]:
    """The names that a node gives to something."""
    if isinstance(node, _NAMED):
        yield node.name
    match node:
        case Kind():
            yield node.plural
        case Binder():
            yield from node.names
        case Perform(result=Name() as name) | Trigger(result=Name() as name) | Asked(each_name=Name() as name):
            yield name


def _check_name(name: Name) -> Iterator[Diagnostic]:
    if name.text in RESERVED:
        yield _error("RW0108", f"`{name.text}` belongs to the language", name.span, "take another name")


def _check_call(call: Call) -> Iterator[Diagnostic]:
    match call:
        case Call(function=Reference(name=name, span=span), arguments=[only]) if name in _COUNTING:
            match only.value:
                case Binary(operator="in", left=Reference()) as member:
                    written = f"{name}(each {format_expression(member)})"
                    yield _error("RW0115", f"`{name}` has no `each` here", call.span, f"write `{written}`", written)
        case Call(function=Reference(name=name, span=span)) if name in _SPREADSHEET:
            yield _error("RW0106", f"`{name}` is no function", span, f"write `{_SPREADSHEET[name]}`")


def _check_demands(ask: Ask) -> Iterator[Diagnostic]:
    for demand in ask.demands:
        if ask.block and demand.span.start > ask.block.span.start:
            yield _error(
                "RW0118",
                f"`{demand.word}` rows come first",
                demand.span,
                "move it above the other lines of the question",
            )


def _check_address(address: Name) -> Iterator[Diagnostic]:
    last = address.text.rpartition("/")[2]
    verb = last.partition(".")[0]
    if verb in VERBS and verb != last:
        yield _error(
            "RW0119",
            f"the line `{last}` has no id",
            address.span,
            f"give it one in the base (`name: {verb} …`), or insert beside a line that has one",
        )


def _error(code: str, message: str, span: Span, remedy: str, edit: str = "") -> Diagnostic:
    edits = (Edit(span, edit),) if edit else ()
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, edits=edits)
