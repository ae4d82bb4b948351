"""WebAssembly for dice that lie: those that are kept, what a die shows, totals."""

from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.collection_loops import for_each_member
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError, DieShape, PoolShape
from rulewright.odds.kernel.wasm_assembler import Code
from rulewright.program.core import forms as core

DICE_OPERATIONS = OperationTable()


@DICE_OPERATIONS.register("kept dice")
def _emit_kept_dice(c: RoutineCode, node: core.Op) -> Code:
    return lib.list_kept_dice(c.w, c.module, c.held(node.arguments[0]))


@DICE_OPERATIONS.register("die")
def _emit_die_attribute(c: RoutineCode, node: core.Op) -> Code:
    (name,) = node.facts
    (die,) = node.arguments
    if isinstance(die, core.Get) and die.local.index in c.plain_dice:
        return c.read(die.local)
    attribute = {"natural": "face"}.get(name, name)
    offset = c.module.facts.dice.offset(attribute)
    if offset is None:
        raise BatchUnsupportedError(f"`{name}` of a die")
    return c.present(die).load(offset)


@DICE_OPERATIONS.register("total")
def _emit_total(c: RoutineCode, node: core.Op) -> Code:
    (dice,) = node.arguments
    if isinstance(dice, core.Get) and dice.local.index in c.plain_dice:
        return c.read(dice.local)
    if isinstance(c.shape(dice), DieShape):
        return c.present(dice).load()
    if not isinstance(c.shape(dice), PoolShape):
        found = c.w.new_local(0)
        for_each_member(c, dice, (None,), lambda die: c.w.set(found, found + die().load()))
        return found
    found = c.w.new_local(0)
    lib.loop_kept_dice(c.w, c.module, c.held(dice), lambda die: c.w.set(found, found + die.load()))
    return found
