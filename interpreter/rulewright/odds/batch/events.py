"""WebAssembly for events: watches that hear of them, handlers that holders may use in their windows, what they give."""

from collections.abc import Sequence

from rulewright.odds.batch import digits, sets
from rulewright.odds.batch.members import MOST_LISTED, each_item, new_list, visited
from rulewright.odds.batch.questions import yes_or_no
from rulewright.odds.batch.settling import charged, settle
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.slots import refuse_nested, slot
from rulewright.odds.batch.writer import WORD, Body, Module, constant, held
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.roles import nodes

_ENTRY = 3
"""Words of a handler that waits in a window, behind how many do: its number, its member, its owner until their turn."""
_MOST_WAITING = 20


def trigger(body: Body, line: st.Trigger) -> None:
    """Tells of an event, lets handlers act, and takes what they give.

    Raises:
        UnfitError: handlers that are asked for in another way, or give what is not held.
    """
    program = body.module.program
    event = program.events[line.event]
    given = [slot(body, *each) for each in zip(line.arguments, [each.type for each in event.parameters], strict=True)]
    gains = None
    if line.result is not None:
        assert isinstance(line.result.type, ty.ListType)
        refuse_nested(line.result.type)
        gains = body.temporary(new_list(body))
        body.line(f"(i64.store (i32.wrap_i64 {held(gains)}) (i64.const 0))")
    happens(body, event, [body.temporary(each) for each in given], line, gains)
    settle(body)
    if line.result is not None and gains is not None:
        body.set(line.result, held(gains))


def removed(body: Body, line: st.Remove, thing: str) -> None:
    """Tells of a removal, and lets handlers act."""
    program, module = body.module.program, body.module
    events = [program.events[each] for each in line.events]
    heard = [each for each in events if _handlers(module, each) or _watches(module, each.name)]
    if not heard:
        return
    if len(events) > 1:
        raise UnfitError("several events of one removal")
    body.unless("(i32.eqz (global.get $quiet))", "a removal that others hear of, among lines that belong together")
    for each in heard:
        happens(body, each, [thing], line, None)


def happens(body: Body, event: d.Event, given: Sequence[str], line: st.Trigger | st.Remove, gains: str | None) -> None:
    """Tells watches of an event, then opens its window; what handlers finish with goes to a list."""
    module, handlers = body.module, _handlers(body.module, event)
    _tell(body, event.name, given)
    if not handlers:
        return
    if event.first_taker:
        raise UnfitError(f"one handler of `{event.name}` at most")
    space = f"(call {module.library('space')} {constant(_MOST_WAITING * _ENTRY + 1)})"
    waiting = body.temporary(space)
    body.line(f"(i64.store (i32.wrap_i64 {held(waiting)}) (i64.const 0))")
    values = " ".join(map(held, given))
    holders = constant(0)
    if event.holders is not None:
        holders = held(body.temporary(f"(call {_computed(module, event, event.holders, 'holders')} {values})"))
    for number, handler in enumerate(handlers):
        find = _finding(module, event, handler, number)
        body.line(f"(call {find} {values} {held(waiting)} {holders})")
    none_waits = f"(i64.eqz (i64.load (i32.wrap_i64 {held(waiting)})))"
    with body.inside(f"if (i32.eqz {none_waits}) (then"):
        turn = _turn(module, event, line)
        listed = constant(0) if gains is None else held(gains)
        if event.order is not None:
            order = f"(call {_computed(module, event, event.order, 'order')} {values})"
            with each_item(body, order) as player:
                body.line(f"(call {turn} {values} {held(waiting)} {listed} {held(player)})")
        with sets.each_bit(body, constant((1 << module.shapes.members(ty.PLAYER)) - 1)) as player:
            body.line(f"(call {turn} {values} {held(waiting)} {listed} {held(player)})")
    body.line(")")


def _handlers(module: Module, event: d.Event) -> list[d.Handler]:
    return [each for each in module.program.handlers.values() if each.event == event.name]


def _opened(module: Module, address: str, event: d.Event, *more: str) -> tuple[Body, tuple[str, ...]]:
    """A function that is given what an event is about, and more."""
    body = Body(module, address)
    parameters = (*(f"$v{each.index}" for each in event.parameters), *more)
    body.names.update(dict.fromkeys(parameters))
    return body, parameters


def _computed(module: Module, event: d.Event, value: ex.Expression, what: str) -> str:
    """The function of the holders or the order of an event."""

    def write(key: str) -> None:
        body, parameters = _opened(module, key, event)
        with body.attempted(f"in `{event.name}`"):
            if what == "order" and not isinstance(value.type, ty.ListType):
                raise UnfitError(f"an order of the type {value.type}")
            body.line(f"(return {body.value(value)})")
        body.line("(unreachable)")
        body.written(key, parameters)

    return module.function(f"{what} {event.name}", write)


