"""Core programs made at random, with what no text of rules lowers to, and how they are made smaller.

The store, the windows and the settling are those of a small ruleset; the bodies of its routines are written form by
form, each by a budget. All of them keep the invariants of core, and end.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from random import Random
from typing import Any

from rulewright.base.frozen import replace as replace_form
from rulewright.program import expressions as ex, statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.effects import get_store_place
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.walking import walk_statements
from rulewright.program.declarations import Program
from rulewright.program.types import (
    FLAG,
    PLAYER,
    TEXT,
    WHOLE,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PoolType,
    SetType,
    TupleType,
    Type,
    WordType,
)
from rulewright.runtime.state import Situation
from support.core_forms import SPAN, UNIT, UNITS, cond, const, get, line, load, op
from support.core_interpreter import play_core
from support.core_invariants import check_core
from support.judge_comparison import draw_value
from support.random_programs import make_situation
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay
from support.reference.ruleset_texts import load_text, read_rules

NUMBER = NumberType(0, 9)
MOOD = WordType("Mood")
NUMBERS = ListType(NUMBER)
WOUNDS = MapType(UNIT, NUMBER)
MARK = TupleType((NUMBER, UNIT))
POOL = PoolType(NumberType(1, 6))
DIE = DieType(NumberType(1, 6))
SOMEBODY = OptionalType(UNIT)
CELL = CellType("hex")
CELLS = SetType(CELL)
SOMEWHERE = OptionalType(CELL)
MAP_CELLS = ((0, 0), (0, 1), (1, 0), (1, 1))

_BOARD = """\
board field of hex:
  cost: 0..3 = 1
  side wall: flag = no
setting hardness: 0..3 = 1 "Hardness"
"""
_HEAD = (
    read_rules("random")
    .replace("values Mood", f"{_BOARD}values Mood")
    .replace("  friends: set", "  at: hex? = none\n  friends: set")
)
STORE_HEAD = f"""{_HEAD}
external term luck(u: Unit) gives 0..3 "Luck"
external term skill(u: Unit) gives 0..3 default min(3, u.morale) "Skill"
external procedure mend(u: Unit) gives 0..2 changes Unit.health "Mend"
"""
_STORE = f"""{STORE_HEAD}
always morale_is_low for each u in units: u.morale < 9
procedure quick(u: Unit, n: 0..9) "Quick":
  nothing
procedure leaf(u: Unit, n: 0..9) gives 0..9 "Leaf":
  finish with n
procedure aid(u: Unit, n: 0..9) gives 0..9 "Aid":
  finish with n
procedure main(u: Unit, t: Unit) gives 0..9 "Main":
  finish with 1
