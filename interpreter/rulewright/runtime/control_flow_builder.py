"""Cutting of core routines into basic blocks: where a statement may stop or lead out; the rest is kept whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.core.stopping import StopAnalysis
from rulewright.program.core.walking import walk_expressions, walk_forms, walk_statements
from rulewright.program.types import get_member_type
from rulewright.runtime import control_flow as cf
from rulewright.runtime.frame_slots import FIRST_SLOT

_MAX_PLAIN_CALL_DEPTH = 50
"""Nested calls of plain functions up to which a routine stays one; chosen, far below the recursion limit of Python."""
_LEADING_OUT = (core.Jump, core.Return, core.Unwind)


class FrameAnalysis:
    """Which routines of a core program run in frames: those that may stop, and those that no plain function can be."""

    def __init__(self, program: core.CoreProgram) -> None:
        self.program = program
        self.stops = StopAnalysis(program, self._find_routines_beyond_functions())
        self.effects = self.stops.effects
        self._graphs: dict[str, cf.ControlFlowGraph] = {}

    def is_framed(self, key: str) -> bool:
        """Whether a routine, by its key, runs in a frame."""
        return self.stops.may_routine_stop(key)

    def calls_framed(self, statement: core.Statement) -> bool:
        """Whether a statement calls a routine that runs in a frame, although it may not stop where this one runs."""
        return any(isinstance(each, core.Call) and self.is_framed(each.routine) for each in walk_statements(statement))

    def get_graph(self, key: str) -> cf.ControlFlowGraph:
        """Graph of a routine, by its key, whether it runs in a frame or not."""
        if key not in self._graphs:
            self._graphs[key] = build_control_flow(key, self)
        return self._graphs[key]

    @cached_property
    def watched_events(self) -> frozenset[str]:
        """Events that a running call may watch."""
        return frozenset(
            statement.effect.event
            for statement in walk_statements(tuple(self.program.routines.values()))
            if isinstance(statement, core.During) and isinstance(statement.effect, core.Listening)
        )

    @cached_property
    def may_want_values(self) -> bool:
        """Whether any value may have to be asked for."""
        return any(
            isinstance(form, core.Wanted) and form.default is None
            for form in walk_forms(tuple(self.program.routines.values()))
        )

    def _find_routines_beyond_functions(self) -> frozenset[str]:
        """Windows, recursive and deeply nested calls, and routines that jump, unwind, hold or watch."""
        routines = self.program.routines
        callers = _find_callers(self.program)
        return frozenset(
            {
                *self.program.windows.values(),
                *_find_recursive_routines(callers),
                *_find_deep_routines(callers),
                *(
                    key
                    for key, routine in routines.items()
                    if any(isinstance(each, core.Jump | core.Unwind | core.During) for each in walk_statements(routine))
                ),
            }
        )


def _find_callers(program: core.CoreProgram) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {key: [] for key in program.routines}
    for key, routine in program.routines.items():
        called = {each.routine: None for each in walk_statements(routine) if isinstance(each, core.Call)}
        for name in called:
            result[name].append(key)
    return result


def _find_recursive_routines(callers: dict[str, list[str]]) -> set[str]:
    return callers.keys() - set(_order_topologically(callers))


def _find_deep_routines(callers: dict[str, list[str]]) -> set[str]:
    height = dict.fromkeys(callers, 0)
    for name in reversed(_order_topologically(callers)):
        for caller in callers[name]:
            height[caller] = max(height[caller], height[name] + 1)
    return {name for name, calls in height.items() if calls > _MAX_PLAIN_CALL_DEPTH}


def _order_topologically(callers: dict[str, list[str]]) -> list[str]:
    """Routines in topological order, callers first; recursive routines and all that they call are left out."""
    called: dict[str, list[str]] = {name: [] for name in callers}
    for name, item in callers.items():
        for caller in item:
            called[caller].append(name)
    open_caller_counts = {name: len(each) for name, each in callers.items()}
    result = [name for name, count in open_caller_counts.items() if not count]
    for name in result:
        for inner in called[name]:
            open_caller_counts[inner] -= 1
            if not open_caller_counts[inner]:
                result.append(inner)
    return result


def build_control_flow(key: str, frames: FrameAnalysis) -> cf.ControlFlowGraph:
    """Control flow graph of a routine that runs in a frame."""
    return _ControlFlowBuilder(frames.program.routines[key], frames).build()


def may_lead_out(statement: core.Statement) -> bool:
    """Whether a statement may leave a loop around it, its step or its routine."""
    own_labels = {each.label for each in walk_statements(statement) if isinstance(each, core.For | core.Loop)}
    return any(
        isinstance(each, _LEADING_OUT) or (isinstance(each, core.Leave) and each.label not in own_labels)
        for each in walk_statements(statement)
    )


def list_loop_checks(loop: core.For) -> tuple[core.If, ...]:
    """The conditions at the head of a loop under which it passes over a member."""
    checks = []
    for statement in loop.body:
        if not (isinstance(statement, core.If) and statement.origin is loop.origin and _passes_over(statement, loop)):
            break
        checks.append(statement)
    return tuple(checks)


def _passes_over(statement: core.If, loop: core.For) -> bool:
    return any(
        isinstance(last, core.Leave) and last.again and last.label == loop.label
        for last in (*statement.then[-1:], *statement.other[-1:])
    )


@dataclass
class _OpenBlock:
    items: list[cf.BlockItem] = field(default_factory=list)
    exit: cf.BlockExit | None = None
    entered: bool = False


class _ControlFlowBuilder:
    def __init__(self, routine: core.Routine, frames: FrameAnalysis) -> None:
        self._routine = routine
        self._frames = frames
        self._blocks: list[_OpenBlock] = []
        named = [local.index for local in routine.locals if local.name]
        self._slot_count = FIRST_SLOT + max(named, default=-1) + 1
        self._slots = {index: FIRST_SLOT + index for index in named}
        self._cursors: dict[int, core.CoreType] = {}
        self._quiet: set[int] = set()
        self._steps: list[int] = []
        self._loops: dict[int, tuple[int, int]] = {}
        self._current = self._new_block(entered=True)

    def build(self) -> cf.ControlFlowGraph:
        routine = self._routine
        self._steps = [self._new_block() for _ in routine.steps]
        if routine.sort == "window" and routine.origin.name in self._frames.watched_events:
            self._add_item(cf.WatchNotice(routine.origin.name, routine.parameters))
            after = self._new_block(entered=True)
            self._close_and_move_to(cf.Goto(after), after)
        self._cut_block(routine.entry)
        self._cut_steps(routine.steps)
        self._close_block(cf.LeaveRoutine(None))
        blocks = tuple(
            cf.BasicBlock(tuple(block.items), block.exit or cf.LeaveRoutine(None), block.entered)
            for block in self._blocks
        )
        self._give_slots_to_temporaries(blocks)
        types = {self._slots[local.index]: local.type for local in routine.locals if local.index in self._slots}
        return cf.ControlFlowGraph(
            routine, blocks, self._slots, types, self._slot_count, self._cursors, frozenset(self._quiet)
        )

    def _give_slots_to_temporaries(self, blocks: tuple[cf.BasicBlock, ...]) -> None:
        """A temporary that is named in two blocks lives in the frame; another only within its block."""
        homes: dict[int, int] = {}
        for number, block in enumerate(blocks):
            for form in walk_forms(*map(list_item_forms, block.items), list_exit_forms(block.exit)):
                is_shared = isinstance(form, core.Local) and homes.setdefault(form.index, number) != number
                if is_shared and form.index not in self._slots:
                    self._slots[form.index] = self._reserve_slots(1)

    # Blocks.

    def _new_block(self, *, entered: bool = False) -> int:
        self._blocks.append(_OpenBlock(entered=entered))
        return len(self._blocks) - 1

    def _add_item(self, item: cf.BlockItem) -> None:
        self._blocks[self._current].items.append(item)

    def _close_block(self, exit_: cf.BlockExit) -> None:
        block = self._blocks[self._current]
        if block.exit is None:
            block.exit = exit_

    def _close_and_move_to(self, exit_: cf.BlockExit, block: int) -> None:
        self._close_block(exit_)
        self._current = block

    def _reserve_slots(self, count: int) -> int:
        self._slot_count += count
        return self._slot_count - count

    def _cut_branch(self, block: core.Block, after: int) -> int:
        here, start = self._current, self._new_block()
        self._current = start
        self._cut_block(block)
        self._close_block(cf.Goto(after))
        self._current = here
        return start

    def _cut_steps(self, steps: tuple[core.Step, ...]) -> None:
        end = self._new_block()
        starts = (*self._steps, end)
        self._close_and_move_to(cf.Goto(starts[0]), starts[0])
        for step, start, following in zip(steps, self._steps, starts[1:], strict=True):
            self._current = start
            if step.guard is not None and self._may_want_value(step.guard):
                self._blocks[start].entered = True
            inside = self._new_block()
            self._close_and_move_to(cf.EnterStep(step, inside, following), inside)
            self._cut_block(step.block)
            self._close_block(cf.Goto(following))
        self._current = end

    # Statements.

    def _cut_block(self, block: core.Block) -> None:
        ended_quiet: core.Quiet | None = None
        kept_until = 0
        for number, (statement, stops) in enumerate(
            zip(block, self._frames.stops.may_stop_in_block(block), strict=True)
        ):
            if stops and number >= kept_until and self._frames.may_want_values:
                kept_until = number + _count_recomputable(block[number:])
                if kept_until > number:
                    self._start_restartable_block(statement)
            if number < kept_until:
                self._add_item(statement)
                continue
            is_cut = stops or may_lead_out(statement) or self._frames.calls_framed(statement)
            if isinstance(statement, core.Settle) and ended_quiet and statement.origin is ended_quiet.origin:
                continue  # the end of a `Quiet` that holds back removals settles, where it is cut
            ended_quiet = statement if is_cut and isinstance(statement, core.Quiet) and statement.holds_back else None
            if is_cut and not isinstance(statement, core.During):
                self._cut(statement)
            else:
                self._add_item(statement)

    def _cut(self, statement: core.Statement) -> None:
        wants = self._may_want_value(*list_own_expressions(statement))
        if isinstance(statement, core.Trigger):
            wants |= statement.event in self._frames.stops.events_that_want
        if wants and not isinstance(statement, core.For | core.Loop | core.Quiet):
            self._start_restartable_block(statement)
        match statement:
            case core.If():
                self._cut_branches(statement)
            case core.For():
                self._cut_for(statement)
            case core.Loop():
                self._cut_loop(statement)
            case core.Quiet(body=body):
                self._add_item(cf.QuietStart(statement))
                first = len(self._blocks)
                self._cut_block(body)
                self._quiet.update(range(first, len(self._blocks)))
                after = self._new_block(entered=statement.holds_back)
                self._close_and_move_to(cf.QuietEnd(statement, after), after)
            case core.Leave(label=label, again=again):
                head, after = self._loops[label]
                self._close_and_move_to(cf.LeaveLoop(statement, head if again else after), self._new_block())
            case core.Jump(step=step, rounds=rounds):
                slot = None
                if rounds is not None:
                    slot = self._slots[rounds.index] = self._reserve_slots(1)
                self._close_and_move_to(cf.JumpExit(statement, self._steps[step], slot), self._new_block())
            case core.Return():
                self._close_and_move_to(cf.LeaveRoutine(statement), self._new_block())
            case core.Unwind():
                self._close_and_move_to(cf.UnwindCalls(statement), self._new_block())
            case core.Ask():
                self._cut_question(statement)
            case core.Roll() | core.Reroll() | core.Draw() | core.Shuffle():
                resume, after = self._new_block(entered=True), self._new_block()
                chance = cf.RequestChance(statement, resume, after)
                self._close_and_move_to(chance, resume)
                self._close_and_move_to(cf.TakeChance(chance), after)
            case core.External():
                resume, after = self._new_block(entered=True), self._new_block()
                elsewhere = cf.AskExternal(statement, resume, after)
                self._close_and_move_to(elsewhere, resume)
                self._close_and_move_to(cf.TakeExternalResult(elsewhere), after)
            case core.Call():
                self._close_and_enter(lambda after: cf.CallRoutine(statement, after))
            case core.Trigger(event=event) if event in self._frames.program.windows:
                self._close_and_enter(lambda after: cf.OpenWindow(statement, after))
            case core.Settle():
                self._close_and_enter(lambda after: cf.SettleExit(statement, after))
            case _:
                self._add_item(statement)

    def _close_and_enter(self, make_exit: "Callable[[int], cf.BlockExit]") -> None:
        after = self._new_block(entered=True)
        self._close_and_move_to(make_exit(after), after)

    def _cut_branches(self, statement: core.If) -> None:
        """Cuts a condition with all conditions behind its `else`, which may be many."""
        after = self._new_block()
        while True:
            then = self._cut_branch(statement.then, after)
            match statement.other:
                case (core.If() as following,):
                    other = self._new_block(entered=self._may_want_value(following.test))
                    self._close_and_move_to(cf.Branch(statement, then, other), other)
                    statement = following
                case block:
                    self._close_and_move_to(cf.Branch(statement, then, self._cut_branch(block, after)), after)
                    return

    def _cut_for(self, loop: core.For) -> None:
        if self._may_want_value(loop.source):
            self._start_restartable_block(loop)
        slot = self._reserve_slots(2)
        member = get_member_type(loop.source.type)  # type: ignore[arg-type]
        if member is not None:
            self._cursors[slot] = member
        self._add_item(cf.LoopStart(loop, slot))
        checks = list_loop_checks(loop)
        wants = self._may_want_value(*(check.test for check in checks))
        head, body, after = self._cut_loop_body(loop.label, loop.body[len(checks) :], entered=wants)
        self._blocks[head].exit = cf.NextMember(loop, slot, body, after)
        self._current = after

    def _cut_loop(self, loop: core.Loop) -> None:
        if loop.bound is None:
            head, after = self._new_block(), self._new_block()
            self._close_and_move_to(cf.Goto(head), head)
            self._loops[loop.label] = head, after
            self._cut_block(loop.body)
            self._close_and_move_to(cf.Goto(head), after)
            return
        if self._may_want_value(loop.bound):
            self._start_restartable_block(loop)
        slot = self._reserve_slots(2)
        self._add_item(cf.RoundsStart(loop, slot))
        wants = loop.test is not None and self._may_want_value(loop.test)
        head, body, after = self._cut_loop_body(loop.label, loop.body, entered=wants)
        self._blocks[head].exit = cf.NextRound(loop, slot, body, after, head)
        self._current = after

    def _cut_loop_body(self, label: int, block: core.Block, *, entered: bool) -> tuple[int, int, int]:
        """The head of a loop, still without exit, its body, which leads back to it, and the block behind it."""
        head, after = self._new_block(entered=entered), self._new_block()
        self._close_and_move_to(cf.Goto(head), head)
        self._loops[label] = head, after
        return head, self._cut_branch(block, head), after

    def _cut_question(self, question: core.Ask) -> None:
        resume, after = self._new_block(entered=True), self._new_block()
        ways = self._cut_branch(question.then, after), self._cut_branch(question.none, after)
        asked = cf.AskDecision(question, resume, *ways)
        self._close_and_move_to(asked, resume)
        self._close_and_move_to(cf.TakeDecision(asked), after)

    # Values that may have to be asked for: the block begins anew when they have come.

    def _may_want_value(self, *expressions: core.Expression) -> bool:
        return self._frames.may_want_values and self._frames.effects.may_want_value(*expressions)

    def _start_restartable_block(self, statement: core.Statement) -> None:
        """Begins a block before a statement, and before what its line has computed for it."""
        items = self._blocks[self._current].items
        kept = len(items)
        while kept and _is_computed_for(items[kept - 1], statement):
            kept -= 1
        if not kept:
            self._blocks[self._current].entered = True
            return
        computed = items[kept:]
        del items[kept:]
        after = self._new_block(entered=True)
        self._close_and_move_to(cf.Goto(after), after)
        self._blocks[after].items += computed


def _is_computed_for(item: cf.BlockItem, statement: core.Statement) -> bool:
    is_temporary = isinstance(item, core.Set) and isinstance(item.place.root, core.Local) and not item.place.root.name
    return is_temporary and item.origin is statement.origin  # type: ignore[union-attr]


def _count_recomputable(block: core.Block) -> int:
    """How many statements at the head of a block only set one name, so that they may be begun anew together."""
    count, name = 0, None
    for statement in block:
        names = _list_names_set(statement)
        if names is None or len(names) > 1 or (count and names != {name}):
            break
        if count == 0:
            name = next(iter(names), None)
        count += 1
        if not isinstance(block[0], core.Set):
            break
    return count


def _list_names_set(statement: core.Statement) -> set[int] | None:
    """Names that a statement sets last, whichever way it goes; none if it does anything else."""
    names: set[int] = set()
    for each in walk_statements(statement):
        match each:
            case core.If(then=then, other=other) if len(then) <= 1 and len(other) <= 1:
                pass
            case core.Set(place=core.Place(root=core.Local(index=index), path=())):
                names.add(index)
            case core.Fail():
                pass
            case _:
                return None
    return names


def list_own_expressions(statement: core.Statement) -> Iterator[core.Expression]:
    """What a statement itself evaluates, without what statements inside it do."""
    return walk_expressions(statement)


def list_item_forms(item: cf.BlockItem) -> tuple[Any, ...]:
    """The forms that an item evaluates or sets."""
    match item:
        case cf.LoopStart(loop):
            return (loop.source,)
        case cf.RoundsStart(loop):
            return (loop.bound,)
        case cf.QuietStart():
            return ()
        case cf.WatchNotice(_, parameters):
            return (parameters,)
        case _:
            return (item,)


def list_exit_forms(exit_: cf.BlockExit) -> tuple[Any, ...]:
    """The forms that an exit evaluates or sets, without those of the blocks that it leads to."""
    match exit_:
        case cf.Branch(statement):
            return (statement.test,)
        case cf.EnterStep(step):
            return () if step.guard is None else (step.guard,)
        case cf.NextMember(loop):
            return (tuple(name for name in loop.names if name is not None), list_loop_checks(loop))
        case cf.NextRound(loop):
            return () if loop.test is None else (loop.test,)
        case cf.AskDecision(statement) | cf.TakeDecision(cf.AskDecision(statement)):
            parts = (statement.player, statement.space, statement.conditions, statement.result)
            return (*parts, *(part for part in (statement.everyone, statement.subject) if part is not None))
        case cf.RequestChance(chance) | cf.TakeChance(cf.RequestChance(chance)):
            return (chance,)
        case cf.AskExternal(external) | cf.TakeExternalResult(cf.AskExternal(external)):
            return (external,)
        case cf.CallRoutine(call):
            return (call,)
        case cf.OpenWindow(trigger):
            return (trigger,)
        case cf.JumpExit(jump):
            return (jump,)
        case cf.UnwindCalls(unwind):
            return (unwind,)
        case cf.LeaveRoutine(returned):
            return () if returned is None else (returned,)
        case cf.Goto() | cf.SettleExit() | cf.QuietEnd() | cf.LeaveLoop():
            return ()
