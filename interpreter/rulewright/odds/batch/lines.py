"""WebAssembly for routines: procedures with their steps, lines, standing rules, invariants, watches."""

from collections.abc import Sequence

from rulewright.machine.generate.statements import visited_kind
from rulewright.odds.batch import events, questions
from rulewright.odds.batch.changes import add_amount, change, small_amounts
from rulewright.odds.batch.digits import in_play
from rulewright.odds.batch.members import held_row, visited
from rulewright.odds.batch.sets import bit
from rulewright.odds.batch.settling import charged, refuse_ways_out, settle
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.slots import slot
from rulewright.odds.batch.terms import tally
from rulewright.odds.batch.writer import Body, Module, constant, flag, held, is_constant
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression
from rulewright.roles import nodes


def performed(
    module: Module, procedure: d.Procedure, given: Sequence[str], steps: tuple[str, str] | None = None
) -> str:
    """The call of a procedure, or of a range of its steps; it is written for what is known of what is given to it."""
    known = {each.index: code for each, code in zip(procedure.parameters, given, strict=True) if is_constant(code)}
    called = module.function(
        f"procedure {procedure.name} {steps} {known}", lambda name: _procedure(module, procedure, known, steps, name)
    )
    return f"(call {called} {' '.join(each for each in given if not is_constant(each))})"


def _procedure(
    module: Module, procedure: d.Procedure, known: dict[int, str], steps: tuple[str, str] | None, key: str
) -> None:
    body = Body(module, procedure.name)
    parameters = {each.index: f"$p{each.index}" for each in procedure.parameters if each.index not in known}
    body.names.update(dict.fromkeys(parameters.values()))
    watches = [each for each in procedure.opening if isinstance(each, d.Watch)]
    body.kept = events.kept(module, procedure, watches)
    charged(body, procedure)
    before = body.temporary("(i64.extend_i32_u (global.get $dice))")
    body.line("(global.set $depth (i32.add (global.get $depth) (i32.const 1)))")
    body.unless("(i32.lt_s (global.get $depth) (i32.const 40))", "procedures that call each other many times")
    for each in procedure.parameters:
        if each.index in known and each.index not in body.kept:
            body.known[each.index] = known[each.index]
        else:
            body.set(each, known.get(each.index) or held(parameters[each.index]))
    body.names["$result"] = None
    body.line(f"(local.set $result {constant(NONE)})")
    with body.inside(f"block {body.ends}"):
        for part in procedure.opening:
            match part:
                case d.Need():
                    with body.attempted(f"at `{part.address}`"):
                        body.unless(held_row(body, part, undecided=True), "a condition of a procedure fails")
                case d.Watch():
                    events.watch(body, part, procedure)
                case d.Hold():
                    body.line(body.given_back("standing rules that wait"))
                case _:
                    body.block(part)
        _steps(body, _chosen(procedure.steps, steps))
    for watch in watches:
        body.line(f"(global.set {events.hears(module, watch)} (i32.const 0))")
    body.line("(global.set $depth (i32.sub (global.get $depth) (i32.const 1)))")
    if procedure.result is None or not module.shapes.is_reference(procedure.result):
        body.line(f"(global.set $dice (i32.wrap_i64 {held(before)}))")
    body.line("(return (local.get $result))")
    body.written(key, tuple(parameters.values()))


def _chosen(steps: tuple[d.Step, ...], wanted: tuple[str, str] | None) -> tuple[d.Step, ...]:
    if wanted is None:
        return steps
    ids = [each.id for each in steps]
    return steps[ids.index(wanted[0]) : ids.index(wanted[1]) + 1]


