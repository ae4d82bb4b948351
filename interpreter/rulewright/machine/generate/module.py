"""The whole source of a program, and the tables that go with it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rulewright.machine.engine.frames import RESERVED
from rulewright.machine.generate import expressions, functions, loops
from rulewright.machine.generate.blocks import blocks
from rulewright.machine.generate.functions import write_waiting
from rulewright.machine.generate.loops import FEW
from rulewright.machine.generate.statements import plain_routine
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.graph import FIRST_SLOT, Flow
from rulewright.machine.layout import layout
from rulewright.machine.lower import flow_key, lower
from rulewright.machine.source_point import SILENT, Probes
from rulewright.machine.suspension import Framing, framing, key
from rulewright.machine.world import FlowTable, places
from rulewright.program import declarations as d
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression
from rulewright.program.statements import Dice, Perform, RollOption
from rulewright.program.walk import Routine, inner_first, routines
from rulewright.program.wording import Wording
from rulewright.roles import nodes

_Group = tuple[Mapping[str, Any], Callable[[Module, int, Any], None]]
"""Declarations of a sort, and what writes one of them with its number."""
_Units = dict[str, tuple[Routine, tuple[str, str] | None]]


def generate(
    program: Program, *, traced: bool, decisive: bool = False, probes: Probes = SILENT
) -> tuple[Module, tuple[FlowTable, ...]]:
    """The source of a program with its tables of constants, sites and graphs."""
    judged = framing(program)
    arranged = layout(program)
    module = Module(
        program=program,
        framing=judged,
        layout=arranged,
        places=places(arranged, tuple(program.boards), tuple(program.settings)),
        traced=traced,
        decisive=decisive,
        wording=Wording(program),
        masks=_masks(program, judged),
        drops_dice=_drops_dice(program),
        probed=probes.numbers,
    )
    module.site("line", None)
    units = _units(program)
    plain = {name: unit for name, unit in units.items() if not judged.framed(unit[0])}
    module.routines |= {name: number for number, name in enumerate(plain)}
    flows = _flows(module, units, plain)
    for routine, steps in plain.values():
        plain_routine(module, routine, steps)
    _watched(module)
    write_waiting(module)
    _meter(module)
    return module, flows


def _masks(program: Program, judged: Framing) -> dict[str, int]:
    masks: dict[str, int] = {}
    parts = [(each.binding, each.condition) for each in program.rules.values()]
    invariants = [(each.binding, each.guard, each.condition) for each in program.invariants.values()]
    for number, part in enumerate([*parts, *invariants]):
        for place in judged.footprint.reads(part):
            masks[place] = masks.get(place, 0) | 1 << number
    return masks


def _drops_dice(program: Program) -> bool:
    lines = [node for routine in routines(program) for node in nodes(routine)]
    options = [each.word for each in lines if isinstance(each, RollOption)]
    more = any(isinstance(each, Dice) and each.advantage is not None for each in lines)
    return more or "keep" in options or "drop" in options


def _units(program: Program) -> _Units:
    units: _Units = {key(each): (each, None) for each in routines(program)}
    for routine in routines(program):
        for node in nodes(routine):
            if isinstance(node, Perform) and node.steps is not None:
                procedure = program.procedures[node.procedure]
                units[flow_key(procedure, node.steps)] = (procedure, node.steps)
    return units


def _flows(module: Module, units: _Units, plain: _Units) -> tuple[FlowTable, ...]:
    graphs: list[tuple[Routine, Flow | None]] = []
    for name, (routine, steps) in units.items():
        if name not in plain:
            graphs.append((routine, lower(routine, module.framing, steps)))
        elif isinstance(routine, d.Procedure) and steps is None:
            graphs.append((routine, None))
    base, tables = RESERVED, module.tables
    for number, (routine, graph) in enumerate(graphs):
        module.flows[key(routine) if graph is None else graph.key] = number
        tables.append(_table(routine, graph, base))
        base += 1 if graph is None else len(graph.blocks)
    for (routine, graph), table in zip(graphs, tables, strict=True):
        if graph is None:
            _stub(module, routine, table)
        else:
            blocks(module, graph, table.entry)
    return tuple(tables)


def _table(routine: Routine, graph: Flow | None, base: int) -> FlowTable:
    slots = FIRST_SLOT + len(routine.variables) if graph is None else graph.slots
    sort = "procedure" if graph is None else graph.sort
    name = key(routine) if graph is None else graph.key
    return FlowTable(
        name,
        sort,
        routine.name,
        base,
        (None,) * (slots - FIRST_SLOT),
        routine.variables,
        () if graph is None else graph.cursors,
    )


def _stub(module: Module, routine: Routine, table: FlowTable) -> None:
    count = len(routine.parameters) if isinstance(routine, d.Procedure) else 0
    given = "".join(f", F[{FIRST_SLOT + number}]" for number in range(count))
    module.source.append(f"def b{table.entry}(W, F):")
    module.source.append(f"    return leave(W, p{module.routines[table.key]}(W{given}))")
    module.lines += [0, 0]


def _watched(module: Module) -> None:
    program = module.program
    groups: tuple[_Group, ...] = (
        (program.rules, _write_rule),
        (program.invariants, _write_invariant),
        (program.handlers, _write_handler),
        (program.events, _write_event),
        (program.measures, _write_measure),
    )
    for group, write in groups:
        for number, declared in enumerate(group.values()):
            write(module, number, declared)


# Standing rules, invariants, handlers, events and measures.


def _write_rule(module: Module, number: int, declared: d.StandingRule) -> None:
    """`rN` finds the first members for which a standing rule holds; `lN` its measure."""
    body = _opened(module, f"def r{number}(W):", declared, {})
    if declared.binding is None:
        with body.indented(f"if {expressions.expression(body, declared.condition)}:"):
            body.line("return ()")
    else:
        with body.indented(loops.each(body, declared.binding)):
            loops.guard(body, declared.binding.where)
            with body.indented(f"if {expressions.expression(body, declared.condition)}:"):
                body.line(f"return ({_members(body, declared.binding)})")
    body.forget()
    body.line("return None")
    module.finish(body)
    measure = _opened(module, f"def l{number}(W):", declared, {})
    measure.muted = 1
    measure.line(f"return {expressions.expression(measure, declared.lowers)}")
    module.finish(measure)


def _write_invariant(module: Module, number: int, declared: d.Invariant) -> None:
    """`iN` faults where an invariant does not hold."""
    body = _opened(module, f"def i{number}(W):", declared, {})
    body.muted = 1
    if declared.binding is None:
        _judge_invariant(body, declared, "return")
    else:
        with body.indented(loops.each(body, declared.binding)):
            loops.guard(body, declared.binding.where)
            _judge_invariant(body, declared, "continue")
    body.forget()
    module.finish(body)


def _judge_invariant(body: Body, declared: d.Invariant, skip: str) -> None:
    if declared.guard is not None:
        with body.indented(f"if not {expressions.expression(body, declared.guard)}:"):
            body.line(skip)
    title = body.module.constant(declared.heading)
    with body.indented(f"if not {expressions.expression(body, declared.condition)}:"):
        body.line(f"broken({title}{_read_members(body, declared.binding)})")


def _read_members(body: Body, binding: Binding | None) -> str:
    """Python for one more argument, the members that an invariant is judged for; empty where it binds none."""
    if binding is None:
        return ""
    constant = body.module.constant
    members = (
        f"({constant(each.name)}, {body.names[each.index]}, {constant(each.type)}), "
        for each in binding.variables
        if each
    )
    return f", ({''.join(members)})"


def _write_handler(module: Module, number: int, declared: d.Handler) -> None:
    """`hN` lists the members for which a handler qualifies, `gN` judges one of them again."""
    event = module.program.events[declared.event]
    given = declared.variables[: len(event.parameters)]
    names = {each.index: f"v{each.index}" for each in given}
    body = _opened(module, f"def h{number}({', '.join(('W', *names.values()))}):", declared, dict(names))
    body.muted = 1
    body.line("m = []")
    with body.indented(loops.each(body, declared.binding)):
        loops.guard(body, declared.binding.where)
        loops.guard(body, declared.guard)
        body.line(f"m.append(({_members(body, declared.binding)}))")
    body.forget()
    body.line("return m")
    module.finish(body)
    bound = [each for each in declared.binding.variables if each]
    names |= {each.index: f"v{each.index}" for each in bound}
    again = _opened(module, f"def g{number}({', '.join(('W', *names.values()))}):", declared, names)
    again.muted = 1
    test = "True" if declared.guard is None else expressions.expression(again, declared.guard)
    again.line(f"x = {test}")
    again.forget()
    again.line("return x")
    module.finish(again)


def _write_event(module: Module, number: int, declared: d.Event) -> None:
    """`eN` computes the holders of an event, `oN` the order of players."""
    for letter, value in (("e", declared.holders), ("o", declared.order)):
        if value is not None:
            _computed(module, f"{letter}{number}", declared, value)


def _computed(module: Module, name: str, declared: d.Event, value: Expression) -> None:
    """A function of an event's parameters whose record is thrown away."""
    names = {each.index: f"v{each.index}" for each in declared.parameters}
    body = _opened(module, f"def {name}({', '.join(('W', *names.values()))}):", declared, names)
    body.muted = 1
    body.line(f"x = {expressions.expression(body, value)}")
    body.forget()
    body.line("return x")
    module.finish(body)


