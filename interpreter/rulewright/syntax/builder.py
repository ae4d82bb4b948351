"""From Lark's tree to nodes, by a table that says of each rule of the grammar what becomes of it."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, get_origin

from lark import Token, Tree

from rulewright.source import Span
from rulewright.syntax.layout import Line
from rulewright.syntax.nodes.expressions import Cite, Name

_N = TypeVar("_N")
_OPENERS = ("block", "conditions", "target", "declaration")
"""The fields of what ends the line of a rule, and holds its margin."""


@dataclass(frozen=True)
class Places:
    """Turns offsets of a parsed text into spans."""

    source: str  # name of the text
    content: str  # the text
    lines: Sequence[Line]  # its logical lines in order
    shift: int = 0  # where the parsed content begins in the whole text

    def span(self, start: int, end: int) -> Span:
        """The span of offsets into the parsed content."""
        return Span(self.source, start + self.shift, end + self.shift)

    def head_end(self, start: int) -> int:
        """Where the head of the line ends that holds an offset."""
        index = bisect_right(self.lines, start, key=lambda line: line.start) - 1
        return self.lines[index].head_end


class Rule:
    """One rule of a tree, with what became of its children.

    Attributes:
        span: the whole rule.
        values: of each child in order: what the table makes of a rule, a word as a `Name`, none where the grammar left
            the child out. The margin of the rule's own line stands apart.
        cites: that margin.
    """

    __slots__ = ("_end", "_places", "_start", "cites", "span", "values")

    def __init__(self, tree: Tree[Token], builder: "Builder") -> None:
        meta = tree.meta
        self._start, self._end = (0, 0) if meta.empty else (meta.start_pos, meta.end_pos)
        self._places = builder.places
        self.span = self._places.span(self._start, self._end)
        self.cites: tuple[Cite, ...] = ()
        self.values: list[Any] = []
        for child in tree.children:
            made = None if child is None else builder.made(child)
            if made.__class__ is Cite:
                self.cites += (made,)
            else:
                self.values.append(made)

    @property
    def head(self) -> Span:
        """The first line of the rule, without its colon and margin."""
        return self._places.span(self._start, min(self._end, self._places.head_end(self._start)))

    @property
    def text(self) -> str:
        """The rule as written."""
        return self._places.content[self._start : self._end]

    def node(self, kind: Callable[..., _N], **said: object) -> _N:
        """A node of a class that says this; its place, head and margin are those of the rule, unless said otherwise."""
        return _finish(kind)(self, said)  # type: ignore[no-any-return]


Build = Callable[[Rule], Any]


class Builder:
    """Makes the nodes of a text: of a rule what the table says, of a word a name."""

    def __init__(self, table: Mapping[str, Build], places: Places) -> None:
        self.places = places
        self._table = table

    def made(self, child: Tree[Token] | Token) -> Any:  # what the table says
        """What becomes of a rule or word."""
        if isinstance(child, Token):
            return Name(str(child), self.places.span(child.start_pos or 0, child.end_pos or 0))
        return self._table[child.data](Rule(child, self))


def node(kind: type, order: str = "", /, **said: object) -> Build:
    """Makes a node of a class: its fields as the grammar writes them, in order, and what the rule itself says.

    The type of a field says how it is read: `bool` whether anything is written, `str` and `int` the word itself (1
    where none stands), `tuple` nothing where it is left out. The last may be `field*`, which takes all that follow.
    Where the line ends with a block, conditions or another part, the margin stands there.
    """
    own = _types(kind)
    reads = [(name, _reader(own[name.rstrip("*")])) for name in order.split()]
    rest = reads.pop()[0].rstrip("*") if order.endswith("*") else ""
    finish = _finish(kind)
    opener = next((name for name, _ in reads if name in _OPENERS and "cites" in own), "")

    def build(rule: Rule) -> Any:  # a node of this class
        values = iter(rule.values)
        made: dict[str, Any] = said.copy()
        for name, read in reads:
            value = next(values, None)
            made[name] = read(value) if read else value
        if rest:
            made[rest] = tuple(values)
        if opener and made[opener] and not rule.cites:
            made["cites"] = made[opener].cites
        return finish(rule, made)

    return build


@cache
def _finish(kind: Any) -> Callable[[Rule, dict[str, Any]], Any]:  # a class of nodes
    """Makes a node of a class of what it says, its place, its head and its margin."""
    has_head, has_cites = "head" in _types(kind), "cites" in _types(kind)

    def finish(rule: Rule, said: dict[str, Any]) -> Any:  # a node of this class
        if has_head:
            said["head"] = rule.head
        if has_cites:
            said.setdefault("cites", rule.cites)
        return kind(span=rule.span, **said)

    return finish


@cache
def _types(kind: Any) -> Mapping[str, Any]:  # a class of nodes
    return {each.name: each.type for each in fields(kind)}


_WORDS: dict[object, Callable[[Any], object]] = {
    bool: lambda word: word is not None,
    str: lambda word: "" if word is None else " ".join(word.text.split()),
    int: lambda word: 1 if word is None else word if isinstance(word, int) else int(word.text),
    tuple: lambda row: row or (),
}


def _reader(wanted: Any) -> Callable[[Any], object] | None:  # a type
    """How a field of a type is read where it is not a node."""
    return _WORDS.get(get_origin(wanted) or wanted)


def everything(rule: Rule) -> tuple[Any, ...]:
    """The children of a rule that is a list."""
    return tuple(rule.values)


def inner(rule: Rule) -> Any:  # whatever stands in it
    """The one child of a rule that only holds it."""
    return rule.values[0]
