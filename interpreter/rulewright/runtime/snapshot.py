"""From a state to the working memory of a run and back, with rolls numbered so that equal states are equal values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.core.forms import CoreType, RankingType
from rulewright.program.types import BagType, DieType, ListType, PoolType, SetType, get_member_type
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault, RunLimits
from rulewright.runtime.frame_slots import (
    FRAME_BLOCK,
    FRAME_ROUTINE,
)
from rulewright.runtime.state import FrozenFrame, PendingRequest, Situation, State, make_initial_state
from rulewright.runtime.symbolic_pool import SymbolicPool
from rulewright.runtime.trace_record import start_stretch
from rulewright.runtime.values import Value, rebuild_value
from rulewright.runtime.working_memory import (
    BOARD,
    CONTROL,
    QUIET,
    RECORD,
    ROLLS,
    STACK,
    TRACE_ENTRY_SIZE,
    UNSETTLED,
    RunControl,
    WorkingMemory,
)


def make_world(executable: Executable, situation: Situation, limits: RunLimits) -> WorkingMemory:
    """Working memory of a start; copied from a cache for recent starts."""
    prepared = executable.prepared_starts.get(id(situation)) or _prepare_start(executable, situation, limits)
    world: WorkingMemory = prepared[1].copy()
    for number in prepared[2]:
        world[number] = world[number].copy()
    world[CONTROL] = RunControl(
        situation.base, situation, limits, executable.functions, executable.tables, executable.places
    )
    return world


def _prepare_start(executable: Executable, situation: Situation, limits: RunLimits) -> tuple[Any, ...]:
    tables, starts = executable.tables, executable.prepared_starts
    everything = sum(tables.due_bits.values())
    state = replace(make_initial_state(situation, executable.layout), unsettled=everything)
    world = _settle_start(executable, state) or thaw_state(executable, state, limits)
    mutable = [number for number, item in enumerate(world) if isinstance(item, list | dict | set)]
    if len(starts) >= _MAX_CACHED_STARTS:
        del starts[next(iter(starts))]
    starts[id(situation)] = situation, world, mutable
    return starts[id(situation)]


_MAX_CACHED_STARTS = 32
"""Starts whose working memories are kept; chosen, to bound memory."""


def _settle_start(executable: Executable, state: State) -> WorkingMemory | None:
    """Working memory of a judged and settled start; none if judging asks for something or faults."""
    if not executable.tables.settles_plainly:
        return None
    world = thaw_state(executable, state, RunLimits())
    try:
        executable.tables.judge(world)
        if world[UNSETTLED]:
            executable.tables.settle(world)
    except Fault:
        return None
    return world


def thaw_state(executable: Executable, state: State, limits: RunLimits) -> WorkingMemory:
    """Working memory of a state."""
    places, layout, base = executable.places, executable.layout, state.base
    control = RunControl(base, state.origin, limits, executable.functions, executable.tables, places)
    world: WorkingMemory = [None] * places.size
    world[CONTROL], world[UNSETTLED], world[QUIET] = control, state.unsettled, state.quiet
    world[RECORD] = [] if executable.traced else None
    world[ROLLS] = list(state.rolls)
    world[STACK] = [[frame.block, *frame.slots] for frame in state.frames]
    world[BOARD] = frozenset(cell for cells in base.boards.values() for cell in cells)
    for name, column in zip(layout.columns, state.columns, strict=True):
        world[places.columns[name]] = list(column)
    for kind, flags in zip(layout.kinds, state.gone, strict=True):
        world[places.gone[kind]] = list(flags)
        world[places.in_play[kind]] = tuple([number for number, out in enumerate(flags) if not out])
    for name, value in zip(layout.game, state.game, strict=True):
        world[places.game[name]] = value
    for name, entries in zip(layout.cells, state.cells, strict=True):
        world[places.cells[name]] = dict(entries)
    for name, sides in zip(layout.sides, state.sides, strict=True):
        world[places.sides[name]] = dict(sides)
    for name, pairs in zip(layout.relations, state.relations, strict=True):
        members = set(pairs)
        world[places.relations[name]] = members | {(b, a) for a, b in pairs} if name in layout.symmetric else members
    for name, position in places.boards.items():
        world[position] = base.boards[name]
    for name, position in places.settings.items():
        world[position] = base.settings[name]
    _restore_control(executable, control, state, world)
    return world


def _restore_control(executable: Executable, control: RunControl, state: State, world: WorkingMemory) -> None:
    control.work = state.work
    control.work_left -= state.work + state.visited
    control.size_left -= state.made
    start_stretch(world)
    control.known = dict(state.known)
    stack = world[STACK]
    control.held = [(rules, stack[at]) for rules, at in state.held]
    control.watching = [(number, stack[at], *executable.tables.watches[number]) for number, at in state.watching]
    control.removals = list(state.removals)
    control.together, control.told = state.together, state.told
    if state.pending is not None:
        control.pending = state.pending


def freeze_world(executable: Executable, world: WorkingMemory, *, running: bool) -> State:
    """State of the working memory, rolls renumbered; without frames if the run has ended."""
    control: RunControl = world[CONTROL]
    stack = world[STACK] if running else []
    frames, pending, rolls = renumber_frames(executable, world, stack, control.pending) if running else ([], None, ())
    game = snapshot_game(executable, world)
    state = State(
        executable.layout,
        control.base,
        *game,
        work=control.work,
        visited=control.limits.work - control.work_left - control.work,
        made=control.limits.size - control.size_left + TRACE_ENTRY_SIZE * len(world[RECORD] or ()),
        origin=control.origin,
        unsettled=world[UNSETTLED],
    )
    if not running:
        return state
    depth = {id(frame): position for position, frame in enumerate(stack)}
    return replace(
        state,
        rolls=rolls,
        frames=tuple(FrozenFrame(frame[FRAME_BLOCK], tuple(frame[1:])) for frame in frames),
        quiet=world[QUIET],
        pending=pending,
        known=tuple(sorted(control.known.items(), key=repr)),
        held=tuple((rules, depth[id(frame)]) for rules, frame in control.held),
        watching=tuple((number, depth[id(frame)]) for number, frame, *_ in control.watching),
        removals=tuple(control.removals),
        together=control.together,
        told=control.told,
    )


def snapshot_game(executable: Executable, world: WorkingMemory) -> tuple[Any, Any, Any, Any, Any, Any]:
    """The game alone, in the form of a state: columns, gone things, fields, cells, sides, relations."""
    places = executable.places
    gone_columns, *board = snapshot_board(executable, world)
    columns = tuple([tuple(world[at]) for at in places.columns.values()])
    return (columns, gone_columns, tuple([world[at] for at in places.game.values()]), *board)


def snapshot_board(executable: Executable, world: WorkingMemory) -> tuple[Any, Any, Any, Any]:
    """Gone things, cells, sides and relations, in the form of a state."""
    places, layout = executable.places, executable.layout
    return (
        tuple([tuple(world[at]) for at in places.gone.values()]),
        tuple([_sorted_entries(world[at], layout.starts.get(name)) for name, at in places.cells.items()]),
        tuple([_sorted_entries(world[at], layout.starts.get(name)) for name, at in places.sides.items()]),
        tuple([_sorted_pairs(world[at], symmetric=name in layout.symmetric) for name, at in places.relations.items()]),
    )


def _sorted_entries(entries: dict[Any, Any], start: Any) -> tuple[Any, ...]:
    return tuple(sorted([(key, value) for key, value in entries.items() if value != start])) if entries else ()


def _sorted_pairs(pairs: set[tuple[int, int]], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    return tuple(sorted([pair for pair in pairs if not symmetric or pair[0] <= pair[1]])) if pairs else ()


class MeasureEvaluator:
    """Evaluates measures in a state, under limits shared by all calls."""

    def __init__(self, executable: Executable, state: State, limits: RunLimits) -> None:
        self._measures = executable.measures
        self._limits = limits
        self._world = thaw_state(executable, state, limits)

    def __call__(self, name: str, arguments: Sequence[Value]) -> Value:
        """Value of a measure, by name and arguments.

        Raises:
            Fault: it has none.
        """
        result: Value = self._measures[name](self._world, *arguments)
        return result

    @property
    def work_used(self) -> int:
        control: RunControl = self._world[CONTROL]
        return self._limits.work - control.work_left


def make_measure_evaluator(executable: Executable, state: State) -> MeasureEvaluator:
    """Evaluator of measures in a state."""
    return MeasureEvaluator(executable, state, RunLimits())


def evaluate_measure(executable: Executable, state: State, name: str, arguments: Sequence[Value]) -> Value:
    """Value of one measure.

    Raises:
        Fault: it has none.
    """
    return make_measure_evaluator(executable, state)(name, arguments)


_RenumberedFrames = tuple[list[list[Any]], PendingRequest | None, tuple[Any, ...]]


def renumber_frames(
    executable: Executable, world: WorkingMemory, stack: list[list[Any]], pending: PendingRequest | None
) -> _RenumberedFrames:
    """Frames and pending request with the rolls in use numbered as they were made, and these rolls."""
    if not world[ROLLS]:
        return stack, pending, ()
    numbering = RollRenumbering(executable)
    frames, request = numbering.renumber_all(stack, pending)
    in_use = sorted(numbering.numbers)
    if list(numbering.numbers) != in_use:
        numbering.numbers = {old: new for new, old in enumerate(in_use)}
        frames, request = numbering.renumber_all(stack, pending)
    dice = [world[ROLLS][old] for old in numbering.numbers]
    return frames, request, tuple([die if isinstance(die, SymbolicPool) else tuple(die) for die in dice])


def renumber_rolls(executable: Executable, world: WorkingMemory) -> None:
    """Renumbers the rolls in use in the working memory itself, and drops unused ones."""
    if not world[ROLLS]:
        return
    control = world[CONTROL]
    frames, control.pending, rolls = renumber_frames(executable, world, world[STACK], control.pending)
    for frame, renewed in zip(world[STACK], frames, strict=True):
        frame[:] = renewed
    world[ROLLS] = list(rolls)


class RollRenumbering:
    """Frames and requests with rolls numbered in the order of their first use."""

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        self.numbers: dict[int, int] = {}

    def renumber_roll(self, old: int) -> int:
        return self.numbers.setdefault(old, len(self.numbers))

    def renumber_all(self, stack: list[list[Any]], pending: PendingRequest | None) -> tuple[list[list[Any]], Any]:
        frames = [self.renumber_frame(frame) for frame in stack]
        return frames, None if pending is None else self.renumber_request(pending)

    def renumber_frame(self, frame: list[Any]) -> Any:  # a list here, a key in subclasses
        renewed = list(frame)
        if frame[FRAME_ROUTINE] >= 0:
            table = self._executable.tables.flows[frame[FRAME_ROUTINE]]
            for slot, type_ in table.slot_types.items():
                renewed[slot] = self.renumber_value(frame[slot], type_)
            for slot, member_type in table.cursors.items():
                if frame[slot] is not None:
                    renewed[slot] = tuple(self.renumber_value(item, member_type) for item in frame[slot])
        return renewed

    def renumber_request(self, pending: PendingRequest) -> Any:  # a request here, a key in subclasses
        site, _, data = pending
        match self._executable.request_statements.get(site):
            case core.Reroll():
                return pending._replace(data=tuple((self.renumber_roll(roll), at) for roll, at in data))
            case core.Draw(place=place):
                return pending._replace(data=self._renumber_items(data, place.type))
            case core.Ask(space=core.Members(source=items)):
                return pending._replace(data=self._renumber_items(data, items.type))
            case core.Ask(space=core.Subsets(source=items) | core.Orders(items)):
                return pending._replace(data=data._replace(items=self._renumber_items(data.items, items.type)))
            case core.Roll(dice=core.RollOf(members=core.Value(type=type_))):
                return pending._replace(data=data._replace(members=self._renumber_items(data.members, type_)))
            case _:
                return pending

    def _renumber_items(self, items: Any, collection: CoreType) -> tuple[Any, ...]:
        item_type = None if isinstance(collection, RankingType) else get_member_type(collection)
        return tuple([self.renumber_value(item, item_type) for item in items])

    def renumber_value(self, value: Any, of: CoreType | None) -> Any:
        """A value of a type with new numbers of rolls in it."""
        match of:
            case _ if value is None or of is None:
                return value
            case DieType():
                return (self.renumber_roll(value[0]), value[1])
            case PoolType():
                return self.renumber_roll(value)
            case ListType(DieType()):
                return tuple([(self.renumber_roll(roll), at) for roll, at in value])
            case SetType(DieType()) | BagType(DieType()):
                return tuple(sorted([(self.renumber_roll(roll), at) for roll, at in value]))
            case RankingType(member):
                return value._replace(order=tuple([self.renumber_value(item, member) for item in value.order]))
            case _:
                return rebuild_value(value, of, self._executable.program.records, self.renumber_value)
