"""Values, changes and readings in the words of a play, safe to print."""

import math
from collections.abc import Iterable
from typing import Any, Protocol, assert_never

from rulewright.diagnostics.terminal import visible
from rulewright.machine.trace import Change, Reading
from rulewright.machine.values import Hidden, Map, Value
from rulewright.program.declarations import Program
from rulewright.program.plane import decimal, point_json, shape_json
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)


class Named(Protocol):
    """The words of a program and the things of one play; `inputs.names.Names` is one."""

    @property
    def program(self) -> Program:
        """For words, records and titles."""

    def thing(self, kind: str, number: int) -> str:
        """The id of a thing."""

    def words(self, values: str) -> tuple[str, ...]:
        """The words of a list, in order."""


_ONE = FlagType | TextType | NumberType | FractionType | InchesType | DirectionType | CellType | ThingType | WordType
_MANY = SetType | BagType | ListType | DeckType


def show(value: Any, type_: Type, names: Named) -> str:  # noqa: ANN401, C901, PLR0911 - one for each sort of type
    """A value as people say it: a thing by its id, a word by its name, a hex as `(1, 0)`."""
    if value is None:
        return "none"
    if isinstance(value, Hidden):
        return "hidden" if value.count is None else f"{value.count} hidden"
    match type_:
        case OptionalType(inner):
            return show(value, inner, names)
        case SetType() | BagType() | ListType() | DeckType():
            return _collection(value, type_, names)
        case MapType():
            return _map(value, type_, names)
        case TupleType(parts):
            return f"({_joined(show(each, part, names) for each, part in zip(value, parts, strict=True))})"
        case RecordType(record):
            return _record(value, record, names)
        case DieType():
            return f"die {value[1] + 1}"
        case PoolType():
            return "dice"
        case PlaneType(name):
            return _on_plane(value, name)
        case NoneType() | EmptyType():
            return visible(str(value))
        case _:
            return _plain(value, type_, names)


def _plain(value: Any, type_: _ONE, names: Named) -> str:  # noqa: ANN401, PLR0911 - one for each sort of type
    match type_:
        case FlagType():
            return "yes" if value else "no"
        case ThingType(kind):
            return visible(names.thing(kind, value))
        case WordType(values):
            return visible(names.words(values)[value])
        case CellType():
            return f"({value[0]}, {value[1]})"
        case NumberType() if abs(value) >= _LONGEST:
            return f"a number of {int(math.log10(abs(value))) + 1} digits"
        case InchesType():
            return str(decimal(value))
        case TextType() | NumberType() | FractionType() | DirectionType():
            return visible(str(value))
        case _:
            assert_never(type_)


_LONGEST = 10**1000


def _on_plane(value: Any, name: str) -> str:  # noqa: ANN401
    match name:
        case "point":
            return _point(value)
        case "angle":
            return f"{decimal(value)}°"
        case "polygon":
            return f"[{_joined(map(_point, value))}]"
        case "shape":
            return _joined(f"{key} {each}" for key, each in shape_json(value).items())
        case _:
            return f"{_point(value[1])} facing {decimal(value[2])}°"


def _point(value: tuple[int, int]) -> str:
    x, y = point_json(value)
    return f"({x}, {y})"


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _collection(value: tuple[Any, ...], type_: _MANY, names: Named) -> str:
    members = _joined(show(each, type_.item, names) for each in value)
    return f"[{members}]" if isinstance(type_, ListType | DeckType) else f"{{{members}}}"


def _map(value: Any, type_: MapType, names: Named) -> str:  # noqa: ANN401
    assert isinstance(value, Map)
    entries = [f"{show(key, type_.key, names)}: {show(each, type_.value, names)}" for key, each in value.items()]
    default = [] if value.default is None else [f"else {show(value.default, type_.value, names)}"]
    return f"{{{_joined([*entries, *default])}}}"


def _record(value: tuple[Any, ...], record: str, names: Named) -> str:
    parts = names.program.records[record].parts
    shown = _joined(f"{part.name}: {show(each, part.type, names)}" for each, part in zip(value, parts, strict=True))
    return f"({shown})"


def show_reading(reading: Reading, names: Named) -> str:
    """What was read, and what it was."""
    return f"{visible(reading.text)} = {show(reading.value, reading.type, names)}"


def in_game(change: Change) -> bool:
    """Whether something of the game became another, not a name of a running procedure."""
    return change.before != change.after and _of_game(change)


def _of_game(change: Change) -> bool:
    """A name of a routine stands alone; a stored relation has a pair and flags."""
    return "/" in change.place or (isinstance(change.key, tuple) and isinstance(change.after, bool))


def show_change(change: Change, names: Named) -> str:
    """A change: `mordred.health: 3 → 2`."""
    owner, _, name = change.place.rpartition("/")
    if name == "gone" and isinstance(change.key, int):
        return f"{visible(names.thing(owner, change.key))} is {'out of' if change.after else 'back in'} play"
    before, after = (show(each, change.type, names) for each in (change.before, change.after))
    return f"{show_place(change, names)}: {before} → {after}"


def show_place(change: Change, names: Named) -> str:
    """What changed: `anvil.health`; for what may be out of play, the thing."""
    owner, _, name = change.place.rpartition("/")
    if name == "gone" and isinstance(change.key, int):
        return visible(f"{names.thing(owner, change.key)} out of play")
    return visible(_changed(owner, name, change.key, names))


def _changed(owner: str, name: str, key: Value, names: Named) -> str:
    match key:
        case None:
            return name
        case int() if owner in names.program.kinds:
            return f"{names.thing(owner, key)}.{name}"
        case (int() as first, int() as second) if name in names.program.relations:
            return _pair(name, first, second, names)
        case _ if owner in {"", "game"}:
            kind = key_type(name, names)
            return f"{name}[{show(key, kind, names) if kind else key}]"
        case tuple():
            return f"{owner} {key}.{name}"
        case _:
            return name


def key_type(name: str, names: Named) -> Type | None:
    """The type of the keys of a map that `game` or a routine keeps under a name."""
    program = names.program
    if name in program.game and isinstance(kept := program.game[name].type, MapType):
        return kept.key
    routines = (*program.procedures.values(), *program.handlers.values(), *program.rules.values())
    variables = (variable for routine in routines for variable in routine.variables if variable.name == name)
    return next((each.type.key for each in variables if isinstance(each.type, MapType)), None)


def _pair(relation: str, first: int, second: int, names: Named) -> str:
    types = [each.type for each in names.program.relations[relation].parameters]
    return f"{relation}({show(first, types[0], names)}, {show(second, types[1], names)})"


def player(number: int | None, names: Named) -> str:
    """The id of a player; `the table` where nobody in the game is asked."""
    return "the table" if number is None else visible(names.thing("player", number))
