"""Liveness of the slots of frames by backward data-flow analysis (Kildall 1973), with what is still observed of dice.

An attribute is a known zero if it is 0 or no for every thing and no line raises it: branches that need it are dead.
Liveness is computed per set of known zeros.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

from rulewright.base.node_roles import get_children, walk_nodes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Handler, Hold, Need, Procedure, Program, StandingRule, Watch
from rulewright.program.dice_observations import (
    FULLY_OBSERVED,
    DiceReadAnalysis,
    DiceReads,
    DieObservation,
    DieObservations,
    extend_for_reroll,
    is_dice_collection,
    is_over_dice,
    merge_reads,
    substitute_observations,
)
from rulewright.program.effects import find_commutative_updates
from rulewright.program.expressions import Variable
from rulewright.program.walk import get_root_place, list_routines, may_hold_type, walk_subexpressions
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import RANK_SLOTS
from rulewright.runtime.flow_graph import FIRST_SLOT
from rulewright.runtime.lowering import analyse_suspension, graph_key, lower, routine_key
from rulewright.runtime.working_memory import FlowTable

KnownZeros = frozenset[str]


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
        tuple[int, str, ty.Type | None, DieObservations], ...
    ]  # slots with their content, and what is still observed of dice


MIN_PROMISED_ROUNDS = 100
"""Rounds from which the bound of a loop counts as a promise of termination, not as a rule of the game."""

_NUMERIC_KINDS: Mapping[type, str] = {
    **dict.fromkeys(ty.NUMERIC, "number"),
    **dict.fromkeys((ty.OptionalType, ty.RecordType, ty.MapType), "numbers"),
}

_PURE_EXPRESSIONS = (
    ex.Local,
    ex.Literal,
    ex.WordLiteral,
    ex.DieAttribute,
    ex.Comprehension,
    ex.Joined,
    ex.Comparison,
    ex.Logical,
    ex.Not,
    ex.Quantifier,
    ex.MakeCollection,
    ex.MakeTuple,
)
"""Expressions that never fail and read nothing but variables."""


_HELD = (*ty.NUMERIC, ty.WordType, ty.FlagType)
"""Types of variables that observations of dice may refer to."""


class LivenessAnalysis:
    """Liveness of the slots in frames of one program."""

    def __init__(self, program: Program, tables: Sequence[FlowTable], *, even: bool = False) -> None:
        """`even`: players do not distinguish equal-looking dice when they choose some."""
        self._program = program
        self._equates_like_dice = even
        self._reading = DiceReadAnalysis(program)
        self._tables = tables
        self._flows: dict[str, _RoutineGraph | None] = {}
        self._live_by_block: dict[tuple[str, KnownZeros], list[DiceReads] | None] = {}
        self._comparisons: dict[tuple[int, int, KnownZeros], FrameComparison | None] = {}
        self._has_rerolls = any(isinstance(node, st.Reroll) for node in walk_nodes(tuple(list_routines(program))))

    @cached_property
    def never_raised_attributes(self) -> KnownZeros:
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
        for node in walk_nodes(tuple(list_routines(self._program))):
            members.discard(_raised_attribute(node))
        return frozenset(members)

    def find_live_slots(self, flow: int, block: int, known_zeros: KnownZeros) -> DiceReads | None:
        """Reads by slot from a block of the executable on; none if every slot is live."""
        return self.live_slots_after(flow, block - self._tables[flow].entry, known_zeros)

    def plan_frame_comparison(self, flow: int, block: int, known_zeros: KnownZeros) -> FrameComparison | None:
        """Comparison of the live slots; none if every slot is compared."""
        known = flow, block, known_zeros
        if known not in self._comparisons:
            reads = self.find_live_slots(flow, block, known_zeros)
            items = [] if reads is None else [*self._plan_slots(flow, reads)]
            plain = itemgetter(*range(FIRST_SLOT), *(slot for slot, how, *_ in items if how == "value"))
            rest = tuple(item for item in items if item[1] != "value")
            self._comparisons[known] = None if reads is None else FrameComparison(frozenset(reads), plain, rest)
        return self._comparisons[known]

    def _plan_slots(self, flow: int, reads: DiceReads) -> Iterator[tuple[int, str, ty.Type | None, DieObservations]]:
        table = self._tables[flow]
        sources, rounds = dict(table.cursors), self.find_round_slots(flow)
        for slot in sorted(reads):
            index = slot - FIRST_SLOT
            if index < len(table.variables):
                type_: ty.Type | None = table.variables[index].type
                how = "dice" if type_ is None or self.may_hold_dice(type_) else _NUMERIC_KINDS.get(type(type_), "value")
                yield slot, how, type_, reads[slot]
            elif slot in sources:
                yield slot, "members", ty.get_member_type(sources[slot].type), reads[slot]
            elif slot in rounds:
                yield slot, "rounds", None, reads[slot]
            else:
                yield slot, "", None, reads[slot]

    def find_round_slots(self, flow: int) -> Mapping[int, int]:
        """Slots that count rounds of loops with a bound of `MIN_PROMISED_ROUNDS` or more, with that bound."""
        routine_graph = self._find_routine_graph(self._tables[flow].key)
        return {} if routine_graph is None else routine_graph.round_bounds

    def may_hold_dice(self, type_: ty.Type) -> bool:
        return may_hold_type(type_, (ty.DieType, ty.PoolType), self._program)

    def get_block(self, flow: int, block: int) -> g.BasicBlock:
        return self.list_blocks(flow)[block - self._tables[flow].entry]

    def list_blocks(self, flow: int) -> Sequence[g.BasicBlock]:
        """Blocks of a flow; empty if it never suspends."""
        flow_graph = self.find_graph(self._tables[flow].key)
        return () if flow_graph is None else flow_graph.blocks

    def find_graph(self, name: str) -> g.FlowGraph | None:
        """Graph of a routine by its key; none if it never suspends."""
        routine_graph = self._find_routine_graph(name)
        return None if routine_graph is None else routine_graph.graph

    def live_slots_after(self, flow: int, block: int, known_zeros: KnownZeros) -> DiceReads | None:
        """As `find_live_slots`, for a block by its number in the flow."""
        live = self._solve_routine(self._tables[flow].key, known_zeros)
        return None if live is None else live[block]

    def _find_routine_graph(self, name: str) -> "_RoutineGraph | None":
        if not self._flows:
            judged = analyse_suspension(self._program)
            for routine in list_routines(self._program):
                self._flows[routine_key(routine)] = (
                    _RoutineGraph(routine, lower(routine, judged)) if judged.is_framed(routine) else None
                )
            for node in walk_nodes(tuple(list_routines(self._program))):
                if isinstance(node, st.Perform) and node.steps is not None:
                    procedure = self._program.procedures[node.procedure]
                    graph = lower(procedure, judged, node.steps) if judged.is_framed(procedure) else None
                    self._flows[graph_key(procedure, node.steps)] = (
                        None if graph is None else _RoutineGraph(procedure, graph)
                    )
        return self._flows[name]

    def _solve_routine(self, name: str, known_zeros: KnownZeros) -> list[DiceReads] | None:
        """Reads at the entry of each block; none during the computation (recursion) and for plain routines."""
        if (name, known_zeros) not in self._live_by_block:
            self._live_by_block[name, known_zeros] = None
            flow = self._find_routine_graph(name)
            if flow is not None:
                self._live_by_block[name, known_zeros] = self._solve_data_flow(flow, known_zeros)
        return self._live_by_block[name, known_zeros]

    def _solve_data_flow(self, flow: "_RoutineGraph", known_zeros: KnownZeros) -> list[DiceReads]:
        blocks = flow.graph.blocks
        live: list[DiceReads] = [{} for _ in blocks]
        changed = True
        while changed:
            changed = False
            for number in range(len(blocks) - 1, -1, -1):
                mapping = merge_reads(flow.always_live, self._transfer_block(flow, blocks[number], live, known_zeros))
                if self._has_rerolls:
                    mapping = {slot: extend_for_reroll(observations) for slot, observations in mapping.items()}
                if mapping != live[number]:
                    live[number], changed = mapping, True
        return live

    def _transfer_block(
        self, flow: "_RoutineGraph", block: g.BasicBlock, live: list[DiceReads], known_zeros: KnownZeros
    ) -> DiceReads:
        result = flow.before(block.exit, self._transfer_exit(flow, block.exit, live, known_zeros))
        for item in reversed(block.items):
            result = flow.before(item, self._transfer_item(flow, item, result))
        return result

    def _reads_of_node(self, flow: "_RoutineGraph", node: object) -> DiceReads:
        return self._to_slots(self._reading.read_dice_node(node, flow.constants))

    def _reads_of_named_value(
        self, flow: "_RoutineGraph", value: ex.Expression, observations: DieObservations
    ) -> DiceReads:
        return self._to_slots(self._reading.read_named_value(value, flow.constants, observations))

    def _find_summing_loop(self, loop: st.ForEach) -> tuple[frozenset[int], tuple[ex.Expression, ...]] | None:
        return None if self._program.external_terms else find_commutative_updates(loop)

    @staticmethod
    def _to_slots(read: DiceReads) -> DiceReads:
        return {FIRST_SLOT + index: observations for index, observations in read.items()}

    def _reads_of_whole_line(self, flow: "_RoutineGraph", line: object) -> DiceReads:
        result: DiceReads = {}
        for node in walk_nodes(line):
            if isinstance(node, st.Line | st.Branch | st.Case | st.Option | st.RankKey):
                result = merge_reads(result, self._reads_of_node(flow, node))
            if isinstance(node, st.VariablePlace):
                result = merge_reads(result, _read_of_variable(node.variable))
        return result

    def _transfer_item(self, flow: "_RoutineGraph", item: g.BlockItem, after: DiceReads) -> DiceReads:
        match item:
            case st.Let(variable=variable, value=value) if value is not None:
                slot = FIRST_SLOT + variable.index
                rest = _without_slots(after, slot)
                dead = slot not in after and all(
                    isinstance(each, _PURE_EXPRESSIONS) for each in walk_subexpressions(value)
                )
                return (
                    rest
                    if dead
                    else merge_reads(rest, self._reads_of_named_value(flow, value, after.get(slot, frozenset())))
                )
            case st.Assign(place=st.VariablePlace(variable=variable), value=value):
                slot = FIRST_SLOT + variable.index
                return merge_reads(
                    _without_slots(after, slot), self._reads_of_named_value(flow, value, after.get(slot, frozenset()))
                )
            case st.AddMember(place=st.VariablePlace(variable=variable), member=value, otherwise=None) if (
                is_dice_collection(variable.type)
            ):
                slot = FIRST_SLOT + variable.index
                observations = after.get(slot, frozenset())
                return _join_all_reads(
                    after, {slot: observations}, self._reads_of_named_value(flow, value, observations)
                )
            case st.ForEach(binding=binding) if (
                is_over_dice(binding) and (sums := self._find_summing_loop(item)) is not None
            ):
                names, each = sums
                read = self._reading.read_loop(binding, each, flow.constants)
                return _join_all_reads(
                    after, *(_with_slots({}, FIRST_SLOT + name, 1) for name in names), self._to_slots(read)
                )
            case st.TallyLine(variable=variable) | st.DecideLine(variable=variable):
                return merge_reads(
                    _without_slots(after, FIRST_SLOT + variable.index), self._reads_of_whole_line(flow, item)
                )
            case g.LoopStart(line, slot):
                return merge_reads(
                    _without_slots(after, *range(slot, slot + 3)), self._reads_of_node(flow, line.binding.source)
                )
            case g.RepeatStart(line, slot):
                return merge_reads(_without_slots(after, slot, slot + 1), self._reads_of_node(flow, line.bound))
            case g.AskAllStart(line, slot):
                return merge_reads(_without_slots(after, slot, slot + 1), self._reads_of_whole_line(flow, line))
            case g.RankStart(line, slot):
                return merge_reads(
                    _without_slots(after, *range(slot, slot + RANK_SLOTS)), self._reads_of_whole_line(flow, line)
                )
            case g.RankSort(line, _, slot) | g.RankEnd(line, slot):
                return _with_slots(merge_reads(after, self._reads_of_whole_line(flow, line)), slot, RANK_SLOTS)
            case g.UnsettlingChange(line) | g.TogetherStart(line) if isinstance(line, st.Together):
                return after
            case g.UnsettlingChange(line) | g.StoreOneAnswer(line) | g.RevealAnswers(line):
                return merge_reads(
                    merge_reads(after, self._reads_of_whole_line(flow, line)), _reads_of_set_variables(line)
                )
            case Hold():
                return after
            case Need() | Watch():
                return merge_reads(after, self._reads_of_node(flow, item))
            case _:
                return merge_reads(
                    merge_reads(after, self._reads_of_whole_line(flow, item)), _reads_of_set_variables(item)
                )

    def _transfer_exit(
        self, flow: "_RoutineGraph", exit_: g.BlockExit, live: list[DiceReads], known_zeros: KnownZeros
    ) -> DiceReads:
        match exit_:
            case g.Goto(block):
                return live[block]
            case g.BranchExit(line, blocks, otherwise):
                result = live[otherwise]
                for branch, block in zip(line.branches, blocks, strict=True):
                    result = merge_reads(result, self._reads_of_node(flow, branch.condition))
                    if not is_never_true(branch.condition, known_zeros):
                        result = merge_reads(result, live[block])
                return result
            case g.MatchExit(line, blocks):
                return _join_all_reads(self._reads_of_node(flow, line.subject), *(live[item] for item in blocks))
            case g.EnterStep(step, enter, skip):
                guard = {} if step.guard is None else self._reads_of_node(flow, step.guard)
                return _join_all_reads(guard, live[enter], live[skip])
            case g.NextLoopMember(line, slot, body, after):
                where = {} if line.binding.where is None else self._reads_of_node(flow, line.binding.where)
                inner = _without_slots(merge_reads(live[body], where), *_bound_slots(line.binding))
                return _with_slots(merge_reads(inner, live[after]), slot, 3)
            case g.NextAskedPlayer(line, slot, body, after):
                return _with_slots(_join_all_reads(live[body], live[after], self._reads_of_node(flow, line)), slot, 2)
            case g.NextRepeatRound(line, slot, body, after):
                result = merge_reads(live[after], self._reads_of_node(flow, line.condition))
                return _with_slots(
                    result if is_never_true(line.condition, known_zeros) else merge_reads(result, live[body]), slot, 2
                )
            case g.TryAmount(line, then, otherwise):
                return _join_all_reads(
                    self._reads_of_node(flow, line), _reads_of_set_variables(line), live[then], live[otherwise]
                )
            case g.SettleExit(then):
                return live[then]
            case g.AskDecision(line, resume, then, otherwise, options):
                if (
                    isinstance(line.shape, st.Whether)
                    and line.shape.guard
                    and is_never_true(line.shape.guard, known_zeros)
                ):
                    return merge_reads(
                        _without_slots(live[otherwise], FIRST_SLOT + line.variable.index),
                        self._reads_of_node(flow, line),
                    )
                answered, others = (
                    _join_all_reads(*(live[item] for item in (then, *options))),
                    _join_all_reads(live[resume], live[otherwise]),
                )
                question_reads = self._reads_of_question(flow, line, merge_reads(answered, others))
                return _join_all_reads(
                    question_reads, others, _without_slots(answered, FIRST_SLOT + line.variable.index)
                )
            case g.TakeDecision(question):
                targets = (question.then, question.otherwise, *question.options)
                rest = _join_all_reads(*(live[way] for way in targets))
                question_reads = self._reads_of_question(flow, question.line, rest)
                return merge_reads(_without_slots(rest, FIRST_SLOT + question.line.variable.index), question_reads)
            case g.RequestChance(line, resume, then, otherwise):
                result = _join_all_reads(live[resume], live[then], live[otherwise])
                if isinstance(line, st.Reroll):
                    return merge_reads(result, self._reads_of_reroll(flow, line))
                return merge_reads(_without_slots(result, *_chance_slot(line)), self._reads_of_whole_line(flow, line))
            case g.TakeChance(chance):
                line = chance.line
                place = {} if isinstance(line, st.Roll | st.Reroll) else self._reads_of_whole_line(flow, line)
                return merge_reads(_without_slots(live[chance.then], *_chance_slot(line)), place)
            case g.RollForRank(line, _, slot, resume, then) | g.AskRankRow(line, _, slot, resume, then):
                return _with_slots(
                    _join_all_reads(self._reads_of_whole_line(flow, line), live[resume], live[then]), slot, RANK_SLOTS
                )
            case g.TakeRankRoll(throw, again):
                return _with_slots(
                    merge_reads(self._reads_of_whole_line(flow, throw.line), live[again]), throw.slot, RANK_SLOTS
                )
            case g.TakeRankRow(question_reads, again):
                return _with_slots(
                    merge_reads(self._reads_of_whole_line(flow, question_reads.line), live[again]),
                    question_reads.slot,
                    RANK_SLOTS,
                )
            case g.CallRoutine(line, then):
                return merge_reads(self._reads_of_call(flow, line, known_zeros), live[then])
            case g.AskExternal(line, resume, then):
                return _join_all_reads(self._reads_of_node(flow, line), live[resume], live[then])
            case g.TakeExternalResult(elsewhere):
                return merge_reads(self._reads_of_node(flow, elsewhere.line), live[elsewhere.then])
            case g.OpenWindow(line, then):
                return merge_reads(self._reads_of_node(flow, line), live[then])
            case g.JumpExit(line, block, slot):
                result = merge_reads(self._reads_of_node(flow, line), live[block])
                return result if slot is None else _with_slots(result, slot, 1)
            case g.LeaveRoutine(line):
                return {} if line is None else self._reads_of_node(flow, line)
            case g.UnwindCalls(line):
                return self._reads_of_node(flow, line)

    def _reads_of_reroll(self, flow: "_RoutineGraph", line: st.Reroll) -> DiceReads:
        """Variables read to select the dice of a re-roll; single dice are observed only if chosen one by one."""
        by: DiceReads = {} if line.by is None else self._reads_of_node(flow, line.by)
        match line.dice:
            case ex.Local(variable=variable) if isinstance(variable.type, ty.DieType) or is_dice_collection(
                variable.type
            ):
                return merge_reads(by, {FIRST_SLOT + variable.index: frozenset()})
            case _:
                return merge_reads(by, self._reads_of_node(flow, line.dice))

    def _reads_of_question(self, flow: "_RoutineGraph", line: st.Ask, rest: DiceReads) -> DiceReads:
        slot, shape = FIRST_SLOT + line.variable.index, line.shape
        mapping = _join_all_reads(*(self._reads_of_node(flow, demand) for demand in line.demands))
        if self._equates_like_dice and isinstance(shape, st.OneOf | st.Pick) and is_over_dice(shape.binding):
            sizes = (shape.low, shape.high) if isinstance(shape, st.Pick) else ()
            others = (replace(line, shape=st.Whether(None)), *sizes)
            mapping = _join_all_reads(mapping, *(self._reads_of_node(flow, other) for other in others))
            observations = merge_reads(rest, mapping).get(slot, frozenset())
            read = self._reading.read_choice(shape.binding, flow.constants, observations)
            mapping = merge_reads(mapping, {FIRST_SLOT + index: item for index, item in read.items()})
        else:
            mapping = merge_reads(mapping, self._reads_of_node(flow, line))
        return _without_slots(mapping, slot)

    def _reads_of_call(self, flow: "_RoutineGraph", line: st.Perform, known_zeros: KnownZeros) -> DiceReads:
        procedure = self._program.procedures[line.procedure]
        name = graph_key(procedure, line.steps)
        live = self._solve_routine(name, known_zeros)
        entered = dict.fromkeys(range(len(line.arguments)), FULLY_OBSERVED)
        if live is not None:
            entered = {slot - FIRST_SLOT: observations for slot, observations in live[0].items()}
        read = self._reading.read_call(entered, line.arguments, flow.constants)
        mapping: DiceReads = {FIRST_SLOT + index: observations for index, observations in read.items()}
        return mapping if line.depth is None else merge_reads(mapping, self._reads_of_node(flow, line.depth))


class _RoutineGraph:
    """A routine with its flow graph and the variables that observations of dice may refer to.

    Such variables are parameters that are never set, and numbers, words and flags set by one line: from that line on
    their value in an observation is known.
    """

    def __init__(self, routine: Procedure | Handler | StandingRule, graph: g.FlowGraph) -> None:
        self.graph = graph
        body = (routine.opening, routine.steps) if isinstance(routine, Procedure) else (routine.block,)
        set_ = Counter(variable.index for node in walk_nodes(body) for variable in _variables_set(node))
        given_ = routine.parameters if isinstance(routine, Procedure) else ()
        self._set_once = frozenset(
            node.variable.index
            for node in walk_nodes(body)
            if isinstance(node, st.TallyLine | st.DecideLine) or (isinstance(node, st.Let) and node.value is not None)
            if set_[node.variable.index] == 1 and isinstance(node.variable.type, _HELD)
        )
        self._known: dict[int, dict[int, DieObservation | None] | None] = {}
        self.constants = self._set_once.union(item.index for item in given_ if item.index not in set_)
        opening = routine.opening if isinstance(routine, Procedure) else ()
        heard = [item for item in opening if isinstance(item, Watch)]
        self.always_live: DiceReads = {
            FIRST_SLOT + item.index: FULLY_OBSERVED
            for watch in heard
            for node in walk_nodes(watch)
            for item in (*_variables_set(node), *([node.variable] if isinstance(node, ex.Local) else ()))
        }
        self.round_bounds = {slot: bound for slot, bound in _round_slots(graph) if bound >= MIN_PROMISED_ROUNDS}

    def before(self, part: g.BlockItem | g.BlockExit, reads: DiceReads) -> DiceReads:
        """Reads before a part of the graph, where observations cannot refer to variables that it sets."""
        if id(part) not in self._known:
            every = {variable.index for node in walk_nodes(part) for variable in _variables_set(node)} & self._set_once
            self._known[id(part)] = (
                {constant: ("name", constant) for constant in self.constants - every} if every else None
            )
        known = self._known[id(part)]
        return (
            reads
            if known is None
            else {slot: substitute_observations(observations, known) for slot, observations in reads.items()}
        )


def _round_slots(graph: g.FlowGraph) -> Iterator[tuple[int, int]]:
    """Slots that count rounds of loops, with the bounds that are written as numbers."""
    for block in graph.blocks:
        match block.exit:
            case g.JumpExit(line=st.Proceed(bound=ex.Literal(value=int(bound))), slot=int(slot)):
                yield slot, bound
            case g.NextRepeatRound(line=st.Repeat(bound=ex.Literal(value=int(bound))), slot=slot):
                yield slot + 1, bound
            case _:
                pass


def is_never_true(condition: ex.Expression, known_zeros: KnownZeros) -> bool:
    """Whether a condition cannot hold for these known zeros."""
    match condition:
        case ex.StoredAttribute(kind=kind, name=name, type=ty.FlagType()):
            return f"{kind}/{name}" in known_zeros
        case ex.Comparison(operator=">", left=ex.StoredAttribute() as left, right=ex.Literal(value=int(least))):
            return least >= 0 and f"{left.kind}/{left.name}" in known_zeros
        case ex.Comparison(operator=">=", left=ex.StoredAttribute() as left, right=ex.Literal(value=int(least))):
            return least >= 1 and f"{left.kind}/{left.name}" in known_zeros
        case ex.Logical(operator="and", left=left_, right=right):
            return is_never_true(left_, known_zeros) or is_never_true(right, known_zeros)
        case ex.Logical(left=left_, right=right):
            return is_never_true(left_, known_zeros) and is_never_true(right, known_zeros)
        case _:
            return False


def _raised_attribute(node: Any) -> str:
    match node:
        case st.Assign(value=ex.Literal(value=0), place=st.AttributePlace()):
            return ""
        case st.AddAmount(take=True, amount=ex.Literal(value=int(amount)), place=st.AttributePlace()) if amount >= 0:
            return ""
        case st.Line():
            place = getattr(node, "place", None)
            root = None if place is None else get_root_place(place)
            return f"{root.kind}/{root.name}" if isinstance(root, st.AttributePlace) else ""
        case _:
            return ""


def _variables_set(node: object) -> Iterator[Variable]:
    if not isinstance(node, ex.Local | Variable):
        yield from (child for child in get_children(node) if isinstance(child, Variable))


def _bound_slots(binding: ex.Binding) -> Iterator[int]:
    return (FIRST_SLOT + variable.index for variable in binding.variables if variable is not None)


def _read_of_variable(variable: Variable) -> DiceReads:
    return {FIRST_SLOT + variable.index: FULLY_OBSERVED}


def _chance_slot(line: st.Roll | st.Reroll | st.Draw | st.Shuffle) -> tuple[int, ...]:
    return (FIRST_SLOT + line.variable.index,) if isinstance(line, st.Roll | st.Draw) else ()


def _reads_of_set_variables(node: object) -> DiceReads:
    """Variables that a line sets or changes in part; counted as read, as nothing proves that they are set first."""
    result: DiceReads = {}
    for item in walk_nodes(node):
        for variable in _variables_set(item):
            result = merge_reads(result, _read_of_variable(variable))
    return result


def _without_slots(reads: DiceReads, *slots: int) -> DiceReads:
    return {slot: observations for slot, observations in reads.items() if slot not in slots}


def _with_slots(reads: DiceReads, slot: int, count: int) -> DiceReads:
    return merge_reads(reads, dict.fromkeys(range(slot, slot + count), FULLY_OBSERVED))


def _join_all_reads(*reads: DiceReads) -> DiceReads:
    result: DiceReads = {}
    for read in reads:
        result = merge_reads(result, read)
    return result
