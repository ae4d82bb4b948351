"""What generated code calls: numbers, collections, dice, things; grids are in `grids`."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import islice, product
from math import ceil, floor
from operator import itemgetter
from typing import Any

from rulewright.machine import codes
from rulewright.machine.dice import dice_of
from rulewright.machine.engine.frames import overworked
from rulewright.machine.faults import Fault, Wanted, nothing, present
from rulewright.machine.later import Later, Undecided
from rulewright.machine.unthrown import Unthrown
from rulewright.machine.values import Map, Mixed, Value, in_order, make_set, order_key
from rulewright.machine.world import RECORD, ROLLS, World
from rulewright.program import types as ty

__all__ = ["ceil", "floor"]


# Numbers.


def divide(world: World, left: Any, right: Any) -> Any:
    """An exact quotient; whole when it comes out even."""
    if right == 0:
        raise Fault(codes.BY_ZERO, "division by zero")
    quotient = Fraction(left) / right
    return sized(world, int(quotient) if quotient.denominator == 1 else quotient)


def rounded(value: Any) -> int:
    """The nearest whole number, halves away from zero."""
    return int(floor(value + Fraction(1, 2)) if value >= 0 else ceil(value - Fraction(1, 2)))


def along(word: int, steps: int, last: int) -> int:
    """A word further on in its list, stopping at the ends."""
    return max(0, min(last, word + steps))


def fitting(value: Any, target: ty.Type, text: str) -> Any:
    """A value, or a fault where it is not of a type."""
    if not fits(value, target):
        if value is None:
            return present(value, text)
        raise Fault(codes.OUT_OF_BOUNDS, f"`{text}` does not fit here")
    return value


def fits(value: Any, target: ty.Type) -> bool:
    """Whether a value that fits a wider type fits this one."""
    match target:
        case ty.OptionalType(inner):
            return value is None or fits(value, inner)
        case ty.NumberType():
            return value is not None and target.holds(value)
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return all(fits(each, item) for each in value)
        case ty.MapType(key, inner):
            return fits(value.default, inner) and all(fits(k, key) and fits(value[k], inner) for k in value)
        case ty.TupleType(parts):
            return all(map(fits, value, parts))
        case _:
            return value is not None


# Collections.


def interval(world: World, low: int, high: int) -> tuple[int, ...]:
    """Whole numbers from low to high, none when that would descend."""
    _bounded(world, high - low + 1)
    return tuple(range(low, high + 1))


def _bounded(world: World, size: int) -> None:
    control = world[0]
    if size > control.limits.members:
        raise Fault(codes.MEMBERS, f"a collection of {size:,} members, more than {control.limits.members:,}")
    control.left -= size
    control.room -= size
    if control.left < 0 or control.room < 0:
        overworked(world)


def _charge(world: World, visits: int, parts: int = 0) -> None:
    control = world[0]
    control.left -= visits
    control.room -= parts
    if control.left < 0 or control.room < 0:
        overworked(world)


def collected(world: World, members: tuple[Any, ...]) -> tuple[Any, ...]:
    """A collection that was made, its size counted."""
    control = world[0]
    control.room -= len(members)
    if control.room < 0:
        overworked(world)
    return members


def scanned(world: World, members: Any) -> Any:
    """A collection that something goes through."""
    _charge(world, len(members))
    return members


def has_member(world: World, member: Value, members: Any) -> bool:
    """Whether a collection has a member."""
    if len(members) > _FEW:
        _charge(world, len(members))
    return member in members


def alike(world: World, left: Any, right: Any) -> bool:
    """Whether two collections, either of which may be none, are equal."""
    if left is not None and right is not None and len(left) > _FEW:
        _charge(world, len(left))
    return left == right  # type: ignore[no-any-return]


_FEW = 16
_MOST_BITS = 13_280


def sized(world: World, number: Any) -> Any:
    """A number whose type has an open end, with its digits counted.

    Raises:
        Fault: RW0851, it has more than about 4,000 digits.
    """
    if -_WORD < number < _WORD and (
        isinstance(number, int) or (isinstance(number, Later) and isinstance(number.values[0], int))
    ):
        return number
    bits = number.numerator.bit_length() + number.denominator.bit_length()
    if bits > _MOST_BITS:
        raise Fault(codes.SIZE, "a number of more than 4,000 digits")
    _charge(world, bits // 64, bits // 64)
    return number


_WORD = 1 << 63


def union(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Members of either set."""
    _bounded(world, len(left) + len(right))
    return make_set(left + right)


