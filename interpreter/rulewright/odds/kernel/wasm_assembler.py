"""Assembler of WebAssembly in its binary format: code of expressions, functions under construction, modules."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

I64 = 0x7E
_MAGIC = b"\0asm\1\0\0\0"
_NO_RESULT = b"\x40"
_END, _ELSE = b"\x0b", b"\x05"
_BINARY_OPCODES = {
    "add": 0x7C, "sub": 0x7D, "mul": 0x7E, "div_s": 0x7F, "div_u": 0x80, "rem_s": 0x81, "rem_u": 0x82, "and": 0x83,
    "or": 0x84, "xor": 0x85, "shl": 0x86, "shr_s": 0x87, "shr_u": 0x88,
    "eq": 0x51, "ne": 0x52, "lt_s": 0x53, "lt_u": 0x54, "gt_s": 0x55, "gt_u": 0x56, "le_s": 0x57, "le_u": 0x58,
    "ge_s": 0x59, "ge_u": 0x5A,
}  # fmt: skip
_COMPARISONS = frozenset({"eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"})


def encode_unsigned(number: int) -> bytes:
    """LEB128 of a number from 0."""
    result = bytearray()
    while number > 0x7F:  # noqa: PLR2004
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


def encode_signed(number: int) -> bytes:
    """Signed LEB128."""
    result = bytearray()
    while not -0x40 <= number < 0x40:  # noqa: PLR2004
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number & 0x7F)
    return bytes(result)


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """Code that leaves one value on the stack: an i64, or an i32 if it is a test or an address.

    It may hold whole loops that leave nothing behind. Operators give the code of operations; numbers stand for
    constants.
    """

    code: bytes
    is_test: bool = False
    constant: int | None = None  # value of an i64 that is known

    def operate(self, name: str, other: "Code | int") -> "Code":
        """Binary operation of i64 values by its name in the text format."""
        right = as_code(other)
        return Code(self.code + right.code + bytes((_BINARY_OPCODES[name],)), name in _COMPARISONS)

    def __add__(self, other: "Code | int") -> "Code":
        right = as_code(other)
        if right.constant == 0:
            return self
        if self.constant is not None and right.constant is not None:
            return const(self.constant + right.constant)
        return self.operate("add", right)

    def __sub__(self, other: "Code | int") -> "Code":
        right = as_code(other)
        return self if right.constant == 0 else self.operate("sub", right)

    def __mul__(self, other: "Code | int") -> "Code":
        right = as_code(other)
        return self if right.constant == 1 else self.operate("mul", right)

    def __and__(self, other: "Code | int") -> "Code":
        if self.is_test and isinstance(other, Code):
            return Code(self.code + other.code + b"\x71", is_test=True)
        return self.operate("and", other)

    def __or__(self, other: "Code | int") -> "Code":
        if self.is_test and isinstance(other, Code):
            return Code(self.code + other.code + b"\x72", is_test=True)
        return self.operate("or", other)

    def __xor__(self, other: "Code | int") -> "Code":
        return self.operate("xor", other)

    def __lshift__(self, other: "Code | int") -> "Code":
        right = as_code(other)
        if self.constant is not None and right.constant is not None:
            return const(self.constant << right.constant)
        return self.operate("shl", right)

    def __rshift__(self, other: "Code | int") -> "Code":
        return self.operate("shr_u", other)

    def __lt__(self, other: "Code | int") -> "Code":
        return self.operate("lt_s", other)

    def __le__(self, other: "Code | int") -> "Code":
        return self.operate("le_s", other)

    def __gt__(self, other: "Code | int") -> "Code":
        return self.operate("gt_s", other)

    def __ge__(self, other: "Code | int") -> "Code":
        return self.operate("ge_s", other)

    def eq(self, other: "Code | int") -> "Code":
        return self.is_zero() if isinstance(other, int) and other == 0 else self.operate("eq", other)

    def ne(self, other: "Code | int") -> "Code":
        return self.operate("ne", other)

    def is_zero(self) -> "Code":
        return Code(self.code + (b"\x45" if self.is_test else b"\x50"), is_test=True)

    def __invert__(self) -> "Code":
        """The other test."""
        return Code(self.code + b"\x45", is_test=True)

    def as_flag(self) -> "Code":
        """Flag of a test, 0 or 1."""
        return Code(self.code + b"\xad") if self.is_test else self

    def as_test(self) -> "Code":
        """Test of a flag."""
        return self if self.is_test else Code(self.code + b"\xa7", is_test=True)

    def count_trailing_zeros(self) -> "Code":
        return Code(self.code + b"\x7a")

    def count_leading_zeros(self) -> "Code":
        return Code(self.code + b"\x79")

    def count_bits(self) -> "Code":
        return Code(self.code + b"\x7b")

    def load(self, offset: int = 0) -> "Code":
        """The word at this address."""
        if self.constant is not None:
            return Code(b"\x41" + encode_signed(self.constant + offset) + b"\x29\x03\x00")
        return Code(self.as_test().code + b"\x29\x03" + encode_unsigned(offset))


class Slot(Code):
    """A variable by its number; its opcode reads it, and the next one writes it."""

    __slots__ = ("index",)
    index: int
    opcode: ClassVar[int]

    def __init__(self, index: int) -> None:
        super().__init__(bytes((self.opcode,)) + encode_unsigned(index))
        object.__setattr__(self, "index", index)


class Variable(Slot):
    """A local of a function."""

    opcode = 0x20


class Global(Slot):
    """A global i64 variable."""

    opcode = 0x23


def const(number: int) -> Code:
    """An i64 constant; one of 64 bits without sign is taken as signed."""
    number = (number + (1 << 63)) % (1 << 64) - (1 << 63)
    return Code(b"\x42" + encode_signed(number), constant=number)


def test_const(value: bool) -> Code:  # noqa: FBT001
    return Code(b"\x41\x01" if value else b"\x41\x00", is_test=True)


def as_code(value: "Code | int") -> Code:
    return const(value) if isinstance(value, int) else value


def select(then: Code | int, other: Code | int, test: Code) -> Code:
    """One of two values, both computed."""
    return Code(as_code(then).code + as_code(other).code + test.as_test().code + b"\x1b")


def choose(test: Code, then: Code, other: Code) -> Code:
    """One of two values or tests, of which only that one is computed."""
    sort = b"\x7f" if then.is_test else b"\x7e"
    return Code(test.as_test().code + b"\x04" + sort + then.code + _ELSE + other.code + _END, then.is_test)


def call(function: int, *arguments: Code | int) -> Code:
    """Result of a function; as a statement if it has none."""
    return Code(b"".join([as_code(each).code for each in arguments]) + b"\x10" + encode_unsigned(function))


@dataclass(frozen=True, slots=True)
class Label:
    """A block that can be left, or a loop that can be repeated."""

    depth: int


@dataclass
class FunctionWriter:
    """A function under construction; parameters are its first locals."""

    parameter_count: int
    returns: bool = True
    pieces: list[bytes] = field(default_factory=list)
    local_count: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        self.local_count = self.parameter_count

    def parameter(self, index: int) -> Variable:
        return Variable(index)

    def new_local(self, value: Code | int | None = None) -> Variable:
        variable = Variable(self.local_count)
        self.local_count += 1
        if value is not None:
            self.set(variable, value)
        return variable

    def emit(self, code: Code | bytes) -> None:
        """Code that leaves nothing on the stack."""
        self.pieces.append(code if isinstance(code, bytes) else code.code)

    def drop(self, code: Code) -> None:
        self.pieces.append(code.code + b"\x1a")

    def set(self, variable: Code, value: Code | int) -> None:
        assert isinstance(variable, Slot)
        self.pieces.append(as_code(value).code + bytes((variable.opcode + 1,)) + encode_unsigned(variable.index))

    def store(self, address: Code | int, value: Code | int, offset: int = 0) -> None:
        place = as_code(address)
        if place.constant is not None:
            self.pieces.append(b"\x41" + encode_signed(place.constant + offset) + as_code(value).code + b"\x37\x03\x00")
        else:
            self.pieces.append(place.as_test().code + as_code(value).code + b"\x37\x03" + encode_unsigned(offset))

    def copy_words(self, target: Code | int, source: Code | int, words: Code | int) -> None:
        size = as_code(words) << 3
        addresses = [_as_address(as_code(each)) for each in (target, source, size)]
        self.pieces.append(b"".join(addresses) + b"\xfc\x0a\x00\x00")

    def give_result(self, value: Code) -> None:
        """Ends the function."""
        self.pieces.append(value.code + b"\x0f")

    def trap(self) -> None:
        self.pieces.append(b"\x00")

    @contextmanager
    def _open(self, head: bytes) -> Iterator[Label]:
        self.pieces.append(head + _NO_RESULT)
        self.depth += 1
        try:
            yield Label(self.depth)
        finally:
            self.depth -= 1
            self.pieces.append(_END)

    def block(self) -> AbstractContextManager[Label]:
        """Context of code that can be left by its label."""
        return self._open(b"\x02")

    def loop(self) -> AbstractContextManager[Label]:
        """Context of code that can be repeated by its label."""
        return self._open(b"\x03")

    def when(self, test: Code) -> AbstractContextManager[Label]:
        """Context of code that runs if a test holds."""
        return self._open(test.as_test().code + b"\x04")

    def otherwise(self) -> None:
        """What follows in a `when` runs if the test does not hold."""
        self.pieces.append(_ELSE)

    def leave(self, label: Label, test: Code | None = None) -> None:
        """Jumps behind a block, or to the begin of a loop."""
        code = b"\x0c" if test is None else test.as_test().code + b"\x0d"
        self.pieces.append(code + encode_unsigned(self.depth - label.depth))

    def leave_by_number(self, labels: Sequence[Label], number: Code) -> None:
        """Jumps to the label with a number."""
        depths = [encode_unsigned(self.depth - label.depth) for label in labels]
        self.pieces.append(number.as_test().code + b"\x0e" + encode_unsigned(len(depths) - 1) + b"".join(depths))

    @contextmanager
    def until(self, done: Code) -> Iterator[Label]:
        """Context of code that repeats until a test, made before it, holds; the label leaves."""
        with self.block() as over, self.loop() as again:
            self.leave(over, done)
            yield over
            self.leave(again)

    @contextmanager
    def count(self, low: Code | int, end: Code | int, step: int = 1) -> Iterator[Variable]:
        """Context of code for each number from `low` to below `end`."""
        at = self.new_local(low)
        bound = as_code(end)
        bound = bound if isinstance(bound, Variable) or bound.constant is not None else self.new_local(bound)
        with self.until(at >= bound):
            yield at
            self.set(at, at + step)

    @contextmanager
    def each_bit(self, rest: Code) -> Iterator[Variable]:
        """Context of code for the number of each bit of a word, from the lowest; the bit is taken out before."""
        at = self.new_local()
        with self.until(rest.is_zero()):
            self.set(at, rest.count_trailing_zeros())
            self.set(rest, rest & (rest - 1))
            yield at

    @contextmanager
    def capture(self) -> Iterator[list[bytes]]:
        """Context whose code goes to the list that it gives."""
        before, self.pieces = self.pieces, []
        depth = self.depth
        try:
            yield self.pieces
        finally:
            self.pieces, self.depth = before, depth

    def encode_body(self) -> bytes:
        more = self.local_count - self.parameter_count
        declared = b"\x01" + encode_unsigned(more) + b"\x7e" if more else b"\x00"
        body = declared + b"".join(self.pieces) + _END
        return encode_unsigned(len(body)) + body


def _as_address(code: Code) -> bytes:
    if code.constant is not None:
        return b"\x41" + encode_signed(code.constant)
    return code.as_test().code


def after(pieces: Sequence[bytes], value: Code) -> Code:
    """A value that is computed after captured code."""
    return Code(b"".join(pieces) + value.code, value.is_test)


@dataclass
class ModuleWriter:
    """A module: functions of i64 values, globals and one memory; all globals are i64."""

    signatures: dict[tuple[int, bool], int] = field(default_factory=dict)
    function_types: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    exports: list[tuple[str, int, int]] = field(default_factory=list)  # name, sort, index
    globals: list[int] = field(default_factory=list)  # first values
    data: list[tuple[int, bytes]] = field(default_factory=list)

    def reserve_function(self, parameter_count: int, *, returns: bool = True) -> int:
        """Index of a function whose body follows later."""
        signature = self.signatures.setdefault((parameter_count, returns), len(self.signatures))
        self.function_types.append(signature)
        self.bodies.append(b"")
        return len(self.bodies) - 1

    def new_global(self, value: int = 0) -> Global:
        self.globals.append(value)
        return Global(len(self.globals) - 1)

    def export_function(self, name: str, function: int) -> None:
        self.exports.append((name, 0, function))

    def export_global(self, name: str, variable: Global) -> None:
        self.exports.append((name, 3, variable.index))

    def encode(self, pages: int) -> bytes:
        """Module in the binary format."""
        types = [
            b"\x60" + encode_unsigned(count) + bytes((I64,)) * count + (b"\x01\x7e" if returns else b"\x00")
            for count, returns in self.signatures
        ]
        exports = [
            _encode_name(name) + bytes((sort,)) + encode_unsigned(at)
            for name, sort, at in (("memory", 2, 0), *self.exports)
        ]
        sections = (
            (1, _encode_vector(types)),
            (3, _encode_vector([encode_unsigned(each) for each in self.function_types])),
            (5, b"\x01\x00" + encode_unsigned(pages)),
            (6, _encode_vector([b"\x7e\x01\x42" + encode_signed(each) + _END for each in self.globals])),
            (7, _encode_vector(exports)),
            (10, _encode_vector(self.bodies)),
            (11, _encode_vector([_encode_data(*each) for each in self.data])),
        )
        return _MAGIC + b"".join(
            [bytes((number,)) + encode_unsigned(len(content)) + content for number, content in sections]
        )


def _encode_vector(items: Sequence[bytes]) -> bytes:
    return encode_unsigned(len(items)) + b"".join(items)


def _encode_name(name: str) -> bytes:
    text = name.encode()
    return encode_unsigned(len(text)) + text


def _encode_data(address: int, content: bytes) -> bytes:
    return b"\x00\x41" + encode_signed(address) + _END + encode_unsigned(len(content)) + content
