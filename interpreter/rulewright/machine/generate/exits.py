"""Python for the ends of blocks."""

from rulewright.machine import graph as g
from rulewright.machine.generate import asking, chance, handing, onward, ranking
from rulewright.machine.generate.flow import Flow, at
from rulewright.machine.generate.routines import arrive
from rulewright.machine.generate.writer import Body
from rulewright.program import declarations as d


def leading_on(body: Body, exit_: g.Exit, flow: Flow) -> None:  # noqa: C901, PLR0912, PLR0915 - one case for each sort
    """The end of a block: what it asks for, whom it hands over to, or where it goes on."""
    match exit_:
        case g.Goto(block):
            flow.go(body, block)
        case g.Fork():
            onward.fork(body, exit_, flow)
        case g.Select():
            onward.select(body, exit_, flow)
        case g.Arrive(step, enter, skip):
            _arrive(body, step, (enter, skip), flow)
        case g.NextItem():
            onward.next_item(body, exit_, flow)
        case g.NextPlayer():
            onward.next_player(body, exit_, flow)
        case g.Again():
            onward.again(body, exit_, flow)
        case g.Attempt():
            onward.attempt(body, exit_, flow)
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
                ranking.throw(body, exit_, site, flow)
        case g.Thrown(throw):
            with at(body, "roll", throw.key) as site:
                ranking.thrown(body, exit_, site, flow)
        case g.AskRow():
            with at(body, "answer", exit_.key) as site:
                site.asks, site.type = "order", exit_.line.variable.type
                ranking.ask(body, exit_, site, flow)
        case g.RowOrdered(asked):
            with at(body, "answer", asked.key) as site:
                site.type = asked.line.variable.type
                ranking.answered(body, exit_, site, flow)
        case g.Invoke():
            with at(body, "call", exit_.line):
                handing.invoke(body, exit_, flow)
        case g.Elsewhere():
            with at(body, "external", exit_.line) as site:
                site.asks = "external"
                handing.elsewhere(body, exit_, flow)
        case g.Delivered(elsewhere):
            with at(body, "external", elsewhere.line):
                handing.delivered(body, elsewhere, flow)
        case g.Window():
            with at(body, "window", exit_.line):
                handing.window(body, exit_, flow)
        case g.Jump():
            with at(body, "line", exit_.line):
                onward.jump(body, exit_, flow)
        case g.Leave(line):
            handing.leave(body, line, flow)
        case g.Unwind(line):
            handing.unwind(body, line)


def _arrive(body: Body, step: d.Step, blocks: tuple[int, int], flow: Flow) -> None:
    enter, skip = blocks
    test = arrive(body, step)
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
