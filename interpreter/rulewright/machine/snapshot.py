"""From a state to the working memory of a run and back; what measures are worth in a state."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rulewright.machine.engine.events import judge_invariants, settle
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.limits import Limits
from rulewright.machine.numbering import numbered
from rulewright.machine.record import begin_stretch
from rulewright.machine.state import Frame, Pending, Situation, State, initial
from rulewright.machine.values import Value
from rulewright.machine.world import BOARD, CONTROL, ENTRY, QUIET, RECORD, ROLLS, STACK, UNSETTLED, Control, World


def fresh(executable: Executable, situation: Situation, limits: Limits) -> World:
    """The working memory of a start, everything to be settled; of the starts used last copies are made."""
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
    places, layout = executable.places, executable.layout
    return (
        tuple([tuple(world[at]) for at in places.columns.values()]),
        tuple([tuple(world[at]) for at in places.gone.values()]),
        tuple([world[at] for at in places.game.values()]),
        tuple([_entries(world[at], layout.starts.get(name)) for name, at in places.cells.items()]),
        tuple([_entries(world[at], layout.starts.get(name)) for name, at in places.sides.items()]),
        tuple([_once(world[at], symmetric=name in layout.symmetric) for name, at in places.relations.items()]),
    )


def _entries(entries: dict[Any, Any], start: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return tuple(sorted([(key, value) for key, value in entries.items() if value != start])) if entries else ()


def _once(pairs: set[tuple[int, int]], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    return tuple(sorted([pair for pair in pairs if not symmetric or pair[0] <= pair[1]])) if pairs else ()


Measuring = Callable[[str, Sequence[Value]], Value]
"""The value of a measure, by its name and for what is given to it."""


def measuring(executable: Executable, state: State) -> Measuring:
    """The values of measures in a state.

    Raises:
        Fault: when called, a measure has no value for what is given.
    """
    world = thaw(executable, state, Limits())
    return lambda name, arguments: executable.measures[name](world, *arguments)


def measure(executable: Executable, state: State, name: str, arguments: Sequence[Value]) -> Value:
    """The value of one measure, for what is given to it.

    Raises:
        Fault: it has none.
    """
    return measuring(executable, state)(name, arguments)
