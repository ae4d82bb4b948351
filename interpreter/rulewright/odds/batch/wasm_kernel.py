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
from rulewright.odds.batch import exhaustive_chance, statement_code
from rulewright.odds.batch.chance_and_choice_code import MAX_DICE_IN_MEMORY
from rulewright.odds.batch.collection_code import emit_slot_value
from rulewright.odds.batch.event_code import request_settling
from rulewright.odds.batch.expression_code import emit_condition, emit_expression
from rulewright.odds.batch.integer_encoding import MAX_NARROW_MEMBERS, BatchUnsupportedError, IntegerEncoding
from rulewright.odds.batch.wasm_builder import (
    WORD_BYTES,
    CodeEmitters,
    FunctionBody,
    WasmModule,
    emit_constant,
    emit_local,
)
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.play.seeded_random import hash_seed
from rulewright.play.session import PlayStart
from rulewright.program.types import GRID_STEPS, Type
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.snapshot import make_world
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import BOARD, UNSETTLED

_MAX_MEASURE_VALUES = 1 << 12
"""Number of values of a measure that are counted."""
_HEADER_WORDS = 3
"""Words at address 0: number of the play, and reason for which it was given back."""


@dataclass(frozen=True, slots=True)
class KernelSource:
    """Text of a kernel and the layout of its memory."""

    text: str
    module: WasmModule
    table_words: tuple[int, ...]  # constants after the state and the copy of its start
    count_offsets: tuple[int, ...]  # address of the counts of each measure
    value_counts: tuple[int, ...]  # number of counts of each measure
    reasons: tuple[str, ...]  # to give plays back, by number
    measure_types: tuple[Type, ...]
    denominators_offset: int  # address of the denominators of path weights; 0 in a simulation


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
        (play.counted_events, "visits of steps are counted"),
        (play.conditions, "only some plays are asked of"),
        (start.limits != RunLimits(), "limits are given"),
    ):
        if is_unsupported:
            raise BatchUnsupportedError(message)
    executable, program = start.executable, start.executable.program
    world = make_world(executable, start.situation, start.limits)
    shapes = IntegerEncoding(
        program,
        {kind: len(start.situation.base.things.get(kind, ())) for kind in program.kinds},
        _cells_around_board(world[BOARD], program.boards),
    )
    writers = CodeEmitters(emit_expression, emit_condition, statement_code.emit_lines)
    module = WasmModule(executable, shapes, world, start.arguments, answers.policy, writers, every)
    module.place_words("head", lambda: [0] * _HEADER_WORDS)
    body = FunctionBody(module, start.procedure.name)
    given = [_emit_role(module, number, parameter.type) for number, parameter in enumerate(start.procedure.parameters)]
    once = all(rule.plain is not None for rule in executable.tables.rules)
    if world[UNSETTLED] and once:
        module.settling_function = request_settling(module)
    elif world[UNSETTLED]:
        body.add_line(f"(call {request_settling(module)})")
    result = body.new_temporary(statement_code.emit_procedure_call(module, start.procedure, given))
    items = []
    for number, names in enumerate(play.argument_lists):
        measure = program.measures[play.measure_names[number]]
        for variable, name in zip(measure.parameters, names or (), strict=True):
            if name.role_number is not None:
                code = _emit_role(module, name.role_number, variable.type)
            else:
                code = (
                    emit_local(result)
                    if name.known_value is None
                    else emit_constant(shapes.encode_value(name.known_value, variable.type))
                )
            body.assign_variable(variable, code)
        items.append(
            body.new_temporary(
                _emit_measure_index(module, emit_slot_value(body, measure.value, measure.type), measure.type)
            )
        )
        body.emit_guard(
            f"(i64.lt_u {emit_local(items[-1])} {emit_constant(_count_measure_values(shapes, measure.type))})",
            "a measure with very many values",
        )
    types = tuple(asked_measure.type for asked_measure in play.measures)
    module.functions["play"] = ""
    module.write_pending_functions()
    return _assemble_kernel(module, body, items, types)


