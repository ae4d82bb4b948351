"""How a text of rules lies on the page: what may be folded, what is of which colour, and its canonical form."""

import re
from collections.abc import Iterator
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.source import COMMENT_OR_STRING, Span, Text
from rulewright.base.span_relocation import find_edited_range
from rulewright.editor.editor_results import ColouredSpan, FoldingRange
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.editor.live_text import split_declarations
from rulewright.editor.references.name_index import DECLARING_ROLES
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.format import format_text
from rulewright.syntax.parser import blank_forbidden_characters, replace_tabs
from rulewright.syntax.words import LINE_START_WORDS, RESERVED_WORDS

_TERMINAL_COLOURS = {
    "STRING": "string",
    "CITE": "cite",
    "INT": "number",
    "DECIMAL": "number",
    "DICE": "number",
    "OR_MORE": "number",
}
_NAME_TERMINALS = frozenset({"NAME", "STEP", "ADDRESS"})
_FALLBACK_TOKEN_PATTERN = re.compile(r'"[^"\n]*"|[\w.\-]+#[0-9]+|#[^\n]*|@[\w.:\-]+|\b\d+(?:[dD]\d+)?\b|[A-Za-z_]\w*')


def format_document(opened: OpenDocument) -> tuple[Edit, ...] | tuple[Diagnostic, ...]:
    """The edit that lays a text out, none where it is laid out, or the mistakes that keep it from being so."""
    text = opened.live.text
    made = format_text(replace_tabs(text))
    if not isinstance(made, str):
        return made
    if made == text.content:
        return ()
    edited_range = find_edited_range(text.content, made)
    return (
        Edit(
            Span(opened.name, edited_range.start, edited_range.end),
            made[edited_range.start : edited_range.end + edited_range.shift],
            safe=True,
        ),
    )


def list_folding_ranges(text: Text) -> tuple[FoldingRange, ...]:
    """Lines that have deeper ones below, with these, and runs of comments."""
    lines = [line.rstrip() for line in text.content.split("\n")]
    return tuple(
        sorted(
            (*_fold_blocks(lines), *_fold_comments(lines)),
            key=lambda folding_range: (folding_range.first, -folding_range.last),
        )
    )


def _fold_blocks(lines: list[str]) -> Iterator[FoldingRange]:
    waiting: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate([*lines, "end"], 1):
        if not line or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        while waiting and waiting[-1][0] >= indent:
            _, first = waiting.pop()
            if last > first:
                yield FoldingRange(first, last)
        waiting.append((indent, number))
        last = number


def _fold_comments(lines: list[str]) -> Iterator[FoldingRange]:
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("#"):
            first = first or number
        elif first:
            if number - 1 > first:
                yield FoldingRange(first, number - 1, is_comment=True)
            first = 0


def colour_document(opened: OpenDocument) -> tuple[ColouredSpan, ...]:
    """What is of which sort in a text, in order; names by what they stood for when the ruleset was checked last."""
    known = opened.best_snapshot if opened.latest.loaded.program is None else opened.latest
    names: dict[int, ColouredSpan] = {}
    for name_occurrence in known.index.find_in_text(opened.name):
        place = opened.map_to_current(known, name_occurrence.span)
        if place is not None and name_occurrence.target.sort != "clause":
            names[place.start] = ColouredSpan(
                place, name_occurrence.target.sort, name_occurrence.role in DECLARING_ROLES
            )
    result: dict[int, ColouredSpan] = {}
    start = 0
    live, written = opened.live, split_declarations(opened.live.text.content)
    live.colour_cache = {item: live.colour_cache.get(item) or tuple(_colour_chunk(item)) for item in written}
    for chunk in written:
        for at, end, sort in live.colour_cache[chunk]:
            result[start + at] = ColouredSpan(Span(opened.name, start + at, start + end), sort)
        start += len(chunk)
    return tuple(coloured_span for _, coloured_span in sorted({**result, **names}.items()) if coloured_span.sort)


def _colour_chunk(chunk: str) -> Iterator[tuple[int, int, str]]:
    """Where words of the language, texts, numbers, margins and comments of a declaration stand, in any order."""
    read = get_engine().parse_tree(blank_forbidden_characters(chunk))
    if not isinstance(read, ParseTree):
        for match in _FALLBACK_TOKEN_PATTERN.finditer(chunk):
            yield match.start(), match.end(), _guess_colour(match[0])
        return
    tokens = [token for line in read.lines for token in line.tokens]
    numbered = (item for item in tokens if item.type == "ADDRESS" and "#" in item)
    signs = {(item.start_pos or 0) + item.index("#") for item in numbered}
    at = 0
    while (result := COMMENT_OR_STRING.search(chunk, at)) is not None:
        is_number = result.start() in signs
        at = result.start() + 1 if is_number else result.end()
        if result["comment"] is not None and not is_number:
            yield result.start(), at, "comment"
    for token in tokens:
        yield from _colour_token(token)


def _colour_token(token: Any) -> Iterator[tuple[int, int, str]]:  # a token of a reading
    sort = _TERMINAL_COLOURS.get(
        token.type, "keyword" if token.type not in _NAME_TERMINALS and token[:1].isalpha() else ""
    )
    if sort:
        yield token.start_pos or 0, token.end_pos or 0, sort


def _guess_colour(written: str) -> str:
    """The sort of what stands in a declaration that cannot be read."""
    first = written[0]
    if "#" in written[1:] and first not in '"#@':
        return ""
    if first in '"#@':
        return {'"': "string", "#": "comment", "@": "cite"}[first]
    if first.isdigit():
        return "number"
    return "keyword" if written in LINE_START_WORDS | RESERVED_WORDS else ""
