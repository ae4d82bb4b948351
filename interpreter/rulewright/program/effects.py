"""Effect analysis: state that expressions read and lines write, shared by checker and runtime.

State places are named `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, and by a relation's name. Every
class of expressions has its case here, and the type checker reports a class without one; a class of lines says in
`written_state` what it writes besides its fields that are places.
"""

from collections.abc import Iterable
from typing import Any, assert_never

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import ThingType, Type, list_held_types
from rulewright.program.walk import get_changed_places

StatePlaces = frozenset[str]
_NO_PLACES: StatePlaces = frozenset()


def list_read_places(node: ex.Expression) -> Iterable[str]:
    """State places that an expression reads itself, without those of its parts and of functions it calls.

    Definitions, variables and dice are no state places.
    """
    match node:
        case ex.StoredAttribute(kind=kind, name=name):
            return (f"{kind}/{name}",)
        case ex.GameField(name=name):
            return (f"game/{name}",)
        case ex.InPlay(kind=kind) | ex.Removed(kind=kind):
            return (f"{kind}/gone",)
        case ex.Gone(target=target):
            return _list_removal_places(target.type)
        case ex.CellAttribute(board=board, name=name) | ex.SideAttribute(board=board, name=name):
            return (f"{board}/{name}",)
        case ex.RelationHolds(relation=relation, first=first, second=second):
            return (relation, *_list_removal_places(first.type), *_list_removal_places(second.type))
        case ex.PlaneAttribute(name=name, kind=kind):
            return (f"{kind}/at", f"{kind}/facing") if name == "pose" else ()
        case ex.Builtin(name="occupants", type=type_):
            return tuple(f"{kind}/{item}" for kind in list_thing_kinds(type_) for item in ("at", "gone"))
        case ex.Builtin(name="connected", arguments=(start, *_)):
            return _list_removal_places(start.type)
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


def get_called_name(node: ex.Expression) -> str:
    """The function or relation that an expression evaluates; empty for others."""
    match node:
        case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
            return name
        case ex.Builtin(name="connected", relation=name):
            return name
        case _:
            return ""


def list_thing_kinds(type_: Type) -> tuple[str, ...]:
    """Kinds of the things that a value of a type is or directly holds."""
    if isinstance(type_, ThingType):
        return (type_.kind,)
    return tuple(held_type.kind for held_type in list_held_types(type_) if isinstance(held_type, ThingType))


def _list_removal_places(type_: Type) -> Iterable[str]:
    return (f"{kind}/gone" for kind in list_thing_kinds(type_))


def list_written_places(line: st.Statement) -> StatePlaces:
    """State places that a line writes itself; variables are none."""
    return frozenset(line.written_state).union(*map(get_state_place, get_changed_places(line)))


def get_state_place(place: st.Place) -> StatePlaces:
    """State place of an assignment target; none for a variable."""
    match place:
        case st.EntryPlace(target=target) | st.PartPlace(target=target):
            return get_state_place(target)
        case st.AttributePlace(kind=kind, name=name):
            return frozenset({f"{kind}/{name}"})
        case st.GamePlace(name=name):
            return frozenset({f"game/{name}"})
        case st.CellPlace(board=board, name=name):
            return frozenset({f"{board}/{name}"})
        case st.VariablePlace():
            return _NO_PLACES
        case _:
            assert_never(place)


def list_state_places(program: Program) -> StatePlaces:
    """All state places of a program."""
    attributes = (f"{kind.name}/{field.name}" for kind in program.kinds.values() for field in kind.fields)
    placed = (
        f"{board.name}/{field.name}" for board in program.boards.values() for field in (*board.fields, *board.sides)
    )
    removals = (f"{name}/gone" for name in program.kinds)
    fields = (f"game/{name}" for name in program.game)
    return frozenset((*attributes, *removals, *fields, *placed, *program.relations))


class ReadFootprint:
    """Read sets of the parts of one program, as state places; an external term without default by its name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, StatePlaces] = {}
        self._direct_reads: dict[str, tuple[StatePlaces, frozenset[str]]] = {}

    def collect_read_places(self, node: Any) -> StatePlaces:
        """Every state place that an expression, binding or row may read, through functions too."""
        result, called = self._collect_direct_places(node)
        return result.union(*(self._collect_function_places(item) for item in called))

    def collect_waking_places(self, node: Any) -> StatePlaces:
        """Every state place whose change may change what a node gives.

        These are the places that it reads; all places, if it needs a value of an external term that has to be asked for.
        """
        read = self.collect_read_places(node)
        return read | list_state_places(self._program) if read & self._program.external_terms.keys() else read

    def _collect_direct_places(self, node: Any) -> tuple[StatePlaces, frozenset[str]]:
        """State places read outside of functions, and the functions called."""
        result: set[str] = set()
        called: set[str] = set()
        for inner in walk_nodes(node):
            if isinstance(inner, ex.ExternalValue):
                default = self._program.external_terms[inner.external].default
                result |= self.collect_read_places(default) if default is not None else {inner.external}
            elif isinstance(inner, ex.Typed):
                result.update(list_read_places(inner))  # type: ignore[arg-type]
                name = get_called_name(inner)  # type: ignore[arg-type]
                if name:
                    (called if name in self._program.functions else result).add(name)
        return frozenset(result), frozenset(called)

    def _collect_function_places(self, name: str) -> StatePlaces:
        if name not in self._functions:
            result, waiting, known = set[str](), [name], {name}
            while waiting:
                each = waiting.pop()
                if each in self._functions:
                    result |= self._functions[each]
                    continue
                if each not in self._direct_reads:
                    self._direct_reads[each] = self._collect_direct_places(self._program.functions[each].body)
                places, called = self._direct_reads[each]
                result |= places
                waiting += called - known
                known |= called
            self._functions[name] = frozenset(result)
        return self._functions[name]
