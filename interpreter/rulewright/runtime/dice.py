"""Rolls: the dice to throw, and the dice made of the thrown faces (manual, Dice); ranks with dice.

A described roll is `(parts, options, faces)`: each part `(count, faces of the die, its name, options, single, name of
the part)`, each option `((word, best), value, bound)`, then the faces thrown so far. A made roll is a list of dice,
each `(faces, first, face, rerolls, kept, part, name, name of the roll)`.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NoReturn

from rulewright.runtime import faults
from rulewright.runtime.faults import Fault
from rulewright.runtime.symbolic_pool import DiceInPlace, SymbolicPool
from rulewright.runtime.working_memory import (
    CONTROL,
    ROLLS,
    WorkingMemory,
)

_ROLL_INDEPENDENT_PARTS = 7
"""Leading parts of a die that do not depend on its roll."""
RollDescription = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


def count_initial_dice(world: WorkingMemory, described: RollDescription) -> int:
    """Number of dice of the first throw."""
    parts = described[0]
    count = sum([max(0, part[0]) for part in parts]) if len(parts) > 1 else max(0, parts[0][0])
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
        return (number, 0) if world[CONTROL].pending[2][0][0][4] else number
    site, player, (parts, options, faces) = world[CONTROL].pending
    faces = (*faces, *thrown)
    made_, waiting = make_dice((parts, options, faces), world[CONTROL].limits.dice)
    if waiting is not None:
        world[CONTROL].pending = (site, player, (parts, options, faces))
        return None
    world[ROLLS].append([(*item[:_ROLL_INDEPENDENT_PARTS], called) for item in made_])
    number = len(world[ROLLS]) - 1
    return (number, next((at for at, item in enumerate(made_) if item[4]), 0)) if parts[0][4] else number


def add_advantage(part: tuple[Any, ...], net: int) -> tuple[Any, ...]:
    """A part with `net` more dice, of which the original number is kept: the best, or below 0 the worst."""
    count, faces, name, options, *rest = part
    keep = (("keep", "highest" if net > 0 else "lowest"), count, None)
    return (count + abs(net) if count > 0 else 0, faces, name, (keep, *options), *rest)


def numbered_faces(count: int) -> tuple[int, ...]:
    return tuple(range(1, count + 1))


def make_dice(described: RollDescription, limit: int) -> tuple[list[Any], Any]:
    """Dice made of the faces of a roll, and the die that explodes when the faces are used up, if any."""
    parts, options, faces = described
    rest = list(faces)
    result: list[Any] = []
    for count, sides, name, own, _, called in parts:
        part = []
        for _ in range(max(0, count)):
            face = rest.pop(0)
            part.append([sides, face, face, 0, True, called, name, ""])
        _apply_keep_and_drop(part, own)
        result += part
    _apply_keep_and_drop(result, options)
    for part_options, part in _list_explosion_groups(parts, options, result):
        waiting = _apply_explosions(part, part_options, rest, result, limit)
        if waiting is not None:
            return result, waiting
    return result, None


def _apply_keep_and_drop(part: list[Any], options: tuple[Any, ...]) -> None:
    """Keeps and drops dice by their first faces; of equal faces the earlier die is kept."""
    for (word, best), value, _ in options:
        if word in {"keep", "drop"}:
            standing = [at for at, item in enumerate(part) if item[4]]
            high = best == "highest"
            ranked = sorted(standing, key=lambda at: (-part[at][1] if high else part[at][1], at))
            chosen = ranked[:value] if word == "keep" else _choose_dropped_dice(ranked, part, value)
            for at in standing:
                part[at][4] = (at in chosen) == (word == "keep")


def _choose_dropped_dice(ranked: list[int], part: list[Any], count: int) -> list[int]:
    order = sorted(ranked, key=lambda at: (ranked.index(next(b for b in ranked if part[b][1] == part[at][1])), -at))
    return order[: max(0, count)]


def _list_explosion_groups(parts: Any, options: Any, made: list[Any]) -> list[tuple[Any, list[Any]]]:
    spans, at = [], 0
    for count, _, _, own, *_ in parts:
        spans.append((own, made[at : at + max(0, count)]))
        at += max(0, count)
    return [*spans, (options, list(made))]


def _apply_explosions(part: list[Any], options: Any, rest: list[Any], made: list[Any], limit: int) -> Any:
    """Adds the dice that explosions bring; returns the die that explodes once the faces are used up, or none."""
    for (word, best), value, bound in options:
        if word != "explode":
            continue
        for die in [item for item in part if item[4]]:
            face, rounds = die[1], 0
            while (face == value or (best and face > value)) and (bound is None or rounds < bound):
                if not rest:
                    return die
                face = rest.pop(0)
                rounds += 1
                origin = next(at for at, item in enumerate(made) if item is die)
                die = [die[0], face, face, 0, True, die[5], die[6], "", origin]  # noqa: PLW2901 - it may explode in turn
                made.append(die)
                if len(made) > limit:
                    raise Fault(faults.DICE_LIMIT, f"a roll of more than {limit:,} dice")
    return None


def describe_next_throw(described: RollDescription) -> tuple[tuple[int, tuple[Any, ...], str], ...]:
    """Dice to throw now: per part count, faces, name of a declared die."""
    parts, options, faces = described[:3]
    if not faces:
        return tuple([(part[0], part[1], part[2]) for part in parts if part[0] > 0])
    _, waiting = make_dice((parts, options, faces), len(faces))
    return ((1, waiting[0], waiting[6]),)


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
    rolls, made, copied = world[ROLLS], [], -1
    lying: list[Any] = []
    for (roll, at), face in zip(which, faces, strict=True):
        if roll != copied:
            lying = rolls[roll] = list(rolls[roll])
            copied = roll
        sides, first, _, rerolls, kept, part, name, called = lying[at]
        lying[at] = die = (sides, first, face, rerolls + 1, kept, part, name, called)
        made.append(die)
    return tuple(made)


def rolled_dice(world: WorkingMemory, value: Any) -> tuple[Any, ...]:
    """Dice of the roll just made, for the trace."""
    return tuple(world[ROLLS][value[0] if isinstance(value, tuple) else value])


def rolled_exploding_dice(world: WorkingMemory, value: Any) -> tuple[Any, ...]:
    """As `rolled_dice` for exploding dice; a die from an explosion ends with the position of the exploded die."""
    parts, options, _ = world[CONTROL].pending[2]
    faces = tuple(rolled_die[1] for rolled_die in rolled_dice(world, value))
    return tuple(tuple(die) for die in make_dice((parts, options, faces), world[CONTROL].limits.dice)[0])


def faces_before_reroll(world: WorkingMemory, which: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """Faces of dice before a re-roll, for the trace."""
    return tuple(world[ROLLS][roll][at][2] for roll, at in which)


RANK_SLOTS = 4
RankSlots = list[Any]


def start_rank(slots: RankSlots, at: int, members: tuple[Any, ...]) -> None:
    """Begins a rank: all members are tied."""
    slots[at : at + RANK_SLOTS] = [members, (len(members),) if members else (), 0, ()]


def list_tied_members(slots: RankSlots, at: int) -> tuple[Any, ...]:
    """Members tied with another, from head to tail."""
    return tuple([item for group in _tied_groups(slots, at) if len(group) > 1 for item in group])


def _tied_groups(slots: RankSlots, at: int) -> list[tuple[Any, ...]]:
    result, start = [], 0
    for size in slots[at + 1]:
        result.append(slots[at][start : start + size])
        start += size
    return result


def split_groups(slots: RankSlots, at: int, values: Sequence[Any], key: int, high: bool) -> None:  # noqa: FBT001
    """Splits groups by values given for all tied members, from head to tail."""
    rest, order, sizes = iter(values), [], []
    for group in _tied_groups(slots, at):
        valued = [(next(rest) if len(group) > 1 else 0, item) for item in group]
        order += [item for _, item in sorted(valued, key=lambda pair: pair[0], reverse=high)]
        counts = Counter(value for value, _ in valued)
        sizes += [counts[value] for value in sorted(counts, reverse=high)]
    if len(sizes) > len(slots[at + 1]) and key not in slots[at + 3]:
        slots[at + 3] = (*slots[at + 3], key)
    slots[at], slots[at + 1] = tuple(order), tuple(sizes)


# Dice.


def describe_rank_roll(
    world: WorkingMemory, members: tuple[Any, ...], rolls: tuple[tuple[int, tuple[Any, ...]], ...]
) -> tuple[int | None, tuple[Any, ...]]:
    """Who rolls for the tied members, none if several do, and the described roll, with the members at its end."""
    if all(len(sides) == 1 or count < 1 for _, parts in rolls for count, sides, *_ in parts):
        raise Fault(faults.DICE_ALWAYS_EQUAL, "dice that always fall alike can tell nobody apart")
    parts = tuple([(*part, position) for position, (_, own) in enumerate(rolls) for *part, _ in own])
    described = (parts, (), ())
    count_initial_dice(world, described)
    players = {player for player, _ in rolls}
    return players.pop() if len(players) == 1 else None, (*described, members)


def sum_rank_roll(world: WorkingMemory, faces: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int]] | None:
    """Dice thrown and the sum of each tied member; none while an exploding die has to be thrown as well."""
    site, player, (parts, options, before, members) = world[CONTROL].pending
    made, waiting = make_dice((parts, options, (*before, *faces)), world[CONTROL].limits.dice)
    if waiting is not None:
        world[CONTROL].pending = (site, player, (parts, options, (*before, *faces), members))
        return None
    sums = [sum(die[2] for die in made if die[4] and die[5] == position) for position in range(len(members))]
    return tuple([tuple(die) for die in made]), sums


# Questions.


def next_row_to_order(slots: RankSlots, at: int, owners: tuple[int, ...]) -> tuple[int, tuple[Any, ...]] | None:
    """Owner and members of the next unbroken row of members of one owner that is to be ordered."""
    order, start = slots[at], slots[at + 2]
    if start == 0:
        _require_one_owner(slots, at, owners)
    while start < len(order):
        end = start
        while end < len(order) and owners[end] == owners[start]:
            end += 1
        slots[at + 2] = end
        if end > start + 1:
            return owners[start], order[start:end]
        start = end
    slots[at + 1] = (1,) * len(order)
    return None


def _require_one_owner(slots: RankSlots, at: int, owners: tuple[int, ...]) -> None:
    rest = iter(owners)
    for group in _tied_groups(slots, at):
        if len({next(rest) for _ in group}) > 1:
            raise Fault(
                faults.RANK_LEFT_EQUAL, "members of several players are still equal where they are to be ordered"
            )


def apply_row_order(slots: RankSlots, at: int, answer: tuple[Any, ...], key: int) -> None:
    """Puts the last row asked for into the order given."""
    end = slots[at + 2]
    before = slots[at]
    slots[at] = (*before[: end - len(answer)], *answer, *before[end:])
    if slots[at] != before and key not in slots[at + 3]:
        slots[at + 3] = (*slots[at + 3], key)


def finish_rank(slots: RankSlots, at: int) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The order, and the positions of the keys that split members; a fault if some are still tied."""
    order, sizes, _, keys = slots[at : at + RANK_SLOTS]
    if any(size > 1 for size in sizes):
        raise Fault(faults.RANK_LEFT_EQUAL, f"{sum(item for item in sizes if item > 1)} members are equal by every key")
    slots[at : at + RANK_SLOTS] = [None] * RANK_SLOTS
    return order, keys