def plain_set(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """A set of members that Python orders as the language does."""
    return tuple(sorted(set(members)))


def plain_union(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Members of either set, where Python orders them as the language does."""
    _bounded(world, len(left) + len(right))
    if not left or not right or left[-1] < right[0]:
        return left + right
    return tuple(sorted({*left, *right}))


def difference(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Members of the first set that are not in the second."""
    _charge(world, len(left) * (1 + len(right)), len(left))
    return tuple(each for each in left if each not in right)


def chain(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """One list after the other."""
    _bounded(world, len(left) + len(right))
    return left + right


def without(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list with each member of another taken out once, from the front."""
    _charge(world, len(left) * (1 + len(right)), len(left))
    rest = list(left)
    for each in right:
        if each in rest:
            rest.remove(each)
    return tuple(rest)


def merged(world: World, left: Map, right: Map) -> Map:
    """A map with the entries of another put into it."""
    _bounded(world, len(left) + len(right))
    return Map.of(left.default, (*left.items(), *right.items()))


def unmerged(world: World, left: Map, right: Map) -> Map:
    """A map without the entries of another."""
    _charge(world, len(left), len(left))
    return Map.of(left.default, ((key, left[key]) for key in left if key not in right))


def entry(target: Map, key: Value) -> Value:
    """An entry of a map."""
    return target.entries.get(key, target.default)


def item(target: tuple[Any, ...], position: int) -> Any:
    """A member of a list, counted from 1."""
    if not 1 <= position <= len(target):
        raise Fault(codes.NO_SUCH_PLACE, f"position {position} in a list of {len(target)}")
    return target[position - 1]


def position(member: Value, target: tuple[Any, ...]) -> int:
    """Where a member stands in a list, from 1."""
    if member not in target:
        raise Fault(codes.NO_SUCH_PLACE, "`position` of something that is not in the list")
    return target.index(member) + 1


def other(member: Value, pair: tuple[Any, ...]) -> Any:
    """The other member of a set of two."""
    if len(pair) == 2:  # noqa: PLR2004
        if pair[0] == member:
            return pair[1]
        if pair[1] == member:
            return pair[0]
    raise Fault(codes.NO_OTHER, "`other` needs a set of two that contains the member given")


def descending(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """The members from the highest to the lowest."""
    return tuple(sorted(members, reverse=True))


def starting_with(members: tuple[Any, ...], first: Value) -> tuple[Any, ...]:
    """The members in turn, beginning with one."""
    if first not in members:
        return members
    at = members.index(first)
    return members[at:] + members[:at]


def pairs(world: World, left: tuple[Any, ...], right: tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    """Every pair, in order."""
    _bounded(world, len(left) * len(right))
    return tuple(product(left, right))


def once(members: list[Any]) -> list[Any]:
    """The members in order, each once."""
    return list(dict.fromkeys(members))


def min_of(members: Iterable[Any], text: str) -> Any:
    """The least of some members; a fault where there are none."""
    found = tuple(members)
    return min(found) if found else nothing(text)


def max_of(members: Iterable[Any], text: str) -> Any:
    """The greatest of some members; a fault where there are none."""
    found = tuple(members)
    return max(found) if found else nothing(text)


# Things and relations.


def removed(gone: list[bool]) -> tuple[int, ...]:
    """Numbers of the things out of play."""
    return tuple(number for number, out in enumerate(gone) if out)


def in_play(gone: list[bool]) -> tuple[int, ...]:
    """Numbers of the things in play."""
    return tuple(number for number, out in enumerate(gone) if not out)


def linked(
    pairs_: set[tuple[int, int]], first_gone: list[bool], second_gone: list[bool], first: int, second: int
) -> bool:
    """Whether a stored relation holds; not where one of the two is gone."""
    return (first, second) in pairs_ and not first_gone[first] and not second_gone[second]


def occupants(world: World, places: list[Any], in_play_: tuple[int, ...], cell: Value) -> tuple[int, ...]:
    """The things in play on a cell."""
    world[0].left -= len(in_play_)
    return tuple([each for each in in_play_ if places[each] == cell])


def connected(
    world: World,
    start: Value,
    members: tuple[Any, ...],
    where: Any,
    link: Callable[..., bool] | None,
) -> tuple[Any, ...]:
    """A member and all that a relation links to it, over any number of links; what is gone has no stored links."""
    if link is None and start not in members:
        return (start,)
    found = {start}
    open_ = [start]
    while open_:
        here = open_.pop()
        _charge(world, len(members))
        for each in members:
            if each in found:
                continue
            if link(where, here, each) if link is not None else (here, each) in where:
                found.add(each)
                open_.append(each)
    return in_order(found)


def external(world: World, name: str, arguments: tuple[Value, ...], default: Callable[..., Value] | None) -> Value:
    """An external term: as scripted, as answered, by its default, or to be asked for."""
    control = world[0]
    table = control.base.tables.get(name)
    if table is not None and arguments in table:
        return table[arguments]  # type: ignore[no-any-return]
    if default is not None:
        return default(world, *arguments)
    if (name, arguments) in control.known:
        return control.known[name, arguments]  # type: ignore[no-any-return]
    raise Wanted(name, arguments)


def excluded(
    world: World,
    frame: list[Any],
    judge: Callable[..., Any],
    members: Iterable[tuple[Value, Any]],
    behind: tuple[Callable[..., Any], Sequence[Value]] | None = None,
) -> tuple[tuple[Value, list[Any]], ...]:
    """The first members that cannot be answered, at most 40, each with the record of how it was judged.

    `behind` judges those that rows with `prefer` alone set aside, beside the first of the legal ones.
    """
    record, found = world[RECORD], []
    for member, given in islice(members, _MOST_EXCLUDED):
        judged: list[Any] = []
        world[RECORD] = judged
        if judge(world, frame, given) is not False and behind is not None and behind[1]:
            behind[0](world, frame, given, behind[1][0])
        found.append((member, judged))
    world[RECORD] = record
    return tuple(found)


_MOST_EXCLUDED = 40


def unproved(judge: Callable[[Value], bool], member: Value) -> int | None:
    """0 where conditions fail for what they were not written for; none where they hold or cannot be judged."""
    try:
        return None if judge(member) else 0
    except (Fault, Wanted, Undecided, TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
        return None


# Dice, kept as `dice` says.


def die(world: World, which: tuple[int, int]) -> tuple[Any, ...]:
    """The data of one die."""
    return world[ROLLS][which[0]][which[1]]  # type: ignore[no-any-return]


def kept(world: World, pool: int) -> tuple[tuple[int, int], ...]:
    """The kept dice of a pool, in order."""
    dice = world[ROLLS][pool]
    if isinstance(dice, Unthrown):
        if not dice.are_kept:
            raise Undecided(dice)
        return dice_of(world, pool)
    return tuple([(pool, at) for at, each in enumerate(dice) if each[4]])


def total(world: World, pool: int) -> Any:
    """The faces of the kept dice added."""
    dice = world[ROLLS][pool]
    if isinstance(dice, Unthrown):
        return dice.added(itemgetter(2))
    return sum([each[2] for each in dice if each[4]])


def highest_face(world: World, which: tuple[int, int]) -> Any:
    """The highest face a die can show."""
    return max(die(world, which)[0])


def put_item(target: tuple[Any, ...], at: int, value: Value) -> tuple[Any, ...]:
    """A list with one member changed, counted from 1."""
    item(target, at)
    return (*target[: at - 1], value, *target[at:])


def put_part(target: tuple[Any, ...], at: int, value: Value) -> tuple[Any, ...]:
    """A record with one part changed."""
    return (*target[:at], value, *target[at + 1 :])


def plain_with(world: World, target: tuple[Any, ...], member: Any) -> tuple[Any, ...]:
    """A set with one member more, where Python orders them as the language does."""
    if member in target:
        return target
    _bounded(world, len(target) + 1)
    return tuple(sorted((*target, member)))


def with_member(world: World, target: tuple[Any, ...], member: Value) -> tuple[Any, ...]:
    """A set with one member more."""
    if member in target:
        return target
    _bounded(world, len(target) + 1)
    return tuple(sorted((*target, member), key=order_key))


def taken(target: tuple[Any, ...], member: Value, text: str) -> tuple[Any, ...]:
    """A list, bag or deck without a member that must be in it."""
    if member not in target:
        raise Fault(codes.NOT_IN_LIST, f"`{text}` does not contain what is taken from it")
    return without_member(target, member)


def without_member(target: tuple[Any, ...], member: Value) -> tuple[Any, ...]:
    """A collection without the first of some equal members."""
    if member not in target:
        return target
    at = target.index(member)
    return target.without(at) if isinstance(target, Mixed) else target[:at] + target[at + 1 :]


def without_entry(target: Map, key: Value) -> Map:
    """A map without one entry."""
    return target.put(key, target.default)


def none_left(text: str) -> None:
    """A draw from an empty collection where nothing is said for that case."""
    raise Fault(codes.NO_ANSWER, f"nothing is left in `{text}` to draw")
