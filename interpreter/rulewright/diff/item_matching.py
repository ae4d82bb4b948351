"""Matching of the items of two outlines (tree matching): by name, equal text, clauses, then similarity."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rulewright.base.frozen import dataclass as frozen
from rulewright.program.outline.items import DeclaredName, FormTokens, Outline, OutlineItem

REMARK_SORTS = frozenset({"ruling", "outside", "void", "departs"})
"""Sorts of items that have no effect on play."""


def measure_similarity(before: OutlineItem, after: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> float:
    """Similarity of two items with everything inside them, from 0 to 1 (Dice coefficient of their shingles).

    Known names are translated; the names of inner declarations themselves do not count.
    """
    return sorensen_dice(count_shingles(before, names), count_shingles(after, {}))


def sorensen_dice(first: Counter[FormTokens], second: Counter[FormTokens]) -> float:
    """Sorensen-Dice coefficient of two multisets: twice the common size over the sum of sizes, from 0 to 1."""
    return 2 * (first & second).total() / max(1, first.total() + second.total())


def count_shingles(item: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> Counter[FormTokens]:
    """Multiset of the shingles of an item and all inside it, item by item; known names are translated."""
    token_rows = (
        tuple(_translate_shingle_token(token, names) for token in (*outline_item.form, outline_item.title))
        for outline_item in item.walk_subtree()
    )
    return Counter(
        (outline_item.id if outline_item is not item else "", *what)
        for outline_item, what in zip(item.walk_subtree(), token_rows, strict=True)
    )


def _translate_shingle_token(token: str | DeclaredName, names: Mapping[DeclaredName, DeclaredName]) -> str:
    if not isinstance(token, DeclaredName):
        return token
    name = names.get(token, token)
    return f"{name.sort}:{name.short_name}" if name.owner else str(name)


_MIN_PAIR_SIMILARITY = 0.5
_MIN_SIMILARITY_WINDOW = 10
"""Minimal distance, among unmatched lines, within which similarity is computed."""
_MAX_SCORED_PAIRS = 20_000
"""Pairs of lines whose similarity is computed; the window widens up to this number."""
_TRIVIAL_SHARED_SHINGLES = 2
"""Shingles that any two lines of one sort share, counted on both sides."""


def translate_names(tokens: FormTokens, names: Mapping[DeclaredName, DeclaredName]) -> FormTokens:
    """Tokens of the old revision with the names of the new one."""
    return tuple(names.get(token, token) if isinstance(token, DeclaredName) else token for token in tokens)


_ItemSequence = Sequence[OutlineItem]
_IndexPairs = Iterator[tuple[int, int]]


@dataclass
class ItemMatcher:
    """Matcher of siblings; `names` lead from the first parent's revision to the second's."""

    names: Mapping[DeclaredName, DeclaredName]
    _subtree_hashes: dict[int, Hashable] = field(default_factory=dict)
    _new_names: frozenset[DeclaredName] = field(init=False)

    def __post_init__(self) -> None:
        self._new_names = frozenset(self.names.values())

    def match_siblings(self, old: Sequence[OutlineItem], new: Sequence[OutlineItem]) -> dict[int, int]:
        """Indices in the second parent by indices in the first."""
        result: dict[int, int] = {}
        matched_new: set[int] = set()
        for stage in (
            self._match_by_name,
            self._match_by_subtree,
            self._match_by_clauses,
            self._match_by_form,
            self._match_by_similarity,
            self._match_by_neighbours,
        ):
            named = stage == self._match_by_name
            old_indices = [a for a, item in enumerate(old) if a not in result and (named or _is_matched_by_text(item))]
            new_indices = [
                b for b, item in enumerate(new) if b not in matched_new and (named or _is_matched_by_text(item))
            ]
            for a, b in stage(old, new, old_indices, new_indices):
                if a not in result and b not in matched_new:
                    result[a] = b
                    matched_new.add(b)
        return result

    def _match_by_name(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        named: dict[Hashable, int] = {}
        for b in reversed(new_indices):
            item = new[b]
            if item.name or item.id:
                named[item.name or (item.sort, item.id)] = b
        for a in old_indices:
            key = self._translate_item_key(old[a])
            if key in named:
                yield a, named[key]

    def _translate_item_key(self, item: OutlineItem) -> Hashable:
        """Key of an item in the second revision; None where it has no name, or another item has that name."""
        if item.name is None:
            return (item.sort, item.id) if item.id else None
        new = self.names.get(item.name)
        return new or (None if item.name in self._new_names else item.name)

    def _match_by_subtree(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        yield from _match_equal_items(
            [self.hash_subtree(old[a], self.names) for a in old_indices],
            [self.hash_subtree(new[b], {}) for b in new_indices],
            old_indices,
            new_indices,
        )

    def _match_by_form(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        old_lines, new_lines = (
            [item for item in row if not _has_only_branches(of[item])]
            for row, of in ((old_indices, old), (new_indices, new))
        )
        old_keys = [(bool(old[a].id), translate_names(old[a].form, self.names)) for a in old_lines]
        yield from _match_equal_items(
            old_keys, [(bool(new[b].id), new[b].form) for b in new_lines], old_lines, new_lines
        )

    def _match_by_clauses(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        old_by_clause, new_by_clause = _index_by_clause(old, old_indices), _index_by_clause(new, new_indices)
        for a in old_indices:
            same = {b for clause_key in _clause_keys(old[a]) for b in new_by_clause.get(clause_key, ())}
            if len(same) == 1:
                (b,) = same
                if {c for clause_key in _clause_keys(new[b]) for c in old_by_clause.get(clause_key, ())} == {a}:
                    yield a, b

    def _match_by_similarity(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        near = max(_MIN_SIMILARITY_WINDOW, _MAX_SCORED_PAIRS // max(1, len(old_indices)))
        scored = sorted(
            (-self._measure_line_similarity(old[a], new[b]), abs(a - b), a, b)
            for place, a in enumerate(old_indices)
            for b in new_indices[max(0, place - near) : place + near]
            if _item_role(old[a]) == _item_role(new[b])
        )
        yield from ((a, b) for unlike, _, a, b in scored if -unlike >= _MIN_PAIR_SIMILARITY)

    def _match_by_neighbours(
        self, old: _ItemSequence, new: _ItemSequence, old_indices: list[int], new_indices: list[int]
    ) -> _IndexPairs:
        """Match of a single line of its sort between matched neighbours, where neither has a name."""
        old_counts = Counter(_item_role(old[a]) for a in old_indices)
        new_by_role: dict[Hashable, list[int]] = defaultdict(list)
        for b in new_indices:
            if not new[b].id:
                new_by_role[_item_role(new[b])].append(b)
        for a in old_indices:
            same = [] if old[a].id else new_by_role[_item_role(old[a])]
            if len(same) == 1 and old_counts[_item_role(old[a])] == 1 and self._is_plausible_pair(old[a], new[same[0]]):
                yield a, same[0]

    def _is_plausible_pair(self, old: OutlineItem, new: OutlineItem) -> bool:
        """Whether two lines share their first conditions, where these are all they say, or more."""
        if not (_has_only_branches(old) and _has_only_branches(new)):
            return True
        inside = sum(1 for item in (old, new) for _ in item.walk_subtree())
        more = round(measure_similarity(old, new, self.names) * inside) > _TRIVIAL_SHARED_SHINGLES
        return more or self._measure_own_similarity(old.items[0], new.items[0]) >= _MIN_PAIR_SIMILARITY

    def _measure_own_similarity(self, old: OutlineItem, new: OutlineItem) -> float:
        return SequenceMatcher(None, translate_names(old.form, self.names), new.form, autojunk=False).ratio()

    def _measure_line_similarity(self, old: OutlineItem, new: OutlineItem) -> float:
        if _has_only_branches(old):
            return measure_similarity(old, new, self.names)
        own_similarity = self._measure_own_similarity(old, new)
        return (
            (own_similarity + measure_similarity(old, new, self.names)) / 2
            if old.items and new.items
            else own_similarity
        )

    def hash_subtree(self, item: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> Hashable:
        """Key of the content of an item and everything inside it."""
        known = self._subtree_hashes.get(id(item))
        if known is None:
            inside = tuple(self.hash_subtree(outline_item, names) for outline_item in item.items)
            known = self._subtree_hashes[id(item)] = hash((item.id, translate_names(item.form, names), inside))
        return known


def _is_matched_by_text(item: OutlineItem) -> bool:
    """Whether an item can be recognised under another name: not a declaration, whose renames are found before."""
    return item.sort not in REMARK_SORTS and (item.name is None or item.name.sort in {"step", "parameter"})


def _item_role(item: OutlineItem) -> Hashable:
    return item.sort, item.parts[:1] if item.sort == "line" else None


def _has_only_branches(item: OutlineItem) -> bool:
    return bool(item.items) and all(outline_item.sort in {"branch", "else"} for outline_item in item.items)


def _clause_keys(item: OutlineItem) -> list[Hashable]:
    return [(_item_role(item), cite) for cite in item.cites]


def _index_by_clause(items: _ItemSequence, places: Sequence[int]) -> Mapping[Hashable, list[int]]:
    result: dict[Hashable, list[int]] = defaultdict(list)
    for place in places:
        for clause_key in _clause_keys(items[place]):
            result[clause_key].append(place)
    return result


def _match_equal_items(
    old_keys: Sequence[Hashable], new_keys: Sequence[Hashable], old_indices: list[int], new_indices: list[int]
) -> Iterator[tuple[int, int]]:
    """Matches of equal items in the same order, then of equal items anywhere."""
    matched_new: set[int] = set()
    matched_old: set[int] = set()
    for block in SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            matched_old.add(block.a + step)
            matched_new.add(block.b + step)
            yield old_indices[block.a + step], new_indices[block.b + step]
    free: dict[Hashable, list[int]] = defaultdict(list)
    for where in reversed(range(len(new_keys))):
        if where not in matched_new:
            free[new_keys[where]].append(where)
    for number, hashable in enumerate(old_keys):
        if number not in matched_old and free[hashable]:
            yield old_indices[number], new_indices[free[hashable].pop()]


@frozen(frozen=True, slots=True)
class ItemPair:
    """Item in both revisions, with its children in order: pairs, and items of one revision only."""

    old: OutlineItem
    new: OutlineItem
    moved: bool  # whether it changed places, and its place counts
    inside: "tuple[ItemMatch, ...]"  # in the order of the new revision; removed items at their old position


@frozen(frozen=True, slots=True)
class UnmatchedOld:
    """Item of the old revision only."""

    item: OutlineItem


@frozen(frozen=True, slots=True)
class UnmatchedNew:
    """Item of the new revision only."""

    item: OutlineItem


ItemMatch = ItemPair | UnmatchedOld | UnmatchedNew


def match_outlines(
    old: Outline, new: Outline, names: Mapping[DeclaredName, DeclaredName], *, turned: bool
) -> tuple[ItemMatch, ...]:
    """Match tree of two outlines with known names; `turned` matches from the new one to the old one."""
    if turned:
        back = {after: before for before, after in names.items()}
        return _MatchTreeBuilder(ItemMatcher(back), is_reversed=True).match_items(old.items, new.items)
    return _MatchTreeBuilder(ItemMatcher(names), is_reversed=False).match_items(old.items, new.items)


def is_reversed_matching(old: Outline, new: Outline) -> bool:
    """Whether two outlines are matched from new to old: a canonical direction, so that both directions agree."""
    return _list_outline_texts(old) > _list_outline_texts(new)


def _list_outline_texts(outline: Outline) -> list[str]:
    return [f"{item.sort} {item.id} {item.text}" for item in outline.walk_items()]


@frozen(frozen=True, slots=True)
class _MatchTreeBuilder:
    matcher: "ItemMatcher"
    is_reversed: bool

    def match_items(self, old: Sequence[OutlineItem], new: Sequence[OutlineItem]) -> tuple[ItemMatch, ...]:
        partner, staying = self._find_partners(old, new)
        back = {b: a for a, b in partner.items()}
        result: list[tuple[float, ItemMatch]] = []
        for b, item in enumerate(new):
            if b in back:
                moved = old[back[b]].ordered and item.ordered and back[b] not in staying
                result.append(
                    (b, ItemPair(old[back[b]], item, moved, self.match_items(old[back[b]].items, item.items)))
                )
            else:
                result.append((b, UnmatchedNew(item)))
        for a, item in enumerate(old):
            if a not in partner:
                before = max((partner[each] for each in partner if each < a), default=-1)
                result.append((before + 0.5, UnmatchedOld(item)))
        return tuple(each for _, each in sorted(result, key=lambda pair: pair[0]))

    def _find_partners(
        self, old: Sequence[OutlineItem], new: Sequence[OutlineItem]
    ) -> tuple[dict[int, int], frozenset[int]]:
        """New indices by old ones, and the old indices of items that kept their order."""
        if not self.is_reversed:
            result = self.matcher.match_siblings(old, new)
            return result, _longest_increasing_pairs(
                [(a, b) for a, b in result.items() if old[a].ordered and new[b].ordered]
            )
        back = self.matcher.match_siblings(new, old)
        in_order = _longest_increasing_pairs([(b, a) for b, a in back.items() if old[a].ordered and new[b].ordered])
        return {a: b for b, a in back.items()}, frozenset(back[b] for b in in_order)


def _longest_increasing_pairs(pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Old indices of a longest subsequence of pairs in the same order in both (patience sorting)."""
    ordered = sorted(pairs)
    heaps: list[list[int]] = []  # which pairs end a row of so many at best, each before those above it, as numbers
    before: list[int] = []  # of each pair the one before it in its longest row; -1 for none
    for number, (_, b) in enumerate(ordered):
        length = bisect_left(heaps, b, key=lambda heap: ordered[heap[-1]][1])
        below = heaps[length - 1] if length else []
        before.append(below[bisect_right(below, -b, key=lambda item: -ordered[item][1])] if length else -1)
        if length == len(heaps):
            heaps.append([])
        heaps[length].append(number)
    result: set[int] = set()
    number = heaps[-1][0] if heaps else -1
    while number >= 0:
        result.add(ordered[number][0])
        number = before[number]
    return frozenset(result)
