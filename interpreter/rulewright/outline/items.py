"""A program as a tree of items: what can be told, and matched with those of another revision.

Here are also declared names, and which of them stand in an expression, place, line or type.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.diagnostics.model import SILENCE
from rulewright.frozen import dataclass
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.wording import wording
from rulewright.source import Span, Text


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A declared name."""

    # `values`, `word` (`Weather/rain`), `die`, `kind`, `plural`, `attribute` (`Unit/health`), `record`, `part`
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
    def last(self) -> str:
        """The name without that of the declaration around it."""
        return self.name.rpartition("/")[2]


Token = str | Name
Tokens = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """Where something is written."""

    program: Program  # whose names are meant
    owner: str  # name of the declaration around it
    parameters: frozenset[str] = frozenset()  # names of the owner that callers see

    def variable(self, name: str) -> Name:
        """The name of a variable of the owner."""
        return Name("parameter" if name in self.parameters else "local", f"{self.owner}/{name}")


@dataclass(frozen=True, slots=True)
class Mention:
    """A declared name, as a part of what is said."""

    name: Name


def word(literal: ex.WordLiteral, program: Program) -> Name:
    """The declared word that a literal stands for."""
    assert isinstance(literal.type, ty.WordType)
    values = literal.type.values
    return Name("word", f"{values}/{program.values[values].words[literal.position].name}")


def reading(setting: d.Setting, program: Program) -> str:
    """What a setting is taken as where a play does not choose, as rules write it."""
    return word(setting.value, program).last if isinstance(setting.value, ex.WordLiteral) else wording(setting.value)


_Naming = Callable[[Any, Within], Tokens]


def _plain(sort: str, field: str = "name") -> Mapping[str, _Naming]:
    return {field: lambda node, _: (Name(sort, getattr(node, field)),)}


def _inside(sort: str, around: str) -> Mapping[str, _Naming]:
    return {"name": lambda node, _: (Name(sort, f"{getattr(node, around)}/{node.name}"),), around: lambda *_: ()}


def _part(node: Any, _: Within) -> Tokens:
    record = node.target.type
    return (Name("part", f"{record.record if isinstance(record, ty.RecordType) else ''}/{node.name}"),)


def _step(node: Any, within: Within) -> Tokens:
    return (Name("step", f"{within.owner}/{node.step}"),)


def _range(node: Any, _: Within) -> Tokens:
    return tuple(Name("step", f"{node.procedure}/{each}") for each in node.steps or ())


def _relation(node: Any, within: Within) -> Tokens:
    derived = node.relation in within.program.functions
    return (Name("function" if derived else "relation", node.relation),) if node.relation else ()


NAMED: Mapping[type, Mapping[str, _Naming]] = {
    ex.GameField: _plain("field"),
    ex.SettingValue: _plain("setting"),
    ex.InPlay: _plain("kind", "kind"),
    ex.Removed: _plain("kind", "kind"),
    ex.BoardCells: _plain("board", "board"),
    ex.StoredAttribute: _inside("attribute", "kind"),
    ex.DerivedAttribute: _plain("attribute", "function"),
    ex.CellAttribute: _inside("cell", "board"),
    ex.SideAttribute: _inside("side", "board"),
    ex.Part: {"name": _part},
    ex.CallFunction: _plain("function", "function"),
    ex.RelationHolds: _plain("relation", "relation"),
    ex.ExternalValue: _plain("external", "external"),
    ex.Builtin: {"relation": _relation},
    ex.WordLiteral: {"position": lambda node, within: (word(node, within.program),)},
    st.AttributePlace: _inside("attribute", "kind"),
    st.GamePlace: _plain("field"),
    st.CellPlace: _inside("cell", "board"),
    st.PartPlace: {"name": _part},
    st.AddPair: _plain("relation", "relation"),
    st.Proceed: {"step": _step},
    st.FinishOuter: _plain("procedure", "procedure"),
    st.Perform: {**_plain("procedure", "procedure"), "steps": _range},
    st.PerformExternal: _plain("external", "external"),
    st.Trigger: _plain("event", "event"),
    st.NamedDie: _plain("die"),
    Mention: {"name": lambda node, _: (node.name,)},
    st.Option: {"id": lambda node, _: (Name("option", node.address),)},
    d.Hold: {"rules": lambda node, _: tuple(Name("rule", each) for each in sorted(node.rules))},
    d.Watch: _plain("event", "event"),
    ty.ThingType: _plain("kind", "kind"),
    ty.WordType: _plain("values", "values"),
    ty.RecordType: _plain("record", "record"),
}


_COMMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*#(.*)')
"""What stands behind the first `#` of a line that is not inside quotes."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something an item says."""

    name: str  # what it is, in a designer's word: `value`, `condition`, `bound`
    form: Tokens  # what it says, to compare by
    text: str  # as it is written; empty where it cannot be shown by itself


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, or anything inside one that has a place of its own."""

    sort: str  # in a designer's word: `procedure`, `step`, `line`, `row`, `attribute`
    id: str  # what its author calls it; empty where it has no name
    address: str
    text: str  # its own line as written, on one line
    span: Span  # where that is
    name: Name | None = None  # what others call it by; none where nothing can mention it
    title: str = ""  # title, prompt or reason; words for people
    cites: tuple[str, ...] = ()  # clauses in its margin
    parts: tuple[Part, ...] = ()  # what it says itself
    items: tuple["Item", ...] = ()  # what stands inside it, in order
    ordered: bool = False  # whether its place among its neighbours counts
    notes: tuple[str, ...] = ()  # comments above its first line and behind it; they are not part of what it says

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
    """The comments of texts: those right above the first line of what they belong to, and the one behind it.

    Those that silence a finding speak to the checker and are left out.
    """

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
        own = [f"#{behind[1]}"] if behind else []
        found = (SILENCE.sub("", line.strip()) for line in (*self._lines[first:at], *own))
        return tuple(each[1:].strip() for each in found if each)
