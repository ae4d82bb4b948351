"""Python for lines that never suspend, with their conditions, branches and loops."""

from contextlib import nullcontext

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Need
from rulewright.program.effects import list_written_places
from rulewright.program.expressions import Expression, Removed, Variable
from rulewright.program.walk import AnyRoutine
from rulewright.program.wording import is_simple_path
from rulewright.runtime.generate import assignments, chance, decisions, expressions, functions, loops, writer
from rulewright.runtime.generate.writer import CONTROL_CODE, QUIET_CODE, UNSETTLED_CODE, FunctionBuilder, ModuleBuilder
from rulewright.runtime.lowering import graph_key


def emit_condition(body: FunctionBuilder, node: Expression) -> str:
    """Python for a condition that is recorded as a test, before an `if`."""
    code = expressions.emit_expression(body, node)
    if not body.records_reads:
        return code
    body.add_line(f"x = {code}")
    return "x"


def emit_test(body: FunctionBuilder, node: Expression, of: object, **more: object) -> str:
    """Evaluates a condition and records it as a separate test; returns Python for its value."""
    site = body.module.add_site("test", of, routine=body.site.routine, line=True, **more)
    with body.at_site(site):
        body.begin_entry()
        when = writer.when_to_record_test(body, node, of)
        if when == "never":
            with writer.skip_recording(body):
                return emit_condition(body, node)
        code = emit_condition(body, node)
        if body.records_reads:
            site.title = body.module.wording.render_expression(node)
            with body.indent_under("if x:") if when == "met" else nullcontext():
                body.emit_entry(site, "x")
    return code


def emit_need(body: FunctionBuilder, line: Need, routine: str) -> None:
    site = body.module.add_site("need", line, line=True, routine=routine)
    with body.at_site(site), writer.skip_recording(body):
        body.begin_entry()
        test = expressions.emit_row_test(body, line)
        if body.records_reads:
            body.add_line(f"x = {test}")
            test = "x"
            body.emit_entry(site, "x")
        with body.indent_under(f"if not {test}:"):
            body.add_line(f"raise NeedFailed({site.number})")


def emit_lines(body: FunctionBuilder, block: st.Block | None) -> None:
    """The lines of a block, in order."""
    with body.recording_only():
        for item in block or ():
            emit_statement(body, item)


def emit_statement(body: FunctionBuilder, line: st.Statement) -> None:
    """One line with everything in it; settles afterwards if needed."""
    sort = "ruling" if isinstance(line, st.Ruling) else "line"
    site = body.module.add_site(sort, line, line=True, routine=body.site.routine)
    with body.at_site(site), writer.record_line(body, line):
        body.begin_entry()
        match line:
            case st.Let():
                _emit_let(body, line)
            case st.If():
                emit_if(body, line)
            case st.Match():
                emit_match(body, line)
            case st.ForEach():
                emit_for_each(body, line)
            case st.Repeat():
                emit_repeat(body, line)
            case st.Together():
                emit_together(body, line)
            case st.Perform():
                _emit_perform(body, line)
            case st.Trigger():
                _emit_trigger(body, line)
            case st.TallyLine():
                _emit_tally_line(body, line)
            case st.DecideLine():
                emit_decide_line(body, line)
            case st.Rank():
                chance.emit_plain_rank(body, line)
            case st.Finish():
                _emit_finish(body, line)
            case st.Reveal():
                decisions.emit_reveal(body, line.variable)
            case st.Stop():
                body.emit_entry(site)
                body.add_line("break")
            case st.Nothing() | st.Ruling():
                body.emit_entry(site)
                body.add_line("pass")
            case _:
                assignments.emit_change(body, line)
                emit_settle(body, line)


def emit_settle(body: FunctionBuilder, line: st.Statement) -> None:
    """Fires plain standing rules and judges invariants, if the line may have awakened any."""
    if body.module.combine_masks(list_written_places(line)):
        with body.indent_under(f"if not {QUIET_CODE}:"):
            body.add_line("settle_rules(W)")


