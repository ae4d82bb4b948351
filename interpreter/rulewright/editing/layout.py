"""How a text of rules lies on the page: what may be folded, what is of which colour, and its canonical form."""

import re
from collections.abc import Iterator
from typing import Any

from rulewright.diagnostics import Diagnostic, Edit
from rulewright.editing.answers import Colour, Fold
from rulewright.editing.desk import Open
from rulewright.editing.places import chunks
from rulewright.references.index import DECLARING
from rulewright.source import COMMENT_OR_STRING, Span, Text
from rulewright.source.moving import edited
from rulewright.syntax.characters import readable, without_tabs
from rulewright.syntax.engine import Reading, engine
from rulewright.syntax.format import laid_out
from rulewright.syntax.words import BEGINNINGS, RESERVED

_SORTS = {
    "STRING": "string",
    "CITE": "cite",
    "INT": "number",
    "DECIMAL": "number",
    "DICE": "number",
    "OR_MORE": "number",
}
_SHAPES = frozenset({"NAME", "STEP", "ADDRESS"})
_ANY = re.compile(r'"[^"\n]*"|[\w.\-]+#[0-9]+|#[^\n]*|@[\w.:\-]+|\b\d+(?:[dD]\d+)?\b|[A-Za-z_]\w*')


def formatted(opened: Open) -> tuple[Edit, ...] | tuple[Diagnostic, ...]:
    """The edit that lays a text out, none where it is laid out, or the mistakes that keep it from being so."""
    text = opened.live.text
    made = laid_out(without_tabs(text))
    if not isinstance(made, str):
        return made
    if made == text.content:
        return ()
    found = edited(text.content, made)
    return (Edit(Span(opened.name, found.start, found.end), made[found.start : found.end + found.by], safe=True),)


def folds(text: Text) -> tuple[Fold, ...]:
    """Lines that have deeper ones below, with these, and runs of comments."""
    lines = [line.rstrip() for line in text.content.split("\n")]
    return tuple(sorted((*_blocks(lines), *_comments(lines)), key=lambda each: (each.first, -each.last)))


def _blocks(lines: list[str]) -> Iterator[Fold]:
    waiting: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate([*lines, "end"], 1):
        if not line or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        while waiting and waiting[-1][0] >= indent:
            _, first = waiting.pop()
            if last > first:
                yield Fold(first, last)
        waiting.append((indent, number))
        last = number


def _comments(lines: list[str]) -> Iterator[Fold]:
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("#"):
            first = first or number
        elif first:
            if number - 1 > first:
                yield Fold(first, number - 1, is_comment=True)
            first = 0


def colours(opened: Open) -> tuple[Colour, ...]:
    """What is of which sort in a text, in order; names by what they stood for when the ruleset was checked last."""
    known = opened.best if opened.now.loaded.program is None else opened.now
    names: dict[int, Colour] = {}
    for each in known.index.of_text(opened.name):
        place = opened.placed(known, each.span)
        if place is not None and each.target.sort != "clause":
            names[place.start] = Colour(place, each.target.sort, each.role in DECLARING)
    found: dict[int, Colour] = {}
    start = 0
    live, written = opened.live, chunks(opened.live.text.content)
    live.coloured = {each: live.coloured.get(each) or tuple(_coloured(each)) for each in written}
    for chunk in written:
        for at, end, sort in live.coloured[chunk]:
            found[start + at] = Colour(Span(opened.name, start + at, start + end), sort)
        start += len(chunk)
    return tuple(each for _, each in sorted({**found, **names}.items()) if each.sort)


def _coloured(chunk: str) -> Iterator[tuple[int, int, str]]:
    """Where words of the language, texts, numbers, margins and comments of a declaration stand, in any order."""
    read = engine().read(readable(chunk))
    if not isinstance(read, Reading):
        for each in _ANY.finditer(chunk):
            yield each.start(), each.end(), _guessed(each[0])
        return
    tokens = [token for line in read.lines for token in line.tokens]
    numbered = (each for each in tokens if each.type == "ADDRESS" and "#" in each)
    signs = {(each.start_pos or 0) + each.index("#") for each in numbered}
    at = 0
    while (found := COMMENT_OR_STRING.search(chunk, at)) is not None:
        is_number = found.start() in signs
        at = found.start() + 1 if is_number else found.end()
        if found["comment"] is not None and not is_number:
            yield found.start(), at, "comment"
    for token in tokens:
        yield from _of_token(token)


def _of_token(token: Any) -> Iterator[tuple[int, int, str]]:  # a token of a reading
    sort = _SORTS.get(token.type, "keyword" if token.type not in _SHAPES and token[:1].isalpha() else "")
    if sort:
        yield token.start_pos or 0, token.end_pos or 0, sort


def _guessed(written: str) -> str:
    """The sort of what stands in a declaration that cannot be read."""
    first = written[0]
    if "#" in written[1:] and first not in '"#@':
        return ""
    if first in '"#@':
        return {'"': "string", "#": "comment", "@": "cite"}[first]
    if first.isdigit():
        return "number"
    return "keyword" if written in BEGINNINGS | RESERVED else ""
