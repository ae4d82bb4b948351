"""The working memory of a run: mutable, made from a state and frozen to one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rulewright.machine.faults import Limits
from rulewright.machine.layout import Layout
from rulewright.machine.source_point import Site
from rulewright.machine.state import Base, Situation
from rulewright.program.declarations import Program
from rulewright.program.plane import POLYGON, bases, has_base, has_place, outlines, types_of

_FIRST = 7
ENTRY = 10
"""What an entry of a trace counts for in the size of all that is made."""


@dataclass(frozen=True)
class Places:
    """Where things lie in the working memory, a flat list.

    It begins with the control, the bits of what is unsettled, the depth of quiet, the record of a traced run, the
    rolls, the stack and the set of all cells; then for every name of the layout one entry.
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
    def mutable(self) -> tuple[int, ...]:
        """Where lists, dictionaries and sets lie that a run changes in place, but for the stack."""
        named = (self.columns, self.gone, self.cells, self.sides, self.relations)
        return (ROLLS, *(position for group in named for position in group.values()))


def places(layout: Layout, boards: tuple[str, ...], settings: tuple[str, ...]) -> Places:
    """The positions of everything a layout names."""
    groups: list[dict[str, int]] = []
    position = _FIRST
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
    return Places(columns, gone, in_play, game, cells, sides, relations, boarded, set_, position)


@dataclass(frozen=True, slots=True)
class Stand:
    """Where the working memory keeps what the things of a kind need to stand on the plane; none for what they lack."""

    kind: str  # theirs
    gone: int  # which of them are out of play
    in_play: int  # those in play
    at: int  # where their middles are
    facing: int | None  # where they face
    base: int | None  # what they stand on
    columns: tuple[int, ...]  # all of these together


def stand(program: Program, kind: str, places: Any) -> Stand | None:
    """How things of a kind stand on the plane; none where they do not."""
    declared = program.kinds[kind]
    if not has_place(declared):
        return None
    gone, in_play, at = places.gone[kind], places.in_play[kind], places.columns[f"{kind}/at"]
    facing = places.columns.get(f"{kind}/facing")
    base = places.columns[f"{kind}/base"] if has_base(declared) else None
    columns = tuple(each for each in (gone, in_play, at, facing, base) if each is not None)
    return Stand(kind, gone, in_play, at, facing, base, columns)


def stands(program: Program, places: Any) -> tuple[Stand, ...]:
    """How the things of all kinds with a base stand."""
    found = (stand(program, kind, places) for kind in bases(program.kinds))
    return tuple(each for each in found if each is not None)


def walls(program: Program, places: Any) -> tuple[tuple[int, int], ...]:
    """Where the working memory keeps what is in play and its outline, for every kind with a polygon."""
    return tuple(
        (places.in_play[kind], places.columns[f"{kind}/{name}"])
        for kind, name in outlines(program.kinds)
        if types_of(program.kinds[kind])[name] == POLYGON
    )


if TYPE_CHECKING:
    from rulewright.machine.values import Value

CONTROL, UNSETTLED, QUIET, RECORD, ROLLS, STACK, BOARD = range(7)


@dataclass(frozen=True, slots=True)
class FlowTable:
    """What the engine knows of a graph: key, sort, name of the declaration, first block, slots, dice it may hold."""

    key: str
    sort: str
    name: str
    entry: int
    empty: tuple[None, ...]
    variables: tuple[Any, ...]
    cursors: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RuleTable:
    """What the engine knows of a standing rule: number in file order; `plain` is its function, or `flow` its graph."""

    number: int
    name: str
    bit: int
    find: Callable[..., Any]
    lowers: Callable[..., Any]
    plain: Callable[..., Any] | None
    flow: int
    site: int


@dataclass(frozen=True, slots=True)
class HandlerTable:
    """What the engine knows of a handler: who could run it, and for which holders."""

    name: str
    find: Callable[..., Any]
    judge: Callable[..., Any]
    owner: int | None
    optional: bool
    plain: Callable[..., Any] | None
    flow: int
    site: int


@dataclass(frozen=True, slots=True)
class EventTable:
    """What the engine knows of an event: holders, the order of players, handlers in file order, who closes it."""

    name: str
    holders: Callable[..., Any] | None
    order: Callable[..., Any] | None
    handlers: tuple[HandlerTable, ...]
    first_taker: bool


