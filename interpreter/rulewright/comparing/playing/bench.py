"""Two revisions, ready to be played side by side and listened to."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.changes import Altered, constants, read
from rulewright.comparing.playing.crossing import Ways, ways
from rulewright.comparing.playing.data import Fixtures
from rulewright.comparing.playing.listening import DIFFERS, ECHOES, REACHED, Ear, Hit
from rulewright.comparing.playing.places import Place
from rulewright.comparing.playing.points import Point, Points
from rulewright.comparing.playing.side_by_side import Played
from rulewright.comparing.playing.slices import echoes
from rulewright.comparing.playing.tables import bits
from rulewright.comparing.playing.wishing import Wishes
from rulewright.frozen import dataclass
from rulewright.outline.names import Name
from rulewright.program.declarations import Procedure, Program
from rulewright.situations.making import Wish

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
        wishes: what starts may hold that come to what changed, each with the revision it is for.
    """

    old: Program
    new: Program
    names: Correspondence
    altered: Altered
    fixtures: Fixtures
    entrances: tuple[tuple[str, str], ...]
    seed: int
    wishes: tuple[tuple[int, tuple[Wish, ...]], ...] = ()


Reached = frozenset[tuple[int, Hit]]
"""What a play came to of what changed: 0 for the old revision, 1 for the new one, and what."""


class Bench:
    """A task with both programs compiled.

    Attributes:
        task: it.
        ways: between the revisions.
        points: where they compute something else.
        executables: of both.
        changed: addresses of the changed places of both.
        constants: numbers written there, and in the functions that compute what changed.
        read: what all these read of a state, in both.
        wishes: makes wishes for starts of both.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.ways: Ways = ways(task.old, task.new, task.names)
        self.points = tuple(Points(task.altered, self.programs, self.ways).every)
        echoing = echoes(task.old, task.altered.names[0]), echoes(task.new, task.altered.names[1])
        self._echoing = {old: task.names.new("function", old) or "" for old in sorted(echoing[0])}
        old, new = (
            Ear(program, side, task.altered.places[side], self.points, echoing[side])
            for side, program in enumerate(self.programs)
        )
        self._ears = old, new
        self.executables: tuple[Executable, Executable] = old.executable(), new.executable()
        self.wishes = Wishes(task.old), Wishes(task.new)
        self.changed = old.addresses, new.addresses
        near = [
            [*changed, *(each for each in _bodies(program, known))]
            for changed, program, known in zip(task.altered.places, self.programs, echoing, strict=True)
        ]
        self.constants = constants([*near[0], *near[1]])
        self.read = read(near[0], task.old), read(near[1], task.new)

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

    def procedures(self, entrance: tuple[str, str]) -> tuple[Procedure, Procedure]:
        """Both forms of a procedure to begin with."""
        return self.task.old.procedures[entrance[0]], self.task.new.procedures[entrance[1]]

    def forget(self) -> None:
        """Before a play: nothing is left of what others came to."""
        for each in self._ears:
            each.forget()

    def heard(self, play: Played) -> Reached:
        """What a play just made came to."""
        found = {
            (side, (address, REACHED))
            for side, ear in enumerate(self._ears)
            for address in ear.reached(_come_to(play, side))
        }
        for number, point in enumerate(self.points):
            found.update(self._computed(number, point, play))
        found.update(self._echoed())
        self.forget()
        return frozenset(found)

    def _computed(self, number: int, point: Point, play: Played) -> Iterator[tuple[int, Hit]]:
        """With which combinations a point was computed, and whether both revisions came to something else there."""
        side = 0 if point.roots[1] is None else 1
        if point.role:
            if point.addresses[1] == play.opened.procedures[1].name and point.role not in play.opened.starts[1].roles:
                yield 1, (point.addresses[1], f"{number} {DIFFERS}")
            return
        if point.table is None:
            if point.is_pair and self._apart(number, point, play):
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
            return
        old, new = (each.masks.get(number, ()) for each in self._ears)
        if not point.is_pair:
            seen = reduce(or_, old or new, 0)
        else:
            both = [one & other for one, other in zip(old, new, strict=True)] if len(old) == len(new) else [*old, *new]
            settled = {each for each in both if each and each & point.table.differing and point.table.settled(each)}
            seen = reduce(or_, settled, 0) & point.table.differing
            if seen:
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
        for each in bits(seen):
            yield side, (point.addresses[side], f"{number} {each}")

    def _apart(self, number: int, point: Point, play: Played) -> bool:
        """Whether a point that has no table came to other values, each time as often."""
        old, new = (each.values.get(number, []) for each in self._ears)
        if self.ways.alike:
            return len(old) == len(new) and old != new
        assert point.roots[0] is not None
        assert point.roots[1] is not None
        common, types = play.opened.common, (point.roots[0].type, point.roots[1].type)
        return any(
            common.of_old(one, *types) != common.of_new(other, types[1]) for one, other in zip(old, new, strict=False)
        )

    def _echoed(self) -> Iterator[tuple[int, Hit]]:
        if self.ways.alike:
            for old, new in self._echoing.items():
                if self._ears[0].echoes.get(old) != self._ears[1].echoes.get(new):
                    yield 1, (new, f"{new} {ECHOES}")


def _bodies(program: Program, functions: Iterable[str]) -> Iterator[Place]:
    for each in sorted(functions):
        yield Place(Name("function", each), each, program.functions[each], 0)


def _come_to(play: Played, side: int) -> frozenset[str]:
    """The addresses a play came to, with the declarations they are in and the procedure that was begun."""
    addresses = frozenset(play.addresses(side))
    inside = {each.partition("/")[0] for each in addresses}
    return addresses | inside | {play.opened.procedures[side].name}
