"""Which lines of a text are those of an item, and edits of rules that can be made one without the other."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.comparing.edits import Edit, is_rule, sides
from rulewright.comparing.pairing import Fresh, Gone, Match, Pair
from rulewright.frozen import dataclass as frozen
from rulewright.outline.items import Item, Name, Outline
from rulewright.source import Text, indentation


@frozen(frozen=True, slots=True)
class Extent:
    """Lines of an item, counted from 0."""

    file: str  # the name of the text
    first: int  # its first line
    body: int  # the first line of what stands inside it; `end` where nothing has lines of its own
    end: int  # the line after its last


class Extents:
    """The items of one revision that begin a line, and all cells of a row of a table, with their lines."""

    def __init__(self, outline: Outline, texts: Mapping[str, Text]) -> None:
        self.lines: dict[str, list[str]] = {name: text.content.splitlines() for name, text in texts.items()}
        self._texts = texts
        self._found: dict[int, Extent] = {}
        for item in outline.items:
            self._visit(item, frozenset())

    def of(self, item: Item) -> Extent | None:
        """The lines of an item; none where it stands in a line of another."""
        return self._found.get(id(item))

    def inside(self, item: Item) -> Iterator[Item]:
        """The items inside one that have lines of their own, outer ones without those inside them."""
        for each in item.items:
            if self.of(each) is not None:
                yield each
            else:
                yield from self.inside(each)

    def _visit(self, item: Item, taken: Iterable[tuple[str, int]]) -> None:
        text = self._texts.get(item.span.source)
        here = None if text is None else (item.span.source, text.position(item.span.start).line - 1)
        seen = {*taken, *([here] if here else ())}
        begun: dict[tuple[str, int], Extent] = {}
        for each in item.items:
            self._visit(each, seen)
            own = self.of(each)
            if own is not None:
                seen.add((own.file, own.first))
                begun[own.file, own.first] = own
            elif each.sort == "row" and (shared := begun.get(self._line(each))):
                self._found[id(each)] = shared
        if text is not None and here is not None and here not in taken:
            end = self._end(here, text.position(item.span.end).line - 1)
            bodies = [extent.first for each in self.inside(item) for extent in [self._found[id(each)]]]
            self._found[id(item)] = Extent(here[0], here[1], min(bodies, default=end), end)

    def _line(self, item: Item) -> tuple[str, int]:
        text = self._texts.get(item.span.source)
        return item.span.source, -1 if text is None else text.position(item.span.start).line - 1

    def _end(self, here: tuple[str, int], last: int) -> int:
        """The line after the last that is indented deeper, or goes on with `else`."""
        lines = self.lines[here[0]]
        depth, end = indentation(lines[here[1]]), last + 1
        for number in range(last + 1, len(lines)):
            line = lines[number]
            if not line.strip():
                continue
            if indentation(line) < depth + 1 - line.lstrip().startswith("else"):
                break
            end = number + 1
        return end


_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|#.*|(?<=step )[\w.]+|(?<=proceed to )[\w.]+|@[\w.:-]+|[A-Za-z_]\w*')
_INNER = frozenset({"local", "parameter", "step"})
_SILENT = re.compile(r"\s*(?:@[\w.:-]+\s*)*$")


def rewritten(lines: Sequence[str], owner: str, names: Mapping[Name, Name], depth: int) -> list[str]:
    """Lines with the names of the new revision, without margins and rulings, indented to a depth.

    `owner` is the old name of the declaration they stand in, for names that only it knows.
    """
    inner, outer = _words(owner, names)

    def replaced(found: re.Match[str]) -> str:
        word = found[0]
        if word[0] in '"#':
            return word if word[0] == '"' else ""
        return "" if word[0] == "@" else inner.get(word, outer.get(word, word))

    shift = depth - indentation(lines[0]) if lines else 0
    kept = (_PARTS.sub(replaced, each).rstrip() for each in lines if not _SILENT.match(each))
    return [" " * max(0, indentation(each) + shift) + each.lstrip() for each in kept]


def _words(owner: str, names: Mapping[Name, Name]) -> tuple[dict[str, str], dict[str, str]]:
    """Words that were renamed, inside a declaration and everywhere."""
    inner, outer = dict[str, str](), dict[str, str]()
    for old, new in names.items():
        if old.last != new.last:
            if old.sort not in _INNER:
                outer[old.last] = new.last
            elif old.owner.partition("/")[0] == owner:
                inner[old.last] = new.last
    return inner, outer


@frozen(frozen=True, slots=True)
class Patch:
    """Takes an edit back: lines of the new revision that go, lines of the old one that come."""

    # the lines that go, first and after the last; none where a part of the old revision was removed
    cut: tuple[str, int, int] | None
    paste: tuple[str, int, int] | None  # the lines that come; none where a part is new
    item: Item | None  # what comes; none where nothing does


@frozen(frozen=True, slots=True)
class Unit:
    """Edits that are made or taken back together."""

    edits: tuple[int, ...]  # their numbers among all edits of a comparison
    patches: tuple[Patch, ...]  # what takes them back
    old: frozenset[Name]  # names that their old side mentions
    new: frozenset[Name]  # names that their new side mentions
    gone: frozenset[Name]  # names that their old side declares and the new revision has no more
    fresh: frozenset[Name]  # names that their new side declares and the old revision does not have
    shapes: frozenset[str]  # declarations of which they change parameters, by their old and new names
    owners: frozenset[str]  # declarations they stand in, by their old and new names


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
            for item in filter(None, sides(edit) if is_rule(edit) else ()):
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
        known = {(patch.cut, patch.paste) for patch in whole.patches}
        whole.patches += [patch for patch in each.patches if (patch.cut, patch.paste) not in known]
        whole.gone += each.gone
        whole.fresh += each.fresh
        whole.old += each.old
        whole.new += each.new
    return whole


def _unit(found: _Loose, edits: Sequence[Edit], names: Mapping[Name, Name]) -> Unit:
    known = frozenset(names.values())
    whole_old = [inner for each in found.gone for inner in each.inside()]
    whole_new = [inner for each in found.fresh for inner in each.inside()]
    old, new = [*whole_old, *found.old], [*whole_new, *found.new]
    inside = filter(None, (item for number in found.edits for item in sides(edits[number])))
    shapes = {each.address.partition("/")[0] for each in inside if each.sort == "parameter"}
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
