"""Reading the children of a grammar rule in their order; types; lines and blocks, whatever their verbs."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeVar

from lark import Token, Tree

from rulewright.source import Span
from rulewright.syntax.layout import Line
from rulewright.syntax.nodes.names import Cite, Dotted, Name, Title
from rulewright.syntax.nodes.statements import Block, Statement
from rulewright.syntax.nodes.types import CollectionType, MapType, NamedType, OptionalType, RangeType, TupleType, Type

T = TypeVar("T")
Child = Tree[Token] | Token | None


@dataclass(frozen=True)
class Places:
    """Turns offsets of a parsed text into spans.

    Attributes:
        source: name of the text.
        content: the text.
        lines: its logical lines in order.
        shift: where the parsed content begins in the whole text.
    """

    source: str
    content: str
    lines: Sequence[Line]
    shift: int = 0

    def span(self, start: int, end: int) -> Span:
        """The span of offsets into the parsed content."""
        return Span(self.source, start + self.shift, end + self.shift)

    def head_end(self, start: int) -> int:
        """Where the head of the line ends that holds an offset."""
        index = bisect_right(self.lines, start, key=lambda line: line.start) - 1
        return self.lines[index].head_end


class Parts:
    """The children of one rule.

    They are read from the first to the last; what the grammar leaves out reads as none. The cites of the rule's own
    line stand apart.
    """

    def __init__(self, tree: Tree[Token], places: Places) -> None:
        self.rule = str(tree.data)
        self._tree = tree
        self._places = places
        self._cites = [each for each in tree.children if isinstance(each, Tree) and each.data == "cite"]
        self._rest: list[Child] = [
            each for each in tree.children if not (isinstance(each, Tree) and each.data == "cite")
        ]
        self._next = 0

    @property
    def span(self) -> Span:
        """The whole rule."""
        return self._places.span(self._start, self._end)

    @property
    def head(self) -> Span:
        """The first line of the rule, without its colon and margin."""
        return self._places.span(self._start, min(self._end, self._places.head_end(self._start)))

    @property
    def text(self) -> str:
        """The rule as written."""
        return self._places.content[self._start : self._end]

    @property
    def cites(self) -> tuple[Cite, ...]:
        """The margin of the rule's own line."""
        return tuple(Cite(Parts(each, self._places).text[1:], Parts(each, self._places).span) for each in self._cites)

    @property
    def _start(self) -> int:
        return 0 if self._tree.meta.empty else self._tree.meta.start_pos

    @property
    def _end(self) -> int:
        return 0 if self._tree.meta.empty else self._tree.meta.end_pos

    def more(self) -> bool:
        """Whether children are left to read."""
        return self._next < len(self._rest)

    def follows(self, *rules: str) -> bool:
        """Whether the next child is of one of these rules."""
        child = self._rest[self._next] if self.more() else None
        return isinstance(child, Tree) and child.data in rules

    def follows_word(self) -> bool:
        """Whether the next child is a word, no rule."""
        return self.more() and isinstance(self._rest[self._next], Token)

    def one(self, build: Callable[["Parts"], T]) -> T:
        """The next child, built."""
        child = self._take()
        assert isinstance(child, Tree)
        return build(Parts(child, self._places))

    def maybe(self, build: Callable[["Parts"], T]) -> T | None:
        """The next child, built; none where the grammar left it out."""
        if self.more() and self._rest[self._next] is None:
            self._next += 1
            return None
        return self.one(build)

    def many(self, build: Callable[["Parts"], T], *rules: str) -> tuple[T, ...]:
        """All children from here on, or all from here that are of these rules."""
        found: list[T] = []
        while self.more() and (not rules or self.follows(*rules)):
            found.append(self.one(build))
        return tuple(found)

    def last(self, build: Callable[["Parts"], T], *rules: str) -> T | None:
        """The next child if it is of these rules; else none, and the child is left."""
        return self.one(build) if self.follows(*rules) else None

    def word(self) -> str:
        """The next child, a word, with single spaces; empty where the grammar left it out."""
        child = self._take()
        return "" if child is None else " ".join(str(child).split())

    def name(self) -> Name:
        """The next child, a name, step id or address."""
        child = self._take()
        assert isinstance(child, Token)
        return Name(str(child), self._token_span(child))

    def maybe_name(self) -> Name | None:
        """The next child, a name; none where the grammar left it out."""
        if self._rest[self._next] is None:
            self._next += 1
            return None
        return self.name()

    def names(self) -> tuple[Name, ...]:
        """All children from here on, names."""
        found: list[Name] = []
        while self.more():
            found.append(self.name())
        return tuple(found)

    def title(self) -> Title | None:
        """The next child, text in quotes; none where the grammar left it out."""
        return self.maybe(required_title)

    def _take(self) -> Child:
        child = self._rest[self._next]
        self._next += 1
        return child

    def _token_span(self, token: Token) -> Span:
        return self._places.span(token.start_pos or 0, token.end_pos or 0)


def required_title(parts: Parts) -> Title:
    """Text in quotes."""
    return Title(parts.text[1:-1], parts.span)


def dotted(parts: Parts) -> Dotted:
    """Names joined by dots."""
    return Dotted(parts.names(), parts.span)


class Whole(TypedDict):
    """What a line shares with all others, apart from its title and margin."""

    span: Span
    head: Span
    label: Name | None


Build = Callable[[Parts, Whole], Statement]
VERBS: dict[str, Build] = {}
"""The verbs, filled by `builder.file`."""


def statement(parts: Parts) -> Statement:
    """Any line, with its id if it has one."""
    if parts.rule != "labelled":
        return VERBS[parts.rule](parts, Whole(span=parts.span, head=parts.head, label=None))
    span, label = parts.span, parts.name()
    return parts.one(lambda verb: VERBS[verb.rule](verb, Whole(span=span, head=verb.head, label=label)))


def block(parts: Parts) -> Block:
    """Indented lines, and the cites of the line that opens them."""
    lines = parts.many(statement)
    return Block(lines, lines[0].span.to(lines[-1].span), parts.cites)


def build_type(parts: Parts) -> Type:
    """Any type."""
    return _TYPES[parts.rule](parts)


def _bound(parts: Parts) -> int:
    return int("".join(parts.text.split()))


def _range(parts: Parts) -> Type:
    return RangeType(low=parts.one(_bound), high=parts.one(_bound), span=parts.span)


def _named(parts: Parts) -> Type:
    return NamedType(parts.one(dotted), parts.span)


def _optional(parts: Parts) -> Type:
    return OptionalType(parts.one(build_type), parts.span)


def _collection(parts: Parts) -> Type:
    return CollectionType(word=parts.word(), inner=parts.one(build_type), span=parts.span)


def _map(parts: Parts) -> Type:
    return MapType(key=parts.one(build_type), value=parts.one(build_type), span=parts.span)


def _tuple(parts: Parts) -> Type:
    return TupleType(parts.many(build_type), parts.span)


_TYPES: dict[str, Callable[[Parts], Type]] = {
    "range_type": _range,
    "named_type": _named,
    "optional_type": _optional,
    "collection_type": _collection,
    "map_type": _map,
    "tuple_type": _tuple,
}
