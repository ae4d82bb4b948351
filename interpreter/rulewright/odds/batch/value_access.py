"""WebAssembly for access to values: places in memory, and records, tuples and maps packed as digits."""

from typing import Any

from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import FunctionBody, WasmModule, emit_constant, emit_local
from rulewright.program import types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import Type, strip_optional


def world_places(module: WasmModule) -> Any:
    """Places of the working memory of a run."""
    return module.executable.places


def in_play_offset(module: WasmModule, kind: str) -> int:
    """Address of the set of things of a kind in play."""
    members = ty.SetType(ty.ThingType(kind))
    at = world_places(module).in_play[kind]
    return module.place_words(f"{kind}/gone", lambda: [module.encoding.encode_value(module.world[at], members)])


def column_offset(module: WasmModule, kind: str, name: str) -> int:
    """Address of an attribute of things."""
    of = f"{kind}/{name}"
    type_, at = module.executable.layout.types[of], world_places(module).columns[of]
    return module.place_words(of, lambda: [module.encoding.encode_value(item, type_) for item in module.world[at]])


def game_field_offset(module: WasmModule, name: str) -> int:
    """Address of a field of the game."""
    type_ = module.executable.layout.types[f"game/{name}"]
    return module.place_words(
        f"game/{name}", lambda: [module.encoding.encode_value(module.world[world_places(module).game[name]], type_)]
    )


def cell_column_offset(module: WasmModule, board: str, name: str) -> int:
    """Address of an attribute of cells."""
    of = f"{board}/{name}"
    type_, start = module.executable.layout.types[of], module.executable.layout.starts[of]
    at, cells = world_places(module).cells[of], module.encoding.cells
    return module.place_words(
        of, lambda: [module.encoding.encode_value(module.world[at].get(cell, start), type_) for cell in cells]
    )


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
