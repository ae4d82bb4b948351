"""From text to nodes: the one way in."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import chain

from rulewright.diagnostics.model import Diagnostic, Label, Severity, in_order
from rulewright.source import Span, Text
from rulewright.source.moving import Move, edited
from rulewright.syntax.characters import check_characters, hidden_by_a_character, readable, too_large
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.names import Comment
from rulewright.syntax.parsed import Parsed
from rulewright.syntax.wellformed import check_nodes

_COMMENT_OR_STRING = re.compile(r'"[^"\n]*"|(?P<comment>#[^\n]*)')


def comments(text: Text) -> Iterator[Comment]:
    """Every comment in order of place, without trailing blanks."""
    for found in _COMMENT_OR_STRING.finditer(text.content):
        written = found["comment"]
        if written is not None:
            kept = written.rstrip()
            yield Comment(kept, Span(text.name, found.start(), found.start() + len(kept)))


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
        return Parsed(None, (_deep(text, deep.offset),))
    file = File(found.headers, found.declarations, tuple(comments(text)), Span(text.name, 0, len(text.content)))
    characters = list(check_characters(text))
    mistakes = chain(found.diagnostics, check_nodes(file, content))
    told = (each for each in mistakes if not (characters and hidden_by_a_character(text, each)))
    return Parsed(file, in_order(chain(characters, told)))


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
    if not made or any(check_nodes(File((), made, (), known.span), text.content)):
        return parse(text)
    moved = Move({text.name: edit})(known.declarations[last:])
    declarations = (*known.declarations[:first], *made, *moved)
    return Parsed(File(known.headers, declarations, tuple(comments(text)), Span(text.name, 0, len(text.content))), ())


def _deep(text: Text, offset: int) -> Diagnostic:
    return Diagnostic(
        "RW0147",
        Severity.ERROR,
        "this nests deeper than 100 levels",
        Label(Span(text.name, offset, min(offset + 1, len(text.content)))),
        help="give the inner part a name with `let`, `term` or `decide`",
    )
