"""Formatter: the canonical layout of a text."""

import dataclasses
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from textwrap import TextWrapper
from typing import assert_never

from lark import Token

from rulewright.base.diagnostics import Diagnostic, Severity, has_errors
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, are_trees_equal
from rulewright.base.source import Text
from rulewright.syntax.engine import get_engine
from rulewright.syntax.layout import CLOSING_TERMINALS, OPENING_TERMINALS, LogicalLine, measure_indentation
from rulewright.syntax.nodes import ParseFailure, expressions as e
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.parser import blank_forbidden_characters, parse_rules_text

MAX_LINE_COLUMNS = 120
"""Columns of the longest line."""

_CONTINUATION_INDENT = 4
_RANGE_SIGN = ".."
_TIGHT_BEFORE_TERMINALS = frozenset({"COMMA", "COLON", "DOT", "QMARK"}) | CLOSING_TERMINALS
_TIGHT_AFTER_TERMINALS = frozenset({"DOT"}) | OPENING_TERMINALS
_VALUE_END_TERMINALS = frozenset({"NAME", "INT", "DECIMAL", "STRING", "YES", "NO", "NONE", "STEP"}) | CLOSING_TERMINALS
_SIGN_TERMINALS = frozenset({"PLUS", "MINUS"})
_BAR_TERMINAL = "VBAR"
_BAR_SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class _SpacedWord:
    """A token with the space before it."""

    text: str
    gap: str
    depth: int  # number of open brackets before it
    kind: str  # terminal


