"""The lines of a routine as items, and what they say: as rows of tokens to compare by, and in words to show.

Places in the text, proofs and types inside an expression leave no token. A declared name is a `Name`, so that names
can be translated; everything else is text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.frozen import dataclass
from rulewright.outline.items import NAMED, Item, Name, Part, Token, Tokens, Within
from rulewright.program import expressions as ex, rows as r, statements as st
from rulewright.program.types import Type
from rulewright.program.wording import Wording
from rulewright.roles import Role, is_node, names
from rulewright.source import Span

_LEFT_OUT = (Role.PLACE, Role.PROOF, Role.MARGIN, Role.FACT)


def tokens(node: object, within: Within) -> Tokens:
    """What a part of a declaration says, as a row of tokens; equal for what is written alike."""
    return tuple(_tokens(node, within))


def _tokens(node: object, within: Within) -> Iterator[Token]:
    if isinstance(node, tuple):
        yield "("
        for each in node:
            yield from _tokens(each, within)
        yield ")"
    elif isinstance(node, ex.Narrowed):
        yield from _tokens(node.operand, within)
    elif isinstance(node, ex.Variable):
        yield within.variable(node.name)
    elif is_node(type(node)):
        yield from _node(node, within)
    else:
        yield repr(node)


def _node(node: Any, within: Within) -> Iterator[Token]:  # any class of the program
    sort = type(node)
    yield sort.__name__
    named = NAMED.get(sort, {})
    if sort in {ex.MakeCollection, ex.Comprehension}:
        yield type(node.type).__name__
    for name in names(sort, *_LEFT_OUT):
        yield from named[name](node, within) if name in named else _tokens(getattr(node, name), within)
    yield "."


_PLACES = (st.VariablePlace, st.EntryPlace, st.PartPlace, st.AttributePlace, st.GamePlace, st.CellPlace)


class Writer:
    """Writes the parts of one declaration.

    Args:
        within: the declaration.
        written: the text of a span, on one line; empty where it is not known.
    """

    def __init__(self, within: Within, written: Callable[[Span], str]) -> None:
        self.within = within
        self._written = written
        self._wording = Wording(within.program)

    def part(self, name: str, node: object) -> Part:
        """What a value of the program says; what has no words of its own is told by the whole line."""
        return Part(name, tokens(node, self.within), self._text(node))

    def field(self, name: str, node: object, field: str) -> Part:
        """What a field of a line says, which may be a name."""
        value = getattr(node, field)
        naming = NAMED.get(type(node), {}).get(field)
        form = naming(node, self.within) if naming else tokens(value, self.within)
        return Part(name, form, self._text(value))

    def parts(self, *named: tuple[str, object]) -> tuple[Part, ...]:
        """Parts by name; those that are not there are left out."""
        return tuple(self.part(name, node) for name, node in named if node is not None and node != ())

    def mention(self, name: str, sort: str, mentioned: str) -> Part:
        """A declared name."""
        return Part(name, (Name(sort, mentioned),), mentioned)

    def places(self, name: str, changes: tuple[str, ...]) -> Part:
        """What an external may change: attributes, fields of `game`, and what may leave play."""
        named = (
            Name("field", each.partition("/")[2]) if each.startswith("game/") else Name("attribute", each)
            for each in changes
        )
        return Part(name, tuple(named), ", ".join(each.replace("/", ".") for each in changes))

    def _text(self, node: object) -> str:  # noqa: PLR0911 - one case for each sort
        match node:
            case bool():
                return "yes" if node else "no"
            case int() | str() | Fraction():
                return str(node)
            case ex.Binding():
                return self._wording.binding(node)
            case ex.Variable(name=name):
                return name
            case ex.Typed():
                return self._written(node.span) or self._wording.text(node)  # type: ignore[arg-type]
            case (r.Cell(), *_):
                return CELLS.join(self._cell(each) for each in node if isinstance(each, r.Cell))
            case tuple():
                texts = [self._text(each) for each in node]
                return ", ".join(texts) if all(texts) else ""
            case _ if isinstance(node, _PLACES):
                return self._wording.place(node)
            case _ if isinstance(node, Type):
                return str(node)
            case _:
                return ""

    def _cell(self, cell: r.Cell) -> str:
        """What an input of a table must be, in words."""
        low, high, value = (each and self._text(each) for each in (cell.low, cell.high, cell.value))
        if low and high:
            return f"{low} to {high}"
        return f"{low} or more" if low else f"{high} or less" if high else value or "anything"


CELLS = " | "
"""What stands between the cells of a row, in words."""
_HEAD = (Role.NAME, Role.PLACE, Role.MARGIN, Role.WORDS, Role.FACT, Role.EFFECT)
_WORDS = {
    "guard": "when",
    "place": "what is changed",
    "who": "who is asked",
    "by": "who rolls",
    "learner": "who alone learns what it is",
    "binding": "what it goes through",
    "parts": "dice",
    "change": "kind of change",
    "best": "order",
    "procedure": "procedure",
    "up_to": "as far as possible",
}
SORTS: Mapping[type, str] = {
    st.Branch: "branch",
    st.Case: "case",
    st.Option: "option",
    st.Demand: "requirement",
    st.RankKey: "key",
    st.Ruling: "ruling",
    r.TallyRow: "modifier",
    r.DecideRow: "row",
    r.TableRow: "row",
    r.ConditionRow: "condition",
}


@dataclass(frozen=True, slots=True)
class Lines:
    """Makes items of lines and of what stands inside them."""

    writer: Writer  # writes their parts
    text: Callable[[Span], str]  # the text of a span, on one line

    def block(self, block: st.Block) -> tuple[Item, ...]:
        """The lines of a block that do something."""
        return tuple(self.item(each) for each in block if not isinstance(each, st.Nothing))

    def item(self, node: Any, around: str = "") -> Item:  # a line, row, branch, case, option or key
        """One line, row, branch, case, option or key; those without an address bear that of the line around them."""
        address = getattr(node, "address", around)
        return Item(
            sort=next((word for sort, word in SORTS.items() if isinstance(node, sort)), "line"),
            id=_id(node, address),
            address=address,
            text=self._text(node),
            span=node.span,
            title=getattr(node, "title", "") or getattr(node, "prompt", "") or getattr(node, "text", ""),
            cites=node.cites,
            parts=(*self._kind(node), *self._parts(node)),
            items=tuple(self._items(node)),
            ordered=not isinstance(node, st.Case | st.Option | r.ConditionRow) or getattr(node, "prefer", False),
        )

    def _text(self, node: Any) -> str:
        match node:
            case st.Branch(condition=condition):
                return f"if {self.writer.part('', condition).text}"
            case st.Case(values=()):
                return "otherwise"
            case st.Case(values=values):
                return f"on {self.writer.part('', _as_written(values)).text}"
            case _:
                return self.text(node.span)

    def _kind(self, node: Any) -> Iterator[Part]:
        """The class of a line, for it has no other word for what it does."""
        if isinstance(node, st.Line):
            sort = st.Perform if isinstance(node, st.PerformExternal) else type(node)
            yield Part("what it does", (sort.__name__,), "")
        if isinstance(node, st.Ask):
            yield Part("what is asked", (type(node.shape).__name__,), "")
        if isinstance(node, st.Let) and _TYPED.match(self.text(node.span)):
            yield self.writer.part("type", node.variable.type)

    def _parts(self, node: Any) -> Iterator[Part]:
        for name in names(type(node), *_HEAD):
            value = getattr(node, name)
            if value is None or value == () or _holds_items(value) or name == "otherwise":
                continue
            if isinstance(value, st.Shape) and not isinstance(value, st.Choose):
                yield from self._parts(value)
            elif not isinstance(value, st.Choose | st.Ask):
                yield self._field(node, name)

    def _field(self, node: Any, name: str) -> Part:
        part = self.writer.field(_WORDS.get(name, name.replace("_", " ")), node, name)
        if isinstance(node, st.Case) and name == "values":
            return replace(part, text=self.writer.part("", _as_written(node.values)).text)
        if isinstance(node, st.Perform) and name == "procedure":
            return replace(part, name="performs")
        if isinstance(node, st.PerformExternal) and name == "external":
            return replace(part, name="performs", text=f"external {part.text}")
        return part

    def _items(self, node: Any) -> Iterator[Item]:
        for name in names(type(node), *_HEAD):
            value = getattr(node, name)
            if name == "otherwise" and value is not None:
                yield Item("else", "", node.address, "else", node.span, items=self.block(value), ordered=True)
            elif isinstance(value, st.Choose):
                yield from map(self.item, value.options)
            elif isinstance(value, st.Ask):
                yield self.item(value)
            elif _holds_items(value):
                around = getattr(node, "address", "")
                yield from (self.item(each, around) for each in value if not isinstance(each, st.Nothing))


def _as_written(values: tuple[ex.Expression, ...]) -> tuple[ex.Expression, ...]:
    """The values of a case, of each range one number: all its numbers have the place of the range."""
    return tuple({each.span: each for each in values}.values())


def _holds_items(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], (st.Line, *SORTS))


def _id(node: Any, address: str) -> str:
    """What the author calls it: its id, its label, or the name it sets; nothing where the address is made up."""
    if isinstance(node, st.Ruling):
        return node.number
    if hasattr(node, "id"):
        return str(node.id)
    last = address.rpartition("/")[2]
    made_up = "." in last or "#" in last or last in _KEYWORDS
    return "" if made_up or not isinstance(node, st.Line) else last


_TYPED = re.compile(r"\Z|let \w+:")
"""A `let` that says its type, or one whose text is not known."""
_KEYWORDS = frozenset("if match repeat together nothing stop finish reveal ask".split())  # noqa: SIM905
