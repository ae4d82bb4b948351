"""WebAssembly for things: those on a cell, connected ones, cells that one can move to, players in turn order."""

from collections.abc import Callable

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.cell_tables import look_up_cells
from rulewright.odds.kernel.collection_loops import count_members, for_each_member
from rulewright.odds.kernel.kernel_module import column_address
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.store_code import list_things
from rulewright.odds.kernel.value_shapes import NONE_CODE, BatchUnsupportedError, Bits
from rulewright.odds.kernel.wasm_assembler import Code, Variable, const, select
from rulewright.program.core import forms as core

THING_OPERATIONS = OperationTable()


@THING_OPERATIONS.register("gone among")
def _emit_gone_among(c: RoutineCode, node: core.Op) -> Code:
    (things,), (kind,) = node.arguments, node.facts
    removed = lib.SequenceWriter(c.w, c.module, count_members(c, things))

    def add(member: Callable[[], Code]) -> None:
        thing = c.hold(member())
        with c.w.when(c.module.is_gone(kind, thing)):
            removed.append(thing)

    for_each_member(c, things, (None,), add)
    return removed.finish()


@THING_OPERATIONS.register("occupants")
def _emit_occupants(c: RoutineCode, node: core.Op) -> Code:
    (kind,), cell = node.facts, c.held(node.arguments[0])
    column = c.module.find_place(f"{kind}/at")
    in_play = core.Load(core.InPlay(kind), type=node.type, origin=None)
    if not isinstance(c.shape(node), Bits):
        raise BatchUnsupportedError("the things on a cell, of very many")
    found = c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        here = column_address(column, member()).load().eq(cell)
        c.w.set(found, found | (here.as_flag() << member()))

    for_each_member(c, in_play, (None,), add)
    return found


@THING_OPERATIONS.register("connected")
def _emit_connected(c: RoutineCode, node: core.Op) -> Code:
    start, related = node.arguments
    (kind,) = node.facts
    if not isinstance(c.shape(node), Bits) or kind is None or not isinstance(related, core.Closure):
        raise BatchUnsupportedError("what is connected, of very many")
    here = c.held(start)
    in_play = c.hold(list_things(c, kind, gone=False))
    found, waiting = c.w.new_local(const(1) << here), c.w.new_local(const(1) << here)
    if related.routine.startswith("related:"):
        c.w.set(waiting, select(waiting, 0, ((in_play >> here) & 1).ne(0)))
    with c.w.each_bit(waiting) as at:
        c.module.charge(c.w, 64)
        rest = c.w.new_local(in_play & (found ^ -1))
        with c.w.each_bit(rest) as member, c.w.when(c.module.call_routine(related.routine, (at, member)).as_test()):
            c.w.set(found, found | (const(1) << member))
            c.w.set(waiting, waiting | (const(1) << member))
    return found


@THING_OPERATIONS.register("destinations")
def _emit_destinations(c: RoutineCode, node: core.Op) -> Code:
    """Breadth-first search over cells, prices and numbers of moves; of these only what some row reads tells apart."""
    start, enter, end = node.arguments
    board, space, spent_counts, moves_count = node.facts
    if not isinstance(c.shape(node), Bits) or not isinstance(enter, core.Closure) or not isinstance(end, core.Closure):
        raise BatchUnsupportedError("paths over a large board")
    module, w = c.module, c.w
    judges = [(each.routine, [c.hold(item) for item in _list_captured(c, each)]) for each in (enter, end)]
    first = c.hold(c.present(start))
    cells = module.world[module.executable.places.boards[board]]
    inside = module.encode_constant(tuple(sorted(cells)), node.type)  # type: ignore[arg-type]
    places, count, at = w.new_local(module.allocate(3 * _MAX_PLACES)), w.new_local(1), w.new_local(0)
    for offset, value in enumerate((first, const(0), const(0))):
        w.store(places, value, 8 * offset)

    def judge(number: int, *move: Code) -> Variable:
        key, captured = judges[number]
        return w.new_local(module.call_routine(key, [*captured, *move]))

    zero = const(0)
    found = w.new_local(judge(1, first, first, zero, zero).eq(1).as_flag() << first)
    with w.until(at >= count):
        place = w.new_local(places + at * 24)
        cell, before, moves = w.new_local(place.load()), w.new_local(place.load(8)), w.new_local(place.load(16) + 1)
        module.charge(w, count + 64)
        around = w.new_local(look_up_cells(c, "neighbours", (cell,), space, node.type) & inside)
        with w.each_bit(around) as entered:
            judged = judge(0, cell, entered, before, moves)
            with w.when(judged.ne(NONE_CODE)):
                spent, halts = w.new_local(judged.load()), w.new_local(judged.load(8))
                ends = judge(1, cell, entered, spent, moves)
                is_end = ends.eq(1) | (ends.eq(NONE_CODE) & entered.ne(first))
                w.set(found, found | (is_end.as_flag() << entered))
                with w.when(halts.is_zero()):
                    new = entered, spent if spent_counts else zero, moves if moves_count else zero
                    _add_place(c, places, count, new)
        w.set(at, at + 1)
    return found


_MAX_PLACES = 1 << 10
"""Places of a search for paths; with more, a play is given back."""


def _list_captured(c: RoutineCode, closure: core.Closure) -> list[Code]:
    parameters = c.module.core.routines[closure.routine].parameters
    return [c.slot(*each) for each in zip(closure.captured, [each.type for each in parameters], strict=False)]


def _add_place(c: RoutineCode, places: Variable, count: Variable, new: tuple[Code, Code, Code]) -> None:
    """A place more, if it is not among those found."""
    w = c.w
    with w.block() as known:
        with w.count(places, places + count * 24, 24) as each:
            same = each.load().eq(new[0]) & each.load(8).eq(new[1]) & each.load(16).eq(new[2])
            w.leave(known, same)
        c.require(count < _MAX_PLACES, "a search for paths over very many places")
        end = w.new_local(places + count * 24)
        for offset, value in enumerate(new):
            w.store(end, value, 8 * offset)
        w.set(count, count + 1)


@THING_OPERATIONS.register("turn order")
def _emit_turn_order(c: RoutineCode, node: core.Op) -> Code:
    """The players in the order listed, then the others in theirs."""
    players, listed = node.arguments
    if not isinstance(c.shape(players), Bits):
        raise BatchUnsupportedError("very many players")
    rest = c.w.new_local(c.value(players))
    order = lib.SequenceWriter(c.w, c.module, rest.count_bits())

    def add(player: Code) -> None:
        with c.w.when(player.operate("lt_u", 64) & ((rest >> player) & 1).ne(0)):
            c.w.set(rest, rest & ((const(1) << player) ^ -1))
            order.append(player)

    for_each_member(c, listed, (None,), lambda member: add(c.hold(member())))
    with c.w.until(rest.is_zero()):
        add(c.w.new_local(rest.count_trailing_zeros()))
    return order.finish()
