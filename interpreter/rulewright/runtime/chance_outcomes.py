"""Outcomes of chance, one per future with its exact weight, and equivalence of answers and dice."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.core.dice_reads import is_choice_of_dice
from rulewright.program.dice_observations import FULLY_OBSERVED, DieObservations
from rulewright.program.roll_options import is_exploding
from rulewright.runtime.dice import Die, EqualDice, make_dice, make_record
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.state_key import StateKeyBuilder, die_key, observations_after_roll, rerolled_die_keys
from rulewright.runtime.values import PartlyShuffledDeck, Value
from rulewright.runtime.working_memory import CONTROL, ROLLS

MAX_CHANCE_OUTCOMES = 1_000_000
"""Outcomes of one request that are listed; chosen, to bound time and memory."""


class TooManyOutcomesError(Exception):
    """A request of chance has too many outcomes to be listed.

    Attributes:
        count: a lower bound of their number.
        address: the line; empty if unknown.
        is_sum: whether it may be a roll of like dice of which only a sum is wanted, which is computed otherwise.
        sort: `roll`, `draw` or `shuffle`.
        is_endless: whether it is a roll whose dice explode without limit.
        because: of a shuffle, the line or term that makes the order matter; empty if unknown.
    """

    def __init__(
        self, count: int, address: str = "", *, is_sum: bool = False, sort: str = "roll", is_endless: bool = False
    ) -> None:
        super().__init__(f"{count:,} outcomes of chance, more than {MAX_CHANCE_OUTCOMES:,}")
        self.count = count
        self.address = address
        self.is_sum = is_sum
        self.sort = sort
        self.is_endless = is_endless
        self.because = ""


@dataclass(frozen=True, slots=True)
class ChanceOutcome:
    """An outcome of a roll, draw or shuffle with its probability."""

    answer: Value  # one of those with equal futures
    weight: Fraction  # probability of all of these


def list_chance_outcomes(question: PendingQuestion, most: int = MAX_CHANCE_OUTCOMES) -> tuple[ChanceOutcome, ...]:
    """Outcomes of a request of chance, one per future; the weights add up to 1.

    Raises:
        ValueError: it is no request of chance.
        TooManyOutcomesError: more than `most` would have to be enumerated.
    """
    try:
        mapping = _enumerate_outcomes(question, most)
    except TooManyOutcomesError as many:
        error = TooManyOutcomesError(many.count, question.address, is_sum=many.is_sum, sort=question.sort)
        if question.sort == "shuffle":
            error.because = question.executable.concealment.order_reading_line
        raise error from None
    total = sum([count for _, count in mapping.values()])
    return tuple([ChanceOutcome(answer, Fraction(count, total)) for answer, count in mapping.values()])


_MAX_LISTED_EXPLODING_DICE = 60
"""Dice limit of a run up to which rolls that explode without limit are enumerated."""


def require_bounded_outcomes(question: PendingQuestion) -> None:
    """Checks that all outcomes of a request of chance can be listed, with later dice of the roll.

    Raises:
        TooManyOutcomesError: its dice explode without limit.
    """
    if question.roll is None or question.world[CONTROL].limits.dice <= _MAX_LISTED_EXPLODING_DICE:
        return
    described = question.data
    for option in (*described.options, *(item for group in described.groups for item in group.options)):
        if is_exploding(option.kind.word) and option.bound is None:
            raise TooManyOutcomesError(MAX_CHANCE_OUTCOMES, question.address, is_sum=True, is_endless=True)


OutcomesByFuture = dict[Any, tuple[Any, int]]
"""Per future: an answer, and the number of equally likely answers with that future."""


def _enumerate_outcomes(question: PendingQuestion, most: int) -> OutcomesByFuture:
    match question.sort:
        case "roll":
            return _enumerate_rolls(question, most)
        case "draw":
            members = question.data
            of = Counter(members[: members.unseen_count] if isinstance(members, PartlyShuffledDeck) else members)
            return {(item,): (item, count) for item, count in of.items()}
        case "shuffle":
            return _enumerate_shuffles(question.data, most)
        case _:
            raise ValueError(
                f"a request of the sort `{question.sort}` is not answered by {', '.join(sorted(CHANCE_SORTS))}"
            )


def _enumerate_shuffles(items: tuple[Any, ...], most: int) -> OutcomesByFuture:
    _check_outcome_limit(factorial(len(items)) // prod([factorial(count) for count in Counter(items).values()]), most)
    return {arrangement: (arrangement, 1) for arrangement in _enumerate_arrangements(Counter(items), len(items))}


def _enumerate_arrangements(remaining: Counter[Any], count: int) -> Iterator[tuple[Any, ...]]:
    if not count:
        yield ()
        return
    for item in [each for each, many in remaining.items() if many]:
        remaining[item] -= 1
        yield from ((item, *rest) for rest in _enumerate_arrangements(remaining, count - 1))
        remaining[item] += 1


def make_roll_equivalence(question: PendingQuestion) -> Callable[[Sequence[Value]], Hashable] | None:
    """A function that maps answers to a roll with equal futures to equal values; none if dice are distinguished."""
    if question.roll is None:
        return None
    described = question.data
    observations = observations_after_roll(question, question.roll)
    if observations >= FULLY_OBSERVED or described.options or any(group.options for group in described.groups):
        return None
    dice = [(alike, part) for alike, part in _dice_with_parts(question) for _ in range(alike.dice_count)]

    def future_of_faces(answer: Sequence[Value]) -> Hashable:
        fresh = [_make_fresh_die(alike, part, face) for (alike, part), face in zip(dice, answer, strict=True)]
        return tuple(sorted([die_key(item, observations) for item in fresh], key=repr))

    return future_of_faces


def make_dice_equivalence(question: PendingQuestion) -> Callable[[Any], Hashable] | None:
    """A function that maps dice whose choice has equal futures to equal values.

    None if a request asks for no dice.
    """
    if not (isinstance(question.statement, core.Ask) and is_choice_of_dice(question.statement.space)):
        return None
    world = question.world
    builder = StateKeyBuilder.for_all_frames(question.executable, world)

    def future_of_die(die: tuple[int, int]) -> Hashable:
        roll, at = die
        observations = builder.observations_of_roll(roll)
        return (
            (roll, at)
            if observations >= FULLY_OBSERVED
            else (roll, die_key(world[ROLLS][roll][at], observations), builder.die_marks(roll, at))
        )

    return future_of_die


def _make_fresh_die(alike: EqualDice, part: Any, face: Any) -> Die:
    return make_record(Die, (alike.faces, face, face, 0, True, part, alike.model, ""))  # type: ignore[no-any-return]


def _dice_with_parts(question: PendingQuestion) -> tuple[tuple[EqualDice, Any], ...]:
    """Dice to throw now, each with what its part of the roll is called."""
    described = question.data
    parts = [group.part for group in described.groups if group.dice_count > 0] if not described.thrown else [None]
    return tuple(zip(question.dice_to_roll, parts, strict=True))


def _enumerate_rolls(question: PendingQuestion, most: int) -> OutcomesByFuture:
    if isinstance(question.statement, core.Reroll):
        return _enumerate_rerolls(question, most)
    if question.roll is None:
        return _enumerate_ordered_faces(question, most)
    observations = observations_after_roll(question, question.roll)
    if observations >= FULLY_OBSERVED:
        return _enumerate_ordered_faces(question, most)
    return _enumerate_unordered_rolls(question, observations, question.world[CONTROL].limits.dice, most)


def _enumerate_ordered_faces(question: PendingQuestion, most: int) -> OutcomesByFuture:
    sides = [faces for count, faces, _ in question.dice_to_roll for _ in range(count)]
    _check_outcome_limit(prod(map(len, sides)), most)
    return {number: (item, 1) for number, item in enumerate(product(*sides))}


def _enumerate_unordered_rolls(
    question: PendingQuestion, observations: DieObservations, limit: int, most: int
) -> OutcomesByFuture:
    """Outcomes of dice that are only observed: one outcome for all rolls with the same observations."""
    described = question.data
    try:
        if not described.options and not any(group.options for group in described.groups):
            return _enumerate_plain_rolls(question, observations, most)
        # One die more is a fault of the play, not of this enumeration.
        return _enumerate_made_rolls(question, observations, limit + 1, most)
    except TooManyOutcomesError as many:
        raise TooManyOutcomesError(many.count, is_sum=len(described.groups) == 1 and not described.thrown) from None


def _enumerate_made_rolls(
    question: PendingQuestion, observations: DieObservations, limit: int, most: int
) -> OutcomesByFuture:
    described = question.data
    groups: list[tuple[tuple[tuple[Any, ...], int], ...]] = []
    all_options = (described.options, *(group.options for group in described.groups))
    if any(is_exploding(option.kind.word) for options in all_options for option in options):
        _check_outcome_limit(question.outcome_count, most)
        groups = [tuple((item, 1) for item in product(*([faces] * count))) for count, faces, _ in question.dice_to_roll]
    for count, faces, _ in () if groups else question.dice_to_roll:
        groups.append(tuple(_enumerate_face_multisets(count, tuple(zip(faces, faces, strict=True)), most)))
    _check_outcome_limit(prod(map(len, groups)), most)
    result: OutcomesByFuture = {}
    for chosen in product(*groups):
        answer = tuple([face for faces, _ in chosen for face in faces])
        thrown = (*described.thrown, *answer)
        made_roll = make_dice(described._replace(thrown=thrown), limit)
        same = tuple(sorted([die_key(die, observations) for die in made_roll.dice], key=repr))
        future = same, None if made_roll.exploding is None else thrown
        old = result.get(future)
        result[future] = (
            answer if old is None else old[0],
            prod([many for _, many in chosen]) + (old[1] if old else 0),
        )
    return result


def _enumerate_plain_rolls(question: PendingQuestion, observations: DieObservations, most: int) -> OutcomesByFuture:
    groups = []
    for alike, part in _dice_with_parts(question):
        keys_by_face = {face: die_key(_make_fresh_die(alike, part, face), observations) for face in alike.faces}
        fallen = enumerate_multisets(alike.dice_count, [(face, keys_by_face[face]) for face in alike.faces], most)
        groups.append([(lies, keys_by_face, throws) for lies, throws in fallen])
    _check_outcome_limit(prod(map(len, groups)), most)
    result: OutcomesByFuture = {}
    for chosen in product(*groups):
        answer = tuple([face for lies, *_ in chosen for face, many in lies for _ in range(many)])
        like = Counter[Any]()
        for lies, keys_by_face, _ in chosen:
            for face, many in lies:
                like[keys_by_face[face]] += many
        future = frozenset(like.items())
        throws = prod([throws for *_, throws in chosen])
        old = result.get(future)
        result[future] = (answer, throws) if old is None else (old[0], old[1] + throws)
    return result


def _enumerate_rerolls(question: PendingQuestion, most: int) -> OutcomesByFuture:
    """Outcomes of a re-roll; dice of one roll with equal observations for every face are counted together."""
    world = question.world
    builder = StateKeyBuilder.for_all_frames(question.executable, world)
    if any(builder.observations_of_roll(roll) >= FULLY_OBSERVED for roll, _ in question.data):
        return _enumerate_ordered_faces(question, most)
    groups: dict[Any, list[int]] = {}
    shown: dict[Any, tuple[tuple[Any, Any], ...]] = {}
    for position, (roll, at) in enumerate(question.data):
        die = world[ROLLS][roll][at]
        face_keys = tuple(zip(die.faces, rerolled_die_keys(die, builder.observations_of_roll(roll)), strict=True))
        like = roll, face_keys, builder.die_marks(roll, at)
        groups.setdefault(like, []).append(position)
        shown[like] = face_keys
    several = [tuple(_enumerate_face_multisets(len(groups[group]), shown[group], most)) for group in groups]
    _check_outcome_limit(prod(map(len, several)), most)
    result: OutcomesByFuture = {}
    for chosen in product(*several):
        answer: list[Any] = [None] * len(question.data)
        for positions, (faces, _) in zip(groups.values(), chosen, strict=True):
            for position, face in zip(positions, faces, strict=True):
                answer[position] = face
        result[tuple(answer)] = (tuple(answer), prod([many for _, many in chosen]))
    return result


def _enumerate_face_multisets(
    count: int, shown: tuple[tuple[Any, Any], ...], most: int
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Multisets of observed faces of `count` dice, each with the number of rolls that show it."""
    for faces, many in enumerate_multisets(count, shown, most):
        yield tuple([face for face, of in faces for _ in range(of)]), many


