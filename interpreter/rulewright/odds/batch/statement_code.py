"""WebAssembly for statements and procedures with their steps."""

from collections.abc import Sequence

from rulewright.base.node_roles import walk_nodes
from rulewright.odds.batch import chance_and_choice_code, collection_code, event_code, expression_code
from rulewright.odds.batch.collection_code import (
    emit_binding_loop,
    emit_bit,
    emit_map_entry,
    emit_map_update,
    emit_min_or_max,
    emit_present_value,
    emit_row_test,
    emit_slot_value,
)
from rulewright.odds.batch.event_code import (
    emit_removal_events,
    emit_settling,
    emit_unsettling,
    emit_work_charge,
    refuse_early_exits,
)
from rulewright.odds.batch.expression_code import emit_tally
from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import (
    FunctionBody,
    WasmModule,
    cell_column_offset,
    column_offset,
    emit_constant,
    emit_flag,
    emit_local,
    game_field_offset,
    in_play_offset,
    is_constant,
)
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.effects import list_written_places
from rulewright.program.expressions import Expression
from rulewright.runtime.generate.statements import visited_kind


def emit_change(body: FunctionBody, line: st.Statement) -> None:
    """Change of a place, with the events and rules that follow.

    Raises:
        BatchUnsupportedError: the place is not held.
    """
    match line:
        case st.Assign(place=place, value=new):
            _emit_place_store(body, place, emit_slot_value(body, new, place.type))
        case st.AddAmount():
            emit_amount_change(body, line)
            return
        case st.AddMember(place=place, member=member, take=take):
            if not isinstance(place.type, ty.SetType) or line.otherwise is not None:
                raise BatchUnsupportedError(f"a member of a {type(place.type).__name__.removesuffix('Type').lower()}")
            item, now = place.type.item, _emit_place_read(body, place)
            alone = collection_code.emit_empty_set(body, item)
            body.add_line(collection_code.emit_set_insert(body, item, alone, body.emit_value(member)))
            _emit_place_store(
                body, place, collection_code.emit_set_operation(body, item, now, emit_local(alone), less=take)
            )
        case st.Move(thing=thing, kind=kind, destination=to) | st.PlaceThing(thing=thing, kind=kind, spot=to):
            _emit_placement(body, thing, kind, "at", body.emit_value(to))
        case st.Turn(thing=thing, kind=kind, heading=heading, face=face):
            code = body.emit_value(_facing_direction(line) if face else heading)
            _emit_placement(body, thing, kind, "facing", code)
        case st.Remove():
            _emit_removal(body, line)
        case _:
            raise TypeError(type(line))
    emit_settling(body, line)


def _facing_direction(line: st.Turn) -> Expression:
    at = ex.StoredAttribute(type=line.heading.type, span=line.span, target=line.thing, kind=line.kind, name="at")
    space = getattr(ty.strip_optional(line.heading.type), "space", "hex")
    return ex.Builtin(type=ty.DirectionType(space), span=line.span, name="direction", arguments=(at, line.heading))


def find_branchless_amounts(module: WasmModule, line: st.If) -> Sequence[st.AddAmount]:
    """Lines under a condition that only add or take small amounts within bounds.

    Nothing follows from them, so they can be multiplied by the condition, which is 0 or 1: a mispredicted branch takes
    longer.
    """
    (branch, *others), masks = line.branches, module.executable.tables.masks
    amounts = [
        add_amount
        for add_amount in branch.block
        if isinstance(add_amount, st.AddAmount)
        and add_amount.up_to
        and None not in (add_amount.low, add_amount.high)
        and isinstance(add_amount.amount, ex.Literal)
        and _is_directly_addressed(add_amount.place)
        and not any(masks.get(place) for place in list_written_places(add_amount))
    ]
    return (
        amounts
        if len(amounts) == len(branch.block) <= _MAX_BRANCHLESS_LINES and not others and not line.otherwise
        else ()
    )


_MAX_BRANCHLESS_LINES = 2
"""Lines that take less time than a branch that is mispredicted every second time."""


def _is_directly_addressed(place: st.Place) -> bool:
    """Whether a number can be accessed without knowing that the condition holds."""
    return isinstance(place, st.VariablePlace | st.GamePlace) or (
        isinstance(place, st.AttributePlace)
        and isinstance(place.target, ex.Local)
        and isinstance(place.target.type, ty.ThingType)
    )