def _write_measure(module: Module, number: int, declared: d.Measure) -> None:
    """`mN` computes a measure."""
    functions.value(module, f"m{number}", "measure", declared, declared.parameters, declared.value)


def _opened(module: Module, head: str, declared: d.Declared, names: dict[int, str]) -> Body:
    site = module.site("judged", declared, line=True)
    body = Body(module, head, framed=False, names=names, site=site, untold=not module.probed)
    if body.traced:
        body.line("o = len(T)")
    return body


def _members(body: Body, binding: Binding) -> str:
    return "".join(f"{body.names[each.index]}, " for each in binding.variables if each)


# Charges of long functions and loops.

_SHORT = 300
_LINES_OF_STEP = 30
"""So many lines of Python take about as long as what else is charged as a step."""
_CALLED = re.compile(r"\b([a-z]\d+)\(")
_VISIT = re.compile(r"( *)(.*visit\(W, (?:len\(\w+\)|1))\)$")


def _meter(module: Module) -> None:
    """Puts the charges of long functions and loops into the source.

    A loop charges a visit for each of many members and a block one, whatever stands in them. So that a step takes
    about as long everywhere, a function of many lines charges a step for every `_LINES_OF_STEP` of them when it is
    called, and a loop with many lines in it charges as much for each member. The lines of short functions that are
    called count as well, and lines that are repeated for a few members, which is not charged, as often as that.
    """
    source = module.source
    heads = [at for at, line in enumerate(source) if line.startswith("def ")]
    ends = [*heads[1:], len(source)]
    functions = {source[at][4:].partition("(")[0]: range(at, end) for at, end in zip(heads, ends, strict=False)}
    weights = _weights(source, functions)
    charges = {functions[name].start: weight for name, weight in weights.items() if weight > _SHORT}
    written, sites = [], []
    for at, (line, site) in enumerate(zip(source, module.lines, strict=True)):
        written.append(_weighed(source, at, weights) if "visit(W" in line else line)
        sites.append(site)
        if at in charges:
            written.append(f"    visit(W, {charges[at] // _LINES_OF_STEP})")
            sites.append(site)
    module.source[:], module.lines[:] = written, sites


