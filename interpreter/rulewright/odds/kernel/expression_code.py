"""WebAssembly for core expressions; each operation of the table that can be done in a kernel has a function here.

Expressions change nothing and every fault gives the play back, so the order in which they are computed does not matter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulewright.odds.kernel import plane_tables, rank_code, runtime_library as lib
from rulewright.odds.kernel.kernel_module import SIDES_PER_CELL, KernelModule, column_address
from rulewright.odds.kernel.value_conversion import convert_value
from rulewright.odds.kernel.value_shapes import (
    DIE,
    MAX_EXACT_INTEGER,
    NONE_CODE,
    SCALAR,
    BatchUnsupportedError,
    Bits,
    DenseMap,
    DieShape,
    EntryMap,
    Parts,
    PoolShape,
    Scalar,
    SequenceShape,
    Shape,
    is_address,
    is_numbered,
)
from rulewright.odds.kernel.wasm_assembler import (
    Code,
    FunctionWriter,
    Label,
    Variable,
    after,
    as_code,
    call,
    choose,
    const,
    select,
    test_const,
)
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression, Local
from rulewright.program.types import strip_optional
from rulewright.runtime.working_memory import BOARD, CONTROL

_SMALL_FACTOR = 1 << 31
"""Bound of factors whose product is exact."""
_MAX_INLINED = 4
"""Functions that are written into each other at most."""


@dataclass
class RoutineCode:
    """A routine under construction."""

    module: KernelModule
    w: FunctionWriter
    routine: core.Routine
    variables: dict[int, Variable] = field(default_factory=dict)
    known: dict[int, Code] = field(default_factory=dict)  # constants by index of their name
    frame: Variable | None = None  # address of the names that a watch shares
    shared: dict[int, int] = field(default_factory=dict)  # offset in the frame by index
    plain_dice: frozenset[int] = frozenset()  # names that hold the face of a die
    address: str = ""  # of the statement under construction
    inlined: int = 0  # functions around that this one is written into
    line: Code | None = None  # of a window, the line that asks (`KernelModule.find_line`)

    # Names.

    def read(self, local: Local) -> Code:
        if local.index in self.known:
            return self.known[local.index]
        if local.index in self.shared:
            assert self.frame is not None
            return self.frame.load(self.shared[local.index])
        return self.variable(local)

    def variable(self, local: Local) -> Variable:
        result = self.variables.get(local.index)
        if result is None:
            result = self.variables[local.index] = self.w.new_local()
        return result

    def assign(self, local: Local, value: Code | int) -> None:
        if local.index in self.shared:
            assert self.frame is not None
            self.w.store(self.frame, value, self.shared[local.index])
        else:
            self.w.set(self.variable(local), value)

    def shape(self, node: Expression) -> Shape:
        return self.shape_of(node.type)

    def shape_of(self, type_: core.CoreType | None) -> Shape:
        if isinstance(type_, core.RankingType):
            return SequenceShape(self.module.shapes.of(type_.member))
        return self.module.shapes.of(type_)

    # Expressions.

    def emit(self, node: Expression) -> Code:
        """Code of an expression, a value or a test; what cannot be done gives the play back there."""
        try:
            with self.w.capture() as pieces:
                code = _EMITTERS[node.__class__](self, node)
        except BatchUnsupportedError as unfit:
            address = getattr(node.origin, "address", None) or self.address or self.routine.key
            why = str(unfit)
            why = why if why.startswith("at `") else f"at `{address}`: {why}"
            return Code(self.module.give_back(why) + const(0).code)
        return after(pieces, code) if pieces else code

    def value(self, node: Expression) -> Code:
        return self.emit(node).as_flag()

    def test(self, node: Expression) -> Code:
        return self.emit(node).as_test()

    def held(self, node: Expression) -> Code:
        """A value that may be read several times."""
        return self.hold(self.value(node))

    def hold(self, value: Code) -> Code:
        if value.constant is not None or isinstance(value, Variable):
            return value
        return self.w.new_local(value)

    def slot(self, node: Expression, target: core.CoreType | None) -> Code:
        """A value as a place of a type holds it."""
        return self.convert(self.value(node), node.type, target)

    def convert(self, code: Code, source: core.CoreType | None, target: core.CoreType | None) -> Code:
        if source is None or isinstance(source, ty.NoneType) or target is None or source == target:
            return code
        return convert_value(self.module, code, self.shape_of(source), self.shape_of(target))

    def present(self, node: Expression) -> Code:
        """A value, or the play is given back if it is none."""
        value = self.value(node)
        if not isinstance(node.type, ty.OptionalType | ty.NoneType):
            return value
        value = self.hold(value)
        self.require(value.ne(NONE_CODE), "none where a value is needed")
        return value

    def require(self, test: Code, why: str) -> None:
        self.module.require(self.w, test, why)

    def sequence(self, node: Expression, item: Shape | None = None) -> Code:
        """Members of a collection as a sequence."""
        shape = self.shape(node)
        if isinstance(shape, PoolShape):
            return list_kept_dice(self, self.value(node))
        wanted = SequenceShape(item or self.item_shape(node))
        return convert_value(self.module, self.value(node), shape, wanted)

    def item_shape(self, node: Expression) -> Shape:
        """Shape of the members of a collection."""
        item = ty.get_member_type(strip_optional(node.type))  # type: ignore[arg-type]
        if item is None:
            raise BatchUnsupportedError(f"members of {node.type}")
        return self.shape_of(item)

    def allocate_words(self, values: Sequence[Code | int]) -> Code:
        """Address of new words with these values, which are computed before."""
        held = [self.hold(as_code(value)) for value in values]
        new = self.allocate(len(held))
        for at, value in enumerate(held):
            self.w.store(new, value, 8 * at)
        return new

    def allocate(self, words: int) -> Variable:
        """Address of a known number of new words."""
        module = self.module
        new = self.w.new_local(module.heap)
        self.w.set(module.heap, new + 8 * words)
        self.require(module.heap.operate("le_u", module.heap_end), "very many values in memory")
        return new

    def arguments(self, key: str, nodes: Sequence[Expression]) -> list[Code]:
        parameters = self.module.core.routines[key].parameters
        return [self.slot(node, parameter.type) for node, parameter in zip(nodes, parameters, strict=True)]


_Emitter = Callable[[RoutineCode, Any], Code]


def _emit_const(c: RoutineCode, node: core.Const) -> Code:
    if isinstance(node.value, bool):
        return test_const(node.value)
    if isinstance(node.value, str):
        return const(c.module.encode_choice(node.value))
    return c.module.encode_constant(node.value, node.type)  # type: ignore[arg-type]


def _emit_get(c: RoutineCode, node: core.Get) -> Code:
    return c.convert(c.read(node.local), node.local.type, node.type)


def _emit_cond(c: RoutineCode, node: core.Cond) -> Code:
    test = c.test(node.test)
    then, other = (
        c.test(each) if isinstance(node.type, ty.FlagType) else c.slot(each, node.type)
        for each in (node.then, node.other)
    )
    return choose(test, then, other)


def _emit_bind(c: RoutineCode, node: core.Bind) -> Code:
    c.assign(node.local, c.slot(node.value, node.local.type))
    return c.emit(node.body)


def _emit_apply(c: RoutineCode, node: core.Apply) -> Code:
    routine = c.module.core.routines[node.routine]
    given = c.arguments(node.routine, node.arguments)
    if c.inlined < _MAX_INLINED and c.module.is_small(routine):
        return c.convert(write_in_place(c, routine, given), routine.result, node.type)
    return c.convert(c.module.call_routine(node.routine, given), routine.result, node.type)


def write_in_place(c: RoutineCode, routine: core.Routine, given: Sequence[Code]) -> Code:
    """Result of a function whose block is a single `Return`, without a call."""
    (returned,) = routine.entry
    assert isinstance(returned, core.Return)
    inner = RoutineCode(c.module, c.w, routine, inlined=c.inlined + 1)
    for parameter, value in zip(routine.parameters, given, strict=True):
        held = c.hold(value)
        if held.constant is None:
            inner.variables[parameter.index] = held  # type: ignore[assignment]
        else:
            inner.known[parameter.index] = held
    return (
        inner.emit(returned.value)
        if isinstance(returned.value.type, ty.FlagType)
        else inner.slot(returned.value, routine.result)
    )


def _emit_wanted(c: RoutineCode, node: core.Wanted) -> Code:
    if node.default is None or c.module.world[CONTROL].base.tables.get(node.external):
        raise BatchUnsupportedError(f"`{node.external}` comes from elsewhere")
    routine = c.module.core.routines[node.default]
    return c.convert(
        c.module.call_routine(node.default, c.arguments(node.default, node.arguments)), routine.result, node.type
    )


def _refuse(_: RoutineCode, node: Expression) -> Code:
    raise BatchUnsupportedError(f"a {type(node).__name__.lower()} as a value")


# The store.


def _emit_load(c: RoutineCode, node: core.Load) -> Code:
    module = c.module
    match node.root:
        case core.GameField(name):
            return const(module.find_place(f"game/{name}").address).load()
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
                    value = c.hold(value)
                    c.require(value.ne(NONE_CODE), "none where a value is needed")
            return value


def find_address(c: RoutineCode, root: core.StoreRoot) -> Code:
    """Address of the word of an attribute."""
    match root:
        case core.GameField(name):
            return const(c.module.find_place(f"game/{name}").address)
        case core.Attribute(kind, name, thing):
            return column_address(c.module.find_place(f"{kind}/{name}"), c.present(thing))
        case core.CellAttribute(board, name, cell):
            return column_address(c.module.find_place(f"{board}/{name}"), c.present(cell))
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
    new, found = c.w.new_local(module.allocate(count + 1)), c.w.new_local(0)
    module.charge(c.w, count)
    with c.w.count(0, count) as at, c.w.when(column_address(flags, at).load().eq(int(gone))):
        c.w.set(found, found + 1)
        c.w.store(new + (found << 3), at)
    c.w.store(new, found)
    return new


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


def find_due_bit(module: KernelModule, key: str) -> int:
    keys = [*module.core.rules, *module.core.invariants]
    if len(keys) > 62:  # noqa: PLR2004
        raise BatchUnsupportedError("very many standing rules")
    return 1 << keys.index(key)


# Loops over collections.


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
        _for_each_die(c, c.held(source.arguments[0]), lambda die: _use_member(c, names, die, use))
        return
    shape = c.shape(source)
    if isinstance(shape, Bits):
        rest, at = w.new_local(c.value(source)), w.new_local()
        with w.until(rest.is_zero()):
            w.set(at, rest.count_trailing_zeros())
            w.set(rest, rest & (rest - 1))
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


def _for_each_die(c: RoutineCode, pool: Code, use: Callable[[Variable], None]) -> None:
    layout = c.module.facts.dice
    w = c.w
    start = w.new_local(pool + 8)
    end = w.new_local(start + (pool.load() * layout.size))
    with w.count(start, end, layout.size) as die:
        if layout.offset("kept") is None:
            use(die)
        else:
            with w.when(die.load(layout.offset("kept") or 0).ne(0)):
                use(die)


def list_kept_dice(c: RoutineCode, pool: Code) -> Code:
    pool = c.hold(pool)
    new, found = c.w.new_local(c.module.allocate(pool.load() + 1)), c.w.new_local(0)

    def add(die: Variable) -> None:
        c.w.set(found, found + 1)
        c.w.store(new + (found << 3), die)

    _for_each_die(c, pool, add)
    c.w.store(new, found)
    return new


def _emit_over(c: RoutineCode, node: core.Over) -> Code:
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
    item = ty.get_member_type(strip_optional(node.type))  # type: ignore[arg-type]
    new, found = c.w.new_local(c.module.allocate(count_members(c, node.source) + 1)), c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        value = c.w.new_local(_gathered_value(c, node, member, item))
        c.w.set(found, found + 1)
        c.w.store(new + (found << 3), value)

    _gather(c, node, add)
    c.w.store(new, found)
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
            c.require(_is_exact(found), _LARGE)

    _gather(c, node, add)
    return check_number(c, node.type, found)


def _gather_extreme(c: RoutineCode, node: core.Over) -> Code:
    target = node.value.type if node.value is not None else ty.get_member_type(node.source.type)  # type: ignore[arg-type]
    return _find_extreme(
        c,
        c.shape_of(target),
        lambda use: _gather(c, node, lambda member: use(_gathered_value(c, node, member, target))),
        is_least=node.gather == "least",
    )


def _find_extreme(
    c: RoutineCode, shape: Shape, loop: Callable[[Callable[[Code], None]], None], *, is_least: bool
) -> Code:
    found, is_first = c.w.new_local(0), c.w.new_local(1)

    def take(value: Code) -> None:
        new = c.w.new_local(value)
        pair = (new, found) if is_least else (found, new)
        if isinstance(shape, Scalar):
            better = is_first.ne(0) | (pair[0] < pair[1])
        else:
            better = choose(is_first.ne(0), test_const(value=True), lib.is_before(c.module, shape, *pair))
        with c.w.when(better):
            c.w.set(found, new)
        c.w.set(is_first, 0)

    loop(take)
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

# Operations.

_OPERATIONS: dict[str, Callable[[RoutineCode, core.Op], Code]] = {}


def _operation(
    *names: str,
) -> Callable[[Callable[[RoutineCode, core.Op], Code]], Callable[[RoutineCode, core.Op], Code]]:
    def register(function: Callable[[RoutineCode, core.Op], Code]) -> Callable[[RoutineCode, core.Op], Code]:
        _OPERATIONS.update(dict.fromkeys(names, function))
        return function

    return register


def _emit_op(c: RoutineCode, node: core.Op) -> Code:
    function = _OPERATIONS.get(node.name)
    if function is None:
        raise BatchUnsupportedError(f"`{node.name}`")
    return function(c, node)


_LARGE = "very large numbers"


def is_bounded(type_: core.CoreType | None, most: int = MAX_EXACT_INTEGER) -> bool:
    """Whether numbers of a type are so small that they need no test."""
    match strip_optional(type_):  # type: ignore[arg-type]
        case ty.NumberType(int() as low, int() as high):
            return -most < low and high < most
        case ty.NumberType() | ty.FractionType() | ty.LengthType():
            return False
        case _:
            return True


def _is_exact(value: Code) -> Code:
    return (value + MAX_EXACT_INTEGER).operate("lt_u", 2 * MAX_EXACT_INTEGER)


def check_number(c: RoutineCode, type_: core.CoreType, value: Code) -> Code:
    """A number of a type, which is exact."""
    if is_bounded(type_):
        return value
    value = c.hold(value)
    c.require(_is_exact(value), _LARGE)
    return value


@_operation("add", "subtract")
def _emit_sum(c: RoutineCode, node: core.Op) -> Code:
    left, right = map(c.value, node.arguments)
    return check_number(c, node.type, left + right if node.name == "add" else left - right)


@_operation("multiply")
def _emit_product(c: RoutineCode, node: core.Op) -> Code:
    if is_bounded(node.type):
        left, right = map(c.value, node.arguments)
        return left * right
    factors = [c.held(each) for each in node.arguments]
    for factor, each in zip(factors, node.arguments, strict=True):
        if not is_bounded(each.type, _SMALL_FACTOR):
            c.require((factor + _SMALL_FACTOR).operate("lt_u", 2 * _SMALL_FACTOR), _LARGE)
    return check_number(c, node.type, factors[0] * factors[1])


@_operation("negate")
def _emit_negative(c: RoutineCode, node: core.Op) -> Code:
    return const(0) - c.value(node.arguments[0])


@_operation("absolute")
def _emit_absolute(c: RoutineCode, node: core.Op) -> Code:
    value = c.held(node.arguments[0])
    return select(const(0) - value, value, value < 0)


@dataclass(frozen=True)
class _Ratio:
    """A number as a quotient of whole ones, the lower one above 0."""

    upper: Code
    lower: Code


def _emit_ratio(c: RoutineCode, node: Expression) -> _Ratio:
    match node:
        case core.Op(name=name) if name in plane_tables.PLANE_NUMBERS:
            return _Ratio(*map(c.hold, plane_tables.measure_bodies(c, node)))
        case core.Const(value=Fraction() as value):
            return _Ratio(const(value.numerator), const(value.denominator))
        case core.Op(name="divide", arguments=(left, right)):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            upper, lower = c.hold(over.upper * under.lower), c.hold(over.lower * under.upper)
            c.require(lower.ne(0), "a division by zero")
            sign = c.hold(select(-1, 1, lower < 0))
            return _Ratio(_exact(c, upper * sign), _exact(c, lower * sign))
        case core.Op(name="multiply", arguments=(left, right)) if not isinstance(node.type, ty.NumberType):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            return _Ratio(_exact(c, over.upper * under.upper), _exact(c, over.lower * under.lower))
        case core.Op(name="add" | "subtract" as name, arguments=(left, right)) if not isinstance(
            node.type, ty.NumberType
        ):
            over, under = _emit_ratio(c, left), _emit_ratio(c, right)
            first, second = over.upper * under.lower, under.upper * over.lower
            added = first + second if name == "add" else first - second
            return _Ratio(_exact(c, added), _exact(c, over.lower * under.lower))
        case core.Op(name="negate", arguments=(inner,)) if not isinstance(node.type, ty.NumberType):
            ratio = _emit_ratio(c, inner)
            return _Ratio(const(0) - ratio.upper, ratio.lower)
    return _Ratio(_exact(c, c.value(node)), const(1))


def _exact(c: RoutineCode, value: Code) -> Code:
    """A number so small that its products are exact."""
    if value.constant is not None:
        return value
    value = c.hold(value)
    c.require((value + _SMALL_FACTOR).operate("lt_u", 2 * _SMALL_FACTOR), _LARGE)
    return value


@_operation("divide")
def _emit_quotient(c: RoutineCode, node: core.Op) -> Code:
    ratio = _emit_ratio(c, node)
    upper, lower = c.hold(ratio.upper), c.hold(ratio.lower)
    c.require(upper.operate("rem_s", lower).is_zero(), "a fraction")
    return upper.operate("div_s", lower)


@_operation("floor", "ceiling", "round")
def _emit_rounded(c: RoutineCode, node: core.Op) -> Code:
    if isinstance(node.arguments[0].type, ty.NumberType):
        return c.value(node.arguments[0])
    ratio = _emit_ratio(c, node.arguments[0])
    upper, lower = c.hold(ratio.upper), c.hold(ratio.lower)
    if node.name == "floor":
        return _floor(upper, lower)
    if node.name == "ceiling":
        return const(0) - _floor(c.hold(const(0) - upper), lower)
    size = c.hold(select(const(0) - upper, upper, upper < 0))
    rounded = (size * 2 + lower).operate("div_s", lower * 2)
    return select(const(0) - rounded, rounded, upper < 0)


def _floor(upper: Code, lower: Code) -> Code:
    return upper.operate("div_s", lower) - (upper.operate("rem_s", lower) < 0).as_flag()


@_operation("least", "greatest")
def _emit_extreme(c: RoutineCode, node: core.Op) -> Code:
    shape = c.shape(node)
    result = c.hold(c.slot(node.arguments[0], node.type))
    for each in node.arguments[1:]:
        other = c.hold(c.slot(each, node.type))
        pair = (other, result) if node.name == "least" else (result, other)
        result = c.hold(select(other, result, lib.is_before(c.module, shape, *pair)))
    return result


@_operation("least of", "greatest of")
def _emit_extreme_of(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    loop = lambda use: for_each_member(c, source, (None,), lambda member: use(member()))  # noqa: E731
    return _find_extreme(c, c.item_shape(source), loop, is_least=node.name == "least of")


@_operation("sum of")
def _emit_sum_of(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    found = c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        c.w.set(found, found + member())
        if not is_bounded(ty.get_member_type(source.type)):  # type: ignore[arg-type]
            c.require(_is_exact(found), _LARGE)

    for_each_member(c, source, (None,), add)
    return check_number(c, node.type, found)


@_operation("count of")
def _emit_count_of(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    if isinstance(source, core.Op) and source.name == "kept dice" and c.module.facts.dice.offset("kept") is not None:
        found = c.w.new_local(0)
        _for_each_die(c, c.held(source.arguments[0]), lambda _: c.w.set(found, found + 1))
        return found
    return count_members(c, source)


@_operation("shift word")
def _emit_shifted_word(c: RoutineCode, node: core.Op) -> Code:
    (last,) = node.facts
    moved = c.hold(c.value(node.arguments[0]) + c.value(node.arguments[1]))
    low = c.hold(select(0, moved, moved < 0))
    return select(last, low, low > last)


@_operation("equal")
def _emit_equal(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    if isinstance(right.type, ty.NoneType) or isinstance(left.type, ty.NoneType):
        return c.value(left).eq(c.value(right))
    if _is_ratio(left) or _is_ratio(right):
        first, second = _emit_ratio(c, left), _emit_ratio(c, right)
        return (first.upper * second.lower).eq(second.upper * first.lower)
    shape = _common_shape(c, left, right)
    one, other = (convert_value(c.module, c.value(each), c.shape(each), shape) for each in (left, right))
    return lib.are_equal(c.module, shape, one, other)


def _common_shape(c: RoutineCode, left: Expression, right: Expression) -> Shape:
    one, other = c.shape(left), c.shape(right)
    return other if isinstance(one, Bits) or one == SequenceShape(SCALAR) else one


def _is_ratio(node: Expression) -> bool:
    return isinstance(node.type, ty.FractionType | ty.LengthType)


@_operation("less", "at most", "more", "at least")
def _emit_order(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    if not isinstance(left.type, core.RankingType) and is_numbered(left.type):
        raise BatchUnsupportedError(f"{left.type} in order")
    if _is_ratio(left) or _is_ratio(right):
        first, second = _emit_ratio(c, left), _emit_ratio(c, right)
        one, other = first.upper * second.lower, second.upper * first.lower
    else:
        shape = c.shape(left)
        one, other = c.value(left), c.value(right)
        if not isinstance(shape, Scalar):
            one, other = lib.compare(c.module, shape, one, other), const(0)
    match node.name:
        case "less":
            return one < other
        case "at most":
            return one <= other
        case "more":
            return one > other
        case _:
            return one >= other


@_operation("not")
def _emit_not(c: RoutineCode, node: core.Op) -> Code:
    return ~c.test(node.arguments[0])


@_operation("in")
def _emit_membership(c: RoutineCode, node: core.Op) -> Code:
    item, members = node.arguments
    if isinstance(members, core.Op) and members.name == "interval":
        value = c.held(item)
        low, high = members.arguments
        return (value >= c.value(low)) & (value <= c.value(high))
    if isinstance(members, core.Op) and members.name in {"list", "set"} and len(members.arguments) <= _MAX_TESTS:
        value, shape = c.held(item), c.shape(item)
        result: Code | None = None
        for each in members.arguments:
            other = c.convert(c.value(each), each.type, item.type)
            test = (
                value.eq(other) if isinstance(each.type, ty.NoneType) else lib.are_equal(c.module, shape, value, other)
            )
            result = test if result is None else result | test
        return test_const(value=False) if result is None else result
    if isinstance(c.shape(members), Bits):
        value = c.held(item)
        has = (c.value(members) >> value) & 1
        if _is_within_bits(item.type):
            return Code(has.as_test().code, is_test=True)
        return choose(value.operate("lt_u", 64), has.as_test(), test_const(value=False))
    shape = c.item_shape(members)
    value = convert_value(c.module, c.value(item), c.shape(item), shape)
    return lib.find_member(c.module, shape, c.sequence(members), value) >= 0


_MAX_TESTS = 8
"""Members up to which each is compared."""


def _is_within_bits(type_: core.CoreType) -> bool:
    match type_:
        case ty.NumberType(int() as low, int() as high):
            return low >= 0 and high < 64  # noqa: PLR2004
        case ty.ThingType() | ty.WordType() | ty.CellType() | ty.DirectionType() | ty.FlagType():
            return True
    return False


# Collections.


@_operation("set", "list", "bag")
def _emit_collection(c: RoutineCode, node: core.Op) -> Code:
    item = ty.get_member_type(node.type)  # type: ignore[arg-type]
    if isinstance(c.shape(node), Bits):
        bits: Code = const(0)
        for each in node.arguments:
            bits = bits | (const(1) << c.value(each))
        return bits
    if not node.arguments:
        return const(c.module.place_constant((0,)))
    new = c.allocate_words((len(node.arguments), *[c.slot(each, item) for each in node.arguments]))
    if node.name == "set":
        return lib.make_sorted_set(c.module, c.shape_of(item), new)
    return lib.sort_in_place(c.module, c.shape_of(item), new) if node.name == "bag" else new


@_operation("tuple")
def _emit_tuple(c: RoutineCode, node: core.Op) -> Code:
    if not node.arguments:
        return const(c.module.place_constant((0,)))
    types = c.module.shapes.list_digits(node.type)  # type: ignore[arg-type]
    return c.allocate_words([c.slot(*each) for each in zip(node.arguments, types, strict=True)])


@_operation("part")
def _emit_part(c: RoutineCode, node: core.Op) -> Code:
    (position,) = node.facts
    (record,) = node.arguments
    return c.convert(c.present(record).load(8 * position), _part_type(c, record.type, position), node.type)


def _part_type(c: RoutineCode, type_: core.CoreType, position: int) -> core.CoreType:
    return c.module.shapes.list_digits(strip_optional(type_))[position]  # type: ignore[arg-type]


@_operation("with part")
def _emit_with_part(c: RoutineCode, node: core.Op) -> Code:
    record, new = node.arguments
    (position,) = node.facts
    return replace_part(c, record.type, c.value(record), position, c.slot(new, _part_type(c, record.type, position)))


def replace_part(c: RoutineCode, type_: core.CoreType, record: Code, position: int, new: Code) -> Code:
    shape = c.shape_of(type_)
    assert isinstance(shape, Parts)
    record, new = c.hold(record), c.hold(new)
    return c.allocate_words([new if at == position else record.load(8 * at) for at in range(len(shape.parts))])


@_operation("interval")
def _emit_interval(c: RoutineCode, node: core.Op) -> Code:
    low, count = c.held(node.arguments[0]), c.hold(count_members(c, node))
    if isinstance(c.shape(node), Bits):
        ones = choose(count.is_zero(), const(0), const(-1) >> (const(64) - count))
        return ones << low
    new = c.w.new_local(c.module.allocate(count + 1))
    c.w.store(new, count)
    with c.w.count(0, count) as at:
        c.w.store(new + (at << 3), low + at, 8)
    return new


@_operation("map")
def _emit_map(c: RoutineCode, node: core.Op) -> Code:
    assert isinstance(node.type, ty.MapType)
    (default,), shape = node.arguments, c.shape(node)
    value = c.hold(c.slot(default, node.type.value))
    if isinstance(shape, EntryMap):
        return c.allocate_words((value, 0))
    assert isinstance(shape, DenseMap)
    new = c.allocate(shape.count + 1)
    if shape.count <= _MAX_TESTS:
        for at in range(shape.count + 1):
            c.w.store(new, value, 8 * at)
    else:
        with c.w.count(0, shape.count + 1) as each:
            c.w.store(new + (each << 3), value)
    return new


def _find_entry(c: RoutineCode, map_: Code, type_: ty.MapType, key: Code) -> Code:
    """Address of the value of a key, or of the default."""
    shape = c.shape_of(type_)
    if isinstance(shape, DenseMap):
        if not _is_within_bits(type_.key):
            key = c.hold(key)
            c.require(key.operate("lt_u", shape.count), "a key of a map that it cannot have")
        return map_ + ((key << 3) + 8)
    assert isinstance(shape, EntryMap)
    return _find_pair_of_key(c, shape, map_, key)


def _find_pair_of_key(c: RoutineCode, shape: EntryMap, map_: Code, key: Code) -> Code:
    module = c.module

    def write(w: FunctionWriter) -> None:
        map_, key = w.parameter(0), w.parameter(1)
        with w.count(0, map_.load(8)) as at:
            entry = w.new_local(map_ + (at << 4))
            with w.when(lib.are_equal(module, shape.key, entry.load(16), key)):
                w.give_result(entry + 24)
        w.give_result(map_)

    return call(module.request_function(("entry", shape), 2, write), map_, key)


@_operation("entry", "answer entry")
def _emit_entry(c: RoutineCode, node: core.Op) -> Code:
    map_, key = node.arguments
    assert isinstance(map_.type, ty.MapType)
    value = _find_entry(c, c.held(map_), map_.type, c.slot(key, map_.type.key)).load()
    if isinstance(map_.type.value, ty.OptionalType):
        return value
    value = c.hold(value)
    c.require(value.ne(NONE_CODE), "a map has no value for a key")
    return c.convert(value, map_.type.value, node.type)


@_operation("with entry")
def _emit_with_entry(c: RoutineCode, node: core.Op) -> Code:
    map_, key, new = node.arguments
    assert isinstance(map_.type, ty.MapType)
    return replace_entry(c, map_.type, c.value(map_), c.slot(key, map_.type.key), c.slot(new, map_.type.value))


def replace_entry(c: RoutineCode, type_: ty.MapType, map_: Code, key: Code, new: Code) -> Code:
    shape, w = c.shape_of(type_), c.w
    map_, key, new = c.hold(map_), c.hold(key), c.hold(new)
    if isinstance(shape, DenseMap):
        copy = c.allocate(shape.count + 1)
        if shape.count <= _MAX_TESTS:
            for at in range(0, 8 * shape.count + 8, 8):
                w.store(copy, map_.load(at), at)
        else:
            w.copy_words(copy, map_, shape.count + 1)
        w.store(_find_entry(c, copy, type_, key), new)
        return copy
    assert isinstance(shape, EntryMap)
    module = c.module

    def write(w: FunctionWriter) -> None:
        map_, key, new = map(w.parameter, range(3))
        count = w.new_local(map_.load(8))
        result = w.new_local(module.allocate(count * 2 + 4))
        kept, is_placed = w.new_local(0), w.new_local(lib.are_equal(module, shape.value, new, map_.load()).as_flag())
        w.store(result, map_.load())

        def put(key: Code, value: Code) -> None:
            w.store(result + (kept << 4), key, 16)
            w.store(result + (kept << 4), value, 24)
            w.set(kept, kept + 1)

        with w.count(0, count) as at:
            entry = w.new_local(map_ + (at << 4))
            order = w.new_local(lib.compare(module, shape.key, entry.load(16), key))
            with w.when(is_placed.is_zero() & (order >= 0)):
                put(key, new)
                w.set(is_placed, 1)
            with w.when(order.ne(0)):
                put(entry.load(16), entry.load(24))
        with w.when(is_placed.is_zero()):
            put(key, new)
        w.store(result, kept, 8)
        w.give_result(result)

    return call(module.request_function(("with entry", shape), 3, write), map_, key, new)


@_operation("keys")
def _emit_keys(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    shape, map_, w = c.shape(source), c.held(source), c.w
    if isinstance(shape, DenseMap):
        found, default = w.new_local(0), c.hold(map_.load())
        with w.count(0, shape.count) as at:
            differs = ~lib.are_equal(c.module, shape.value, (map_ + (at << 3)).load(8), default)
            w.set(found, found | (differs.as_flag() << at))
        return found
    assert isinstance(shape, EntryMap)
    count = c.hold(map_.load(8))
    new = w.new_local(c.module.allocate(count + 1))
    w.store(new, count)
    with w.count(0, count) as at:
        w.store(new + (at << 3), (map_ + (at << 4)).load(16), 8)
    return new


@_operation("map union", "map difference")
def _emit_joined_maps(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    assert isinstance(node.type, ty.MapType)
    type_ = node.type
    result = c.w.new_local(c.slot(left, node.type))
    key = Local(-1 - c.w.local_count, type_.key)
    other = c.held(right)
    held = Local(-2 - c.w.local_count, right.type)
    c.variables[held.index] = c.w.new_local(other)
    got = core.Get(held, type=right.type, origin=None)
    source = (
        core.Op("keys", (got,), type=ty.SetType(type_.key), origin=None) if isinstance(right.type, ty.MapType) else got
    )

    def put(_: Callable[[], Code]) -> None:
        if node.name == "map union":
            assert isinstance(right.type, ty.MapType)
            value = _find_entry(c, other, right.type, c.read(key)).load()
        else:
            value = result.load()
        c.w.set(result, replace_entry(c, type_, result, c.read(key), value))

    for_each_member(c, source, (key,), put)
    return result


@_operation("item")
def _emit_item(c: RoutineCode, node: core.Op) -> Code:
    members, position = node.arguments
    start, at = c.hold(c.sequence(members)), c.held(position)
    c.require((at - 1).operate("lt_u", start.load()), "a list has no such entry")
    return (start + (at << 3)).load()


@_operation("with item")
def _emit_with_item(c: RoutineCode, node: core.Op) -> Code:
    members, position, new = node.arguments
    return replace_item(c, c.sequence(members), c.value(position), c.slot(new, ty.get_member_type(members.type)))  # type: ignore[arg-type]


def replace_item(c: RoutineCode, members: Code, position: Code, new: Code) -> Code:
    at, new = c.hold(position), c.hold(new)
    members = c.hold(members)
    c.require((at - 1).operate("lt_u", members.load()), "a list has no such entry")
    copy = c.w.new_local(lib.copy_sequence(c.module, members))
    c.w.store(copy + (at << 3), new)
    return copy


@_operation("with member")
def _emit_with_member(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    if isinstance(c.shape(node), Bits):
        return c.slot(members, node.type) | (const(1) << c.value(member))
    shape = c.item_shape(node)
    start, new = c.hold(c.slot(members, node.type)), c.hold(c.slot(member, ty.get_member_type(node.type)))  # type: ignore[arg-type]
    at = lib.count_before(c.module, shape, start, new)
    added = lib.with_index(c.module, start, at, new)
    return choose(lib.find_member(c.module, shape, start, new) >= 0, start, added)


@_operation("bag with")
def _emit_bag_with(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    start, new = c.hold(c.slot(members, node.type)), c.hold(c.slot(member, ty.get_member_type(node.type)))  # type: ignore[arg-type]
    return lib.with_index(c.module, start, lib.count_before(c.module, c.item_shape(node), start, new), new)


@_operation("appended")
def _emit_appended(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    return lib.append(c.module, c.slot(members, node.type), c.slot(member, ty.get_member_type(node.type)))  # type: ignore[arg-type]


@_operation("without", "taken")
def _emit_without(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    return take_out(
        c,
        node.type,
        c.slot(members, node.type),
        c.convert(c.value(member), member.type, _item_type(node)),
        node.name == "taken",
    )


def _item_type(node: core.Op) -> core.CoreType:
    if isinstance(node.type, ty.MapType):
        return node.type.key
    item = ty.get_member_type(node.type)  # type: ignore[arg-type]
    assert item is not None
    return item


def take_out(c: RoutineCode, type_: core.CoreType, members: Code, member: Code, is_required: bool) -> Code:  # noqa: FBT001
    """A collection without the first such member; of a map without the entry of a key."""
    shape, member = c.shape_of(type_), c.hold(member)
    if isinstance(type_, ty.MapType):
        map_ = c.hold(members)
        return replace_entry(c, type_, map_, member, map_.load())
    if isinstance(shape, Bits):
        bit = select(const(1) << member, 0, member.operate("lt_u", 64))
        return members & (bit ^ -1)
    item = ty.get_member_type(type_)  # type: ignore[arg-type]
    start = c.hold(members)
    index = c.hold(lib.find_member(c.module, c.shape_of(item), start, member))
    if is_required:
        c.require(index >= 0, "a member taken that is not there")
    return lib.without_index(c.module, start, index)


@_operation("union", "difference")
def _emit_joined_sets(c: RoutineCode, node: core.Op) -> Code:
    left, right = node.arguments
    target = node.type
    if node.name == "difference" and not isinstance(right.type, ty.SetType):
        target = left.type
    one, other = c.slot(left, target), c.slot(right, target)
    if isinstance(c.shape_of(target), Bits):
        return one | other if node.name == "union" else one & (other ^ -1)
    item = c.item_shape(node)
    if node.name == "union":
        return lib.unite(c.module, item, one, other)
    return lib.subtract(c.module, item, one, other, once=False)


@_operation("joined", "bag union")
def _emit_joined_lists(c: RoutineCode, node: core.Op) -> Code:
    one, other = (c.slot(each, node.type) for each in node.arguments)
    joined = lib.join(c.module, one, other)
    return lib.sort_in_place(c.module, c.item_shape(node), joined) if node.name == "bag union" else joined


@_operation("list difference", "bag difference")
def _emit_list_difference(c: RoutineCode, node: core.Op) -> Code:
    item = c.item_shape(node)
    one, other = (c.sequence(each, item) for each in node.arguments)
    return lib.subtract(c.module, item, one, other, once=True)


@_operation("position")
def _emit_position(c: RoutineCode, node: core.Op) -> Code:
    member, members = node.arguments
    shape = c.item_shape(members)
    value = convert_value(c.module, c.value(member), c.shape(member), shape)
    index = c.hold(lib.find_member(c.module, shape, c.sequence(members), value))
    c.require(index >= 0, "`position` of something that is not in the list")
    return index + 1


@_operation("other")
def _emit_other(c: RoutineCode, node: core.Op) -> Code:
    member, pair = node.arguments
    value = c.held(member)
    if isinstance(c.shape(pair), Bits):
        both = c.held(pair)
        is_there = both.count_bits().eq(2) & value.operate("lt_u", 64) & ((both >> value) & 1).ne(0)
        c.require(is_there, "`other` of what is not in a set of two")
        return (both ^ (const(1) << value)).count_trailing_zeros()
    shape, start = c.item_shape(pair), c.hold(c.sequence(pair))
    index = c.hold(lib.find_member(c.module, shape, start, value))
    c.require(start.load().eq(2) & (index >= 0), "`other` of what is not in a set of two")
    return (start + ((const(1) - index) << 3)).load(8)


@_operation("sorted")
def _emit_sorted(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    copy = c.sequence(source)
    is_new = isinstance(source, core.Over) or isinstance(c.shape(source), Bits)
    copy = copy if is_new else lib.copy_sequence(c.module, copy)
    return lib.sort_in_place(c.module, c.item_shape(source), copy, is_descending=True)


@_operation("starting with")
def _emit_rotated(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    start = c.hold(c.sequence(members))
    index = c.hold(lib.find_member(c.module, c.item_shape(members), start, c.value(member)))
    c.w.set(index := c.w.new_local(index), select(0, index, index < 0))
    count = c.hold(start.load())
    new = c.w.new_local(c.module.allocate(count + 1))
    c.w.store(new, count)
    c.w.copy_words(new + 8, start + 8 + (index << 3), count - index)
    c.w.copy_words(new + 8 + ((count - index) << 3), start + 8, index)
    return new


@_operation("pairs")
def _emit_pairs(c: RoutineCode, node: core.Op) -> Code:
    many = count_members(c, node)
    new, found = c.w.new_local(c.module.allocate(many + 1)), c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        pair = c.w.new_local(member())
        c.w.set(found, found + 1)
        c.w.store(new + (found << 3), pair)

    for_each_member(c, node, (None, None), add)
    c.w.store(new, found)
    return new


@_operation("narrow")
def _emit_narrowed(c: RoutineCode, node: core.Op) -> Code:
    (operand,), (target,) = node.arguments, node.facts
    value = c.hold(c.value(operand))
    inner = strip_optional(target)
    if not isinstance(target, ty.OptionalType) and isinstance(operand.type, ty.OptionalType | ty.NoneType):
        c.require(value.ne(NONE_CODE), "none where a value is needed")
    match inner, strip_optional(operand.type):  # type: ignore[arg-type]
        case ty.NumberType(low, high, paired), _:
            fits = _fits_bounds(value, low, high)
            if paired:
                raise BatchUnsupportedError("a number that may not be of a d66")
            if fits is not None:
                either = value.eq(NONE_CODE) | fits if isinstance(target, ty.OptionalType) else fits
                c.require(either, "a value does not fit its place")
        case (ty.SetType(ty.NumberType(int() as low, int() as high)), ty.SetType()) if (
            isinstance(c.shape(operand), Bits) and low >= 0
        ):
            allowed = sum([1 << at for at in range(low, min(high, 63) + 1)])
            c.require((value & (allowed ^ -1)).is_zero(), "a value does not fit its place")
        case (
            (ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item)),
            (ty.SetType(given) | ty.ListType(given) | ty.BagType(given) | ty.DeckType(given)),
        ):
            _require_items_fit(c, value, c.shape(operand), item, given)
        case (
            (ty.ThingType() | ty.WordType() | ty.CellType() | ty.DirectionType() | ty.FlagType() | ty.RecordType()),
            _,
        ):
            pass
        case (ty.TupleType(parts), ty.TupleType(given_parts)) if parts == given_parts:
            pass
        case _:
            raise BatchUnsupportedError(f"a value that may not be {target}")
    return c.convert(value, operand.type, node.type)


def _fits_bounds(value: Code, low: int | None, high: int | None) -> Code | None:
    fits = None if low is None else value >= low
    below = None if high is None else value <= high
    return below if fits is None else fits if below is None else fits & below


def _require_items_fit(c: RoutineCode, members: Code, shape: Shape, item: ty.Type, given: ty.Type) -> None:
    if item == given or isinstance(given, ty.EmptyType):
        return
    if not isinstance(item, ty.NumberType) or not isinstance(shape, SequenceShape):
        raise BatchUnsupportedError(f"members that may not be {item}")

    def check(member: Variable) -> None:
        fits = _fits_bounds(member, item.low, item.high)
        if fits is not None:
            c.require(fits, "a value does not fit its place")

    lib.loop_members(c.w, members, check)


# Things and boards.


@_operation("gone among")
def _emit_gone_among(c: RoutineCode, node: core.Op) -> Code:
    (things,), (kind,) = node.arguments, node.facts
    new, found = c.w.new_local(c.module.allocate(count_members(c, things) + 1)), c.w.new_local(0)

    def add(member: Callable[[], Code]) -> None:
        thing = c.hold(member())
        with c.w.when(c.module.is_gone(kind, thing)):
            c.w.set(found, found + 1)
            c.w.store(new + (found << 3), thing)

    for_each_member(c, things, (None,), add)
    c.w.store(new, found)
    return new


@_operation("occupants")
def _emit_occupants(c: RoutineCode, node: core.Op) -> Code:
    (kind,), cell = node.facts, c.held(node.arguments[0])
    column = c.module.find_place(f"{kind}/at")
    thing = Local(-1 - c.w.local_count, ty.ThingType(kind))
    in_play = core.Load(core.InPlay(kind), type=node.type, origin=None)
    stands = core.Over((thing,), in_play, None, "set", None, type=node.type, origin=None)
    if isinstance(c.shape(node), Bits):
        found = c.w.new_local(0)

        def add(member: Callable[[], Code]) -> None:
            here = column_address(column, member()).load().eq(cell)
            c.w.set(found, found | (here.as_flag() << member()))

        for_each_member(c, stands.source, (None,), add)
        return found
    raise BatchUnsupportedError("the things on a cell, of very many")


@_operation("connected")
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
    with c.w.until(waiting.is_zero()):
        at = c.w.new_local(waiting.count_trailing_zeros())
        c.w.set(waiting, waiting & (waiting - 1))
        c.module.charge(c.w, 64)
        rest, member = c.w.new_local(in_play & (found ^ -1)), c.w.new_local()
        with c.w.until(rest.is_zero()):
            c.w.set(member, rest.count_trailing_zeros())
            c.w.set(rest, rest & (rest - 1))
            with c.w.when(c.module.call_routine(related.routine, (at, member)).as_test()):
                c.w.set(found, found | (const(1) << member))
                c.w.set(waiting, waiting | (const(1) << member))
    return found


@_operation("destinations")
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
    rest, entered = w.new_local(), w.new_local()
    with w.until(at >= count):
        place = w.new_local(places + at * 24)
        cell, before, moves = w.new_local(place.load()), w.new_local(place.load(8)), w.new_local(place.load(16) + 1)
        module.charge(w, count + 64)
        w.set(rest, look_up_cells(c, "neighbours", (cell,), space, node.type) & inside)
        with w.until(rest.is_zero()):
            w.set(entered, rest.count_trailing_zeros())
            w.set(rest, rest & (rest - 1))
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


@_operation("on board")
def _emit_on_board(c: RoutineCode, node: core.Op) -> Code:
    cell = c.held(node.arguments[0])
    board = c.module.world[BOARD]
    flags = c.module.place_table("on board", lambda: [1, *[int(each in board) for each in c.module.shapes.cells]])
    index = c.hold(select(0, cell + 1, cell < 0))
    return (index << 3).load(flags).ne(0)


@_operation("cell")
def _emit_cell(c: RoutineCode, node: core.Op) -> Code:
    cells = c.module.shapes.cells
    x, y = map(c.held, node.arguments)
    width, depth, left, top = _extent(cells)
    table = c.module.place_table(
        "cells",
        lambda: [
            cells.index((left + across, top + down)) if (left + across, top + down) in cells else NONE_CODE
            for across in range(width)
            for down in range(depth)
        ],
    )
    c.require((x - left).operate("lt_u", width) & (y - top).operate("lt_u", depth), _FAR)
    result = c.w.new_local((((x - left) * depth + (y - top)) << 3).load(table))
    c.require(result.ne(NONE_CODE), _FAR)
    return result


_FAR = "a cell far off the board, or a direction to itself"


def _extent(cells: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Number of columns and rows, and the least of each."""
    across, down = ([cell[way] for cell in cells] or [0] for way in (0, 1))
    return max(across) - min(across) + 1, max(down) - min(down) + 1, min(across), min(down)


