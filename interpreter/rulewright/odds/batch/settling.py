"""WebAssembly for what follows from changes: standing rules that fire, conditions that must hold; and for limits."""

from contextlib import AbstractContextManager, nullcontext

from rulewright.odds.batch.members import visited
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.batch.writer import Body, Module, constant, held
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.effects import written_by
from rulewright.roles import nodes

_EACH = 8
"""What a node of the rules counts for in the work of a play, at most, where it goes through no collection."""


def charged(body: Body, routine: object) -> None:
    """Takes what a routine or a round of a loop may cost at most from what the play may still do."""
    found = list(nodes(routine))
    through = sum(isinstance(each, ex.Binding | ex.Joined | ex.Builtin) for each in found)
    weight = _EACH * (len(found) + 64 * through)
    body.line(f"(global.set $left (i64.sub (global.get $left) {constant(weight)}))")
    body.unless("(i64.ge_s (global.get $left) (i64.const 0))", "a play near its limit")


def refuse_ways_out(block: st.Block) -> None:
    """Refuses a block of lines that nothing may leave early."""
    if any(isinstance(each, st.Finish | st.FinishOuter | st.Proceed | st.Stop) for each in nodes(block)):
        raise UnfitError("a way out of lines that belong together")


def unsettle(body: Body, place: str) -> None:
    """Notes that a place is written, and awakens the rules that read it."""
    body.module.written.add(place)
    mask = body.module.executable.tables.masks.get(place, 0)
    if mask:
        body.line(f"(global.set $unsettled (i64.or (global.get $unsettled) {constant(mask)}))")


def settle(body: Body, line: st.Statement | None = None) -> None:
    """Lets standing rules fire and judges invariants, where anything awakens them."""
    masks = body.module.executable.tables.masks
    if not masks or (line is not None and not any(masks.get(each) for each in written_by(line))):
        return
    due = "(i32.and (i64.ne (global.get $unsettled) (i64.const 0)) (i32.eqz (global.get $quiet)))"
    body.line(f"(if {due} (then (call {settling(body.module)})))")


def settling(module: Module) -> str:
    """The function that lets standing rules fire until none does, and judges invariants."""
    return module.function("settling", lambda key: _settling(module, key))


def _settling(module: Module, key: str) -> None:
    body, tables, program = Body(module, ""), module.executable.tables, module.program
    with body.inside("loop $again"):
        for rule in tables.rules:
            _fire(body, program.rules[rule.name], rule.bit)
    for table, each in zip(tables.invariants, program.invariants.values(), strict=True):
        with body.inside(f"if {_is_unsettled(table.bit)} (then"), body.attempted(f"in `{each.name}`"):
            _judge(body, each)
        body.line(")")
    body.line("(global.set $unsettled (i64.const 0))")
    body.written(key, (), "")


def _is_unsettled(bits: int) -> str:
    return f"(i64.ne (i64.and (global.get $unsettled) {constant(bits)}) (i64.const 0))"


def _judge(body: Body, invariant: d.Invariant) -> None:
    skip = body.label()
    with _members(body, invariant.binding), body.inside(f"block {skip}"):
        if invariant.guard is not None:
            body.line(f"(br_if {skip} (i32.eqz {body.test(invariant.guard)}))")
        body.unless(body.test(invariant.condition), f"`{invariant.heading}` does not hold")


def _fire(body: Body, rule: d.StandingRule, bits: int) -> None:
    """Fires a standing rule for the first members for which it holds, then begins with the first rule again."""
    tables, program = body.module.executable.tables, body.module.program
    with body.inside(f"if {_is_unsettled(bits)} (then"), body.attempted(f"in `{rule.name}`"):
        found = body.temporary(constant(0))
        over = body.label()
        with body.inside(f"block {over}"), _members(body, rule.binding):
            met = f"(local.set {found} (i64.const 1)) (br {over})"
            body.line(f"(if {body.test(rule.condition)} (then {met}))")
        body.line(f"(if (i64.eqz {held(found)}) (then")
        body.line(f"(global.set $unsettled (i64.and (global.get $unsettled) {constant(~bits)}))")
        body.line(") (else")
        measures = [program.rules[each.name].lowers for each in tables.rules]
        before = [body.temporary(body.value(each)) for each in measures]
        body.line("(global.set $quiet (i32.add (global.get $quiet) (i32.const 1)))")
        refuse_ways_out(rule.block)
        body.block(rule.block)
        body.line("(global.set $quiet (i32.sub (global.get $quiet) (i32.const 1)))")
        after = [body.temporary(body.value(each)) for each in measures]
        falls = "(i32.const 0)"
        for old, new in reversed(list(zip(before, after, strict=True))):
            equal = f"(i32.and (i64.eq {held(new)} {held(old)}) {falls})"
            falls = f"(i32.or (i64.lt_s {held(new)} {held(old)}) {equal})"
            body.unless(f"(i64.ge_s {held(new)} (i64.const 0))", f"`{rule.name}` lowers nothing")
        body.unless(falls, f"`{rule.name}` lowers nothing")
        charged(body, rule)
        body.line("(br $again)))")
    body.line(")")


def _members(body: Body, binding: ex.Binding | None) -> AbstractContextManager[object]:
    return nullcontext() if binding is None else visited(body, binding)
