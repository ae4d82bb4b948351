"""From text to nodes: the one way in, with the mistakes that follow the grammar."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from rulewright.diagnostics.model import Diagnostic, Edit, by_place
from rulewright.diagnostics.remedies import wrapped
from rulewright.source import COMMENT_OR_STRING, Span, Text
from rulewright.source.moving import Move, edited
from rulewright.syntax.characters import check_characters, hidden_by_a_character, mistake, readable, too_large
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.parsed import Parsed
from rulewright.syntax.words import OTHER_NAMES, RESERVED, VERBS

_NAMED = (
    d.Always, d.Board, s.Choose, d.Decide, s.DecideLine, d.DieDeclaration, s.Draw, d.Event, d.ExternalProcedure,
    d.ExternalTerm, d.Handler, d.Kind, s.Let, d.Measure, s.Order, d.Parameter, d.Paths, s.Pick, s.PlaceWhere,
    d.Procedure, d.ProcedureLike, s.Rank, d.Record, d.Relation, s.Roll, d.Setting, s.Split, d.Table, d.Tally,
    s.TallyLine, d.Term, s.TurnHow, d.Values, d.Whenever, s.Whether,
)  # fmt: skip
_COUNTING = frozenset({"count", "sum", "min", "max"})
_SPREADSHEET = {"IF": "if(condition, value, otherwise)", "AND": "a and b", "OR": "a or b", "NOT": "not a"} | {
    "and": "a and b",
    "or": "a or b",
}


def check_nodes(file: d.File, content: str) -> Iterator[Diagnostic]:
    """What a text says that follows the grammar and is a mistake all the same, in no special order.

    Diagnostics: RW0106 functions spelled as in a spreadsheet, RW0108 reserved names, RW0115 a count without `each`,
    RW0118 demands below other lines.
    """
    for node in e.written_in((file.headers, file.declarations)):
        for name in _bound(node):
            if name.text in RESERVED:
                other = f"take another name, such as `{OTHER_NAMES[name.text]}`"
                yield mistake("RW0108", f"`{name.text}` belongs to the language", name.span, other)
        if isinstance(node, s.Line) and node.label is not None and node.label.text in VERBS:
            message = f"`{node.label.text}` is a verb, and no id of a line"
            yield mistake("RW0108", message, node.label.span, f"take another id, such as `the_{node.label.text}`")
        if isinstance(node, e.Call):
            yield from _check_call(node, content)
        if isinstance(node, s.Ask):
            yield from _check_demands(node, content)


def _bound(node: object) -> Iterator[Name]:
    """The names that a node gives to something."""
    if isinstance(node, _NAMED):
        yield node.name
    match node:
        case d.Kind():
            yield node.plural
        case e.Binder():
            yield from node.names
        case s.Perform(result=Name() as name) | s.Trigger(result=Name() as name) | s.Asked(each_name=Name() as name):
            yield name


def _check_call(call: e.Call, content: str) -> Iterator[Diagnostic]:
    match call:
        case e.Call(function=e.Reference(name=name, span=span), arguments=[only]) if name in _COUNTING:
            match only.value:
                case e.Binary(operator="in", left=e.Reference()) as member:
                    written = f"{name}(each {content[member.span.start : member.span.end]})"
                    start = only.value.span.start
                    each = Edit(Span(call.span.source, start, start), "each ", safe=True)
                    yield mistake("RW0115", f"`{name}` has no `each` here", call.span, f"write `{written}`", (each,))
        case e.Call(function=e.Reference(name=name, span=span)) if name in _SPREADSHEET:
            edits = tuple(_spelt(name, span, call))
            yield mistake("RW0106", f"`{name}` is not a function", span, f"write `{_SPREADSHEET[name]}`", edits)


def _spelt(name: str, span: Span, call: e.Call) -> Iterator[Edit]:
    """The edits that write a function of spreadsheets as it is spelt here; the arguments stay."""
    if name in {"IF", "NOT"}:
        yield Edit(span, name.lower() if name == "IF" else "not ", safe=True)
    elif len(call.arguments) > 1:
        yield Edit(span, "", safe=True)
        for one, other in pairwise(call.arguments):
            yield Edit(Span(span.source, one.span.end, other.span.start), f" {name.lower()} ", safe=True)
        for each in call.arguments:
            if isinstance(each.value, e.Binary | e.Quantified | e.Unary):
                yield from wrapped("(", each.span, ")", safe=True)


def _check_demands(ask: s.Ask, content: str) -> Iterator[Diagnostic]:
    for demand in ask.demands:
        if ask.block and demand.span.start > ask.block.span.start:
            message, remedy = f"`{demand.word}` rows come first", "move it above the other lines of the question"
            yield mistake("RW0118", message, demand.span, remedy, _moved(demand.span, ask.block.span.start, content))


def _moved(line: Span, before: int, content: str) -> tuple[Edit, ...]:
    """The edits that move a line up, before the line that begins at an offset."""
    end = content.find("\n", line.end)
    blanks = content[content.rfind("\n", 0, before) + 1 : before]
    written = f"{content[line.start : end].rstrip()}\n{blanks}"
    gone = Edit(Span(line.source, line.start, end), "", safe=True)
    return Edit(Span(line.source, before, before), written, safe=True), gone


def comments(text: Text, declarations: Iterable[Declaration]) -> tuple[e.Comment, ...]:
    """Every comment in order of place, without trailing blanks; the number of an address, `4/if#2`, is none."""
    content = text.content
    for span in (each.span for each in addresses(declarations) if "#" in each.text):
        content = content[: span.start] + content[span.start : span.end].replace("#", "_") + content[span.end :]
    written = ((found["comment"], found.start()) for found in COMMENT_OR_STRING.finditer(content))
    kept = ((each.rstrip(), start) for each, start in written if each is not None)
    return tuple(e.Comment(each, Span(text.name, start, start + len(each))) for each, start in kept)


def addresses(declarations: Iterable[Declaration]) -> Iterator[Name]:
    """The addresses that amendments name."""
    for each in declarations:
        match each:
            case d.ProcedureLike(amendments=amendments):
                yield from addresses(amendments)
            case d.Replace(target=target) | d.Insert(anchor=None, target=target):
                yield target.address
            case d.Insert(anchor=Name() as anchor) | d.InsertLines(anchor=anchor):
                yield anchor
            case d.RemovePart(address=address) | d.ReplaceLine(address=address):
                yield address


def parse(text: Text) -> Parsed:
    """The nodes of a text, and every mistake found in its writing.

    Diagnostics: RW0141 to RW0150 about characters and limits, RW01xx about everything else.
    """
    from rulewright.syntax.reading import NestedTooDeep, read  # noqa: PLC0415 - Lark loads when needed

    large = too_large(text)
    if large:
        return Parsed(None, (large,))
    content = readable(text.content)
    try:
        found = read(text.name, content)
    except NestedTooDeep as deep:
        place = Span(text.name, deep.offset, min(deep.offset + 1, len(text.content)))
        remedy = "name a part of a long expression with `let` or `term`, or move inner blocks into a `procedure`"
        return Parsed(None, (mistake("RW0147", "this nests deeper than 100 levels", place, remedy),))
    file = d.File(
        found.headers, found.declarations, comments(text, found.declarations), Span(text.name, 0, len(text.content))
    )
    characters = list(check_characters(text))
    mistakes = chain(found.diagnostics, check_nodes(file, content))
    told = (each for each in mistakes if not (characters and hidden_by_a_character(text, each)))
    return Parsed(file, by_place(chain(characters, told)))


def parse_again(text: Text, before: Text, parsed: Parsed) -> Parsed:
    """As `parse`, of a text that was read before and edited since; declarations around the edit are not read again."""
    known = parsed.file
    if known is None or parsed.diagnostics or too_large(text) or any(check_characters(text)):
        return parse(text)
    edit = edited(before.content, text.content)
    starts = [each.span.start for each in known.declarations]
    first, last = bisect_left(starts, edit.start) - 1, bisect_right(starts, edit.end)
    if first < 0:
        return parse(text)
    end = starts[last] + edit.by if last < len(starts) else len(text.content)
    from rulewright.syntax.reading import NestedTooDeep, read_part  # noqa: PLC0415 - Lark loads when needed

    try:
        made = read_part(text.name, readable(text.content[:end]), starts[first])
    except NestedTooDeep:
        made = None
    if not made or any(check_nodes(d.File((), made, (), known.span), text.content)):
        return parse(text)
    moved = Move({text.name: edit})(known.declarations[last:])
    declarations = (*known.declarations[:first], *made, *moved)
    whole = Span(text.name, 0, len(text.content))
    return Parsed(d.File(known.headers, declarations, comments(text, declarations), whole), ())
