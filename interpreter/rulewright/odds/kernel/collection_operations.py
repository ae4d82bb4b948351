"""WebAssembly for collections: membership, records, maps, lists, bags and sets, and what fits a type of them."""

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.collection_loops import count_members, for_each_member
from rulewright.odds.kernel.kernel_module import KernelModule, kernel_function
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode, find_member_type
from rulewright.odds.kernel.value_conversion import convert_value
from rulewright.odds.kernel.value_shapes import (
    NONE_CODE,
    BatchUnsupportedError,
    Bits,
    DenseMap,
    EntryMap,
    Parts,
    SequenceShape,
    Shape,
)
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Variable, choose, const, select, test_const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.types import strip_optional

COLLECTION_OPERATIONS = OperationTable()


@COLLECTION_OPERATIONS.register("in")
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


@COLLECTION_OPERATIONS.register("set", "list", "bag")
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


@COLLECTION_OPERATIONS.register("tuple")
def _emit_tuple(c: RoutineCode, node: core.Op) -> Code:
    if not node.arguments:
        return const(c.module.place_constant((0,)))
    types = c.module.shapes.list_digits(node.type)  # type: ignore[arg-type]
    return c.allocate_words([c.slot(*each) for each in zip(node.arguments, types, strict=True)])


@COLLECTION_OPERATIONS.register("part")
def _emit_part(c: RoutineCode, node: core.Op) -> Code:
    (position,) = node.facts
    (record,) = node.arguments
    return c.convert(c.present(record).load(8 * position), _part_type(c, record.type, position), node.type)


def _part_type(c: RoutineCode, type_: core.CoreType, position: int) -> core.CoreType:
    return c.module.shapes.list_digits(strip_optional(type_))[position]  # type: ignore[arg-type]


@COLLECTION_OPERATIONS.register("with part")
def _emit_with_part(c: RoutineCode, node: core.Op) -> Code:
    record, new = node.arguments
    (position,) = node.facts
    return replace_part(c, record.type, c.value(record), position, c.slot(new, _part_type(c, record.type, position)))


def replace_part(c: RoutineCode, type_: core.CoreType, record: Code, position: int, new: Code) -> Code:
    shape = c.shape_of(type_)
    assert isinstance(shape, Parts)
    record, new = c.hold(record), c.hold(new)
    return c.allocate_words([new if at == position else record.load(8 * at) for at in range(len(shape.parts))])


@COLLECTION_OPERATIONS.register("interval")
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


@COLLECTION_OPERATIONS.register("map")
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
    return _find_pair_of_key(c.module, shape, map_, key)


@kernel_function
def _find_pair_of_key(w: FunctionWriter, module: KernelModule, shape: EntryMap, map_: Code, key: Code) -> None:
    with w.count(0, map_.load(8)) as at:
        entry = w.new_local(map_ + (at << 4))
        with w.when(lib.are_equal(module, shape.key, entry.load(16), key)):
            w.give_result(entry + 24)
    w.give_result(map_)


@COLLECTION_OPERATIONS.register("entry", "answer entry")
def _emit_entry(c: RoutineCode, node: core.Op) -> Code:
    map_, key = node.arguments
    assert isinstance(map_.type, ty.MapType)
    value = _find_entry(c, c.held(map_), map_.type, c.slot(key, map_.type.key)).load()
    if isinstance(map_.type.value, ty.OptionalType):
        return value
    value = c.hold(value)
    c.require(value.ne(NONE_CODE), "a map has no value for a key")
    return c.convert(value, map_.type.value, node.type)


@COLLECTION_OPERATIONS.register("with entry")
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
    return _replace_pair_of_key(c.module, shape, map_, key, new)


@kernel_function
def _replace_pair_of_key(  # noqa: PLR0913, PLR0917
    w: FunctionWriter, module: KernelModule, shape: EntryMap, map_: Code, key: Code, new: Code
) -> None:
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


@COLLECTION_OPERATIONS.register("keys")
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


@COLLECTION_OPERATIONS.register("item")
def _emit_item(c: RoutineCode, node: core.Op) -> Code:
    members, position = node.arguments
    start, at = c.hold(c.sequence(members)), c.held(position)
    c.require((at - 1).operate("lt_u", start.load()), "a list has no such entry")
    return (start + (at << 3)).load()


@COLLECTION_OPERATIONS.register("with item")
def _emit_with_item(c: RoutineCode, node: core.Op) -> Code:
    members, position, new = node.arguments
    return replace_item(c, c.sequence(members), c.value(position), c.slot(new, find_member_type(members.type)))


def replace_item(c: RoutineCode, members: Code, position: Code, new: Code) -> Code:
    at, new = c.hold(position), c.hold(new)
    members = c.hold(members)
    c.require((at - 1).operate("lt_u", members.load()), "a list has no such entry")
    copy = c.w.new_local(lib.copy_sequence(c.module, members))
    c.w.store(copy + (at << 3), new)
    return copy


