"""A program as a tree of items: what can be told, and matched with those of another revision.

Here are also declared names, and which of them stand in an expression, place, line or type.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.base.diagnostics.model import SUPPRESSION_COMMENT
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.wording import render_brief_expression


@dataclass(frozen=True, slots=True, order=True)
class DeclaredName:
    """A declared name."""

    # `values`, `get_word_name` (`Weather/rain`), `die`, `kind`, `plural`, `attribute` (`Unit/health`), `record`, `part`
    # (`Card/title`), `board`, `cell` (`field/blocked`), `side`, `field` (of `game`), `setting`, `relation`, `function`,
    # `external`, `measure`, `invariant`, `event`, `handler`, `rule`, `procedure`, `parameter` (`strike/target`), `step`
    # (`strike/2`)
    sort: str
    name: str  # as the program writes it; inside another declaration after that one's name and a slash

    @property
    def owner(self) -> str:
        """The declaration it is declared in; empty where it stands by itself."""
        return self.name.rpartition("/")[0]

    @property
    def short_name(self) -> str:
        """The name without that of the declaration around it."""
        return self.name.rpartition("/")[2]


FormToken = str | DeclaredName
FormTokens = tuple[FormToken, ...]


@dataclass(frozen=True, slots=True)
class NamingContext:
    """Where something is written."""

    program: Program  # whose names are meant
    owner: str  # name of the declaration around it
    parameters: frozenset[str] = frozenset()  # names of the owner that callers see

    def name_variable(self, name: str) -> DeclaredName:
        """The name of a variable of the owner."""
        return DeclaredName("parameter" if name in self.parameters else "local", f"{self.owner}/{name}")


@dataclass(frozen=True, slots=True)
class NameMention:
    """A declared name, as a part of what is said."""

    name: DeclaredName


def get_word_name(literal: ex.WordLiteral, program: Program) -> DeclaredName:
    """The declared word that a literal stands for."""
    assert isinstance(literal.type, ty.WordType)
    values = literal.type.values
    return DeclaredName("word", f"{values}/{program.values[values].words[literal.position].name}")


def render_default_reading(setting: d.Setting, program: Program) -> str:
    """What a setting is taken as where a play does not choose, as rules write it."""
    return (
        get_word_name(setting.value, program).short_name
        if isinstance(setting.value, ex.WordLiteral)
        else render_brief_expression(setting.value)
    )


_NameFinder = Callable[[Any, NamingContext], FormTokens]


def _name_from_field(sort: str, field: str = "name") -> Mapping[str, _NameFinder]:
    return {field: lambda node, _: (DeclaredName(sort, getattr(node, field)),)}


def _name_inside(sort: str, around: str) -> Mapping[str, _NameFinder]:
    return {
        "name": lambda node, _: (DeclaredName(sort, f"{getattr(node, around)}/{node.name}"),),
        around: lambda *_: (),
    }


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


NAME_FINDERS: Mapping[type, Mapping[str, _NameFinder]] = {
    ex.GameField: _name_from_field("field"),
    ex.SettingValue: _name_from_field("setting"),
    ex.InPlay: _name_from_field("kind", "kind"),
    ex.Removed: _name_from_field("kind", "kind"),
    ex.BoardCells: _name_from_field("board", "board"),
    ex.StoredAttribute: _name_inside("attribute", "kind"),
    ex.DerivedAttribute: _name_from_field("attribute", "function"),
    ex.CellAttribute: _name_inside("cell", "board"),
    ex.SideAttribute: _name_inside("side", "board"),
    ex.Part: {"name": _name_part},
    ex.CallFunction: _name_from_field("function", "function"),
    ex.RelationHolds: _name_from_field("relation", "relation"),
    ex.ExternalValue: _name_from_field("external", "external"),
    ex.Builtin: {"relation": _name_relation},
    ex.WordLiteral: {"position": lambda node, within: (get_word_name(node, within.program),)},
    st.AttributePlace: _name_inside("attribute", "kind"),
    st.GamePlace: _name_from_field("field"),
    st.CellPlace: _name_inside("cell", "board"),
    st.PartPlace: {"name": _name_part},
    st.AddPair: _name_from_field("relation", "relation"),
    st.Proceed: {"step": _name_proceed_step},
    st.FinishOuter: _name_from_field("procedure", "procedure"),
    st.Perform: {**_name_from_field("procedure", "procedure"), "steps": _name_step_range},
    st.PerformExternal: _name_from_field("external", "external"),
    st.Trigger: _name_from_field("event", "event"),
    st.NamedDie: _name_from_field("die"),
    NameMention: {"name": lambda node, _: (node.name,)},
    st.Option: {"id": lambda node, _: (DeclaredName("option", node.address),)},
    d.Hold: {"rules": lambda node, _: tuple(DeclaredName("rule", rule) for rule in sorted(node.rules))},
    d.Watch: _name_from_field("event", "event"),
    ty.ThingType: _name_from_field("kind", "kind"),
    ty.WordType: _name_from_field("values", "values"),
    ty.RecordType: _name_from_field("record", "record"),
}


_TRAILING_COMMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*#(.*)')
"""What stands behind the first `#` of a line that is not inside quotes."""


@dataclass(frozen=True, slots=True)
class ItemPart:
    """Something an item says."""

    name: str  # what it is, in a designer's word: `value`, `condition`, `bound`
    form: FormTokens  # what it says, to compare by
    text: str  # as it is written; empty where it cannot be shown by itself


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A declaration, or anything inside one that has a place of its own."""

    sort: str  # in a designer's word: `procedure`, `step`, `line`, `row`, `attribute`
    id: str  # what its author calls it; empty where it has no name
    address: str
    text: str  # its own line as written, on one line
    span: Span  # where that is
    name: DeclaredName | None = None  # what others call it by; none where nothing can mention it
    title: str = ""  # title, prompt or reason; words for people
    cites: tuple[str, ...] = ()  # clauses in its margin
    parts: tuple[ItemPart, ...] = ()  # what it says itself
    items: tuple["OutlineItem", ...] = ()  # what stands inside it, in order
    ordered: bool = False  # whether its place among its neighbours counts
    notes: tuple[str, ...] = ()  # comments above its first line and behind it; they are not part of what it says

    @property
    def form(self) -> FormTokens:
        """What it says itself, without what stands inside it."""
        return (self.sort, *(token for part in self.parts for token in (part.name, *part.form)))

    def walk_subtree(self) -> Iterator["OutlineItem"]:
        """The item and all inside it, in order of the text."""
        yield self
        for item in self.items:
            yield from item.walk_subtree()


