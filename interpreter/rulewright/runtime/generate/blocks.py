"""Python for routines that run in frames: one function per reachable block of the control flow graph."""

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, assert_never

from rulewright.program import declarations as d, statements as st
from rulewright.program.core import forms as core
from rulewright.runtime import control_flow as cf
from rulewright.runtime.control_flow_builder import list_exit_forms, list_item_forms
from rulewright.runtime.event_engine import CALLED_SORTS, SWITCH
from rulewright.runtime.generate import chance, decisions, expressions, statements, writer
from rulewright.runtime.generate.writer import (
    CONTROL_CODE,
    FRAME_BLOCK_CODE,
    FRAME_RESULT_CODE,
    FRAME_ROUTINE_CODE,
    FRAME_SITE_CODE,
    QUIET_CODE,
    STACK_CODE,
    UNSETTLED_CODE,
    BlockFlow,
    FunctionBuilder,
    ModuleBuilder,
    at_new_site,
)
from rulewright.runtime.request import SourcePoint


def emit_blocks(module: ModuleBuilder, graph: cf.ControlFlowGraph, base: int) -> None:
    """Functions for the blocks of a graph, numbered from `base`; a block with one predecessor is inlined there."""
    _BlockEmitter(module, graph, base).emit_all()


class _BlockEmitter:
    def __init__(self, module: ModuleBuilder, graph: cf.ControlFlowGraph, base: int) -> None:
        self._module = module
        self._graph = graph
        self._base = base
        entered = {0, *(self.skip_empty_blocks(number) for number, block in enumerate(graph.blocks) if block.entered)}
        leads = Counter(self._iterate_led_to(entered))
        self._shared = entered | {number for number, times in leads.items() if times > 1}
        self._pending_blocks: list[int] = []
        self._entry_records = False
        named = {local.index for local in graph.routine.locals if local.name}
        self._names = {index: f"F[{slot}]" for index, slot in graph.slots.items() if index not in named}
        self.sort: str = graph.routine.sort
        self.holds_or_watches = any(isinstance(item, core.During) for block in graph.blocks for item in block.items)

    # Which blocks have functions of their own.

    def _iterate_led_to(self, entered: set[int]) -> Iterator[int]:
        visited, waiting = set(entered), list(entered)
        while waiting:
            for target in self._list_targets(waiting.pop()):
                yield target
                if target not in visited:
                    visited.add(target)
                    waiting.append(target)

    def _list_targets(self, number: int) -> Iterator[int]:
        """Blocks that a block may go on at, once per place where each is written."""
        block = self._graph.blocks[number]
        targets = [] if _is_faulting(block) else self._list_targets_of_exit(block.exit)
        for target in map(self.skip_empty_blocks, targets):
            if self._is_copied(target):
                yield from self._list_targets(target)
            else:
                yield target

    def _list_targets_of_exit(self, exit_: cf.BlockExit) -> list[int]:
        match exit_:
            case cf.Goto(block) | cf.JumpExit(block=block) | cf.LeaveLoop(block=block):
                return [block]
            case cf.QuietEnd(quiet, then):
                return [] if quiet.holds_back else [then]
            case cf.Branch(then=then, other=other):
                return [then, other]
            case cf.EnterStep(step, enter, skip):
                return [enter] if step.guard is None else [enter, skip]
            case cf.NextMember(body=body, after=after) | cf.NextRound(body=body, after=after):
                return [body, after]
            case cf.AskDecision():
                return decisions.list_blocks_without_answer(exit_, self)
            case cf.TakeDecision(question):
                return decisions.list_blocks_after_answer(question)
            case cf.RequestChance():
                return chance.list_blocks_without_chance(exit_, traced=self._module.traced)
            case cf.TakeChance(cf.RequestChance(then=then)) | cf.TakeExternalResult(cf.AskExternal(then=then)):
                return [then]
            case _:
                return []

    def _is_copied(self, number: int) -> bool:
        """Whether a block is so short that it is written wherever something leads to it."""
        match self._graph.blocks[number]:
            case cf.BasicBlock(entered=True):
                return False
            case cf.BasicBlock((), cf.LeaveRoutine()) | cf.BasicBlock((core.Fail(),)):
                return True
            case cf.BasicBlock((), cf.Branch(core.If(origin=st.Ask() | st.Option()))):
                return True
            case _:
                return False

    def skip_empty_blocks(self, number: int) -> int:
        """The block itself, or the first that does anything of those that it leads to."""
        visited = set()
        while number not in visited:
            visited.add(number)
            match self._graph.blocks[number]:
                case cf.BasicBlock((), cf.Goto(following)):
                    number = following
                case cf.BasicBlock((), cf.EnterStep(core.Step(guard=None), enter, _)) if not self._module.traced:
                    number = enter
                case cf.BasicBlock((), cf.JumpExit(_, following, None)) if not self._module.traced:
                    number = following
                case cf.BasicBlock((), cf.LeaveLoop(core.Leave(origin=origin), following)) if (
                    not self._module.traced or not isinstance(origin, st.Stop)
                ):
                    number = following
                case _:
                    break
        return number

    def skip_known_tests(self, number: int, answer: core.Local, *, value: bool) -> int:
        """The block that a block leads to by tests of an answer alone, if that is known (jump threading)."""
        while True:
            number = self.skip_empty_blocks(number)
            match self._graph.blocks[number]:
                case cf.BasicBlock((), cf.Branch(core.If(test=core.Get(local=local)), then, other)) if local == answer:
                    number = then if value else other
                case _:
                    return number

    # Functions.

    def emit_all(self) -> None:
        emitted: set[int] = set()
        self._pending_blocks = [0]
        self._entry_records = False
        while self._pending_blocks:
            number = self._pending_blocks.pop()
            if number not in emitted:
                emitted.add(number)
                self._emit_function(number)

    def _emit_function(self, number: int) -> None:
        routine = self._graph.routine
        address = getattr(routine.origin, "name", "")
        site = self._module.add_site("line", None, address=address, routine=routine.key)
        head = f"def b{self._base + number}(W, F):"
        records_nothing = routine.sort in {"window", "settling"}
        body = FunctionBuilder(
            self._module, head, framed=True, names={**self._names}, site=site, records_nothing=records_nothing
        )
        body.has_recorded = self._entry_records
        self._emit_block(body, number)
        body.emit_charge(*body.run_forms)
        self._entry_records = self._entry_records or (number == 0 and body.surely_records)
        self._module.finish_function(body)

    def go(self, body: FunctionBuilder, number: int) -> None:
        """Code that continues at a block."""
        number = self.skip_empty_blocks(number)
        if number in self._shared and not self._is_copied(number):
            self._pending_blocks.append(number)
            body.add_line(f"return {self._base + number}")
        else:
            with body.with_own_record():
                self._emit_block(body, number)

    def continue_at(self, block: int) -> int:
        """Number of a block at which something outside the flow continues."""
        block = self.skip_empty_blocks(block)
        self._pending_blocks.append(block)
        return self._base + block

    def find_next_branch(self, exit_: cf.Branch) -> cf.Branch | None:
        """The condition of the same line that is tested next, if it is written in the same function."""
        number = self.skip_empty_blocks(exit_.other)
        block = self._graph.blocks[number]
        is_inlined = number not in self._shared or self._is_copied(number)
        if is_inlined and not block.items and isinstance(block.exit, cf.Branch):
            return block.exit if block.exit.statement.origin is exit_.statement.origin else None
        return None

    def find_result_slot(self, result: core.Local | None) -> int:
        """Slot for the result of a call; 0 for none."""
        return 0 if result is None else self._graph.slots[result.index]

    def _emit_block(self, body: FunctionBuilder, number: int) -> None:
        block = self._graph.blocks[number]
        body.run_forms += (*map(list_item_forms, block.items), list_exit_forms(block.exit))
        groups = [*_group_by_line(self._module, block.items)]
        site = _describe_site(block.exit)
        rest: list[cf.BlockItem] = []
        if site is not None and site.sort != "window" and groups and groups[-1][0] is site.line:
            rest = groups.pop()[1]
        for line, items in groups:
            _emit_group(body, line, items)
        if _is_faulting(block):
            return
        if site is None:
            emit_exit(body, block.exit, self)
            return
        with _at_line(body, site):
            for item in rest:
                _emit_item(body, item)
            if isinstance(block.exit, cf.LeaveRoutine):
                value = _emit_result(body, block.exit.statement, self)
            else:
                emit_exit(body, block.exit, self)
        if isinstance(block.exit, cf.LeaveRoutine):
            _emit_leave_routine(body, value, self)


