"""Symbolic exploration with state merging: random values stay open until a line has to know them.

A path takes the first value of what it has to know and defers the others, which are replayed from where the path began.
Paths that reach one point with one signature merge, and what differs between them becomes one random variable with
their probabilities. Merging needs all probabilities, so optimal play and plays that come round again are left to
`state_exploration`.

`roll 2d6 as throw`, then `if total(throw) > 7: take 1 from hammer.health`, then `take hits from anvil.health`: the dice
stay open until the `if`, which has to know (`NeedsConcreteValue`). The path takes *no*, with 21 of 36; *yes* is deferred
(`DeferredBranch`), and the play is run again for it, conditioned on 15 of 36. Both arrive behind the `if` with one
shape and other health: they merge, and `hammer.health` is 3 or 2 with these weights from there on (`_OpenLeaf`).
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.odds.answerers import AnswerBranch, AnswererMemory, PlayAnswerer
from rulewright.odds.end_measures import EndMeasurer
from rulewright.odds.state_exploration import (
    STEPS_PER_REPORT,
    Arrival,
    ExplorationProgress,
    ProgressCallback,
    group_dependent_leaves,
    merge_arrivals,
)
from rulewright.runtime.frame_slots import FRAME_BLOCK
from rulewright.runtime.pool_builder import PoolBuilder, count_rolled_dice
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
    list_outcomes,
)
from rulewright.runtime.request import Faulted, Refused
from rulewright.runtime.run import Run
from rulewright.runtime.state_signature import DicePath, LeafPath, SignatureBuilder, continue_play, put_leaf
from rulewright.runtime.symbolic_pool import (
    DiceInPlace,
    ExplodedPool,
    NeedsIndividualDiceError,
    PoolSumDistribution,
    SymbolicPool,
    common_dice_count,
)
from rulewright.runtime.working_memory import STACK, WorkingMemory

if TYPE_CHECKING:
    from rulewright.odds.exact_odds import OddsAccumulator

_MAX_FRUITLESS_MERGES = 3
"""Stops before a block that may merge nothing until the block is given up; chosen: one may be a coincidence."""
_ROWS_PER_STEP = 20
_ROWS_PER_STATE = 100
_ROWS_PER_ANSWER = 10
_ROWS_PER_REPLAY = 25
"""Rows of a joint distribution that take about as long as a reported step, a state, one more answer that is followed,
and a replay with one deferred value. Chosen: a limit of work needs no more than the order of magnitude.
"""
_MAX_ROLLS_AT_ONCE = 10
"""Rolls that are run through in one go where there is a single state; chosen."""
_MAX_STATE_VISITS = 3
"""Visits of one state until plays count as cyclic, which merging cannot follow; chosen."""


class CannotMergeError(Exception):
    """Plays that have to be explored one by one: cyclic, too large, or with a chooser."""


class _MergedState(NamedTuple):
    """World with open values, and the probability of all paths merged in it."""

    world: WorkingMemory
    probability: Fraction
    open_leaves: Sequence["_OpenLeaf"]
    open_values: Sequence[Any]  # of these leaves now, in order: open, or known after conditioning
    is_at_request: bool  # else before a block
    memory: AnswererMemory  # of the answerer
    loop_position: "_LoopPosition"  # by call


class _OpenLeaf(NamedTuple):
    """A leaf of a merged state whose value is open, as it was put into the world of the state."""

    path: LeafPath
    value: RandomValue  # of a single variable


class _QueuedMerge(NamedTuple):
    """A pending merge in the queue, which is ordered by the first two fields."""

    position: tuple[float, ...]  # in the order in which plays run: rounds of loops and place of the block, by call
    sequence_number: int
    key: "_MergeKey"


class _CallPosition(NamedTuple):
    """Where a call stands."""

    rounds: dict[int, int]  # of the running loops, by block of their head
    block_position: int  # of its current block in the order of the routine


class _MergeKey(NamedTuple):
    """What arrivals have in common that merge."""

    shape: Hashable  # of the state
    is_at_request: bool  # else before a block
    memory: AnswererMemory  # of the answerer


_LoopPosition = Sequence[_CallPosition]
"""Positions of all calls, outermost first."""


class _PendingMerge:
    """Arrivals that wait at one point."""

    __slots__ = ("arrivals", "key", "leaf_paths", "loop_position", "world")

    def __init__(
        self, world: WorkingMemory, leaf_paths: Sequence[LeafPath], key: _MergeKey, where: _LoopPosition
    ) -> None:
        self.world = world
        self.leaf_paths = leaf_paths
        self.key = key
        self.loop_position = where
        self.arrivals: list[Arrival] = []


class MergingExplorer:
    """Exploration of all plays from one start, merged wherever their signatures agree."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        answerer: PlayAnswerer,
        max_states: int,
        on_progress: ProgressCallback,
        sink: "OddsAccumulator",
        throw: PoolBuilder,
        measurer: EndMeasurer,
    ) -> None:
        """`throw` makes the symbolic dice of a roll; `measurer` evaluates the measures in the world of an end."""
        self._answerer = answerer
        self._max_states = max_states
        self._on_progress = on_progress
        self._sink = sink
        self._throw_symbolically = throw
        self._measurer = measurer
        self._conditioning = Conditioning()
        self._fruitless_merges: Counter[int] = Counter()
        self._pending_merges: dict[Hashable, _PendingMerge] = {}
        self._queue: list[_QueuedMerge] = []
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
        reachable = start.executable.reachable_effects
        measured = reachable.find_places_measured(self._measurer.measure_names)
        self._signatures = SignatureBuilder(self._executable, start.world, reachable, measured, self._conditioning)
        self._single_state = _MergedState(
            self._signatures.copy_world(start.world),
            Fraction(1),
            (),
            (),
            is_at_request=True,
            memory=self._answerer.initial_memory,
            loop_position=(),
        )
        while self._queue or self._single_state is not None:
            if self._single_state is not None:
                states = [self._single_state]
                self._single_state = None
            else:
                states = [*self._merge_arrivals_at(self._pending_merges.pop(heappop(self._queue).key))]
            self.state_count += len(states)
            self._charge_rows(0)
            self._on_progress(self._current_progress())
            for state in states:
                self._advance_state(state)

    @property
    def step_count(self) -> int:
        """Work so far: paths, and rows of joint distributions in units of `_ROWS_PER_STEP`."""
        return self._step_count + self._row_count // _ROWS_PER_STEP

    def _current_progress(self) -> ExplorationProgress:
        return ExplorationProgress(self.state_count, self._explored_share, is_merging=True, step_count=self.step_count)

    def _charge_rows(self, rows: int) -> None:
        """Charges work in rows; gives up where states, queue and rows exceed the limit."""
        self._row_count += rows
        if self.state_count + len(self._queue) + self._row_count // _ROWS_PER_STATE > self._max_states:
            raise CannotMergeError

    def _advance_state(self, state: _MergedState) -> None:
        if not state.is_at_request:
            self._follow_answers(state, (), state.memory, state.probability, last=True)
            return
        self._conditioning.reset_observations()
        try:
            answers = self._list_state_answers(state)
        except NeedsConcreteValue as undecided:
            for part, _, share in self._split_state(state, (), [], undecided.value):
                self._advance_state(self._materialize_state(part)._replace(probability=state.probability * share))
            return
        if self._conditioning.observed:
            state = _with_open_values(
                state, [condition_value(open_value, self._conditioning.observed) for open_value in state.open_values]
            )
        for at, branch in enumerate(answers, 1):
            share = state.probability if branch.probability == 1 else state.probability * branch.probability
            self._charge_rows(_ROWS_PER_ANSWER if at > 1 else 0)
            self._follow_answers(state, (branch.answer,), branch.memory, share, last=at == len(answers))

    def _list_state_answers(self, state: _MergedState) -> Sequence[AnswerBranch]:
        run, count = Run.from_world(self._executable, state.world), count_rolled_dice(self._executable, state.world)
        if isinstance(count, RandomValue) and self._answerer.make_immediate_answerer(state.memory) is None:
            raise NeedsConcreteValue(count)
        dice = self._roll_symbolic_dice(run, state.memory)
        if dice is not None:
            return (AnswerBranch(Fraction(1), dice, state.memory),)  # type: ignore[arg-type]  # not faces
        if isinstance(count, RandomValue):
            raise NeedsConcreteValue(count)
        try:
            fork = self._answerer.enumerate_answers(run, state.memory)
        except (TypeError, AttributeError):  # as in `_follow_answers`
            wanted = next((open_value for open_value in state.open_values if isinstance(open_value, RandomValue)), None)
            if wanted is None:
                raise
            raise NeedsConcreteValue(wanted) from None
        if fork.chooser is not None:
            raise CannotMergeError
        return fork.branches

    def _roll_symbolic_dice(self, run: Run, memory: AnswererMemory) -> SymbolicPool | None:
        if not self._answerer.is_chance_roll(run, memory):
            return None
        return self._throw_symbolically(run.make_question(), self._conditioning, self._signatures.interner)

    def _follow_answers(
        self, state: _MergedState, answers: Sequence[Any], memory: AnswererMemory, probability: Fraction, *, last: bool
    ) -> None:
        """Runs from a state with answers to the next stop, records the arrival, then replays the deferred values.

        `answers` are the answer to the request and the dice of rolls after it. `last` says that the world may be
        changed in place, where nothing in it is open.
        """
        known = not any(isinstance(answer, RandomValue) for answer in (*answers, *state.open_values))
        given, conditioning, wanted = [*answers], self._conditioning, None
        self._step_count += 1
        if not self._step_count % STEPS_PER_REPORT:
            self._on_progress(self._current_progress())
        while True:
            world = state.world if known and last and not state.open_values else self._instantiate_world(state)
            conditioning.reset_observations()
            try:
                stop = self._run_to_next_stop(
                    world, given, memory, asks=state.is_at_request, throws=probability == 1 and not known
                )
                if known and probability == 1 and stop == "asks" and not self._queue:
                    self._single_state = _MergedState(
                        world, probability, (), (), is_at_request=True, memory=memory, loop_position=state.loop_position
                    )
                else:
                    self._record_arrival(state, world, stop, memory, probability, known=known)
            except NeedsConcreteValue as undecided:
                if undecided.block is not None and undecided.block not in conditioning.unmergeable_blocks:
                    conditioning.merge_blocks.add(undecided.block)
                    continue
                block = world[STACK][-1][FRAME_BLOCK]
                if isinstance(undecided.value, PoolSumDistribution) and block in conditioning.merge_blocks:
                    # Dice that are nowhere cannot lie where plays stand, but a line may take what they are worth.
                    conditioning.merge_blocks.remove(block)
                    conditioning.unmergeable_blocks.add(block)
                    continue
                wanted = undecided.value
            except (TypeError, AttributeError):
                # Some function of Python takes numbers alone: what is open is decided then, one by one.
                if known:
                    raise
                wanted = next(value for value in (*given, *state.open_values) if isinstance(value, RandomValue))
            break
        parts = [*self._split_state(state, given, conditioning.deferred, wanted)]
        conditioning.reset_observations()
        for part, given_, share in parts:
            self._follow_answers(part, given_, memory, probability * share, last=False)

    def _instantiate_world(self, state: _MergedState) -> WorkingMemory:
        world = self._signatures.copy_world(state.world)
        for leaf, value in zip(state.open_leaves, state.open_values, strict=True):
            if value is not leaf.value:
                put_leaf(world, leaf.path, value)
        return world

    def _materialize_state(self, state: _MergedState) -> _MergedState:
        opened = [
            _OpenLeaf(leaf.path, value)
            for leaf, value in zip(state.open_leaves, state.open_values, strict=True)
            if isinstance(value, RandomValue)
        ]
        return state._replace(
            world=self._instantiate_world(state), open_leaves=opened, open_values=[leaf.value for leaf in opened]
        )

    def _run_to_next_stop(
        self, world: WorkingMemory, given: list[Any], memory: AnswererMemory, *, asks: bool, throws: bool
    ) -> str | Faulted | Refused:
        """As `continue_play`; with `throws` (a single state) also through rolls, whose dice are appended to `given`."""
        conditioning, at_once = self._conditioning, self._answerer.make_immediate_answerer(memory)
        stop = "asks" if asks else continue_play(self._executable, world, conditioning, (), at_once)
        for item in given:
            if stop == "asks":
                stop = continue_play(self._executable, world, conditioning, (item,), at_once)
        while stop == "asks" and throws and conditioning.denominator == 1 and len(given) < _MAX_ROLLS_AT_ONCE:
            if isinstance(count_rolled_dice(self._executable, world), RandomValue):
                break
            dice = self._roll_symbolic_dice(Run.from_world(self._executable, world), memory)
            if dice is None:
                break
            given.append(dice)
            self._charge_rows(_ROWS_PER_STATE)
            stop = continue_play(self._executable, world, conditioning, (dice,), at_once)
        return stop

    def _record_arrival(  # noqa: PLR0913
        self,
        state: _MergedState,
        world: WorkingMemory,
        stop: str | Faulted | Refused,
        memory: AnswererMemory,
        probability: Fraction,
        *,
        known: bool,
    ) -> None:
        conditioning = self._conditioning
        if stop == "ends":
            conditioning.may_branch = True
            values = [current_value(item) for item in self._measurer.measure_end_world(world)]
            self._charge_rows(sum(len(value.values) for value in values if isinstance(value, RandomValue)))
            probability = _weigh_by_conditioning(probability, conditioning)
            self._sink.add_result(values, probability)
        elif not isinstance(stop, str):
            probability = _weigh_by_conditioning(probability, conditioning)
            self._sink.add_failed_end(stop, probability)
        else:
            asks = stop == "asks"
            conditioning.may_branch = False
            result = self._signatures.build_signature(world, asks=asks, known=known)
            arrival = Arrival(
                _weigh_by_conditioning(probability, conditioning),
                result.leaves,
                {} if known else group_dependent_leaves(result.leaves),
            )
            key = _MergeKey(result.shape, asks, memory)
            pending_merge = self._pending_merges.get(key)
            if pending_merge is None:
                where = self._locate_in_loops(world, state.loop_position)
                pending_merge = self._pending_merges[key] = _PendingMerge(world, result.leaf_paths, key, where)
                position = (
                    *(number for call in where for number in (*chain(*call.rounds.items()), call.block_position)),
                    inf,
                )
                heappush(self._queue, _QueuedMerge(position, next(self._sequence_numbers), key))
                self._charge_rows(0)
            pending_merge.arrivals.append(arrival)
            return
        self._explored_share += float(probability)

    def _locate_in_loops(self, world: WorkingMemory, before: _LoopPosition) -> _LoopPosition:
        result: list[_CallPosition] = []
        for depth, frame in enumerate(world[STACK]):
            loops, block_position = self._block_order.get(frame[FRAME_BLOCK], ((), 0))
            rounds: dict[int, int] = {}
            if loops and depth < len(before):
                old = before[depth]
                rounds = {loop: old.rounds.get(loop, 0) for loop in loops}
                still_running = [loop for loop in loops if loop in old.rounds]
                if still_running and block_position <= old.block_position:
                    rounds[still_running[-1]] += 1
            result.append(_CallPosition(rounds or dict.fromkeys(loops, 0), block_position))
        return result

    # Merging.

    def _merge_arrivals_at(self, pending_merge: _PendingMerge) -> Iterator[_MergedState]:
        """All arrivals as one state; one by one where the joint distribution is too large."""
        self._drop_fruitless_stop(pending_merge)
        try:
            result = [merge_arrivals(pending_merge.arrivals)]
        except OverflowError:
            result = pending_merge.arrivals
        for arrival in result:
            self._count_state_visit(pending_merge.key, arrival)
            self._row_count += sum(map(len, arrival.parts.values()))
            world = pending_merge.world
            if len(result) > 1:
                world = self._signatures.copy_world(world)
                for path, value in zip(pending_merge.leaf_paths, arrival.leaves, strict=True):
                    put_leaf(world, path, value)
            opened: list[_OpenLeaf] = []
            for numbers, rows in arrival.parts.items():
                variable = RandomVariable([*rows.values()], self._conditioning)
                for number, values in zip(numbers, zip(*rows, strict=True), strict=True):
                    path = pending_merge.leaf_paths[number]
                    value = _make_open_value(
                        variable, values, path.observations if isinstance(path, DicePath) else None
                    )
                    put_leaf(world, path, value)
                    if isinstance(value, RandomValue):
                        opened.append(_OpenLeaf(path, value))
            yield _MergedState(
                world,
                arrival.probability,
                opened,
                [leaf.value for leaf in opened],
                pending_merge.key.is_at_request,
                pending_merge.key.memory,
                pending_merge.loop_position,
            )

    def _drop_fruitless_stop(self, pending_merge: _PendingMerge) -> None:
        """Gives up merging before a block after `_MAX_FRUITLESS_MERGES` stops that merged nothing."""
        block = pending_merge.world[STACK][-1][FRAME_BLOCK]
        if not pending_merge.key.is_at_request and block in self._conditioning.merge_blocks:
            self._fruitless_merges[block] += 1 if len(pending_merge.arrivals) == 1 else -_MAX_FRUITLESS_MERGES
            if self._fruitless_merges[block] >= _MAX_FRUITLESS_MERGES:
                self._conditioning.merge_blocks.remove(block)
                self._conditioning.unmergeable_blocks.add(block)

    def _count_state_visit(self, key: _MergeKey, arrival: Arrival) -> None:
        """Detects cycles: counts visits by merge key, and by the whole state once a key is visited often."""
        self._visit_counts[key] = self._visit_counts.get(key, 0) + 1
        if self._visit_counts[key] <= _MAX_STATE_VISITS:
            return
        parts = frozenset([(numbers, frozenset(rows.items())) for numbers, rows in arrival.parts.items()])
        within = {number for numbers in arrival.parts for number in numbers}
        known = key, parts, tuple([leaf for number, leaf in enumerate(arrival.leaves) if number not in within])
        self._visit_counts[known] = self._visit_counts.get(known, 0) + 1
        if self._visit_counts[known] > _MAX_STATE_VISITS:
            raise CannotMergeError

    # Values that lines need.

    def _split_state(
        self,
        state: _MergedState,
        answers: Sequence[Any],
        deferred: Sequence[DeferredBranch],
        wanted: RandomValue | None,
    ) -> Iterator[tuple[_MergedState, Sequence[Any], Fraction]]:
        """What a path left open, as states to replay: all that its first values did not cover.

        The path began at the state with `answers`. Wherever a line needed a concrete value, it went on with the first
        one (`Conditioning.observe_first_value`), and the other values are in `deferred`. A path that could not go on
        was given up at a line that needs `wanted`, of which no value has been played. The parts are disjoint events;
        together with the path, unless it was given up, they make up all of the state.

        Yields:
            The state and the answers conditioned on one value that has not been played, and the share of the
            probability of the state at which it comes.
        """
        conditioning = self._conditioning
        if isinstance(wanted, PoolSumDistribution):
            raise NeedsIndividualDiceError
        for deferred_branch in deferred:
            yield from self._split_deferred_branch(state, answers, deferred_branch, played_values=1)
        if wanted is None:
            return
        # `conditioning.observed` is what the path knew when it stopped: each variable it has looked at, with the
        # narrower variable that replaces it from there on.
        try:
            value = condition_value(wanted, conditioning.observed)
        except NeedsConcreteValue:
            value = None
        if isinstance(value, RandomValue):
            last = DeferredBranch(
                conditioning.observed,
                conditioning.numerator,
                conditioning.denominator,
                value,
                joint_weights(value.variables),
            )
            yield from self._split_deferred_branch(state, answers, last, played_values=0)
        else:
            # What is observed decides the value already, or too much depends on it to be stored: replay the path with
            # its observations made at the start.
            open_values = [condition_value(open_value, conditioning.observed) for open_value in state.open_values]
            conditioned = [
                _observed_dice_answer(condition_value(answer, conditioning.observed), answer) for answer in answers
            ]
            self._charge_rows(_ROWS_PER_REPLAY)
            share = _weigh_by_conditioning(Fraction(1), conditioning)
            yield _with_open_values(state, open_values), conditioned, share

    def _split_deferred_branch(
        self, state: _MergedState, answers: Sequence[Any], branch: DeferredBranch, *, played_values: int
    ) -> Iterator[tuple[_MergedState, Sequence[Any], Fraction]]:
        """As `_split_state`, for one value that was needed, without the first `played_values` of its values."""
        variables, weights = branch.value.variables, branch.weights
        open_values = [condition_value(open_value, branch.observed) for open_value in state.open_values]
        conditioned = [condition_value(answer, branch.observed) for answer in answers]
        if not any(
            isinstance(value, RandomValue) and value.variables[0] in variables for value in (*open_values, *conditioned)
        ):
            raise CannotMergeError
        denominator = branch.denominator * sum(weights)
        self._charge_rows(len(weights))
        for outcomes in [*group_outcomes_by_value(branch.value).values()][played_values:]:
            self._charge_rows(_ROWS_PER_REPLAY)
            joint = RandomVariable([weights[outcome] for outcome in outcomes], self._conditioning)
            restricted = [_restrict_to_outcomes(value, variables, joint, outcomes) for value in open_values]
            share = Fraction(branch.numerator * sum(joint.weights), denominator)
            restricted_answers = [
                _observed_dice_answer(_restrict_to_outcomes(value, variables, joint, outcomes), answer)
                for value, answer in zip(conditioned, answers, strict=True)
            ]
            yield _with_open_values(state, restricted), restricted_answers, share


