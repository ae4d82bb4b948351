"""What generated code calls for events and calls: watches, settling, windows of handlers, holds, the ways out."""

from typing import Any, NamedTuple, NoReturn

from rulewright.program.expressions import Variable
from rulewright.runtime import faults
from rulewright.runtime.faults import Fault, NeedsExternalValue, Resumption
from rulewright.runtime.frame_slots import FIRST_SLOT, FRAME_BLOCK, FRAME_RESULT_SLOT, FRAME_ROUTINE, FRAME_SITE
from rulewright.runtime.working_memory import (
    CONTROL,
    QUIET,
    RECORD,
    STACK,
    TRACE_ENTRY_SIZE,
    UNSETTLED,
    MemoryLayout,
    WorkingMemory,
)

SWITCH, PAUSE, END = -1, -2, -3
"""What a block returns instead of the number of the next: go on with the top frame, ask, end the run."""
END_BLOCK, RESERVED_BLOCKS = 0, 1
"""Number of the block below the outermost call; those of the rules begin at `RESERVED_BLOCKS`."""
BOTTOM_FRAME = -1
"""Routine of the frame below the outermost call."""
RESULT_SLOT = FIRST_SLOT
"""Slot of the bottom frame for the result of the outermost call."""

CALLED_SORTS = frozenset({"procedure", "handler", "rule"})
"""Sorts of routines whose ends a trace tells."""

LiveFrame = list[Any]
ReadyHandler = tuple[int, tuple[Any, ...]]
"""A handler that may run: its number in the event, and what its binding holds."""


class HandlerQuestionData(NamedTuple):
    """Data of a request whether an optional handler runs."""

    sort: str  # `handler`
    event: str
    number: int  # of the handler in the event
    members: tuple[Any, ...]  # what its binding holds


class HandlerOrderData(NamedTuple):
    """Data of a request for the order of the handlers of one owner."""

    sort: str  # `handlers`
    event: str
    handlers: tuple[ReadyHandler, ...]


class TakerQuestionData(NamedTuple):
    """Data of a request for the handler that closes the window."""

    sort: str  # `taker`
    event: str
    handlers: tuple[ReadyHandler, ...]
    may_pass: bool  # whether none is an answer


class WindowAnswer(NamedTuple):
    """What a trace records of an answer in a window."""

    sort: str
    player: int | None
    data: HandlerQuestionData | HandlerOrderData | TakerQuestionData


def run_end_block(_world: WorkingMemory, _frame: LiveFrame) -> int:
    """Block below the outermost call: ends the run."""
    return END


def push_call(world: WorkingMemory, flow: int, site: int, dest: int, given: tuple[Any, ...]) -> int:
    """Pushes the frame of a routine; its result goes to a slot of the caller, 0 for none."""
    table = world[CONTROL].tables.flows[flow]
    stack = world[STACK]
    if len(stack) > world[CONTROL].limits.depth:
        fault_too_deep(world)
    stack.append([table.entry, flow, site, dest, *given, *table.empty[len(given) :]])
    return SWITCH


def fault_too_deep(world: WorkingMemory) -> NoReturn:
    """Fault: more nested calls than a run may have."""
    raise Fault(faults.DEPTH_LIMIT, f"more than {world[CONTROL].limits.depth:,} calls inside each other")


def record_begin_or_end(world: WorkingMemory, site: int, instance: Any) -> None:
    if world[RECORD] is not None:
        world[RECORD].append((site, -1, None, instance))


MAX_UNCHARGED_CALLS = 100
"""Depth of calls up to which a request costs nothing extra."""


def fault_no_room(place: str, value: int, low: int | None, high: int | None) -> None:
    """Fault: a number would leave its bounds without an `otherwise`."""
    raise Fault(faults.NO_ROOM_FOR_AMOUNT, f"`{place}` would become {value}, outside {low}..{high}")


def fault_no_answer(prompt: str) -> None:
    """Fault: a decision without legal answer and without an `otherwise`."""
    raise Fault(faults.NO_LEGAL_ANSWER, f"there is no legal answer to `{prompt}`")


def fault_out_of_play(text: str) -> None:
    """Fault: a thing out of play should move, turn or be placed."""
    raise Fault(faults.OUT_OF_PLAY, f"`{text}` is out of play")


def fault_loop_too_long(bound: int, slot: int | None = None, head: int = 0) -> None:
    """Fault: a loop goes on at its bound; with the slot of its round count and its first block, in a frame."""
    onward = None if slot is None else Resumption(slot, bound - 1, head)
    raise Fault(faults.LOOP_TOO_LONG, f"the loop still goes on after {bound} rounds", resumption=onward)


