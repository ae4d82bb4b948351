"""Invariants, judged where something they read may have changed."""

from rulewright.machine.engine.frames import SWITCH, Frame
from rulewright.machine.world import STACK, UNSETTLED, World


def judge_block(world: World, _frame: Frame) -> int:
    """Judges every invariant of a start."""
    judge_invariants(world)
    world[STACK].pop()
    return SWITCH


def judge_invariants(world: World) -> None:
    """Judges the invariants that may have been broken, outside holds."""
    control = world[0]
    if control.held or not world[UNSETTLED]:
        return
    for each in control.tables.invariants:
        if world[UNSETTLED] & each.bit:
            each.judge(world)
            world[UNSETTLED] ^= each.bit
