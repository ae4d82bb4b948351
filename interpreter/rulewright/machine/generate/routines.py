"""Python for routines that never suspend: plain functions."""

from rulewright.machine.generate import statements
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.suspension import Routine, key
from rulewright.program import declarations as d
from rulewright.program.expressions import Variable


def plain(module: Module, routine: Routine, steps: tuple[str, str] | None = None) -> None:
    """A routine that never suspends, or a range of its steps, as one function."""
    name = statements.plain_key(key(routine), steps)
    parameters = _parameters(module, routine)
    names = {each.index: f"v{each.index}" for each in routine.variables}
    head = f"def p{module.routines[name]}({', '.join(('W', *(names[each.index] for each in parameters)))}):"
    body = Body(module, head, framed=False, names=names, site=module.site("line", routine, routine=name))
    body.opened = False
    own = [each for each in routine.variables if each not in parameters]
    if own:
        body.line(" = ".join(names[each.index] for each in own) + " = None")
    if isinstance(routine, d.Procedure):
        _plain_procedure(body, routine, steps)
    else:
        statements.lines(body, routine.block)
    body.line("return None")
    module.finish(body)


def _parameters(module: Module, routine: Routine) -> tuple[Variable, ...]:
    match routine:
        case d.Procedure():
            return routine.parameters
        case d.Handler():
            count = len(module.program.events[routine.event].parameters)
            return (*routine.variables[:count], *(each for each in routine.binding.variables if each))
        case d.StandingRule():
            return tuple(each for each in routine.binding.variables if each) if routine.binding else ()


def _plain_procedure(body: Body, procedure: d.Procedure, steps: tuple[str, str] | None) -> None:
    for each in procedure.opening:
        if isinstance(each, d.Need):
            statements.need(body, each, body.site.routine)
        elif isinstance(each, tuple):
            statements.lines(body, each)
    ids = [each.id for each in procedure.steps]
    first, last = (0, len(ids)) if steps is None else (ids.index(steps[0]), ids.index(steps[1]) + 1)
    for step in procedure.steps[first:last]:
        test = arrive(body, step)
        with body.indented(f"if {test}:"):
            statements.lines(body, step.block)


def arrive(body: Body, step: d.Step) -> str:
    """Judges the guard of a step; returns Python for whether it is entered."""
    site = body.module.site("step", step, line=True, routine=body.site.routine)
    with body.at(site):
        body.begin()
        test = "True" if step.guard is None else statements.condition(body, step.guard)
        body.note(site, test)
    return test