def fault_jumped_too_often(jump_count: int, slot: int, block: int) -> None:
    """Fault: an upward jump beyond its bound; with the slot of its round count and its target."""
    message = f"this line has jumped {jump_count - 1} times, as often as it may"
    raise Fault(faults.JUMPED_TOO_OFTEN, message, resumption=Resumption(slot, jump_count - 1, block))


def charge_visits(world: WorkingMemory, steps: int, site: int | None = None) -> None:
    control, record = world[CONTROL], world[RECORD]
    control.work_left -= steps
    if control.work_left < 0 or (record is not None and control.size_left < TRACE_ENTRY_SIZE * len(record)):
        fault_work_limit(world, site)


def charge_open_calls(world: WorkingMemory, steps: int, site: int | None = None) -> None:
    """Charges so many steps per open call beyond the first hundred, where all of them are visited."""
    if len(world[STACK]) > MAX_UNCHARGED_CALLS:
        charge_visits(world, steps * (len(world[STACK]) - MAX_UNCHARGED_CALLS), site)


def fault_work_limit(world: WorkingMemory, site: int | None = None) -> None:
    """Fault: the limit of work, or of the size of all that is made."""
    control, record = world[CONTROL], world[RECORD]
    if control.size_left < (0 if record is None else TRACE_ENTRY_SIZE * len(record)):
        fault_size_limit(world)
    raise Fault(faults.WORK_LIMIT, f"more than {_describe_steps(control.limits.work)}", site=site)


def _describe_steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number:,} steps"


def fault_size_limit(world: WorkingMemory) -> None:
    raise Fault(faults.SIZE_LIMIT, f"all that the run makes has more than {world[CONTROL].limits.size:,} parts")


def start_watch(world: WorkingMemory, frame: LiveFrame, number: int) -> None:
    event, function = world[CONTROL].tables.watches[number]
    world[CONTROL].watching = [*world[CONTROL].watching, (number, frame, event, function)]


def notify_watches(world: WorkingMemory, event: str, given: tuple[Any, ...]) -> None:
    """Notifies the watches of running calls, outermost first; each once, also where one waits for a value."""
    control = world[CONTROL]
    control.told = control.told or 1
    for number, (_, frame, heard, function) in enumerate(control.watching, 1):
        if heard == event and number >= control.told:
            _notify_watch(world, frame, function, given)
            control.told = number + 1
    control.told = 0


def _notify_watch(world: WorkingMemory, frame: LiveFrame, function: Any, given: tuple[Any, ...]) -> None:
    """Runs the block of a watch; where it waits for a value it leaves nothing behind, as it begins anew."""
    names, record = [*frame], world[RECORD]
    recorded = 0 if record is None else len(record)
    try:
        function(world, frame, *given)
    except NeedsExternalValue:
        frame[:] = names
        if record is not None:
            del record[recorded:]
        raise


def report_removal(world: WorkingMemory, events: tuple[str, ...], thing: int) -> None:
    """Reports a removal that opens no window, now or at the end of `together`."""
    control = world[CONTROL]
    if control.together:
        control.removals = [*control.removals, *((event, 0, thing) for event in events)]
        return
    for event in events:
        notify_watches(world, event, (thing,))


def report_deferred_removals(world: WorkingMemory) -> None:
    """Reports the removals of an ended `together` that open no window."""
    waiting, world[CONTROL].removals = world[CONTROL].removals, []
    for event, _, thing in waiting:
        notify_watches(world, event, (thing,))


def push_settling(world: WorkingMemory) -> int:
    """Pushes a settling, and on top the windows of removals that waited for the end of `together`."""
    control = world[CONTROL]
    if world[UNSETTLED] and not world[QUIET]:
        push_call(world, control.tables.settling, 0, 0, ())
    if control.removals and not control.together:
        waiting, control.removals = control.removals, []
        for event, site, thing in reversed(waiting):
            push_call(world, control.tables.windows[event], site, 0, (thing,))
    return SWITCH


def open_removal_window(world: WorkingMemory, event: str, site: int, thing: int) -> int:
    """Opens the window of a removal, or defers it to the end of `together`."""
    control = world[CONTROL]
    if control.together:
        control.removals = [*control.removals, (event, site, thing)]
        return SWITCH
    return push_call(world, control.tables.windows[event], site, 0, (thing,))


def fault_invariant_broken(title: str, variables: tuple[Variable, ...], members: tuple[Any, ...]) -> NoReturn:
    """Fault: an invariant does not hold, for these members of its binding."""
    read = tuple((variable.name, member, variable.type) for variable, member in zip(variables, members, strict=True))
    raise Fault(faults.INVARIANT_BROKEN, f"`{title}` does not hold", read)


def fault_measure_not_lowered(rule: str) -> NoReturn:
    """Fault: the measure of a standing rule did not become smaller."""
    raise Fault(faults.MEASURE_NOT_LOWERED, f"`{rule}` fired and its measure did not become smaller")