def _emit_let(body: FunctionBuilder, line: st.Let) -> None:
    if line.value is None:
        return
    name = body.variable_place(line.variable)
    body.add_line(f"{name} = {assignments.emit_slot_value(body, line.value, line.variable.type)}")
    body.site.title, body.site.type = line.variable.name, line.variable.type
    body.emit_entry(body.site, name)


def _emit_tally_line(body: FunctionBuilder, line: st.TallyLine) -> None:
    if body.records_reads:
        body.add_line("j = []")
    functions.emit_tally(body, line.variable, line.start, line.rows)
    body.site.type = line.variable.type
    body.emit_entry(body.site, body.variable_place(line.variable), "j")


def emit_together(body: FunctionBuilder, line: st.Together) -> None:
    """Nothing settles between the lines; then the state settles."""
    removals = any(event.on_removal for event in body.module.program.events.values())
    body.add_line(f"{QUIET_CODE} += 1")
    if removals:
        body.add_line(f"{CONTROL_CODE}.together += 1")
    emit_lines(body, line.block)
    body.add_line(f"{QUIET_CODE} -= 1")
    if removals:
        body.add_line(f"{CONTROL_CODE}.together -= 1")
        with body.indent_under(f"if {CONTROL_CODE}.removals and not {CONTROL_CODE}.together:"):
            body.add_line("report_deferred_removals(W)")
    with body.indent_under(f"if {UNSETTLED_CODE} and not {QUIET_CODE}:"):
        body.add_line("settle_rules(W)")


def _emit_perform(body: FunctionBuilder, line: st.Perform) -> None:
    procedure = body.module.program.procedures[line.procedure]
    name = f"p{body.module.routines[graph_key(procedure, line.steps)]}"
    given = ["W", *(expressions.emit_expression(body, argument) for argument in line.arguments)]
    call = body.module.add_site("call", line, line=True, routine=body.site.routine, title=procedure.title)
    if body.records_reads:
        names = []
        for item in given[1:]:
            names.append(body.new_temporary())
            body.add_line(f"{names[-1]} = {item}")
        given = ["W", *names]
        body.emit_entry(call, "None", f"({''.join(f'{each}, ' for each in names)})")
    result = f"{name}({', '.join(given)})"
    place = "r" if line.result is None else body.variable_place(line.result)
    body.add_line(result if line.result is None and not body.records_reads else f"{place} = {result}")
    body.begin_entry()
    back = body.module.add_site("return", line, line=True, routine=body.site.routine, type=procedure.result)
    body.emit_entry(back, place)


def _emit_trigger(body: FunctionBuilder, line: st.Trigger) -> None:
    given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in line.arguments)
    heard = line.event in body.module.framing.watched_events
    if heard or body.records_reads or not all(map(is_simple_path, line.arguments)):
        body.add_line(f"x = ({given})")
    body.emit_entry(body.site, "x")
    if heard:
        event = body.module.add_constant(line.event)
        with body.indent_under(f"for k in {CONTROL_CODE}.watching:"), body.indent_under(f"if k[2] == {event}:"):
            body.add_line("k[3](W, k[1], *x)")
    if line.result is not None:
        body.add_line(f"{body.variable_place(line.result)} = ()")


def _emit_finish(body: FunctionBuilder, line: st.Finish) -> None:
    body.add_line(f"r = {'None' if line.value is None else expressions.emit_expression(body, line.value)}")
    body.emit_entry(body.site, "r")
    handler = body.site.routine.startswith("handler:")
    body.add_line("return (r,)" if handler and line.value is not None else "return r")


def emit_if(body: FunctionBuilder, line: st.If) -> None:
    for branch in line.branches:
        test = emit_test(body, branch.condition, line, cites=branch.cites)
        body.add_line(f"if {test}:")
        body.change_depth(1)
        emit_lines(body, branch.block)
        body.add_line("pass")
        body.change_depth(-1)
        if branch is not line.branches[-1] or line.otherwise:
            body.add_line("else:")
            body.change_depth(1)
    if line.otherwise:
        emit_lines(body, line.otherwise)
    body.change_depth(-len(line.branches) if line.otherwise else 1 - len(line.branches))