def _is_faulting(block: cf.BasicBlock) -> bool:
    """Whether a block ends in a fault."""
    return bool(block.items) and isinstance(block.items[-1], core.Fail)


# Lines: neighbouring statements of one line have one entry in a trace, also where its block is cut.


class _LineSite(NamedTuple):
    """The source point of a line, and whether it is recorded as a line is."""

    line: Any
    sort: str = "line"
    is_recorded_as_line: bool = True


def _group_by_line(
    module: ModuleBuilder, items: tuple[cf.BlockItem, ...]
) -> Iterator[tuple[st.Statement | None, list[cf.BlockItem]]]:
    """Neighbouring items of one line; needs, holds and watches stand alone."""
    line: st.Statement | None = None
    group: list[cf.BlockItem] = []
    for item in items:
        origin = _get_origin(item)
        is_line = isinstance(origin, st.Line)
        own = module.find_line_of_row(origin) or (origin if is_line else line)
        if isinstance(origin, d.Need | d.Hold | d.Watch):
            own = None
        if group and (own is not line or own is None):
            yield line, group
            group = []
        line = own
        group.append(item)
    if group:
        yield line, group


def _get_origin(item: cf.BlockItem) -> core.Origin:
    match item:
        case cf.LoopStart(loop):
            return loop.origin
        case cf.RoundsStart(loop):
            return loop.origin
        case cf.QuietStart(quiet):
            return quiet.origin
        case cf.WatchNotice():
            return None
        case _:
            return item.origin


