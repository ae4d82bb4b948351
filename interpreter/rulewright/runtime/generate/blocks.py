"""Python for routines that run in frames: one function per reachable block."""

from collections import Counter
from collections.abc import Callable, Iterator

from rulewright.program import declarations as d, statements as st
from rulewright.program.core import forms as core
from rulewright.program.expressions import Literal
from rulewright.program.wording import is_simple_path
from rulewright.runtime import flow_graph as g
from rulewright.runtime.event_engine import SWITCH
from rulewright.runtime.generate import chance, decisions, expressions, statements, writer
from rulewright.runtime.generate.expressions import lower_any
from rulewright.runtime.generate.lowered_lines import lower_line
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
from rulewright.runtime.lowering import graph_key


def emit_call_routine(body: FunctionBuilder, exit_: g.CallRoutine, flow: BlockFlow) -> None:
    line, module = exit_.line, body.module
    procedure = module.program.procedures[line.procedure]
    body.site.title = procedure.title
    given = "".join(f", {expressions.emit_expression(body, argument)}" for argument in line.arguments)
    if body.records_reads or not all(
        is_simple_path(argument) or isinstance(argument, Literal) for argument in line.arguments
    ):
        body.add_line(f"x = ({given.removeprefix(', ')}{',' if given else ''})")
        given = ", *x"
    if line.depth is not None:
        body.add_line(f"check_nesting(W, {body.site.number}, {expressions.emit_expression(body, line.depth)})")
    body.emit_entry(body.site, "None", "x")
    then = flow.continue_at(exit_.then)
    dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
    flow_ = module.flows[graph_key(procedure, line.steps)]
    table = module.tables[flow_]
    body.add_line(f"{FRAME_BLOCK_CODE} = {then}")
    body.add_line(f"S = {STACK_CODE}")
    body.add_line(f"if len(S) > {CONTROL_CODE}.limits.depth: fault_too_deep(W)")
    empty = ", None" * (len(table.empty) - len(line.arguments))
    body.add_line(f"S.append([{table.entry}, {flow_}, {body.site.number}, {dest}{given}{empty}])")
    body.add_line(f"return {SWITCH}")


def emit_ask_external(body: FunctionBuilder, exit_: g.AskExternal, flow: BlockFlow) -> None:
    given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in exit_.line.arguments)
    body.emit_pending_request(flow.continue_at(exit_.resume), f"({given})", who="None")


def emit_take_external(body: FunctionBuilder, exit_: g.AskExternal, flow: BlockFlow) -> None:
    external = body.module.program.external_procedures[exit_.line.external]
    body.site.type = external.result
    body.add_line("r = apply_external_result(W)")
    if exit_.line.result is not None:
        body.add_line(f"{body.variable_place(exit_.line.result)} = r")
    body.emit_entry(body.site, "r", f"{CONTROL_CODE}.asked_data")
    then = flow.continue_at(exit_.then)
    body.add_line(f"{FRAME_BLOCK_CODE} = {then}")
    with body.indent_under(f"if {UNSETTLED_CODE} and not {QUIET_CODE}:"):
        body.add_line("return push_settling(W)")
    body.add_line(f"return {then}")


def emit_open_window(body: FunctionBuilder, exit_: g.OpenWindow, flow: BlockFlow) -> None:
    line = exit_.line
    body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.then)}")
    if isinstance(line, st.Remove):
        events = body.module.add_constant(tuple(item for item in line.events if item in body.module.framing.windows))
        body.add_line(f"return open_removal_windows(W, {events}, {body.site.number})")
        return
    event = body.module.add_constant(line.event)
    given = "".join(f"{expressions.emit_expression(body, argument)}, " for argument in line.arguments)
    body.add_line(f"x = ({given})")
    dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
    body.emit_entry(body.site, "None", "x")
    body.add_line(f"return open_window(W, {event}, {body.site.number}, {dest}, x)")