@_operation("step", "distance", "adjacent", "direction", "neighbours", "rear cells")
def _emit_grid_operation(c: RoutineCode, node: core.Op) -> Code:
    (space,) = node.facts
    arguments = [c.hold(c.present(each)) for each in node.arguments]
    result = look_up_cells(c, node.name, tuple(arguments), space, node.type)
    return result.ne(0) if node.name == "adjacent" else result


def look_up_cells(
    c: RoutineCode, name: str, arguments: tuple[Code, ...], space: str, type_: core.CoreType = ty.WHOLE
) -> Code:
    from rulewright.odds.kernel.cell_tables import look_up  # noqa: PLC0415

    return look_up(c, name, arguments, space, type_)


# The plane.


@_operation(*plane_tables.PLANE_TESTS)
def _emit_plane_test(c: RoutineCode, node: core.Op) -> Code:
    return plane_tables.test_bodies(c, node)


@_operation(*plane_tables.PLANE_NUMBERS)
def _emit_plane_number(c: RoutineCode, node: core.Op) -> Code:
    upper, lower = map(c.hold, plane_tables.measure_bodies(c, node))
    c.require(lower.eq(1), "a fraction")
    return upper


# Dice.


@_operation("kept dice")
def _emit_kept_dice(c: RoutineCode, node: core.Op) -> Code:
    return list_kept_dice(c, c.value(node.arguments[0]))