def is_rule_held(world: WorkingMemory, rule: int) -> bool:
    """Whether a running call holds a standing rule."""
    return any(rule in rules for rules, _ in world[CONTROL].held)


# Windows.


def offer_handlers(ready: tuple[tuple[Any, ...], ...], widths: tuple[int, ...]) -> tuple[ReadyHandler, ...]:
    """Handlers that may run, as requests tell of them: with as many members as each has."""
    return tuple([(number, tuple(members[: widths[number]])) for number, _, *members in ready])


def order_by_turn(owners: tuple[int | None, ...], listed: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Owners of handlers in the order of an event, then by number, then nobody."""
    turn = {player: at for at, player in reversed(list(enumerate(listed)))}
    return tuple(sorted(owners, key=lambda each: (turn.get(each, len(turn) + 1), each is None, each or 0)))


def take_handler(handler: ReadyHandler, owner: int | None, width: int) -> tuple[Any, ...]:
    """A handler that may run, of an answer."""
    number, members = handler
    return (number, owner, *members, *(None,) * (width - len(members)))


def record_window_answer(world: WorkingMemory, frame: LiveFrame, sort: str) -> None:
    control = world[CONTROL]
    answer = WindowAnswer(sort, control.asked_player, control.asked_data)
    world[RECORD].append((frame[FRAME_SITE], -1, control.reply, answer))


# Calls: holds, and the ways out.


def leave_call(world: WorkingMemory, value: Any) -> int:
    """Ends the top call and gives its result to the caller."""
    stack = world[STACK]
    frame = stack.pop()
    released = _release_frame(world, frame)
    caller = stack[-1]
    record = world[RECORD]
    if record is not None:
        record.append((frame[FRAME_SITE], -1, value, ("return", frame[FRAME_ROUTINE])))
    if frame[FRAME_RESULT_SLOT]:
        caller[frame[FRAME_RESULT_SLOT]] = value
    if released and world[UNSETTLED] and not world[QUIET]:
        return push_settling(world)
    return SWITCH


def _release_frame(world: WorkingMemory, frame: LiveFrame) -> bool:
    control = world[CONTROL]
    if control.watching:
        control.watching = [item for item in control.watching if item[1] is not frame]
    held_by_frame = [item for item in control.held if item[1] is frame]
    if held_by_frame:
        control.held = [item for item in control.held if item[1] is not frame]
    return bool(held_by_frame)


def hold_rules(world: WorkingMemory, frame: LiveFrame, rules: tuple[int, ...]) -> None:
    world[CONTROL].held = [*world[CONTROL].held, (rules, frame)]


def check_nesting(world: WorkingMemory, site: int, bound: int) -> None:
    """Faults if a `perform` line is nested deeper than it allows."""
    charge_open_calls(world, 1)
    sites = world[CONTROL].tables.sites
    line = sites[site].node  # which stands in each range of steps that is performed
    if sum(1 for frame in world[STACK] if sites[frame[FRAME_SITE]].node is line) >= bound:
        raise Fault(faults.NESTED_TOO_DEEP, f"this line may nest {bound} deep at most")


def unwind_to_procedure(world: WorkingMemory, procedure: str, value: Any) -> int:
    """Ends the innermost running call of a procedure with all that it called; then the state settles."""
    stack, flows = world[STACK], world[CONTROL].tables.flows
    while len(stack) > 1:
        frame = stack[-1]
        flow = flows[frame[FRAME_ROUTINE]]
        if frame[FRAME_BLOCK] in flow.quiet_blocks:
            world[QUIET] -= 1
        if flow.sort == "procedure" and flow.name == procedure:
            depth = len(stack)
            leave_call(world, value)
            return SWITCH if len(stack) == depth else push_settling(world)
        if flow.sort in CALLED_SORTS and world[RECORD] is not None:
            world[RECORD].append((frame[FRAME_SITE], -1, None, ("return", frame[FRAME_ROUTINE])))
        _release_frame(world, frame)
        stack.pop()
    raise Fault(faults.NOT_RUNNING, f"`{procedure}` is not running")


def apply_external_result(world: WorkingMemory) -> Any:
    """Applies the changes of an external procedure; returns its result."""
    result, changes = world[CONTROL].reply
    places, masks = world[CONTROL].places, world[CONTROL].tables.masks
    for place, key, value in changes:
        if _write_changed_value(world, places, place, key, value):
            world[CONTROL].known.clear()
        world[UNSETTLED] |= masks.get(place, 0)
    return result


def _write_changed_value(world: WorkingMemory, places: MemoryLayout, place: str, key: Any, value: Any) -> bool:
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
