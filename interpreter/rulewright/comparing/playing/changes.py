"""Which places of two revisions say something else."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from rulewright.comparing.naming import Correspondence, Name
from rulewright.comparing.playing.data import Changed
from rulewright.comparing.playing.places import Place, declarations, places, said
from rulewright.comparing.playing.stored import stored
from rulewright.frozen import dataclass
from rulewright.program.declarations import Program

Pair = tuple[tuple[Place, ...], tuple[Place, ...]]


@dataclass(frozen=True, slots=True)
class Altered:
    """What is to be watched.

    Attributes:
        names: of what changed, of the old revision and of the new one: declarations that are carried out, and stored
            data.
        places: of either revision that say something else than the other.
    """

    names: tuple[frozenset[Name], frozenset[Name]]
    places: Pair


def altered(old: Program, new: Program, names: Correspondence, changed: Changed | None) -> Altered:
    """What changed of two programs, as far as it is among what is said to have changed."""
    found: tuple[list[Place], list[Place]] = ([], [])
    known = dict(declarations(new))
    renamed = _renamed(names)
    for name, declared in declarations(old):
        other = names.names.get(name)
        here = list(places(name, declared))
        there = list(places(other, known[other])) if other in known else []
        for side, differing in zip(found, _differing(here, there, renamed), strict=True):
            side.extend(differing)
    taken = set(names.names.values())
    for name, declared in known.items():
        if name not in taken:
            found[1].extend(places(name, declared))
    if changed is not None:
        return _among(found, changed)
    data = _data(old, new, names)
    both = {each.owner for each in found[0]} | data[0], {each.owner for each in found[1]} | data[1]
    return Altered((frozenset(both[0]), frozenset(both[1])), (tuple(found[0]), tuple(found[1])))


def _among(found: tuple[list[Place], list[Place]], changed: Changed) -> Altered:
    names = frozenset(map(owner, changed.old)), frozenset(map(owner, changed.new))
    old, new = (tuple(each for each in side if each.owner in known) for side, known in zip(found, names, strict=True))
    return Altered(names, (old, new))


def owner(name: Name) -> Name:
    """The declaration that a name of a step or parameter belongs to; any other name is its own."""
    if name.sort in {"step", "parameter"}:
        return Name("procedure", name.name.rpartition("/")[0])
    return name


def _renamed(names: Correspondence) -> dict[str, str]:
    """Old names by new ones where they differ, whole and without what they stand in."""
    whole = {old.name: new.name for old, new in names.names.items() if old.name != new.name}
    return whole | {
        old.rpartition("/")[2]: new.rpartition("/")[2]
        for old, new in whole.items()
        if old.rpartition("/")[2] != new.rpartition("/")[2]
    }


def _differing(here: Sequence[Place], there: Sequence[Place], renamed: dict[str, str]) -> Pair:
    """Places of two declarations that differ, whichever way names of the routine are told apart."""
    if not there:
        return tuple(here), ()
    ways = [
        _unmatched(
            [said(each, renamed, by_number=by_number) for each in here],
            [said(each, {}, by_number=by_number) for each in there],
        )
        for by_number in (False, True)
    ]
    first, second = min(ways, key=lambda each: len(each[0]) + len(each[1]))
    return tuple(here[at] for at in sorted(set(first))), tuple(there[at] for at in sorted(set(second)))


def _unmatched(here: list[object], there: list[object]) -> tuple[list[int], list[int]]:
    matcher = SequenceMatcher(None, [repr(each) for each in here], [repr(each) for each in there], autojunk=False)
    first: list[int] = []
    second: list[int] = []
    for word, i1, i2, j1, j2 in matcher.get_opcodes():
        if word != "equal":
            first += range(i1, i2) or [max(i1 - 1, 0)]
            second += range(j1, j2) or [max(j1 - 1, 0)]
    return first, second


def _data(old: Program, new: Program, names: Correspondence) -> tuple[set[Name], set[Name]]:
    """Names of stored data that only one revision has, or that are of another type or start otherwise."""
    first, second = dict(stored(old)), dict(stored(new))
    gone = {each for each in first if names.names.get(each) not in second}
    taken = set(names.names.values())
    added = {each for each in second if each not in taken}
    moved = {each for each, what in first.items() if each not in gone and what != second[names.names[each]]}
    return gone | moved, added | {names.names[each] for each in moved}
