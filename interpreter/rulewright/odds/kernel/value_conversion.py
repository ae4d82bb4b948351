"""Conversion of values between shapes, where a value of one type is put into a place of another."""

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.kernel_module import KernelModule
from rulewright.odds.kernel.value_shapes import (
    MAX_BITS,
    NONE_CODE,
    SCALAR,
    BatchUnsupportedError,
    Bits,
    DenseMap,
    Parts,
    Scalar,
    SequenceShape,
    Shape,
)
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Variable, const


def convert_value(module: KernelModule, code: Code, source: Shape, target: Shape) -> Code:
    """A value in another shape.

    Raises:
        BatchUnsupportedError: there is no way.
    """
    if source == target:
        return code
    write = _find_writer(module, source, target)
    if code.constant is not None and isinstance(source, Bits) and target == SequenceShape(SCALAR):
        members = [at for at in range(64) if code.constant >> at & 1]
        return const(module.place_constant((len(members), *members)))

    def write_body(w: FunctionWriter, value: Variable) -> None:
        with w.when(value.eq(NONE_CODE)):
            w.give_result(const(NONE_CODE))
        write(w)

    return module.call_shared(("convert", source, target), write_body, code)


def _find_writer(module: KernelModule, source: Shape, target: Shape):  # type: ignore[no-untyped-def]  # noqa: ANN202
    match source, target:
        case Bits(), SequenceShape(Scalar()):
            return lambda w: _list_bits(module, w)
        case SequenceShape(Scalar()), Bits():
            return lambda w: _gather_bits(module, w)
        case Bits(), SequenceShape():
            return lambda w: _require_empty(module, w)
        case SequenceShape(item), SequenceShape(other):
            _check(module, item, other)
            return lambda w: _convert_members(module, w, item, other)
        case Parts(parts), Parts(others) if len(parts) == len(others):
            for pair in zip(parts, others, strict=True):
                _check(module, *pair)
            return lambda w: _convert_parts(module, w, parts, others)
        case DenseMap(_, value), DenseMap(_, other_value) if value == other_value:
            return lambda w: _resize_map(module, w, source, target)
    raise BatchUnsupportedError("values of different types in one place")


def _check(module: KernelModule, source: Shape, target: Shape) -> None:
    if source != target and not isinstance(source, Scalar):
        _find_writer(module, source, target)


def _list_bits(module: KernelModule, w: FunctionWriter) -> None:
    listed = lib.SequenceWriter(w, module, w.parameter(0).count_bits())
    with w.each_bit(w.parameter(0)) as member:
        listed.append(member)
    w.give_result(listed.finish())


def _gather_bits(module: KernelModule, w: FunctionWriter) -> None:
    bits = w.new_local(0)

    def add(member: Code) -> None:
        module.require(w, member.operate("lt_u", MAX_BITS), "a member that a set cannot have")
        w.set(bits, bits | (const(1) << member))

    lib.loop_members(w, w.parameter(0), add)
    w.give_result(bits)


def _require_empty(module: KernelModule, w: FunctionWriter) -> None:
    module.require(w, w.parameter(0).is_zero(), "a set of another type")
    w.give_result(const(module.place_constant((0,))))


def _convert_members(module: KernelModule, w: FunctionWriter, item: Shape, other: Shape) -> None:
    new = w.new_local(lib.copy_sequence(module, w.parameter(0)))
    with w.count(0, new.load()) as at:
        place = w.new_local(new + (at << 3))
        w.store(place, _convert_part(module, place.load(8), item, other), 8)
    w.give_result(new)


def _convert_part(module: KernelModule, code: Code, source: Shape, target: Shape) -> Code:
    """A part that has no value, or none, may be of any type."""
    return code if isinstance(source, Scalar) else convert_value(module, code, source, target)


def _convert_parts(
    module: KernelModule, w: FunctionWriter, parts: tuple[Shape, ...], others: tuple[Shape, ...]
) -> None:
    new = w.new_local(module.allocate(len(parts)))
    for at, (part, other) in enumerate(zip(parts, others, strict=True)):
        w.store(new, _convert_part(module, w.parameter(0).load(8 * at), part, other), 8 * at)
    w.give_result(new)


def _resize_map(module: KernelModule, w: FunctionWriter, source: DenseMap, target: DenseMap) -> None:
    map_ = w.parameter(0)
    new = w.new_local(module.allocate(target.count + 1))
    w.store(new, map_.load())
    with w.count(0, target.count) as at:
        w.store(new + (at << 3), map_.load(), 8)
    with w.count(0, source.count) as at:
        value = (map_ + (at << 3)).load(8)
        if source.count > target.count:
            fits = lib.are_equal(module, source.value, value, map_.load()) | (at < target.count)
            module.require(w, fits, "a key of a map that it cannot have")
            with w.when(at < target.count):
                w.store(new + (at << 3), value, 8)
        else:
            w.store(new + (at << 3), value, 8)
    w.give_result(new)
