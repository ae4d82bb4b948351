"""Lowering of events to windows: routines that run the handlers of an event, by the players whose they are.

A handler that may run is a tuple: its number in the event, its owner, and its members, none behind the last.
"""

from collections.abc import Callable

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression
from rulewright.program.core.lower_expressions import (
    ExpressionLowering,
    get_thing_kind,
    make_conjunction,
    make_flag,
    make_get,
    make_members,
    make_none,
    make_number,
    make_op,
    make_size,
    make_test,
)
from rulewright.program.core.lower_functions import make_local_place
from rulewright.program.declarations import Program
from rulewright.program.expressions import Variable
from rulewright.program.types import FLAG, PLAYER, WHOLE, ListType, OptionalType, SetType, TupleType

_OWNERS_LOOP, _GROUP_LOOP = 1, 2
_NUMBER, _OWNER, _MEMBERS = 0, 1, 2
"""Positions in the tuple of a handler that may run; members follow from the last on."""


def list_handlers(program: Program, event: d.Event) -> list[d.Handler]:
    """Handlers of an event, in the order of the file."""
    return [handler for handler in program.handlers.values() if handler.event == event.name]


def opens_window(program: Program, event: d.Event) -> bool:
    """Whether an event has a window: it has handlers, or is of removals that watches hear of between what may stop.

    At the end of `together` they hear of one removal after another, and may wait for the window of another or a value.
    """
    if list_handlers(program, event):
        return True
    others = (other for other in program.events.values() if other.on_removal)
    may_stop = bool(program.external_terms) or any(list_handlers(program, other) for other in others)
    return event.on_removal and may_stop and event.name in _list_watched_events(program)


def _list_watched_events(program: Program) -> set[str]:
    openings = (part for procedure in program.procedures.values() for part in procedure.opening)
    return {part.event for part in openings if isinstance(part, d.Watch)}


def _list_members(handler: d.Handler) -> tuple[Variable, ...]:
    return tuple(variable for variable in handler.binding.variables if variable is not None)


def _ready_type(program: Program, event: d.Event) -> TupleType:
    handlers = list_handlers(program, event)
    width = max(len(_list_members(handler)) for handler in handlers)
    return TupleType((WHOLE, PLAYER, *(OptionalType(PLAYER),) * width))


def lower_search_of_handler(program: Program, handler: d.Handler) -> core.Routine:
    """`ready:NAME`: a handler of an event as it may run, for each of its members in order."""
    event = program.events[handler.event]
    given = handler.variables[: len(event.parameters)]
    variables = {
        node.index: node for node in walk_nodes((handler.binding, handler.guard)) if isinstance(node, Variable)
    }
    lowering = ExpressionLowering(program, [*given, *variables.values()])
    binding, ready_type = handler.binding, _ready_type(program, event)
    arguments = tuple(make_get(lowering.get_local(variable), handler) for variable in given)
    members = tuple(make_get(lowering.get_local(variable), handler) for variable in _list_members(handler))
    guard = core.Apply(f"guard:{handler.name}", (*arguments, *members), type=FLAG, origin=handler)
    tests: list[Expression] = [guard] if binding.where is None else [lowering.lower(binding.where), guard]
    holders = None
    if event.holders is not None:
        holders = lowering.new_temporary(event.holders.type)
        tests.append(make_test("in", members[0], make_members(make_get(holders, handler)), origin=handler))
    width = len(ready_type.parts) - _MEMBERS - len(members)
    number = list_handlers(program, event).index(handler)
    ready = (make_number(number, handler), _find_owner(handler, members[0]), *members, *(make_none(handler),) * width)
    result: Expression = core.Over(
        lowering.bind_names(binding),
        lowering.lower_members(binding.source),
        make_conjunction(tests, handler),
        "list",
        core.Op("tuple", ready, type=ready_type, origin=handler),
        type=ListType(ready_type),
        origin=handler,
    )
    if holders is not None:
        held = core.Apply(f"holders:{event.name}", arguments, type=holders.type, origin=event)
        result = core.Bind(holders, held, result, type=result.type, origin=handler)
    parameters = tuple(lowering.get_local(variable) for variable in given)
    returned = (core.Return(result, origin=handler),)
    return core.Routine(
        f"ready:{handler.name}",
        "function",
        parameters,
        lowering.list_locals(),
        returned,
        (),
        ListType(ready_type),
        origin=handler,
    )


def _find_owner(handler: d.Handler, member: Expression) -> Expression:
    kind = get_thing_kind(_list_members(handler)[0].type)
    if kind == PLAYER.kind:
        return member
    return core.Load(core.Attribute(kind, "owner", member), type=PLAYER, origin=handler)


