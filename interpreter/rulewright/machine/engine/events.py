"""Events: watches that hear, invariants that are judged, standing rules that settle, windows; and the ends of calls.

The frame of a window holds block, `WINDOW`, site, dest, event, arguments, gains, owners left, queue, stage and owner.
"""

from typing import Any

from rulewright.machine import codes
from rulewright.machine.engine.frames import (
    PAUSE,
    SETTLE_BLOCK,
    SETTLING,
    SWITCH,
    WINDOW,
    Frame,
    call,
    looked_through,
    note,
    push_window,
)
from rulewright.machine.faults import Fault
from rulewright.machine.world import QUIET, RECORD, STACK, UNSETTLED, EventTable, HandlerTable, Places, RuleTable, World


def watch(world: World, frame: Frame, number: int) -> None:
    """Lets a watch hear from now on."""
    event, function = world[0].tables.watches[number]
    world[0].watching = [*world[0].watching, (number, frame, event, function)]


def tell(world: World, event: str, given: tuple[Any, ...]) -> None:
    """Tells the watches of running calls, outermost first."""
    for _, frame, heard, function in world[0].watching:
        if heard == event:
            function(world, frame, *given)


def report(world: World, events: tuple[str, ...], thing: int) -> None:
    """Tells of a removal that opens no window, now or at the end of `together`."""
    control = world[0]
    if control.together:
        control.removals = [*control.removals, *((event, 0, thing) for event in events)]
        return
    for event in events:
        tell(world, event, (thing,))


def reported(world: World) -> None:
    """Tells of the removals in a `together` that has ended, where none opens a window."""
    waiting, world[0].removals = world[0].removals, []
    for event, _, thing in waiting:
        tell(world, event, (thing,))


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


def settling(world: World) -> int:
    """Pushes a settling, and on top the windows of removals that waited for the end of `together`."""
    control = world[0]
    if world[UNSETTLED] and not world[QUIET]:
        world[STACK].append([SETTLE_BLOCK, SETTLING, 0, 0, None, None])
    if control.removals and not control.together:
        waiting, control.removals = control.removals, []
        for event, site, thing in reversed(waiting):
            push_window(world, event, site, 0, (thing,))
    return SWITCH


def settle(world: World) -> None:
    """Settles where every standing rule is a plain function."""
    rules, held = world[0].tables.rules, world[0].held
    tried = True
    while tried:
        tried = False
        for rule in rules:
            if world[UNSETTLED] & rule.bit and not (held and _held(world, rule)):
                found = rule.find(world)
                if found is not None:
                    _fire(world, rule, found)
                    tried = True
                    break
                world[UNSETTLED] ^= rule.bit
    if world[UNSETTLED] and not held:
        judge_invariants(world)


def due(world: World) -> bool:
    """Whether a settling can do anything: rules that are held stay unsettled until they are let go."""
    if not world[0].held:
        return bool(world[UNSETTLED])
    return any(world[UNSETTLED] & rule.bit and not _held(world, rule) for rule in world[0].tables.rules)


def _held(world: World, rule: RuleTable) -> bool:
    held = world[0].held
    return bool(held) and any(rule.number in rules for rules, _ in held)


def _fire(world: World, rule: RuleTable, found: tuple[Any, ...]) -> None:
    before = _measures(world)
    world[QUIET] += 1
    note(world, rule.site, found)
    rule.plain(world, *found)  # type: ignore[misc]
    note(world, rule.site + 1, found)
    world[QUIET] -= 1
    _must_fall(world, rule, before)


def _measures(world: World) -> tuple[int, ...]:
    record = world[RECORD]
    length = 0 if record is None else len(record)
    measures = tuple(each.lowers(world) for each in world[0].tables.rules)
    if record is not None:
        del record[length:]
    return measures


def _must_fall(world: World, rule: RuleTable, before: tuple[int, ...]) -> None:
    after = _measures(world)
    if not after < before or min(after) < 0:
        raise Fault(
            codes.MEASURE_NOT_LOWERED, f"`{rule.name}` fired and its measure did not become smaller", site=rule.site
        )


def settle_block(world: World, frame: Frame) -> int:
    """Settles where a standing rule may suspend: one firing at a time."""
    control = world[0]
    if frame[4] is not None:
        world[QUIET] -= 1
        rule = control.tables.rules[frame[4]]
        frame[4] = None
        _must_fall(world, rule, frame[5])
    for number, rule in enumerate(control.tables.rules):
        if not world[UNSETTLED] & rule.bit or _held(world, rule):
            continue
        found = rule.find(world)
        if found is None:
            world[UNSETTLED] &= ~rule.bit
        elif rule.plain is not None:
            _fire(world, rule, found)
            return SWITCH
        else:
            frame[5] = _measures(world)
            frame[4] = number
            world[QUIET] += 1
            note(world, rule.site, found)
            return call(world, rule.flow, rule.site, 0, found)
    judge_invariants(world)
    world[STACK].pop()
    return SWITCH


def window(world: World, event: str, site: int, dest: int, given: tuple[Any, ...]) -> int:
    """Triggers an event: watches first, then a frame for its handlers."""
    push_window(world, event, site, dest, given)
    return SWITCH


def removal(world: World, events: tuple[str, ...], site: int) -> int:
    """Triggers the events of a removal, or leaves them for the end of `together`."""
    control = world[0]
    lost, control.lost = control.lost, None
    if lost is None:
        return SWITCH
    if control.together:
        control.removals = [*control.removals, *((event, site, lost) for event in events)]
        return SWITCH
    for event in reversed(events):
        push_window(world, event, site, 0, (lost,))
    return SWITCH


