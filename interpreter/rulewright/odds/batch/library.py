"""Functions of WebAssembly that a program takes as it needs them: each by its name, a text of its own.

What is made anew lies behind all that was made before it, from `$dice` on. A wide set is given by where it lies and how
many words it has.
"""

LONG = "very many values in memory"
"""Why a play is given back that has no room left."""


def _made(name: str, parameters: str, inside: str) -> str:
    """A function that makes a set word by word: `$here` is the word of the first set, `$there` that of the second."""
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


_HERE = "(i64.load (i32.wrap_i64 (i64.add (local.get $one) (local.get $at))))"
_THERE = "(i64.load (i32.wrap_i64 (i64.add (local.get $other) (local.get $at))))"
_TWO = "(param $one i64) (param $other i64)"
_WORD = (
    "(i32.wrap_i64 (i64.add (local.get $set) (i64.shl (i64.shr_u (local.get $member) (i64.const 6)) (i64.const 3))))"
)

NEEDS = {"joined": ("wide",), "less": ("wide",), "sorted": ("space",), "wide": ("space",), "wide_nth": ("nth",)}
"""What a function calls."""

LIBRARY = {
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
  (i64.store {_WORD} (i64.or (i64.load {_WORD}) (i64.shl (i64.const 1) (local.get $member)))))
""",
    "has": f"""
(func $has (param $set i64) (param $member i64) (result i32)
  (i32.wrap_i64 (i64.and (i64.shr_u (i64.load {_WORD}) (local.get $member)) (i64.const 1))))
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
(func $same {_TWO} (param $words i64) (result i32)
  (local $at i64)
  (loop $again
    (if (i64.ne {_HERE} {_THERE}) (then (return (i32.const 0))))
    (local.set $at (i64.add (local.get $at) (i64.const 8)))
    (br_if $again (i64.lt_u (local.get $at) (i64.shl (local.get $words) (i64.const 3)))))
  (i32.const 1))
""",
    "joined": _made("joined", _TWO, f"(i64.or {_HERE} {_THERE})"),
    "less": _made("less", _TWO, f"(i64.and {_HERE} (i64.xor {_THERE} (i64.const -1)))"),
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
