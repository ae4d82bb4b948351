"""Compilation of a play to a WebAssembly kernel that simulates many plays or enumerates all paths."""

from array import array
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from itertools import product
from math import lcm
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.kernel import exhaustive_chance, runtime_library as lib
from rulewright.odds.kernel.expression_code import emit_expression, write_in_place
from rulewright.odds.kernel.kernel_module import HEAP_BYTES, KernelModule, encode_words, place_state
from rulewright.odds.kernel.program_facts import ProgramFacts, find_facts
from rulewright.odds.kernel.statement_code import StatementCode, find_result_type, write_routine
from rulewright.odds.kernel.store_code import find_due_bit
from rulewright.odds.kernel.value_shapes import (
    MAX_BITS,
    NONE_CODE,
    WORD_BYTES,
    BatchUnsupportedError,
    Bits,
    ValueShapes,
)
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, after, choose, const, encode_unsigned
from rulewright.play.seeded_random import GOLDEN_GAMMA, hash_seed
from rulewright.play.session import PlayStart
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.types import GRID_STEPS, Type
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.snapshot import make_world
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import BOARD, UNSETTLED, WorkingMemory

_MAX_MEASURE_VALUES = 1 << 12
"""Number of values of a measure that are counted."""
_PAGE_BYTES = 1 << 16
INVALID_MODULE = "a module that is not valid"
"""Reason to give all plays back that no program may ever have; what is written wrongly is still played rightly."""
_SIGN_BIT = 1 << 63


@dataclass(frozen=True, slots=True)
class KernelSource:
    """Binary module of a kernel, and what is needed to load starts and to read its counts."""

    binary: bytes
    module: KernelModule
    value_counts: tuple[int, ...]  # number of counts of each measure
    reasons: tuple[str, ...]  # to give plays back, by number
    measure_types: tuple[Type, ...]


def write_kernel(play: MeasuredPlay, answers: PlayAnswerer, *, every: bool = False) -> KernelSource:
    """Kernel of a play, specialized for its policy.

    Args:
        play: start and measures.
        answers: who answers.
        every: whether all outcomes of chance are enumerated, not drawn.

    Raises:
        BatchUnsupportedError: the play has something that cannot be held or done here.
    """
    start = play.start
    for is_unsupported, message in (
        (answers.script is not None, "a script answers questions"),
        (answers.policies or answers.maximizing_players, "a player has a policy of their own"),
        (answers.policy not in {"", "first", "random"}, "answers are judged"),
        (play.counted_events, "visits of steps are counted"),
        (play.conditions, "only some plays are asked of"),
        (start.limits != RunLimits(), "limits are given"),
    ):
        if is_unsupported:
            raise BatchUnsupportedError(message)
    executable = start.executable
    world = make_world(executable, start.situation, start.limits)
    thing_counts = {kind: len(start.situation.base.things.get(kind, ())) for kind in executable.program.kinds}
    facts = _find_facts(executable)
    shapes = ValueShapes(
        executable.program, thing_counts, _cells_around_board(world[BOARD], executable.program.boards), facts.texts
    )
    module = KernelModule(
        executable,
        facts,
        shapes,
        world,
        answers,
        every,
        write_routine,
        emit_expression,
        start.arguments,
        [parameter.type for parameter in start.procedure.parameters],
    )
    place_state(module)
    types = tuple(asked_measure.type for asked_measure in play.measures)
    sizes = tuple(count_measure_values(shapes, type_) for type_ in types)
    played = module.writer.reserve_function(0, returns=False)
    body = FunctionWriter(0)
    _emit_play(module, body, play, sizes)
    module.write_pending()
    module.writer.bodies[played] = body.encode_body()
    call_play = b"\x10" + encode_unsigned(played)
    if every:
        begin = FunctionWriter(0)
        _emit_begin(module, begin)
        exhaustive_chance.write_path_loop(module, begin.pieces, call_play)
        module.writer.export_global("denominators", module.counter_beside("denominators"))
    else:
        _write_play_loop(module, call_play)
    module.writer.data.append((module.table_start, encode_words(module.table_words)))
    for name in ("play", "reason", "heap_base", "heap_end", "counts"):
        module.writer.export_global(name, getattr(module, name))
    return KernelSource(
        module.writer.encode(_count_pages(module, sizes, 0)), module, sizes, tuple(module.reasons), types
    )


