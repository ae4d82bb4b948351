"""WebAssembly text builder: module with memory layout and function library, and function bodies under construction."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError, IntegerEncoding
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.statements import Block
from rulewright.runtime.executable import Executable
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import WorkingMemory

OUT_OF_MEMORY_REASON = "very many values in memory"
"""Reason to give back a play."""


def _render_set_function(name: str, parameters: str, inside: str) -> str:
    return f"""
(func ${name} {parameters} (param $words i64) (result i64)
  (local $new i64) (local $at i64)
  (local.set $new (call $wide (local.get $words)))
  (block $done
    (loop $again
      (br_if $done (i64.ge_u (local.get $at) (i64.shl (local.get $words) (i64.const 3))))
      (i64.store (i32.wrap_i64 (i64.add (local.get $new) (local.get $at))) {inside})
      (local.set $at (i64.add (local.get $at) (i64.const 8)))
      (br $again)))
  (local.get $new))
"""


_FIRST_SET_WORD = "(i64.load (i32.wrap_i64 (i64.add (local.get $one) (local.get $at))))"
_SECOND_SET_WORD = "(i64.load (i32.wrap_i64 (i64.add (local.get $other) (local.get $at))))"
_TWO_SETS = "(param $one i64) (param $other i64)"
_MEMBER_ADDRESS = (
    "(i32.wrap_i64 (i64.add (local.get $set) (i64.shl (i64.shr_u (local.get $member) (i64.const 6)) (i64.const 3))))"
)

LIBRARY_DEPENDENCIES = {
    "joined": ("wide",),
    "less": ("wide",),
    "sorted": ("space",),
    "wide": ("space",),
    "wide_nth": ("nth",),
}
"""Calls of each library function."""

LIBRARY_FUNCTIONS = {
    "optional": """
(func $optional (param $value i64) (param $lowest i64) (result i64)
  (if (result i64) (i64.eq (local.get $value) (i64.const {none})) (then (i64.const 0))
    (else (i64.add (i64.sub (local.get $value) (local.get $lowest)) (i64.const 1)))))
""",
    "space": """
(func $space (param $words i64) (result i64)
  (local $new i32)
  (local.set $new (global.get $dice))
  (global.set $dice (i32.add (local.get $new) (i32.wrap_i64 (i64.shl (local.get $words) (i64.const 3)))))
  (if (i32.ge_u (global.get $dice) (global.get $room)) (then (call $away (i32.const {long}))))
  (i64.extend_i32_u (local.get $new)))
""",
    "wide": """
(func $wide (param $words i64) (result i64)
  (local $new i64)
  (local.set $new (call $space (local.get $words)))
  (memory.fill (i32.wrap_i64 (local.get $new)) (i32.const 0)
    (i32.wrap_i64 (i64.shl (local.get $words) (i64.const 3))))
  (local.get $new))
""",
    "put": f"""
(func $put (param $set i64) (param $member i64)
  (i64.store {_MEMBER_ADDRESS} (i64.or (i64.load {_MEMBER_ADDRESS}) (i64.shl (i64.const 1) (local.get $member)))))
""",
    "has": f"""
(func $has (param $set i64) (param $member i64) (result i32)
  (i32.wrap_i64 (i64.and (i64.shr_u (i64.load {_MEMBER_ADDRESS}) (local.get $member)) (i64.const 1))))
""",
    "many": """
(func $many (param $set i64) (param $words i64) (result i64)
  (local $found i64)
  (block $done
    (loop $again
      (br_if $done (i64.eqz (local.get $words)))
      (local.set $words (i64.sub (local.get $words) (i64.const 1)))
      (local.set $found (i64.add (local.get $found) (i64.popcnt
        (i64.load (i32.wrap_i64 (i64.add (local.get $set) (i64.shl (local.get $words) (i64.const 3))))))))
      (br $again)))
  (local.get $found))
""",
    "nth": """
(func $nth (param $set i64) (param $number i64) (result i64)
  (block $done
    (loop $again
      (br_if $done (i64.eqz (local.get $number)))
      (local.set $set (i64.and (local.get $set) (i64.sub (local.get $set) (i64.const 1))))
      (local.set $number (i64.sub (local.get $number) (i64.const 1)))
      (br $again)))
  (i64.ctz (local.get $set)))
""",
    "wide_nth": """
