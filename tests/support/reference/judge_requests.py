"""What the judge asks, the legal answers worked out one by one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from rulewright.program import statements as st
from rulewright.program.types import PlaneType
from rulewright.runtime.values import GameMap, sort_values
from support.reference import grid_geometry, pose_samples
from support.reference.evaluation import bind_member, evaluate, list_items
from support.reference.functions import judge_condition
from support.reference.world import Env, UnsupportedByJudge, World, remember_calls


@dataclass(frozen=True)
class JudgeRequest:
    """A stop of the judge.

    `legal` holds every legal answer of a decision; for `roll` it is none, and `faces` has the faces of every die.
    Where a thing is placed or turned on the plane it is none too: `tried` gives samples, `allows` judges any answer by its
    `require` rows, and `rank_preferred` says which `prefer` rows it satisfies, in order: others rule out what ranks lower.
    The address is that of the line without the numbers by which lines of one name are told apart.
    """

    sort: str
    address: str
    player: int | None
    legal: tuple[Any, ...] | None = None
    items: tuple[Any, ...] = ()
    faces: tuple[tuple[Any, ...], ...] = ()
    name: str = ""
    arguments: tuple[Any, ...] = ()
    tried: Callable[[], Iterator[Any]] | None = None
    allows: Callable[[Any], bool] | None = None
    claimable: bool = False
    rank_preferred: Callable[[Any], tuple[bool, ...]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "address", re.sub("#[0-9]+", "", self.address))


QUESTION_SORTS = {
    st.Whether: "whether",
    st.OneOf: "one",
    st.Pick: "pick",
    st.Split: "split",
    st.Order: "order",
    st.TurnHow: "turn",
    st.Choose: "choose",
}


def list_legal_answers(world: World, env: Env, line: st.Ask) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """All legal answers of a question, and what they are made of."""
    candidates, parts = _list_candidates(world, env, line.shape)
    index = line.variable.index
    found = [each for each in candidates if _is_allowed(world, env | {index: each}, line.demands)]
    for demand in line.demands:
        if demand.prefer:
            found = [
                each for each in found if judge_condition(world, env | {index: each}, demand) is not False
            ] or found
    return tuple(found), parts


def make_unlisted_request(world: World, env: Env, line: st.Ask, who: int) -> JudgeRequest | None:
    """The stop at a question whose answers cannot be listed; none for others."""
    index, called = line.variable.index, dict[Any, Any]()

    def allows(answer: Any) -> bool:
        with remember_calls(world, called):
            return _is_on_board(world, answer) and _is_allowed(world, env | {index: answer}, line.demands)

    def rank_preferred(answer: Any) -> tuple[bool, ...]:
        with remember_calls(world, called):
            inner = env | {index: answer}
            return tuple(judge_condition(world, inner, each) is not False for each in line.demands if each.prefer)

    match line.shape:
        case st.PlaceWhere(thing):
            number = evaluate(world, env, thing)
            sort, tried = "place", lambda: pose_samples.list_pose_samples(world, number)
        case st.TurnHow() if isinstance(line.variable.type, PlaneType):
            sort, tried = "heading", lambda: (Fraction(each, 100) for each in range(0, 36000, 25))
        case _:
            return None
    claimable = any(not each.prefer for each in line.demands)
    return JudgeRequest(
        sort, line.address, who, tried=tried, allows=allows, claimable=claimable,
        rank_preferred=rank_preferred if any(each.prefer for each in line.demands) else None,
    )  # fmt: skip


def _is_on_board(world: World, answer: Any) -> bool:
    if not isinstance(answer, tuple):
        return True
    extent = world.start.base.plane
    ends = zip(answer[1], (extent.width, extent.depth), strict=True)
    return all(end is None or 0 <= part <= end for part, end in ends)


def _is_allowed(world: World, env: Env, demands: tuple[st.Demand, ...]) -> bool:
    return all(each.prefer or judge_condition(world, env, each) is not False for each in demands)


def _list_candidates(world: World, env: Env, shape: st.Shape) -> tuple[list[Any], tuple[Any, ...]]:
    match shape:
        case st.Whether():
            yes = shape.guard is None or evaluate(world, env, shape.guard)
            return ([True, False] if yes else [False]), ()
        case st.OneOf():
            found = _list_members(world, env, shape.binding)
            return found, tuple(found)
        case st.Pick():
            low, high = evaluate(world, env, shape.low), evaluate(world, env, shape.high)
            found = _list_members(world, env, shape.binding)
            sizes = range(max(0, low), high + 1)
            places = sorted(each for size in sizes for each in combinations(range(len(found)), size))
            return [sort_values([found[at] for at in each]) for each in places], tuple(found)
        case st.Split():
            amount = evaluate(world, env, shape.amount)
            over = list_items(world, shape.over.type, evaluate(world, env, shape.over))
            return [
                GameMap.from_pairs(0, zip(over, each, strict=True)) for each in _list_splits(amount, len(over))
            ], tuple(over)
        case st.Order():
            found = list_items(world, shape.items.type, evaluate(world, env, shape.items))
            return list(dict.fromkeys(permutations(found))), tuple(found)
        case st.TurnHow():
            evaluate(world, env, shape.thing)
            return list(range(len(grid_geometry.GRID_STEPS[find_grid_space(world)]))), ()
        case st.Choose():
            return [each.id for each in shape.options if each.guard is None or evaluate(world, env, each.guard)], ()
        case _:
            raise UnsupportedByJudge(type(shape).__name__)


def _list_members(world: World, env: Env, binding: Any) -> list[Any]:
    source = dict.fromkeys(list_items(world, binding.source.type, evaluate(world, env, binding.source)))
    return [
        each
        for each in source
        if binding.where is None or evaluate(world, bind_member(env, binding, each), binding.where)
    ]


def _list_splits(amount: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 0:
        if amount == 0:
            yield ()
        return
    if places == 1:
        if amount >= 0:
            yield (amount,)
        return
    for first in range(amount + 1):
        for rest in _list_splits(amount - first, places - 1):
            yield (first, *rest)


def find_grid_space(world: World) -> str:
    """What the board is made of."""
    return next(
        (board.space for board in world.program.boards.values() if board.space in grid_geometry.GRID_STEPS), "hex"
    )