def _find_facts(executable: Executable) -> ProgramFacts:
    cache = executable.cache
    if ProgramFacts not in cache:
        cache[ProgramFacts] = find_facts(executable)
    return cache[ProgramFacts]  # type: ignore[no-any-return]


def _cells_around_board(board: Any, boards: Any) -> tuple[Cell, ...]:
    """Cells of the board in order, with adjacent ones if the set stays in one word, as without them."""
    cells = set(board)
    if len(boards) == 1:
        (one,) = boards.values()
        steps = GRID_STEPS.get(one.space, ())
        wider = cells | {(q + across, r + down) for (q, r), (across, down) in product(cells, steps)}
        cells = wider if len(wider) <= MAX_BITS or len(cells) > MAX_BITS else cells
    return tuple(sorted(cells))


def count_measure_values(shapes: ValueShapes, type_: Type) -> int:
    try:
        return min(_MAX_MEASURE_VALUES, shapes.count_values(type_))
    except BatchUnsupportedError:
        return _MAX_MEASURE_VALUES


def _emit_play(module: KernelModule, w: FunctionWriter, play: MeasuredPlay, sizes: Sequence[int]) -> None:
    """Code of one play, which counts the values of its measures at the end."""
    start, program = play.start, module.core
    key = f"procedure:{start.procedure.name}"
    routine = program.routines[key]
    c = StatementCode(module, w, routine)
    with w.block() as end:
        c.begin(end, w.new_local())
        if _find_due(module, module.world):
            for settled in (core.JUDGING, core.SETTLING):
                w.drop(module.call_routine(settled, ()))
        roles = [_emit_role(module, number, each.type) for number, each in enumerate(start.procedure.parameters)]
        result = w.new_local(module.call_routine(key, roles))
        module.require(w, module.unwinding.is_zero(), "a procedure that is not running")
        w.set(module.quiet, 1)
        offset = 0
        counters: list[Code] = []
        offsets: list[int] = []
        for number, names in enumerate(play.argument_lists):
            measure = program.routines[program.measures[play.measure_names[number]]]
            given = []
            for parameter, name in zip(measure.parameters, names or (), strict=True):
                if name.role_number is not None:
                    value = c.convert(
                        roles[name.role_number], start.procedure.parameters[name.role_number].type, parameter.type
                    )
                elif name.known_value is None:
                    value = c.convert(result, find_result_type(module, routine), parameter.type)
                else:
                    value = module.encode_constant(name.known_value, parameter.type)  # type: ignore[arg-type]
                given.append(value)
            value = (
                write_in_place(c, measure, given) if len(names or ()) <= 1 else module.call_routine(measure.key, given)
            )
            type_ = play.measures[number].type
            held = w.new_local(index_value(c, c.convert(value.as_flag(), measure.result, type_), type_))
            module.require(w, held.operate("lt_u", sizes[number]), "a measure with very many values")
            counters.append(held << 3)
            offsets.append(offset)
            offset += sizes[number] * WORD_BYTES
        row: Code = module.counts
        if module.is_exhaustive:
            row = w.new_local(exhaustive_chance.find_row(module, offset))
        more = exhaustive_chance.get_weight(module) if module.is_exhaustive else const(1)
        for counter, start_of in zip(counters, offsets, strict=True):
            place = w.new_local(row + counter + start_of)
            w.store(place, place.load() + more)


