"""Declared names, and which of them stand in an expression, place, line or type."""

from collections.abc import Callable, Mapping
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program import types as ty
from rulewright.program.declarations import Program


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A declared name.

    Attributes:
        sort: `values`, `word` (`Weather/rain`), `die`, `kind`, `plural`, `attribute` (`Unit/health`), `record`,
            `part` (`Card/title`), `board`, `cell` (`field/blocked`), `side`, `field` (of `game`), `setting`,
            `relation`, `function`, `external`, `measure`, `invariant`, `event`, `handler`, `rule`, `procedure`,
            `parameter` (`strike/target`), `step` (`strike/2`).
        name: as the program writes it; inside another declaration after that one's name and a slash.
    """

    sort: str
    name: str

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
    """Where something is written.

    Attributes:
        program: whose names are meant.
        owner: name of the declaration around it.
        parameters: names of the owner that callers see.
    """

    program: Program
    owner: str
    parameters: frozenset[str] = frozenset()

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


_Naming = Callable[[Any, Within], Tokens]


def _plain(sort: str, field: str = "name") -> Mapping[str, _Naming]:
    return {field: lambda node, _: (Name(sort, getattr(node, field)),)}


def _inside(sort: str, around: str) -> Mapping[str, _Naming]:
    return {"name": lambda node, _: (Name(sort, f"{getattr(node, around)}/{node.name}"),), around: lambda *_: ()}


def _part(node: Any, _: Within) -> Tokens:  # noqa: ANN401
    record = node.target.type
    return (Name("part", f"{record.record if isinstance(record, ty.RecordType) else ''}/{node.name}"),)


def _step(node: Any, within: Within) -> Tokens:  # noqa: ANN401
    return (Name("step", f"{within.owner}/{node.step}"),)


def _range(node: Any, _: Within) -> Tokens:  # noqa: ANN401
    return tuple(Name("step", f"{node.procedure}/{each}") for each in node.steps or ())


def _relation(node: Any, within: Within) -> Tokens:  # noqa: ANN401
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