def emit_leave_routine(body: FunctionBuilder, line: st.Finish | None, flow: BlockFlow) -> None:
    value = "None" if line is None or line.value is None else "r"
    if line is not None:
        with at_new_site(body, "line", line), writer.record_line(body, line):
            if line.value is not None:
                body.add_line(f"r = {expressions.emit_expression(body, line.value)}")
            body.emit_entry(body.site, value)
    if flow.sort == "handler" and line is not None and line.value is not None:
        value = f"({value},)"
    if flow.sort != "procedure" or flow.holds_or_watches:
        body.add_line(f"return leave_call(W, {value})")
        return
    body.add_line(f"S = {STACK_CODE}")
    body.add_line("S.pop()")
    if body.records_reads:
        body.add_line(f"T.append(({FRAME_SITE_CODE}, -1, {value}, ('return', {FRAME_ROUTINE_CODE})))")
    body.add_line(f"if {FRAME_RESULT_CODE}:")
    body.add_line(f"    S[-1][{FRAME_RESULT_CODE}] = {value}")
    body.add_line(f"return {SWITCH}")


def emit_unwind(body: FunctionBuilder, line: st.FinishOuter) -> None:
    with at_new_site(body, "line", line), writer.record_line(body, line):
        value = "None" if line.value is None else expressions.emit_expression(body, line.value)
        body.add_line(f"r = {value}")
        body.emit_entry(body.site, "r")
        body.add_line(f"return unwind_to_procedure(W, {body.module.add_constant(line.procedure)}, r)")


def emit_fork(body: FunctionBuilder, fork: g.BranchExit, flow: BlockFlow) -> None:
    for branch, block in zip(fork.line.branches, fork.blocks, strict=True):
        test = statements.emit_test(body, lower_any(body, branch.condition), fork.line, cites=branch.cites)
        with body.indent_under(f"if {test}:"):
            flow.go(body, block)
    flow.go(body, fork.otherwise)


def emit_match_exit(body: FunctionBuilder, select: g.MatchExit, flow: BlockFlow) -> None:
    subject = body.new_temporary()
    with at_new_site(body, "line", select.line), writer.record_line(body, select.line):
        body.add_line(f"{subject} = {expressions.emit_expression(body, select.line.subject)}")
        body.emit_entry(body.site, subject)
    for case, block in zip(select.line.cases, select.blocks, strict=True):
        if not case.values:
            flow.go(body, block)
            return
        with body.indent_under(f"if {_emit_case_test(body, subject, case)}:"):
            flow.go(body, block)
    body.add_line("fault_no_row_covers()")


def _emit_case_test(body: FunctionBuilder, subject: str, case: st.Case) -> str:
    """Python for whether a value is among those of a case."""
    return f"{subject} in ({', '.join(expressions.emit_unrecorded(body, value) for value in case.values)},)"


def emit_next_member(body: FunctionBuilder, exit_: g.NextLoopMember, flow: BlockFlow) -> None:
    slot, (stored, loop) = exit_.slot, _lower_loop(body, exit_.line, exit_.slot)
    names = ["_" if name is None else body.variable_place(name) for name in loop.names]
    body.add_line(f"k = F[{slot + 1}]")
    with body.indent_under(f"while k < len(F[{slot}]):"):
        body.add_line(f"{', '.join(names)} = F[{slot}][k]")
        body.add_line("k += 1")
        resume = f"F[{slot + 1}] = k" if body.module.framing.external_dependents else ""
        statements.emit_pass_over(body, loop, resume)
        _forget_stored(body, stored)
        body.add_line(f"F[{slot + 1}] = k")
        flow.go(body, exit_.body)
    body.add_line(f"F[{slot}] = F[{slot + 1}] = F[{slot + 2}] = None")
    flow.go(body, exit_.after)


def emit_next_player(body: FunctionBuilder, exit_: g.NextAskedPlayer, flow: BlockFlow) -> None:
    slot = exit_.slot
    with body.indent_under(f"if F[{slot + 1}] < len(F[{slot}]):"):
        body.add_line(f"{decisions.asked_player_name(body, exit_.line)} = F[{slot}][F[{slot + 1}]]")
        body.add_line(f"F[{slot + 1}] += 1")
        flow.go(body, exit_.body)
    body.add_line(f"F[{slot}] = F[{slot + 1}] = None")
    flow.go(body, exit_.after)


