"""Legal answers of pick, split and order: lazy depth-first search with pruning, in the order of the language."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from math import comb, factorial, prod
from typing import Any, NamedTuple

from rulewright.base.frozen import dataclass
from rulewright.runtime import faults
from rulewright.runtime.dice import make_record
from rulewright.runtime.faults import Fault
from rulewright.runtime.pose_search import AnswerJudge, PoseQuestionData, PoseSearch
from rulewright.runtime.values import GameMap, sort_values
from rulewright.runtime.working_memory import (
    CONTROL,
    WorkingMemory,
)


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """A number of legal answers, or a lower bound if the search was not finished."""

    number: int
    exact: bool


class ItemQuestionData(NamedTuple):
    """Data of a request to pick, split or order items."""

    sort: str  # `pick`, `split` or `order`
    items: tuple[Any, ...]  # those to pick from, to share among or to order
    low: int  # least to pick; of a split the amount, of an order the number of items
    high: int  # most to pick; else the same as `low`
    required: str | None = None  # name of the function that judges `require`
    preferred: tuple[str, ...] = ()  # names of those that judge each `prefer`


def count_unrestricted(data: ItemQuestionData) -> int:
    """Number of answers of a pick, split or order without rows."""
    match data.sort:
        case "pick":
            return sum(comb(len(data.items), size) for size in range(data.low, data.high + 1))
        case "split":
            return comb(data.low + len(data.items) - 1, data.low)
        case _:
            return _count_orders(data.items)


def _count_orders(items: tuple[Any, ...]) -> int:
    return factorial(len(items)) // prod(map(factorial, Counter(items).values()))


def answer_at(data: ItemQuestionData, number: int) -> Any:
    """Answer by its rank below `count_unrestricted`, for a pick, split or order without rows (unranking)."""
    return {"pick": _pick_at, "split": _split_at}.get(data.sort, _order_at)(data.items, data.low, number)


def _pick_at(items: tuple[Any, ...], size: int, number: int) -> tuple[Any, ...]:
    while number >= comb(len(items), size):
        number -= comb(len(items), size)
        size += 1
    chosen: list[Any] = []
    for items_after, item in zip(range(len(items) - 1, -1, -1), items, strict=True):
        with_it = comb(items_after, size - len(chosen) - 1) if len(chosen) < size else 0
        if number < with_it:
            chosen.append(item)
        else:
            number -= with_it
    return tuple(chosen)


def _split_at(items: tuple[Any, ...], amount: int, number: int) -> GameMap:
    given: list[int] = []
    for items_after in range(len(items) - 2, -1, -1):
        here = 0
        while number >= comb(amount - here + items_after, items_after):
            number -= comb(amount - here + items_after, items_after)
            here += 1
        given.append(here)
        amount -= here
    return GameMap.from_pairs(0, zip(items, (*given, amount), strict=True))


def _order_at(items: tuple[Any, ...], _: int, number: int) -> tuple[Any, ...]:
    given: list[Any] = []
    while items:
        for fromkey in dict.fromkeys(items):
            at = items.index(fromkey)
            others = items[:at] + items[at + 1 :]
            order_count = _count_orders(others)
            if number < order_count:
                given.append(fromkey)
                items = others
                break
            number -= order_count
    return tuple(given)


NO_ANSWER_LEFT, FORCED_ANSWER, OPEN_QUESTION = 0, 1, 2


class NodeLimitReached(Exception):  # noqa: N818
    """More nodes than the language allows were visited."""


def generate_picks(items: tuple[Any, ...], low: int, high: int, count: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    """Subsets of a size from low to high, smaller first positions first."""

    def extend_pick(start: int, chosen: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        count()
        if len(chosen) >= low:
            yield chosen
        if len(chosen) < high:
            for at in range(start, len(items)):
                if len(chosen) + len(items) - at < low:
                    return
                yield from extend_pick(at + 1, (*chosen, items[at]))

    return extend_pick(0, ())


def generate_multisets(
    items: tuple[Any, ...], groups: Sequence[Sequence[int]], low: int, high: int, count: Callable[[], None]
) -> Iterator[tuple[Any, ...]]:
    """Subsets of a size from low to high, of like items the first ones: `groups` are the positions of those."""

    def extend_multiset(at: int, chosen: tuple[int, ...], rest: int) -> Iterator[tuple[Any, ...]]:
        count()
        if at == len(groups):
            yield tuple([items[item] for item in sorted(chosen)])
            return
        rest -= len(groups[at])
        for many in range(max(0, low - len(chosen) - rest), min(len(groups[at]), high - len(chosen)) + 1):
            yield from extend_multiset(at + 1, (*chosen, *groups[at][:many]), rest)

    return extend_multiset(0, (), len(items))


def generate_splits(items: tuple[Any, ...], amount: int, count: Callable[[], None]) -> Iterator[GameMap]:
    """Shares of an amount per item, fewest on the first items first."""

    def extend_split(at: int, rest: int, given: tuple[int, ...]) -> Iterator[GameMap]:
        count()
        if at == len(items) - 1:
            yield GameMap.from_pairs(0, zip(items, (*given, rest), strict=True))
            return
        for here in range(rest + 1):
            yield from extend_split(at + 1, rest - here, (*given, here))

    return extend_split(0, amount, ()) if items else iter([GameMap.from_pairs(0)] if amount == 0 else [])


def generate_orders(items: tuple[Any, ...], count: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    """Permutations of the items, equal ones once."""

    def extend_order(rest: tuple[Any, ...], given: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        count()
        if not rest:
            yield given
        for at, item in enumerate(rest):
            if item in rest[:at]:
                continue
            yield from extend_order(rest[:at] + rest[at + 1 :], (*given, item))

    return extend_order(items, ())


_NODES_PER_ANSWER = 4
"""Nodes allowed per answer when all answers are listed."""


class ItemSearch:
    """Legal answers of one pick, split or order."""

    def __init__(
        self,
        world: WorkingMemory,
        frame: list[Any],
        candidates: Callable[[Callable[[], None]], Iterator[Any]],
        required: AnswerJudge,
        preferred: tuple[AnswerJudge, ...],
    ) -> None:
        self._world = world
        self._frame = frame
        self._candidates = candidates
        self._required = required
        self._preferred = preferred
        self._visited = 0
        self.limit: int = world[CONTROL].limits.nodes  # nodes that may be visited in one pass
        self._claim_limit: int = world[CONTROL].limits.claim

    def _count_node(self) -> None:
        self._visited += 1
        if self._visited > self.limit:
            raise NodeLimitReached

    def _filter_satisfying(self, judges: tuple[AnswerJudge, ...]) -> Iterator[Any]:
        self._visited = 0
        for candidate in self._candidates(self._count_node):
            try:
                legal = all(judge is None or judge(self._world, self._frame, candidate) is None for judge in judges)
            except Fault as fault:
                if fault.code not in {faults.WORK_LIMIT, faults.SIZE_LIMIT}:
                    raise
                raise NodeLimitReached from fault
            if legal:
                yield candidate

    def select_judges(self) -> tuple[AnswerJudge, ...]:
        """Rows that every legal answer satisfies: `require`, and each `prefer` that some answer satisfies."""
        judges: tuple[AnswerJudge, ...] = (self._required,)
        for item in self._preferred:
            stricter = (*judges, item)
            try:
                if next(self._filter_satisfying(stricter), None) is not None:
                    judges = stricter
            except NodeLimitReached:
                continue
        return judges

    def find_witness(self) -> Any:
        """A legal answer, searched without the limit of nodes; none if there is none.

        Raises:
            NodeLimitReached: the limit of claims was hit.
        """
        result = next(self.iterate_answers(), None)
        if result is None:
            self.limit, before = self._claim_limit, self.limit
            try:
                result = next(self._filter_satisfying((self._required,)), None)
            finally:
                self.limit = before
        return result

    def count_answers(self) -> AnswerCount:
        """Number of legal answers, as far as the limit of nodes permits."""
        number = 0
        try:
            for _ in self._filter_satisfying(self.select_judges()):
                number += 1
        except NodeLimitReached:
            return AnswerCount(number, exact=False)
        return AnswerCount(number, exact=True)

    def iterate_answers(self) -> Iterator[Any]:
        """Legal answers; ends silently at the limit of nodes."""
        try:
            yield from self._filter_satisfying(self.select_judges())
        except NodeLimitReached:
            return

    def find_first_legal(self, candidates: Iterable[Any]) -> Any:
        """The first legal one of some answers; none if none is legal, or the limit of work is hit."""
        judges = self.select_judges()
        self._candidates = lambda _: iter(candidates)
        try:
            return next(self._filter_satisfying(judges), None)
        except NodeLimitReached:
            return None

    def list_all_answers(self, most: int) -> list[Any] | None:
        """All legal answers, searched beyond the limit; none if there are or may be more than `most`."""
        judges = self.select_judges()
        self.limit, before = max(self.limit, _NODES_PER_ANSWER * most), self.limit
        try:
            items = list(islice(self._filter_satisfying(judges), most + 1))
        except NodeLimitReached:
            return None
        finally:
            self.limit = before
        return items if len(items) <= most else None

    def list_answers_by_equivalence(
        self, data: ItemQuestionData, like: Callable[[Any], Hashable], most: int
    ) -> list[tuple[Any, int]] | None:
        """As `list_all_answers`, for a pick with interchangeable like members: one answer per class, with its size."""
        _, items, low, high, _, _ = data
        groups: dict[Hashable, list[int]] = {}
        for at, item in enumerate(items):
            groups.setdefault(like(item), []).append(at)
        self._candidates = lambda count: generate_multisets(items, [*groups.values()], low, high, count)
        result = self.list_all_answers(most)
        if result is None:
            return None
        result.sort(key=lambda answer: [items.index(each) for each in answer])
        often = [Counter(map(like, each)).items() for each in result]
        return [
            (each, prod([comb(len(groups[key]), many) for key, many in of]))
            for each, of in zip(result, often, strict=True)
        ]

    def classify_answers(self) -> tuple[int, Any]:
        """Whether there is none, a forced one, or something to ask."""
        try:
            items = list(islice(self._filter_satisfying(self.select_judges()), 2))
        except NodeLimitReached:
            return OPEN_QUESTION, None
        if len(items) == 1:
            return FORCED_ANSWER, items[0]
        return (OPEN_QUESTION, None) if items else (NO_ANSWER_LEFT, None)


def judge_pick(  # noqa: PLR0913, PLR0917
    world: WorkingMemory,
    frame: list[Any],
    items: list[Any],
    low: int,
    high: int,
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, ItemQuestionData]:
    """Judges a pick: the outcome, a forced answer, and the data of the request."""
    members, high = tuple(items), min(high, len(items))
    data = make_record(ItemQuestionData, ("pick", members, low, high, required, preferred))
    if required is None and not preferred:
        if high < low:
            return NO_ANSWER_LEFT, None, data
        if high == 0:
            return FORCED_ANSWER, (), data
        return (FORCED_ANSWER, members, data) if low == len(members) else (OPEN_QUESTION, None, data)
    return (*make_item_search(world, frame, data).classify_answers(), data)


def judge_split(  # noqa: PLR0913, PLR0917
    world: WorkingMemory,
    frame: list[Any],
    over: Iterable[Any],
    amount: int,
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, ItemQuestionData]:
    """Judges a split: the outcome, a forced answer, and the data of the request."""
    data = make_record(ItemQuestionData, ("split", sort_values(over), amount, amount, required, preferred))
    return (*make_item_search(world, frame, data).classify_answers(), data)


def judge_order(
    world: WorkingMemory,
    frame: list[Any],
    items: Iterable[Any],
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, ItemQuestionData]:
    """Judges an order: the outcome, a forced answer, and the data of the request."""
    members = tuple(items)
    data = make_record(ItemQuestionData, ("order", members, len(members), len(members), required, preferred))
    if required is None and not preferred:
        return (FORCED_ANSWER, members, data) if len(set(members)) <= 1 else (OPEN_QUESTION, None, data)
    return (*make_item_search(world, frame, data).classify_answers(), data)


def filter_allowed(
    world: WorkingMemory, frame: list[Any], items: tuple[Any, ...], required: str | None, preferred: tuple[str, ...]
) -> tuple[Any, ...]:
    """Answers, of a few, that the `require` and `prefer` rows allow."""
    functions = world[CONTROL].functions
    result = [item for item in items if required is None or functions[required](world, frame, item) is None]
    for name in preferred:
        result = [item for item in result if functions[name](world, frame, item) is None] or result
    return tuple(result)


def make_answer_search(
    world: WorkingMemory, frame: list[Any], data: ItemQuestionData | PoseQuestionData
) -> ItemSearch | PoseSearch:
    """Search for the legal answers of a request with this data."""
    return (
        PoseSearch(world, frame, data) if isinstance(data, PoseQuestionData) else make_item_search(world, frame, data)
    )


def make_item_search(world: WorkingMemory, frame: list[Any], data: ItemQuestionData) -> ItemSearch:
    """Search for the legal answers of a pick, split or order."""
    sort, items, low, high, required, preferred = data
    functions = world[CONTROL].functions

    def generate_candidates(count: Callable[[], None]) -> Iterator[Any]:
        match sort:
            case "pick":
                return generate_picks(items, low, high, count)
            case "split":
                return generate_splits(items, low, count)
            case _:
                return generate_orders(items, count)

    return ItemSearch(
        world,
        frame,
        generate_candidates,
        functions[required] if required else None,
        tuple(functions[item] for item in preferred),
    )
