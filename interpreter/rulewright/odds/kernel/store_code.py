"""WebAssembly for reading and writing the store: attributes, fields of the game, relations, things in play."""

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.cell_tables import look_up_cells
from rulewright.odds.kernel.kernel_module import SIDES_PER_CELL, KernelModule, column_address
from rulewright.odds.kernel.routine_code import RoutineCode
from rulewright.odds.kernel.value_shapes import MAX_BITS, BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, const, select
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.effects import get_store_place


def emit_load(c: RoutineCode, node: core.Load) -> Code:
    module = c.module
    match node.root:
        case core.Setting(name):
            value = module.world[module.executable.places.settings[name]]
            return module.encode_constant(value, node.type)  # type: ignore[arg-type]
        case core.InPlay(kind):
            return list_things(c, kind, gone=False)
        case core.RemovedThings(kind):
            return list_things(c, kind, gone=True)
        case core.Cells(board):
            cells = module.world[module.executable.places.boards[board]]
            return module.encode_constant(tuple(sorted(cells)), node.type)  # type: ignore[arg-type]
        case core.Gone(kind, thing):
            return c.module.is_gone(kind, c.present(thing))
        case core.Pair() as pair:
            return _emit_pair(c, pair)
        case core.Due(key):
            bit = find_due_bit(module, key)
            return (module.due & bit).ne(0)
        case core.Held(rule):
            held = [module.counter(("held", each)) for each in ([rule] if rule else module.program.rules)]
            total: Code = const(0)
            for each in held:
                total = total + each
            return total.ne(0)
        case root:
            value = find_address(c, root).load()
            if isinstance(root, core.Attribute) and not isinstance(node.type, ty.OptionalType):
                declared = module.executable.layout.types[f"{root.kind}/{root.name}"]
                if isinstance(declared, ty.OptionalType):
                    value = c.require_value(value)
            return value


def find_address(c: RoutineCode, root: core.StoreRoot) -> Code:
    """Address of the word of an attribute."""
    match root:
        case core.GameField(name):
            return const(c.module.find_place(f"game/{name}").address)
        case core.Attribute(owner, name, one) | core.CellAttribute(owner, name, one):
            return column_address(c.module.find_place(f"{owner}/{name}"), c.present(one))
        case core.SideAttribute(board, name, first, second):
            return _find_side(c, board, name, c.hold(c.present(first)), c.hold(c.present(second)))
    raise BatchUnsupportedError(f"a place of the sort `{type(root).__name__}`")


def _find_side(c: RoutineCode, board: str, name: str, first: Code, second: Code) -> Code:
    """A side is kept with its lesser cell, by the direction to the other."""
    one, other = c.hold(select(first, second, first < second)), c.hold(select(second, first, first < second))
    space = c.module.program.boards[board].space
    index = look_up_cells(c, "side", (one, other), space)
    return column_address(c.module.find_place(f"{board}/{name}"), one * SIDES_PER_CELL + index)


def list_things(c: RoutineCode, kind: str, *, gone: bool) -> Code:
    """Set of the things of a kind in play, or out of play."""
    module, count = c.module, c.module.shapes.thing_counts[kind]
    place = module.places.get(f"{kind}/in play")
    if place is not None:
        here = const(place.address).load()
        return here ^ ((1 << count) - 1) if gone else here
    flags = module.find_place(f"{kind}/gone")
    listed = lib.SequenceWriter(c.w, module, count)
    module.charge(c.w, count)
    with c.w.count(0, count) as at, c.w.when(column_address(flags, at).load().eq(int(gone))):
        listed.append(at)
    return listed.finish()


def find_pair(c: RoutineCode, pair: core.Pair, first: Code, second: Code) -> tuple[Code, Code]:
    """Address of the word of a pair of a relation, and its bit."""
    width = -(-c.module.shapes.thing_counts[pair.kinds[1]] // 64)
    place = c.module.find_place(pair.relation)
    index = first if width == 1 else first * width + (second >> 6)
    return column_address(place, index), const(1) << second


def _emit_pair(c: RoutineCode, pair: core.Pair) -> Code:
    first, second = c.hold(c.present(pair.first)), c.hold(c.present(pair.second))
    address, bit = find_pair(c, pair, first, second)
    holds = (address.load() & bit).ne(0)
    in_play = [~c.module.is_gone(kind, thing) for kind, thing in zip(pair.kinds, (first, second), strict=True)]
    return holds & in_play[0] & in_play[1]


def store_place(c: RoutineCode, place: core.Place, value: Code) -> None:
    """Puts a value into the root of a place; what reads it is due."""
    root, module, w = place.root, c.module, c.w
    match root:
        case core.Local():
            c.assign(root, value)
            return
        case core.Due(key):
            bit = find_due_bit(module, key)
            w.set(module.due, select(module.due | bit, module.due & ~bit, value.as_test()))
            return
        case core.Gone(kind, thing):
            _store_gone(c, kind, c.present(thing), value)
        case core.Pair():
            _store_pair(c, root, value)
        case _:
            address = find_address(c, root)
            module.find_place(get_store_place(root)).is_written = True
            w.store(address, value)
    mark_due(c, get_store_place(root))


def mark_due(c: RoutineCode, place: str) -> None:
    bits = 0
    for key in c.module.core.due_keys.get(place, ()):
        bits |= find_due_bit(c.module, key)
    if bits:
        c.w.set(c.module.due, c.module.due | bits)


def _store_gone(c: RoutineCode, kind: str, thing: Code, value: Code) -> None:
    module, w = c.module, c.w
    place = module.places.get(f"{kind}/in play")
    if place is None:
        flags = module.find_place(f"{kind}/gone")
        flags.is_written = True
        w.store(column_address(flags, thing), value)
        return
    place.is_written = True
    here, bit = const(place.address).load(), c.hold(const(1) << thing)
    w.store(place.address, select(here & (bit ^ -1), here | bit, value.as_test()))


def _store_pair(c: RoutineCode, pair: core.Pair, value: Code) -> None:
    c.module.find_place(pair.relation).is_written = True
    first, second, value = c.hold(c.present(pair.first)), c.hold(c.present(pair.second)), c.hold(value)
    for one, other in ((first, second), (second, first))[: 1 + pair.symmetric]:
        address, bit = find_pair(c, pair, one, other)
        place = c.hold(address)
        c.w.store(place, select(place.load() | bit, place.load() & (bit ^ -1), value.as_test()))


def find_due_bit(module: KernelModule, key: str) -> int:
    keys = [*module.core.rules, *module.core.invariants]
    if len(keys) > MAX_BITS:
        raise BatchUnsupportedError("very many standing rules")
    return 1 << keys.index(key)
