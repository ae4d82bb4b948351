"""The outcomes of chance, those with equal futures once, and the answers that come to the same."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Any

from rulewright.machine.dice import made
from rulewright.machine.executable import Executable
from rulewright.machine.futures import Futures, looks_after, sight, sights_again
from rulewright.machine.question import Question
from rulewright.machine.request import CHANCE
from rulewright.machine.values import Mixed, Value
from rulewright.machine.world import CONTROL, ROLLS, STACK, World
from rulewright.program import statements as st
from rulewright.program.effects import TOLD, Looks, over_dice

MOST_OUTCOMES = 1_000_000
_DICE = 7


class TooManyOutcomesError(Exception):
    """A request of chance has more outcomes than are listed one by one.

    Attributes:
        count: how many, at least.
        address: the line; empty where it is not known.
        is_sum: whether it may be a roll of like dice of which only a sum is wanted, which is followed otherwise.
        sort: `roll`, `draw` or `shuffle`.
        is_endless: whether it is a roll whose dice explode without limit.
        because: of a shuffle what makes the order matter: a line or a term; empty where it is not known.
    """

    def __init__(
        self, count: int, address: str = "", *, is_sum: bool = False, sort: str = "roll", is_endless: bool = False
    ) -> None:
        super().__init__(f"{count:,} outcomes of chance, more than {MOST_OUTCOMES:,}")
        self.count = count
        self.address = address
        self.is_sum = is_sum
        self.sort = sort
        self.is_endless = is_endless
        self.because = ""


@dataclass(frozen=True, slots=True)
class ChanceOutcome:
    """An outcome of a roll, draw or shuffle, and how likely it is."""

    answer: Value  # to the request; where several have equal futures, one of them
    weight: Fraction  # how likely they are together


def chances(executable: Executable, world: World, most: int = MOST_OUTCOMES) -> tuple[ChanceOutcome, ...]:
    """The outcomes of a request of chance, those with equal futures once; the weights add up to 1.

    Raises:
        ValueError: it is no request of chance.
        TooManyOutcomesError: so many would have to be listed that it is more than `most`.
    """
    question = Question(executable, world)
    try:
        found = _outcomes(executable, world, question, most)
    except TooManyOutcomesError as many:
        told = TooManyOutcomesError(many.count, question.address, is_sum=many.is_sum, sort=question.sort)
        if question.sort == "shuffle":
            told.because = executable.concealed.order_reader
        raise told from None
    total = sum([count for _, count in found.values()])
    return tuple([ChanceOutcome(answer, Fraction(count, total)) for answer, count in found.values()])


_LISTED = 60
"""So many dice of a roll are listed that may explode again and again, where a run may throw no more."""


def ends(executable: Executable, world: World) -> None:
    """Makes sure that all outcomes of a request of chance can be listed, with those of the dice it goes on with.

    Raises:
        TooManyOutcomesError: its dice explode without limit.
    """
    question = Question(executable, world)
    if not isinstance(question.node, st.Roll) or world[CONTROL].limits.dice <= _LISTED:
        return
    parts, options, _ = question.data[:3]
    for (word, _), _, bound in (*options, *(each for part in parts for each in part[3])):
        if word == "explode" and bound is None:
            raise TooManyOutcomesError(MOST_OUTCOMES, question.address, is_sum=True, is_endless=True)


Found = dict[Any, tuple[Any, int]]
"""By what tells futures apart: an answer, and how many of the equally likely ones come to the same."""


def _outcomes(executable: Executable, world: World, question: Question, most: int) -> Found:
    match question.sort:
        case "roll":
            return _rolled(executable, world, question, most)
        case "draw":
            members = question.data
            of = Counter(members[: members.unseen] if isinstance(members, Mixed) else members)
            return {(each,): (each, count) for each, count in of.items()}
        case "shuffle":
            return _shuffled(question.data, most)
        case _:
            raise ValueError(f"a request of the sort `{question.sort}` is not answered by {', '.join(sorted(CHANCE))}")


def _shuffled(items: tuple[Any, ...], most: int) -> Found:
    _bounded(factorial(len(items)) // prod([factorial(count) for count in Counter(items).values()]), most)
    return {each: (each, 1) for each in _arrangements(Counter(items), len(items))}


def _arrangements(left: Counter[Any], count: int) -> Iterator[tuple[Any, ...]]:
    if not count:
        yield ()
        return
    for each in [each for each, many in left.items() if many]:
        left[each] -= 1
        yield from ((each, *rest) for rest in _arrangements(left, count - 1))
        left[each] += 1


def alike(executable: Executable, world: World) -> Callable[[Sequence[Value]], Hashable] | None:
    """A function that gives answers to a roll with equal futures the same value; none where dice are told apart."""
    question = Question(executable, world)
    if not isinstance(question.node, st.Roll):
        return None
    parts, options, _ = question.data[:3]
    looks = looks_after(executable, world, question.node)
    if looks >= TOLD or options or any(part[3] for part in parts):
        return None
    dice = [each for count, *each in _thrown(question) for _ in range(count)]

    def shown(answer: Sequence[Value]) -> Hashable:
        fresh = (
            (faces, face, face, 0, True, called, name) for (faces, name, called), face in zip(dice, answer, strict=True)
        )
        return tuple(sorted([sight(each, looks) for each in fresh], key=repr))

    return shown


def exchanged(executable: Executable, world: World) -> Callable[[Any], Hashable] | None:
    """A function that gives dice to choose from that have the same future if chosen the same value.

    None where a request asks for no dice.
    """
    question = Question(executable, world)
    shape = getattr(question.node, "shape", None)
    if not (isinstance(shape, st.OneOf | st.Pick) and over_dice(shape.binding)):
        return None
    futures = Futures(executable, world)
    for frame in world[STACK]:
        futures.frame(frame)

    def like(die: tuple[int, int]) -> Hashable:
        roll, at = die
        looks = futures.looks(roll)
        return (roll, at) if looks >= TOLD else (roll, sight(world[ROLLS][roll][at], looks), futures.marks(roll, at))

    return like


def _thrown(question: Question) -> tuple[tuple[int, tuple[Any, ...], str, Any], ...]:
    """What a roll throws now, as `Question.dice`, with what the part is called that the dice belong to."""
    parts, _, before = question.data[:3]
    called = [part[5] for part in parts if part[0] > 0] if not before else [None]
    return tuple([(*dice, of) for dice, of in zip(question.dice, called, strict=True)])


def _rolled(executable: Executable, world: World, question: Question, most: int) -> Found:
    if isinstance(question.node, st.Reroll):
        return _rerolled(executable, world, question, most)
    if not isinstance(question.node, st.Roll):
        return _ordered(question, most)
    looks = looks_after(executable, world, question.node)
    if looks >= TOLD:
        return _ordered(question, most)
    return _counted(question, looks, world[CONTROL].limits.dice, most)


def _ordered(question: Question, most: int) -> Found:
    sides = [faces for count, faces, _ in question.dice for _ in range(count)]
    _bounded(prod(map(len, sides)), most)
    return {number: (each, 1) for number, each in enumerate(product(*sides))}


def _counted(question: Question, looks: Looks, limit: int, most: int) -> Found:
    """For dice that are only looked at: one outcome for all throws of which the same is seen."""
    parts, options, before = question.data[:3]
    try:
        if not options and not any(part[3] for part in parts):
            return _lying_alike(question, looks, most)
        # One more is a fault of the play, not of this list.
        return _made_alike(question, looks, limit + 1, most)
    except TooManyOutcomesError as many:
        raise TooManyOutcomesError(many.count, is_sum=len(parts) == 1 and not before) from None


def _made_alike(question: Question, looks: Looks, limit: int, most: int) -> Found:
    """As `_counted`, of dice of which some are kept or dropped, or explode."""
    parts, options, before = question.data[:3]
    groups: list[tuple[tuple[tuple[Any, ...], int], ...]] = []
    if any(word == "explode" for own in (options, *(part[3] for part in parts)) for (word, _), *_ in own):
        _bounded(question.outcomes, most)
        groups = [tuple((each, 1) for each in product(*([faces] * count))) for count, faces, _ in question.dice]
    for count, faces, *_ in () if groups else _thrown(question):
        groups.append(tuple(_multisets(count, tuple(zip(faces, faces, strict=True)), most)))
    _bounded(prod(map(len, groups)), most)
    found: Found = {}
    for chosen in product(*groups):
        answer = tuple([face for faces, _ in chosen for face in faces])
        dice, waiting = made((parts, options, (*before, *answer)), limit)
        same = tuple(sorted([sight(tuple(each[:_DICE]), looks) for each in dice], key=repr))
        future = same, None if waiting is None else (*before, *answer)
        old = found.get(future)
        found[future] = (answer if old is None else old[0], prod([many for _, many in chosen]) + (old[1] if old else 0))
    return found


def _lying_alike(question: Question, looks: Looks, most: int) -> Found:
    """As `_counted`, of dice that all lie as they were thrown."""
    groups = []
    for count, faces, name, called in _thrown(question):
        seen_ = {face: sight((faces, face, face, 0, True, called, name), looks) for face in faces}
        fallen = lying(count, [(face, seen_[face]) for face in faces], most)
        groups.append([(lies, seen_, throws) for lies, throws in fallen])
    _bounded(prod(map(len, groups)), most)
    found: Found = {}
    for chosen in product(*groups):
        answer = tuple([face for lies, *_ in chosen for face, many in lies for _ in range(many)])
        like = Counter[Any]()
        for lies, seen_, _ in chosen:
            for face, many in lies:
                like[seen_[face]] += many
        future = frozenset(like.items())
        throws = prod([throws for *_, throws in chosen])
        old = found.get(future)
        found[future] = (answer, throws) if old is None else (old[0], old[1] + throws)
    return found


def _rerolled(executable: Executable, world: World, question: Question, most: int) -> Found:
    """For dice thrown again: dice of one roll that would look the same on every face are counted together."""
    futures = Futures(executable, world)
    for frame in world[STACK]:
        futures.frame(frame)
    if any(futures.looks(roll) >= TOLD for roll, _ in question.data):
        return _ordered(question, most)
    groups: dict[Any, list[int]] = {}
    shown: dict[Any, tuple[tuple[Any, Any], ...]] = {}
    for position, (roll, at) in enumerate(question.data):
        die = world[ROLLS][roll][at]
        seen_ = tuple(zip(die[0], sights_again(die, futures.looks(roll)), strict=True))
        like = roll, seen_, futures.marks(roll, at)
        groups.setdefault(like, []).append(position)
        shown[like] = seen_
    several = [tuple(_multisets(len(groups[each]), shown[each], most)) for each in groups]
    _bounded(prod(map(len, several)), most)
    found: Found = {}
    for chosen in product(*several):
        answer: list[Any] = [None] * len(question.data)
        for positions, (faces, _) in zip(groups.values(), chosen, strict=True):
            for position, face in zip(positions, faces, strict=True):
                answer[position] = face
        found[tuple(answer)] = (tuple(answer), prod([many for _, many in chosen]))
    return found


def _multisets(count: int, shown: tuple[tuple[Any, Any], ...], most: int) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The faces that `count` dice may show, once for all that look the same, and how many throws that is."""
    for faces, many in lying(count, shown, most):
        yield tuple([face for face, of in faces for _ in range(of)]), many


