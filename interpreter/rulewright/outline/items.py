"""A program as a tree of items: what can be told, and matched with those of another revision."""

from collections.abc import Iterator

from rulewright.frozen import dataclass
from rulewright.outline.names import Name, Tokens
from rulewright.source import Span


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
