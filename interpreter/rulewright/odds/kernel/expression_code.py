"""WebAssembly for core expressions: forms have their functions here, operations in the tables of their subjects.

Expressions change nothing and every fault gives the play back, so the order in which they are computed does not matter.
"""

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.odds.kernel.cell_tables import CELL_OPERATIONS
from rulewright.odds.kernel.collection_loops import GATHERING_OPERATIONS, emit_over
from rulewright.odds.kernel.collection_operations import COLLECTION_OPERATIONS
from rulewright.odds.kernel.dice_operations import DICE_OPERATIONS
from rulewright.odds.kernel.number_operations import NUMBER_OPERATIONS
from rulewright.odds.kernel.plane_tables import PLANE_OPERATIONS
from rulewright.odds.kernel.rank_code import RANK_OPERATIONS
from rulewright.odds.kernel.routine_code import RoutineCode
from rulewright.odds.kernel.store_code import emit_load
from rulewright.odds.kernel.thing_operations import THING_OPERATIONS
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, choose, const, test_const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression
from rulewright.runtime.working_memory import CONTROL

_MAX_INLINED = 4
"""Functions that are written into each other at most."""


def emit_expression(c: RoutineCode, node: Expression) -> Code:
    """Code of an expression, a value or a test.

    Raises:
        BatchUnsupportedError: it cannot be done in a kernel.
    """
    return _EMITTERS[node.__class__](c, node)


def _emit_const(c: RoutineCode, node: core.Const) -> Code:
    if isinstance(node.value, bool):
        return test_const(node.value)
    if isinstance(node.value, str):
        return const(c.module.encode_choice(node.value))
    return c.module.encode_constant(node.value, node.type)  # type: ignore[arg-type]


def _emit_get(c: RoutineCode, node: core.Get) -> Code:
    return c.convert(c.read(node.local), node.local.type, node.type)


def _emit_cond(c: RoutineCode, node: core.Cond) -> Code:
    test = c.test(node.test)
    then, other = (
        c.test(each) if isinstance(node.type, ty.FlagType) else c.slot(each, node.type)
        for each in (node.then, node.other)
    )
    return choose(test, then, other)


def _emit_bind(c: RoutineCode, node: core.Bind) -> Code:
    c.assign(node.local, c.slot(node.value, node.local.type))
    return c.emit(node.body)


def _emit_apply(c: RoutineCode, node: core.Apply) -> Code:
    routine = c.module.core.routines[node.routine]
    given = c.arguments(node.routine, node.arguments)
    if c.inlined < _MAX_INLINED and c.module.is_small(routine):
        return c.convert(write_in_place(c, routine, given), routine.result, node.type)
    return c.convert(c.module.call_routine(node.routine, given), routine.result, node.type)


def write_in_place(c: RoutineCode, routine: core.Routine, given: Sequence[Code]) -> Code:
    """Result of a function whose block is a single `Return`, without a call."""
    (returned,) = routine.entry
    assert isinstance(returned, core.Return)
    inner = RoutineCode(c.module, c.w, routine, inlined=c.inlined + 1)
    for parameter, value in zip(routine.parameters, given, strict=True):
        held = c.hold(value)
        if held.constant is None:
            inner.variables[parameter.index] = held  # type: ignore[assignment]
        else:
            inner.known[parameter.index] = held
    return (
        inner.emit(returned.value)
        if isinstance(returned.value.type, ty.FlagType)
        else inner.slot(returned.value, routine.result)
    )


def _emit_wanted(c: RoutineCode, node: core.Wanted) -> Code:
    if node.default is None or c.module.world[CONTROL].base.tables.get(node.external):
        raise BatchUnsupportedError(f"`{node.external}` comes from elsewhere")
    routine = c.module.core.routines[node.default]
    return c.convert(
        c.module.call_routine(node.default, c.arguments(node.default, node.arguments)), routine.result, node.type
    )


def _refuse(_: RoutineCode, node: Expression) -> Code:
    raise BatchUnsupportedError(f"a {type(node).__name__.lower()} as a value")


def _emit_op(c: RoutineCode, node: core.Op) -> Code:
    function = _OPERATIONS.get(node.name)
    if function is None:
        raise BatchUnsupportedError(f"`{node.name}`")
    return function(c, node)


_OPERATIONS = {
    **NUMBER_OPERATIONS, **GATHERING_OPERATIONS, **COLLECTION_OPERATIONS, **THING_OPERATIONS, **CELL_OPERATIONS,
    **DICE_OPERATIONS, **PLANE_OPERATIONS, **RANK_OPERATIONS,
}  # fmt: skip
_EMITTERS: dict[type, Callable[[RoutineCode, Any], Code]] = {
    core.Const: _emit_const,
    core.Get: _emit_get,
    core.Load: emit_load,
    core.Op: _emit_op,
    core.Cond: _emit_cond,
    core.Bind: _emit_bind,
    core.Over: emit_over,
    core.Apply: _emit_apply,
    core.Wanted: _emit_wanted,
    core.Closure: _refuse,
    core.RollOf: _refuse,
}
