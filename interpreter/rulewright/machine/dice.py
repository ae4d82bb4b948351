"""Rolls: what to throw, and what the faces thrown make (manual, Dice).

A roll described is `(parts, options, faces)`: each part `(count, faces of the die, its name, options, single, what it
is called)`, each option `((word, best), value, bound)`, the faces thrown so far. A roll made is a list of dice, each
`(faces, first, face, rerolls, kept, part, name, name of the roll)`.
"""

from functools import lru_cache
from itertools import repeat
from typing import Any, NoReturn

from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.unthrown import Lying, Unthrown
from rulewright.machine.world import ROLLS, World

_PARTS = 7
"""What of a die does not hang on the roll it is in."""
Described = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


def dice(world: World, described: Described) -> int:
    """How many dice are thrown first."""
    parts = described[0]
    count = sum([max(0, part[0]) for part in parts]) if len(parts) > 1 else max(0, parts[0][0])
    if count > world[0].limits.dice:
        too_many(world, count)
    return int(count)


def too_many(world: World, count: int) -> NoReturn:
    """A roll of more dice than a run may throw at once."""
    raise Fault(codes.DICE, f"a roll of {count:,} dice, more than {world[0].limits.dice:,}")


def land(world: World, thrown: tuple[Any, ...] | Unthrown | Lying, called: str) -> Any:
    """Makes the roll that a name holds: its number, or its die where it is of one; none where a die still explodes.

    In that case the faces are added to the request, which is made again for the die that explodes.
    """
    if isinstance(thrown, Unthrown | Lying):
        world[ROLLS].append(thrown if isinstance(thrown, Unthrown) else [*thrown])
        number = len(world[ROLLS]) - 1
        return (number, 0) if world[0].pending[2][0][0][4] else number
    site, player, (parts, options, faces) = world[0].pending
    faces = (*faces, *thrown)
    made_, waiting = made((parts, options, faces), world[0].limits.dice)
    if waiting is not None:
        world[0].pending = (site, player, (parts, options, faces))
        return None
    world[ROLLS].append([(*each[:_PARTS], called) for each in made_])
    number = len(world[ROLLS]) - 1
    return (number, next((at for at, each in enumerate(made_) if each[4]), 0)) if parts[0][4] else number


def advantaged(part: tuple[Any, ...], net: int) -> tuple[Any, ...]:
    """A part thrown with `net` more dice, of which as many are kept as it had: the best, or below 0 the worst."""
    count, faces, name, options, *rest = part
    keep = (("keep", "highest" if net > 0 else "lowest"), count, None)
    return (count + abs(net) if count > 0 else 0, faces, name, (keep, *options), *rest)


def sides(count: int) -> tuple[int, ...]:
    """The faces of a die with so many."""
    return tuple(range(1, count + 1))


def made(described: Described, limit: int) -> tuple[list[Any], Any]:
    """The dice that the faces of a roll make, and the die that explodes once the faces have run out, if one does."""
    parts, options, faces = described
    rest = list(faces)
    found: list[Any] = []
    for count, sides, name, own, _, called in parts:
        part = []
        for _ in range(max(0, count)):
            face = rest.pop(0)
            part.append([sides, face, face, 0, True, called, name, ""])
        _judge(part, own)
        found += part
    _judge(found, options)
    for part_options, part in _exploding(parts, options, found):
        waiting = _explode(part, part_options, rest, found, limit)
        if waiting is not None:
            return found, waiting
    return found, None


def _judge(part: list[Any], options: tuple[Any, ...]) -> None:
    """Keeps and drops dice by their first faces; of equal faces the earlier die is kept."""
    for (word, best), value, _ in options:
        if word in {"keep", "drop"}:
            standing = [at for at, each in enumerate(part) if each[4]]
            high = best == "highest"
            ranked = sorted(standing, key=lambda at: (-part[at][1] if high else part[at][1], at))
            chosen = ranked[:value] if word == "keep" else _dropped(ranked, part, value)
            for at in standing:
                part[at][4] = (at in chosen) == (word == "keep")


def _dropped(ranked: list[int], part: list[Any], count: int) -> list[int]:
    """The dice to drop: the first by rank, and of equal faces the later dice first."""
    order = sorted(ranked, key=lambda at: (ranked.index(next(b for b in ranked if part[b][1] == part[at][1])), -at))
    return order[: max(0, count)]


def _exploding(parts: Any, options: Any, made: list[Any]) -> list[tuple[Any, list[Any]]]:
    spans, at = [], 0
    for count, _, _, own, *_ in parts:
        spans.append((own, made[at : at + max(0, count)]))
        at += max(0, count)
    return [*spans, (options, list(made))]


def _explode(part: list[Any], options: Any, rest: list[Any], made: list[Any], limit: int) -> Any:
    """Adds the dice that explosions bring; gives the die that explodes once the faces have run out, or none."""
    for (word, best), value, bound in options:
        if word != "explode":
            continue
        for die in [each for each in part if each[4]]:
            face, rounds = die[1], 0
            while (face == value or (best and face > value)) and (bound is None or rounds < bound):
                if not rest:
                    return die
                face = rest.pop(0)
                rounds += 1
                origin = next(at for at, each in enumerate(made) if each is die)
                die = [die[0], face, face, 0, True, die[5], die[6], "", origin]  # noqa: PLW2901 - it may explode in turn
                made.append(die)
                if len(made) > limit:
                    raise Fault(codes.DICE, f"a roll of more than {limit:,} dice")
    return None


def wanted(described: Described) -> tuple[tuple[int, tuple[Any, ...], str], ...]:
    """What is to be thrown now: how many dice, their faces, the name of a declared die."""
    parts, options, faces = described[:3]
    if not faces:
        return tuple([(part[0], part[1], part[2]) for part in parts if part[0] > 0])
    _, waiting = made((parts, options, faces), len(faces))
    return ((1, waiting[0], waiting[6]),)


def again(world: World, which: Any, many: int) -> tuple[tuple[int, int], ...]:
    """The dice to roll again: of one die (0), of a collection (1), of a pool (2), in order."""
    if many == 0:
        return (which,)
    if many == 1:
        return tuple(which)
    return dice_of(world, which)


def dice_of(world: World, pool: int) -> tuple[tuple[int, int], ...]:
    """All dice of a pool, in order."""
    return _dice(pool, len(world[ROLLS][pool]))


@lru_cache(1 << 12)
def _dice(pool: int, count: int) -> tuple[tuple[int, int], ...]:
    return tuple(zip(repeat(pool), range(count)))


def reroll(world: World, which: tuple[tuple[int, int], ...], faces: tuple[Any, ...]) -> tuple[Any, ...]:
    """Puts new faces on dice, in place; returns the dice."""
    if isinstance(faces, Unthrown):
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


def thrown(world: World, value: Any) -> tuple[Any, ...]:
    """The dice of a roll just made, for the record."""
    return tuple(world[ROLLS][value[0] if isinstance(value, tuple) else value])


def exploded(world: World, value: Any) -> tuple[Any, ...]:
    """As `thrown` for exploding dice; a die from an explosion ends with the position of the die that exploded."""
    parts, options, _ = world[0].pending[2]
    faces = tuple(each[1] for each in thrown(world, value))
    return tuple(tuple(each) for each in made((parts, options, faces), world[0].limits.dice)[0])


def before_reroll(world: World, which: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """The faces that dice show before they are rolled again, for the record."""
    return tuple(world[ROLLS][roll][at][2] for roll, at in which)