def _steps(body: Body, steps: tuple[d.Step, ...]) -> None:
    """Steps one after the other, each behind a block that a jump can leave; a jump back goes around."""
    if not steps:
        return
    body.names["$next"] = None
    labels = [f"$step{number}" for number in range(len(steps))]
    body.steps = {step.id: (label, number) for number, (step, label) in enumerate(zip(steps, labels, strict=True))}
    body.line("(local.set $next (i64.const 0))")
    with body.inside("loop $again"):
        body.line("\n".join(f"(block {label}" for label in reversed(labels)))
        body.line(f"(br_table {' '.join(labels)} (i32.wrap_i64 (local.get $next)))")
        for number, step in enumerate(steps):
            body.step = number
            body.line(")")
            with body.attempted(f"at `{step.address}`"), body.inside("block"):
                if step.guard is not None:
                    body.line(f"(br_if 0 (i32.eqz {body.test(step.guard)}))")
                body.block(step.block)


def lines(body: Body, block: st.Block | None) -> None:
    """The lines of a block; one that cannot be written gives the play back."""
    for each in block or ():
        with body.attempted(f"at `{each.address}`"):
            _line(body, each)


def _line(body: Body, line: st.Statement) -> None:  # noqa: C901, PLR0912 - one case for each sort
    match line:
        case st.Nothing() | st.Ruling() | st.Reveal():
            return
        case st.Let(variable=variable, value=new):
            if new is not None:
                _let(body, variable, new)
        case st.If():
            _if(body, line)
        case st.Match():
            _match(body, line)
        case st.ForEach():
            _for_each(body, line)
        case st.Repeat():
            _repeat(body, line)
        case st.Together():
            body.line("(global.set $quiet (i32.add (global.get $quiet) (i32.const 1)))")
            refuse_ways_out(line.block)
            body.block(line.block)
            body.line("(global.set $quiet (i32.sub (global.get $quiet) (i32.const 1)))")
            settle(body)
        case st.Stop():
            body.line(f"(br {body.loops[-1]})")
        case st.Proceed():
            _proceed(body, line)
        case st.Finish(value=found):
            if found is not None:
                procedure = body.module.program.procedures.get(body.address)
                type_ = procedure.result if procedure is not None and procedure.result is not None else found.type
                body.line(f"(local.set $result {slot(body, found, type_)})")
            body.line(f"(br {body.ends})")
        case st.Perform():
            _perform(body, line)
        case st.Trigger():
            events.trigger(body, line)
        case st.TallyLine(variable=variable, start=start, rows=rows):
            tally(body, variable, start, rows)
        case st.DecideLine():
            _decide(body, line)
        case st.Roll():
            questions.roll(body, line)
        case st.Reroll():
            questions.reroll(body, line)
        case st.Ask():
            questions.ask(body, line)
        case st.AskAll():
            questions.ask_all(body, line)
        case st.Assign() | st.AddAmount() | st.AddMember() | st.Move() | st.Turn() | st.PlaceThing() | st.Remove():
            change(body, line)
        case _:
            raise UnfitError(f"a line of the sort `{type(line).__name__.lower()}`")


def _let(body: Body, variable: ex.Variable, new: Expression) -> None:
    try:
        with body.aside() as lines_:
            code = slot(body, new, variable.type)
    except UnfitError:
        if any(
            isinstance(each, ex.Narrowed | ex.TheOnly | ex.Entry | ex.ExternalValue | ex.CallFunction)
            for each in nodes(new)
        ):
            raise
        body.module.unheld.add((body.address, variable.index))
        return
    body.lines += lines_
    body.set(variable, code)


def _if(body: Body, line: st.If) -> None:
    amounts = small_amounts(body.module, line)
    if amounts:
        times = body.temporary(flag(body.test(line.branches[0].condition)))
        for each in amounts:
            add_amount(body, each, times)
        return
    for branch in line.branches:
        body.line(f"(if {body.test(branch.condition)} (then")
        body.block(branch.block)
        body.line(") (else")
    body.block(line.otherwise)
    body.line("))" * len(line.branches))


def _match(body: Body, line: st.Match) -> None:
    subject = body.temporary(body.value(line.subject))
    for case in line.cases:
        found = "(i32.const 1)" if not case.values else "(i32.const 0)"
        for each in case.values:
            found = f"(i32.or {found} (i64.eq {held(subject)} {body.value(each)}))"
        body.line(f"(if {found} (then")
        body.block(case.block)
        body.line(") (else")
    body.line(body.given_back("no case covers a value"))
    body.line("))" * len(line.cases))


