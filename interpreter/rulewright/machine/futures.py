"""Equal futures once: what a play may still come to, and the outcomes of chance that differ in it."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial, prod
from typing import Any

from rulewright.machine import graph as g
from rulewright.machine.dice import made
from rulewright.machine.executable import Executable
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.later import Later
from rulewright.machine.liveness import Liveness, Spent
from rulewright.machine.question import Question
from rulewright.machine.request import CHANCE
from rulewright.machine.snapshot import Numbering, game_of
from rulewright.machine.state import Base
from rulewright.machine.values import Mixed, Value
from rulewright.machine.world import CONTROL, QUIET, ROLLS, STACK, UNSETTLED, World
from rulewright.program import statements as st
from rulewright.program.effects import TOLD, Look, Looks, given, holds_dice, over_dice, sees
from rulewright.program.types import DieType, PoolType

MOST_OUTCOMES = 1_000_000
_DICE = 7
_NUMBERS = frozenset({"number", "numbers"})


class TooManyOutcomesError(Exception):
    """A request of chance has more outcomes than are listed one by one.

    Attributes:
        count: how many, at least.
        address: the line; empty where it is not known.
        is_sum: whether it may be a roll of like dice of which only a sum is wanted, which is followed otherwise.
    """

    def __init__(self, count: int, address: str = "", *, is_sum: bool = False) -> None:
        super().__init__(f"{count:,} outcomes of chance, more than {MOST_OUTCOMES:,}")
        self.count = count
        self.address = address
        self.is_sum = is_sum


@dataclass(frozen=True, slots=True)
class ChanceOutcome:
    """An outcome of a roll, draw or shuffle, and how likely it is."""

    answer: Value  # to the request; where several have equal futures, one of them
    weight: Fraction  # how likely they are together


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

    def held(self, value: Any, _slot: int, _type: Any) -> Any:
        """What is compared of a name that holds numbers."""
        return value

    def _named(self, frame: list[Any], slot: int, type_: Any, looks: Looks) -> Any:
        value = frame[slot]
        if value is None or looks >= TOLD or not (isinstance(type_, DieType) or holds_dice(type_)):
            return self.value(value, type_)
        looks = looks_in(looks, frame)
        if isinstance(type_, PoolType):
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
        """The dice of one roll, as far as that can tell them apart."""
        dice, looks = self._world[ROLLS][old], self.looks(old)
        if looks >= TOLD:
            return tuple([tuple(each) for each in dice])
        marked = [(self._sight(old, at, looks), self.marks(old, at)) for at in range(len(dice))]
        return tuple(sorted(marked, key=repr))

    def _sight(self, roll: int, at: int, looks: Looks) -> tuple[Any, ...]:
        """All that is still seen of a die; of one that is to be thrown again whatever it will show."""
        die = self._world[ROLLS][roll][at]
        return tuple(sights_again(die, looks)) if (roll, at) in self._again else sight(die, looks)


class _Endless(Futures):
    """As `Futures`, where rounds of loops with high bounds do not count."""

    _counts_rounds = False


def looks_in(looks: Looks, frame: list[Any]) -> Looks:
    """Looks with the values that the parameters of a frame have."""
    if _is_nameless(looks):
        return looks
    values: dict[int, Look | None] = {
        index: ("value", value) for index, value in enumerate(frame[FIRST_SLOT:]) if not isinstance(value, list)
    }
    return given(looks, values)


def sight(die: Sequence[Any], looks: Looks) -> tuple[Any, ...]:
    """All that is still seen of a die, and what it would be thrown as."""
    return (die[0], die[4], die[6], sees(looks)(die))


def sights_again(die: Sequence[Any], looks: Looks) -> list[tuple[Any, ...]]:
    """As `sight`, of a die that has been thrown again, for each of its faces."""
    sides, first, _, rerolls, *rest = die
    return [sight((sides, first, face, rerolls + 1, *rest), looks) for face in sides]


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


def chances(executable: Executable, world: World) -> tuple[ChanceOutcome, ...]:
    """The outcomes of a request of chance, those with equal futures once; the weights add up to 1.

    Raises:
        ValueError: it is no request of chance.
        TooManyOutcomesError: there are more than a million.
    """
    question = Question(executable, world)
    try:
        found = _outcomes(executable, world, question)
    except TooManyOutcomesError as many:
        raise TooManyOutcomesError(many.count, question.address, is_sum=many.is_sum) from None
    total = sum([count for _, count in found.values()])
    return tuple([ChanceOutcome(answer, Fraction(count, total)) for answer, count in found.values()])


Found = dict[Any, tuple[Any, int]]
"""By what tells futures apart: an answer, and how many of the equally likely ones come to the same."""


def _outcomes(executable: Executable, world: World, question: Question) -> Found:
    match question.sort:
        case "roll":
            return _rolled(executable, world, question)
        case "draw":
            members = question.data
            of = Counter(members[: members.unseen] if isinstance(members, Mixed) else members)
            return {(each,): (each, count) for each, count in of.items()}
        case "shuffle":
            return _shuffled(question.data)
        case _:
            raise ValueError(f"a request of the sort `{question.sort}` is not answered by {', '.join(sorted(CHANCE))}")


def _shuffled(items: tuple[Any, ...]) -> Found:
    _bounded(factorial(len(items)) // prod([factorial(count) for count in Counter(items).values()]))
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
    """A function that gives answers that differ in which of like dice they mean the same value.

    None where a request asks for no dice, or tells them apart.
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

    if isinstance(shape, st.OneOf):
        return like
    return lambda dice: frozenset(Counter(map(like, dice)).items())


