"""State signatures: what decides the future of a play, split into a hashable shape and its leaves, for state merging.

A play is at a request, or before a block. Leaves are live numbers of things, the game and variables, and observed dice;
the shape only marks where they are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulewright.program import types as ty
from rulewright.program.dice_observations import FULLY_OBSERVED
from rulewright.runtime.event_engine import END, PAUSE, fault_work_limit
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault, NeedFailed
from rulewright.runtime.frame_slots import FRAME_BLOCK, FRAME_ROUTINE
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.pool_builder import DiceInterner, count_rolled_dice
from rulewright.runtime.random_values import (
    Conditioning,
    NeedsConcreteValue,
    RandomValue,
    current_value,
)
from rulewright.runtime.request import Faulted, Refused
from rulewright.runtime.run import (
    NOT_ANSWERED,
    Answerer,
    build_stop_outcome,
    needs_request_charge,
    put_reply,
    renumber_at_request,
)
from rulewright.runtime.runtime_operations import replace_record_part
from rulewright.runtime.snapshot import snapshot_board
from rulewright.runtime.state_key import StateKeyBuilder, control_key
from rulewright.runtime.symbolic_pool import (
    PoolSumDistribution,
    SymbolicPool,
)
from rulewright.runtime.values import GameMap
from rulewright.runtime.working_memory import CONTROL, ROLLS, STACK, WorkingMemory


class DicePath(NamedTuple):
    """Path of the dice of a roll, as a multiset."""

    slot: int  # `ROLLS`
    roll: int  # its number
    observations: Any  # what is observed of each die; dice alike in it are equal


LeafPath = DicePath | tuple[Any, ...]
"""Slot of the working memory, then keys or indices down to a leaf.

