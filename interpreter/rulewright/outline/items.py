"""A program as a tree of items: what can be told, and matched with those of another revision."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from rulewright.frozen import dataclass
from rulewright.outline.names import Name, Tokens
from rulewright.source import Span, Text

_COMMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*#(.*)')
"""What stands behind the first `#` of a line that is not inside quotes."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something an item says.

    Attributes:
        name: what it is, in a designer's word: `value`, `condition`, `bound`.
        form: what it says, to compare by.
        text: as it is written; empty where it cannot be shown by itself.
    """

    name: str
    form: Tokens
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, or anything inside one that has a place of its own.

    Attributes:
        sort: in a designer's word: `procedure`, `step`, `line`, `row`, `attribute`.
        id: what its author calls it; empty where it has no name.
        address: its address.
        text: its own line as written, on one line.
        span: where that is.
        name: what others call it by; none where nothing can mention it.
        title: title, prompt or reason; words for people.
        cites: clauses in its margin.
        parts: what it says itself.
        items: what stands inside it, in order.
        ordered: whether its place among its neighbours counts.
        notes: comments above its first line and behind it; they are no part of what it says.
    """

    sort: str
    id: str
    address: str
    text: str
    span: Span
    name: Name | None = None
    title: str = ""
    cites: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    items: tuple["Item", ...] = ()
    ordered: bool = False
    notes: tuple[str, ...] = ()

    @property
    def form(self) -> Tokens:
        """What it says itself, without what stands inside it."""
        return (self.sort, *(token for part in self.parts for token in (part.name, *part.form)))

    def inside(self) -> Iterator["Item"]:
        """The item and all inside it, in order of the text."""
        yield self
        for each in self.items:
            yield from each.inside()


@dataclass(frozen=True, slots=True)
class Outline:
    """All declarations of a program, in order."""

    items: tuple[Item, ...]

    def every(self) -> Iterator[Item]:
        """All items with all inside them."""
        for each in self.items:
            yield from each.inside()


class Notes:
    """The comments of texts: those right above the first line of what they belong to, and the one behind it."""

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self._texts = {name: _Comments(text) for name, text in texts.items() if "#" in text.content}

    def on(self, item: Item, around: Item | None = None) -> Item:
        """An item, and all inside it, with the comments that belong to them; what begins with another has none."""
        known = self._texts.get(item.span.source)
        begins = around is None or around.span.start != item.span.start
        notes = known.of(item.span.start) if known is not None and begins else ()
        inside = tuple(self.on(each, item) for each in item.items) if self._texts else item.items
        return replace(item, notes=notes, items=inside) if notes or inside != item.items else item


class _Comments:
    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.content.split("\n")

    def of(self, start: int) -> tuple[str, ...]:
        """The comments of what begins at a place; none where something else begins its line."""
        position = self._text.position(start)
        at = position.line - 1
        if self._lines[at][: position.column - 1].strip():
            return ()
        first = at
        while first and self._lines[first - 1].lstrip().startswith("#"):
            first -= 1
        behind = _COMMENT.match(self._lines[at])
        own = [behind[1]] if behind else []
        return tuple(each.strip() for each in (*(line.lstrip()[1:] for line in self._lines[first:at]), *own))
