"""The text of core programs: every form, and what is left out where it says nothing new."""

from typing import get_args

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.printing import get_origin_address, render_core, render_routine
from rulewright.program.core.walking import walk_statements
from rulewright.program.types import FLAG, WHOLE, ListType, MapType, SetType, TupleType, WordType
from support.core_forms import (
    UNIT,
    UNITS,
    both,
    const,
    core_program,
    either,
    get,
    line,
    load,
    local,
    op,
    place,
    put,
    routine,
)

N, U, T, D = local(0, "n"), local(1, "u", UNIT), local(2), local(3, "dest")
HEALTH = core.Attribute("Unit", "health", get(U))
MOOD = WordType("Mood")
DIE = core.DiceOf(const(2), op("numbered faces", const(6)), "", (), None, None)


def lines_of(*statements: core.Statement) -> list[str]:
    return [text.strip() for text in render_routine(routine("procedure:p", statements))][1:]


def text_of(expression: core.Expression) -> str:
    return lines_of(core.Return(expression, origin=None))[0].removeprefix("return ")


def roll(*dice: core.DiceOf, **fields: object) -> core.RollOf:
    return core.RollOf(dice, (), type=WHOLE, origin=None, **fields)  # type: ignore[arg-type]


EXPRESSIONS = [
    (const(None), "none"),
    (const("army"), '"army"'),
    (const(2, MOOD), "#2"),
    (const((1, 2), SetType(WHOLE)), "{1, 2}"),
    (const((2, 1), ListType(WHOLE)), "[2, 1]"),
    (const((True, 1), TupleType((FLAG, WHOLE))), "(yes, 1)"),
    (load(HEALTH), "health[u]"),
    (load(core.GameField("turn")), "game.turn"),
    (load(core.Setting("hard")), "setting.hard"),
    (load(core.InPlay("Unit")), "in_play[Unit]"),
    (load(core.RemovedThings("Unit")), "removed[Unit]"),
    (load(core.Cells("field")), "cells[field]"),
    (load(core.Gone("Unit", get(U))), "gone[u]"),
    (load(core.CellAttribute("field", "terrain", get(N))), "terrain[n]"),
    (load(core.SideAttribute("field", "wall", get(N), get(T))), "wall[n, t2]"),
    (load(core.Pair("bond", ("Unit", "Unit"), True, get(U), get(T))), "bond[u, t2]"),
    (load(core.Due("rule:death")), "due[rule:death]"),
    (load(core.Held("death")), "held[death]"),
    (load(core.Held("")), "held[any rule]"),
    (op("add", get(N), op("multiply", get(N), const(2))), "n + n * 2"),
    (op("multiply", op("add", get(N), const(1)), const(2)), "(n + 1) * 2"),
    (op("subtract", get(N), op("subtract", get(N), const(1))), "n - (n - 1)"),
    (op("subtract", op("subtract", get(N), const(1)), const(1)), "n - 1 - 1"),
    (op("negate", op("add", get(N), const(1))), "-(n + 1)"),
    (op("equal", op("equal", get(N), const(1)), const(True)), "(n = 1) = yes"),
    (op("not", op("equal", get(N), const(None))), "n != none"),
    (op("not", op("in", get(U), load(core.InPlay("Unit"), UNITS))), "u not in in_play[Unit]"),
    (op("not", both(get(N), get(T))), "not (n and t2)"),
    (both(get(N), both(get(T), op("at most", get(N), const(3)))), "n and t2 and n <= 3"),
    (either(both(get(N), get(T)), get(T)), "n and t2 or t2"),
    (both(either(get(N), get(T)), get(T)), "(n or t2) and t2"),
    (core.Cond(get(N), const(1), const(2), type=WHOLE, origin=None), "if n then 1 else 2"),
    (op("add", core.Cond(get(N), const(1), const(2), type=WHOLE, origin=None), const(1)), "(if n then 1 else 2) + 1"),
    (core.Bind(T, get(N), op("add", get(T), get(T)), type=WHOLE, origin=None), "let t2 = n in t2 + t2"),
    (op("set", get(N), const(1)), "{n, 1}"),
    (op("tuple", get(N), const(1)), "(n, 1)"),
    (op("part", get(N), facts=(1,)), "n.1"),
    (op("die", get(N), facts=("natural",)), "n.natural"),
    (op("entry", get(N), get(U)), "n[u]"),
    (op("narrow", get(N), facts=(WHOLE,)), "narrow[whole number](n)"),
    (op("with member", get(N), get(U)), "with_member(n, u)"),
    (
        core.Over((U,), load(core.InPlay("Unit")), op("more", get(N), const(1)), "sum", load(HEALTH), type=WHOLE,
                  origin=None),
        "sum(health[u] for u in in_play[Unit] where n > 1)",
    ),
    (core.Over((U, None), get(T), None, "list", None, type=WHOLE, origin=None), "list(u, _ in t2)"),
    (core.Apply("function:hurt", (get(U),), type=FLAG, origin=None), "function:hurt(u)"),
    (core.Closure("function:near", (get(U),), type=FLAG, origin=None), "closure function:near(u)"),
    (core.Wanted("arc", (get(U),), None, type=FLAG, origin=None), "wanted arc(u)"),
    (core.Wanted("arc", (), "function:arc", type=FLAG, origin=None), "wanted arc() default function:arc"),
    (roll(DIE), "2d6"),
    (
        roll(core.DiceOf(get(N), const((1, 1, 2)), "blast", (core.RollOptionOf("keep", "highest", const(1), None),),
                         const("red"), const(1)), DIE),
        '(n)blast advantage 1 keep highest 1 called "red" + 2d6',
    ),
    (roll(core.DiceOf(None, const((3, 4)), "", (core.RollOptionOf("explode", "", const(4), const(2)),), None, None)),
     "die((3, 4)) explode 4 at most 2"),
    (roll(DIE, names=(U,), members=get(T)), "2d6 each u in t2"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text"), EXPRESSIONS, ids=lambda each: each if isinstance(each, str) else "")
def test_an_expression(expression: core.Expression, text: str) -> None:
    assert text_of(expression) == text


def test_every_expression_is_printed_here() -> None:
    assert {type(expression) for expression, _ in EXPRESSIONS} >= {*get_args(core.Expression)} - {core.Get}


PUT = put(N, const(1))
STATEMENTS: list[tuple[core.Statement, list[str]]] = [
    (put(place(HEALTH, core.EntryOf(get(N), WHOLE), core.ItemOf(get(N), WHOLE), core.PartOf(1, WHOLE)), const(2)),
     ["set health[u][n][item n].1 = 2"]),
    (core.If(get(N), (PUT,), origin=None), ["if n:", "set n = 1"]),
    (
        core.If(get(N), (PUT,), (core.If(get(T), (PUT,), (core.Settle(origin=None),), origin=None),), origin=None),
        ["if n:", "set n = 1", "else if t2:", "set n = 1", "else:", "settle"],
    ),
    (core.If(get(N), (), (core.Settle(origin=None),), origin=None), ["unless n:", "settle"]),
    (core.If(get(N), (), origin=None), ["if n:", "do nothing"]),
    (
        core.For((U,), get(T), (core.Leave(4, again=True, origin=None),), 4, origin=None),
        ["for u in t2 #4:", "next #4"],
    ),
    (core.For((U, None), get(T), (PUT,), 4, origin=None), ["for u, _ in t2:", "set n = 1"]),
    (core.Loop(None, get(N), (core.Leave(5, again=False, origin=None),), 5, origin=None), ["loop up to n #5:", "leave #5"]),
    (core.Loop(get(T), None, (PUT,), 5, origin=None), ["loop while t2:", "set n = 1"]),
    (core.Quiet((PUT,), holds_back=False, origin=None), ["quiet:", "set n = 1"]),
    (core.Quiet((PUT,), holds_back=True, origin=None), ["quiet, removals held back:", "set n = 1"]),
    (core.Jump(3, None, None, origin=None), ["jump 3"]),
    (core.Jump(3, const(9), T, origin=None), ["jump 3 at most 9 counted by t2"]),
    (core.Call("procedure:wound", (get(U), const(1)), None, origin=None), ["call procedure:wound(u, 1)"]),
    (core.Call("procedure:p", (), N, const(9), origin=None), ["call procedure:p() -> n nested at most 9"]),
    (core.Return(const(None), origin=None), ["return none"]),
    (core.Unwind("attack", get(N), origin=None), ["unwind attack with n"]),
    (core.Fail("RW0803", origin=None), ["fail RW0803"]),
    (core.Fail("RW0803", (get(N),), origin=None), ["fail RW0803 (n)"]),
    (
        core.Ask(
            load(core.Attribute("Unit", "owner", get(U))),
            core.Listed((core.Choice(const(True), get(N)), core.Choice(const(False), None))),
            (),
            T,
            (),
            (),
            origin=None,
        ),
        ["ask owner[u] one of yes when n, no -> t2"],
    ),
    (
        core.Ask(
            get(N),
            core.Members((D,), get(T), None),
            (core.Condition(get(D), prefer=False, origin=None), core.Condition(get(U), prefer=True, origin=None)),
            D,
            (PUT,),
            (core.Fail("RW0808", origin=None),),
            secret=True,
            everyone=N,
            origin=None,
        ),
        ["ask n as one of all, n in secret a member dest in t2 -> dest", "require dest", "prefer u", "then:",
         "set n = 1", "none:", "fail RW0808"],
    ),
    (core.Roll(roll(DIE), get(N), T, origin=None), ["roll 2d6 by n -> t2"]),
    (core.Reroll(get(T), None, origin=None), ["reroll t2"]),
    (core.Draw(place(core.GameField("stack")), T, get(N), origin=None), ["draw from game.stack seen by n -> t2"]),
    (core.Shuffle(place(core.GameField("stack")), origin=None), ["shuffle game.stack"]),
    (core.External("mend", (get(U),), N, origin=None), ["external mend(u) -> n"]),
    (core.Trigger("struck", (get(U),), None, removal=False, origin=None), ["trigger struck(u)"]),
    (core.Trigger("fallen", (get(U),), N, removal=True, origin=None), ["trigger removal fallen(u) -> n"]),
    (core.Settle(origin=None), ["settle"]),
    (core.During(core.Holding(("death", "despair")), origin=None), ["hold death, despair"]),
    (core.During(core.Listening("fallen", (U,), (PUT,)), origin=None), ["watch fallen(u):", "set n = 1"]),
    (core.Note("test", (get(N),), origin=None), ["note test (n)"]),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "lines"), STATEMENTS, ids=lambda each: each[0] if type(each) is list else "")
def test_a_statement(statement: core.Statement, lines: list[str]) -> None:
    assert lines_of(statement) == lines


def test_every_statement_is_printed_here() -> None:
    statements = walk_statements(*(statement for statement, _ in STATEMENTS))
    assert {type(statement) for statement in statements} == {*get_args(core.Statement)}


SPACES: list[tuple[core.AnswerSpace, str]] = [
    (core.Listed(()), "one of "),
    (core.Members((U,), get(T), get(N)), "a member u in t2 where n"),
    (core.Subsets(const(1), get(N), (U,), get(T), None), "1 to n of u in t2"),
    (core.Splits(const(3), get(T)), "a split of 3 over t2"),
    (core.Orders(get(T)), "an order of t2"),
    (core.Poses(get(U)), "a pose of u"),
    (core.Headings(get(U)), "a heading of u"),
]


@pytest.mark.parametrize(("space", "text"), SPACES, ids=lambda each: each if isinstance(each, str) else "")
def test_a_space_of_answers(space: core.AnswerSpace, text: str) -> None:
    assert lines_of(core.Ask(get(N), space, (), T, (), (), origin=None)) == [f"ask n {text} -> t2"]


def test_every_space_of_answers_is_printed_here() -> None:
    assert {type(space) for space, _ in SPACES} == {*get_args(core.AnswerSpace)}


def test_an_address_stands_where_it_changes() -> None:
    block = (put(N, const(1), "p/1/a"), put(N, const(2), "p/1/a"), put(N, const(3)), put(N, const(4), "p/1/b"))
    step = core.Step(get(N), block, origin=line("p/1"))
    assert [*render_routine(routine("procedure:p", (), step, parameters=1))] == [
        "procedure:p(n: whole number):  @procedure:p",
        "  step 0 when n:  @p/1",
        "    set n = 1  @p/1/a",
        "    set n = 2",
        "    set n = 3",
        "    set n = 4  @p/1/b",
    ]


def test_names_that_are_shared_bear_their_index() -> None:
    other = local(7, "n")
    assert lines_of(put(N, get(other)), put(T, get(U))) == ["set n#0 = n#7", "set t2 = u"]


def test_words_have_their_names_where_they_are_given() -> None:
    printed = render_routine(routine("procedure:p", (put(N, const(1, MOOD)),)), {"Mood": ("calm", "wary")})
    assert [*printed][1] == "  set n = wary"


def test_an_empty_routine_and_the_tables_of_a_program() -> None:
    printed = render_core(
        core_program(
            routine("procedure:p", ()),
            routine("rule:death", ()),
            due_keys={"Unit/health": ("rule:death", "invariant:alive")},
            rules=("rule:death",),
            windows={"fallen": "window:fallen"},
            measures={"losses": "function:losses"},
        )
    )
    assert (
        "\n".join(printed)
        == """\
procedure:p():  @procedure:p
  do nothing

rule:death():  @rule:death
  do nothing

rules in the order in which they are tried:
  rule:death

windows:
  fallen: window:fallen

measures:
  losses: function:losses

due when changed:
  Unit/health: rule:death, invariant:alive"""
    )


def test_the_address_of_an_origin() -> None:
    assert get_origin_address(line("p/1/a")) == "p/1/a"
    assert get_origin_address(None) == get_origin_address(const(1)) == ""


def test_maps_are_printed_by_their_default() -> None:
    assert text_of(op("map", const(0), type_=MapType(UNIT, WHOLE))) == "map(0)"
