"""What may stop in core: by forms, by how loud it is, and no more than the machine runs in frames."""

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.stopping import StopAnalysis, Volume
from rulewright.program.types import FLAG, WHOLE
from support.core_forms import const, core_program, get, line, local, op, place, put, routine

AT = line("p/1")
F, N = local(0, "f", FLAG), local(1, "n")
YES = core.Choice(const(True), None)
ASK = core.Ask(const(0), core.Listed((YES,)), (), F, (), (), origin=AT)
SETTLE = core.Settle(origin=AT)
REMOVAL = core.Trigger("fallen", (), None, removal=True, origin=AT)
TRIGGER = core.Trigger("fallen", (), None, removal=False, origin=AT)
HOLD = core.During(core.Holding(("death",)), origin=AT)


def call(key: str) -> core.Call:
    return core.Call(key, (), None, origin=AT)


def wanted(default: str | None = None) -> core.Wanted:
    return core.Wanted("arc", (), default, type=WHOLE, origin=None)


def quiet(*body: core.Statement, holds_back: bool = True) -> core.Quiet:
    return core.Quiet(body, holds_back=holds_back, origin=AT)


ROUTINES = (
    core.Routine("settling:", "settling", (), (), (call("rule:asks"),), (), None, origin=None),
    routine("rule:asks", (ASK,)),
    routine("window:fallen", (ASK,)),
    routine("procedure:asks", (call("procedure:asks"), ASK)),
    routine("procedure:plain", (put(N, const(1), "p/1"),)),
    routine("procedure:settles", (SETTLE,)),
    routine("procedure:guarded", (), core.Step(wanted(), (), origin=AT)),
    routine("function:wants", (core.Return(wanted(), origin=AT),)),
    routine("default:wants", (core.Return(core.Apply("function:wants", (), type=WHOLE, origin=None), origin=AT),)),
    routine("default:knows", (core.Return(const(1), origin=AT),)),
)
PROGRAM = core_program(*ROUTINES, windows={"fallen": "window:fallen"}, rules=("rule:asks",))
LOUD, QUIET, HELD_BACK = Volume


def apply(key: str) -> core.Apply:
    return core.Apply(key, (), type=WHOLE, origin=None)


STOPS: list[tuple[core.Statement, set[Volume]]] = [
    (ASK, {LOUD, QUIET, HELD_BACK}),
    (put(N, const(1), "p/1"), set()),
    (put(N, wanted(), "p/1"), {LOUD, QUIET, HELD_BACK}),
    (put(N, wanted("default:knows"), "p/1"), set()),
    (put(N, wanted("default:wants"), "p/1"), {LOUD, QUIET, HELD_BACK}),
    (put(N, op("add", const(1), apply("function:wants")), "p/1"), {LOUD, QUIET, HELD_BACK}),
    (put(place(core.Attribute("Unit", "health", wanted())), const(1), "p/1"), {LOUD, QUIET, HELD_BACK}),
    (core.If(get(F), (put(N, wanted(), "p/1"),), origin=AT), {LOUD, QUIET, HELD_BACK}),
    (call("procedure:plain"), set()),
    (call("procedure:asks"), {LOUD, QUIET, HELD_BACK}),
    (call("procedure:settles"), {LOUD}),
    (call("procedure:guarded"), {LOUD, QUIET, HELD_BACK}),
    (SETTLE, {LOUD}),
    (HOLD, {LOUD}),
    (core.Unwind("asks", const(1), origin=AT), {LOUD}),
    (TRIGGER, {LOUD, QUIET, HELD_BACK}),
    (REMOVAL, {LOUD, QUIET}),
    (quiet(call("procedure:settles"), holds_back=False), set()),
    (quiet(REMOVAL), {LOUD, QUIET}),
    (core.Loop(None, const(3), (ASK,), 1, origin=AT), {LOUD, QUIET, HELD_BACK}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STOPS)))
def test_what_may_stop(number: int) -> None:
    statement, volumes = STOPS[number]
    others = routine("procedure:removes", (REMOVAL,))
    analysis = StopAnalysis(core_program(*ROUTINES, others, windows=PROGRAM.windows, rules=PROGRAM.rules))
    assert {volume for volume in Volume if analysis.may_stop(statement, volume)} == volumes
