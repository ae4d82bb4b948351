"""Dice of a roll not decided by chance: as individual dice, or by the distribution of queried sums only."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import gcd
from operator import add
from typing import Any, NamedTuple, NoReturn

from rulewright.runtime.random_values import (
    MAX_JOINT_OUTCOMES,
    Conditioning,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    collapse_if_constant,
    current_value,
)

_MAX_EXPLOSION_SUMS = 4_000_000
"""Bound of the sums of one exploding die, twice their number."""
_MAX_POLYNOMIAL_DEGREE = 100_000
"""Degree of a generating polynomial, in steps of the sum; chosen, to bound time."""


class WorthSums:
    """Sums of worths over the rolls of one pool, by the worths of its different dice; shared by pools of such dice."""

    def __init__(self) -> None:
        self._dice: list[Any] = []  # kept ones; the others are worth 0
        self._counts: list[tuple[tuple[int, int], ...]] = []  # of each roll, as positions in `_dice`
        self._sums: dict[tuple[Any, ...], Sequence[Any]] = {}

    def sum_rolls(self, rolls: Sequence[tuple[tuple[Any, int], ...]], worth: Callable[[Any], Any]) -> Sequence[Any]:
        """The sum of each roll; `rolls` are the same at every call."""
        if not self._counts:
            dice = {id(die): die for roll in rolls for die, _ in roll if die.kept}
            self._dice, place = [*dice.values()], {number: at for at, number in enumerate(dice)}
            self._counts = [tuple([(place[id(die)], many) for die, many in roll if die.kept]) for roll in rolls]
        each = tuple(map(worth, self._dice))
        if any(isinstance(one, RandomValue) for one in each):
            return self._sum_each_roll(each)
        if each not in self._sums:
            self._sums[each] = self._sum_each_roll(each)
        return self._sums[each]

    def _sum_each_roll(self, each: Sequence[Any]) -> Sequence[Any]:
        return [sum([each[at] * many for at, many in roll]) for roll in self._counts]


class SymbolicPool(RandomValue):
    """Dice of a roll not decided by chance.

    Its values are the possible rolls, each a tuple of pairs: a die, and the number of dice like it.
    """

    __slots__ = ("count", "observations", "worth_sums")

    def __init__(
        self,
        variable: RandomVariable,
        values: Sequence[tuple[tuple[Any, int], ...]],
        count: int | None,
        observations: object,
        worth_sums: WorthSums | None = None,
    ) -> None:
        super().__init__((variable,), values)
        self.worth_sums = worth_sums or WorthSums()
        self.count = count  # number of dice; none if random
        self.observations = observations  # observations at the last interning; none before

    @property
    def sample_dice(self) -> tuple[tuple[Any, int], ...]:
        """Dice of one possible roll."""
        return self.values[0]  # type: ignore[no-any-return]

    @property
    def are_all_kept(self) -> bool:
        """Whether all dice are kept, in every outcome."""
        return all(die.kept for dice in self.values for die, _ in dice)

    def with_values(self, variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
        """A copy with other values; the dice themselves if these are all equal."""
        result = collapse_if_constant(variables, values)
        if not isinstance(result, RandomValue):
            return result
        return SymbolicPool(
            variables[0], values, common_dice_count(values) if self.count is None else self.count, self.observations
        )

    def __len__(self) -> int:  # type: ignore[override]
        if self.count is None:
            raise NeedsConcreteValue(self)
        return self.count

    def __getitem__(self, at: int) -> Any:  # type: ignore[override]
        if self.count != 1:
            raise NeedsConcreteValue(self)
        return _SingleDie(self)

    def sum_worths(self, worth: Callable[[Any], Any]) -> Any:
        """Sum of the worths of the kept dice."""
        thrown = current_value(self)
        if not isinstance(thrown, SymbolicPool):
            return WorthSums().sum_rolls((thrown,), worth)[0]
        return collapse_if_constant(thrown.variables, thrown.worth_sums.sum_rolls(thrown.values, worth))


class ExplodedPool(SymbolicPool):
    """Dice with those that their explosions brought; when decided, they are not thrown any more."""

    __slots__ = ()

    def with_values(self, variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
        symbolic_pool = super().with_values(variables, values)
        return (
            ExplodedPool(
                symbolic_pool.variables[0], symbolic_pool.values, symbolic_pool.count, symbolic_pool.observations
            )
            if isinstance(symbolic_pool, SymbolicPool)
            else symbolic_pool
        )


class DiceInPlace(tuple[Any, ...]):
    """Decided dice as an answer, in place of faces."""

    __slots__ = ()


def common_dice_count(values: Sequence[tuple[tuple[Any, int], ...]]) -> int | None:
    """Number of dice if it is the same in all outcomes."""
    first, *others = values
    count = sum([many for _, many in first])
    return count if all(sum([many for _, many in dice]) == count for dice in others) else None


class NeedsIndividualDiceError(Exception):
    """More is read of a pool than the distribution of its sums."""


class NewSumQueryError(NeedsIndividualDiceError):
    """A sum not queried of such dice before, which is computed from now on."""


SumQueries = list[tuple[int, ...]]
"""Queries of equal dice, each the worths of one die by the index of its face."""
FaceMultiset = tuple[tuple[int, int], ...]
"""Indices of faces with the number of dice that show them."""


class DieModel(NamedTuple):
    """Model of one of several equal dice."""

    dice: tuple[Any, ...]  # one per face
    explodes: tuple[bool, ...]  # per face, whether it explodes
    max_explosions: int  # most dice that one brings
    # kept dice of the first throw, with numbers of throws; none if all are kept
    kept_distribution: tuple[tuple[FaceMultiset, int], ...] | None = None


class PoolSumDistribution(SymbolicPool):
    """Dice of which only the joint distribution of queried sums is known.

    Its values are vectors of sums, one component per query. Reading anything else raises `NeedsIndividualDiceError`:
    the dice themselves are not represented, and so may be many.
    """

    __slots__ = ("_dice_count", "_die_model", "_queries")

    def __init__(self, model: DieModel, count: int, queries: SumQueries, conditioning: Conditioning | None) -> None:
        """`model` is that of each of `count` dice; new queries are added to `queries`.

        Raises:
            NeedsIndividualDiceError: the queries have too many results.
        """
        RandomValue.__init__(self, (RandomVariable((1,), conditioning),), ((),))
        self.count = self._dice_count = count
        self.observations = None
        self._die_model = model
        self._queries = queries
        if queries:
            self._compute_totals()

    @property
    def sample_dice(self) -> tuple[tuple[Any, int], ...]:
        """Dice of one possible roll."""
        return ((self._die_model.dice[0], self._dice_count),)

    def with_values(self, variables: tuple[RandomVariable, ...], values: Sequence[Any]) -> Any:
        """A copy restricted to some outcomes."""
        result = PoolSumDistribution(self._die_model, self._dice_count, [], variables[0].conditioning)
        result.variables, result.values, result._queries = variables, values, self._queries
        return result

    @property
    def are_all_kept(self) -> bool:
        return self._die_model.kept_distribution is None

    def __len__(self) -> int:  # type: ignore[override]
        if self._die_model.max_explosions or not self.are_all_kept:
            raise NeedsIndividualDiceError
        return self._dice_count

    def __getitem__(self, at: int) -> NoReturn:  # type: ignore[override]
        raise NeedsIndividualDiceError

    def sum_worths(self, worth: Callable[[Any], Any]) -> Any:
        """Sum of the worths of all dice.

        Raises:
            NewSumQueryError: a new query where others are in use.
            NeedsIndividualDiceError: a worth is no whole number, or there are too many sums.
        """
        each = tuple([worth(die) for die in self._die_model.dice])
        if not all(isinstance(one, int) for one in each):
            raise NeedsIndividualDiceError
        if each not in self._queries:
            self._queries.append(each)
            if len(self._queries) > 1:
                raise NewSumQueryError
        if not self.values[0]:
            self._compute_totals()
        place, now = self._queries.index(each), current_value(self)
        return collapse_if_constant(now.variables, [value[place] for value in now.values])

    def _compute_totals(self) -> None:
        totals = _total_distribution([*zip(*self._queries, strict=True)], self._die_model, self._dice_count)
        self.variables, self.values = (RandomVariable([*totals.values()], self.variables[0].conditioning),), [*totals]


_SumVector = tuple[int, ...]
"""Sums of worths, one per query."""


def _total_distribution(worths: Sequence[_SumVector], model: DieModel, count: int) -> dict[_SumVector, int]:
    """Number of throws per vector of sums, of `count` dice with given worths per face.

    Raises:
        NeedsIndividualDiceError: there are too many sums.
    """
    if model.kept_distribution is None:
        return pool_sum_distribution(one_die_distribution(worths, model), count)
    brought, most = _explosion_distribution(worths, model), len(worths) ** model.max_explosions
    first: dict[int, Counter[_SumVector]] = {}
    for kept_faces, many in model.kept_distribution:
        fixed = tuple([sum([worths[at][part] * often for at, often in kept_faces]) for part in range(len(worths[0]))])
        first.setdefault(sum([often for at, often in kept_faces if model.explodes[at]]), Counter())[fixed] += many
    result, highest = Counter[_SumVector](), max(first)
    for exploding, fixed_ in first.items():
        after = pool_sum_distribution(brought, exploding) if exploding else {(0,) * len(worths[0]): 1}
        if len(after) * len(fixed_) > _MAX_POLYNOMIAL_DEGREE:
            raise NeedsIndividualDiceError
        scale = most ** (highest - exploding)
        for (one_, many), (other, times) in product(fixed_.items(), after.items()):
            result[_add_vectors(one_, other)] += many * times * scale
    if len(result) > MAX_JOINT_OUTCOMES:
        raise NeedsIndividualDiceError
    return result


def one_die_distribution(worths: Sequence[_SumVector], model: DieModel) -> Counter[_SumVector]:
    """Number of throws per vector of sums, of one die with those that it brings.

    Raises:
        NeedsIndividualDiceError: there are too many.
    """
    brought, most = _explosion_distribution(worths, model), len(worths) ** model.max_explosions
    one = Counter[_SumVector]()
    for worth, explodes in zip(worths, model.explodes, strict=True):
        for more, many in brought.items() if explodes else (((0,) * len(worth), most),):
            one[_add_vectors(worth, more)] += many
    return one


def _explosion_distribution(worths: Sequence[_SumVector], model: DieModel) -> Counter[_SumVector]:
    """Number of throws per vector of sums, of the dice that one die brings, scaled to the throws of as many dice."""
    result, on = Counter[_SumVector](), Counter({(0,) * len(worths[0]): 1})
    spread = max(max(item) - min(item) for item in zip(*worths, strict=True))
    if model.max_explosions**2 * spread * len(worths) > _MAX_EXPLOSION_SUMS:
        raise NeedsIndividualDiceError
    for rest in range(model.max_explosions - 1, -1, -1):
        before, on = on, Counter[_SumVector]()
        for (sums, many), (worth, explodes) in product(before.items(), zip(worths, model.explodes, strict=True)):
            if explodes and rest:
                on[_add_vectors(sums, worth)] += many
            else:
                result[_add_vectors(sums, worth)] += many * len(worths) ** rest
        if len(on) > MAX_JOINT_OUTCOMES:
            raise NeedsIndividualDiceError
    return result


def _add_vectors(one: _SumVector, other: _SumVector) -> _SumVector:
    return tuple(map(add, one, other))


def pool_sum_distribution(worths: Mapping[tuple[int, ...], int], count: int) -> dict[tuple[int, ...], int]:
    """Number of throws per vector of sums, of `count` equal dice, from the numbers of faces per vector of worths.

    Vectors are encoded as digits of one number, so that the distribution is a power of one polynomial, computed by the
    recurrence of J. C. P. Miller (Knuth, The Art of Computer Programming 2, 4.7).

    Raises:
        NeedsIndividualDiceError: there are too many.
    """
    lows = [min(each) for each in zip(*worths, strict=True)]
    bases = [(max(each) - low) * count + 1 for each, low in zip(zip(*worths, strict=True), lows, strict=True)]
    written: dict[int, int] = {}
    for item, many in worths.items():
        number = 0
        for one, low, base in zip(item, lows, bases, strict=True):
            number = number * base + one - low
        written[number] = many
    result: dict[tuple[int, ...], int] = {}
    for total, many in _polynomial_power(written, count).items():
        sums, rest = [], total
        for low, base in zip(reversed(lows), reversed(bases), strict=True):
            rest, digit = divmod(rest, base)
            sums.append(low * count + digit)
        result[tuple(reversed(sums))] = many
    return result


def _polynomial_power(worths: Mapping[int, int], count: int) -> dict[int, int]:
    """Coefficients of a power of the generating polynomial of one die: number of throws per sum of `count` dice.

    Raises `NeedsIndividualDiceError` as `pool_sum_distribution`.
    """
    low = min(worths)
    if len(worths) == 1:
        return {low * count: worths[low] ** count}
    step = gcd(*(worth - low for worth in worths))
    spread = {(item - low) // step: many for item, many in worths.items()}
    first, highest = spread.pop(0), max(spread) * count
    if highest >= _MAX_POLYNOMIAL_DEGREE:
        raise NeedsIndividualDiceError
    items = [first**count]
    for at in range(1, highest + 1):
        summed = sum(((count + 1) * by - at) * many * items[at - by] for by, many in spread.items() if by <= at)
        items.append(summed // (at * first))
    sums = {low * count + step * at: many for at, many in enumerate(items) if many}
    if len(sums) > MAX_JOINT_OUTCOMES:
        raise NeedsIndividualDiceError
    return sums


class _SingleDie:
    __slots__ = ("_roll",)

    def __init__(self, roll: SymbolicPool) -> None:
        self._roll = roll

    def __getitem__(self, part: int) -> Any:
        """A part of the die, by its index in `Die`."""
        dice = [die for ((die, _),) in self._roll.values]
        return collapse_if_constant(self._roll.variables, [die[part] for die in dice])
