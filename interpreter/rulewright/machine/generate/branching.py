"""Python for lines that take one of several ways."""

from rulewright.machine.generate import expressions, statements
from rulewright.machine.generate.conditions import tested
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st


def branch(body: Body, line: st.If) -> None:
    """An `if` with its other branches."""
    for branch in line.branches:
        test = tested(body, branch.condition, line, cites=branch.cites)
        body.line(f"if {test}:")
        body.deepen(1)
        statements.lines(body, branch.block)
        body.line("pass")
        body.deepen(-1)
        if branch is not line.branches[-1] or line.otherwise:
            body.line("else:")
            body.deepen(1)
    if line.otherwise:
        statements.lines(body, line.otherwise)
    body.deepen(-len(line.branches) if line.otherwise else 1 - len(line.branches))


def match_(body: Body, line: st.Match) -> None:
    """A `match`."""
    subject = body.temporary()
    body.line(f"{subject} = {expressions.expression(body, line.subject)}")
    body.note(body.site, subject)
    for position, case in enumerate(line.cases):
        values = ", ".join(expressions.quietly(body, each) for each in case.values)
        head = f"if {subject} in ({values},):" if position == 0 else f"elif {subject} in ({values},):"
        with body.indented(head):
            statements.lines(body, case.block)


def decide(body: Body, line: st.DecideLine) -> None:
    """A `decide` of a procedure: the first row whose guard holds."""
    if body.traced:
        body.line("j = []")
    name = body.variable(line.variable)
    first = True
    tests = 0
    for position, row in enumerate(line.rows):
        if row.guard is not None:
            code = expressions.expression(body, row.guard)
            body.line(f"if {code}:")
            body.deepen(1)
            _take(body, name, position, expressions.expression(body, row.value))
            body.deepen(-1)
            body.line("else:")
            body.deepen(1)
            tests += 1
            if body.traced:
                body.line(f"j.append(({position}, False))")
        else:
            _take(body, name, position, expressions.expression(body, row.value))
            first = False
            break
    if first:
        body.line("uncovered()")
    body.deepen(-tests)
    body.site.type = line.variable.type
    body.note(body.site, name, "j")


def _take(body: Body, name: str, position: int, value: str) -> None:
    body.line(f"{name} = {value}")
    if body.traced:
        body.line(f"j.append(({position}, True))")