def _emit_role(module: WasmModule, number: int, type_: Type) -> str:
    """Argument of the procedure: a constant in a simulation; in memory where other starts may be loaded."""
    if not module.is_exhaustive:
        return emit_constant(module.encoding.encode_value(module.arguments[number], type_))
    at = module.place_words(("given", number), lambda: [module.encoding.encode_value(module.arguments[number], type_)])
    return f"(i64.load (i32.const {at}))"


def _cells_around_board(board: Any, boards: Any) -> tuple[Cell, ...]:
    """Cells of the board in order, with adjacent ones if the set stays as narrow as without them."""
    cells = set(board)
    if len(boards) == 1:
        (one,) = boards.values()
        steps = GRID_STEPS.get(one.space, ())
        wider = cells | {(q + across, r + down) for (q, r), (across, down) in product(cells, steps)}
        cells = wider if len(wider) <= MAX_NARROW_MEMBERS or len(cells) > MAX_NARROW_MEMBERS else cells
    return tuple(sorted(cells))


def _count_measure_values(shapes: IntegerEncoding, type_: Type) -> int:
    try:
        return min(_MAX_MEASURE_VALUES, shapes.count_values(type_))
    except BatchUnsupportedError:
        return _MAX_MEASURE_VALUES


def _emit_measure_index(module: WasmModule, code: str, type_: Type) -> str:
    """Index of a value among the counts of a measure; None is index 0."""
    if module.encoding.is_reference(type_):
        raise BatchUnsupportedError(f"a measure of the type {type_}")
    lowest = emit_constant(module.encoding.lowest_value(getattr(type_, "inner", type_)))
    if hasattr(type_, "inner"):
        return f"(call {module.request_library_function('optional')} {code} {lowest})"
    return f"(i64.sub {code} {lowest})"


