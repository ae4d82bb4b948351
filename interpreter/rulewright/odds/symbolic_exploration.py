"""Symbolic exploration with state merging: random values stay open until a line has to know them.

A path takes the first value of what it has to know and defers the others, which are replayed from where the path began.
Paths that reach one point with one signature merge, and what differs between them becomes one random variable with
their probabilities. Merging needs all probabilities, so optimal play and plays that come round again are left to
`state_exploration`.
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
from rulewright.runtime.flow_graph import FRAME_BLOCK
from rulewright.runtime.pool_builder import DiceInterner, PoolSource, count_rolled_dice
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
from rulewright.runtime.state_signature import LeafPath, build_signature, continue_play, put_leaf
from rulewright.runtime.symbolic_pool import (
    DiceInPlace,
    ExplodedPool,
    NeedsIndividualDiceError,
    PoolSumDistribution,
    SymbolicPool,
    common_dice_count,
)
from rulewright.runtime.working_memory import ROLLS, STACK, WorkingMemory, copy_world

_MAX_FRUITLESS_MERGES = 3
"""Stops before a block that may merge nothing until the block is given up (heuristic)."""
_ROWS_PER_STEP = 20
_ROWS_PER_STATE = 100
"""Rows of a joint distribution that cost about as much as a state."""
_ROWS_PER_ANSWER = 10  # as much as one more answer that is followed
_ROWS_PER_REPLAY = 25  # as much as a replay with one deferred value
_MAX_ROLLS_AT_ONCE = 10
"""Rolls that are run through in one go where there is a single state (heuristic)."""
_MAX_STATE_VISITS = 3
"""Visits of one state until plays count as cyclic, which merging cannot follow."""


class CannotMergeError(Exception):
    """Plays that have to be explored one by one: cyclic, too large, or with a chooser."""


class _MergedState(NamedTuple):
    """World with open values, and the probability of all paths merged in it."""

    world: WorkingMemory
    probability: Fraction
    open_places: Sequence[tuple[LeafPath, RandomValue]]  # of leaves with a single variable, and where they are
    open_values: Sequence[Any]  # their values now, in order: open, or known after conditioning
    is_at_request: bool  # else before a block
    memory: Hashable  # of the answerer
    loop_position: "_LoopPosition"  # by call


class _PendingMerge:
    """Arrivals that wait at one point."""

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
"""By call the rounds of the running loops, by block of their head, and the position of the current block."""
_MergeKey = tuple[Hashable, bool, Hashable]
"""Shape of the state, whether it is at a request, and the memory of the answerer."""


class ResultSink(Protocol):
    """Receiver of the ends of plays."""

    def add_result(self, values: Sequence[Any], likely: Fraction) -> None:
        """Adds an end with the value of each measure, which may be random.

        Raises:
            NeedsConcreteValue: a part of a value is random; then nothing was added.
        """

    def add_failed_end(self, over: Faulted | Refused, likely: Fraction) -> None: ...


class MergingExplorer:
    """Exploration of all plays from one start, merged wherever their signatures agree."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        answerer: StateAnswerer,
        max_states: int,
        on_progress: ProgressCallback,
        sink: ResultSink,
        throw: PoolSource,
        values_of: Callable[[WorkingMemory], Sequence[Any]],
    ) -> None:
        """`throw` makes the symbolic dice of a roll; `values_of` evaluates the measures in the world of an end."""
        self._answerer = answerer
        self._max_states = max_states
        self._on_progress = on_progress
        self._sink = sink
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
        """Explores all plays and reports their ends to the sink.

        Raises:
            CannotMergeError: they have to be explored one by one.
            NeedsIndividualDiceError: dice of which only a sum is kept have to be distinguished.
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
        return ExplorationProgress(
            self.state_count,
            self._explored_share,
            is_merging=True,
            step_count=self._step_count + self._row_count // _ROWS_PER_STEP,
        )

    def _charge_rows(self, rows: int) -> None:
        """Charges work in rows; gives up where states, queue and rows exceed the limit."""
        self._row_count += rows
        if self.state_count + len(self._queue) + self._row_count // _ROWS_PER_STATE > self._max_states:
            raise CannotMergeError

    def _advance_state(self, moment: _MergedState) -> None:
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
        if not self._answerer.is_chance_roll(run, memory):
            return None
        return self._throw_symbolically(self._executable, run.world, self._conditioning, self._dice_interner)

    def _follow_answers(
        self, moment: _MergedState, answers: Sequence[Any], memory: Hashable, likely: Fraction, *, last: bool
    ) -> None:
        """Runs from a state with answers to the next stop, records the arrival, then replays the deferred values.

        `answers` are the answer to the request and the dice of rolls after it. `last` says that the world may be
        changed in place, where nothing in it is open.
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
                block = world[STACK][-1][FRAME_BLOCK]
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
        """As `continue_play`; with `throws` (a single state) also through rolls, whose dice are appended to `given`."""
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
        result: list[tuple[dict[int, int], int]] = []
        for depth, frame in enumerate(world[STACK]):
            loops, place = self._block_order.get(frame[FRAME_BLOCK], ((), 0))
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
        """All arrivals as one state; one by one where the joint distribution is too large."""
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
        """Gives up merging before a block after `_MAX_FRUITLESS_MERGES` stops that merged nothing."""
        block = coming.world[STACK][-1][FRAME_BLOCK]
        if not coming.key[1] and block in self._conditioning.merge_blocks:
            self._fruitless_merges[block] += 1 if len(coming.arrivals) == 1 else -_MAX_FRUITLESS_MERGES
            if self._fruitless_merges[block] >= _MAX_FRUITLESS_MERGES:
                self._conditioning.merge_blocks.remove(block)
                self._conditioning.unmergeable_blocks.add(block)

    def _count_state_visit(self, key: _MergeKey, came: Arrival) -> None:
        """Detects cycles: counts visits by merge key, and by the whole state once a key is visited often."""
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
        """State and answers conditioned on each value not taken yet, with its share of the probability.

        These are the deferred branches of the path, and the values of `wanted`.
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
            isinstance(open_value, RandomValue) and open_value.variables[0] in lots for open_value in (*held, *given)
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
    if taking.denominator == 1:
        return likely
    return Fraction(likely.numerator * taking.numerator, likely.denominator * taking.denominator)


def _with_open_values(moment: _MergedState, held: Sequence[Any]) -> _MergedState:
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
    world = copy_world(moment.world)
    for (place, before), value in zip(moment.open_places, moment.open_values, strict=True):
        if value is not before:
            put_leaf(world, place, value)
    return world


def _materialize_state(moment: _MergedState) -> _MergedState:
    opened = [
        (place, value)
        for (place, _), value in zip(moment.open_places, moment.open_values, strict=True)
        if isinstance(value, RandomValue)
    ]
    return moment._replace(
        world=_instantiate_world(moment), open_places=opened, open_values=[value for _, value in opened]
    )


def _observed_dice_answer(answer: Any, before: Any) -> Any:
    """Answer in the form that the runtime takes once its dice are known: faces, or dice with their explosions."""
    if answer is before or isinstance(answer, RandomValue):
        return answer
    if isinstance(before, ExplodedPool):
        return DiceInPlace([die for die, many in answer for _ in range(many)])
    return tuple([die.face for die, many in answer for _ in range(many)])


def _restrict_to_outcomes(value: Any, lots: tuple[RandomVariable, ...], lot: RandomVariable, at: Sequence[int]) -> Any:
    """`value` conditioned on `lots` having one of the joint outcomes `at`, which are those of the variable `lot`."""
    if not isinstance(value, RandomValue) or not any(variable in lots for variable in value.variables):
        return value
    values = value.expand_over(lots)
    return value.with_values((lot,), [values[item] for item in at])


def _make_open_value(lot: RandomVariable, values: Sequence[Any], looks: object) -> Any:
    """Leaf with a value for each outcome of `lot`, dice as a pool seen by `looks`; a plain value if it is constant."""
    result = collapse_if_constant((lot,), values)
    if looks is None or not isinstance(result, RandomValue):
        return result
    return SymbolicPool(lot, values, common_dice_count(values), looks)