def emit_next_round(body: FunctionBuilder, exit_: g.NextRepeatRound, flow: BlockFlow) -> None:
    test = statements.emit_test(body, lower_any(body, exit_.line.condition), exit_.line)
    with body.indent_under(f"if not {test}:"):
        body.add_line(f"F[{exit_.slot}] = F[{exit_.slot + 1}] = None")
        flow.go(body, exit_.after)
    with at_new_site(body, "line", exit_.line), body.indent_under(f"if F[{exit_.slot + 1}] >= F[{exit_.slot}]:"):
        body.add_line(f"fault_loop_too_long(F[{exit_.slot}], {exit_.slot + 1}, {flow.continue_at(exit_.head)})")
    body.add_line(f"F[{exit_.slot + 1}] += 1")
    flow.go(body, exit_.body)


def emit_try_amount(body: FunctionBuilder, exit_: g.TryAmount, flow: BlockFlow) -> None:
    with at_new_site(body, "line", exit_.line), writer.record_line(body, exit_.line):
        statements.emit_amount_with_room(body, exit_.line, lambda: flow.go(body, exit_.then))
        body.emit_entry(body.site)
    flow.go(body, exit_.otherwise)


def emit_jump(body: FunctionBuilder, exit_: g.JumpExit, flow: BlockFlow) -> None:
    if exit_.slot is not None and isinstance(exit_.line, st.Proceed) and exit_.line.bound is not None:
        body.add_line(f"F[{exit_.slot}] = (F[{exit_.slot}] or 0) + 1")
        bound = expressions.emit_expression(body, exit_.line.bound)
        with body.indent_under(f"if F[{exit_.slot}] > {bound}:"):
            body.add_line(f"fault_jumped_too_often(F[{exit_.slot}], {exit_.slot}, {flow.continue_at(exit_.block)})")
    with writer.skip_recording(body):
        body.emit_entry(body.site)
    flow.go(body, exit_.block)


def emit_exit(body: FunctionBuilder, exit_: g.BlockExit, flow: BlockFlow) -> None:
    match exit_:
        case g.Goto(block):
            flow.go(body, block)
        case g.BranchExit():
            emit_fork(body, exit_, flow)
        case g.MatchExit():
            emit_match_exit(body, exit_, flow)
        case g.EnterStep(step, enter, skip):
            _emit_arrive(body, step, (enter, skip), flow)
        case g.NextLoopMember():
            emit_next_member(body, exit_, flow)
        case g.NextAskedPlayer():
            emit_next_player(body, exit_, flow)
        case g.NextRepeatRound():
            emit_next_round(body, exit_, flow)
        case g.TryAmount():
            emit_try_amount(body, exit_, flow)
        case g.SettleExit(then, closes):
            _emit_settle_exit(body, then, closes, flow)
        case g.AskDecision():
            with at_new_site(body, "answer", exit_.line) as site:
                site.request_sort = decisions.decision_sort(decisions.find_question(body.module, exit_))
                decisions.emit_question(body, exit_, site, flow)
        case g.TakeDecision(question):
            with at_new_site(body, "answer", question.line) as site:
                decisions.emit_take_answer(body, question, site, flow)
        case g.RequestChance():
            with at_new_site(body, "roll", exit_.line):
                chance.emit_request_chance(body, exit_, flow)
        case g.TakeChance(thrown):
            with at_new_site(body, "roll", thrown.line):
                chance.emit_take_chance(body, thrown, flow)
        case g.RollForRank() | g.AskRankRow():
            with at_new_site(body, "roll" if isinstance(exit_, g.RollForRank) else "answer", exit_.key):
                _emit_rank_request(body, exit_, flow)
        case g.TakeRankRoll(g.RankKeyExit() as asked, again) | g.TakeRankRow(g.RankKeyExit() as asked, again):
            with at_new_site(body, "roll" if isinstance(asked, g.RollForRank) else "answer", asked.key):
                _emit_rank_reply(body, asked, again, flow)
        case g.CallRoutine():
            with at_new_site(body, "call", exit_.line):
                emit_call_routine(body, exit_, flow)
        case g.AskExternal():
            with at_new_site(body, "external", exit_.line) as site:
                site.request_sort = "external"
                emit_ask_external(body, exit_, flow)
        case g.TakeExternalResult(elsewhere):
            with at_new_site(body, "external", elsewhere.line):
                emit_take_external(body, elsewhere, flow)
        case g.OpenWindow():
            with at_new_site(body, "window", exit_.line):
                emit_open_window(body, exit_, flow)
        case g.JumpExit():
            with at_new_site(body, "line", exit_.line):
                emit_jump(body, exit_, flow)
        case g.LeaveRoutine(line):
            emit_leave_routine(body, line, flow)
        case g.UnwindCalls(line):
            emit_unwind(body, line)


