"""Where each stored thing of a program lies in a state."""

from dataclasses import dataclass
from functools import cached_property

from rulewright.machine.constants import constant
from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.program.types import Type


@dataclass(frozen=True)
class Layout:
    """Names of the parts of a state, in the order in which a state holds them.

    Attributes:
        kinds: names of kinds.
        columns: stored attributes, `Kind/name`.
        game: fields of `game`.
        cells: attributes of cells, `board/name`.
        sides: attributes of sides, `board/name`.
        relations: stored relations.
        types: type of every column, game field (`game/name`), cell and side attribute.
        starts: start value of every cell and side attribute.
        symmetric: names of relations where both orders are one.
    """

    kinds: tuple[str, ...]
    columns: tuple[str, ...]
    game: tuple[str, ...]
    cells: tuple[str, ...]
    sides: tuple[str, ...]
    relations: tuple[str, ...]
    types: dict[str, Type]
    starts: dict[str, Value]
    symmetric: frozenset[str]

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of every column, game field, cell and side attribute and relation in its group."""
        groups = (self.columns, self.game, self.cells, self.sides, self.relations)
        named = [group if group is not self.game else tuple(f"game/{each}" for each in group) for group in groups]
        return {name: number for group in named for number, name in enumerate(group)}

    @cached_property
    def kind_index(self) -> dict[str, int]:
        """The position of every kind."""
        return {name: number for number, name in enumerate(self.kinds)}


def layout(program: Program) -> Layout:
    """The layout of a program's states."""
    columns = {f"{kind.name}/{each.name}": each.type for kind in program.kinds.values() for each in kind.fields}
    cells = {f"{board.name}/{each.name}": each for board in program.boards.values() for each in board.fields}
    sides = {f"{board.name}/{each.name}": each for board in program.boards.values() for each in board.sides}
    placed = cells | sides
    types = columns | {f"game/{name}": each.type for name, each in program.game.items()}
    return Layout(
        kinds=tuple(program.kinds),
        columns=tuple(columns),
        game=tuple(program.game),
        cells=tuple(cells),
        sides=tuple(sides),
        relations=tuple(program.relations),
        types=types | {name: each.type for name, each in placed.items()},
        starts={name: constant(each.start) for name, each in placed.items() if each.start is not None},
        symmetric=frozenset(name for name, each in program.relations.items() if each.symmetric),
    )
