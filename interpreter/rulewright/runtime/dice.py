"""Rolls: the dice to throw, and the dice made of the thrown faces (manual, Dice); records of dice.

Records are dice as they lie, and as a request describes those to throw: tuples with named fields, so that they are compared,
hashed and stored as tuples. Generated code, and loops over single dice, make them by `make_record`.
"""

from collections import deque
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple, NoReturn, assert_never

from rulewright.program.roll_options import ROLL_OPTIONS, ExplodingOption, KeepingOption, is_exploding
from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.symbolic_pool import DiceInPlace, SymbolicPool
from rulewright.runtime.working_memory import (
    CONTROL,
    ROLLS,
    WorkingMemory,
)

make_record: Callable[..., Any] = tuple.__new__
"""A record of a class from the tuple of all its fields: `make_record(Die, (…))`.

Takes half the time of `Die(…)`, which goes through a function of Python (measured).
"""


class Die(NamedTuple):
    """A die as it lies."""

    faces: tuple[Any, ...]  # in order
    first: Any  # face it fell on first
    face: Any  # face it shows
    rerolls: int  # how often it was rolled again
    kept: bool  # whether it counts
    part: Any  # what its part of the roll is called, or none; in a rank the position of the member it is thrown for
    model: str  # name of a declared die, or empty
    roll: str  # name of its roll; empty where only its future counts


KEPT_PART = Die._fields.index("kept")
"""Index of `kept`, for generated code, which reads dice by index."""


class BroughtDie(NamedTuple):
    """A die that an explosion brought, in a trace."""

    die: Die
    origin: int  # position of the die that exploded


class EqualDice(NamedTuple):
    """Equal dice to throw now."""

    dice_count: int
    faces: tuple[Any, ...]  # in order
    model: str = ""  # name of a declared die


class RollOptionKind(NamedTuple):
    """What an option of a roll does, as in `program.statements.RollOption`."""

    word: str  # of `ROLL_OPTIONS`
    best: str  # `highest` or `lowest`; of `explode` `more` if higher faces explode too, else empty


class RollOptionValue(NamedTuple):
    """An option of a roll, evaluated."""

    kind: RollOptionKind
    value: Any  # how many dice are kept or dropped; the face that explodes
    bound: int | None  # most explosions of one die


class DiceGroup(NamedTuple):
    """A part of a described roll: equal dice with options of their own."""

    dice_count: int  # may be random (`RandomValue`); below 0 none are thrown
    faces: tuple[Any, ...]  # in order
    model: str  # name of a declared die, or empty
    options: tuple[RollOptionValue, ...]
    is_single: bool  # whether the value of the roll is this one die, not a pool
    part: Any  # what this part is called, or none; in a rank the position of the member it is thrown for


class RollDescription(NamedTuple):
    """Data of a request for a roll."""

    groups: tuple[DiceGroup, ...]
    options: tuple[RollOptionValue, ...]  # of all dice
    thrown: tuple[Any, ...]  # faces thrown so far, of a roll that an explosion continues


class RankRollDescription(NamedTuple):
    """Data of a request for the dice of a rank."""

    groups: tuple[DiceGroup, ...]
    options: tuple[RollOptionValue, ...]
    thrown: tuple[Any, ...]
    members: tuple[Any, ...]  # tied members, whose positions are the parts of the dice