def emit_match(body: FunctionBuilder, line: st.Match) -> None:
    subject = body.new_temporary()
    body.add_line(f"{subject} = {expressions.emit_expression(body, line.subject)}")
    body.emit_entry(body.site, subject)
    for position, case in enumerate(line.cases):
        test = f"{'elif' if position else 'if'} {emit_case_test(body, subject, case)}:" if case.values else "else:"
        with body.indent_under(test):
            emit_lines(body, case.block)


def emit_case_test(body: FunctionBuilder, subject: str, case: st.Case) -> str:
    """Python for whether a value is among those of a case."""
    return f"{subject} in ({', '.join(expressions.emit_unrecorded(body, value) for value in case.values)},)"


def emit_decide_line(body: FunctionBuilder, line: st.DecideLine) -> None:
    """`decide` in a procedure: the first row whose guard holds."""
    if body.records_reads:
        body.add_line("j = []")
    name = body.variable_place(line.variable)
    tests = 0
    for position, row in enumerate(line.rows):
        if row.guard is None:
            _emit_take_row(body, name, position, expressions.emit_expression(body, row.value))
            break
        with body.indent_under(f"if {expressions.emit_expression(body, row.guard)}:"):
            _emit_take_row(body, name, position, expressions.emit_expression(body, row.value))
        body.add_line("else:")
        body.change_depth(1)
        tests += 1
        if body.records_reads:
            body.add_line(f"j.append(({position}, False))")
    else:
        body.add_line("fault_no_row_covers()")
    body.change_depth(-tests)
    body.site.type = line.variable.type
    body.emit_entry(body.site, name, "j")


def _emit_take_row(body: FunctionBuilder, name: str, position: int, value: str) -> None:
    body.add_line(f"{name} = {value}")
    if body.records_reads:
        body.add_line(f"j.append(({position}, True))")


def emit_for_each(body: FunctionBuilder, line: st.ForEach) -> None:
    source = expressions.emit_expression(body, line.binding.source)
    items = body.new_temporary()
    body.add_line(f"{items} = {loops.emit_iterated(body, line.binding.source, source)}")
    body.emit_entry(body.site, items)
    body.add_line(f"{CONTROL_CODE}.work += len({items})")
    body.add_line(f"charge_visits(W, len({items}))")
    before = body.new_temporary()
    emit_note_gone(body, line, items, before)
    with body.indent_under(f"for {loops.emit_loop_target(body, line.binding.variables)} in {items}:"):
        body.loop_variables.difference_update(variable.index for variable in line.binding.variables if variable)
        emit_pass_over(body, line, before)
        emit_lines(body, line.block)


def emit_repeat(body: FunctionBuilder, line: st.Repeat) -> None:
    bound, rounds = body.new_temporary(), body.new_temporary()
    body.add_line(f"{bound} = {expressions.emit_expression(body, line.bound)}")
    body.add_line(f"{rounds} = 0")
    body.emit_entry(body.site, bound)
    with body.indent_under("while True:"):
        with body.recording_only():
            test = emit_test(body, line.condition, line)
        with body.indent_under(f"if not {test}:"):
            body.add_line("break")
        with body.indent_under(f"if {rounds} >= {bound}:"):
            body.add_line(f"fault_loop_too_long({bound})")
        body.add_line(f"{rounds} += 1")
        body.add_line(f"{CONTROL_CODE}.work += 1")
        body.add_line("charge_visits(W, 1)")
        emit_lines(body, line.block)


def emit_note_gone(body: FunctionBuilder, line: st.ForEach, items: str, before: str) -> None:
    """Notes the members gone at the start of a loop whose block may remove some: the loop visits those too."""
    kind = visited_kind(line.binding.source)
    if kind is not None and may_remove(body, line.block):
        gone_code = f"W[{body.module.places.gone[kind]}]"
        body.add_line(f"{before} = tuple([x for x in {items} if {gone_code}[x]])")


def may_remove(body: FunctionBuilder, block: st.Block) -> bool:
    """Whether a block may put something out of play."""
    return any(
        isinstance(node, st.Remove | st.Perform | st.PerformExternal | st.Trigger | st.FinishOuter)
        or (isinstance(node, st.Line) and body.module.combine_masks(list_written_places(node)))  # type: ignore[arg-type]
        for node in walk_nodes(block)
    )


