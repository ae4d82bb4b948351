"""Liveness of the slots of frames by backward data-flow analysis (Kildall 1973), with what is still observed of dice.

An attribute is a known zero if it is 0 or no for every thing and no line raises it: branches that need it are dead.
Liveness is computed per set of known zeros.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, assert_never

from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.dice_reads import (
    DiceReadAnalysis,
    KnownZeros,
    RoutineReads,
    is_never_true,
    join_reads,
)
from rulewright.program.core.walking import walk_forms, walk_statements
from rulewright.program.declarations import Program
from rulewright.program.dice_observations import (
    FULLY_OBSERVED,
    DiceReads,
    DieObservations,
    extend_for_reroll,
    merge_reads,
)
from rulewright.program.walk import may_hold_type
from rulewright.runtime import control_flow as cf
from rulewright.runtime.control_flow_builder import FrameAnalysis, list_loop_checks
from rulewright.runtime.frame_slots import FIRST_SLOT
from rulewright.runtime.working_memory import FlowTable


@dataclass(frozen=True, slots=True)
class FrameComparison:
    """How the live slots of a frame are compared.

    The content of a slot is `dice` for a variable that may hold some, `number` for a number, `numbers` for a value that
    may contain some, `members` for the remaining members of a loop, by their type, `rounds` for the count of a loop
    whose bound is `MIN_PROMISED_ROUNDS` or more; empty for what is no value.
    """

    slots: frozenset[int]  # all live slots
    plain_values: Callable[[list[Any]], tuple[Any, ...]]  # the head of a frame, and variables compared as they are
    special_slots: tuple[
        tuple[int, str, core.CoreType | None, DieObservations], ...
    ]  # slots with their content, and what is still observed of dice


MIN_PROMISED_ROUNDS = 100
"""Rounds from which the bound of a loop counts as a promise of termination, not as a rule of the game."""

_NUMERIC_KINDS: Mapping[type, str] = {
    **dict.fromkeys(ty.NUMERIC, "number"),
    **dict.fromkeys((ty.OptionalType, ty.RecordType, ty.MapType), "numbers"),
}


class LivenessAnalysis:
    """Liveness of the slots in frames of one program."""

    def __init__(
        self, program: Program, frames: FrameAnalysis, tables: Sequence[FlowTable], *, even: bool = False
    ) -> None:
        """`even`: players do not distinguish equal-looking dice when they choose some."""
        self._program = program
        self._frames = frames
        self._equates_like_dice = even
        self._reading = DiceReadAnalysis(frames.program)
        self._tables = tables
        self._graphs: dict[str, _RoutineGraph | None] = {}
        self._live_by_block: dict[tuple[str, KnownZeros], list[DiceReads] | None] = {}
        self._comparisons: dict[tuple[int, int, KnownZeros, int], FrameComparison | None] = {}
        statements = walk_statements(tuple(frames.program.routines.values()))
        self._has_rerolls = any(isinstance(statement, core.Reroll) for statement in statements)

    @cached_property
    def never_raised_attributes(self) -> frozenset[str]:
        """Stored attributes, as `Kind/name`, that every line leaves alone, lowers, or sets to 0 or no."""
        members = {
            f"{kind.name}/{field.name}"
            for kind in self._program.kinds.values()
            for field in kind.fields
            if isinstance(field.type, ty.FlagType)
            or (isinstance(field.type, ty.NumberType) and (field.type.low or 0) >= 0)
        }
        for external in self._program.external_procedures.values():
            members.difference_update(external.changes)
        for routine in self._frames.program.routines.values():
            members.difference_update(_list_raised_attributes(routine))
        return frozenset(members)

    def find_live_slots(self, flow: int, block: int, known_zeros: KnownZeros) -> DiceReads | None:
        """Reads by slot from a block of the executable on; none if every slot is live."""
        return self.live_slots_after(flow, block - self._tables[flow].entry, known_zeros)

    def plan_frame_comparison(
        self, flow: int, block: int, known_zeros: KnownZeros, awaited: int = 0
    ) -> FrameComparison | None:
        """Comparison of the live slots; none if every slot is compared.

        What is in the slot that awaits the result of a running call is dead, unless a watch may read it meanwhile.
        """
        known = flow, block, known_zeros, awaited
        if known not in self._comparisons:
            reads = self.find_live_slots(flow, block, known_zeros)
            if reads is not None and awaited and awaited not in self._list_watched_slots(flow):
                reads = {slot: observations for slot, observations in reads.items() if slot != awaited}
            items = [] if reads is None else [*self._plan_slots(flow, reads)]
            plain = itemgetter(*range(FIRST_SLOT), *(slot for slot, how, *_ in items if how == "value"))
            rest = tuple(item for item in items if item[1] != "value")
            self._comparisons[known] = None if reads is None else FrameComparison(frozenset(reads), plain, rest)
        return self._comparisons[known]

    def _list_watched_slots(self, flow: int) -> Container[int]:
        routine_graph = self._find_routine_graph(self._tables[flow].key)
        return () if routine_graph is None else routine_graph.to_slots(routine_graph.always_live)

    def _plan_slots(
        self, flow: int, reads: DiceReads
    ) -> Iterator[tuple[int, str, core.CoreType | None, DieObservations]]:
        routine_graph = self._find_routine_graph(self._tables[flow].key)
        assert routine_graph is not None
        graph, rounds = routine_graph.graph, routine_graph.round_bounds
        for slot in sorted(reads):
            type_ = graph.cursors.get(slot) or graph.slot_types.get(slot)
            if slot in rounds:
                yield slot, "rounds", None, reads[slot]
            elif type_ is None or slot in routine_graph.jump_counts:
                yield slot, "", None, reads[slot]
            elif slot in graph.cursors:
                yield slot, "members", type_, reads[slot]
            else:
                how = "dice" if self.may_hold_dice(type_) else _NUMERIC_KINDS.get(type(type_), "value")
                yield slot, how, type_, reads[slot]

    def find_round_slots(self, flow: int) -> Mapping[int, int]:
        """Slots that count rounds of loops with a bound of `MIN_PROMISED_ROUNDS` or more, with that bound."""
        routine_graph = self._find_routine_graph(self._tables[flow].key)
        return {} if routine_graph is None else routine_graph.round_bounds

    def may_hold_dice(self, type_: core.CoreType) -> bool:
        held = type_.member if isinstance(type_, core.RankingType) else type_
        return may_hold_type(held, (ty.DieType, ty.PoolType), self._program)

    def get_block(self, flow: int, block: int) -> cf.BasicBlock:
        return self.list_blocks(flow)[block - self._tables[flow].entry]

    def list_blocks(self, flow: int) -> Sequence[cf.BasicBlock]:
        """Blocks of a flow; empty if it never suspends."""
        graph = self.find_graph(self._tables[flow].key)
        return () if graph is None else graph.blocks

    def find_graph(self, key: str) -> cf.ControlFlowGraph | None:
        """Graph of a routine by its key; none if it never suspends."""
        routine_graph = self._find_routine_graph(key)
        return None if routine_graph is None else routine_graph.graph

    def live_slots_after(self, flow: int, block: int, known_zeros: KnownZeros) -> DiceReads | None:
        """As `find_live_slots`, for a block by its number in the flow."""
        key = self._tables[flow].key
        live, routine_graph = self._solve_routine(key, known_zeros), self._find_routine_graph(key)
        return None if live is None or routine_graph is None else routine_graph.to_slots(live[block])

    def _find_routine_graph(self, key: str) -> "_RoutineGraph | None":
        if key not in self._graphs:
            self._graphs[key] = (
                _RoutineGraph(self._frames.get_graph(key), self._reading.find_routine(key))
                if self._frames.is_framed(key)
                else None
            )
        return self._graphs[key]

    def _solve_routine(self, key: str, known_zeros: KnownZeros) -> list[DiceReads] | None:
        """Reads at the entry of each block; none during the computation (recursion) and for plain routines."""
        if (key, known_zeros) not in self._live_by_block:
            self._live_by_block[key, known_zeros] = None
            flow = self._find_routine_graph(key)
            if flow is not None:
                self._live_by_block[key, known_zeros] = self._solve_data_flow(flow, known_zeros)
        return self._live_by_block[key, known_zeros]

    def _solve_data_flow(self, flow: "_RoutineGraph", known_zeros: KnownZeros) -> list[DiceReads]:
        blocks = flow.graph.blocks
        live: list[DiceReads] = [{} for _ in blocks]
        changed = True
        while changed:
            changed = False
            for number in range(len(blocks) - 1, -1, -1):
                zeros = known_zeros | flow.list_names_answered_no(number, known_zeros)
                after = merge_reads(flow.always_live, self._read_exit(flow, blocks[number].exit, live, zeros))
                reads = merge_reads(flow.always_live, self._read_items(flow, blocks[number].items, after, zeros))
                if self._has_rerolls:
                    reads = {name: extend_for_reroll(observations) for name, observations in reads.items()}
                if reads != live[number]:
                    live[number], changed = reads, True
        return live

    def _read_items(
        self, flow: "_RoutineGraph", items: tuple[cf.BlockItem, ...], after: DiceReads, zeros: KnownZeros
    ) -> DiceReads:
        for item in reversed(items):
            match item:
                case cf.LoopStart(loop, slot):
                    after = merge_reads(_without_slots(after, slot), flow.routine.read(loop.source))
                case cf.RoundsStart(loop, slot):
                    bound = {} if loop.bound is None else flow.routine.read(loop.bound)
                    after = merge_reads(_without_slots(after, slot), bound)
                case cf.QuietStart():
                    pass
                case cf.WatchNotice(_, parameters):
                    after = merge_reads(after, {parameter.index: FULLY_OBSERVED for parameter in parameters})
                case _:
                    after = flow.routine.read_before((item,), after, zeros)
        return after

    def _read_exit(
        self, flow: "_RoutineGraph", exit_: cf.BlockExit, live: list[DiceReads], zeros: KnownZeros
    ) -> DiceReads:
        routine = flow.routine
        match exit_:
            case cf.Goto(block) | cf.SettleExit(_, block) | cf.QuietEnd(_, block) | cf.LeaveLoop(_, block):
                return live[block]
            case cf.Branch(statement, then, other):
                return routine.join_branches(statement.test, live[then], live[other], zeros)
            case cf.EnterStep(step, enter, skip):
                return routine.join_branches(step.guard, live[enter], live[skip], zeros)
            case cf.NextMember(loop, slot, body, after):
                checks = routine.read(*(check.test for check in list_loop_checks(loop)))
                inner = routine.forget(merge_reads(live[body], checks), *loop.names)
                return join_reads(inner, live[after], _read_slots(slot))
            case cf.NextRound(loop, slot, body, after):
                return merge_reads(routine.join_branches(loop.test, live[body], live[after], zeros), _read_slots(slot))
            case cf.AskDecision(ask, resume, then, none):
                waiting = {} if flow.is_never_asked(ask, zeros) else live[resume]
                others = waiting if _has_answers(ask) else merge_reads(waiting, live[none])
                asked = routine.read_question(ask, merge_reads(live[then], others), even=self._equates_like_dice)
                return join_reads(asked, others, routine.forget(live[then], ask.result))
            case cf.TakeDecision(cf.AskDecision(ask, _, then)):
                asked = routine.read_question(ask, live[then], even=self._equates_like_dice)
                return merge_reads(asked, routine.forget(live[then], ask.result))
            case cf.RequestChance(statement, resume, then):
                return routine.read_before((statement,), merge_reads(live[resume], live[then]))
            case cf.TakeChance(cf.RequestChance(core.Roll(result=result), _, then)):
                return routine.forget(live[then], result)
            case cf.TakeChance(cf.RequestChance(core.Reroll(), _, then)):
                return live[then]
            case cf.TakeChance(cf.RequestChance(statement, _, then)):
                return routine.read_before((statement,), live[then])
            case cf.CallRoutine(call, then):
                return self._read_call(flow, call, live[then], zeros)
            case cf.AskExternal(statement, resume, then):
                return routine.read_before((statement,), merge_reads(live[resume], live[then]))
            case cf.TakeExternalResult(cf.AskExternal(statement, _, then)):
                return routine.read_before((statement,), live[then])
            case cf.OpenWindow(statement, then):
                return routine.read_before((statement,), live[then])
            case cf.JumpExit(statement, block):
                counted = {} if statement.rounds is None else {statement.rounds.index: FULLY_OBSERVED}
                return merge_reads(routine.read_before((statement,), live[block]), counted)
            case cf.LeaveRoutine(statement):
                return {} if statement is None else routine.read_before((statement,), {})
            case cf.UnwindCalls(statement):
                return routine.read_before((statement,), {})
            case _:
                assert_never(exit_)

    def _read_call(self, flow: "_RoutineGraph", call: core.Call, after: DiceReads, zeros: KnownZeros) -> DiceReads:
        callee = self._frames.program.routines[call.routine]
        live = self._solve_routine(call.routine, frozenset(zero for zero in zeros if isinstance(zero, str)))
        entered = dict.fromkeys((parameter.index for parameter in callee.parameters), FULLY_OBSERVED)
        arguments = flow.routine.read_call(call.routine, entered if live is None else live[0], call.arguments)
        nested = {} if call.nest is None else flow.routine.read(call.nest)
        return join_reads(flow.routine.forget(after, call.result), arguments, nested)


class _RoutineGraph:
    """A routine with its graph; slots that hold no name are counted below zero beside the indices of names."""

    def __init__(self, graph: cf.ControlFlowGraph, routine: RoutineReads) -> None:
        self.graph = graph
        self.routine = routine
        heard = [form for form in walk_forms(graph.routine) if isinstance(form, core.Listening)]
        self.always_live: DiceReads = {
            form.index: FULLY_OBSERVED
            for form in walk_forms(tuple(heard))
            if isinstance(form, core.Local) and form.index in graph.slots
        }
        self.jump_counts = {
            block.exit.slot for block in graph.blocks if isinstance(block.exit, cf.JumpExit) if block.exit.slot
        }
        self.round_bounds = {slot: bound for slot, bound in _list_round_slots(graph) if bound >= MIN_PROMISED_ROUNDS}
        self._asked_by_block = {
            block.exit.then: block.exit.statement for block in graph.blocks if isinstance(block.exit, cf.AskDecision)
        }

    def to_slots(self, reads: DiceReads) -> DiceReads:
        """Reads by slot."""
        slots = self.graph.slots
        return {
            slots[name] if name >= 0 else ~name: observations
            for name, observations in reads.items()
            if name < 0 or name in slots
        }

    def is_never_asked(self, ask: core.Ask, zeros: KnownZeros) -> bool:
        """Whether a question can only be answered with no."""
        match ask.space:
            case core.Listed((core.Choice(core.Const(value=True), guard), core.Choice(core.Const(value=False), None))):
                return guard is not None and is_never_true(guard, zeros) and self.routine.is_set_once(ask.result)
            case _:
                return False

    def list_names_answered_no(self, block: int, zeros: KnownZeros) -> KnownZeros:
        """The name of the question that a block begins behind, if it can only be answered with no."""
        ask = self._asked_by_block.get(block)
        return frozenset() if ask is None or not self.is_never_asked(ask, zeros) else frozenset({ask.result})


def _has_answers(ask: core.Ask) -> bool:
    """Whether a question always has a legal answer."""
    return (
        isinstance(ask.space, core.Listed)
        and not ask.conditions
        and any(choice.guard is None for choice in ask.space.choices)
    )


def _list_round_slots(graph: cf.ControlFlowGraph) -> Iterator[tuple[int, int]]:
    """Slots that count rounds of loops, with the bounds that are written as numbers."""
    for block in graph.blocks:
        match block.exit:
            case cf.JumpExit(core.Jump(bound=core.Const(value=int(bound))), slot=int(slot)):
                yield slot, bound
            case cf.NextRound(core.Loop(bound=core.Const(value=int(bound))), slot=slot):
                yield slot + 1, bound
            case _:
                pass


def _list_raised_attributes(routine: core.Routine) -> Iterator[str]:
    """Attributes that a routine may raise above 0, or from no to yes."""
    sets = [form for form in walk_statements(routine) if isinstance(form, core.Set)]
    held = {each.place.root.index: each.value for each in sets if isinstance(each.place.root, core.Local)}
    for each in sets:
        root = each.place.root
        value = held.get(each.value.local.index, each.value) if isinstance(each.value, core.Get) else each.value
        if isinstance(root, core.Attribute) and not _is_lowered(root, value):
            yield f"{root.kind}/{root.name}"


def _is_lowered(root: core.Attribute, value: core.Expression) -> bool:
    """Whether a value is 0 or no, or what an attribute holds less a number."""
    match value:
        case core.Const(value=0):
            return True
        case core.Op(name="greatest", arguments=(lowered, core.Const(value=int()))):
            return _is_lowered(root, lowered)
        case core.Op(name="subtract", arguments=(core.Load(root=here), core.Const(value=int(amount)))):
            return here == root and amount >= 0
        case _:
            return False


def _without_slots(reads: DiceReads, slot: int) -> DiceReads:
    return {name: observations for name, observations in reads.items() if name not in {~slot, ~(slot + 1)}}


def _read_slots(slot: int) -> DiceReads:
    return {~slot: FULLY_OBSERVED, ~(slot + 1): FULLY_OBSERVED}