def _finding(module: Module, event: d.Event, handler: d.Handler, number: int) -> str:
    """The function that lists whom a handler qualifies for, with their owners."""

    def write(key: str) -> None:
        body, parameters = _opened(module, f"handler {handler.name}", event, "$waiting", "$holders")
        with body.attempted(f"in `{handler.name}`"):
            (variable,) = handler.binding.variables if len(handler.binding.variables) == 1 else (None,)
            if variable is None or not isinstance(variable.type, ty.ThingType):
                raise UnfitError("a handler of several things at once")
            with visited(body, handler.binding) as member:
                qualifies = "(i32.const 1)" if handler.guard is None else body.test(handler.guard)
                if event.holders is not None:
                    item = getattr(event.holders.type, "item", ty.NoneType())
                    among = sets.has(module, item, "(local.get $holders)", held(member))
                    qualifies = f"(if (result i32) {among} (then {qualifies}) (else (i32.const 0)))"
                with body.inside(f"if {qualifies} (then"):
                    _waits(body, number, member, _owner(module, variable.type.kind, member))
                body.line(")")
        body.written(key, parameters, "")

    return module.function(f"finding {handler.name}", write)


def _owner(module: Module, kind: str, member: str) -> str:
    if f"{kind}/owner" not in digits.places(module).columns:
        return held(member)
    owners = digits.column(module, kind, "owner")
    return f"(i64.load offset={owners} (i32.shl (i32.wrap_i64 {held(member)}) (i32.const 3)))"


def _waits(body: Body, number: int, member: str, owner: str) -> None:
    count = body.temporary("(i64.load (i32.wrap_i64 (local.get $waiting)))")
    body.unless(f"(i64.lt_u {held(count)} {constant(_MOST_WAITING)})", "very many handlers")
    at = body.temporary(f"(i64.add (local.get $waiting) (i64.mul {held(count)} {constant(_ENTRY * WORD)}))")
    place = f"(i32.wrap_i64 {held(at)})"
    body.line(f"(i64.store offset={WORD} {place} {constant(number)})")
    body.line(f"(i64.store offset={2 * WORD} {place} {held(member)})")
    body.line(f"(i64.store offset={3 * WORD} {place} {owner})")
    body.unless(f"(i64.ge_s {owner} (i64.const 0))", "a handler of somebody whom nobody owns")
    body.line(f"(i64.store (i32.wrap_i64 (local.get $waiting)) (i64.add {held(count)} (i64.const 1)))")


def _turn(module: Module, event: d.Event, line: st.Trigger | st.Remove) -> str:
    """The function of a player's turn in the window that a line opens: the one handler of theirs that waits."""

    def write(key: str) -> None:
        body, parameters = _opened(module, key, event, "$waiting", "$gains", "$player")
        at, found = body.temporary("(local.get $waiting)"), body.temporary(constant(0))
        end = f"(i64.mul (i64.load (i32.wrap_i64 (local.get $waiting))) {constant(_ENTRY * WORD)})"
        last = body.temporary(f"(i64.add {held(at)} {end})")
        with body.until(f"(i64.ge_u {held(at)} {held(last)})"):
            owner = f"(i64.load offset={3 * WORD} (i32.wrap_i64 {held(at)}))"
            with body.inside(f"if (i64.eq {owner} (local.get $player)) (then"):
                body.unless(f"(i64.eqz {held(found)})", "several handlers of one player at once")
                body.line(f"(local.set {found} {held(at)})")
            body.line(f") (local.set {at} (i64.add {held(at)} {constant(_ENTRY * WORD)}))")
        body.line(f"(if (i64.eqz {held(found)}) (then (return)))")
        place = f"(i32.wrap_i64 {held(found)})"
        body.line(f"(i64.store offset={3 * WORD} {place} (i64.const -1))")
        settle(body)
        given = " ".join(f"(local.get {each})" for each in parameters[: len(event.parameters)])
        for number, handler in enumerate(_handlers(module, event)):
            is_it = f"(i64.eq (i64.load offset={WORD} {place}) {constant(number)})"
            with body.inside(f"if {is_it} (then"), body.attempted(f"in `{handler.name}`"):
                answer = body.temporary(constant(1))
                if handler.optional:
                    yes_or_no(body, line.address, answer)
                member = f"(i64.load offset={2 * WORD} {place})"
                call = f"(call {_acting(module, event, handler)} {given} {member} (local.get $gains))"
                body.line(f"(if (i32.wrap_i64 {held(answer)}) (then {call}))")
            body.line(")")
        body.written(key, parameters, "")

    return module.function(f"window {event.name} {line.address} {line.span}", write)