def emit_pass_over(body: FunctionBuilder, line: st.ForEach, before: str, resume: str = "") -> None:
    """Skips a member that left play since the loop began, or fails `where` at its turn.

    A member that passes is recorded if its condition computed something that belongs to no other line. `before` is
    Python for the members gone at the start, `resume` a line that stores the position of the loop while `where` may
    wait for an external value.
    """
    kind = visited_kind(line.binding.source)
    site = body.module.add_site("skipped", line, line=True, routine=body.site.routine)
    member = loops.emit_member(body, line.binding.variables)
    if kind is not None and may_remove(body, line.block):
        with body.indent_under(f"if W[{body.module.places.gone[kind]}][{member}] and {member} not in {before}:"):
            body.begin_entry()
            body.emit_entry(site, member)
            body.add_line("continue")
    if line.binding.where is not None:
        with body.at_site(site):
            body.begin_entry()
            test = emit_condition(body, line.binding.where)
            with body.indent_under(f"if not {test}:"):
                body.emit_entry(site, member)
                if resume:
                    body.add_line(resume)
                body.add_line("continue")
            if body.calls and body.records_results:
                body.emit_entry(body.module.add_site("visited", line, line=True, routine=body.site.routine), member)


def visited_kind(source: Expression) -> str | None:
    """Kind of the things a loop visits, if it skips those that leave play once it has begun."""
    kind = getattr(getattr(source.type, "item", None), "kind", None)
    return None if isinstance(source, Removed) else kind


def emit_plain_routine(module: ModuleBuilder, routine: AnyRoutine, steps: tuple[str, str] | None = None) -> None:
    """A routine that never suspends, or a range of its steps, as one function."""
    name = graph_key(routine, steps)
    parameters = _routine_parameters(module, routine)
    names = {variable.index: f"v{variable.index}" for variable in routine.variables}
    head = f"def p{module.routines[name]}({', '.join(('W', *(names[parameter.index] for parameter in parameters)))}):"
    body = FunctionBuilder(module, head, framed=False, names=names, site=module.add_site("line", routine, routine=name))
    body.has_recorded = False
    local_variables = [variable for variable in routine.variables if variable not in parameters]
    if local_variables:
        body.add_line(" = ".join(names[variable.index] for variable in local_variables) + " = None")
    if isinstance(routine, d.Procedure):
        _emit_plain_procedure(body, routine, steps)
    else:
        emit_lines(body, routine.block)
    body.add_line("return None")
    module.finish_function(body)


def _routine_parameters(module: ModuleBuilder, routine: AnyRoutine) -> tuple[Variable, ...]:
    match routine:
        case d.Procedure():
            return routine.parameters
        case d.Handler():
            count = len(module.program.events[routine.event].parameters)
            return (*routine.variables[:count], *(variable for variable in routine.binding.variables if variable))
        case d.StandingRule():
            return tuple(variable for variable in routine.binding.variables if variable) if routine.binding else ()


def _emit_plain_procedure(body: FunctionBuilder, procedure: d.Procedure, steps: tuple[str, str] | None) -> None:
    for part in procedure.opening:
        if isinstance(part, d.Need):
            emit_need(body, part, body.site.routine)
        elif isinstance(part, tuple):
            emit_lines(body, part)
    ids = [item.id for item in procedure.steps]
    first, last = (0, len(ids)) if steps is None else (ids.index(steps[0]), ids.index(steps[1]) + 1)
    for step in procedure.steps[first:last]:
        test = emit_step_test(body, step)
        with body.indent_under(f"if {test}:"):
            emit_lines(body, step.block)


def emit_step_test(body: FunctionBuilder, step: d.Step) -> str:
    """Judges the guard of a step; returns Python for whether it is entered."""
    site = body.module.add_site("step", step, line=True, routine=body.site.routine)
    with body.at_site(site):
        body.begin_entry()
        test = "True" if step.guard is None else emit_condition(body, step.guard)
        body.emit_entry(site, test)
    return test
