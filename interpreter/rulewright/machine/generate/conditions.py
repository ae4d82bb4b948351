"""Python for conditions of lines, recorded as tests."""

from rulewright.machine.generate import expressions
from rulewright.machine.generate.writer import Body
from rulewright.program.declarations import Need
from rulewright.program.expressions import Expression


def condition(body: Body, node: Expression) -> str:
    """Python for a condition that is recorded as a test, before an `if`."""
    code = expressions.expression(body, node)
    if not body.traced:
        return code
    body.line(f"x = {code}")
    return "x"


def tested(body: Body, node: Expression, of: object, **more: object) -> str:
    """Evaluates a condition and records it as a test of its own; returns Python for its value."""
    site = body.module.site("test", of, routine=body.site.routine, line=True, **more)
    with body.at(site):
        body.begin()
        code = condition(body, node)
        if body.traced:
            site.title = body.module.wording.text(node)
            body.note(site, "x")
    return code


def need(body: Body, line: Need, routine: str) -> None:
    """An opening condition."""
    site = body.module.site("need", line, line=True, routine=routine)
    with body.at(site):
        body.begin()
        test = expressions.held(body, line)
        if body.traced:
            body.line(f"x = {test}")
            test = "x"
            body.note(site, "x")
        with body.indented(f"if not {test}:"):
            body.line(f"raise NeedFailed({site.number})")
