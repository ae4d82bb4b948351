"""Parser front end: from text to nodes, with the checks of characters before and of nodes after the grammar."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity, sort_by_place
from rulewright.base.diagnostics.remedies import apply_text_edits, make_wrapping_edits
from rulewright.base.node_roles import SpanRelocator, find_edited_range
from rulewright.base.source import COMMENT_OR_STRING, Span, Text
from rulewright.syntax.layout import TAB_COLUMNS, scan_lines
from rulewright.syntax.nodes import ParsedText, declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.words import RESERVED_WORD_SUBSTITUTES, RESERVED_WORDS, VERBS

MAX_TEXT_CHARACTERS = 2_000_000
"""Limit on the characters of a text."""

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_CONTROL = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_ODD_BLANK = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_FORBIDDEN_PATTERN = re.compile(f"[{_BIDI}{_INVISIBLE}{_CONTROL}{_ODD_BLANK}]|\r(?!\n)")
_TAB_INDENT = re.compile(r"^ *\t[ \t]*(?=\S)", re.MULTILINE)
_SPACE_INDENT = re.compile(r"^\t* +\t*(?=\S)", re.MULTILINE)
_LINE_AT_MARGIN = re.compile(r"^(?=[^\s#])", re.MULTILINE)
_LEVEL_CODES = frozenset({"RW0101", "RW0102", "RW0103", "RW0104", "RW0105", "RW0120", "RW0128", "RW0130"})
_BOM = "\ufeff"
_FORBIDDEN_CHARACTERS = (
    (re.compile("\r"), "RW0144", "alone ends no line", "end lines with U+000A", "\n"),
    (re.compile(f"[{_BIDI}]"), "RW0142", "reverses the text that people see", "delete it", ""),
    (re.compile(f"[{_INVISIBLE}]"), "RW0142", "is invisible", "delete it", ""),
    (re.compile(f"[{_ODD_BLANK}]"), "RW0142", "only looks like a space", "write a plain space", " "),
    (re.compile(""), "RW0144", "cannot be printed", "delete it", ""),
)
"""Classes of forbidden characters: pattern, code, what is wrong, remedy, replacement."""


def check_text_size(text: Text) -> Diagnostic | None:
    """The diagnostic of a text beyond the limit, else none."""
    if len(text.content) <= MAX_TEXT_CHARACTERS:
        return None
    return make_mistake(
        "RW0141",
        f"this text has {len(text.content):,} characters, and the limit is {MAX_TEXT_CHARACTERS:,}",
        Span(text.name, 0, 0),
        "divide it into files and bring them together with `use`",
    )


def check_characters(text: Text) -> Iterator[Diagnostic]:
    """Invisible, reversing and control characters, each reported at its first place, and tabs that indent."""
    places: dict[str, list[int]] = {}
    for match_ in _FORBIDDEN_PATTERN.finditer(text.content):
        if match_.group() != _BOM or match_.start():
            places.setdefault(match_.group(), []).append(match_.start())
    for character, starts in places.items():
        code, wrong, remedy, replacement = next(
            columns for sort, *columns in _FORBIDDEN_CHARACTERS if sort.match(character)
        )
        others = len(starts) - 1
        elsewhere = f", here and in {others} other place{'s' if others > 1 else ''}" if others else ""
        spans = [Span(text.name, start, start + 1) for start in starts]
        edits = tuple(Edit(span, replacement, safe=True) for span in spans)
        yield make_mistake(code, f"the character U+{ord(character):04X} {wrong}{elsewhere}", spans[0], remedy, edits)
    tabs = list(_TAB_INDENT.finditer(text.content))
    if tabs:
        yield _diagnose_tabs(text, tabs)


def blank_forbidden_characters(content: str) -> str:
    """The text with blanks for forbidden characters, ending with a line end; offsets stay."""
    cleaned = _FORBIDDEN_PATTERN.sub(" ", content)
    return cleaned if cleaned.endswith("\n") else cleaned + "\n"


def is_hidden_by_character(text: Text, diagnostic: Diagnostic) -> bool:
    """Whether a forbidden character on the line of a diagnostic explains it.

    Mixed tabs and spaces explain every wrong level in the same declaration.
    """
    if diagnostic.primary is None:
        return False
    offset = diagnostic.primary.span.start
    start, end = text.content.rfind("\n", 0, offset) + 1, text.content.find("\n", offset)
    end = end if end >= 0 else len(text.content)
    if _FORBIDDEN_PATTERN.search(text.content, start, end):
        return True
    if diagnostic.code not in _LEVEL_CODES or not _SPACE_INDENT.search(text.content):
        return False
    first = max((match.start() for match in _LINE_AT_MARGIN.finditer(text.content, 0, end)), default=0)
    last = _LINE_AT_MARGIN.search(text.content, end)
    return _TAB_INDENT.search(text.content, first, last.start() if last else len(text.content)) is not None


def replace_tabs(text: Text) -> Text:
    """A text with its tab indentation as spaces; unchanged where the block of a line is ambiguous."""
    edits = _make_untabbing_edits(text)
    return Text(text.name, apply_text_edits(text, edits)) if all(edit.safe for edit in edits) else text


def _diagnose_tabs(text: Text, tabs: list[re.Match[str]]) -> Diagnostic:
    lines = "this line is" if len(tabs) == 1 else f"{len(tabs)} lines are"
    edits, remedy = (
        _make_untabbing_edits(text),
        "indent with spaces, like the lines around; `rulewright check --fix --unsafe` guesses",
    )
    if all(edit.safe for edit in edits):
        remedy = "indent with two spaces for each level; `rulewright fmt` does it"
    return make_mistake("RW0148", f"{lines} indented with tabs", Span(text.name, *tabs[0].span()), remedy, edits)


def _make_untabbing_edits(text: Text) -> tuple[Edit, ...]:
    """Edits that replace tab indentation by spaces.

    Without spaces a tab is one level. Mixed, a line below one that opens a block has one reading; any other line is
    guessed to belong to the block of the line above.
    """
    tabs = {match.start(): match for match in _TAB_INDENT.finditer(text.content)}
    plain = {
        at: Edit(Span(text.name, *match.span()), match[0].expandtabs(TAB_COLUMNS), safe=True)
        for at, match in tabs.items()
    }
    if not tabs or not _SPACE_INDENT.search(text.content):
        return tuple(plain.values())
    lines = scan_lines(blank_forbidden_characters(text.content))
    starts = [text.content.rfind("\n", 0, line.start) + 1 for line in lines]
    line_starts = zip(lines, starts, strict=True)
    unit = min((line.indent for line, start in line_starts if line.indent and start not in tabs), default=TAB_COLUMNS)
    levels: dict[int, Edit] = {}
    above, opens = 0, False
    for line, start in zip(lines, starts, strict=True):
        indent = line.indent
        if start in tabs:
            indent = above + unit if opens else above
            levels[start] = Edit(Span(text.name, *tabs[start].span()), " " * indent, safe=opens)
        above, opens = indent, line.opens_block
    return tuple((plain | levels).values())


def make_mistake(code: str, message: str, span: Span, remedy: str, edits: tuple[Edit, ...] = ()) -> Diagnostic:
    """Error diagnostic at a span, with remedy and edits."""
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, edits=edits)


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
    """Mistakes in nodes that follow the grammar, unordered.

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
    end = content.find("\n", line.end)
    blanks = content[content.rfind("\n", 0, before) + 1 : before]
    written = f"{content[line.start : end].rstrip()}\n{blanks}"
    deletion = Edit(Span(line.source, line.start, end), "", safe=True)
    return Edit(Span(line.source, before, before), written, safe=True), deletion


