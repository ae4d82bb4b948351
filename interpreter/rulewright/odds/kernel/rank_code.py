"""WebAssembly for ranks: an order of members in which neighbours may still be tied.

A rank is three words: its members as a sequence, bits of the positions that are tied with the one before, and where the
next row of members to be ordered may begin.
"""

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.kernel_module import KernelModule, kernel_function
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.value_shapes import NONE_CODE, Shape
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Variable, const, select
from rulewright.program.core import forms as core

RANK_OPERATIONS = OperationTable()
_MAX_RANKED = 60
_TIES, _NEXT = 8, 16
"""Offsets in a rank."""
_TOO_MANY = "a rank of very many"


@kernel_function
def make_rank(w: FunctionWriter, module: KernelModule, members: Code) -> None:
    """A rank in which all are tied."""
    count = w.new_local(members.load())
    module.require(w, count <= _MAX_RANKED, _TOO_MANY)
    ties = select((const(1) << count) - 2, 0, count > 1)
    w.give_result(_new_rank(w, module, members, ties, const(0)))


def _new_rank(w: FunctionWriter, module: KernelModule, members: Code, ties: Code, next_: Code) -> Variable:
    held = [w.new_local(each) for each in (members, ties, next_)]
    new = w.new_local(module.allocate(3))
    for at, each in enumerate(held):
        w.store(new, each, 8 * at)
    return new


@kernel_function
def list_tied(w: FunctionWriter, module: KernelModule, rank: Code) -> None:
    """Members tied with another, from head to tail."""
    ties = w.new_local(rank.load(_TIES))
    w.give_result(lib.list_positions(module, rank.load(), ties | (ties >> 1)))


@kernel_function
def split_ties(  # noqa: PLR0913
    w: FunctionWriter, module: KernelModule, item: Shape, rank: Code, values: Code, *, is_highest: bool
) -> None:
    """The rank with tied members parted by their values, equal ones in their order."""
    ties = w.new_local(rank.load(_TIES))
    members = w.new_local(lib.copy_sequence(module, rank.load()))
    count = w.new_local(members.load())
    module.charge(w, count * count)
    worth, taken = w.new_local(module.allocate(count + 2)), w.new_local(0)
    tied = w.new_local(ties | (ties >> 1))
    with w.count(0, count) as at, w.when(((tied >> at) & 1).ne(0)):
        w.set(taken, taken + 1)
        w.store(worth + (at << 3), (values + (taken << 3)).load(), 8)
    parted = w.new_local(0)
    first = w.new_local(0)
    with w.count(0, count) as at, w.when(((ties >> at) & 1).is_zero()):
        w.set(first, at)
        w.otherwise()
        member, value = w.new_local((members + (at << 3)).load(8)), w.new_local((worth + (at << 3)).load(8))
        to = w.new_local(at)
        with w.block() as placed, w.loop() as again:
            w.leave(placed, to <= first)
            before = w.new_local((worth + (to << 3)).load())
            order = (before, value) if is_highest else (value, before)
            w.leave(placed, ~lib.is_before(module, item, *order))
            w.store(worth + (to << 3), before, 8)
            w.store(members + (to << 3), (members + (to << 3)).load(), 8)
            w.set(to, to - 1)
            w.leave(again)
        w.store(worth + (to << 3), value, 8)
        w.store(members + (to << 3), member, 8)
    with w.count(1, count) as at, w.when(((ties >> at) & 1).ne(0)):
        same = lib.are_equal(module, item, (worth + (at << 3)).load(), (worth + (at << 3)).load(8))
        w.set(parted, parted | (same.as_flag() << at))
    w.give_result(_new_rank(w, module, members, parted, rank.load(_NEXT)))


@kernel_function
def find_one_owner(w: FunctionWriter, _: KernelModule, owners: Code) -> None:
    """The only player among some, or none."""
    with w.count(1, owners.load()) as at, w.when((owners + (at << 3)).load(8).ne(owners.load(8))):
        w.give_result(const(NONE_CODE))
    w.give_result(owners.load(8))


