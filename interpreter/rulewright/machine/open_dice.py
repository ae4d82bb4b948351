"""Dice of rolls as chance may have them: every way in which they may lie, those that look the same together."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from operator import add, itemgetter
from typing import Any

from rulewright.machine.dice import made
from rulewright.machine.executable import Executable
from rulewright.machine.futures import Futures, looks_after, sight
from rulewright.machine.later import Later, Lot, Taking, Undecided, ways
from rulewright.machine.outcomes import lying
from rulewright.machine.question import Question
from rulewright.machine.unthrown import (
    Asked,
    Exploded,
    Falls,
    LookedError,
    Multiset,
    Summed,
    Unthrown,
    one_thrown,
    same_count,
)
from rulewright.machine.world import CONTROL, ROLLS, STACK, World
from rulewright.program import statements as st
from rulewright.program.effects import TOLD, Looks, found_in

Thrown = tuple[tuple[Any, int], ...]
"""Dice that lie somewhere: each sort of die, and how many there are."""
_FEW = 2_000
"""Dice that fall in so many ways that make a difference are told apart at once."""

_FEW_EXPLODED = 6_000
"""The same of dice that bring others without limit, most of which hardly ever come."""
_FEW_PAIRS = 300_000
"""So many ways of some of these and of one more are gone through."""


class Sights:
    """One die for all that look the same, so that equal dice are equal values."""

    def __init__(self) -> None:
        self._like: dict[Any, tuple[Any, int]] = {}
        self._fallen: dict[Any, Sequence[tuple[Thrown, int]]] = {}

    def thrown(self, dice: Sequence[tuple[Any, int]], looks: Looks) -> Thrown:
        """Dice with how many there are of each, those that look the same together."""
        found: Counter[tuple[Any, int]] = Counter()
        for die, many in dice:
            found[self.shown(die, looks)] += many
        return tuple([(die, many) for (die, _), many in sorted(found.items(), key=lambda each: each[0][1])])

    def unthrown(self, dice: Unthrown, looks: Looks) -> Unthrown:
        """The same for dice that lie as chance has it."""
        if dice.looks == looks:
            return dice
        return Unthrown(dice.lots[0], [self.thrown(each, looks) for each in dice.values], dice.count, looks)

    def sorts(self, fresh: Sequence[Any], looks: Looks) -> int:
        """How many dice that look different each of some may be."""
        return len({self.shown(die, looks)[1] for die in fresh})

    def fallen(self, fresh: tuple[Any, ...], looks: Looks, count: int) -> Sequence[tuple[Thrown, int]]:
        """How so many dice may lie, each of which may be any of some, and of how many throws each is."""
        found = self._fallen.get((fresh, looks, count))
        if found is None:
            shown = sorted([self.shown(die, looks) for die in fresh], key=itemgetter(1))
            found = self._fallen[fresh, looks, count] = tuple(lying(count, shown))
        return found

    def shown(self, die: Any, looks: Looks) -> tuple[Any, int]:
        """The die that stands for all that look like it, and its number."""
        seen = looks, sight(die, looks)
        return self._like.get(seen) or self._like.setdefault(seen, (die, len(self._like)))


def count_asked(executable: Executable, world: World) -> Any:
    """How many dice are thrown where a play stands at a plain roll, which may be open; none at other requests."""
    site, _, data = world[CONTROL].pending
    node = executable.sites[site].node if site >= 0 else None
    return data[0][0][0] if isinstance(node, st.Roll) and node.is_plain else None


Throw = Callable[[Executable, World, Taking, Sights], Unthrown | None]
"""Gives the dice of the roll at which a play stands as chance may have them; none where their order is looked at."""


class Sums:
    """Dice as they may lie; where there are many ways dice of which only sums are known, those that were asked of such.

    Dice that explode without limit explode so often that next to no die goes on after that.

    Attributes:
        apart: whether dice are told apart instead, as far as that is known of them.
        cut: how many rolls were met whose dice explode without limit.
        rates: how likely a die of such explodes.
    """

    def __init__(self, deeper: int = 0) -> None:
        """Dice without limit explode so many times more than they had to."""
        self.apart = False
        self.cut = 0
        self.rates = set[Fraction]()
        self._deeper = deeper
        self._asked: dict[Hashable, Asked] = {}

    def __call__(self, executable: Executable, world: World, taking: Taking, sights: Sights) -> Unthrown | None:
        """The dice of the roll at which a play stands.

        Raises:
            LookedError: their sums have too many values.
        """
        found = _thrown(executable, world)
        if found is None:
            falls, count, rate = _exploding(executable, world, self._deeper)
            if rate is not None:
                self.cut += 1
                self.rates.add(rate)
            if falls and self.apart:
                looks = looks_after(executable, world, Question(executable, world).node)
                return None if falls.kept else _exploded(falls, count, looks, taking, sights)
        else:
            fresh, looks, many = found
            if self.apart or isinstance(many, Later) or comb(many + sights.sorts(fresh, looks) - 1, many) <= _FEW:
                return _unthrown(*found, taking, sights)
            falls, count = Falls(fresh, (False,) * len(fresh), 0), many
        return Summed(falls, count, self._asked.setdefault((falls, count), []), taking) if falls else None


def _exploded(falls: Falls, count: int, looks: Looks, taking: Taking, sights: Sights) -> Unthrown | None:
    """Dice with those that they bring, as they may lie; none where that is in too many ways."""
    shown = [sights.shown(die, looks) for die in falls.dice]
    like = {number: die for die, number in shown}
    numbers = sorted(like)
    try:
        one = one_thrown([tuple(int(number == each) for each in numbers) for _, number in shown], falls)
    except LookedError:
        return None
    lies = Counter({(0,) * len(numbers): 1})
    for _ in range(count):
        before, lies = lies, Counter()
        if len(before) * len(one) > _FEW_PAIRS:
            return None
        for (some, many), (more, times) in product(before.items(), one.items()):
            lies[tuple(map(add, some, more))] += many * times
        if len(lies) > _FEW_EXPLODED:
            return None
    values = [tuple([(like[each], many) for each, many in zip(numbers, lie, strict=True) if many]) for lie in lies]
    return Exploded(Lot([*lies.values()], taking), values, same_count(values), looks)


def _unthrown(fresh: tuple[Any, ...], looks: Looks, count: int | Later, taking: Taking, sights: Sights) -> Unthrown:
    """Dice as they may lie.

    Of an open number of dice the lots it hangs on are another lot from then on, as `taking` has it.

    Raises:
        Undecided: the number is open, and there are too many ways for that.
    """
    if not isinstance(count, Later):
        found = sights.fallen(fresh, looks, count)
        return Unthrown(Lot([many for _, many in found], taking), [dice for dice, _ in found], count, looks)
    weights, most = ways(count.lots), max(0, *count.values)
    if len(weights) * comb(most + sights.sorts(fresh, looks) - 1, most) > _FEW:
        raise Undecided(count)
    rows = [
        (at, dice, weight * many * len(fresh) ** (most - max(0, number)))
        for at, (number, weight) in enumerate(zip(count.values, weights, strict=True))
        for dice, many in sights.fallen(fresh, looks, max(0, number))
    ]
    lot = Lot([many for *_, many in rows], taking)
    taking.hang(count.lots, lot, [at for at, *_ in rows])
    values = [dice for _, dice, _ in rows]
    return Unthrown(lot, values, same_count(values), looks)


def _thrown(executable: Executable, world: World) -> tuple[tuple[Any, ...], Looks, int | Later] | None:
    """What each die may be of the roll at which a play stands, what is seen of them, and how many there are, if known.

    That is known of plain rolls, and of rolls thrown again as a whole of which the first faces do not count.
    """
    question = Question(executable, world)
    node = question.node
    if isinstance(node, st.Roll):
        looks = looks_after(executable, world, node)
        ((count, sides, name, options, _, called), *more), kept = question.data[0], question.data[1]
        if looks >= TOLD or more or kept or options or question.data[2]:
            return None
        return tuple([(sides, face, face, 0, True, called, name, node.variable.name) for face in sides]), looks, count
    return _thrown_again(executable, world, question) if isinstance(node, st.Reroll) else None


def _thrown_again(
    executable: Executable, world: World, question: Question
) -> tuple[tuple[Any, ...], Looks, int | Later] | None:
    roll = question.data[0][0]
    dice = world[ROLLS][roll]
    futures = Futures(executable, world)
    for frame in world[STACK]:
        futures.frame(frame)
    looks = futures.looks(roll)
    whole = len(question.data) == len(dice) and all(of == roll for of, _ in question.data)
    marked = any(futures.marks(roll, at) for at in range(len(dice)))
    lies = [die for die, _ in dice.some] if isinstance(dice, Unthrown) else dice
    if not whole or marked or looks >= TOLD or _see_throws(looks) or len({(die[0], *die[3:]) for die in lies}) > 1:
        return None
    sides, _, _, rerolls, kept, *rest = lies[0]
    if not kept:
        return None
    return tuple([(sides, face, face, rerolls + 1, kept, *rest) for face in sides]), looks, len(dice)


GOES_ON = Fraction(1, 10**18)
"""So likely at most dice of one roll that explode without limit go on exploding where they are followed no more."""


def _exploding(executable: Executable, world: World, deeper: int) -> tuple[Falls | None, int, Fraction | None]:
    """How each die may fall of the roll at which a play stands, with the dice that it brings, and how many are thrown.

    That is known of like dice that explode, of which some may be kept or dropped; of others no way is told. Last comes
    how likely a die explodes where that has no limit.
    """
    unknown = None, 0, None
    question = Question(executable, world)
    node = question.node
    if not isinstance(node, st.Roll) or looks_after(executable, world, node) >= TOLD:
        return unknown
    ((count, sides, name, own, is_one, called), *more), options, before = question.data[:3]
    exploding = [each for each in (*own, *options) if each[0][0] == "explode"]
    others = tuple([each for each in (*own, *options) if each[0][0] != "explode"])
    if more or before or count <= 0 or len(exploding) != 1 or (is_one and others):
        return unknown
    (((_, upwards), least, bound),) = exploding
    explodes = tuple([bool(face == least or (upwards and face > least)) for face in sides])
    dice = tuple([(sides, face, face, 0, True, called, name, node.variable.name) for face in sides])
    if is_one:
        # The name stands for the first die alone: nobody sees what it brings.
        return Falls(dice, (False,) * len(dice), 0), 1, None
    rate = Fraction(sum(explodes), len(sides)) if bound is None else None
    if rate == 1:
        return unknown
    most = max(0, bound) if rate is None else _until_next_to_none(rate, count) + deeper
    too_many = others and comb(count + len(sides) - 1, count) > _FEW
    if count * (most + 1) > world[CONTROL].limits.dice or too_many:
        return unknown
    shown = tuple([each and most > 0 for each in explodes])
    return Falls(dice, shown, most, _kept(count, sides, others) if others else None), count, rate


def _until_next_to_none(rate: Fraction, count: int) -> int:
    """How often dice explode that explode so likely each, until next to none of so many goes on."""
    times, goes_on = 0, count * rate
    while goes_on > GOES_ON:
        times, goes_on = times + 1, goes_on * rate
    return times


def _kept(count: int, sides: tuple[Any, ...], options: tuple[Any, ...]) -> tuple[tuple[Multiset, int], ...]:
    """Which dice are kept by their places among the faces, and of how many throws."""
    found: Counter[Multiset] = Counter()
    for lies, many in lying(count, [(at, at) for at in range(len(sides))]):
        faces = tuple([sides[at] for at, often in lies for _ in range(often)])
        dice, _ = made((((count, sides, "", (), False, None),), options, faces), count)
        found[tuple(sorted(Counter([sides.index(die[1]) for die in dice if die[4]]).items()))] += many
    return tuple(found.items())


def _see_throws(looks: Looks) -> bool:
    """Whether looks see how dice fell before they were thrown again, or how often they were."""
    return any(each[1] in {"first", "rerolls"} for look in looks for each in found_in(look, "die"))
