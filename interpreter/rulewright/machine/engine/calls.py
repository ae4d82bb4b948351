"""Calls of routines, and the ways out of them."""

from typing import Any

from rulewright.machine import codes
from rulewright.machine.engine.events import settling
from rulewright.machine.engine.frames import SETTLING, SWITCH, WINDOW, Frame, looked_through
from rulewright.machine.faults import Fault
from rulewright.machine.world import QUIET, RECORD, STACK, UNSETTLED, Places, World


def leave(world: World, value: Any) -> int:  # noqa: ANN401
    """Ends the call on top of the stack and gives its result to the caller."""
    stack = world[STACK]
    frame = stack.pop()
    released = _release(world, frame)
    caller = stack[-1]
    record = world[RECORD]
    if record is not None:
        record.append((frame[2], -1, value, ("return", frame[1])))
    if caller[1] == WINDOW:
        if value is not None:
            caller[6] = (*caller[6], value[0])
    elif frame[3]:
        caller[frame[3]] = value
    if released and world[UNSETTLED] and not world[QUIET]:
        return settling(world)
    return SWITCH


def _release(world: World, frame: Frame) -> bool:
    """Ends the holds and watches of a frame; whether it held anything."""
    control = world[0]
    if control.watching:
        control.watching = [each for each in control.watching if each[1] is not frame]
    held = [each for each in control.held if each[1] is frame]
    if held:
        control.held = [each for each in control.held if each[1] is not frame]
    return bool(held)


def hold(world: World, frame: Frame, rules: tuple[int, ...]) -> None:
    """Suspends standing rules until the frame ends."""
    world[0].held = [*world[0].held, (rules, frame)]


def nested(world: World, site: int, bound: int) -> None:
    """A fault where a line of `perform` is nested deeper than it says."""
    looked_through(world, 1)
    if sum(1 for frame in world[STACK] if frame[2] == site) >= bound:
        raise Fault(codes.NESTED_TOO_DEEP, f"this line may nest {bound} deep at most")


def unwind(world: World, procedure: str, value: Any) -> int:  # noqa: ANN401
    """Ends the innermost running call of a procedure with everything it called; then the state settles."""
    stack, flows = world[STACK], world[0].tables.flows
    while len(stack) > 1:
        frame = stack[-1]
        if frame[1] >= 0 and flows[frame[1]].sort == "procedure" and flows[frame[1]].name == procedure:
            result = leave(world, value)
            if result == SWITCH and world[UNSETTLED] and not world[QUIET] and world[STACK][-1][1] != SETTLING:
                return settling(world)
            return SWITCH
        if frame[1] == SETTLING and frame[4] is not None:
            world[QUIET] -= 1
        if frame[1] >= 0 and world[RECORD] is not None:
            world[RECORD].append((frame[2], -1, None, ("return", frame[1])))
        _release(world, frame)
        stack.pop()
    raise Fault(codes.NOT_RUNNING, f"`{procedure}` is not running")


def delivered(world: World) -> Any:  # noqa: ANN401
    """Takes the changes an external procedure made; returns its result."""
    result, changes = world[0].reply
    places, masks = world[0].places, world[0].tables.masks
    for place, key, value in changes:
        if _apply(world, places, place, key, value):
            world[0].known.clear()
        world[UNSETTLED] |= masks.get(place, 0)
    return result


def _apply(world: World, places: Places, place: str, key: Any, value: Any) -> bool:  # noqa: ANN401
    """Puts a new value somewhere; whether it was another one before."""
    kind, _, name = place.partition("/")
    holder, at = world, key
    if kind == "game":
        at = places.game[name]
    elif place in places.columns:
        holder = world[places.columns[place]]
    elif place in places.cells:
        holder = world[places.cells[place]]
    elif name == "gone":
        holder = world[places.gone[kind]]
    else:
        pairs = world[places.relations[place]]
        was = key in pairs
        (pairs.add if value else pairs.discard)(key)
        return was is not value
    was = holder.get(at) if isinstance(holder, dict) else holder[at]
    holder[at] = value
    if name == "gone":
        world[places.in_play[kind]] = tuple(number for number, out in enumerate(holder) if not out)
    return bool(was != value)