def _describe_site(exit_: cf.BlockExit) -> _LineSite | None:
    """The source point of the line of an exit; none for what belongs to no line or has its own."""
    match exit_:
        case cf.Branch(core.If(origin=st.Draw() as line)):
            return _LineSite(line, "roll", is_recorded_as_line=False)
        case cf.Branch(core.If(origin=st.If() | st.Ask() | st.AskAll() | st.Option())):
            return None
        case cf.CallRoutine(core.Call(origin=origin)) | cf.AskDecision(core.Ask(origin=origin)) if not isinstance(
            origin, st.Line | st.RankKey
        ):
            return None
        case cf.TakeDecision(cf.AskDecision(core.Ask(origin=d.Event() | d.Handler()))):
            return None
        case cf.Branch(core.If(origin=st.Line() as line)) | cf.UnwindCalls(core.Unwind(origin=st.Line() as line)):
            return _LineSite(line)
        case cf.LeaveRoutine(core.Return(origin=st.Finish() as line)):
            return _LineSite(line)
        case cf.JumpExit(core.Jump(origin=line)) | cf.LeaveLoop(core.Leave(origin=st.Stop() as line)):
            return _LineSite(line, is_recorded_as_line=False)
        case cf.AskDecision(statement) | cf.TakeDecision(cf.AskDecision(statement)):
            return _LineSite(statement.origin, "answer", is_recorded_as_line=False)
        case cf.RequestChance(statement) | cf.TakeChance(cf.RequestChance(statement)):
            return _LineSite(statement.origin, "roll", is_recorded_as_line=False)
        case cf.CallRoutine(statement):
            return _LineSite(statement.origin, "call", is_recorded_as_line=False)
        case cf.AskExternal(statement) | cf.TakeExternalResult(cf.AskExternal(statement)):
            return _LineSite(statement.origin, "external", is_recorded_as_line=False)
        case cf.OpenWindow(statement):
            return _LineSite(statement.origin, "window", is_recorded_as_line=False)
        case _:
            return None


