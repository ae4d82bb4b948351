"""The edits that lead from one outline to another."""

from collections.abc import Iterator, Mapping
from itertools import chain

from rulewright.comparing.edits import (
    REMARKS,
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
from rulewright.comparing.matching import Fresh, Gone, Match, Pair, match, translated
from rulewright.comparing.naming import Correspondence, Name
from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.renaming import renames
from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Structure:
    """What two revisions have in common, and the edits between them in the order of the new text."""

    correspondence: Correspondence
    edits: tuple[Edit, ...]


def compare_structure(old: Outline, new: Outline) -> Structure:
    """Matches two outlines and tells the edits."""
    names = renames(old, new)
    matches = match(old, new, names)
    names |= {pair.old.name: pair.new.name for pair in pairs(matches) if pair.old.name and pair.new.name}
    addresses = {pair.old.address: pair.new.address for pair in pairs(matches) if pair.old.address}
    return Structure(Correspondence(names, addresses), (*_locals(names), *_told(matches, names)))


def edits_of(old: Outline, new: Outline, names: Mapping[Name, Name]) -> tuple[Edit, ...]:
    """The edits between two outlines whose names are known, variables left aside."""
    return _told(match(old, new, names), names)


def _told(matches: tuple[Match, ...], names: Mapping[Name, Name]) -> tuple[Edit, ...]:
    nothing = (frozenset[str](), frozenset[str]())
    edits = list(chain.from_iterable(_edits(each, names, nothing) for each in matches))
    return tuple(_moved_between(edits, names))


def pairs(matches: tuple[Match, ...]) -> Iterator[Pair]:
    """All pairs, with those inside them."""
    for each in matches:
        if isinstance(each, Pair):
            yield each
            yield from pairs(each.inside)


def _locals(names: Mapping[Name, Name]) -> Iterator[Relabelled]:
    for old, new in names.items():
        if old.sort == "local" and old.last != new.last:
            yield Relabelled(old, new)


_ENOUGH = 4
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
    before, after = ({part.name: part for part in item.parts} for item in (old, new))
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was is None or now is None or translated(was.form, names) != now.form:
            yield Difference(name, was, now)


def _moved_between(edits: list[Edit], names: Mapping[Name, Name]) -> Iterator[Edit]:
    """What was removed in one place and added in another has moved."""
    removed = [each for each in edits if isinstance(each, Removed) and _can_move(each.old)]
    partner: dict[int, Moved] = {}
    left_out: set[int] = set()
    for edit in edits:
        if isinstance(edit, Added) and _can_move(edit.new):
            same = next(
                (each for each in removed if id(each) not in left_out and _same(each.old, edit.new, names)), None
            )
            if same is not None:
                left_out.add(id(same))
                partner[id(edit)] = Moved(same.old, edit.new)
    yield from (partner.get(id(each), each) for each in edits if id(each) not in left_out)


def _can_move(item: Item) -> bool:
    """Whether an item has no name to be known by, and says enough to be known again elsewhere."""
    return item.name is None and item.sort not in REMARKS and (len(item.form) > _ENOUGH or bool(item.items))


def _same(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    return (
        translated(old.form, names) == new.form
        and len(old.items) == len(new.items)
        and all(_same(a, b, names) for a, b in zip(old.items, new.items, strict=True))
    )
