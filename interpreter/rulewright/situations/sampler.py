"""Where the choices of a maker come from, a seed or a library of property testing, and how large its states are."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from random import Random
from typing import Protocol, TypeVar

from rulewright.frozen import dataclass
from rulewright.program.declarations import Kind, Program

Item = TypeVar("Item")


class Chooser(Protocol):
    """A source of whole numbers; smaller numbers stand for simpler states."""

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""
        ...


class Seeded:
    """Choices from a seed: the same seed makes the same states."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - states are made, no secrets

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit, all equally likely."""
        return self._random.randrange(limit)


def between(chooser: Chooser, low: int, high: int) -> int:
    """A whole number, ends included."""
    return low + chooser.below(high - low + 1)


def one_of(chooser: Chooser, items: Sequence[Item]) -> Item:
    """One of several."""
    return items[chooser.below(len(items))]


def some_of(chooser: Chooser, items: Sequence[Item], most: int) -> list[Item]:
    """Different members in a random order, at most so many."""
    rest = list(items)
    number = chooser.below(min(most, len(rest)) + 1)
    return [rest.pop(chooser.below(len(rest))) for _ in range(number)]


def chance(chooser: Chooser, percent: int) -> bool:
    """Whether something happens that happens so often of a hundred times."""
    return chooser.below(100) >= 100 - percent


FEW, MANY = (1, 3), (2, 5)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Fewest and most of everything, ends included.

    Attributes:
        players: of the game.
        things: of a kind, by its name; kinds with a place have 2 to 5 otherwise, others 1 to 3.
        radius: of a board of hexes; a board of squares is twice as wide and one more.
        inches: the edge of a plane, from its middle.
        oblong: how many bases of a hundred are rectangles.
    """

    players: tuple[int, int] = (2, 2)
    things: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    radius: tuple[int, int] = (1, 3)
    inches: int = 6
    oblong: int = 0

    def of(self, kind: Kind, program: Program) -> tuple[int, int]:
        """Fewest and most things of a kind."""
        if kind.name == "player":
            return self.players
        stands = program.boards and any(each.name == "at" for each in kind.fields)
        return self.things.get(kind.name, MANY if stands else FEW)