@contextmanager
def _at_line(body: FunctionBuilder, site: _LineSite) -> Iterator[None]:
    """Code of a line, which begins an entry unless it goes on with that of the block before."""
    goes_on = body.site.node is site.line and body.site.sort == site.sort
    opened = nullcontext() if goes_on else at_new_site(body, site.sort, site.line)
    with opened, writer.record_line(body, site.line) if site.is_recorded_as_line else nullcontext():
        yield


def _at_rank(body: FunctionBuilder, key: st.RankKey) -> AbstractContextManager[SourcePoint]:
    """Code of a key of a rank, whose faults are told of the line."""
    rank = body.module.find_rank(key)
    return body.at_site(body.module.add_site("key", key, address=rank.address, line=True, routine=body.site.routine))


def _emit_group(body: FunctionBuilder, line: st.Statement | None, items: list[cf.BlockItem]) -> None:
    plain = [
        item for item in items if not isinstance(item, cf.LoopStart | cf.RoundsStart | cf.QuietStart | cf.WatchNotice)
    ]
    goes_on = line is not None and body.site.node is line
    if line is None or (len(plain) == len(items) and not goes_on and not _is_question_to_all(line, plain)):
        for item in items if line is None else ():
            key = _get_origin(item)
            with _at_rank(body, key) if isinstance(key, st.RankKey) else nullcontext():
                _emit_item(body, item)
        if line is not None:
            statements.emit_lines(body, tuple(plain))
        return
    records_nothing = isinstance(line, st.AskAll)
    with (
        _at_line(body, _LineSite(line)),
        body.recording_only(records_nothing=True) if records_nothing else nullcontext(),
    ):
        for item in items:
            _emit_item(body, item)


def _is_question_to_all(line: st.Statement, items: list[core.Statement]) -> bool:
    """Whether items keep the answers of a question to all, which no trace shows before they are revealed."""
    return isinstance(line, st.AskAll) and not any(isinstance(item, core.Note) for item in items)


def _emit_item(body: FunctionBuilder, item: cf.BlockItem) -> None:
    match item:
        case cf.LoopStart(loop, slot):
            is_question = isinstance(loop.origin, st.AskAll)
            emit = expressions.emit_unrecorded if is_question else expressions.emit_expression
            body.add_line(f"F[{slot}] = {emit(body, loop.source)}")
            body.add_line(f"F[{slot + 1}] = 0")
            body.emit_entry(body.site, f"F[{slot}]")
        case cf.RoundsStart(loop, slot):
            assert loop.bound is not None
            body.add_line(f"F[{slot}] = {expressions.emit_expression(body, loop.bound)}")
            body.add_line(f"F[{slot + 1}] = 0")
            body.emit_entry(body.site, f"F[{slot}]")
        case cf.QuietStart(quiet):
            body.add_line(f"{QUIET_CODE} += 1")
            if quiet.holds_back:
                body.add_line(f"{CONTROL_CODE}.together += 1")
        case cf.WatchNotice(event, parameters):
            given = "".join(f"{body.variable_place(parameter)}, " for parameter in parameters)
            body.add_line(f"notify_watches(W, {body.module.add_constant(event)}, ({given}))")
        case core.During(effect=effect):
            _emit_during(body, item, effect)
        case core.If(origin=d.Need() as need):
            statements.emit_need(body, need, body.site.routine)
        case _:
            statements.emit_form(body, item)


def _emit_during(body: FunctionBuilder, during: core.During, effect: core.Holding | core.Listening) -> None:
    if isinstance(effect, core.Holding):
        rules = [list(body.module.program.rules).index(rule) for rule in effect.rules]
        body.add_line(f"hold_rules(W, F, {tuple(rules)})")
    else:
        body.add_line(f"start_watch(W, F, {_emit_watch(body, during.origin, effect)})")


