"""Changes and readings in the words of a play, safe to print; values are shown by their codecs."""

from rulewright.codecs.codec import Named
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.machine.trace import Change, Reading
from rulewright.machine.values import Value
from rulewright.program.types import CellType, MapType, TupleType, Type
from rulewright.program.walk import routines
from rulewright.telling.conditions import verb


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
        who = names.thing(owner, change.key)
        return f"{visible(who)} {verb(who, 'is', 'are', names)} {'out of' if change.after else 'back in'} play"
    before, after = (show(each, change.type, names) for each in (change.before, change.after))
    return f"{show_place(change, names)}: {before} → {after}"


def show_place(change: Change, names: Named) -> str:
    """What changed: `anvil.health`; for what may be out of play, the thing."""
    owner, _, name = change.place.rpartition("/")
    if name == "gone" and isinstance(change.key, int):
        return visible(f"{names.thing(owner, change.key)} out of play")
    return visible(".".join((_changed(owner, name, change.key, names), *change.parts)))


def _changed(owner: str, name: str, key: Value, names: Named) -> str:
    match key:
        case None:
            return name
        case int() if owner in names.program.kinds:
            return f"{names.thing(owner, key)}.{name}"
        case (int() as first, int() as second) if not owner and name in names.program.relations:
            return _pair(name, first, second, names)
        case _ if (kind := key_type(owner, name, names)) is None:
            return f"{name}[{key}]" if owner in {"", "game"} else name
        case _ if owner in names.program.boards:
            return f"{owner} {'side' if isinstance(kind, TupleType) else ''}{show(key, kind, names)}.{name}"
        case _:
            return f"{name}[{show(key, kind, names)}]"


def key_type(owner: str, name: str, names: Named) -> Type | None:
    """The type of what a value is kept under: a cell, the two of a side, the key of a map of `game` or a routine."""
    program = names.program
    if owner in program.boards:
        board, cell = program.boards[owner], CellType(program.boards[owner].space)
        return TupleType((cell, cell)) if any(each.name == name for each in board.sides) else cell
    if owner not in {"", "game"}:
        return None
    if name in program.game and isinstance(kept := program.game[name].type, MapType):
        return kept.key
    variables = (variable for each in routines(program) for variable in each.variables if variable.name == name)
    return next((each.type.key for each in variables if isinstance(each.type, MapType)), None)


def _pair(relation: str, first: int, second: int, names: Named) -> str:
    types = [each.type for each in names.program.relations[relation].parameters]
    return f"{relation}({show(first, types[0], names)}, {show(second, types[1], names)})"


def player(number: int | None, names: Named) -> str:
    """The id of a player; `the table` where no player is asked."""
    return "the table" if number is None else visible(names.thing("player", number))
