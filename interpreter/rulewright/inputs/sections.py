"""Which keys a state file has, and what each stands for."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.program.declarations import Board, Kind, Program, Relation

GAME, SETTINGS, REMOVED = "game", "settings", "removed"
SHAPE, CELLS, SIDES = "shape", "cells", "sides"


def spellings(names: Iterable[str]) -> dict[str, str]:
    """All ways to write some names: as they are, and without a prefix where that is not another's name.

    >>> spellings(["units", "base.units", "base.allied"])
    {'units': 'units', 'base.units': 'base.units', 'base.allied': 'base.allied', 'allied': 'base.allied'}
    """
    exact = list(names)
    tails = Counter(name.rpartition(".")[2] for name in exact)
    short = {tail: name for name in exact if tails[tail := name.rpartition(".")[2]] == 1}
    return {name: name for name in exact} | short


@dataclass(frozen=True)
class Sections:
    """The sections of a state of one program, by every key that may stand for them."""

    program: Program

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """Kinds by their plurals."""
        plurals = {kind.plural: kind for kind in self.program.kinds.values()}
        return {key: plurals[name] for key, name in spellings(plurals).items()}

    @cached_property
    def boards(self) -> Mapping[str, Board]:
        """Boards by name."""
        return {key: self.program.boards[name] for key, name in spellings(self.program.boards).items()}

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """Stored relations by name."""
        return {key: self.program.relations[name] for key, name in spellings(self.program.relations).items()}

    @cached_property
    def game(self) -> Mapping[str, str]:
        """Names of game fields."""
        return spellings(self.program.game)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Names of settings."""
        return spellings(self.program.settings)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What every key stands for, with its qualified name; two keys of one section have one value."""
        fixed = {GAME: GAME, SETTINGS: SETTINGS, REMOVED: REMOVED}
        kinds = {key: kind.plural for key, kind in self.kinds.items()}
        boards = {key: board.name for key, board in self.boards.items()}
        relations = {key: relation.name for key, relation in self.relations.items()}
        return fixed | kinds | boards | relations


def computed(kind: Kind) -> frozenset[str]:
    """Names of the attributes of a kind that rules compute."""
    return frozenset(address.rpartition("/")[2] for address in kind.derived)