def lower_window(program: Program, event: d.Event, *, settles: bool) -> core.Routine:
    """`window:NAME`, which gives the list of what its handlers finished with."""
    if list_handlers(program, event):
        return _WindowLowering(program, event, settles=settles).lower_window()
    names, gives = ExpressionLowering(program, event.parameters), ListType(event.gives or WHOLE)
    nothing = core.Return(core.Op("list", (), type=gives, origin=event), origin=event)
    parameters = tuple(names.get_local(parameter) for parameter in event.parameters)
    return core.Routine(
        f"window:{event.name}", "window", parameters, names.list_locals(), (nothing,), (), gives, origin=event
    )


class _WindowLowering:
    def __init__(self, program: Program, event: d.Event, *, settles: bool) -> None:
        self._event = event
        self._handlers = list_handlers(program, event)
        self._settles = settles
        self._names = ExpressionLowering(program, event.parameters)
        self._arguments = tuple(self._get(self._names.get_local(parameter)) for parameter in event.parameters)
        self._ready_type = _ready_type(program, event)
        self._gains_type = ListType(event.gives or WHOLE)
        self._gains = self._names.new_temporary(self._gains_type)
        self._gain = self._names.new_temporary(OptionalType(TupleType((self._gains_type.item,))))
        self._owner = self._names.new_temporary(PLAYER)
        self._group = self._names.new_temporary(ListType(self._ready_type))
        self._ready = self._names.new_temporary(OptionalType(self._ready_type))

    def lower_window(self) -> core.Routine:
        waiting = self._names.new_temporary(ListType(self._ready_type))
        owners = self._names.new_temporary(ListType(PLAYER))
        offered = self._let_player_take() if self._event.first_taker else self._run_group()
        body = (self._set(self._group, self._list_group(waiting)), *offered)
        block = (
            self._set(self._gains, core.Op("list", (), type=self._gains_type, origin=self._event)),
            self._set(waiting, self._find_ready()),
            self._set(owners, self._list_owners(waiting)),
            core.For((self._owner,), self._get(owners), body, _OWNERS_LOOP, origin=self._event),
            core.Return(self._get(self._gains), origin=self._event),
        )
        parameters = tuple(self._names.get_local(parameter) for parameter in self._event.parameters)
        return core.Routine(
            f"window:{self._event.name}",
            "window",
            parameters,
            self._names.list_locals(),
            block,
            (),
            self._gains_type,
            origin=self._event,
        )

    # Small parts.

    def _get(self, local: core.Local) -> core.Get:
        return make_get(local, self._event)

    def _set(self, local: core.Local, value: Expression) -> core.Set:
        return core.Set(make_local_place(local), value, origin=self._event)

    def _part(self, ready: core.Local, position: int, type_: core.CoreType) -> core.Op:
        return make_op("part", self._get(ready), type_=type_, origin=self._event, facts=(position,))

    def _is_number(self, ready: core.Local, number: int) -> Expression:
        which = self._part(ready, _NUMBER, WHOLE)
        return make_test("equal", which, make_number(number, self._event), origin=self._event)

    def _has_size(self, members: core.Local, number: int) -> Expression:
        size = make_size(self._get(members), self._event)
        return make_test("equal", size, make_number(number, self._event), origin=self._event)

    def _by_handler(self, of: Callable[[int], core.Block]) -> core.Block:
        """What is done with the handler that may run, by its number."""
        block = of(len(self._handlers) - 1)
        for number in reversed(range(len(self._handlers) - 1)):
            block = (core.If(self._is_number(self._ready, number), of(number), block, origin=self._event),)
        return block

    def _test_by_handler(self, ready: core.Local, of: Callable[[int], Expression]) -> Expression:
        result = of(len(self._handlers) - 1)
        for number in reversed(range(len(self._handlers) - 1)):
            result = core.Cond(self._is_number(ready, number), of(number), result, type=FLAG, origin=self._event)
        return result

    def _arguments_of(self, number: int, ready: core.Local) -> tuple[Expression, ...]:
        members = _list_members(self._handlers[number])
        parts = (self._part(ready, _MEMBERS + at, variable.type) for at, variable in enumerate(members))
        return (*self._arguments, *parts)

    def _test_guard(self, number: int, ready: core.Local) -> core.Apply:
        handler = self._handlers[number]
        arguments = self._arguments_of(number, ready)
        return core.Apply(f"guard:{handler.name}", arguments, type=FLAG, origin=handler)

    # Who has a handler that may run, and in which order.

    def _find_ready(self) -> Expression:
        found = [
            core.Apply(f"ready:{handler.name}", self._arguments, type=self._group.type, origin=handler)
            for handler in self._handlers
        ]
        result: Expression = found[0]
        for each in found[1:]:
            result = make_op("joined", result, each, type_=self._group.type, origin=self._event)
        return result

    def _list_owners(self, waiting: core.Local) -> core.Op:
        event, each = self._event, self._names.new_temporary(self._ready_type)
        owner = self._part(each, _OWNER, PLAYER)
        owners = core.Over((each,), self._get(waiting), None, "set", owner, type=SetType(PLAYER), origin=event)
        listed: Expression = core.Const((), type=ListType(PLAYER), origin=event)
        if event.order is not None:
            listed = core.Apply(f"order:{event.name}", self._arguments, type=event.order.type, origin=event)
        return make_op("turn order", owners, make_members(listed), type_=ListType(PLAYER), origin=event)

    def _list_group(self, waiting: core.Local) -> core.Over:
        each = self._names.new_temporary(self._ready_type)
        is_owner = make_test("equal", self._part(each, _OWNER, PLAYER), self._get(self._owner), origin=self._event)
        return self._filter(each, waiting, is_owner)

    def _filter(self, each: core.Local, members: core.Local, test: Expression) -> core.Over:
        type_ = self._group.type
        return core.Over((each,), self._get(members), test, "list", None, type=type_, origin=self._event)

    # Handlers in turn.

    def _run_group(self) -> core.Block:
        """The handlers of one player, in the order that the player gives them."""
        order = self._names.new_temporary(self._group.type)
        items = core.Orders(self._get(self._group))
        asked = core.Ask(self._get(self._owner), items, (), order, (), (), origin=self._event)
        body = self._by_handler(self._offer)
        return (asked, core.For((self._ready,), self._get(order), body, _GROUP_LOOP, origin=self._event))

    def _offer(self, number: int) -> core.Block:
        """A handler tested again, asked for where it is optional, and run."""
        handler, run = self._handlers[number], self._run(number)
        offered = (self._ask_whether(handler, run),) if handler.optional else run
        return (core.If(self._test_guard(number, self._ready), offered, origin=handler),)

    def _ask_whether(self, handler: d.Handler, run: core.Block) -> core.Ask:
        answer = self._names.new_temporary(FLAG)
        choices = tuple(core.Choice(make_flag(handler, value=value), None) for value in (True, False))
        then = (core.If(make_get(answer, handler), run, origin=handler),)
        owner = make_get(self._owner, handler)
        ready = self._get(self._ready)
        return core.Ask(owner, core.Listed(choices), (), answer, then, (), subject=ready, origin=handler)

    def _run(self, number: int) -> core.Block:
        handler = self._handlers[number]
        arguments = self._arguments_of(number, self._ready)
        call = core.Call(f"handler:{handler.name}", arguments, self._gain, origin=handler)
        gain = self._part(self._gain, 0, self._gains_type.item)
        more = make_op("appended", self._get(self._gains), gain, type_=self._gains_type, origin=handler)
        nothing = make_test("equal", self._get(self._gain), make_none(handler), origin=handler)
        gained = core.If(nothing, (), (self._set(self._gains, more),), origin=handler)
        settled: core.Block = (core.Settle(origin=handler),) if self._settles else ()
        return (call, gained, *settled)

    # The first taker.

    def _let_player_take(self) -> core.Block:
        """One player takes a handler, or passes where all are optional; the handler that runs ends the window."""
        each, able = self._names.new_temporary(self._ready_type), self._names.new_temporary(self._group.type)
        may_pass = self._names.new_temporary(FLAG)
        guards = self._test_by_handler(each, lambda number: self._test_guard(number, each))
        optional = self._test_by_handler(
            each, lambda number: make_flag(self._event, value=self._handlers[number].optional)
        )
        free = core.Over((each,), self._get(able), None, "every", optional, type=FLAG, origin=self._event)
        left = core.Leave(_OWNERS_LOOP, again=False, origin=self._event)
        run = (*self._by_handler(self._run), left)
        one = make_number(1, self._event)
        first = make_op("item", self._get(able), one, type_=self._ready_type, origin=self._event)
        asked = self._by_handler(lambda number: (self._ask_whether(self._handlers[number], run),))
        single = (self._set(self._ready, first), *asked)
        several = (self._ask_taker(able, may_pass, run),)
        is_offered_alone = make_conjunction([self._get(may_pass), self._has_size(able, 1)], self._event)
        offered = (self._set(may_pass, free), core.If(is_offered_alone, single, several, origin=self._event))
        found = self._set(able, self._filter(each, self._group, guards))
        return (found, core.If(self._has_size(able, 0), (), offered, origin=self._event))

    def _ask_taker(self, able: core.Local, may_pass: core.Local, run: core.Block) -> core.Ask:
        event, ready = self._event, self._ready
        passing = make_op("appended", self._get(able), make_none(event), type_=able.type, origin=event)
        offered = core.Cond(self._get(may_pass), passing, self._get(able), type=able.type, origin=event)
        passed = make_test("equal", self._get(ready), make_none(event), origin=event)
        then = (core.If(passed, (), run, origin=event),)
        return core.Ask(
            self._get(self._owner), core.Members((ready,), offered, None), (), ready, then, (), origin=event
        )