def enumerate_multisets(
    count: int, shown: Sequence[tuple[Any, Any]], most: int = MAX_CHANCE_OUTCOMES
) -> Iterator[tuple[tuple[tuple[Any, int], ...], int]]:
    """Multisets of observed faces of `count` dice, with their numbers of throws.

    `shown` are the faces with what is observed of a die that shows them.

    Raises:
        TooManyOutcomesError: there are more multisets than `most`.
    """
    sizes: dict[Any, int] = {}
    faces: dict[Any, Any] = {}
    for face, what in shown:
        sizes[what] = sizes.get(what, 0) + 1
        faces.setdefault(what, face)
    _check_outcome_limit(comb(count + len(sizes) - 1, count), most)
    yield from _enumerate_multisets_from(count, [(faces[item], size) for item, size in sizes.items()])


def _enumerate_multisets_from(
    count: int, sorts: Sequence[tuple[Any, int]], first: int = 0
) -> Iterator[tuple[Any, int]]:
    if not count:
        yield (), 1
        return
    for at in range(first, len(sorts)):
        face, size = sorts[at]
        for many in range(count, 0 if at + 1 < len(sorts) else count - 1, -1):
            throw_count = comb(count, many) * size**many
            for rest, number in _enumerate_multisets_from(count - many, sorts, at + 1):
                yield ((face, many), *rest), throw_count * number


def _check_outcome_limit(count: int, most: int) -> None:
    if count > most:
        raise TooManyOutcomesError(count)
