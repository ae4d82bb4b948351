"""Legal answers of pick, split and order: lazily, depth first in the order of the language, with cuts."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from math import comb, factorial, prod
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine import codes
from rulewright.machine.faults import Fault
from rulewright.machine.placing.pose_search import Judge, Spots
from rulewright.machine.values import Map, in_order
from rulewright.machine.world import World


@dataclass(frozen=True, slots=True)
class Count:
    """A number of legal answers: so many, or at least so many where the search was not finished."""

    number: int
    exact: bool


def unrestricted(data: tuple[Any, ...]) -> int:
    """How many answers a pick, split or order has where no row judges them."""
    sort, items, low, high, *_ = data
    match sort:
        case "pick":
            return sum(comb(len(items), size) for size in range(low, high + 1))
        case "split":
            return comb(low + len(items) - 1, low)
        case _:
            return factorial(len(items)) // prod(map(factorial, Counter(items).values()))


def answer_at(data: tuple[Any, ...], number: int) -> Any:
    """The answer of a number below `unrestricted`, of a pick, split or order where no row judges answers."""
    sort, items, low, *_ = data
    return {"pick": _pick, "split": _split}.get(sort, _order)(items, low, number)


def _pick(items: tuple[Any, ...], size: int, number: int) -> tuple[Any, ...]:
    while number >= comb(len(items), size):
        number -= comb(len(items), size)
        size += 1
    chosen: list[Any] = []
    for left, each in zip(range(len(items) - 1, -1, -1), items, strict=True):
        with_it = comb(left, size - len(chosen) - 1) if len(chosen) < size else 0
        if number < with_it:
            chosen.append(each)
        else:
            number -= with_it
    return tuple(chosen)


def _split(items: tuple[Any, ...], amount: int, number: int) -> Map:
    given: list[int] = []
    for left in range(len(items) - 2, -1, -1):
        here = 0
        while number >= comb(amount - here + left, left):
            number -= comb(amount - here + left, left)
            here += 1
        given.append(here)
        amount -= here
    return Map.of(0, zip(items, (*given, amount), strict=True))


def _order(items: tuple[Any, ...], _: int, number: int) -> tuple[Any, ...]:
    given: list[Any] = []
    while items:
        for each in dict.fromkeys(items):
            at = items.index(each)
            others = items[:at] + items[at + 1 :]
            ways = unrestricted(("order", others, 0, 0))
            if number < ways:
                given.append(each)
                items = others
                break
            number -= ways
    return tuple(given)


NONE, FORCED, ASK = 0, 1, 2


class Exhausted(Exception):  # noqa: N818
    """More nodes than the language allows were visited."""


def picks(items: tuple[Any, ...], low: int, high: int, count: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    """Subsets of a size from low to high, smaller first positions first."""

    def below(start: int, chosen: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        count()
        if len(chosen) >= low:
            yield chosen
        if len(chosen) < high:
            for at in range(start, len(items)):
                if len(chosen) + len(items) - at < low:
                    return
                yield from below(at + 1, (*chosen, items[at]))

    return below(0, ())


def multisets(
    items: tuple[Any, ...], groups: Sequence[Sequence[int]], low: int, high: int, count: Callable[[], None]
) -> Iterator[tuple[Any, ...]]:
    """Subsets of a size from low to high, of like items the first ones: `groups` are the places of those."""

    def below(at: int, chosen: tuple[int, ...], rest: int) -> Iterator[tuple[Any, ...]]:
        count()
        if at == len(groups):
            yield tuple([items[each] for each in sorted(chosen)])
            return
        rest -= len(groups[at])
        for many in range(max(0, low - len(chosen) - rest), min(len(groups[at]), high - len(chosen)) + 1):
            yield from below(at + 1, (*chosen, *groups[at][:many]), rest)

    return below(0, (), len(items))


def splits(items: tuple[Any, ...], amount: int, count: Callable[[], None]) -> Iterator[Map]:
    """Counts for the items that add up, fewest on the first items first."""

    def below(at: int, rest: int, given: tuple[int, ...]) -> Iterator[Map]:
        count()
        if at == len(items) - 1:
            yield Map.of(0, zip(items, (*given, rest), strict=True))
            return
        for here in range(rest + 1):
            yield from below(at + 1, rest - here, (*given, here))

    return below(0, amount, ()) if items else iter([Map.of(0)] if amount == 0 else [])


def orders(items: tuple[Any, ...], count: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    """All orders of the items, those that look alike once."""

    def below(rest: tuple[Any, ...], given: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        count()
        if not rest:
            yield given
        for at, each in enumerate(rest):
            if each in rest[:at]:
                continue
            yield from below(rest[:at] + rest[at + 1 :], (*given, each))

    return below(items, ())


_NODES = 4
"""So many nodes are visited for each answer, where all are wanted."""


class Search:
    """The legal answers of one request."""

    def __init__(
        self,
        world: World,
        frame: list[Any],
        candidates: Callable[[Callable[[], None]], Iterator[Any]],
        required: Judge,
        preferred: tuple[Judge, ...],
    ) -> None:
        self._world = world
        self._frame = frame
        self._candidates = candidates
        self._required = required
        self._preferred = preferred
        self._visited = 0
        self.limit: int = world[0].limits.nodes  # nodes that may be visited in one pass
        self._whole: int = world[0].limits.claim

    def _count(self) -> None:
        self._visited += 1
        if self._visited > self.limit:
            raise Exhausted

    def _satisfying(self, judges: tuple[Judge, ...]) -> Iterator[Any]:
        self._visited = 0
        for each in self._candidates(self._count):
            try:
                legal = all(judge is None or judge(self._world, self._frame, each) is None for judge in judges)
            except Fault as fault:
                if fault.code not in {codes.WORK, codes.SIZE}:
                    raise
                raise Exhausted from fault
            if legal:
                yield each

    def judges(self) -> tuple[Judge, ...]:
        """The rows that every legal answer satisfies: `require`, and each `prefer` that some answer satisfies."""
        judges: tuple[Judge, ...] = (self._required,)
        for each in self._preferred:
            stricter = (*judges, each)
            try:
                if next(self._satisfying(stricter), None) is not None:
                    judges = stricter
            except Exhausted:
                continue
        return judges

    def witness(self) -> Any:
        """A legal answer, searched for without the limit; none where the whole search finds none.

        Raises:
            Exhausted: the limit of claims was hit.
        """
        found = next(self.answers(), None)
        if found is None:
            self.limit, before = self._whole, self.limit
            try:
                found = next(self._satisfying((self._required,)), None)
            finally:
                self.limit = before
        return found

    def counted(self) -> Count:
        """How many legal answers there are, as far as the limit lets them be found."""
        found = 0
        try:
            for _ in self._satisfying(self.judges()):
                found += 1
        except Exhausted:
            return Count(found, exact=False)
        return Count(found, exact=True)

    def answers(self) -> Iterator[Any]:
        """The legal answers; ends silently where the limit is hit."""
        try:
            yield from self._satisfying(self.judges())
        except Exhausted:
            return

    def first_of(self, candidates: Iterable[Any]) -> Any:
        """The first of some answers that is legal; none where none of them is, or the limit of work is hit."""
        judges = self.judges()
        self._candidates = lambda _: iter(candidates)
        try:
            return next(self._satisfying(judges), None)
        except Exhausted:
            return None

    def every(self, most: int) -> list[Any] | None:
        """All legal answers, searched for beyond the limit; none where there are more than so many, or may be."""
        judges = self.judges()
        self.limit, before = max(self.limit, _NODES * most), self.limit
        try:
            found = list(islice(self._satisfying(judges), most + 1))
        except Exhausted:
            return None
        finally:
            self.limit = before
        return found if len(found) <= most else None

    def every_alike(
        self, data: tuple[Any, ...], like: Callable[[Any], Hashable], most: int
    ) -> list[tuple[Any, int]] | None:
        """As `every`, of a pick whose members are judged alike where `like` is the same: one of each, and how many."""
        _, items, low, high, *_ = data
        groups: dict[Hashable, list[int]] = {}
        for at, each in enumerate(items):
            groups.setdefault(like(each), []).append(at)
        self._candidates = lambda count: multisets(items, [*groups.values()], low, high, count)
        found = self.every(most)
        if found is None:
            return None
        found.sort(key=lambda answer: [items.index(each) for each in answer])
        often = [Counter(map(like, each)).items() for each in found]
        return [
            (each, prod([comb(len(groups[key]), many) for key, many in of]))
            for each, of in zip(found, often, strict=True)
        ]

    def outcome(self) -> tuple[int, Any]:
        """Whether there is none, a forced one, or something to ask."""
        try:
            found = list(islice(self._satisfying(self.judges()), 2))
        except Exhausted:
            return ASK, None
        if len(found) == 1:
            return FORCED, found[0]
        return (ASK, None) if found else (NONE, None)


def pick(  # noqa: PLR0913, PLR0917
    world: World,
    frame: list[Any],
    items: list[Any],
    low: int,
    high: int,
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, tuple[Any, ...]]:
    """Judges a pick: the outcome, a forced answer, and the data of the request."""
    members, high = tuple(items), min(high, len(items))
    data = ("pick", members, low, high, required, preferred)
    if required is None and not preferred:
        if high < low:
            return NONE, None, data
        if high == 0:
            return FORCED, (), data
        return (FORCED, members, data) if low == len(members) else (ASK, None, data)
    return (*made_of_items(world, frame, data).outcome(), data)


def split(  # noqa: PLR0913, PLR0917
    world: World,
    frame: list[Any],
    over: Iterable[Any],
    amount: int,
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, tuple[Any, ...]]:
    """Judges a split: the outcome, a forced answer, and the data of the request."""
    data = ("split", in_order(over), amount, amount, required, preferred)
    return (*made_of_items(world, frame, data).outcome(), data)


def order(
    world: World,
    frame: list[Any],
    items: Iterable[Any],
    required: str | None,
    preferred: tuple[str, ...],
) -> tuple[int, Any, tuple[Any, ...]]:
    """Judges an order: the outcome, a forced answer, and the data of the request."""
    members = tuple(items)
    data = ("order", members, len(members), len(members), required, preferred)
    if required is None and not preferred:
        return (FORCED, members, data) if len(set(members)) <= 1 else (ASK, None, data)
    return (*made_of_items(world, frame, data).outcome(), data)


def allowed(
    world: World, frame: list[Any], items: tuple[Any, ...], required: str | None, preferred: tuple[str, ...]
) -> tuple[Any, ...]:
    """The answers, of a few, that the `require` and `prefer` rows allow."""
    functions = world[0].functions
    found = [each for each in items if required is None or functions[required](world, frame, each) is None]
    for name in preferred:
        found = [each for each in found if functions[name](world, frame, each) is None] or found
    return tuple(found)


def search(world: World, frame: list[Any], data: tuple[Any, ...]) -> Search | Spots:
    """The search for the legal answers of a request with this data."""
    return Spots(world, frame, data) if data[0] in {"place", "heading"} else made_of_items(world, frame, data)


def made_of_items(world: World, frame: list[Any], data: tuple[Any, ...]) -> Search:
    """The search for the legal answers of a pick, split or order."""
    sort, items, low, high, required, preferred = data
    functions = world[0].functions

    def candidates(count: Callable[[], None]) -> Iterator[Any]:
        match sort:
            case "pick":
                return picks(items, low, high, count)
            case "split":
                return splits(items, low, count)
            case _:
                return orders(items, count)

    return Search(
        world,
        frame,
        candidates,
        functions[required] if required else None,
        tuple(functions[each] for each in preferred),
    )
