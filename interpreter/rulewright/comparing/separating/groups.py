"""Which edits are tried for a play of their own, and with what."""

from collections.abc import Iterator, Sequence

from rulewright.comparing.edits import Added, Edit, Removed
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item
from rulewright.comparing.remaining import Remaining
from rulewright.comparing.sections import section_of
from rulewright.comparing.separating.needing import wider
from rulewright.comparing.separating.units import Unit
from rulewright.frozen import dataclass

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