@dataclass(frozen=True, slots=True)
class Outline:
    """All declarations of a program, in order."""

    items: tuple[OutlineItem, ...]

    def walk_items(self) -> Iterator[OutlineItem]:
        """All items with all inside them."""
        for item in self.items:
            yield from item.walk_subtree()


class CommentIndex:
    """The comments of texts: those right above the first line of what they belong to, and the one behind it.

    Those that silence a finding speak to the checker and are left out.
    """

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self._comments_by_text = {name: _TextComments(text) for name, text in texts.items() if "#" in text.content}

    def add_comments(self, item: OutlineItem, around: OutlineItem | None = None) -> OutlineItem:
        """An item, and all inside it, with the comments that belong to them; what begins with another has none."""
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
        """The comments of what begins at a place; none where something else begins its line."""
        position = self._text.get_position(start)
        at = position.line - 1
        if self._text_lines[at][: position.column - 1].strip():
            return ()
        first = at
        while first and self._text_lines[first - 1].lstrip().startswith("#"):
            first -= 1
        behind = _TRAILING_COMMENT.match(self._text_lines[at])
        own = [f"#{behind[1]}"] if behind else []
        result = (SUPPRESSION_COMMENT.sub("", line.strip()) for line in (*self._text_lines[first:at], *own))
        return tuple(item[1:].strip() for item in result if item)
