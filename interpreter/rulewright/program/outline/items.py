"""Items of an outline, the declared names in them, and their forms: rows of tokens to compare by.

Spans, proofs and types inside an expression leave no token. A declared name is a token of its own, so that renames can
be mapped; everything else is text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any

from rulewright.base.diagnostics import SUPPRESSION_COMMENT
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import NameOf, Role, get_field_names, get_named_fields, is_node_class
from rulewright.base.source import Span, Text
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.types import Type
from rulewright.program.wording import ExpressionRenderer, render_brief_expression


@dataclass(frozen=True, slots=True, order=True)
class DeclaredName:
    """A declared name, as the key by which revisions map names."""

    # `values`, `word` (`Weather/rain`), `die`, `kind`, `plural`, `attribute` (`Unit/health`), `record`, `part`
    # (`Card/title`), `board`, `cell` (`field/blocked`), `side`, `field` (of `game`), `setting`, `relation`, `function`,
    # `external`, `measure`, `invariant`, `event`, `handler`, `rule`, `procedure`, `parameter` (`strike/target`), `step`
    # (`strike/2`)
    sort: str
    name: str  # as the program writes it, after the name of an enclosing declaration and a slash

    @property
    def owner(self) -> str:
        """Name of the enclosing declaration; empty where there is none."""
        return self.name.rpartition("/")[0]

    @property
    def short_name(self) -> str:
        return self.name.rpartition("/")[2]


FormToken = str | DeclaredName
FormTokens = tuple[FormToken, ...]


@dataclass(frozen=True, slots=True)
class NamingContext:
    """The declaration in which a part is written, for naming its variables."""

    program: Program
    owner: str  # name of the declaration
    parameters: frozenset[str] = frozenset()  # names that callers see

    def name_variable(self, name: str) -> DeclaredName:
        return DeclaredName("parameter" if name in self.parameters else "local", f"{self.owner}/{name}")


@dataclass(frozen=True, slots=True)
class NameMention:
    """A declared name in an item's form."""

    name: DeclaredName


def get_word_name(literal: ex.WordLiteral, program: Program) -> DeclaredName:
    """Declared name of the word that a literal stands for."""
    assert isinstance(literal.type, ty.WordType)
    values = literal.type.values
    return DeclaredName("word", f"{values}/{program.values[values].words[literal.position].name}")


def render_default_reading(setting: d.Setting, program: Program) -> str:
    """Default of a setting, in the notation of the language."""
    return (
        get_word_name(setting.value, program).short_name
        if isinstance(setting.value, ex.WordLiteral)
        else render_brief_expression(setting.value)
    )


_NameFinder = Callable[[Any, NamingContext], FormTokens]


def _name_part(node: Any, _: NamingContext) -> FormTokens:
    record = node.target.type
    return (DeclaredName("part", f"{record.record if isinstance(record, ty.RecordType) else ''}/{node.name}"),)


def _name_proceed_step(node: Any, within: NamingContext) -> FormTokens:
    return (DeclaredName("step", f"{within.owner}/{node.step}"),)


def _name_step_range(node: Any, _: NamingContext) -> FormTokens:
    return tuple(DeclaredName("step", f"{node.procedure}/{step}") for step in node.steps or ())


def _name_relation(node: Any, within: NamingContext) -> FormTokens:
    derived = node.relation in within.program.functions
    return (DeclaredName("function" if derived else "relation", node.relation),) if node.relation else ()


_NAME_FINDERS: Mapping[type, Mapping[str, _NameFinder]] = {
    ex.Part: {"name": _name_part},
    ex.Builtin: {"relation": _name_relation},
    ex.WordLiteral: {"position": lambda node, within: (get_word_name(node, within.program),)},
    st.PartPlace: {"name": _name_part},
    st.Proceed: {"step": _name_proceed_step},
    st.Perform: {"steps": _name_step_range},
    NameMention: {"name": lambda node, _: (node.name,)},
    st.Option: {"id": lambda node, _: (DeclaredName("option", node.address),)},
    d.Hold: {"rules": lambda node, _: tuple(DeclaredName("rule", rule) for rule in sorted(node.rules))},
}
"""Names that are found by more than the mark of their field."""


@cache
def get_name_finders(kind: Any) -> Mapping[str, _NameFinder]:
    """By field of a node class, what finds the declared names in it."""
    result = dict(_NAME_FINDERS.get(kind, {}))
    for field, named in get_named_fields(kind).items():
        result[field] = partial(_find_marked_name, field, named)
        if named.inside:
            result[named.inside] = _find_no_name
    return result


def _find_marked_name(field: str, named: NameOf, node: Any, _: NamingContext) -> FormTokens:
    around = f"{getattr(node, named.inside)}/" if named.inside else ""
    return (DeclaredName(named.sort, f"{around}{getattr(node, field)}"),)


