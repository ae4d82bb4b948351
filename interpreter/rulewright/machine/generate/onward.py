"""Python for where a routine goes on by itself: branches, loops and steps."""

from rulewright.machine import graph as g
from rulewright.machine.generate import asking, changing, conditions, expressions, visiting, writing
from rulewright.machine.generate.flow import Flow, at
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st


def fork(body: Body, fork: g.Fork, flow: Flow) -> None:
    """Goes on in the first branch whose condition holds."""
    for branch, block in zip(fork.line.branches, fork.blocks, strict=True):
        test = conditions.tested(body, branch.condition, fork.line, cites=branch.cites)
        with body.indented(f"if {test}:"):
            flow.go(body, block)
    flow.go(body, fork.otherwise)


def select(body: Body, select: g.Select, flow: Flow) -> None:
    """Goes on in the case of a value."""
    subject = body.temporary()
    with at(body, "line", select.line):
        body.line(f"{subject} = {expressions.expression(body, select.line.subject)}")
        body.note(body.site, subject)
    for case, block in zip(select.line.cases, select.blocks, strict=True):
        values = ", ".join(expressions.quietly(body, each) for each in case.values)
        with body.indented(f"if {subject} in ({values},):"):
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
        visiting.pass_over(body, line, f"F[{slot + 2}]", resume if body.module.framing.wanting else "")
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
    test = conditions.tested(body, exit_.line.condition, exit_.line)
    with body.indented(f"if not {test}:"):
        body.line(f"F[{exit_.slot}] = F[{exit_.slot + 1}] = None")
        flow.go(body, exit_.after)
    with body.indented(f"if F[{exit_.slot + 1}] >= F[{exit_.slot}]:"):
        body.line(f"too_often(F[{exit_.slot}])")
    body.line(f"F[{exit_.slot + 1}] += 1")
    flow.go(body, exit_.body)


def attempt(body: Body, exit_: g.Attempt, flow: Flow) -> None:
    """Changes a number where there is room, and goes on by that."""
    with at(body, "line", exit_.line):
        target, room = changing.amount(body, exit_.line)
        with body.indented(f"if {room or 'True'}:"):
            writing.write(body, target, "z")
            flow.go(body, exit_.then)
        body.note(body.site)
    flow.go(body, exit_.otherwise)


def jump(body: Body, exit_: g.Jump, flow: Flow) -> None:
    """Goes on at a step."""
    if exit_.slot is not None and isinstance(exit_.line, st.Proceed) and exit_.line.bound is not None:
        body.line(f"F[{exit_.slot}] = (F[{exit_.slot}] or 0) + 1")
        bound = expressions.expression(body, exit_.line.bound)
        with body.indented(f"if F[{exit_.slot}] > {bound}:"):
            body.line(f"jumped_too_often(F[{exit_.slot}])")
    body.note(body.site)
    flow.go(body, exit_.block)
