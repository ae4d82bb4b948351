"""Python for the ends of blocks: where a routine goes on by itself, hands over, asks, and ends."""

from rulewright.machine import graph as g
from rulewright.machine.generate import asking, chance, changing, decisive, expressions, statements
from rulewright.machine.generate.writer import Body, Flow, at
from rulewright.machine.lower import flow_key
from rulewright.program import declarations as d, statements as st
from rulewright.program.expressions import Literal
from rulewright.program.wording import simple


def invoke(body: Body, exit_: g.Invoke, flow: Flow) -> None:
    """Performs a procedure that may suspend."""
    line, module = exit_.line, body.module
    procedure = module.program.procedures[line.procedure]
    body.site.title = procedure.title
    given = "".join(f", {expressions.expression(body, each)}" for each in line.arguments)
    if body.traced or not all(simple(each) or isinstance(each, Literal) for each in line.arguments):
        body.line(f"x = ({given.removeprefix(', ')}{',' if given else ''})")
        given = ", *x"
    if line.depth is not None:
        body.line(f"nested(W, {body.site.number}, {expressions.expression(body, line.depth)})")
    body.note(body.site, "None", "x")
    then = flow.number(exit_.then)
    dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
    flow_ = module.flows[flow_key(procedure, line.steps)]
    table = module.tables[flow_]
    body.line(f"F[0] = {then}")
    body.line("S = W[5]")
    body.line("if len(S) > W[0].limits.depth: too_deep(W)")
    empty = ", None" * (len(table.empty) - len(line.arguments))
    body.line(f"S.append([{table.entry}, {flow_}, {body.site.number}, {dest}{given}{empty}])")
    body.line("return -1")


def ask_elsewhere(body: Body, exit_: g.Elsewhere, flow: Flow) -> None:
    """Asks for a result from elsewhere."""
    given = "".join(f"{expressions.expression(body, each)}, " for each in exit_.line.arguments)
    body.pend(flow.number(exit_.resume), f"({given})", who="None")


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
        with at(body, "line", line), decisive.line(body, line):
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
    with at(body, "line", line), decisive.line(body, line):
        value = "None" if line.value is None else expressions.expression(body, line.value)
        body.line(f"r = {value}")
        body.note(body.site, "r")
        body.line(f"return unwind(W, {body.module.constant(line.procedure)}, r)")


def fork(body: Body, fork: g.Fork, flow: Flow) -> None:
    """Goes on in the first branch whose condition holds."""
    for branch, block in zip(fork.line.branches, fork.blocks, strict=True):
        test = statements.tested(body, branch.condition, fork.line, cites=branch.cites)
        with body.indented(f"if {test}:"):
            flow.go(body, block)
    flow.go(body, fork.otherwise)


def select(body: Body, select: g.Select, flow: Flow) -> None:
    """Goes on in the case of a value."""
    subject = body.temporary()
    with at(body, "line", select.line), decisive.line(body, select.line):
        body.line(f"{subject} = {expressions.expression(body, select.line.subject)}")
        body.note(body.site, subject)
    for case, block in zip(select.line.cases, select.blocks, strict=True):
        if not case.values:
            flow.go(body, block)
            return
        with body.indented(f"if {statements.is_in_case(body, subject, case)}:"):
            flow.go(body, block)
    body.line("uncovered()")


def next_item(body: Body, exit_: g.NextItem, flow: Flow) -> None:
    """Goes on with the next member of a loop, or after it."""
    line, slot = exit_.line, exit_.slot
    names = ["_" if each is None else body.variable(each) for each in line.binding.variables]
    body.line(f"k = F[{slot + 1}]")
    with body.indented(f"while k < len(F[{slot}]):"):
        body.line(f"{', '.join(names)} = F[{slot}][k]")
        body.line("k += 1")
        resume = f"F[{slot + 1}] = k"
        statements.pass_over(body, line, f"F[{slot + 2}]", resume if body.module.framing.wanting else "")
        body.line(f"F[{slot + 1}] = k")
        flow.go(body, exit_.body)
    body.line(f"F[{slot}] = F[{slot + 1}] = F[{slot + 2}] = None")
    flow.go(body, exit_.after)


def next_player(body: Body, exit_: g.NextPlayer, flow: Flow) -> None:
    """Goes on with the next player who is asked, or after the last."""
    slot = exit_.slot
    with body.indented(f"if F[{slot + 1}] < len(F[{slot}]):"):
        body.line(f"{asking.player(body, exit_.line)} = F[{slot}][F[{slot + 1}]]")
        body.line(f"F[{slot + 1}] += 1")
        flow.go(body, exit_.body)
    body.line(f"F[{slot}] = F[{slot + 1}] = None")
    flow.go(body, exit_.after)


