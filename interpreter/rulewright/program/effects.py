"""What expressions read and lines write, said once for the analysis and the machine.

Places of the game are named `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, and by a relation's name.
Every class of expressions and lines has its case here; a new one is an error of the type checker until it has.
"""

from collections.abc import Iterable
from typing import Any, assert_never

from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.plane import POSE
from rulewright.program.types import ThingType, Type, held_by, present
from rulewright.roles import nodes

Places = frozenset[str]
_NOWHERE: Places = frozenset()


def read_by(node: ex.Expression) -> Iterable[str]:  # noqa: C901, PLR0911 - one case for each sort
    """The places of the game that an expression reads itself, not by what stands in it or in functions it calls.

    What is defined elsewhere, names and dice are no places of the game.
    """
    match node:
        case ex.StoredAttribute(kind=kind, name=name):
            return (f"{kind}/{name}",)
        case ex.GameField(name=name):
            return (f"game/{name}",)
        case ex.InPlay(kind=kind) | ex.Removed(kind=kind):
            return (f"{kind}/gone",)
        case ex.Gone(target=target):
            return _gone(target.type)
        case ex.CellAttribute(board=board, name=name) | ex.SideAttribute(board=board, name=name):
            return (f"{board}/{name}",)
        case ex.RelationHolds(relation=relation, first=first, second=second):
            return (relation, *_gone(first.type), *_gone(second.type))
        case ex.PlaneAttribute(name=name, kind=kind):
            return (f"{kind}/at", f"{kind}/facing") if name == "pose" else ()
        case ex.Builtin(name="occupants", type=type_):
            return tuple(f"{kind}/{each}" for kind in kinds(type_) for each in ("at", "gone"))
        case ex.Builtin(name="connected", arguments=(start, *_)):
            return _gone(start.type)
        case ex.Builtin(places=places):
            return places
        case (
            ex.Literal() | ex.WordLiteral() | ex.Local() | ex.Itself() | ex.SettingValue() | ex.BoardCells()
            | ex.DerivedAttribute() | ex.CallFunction() | ex.ExternalValue() | ex.Part() | ex.DieAttribute()
            | ex.MakeRecord() | ex.MakeTuple() | ex.MakeCollection() | ex.Comprehension() | ex.Quantifier()
            | ex.TheOnly() | ex.Aggregate() | ex.Entry() | ex.Rounded() | ex.Conditional() | ex.Logical() | ex.Not()
            | ex.Comparison() | ex.Membership() | ex.Interval() | ex.Arithmetic() | ex.Negation() | ex.Joined()
            | ex.Narrowed()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(node)


def called_by(node: ex.Expression) -> str:
    """The function, or the relation, that an expression asks for; empty where it asks for none."""
    match node:
        case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
            return name
        case ex.Builtin(name="connected", relation=name):
            return name
        case _:
            return ""


def kinds(type_: Type) -> tuple[str, ...]:
    """The kinds of the things that a value of a type is, or holds directly."""
    if isinstance(type_, ThingType):
        return (type_.kind,)
    return tuple(each.kind for each in held_by(type_) if isinstance(each, ThingType))


def _gone(type_: Type) -> Iterable[str]:
    return (f"{kind}/gone" for kind in kinds(type_))


def written_by(line: st.Statement) -> Places:  # noqa: PLR0911 - one case for each sort
    """The places of the game that a line writes itself; names of the routine are not places."""
    match line:
        case st.Assign() | st.AddAmount() | st.AddMember() | st.Draw() | st.Shuffle():
            return place_of(line.place)
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
        case (
            st.Let() | st.Together() | st.If() | st.Match() | st.ForEach() | st.Repeat() | st.Nothing() | st.Stop()
            | st.Proceed() | st.Finish() | st.FinishOuter() | st.Perform() | st.PerformExternal() | st.Trigger()
            | st.TallyLine() | st.DecideLine() | st.Rank() | st.Roll() | st.Reroll() | st.Reveal() | st.Ruling()
            | st.Ask() | st.AskAll()
        ):  # fmt: skip
            return _NOWHERE
        case _:
            assert_never(line)


def place_of(place: st.Place) -> Places:
    """The place of the game that is changed where a value is put; none for a name of the routine."""
    match place:
        case st.EntryPlace(target=target) | st.PartPlace(target=target):
            return place_of(target)
        case st.AttributePlace(kind=kind, name=name):
            return frozenset({f"{kind}/{name}"})
        case st.GamePlace(name=name):
            return frozenset({f"game/{name}"})
        case st.CellPlace(board=board, name=name):
            return frozenset({f"{board}/{name}"})
        case st.VariablePlace():
            return _NOWHERE
        case _:
            assert_never(place)


class Footprint:
    """What the parts of one program read, as `effects` names places; an external term without default by its name."""

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
            if isinstance(each, ex.ExternalValue):
                default = self._program.external_terms[each.external].default
                found |= self.reads(default) if default is not None else {each.external}
            elif isinstance(each, ex.Typed):
                found.update(read_by(each))  # type: ignore[arg-type]
                name = called_by(each)  # type: ignore[arg-type]
                if name:
                    (called if name in self._program.functions else found).add(name)
        return frozenset(found), frozenset(called)

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