def lay_out_line(line: LogicalLine, indent: int, widths: Sequence[int] = ()) -> list[str]:
    """Physical lines of a logical line at an indentation, without comments; `widths` pad the cells of a table row."""
    cites = [str(token) for token in line.tokens[line.margin_start :]]
    if widths:
        rows = [" " * indent + _BAR_SEPARATOR.join(map(str.ljust, _split_cells(line), widths)).rstrip()]
    else:
        rows = _break_line(_make_spaced_words(line.tokens[: line.margin_start]), indent)
    if not cites:
        return rows
    margin = " ".join(cites)
    if len(rows[-1]) + 2 + len(margin) <= MAX_LINE_COLUMNS:
        return [*rows[:-1], f"{rows[-1]}  {margin}"]
    opens = line.tokens[line.margin_start - 1].type == "COLON"
    blanks = " " * (indent + (_CONTINUATION_INDENT if opens else _CONTINUATION_INDENT // 2))
    whole = TextWrapper(MAX_LINE_COLUMNS, blanks, blanks, break_long_words=False, break_on_hyphens=False)
    return rows + whole.wrap(margin)


def _split_cells(line: LogicalLine) -> list[str]:
    pieces = _make_spaced_words(line.tokens[: line.margin_start])
    bars = [number for number, piece in enumerate(pieces) if piece.kind == _BAR_TERMINAL]
    starts, ends = [0, *(at + 1 for at in bars)], [*bars, len(pieces)]
    return [_join_pieces(pieces[start:end]) for start, end in zip(starts, ends, strict=True)]


def _make_spaced_words(tokens: Sequence[Token]) -> list[_SpacedWord]:
    pieces: list[_SpacedWord] = []
    depth = 0
    for number, token in enumerate(tokens):
        depth -= token.type in CLOSING_TERMINALS
        words = token.split()
        text = "".join(words).lower() if token.type == "DICE" else " ".join(words)
        pieces.append(_SpacedWord(text, _get_gap(tokens, number), depth, token.type))
        depth += token.type in OPENING_TERMINALS
        if token.type == "STRING":
            pieces[-1] = _SpacedWord(str(token), pieces[-1].gap, pieces[-1].depth, token.type)
    return pieces


def _get_gap(tokens: Sequence[Token], number: int) -> str:
    if number == 0:
        return ""
    before, token = tokens[number - 1], tokens[number]
    if (
        token.type in _TIGHT_BEFORE_TERMINALS
        or before.type in _TIGHT_AFTER_TERMINALS
        or _RANGE_SIGN in {str(before), str(token)}
    ):
        return ""
    if token.type in {"LPAR", "LSQB"} and _has_own_bracket(tokens, number - 1):
        return ""
    if before.type in _SIGN_TERMINALS and (number == 1 or tokens[number - 2].type not in _VALUE_END_TERMINALS):
        return ""
    return " "


def _has_own_bracket(tokens: Sequence[Token], number: int) -> bool:
    """Whether the bracket after a token belongs to it: a call, an index, or `if(…)`."""
    token = tokens[number]
    if token.type == "IF":
        return number > 0 and tokens[number - 1].type != "ELSE" and not _is_block_start(tokens, number)
    return token.type in {"NAME", "RPAR", "RSQB"}


def _is_block_start(tokens: Sequence[Token], number: int) -> bool:
    """Whether a word with an id before it opens a block; after the colon of a row stands a value."""
    return [token.type for token in tokens[1:number]] == ["COLON"] and tokens[-1].type == "COLON"


def _break_line(pieces: Sequence[_SpacedWord], indent: int) -> list[str]:
    """The head of a line, broken inside its last outermost bracket where it is too long.

    The content of the bracket goes on the next line with the rest, else on lines of its own before the rest.
    """
    whole = " " * indent + _join_pieces(pieces)
    if len(whole) <= MAX_LINE_COLUMNS:
        return [whole]
    cut = _find_last_bracket(pieces, indent)
    if not cut:
        return [whole]
    first = " " * indent + _join_pieces(pieces[:cut])
    rest = " " * (indent + _CONTINUATION_INDENT) + _join_pieces(pieces[cut:])
    if len(rest) <= MAX_LINE_COLUMNS:
        return [first, rest]
    closing = next(number for number in range(cut, len(pieces)) if pieces[number].depth == 0)
    return [
        first,
        *_wrap_pieces(pieces[cut:closing], indent + _CONTINUATION_INDENT),
        *_break_line(pieces[closing:], indent),
    ]


def _find_last_bracket(pieces: Sequence[_SpacedWord], indent: int) -> int:
    """Number of tokens up to the opening of the last outermost bracket that fits; 0 if there is none."""
    result = 0
    for number, piece in enumerate(pieces[:-1]):
        is_outermost = (
            piece.kind in OPENING_TERMINALS and piece.depth == 0 and pieces[number + 1].kind not in CLOSING_TERMINALS
        )
        if is_outermost and indent + len(_join_pieces(pieces[: number + 1])) <= MAX_LINE_COLUMNS:
            result = number + 1
    return result


def _wrap_pieces(pieces: Sequence[_SpacedWord], indent: int) -> list[str]:
    rows: list[str] = []
    remaining = list(pieces)
    while remaining:
        count = _count_fitting(remaining, indent)
        rows.append(" " * indent + _join_pieces(remaining[:count]))
        remaining = remaining[count:]
    return rows


def _count_fitting(pieces: Sequence[_SpacedWord], indent: int) -> int:
    if indent + len(_join_pieces(pieces)) <= MAX_LINE_COLUMNS:
        return len(pieces)
    breaks = [
        number
        for number, (before, piece) in enumerate(pairwise(pieces), 1)
        if piece.depth > 0 and (before.kind == "COMMA" or piece.kind in {"AND", "OR", "WHERE"})
    ]
    fitting = [number for number in breaks if indent + len(_join_pieces(pieces[:number])) <= MAX_LINE_COLUMNS]
    return (fitting[-1:] or breaks[:1] or [len(pieces)])[0]


def _join_pieces(pieces: Sequence[_SpacedWord]) -> str:
    return "".join(piece.gap + piece.text if number else piece.text for number, piece in enumerate(pieces))


_COLLECTION_BRACKETS = {"set": ("{", "}"), "list": ("[", "]")}


def format_expression(node: Expression) -> str:
    """Expression on one line, in canonical form."""
    match node:
        case e.Reference():
            return node.name
        case e.Attribute():
            return f"{format_expression(node.target)}.{node.name.text}"
        case e.Index():
            return f"{format_expression(node.target)}[{_format_list(node.keys)}]"
        case e.Call():
            return f"{format_expression(node.function)}({', '.join(map(_format_argument, node.arguments))})"
        case e.Aggregate():
            return f"{format_expression(node.function)}({_format_each(node.binder, node.value)})"
        case e.Quantified():
            body = f": {format_expression(node.body)}" if node.body else ""
            return f"{node.word} {format_binder(node.binder)}{body}"
        case e.Comprehension():
            opening, closing = _COLLECTION_BRACKETS[node.word]
            return f"{opening}{_format_each(node.binder, node.value)}{closing}"
        case e.Collection():
            opening, closing = _COLLECTION_BRACKETS[node.word]
            return f"{opening}{_format_list(node.items)}{closing}"
        case e.Group():
            return f"({_format_list(node.items)})"
        case e.IfValue():
            return f"if({_format_list((node.condition, node.then, node.otherwise))})"
        case e.Binary():
            space = "" if node.operator == ".." else " "
            return f"{format_expression(node.left)}{space}{node.operator}{space}{format_expression(node.right)}"
        case e.Unary():
            space = " " if node.operator == "not" else ""
            return f"{node.operator}{space}{format_expression(node.operand)}"
        case e.WholeNumber():
            return str(node.value)
        case e.DecimalNumber():
            return node.text
        case e.TextLiteral():
            return f'"{node.value}"'
        case e.Truth():
            return "yes" if node.value else "no"
        case e.NoneValue():
            return "none"
        case _:
            assert_never(node)


def format_binder(node: e.Binder) -> str:
    """`x in S where C`."""
    names = ", ".join(name.text for name in node.names)
    pattern = names if len(node.names) == 1 else f"({names})"
    where = f" where {format_expression(node.where)}" if node.where else ""
    return f"{pattern} in {format_expression(node.source)}{where}"


def format_type(node: e.Type) -> str:
    """Type on one line, in canonical form."""
    match node:
        case e.RangeType():
            return f"{node.low}..{node.high}"
        case e.NamedType():
            return node.name.text
        case e.OptionalType():
            return f"{format_type(node.inner)}?"
        case e.CollectionType():
            return f"{node.word} of {format_type(node.inner)}"
        case e.MapType():
            return f"map of {format_type(node.key)} to {format_type(node.value)}"
        case e.TupleType():
            return f"({', '.join(map(format_type, node.parts))})"
        case _:
            assert_never(node)


def _format_list(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(format_expression, nodes))


def _format_argument(node: e.Argument) -> str:
    name = f"{node.name.text}: " if node.name else ""
    return name + format_expression(node.value)


def _format_each(binder: e.Binder, value: Expression | None) -> str:
    shown = f": {format_expression(value)}" if value else ""
    return f"each {format_binder(binder)}{shown}"


_LEVEL_INDENT = 2


def format_text(text: Text) -> str | tuple[Diagnostic, ...]:
    """Canonical form of a text, or the mistakes that prevent it.

    The result is parsed again; a result with another meaning is reported as RW0012.
    """
    parsed = parse_rules_text(text)
    if parsed.file is None or has_errors(parsed.diagnostics):
        return parsed.diagnostics
    formatted = format_file(parsed.file, text)
    again = parse_rules_text(Text(text.name, formatted))
    if again.file is None or has_errors(again.diagnostics) or not has_same_meaning(parsed.file, again.file):
        message = f"laying out `{text.name}` would change what it means, so it is left alone"
        remedy = "this is a fault of rulewright; please report it with the file"
        return (Diagnostic("RW0012", Severity.ERROR, message, help=remedy),)
    return formatted


def format_file(file: File, text: Text) -> str:
    """Canonical form of a text parsed into this file without mistakes.

    Two spaces for each level, at most one blank line where the author left some, lines of 120 columns broken at the
    margin, else inside the last outermost bracket; bars of a table are aligned where the author padded a cell; every
    comment is kept, those inside a broken line above it.

    Raises:
        ValueError: the text cannot be parsed.
    """
    content = blank_forbidden_characters(text.content)
    reading = get_engine().parse_tree(content)
    if isinstance(reading, ParseFailure):
        raise ValueError("only a text without mistakes can be formatted")  # noqa: TRY004 - the value is at fault, not its type
    rows = [row for entry in _make_entries(content, reading.lines, file.comments) for row in entry.render_rows(content)]
    return "".join(f"{row}\n" for row in rows).lstrip("\n")


def has_same_meaning(a: File, b: File) -> bool:
    """Whether two files have equal nodes and comments, places ignored."""
    return are_trees_equal(a, b, Role.PLACE)


@dataclasses.dataclass
class _LaidOutEntry:
    """A logical line, or a comment on its own line."""

    start: int  # offset
    end: int  # offset, without its trailing comment
    indent: int = 0  # canonical
    line: LogicalLine | None = None  # none for a comment
    # the comment itself, or those that belong to the line
    comments: list[e.Comment] = dataclasses.field(default_factory=list)
    widths: tuple[int, ...] = ()  # of the cells of a table with aligned bars

    def render_rows(self, content: str) -> Iterator[str]:
        if _has_blank_before(content, self.start):
            yield ""
        above = [comment for comment in self.comments if self.line is None or comment.span.start < self.end]
        for comment in above:
            yield " " * self.indent + comment.text
        if self.line:
            written = lay_out_line(self.line, self.indent, self.widths)
            trailing = [comment.text for comment in self.comments if comment not in above]
            yield from written[:-1]
            yield "  ".join([written[-1], *trailing])


def _make_entries(content: str, lines: Sequence[LogicalLine], comments: Sequence[e.Comment]) -> list[_LaidOutEntry]:
    entries = [_LaidOutEntry(line.start, line.end, line=line) for line in lines]
    own_line_comments: list[_LaidOutEntry] = []
    starts = [entry.start for entry in entries]
    for comment in comments:
        before = bisect_left(starts, comment.span.start)
        if before and content.find("\n", entries[before - 1].end, comment.span.start) < 0:
            entries[before - 1].comments.append(comment)
        else:
            own_line_comments.append(_LaidOutEntry(comment.span.start, comment.span.end, comments=[comment]))
    merged = sorted([*entries, *own_line_comments], key=lambda entry: entry.start)
    _set_indents(content, merged)
    _align_tables(entries)
    return merged


def _align_tables(entries: Sequence[_LaidOutEntry]) -> None:
    """Pads the cells of a table whose author padded one of them."""
    for bars, group in groupby(entries, _count_bars):
        rows = [(entry, entry.line, _split_cells(entry.line)) for entry in group if bars and entry.line]
        widths = tuple(max(map(len, column)) for column in zip(*(cells for _, _, cells in rows), strict=True))
        fits = all(row.indent + sum(widths) + len(_BAR_SEPARATOR) * bars <= MAX_LINE_COLUMNS for row, _, _ in rows)
        if fits and any(_has_padded_bar(line) for _, line, _ in rows):
            for entry, _, _ in rows:
                entry.widths = widths


def _count_bars(entry: _LaidOutEntry) -> int:
    """Bars in a row of a table; those of the line `across` do not count."""
    tokens = entry.line.tokens[: entry.line.margin_start] if entry.line else []
    return 0 if tokens and tokens[0].type == "ACROSS" else sum(token.type == _BAR_TERMINAL for token in tokens)


def _has_padded_bar(line: LogicalLine) -> bool:
    ends = (
        (before.end_pos or 0, bar.start_pos or 0) for before, bar in pairwise(line.tokens) if bar.type == _BAR_TERMINAL
    )
    return any(start - end > 1 for end, start in ends)


def _set_indents(content: str, entries: Sequence[_LaidOutEntry]) -> None:
    levels = [0]
    for entry, below in zip(entries, _list_columns_below(content, entries), strict=True):
        column = _get_column(content, entry.start)
        if entry.line is None:
            entry.indent = _get_comment_level(below, levels, column) * _LEVEL_INDENT
            continue
        while len(levels) > 1 and column < levels[-1]:
            levels.pop()
        if column > levels[-1]:
            levels.append(column)
        entry.indent = (len(levels) - 1) * _LEVEL_INDENT


def _list_columns_below(content: str, entries: Sequence[_LaidOutEntry]) -> list[int]:
    """Column of the next line that is no comment, for every entry, itself included; 0 after the last."""
    below, columns = 0, []
    for entry in reversed(entries):
        below = _get_column(content, entry.start) if entry.line else below
        columns.append(below)
    return columns[::-1]


def _get_comment_level(below: int, levels: Sequence[int], column: int) -> int:
    """Level of a comment: that of the next line, or of the block that it ends."""
    if below > levels[-1]:
        return len(levels)
    return max(number for number, level in enumerate(levels) if level <= max(column, below))


def _get_column(content: str, offset: int) -> int:
    start = content.rfind("\n", 0, offset) + 1
    return measure_indentation(content[start:offset])


def _has_blank_before(content: str, offset: int) -> bool:
    start = content.rfind("\n", 0, offset)
    above = content.rfind("\n", 0, start) + 1
    return start > 0 and not content[above:start].strip()