def _emit_watch(around: FunctionBuilder, watch: d.Watch, listening: core.Listening) -> str:
    module = around.module
    module.watches.append(watch.event)
    number = len(module.watches) - 1
    names = {parameter.index: f"v{parameter.index}" for parameter in listening.parameters}
    site = module.add_site("watch", watch, line=True, routine=around.site.routine)
    head = f"def w{number}({', '.join(('W', 'F', *names.values()))}):"
    body = FunctionBuilder(module, head, framed=True, names={**names}, site=site)
    block = listening.body
    match block:
        case (core.If(test=test, then=then, origin=d.Watch()),):
            with writer.skip_recording(body):
                code = statements.emit_condition(body, test)
            with body.indent_under(f"if not {code}:"):
                body.add_line("return")
            block = then
    with writer.skip_recording(body):
        body.emit_entry(site, "True", f"({''.join(f'{name}, ' for name in names.values())})")
    statements.emit_lines(body, block)
    module.finish_function(body)
    return str(number)


# Exits.


def emit_exit(body: FunctionBuilder, exit_: cf.BlockExit, flow: BlockFlow) -> None:
    match exit_:
        case cf.Goto(block) | cf.LeaveLoop(block=block):
            if isinstance(exit_, cf.LeaveLoop) and isinstance(exit_.statement.origin, st.Stop):
                with writer.skip_recording(body):
                    body.emit_entry(body.site)
            flow.go(body, block)
        case cf.Branch():
            _emit_branch(body, exit_, flow)
        case cf.EnterStep(step, enter, skip):
            test, site = statements.emit_step_test(body, step)
            if test != "True":
                with body.indent_under(f"if not {test}:", site):
                    flow.go(body, skip)
            flow.go(body, enter)
        case cf.NextMember():
            _emit_next_member(body, exit_, flow)
        case cf.NextRound():
            _emit_next_round(body, exit_, flow)
        case cf.SettleExit(_, then):
            _emit_settle_exit(body, then, flow)
        case cf.QuietEnd(quiet, then):
            body.add_line(f"{QUIET_CODE} -= 1")
            if quiet.holds_back:
                body.add_line(f"{CONTROL_CODE}.together -= 1")
                _emit_settle_exit(body, then, flow)
            else:
                flow.go(body, then)
        case cf.AskDecision():
            decisions.emit_question(body, exit_, flow)
        case cf.TakeDecision(question):
            decisions.emit_take_answer(body, question, flow)
        case cf.RequestChance():
            chance.emit_request_chance(body, exit_, flow)
        case cf.TakeChance(thrown):
            chance.emit_take_chance(body, thrown, flow)
        case cf.CallRoutine():
            _emit_call_routine(body, exit_, flow)
        case cf.AskExternal(statement, resume, _):
            body.site.request_sort = "external"
            given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in statement.arguments)
            body.emit_pending_request(flow.continue_at(resume), f"({given})", who="None")
        case cf.TakeExternalResult(elsewhere):
            _emit_take_external(body, elsewhere, flow)
        case cf.OpenWindow():
            _emit_open_window(body, exit_, flow)
        case cf.JumpExit():
            _emit_jump(body, exit_, flow)
        case cf.LeaveRoutine(statement):
            _emit_leave_routine(body, "None" if statement is None else _emit_result(body, statement, flow), flow)
        case cf.UnwindCalls(statement):
            body.add_line(f"r = {expressions.emit_expression(body, statement.value)}")
            body.emit_entry(body.site, "r")
            body.add_line(f"return unwind_to_procedure(W, {body.module.add_constant(statement.procedure)}, r)")
        case _:
            assert_never(exit_)


