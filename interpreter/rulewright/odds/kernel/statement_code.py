"""WebAssembly for core statements and routines."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from rulewright.odds.kernel import chance_code, runtime_library as lib
from rulewright.odds.kernel.answer_code import emit_question
from rulewright.odds.kernel.collection_loops import for_each_member
from rulewright.odds.kernel.collection_operations import replace_entry, replace_item, replace_part, take_out
from rulewright.odds.kernel.external_code import emit_external
from rulewright.odds.kernel.kernel_module import MAX_DEPTH, QUEUE_WORDS, KernelModule
from rulewright.odds.kernel.routine_code import RoutineCode, find_member_type
from rulewright.odds.kernel.store_code import store_place
from rulewright.odds.kernel.value_shapes import NONE_CODE, BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Label, Variable, const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.lower_statements import make_read
from rulewright.program.core.walking import walk_forms, walk_statements

_WORK_PER_FORM = 4
"""Upper bound of the work of a form without a loop over a collection."""
_WATCH_WORDS, _REMOVAL_WORDS = 2, 3


class StatementCode(RoutineCode):
    """Statements of a routine under construction."""

    def begin(self, end: Label, result: Variable) -> None:
        self.end, self.result = end, result
        self.loops: list[tuple[int, Label, Label]] = []
        self.steps: list[Label] = []  # labels of the steps still ahead, by number
        self.around: Label | None = None  # repeats the choice of a step
        self.next_step: Variable | None = None
        self.current_step = -1
        self.quiet_blocks, self.together_blocks = 0, 0
        self.holdings: list[tuple[Variable, tuple[str, ...]]] = []

    def emit_block(self, block: core.Block) -> None:
        for statement in block:
            self.address = getattr(statement.origin, "address", None) or self.address
            with self.w.capture() as pieces:
                try:
                    _EMITTERS[statement.__class__](self, statement)
                except BatchUnsupportedError as unfit:
                    pieces.clear()
                    pieces.append(self.module.give_back(f"at `{self.address}`: {unfit}"))
            self.w.pieces += pieces

    def address_of(self, node: core.CoreNode) -> str:
        return getattr(node.origin, "address", None) or self.routine.key

    def line_of(self, node: core.CoreNode) -> Code:
        """The line that asks, with its streams; in a window that which opened it."""
        return self.line or const(self.module.find_line(self.address_of(node)))

    # Leaving a routine.

    def leave_if_unwinding(self, key: str) -> None:
        if key in self.module.facts.unwinding_routines:
            with self.w.when(self.module.unwinding.ne(0)):
                self.leave_routine()

    def leave_routine(self) -> None:
        module = self.module
        if self.quiet_blocks:
            self.w.set(module.quiet, module.quiet - self.quiet_blocks)
        if self.together_blocks:
            self.w.set(module.together, module.together - self.together_blocks)
        self.w.leave(self.end)


def find_result_type(module: KernelModule, routine: core.Routine) -> core.CoreType | None:
    """Type of what a routine gives; of a handler a tuple of one part."""
    if routine.sort != "handler":
        return routine.result
    event = module.program.events[routine.origin.event]
    return None if event.gives is None else ty.TupleType((event.gives,))


def write_routine(module: KernelModule, routine: core.Routine, known: dict[int, Code], w: FunctionWriter) -> None:
    c = StatementCode(module, w, routine)
    c.plain_dice = module.find_plain_dice(routine)
    free = [number for number in range(len(routine.parameters)) if number not in known]
    parameters = [
        known[number] if number in known else w.parameter(free.index(number))
        for number in range(len(routine.parameters))
    ]
    if routine.sort == "window":
        c.line = w.parameter(len(free))
    heap = w.new_local(module.heap) if module.frees_heap(routine.key) else None
    shared = module.facts.shared_names.get(routine.key, ())
    if shared:
        c.frame = w.new_local(module.allocate(len(shared)))
        c.shared = {index: 8 * number for number, index in enumerate(shared)}
    for local, given in zip(routine.parameters, parameters, strict=True):
        if local.index in c.shared:
            c.assign(local, given)
        elif isinstance(given, Variable):
            c.variables[local.index] = given
        else:
            c.known[local.index] = given
    counted = {each.rounds.index for each in walk_statements(routine) if isinstance(each, core.Jump) and each.rounds}
    for local in routine.locals:
        if local not in routine.parameters:
            c.assign(local, 0 if local.index in counted else NONE_CODE)
    module.charge(w, weigh(routine))
    result = w.new_local(NONE_CODE)
    if routine.is_pure:
        with w.block() as end:
            c.begin(end, result)
            c.emit_block(routine.entry)
        _end_routine(c, heap)
        return
    watch_count = w.new_local(module.watch_count) if shared else None
    w.set(module.depth, module.depth + 1)
    module.require(w, module.depth < MAX_DEPTH, "procedures that call each other many times")
    with w.block() as end:
        c.begin(end, result)
        _emit_steps(c)
    w.set(module.depth, module.depth - 1)
    if watch_count is not None:
        w.set(module.watch_count, watch_count)
    for flag, rules in c.holdings:
        for rule in rules:
            counter = module.counter(("held", rule))
            w.set(counter, counter - flag)
    if c.holdings:
        _emit_settle(c, core.Settle(origin=None))
    if routine.sort == "procedure" and module.facts.unwinding_routines:
        number = module.number_procedure(routine.origin.name)
        with w.when(module.unwinding.eq(number)):
            w.set(module.unwinding, 0)
            w.set(result, module.unwound_value)
            _emit_settle(c, core.Settle(origin=None))
    _end_routine(c, heap)


def _end_routine(c: StatementCode, heap: Variable | None) -> None:
    if heap is not None:
        c.w.set(c.module.heap, heap)
    c.w.give_result(c.result)


def weigh(*forms: Any) -> int:
    """Upper bound of the work of forms without the rounds of their loops."""
    whole = list(walk_forms(*forms))
    visits = sum([1 for form in whole if isinstance(form, core.Over | core.Op | core.Apply)])
    return _WORK_PER_FORM * (len(whole) + 16 * visits)


def _emit_steps(c: StatementCode) -> None:
    """The entry and the steps, each behind a block that a jump may leave; a jump back chooses anew."""
    w, routine = c.w, c.routine
    if not routine.steps:
        c.emit_block(routine.entry)
        return
    blocks: list[tuple[core.Expression | None, core.Block]] = [(None, routine.entry)]
    blocks += [(step.guard, step.block) for step in routine.steps]
    jumps_back = any(
        isinstance(each, core.Jump) and each.step < number
        for number, (_, block) in enumerate(blocks)
        for each in walk_statements(block)
    )
    with ExitStack() as whole:
        c.next_step = w.new_local(0)
        if jumps_back:
            c.around = whole.enter_context(w.loop())
        contexts = [w.block() for _ in blocks]
        c.steps = [Label(0)] * len(blocks)
        for number in reversed(range(len(blocks))):
            c.steps[number] = contexts[number].__enter__()
        if jumps_back:
            w.leave_by_number(c.steps, c.next_step)
        for number, (guard, block) in enumerate(blocks):
            contexts[number].__exit__(None, None, None)
            c.current_step = number
            if guard is None:
                c.emit_block(block)
            else:
                with w.when(c.test(guard)):
                    c.emit_block(block)


# Statements.


def _emit_set(c: StatementCode, node: core.Set) -> None:
    place = node.place
    store_place(c, place, _place_value(c, place, node.value))


def _place_value(c: StatementCode, place: core.Place, value: core.Expression) -> Code:
    """What the root of a place holds once something inside it is replaced."""
    if not place.path:
        return c.slot(value, place.root_type)
    return update_path(c, place, c.slot(value, place.type))


def update_path(c: StatementCode, place: core.Place, new: Code) -> Code:
    """What the root of a place holds with a new value inside."""

    def update(around: core.Place, new: Code) -> Code:
        if not around.path:
            return new
        *rest, inside = around.path
        outer = core.Place(around.root, tuple(rest), around.root_type)
        held = c.value(make_read(outer, None))
        match inside:
            case core.EntryOf(key=key):
                assert isinstance(outer.type, ty.MapType)
                changed = replace_entry(c, outer.type, held, c.slot(key, outer.type.key), new)
            case core.ItemOf(position=position):
                changed = replace_item(c, held, c.value(position), new)
            case core.PartOf(position=number):
                changed = replace_part(c, outer.type, held, number, new)
        return update(outer, c.hold(changed))

    return update(place, c.hold(new))


def _emit_if(c: StatementCode, node: core.If) -> None:
    test = node.test
    if not node.then and len(node.other) == 1 and isinstance(node.other[0], core.Fail):
        c.require(c.test(test), _describe_fault(c, node.other[0]))
        return
    with c.w.when(c.test(test)):
        c.emit_block(node.then)
        if node.other:
            c.w.otherwise()
            c.emit_block(node.other)


def _emit_for(c: StatementCode, node: core.For) -> None:
    weight = weigh(node.body)

    def use(_: Callable[[], Code]) -> None:
        c.module.charge(c.w, weight)
        with c.w.block() as again:
            c.loops.append((node.label, over, again))
            c.emit_block(node.body)
            c.loops.pop()

    with c.w.block() as over:
        for_each_member(c, node.source, node.names, use)


def _emit_loop(c: StatementCode, node: core.Loop) -> None:
    w = c.w
    bound = None if node.bound is None else c.held(node.bound)
    rounds = w.new_local(0)
    with w.block() as over, w.loop() as around:
        if node.test is not None:
            w.leave(over, ~c.test(node.test))
        if bound is not None:
            c.require(rounds < bound, "a loop at its bound")
            w.set(rounds, rounds + 1)
        c.module.charge(w, weigh(node.test, node.body))
        with w.block() as again:
            c.loops.append((node.label, over, again))
            c.emit_block(node.body)
            c.loops.pop()
        w.leave(around)


def _emit_leave(c: StatementCode, node: core.Leave) -> None:
    over, again = next((over, again) for label, over, again in reversed(c.loops) if label == node.label)
    c.w.leave(again if node.again else over)


def _emit_quiet(c: StatementCode, node: core.Quiet) -> None:
    w, module = c.w, c.module
    holds_back = node.holds_back and any(event.on_removal for event in module.program.events.values())
    w.set(module.quiet, module.quiet + 1)
    c.quiet_blocks += 1
    if holds_back:
        w.set(module.together, module.together + 1)
        c.together_blocks += 1
    c.emit_block(node.body)
    w.set(module.quiet, module.quiet - 1)
    c.quiet_blocks -= 1
    if holds_back:
        w.set(module.together, module.together - 1)
        c.together_blocks -= 1
        with w.when(module.together.is_zero() & module.waiting.ne(0)):
            w.drop(module.call_shared("removals", partial(_write_removals, module, c.routine)))


def _emit_jump(c: StatementCode, node: core.Jump) -> None:
    w, target = c.w, node.step + 1
    if node.bound is not None and node.rounds is not None:
        c.assign(node.rounds, c.read(node.rounds) + 1)
        c.require(c.read(node.rounds) <= c.value(node.bound), "a jump at its bound")
        c.module.charge(w, weigh(c.routine))
    if target > c.current_step:
        w.leave(c.steps[target])
        return
    assert c.next_step is not None
    assert c.around is not None
    w.set(c.next_step, target)
    w.leave(c.around)


def _emit_call(c: StatementCode, node: core.Call) -> None:
    w, module = c.w, c.module
    routine = module.core.routines[node.routine]
    result = module.call_routine(node.routine, c.arguments(node.routine, node.arguments))
    if node.nest is not None:
        counter = module.counter(("nested", id(node)))
        c.require(counter < c.value(node.nest), "a line at its depth")
        w.set(counter, counter + 1)
        result = w.new_local(result)
        w.set(counter, counter - 1)
    if node.result is None:
        w.drop(result)
    else:
        c.assign(node.result, c.convert(result, find_result_type(module, routine), node.result.type))
    c.leave_if_unwinding(node.routine)


def _emit_return(c: StatementCode, node: core.Return) -> None:
    target = find_result_type(c.module, c.routine)
    c.w.set(c.result, c.slot(node.value, target) if target is not None else c.value(node.value))
    c.w.leave(c.end)


def _emit_unwind(c: StatementCode, node: core.Unwind) -> None:
    module = c.module
    result = module.core.routines[f"procedure:{node.procedure}"].result
    c.w.set(module.unwound_value, c.slot(node.value, result))
    c.w.set(module.unwinding, module.number_procedure(node.procedure))
    c.leave_routine()


def _emit_fail(c: StatementCode, node: core.Fail) -> None:
    c.w.emit(c.module.give_back(_describe_fault(c, node)))


def _describe_fault(c: StatementCode, node: core.Fail) -> str:
    return f"at `{c.address_of(node)}`: the fault {node.fault}"


def _emit_ask(c: StatementCode, node: core.Ask) -> None:
    _check_player(c, node.player)
    emit_question(c, node, c.line_of(node), c.emit_block)


def _check_player(c: StatementCode, player: core.Expression | None) -> None:
    """A player who is found by more than reading an attribute may be none, which is a fault."""
    if player is not None and any(
        isinstance(form, core.Op | core.Apply | core.Over | core.Wanted) for form in walk_forms(player)
    ):
        c.w.drop(c.value(player))


def _emit_roll(c: StatementCode, node: core.Roll) -> None:
    _check_player(c, node.by)
    chance_code.emit_roll(c, node, c.address_of(node))


def _emit_reroll(c: StatementCode, node: core.Reroll) -> None:
    _check_player(c, node.by)
    chance_code.emit_reroll(c, node, c.address_of(node))


def _emit_draw(c: StatementCode, node: core.Draw) -> None:
    type_ = node.place.type
    whole = make_read(node.place, node.origin)
    members = (
        c.hold(c.sequence(core.Op("keys", (whole,), type=ty.SetType(type_.key), origin=None)))
        if isinstance(type_, ty.MapType)
        else c.hold(c.sequence(whole))
    )
    item = find_member_type(type_)
    listed = ty.ListType(type_.key) if isinstance(type_, ty.MapType) else type_
    drawn = c.hold(chance_code.draw_member(c, listed, members, c.line_of(node)))
    rest = c.hold(take_out(c, type_, c.value(whole), drawn, False))  # noqa: FBT003
    store_place(c, node.place, update_path(c, node.place, rest))
    c.assign(node.result, c.convert(drawn, item, node.result.type))


def _emit_shuffle(c: StatementCode, node: core.Shuffle) -> None:
    if c.module.is_exhaustive:
        raise BatchUnsupportedError("a shuffle")
    members = c.hold(c.sequence(make_read(node.place, node.origin)))
    with c.w.when(members.load() > 1):
        shuffled = c.hold(lib.shuffle(c.module, c.line_of(node), members))
        store_place(c, node.place, update_path(c, node.place, shuffled))


def _emit_external(c: StatementCode, node: core.External) -> None:
    emit_external(c, node, c.line_of(node))


# Events.


def _emit_trigger(c: StatementCode, node: core.Trigger) -> None:
    module, w = c.module, c.w
    event = module.program.events[node.event]
    values = [
        c.hold(c.slot(argument, parameter.type))
        for argument, parameter in zip(node.arguments, event.parameters, strict=True)
    ]
    line = c.line_of(node) if node.event in module.core.windows else const(0)
    if not node.removal:
        _open_event(c, node.event, values, line, node.result)
        return
    if event.name not in module.core.windows and not module.facts.listenings.get(event.name):
        return
    with w.when(module.together.ne(0)):
        place = module.find_place("removals").address
        c.require(module.waiting < QUEUE_WORDS // _REMOVAL_WORDS - 1, "very many removals at once")
        entry = w.new_local(module.waiting * (8 * _REMOVAL_WORDS) + place)
        w.store(entry, list(module.program.events).index(node.event))
        w.store(entry, line, 8)
        w.store(entry, values[0], 16)
        w.set(module.waiting, module.waiting + 1)
        w.otherwise()
        _open_event(c, node.event, values, line, None)


def _open_event(c: StatementCode, event: str, values: Sequence[Code], line: Code, result: core.Local | None) -> None:
    """Tells the watches, then opens the window."""
    module, w = c.module, c.w
    if module.facts.listenings.get(event):
        w.drop(module.call_shared(("tell", event), partial(_write_watch_calls, module, event), *values))
    key = module.core.windows.get(event)
    if key is None:
        if result is not None:
            c.assign(result, module.place_constant((0,)))
        return
    gains = module.call_routine(key, values, line)
    if result is None:
        w.drop(gains)
    else:
        c.assign(result, c.convert(gains, module.core.routines[key].result, result.type))
    c.leave_if_unwinding(key)


def _write_watch_calls(module: KernelModule, event: str, w: FunctionWriter, *values: Variable) -> None:
    """Runs the active watches of an event, outermost first."""
    place = module.find_place("watches").address
    with w.count(0, module.watch_count) as at:
        entry = w.new_local(at * (8 * _WATCH_WORDS) + place)
        for number, key, listening in module.facts.listenings[event]:
            with w.when(entry.load().eq(number)):
                write = partial(_write_watch, module, key, listening)
                w.drop(module.call_shared(("watch", number), write, entry.load(8), *values))
    w.give_result(const(0))


def _write_watch(
    module: KernelModule, key: str, listening: core.Listening, w: FunctionWriter, frame: Variable, *values: Variable
) -> None:
    c = StatementCode(module, w, module.core.routines[key])
    c.frame = frame
    c.shared = {index: 8 * number for number, index in enumerate(module.facts.shared_names[key])}
    with w.block() as end:
        c.begin(end, w.new_local(0))
        for parameter, value in zip(listening.parameters, values, strict=False):
            c.assign(parameter, value)
        c.emit_block(listening.body)
    w.give_result(const(0))


def _write_removals(module: KernelModule, routine: core.Routine, w: FunctionWriter) -> None:
    """Opens the windows of the removals that waited."""
    c = StatementCode(module, w, routine)
    with w.block() as end:
        c.begin(end, w.new_local(0))
        count = w.new_local(module.waiting)
        w.set(module.waiting, 0)
        place = module.find_place("removals").address
        new = w.new_local(module.allocate(count * _REMOVAL_WORDS))
        w.copy_words(new, place, count * _REMOVAL_WORDS)
        with w.count(0, count) as at:
            entry = w.new_local(new + at * (8 * _REMOVAL_WORDS))
            for number, event in enumerate(module.program.events.values()):
                if event.on_removal and (event.name in module.core.windows or module.facts.listenings.get(event.name)):
                    with w.when(entry.load().eq(number)):
                        _open_event(c, event.name, (entry.load(16),), entry.load(8), None)
    w.give_result(const(0))


def _emit_settle(c: StatementCode, _: core.Settle) -> None:
    module = c.module
    if not module.core.due_keys:
        return
    with c.w.when(module.due.ne(0) & module.quiet.is_zero()):
        c.w.drop(module.call_routine(core.SETTLING, ()))
        c.leave_if_unwinding(core.SETTLING)


def _emit_during(c: StatementCode, node: core.During) -> None:
    module, w = c.module, c.w
    match node.effect:
        case core.Holding(rules):
            flag = w.new_local(1)
            c.holdings.append((flag, rules))
            for rule in rules:
                counter = module.counter(("held", rule))
                w.set(counter, counter + 1)
        case core.Listening() as listening:
            number = next(number for number, _, each in module.facts.listenings[listening.event] if each is listening)
            c.require(module.watch_count < QUEUE_WORDS // _WATCH_WORDS - 1, "very many watches")
            entry = w.new_local(module.watch_count * (8 * _WATCH_WORDS) + module.find_place("watches").address)
            assert c.frame is not None
            w.store(entry, number)
            w.store(entry, c.frame, 8)
            w.set(module.watch_count, module.watch_count + 1)


def _emit_note(_: StatementCode, __: core.Note) -> None:
    return


_EMITTERS: dict[type, Callable[[StatementCode, Any], None]] = {
    core.Set: _emit_set,
    core.If: _emit_if,
    core.For: _emit_for,
    core.Loop: _emit_loop,
    core.Leave: _emit_leave,
    core.Quiet: _emit_quiet,
    core.Jump: _emit_jump,
    core.Call: _emit_call,
    core.Return: _emit_return,
    core.Unwind: _emit_unwind,
    core.Fail: _emit_fail,
    core.Ask: _emit_ask,
    core.Roll: _emit_roll,
    core.Reroll: _emit_reroll,
    core.Draw: _emit_draw,
    core.Shuffle: _emit_shuffle,
    core.External: _emit_external,
    core.Trigger: _emit_trigger,
    core.Settle: _emit_settle,
    core.During: _emit_during,
    core.Note: _emit_note,
}
