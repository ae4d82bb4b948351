"""From flow graphs and expressions to Python source without any text of the rules.

Names are numbered and texts looked up: `v3` is a name of a plain routine, `F[7]` one of a frame, `W[12]` a part of
the working memory, `K4` a constant, `f5` a function of the rules, `q6` a piece of an expression lifted out, `p7` a
plain routine, `b8` a block, `T` the record of a traced run.
"""

import re

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d
from rulewright.program.core.forms import CoreProgram
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.program.statements import Dice, Perform, RollOption
from rulewright.program.walk import AnyRoutine, list_routines, sort_dependencies_first
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.event_engine import RESERVED_BLOCKS
from rulewright.runtime.flow_graph import FIRST_SLOT, FlowGraph
from rulewright.runtime.generate import loops
from rulewright.runtime.generate.blocks import emit_blocks
from rulewright.runtime.generate.functions import emit_pending_functions, emit_pure_routine
from rulewright.runtime.generate.loops import MAX_UNCHARGED_VISITS
from rulewright.runtime.generate.statements import emit_plain_routine
from rulewright.runtime.generate.writer import Emitters, ModuleBuilder
from rulewright.runtime.lowering import analyse_suspension, graph_key, lower, routine_key
from rulewright.runtime.request import NO_PROBES, ValueProbes
from rulewright.runtime.state import build_state_layout
from rulewright.runtime.working_memory import FlowTable, build_memory_layout

_RoutineUnits = dict[str, tuple[AnyRoutine, tuple[str, str] | None]]


def generate_module(
    program: Program, *, traced: bool, decisive: bool = False, probes: ValueProbes = NO_PROBES
) -> tuple[ModuleBuilder, tuple[FlowTable, ...]]:
    """Source of a program with its tables of constants, sites and graphs."""
    judged = analyse_suspension(program)
    core = lower_program(program)
    arranged = build_state_layout(program)
    module = ModuleBuilder(
        Emitters(loops.emit_gathering),
        program=program,
        core=core,
        framing=judged,
        layout=arranged,
        places=build_memory_layout(arranged, tuple(program.boards), tuple(program.settings)),
        traced=traced,
        decisive=decisive,
        wording=ExpressionRenderer(program),
        masks=_compute_masks(program, core),
        drops_dice=_drops_dice(program),
        probed=probes.numbers,
    )
    module.add_site("line", None)
    units = _list_units(program)
    plain = {name: unit for name, unit in units.items() if not judged.is_framed(unit[0])}
    module.routines |= {name: number for number, name in enumerate(plain)}
    flows = _emit_flows(module, units, plain)
    for key in plain:
        emit_plain_routine(module, key)
    _emit_declarations(module)
    emit_pending_functions(module)
    _insert_charges(module)
    return module, flows


def _compute_masks(program: Program, core: CoreProgram) -> dict[str, int]:
    """By place of the store, the bits of the rules and invariants that are due when it changes."""
    keys = [*(f"rule:{name}" for name in program.rules), *(f"invariant:{name}" for name in program.invariants)]
    bits = {key: 1 << number for number, key in enumerate(keys)}
    return {place: sum(bits[key] for key in due) for place, due in core.due_keys.items()}


def _drops_dice(program: Program) -> bool:
    lines = [node for routine in list_routines(program) for node in walk_nodes(routine)]
    options = [line.word for line in lines if isinstance(line, RollOption)]
    more = any(isinstance(line, Dice) and line.advantage is not None for line in lines)
    return more or "keep" in options or "drop" in options


def _list_units(program: Program) -> _RoutineUnits:
    units: _RoutineUnits = {routine_key(item): (item, None) for item in list_routines(program)}
    for routine in list_routines(program):
        for node in walk_nodes(routine):
            if isinstance(node, Perform) and node.steps is not None:
                procedure = program.procedures[node.procedure]
                units[graph_key(procedure, node.steps)] = (procedure, node.steps)
    return units


def _emit_flows(module: ModuleBuilder, units: _RoutineUnits, plain: _RoutineUnits) -> tuple[FlowTable, ...]:
    graphs: list[tuple[AnyRoutine, FlowGraph | None]] = []
    for name, (routine, steps) in units.items():
        if name not in plain:
            graphs.append((routine, lower(routine, module.framing, steps)))
        elif isinstance(routine, d.Procedure) and steps is None:
            graphs.append((routine, None))
    base, tables = RESERVED_BLOCKS, module.tables
    for number, (routine, graph) in enumerate(graphs):
        module.flows[routine_key(routine) if graph is None else graph.key] = number
        tables.append(_make_flow_table(routine, graph, base))
        base += 1 if graph is None else len(graph.blocks)
    for (routine, graph), table in zip(graphs, tables, strict=True):
        if graph is None:
            _emit_call_stub(module, routine, table)
        else:
            emit_blocks(module, graph, table.entry)
    return tuple(tables)


def _make_flow_table(routine: AnyRoutine, graph: FlowGraph | None, base: int) -> FlowTable:
    slots = FIRST_SLOT + len(routine.variables) if graph is None else graph.slots
    sort = "procedure" if graph is None else graph.sort
    name = routine_key(routine) if graph is None else graph.key
    return FlowTable(
        name,
        sort,
        routine.name,
        base,
        (None,) * (slots - FIRST_SLOT),
        routine.variables,
        () if graph is None else graph.cursors,
    )


def _emit_call_stub(module: ModuleBuilder, routine: AnyRoutine, table: FlowTable) -> None:
    count = len(routine.parameters) if isinstance(routine, d.Procedure) else 0
    given = "".join(f", F[{FIRST_SLOT + number}]" for number in range(count))
    module.source.append(f"def b{table.entry}(W, F):")
    module.source.append(f"    return leave_call(W, p{module.routines[table.key]}(W{given}))")
    module.lines += [0, 0]


def _emit_declarations(module: ModuleBuilder) -> None:
    """Functions of what the engine asks of rules, invariants, handlers and events; nothing of them is recorded.

    `rN` finds the first members for which a standing rule applies, `lN` is its measure, `iN` finds the first members for
    which an invariant does not hold. `hN` lists a handler for all members for which it may run, `gN` judges one of them
    again; `oN` is the order of players at an event, `mN` a measure.
    """
    program, routines = module.program, module.core.routines
    groups = (
        ("r", "find", program.rules),
        ("l", "lowers", program.rules),
        ("i", "invariant", program.invariants),
        ("h", "ready", program.handlers),
        ("g", "guard", program.handlers),
        ("o", "order", program.events),
    )
    for letter, sort, declared in groups:
        for number, name in enumerate(declared):
            if f"{sort}:{name}" in routines:
                emit_pure_routine(module, routines[f"{sort}:{name}"], f"{letter}{number}", untold=True)
    for number, name in enumerate(program.measures):
        emit_pure_routine(module, routines[f"measure:{name}"], f"m{number}")


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
