"""Events: watches, invariants, standing rules, windows of handlers; and the ends of calls.

The engine has frames of its own: their routine is one of `BOTTOM_FRAME` to `JUDGING_FRAME`, and their slots from
`FIRST_SLOT` on are declared here.
"""

from typing import Any, NamedTuple, NoReturn

from rulewright.runtime import faults
from rulewright.runtime.faults import Fault, Resumption
from rulewright.runtime.flow_graph import FIRST_SLOT, FRAME_RESULT_SLOT, FRAME_ROUTINE, FRAME_SITE
from rulewright.runtime.state import PendingRequest
from rulewright.runtime.working_memory import (
    CONTROL,
    QUIET,
    RECORD,
    STACK,
    TRACE_ENTRY_SIZE,
    UNSETTLED,
    EventTable,
    InvariantTable,
    MemoryLayout,
    RuleTable,
    WorkingMemory,
)

SWITCH, PAUSE, END = -1, -2, -3
"""What a block returns instead of the number of the next: go on with the top frame, ask, end the run."""
END_BLOCK, SETTLE_BLOCK, WINDOW_BLOCK, JUDGE_BLOCK, RESERVED_BLOCKS = 0, 1, 2, 3, 4
"""Numbers of the blocks of the engine; those of the rules begin at `RESERVED_BLOCKS`."""
BOTTOM_FRAME, SETTLING_FRAME, WINDOW_FRAME, JUDGING_FRAME = -1, -2, -3, -4
"""Routines of the frames of the engine."""
RESULT_SLOT = FIRST_SLOT
"""Slot of the bottom frame for the result of the outermost call."""
SETTLING_RULE, SETTLING_MEASURES = range(FIRST_SLOT, FIRST_SLOT + 2)
"""Slots of a settling: number of the firing rule, or none; the measures of all rules before it fired."""
WINDOW_EVENT, WINDOW_ARGUMENTS, WINDOW_GAINS, WINDOW_OWNERS, WINDOW_QUEUE, WINDOW_STAGE, WINDOW_OWNER = range(
    FIRST_SLOT, FIRST_SLOT + 7
)
"""Slots of a window.

The event, its arguments and the results of the handlers run; the owners still to come with their handlers, and the
queue of handlers of the current owner, each handler as `(number, members)`; the stage (`open`, `told`, `next`, `taker`,
`order`, `optional` or `run`), and the current owner.
"""

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


def push_window(world: WorkingMemory, event: str, site: int, dest: int, given: tuple[Any, ...]) -> None:
    """Pushes the frame of a window; its gains go to a slot of the caller, 0 for none."""
    if len(world[STACK]) > world[CONTROL].limits.depth:
        fault_too_deep(world)
    world[STACK].append([WINDOW_BLOCK, WINDOW_FRAME, site, dest, event, given, (), None, (), "open", None])


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
    """Notifies the watches of running calls, outermost first."""
    for _, frame, heard, function in world[CONTROL].watching:
        if heard == event:
            function(world, frame, *given)


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


def run_judge_block(world: WorkingMemory, _frame: LiveFrame) -> int:
    judge_invariants(world)
    world[STACK].pop()
    return SWITCH


def judge_invariants(world: WorkingMemory) -> None:
    """Judges the invariants that may be broken, outside holds."""
    control = world[CONTROL]
    if control.held or not world[UNSETTLED]:
        return
    for invariant in control.tables.invariants:
        if world[UNSETTLED] & invariant.bit:
            broken = invariant.find_broken(world)
            if broken is not None:
                fault_invariant_broken(invariant, broken)
            world[UNSETTLED] ^= invariant.bit


def push_settling(world: WorkingMemory) -> int:
    """Pushes a settling, and on top the windows of removals that waited for the end of `together`."""
    control = world[CONTROL]
    if world[UNSETTLED] and not world[QUIET]:
        world[STACK].append([SETTLE_BLOCK, SETTLING_FRAME, 0, 0, None, None])
    if control.removals and not control.together:
        waiting, control.removals = control.removals, []
        for event, site, thing in reversed(waiting):
            push_window(world, event, site, 0, (thing,))
    return SWITCH