def _emit_arrive(body: FunctionBuilder, step: d.Step, blocks: tuple[int, int], flow: BlockFlow) -> None:
    enter, skip = blocks
    guard = None if step.guard is None else lower_any(body, step.guard)
    test = statements.emit_step_test(body, core.Step(guard, (), origin=step))
    if test != "True":
        with body.indent_under(f"if not {test}:"):
            flow.go(body, skip)
    flow.go(body, enter)


def _emit_settle_exit(body: FunctionBuilder, then: int, closes: object, flow: BlockFlow) -> None:
    if closes is not None:
        body.add_line(f"{QUIET_CODE} -= 1")
        body.add_line(f"{CONTROL_CODE}.together -= 1")
    target = flow.continue_at(then)
    with body.indent_under(
        f"if {UNSETTLED_CODE} and not {QUIET_CODE} or {CONTROL_CODE}.removals and not {CONTROL_CODE}.together:"
    ):
        body.add_line(f"{FRAME_BLOCK_CODE} = {target}")
        body.add_line("return push_settling(W)")
    body.add_line(f"return {target}")


def emit_blocks(module: ModuleBuilder, graph: g.FlowGraph, base: int) -> None:
    """Functions for the blocks of a graph, numbered from `base`; a block with one predecessor is inlined there."""
    _BlockEmitter(module, graph, base).emit_all()


class _BlockEmitter:
    def __init__(self, module: ModuleBuilder, graph: g.FlowGraph, base: int) -> None:
        self._module = module
        self._graph = graph
        self._base = base
        entered = {0, *(self.skip_empty_blocks(number) for number, block in enumerate(graph.blocks) if block.entered)}
        leads = Counter(self._iterate_led_to(entered))
        self._shared = entered | {
            number for number, times in leads.items() if times > 1 and not self._only_leaves(number)
        }
        self._pending_blocks: list[int] = []
        self._entry_records = False
        self.sort: str = graph.sort
        self.holds_or_watches = any(
            isinstance(item, d.Hold | d.Watch) for block in graph.blocks for item in block.items
        )

    def _iterate_led_to(self, entered: set[int]) -> Iterator[int]:
        visited, waiting = set(entered), list(entered)
        while waiting:
            for target in map(self.skip_empty_blocks, self._targets_of_exit(self._graph.blocks[waiting.pop()].exit)):
                yield target
                if target not in visited:
                    visited.add(target)
                    waiting.append(target)

    def _only_leaves(self, number: int) -> bool:
        block = self._graph.blocks[number]
        return not block.items and isinstance(block.exit, g.LeaveRoutine)

    def _targets_of_exit(self, exit_: g.BlockExit) -> list[int]:
        match exit_:
            case g.AskDecision():
                return decisions.blocks_without_answer(self._module, exit_)
            case g.TakeDecision(question):
                return decisions.blocks_after_answer(self._module, question, self)
            case g.RequestChance():
                return chance.blocks_without_chance(exit_, traced=self._module.traced)
            case g.TakeChance(thrown):
                return [thrown.then]
            case _:
                return _targets_of_plain_exit(exit_)

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
        site = self._module.add_site("line", None, address=self._graph.name, routine=self._graph.key)
        head = f"def b{self._base + number}(W, F):"
        body = FunctionBuilder(self._module, head, framed=True, names={}, site=site)
        body.has_recorded = self._entry_records
        self._emit_block(body, number)
        self._entry_records = self._entry_records or (number == 0 and body.surely_records)
        self._module.finish_function(body)

    def _emit_block(self, body: FunctionBuilder, number: int) -> None:
        block = self._graph.blocks[number]
        for item in block.items:
            emit_item(body, item)
        emit_exit(body, block.exit, self)

    def go(self, body: FunctionBuilder, number: int) -> None:
        number = self.skip_empty_blocks(number)
        if number in self._shared:
            self._pending_blocks.append(number)
            body.add_line(f"return {self._base + number}")
        else:
            with body.with_own_record():
                self._emit_block(body, number)

    def continue_at(self, block: int) -> int:
        block = self.skip_empty_blocks(block)
        self._pending_blocks.append(block)
        return self._base + block

    def skip_empty_blocks(self, number: int) -> int:
        visited = set()
        while number not in visited:
            visited.add(number)
            block = self._graph.blocks[number]
            match block:
                case g.BasicBlock((), g.Goto(following)):
                    number = following
                case g.BasicBlock((), g.EnterStep(d.Step(guard=None), enter, _)) if not self._module.traced:
                    number = enter
                case g.BasicBlock((), g.JumpExit(_, following, None)) if not self._module.traced:
                    number = following
                case _:
                    break
        return number


