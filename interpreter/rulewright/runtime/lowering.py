"""Lowering of routines to flow graphs: cut where a line may suspend, plain stretches kept whole."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Handler, Hold, Need, Procedure, Program, StandingRule, Step, Watch
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.walk import AnyRoutine, compute_transitive_closure, list_routines
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import RANK_SLOTS

if TYPE_CHECKING:
    from rulewright.program.expressions import Expression


_SUSPENDING_LINES = (st.Ask, st.Roll, st.Reroll, st.Draw, st.Shuffle, st.PerformExternal, st.FinishOuter, st.Proceed)
_MAX_PLAIN_CALL_DEPTH = 50
"""Nested calls of plain functions up to which a routine stays one; chosen, far below the recursion limit of Python."""


@dataclass(frozen=True, slots=True)
class SuspensionAnalysis:
    """Which routines and lines may suspend."""

    program: Program
    routines: frozenset[str]  # keys (`routine_key`) of routines that run in frames
    windows: frozenset[str]  # events with at least one handler
    watched_events: frozenset[str]
    external_dependents: frozenset[str]  # external terms that may have to be asked for, and functions that read one
    footprint: ReadFootprint

    def is_framed(self, routine: AnyRoutine) -> bool:
        return routine_key(routine) in self.routines

    def may_suspend(self, line: Any) -> bool:
        return any(_node_suspends(node, self) for node in walk_nodes(line))

    def may_fire_framed_rule(self, line: st.Statement) -> bool:
        """Whether a simple line may fire a standing rule that runs in a frame."""
        written = list_written_places(line)
        return bool(written) and any(
            written & self.footprint.collect_waking_places((rule.binding, rule.condition))
            for rule in self.program.rules.values()
            if self.is_framed(rule) or self.may_need_external((rule.binding, rule.condition))
        )

    def may_need_external(self, node: Any) -> bool:
        """Whether an expression may need a value that has to be asked for."""
        return bool(self.external_dependents & self.footprint.collect_read_places(node))


def routine_key(routine: AnyRoutine) -> str:
    """Name of a routine, prefixed with its sort."""
    return f"{routine_sort(routine)}:{routine.name}"


def routine_sort(routine: AnyRoutine) -> Literal["procedure", "handler", "rule"]:
    match routine:
        case Procedure():
            return "procedure"
        case Handler():
            return "handler"
        case StandingRule():
            return "rule"


def analyse_suspension(program: Program) -> SuspensionAnalysis:
    """Least set of suspending routines that is closed under calling and settling."""
    footprint = ReadFootprint(program)
    windows = frozenset(handler.event for handler in program.handlers.values())
    wanting = frozenset(name for name, external_term in program.external_terms.items() if external_term.default is None)
    heard = frozenset(
        part.event for procedure in program.procedures.values() for part in procedure.opening if isinstance(part, Watch)
    )
    callers = _build_callers(program)
    framed = compute_transitive_closure(
        _find_recursive_routines(callers) | _find_deep_routines(callers), callers.__getitem__
    )
    while True:
        judged = SuspensionAnalysis(program, framed, windows, heard, wanting, footprint)
        grown = framed | {
            routine_key(routine) for routine in list_routines(program) if _must_run_in_frame(routine, judged)
        }
        if grown == framed:
            return judged
        framed = compute_transitive_closure(grown, callers.__getitem__)


def _must_run_in_frame(routine: AnyRoutine, judged: SuspensionAnalysis) -> bool:
    if isinstance(routine, Procedure) and any(isinstance(item, Watch | Hold) for item in routine.opening):
        return True
    return judged.may_suspend(_routine_body(routine))


def _routine_body(routine: AnyRoutine) -> Any:
    return (routine.opening, routine.steps) if isinstance(routine, Procedure) else routine.block


def _node_suspends(node: Any, judged: SuspensionAnalysis) -> bool:
    match node:
        case st.Perform(procedure=name):
            return f"procedure:{name}" in judged.routines
        case st.Trigger(event=event):
            return event in judged.windows
        case st.Remove(events=events) if judged.windows.intersection(events):
            return True
        case ex.ExternalValue() | ex.CallFunction() | ex.DerivedAttribute():
            return judged.may_need_external(node)
        case st.Line():
            return _is_suspending_line(node) or judged.may_fire_framed_rule(node)  # type: ignore[arg-type]
        case _:
            return False


def _is_suspending_line(line: st.Line) -> bool:
    if isinstance(line, st.Rank):
        return any(key.requests for key in line.keys)
    return isinstance(line, _SUSPENDING_LINES)


def _build_callers(program: Program) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {routine_key(item): [] for item in list_routines(program)}
    for routine in list_routines(program):
        called = {node.procedure: None for node in walk_nodes(_routine_body(routine)) if isinstance(node, st.Perform)}
        for name in called:
            result[f"procedure:{name}"].append(routine_key(routine))
    return result


def _find_recursive_routines(callers: dict[str, list[str]]) -> set[str]:
    return callers.keys() - set(_topological_order(callers))


def _find_deep_routines(callers: dict[str, list[str]]) -> set[str]:
    height = dict.fromkeys(callers, 0)
    for name in reversed(_topological_order(callers)):
        for caller in callers[name]:
            height[caller] = max(height[caller], height[name] + 1)
    return {name for name, calls in height.items() if calls > _MAX_PLAIN_CALL_DEPTH}


def _topological_order(callers: dict[str, list[str]]) -> list[str]:
    """Routines in topological order, callers first; recursive routines and all that they perform are left out."""
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


def lower(routine: AnyRoutine, framing: SuspensionAnalysis, steps: tuple[str, str] | None = None) -> g.FlowGraph:
    """Flow graph of a routine, or of the range of its steps that a `perform` names."""
    return _GraphBuilder(routine, framing, steps).build_graph()


def graph_key(routine: AnyRoutine, steps: tuple[str, str] | None) -> str:
    """Key of the graph of a routine, or of a range of its steps."""
    return routine_key(routine) if steps is None else f"{routine_key(routine)}:{steps[0]}..{steps[1]}"


def may_escape(line: st.Statement) -> bool:
    """Whether a line may leave a loop around it, its step or its routine."""
    return any(isinstance(node, st.Finish | st.FinishOuter | st.Proceed) for node in walk_nodes(line)) or _has_stop(
        line
    )


def _has_stop(line: st.Statement) -> bool:
    match line:
        case st.Stop():
            return True
        case st.ForEach() | st.Repeat():
            return False
        case st.Match(cases=cases):
            return any(_has_stop(item) for case in cases for item in case.block)
        case st.If(branches=branches, otherwise=otherwise):
            return any(_has_stop(item) for branch in branches for item in branch.block) or _has_stop_in_block(otherwise)
        case st.Together(block=block):
            return _has_stop_in_block(block)
        case st.AddAmount(otherwise=otherwise) | st.AddMember(otherwise=otherwise):
            return _has_stop_in_block(otherwise)
        case _:
            return False


def _has_stop_in_block(block: st.Block | None) -> bool:
    return any(map(_has_stop, block or ()))


@dataclass
class _OpenBlock:
    items: list[g.BlockItem] = field(default_factory=list)
    exit: g.BlockExit | None = None
    entered: bool = False


class _GraphBuilder:
    def __init__(self, routine: AnyRoutine, framing: SuspensionAnalysis, steps: tuple[str, str] | None) -> None:
        self._routine = routine
        self._framing = framing
        self._step_range = steps
        self._blocks: list[_OpenBlock] = []
        self._slots = g.FIRST_SLOT + len(routine.variables)
        self._cursors: list[tuple[int, Expression]] = []
        self._steps: dict[str, int] = {}
        self._loop_ends: list[int] = []
        self._current = self._new_block(entered=True)

    def build_graph(self) -> g.FlowGraph:
        match self._routine:
            case Procedure():
                self._lower_procedure(self._routine)
            case Handler() | StandingRule():
                self._lower_lines(self._routine.block)
        self._close_block(g.LeaveRoutine(None))
        return g.FlowGraph(
            graph_key(self._routine, self._step_range),
            routine_sort(self._routine),
            self._routine.name,
            tuple(
                g.BasicBlock(tuple(block.items), block.exit or g.LeaveRoutine(None), block.entered)
                for block in self._blocks
            ),
            self._slots,
            tuple(self._cursors),
        )

    # Blocks.

    def _new_block(self, *, entered: bool = False) -> int:
        """A new block; where a value may have to be asked for, each starts a restartable block."""
        anew = bool(self._framing.external_dependents)
        self._blocks.append(_OpenBlock(entered=entered or anew))
        return len(self._blocks) - 1

    def _add_item(self, item: g.BlockItem) -> None:
        self._blocks[self._current].items.append(item)

    def _close_block(self, exit_: g.BlockExit) -> None:
        block = self._blocks[self._current]
        if block.exit is None:
            block.exit = exit_

    def _close_and_move_to(self, exit_: g.BlockExit, block: int) -> None:
        self._close_block(exit_)
        self._current = block

    def _reserve_slots(self, count: int) -> int:
        self._slots += count
        return self._slots - count

    def _lower_branch(self, lines: st.Block | None, after: int) -> int:
        here, start = self._current, self._new_block()
        self._current = start
        self._lower_lines(lines or ())
        self._close_block(g.Goto(after))
        self._current = here
        return start

    # Routines.

    def _lower_procedure(self, procedure: Procedure) -> None:
        steps = self._steps_in_range(procedure.steps)
        starts = [self._new_block() for _ in steps]
        self._steps = {step.id: start for step, start in zip(steps, starts, strict=True)}
        for item in procedure.opening:
            match item:
                case Need() | Hold() | Watch():
                    self._add_item(item)
                case _:
                    self._lower_lines(item)
        self._lower_steps(steps, starts)

    def _steps_in_range(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        if self._step_range is None:
            return steps
        ids = [step.id for step in steps]
        return steps[ids.index(self._step_range[0]) : ids.index(self._step_range[1]) + 1]

    def _lower_steps(self, steps: tuple[Step, ...], starts: list[int]) -> None:
        end = self._new_block()
        self._close_and_move_to(g.Goto((*starts, end)[0]), (*starts, end)[0])
        for step, start, following in zip(steps, starts, (*starts, end)[1:], strict=True):
            self._current = start
            inside = self._new_block()
            self._close_and_move_to(g.EnterStep(step, inside, following), inside)
            self._lower_lines(step.block)
            self._close_block(g.Goto(following))
        self._current = end

    # Lines.

    def _lower_lines(self, lines: st.Block) -> None:
        for line in lines:
            self._lower_line(line)

    def _is_plain(self, line: st.Statement) -> bool:
        return not may_escape(line) and not self._framing.may_suspend(line)

    def _lower_line(self, line: st.Statement) -> None:
        if self._is_plain(line):
            self._add_item(line)
            return
        self._start_restartable_block()
        match line:
            case st.If():
                after = self._new_block()
                blocks = tuple(self._lower_branch(branch.block, after) for branch in line.branches)
                self._close_and_move_to(g.BranchExit(line, blocks, self._lower_branch(line.otherwise, after)), after)
            case st.Match():
                after = self._new_block()
                self._close_and_move_to(
                    g.MatchExit(line, tuple(self._lower_branch(case_.block, after) for case_ in line.cases)), after
                )
            case st.ForEach():
                self._lower_for_each(line)
            case st.Repeat():
                self._lower_repeat(line)
            case st.Together():
                self._add_item(g.TogetherStart(line))
                self._lower_lines(line.block)
                after = self._new_block(entered=True)
                self._close_and_move_to(g.SettleExit(after, line), after)
            case st.AddAmount() if line.otherwise is not None:
                after, taken_block = self._new_block(entered=True), self._new_block()
                otherwise = self._lower_branch(line.otherwise, after)
                self._close_and_move_to(g.TryAmount(line, taken_block, otherwise), taken_block)
                self._close_and_move_to(g.SettleExit(after), after)
            case st.Ask():
                self._lower_ask(line)
            case st.AskAll():
                self._lower_ask_all(line)
            case st.Roll() | st.Reroll() | st.Draw() | st.Shuffle():
                self._lower_chance(line)
            case st.Rank():
                self._lower_rank(line)
            case st.Perform():
                after = self._new_block(entered=True)
                self._close_and_move_to(g.CallRoutine(line, after), after)
            case st.PerformExternal():
                resume, after = self._new_block(entered=True), self._new_block(entered=True)
                elsewhere = g.AskExternal(line, resume, after)
                self._close_and_move_to(elsewhere, resume)
                self._close_and_move_to(g.TakeExternalResult(elsewhere), after)
            case st.Trigger():
                after = self._new_block(entered=True)
                self._close_and_move_to(g.OpenWindow(line, after), after)
            case st.Remove():
                self._lower_remove(line)
            case st.Proceed():
                self._lower_proceed(line)
            case st.Finish():
                self._close_and_move_to(g.LeaveRoutine(line), self._new_block())
            case st.FinishOuter():
                self._close_and_move_to(g.UnwindCalls(line), self._new_block())
            case st.Stop():
                self._close_and_move_to(g.JumpExit(line, self._loop_ends[-1], None), self._new_block())
            case _:
                self._lower_change(line)

    def _lower_chance(self, line: st.Roll | st.Reroll | st.Draw | st.Shuffle) -> None:
        resume, taken_block, after = (
            self._new_block(entered=True),
            self._new_block(),
            self._new_block(entered=bool(list_written_places(line))),
        )
        otherwise = self._lower_branch(line.otherwise if isinstance(line, st.Draw) else None, after)
        chance = g.RequestChance(line, resume, taken_block, otherwise)
        self._close_and_move_to(chance, resume)
        self._close_and_move_to(g.TakeChance(chance), taken_block)
        self._close_and_move_to(g.SettleExit(after) if list_written_places(line) else g.Goto(after), after)

    def _lower_rank(self, line: st.Rank) -> None:
        slot = self._reserve_slots(RANK_SLOTS)
        self._cursors.append((slot, line.binding.source))
        self._add_item(g.RankStart(line, slot))
        for position, key in enumerate(line.keys):
            if not key.requests:
                self._add_item(g.RankSort(line, position, slot))
                continue
            again, resume, after = self._new_block(entered=True), self._new_block(entered=True), self._new_block()
            self._close_and_move_to(g.Goto(again), again)
            if key.best == "ask":
                rank_row = g.AskRankRow(line, position, slot, resume, after)
                self._close_and_move_to(rank_row, resume)
                self._close_and_move_to(g.TakeRankRow(rank_row, again), after)
            else:
                throw = g.RollForRank(line, position, slot, resume, after)
                self._close_and_move_to(throw, resume)
                self._close_and_move_to(g.TakeRankRoll(throw, again), after)
        self._add_item(g.RankEnd(line, slot))

    def _start_restartable_block(self) -> None:
        if self._framing.external_dependents and self._blocks[self._current].items:
            after = self._new_block(entered=True)
            self._close_and_move_to(g.Goto(after), after)

    def _lower_change(self, line: st.Statement) -> None:
        if not self._framing.may_fire_framed_rule(line):
            self._add_item(line)
            return
        self._add_item(g.UnsettlingChange(line))
        after = self._new_block(entered=True)
        self._close_and_move_to(g.SettleExit(after), after)

    def _lower_remove(self, line: st.Remove) -> None:
        self._add_item(g.UnsettlingChange(line))
        if self._framing.windows.intersection(line.events):
            after = self._new_block(entered=True)
            self._close_and_move_to(g.OpenWindow(line, after), after)
        after = self._new_block(entered=True)
        self._close_and_move_to(g.SettleExit(after), after)

    def _lower_for_each(self, line: st.ForEach) -> None:
        slot = self._reserve_slots(3)
        self._cursors.append((slot, line.binding.source))
        self._add_item(g.LoopStart(line, slot))
        _, body, after = self._lower_loop_body(line.block)
        self._close_and_move_to(g.NextLoopMember(line, slot, body, after), after)

    def _lower_repeat(self, line: st.Repeat) -> None:
        slot = self._reserve_slots(2)
        self._add_item(g.RepeatStart(line, slot))
        head, body, after = self._lower_loop_body(line.block)
        self._close_and_move_to(g.NextRepeatRound(line, slot, body, after, head), after)

    def _lower_loop_body(self, block: st.Block) -> tuple[int, int, int]:
        """The open block, the entry of the loop body, which leads back to it, and the block after the loop."""
        head, after = self._new_block(), self._new_block()
        self._close_and_move_to(g.Goto(head), head)
        self._loop_ends.append(after)
        body = self._lower_branch(block, head)
        self._loop_ends.pop()
        return head, body, after

    def _lower_ask(self, line: st.Ask) -> None:
        resume, after = self._new_block(entered=True), self._new_block()
        otherwise = self._lower_branch(line.otherwise, after)
        if isinstance(line.shape, st.Choose):
            options = tuple(self._lower_branch(option.block, after) for option in line.shape.options)
            question = g.AskDecision(line, resume, after, otherwise, options)
        else:
            question = g.AskDecision(line, resume, self._lower_branch(line.block, after), otherwise)
        self._close_and_move_to(question, resume)
        self._close_and_move_to(g.TakeDecision(question), after)

    def _lower_ask_all(self, line: st.AskAll) -> None:
        slot = self._reserve_slots(2)
        self._add_item(g.AskAllStart(line, slot))
        head, body, after = self._new_block(), self._new_block(), self._new_block()
        self._close_and_move_to(g.Goto(head), head)
        self._close_and_move_to(g.NextAskedPlayer(line, slot, body, after), body)
        resume, gathered = self._new_block(entered=True), self._new_block()
        question = g.AskDecision(line.question, resume, gathered, gathered, (gathered,) * _count_options(line.question))
        self._close_and_move_to(question, resume)
        self._close_and_move_to(g.TakeDecision(question), gathered)
        self._add_item(g.StoreOneAnswer(line))
        self._close_and_move_to(g.Goto(head), after)
        self._add_item(g.RevealAnswers(line))

    def _lower_proceed(self, line: st.Proceed) -> None:
        if line.step not in self._steps:
            self._close_and_move_to(g.LeaveRoutine(None), self._new_block())
            return
        slot = None if line.bound is None else self._reserve_slots(1)
        self._close_and_move_to(g.JumpExit(line, self._steps[line.step], slot), self._new_block())


def _count_options(line: st.Ask) -> int:
    return len(line.shape.options) if isinstance(line.shape, st.Choose) else 0
