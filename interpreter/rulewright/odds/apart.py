"""Odds by going on once for all that differ in numbers alone: what chance brought stays open until it has to be known.

A play is gone on with as far as what chance left open makes no difference; where a line has to know a value it takes
one, and is followed from where it began once more for each of the others. Plays that come to one place are followed
together from there: what differs between them is one more thing that is left open, with the likelihoods of their ways.
So every likelihood has to be known when plays are put together. Where players want the best, or plays may come round
again, `exploration` is what counts.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count
from math import inf
from typing import Any, NamedTuple, Protocol

from rulewright.machine.later import Later, Lot, Passed, Taking, Undecided, left, narrowed, simplest, sorts, ways
from rulewright.machine.open_dice import Sights, Throw, count_asked
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Run
from rulewright.machine.standing import Place, gone_on, put, standing
from rulewright.machine.unthrown import FACE, Exploded, LookedError, Lying, Summed, Unthrown, same_count
from rulewright.machine.world import ROLLS, STACK, World, duplicate
from rulewright.odds.exploration import STEPS, Answering, Heed, Met
from rulewright.odds.mixing import Came, parts_of, together

_IDLE = 3
"""So often may a stop before a block bring nothing together."""
_ROWS_OF_A_STEP = 20
_ROWS = 100
"""So many ways of what is left open cost as much as a moment."""
_ANSWER = 10
"""So many ways cost as much as one more answer that is followed."""
_PART = 25
"""So many ways cost as much as a play that is followed again for one value."""
_THROWN = 10
"""So many rolls are gone on from at once where there are no other plays."""
_TIMES = 3
"""So often one moment is come to before plays count as coming round again."""


class TogetherError(Exception):
    """Plays cannot be followed together."""


class _Moment(NamedTuple):
    """Where plays stand that are followed together."""

    world: World
    likely: Fraction  # how likely it is to come here
    open: Sequence[tuple[Place, Later]]  # what is left open in it, each of one lot, and where it is
    held: Sequence[Any]  # what of that is still left open, in order, or what it is
    asks: bool  # whether they stand at a request, or before a block
    memory: Hashable  # what who answers remembers
    where: "_Where"  # where they stand in each call that runs


class _Coming:
    """Plays that wait at one place to be followed together."""

    __slots__ = ("came", "key", "places", "where", "world")

    def __init__(self, world: World, places: Sequence[Place], key: "_Key", where: "_Where") -> None:
        self.world = world
        self.places = places
        self.key = key
        self.where = where
        self.came: list[Came] = []


_Where = Sequence[tuple[dict[int, int], int]]
"""By call the turns made of the loops under way, by the place where they begin, and the place of the block."""
_Key = tuple[Hashable, bool, Hashable]
"""The shape of a play, whether it stands at a request, and what who answers remembers."""


class Telling(Protocol):
    """Adds up what plays come to."""

    def add(self, values: Sequence[Any], likely: Fraction) -> None:
        """Plays that are so likely come to values, which may hang on lots.

        Raises:
            Undecided: part of a value hangs on lots; then nothing was added.
        """

    def over(self, over: Faulted | Refused, likely: Fraction) -> None:
        """Plays that are so likely cannot be carried on."""


class Together:
    """Follows the plays from one start."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        answering: Answering,
        most: int,
        heed: Heed,
        telling: Telling,
        throw: Throw,
        values_of: Callable[[World], Sequence[Any]],
    ) -> None:
        """`throw` gives the dice of a roll as chance may have them, as `unthrown`; `values_of` is as in `AtEnds`."""
        self._answering = answering
        self._most = most
        self._heed = heed
        self._telling = telling
        self._throw = throw
        self._values_of = values_of
        self._taking = Taking()
        self._idle: Counter[int] = Counter()
        self._sights = Sights()
        self._coming: dict[Hashable, _Coming] = {}
        self._queue: list[tuple[Any, ...]] = []
        self._number = count()
        self._met: dict[Hashable, int] = {}
        self._alone: _Moment | None = None
        self.moments = 0
        self._followed = 0.0
        self._rows = 0
        self._steps = 0

    def follow(self, start: Run) -> None:
        """Follows all plays to their ends.

        Raises:
            TogetherError: they cannot be followed together.
            LookedError: nor of dice of which only a sum is known.
        """
        self._executable = start.executable.evened if self._answering.is_even else start.executable
        self._order = start.executable.changing.order
        self._alone = _Moment(
            duplicate(start.world), Fraction(1), (), (), asks=True, memory=self._answering.memory, where=()
        )
        while self._queue or self._alone is not None:
            if self._alone is not None:
                moments = [self._alone]
                self._alone = None
            else:
                moments = [*self._moments(self._coming.pop(heappop(self._queue)[-1]))]
            self.moments += len(moments)
            self._charge(0)
            self._heed(self._far())
            for moment in moments:
                self._go_on(moment)

    def _far(self) -> Met:
        """How far it is."""
        return Met(self.moments, self._followed, together=True, steps=self._steps + self._rows // _ROWS_OF_A_STEP)

    def _charge(self, rows: int) -> None:
        """Counts ways that were gone through, and gives up where all that was followed or waits is too much."""
        self._rows += rows
        if self.moments + len(self._queue) + self._rows // _ROWS > self._most:
            raise TogetherError

    def _go_on(self, moment: _Moment) -> None:
        """All that comes next."""
        if not moment.asks:
            self._follow(moment, (), moment.memory, moment.likely, last=True)
            return
        self._taking.begin()
        try:
            answers = self._answers(moment)
        except Undecided as undecided:
            for part, _, share in self._parted(moment, (), [], undecided.value):
                self._go_on(_made(part)._replace(likely=moment.likely * share))
            return
        if self._taking.taken:
            moment = _with(moment, [narrowed(each, self._taking.taken) for each in moment.held])
        for at, (likely, answer, memory) in enumerate(answers, 1):
            share = moment.likely if likely == 1 else moment.likely * likely
            self._charge(_ANSWER if at > 1 else 0)
            self._follow(moment, (answer,), memory, share, last=at == len(answers))

    def _answers(self, moment: _Moment) -> Sequence[tuple[Fraction, Any, Hashable]]:
        run, count = Run.standing(self._executable, moment.world), count_asked(self._executable, moment.world)
        if isinstance(count, Later) and self._answering.at_once(moment.memory) is None:
            raise Undecided(count)
        dice = self._thrown(run, moment.memory)
        if dice is not None:
            return ((Fraction(1), dice, moment.memory),)
        if isinstance(count, Later):
            raise Undecided(count)
        try:
            fork = self._answering.fork(run, moment.memory)
        except (TypeError, AttributeError):  # as in `_follow`
            wanted = next((each for each in moment.held if isinstance(each, Later)), None)
            if wanted is None:
                raise
            raise Undecided(wanted) from None
        if fork.chooser is not None:
            raise TogetherError
        return [(each.likely, each.answer, each.memory) for each in fork.ways]

    def _thrown(self, run: Run, memory: Hashable) -> Unthrown | None:
        """The dice of the roll at which a play stands, as chance may have them; none where they are answered else."""
        if not self._answering.throws(run, memory):
            return None
        return self._throw(self._executable, run.world, self._taking, self._sights)

    def _follow(
        self, moment: _Moment, answers: Sequence[Any], memory: Hashable, likely: Fraction, *, last: bool
    ) -> None:
        """Goes on with answers, or from before a block, up to where plays stand next.

        Beside the answer to a request these are the dice of rolls that come after it. What the last of several answers
        is followed with may change, where nothing was left open.
        """
        known = not any(isinstance(each, Later) for each in (*answers, *moment.held))
        given, taking, wanted = [*answers], self._taking, None
        self._steps += 1
        if not self._steps % STEPS:
            self._heed(self._far())
        while True:
            world = moment.world if known and last and not moment.held else _world(moment)
            taking.begin()
            try:
                stands = self._gone_on(world, given, memory, asks=moment.asks, throws=likely == 1 and not known)
                if known and likely == 1 and stands == "asks" and not self._queue:
                    self._alone = _Moment(world, likely, (), (), asks=True, memory=memory, where=moment.where)
                else:
                    self._come(moment, world, stands, memory, likely, known=known)
            except Undecided as undecided:
                if undecided.block is not None and undecided.block not in taking.passed_through:
                    taking.stops.add(undecided.block)
                    continue
                block = world[STACK][-1][0]
                if isinstance(undecided.value, Summed) and block in taking.stops:
                    # Dice that are nowhere cannot lie where plays stand, but a line may take what they are worth.
                    taking.stops.remove(block)
                    taking.passed_through.add(block)
                    continue
                wanted = undecided.value
            except (TypeError, AttributeError):
                # Some function of Python takes numbers alone: what is open is decided then, one by one.
                if known:
                    raise
                wanted = next(each for each in (*given, *moment.held) if isinstance(each, Later))
            break
        parts = [*self._parted(moment, given, taking.passed, wanted)]
        taking.begin()
        for part, given_, share in parts:
            self._follow(part, given_, memory, likely * share, last=False)

    def _gone_on(
        self, world: World, given: list[Any], memory: Hashable, *, asks: bool, throws: bool
    ) -> str | Faulted | Refused:
        """As `gone_on`; where there are no other plays (`throws`) also from the rolls it comes to, with dice added."""
        taking, at_once = self._taking, self._answering.at_once(memory)
        stands = "asks" if asks else gone_on(self._executable, world, taking, (), at_once)
        for each in given:
            if stands == "asks":
                stands = gone_on(self._executable, world, taking, (each,), at_once)
        while stands == "asks" and throws and taking.of == 1 and len(given) < _THROWN:
            if isinstance(count_asked(self._executable, world), Later):
                break
            dice = self._thrown(Run.standing(self._executable, world), memory)
            if dice is None:
                break
            given.append(dice)
            self._charge(_ROWS)
            stands = gone_on(self._executable, world, taking, (dice,), at_once)
        return stands

    def _come(  # noqa: PLR0913
        self,
        moment: _Moment,
        world: World,
        stands: str | Faulted | Refused,
        memory: Hashable,
        likely: Fraction,
        *,
        known: bool,
    ) -> None:
        taking = self._taking
        if stands == "ends":
            taking.may = True
            values = [left(each) for each in self._values_of(world)]
            self._charge(sum(len(each.values) for each in values if isinstance(each, Later)))
            likely = _share(likely, taking)
            self._telling.add(values, likely)
        elif not isinstance(stands, str):
            likely = _share(likely, taking)
            self._telling.over(stands, likely)
        else:
            asks = stands == "asks"
            taking.may = False
            found = standing(self._executable, world, self._sights, asks=asks, known=known)
            came = Came(_share(likely, taking), found.leaves, {} if known else parts_of(found.leaves))
            key = found.shape, asks, memory
            coming = self._coming.get(key)
            if coming is None:
                where = self._where(world, moment.where)
                coming = self._coming[key] = _Coming(world, found.places, key, where)
                place = (*(each for turns, at in where for each in (*chain(*turns.items()), at)), inf)
                heappush(self._queue, (place, next(self._number), key))
                self._charge(0)
            coming.came.append(came)
            return
        self._followed += float(likely)

    def _where(self, world: World, before: _Where) -> _Where:
        """Where plays stand in each call that runs, after standing elsewhere."""
        found: list[tuple[dict[int, int], int]] = []
        for depth, frame in enumerate(world[STACK]):
            loops, place = self._order.get(frame[0], ((), 0))
            turns: dict[int, int] = {}
            if loops and depth < len(before):
                old, at = before[depth]
                turns = {loop: old.get(loop, 0) for loop in loops}
                again = [loop for loop in loops if loop in old]
                if again and place <= at:
                    turns[again[-1]] += 1
            found.append((turns or dict.fromkeys(loops, 0), place))
        return found

    # What comes to one place.

    def _moments(self, coming: _Coming) -> Iterator[_Moment]:
        """The plays that came to one place as one moment; where they are too many to hang together, one by one."""
        self._weigh(coming)
        try:
            found = [together(coming.came)]
        except OverflowError:
            found = coming.came
        for each in found:
            self._count(coming.key, each)
            self._rows += sum(map(len, each.parts.values()))
            world = coming.world
            if len(found) > 1:
                world = duplicate(world)
                for place, value in zip(coming.places, each.leaves, strict=True):
                    put(world, place, value)
            opened: list[tuple[Place, Later]] = []
            for numbers, rows in each.parts.items():
                lot = Lot([*rows.values()], self._taking)
                for number, values in zip(numbers, zip(*rows, strict=True), strict=True):
                    place = coming.places[number]
                    value = _open(lot, values, place[2] if place[0] == ROLLS else None)
                    put(world, place, value)
                    if isinstance(value, Later):
                        opened.append((place, value))
            _, asks, memory = coming.key
            yield _Moment(world, each.likely, opened, [value for _, value in opened], asks, memory, coming.where)

    def _weigh(self, coming: _Coming) -> None:
        """Plays stand no more before a block where nothing comes together."""
        block = coming.world[STACK][-1][0]
        if not coming.key[1] and block in self._taking.stops:
            self._idle[block] += 1 if len(coming.came) == 1 else -_IDLE
            if self._idle[block] >= _IDLE:
                self._taking.stops.remove(block)
                self._taking.passed_through.add(block)

    def _count(self, key: _Key, came: Came) -> None:
        """Counts how often a moment is come to; at first only how often plays come to such a place."""
        self._met[key] = self._met.get(key, 0) + 1
        if self._met[key] <= _TIMES:
            return
        parts = frozenset([(numbers, frozenset(rows.items())) for numbers, rows in came.parts.items()])
        within = {number for numbers in came.parts for number in numbers}
        known = key, parts, tuple([each for number, each in enumerate(came.leaves) if number not in within])
        self._met[known] = self._met.get(known, 0) + 1
        if self._met[known] > _TIMES:
            raise TogetherError

    # What a line has to know.

    def _parted(
        self,
        moment: _Moment,
        answers: Sequence[Any],
        passed: Sequence[Passed],
        wanted: Later | None,
    ) -> Iterator[tuple[_Moment, Sequence[Any], Fraction]]:
        """A moment and the answers there, with its share, once for each value that was not followed.

        Those that a play passed over, and those of what a line wanted once it had taken others.
        """
        taking = self._taking
        if isinstance(wanted, Summed):
            raise LookedError
        for each in passed:
            yield from self._parts(moment, answers, each, 1)
        if wanted is None:
            return
        try:
            value = narrowed(wanted, taking.taken)
        except Undecided:
            value = None
        if isinstance(value, Later):
            last = Passed(taking.taken, taking.often, taking.of, value, ways(value.lots))
            yield from self._parts(moment, answers, last, 0)
        else:
            held = [narrowed(each, taking.taken) for each in moment.held]
            given = [_faces(narrowed(each, taking.taken), each) for each in answers]
            self._charge(_PART)
            yield _with(moment, held), given, _share(Fraction(1), taking)

    def _parts(
        self,
        moment: _Moment,
        answers: Sequence[Any],
        passed: Passed,
        since: int,
    ) -> Iterator[tuple[_Moment, Sequence[Any], Fraction]]:
        taken, often, of, value, weights = passed
        lots = value.lots
        held, given = ([narrowed(each, taken) for each in of_] for of_ in (moment.held, answers))
        if not any(isinstance(each, Later) and each.lots[0] in lots for each in (*held, *given)):
            raise TogetherError
        of *= sum(weights)
        self._charge(len(weights))
        for at in [*sorts(value).values()][since:]:
            self._charge(_PART)
            lot = Lot([weights[each] for each in at], self._taking)
            now = [_known(each, lots, lot, at) for each in held]
            share = Fraction(often * sum(lot.weights), of)
            known = [_faces(_known(each, lots, lot, at), was) for each, was in zip(given, answers, strict=True)]
            yield _with(moment, now), known, share


def _share(likely: Fraction, taking: Taking) -> Fraction:
    """How likely plays are that took something on their way."""
    if taking.of == 1:
        return likely
    return Fraction(likely.numerator * taking.often, likely.denominator * taking.of)


def _with(moment: _Moment, held: Sequence[Any]) -> _Moment:
    """A moment with less left open."""
    return _Moment(moment.world, moment.likely, moment.open, held, moment.asks, moment.memory, moment.where)


def _world(moment: _Moment) -> World:
    """The working memory of a moment, to be gone on with."""
    world = duplicate(moment.world)
    for (place, before), value in zip(moment.open, moment.held, strict=True):
        if value is not before:
            put(world, place, value)
    return world


def _made(moment: _Moment) -> _Moment:
    """The same with nothing beside its working memory."""
    opened = [
        (place, value) for (place, _), value in zip(moment.open, moment.held, strict=True) if isinstance(value, Later)
    ]
    return moment._replace(world=_world(moment), open=opened, held=[value for _, value in opened])


def _faces(answer: Any, before: Any) -> Any:
    """An answer; of dice that are known once they were open what they show, or how they lie with those they brought."""
    if answer is before or isinstance(answer, Later):
        return answer
    if isinstance(before, Exploded):
        return Lying([die for die, many in answer for _ in range(many)])
    return tuple([die[FACE] for die, many in answer for _ in range(many)])


def _known(value: Any, lots: tuple[Lot, ...], lot: Lot, at: Sequence[int]) -> Any:
    """What is left open once only some ways of some lots are left, which are those of another lot."""
    if not isinstance(value, Later) or not any(each in lots for each in value.lots):
        return value
    values = value.over(lots)
    return value.made((lot,), [values[each] for each in at])


def _open(lot: Lot, values: Sequence[Any], looks: object) -> Any:
    """A leaf with a value for each way of a lot, of dice what is seen of them; known where it is the same for all."""
    found = simplest((lot,), values)
    if looks is None or not isinstance(found, Later):
        return found
    return Unthrown(lot, values, same_count(values), looks)
