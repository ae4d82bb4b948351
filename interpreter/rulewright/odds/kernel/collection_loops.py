"""WebAssembly for loops over collections, and for what is gathered in them: lists, sets, flags, sums, the least."""

from collections.abc import Callable

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.number_operations import TOO_LARGE, check_number, is_bounded, is_exact
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode, find_member_type
from rulewright.odds.kernel.value_shapes import Bits, Scalar, SequenceShape
from rulewright.odds.kernel.wasm_assembler import Code, Variable, choose, const, select, test_const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression

GATHERING_OPERATIONS = OperationTable()


def for_each_member(
    c: RoutineCode, source: Expression, names: core.Names, use: Callable[[Callable[[], Code]], None]
) -> None:
    w = c.w
    if isinstance(source, core.Op) and source.name == "interval":
        low, high = c.value(source.arguments[0]), c.value(source.arguments[1])
        with w.count(low, high + 1) as at:
            _use_member(c, names, at, use)
        return
    if isinstance(source, core.Op) and source.name == "pairs" and len(names) == _PAIR:
        first, second = source.arguments
        for_each_member(
            c,
            first,
            names[:1],
            lambda one: for_each_member(
                c, second, names[1:], lambda other: use(lambda: c.allocate_words((one(), other())))
            ),
        )
        return
    if isinstance(source, core.Op) and source.name == "kept dice":
        lib.loop_kept_dice(w, c.module, c.held(source.arguments[0]), lambda die: _use_member(c, names, die, use))
        return
    shape = c.shape(source)
    if isinstance(shape, Bits):
        with w.each_bit(w.new_local(c.value(source))) as at:
            _use_member(c, names, at, use)
        return
    start = w.new_local(c.sequence(source))
    end = w.new_local(start + (start.load() << 3))
    item = w.new_local()
    with w.count(start, end, 8) as at:
        w.set(item, at.load(8))
        _use_member(c, names, item, use)


_PAIR = 2


def _use_member(c: RoutineCode, names: core.Names, member: Variable, use: Callable[[Callable[[], Code]], None]) -> None:
    if len(names) > 1:
        for at, name in enumerate(names):
            if name is not None:
                c.assign(name, member.load(8 * at))
    elif names and names[0] is not None:
        c.assign(names[0], member)
    use(lambda: member)


def count_members(c: RoutineCode, source: Expression) -> Code:
    """Number of members of a source, or an upper bound."""
    if isinstance(source, core.Op) and source.name == "interval":
        many = c.hold(c.value(source.arguments[1]) - c.value(source.arguments[0]) + 1)
        return select(0, many, many < 0)
    if isinstance(source, core.Op) and source.name == "pairs":
        first, second = (c.hold(count_members(c, each)) for each in source.arguments)
        return first * second
    if isinstance(source, core.Op) and source.name == "kept dice":
        return c.value(source.arguments[0]).load()
    return c.value(source).count_bits() if isinstance(c.shape(source), Bits) else c.sequence(source).load()


def emit_over(c: RoutineCode, node: core.Over) -> Code:
    return _GATHERERS[node.gather](c, node)


def _gather(c: RoutineCode, node: core.Over, use: Callable[[Callable[[], Code]], None]) -> None:
    """Code for each member for which `where` holds."""

    def use_if(member: Callable[[], Code]) -> None:
        if node.where is None:
            use(member)
        else:
            with c.w.when(c.test(node.where)):
                use(member)

    for_each_member(c, _visited(c, node), node.names, use_if)


def _visited(c: RoutineCode, node: core.Over) -> Expression:
    if isinstance(c.shape(node.source), SequenceShape) and not isinstance(node.source, core.Op):
        c.module.charge(c.w, c.sequence(node.source).load())
    return node.source


def _gathered_value(c: RoutineCode, node: core.Over, member: Callable[[], Code], target: core.CoreType | None) -> Code:
    return c.slot(node.value, target) if node.value is not None else member()


def _gather_list(c: RoutineCode, node: core.Over) -> Code:
    item = find_member_type(node.type)
    listed = lib.SequenceWriter(c.w, c.module, count_members(c, node.source))
    _gather(c, node, lambda member: listed.append(c.w.new_local(_gathered_value(c, node, member, item))))
    new = listed.finish()
    shape = c.shape_of(item)
    if isinstance(node.type, ty.SetType) and not (node.value is None and is_ordered(node.source)):
        return lib.make_sorted_set(c.module, shape, new)
    return lib.sort_in_place(c.module, shape, new) if isinstance(node.type, ty.BagType) else new