def index_value(c: StatementCode, value: Code, type_: Type) -> Code:
    """Index of a value among those of its type."""
    shapes = c.module.shapes
    match type_:
        case ty.OptionalType(inner):
            value = c.hold(value)
            with c.w.capture() as pieces:
                index = index_value(c, value, inner) + 1
            return choose(value.eq(NONE_CODE), const(0), after(pieces, index))
        case ty.NoneType():
            return const(0)
        case ty.RecordType() | ty.TupleType():
            shapes.count_values(type_)
            parts = [(8 * at, part) for at, part in enumerate(shapes.list_digits(type_))]
        case ty.MapType():
            shapes.count_values(type_)
            digits = shapes.list_digits(type_)
            parts = [*((8 * at + 8, part) for at, part in enumerate(digits[:-1])), (0, digits[-1])]
        case ty.SetType() if not isinstance(c.shape_of(type_), Bits):
            raise BatchUnsupportedError(f"a measure of the type {type_}")
        case ty.ListType() | ty.DeckType() | ty.BagType() | ty.PoolType() | ty.DieType() | ty.TextType():
            raise BatchUnsupportedError(f"a measure of the type {type_}")
        case _:
            return value - shapes.lowest_value(type_)
    value, result = c.hold(value), const(0)
    for offset, part in parts:
        result = result * shapes.count_values(part) + index_value(c, value.load(offset), part)
    return result


def _emit_role(module: KernelModule, number: int, type_: Type) -> Code:
    """Argument of the procedure: a constant in a simulation; in memory where other starts may be loaded."""
    if not module.is_exhaustive:
        return module.encode_constant(module.arguments[number], type_)
    return const(module.find_place("given").address + number * WORD_BYTES).load()


def _find_due(module: KernelModule, world: WorkingMemory) -> int:
    """Standing rules and invariants that are due at the start."""
    due = 0
    for key, bit in module.executable.tables.due_bits.items():
        if world[UNSETTLED] & bit:
            due |= find_due_bit(module, key)
    return due


def _emit_begin(module: KernelModule, w: FunctionWriter) -> None:
    module.emit_restart(w)
    w.set(module.left, RunLimits().work)
    w.set(module.due, _find_due(module, module.world))
    w.set(module.heap, module.heap_base)
    for variable in (
        module.reason, module.quiet, module.depth, module.unwinding, module.together, module.waiting, module.watch_count
    ):  # fmt: skip
        w.set(variable, 0)


def _write_play_loop(module: KernelModule, call_play: bytes) -> None:
    """Exported `plays(root, first, end)`: the plays of a seed by number."""
    function = module.writer.reserve_function(3, returns=False)
    w = FunctionWriter(3)
    root, first, end = map(w.parameter, range(3))
    with w.until(first.operate("ge_u", end)):
        w.set(module.play, first)
        w.set(module.root, lib.mix(module, root + (first + 1) * const(GOLDEN_GAMMA)))
        _emit_begin(module, w)
        w.emit(call_play)
        w.set(first, first + 1)
    module.write_pending()
    module.writer.bodies[function] = w.encode_body()
    module.writer.export_function("plays", function)