def emit_amount_change(body: FunctionBody, line: st.AddAmount, times: str = "") -> None:
    """Adds or takes an amount, `times` times if that local is given.

    Raises:
        BatchUnsupportedError: the place is not held.
    """
    word, amount = "sub" if line.take else "add", body.emit_value(line.amount)
    amount = f"(i64.mul {amount} {emit_local(times)})" if times else amount
    new = body.new_temporary(f"(i64.{word} {_emit_place_read(body, line.place)} {amount})")
    low, high = line.low, line.high
    if line.up_to:
        text = emit_local(new)
        text = text if low is None else emit_min_or_max(body, text, emit_constant(low), least=False)
        text = text if high is None else emit_min_or_max(body, text, emit_constant(high), least=True)
        _emit_place_store(body, line.place, text)
        emit_settling(body, line)
        return
    room = "(i32.const 1)"
    room = room if low is None else f"(i64.ge_s {emit_local(new)} {emit_constant(low)})"
    room = room if high is None else f"(i32.and {room} (i64.le_s {emit_local(new)} {emit_constant(high)}))"
    if line.otherwise is None:
        body.emit_guard(room, "no room for a change")
        _emit_place_store(body, line.place, emit_local(new))
        emit_settling(body, line)
        return
    body.add_line(f"(if {room} (then")
    _emit_place_store(body, line.place, emit_local(new))
    emit_settling(body, line)
    body.add_line(") (else")
    body.emit_block(line.otherwise)
    body.add_line("))")


def _emit_place_read(body: FunctionBody, place: st.Place) -> str:
    match place:
        case st.VariablePlace(variable):
            return body.emit_variable(variable)
        case st.GamePlace(name):
            return f"(i64.load (i32.const {game_field_offset(body.module, name)}))"
        case st.AttributePlace() | st.CellPlace():
            return f"(i64.load {_emit_place_address(body, place)})"
        case st.EntryPlace(target, key) if isinstance(target.type, ty.MapType):
            return emit_map_entry(
                body, _emit_place_read(body, target), body.emit_value(key), target.type, present_=True
            )
        case _:
            raise BatchUnsupportedError("a part of a value is changed")


def _emit_place_address(body: FunctionBody, place: st.AttributePlace | st.CellPlace) -> str:
    start = (
        column_offset(body.module, place.kind, place.name)
        if isinstance(place, st.AttributePlace)
        else cell_column_offset(body.module, place.board, place.name)
    )
    return (
        f"(i32.add (i32.const {start}) (i32.shl (i32.wrap_i64 {emit_present_value(body, place.target)}) (i32.const 3)))"
    )


def _emit_place_store(body: FunctionBody, place: st.Place, code: str) -> None:
    match place:
        case st.VariablePlace(variable):
            body.assign_variable(variable, code)
        case st.GamePlace(name):
            body.add_line(f"(i64.store (i32.const {game_field_offset(body.module, name)}) {code})")
            emit_unsettling(body, f"game/{name}")
        case st.AttributePlace(kind=kind, name=name):
            body.add_line(f"(i64.store {_emit_place_address(body, place)} {code})")
            emit_unsettling(body, f"{kind}/{name}")
        case st.CellPlace(board=board, name=name):
            body.add_line(f"(i64.store {_emit_place_address(body, place)} {code})")
            emit_unsettling(body, f"{board}/{name}")
        case st.EntryPlace(target, key) if isinstance(target.type, ty.MapType):
            _emit_place_store(
                body,
                target,
                emit_map_update(body, _emit_place_read(body, target), body.emit_value(key), code, target.type),
            )
        case _:
            raise BatchUnsupportedError("a part of a value is changed")


def _emit_placement(body: FunctionBody, thing: Expression, kind: str, name: str, code: str) -> None:
    """Place or facing of a thing in play; a place off the board gives the play back."""
    module = body.module
    new, at = body.new_temporary(code), body.new_temporary(body.emit_value(thing))
    among = (
        f"(i64.and (i64.shr_u (i64.load (i32.const {in_play_offset(module, kind)})) {emit_local(at)}) (i64.const 1))"
    )
    body.emit_guard(f"(i32.wrap_i64 {among})", "a thing that is gone is moved")
    if name == "at":
        type_ = ty.strip_optional(module.executable.layout.types[f"{kind}/at"])
        if not isinstance(type_, ty.CellType):
            raise BatchUnsupportedError("a place on the plane")
        body.emit_guard(expression_code.emit_on_board_test(module, type_, emit_local(new)), "a thing leaves the board")
    offset = column_offset(module, kind, name)
    body.add_line(
        f"(i64.store offset={offset} (i32.shl (i32.wrap_i64 {emit_local(at)}) (i32.const 3)) {emit_local(new)})"
    )
    emit_unsettling(body, f"{kind}/{name}")


