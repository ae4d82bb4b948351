"""Builder of nodes from Lark's parse tree, driven by a table with one maker per grammar rule."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, get_origin

from lark import Token, Tree

from rulewright.base.source import Span
from rulewright.syntax.layout import LogicalLine
from rulewright.syntax.nodes.expressions import Cite, Name

_N = TypeVar("_N")
_BLOCK_FIELDS = ("block", "conditions", "target", "declaration")
"""Fields that end the line of a rule and hold its margin."""


@dataclass(frozen=True)
class OffsetMap:
    """Maps offsets of the parsed content to spans of the text."""

    source: str
    content: str
    lines: Sequence[LogicalLine]  # in order
    shift: int = 0  # offset of the parsed content in the whole text

    def make_span(self, start: int, end: int) -> Span:
        return Span(self.source, start + self.shift, end + self.shift)

    def find_head_end(self, start: int) -> int:
        """End of the head of the logical line that holds an offset."""
        index = bisect_right(self.lines, start, key=lambda line: line.start) - 1
        return self.lines[index].head_end


class RuleMatch:
    """A matched grammar rule with the values of its children.

    Attributes:
        span: the whole rule.
        values: one per child in order: a node, a `Name` for a word, none where the grammar left the child out. Cites of
            the margin are not among them.
        cites: the margin.
    """

    __slots__ = ("_end", "_places", "_start", "cites", "span", "values")

    def __init__(self, tree: Tree[Token], builder: "NodeBuilder") -> None:
        meta = tree.meta
        self._start, self._end = (0, 0) if meta.empty else (meta.start_pos, meta.end_pos)
        self._places = builder.places
        self.span = self._places.make_span(self._start, self._end)
        self.cites: tuple[Cite, ...] = ()
        self.values: list[Any] = []
        for child in tree.children:
            child_node = None if child is None else builder.build_child(child)
            if child_node.__class__ is Cite:
                self.cites += (child_node,)
            else:
                self.values.append(child_node)

    @property
    def head(self) -> Span:
        """First line of the rule, without its colon and margin."""
        return self._places.make_span(self._start, min(self._end, self._places.find_head_end(self._start)))

    @property
    def text(self) -> str:
        return self._places.content[self._start : self._end]

    def make_spanned_node(self, kind: Callable[..., _N], **values: object) -> _N:
        """Node of a class with these fields; span, head and margin are those of the rule, unless given."""
        return _get_finisher(kind)(self, values)  # type: ignore[no-any-return]


NodeMaker = Callable[[RuleMatch], Any]


class NodeBuilder:
    """Builds the nodes of a text bottom-up: a rule by the table, a word as a `Name`."""

    def __init__(self, table: Mapping[str, NodeMaker], places: OffsetMap) -> None:
        self.places = places
        self._table = table

    def build_child(self, child: Tree[Token] | Token) -> Any:
        """Value of a rule or word."""
        if isinstance(child, Token):
            return Name(str(child), self.places.make_span(child.start_pos or 0, child.end_pos or 0))
        return self._table[child.data](RuleMatch(child, self))


def build_node_of(kind: type, order: str = "", /, **constants: object) -> NodeMaker:
    """Maker of nodes of a class: fields in grammar order from the children, and constant fields.

    The type of a field says how its child is read: `bool` whether there is one, `str` and `int` the word itself (1
    without one), `tuple` empty without one. The last name may be `field*`, which takes all remaining children. If the
    line ends with a block, conditions or another part, that part holds the margin of the line.
    """
    field_types = _get_field_types(kind)
    annotations = [(name, field_types[name.rstrip("*")]) for name in order.split()]
    reads = [(name, _WORD_READERS.get(get_origin(annotation) or annotation)) for name, annotation in annotations]
    rest = reads.pop()[0].rstrip("*") if order.endswith("*") else ""
    finish = _get_finisher(kind)
    opener = next((name for name, _ in reads if name in _BLOCK_FIELDS and "cites" in field_types), "")

    def build_from_rule(rule: RuleMatch) -> Any:
        values = iter(rule.values)
        field_values: dict[str, Any] = constants.copy()
        for name, read in reads:
            value = next(values, None)
            field_values[name] = read(value) if read else value
        if rest:
            field_values[rest] = tuple(values)
        if opener and field_values[opener] and not rule.cites:
            field_values["cites"] = field_values[opener].cites
        return finish(rule, field_values)

    return build_from_rule


@cache
def _get_finisher(kind: Any) -> Callable[[RuleMatch, dict[str, Any]], Any]:
    """Constructor of a node class that adds span, head and margin of the rule."""
    has_head, has_cites = "head" in _get_field_types(kind), "cites" in _get_field_types(kind)

    def finish_node(rule: RuleMatch, values: dict[str, Any]) -> Any:
        if has_head:
            values["head"] = rule.head
        if has_cites:
            values.setdefault("cites", rule.cites)
        return kind(span=rule.span, **values)

    return finish_node


@cache
def _get_field_types(kind: Any) -> Mapping[str, Any]:
    return {field.name: field.type for field in fields(kind)}


_WORD_READERS: dict[object, Callable[[Any], object]] = {
    bool: lambda word: word is not None,
    str: lambda word: "" if word is None else " ".join(word.text.split()),
    int: lambda word: 1 if word is None else word if isinstance(word, int) else int(word.text),
    tuple: lambda row: row or (),
}


def take_children(rule: RuleMatch) -> tuple[Any, ...]:
    """Maker for a list rule: its children."""
    return tuple(rule.values)


def take_only_child(rule: RuleMatch) -> Any:
    """Maker for a rule with one child: that child."""
    return rule.values[0]