def lying(
    count: int, shown: Sequence[tuple[Any, Any]], most: int = MOST_OUTCOMES
) -> Iterator[tuple[tuple[tuple[Any, int], ...], int]]:
    """As dice fall: each face with how many show it, once for all that look the same, and how many throws that is.

    `shown` are the faces with what is seen of a die that shows them.

    Raises:
        TooManyOutcomesError: there are more ways than `most`.
    """
    sizes: dict[Any, int] = {}
    faces: dict[Any, Any] = {}
    for face, what in shown:
        sizes[what] = sizes.get(what, 0) + 1
        faces.setdefault(what, face)
    _bounded(comb(count + len(sizes) - 1, count), most)
    yield from _lying(count, [(faces[each], size) for each, size in sizes.items()])


def _lying(count: int, sorts: Sequence[tuple[Any, int]], first: int = 0) -> Iterator[tuple[Any, int]]:
    """The same of dice that show one of the sorts from a number on."""
    if not count:
        yield (), 1
        return
    for at in range(first, len(sorts)):
        face, size = sorts[at]
        for many in range(count, 0 if at + 1 < len(sorts) else count - 1, -1):
            ways = comb(count, many) * size**many
            for rest, found in _lying(count - many, sorts, at + 1):
                yield ((face, many), *rest), ways * found


def _bounded(count: int, most: int) -> None:
    if count > most:
        raise TooManyOutcomesError(count)