def _emit_removal(body: FunctionBody, line: st.Remove) -> None:
    place, thing = in_play_offset(body.module, line.kind), body.new_temporary(body.emit_value(line.thing))
    before = f"(i64.load (i32.const {place}))"
    with body.open_block(f"if {collection_code.emit_bit_test(before, emit_local(thing))} (then"):
        body.add_line(f"(i64.store (i32.const {place}) (i64.xor {before} {emit_bit(emit_local(thing))}))")
        emit_unsettling(body, f"{line.kind}/gone")
        emit_removal_events(body, line, thing)
    body.add_line(")")


def emit_procedure_call(
    module: WasmModule, procedure: d.Procedure, given: Sequence[str], steps: tuple[str, str] | None = None
) -> str:
    """Call of a procedure or of a range of its steps, specialized for arguments that are constants."""
    known = {
        parameter.index: code for parameter, code in zip(procedure.parameters, given, strict=True) if is_constant(code)
    }
    called = module.request_function(
        f"procedure {procedure.name} {steps} {known}",
        lambda name: _emit_procedure(module, procedure, known, steps, name),
    )
    return f"(call {called} {' '.join(item for item in given if not is_constant(item))})"


def _emit_procedure(
    module: WasmModule, procedure: d.Procedure, known: dict[int, str], steps: tuple[str, str] | None, key: str
) -> None:
    body = FunctionBody(module, procedure.name)
    parameters = {
        variable.index: f"$p{variable.index}" for variable in procedure.parameters if variable.index not in known
    }
    body.local_names.update(dict.fromkeys(parameters.values()))
    watches = [item for item in procedure.opening if isinstance(item, d.Watch)]
    body.memory_variables = event_code.place_watched_variables(module, procedure, watches)
    emit_work_charge(body, procedure)
    before = body.new_temporary("(i64.extend_i32_u (global.get $dice))")
    body.add_line("(global.set $depth (i32.add (global.get $depth) (i32.const 1)))")
    body.emit_guard("(i32.lt_s (global.get $depth) (i32.const 40))", "procedures that call each other many times")
    for parameter in procedure.parameters:
        if parameter.index in known and parameter.index not in body.memory_variables:
            body.known_variables[parameter.index] = known[parameter.index]
        else:
            body.assign_variable(parameter, known.get(parameter.index) or emit_local(parameters[parameter.index]))
    body.local_names["$result"] = None
    body.add_line(f"(local.set $result {emit_constant(NONE_CODE)})")
    with body.open_block(f"block {body.end_label}"):
        for part in procedure.opening:
            match part:
                case d.Need():
                    with body.give_back_if_unsupported(f"at `{part.address}`"):
                        body.emit_guard(emit_row_test(body, part, undecided=True), "a condition of a procedure fails")
                case d.Watch():
                    event_code.emit_watch_start(body, part, procedure)
                case d.Hold():
                    body.add_line(body.emit_give_back("standing rules that wait"))
                case _:
                    body.emit_block(part)
        _emit_steps(body, _select_steps(procedure.steps, steps))
    for watch in watches:
        body.add_line(f"(global.set {event_code.watch_flag(module, watch)} (i32.const 0))")
    body.add_line("(global.set $depth (i32.sub (global.get $depth) (i32.const 1)))")
    if procedure.result is None or not module.encoding.is_reference(procedure.result):
        body.add_line(f"(global.set $dice (i32.wrap_i64 {emit_local(before)}))")
    body.add_line("(return (local.get $result))")
    body.finish_function(key, tuple(parameters.values()))


def _select_steps(steps: tuple[d.Step, ...], wanted: tuple[str, str] | None) -> tuple[d.Step, ...]:
    if wanted is None:
        return steps
    ids = [step.id for step in steps]
    return steps[ids.index(wanted[0]) : ids.index(wanted[1]) + 1]


def _emit_steps(body: FunctionBody, steps: tuple[d.Step, ...]) -> None:
    """Steps in order, each after a block that a jump can leave; a jump back repeats an outer loop."""
    if not steps:
        return
    body.local_names["$next"] = None
    labels = [f"$step{number}" for number in range(len(steps))]
    body.step_labels = {
        step.id: (label, number) for number, (step, label) in enumerate(zip(steps, labels, strict=True))
    }
    body.add_line("(local.set $next (i64.const 0))")
    with body.open_block("loop $again"):
        body.add_line("\n".join(f"(block {label}" for label in reversed(labels)))
        body.add_line(f"(br_table {' '.join(labels)} (i32.wrap_i64 (local.get $next)))")
        for number, step in enumerate(steps):
            body.current_step = number
            body.add_line(")")
            with body.give_back_if_unsupported(f"at `{step.address}`"), body.open_block("block"):
                if step.guard is not None:
                    body.add_line(f"(br_if 0 (i32.eqz {body.emit_test(step.guard)}))")
                body.emit_block(step.block)