def _emit_branch(body: FunctionBuilder, exit_: cf.Branch, flow: BlockFlow) -> None:
    while True:
        statement, line = exit_.statement, exit_.statement.origin
        site = body.site
        if isinstance(line, st.If):
            test, site = statements.emit_branch_test(body, statement, line)
        else:
            if isinstance(line, st.Draw):
                chance.emit_place_reads(body, line)
            test = expressions.emit_expression(body, statement.test)
        with body.indent_under(f"if {test}:", site):
            if isinstance(line, st.Draw) and line.otherwise is not None:
                body.emit_entry(body.site)
            flow.go(body, exit_.then)
        if isinstance(line, st.AddLine) and line.otherwise is not None:
            body.emit_entry(body.site)
        following = flow.find_next_branch(exit_)
        if following is None:
            flow.go(body, exit_.other)
            return
        exit_ = following


def _emit_next_member(body: FunctionBuilder, exit_: cf.NextMember, flow: BlockFlow) -> None:
    slot, loop = exit_.slot, exit_.loop
    names = ["_" if name is None else body.variable_place(name) for name in loop.names]
    body.add_line(f"k = F[{slot + 1}]")
    with body.indent_under(f"while k < len(F[{slot}]):"):
        body.add_line(f"{', '.join(names)} = F[{slot}][k]")
        body.add_line("k += 1")
        resume = f"F[{slot + 1}] = k" if body.module.frames.may_want_values else ""
        statements.emit_pass_over(body, loop, resume)
        body.add_line(f"F[{slot + 1}] = k")
        flow.go(body, exit_.body)
    body.add_line(f"F[{slot}] = F[{slot + 1}] = None")
    flow.go(body, exit_.after)


def _emit_next_round(body: FunctionBuilder, exit_: cf.NextRound, flow: BlockFlow) -> None:
    loop, slot = exit_.loop, exit_.slot
    assert loop.test is not None
    test, site = statements.emit_test(body, loop.test, loop.origin)
    with body.indent_under(f"if not {test}:", site):
        body.add_line(f"F[{slot}] = F[{slot + 1}] = None")
        flow.go(body, exit_.after)
    with at_new_site(body, "line", loop.origin), body.indent_under(f"if F[{slot + 1}] >= F[{slot}]:"):
        body.add_line(f"fault_loop_too_long(F[{slot}], {slot + 1}, {flow.continue_at(exit_.head)})")
    body.add_line(f"F[{slot + 1}] += 1")
    flow.go(body, exit_.body)


def _emit_settle_exit(body: FunctionBuilder, then: int, flow: BlockFlow) -> None:
    target = flow.continue_at(then)
    with body.indent_under(
        f"if {UNSETTLED_CODE} and not {QUIET_CODE} or {CONTROL_CODE}.removals and not {CONTROL_CODE}.together:"
    ):
        body.add_line(f"{FRAME_BLOCK_CODE} = {target}")
        body.add_line("return push_settling(W)")
    body.add_line(f"return {target}")


def _emit_call_routine(body: FunctionBuilder, exit_: cf.CallRoutine, flow: BlockFlow) -> None:
    call, module = exit_.statement, body.module
    site, is_perform = body.site, isinstance(call.origin, st.Perform)
    if is_perform:
        site.title = module.program.procedures[call.origin.procedure].title
    elif call.origin is not None:
        site, _ = statements.add_begin_and_end_sites(module, call.origin)
    given = "".join(f", {expressions.emit_expression(body, argument)}" for argument in call.arguments)
    is_recorded = body.records_reads if is_perform else module.traced
    if is_recorded or not all(
        expressions.is_plain_path(argument) or isinstance(argument, core.Const) for argument in call.arguments
    ):
        body.add_line(f"x = ({given.removeprefix(', ')}{',' if given else ''})")
        given = ", *x"
    if call.nest is not None:
        body.add_line(f"check_nesting(W, {site.number}, {expressions.emit_expression(body, call.nest)})")
    if is_perform:
        body.emit_entry(site, "None", "x")
    elif call.origin is not None and module.traced:
        body.add_line(f"record_begin_or_end(W, {site.number}, x)")
    body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.then)}")
    body.add_line(f"S = {STACK_CODE}")
    body.add_line(f"if len(S) > {CONTROL_CODE}.limits.depth: fault_too_deep(W)")
    number = module.flows[call.routine]
    table = module.tables[number]
    empty = ", None" * (len(table.empty) - len(call.arguments))
    result = flow.find_result_slot(call.result)
    at = site.number if call.origin is not None else 0
    body.add_line(f"S.append([{table.entry}, {number}, {at}, {result}{given}{empty}])")
    body.add_line(f"return {SWITCH}")


