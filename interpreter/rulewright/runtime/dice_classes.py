"""Dice of rolls as chance may have them: every way in which they may lie, those that look the same together."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from operator import add, itemgetter
from typing import Any

from rulewright.program import statements as st
from rulewright.program.effects import FULLY_OBSERVED, DieObservations, find_observation_parts
from rulewright.runtime.chance_outcomes import enumerate_multisets
from rulewright.runtime.dice import make_dice
from rulewright.runtime.executable import Executable
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.random_values import (
    Conditioning,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    joint_weights,
)
from rulewright.runtime.state_key import StateKeyBuilder, die_key, observations_after_roll
from rulewright.runtime.symbolic_pool import (
    DieModel,
    ExplodedPool,
    FaceMultiset,
    NeedsIndividualDiceError,
    PoolSumDistribution,
    SumQueries,
    SymbolicPool,
    common_dice_count,
    one_die_distribution,
)
from rulewright.runtime.working_memory import CONTROL, ROLLS, STACK, WorkingMemory

DiceCounts = tuple[tuple[Any, int], ...]
"""Dice that lie somewhere: each sort of die, and how many there are."""
_MAX_DISTINCT_ROLLS = 2_000
"""Dice that fall in so many ways that make a difference are told apart at once."""

_MAX_EXPLODED_ROLLS = 6_000
"""The same of dice that bring others without limit, most of which hardly ever come."""
_MAX_EXPLOSION_PAIRS = 300_000
"""So many ways of some of these and of one more are gone through."""


class DiceInterner:
    """One die for all that look the same, so that equal dice are equal values."""

    def __init__(self) -> None:
        self._representatives: dict[Any, tuple[Any, int]] = {}
        self._rolls_by_dice: dict[Any, Sequence[tuple[DiceCounts, int]]] = {}

    def intern_counts(self, dice: Sequence[tuple[Any, int]], looks: DieObservations) -> DiceCounts:
        """Dice with how many there are of each, those that look the same together."""
        counts: Counter[tuple[Any, int]] = Counter()
        for die, many in dice:
            counts[self.intern_die(die, looks)] += many
        return tuple([(die, many) for (die, _), many in sorted(counts.items(), key=lambda item: item[0][1])])

    def intern_pool(self, dice: SymbolicPool, looks: DieObservations) -> SymbolicPool:
        """The same for dice that lie as chance has it."""
        if dice.observations == looks:
            return dice
        return SymbolicPool(
            dice.variables[0], [self.intern_counts(value, looks) for value in dice.values], dice.count, looks
        )

    def count_distinct(self, fresh: Sequence[Any], looks: DieObservations) -> int:
        """How many dice that look different each of some may be."""
        return len({self.intern_die(die, looks)[1] for die in fresh})

    def enumerate_rolls(
        self, fresh: tuple[Any, ...], looks: DieObservations, count: int
    ) -> Sequence[tuple[DiceCounts, int]]:
        """How so many dice may lie, each of which may be any of some, and of how many throws each is."""
        result = self._rolls_by_dice.get((fresh, looks, count))
        if result is None:
            shown = sorted([self.intern_die(die, looks) for die in fresh], key=itemgetter(1))
            result = self._rolls_by_dice[fresh, looks, count] = tuple(enumerate_multisets(count, shown))
        return result

    def intern_die(self, die: Any, looks: DieObservations) -> tuple[Any, int]:
        """The die that stands for all that look like it, and its number."""
        seen = looks, die_key(die, looks)
        return self._representatives.get(seen) or self._representatives.setdefault(
            seen, (die, len(self._representatives))
        )


def count_rolled_dice(executable: Executable, world: WorkingMemory) -> Any:
    """How many dice are thrown where a play stands at a plain roll, which may be open; none at other requests."""
    site, _, data = world[CONTROL].pending
    node = executable.sites[site].node if site >= 0 else None
    return data[0][0][0] if isinstance(node, st.Roll) and node.is_plain else None


PoolSource = Callable[[Executable, WorkingMemory, Conditioning, DiceInterner], SymbolicPool | None]
"""Gives the dice of the roll at which a play stands as chance may have them; none where their order is looked at."""


class PoolBuilder:
    """Dice as they may lie; where there are many ways dice of which only sums are known, those that were asked of such.

    Dice that explode without limit explode so often that next to no die goes on after that.

    Attributes:
        apart: whether dice are told apart instead, as far as that is known of them.
        cut: how many rolls were met whose dice explode without limit.
        rates: how likely a die of such explodes.
    """

    def __init__(self, deeper: int = 0) -> None:
        """Dice without limit explode so many times more than they had to."""
        self.distinguishes_dice = False
        self.truncated_rolls = 0
        self.explosion_rates = set[Fraction]()
        self._extra_explosions = deeper
        self._queries_by_dice: dict[Hashable, SumQueries] = {}

    def __call__(
        self, executable: Executable, world: WorkingMemory, taking: Conditioning, sights: DiceInterner
    ) -> SymbolicPool | None:
        """The dice of the roll at which a play stands.

        Raises:
            LookedError: their sums have too many values.
        """
        items = _describe_rolled_dice(executable, world)
        if items is None:
            falls, count, rate = _describe_exploding_dice(executable, world, self._extra_explosions)
            if rate is not None:
                self.truncated_rolls += 1
                self.explosion_rates.add(rate)
            if falls and self.distinguishes_dice:
                looks = observations_after_roll(executable, world, PendingQuestion(executable, world).node)
                return None if falls.kept_distribution else _build_exploded_pool(falls, count, looks, taking, sights)
        else:
            fresh, looks, many = items
            if (
                self.distinguishes_dice
                or isinstance(many, RandomValue)
                or comb(many + sights.count_distinct(fresh, looks) - 1, many) <= _MAX_DISTINCT_ROLLS
            ):
                return _build_symbolic_pool(*items, taking, sights)
            falls, count = DieModel(fresh, (False,) * len(fresh), 0), many
        return (
            PoolSumDistribution(falls, count, self._queries_by_dice.setdefault((falls, count), []), taking)
            if falls
            else None
        )


def _build_exploded_pool(
    falls: DieModel, count: int, looks: DieObservations, taking: Conditioning, sights: DiceInterner
) -> SymbolicPool | None:
    """Dice with those that they bring, as they may lie; none where that is in too many ways."""
    shown = [sights.intern_die(die, looks) for die in falls.dice]
    like = {number: die for die, number in shown}
    numbers = sorted(like)
    try:
        one = one_die_distribution([tuple(int(number == item) for item in numbers) for _, number in shown], falls)
    except NeedsIndividualDiceError:
        return None
    lies = Counter({(0,) * len(numbers): 1})
    for _ in range(count):
        before, lies = lies, Counter()
        if len(before) * len(one) > _MAX_EXPLOSION_PAIRS:
            return None
        for (some, many), (more, times) in product(before.items(), one.items()):
            lies[tuple(map(add, some, more))] += many * times
        if len(lies) > _MAX_EXPLODED_ROLLS:
            return None
    values = [tuple([(like[item], many) for item, many in zip(numbers, lie, strict=True) if many]) for lie in lies]
    return ExplodedPool(RandomVariable([*lies.values()], taking), values, common_dice_count(values), looks)


def _build_symbolic_pool(
    fresh: tuple[Any, ...], looks: DieObservations, count: int | RandomValue, taking: Conditioning, sights: DiceInterner
) -> SymbolicPool:
    """Dice as they may lie.

    Of an open number of dice the lots it hangs on are another lot from then on, as `taking` has it.

    Raises:
        Undecided: the number is open, and there are too many ways for that.
    """
    if not isinstance(count, RandomValue):
        sequence = sights.enumerate_rolls(fresh, looks, count)
        return SymbolicPool(
            RandomVariable([many for _, many in sequence], taking), [dice for dice, _ in sequence], count, looks
        )
    weights, most = joint_weights(count.variables), max(0, *count.values)
    if len(weights) * comb(most + sights.count_distinct(fresh, looks) - 1, most) > _MAX_DISTINCT_ROLLS:
        raise NeedsConcreteValue(count)
    rows = [
        (at, dice, weight * many * len(fresh) ** (most - max(0, number)))
        for at, (number, weight) in enumerate(zip(count.values, weights, strict=True))
        for dice, many in sights.enumerate_rolls(fresh, looks, max(0, number))
    ]
    lot = RandomVariable([many for *_, many in rows], taking)
    taking.replace_variables(count.variables, lot, [at for at, *_ in rows])
    values = [dice for _, dice, _ in rows]
    return SymbolicPool(lot, values, common_dice_count(values), looks)


def _describe_rolled_dice(
    executable: Executable, world: WorkingMemory
) -> tuple[tuple[Any, ...], DieObservations, int | RandomValue] | None:
    """What each die may be of the roll at which a play stands, what is seen of them, and how many there are, if known.

    That is known of plain rolls, and of rolls thrown again as a whole of which the first faces do not count.
    """
    question = PendingQuestion(executable, world)
    node = question.node
    if isinstance(node, st.Roll):
        looks = observations_after_roll(executable, world, node)
        ((count, sides, name, options, _, called), *more), kept = question.data[0], question.data[1]
        if looks >= FULLY_OBSERVED or more or kept or options or question.data[2]:
            return None
        return tuple([(sides, face, face, 0, True, called, name, node.variable.name) for face in sides]), looks, count
    return _describe_rerolled_dice(executable, world, question) if isinstance(node, st.Reroll) else None


def _describe_rerolled_dice(
    executable: Executable, world: WorkingMemory, question: PendingQuestion
) -> tuple[tuple[Any, ...], DieObservations, int | RandomValue] | None:
    roll = question.data[0][0]
    dice = world[ROLLS][roll]
    futures = StateKeyBuilder(executable, world)
    for frame in world[STACK]:
        futures.renumber_frame(frame)
    looks = futures.observations_of_roll(roll)
    whole = len(question.data) == len(dice) and all(of == roll for of, _ in question.data)
    marked = any(futures.die_marks(roll, at) for at in range(len(dice)))
    lies = [die for die, _ in dice.sample_dice] if isinstance(dice, SymbolicPool) else dice
    if (
        not whole
        or marked
        or looks >= FULLY_OBSERVED
        or _depends_on_earlier_faces(looks)
        or len({(die[0], *die[3:]) for die in lies}) > 1
    ):
        return None
    sides, _, _, rerolls, kept, *rest = lies[0]
    if not kept:
        return None
    return tuple([(sides, face, face, rerolls + 1, kept, *rest) for face in sides]), looks, len(dice)


MAX_TRUNCATED_PROBABILITY = Fraction(1, 10**18)
"""So likely at most dice of one roll that explode without limit go on exploding where they are followed no more."""


def _describe_exploding_dice(
    executable: Executable, world: WorkingMemory, deeper: int
) -> tuple[DieModel | None, int, Fraction | None]:
    """How each die may fall of the roll at which a play stands, with the dice that it brings, and how many are thrown.

    That is known of like dice that explode, of which some may be kept or dropped; of others no way is told. Last comes
    how likely a die explodes where that has no limit.
    """
    unknown = None, 0, None
    question = PendingQuestion(executable, world)
    node = question.node
    if not isinstance(node, st.Roll) or observations_after_roll(executable, world, node) >= FULLY_OBSERVED:
        return unknown
    ((count, sides, name, own, is_one, called), *more), options, before = question.data[:3]
    exploding = [item for item in (*own, *options) if item[0][0] == "explode"]
    others = tuple([item for item in (*own, *options) if item[0][0] != "explode"])
    if more or before or count <= 0 or len(exploding) != 1 or (is_one and others):
        return unknown
    (((_, upwards), least, bound),) = exploding
    explodes = tuple([bool(face == least or (upwards and face > least)) for face in sides])
    dice = tuple([(sides, face, face, 0, True, called, name, node.variable.name) for face in sides])
    if is_one:
        # The name stands for the first die alone: nobody sees what it brings.
        return DieModel(dice, (False,) * len(dice), 0), 1, None
    rate = Fraction(sum(explodes), len(sides)) if bound is None else None
    if rate == 1:
        return unknown
    most = max(0, bound) if rate is None else _count_explosions_to_follow(rate, count) + deeper
    too_many = others and comb(count + len(sides) - 1, count) > _MAX_DISTINCT_ROLLS
    if count * (most + 1) > world[CONTROL].limits.dice or too_many:
        return unknown
    shown = tuple([explode and most > 0 for explode in explodes])
    return DieModel(dice, shown, most, _enumerate_kept_faces(count, sides, others) if others else None), count, rate


def _count_explosions_to_follow(rate: Fraction, count: int) -> int:
    """How often dice explode that explode so likely each, until next to none of so many goes on."""
    times, goes_on = 0, count * rate
    while goes_on > MAX_TRUNCATED_PROBABILITY:
        times, goes_on = times + 1, goes_on * rate
    return times


def _enumerate_kept_faces(
    count: int, sides: tuple[Any, ...], options: tuple[Any, ...]
) -> tuple[tuple[FaceMultiset, int], ...]:
    """Which dice are kept by their places among the faces, and of how many throws."""
    counts: Counter[FaceMultiset] = Counter()
    for lies, many in enumerate_multisets(count, [(at, at) for at in range(len(sides))]):
        faces = tuple([sides[at] for at, often in lies for _ in range(often)])
        dice, _ = make_dice((((count, sides, "", (), False, None),), options, faces), count)
        counts[tuple(sorted(Counter([sides.index(die[1]) for die in dice if die[4]]).items()))] += many
    return tuple(counts.items())


def _depends_on_earlier_faces(looks: DieObservations) -> bool:
    """Whether looks see how dice fell before they were thrown again, or how often they were."""
    return any(
        observation_part[1] in {"first", "rerolls"}
        for look in looks
        for observation_part in find_observation_parts(look, "die")
    )