def _weigh_by_conditioning(probability: Fraction, conditioning: Conditioning) -> Fraction:
    if conditioning.denominator == 1:
        return probability
    return Fraction(probability.numerator * conditioning.numerator, probability.denominator * conditioning.denominator)


def _with_open_values(state: _MergedState, open_values: Sequence[Any]) -> _MergedState:
    return _MergedState(
        state.world,
        state.probability,
        state.open_leaves,
        open_values,
        state.is_at_request,
        state.memory,
        state.loop_position,
    )


def _observed_dice_answer(answer: Any, before: Any) -> Any:
    """Answer in the form that the runtime takes once its dice are known: faces, or dice with their explosions."""
    if answer is before or isinstance(answer, RandomValue):
        return answer
    if isinstance(before, ExplodedPool):
        return DiceInPlace([die for die, many in answer for _ in range(many)])
    return tuple([die.face for die, many in answer for _ in range(many)])


def _restrict_to_outcomes(
    value: Any, variables: tuple[RandomVariable, ...], joint: RandomVariable, outcomes: Sequence[int]
) -> Any:
    """`value` conditioned on `variables` having one of some joint outcomes, which are those of the variable `joint`."""
    if not isinstance(value, RandomValue) or value.variables[0] not in variables:
        return value
    (variable,) = value.variables
    return value.with_values(
        (joint,), [value.values[outcome] for outcome in list_outcomes(variable, variables, outcomes)]
    )


def _make_open_value(variable: RandomVariable, values: Sequence[Any], observations: object) -> Any:
    """Leaf with a value for each outcome of `variable`, dice as a pool with `observations`; plain if it is constant."""
    result = collapse_if_constant((variable,), values)
    if observations is None or not isinstance(result, RandomValue):
        return result
    return SymbolicPool(variable, values, common_dice_count(values), observations)
