"""What the end of a play may depend on, start values and answers, by backward slicing (Weiser 1981).

Reads of each line are followed if the line affects what is relevant after it. A branch is relevant if something is
relevant between it and the point where its paths meet again. Irrelevant lines may still end a play with a fault.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property, partial

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.program import statements as st
from rulewright.program.declarations import Need, Program, Watch
from rulewright.program.effects import StatePlaces, list_written_places
from rulewright.program.walk import compute_transitive_closure, strip_address_numbers
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import RANK_SLOTS
from rulewright.runtime.effect_analysis import DICE_FACES, NO_LOCATIONS, LineEffect, LineEffectAnalysis, Locations
from rulewright.runtime.flow_graph import FRAME_BLOCK, FRAME_ROUTINE
from rulewright.runtime.liveness import LivenessAnalysis
from rulewright.runtime.lowering import graph_key, routine_key
from rulewright.runtime.working_memory import STACK, FlowTable, WorkingMemory

_SUCCESSOR_FIELDS = frozenset(
    {"block", "blocks", "otherwise", "enter", "skip", "body", "after", "then", "resume", "options", "again"}
)
_NESTED_EXIT_FIELDS = frozenset({"question", "chance", "elsewhere", "throw", "asked"})


class ReachableEffects:
    """Places that runs of one program may still change."""

    def __init__(self, program: Program, tables: tuple[FlowTable, ...], liveness: LivenessAnalysis) -> None:
        self._program = program
        self._tables = tables
        self._liveness = liveness
        self._changes_by_block: dict[tuple[int, int], StatePlaces] = {}
        self._changes_by_stack: dict[tuple[tuple[int, int], ...], StatePlaces] = {}
        self._many_rounds_by_flows: dict[frozenset[int], bool] = {}

    def find_changeable_places(self, world: WorkingMemory) -> StatePlaces:
        """Places that later lines may change, for a run at a request, as `program.effects` names them."""
        where = tuple(
            [(frame[FRAME_ROUTINE], frame[FRAME_BLOCK]) for frame in world[STACK] if frame[FRAME_ROUTINE] >= 0]
        )
        if where not in self._changes_by_stack:
            self._changes_by_stack[where] = self._reactive_changes.union(
                *(self._find_changes_after(*item) for item in where)
            )
        return self._changes_by_stack[where]

    def has_many_round_loops(self, world: WorkingMemory) -> bool:
        """Whether a loop with a bound of `MIN_PROMISED_ROUNDS` or more is in running routines or those they may perform.

        Standing rules and handlers may run at any time.
        """
        running = frozenset([frame[FRAME_ROUTINE] for frame in world[STACK] if frame[FRAME_ROUTINE] >= 0])
        if running not in self._many_rounds_by_flows:
            program, tables = self._program, self._tables
            performed = self._collect_performed_lines(
                walk_nodes((*program.rules.values(), *program.handlers.values()))
            )[1]
            for name in [tables[flow].key.partition(":")[2] for flow in running]:
                performed |= {name, *self._collect_performed_lines(walk_nodes(program.procedures.get(name)))[1]}
            self._many_rounds_by_flows[running] = any(
                self._liveness.find_round_slots(flow)
                for flow, table in enumerate(tables)
                if table.key in {f"procedure:{name}" for name in performed} or not table.key.startswith("procedure:")
            )
        return self._many_rounds_by_flows[running]

    def find_places_changed_by(self, procedure: str) -> StatePlaces:
        """Places that a play of a procedure may change."""
        return self._reactive_changes | self._find_changes_of_lines(walk_nodes(self._program.procedures[procedure]))

    @cached_property
    def _reactive_changes(self) -> StatePlaces:
        program = self._program
        heard = [watch for of in program.procedures.values() for watch in of.opening if isinstance(watch, Watch)]
        return self._find_changes_of_lines(walk_nodes((*program.rules.values(), *program.handlers.values(), *heard)))

    @cached_property
    def block_order(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """Per block number its place in its flow, after those of the loops around it.

        Predecessors come first, except along back edges.
        """
        result: dict[int, tuple[tuple[int, ...], int]] = {}
        for number, table in enumerate(self._tables):
            blocks = self._liveness.list_blocks(number)
            if blocks:
                leads = {at: tuple(successor_blocks(block.exit)) for at, block in enumerate(blocks)}
                result |= {table.entry + at: place for at, place in _number_in_reverse_postorder(leads).items()}
        return result

    def _find_changes_after(self, flow: int, block: int) -> StatePlaces:
        if (flow, block) not in self._changes_by_block:
            entry, block_of = self._tables[flow].entry, partial(self._liveness.get_block, flow)
            lines: list[object] = []
            for here in map(
                block_of,
                compute_transitive_closure(
                    [block],
                    lambda at: (entry + successor_block for successor_block in successor_blocks(block_of(at).exit)),
                ),
            ):
                lines += [node for item in here.items for node in walk_nodes(item)]
                lines += _exit_lines(here.exit)
            self._changes_by_block[flow, block] = self._find_changes_of_lines(lines)
        return self._changes_by_block[flow, block]

    def _find_changes_of_lines(self, lines: Iterable[object]) -> StatePlaces:
        result = set[str]()
        for line in self._collect_performed_lines(lines)[0]:
            if isinstance(line, st.PerformExternal):
                result.update(self._program.external_procedures[line.external].changes)
            else:
                result |= list_written_places(line)  # type: ignore[arg-type]
        return frozenset(result)

    def _collect_performed_lines(self, lines: Iterable[object]) -> tuple[list[st.Line], set[str]]:
        result, performed, waiting = list[st.Line](), set[str](), [*lines]
        while waiting:
            match waiting.pop():
                case st.Perform(procedure=name):
                    if name not in performed:
                        performed.add(name)
                        waiting += walk_nodes(self._program.procedures[name])
                case st.Line() as line:
                    result.append(line)
        return result, performed


def successor_blocks(exit_: g.BlockExit) -> Iterator[int]:
    """Blocks that an exit may lead to, and those that the request it belongs to may lead to."""
    for field in fields(exit_):
        value = getattr(exit_, field.name)
        if field.name in _SUCCESSOR_FIELDS:
            yield from value if isinstance(value, tuple) else (value,)
        elif field.name in _NESTED_EXIT_FIELDS:
            yield from successor_blocks(value)


def _exit_lines(exit_: g.BlockExit) -> Iterator[object]:
    for field in fields(exit_):
        value = getattr(exit_, field.name)
        if field.name == "line" and value is not None:
            yield value
        elif field.name in _NESTED_EXIT_FIELDS:
            yield from _exit_lines(value)


def _number_in_reverse_postorder(leads: Mapping[int, Sequence[int]]) -> dict[int, tuple[tuple[int, ...], int]]:
    """Per block the numbers of its enclosing loops, outermost first, and its own, in reverse postorder from block 0."""
    postorder: list[int] = []
    back: list[tuple[int, int]] = []
    known, path, before = {0}, [(0, iter(leads[0]))], dict[int, list[int]]()
    on_path = {0}
    while path:
        block, onward = path[-1]
        to = next(onward, None)
        if to is None:
            postorder.append(block)
            on_path.discard(path.pop()[0])
            continue
        before.setdefault(to, []).append(block)
        if to in on_path:
            back.append((block, to))
        elif to not in known:
            known.add(to)
            on_path.add(to)
            path.append((to, iter(leads[to])))
    place = {block: at for at, block in enumerate(reversed(postorder))}
    loops: dict[int, set[int]] = {block: set() for block in place}
    for last, first in back:
        for item in compute_transitive_closure([first, last], lambda each: () if each == first else before[each]):  # noqa: B023 - used at once
            loops[item].add(place[first])
    return {block: (tuple(sorted(loops[block])), at) for block, at in place.items()}


PROCEDURE_RESULT = "what is given back"
"""Pseudo-place for the result of a procedure."""
_ROUTINE_END = -1


@dataclass(frozen=True, slots=True)
class RelevantInputs:
    """Inputs that something at the end of a play may depend on."""

    places: Locations  # whose start values are relevant
    relevant_questions: frozenset[str]  # lines whose answers are relevant, by address without numbers
    analysed_questions: frozenset[str]  # all analysed lines

    def may_count(self, address: object) -> bool:
        """Whether an answer at a line may be relevant."""
        return address in self.relevant_questions or address not in self.analysed_questions


class RelevanceAnalysis:
    """Relevant inputs for the ends of plays of one program."""

    def __init__(self, program: Program, liveness: LivenessAnalysis) -> None:
        self.program = program
        self.effects = LineEffectAnalysis(program, liveness)
        self._liveness = liveness
        self._regions: dict[str, tuple[frozenset[int], ...]] = {}

    def find_relevant(self, procedure: str, wanted: Locations, step: str | None = None) -> RelevantInputs | None:
        """Inputs that some places may depend on at the end of a procedure; none if nothing is known.

        Args:
            procedure: its name.
            wanted: the places, with `PROCEDURE_RESULT` for the result.
            step: address of a step whose being reached is relevant.
        """
        flow = self.find_graph(routine_key(self.program.procedures[procedure]))
        rules = [self.effects.effect_of_routine(routine_key(rule)) for rule in self.program.rules.values()]
        if flow is None or any(rule.leads_out for rule in rules):
            return None
        return _BackwardSlicer(self, flow, wanted, step).slice_to_start()

    def find_graph(self, name: str) -> g.FlowGraph | None:
        return self._liveness.find_graph(name)

    def branch_regions(self, flow: g.FlowGraph) -> tuple[frozenset[int], ...]:
        """Per block the blocks on paths from it up to its nearest post-dominator."""
        if flow.key not in self._regions:
            to = [[*dict.fromkeys(self._successors_with_end(block.exit))] for block in flow.blocks]
            self._regions[flow.key] = tuple(_compute_branch_regions(to))
        return self._regions[flow.key]

    def _successors_with_end(self, exit_: g.BlockExit) -> Iterator[int]:
        yield from successor_blocks(exit_)
        performed = self.effects.list_invoked(exit_.line) if isinstance(exit_, g.CallRoutine | g.OpenWindow) else ()
        if isinstance(exit_, g.LeaveRoutine | g.UnwindCalls) or any(
            self.effects.effect_of_routine(item).leads_out for item in performed
        ):
            yield _ROUTINE_END


def _compute_branch_regions(to: list[list[int]]) -> Iterator[frozenset[int]]:
    end = len(to)
    through = [(1 << (end + 1)) - 1] * end + [1 << end]
    changed = True
    while changed:
        changed = False
        for block in range(end - 1, -1, -1):
            result = (1 << (end + 1)) - 1
            for each in to[block]:
                result &= through[each]
            result |= 1 << block
            if result != through[block]:
                through[block], changed = result, True
    for block, leads in enumerate(to):
        met, region, waiting = through[block] & ~(1 << block), set[int](), [*leads]
        while waiting:
            each = waiting.pop()
            if each != _ROUTINE_END and each not in region and not met >> each & 1:
                region.add(each)
                waiting += to[each]
        yield frozenset(region)


class _BackwardSlicer:
    """Backward slice of one routine (Weiser 1981): walks its blocks from their ends to a fixpoint."""

    def __init__(self, relevance: RelevanceAnalysis, root: g.FlowGraph, wanted: Locations, step: str | None) -> None:
        self._relevance = relevance
        self._effects = relevance.effects
        self._root = root
        self._step = step
        self._flows = {root.key: root}
        self._live = {root.key: [NO_LOCATIONS] * len(root.blocks)}
        self._ends: dict[str, Locations] = {root.key: wanted}
        self._counting: dict[str, set[int]] = {root.key: set()}
        self._asked: set[str] = set()
        self._relevant_listeners: set[str] = set()
        self._changed = True

    def slice_to_start(self) -> RelevantInputs:
        while self._changed:
            self._changed = False
            for flow in [*self._flows.values()]:
                for number in range(len(flow.blocks) - 1, -1, -1):
                    self._slice_block(flow, number)
        start = self._live[self._root.key][0].union(*self._reads_of_opening())
        places = frozenset(item for item in start if isinstance(item, str))
        return RelevantInputs(places, frozenset(self._asked), self._effects.asking_lines)

    def _reads_of_opening(self) -> Iterator[Locations]:
        for block in self._root.blocks:
            if any(isinstance(each, Need) for each in block.items):
                for item in block.items:
                    effect = self._effects.effect_of_line if isinstance(item, Need) else self._effects.effect_of_item
                    yield effect(item, self._root.name).reads

    def _slice_block(self, flow: g.FlowGraph, number: int) -> None:
        block, owner = flow.blocks[number], flow.name if flow.sort == "procedure" else ""
        live = self._live[flow.key]
        after = NO_LOCATIONS.union(*(live[successor_block] for successor_block in successor_blocks(block.exit)))
        region = self._relevance.branch_regions(flow)[number]
        result, counts = self._slice_exit(flow, block.exit, after, not region.isdisjoint(self._counting[flow.key]))
        for item in reversed(block.items):
            effect = self._effects.effect_of_item(item, owner)
            if effect.writes & result or effect.leads_out:
                result, counts = (result - effect.sets) | effect.reads, True
        result = self._add_rule_reads(result)
        if result != live[number]:
            live[number], self._changed = result, True
        if counts and number not in self._counting[flow.key]:
            self._counting[flow.key].add(number)
            self._changed = True

    def _add_rule_reads(self, relevant: Locations) -> Locations:
        grown = True
        while grown:
            grown = False
            for rule in self._relevance.program.rules.values():
                effect = self._effects.effect_of_routine(routine_key(rule))
                if self._is_listener_relevant(routine_key(rule), effect, relevant):
                    grown |= not effect.reads <= relevant
                    relevant |= effect.reads
        return relevant

    def _is_listener_relevant(self, name: str, effect: LineEffect, after: Locations) -> bool:
        """Whether a handler, watch or standing rule counts; one that asks for something counts if it does anywhere."""
        counts = bool(effect.writes & after) or effect.leads_out or bool(effect.asks & self._asked)
        if counts and effect.asks and name not in self._relevant_listeners:
            self._relevant_listeners.add(name)
            self._changed = True
            self._mark_questions(effect.asks)
        return counts or name in self._relevant_listeners

    def _mark_questions(self, lines: frozenset[str]) -> None:
        self._changed |= not lines <= self._asked
        self._asked |= lines

    # Control flow.

    def _slice_exit(
        self,
        flow: g.FlowGraph,
        exit_: g.BlockExit,
        after: Locations,
        decides: bool,  # noqa: FBT001
    ) -> tuple[Locations, bool]:
        """Locations relevant before an exit, and whether its effect is relevant; it decides if a branch does."""
        owner = flow.name if flow.sort == "procedure" else ""
        match exit_:
            case g.LeaveRoutine(line):
                return self._slice_leave(flow, line, owner)
            case g.UnwindCalls(line):
                return NO_LOCATIONS.union(self._effects.effect_of_line(line, owner).reads, *self._ends.values()), True
            case g.CallRoutine(line):
                return self._slice_call(line, owner, after)
            case g.OpenWindow(line):
                return self._slice_trigger(line, owner, after)
            case g.Goto() | g.SettleExit() | g.JumpExit():
                return after, False
        acting, slots, asks = _line_of_exit(exit_)
        line_effect = self._effects.effect_of_line(acting, owner)
        writes = line_effect.writes | slots
        address = getattr(acting, "address", "")
        if asks and self._is_answer_relevant(acting, line_effect, slots, after, decides):
            self._mark_questions(frozenset({strip_address_numbers(address)}))
        counts = (
            bool(writes & after) or address == self._step or (asks and strip_address_numbers(address) in self._asked)
        )
        rest = after - line_effect.writes if isinstance(exit_, g.TakeDecision | g.TakeChance) else after
        rest = frozenset(item for item in after if isinstance(item, str)) | rest
        return (rest | line_effect.reads | slots if counts or decides else after), counts

    def _is_answer_relevant(
        self,
        line: object,
        line_effect: LineEffect,
        slots: Locations,
        after: Locations,
        decides: bool,  # noqa: FBT001
    ) -> bool:
        match line:
            case st.Roll(parts=parts, options=options):
                changing = options or any(part.options or part.advantage is not None for part in parts)
                return DICE_FACES in after or bool(changing and line_effect.writes & after)
            case st.Reroll():
                return DICE_FACES in after
            case st.Ask() | st.Draw():
                return decides or bool(line_effect.writes & after)
            case _:
                return bool((line_effect.writes | slots) & after)

    def _slice_leave(self, flow: g.FlowGraph, line: st.Finish | None, owner: str) -> tuple[Locations, bool]:
        end = self._ends[flow.key]
        if PROCEDURE_RESULT not in end or line is None:
            return end - {PROCEDURE_RESULT}, False
        return (end - {PROCEDURE_RESULT}) | self._effects.effect_of_line(line, owner).reads, True

    def _slice_call(self, line: st.Perform, owner: str, after: Locations) -> tuple[Locations, bool]:
        procedure = self._relevance.program.procedures[line.procedure]
        inner = self._relevance.find_graph(graph_key(procedure, line.steps))
        assert inner is not None
        result = NO_LOCATIONS if line.result is None else self._effects.locations_of_variables([line.result], owner)
        shared = frozenset(item for item in after if isinstance(item, str))
        self._require_at_end(inner, shared | {PROCEDURE_RESULT} if result & after else shared)
        rest = after - frozenset(item for item in result if isinstance(item, int))
        if not self._counting[inner.key]:
            return rest, False
        inner_live = self._live[inner.key][0]
        for variable, given in zip(procedure.parameters, line.arguments, strict=True):
            if self._effects.locations_of_variables([variable], procedure.name) & inner_live:
                rest |= self._effects.effect_of_line(given, owner).reads
        return rest | {item for item in inner_live if isinstance(item, str)}, True

    def _require_at_end(self, inner: g.FlowGraph, end: Locations) -> None:
        if inner.key not in self._flows:
            self._flows[inner.key] = inner
            self._live[inner.key] = [NO_LOCATIONS] * len(inner.blocks)
            self._ends[inner.key] = NO_LOCATIONS
            self._counting[inner.key] = set()
            self._changed = True
        if not end <= self._ends[inner.key]:
            self._ends[inner.key] |= end
            self._changed = True

    def _slice_trigger(self, line: st.Trigger | st.Remove, owner: str, after: Locations) -> tuple[Locations, bool]:
        trigger_effect = self._effects.effect_of_line(line, owner)
        effects = {item: self._effects.effect_of_routine(item) for item in self._effects.list_invoked(line)}
        heard = [name for name, effect in effects.items() if self._is_listener_relevant(name, effect, after)]
        result = NO_LOCATIONS
        if isinstance(line, st.Trigger) and line.result is not None:
            result = self._effects.locations_of_variables([line.result], owner)
        if result & after:
            self._mark_questions(frozenset[str]().union(*(line_effect.asks for line_effect in effects.values())))
        elif not heard:
            return after, False
        return after.union(trigger_effect.reads, *(line_effect.reads for line_effect in effects.values())), True


def _line_of_exit(exit_: g.BlockExit) -> tuple[object, Locations, bool]:
    slots: Locations = NO_LOCATIONS
    match exit_:
        case g.TakeDecision(inner) | g.TakeChance(inner) | g.TakeExternalResult(inner):
            return inner.line, NO_LOCATIONS, True
        case g.TakeRankRoll(inner) | g.TakeRankRow(inner):
            return inner.key, frozenset(range(inner.slot, inner.slot + RANK_SLOTS)), True
        case g.RollForRank(slot=slot) | g.AskRankRow(slot=slot):
            return exit_.key, frozenset(range(slot, slot + RANK_SLOTS)), True
        case g.NextLoopMember(slot=slot):
            slots = frozenset(range(slot, slot + 3))
        case g.NextAskedPlayer(slot=slot) | g.NextRepeatRound(slot=slot):
            slots = frozenset(range(slot, slot + 2))
    line = exit_.step if isinstance(exit_, g.EnterStep) else getattr(exit_, "line", None)
    return line, slots, isinstance(exit_, g.AskDecision | g.RequestChance | g.AskExternal)
