"""Writes a text in the one canonical way."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from rulewright.roles import Role, equal
from rulewright.source import Text
from rulewright.syntax.characters import readable
from rulewright.syntax.engine import engine
from rulewright.syntax.layout import Line, indentation
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.expressions import (
    Aggregate,
    Argument,
    Attribute,
    Binary,
    Binder,
    Call,
    Collection,
    Comprehension,
    DecimalNumber,
    Expression,
    Group,
    IfValue,
    Index,
    NoneValue,
    Quantified,
    Reference,
    TextLiteral,
    Truth,
    Unary,
    WholeNumber,
)
from rulewright.syntax.nodes.names import Comment
from rulewright.syntax.nodes.types import CollectionType, MapType, NamedType, OptionalType, RangeType, TupleType, Type
from rulewright.syntax.parsed import Trouble
from rulewright.syntax.spacing import lay_out

_BRACKETS = {"set": ("{", "}"), "list": ("[", "]")}


def format_expression(node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each construct
    """The expression on one line, as the formatter writes it."""
    match node:
        case Reference():
            return node.name
        case Attribute():
            return f"{format_expression(node.target)}.{node.name.text}"
        case Index():
            return f"{format_expression(node.target)}[{_listed(node.keys)}]"
        case Call():
            return f"{format_expression(node.function)}({', '.join(map(_argument, node.arguments))})"
        case Aggregate():
            return f"{format_expression(node.function)}({_each(node.binder, node.value)})"
        case Quantified():
            body = f": {format_expression(node.body)}" if node.body else ""
            return f"{node.word} {format_binder(node.binder)}{body}"
        case Comprehension():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_each(node.binder, node.value)}{closing}"
        case Collection():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_listed(node.items)}{closing}"
        case Group():
            return f"({_listed(node.items)})"
        case IfValue():
            return f"if({_listed((node.condition, node.then, node.otherwise))})"
        case Binary():
            return _binary(node)
        case Unary():
            space = " " if node.operator == "not" else ""
            return f"{node.operator}{space}{format_expression(node.operand)}"
        case WholeNumber():
            return str(node.value)
        case DecimalNumber():
            return node.text
        case TextLiteral():
            return f'"{node.value}"'
        case Truth():
            return "yes" if node.value else "no"
        case NoneValue():
            return "none"
        case _:
            assert_never(node)


def format_binder(node: Binder) -> str:
    """`x in S where C`."""
    names = ", ".join(name.text for name in node.names)
    pattern = names if len(node.names) == 1 else f"({names})"
    where = f" where {format_expression(node.where)}" if node.where else ""
    return f"{pattern} in {format_expression(node.source)}{where}"


def format_type(node: Type) -> str:
    """The type on one line, as the formatter writes it."""
    match node:
        case RangeType():
            return f"{node.low}..{node.high}"
        case NamedType():
            return node.name.text
        case OptionalType():
            return f"{format_type(node.inner)}?"
        case CollectionType():
            return f"{node.word} of {format_type(node.inner)}"
        case MapType():
            return f"map of {format_type(node.key)} to {format_type(node.value)}"
        case TupleType():
            return f"({', '.join(map(format_type, node.parts))})"
        case _:
            assert_never(node)


def _listed(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(format_expression, nodes))


def _argument(node: Argument) -> str:
    name = f"{node.name.text}: " if node.name else ""
    return name + format_expression(node.value)


def _each(binder: Binder, value: Expression | None) -> str:
    shown = f": {format_expression(value)}" if value else ""
    return f"each {format_binder(binder)}{shown}"


def _binary(node: Binary) -> str:
    space = "" if node.operator == ".." else " "
    return f"{format_expression(node.left)}{space}{node.operator}{space}{format_expression(node.right)}"


_LEVEL = 2


def format_file(file: File, text: Text) -> str:
    """The canonical form of a text that was read without mistakes into this file.

    Two spaces for each level, at most one blank line where the author left some, lines of 120 characters broken at
    the margin, else inside the last outermost bracket; every comment is kept, those inside a broken line above it.

    Raises:
        ValueError: the text cannot be read.
    """
    content = readable(text.content)
    reading = engine().read(content)
    if isinstance(reading, Trouble):
        message = "only a text without mistakes can be formatted"
        raise ValueError(message)  # noqa: TRY004 - the value is at fault, not its type
    rows = [row for entry in _entries(content, reading.lines, file.comments) for row in entry.rows(content)]
    return "".join(f"{row}\n" for row in rows).lstrip("\n")


def same_meaning(a: File, b: File) -> bool:
    """Whether two files say the same, comments included, wherever it stands."""
    return equal(a, b, Role.PLACE)


@dataclass
class _Entry:
    """A logical line or a comment on its own line.

    Attributes:
        start: where it begins in the text.
        end: where it ends, without its trailing comment.
        indent: its canonical indentation.
        line: the line; none for a comment.
        comments: the comment itself, or those that belong to the line.
    """

    start: int
    end: int
    indent: int = 0
    line: Line | None = None
    comments: list[Comment] = field(default_factory=list)

    def rows(self, content: str) -> Iterator[str]:
        """Its physical lines, after a blank one if the author left some."""
        if _blank_before(content, self.start):
            yield ""
        above = [comment for comment in self.comments if self.line is None or comment.span.start < self.end]
        for comment in above:
            yield " " * self.indent + comment.text
        if self.line:
            written = lay_out(self.line, self.indent)
            trailing = [comment.text for comment in self.comments if comment not in above]
            yield from written[:-1]
            yield "  ".join([written[-1], *trailing])


def _entries(content: str, lines: Sequence[Line], comments: Sequence[Comment]) -> list[_Entry]:
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
    return merged


def _indent(content: str, entries: Sequence[_Entry]) -> None:
    """Give every entry its canonical indentation."""
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
