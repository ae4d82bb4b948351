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

from rulewright.odds.state_exploration import STEPS_PER_REPORT, ExplorationProgress, ProgressCallback, StateAnswerer
from rulewright.odds.state_merging import Arrival, group_dependent_leaves, merge_arrivals
from rulewright.runtime.random_values import (
    Conditioning,
    DeferredBranch,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    collapse_if_constant,
    condition_value,
    current_value,
    group_outcomes_by_value,
    joint_weights,
)
from rulewright.runtime.request import Faulted, Refused
from rulewright.runtime.run import Run
from rulewright.runtime.state_signature import (
    DiceInterner,
    LeafPath,
    PoolSource,
    build_signature,
    continue_play,
    count_rolled_dice,
    put_leaf,
)
from rulewright.runtime.symbolic_pool import (
    FACE_PART,
    DiceInPlace,
    ExplodedPool,
    NeedsIndividualDiceError,
    PoolSumDistribution,
    SymbolicPool,
    common_dice_count,
)
from rulewright.runtime.working_memory import ROLLS, STACK, WorkingMemory, copy_world

_MAX_FRUITLESS_MERGES = 3
"""So often may a stop before a block bring nothing together."""
_ROWS_PER_STEP = 20
_ROWS_PER_STATE = 100
"""So many ways of what is left open cost as much as a moment."""
_ROWS_PER_ANSWER = 10
"""So many ways cost as much as one more answer that is followed."""
_ROWS_PER_REPLAY = 25
"""So many ways cost as much as a play that is followed again for one value."""
_MAX_ROLLS_AT_ONCE = 10
"""So many rolls are gone on from at once where there are no other plays."""
_MAX_STATE_VISITS = 3
"""So often one moment is come to before plays count as coming round again."""


class CannotMergeError(Exception):
    """Plays cannot be followed together."""


class _MergedState(NamedTuple):
    """Where plays stand that are followed together."""

    world: WorkingMemory
    probability: Fraction  # how likely it is to come here
    open_places: Sequence[tuple[LeafPath, RandomValue]]  # what is left open in it, each of one lot, and where it is
    open_values: Sequence[Any]  # what of that is still left open, in order, or what it is
    is_at_request: bool  # whether they stand at a request, or before a block
    memory: Hashable  # what who answers remembers
    loop_position: "_LoopPosition"  # where they stand in each call that runs


class _PendingMerge:
    """Plays that wait at one place to be followed together."""

    __slots__ = ("arrivals", "key", "loop_position", "places", "world")

    def __init__(
        self, world: WorkingMemory, places: Sequence[LeafPath], key: "_MergeKey", where: "_LoopPosition"
    ) -> None:
        self.world = world
        self.places = places
        self.key = key
        self.loop_position = where
        self.arrivals: list[Arrival] = []


_LoopPosition = Sequence[tuple[dict[int, int], int]]
"""By call the turns made of the loops under way, by the place where they begin, and the place of the block."""
_MergeKey = tuple[Hashable, bool, Hashable]
"""The shape of a play, whether it stands at a request, and what who answers remembers."""


class ResultSink(Protocol):
    """Adds up what plays come to."""

    def add_result(self, values: Sequence[Any], likely: Fraction) -> None:
        """Plays that are so likely come to values, which may hang on lots.

        Raises:
            Undecided: part of a value hangs on lots; then nothing was added.
        """

    def add_failed_end(self, over: Faulted | Refused, likely: Fraction) -> None:
        """Plays that are so likely cannot be carried on."""