def _count_pages(module: KernelModule, sizes: Sequence[int], start_words: int) -> int:
    end = module.table_start + (len(module.table_words) + start_words) * WORD_BYTES + count_bytes(module, sizes)
    return -(-(end + HEAP_BYTES) // _PAGE_BYTES) + 1


def count_bytes(module: KernelModule, sizes: Sequence[int]) -> int:
    """Memory of the counts; of an enumeration with its tape, and for each denominator."""
    row = sum(sizes) * WORD_BYTES
    return exhaustive_chance.ROWS_OFFSET + exhaustive_chance.MAX_DENOMINATORS * row if module.is_exhaustive else row


class _LoadedKernel:
    """Compiled kernel."""

    def __init__(self, written: KernelSource) -> None:
        """Raises `ModuleNotFoundError` if the extra `batch` is not installed, `BatchUnsupportedError` for a wrong module."""
        wasmtime = import_module("wasmtime")
        self._source = written
        config = wasmtime.Config()
        config.parallel_compilation = False  # its threads do not live on in forked workers, which would wait for them
        self._store = wasmtime.Store(wasmtime.Engine(config))
        try:
            module = wasmtime.Module(self._store.engine, written.binary)
        except wasmtime.WasmtimeError as wrong:
            raise BatchUnsupportedError(f"{INVALID_MODULE}: {str(wrong).splitlines()[-1].strip()}") from None
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._trap, self._memory = wasmtime.Trap, self._exports["memory"]
        self._load_start()

    def _load_start(self) -> None:
        """Writes the start and its copy; its compound values follow the counts."""
        module, sizes = self._source.module, self._source.value_counts
        counts = module.table_start + len(module.table_words) * WORD_BYTES
        placed: list[int] = []
        base = counts + count_bytes(module, sizes)

        def place(words: Sequence[int]) -> int:
            placed.extend(words)
            return base + (len(placed) - len(words)) * WORD_BYTES

        words = encode_words(module.list_start_words(place))
        heap = base + len(placed) * WORD_BYTES
        missing = heap + HEAP_BYTES - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // _PAGE_BYTES))
        first = module.table_start - 2 * module.copy_distance
        self._memory.write(self._store, words + words, first)
        self._memory.write(self._store, encode_words(placed), base)
        for name, value in (("counts", counts), ("heap_base", heap), ("heap_end", heap + HEAP_BYTES)):
            self._exports[name].set_value(self._store, value)

    def _read_words(self, start: int, many: int) -> Sequence[int]:
        return array("q", self._memory.read(self._store, start, start + many * WORD_BYTES))

    def _read_global(self, name: str) -> int:
        return int(self._exports[name].value(self._store))


class SimulationKernel(_LoadedKernel):
    """Kernel that plays one start many times."""

    def play_range(self, seed: int, plays: range) -> tuple[tuple[dict[Any, int], ...], dict[int, str]]:
        """Counts by measure and value; and the plays given back, by number, with the reason."""
        root, first, back = hash_seed(seed), plays.start, {}
        root -= 2 * _SIGN_BIT if root >= _SIGN_BIT else 0
        while first < plays.stop:
            try:
                self._exports["plays"](self._store, root, first, plays.stop)
                break
            except self._trap:
                first = self._read_global("play")
                back[first] = self._source.reasons[self._read_global("reason")]
                first += 1
        return self._take_counts(), back

    def _take_counts(self) -> tuple[dict[Any, int], ...]:
        """Counts of each measure, which are reset."""
        written, start = self._source, self._read_global("counts")
        result = []
        for size, type_ in zip(written.value_counts, written.measure_types, strict=True):
            counts = self._read_words(start, size)
            self._memory.write(self._store, bytes(size * WORD_BYTES), start)
            start += size * WORD_BYTES
            shapes = written.module.shapes
            result.append({shapes.decode_index(item, type_): count for item, count in enumerate(counts) if count})
        return tuple(result)


class EnumerationKernel(_LoadedKernel):
    """Kernel that enumerates all paths from any start of one shape."""

    def set_start(self, start: PlayStart) -> None:
        """Raises `BatchUnsupportedError` for a start that cannot be held or is not settled."""
        module, world = self._source.module, make_world(start.executable, start.situation, start.limits)
        if world[UNSETTLED] != module.world[UNSETTLED]:
            raise BatchUnsupportedError("a start that is not settled")
        module.world, module.arguments = world, start.arguments
        self._load_start()

    def enumerate_paths(self, most: int) -> tuple[tuple[dict[Any, Fraction], ...], int] | None:
        """By measure the probability of each value, and the number of paths.

        None with more than `most` paths, or if any is given back.
        """
        written = self._source
        try:
            path_count = self._exports["ways"](self._store, most)
        except self._trap:
            return None
        if not path_count:
            return None
        start, row = self._read_global("counts"), sum(written.value_counts)
        ways = self._read_words(start + exhaustive_chance.TAPE_BYTES, self._read_global("denominators"))
        rows = self._read_words(start + exhaustive_chance.ROWS_OFFSET, len(ways) * row)
        every = lcm(*ways)
        shares = [sum([rows[at + row * number] * (every // of) for number, of in enumerate(ways)]) for at in range(row)]
        items, first = [], 0
        for size, type_ in zip(written.value_counts, written.measure_types, strict=True):
            decode = written.module.shapes.decode_index
            likely = enumerate(shares[first : first + size])
            items.append({decode(number, type_): Fraction(share, every) for number, share in likely if share})
            first += size
        return tuple(items), path_count
