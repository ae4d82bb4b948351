"""Short ways to write core forms by hand: types are those of the values, origins lines with an address."""

from typing import Any, get_args

from rulewright.base.source import Span
from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_forms
from rulewright.program.types import FLAG, TEXT, WHOLE, NoneType, SetType, ThingType, Type

SPAN = Span("example", 0, 0)
UNIT = ThingType("Unit")
UNITS = SetType(UNIT)


def line(address: str) -> st.Nothing:
    """A line of a program with an address, to be an origin."""
    return st.Nothing(address=address, cites=(), span=SPAN)


def local(index: int, name: str = "", type_: Type = WHOLE) -> core.Local:
    return core.Local(index, type_, name)


def const(value: Any, type_: Type | None = None) -> core.Const:
    plain: Type = WHOLE
    if isinstance(value, bool):
        plain = FLAG
    elif isinstance(value, str):
        plain = TEXT
    elif value is None:
        plain = NoneType()
    return core.Const(value, type=type_ or plain, origin=None)


def get(place: core.Local) -> core.Get:
    return core.Get(place, type=place.type, origin=None)


def load(root: core.StoreRoot, type_: Type = WHOLE) -> core.Load:
    return core.Load(root, type=type_, origin=None)


def op(name: str, *arguments: core.Expression, facts: tuple[Any, ...] = (), type_: Type | None = None) -> core.Op:
    tests = {"equal", "less", "at most", "more", "at least", "not", "in"}
    return core.Op(name, arguments, facts, type=type_ or (FLAG if name in tests else WHOLE), origin=None)


def cond(test: core.Expression, then: core.Expression, other: core.Expression, type_: Type) -> core.Cond:
    return core.Cond(test, then, other, type=type_, origin=None)


def both(one: core.Expression, other: core.Expression) -> core.Cond:
    return core.Cond(one, other, const(False), type=FLAG, origin=None)


def either(one: core.Expression, other: core.Expression) -> core.Cond:
    return core.Cond(one, const(True), other, type=FLAG, origin=None)


def place(root: core.Local | core.StoreRoot, *path: Any, type_: core.CoreType = WHOLE) -> core.Place:
    return core.Place(root, path, type_)


def put(root: core.Local | core.StoreRoot | core.Place, value: core.Expression, address: str = "") -> core.Set:
    written = root if isinstance(root, core.Place) else place(root)
    return core.Set(written, value, origin=line(address) if address else None)


def routine(key: str, entry: core.Block, *steps: core.Step, parameters: int = 0, origin: Any = None) -> core.Routine:
    """A routine with all locals that its statements name."""
    named = {form for form in walk_forms(entry, steps) if isinstance(form, core.Local)}
    names = tuple(sorted(named, key=lambda each: each.index))
    sort: Any = key.partition(":")[0]
    sort = sort if sort in get_args(core.RoutineSort) else "function"
    return core.Routine(key, sort, names[:parameters], names, entry, steps, None, origin=origin or line(key))


def core_program(*routines: core.Routine, **tables: Any) -> core.CoreProgram:
    empty: dict[str, Any] = {"due_keys": {}, "rules": (), "invariants": (), "windows": {}, "measures": {}}
    return core.CoreProgram({each.key: each for each in routines}, **{**empty, **tables})
