"""Python for the statements of core that never suspend.

A line of the rules is one statement of core or several, which have the line as their origin. Its entry in a trace shows
what it computed, read and changed; which of its statements records it follows from their form.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from rulewright.base.frozen import replace
from rulewright.program import expressions as ex, statements as st
from rulewright.program.board_geometry import AXIAL, POINT
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_statements
from rulewright.program.declarations import Handler, Invariant, Need, StandingRule
from rulewright.program.types import CellType, strip_optional
from rulewright.runtime.control_flow_builder import list_loop_checks
from rulewright.runtime.generate import expressions, functions, loops, places, writer
from rulewright.runtime.generate.expressions import AnyExpression
from rulewright.runtime.generate.writer import CONTROL_CODE, QUIET_CODE, UNSETTLED_CODE, FunctionBuilder, ModuleBuilder
from rulewright.runtime.request import SourcePoint


def emit_condition(body: FunctionBuilder, node: AnyExpression) -> str:
    """Python for a condition that is recorded as a test, before an `if`."""
    code = expressions.emit_expression(body, node)
    if not body.records_reads:
        return code
    body.add_line(f"x = {code}")
    return "x"


def emit_test(
    body: FunctionBuilder, node: core.Expression, of: st.Statement, **more: object
) -> tuple[str, SourcePoint]:
    """Evaluates a condition and records it as a separate test; returns Python for its value, and its source point."""
    site = body.module.add_site("test", of, routine=body.site.routine, line=True, **more)
    with body.at_site(site):
        body.begin_entry()
        when = writer.when_to_record_test(body, node.origin, of)
        if when == "never":
            with writer.skip_recording(body):
                return emit_condition(body, node), site
        code = emit_condition(body, node)
        if body.records_reads:
            site.title = body.module.wording.render_expression(node.origin)
            with body.indent_under("if x:") if when == "met" else nullcontext():
                body.emit_entry(site, "x")
    return code, site


def emit_branch_test(body: FunctionBuilder, statement: core.If, line: st.If) -> tuple[str, SourcePoint]:
    """Evaluates the condition of a branch, and records it."""
    branch = next(branch for branch in line.branches if branch.condition is statement.test.origin)
    return emit_test(body, statement.test, line, cites=branch.cites)


def emit_need(body: FunctionBuilder, need: Need, routine: str) -> None:
    """A condition without which a procedure does not begin."""
    site = body.module.add_site("need", need, line=True, routine=routine)
    with body.at_site(site), writer.skip_recording(body):
        body.begin_entry()
        test = expressions.emit_row_test(body, need)
        if body.records_reads:
            body.add_line(f"x = {test}")
            test = "x"
            body.emit_entry(site, "x")
        with body.indent_under(f"if not {test}:"):
            body.add_line(f"raise NeedFailed({site.number})")


# Lines.


def emit_lines(body: FunctionBuilder, block: core.Block) -> None:
    """The statements of a block, in order, each line with an entry of its own."""
    with body.recording_as_begun():
        for line, statements in _group_by_line(body.module, block):
            if line is None:
                _emit_forms(body, statements)
            else:
                emit_line(body, line, statements)


def _group_by_line(
    module: ModuleBuilder, block: core.Block
) -> Iterator[tuple[st.Statement | None, list[core.Statement]]]:
    """Neighbouring statements of one line; what has a row as its origin belongs to the line of the row."""
    line: st.Statement | None = None
    group: list[core.Statement] = []
    for statement in block:
        origin = statement.origin
        if isinstance(origin, ex.DecideRow):
            origin = module.find_line_of_row(origin)
        elif not isinstance(origin, st.Line):
            origin = line
        if origin is not line and group:
            yield line, group
            group = []
        line = origin
        group.append(statement)
    if group:
        yield line, group


def emit_line(body: FunctionBuilder, line: st.Statement, statements: Sequence[core.Statement]) -> None:
    """The statements of one line."""
    sort = "ruling" if isinstance(line, st.Ruling) else "line"
    site = body.module.add_site(sort, line, line=True, routine=body.site.routine)
    with body.at_site(site), writer.record_line(body, line):
        body.begin_entry()
        match line:
            case st.TallyLine(variable=variable) | st.DecideLine(variable=variable):
                if body.records_reads:
                    body.add_line("j = []")
                if isinstance(line, st.TallyLine):
                    functions.emit_tally(body, line.rows, tuple(statements))
                else:
                    _emit_forms(body, statements)
                site.type = variable.type
                body.emit_entry(site, body.variable_place(variable), "j")
            case _:
                _emit_forms(body, statements)


def _emit_forms(body: FunctionBuilder, statements: Sequence[core.Statement]) -> None:
    for statement in statements:
        emit_form(body, statement)


def emit_form(body: FunctionBuilder, statement: core.Statement) -> None:
    """One statement inside its line."""
    match statement:
        case core.Set():
            _emit_set(body, statement)
        case core.If():
            _emit_if(body, statement)
        case core.For():
            _emit_for(body, statement)
        case core.Loop():
            _emit_loop(body, statement)
        case core.Leave(again=again, origin=origin):
            if isinstance(origin, st.Stop):
                body.emit_entry(body.site)
            body.add_line("continue" if again else "break")
        case core.Quiet():
            _emit_quiet(body, statement)
        case core.Call():
            _emit_call(body, statement)
        case core.Return(value=value):
            _emit_return(body, value)
        case core.Fail():
            emit_fault(body, statement)
        case core.Trigger():
            _emit_trigger(body, statement)
        case core.Settle():
            _emit_settle(body)
        case core.Note():
            _emit_note(body, statement)
        case _:
            raise TypeError(f"{type(statement).__name__} may suspend")


def _emit_set(body: FunctionBuilder, statement: core.Set) -> None:
    place, line = statement.place, statement.origin
    if isinstance(place.root, core.Due):
        body.add_line(f"{UNSETTLED_CODE} &= ~{body.module.due_bits[place.root.key]}")
        return
    if isinstance(place.root, core.Local) and not place.root.name:
        places.emit_held_value(body, statement)
        if isinstance(line, st.Match):
            body.emit_entry(body.site, body.variable_place(place.root))
        return
    if isinstance(line, st.AddAmount):
        places.emit_write(body, place, _emit_bounded_amount(body, statement.value))
        return
    value = expressions.emit_expression(body, statement.value)
    if not isinstance(line, st.Let | st.Rank | ex.DecideRow):
        places.emit_write(body, place, value)
        return
    assert isinstance(place.root, core.Local)
    name = body.variable_place(place.root)
    body.add_line(f"{name} = {value}")
    if isinstance(line, ex.DecideRow):
        _record_decided(body, line, "True")
    elif isinstance(line, st.Rank):
        _record_rank(body, statement, line)
    else:
        body.site.title, body.site.type = line.variable.name, line.variable.type
        body.emit_entry(body.site, name)


def _record_rank(body: FunctionBuilder, statement: core.Set, line: st.Rank) -> None:
    """Records a finished rank with the keys that told members apart, and forgets what led to it."""
    match statement:
        case core.Set(core.Place(core.Local() as name), core.Op(arguments=(core.Get(local=ranking),))):
            result, held = body.variable_place(name), body.variable_place(ranking)
            body.site.title, body.site.type = line.variable.name, line.variable.type
            body.emit_entry(body.site, result, f"[(k, k in {held}.keys) for k in range({len(line.keys)})]")
            body.add_line(f"{held} = None")


def _emit_bounded_amount(body: FunctionBuilder, value: core.Expression) -> str:
    """Python for a new amount; one kept within bounds is stored in `z` before it is compared with each of them."""
    match value:
        case core.Op(
            name="least" | "greatest" as name, arguments=(inner, core.Const(value=bound)), origin=st.AddAmount()
        ):
            body.add_line(f"z = {_emit_bounded_amount(body, inner)}")
            return expressions.emit_extreme("min" if name == "least" else "max", "z", str(bound))
        case _:
            return expressions.emit_expression(body, value)


def _emit_settle(body: FunctionBuilder) -> None:
    """Fires plain standing rules and judges invariants, if the line may have awakened any."""
    with body.indent_under(f"if {UNSETTLED_CODE} and not {QUIET_CODE}:"):
        body.add_line(f"p{body.module.routines[core.SETTLING]}(W)")


def _emit_quiet(body: FunctionBuilder, quiet: core.Quiet) -> None:
    """Nothing settles inside; removals are reported at the end."""
    removals = quiet.holds_back and any(event.on_removal for event in body.module.program.events.values())
    body.add_line(f"{QUIET_CODE} += 1")
    if removals:
        body.add_line(f"{CONTROL_CODE}.together += 1")
    emit_lines(body, quiet.body)
    body.add_line(f"{QUIET_CODE} -= 1")
    if removals:
        body.add_line(f"{CONTROL_CODE}.together -= 1")
        with body.indent_under(f"if {CONTROL_CODE}.removals and not {CONTROL_CODE}.together:"):
            body.add_line("report_deferred_removals(W)")


def _emit_call(body: FunctionBuilder, call: core.Call) -> None:
    line = call.origin
    if not isinstance(line, st.Perform):
        _emit_engine_call(body, call)
        return
    procedure = body.module.program.procedures[line.procedure]
    given = ["W", *(expressions.emit_expression(body, argument) for argument in call.arguments)]
    site = body.module.add_site("call", line, line=True, routine=body.site.routine, title=procedure.title)
    if body.records_reads:
        names = []
        for item in given[1:]:
            names.append(body.new_temporary())
            body.add_line(f"{names[-1]} = {item}")
        given = ["W", *names]
        body.emit_entry(site, "None", f"({''.join(f'{each}, ' for each in names)})")
    code = f"p{body.module.routines[call.routine]}({', '.join(given)})"
    place = "r" if call.result is None else body.variable_place(call.result)
    body.add_line(code if call.result is None and not body.records_reads else f"{place} = {code}")
    body.begin_entry()
    back = body.module.add_site("return", line, line=True, routine=body.site.routine, type=procedure.result)
    body.emit_entry(back, place)


def _emit_engine_call(body: FunctionBuilder, call: core.Call) -> None:
    """Judges invariants, or fires a standing rule or a handler, whose begin and end are recorded."""
    given = [expressions.emit_expression(body, argument) for argument in call.arguments]
    code = f"p{body.module.routines[call.routine]}({', '.join(('W', *given))})"
    if call.result is not None:
        code = f"{body.variable_place(call.result)} = {code}"
    if call.origin is None or not body.module.traced:
        body.add_line(code)
        return
    begin, end = add_begin_and_end_sites(body.module, call.origin)
    body.add_line(f"x = ({''.join(f'{each}, ' for each in given)})")
    body.add_line(f"record_begin_or_end(W, {begin.number}, x)")
    body.add_line(code)
    body.add_line(f"record_begin_or_end(W, {end.number}, {'x' if isinstance(call.origin, StandingRule) else 'None'})")


def add_begin_and_end_sites(module: ModuleBuilder, declared: Handler | StandingRule) -> tuple[SourcePoint, SourcePoint]:
    """Source points of the begin and end of a handler or standing rule."""
    sort = "rule" if isinstance(declared, StandingRule) else "handler"
    return module.add_site(sort, declared, line=True), module.add_site(f"{sort} ended", declared, line=True)


def _emit_trigger(body: FunctionBuilder, trigger: core.Trigger) -> None:
    if trigger.removal:
        (thing,) = (expressions.emit_expression(body, argument) for argument in trigger.arguments)
        body.add_line(f"report_removal(W, {body.module.add_constant((trigger.event,))}, {thing})")
        return
    given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in trigger.arguments)
    heard = trigger.event in body.module.frames.watched_events
    if heard or body.records_reads or not all(map(expressions.is_plain_path, trigger.arguments)):
        body.add_line(f"x = ({given})")
    waits = trigger.event in body.module.frames.stops.events_that_want
    with body.indent_under(f"if not {CONTROL_CODE}.told:") if waits else nullcontext():
        body.emit_entry(body.site, "x")
    if waits:
        body.add_line(f"notify_watches(W, {body.module.add_constant(trigger.event)}, x)")
    elif heard:
        event = body.module.add_constant(trigger.event)
        with body.indent_under(f"for k in {CONTROL_CODE}.watching:"), body.indent_under(f"if k[2] == {event}:"):
            body.add_line("k[3](W, k[1], *x)")
    if trigger.result is not None:
        body.add_line(f"{body.variable_place(trigger.result)} = ()")


def _emit_return(body: FunctionBuilder, value: core.Expression) -> None:
    """The end of a routine; what a handler finishes with is a tuple, of which the entry shows the part."""
    gives = body.site.routine.startswith("handler:") and isinstance(value, core.Op) and value.origin is body.site.node
    result = value.arguments[0] if gives else value  # type: ignore[union-attr]
    body.add_line(f"r = {expressions.emit_expression(body, result)}")
    body.emit_entry(body.site, "r")
    body.add_line("return (r,)" if gives else "return r")


def _emit_note(body: FunctionBuilder, note: core.Note) -> None:
    if note.entry == "revealed":
        variable = note.origin.answers if isinstance(note.origin, st.AskAll) else note.origin.variable
        body.site.sort, body.site.title, body.site.type = "revealed", variable.name, variable.type
        body.emit_entry(body.site, body.variable_place(variable))
        body.add_line("pass")
        return
    body.emit_entry(body.site)
    body.add_line("pass")


# Conditions and loops.


def _emit_if(body: FunctionBuilder, statement: core.If) -> None:
    line = statement.origin
    match line:
        case st.If():
            test, _ = emit_branch_test(body, statement, line)
        case _:
            test = expressions.emit_expression(body, statement.test)
    if not statement.then and not isinstance(line, st.If):
        with body.indent_under(f"if not {test}:"):
            _emit_branch(body, statement.other, line)
        return
    with body.indent_under(f"if {test}:"):
        _emit_branch(body, statement.then, line)
    if statement.other:
        with body.indent_under("else:"):
            match line:
                case _ if isinstance(line, st.AddLine) and line.otherwise is not None:
                    body.emit_entry(body.site)
                case ex.DecideRow():
                    _record_decided(body, line, "False")
            _emit_branch(body, statement.other, line)


def _emit_branch(body: FunctionBuilder, block: core.Block, line: object) -> None:
    """A block under a condition of a line: statements of the line itself, and other lines."""
    own = [statement for statement in block if statement.origin is line or not isinstance(statement.origin, st.Line)]
    if len(own) == len(block):
        _emit_forms(body, block)
    else:
        emit_lines(body, block)


def _record_decided(body: FunctionBuilder, row: ex.DecideRow, held: str) -> None:
    if body.records_reads:
        assert isinstance(body.site.node, st.DecideLine)
        position = next(number for number, each in enumerate(body.site.node.rows) if each is row)
        body.add_line(f"j.append(({position}, {held}))")


def _emit_pass_over(body: FunctionBuilder, check: core.If, loop: core.For, resume: str) -> None:
    """Skips a member that left play since the loop began, or fails `where` at its turn.

    A member that passes is recorded if its condition computed something that belongs to no other line. `resume` is a
    line that stores the position of the loop while `where` may wait for an external value.
    """
    line, member = loop.origin, loops.emit_member(body, loop.names)
    site = body.module.add_site("skipped", line, line=True, routine=body.site.routine)
    with body.at_site(site):
        body.begin_entry()
        left_play = bool(check.then)
        test = expressions.emit_expression(body, check.test) if left_play else emit_condition(body, check.test)
        with body.indent_under(f"if {'' if left_play else 'not '}{test}:"):
            body.emit_entry(site, member)
            if resume and not left_play:
                body.add_line(resume)
            body.add_line("continue")
        if not left_play and body.calls and body.records_results:
            body.emit_entry(body.module.add_site("visited", line, line=True, routine=body.site.routine), member)


def emit_pass_over(body: FunctionBuilder, loop: core.For, resume: str = "") -> None:
    """Passes over members as `_emit_pass_over` does, by all conditions of a loop."""
    for check in list_loop_checks(loop):
        _emit_pass_over(body, check, loop, resume)


def _emit_for(body: FunctionBuilder, loop: core.For) -> None:
    items = expressions.emit_expression(body, loop.source)
    if not items.isidentifier():
        name = body.new_temporary()
        body.add_line(f"{name} = {items}")
        items = name
    body.emit_entry(body.site, items)
    body.add_line(f"{CONTROL_CODE}.work += len({items})")
    steps = body.module.charges.count_steps_per_visit(loop.body)
    body.add_line(f"charge_visits(W, {loops.scale(f'len({items})', steps)})")
    with body.indent_under(f"for {loops.emit_loop_target(body, loop.names)} in {items}:"):
        body.loop_variables.difference_update(name.index for name in loop.names if name)
        emit_pass_over(body, loop)
        emit_lines(body, loop.body[len(list_loop_checks(loop)) :])


def _emit_loop(body: FunctionBuilder, loop: core.Loop) -> None:
    line = loop.origin
    if loop.bound is None or loop.test is None:
        with body.indent_under("while True:"):
            emit_lines(body, loop.body)
        return
    bound, rounds = body.new_temporary(), body.new_temporary()
    body.add_line(f"{bound} = {expressions.emit_expression(body, loop.bound)}")
    body.add_line(f"{rounds} = 0")
    body.emit_entry(body.site, bound)
    with body.indent_under("while True:"):
        with body.recording_only():
            test, _ = emit_test(body, loop.test, line)
        with body.indent_under(f"if not {test}:"):
            body.add_line("break")
        with body.indent_under(f"if {rounds} >= {bound}:"):
            body.add_line(f"fault_loop_too_long({bound})")
        body.add_line(f"{rounds} += 1")
        body.add_line(f"{CONTROL_CODE}.work += 1")
        body.add_line(f"charge_visits(W, {body.module.charges.count_steps_per_visit(loop.test, loop.body)})")
        emit_lines(body, loop.body)


# Faults.


def emit_fault(body: FunctionBuilder, fail: core.Fail) -> None:
    """Raises a fault, whose text is made from the line."""
    line, text = fail.origin, body.module.wording
    codes = [expressions.emit_unrecorded(body, detail) for detail in fail.details]
    constant = body.module.add_constant
    match fail.fault, line:
        case "RW0803", st.AddAmount():
            place = constant(text.render_place(line.place))
            body.add_line(f"fault_no_room({place}, {codes[0]}, {line.low}, {line.high})")
        case "RW0808", st.Ask():
            body.add_line(f"fault_no_answer({constant(line.prompt)})")
        case "RW0808", st.Draw():
            body.add_line(f"fault_none_left({constant(text.render_place(line.place))})")
        case "RW0810", Invariant(binding=binding):
            names = () if binding is None else tuple(name for name in binding.variables if name is not None)
            with body.at_site(body.module.add_site("judged", line, line=True)):
                body.add_line(f"fault_invariant_broken({constant(line.heading)}, {constant(names)}, {codes[0]})")
        case "RW0814", StandingRule(name=name):
            with body.at_site(body.module.add_site("rule", line, line=True)):
                body.add_line(f"fault_measure_not_lowered({constant(name)})")
        case "RW0815", _:
            body.add_line(f"fault_out_of_play({constant(text.render_expression(line.thing))})")
        case "RW0816", _:
            body.add_line("fault_no_row_covers()")
        case "RW0820", _ if _stands_on_plane(body, line.kind):
            body.add_line(f"fault_off_plane({codes[0]})")
        case "RW0820", _:
            hexes = strip_optional(body.module.layout.types[f"{line.kind}/at"]) == CellType("hex")
            coordinates = f"{CONTROL_CODE}.base.coordinates" if hexes else repr(AXIAL)
            body.add_line(f"fault_off_board({codes[0]}, {coordinates})")
        case _:
            raise TypeError(f"no text for {fail.fault}")


def _stands_on_plane(body: FunctionBuilder, kind: str) -> bool:
    return strip_optional(body.module.layout.types[f"{kind}/at"]) == POINT


# Whole routines.


def emit_plain_routine(module: ModuleBuilder, key: str) -> None:
    """A routine that never suspends, as one function."""
    routine = module.core.routines[key]
    records_nothing = routine.sort == "settling"
    names = {local.index: f"v{local.index}" for local in routine.locals}
    parameters = [names[parameter.index] for parameter in routine.parameters]
    head = f"def p{module.routines[key]}({', '.join(('W', *parameters))}):"
    site = module.add_site("line", routine.origin, routine=key)
    body = FunctionBuilder(module, head, framed=False, names=names, site=site, records_nothing=records_nothing)
    body.has_recorded = False
    body.emit_charge(routine.entry, routine.steps)
    declared = [names[local.index] for local in routine.locals if local.name and names[local.index] not in parameters]
    if declared:
        body.add_line(f"{' = '.join(declared)} = None")
    for part in _split_entry(routine.entry):
        if isinstance(part, Need):
            emit_need(body, part, key)
        else:
            emit_lines(body, _keep_plain(module, part) if records_nothing else part)
    for step in routine.steps:
        test, site = emit_step_test(body, step)
        with body.indent_under(f"if {test}:", site):
            emit_lines(body, step.block)
    body.add_line("return None")
    module.finish_function(body)


def _keep_plain(module: ModuleBuilder, block: core.Block) -> core.Block:
    """The statements of a settling without the rules and invariants that may stop, which run in frames alone."""
    stops, calls_framed = module.frames.stops, module.frames.calls_framed
    return tuple(
        replace(statement, body=_keep_plain(module, statement.body)) if isinstance(statement, core.Loop) else statement
        for statement in block
        if isinstance(statement, core.Loop)
        or _judges(statement)
        or not (calls_framed(statement) or any(map(stops.may_stop, walk_statements(statement))))
    )


def _judges(statement: core.Statement) -> bool:
    return any(isinstance(each, core.Call) and each.routine == core.JUDGING for each in walk_statements(statement))


def _split_entry(entry: core.Block) -> Iterator[Need | core.Block]:
    """Needs one by one, and the lines between them together."""
    lines: list[core.Statement] = []
    for statement in entry:
        if isinstance(statement.origin, Need):
            if lines:
                yield tuple(lines)
                lines = []
            yield statement.origin
        else:
            lines.append(statement)
    if lines:
        yield tuple(lines)


def emit_step_test(body: FunctionBuilder, step: core.Step) -> tuple[str, SourcePoint]:
    """Judges the guard of a step; returns Python for whether it is entered, and the source point that it belongs to."""
    site = body.module.add_site("step", step.origin, line=True, routine=body.site.routine)
    with body.at_site(site):
        body.begin_entry()
        test = "True" if step.guard is None else emit_condition(body, step.guard)
        body.emit_entry(site, test)
    return test, site
