"""A play as a program of WebAssembly that plays many times, or every way of chance once, and counts."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.faults import Limits
from rulewright.machine.snapshot import fresh
from rulewright.machine.values import Cell
from rulewright.machine.world import BOARD, UNSETTLED
from rulewright.odds.answering import Answers
from rulewright.odds.batch import every_way, lines
from rulewright.odds.batch.expressions import test, value
from rulewright.odds.batch.questions import MOST_DICE
from rulewright.odds.batch.settling import settling
from rulewright.odds.batch.shapes import MOST_MEMBERS, Shapes, UnfitError
from rulewright.odds.batch.slots import slot
from rulewright.odds.batch.writer import WORD, Body, Module, Writers, constant, held
from rulewright.odds.measures import PlayToMeasure
from rulewright.program.types import GRIDS, Type

_VALUES = 1 << 12
"""So many values of a measure are counted."""
_HEAD = 3
"""Words before all others: the number of the play, why it was given back."""


@dataclass(frozen=True, slots=True)
class Written:
    """A play as WebAssembly."""

    text: str
    module: Module  # what lays its memory out
    tables: tuple[int, ...]  # what lies behind that and a copy of it
    counts: tuple[int, ...]  # where in memory the counts of each measure lie, in bytes
    sizes: tuple[int, ...]  # how many of them there are
    reasons: tuple[str, ...]  # why plays are given back, by number
    types: tuple[Type, ...]  # of the measures
    wholes: int  # where in memory the numbers of equally likely ways lie; 0 where chance goes one way


def written(play: PlayToMeasure, answers: Answers, *, every: bool = False) -> Written:
    """The program that plays, with every policy and script that it knows.

    Args:
        play: what is played and asked.
        answers: who answers.
        every: whether chance goes every way, not one that is drawn.

    Raises:
        UnfitError: nothing of this play can be held or done here.
    """
    begun = play.begun
    for told, message in (
        (answers.script is not None, "a script answers questions"),
        (answers.policies or answers.best, "a player has a policy of their own"),
        (play.watched, "visits of steps are counted"),
        (play.conditions, "only some plays are asked of"),
        (begun.limits != Limits(), "limits are given"),
    ):
        if told:
            raise UnfitError(message)
    executable, program = begun.executable, begun.executable.program
    world = fresh(executable, begun.situation, begun.limits)
    shapes = Shapes(
        program,
        {kind: len(begun.situation.base.things.get(kind, ())) for kind in program.kinds},
        _around(world[BOARD], program.boards),
    )
    writers = Writers(value, test, lines.lines)
    module = Module(executable, shapes, world, begun.arguments, answers.policy, writers, every)
    module.place("head", lambda: [0] * _HEAD)
    body = Body(module, begun.procedure.name)
    given = [_role(module, number, each.type) for number, each in enumerate(begun.procedure.parameters)]
    once = all(each.plain is not None for each in executable.tables.rules)
    if world[UNSETTLED] and once:
        module.settles = settling(module)
    elif world[UNSETTLED]:
        body.line(f"(call {settling(module)})")
    result = body.temporary(lines.performed(module, begun.procedure, given))
    found = []
    for number, names in enumerate(play.given):
        measure = program.measures[play.names[number]]
        for variable, name in zip(measure.parameters, names or (), strict=True):
            if name.role is not None:
                code = _role(module, name.role, variable.type)
            else:
                code = held(result) if name.known is None else constant(shapes.held(name.known, variable.type))
            body.set(variable, code)
        found.append(body.temporary(_number(module, slot(body, measure.value, measure.type), measure.type)))
        body.unless(
            f"(i64.lt_u {held(found[-1])} {constant(_size(shapes, measure.type))})", "a measure with very many values"
        )
    types = tuple(each.type for each in play.measures)
    module.functions["play"] = ""
    module.finish()
    return _assembled(module, body, found, types)


def _role(module: Module, number: int, type_: Type) -> str:
    """Code for what is given to the play, which is known unless other starts are laid into memory."""
    if not module.every_way:
        return constant(module.shapes.held(module.arguments[number], type_))
    at = module.place(("given", number), lambda: [module.shapes.held(module.arguments[number], type_)])
    return f"(i64.load (i32.const {at}))"


def _around(board: Any, boards: Any) -> tuple[Cell, ...]:
    """The cells of the board and, where they leave a set as wide as it is, those next to it, in order."""
    cells = set(board)
    if len(boards) == 1:
        (one,) = boards.values()
        steps = GRIDS.get(one.space, ())
        wider = cells | {(q + across, r + down) for (q, r), (across, down) in product(cells, steps)}
        cells = wider if len(wider) <= MOST_MEMBERS or len(cells) > MOST_MEMBERS else cells
    return tuple(sorted(cells))


def _size(shapes: Shapes, type_: Type) -> int:
    try:
        return min(_VALUES, shapes.size(type_))
    except UnfitError:
        return _VALUES


def _number(module: Module, code: str, type_: Type) -> str:
    """The number of a measure's value; of one that may be none by one more."""
    if module.shapes.is_reference(type_):
        raise UnfitError(f"a measure of the type {type_}")
    lowest = constant(module.shapes.lowest(getattr(type_, "inner", type_)))
    if hasattr(type_, "inner"):
        return f"(call {module.library('optional')} {code} {lowest})"
    return f"(i64.sub {code} {lowest})"


