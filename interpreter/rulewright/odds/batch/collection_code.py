"""WebAssembly for compound values: records, tuples and maps as digits, sets as bits, lists, loops and aggregates."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from rulewright.odds.batch.integer_encoding import NONE_CODE, WORD_BITS, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import (
    WORD_BYTES,
    FunctionBody,
    WasmModule,
    emit_constant,
    emit_flag,
    emit_local,
)
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.expressions import ConditionRow, Expression
from rulewright.program.types import Type, strip_optional


def emit_value_index(body: FunctionBody, code: str, type_: Type) -> str:
    """Index of a value among those of its type."""
    body.module.encoding.count_values(type_)
    lowest = body.module.encoding.lowest_value(strip_optional(type_))
    if isinstance(type_, ty.OptionalType):
        name = body.new_temporary(code)
        none = f"(i64.eq {emit_local(name)} {emit_constant(NONE_CODE)})"
        return f"(select (i64.const 0) (i64.sub {emit_local(name)} {emit_constant(lowest - 1)}) {none})"
    return code if not lowest else f"(i64.sub {code} {emit_constant(lowest)})"


def emit_indexed_value(body: FunctionBody, code: str, type_: Type) -> str:
    """Value of an index among those of a type."""
    lowest = body.module.encoding.lowest_value(strip_optional(type_))
    if isinstance(type_, ty.OptionalType):
        name = body.new_temporary(code)
        return f"(select {emit_constant(NONE_CODE)} (i64.add {emit_local(name)} {emit_constant(lowest - 1)}) (i64.eqz {emit_local(name)}))"
    return code if not lowest else f"(i64.add {code} {emit_constant(lowest)})"


def emit_packed_parts(body: FunctionBody, codes: list[str], type_: Type) -> str:
    """Record or tuple from its parts."""
    result = emit_constant(0)
    shapes = body.module.encoding
    shapes.count_values(type_)
    for code, part, weight in zip(codes, shapes.digit_types(type_), shapes.digit_weights(type_), strict=True):
        result = f"(i64.add {result} (i64.mul {emit_value_index(body, code, part)} {emit_constant(weight)}))"
    return result


def emit_unpacked_part(body: FunctionBody, code: str, type_: Type, position: int) -> str:
    """Part of a record or tuple."""
    shapes = body.module.encoding
    part, weight = shapes.digit_types(type_)[position], shapes.digit_weights(type_)[position]
    text = f"(i64.rem_u (i64.div_u {code} {emit_constant(weight)}) {emit_constant(shapes.count_values(part))})"
    return emit_indexed_value(body, text, part)


def _emit_key_weight(body: FunctionBody, key: str, type_: ty.MapType) -> str:
    body.module.encoding.count_values(type_)
    weights = body.module.encoding.digit_weights(type_)
    base = body.module.emit_table_address(("weights", type_), lambda: list(weights))
    return f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {key}) (i32.const 3))))"


def emit_map_entry(body: FunctionBody, code: str, key: str, type_: ty.MapType, *, present_: bool = False) -> str:
    """Value of a key; None where it must not be gives the play back."""
    part = body.module.encoding.digit_types(type_)[0]
    size = emit_constant(body.module.encoding.count_values(part))
    result = emit_indexed_value(
        body, f"(i64.rem_u (i64.div_u {code} {_emit_key_weight(body, key, type_)}) {size})", part
    )
    if not present_ or isinstance(type_.value, ty.OptionalType):
        return result
    name = body.new_temporary(result)
    body.emit_guard(f"(i64.ne {emit_local(name)} {emit_constant(NONE_CODE)})", "a map has no value for a key")
    return emit_local(name)


def emit_map_update(body: FunctionBody, code: str, key: str, new: str, type_: ty.MapType) -> str:
    """Map with another value for a key."""
    part = body.module.encoding.digit_types(type_)[0]
    before, weight = body.new_temporary(code), body.new_temporary(_emit_key_weight(body, key, type_))
    old = f"(i64.rem_u (i64.div_u {emit_local(before)} {emit_local(weight)}) {emit_constant(body.module.encoding.count_values(part))})"
    change = f"(i64.mul (i64.sub {emit_value_index(body, new, part)} {old}) {emit_local(weight)})"
    return f"(i64.add {emit_local(before)} {change})"


def emit_min_or_max(body: FunctionBody, one: str, other: str, *, least: bool) -> str:
    """The larger of two numbers, or with `least` the smaller."""
    first, second = body.new_temporary(one), body.new_temporary(other)
    compares = "lt_s" if least else "gt_s"
    return (
        f"(select {emit_local(first)} {emit_local(second)} (i64.{compares} {emit_local(first)} {emit_local(second)}))"
    )


MAX_EXACT_INTEGER = 1 << 50
"""Bound beyond which numbers of an unbounded type give the play back."""


def emit_slot_value(body: FunctionBody, node: Expression, type_: Type) -> str:
    """Value for a slot of a type; a single value for a map is its default.

    Raises:
        BatchUnsupportedError: the slot holds it in another way.
    """
    if isinstance(type_, ty.MapType) and not isinstance(node.type, ty.MapType):
        body.module.encoding.count_values(type_)
        size = body.module.encoding.count_values(body.module.encoding.digit_types(type_)[0])
        default = emit_value_index(body, body.emit_value(node), body.module.encoding.digit_types(type_)[0])
        every = sum(size**item for item in range(len(body.module.encoding.digit_types(type_))))
        return f"(i64.mul {default} {emit_constant(every)})"
    refuse_mixed_encodings(node.type, type_)
    return body.emit_value(node)


def refuse_mixed_encodings(one: Type, other: Type) -> None:
    """Raises `BatchUnsupportedError` for two types with different encodings."""
    first, second = strip_optional(one), strip_optional(other)
    if isinstance(first, ty.ListType) and isinstance(second, ty.ListType):
        refuse_nested_lists(first)
        return
    digits_ = ty.TupleType | ty.MapType
    if (
        first != second
        and (isinstance(first, digits_) or isinstance(second, digits_))
        and ty.NoneType() not in (first, second)
    ):
        raise BatchUnsupportedError(f"{one} beside {other}")
    for item in (first, second):
        if isinstance(item, ty.TextType | ty.FractionType | ty.LengthType | ty.BagType | ty.DeckType | ty.PlaneType):
            raise BatchUnsupportedError(f"values of the type {item}")


def refuse_nested_lists(type_: ty.ListType) -> None:
    """Raises `BatchUnsupportedError` for lists of members that are not one word."""
    if not isinstance(
        type_.item, ty.NumberType | ty.FlagType | ty.ThingType | ty.WordType | ty.DirectionType | ty.EmptyType
    ):
        raise BatchUnsupportedError(f"values of the type {type_}")


def emit_present_value(body: FunctionBody, target: Expression) -> str:
    """Value of an optional; None gives the play back."""
    result = body.emit_value(target)
    if not isinstance(target.type, ty.OptionalType):
        return result
    name = body.new_temporary(result)
    body.emit_guard(f"(i64.ne {emit_local(name)} {emit_constant(NONE_CODE)})", "a value that is none is read")
    return emit_local(name)


def emit_size_check(body: FunctionBody, type_: Type, code: str) -> str:
    """Number, which gives the play back if it may be too large to be held."""
    match type_:
        case ty.NumberType(int() as low, int() as high) if low >= -MAX_EXACT_INTEGER and high <= MAX_EXACT_INTEGER:
            return code
        case ty.NumberType():
            name = body.new_temporary(code)
            body.emit_guard(
                f"(i64.lt_u (i64.add {emit_local(name)} {emit_constant(MAX_EXACT_INTEGER)}) {emit_constant(2 * MAX_EXACT_INTEGER)})",
                "a very large number",
            )
            return emit_local(name)
        case _:
            raise BatchUnsupportedError(f"numbers of the type {type_}")


def emit_bit_test(members: str, number: str) -> str:
    """Test for a member of a one-word set."""
    return f"(i32.wrap_i64 (i64.and (i64.shr_u {members} {number}) (i64.const 1)))"


def emit_bit(number: str) -> str:
    """One-word set with one member."""
    return f"(i64.shl (i64.const 1) {number})"


def emit_empty_set(body: FunctionBody, item: Type) -> str:
    """Local with an empty set to insert into."""
    words = body.module.encoding.count_set_words(item)
    return body.new_temporary(
        f"(call {body.module.request_library_function('wide')} {emit_constant(words)})" if words else emit_constant(0)
    )


def emit_set_insert(body: FunctionBody, item: Type, name: str, member: str) -> str:
    """Line that inserts a member into a set under construction."""
    if body.module.encoding.count_set_words(item):
        return f"(call {body.module.request_library_function('put')} {emit_local(name)} {member})"
    return f"(local.set {name} (i64.or {emit_local(name)} {emit_bit(member)}))"


def emit_set_test(module: WasmModule, item: Type, members: str, member: str) -> str:
    """Test for a member, which must be one that the set may have."""
    if module.encoding.count_set_words(item):
        return f"(call {module.request_library_function('has')} {members} {member})"
    return emit_bit_test(members, member)


def emit_set_size(body: FunctionBody, item: Type, members: str) -> str:
    """Number of members."""
    words = body.module.encoding.count_set_words(item)
    return (
        f"(call {body.module.request_library_function('many')} {members} {emit_constant(words)})"
        if words
        else f"(i64.popcnt {members})"
    )


def emit_nth_member(body: FunctionBody, item: Type, members: str, number: str) -> str:
    """Member with `number` members before it; there must be one."""
    if words := body.module.encoding.count_set_words(item):
        return f"(call {body.module.request_library_function('wide_nth')} {members} {emit_constant(words)} {number})"
    return f"(call {body.module.request_library_function('nth')} {members} {number})"


def emit_set_operation(body: FunctionBody, item: Type, one: str, other: str, *, less: bool = False) -> str:
    """Union, or with `less` the difference."""
    if words := body.module.encoding.count_set_words(item):
        return f"(call {body.module.request_library_function('less' if less else 'joined')} {one} {other} {emit_constant(words)})"
    return f"(i64.and {one} (i64.xor {other} (i64.const -1)))" if less else f"(i64.or {one} {other})"


def emit_set_equality(body: FunctionBody, item: Type, one: str, other: str) -> str:
    """Test for equal sets."""
    if words := body.module.encoding.count_set_words(item):
        return f"(call {body.module.request_library_function('same')} {one} {other} {emit_constant(words)})"
    return f"(i64.eq {one} {other})"


def emit_set_loop(body: FunctionBody, item: Type, members: str) -> AbstractContextManager[str]:
    """Loop over the members of a set in order; yields the local with the member."""
    words = body.module.encoding.count_set_words(item)
    return _emit_wide_set_loop(body, members, words) if words else emit_bit_loop(body, members)


@contextmanager
def emit_bit_loop(body: FunctionBody, members: str) -> Iterator[str]:
    """Loop over the members of a one-word set."""
    rest, member = body.new_temporary(members), body.new_temporary()
    with body.open_loop_until(f"(i64.eqz {emit_local(rest)})"):
        body.add_line(f"(local.set {member} (i64.ctz {emit_local(rest)}))")
        body.add_line(f"(local.set {rest} (i64.and {emit_local(rest)} (i64.sub {emit_local(rest)} (i64.const 1))))")
        yield member


@contextmanager
def _emit_wide_set_loop(body: FunctionBody, members: str, words: int) -> Iterator[str]:
    at, before, member = body.new_temporary(members), body.new_temporary(emit_constant(0)), body.new_temporary()
    with body.open_loop_until(f"(i64.ge_u {emit_local(before)} {emit_constant(words * WORD_BITS)})"):
        with emit_bit_loop(body, f"(i64.load (i32.wrap_i64 {emit_local(at)}))") as low:
            body.add_line(f"(local.set {member} (i64.add {emit_local(before)} {emit_local(low)}))")
            yield member
        body.add_line(f"(local.set {at} (i64.add {emit_local(at)} (i64.const {WORD_BYTES})))")
        body.add_line(f"(local.set {before} (i64.add {emit_local(before)} (i64.const {WORD_BITS})))")


@contextmanager
def _emit_range_loop(body: FunctionBody, low: str, high: str, step: int = 1) -> Iterator[str]:
    at, end = body.new_temporary(low), body.new_temporary(high)
    with body.open_loop_until(f"(i64.ge_s {emit_local(at)} {emit_local(end)})"):
        yield at
        body.add_line(f"(local.set {at} (i64.add {emit_local(at)} (i64.const {step})))")


@contextmanager
def emit_binding_loop(body: FunctionBody, binding: ex.Binding) -> Iterator[str]:
    """Loop over the members of a binding; yields the local with the member.

    Raises:
        BatchUnsupportedError: such members are not held.
    """
    if (
        isinstance(binding.source, ex.Builtin)
        and binding.source.name == "pairs"
        and len(binding.variables) == _PAIR_SIZE
    ):
        with _emit_pair_loop(body, binding) as member:
            yield member
        return
    if len(binding.variables) != 1:
        raise BatchUnsupportedError("several names for one member")
    (variable,) = binding.variables
    if variable is not None and _is_digit_pool(body, binding.source):
        body.face_variables.add(variable.index)
    with _emit_member_loop(body, binding.source) as member:
        if variable is not None:
            body.assign_variable(variable, emit_local(member))
        if binding.where is not None:
            with body.open_block(f"if {body.emit_test(binding.where)} (then"):
                yield member
            body.add_line(")")
        else:
            yield member


def _emit_member_loop(body: FunctionBody, node: Expression) -> AbstractContextManager[str]:
    match node.type:
        case ty.PoolType() if isinstance(node, ex.Local) and node.variable.index in body.digit_pools:
            return _emit_digit_loop(body, *body.digit_pools[node.variable.index])
        case ty.PoolType():
            pool = body.new_temporary(body.emit_value(node))
            count = f"(i64.load (i32.wrap_i64 {emit_local(pool)}))"
            first = f"(i64.add {emit_local(pool)} (i64.const {WORD_BYTES}))"
            return _emit_range_loop(body, first, f"(i64.add {first} (i64.shl {count} (i64.const 3)))", WORD_BYTES)
        case ty.SetType(item):
            return emit_set_loop(body, item, body.emit_value(node))
        case _ if isinstance(node, ex.Interval):
            high = f"(i64.add {body.emit_value(node.high)} (i64.const 1))"
            return _emit_range_loop(body, body.emit_value(node.low), high)
        case ty.ListType():
            refuse_nested_lists(node.type)
            return emit_list_loop(body, body.emit_value(node))
        case _:
            raise BatchUnsupportedError(f"the members of {node.type}")


def _is_digit_pool(body: FunctionBody, node: Expression) -> bool:
    return isinstance(node, ex.Local) and node.variable.index in body.digit_pools


@contextmanager
def _emit_digit_loop(body: FunctionBody, dice: str, number: str, faces: list[int]) -> Iterator[str]:
    remaining, rest = body.new_temporary(emit_local(dice)), body.new_temporary(emit_local(number))
    tens, face = body.new_temporary(), body.new_temporary()
    with body.open_loop_until(f"(i64.eqz {emit_local(remaining)})"):
        size = emit_constant(len(faces))
        body.add_line(f"(local.set {tens} (i64.div_u {emit_local(rest)} {size}))")
        digit = f"(i64.sub {emit_local(rest)} (i64.mul {emit_local(tens)} {size}))"
        body.add_line(f"(local.set {face} (i64.add {digit} {emit_constant(faces[0])}))")
        body.add_line(f"(local.set {rest} {emit_local(tens)})")
        body.add_line(f"(local.set {remaining} (i64.sub {emit_local(remaining)} (i64.const 1)))")
        yield face


@contextmanager
def _emit_pair_loop(body: FunctionBody, binding: ex.Binding) -> Iterator[str]:
    assert isinstance(binding.source, ex.Builtin)
    first, second = (
        ex.Binding((variable,), source, None)
        for variable, source in zip(binding.variables, binding.source.arguments, strict=True)
    )
    with emit_binding_loop(body, first) as member, emit_binding_loop(body, replace(second, where=binding.where)):
        yield member


_PAIR_SIZE = 2


@contextmanager
def emit_list_loop(body: FunctionBody, members: str) -> Iterator[str]:
    """Loop over a list, which is a length and its members."""
    start, item = body.new_temporary(members), body.new_temporary()
    first = f"(i64.add {emit_local(start)} (i64.const {WORD_BYTES}))"
    count = f"(i64.load (i32.wrap_i64 {emit_local(start)}))"
    with _emit_range_loop(body, first, f"(i64.add {first} (i64.shl {count} (i64.const 3)))", WORD_BYTES) as at:
        body.add_line(f"(local.set {item} (i64.load (i32.wrap_i64 {emit_local(at)})))")
        yield item


def emit_list_item(body: FunctionBody, members: str, position: str, type_: Type) -> str:
    """Member of a list by position from 1; the play is given back if there is none."""
    if not isinstance(type_, ty.ListType):
        raise BatchUnsupportedError(f"an entry of {type_}")
    refuse_nested_lists(type_)
    start, at = body.new_temporary(members), body.new_temporary(position)
    count = f"(i64.load (i32.wrap_i64 {emit_local(start)}))"
    there = f"(i32.and (i64.ge_s {emit_local(at)} (i64.const 1)) (i64.le_s {emit_local(at)} {count}))"
    body.emit_guard(there, "a list has no such entry")
    return f"(i64.load (i32.wrap_i64 (i64.add {emit_local(start)} (i64.shl {emit_local(at)} (i64.const 3)))))"


def _emit_list_comprehension(body: FunctionBody, node: ex.Comprehension) -> str:
    assert isinstance(node.type, ty.ListType)
    refuse_nested_lists(node.type)
    start, many = body.new_temporary(emit_list_allocation(body)), body.new_temporary(emit_constant(0))
    with emit_binding_loop(body, node.binding):
        body.emit_guard(f"(i64.lt_u {emit_local(many)} {emit_constant(MAX_LIST_ITEMS)})", "a long list")
        body.add_line(f"(local.set {many} (i64.add {emit_local(many)} (i64.const 1)))")
        at = f"(i32.wrap_i64 (i64.add {emit_local(start)} (i64.shl {emit_local(many)} (i64.const 3))))"
        body.add_line(f"(i64.store {at} {body.emit_value(node.value)})")
    body.add_line(f"(i64.store (i32.wrap_i64 {emit_local(start)}) {emit_local(many)})")
    return emit_local(start)


def emit_list_allocation(body: FunctionBody) -> str:
    """Address of a new list on the heap of the play."""
    return f"(call {body.module.request_library_function('space')} {emit_constant(MAX_LIST_ITEMS + 1)})"


MAX_LIST_ITEMS = 64
"""Room of a list, in members."""


def emit_quantifier(body: FunctionBody, node: ex.Quantifier) -> str:
    """Test for `some`, `no` or `every`."""
    text, over = body.new_temporary(emit_constant(0)), body.new_label()
    with body.open_block(f"block {over}"), emit_binding_loop(body, node.binding):
        met = f"(local.set {text} (i64.const 1)) (br {over})"
        body.add_line(met if node.body is None else f"(if (i32.eqz {body.emit_test(node.body)}) (then {met}))")
    return f"(i64.{'eq' if node.word == 'some' else 'ne'} {emit_local(text)} (i64.const 1))"


def emit_aggregate(body: FunctionBody, node: ex.Aggregate) -> str:
    """`count`, `sum`, `min` or `max` over members."""
    if node.word in {"count", "sum"}:
        text, where = body.new_temporary(emit_constant(0)), node.binding.where
        if node.word == "count" and where is not None:
            with emit_binding_loop(body, replace(node.binding, where=None)):
                body.add_line(f"(local.set {text} (i64.add {emit_local(text)} {emit_flag(body.emit_test(where))}))")
        else:
            with emit_binding_loop(body, node.binding):
                added = emit_constant(1) if node.word == "count" or node.value is None else body.emit_value(node.value)
                body.add_line(f"(local.set {text} (i64.add {emit_local(text)} {added}))")
        return emit_size_check(
            body, node.type if node.word == "sum" else ty.NumberType(0, MAX_EXACT_INTEGER), emit_local(text)
        )
    worth = node.value
    assert worth is not None
    return _emit_extreme(
        body, node.word, lambda: emit_binding_loop(body, node.binding), lambda _: body.emit_value(worth)
    )


def _emit_extreme(body: FunctionBody, word: str, loop: Callable[[], Any], of: Callable[[str], str]) -> str:
    text = body.new_temporary(emit_constant(NONE_CODE))
    with loop() as member:
        new = body.new_temporary(of(member))
        compares = f"(i64.{'lt_s' if word == 'min' else 'gt_s'} {emit_local(new)} {emit_local(text)})"
        first = f"(i64.eq {emit_local(text)} {emit_constant(NONE_CODE)})"
        body.add_line(f"(if (i32.or {first} {compares}) (then (local.set {text} {emit_local(new)})))")
    body.emit_guard(f"(i64.ne {emit_local(text)} {emit_constant(NONE_CODE)})", "the least or greatest of nothing")
    return emit_local(text)


def emit_collection_function(body: FunctionBody, node: ex.Builtin) -> str:
    """`count`, `sum`, `total`, `min` or `max` of one collection."""
    binding = ex.Binding((None,), node.arguments[0], None)
    type_ = binding.source.type
    if node.name == "count" and isinstance(type_, ty.SetType) and not isinstance(binding.source, ex.Interval):
        return emit_set_size(body, type_.item, body.emit_value(binding.source))

    def emit_member_value(member: str) -> str:
        lies = isinstance(type_, ty.PoolType) and not _is_digit_pool(body, binding.source)
        return f"(i64.load (i32.wrap_i64 {emit_local(member)}))" if lies else emit_local(member)

    if isinstance(type_, ty.PoolType) and node.name in {"min", "max"}:
        raise BatchUnsupportedError(f"`{node.name}` of dice")
    if node.name in {"min", "max"}:
        return _emit_extreme(body, node.name, lambda: emit_binding_loop(body, binding), emit_member_value)
    text = body.new_temporary(emit_constant(0))
    with emit_binding_loop(body, binding) as member:
        added = emit_constant(1) if node.name == "count" else emit_member_value(member)
        body.add_line(f"(local.set {text} (i64.add {emit_local(text)} {added}))")
    return emit_local(text)


def emit_only_member(body: FunctionBody, node: ex.TheOnly) -> str:
    """The only member; else the play is given back."""
    text, many = body.new_temporary(emit_constant(0)), body.new_temporary(emit_constant(0))
    with emit_binding_loop(body, node.binding) as member:
        body.add_line(
            f"(local.set {text} {emit_local(member)}) (local.set {many} (i64.add {emit_local(many)} (i64.const 1)))"
        )
    body.emit_guard(f"(i64.eq {emit_local(many)} (i64.const 1))", "not exactly one member")
    return emit_local(text)


def emit_comprehension(body: FunctionBody, node: ex.Comprehension) -> str:
    """Set or list of an expression over members."""
    if isinstance(node.type, ty.ListType):
        return _emit_list_comprehension(body, node)
    if not isinstance(node.type, ty.SetType):
        raise BatchUnsupportedError(f"values of the type {node.type}")
    item_ = node.type.item
    text = emit_empty_set(body, item_)
    with emit_binding_loop(body, node.binding):
        body.add_line(emit_set_insert(body, item_, text, body.emit_value(node.value)))
    return emit_local(text)


def emit_row_test(body: FunctionBody, row: ConditionRow, *, undecided: bool) -> str:
    """Test of a row; `undecided` replaces one that is not judged."""
    if row.guard is None:
        return body.emit_test(row.condition)
    return (
        f"(if (result i32) {body.emit_test(row.guard)} (then {body.emit_test_aside(row.condition)}) "
        f"(else (i32.const {int(undecided)})))"
    )


def emit_selection(body: FunctionBody, binding: ex.Binding, conditions: d.Conditions, type_: Type) -> str:
    """Set of the members that meet conditions."""
    if not isinstance(type_, ty.SetType):
        raise BatchUnsupportedError(f"values of the type {type_}")
    text, every = emit_empty_set(body, type_.item), conditions.mode == "all"
    with emit_binding_loop(body, binding) as member:
        tests = [emit_row_test(body, row, undecided=every) for row in conditions.rows]
        joined = tests[0] if tests else f"(i32.const {int(every)})"
        for test in tests[1:]:
            joined = f"(i32.{'and' if every else 'or'} {joined} {test})"
        body.add_line(f"(if {joined} (then {emit_set_insert(body, type_.item, text, emit_local(member))}))")
    return emit_local(text)


def emit_collection(body: FunctionBody, node: ex.MakeCollection) -> str:
    """Literal set, list or map."""
    match node.type:
        case ty.SetType(item):
            text = emit_empty_set(body, item)
            for each in node.items:
                body.add_line(emit_set_insert(body, item, text, body.emit_value(each)))
            return emit_local(text)
        case ty.ListType(item) if len(node.items) <= MAX_LIST_ITEMS:
            refuse_nested_lists(node.type)
            start = body.new_temporary(
                f"(call {body.module.request_library_function('space')} {emit_constant(len(node.items) + 1)})"
            )
            for at, code in enumerate(
                [emit_constant(len(node.items)), *(emit_slot_value(body, each, item) for each in node.items)]
            ):
                body.add_line(f"(i64.store offset={at * WORD_BYTES} (i32.wrap_i64 {emit_local(start)}) {code})")
            return emit_local(start)
        case ty.MapType():
            return emit_slot_value(body, node.items[0], node.type)
        case _:
            raise BatchUnsupportedError(f"values of the type {node.type}")


def emit_membership_test(body: FunctionBody, node: ex.Membership) -> str:
    """Test for `in`."""
    collection = node.collection
    if isinstance(collection, ex.Interval):
        item = body.new_temporary(body.emit_value(node.item))
        low, high = body.emit_value(collection.low), body.emit_value(collection.high)
        return f"(i32.and (i64.ge_s {emit_local(item)} {low}) (i64.le_s {emit_local(item)} {high}))"
    if isinstance(collection, ex.MakeCollection) and not body.module.encoding.is_reference(node.item.type):
        for each in collection.items:
            refuse_mixed_encodings(node.item.type, each.type)
        item, result = body.new_temporary(body.emit_value(node.item)), "(i32.const 0)"
        for each in collection.items:
            result = f"(i32.or {result} (i64.eq {emit_local(item)} {body.emit_value(each)}))"
        return result
    if not isinstance(collection.type, ty.SetType):
        raise BatchUnsupportedError(f"whether something is in {collection.type}")
    of = collection.type.item
    bits = emit_constant(body.module.encoding.count_set_bits(of))
    item = body.new_temporary(body.emit_value(node.item))
    among = emit_set_test(body.module, of, body.emit_value(collection), emit_local(item))
    return f"(if (result i32) (i64.lt_u {emit_local(item)} {bits}) (then {among}) (else (i32.const 0)))"