def fault_invariant_broken(invariant: InvariantTable, members: tuple[Any, ...]) -> NoReturn:
    """Fault: an invariant does not hold, for these members of its binding."""
    read = tuple(
        (variable.name, member, variable.type) for variable, member in zip(invariant.variables, members, strict=True)
    )
    raise Fault(faults.INVARIANT_BROKEN, f"`{invariant.title}` does not hold", read, invariant.site)


def settle_rules(world: WorkingMemory) -> None:
    """Settles when every standing rule is a plain function."""
    rules, held_rules = world[CONTROL].tables.rules, world[CONTROL].held
    tried = True
    while tried:
        tried = False
        for rule in rules:
            if world[UNSETTLED] & rule.bit and not (held_rules and _is_rule_held(world, rule)):
                result = rule.find(world)
                if result is not None:
                    _fire_rule(world, rule, result)
                    tried = True
                    break
                world[UNSETTLED] ^= rule.bit
    if world[UNSETTLED] and not held_rules:
        judge_invariants(world)


def can_settle(world: WorkingMemory) -> bool:
    """Whether a settling can do anything: held rules stay unsettled until released."""
    if not world[CONTROL].held:
        return bool(world[UNSETTLED])
    return any(world[UNSETTLED] & rule.bit and not _is_rule_held(world, rule) for rule in world[CONTROL].tables.rules)


def _is_rule_held(world: WorkingMemory, rule: RuleTable) -> bool:
    held_rules = world[CONTROL].held
    return bool(held_rules) and any(rule.number in rules for rules, _ in held_rules)


def _fire_rule(world: WorkingMemory, rule: RuleTable, instance: tuple[Any, ...]) -> None:
    before = _compute_measures(world)
    world[QUIET] += 1
    record_begin_or_end(world, rule.site, instance)
    rule.plain(world, *instance)  # type: ignore[misc]
    record_begin_or_end(world, rule.site + 1, instance)
    world[QUIET] -= 1
    _require_lower_measure(world, rule, before)


def _compute_measures(world: WorkingMemory) -> tuple[int, ...]:
    record = world[RECORD]
    length = 0 if record is None else len(record)
    measures = tuple(rule.lowers(world) for rule in world[CONTROL].tables.rules)
    if record is not None:
        del record[length:]
    return measures


def _require_lower_measure(world: WorkingMemory, rule: RuleTable, before: tuple[int, ...]) -> None:
    after = _compute_measures(world)
    if not after < before or min(after) < 0:
        raise Fault(
            faults.MEASURE_NOT_LOWERED, f"`{rule.name}` fired and its measure did not become smaller", site=rule.site
        )


def run_settle_block(world: WorkingMemory, frame: LiveFrame) -> int:
    """Settles when a standing rule may suspend: one firing at a time."""
    control = world[CONTROL]
    if frame[SETTLING_RULE] is not None:
        world[QUIET] -= 1
        rule = control.tables.rules[frame[SETTLING_RULE]]
        frame[SETTLING_RULE] = None
        _require_lower_measure(world, rule, frame[SETTLING_MEASURES])
    for number, rule in enumerate(control.tables.rules):
        if not world[UNSETTLED] & rule.bit or _is_rule_held(world, rule):
            continue
        result = rule.find(world)
        if result is None:
            world[UNSETTLED] &= ~rule.bit
        elif rule.plain is not None:
            _fire_rule(world, rule, result)
            return SWITCH
        else:
            frame[SETTLING_MEASURES] = _compute_measures(world)
            frame[SETTLING_RULE] = number
            world[QUIET] += 1
            record_begin_or_end(world, rule.site, result)
            return push_call(world, rule.flow, rule.site, 0, result)
    judge_invariants(world)
    world[STACK].pop()
    return SWITCH


def open_window(world: WorkingMemory, event: str, site: int, dest: int, given: tuple[Any, ...]) -> int:
    """Pushes the window of an event; `run_window_block` notifies its watches first."""
    push_window(world, event, site, dest, given)
    return SWITCH


def open_removal_windows(world: WorkingMemory, events: tuple[str, ...], site: int) -> int:
    """Triggers the events of a removal, or defers them to the end of `together`."""
    control = world[CONTROL]
    lost, control.lost = control.lost, None
    if lost is None:
        return SWITCH
    if control.together:
        control.removals = [*control.removals, *((event, site, lost) for event in events)]
        return SWITCH
    for event in reversed(events):
        push_window(world, event, site, 0, (lost,))
    return SWITCH