def emit_lines(body: FunctionBody, block: st.Block | None) -> None:
    """Lines of a block; one that is not supported gives the play back."""
    for item in block or ():
        with body.give_back_if_unsupported(f"at `{item.address}`"):
            _emit_line(body, item)


def _emit_line(body: FunctionBody, line: st.Statement) -> None:
    match line:
        case st.Nothing() | st.Ruling() | st.Reveal():
            return
        case st.Let(variable=variable, value=new):
            if new is not None:
                _emit_let(body, variable, new)
        case st.If():
            _emit_if(body, line)
        case st.Match():
            _emit_match(body, line)
        case st.ForEach():
            _emit_for_each(body, line)
        case st.Repeat():
            _emit_repeat(body, line)
        case st.Together():
            body.add_line("(global.set $quiet (i32.add (global.get $quiet) (i32.const 1)))")
            refuse_early_exits(line.block)
            body.emit_block(line.block)
            body.add_line("(global.set $quiet (i32.sub (global.get $quiet) (i32.const 1)))")
            emit_settling(body)
        case st.Stop():
            body.add_line(f"(br {body.loop_exits[-1]})")
        case st.Proceed():
            _emit_proceed(body, line)
        case st.Finish(value=result):
            if result is not None:
                procedure = body.module.program.procedures.get(body.address)
                type_ = procedure.result if procedure is not None and procedure.result is not None else result.type
                body.add_line(f"(local.set $result {emit_slot_value(body, result, type_)})")
            body.add_line(f"(br {body.end_label})")
        case st.Perform():
            _emit_perform(body, line)
        case st.Trigger():
            event_code.emit_trigger(body, line)
        case st.TallyLine(variable=variable, start=start, rows=rows):
            emit_tally(body, variable, start, rows)
        case st.DecideLine():
            _emit_decide(body, line)
        case st.Roll():
            chance_and_choice_code.emit_roll(body, line)
        case st.Reroll():
            chance_and_choice_code.emit_reroll(body, line)
        case st.Ask():
            chance_and_choice_code.emit_question(body, line)
        case st.AskAll():
            chance_and_choice_code.emit_question_to_all(body, line)
        case st.Assign() | st.AddAmount() | st.AddMember() | st.Move() | st.Turn() | st.PlaceThing() | st.Remove():
            emit_change(body, line)
        case _:
            raise BatchUnsupportedError(f"a line of the sort `{type(line).__name__.lower()}`")


def _emit_let(body: FunctionBody, variable: ex.Variable, new: Expression) -> None:
    try:
        with body.capture_lines() as lines_:
            code = emit_slot_value(body, new, variable.type)
    except BatchUnsupportedError:
        if any(
            isinstance(node, ex.Narrowed | ex.TheOnly | ex.Entry | ex.ExternalValue | ex.CallFunction)
            for node in walk_nodes(new)
        ):
            raise
        body.module.unsupported_variables.add((body.address, variable.index))
        return
    body.lines += lines_
    body.assign_variable(variable, code)


def _emit_if(body: FunctionBody, line: st.If) -> None:
    amounts = find_branchless_amounts(body.module, line)
    if amounts:
        times = body.new_temporary(emit_flag(body.emit_test(line.branches[0].condition)))
        for amount in amounts:
            emit_amount_change(body, amount, times)
        return
    for branch in line.branches:
        body.add_line(f"(if {body.emit_test(branch.condition)} (then")
        body.emit_block(branch.block)
        body.add_line(") (else")
    body.emit_block(line.otherwise)
    body.add_line("))" * len(line.branches))


def _emit_match(body: FunctionBody, line: st.Match) -> None:
    subject = body.new_temporary(body.emit_value(line.subject))
    for case in line.cases:
        result = "(i32.const 1)" if not case.values else "(i32.const 0)"
        for value in case.values:
            result = f"(i32.or {result} (i64.eq {emit_local(subject)} {body.emit_value(value)}))"
        body.add_line(f"(if {result} (then")
        body.emit_block(case.block)
        body.add_line(") (else")
    body.add_line(body.emit_give_back("no case covers a value"))
    body.add_line("))" * len(line.cases))