def _emit_take_external(body: FunctionBuilder, exit_: cf.AskExternal, flow: BlockFlow) -> None:
    external = exit_.statement
    body.site.type = body.module.program.external_procedures[external.name].result
    body.add_line("r = apply_external_result(W)")
    if external.result is not None:
        body.add_line(f"{body.variable_place(external.result)} = r")
    body.emit_entry(body.site, "r", f"{CONTROL_CODE}.asked_data")
    flow.go(body, exit_.then)


def _emit_open_window(body: FunctionBuilder, exit_: cf.OpenWindow, flow: BlockFlow) -> None:
    trigger = exit_.statement
    event = body.module.add_constant(trigger.event)
    if trigger.removal:
        (thing,) = (expressions.emit_unrecorded(body, argument) for argument in trigger.arguments)
        body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.then)}")
        body.add_line(f"return open_removal_window(W, {event}, {body.site.number}, {thing})")
        return
    given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in trigger.arguments)
    body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.then)}")
    body.add_line(f"x = ({given})")
    body.emit_entry(body.site, "None", "x")
    result = flow.find_result_slot(trigger.result)
    flow_number = body.module.flows[f"window:{trigger.event}"]
    body.add_line(f"return push_call(W, {flow_number}, {body.site.number}, {result}, x)")


def _emit_result(body: FunctionBuilder, returned: core.Return | None, flow: BlockFlow) -> str:
    """Python for what a routine gives, stored in `r` if its line says it."""
    if returned is None or (isinstance(returned.origin, st.Line) and not isinstance(returned.origin, st.Finish)):
        return "None"
    if flow.sort == "window":
        return expressions.emit_expression(body, returned.value)
    is_given = returned.origin.value is not None
    gives = flow.sort == "handler" and is_given
    result = returned.value
    if gives:  # what a handler finishes with is a tuple, of which the entry shows the part
        assert isinstance(result, core.Op)
        (result,) = result.arguments
    if is_given:
        body.add_line(f"r = {expressions.emit_expression(body, result)}")
    body.emit_entry(body.site, "r" if is_given else "None")
    return ("(r,)" if gives else "r") if is_given else "None"


def _emit_leave_routine(body: FunctionBuilder, value: str, flow: BlockFlow) -> None:
    if flow.sort in CALLED_SORTS and (flow.sort != "procedure" or flow.holds_or_watches):
        body.add_line(f"return leave_call(W, {value})")
        return
    body.add_line(f"S = {STACK_CODE}")
    body.add_line("S.pop()")
    if body.records_reads:
        body.add_line(f"T.append(({FRAME_SITE_CODE}, -1, {value}, ('return', {FRAME_ROUTINE_CODE})))")
    if flow.sort != "settling":
        body.add_line(f"if {FRAME_RESULT_CODE}:")
        body.add_line(f"    S[-1][{FRAME_RESULT_CODE}] = {value}")
    body.add_line(f"return {SWITCH}")


def _emit_jump(body: FunctionBuilder, exit_: cf.JumpExit, flow: BlockFlow) -> None:
    slot, bound = exit_.slot, exit_.statement.bound
    if slot is not None and bound is not None:
        body.add_line(f"F[{slot}] = (F[{slot}] or 0) + 1")
        with body.indent_under(f"if F[{slot}] > {expressions.emit_expression(body, bound)}:"):
            body.add_line(f"fault_jumped_too_often(F[{slot}], {slot}, {flow.continue_at(exit_.block)})")
    with writer.skip_recording(body):
        body.emit_entry(body.site)
    flow.go(body, exit_.block)