def _assembled(module: Module, body: Body, found: Sequence[str], types: tuple[Type, ...]) -> Written:
    """All functions with memory: state, a copy of it from the start, tables, counts, dice."""
    words = module.words
    tables, at = [], 2 * words * WORD
    data: list[int] = []
    for values in module.tables.values():
        tables.append(at)
        data += values
        at += len(values) * WORD
    sizes = tuple(_size(module.shapes, each) for each in types)
    counts, tape, wholes = [], at, 0
    if module.every_way:
        wholes = tape + 2 * every_way.MOST_CHOICES * WORD
        at = wholes + every_way.MOST_WHOLES * WORD
    for size in sizes:
        counts.append(at)
        at += size * WORD
    row = at - counts[0]
    if module.every_way:
        at += (every_way.MOST_WHOLES - 1) * row
        body.line("(call $counted)")
    dice, room = at, at + MOST_DICE * WORD
    for name, start in zip(found, counts, strict=True):
        place = f"(i32.add (i32.const {start}) (i32.shl (i32.wrap_i64 {held(name)}) (i32.const 3)))"
        more = constant(1)
        if module.every_way:
            place, more = f"(i32.add (global.get $row) {place})", "(global.get $weight)"
        body.line(f"(i64.store {place} (i64.add (i64.load {place}) {more}))")
    own = " ".join(f"(local {each} i64)" for each in body.names)
    globals_ = "\n".join(
        [
            *(f"(global $table{number} i32 (i32.const {start}))" for number, start in enumerate(tables)),
            *(f"(global {name} (mut i32) (i32.const 0))" for name in module.globals.values()),
        ]
    )
    begin = _BEGIN.format(
        unheard=" ".join(f"(global.set {each} (i32.const 0))" for each in module.globals.values()),
        copied=module.copied(),
        dice=dice,
    )
    if module.every_way:
        long = module.reason("very many ways")
        chance, main = every_way.chance(wholes, counts[0], row, long), every_way.main(tape, begin)
    else:
        chance, main = _STREAMS, _PLAYS.format(begin=begin)
    if module.settles:
        main += _SETTLE.format(
            begin=begin,
            settling=module.settles,
            back=module.copied(back=True),
            work=Limits().work,
            unsettled=module.world[UNSETTLED],
        )
    text = _MODULE.format(
        chance=chance,
        main=main,
        work=Limits().work,
        unsettled=module.world[UNSETTLED],
        pages=-(-(room + WORD) // (1 << 16)),
        globals=globals_,
        room=room,
        functions="\n".join(each for each in module.functions.values() if each),
        own=own,
        play="\n".join(body.lines),
    )
    return Written(text, module, tuple(data), tuple(counts), sizes, tuple(module.reasons), types, wholes)


_MODULE = """(module
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
_BEGIN = """{copied}
      (global.set $left (global.get $work))
      (global.set $unsettled (global.get $awake))
      (global.set $quiet (i32.const 0))
      (global.set $depth (i32.const 0))
      (global.set $dice (i32.const {dice}))
      {unheard}"""
_SETTLE = """
(func (export "settle")
  (global.set $work (i64.const {work}))
  (global.set $awake (i64.const {unsettled}))
  {begin}
  (call {settling})
  {back}
  (global.set $work (global.get $left))
  (global.set $awake (i64.const 0)))
"""
_STREAMS = """
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
_PLAYS = """
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
