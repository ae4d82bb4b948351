"""Ranks: members put in order by one key after another; neighbours that no key has told apart yet are tied."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from rulewright.runtime import faults
from rulewright.runtime.faults import Fault


class Ranking(NamedTuple):
    """Members in the order so far."""

    order: tuple[Any, ...]
    sizes: tuple[int, ...]  # of the groups of tied members, from head to tail
    passed: int  # number of members before the next row that its owner may have to order
    keys: tuple[int, ...]  # positions of the keys that told members apart


def make_ranking(members: tuple[Any, ...]) -> Ranking:
    """A rank in which all members are tied."""
    return Ranking(members, (len(members),) if members else (), 0, ())


def list_tied_members(ranking: Ranking) -> tuple[Any, ...]:
    """Members tied with another, from head to tail."""
    return tuple([item for group in _split_in_groups(ranking, ranking.order) if len(group) > 1 for item in group])


def _split_in_groups(ranking: Ranking, values: Sequence[Any]) -> list[Sequence[Any]]:
    """What stands for each member, by groups of tied members."""
    result, start = [], 0
    for size in ranking.sizes:
        result.append(values[start : start + size])
        start += size
    return result


def split_ties(ranking: Ranking, values: Sequence[Any], key: int, high: bool) -> Ranking:  # noqa: FBT001
    """The rank with groups split by values given for all tied members, from head to tail."""
    rest, order, sizes = iter(values), list[Any](), list[int]()
    for group in _split_in_groups(ranking, ranking.order):
        valued = [(next(rest) if len(group) > 1 else 0, item) for item in group]
        order += [item for _, item in sorted(valued, key=lambda pair: pair[0], reverse=high)]
        counts = Counter(value for value, _ in valued)
        sizes += [counts[value] for value in sorted(counts, reverse=high)]
    keys = _add_key(ranking, key) if len(sizes) > len(ranking.sizes) else ranking.keys
    return Ranking(tuple(order), tuple(sizes), ranking.passed, keys)


def _add_key(ranking: Ranking, key: int) -> tuple[int, ...]:
    return ranking.keys if key in ranking.keys else (*ranking.keys, key)


def find_only_owner(owners: tuple[int, ...]) -> int | None:
    """The only player among owners, or none."""
    players = set(owners)
    return players.pop() if len(players) == 1 else None


def find_row(ranking: Ranking, owners: tuple[int, ...]) -> tuple[int, tuple[Any, ...]] | None:
    """Owner and members of the next unbroken row of members of one owner that is to be ordered.

    Raises:
        Fault: members of several owners are tied.
    """
    if any(len(set(group)) > 1 for group in _split_in_groups(ranking, owners)):
        raise Fault(faults.RANK_LEFT_EQUAL, "members of several players are still equal where they are to be ordered")
    start, end = _find_row_bounds(ranking, owners)
    return (owners[start], ranking.order[start:end]) if end > start else None


def _find_row_bounds(ranking: Ranking, owners: tuple[int, ...]) -> tuple[int, int]:
    """Where the next row of several members begins and ends; behind the last row both are the end."""
    start = ranking.passed
    while start < len(owners):
        end = start
        while end < len(owners) and owners[end] == owners[start]:
            end += 1
        if end > start + 1:
            return start, end
        start = end
    return start, start


def pass_row(ranking: Ranking, owners: tuple[int, ...]) -> Ranking:
    """The rank behind the row that `find_row` finds; behind the last nobody is tied."""
    start, end = _find_row_bounds(ranking, owners)
    return ranking._replace(passed=end) if end > start else ranking._replace(sizes=(1,) * len(ranking.order))


def order_row(ranking: Ranking, members: tuple[Any, ...], key: int) -> Ranking:
    """The rank with the row just passed in an order."""
    before, end = ranking.order, ranking.passed
    order = (*before[: end - len(members)], *members, *before[end:])
    return ranking._replace(order=order, keys=ranking.keys if order == before else _add_key(ranking, key))


def list_ranking(ranking: Ranking) -> tuple[Any, ...]:
    """The members in order.

    Raises:
        Fault: some are still tied.
    """
    if any(size > 1 for size in ranking.sizes):
        tied = sum(size for size in ranking.sizes if size > 1)
        raise Fault(faults.RANK_LEFT_EQUAL, f"{tied} members are equal by every key")
    return ranking.order
