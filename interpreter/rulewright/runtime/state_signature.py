"""State signatures: what decides the future of a play, split into a hashable shape and its leaves, for state merging.

A play is at a request, or before a block. Leaves are live numbers of things, the game and variables, and observed dice;
the shape only marks where they are.

Two plays stand before `if total(throw) > 7:`, one in which `hammer` has 3 health, one with 4. Their shape is the same:
the block of each frame, who owns whom, and marks for the health and for the two dice. Their leaves differ, 3 and 4, so
they go on as one play whose health is a random value. What no line ahead reads is in neither part. Attributes that are
0 or no in all plays (`KnownZeros`) tell liveness that branches on them are not taken.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from rulewright.program import types as ty
from rulewright.program.core.dependences import BODIES
from rulewright.program.core.dice_reads import KnownZeros
from rulewright.program.core.effects import EVERYWHERE
from rulewright.program.dice_observations import FULLY_OBSERVED
from rulewright.program.effects import StatePlaces
from rulewright.program.types import NUMERIC
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
    list_random_places,
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
from rulewright.runtime.slicing import ReachableEffects
from rulewright.runtime.state_key import StateKeyBuilder, control_key, find_known_zeros
from rulewright.runtime.symbolic_pool import (
    PoolSumDistribution,
    SymbolicPool,
)
from rulewright.runtime.values import GameMap
from rulewright.runtime.working_memory import CONTROL, ROLLS, STACK, UNSETTLED, WorkingMemory, copy_world


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


class StateSignature(NamedTuple):
    """Shape and leaves of a play."""

    shape: Hashable  # equal for plays that differ in leaves only
    leaves: Sequence[Any]  # numbers, symbolic pools and random values
    leaf_paths: Sequence[LeafPath]


class _StoreSlots(NamedTuple):
    """Slots of what plays differ in and what may still be read, by the sort of value."""

    numbers: tuple[int, ...]  # numeric attributes of things
    number_paths: list[LeafPath]  # of all their values
    game_numbers: tuple[int, ...]
    columns: tuple[int, ...]  # other attributes of things, and which are gone
    values: tuple[int, ...]  # other fields of the game
    entries: tuple[tuple[int, Any], ...]  # attributes of cells and sides, with what they are at the start
    pairs: tuple[int, ...]  # relations
    dead: tuple[int, ...]  # what may differ and is read no more
    zeros: KnownZeros  # attributes that are 0 or no in all plays
    possible_zeros: tuple[str, ...]  # those that may become so


class SignatureBuilder:
    """Signatures of the plays from one start.

    What no line after the start changes is the same in all of them. What no line ahead reads, and nobody measures, does
    not count.
    """

    def __init__(
        self,
        executable: Executable,
        start: WorkingMemory,
        reachable: ReachableEffects,
        measured: StatePlaces,
        conditioning: Conditioning,
    ) -> None:
        """`measured`: places read at the end."""
        self.interner = DiceInterner()
        self._reachable = reachable
        self.conditioning = conditioning
        self._executable = executable
        self._start = start
        self._measured = measured
        changeable = reachable.find_changeable_places(start)
        places, names = executable.places, executable.places.store_places
        everything = changeable >= EVERYWHERE
        self._changeable_slots = frozenset(slot for slot, name in names.items() if everything or name in changeable)
        self.mutable_slots = tuple(
            slot for slot in places.mutable_slots if slot == ROLLS or slot in self._changeable_slots
        )
        self._reads_everything = bool(executable.policy_sites) or BODIES in measured
        self._slots_by_kept: dict[StatePlaces | None, _StoreSlots] = {}
        self._slots_by_stack: dict[tuple[Any, ...], _StoreSlots] = {}

    def copy_world(self, world: WorkingMemory) -> WorkingMemory:
        """An independent working memory; what no play changes is shared."""
        return copy_world(world, self.mutable_slots)

    def build_signature(self, world: WorkingMemory, *, asks: bool, known: bool) -> StateSignature:
        """Signature of a play; `known` says that no value is random.

        Raises:
            NeedsConcreteValue: something that is no leaf is random.
        """
        pending, slots = world[CONTROL].pending, self._find_slots(world)
        if not known:
            if self.conditioning.observed:
                _condition_leaves(world, slots)
            _decide_dead_values(world, slots.dead)
        zeros = slots.zeros
        if slots.possible_zeros:
            zeros |= find_known_zeros(self._executable, world, slots.possible_zeros)
        key_builder = _SignatureKeyBuilder(self._executable, world, self.interner, slots, zeros, known=known)
        frames = tuple([key_builder.renumber_frame(frame) for frame in world[STACK]])
        request = key_builder.renumber_request(pending) if asks and pending is not None else None
        shape = frames, request, key_builder.encode_dice(), key_builder.encode_game(), control_key(world)
        hash(shape)
        return StateSignature(shape, key_builder.leaves, key_builder.places)

    def _find_slots(self, world: WorkingMemory) -> _StoreSlots:
        where = tuple([(frame[FRAME_ROUTINE], frame[FRAME_BLOCK]) for frame in world[STACK]]), bool(world[UNSETTLED])
        slots = self._slots_by_stack.get(where)
        if slots is None:
            ahead = self._reachable.find_effects_ahead(world)
            kept = None if self._reads_everything or BODIES in ahead.reads else ahead.reads | self._measured
            if kept is not None and ahead.may_want:
                kept |= ahead.writes  # a write that changes nothing forgets no external value
            slots = self._slots_by_kept.get(kept) or self._slots_by_kept.setdefault(kept, self._sort_slots(kept))
            self._slots_by_stack[where] = slots
        return slots

    def _sort_slots(self, kept: StatePlaces | None) -> _StoreSlots:
        executable, start = self._executable, self._start
        places, names, types = executable.places, executable.places.store_places, executable.layout.types
        changed = self._changeable_slots
        droppable = frozenset(
            slot for group in (places.columns, places.game, places.cells, places.sides) for slot in group.values()
        )
        dead = frozenset(slot for slot in changed & droppable if kept is not None and names[slot] not in kept)

        def list_slots(group: Mapping[str, int], prefix: str = "", *, numeric: bool | None = None) -> tuple[int, ...]:
            return tuple(
                slot
                for name, slot in group.items()
                if slot in changed - dead
                and (numeric is None or isinstance(types[f"{prefix}{name}"], NUMERIC) == numeric)
            )

        numbers = list_slots(places.columns, numeric=True)
        possible = executable.liveness.never_raised_attributes
        changeable = tuple(name for name in sorted(possible) if places.columns[name] in changed)
        return _StoreSlots(
            numbers,
            [(slot, number) for slot in numbers for number in range(len(start[slot]))],
            list_slots(places.game, "game/", numeric=True),
            (*list_slots(places.columns, numeric=False), *list_slots(places.gone)),
            list_slots(places.game, "game/", numeric=False),
            tuple(
                (slot, executable.layout.starts.get(names[slot]))
                for slot in (*list_slots(places.cells), *list_slots(places.sides))
            ),
            list_slots(places.relations),
            tuple(sorted(dead)),
            find_known_zeros(executable, start, possible.difference(changeable)),
            tuple(name for name in changeable if places.columns[name] not in dead),
        )


class _SignatureKeyBuilder(StateKeyBuilder):
    def __init__(  # noqa: PLR0913
        self,
        executable: Executable,
        world: WorkingMemory,
        interner: DiceInterner,
        slots: _StoreSlots,
        known_zeros: KnownZeros,
        *,
        known: bool,
    ) -> None:
        super().__init__(executable, world, known_zeros)
        self.leaves: list[Any] = []
        self.places: list[LeafPath] = []
        self._interner = interner
        self._slots = slots
        self._frame_number = 0
        self._is_fully_known = known

    def renumber_frame(self, frame: list[Any]) -> Any:
        """A frame without its leaves; dead slots are no longer random."""
        plan = self.plan_frame(frame)
        result = self.encode_frame(frame, plan)
        self._frame_number += 1
        if plan is not None and not self._is_fully_known:
            for slot in list_random_places(frame):
                if slot not in plan.slots:
                    frame[slot] = frame[slot].values[0]
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
        world, slots = self._world, self._slots
        for at in slots.numbers:
            self.leaves += world[at]
        self.places += slots.number_paths
        for at in slots.game_numbers:
            self._take_leaf(world[at], (at,))
        return (
            self._known_zeros,
            tuple([tuple(world[at]) for at in slots.columns]),
            tuple([world[at] for at in slots.values]),
            tuple(
                [
                    frozenset([(at, value) for at, value in world[slot].items() if value != start])
                    for slot, start in slots.entries
                ]
            ),
            tuple([frozenset(world[at]) for at in slots.pairs]),
        )

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


def _condition_leaves(world: WorkingMemory, slots: _StoreSlots) -> None:
    """Removes from the leaves the outcomes excluded by `conditioning`."""
    for values in (*[world[at] for at in slots.numbers], *world[STACK]):
        for at in list_random_places(values):
            values[at] = current_value(values[at])
    for slot in slots.game_numbers:
        world[slot] = current_value(world[slot])
    for old, dice in enumerate(world[ROLLS]):
        now = current_value(dice)
        if now is not dice:
            put_leaf(world, DicePath(ROLLS, old, dice.observations), now)


def _decide_dead_values(world: WorkingMemory, dead: Sequence[int]) -> None:
    """Gives random values that nothing reads any more one of their values."""
    for at in dead:
        held = world[at]
        if isinstance(held, RandomValue):
            world[at] = held.values[0]
        elif isinstance(held, list):
            for number in list_random_places(held):
                held[number] = held[number].values[0]


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