def _assemble_kernel(
    module: WasmModule, body: FunctionBody, result_locals: Sequence[str], types: tuple[Type, ...]
) -> KernelSource:
    """Lays out memory as state, copy of the start, tables, tape, counts, dice, and renders the module."""
    words = module.word_count
    tables, at = [], 2 * words * WORD_BYTES
    data: list[int] = []
    for values in module.tables.values():
        tables.append(at)
        data += values
        at += len(values) * WORD_BYTES
    sizes = tuple(_count_measure_values(module.encoding, type_) for type_ in types)
    counts, tape, wholes = [], at, 0
    if module.is_exhaustive:
        wholes = tape + 2 * exhaustive_chance.MAX_CHOICES_PER_PATH * WORD_BYTES
        at = wholes + exhaustive_chance.MAX_DENOMINATORS * WORD_BYTES
    for size in sizes:
        counts.append(at)
        at += size * WORD_BYTES
    row = at - counts[0]
    if module.is_exhaustive:
        at += (exhaustive_chance.MAX_DENOMINATORS - 1) * row
        body.add_line("(call $counted)")
    dice, room = at, at + MAX_DICE_IN_MEMORY * WORD_BYTES
    for name, start in zip(result_locals, counts, strict=True):
        place = f"(i32.add (i32.const {start}) (i32.shl (i32.wrap_i64 {emit_local(name)}) (i32.const 3)))"
        more = emit_constant(1)
        if module.is_exhaustive:
            place, more = f"(i32.add (global.get $row) {place})", "(global.get $weight)"
        body.add_line(f"(i64.store {place} (i64.add (i64.load {place}) {more}))")
    locals_text = " ".join(f"(local {local_name} i64)" for local_name in body.local_names)
    globals_ = "\n".join(
        [
            *(f"(global $table{number} i32 (i32.const {start}))" for number, start in enumerate(tables)),
            *(f"(global {name} (mut i32) (i32.const 0))" for name in module.counters.values()),
        ]
    )
    begin = _BEGIN_TEMPLATE.format(
        unheard=" ".join(f"(global.set {counter} (i32.const 0))" for counter in module.counters.values()),
        copied=module.emit_start_copy(),
        dice=dice,
    )
    if module.is_exhaustive:
        long = module.number_reason("very many ways")
        chance, main = (
            exhaustive_chance.render_choice_functions(wholes, counts[0], row, long),
            exhaustive_chance.render_path_loop(tape, begin),
        )
    else:
        chance, main = _RANDOM_FUNCTIONS, _PLAY_LOOP_TEMPLATE.format(begin=begin)
    if module.settling_function:
        main += _SETTLE_TEMPLATE.format(
            begin=begin,
            settling=module.settling_function,
            back=module.emit_start_copy(back=True),
            work=RunLimits().work,
            unsettled=module.world[UNSETTLED],
        )
    text = _MODULE_TEMPLATE.format(
        chance=chance,
        main=main,
        work=RunLimits().work,
        unsettled=module.world[UNSETTLED],
        pages=-(-(room + WORD_BYTES) // (1 << 16)),
        globals=globals_,
        room=room,
        functions="\n".join(function for function in module.functions.values() if function),
        own=locals_text,
        play="\n".join(body.lines),
    )
    return KernelSource(text, module, tuple(data), tuple(counts), sizes, tuple(module.reasons), types, wholes)


_MODULE_TEMPLATE = """(module
(memory (export "memory") {pages})
(global $root (mut i64) (i64.const 0))
(global $work (mut i64) (i64.const {work}))
(global $left (mut i64) (i64.const 0))
(global $awake (mut i64) (i64.const {unsettled}))
(global $unsettled (mut i64) (i64.const 0))
(global $quiet (mut i32) (i32.const 0))
(global $depth (mut i32) (i32.const 0))
(global $dice (mut i32) (i32.const 0))
(global $room i32 (i32.const {room}))
{globals}
(func $away (param $why i32)
  (i64.store (i32.const 8) (i64.extend_i32_u (local.get $why))) (unreachable))
{chance}
{functions}
(func $play {own}
{play})
{main})
"""
_BEGIN_TEMPLATE = """{copied}
      (global.set $left (global.get $work))
      (global.set $unsettled (global.get $awake))
      (global.set $quiet (i32.const 0))
      (global.set $depth (i32.const 0))
      (global.set $dice (i32.const {dice}))
      {unheard}"""
_SETTLE_TEMPLATE = """
(func (export "settle")
  (global.set $work (i64.const {work}))
  (global.set $awake (i64.const {unsettled}))
  {begin}
  (call {settling})
  {back}
  (global.set $work (global.get $left))
  (global.set $awake (i64.const 0)))
"""
_RANDOM_FUNCTIONS = """
(func $mixed (param $word i64) (result i64)
  (local.set $word (i64.mul (i64.xor (local.get $word) (i64.shr_u (local.get $word) (i64.const 30)))
    (i64.const 0xBF58476D1CE4E5B9)))
  (local.set $word (i64.mul (i64.xor (local.get $word) (i64.shr_u (local.get $word) (i64.const 27)))
    (i64.const 0x94D049BB133111EB)))
  (i64.xor (local.get $word) (i64.shr_u (local.get $word) (i64.const 31))))
(func $drawn (param $place i64) (param $occasion i64) (param $limit i64) (result i64)
  (i64.rem_u (call $word (local.get $place) (local.get $occasion) (i64.sub (i64.const 0)
    (i64.rem_u (i64.sub (i64.const 0) (local.get $limit)) (local.get $limit)))) (local.get $limit)))
(func $word (param $place i64) (param $occasion i64) (param $over i64) (result i64)
  (local $state i64) (local $word i64) (local $at i64)
  (local.set $state (i64.add (i64.add (global.get $root) (local.get $place))
    (i64.mul (local.get $occasion) (i64.const 0x9E3779B97F4A7C15))))
  (local.set $word (call $mixed (local.get $state)))
  (block $done
    (br_if $done (i64.eqz (local.get $over)))
    (br_if $done (i64.lt_u (local.get $word) (local.get $over)))
    (loop $again
      (local.set $word (call $mixed (i64.xor (local.get $state) (call $mixed (local.get $at)))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $again (i64.ge_u (local.get $word) (local.get $over)))))
  (local.get $word))
"""
_PLAY_LOOP_TEMPLATE = """
(func (export "plays") (param $root i64) (param $first i64) (param $end i64)
  (block $done
    (loop $again
      (br_if $done (i64.ge_u (local.get $first) (local.get $end)))
      (i64.store (i32.const 0) (local.get $first))
      (global.set $root (call $mixed (i64.add (local.get $root)
        (i64.mul (i64.add (local.get $first) (i64.const 1)) (i64.const 0x9E3779B97F4A7C15)))))
      {begin}
      (call $play)
      (local.set $first (i64.add (local.get $first) (i64.const 1)))
      (br $again))))
"""


_SIGN_BIT = 1 << 63


class _LoadedKernel:
    """Compiled kernel."""

    def __init__(self, written: KernelSource) -> None:
        """Raises `ModuleNotFoundError` if the extra `batch` is not installed."""
        wasmtime = import_module("wasmtime")
        self._source = written
        config = wasmtime.Config()
        config.parallel_compilation = False  # its threads do not live on in forked workers, which would wait for them
        self._store = wasmtime.Store(wasmtime.Engine(config))
        module = wasmtime.Module(self._store.engine, bytes(wasmtime.wat2wasm(written.text)))
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._trap, self._memory = wasmtime.Trap, self._exports["memory"]
        self._write_words(2 * written.module.word_count * WORD_BYTES, written.table_words)
        self._load_start()

    def _load_start(self) -> None:
        """Writes the start and its copy, and settles it.

        Raises:
            BatchUnsupportedError: it cannot settle here.
        """
        module = self._source.module
        words = [word for values in module.initial_words for word in values()]
        self._write_words(0, (*words, *words))
        if module.settling_function:
            try:
                self._exports["settle"](self._store)
            except self._trap:
                raise BatchUnsupportedError(self._source.reasons[self._read_words(0, 2)[1]]) from None

    def _write_words(self, start: int, words: Sequence[int]) -> None:
        signed = [word - 2 * _SIGN_BIT if word >= _SIGN_BIT else word for word in words]
        self._memory.write(self._store, array("q", signed).tobytes(), start)

    def _read_words(self, start: int, many: int) -> Sequence[int]:
        return array("q", self._memory.read(self._store, start, start + many * WORD_BYTES))


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
                first, why = self._read_words(0, 2)
                back[first] = self._source.reasons[why]
                first += 1
        return tuple(self._take_counts(number) for number in range(len(self._source.measure_types))), back

    def _take_counts(self, number: int) -> dict[Any, int]:
        """Counts of a measure, which are reset."""
        written, start = self._source, self._source.count_offsets[number]
        counts = self._read_words(start, written.value_counts[number])
        self._memory.write(self._store, bytes(len(counts) * WORD_BYTES), start)
        shapes, type_ = written.module.encoding, written.measure_types[number]
        return {shapes.decode_value(item, type_): count for item, count in enumerate(counts) if count}


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
        written, (wholes_of, ways_of) = self._source, (self._exports["wholes"], self._exports["ways"])
        try:
            path_count = ways_of(self._store, most)
        except self._trap:
            return None
        if not path_count:
            return None
        wholes = self._read_words(written.denominators_offset, wholes_of(self._store))
        every, row = lcm(*wholes), sum(written.value_counts)
        rows = self._read_words(written.count_offsets[0], len(wholes) * row)
        shares = [sum([rows[at + row * whole] * (every // of) for whole, of in enumerate(wholes)]) for at in range(row)]
        items, first = [], 0
        for size, type_ in zip(written.value_counts, written.measure_types, strict=True):
            value = written.module.encoding.decode_value
            likely = enumerate(shares[first : first + size])
            items.append({value(number, type_): Fraction(share, every) for number, share in likely if share})
            first += size
        return tuple(items), path_count
