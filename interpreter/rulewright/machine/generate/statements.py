"""Python for lines that never suspend, with their conditions, branches and loops."""

from contextlib import nullcontext

from rulewright.machine.generate import asking, chance, changing, decisive, expressions, functions, loops
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.lower import flow_key
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Need
from rulewright.program.effects import written_by
from rulewright.program.expressions import Expression, Removed, Variable
from rulewright.program.types import MapType, PoolType
from rulewright.program.walk import Routine
from rulewright.program.wording import simple
from rulewright.roles import nodes


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
        when = decisive.test(body, node, of)
        if when == "never":
            with decisive.left_out(body):
                return condition(body, node)
        code = condition(body, node)
        if body.traced:
            site.title = body.module.wording.text(node)
            with body.indented("if x:") if when == "met" else nullcontext():
                body.note(site, "x")
    return code


def need(body: Body, line: Need, routine: str) -> None:
    """An opening condition."""
    site = body.module.site("need", line, line=True, routine=routine)
    with body.at(site), decisive.left_out(body):
        body.begin()
        test = expressions.held(body, line)
        if body.traced:
            body.line(f"x = {test}")
            test = "x"
            body.note(site, "x")
        with body.indented(f"if not {test}:"):
            body.line(f"raise NeedFailed({site.number})")


def lines(body: Body, block: st.Block | None) -> None:
    """The lines of a block, one after the other."""
    with body.telling():
        for each in block or ():
            statement(body, each)


def statement(body: Body, line: st.Statement) -> None:  # noqa: C901, PLR0912
    """One line with everything in it; it settles afterwards where it may have to."""
    sort = "ruling" if isinstance(line, st.Ruling) else "line"
    site = body.module.site(sort, line, line=True, routine=body.site.routine)
    with body.at(site), decisive.line(body, line):
        body.begin()
        match line:
            case st.Let():
                _let(body, line)
            case st.If():
                branch(body, line)
            case st.Match():
                match_(body, line)
            case st.ForEach():
                for_each(body, line)
            case st.Repeat():
                repeat(body, line)
            case st.Together():
                together(body, line)
            case st.Perform():
                _perform(body, line)
            case st.Trigger():
                _trigger(body, line)
            case st.TallyLine():
                _tally(body, line)
            case st.DecideLine():
                decide(body, line)
            case st.Rank():
                chance.plain(body, line)
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
    body.line(f"{name} = {changing.valued(body, line.value, line.variable.type)}")
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
    name = f"p{body.module.routines[flow_key(procedure, line.steps)]}"
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


def branch(body: Body, line: st.If) -> None:
    """An `if` with its other branches."""
    for branch in line.branches:
        test = tested(body, branch.condition, line, cites=branch.cites)
        body.line(f"if {test}:")
        body.deepen(1)
        lines(body, branch.block)
        body.line("pass")
        body.deepen(-1)
        if branch is not line.branches[-1] or line.otherwise:
            body.line("else:")
            body.deepen(1)
    if line.otherwise:
        lines(body, line.otherwise)
    body.deepen(-len(line.branches) if line.otherwise else 1 - len(line.branches))


def match_(body: Body, line: st.Match) -> None:
    """A `match`."""
    subject = body.temporary()
    body.line(f"{subject} = {expressions.expression(body, line.subject)}")
    body.note(body.site, subject)
    for position, case in enumerate(line.cases):
        test = f"{'elif' if position else 'if'} {is_in_case(body, subject, case)}:" if case.values else "else:"
        with body.indented(test):
            lines(body, case.block)


def is_in_case(body: Body, subject: str, case: st.Case) -> str:
    """Python for whether a value is among those that a case names."""
    return f"{subject} in ({', '.join(expressions.quietly(body, each) for each in case.values)},)"


def decide(body: Body, line: st.DecideLine) -> None:
    """A `decide` of a procedure: the first row whose guard holds."""
    if body.traced:
        body.line("j = []")
    name = body.variable(line.variable)
    tests = 0
    for position, row in enumerate(line.rows):
        if row.guard is None:
            _take(body, name, position, expressions.expression(body, row.value))
            break
        with body.indented(f"if {expressions.expression(body, row.guard)}:"):
            _take(body, name, position, expressions.expression(body, row.value))
        body.line("else:")
        body.deepen(1)
        tests += 1
        if body.traced:
            body.line(f"j.append(({position}, False))")
    else:
        body.line("uncovered()")
    body.deepen(-tests)
    body.site.type = line.variable.type
    body.note(body.site, name, "j")


def _take(body: Body, name: str, position: int, value: str) -> None:
    body.line(f"{name} = {value}")
    if body.traced:
        body.line(f"j.append(({position}, True))")