"""


@cache
def load_store() -> Program:
    """The ruleset whose store, events and rules all random core programs share."""
    program = load_text(_STORE).program
    assert program is not None, load_text(_STORE).diagnostics
    return program


@cache
def _lower_store() -> core.CoreProgram:
    return lower_program(load_store())


def write_core(seed: int, budget: int = 50) -> core.CoreProgram:
    """The core program of a seed; `budget` is about how many statements its main routine has."""
    draw = Random(seed)
    lowered = _lower_store()
    routines = dict(lowered.routines)
    for key, allowed in _BODIES.items():
        if key == "procedure:main" or draw.random() < allowed.chance:
            size = budget if key == "procedure:main" else max(3, budget // 4)
            routines[key] = _RoutineWriter(draw, routines[key], lowered, allowed, size).write_routine()
    return replace_form(lowered, routines=routines)


def write_pure_routine(draw: Random, routine: core.Routine, program: core.CoreProgram, type_: Type) -> core.Routine:
    """A pure routine with the parameters of another, which gives a random value of a type."""
    writer = _RoutineWriter(draw, routine, program, _Body(1.0, stops=False), 0)
    return writer.write_value_routine(type_)


@dataclass(frozen=True)
class _Body:
    """What the body of a routine may do: which procedures it calls, which events it triggers, and whom it unwinds to."""

    chance: float
    calls: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    unwinds: tuple[str, ...] = ()
    stops: bool = True
    step_count: int = 0
    recurses: bool = False


_LEAF, _AID, _QUICK = "procedure:leaf", "procedure:aid", "procedure:quick"
_BODIES: dict[str, _Body] = {
    "function:vigour": _Body(0.5, stops=False),
    "guard:rage": _Body(0.3, stops=False),
    _QUICK: _Body(1.0, stops=False),
    _LEAF: _Body(0.7, (), (), ("aid",), step_count=1),
    "handler:flinch": _Body(0.6, (_LEAF,), (), ("aid", "main")),
    "handler:grief": _Body(0.5, (_LEAF,), (), ("aid",)),
    "handler:reply": _Body(0.6, (_LEAF, _QUICK), (), ("aid", "leaf")),
    "rule:despair": _Body(0.6, (_LEAF, _QUICK), ("struck",), ("aid", "leaf")),
    "rule:death": _Body(0.5, (_QUICK,), (), ("aid",)),
    "window:called": _Body(0.5, (_LEAF, _QUICK, "handler:reply"), (), ("aid",)),
    "window:struck": _Body(0.3, (_LEAF, "handler:rage"), (), ("aid",)),
    _AID: _Body(1.0, (_LEAF, _QUICK), ("struck", "fallen"), ("leaf", "main"), step_count=2),
    "procedure:main": _Body(1.0, (_AID, _LEAF, _QUICK), ("struck", "called", "fallen"), ("aid",), step_count=4, recurses=True),
}  # fmt: skip
"""Routines that are written at random, those that are called first; calls lead upwards in this table, so they end."""


@dataclass(frozen=True)
class _Scope:
    """Names that are set here, labels of the loops around with what may leave them, and in which quiet."""

    names: tuple[core.Local, ...]
    loops: tuple[int, ...] = ()
    is_quiet: bool = False
    holds_back: bool = False
    depth: int = 0
    can_stop: bool = True
    in_watch: bool = False

    def with_names(self, *names: core.Local | None) -> "_Scope":
        return replace(self, names=(*self.names, *(name for name in names if name is not None)))

    def inside(self, **changes: Any) -> "_Scope":
        return replace(self, depth=self.depth + 1, **changes)


_Written = tuple[list[core.Statement], _Scope | None]
"""Statements and the scope behind them; none where control does not come there."""


class _RoutineWriter:
    def __init__(
        self, draw: Random, routine: core.Routine, program: core.CoreProgram, body: _Body, budget: int
    ) -> None:
        self._draw = draw
        self._routine = routine
        self._program = program
        self._body = body
        self._budget = budget
        self._locals = list(routine.parameters)
        self._lines = 0
        self._labels = 0
        self._next_step = 0
        self._can_recurse = body.recurses
        self._address = routine.key.partition(":")[2]

    def write_routine(self) -> core.Routine:
        routine, is_pure = self._routine, self._routine.is_pure
        scope = _Scope(routine.parameters, can_stop=self._body.stops and not is_pure)
        written, after = self._write_statements(scope, self._draw.randint(1, 4))
        entry = written
        may_jump = any(isinstance(each, core.Jump) for each in walk_statements(tuple(entry)))
        entered = scope if after is None or may_jump else after
        steps: list[core.Step] = []
        for number in range(self._body.step_count):
            self._next_step = number + 1
            guard = self._write(FLAG, entered, 2) if self._draw.random() < 0.4 else None
            block, _ = self._write_statements(entered.inside(), self._draw.randint(1, 5))
            steps.append(core.Step(guard, tuple(block), origin=self._new_line()))
        ending = after or scope
        if routine.key == "rule:despair":
            calmed = core.Place(core.Attribute("Unit", "mood", get(routine.parameters[0])), (), MOOD)
            entry = [*entry, *self._change(calmed, const(2, MOOD))] if after else entry
        elif routine.key == "rule:death":
            entry = [*entry, *self._remove(get(routine.parameters[0]), removed=False)] if after else entry
        elif steps:
            returned = core.Return(self._write_result(scope), origin=self._new_line())
            steps.append(core.Step(None, (returned,), origin=self._new_line()))
        elif after is not None:
            entry = [*entry, core.Return(self._write_result(ending), origin=self._new_line())]
        names = tuple(sorted(self._locals, key=lambda local: local.index))
        return _give_origins(replace_form(routine, locals=names, entry=tuple(entry), steps=tuple(steps)))

    def write_value_routine(self, type_: Type) -> core.Routine:
        value = self._write(type_, _Scope(self._routine.parameters, can_stop=False), self._draw.randint(1, 5))
        names = tuple(sorted(self._locals, key=lambda local: local.index))
        returned = (core.Return(value, origin=self._routine.origin),)
        return _give_origins(replace_form(self._routine, locals=names, entry=returned))

    # Small parts.

    def _new_line(self) -> core.Origin:
        self._lines += 1
        return line(f"{self._address}/l{self._lines}")

    def _new_local(self, type_: core.CoreType) -> core.Local:
        index = max((local.index for local in self._locals), default=-1) + 1
        self._locals.append(core.Local(index, type_))
        return self._locals[-1]

    def _pick(self, type_: Type, scope: _Scope) -> core.Local | None:
        fitting = [local for local in scope.names if local.type == type_]
        return self._draw.choice(fitting) if fitting else None

    def _write_result(self, scope: _Scope) -> core.Expression:
        routine = self._routine
        if routine.sort in {"rule", "handler"}:
            return const(None)
        if routine.sort == "window":
            return op("list", self._write_number(scope, 2), type_=ListType(WHOLE))
        if routine.result is None:
            return const(None)
        return self._write(FLAG if routine.result == FLAG else NUMBER, scope, 3)

    # Statements.

    def _write_block(self, scope: _Scope, most: int = 3) -> core.Block:
        return tuple(self._write_statements(scope.inside(), self._draw.randint(1, most))[0])

    def _write_statements(self, scope: _Scope, count: int) -> _Written:
        written: list[core.Statement] = []
        here: _Scope | None = scope
        for _ in range(count):
            if here is None or self._budget <= 0:
                break
            self._budget -= 1
            lines, here = self._write_statement(here)
            written += lines
        return written, here

    def _write_statement(self, scope: _Scope) -> _Written:
        plain: list[tuple[int, Callable[[_Scope], _Written]]] = [
            (4, self._write_local), (2, self._write_inside_local), (2, self._write_branch), (1, self._write_note),
        ]  # fmt: skip
        if scope.depth < 4 and len(scope.loops) < (3 if self._body.recurses else 2):
            plain += [(3, self._write_for), (2, self._write_loop)]
        if scope.loops:
            plain.append((3, self._write_leave))
        if scope.in_watch:
            return self._choose(plain)(scope)
        if not scope.holds_back:
            plain += [(1, self._write_return)] if self._routine.sort != "rule" else []
        if self._routine.is_pure:
            return self._choose(plain)(scope)
        plain += [(5, self._write_change), (2, self._write_removal)]
        if scope.depth < 4:
            plain.append((2, self._write_quiet))
        if scope.can_stop:
            plain += [
                (6, self._write_question), (2, self._write_roll), (2, self._write_reroll), (2, self._write_draw),
                (1, self._write_shuffle), (1, self._write_rank), (2, self._write_external), (2, self._write_watch), (1, self._write_hold),
            ]  # fmt: skip
            if self._body.calls and len(scope.loops) < 2:
                plain.append((4, self._write_call))
            if self._body.events and len(scope.loops) < 2:
                plain.append((3, self._write_trigger))
            if self._body.unwinds:
                plain.append((1, self._write_unwind))
            if self._body.step_count and not scope.holds_back:
                plain.append((2, self._write_jump))
            if not scope.is_quiet:
                plain.append((1, self._write_settle))
        elif scope.holds_back:
            plain += [(1, self._write_quick_call)] if _QUICK in self._body.calls else []
        return self._choose(plain)(scope)

    def _choose(self, weighted: list[tuple[int, Callable[[_Scope], _Written]]]) -> Callable[[_Scope], _Written]:
        (chosen,) = self._draw.choices([way for _, way in weighted], [weight for weight, _ in weighted])
        return chosen

    def _write_local(self, scope: _Scope) -> _Written:
        type_ = self._draw.choice(
            (NUMBER, NUMBER, FLAG, UNIT, MOOD, UNITS, NUMBERS, WOUNDS, MARK, SOMEBODY, CELL, CELLS)
        )
        known = self._pick(type_, scope) if self._draw.random() < 0.4 else None
        name = known or self._new_local(type_)
        written = core.Set(_place(name), self._write(type_, scope, 3), origin=self._new_line())
        return [written], scope.with_names(name)

    def _write_inside_local(self, scope: _Scope) -> _Written:
        """A change inside the value of a name: an entry of a map, a part of a tuple, a member of a list."""
        name = self._pick(self._draw.choice((WOUNDS, MARK, NUMBERS)), scope)
        if name is None:
            return self._write_local(scope)
        path: core.EntryOf | core.ItemOf | core.PartOf
        match name.type:
            case MapType():
                key = self._pick(UNIT, scope)
                path = core.EntryOf(get(key) if key else const(0, UNIT), NUMBER)
            case ListType():
                path = core.ItemOf(const(1, NUMBER), NUMBER)
            case _:
                path = core.PartOf(0, NUMBER)
        place = core.Place(name, (path,), name.type)
        origin = self._new_line()
        put = core.Set(place, self._write(NUMBER, scope, 2), origin=origin)
        if isinstance(path, core.ItemOf):
            is_empty = op("equal", op("count of", get(name), type_=WHOLE), const(0, NUMBER))
            return [core.If(is_empty, (), (put,), origin=origin)], scope
        return [put], scope

    def _write_branch(self, scope: _Scope) -> _Written:
        test = self._write(FLAG, scope, 3)
        then, after = self._write_statements(scope.inside(), self._draw.randint(1, 3))
        other: list[core.Statement] = []
        behind: _Scope | None = scope
        if self._draw.random() < 0.5:
            other, behind = self._write_statements(scope.inside(), self._draw.randint(1, 2))
        branch = core.If(test, tuple(then), tuple(other), origin=self._new_line())
        return [branch], None if after is None and behind is None else scope

    def _write_note(self, scope: _Scope) -> _Written:
        return [core.Note("test", (self._write(FLAG, scope, 2),), origin=self._new_line())], scope

    def _new_label(self) -> int:
        self._labels += 1
        return self._labels

    def _write_for(self, scope: _Scope) -> _Written:
        type_, label = self._draw.choice((UNITS, UNITS, NUMBERS)), self._new_label()
        name = self._new_local(type_.item) if self._draw.random() < 0.9 else None
        source = self._write(type_, scope, 2)
        if type_ == NUMBERS:
            source = self._shorten(source)
        inside = scope.inside(loops=(*scope.loops, label)).with_names(name)
        block = tuple(self._write_statements(inside, self._draw.randint(1, 4))[0])
        return [core.For((name,), source, block, label, origin=self._new_line())], scope

    def _shorten(self, numbers: core.Expression) -> core.Expression:
        """At most three numbers of a list, for a loop."""
        return op("interval", const(1, NUMBER), op("least", const(3, NUMBER), op("count of", numbers, type_=WHOLE), type_=NUMBER), type_=NUMBERS)  # fmt: skip

    def _write_loop(self, scope: _Scope) -> _Written:
        """A loop that counts its rounds in a name, and leaves before the bound, or fails at it."""
        label, count = self._new_label(), self._new_local(NUMBER)
        begun = core.Set(_place(count), const(0, NUMBER), origin=self._new_line())
        inner = scope.with_names(count)
        most = self._draw.randint(1, 3)
        few = op("less", get(count), const(most, NUMBER))
        test = few if self._draw.random() < 0.6 else None
        more = op("add", get(count), const(1, NUMBER), type_=NUMBER)
        counted: list[core.Statement] = [core.Set(_place(count), more, origin=self._new_line())]
        if test is None:
            left = core.Leave(label, again=False, origin=self._new_line())
            counted.insert(0, core.If(few, (), (left,), origin=self._new_line()))
        inside = inner.inside(loops=(*scope.loops, label))
        block, _ = self._write_statements(inside, self._draw.randint(1, 4))
        bound = const(most if self._draw.random() < 0.9 else 1, NUMBER)
        if test is None:
            bound = const(4, NUMBER)
        loop = core.Loop(test, bound, (*counted, *block), label, origin=self._new_line())
        return [begun, loop], inner

    def _write_leave(self, scope: _Scope) -> _Written:
        leave = core.Leave(self._draw.choice(scope.loops), again=self._draw.random() < 0.4, origin=self._new_line())
        return self._sometimes(leave, scope)

    def _sometimes(self, exit_: core.Statement, scope: _Scope) -> _Written:
        """A way out, mostly under a condition."""
        if self._draw.random() < 0.85:
            return [core.If(self._write(FLAG, scope, 2), (exit_,), origin=self._new_line())], scope
        return [exit_], None

    def _write_return(self, scope: _Scope) -> _Written:
        return self._sometimes(core.Return(self._write_result(scope), origin=self._new_line()), scope)

    def _write_unwind(self, scope: _Scope) -> _Written:
        procedure = self._draw.choice(self._body.unwinds)
        unwind = core.Unwind(procedure, self._write(NUMBER, scope, 2), origin=self._new_line())
        return [core.If(self._write(FLAG, scope, 3), (unwind,), origin=self._new_line())], scope

    def _write_jump(self, scope: _Scope) -> _Written:
        step = self._draw.randrange(self._body.step_count)
        is_forward = step >= self._next_step
        rounds = None if is_forward and self._draw.random() < 0.7 else self._new_local(WHOLE)
        bound = None if rounds is None else const(self._draw.randint(1, 2), NUMBER)
        jump = core.Jump(step, bound, rounds, origin=self._new_line())
        if is_forward and bound is None:
            return self._sometimes(jump, scope)
        return [core.If(self._write(FLAG, scope, 3), (jump,), origin=self._new_line())], scope

    def _write_settle(self, scope: _Scope) -> _Written:
        return [core.Settle(origin=self._new_line())], scope

    def _write_change(self, scope: _Scope) -> _Written:
        place, value = self._write_store_place(scope)
        return list(self._change(place, value, scope)), scope

    def _change(self, place: core.Place, value: core.Expression, scope: _Scope | None = None) -> core.Block:
        """A write of the store, and the settling behind it where rules read it."""
        assert not isinstance(place.root, core.Local)
        origin = self._new_line()
        is_quiet = scope is not None and scope.is_quiet
        is_due = bool(self._program.due_keys.get(get_store_place(place.root)))
        settled: core.Block = (core.Settle(origin=origin),) if is_due and not is_quiet else ()
        return (core.Set(place, value, origin=origin), *settled)

    def _write_store_place(self, scope: _Scope) -> tuple[core.Place, core.Expression]:
        thing = self._plain(UNIT, scope)
        match self._draw.choice(("health", "health", "morale", "mood", "friends", "bond", "turn", "at", "cost")):
            case "health" | "morale" as name:
                place = core.Place(core.Attribute("Unit", name, thing), (), NumberType(0, 5 if name == "health" else 9))
                return place, self._bound(self._write_number(scope, 2), 5 if name == "health" else 9)
            case "mood":
                return core.Place(core.Attribute("Unit", "mood", thing), (), MOOD), self._write(MOOD, scope, 2)
            case "friends":
                return core.Place(core.Attribute("Unit", "friends", thing), (), UNITS), self._write(UNITS, scope, 2)
            case "at":
                spot = self._write(CELL, scope, 2) if self._draw.random() < 0.8 else const(None)
                return core.Place(core.Attribute("Unit", "at", thing), (), SOMEWHERE), spot
            case "cost":
                root = core.CellAttribute("field", "cost", self._plain(CELL, scope))
                return core.Place(root, (), NumberType(0, 3)), self._bound(self._write_number(scope, 2), 3)
            case "bond":
                pair = core.Pair("bond", ("Unit", "Unit"), symmetric=True, first=thing, second=self._plain(UNIT, scope))
                return core.Place(pair, (), FLAG), self._write(FLAG, scope, 2)
            case _:
                return core.Place(core.GameField("turn"), (), NUMBER), self._write(NUMBER, scope, 2)

    def _plain(self, type_: Type, scope: _Scope) -> core.Expression:
        name = self._pick(type_, scope)
        value = self._draw.choice(MAP_CELLS) if type_ == CELL else 0
        return const(value, type_) if name is None else get(name)

    def _write_removal(self, scope: _Scope) -> _Written:
        if self._draw.random() < 0.6:  # few things leave play, else soon none is left
            return self._write_change(scope)
        return list(self._remove(self._plain(UNIT, scope), removed=scope.is_quiet, holds=scope.holds_back)), scope

    def _remove(self, thing: core.Expression, *, removed: bool, holds: bool = False) -> core.Block:
        origin = self._new_line()
        gone = core.Gone("Unit", thing)
        is_pure_of_events = not (self._body.stops or holds)
        told = core.Trigger("fallen", (thing,), None, removal=True, origin=origin)
        yes = const(True, FLAG)
        lines: core.Block = (core.Set(core.Place(gone, (), FLAG), yes, origin=origin), told)
        test = load(gone, FLAG)
        settled: core.Block = () if removed else (core.Settle(origin=origin),)
        return (core.If(test, (), lines[:1] if is_pure_of_events else lines, origin=origin), *settled)

    def _write_quiet(self, scope: _Scope) -> _Written:
        holds_back = self._draw.random() < 0.7
        inside = scope.inside(is_quiet=True)
        if holds_back:
            inside = replace(inside, holds_back=True, can_stop=False, loops=())
        block = self._write_statements(inside, self._draw.randint(1, 3))[0]
        origin = self._new_line()
        settled = [core.Settle(origin=origin)] if not scope.is_quiet else []
        return [core.Quiet(tuple(block), holds_back=holds_back, origin=origin), *settled], scope

    def _write_call(self, scope: _Scope) -> _Written:
        recurses = self._can_recurse and not scope.loops and self._draw.random() < 0.3
        self._can_recurse = self._can_recurse and not recurses
        key = self._routine.key if recurses else self._draw.choice(self._body.calls)
        called = self._program.routines[key]
        arguments = tuple(self._write(local.type, scope, 2) for local in called.parameters)  # type: ignore[arg-type]
        takes = called.result == NUMBER and self._draw.random() < 0.6
        result = self._new_local(NUMBER) if takes else None
        nest = const(self._draw.randint(1, 2), NUMBER) if recurses else None
        call = core.Call(key, arguments, result, nest, origin=self._new_line())
        if recurses:
            return [core.If(self._write(FLAG, scope, 2), (call,), origin=self._new_line())], scope
        return [call], scope.with_names(result)

    def _write_quick_call(self, scope: _Scope) -> _Written:
        arguments = (self._write(UNIT, scope, 2), self._write(NUMBER, scope, 2))
        return [core.Call(_QUICK, arguments, None, origin=self._new_line())], scope

    def _write_trigger(self, scope: _Scope) -> _Written:
        event = self._draw.choice(self._body.events)
        arguments = [self._write(UNIT, scope, 2)]
        if event == "struck":
            arguments.append(self._write(NUMBER, scope, 2))
        result = self._new_local(ListType(WHOLE)) if self._draw.random() < 0.4 else None
        trigger = core.Trigger(event, tuple(arguments), result, removal=False, origin=self._new_line())
        return [trigger], scope.with_names(result)

    def _write_external(self, scope: _Scope) -> _Written:
        result, origin = self._new_local(NUMBER), self._new_line()
        settled = [] if scope.is_quiet else [core.Settle(origin=origin)]
        mend = core.External("mend", (self._write(UNIT, scope, 2),), result, origin=origin)
        return [mend, *settled], scope.with_names(result)

    def _write_watch(self, scope: _Scope) -> _Written:
        event = self._draw.choice(("struck", "called", "fallen"))
        types = (UNIT, NUMBER) if event == "struck" else (UNIT,)
        parameters = tuple(map(self._new_local, types))
        inside = scope.inside(loops=(), in_watch=True, can_stop=False).with_names(*parameters)
        block = self._write_statements(inside, self._draw.randint(1, 2))[0]
        during = core.During(core.Listening(event, parameters, tuple(block)), origin=self._new_line())
        return [during], scope

    def _write_hold(self, scope: _Scope) -> _Written:
        rules = self._draw.choice((("death",), ("despair",), ("death", "despair")))
        return [core.During(core.Holding(rules), origin=self._new_line())], scope

    def _write_question(self, scope: _Scope) -> _Written:
        player = load(core.Attribute("Unit", "owner", self._plain(UNIT, scope)), PLAYER)
        space, result = self._write_space(scope)
        asked = scope.with_names(result)
        conditions = tuple(
            core.Condition(self._write(FLAG, asked, 2), prefer=self._draw.random() < 0.5, origin=self._new_line())
            for _ in range(self._draw.choice((0, 0, 1, 2)))
        )
        then, after = self._write_statements(asked.inside(), self._draw.randint(0, 3))
        none: list[core.Statement] = [core.Fail("RW0808", origin=self._new_line())]
        behind: _Scope | None = None
        if self._draw.random() < 0.8:
            none, behind = self._write_statements(scope.inside(), self._draw.randint(0, 2))
        origin = self._new_line()
        question = core.Ask(
            player, space, conditions, result, tuple(then), tuple(none), self._draw.random() < 0.2, origin=origin
        )
        if after is None and behind is None:
            return [question], None
        return [question], scope if behind is not None else asked

    def _write_space(self, scope: _Scope) -> tuple[core.AnswerSpace, core.Local]:
        guard = self._write(FLAG, scope, 2) if self._draw.random() < 0.6 else None
        match self._draw.randrange(7):
            case 0:
                yes, no = (const(value, FLAG) for value in (True, False))
                return core.Listed((core.Choice(yes, guard), core.Choice(no, None))), self._new_local(FLAG)
            case 1:
                names = [const(name, TEXT) for name in ("one", "two", "three")]
                other = self._write(FLAG, scope, 2)
                choices = zip(names, (guard, other, None), strict=True)
                return core.Listed(tuple(core.Choice(*each) for each in choices)), self._new_local(TEXT)
            case 2 | 3:
                name = self._new_local(UNIT)
                where = self._write(FLAG, scope.with_names(name), 2) if guard is not None else None
                return core.Members((name,), self._write(UNITS, scope, 2), where), name
            case 4:
                name = self._new_local(UNIT)
                where = self._write(FLAG, scope.with_names(name), 2) if guard is not None else None
                low, high = const(0, NUMBER), self._bound(self._write_number(scope, 2), 2)
                members = load(core.InPlay("Unit"), UNITS)
                return core.Subsets(low, high, (name,), members, where), self._new_local(UNITS)
            case 5:
                amount = self._bound(self._write_number(scope, 2), 3)
                return core.Splits(amount, self._write(UNITS, scope, 1)), self._new_local(WOUNDS)
            case _:
                return core.Orders(self._write(UNITS, scope, 1)), self._new_local(ListType(UNIT))

    def _write_roll(self, scope: _Scope) -> _Written:
        result = self._new_local(POOL)
        parts = tuple(self._write_dice(scope) for _ in range(self._draw.choice((1, 1, 2))))
        options: tuple[core.RollOptionOf, ...] = ()
        if self._draw.random() < 0.2:
            options = (core.RollOptionOf("drop", "lowest", const(1, NUMBER), None),)
        dice = core.RollOf(parts, options, type=POOL, origin=None)
        owner = load(core.Attribute("Unit", "owner", self._plain(UNIT, scope)), PLAYER)
        by = owner if self._draw.random() < 0.8 else None
        return [core.Roll(dice, by, result, origin=self._new_line())], scope.with_names(result)

    def _write_dice(self, scope: _Scope) -> core.DiceOf:
        draw, one = self._draw, const(1, NUMBER)
        sides = const(draw.choice((3, 6)), NUMBER)
        faces = op("numbered faces", sides, type_=ListType(NumberType(1, 6)))
        options: list[core.RollOptionOf] = []
        if draw.random() < 0.25:
            options.append(core.RollOptionOf("keep", draw.choice(("highest", "lowest")), one, None))
        if draw.random() < 0.2:
            face = const(3, NUMBER)
            options.append(core.RollOptionOf("explode", draw.choice(("", "more")), face, one))
        advantage = const(draw.choice((1, -1)), NumberType(-1, 1)) if draw.random() < 0.1 else None
        count = self._bound(self._write_number(scope, 2), 3)
        return core.DiceOf(count, faces, "", tuple(options), None, advantage)

    def _write_reroll(self, scope: _Scope) -> _Written:
        pool = self._pick(POOL, scope)
        if pool is None:
            return self._write_roll(scope)
        dice: core.Expression = get(pool)
        if self._draw.random() < 0.6:
            die = self._new_local(DIE)
            low = op("at most", op("die", get(die), type_=NUMBER, facts=("natural",)), self._write(NUMBER, scope, 1))
            dice = core.Over((die,), _kept(pool), low, "set", None, type=SetType(DIE), origin=None)
        return [core.Reroll(dice, None, origin=self._new_line())], scope

    def _write_draw(self, scope: _Scope) -> _Written:
        """A card off the stack, or a unit out of a set that a name holds."""
        origin, before = self._new_line(), []
        place, type_ = core.Place(core.GameField("stack"), (), DeckType(MOOD)), MOOD
        held: core.Expression = load(core.GameField("stack"), DeckType(MOOD))
        if self._draw.random() < 0.6:
            name = self._new_local(UNITS)
            before = [core.Set(_place(name), self._write(UNITS, scope, 1), origin=origin)]
            place, type_, held = _place(name), UNIT, get(name)  # type: ignore[assignment]
        result = self._new_local(type_)
        is_empty = op("equal", op("count of", held, type_=WHOLE), const(0, NUMBER))
        learner = load(core.Attribute("Unit", "owner", self._plain(UNIT, scope)), PLAYER)
        drawn = core.Draw(place, result, learner if self._draw.random() < 0.3 else None, origin=origin)
        then, _ = self._write_statements(scope.inside().with_names(result), self._draw.randint(0, 2))
        return [*before, core.If(is_empty, (), (drawn, *then), origin=origin)], scope

    def _write_shuffle(self, scope: _Scope) -> _Written:
        stack = core.Place(core.GameField("stack"), (), DeckType(MOOD))
        origin = self._new_line()
        put = op("appended", load(core.GameField("stack"), stack.type), self._write(MOOD, scope, 1), type_=stack.type)  # fmt: skip
        return [core.Set(stack, put, origin=origin), core.Shuffle(stack, origin=origin)], scope

    def _write_rank(self, scope: _Scope) -> _Written:
        """Units ranked by a value, then by dice, then by their owners, and the list of them."""
        draw, key, members = self._draw, self._new_rank_key(), ListType(UNIT)
        rank, tied, each = self._new_local(core.RankingType(UNIT)), self._new_local(members), self._new_local(UNIT)
        ranked = core.Over((each,), self._write(UNITS, scope, 2), None, "list", None, type=members, origin=None)
        begun = core.Set(_place(rank), op("rank", ranked, type_=rank.type), origin=key)
        inside = scope.with_names(each)
        value = core.Over((each,), get(tied), None, "list", self._write(NUMBER, inside, 2), type=NUMBERS, origin=None)
        lines: list[core.Statement] = [begun, *self._split_rank(rank, tied, value, key)]
        if draw.random() < 0.5:
            sums, label = self._new_local(ListType(WHOLE)), self._new_label()
            dice = core.RollOf((self._write_dice(inside),), (), (each,), get(tied), type=sums.type, origin=None)
            find, split = self._split_rank(rank, tied, get(sums), key)
            assert isinstance(split, core.If)
            left = core.If(split.test, (core.Leave(label, again=False, origin=key),), origin=key)
            body = (find, left, core.Roll(dice, None, sums, origin=key), *split.other)
            lines.append(core.Loop(None, const(3, NUMBER), body, label, origin=key))
        order = self._new_local(members)
        gives = op("ranked" if draw.random() < 0.7 else "ranking", get(rank), type_=members)
        return [*lines, core.Set(_place(order), gives, origin=key)], scope.with_names(rank, tied, order)

    def _new_rank_key(self) -> st.RankKey:
        self._lines += 1
        address, value = f"{self._address}/l{self._lines}", ex.Literal(type=WHOLE, span=SPAN, value=0)
        return st.RankKey("key", address, "highest", value, None, (), SPAN, "")

    def _split_rank(
        self, rank: core.Local, tied: core.Local, values: core.Expression, key: st.RankKey
    ) -> tuple[core.Set, core.If]:
        """Finds the tied members, and parts them by their values if there are some."""
        found = core.Set(_place(tied), op("tied", get(rank), type_=tied.type), origin=key)
        facts = (self._draw.randrange(3), self._draw.random() < 0.5)
        split = core.Set(_place(rank), op("split", get(rank), values, type_=rank.type, facts=facts), origin=key)
        is_none = op("equal", op("count of", get(tied), type_=WHOLE), const(0, NUMBER))
        return found, core.If(is_none, (), (split,), origin=key)

    # Expressions.

    def _bound(self, number: core.Expression, high: int) -> core.Expression:
        """A number kept between 0 and a bound; now and then only if it fits, else it is a fault."""
        type_ = NumberType(0, high)
        if self._draw.random() < 0.005:
            return op("narrow", number, type_=type_, facts=(type_,))
        most = op("least", number, const(high, type_), type_=WHOLE)
        return op("greatest", most, const(0, type_), type_=type_)

    def _write(self, type_: Type, scope: _Scope, depth: int) -> core.Expression:
        """An expression of a type, nested about so deep."""
        draw = self._draw
        name = self._pick(type_, scope)
        if name is not None and (depth <= 0 or draw.random() < 0.3):
            return get(name)
        if depth > 1 and draw.random() < 0.12:
            test = self._write(FLAG, scope, depth - 2)
            then, other = self._write(type_, scope, depth - 1), self._write(type_, scope, depth - 1)
            return cond(test, then, other, type_)
        if depth > 1 and draw.random() < 0.06:
            bound = self._new_local(draw.choice((NUMBER, UNITS, FLAG)))
            value = self._write(bound.type, scope, depth - 2)  # type: ignore[arg-type]
            return core.Bind(
                bound, value, self._write(type_, scope.with_names(bound), depth - 1), type=type_, origin=None
            )
        match type_:
            case NumberType():
                return self._bound(self._write_number(scope, depth), 9)
            case _ if type_ == FLAG:
                return self._write_flag(scope, depth)
            case _ if type_ == UNITS:
                return self._write_units(scope, depth)
            case _ if type_ == UNIT:
                return self._write_unit(scope, depth)
            case _ if type_ == CELL:
                return self._write_cell(scope, depth)
            case _ if type_ == CELLS:
                return self._write_cells(scope, depth)
            case WordType():
                return self._write_mood(scope, depth)
            case ListType():
                return self._write_numbers(scope, depth)
            case MapType():
                whole = op("map", self._write(NUMBER, scope, depth - 1), type_=WOUNDS)
                if depth <= 0:
                    return whole
                inner = self._write(WOUNDS, scope, depth - 2)
                key, new = self._write(UNIT, scope, depth - 1), self._write(NUMBER, scope, depth - 1)
                return draw.choice((whole, op("with entry", inner, key, new, type_=WOUNDS)))
            case TupleType():
                return op(
                    "tuple", self._write(NUMBER, scope, depth - 1), self._write(UNIT, scope, depth - 1), type_=MARK
                )
            case _:
                nobody = const(None)
                return nobody if draw.random() < 0.4 else self._write(UNIT, scope, depth - 1)

    def _write_number(self, scope: _Scope, depth: int) -> core.Expression:
        """A whole number without bounds."""
        draw, lower = self._draw, depth - 1
        if depth <= 0:
            name = self._pick(NUMBER, scope)
            return const(draw.randrange(10), NUMBER) if name is None else get(name)
        if draw.random() < 0.1:
            return self._write_of_board(scope, lower)
        unit = self._write(UNIT, scope, lower)
        match draw.randrange(16):
            case 0 | 1 | 2:
                operation = draw.choice(("add", "subtract", "least", "greatest", "multiply"))
                return op(operation, self._write_number(scope, lower), self._write_number(scope, lower), type_=WHOLE)
            case 3 | 4:
                return load(core.Attribute("Unit", draw.choice(("health", "morale")), unit), NUMBER)
            case 5:
                return load(core.GameField("turn"), NUMBER)
            case 6:
                return self._gather(draw.choice(("sum", "count")), scope, lower)
            case 7 if self._routine.key != "function:vigour":
                return core.Apply("function:vigour", (unit,), type=WHOLE, origin=None)
            case 8 if scope.can_stop:
                return core.Wanted("luck", (unit,), None, type=NumberType(0, 3), origin=None)
            case 9:
                return core.Wanted("skill", (unit,), "default:skill", type=NumberType(0, 3), origin=None)
            case 10 | 11 if (pool := self._pick(POOL, scope)) is not None:
                return self._write_dice_sum(pool, scope, lower)
            case 12:
                return op("count of", self._write(draw.choice((UNITS, NUMBERS)), scope, lower), type_=WHOLE)
            case 13 if (wounds := self._pick(WOUNDS, scope)) is not None:
                return op("entry", get(wounds), unit, type_=NUMBER)
            case 14 if (mark := self._pick(MARK, scope)) is not None:
                return op("part", get(mark), type_=NUMBER, facts=(0,))
            case 15 if (numbers := self._pick(NUMBERS, scope)) is not None:
                some = op("more", op("count of", get(numbers), type_=WHOLE), const(0, NUMBER))
                gather = draw.choice(("greatest", "least", "sum"))
                each = self._new_local(NUMBER)
                gathered = core.Over((each,), get(numbers), None, gather, get(each), type=WHOLE, origin=None)
                if draw.random() < 0.05:
                    return gathered
                return cond(some, gathered, const(0, NUMBER), WHOLE)
            case _:
                halved = op("divide", self._write_number(scope, lower), const(2, NUMBER), type_=WHOLE)  # fmt: skip
                return draw.choice((
                    op(draw.choice(("floor", "ceiling", "round")), halved, type_=WHOLE),
                    op(draw.choice(("negate", "absolute")), self._write_number(scope, lower), type_=WHOLE),
                ))  # fmt: skip

    def _write_dice_sum(self, pool: core.Local, scope: _Scope, depth: int) -> core.Expression:
        die = self._new_local(DIE)
        face = op("die", get(die), type_=NUMBER, facts=(self._draw.choice(("natural", "first", "rerolls")),))
        high = op("at least", op("die", get(die), type_=NUMBER, facts=("natural",)), self._write_number(scope, depth))
        return self._draw.choice((
            op("total", get(pool), type_=WHOLE),
            core.Over((die,), _kept(pool), high, "count", None, type=WHOLE, origin=None),
            core.Over((die,), _kept(pool), None, "sum", face, type=WHOLE, origin=None),
        ))  # fmt: skip

    def _gather(self, gather: core.Gather, scope: _Scope, depth: int) -> core.Over:
        name = self._new_local(UNIT)
        inside = scope.with_names(name)
        where = self._write(FLAG, inside, depth - 1) if self._draw.random() < 0.6 else None
        source = self._write(UNITS, scope, depth - 1)
        value: core.Expression | None = None
        type_: Type = FLAG
        match gather:
            case "sum" | "count":
                value, type_ = (self._write_number(inside, depth - 1) if gather == "sum" else None), WHOLE
            case "list":
                value, type_ = self._write(NUMBER, inside, depth - 1), NUMBERS
            case "set":
                value, type_ = self._write(UNIT, inside, depth - 1) if self._draw.random() < 0.5 else None, UNITS
            case "every":
                value = self._write(FLAG, inside, depth - 1)
            case _:
                pass
        return core.Over((name,), source, where, gather, value, type=type_, origin=None)

    def _write_flag(self, scope: _Scope, depth: int) -> core.Expression:
        draw, lower = self._draw, depth - 1
        yes, no = (const(value, FLAG) for value in (True, False))
        if depth <= 0:
            name = self._pick(FLAG, scope)
            return draw.choice((yes, no)) if name is None else get(name)
        if draw.random() < 0.1:
            return self._test_of_board(scope, lower)
        unit = self._write(UNIT, scope, lower)
        match draw.randrange(12):
            case 0 | 1 | 2:
                name = draw.choice(("less", "at most", "more", "at least", "equal"))
                return op(name, self._write_number(scope, lower), self._write_number(scope, lower), type_=FLAG)
            case 3:
                return cond(self._write(FLAG, scope, lower), self._write(FLAG, scope, lower), no, FLAG)
            case 4:
                return cond(self._write(FLAG, scope, lower), yes, self._write(FLAG, scope, lower), FLAG)
            case 5:
                return op("not", self._write(FLAG, scope, lower))
            case 6 | 7:
                return self._gather(draw.choice(("some", "no", "every")), scope, depth)
            case 8:
                return load(core.Gone("Unit", unit), FLAG)
            case 9:
                pair = core.Pair(
                    "bond", ("Unit", "Unit"), symmetric=True, first=unit, second=self._write(UNIT, scope, lower)
                )
                return load(pair, FLAG)
            case 10:
                type_ = draw.choice((MOOD, UNIT, UNITS))
                return op("equal", self._write(type_, scope, lower), self._write(type_, scope, lower))
            case _:
                return op("in", unit, self._write(UNITS, scope, lower))

    def _write_unit(self, scope: _Scope, depth: int) -> core.Expression:
        if depth > 0:
            order = self._pick(ListType(UNIT), scope)
            if order is not None and self._draw.random() < 0.3:
                some = op("more", op("count of", get(order), type_=WHOLE), const(0, NUMBER))
                first = op("item", get(order), const(1, NUMBER), type_=UNIT)
                return cond(some, first, self._plain(UNIT, scope), UNIT)
            mark = self._pick(MARK, scope)
            if mark is not None and self._draw.random() < 0.3:
                return op("part", get(mark), type_=UNIT, facts=(1,))
            if self._draw.random() < 0.005:
                return core.Over(
                    (self._new_local(UNIT),), self._write(UNITS, scope, 1), None, "only", None, type=UNIT, origin=None
                )
        return self._plain(UNIT, scope)

    def _write_cell(self, scope: _Scope, depth: int) -> core.Expression:
        """A cell of the board; of a unit that is somewhere its own."""
        if depth <= 0 or self._draw.random() < 0.4:
            return self._plain(CELL, scope)
        spot = load(core.Attribute("Unit", "at", self._write(UNIT, scope, depth - 1)), SOMEWHERE)
        known = self._new_local(SOMEWHERE)
        is_nowhere = op("equal", get(known), const(None))
        found = cond(is_nowhere, self._plain(CELL, scope), core.Get(known, type=CELL, origin=None), CELL)  # fmt: skip
        return core.Bind(known, spot, found, type=CELL, origin=None)

    def _write_cells(self, scope: _Scope, depth: int) -> core.Expression:
        every = load(core.Cells("field"), CELLS)
        if depth <= 0:
            return every
        cell = self._write(CELL, scope, depth - 1)
        match self._draw.randrange(4):
            case 0:
                return op("neighbours", cell, type_=CELLS, facts=("hex",))
            case 1:
                facing = const(self._draw.randrange(6), DirectionType("hex"))
                return op("rear cells", cell, facing, type_=CELLS, facts=("hex",))
            case 2:
                return op("set", cell, self._write(CELL, scope, depth - 1), type_=CELLS)
            case _:
                return every

    def _write_of_board(self, scope: _Scope, depth: int) -> core.Expression:
        """A number that the board gives, or a setting."""
        cell, other = self._write(CELL, scope, depth), self._write(CELL, scope, depth)
        return self._draw.choice((
            load(core.Setting("hardness"), NUMBER),
            load(core.CellAttribute("field", "cost", cell), NUMBER),
            op("distance", cell, other, type_=WHOLE, facts=("hex",)),
            op("count of", op("occupants", cell, type_=UNITS, facts=("Unit",)), type_=WHOLE),
            op("count of", self._write(CELLS, scope, depth), type_=WHOLE),
        ))  # fmt: skip

    def _test_of_board(self, scope: _Scope, depth: int) -> core.Expression:
        cell, other = self._write(CELL, scope, depth), self._write(CELL, scope, depth)
        return self._draw.choice((
            load(core.SideAttribute("field", "wall", cell, other), FLAG),
            core.Op("adjacent", (cell, other), ("hex",), type=FLAG, origin=None),
            op("on board", load(core.Attribute("Unit", "at", self._plain(UNIT, scope)), SOMEWHERE), type_=FLAG),
            op("in", cell, self._write(CELLS, scope, depth)),
        ))  # fmt: skip

    def _write_units(self, scope: _Scope, depth: int) -> core.Expression:
        draw, lower = self._draw, depth - 1
        in_play = load(core.InPlay("Unit"), UNITS)
        if depth <= 0:
            return in_play
        unit = self._write(UNIT, scope, lower)
        match draw.randrange(9):
            case 0 | 1:
                return in_play
            case 2:
                return load(core.RemovedThings("Unit"), UNITS)
            case 3:
                return load(core.Attribute("Unit", "friends", unit), UNITS)
            case 4:
                return op("set", unit, self._write(UNIT, scope, lower), type_=UNITS)
            case 5:
                name = draw.choice(("union", "difference"))
                return op(name, self._write(UNITS, scope, lower), self._write(UNITS, scope, lower), type_=UNITS)
            case 6:
                return op(draw.choice(("with member", "without")), self._write(UNITS, scope, lower), unit, type_=UNITS)
            case 7:
                related = core.Closure("related:bond", (), type=FLAG, origin=None)
                return op("connected", unit, related, type_=UNITS, facts=("Unit",))
            case _:
                return self._gather("set", scope, depth)

    def _write_mood(self, scope: _Scope, depth: int) -> core.Expression:
        draw = self._draw
        match draw.randrange(3):
            case 0 if depth > 0:
                steps = self._write_number(scope, depth - 1)
                return op("shift word", self._write(MOOD, scope, depth - 1), steps, type_=MOOD, facts=(2,))
            case 1:
                return load(core.Attribute("Unit", "mood", self._write(UNIT, scope, depth - 1)), MOOD)
            case _:
                return const(draw.randrange(3), MOOD)

    def _write_numbers(self, scope: _Scope, depth: int) -> core.Expression:
        draw, lower = self._draw, depth - 1
        few = tuple(self._write(NUMBER, scope, lower) for _ in range(draw.randint(0, 2)))
        if depth <= 0:
            return op("list", *few, type_=NUMBERS)
        match draw.randrange(5):
            case 0:
                return op(
                    "interval", self._write(NUMBER, scope, lower), self._write(NUMBER, scope, lower), type_=NUMBERS
                )
            case 1:
                return op("sorted", self._write(NUMBERS, scope, lower), type_=NUMBERS)
            case 2:
                return self._gather("list", scope, depth)
            case 3:
                return op("appended", self._write(NUMBERS, scope, 0), self._write(NUMBER, scope, lower), type_=NUMBERS)
            case _:
                return op("list", *few, type_=NUMBERS)


def _place(local: core.Local) -> core.Place:
    return core.Place(local, (), local.type)


def _kept(pool: core.Local) -> core.Op:
    return op("kept dice", get(pool), type_=ListType(DIE))


def _give_origins(form: Any) -> Any:
    """A form in which each expression has an origin of its own, a number that stands nowhere."""
    if isinstance(form, tuple):
        return tuple(map(_give_origins, form))
    if not isinstance(form, _FORMS):
        return form
    changed = {
        field.name: _give_origins(value)
        for field in fields(form)
        if field.name not in _PLAIN_FIELDS and isinstance(value := getattr(form, field.name), (tuple, *_FORMS))
    }
    if isinstance(form, core.Value) and form.origin is None:
        changed["origin"] = ex.Literal(type=WHOLE, span=SPAN, value=0)
        if isinstance(form, core.Op) and form.name == "narrow":
            changed["origin"] = ex.Narrowed(type=NUMBER, span=SPAN, operand=changed["origin"])
    return replace_form(form, **changed) if changed else form


_FORMS = tuple(kind for kind in vars(core).values() if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__"))
_PLAIN_FIELDS = {"origin", "type", "root_type", "facts", "locals", "parameters", "names", "local", "result"}


# Playing.


def make_start(seed: int) -> Situation:
    """A start of the store: two or three units, some of them on a board of four cells."""
    start, draw = make_situation(seed), Random(seed)
    places = tuple(draw.choice((None, *MAP_CELLS)) for _ in start.base.things["Unit"])
    base = replace_form(start.base, boards={"field": MAP_CELLS}, settings={"hardness": draw.randint(0, 3)})
    walls = {((0, 0), (0, 1)): True} if draw.random() < 0.5 else {}
    costs = {cell: 2 for cell in MAP_CELLS if draw.random() < 0.3}
    return replace_form(
        start,
        base=base,
        attributes={**start.attributes, "Unit/at": places},
        cells={"field/cost": costs},
        sides={"field/wall": walls},
    )


def play_random_core(program: core.CoreProgram, seed: int) -> JudgedPlay:
    """A play of a random core program by the core interpreter, with the start and answers of a seed."""
    start, draw = make_start(seed), Random(seed)
    return play_core(program, load_store(), start, "main", (0, 1), lambda asked: choose_answer(asked, start, draw))


def choose_answer(asked: JudgeRequest, start: Situation, draw: Random) -> Any:
    """Any legal answer of a request."""
    match asked.sort:
        case "roll":
            return tuple(draw.choice(faces) for faces in asked.faces)
        case "draw":
            return draw.choice(asked.items)
        case "shuffle" | "handlers":
            return tuple(draw.sample(asked.items, len(asked.items)))
        case "external":
            changes = [("Unit/health", 0, draw.randint(0, 5))] if draw.random() < 0.5 else []
            return draw.randint(0, 2), tuple(changes)
        case "value":
            return draw_value(NumberType(0, 3), load_store(), start.base.things, draw)
        case _:
            assert asked.legal is not None, asked
            return draw.choice(asked.legal)


# Making smaller.


def shrink_core(program: core.CoreProgram, fails: Callable[[core.CoreProgram], bool]) -> core.CoreProgram:
    """A smaller program that fails too: statements dropped, or replaced by what is in them, while invariants hold."""
    while True:
        smaller = next((each for each in list_smaller(program) if check_core(each) == [] and fails(each)), None)
        if smaller is None:
            return program
        program = smaller


def list_smaller(program: core.CoreProgram) -> Iterator[core.CoreProgram]:
    """Programs with something left out, those with the most left out first in each routine."""
    for key, routine in program.routines.items():
        if routine == _lower_store().routines.get(key):
            continue
        for entry in _list_smaller_blocks(routine.entry):
            yield _with_routine(program, replace_form(routine, entry=entry))
        for number, step in enumerate(routine.steps):
            for block in _list_smaller_blocks(step.block):
                steps = (*routine.steps[:number], replace_form(step, block=block), *routine.steps[number + 1 :])
                yield _with_routine(program, replace_form(routine, steps=steps))


def _with_routine(program: core.CoreProgram, routine: core.Routine) -> core.CoreProgram:
    return replace_form(program, routines={**program.routines, routine.key: routine})


def _list_smaller_blocks(block: core.Block) -> Iterator[core.Block]:
    size = len(block)
    while size > 0:
        for start in range(0, len(block), size):
            yield block[:start] + block[start + size :]
        size //= 2
    for number, statement in enumerate(block):
        before, after = block[:number], block[number + 1 :]
        inner = {
            field.name: getattr(statement, field.name)
            for field in fields(statement)
            if field.name in {"then", "other", "none", "body"}
        }
        for held in inner.values():
            yield (*before, *held, *after)
        for name, held in inner.items():
            for smaller in _list_smaller_blocks(held):
                yield (*before, replace_form(statement, **{name: smaller}), *after)
