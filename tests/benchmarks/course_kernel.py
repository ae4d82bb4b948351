"""The course of a melee as WebAssembly written by hand, on the dice of the streams, for comparison of speed."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from benchmarks.course import program
from rulewright.play.seeded_random import hash_seed, stream_offset
from rulewright.program import statements as st
from rulewright.program.walk import list_lines_of_class

LIMIT = 6**21
OVER = (1 << 64) // LIMIT * LIMIT
_TEXT = """(module
(memory (export "memory") 1)
(func $mixed (param $w i64) (result i64)
  (local.set $w (i64.mul (i64.xor (local.get $w) (i64.shr_u (local.get $w) (i64.const 30)))
    (i64.const 0xBF58476D1CE4E5B9)))
  (local.set $w (i64.mul (i64.xor (local.get $w) (i64.shr_u (local.get $w) (i64.const 27)))
    (i64.const 0x94D049BB133111EB)))
  (i64.xor (local.get $w) (i64.shr_u (local.get $w) (i64.const 31))))
(func $hits (param $state i64) (param $dice i32) (param $least i64) (result i32)
  (local $w i64) (local $at i64) (local $rest i64) (local $hits i32)
  (local.set $w (call $mixed (local.get $state)))
  (block $done (loop $again
    (br_if $done (i64.lt_u (local.get $w) (i64.const {over})))
    (local.set $w (call $mixed (i64.xor (local.get $state) (call $mixed (local.get $at)))))
    (local.set $at (i64.add (local.get $at) (i64.const 1)))
    (br $again)))
  (local.set $w (i64.rem_u (local.get $w) (i64.const {limit})))
  (block $thrown (loop $die
    (br_if $thrown (i32.eqz (local.get $dice)))
    (local.set $rest (i64.div_u (local.get $w) (i64.const 6)))
    (local.set $hits (i32.add (local.get $hits) (i64.ge_u
      (i64.sub (local.get $w) (i64.mul (local.get $rest) (i64.const 6))) (local.get $least))))
    (local.set $w (local.get $rest))
    (local.set $dice (i32.sub (local.get $dice) (i32.const 1)))
    (br $die)))
  (local.get $hits))
(func (export "plays") (param $seed i64) (param $at i64) (param $end i64)
  (local $root i64) (local $own i32) (local $theirs i32) (local $dealt i32) (local $taken i32) (local $ahead i32)
  (block $done (loop $next
    (br_if $done (i64.ge_u (local.get $at) (local.get $end)))
    (local.set $at (i64.add (local.get $at) (i64.const 1)))
    (local.set $root (call $mixed (i64.add (local.get $seed)
      (i64.mul (local.get $at) (i64.const 0x9E3779B97F4A7C15)))))
    (local.set $own (i32.const 4)) (local.set $ahead (i32.const 0))
    (local.set $theirs (i32.sub (i32.const 6)
      (call $hits (i64.add (local.get $root) (i64.const {impact})) (i32.const 1) (i64.const 4))))
    (local.set $dealt (call $hits (i64.add (local.get $root) (i64.const {blows})) (i32.const 6) (i64.const 3)))
    (local.set $taken (call $hits (i64.add (local.get $root) (i64.const {answers})) (i32.const 4) (i64.const 3)))
    (local.set $theirs (i32.sub (local.get $theirs) (local.get $dealt)))
    (local.set $own (i32.sub (local.get $own) (local.get $taken)))
    (if (i32.ge_s (local.get $dealt) (i32.const 3)) (then
      (local.set $own (i32.sub (local.get $own) (i32.const 1)))
      (local.set $taken (i32.add (local.get $taken) (i32.const 1)))))
    (if (i32.or (i32.gt_s (local.get $own) (i32.const 0)) (i32.gt_s (local.get $theirs) (i32.const 0))) (then
      (local.set $ahead (select (i32.const 1) (i32.const 2) (i32.or (i32.le_s (local.get $theirs) (i32.const 0))
        (i32.and (i32.gt_s (local.get $own) (i32.const 0)) (i32.gt_s (local.get $dealt) (local.get $taken))))))))
    (local.set $ahead (i32.shl (local.get $ahead) (i32.const 3)))
    (i64.store (local.get $ahead) (i64.add (i64.load (local.get $ahead)) (i64.const 1)))
    (br $next)))))
"""


class CourseKernel:
    """Who is ahead at the end, from the start of `odds/course.yaml`."""

    def __init__(self) -> None:
        wasmtime = import_module("wasmtime")
        places = {
            each.variable.name: stream_offset(each.address, "6/0") for each in list_lines_of_class(program(), st.Roll)
        }
        text = _TEXT.format(over=OVER, limit=LIMIT, **places)
        self._store = wasmtime.Store(wasmtime.Engine())
        module = wasmtime.Module(self._store.engine, bytes(wasmtime.wat2wasm(text)))
        exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._plays, self._memory = exports["plays"], exports["memory"]

    def played(self, seed: int, plays: int) -> Mapping[int, int]:
        """How often each came."""
        self._memory.write(self._store, bytes(24), 0)
        root = hash_seed(seed)
        self._plays(self._store, root - (1 << 64) if root >> 63 else root, 0, plays)
        words = self._memory.read(self._store, 0, 24)
        return {at: int.from_bytes(words[8 * at : 8 * at + 8], "little") for at in range(3)}