def _find_no_name(*_: object) -> FormTokens:
    return ()


_TRAILING_COMMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*#(.*)')
"""What follows the first `#` of a line outside of quotes."""


@dataclass(frozen=True, slots=True)
class ItemPart:
    """One part of an item: its form and its text."""

    name: str  # `value`, `condition`, `bound` …
    form: FormTokens  # to compare by
    text: str  # as written; empty where it has no text of its own


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A declaration, or a line, row or part inside one with a place of its own."""

    sort: str  # `procedure`, `step`, `line`, `row`, `attribute` …
    id: str  # the author's id; empty where it has none
    address: str
    text: str  # its own line as written, on one line
    span: Span  # of that line
    name: DeclaredName | None = None  # none where nothing can mention it
    title: str = ""  # title, prompt or reason; words for people
    cites: tuple[str, ...] = ()  # clauses in its margin
    parts: tuple[ItemPart, ...] = ()
    items: tuple["OutlineItem", ...] = ()  # nested items, in order
    ordered: bool = False  # whether its order among its siblings has a meaning
    notes: tuple[str, ...] = ()  # comments above its first line and behind it, no part of its form

    @property
    def form(self) -> FormTokens:
        """Form of the item without the items inside it."""
        return (self.sort, *(token for part in self.parts for token in (part.name, *part.form)))

    def walk_subtree(self) -> Iterator["OutlineItem"]:
        yield self
        for item in self.items:
            yield from item.walk_subtree()


@dataclass(frozen=True, slots=True)
class Outline:
    """All declarations of a program, in order."""

    items: tuple[OutlineItem, ...]

    def walk_items(self) -> Iterator[OutlineItem]:
        for item in self.items:
            yield from item.walk_subtree()


class CommentIndex:
    """Comments of texts by place: those right above an item's first line, and the trailing one.

    Comments that suppress findings are left out.
    """

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self._comments_by_text = {name: _TextComments(text) for name, text in texts.items() if "#" in text.content}

    def add_comments(self, item: OutlineItem, around: OutlineItem | None = None) -> OutlineItem:
        """An item and all inside it with their comments; an item that begins with its parent has none."""
        known = self._comments_by_text.get(item.span.source)
        begins = around is None or around.span.start != item.span.start
        notes = known.find_own_comments(item.span.start) if known is not None and begins else ()
        inside = (
            tuple(self.add_comments(outline_item, item) for outline_item in item.items)
            if self._comments_by_text
            else item.items
        )
        return replace(item, notes=notes, items=inside) if notes or inside != item.items else item


class _TextComments:
    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def _text_lines(self) -> list[str]:
        return self._text.content.split("\n")

    def find_own_comments(self, start: int) -> tuple[str, ...]:
        """Comments of the item at an offset; none where another item begins its line."""
        position = self._text.get_position(start)
        at = position.line - 1
        if self._text_lines[at][: position.column - 1].strip():
            return ()
        first = at
        while first and self._text_lines[first - 1].lstrip().startswith("#"):
            first -= 1
        behind = _TRAILING_COMMENT.match(self._text_lines[at])
        trailing = [f"#{behind[1]}"] if behind else []
        result = (SUPPRESSION_COMMENT.sub("", line.strip()) for line in (*self._text_lines[first:at], *trailing))
        return tuple(item[1:].strip() for item in result if item)


_IGNORED_ROLES = (Role.PLACE, Role.PROOF, Role.MARGIN, Role.FACT)


def make_form_tokens(node: object, within: NamingContext) -> FormTokens:
    """Form of a part of a declaration; equal for parts that are written alike."""
    tokens: list[FormToken] = []
    _append_form_tokens(node, within, tokens)
    return tuple(tokens)


def _append_form_tokens(node: object, within: NamingContext, tokens: list[FormToken]) -> None:
    if isinstance(node, tuple):
        tokens.append("(")
        for item in node:
            _append_form_tokens(item, within, tokens)
        tokens.append(")")
    elif isinstance(node, ex.Narrowed):
        _append_form_tokens(node.operand, within, tokens)
    elif isinstance(node, ex.Variable):
        tokens.append(within.name_variable(node.name))
    elif is_node_class(node.__class__):
        _append_node_tokens(node, within, tokens)
    else:
        tokens.append(repr(node))


def _append_node_tokens(node: Any, within: NamingContext, tokens: list[FormToken]) -> None:
    sort = type(node)
    tokens.append(sort.__name__)
    named = get_name_finders(sort)  # type: ignore[arg-type]
    if sort in {ex.MakeCollection, ex.Comprehension}:
        tokens.append(type(node.type).__name__)
    for name in get_field_names(sort, *_IGNORED_ROLES):
        if name in named:
            tokens += named[name](node, within)
        else:
            _append_form_tokens(getattr(node, name), within, tokens)
    tokens.append(".")


_PLACE_TYPES = (st.VariablePlace, st.EntryPlace, st.PartPlace, st.AttributePlace, st.GamePlace, st.CellPlace)


class PartWriter:
    """Makes the parts of items of one declaration.

    Args:
        within: the declaration.
        written: text of a span on one line; empty where it is not known.
    """

    def __init__(self, within: NamingContext, written: Callable[[Span], str]) -> None:
        self.context = within
        self._get_span_text = written
        self._renderer = ExpressionRenderer(within.program)

    def make_part(self, name: str, node: object) -> ItemPart:
        """Part for a value; a value without words of its own has the text of the whole line."""
        return ItemPart(name, make_form_tokens(node, self.context), self._render_value(node))

    def make_field_part(self, name: str, node: object, field: str) -> ItemPart:
        """Part for a field of a line, which may be a name."""
        value = getattr(node, field)
        naming = get_name_finders(type(node)).get(field)  # type: ignore[arg-type]
        form = naming(node, self.context) if naming else make_form_tokens(value, self.context)
        return ItemPart(name, form, self._render_value(value))

    def make_parts(self, *named: tuple[str, object]) -> tuple[ItemPart, ...]:
        """Parts by name, without absent ones."""
        return tuple(self.make_part(name, node) for name, node in named if node is not None and node != ())

    def make_mention_part(self, name: str, sort: str, mentioned: str) -> ItemPart:
        return ItemPart(name, (DeclaredName(sort, mentioned),), mentioned)

    def make_places_part(self, name: str, changes: tuple[str, ...]) -> ItemPart:
        """Part for what an external procedure may change: attributes, fields of `game`, removals."""
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
            case (ex.Cell(), *_):
                return CELL_SEPARATOR.join(self._render_cell(cell) for cell in node if isinstance(cell, ex.Cell))
            case tuple():
                texts = [self._render_value(item) for item in node]
                return ", ".join(texts) if all(texts) else ""
            case _ if isinstance(node, _PLACE_TYPES):
                return self._renderer.render_place(node)
            case _ if isinstance(node, Type):
                return str(node)
            case _:
                return ""

    def _render_cell(self, cell: ex.Cell) -> str:
        low, high, value = (item and self._render_value(item) for item in (cell.low, cell.high, cell.value))
        if low and high:
            return f"{low} to {high}"
        return f"{low} or more" if low else f"{high} or less" if high else value or "anything"


CELL_SEPARATOR = " | "
"""Separator of the cells of a row in its text."""
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
    ex.TallyRow: "modifier",
    ex.DecideRow: "row",
    ex.TableRow: "row",
    ex.ConditionRow: "condition",
}


@dataclass(frozen=True, slots=True)
class LineItemBuilder:
    """Builds the items of lines and of what is nested in them."""

    writer: PartWriter
    get_span_text: Callable[[Span], str]  # on one line

    def make_block_items(self, block: st.Block) -> tuple[OutlineItem, ...]:
        """Items of a block's lines without `nothing` that says no more."""
        return tuple(self.make_line_item(item) for item in block if not st.is_bare_nothing(item))

    def make_line_item(self, node: Any, around: str = "") -> OutlineItem:
        """Item of a line, row, branch, case, option or key; one without an address has that of the enclosing line."""
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
            ordered=not isinstance(node, st.Case | st.Option | ex.ConditionRow) or getattr(node, "prefer", False),
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
        """The class of a line as a part, for no other part distinguishes it."""
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
                yield from (self.make_line_item(item, around) for item in value if not st.is_bare_nothing(item))


def _list_written_values(values: tuple[ex.Expression, ...]) -> tuple[ex.Expression, ...]:
    """Values of a case with one number for each range: all numbers of a range have its span."""
    return tuple({value.span: value for value in values}.values())


def _holds_items(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], (st.Line, *ITEM_SORTS))


def _get_author_id(node: Any, address: str) -> str:
    """The author's id, label or bound name; empty where the address is generated."""
    if isinstance(node, st.Ruling):
        return node.number
    if hasattr(node, "id"):
        return str(node.id)
    last = address.rpartition("/")[2]
    made_up = "." in last or "#" in last or last in _LINE_KEYWORDS
    return "" if made_up or not isinstance(node, st.Line) else last


_TYPED_LET = re.compile(r"\Z|let \w+:")
"""A `let` with a type, or one of unknown text."""
_LINE_KEYWORDS = frozenset("if match repeat together nothing stop finish reveal ask".split())  # noqa: SIM905