class PlainRollDescriptions(dict[int, RollDescription]):
    """Descriptions of a roll of equal dice without options, by number of dice; each is made when first asked for.

    Generated code looks them up, which is as fast as a tuple written out (records made anew took 3 % of a play).
    """

    def __init__(self, faces: tuple[Any, ...], model: str) -> None:
        super().__init__()
        self._faces = faces
        self._model = model

    def __missing__(self, dice_count: int) -> RollDescription:
        result = self[dice_count] = self.describe(dice_count)
        return result

    def describe(self, dice_count: Any) -> RollDescription:
        """Description for a number of dice, which may be random."""
        return RollDescription(
            (DiceGroup(dice_count, self._faces, self._model, (), is_single=False, part=None),), (), ()
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainRollDescriptions, (self._faces, self._model)


def count_initial_dice(world: WorkingMemory, described: RollDescription | RankRollDescription) -> int:
    """Number of dice of the first throw."""
    groups = described.groups
    count = sum([max(0, group.dice_count) for group in groups]) if len(groups) > 1 else max(0, groups[0].dice_count)
    if count > world[CONTROL].limits.dice:
        fault_too_many_dice(world, count)
    return int(count)


def fault_too_many_dice(world: WorkingMemory, count: int) -> NoReturn:
    """Fault: a roll of more dice than a run may throw at once."""
    raise Fault(faults.DICE_LIMIT, f"a roll of {count:,} dice, more than {world[CONTROL].limits.dice:,}")


def land_roll(world: WorkingMemory, thrown: tuple[Any, ...] | SymbolicPool | DiceInPlace, called: str) -> Any:
    """The value of a roll: its number, or its die if it has only one; none while a die still explodes.

    In that case the faces are added to the request, which is made again for the exploding die.
    """
    if isinstance(thrown, SymbolicPool | DiceInPlace):
        world[ROLLS].append(thrown if isinstance(thrown, SymbolicPool) else [*thrown])
        number = len(world[ROLLS]) - 1
        return (number, 0) if world[CONTROL].asked_data.groups[0].is_single else number
    control = world[CONTROL]
    described = control.asked_data._replace(thrown=(*control.asked_data.thrown, *thrown))
    dice, _, exploding = make_dice(described, control.limits.dice, called)
    if exploding is not None:
        control.asked_data = described
        return None
    world[ROLLS].append(dice)
    number = len(world[ROLLS]) - 1
    if described.groups[0].is_single:
        return number, next((at for at, die in enumerate(dice) if die.kept), 0)
    return number


def add_advantage(group: DiceGroup, net: int) -> DiceGroup:
    """A group with `net` more dice, of which the original number is kept: the best, or below 0 the worst."""
    count = group.dice_count
    keep = RollOptionValue(RollOptionKind("keep", "highest" if net > 0 else "lowest"), count, None)
    return group._replace(dice_count=count + abs(net) if count > 0 else 0, options=(keep, *group.options))


def numbered_faces(count: int) -> tuple[int, ...]:
    return tuple(range(1, count + 1))


class MadeRoll(NamedTuple):
    """Dice made of the faces of a roll."""

    dice: list[Die]
    origins: list[int | None]  # of each die that an explosion brought, the position of the die that exploded
    exploding: Die | None  # die that explodes when the faces are used up


def make_dice(described: RollDescription | RankRollDescription, limit: int, called: str = "") -> MadeRoll:
    """Dice made of the faces of a roll, which is `called` so.

    Raises:
        Fault: explosions bring more dice than `limit`.
    """
    faces = deque(described.thrown)
    dice: list[Die] = []
    groups: list[tuple[range, tuple[RollOptionValue, ...]]] = []
    for group in described.groups:
        first = len(dice)
        for _ in range(group.dice_count):
            face = faces.popleft()
            dice.append(make_record(Die, (group.faces, face, face, 0, True, group.part, group.model, called)))
        groups.append((range(first, len(dice)), group.options))
    groups.append((range(len(dice)), described.options))
    for span, options in groups:
        _apply_selections(dice, span, options)
    made_roll = MadeRoll(dice, [None] * len(dice), None)
    for span, options in groups:
        exploding = _apply_explosions(made_roll, span, options, faces, limit)
        if exploding is not None:
            return made_roll._replace(exploding=exploding)
    return made_roll


def _apply_selections(dice: list[Die], span: range, options: tuple[RollOptionValue, ...]) -> None:
    """Applies options that keep some of the dice at some positions, by their first faces."""
    for (word, best), value, _ in options:
        match ROLL_OPTIONS[word]:
            case KeepingOption(choose_kept=choose_kept):
                positions = [at for at in span if dice[at].kept]
                chosen = choose_kept([dice[at].first for at in positions], value, best)
                for number, at in enumerate(positions):
                    if number not in chosen:
                        dice[at] = dice[at]._replace(kept=False)
            case ExplodingOption():  # as `_apply_explosions` does
                pass
            case other:
                assert_never(other)


def _apply_explosions(
    made_roll: MadeRoll, span: range, options: tuple[RollOptionValue, ...], faces: deque[Any], limit: int
) -> Die | None:
    """Adds the dice that explosions bring; returns the die that explodes once the faces are used up, or none."""
    dice, origins, _ = made_roll
    for (word, best), value, bound in options:
        if not is_exploding(word):
            continue
        for origin in [at for at in span if dice[at].kept]:
            at, rounds = origin, 0
            face = dice[at].first
            while (face == value or (best and face > value)) and (bound is None or rounds < bound):
                if not faces:
                    return dice[at]
                face = faces.popleft()
                rounds += 1
                dice.append(dice[at]._replace(first=face, face=face))
                origins.append(at)
                at = len(dice) - 1
                if len(dice) > limit:
                    raise Fault(faults.DICE_LIMIT, f"a roll of more than {limit:,} dice")
    return None


def describe_next_throw(described: RollDescription | RankRollDescription) -> tuple[EqualDice, ...]:
    """Dice to throw now."""
    if not described.thrown:
        return tuple(
            [
                EqualDice(group.dice_count, group.faces, group.model)
                for group in described.groups
                if group.dice_count > 0
            ]
        )
    exploding = make_dice(described, len(described.thrown)).exploding
    assert exploding is not None
    return (EqualDice(1, exploding.faces, exploding.model),)


def select_reroll_dice(world: WorkingMemory, which: Any, many: int) -> tuple[tuple[int, int], ...]:
    """Dice to roll again: of one die (0), of a collection (1), of a pool (2), in order."""
    if many == 0:
        return (which,)
    if many == 1:
        return tuple(which)
    return list_pool_dice(world, which)


def list_pool_dice(world: WorkingMemory, pool: int) -> tuple[tuple[int, int], ...]:
    return _pool_dice_positions(pool, len(world[ROLLS][pool]))


@lru_cache(1 << 12)
def _pool_dice_positions(pool: int, count: int) -> tuple[tuple[int, int], ...]:
    return tuple(zip(repeat(pool), range(count)))


def reroll_dice(world: WorkingMemory, which: tuple[tuple[int, int], ...], faces: tuple[Any, ...]) -> tuple[Any, ...]:
    """Puts new faces on dice, in place; returns the dice."""
    if isinstance(faces, SymbolicPool):
        world[ROLLS][which[0][0]] = faces
        return ()
    rolls, rerolled, copied = world[ROLLS], [], -1
    lying: list[Any] = []
    for (roll, at), face in zip(which, faces, strict=True):
        if roll != copied:
            lying = rolls[roll] = list(rolls[roll])
            copied = roll
        sides, first, _, rerolls, is_kept, part, model, called = lying[at]
        lying[at] = die = make_record(Die, (sides, first, face, rerolls + 1, is_kept, part, model, called))
        rerolled.append(die)
    return tuple(rerolled)


def rolled_dice(world: WorkingMemory, value: Any) -> tuple[Any, ...]:
    """Dice of the roll just made, for the trace."""
    return tuple(world[ROLLS][value[0] if isinstance(value, tuple) else value])


def rolled_exploding_dice(world: WorkingMemory, value: Any) -> tuple[Any, ...]:
    """As `rolled_dice` for exploding dice; those that explosions brought are `BroughtDie`."""
    faces = tuple(rolled_die.first for rolled_die in rolled_dice(world, value))
    described = world[CONTROL].asked_data._replace(thrown=faces)
    return _with_origins(make_dice(described, world[CONTROL].limits.dice))


def _with_origins(made_roll: MadeRoll) -> tuple[Die | BroughtDie, ...]:
    return tuple(
        [
            die if origin is None else BroughtDie(die, origin)
            for die, origin in zip(made_roll.dice, made_roll.origins, strict=True)
        ]
    )


def faces_before_reroll(world: WorkingMemory, which: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """Faces of dice before a re-roll, for the trace."""
    return tuple(world[ROLLS][roll][at].face for roll, at in which)


def describe_rank_roll(
    world: WorkingMemory, members: tuple[Any, ...], rolls: tuple[tuple[DiceGroup, ...], ...]
) -> RankRollDescription:
    """The described roll for the tied members of a rank; `rolls` has the dice of each.

    Raises:
        Fault: the dice always fall alike, or there are too many.
    """
    if all(len(group.faces) == 1 or group.dice_count < 1 for groups in rolls for group in groups):
        raise Fault(faults.DICE_ALWAYS_EQUAL, "dice that always fall alike can tell nobody apart")
    groups = tuple([group._replace(part=position) for position, dice in enumerate(rolls) for group in dice])
    described = RankRollDescription(groups, (), (), members)
    count_initial_dice(world, described)
    return described


def sum_rank_roll(
    world: WorkingMemory, faces: tuple[Any, ...]
) -> tuple[tuple[Die | BroughtDie, ...], tuple[int, ...]] | None:
    """Dice thrown and the sum of each tied member; none while an exploding die has to be thrown as well."""
    control = world[CONTROL]
    described = control.asked_data._replace(thrown=(*control.asked_data.thrown, *faces))
    made_roll = make_dice(described, world[CONTROL].limits.dice)
    if made_roll.exploding is not None:
        control.asked_data = described
        return None
    sums = tuple(
        [
            sum(die.face for die in made_roll.dice if die.kept and die.part == position)
            for position in range(len(described.members))
        ]
    )
    return _with_origins(made_roll), sums