def again(body: Body, exit_: g.Again, flow: Flow) -> None:
    """Goes on with the next round of a loop, or after the last."""
    test = statements.tested(body, exit_.line.condition, exit_.line)
    with body.indented(f"if not {test}:"):
        body.line(f"F[{exit_.slot}] = F[{exit_.slot + 1}] = None")
        flow.go(body, exit_.after)
    with at(body, "line", exit_.line), body.indented(f"if F[{exit_.slot + 1}] >= F[{exit_.slot}]:"):
        body.line(f"too_often(F[{exit_.slot}], {exit_.slot + 1}, {flow.number(exit_.head)})")
    body.line(f"F[{exit_.slot + 1}] += 1")
    flow.go(body, exit_.body)


def attempt(body: Body, exit_: g.Attempt, flow: Flow) -> None:
    """Changes a number where there is room, and goes on by that."""
    with at(body, "line", exit_.line), decisive.line(body, exit_.line):
        target, room = changing.amount(body, exit_.line)
        with body.indented(f"if {room or 'True'}:"):
            changing.write(body, target, "z")
            flow.go(body, exit_.then)
        body.note(body.site)
    flow.go(body, exit_.otherwise)


def jump(body: Body, exit_: g.Jump, flow: Flow) -> None:
    """Goes on at a step."""
    if exit_.slot is not None and isinstance(exit_.line, st.Proceed) and exit_.line.bound is not None:
        body.line(f"F[{exit_.slot}] = (F[{exit_.slot}] or 0) + 1")
        bound = expressions.expression(body, exit_.line.bound)
        with body.indented(f"if F[{exit_.slot}] > {bound}:"):
            body.line(f"jumped_too_often(F[{exit_.slot}], {exit_.slot}, {flow.number(exit_.block)})")
    with decisive.left_out(body):
        body.note(body.site)
    flow.go(body, exit_.block)


def leading_on(body: Body, exit_: g.Exit, flow: Flow) -> None:  # noqa: C901, PLR0912, PLR0915 - one case for each sort
    """The end of a block: what it asks for, whom it hands over to, or where it goes on."""
    match exit_:
        case g.Goto(block):
            flow.go(body, block)
        case g.Fork():
            fork(body, exit_, flow)
        case g.Select():
            select(body, exit_, flow)
        case g.Arrive(step, enter, skip):
            _arrive(body, step, (enter, skip), flow)
        case g.NextItem():
            next_item(body, exit_, flow)
        case g.NextPlayer():
            next_player(body, exit_, flow)
        case g.Again():
            again(body, exit_, flow)
        case g.Attempt():
            attempt(body, exit_, flow)
        case g.Settle(then, closes):
            _settle(body, then, closes, flow)
        case g.Question():
            with at(body, "answer", exit_.line) as site:
                site.asks = asking.sort(exit_.line)
                asking.question(body, exit_, site, flow)
        case g.Answered(question):
            with at(body, "answer", question.line) as site:
                asking.answered(body, question, site, flow)
        case g.Chance():
            with at(body, "roll", exit_.line) as site:
                site.asks = chance.SORTS[type(exit_.line)]
                chance.thrown(body, exit_, site, flow)
        case g.Fallen(thrown):
            with at(body, "roll", thrown.line) as site:
                chance.fallen(body, thrown, site, flow)
        case g.Throw():
            with at(body, "roll", exit_.key) as site:
                site.asks = "roll"
                site.title, site.type = exit_.line.variable.name, exit_.line.variable.type
                chance.throw(body, exit_, flow)
        case g.Thrown(throw):
            with at(body, "roll", throw.key) as site:
                chance.parted(body, exit_, site, flow)
        case g.AskRow():
            with at(body, "answer", exit_.key) as site:
                site.asks, site.type = "order", exit_.line.variable.type
                chance.ask(body, exit_, flow)
        case g.RowOrdered(asked):
            with at(body, "answer", asked.key) as site:
                site.type = asked.line.variable.type
                chance.answered(body, exit_, site, flow)
        case g.Invoke():
            with at(body, "call", exit_.line):
                invoke(body, exit_, flow)
        case g.Elsewhere():
            with at(body, "external", exit_.line) as site:
                site.asks = "external"
                ask_elsewhere(body, exit_, flow)
        case g.Delivered(elsewhere):
            with at(body, "external", elsewhere.line):
                delivered(body, elsewhere, flow)
        case g.Window():
            with at(body, "window", exit_.line):
                window(body, exit_, flow)
        case g.Jump():
            with at(body, "line", exit_.line):
                jump(body, exit_, flow)
        case g.Leave(line):
            leave(body, line, flow)
        case g.Unwind(line):
            unwind(body, line)


def _arrive(body: Body, step: d.Step, blocks: tuple[int, int], flow: Flow) -> None:
    enter, skip = blocks
    test = statements.arrive(body, step)
    if test != "True":
        with body.indented(f"if not {test}:"):
            flow.go(body, skip)
    flow.go(body, enter)


def _settle(body: Body, then: int, closes: object, flow: Flow) -> None:
    if closes is not None:
        body.line("W[2] -= 1")
        body.line("W[0].together -= 1")
    target = flow.number(then)
    with body.indented("if W[1] and not W[2] or W[0].removals and not W[0].together:"):
        body.line(f"F[0] = {target}")
        body.line("return settling(W)")
    body.line(f"return {target}")
