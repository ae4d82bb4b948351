"""What lowering makes keeps all invariants, and a core that breaks one is noticed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.frozen import replace
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.program.types import FLAG, WHOLE, ListType, NoneType, NumberType, OptionalType
from support.core_forms import (
    SPAN,
    UNIT,
    UNITS,
    const,
    core_program,
    get,
    line,
    load,
    local,
    op,
    place,
    put,
    routine,
)
from support.core_invariants import INVARIANTS, check_core
from support.language_cases import FOLDER, Case, split_blocks
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import sample_cases


def violations_of(program: Program) -> list[str]:
    return [str(violation) for violation in check_core(lower_program(program), program)]


CASES = sorted(FOLDER.glob("*/good/*.md"))


@pytest.mark.parametrize("path", sample_cases(CASES, 3), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_cases_of_the_language_keep_the_invariants(path: Path) -> None:
    blocks = split_blocks(Case(path).read_text(), "rules", "yaml", "csv")
    files = MemoryFiles({block["name"] or "example.rules": block["content"] for block in blocks})
    program = load_ruleset(locate_ruleset("example.rules", files), provider=files).program
    assert program is None or violations_of(program) == []


# Cores broken by hand.

N, U, T, F = local(0, "n"), local(1, "u", UNIT), local(2), local(3, "f", FLAG)
HEALTH = place(core.Attribute("Unit", "health", get(U)))
AT = line("p/1")


def fail(fault: str = "RW0803") -> core.Fail:
    return core.Fail(fault, origin=AT)


def leave(label: int) -> core.Leave:
    return core.Leave(label, again=False, origin=AT)


def quiet(*body: core.Statement) -> core.Quiet:
    return core.Quiet(body, holds_back=True, origin=AT)


def ask(*then: core.Statement) -> core.Ask:
    choices = core.Listed((core.Choice(const(True), None), core.Choice(const(False), None)))
    return core.Ask(const(0), choices, (), F, then, (), origin=AT)


def settle(address: str = "p/1") -> core.Settle:
    return core.Settle(origin=line(address))


def watch(*body: core.Statement) -> core.During:
    return core.During(core.Listening("fallen", (U,), body), origin=AT)


def loop(*body: core.Statement, label: int = 1, bound: core.Expression | None = None) -> core.Loop:
    return core.Loop(None, bound or const(9), body, label, origin=AT)


def choose(test: core.Expression, then: core.Block = (), other: core.Block = ()) -> core.If:
    return core.If(test, then, other, origin=AT)


def step(*block: core.Statement, guard: core.Expression | None = None) -> core.Step:
    return core.Step(guard, block, origin=AT)


def jump(to: int, rounds: core.Local | None = None, bound: core.Expression | None = None) -> core.Jump:
    return core.Jump(to, bound, rounds, origin=AT)


HIT = put(HEALTH, const(1), "p/1")
SETS_U = put(U, const(0, UNIT), "p/1")
NOTHING = core.Return(const(None), origin=AT)
TERM = routine("function:term", (core.Return(get(N), origin=AT),), parameters=1)
TERM_USE = core.Apply("function:term", (const(1),), type=WHOLE, origin=None)
WANTS = routine("function:wants", (core.Return(core.Wanted("arc", (), None, type=WHOLE, origin=None), origin=AT),))
TABLES: dict[str, Any] = {
    "due_keys": {"Unit/health": ("rule:death",)},
    "rules": ("rule:death",),
    "windows": {"fallen": "window:fallen"},
}
OTHERS = (
    TERM,
    WANTS,
    routine("rule:death", ()),
    core.Routine("settling:", "settling", (), (), (), (), None, origin=None),
    routine("window:fallen", (NOTHING,)),
    routine("invariant:late", (core.Return(load(core.GameField("turn")), origin=AT),)),
    routine("invariant:lucky", (core.Return(core.Apply("function:wants", (), type=WHOLE, origin=None), origin=AT),)),
    routine("procedure:asks", (ask(),)),
    routine("procedure:quick", (SETS_U, HIT, settle())),
)


def check(
    *entry: core.Statement, steps: tuple[core.Step, ...] = (), key: str = "procedure:p", **tables: Any
) -> list[str]:
    """The invariants that a routine of some statements breaks."""
    program = core_program(routine(key, entry, *steps), *OTHERS, **{**TABLES, **tables})
    return [violation.invariant for violation in check_core(program)]


SOUND: list[Callable[[], list[str]]] = [
    check,
    lambda: check(put(N, const(1), "p/1"), put(T, op("add", get(N), const(1)), "p/1")),
    lambda: check(choose(const(True), (put(N, const(1), "p/1"),), (fail(),)), put(T, get(N), "p/1")),
    lambda: check(choose(const(True), (put(N, const(1), "p/1"),), (put(N, const(2), "p/1"),)), put(T, get(N), "p/1")),
    lambda: check(put(T, get(local(5, "x", OptionalType(WHOLE))), "p/1")),
    lambda: check(loop(choose(const(True), (put(N, const(1), "p/1"), leave(1)))), put(T, get(N), "p/1")),
    lambda: check(loop(loop(leave(1), label=2))),
    lambda: check(ask(put(T, get(F), "p/1")), put(T, get(F), "p/1")),
    lambda: check(SETS_U, HIT, settle(), ask()),
    lambda: check(SETS_U, HIT, put(place(core.Attribute("Unit", "morale", get(U))), const(1), "p/1"), settle(), ask()),
    lambda: check(SETS_U, quiet(HIT, HIT), settle()),
    lambda: check(quiet(core.Call("procedure:quick", (), None, origin=AT)), settle()),
    lambda: check(quiet(loop(leave(1)))),
    lambda: check(watch(put(N, get(U), "p/1"))),
    lambda: check(watch(put(N, core.Wanted("arc", (), None, type=WHOLE, origin=None), "p/1"))),
    lambda: check(steps=(step(put(N, const(1), "p/1"), jump(1)), step(put(T, get(N), "p/1")))),
    lambda: check(steps=(step(put(N, const(1), "p/1")), step(jump(0, T, const(3))))),
    lambda: check(put(T, core.Bind(N, const(1), get(N), type=WHOLE, origin=None), "p/1")),
    lambda: check(
        put(T, core.Over((U,), load(core.InPlay("Unit"), UNITS), None, "count", get(U), type=WHOLE, origin=None), "p/1")
    ),
    lambda: check(put(T, TERM_USE, "p/1")),
    lambda: check(core.Trigger("fallen", (), None, removal=False, origin=AT)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SOUND)))
def test_what_is_sound_is_not_reported(number: int) -> None:
    assert SOUND[number]() == []


UNIT_SET = core.Load(core.InPlay("Unit"), type=UNITS, origin=None)
BROKEN: list[tuple[str, Callable[[], list[str]]]] = [
    ("assigned names", lambda: check(put(T, get(N), "p/1"))),
    ("assigned names", lambda: check(choose(const(True), (put(N, const(1), "p/1"),)), put(T, get(N), "p/1"))),
    ("assigned names", lambda: check(loop(choose(const(True), (leave(1),)), put(N, const(1), "p/1")), put(T, get(N), "p/1"))),
    ("assigned names", lambda: check(
        core.For((U,), UNIT_SET, (put(N, const(1), "p/1"),), 1, origin=AT), put(T, get(N), "p/1"))),
    ("assigned names", lambda: check(
        steps=(step(jump(2)), step(put(N, const(1), "p/1")), step(put(T, get(N), "p/1"))))),
    ("assigned names", lambda: check(
        steps=(step(put(N, const(1), "p/1"), guard=const(True)), step(put(T, get(N), "p/1"))))),
    ("assigned names", lambda: check(put(T, core.Bind(N, get(N), const(1), type=WHOLE, origin=None), "p/1"))),
    ("assigned names", lambda: check(
        core.Ask(const(0), core.Members((N,), UNIT_SET, None), (), N, (), (), origin=AT), put(T, get(N), "p/1"))),
    ("assigned names", lambda: check(put(place(N, core.EntryOf(const(1), WHOLE)), const(1), "p/1"))),
    ("flags", lambda: check(choose(const(1)))),
    ("flags", lambda: check(put(F, core.Cond(const(1), const(True), const(False), type=FLAG, origin=None), "p/1"))),
    ("flags", lambda: check(core.Loop(const(1), const(2), (), 1, origin=AT))),
    ("operations", lambda: check(put(T, op("plus", const(1), const(2)), "p/1"))),
    ("operations", lambda: check(put(T, op("add", const(1)), "p/1"))),
    ("operations", lambda: check(put(T, op("narrow", const(1)), "p/1"))),
    ("faults", lambda: check(fail("RW9999"))),
    ("loops", lambda: check(leave(1))),
    ("loops", lambda: check(loop(), leave(1))),
    ("loops", lambda: check(loop(loop()))),
    ("loops, watches", lambda: check(loop(watch(leave(1))))),
    ("bounds", lambda: check(core.Loop(None, None, (leave(1),), 1, origin=AT))),
    ("jumps", lambda: check(steps=(step(jump(1)),))),
    ("jumps", lambda: check(jump(0))),
    ("jumps", lambda: check(steps=(step(jump(0, None, const(3))),))),
    ("quiet", lambda: check(quiet(ask()), settle())),
    ("quiet", lambda: check(quiet(choose(const(True), (core.Call("procedure:asks", (), None, origin=AT),))), settle())),
    ("quiet", lambda: check(quiet(put(T, core.Wanted("arc", (), None, type=WHOLE, origin=None), "p/1")))),
    ("quiet", lambda: check(quiet(put(T, core.Apply("function:wants", (), type=WHOLE, origin=None), "p/1")))),
    ("quiet", lambda: check(quiet(NOTHING))),
    ("quiet", lambda: check(loop(quiet(leave(1))))),
    ("quiet", lambda: check(quiet(settle()))),
    ("quiet", lambda: check(core.Quiet((settle(),), holds_back=False, origin=AT))),
    ("quiet", lambda: check(quiet(core.Unwind("p", const(1), origin=AT)))),
    ("watches", lambda: check(watch(ask()))),
    ("watches", lambda: check(watch(NOTHING))),
    ("watches", lambda: check(watch(put(place(core.GameField("turn")), const(1), "p/1")))),
    ("purity", lambda: check(settle(), NOTHING, key="function:p")),
    ("purity", lambda: check(put(place(core.GameField("turn")), const(1), "p/1"), NOTHING, key="function:p")),
    ("purity", lambda: check(NOTHING, steps=(step(),), key="function:p")),
    ("results", lambda: check(key="function:p")),
    ("results", lambda: check(choose(const(True), (NOTHING,)), key="function:p")),
    ("results", lambda: check(core.For((U,), UNIT_SET, (NOTHING,), 1, origin=AT), key="function:p")),
    ("routines", lambda: check(core.Call("procedure:q", (), None, origin=AT))),
    ("routines", lambda: check(core.Call("function:term", (const(1),), None, origin=AT))),
    ("routines", lambda: check(core.Call("procedure:quick", (const(1),), None, origin=AT))),
    ("routines", lambda: check(put(T, core.Apply("procedure:quick", (), type=WHOLE, origin=None), "p/1"))),
    ("routines", lambda: check(put(T, core.Apply("function:term", (), type=WHOLE, origin=None), "p/1"))),
    ("routines", lambda: check(put(T, core.Wanted("arc", (), "default:arc", type=WHOLE, origin=None), "p/1"))),
    ("routines", lambda: check(put(T, op(
        "connected", const(1), core.Closure("function:term", (), type=FLAG, origin=None), facts=("Unit",)), "p/1"))),
    ("routines", lambda: check(core.Trigger("fallen", (const(1),), None, removal=False, origin=AT))),
    ("routines", lambda: check(core.Unwind("q", const(1), origin=AT))),
    ("routines", lambda: check(windows={"fallen": "window:nothing"})),
    ("routines", lambda: check(measures={"losses": "measure:losses"})),
    ("places", lambda: check(put(place(core.InPlay("Unit")), const(None), "p/1"))),
    ("places", lambda: check(put(place(core.GameField("wounds"), core.EntryOf(op("add", const(1), const(1)), WHOLE)),
                                 const(1), "p/1"))),
    ("places", lambda: check(put(place(core.Attribute("Unit", "morale", TERM_USE)), const(1), "p/1"))),
    ("settling", lambda: check(SETS_U, HIT)),
    ("settling", lambda: check(SETS_U, HIT, ask(), settle())),
    ("settling", lambda: check(SETS_U, HIT, put(T, const(1), "p/2"), settle("p/2"))),
    ("settling", lambda: check(SETS_U, choose(const(True), (HIT,)), NOTHING)),
    ("settling", lambda: check(SETS_U, loop(HIT), settle())),
    ("settling", lambda: check(SETS_U, quiet(HIT))),
    ("settling", lambda: check(SETS_U, HIT, core.Call("procedure:quick", (), None, origin=AT), settle())),
    ("settling", lambda: check(core.External("mend", (), None, origin=AT))),
    ("settling", lambda: check(SETS_U, core.Draw(HEALTH, N, None, origin=AT))),
    ("settling", lambda: check(SETS_U, steps=(step(HIT, jump(1)), step(settle())))),
    ("rules", lambda: check(core.During(core.Holding(("despair",)), origin=AT))),
    ("rules", lambda: check(put(F, load(core.Due("rule:despair"), FLAG), "p/1"))),
    ("rules", lambda: check(put(F, load(core.Held("despair"), FLAG), "p/1"))),
    ("rules", lambda: check(due_keys={"Unit/health": ("rule:despair",)})),
    ("due", lambda: check(put(place(core.GameField("turn")), const(1), "p/1"), invariants=("invariant:late",))),
    ("due", lambda: check(SETS_U, put(place(core.Attribute("Unit", "morale", get(U))), const(1), "p/1"),
                          invariants=("invariant:lucky",), due_keys={"Unit/health": ("rule:death", "invariant:lucky")})),
    ("origins", lambda: check(put(T, const(1)))),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BROKEN)), ids=lambda number: f"{number} {BROKEN[number][0]}")
def test_what_is_broken_is_reported(number: int) -> None:
    invariant, check_broken = BROKEN[number]
    assert {*check_broken()} == {*invariant.split(", ")}


def test_every_invariant_is_broken_here() -> None:
    assert {name for names, _ in BROKEN for name in names.split(", ")} | {"own names"} == INVARIANTS.keys()


def test_a_name_of_another_routine_is_reported() -> None:
    one = put(T, get(N), "p/1")
    strange = core.Routine("procedure:p", "procedure", (N,), (N,), (one,), (), None, origin=AT)
    double = core.Routine("procedure:q", "procedure", (), (N, local(0)), (), (), None, origin=AT)
    lacking = core.Routine("procedure:r", "procedure", (N,), (), (), (), None, origin=AT)
    for broken in (strange, double, lacking):
        assert {violation.invariant for violation in check_core(core_program(broken))} == {"own names"}


def test_a_line_without_a_form_is_reported() -> None:
    text = write_program("random", 0)
    program = load_text(text).program
    assert program is not None
    lowered = lower_program(program)
    without = {key: each for key, each in lowered.routines.items() if key != "procedure:take_card"}
    broken = core.CoreProgram(without, {}, (), (), {}, {})
    reported = [each for each in check_core(broken, program) if "stems" in each.detail]
    assert {each.routine for each in reported} >= {"take_card"}
    assert all(each.invariant == "origins" for each in reported)


def test_two_forms_of_one_expression_are_reported() -> None:
    program = load_text(write_program("random", 0)).program
    assert program is not None
    lowered = lower_program(program)
    key = "function:Unit/hurt"
    (returned,) = lowered.routines[key].entry
    assert isinstance(returned, core.Return)
    copied = core.Op("not", (returned.value,), type=FLAG, origin=returned.value.origin)
    broken = replace(lowered.routines[key], entry=(replace(returned, value=copied),))
    found = check_core(replace(lowered, routines={**lowered.routines, key: broken}), program)
    assert [(each.routine, each.invariant) for each in found] == [(key, "origins")]


def test_an_inner_statement_takes_its_address_from_around() -> None:
    assert check(choose(const(True), (put(T, const(1)),))) == []


def test_a_loop_of_a_rank_needs_no_bound() -> None:
    rank = st.RankKey("key", "p/1/key", "ask", const(0), None, (), SPAN, "")  # type: ignore[arg-type]
    endless = core.Loop(None, None, (core.Leave(1, again=False, origin=AT),), 1, origin=rank)
    assert check(endless) == []


def test_a_violation_says_where_it_is() -> None:
    (violation,) = check_core(core_program(routine("procedure:p", (core.Fail("RW0000", origin=AT),))))
    assert str(violation) == "procedure:p @p/1: faults: RW0000 is not in the table of faults"


def test_types_of_tests_may_be_optional() -> None:
    assert (
        check(put(local(6, "", OptionalType(FLAG)), const(True), "p/1"), choose(get(local(6, "", OptionalType(FLAG)))))
        == []
    )
    assert check(put(T, const((), ListType(NumberType(1, 2))), "p/1"), choose(const(None, NoneType()))) == ["flags"]
