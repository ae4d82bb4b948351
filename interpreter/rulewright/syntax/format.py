"""Writes a text in the one canonical way."""

import dataclasses
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from textwrap import TextWrapper
from typing import assert_never

from lark import Token

from rulewright.diagnostics.model import Diagnostic, Severity, has_errors
from rulewright.frozen import dataclass
from rulewright.roles import Role, equal
from rulewright.source import Text
from rulewright.syntax.characters import readable
from rulewright.syntax.engine import engine
from rulewright.syntax.layout import CLOSING, OPENING, Line, indentation
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.parsed import Trouble
from rulewright.syntax.parser import parse

WIDTH = 120
"""How long a line may be."""

_CONTINUED = 4
_RANGE = ".."
_TIGHT_BEFORE = frozenset({"COMMA", "COLON", "DOT", "QMARK"}) | CLOSING
_TIGHT_AFTER = frozenset({"DOT"}) | OPENING
_ENDS_VALUE = frozenset({"NAME", "INT", "DECIMAL", "STRING", "YES", "NO", "NONE", "STEP"}) | CLOSING
_SIGNS = frozenset({"PLUS", "MINUS"})
_BAR = "VBAR"
_BETWEEN = " | "


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word with the space before it."""

    text: str  # the word
    gap: str  # the space
    depth: int  # how many brackets are open before it
    kind: str  # its terminal


def lay_out(line: Line, indent: int, widths: Sequence[int] = ()) -> list[str]:
    """The physical lines of a logical line at an indentation, without comments; its cells have such widths, if any."""
    cites = [str(token) for token in line.tokens[line.margin :]]
    if widths:
        rows = [" " * indent + _BETWEEN.join(map(str.ljust, _cells(line), widths)).rstrip()]
    else:
        rows = _break(_pieces(line.tokens[: line.margin]), indent)
    if not cites:
        return rows
    margin = " ".join(cites)
    if len(rows[-1]) + 2 + len(margin) <= WIDTH:
        return [*rows[:-1], f"{rows[-1]}  {margin}"]
    opens = line.tokens[line.margin - 1].type == "COLON"
    blanks = " " * (indent + (_CONTINUED if opens else _CONTINUED // 2))
    whole = TextWrapper(WIDTH, blanks, blanks, break_long_words=False, break_on_hyphens=False)
    return rows + whole.wrap(margin)


def _cells(line: Line) -> list[str]:
    """What a row of a table says before, between and behind its bars."""
    pieces = _pieces(line.tokens[: line.margin])
    bars = [number for number, piece in enumerate(pieces) if piece.kind == _BAR]
    starts, ends = [0, *(at + 1 for at in bars)], [*bars, len(pieces)]
    return [_joined(pieces[start:end]) for start, end in zip(starts, ends, strict=True)]


def _pieces(tokens: Sequence[Token]) -> list[_Piece]:
    pieces: list[_Piece] = []
    depth = 0
    for number, token in enumerate(tokens):
        depth -= token.type in CLOSING
        words = token.split()
        text = "".join(words).lower() if token.type == "DICE" else " ".join(words)
        pieces.append(_Piece(text, _gap(tokens, number), depth, token.type))
        depth += token.type in OPENING
        if token.type == "STRING":
            pieces[-1] = _Piece(str(token), pieces[-1].gap, pieces[-1].depth, token.type)
    return pieces


def _gap(tokens: Sequence[Token], number: int) -> str:
    """The space before a token."""
    if number == 0:
        return ""
    before, token = tokens[number - 1], tokens[number]
    if token.type in _TIGHT_BEFORE or before.type in _TIGHT_AFTER or _RANGE in {str(before), str(token)}:
        return ""
    if token.type in {"LPAR", "LSQB"} and _is_held(tokens, number - 1):
        return ""
    if before.type in _SIGNS and (number == 1 or tokens[number - 2].type not in _ENDS_VALUE):
        return ""
    return " "


def _is_held(tokens: Sequence[Token], number: int) -> bool:
    """Whether a token has the bracket after it as its own: a call, an index, or `if(…)`."""
    token = tokens[number]
    if token.type == "IF":
        return number > 0 and tokens[number - 1].type != "ELSE" and not _begins_block(tokens, number)
    return token.type in {"NAME", "RPAR", "RSQB"}


def _begins_block(tokens: Sequence[Token], number: int) -> bool:
    """Whether a word begins a line that has an id and opens a block; after the colon of a row stands a value."""
    return [each.type for each in tokens[1:number]] == ["COLON"] and tokens[-1].type == "COLON"


def _break(pieces: Sequence[_Piece], indent: int) -> list[str]:
    """The head of a line, broken inside its last outermost bracket where it is too long.

    What stands in the bracket goes on the next line with the rest, else on lines of its own before the rest.
    """
    whole = " " * indent + _joined(pieces)
    if len(whole) <= WIDTH:
        return [whole]
    cut = _last_bracket(pieces, indent)
    if not cut:
        return [whole]
    first = " " * indent + _joined(pieces[:cut])
    rest = " " * (indent + _CONTINUED) + _joined(pieces[cut:])
    if len(rest) <= WIDTH:
        return [first, rest]
    closing = next(number for number in range(cut, len(pieces)) if pieces[number].depth == 0)
    return [first, *_wrapped(pieces[cut:closing], indent + _CONTINUED), *_break(pieces[closing:], indent)]


def _last_bracket(pieces: Sequence[_Piece], indent: int) -> int:
    """How many pieces stand up to the opening of the last outermost bracket that fits; 0 if there is none."""
    found = 0
    for number, piece in enumerate(pieces[:-1]):
        is_outermost = piece.kind in OPENING and piece.depth == 0 and pieces[number + 1].kind not in CLOSING
        if is_outermost and indent + len(_joined(pieces[: number + 1])) <= WIDTH:
            found = number + 1
    return found


def _wrapped(pieces: Sequence[_Piece], indent: int) -> list[str]:
    """Pieces inside a bracket, on as few lines as they fit."""
    rows: list[str] = []
    left = list(pieces)
    while left:
        count = _fitting(left, indent)
        rows.append(" " * indent + _joined(left[:count]))
        left = left[count:]
    return rows


def _fitting(pieces: Sequence[_Piece], indent: int) -> int:
    """How many of these go on one line."""
    if indent + len(_joined(pieces)) <= WIDTH:
        return len(pieces)
    breaks = [
        number
        for number, (before, piece) in enumerate(pairwise(pieces), 1)
        if piece.depth > 0 and (before.kind == "COMMA" or piece.kind in {"AND", "OR", "WHERE"})
    ]
    fitting = [number for number in breaks if indent + len(_joined(pieces[:number])) <= WIDTH]
    return (fitting[-1:] or breaks[:1] or [len(pieces)])[0]


def _joined(pieces: Sequence[_Piece]) -> str:
    return "".join(piece.gap + piece.text if number else piece.text for number, piece in enumerate(pieces))


_BRACKETS = {"set": ("{", "}"), "list": ("[", "]")}


def format_expression(node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each construct
    """The expression on one line, as the formatter writes it."""
    match node:
        case e.Reference():
            return node.name
        case e.Attribute():
            return f"{format_expression(node.target)}.{node.name.text}"
        case e.Index():
            return f"{format_expression(node.target)}[{_listed(node.keys)}]"
        case e.Call():
            return f"{format_expression(node.function)}({', '.join(map(_argument, node.arguments))})"
        case e.Aggregate():
            return f"{format_expression(node.function)}({_each(node.binder, node.value)})"
        case e.Quantified():
            body = f": {format_expression(node.body)}" if node.body else ""
            return f"{node.word} {format_binder(node.binder)}{body}"
        case e.Comprehension():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_each(node.binder, node.value)}{closing}"
        case e.Collection():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_listed(node.items)}{closing}"
        case e.Group():
            return f"({_listed(node.items)})"
        case e.IfValue():
            return f"if({_listed((node.condition, node.then, node.otherwise))})"
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
    """The type on one line, as the formatter writes it."""
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


def _listed(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(format_expression, nodes))


def _argument(node: e.Argument) -> str:
    name = f"{node.name.text}: " if node.name else ""
    return name + format_expression(node.value)


def _each(binder: e.Binder, value: Expression | None) -> str:
    shown = f": {format_expression(value)}" if value else ""
    return f"each {format_binder(binder)}{shown}"


_LEVEL = 2


def laid_out(text: Text) -> str | tuple[Diagnostic, ...]:
    """A text in its canonical form, or the mistakes in its writing that keep it from being laid out.

    What comes out is read again; if it means something else, that is reported as RW0012.
    """
    parsed = parse(text)
    if parsed.file is None or has_errors(parsed.diagnostics):
        return parsed.diagnostics
    made = format_file(parsed.file, text)
    again = parse(Text(text.name, made))
    if again.file is None or has_errors(again.diagnostics) or not same_meaning(parsed.file, again.file):
        message = f"laying out `{text.name}` would change what it means, so it is left alone"
        remedy = "this is a fault of rulewright; please report it with the file"
        return (Diagnostic("RW0012", Severity.ERROR, message, help=remedy),)
    return made


def format_file(file: File, text: Text) -> str:
    """The canonical form of a text that was read without mistakes into this file.

    Two spaces for each level, at most one blank line where the author left some, lines of 120 characters broken at
    the margin, else inside the last outermost bracket; bars of a table are aligned where the author padded a cell;
    every comment is kept, those inside a broken line above it.

    Raises:
        ValueError: the text cannot be read.
    """
    content = readable(text.content)
    reading = engine().read(content)
    if isinstance(reading, Trouble):
        raise ValueError("only a text without mistakes can be formatted")  # noqa: TRY004 - the value is at fault, not its type
    rows = [row for entry in _entries(content, reading.lines, file.comments) for row in entry.rows(content)]
    return "".join(f"{row}\n" for row in rows).lstrip("\n")


def same_meaning(a: File, b: File) -> bool:
    """Whether two files say the same, comments included, wherever it stands."""
    return equal(a, b, Role.PLACE)


@dataclasses.dataclass
class _Entry:
    """A logical line or a comment on its own line."""

    start: int  # where it begins in the text
    end: int  # where it ends, without its trailing comment
    indent: int = 0  # its canonical indentation
    line: Line | None = None  # the line; none for a comment
    # the comment itself, or those that belong to the line
    comments: list[e.Comment] = dataclasses.field(default_factory=list)
    widths: tuple[int, ...] = ()  # of the cells of a table, where its bars stand below each other

    def rows(self, content: str) -> Iterator[str]:
        """Its physical lines, after a blank one if the author left some."""
        if _blank_before(content, self.start):
            yield ""
        above = [comment for comment in self.comments if self.line is None or comment.span.start < self.end]
        for comment in above:
            yield " " * self.indent + comment.text
        if self.line:
            written = lay_out(self.line, self.indent, self.widths)
            trailing = [comment.text for comment in self.comments if comment not in above]
            yield from written[:-1]
            yield "  ".join([written[-1], *trailing])


def _entries(content: str, lines: Sequence[Line], comments: Sequence[e.Comment]) -> list[_Entry]:
    """Everything that gets its own line, in order, with its indentation."""
    entries = [_Entry(line.start, line.end, line=line) for line in lines]
    alone: list[_Entry] = []
    starts = [entry.start for entry in entries]
    for comment in comments:
        before = bisect_left(starts, comment.span.start)
        if before and content.find("\n", entries[before - 1].end, comment.span.start) < 0:
            entries[before - 1].comments.append(comment)
        else:
            alone.append(_Entry(comment.span.start, comment.span.end, comments=[comment]))
    merged = sorted([*entries, *alone], key=lambda entry: entry.start)
    _indent(content, merged)
    _align(entries)
    return merged


def _align(entries: Sequence[_Entry]) -> None:
    """Gives the rows of a table the widths of its cells, where the author padded one of them with spaces."""
    for bars, group in groupby(entries, _bars):
        rows = [(entry, entry.line, _cells(entry.line)) for entry in group if bars and entry.line]
        widths = tuple(max(map(len, column)) for column in zip(*(cells for _, _, cells in rows), strict=True))
        fits = all(row.indent + sum(widths) + len(_BETWEEN) * bars <= WIDTH for row, _, _ in rows)
        if fits and any(_is_filled(line) for _, line, _ in rows):
            for entry, _, _ in rows:
                entry.widths = widths


def _bars(entry: _Entry) -> int:
    """How many bars a row of a table has; none is counted in the line `across`."""
    tokens = entry.line.tokens[: entry.line.margin] if entry.line else []
    return 0 if tokens and tokens[0].type == "ACROSS" else sum(token.type == _BAR for token in tokens)


def _is_filled(line: Line) -> bool:
    """Whether more than one space stands before a bar."""
    ends = ((before.end_pos or 0, bar.start_pos or 0) for before, bar in pairwise(line.tokens) if bar.type == _BAR)
    return any(start - end > 1 for end, start in ends)


def _indent(content: str, entries: Sequence[_Entry]) -> None:
    """Gives every entry its canonical indentation."""
    levels = [0]
    for entry, below in zip(entries, _columns_below(content, entries), strict=True):
        column = _column(content, entry.start)
        if entry.line is None:
            entry.indent = _comment_level(below, levels, column) * _LEVEL
            continue
        while len(levels) > 1 and column < levels[-1]:
            levels.pop()
        if column > levels[-1]:
            levels.append(column)
        entry.indent = (len(levels) - 1) * _LEVEL


def _columns_below(content: str, entries: Sequence[_Entry]) -> list[int]:
    """For every entry the column of the next line that is no comment, itself included; 0 after the last."""
    below, columns = 0, []
    for entry in reversed(entries):
        below = _column(content, entry.start) if entry.line else below
        columns.append(below)
    return columns[::-1]


def _comment_level(below: int, levels: Sequence[int], column: int) -> int:
    """The level of a comment: that of the next line, or of the block it ends."""
    if below > levels[-1]:
        return len(levels)
    return max(number for number, level in enumerate(levels) if level <= max(column, below))


def _column(content: str, offset: int) -> int:
    start = content.rfind("\n", 0, offset) + 1
    return indentation(content[start:offset])


def _blank_before(content: str, offset: int) -> bool:
    """Whether the line above the one that holds an offset is blank."""
    start = content.rfind("\n", 0, offset)
    above = content.rfind("\n", 0, start) + 1
    return start > 0 and not content[above:start].strip()
