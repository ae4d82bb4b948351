"""Rulesets between two revisions: the old one with some edits of rules made, and which edits need each other."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.comparing.comparison import Comparison, compare
from rulewright.comparing.edits import Correspondence, Edit, lone, section_of
from rulewright.comparing.pairing import Match, Pair, is_turned, match
from rulewright.comparing.playing.suites import Beside
from rulewright.comparing.proved_pairs import Remaining
from rulewright.comparing.separating.units import Extent, Extents, Patch, Unit, rewritten, units
from rulewright.files import Memory, Provider
from rulewright.frozen import dataclass
from rulewright.outline import outline
from rulewright.outline.items import Name
from rulewright.program.declarations import Program
from rulewright.program.walk import reached
from rulewright.source import Text, indentation
from rulewright.syntax.parsed import Parsed
from rulewright.syntax.parser import parse
from rulewright.workspace import Loaded, Located, load

_VARIABLES = frozenset({"local", "parameter"})
_CALLED = frozenset({"function", "procedure", "external", "event", "relation"})


def needs(units: Sequence[Unit], names: Mapping[Name, Name]) -> tuple[frozenset[int], ...]:
    """For each unit the numbers of all that have to be made with it, its own among them.

    A unit needs those that declare what it mentions, and those that mention what it removes. Where one changes
    parameters, it and all that mention the same declaration need each other. So do those that mention a variable of one
    revision only; a new variable needs that what was called so before is gone.
    """
    direct = _direct(units, names)
    return tuple(reached({number}, direct.__getitem__) for number in range(len(units)))


def wider(chosen: frozenset[int], units: Sequence[Unit], needed: Sequence[frozenset[int]]) -> frozenset[int]:
    """The units with all others of the declarations they stand in, and what those need."""
    owners = {owner for number in chosen for owner in units[number].owners}
    beside = (number for number, unit in enumerate(units) if unit.owners & owners)
    return chosen.union(*(needed[number] for number in beside))


def _direct(units: Sequence[Unit], names: Mapping[Name, Name]) -> list[set[int]]:
    declare, mention_old, mention_new = (_by(units, part) for part in ("fresh", "old", "new"))
    known = frozenset(names.values())
    removed = {name.last: every for name, every in _by(units, "gone").items() if not name.owner}
    found: list[set[int]] = [set() for _ in units]
    for number, unit in enumerate(units):
        found[number].update(one for name in unit.new for one in declare.get(name, ()))
        found[number].update(one for name in unit.gone for one in mention_old.get(name, ()))
        for name in unit.new:
            if name.sort in _VARIABLES and name not in known:
                found[number] |= mention_new[name] | removed.get(name.last, set())
        for name in unit.old:
            if name.sort in _VARIABLES and name not in names:
                found[number] |= mention_old[name]
        for other in _mentioning(unit.shapes, units):
            found[number].add(other)
            found[other].add(number)
    return found


def _mentioning(shapes: frozenset[str], units: Sequence[Unit]) -> Iterator[int]:
    for number, unit in enumerate(units if shapes else ()):
        if any(name.name in shapes and name.sort in _CALLED for name in unit.old | unit.new):
            yield number


def _by(units: Sequence[Unit], part: str) -> dict[Name, set[int]]:
    found = defaultdict[Name, set[int]](set)
    for number, unit in enumerate(units):
        for name in getattr(unit, part):
            found[name].add(number)
    return found


_MENTIONED = frozenset({"function", "external", "procedure", "attribute"})
"""Sorts of declarations that count where others mention them, besides those that only say what there is."""


@dataclass(frozen=True, slots=True)
class Group:
    """Edits that are made together."""

    subject: tuple[int, ...]  # numbers of the edits that a play is wanted for
    made: frozenset[int]  # numbers of all units that are made for it
    others: frozenset[int]  # numbers of the units among those that have edits of their own, with what these need


def groups(
    units: Sequence[Unit], needed: Sequence[frozenset[int]], edits: Sequence[Edit], left: Remaining
) -> tuple[Group, ...]:
    """What to try, in the order of the text; units that need each other are one.

    What only declares something, for others to mention, is tried with those; what is proved alike is not.
    """
    open_ = {"game" if each.sort == "field" else each.name.partition("/")[0] for each in (*left.old, *left.new)}
    telling = {
        number: told
        for number, each in enumerate(units)
        if each.owners & open_ and (told := tuple(number for number in each.edits if _tells(edits[number])))
    }
    together = {needed[number]: [each for each in telling if needed[each] == needed[number]] for number in telling}
    found = []
    for made, inside in together.items():
        subject = tuple(sorted(edit for number in inside for edit in telling[number]))
        others = frozenset[int]().union(*(needed[each] for each in made if each in telling and each not in inside))
        found.append(Group(subject, made, others))
    return tuple(sorted(found, key=lambda each: each.subject))


def widened(
    alone: Sequence[Group], units: Sequence[Unit], needed: Sequence[frozenset[int]], every: Sequence[Group]
) -> tuple[Group, ...]:
    """Groups that have errors by themselves, with all of the declarations they stand in; those that are one then, once.

    Left out are those that others, which can be made, need anyway: they cannot be told apart from these.
    """
    sound = [each for each in every if each not in alone]
    made: dict[frozenset[int], list[Group]] = {}
    for each in alone:
        made.setdefault(wider(each.made, units, needed), []).append(each)
    found = []
    for whole, inside in made.items():
        own = frozenset[int]().union(*(each.made for each in inside))
        others = frozenset[int]().union(*(each.made for each in sound if each.made <= whole))
        if not own <= others:
            subject = tuple(sorted(edit for each in inside for edit in each.subject))
            found.append(Group(subject, whole, others))
    return tuple(found)


def _tells(edit: Edit) -> bool:
    """Whether an edit can change play without another that mentions it."""
    item = lone(edit)
    if item is None:
        return True
    return section_of(edit, item) == "rules" and (item.name is None or item.name.sort not in _MENTIONED)


_GAME = "game:"
_OPENER = re.compile(r"\s*(?:game|kind player|else)\b[^\"]*:")


@dataclass(frozen=True, slots=True)
class _Pasted:
    """Lines to come before a line of a text; those in the place of what goes come last."""

    file: str
    line: int
    instead: bool
    depth: int
    came: tuple[str, int]
    lines: tuple[str, ...]

    @property
    def order(self) -> tuple[bool, int, tuple[str, int]]:
        return self.instead, -self.depth, self.came


class Patcher:
    """Takes edits back.

    Attributes:
        main: the name of the text that declarations are added to.
    """

    def __init__(
        self, matches: Sequence[Match], names: Mapping[Name, Name], old: Extents, new: Extents, main: str
    ) -> None:
        self.main = main
        self._names = names
        self._old, self._new = old, new
        self._partners: dict[tuple[str, int], Extent] = {}
        self._pair(matches)

    def texts(self, patches: Iterable[Patch]) -> dict[str, str] | None:
        """The texts that differ from those of the new revision, by name; none where there is no place for a line."""
        gone = defaultdict[str, set[int]](set)
        pasted = defaultdict[str, list[_Pasted]](list)
        for each in patches:
            if each.cut is not None:
                gone[each.cut[0]] |= set(range(*each.cut[1:]))
            if each.paste is not None:
                found = self._pasted(each)
                if found is None:
                    return None
                pasted[found.file].append(found)
        return {name: self._text(name, gone[name], pasted[name]) for name in {*gone, *pasted}}

    def _pair(self, matches: Sequence[Match]) -> None:
        for each in matches:
            if isinstance(each, Pair) and not each.moved:
                old, new = self._old.of(each.old), self._new.of(each.new)
                if old is not None and new is not None:
                    self._partners.setdefault((old.file, old.first), new)
                self._pair(each.inside)

    def _text(self, name: str, gone: set[int], pasted: list[_Pasted]) -> str:
        coming = defaultdict[int, list[str]](list)
        for each in sorted(pasted, key=lambda one: one.order):
            coming[each.line] += each.lines
        lines = self._new.lines[name]
        found = [
            line
            for number in range(len(lines) + 1)
            for line in (*coming.get(number, ()), *(lines[number : number + 1] if number not in gone else ()))
        ]
        return "\n".join([*_without_empty(found), ""])

    def _pasted(self, patch: Patch) -> _Pasted | None:
        assert patch.paste is not None
        assert patch.item is not None
        file, first, end = patch.paste
        lines = self._old.lines[file][first:end]
        place: tuple[str, int, int] | None
        if patch.cut is not None:
            place = (patch.cut[0], patch.cut[1], indentation(self._new.lines[patch.cut[0]][patch.cut[1]]))
        else:
            place = self._place(file, first)
        owner = patch.item.address.partition("/")[0]
        if place is None:
            if not self._in_game(file, first):
                return None
            place = (self.main, len(self._new.lines[self.main]), indentation(lines[0]))
            found = [_GAME, *rewritten(lines, owner, self._names, place[2])]
        else:
            found = rewritten(lines, owner, self._names, place[2])
        return _Pasted(place[0], place[1], patch.cut is not None, place[2], (file, first), tuple(found))

    def _place(self, file: str, first: int) -> tuple[str, int, int] | None:
        """Where a line of the old revision would stand: text, line and indentation."""
        lines = self._old.lines[file]
        depth = indentation(lines[first])
        if depth == 0:
            return self.main, len(self._new.lines[self.main]), 0
        before = self._beside(file, range(first - 1, -1, -1), depth)
        for number, partner in before:
            beside = indentation(self._new.lines[partner.file][partner.first])
            if indentation(lines[number]) == depth:
                return partner.file, partner.end, beside
            return partner.file, partner.body, beside + depth - indentation(lines[number])
        for number, partner in self._beside(file, range(first + 1, len(lines)), depth):
            if indentation(lines[number]) == depth:
                return partner.file, partner.first, indentation(self._new.lines[partner.file][partner.first])
        return None

    def _beside(self, file: str, numbers: Iterable[int], depth: int) -> Iterator[tuple[int, Extent]]:
        """What the new revision has of the lines of the same block, at last of the one that opens it."""
        lines = self._old.lines[file]
        for number in numbers:
            if not lines[number].strip() or indentation(lines[number]) > depth:
                continue
            partner = self._partners.get((file, number))
            if partner is not None:
                yield number, partner
            if indentation(lines[number]) < depth:
                return

    def _in_game(self, file: str, first: int) -> bool:
        lines = self._old.lines[file]
        opener = next((each for each in reversed(lines[:first]) if each.strip() and not indentation(each)), "")
        return opener.startswith(_GAME)


def _without_empty(lines: Sequence[str]) -> list[str]:
    """Lines without those that open a block of which nothing is left and that are nothing by themselves."""
    return [line for number, line in enumerate(lines) if not (_OPENER.match(line) and not _has_block(lines, number))]


def _has_block(lines: Sequence[str], number: int) -> bool:
    below = next((each for each in lines[number + 1 :] if each.strip()), "")
    return indentation(below) > indentation(lines[number])


class Hybrids:
    """All that can be made of two revisions.

    Attributes:
        units: the edits of rules that can be made one without the other.
        needed: for each unit the numbers of those that have to be made with it.
    """

    def __init__(self, old: Beside, new: Beside, comparison: Comparison) -> None:
        self._old, self._new = old, new
        self._names = comparison.correspondence.names
        before, after = comparison.outlines
        matches = match(before, after, self._names, turned=is_turned(before, after))
        extents = Extents(before, old.loaded.texts), Extents(after, new.loaded.texts)
        self.units: tuple[Unit, ...] = units(matches, comparison.edits, self._names, *extents)
        self.needed: Sequence[frozenset[int]] = needs(self.units, self._names)
        self._patcher = Patcher(matches, self._names, *extents, new.main)
        self._parsed: dict[Text, Parsed] = {}

    @property
    def trusted(self) -> bool:
        """Whether the hybrid without any edit is proved to play as the old revision does."""
        bare = self.of(frozenset())
        return bare is not None and compare(self._old.loaded, bare, solver=False).known is not None

    def of(self, chosen: frozenset[int]) -> Loaded | None:
        """The old revision with some units of edits; none where that is no ruleset without errors."""
        undone = (patch for number, each in enumerate(self.units) if number not in chosen for patch in each.patches)
        texts = self._patcher.texts(undone)
        if texts is None:
            return None
        whole = {name: each.content for name, each in self._new.loaded.texts.items()} | texts
        loaded = load(Located(self._new.main, self._new.overlays), (), Memory(whole), self._parse)
        return loaded if loaded.program is not None else None

    def names(self, hybrid: Program) -> Correspondence:
        """What of the old revision is what of a hybrid."""
        return between(self._names, hybrid)

    def _parse(self, text: Text, provider: Provider) -> Parsed:
        del provider
        if text not in self._parsed:
            self._parsed[text] = parse(text)
        return self._parsed[text]


def between(names: Mapping[Name, Name], hybrid: Program) -> Correspondence:
    """From old names to those of a hybrid: the new ones, and the old ones of what is still there."""
    items = outline(hybrid, {}).every()
    known = {each for item in items for each in (*item.form, item.name) if isinstance(each, Name)}
    owners = {old.name: new.name for old, new in names.items() if old.sort in _OWNERS}
    found = {old: new for old, new in names.items() if new in known}
    back = {new: old for old, new in owners.items()}
    taken = set(found.values())
    for name in known - taken:
        owner = back.get(name.owner, name.owner)
        found.setdefault(Name(name.sort, f"{owner}/{name.last}" if owner else name.last), name)
    return Correspondence(found, {})


_OWNERS = frozenset({"values", "kind", "record", "board", "function", "procedure", "external", "relation", "event"})