After `STACK` follow the depth of the frame and its slot, after `CONTROL`, which stands for the number of dice of the
pending roll, nothing.
"""
_LEAF_MARK = "leaf"


@dataclass(frozen=True, slots=True)
class StateSignature:
    """Shape and leaves of a play."""

    shape: Hashable  # equal for plays that differ in leaves only
    leaves: Sequence[Any]  # numbers, symbolic pools and random values
    leaf_paths: Sequence[LeafPath]


def build_signature(
    executable: Executable, world: WorkingMemory, interner: DiceInterner, *, asks: bool, known: bool
) -> StateSignature:
    """Signature of a play; `known` says that no value is random.

    Raises:
        NeedsConcreteValue: something that is no leaf is random.
    """
    pending = world[CONTROL].pending
    signature_builder = _SignatureBuilder(executable, world, interner, known=known)
    frames = tuple([signature_builder.renumber_frame(frame) for frame in world[STACK]])
    request = signature_builder.renumber_request(pending) if asks and pending is not None else None
    shape = frames, request, signature_builder.encode_dice(), signature_builder.encode_game(), control_key(world)
    hash(shape)
    return StateSignature(shape, signature_builder.leaves, signature_builder.places)


class _SignatureBuilder(StateKeyBuilder):
    def __init__(self, executable: Executable, world: WorkingMemory, interner: DiceInterner, *, known: bool) -> None:
        if not known:
            _condition_leaves(executable, world)
        super().__init__(executable, world)
        self.leaves: list[Any] = []
        self.places: list[LeafPath] = []
        self._interner = interner
        self._frame_number = 0
        self._is_fully_known = known

    def renumber_frame(self, frame: list[Any]) -> Any:
        """A frame without its leaves; dead slots are no longer random."""
        result = super().renumber_frame(frame)
        self._frame_number += 1
        plan = (
            None
            if self._is_fully_known or frame[FRAME_ROUTINE] < 0
            else self._live.plan_frame_comparison(frame[FRAME_ROUTINE], frame[FRAME_BLOCK], self._known_zeros)
        )
        if plan is not None:
            for slot, value in enumerate(frame):
                if isinstance(value, RandomValue) and slot not in plan.slots:
                    frame[slot] = value.values[0]
        return result

    def renumber_request(self, pending: Any) -> Any:
        """As `StateKeyBuilder.renumber_request`; the number of dice of a plain roll is a leaf."""
        count = count_rolled_dice(self._executable, self._world)
        if count is None:
            return super().renumber_request(pending)
        self._take_leaf(count, (CONTROL,))
        return pending.site, pending.player

    def encode_number(self, value: Any, slot: int, type_: ty.Type) -> Any:
        return self._take_leaves_inside(value, type_, (STACK, self._frame_number, slot))

    def encode_dice(self) -> tuple[Any, ...]:
        items: list[Any] = []
        for old in self.numbers:
            dice, observations = self._world[ROLLS][old], self.observations_of_roll(old)
            number = dice.count if isinstance(dice, SymbolicPool) else len(dice)
            # Dice in a variable have a known count.
            marks = {self.die_marks(old, at) for at in range(number or 0)}
            are_distinguished = observations >= FULLY_OBSERVED or len(marks) > 1
            if isinstance(dice, SymbolicPool):
                if are_distinguished or isinstance(dice, PoolSumDistribution):
                    raise NeedsConcreteValue(dice)
                self._take_leaf(self._interner.intern_pool(dice, observations), DicePath(ROLLS, old, observations))
            elif are_distinguished:
                items.append(self.encode_roll(old))
                continue
            else:
                self._take_leaf(
                    self._interner.intern_counts([(die, 1) for die in dice], observations),
                    DicePath(ROLLS, old, observations),
                )
            items.append((len(dice), *marks) if any(marks) else ())
        for old, dice in () if self._is_fully_known else enumerate(self._world[ROLLS]):
            if isinstance(dice, SymbolicPool) and old not in self.numbers:
                put_leaf(self._world, DicePath(ROLLS, old, dice.observations), dice.sample_dice)
        return tuple(items)

    def encode_game(self) -> tuple[Any, ...]:
        world, columns = self._world, self._executable.value_slots
        for at in columns.thing_numbers:
            self.leaves += world[at]
            self.places += [(at, number) for number in range(len(world[at]))]
        for at in columns.game_numbers:
            self._take_leaf(world[at], (at,))
        others = [tuple(world[at]) for at in columns.thing_others]
        rest = tuple([world[at] for at in columns.game_others])
        return self._known_zeros, tuple(others), rest, snapshot_board(self._executable, world)

    def _take_leaf(self, value: Any, place: LeafPath) -> str:
        now = current_value(value)
        if now is not value:
            put_leaf(self._world, place, now)
        self.leaves.append(now)
        self.places.append(place)
        return _LEAF_MARK

    def _take_leaves_inside(self, value: Any, type_: ty.Type, place: LeafPath) -> Any:
        if value is None:
            return None
        match type_:
            case ty.NumberType() | ty.FractionType() | ty.LengthType():
                return self._take_leaf(value, place)
            case ty.OptionalType(inner):
                return self._take_leaves_inside(value, inner, place)
            case ty.RecordType(record) if record in self._executable.program.records:
                parts = self._executable.program.records[record].parts
                return tuple(
                    [self._take_leaves_inside(value[at], part.type, (*place, at)) for at, part in enumerate(parts)]
                )
            case ty.MapType(_, inner) if isinstance(inner, ty.NUMERIC):
                keys = value.keys()
                if len(keys) < len(value.entries):
                    put_leaf(self._world, place, GameMap(value.default, {key: value[key] for key in keys}))
                for key in keys:
                    self._take_leaf(value[key], (*place, key))
                return value.default, keys
            case _:
                return value


def _condition_leaves(executable: Executable, world: WorkingMemory) -> None:
    """Removes from the leaves the outcomes excluded by `conditioning`."""
    columns = executable.value_slots
    for slots in (*[world[at] for at in columns.thing_numbers], *world[STACK]):
        for at, value in enumerate(slots):
            if isinstance(value, RandomValue):
                slots[at] = current_value(value)
    for at in columns.game_numbers:
        world[at] = current_value(world[at])
    for old, dice in enumerate(world[ROLLS]):
        now = current_value(dice)
        if now is not dice:
            put_leaf(world, DicePath(ROLLS, old, dice.observations), now)


def put_leaf(world: WorkingMemory, place: LeafPath, value: Any) -> None:
    """Stores a value at the path of a leaf."""
    if isinstance(place, DicePath):
        world[ROLLS][place.roll] = (
            value if isinstance(value, SymbolicPool) else [die for die, many in value for _ in range(many)]
        )
        return
    at, *path = place
    if at == CONTROL:
        control = world[CONTROL]
        (group,) = control.asked_data.groups
        control.asked_data = control.asked_data._replace(groups=(group._replace(dice_count=value),))
        return
    holder = world
    if at == STACK:
        depth, at, *path = path
        holder = world[STACK][depth]
    if isinstance(holder[at], list):
        holder, (at, *path) = holder[at], path
    holder[at] = _replace_inside(holder[at], path, value)


def _replace_inside(container: Any, path: Sequence[Any], value: Any) -> Any:
    if not path:
        return value
    at, *rest = path
    if isinstance(container, GameMap):
        return GameMap(
            container.default, {**container.entries, at: _replace_inside(container.entries[at], rest, value)}
        )
    return replace_record_part(container, at, _replace_inside(container[at], rest, value))


def continue_play(
    executable: Executable,
    world: WorkingMemory,
    conditioning: Conditioning,
    answers: Sequence[Any],
    answerer: Answerer | None,
) -> str | Faulted | Refused:
    """Plays on with answers to requests, or from before a block: up to a request, an end or a merge block.

    Requests that `answerer` answers are passed, as by `Run`. A concrete value that a line needs is observed if the play
    began at its block or cannot stop before it. Returns `asks`, `before` or `ends`, or how the play is over. After an
    exception the working memory is invalid.

    Raises:
        NeedsConcreteValue: a line needs a random value.
        NeedsExternalValue: an external is asked for its value.
    """
    merge_blocks, unmergeable_blocks = conditioning.merge_blocks, conditioning.unmergeable_blocks
    control, frame, block_count, since = world[CONTROL], world[STACK][-1], 0, 0
    number = frame[FRAME_BLOCK]
    for answer in answers:
        put_reply(executable, world, answer)
    try:
        try:
            while True:
                block_count += 1
                if block_count > control.work_left:
                    frame[FRAME_BLOCK] = number
                    fault_work_limit(world)
                conditioning.may_branch = block_count <= since + 1 or number in unmergeable_blocks
                number = executable.blocks[number](world, frame)
                if number == END:
                    return "ends"
                if number == PAUSE:
                    conditioning.may_branch = False
                    if answerer is None or not _answer_at_once(executable, world, answerer):
                        renumber_at_request(executable, world)
                        return "asks"
                    since = block_count
                if number < 0:
                    frame = world[STACK][-1]
                    number = frame[FRAME_BLOCK]
                if number in merge_blocks and block_count > since:
                    frame[FRAME_BLOCK] = number
                    return "before"
        except (Fault, NeedFailed, RecursionError) as failed:
            return build_stop_outcome(executable, world, failed)
        finally:
            control.work += block_count
            control.work_left -= block_count
    except NeedsConcreteValue as undecided:
        undecided.block = number if block_count > since + 1 else None
        raise


def _answer_at_once(executable: Executable, world: WorkingMemory, answerer: Answerer) -> bool:
    if not executable.plain_request_sorts[world[CONTROL].asked_site] or needs_request_charge(world):
        return False
    try:
        answer = answerer(PendingQuestion(executable, world))
    except NeedsConcreteValue:
        return False
    if answer is not NOT_ANSWERED:
        put_reply(executable, world, answer)
    return answer is not NOT_ANSWERED
