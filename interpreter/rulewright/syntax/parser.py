"""From text to nodes: the one way in, with the mistakes that follow the grammar."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from rulewright.base.diagnostics.model import Diagnostic, Edit, sort_by_place
from rulewright.base.diagnostics.remedies import make_wrapping_edits
from rulewright.base.source import COMMENT_OR_STRING, Span, Text
from rulewright.base.source.span_relocation import SpanRelocator, find_edited_range
from rulewright.syntax.characters import (
    blank_forbidden_characters,
    check_characters,
    check_text_size,
    is_hidden_by_character,
    make_mistake,
)
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.parse_result import ParsedText
from rulewright.syntax.words import RESERVED_WORD_SUBSTITUTES, RESERVED_WORDS, VERBS

_NAMED_NODE_CLASSES = (
    d.Always, d.Board, s.Choose, d.Decide, s.DecideLine, d.DieDeclaration, s.Draw, d.Event, d.ExternalProcedure,
    d.ExternalTerm, d.Handler, d.Kind, s.Let, d.Measure, s.Order, d.Parameter, d.Paths, s.Pick, s.PlaceWhere,
    d.Procedure, d.ProcedureLike, s.Rank, d.Record, d.Relation, s.Roll, d.Setting, s.Split, d.Table, d.Tally,
    s.TallyLine, d.Term, s.TurnHow, d.Values, d.Whenever, s.Whether,
)  # fmt: skip
_AGGREGATE_NAMES = frozenset({"count", "sum", "min", "max"})
_SPREADSHEET_FUNCTIONS = {"IF": "if(condition, value, otherwise)", "AND": "a and b", "OR": "a or b", "NOT": "not a"} | {
    "and": "a and b",
    "or": "a or b",
}


def check_nodes(file: d.File, content: str) -> Iterator[Diagnostic]:
    """What a text says that follows the grammar and is a mistake all the same, in no special order.

    Diagnostics: RW0106 functions spelled as in a spreadsheet, RW0108 reserved names, RW0115 a count without `each`,
    RW0118 demands below other lines.
    """
    for node in e.walk_written_nodes((file.headers, file.declarations)):
        for name in _find_bound_names(node):
            if name.text in RESERVED_WORDS:
                other = f"take another name, such as `{RESERVED_WORD_SUBSTITUTES[name.text]}`"
                yield make_mistake("RW0108", f"`{name.text}` belongs to the language", name.span, other)
        if isinstance(node, s.Line) and node.label is not None and node.label.text in VERBS:
            message = f"`{node.label.text}` is a verb, and no id of a line"
            yield make_mistake("RW0108", message, node.label.span, f"take another id, such as `the_{node.label.text}`")
        if isinstance(node, e.Call):
            yield from _check_call(node, content)
        if isinstance(node, s.Ask):
            yield from _check_demands(node, content)


def _find_bound_names(node: object) -> Iterator[Name]:
    """The names that a node gives to something."""
    if isinstance(node, _NAMED_NODE_CLASSES):
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
        case e.Call(function=e.Reference(name=name, span=span), arguments=[only]) if name in _AGGREGATE_NAMES:
            match only.value:
                case e.Binary(operator="in", left=e.Reference()) as member:
                    written = f"{name}(each {content[member.span.start : member.span.end]})"
                    start = only.value.span.start
                    each = Edit(Span(call.span.source, start, start), "each ", safe=True)
                    yield make_mistake(
                        "RW0115", f"`{name}` has no `each` here", call.span, f"write `{written}`", (each,)
                    )
        case e.Call(function=e.Reference(name=name, span=span)) if name in _SPREADSHEET_FUNCTIONS:
            edits = tuple(_make_spreadsheet_edits(name, span, call))
            yield make_mistake(
                "RW0106", f"`{name}` is not a function", span, f"write `{_SPREADSHEET_FUNCTIONS[name]}`", edits
            )


def _make_spreadsheet_edits(name: str, span: Span, call: e.Call) -> Iterator[Edit]:
    """The edits that write a function of spreadsheets as it is spelt here; the arguments stay."""
    if name in {"IF", "NOT"}:
        yield Edit(span, name.lower() if name == "IF" else "not ", safe=True)
    elif len(call.arguments) > 1:
        yield Edit(span, "", safe=True)
        for one, other in pairwise(call.arguments):
            yield Edit(Span(span.source, one.span.end, other.span.start), f" {name.lower()} ", safe=True)
        for argument in call.arguments:
            if isinstance(argument.value, e.Binary | e.Quantified | e.Unary):
                yield from make_wrapping_edits("(", argument.span, ")", safe=True)


def _check_demands(ask: s.Ask, content: str) -> Iterator[Diagnostic]:
    for demand in ask.demands:
        if ask.block and demand.span.start > ask.block.span.start:
            message, remedy = f"`{demand.word}` rows come first", "move it above the other lines of the question"
            yield make_mistake(
                "RW0118", message, demand.span, remedy, _make_line_move(demand.span, ask.block.span.start, content)
            )


def _make_line_move(line: Span, before: int, content: str) -> tuple[Edit, ...]:
    """The edits that move a line up, before the line that begins at an offset."""
    end = content.find("\n", line.end)
    blanks = content[content.rfind("\n", 0, before) + 1 : before]
    written = f"{content[line.start : end].rstrip()}\n{blanks}"
    gone = Edit(Span(line.source, line.start, end), "", safe=True)
    return Edit(Span(line.source, before, before), written, safe=True), gone


def find_comments(text: Text, declarations: Iterable[Declaration]) -> tuple[e.Comment, ...]:
    """Every comment in order of place, without trailing blanks; the number of an address, `4/if#2`, is none."""
    content = text.content
    for span in (
        amended_address.span for amended_address in list_amended_addresses(declarations) if "#" in amended_address.text
    ):
        content = content[: span.start] + content[span.start : span.end].replace("#", "_") + content[span.end :]
    written = ((result["comment"], result.start()) for result in COMMENT_OR_STRING.finditer(content))
    kept = ((item.rstrip(), start) for item, start in written if item is not None)
    return tuple(e.Comment(item, Span(text.name, start, start + len(item))) for item, start in kept)


def list_amended_addresses(declarations: Iterable[Declaration]) -> Iterator[Name]:
    """The addresses that amendments name."""
    for declaration in declarations:
        match declaration:
            case d.ProcedureLike(amendments=amendments):
                yield from list_amended_addresses(amendments)
            case d.Replace(target=target) | d.Insert(anchor=None, target=target):
                yield target.address
            case d.Insert(anchor=Name() as anchor) | d.InsertLines(anchor=anchor):
                yield anchor
            case d.RemovePart(address=address) | d.ReplaceLine(address=address):
                yield address


def parse_rules_text(text: Text) -> ParsedText:
    """The nodes of a text, and every mistake found in its writing.

    Diagnostics: RW0141 to RW0150 about characters and limits, RW01xx about everything else.
    """
    from rulewright.syntax.reading import NestingError, parse_nodes  # noqa: PLC0415 - Lark loads when needed

    large = check_text_size(text)
    if large:
        return ParsedText(None, (large,))
    content = blank_forbidden_characters(text.content)
    try:
        result = parse_nodes(text.name, content)
    except NestingError as deep:
        place = Span(text.name, deep.offset, min(deep.offset + 1, len(text.content)))
        remedy = "name a part of a long expression with `let` or `term`, or move inner blocks into a `procedure`"
        return ParsedText(None, (make_mistake("RW0147", "this nests deeper than 100 levels", place, remedy),))
    file = d.File(
        result.headers,
        result.declarations,
        find_comments(text, result.declarations),
        Span(text.name, 0, len(text.content)),
    )
    characters = list(check_characters(text))
    mistakes = chain(result.diagnostics, check_nodes(file, content))
    told = (mistake for mistake in mistakes if not (characters and is_hidden_by_character(text, mistake)))
    return ParsedText(file, sort_by_place(chain(characters, told)))


def reparse_edited_text(text: Text, before: Text, parsed: ParsedText) -> ParsedText:
    """As `parse_rules_text`, of a text that was read before and edited since; declarations around the edit are not read again."""
    known = parsed.file
    if known is None or parsed.diagnostics or check_text_size(text) or any(check_characters(text)):
        return parse_rules_text(text)
    edit = find_edited_range(before.content, text.content)
    starts = [declaration.span.start for declaration in known.declarations]
    first, last = bisect_left(starts, edit.start) - 1, bisect_right(starts, edit.end)
    if first < 0:
        return parse_rules_text(text)
    end = starts[last] + edit.shift if last < len(starts) else len(text.content)
    from rulewright.syntax.reading import NestingError, parse_declarations  # noqa: PLC0415 - Lark loads when needed

    try:
        made = parse_declarations(text.name, blank_forbidden_characters(text.content[:end]), starts[first])
    except NestingError:
        made = None
    if not made or any(check_nodes(d.File((), made, (), known.span), text.content)):
        return parse_rules_text(text)
    moved = SpanRelocator({text.name: edit})(known.declarations[last:])
    declarations = (*known.declarations[:first], *made, *moved)
    whole = Span(text.name, 0, len(text.content))
    return ParsedText(d.File(known.headers, declarations, find_comments(text, declarations), whole), ())