def is_ordered(source: Expression) -> bool:
    """Whether a source has its members in order, each once."""
    return isinstance(source.type, ty.SetType) or (
        isinstance(source, core.Op) and source.name in {"kept dice", "interval", "keys"}
    )


def _gather_set(c: RoutineCode, node: core.Over) -> Code:
    if not isinstance(c.shape(node), Bits):
        return _gather_list(c, node)
    found = c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        c.w.set(found, found | (const(1) << _gathered_value(c, node, member, None)))

    _gather(c, node, add)
    return found


def _gather_flag(c: RoutineCode, node: core.Over) -> Code:
    """`some`, `no` and `every`."""
    met = c.w.new_local(0)
    with c.w.block() as over:

        def decide(_: Callable[[], Code]) -> None:
            if node.value is None:
                c.w.set(met, 1)
                c.w.leave(over)
            else:
                test = c.test(node.value)
                with c.w.when(~test if node.gather == "every" else test):
                    c.w.set(met, 1)
                    c.w.leave(over)

        _gather(c, node, decide)
    return met.ne(0) if node.gather == "some" else met.is_zero()


def _gather_count(c: RoutineCode, node: core.Over) -> Code:
    found = c.w.new_local(0)
    if node.where is not None:
        where = node.where
        for_each_member(c, _visited(c, node), node.names, lambda _: c.w.set(found, found + c.test(where).as_flag()))
    else:
        _gather(c, node, lambda _: c.w.set(found, found + 1))
    return found


def _gather_sum(c: RoutineCode, node: core.Over) -> Code:
    found = c.w.new_local(0)
    is_small = node.value is not None and is_bounded(node.value.type)

    def add(member: Callable[[], Code]) -> None:
        c.w.set(found, found + _gathered_value(c, node, member, None))
        if not is_small:
            c.require(is_exact(found), TOO_LARGE)

    _gather(c, node, add)
    return check_number(c, node.type, found)


def _gather_extreme(c: RoutineCode, node: core.Over) -> Code:
    target = node.value.type if node.value is not None else find_member_type(node.source.type)
    shape = c.shape_of(target)
    found, is_first = c.w.new_local(0), c.w.new_local(1)

    def take(member: Callable[[], Code]) -> None:
        new = c.w.new_local(_gathered_value(c, node, member, target))
        pair = (new, found) if node.gather == "least" else (found, new)
        if isinstance(shape, Scalar):
            better = is_first.ne(0) | (pair[0] < pair[1])
        else:
            better = choose(is_first.ne(0), test_const(value=True), lib.is_before(c.module, shape, *pair))
        with c.w.when(better):
            c.w.set(found, new)
        c.w.set(is_first, 0)

    _gather(c, node, take)
    c.require(is_first.is_zero(), "the least or greatest of nothing")
    return found


def _gather_only(c: RoutineCode, node: core.Over) -> Code:
    found, many = c.w.new_local(0), c.w.new_local(0)

    def take(member: Callable[[], Code]) -> None:
        c.w.set(found, _gathered_value(c, node, member, node.type))
        c.w.set(many, many + 1)

    _gather(c, node, take)
    c.require(many.eq(1), "not exactly one member")
    return found


_GATHERERS: dict[str, Callable[[RoutineCode, core.Over], Code]] = {
    "list": _gather_list, "bag": _gather_list, "set": _gather_set, "some": _gather_flag, "no": _gather_flag,
    "every": _gather_flag, "count": _gather_count, "sum": _gather_sum, "least": _gather_extreme,
    "greatest": _gather_extreme, "only": _gather_only,
}  # fmt: skip


# Operations that gather.


@GATHERING_OPERATIONS.register("count of")
def _emit_count_of(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    if isinstance(source, core.Op) and source.name == "kept dice" and c.module.facts.dice.offset("kept") is not None:
        found = c.w.new_local(0)
        lib.loop_kept_dice(c.w, c.module, c.held(source.arguments[0]), lambda _: c.w.set(found, found + 1))
        return found
    return count_members(c, source)
