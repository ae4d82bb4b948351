"""What decides the future of a play, and what is still seen of its dice: plays that are alike in it have one future."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rulewright.machine import graph as g
from rulewright.machine.executable import Executable
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.later import Later
from rulewright.machine.liveness import Liveness, Spent
from rulewright.machine.snapshot import Numbering, game_of
from rulewright.machine.state import Base
from rulewright.machine.world import CONTROL, QUIET, ROLLS, STACK, UNSETTLED, World
from rulewright.program import statements as st
from rulewright.program.effects import TOLD, Look, Looks, given, holds_dice, over_dice, sees
from rulewright.program.types import DieType, PoolType

_NUMBERS = frozenset({"number", "numbers"})
_UNSAID = (list, Later, type(None))
"""What is no value that looks at dice could hold."""


@dataclass(frozen=True, slots=True)
class _Of:
    """The base of a play, which is compared but hashed only by its size."""

    base: Base

    def __hash__(self) -> int:
        return len(self.base.things)


def key(executable: Executable, world: World) -> Any:
    """What decides a play's future: two plays of one executable with equal keys have equal futures.

    Names that are read no more are left out, dice are held as far as they are told apart, and what was done so far,
    the start and what is left of the limits do not count.
    """
    return _key(Futures(executable, world), executable, world)


def endless_key(executable: Executable, world: World) -> Any:
    """As `key`, of plays whose loops promise more rounds than they come to: how many they made does not count."""
    return _key(_Endless(executable, world), executable, world)


def rounds(executable: Executable, world: World) -> dict[tuple[int, int, int], tuple[int, int]]:
    """The rounds made by loops under way that `endless_key` leaves out, with their bounds: by call, flow and slot."""
    live = executable.liveness
    found = {}
    for depth, frame in enumerate(world[STACK]):
        bounds = live.rounds(frame[1]) if frame[1] >= 0 else {}
        plan = live.plan(frame[1], frame[0], _spent(live, executable, world)) if bounds else None
        for slot, how, *_ in plan.rest if plan else ():
            if how == "rounds":
                found[depth, frame[1], slot] = frame[slot] or 0, bounds[slot]
    return found


def _key(futures: "Futures", executable: Executable, world: World) -> Any:
    pending = world[CONTROL].pending
    frames = tuple([futures.frame(frame) for frame in world[STACK]])
    request = None if pending is None else futures.request(pending)
    return game_of(executable, world), frames, request, futures.dice(), rest_of(world)


def rest_of(world: World) -> tuple[Any, ...]:
    """What decides a play's future beside the game, the frames, the request and the dice."""
    control = world[CONTROL]
    depth = {id(frame): position for position, frame in enumerate(world[STACK])}
    return (
        _Of(control.base),
        world[UNSETTLED],
        world[QUIET],
        frozenset(control.known.items()),
        tuple([(rules, depth[id(frame)]) for rules, frame in control.held]),
        tuple([(number, depth[id(frame)]) for number, frame, *_ in control.watching]),
        tuple(control.removals),
        control.together,
    )


