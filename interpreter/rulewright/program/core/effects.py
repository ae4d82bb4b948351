"""Effects of core forms: places of the store that they read and write, and external values that they may want.

Places are named as in `CoreProgram.due_keys`: `Kind/name`, `Kind/gone`, `game/name`, `board/name`, or by a relation.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, assert_never

from rulewright.program.core import forms as core
from rulewright.program.core.operations import OPERATIONS
from rulewright.program.core.walking import walk_expressions, walk_forms, walk_statements

StorePlaces = frozenset[str]
EVERYWHERE: StorePlaces = frozenset({"*"})
"""Stands for all places that the program changes: those of an external procedure, or of an external value."""
_NOWHERE: StorePlaces = frozenset()


def get_store_place(root: core.StoreRoot) -> str:
    """Place of the store that a root belongs to; empty for what no statement changes, and for `Due`."""
    match root:
        case core.GameField(name=name):
            return f"game/{name}"
        case core.Attribute(kind=kind, name=name):
            return f"{kind}/{name}"
        case core.Gone(kind=kind) | core.InPlay(kind=kind) | core.RemovedThings(kind=kind):
            return f"{kind}/gone"
        case core.CellAttribute(board=board, name=name) | core.SideAttribute(board=board, name=name):
            return f"{board}/{name}"
        case core.Pair(relation=relation):
            return relation
        case core.Setting() | core.Cells() | core.Due() | core.Held():
            return ""
        case _:
            assert_never(root)


def list_read_places(expression: core.Expression) -> Iterable[str]:
    """Places that an expression reads itself, without its parts and the routines that it applies."""
    match expression:
        case core.Load(root=core.Pair(relation=relation, kinds=kinds)):
            return (relation, *(f"{kind}/gone" for kind in kinds))
        case core.Load(root=root):
            place = get_store_place(root)
            return (place,) if place else ()
        case core.Op(name=name, facts=facts):
            return _list_places_of_operation(name, facts)
        case _:
            return ()


def _list_places_of_operation(name: str, facts: tuple[Any, ...]) -> Iterable[str]:
    match OPERATIONS[name].reads:
        case "" | "dice" | "board":
            return ()
        case "bodies":
            return facts[-1]  # type: ignore[no-any-return]
        case attributes:
            kind = facts[0]
            return () if kind is None else [f"{kind}/{attribute}" for attribute in attributes.split(", ")]


class EffectAnalysis:
    """What statements, expressions and routines of one core program read and write, through all that they call."""

    def __init__(self, program: core.CoreProgram) -> None:
        self._program = program

    def collect_written_places(self, forms: Any) -> StorePlaces:
        """Places that statements may write, themselves and by calls, but for what settles in between."""
        return self._collect_written_places(forms, self._places_written)

    def collect_read_places(self, *forms: core.Expression) -> StorePlaces:
        """Places that expressions read, themselves and by what they apply; `EVERYWHERE` too if they may want a value."""
        inside = [*walk_forms(forms)]
        return frozenset(_list_read_places(inside)).union(*map(self.get_places_read_by, _list_applied(inside)))

    def get_places_written_by(self, key: str) -> StorePlaces:
        """Places that a routine may write; nothing if there is no such routine."""
        return self._places_written.get(key, _NOWHERE)

    def get_places_read_by(self, key: str) -> StorePlaces:
        """Places that a pure routine reads, itself and by what it applies; `EVERYWHERE` too if it may want a value."""
        return self._places_read.get(key, _NOWHERE)

    def may_want_value(self, *forms: core.Statement | core.Expression) -> bool:
        """Whether the own expressions of statements, or expressions, may want an external value that nobody gave yet."""
        expressions = [*walk_expressions(*forms)]
        return any(map(_is_wanted, expressions)) or not self.wanting_routines.isdisjoint(_list_applied(expressions))

    @cached_property
    def wanting_routines(self) -> frozenset[str]:
        """Pure routines that may want an external value."""
        return frozenset(key for key, places in self._places_read.items() if places >= EVERYWHERE)

    @cached_property
    def _places_read(self) -> dict[str, StorePlaces]:
        """Places that each pure routine reads; the least fixed point over what they apply."""
        pure = {key: [*walk_forms(routine)] for key, routine in self._program.routines.items() if routine.is_pure}
        applied = {key: [*_list_applied(forms)] for key, forms in pure.items()}
        read = {key: frozenset(_list_read_places(forms)) for key, forms in pure.items()}
        while True:
            grown = {
                key: places.union(*(read.get(name, _NOWHERE) for name in applied[key])) for key, places in read.items()
            }
            if grown == read:
                return read
            read = grown

    @cached_property
    def _places_written(self) -> dict[str, StorePlaces]:
        """Places that each routine may write; the least fixed point over calls and windows."""
        blocks = {
            key: (routine.entry, routine.steps)
            for key, routine in self._program.routines.items()
            if not routine.is_pure
        }
        written = dict.fromkeys(blocks, _NOWHERE)
        while True:
            grown = {key: written[key] | self._collect_written_places(block, written) for key, block in blocks.items()}
            if grown == written:
                return written
            written = grown

    def _collect_written_places(self, forms: Any, written: dict[str, StorePlaces]) -> StorePlaces:
        result: set[str] = set()
        for form in walk_statements(forms):
            match form:
                case core.Set(place=place) | core.Draw(place=place) | core.Shuffle(place=place):
                    if not isinstance(place.root, core.Local):
                        result.add(get_store_place(place.root))
                case core.External():
                    result |= EVERYWHERE
                case core.Call(routine=routine):
                    result |= written.get(routine, _NOWHERE)
                case core.Trigger(event=event):
                    result |= written.get(self._program.windows.get(event, ""), _NOWHERE)
                case _:
                    pass
        return frozenset(result - {""})


def _list_read_places(forms: Iterable[Any]) -> Iterator[str]:
    for form in forms:
        if _is_wanted(form):
            yield from EVERYWHERE
        elif isinstance(form, core.Value):
            yield from list_read_places(form)  # type: ignore[arg-type]


def _is_wanted(form: object) -> bool:
    return isinstance(form, core.Wanted) and form.default is None


def _list_applied(forms: Iterable[object]) -> Iterator[str]:
    """Pure routines that expressions apply, also defaults."""
    for form in forms:
        match form:
            case core.Apply(routine=routine) | core.Closure(routine=routine):
                yield routine
            case core.Wanted(default=str() as default):
                yield default
            case _:
                pass
