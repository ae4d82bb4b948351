"""A start: everything a play begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulewright.machine.values import Cell, Value


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """What never changes in a play, shared by all its states and compared by identity.

    Attributes:
        things: ids of every kind, `player` included; a thing's number is its position here.
        boards: cells of every board, in order.
        settings: value of every setting.
        tables: scripted external terms: name, arguments, value.
    """

    things: Mapping[str, tuple[str, ...]]
    boards: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    settings: Mapping[str, Value] = field(default_factory=dict)
    tables: Mapping[str, Mapping[tuple[Value, ...], Value]] = field(default_factory=dict)


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
