"""WebAssembly for questions: the legal answers, and the one that a policy takes, as `play.answer_sources` does.

Candidates are kept as codes in a sequence: a member itself, the bits of a subset by position, the rank of a split or
order. They become answers when they are judged or taken.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from math import factorial

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.collection_loops import count_members, for_each_member, is_ordered
from rulewright.odds.kernel.collection_operations import replace_entry
from rulewright.odds.kernel.kernel_module import KernelModule, column_address, kernel_function
from rulewright.odds.kernel.routine_code import RoutineCode, find_member_type
from rulewright.odds.kernel.value_shapes import NONE_CODE, BatchUnsupportedError, Bits
from rulewright.odds.kernel.wasm_assembler import (
    Code,
    FunctionWriter,
    Variable,
    choose,
    const,
    select,
    test_const,
)
from rulewright.play.answer_sources import MAX_PLACES_TRIED
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.runtime.geometry import FULL_TURN_DEG
from rulewright.runtime.pose_search import generate_angles

_MAX_ENUMERATED_ANSWERS = 10_000
_MAX_NODES = 10_000
"""Nodes of a search, as the limits of a run have them."""
MAX_JUDGED_CANDIDATES = 1 << 12
"""Candidates that are judged one by one."""
_MAX_POSITIONS = 60
_MAX_ORDERED = 20
_MAX_LISTED = 6
"""Members of which all orders are found by a search within its limit of nodes."""
_MANY = "a question with very many answers"


@dataclass(frozen=True)
class _Space:
    """Candidates of a question: how many there are, the first, and the answer that a candidate is."""

    count: Code
    first: Callable[[], Code]
    realize: Callable[[Code], Code]
    list_all: Callable[[Callable[[Code], None]], None]
    draw: Callable[[Code], Code]  # candidate drawn by a line


def emit_question(c: RoutineCode, node: core.Ask, line: Code, emit_block: Callable[[core.Block], None]) -> None:
    """Answers a question by the policy, and runs what follows.

    Raises:
        BatchUnsupportedError: such questions are not answered here.
    """
    if getattr(node.origin, "policies", ()):
        raise BatchUnsupportedError("a player has a policy for one question")
    w, module = c.w, c.module
    required = [each.test for each in node.conditions if not each.prefer]
    preferred = [each.test for each in node.conditions if each.prefer]
    match node.space:
        case core.Listed(choices):
            many, take = _find_listed(c, node, choices, required, preferred)
        case core.Members(_, core.Op(name="interval", arguments=(low, high)), None) if not node.conditions:
            first = c.held(low)
            many = c.hold(c.value(high) - first + 1)
            many = c.hold(select(0, many, many < 0))
            take = lambda number: first + number  # noqa: E731
        case core.Members(source=source) as space if isinstance(c.shape(source), Bits) and not preferred:
            bits = _gather_legal_bits(c, node, space, required)
            many = c.hold(bits.count_bits())
            take = lambda number: lib.nth_member(module, bits, number)  # noqa: E731
        case core.Members() as space:
            legal = _filter_preferred(c, node, _gather_legal_members(c, node, space, required), preferred)
            many, take = c.hold(legal.load()), lambda number: (legal + (number << 3)).load(8)
        case core.Headings(thing) if not preferred:
            legal = _gather_headings(c, node, thing, required)
            many, take = c.hold(legal.load()), lambda number: (legal + (number << 3)).load(8)
        case core.Subsets() | core.Splits() | core.Orders():
            _emit_composed_question(c, node, line, emit_block, required, preferred)
            return
        case _:
            raise BatchUnsupportedError("a place on the plane")
    with _branches(c, node, many, emit_block):
        number = w.new_local(0)
        with w.when(many.operate("gt_u", 1)):
            _draw_number(c, line, many, number)
        c.assign(node.result, take(number))
        emit_block(node.then)


@contextmanager
def _branches(c: RoutineCode, node: core.Ask, many: Code, emit_block: Callable[[core.Block], None]) -> Iterator[None]:
    """Context of what is done with an answer; else the block without one."""
    if len(node.none) == 1 and isinstance(node.none[0], core.Fail):
        c.require(many.ne(0), "a question without an answer")
        yield
        return
    with c.w.when(many.ne(0)):
        yield
        c.w.otherwise()
        emit_block(node.none)


def _draw_number(c: RoutineCode, line: Code, many: Code, number: Variable) -> None:
    """Number of the answer that the policy takes of several."""
    match c.module.answers.policy:
        case "first":
            occasions = c.hold(line.load(8))
            c.w.store(occasions, occasions.load() + 1)
        case "random":
            c.w.set(number, lib.draw_below(c.module, line, many))
        case _:
            c.w.emit(c.module.give_back("a question that no policy answers"))


def _find_listed(
    c: RoutineCode,
    node: core.Ask,
    choices: tuple[core.Choice, ...],
    required: list[core.Expression],
    preferred: list[core.Expression],
) -> tuple[Code, Callable[[Code], Code]]:
    if preferred:
        raise BatchUnsupportedError("options that are preferred")
    w, codes = c.w, [c.module.encode_choice(each.value.value) for each in choices]
    possible = w.new_local(0)
    is_free = not required and all(each.guard is None for each in choices)
    if not is_free:
        for number, each in enumerate(choices):
            tests = [*([] if each.guard is None else [each.guard]), *required]
            if required:
                c.assign(node.result, codes[number])
            bit = 1 << number
            if not tests:
                w.set(possible, possible | bit)
            elif len(tests) == 1:
                w.set(possible, possible | (c.test(tests[0]).as_flag() << number))
            else:
                with _when_all(c, tests):
                    w.set(possible, possible | bit)
    many = const(len(choices)) if is_free else w.new_local(possible.count_bits())

    def take(number: Code) -> Code:
        index = number if is_free else lib.nth_member(c.module, possible, number)
        if codes == [1, 0]:
            return const(1) - index
        return index if codes == list(range(len(codes))) else (index << 3).load(c.module.place_constant(codes))

    return many, take


def _when_all(c: RoutineCode, tests: list[core.Expression]) -> AbstractContextManager[object]:
    """Context of code that runs if all tests hold, each of which is computed only if those before it hold."""
    if not tests:
        return nullcontext()
    result = c.test(tests[-1])
    for test in reversed(tests[:-1]):
        result = choose(c.test(test), result, test_const(value=False))
    return c.w.when(result)


def _for_each_legal(
    c: RoutineCode,
    node: core.Ask,
    space: core.Members | core.Subsets,
    required: list[core.Expression],
    use: Callable[[Code], None],
) -> None:
    item = find_member_type(space.source.type)
    tests = [*([] if space.where is None else [space.where]), *required]

    def judge(member: Callable[[], Code]) -> None:
        value = c.hold(member())
        if required:
            c.assign(node.result, c.convert(value, item, node.result.type))
        with _when_all(c, tests):
            use(value)

    for_each_member(c, space.source, space.names, judge)


def _gather_legal_bits(
    c: RoutineCode, node: core.Ask, space: core.Members | core.Subsets, required: list[core.Expression]
) -> Code:
    if space.where is None and not required:
        return c.held(space.source)
    bits = c.w.new_local(0)
    _for_each_legal(c, node, space, required, lambda member: c.w.set(bits, bits | (const(1) << member)))
    return bits


def _gather_legal_members(
    c: RoutineCode, node: core.Ask, space: core.Members | core.Subsets, required: list[core.Expression]
) -> Variable:
    """Legal members in order, equal ones once."""
    w, module = c.w, c.module
    listed = lib.SequenceWriter(w, module, count_members(c, space.source))
    _for_each_legal(c, node, space, required, listed.append)
    legal = listed.finish()
    if not is_ordered(space.source):
        w.set(legal, lib.remove_repeated(module, c.item_shape(space.source), legal, is_sorted=False))
    return legal


def _gather_headings(
    c: RoutineCode, node: core.Ask, thing: core.Expression, required: list[core.Expression]
) -> Variable:
    """As many legal angles as the policy looks at, that of the thing first."""
    w, kind = c.w, c.module.executable.tables.stands[0].kind
    if thing.type != ty.ThingType(kind):
        raise BatchUnsupportedError("a heading of another kind")
    facing = c.hold(column_address(c.module.find_place(f"{kind}/facing"), c.present(thing)).load())
    facing = c.hold(select(0, facing, facing.eq(NONE_CODE)))
    angles = c.module.place_constant([int(angle) for angle in islice(generate_angles(), FULL_TURN_DEG)])
    legal, at = lib.SequenceWriter(w, c.module, MAX_PLACES_TRIED), w.new_local(-1)
    with w.until((at >= FULL_TURN_DEG) | (legal.count >= MAX_PLACES_TRIED)):
        angle = w.new_local(choose(at < 0, facing, (at << 3).load(angles)))
        if required:
            c.assign(node.result, angle)
        with w.when((at < 0) | angle.ne(facing)), _when_all(c, required):
            legal.append(angle)
        w.set(at, at + 1)
    c.require(legal.count.eq(MAX_PLACES_TRIED), "a heading that few angles fit")
    return legal.finish()


def _filter_preferred(
    c: RoutineCode,
    node: core.Ask,
    legal: Variable,
    preferred: list[core.Expression],
    realize: Callable[[Code], Code] | None = None,
) -> Variable:
    """Of legal answers those that meet each further condition, if any does."""
    w = c.w
    for test in preferred:
        better = lib.SequenceWriter(w, c.module, legal.load())

        def judge(member: Variable, test: core.Expression = test, better: lib.SequenceWriter = better) -> None:
            c.assign(node.result, member if realize is None else realize(member))
            with w.when(c.test(test)):
                better.append(member)

        lib.loop_members(w, legal, judge)
        w.set(legal, select(better.finish(), legal, better.count.ne(0)))
    return legal


# Several members at once.


def _emit_composed_question(  # noqa: PLR0913, PLR0917
    c: RoutineCode,
    node: core.Ask,
    line: Code,
    emit_block: Callable[[core.Block], None],
    required: list[core.Expression],
    preferred: list[core.Expression],
) -> None:
    w, module = c.w, c.module
    match node.space:
        case core.Subsets():
            space = _make_subsets(c, node, node.space)
        case core.Splits():
            space = _make_splits(c, node, node.space)
        case core.Orders():
            space = _make_orders(c, node, node.space)
        case _:
            raise TypeError(node.space)
    if not required and not preferred:
        many = space.count
        with _branches(c, node, many, emit_block):
            candidate = w.new_local(space.first())
            with w.when(many.ne(1)):
                if module.answers.policy == "random":
                    w.set(candidate, space.draw(line))
                else:
                    _draw_number(c, line, many, w.new_local())
            c.assign(node.result, space.realize(candidate))
            emit_block(node.then)
        return
    c.require(space.count <= MAX_JUDGED_CANDIDATES, _MANY)
    module.charge(w, space.count * 64)
    listed = lib.SequenceWriter(w, module, space.count)

    def judge(candidate: Code) -> None:
        candidate = c.hold(candidate)
        before = w.new_local(module.heap)
        c.assign(node.result, space.realize(candidate))
        with _when_all(c, required):
            listed.append(candidate)
        w.set(module.heap, before)

    space.list_all(judge)
    legal = _filter_preferred(c, node, listed.finish(), preferred, space.realize)
    many = c.hold(legal.load())
    with _branches(c, node, many, emit_block):
        number = w.new_local(0)
        with w.when(many.ne(1)):
            _draw_number(c, line, many, number)
        c.assign(node.result, space.realize((legal + (number << 3)).load(8)))
        emit_block(node.then)


def _make_subsets(c: RoutineCode, node: core.Ask, space: core.Subsets) -> _Space:
    w, module = c.w, c.module
    items = c.hold(_gather_legal_members(c, node, space, []))
    size = c.hold(items.load())
    c.require(size <= _MAX_POSITIONS, _MANY)
    low, high = c.held(space.low), c.held(space.high)
    high = c.hold(select(size, high, high > size))
    low = c.hold(select(0, low, low < 0))
    many, nodes = w.new_local(0), w.new_local(0)
    with w.count(0, high + 1) as k:
        ways = w.new_local(lib.binomial(module, size, k))
        w.set(nodes, nodes + ways)
        w.set(many, many + select(ways, 0, k >= low))
        c.require(many.operate("lt_u", 1 << 50), _MANY)
    item = find_member_type(node.result.type)

    def realize(bits: Code) -> Code:
        if isinstance(c.shape_of(node.result.type), Bits):
            return _gather_positions(module, items, bits)
        listed = lib.list_positions(module, items, bits)
        members = c.convert(listed, ty.ListType(find_member_type(space.source.type)), ty.ListType(item))
        return members if is_ordered(space.source) else lib.sort_in_place(module, c.shape_of(item), members)

    def list_all(use: Callable[[Code], None]) -> None:
        bits = w.new_local(0)
        with w.loop() as again:
            with w.when(bits.count_bits() >= low):
                use(bits)
            w.set(bits, _next_subset(module, bits, size, high))
            w.leave(again, bits.ne(-1))

    def draw(line: Code) -> Code:
        number = lib.draw_below(module, line, many)
        few = _subset_by_steps(module, number, size, low, high)
        large = _subset_by_rank(module, number, size, low)
        c.require((nodes <= _MAX_NODES) | (many > _MAX_ENUMERATED_ANSWERS), _MANY)
        return choose(many > _MAX_ENUMERATED_ANSWERS, large, few)

    return _Space(many, lambda: _subset_by_steps(module, const(0), size, low, high), realize, list_all, draw)


@kernel_function
def _gather_positions(w: FunctionWriter, _: KernelModule, items: Code, bits: Code) -> None:
    """Set in one word of the items at some positions."""
    found = w.new_local(0)
    with w.each_bit(bits) as at:
        w.set(found, found | (const(1) << (items + (at << 3)).load(8)))
    w.give_result(found)


@kernel_function
def _next_subset(w: FunctionWriter, _: KernelModule, bits: Code, size: Code, high: Code) -> None:
    """The next subset of at most so many positions, those of smaller first positions first; -1 behind the last."""
    last = w.new_local(const(63) - bits.count_leading_zeros())
    with w.when((bits.count_bits() < high) & (last + 1 < size)):
        w.give_result(bits | (const(1) << (last + 1)))
    with w.until(bits.is_zero()):
        w.set(last, const(63) - bits.count_leading_zeros())
        w.set(bits, bits ^ (const(1) << last))
        with w.when(last + 1 < size):
            w.give_result(bits | (const(1) << (last + 1)))
    w.give_result(const(-1))


@kernel_function
def _subset_by_steps(  # noqa: PLR0913, PLR0917
    w: FunctionWriter, module: KernelModule, number: Code, size: Code, low: Code, high: Code
) -> None:
    """Subset by its number in the order of the search."""
    bits = w.new_local(0)
    with w.loop() as again:
        with w.when(bits.count_bits() >= low):
            with w.when(number.is_zero()):
                w.give_result(bits)
            w.set(number, number - 1)
        w.set(bits, _next_subset(module, bits, size, high))
        w.leave(again, bits.ne(-1))
    w.give_result(bits)


@kernel_function
def _subset_by_rank(w: FunctionWriter, module: KernelModule, number: Code, size: Code, wanted: Code) -> None:
    """Subset by its number, smaller ones first, as `item_answer_search.answer_at`."""
    ways = w.new_local(lib.binomial(module, size, wanted))
    with w.until(number < ways):
        w.set(number, number - ways)
        w.set(wanted, wanted + 1)
        w.set(ways, lib.binomial(module, size, wanted))
    bits, at, with_it = w.new_local(0), w.new_local(0), w.new_local()
    with w.until((at >= size) | wanted.is_zero()):
        w.set(with_it, lib.binomial(module, size - at - 1, wanted - 1))
        with w.when(number < with_it):
            w.set(bits, bits | (const(1) << at))
            w.set(wanted, wanted - 1)
            w.otherwise()
            w.set(number, number - with_it)
        w.set(at, at + 1)
    w.give_result(bits)


def _make_splits(c: RoutineCode, node: core.Ask, space: core.Splits) -> _Space:
    w, module = c.w, c.module
    item = c.item_shape(space.over)
    items = c.hold(c.sequence(space.over))
    if not isinstance(space.over.type, ty.SetType):
        items = c.hold(lib.sort_in_place(module, item, lib.copy_sequence(module, items)))
    size, amount = c.hold(items.load()), c.held(space.amount)
    c.require(amount + size <= _MAX_POSITIONS, _MANY)
    c.require(amount >= 0, "a split of less than nothing")
    many = c.hold(select(1, lib.binomial(module, amount + size - 1, amount), (amount | size).is_zero()))
    type_ = node.result.type
    assert isinstance(type_, ty.MapType)

    def realize(rank: Code) -> Code:
        def write(w: FunctionWriter, items: Variable, amount: Variable, number: Variable) -> None:
            inner = RoutineCode(module, w, c.routine)
            left = w.new_local(items.load() - 1)
            empty = core.Op("map", (core.Const(0, type=ty.WHOLE, origin=None),), type=type_, origin=None)
            result, at = w.new_local(inner.value(empty)), w.new_local(0)
            here = w.new_local()
            with w.when(left < 0):
                w.give_result(result)
            with w.until(left <= 0):
                w.set(left, left - 1)
                w.set(here, 0)
                ways = w.new_local(lib.binomial(module, amount + left, left))
                with w.until(number < ways):
                    w.set(number, number - ways)
                    w.set(here, here + 1)
                    w.set(ways, lib.binomial(module, amount - here + left, left))
                w.set(amount, amount - here)
                w.set(result, replace_entry(inner, type_, result, (items + (at << 3)).load(8), here))
                w.set(at, at + 1)
            w.give_result(replace_entry(inner, type_, result, (items + (at << 3)).load(8), amount))

        return module.call_shared(("split", c.shape_of(type_)), write, items, amount, rank)

    def draw(line: Code) -> Code:
        nodes = lib.binomial(module, amount + size, size - 1)
        c.require((nodes <= _MAX_NODES) | (many > _MAX_ENUMERATED_ANSWERS), _MANY)
        return lib.draw_below(module, line, many)

    def list_all(use: Callable[[Code], None]) -> None:
        with w.count(0, many) as rank:
            use(rank)

    return _Space(many, lambda: const(0), realize, list_all, draw)


def _make_orders(c: RoutineCode, node: core.Ask, space: core.Orders) -> _Space:
    w, module = c.w, c.module
    items = c.hold(c.sequence(space.items))
    item = c.item_shape(space.items)
    size = c.hold(items.load())
    is_window = c.routine.sort == "window"
    c.require(size <= (7 if is_window else _MAX_ORDERED), _MANY)
    distinct = w.new_local(items)
    if not is_window:
        w.set(distinct, lib.remove_repeated(module, item, lib.copy_sequence(module, items), is_sorted=False))
        is_plain = distinct.load().eq(size) | (distinct.load() <= 1)
        c.require(is_plain, "an order of members of which some are equal")
    table = _place_factorials(module)
    many = w.new_local((size << 3).load(table))
    if not is_window:
        w.set(many, select(1, many, distinct.load() <= 1))

    def realize(rank: Code) -> Code:
        return c.convert(
            _order_by_rank(module, items, rank), ty.ListType(find_member_type(space.items.type)), node.result.type
        )

    def draw(line: Code) -> Code:
        if not is_window:
            c.require(size.ne(_MAX_LISTED + 1), _MANY)
        return lib.draw_below(module, line, many)

    def list_all(use: Callable[[Code], None]) -> None:
        c.require(size <= _MAX_LISTED, _MANY)
        with w.count(0, many) as rank:
            use(rank)

    return _Space(many, lambda: const(0), realize, list_all, draw)


def _place_factorials(module: KernelModule) -> int:
    return module.place_constant([factorial(at) for at in range(_MAX_ORDERED + 1)])


@kernel_function
def _order_by_rank(w: FunctionWriter, module: KernelModule, items: Code, number: Code) -> None:
    rest, left = w.new_local(lib.copy_sequence(module, items)), w.new_local(items.load())
    new, found = w.new_local(module.allocate(left + 1)), w.new_local(0)
    w.store(new, left)
    table = _place_factorials(module)
    with w.until(left.is_zero()):
        ways = w.new_local(((left - 1) << 3).load(table))
        at = w.new_local(number.operate("div_u", ways))
        w.set(number, number - at * ways)
        place = w.new_local(rest + (at << 3))
        w.set(found, found + 1)
        w.store(new + (found << 3), place.load(8))
        w.copy_words(place + 8, place + 16, left - at - 1)
        w.set(left, left - 1)
    w.give_result(new)
