"""Lowering of a whole program to core: procedures, handlers and standing rules, windows and settling.

Literature: lowering to a core language as in GHC (Peyton Jones, *Implementing Functional Languages*, 1992).
"""

from collections.abc import Iterator

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.lower_functions import lower_pure_declarations
from rulewright.program.core.lower_settling import lower_judging, lower_settling
from rulewright.program.core.lower_statements import DueKeys, StatementLowering, make_procedure_key
from rulewright.program.core.lower_windows import lower_search_of_handler, lower_window, opens_window
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint
from rulewright.program.walk import list_routines


def lower_program(program: Program) -> core.CoreProgram:
    """The core of a program."""
    rules = sorted(program.rules.values(), key=lambda rule: rule.priority)
    events = [event for event in program.events.values() if opens_window(program, event)]
    due_keys = _collect_due_keys(program)
    routines = [
        *lower_pure_declarations(program),
        *_lower_procedures(program, due_keys),
        *(_lower_body(program, f"handler:{handler.name}", handler, due_keys) for handler in program.handlers.values()),
        *(_lower_body(program, f"rule:{rule.name}", rule, due_keys) for rule in program.rules.values()),
        *(lower_search_of_handler(program, handler) for handler in program.handlers.values()),
        *(lower_window(program, event, settles=bool(due_keys)) for event in events),
        lower_settling(program, rules),
        lower_judging(program),
    ]
    return core.CoreProgram(
        {routine.key: routine for routine in routines},
        due_keys,
        tuple(f"rule:{rule.name}" for rule in rules),
        tuple(f"invariant:{name}" for name in program.invariants),
        {event.name: f"window:{event.name}" for event in events},
        {name: f"measure:{name}" for name in program.measures},
    )


def _collect_due_keys(program: Program) -> DueKeys:
    footprint = ReadFootprint(program)
    read = {
        f"rule:{rule.name}": footprint.collect_waking_places((rule.binding, rule.condition))
        for rule in program.rules.values()
    } | {
        f"invariant:{invariant.name}": footprint.collect_waking_places(
            (invariant.binding, invariant.guard, invariant.condition)
        )
        for invariant in program.invariants.values()
    }
    result: DueKeys = {}
    for key, places in read.items():
        for place in sorted(places):
            result[place] = (*result.get(place, ()), key)
    return result


# Procedures, handlers, standing rules.


def _lower_procedures(program: Program, due_keys: DueKeys) -> Iterator[core.Routine]:
    for procedure in program.procedures.values():
        yield _lower_procedure(program, procedure, None, due_keys)
    ranges = {
        (node.procedure, node.steps): None
        for routine in list_routines(program)
        for node in walk_nodes(routine)
        if isinstance(node, st.Perform) and node.steps is not None
    }
    for name, steps in ranges:
        yield _lower_procedure(program, program.procedures[name], steps, due_keys)


def _lower_procedure(
    program: Program, procedure: d.Procedure, steps: tuple[str, str] | None, due_keys: DueKeys
) -> core.Routine:
    included = procedure.steps
    if steps is not None:
        ids = [step.id for step in included]
        included = included[ids.index(steps[0]) : ids.index(steps[1]) + 1]
    positions = {step.id: number for number, step in enumerate(included)}
    lowering = StatementLowering(program, procedure, due_keys, positions)
    entry = tuple(line for part in procedure.opening for line in _lower_opening(lowering, part))
    lowered = tuple(
        core.Step(lowering.lower_optional(step.guard), lowering.lower_block(step.block), origin=step)
        for step in included
    )
    parameters = tuple(lowering.get_local(parameter) for parameter in procedure.parameters)
    return core.Routine(
        make_procedure_key(procedure.name, steps),
        "procedure",
        parameters,
        lowering.list_locals(),
        entry,
        lowered,
        procedure.result,
        origin=procedure,
    )


def _lower_opening(lowering: StatementLowering, part: d.Need | d.Hold | d.Watch | st.Block) -> core.Block:
    match part:
        case d.Need():
            return (core.If(lowering.lower_row(part), (), (core.Fail("RW0809", origin=part),), origin=part),)
        case d.Hold(rules=rules):
            return (core.During(core.Holding(rules), origin=part),)
        case d.Watch(event=event, guard=guard, block=block):
            body = lowering.lower_block(block)
            if guard is not None:
                body = (core.If(lowering.lower(guard), body, origin=part),)
            parameters = tuple(lowering.get_local(parameter) for parameter in part.parameters)
            return (core.During(core.Listening(event, parameters, body), origin=part),)
        case _:
            return lowering.lower_block(part)


def _lower_body(program: Program, key: str, routine: d.Handler | d.StandingRule, due_keys: DueKeys) -> core.Routine:
    lowering = StatementLowering(program, routine, due_keys, {})
    block = lowering.lower_block(routine.block)
    given: tuple[core.Local, ...] = ()
    if isinstance(routine, d.Handler):
        event = program.events[routine.event]
        given = tuple(lowering.get_local(variable) for variable in routine.variables[: len(event.parameters)])
    bound = () if routine.binding is None else routine.binding.variables
    members = tuple(lowering.get_local(variable) for variable in bound if variable is not None)
    sort: core.RoutineSort = "handler" if isinstance(routine, d.Handler) else "rule"
    return core.Routine(key, sort, (*given, *members), lowering.list_locals(), block, (), None, origin=routine)