class Futures(Numbering):
    """Frames and the request with rolls numbered as they are met, and what is still seen of each roll."""

    _counts_rounds = True

    def __init__(self, executable: Executable, world: World) -> None:
        super().__init__(executable)
        self._world = world
        self._live = executable.liveness
        self._spent = _spent(self._live, executable, world)
        self._looks: dict[int, Looks] = {}
        self._again: frozenset[tuple[int, int]] = frozenset()
        self._marks: dict[tuple[int, int], tuple[int, ...]] = {}
        self._marked = 0
        self._whole: set[int] = set()

    def roll(self, old: int) -> int:
        """As `Numbering.roll`; the dice are told apart."""
        self._looks[old] = TOLD
        return super().roll(old)

    def frame(self, frame: list[Any]) -> Any:
        """What of a frame decides the future."""
        plan = self._live.plan(frame[1], frame[0], self._spent) if frame[1] >= 0 else None
        if plan is None:
            return _plain(super().frame(frame))
        found = plan.plain(frame)
        if not plan.rest:
            return found
        values: list[Any] = []
        for slot, how, type_, looks in plan.rest:
            value = frame[slot]
            if how in _NUMBERS:
                value = self.held(value, slot, type_)
            elif how == "dice":
                value = self._named(frame, slot, type_, looks)
            elif how == "members" and value is not None:
                value = tuple([self.value(each, type_) for each in value])
            elif how == "rounds":
                value = value if self._counts_rounds else None
            else:
                value = _plain(value)
            values.append(value)
        return found, tuple(values)

    def slots(self, frame: list[Any]) -> Container[int]:
        """The slots of a frame that are still read."""
        plan = self._live.plan(frame[1], frame[0], self._spent) if frame[1] >= 0 else None
        return range(len(frame)) if plan is None else plan.slots

    def held(self, value: Any, _slot: int, _type: Any) -> Any:
        """What is compared of a name that holds numbers."""
        return value

    def _named(self, frame: list[Any], slot: int, type_: Any, looks: Looks) -> Any:
        value = frame[slot]
        if value is None or looks >= TOLD or not (isinstance(type_, DieType) or holds_dice(type_)):
            return self.value(value, type_)
        looks = looks_in(looks, frame)
        if isinstance(type_, PoolType):
            self._whole.add(value)
            return self._looked(value, looks)
        return self._mark([value] if isinstance(type_, DieType) else value, looks)

    def _looked(self, old: int, looks: Looks) -> int:
        """The number of a roll of which so much is seen."""
        self._looks[old] = self._looks.get(old, frozenset()) | looks
        return super().roll(old)

    def _mark(self, dice: Sequence[tuple[int, int]], looks: Looks) -> tuple[int, ...]:
        """The numbers of the rolls of some dice, which are told from the others there; so much is seen of them."""
        self._marked += 1
        for each in dice:
            self._marks[each] = *self._marks.get(each, ()), self._marked
        return tuple([self._looked(roll, looks) for roll in dict.fromkeys(roll for roll, _ in dice)])

    def marks(self, roll: int, at: int) -> tuple[int, ...]:
        """What tells a die from others that look like it: which names, and which request, mean it."""
        return self._marks.get((roll, at), ())

    def request(self, pending: Any) -> Any:
        """What of a request decides the future."""
        site, player, data = pending
        line = self._executable.sites[site].node if site >= 0 else None
        match line:
            case st.Reroll() if self._are_alike(data):
                self._again = frozenset(data)
                return site, player, self._mark(data, frozenset())
            case st.Ask(shape=st.OneOf(binding)) if over_dice(binding) and self._are_alike(data):
                return site, player, self._mark(data, frozenset())
            case st.Ask(shape=st.Pick(binding=binding)) if over_dice(binding) and self._are_alike(data[1]):
                return site, player, (self._mark(data[1], frozenset()), *data[2:])
            case _:
                return super().request(pending)

    def _are_alike(self, dice: Sequence[tuple[int, int]]) -> bool:
        """Whether some dice are told apart by what is seen of them alone."""
        return not any(self.looks(roll) >= TOLD for roll, _ in dice)

    def looks(self, roll: int) -> Looks:
        """What is still seen of the dice of a roll."""
        return self._looks.get(roll, frozenset())

    def dice(self) -> tuple[Any, ...]:
        """The rolls that are still looked at, as far as that can tell them apart."""
        return tuple([self.lying(old) for old in self.numbers])

    def lying(self, old: int) -> tuple[Any, ...]:
        """The dice of one roll that some name still holds, as far as that can tell them apart."""
        dice, looks = self._world[ROLLS][old], self.looks(old)
        if looks >= TOLD:
            return tuple([(tuple(each), self.marks(old, at)) for at, each in enumerate(dice)])
        marked = [(at, self.marks(old, at)) for at in range(len(dice))]
        seen = [(self._sight(old, at, looks), each) for at, each in marked if each or old in self._whole]
        return tuple(sorted(seen, key=repr))

    def _sight(self, roll: int, at: int, looks: Looks) -> tuple[Any, ...]:
        """All that is still seen of a die; of one that is to be thrown again whatever it will show."""
        die = self._world[ROLLS][roll][at]
        return tuple(sights_again(die, looks)) if (roll, at) in self._again else sight(die, looks)


class _Endless(Futures):
    """As `Futures`, where rounds of loops with high bounds do not count."""

    _counts_rounds = False


def looks_in(looks: Looks, frame: list[Any]) -> Looks:
    """Looks with the values that the names of a frame have."""
    if _is_nameless(looks):
        return looks
    values: dict[int, Look | None] = {
        index: ("value", value) for index, value in enumerate(frame[FIRST_SLOT:]) if type(value) not in _UNSAID
    }
    return given(looks, values)


def sight(die: Sequence[Any], looks: Looks) -> tuple[Any, ...]:
    """All that is still seen of a die, and what it would be thrown as."""
    return (die[0], die[4], die[6], sees(looks)(die))


def sights_again(die: Sequence[Any], looks: Looks) -> list[tuple[Any, ...]]:
    """As `sight`, of a die that has been thrown again, for each of its faces."""
    sides, first, _, rerolls, *rest = die
    return [sight((sides, first, face, rerolls + 1, *rest), looks) for face in sides]


def looks_after(executable: Executable, world: World, roll: st.Roll) -> Looks:
    """What is seen of dice once they are thrown."""
    frame = world[STACK][-1]
    live = executable.liveness
    exit_ = live.block(frame[1], frame[0]).exit
    assert isinstance(exit_, g.Fallen)
    after = live.after(frame[1], exit_.chance.then, _spent(live, executable, world))
    return TOLD if after is None else looks_in(after.get(FIRST_SLOT + roll.variable.index, frozenset()), frame)


@cache
def _is_nameless(looks: Looks) -> bool:
    """Whether looks hold no names, so that no frame has values to put into them."""
    return given(looks, {}) == looks


def _spent(live: Liveness, executable: Executable, world: World) -> Spent:
    columns = executable.places.columns
    held = [(name, world[columns[name]]) for name in live.falling]
    return frozenset([name for name, column in held if not any(type(each) is Later or each for each in column)])


def _plain(value: Any) -> Any:
    return tuple([_plain(each) for each in value]) if isinstance(value, list | tuple) else value
