"""Which item of an old revision is which of a new one: by names, then equal text, clauses, and how much both say."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rulewright.frozen import dataclass as frozen
from rulewright.outline.items import Item, Name, Outline, Tokens

REMARKS = frozenset({"ruling", "outside", "void", "departs"})
"""Sorts of items that only people read."""


def likeness(before: Item, after: Item, names: Mapping[Name, Name]) -> float:
    """Which share of what two items and all inside them say is said by both, from 0 to 1.

    Known names are translated; of those inside a declaration, what it is called itself does not count.
    """
    return shared(shingles(before, names), shingles(after, {}))


def shared(mine: Counter[Tokens], others: Counter[Tokens]) -> float:
    """Which share of two bags is in both, from 0 to 1."""
    return 2 * (mine & others).total() / max(1, mine.total() + others.total())


def shingles(item: Item, names: Mapping[Name, Name]) -> Counter[Tokens]:
    """What an item and all inside it say, item by item; known names are translated."""
    said = (tuple(_bare(token, names) for token in (*each.form, each.title)) for each in item.inside())
    return Counter((each.id if each is not item else "", *what) for each, what in zip(item.inside(), said, strict=True))


def _bare(token: str | Name, names: Mapping[Name, Name]) -> str:
    if not isinstance(token, Name):
        return token
    name = names.get(token, token)
    return f"{name.sort}:{name.last}" if name.owner else str(name)


_ALIKE = 0.5
_NEAR = 10
"""How far apart, among those that are left over, two lines are looked at for likeness, however many there are."""
_MOST_PAIRS = 20_000
"""How many pairs of lines are looked at where there are fewer."""
_BOTH = 2
"""What two lines share that are lines of one sort: each itself, once in both."""


def translated(said: Tokens, names: Mapping[Name, Name]) -> Tokens:
    """Tokens of the old revision with the names of the new one."""
    return tuple(names.get(token, token) if isinstance(token, Name) else token for token in said)


_Items = Sequence[Item]
_Places = Iterator[tuple[int, int]]


@dataclass
class Partners:
    """Finds partners; names lead from the first parent's revision to the second's."""

    names: Mapping[Name, Name]
    _deep: dict[int, Hashable] = field(default_factory=dict)
    _borne: frozenset[Name] = field(init=False)

    def __post_init__(self) -> None:
        self._borne = frozenset(self.names.values())

    def of(self, old: Sequence[Item], new: Sequence[Item]) -> dict[int, int]:
        """Places in the second by places in the first."""
        found: dict[int, int] = {}
        taken: set[int] = set()
        for stage in (self._by_name, self._by_all, self._by_cites, self._by_form, self._by_likeness, self._by_place):
            named = stage == self._by_name
            left = [a for a, item in enumerate(old) if a not in found and (named or _is_known_by_text(item))]
            right = [b for b, item in enumerate(new) if b not in taken and (named or _is_known_by_text(item))]
            for a, b in stage(old, new, left, right):
                if a not in found and b not in taken:
                    found[a] = b
                    taken.add(b)
        return found

    def _by_name(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        named: dict[Hashable, int] = {}
        for b in reversed(right):
            item = new[b]
            if item.name or item.id:
                named[item.name or (item.sort, item.id)] = b
        for a in left:
            key = self._key(old[a])
            if key in named:
                yield a, named[key]

    def _key(self, item: Item) -> Hashable:
        """What an item is called in the second revision; none where it has no name, or another bears it now."""
        if item.name is None:
            return (item.sort, item.id) if item.id else None
        new = self.names.get(item.name)
        return new or (None if item.name in self._borne else item.name)

    def _by_all(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        yield from _runs(
            [self.deep(old[a], self.names) for a in left], [self.deep(new[b], {}) for b in right], left, right
        )

    def _by_form(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        mine, others = (
            [each for each in row if not _is_all_inside(of[each])] for row, of in ((left, old), (right, new))
        )
        said = [(bool(old[a].id), translated(old[a].form, self.names)) for a in mine]
        yield from _runs(said, [(bool(new[b].id), new[b].form) for b in others], mine, others)

    def _by_cites(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        mine, others = _by_clauses(old, left), _by_clauses(new, right)
        for a in left:
            same = {b for each in _clauses(old[a]) for b in others.get(each, ())}
            if len(same) == 1:
                (b,) = same
                if {c for each in _clauses(new[b]) for c in mine.get(each, ())} == {a}:
                    yield a, b

    def _by_likeness(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        near = max(_NEAR, _MOST_PAIRS // max(1, len(left)))
        scored = sorted(
            (-self._alike(old[a], new[b]), abs(a - b), a, b)
            for place, a in enumerate(left)
            for b in right[max(0, place - near) : place + near]
            if _does(old[a]) == _does(new[b])
        )
        yield from ((a, b) for unlike, _, a, b in scored if -unlike >= _ALIKE)

    def _by_place(self, old: _Items, new: _Items, left: list[int], right: list[int]) -> _Places:
        """A line alone of its sort between the same neighbours, where neither bears a name."""
        mine = Counter(_does(old[a]) for a in left)
        others: dict[Hashable, list[int]] = defaultdict(list)
        for b in right:
            if not new[b].id:
                others[_does(new[b])].append(b)
        for a in left:
            same = [] if old[a].id else others[_does(old[a])]
            if len(same) == 1 and mine[_does(old[a])] == 1 and self._could_be(old[a], new[same[0]]):
                yield a, same[0]

    def _could_be(self, old: Item, new: Item) -> bool:
        """Whether two lines have something in common: their first conditions, where these are all they say, or more."""
        if not (_is_all_inside(old) and _is_all_inside(new)):
            return True
        inside = sum(1 for item in (old, new) for _ in item.inside())
        more = round(likeness(old, new, self.names) * inside) > _BOTH
        return more or self._own(old.items[0], new.items[0]) >= _ALIKE

    def _own(self, old: Item, new: Item) -> float:
        """How much of what two items say themselves is the same, from 0 to 1."""
        return SequenceMatcher(None, translated(old.form, self.names), new.form, autojunk=False).ratio()

    def _alike(self, old: Item, new: Item) -> float:
        if _is_all_inside(old):
            return likeness(old, new, self.names)
        own = self._own(old, new)
        return (own + likeness(old, new, self.names)) / 2 if old.items and new.items else own

    def deep(self, item: Item, names: Mapping[Name, Name]) -> Hashable:
        """What an item and all inside it say."""
        known = self._deep.get(id(item))
        if known is None:
            inside = tuple(self.deep(each, names) for each in item.items)
            known = self._deep[id(item)] = hash((item.id, translated(item.form, names), inside))
        return known


def _is_known_by_text(item: Item) -> bool:
    """Whether an item can be known again under another name: not a declaration, whose renames are found before."""
    return item.sort not in REMARKS and (item.name is None or item.name.sort in {"step", "parameter"})


def _does(item: Item) -> Hashable:
    """What sort an item is of, and of a line what it does."""
    return item.sort, item.parts[:1] if item.sort == "line" else None


def _is_all_inside(item: Item) -> bool:
    """Whether all that a line says is said by its branches."""
    return bool(item.items) and all(each.sort in {"branch", "else"} for each in item.items)


def _clauses(item: Item) -> list[Hashable]:
    """The clauses of a margin, each with what bears it does."""
    return [(_does(item), each) for each in item.cites]


def _by_clauses(items: _Items, places: Sequence[int]) -> Mapping[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place in places:
        for each in _clauses(items[place]):
            found[each].append(place)
    return found


def _runs(
    mine: Sequence[Hashable], others: Sequence[Hashable], left: list[int], right: list[int]
) -> Iterator[tuple[int, int]]:
    """Equal ones in the same order, then equal ones anywhere."""
    taken: set[int] = set()
    used: set[int] = set()
    for block in SequenceMatcher(None, mine, others, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            used.add(block.a + step)
            taken.add(block.b + step)
            yield left[block.a + step], right[block.b + step]
    free: dict[Hashable, list[int]] = defaultdict(list)
    for where in reversed(range(len(others))):
        if where not in taken:
            free[others[where]].append(where)
    for number, each in enumerate(mine):
        if number not in used and free[each]:
            yield left[number], right[free[each].pop()]


@frozen(frozen=True, slots=True)
class Pair:
    """An item in both revisions, with what stands inside it: pairs, and items of one revision only, in order."""

    old: Item  # as it was
    new: Item  # as it is
    moved: bool  # whether it stands elsewhere, and its place counts
    # pairs and single items in the order of the new revision; what was removed stands where it was
    inside: "tuple[Match, ...]"


@frozen(frozen=True, slots=True)
class Gone:
    """An item of the old revision only."""

    item: Item


@frozen(frozen=True, slots=True)
class Fresh:
    """An item of the new revision only."""

    item: Item


Match = Pair | Gone | Fresh


def match(old: Outline, new: Outline, names: Mapping[Name, Name], *, turned: bool) -> tuple[Match, ...]:
    """Matches two outlines whose names are known, from the new one to the old one where it is turned."""
    if turned:
        back = {after: before for before, after in names.items()}
        return _Tree(Partners(back), turned=True).matches(old.items, new.items)
    return _Tree(Partners(names), turned=False).matches(old.items, new.items)


def is_turned(old: Outline, new: Outline) -> bool:
    """Whether two outlines are compared from the new one to the old one: always in the same direction."""
    return _said(old) > _said(new)


def _said(outline: Outline) -> list[str]:
    return [f"{item.sort} {item.id} {item.text}" for item in outline.every()]


@frozen(frozen=True, slots=True)
class _Tree:
    """Puts partners into a tree, in the order of the new revision."""

    partners: "Partners"
    turned: bool

    def matches(self, old: Sequence[Item], new: Sequence[Item]) -> tuple[Match, ...]:
        """The items of two parents that are the same."""
        partner, staying = self._partners(old, new)
        back = {b: a for a, b in partner.items()}
        found: list[tuple[float, Match]] = []
        for b, item in enumerate(new):
            if b in back:
                moved = old[back[b]].ordered and item.ordered and back[b] not in staying
                found.append((b, Pair(old[back[b]], item, moved, self.matches(old[back[b]].items, item.items))))
            else:
                found.append((b, Fresh(item)))
        for a, item in enumerate(old):
            if a not in partner:
                before = max((partner[each] for each in partner if each < a), default=-1)
                found.append((before + 0.5, Gone(item)))
        return tuple(each for _, each in sorted(found, key=lambda pair: pair[0]))

    def _partners(self, old: Sequence[Item], new: Sequence[Item]) -> tuple[dict[int, int], frozenset[int]]:
        """New places by old ones, and the old places of what kept its order."""
        if not self.turned:
            found = self.partners.of(old, new)
            return found, _in_order([(a, b) for a, b in found.items() if old[a].ordered and new[b].ordered])
        back = self.partners.of(new, old)
        kept = _in_order([(b, a) for b, a in back.items() if old[a].ordered and new[b].ordered])
        return {a: b for b, a in back.items()}, frozenset(back[b] for b in kept)


def _in_order(pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The old places of as many pairs as possible that stand in the same order in both."""
    ordered = sorted(pairs)
    heaps: list[list[int]] = []  # which pairs end a row of so many at best, each before those above it, as numbers
    before: list[int] = []  # of each pair the one before it in its longest row; -1 for none
    for number, (_, b) in enumerate(ordered):
        length = bisect_left(heaps, b, key=lambda heap: ordered[heap[-1]][1])
        below = heaps[length - 1] if length else []
        before.append(below[bisect_right(below, -b, key=lambda each: -ordered[each][1])] if length else -1)
        if length == len(heaps):
            heaps.append([])
        heaps[length].append(number)
    found: set[int] = set()
    number = heaps[-1][0] if heaps else -1
    while number >= 0:
        found.add(ordered[number][0])
        number = before[number]
    return frozenset(found)
