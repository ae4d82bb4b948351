"""From flow graphs and expressions to Python source without any text of the rules.

Names are numbered and texts looked up: `v3` is a name of a plain routine, `F[7]` one of a frame, `W[12]` a part of
the working memory, `K4` a constant, `f5` a function of the rules, `q6` a piece of an expression lifted out, `p7` a
plain routine, `b8` a block, `T` the record of a traced run.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression
from rulewright.program.statements import Dice, Perform, RollOption
from rulewright.program.walk import AnyRoutine, list_routines, sort_dependencies_first
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.event_engine import RESERVED_BLOCKS
from rulewright.runtime.flow_graph import FIRST_SLOT, FlowGraph
from rulewright.runtime.generate import expressions, functions, loops
from rulewright.runtime.generate.blocks import emit_blocks
from rulewright.runtime.generate.functions import emit_pending_functions
from rulewright.runtime.generate.loops import MAX_UNCHARGED_VISITS
from rulewright.runtime.generate.statements import emit_plain_routine
from rulewright.runtime.generate.writer import Emitters, FunctionBuilder, ModuleBuilder
from rulewright.runtime.lowering import SuspensionAnalysis, analyse_suspension, graph_key, lower, routine_key
from rulewright.runtime.request import NO_PROBES, ValueProbes
from rulewright.runtime.state import build_state_layout
from rulewright.runtime.working_memory import FlowTable, build_memory_layout

_DeclarationGroup = tuple[Mapping[str, Any], Callable[[ModuleBuilder, int, Any], None]]
"""Declarations of a sort, and the emitter of one of them with its number."""
_RoutineUnits = dict[str, tuple[AnyRoutine, tuple[str, str] | None]]


def generate_module(
    program: Program, *, traced: bool, decisive: bool = False, probes: ValueProbes = NO_PROBES
) -> tuple[ModuleBuilder, tuple[FlowTable, ...]]:
    """Source of a program with its tables of constants, sites and graphs."""
    judged = analyse_suspension(program)
    arranged = build_state_layout(program)
    module = ModuleBuilder(
        Emitters(loops.emit_gathering),
        program=program,
        core=lower_program(program),
        framing=judged,
        layout=arranged,
        places=build_memory_layout(arranged, tuple(program.boards), tuple(program.settings)),
        traced=traced,
        decisive=decisive,
        wording=ExpressionRenderer(program),
        masks=_compute_masks(program, judged),
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


def _compute_masks(program: Program, judged: SuspensionAnalysis) -> dict[str, int]:
    masks: dict[str, int] = {}
    parts = [(rule.binding, rule.condition) for rule in program.rules.values()]
    invariants = [
        (invariant.binding, invariant.guard, invariant.condition) for invariant in program.invariants.values()
    ]
    for number, part in enumerate([*parts, *invariants]):
        for place in judged.footprint.collect_waking_places(part):
            masks[place] = masks.get(place, 0) | 1 << number
    return masks


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
    program = module.program
    groups: tuple[_DeclarationGroup, ...] = (
        (program.rules, _emit_rule),
        (program.invariants, _emit_invariant),
        (program.handlers, _emit_handler),
        (program.events, _emit_event),
        (program.measures, _emit_measure),
    )
    for group, write in groups:
        for number, declared in enumerate(group.values()):
            write(module, number, declared)


# Standing rules, invariants, handlers, events and measures.


def _emit_rule(module: ModuleBuilder, number: int, declared: d.StandingRule) -> None:
    """`rN` finds the first members for which a standing rule holds; `lN` its measure."""
    body = _begin_unrecorded(module, f"def r{number}(W):", declared, {})
    if declared.binding is None:
        with body.indent_under(f"if {expressions.emit_expression(body, declared.condition)}:"):
            body.add_line("return ()")
    else:
        with body.indent_under(loops.emit_loop_head(body, declared.binding.variables, declared.binding.source)):
            loops.emit_skip_unless(body, declared.binding.where)
            with body.indent_under(f"if {expressions.emit_expression(body, declared.condition)}:"):
                body.add_line(f"return ({_emit_member_tuple(body, declared.binding)})")
    body.emit_forget()
    body.add_line("return None")
    module.finish_function(body)
    measure = _begin_unrecorded(module, f"def l{number}(W):", declared, {})
    measure.mute_depth = 1
    measure.add_line(f"return {expressions.emit_expression(measure, declared.lowers)}")
    module.finish_function(measure)


def _emit_invariant(module: ModuleBuilder, number: int, declared: d.Invariant) -> None:
    """`iN` faults if an invariant does not hold."""
    body = _begin_unrecorded(module, f"def i{number}(W):", declared, {})
    body.mute_depth = 1
    if declared.binding is None:
        _emit_judge_invariant(body, declared, "return")
    else:
        with body.indent_under(loops.emit_loop_head(body, declared.binding.variables, declared.binding.source)):
            loops.emit_skip_unless(body, declared.binding.where)
            _emit_judge_invariant(body, declared, "continue")
    body.emit_forget()
    module.finish_function(body)


def _emit_judge_invariant(body: FunctionBuilder, declared: d.Invariant, skip: str) -> None:
    if declared.guard is not None:
        with body.indent_under(f"if not {expressions.emit_expression(body, declared.guard)}:"):
            body.add_line(skip)
    title = body.module.add_constant(declared.heading)
    with body.indent_under(f"if not {expressions.emit_expression(body, declared.condition)}:"):
        body.add_line(f"fault_invariant_broken({title}{_emit_members_read(body, declared.binding)})")


def _emit_members_read(body: FunctionBuilder, binding: Binding | None) -> str:
    if binding is None:
        return ""
    constant = body.module.add_constant
    members = (
        f"({constant(variable.name)}, {body.names[variable.index]}, {constant(variable.type)}), "
        for variable in binding.variables
        if variable
    )
    return f", ({''.join(members)})"


def _emit_handler(module: ModuleBuilder, number: int, declared: d.Handler) -> None:
    """`hN` lists the members for which a handler qualifies, `gN` judges one of them again."""
    event = module.program.events[declared.event]
    given = declared.variables[: len(event.parameters)]
    names = {variable.index: f"v{variable.index}" for variable in given}
    body = _begin_unrecorded(module, f"def h{number}({', '.join(('W', *names.values()))}):", declared, dict(names))
    body.mute_depth = 1
    body.add_line("m = []")
    with body.indent_under(loops.emit_loop_head(body, declared.binding.variables, declared.binding.source)):
        loops.emit_skip_unless(body, declared.binding.where)
        loops.emit_skip_unless(body, declared.guard)
        body.add_line(f"m.append(({_emit_member_tuple(body, declared.binding)}))")
    body.emit_forget()
    body.add_line("return m")
    module.finish_function(body)
    bound = [variable for variable in declared.binding.variables if variable]
    names |= {variable.index: f"v{variable.index}" for variable in bound}
    again = _begin_unrecorded(module, f"def g{number}({', '.join(('W', *names.values()))}):", declared, names)
    again.mute_depth = 1
    test = "True" if declared.guard is None else expressions.emit_expression(again, declared.guard)
    again.add_line(f"x = {test}")
    again.emit_forget()
    again.add_line("return x")
    module.finish_function(again)


def _emit_event(module: ModuleBuilder, number: int, declared: d.Event) -> None:
    """`eN` computes the holders of an event, `oN` the order of players."""
    for letter, value in (("e", declared.holders), ("o", declared.order)):
        if value is not None:
            _emit_event_function(module, f"{letter}{number}", declared, value)


def _emit_event_function(module: ModuleBuilder, name: str, declared: d.Event, value: Expression) -> None:
    names = {parameter.index: f"v{parameter.index}" for parameter in declared.parameters}
    body = _begin_unrecorded(module, f"def {name}({', '.join(('W', *names.values()))}):", declared, names)
    body.mute_depth = 1
    body.add_line(f"x = {expressions.emit_expression(body, value)}")
    body.emit_forget()
    body.add_line("return x")
    module.finish_function(body)


def _emit_measure(module: ModuleBuilder, number: int, declared: d.Measure) -> None:
    """`mN` computes a measure."""
    functions.emit_pure_routine(module, module.core.routines[f"measure:{declared.name}"], f"m{number}")


def _begin_unrecorded(module: ModuleBuilder, head: str, declared: d.Declared, names: dict[int, str]) -> FunctionBuilder:
    site = module.add_site("judged", declared, line=True)
    body = FunctionBuilder(module, head, framed=False, names=names, site=site, untold=not module.probed)
    if body.records_reads:
        body.add_line("o = len(T)")
    return body


def _emit_member_tuple(body: FunctionBuilder, binding: Binding) -> str:
    return "".join(f"{body.names[variable.index]}, " for variable in binding.variables if variable)


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
