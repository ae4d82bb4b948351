"""Python source of a program, written from core: one module with its tables."""

from rulewright.base.node_roles import walk_nodes
from rulewright.program.core.forms import JUDGING, SETTLING, Routine
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.program.roll_options import ROLL_OPTIONS, KeepingOption
from rulewright.program.statements import Dice, RollOption
from rulewright.program.walk import list_routines
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.control_flow import ControlFlowGraph
from rulewright.runtime.control_flow_builder import FrameAnalysis, build_control_flow
from rulewright.runtime.event_engine import RESERVED_BLOCKS, SWITCH
from rulewright.runtime.frame_slots import FIRST_SLOT
from rulewright.runtime.generate import loops
from rulewright.runtime.generate.blocks import emit_blocks
from rulewright.runtime.generate.functions import emit_pending_functions, emit_pure_routine
from rulewright.runtime.generate.statements import emit_plain_routine
from rulewright.runtime.generate.writer import ModuleBuilder
from rulewright.runtime.request import NO_PROBES, ValueProbes
from rulewright.runtime.state import build_state_layout
from rulewright.runtime.working_memory import STACK, FlowTable, build_memory_layout

_ROUTINE_SORTS = frozenset({"procedure", "handler", "rule", "window", "settling"})


_SETTLING_ROUTINES = (SETTLING, JUDGING)
"""Routines that run in frames and as plain functions; as such they leave out what may stop."""


def generate_module(
    program: Program, *, traced: bool, decisive: bool = False, probes: ValueProbes = NO_PROBES
) -> tuple[ModuleBuilder, tuple[FlowTable, ...]]:
    """Source of a program with its tables of constants, sites and graphs."""
    core = lower_program(program)
    arranged = build_state_layout(program)
    judged = (*(f"rule:{name}" for name in program.rules), *(f"invariant:{name}" for name in program.invariants))
    bits = {key: 1 << number for number, key in enumerate(judged)}
    module = ModuleBuilder(
        loops.emit_gathering,
        program=program,
        core=core,
        frames=FrameAnalysis(core),
        layout=arranged,
        places=build_memory_layout(arranged, tuple(program.boards), tuple(program.settings)),
        traced=traced,
        decisive=decisive,
        wording=ExpressionRenderer(program),
        masks={place: sum(bits[key] for key in due) for place, due in core.due_keys.items()},
        due_bits=bits,
        drops_dice=_drops_dice(program),
        probed=probes.numbers,
    )
    module.add_site("line", None)
    keys = [key for key, routine in core.routines.items() if routine.sort in _ROUTINE_SORTS]
    plain = [key for key in keys if not module.frames.is_framed(key) or key in _SETTLING_ROUTINES]
    module.routines |= {key: number for number, key in enumerate(plain)}
    flows = _emit_flows(module, keys)
    for key in plain:
        emit_plain_routine(module, key)
    for number, name in enumerate(program.measures):
        emit_pure_routine(module, core.routines[f"measure:{name}"], f"m{number}")
    emit_pending_functions(module)
    return module, flows


def _drops_dice(program: Program) -> bool:
    lines = [node for routine in list_routines(program) for node in walk_nodes(routine)]
    more = any(isinstance(line, Dice) and line.advantage is not None for line in lines)
    return more or any(
        isinstance(line, RollOption) and isinstance(ROLL_OPTIONS[line.word], KeepingOption) for line in lines
    )


def _emit_flows(module: ModuleBuilder, keys: list[str]) -> tuple[FlowTable, ...]:
    """Blocks of the routines that run in frames; of a plain one that something begins with, a block that calls it."""
    graphs: dict[str, ControlFlowGraph | None] = {}
    for key in keys:
        if module.frames.is_framed(key):
            graphs[key] = build_control_flow(key, module.frames)
        elif key in _SETTLING_ROUTINES or key == f"procedure:{module.core.routines[key].origin.name}":
            graphs[key] = None
    base, tables = RESERVED_BLOCKS, module.tables
    for number, (key, graph) in enumerate(graphs.items()):
        module.flows[key] = number
        tables.append(_make_flow_table(module.core.routines[key], graph, base))
        base += 1 if graph is None else len(graph.blocks)
    for (key, graph), table in zip(graphs.items(), tables, strict=True):
        if graph is None:
            _emit_call_stub(module, module.core.routines[key], table)
        else:
            emit_blocks(module, graph, table.entry)
    return tuple(tables)


def _make_flow_table(routine: Routine, graph: ControlFlowGraph | None, base: int) -> FlowTable:
    types = {FIRST_SLOT + local.index: local.type for local in routine.locals if local.name}
    count = FIRST_SLOT + len(types) if graph is None else graph.slot_count
    return FlowTable(
        routine.key,
        routine.sort,
        getattr(routine.origin, "name", ""),
        base,
        (None,) * (count - FIRST_SLOT),
        types if graph is None else graph.slot_types,
        {} if graph is None else graph.cursors,
        frozenset() if graph is None else frozenset(base + number for number in graph.quiet_blocks),
        graph is not None,
    )


def _emit_call_stub(module: ModuleBuilder, routine: Routine, table: FlowTable) -> None:
    given = "".join(f", F[{FIRST_SLOT + number}]" for number in range(len(routine.parameters)))
    call = f"p{module.routines[table.key]}(W{given})"
    lines = [f"leave_call(W, {call})"] if routine.sort == "procedure" else [call, f"W[{STACK}].pop()", str(SWITCH)]
    module.source += [f"def b{table.entry}(W, F):", *(f"    {line}" for line in lines[:-1]), f"    return {lines[-1]}"]
    module.lines += [0] * (len(lines) + 1)