(func $wide_nth (param $set i64) (param $words i64) (param $number i64) (result i64)
  (local $at i64) (local $here i64)
  (block $done
    (loop $again
      (local.set $here
        (i64.load (i32.wrap_i64 (i64.add (local.get $set) (i64.shl (local.get $at) (i64.const 3))))))
      (br_if $done (i64.lt_u (local.get $number) (i64.popcnt (local.get $here))))
      (local.set $number (i64.sub (local.get $number) (i64.popcnt (local.get $here))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $again (i64.lt_u (local.get $at) (local.get $words)))))
  (i64.add (i64.shl (local.get $at) (i64.const 6)) (call $nth (local.get $here) (local.get $number))))
""",
    "same": f"""
(func $same {_TWO_SETS} (param $words i64) (result i32)
  (local $at i64)
  (loop $again
    (if (i64.ne {_FIRST_SET_WORD} {_SECOND_SET_WORD}) (then (return (i32.const 0))))
    (local.set $at (i64.add (local.get $at) (i64.const 8)))
    (br_if $again (i64.lt_u (local.get $at) (i64.shl (local.get $words) (i64.const 3)))))
  (i32.const 1))
""",
    "joined": _render_set_function("joined", _TWO_SETS, f"(i64.or {_FIRST_SET_WORD} {_SECOND_SET_WORD})"),
    "less": _render_set_function(
        "less", _TWO_SETS, f"(i64.and {_FIRST_SET_WORD} (i64.xor {_SECOND_SET_WORD} (i64.const -1)))"
    ),
    "sorted": """
(func $sorted (param $from i64) (result i64)
  (local $count i64) (local $start i64) (local $at i64) (local $to i64) (local $item i64)
  (local.set $count (i64.load (i32.wrap_i64 (local.get $from))))
  (local.set $start (call $space (i64.add (local.get $count) (i64.const 1))))
  (i64.store (i32.wrap_i64 (local.get $start)) (local.get $count))
  (block $done
    (loop $again
      (br_if $done (i64.ge_u (local.get $at) (local.get $count)))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (local.set $item (i64.load (i32.wrap_i64 (i64.add (local.get $from) (i64.shl (local.get $at) (i64.const 3))))))
      (local.set $to (i64.add (local.get $start) (i64.shl (local.get $at) (i64.const 3))))
      (block $placed
        (loop $down
          (br_if $placed (i64.le_u (local.get $to) (i64.add (local.get $start) (i64.const 8))))
          (br_if $placed (i64.ge_s (i64.load (i32.wrap_i64 (i64.sub (local.get $to) (i64.const 8)))) (local.get $item)))
          (i64.store (i32.wrap_i64 (local.get $to))
            (i64.load (i32.wrap_i64 (i64.sub (local.get $to) (i64.const 8)))))
          (local.set $to (i64.sub (local.get $to) (i64.const 8)))
          (br $down)))
      (i64.store (i32.wrap_i64 (local.get $to)) (local.get $item))
      (br $again)))
  (local.get $start))
""",
}


WORD_BYTES = 8
"""Bytes of a word of memory."""
_MAX_UNROLLED_WORDS = 8
"""Words that are copied without a loop."""


@dataclass(frozen=True)
class CodeEmitters:
    """Emitters for nested parts, handed down because a part may hold any other."""

    value: Callable[["FunctionBody", Expression], str]
    test: Callable[["FunctionBody", Expression], str]
    block: Callable[["FunctionBody", Block | None], None]


@dataclass
class WasmModule:
    """Module of a play: functions by name, memory layout, lookup tables, reasons to give plays back."""

    executable: Executable
    encoding: IntegerEncoding
    world: WorkingMemory  # at the start
    arguments: tuple[Value, ...]  # roles and other arguments of the procedure
    policy: str  # `first`, `random`, or empty
    emitters: CodeEmitters
    is_exhaustive: bool = False  # whether all outcomes of chance are enumerated
    functions: dict[str, str] = field(default_factory=dict)
    pending_functions: list[Callable[[], None]] = field(default_factory=list)
    word_count: int = 0  # words of memory at the start of a play
    initial_words: list[Callable[[], list[int]]] = field(default_factory=list)  # their values, in order
    # address and number of words by what lies there
    memory_places: dict[object, tuple[int, int]] = field(default_factory=dict)
    written_places: set[object] = field(default_factory=set)  # what a play may write
    tables: dict[object, tuple[int, ...]] = field(default_factory=dict)  # lookup tables by content
    reasons: dict[str, int] = field(default_factory=dict)  # to give plays back, by number
    settling_function: str = ""  # that settles a start once for all plays, if there is one
    # globals that are 0 at the start of each play, by what they count
    counters: dict[str, str] = field(default_factory=dict)
    # (routine, index) of variables with values that cannot be held
    unsupported_variables: set[tuple[str, int]] = field(default_factory=set)

    @property
    def program(self) -> Program:
        return self.executable.program

    def place_words(self, what: object, values: Callable[[], list[int]], *, written: bool = False) -> int:
        """Address of words in memory, allocated at the first call; `values` computes them for any start."""
        if what not in self.memory_places:
            many = len(values())
            self.memory_places[what] = self.word_count * WORD_BYTES, many
            self.word_count += many
            self.initial_words.append(values)
            if written:
                self.written_places.add(what)
        return self.memory_places[what][0]

    def emit_start_copy(self, *, back: bool = False) -> str:
        """Code that restores all that a play may write from the copy of its start, or with `back` saves it."""
        items, behind = [], self.word_count * WORD_BYTES
        for what, (start, many) in self.memory_places.items():
            if what not in self.written_places:
                continue
            to, from_ = (start + behind, start) if back else (start, start + behind)
            if many > _MAX_UNROLLED_WORDS:
                places = f"(i32.const {to}) (i32.const {from_}) (i32.const {many * WORD_BYTES})"
                items.append(f"(memory.copy {places})")
            else:
                items += [
                    f"(i64.store (i32.const {to + item}) (i64.load (i32.const {from_ + item})))"
                    for item in range(0, many * WORD_BYTES, WORD_BYTES)
                ]
        return "\n".join(items)

    def emit_table_address(self, what: object, values: Callable[[], list[int]]) -> str:
        """Address of a constant table."""
        if what not in self.tables:
            self.tables[what] = tuple(values())
        number = list(self.tables).index(what)
        return f"(global.get $table{number})"

    def number_reason(self, text: str) -> int:
        """Number of a reason to give a play back."""
        return self.reasons.setdefault(text, len(self.reasons))

    def name_counter(self, what: str) -> str:
        """Global that counts something from 0 in each play."""
        return self.counters.setdefault(what, f"$g{len(self.counters)}")

    def request_function(self, name: str, write: Callable[[str], None]) -> str:
        """Name of a function, which is written later if this is its first call."""
        if name not in self.functions:
            self.functions[name] = ""
            self.pending_functions.append(lambda: write(name))
        return f"$f{list(self.functions).index(name)}"

    def request_library_function(self, name: str) -> str:
        key = f"library {name}"
        if key not in self.functions:
            self.functions[key] = LIBRARY_FUNCTIONS[name].format(
                none=NONE_CODE, long=self.number_reason(OUT_OF_MEMORY_REASON)
            )
            for item in LIBRARY_DEPENDENCIES.get(name, ()):
                self.request_library_function(item)
        return f"${name}"

    def write_pending_functions(self) -> None:
        """Writes the requested functions, and those they request."""
        while self.pending_functions:
            self.pending_functions.pop()()


@dataclass
class FunctionBody:
    """Function under construction."""

    module: WasmModule
    address: str  # of the routine
    lines: list[str] = field(default_factory=list)
    local_names: dict[str, None] = field(default_factory=dict)
    memory_variables: dict[int, int] = field(default_factory=dict)  # indices of variables in memory
    known_variables: dict[int, str] = field(default_factory=dict)  # constants by index
    # pools that are read once, by index: locals with the number of dice and with the number whose digits are faces, and
    # the faces
    digit_pools: dict[int, tuple[str, str, list[int]]] = field(default_factory=dict)
    # indices of variables that hold the face of a die, not its address
    face_variables: set[int] = field(default_factory=set)
    label_count: int = 0
    loop_exits: list[str] = field(default_factory=list)  # labels after the open loops
    end_label: str = "$end"  # after the routine
    step_labels: dict[str, tuple[str, int]] = field(default_factory=dict)  # after which each step begins
    jump_counters: dict[str, str] = field(default_factory=dict)  # locals by address of the line that jumps
    current_step: int = 0  # number

    def add_line(self, code: str) -> None:
        """Adds code that leaves nothing on the stack."""
        self.lines.append(code)

    @contextmanager
    def open_block(self, head: str) -> Iterator[None]:
        """Context for lines inside a block, a loop or a branch."""
        self.lines.append(f"({head}")
        yield
        self.lines.append(")")

    @contextmanager
    def open_loop_until(self, test: str) -> Iterator[None]:
        """Context for lines that repeat until a test, made before them, holds."""
        over, around = self.new_label(), self.new_label()
        with self.open_block(f"block {over}"), self.open_block(f"loop {around}"):
            self.add_line(f"(br_if {over} {test})")
            yield
            self.add_line(f"(br {around})")

    @contextmanager
    def capture_lines(self) -> Iterator[list[str]]:
        """Context whose lines go to the list that it yields."""
        before, self.lines = self.lines, []
        items = self.lines
        try:
            yield items
        finally:
            self.lines = before

    def emit_value(self, node: Expression) -> str:
        return self.module.emitters.value(self, node)

    def emit_test(self, node: Expression) -> str:
        return self.module.emitters.test(self, node)

    def emit_value_aside(self, node: Expression) -> str:
        """Value of an expression that may not be evaluated, with the lines that it needs."""
        with self.capture_lines() as lines:
            code = self.emit_value(node)
        return "\n".join((*lines, code))

    def emit_test_aside(self, node: Expression) -> str:
        """Test of a condition that may not be evaluated, with the lines that it needs."""
        with self.capture_lines() as lines:
            code = self.emit_test(node)
        return "\n".join((*lines, code))

    def emit_block(self, block: Block | None) -> None:
        self.module.emitters.block(self, block)

    def new_label(self) -> str:
        self.label_count += 1
        return f"$l{self.label_count}"

    def new_temporary(self, code: str | None = None) -> str:
        """New local, set to `code`."""
        name = f"$t{len(self.local_names)}"
        self.local_names[name] = None
        if code is not None:
            self.add_line(f"(local.set {name} {code})")
        return name

    def emit_variable(self, variable: Variable) -> str:
        if (self.address, variable.index) in self.module.unsupported_variables:
            raise BatchUnsupportedError(f"`{variable.name}` holds what the batch path cannot")
        if variable.index in self.known_variables:
            return self.known_variables[variable.index]
        if variable.index in self.memory_variables:
            return f"(i64.load (i32.const {self.memory_variables[variable.index]}))"
        self.local_names.setdefault(f"$v{variable.index}")
        return f"(local.get $v{variable.index})"

    def assign_variable(self, variable: Variable, code: str) -> None:
        """Raises `BatchUnsupportedError` where a watch may read the variable, and it would outlive its value."""
        if variable.index in self.memory_variables:
            if self.module.encoding.is_reference(variable.type):
                raise BatchUnsupportedError(f"`{variable.name}`, which a watch reads")
            self.add_line(f"(i64.store (i32.const {self.memory_variables[variable.index]}) {code})")
            return
        self.local_names.setdefault(f"$v{variable.index}")
        self.add_line(f"(local.set $v{variable.index} {code})")

    def emit_give_back(self, why: str) -> str:
        """Gives the play back; no code may follow."""
        return f"(call $away (i32.const {self.module.number_reason(why)})) (unreachable)"

    def emit_guard(self, test: str, why: str) -> None:
        """Gives the play back where a test fails."""
        self.add_line(f"(if (i32.eqz {test}) (then {self.emit_give_back(why)}))")

    @contextmanager
    def give_back_if_unsupported(self, why: str) -> Iterator[None]:
        """Context whose lines are replaced by giving the play back if they raise `BatchUnsupportedError`."""
        before, loops, ends = len(self.lines), list(self.loop_exits), self.end_label
        outer = self.lines
        try:
            yield
        except BatchUnsupportedError as unfit:
            self.lines, self.loop_exits, self.end_label = outer, loops, ends
            del self.lines[before:]
            self.add_line(self.emit_give_back(f"{why}: {unfit}"))

    def finish_function(self, name: str, parameters: tuple[str, ...], result: str = "(result i64)") -> None:
        """Ends the function and adds its text to the module."""
        number = list(self.module.functions).index(name)
        given = " ".join(f"(param {parameter} i64)" for parameter in parameters)
        locals_text = " ".join(
            f"(local {local_name} i64)" for local_name in self.local_names if local_name not in parameters
        )
        inside = "\n".join(self.lines)
        self.module.functions[name] = f"(func $f{number} {given} {result} {locals_text}\n{inside})"


def emit_constant(number: int) -> str:
    """Code of an i64 constant."""
    return f"(i64.const {number})"


def is_constant(code: str) -> bool:
    """Whether code is an i64 constant."""
    return code.startswith("(i64.const ")


def emit_local(name: str) -> str:
    """Code that reads a local."""
    return f"(local.get {name})"


def emit_flag(test: str) -> str:
    """i64 value of an i32 test."""
    return f"(i64.extend_i32_u {test})"


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
