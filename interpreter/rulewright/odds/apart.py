"""Odds by going on once for all that differ in numbers alone: what chance brought stays open until it has to be known.

A play is gone on with as far as what chance left open makes no difference; then it is followed from before that line
once for each value. Plays that come to one place are followed together from there: what differs between them is one
more thing that is left open, with the likelihoods of their ways. So every likelihood has to be known when plays are
put together. Where players want the best, or plays may come round again, `exploration` is what counts.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count
from math import inf
from typing import Any, NamedTuple

from rulewright.machine.later import Later, Lot, Undecided, Unthrown, simplest, ways
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Run
from rulewright.machine.standing import Place, Sights, gone_on, put, standing, unthrown
from rulewright.machine.world import ROLLS, STACK, World, duplicate
from rulewright.odds.exploration import Answering, Heed, Met
from rulewright.odds.mixing import Came, parts_of, together

_FACE = 2
_UNSEEN = object()
_IDLE = 3
"""So often may a stop before a block bring nothing together."""
_ROWS = 100
"""So many ways of what is left open cost as much as a moment."""
_TIMES = 3
"""So often one moment is come to before plays count as coming round again."""


class TogetherError(Exception):
    """Plays cannot be followed together."""


class _Moment(NamedTuple):
    """Where plays stand that are followed together."""

    world: World
    likely: Fraction  # how likely it is to come here
    open: Sequence[tuple[Place, Later]]  # what is left open, each of one lot, and where it is
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


class Together:
    """Follows the plays from one start."""

    def __init__(
        self,
        answering: Answering,
        most: int,
        heed: Heed,
        ended: Callable[[World, Fraction], None],
        over: Callable[[Faulted | Refused, Fraction], None],
    ) -> None:
        self._answering = answering
        self._most = most
        self._heed = heed
        self._ended = ended
        self._over = over
        self._stops: set[int] = set()
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

    def follow(self, start: Run) -> None:
        """Follows all plays to their ends.

        Raises:
            TogetherError: they cannot be followed together.
        """
        self._executable = start.executable.evened if self._answering.is_even else start.executable
        self._order = start.executable.changing.order
        self._alone = _Moment(
            duplicate(start.world), Fraction(1), (), asks=True, memory=self._answering.memory, where=()
        )
        while self._queue or self._alone is not None:
            if self._alone is not None:
                moments = [self._alone]
                self._alone = None
            else:
                moments = [*self._moments(self._coming.pop(heappop(self._queue)[-1]))]
            self.moments += len(moments)
            if self.moments + self._rows // _ROWS > self._most:
                raise TogetherError
            self._heed(Met(self.moments, self._followed, together=True))
            for moment in moments:
                self._go_on(moment)

    def _go_on(self, moment: _Moment) -> None:
        """All that comes next."""
        if not moment.asks:
            self._follow(moment, None, moment.memory, moment.likely, last=True)
            return
        try:
            answers = self._answers(moment)
        except Undecided as undecided:
            for part, _, share in self._parted(moment, None, undecided.value, last=True):
                self._go_on(part._replace(likely=moment.likely * share))
            return
        for at, (likely, answer, memory) in enumerate(answers, 1):
            share = moment.likely if likely == 1 else moment.likely * likely
            self._follow(moment, answer, memory, share, last=at == len(answers))

    def _answers(self, moment: _Moment) -> Sequence[tuple[Fraction, Any, Hashable]]:
        run = Run.standing(self._executable, moment.world)
        if self._answering.throws(run, moment.memory):
            dice = unthrown(self._executable, moment.world)
            if dice is not None:
                return ((Fraction(1), dice, moment.memory),)
        fork = self._answering.fork(run, moment.memory)
        if fork.chooser is not None:
            raise TogetherError
        return [(each.likely, each.answer, each.memory) for each in fork.ways]

    def _follow(self, moment: _Moment, answer: Any, memory: Hashable, likely: Fraction, *, last: bool) -> None:  # noqa: ANN401
        """Goes on with an answer, or from before a block, up to where plays stand next.

        What the last of several answers is followed with may change, where nothing is left open.
        """
        known = not moment.open and not isinstance(answer, Later)
        given_, at_once = (answer,) if moment.asks else (), self._answering.at_once(memory)
        while True:
            world = moment.world if known and last else duplicate(moment.world)
            try:
                stands = gone_on(self._executable, world, self._stops, given_, at_once)
                if known and likely == 1 and stands == "asks" and not self._queue:
                    self._alone = _Moment(world, likely, (), asks=True, memory=memory, where=moment.where)
                else:
                    self._come(moment, world, stands, memory, likely, known=known)
            except Undecided as undecided:
                if undecided.block is not None and self._idle[undecided.block] < _IDLE:
                    self._stops.add(undecided.block)
                    continue
                wanted = undecided.value
            except (TypeError, AttributeError):
                # Some function of Python takes numbers alone: what is open is decided then, one by one.
                if known:
                    raise
                wanted = answer if isinstance(answer, Later) else moment.open[0][1]
            else:
                return
            for part, given, share in self._parted(moment, answer, wanted, last=last):
                self._follow(part, given, memory, likely * share, last=True)
            return

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
        if not isinstance(stands, str) or stands == "ends":
            self._followed += float(likely)
        if stands == "ends":
            self._ended(world, likely)
        elif not isinstance(stands, str):
            self._over(stands, likely)
        else:
            asks = stands == "asks"
            found = standing(self._executable, world, self._sights, asks=asks, known=known)
            came = Came(likely, found.leaves, {} if known else parts_of(found.leaves))
            key = found.shape, asks, memory
            coming = self._coming.get(key)
            if coming is None:
                where = self._where(world, moment.where)
                coming = self._coming[key] = _Coming(world, found.places, key, where)
                place = (*(each for turns, at in where for each in (*chain(*turns.items()), at)), inf)
                heappush(self._queue, (place, next(self._number), key))
            coming.came.append(came)

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
                lot = Lot([*rows.values()])
                for number, values in zip(numbers, zip(*rows, strict=True), strict=True):
                    place = coming.places[number]
                    value = _open(lot, values, place[2] if place[0] == ROLLS else None)
                    put(world, place, value)
                    if isinstance(value, Later):
                        opened.append((place, value))
            _, asks, memory = coming.key
            yield _Moment(world, each.likely, opened, asks, memory, coming.where)

    def _weigh(self, coming: _Coming) -> None:
        """Plays stand no more before a block where nothing comes together."""
        block = coming.world[STACK][-1][0]
        if not coming.key[1] and block in self._stops:
            self._idle[block] += 1 if len(coming.came) == 1 else -_IDLE
            if self._idle[block] >= _IDLE:
                self._stops.remove(block)

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
        answer: Any,  # noqa: ANN401
        value: Later,
        *,
        last: bool,
    ) -> Iterator[tuple[_Moment, Any, Fraction]]:
        """A moment and the answer to it, once for each value that a line has to know, with its share."""
        held = [each for _, each in moment.open] + ([answer] if isinstance(answer, Later) else [])
        if not all(any(lot in each.lots for each in held) for lot in value.lots):
            raise TogetherError
        weights = ways(value.lots)
        total = sum(weights)
        ways_of: dict[Any, list[int]] = {}
        for at, each in enumerate(value.values):
            ways_of.setdefault(each, []).append(at)
        for number, at_ in enumerate(ways_of.values(), 1):
            lot = Lot([weights[at] for at in at_])
            world = moment.world if last and number == len(ways_of) else duplicate(moment.world)
            opened: list[tuple[Place, Later]] = []
            for place, each in moment.open:
                known = _known(each, value.lots, lot, at_)
                if known is not each:
                    put(world, place, known)
                if isinstance(known, Later):
                    opened.append((place, known))
            given = _known(answer, value.lots, lot, at_) if isinstance(answer, Later) else answer
            if given is not answer and not isinstance(given, Later):
                given = tuple([die[_FACE] for die, many in given for _ in range(many)])
            share = Fraction(sum(lot.weights), total)
            yield moment._replace(world=world, open=opened), given, share


def _known(value: Later, lots: tuple[Lot, ...], lot: Lot, at: Sequence[int]) -> Any:  # noqa: ANN401
    """What is left open once only some ways of some lots are left, which are those of another lot."""
    if not any(each in lots for each in value.lots):
        return value
    values = value.over(lots)
    left = [values[each] for each in at]
    return _open(lot, left, value.looks or _UNSEEN) if isinstance(value, Unthrown) else simplest((lot,), left)


def _open(lot: Lot, values: Sequence[Any], looks: object) -> Any:  # noqa: ANN401
    """A leaf with a value for each way of a lot, of dice what is seen of them; known where it is the same for all."""
    found = simplest((lot,), values)
    if looks is None or not isinstance(found, Later):
        return found
    return Unthrown(lot, values, sum([many for _, many in values[0]]), looks)
