"""The lines of a routine as items."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Part
from rulewright.outline.writing import Writer
from rulewright.program import rows as r
from rulewright.program import statements as st
from rulewright.roles import Role, names
from rulewright.source import Span

_HEAD = (Role.NAME, Role.PLACE, Role.MARGIN, Role.WORDS, Role.FACT, Role.EFFECT)
_WORDS = {
    "guard": "when",
    "place": "what is changed",
    "who": "who is asked",
    "by": "who rolls",
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
_UNORDERED = (st.Case, st.Option, r.ConditionRow)


@dataclass(frozen=True, slots=True)
class Lines:
    """Makes items of lines and of what stands inside them.

    Attributes:
        writer: writes their parts.
        text: the text of a span, on one line.
    """

    writer: Writer
    text: Callable[[Span], str]

    def block(self, block: st.Block) -> tuple[Item, ...]:
        """The lines of a block that do something."""
        return tuple(self.item(each) for each in block if not isinstance(each, st.Nothing))

    def item(self, node: Any, around: str = "") -> Item:  # noqa: ANN401 - a line, row, branch, case, option or key
        """One line, row, branch, case, option or key; those without an address bear that of the line around them."""
        address = getattr(node, "address", around)
        return Item(
            sort=next((word for sort, word in SORTS.items() if isinstance(node, sort)), "line"),
            id=_id(node, address),
            address=address,
            text=self._text(node),
            span=node.span,
            title=_title(node),
            cites=node.cites,
            parts=(*self._kind(node), *self._parts(node)),
            items=tuple(self._items(node)),
            ordered=not isinstance(node, _UNORDERED),
        )

    def _text(self, node: Any) -> str:  # noqa: ANN401
        match node:
            case st.Branch(condition=condition):
                return f"if {self.writer.part('', condition).text}"
            case st.Case(values=values):
                return f"on {self.writer.part('', values).text}"
            case _:
                return self.text(node.span)

    def _kind(self, node: Any) -> Iterator[Part]:  # noqa: ANN401
        """The class of a line, for it has no other word for what it does."""
        if isinstance(node, st.Line):
            sort = st.Perform if isinstance(node, st.PerformExternal) else type(node)
            yield Part("what it does", (sort.__name__,), "")
        if isinstance(node, st.Ask):
            yield Part("what is asked", (type(node.shape).__name__,), "")
        if isinstance(node, st.Let) and _TYPED.match(self.text(node.span)):
            yield self.writer.part("type", node.variable.type)

    def _parts(self, node: Any) -> Iterator[Part]:  # noqa: ANN401
        for name in names(type(node), *_HEAD):
            value = getattr(node, name)
            if value is None or value == () or _holds_items(value) or name == "otherwise":
                continue
            if isinstance(value, st.Shape) and not isinstance(value, st.Choose):
                yield from self._parts(value)
            elif not isinstance(value, st.Choose | st.Ask):
                yield self._field(node, name)

    def _field(self, node: Any, name: str) -> Part:  # noqa: ANN401
        part = self.writer.field(_WORDS.get(name, name.replace("_", " ")), node, name)
        if isinstance(node, st.Perform) and name == "procedure":
            return replace(part, name="performs")
        if isinstance(node, st.PerformExternal) and name == "external":
            return replace(part, name="performs", text=f"external {part.text}")
        return part

    def _items(self, node: Any) -> Iterator[Item]:  # noqa: ANN401
        for name in names(type(node), *_HEAD):
            value = getattr(node, name)
            if name == "otherwise" and value is not None:
                yield self._else(node, value)
            elif isinstance(value, st.Choose):
                yield from map(self.item, value.options)
            elif isinstance(value, st.Ask):
                yield self.item(value)
            elif _holds_items(value):
                around = getattr(node, "address", "")
                yield from (self.item(each, around) for each in value if not isinstance(each, st.Nothing))

    def _else(self, node: Any, block: st.Block) -> Item:  # noqa: ANN401
        return Item("else", "", node.address, "else", node.span, items=self.block(block), ordered=True)


def _holds_items(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], (st.Line, *SORTS))


def _title(node: Any) -> str:  # noqa: ANN401
    return getattr(node, "title", "") or getattr(node, "prompt", "") or getattr(node, "text", "")


def _id(node: Any, address: str) -> str:  # noqa: ANN401
    """What the author calls it: its id, its label, or the name it sets; nothing where the address is made up."""
    if isinstance(node, st.Ruling):
        return node.finding
    if hasattr(node, "id"):
        return str(node.id)
    last = address.rpartition("/")[2]
    made_up = "." in last or "#" in last or last in _KEYWORDS
    return "" if made_up or not isinstance(node, st.Line) else last


_TYPED = re.compile(r"\Z|let \w+:")
"""A `let` that says its type, or one whose text is not known."""
_KEYWORDS = frozenset("if match repeat together nothing stop finish reveal ask".split())  # noqa: SIM905
