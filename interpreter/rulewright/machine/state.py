"""A start, the whole of a play at one moment as an immutable value, and what differs between two moments."""

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.layout import Layout
from rulewright.machine.trace import Change
from rulewright.machine.values import Cell, Value
from rulewright.program.offsets import AXIAL
from rulewright.program.types import FLAG, INCHES, Type

TOLERANCES = {INCHES: 10, "cm": 25, "mm": 250}
"""How far apart two bases in contact may be where the state does not say, in thousandths of the unit of the board."""


@dataclass(frozen=True, slots=True)
class Plane:
    """What a state says of the board of the plane, in thousandths of its unit."""

    width: int | None = None  # how far the board reaches from 0 along x; without end where it is none
    depth: int | None = None  # the same along y
    contact: int = TOLERANCES[INCHES]  # how far apart two bases in contact may be


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Base:
    """What never changes in a play, shared by all its states and compared by identity."""

    things: Mapping[str, tuple[str, ...]]  # ids of every kind, `player` included; a thing's number is its position here
    boards: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)  # cells of every board, in order
    settings: Mapping[str, Value] = field(default_factory=dict)  # value of every setting
    # scripted external terms: name, arguments, value
    tables: Mapping[str, Mapping[tuple[Value, ...], Value]] = field(default_factory=dict)
    plane: Plane = field(default_factory=Plane)  # extent and contact of the board of the plane
    # how hexes are written and told, of `program.offsets.COORDINATES`; computed is in axial ones
    coordinates: str = AXIAL


@dataclass(frozen=True, slots=True)
class Situation:
    """A start."""

    base: Base  # ids, boards, settings
    # values of every stored attribute, by `Kind/name`, in the order of the things' numbers
    attributes: Mapping[str, tuple[Value, ...]]
    # numbers of things out of play, by kind; a kind may be missing
    gone: Mapping[str, frozenset[int]] = field(default_factory=dict)
    game: Mapping[str, Value] = field(default_factory=dict)  # value of every field of `game`
    # attributes of cells, by `board/name`; cells at the start value may be missing
    cells: Mapping[str, Mapping[Cell, Value]] = field(default_factory=dict)
    # attributes of sides, by `board/name` and pair of cells in order; likewise
    sides: Mapping[str, Mapping[tuple[Cell, Cell], Value]] = field(default_factory=dict)
    # pairs of every stored relation; of a symmetric one, either order
    relations: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """A running call, window or settling."""

    block: int  # where it goes on
    slots: tuple[Any, ...]  # what it holds, by position: the call's line, its names, cursors of its loops


