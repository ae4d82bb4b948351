"""The edits that lead from one outline to another."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

from rulewright.comparing.edits import (
    Added,
    Changed,
    Difference,
    Edit,
    Moved,
    Recited,
    Relabelled,
    Removed,
    Renamed,
    Reworded,
)
from rulewright.comparing.matching import Fresh, Gone, Match, Pair, is_turned, match
from rulewright.comparing.moving import with_moves
from rulewright.comparing.naming import Correspondence
from rulewright.comparing.partners import translated
from rulewright.comparing.renaming import renames
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Outline, Part
from rulewright.outline.names import Name


@dataclass(frozen=True, slots=True)
class Structure:
    """What two revisions have in common, and the edits between them in the order of the new text."""

    correspondence: Correspondence
    edits: tuple[Edit, ...]


def compare_structure(old: Outline, new: Outline) -> Structure:
    """Matches two outlines and tells the edits."""
    turned = is_turned(old, new)
    names = _renames(old, new, turned=turned)
    matches = match(old, new, names, turned=turned)
    names |= {pair.old.name: pair.new.name for pair in pairs(matches) if pair.old.name and pair.new.name}
    told = _told(matches, names, turned=turned)
    moves = sorted((each for each in told if isinstance(each, Moved)), key=lambda each: _places(each, turned=turned))
    moved = chain.from_iterable(_moved(each, names, turned=turned) for each in moves)
    return Structure(Correspondence(names, _addresses((*matches, *moved))), (*_locals(names), *told))


def _places(edit: Moved, *, turned: bool) -> tuple[object, ...]:
    """An order of moves that is the same in both directions."""
    old, new = ((each.address, each.span.source, each.span.start) for each in (edit.old, edit.new))
    return (*new, *old) if turned else (*old, *new)


def _moved(edit: Moved, names: Mapping[Name, Name], *, turned: bool) -> tuple[Match, ...]:
    """What moved from one place to another, with what stands inside it."""
    return match(Outline((edit.old,)), Outline((edit.new,)), names, turned=turned)


def _addresses(matches: tuple[Match, ...]) -> dict[str, str]:
    """New addresses by old ones; where what is inside an item bears its address too, that of the item itself."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for pair in pairs(matches):
        old, new = pair.old.address, pair.new.address
        if old and old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _renames(old: Outline, new: Outline, *, turned: bool) -> dict[Name, Name]:
    if turned:
        return {before: after for after, before in renames(new, old).items()}
    return renames(old, new)


def edits_of(old: Outline, new: Outline, names: Mapping[Name, Name]) -> tuple[Edit, ...]:
    """The edits between two outlines whose names are known, variables left aside."""
    turned = is_turned(old, new)
    return _told(match(old, new, names, turned=turned), names, turned=turned)


def _told(matches: tuple[Match, ...], names: Mapping[Name, Name], *, turned: bool) -> tuple[Edit, ...]:
    nothing = (frozenset[str](), frozenset[str]())

    def inside(old: Item, new: Item) -> Iterator[Edit]:
        (found,) = match(Outline((old,)), Outline((new,)), names, turned=turned)
        yield from _edits(found, names, nothing)

    edits = list(chain.from_iterable(_edits(each, names, nothing) for each in matches))
    return tuple(with_moves(edits, names, inside, turned=turned))


def pairs(matches: tuple[Match, ...]) -> Iterator[Pair]:
    """All pairs, with those inside them."""
    for each in matches:
        if isinstance(each, Pair):
            yield each
            yield from pairs(each.inside)


def _locals(names: Mapping[Name, Name]) -> Iterator[Relabelled]:
    for old, new in names.items():
        if old.sort in {"local", "plural"} and old.last != new.last:
            yield Relabelled(old, new)


_Cites = tuple[frozenset[str], frozenset[str]]


def _edits(found: Match, names: Mapping[Name, Name], around: _Cites) -> Iterator[Edit]:
    match found:
        case Gone(item):
            yield Removed(item)
        case Fresh(item):
            yield Added(item)
        case Pair(old, new, moved, inside):
            if moved:
                yield Moved(old, new)
            if old.id != new.id and not (old.sort == "line" and _is_local(old, new, names)):
                yield Renamed(old, new)
            if old.title != new.title:
                yield Reworded(old, new)
            lost, fresh = frozenset(old.cites) - frozenset(new.cites), frozenset(new.cites) - frozenset(old.cites)
            if lost - around[0] or fresh - around[1]:
                yield Recited(old, new, tuple(sorted(lost - around[0])), tuple(sorted(fresh - around[1])))
            differences = tuple(_differences(old, new, names))
            if differences:
                yield Changed(old, new, differences)
            for each in inside:
                yield from _edits(each, names, (lost, fresh))


def _is_local(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    """Whether a line is called otherwise only because the name it sets was renamed."""
    return any(
        before.sort == "local" and before.last == old.id and after.last == new.id for before, after in names.items()
    )


def _differences(old: Item, new: Item, names: Mapping[Name, Name]) -> Iterator[Difference]:
    before, after = _named(old), _named(new)
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key), after.get(key)
        name = key[0]
        if was is None or now is None or translated(was.form, names) != now.form:
            yield Difference(name, was, now)


def _named(item: Item) -> dict[tuple[str, int], Part]:
    """The parts of an item by name, those of one name by their number too."""
    seen: Counter[str] = Counter()
    found = {}
    for part in item.parts:
        found[part.name, seen[part.name]] = part
        seen[part.name] += 1
    return found