def run_window_block(world: WorkingMemory, frame: LiveFrame) -> int:
    """Advances a window: collect, order, ask, run, one handler at a time."""
    control = world[CONTROL]
    table = control.tables.events[frame[WINDOW_EVENT]]
    match frame[WINDOW_STAGE]:
        case "open":
            notify_watches(world, frame[WINDOW_EVENT], frame[WINDOW_ARGUMENTS])
            frame[WINDOW_STAGE] = "told"
            return run_window_block(world, frame)
        case "told":
            frame[WINDOW_OWNERS] = _collect_handlers(world, table, frame[WINDOW_ARGUMENTS])
            frame[WINDOW_STAGE] = "next"
        case "taker":
            _take_handler(frame, control.reply)
            _record_window_answer(world, frame, "taker")
        case "order":
            frame[WINDOW_QUEUE] = tuple(control.reply)
            frame[WINDOW_STAGE] = "next"
            _record_window_answer(world, frame, "handlers")
        case "optional":
            if table.first_taker:
                _take_handler(frame, frame[WINDOW_QUEUE][0] if control.reply else None)
            else:
                frame[WINDOW_STAGE] = "run" if control.reply else "next"
                frame[WINDOW_QUEUE] = frame[WINDOW_QUEUE] if control.reply else frame[WINDOW_QUEUE][1:]
            _record_window_answer(world, frame, "handler")
    if frame[WINDOW_STAGE] == "run":
        return _run_first_handler(world, frame, table)
    if not world[QUIET] and can_settle(world):
        return push_settling(world)
    return _offer_next_player(world, frame, table) if table.first_taker else _offer_next_handler(world, frame, table)


def _take_handler(frame: LiveFrame, handler: Any) -> None:
    frame[WINDOW_QUEUE] = () if handler is None else (handler,)
    frame[WINDOW_OWNERS] = frame[WINDOW_OWNERS] if handler is None else ()
    frame[WINDOW_STAGE] = "next" if handler is None else "run"


def _offer_next_player(world: WorkingMemory, frame: LiveFrame, table: EventTable) -> int:
    control = world[CONTROL]
    while frame[WINDOW_OWNERS]:
        owner, group = frame[WINDOW_OWNERS][0]
        able = tuple(item for item in group if table.handlers[item[0]].judge(world, *frame[WINDOW_ARGUMENTS], *item[1]))
        frame[WINDOW_OWNERS], frame[WINDOW_QUEUE], frame[WINDOW_OWNER] = frame[WINDOW_OWNERS][1:], able, owner
        free = all(table.handlers[number].optional for number, _ in able)
        if len(able) > 1 or (control.limits.forced and not (able and free)):
            frame[WINDOW_STAGE] = "taker"
            control.pending = PendingRequest(
                frame[FRAME_SITE], owner, TakerQuestionData("taker", frame[WINDOW_EVENT], able, free)
            )
            return PAUSE
        if able and free:
            frame[WINDOW_STAGE] = "optional"
            control.pending = PendingRequest(
                frame[FRAME_SITE], owner, HandlerQuestionData("handler", frame[WINDOW_EVENT], *able[0])
            )
            return PAUSE
        if able:
            _take_handler(frame, able[0])
            return _run_first_handler(world, frame, table)
    return _close_window(world, frame)


