"""Names and the store of core programs, which is the judge's plain game: what a root names, read and written."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from rulewright.program.core import forms
from rulewright.runtime.state import evaluate_start_value
from support.core_operations import apply_operation, list_in_play
from support.reference.world import make_pairs

if TYPE_CHECKING:
    from support.core_interpreter import CoreInterpreter, Env

Inside = forms.EntryOf | forms.ItemOf | forms.PartOf


@dataclass(frozen=True)
class TableSlot:
    """An entry of a table; of a sparse one there is none where the value is that of the start."""

    place: str
    table: dict[Any, Any]
    key: Any
    start: Any = None
    is_sparse: bool = False

    def get(self) -> Any:
        return self.table.get(self.key, self.start)

    def put(self, value: Any) -> None:
        self.table[self.key] = value
        if self.is_sparse and value == self.start:
            del self.table[self.key]


@dataclass(frozen=True)
class FlagSlot:
    """Whether something is in a set; of a symmetric relation a pair both ways."""

    place: str
    members: set[Any]
    entered: set[Any]

    def get(self) -> bool:
        return self.entered <= self.members

    def put(self, value: Any) -> None:
        (self.members.update if value else self.members.difference_update)(self.entered)


def bind_names(names: forms.Names, member: Any) -> "Env":
    """A member under its name, or taken apart where there are several."""
    parts = (member,) if len(names) == 1 else member
    return {each.index: part for each, part in zip(names, parts, strict=True) if each is not None}


Derived = forms.Setting | forms.InPlay | forms.RemovedThings | forms.Cells | forms.Held


def read_place(play: "CoreInterpreter", env: "Env", place: forms.Place) -> Any:
    """The value of a place."""
    value = env.get(place.root.index) if isinstance(place.root, forms.Local) else read_root(play, env, place.root)
    for inside in place.path:
        name, given, facts = _enter(play, env, inside)
        value = apply_operation(play.world, name, facts, (value, *given))
    return value


def read_root(play: "CoreInterpreter", env: "Env", root: forms.StoreRoot) -> Any:
    """The value of a root of the store."""
    world = play.world
    match root:
        case forms.Setting(name=name):
            return world.start.base.settings[name]
        case forms.InPlay(kind=kind):
            return list_in_play(world, kind)
        case forms.RemovedThings(kind=kind):
            return tuple(sorted(world.game.gone[kind]))
        case forms.Cells(board=board):
            return tuple(sorted(world.start.base.boards[board]))
        case forms.Held(rule=rule):
            return any(rule in frame.held if rule else frame.held for frame in play.frames)
        case forms.Pair(kinds=kinds, first=first, second=second):
            ends = zip(kinds, (first, second), strict=True)
            gone = any(play.evaluate(env, each) in world.game.gone[kind] for kind, each in ends)
            return not gone and _find_slot(play, env, root).get()
        case _:
            return _find_slot(play, env, root).get()


def write_place(play: "CoreInterpreter", env: "Env", place: forms.Place, value: Any) -> None:
    """Puts a value into a place; where that changes the game, what reads it is due, and known values are forgotten."""
    root = place.root
    if isinstance(root, forms.Local):
        env[root.index] = _replace_inside(play, env, env.get(root.index), place.path, value)
        return
    assert not isinstance(root, Derived)
    slot = _find_slot(play, env, root)
    write_slot(play, slot, _replace_inside(play, env, slot.get(), place.path, value))


def write_slot(play: "CoreInterpreter", slot: TableSlot | FlagSlot, value: Any) -> None:
    """Puts a value into the store."""
    is_changed = slot.get() != value
    slot.put(value)
    if is_changed and slot.place:
        play.due.update(play.core.due_keys.get(slot.place, ()))
        play.world.known.clear()


def find_named_slot(play: "CoreInterpreter", place: str, key: Any) -> TableSlot | FlagSlot:
    """The slot of a field of the game, an attribute or `gone` by its name."""
    game, (owner, _, name) = play.world.game, place.partition("/")
    if owner == "game":
        return TableSlot(place, game.game, name)
    return FlagSlot(place, game.gone[owner], {key}) if name == "gone" else TableSlot(place, game.attributes[place], key)


def _find_slot(
    play: "CoreInterpreter",
    env: "Env",
    root: forms.GameField
    | forms.Attribute
    | forms.Gone
    | forms.CellAttribute
    | forms.SideAttribute
    | forms.Pair
    | forms.Due,
) -> TableSlot | FlagSlot:
    game = play.world.game
    match root:
        case forms.GameField(name=name):
            return find_named_slot(play, f"game/{name}", None)
        case forms.Attribute(kind=kind, name=name, thing=thing):
            return find_named_slot(play, f"{kind}/{name}", play.evaluate(env, thing))
        case forms.Gone(kind=kind, thing=thing):
            return find_named_slot(play, f"{kind}/gone", play.evaluate(env, thing))
        case forms.CellAttribute(board=board, name=name, cell=cell):
            table = game.cells.setdefault(f"{board}/{name}", {})
            start = _get_start_value(play, board, name)
            return TableSlot(f"{board}/{name}", table, play.evaluate(env, cell), start, is_sparse=True)
        case forms.SideAttribute(board=board, name=name, first=first, second=second):
            table = game.sides.setdefault(f"{board}/{name}", {})
            side = tuple(sorted((play.evaluate(env, first), play.evaluate(env, second))))
            return TableSlot(f"{board}/{name}", table, side, _get_start_value(play, board, name), is_sparse=True)
        case forms.Pair(relation=relation, symmetric=symmetric, first=first, second=second):
            pairs = make_pairs(play.evaluate(env, first), play.evaluate(env, second), symmetric=symmetric)
            return FlagSlot(relation, game.relations[relation], pairs)
        case forms.Due(key=key):
            return FlagSlot("", play.due, {key})
        case _:
            assert_never(root)


def _get_start_value(play: "CoreInterpreter", board: str, name: str) -> Any:
    declared = play.world.program.boards[board]
    attribute = next(each for each in (*declared.fields, *declared.sides) if each.name == name)
    return None if attribute.start is None else evaluate_start_value(attribute.start, attribute.type)


def _replace_inside(play: "CoreInterpreter", env: "Env", whole: Any, path: tuple[Inside, ...], value: Any) -> Any:
    """A value with what stands at a path inside it replaced."""
    if not path:
        return value
    name, given, facts = _enter(play, env, path[0])
    inner = apply_operation(play.world, name, facts, (whole, *given))
    new = _replace_inside(play, env, inner, path[1:], value)
    return apply_operation(play.world, f"with {name}", facts, (whole, *given, new))


def _enter(play: "CoreInterpreter", env: "Env", inside: Inside) -> tuple[str, tuple[Any, ...], tuple[Any, ...]]:
    """The operation that reads something inside a value, with its argument and its constant."""
    match inside:
        case forms.EntryOf(key=key):
            return "entry", (play.evaluate(env, key),), ()
        case forms.ItemOf(position=position):
            return "item", (play.evaluate(env, position),), ()
        case forms.PartOf(position=number):
            return "part", (), (number,)
        case _:
            assert_never(inside)