def _acting(module: Module, event: d.Event, handler: d.Handler) -> str:
    """The function of what a handler does, where it still qualifies; what it gives goes to a list."""

    def write(key: str) -> None:
        (variable,) = handler.binding.variables
        assert variable is not None
        body, parameters = _opened(module, f"handler {handler.name}", event, f"$v{variable.index}", "$gains")
        body.names["$result"] = None
        charged(body, handler)
        body.line(f"(local.set $result {constant(NONE)})")
        if isinstance(event.gives, ty.OptionalType):
            body.line(body.given_back("handlers that may give none"))
        with body.attempted(f"in `{handler.name}`"), body.inside(f"block {body.ends}"):
            if handler.guard is not None:
                body.line(f"(br_if {body.ends} (i32.eqz {body.test(handler.guard)}))")
            body.block(handler.block)
        gains = "(i32.wrap_i64 (local.get $gains))"
        gives = f"(i64.ne (local.get $result) {constant(NONE)})"
        with body.inside(f"if (i32.and {gives} (i64.ne (local.get $gains) (i64.const 0))) (then"):
            body.unless(f"(i64.lt_u (i64.load {gains}) {constant(MOST_LISTED)})", "a long list")
            body.line(f"(i64.store {gains} (i64.add (i64.load {gains}) (i64.const 1)))")
            end = f"(i64.add (local.get $gains) (i64.shl (i64.load {gains}) (i64.const 3)))"
            body.line(f"(i64.store (i32.wrap_i64 {end}) (local.get $result))")
        body.line(")")
        body.written(key, parameters, "")

    return module.function(f"handler {handler.name}", write)


# Watches.


def _tell(body: Body, event: str, given: Sequence[str]) -> None:
    watches = _watches(body.module, event)
    if len(watches) > 1:
        heard = "(i32.const 0)"
        for _, each in watches:
            heard = f"(i32.add {heard} (global.get {hears(body.module, each)}))"
        body.unless(f"(i32.le_s {heard} (i32.const 1))", "several watches at once")
    for procedure, each in watches:
        called = f"(call {_watching(body.module, procedure, each)} {' '.join(map(held, given))})"
        body.line(f"(if (global.get {hears(body.module, each)}) (then {called}))")


def _watches(module: Module, event: str) -> list[tuple[d.Procedure, d.Watch]]:
    return [
        (procedure, each)
        for procedure in module.program.procedures.values()
        for each in procedure.opening
        if isinstance(each, d.Watch) and each.event == event
    ]


def hears(module: Module, watch: d.Watch) -> str:
    """The global that says whether a watch hears."""
    return module.counter(f"watch {watch.address} {watch.span}")


def watch(body: Body, watch: d.Watch, procedure: d.Procedure) -> None:
    """Lets a watch hear from now on."""
    global_ = hears(body.module, watch)
    body.unless(f"(i32.eqz (global.get {global_}))", "a procedure that watches, inside itself")
    body.line(f"(global.set {global_} (i32.const 1))")
    _watching(body.module, procedure, watch)


def _watching(module: Module, procedure: d.Procedure, watch: d.Watch) -> str:
    """The function of a watch: its procedure's names lie in memory."""

    def write(key: str) -> None:
        body = Body(module, procedure.name)
        parameters = tuple(f"$p{each.index}" for each in watch.parameters)
        body.names.update(dict.fromkeys(parameters))
        body.kept = kept(module, procedure, [each for each in procedure.opening if isinstance(each, d.Watch)])
        with body.attempted(f"at `{watch.address}`"), body.inside(f"block {body.ends}"):
            for each, given in zip(watch.parameters, parameters, strict=True):
                body.set(each, held(given))
            if watch.guard is not None:
                body.line(f"(br_if {body.ends} (i32.eqz {body.test(watch.guard)}))")
            body.block(watch.block)
        body.written(key, parameters, "")

    return module.function(f"watch {watch.address} {watch.span}", write)


def kept(module: Module, procedure: d.Procedure, watches: Sequence[d.Watch]) -> dict[int, int]:
    """The variables of a procedure that its watches read or change: they lie in memory."""
    inside = [node for each in watches for node in nodes(each)]
    used = {each.variable.index for each in inside if isinstance(each, ex.Local | st.VariablePlace)}
    return {each: module.place((procedure.name, each), lambda: [NONE], written=True) for each in sorted(used)}
