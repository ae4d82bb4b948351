"""From flow graphs and expressions to Python source without any text of the rules.

Names are numbered and texts looked up: `v3` is a name of a plain routine, `F[7]` one of a frame, `W[12]` a part of
the working memory, `K4` a constant, `f5` a function of the rules, `q6` a piece of an expression lifted out, `p7` a
plain routine, `b8` a block, `T` the record of a traced run.
"""

import re

from rulewright.base.node_roles import walk_nodes
from rulewright.program.core.forms import JUDGING, SETTLING, Routine
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.program.statements import Dice, RollOption
from rulewright.program.walk import list_routines, sort_dependencies_first
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.control_flow import ControlFlowGraph
from rulewright.runtime.control_flow_builder import FrameAnalysis, build_control_flow
from rulewright.runtime.event_engine import RESERVED_BLOCKS, SWITCH
from rulewright.runtime.frame_slots import FIRST_SLOT
from rulewright.runtime.generate import loops
from rulewright.runtime.generate.blocks import emit_blocks
from rulewright.runtime.generate.functions import emit_pending_functions, emit_pure_routine
from rulewright.runtime.generate.loops import MAX_UNCHARGED_VISITS
from rulewright.runtime.generate.statements import emit_plain_routine
from rulewright.runtime.generate.writer import Emitters, ModuleBuilder
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
        Emitters(loops.emit_gathering),
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
    _insert_charges(module)
    return module, flows


def _drops_dice(program: Program) -> bool:
    lines = [node for routine in list_routines(program) for node in walk_nodes(routine)]
    options = [line.word for line in lines if isinstance(line, RollOption)]
    more = any(isinstance(line, Dice) and line.advantage is not None for line in lines)
    return more or "keep" in options or "drop" in options


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


# Charges of long functions and loops.

_MAX_UNCHARGED_WEIGHT = 300
"""Lines of Python that a function may run without charging work; chosen: ten steps (`_LINES_PER_STEP`)."""
_LINES_PER_STEP = 30
"""Lines of Python that take about as long as anything else charged as a step."""
_CALL_PATTERN = re.compile(r"\b([a-z]\d+)\(")
_VISIT_PATTERN = re.compile(r"( *)(.*charge_visits\(W, (?:len\(\w+\)|1))\)$")


def _insert_charges(module: ModuleBuilder) -> None:
    """Inserts the charges of long functions and loops into the source.

    A loop charges one visit per member and a block one step, whatever they contain. So that a step takes about as long
    everywhere, a function charges one step per `_LINES_PER_STEP` of its lines when it is called, and a loop with many
    lines charges as much per member. Lines of short callees count too, and lines repeated for a few members, which are
    not charged, count once per repetition.
    """
    source = module.source
    heads = [at for at, line in enumerate(source) if line.startswith("def ")]
    ends = [*heads[1:], len(source)]
    functions = {source[at][4:].partition("(")[0]: range(at, end) for at, end in zip(heads, ends, strict=False)}
    weights = _compute_weights(source, functions)
    charges = {functions[name].start: weight for name, weight in weights.items() if weight > _MAX_UNCHARGED_WEIGHT}
    written, sites = [], []
    for at, (line, site) in enumerate(zip(source, module.lines, strict=True)):
        written.append(_scale_visit_charge(source, at, weights) if "charge_visits(W" in line else line)
        sites.append(site)
        if at in charges:
            written.append(f"    charge_visits(W, {charges[at] // _LINES_PER_STEP})")
            sites.append(site)
    module.source[:], module.lines[:] = written, sites


def _compute_weights(source: list[str], functions: dict[str, range]) -> dict[str, int]:
    """Weight of each function in lines, short callees included, callees first."""
    leads = {
        name: [item for at in lines for item in _CALL_PATTERN.findall(source[at]) if item in functions]
        for name, lines in functions.items()
    }
    weights = dict.fromkeys(functions, _MAX_UNCHARGED_WEIGHT + 1)
    for name in sort_dependencies_first(leads):
        weights[name] = _weigh_lines(source, functions[name], weights)
    return weights


def _weigh_lines(source: list[str], lines: range, weights: dict[str, int]) -> int:
    result, repeated = 0, [0]
    for at in lines[1:]:
        text = source[at].lstrip()
        depth = len(source[at]) - len(text)
        while depth < repeated[-1]:
            repeated.pop()
        if text.startswith(("for ", "while ")):
            repeated.append(depth + 1)
        once = 1 + sum(_weight_of_call(weights, name) for name in _CALL_PATTERN.findall(text))
        result += once * MAX_UNCHARGED_VISITS ** (len(repeated) - 1)
    return min(result, _MAX_WEIGHT)


_MAX_WEIGHT = 1_000_000
"""Weight, in lines, at which weights of nested calls are no longer added up; chosen, as such functions charge anyway."""


def _weight_of_call(weights: dict[str, int], name: str) -> int:
    weight = weights.get(name, 0)
    return weight if weight <= _MAX_UNCHARGED_WEIGHT else 1


def _scale_visit_charge(source: list[str], at: int, weights: dict[str, int]) -> str:
    result = _VISIT_PATTERN.match(source[at])
    if result is None:
        return source[at]
    depth = len(result[1])
    first = at + 1
    if source[first].lstrip().startswith("for "):
        first, depth = first + 1, depth + 1
    end = first
    while end < len(source) and source[end] and len(source[end]) - len(source[end].lstrip()) >= depth:
        end += 1
    times = _weigh_lines(source, range(first - 1, end), weights) // _LINES_PER_STEP
    return f"{result[1]}{result[2]} * {times + 1})" if times else source[at]