def _thrown(question: Question) -> tuple[tuple[int, tuple[Any, ...], str, Any], ...]:
    """What a roll throws now, as `Question.dice`, with what the part is called that the dice belong to."""
    parts, _, before = question.data[:3]
    called = [part[5] for part in parts if part[0] > 0] if not before else [None]
    return tuple([(*dice, of) for dice, of in zip(question.dice, called, strict=True)])


def looks_after(executable: Executable, world: World, roll: st.Roll) -> Looks:
    """What is seen of dice once they are thrown."""
    frame = world[STACK][-1]
    live = executable.liveness
    exit_ = live.block(frame[1], frame[0]).exit
    assert isinstance(exit_, g.Fallen)
    after = live.after(frame[1], exit_.chance.then, _spent(live, executable, world))
    return TOLD if after is None else looks_in(after.get(FIRST_SLOT + roll.variable.index, frozenset()), frame)


def _rolled(executable: Executable, world: World, question: Question) -> Found:
    if isinstance(question.node, st.Reroll):
        return _rerolled(executable, world, question)
    if not isinstance(question.node, st.Roll):
        return _ordered(question)
    looks = looks_after(executable, world, question.node)
    return _ordered(question) if looks >= TOLD else _counted(question, looks, world[CONTROL].limits.dice)


def _ordered(question: Question) -> Found:
    sides = [faces for count, faces, _ in question.dice for _ in range(count)]
    _bounded(prod(map(len, sides)))
    return {number: (each, 1) for number, each in enumerate(product(*sides))}


def _counted(question: Question, looks: Looks, limit: int) -> Found:
    """For dice that are only looked at: one outcome for all throws of which the same is seen."""
    parts, options, before = question.data[:3]
    try:
        if not options and not any(part[3] for part in parts):
            return _lying_alike(question, looks)
        return _made_alike(question, looks, limit)
    except TooManyOutcomesError as many:
        raise TooManyOutcomesError(many.count, is_sum=len(parts) == 1 and not before) from None


