"""Effects of core forms: by hand, and the same as those of the lines and conditions that they stem from."""

import pytest

from rulewright.base.node_roles import walk_nodes
from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import EffectAnalysis
from rulewright.program.core.effects import EVERYWHERE, list_read_places
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.operations import OPERATIONS
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.types import FLAG, WHOLE
from support.core_forms import UNIT, const, core_program, get, line, load, local, op, place, put, routine
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count
from support.shipped_programs import load_shipped_program

U, N = local(0, "u", UNIT), local(1, "n")
READS: list[tuple[core.Expression, set[str]]] = [
    (const(1), set()),
    (get(N), set()),
    (load(core.GameField("turn")), {"game/turn"}),
    (load(core.Setting("hard")), set()),
    (load(core.Cells("field")), set()),
    (load(core.InPlay("Unit")), {"Unit/gone"}),
    (load(core.RemovedThings("Unit")), {"Unit/gone"}),
    (load(core.Gone("Unit", get(U))), {"Unit/gone"}),
    (load(core.Attribute("Unit", "health", load(core.GameField("turn")))), {"Unit/health"}),
    (load(core.CellAttribute("field", "cost", get(N))), {"field/cost"}),
    (load(core.SideAttribute("field", "wall", get(N), get(N))), {"field/wall"}),
    (load(core.Pair("bond", ("Unit", "Town"), True, get(U), get(U))), {"bond", "Unit/gone", "Town/gone"}),
    (load(core.Due("rule:death")), set()),
    (op("occupants", get(N), facts=("Unit",)), {"Unit/at", "Unit/gone"}),
    (op("connected", get(U), get(N), facts=("Unit",)), {"Unit/gone"}),
    (op("connected", get(U), get(N), facts=(None,)), set()),
    (op("gap", get(U), get(U), facts=((UNIT, UNIT), ("Unit/at", "Unit/base"))), {"Unit/at", "Unit/base"}),
    (op("pose", get(U), facts=("Unit",)), {"Unit/at", "Unit/facing"}),
    (op("kept dice", get(N)), set()),
    (op("add", get(N), get(N)), set()),
]


@pytest.mark.parametrize("number", range(len(READS)))
def test_what_an_expression_reads(number: int) -> None:
    expression, places = READS[number]
    assert {*list_read_places(expression)} == places


def test_what_operations_read_is_known() -> None:
    """The words by which the table says it, and the constants that name places."""
    places = {"", "dice", "board", "bodies"}
    for name, operation in OPERATIONS.items():
        if operation.reads == "bodies":
            assert operation.arguments.endswith("places]"), name
        elif operation.reads not in places:
            assert operation.arguments.endswith("[kind]"), name
            assert {*operation.reads.split(", ")} <= {"at", "facing", "gone"}, name


def test_what_routines_read_and_write() -> None:
    at = line("p/1")
    wanted = core.Wanted("arc", (), None, type=WHOLE, origin=None)
    turn = place(core.GameField("turn"))
    program = core_program(
        routine("function:reads", (core.Return(load(core.GameField("turn")), origin=at),)),
        routine(
            "function:applies", (core.Return(core.Apply("function:reads", (), type=WHOLE, origin=None), origin=at),)
        ),
        routine("function:wants", (core.Return(wanted, origin=at),)),
        routine("procedure:writes", (put(turn, const(1), "p/1"), put(N, const(1), "p/1"))),
        routine("procedure:draws", (core.Draw(turn, N, None, origin=at),)),
        routine("procedure:calls", (core.Call("procedure:writes", (), None, origin=at),)),
        routine("procedure:triggers", (core.Trigger("struck", (), None, removal=False, origin=at),)),
        routine("procedure:asks", (core.External("mend", (), None, origin=at),)),
        routine("window:struck", (put(place(core.Gone("Unit", get(U))), const(True), "p/1"),)),
        windows={"struck": "window:struck"},
    )
    effects = EffectAnalysis(program)
    read = {key: effects.get_places_read_by(key) for key in program.routines}
    assert read["function:applies"] == read["function:reads"] == {"game/turn"}
    assert read["function:wants"] == EVERYWHERE
    written = {key.partition(":")[2]: {*effects.get_places_written_by(key)} for key in program.routines}
    assert written["writes"] == written["draws"] == written["calls"] == {"game/turn"}
    assert written["triggers"] == written["struck"] == {"Unit/gone"}
    assert written["asks"] == EVERYWHERE
    assert written["reads"] == set()
    assert effects.may_want_value(put(N, core.Apply("function:wants", (), type=FLAG, origin=None)))
    assert not effects.may_want_value(put(N, core.Apply("function:reads", (), type=FLAG, origin=None)))


def list_programs() -> list[Program]:
    texts = [write_program("random", seed) for seed in range(choose_count(2, 40))]
    texts += [write_program("mixed", seed) for seed in range(choose_count(2, 40))]
    shipped = [load_shipped_program(name) for name in ("mel", "risk", "legion-melee")]
    return [*shipped, *(program for text in texts if (program := load_text(text).program) is not None)]


def test_rules_read_what_their_core_reads() -> None:
    for program in list_programs():
        effects, footprint = EffectAnalysis(lower_program(program)), ReadFootprint(program)
        for name, rule in program.rules.items():
            wanted = footprint.collect_read_places((rule.binding, rule.condition)) - program.external_terms.keys()
            assert effects.get_places_read_by(f"find:{name}") - EVERYWHERE == wanted, name
        for name, invariant in program.invariants.items():
            read = footprint.collect_read_places((invariant.binding, invariant.guard, invariant.condition))
            assert effects.get_places_read_by(f"invariant:{name}") - EVERYWHERE == read - program.external_terms.keys()


def test_routines_write_what_their_lines_write() -> None:
    for program in list_programs():
        lowered = lower_program(program)
        alone = EffectAnalysis(core_program())  # knows no routine: calls write nothing
        routines = {"procedure": program.procedures, "handler": program.handlers, "rule": program.rules}
        for sort, declared in routines.items():
            for name, each in declared.items():
                lines = [node for node in walk_nodes(each) if isinstance(node, st.Line)]
                written = frozenset().union(*map(list_written_places, lines))  # type: ignore[arg-type]
                made = lowered.routines[f"{sort}:{name}"]
                assert alone.collect_written_places((made.entry, made.steps)) - EVERYWHERE == written, name
