"""WebAssembly for what follows from changes: standing rules that fire, conditions that must hold; and for limits."""

from contextlib import AbstractContextManager, nullcontext

from rulewright.base.node_roles import walk_nodes
from rulewright.odds.batch.collection_code import emit_binding_loop
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import FunctionBody, WasmModule, emit_constant, emit_local
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.effects import list_written_places

_WORK_PER_NODE = 8
"""What a node of the rules counts for in the work of a play, at most, where it goes through no collection."""


def emit_work_charge(body: FunctionBody, routine: object) -> None:
    """Takes what a routine or a round of a loop may cost at most from what the play may still do."""
    items = list(walk_nodes(routine))
    through = sum(isinstance(item, ex.Binding | ex.Joined | ex.Builtin) for item in items)
    weight = _WORK_PER_NODE * (len(items) + 64 * through)
    body.add_line(f"(global.set $left (i64.sub (global.get $left) {emit_constant(weight)}))")
    body.emit_guard("(i64.ge_s (global.get $left) (i64.const 0))", "a play near its limit")


def refuse_early_exits(block: st.Block) -> None:
    """Refuses a block of lines that nothing may leave early."""
    if any(isinstance(node, st.Finish | st.FinishOuter | st.Proceed | st.Stop) for node in walk_nodes(block)):
        raise BatchUnsupportedError("a way out of lines that belong together")


def emit_unsettling(body: FunctionBody, place: str) -> None:
    """Notes that a place is written, and awakens the rules that read it."""
    body.module.written_places.add(place)
    mask = body.module.executable.tables.masks.get(place, 0)
    if mask:
        body.add_line(f"(global.set $unsettled (i64.or (global.get $unsettled) {emit_constant(mask)}))")


def emit_settling(body: FunctionBody, line: st.Statement | None = None) -> None:
    """Lets standing rules fire and judges invariants, where anything awakens them."""
    masks = body.module.executable.tables.masks
    if not masks or (
        line is not None and not any(masks.get(written_place) for written_place in list_written_places(line))
    ):
        return
    due = "(i32.and (i64.ne (global.get $unsettled) (i64.const 0)) (i32.eqz (global.get $quiet)))"
    body.add_line(f"(if {due} (then (call {request_settling(body.module)})))")


def request_settling(module: WasmModule) -> str:
    """The function that lets standing rules fire until none does, and judges invariants."""
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
    """Fires a standing rule for the first members for which it holds, then begins with the first rule again."""
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