@_operation("die")
def _emit_die_attribute(c: RoutineCode, node: core.Op) -> Code:
    (name,) = node.facts
    (die,) = node.arguments
    if isinstance(die, core.Get) and die.local.index in c.plain_dice:
        return c.read(die.local)
    attribute = {"natural": "face"}.get(name, name)
    offset = c.module.facts.dice.offset(attribute)
    if offset is None:
        raise BatchUnsupportedError(f"`{name}` of a die")
    return c.present(die).load(offset)


@_operation("total")
def _emit_total(c: RoutineCode, node: core.Op) -> Code:
    (dice,) = node.arguments
    if isinstance(dice, core.Get) and dice.local.index in c.plain_dice:
        return c.read(dice.local)
    if isinstance(c.shape(dice), DieShape):
        return c.present(dice).load()
    if not isinstance(c.shape(dice), PoolShape):
        found = c.w.new_local(0)
        for_each_member(c, dice, (None,), lambda die: c.w.set(found, found + die().load()))
        return found
    found = c.w.new_local(0)
    _for_each_die(c, c.held(dice), lambda die: c.w.set(found, found + die.load()))
    return found


# Ranks and windows.


@_operation("turn order")
def _emit_turn_order(c: RoutineCode, node: core.Op) -> Code:
    """The players in the order listed, then the others in theirs."""
    players, listed = node.arguments
    if not isinstance(c.shape(players), Bits):
        raise BatchUnsupportedError("very many players")
    rest = c.w.new_local(c.value(players))
    new, found = c.w.new_local(c.module.allocate(rest.count_bits() + 1)), c.w.new_local(0)

    def add(player: Code) -> None:
        with c.w.when(player.operate("lt_u", 64) & ((rest >> player) & 1).ne(0)):
            c.w.set(rest, rest & ((const(1) << player) ^ -1))
            c.w.set(found, found + 1)
            c.w.store(new + (found << 3), player)

    for_each_member(c, listed, (None,), lambda member: add(c.hold(member())))
    with c.w.until(rest.is_zero()):
        add(c.w.new_local(rest.count_trailing_zeros()))
    c.w.store(new, found)
    return new


