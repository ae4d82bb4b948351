"""Frames on the stack of a run.

A block returns the number of the next block of its frame, or one of `SWITCH` (look at the top of the stack), `PAUSE`
(a request is pending) and `END`. The first blocks belong to the engine: the end of the run, settling, windows,
the judging of a start.
"""

from typing import Any, NoReturn

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.world import RECORD, STACK, World

SWITCH, PAUSE, END = -1, -2, -3
END_BLOCK, SETTLE_BLOCK, WINDOW_BLOCK, JUDGE_BLOCK, RESERVED = 0, 1, 2, 3, 4
BOTTOM, SETTLING, WINDOW, JUDGING = -1, -2, -3, -4

Frame = list[Any]


def end_block(_world: World, _frame: Frame) -> int:
    """Below the outermost call."""
    return END


def call(world: World, flow: int, site: int, dest: int, given: tuple[Any, ...]) -> int:
    """Pushes the frame of a routine; its result goes to a slot of the caller, 0 for nowhere."""
    table = world[0].tables.flows[flow]
    stack = world[STACK]
    if len(stack) > world[0].limits.depth:
        too_deep(world)
    stack.append([table.entry, flow, site, dest, *given, *table.empty[len(given) :]])
    return SWITCH


def too_deep(world: World) -> NoReturn:
    """More calls inside each other than a run may have."""
    raise Fault(codes.DEPTH, f"more than {world[0].limits.depth:,} calls inside each other")


def push_window(world: World, event: str, site: int, dest: int, given: tuple[Any, ...]) -> None:
    """Pushes the frame of a window; its gains go to a slot of the caller, 0 for nowhere."""
    if len(world[STACK]) > world[0].limits.depth:
        too_deep(world)
    world[STACK].append([WINDOW_BLOCK, WINDOW, site, dest, event, given, (), None, (), "open", None])


def note(world: World, site: int, found: Any) -> None:  # noqa: ANN401
    """Records that a rule or handler began or ended."""
    if world[RECORD] is not None:
        world[RECORD].append((site, -1, None, found))