def _weights(source: list[str], functions: dict[str, range]) -> dict[str, int]:
    """What each function weighs: its lines with those of the short functions it calls, callees first."""
    leads = {
        name: [each for at in lines for each in _CALLED.findall(source[at]) if each in functions]
        for name, lines in functions.items()
    }
    weights = dict.fromkeys(functions, _SHORT + 1)
    for name in inner_first(leads):
        weights[name] = _weight(source, functions[name], weights)
    return weights


def _weight(source: list[str], lines: range, weights: dict[str, int]) -> int:
    found, repeated = 0, [0]
    for at in lines[1:]:
        text = source[at].lstrip()
        depth = len(source[at]) - len(text)
        while depth < repeated[-1]:
            repeated.pop()
        if text.startswith(("for ", "while ")):
            repeated.append(depth + 1)
        once = 1 + sum(_called(weights, name) for name in _CALLED.findall(text))
        found += once * FEW ** (len(repeated) - 1)
    return min(found, _MOST)


_MOST = 1_000_000


def _called(weights: dict[str, int], name: str) -> int:
    weight = weights.get(name, 0)
    return weight if weight <= _SHORT else 1


def _weighed(source: list[str], at: int, weights: dict[str, int]) -> str:
    """A charge for visits, multiplied where much is repeated."""
    found = _VISIT.match(source[at])
    if found is None:
        return source[at]
    depth = len(found[1])
    first = at + 1
    if source[first].lstrip().startswith("for "):
        first, depth = first + 1, depth + 1
    end = first
    while end < len(source) and source[end] and len(source[end]) - len(source[end].lstrip()) >= depth:
        end += 1
    times = _weight(source, range(first - 1, end), weights) // _LINES_OF_STEP
    return f"{found[1]}{found[2]} * {times + 1})" if times else source[at]
