"""What expressions read and lines write, so that only what may have changed is tested again.

Places are named `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, a relation's or external's name.
"""

from collections.abc import Iterable
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.plane import POSE
from rulewright.program.types import ThingType, present
from rulewright.program.walk import nodes

Places = frozenset[str]


class Footprint:
    """What the parts of one program read and write."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, Places] = {}
        self._directly: dict[str, tuple[Places, frozenset[str]]] = {}

    def reads(self, node: Any) -> Places:  # noqa: ANN401
        """Every place an expression, binding or row may read, through functions too."""
        found, called = self._direct(node)
        return found.union(*(self._function(each) for each in called))

    def _direct(self, node: Any) -> tuple[Places, frozenset[str]]:  # noqa: ANN401
        """What is read outside functions, and the functions that are called."""
        found: set[str] = set()
        called: set[str] = set()
        for each in nodes(node):
            name = self._called(each)
            called.update((name,) if name else ())
            found.update(self._own(each))
        return frozenset(found), frozenset(called)

    def _called(self, node: Any) -> str:  # noqa: ANN401
        match node:
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return name
            case ex.Builtin(name="connected", relation=relation) if relation in self._program.functions:
                return str(relation)
            case _:
                return ""

    def _own(self, node: Any) -> Iterable[str]:  # noqa: ANN401, C901, PLR0911
        match node:
            case ex.StoredAttribute(kind=kind, name=name):
                return (f"{kind}/{name}",)
            case ex.GameField(name=name):
                return (f"game/{name}",)
            case ex.InPlay(kind=kind) | ex.Removed(kind=kind):
                return (f"{kind}/gone",)
            case ex.Gone(target=target):
                return (f"{_kind(target)}/gone",)
            case ex.CellAttribute(board=board, name=name) | ex.SideAttribute(board=board, name=name):
                return (f"{board}/{name}",)
            case ex.RelationHolds(relation=relation, first=first, second=second):
                return (relation, f"{_kind(first)}/gone", f"{_kind(second)}/gone")
            case ex.Builtin(name="occupants", type=type_):
                kind = _item_kind(type_)
                return (f"{kind}/at", f"{kind}/gone")
            case ex.Builtin(places=(_, *_) as read):
                return read
            case ex.PlaneAttribute(name="pose", kind=kind):
                return (f"{kind}/at", f"{kind}/facing")
            case ex.Builtin(name="connected", relation=relation):
                return () if relation in self._program.functions else (relation,)
            case ex.ExternalValue(external=name):
                default = self._program.external_terms[name].default
                return self.reads(default) if default is not None else (name,)
            case _:
                return ()

    def _function(self, name: str) -> Places:
        if name not in self._functions:
            found, waiting, known = set[str](), [name], {name}
            while waiting:
                each = waiting.pop()
                if each in self._functions:
                    found |= self._functions[each]
                    continue
                if each not in self._directly:
                    self._directly[each] = self._direct(self._program.functions[each].body)
                places, called = self._directly[each]
                found |= places
                waiting += called - known
                known |= called
            self._functions[name] = frozenset(found)
        return self._functions[name]


def writes(line: st.Statement) -> Places:  # noqa: PLR0911
    """The places of the game that one simple line writes itself; names of the routine are not places."""
    match line:
        case st.Assign(place=place) | st.AddAmount(place=place) | st.AddMember(place=place) | st.Draw(place=place):
            return _place(place)
        case st.Shuffle(place=place):
            return _place(place)
        case st.AddPair(relation=relation):
            return frozenset({relation})
        case st.PlaceThing(kind=kind, spot=spot) if present(spot.type) == POSE:
            return frozenset({f"{kind}/at", f"{kind}/facing"})
        case st.Move(kind=kind) | st.PlaceThing(kind=kind):
            return frozenset({f"{kind}/at"})
        case st.Turn(kind=kind):
            return frozenset({f"{kind}/facing"})
        case st.Remove(kind=kind):
            return frozenset({f"{kind}/gone"})
        case _:
            return frozenset()


def _place(place: st.Place) -> Places:
    match place:
        case st.EntryPlace(target=target) | st.PartPlace(target=target):
            return _place(target)
        case st.AttributePlace(kind=kind, name=name):
            return frozenset({f"{kind}/{name}"})
        case st.GamePlace(name=name):
            return frozenset({f"game/{name}"})
        case st.CellPlace(board=board, name=name):
            return frozenset({f"{board}/{name}"})
        case st.VariablePlace():
            return frozenset()


def _kind(expression: ex.Expression) -> str:
    return expression.type.kind if isinstance(expression.type, ThingType) else _item_kind(expression.type)


def _item_kind(type_: Any) -> str:  # noqa: ANN401
    inner = getattr(type_, "item", getattr(type_, "inner", None))
    return inner.kind if isinstance(inner, ThingType) else ""
