"""Edits of rules that can be made one without the other, with the lines that make them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.comparing.edits import Edit, is_rule
from rulewright.comparing.matching import Fresh, Gone, Match, Pair
from rulewright.comparing.separating.extents import Extent, Extents
from rulewright.frozen import dataclass as frozen
from rulewright.outline.items import Item
from rulewright.outline.names import Name


@frozen(frozen=True, slots=True)
class Patch:
    """Takes an edit back: lines of the new revision that go, lines of the old one that come.

    Attributes:
        cut: the lines that go, first and after the last; none where a part of the old revision was removed.
        paste: the lines that come; none where a part is new.
        item: what comes; none where nothing does.
    """

    cut: tuple[str, int, int] | None
    paste: tuple[str, int, int] | None
    item: Item | None


@frozen(frozen=True, slots=True)
class Unit:
    """Edits that are made or taken back together.

    Attributes:
        edits: their numbers among all edits of a comparison.
        patches: what takes them back.
        old: names that their old side mentions.
        new: names that their new side mentions.
        gone: names that their old side declares and the new revision has no more.
        fresh: names that their new side declares and the old revision does not have.
        shapes: declarations of which they change parameters, by their old and new names.
        owners: declarations they stand in, by their old and new names.
    """

    edits: tuple[int, ...]
    patches: tuple[Patch, ...]
    old: frozenset[Name]
    new: frozenset[Name]
    gone: frozenset[Name]
    fresh: frozenset[Name]
    shapes: frozenset[str]
    owners: frozenset[str]


def units(
    matches: Sequence[Match], edits: Sequence[Edit], names: Mapping[Name, Name], old: Extents, new: Extents
) -> tuple[Unit, ...]:
    """The units of the edits of rules, in the order of the first edit of each."""
    groups = _merged(_Finder(edits, old, new).all(matches))
    return tuple(_unit(each, edits, names) for each in groups)


@dataclass
class _Loose:
    """Edits with their items, before they are joined with others."""

    edits: set[int] = field(default_factory=set)
    patches: list[Patch] = field(default_factory=list)
    gone: list[Item] = field(default_factory=list)
    fresh: list[Item] = field(default_factory=list)
    old: list[Item] = field(default_factory=list)
    new: list[Item] = field(default_factory=list)


class _Finder:
    def __init__(self, edits: Sequence[Edit], old: Extents, new: Extents) -> None:
        self._old, self._new = old, new
        self._edits: dict[int, set[int]] = {}
        for number, edit in enumerate(edits):
            for side in ("old", "new"):
                item = getattr(edit, side, None)
                if isinstance(item, Item) and is_rule(edit):
                    self._edits.setdefault(id(item), set()).add(number)

    def all(self, matches: Sequence[Match]) -> Iterator[_Loose]:
        for each in matches:
            yield from self._one(each)

    def _one(self, found: Match) -> Iterator[_Loose]:
        match found:
            case Pair():
                yield from self._pair(found)
            case Gone(item):
                yield self._whole([item], [])
            case Fresh(item):
                yield self._whole([], [item])

    def _pair(self, pair: Pair) -> Iterator[_Loose]:
        apart, loose = self._sorted(pair)
        head = self._head(pair, loose)
        if pair.moved or (head.edits and any(map(self._has_lines, loose))):
            yield self._whole([pair.old], [pair.new], in_place=not pair.moved)
            return
        if head.edits:
            before, after = self._old.of(pair.old), self._new.of(pair.new)
            if before is not None and after is not None:
                cut, paste = (after.file, after.first, after.body), (before.file, before.first, before.body)
                head.patches.append(Patch(cut, paste, pair.old))
            yield head
        for each in apart:
            yield from self._one(each)

    def _sorted(self, pair: Pair) -> tuple[list[Match], list[Match]]:
        """What of a pair has lines of its own in every revision it is in, and what stands in lines of others."""
        apart: list[Match] = []
        loose: list[Match] = []
        for each in pair.inside:
            (apart if self._is_apart(each) else loose).append(each)
            if isinstance(each, Pair) and not self._is_apart(each) and not self._is_torn(each):
                inner, left = self._sorted(each)
                apart += inner
                loose += left
        return apart, loose

    def _is_apart(self, found: Match) -> bool:
        match found:
            case Pair(old, new):
                return self._old.of(old) is not None and self._new.of(new) is not None
            case Gone(item):
                return self._old.of(item) is not None
            case Fresh(item):
                return self._new.of(item) is not None

    def _is_torn(self, pair: Pair) -> bool:
        """Whether it begins a line in one revision only."""
        return (self._old.of(pair.old) is None) != (self._new.of(pair.new) is None)

    def _has_lines(self, found: Match) -> bool:
        """Whether something that cannot be told from its line takes lines with it."""
        match found:
            case Pair():
                return self._is_torn(found)
            case Gone(item):
                return any(True for _ in self._old.inside(item))
            case Fresh(item):
                return any(True for _ in self._new.inside(item))

    def _head(self, pair: Pair, loose: Sequence[Match]) -> _Loose:
        """The edits of a line itself and of what stands in it."""
        found = _Loose(self._of(pair.old) | self._of(pair.new), [], [], [], [pair.old], [pair.new])
        for each in loose:
            match each:
                case Pair(old, new):
                    found.edits |= self._inside([old, new]) if self._is_torn(each) else self._of(old) | self._of(new)
                    found.old.append(old)
                    found.new.append(new)
                case Gone(item):
                    found.edits |= self._inside([item])
                    found.gone.append(item)
                case Fresh(item):
                    found.edits |= self._inside([item])
                    found.fresh.append(item)
        return found

    def _whole(self, old: list[Item], new: list[Item], *, in_place: bool = False) -> _Loose:
        """All edits of items and of what stands inside them."""
        cut = next((_all(extent) for each in new if (extent := self._new.of(each))), None)
        paste = next((_all(extent) for each in old if (extent := self._old.of(each))), None)
        item = old[0] if old else None
        apart = (Patch(cut, None, None), Patch(None, paste, item))
        patches = [Patch(cut, paste, item)] if in_place else [each for each in apart if each.cut or each.paste]
        return _Loose(self._inside([*old, *new]), patches, old, new)

    def _of(self, item: Item) -> set[int]:
        return self._edits.get(id(item), set())

    def _inside(self, items: Iterable[Item]) -> set[int]:
        return {number for item in items for each in item.inside() for number in self._of(each)}


def _all(extent: Extent) -> tuple[str, int, int]:
    return extent.file, extent.first, extent.end


def _merged(found: Iterable[_Loose]) -> list[_Loose]:
    """Units that have an edit or a line in common are one."""
    groups: list[_Loose] = []
    for each in found:
        if not each.edits:
            continue
        lines = _lines(each)
        same = [group for group in groups if group.edits & each.edits or _lines(group) & lines]
        for group in same:
            groups.remove(group)
        groups.append(_joined([*same, each]))
    return sorted(groups, key=lambda group: min(group.edits))


def _lines(found: _Loose) -> set[tuple[str, str, int]]:
    """The lines that patches touch."""
    cut = {("new", each.cut[0], line) for each in found.patches if each.cut for line in range(*each.cut[1:])}
    pasted = {("old", each.paste[0], line) for each in found.patches if each.paste for line in range(*each.paste[1:])}
    return cut | pasted


def _joined(groups: Sequence[_Loose]) -> _Loose:
    whole = _Loose()
    for each in groups:
        whole.edits |= each.edits
        whole.patches += [patch for patch in each.patches if (patch.cut, patch.paste) not in _places(whole)]
        whole.gone += each.gone
        whole.fresh += each.fresh
        whole.old += each.old
        whole.new += each.new
    return whole


def _places(found: _Loose) -> set[tuple[object, object]]:
    return {(each.cut, each.paste) for each in found.patches}


def _unit(found: _Loose, edits: Sequence[Edit], names: Mapping[Name, Name]) -> Unit:
    known = frozenset(names.values())
    whole_old = [inner for each in found.gone for inner in each.inside()]
    whole_new = [inner for each in found.fresh for inner in each.inside()]
    old, new = [*whole_old, *found.old], [*whole_new, *found.new]
    inside = [getattr(edits[number], side, None) for number in found.edits for side in ("old", "new")]
    shapes = {each.address.partition("/")[0] for each in inside if isinstance(each, Item) and each.sort == "parameter"}
    return Unit(
        edits=tuple(sorted(found.edits)),
        patches=tuple(found.patches),
        old=_mentioned(old),
        new=_mentioned(new),
        gone=frozenset(each.name for each in whole_old if each.name and each.name not in names),
        fresh=frozenset(each.name for each in whole_new if each.name and each.name not in known),
        shapes=frozenset(shapes),
        owners=frozenset(each.address.partition("/")[0] for each in (*old, *new)),
    )


def _mentioned(items: Iterable[Item]) -> frozenset[Name]:
    return frozenset(token for each in items for token in each.form if isinstance(token, Name))
