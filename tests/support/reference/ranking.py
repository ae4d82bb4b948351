"""Ranks, in the words of the manual: groups of equal members, told apart key by key."""

from collections.abc import Generator
from itertools import groupby, permutations
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from support.reference import chance_lines
from support.reference.evaluation import list_bound_members
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Die, Env, JudgedFault, locate_faults

if TYPE_CHECKING:
    from support.reference.judge import Judge

Member = tuple[Any, Env]
Groups = list[list[Member]]
Run = Generator[JudgeRequest, Any, Groups]


def rank_members(judge: "Judge", env: Env, line: st.Rank) -> Generator[JudgeRequest, Any, tuple[Any, ...]]:
    """The members from head to tail."""
    groups = [
        (yield from judge.compute_with_externals(lambda: list(list_bound_members(judge.world, env, line.binding))))
    ]
    for key in line.keys:
        if key.dice is not None:
            with locate_faults(key.address):
                groups = yield from _rank_by_dice(judge, key, groups)
        elif key.best == "ask":
            groups = yield from _rank_by_order(judge, key, groups)
        else:
            groups = yield from _rank_by_value(judge, key, groups)
    if any(len(group) > 1 for group in groups):
        raise JudgedFault("RW0835")
    return tuple(item for group in groups for item, _ in group)


def _split_group(group: list[Member], values: list[Any], key: st.RankKey) -> Groups:
    """A group as several, best first."""
    wanted = sorted(set(values), reverse=key.best == "highest")
    return [[each for each, value in zip(group, values, strict=True) if value == best] for best in wanted]


def _rank_by_value(judge: "Judge", key: st.RankKey, groups: Groups) -> Run:
    found: Groups = []
    for group in groups:
        if len(group) < 2:
            found.append(group)
            continue
        values = []
        for _, inner in group:
            values.append((yield from judge.evaluate_expression(inner, key.value)))
        found += _split_group(group, values, key)
    return found


def _rank_by_dice(judge: "Judge", key: st.RankKey, groups: Groups) -> Run:
    """Rounds of dice, each for all who are still equal, from head to tail."""
    while any(len(group) > 1 for group in groups):
        tied = [member for group in groups if len(group) > 1 for member in group]
        sums = iter((yield from _roll_round(judge, key, tied)))
        found: Groups = []
        for group in groups:
            found += [group] if len(group) < 2 else _split_group(group, [next(sums) for _ in group], key)
        groups = found
    return groups


def _roll_round(judge: "Judge", key: st.RankKey, tied: list[Member]) -> Generator[JudgeRequest, Any, list[int]]:
    throwers = set()
    heaps: list[tuple[Env, st.Dice, int]] = []
    options: list[chance_lines.Options] = []
    owners: list[int] = []
    for position, (_, inner) in enumerate(tied):
        throwers.add((yield from judge.evaluate_expression(inner, key.value)))
        for part in key.dice or ():
            count = 1 if part.count is None else max(0, (yield from judge.evaluate_expression(inner, part.count)))
            heaps.append((inner, part, count))
            options.append((yield from chance_lines.evaluate_options(judge, inner, part.options)))
            owners.append(position)
    faces = [chance_lines.list_faces(judge, inner, part.die) for inner, part, count in heaps for _ in range(count)]
    if all(len(sides) == 1 for sides in faces):
        raise JudgedFault("RW0836")
    asked = JudgeRequest("roll", key.address, throwers.pop() if len(throwers) == 1 else None, faces=tuple(faces))
    answers = yield asked
    fallen = [Die(sides, face, face, "") for sides, face in zip(faces, answers, strict=True)]
    dice = [[fallen.pop(0) for _ in range(count)] for _, _, count in heaps]
    for given, heap in zip(options, dice, strict=True):
        for option in given:
            chance_lines.keep_or_drop_dice(option, heap)
    for given, heap in zip(options, dice, strict=True):
        for option in given:
            heap.extend((yield from chance_lines.explode_dice(option, list(heap), asked)))
    sums = [0] * len(tied)
    for owner, heap in zip(owners, dice, strict=True):
        sums[owner] += sum(die.face for die in heap if die.kept)
    return sums


def _rank_by_order(judge: "Judge", key: st.RankKey, groups: Groups) -> Run:
    """Each unbroken row of members of one owner, in the order that the owner gives it."""
    owned = []
    for group in groups:
        mine = []
        for member in group:
            mine.append(((yield from judge.evaluate_expression(member[1], key.value)), member))
        if len({owner for owner, _ in mine}) > 1:
            raise JudgedFault("RW0835")
        owned += mine
    found: Groups = []
    for owner, run in groupby(owned, key=lambda pair: pair[0]):
        row = [member for _, member in run]
        if len(row) > 1:
            items = tuple(item for item, _ in row)
            legal = tuple(dict.fromkeys(permutations(items)))
            answer = yield JudgeRequest("order", key.address, owner, legal=legal, items=items)
            row = [(item, {}) for item in answer]
        found += [[member] for member in row]
    return found
