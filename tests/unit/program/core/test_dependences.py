"""What core forms read and write, and whether they may fail, stop or lead elsewhere."""

from typing import Any

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.dependences import NO_EFFECTS, DependenceAnalysis, may_meet
from rulewright.program.core.effects import EVERYWHERE
from rulewright.program.core.lowering import lower_program
from rulewright.program.types import WHOLE
from support.core_forms import UNIT, const, core_program, get, load, local, op, place, put, routine
from support.shipped_programs import load_shipped_program

U, N, M = local(0, "u", UNIT), local(1, "n"), local(2, "m")
HEALTH, ROUND = core.Attribute("Unit", "health", get(U)), core.GameField("round")


def analyze(*routines: core.Routine, **tables: Any) -> DependenceAnalysis:
    return DependenceAnalysis(core_program(*routines, **tables))


def test_a_change_reads_its_value_and_keys_and_writes_its_place() -> None:
    found = analyze().find_effects(put(HEALTH, op("add", load(HEALTH), get(N))))
    assert found.reads == {"Unit/health"}
    assert found.writes == {"Unit/health"}
    assert found.local_reads == {U.index, N.index}
    assert not found.may_fault
    assert not found.is_ordered


def test_what_is_bound_is_no_name_of_the_routine() -> None:
    fold = core.Over(
        (M,), load(core.InPlay("Unit")), op("less", get(M), get(N)), "count", None, type=WHOLE, origin=None
    )
    found = analyze().find_effects(fold)
    assert found.local_reads == {N.index}
    assert found.reads == {"Unit/gone"}
    assert found.is_pure


@pytest.mark.parametrize(
    ("form", "flag"),
    [
        (op("divide", const(1), get(N)), "may_fault"),
        (core.Fail("RW0808", origin=None), "may_fault"),
        (core.Wanted("luck", (), None, type=WHOLE, origin=None), "may_want"),
        (core.Shuffle(place(core.GameField("stack")), origin=None), "may_stop"),
        (core.External("fate", (), None, origin=None), "may_stop"),
        (core.Note("revealed", (get(N),), origin=None), "is_heard"),
        (core.During(core.Holding(("panic",)), origin=None), "is_heard"),
        (core.Settle(origin=None), "has_calls"),
    ],
)
def test_what_no_form_may_be_dropped_for(form: Any, flag: str) -> None:
    found = analyze().find_effects(form)
    assert getattr(found, flag)
    assert not found.is_pure


def test_an_external_procedure_changes_what_it_declares_or_everything() -> None:
    asked = core.External("fate", (), None, origin=None)
    assert analyze().find_effects(asked).writes == EVERYWHERE
    declared = DependenceAnalysis(core_program(), {"fate": frozenset({"Unit/health"})})
    assert declared.find_effects(asked).writes == {"Unit/health"}


def test_a_way_out_ends_at_its_loop() -> None:
    leave = core.Leave(1, again=False, origin=None)
    returned = core.Return(get(N), origin=None)
    loop = core.For((M,), get(N), (leave, returned), 1, origin=None)
    assert analyze().find_effects(leave).exits == {1}
    assert analyze().find_effects(loop).exits == {"return"}


def test_calls_add_what_they_come_to() -> None:
    inner = routine("procedure:inner", (put(ROUND, load(HEALTH)), core.Return(const(1), origin=None)), parameters=1)
    outer = routine("procedure:outer", (core.Call("procedure:inner", (get(U),), N, origin=None),), parameters=1)
    analysis = analyze(inner, outer)
    found = analysis.find_routine_effects("procedure:outer")
    assert found.reads == {"Unit/health"}
    assert found.writes == {"game/round"}
    assert not found.exits
    assert not found.may_fault
    assert not found.local_writes


def test_a_routine_that_may_call_itself_may_fail() -> None:
    again = core.Apply("function:again", (get(N),), type=WHOLE, origin=None)
    analysis = analyze(routine("function:again", (core.Return(again, origin=None),), parameters=1))
    assert analysis.find_routine_effects("function:again").may_fault


def test_whoever_listens_is_told() -> None:
    heard = core.During(core.Listening("hit", (), (put(ROUND, const(1)),)), origin=None)
    analysis = analyze(routine("procedure:main", (heard,)))
    told = analysis.find_effects(core.Trigger("hit", (), None, removal=False, origin=None))
    assert told.writes == {"game/round"}
    assert not analysis.find_effects(heard).writes


def test_places_that_may_be_one() -> None:
    some, other = frozenset({"Unit/health"}), frozenset({"game/round"})
    assert may_meet(some, some)
    assert not may_meet(some, other)
    assert may_meet(some, EVERYWHERE)
    assert not may_meet(frozenset(), EVERYWHERE)


def test_pure_routines_of_a_shipped_ruleset_change_nothing() -> None:
    program = lower_program(load_shipped_program("mel"))
    analysis = DependenceAnalysis(program)
    for key, each in program.routines.items():
        found = analysis.find_routine_effects(key)
        assert not each.is_pure or not (found.writes or found.may_stop or found.has_calls or found.exits)
    assert analysis.find_routine_effects("procedure:melee_attack").may_stop


def test_effects_of_nothing() -> None:
    assert analyze().find_effects(()) == NO_EFFECTS
