"""WebAssembly for chance that goes every way: dice and picks are chosen one after the other, each way with its weight.

A play is played from its beginning once for each way. What was chosen lies on a tape, with how much may be chosen: the
next way has one more of the last that has any left. So many throws as look the same are one choice with their number.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import gcd

from rulewright.odds.batch import alike
from rulewright.odds.batch.writer import Body, constant, held
from rulewright.program import statements as st

MOST_CHOICES = 1 << 10
"""So many choices may follow each other in one way."""
MOST_WHOLES = 32
"""So many different numbers of equally likely ways are told apart."""
MOST_DICE = 60
"""Of so many dice the numbers of throws fit 64 bits."""


def fall(body: Body, line: st.Roll, first: str, count: str, faces: list[int]) -> None:
    """Lays dice one behind the other, those that look the same beside each other: every number of each sort is a way.

    Raises:
        UnfitError: dice are told apart.
    """
    at, left = body.temporary(first), body.temporary(count)
    body.unless(f"(i64.le_s {held(left)} {constant(MOST_DICE)})", "a roll of very many dice")
    each_face = dict(Counter(faces))
    fulfilled = alike.judged(body, line, list(each_face))
    if fulfilled is not None:
        _fall_as_judged(body, at, left, each_face, fulfilled)
        return
    sorts = alike.sorts(body, line, faces)
    by = gcd(*sorts.values())
    body.line(f"(call $whole {held(left)} {constant(len(faces) // by)})")
    for number, (face, size) in enumerate(sorts.items(), 1):
        many = body.temporary(held(left) if number == len(sorts) else f"(call $chosen {held(left)})")
        _lay(body, at, left, many, constant(size // by), face)


def _fall_as_judged(body: Body, at: str, left: str, faces: Mapping[int, int], fulfilled: Sequence[str]) -> None:
    """As `fall`, of faces with how many sides have them and what they fulfil: the first stands for all like it."""
    by = gcd(*faces.values())
    sides = body.temporary(constant(sum(faces.values()) // by))
    body.line(f"(call $whole {held(left)} {held(sides)})")
    sizes = [size // by for size in faces.values()]
    for number, face in enumerate(faces):
        same = [f"(i64.eq {held(fulfilled[number])} {held(each)})" for each in fulfilled]
        first = "(i32.const 1)"
        for each in same[:number]:
            first = f"(i32.and {first} (i32.eqz {each}))"
        size = constant(sizes[number])
        for other in range(number + 1, len(faces)):
            more = f"(select {constant(sizes[other])} (i64.const 0) {same[other]})"
            size = f"(i64.add {size} {more})"
        with body.inside(f"if {first} (then"):
            here = body.temporary(size)
            body.line(f"(local.set {sides} (i64.sub {held(sides)} {held(here)}))")
            chosen = f"(then {held(left)}) (else (call $chosen {held(left)}))"
            many = body.temporary(f"(if (result i64) (i64.eqz {held(sides)}) {chosen})")
            _lay(body, at, left, many, held(here), face)
        body.line(")")


def _lay(body: Body, at: str, left: str, many: str, size: str, face: int) -> None:  # noqa: PLR0913, PLR0917
    """Lays so many of the dice that are left, each a face that so many sides stand for."""
    body.line(f"(call $weighed {held(left)} {held(many)} {size})")
    body.line(f"(local.set {at} (call $laid {held(at)} {held(many)} {constant(face)}))")
    body.line(f"(local.set {left} (i64.sub {held(left)} {held(many)}))")


def drawn(limit: str) -> str:
    """Every number below a limit."""
    return f"(call $evenly {limit})"


def chance(wholes: int, counts: int, row: int, long: int) -> str:
    """Functions that choose, and that find where a way is counted.

    Args:
        wholes: where the numbers of equally likely ways lie; the tape ends there.
        counts: where the counts of the first of them lie.
        row: bytes from there to those of the next.
        long: why a play with too many ways is given back.
    """
    return _GLOBALS + _CHANCE.format(wholes=wholes, counts=counts, row=row, long=long, most_wholes=MOST_WHOLES)


def main(tape: int, begin: str) -> str:
    """What goes all ways, from where the tape begins, each begun by some code."""
    return _MAIN.format(tape=tape, begin=begin)


_GLOBALS = """
(global $at (mut i32) (i32.const 0))
(global $deep (mut i32) (i32.const 0))
(global $weight (mut i64) (i64.const 1))
(global $ways (mut i64) (i64.const 1))
(global $wholes (mut i32) (i32.const 0))
(global $row (mut i32) (i32.const 0))
"""

_CHANCE = """
(func $chosen (param $most i64) (result i64)
  (local $found i64)
  (if (i64.le_s (local.get $most) (i64.const 0)) (then (return (i64.const 0))))
  (if (i32.lt_u (global.get $at) (global.get $deep))
    (then (local.set $found (i64.load (global.get $at))))
    (else
      (if (i32.ge_u (global.get $at) (i32.const {wholes})) (then (call $away (i32.const {long}))))
      (i64.store (global.get $at) (i64.const 0))
      (i64.store offset=8 (global.get $at) (local.get $most))
      (global.set $deep (i32.add (global.get $at) (i32.const 16)))))
  (global.set $at (i32.add (global.get $at) (i32.const 16)))
  (local.get $found))
