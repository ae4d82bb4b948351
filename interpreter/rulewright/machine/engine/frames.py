"""Frames on the stack of a run, and faults of lines.

A block returns the number of the next block of its frame, or one of `SWITCH` (look at the top of the stack), `PAUSE`
(a request is pending) and `END`. The first blocks belong to the engine: the end of the run, settling, windows,
the judging of a start.
"""

from typing import Any, NoReturn

from rulewright.machine import codes
from rulewright.machine.faults import Fault, Resumption
from rulewright.machine.world import ENTRY, RECORD, STACK, World

SWITCH, PAUSE, END = -1, -2, -3
END_BLOCK, SETTLE_BLOCK, WINDOW_BLOCK, JUDGE_BLOCK, RESERVED = 0, 1, 2, 3, 4
BOTTOM, SETTLING, WINDOW, JUDGING = -1, -2, -3, -4

Frame = list[Any]


def end_block(_world: World, _frame: Frame) -> int:
    """Ends the run: it lies below the outermost call."""
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


def note(world: World, site: int, found: Any) -> None:
    """Records that a rule or handler began or ended."""
    if world[RECORD] is not None:
        world[RECORD].append((site, -1, None, found))


OPEN = 100
"""So many calls inside each other are not charged at a request."""


def no_room(place: str, value: int, low: int | None, high: int | None) -> None:
    """A number that would leave its bounds where nothing is said for that case."""
    raise Fault(codes.NO_ROOM, f"`{place}` would become {value}, outside {low}..{high}")


def no_answer(prompt: str) -> None:
    """A decision with no legal answer where nothing is said for that case."""
    raise Fault(codes.NO_ANSWER, f"there is no legal answer to `{prompt}`")


def gone(text: str) -> None:
    """A thing out of play that should move, turn or be placed."""
    raise Fault(codes.OUT_OF_PLAY, f"`{text}` is out of play")


def too_often(bound: int, slot: int | None = None, head: int = 0) -> None:
    """A loop that still goes on at its bound; in a frame with the slot that counts rounds, and its first block."""
    onward = None if slot is None else Resumption(slot, bound - 1, head)
    raise Fault(codes.LOOP_TOO_LONG, f"the loop still goes on after {bound} rounds", onward=onward)


def jumped_too_often(made: int, slot: int, block: int) -> None:
    """A jump upwards beyond its bound, with the slot where its rounds are counted, and where it leads."""
    message = f"this line has jumped {made - 1} times, as often as it may"
    raise Fault(codes.JUMPED_TOO_OFTEN, message, onward=Resumption(slot, made - 1, block))


def visit(world: World, steps: int, site: int | None = None) -> None:
    """Charges visits, rounds or calls."""
    control, record = world[0], world[RECORD]
    control.left -= steps
    if control.left < 0 or (record is not None and control.room < ENTRY * len(record)):
        overworked(world, site)


def looked_through(world: World, steps: int, site: int | None = None) -> None:
    """Charges so many steps for each open call beyond the first hundred, where all of them are gone through."""
    if len(world[STACK]) > OPEN:
        visit(world, steps * (len(world[STACK]) - OPEN), site)


def overworked(world: World, site: int | None = None) -> None:
    """The limit of work, or of the size of all that is made."""
    control, record = world[0], world[RECORD]
    if control.room < (0 if record is None else ENTRY * len(record)):
        oversized(world)
    raise Fault(codes.WORK, f"more than {_steps(control.limits.work)}", site=site)


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number:,} steps"


def oversized(world: World) -> None:
    """The limit of the size of all that is made."""
    raise Fault(codes.SIZE, f"all that the run makes has more than {world[0].limits.size:,} parts")
