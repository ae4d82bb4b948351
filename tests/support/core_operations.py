"""The operations of core on plain values, a row each; `rulewright.program.core.operations` says what they mean.

Where a meaning is that of a function of the language, on cells and on the plane, it is the judge's. Faults are those of
the judge, by code.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, product
from math import ceil, floor
from operator import add, eq, ge, gt, le, lt, mul, neg, not_, sub
from typing import Any

from rulewright.program.types import Type
from rulewright.runtime.values import GameMap, make_set, order_key, sort_values
from support.reference import grid_geometry, plane_functions, plane_geometry, pose_samples
from support.reference.operators import fits_type
from support.reference.world import JudgedFault, World

Members = tuple[Any, ...]
Cell = tuple[int, int]
THOUSANDTHS, HUNDREDTHS = 1000, 100
"""Parts in which lengths and angles are held."""


def apply_operation(world: World, name: str, facts: Members, given: Members) -> Any:
    """What an operation gives: constants come before arguments, what it reads of the play before both."""
    if name in OPERATIONS_ON_VALUES:
        return OPERATIONS_ON_VALUES[name](*facts, *given)
    return OPERATIONS_IN_PLAY[name](world, *facts, *given)


# Numbers.


def _divide(left: Any, right: Any) -> Any:
    if right == 0:
        raise JudgedFault("RW0804")
    return _as_number(Fraction(left) / Fraction(right))


def _as_number(exact: Fraction) -> int | Fraction:
    return int(exact) if exact.denominator == 1 else exact


def _round(number: Any) -> int:
    size = floor(Fraction(abs(number)) + Fraction(1, 2))
    return size if number >= 0 else -size


def _round_to_parts(number: Any, parts: int) -> Any:
    return None if number is None else _as_number(Fraction(_round(Fraction(number) * parts), parts))


# Collections.


def _get_item(members: Members, position: int) -> Any:
    if not 1 <= position <= len(members):
        raise JudgedFault("RW0806")
    return members[position - 1]


def _get_answer(answers: GameMap, player: int) -> Any:
    if answers[player] is None:
        raise JudgedFault("RW0802")
    return answers[player]


def _replace_part(position: int, parts: Members, new: Any) -> Members:
    return (*parts[:position], new, *parts[position + 1 :])


def _replace_item(members: Members, position: int, new: Any) -> Members:
    _get_item(members, position)
    return _replace_part(position - 1, members, new)


def _remove_first(members: Members, member: Any) -> Members:
    at = members.index(member) if member in members else len(members)
    return members[:at] + members[at + 1 :]


def _take(members: Members, member: Any) -> Members:
    if member not in members:
        raise JudgedFault("RW0821")
    return _remove_first(members, member)


def _remove_each(members: Members, removed: Iterable[Any]) -> Members:
    for each in removed:
        members = _remove_first(members, each)
    return members


def _find_position(member: Any, members: Members) -> int:
    if member not in members:
        raise JudgedFault("RW0806")
    return members.index(member) + 1


def _get_other(member: Any, pair: Members) -> Any:
    if len(pair) != 2 or member not in pair:
        raise JudgedFault("RW0817")
    return pair[1] if pair[0] == member else pair[0]


def _turn_to_start(members: Members, first: Any) -> Members:
    at = members.index(first) if first in members else 0
    return members[at:] + members[:at]


def _narrow(type_: Type, value: Any) -> Any:
    if not fits_type(value, type_):
        raise JudgedFault("RW0802" if value is None else "RW0801")
    return value


# Ranks.


@dataclass(frozen=True)
class Rank:
    """Members from head to tail: sizes of the groups that are tied, and how many stand before the next row."""

    order: Members
    sizes: tuple[int, ...]
    passed: int = 0

    def split_in_groups(self, members: Iterable[Any]) -> list[Members]:
        """What stands for each member, group by group."""
        rest = iter(members)
        return [tuple(next(rest) for _ in range(size)) for size in self.sizes]

    def find_row(self, owners: Members) -> tuple[int, int] | None:
        """Begin and end of the next row of several members of one owner, each with its owner in this order."""
        begin = self.passed
        for _, row in groupby(owners[begin:]):
            end = begin + len(list(row))
            if end - begin > 1:
                return begin, end
            begin = end
        return None


def _list_tied(rank: Rank) -> Members:
    return tuple(each for group in rank.split_in_groups(rank.order) if len(group) > 1 for each in group)


def _split_ties(_key: int, highest: bool, rank: Rank, values: Members) -> Rank:
    given, order, sizes = iter(values), list[Any](), list[int]()
    for group in rank.split_in_groups(rank.order):
        valued: list[tuple[Any, Any]] = [(next(given) if len(group) > 1 else 0, each) for each in group]
        for wanted in sorted({value for value, _ in valued}, reverse=highest):
            parted = [each for value, each in valued if value == wanted]
            order += parted
            sizes.append(len(parted))
    return Rank(tuple(order), tuple(sizes))


def _find_row(rank: Rank, owners: Members) -> tuple[Any, Members] | None:
    if any(len(set(group)) > 1 for group in rank.split_in_groups(owners)):
        raise JudgedFault("RW0835")
    found = rank.find_row(owners)
    return None if found is None else (owners[found[0]], rank.order[slice(*found)])


def _pass_row(rank: Rank, owners: Members) -> Rank:
    found = rank.find_row(owners)
    return Rank(rank.order, (1,) * len(rank.order)) if found is None else replace(rank, passed=found[1])


def _replace_row(_key: int, rank: Rank, members: Members) -> Rank:
    begin = rank.passed - len(members)
    return replace(rank, order=(*rank.order[:begin], *members, *rank.order[rank.passed :]))


def _list_ranking(rank: Rank) -> Members:
    if max(rank.sizes, default=1) > 1:
        raise JudgedFault("RW0835")
    return rank.order


# Cells.


def _measure_steps(space: str, a: Cell | None, b: Cell | None) -> int:
    if a is None or b is None:
        raise JudgedFault("RW0822")
    return grid_geometry.count_steps(a, b, space)


def _find_direction(space: str, a: Cell | None, b: Cell | None) -> int:
    if a is None or b is None:
        raise JudgedFault("RW0822")
    if a == b:
        raise JudgedFault("RW0806")
    return grid_geometry.find_direction(a, b, space)


def _list_on_board(world: World, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(sorted(each for each in cells if world.is_on_board(each)))


def _list_destinations(
    world: World,
    board: str,
    space: str,
    spent_counts: bool,
    moves_count: bool,
    start: Cell,
    enter: Callable[[Cell, Cell, Any, int], tuple[Any, bool] | None],
    end: Callable[[Cell, Cell, Any, int], bool | None],
) -> tuple[Cell, ...]:
    """All ways walked at once; ways that have come to one cell are one where no row asks by what they came."""
    found = {start} if end(start, start, 0, 0) else set()
    visited = {(start, 0, 0)}
    under_way = [(start, 0, 0)]
    while under_way:
        left, before, moved = under_way.pop(0)
        for entered in grid_geometry.list_neighbours(left, space):
            judged = enter(left, entered, before, moved + 1) if entered in world.start.base.boards[board] else None
            if judged is None:
                continue
            spent, halts = judged
            ends = end(left, entered, spent, moved + 1)
            if ends or (ends is None and entered != start):
                found.add(entered)
            way = (entered, spent if spent_counts else 0, moved + 1 if moves_count else 0)
            if not halts and way not in visited:
                visited.add(way)
                under_way.append(way)
    return tuple(sorted(found))


def _list_connected(world: World, kind: str | None, start: Any, related: Callable[[Any, Any], bool]) -> Members:
    found, here = {start}, [start]
    members = list_in_play(world, kind) if kind else tuple(each for b in world.start.base.boards.values() for each in b)
    while here:
        one = here.pop()
        more = [each for each in members if each not in found and related(one, each)]
        found.update(more)
        here += more
    return sort_values(found)


# Things and what stands on the plane.


def list_in_play(world: World, kind: str) -> tuple[int, ...]:
    """The things of a kind in play."""
    return tuple(each for each in world.list_ids(kind) if each not in world.game.gone[kind])


def _list_occupants(world: World, kind: str, cell: Cell | None) -> tuple[int, ...]:
    places = world.game.attributes[f"{kind}/at"]
    return tuple(each for each in list_in_play(world, kind) if places[each] == cell)


def is_within_edges(world: World, point: Any) -> bool:
    """Whether a point is none or on the board of the plane."""
    plane = world.start.base.plane
    return point is None or all(
        end is None or 0 <= part <= end for part, end in zip(point, (plane.width, plane.depth), strict=True)
    )


def _of_bodies(name: str) -> Callable[..., Any]:
    """A function of the plane on two bodies, whose types are the first constant."""

    def compute(world: World, types: tuple[Type, ...], _places: Any, *given: Any) -> Any:
        return plane_functions.compute_plane_function(world, name, types, given)

    return compute


# Dice.


def _list_kept_dice(world: World, pool: int) -> tuple[tuple[int, int], ...]:
    return tuple((pool, at) for at, die in enumerate(world.rolls[pool]) if die.kept)


def _read_die(world: World, attribute: str, die: tuple[int, int]) -> Any:
    lies = world.rolls[die[0]][die[1]]
    return lies.face if attribute == "natural" else getattr(lies, attribute)


def _total(world: World, dice: Any) -> Any:
    if isinstance(dice, tuple):
        return _read_die(world, "face", dice)
    return sum(die.face for die in world.rolls[dice] if die.kept)


OPERATIONS_ON_VALUES: Mapping[str, Callable[..., Any]] = {
    # Numbers.
    "add": add,
    "subtract": sub,
    "multiply": mul,
    "divide": _divide,
    "negate": neg,
    "absolute": abs,
    "floor": floor,
    "ceiling": ceil,
    "round": _round,
    "least": lambda *given: min(given),
    "greatest": lambda *given: max(given),
    "count of": len,
    "shift word": lambda last, word, steps: max(0, min(last, word + steps)),
    # Tests.
    "equal": eq,
    "less": lt,
    "at most": le,
    "more": gt,
    "at least": ge,
    "not": not_,
    "in": lambda member, members: member in members,
    # Collections.
    "set": lambda *given: make_set(given),
    "list": lambda *given: given,
    "bag": lambda *given: sort_values(given),
    "tuple": lambda *given: given,
    "map": GameMap.from_pairs,
    "interval": lambda low, high: tuple(range(low, high + 1)),
    "keys": lambda target: target.keys(),
    "part": lambda position, parts: parts[position],
    "entry": lambda target, key: target[key],
    "answer entry": _get_answer,
    "item": _get_item,
    "with part": _replace_part,
    "with entry": GameMap.with_entry,
    "with item": _replace_item,
    "with member": lambda members, member: make_set((*members, member)),
    "appended": lambda members, member: (*members, member),
    "bag with": lambda members, member: sort_values((*members, member)),
    "without": _remove_first,
    "taken": _take,
    "union": lambda left, right: make_set(left + right),
    "difference": lambda left, right: tuple(each for each in left if each not in right),
    "joined": lambda left, right: left + right,
    "list difference": _remove_each,
    "bag union": lambda left, right: sort_values(left + right),
    "bag difference": _remove_each,
    "position": _find_position,
    "other": _get_other,
    "sorted": lambda members: tuple(sorted(members, key=order_key, reverse=True)),
    "starting with": _turn_to_start,
    "pairs": lambda left, right: tuple(product(left, right)),
    "narrow": _narrow,
    # Cells and points.
    "cell": lambda x, y: (x, y),
    "step": lambda space, cell, direction: grid_geometry.step_towards(cell, direction, space),
    "distance": _measure_steps,
    "adjacent": lambda space, a, b: _measure_steps(space, a, b) == 1,
    "direction": _find_direction,
    "point": lambda x, y: tuple(int(_round_to_parts(each, THOUSANDTHS) * THOUSANDTHS) for each in (x, y)),
    "coordinate": lambda axis, point: Fraction(point[axis], THOUSANDTHS),
    "to thousandths": lambda number: _round_to_parts(number, THOUSANDTHS),
    "to angle": lambda number: None if number is None else _round_to_parts(number, HUNDREDTHS) % 360,
    "numbered faces": lambda count: tuple(range(1, count + 1)),
    # Ranks.
    "rank": lambda members: Rank(members, (len(members),) if members else ()),
    "tied": _list_tied,
    "split": _split_ties,
    "one owner": lambda owners: owners[0] if len(set(owners)) == 1 else None,
    "ranked": lambda rank: rank.order,
    "row": _find_row,
    "past row": _pass_row,
    "with row": _replace_row,
    "ranking": _list_ranking,
    # Windows.
    "turn order": lambda players, listed: tuple(each for each in dict.fromkeys((*listed, *players)) if each in players),
}
"""Operations that read nothing but their constants and arguments, which are given in this order."""

OPERATIONS_IN_PLAY: Mapping[str, Callable[..., Any]] = {
    # Things and boards.
    "gone among": lambda world, kind, things: tuple(each for each in things if each in world.game.gone[kind]),
    "occupants": _list_occupants,
    "connected": _list_connected,
    "on board": lambda world, cell: cell is None or world.is_on_board(cell),
    "neighbours": lambda world, space, cell: _list_on_board(world, grid_geometry.list_neighbours(cell, space)),
    "rear cells": lambda world, space, cell, facing: _list_on_board(
        world, grid_geometry.list_rear_cells(cell, facing, space)
    ),
    "destinations": _list_destinations,
    # The plane.
    "on plane": is_within_edges,
    "gap": _of_bodies("gap"),
    "plane distance": _of_bodies("distance"),
    "bearing": _of_bodies("bearing"),
    "segment": _of_bodies("segment"),
    "contact": _of_bodies("contact"),
    "touches": _of_bodies("touches"),
    "overlaps": _of_bodies("overlaps"),
    "aboard": _of_bodies("aboard"),
    "crosses": _of_bodies("crosses"),
    "in arc": _of_bodies("in_arc"),
    "sees": _of_bodies("sees"),
    "edge": _of_bodies("edge"),
    "fits": lambda world, _, pose: plane_functions.pose_fits(world, pose),
    "pose": plane_geometry.get_pose,
    "poses": lambda world, _, thing: tuple(pose_samples.list_pose_samples(world, thing)),
    # Dice.
    "kept dice": _list_kept_dice,
    "die": _read_die,
    "total": _total,
    "highest face": lambda world, die: max(_read_die(world, "faces", die)),
}
"""Operations that read the play as well, which is given first."""
