"""Keys of plays whose equality implies equal futures: live values, and what is still observed of dice."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rulewright.program.core import forms as core
from rulewright.program.core.dice_reads import KnownZeros, is_choice_of_dice
from rulewright.program.dice_observations import (
    FULLY_OBSERVED,
    DieObservation,
    DieObservations,
    compile_observer,
    is_dice_collection,
    substitute_observations,
)
from rulewright.program.types import DieType, PoolType
from rulewright.runtime import control_flow as cf
from rulewright.runtime.dice import Die
from rulewright.runtime.executable import Executable
from rulewright.runtime.frame_slots import (
    FIRST_SLOT,
    FRAME_BLOCK,
    FRAME_RESULT_SLOT,
    FRAME_ROUTINE,
)
from rulewright.runtime.random_values import NeedsConcreteValue, RandomValue
from rulewright.runtime.snapshot import RollRenumbering, snapshot_game
from rulewright.runtime.state import GameSetup
from rulewright.runtime.working_memory import CONTROL, QUIET, ROLLS, STACK, UNSETTLED, WorkingMemory

if TYPE_CHECKING:
    from rulewright.runtime.liveness import FrameComparison
    from rulewright.runtime.pending_question import PendingQuestion

_NUMBER_KINDS = frozenset({"number", "numbers"})
_UNSAID = (list, RandomValue, type(None))
"""Types of slot contents that observations of dice cannot refer to."""


@dataclass(frozen=True, slots=True)
class _SetupIdentity:
    """The setup of a play, compared in full but hashed by the number of things only."""

    base: GameSetup

    def __hash__(self) -> int:
        return len(self.base.things)


def future_key(executable: Executable, world: WorkingMemory) -> Any:
    """Key of a play's future: two plays of one executable with equal keys have equal futures.

    Dead variables are left out, dice are compared as far as they are observed, and work done so far, the start and what
    is left of the limits do not count.
    """
    return _build_future_key(StateKeyBuilder(executable, world), executable, world)


def endless_future_key(executable: Executable, world: WorkingMemory) -> Any:
    """As `future_key`, without the round counts of loops with high bounds."""
    return _build_future_key(_EndlessStateKeyBuilder(executable, world), executable, world)


def open_loop_rounds(executable: Executable, world: WorkingMemory) -> dict[tuple[int, int, int], tuple[int, int]]:
    """Round counts, with bounds, that `endless_future_key` leaves out: by call depth, flow and slot."""
    live = executable.liveness
    result = {}
    for depth, frame in enumerate(world[STACK]):
        bounds = live.find_round_slots(frame[FRAME_ROUTINE]) if frame[FRAME_ROUTINE] >= 0 else {}
        plan = (
            live.plan_frame_comparison(frame[FRAME_ROUTINE], frame[FRAME_BLOCK], find_known_zeros(executable, world))
            if bounds
            else None
        )
        for slot, how, *_ in plan.special_slots if plan else ():
            if how == "rounds":
                result[depth, frame[FRAME_ROUTINE], slot] = frame[slot] or 0, bounds[slot]
    return result


def _build_future_key(builder: "StateKeyBuilder", executable: Executable, world: WorkingMemory) -> Any:
    pending = world[CONTROL].pending
    frames = tuple([builder.renumber_frame(frame) for frame in world[STACK]])
    request = None if pending is None else builder.renumber_request(pending)
    setup = _SetupIdentity(world[CONTROL].base)
    return snapshot_game(executable, world), frames, request, builder.encode_dice(), setup, control_key(world)


def control_key(world: WorkingMemory) -> tuple[Any, ...]:
    """The part of a future key beside the setup, the game, the frames, the request and the dice."""
    control = world[CONTROL]
    depth = {id(frame): position for position, frame in enumerate(world[STACK])}
    return (
        world[UNSETTLED],
        world[QUIET],
        frozenset(control.known.items()),
        tuple([(rules, depth[id(frame)]) for rules, frame in control.held]),
        tuple([(number, depth[id(frame)]) for number, frame, *_ in control.watching]),
        tuple(control.removals),
        control.together,
        control.told,
    )


class StateKeyBuilder(RollRenumbering):
    """Live parts of frames and request with rolls renumbered, and what is still observed of each roll."""

    _counts_rounds = True

    def __init__(self, executable: Executable, world: WorkingMemory, known_zeros: KnownZeros | None = None) -> None:
        super().__init__(executable)
        self._world = world
        self._live = executable.liveness
        self._known_zeros = find_known_zeros(executable, world) if known_zeros is None else known_zeros
        self._observations_by_roll: dict[int, DieObservations] = {}
        self._rerolled_dice: frozenset[tuple[int, int]] = frozenset()
        self._marks: dict[tuple[int, int], tuple[int, ...]] = {}
        self._mark_count = 0
        self._whole_pools: set[int] = set()

    @classmethod
    def for_all_frames(cls, executable: Executable, world: WorkingMemory) -> "StateKeyBuilder":
        """A builder that knows what all running calls observe."""
        builder = cls(executable, world)
        for frame in world[STACK]:
            builder.renumber_frame(frame)
        return builder

    def renumber_roll(self, old: int) -> int:
        """As `RollRenumbering.renumber_roll`; the dice count as fully observed."""
        self._observations_by_roll[old] = FULLY_OBSERVED
        return super().renumber_roll(old)

    def renumber_frame(self, frame: list[Any]) -> Any:
        return self.encode_frame(frame, self.plan_frame(frame))

    def plan_frame(self, frame: list[Any]) -> "FrameComparison | None":
        """Comparison of the live slots of a frame; none if every slot is compared."""
        if frame[FRAME_ROUTINE] < 0:
            return None
        awaited = self._awaited_slots.get(id(frame), 0)
        return self._live.plan_frame_comparison(frame[FRAME_ROUTINE], frame[FRAME_BLOCK], self._known_zeros, awaited)

    @cached_property
    def _awaited_slots(self) -> dict[int, int]:
        """Slots of frames that a running call will give its result to."""
        return {id(caller): called[FRAME_RESULT_SLOT] for caller, called in pairwise(self._world[STACK])}

    def encode_frame(self, frame: list[Any], plan: "FrameComparison | None") -> Any:
        """A frame as far as a comparison says."""
        if plan is None:
            return _freeze_lists(super().renumber_frame(frame))
        result = plan.plain_values(frame)
        if not plan.special_slots:
            return result
        values: list[Any] = []
        for slot, how, type_, observations in plan.special_slots:
            value = frame[slot]
            if how in _NUMBER_KINDS:
                value = self.encode_number(value, slot, type_)
            elif how == "dice":
                value = self._encode_dice_name(frame, slot, type_, observations)
            elif how == "members":
                value = value and tuple([self.renumber_value(item, type_) for item in value])
            elif how == "rounds":
                value = value if self._counts_rounds else None
            else:
                value = _freeze_lists(value)
            values.append(value)
        return result, tuple(values)

    def live_slots(self, frame: list[Any]) -> Container[int]:
        plan = self.plan_frame(frame)
        return range(len(frame)) if plan is None else plan.slots

    def encode_number(self, value: Any, _slot: int, _type: Any) -> Any:
        return value

    def _encode_dice_name(self, frame: list[Any], slot: int, type_: Any, observations: DieObservations) -> Any:
        value = frame[slot]
        if (
            value is None
            or observations >= FULLY_OBSERVED
            or not (isinstance(type_, DieType) or is_dice_collection(type_))
        ):
            return self.renumber_value(value, type_)
        observations = resolve_observations(observations, frame)
        if isinstance(type_, PoolType):
            self._whole_pools.add(value)
            return self._observe_roll(value, observations)
        return self._mark_dice([value] if isinstance(type_, DieType) else value, observations)

    def _observe_roll(self, old: int, observations: DieObservations) -> int:
        self._observations_by_roll[old] = self._observations_by_roll.get(old, frozenset()) | observations
        return super().renumber_roll(old)

    def _mark_dice(self, dice: Sequence[tuple[int, int]], observations: DieObservations) -> tuple[int, ...]:
        self._mark_count += 1
        for die in dice:
            self._marks[die] = *self._marks.get(die, ()), self._mark_count
        return tuple([self._observe_roll(roll, observations) for roll in dict.fromkeys(roll for roll, _ in dice)])

    def die_marks(self, roll: int, at: int) -> tuple[int, ...]:
        """Which variables, and which request, refer to a die individually."""
        return self._marks.get((roll, at), ())

    def renumber_request(self, pending: Any) -> Any:
        site, player, data = pending
        match self._executable.request_statements.get(site):
            case core.Reroll() if self._are_dice_alike(data):
                self._rerolled_dice = frozenset(data)
                return site, player, self._mark_dice(data, frozenset())
            case core.Ask(space=core.Members() as space) if is_choice_of_dice(space) and self._are_dice_alike(data):
                return site, player, self._mark_dice(data, frozenset())
            case core.Ask(space=core.Subsets() as space) if is_choice_of_dice(space) and self._are_dice_alike(
                data.items
            ):
                return site, player, (self._mark_dice(data.items, frozenset()), *data[2:])
            case _:
                return super().renumber_request(pending)

    def _are_dice_alike(self, dice: Sequence[tuple[int, int]]) -> bool:
        return not any(self.observations_of_roll(roll) >= FULLY_OBSERVED for roll, _ in dice)

    def observations_of_roll(self, roll: int) -> DieObservations:
        return self._observations_by_roll.get(roll, frozenset())

    def encode_dice(self) -> tuple[Any, ...]:
        """Observed content of all rolls in use."""
        return tuple([self.encode_roll(old) for old in self.numbers])

    def encode_roll(self, old: int) -> tuple[Any, ...]:
        """Observed content of one roll in use; sorted if its dice are interchangeable."""
        dice, observations = self._world[ROLLS][old], self.observations_of_roll(old)
        if observations >= FULLY_OBSERVED:
            return tuple([(tuple(die), self.die_marks(old, at)) for at, die in enumerate(dice)])
        marked = [(at, self.die_marks(old, at)) for at in range(len(dice))]
        observed = [
            (self._encode_die(old, at, observations), item) for at, item in marked if item or old in self._whole_pools
        ]
        return tuple(sorted(observed, key=repr))

    def _encode_die(self, roll: int, at: int, observations: DieObservations) -> tuple[Any, ...]:
        die = self._world[ROLLS][roll][at]
        return (
            tuple(rerolled_die_keys(die, observations))
            if (roll, at) in self._rerolled_dice
            else die_key(die, observations)
        )


class _EndlessStateKeyBuilder(StateKeyBuilder):
    _counts_rounds = False


def resolve_observations(observations: DieObservations, frame: list[Any]) -> DieObservations:
    """Observations with variables replaced by their values in a frame."""
    if _has_no_parameters(observations):
        return observations
    values: dict[int, DieObservation | None] = {
        index: ("value", value) for index, value in enumerate(frame[FIRST_SLOT:]) if type(value) not in _UNSAID
    }
    return substitute_observations(observations, values)


def die_key(die: Die, observations: DieObservations) -> tuple[Any, ...]:
    """Observed content of a die, and its model for re-rolls."""
    return (die.faces, die.kept, die.model, compile_observer(observations)(die))


def rerolled_die_keys(die: Die, observations: DieObservations) -> list[tuple[Any, ...]]:
    """As `die_key`, of a die after a re-roll, for each of its faces."""
    return [die_key(die._replace(face=face, rerolls=die.rerolls + 1), observations) for face in die.faces]


def observations_after_roll(question: "PendingQuestion", roll: core.Roll) -> DieObservations:
    """Observations of dice after their roll."""
    frame, executable = question.frame, question.executable
    live = executable.liveness
    exit_ = live.get_block(frame[FRAME_ROUTINE], frame[FRAME_BLOCK]).exit
    assert isinstance(exit_, cf.TakeChance)
    after = live.live_slots_after(frame[FRAME_ROUTINE], exit_.chance.then, find_known_zeros(executable, question.world))
    return (
        FULLY_OBSERVED
        if after is None
        else resolve_observations(after.get(FIRST_SLOT + roll.result.index, frozenset()), frame)
    )


@cache
def _has_no_parameters(observations: DieObservations) -> bool:
    return substitute_observations(observations, {}) == observations


def find_known_zeros(
    executable: Executable, world: WorkingMemory, attributes: Iterable[str] | None = None
) -> KnownZeros:
    """Those of some attributes that are 0 or no for every thing and never raised; by default of all."""
    columns = executable.places.columns
    names = executable.liveness.never_raised_attributes if attributes is None else attributes
    return frozenset([name for name in names if _is_zero(world[columns[name]])])


def _is_zero(column: list[Any]) -> bool:
    try:
        return not any(column)
    except NeedsConcreteValue:
        return False


def _freeze_lists(value: Any) -> Any:
    return tuple([_freeze_lists(item) for item in value]) if isinstance(value, list | tuple) else value
