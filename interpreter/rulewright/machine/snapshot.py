"""From a state to the working memory of a run and back, rolls numbered so that equal states are equal values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulewright.machine.engine.events import judge_invariants, settle
from rulewright.machine.engine.frames import WINDOW
from rulewright.machine.entries import begin_stretch
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, Limits
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.state import Frame, Pending, Situation, State, initial
from rulewright.machine.unthrown import Unthrown
from rulewright.machine.values import Value, rebuilt
from rulewright.machine.world import BOARD, CONTROL, ENTRY, QUIET, RECORD, ROLLS, STACK, UNSETTLED, Control, World
from rulewright.program import statements as st
from rulewright.program.expressions import Binding
from rulewright.program.types import BagType, DieType, ListType, PoolType, SetType, Type, member_type


def fresh(executable: Executable, situation: Situation, limits: Limits) -> World:
    """The working memory of a start; for a start used lately, a copy of one made before."""
    kept = executable.starts.get(id(situation)) or _prepared(executable, situation, limits)
    world: World = kept[1].copy()
    for number in kept[2]:
        world[number] = world[number].copy()
    world[CONTROL] = Control(
        situation.base, situation, limits, executable.functions, executable.tables, executable.places
    )
    return world


def _prepared(executable: Executable, situation: Situation, limits: Limits) -> tuple[Any, ...]:
    """A start, its working memory, and what of that is to be copied."""
    tables, starts = executable.tables, executable.starts
    everything = (1 << (len(tables.rules) + len(tables.invariants))) - 1
    state = replace(initial(situation, executable.layout), unsettled=everything)
    begun = _settled(executable, state) or thaw(executable, state, limits)
    mutable = [number for number, each in enumerate(begun) if isinstance(each, list | dict | set)]
    if len(starts) >= _STARTS:
        del starts[next(iter(starts))]
    starts[id(situation)] = situation, begun, mutable
    return starts[id(situation)]


_STARTS = 32
"""So many starts of a program are kept to be copied."""


def _settled(executable: Executable, state: State) -> World | None:
    """The working memory of a start that is judged and settled already; none where that asks or faults."""
    asked = any(each.default is None for each in executable.program.external_terms.values())
    if asked or any(rule.plain is None for rule in executable.tables.rules):
        return None
    world = thaw(executable, state, Limits())
    try:
        judge_invariants(world)
        settle(world)
    except Fault:
        return None
    return world


def thaw(executable: Executable, state: State, limits: Limits) -> World:
    """The working memory of a state."""
    places, layout, base = executable.places, executable.layout, state.base
    control = Control(base, state.origin, limits, executable.functions, executable.tables, places)
    world: World = [None] * places.size
    world[CONTROL], world[UNSETTLED], world[QUIET] = control, state.unsettled, state.quiet
    world[RECORD] = [] if executable.traced else None
    world[ROLLS] = list(state.rolls)
    world[STACK] = [[each.block, *each.slots] for each in state.frames]
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
        found = set(pairs)
        world[places.relations[name]] = found | {(b, a) for a, b in pairs} if name in layout.symmetric else found
    for name, position in places.boards.items():
        world[position] = base.boards[name]
    for name, position in places.settings.items():
        world[position] = base.settings[name]
    _thaw_control(executable, control, state, world)
    return world


def _thaw_control(executable: Executable, control: Control, state: State, world: World) -> None:
    control.work = state.work
    control.left -= state.work + state.visited
    control.room -= state.made
    begin_stretch(world)
    control.known = dict(state.known)
    stack = world[STACK]
    control.held = [(rules, stack[at]) for rules, at in state.held]
    control.watching = [(number, stack[at], *executable.tables.watches[number]) for number, at in state.watching]
    control.removals = list(state.removals)
    control.together = state.together
    if state.pending is not None:
        control.pending = (state.pending.site, state.pending.player, state.pending.data)


def freeze(executable: Executable, world: World, *, running: bool) -> State:
    """The state of the working memory, rolls numbered anew; without frames when the run has ended."""
    control: Control = world[CONTROL]
    stack = world[STACK] if running else []
    frames, pending, rolls = numbered(executable, world, stack, control.pending) if running else ([], None, ())
    game = game_of(executable, world)
    state = State(
        executable.layout,
        control.base,
        *game,
        work=control.work,
        visited=control.limits.work - control.left - control.work,
        made=control.limits.size - control.room + ENTRY * len(world[RECORD] or ()),
        origin=control.origin,
        unsettled=world[UNSETTLED],
    )
    if not running:
        return state
    depth = {id(frame): position for position, frame in enumerate(stack)}
    return replace(
        state,
        rolls=rolls,
        frames=tuple(Frame(frame[0], tuple(frame[1:])) for frame in frames),
        quiet=world[QUIET],
        pending=Pending(*pending) if pending is not None else None,
        known=tuple(sorted(control.known.items(), key=repr)),
        held=tuple((rules, depth[id(frame)]) for rules, frame in control.held),
        watching=tuple((number, depth[id(frame)]) for number, frame, *_ in control.watching),
        removals=tuple(control.removals),
        together=control.together,
    )


def game_of(executable: Executable, world: World) -> tuple[Any, Any, Any, Any, Any, Any]:
    """The game alone: columns, what is out of play, fields, cells, sides, relations, as a state has them."""
    places = executable.places
    gone, *board = board_of(executable, world)
    columns = tuple([tuple(world[at]) for at in places.columns.values()])
    return (columns, gone, tuple([world[at] for at in places.game.values()]), *board)


def board_of(executable: Executable, world: World) -> tuple[Any, Any, Any, Any]:
    """What is out of play, cells, sides and relations, as a state has them."""
    places, layout = executable.places, executable.layout
    return (
        tuple([tuple(world[at]) for at in places.gone.values()]),
        tuple([_entries(world[at], layout.starts.get(name)) for name, at in places.cells.items()]),
        tuple([_entries(world[at], layout.starts.get(name)) for name, at in places.sides.items()]),
        tuple([_once(world[at], symmetric=name in layout.symmetric) for name, at in places.relations.items()]),
    )


def _entries(entries: dict[Any, Any], start: Any) -> tuple[Any, ...]:
    return tuple(sorted([(key, value) for key, value in entries.items() if value != start])) if entries else ()


def _once(pairs: set[tuple[int, int]], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    return tuple(sorted([pair for pair in pairs if not symmetric or pair[0] <= pair[1]])) if pairs else ()


class Measuring:
    """The values of measures in a state, within limits that all of them share."""

    def __init__(self, executable: Executable, state: State, limits: Limits) -> None:
        self._measures = executable.measures
        self._limits = limits
        self._world = thaw(executable, state, limits)

    def __call__(self, name: str, arguments: Sequence[Value]) -> Value:
        """The value of a measure, by its name and for what is given to it.

        Raises:
            Fault: it has none.
        """
        found: Value = self._measures[name](self._world, *arguments)
        return found

    @property
    def visited(self) -> int:
        """How much of the limit of work was used."""
        control: Control = self._world[CONTROL]
        return self._limits.work - control.left


def measuring(executable: Executable, state: State) -> Measuring:
    """The values of measures in a state."""
    return Measuring(executable, state, Limits())


def measure(executable: Executable, state: State, name: str, arguments: Sequence[Value]) -> Value:
    """The value of one measure, for what is given to it.

    Raises:
        Fault: it has none.
    """
    return measuring(executable, state)(name, arguments)


_Result = tuple[list[list[Any]], tuple[Any, ...] | None, tuple[Any, ...]]


def numbered(executable: Executable, world: World, stack: list[list[Any]], pending: Any) -> _Result:
    """The frames and the pending request with the rolls in use numbered as they were made, and these rolls."""
    if not world[ROLLS]:
        return stack, pending, ()
    numbering = Numbering(executable)
    frames, request = numbering.all(stack, pending)
    in_use = sorted(numbering.numbers)
    if list(numbering.numbers) != in_use:
        numbering.numbers = {old: new for new, old in enumerate(in_use)}
        frames, request = numbering.all(stack, pending)
    dice = [world[ROLLS][old] for old in numbering.numbers]
    return frames, request, tuple([each if isinstance(each, Unthrown) else tuple(each) for each in dice])


def number(executable: Executable, world: World) -> None:
    """Numbers the rolls in use anew in the working memory itself, and drops those that nothing holds."""
    if not world[ROLLS]:
        return
    control = world[CONTROL]
    frames, control.pending, rolls = numbered(executable, world, world[STACK], control.pending)
    for frame, renewed in zip(world[STACK], frames, strict=True):
        frame[:] = renewed
    world[ROLLS] = list(rolls)


class Numbering:
    """Frames and requests with rolls numbered in the order in which they are met."""

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        self.numbers: dict[int, int] = {}

    def roll(self, old: int) -> int:
        """The number of a roll that is in use."""
        return self.numbers.setdefault(old, len(self.numbers))

    def all(self, stack: list[list[Any]], pending: Any) -> tuple[list[list[Any]], tuple[Any, ...] | None]:
        """All frames and the request."""
        frames = [self.frame(frame) for frame in stack]
        return frames, None if pending is None else self.request(pending)

    def frame(self, frame: list[Any]) -> Any:  # a list; those who compare frames make something else
        """A frame with its dice numbered anew."""
        renewed = list(frame)
        if frame[1] >= 0:
            table = self._executable.tables.flows[frame[1]]
            for variable in table.variables:
                slot = FIRST_SLOT + variable.index
                renewed[slot] = self.value(frame[slot], variable.type)
            for slot, source in table.cursors:
                if frame[slot] is not None:
                    renewed[slot] = tuple(self.value(each, member_type(source.type)) for each in frame[slot])
        elif frame[1] == WINDOW:
            parameters = self._executable.program.events[frame[4]].parameters
            renewed[5] = tuple(self.value(each, of.type) for each, of in zip(frame[5], parameters, strict=True))
            gives = self._executable.program.events[frame[4]].gives
            if gives is not None:
                renewed[6] = tuple(self.value(each, gives) for each in frame[6])
        return renewed

    def request(self, pending: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is waited for, with its dice numbered anew."""
        site, player, data = pending
        line = self._executable.sites[site].node if site >= 0 else None
        match line:
            case st.Reroll():
                return site, player, tuple((self.roll(roll), at) for roll, at in data)
            case st.Draw(place=place):
                item = member_type(place.type)
                return site, player, tuple(self.value(each, item) for each in data)
            case st.Ask(shape=st.OneOf(binding)):
                item = member_type(binding.source.type)
                return site, player, tuple(self.value(each, item) for each in data)
            case st.Ask(shape=st.Pick(binding=Binding(source=items)) | st.Order(items)):
                item = member_type(items.type)
                return site, player, (data[0], tuple(self.value(each, item) for each in data[1]), *data[2:])
            case st.RankKey():
                return site, player, self._ranked(self._executable.sites[site].type, data)
            case _:
                return pending

    def _ranked(self, order: Type | None, data: tuple[Any, ...]) -> tuple[Any, ...]:
        """The data of a key that asks for a row, or throws for members, which may be dice themselves."""
        asks = data[0] == "order"
        members = tuple(self.value(each, member_type(order)) for each in data[1 if asks else 3]) if order else ()
        return ("order", members, *data[2:]) if asks else (*data[:3], members)

    def value(self, value: Any, of: Type | None) -> Any:
        """A value with its dice numbered anew."""
        match of:
            case _ if value is None or of is None:
                return value
            case DieType():
                return (self.roll(value[0]), value[1])
            case PoolType():
                return self.roll(value)
            case ListType(DieType()):
                return tuple([(self.roll(roll), at) for roll, at in value])
            case SetType(DieType()) | BagType(DieType()):
                return tuple(sorted([(self.roll(roll), at) for roll, at in value]))
            case _:
                return rebuilt(value, of, self._executable.program.records, self.value)
