"""Symbolic pools for pending rolls: dice interned by what is observed of them, with the distribution of their rolls."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from operator import add, itemgetter
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.dice_observations import FULLY_OBSERVED, DieObservations, find_observation_parts
from rulewright.program.roll_options import ROLL_OPTIONS, ExplodingOption, KeepingOption
from rulewright.runtime.chance_outcomes import enumerate_multisets
from rulewright.runtime.dice import DiceGroup, Die, RollDescription, RollOptionValue, make_dice, make_record
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
    WorthSums,
    common_dice_count,
    one_die_distribution,
)
from rulewright.runtime.working_memory import CONTROL, ROLLS, WorkingMemory

DiceCounts = tuple[tuple[Any, int], ...]
"""Multiset of dice: distinct dice with counts."""
_MAX_DISTINCT_ROLLS = 2_000
"""Distinct outcomes of a roll up to which individual dice are represented."""

_MAX_EXPLODED_ROLLS = 6_000
"""As `_MAX_DISTINCT_ROLLS`, for exploding dice, whose outcomes are mostly improbable."""
_MAX_EXPLOSION_PAIRS = 300_000
"""Pairs of outcomes combined per added exploding die."""


class DiceInterner:
    """Interns dice with equal observations, so that equal dice are equal values."""

    def __init__(self) -> None:
        self._representatives: dict[Any, tuple[Any, int]] = {}
        self._rolls_by_dice: dict[Any, Sequence[tuple[DiceCounts, int]]] = {}
        self._sums_by_dice: dict[Any, WorthSums] = {}
        # by observations and identity; with the die itself, which keeps its identity
        self._known_dice: dict[DieObservations, dict[int, tuple[Any, int, Any]]] = {}

    def intern_counts(self, dice: Sequence[tuple[Any, int]], observations: DieObservations) -> DiceCounts:
        """Multiset of interned dice."""
        known = self._known_dice.setdefault(observations, {})
        counts: dict[int, int] = {}
        like: dict[int, Any] = {}
        for die, many in dice:
            item = known.get(id(die))
            if item is None:
                item = known[id(die)] = (*self.intern_die(die, observations), die)
            number = item[1]
            counts[number] = counts.get(number, 0) + many
            like[number] = item[0]
        return tuple([(like[number], counts[number]) for number in sorted(counts)])

    def intern_pool(self, dice: SymbolicPool, observations: DieObservations) -> SymbolicPool:
        """A symbolic pool of interned dice."""
        if dice.observations == observations:
            return dice
        return SymbolicPool(
            dice.variables[0],
            [self.intern_counts(value, observations) for value in dice.values],
            dice.count,
            observations,
        )

    def count_distinct(self, fresh: Sequence[Any], observations: DieObservations) -> int:
        """Number of distinguishable dice."""
        return len({self.intern_die(die, observations)[1] for die in fresh})

    def enumerate_rolls(
        self, fresh: tuple[Any, ...], observations: DieObservations, count: int
    ) -> Sequence[tuple[DiceCounts, int]]:
        """Multisets of `count` dice, each any of `fresh`, with their numbers of throws."""
        result = self._rolls_by_dice.get((fresh, observations, count))
        if result is None:
            shown = sorted([self.intern_die(die, observations) for die in fresh], key=itemgetter(1))
            result = self._rolls_by_dice[fresh, observations, count] = tuple(enumerate_multisets(count, shown))
        return result

    def get_worth_sums(self, fresh: tuple[Any, ...], observations: DieObservations, count: int) -> WorthSums:
        """Sums that were asked of the rolls of `enumerate_rolls`, kept for the next pool of such dice."""
        return self._sums_by_dice.setdefault((fresh, observations, count), WorthSums())

    def intern_die(self, die: Any, observations: DieObservations) -> tuple[Any, int]:
        """Representative of the dice with equal observations, and its number."""
        observed = observations, die_key(die, observations)
        return self._representatives.get(observed) or self._representatives.setdefault(
            observed, (die, len(self._representatives))
        )


def count_rolled_dice(executable: Executable, world: WorkingMemory) -> Any:
    """Number of dice of a pending plain roll, possibly random; none at other requests."""
    site, data = world[CONTROL].asked_site, world[CONTROL].asked_data
    roll = executable.request_statements.get(site)
    return data.groups[0].dice_count if isinstance(roll, core.Roll) and roll.dice.is_plain else None


class PoolBuilder:
    """Symbolic pools for pending rolls; with many distinct outcomes, pools of which only the queried sums are known.

    Dice that explode without limit are cut off where hardly any die goes on.

    Attributes:
        distinguishes_dice: whether individual dice are kept instead, as far as possible.
        truncated_rolls: number of rolls whose dice explode without limit.
        explosion_rates: probabilities with which such dice explode.
    """

    def __init__(self, deeper: int = 0) -> None:
        """`deeper`: explosions beyond the necessary ones, for dice that explode without limit."""
        self.distinguishes_dice = False
        self.truncated_rolls = 0
        self.explosion_rates = set[Fraction]()
        self._extra_explosions = deeper
        self._queries_by_dice: dict[Hashable, SumQueries] = {}

    def __call__(
        self, question: PendingQuestion, conditioning: Conditioning, interner: DiceInterner
    ) -> SymbolicPool | None:
        """Dice of the pending roll; none if their order is read.

        Raises:
            NeedsIndividualDiceError: their sums have too many values.
        """
        items = _describe_rolled_dice(question)
        if items is None:
            model, count, rate = _describe_exploding_dice(question, self._extra_explosions)
            if rate is not None:
                self.truncated_rolls += 1
                self.explosion_rates.add(rate)
            if model and self.distinguishes_dice:
                assert question.roll is not None
                observations = observations_after_roll(question, question.roll)
                return (
                    None
                    if model.kept_distribution
                    else _build_exploded_pool(model, count, observations, conditioning, interner)
                )
        else:
            fresh, observations, many = items
            if (
                self.distinguishes_dice
                or isinstance(many, RandomValue)
                or comb(many + interner.count_distinct(fresh, observations) - 1, many) <= _MAX_DISTINCT_ROLLS
            ):
                return _build_symbolic_pool(*items, conditioning, interner)
            model, count = DieModel(fresh, (False,) * len(fresh), 0), many
        return (
            PoolSumDistribution(model, count, self._queries_by_dice.setdefault((model, count), []), conditioning)
            if model
            else None
        )


def _build_exploded_pool(
    model: DieModel, count: int, observations: DieObservations, conditioning: Conditioning, interner: DiceInterner
) -> SymbolicPool | None:
    """Pool of exploding dice with all dice that they bring; none if there are too many outcomes."""
    shown = [interner.intern_die(die, observations) for die in model.dice]
    like = {number: die for die, number in shown}
    numbers = sorted(like)
    try:
        one = one_die_distribution([tuple(int(number == item) for item in numbers) for _, number in shown], model)
    except NeedsIndividualDiceError:
        return None
    multisets = Counter({(0,) * len(numbers): 1})
    for _ in range(count):
        before, multisets = multisets, Counter()
        if len(before) * len(one) > _MAX_EXPLOSION_PAIRS:
            return None
        for (some, many), (more, times) in product(before.items(), one.items()):
            multisets[tuple(map(add, some, more))] += many * times
        if len(multisets) > _MAX_EXPLODED_ROLLS:
            return None
    values = [
        tuple([(like[item], many) for item, many in zip(numbers, multiset, strict=True) if many])
        for multiset in multisets
    ]
    return ExplodedPool(
        RandomVariable([*multisets.values()], conditioning), values, common_dice_count(values), observations
    )


def _build_symbolic_pool(
    fresh: tuple[Any, ...],
    observations: DieObservations,
    count: int | RandomValue,
    conditioning: Conditioning,
    interner: DiceInterner,
) -> SymbolicPool:
    """Pool of dice not thrown yet.

    An open number of dice replaces the variables it depends on by one variable, by `conditioning`.

    Raises:
        NeedsConcreteValue: the number is open and has too many outcomes.
    """
    if not isinstance(count, RandomValue):
        sequence = interner.enumerate_rolls(fresh, observations, count)
        return SymbolicPool(
            RandomVariable([many for _, many in sequence], conditioning),
            [dice for dice, _ in sequence],
            count,
            observations,
            interner.get_worth_sums(fresh, observations, count),
        )
    weights, most = joint_weights(count.variables), max(0, *count.values)
    if len(weights) * comb(most + interner.count_distinct(fresh, observations) - 1, most) > _MAX_DISTINCT_ROLLS:
        raise NeedsConcreteValue(count)
    rows = [
        (at, dice, weight * many * len(fresh) ** (most - max(0, number)))
        for at, (number, weight) in enumerate(zip(count.values, weights, strict=True))
        for dice, many in interner.enumerate_rolls(fresh, observations, max(0, number))
    ]
    variable = RandomVariable([many for *_, many in rows], conditioning)
    conditioning.replace_variables(count.variables, variable, [at for at, *_ in rows])
    values = [dice for _, dice, _ in rows]
    return SymbolicPool(variable, values, common_dice_count(values), observations)


def _describe_rolled_dice(
    question: PendingQuestion,
) -> tuple[tuple[Any, ...], DieObservations, int | RandomValue] | None:
    """Possible dice, observations and count of the pending roll, if known.

    Known for plain rolls, and for whole re-rolls whose first faces do not count.
    """
    roll = question.roll
    if roll is not None:
        observations = observations_after_roll(question, roll)
        (group, *more), options, thrown = question.data
        if observations >= FULLY_OBSERVED or more or options or group.options or thrown:
            return None
        return _make_fresh_dice(group, roll.result.name), observations, group.dice_count
    is_reroll = isinstance(question.statement, core.Reroll)
    return _describe_rerolled_dice(question) if is_reroll else None


def _make_fresh_dice(group: DiceGroup, roll: str) -> tuple[Die, ...]:
    """A die of a group for each of its faces."""
    return tuple(
        [make_record(Die, (group.faces, face, face, 0, True, group.part, group.model, roll)) for face in group.faces]
    )


def _describe_rerolled_dice(
    question: PendingQuestion,
) -> tuple[tuple[Any, ...], DieObservations, int | RandomValue] | None:
    roll = question.data[0][0]
    dice = question.world[ROLLS][roll]
    futures = StateKeyBuilder.for_all_frames(question.executable, question.world)
    observations = futures.observations_of_roll(roll)
    whole = len(question.data) == len(dice) and all(of == roll for of, _ in question.data)
    marked = any(futures.die_marks(roll, at) for at in range(len(dice)))
    multisets = [die for die, _ in dice.sample_dice] if isinstance(dice, SymbolicPool) else dice
    if (
        not whole
        or marked
        or observations >= FULLY_OBSERVED
        or _depends_on_earlier_faces(observations)
        or len({die._replace(first=None, face=None) for die in multisets}) > 1
    ):
        return None
    one: Die = multisets[0]
    if not one.kept:
        return None
    again = [one._replace(first=face, face=face, rerolls=one.rerolls + 1) for face in one.faces]
    return tuple(again), observations, len(dice)


MAX_TRUNCATED_PROBABILITY = Fraction(1, 10**18)
"""Upper bound of the probability of explosions beyond the truncation of one roll."""


def _describe_exploding_dice(question: PendingQuestion, deeper: int) -> tuple[DieModel | None, int, Fraction | None]:
    """Model of each die of the pending roll with the dice it brings, the count, and the explosion rate if unlimited.

    Known for equal dice that explode, some of which may be kept or dropped; for others the model is none.
    """
    unknown = None, 0, None
    roll = question.roll
    if roll is None or observations_after_roll(question, roll) >= FULLY_OBSERVED:
        return unknown
    (group, *more), options, thrown = question.data
    count, sides = group.dice_count, group.faces
    all_options = (*group.options, *options)
    exploding, others = (
        tuple([option for option in all_options if isinstance(ROLL_OPTIONS[option.kind.word], sort)])
        for sort in (ExplodingOption, KeepingOption)
    )
    is_known = len(exploding) == 1 and len(others) == len(all_options) - 1
    if more or thrown or count <= 0 or not is_known or (group.is_single and others):
        return unknown
    (((_, upwards), least, bound),) = exploding
    explodes = tuple([bool(face == least or (upwards and face > least)) for face in sides])
    dice = _make_fresh_dice(group, roll.result.name)
    if group.is_single:
        # The variable refers to the first die alone: the dice that it brings are not observed.
        return DieModel(dice, (False,) * len(dice), 0), 1, None
    rate = Fraction(sum(explodes), len(sides)) if bound is None else None
    if rate == 1:
        return unknown
    most = max(0, bound) if rate is None else _count_explosions_to_follow(rate, count) + deeper
    too_many = others and comb(count + len(sides) - 1, count) > _MAX_DISTINCT_ROLLS
    if count * (most + 1) > question.world[CONTROL].limits.dice or too_many:
        return unknown
    shown = tuple([explode and most > 0 for explode in explodes])
    return DieModel(dice, shown, most, _enumerate_kept_faces(count, sides, others) if others else None), count, rate


def _count_explosions_to_follow(rate: Fraction, count: int) -> int:
    """Number of explosions to follow until the chance that any of `count` dice goes on is negligible."""
    times, goes_on = 0, count * rate
    while goes_on > MAX_TRUNCATED_PROBABILITY:
        times, goes_on = times + 1, goes_on * rate
    return times


def _enumerate_kept_faces(
    count: int, sides: tuple[Any, ...], options: tuple[RollOptionValue, ...]
) -> tuple[tuple[FaceMultiset, int], ...]:
    """Multisets of faces kept by rank among `count` dice, each with its number of throws."""
    counts: Counter[FaceMultiset] = Counter()
    group = DiceGroup(count, sides, "", (), is_single=False, part=None)
    for multisets, many in enumerate_multisets(count, [(at, at) for at in range(len(sides))]):
        faces = tuple([sides[at] for at, often in multisets for _ in range(often)])
        described = RollDescription((group,), options, faces)
        kept_faces = [sides.index(die.first) for die in make_dice(described, count).dice if die.kept]
        counts[tuple(sorted(Counter(kept_faces).items()))] += many
    return tuple(counts.items())


def _depends_on_earlier_faces(observations: DieObservations) -> bool:
    return any(
        observation_part[1] in {"first", "rerolls"}
        for look in observations
        for observation_part in find_observation_parts(look, "die")
    )
