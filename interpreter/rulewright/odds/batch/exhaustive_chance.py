"""WebAssembly for exhaustive chance: depth-first enumeration of all choice sequences, with their weights.

The play is repeated from its beginning for each sequence. A tape holds each choice and its number of alternatives; the
next sequence increments the last choice that has any left (an odometer). Rolls that look alike are one choice with
their number as weight.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import Any

from rulewright.base.node_roles import walk_nodes
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import FunctionBody, WasmModule, emit_constant, emit_flag, emit_local
from rulewright.play.seeded_random import joint_dice_capacity
from rulewright.program import expressions as ex, statements as st
from rulewright.program.dice_observations import (
    FULLY_OBSERVED,
    DieObservations,
    compile_observer,
    substitute_observations,
)
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.expressions import Expression
from rulewright.program.walk import list_routines
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import Die
from rulewright.runtime.flow_graph import FIRST_SLOT

DieCondition = tuple[ex.Variable, Expression]
"""Variable of a die and a condition on it."""


def is_consumed_once(body: FunctionBody, line: st.Roll, faces: list[int]) -> bool:
    """Whether the dice of a roll fit one random number and are only counted or added up, in one place."""
    (part,), (written, mentioned) = line.parts, _find_pool_mentions(body, line)
    bound = None if part.count is None else getattr(part.count.type, "high", None)
    if (
        bound is None
        or bound > joint_dice_capacity(len(faces))[0]
        or faces != list(range(faces[0], faces[0] + len(faces)))
    ):
        return False
    return len(mentioned) == 1 and any(_is_face_aggregate(item, mentioned[0]) for item in written)


def is_only_face_read(body: FunctionBody, line: st.Roll) -> bool:
    """Whether only the face of a die is read."""
    written, mentioned = _find_pool_mentions(body, line)
    return bool(written) and _are_faces_read(mentioned, written)


def _find_pool_mentions(body: FunctionBody, line: st.Roll) -> tuple[Sequence[object], Sequence[object]]:
    procedure, dice = body.module.program.procedures.get(body.address), line.variable
    written = [] if procedure is None or dice.index in body.memory_variables else list(walk_nodes(procedure))
    if [roll.variable for roll in written if isinstance(roll, st.Roll)].count(dice) != 1:
        return (), ()
    named = (item for item in written if isinstance(item, ex.Local | st.VariablePlace))
    return written, [item for item in named if item.variable == dice]


def _is_face_aggregate(node: object, pool: object) -> bool:
    match node:
        case ex.Builtin(name="count" | "sum" | "total", arguments=(source,)):
            return source is pool
        case ex.Aggregate(word="count" | "sum", binding=ex.Binding((die,), source)) if source is pool:
            mentioned = [local for local in walk_nodes(node) if isinstance(local, ex.Local) and local.variable == die]
            return die is None or _are_faces_read(mentioned, walk_nodes(node))
        case _:
            return False


def _are_faces_read(mentioned: Sequence[object], written: Iterable[object]) -> bool:
    shown = [
        die_attribute.target
        for die_attribute in written
        if isinstance(die_attribute, ex.DieAttribute) and die_attribute.name in _FACE_ATTRIBUTES
    ]
    return all(any(item is one for one in shown) for item in mentioned)


def group_equivalent_faces(body: FunctionBody, line: st.Roll, faces: list[int]) -> dict[int, int]:
    """One face of each class that looks the same in every play, with the size of the class.

    Raises:
        BatchUnsupportedError: dice are told apart.
    """
    looks = _observations_after_roll(body, line)
    if looks >= FULLY_OBSERVED:
        raise BatchUnsupportedError("dice that are told apart")
    result: dict[object, list[int]] = {}
    for face in faces:
        result.setdefault(
            compile_observer(looks)(Die(tuple(faces), face, face, 0, kept=True, part=None, model="", roll="")), []
        ).append(face)
    return {item[0]: len(item) for item in result.values()}


def _observations_after_roll(body: FunctionBody, line: st.Roll) -> DieObservations:
    executable = body.module.executable
    result: list[DieObservations] = []
    for flow in range(len(executable.tables.flows)):
        for block in executable.liveness.list_blocks(flow):
            if isinstance(block.exit, g.TakeChance) and block.exit.chance.line.address == line.address:
                after = executable.liveness.live_slots_after(flow, block.exit.chance.then, frozenset())
                observed = FULLY_OBSERVED if after is None else after.get(FIRST_SLOT + line.variable.index, frozenset())
                result.append(substitute_observations(observed, {}))
    return frozenset().union(*result) if result else FULLY_OBSERVED


def emit_face_classes(body: FunctionBody, line: st.Roll, faces: Sequence[int]) -> list[str] | None:
    """For each face the local with the set of conditions it fulfils; None where more is asked of the dice."""
    conditions = _collect_die_conditions(body, line)
    if conditions is None or len(conditions) > _MAX_DIE_CONDITIONS:
        return None
    result = []
    try:
        with body.capture_lines() as lines:
            for face in faces:
                fulfilled = body.new_temporary(emit_constant(0))
                for number, (die, condition) in enumerate(conditions):
                    body.assign_variable(die, emit_constant(face))
                    body.face_variables.add(die.index)
                    bits = f"(i64.shl {emit_flag(body.emit_test(condition))} {emit_constant(number)})"
                    body.add_line(f"(local.set {fulfilled} (i64.or {emit_local(fulfilled)} {bits}))")
                result.append(fulfilled)
    except BatchUnsupportedError:
        return None
    finally:
        body.face_variables.difference_update(die.index for die, _ in conditions)
    body.lines += lines
    return result


_MAX_DIE_CONDITIONS = 60
"""Conditions on a die that are one bit each of a word of 64; some bits are left for its uses."""


def _collect_die_conditions(body: FunctionBody, line: st.Roll) -> list[DieCondition] | None:
    procedure = body.module.program.procedures.get(body.address)
    if procedure is None or body.memory_variables or line.parts[0].count is None:
        return None
    whole = list(walk_nodes(procedure))
    counted: dict[int, list[DieCondition]] = {}
    for item in whole:
        source, tests = _aggregate_conditions(item)
        if isinstance(source, ex.Local) and source.variable.index == line.variable.index:
            counted[id(source)] = tests
    pools = [each for each in whole if isinstance(each, ex.Local | st.VariablePlace)]
    if any(pool.variable.index == line.variable.index and id(pool) not in counted for pool in pools):
        return None
    result = [test for tests in counted.values() for test in tests]
    stands = _StableReads(body.module, whole, line)
    return result if all(stands.is_stable_condition(*each) for each in result) else None


def _aggregate_conditions(node: object) -> tuple[Expression | None, list[DieCondition]]:
    match node:
        case ex.Aggregate(word="count", binding=ex.Binding((die,), source, where)):
            return source, [(die, where)] if die is not None and where is not None else []
        case ex.Quantifier(binding=ex.Binding((die,), source, where), body=body):
            return source, [(die, item) for item in (where, body) if die is not None and item is not None]
        case _:
            return None, []


class _StableReads:
    def __init__(self, module: WasmModule, whole: Sequence[Any], roll: st.Roll) -> None:
        self._footprint = ReadFootprint(module.program)
        lines = [node for node in walk_nodes(list_routines(module.program)) if isinstance(node, st.Line)]
        self._written_places = frozenset().union(*map(list_written_places, lines))  # type: ignore[arg-type]
        at = next(number for number, item in enumerate(whole) if isinstance(item, st.Roll) and item.span == roll.span)
        again = any(isinstance(item, st.Repeat | st.ForEach | st.Proceed) for item in whole)
        later = whole if again else whole[at:]
        self._assigned_indexes = {variable.index for item in later for variable in _variables_set_by(item)}

    def is_stable_condition(self, die: ex.Variable, condition: Expression) -> bool:
        """Whether a condition on a die reads only faces and what nothing changes."""
        inside = list(walk_nodes(condition))
        shown = [
            die_attribute.target
            for die_attribute in inside
            if isinstance(die_attribute, ex.DieAttribute) and die_attribute.name in _FACE_ATTRIBUTES
        ]
        bound_indexes = {
            variable.index
            for binding in inside
            if isinstance(binding, ex.Binding)
            for variable in binding.variables
            if variable
        }
        for node in inside:
            if isinstance(node, ex.ExternalValue):
                return False
            if isinstance(node, ex.Local) and node.variable.index == die.index:
                if not any(node is target for target in shown):
                    return False
            elif isinstance(node, ex.Local) and node.variable.index in self._assigned_indexes - bound_indexes:
                return False
        return not self._footprint.collect_read_places(condition) & self._written_places


_FACE_ATTRIBUTES = ("natural", "face")


def _variables_set_by(node: object) -> Iterator[ex.Variable]:
    if isinstance(node, ex.Binding):
        yield from (variable for variable in node.variables if variable is not None)
    elif isinstance(node, st.VariablePlace | st.Line):
        result = (getattr(node, name, None) for name in ("variable", "result", "answers"))
        yield from (variable for variable in result if isinstance(variable, ex.Variable))


MAX_CHOICES_PER_PATH = 1 << 10
"""Length of the tape, in choices."""
MAX_DENOMINATORS = 32
"""Number of distinct denominators of path weights."""
MAX_EXACT_DICE = 60
"""Dice whose multinomial weights fit 64 bits."""


def emit_exhaustive_roll(body: FunctionBody, line: st.Roll, first: str, count: str, faces: list[int]) -> None:
    """Dice in memory, equal ones adjacent: a path for each number of dice of each class.

    Raises:
        BatchUnsupportedError: dice are told apart.
    """
    at, remaining = body.new_temporary(first), body.new_temporary(count)
    body.emit_guard(f"(i64.le_s {emit_local(remaining)} {emit_constant(MAX_EXACT_DICE)})", "a roll of very many dice")
    each_face = dict(Counter(faces))
    fulfilled = emit_face_classes(body, line, list(each_face))
    if fulfilled is not None:
        _emit_roll_by_class(body, at, remaining, each_face, fulfilled)
        return
    sorts = group_equivalent_faces(body, line, faces)
    by = gcd(*sorts.values())
    body.add_line(f"(call $whole {emit_local(remaining)} {emit_constant(len(faces) // by)})")
    for number, (face, size) in enumerate(sorts.items(), 1):
        many = body.new_temporary(
            emit_local(remaining) if number == len(sorts) else f"(call $chosen {emit_local(remaining)})"
        )
        _emit_face_choice(body, at, remaining, many, emit_constant(size // by), face)


def _emit_roll_by_class(
    body: FunctionBody, at: str, remaining: str, faces: Mapping[int, int], fulfilled: Sequence[str]
) -> None:
    """As `emit_exhaustive_roll`, where only `fulfilled` matters: the first face stands for its class."""
    by = gcd(*faces.values())
    sides = body.new_temporary(emit_constant(sum(faces.values()) // by))
    body.add_line(f"(call $whole {emit_local(remaining)} {emit_local(sides)})")
    sizes = [size // by for size in faces.values()]
    for number, face in enumerate(faces):
        same = [f"(i64.eq {emit_local(fulfilled[number])} {emit_local(each)})" for each in fulfilled]
        first = "(i32.const 1)"
        for item in same[:number]:
            first = f"(i32.and {first} (i32.eqz {item}))"
        size = emit_constant(sizes[number])
        for other in range(number + 1, len(faces)):
            more = f"(select {emit_constant(sizes[other])} (i64.const 0) {same[other]})"
            size = f"(i64.add {size} {more})"
        with body.open_block(f"if {first} (then"):
            here = body.new_temporary(size)
            body.add_line(f"(local.set {sides} (i64.sub {emit_local(sides)} {emit_local(here)}))")
            chosen = f"(then {emit_local(remaining)}) (else (call $chosen {emit_local(remaining)}))"
            many = body.new_temporary(f"(if (result i64) (i64.eqz {emit_local(sides)}) {chosen})")
            _emit_face_choice(body, at, remaining, many, emit_local(here), face)
        body.add_line(")")


def _emit_face_choice(body: FunctionBody, at: str, remaining: str, many: str, size: str, face: int) -> None:  # noqa: PLR0913, PLR0917
    body.add_line(f"(call $weighed {emit_local(remaining)} {emit_local(many)} {size})")
    body.add_line(f"(local.set {at} (call $laid {emit_local(at)} {emit_local(many)} {emit_constant(face)}))")
    body.add_line(f"(local.set {remaining} (i64.sub {emit_local(remaining)} {emit_local(many)}))")


def emit_exhaustive_draw(limit: str) -> str:
    """A path for every number below a limit."""
    return f"(call $evenly {limit})"


def render_choice_functions(wholes: int, counts: int, row: int, long: int) -> str:
    """Functions that choose, and that find the row in which a path is counted.

    Args:
        wholes: address of the denominators, where the tape ends.
        counts: address of the counts of the first denominator.
        row: bytes of the counts of one denominator.
        long: number of the reason to give back a play with too many paths.
    """
    return _CHOICE_GLOBALS + _CHOICE_TEMPLATE.format(
        wholes=wholes, counts=counts, row=row, long=long, most_wholes=MAX_DENOMINATORS
    )


def render_path_loop(tape: int, begin: str) -> str:
    """Exported function that runs all paths; `begin` is the code that resets a play."""
    return _PATH_LOOP_TEMPLATE.format(tape=tape, begin=begin)


_CHOICE_GLOBALS = """
(global $at (mut i32) (i32.const 0))
(global $deep (mut i32) (i32.const 0))
(global $weight (mut i64) (i64.const 1))
(global $ways (mut i64) (i64.const 1))
(global $wholes (mut i32) (i32.const 0))
(global $row (mut i32) (i32.const 0))
"""

_CHOICE_TEMPLATE = """
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

_PATH_LOOP_TEMPLATE = """
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