@dataclass(frozen=True, slots=True)
class InvariantTable:
    """What the engine knows of an invariant."""

    name: str
    bit: int
    judge: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Tables:
    """What the engine knows of a program.

    Rules come in the order in which they are tried; `stands` says where things with bases stand on the plane, and
    `walls` where polygons of things are kept; `looked` remembers searches for a place.
    """

    flows: tuple[FlowTable, ...]
    rules: tuple[RuleTable, ...]
    events: dict[str, EventTable]
    invariants: tuple[InvariantTable, ...]
    watches: tuple[tuple[str, Callable[..., Any]], ...]
    masks: dict[str, int]
    sites: tuple[Site, ...]
    stands: tuple[Stand, ...] = ()
    walls: tuple[tuple[int, int], ...] = ()
    looked: dict[Any, Any] = field(default_factory=dict)


class Control:
    """What a run keeps beside the game.

    Attributes:
        base: ids, boards, settings.
        origin: the start.
        limits: what the run may use.
        pending: site, player and data of the request waited for.
        reply: the answer just given.
        work: blocks and rounds run.
        left: how much more may be run, visited and called.
        room: how much more may be made.
        together: how many `together` blocks are open.
        removals: windows of removals that wait for the end of `together`.
        held: numbers of standing rules held, with the frame that holds them.
        watching: watches that hear, outermost first: number, frame, event, function.
        places: where things lie in the working memory.
        lost: the thing just removed, or none where it was gone before.
        functions: what was generated, by name.
        tables: what the generated code and the engine share about rules, events and routines.
        known: answers for external terms.
        standing: bodies of things on the plane, with what they were made of; a cache.
        since: where in the record the stretch since the last request begins.
        enclosing: numbers of the routines that ran there, below zero what is none.
    """

    __slots__ = (
        "base",
        "enclosing",
        "functions",
        "held",
        "known",
        "left",
        "limits",
        "lost",
        "origin",
        "pending",
        "places",
        "removals",
        "reply",
        "room",
        "since",
        "standing",
        "tables",
        "together",
        "watching",
        "work",
    )

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        base: Base,
        origin: Situation | None,
        limits: Limits,
        functions: dict[str, Any],
        tables: "Tables",
        places_: "Places",
    ) -> None:
        self.base = base
        self.functions = functions
        self.tables = tables
        self.places = places_
        self.origin = origin
        self.limits = limits
        self.pending: tuple[int, int | None, tuple[Any, ...]] | None = None
        self.reply: Any = None
        self.work = 0
        self.left = limits.work
        self.room = limits.size
        self.together = 0
        self.since = 0
        self.enclosing: tuple[int, ...] = ()
        self.lost: int | None = None
        self.removals: list[Any] = []
        self.held: list[tuple[tuple[int, ...], list[Any]]] = []
        self.watching: list[tuple[Any, ...]] = []
        self.known: dict[tuple[str, tuple[Value, ...]], Value] = {}
        self.standing: tuple[list[Any], list[Any]] | None = None

    def duplicate(self) -> "Control":
        """The same for another working memory, but that what is held and watched still names the frames of this one."""
        other = Control.__new__(Control)
        other.base, other.origin, other.limits = self.base, self.origin, self.limits
        other.functions, other.tables, other.places = self.functions, self.tables, self.places
        other.pending, other.reply, other.lost = self.pending, self.reply, self.lost
        other.work, other.left, other.room = self.work, self.left, self.room
        other.together, other.since, other.enclosing = self.together, self.since, self.enclosing
        other.held, other.watching = self.held, self.watching
        other.known, other.removals, other.standing = self.known.copy(), self.removals.copy(), None
        return other


World = list[Any]


def duplicate(world: World) -> World:
    """A working memory that changes by itself from now on; what nobody changes in place is shared."""
    copied = world.copy()
    control: Control = world[CONTROL]
    for position in control.places.mutable:
        copied[position] = world[position].copy()
    copied[STACK] = [frame.copy() for frame in world[STACK]]
    copied[CONTROL] = mine = control.duplicate()
    if world[RECORD] is not None:
        copied[RECORD] = []
        mine.room -= ENTRY * len(world[RECORD])
        mine.since = 0
    if control.held or control.watching:
        frames = {id(old): new for old, new in zip(world[STACK], copied[STACK], strict=True)}
        mine.held = [(rules, frames[id(frame)]) for rules, frame in control.held]
        mine.watching = [(number, frames[id(frame)], *rest) for number, frame, *rest in control.watching]
    return copied


class _Unread:
    """What a record holds for a value that was not read, because all was decided before."""

    def __repr__(self) -> str:
        return "unread"


UNREAD = _Unread()