def for_each(body: Body, line: st.ForEach) -> None:
    """A `for each`."""
    source = expressions.expression(body, line.binding.source)
    items = body.temporary()
    body.line(f"{items} = {iterated(body, line.binding.source, source)}")
    body.note(body.site, items)
    body.line(f"W[0].work += len({items})")
    body.line(f"visit(W, len({items}))")
    before = body.temporary()
    already_gone(body, line, items, before)
    with body.indented(f"for {loops.target(body, line.binding)} in {items}:"):
        body.looped.difference_update(each.index for each in line.binding.variables if each)
        pass_over(body, line, before)
        lines(body, line.block)


def repeat(body: Body, line: st.Repeat) -> None:
    """A `repeat while`."""
    bound, rounds = body.temporary(), body.temporary()
    body.line(f"{bound} = {expressions.expression(body, line.bound)}")
    body.line(f"{rounds} = 0")
    body.note(body.site, bound)
    with body.indented("while True:"):
        with body.telling():
            test = tested(body, line.condition, line)
        with body.indented(f"if not {test}:"):
            body.line("break")
        with body.indented(f"if {rounds} >= {bound}:"):
            body.line(f"too_often({bound})")
        body.line(f"{rounds} += 1")
        body.line("W[0].work += 1")
        body.line("visit(W, 1)")
        lines(body, line.block)


def iterated(body: Body, source: Expression, code: str) -> str:
    """Python for the members of a source as they are now."""
    match source.type:
        case MapType():
            return f"{code}.keys()"
        case PoolType():
            return body.kept(code)
        case _:
            return code


def already_gone(body: Body, line: st.ForEach, items: str, before: str) -> None:
    """Notes which members are gone when a loop begins, where its block may remove one: the loop visits those too."""
    kind = visited_kind(line.binding.source)
    if kind is not None and may_remove(body, line.block):
        gone = f"W[{body.module.places.gone[kind]}]"
        body.line(f"{before} = tuple([x for x in {items} if {gone}[x]])")


def may_remove(body: Body, block: st.Block) -> bool:
    """Whether something may go out of play while a block runs."""
    return any(
        isinstance(each, st.Remove | st.Perform | st.PerformExternal | st.Trigger | st.FinishOuter)
        or (isinstance(each, st.Line) and body.module.mask(written_by(each)))  # type: ignore[arg-type]
        for each in nodes(block)
    )


def pass_over(body: Body, line: st.ForEach, before: str, resume: str = "") -> None:
    """Passes over a member that has left play since the loop began, or fails `where` at its turn.

    A member that passes is recorded where its condition worked something out, which belongs to no other line.
    `before` is Python for the members that were gone already, `resume` a line that keeps where the loop is while
    `where` may wait for a value from elsewhere.
    """
    kind = visited_kind(line.binding.source)
    site = body.module.site("skipped", line, line=True, routine=body.site.routine)
    member = loops.member(body, line.binding)
    if kind is not None and may_remove(body, line.block):
        with body.indented(f"if W[{body.module.places.gone[kind]}][{member}] and {member} not in {before}:"):
            body.begin()
            body.note(site, member)
            body.line("continue")
    if line.binding.where is not None:
        with body.at(site):
            body.begin()
            test = condition(body, line.binding.where)
            with body.indented(f"if not {test}:"):
                body.note(site, member)
                if resume:
                    body.line(resume)
                body.line("continue")
            if body.calls and body.noted:
                body.note(body.module.site("visited", line, line=True, routine=body.site.routine), member)


def visited_kind(source: Expression) -> str | None:
    """The kind of the things a loop visits, if it passes over those that leave play once it has begun."""
    kind = getattr(getattr(source.type, "item", None), "kind", None)
    return None if isinstance(source, Removed) else kind


def plain_routine(module: Module, routine: Routine, steps: tuple[str, str] | None = None) -> None:
    """A routine that never suspends, or a range of its steps, as one function."""
    name = flow_key(routine, steps)
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
        lines(body, routine.block)
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
            need(body, each, body.site.routine)
        elif isinstance(each, tuple):
            lines(body, each)
    ids = [each.id for each in procedure.steps]
    first, last = (0, len(ids)) if steps is None else (ids.index(steps[0]), ids.index(steps[1]) + 1)
    for step in procedure.steps[first:last]:
        test = arrive(body, step)
        with body.indented(f"if {test}:"):
            lines(body, step.block)


def arrive(body: Body, step: d.Step) -> str:
    """Judges the guard of a step; returns Python for whether it is entered."""
    site = body.module.site("step", step, line=True, routine=body.site.routine)
    with body.at(site):
        body.begin()
        test = "True" if step.guard is None else condition(body, step.guard)
        body.note(site, test)
    return test
