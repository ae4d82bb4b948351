"""The lines of a routine as items, and what they say: as rows of tokens to compare by, and in words to show.

Places in the text, proofs and types inside an expression leave no token. A declared name is a `Name`, so that names
can be translated; everything else is text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_field_names, is_node_class
from rulewright.base.source import Span
from rulewright.program import expressions as ex, rows as r, statements as st
from rulewright.program.outline.items import (
    NAME_FINDERS,
    DeclaredName,
    FormToken,
    FormTokens,
    ItemPart,
    NamingContext,
    OutlineItem,
)
from rulewright.program.types import Type
from rulewright.program.wording import ExpressionRenderer

_IGNORED_ROLES = (Role.PLACE, Role.PROOF, Role.MARGIN, Role.FACT)


def make_form_tokens(node: object, within: NamingContext) -> FormTokens:
    """What a part of a declaration says, as a row of tokens; equal for what is written alike."""
    return tuple(_walk_form_tokens(node, within))


def _walk_form_tokens(node: object, within: NamingContext) -> Iterator[FormToken]:
    if isinstance(node, tuple):
        yield "("
        for item in node:
            yield from _walk_form_tokens(item, within)
        yield ")"
    elif isinstance(node, ex.Narrowed):
        yield from _walk_form_tokens(node.operand, within)
    elif isinstance(node, ex.Variable):
        yield within.name_variable(node.name)
    elif is_node_class(type(node)):
        yield from _walk_node_tokens(node, within)
    else:
        yield repr(node)


def _walk_node_tokens(node: Any, within: NamingContext) -> Iterator[FormToken]:  # any class of the program
    sort = type(node)
    yield sort.__name__
    named = NAME_FINDERS.get(sort, {})
    if sort in {ex.MakeCollection, ex.Comprehension}:
        yield type(node.type).__name__
    for name in get_field_names(sort, *_IGNORED_ROLES):
        yield from named[name](node, within) if name in named else _walk_form_tokens(getattr(node, name), within)
    yield "."


_PLACE_TYPES = (st.VariablePlace, st.EntryPlace, st.PartPlace, st.AttributePlace, st.GamePlace, st.CellPlace)


class PartWriter:
    """Writes the parts of one declaration.

    Args:
        within: the declaration.
        written: the text of a span, on one line; empty where it is not known.
    """

    def __init__(self, within: NamingContext, written: Callable[[Span], str]) -> None:
        self.context = within
        self._get_span_text = written
        self._renderer = ExpressionRenderer(within.program)

    def make_part(self, name: str, node: object) -> ItemPart:
        """What a value of the program says; what has no words of its own is told by the whole line."""
        return ItemPart(name, make_form_tokens(node, self.context), self._render_value(node))

    def make_field_part(self, name: str, node: object, field: str) -> ItemPart:
        """What a field of a line says, which may be a name."""
        value = getattr(node, field)
        naming = NAME_FINDERS.get(type(node), {}).get(field)
        form = naming(node, self.context) if naming else make_form_tokens(value, self.context)
        return ItemPart(name, form, self._render_value(value))

    def make_parts(self, *named: tuple[str, object]) -> tuple[ItemPart, ...]:
        """Parts by name; those that are not there are left out."""
        return tuple(self.make_part(name, node) for name, node in named if node is not None and node != ())

    def make_mention_part(self, name: str, sort: str, mentioned: str) -> ItemPart:
        """A declared name."""
        return ItemPart(name, (DeclaredName(sort, mentioned),), mentioned)

    def make_places_part(self, name: str, changes: tuple[str, ...]) -> ItemPart:
        """What an external may change: attributes, fields of `game`, and what may leave play."""
        named = (
            DeclaredName("field", change.partition("/")[2])
            if change.startswith("game/")
            else DeclaredName("attribute", change)
            for change in changes
        )
        return ItemPart(name, tuple(named), ", ".join(change.replace("/", ".") for change in changes))

    def _render_value(self, node: object) -> str:
        match node:
            case bool():
                return "yes" if node else "no"
            case int() | str() | Fraction():
                return str(node)
            case ex.Binding():
                return self._renderer.render_binding(node)
            case ex.Variable(name=name):
                return name
            case ex.Typed():
                return self._get_span_text(node.span) or self._renderer.render_expression(node)  # type: ignore[arg-type]
            case (r.Cell(), *_):
                return CELL_SEPARATOR.join(self._render_cell(cell) for cell in node if isinstance(cell, r.Cell))
            case tuple():
                texts = [self._render_value(item) for item in node]
                return ", ".join(texts) if all(texts) else ""
            case _ if isinstance(node, _PLACE_TYPES):
                return self._renderer.render_place(node)
            case _ if isinstance(node, Type):
                return str(node)
            case _:
                return ""

    def _render_cell(self, cell: r.Cell) -> str:
        """What an input of a table must be, in words."""
        low, high, value = (item and self._render_value(item) for item in (cell.low, cell.high, cell.value))
        if low and high:
            return f"{low} to {high}"
        return f"{low} or more" if low else f"{high} or less" if high else value or "anything"


CELL_SEPARATOR = " | "
"""What stands between the cells of a row, in words."""
_ITEM_HEAD_ROLES = (Role.NAME, Role.PLACE, Role.MARGIN, Role.WORDS, Role.FACT, Role.EFFECT)
_LINE_FIELD_WORDS = {
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
ITEM_SORTS: Mapping[type, str] = {
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
class LineItemBuilder:
    """Makes items of lines and of what stands inside them."""

    writer: PartWriter  # writes their parts
    get_span_text: Callable[[Span], str]  # the text of a span, on one line

    def make_block_items(self, block: st.Block) -> tuple[OutlineItem, ...]:
        """The lines of a block that do something."""
        return tuple(self.make_line_item(item) for item in block if not isinstance(item, st.Nothing))

    def make_line_item(self, node: Any, around: str = "") -> OutlineItem:  # a line, row, branch, case, option or key
        """One line, row, branch, case, option or key; those without an address bear that of the line around them."""
        address = getattr(node, "address", around)
        return OutlineItem(
            sort=next((word for sort, word in ITEM_SORTS.items() if isinstance(node, sort)), "line"),
            id=_get_author_id(node, address),
            address=address,
            text=self._get_line_text(node),
            span=node.span,
            title=getattr(node, "title", "") or getattr(node, "prompt", "") or getattr(node, "text", ""),
            cites=node.cites,
            parts=(*self._make_kind_parts(node), *self._make_content_parts(node)),
            items=tuple(self._make_inner_items(node)),
            ordered=not isinstance(node, st.Case | st.Option | r.ConditionRow) or getattr(node, "prefer", False),
        )

    def _get_line_text(self, node: Any) -> str:
        match node:
            case st.Branch(condition=condition):
                return f"if {self.writer.make_part('', condition).text}"
            case st.Case(values=()):
                return "otherwise"
            case st.Case(values=values):
                return f"on {self.writer.make_part('', _list_written_values(values)).text}"
            case _:
                return self.get_span_text(node.span)

    def _make_kind_parts(self, node: Any) -> Iterator[ItemPart]:
        """The class of a line, for it has no other word for what it does."""
        if isinstance(node, st.Line):
            sort = st.Perform if isinstance(node, st.PerformExternal) else type(node)
            yield ItemPart("what it does", (sort.__name__,), "")
        if isinstance(node, st.Ask):
            yield ItemPart("what is asked", (type(node.shape).__name__,), "")
        if isinstance(node, st.Let) and _TYPED_LET.match(self.get_span_text(node.span)):
            yield self.writer.make_part("type", node.variable.type)

    def _make_content_parts(self, node: Any) -> Iterator[ItemPart]:
        for name in get_field_names(type(node), *_ITEM_HEAD_ROLES):
            value = getattr(node, name)
            if value is None or value == () or _holds_items(value) or name == "otherwise":
                continue
            if isinstance(value, st.Shape) and not isinstance(value, st.Choose):
                yield from self._make_content_parts(value)
            elif not isinstance(value, st.Choose | st.Ask):
                yield self._make_line_field_part(node, name)

    def _make_line_field_part(self, node: Any, name: str) -> ItemPart:
        part = self.writer.make_field_part(_LINE_FIELD_WORDS.get(name, name.replace("_", " ")), node, name)
        if isinstance(node, st.Case) and name == "values":
            return replace(part, text=self.writer.make_part("", _list_written_values(node.values)).text)
        if isinstance(node, st.Perform) and name == "procedure":
            return replace(part, name="performs")
        if isinstance(node, st.PerformExternal) and name == "external":
            return replace(part, name="performs", text=f"external {part.text}")
        return part

    def _make_inner_items(self, node: Any) -> Iterator[OutlineItem]:
        for name in get_field_names(type(node), *_ITEM_HEAD_ROLES):
            value = getattr(node, name)
            if name == "otherwise" and value is not None:
                yield OutlineItem(
                    "else", "", node.address, "else", node.span, items=self.make_block_items(value), ordered=True
                )
            elif isinstance(value, st.Choose):
                yield from map(self.make_line_item, value.options)
            elif isinstance(value, st.Ask):
                yield self.make_line_item(value)
            elif _holds_items(value):
                around = getattr(node, "address", "")
                yield from (self.make_line_item(item, around) for item in value if not isinstance(item, st.Nothing))


def _list_written_values(values: tuple[ex.Expression, ...]) -> tuple[ex.Expression, ...]:
    """The values of a case, of each range one number: all its numbers have the place of the range."""
    return tuple({value.span: value for value in values}.values())


def _holds_items(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], (st.Line, *ITEM_SORTS))


def _get_author_id(node: Any, address: str) -> str:
    """What the author calls it: its id, its label, or the name it sets; nothing where the address is made up."""
    if isinstance(node, st.Ruling):
        return node.number
    if hasattr(node, "id"):
        return str(node.id)
    last = address.rpartition("/")[2]
    made_up = "." in last or "#" in last or last in _LINE_KEYWORDS
    return "" if made_up or not isinstance(node, st.Line) else last


_TYPED_LET = re.compile(r"\Z|let \w+:")
"""A `let` that says its type, or one whose text is not known."""
_LINE_KEYWORDS = frozenset("if match repeat together nothing stop finish reveal ask".split())  # noqa: SIM905
