"""The whole of a play at one moment, as one immutable value."""

from dataclasses import field
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.layout import Layout
from rulewright.machine.situation import Base, Situation
from rulewright.machine.values import Cell, Value


@dataclass(frozen=True, slots=True)
class Frame:
    """A running call, window or settling.

    Attributes:
        block: where it goes on.
        slots: what it holds, by position: the call's line, its names, cursors of its loops.
    """

    block: int
    slots: tuple[Any, ...]


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

    Attributes:
        layout: names of the parts.
        base: ids, boards, settings.
        columns: a tuple for every stored attribute, by thing number.
        gone: flags of every kind, by thing number.
        game: fields of `game`.
        cells: for every cell attribute its entries off the start value, by cell.
        sides: the same for sides.
        relations: sorted pairs; of a symmetric relation each pair once, lower number first.
        rolls: dice that somebody holds.
        frames: calls, outermost first; empty when nothing runs.
        unsettled: standing rules and invariants to be tested at the next settling, as bits.
        quiet: how many blocks and settlings are open in which nothing settles.
        pending: the request waited for.
        known: answers for external terms, kept until the game changes.
        held: numbers of standing rules held, with the position of the frame that holds them.
        watching: numbers of watches that hear, with the positions of their frames.
        removals: windows of removals that wait for the end of `together`: event, line, thing.
        together: how many `together` blocks are open.
        work: lines and rounds run so far.
        visited: members visited and calls made so far.
        made: the size of all values made so far.
        origin: the start, restored by a fault.
    """

    layout: Layout = field(repr=False, compare=False)
    base: Base = field(repr=False)
    columns: tuple[tuple[Value, ...], ...]
    gone: tuple[tuple[bool, ...], ...]
    game: tuple[Value, ...]
    cells: tuple[tuple[tuple[Cell, Value], ...], ...]
    sides: tuple[tuple[tuple[tuple[Cell, Cell], Value], ...], ...]
    relations: tuple[tuple[tuple[int, int], ...], ...]
    rolls: tuple[Any, ...] = ()
    frames: tuple[Frame, ...] = ()
    unsettled: int = -1
    quiet: int = 0
    pending: Pending | None = None
    known: tuple[tuple[tuple[str, tuple[Value, ...]], Value], ...] = ()
    held: tuple[tuple[tuple[int, ...], int], ...] = ()
    watching: tuple[tuple[int, int], ...] = ()
    removals: tuple[tuple[str, int, int], ...] = ()
    together: int = 0
    work: int = field(default=0, compare=False)
    visited: int = field(default=0, compare=False)
    made: int = field(default=0, compare=False)
    origin: Situation | None = field(default=None, compare=False, repr=False)

    def attribute(self, name: str, thing: int) -> Value:
        """A stored attribute, by `Kind/name` and thing number."""
        return self.columns[self.layout.index[name]][thing]

    def field(self, name: str) -> Value:
        """A field of `game`."""
        return self.game[self.layout.index[f"game/{name}"]]

    def is_gone(self, kind: str, thing: int) -> bool:
        """Whether a thing is out of play."""
        return self.gone[self.layout.kind_index[kind]][thing]

    def cell(self, name: str, cell: Cell) -> Value:
        """An attribute of a cell, by `board/name`."""
        return dict(self.cells[self.layout.index[name]]).get(cell, self.layout.starts.get(name))

    def pairs(self, relation: str) -> tuple[tuple[int, int], ...]:
        """The pairs of a stored relation."""
        return self.relations[self.layout.index[relation]]

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


def _entries(entries: Any, start: Value) -> tuple[Any, ...]:  # noqa: ANN401
    return tuple(sorted((key, value) for key, value in entries.items() if value != start))


def _pairs(pairs: tuple[tuple[int, int], ...], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({(min(pair), max(pair)) if symmetric else pair for pair in pairs}))
