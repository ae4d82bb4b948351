"""Ranks: members put in order key by key, with dice and questions for those still equal (manual, Chance).

A rank under way is kept in four slots of a frame, or of a list, from `at` on: the members as they stand, from head
to tail; how many of them stand equal, group by group; how many have had their row asked for; the positions of the keys
that told members apart.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulewright.machine import codes, dice
from rulewright.machine.faults import Fault
from rulewright.machine.world import World

SLOTS = 4
Slots = list[Any]


def ranking(slots: Slots, at: int, members: tuple[Any, ...]) -> None:
    """Begins a rank: all members stand equal."""
    slots[at : at + SLOTS] = [members, (len(members),) if members else (), 0, ()]


def tied(slots: Slots, at: int) -> tuple[Any, ...]:
    """The members that stand equal with another, from head to tail."""
    return tuple([each for group in _groups(slots, at) if len(group) > 1 for each in group])


def _groups(slots: Slots, at: int) -> list[tuple[Any, ...]]:
    found, start = [], 0
    for size in slots[at + 1]:
        found.append(slots[at][start : start + size])
        start += size
    return found


def part(slots: Slots, at: int, values: Sequence[Any], key: int, high: bool) -> None:  # noqa: FBT001
    """Parts groups by the values of their members, given for all that are tied, from head to tail."""
    rest, order, sizes = iter(values), [], []
    for group in _groups(slots, at):
        valued = [(next(rest) if len(group) > 1 else 0, each) for each in group]
        order += [each for _, each in sorted(valued, key=lambda pair: pair[0], reverse=high)]
        counts = Counter(value for value, _ in valued)
        sizes += [counts[value] for value in sorted(counts, reverse=high)]
    if len(sizes) > len(slots[at + 1]) and key not in slots[at + 3]:
        slots[at + 3] = (*slots[at + 3], key)
    slots[at], slots[at + 1] = tuple(order), tuple(sizes)


# Dice.


def thrown_for(
    world: World, members: tuple[Any, ...], rolls: tuple[tuple[int, tuple[Any, ...]], ...]
) -> tuple[int | None, tuple[Any, ...]]:
    """Who throws for the tied members, none where several do, and the roll described, with the members at its end."""
    if all(len(sides) == 1 or count < 1 for _, parts in rolls for count, sides, *_ in parts):
        raise Fault(codes.NEVER_APART, "dice that always fall alike can tell nobody apart")
    parts = tuple([(*part, position) for position, (_, own) in enumerate(rolls) for *part, _ in own])
    described = (parts, (), ())
    dice.dice(world, described)
    players = {player for player, _ in rolls}
    return players.pop() if len(players) == 1 else None, (*described, members)


def fallen_for(world: World, faces: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int]] | None:
    """The dice thrown and the sum of each tied member; none where an exploding die has to be thrown as well."""
    site, player, (parts, options, before, members) = world[0].pending
    made, waiting = dice.made((parts, options, (*before, *faces)), world[0].limits.dice)
    if waiting is not None:
        world[0].pending = (site, player, (parts, options, (*before, *faces), members))
        return None
    sums = [sum(die[2] for die in made if die[4] and die[5] == position) for position in range(len(members))]
    return tuple([tuple(die) for die in made]), sums


# Questions.


def row(slots: Slots, at: int, owners: tuple[int, ...]) -> tuple[int, tuple[Any, ...]] | None:
    """The owner and the members of the next unbroken row of members of one owner that is to be ordered."""
    order, start = slots[at], slots[at + 2]
    if start == 0:
        _one_owner(slots, at, owners)
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


def _one_owner(slots: Slots, at: int, owners: tuple[int, ...]) -> None:
    rest = iter(owners)
    for group in _groups(slots, at):
        if len({next(rest) for _ in group}) > 1:
            raise Fault(codes.LEFT_EQUAL, "members of several players are still equal where they are to be ordered")


def ordered(slots: Slots, at: int, answer: tuple[Any, ...], key: int) -> None:
    """Puts the row asked for last into the order given."""
    end = slots[at + 2]
    before = slots[at]
    slots[at] = (*before[: end - len(answer)], *answer, *before[end:])
    if slots[at] != before and key not in slots[at + 3]:
        slots[at + 3] = (*slots[at + 3], key)


def ranked(slots: Slots, at: int) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The order, and the positions of the keys that told members apart; a fault where some are still equal."""
    order, sizes, _, keys = slots[at : at + SLOTS]
    if any(size > 1 for size in sizes):
        raise Fault(codes.LEFT_EQUAL, f"{sum(each for each in sizes if each > 1)} members are equal by every key")
    slots[at : at + SLOTS] = [None] * SLOTS
    return order, keys