def _collect_handlers(world: WorkingMemory, table: EventTable, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Qualifying handlers by owner in the order of the event: `(owner, ((handler, members), …))`."""
    groups: dict[int | None, list[Any]] = {}
    for number, handler in enumerate(table.handlers):
        for _, owner, *members in handler.ready(world, *given):
            groups.setdefault(owner, []).append((number, tuple(members[: handler.width])))
    listed = () if table.order is None else table.order(world, *given)
    turn = {player: at for at, player in reversed(list(enumerate(listed)))}
    players = sorted(groups, key=lambda player: (turn.get(player, len(turn) + 1), player is None, player or 0))
    return tuple((player, tuple(groups[player])) for player in players)


def _offer_next_handler(world: WorkingMemory, frame: LiveFrame, table: EventTable) -> int:
    control = world[CONTROL]
    if not frame[WINDOW_QUEUE]:
        if not frame[WINDOW_OWNERS]:
            return _close_window(world, frame)
        (frame[WINDOW_OWNER], frame[WINDOW_QUEUE]), *rest = frame[WINDOW_OWNERS]
        frame[WINDOW_OWNERS] = tuple(rest)
        if len(frame[WINDOW_QUEUE]) > 1 or control.limits.forced:
            frame[WINDOW_STAGE] = "order"
            control.pending = PendingRequest(
                frame[FRAME_SITE],
                frame[WINDOW_OWNER],
                HandlerOrderData("handlers", frame[WINDOW_EVENT], frame[WINDOW_QUEUE]),
            )
            return PAUSE
    number, members = frame[WINDOW_QUEUE][0]
    handler = table.handlers[number]
    if handler.optional and handler.judge(world, *frame[WINDOW_ARGUMENTS], *members):
        frame[WINDOW_STAGE] = "optional"
        control.pending = PendingRequest(
            frame[FRAME_SITE], frame[WINDOW_OWNER], HandlerQuestionData("handler", frame[WINDOW_EVENT], number, members)
        )
        return PAUSE
    return _run_first_handler(world, frame, table)


def _run_first_handler(world: WorkingMemory, frame: LiveFrame, table: EventTable) -> int:
    (number, members), *rest = frame[WINDOW_QUEUE]
    handler = table.handlers[number]
    holds = handler.judge(world, *frame[WINDOW_ARGUMENTS], *members)
    frame[WINDOW_QUEUE], frame[WINDOW_STAGE] = tuple(rest), "next"
    if not holds:
        return SWITCH
    record_begin_or_end(world, handler.site, (*frame[WINDOW_ARGUMENTS], *members))
    if handler.plain is None:
        return push_call(world, handler.flow, handler.site, 0, (*frame[WINDOW_ARGUMENTS], *members))
    value = handler.plain(world, *frame[WINDOW_ARGUMENTS], *members)
    if value is not None:
        frame[WINDOW_GAINS] = (*frame[WINDOW_GAINS], value[0])
    record_begin_or_end(world, handler.site + 1, None)
    return SWITCH


def _record_window_answer(world: WorkingMemory, frame: LiveFrame, sort: str) -> None:
    if world[RECORD] is not None:
        world[RECORD].append(
            (
                frame[FRAME_SITE],
                -1,
                world[CONTROL].reply,
                WindowAnswer(sort, world[CONTROL].asked_player, world[CONTROL].asked_data),
            )
        )


def _close_window(world: WorkingMemory, frame: LiveFrame) -> int:
    stack = world[STACK]
    stack.pop()
    if frame[FRAME_RESULT_SLOT]:
        stack[-1][frame[FRAME_RESULT_SLOT]] = frame[WINDOW_GAINS]
    return SWITCH


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
    if caller[FRAME_ROUTINE] == WINDOW_FRAME:
        if value is not None:
            caller[WINDOW_GAINS] = (*caller[WINDOW_GAINS], value[0])
    elif frame[FRAME_RESULT_SLOT]:
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
    if sum(1 for frame in world[STACK] if frame[FRAME_SITE] == site) >= bound:
        raise Fault(faults.NESTED_TOO_DEEP, f"this line may nest {bound} deep at most")


def unwind_to_procedure(world: WorkingMemory, procedure: str, value: Any) -> int:
    """Ends the innermost running call of a procedure with all that it called; then the state settles."""
    stack, flows = world[STACK], world[CONTROL].tables.flows
    while len(stack) > 1:
        frame = stack[-1]
        if (
            frame[FRAME_ROUTINE] >= 0
            and flows[frame[FRAME_ROUTINE]].sort == "procedure"
            and flows[frame[FRAME_ROUTINE]].name == procedure
        ):
            result = leave_call(world, value)
            if (
                result == SWITCH
                and world[UNSETTLED]
                and not world[QUIET]
                and world[STACK][-1][FRAME_ROUTINE] != SETTLING_FRAME
            ):
                return push_settling(world)
            return SWITCH
        if frame[FRAME_ROUTINE] == SETTLING_FRAME and frame[SETTLING_RULE] is not None:
            world[QUIET] -= 1
        if frame[FRAME_ROUTINE] >= 0 and world[RECORD] is not None:
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
