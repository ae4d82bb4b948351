"""Python for paths terms: one function judges a move, one says whether the thing may stop after it."""

from rulewright.machine.generate import expressions, functions
from rulewright.machine.generate.writer import Body
from rulewright.program import declarations as d
from rulewright.program.expressions import Local, Variable
from rulewright.program.types import SetType
from rulewright.roles import nodes


def destinations(body: Body, function: d.Function, found: d.Paths) -> str:
    """The set of destinations, as one call of the search."""
    start = expressions.expression(body, found.start)
    judge, ends = _function(body, function, found), _function(body, function, found)
    _judge(judge, found)
    _ends(ends, found)
    given = "".join(f"{body.variable(each)}, " for each in function.parameters)
    return (
        f"reached(W, {start}, {_board(body, found)}, lambda *m: {_name(judge)}(W, {given}*m), "
        f"lambda *m: {_name(ends)}(W, {given}*m), spent_counts={_is_read(found, found.spent)}, "
        f"moves_count={_is_read(found, found.moves)}, space={_space(function)!r})"
    )


def _function(body: Body, function: d.Function, found: d.Paths) -> Body:
    body.module.lifted += 1
    parameters = (*function.parameters, found.left, found.entered, found.spent, found.moves)
    head = f"def q{body.module.lifted}({', '.join(('W', *(f'v{each.index}' for each in parameters)))}):"
    names = {each.index: f"v{each.index}" for each in function.variables}
    inner = Body(body.module, head, framed=False, names=names, site=body.site)
    inner.muted = 1
    return inner


def _name(written: Body) -> str:
    return written.lines[0][1].removeprefix("def ").partition("(")[0]


def _judge(body: Body, found: d.Paths) -> None:
    spent = body.variable(found.spent)
    if found.cost is None:
        body.line(f"{spent} += 1")
    else:
        if body.traced:
            body.line("j = []")
        functions.tally(body, found.cost.running, found.cost.start, found.cost.rows)
        body.line(f"{spent} += {body.variable(found.cost.running)}")
    for row in found.rows:
        if row.word == "enter":
            with body.indented(f"if not {expressions.held(body, row)}:"):
                body.line("return None")
    halts = [expressions.held(body, row, undecided=False) for row in found.rows if row.word == "halt"]
    body.line(f"return {spent}, {' or '.join(halts) or 'False'}")
    body.module.finish(body)


def _ends(body: Body, found: d.Paths) -> None:
    body.line("r = None")
    for row in found.rows:
        if row.word != "end":
            continue
        guard = "True" if row.guard is None else expressions.expression(body, row.guard)
        with body.indented(f"if {guard}:"):
            body.line(f"r = {expressions.expression(body, row.condition)}")
            with body.indented("if not r:"):
                body.line("return False")
    body.line("return r")
    body.module.finish(body)


def _board(body: Body, found: d.Paths) -> str:
    if len(body.module.program.boards) == 1:
        return "W[6]"
    return f"set(W[{body.module.places.boards[found.board]}])"


def _is_read(found: d.Paths, variable: Variable) -> bool:
    rows = (found.cost, found.rows)
    return any(isinstance(each, Local) and each.variable == variable for part in rows for each in nodes(part))


def _space(function: d.Function) -> str:
    assert isinstance(function.type, SetType)
    return getattr(function.type.item, "space", "hex")
