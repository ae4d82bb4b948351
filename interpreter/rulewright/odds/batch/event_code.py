"""WebAssembly for events: standing rules and invariants, watches, handlers in windows and their results."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from rulewright.base.node_roles import walk_nodes
from rulewright.odds.batch import collection_code
from rulewright.odds.batch.chance_and_choice_code import emit_yes_no_answer
from rulewright.odds.batch.collection_code import (
    MAX_LIST_ITEMS,
    emit_binding_loop,
    emit_list_allocation,
    emit_list_loop,
    emit_slot_value,
    refuse_nested_lists,
)
from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import (
    WORD_BYTES,
    FunctionBody,
    WasmModule,
    column_offset,
    emit_constant,
    emit_local,
    world_places,
)
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.effects import list_written_places

_WORK_PER_NODE = 8
"""Upper bound of the work of a node of the rules without a loop over a collection."""


def emit_work_charge(body: FunctionBody, routine: object) -> None:
    """Charges an upper bound of the work of a routine or a round of a loop."""
    items = list(walk_nodes(routine))
    through = sum(isinstance(item, ex.Binding | ex.Joined | ex.Builtin) for item in items)
    weight = _WORK_PER_NODE * (len(items) + 64 * through)
    body.add_line(f"(global.set $left (i64.sub (global.get $left) {emit_constant(weight)}))")
    body.emit_guard("(i64.ge_s (global.get $left) (i64.const 0))", "a play near its limit")


def refuse_early_exits(block: st.Block) -> None:
    """Raises `BatchUnsupportedError` for a block that something may leave early."""
    if any(isinstance(node, st.Finish | st.FinishOuter | st.Proceed | st.Stop) for node in walk_nodes(block)):
        raise BatchUnsupportedError("a way out of lines that belong together")


def emit_unsettling(body: FunctionBody, place: str) -> None:
    """Marks a place as written, which wakes the rules that read it."""
    body.module.written_places.add(place)
    mask = body.module.executable.tables.masks.get(place, 0)
    if mask:
        body.add_line(f"(global.set $unsettled (i64.or (global.get $unsettled) {emit_constant(mask)}))")


def emit_settling(body: FunctionBody, line: st.Statement | None = None) -> None:
    """Call of the settling function, if any rule is awake."""
    masks = body.module.executable.tables.masks
    if not masks or (
        line is not None and not any(masks.get(written_place) for written_place in list_written_places(line))
    ):
        return
    due = "(i32.and (i64.ne (global.get $unsettled) (i64.const 0)) (i32.eqz (global.get $quiet)))"
    body.add_line(f"(if {due} (then (call {request_settling(body.module)})))")


def request_settling(module: WasmModule) -> str:
    """Function that fires standing rules until none holds, and judges invariants."""
    return module.request_function("settling", lambda key: _emit_settling_function(module, key))


def _emit_settling_function(module: WasmModule, key: str) -> None:
    body, tables, program = FunctionBody(module, ""), module.executable.tables, module.program
    with body.open_block("loop $again"):
        for rule in tables.rules:
            _emit_rule_firing(body, program.rules[rule.name], rule.bit)
    for table, invariant in zip(tables.invariants, program.invariants.values(), strict=True):
        with (
            body.open_block(f"if {_emit_unsettled_test(table.bit)} (then"),
            body.give_back_if_unsupported(f"in `{invariant.name}`"),
        ):
            _emit_invariant_check(body, invariant)
        body.add_line(")")
    body.add_line("(global.set $unsettled (i64.const 0))")
    body.finish_function(key, (), "")


def _emit_unsettled_test(bits: int) -> str:
    return f"(i64.ne (i64.and (global.get $unsettled) {emit_constant(bits)}) (i64.const 0))"


def _emit_invariant_check(body: FunctionBody, invariant: d.Invariant) -> None:
    skip = body.new_label()
    with _emit_optional_loop(body, invariant.binding), body.open_block(f"block {skip}"):
        if invariant.guard is not None:
            body.add_line(f"(br_if {skip} (i32.eqz {body.emit_test(invariant.guard)}))")
        body.emit_guard(body.emit_test(invariant.condition), f"`{invariant.heading}` does not hold")


def _emit_rule_firing(body: FunctionBody, rule: d.StandingRule, bits: int) -> None:
    tables, program = body.module.executable.tables, body.module.program
    with body.open_block(f"if {_emit_unsettled_test(bits)} (then"), body.give_back_if_unsupported(f"in `{rule.name}`"):
        result = body.new_temporary(emit_constant(0))
        over = body.new_label()
        with body.open_block(f"block {over}"), _emit_optional_loop(body, rule.binding):
            met = f"(local.set {result} (i64.const 1)) (br {over})"
            body.add_line(f"(if {body.emit_test(rule.condition)} (then {met}))")
        body.add_line(f"(if (i64.eqz {emit_local(result)}) (then")
        body.add_line(f"(global.set $unsettled (i64.and (global.get $unsettled) {emit_constant(~bits)}))")
        body.add_line(") (else")
        measures = [program.rules[rule_table.name].lowers for rule_table in tables.rules]
        before = [body.new_temporary(body.emit_value(measure)) for measure in measures]
        body.add_line("(global.set $quiet (i32.add (global.get $quiet) (i32.const 1)))")
        refuse_early_exits(rule.block)
        body.emit_block(rule.block)
        body.add_line("(global.set $quiet (i32.sub (global.get $quiet) (i32.const 1)))")
        after = [body.new_temporary(body.emit_value(measure)) for measure in measures]
        falls = "(i32.const 0)"
        for old, new in reversed(list(zip(before, after, strict=True))):
            equal = f"(i32.and (i64.eq {emit_local(new)} {emit_local(old)}) {falls})"
            falls = f"(i32.or (i64.lt_s {emit_local(new)} {emit_local(old)}) {equal})"
            body.emit_guard(f"(i64.ge_s {emit_local(new)} (i64.const 0))", f"`{rule.name}` lowers nothing")
        body.emit_guard(falls, f"`{rule.name}` lowers nothing")
        emit_work_charge(body, rule)
        body.add_line("(br $again)))")
    body.add_line(")")


def _emit_optional_loop(body: FunctionBody, binding: ex.Binding | None) -> AbstractContextManager[object]:
    return nullcontext() if binding is None else emit_binding_loop(body, binding)


_WAITING_ENTRY_WORDS = 3
"""Words of a handler that waits in a window, after their count: number, member, and owner until their turn."""
_MAX_WAITING_HANDLERS = 20
"""Handlers that may wait in one window; with more, a play is given back; chosen, to bound memory."""


def emit_trigger(body: FunctionBody, line: st.Trigger) -> None:
    """Announces an event, lets handlers act, and takes their results.

    Raises:
        BatchUnsupportedError: handlers that are asked in another way, or results that are not held.
    """
    program = body.module.program
    event = program.events[line.event]
    given = [
        emit_slot_value(body, *item)
        for item in zip(line.arguments, [parameter.type for parameter in event.parameters], strict=True)
    ]
    gains = None
    if line.result is not None:
        assert isinstance(line.result.type, ty.ListType)
        refuse_nested_lists(line.result.type)
        gains = body.new_temporary(emit_list_allocation(body))
        body.add_line(f"(i64.store (i32.wrap_i64 {emit_local(gains)}) (i64.const 0))")
    emit_event(body, event, [body.new_temporary(item) for item in given], line, gains)
    emit_settling(body)
    if line.result is not None and gains is not None:
        body.assign_variable(line.result, emit_local(gains))


def emit_removal_events(body: FunctionBody, line: st.Remove, thing: str) -> None:
    """Announces a removal, and lets handlers act."""
    program, module = body.module.program, body.module
    events = [program.events[item] for item in line.events]
    heard = [item for item in events if _handlers_of_event(module, item) or _watches_of_event(module, item.name)]
    if not heard:
        return
    if len(events) > 1:
        raise BatchUnsupportedError("several events of one removal")
    body.emit_guard("(i32.eqz (global.get $quiet))", "a removal that others hear of, among lines that belong together")
    for event in heard:
        emit_event(body, event, [thing], line, None)


def emit_event(
    body: FunctionBody, event: d.Event, given: Sequence[str], line: st.Trigger | st.Remove, gains: str | None
) -> None:
    """Announces an event to watches, then opens its window; results of handlers go to a list."""
    module, handlers = body.module, _handlers_of_event(body.module, event)
    _emit_watch_calls(body, event.name, given)
    if not handlers:
        return
    if event.first_taker:
        raise BatchUnsupportedError(f"one handler of `{event.name}` at most")
    space = f"(call {module.request_library_function('space')} {emit_constant(_MAX_WAITING_HANDLERS * _WAITING_ENTRY_WORDS + 1)})"
    waiting = body.new_temporary(space)
    body.add_line(f"(i64.store (i32.wrap_i64 {emit_local(waiting)}) (i64.const 0))")
    values = " ".join(map(emit_local, given))
    holders = emit_constant(0)
    if event.holders is not None:
        holders = emit_local(
            body.new_temporary(f"(call {_request_event_value(module, event, event.holders, 'holders')} {values})")
        )
    for number, handler in enumerate(handlers):
        find = _request_handler_finder(module, event, handler, number)
        body.add_line(f"(call {find} {values} {emit_local(waiting)} {holders})")
    none_waits = f"(i64.eqz (i64.load (i32.wrap_i64 {emit_local(waiting)})))"
    with body.open_block(f"if (i32.eqz {none_waits}) (then"):
        turn = _request_player_turn(module, event, line)
        listed = emit_constant(0) if gains is None else emit_local(gains)
        if event.order is not None:
            order = f"(call {_request_event_value(module, event, event.order, 'order')} {values})"
            with emit_list_loop(body, order) as player:
                body.add_line(f"(call {turn} {values} {emit_local(waiting)} {listed} {emit_local(player)})")
        with collection_code.emit_bit_loop(
            body, emit_constant((1 << module.encoding.count_narrow_bits(ty.PLAYER)) - 1)
        ) as player:
            body.add_line(f"(call {turn} {values} {emit_local(waiting)} {listed} {emit_local(player)})")
    body.add_line(")")


def _handlers_of_event(module: WasmModule, event: d.Event) -> list[d.Handler]:
    return [handler for handler in module.program.handlers.values() if handler.event == event.name]


def _open_event_function(
    module: WasmModule, address: str, event: d.Event, *more: str
) -> tuple[FunctionBody, tuple[str, ...]]:
    body = FunctionBody(module, address)
    parameters = (*(f"$v{parameter.index}" for parameter in event.parameters), *more)
    body.local_names.update(dict.fromkeys(parameters))
    return body, parameters


def _request_event_value(module: WasmModule, event: d.Event, value: ex.Expression, what: str) -> str:

    def emit_value_body(key: str) -> None:
        body, parameters = _open_event_function(module, key, event)
        with body.give_back_if_unsupported(f"in `{event.name}`"):
            if what == "order" and not isinstance(value.type, ty.ListType):
                raise BatchUnsupportedError(f"an order of the type {value.type}")
            body.add_line(f"(return {body.emit_value(value)})")
        body.add_line("(unreachable)")
        body.finish_function(key, parameters)

    return module.request_function(f"{what} {event.name}", emit_value_body)


def _request_handler_finder(module: WasmModule, event: d.Event, handler: d.Handler, number: int) -> str:

    def emit_finder_body(key: str) -> None:
        body, parameters = _open_event_function(module, f"handler {handler.name}", event, "$waiting", "$holders")
        with body.give_back_if_unsupported(f"in `{handler.name}`"):
            (variable,) = handler.binding.variables if len(handler.binding.variables) == 1 else (None,)
            if variable is None or not isinstance(variable.type, ty.ThingType):
                raise BatchUnsupportedError("a handler of several things at once")
            with emit_binding_loop(body, handler.binding) as member:
                qualifies = "(i32.const 1)" if handler.guard is None else body.emit_test(handler.guard)
                if event.holders is not None:
                    item = getattr(event.holders.type, "item", ty.NoneType())
                    among = collection_code.emit_set_test(module, item, "(local.get $holders)", emit_local(member))
                    qualifies = f"(if (result i32) {among} (then {qualifies}) (else (i32.const 0)))"
                with body.open_block(f"if {qualifies} (then"):
                    _emit_waiting_entry(body, number, member, _emit_owner(module, variable.type.kind, member))
                body.add_line(")")
        body.finish_function(key, parameters, "")

    return module.request_function(f"finding {handler.name}", emit_finder_body)


def _emit_owner(module: WasmModule, kind: str, member: str) -> str:
    if f"{kind}/owner" not in world_places(module).columns:
        return emit_local(member)
    owners = column_offset(module, kind, "owner")
    return f"(i64.load offset={owners} (i32.shl (i32.wrap_i64 {emit_local(member)}) (i32.const 3)))"


def _emit_waiting_entry(body: FunctionBody, number: int, member: str, owner: str) -> None:
    count = body.new_temporary("(i64.load (i32.wrap_i64 (local.get $waiting)))")
    body.emit_guard(f"(i64.lt_u {emit_local(count)} {emit_constant(_MAX_WAITING_HANDLERS)})", "very many handlers")
    at = body.new_temporary(
        f"(i64.add (local.get $waiting) (i64.mul {emit_local(count)} {emit_constant(_WAITING_ENTRY_WORDS * WORD_BYTES)}))"
    )
    place = f"(i32.wrap_i64 {emit_local(at)})"
    body.add_line(f"(i64.store offset={WORD_BYTES} {place} {emit_constant(number)})")
    body.add_line(f"(i64.store offset={2 * WORD_BYTES} {place} {emit_local(member)})")
    body.add_line(f"(i64.store offset={3 * WORD_BYTES} {place} {owner})")
    body.emit_guard(f"(i64.ge_s {owner} (i64.const 0))", "a handler of somebody whom nobody owns")
    body.add_line(f"(i64.store (i32.wrap_i64 (local.get $waiting)) (i64.add {emit_local(count)} (i64.const 1)))")


def _request_player_turn(module: WasmModule, event: d.Event, line: st.Trigger | st.Remove) -> str:

    def emit_turn_body(key: str) -> None:
        body, parameters = _open_event_function(module, key, event, "$waiting", "$gains", "$player")
        at, text = body.new_temporary("(local.get $waiting)"), body.new_temporary(emit_constant(0))
        end = f"(i64.mul (i64.load (i32.wrap_i64 (local.get $waiting))) {emit_constant(_WAITING_ENTRY_WORDS * WORD_BYTES)})"
        last = body.new_temporary(f"(i64.add {emit_local(at)} {end})")
        with body.open_loop_until(f"(i64.ge_u {emit_local(at)} {emit_local(last)})"):
            owner = f"(i64.load offset={3 * WORD_BYTES} (i32.wrap_i64 {emit_local(at)}))"
            with body.open_block(f"if (i64.eq {owner} (local.get $player)) (then"):
                body.emit_guard(f"(i64.eqz {emit_local(text)})", "several handlers of one player at once")
                body.add_line(f"(local.set {text} {emit_local(at)})")
            body.add_line(
                f") (local.set {at} (i64.add {emit_local(at)} {emit_constant(_WAITING_ENTRY_WORDS * WORD_BYTES)}))"
            )
        body.add_line(f"(if (i64.eqz {emit_local(text)}) (then (return)))")
        place = f"(i32.wrap_i64 {emit_local(text)})"
        body.add_line(f"(i64.store offset={3 * WORD_BYTES} {place} (i64.const -1))")
        emit_settling(body)
        given = " ".join(f"(local.get {parameter})" for parameter in parameters[: len(event.parameters)])
        for number, handler in enumerate(_handlers_of_event(module, event)):
            is_it = f"(i64.eq (i64.load offset={WORD_BYTES} {place}) {emit_constant(number)})"
            with body.open_block(f"if {is_it} (then"), body.give_back_if_unsupported(f"in `{handler.name}`"):
                answer = body.new_temporary(emit_constant(1))
                if handler.optional:
                    emit_yes_no_answer(body, line.address, answer)
                member = f"(i64.load offset={2 * WORD_BYTES} {place})"
                call = f"(call {_request_handler_action(module, event, handler)} {given} {member} (local.get $gains))"
                body.add_line(f"(if (i32.wrap_i64 {emit_local(answer)}) (then {call}))")
            body.add_line(")")
        body.finish_function(key, parameters, "")

    return module.request_function(f"window {event.name} {line.address} {line.span}", emit_turn_body)


def _request_handler_action(module: WasmModule, event: d.Event, handler: d.Handler) -> str:

    def emit_action_body(key: str) -> None:
        (variable,) = handler.binding.variables
        assert variable is not None
        body, parameters = _open_event_function(
            module, f"handler {handler.name}", event, f"$v{variable.index}", "$gains"
        )
        body.local_names["$result"] = None
        emit_work_charge(body, handler)
        body.add_line(f"(local.set $result {emit_constant(NONE_CODE)})")
        if isinstance(event.gives, ty.OptionalType):
            body.add_line(body.emit_give_back("handlers that may give none"))
        with body.give_back_if_unsupported(f"in `{handler.name}`"), body.open_block(f"block {body.end_label}"):
            if handler.guard is not None:
                body.add_line(f"(br_if {body.end_label} (i32.eqz {body.emit_test(handler.guard)}))")
            body.emit_block(handler.block)
        gains = "(i32.wrap_i64 (local.get $gains))"
        gives = f"(i64.ne (local.get $result) {emit_constant(NONE_CODE)})"
        with body.open_block(f"if (i32.and {gives} (i64.ne (local.get $gains) (i64.const 0))) (then"):
            body.emit_guard(f"(i64.lt_u (i64.load {gains}) {emit_constant(MAX_LIST_ITEMS)})", "a long list")
            body.add_line(f"(i64.store {gains} (i64.add (i64.load {gains}) (i64.const 1)))")
            end = f"(i64.add (local.get $gains) (i64.shl (i64.load {gains}) (i64.const 3)))"
            body.add_line(f"(i64.store (i32.wrap_i64 {end}) (local.get $result))")
        body.add_line(")")
        body.finish_function(key, parameters, "")

    return module.request_function(f"handler {handler.name}", emit_action_body)


# Watches.


def _emit_watch_calls(body: FunctionBody, event: str, given: Sequence[str]) -> None:
    watches = _watches_of_event(body.module, event)
    if len(watches) > 1:
        heard = "(i32.const 0)"
        for _, item in watches:
            heard = f"(i32.add {heard} (global.get {watch_flag(body.module, item)}))"
        body.emit_guard(f"(i32.le_s {heard} (i32.const 1))", "several watches at once")
    for procedure, watch in watches:
        called = f"(call {_request_watch(body.module, procedure, watch)} {' '.join(map(emit_local, given))})"
        body.add_line(f"(if (global.get {watch_flag(body.module, watch)}) (then {called}))")


def _watches_of_event(module: WasmModule, event: str) -> list[tuple[d.Procedure, d.Watch]]:
    return [
        (procedure, watch)
        for procedure in module.program.procedures.values()
        for watch in procedure.opening
        if isinstance(watch, d.Watch) and watch.event == event
    ]


def watch_flag(module: WasmModule, watch: d.Watch) -> str:
    """Global that is 1 while a watch is active."""
    return module.name_counter(f"watch {watch.address} {watch.span}")


def emit_watch_start(body: FunctionBody, watch: d.Watch, procedure: d.Procedure) -> None:
    """Activates a watch."""
    global_ = watch_flag(body.module, watch)
    body.emit_guard(f"(i32.eqz (global.get {global_}))", "a procedure that watches, inside itself")
    body.add_line(f"(global.set {global_} (i32.const 1))")
    _request_watch(body.module, procedure, watch)


def _request_watch(module: WasmModule, procedure: d.Procedure, watch: d.Watch) -> str:

    def emit_watch_body(key: str) -> None:
        body = FunctionBody(module, procedure.name)
        parameters = tuple(f"$p{variable.index}" for variable in watch.parameters)
        body.local_names.update(dict.fromkeys(parameters))
        body.memory_variables = place_watched_variables(
            module, procedure, [item for item in procedure.opening if isinstance(item, d.Watch)]
        )
        with body.give_back_if_unsupported(f"at `{watch.address}`"), body.open_block(f"block {body.end_label}"):
            for parameter, given in zip(watch.parameters, parameters, strict=True):
                body.assign_variable(parameter, emit_local(given))
            if watch.guard is not None:
                body.add_line(f"(br_if {body.end_label} (i32.eqz {body.emit_test(watch.guard)}))")
            body.emit_block(watch.block)
        body.finish_function(key, parameters, "")

    return module.request_function(f"watch {watch.address} {watch.span}", emit_watch_body)


def place_watched_variables(module: WasmModule, procedure: d.Procedure, watches: Sequence[d.Watch]) -> dict[int, int]:
    """Places in memory the variables of a procedure that its watches read or change."""
    inside = [node for watch in watches for node in walk_nodes(watch)]
    used = {item.variable.index for item in inside if isinstance(item, ex.Local | st.VariablePlace)}
    return {
        item: module.place_words((procedure.name, item), lambda: [NONE_CODE], written=True) for item in sorted(used)
    }
