"""Python for lines that never suspend."""

from rulewright.machine.framing import key
from rulewright.machine.generate import asking, branching, changing, expressions, functions, ranking, visiting
from rulewright.machine.generate.writer import Body
from rulewright.machine.generate.writing import valued
from rulewright.program import statements as st
from rulewright.program.effects import written_by
from rulewright.program.wording import simple


def lines(body: Body, block: st.Block | None) -> None:
    """The lines of a block, one after the other."""
    for each in block or ():
        statement(body, each)


def statement(body: Body, line: st.Statement) -> None:  # noqa: C901, PLR0912
    """One line with everything in it; it settles afterwards where it may have to."""
    sort = "ruling" if isinstance(line, st.Ruling) else "line"
    site = body.module.site(sort, line, line=True, routine=body.site.routine)
    with body.at(site):
        body.begin()
        match line:
            case st.Let():
                _let(body, line)
            case st.If():
                branching.branch(body, line)
            case st.Match():
                branching.match_(body, line)
            case st.ForEach():
                visiting.for_each(body, line)
            case st.Repeat():
                visiting.repeat(body, line)
            case st.Together():
                together(body, line)
            case st.Perform():
                _perform(body, line)
            case st.Trigger():
                _trigger(body, line)
            case st.TallyLine():
                _tally(body, line)
            case st.DecideLine():
                branching.decide(body, line)
            case st.Rank():
                ranking.plain(body, line)
            case st.Finish():
                _finish(body, line)
            case st.Reveal():
                asking.revealed(body, line.variable)
            case st.Stop():
                body.note(site)
                body.line("break")
            case st.Nothing() | st.Ruling():
                body.note(site)
                body.line("pass")
            case _:
                changing.change(body, line)
                settle(body, line)


def settle(body: Body, line: st.Statement) -> None:
    """Lets plain standing rules fire and judges invariants, where the line may have awakened any."""
    if body.module.mask(written_by(line)):
        with body.indented("if not W[2]:"):
            body.line("settle(W)")


def _let(body: Body, line: st.Let) -> None:
    if line.value is None:
        return
    name = body.variable(line.variable)
    body.line(f"{name} = {valued(body, line.value, line.variable.type)}")
    body.site.title, body.site.type = line.variable.name, line.variable.type
    body.note(body.site, name)


def _tally(body: Body, line: st.TallyLine) -> None:
    if body.traced:
        body.line("j = []")
    functions.tally(body, line.variable, line.start, line.rows)
    body.site.type = line.variable.type
    body.note(body.site, body.variable(line.variable), "j")


def together(body: Body, line: st.Together) -> None:
    """Nothing settles between the lines; then the state settles."""
    removals = any(event.on_removal for event in body.module.program.events.values())
    body.line("W[2] += 1")
    if removals:
        body.line("W[0].together += 1")
    lines(body, line.block)
    body.line("W[2] -= 1")
    if removals:
        body.line("W[0].together -= 1")
        with body.indented("if W[0].removals and not W[0].together:"):
            body.line("reported(W)")
    with body.indented("if W[1] and not W[2]:"):
        body.line("settle(W)")


def _perform(body: Body, line: st.Perform) -> None:
    procedure = body.module.program.procedures[line.procedure]
    name = f"p{body.module.routines[plain_key(key(procedure), line.steps)]}"
    given = ["W", *(expressions.expression(body, each) for each in line.arguments)]
    call = body.module.site("call", line, line=True, routine=body.site.routine, title=procedure.title)
    if body.traced:
        names = []
        for each in given[1:]:
            names.append(body.temporary())
            body.line(f"{names[-1]} = {each}")
        given = ["W", *names]
        body.note(call, "None", f"({''.join(f'{each}, ' for each in names)})")
    result = f"{name}({', '.join(given)})"
    place = "r" if line.result is None else body.variable(line.result)
    body.line(result if line.result is None and not body.traced else f"{place} = {result}")
    body.begin()
    back = body.module.site("return", line, line=True, routine=body.site.routine, type=procedure.result)
    body.note(back, place)


def plain_key(name: str, steps: tuple[str, str] | None) -> str:
    """The key of a plain routine, or of a range of its steps."""
    return name if steps is None else f"{name}:{steps[0]}..{steps[1]}"


def _trigger(body: Body, line: st.Trigger) -> None:
    given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
    heard = line.event in body.module.framing.heard
    if heard or body.traced or not all(map(simple, line.arguments)):
        body.line(f"x = ({given})")
    body.note(body.site, "x")
    if heard:
        event = body.module.constant(line.event)
        with body.indented("for k in W[0].watching:"), body.indented(f"if k[2] == {event}:"):
            body.line("k[3](W, k[1], *x)")
    if line.result is not None:
        body.line(f"{body.variable(line.result)} = ()")


def _finish(body: Body, line: st.Finish) -> None:
    body.line(f"r = {'None' if line.value is None else expressions.expression(body, line.value)}")
    body.note(body.site, "r")
    handler = body.site.routine.startswith("handler:")
    body.line("return (r,)" if handler and line.value is not None else "return r")
