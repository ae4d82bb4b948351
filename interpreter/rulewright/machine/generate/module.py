"""The whole source of a program, and the tables that go with it."""

from rulewright.machine.engine.frames import RESERVED
from rulewright.machine.generate import blocks as framed
from rulewright.machine.generate import routines as written
from rulewright.machine.generate import watching
from rulewright.machine.generate.functions import write_waiting
from rulewright.machine.generate.metering import meter
from rulewright.machine.generate.writer import Module
from rulewright.machine.graph import FIRST_SLOT, Flow
from rulewright.machine.layout import layout
from rulewright.machine.lower import flow_key, lower
from rulewright.machine.source_point import SILENT, Probes
from rulewright.machine.suspension import Framing, Routine, framing, key, routines
from rulewright.machine.world import FlowTable, places
from rulewright.program import declarations as d
from rulewright.program.declarations import Program
from rulewright.program.statements import Perform
from rulewright.program.wording import Wording
from rulewright.roles import nodes

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
        probed=probes.numbers,
    )
    module.site("line", None)
    units = _units(program)
    plain = {name: unit for name, unit in units.items() if not judged.framed(unit[0])}
    module.routines |= {name: number for number, name in enumerate(plain)}
    flows = _flows(module, units, plain)
    for routine, steps in plain.values():
        written.plain(module, routine, steps)
    _watched(module)
    write_waiting(module)
    meter(module)
    return module, flows


def _masks(program: Program, judged: Framing) -> dict[str, int]:
    masks: dict[str, int] = {}
    parts = [(each.binding, each.condition) for each in program.rules.values()]
    invariants = [(each.binding, each.guard, each.condition) for each in program.invariants.values()]
    for number, part in enumerate([*parts, *invariants]):
        for place in judged.footprint.reads(part):
            masks[place] = masks.get(place, 0) | 1 << number
    return masks


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
            framed.blocks(module, graph, table.entry)
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
    for number, rule in enumerate(program.rules.values()):
        watching.rule(module, number, rule)
    for number, invariant in enumerate(program.invariants.values()):
        watching.invariant(module, number, invariant)
    for number, handler in enumerate(program.handlers.values()):
        watching.handler(module, number, handler)
    for number, event in enumerate(program.events.values()):
        watching.event(module, number, event)
    for number, measure in enumerate(program.measures.values()):
        watching.measure(module, number, measure)
