"""Everything that can change in a play, in plain dictionaries, and what goes wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.runtime.state import Situation

Env = dict[int, Any]


class JudgedFault(Exception):
    """A line that cannot be carried out, with the address of the innermost line, row or declaration that has one."""

    address = ""


@contextmanager
def locate_faults(address: str) -> Iterator[None]:
    """Gives a fault that is raised inside an address, where it has none yet."""
    try:
        yield
    except JudgedFault as fault:
        fault.address = fault.address or address
        raise


class UnsupportedByJudge(Exception):
    """Something the judge does not play."""


class MissingExternalValue(Exception):
    """An external term whose value has to be asked for."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.given = arguments


@dataclass
class Die:
    """One die of a roll."""

    faces: tuple[Any, ...]
    first: Any
    face: Any
    name: str
    kept: bool = True
    rerolls: int = 0
    part: Any = None


@dataclass
class Game:
    """The game alone: what standing rules read and saves hold.

    Attributes are kept by `Kind/name` and number, cells by `board/name` and cell, relations as sets of pairs.
    """

    attributes: dict[str, dict[int, Any]]
    gone: dict[str, set[int]]
    game: dict[str, Any]
    cells: dict[str, dict[Any, Any]]
    sides: dict[str, dict[Any, Any]]
    relations: dict[str, set[tuple[int, int]]]

    def copy(self) -> "Game":
        """A copy that nothing changes."""
        return Game(
            attributes={name: {**values} for name, values in self.attributes.items()},
            gone={kind: {*numbers} for kind, numbers in self.gone.items()},
            game={**self.game},
            cells={name: {**values} for name, values in self.cells.items()},
            sides={name: {**values} for name, values in self.sides.items()},
            relations={name: {*pairs} for name, pairs in self.relations.items()},
        )


@dataclass
class World:
    """A play: the program, the start, the game as it is, the dice thrown, answers for external terms.

    `reached` collects addresses with what came of them: `entered` for steps and lines, `taken` for options and for
    rows that gave or changed a value, `held` and `failed` for conditions. `called` remembers what calls gave and where
    things stand, while places are tried and nothing changes.
    """

    program: Program
    start: Situation
    game: Game
    rolls: list[list[Die]] = field(default_factory=list)
    known: dict[Any, Any] = field(default_factory=dict)
    sought: dict[Any, bool] = field(default_factory=dict)
    standing: list[str] | None = None
    reached: set[tuple[str, str]] = field(default_factory=set)
    called: dict[Any, Any] | None = None

    def list_ids(self, kind: str) -> range:
        """Numbers of all things of a kind, also of those out of play."""
        return range(len(self.start.base.things.get(kind, ())))

    def is_on_board(self, cell: Any) -> bool:
        """Whether a cell belongs to a board."""
        return any(cell in cells for cells in self.start.base.boards.values())

    def get_start_value(self, owner: str, name: str) -> Expression | None:
        """The start value of a cell or side attribute."""
        board = self.program.boards[owner]
        return next(each.start for each in (*board.fields, *board.sides) if each.name == name)


def open_world(program: Program, start: Situation) -> World:
    """The play that begins with a start."""
    symmetric = {name for name, each in program.relations.items() if each.symmetric}
    kinds = program.kinds.values()
    game = Game(
        attributes={
            f"{kind.name}/{each.name}": dict(enumerate(start.attributes[f"{kind.name}/{each.name}"]))
            for kind in kinds
            for each in kind.fields
        },
        gone={kind.name: set(start.gone.get(kind.name, ())) for kind in kinds},
        game={name: start.game[name] for name in program.game},
        cells={name: dict(entries) for name, entries in start.cells.items()},
        sides={name: dict(entries) for name, entries in start.sides.items()},
        relations={
            name: {
                pair for a, b in start.relations.get(name, ()) for pair in make_pairs(a, b, symmetric=name in symmetric)
            }
            for name in program.relations
        },
    )
    return World(program, start, game)


@contextmanager
def remember_calls(world: World, called: dict[Any, Any]) -> Iterator[None]:
    """While nothing changes, what calls gave is remembered."""
    before = world.called
    world.called = called if before is None else before
    try:
        yield
    finally:
        world.called = before


def make_pairs(a: int, b: int, *, symmetric: bool) -> set[tuple[int, int]]:
    """A pair, with its mirror in a symmetric relation."""
    return {(a, b), (b, a)} if symmetric else {(a, b)}
