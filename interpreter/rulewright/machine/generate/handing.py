"""Python for where a routine hands over: to other procedures, to elsewhere, to windows, and back."""

from rulewright.machine import graph as g
from rulewright.machine.generate import expressions, statements
from rulewright.machine.generate.flow import Flow, at
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st
from rulewright.program.wording import simple


def invoke(body: Body, exit_: g.Invoke, flow: Flow) -> None:
    """Performs a procedure that may suspend."""
    line, module = exit_.line, body.module
    name = statements.plain_key(f"procedure:{line.procedure}", line.steps)
    procedure = module.program.procedures[line.procedure]
    body.site.title = procedure.title
    given = "".join(f", {expressions.expression(body, each)}" for each in line.arguments)
    if body.traced or not all(map(simple, line.arguments)):
        body.line(f"x = ({given.removeprefix(', ')}{',' if given else ''})")
        given = ", *x"
    if line.depth is not None:
        body.line(f"nested(W, {body.site.number}, {expressions.expression(body, line.depth)})")
    body.note(body.site, "None", "x")
    then = flow.number(exit_.then)
    dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
    flow_ = module.flows[name]
    table = module.tables[flow_]
    body.line(f"F[0] = {then}")
    body.line("S = W[5]")
    body.line("if len(S) > W[0].limits.depth: too_deep(W)")
    empty = ", None" * (len(table.empty) - len(line.arguments))
    body.line(f"S.append([{table.entry}, {flow_}, {body.site.number}, {dest}{given}{empty}])")
    body.line("return -1")


def elsewhere(body: Body, exit_: g.Elsewhere, flow: Flow) -> None:
    """Asks for a result from elsewhere."""
    given = "".join(f"{expressions.expression(body, each)}, " for each in exit_.line.arguments)
    body.line(f"W[0].pending = ({body.site.number}, None, ({given}))")
    body.line(f"F[0] = {flow.number(exit_.resume)}")
    body.line("return -2")


def delivered(body: Body, exit_: g.Elsewhere, flow: Flow) -> None:
    """Takes a result from elsewhere."""
    external = body.module.program.external_procedures[exit_.line.external]
    body.site.type = external.result
    body.line("r = delivered(W)")
    if exit_.line.result is not None:
        body.line(f"{body.variable(exit_.line.result)} = r")
    body.note(body.site, "r", "W[0].pending[2]")
    then = flow.number(exit_.then)
    body.line(f"F[0] = {then}")
    with body.indented("if W[1] and not W[2]:"):
        body.line("return settling(W)")
    body.line(f"return {then}")


def window(body: Body, exit_: g.Window, flow: Flow) -> None:
    """Opens the window of an event."""
    line = exit_.line
    body.line(f"F[0] = {flow.number(exit_.then)}")
    if isinstance(line, st.Remove):
        events = body.module.constant(tuple(each for each in line.events if each in body.module.framing.windows))
        body.line(f"return removal(W, {events}, {body.site.number})")
        return
    event = body.module.constant(line.event)
    given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
    body.line(f"x = ({given})")
    dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
    body.note(body.site, "None", "x")
    body.line(f"return window(W, {event}, {body.site.number}, {dest}, x)")


def leave(body: Body, line: st.Finish | None, flow: Flow) -> None:
    """Ends the routine."""
    value = "None" if line is None or line.value is None else "r"
    if line is not None:
        with at(body, "line", line):
            if line.value is not None:
                body.line(f"r = {expressions.expression(body, line.value)}")
            body.note(body.site, value)
    if flow.sort == "handler" and line is not None and line.value is not None:
        value = f"({value},)"
    if flow.sort != "procedure" or flow.binds:
        body.line(f"return leave(W, {value})")
        return
    body.line("S = W[5]")
    body.line("S.pop()")
    if body.traced:
        body.line(f"T.append((F[2], -1, {value}, ('return', F[1])))")
    body.line("if F[3]:")
    body.line(f"    S[-1][F[3]] = {value}")
    body.line("return -1")


def unwind(body: Body, line: st.FinishOuter) -> None:
    """Ends a procedure further out."""
    with at(body, "line", line):
        value = "None" if line.value is None else expressions.expression(body, line.value)
        body.line(f"r = {value}")
        body.note(body.site, "r")
        body.line(f"return unwind(W, {body.module.constant(line.procedure)}, r)")