def _emit_for_each(body: FunctionBody, line: st.ForEach) -> None:
    kind = visited_kind(line.binding.source)
    watched = kind is not None and any(
        isinstance(node, st.Remove | st.Perform | st.Trigger) for node in walk_nodes(line.block)
    )
    where, binding = line.binding.where, ex.Binding(line.binding.variables, line.binding.source, None)
    over = body.new_label()
    before = None
    if watched:
        before = body.new_temporary(f"(i64.load (i32.const {in_play_offset(body.module, kind or '')}))")
    body.loop_exits.append(over)
    with body.open_block(f"block {over}"), emit_binding_loop(body, binding) as member:
        emit_work_charge(body, line.block)
        passes = "(i32.const 1)" if where is None else body.emit_test(where)
        if before is not None:
            now = f"(i64.load (i32.const {in_play_offset(body.module, kind or '')}))"
            lost = f"(i64.and (i64.xor {emit_local(before)} {now}) {emit_bit(emit_local(member))})"
            passes = f"(if (result i32) (i64.eqz {lost}) (then {passes}) (else (i32.const 0)))"
        with body.open_block(f"if {passes} (then"):
            body.emit_block(line.block)
        body.add_line(")")
    body.loop_exits.pop()


def _emit_repeat(body: FunctionBody, line: st.Repeat) -> None:
    bound, rounds = body.new_temporary(body.emit_value(line.bound)), body.new_temporary(emit_constant(0))
    over, around = body.new_label(), body.new_label()
    body.loop_exits.append(over)
    with body.open_block(f"block {over}"), body.open_block(f"loop {around}"):
        body.add_line(f"(br_if {over} (i32.eqz {body.emit_test(line.condition)}))")
        body.emit_guard(f"(i64.lt_s {emit_local(rounds)} {emit_local(bound)})", "a loop at its bound")
        body.add_line(f"(local.set {rounds} (i64.add {emit_local(rounds)} (i64.const 1)))")
        emit_work_charge(body, (line.condition, line.block))
        body.emit_block(line.block)
        body.add_line(f"(br {around})")
    body.loop_exits.pop()


def _emit_proceed(body: FunctionBody, line: st.Proceed) -> None:
    if line.step not in body.step_labels:
        body.add_line(f"(br {body.end_label})")
        return
    label, number = body.step_labels[line.step]
    if line.bound is not None:
        jumps = body.jump_counters.setdefault(line.address, f"$jumps{len(body.jump_counters)}")
        body.local_names[jumps] = None
        body.add_line(f"(local.set {jumps} (i64.add {emit_local(jumps)} (i64.const 1)))")
        body.emit_guard(f"(i64.le_s {emit_local(jumps)} {body.emit_value(line.bound)})", "a jump at its bound")
        emit_work_charge(body, body.module.program.procedures[body.address])
    if number > body.current_step:
        body.add_line(f"(br {label})")
    else:
        body.add_line(f"(local.set $next (i64.const {number})) (br $again)")


def _emit_perform(body: FunctionBody, line: st.Perform) -> None:
    procedure = body.module.program.procedures[line.procedure]
    given = [
        emit_slot_value(body, *item)
        for item in zip(line.arguments, [parameter.type for parameter in procedure.parameters], strict=True)
    ]
    call = emit_procedure_call(body.module, procedure, given, line.steps)
    if line.depth is None:
        result = call
    else:
        nested = body.module.name_counter(f"nested {line.address} {line.span}")
        inside = f"(i64.extend_i32_u (global.get {nested}))"
        body.emit_guard(f"(i64.lt_s {inside} {body.emit_value(line.depth)})", "a line at its depth")
        body.add_line(f"(global.set {nested} (i32.add (global.get {nested}) (i32.const 1)))")
        result = emit_local(body.new_temporary(call))
        body.add_line(f"(global.set {nested} (i32.sub (global.get {nested}) (i32.const 1)))")
    if line.result is None:
        body.add_line(f"(drop {result})")
    else:
        body.assign_variable(line.result, result)


def _emit_decide(body: FunctionBody, line: st.DecideLine) -> None:
    for row in line.rows:
        body.add_line(f"(if {'(i32.const 1)' if row.guard is None else body.emit_test(row.guard)} (then")
        body.assign_variable(line.variable, emit_slot_value(body, row.value, line.variable.type))
        body.add_line(") (else")
    body.add_line(body.emit_give_back("no row covers a case"))
    body.add_line("))" * len(line.rows))