def _made_alike(question: Question, looks: Looks, limit: int) -> Found:
    """As `_counted`, of dice of which some are kept or dropped, or explode."""
    parts, options, before = question.data[:3]
    groups: list[tuple[tuple[tuple[Any, ...], int], ...]] = []
    if any(word == "explode" for own in (options, *(part[3] for part in parts)) for (word, _), *_ in own):
        _bounded(question.outcomes)
        groups = [tuple((each, 1) for each in product(*([faces] * count))) for count, faces, _ in question.dice]
    for count, faces, *_ in () if groups else _thrown(question):
        groups.append(tuple(_multisets(count, tuple(zip(faces, faces, strict=True)))))
    _bounded(prod(map(len, groups)))
    found: Found = {}
    for chosen in product(*groups):
        answer = tuple([face for faces, _ in chosen for face in faces])
        dice, waiting = made((parts, options, (*before, *answer)), limit)
        same = tuple(sorted([sight(tuple(each[:_DICE]), looks) for each in dice], key=repr))
        future = same, None if waiting is None else (*before, *answer)
        old = found.get(future)
        found[future] = (answer if old is None else old[0], prod([many for _, many in chosen]) + (old[1] if old else 0))
    return found


def _lying_alike(question: Question, looks: Looks) -> Found:
    """As `_counted`, of dice that all lie as they were thrown."""
    groups = []
    for count, faces, name, called in _thrown(question):
        seen_ = {face: sight((faces, face, face, 0, True, called, name), looks) for face in faces}
        groups.append([(lies, seen_, throws) for lies, throws in lying(count, [(face, seen_[face]) for face in faces])])
    _bounded(prod(map(len, groups)))
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


def _rerolled(executable: Executable, world: World, question: Question) -> Found:
    """For dice thrown again: dice of one roll that would look the same on every face are counted together."""
    futures = Futures(executable, world)
    for frame in world[STACK]:
        futures.frame(frame)
    if any(futures.looks(roll) >= TOLD for roll, _ in question.data):
        return _ordered(question)
    groups: dict[Any, list[int]] = {}
    shown: dict[Any, tuple[tuple[Any, Any], ...]] = {}
    for position, (roll, at) in enumerate(question.data):
        die = world[ROLLS][roll][at]
        seen_ = tuple(zip(die[0], sights_again(die, futures.looks(roll)), strict=True))
        like = roll, seen_, futures.marks(roll, at)
        groups.setdefault(like, []).append(position)
        shown[like] = seen_
    several = [tuple(_multisets(len(groups[each]), shown[each])) for each in groups]
    _bounded(prod(map(len, several)))
    found: Found = {}
    for chosen in product(*several):
        answer: list[Any] = [None] * len(question.data)
        for positions, (faces, _) in zip(groups.values(), chosen, strict=True):
            for position, face in zip(positions, faces, strict=True):
                answer[position] = face
        found[tuple(answer)] = (tuple(answer), prod([many for _, many in chosen]))
    return found


def _multisets(count: int, shown: tuple[tuple[Any, Any], ...]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The faces that `count` dice may show, once for all that look the same, and how many throws that is."""
    for faces, many in lying(count, shown):
        yield tuple([face for face, of in faces for _ in range(of)]), many


def lying(count: int, shown: Sequence[tuple[Any, Any]]) -> Iterator[tuple[tuple[tuple[Any, int], ...], int]]:
    """As dice fall: each face with how many show it, once for all that look the same, and how many throws that is.

    `shown` are the faces with what is seen of a die that shows them.

    Raises:
        TooManyOutcomesError: there are more than a million ways.
    """
    sizes: dict[Any, int] = {}
    faces: dict[Any, Any] = {}
    for face, what in shown:
        sizes[what] = sizes.get(what, 0) + 1
        faces.setdefault(what, face)
    _bounded(comb(count + len(sizes) - 1, count))
    yield from _lying(count, [(faces[each], size) for each, size in sizes.items()])


def _lying(count: int, sorts: Sequence[tuple[Any, int]]) -> Iterator[tuple[tuple[tuple[Any, int], ...], int]]:
    (face, size), *others = sorts
    if not others:
        yield ((face, count),) if count else (), size**count
        return
    for many in range(count, -1, -1):
        ways = comb(count, many) * size**many
        own = ((face, many),) if many else ()
        for rest, found in _lying(count - many, others):
            yield own + rest, ways * found


def _bounded(count: int) -> None:
    if count > MOST_OUTCOMES:
        raise TooManyOutcomesError(count)
