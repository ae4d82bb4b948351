"""How large the states are that a maker makes."""

from collections.abc import Mapping
from dataclasses import field

from rulewright.frozen import dataclass
from rulewright.program.declarations import Kind, Program

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