def _targets_of_plain_exit(exit_: g.BlockExit) -> list[int]:
    match exit_:
        case g.Goto(block):
            return [block]
        case g.BranchExit(_, blocks, otherwise):
            return [*blocks, otherwise]
        case g.MatchExit(_, blocks):
            return list(blocks)
        case g.EnterStep(step, enter, skip):
            return [enter] if step.guard is None else [enter, skip]
        case (
            g.NextLoopMember(_, _, body, after)
            | g.NextAskedPlayer(_, _, body, after)
            | g.NextRepeatRound(_, _, body, after)
        ):
            return [body, after]
        case g.TryAmount(_, then, otherwise):
            return [then, otherwise]
        case g.RollForRank(then=then) | g.AskRankRow(then=then):
            return [then]
        case g.TakeRankRoll(again=again) | g.TakeRankRow(again=again):
            return [again]
        case g.JumpExit(_, block, _):
            return [block]
        case _:
            return []


def emit_item(body: FunctionBuilder, each: g.BlockItem) -> None:
    """One item of a block; its successor is written after it."""
    match each:
        case d.Need():
            statements.emit_need(body, each, body.site.routine)
        case d.Hold():
            rules = [list(body.module.program.rules).index(rule) for rule in each.rules]
            body.add_line(f"hold_rules(W, F, {tuple(rules)})")
        case d.Watch():
            body.add_line(f"start_watch(W, F, {_emit_watch(body, each)})")
        case g.UnsettlingChange(line):
            _emit_recorded_line(body, line, lambda: statements.emit_change(body, line))
        case g.LoopStart(loop, slot):
            _emit_recorded_line(body, loop, lambda: _emit_loop_start(body, loop, slot))
        case g.RepeatStart(repeat, slot):
            _emit_recorded_line(body, repeat, lambda: _emit_repeat_start(body, repeat, slot))
        case g.RankStart() | g.RankSort() | g.RankEnd():
            _emit_recorded_line(body, each.line, lambda: _emit_rank_item(body, each))
        case g.TogetherStart():
            body.add_line(f"{QUIET_CODE} += 1")
            body.add_line(f"{CONTROL_CODE}.together += 1")
        case g.AskAllStart(line, slot):
            body.add_line(f"F[{slot}] = {expressions.emit_unrecorded(body, line.players.source)}")
            body.add_line(f"F[{slot + 1}] = 0")
            decisions.emit_empty_answers(body, line)
        case g.StoreOneAnswer(line):
            decisions.emit_store_answer(body, line)
        case g.RevealAnswers(line):
            _emit_recorded_line(body, line, lambda: statements.emit_reveal(body, line.answers))
        case _:
            statements.emit_statement(body, each)


def _emit_rank_item(body: FunctionBuilder, item: g.RankStart | g.RankSort | g.RankEnd) -> None:
    first, *keys, last = _lower_rank(body, item.line, item.slot)
    match item:
        case g.RankStart():
            block = first
        case g.RankSort(position=position):
            block = keys[position]
        case g.RankEnd():
            block = last
    for statement in block:
        statements.emit_form(body, statement)
    body.names.clear()


def _lower_rank(body: FunctionBuilder, line: st.Rank, slot: int) -> list[core.Block]:
    """Statements of a rank, which lies in a slot of the frame: its beginning, those of each key, its end."""
    first, *rest, last = lower_line(body, line)
    assert isinstance(first, core.Set)
    assert isinstance(first.place.root, core.Local)
    body.names[first.place.root.index] = f"F[{slot}]"
    result: list[core.Block] = [(first,)]
    for key in line.keys:
        count = 1 if key.requests else 2
        result.append(tuple(rest[:count]))
        del rest[:count]
    return [*result, (last,)]


