"""A start: everything a play begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulewright.machine.values import Cell, Value

CONTACT = 10
"""How far apart two bases in contact may be where the board does not say, in thousandths of an inch."""


@dataclass(frozen=True, slots=True)
class Plane:
    """What a state says of the board of the plane, in thousandths of an inch.

    Attributes:
        width: how far the board reaches from 0 along x; without end where it is none.
        depth: the same along y.
        contact: how far apart two bases in contact may be.
    """

    width: int | None = None
    depth: int | None = None
    contact: int = CONTACT


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """What never changes in a play, shared by all its states and compared by identity.

    Attributes:
        things: ids of every kind, `player` included; a thing's number is its position here.
        boards: cells of every board, in order.
        settings: value of every setting.
        tables: scripted external terms: name, arguments, value.
        plane: extent and contact of the board of the plane.
    """

    things: Mapping[str, tuple[str, ...]]
    boards: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    settings: Mapping[str, Value] = field(default_factory=dict)
    tables: Mapping[str, Mapping[tuple[Value, ...], Value]] = field(default_factory=dict)
    plane: Plane = Plane()


@dataclass(frozen=True, slots=True)
class Situation:
    """A start.

    Attributes:
        base: ids, boards, settings.
        attributes: values of every stored attribute, by `Kind/name`, in the order of the things' numbers.
        gone: numbers of things out of play, by kind; a kind may be missing.
        game: value of every field of `game`.
        cells: attributes of cells, by `board/name`; cells at the start value may be missing.
        sides: attributes of sides, by `board/name` and pair of cells in order; likewise.
        relations: pairs of every stored relation; of a symmetric one, either order.
    """

    base: Base
    attributes: Mapping[str, tuple[Value, ...]]
    gone: Mapping[str, frozenset[int]] = field(default_factory=dict)
    game: Mapping[str, Value] = field(default_factory=dict)
    cells: Mapping[str, Mapping[Cell, Value]] = field(default_factory=dict)
    sides: Mapping[str, Mapping[tuple[Cell, Cell], Value]] = field(default_factory=dict)
    relations: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