def _for_each(body: Body, line: st.ForEach) -> None:
    kind = visited_kind(line.binding.source)
    watched = kind is not None and any(
        isinstance(each, st.Remove | st.Perform | st.Trigger) for each in nodes(line.block)
    )
    where, binding = line.binding.where, ex.Binding(line.binding.variables, line.binding.source, None)
    over = body.label()
    before = None
    if watched:
        before = body.temporary(f"(i64.load (i32.const {in_play(body.module, kind or '')}))")
    body.loops.append(over)
    with body.inside(f"block {over}"), visited(body, binding) as member:
        charged(body, line.block)
        passes = "(i32.const 1)" if where is None else body.test(where)
        if before is not None:
            now = f"(i64.load (i32.const {in_play(body.module, kind or '')}))"
            lost = f"(i64.and (i64.xor {held(before)} {now}) {bit(held(member))})"
            passes = f"(if (result i32) (i64.eqz {lost}) (then {passes}) (else (i32.const 0)))"
        with body.inside(f"if {passes} (then"):
            body.block(line.block)
        body.line(")")
    body.loops.pop()


def _repeat(body: Body, line: st.Repeat) -> None:
    bound, rounds = body.temporary(body.value(line.bound)), body.temporary(constant(0))
    over, around = body.label(), body.label()
    body.loops.append(over)
    with body.inside(f"block {over}"), body.inside(f"loop {around}"):
        body.line(f"(br_if {over} (i32.eqz {body.test(line.condition)}))")
        body.unless(f"(i64.lt_s {held(rounds)} {held(bound)})", "a loop at its bound")
        body.line(f"(local.set {rounds} (i64.add {held(rounds)} (i64.const 1)))")
        charged(body, (line.condition, line.block))
        body.block(line.block)
        body.line(f"(br {around})")
    body.loops.pop()


def _proceed(body: Body, line: st.Proceed) -> None:
    if line.step not in body.steps:
        body.line(f"(br {body.ends})")
        return
    label, number = body.steps[line.step]
    if line.bound is not None:
        jumps = body.jumps.setdefault(line.address, f"$jumps{len(body.jumps)}")
        body.names[jumps] = None
        body.line(f"(local.set {jumps} (i64.add {held(jumps)} (i64.const 1)))")
        body.unless(f"(i64.le_s {held(jumps)} {body.value(line.bound)})", "a jump at its bound")
        charged(body, body.module.program.procedures[body.address])
    if number > body.step:
        body.line(f"(br {label})")
    else:
        body.line(f"(local.set $next (i64.const {number})) (br $again)")


def _perform(body: Body, line: st.Perform) -> None:
    procedure = body.module.program.procedures[line.procedure]
    given = [
        slot(body, *each) for each in zip(line.arguments, [each.type for each in procedure.parameters], strict=True)
    ]
    call = performed(body.module, procedure, given, line.steps)
    if line.depth is None:
        found = call
    else:
        nested = body.module.counter(f"nested {line.address} {line.span}")
        inside = f"(i64.extend_i32_u (global.get {nested}))"
        body.unless(f"(i64.lt_s {inside} {body.value(line.depth)})", "a line at its depth")
        body.line(f"(global.set {nested} (i32.add (global.get {nested}) (i32.const 1)))")
        found = held(body.temporary(call))
        body.line(f"(global.set {nested} (i32.sub (global.get {nested}) (i32.const 1)))")
    if line.result is None:
        body.line(f"(drop {found})")
    else:
        body.set(line.result, found)


def _decide(body: Body, line: st.DecideLine) -> None:
    for row in line.rows:
        body.line(f"(if {'(i32.const 1)' if row.guard is None else body.test(row.guard)} (then")
        body.set(line.variable, slot(body, row.value, line.variable.type))
        body.line(") (else")
    body.line(body.given_back("no row covers a case"))
    body.line("))" * len(line.rows))