(func $whole (param $times i64) (param $by i64)
  (block $done
    (loop $again
      (br_if $done (i64.le_s (local.get $times) (i64.const 0)))
      (if (i64.lt_u (i64.add (i64.clz (global.get $ways)) (i64.clz (local.get $by))) (i64.const 66))
        (then (call $away (i32.const {long}))))
      (global.set $ways (i64.mul (global.get $ways) (local.get $by)))
      (local.set $times (i64.sub (local.get $times) (i64.const 1)))
      (br $again))))
(func $weighed (param $of i64) (param $many i64) (param $by i64)
  (local $found i64) (local $at i64)
  (local.set $found (i64.const 1))
  (block $done
    (loop $again
      (br_if $done (i64.ge_s (local.get $at) (local.get $many)))
      (local.set $found (i64.div_u
        (i64.mul (local.get $found) (i64.sub (local.get $of) (local.get $at)))
        (i64.add (local.get $at) (i64.const 1))))
      (global.set $weight (i64.mul (global.get $weight) (local.get $by)))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br $again)))
  (global.set $weight (i64.mul (global.get $weight) (local.get $found))))
(func $laid (param $to i64) (param $many i64) (param $face i64) (result i64)
  (block $done
    (loop $again
      (br_if $done (i64.le_s (local.get $many) (i64.const 0)))
      (i64.store (i32.wrap_i64 (local.get $to)) (local.get $face))
      (local.set $to (i64.add (local.get $to) (i64.const 8)))
      (local.set $many (i64.sub (local.get $many) (i64.const 1)))
      (br $again)))
  (local.get $to))
(func $evenly (param $limit i64) (result i64)
  (call $whole (i64.const 1) (local.get $limit))
  (call $chosen (i64.sub (local.get $limit) (i64.const 1))))
(func $counted
  (local $number i32)
  (block $found
    (loop $again
      (br_if $found (i32.ge_u (local.get $number) (global.get $wholes)))
      (br_if $found (i64.eq (i64.load offset={wholes} (i32.shl (local.get $number) (i32.const 3)))
        (global.get $ways)))
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br $again)))
  (if (i32.eq (local.get $number) (global.get $wholes)) (then
    (if (i32.ge_u (local.get $number) (i32.const {most_wholes})) (then (call $away (i32.const {long}))))
    (i64.store offset={wholes} (i32.shl (local.get $number) (i32.const 3)) (global.get $ways))
    (memory.fill (i32.add (i32.const {counts}) (i32.mul (local.get $number) (i32.const {row}))) (i32.const 0)
      (i32.const {row}))
    (global.set $wholes (i32.add (global.get $wholes) (i32.const 1)))))
  (global.set $row (i32.mul (local.get $number) (i32.const {row}))))
"""

_MAIN = """
(func (export "wholes") (result i32) (global.get $wholes))
(func (export "ways") (param $most i64) (result i64)
  (local $played i64) (local $last i32)
  (global.set $wholes (i32.const 0))
  (global.set $deep (i32.const {tape}))
  (loop $again
    {begin}
    (global.set $at (i32.const {tape}))
    (global.set $weight (i64.const 1))
    (global.set $ways (i64.const 1))
    (call $play)
    (local.set $played (i64.add (local.get $played) (i64.const 1)))
    (block $done
      (loop $back
        (br_if $done (i32.eq (global.get $deep) (i32.const {tape})))
        (local.set $last (i32.sub (global.get $deep) (i32.const 16)))
        (if (i64.lt_u (i64.load (local.get $last)) (i64.load offset=8 (local.get $last)))
          (then
            (if (i64.ge_u (local.get $played) (local.get $most)) (then (return (i64.const 0))))
            (i64.store (local.get $last) (i64.add (i64.load (local.get $last)) (i64.const 1)))
            (br $again)))
        (global.set $deep (local.get $last))
        (br $back))))
  (local.get $played))
"""