@dataclass(frozen=True, slots=True)
class Pending:
    """The request a state waits for: its place in the executable, who answers, and what it was computed from."""

    site: int
    player: int | None
    data: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A play at one moment.

    Equal states behave alike: what was done so far and the start are not compared.
    """

    layout: Layout = field(repr=False, compare=False)  # names of the parts
    base: Base = field(repr=False)  # ids, boards, settings
    columns: tuple[tuple[Value, ...], ...]  # a tuple for every stored attribute, by thing number
    gone: tuple[tuple[bool, ...], ...]  # flags of every kind, by thing number
    game: tuple[Value, ...]  # fields of `game`
    # for every cell attribute its entries off the start value, by cell
    cells: tuple[tuple[tuple[Cell, Value], ...], ...]
    sides: tuple[tuple[tuple[tuple[Cell, Cell], Value], ...], ...]  # the same for sides
    # sorted pairs; of a symmetric relation each pair once, lower number first
    relations: tuple[tuple[tuple[int, int], ...], ...]
    rolls: tuple[Any, ...] = ()  # dice that somebody holds
    frames: tuple[Frame, ...] = ()  # calls, outermost first; empty when nothing runs
    unsettled: int = -1  # standing rules and invariants to be tested at the next settling, as bits
    quiet: int = 0  # how many blocks and settlings are open in which nothing settles
    pending: Pending | None = None  # the request waited for
    # answers for external terms, kept until the game changes
    known: tuple[tuple[tuple[str, tuple[Value, ...]], Value], ...] = ()
    # numbers of standing rules held, with the position of the frame that holds them
    held: tuple[tuple[tuple[int, ...], int], ...] = ()
    watching: tuple[tuple[int, int], ...] = ()  # numbers of watches that hear, with the positions of their frames
    # windows of removals that wait for the end of `together`: event, line, thing
    removals: tuple[tuple[str, int, int], ...] = ()
    together: int = 0  # how many `together` blocks are open
    work: int = field(default=0, compare=False)  # lines and rounds run so far
    visited: int = field(default=0, compare=False)  # members visited and calls made so far
    made: int = field(default=0, compare=False)  # the size of all values made so far
    origin: Situation | None = field(default=None, compare=False, repr=False)  # the start, restored by a fault

    def attribute(self, name: str, thing: int) -> Value:
        """A stored attribute, by `Kind/name` and thing number."""
        return self.columns[self.layout.index[name]][thing]

    def is_gone(self, kind: str, thing: int) -> bool:
        """Whether a thing is out of play."""
        return self.gone[self.layout.kind_index[kind]][thing]

    def situation(self) -> Situation:
        """The game alone, without what runs: a start equal to this moment."""
        layout = self.layout
        return Situation(
            self.base,
            dict(zip(layout.columns, self.columns, strict=True)),
            {
                kind: frozenset(number for number, out in enumerate(flags) if out)
                for kind, flags in zip(layout.kinds, self.gone, strict=True)
            },
            dict(zip(layout.game, self.game, strict=True)),
            {name: dict(entries) for name, entries in zip(layout.cells, self.cells, strict=True)},
            {name: dict(entries) for name, entries in zip(layout.sides, self.sides, strict=True)},
            dict(zip(layout.relations, self.relations, strict=True)),
        )


def initial(situation: Situation, layout: Layout) -> State:
    """The state a situation stands for, nothing running."""
    base = situation.base
    return State(
        layout=layout,
        base=base,
        columns=tuple(tuple(situation.attributes[name]) for name in layout.columns),
        gone=tuple(
            tuple(number in situation.gone.get(kind, ()) for number in range(len(base.things.get(kind, ()))))
            for kind in layout.kinds
        ),
        game=tuple(situation.game[name] for name in layout.game),
        cells=tuple(_entries(situation.cells.get(name, {}), layout.starts.get(name)) for name in layout.cells),
        sides=tuple(_entries(situation.sides.get(name, {}), layout.starts.get(name)) for name in layout.sides),
        relations=tuple(
            _pairs(situation.relations.get(name, ()), symmetric=name in layout.symmetric) for name in layout.relations
        ),
        origin=situation,
    )


def _entries(entries: Any, start: Value) -> tuple[Any, ...]:
    return tuple(sorted((key, value) for key, value in entries.items() if value != start))


def _pairs(pairs: tuple[tuple[int, int], ...], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({(min(pair), max(pair)) if symmetric else pair for pair in pairs}))


def changes(before: State, after: State) -> tuple[Change, ...]:
    """What differs in the game: by attribute, then thing; then what is out of play; game, cells, sides, relations."""
    layout = after.layout
    return (
        *_changed_columns(layout, layout.columns, before.columns, after.columns),
        *_changed_columns(layout, tuple(f"{kind}/gone" for kind in layout.kinds), before.gone, after.gone),
        *(
            Change(f"game/{name}", None, old, new, _type_of(layout, f"game/{name}"))
            for name, old, new in zip(layout.game, before.game, after.game, strict=True)
            if old != new
        ),
        *_changed_tables(layout, layout.cells, before.cells, after.cells),
        *_changed_tables(layout, layout.sides, before.sides, after.sides),
        *_changed_relations(layout, before, after),
    )


def _changed_columns(layout: Layout, names: tuple[str, ...], before: Any, after: Any) -> list[Change]:
    return [
        Change(name, number, old, new, _type_of(layout, name))
        for name, olds, news in zip(names, before, after, strict=True)
        for number, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    ]


def _changed_tables(layout: Layout, names: tuple[str, ...], before: Any, after: Any) -> list[Change]:
    found: list[Change] = []
    for name, olds, news in zip(names, before, after, strict=True):
        old, new, start = dict(olds), dict(news), layout.starts.get(name)
        found += [
            Change(name, key, old.get(key, start), new.get(key, start), _type_of(layout, name))
            for key in sorted(old.keys() | new.keys())
            if old.get(key, start) != new.get(key, start)
        ]
    return found


def _changed_relations(layout: Layout, before: State, after: State) -> list[Change]:
    return [
        Change(name, pair, pair in olds, pair in news, FLAG)
        for name, olds, news in zip(layout.relations, before.relations, after.relations, strict=True)
        for pair in sorted(set(olds) ^ set(news))
    ]


def _type_of(layout: Layout, name: str) -> Type:
    return layout.types.get(name, FLAG)
