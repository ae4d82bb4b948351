"""Which edits are tried for a play of their own, with what, and what they need so that a ruleset has no errors."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rulewright.comparing.edits import Added, Edit, Removed, section_of
from rulewright.comparing.redundant_edits import Remaining
from rulewright.comparing.separating.units import Unit
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name

_VARIABLES = frozenset({"local", "parameter"})
_CALLED = frozenset({"function", "procedure", "external", "event", "relation"})


def needs(units: Sequence[Unit], names: Mapping[Name, Name]) -> tuple[frozenset[int], ...]:
    """For each unit the numbers of all that have to be made with it, its own among them.

    A unit needs those that declare what it mentions, and those that mention what it removes. Where one changes
    parameters, it and all that mention the same declaration need each other. So do those that mention a variable of one
    revision only; a new variable needs that what was called so before is gone.
    """
    direct = _direct(units, names)
    return tuple(_closed({number}, direct) for number in range(len(units)))


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


def _closed(start: set[int], direct: Sequence[set[int]]) -> frozenset[int]:
    waiting, found = list(start), set(start)
    while waiting:
        for each in direct[waiting.pop()]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)


_MENTIONED = frozenset({"function", "external", "procedure", "attribute"})
"""Sorts of declarations that count where others mention them, besides those that only say what there is."""


@dataclass(frozen=True, slots=True)
class Group:
    """Edits that are made together.

    Attributes:
        subject: numbers of the edits that a play is wanted for.
        made: numbers of all units that are made for it.
        others: numbers of the units among those that have edits of their own, with what these need.
    """

    subject: tuple[int, ...]
    made: frozenset[int]
    others: frozenset[int]


def groups(
    units: Sequence[Unit], needed: Sequence[frozenset[int]], edits: Sequence[Edit], left: Remaining
) -> tuple[Group, ...]:
    """What to try, in the order of the text; units that need each other are one.

    What only declares something, for others to mention, is tried with those; what is proved alike is not.
    """
    open_ = {_around(each) for each in (*left.old, *left.new)}
    telling = {
        number: told
        for number, each in enumerate(units)
        if each.owners & open_ and (told := tuple(_telling(each, edits)))
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


def _around(name: Name) -> str:
    """The first part of the addresses in a declaration."""
    return "game" if name.sort == "field" else name.name.partition("/")[0]


def _telling(unit: Unit, edits: Sequence[Edit]) -> Iterator[int]:
    return (number for number in unit.edits if _tells(edits[number]))


def _tells(edit: Edit) -> bool:
    """Whether an edit can change play without another that mentions it."""
    item = edit.new if isinstance(edit, Added) else edit.old if isinstance(edit, Removed) else None
    if not isinstance(item, Item):
        return True
    return section_of(edit, item) == "rules" and (item.name is None or item.name.sort not in _MENTIONED)
