"""What the end of a play may depend on, start values and answers, by backward slicing (Weiser 1981).

Reads of each statement are followed if it affects what is relevant after it. A branch is relevant if something is
relevant between it and the point where its paths meet again. Irrelevant statements may still end a play with a fault.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rulewright.base import frozen
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DICE, NO_EFFECTS, WATCHES, Effects, map_external_changes
from rulewright.program.core.effects import EVERYWHERE
from rulewright.program.core.printing import get_origin_address
from rulewright.program.declarations import Program
from rulewright.program.effects import StatePlaces
from rulewright.program.walk import compute_transitive_closure, strip_address_numbers
from rulewright.runtime import control_flow as cf
from rulewright.runtime.control_flow_builder import FrameAnalysis, list_exit_forms, list_item_forms
from rulewright.runtime.effect_analysis import NO_LOCATIONS, LocationAnalysis, LocationEffects, Locations
from rulewright.runtime.faults import NEED_FAILED
from rulewright.runtime.frame_slots import FRAME_BLOCK, FRAME_ROUTINE
from rulewright.runtime.liveness import LivenessAnalysis
from rulewright.runtime.working_memory import STACK, UNSETTLED, FlowTable, WorkingMemory


class ReachableEffects:
    """Places that runs of one program may still change or read."""

    def __init__(
        self, program: Program, frames: FrameAnalysis, tables: tuple[FlowTable, ...], liveness: LivenessAnalysis
    ) -> None:
        self._frames = frames
        self._locations = make_location_analysis(program, frames.program)
        self._dependences = self._locations.dependences
        self._tables = tables
        self._liveness = liveness
        self._effects_by_block: dict[tuple[int, int], Effects] = {}
        self._effects_by_stack: dict[tuple[tuple[tuple[int, int], ...], bool], Effects] = {}
        self._many_rounds_by_flows: dict[frozenset[int], bool] = {}

    def find_changeable_places(self, world: WorkingMemory) -> StatePlaces:
        """Places that later lines may change, for a run at a request, as `program.effects` names them."""
        return self.find_effects_ahead(world).writes

    def find_places_measured(self, names: Iterable[str]) -> StatePlaces:
        """Places that measures read."""
        keys = (f"measure:{name}" for name in names)
        return frozenset().union(*(self._dependences.find_routine_effects(key).reads for key in keys))

    def find_effects_ahead(self, world: WorkingMemory) -> Effects:
        """What later lines may read and change, for a run before a block or at a request, with all that settles."""
        where = tuple(
            [(frame[FRAME_ROUTINE], frame[FRAME_BLOCK]) for frame in world[STACK] if frame[FRAME_ROUTINE] >= 0]
        )
        key = where, bool(world[UNSETTLED])
        if key not in self._effects_by_stack:
            due = self._frames.program.due_keys.values() if world[UNSETTLED] else ()
            ahead = (self._find_effects_after(flow, block - self._tables[flow].entry) for flow, block in where)
            self._effects_by_stack[key] = self._join_with_settling(NO_EFFECTS.join_with(*ahead), due)
        return self._effects_by_stack[key]

    def _join_with_settling(self, effects: Effects, due: Iterable[Iterable[str]]) -> Effects:
        """Effects with those of rules and invariants that are due or become so."""
        settled, waiting = set[str](), {key for keys in due for key in keys}
        while True:
            everything = effects.writes >= EVERYWHERE
            for place, keys in self._frames.program.due_keys.items():
                if everything or place in effects.writes:
                    waiting.update(keys)
            waiting -= settled
            if not waiting:
                return effects
            settled |= waiting
            effects = effects.join_with(*map(self._find_settling_effects, sorted(waiting)))

    def _find_settling_effects(self, key: str) -> Effects:
        """Effects of a standing rule with what finds whether it has to fire, or of what judges an invariant."""
        sort, _, name = key.partition(":")
        keys = (key, f"find:{name}", f"lowers:{name}") if sort == "rule" else (key,)
        routines = self._frames.program.routines
        return NO_EFFECTS.join_with(
            *(self._dependences.find_routine_effects(each) for each in keys if each in routines)
        )

    def has_many_round_loops(self, world: WorkingMemory) -> bool:
        """Whether a loop with a bound of `MIN_PROMISED_ROUNDS` or more is in running routines or those they may call.

        Standing rules and handlers may run at any time.
        """
        running = frozenset([frame[FRAME_ROUTINE] for frame in world[STACK] if frame[FRAME_ROUTINE] >= 0])
        if running not in self._many_rounds_by_flows:
            roots = {*self._reactive_routines, *(self._tables[flow].key for flow in running)}
            reached = roots.union(*(self._dependences.find_routine_effects(key).callees for key in roots))
            self._many_rounds_by_flows[running] = any(
                table.key in reached and self._liveness.find_round_slots(flow)
                for flow, table in enumerate(self._tables)
            )
        return self._many_rounds_by_flows[running]

    def find_places_changed_by(self, procedure: str) -> StatePlaces:
        """Places that a play of a procedure may change."""
        effects = self._dependences.find_routine_effects(f"procedure:{procedure}")
        return self._join_with_settling(effects, self._frames.program.due_keys.values()).writes

    @cached_property
    def _reactive_routines(self) -> list[str]:
        """Standing rules, handlers and watches."""
        program = self._frames.program
        handlers = [key for key, routine in program.routines.items() if routine.sort == "handler"]
        return [*program.rules, *handlers, *(f"{WATCHES}{event}" for event in self._frames.watched_events)]

    @cached_property
    def block_order(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """Per block number its place in its flow, after those of the loops around it.

        Predecessors come first, except along back edges.
        """
        result: dict[int, tuple[tuple[int, ...], int]] = {}
        for table in self._tables:
            blocks = self._frames.get_graph(table.key).blocks
            leads = {at: cf.list_successors(block.exit) for at, block in enumerate(blocks)}
            result |= {table.entry + at: place for at, place in _number_in_reverse_postorder(leads).items()}
        return result

    def _find_effects_after(self, flow: int, block: int) -> Effects:
        """What a flow may read and change from a block on, by its number in the flow."""
        if (flow, block) not in self._effects_by_block:
            key = self._tables[flow].key
            blocks = self._frames.get_graph(key).blocks
            reached = compute_transitive_closure([block], lambda at: cf.list_successors(blocks[at].exit))
            forms = [
                form
                for at in reached
                for form in (
                    *(part for item in blocks[at].items for part in list_item_forms(item)),
                    *list_exit_forms(blocks[at].exit),
                    *self._list_waiting_removals(blocks[at].exit),
                )
            ]
            self._effects_by_block[flow, block] = self._dependences.find_effects(*forms)
        return self._effects_by_block[flow, block]

    def _list_waiting_removals(self, exit_: cf.BlockExit) -> list[core.Trigger]:
        return self._locations.list_waiting_removals(exit_.quiet) if isinstance(exit_, cf.QuietEnd) else []


def make_location_analysis(program: Program, core_program: core.CoreProgram) -> LocationAnalysis:
    """Effects in a program, whose external procedures change what they declare."""
    return LocationAnalysis(core_program, map_external_changes(program))


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


@frozen.dataclass(frozen=True, slots=True)
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

    def __init__(self, program: Program, frames: FrameAnalysis) -> None:
        self.frames = frames
        self.effects = make_location_analysis(program, frames.program)
        self._regions: dict[str, tuple[frozenset[int], ...]] = {}
        self._exit_effects: dict[int, LocationEffects] = {}

    def find_relevant(self, procedure: str, wanted: Locations, step: str | None = None) -> RelevantInputs | None:
        """Inputs that some places may depend on at the end of a procedure; none if nothing is known.

        Args:
            procedure: its name.
            wanted: the places, with `PROCEDURE_RESULT` for the result.
            step: address of a step whose being reached is relevant.
        """
        if any(self.effects.find_routine_effects(rule).leads_out for rule in self.frames.program.rules):
            return None
        return _BackwardSlicer(self, f"procedure:{procedure}", wanted, step).slice_to_start()

    @cached_property
    def rule_effects(self) -> dict[str, LocationEffects]:
        """Effects of the standing rules, which read what finds their members too."""
        result = {}
        for rule in self.frames.program.rules:
            search = self.effects.find_routine_effects(rule.replace("rule:", "find:", 1))
            effects = self.effects.find_routine_effects(rule)
            result[rule] = frozen.replace(effects, reads=effects.reads | search.reads)
        return result

    def find_exit_effects(self, key: str, exit_: cf.BlockExit) -> LocationEffects:
        """Effects of what an exit in a routine evaluates itself."""
        if id(exit_) not in self._exit_effects:
            self._exit_effects[id(exit_)] = self.effects.find_effects(key, *list_exit_forms(exit_))
        return self._exit_effects[id(exit_)]

    def list_branch_regions(self, key: str) -> tuple[frozenset[int], ...]:
        """Per block of a routine the blocks on paths from it up to its nearest post-dominator."""
        if key not in self._regions:
            blocks = self.frames.get_graph(key).blocks
            to = [[*dict.fromkeys(self._list_successors_with_end(block.exit))] for block in blocks]
            self._regions[key] = tuple(_compute_branch_regions(to))
        return self._regions[key]

    def _list_successors_with_end(self, exit_: cf.BlockExit) -> Iterator[int]:
        yield from cf.list_successors(exit_)
        called = exit_.statement if isinstance(exit_, cf.CallRoutine | cf.OpenWindow) else ()
        if isinstance(exit_, cf.LeaveRoutine | cf.UnwindCalls) or self.effects.find_effects("", called).leads_out:
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


@dataclass(slots=True)
class _SlicedRoutine:
    """What is relevant in one routine, so far."""

    graph: cf.ControlFlowGraph
    at_end: Locations
    live: list[Locations]  # before each block
    counting: set[int] = field(default_factory=set)  # blocks that do something relevant


class _BackwardSlicer:
    """Backward slice of one routine (Weiser 1981): walks its blocks from their ends to a fixpoint."""

    def __init__(self, relevance: RelevanceAnalysis, root: str, wanted: Locations, step: str | None) -> None:
        self._relevance = relevance
        self._effects = relevance.effects
        self._root = root
        self._step = step
        self._routines_of_step = frozenset(
            key
            for key, routine in relevance.frames.program.routines.items()
            if step is not None and any(get_origin_address(each.origin) == step for each in routine.steps)
        )
        self._sliced: dict[str, _SlicedRoutine] = {}
        self._changed = True
        self._follows_needs = False
        self._asked: set[str] = set()
        self._relevant_listeners: set[str] = set()
        self._open_loops: dict[int, tuple[Locations, bool]] = {}  # what is relevant around, and whether the loop counts
        self._require_at_end(root, wanted)

    def slice_to_start(self) -> RelevantInputs:
        while self._changed:
            self._changed = False
            for sliced in [*self._sliced.values()]:
                for number in range(len(sliced.live) - 1, -1, -1):
                    self._slice_block(sliced, number)
        start = self._sliced[self._root].live[0] | self._slice_needs()
        every = self._effects.find_requests(self._relevance.frames.program.routines)
        return RelevantInputs(_list_shared(start), frozenset(self._asked), every)

    def _slice_needs(self) -> Locations:
        """What the needs of the outermost call read, and what settles before them."""
        self._follows_needs = True
        opening = self._sliced[self._root].graph.routine.entry
        needs = [number for number, statement in enumerate(opening, 1) if _is_need(statement)]
        read, _ = self._slice_statements(self._root, opening[: max(needs, default=0)], NO_LOCATIONS)
        return self._add_rule_reads(read)

    def _require_at_end(self, key: str, end: Locations) -> _SlicedRoutine:
        if key not in self._sliced:
            graph = self._relevance.frames.get_graph(key)
            self._sliced[key] = _SlicedRoutine(graph, NO_LOCATIONS, [NO_LOCATIONS] * len(graph.blocks))
            self._changed = True
        sliced = self._sliced[key]
        if not end <= sliced.at_end:
            sliced.at_end |= end
            self._changed = True
        return sliced

    def _slice_block(self, sliced: _SlicedRoutine, number: int) -> None:
        block, key = sliced.graph.blocks[number], sliced.graph.routine.key
        after = NO_LOCATIONS.union(*(sliced.live[to] for to in cf.list_successors(block.exit)))
        region = self._relevance.list_branch_regions(key)[number]
        result, counts = self._slice_exit(sliced, block.exit, after, not region.isdisjoint(sliced.counting))
        for item in reversed(block.items):
            result, does = self._slice_item(key, item, result)
            counts |= does
        result = self._add_rule_reads(result)
        if result != sliced.live[number]:
            sliced.live[number], self._changed = result, True
        if counts and number not in sliced.counting:
            sliced.counting.add(number)
            self._changed = True

    def _slice_item(self, key: str, item: cf.BlockItem, after: Locations) -> tuple[Locations, bool]:
        match item:
            case cf.LoopStart(loop) | cf.RoundsStart(loop):
                cursor = _name_cursor(loop)
                if cursor not in after:
                    return after, False
                return (after - {cursor}) | self._effects.find_effects(key, *list_item_forms(item)).reads, True
            case cf.QuietStart() | cf.WatchNotice():
                return after, False
            case _:
                return self._slice_statement(key, item, after)

    # Statements that never stop, with their blocks.

    def _slice_statements(self, key: str, block: core.Block, after: Locations) -> tuple[Locations, bool]:
        counts = False
        for statement in reversed(block):
            after, does = self._slice_statement(key, statement, after)
            counts |= does
        return after, counts

    def _slice_statement(self, key: str, statement: core.Statement, after: Locations) -> tuple[Locations, bool]:
        """Locations relevant before a statement, and whether it does something relevant."""
        match statement:
            case core.If(test=test, then=then, other=other):
                ways = [self._slice_statements(key, block, after) for block in (then, other)]
                if not any(counts for _, counts in ways):
                    return after, False
                return self._effects.find_effects(key, test).reads.union(*(before for before, _ in ways)), True
            case core.For() | core.Loop():
                return self._slice_loop(key, statement, after)
            case core.Quiet(body=body):
                told, does = self._slice_waiting_removals(statement, after)
                before, counts = self._slice_statements(key, body, told)
                return before, does or counts
            case core.Leave(label=label):
                return self._open_loops[label]
            case core.Fail(fault=fault):
                return NO_LOCATIONS, self._follows_needs and fault == NEED_FAILED
            case core.During():  # what a watch does, it does at its event
                return after, False
            case _:
                effects = self._effects.find_effects(key, statement)
                if not (effects.leads_out or effects.writes & after or self._reaches_step(effects)):
                    return after, False
                return (after - effects.overwrites) | effects.reads, True

    def _slice_loop(self, key: str, loop: core.For | core.Loop, after: Locations) -> tuple[Locations, bool]:
        names: core.Names
        match loop:
            case core.For(names=names, source=source):
                test, start = None, source
            case core.Loop(test=test, bound=start):
                names = ()
        bound = self._effects.locate_names(key, (name.index for name in names if name is not None))
        live, counts, known = after, False, None
        while known != (live, counts):
            known = self._open_loops[loop.label] = live, counts
            before, does = self._slice_statements(key, loop.body, live)
            counts |= does
            live |= _drop_own_names(before, bound)
            if counts and test is not None:
                live |= self._effects.find_effects(key, test).reads
        if counts and start is not None:
            live |= self._effects.find_effects(key, start).reads
        return live, counts

    def _reaches_step(self, effects: LocationEffects) -> bool:
        return not effects.callees.isdisjoint(self._routines_of_step)

    def _add_rule_reads(self, relevant: Locations) -> Locations:
        grown = True
        while grown:
            grown = False
            for rule, effects in self._relevance.rule_effects.items():
                if self._is_listener_relevant(rule, effects, relevant):
                    grown |= not effects.reads <= relevant
                    relevant |= effects.reads
        return relevant

    def _is_listener_relevant(self, key: str, effects: LocationEffects, after: Locations) -> bool:
        """Whether a handler, watch or standing rule counts; one that asks for something counts if it does anywhere."""
        asks = self._effects.find_requests(effects.callees)
        counts = (
            effects.leads_out
            or bool(effects.writes & after)
            or self._reaches_step(effects)
            or not asks.isdisjoint(self._asked)
        )
        if counts and asks and key not in self._relevant_listeners:
            self._relevant_listeners.add(key)
            self._changed = True
            self._mark_questions(asks)
        return counts or key in self._relevant_listeners

    def _mark_questions(self, lines: frozenset[str]) -> None:
        self._changed |= not lines <= self._asked
        self._asked |= lines

    # Control flow.

    def _slice_exit(
        self,
        sliced: _SlicedRoutine,
        exit_: cf.BlockExit,
        after: Locations,
        decides: bool,  # noqa: FBT001
    ) -> tuple[Locations, bool]:
        """Locations relevant before an exit, and whether its effect is relevant; it decides if a branch does."""
        key = sliced.graph.routine.key
        match exit_:
            case cf.LeaveRoutine(returned):
                given = returned is not None and PROCEDURE_RESULT in sliced.at_end
                reads = self._effects.find_effects(key, returned).reads if given else NO_LOCATIONS
                return (sliced.at_end - {PROCEDURE_RESULT}) | reads, given
            case cf.UnwindCalls(unwind):
                ends = (each.at_end for each in self._sliced.values())
                return self._effects.find_effects(key, unwind).reads.union(*ends) - {PROCEDURE_RESULT}, True
            case cf.CallRoutine(call):
                return self._slice_call(key, call, after)
            case cf.OpenWindow(trigger):
                return self._slice_trigger(key, trigger, after)
            case cf.QuietEnd(quiet):
                return self._slice_waiting_removals(quiet, after)
            case cf.AskDecision(question) | cf.TakeDecision(cf.AskDecision(question)):
                return self._slice_question(key, exit_, question, after, decides)
            case cf.RequestChance(request) | cf.TakeChance(cf.RequestChance(request)):
                return self._slice_request(key, exit_, request, after, decides)
            case cf.AskExternal(external) | cf.TakeExternalResult(cf.AskExternal(external)):
                return self._slice_request(key, exit_, external, after, decides)
            case cf.Goto() | cf.SettleExit() | cf.JumpExit() | cf.LeaveLoop():
                return after, False
        reads = self._relevance.find_exit_effects(key, exit_).reads
        counts = False
        match exit_:
            case cf.NextMember(loop):
                names = self._effects.locate_names(key, (name.index for name in loop.names if name is not None))
                reads, counts = (reads - names) | {_name_cursor(loop)}, bool(names & after)
            case cf.NextRound(loop):
                reads |= {_name_cursor(loop)}
            case cf.EnterStep(step):
                counts = get_origin_address(step.origin) == self._step
        return after | reads if counts or decides else after, counts

    def _slice_question(
        self,
        key: str,
        exit_: cf.AskDecision | cf.TakeDecision,
        question: core.Ask,
        after: Locations,
        decides: bool,  # noqa: FBT001
    ) -> tuple[Locations, bool]:
        answer = self._effects.locate_names(key, (question.result.index,))
        counts = self._is_request_relevant(question, bool(answer & after))
        if isinstance(exit_, cf.TakeDecision):
            return _drop_own_names(after, answer), counts
        own = self._relevance.find_exit_effects(key, exit_)
        return after | (own.reads - own.writes - answer) if counts or decides else after, counts

    def _slice_request(
        self,
        key: str,
        exit_: cf.BlockExit,
        request: core.Roll | core.Reroll | core.Draw | core.Shuffle | core.External,
        after: Locations,
        decides: bool,  # noqa: FBT001
    ) -> tuple[Locations, bool]:
        effects = self._effects.find_effects(key, request)
        has_effect = bool(effects.writes & after)
        by_faces = DICE in after or not isinstance(request, core.Roll) or _is_shaped_by_faces(request)
        counts = self._is_request_relevant(request, has_effect and by_faces) or has_effect
        if isinstance(exit_, cf.TakeChance | cf.TakeExternalResult):
            return after - effects.overwrites, counts
        return after | effects.reads if counts or decides else after, counts

    def _is_request_relevant(self, request: core.Statement, has_effect: bool) -> bool:  # noqa: FBT001
        """Whether a request counts; one of several at lines of one address counts if any of them does."""
        address = strip_address_numbers(get_origin_address(request.origin))
        if has_effect:
            self._mark_questions(frozenset({address}))
        return address in self._asked

    def _slice_call(self, key: str, call: core.Call, after: Locations) -> tuple[Locations, bool]:
        if not self._relevance.frames.is_framed(call.routine):  # a value may have to be asked for an argument
            return self._slice_statement(key, call, after)
        result = NO_LOCATIONS if call.result is None else self._effects.locate_names(key, (call.result.index,))
        shared = _list_shared(after)
        inner = self._require_at_end(call.routine, shared | {PROCEDURE_RESULT} if result & after else shared)
        rest = _drop_own_names(after, result)
        if not inner.counting:
            return rest, False
        for parameter, argument in zip(inner.graph.routine.parameters, call.arguments, strict=True):
            if self._effects.locate_names(call.routine, (parameter.index,)) & inner.live[0]:
                rest |= self._effects.find_effects(key, argument).reads
        return rest | _list_shared(inner.live[0]), True

    def _slice_trigger(self, key: str, trigger: core.Trigger, after: Locations) -> tuple[Locations, bool]:
        effects = self._effects.find_effects(key, trigger)
        result = NO_LOCATIONS if trigger.result is None else self._effects.locate_names(key, (trigger.result.index,))
        if result & after:
            self._mark_questions(self._effects.find_requests(effects.callees))
        elif not self._is_event_relevant(trigger.event, after):
            return after, False
        return after | effects.reads, True

    def _is_event_relevant(self, event: str, after: Locations) -> bool:
        heard = [
            listener
            for listener in self._effects.list_listeners(event)
            if self._is_listener_relevant(listener, self._effects.find_routine_effects(listener), after)
        ]
        return bool(heard)

    def _slice_waiting_removals(self, quiet: core.Quiet, after: Locations) -> tuple[Locations, bool]:
        triggers = self._effects.list_waiting_removals(quiet) if quiet.holds_back else ()
        heard = [each for each in triggers if self._is_event_relevant(each.event, after)]
        reads = NO_LOCATIONS.union(*(self._effects.find_effects("", each).reads for each in heard))
        return after | _list_shared(reads), bool(heard)


def _is_need(statement: core.Statement) -> bool:
    return isinstance(statement, core.If) and any(
        isinstance(each, core.Fail) and each.fault == NEED_FAILED for each in statement.other
    )


def _name_cursor(loop: core.For | core.Loop) -> int:
    return ~loop.label


def _list_shared(locations: Locations) -> Locations:
    """What other routines see."""
    return frozenset(each for each in locations if isinstance(each, str))


def _drop_own_names(locations: Locations, names: Locations) -> Locations:
    return frozenset(each for each in locations if isinstance(each, str) or each not in names)


def _is_shaped_by_faces(roll: core.Roll) -> bool:
    """Whether how many dice lie and count hangs on their faces, or sums alone are kept."""
    dice = roll.dice
    shaping = (part.options or part.advantage is not None for part in dice.dice)
    return dice.members is not None or bool(dice.options) or any(shaping)