class MergingExplorer:
    """Follows the plays from one start."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        answering: StateAnswerer,
        most: int,
        heed: ProgressCallback,
        telling: ResultSink,
        throw: PoolSource,
        values_of: Callable[[WorkingMemory], Sequence[Any]],
    ) -> None:
        """`throw` gives the dice of a roll as chance may have them, as `unthrown`; `values_of` is as in `EndMeasurer`."""
        self._answerer = answering
        self._max_states = most
        self._on_progress = heed
        self._sink = telling
        self._throw_symbolically = throw
        self._measure_end = values_of
        self._conditioning = Conditioning()
        self._fruitless_merges: Counter[int] = Counter()
        self._dice_interner = DiceInterner()
        self._pending_merges: dict[Hashable, _PendingMerge] = {}
        self._queue: list[tuple[Any, ...]] = []
        self._sequence_numbers = count()
        self._visit_counts: dict[Hashable, int] = {}
        self._single_state: _MergedState | None = None
        self.state_count = 0
        self._explored_share = 0.0
        self._row_count = 0
        self._step_count = 0

    def explore_to_ends(self, start: Run) -> None:
        """Follows all plays to their ends.

        Raises:
            TogetherError: they cannot be followed together.
            LookedError: nor of dice of which only a sum is known.
        """
        self._executable = (
            start.executable.with_like_dice_equated if self._answerer.is_symmetric_in_dice else start.executable
        )
        self._block_order = start.executable.reachable_effects.block_order
        self._single_state = _MergedState(
            copy_world(start.world),
            Fraction(1),
            (),
            (),
            is_at_request=True,
            memory=self._answerer.initial_memory,
            loop_position=(),
        )
        while self._queue or self._single_state is not None:
            if self._single_state is not None:
                moments = [self._single_state]
                self._single_state = None
            else:
                moments = [*self._merge_arrivals_at(self._pending_merges.pop(heappop(self._queue)[-1]))]
            self.state_count += len(moments)
            self._charge_rows(0)
            self._on_progress(self._current_progress())
            for moment in moments:
                self._advance_state(moment)

    def _current_progress(self) -> ExplorationProgress:
        """How far it is."""
        return ExplorationProgress(
            self.state_count,
            self._explored_share,
            is_merging=True,
            step_count=self._step_count + self._row_count // _ROWS_PER_STEP,
        )

    def _charge_rows(self, rows: int) -> None:
        """Counts ways that were gone through, and gives up where all that was followed or waits is too much."""
        self._row_count += rows
        if self.state_count + len(self._queue) + self._row_count // _ROWS_PER_STATE > self._max_states:
            raise CannotMergeError

    def _advance_state(self, moment: _MergedState) -> None:
        """All that comes next."""
        if not moment.is_at_request:
            self._follow_answers(moment, (), moment.memory, moment.probability, last=True)
            return
        self._conditioning.reset_observations()
        try:
            answers = self._list_state_answers(moment)
        except NeedsConcreteValue as undecided:
            for part, _, share in self._split_state(moment, (), [], undecided.value):
                self._advance_state(_materialize_state(part)._replace(probability=moment.probability * share))
            return
        if self._conditioning.observed:
            moment = _with_open_values(
                moment, [condition_value(open_value, self._conditioning.observed) for open_value in moment.open_values]
            )
        for at, (likely, answer, memory) in enumerate(answers, 1):
            share = moment.probability if likely == 1 else moment.probability * likely
            self._charge_rows(_ROWS_PER_ANSWER if at > 1 else 0)
            self._follow_answers(moment, (answer,), memory, share, last=at == len(answers))

    def _list_state_answers(self, moment: _MergedState) -> Sequence[tuple[Fraction, Any, Hashable]]:
        run, count = Run.from_world(self._executable, moment.world), count_rolled_dice(self._executable, moment.world)
        if isinstance(count, RandomValue) and self._answerer.make_immediate_answerer(moment.memory) is None:
            raise NeedsConcreteValue(count)
        dice = self._roll_symbolic_dice(run, moment.memory)
        if dice is not None:
            return ((Fraction(1), dice, moment.memory),)
        if isinstance(count, RandomValue):
            raise NeedsConcreteValue(count)
        try:
            fork = self._answerer.enumerate_answers(run, moment.memory)
        except (TypeError, AttributeError):  # as in `_follow_answers`
            wanted = next(
                (open_value for open_value in moment.open_values if isinstance(open_value, RandomValue)), None
            )
            if wanted is None:
                raise
            raise NeedsConcreteValue(wanted) from None
        if fork.chooser is not None:
            raise CannotMergeError
        return [(branch.probability, branch.answer, branch.memory) for branch in fork.branches]

    def _roll_symbolic_dice(self, run: Run, memory: Hashable) -> SymbolicPool | None:
        """The dice of the roll at which a play stands, as chance may have them; none where they are answered else."""
        if not self._answerer.is_chance_roll(run, memory):
            return None
        return self._throw_symbolically(self._executable, run.world, self._conditioning, self._dice_interner)

    def _follow_answers(
        self, moment: _MergedState, answers: Sequence[Any], memory: Hashable, likely: Fraction, *, last: bool
    ) -> None:
        """Goes on with answers, or from before a block, up to where plays stand next.

        Beside the answer to a request these are the dice of rolls that come after it. What the last of several answers
        is followed with may change, where nothing was left open.
        """
        known = not any(isinstance(answer, RandomValue) for answer in (*answers, *moment.open_values))
        given, taking, wanted = [*answers], self._conditioning, None
        self._step_count += 1
        if not self._step_count % STEPS_PER_REPORT:
            self._on_progress(self._current_progress())
        while True:
            world = moment.world if known and last and not moment.open_values else _instantiate_world(moment)
            taking.reset_observations()
            try:
                stands = self._run_to_next_stop(
                    world, given, memory, asks=moment.is_at_request, throws=likely == 1 and not known
                )
                if known and likely == 1 and stands == "asks" and not self._queue:
                    self._single_state = _MergedState(
                        world, likely, (), (), is_at_request=True, memory=memory, loop_position=moment.loop_position
                    )
                else:
                    self._record_arrival(moment, world, stands, memory, likely, known=known)
            except NeedsConcreteValue as undecided:
                if undecided.block is not None and undecided.block not in taking.unmergeable_blocks:
                    taking.merge_blocks.add(undecided.block)
                    continue
                block = world[STACK][-1][0]
                if isinstance(undecided.value, PoolSumDistribution) and block in taking.merge_blocks:
                    # Dice that are nowhere cannot lie where plays stand, but a line may take what they are worth.
                    taking.merge_blocks.remove(block)
                    taking.unmergeable_blocks.add(block)
                    continue
                wanted = undecided.value
            except (TypeError, AttributeError):
                # Some function of Python takes numbers alone: what is open is decided then, one by one.
                if known:
                    raise
                wanted = next(
                    random_value
                    for random_value in (*given, *moment.open_values)
                    if isinstance(random_value, RandomValue)
                )
            break
        parts = [*self._split_state(moment, given, taking.deferred, wanted)]
        taking.reset_observations()
        for part, given_, share in parts:
            self._follow_answers(part, given_, memory, likely * share, last=False)

    def _run_to_next_stop(
        self, world: WorkingMemory, given: list[Any], memory: Hashable, *, asks: bool, throws: bool
    ) -> str | Faulted | Refused:
        """As `continue_play`; where there are no other plays (`throws`) also from the rolls it comes to, with dice added."""
        taking, at_once = self._conditioning, self._answerer.make_immediate_answerer(memory)
        stands = "asks" if asks else continue_play(self._executable, world, taking, (), at_once)
        for item in given:
            if stands == "asks":
                stands = continue_play(self._executable, world, taking, (item,), at_once)
        while stands == "asks" and throws and taking.denominator == 1 and len(given) < _MAX_ROLLS_AT_ONCE:
            if isinstance(count_rolled_dice(self._executable, world), RandomValue):
                break
            dice = self._roll_symbolic_dice(Run.from_world(self._executable, world), memory)
            if dice is None:
                break
            given.append(dice)
            self._charge_rows(_ROWS_PER_STATE)
            stands = continue_play(self._executable, world, taking, (dice,), at_once)
        return stands

    def _record_arrival(  # noqa: PLR0913
        self,
        moment: _MergedState,
        world: WorkingMemory,
        stands: str | Faulted | Refused,
        memory: Hashable,
        likely: Fraction,
        *,
        known: bool,
    ) -> None:
        taking = self._conditioning
        if stands == "ends":
            taking.may_branch = True
            values = [current_value(item) for item in self._measure_end(world)]
            self._charge_rows(sum(len(value.values) for value in values if isinstance(value, RandomValue)))
            likely = _weigh_by_conditioning(likely, taking)
            self._sink.add_result(values, likely)
        elif not isinstance(stands, str):
            likely = _weigh_by_conditioning(likely, taking)
            self._sink.add_failed_end(stands, likely)
        else:
            asks = stands == "asks"
            taking.may_branch = False
            result = build_signature(self._executable, world, self._dice_interner, asks=asks, known=known)
            came = Arrival(
                _weigh_by_conditioning(likely, taking),
                result.leaves,
                {} if known else group_dependent_leaves(result.leaves),
            )
            key = result.shape, asks, memory
            coming = self._pending_merges.get(key)
            if coming is None:
                where = self._locate_in_loops(world, moment.loop_position)
                coming = self._pending_merges[key] = _PendingMerge(world, result.leaf_paths, key, where)
                place = (*(item for turns, at in where for item in (*chain(*turns.items()), at)), inf)
                heappush(self._queue, (place, next(self._sequence_numbers), key))
                self._charge_rows(0)
            coming.arrivals.append(came)
            return
        self._explored_share += float(likely)

    def _locate_in_loops(self, world: WorkingMemory, before: _LoopPosition) -> _LoopPosition:
        """Where plays stand in each call that runs, after standing elsewhere."""
        result: list[tuple[dict[int, int], int]] = []
        for depth, frame in enumerate(world[STACK]):
            loops, place = self._block_order.get(frame[0], ((), 0))
            turns: dict[int, int] = {}
            if loops and depth < len(before):
                old, at = before[depth]
                turns = {loop: old.get(loop, 0) for loop in loops}
                again = [loop for loop in loops if loop in old]
                if again and place <= at:
                    turns[again[-1]] += 1
            result.append((turns or dict.fromkeys(loops, 0), place))
        return result

    # What comes to one place.

    def _merge_arrivals_at(self, coming: _PendingMerge) -> Iterator[_MergedState]:
        """The plays that came to one place as one moment; where they are too many to hang together, one by one."""
        self._drop_fruitless_stop(coming)
        try:
            result = [merge_arrivals(coming.arrivals)]
        except OverflowError:
            result = coming.arrivals
        for arrival in result:
            self._count_state_visit(coming.key, arrival)
            self._row_count += sum(map(len, arrival.parts.values()))
            world = coming.world
            if len(result) > 1:
                world = copy_world(world)
                for place, value in zip(coming.places, arrival.leaves, strict=True):
                    put_leaf(world, place, value)
            opened: list[tuple[LeafPath, RandomValue]] = []
            for numbers, rows in arrival.parts.items():
                lot = RandomVariable([*rows.values()], self._conditioning)
                for number, values in zip(numbers, zip(*rows, strict=True), strict=True):
                    place = coming.places[number]
                    value = _make_open_value(lot, values, place[2] if place[0] == ROLLS else None)
                    put_leaf(world, place, value)
                    if isinstance(value, RandomValue):
                        opened.append((place, value))
            _, asks, memory = coming.key
            yield _MergedState(
                world, arrival.probability, opened, [value for _, value in opened], asks, memory, coming.loop_position
            )

    def _drop_fruitless_stop(self, coming: _PendingMerge) -> None:
        """Plays stand no more before a block where nothing comes together."""
        block = coming.world[STACK][-1][0]
        if not coming.key[1] and block in self._conditioning.merge_blocks:
            self._fruitless_merges[block] += 1 if len(coming.arrivals) == 1 else -_MAX_FRUITLESS_MERGES
            if self._fruitless_merges[block] >= _MAX_FRUITLESS_MERGES:
                self._conditioning.merge_blocks.remove(block)
                self._conditioning.unmergeable_blocks.add(block)

    def _count_state_visit(self, key: _MergeKey, came: Arrival) -> None:
        """Counts how often a moment is come to; at first only how often plays come to such a place."""
        self._visit_counts[key] = self._visit_counts.get(key, 0) + 1
        if self._visit_counts[key] <= _MAX_STATE_VISITS:
            return
        parts = frozenset([(numbers, frozenset(rows.items())) for numbers, rows in came.parts.items()])
        within = {number for numbers in came.parts for number in numbers}
        known = key, parts, tuple([leaf for number, leaf in enumerate(came.leaves) if number not in within])
        self._visit_counts[known] = self._visit_counts.get(known, 0) + 1
        if self._visit_counts[known] > _MAX_STATE_VISITS:
            raise CannotMergeError

    # What a line has to know.

    def _split_state(
        self,
        moment: _MergedState,
        answers: Sequence[Any],
        passed: Sequence[DeferredBranch],
        wanted: RandomValue | None,
    ) -> Iterator[tuple[_MergedState, Sequence[Any], Fraction]]:
        """A moment and the answers there, with its share, once for each value that was not followed.

        Those that a play passed over, and those of what a line wanted once it had taken others.
        """
        taking = self._conditioning
        if isinstance(wanted, PoolSumDistribution):
            raise NeedsIndividualDiceError
        for deferred_branch in passed:
            yield from self._split_deferred_branch(moment, answers, deferred_branch, 1)
        if wanted is None:
            return
        try:
            value = condition_value(wanted, taking.observed)
        except NeedsConcreteValue:
            value = None
        if isinstance(value, RandomValue):
            last = DeferredBranch(
                taking.observed, taking.numerator, taking.denominator, value, joint_weights(value.variables)
            )
            yield from self._split_deferred_branch(moment, answers, last, 0)
        else:
            held = [condition_value(open_value, taking.observed) for open_value in moment.open_values]
            given = [_observed_dice_answer(condition_value(answer, taking.observed), answer) for answer in answers]
            self._charge_rows(_ROWS_PER_REPLAY)
            yield _with_open_values(moment, held), given, _weigh_by_conditioning(Fraction(1), taking)

    def _split_deferred_branch(
        self,
        moment: _MergedState,
        answers: Sequence[Any],
        passed: DeferredBranch,
        since: int,
    ) -> Iterator[tuple[_MergedState, Sequence[Any], Fraction]]:
        taken, often, of, value, weights = passed
        lots = value.variables
        held, given = ([condition_value(item, taken) for item in of_] for of_ in (moment.open_values, answers))
        if not any(
            isinstance(random_value, RandomValue) and random_value.variables[0] in lots
            for random_value in (*held, *given)
        ):
            raise CannotMergeError
        of *= sum(weights)
        self._charge_rows(len(weights))
        for at in [*group_outcomes_by_value(value).values()][since:]:
            self._charge_rows(_ROWS_PER_REPLAY)
            lot = RandomVariable([weights[item] for item in at], self._conditioning)
            now = [_restrict_to_outcomes(item, lots, lot, at) for item in held]
            share = Fraction(often * sum(lot.weights), of)
            known = [
                _observed_dice_answer(_restrict_to_outcomes(item, lots, lot, at), was)
                for item, was in zip(given, answers, strict=True)
            ]
            yield _with_open_values(moment, now), known, share


def _weigh_by_conditioning(likely: Fraction, taking: Conditioning) -> Fraction:
    """How likely plays are that took something on their way."""
    if taking.denominator == 1:
        return likely
    return Fraction(likely.numerator * taking.numerator, likely.denominator * taking.denominator)


def _with_open_values(moment: _MergedState, held: Sequence[Any]) -> _MergedState:
    """A moment with less left open."""
    return _MergedState(
        moment.world,
        moment.probability,
        moment.open_places,
        held,
        moment.is_at_request,
        moment.memory,
        moment.loop_position,
    )


def _instantiate_world(moment: _MergedState) -> WorkingMemory:
    """The working memory of a moment, to be gone on with."""
    world = copy_world(moment.world)
    for (place, before), value in zip(moment.open_places, moment.open_values, strict=True):
        if value is not before:
            put_leaf(world, place, value)
    return world


def _materialize_state(moment: _MergedState) -> _MergedState:
    """The same with nothing beside its working memory."""
    opened = [
        (place, value)
        for (place, _), value in zip(moment.open_places, moment.open_values, strict=True)
        if isinstance(value, RandomValue)
    ]
    return moment._replace(
        world=_instantiate_world(moment), open_places=opened, open_values=[value for _, value in opened]
    )


def _observed_dice_answer(answer: Any, before: Any) -> Any:
    """An answer; of dice that are known once they were open what they show, or how they lie with those they brought."""
    if answer is before or isinstance(answer, RandomValue):
        return answer
    if isinstance(before, ExplodedPool):
        return DiceInPlace([die for die, many in answer for _ in range(many)])
    return tuple([die[FACE_PART] for die, many in answer for _ in range(many)])


def _restrict_to_outcomes(value: Any, lots: tuple[RandomVariable, ...], lot: RandomVariable, at: Sequence[int]) -> Any:
    """What is left open once only some ways of some lots are left, which are those of another lot."""
    if not isinstance(value, RandomValue) or not any(variable in lots for variable in value.variables):
        return value
    values = value.expand_over(lots)
    return value.with_values((lot,), [values[item] for item in at])


def _make_open_value(lot: RandomVariable, values: Sequence[Any], looks: object) -> Any:
    """A leaf with a value for each way of a lot, of dice what is seen of them; known where it is the same for all."""
    result = collapse_if_constant((lot,), values)
    if looks is None or not isinstance(result, RandomValue):
        return result
    return SymbolicPool(lot, values, common_dice_count(values), looks)