@kernel_function
def find_row(w: FunctionWriter, module: KernelModule, rank: Code, owners: Code) -> None:
    """The next row of one owner to be ordered, as owner and members, or none."""
    members, start = w.new_local(rank.load()), w.new_local(rank.load(_NEXT))
    count = w.new_local(members.load())
    with w.when(start.is_zero()), w.count(1, count) as at:
        tied = (rank.load(_TIES) >> at) & 1
        same = (owners + (at << 3)).load().eq((owners + (at << 3)).load(8))
        module.require(w, tied.is_zero() | same, "members of several players are still equal")
    end = w.new_local(0)
    with w.until(start >= count):
        w.set(end, _find_end(module, owners, start, count))
        with w.when(end > start + 1):
            row = w.new_local(module.allocate(end - start + 1))
            w.store(row, end - start)
            w.copy_words(row + 8, members + 8 + (start << 3), end - start)
            pair = w.new_local(module.allocate(2))
            w.store(pair, (owners + (start << 3)).load(8))
            w.store(pair, row, 8)
            w.give_result(pair)
        w.set(start, end)
    w.give_result(const(NONE_CODE))


@kernel_function
def _find_end(w: FunctionWriter, _: KernelModule, owners: Code, start: Code, count: Code) -> None:
    with w.count(start, count) as at:
        differs = (owners + (at << 3)).load(8).ne((owners + (start << 3)).load(8))
        with w.when(differs):
            w.give_result(at)
    w.give_result(count)


@kernel_function
def pass_row(w: FunctionWriter, module: KernelModule, rank: Code, owners: Code) -> None:
    """The rank behind its next row; behind the last nobody is tied."""
    members, start = w.new_local(rank.load()), w.new_local(rank.load(_NEXT))
    count, end = w.new_local(members.load()), w.new_local(0)
    with w.until(start >= count):
        w.set(end, _find_end(module, owners, start, count))
        with w.when(end > start + 1):
            w.give_result(_new_rank(w, module, members, rank.load(_TIES), end))
        w.set(start, end)
    w.give_result(_new_rank(w, module, members, const(0), start))


@kernel_function
def put_row(w: FunctionWriter, module: KernelModule, rank: Code, row: Code) -> None:
    """The rank with the row before its next one in another order."""
    members = w.new_local(lib.copy_sequence(module, rank.load()))
    first = w.new_local(rank.load(_NEXT) - row.load())
    w.copy_words(members + 8 + (first << 3), row + 8, row.load())
    w.give_result(_new_rank(w, module, members, rank.load(_TIES), rank.load(_NEXT)))


def list_ranking(w: FunctionWriter, module: KernelModule, rank: Variable) -> Code:
    module.require(w, rank.load(_TIES).is_zero(), "members of a rank that every key leaves equal")
    return rank.load()


# Operations.


@RANK_OPERATIONS.register("rank", "one owner")
def _emit_rank(c: RoutineCode, node: core.Op) -> Code:
    return (make_rank if node.name == "rank" else find_one_owner)(c.module, c.sequence(node.arguments[0]))


@RANK_OPERATIONS.register("tied")
def _emit_tied(c: RoutineCode, node: core.Op) -> Code:
    return list_tied(c.module, c.value(node.arguments[0]))


@RANK_OPERATIONS.register("split")
def _emit_split(c: RoutineCode, node: core.Op) -> Code:
    rank, values = node.arguments
    (_, is_highest) = node.facts
    return split_ties(c.module, c.item_shape(values), c.value(rank), c.sequence(values), is_highest=is_highest)


@RANK_OPERATIONS.register("row", "past row", "with row")
def _emit_row(c: RoutineCode, node: core.Op) -> Code:
    rank, members = node.arguments
    function = {"row": find_row, "past row": pass_row, "with row": put_row}[node.name]
    return function(c.module, c.value(rank), c.sequence(members))


@RANK_OPERATIONS.register("ranked", "ranking")
def _emit_ranked(c: RoutineCode, node: core.Op) -> Code:
    rank = c.w.new_local(c.value(node.arguments[0]))
    return rank.load() if node.name == "ranked" else list_ranking(c.w, c.module, rank)