def window_block(world: World, frame: Frame) -> int:
    """Goes on with a window: collect, order, ask, run, one handler at a time."""
    control = world[0]
    table = control.tables.events[frame[4]]
    match frame[9]:
        case "open":
            tell(world, frame[4], frame[5])
            frame[9] = "told"
            return window_block(world, frame)
        case "told":
            frame[7] = _collect(world, table, frame[5])
            frame[9] = "next"
        case "taker":
            _take(frame, control.reply)
            _note_answer(world, frame, "taker")
        case "order":
            frame[8] = tuple(control.reply)
            frame[9] = "next"
            _note_answer(world, frame, "handlers")
        case "optional":
            if table.first_taker:
                _take(frame, frame[8][0] if control.reply else None)
            else:
                frame[9] = "run" if control.reply else "next"
                frame[8] = frame[8] if control.reply else frame[8][1:]
            _note_answer(world, frame, "handler")
    if frame[9] == "run":
        return _run_first(world, frame, table)
    if not world[QUIET] and due(world):
        return settling(world)
    return _next_player(world, frame, table) if table.first_taker else _next_handler(world, frame, table)


def _take(frame: Frame, taken: Any) -> None:
    """Runs the handler that a player took, and then closes the window; if they took none, the next player chooses."""
    frame[8] = () if taken is None else (taken,)
    frame[7] = frame[7] if taken is None else ()
    frame[9] = "next" if taken is None else "run"


def _next_player(world: World, frame: Frame, table: EventTable) -> int:
    """Lets the next player take a handler, of those whose `when` holds by now; none only where all are optional."""
    control = world[0]
    while frame[7]:
        owner, group = frame[7][0]
        able = tuple(each for each in group if table.handlers[each[0]].judge(world, *frame[5], *each[1]))
        frame[7], frame[8], frame[10] = frame[7][1:], able, owner
        free = all(table.handlers[number].optional for number, _ in able)
        if len(able) > 1 or (control.limits.forced and not (able and free)):
            frame[9] = "taker"
            control.pending = (frame[2], owner, ("taker", frame[4], able, free))
            return PAUSE
        if able and free:
            frame[9] = "optional"
            control.pending = (frame[2], owner, ("handler", frame[4], *able[0]))
            return PAUSE
        if able:
            _take(frame, able[0])
            return _run_first(world, frame, table)
    return _close_window(world, frame)


def _collect(world: World, table: EventTable, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The handlers that qualify, by owner in the event's order: `(owner, ((handler, members), …))`."""
    holders = None if table.holders is None else table.holders(world, *given)
    groups: dict[int | None, list[Any]] = {}
    for number, handler in enumerate(table.handlers):
        for members in handler.find(world, *given):
            if holders is None or members[0] in holders:
                groups.setdefault(_owner(world, handler, members), []).append((number, members))
    listed = () if table.order is None else table.order(world, *given)
    turn = {player: at for at, player in reversed(list(enumerate(listed)))}
    players = sorted(groups, key=lambda player: (turn.get(player, len(turn) + 1), player is None, player or 0))
    return tuple((player, tuple(groups[player])) for player in players)


def _owner(world: World, handler: HandlerTable, members: tuple[Any, ...]) -> int | None:
    if handler.owner is None:
        return members[0]  # type: ignore[no-any-return]
    return world[handler.owner][members[0]]  # type: ignore[no-any-return]


def _next_handler(world: World, frame: Frame, table: EventTable) -> int:
    control = world[0]
    if not frame[8]:
        if not frame[7]:
            return _close_window(world, frame)
        (frame[10], frame[8]), *rest = frame[7]
        frame[7] = tuple(rest)
        if len(frame[8]) > 1 or control.limits.forced:
            frame[9] = "order"
            control.pending = (frame[2], frame[10], ("handlers", frame[4], frame[8]))
            return PAUSE
    number, members = frame[8][0]
    handler = table.handlers[number]
    if handler.optional and handler.judge(world, *frame[5], *members):
        frame[9] = "optional"
        control.pending = (frame[2], frame[10], ("handler", frame[4], number, members))
        return PAUSE
    return _run_first(world, frame, table)


def _run_first(world: World, frame: Frame, table: EventTable) -> int:
    (number, members), *rest = frame[8]
    handler = table.handlers[number]
    holds = handler.judge(world, *frame[5], *members)
    frame[8], frame[9] = tuple(rest), "next"
    if not holds:
        return SWITCH
    note(world, handler.site, (*frame[5], *members))
    if handler.plain is None:
        return call(world, handler.flow, handler.site, 0, (*frame[5], *members))
    value = handler.plain(world, *frame[5], *members)
    if value is not None:
        frame[6] = (*frame[6], value[0])
    note(world, handler.site + 1, None)
    return SWITCH


def _note_answer(world: World, frame: Frame, sort: str) -> None:
    if world[RECORD] is not None:
        world[RECORD].append((frame[2], -1, world[0].reply, (sort, world[0].pending[1], world[0].pending[2])))


def _close_window(world: World, frame: Frame) -> int:
    stack = world[STACK]
    stack.pop()
    if frame[3]:
        stack[-1][frame[3]] = frame[6]
    return SWITCH


# Calls: holds, and the ways out.


def leave(world: World, value: Any) -> int:
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


def unwind(world: World, procedure: str, value: Any) -> int:
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


def delivered(world: World) -> Any:
    """Takes the changes an external procedure made; returns its result."""
    result, changes = world[0].reply
    places, masks = world[0].places, world[0].tables.masks
    for place, key, value in changes:
        if _apply(world, places, place, key, value):
            world[0].known.clear()
        world[UNSETTLED] |= masks.get(place, 0)
    return result


def _apply(world: World, places: Places, place: str, key: Any, value: Any) -> bool:
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
