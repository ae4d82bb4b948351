"""The working memory of a run: a mutable list, made from a state and frozen to one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rulewright.program.board_geometry import (
    POLYGON,
    get_stored_types,
    has_base,
    has_place,
    list_based_kinds,
    list_polygon_attributes,
)
from rulewright.program.declarations import Program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import SourcePoint
from rulewright.runtime.state import GameSetup, PendingRequest, Situation, StateLayout

CONTROL = 0
"""Slot of the `RunControl`."""
UNSETTLED = 1
"""Slot of the bit mask of standing rules and invariants to be tested at the next settling."""
QUIET = 2
"""Slot of the nesting depth of blocks without settling."""
RECORD = 3
"""Slot of the list of what a traced run recorded; none in an untraced run."""
ROLLS = 4
"""Slot of the list of rolls in use, each the list of its dice or a `SymbolicPool`."""
STACK = 5
"""Slot of the list of frames, outermost first."""
BOARD = 6
"""Slot of the set of the cells of all boards."""
_FIRST_NAMED_SLOT = 7
TRACE_ENTRY_SIZE = 10
"""Size charged per trace entry."""


@dataclass(frozen=True)
class MemoryLayout:
    """Slots of the working memory, a flat list.

    It begins with the slots `CONTROL` to `BOARD`, then has one for every name of the layout.
    """

    columns: dict[str, int]
    gone: dict[str, int]
    in_play: dict[str, int]
    game: dict[str, int]
    cells: dict[str, int]
    sides: dict[str, int]
    relations: dict[str, int]
    boards: dict[str, int]
    settings: dict[str, int]
    size: int

    @cached_property
    def mutable_slots(self) -> tuple[int, ...]:
        """Slots of lists, dictionaries and sets that a run changes in place, except the stack."""
        named = (self.columns, self.gone, self.cells, self.sides, self.relations)
        return (ROLLS, *(position for group in named for position in group.values()))

    @cached_property
    def store_places(self) -> dict[int, str]:
        """Place of the store, as `program.effects` names it, by the slot that it is kept in."""
        result = {position: f"game/{name}" for name, position in self.game.items()}
        for group in (self.gone, self.in_play):
            result |= {position: f"{kind}/gone" for kind, position in group.items()}
        for group in (self.columns, self.cells, self.sides, self.relations):
            result |= {position: name for name, position in group.items()}
        return result


def build_memory_layout(layout: StateLayout, boards: tuple[str, ...], settings: tuple[str, ...]) -> MemoryLayout:
    """Slots of everything a state layout names."""
    groups: list[dict[str, int]] = []
    position = _FIRST_NAMED_SLOT
    for names in (
        layout.columns,
        layout.kinds,
        layout.kinds,
        layout.game,
        layout.cells,
        layout.sides,
        layout.relations,
        boards,
        settings,
    ):
        groups.append({name: position + number for number, name in enumerate(names)})
        position += len(names)
    columns, gone, in_play, game, cells, sides, relations, boarded, set_ = groups
    return MemoryLayout(columns, gone, in_play, game, cells, sides, relations, boarded, set_, position)


@dataclass(frozen=True, slots=True)
class PlaneColumns:
    """Slots that put the things of a kind on the plane; none for what they lack."""

    kind: str
    gone: int  # flags of things out of play
    in_play: int  # numbers of things in play
    at: int  # middles
    facing: int | None  # facings
    base: int | None  # bases
    columns: tuple[int, ...]  # all of these slots


def find_plane_columns(program: Program, kind: str, places: Any) -> PlaneColumns | None:
    """Slots that put things of a kind on the plane; none if they have no place."""
    declared = program.kinds[kind]
    if not has_place(declared):
        return None
    gone, in_play, at = places.gone[kind], places.in_play[kind], places.columns[f"{kind}/at"]
    facing = places.columns.get(f"{kind}/facing")
    base = places.columns[f"{kind}/base"] if has_base(declared) else None
    columns = tuple(item for item in (gone, in_play, at, facing, base) if item is not None)
    return PlaneColumns(kind, gone, in_play, at, facing, base, columns)


def find_all_plane_columns(program: Program, places: Any) -> tuple[PlaneColumns, ...]:
    """Plane slots of all kinds with a base."""
    generator = (find_plane_columns(program, kind, places) for kind in list_based_kinds(program.kinds))
    return tuple(plane_columns for plane_columns in generator if plane_columns is not None)


def find_polygon_columns(program: Program, places: Any) -> tuple[tuple[int, int], ...]:
    """Slots of things in play and their outlines, for every kind with a polygon."""
    return tuple(
        (places.in_play[kind], places.columns[f"{kind}/{name}"])
        for kind, name in list_polygon_attributes(program.kinds)
        if get_stored_types(program.kinds[kind])[name] == POLYGON
    )


if TYPE_CHECKING:
    from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class FlowTable:
    """Engine table of a routine that runs in frames: key, sort, name, first block, empty slots, types by slot.

    `cursors` are the slots with the members of loops, with the type of a member; `quiet_blocks` those in which nothing
    settles.
    """

    key: str
    sort: str
    name: str
    entry: int
    empty: tuple[None, ...]
    slot_types: Mapping[int, Any]
    cursors: Mapping[int, Any]
    quiet_blocks: frozenset[int]
    is_framed: bool  # whether the routine may stop; else its only block calls a plain function


@dataclass(frozen=True, slots=True)
class EngineTables:
    """The engine's tables of a program.

    `due_bits` has the bits of standing rules and invariants by key; `settling` and `judging` are numbers of flows, `settle`
    and `judge` the same as plain functions, `windows` the flows of windows by event. `stands` has the plane slots of things with bases, and `walls` those of polygons;
    `found_poses` caches pose searches.
    """

    flows: tuple[FlowTable, ...]
    due_bits: Mapping[str, int]
    settling: int
    judging: int
    settle: Callable[..., Any]
    judge: Callable[..., Any]
    settles_plainly: bool  # whether no standing rule or invariant may stop
    windows: Mapping[str, int]
    watches: tuple[tuple[str, Callable[..., Any]], ...]
    masks: dict[str, int]
    sites: tuple[SourcePoint, ...]
    stands: tuple[PlaneColumns, ...] = ()
    walls: tuple[tuple[int, int], ...] = ()
    found_poses: dict[Any, Any] = field(default_factory=dict)


class RunControl:
    """State of a run beside the game.

    Attributes:
        base: ids, boards, settings.
        origin: the start.
        limits: upper bounds of the run.
        asked_site: number of the source point of the pending request; none without one.
        asked_player: its player.
        asked_data: its data. Three fields, which generated code sets faster than it makes a `PendingRequest`.
        reply: the last answer.
        work: blocks and rounds run.
        work_left: remaining work of lines, visits and calls.
        size_left: remaining size of all that is made.
        together: nesting depth of `together` blocks.
        removals: windows of removals deferred to the end of `together`.
        told: of an event that is told to watches, how many were told, and one more; 0 if none is.
        held: numbers of standing rules held, with the frame that holds them.
        watching: active watches, outermost first: number, frame, event, function.
        places: layout of the working memory.
        functions: generated functions by name.
        tables: the engine's tables.
        known: answers for external terms.
        plane_bodies: bodies of things on the plane, with what they were made of; a cache.
        since: index in the record where the stretch since the last request begins.
        enclosing: numbers of the routines running there, negative for none.
    """

    __slots__ = (
        "asked_data",
        "asked_player",
        "asked_site",
        "base",
        "enclosing",
        "functions",
        "held",
        "known",
        "limits",
        "origin",
        "places",
        "plane_bodies",
        "removals",
        "reply",
        "since",
        "size_left",
        "tables",
        "together",
        "told",
        "watching",
        "work",
        "work_left",
    )

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        base: GameSetup,
        origin: Situation | None,
        limits: RunLimits,
        functions: dict[str, Any],
        tables: "EngineTables",
        places_: "MemoryLayout",
    ) -> None:
        self.base = base
        self.functions = functions
        self.tables = tables
        self.places = places_
        self.origin = origin
        self.limits = limits
        self.pending = None
        self.reply: Any = None
        self.work = 0
        self.work_left = limits.work
        self.size_left = limits.size
        self.together = 0
        self.since = 0
        self.enclosing: tuple[int, ...] = ()
        self.removals: list[Any] = []
        self.told = 0
        self.held: list[tuple[tuple[int, ...], list[Any]]] = []
        self.watching: list[tuple[Any, ...]] = []
        self.known: dict[tuple[str, tuple[Value, ...]], Value] = {}
        self.plane_bodies: tuple[list[Any], list[Any]] | None = None

    @property
    def pending(self) -> PendingRequest | None:
        """The pending request as a record."""
        if self.asked_site is None:
            return None
        return PendingRequest(self.asked_site, self.asked_player, self.asked_data)

    @pending.setter
    def pending(self, request: PendingRequest | None) -> None:
        self.asked_site: int | None
        self.asked_player: int | None
        self.asked_data: Any
        self.asked_site, self.asked_player, self.asked_data = (None, None, None) if request is None else request

    def copy_control(self) -> "RunControl":
        """A copy for another working memory, in which holds and watches still refer to the frames of this one."""
        other = RunControl.__new__(RunControl)
        other.base, other.origin, other.limits = self.base, self.origin, self.limits
        other.functions, other.tables, other.places = self.functions, self.tables, self.places
        other.asked_site, other.asked_player, other.asked_data = self.asked_site, self.asked_player, self.asked_data
        other.reply = self.reply
        other.work, other.work_left, other.size_left = self.work, self.work_left, self.size_left
        other.together, other.since, other.enclosing = self.together, self.since, self.enclosing
        other.held, other.watching, other.told = self.held, self.watching, self.told
        other.known, other.removals, other.plane_bodies = self.known.copy(), self.removals.copy(), None
        return other


WorkingMemory = list[Any]


def copy_world(world: WorkingMemory, slots: Sequence[int] | None = None) -> WorkingMemory:
    """An independent working memory; immutable parts, and mutable ones not in `slots`, are shared."""
    copied = world.copy()
    control: RunControl = world[CONTROL]
    for position in control.places.mutable_slots if slots is None else slots:
        copied[position] = world[position].copy()
    copied[STACK] = [frame.copy() for frame in world[STACK]]
    copied[CONTROL] = control_copy = control.copy_control()
    if world[RECORD] is not None:
        copied[RECORD] = []
        control_copy.size_left -= TRACE_ENTRY_SIZE * len(world[RECORD])
        control_copy.since = 0
    if control.held or control.watching:
        frames = {id(old): new for old, new in zip(world[STACK], copied[STACK], strict=True)}
        control_copy.held = [(rules, frames[id(frame)]) for rules, frame in control.held]
        control_copy.watching = [(number, frames[id(frame)], *rest) for number, frame, *rest in control.watching]
    return copied


class _UnreadMark:
    """What a trace holds for a value that was not read, because the result was decided before."""

    def __repr__(self) -> str:
        return "unread"


UNREAD_VALUE = _UnreadMark()