def _lower_rank_round(body: FunctionBuilder, exit_: g.RankKeyExit) -> core.Block:
    (loop,) = _lower_rank(body, exit_.line, exit_.slot)[1 + exit_.position]
    assert isinstance(loop, core.Loop)
    return loop.body


def _emit_rank_request(body: FunctionBuilder, exit_: g.RankKeyExit, flow: BlockFlow) -> None:
    for statement in _lower_rank_round(body, exit_):
        names = {**body.names}
        match statement:
            case core.If(test=test):
                with body.indent_under(f"if {expressions.emit_expression(body, test)}:"):
                    body.names.clear()
                    flow.go(body, exit_.then)
                body.names.update(names)
            case core.Roll():
                chance.emit_rank_roll_request(body, statement)
                break
            case core.Ask():
                chance.emit_row_question(body, statement)
                break
            case _:
                statements.emit_form(body, statement)
    body.emit_pending_request(flow.continue_at(exit_.resume), "x")
    body.names.clear()


def _emit_rank_reply(body: FunctionBuilder, asked: g.RankKeyExit, again: int, flow: BlockFlow) -> None:
    match _lower_rank_round(body, asked):
        case (*_, core.Roll() as roll, split):
            chance.emit_take_rank_roll(body, roll, flow.continue_at(asked.resume))
            statements.emit_form(body, split)
        case (*_, core.Ask(then=(put,)) as ask):
            chance.emit_take_row(body, ask)
            statements.emit_form(body, put)
    body.names.clear()
    flow.go(body, again)


def _emit_recorded_line(body: FunctionBuilder, line: st.Statement, write: Callable[[], None]) -> None:
    with at_new_site(body, "line", line), writer.record_line(body, line):
        write()


def _emit_watch(around: FunctionBuilder, watch: d.Watch) -> str:
    module = around.module
    module.watches.append(watch.event)
    number = len(module.watches) - 1
    names = {parameter.index: f"v{parameter.index}" for parameter in watch.parameters}
    site = module.add_site("watch", watch, line=True, routine=around.site.routine)
    head = f"def w{number}({', '.join(('W', 'F', *names.values()))}):"
    body = FunctionBuilder(module, head, framed=True, names=names, site=site)
    if watch.guard is not None:
        with writer.skip_recording(body):
            test = statements.emit_condition(body, watch.guard)
        with body.indent_under(f"if not {test}:"):
            body.add_line("return")
    with writer.skip_recording(body):
        body.emit_entry(site, "True", f"({''.join(f'{name}, ' for name in names.values())})")
    for line in watch.block:
        statements.emit_statement(body, line)
    module.finish_function(body)
    return str(number)


def _lower_loop(body: FunctionBuilder, line: st.ForEach, slot: int) -> tuple[list[core.Set], core.For]:
    """What is stored at the start of a loop, and the loop.

    Its members, and those gone at its start, lie in slots of the frame.
    """
    *stored, loop = lower_line(body, line)
    assert isinstance(loop, core.For)
    sets = [statement for statement in stored if isinstance(statement, core.Set)]
    for at, statement in zip((slot + 2, slot), reversed(sets), strict=False):
        assert isinstance(statement.place.root, core.Local)
        body.names[statement.place.root.index] = f"F[{at}]"
    return sets, loop


def _emit_loop_start(body: FunctionBuilder, line: st.ForEach, slot: int) -> None:
    stored, loop = _lower_loop(body, line, slot)
    source = expressions.emit_expression(body, loop.source) if len(stored) < 2 else ""  # noqa: PLR2004
    for statement in stored:
        statements.emit_form(body, statement)
    if source:
        body.add_line(f"F[{slot}] = {source}")
    _forget_stored(body, stored)
    body.add_line(f"F[{slot + 1}] = 0")
    body.emit_entry(body.site, f"F[{slot}]")


def _forget_stored(body: FunctionBuilder, stored: list[core.Set]) -> None:
    """Frees the numbers of temporaries for those of other lines."""
    for statement in stored:
        assert isinstance(statement.place.root, core.Local)
        body.names.pop(statement.place.root.index)


def _emit_repeat_start(body: FunctionBuilder, line: st.Repeat, slot: int) -> None:
    body.add_line(f"F[{slot}] = {expressions.emit_expression(body, line.bound)}")
    body.add_line(f"F[{slot + 1}] = 0")
    body.emit_entry(body.site, f"F[{slot}]")