@_operation("rank")
def _emit_rank(c: RoutineCode, node: core.Op) -> Code:
    return rank_code.make_rank(c.module, c.sequence(node.arguments[0]))


@_operation("tied")
def _emit_tied(c: RoutineCode, node: core.Op) -> Code:
    return rank_code.list_tied(c.module, c.value(node.arguments[0]))


@_operation("split")
def _emit_split(c: RoutineCode, node: core.Op) -> Code:
    rank, values = node.arguments
    (_, is_highest) = node.facts
    return rank_code.split(c.module, c.item_shape(values), c.value(rank), c.sequence(values), is_highest=is_highest)


@_operation("one owner")
def _emit_one_owner(c: RoutineCode, node: core.Op) -> Code:
    return rank_code.find_one_owner(c.module, c.sequence(node.arguments[0]))


@_operation("row", "past row", "with row")
def _emit_row(c: RoutineCode, node: core.Op) -> Code:
    rank, members = node.arguments
    function = {"row": rank_code.find_row, "past row": rank_code.pass_row, "with row": rank_code.put_row}[node.name]
    return function(c.module, c.value(rank), c.sequence(members))


@_operation("ranked", "ranking")
def _emit_ranked(c: RoutineCode, node: core.Op) -> Code:
    rank = c.w.new_local(c.value(node.arguments[0]))
    return rank.load() if node.name == "ranked" else rank_code.list_ranking(c.w, c.module, rank)


_EMITTERS: dict[type, _Emitter] = {
    core.Const: _emit_const,
    core.Get: _emit_get,
    core.Load: _emit_load,
    core.Op: _emit_op,
    core.Cond: _emit_cond,
    core.Bind: _emit_bind,
    core.Over: _emit_over,
    core.Apply: _emit_apply,
    core.Wanted: _emit_wanted,
    core.Closure: _refuse,
    core.RollOf: _refuse,
}

__all__ = ["DIE", "Label", "RoutineCode", "is_address"]
