"""Names of things and words, for reading and writing values."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.machine.state import Base
from rulewright.program.declarations import Program


@dataclass(frozen=True)
class Names:
    """The words of a program and the things of one play.

    Attributes:
        program: for words, records and kinds.
        base: for ids of things, by their numbers, and cells of boards.
    """

    program: Program
    base: Base

    @cached_property
    def numbers(self) -> Mapping[str, Mapping[str, int]]:
        """The number of every thing, by kind and id."""
        return {kind: {id_: number for number, id_ in enumerate(ids)} for kind, ids in self.base.things.items()}

    @cached_property
    def cells(self) -> frozenset[tuple[int, int]]:
        """The cells of all boards."""
        return frozenset(cell for cells in self.base.boards.values() for cell in cells)

    def thing(self, kind: str, number: int) -> str:
        """The id of a thing."""
        return self.base.things[kind][number]

    def player(self, number: int | None) -> str:
        """The id of a player; empty where nobody in the game is meant."""
        return "" if number is None else self.thing("player", number)

    def ids(self, kind: str) -> tuple[str, ...]:
        """The ids of all things of a kind, in order."""
        return self.base.things.get(kind, ())

    def words(self, values: str) -> tuple[str, ...]:
        """The words of a list, in order."""
        return tuple(word.name for word in self.program.values[values].words)
