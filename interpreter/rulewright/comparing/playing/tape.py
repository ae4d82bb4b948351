"""Choices that can be made again, or nearly so."""

from random import Random

from rulewright.situations.chooser import Chooser

_WIDE = 1 << 32


class Tape:
    """Choices along a list of numbers, then from a seed; what was chosen is kept.

    Attributes:
        made: the numbers so far, for another tape.
    """

    def __init__(self, seed: int, given: tuple[int, ...] = ()) -> None:
        self._random = Random(seed)  # noqa: S311 - plays are made, no secrets
        self._given = given
        self.made: list[int] = []

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""
        at = len(self.made)
        number = self._given[at] if at < len(self._given) else self._random.randrange(_WIDE)
        self.made.append(number)
        return number % limit


def tweaked(made: tuple[int, ...], chooser: Chooser) -> tuple[int, ...]:
    """The same choices but for one or two, or all after some point."""
    if not made:
        return made
    if chooser.below(3) == 0:
        return made[: chooser.below(len(made))]
    found = list(made)
    for _ in range(1 + chooser.below(2)):
        found[chooser.below(len(found))] = chooser.below(_WIDE)
    return tuple(found)


class Plain:
    """Always the first: the simplest choices."""

    def below(self, limit: int) -> int:
        """Zero."""
        del limit
        return 0
