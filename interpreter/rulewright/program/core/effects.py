"""Places of the store that core forms read and write themselves; `program/core/dependences.py` follows calls.

Places are named as in `CoreProgram.due_keys`: `Kind/name`, `Kind/gone`, `game/name`, `board/name`, or by a relation.
"""

from collections.abc import Iterable
from typing import Any, assert_never

from rulewright.program.core import forms as core
from rulewright.program.core.operations import OPERATIONS

StorePlaces = frozenset[str]
EVERYWHERE: StorePlaces = frozenset({"*"})
"""Stands for all places that the program changes: those of an external procedure, or of an external value."""


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
