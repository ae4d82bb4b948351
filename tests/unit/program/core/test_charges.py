"""What core forms are charged: by their number, with what is short and called, and as often as members are visited."""

from rulewright.program.core import forms as core
from rulewright.program.core.charges import (
    FORMS_PER_STEP,
    MAX_UNCHARGED_VISITS,
    MAX_UNCHARGED_WEIGHT,
    ChargeAnalysis,
)
from rulewright.program.types import WHOLE, ListType
from support.core_forms import const, get, line, local, op, put, routine

N = local(1, "n")
AT = line("p/1")
ROW = core.Const((1, 2), type=ListType(WHOLE), origin=None)
SUM = op("add", get(N), const(1))


def lines(count: int) -> core.Block:
    return tuple(put(N, SUM, f"p/{number}") for number in range(count))


def call(key: str) -> core.Call:
    return core.Call(key, (), None, origin=AT)


def gather(value: core.Expression | None, where: core.Expression | None = None) -> core.Over:
    return core.Over((N,), ROW, where, "sum", value, type=WHOLE, origin=None)


def weigh(*forms: object, routines: tuple[core.Routine, ...] = ()) -> int:
    return ChargeAnalysis({each.key: each for each in routines}).weigh(*forms)


def test_names_and_constants_weigh_nothing() -> None:
    assert (weigh(get(N)), weigh(const(3)), weigh(SUM)) == (0, 0, 1)
    assert weigh(lines(10)) - weigh(lines(9)) == weigh(lines(1)) > 0


def test_what_is_repeated_counts_as_often_as_nothing_is_charged_for_it() -> None:
    loop = core.For((N,), ROW, lines(3), 1, origin=AT)
    assert weigh(loop) == 1 + MAX_UNCHARGED_VISITS * weigh(lines(3))
    assert weigh(gather(SUM)) - weigh(gather(None)) == MAX_UNCHARGED_VISITS * weigh(SUM)
    assert weigh(gather(None, SUM)) == weigh(gather(SUM))


def test_a_short_routine_counts_where_it_is_called_and_a_long_one_charges_itself() -> None:
    short, long = routine("procedure:short", lines(5)), routine("procedure:long", lines(MAX_UNCHARGED_WEIGHT))
    assert weigh(call("procedure:short"), routines=(short,)) == 1 + weigh(lines(5))
    assert weigh(call("procedure:long"), routines=(long,)) == 2
    again = routine("procedure:again", (call("procedure:again"),))
    assert weigh(call("procedure:again"), routines=(again,)) <= MAX_UNCHARGED_WEIGHT


def test_steps_are_charged_for_many_forms_alone() -> None:
    analysis, many = ChargeAnalysis({}), lines(MAX_UNCHARGED_WEIGHT)
    assert analysis.count_steps(lines(9)) == 0
    assert analysis.count_steps(many) == analysis.weigh(many) // FORMS_PER_STEP
    assert analysis.count_steps_per_visit(SUM) == 1
    assert analysis.count_steps_per_visit(many) == 1 + analysis.count_steps(many)
    nested = gather(gather(gather(SUM)))
    assert analysis.count_steps(nested) > 0
    assert analysis.weigh(core.Return(nested, origin=AT)) == 2
