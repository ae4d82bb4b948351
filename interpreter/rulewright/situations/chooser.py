"""Where the choices of a maker come from: a seed here, a library of property testing elsewhere."""

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

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
