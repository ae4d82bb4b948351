"""Two revisions, ready to be played side by side and listened to."""

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.changes import Altered
from rulewright.comparing.playing.constants import constants, read
from rulewright.comparing.playing.crossing import Ways, ways
from rulewright.comparing.playing.data import Fixtures
from rulewright.comparing.playing.listening import Ear, Hit
from rulewright.comparing.playing.side_by_side import Played
from rulewright.frozen import dataclass
from rulewright.program.declarations import Procedure, Program

if TYPE_CHECKING:
    from rulewright.machine.executable import Executable


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be compared; it can be handed to another process.

    Attributes:
        old: the old revision.
        new: the new one.
        names: from old names to new ones.
        altered: what changed.
        fixtures: situations people wrote.
        entrances: procedures to begin with, by old and new name.
        seed: of all choices.
    """

    old: Program
    new: Program
    names: Correspondence
    altered: Altered
    fixtures: Fixtures
    entrances: tuple[tuple[str, str], ...]
    seed: int


Reached = frozenset[tuple[int, Hit]]
"""What a play came to of what changed: 0 for the old revision, 1 for the new one, and what."""


class Bench:
    """A task with both programs compiled.

    Attributes:
        task: it.
        ways: between the revisions.
        executables: of both.
        changed: addresses of the changed places of both.
        constants: numbers written there.
        read: what they read of a state, in both.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.ways: Ways = ways(task.old, task.new, task.names)
        self._ears = Ear(task.old, task.altered.places[0]), Ear(task.new, task.altered.places[1])
        self.executables: tuple[Executable, Executable] = self._ears[0].executable(), self._ears[1].executable()
        self.changed = self._ears[0].addresses, self._ears[1].addresses
        self.constants = constants([*task.altered.places[0], *task.altered.places[1]])
        self.read = read(task.altered.places[0], task.old), read(task.altered.places[1], task.new)

    def of(self, task: Task) -> "Bench":
        """The same for another task with the same revisions."""
        found = copy(self)
        found.task = task
        return found

    @property
    def programs(self) -> tuple[Program, Program]:
        """Both revisions."""
        return self.task.old, self.task.new

    @property
    def plurals(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Plurals of kinds by their names, in both revisions."""
        old, new = ({each.name: each.plural for each in one.kinds.values()} for one in self.programs)
        return old, new

    @property
    def possible(self) -> tuple[tuple[int, Hit], ...]:
        """All that can happen at what changed."""
        return tuple((side, hit) for side in (0, 1) for hit in self._ears[side].possible)

    @property
    def texts(self) -> Mapping[tuple[str, str, int], str]:
        """The conditions of the changed places, by revision, address and number."""
        return {
            (word, *key): text
            for word, ear in zip(("old", "new"), self._ears, strict=True)
            for key, text in ear.texts.items()
        }

    def procedures(self, entrance: tuple[str, str]) -> tuple[Procedure, Procedure]:
        """Both forms of a procedure to begin with."""
        return self.task.old.procedures[entrance[0]], self.task.new.procedures[entrance[1]]

    def forget(self) -> None:
        """Before a play: nothing is left of what others came to."""
        for each in self._ears:
            each.taken(frozenset())

    def heard(self, play: Played) -> Reached:
        """What a play just made came to."""
        return frozenset((side, hit) for side in (0, 1) for hit in self._ears[side].taken(_come_to(play, side)))


def _come_to(play: Played, side: int) -> frozenset[str]:
    """The addresses a play came to, with the declarations they are in and the procedure that was begun."""
    addresses = frozenset(play.addresses(side))
    inside = {each.partition("/")[0] for each in addresses}
    return addresses | inside | {play.opened.procedures[side].name}