def find_comments(text: Text, declarations: Iterable[Declaration]) -> tuple[e.Comment, ...]:
    """Comments in order of place, without trailing blanks; the `#2` of an address `4/if#2` is none."""
    content = text.content
    for span in (
        amended_address.span for amended_address in list_amended_addresses(declarations) if "#" in amended_address.text
    ):
        content = content[: span.start] + content[span.start : span.end].replace("#", "_") + content[span.end :]
    written = ((result["comment"], result.start()) for result in COMMENT_OR_STRING.finditer(content))
    comments = ((item.rstrip(), start) for item, start in written if item is not None)
    return tuple(e.Comment(item, Span(text.name, start, start + len(item))) for item, start in comments)


def list_amended_addresses(declarations: Iterable[Declaration]) -> Iterator[Name]:
    """Addresses that amendments name."""
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
    """Nodes of a text and all mistakes in its notation.

    Diagnostics: RW0141 to RW0150 about characters and limits, RW01xx about everything else.
    """
    from rulewright.syntax.node_table import NestingError, parse_nodes  # noqa: PLC0415 - Lark loads when needed

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
    reported = (mistake for mistake in mistakes if not (characters and is_hidden_by_character(text, mistake)))
    return ParsedText(file, sort_by_place(chain(characters, reported)))


def reparse_edited_text(text: Text, before: Text, parsed: ParsedText) -> ParsedText:
    """`parse_rules_text` of an edited text, incrementally: only declarations that touch the edit are parsed again."""
    known = parsed.file
    if known is None or parsed.diagnostics or check_text_size(text) or any(check_characters(text)):
        return parse_rules_text(text)
    edit = find_edited_range(before.content, text.content)
    starts = [declaration.span.start for declaration in known.declarations]
    first, last = bisect_left(starts, edit.start) - 1, bisect_right(starts, edit.end)
    if first < 0:
        return parse_rules_text(text)
    end = starts[last] + edit.shift if last < len(starts) else len(text.content)
    from rulewright.syntax.node_table import NestingError, parse_declarations  # noqa: PLC0415 - Lark loads when needed

    try:
        parsed_declarations = parse_declarations(
            text.name, blank_forbidden_characters(text.content[:end]), starts[first]
        )
    except NestingError:
        parsed_declarations = None
    if not parsed_declarations or any(check_nodes(d.File((), parsed_declarations, (), known.span), text.content)):
        return parse_rules_text(text)
    moved = SpanRelocator({text.name: edit})(known.declarations[last:])
    declarations = (*known.declarations[:first], *parsed_declarations, *moved)
    whole = Span(text.name, 0, len(text.content))
    return ParsedText(d.File(known.headers, declarations, find_comments(text, declarations), whole), ())
