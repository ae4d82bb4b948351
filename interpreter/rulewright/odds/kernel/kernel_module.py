"""Module of a kernel under construction: layout of its memory, functions that are written when wanted, reasons.

Memory holds the state of a play, a copy of its start, constants, counts, values of the start, and the heap of a play.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.kernel.program_facts import (
    ProgramFacts,
    find_fixed_parameters,
    find_heap_keepers,
    find_plain_dice,
    keeps_result,
)
from rulewright.odds.kernel.value_shapes import MAX_BITS, WORD_BYTES, BatchUnsupportedError, ValueShapes
from rulewright.odds.kernel.wasm_assembler import (
    Code,
    FunctionWriter,
    Global,
    ModuleWriter,
    Variable,
    as_code,
    call,
    const,
)
from rulewright.play.seeded_random import stream_offset
from rulewright.program.core.forms import CoreProgram, Return, Routine
from rulewright.program.core.walking import walk_forms
from rulewright.program.declarations import Program
from rulewright.program.types import GRID_STEPS, LengthType, PlaneType, Type, strip_optional
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.executable import Executable
from rulewright.runtime.working_memory import WorkingMemory

_HEADER_BYTES = 64
_WORD_VALUES = 1 << 64
_MAX_UNROLLED_WORDS = 8
"""Words up to which copying each takes less time than a call."""
HEAP_BYTES = 1 << 20
"""Memory of the values of a play; one that needs more is given back."""
_MAX_SMALL_FORMS = 40
"""Forms of a function that is written where it is called."""
MAX_DEPTH = 100
"""Calls, windows and settlings inside each other, up to which a play is kept; the limit of a run is higher."""
_MAX_VARIANTS = 3
"""Sets of constant arguments that a routine is written for."""
QUEUE_WORDS = 256
"""Room for waiting removals, and for active watches."""

WriteFunction = Callable[[FunctionWriter], None]
ReadWords = Callable[[Any], list[Any]]
"""Lists what a slot of the working memory holds."""
WriteRoutine = Callable[["KernelModule", Routine, dict[int, Code], FunctionWriter], None]
EmitExpression = Callable[[Any, Any], Code]
"""Code of an expression of core in a `RoutineCode`."""


@dataclass
class MemoryPlace:
    """Words of the state of a play."""

    address: int
    count: int
    start: Callable[[], list[int]]  # computes them for the start
    is_written: bool = False
    is_attribute: bool = False  # a word a thing, with the same place in the copy of the start


@dataclass
class KernelModule:
    """Module under construction."""

    executable: Executable
    facts: ProgramFacts
    shapes: ValueShapes
    world: WorkingMemory
    answers: PlayAnswerer
    is_exhaustive: bool
    write_routine: WriteRoutine
    emit_expression: EmitExpression
    arguments: Sequence[Any] = ()  # of the procedure
    parameter_types: Sequence[Type] = ()
    writer: ModuleWriter = field(default_factory=ModuleWriter)
    places: dict[Any, MemoryPlace] = field(default_factory=dict)
    tables: dict[Any, int] = field(default_factory=dict)  # addresses of constants
    table_words: list[int] = field(default_factory=list)
    functions: dict[Any, int] = field(default_factory=dict)
    pending: list[Callable[[], None]] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    state_bytes: int = _HEADER_BYTES

    def __post_init__(self) -> None:
        new = self.writer.new_global
        self.play, self.reason, self.root = new(), new(), new()  # number, reason to be given back, root of streams
        self.left, self.due, self.quiet, self.depth = new(), new(), new(), new()
        self.heap, self.heap_end = new(), new()
        self.unwinding, self.unwound_value = new(), new()
        self.together, self.waiting, self.watch_count = new(), new(), new()
        self._beside: dict[str, Global] = {}
        self.counters: dict[Any, Global] = {}  # that are 0 at the begin of each play

        self.heap_base, self.counts = new(), new()  # where the heap begins, and the counts of the measures
        self._heap_keepers = find_heap_keepers(self.facts, self.shapes)
        self._plain_dice: dict[str, frozenset[int]] = {}
        self._small: dict[str, bool] = {}
        self._fixed: dict[str, frozenset[int]] = {}
        self.variants: dict[str, set[Any]] = {}  # sets of constant arguments by routine

    @property
    def program(self) -> Program:
        return self.executable.program

    @property
    def core(self) -> CoreProgram:
        return self.facts.program

    # Facts of the program.

    def frees_heap(self, key: str) -> bool:
        """Whether all that a routine made is forgotten at its end."""
        routine = self.core.routines[key]
        if keeps_result(self.shapes, routine.result) or routine.sort == "handler":
            return False
        return routine.is_pure or key not in self._heap_keepers

    def find_plain_dice(self, routine: Routine) -> frozenset[int]:
        """Indices of the names that hold the face of a die."""
        if routine.key not in self._plain_dice:
            found = () if routine.key in self.facts.shared_names else find_plain_dice(routine)
            self._plain_dice[routine.key] = frozenset(found)
        return self._plain_dice[routine.key]

    def find_fixed_parameters(self, routine: Routine) -> frozenset[int]:
        """Positions of the parameters that a routine does not change."""
        if routine.key not in self._fixed:
            self._fixed[routine.key] = find_fixed_parameters(routine, self.facts.shared_names.get(routine.key, ()))
        return self._fixed[routine.key]

    def is_small(self, routine: Routine) -> bool:
        """Whether a function is so small that it is written where it is called."""
        if routine.key not in self._small:
            is_value = len(routine.entry) == 1 and isinstance(routine.entry[0], Return)
            self._small[routine.key] = is_value and sum([1 for _ in walk_forms(routine)]) <= _MAX_SMALL_FORMS
        return self._small[routine.key]

    def number_procedure(self, name: str) -> int:
        """Number of a procedure, from 1."""
        return list(self.program.procedures).index(name) + 1

    def encode_choice(self, value: object) -> int:
        """Code of an option: a flag, or a text by its number."""
        if isinstance(value, str):
            return self.shapes.numbers.setdefault(value, len(self.shapes.numbers))
        return int(value)  # type: ignore[call-overload,no-any-return]

    # Memory.

    def place_words(self, what: object, count: int, start: Callable[[], list[int]]) -> MemoryPlace:
        """Words of the state; to be called before any function is written."""
        result = self.places[what] = MemoryPlace(self.state_bytes, count, start)
        self.state_bytes += count * WORD_BYTES
        return result

    def find_place(self, what: object) -> MemoryPlace:
        """Words of the state.

        Raises:
            BatchUnsupportedError: they are not held.
        """
        if what not in self.places:
            raise BatchUnsupportedError(f"values of `{what}`")
        return self.places[what]

    @property
    def table_start(self) -> int:
        return 2 * self.state_bytes - _HEADER_BYTES

    @property
    def copy_distance(self) -> int:
        """Bytes from a word of the state to its copy."""
        return self.state_bytes - _HEADER_BYTES

    def place_constant(self, words: Sequence[int]) -> int:
        """Address of words that do not change."""
        key = tuple(words)
        if key not in self.tables:
            self.tables[key] = self.table_start + len(self.table_words) * WORD_BYTES
            self.table_words += words
        return self.tables[key]

    def place_table(self, what: object, make: Callable[[], Sequence[int]]) -> int:
        """Address of a table that is made at its first use."""
        if what not in self.tables:
            self.tables[what] = self.place_constant(make())
        return self.tables[what]

    def encode_constant(self, value: Any, type_: Type) -> Code:
        return const(self.shapes.encode(value, type_, self.place_constant))

    def list_start_words(self, place: Callable[[Sequence[int]], int]) -> list[int]:
        """State at the start; `place` puts compound values into memory."""
        self._place_start = place
        return [word for each in self.places.values() for word in each.start()]

    def encode_start(self, value: Any, type_: Type) -> int:
        """Code of a value of the start."""
        return self.shapes.encode(value, type_, self._place_start)

    _place_start: Callable[[Sequence[int]], int] = field(default=lambda _: 0)

    def emit_restart(self, writer: FunctionWriter) -> None:
        """Restores all that a play may have written."""
        for counter in self.counters.values():
            writer.set(counter, 0)
        runs: list[tuple[int, int]] = []
        for place in self.places.values():
            if place.is_written and place.count:
                if runs and runs[-1][0] + runs[-1][1] * WORD_BYTES == place.address:
                    runs[-1] = runs[-1][0], runs[-1][1] + place.count
                else:
                    runs.append((place.address, place.count))
        distance = self.copy_distance
        for address, count in runs:
            if count > _MAX_UNROLLED_WORDS:
                writer.copy_words(address, address + distance, count)
            else:
                for at in range(address, address + count * WORD_BYTES, WORD_BYTES):
                    writer.store(at, const(at + distance).load())

    # Functions.

    def request_function(self, key: object, parameter_count: int, write: WriteFunction, *, returns: bool = True) -> int:
        """Index of a function, which is written later if this is its first call."""
        if key not in self.functions:
            index = self.functions[key] = self.writer.reserve_function(parameter_count, returns=returns)

            def write_body() -> None:
                body = FunctionWriter(parameter_count)
                write(body)
                if returns:
                    body.trap()
                self.writer.bodies[index] = body.encode_body()

            self.pending.append(write_body)
        return self.functions[key]

    def call_shared(self, key: object, write: Callable[..., None], *arguments: Code | int) -> Code:
        """Result of a function that is written at its first call; `write` is given its parameters."""
        many = len(arguments)
        return call(self.request_function(key, many, lambda w: write(w, *map(w.parameter, range(many)))), *arguments)

    def write_pending(self) -> None:
        """Writes the requested functions, and those that they request."""
        while self.pending:
            self.pending.pop()()

    def counter(self, what: object) -> Global:
        """Global that is 0 at the begin of each play."""
        if what not in self.counters:
            self.counters[what] = self.writer.new_global()
        return self.counters[what]

    def counter_beside(self, what: str) -> Global:
        """Global that a new play does not reset."""
        if what not in self._beside:
            self._beside[what] = self.writer.new_global()
        return self._beside[what]

    # Calls of routines.

    def call_routine(self, key: str, arguments: Sequence[Code], line: Code | None = None) -> Code:
        """Result of a routine, specialized for arguments that are constants; a window is given the line that opens it."""
        routine = self.core.routines[key]
        known = self._find_known(routine, arguments)
        given = [each for number, each in enumerate(arguments) if number not in known]
        given += [line] if routine.sort == "window" and line is not None else []
        name = "routine", key, tuple(sorted((number, code.constant or 0) for number, code in known.items()))
        function = self.request_function(name, len(given), lambda w: self.write_routine(self, routine, known, w))
        return call(function, *given)

    def _find_known(self, routine: Routine, arguments: Sequence[Code]) -> dict[int, Code]:
        """Constant arguments by position, of a procedure that does not change them; few sets of them are told apart."""
        if routine.sort != "procedure" or self.is_exhaustive:
            return {}
        fixed = self.find_fixed_parameters(routine)
        known = {at: code for at, code in enumerate(arguments) if code.constant is not None and at in fixed}
        variants = self.variants.setdefault(routine.key, set())
        values = tuple((at, code.constant) for at, code in known.items())
        if values not in variants and len(variants) >= _MAX_VARIANTS:
            return {}
        variants.add(values)
        return known

    def is_gone(self, kind: str, thing: Code) -> Code:
        """Test whether a thing is out of play."""
        place = self.places.get(f"{kind}/in play")
        if place is None:
            return column_address(self.find_place(f"{kind}/gone"), thing).load().ne(0)
        return ((const(place.address).load() >> thing) & 1).is_zero()

    # Giving back.

    def give_back(self, why: str) -> bytes:
        """Gives the play back; no code that follows runs."""
        number = self.reasons.setdefault(why, len(self.reasons))
        return const(number).code + b"\x24" + bytes((self.reason.index,)) + b"\x00"

    def require(self, writer: FunctionWriter, test: Code, why: str) -> None:
        """Gives the play back unless a test holds."""
        with writer.when(~test.as_test()):
            writer.emit(self.give_back(why))

    def charge(self, writer: FunctionWriter, amount: Code | int) -> None:
        """Charges an upper bound of work and size."""
        writer.set(self.left, self.left - amount)
        self.require(writer, self.left >= 0, "a play near its limit")

    def allocate(self, words: Code | int) -> Code:
        """Address of new words on the heap."""
        return self.call_shared("allocate", self._write_allocate, words)

    def _write_allocate(self, writer: FunctionWriter, words: Variable) -> None:
        new, end = writer.new_local(self.heap), self.heap
        writer.set(self.heap, new + (words << 3))
        writer.set(self.left, self.left - words)
        self.require(writer, end.operate("le_u", self.heap_end), "very many values in memory")
        writer.give_result(new)

    # Lines that ask, with the streams of their random numbers.

    def find_occasions(self, address: str) -> int:
        """Address of the number of requests that a line made."""
        place = self.find_place(("asked", strip_address_numbers(address)))
        place.is_written = True
        return place.address

    def find_line(self, address: str) -> int:
        """Address of the offset of the stream of a line, and of the address of its number of requests."""
        return self.place_constant((stream_offset(address, ""), self.find_occasions(address)))


_Given = ParamSpec("_Given")


def kernel_function(
    write: Callable[Concatenate[FunctionWriter, KernelModule, _Given], None],
) -> Callable[Concatenate[KernelModule, _Given], Code]:
    """Decorator that makes what writes a function a call of it, written at its first; codes given are its parameters.

    All else that it is given tells functions of the module apart.
    """

    @wraps(write)
    def call_written(module: KernelModule, /, *given: _Given.args, **told: _Given.kwargs) -> Code:
        def write_body(w: FunctionWriter, *parameters: Variable) -> None:
            rest = iter(parameters)
            write(w, module, *(next(rest) if isinstance(each, Code) else each for each in given), **told)  # type: ignore[arg-type]

        key = write, *(None if isinstance(each, Code) else each for each in given), *told.items()
        return module.call_shared(key, write_body, *(each for each in given if isinstance(each, Code)))

    return call_written


def encode_words(words: Sequence[int]) -> bytes:
    """Words in memory; those of 64 bits without sign are taken as signed."""
    return array("q", [word - _WORD_VALUES if word >= _WORD_VALUES >> 1 else word for word in words]).tobytes()


def place_state(module: KernelModule) -> None:
    """Lays out the state: attributes, things in play, fields of the game, boards, relations, numbers of requests."""
    layout, places, shapes = module.executable.layout, module.executable.places, module.shapes

    def place_words(what: str, count: int, slot: int, read: ReadWords) -> None:
        module.place_words(what, count, lambda: read(module.world[slot]))

    def place_values(what: str, count: int, slot: int, read: ReadWords = list) -> None:
        type_ = layout.types[what]
        try:
            shapes.of(type_)
            for each in read(module.world[slot]) if isinstance(strip_optional(type_), LengthType | PlaneType) else ():
                shapes.encode(each, type_, lambda _: 0)
        except BatchUnsupportedError:
            return
        place_words(what, count, slot, lambda held: [module.encode_start(each, type_) for each in read(held)])
        module.places[what].is_attribute = True

    for what, slot in places.columns.items():
        place_values(what, shapes.thing_counts[what.partition("/")[0]], slot)
    for kind, slot in places.gone.items():
        place_words(f"{kind}/gone", shapes.thing_counts[kind], slot, lambda flags: [int(each) for each in flags])
    for kind, slot in places.in_play.items():
        if shapes.thing_counts[kind] <= MAX_BITS:
            place_words(f"{kind}/in play", 1, slot, lambda things: [sum([1 << each for each in things])])
    for name, slot in places.game.items():
        place_values(f"game/{name}", 1, slot, lambda value: [value])
    for what, slot in places.cells.items():
        place_values(what, len(shapes.cells), slot, partial(_list_cells, module, what))
    for what, slot in places.sides.items():
        place_values(what, len(shapes.cells) * SIDES_PER_CELL, slot, partial(_list_sides, module, what))
    for name, slot in places.relations.items():
        first, second = (parameter.type.kind for parameter in module.program.relations[name].parameters)  # type: ignore[union-attr]
        count, width = shapes.thing_counts[first], -(-shapes.thing_counts[second] // 64)
        place_words(name, count * width, slot, partial(_list_pairs, count, width))
    for address in dict.fromkeys(module.executable.request_addresses):
        module.place_words(("asked", address), 1, lambda: [0])
    if module.is_exhaustive:
        module.place_words("given", len(module.parameter_types), lambda: _list_arguments(module))
    for what in ("removals", "watches"):
        module.place_words(what, QUEUE_WORDS, lambda: [0] * QUEUE_WORDS)


SIDES_PER_CELL = 8


def _list_sides(module: KernelModule, what: str, sides: Any) -> list[Any]:
    start = module.executable.layout.starts[what]
    result = [start] * (len(module.shapes.cells) * SIDES_PER_CELL)
    (board,) = [each for each in module.program.boards.values() if each.name == what.partition("/")[0]]
    for (first, second), value in sides.items():
        step = (second[0] - first[0], second[1] - first[1])
        steps = GRID_STEPS[board.space]
        number = module.shapes.number_cell(first)
        if number is not None and step in steps:
            result[number * SIDES_PER_CELL + steps.index(step)] = value
    return result


def _list_cells(module: KernelModule, what: str, cells: Any) -> list[Any]:
    start = module.executable.layout.starts[what]
    return [cells.get(each, start) for each in module.shapes.cells]


def _list_arguments(module: KernelModule) -> list[int]:
    return [module.encode_start(*each) for each in zip(module.arguments, module.parameter_types, strict=True)]


def _list_pairs(count: int, width: int, pairs: Any) -> list[int]:
    result = [0] * (count * width)
    for first, second in pairs:
        result[first * width + second // 64] |= 1 << second % 64
    return result


def column_address(place: MemoryPlace, index: Code) -> Code:
    """Address of the word with an index."""
    if index.constant is not None:
        return const(place.address + index.constant * WORD_BYTES)
    return (as_code(index) << 3) + place.address