@COLLECTION_OPERATIONS.register("with member")
def _emit_with_member(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    if isinstance(c.shape(node), Bits):
        return c.slot(members, node.type) | (const(1) << c.value(member))
    shape = c.item_shape(node)
    start, new = c.hold(c.slot(members, node.type)), c.hold(c.slot(member, find_member_type(node.type)))
    at = lib.count_before(c.module, shape, start, new)
    added = lib.with_index(c.module, start, at, new)
    return choose(lib.find_member(c.module, shape, start, new) >= 0, start, added)


@COLLECTION_OPERATIONS.register("bag with")
def _emit_bag_with(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    start, new = c.hold(c.slot(members, node.type)), c.hold(c.slot(member, find_member_type(node.type)))
    return lib.with_index(c.module, start, lib.count_before(c.module, c.item_shape(node), start, new), new)


@COLLECTION_OPERATIONS.register("appended")
def _emit_appended(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    return lib.append(c.module, c.slot(members, node.type), c.slot(member, find_member_type(node.type)))


@COLLECTION_OPERATIONS.register("without", "taken")
def _emit_without(c: RoutineCode, node: core.Op) -> Code:
    members, member = node.arguments
    value = c.convert(c.value(member), member.type, find_member_type(node.type))
    return take_out(c, node.type, c.slot(members, node.type), value, node.name == "taken")


def take_out(c: RoutineCode, type_: core.CoreType, members: Code, member: Code, is_required: bool) -> Code:  # noqa: FBT001
    """A collection without the first such member; of a map without the entry of a key."""
    shape, member = c.shape_of(type_), c.hold(member)
    if isinstance(type_, ty.MapType):
        map_ = c.hold(members)
        return replace_entry(c, type_, map_, member, map_.load())
    if isinstance(shape, Bits):
        bit = select(const(1) << member, 0, member.operate("lt_u", 64))
        return members & (bit ^ -1)
    item = find_member_type(type_)
    start = c.hold(members)
    index = c.hold(lib.find_member(c.module, c.shape_of(item), start, member))
    if is_required:
        c.require(index >= 0, "a member taken that is not there")
    return lib.without_index(c.module, start, index)


@COLLECTION_OPERATIONS.register("union", "difference")
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


@COLLECTION_OPERATIONS.register("joined", "bag union")
def _emit_joined_lists(c: RoutineCode, node: core.Op) -> Code:
    one, other = (c.slot(each, node.type) for each in node.arguments)
    joined = lib.join(c.module, one, other)
    return lib.sort_in_place(c.module, c.item_shape(node), joined) if node.name == "bag union" else joined


@COLLECTION_OPERATIONS.register("list difference", "bag difference")
def _emit_list_difference(c: RoutineCode, node: core.Op) -> Code:
    item = c.item_shape(node)
    one, other = (c.sequence(each, item) for each in node.arguments)
    return lib.subtract(c.module, item, one, other, once=True)


@COLLECTION_OPERATIONS.register("position")
def _emit_position(c: RoutineCode, node: core.Op) -> Code:
    member, members = node.arguments
    shape = c.item_shape(members)
    value = convert_value(c.module, c.value(member), c.shape(member), shape)
    index = c.hold(lib.find_member(c.module, shape, c.sequence(members), value))
    c.require(index >= 0, "`position` of something that is not in the list")
    return index + 1


@COLLECTION_OPERATIONS.register("other")
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


@COLLECTION_OPERATIONS.register("sorted")
def _emit_sorted(c: RoutineCode, node: core.Op) -> Code:
    (source,) = node.arguments
    copy = c.sequence(source)
    is_new = isinstance(source, core.Over) or isinstance(c.shape(source), Bits)
    copy = copy if is_new else lib.copy_sequence(c.module, copy)
    return lib.sort_in_place(c.module, c.item_shape(source), copy, is_descending=True)


@COLLECTION_OPERATIONS.register("starting with")
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


@COLLECTION_OPERATIONS.register("pairs")
def _emit_pairs(c: RoutineCode, node: core.Op) -> Code:
    pairs = lib.SequenceWriter(c.w, c.module, count_members(c, node))
    for_each_member(c, node, (None, None), lambda member: pairs.append(c.w.new_local(member())))
    return pairs.finish()


@COLLECTION_OPERATIONS.register("narrow")
def _emit_narrowed(c: RoutineCode, node: core.Op) -> Code:
    (operand,), (target,) = node.arguments, node.facts
    value = c.hold(c.value(operand))
    inner = strip_optional(target)
    if not isinstance(target, ty.OptionalType) and isinstance(operand.type, ty.OptionalType | ty.NoneType):
        c.require_value(value)
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
