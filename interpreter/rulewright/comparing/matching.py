"""Which item of an old revision is which of a new one: by names, then equal text, clauses, likeness."""

from collections.abc import Iterable, Mapping, Sequence

from rulewright.comparing.partners import Partners
from rulewright.frozen import dataclass as frozen
from rulewright.outline.items import Item, Outline
from rulewright.outline.names import Name


@frozen(frozen=True, slots=True)
class Pair:
    """An item in both revisions, with what stands inside it: pairs, and items of one revision only, in order.

    Attributes:
        old: as it was.
        new: as it is.
        moved: whether it stands elsewhere, and its place counts.
        inside: pairs and single items in the order of the new revision; what was removed stands where it was.
    """

    old: Item
    new: Item
    moved: bool
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
                found.append((b, self._pair(old[back[b]], item, moved=moved)))
            else:
                found.append((b, Fresh(item)))
        for a, item in enumerate(old):
            if a not in partner:
                before = max((partner[each] for each in partner if each < a), default=-1)
                found.append((before + 0.5, Gone(item)))
        return tuple(each for _, each in sorted(found, key=lambda pair: pair[0]))

    def _pair(self, old: Item, new: Item, *, moved: bool) -> Pair:
        return Pair(old, new, moved, self.matches(old.items, new.items))

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
    best: list[tuple[int, ...]] = []
    ordered = sorted(pairs)
    for number, (a, b) in enumerate(ordered):
        before = (best[each] for each in range(number) if ordered[each][1] < b)
        best.append((*_longest(before), a))
    return frozenset(_longest(best))


def _longest(runs: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return max(runs, key=len, default=())
