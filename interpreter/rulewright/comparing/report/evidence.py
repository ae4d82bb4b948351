"""What shows a row of the first screen: plays, values or scenarios. Whatever marks or tells a row asks here."""

from collections import Counter
from collections.abc import Sequence

from rulewright.comparing.comparison import Whole
from rulewright.comparing.edits import Edit, sides
from rulewright.comparing.playing.data import Migrated, ValueWitness, Witness
from rulewright.frozen import dataclass

_HOLDING = frozenset({"attribute", "parameter"})
"""Sorts of items whose values are named with what they belong to."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows a row, by edits that stand in no other row."""

    plays: tuple[Witness, ...] = ()  # that show it
    values: tuple[ValueWitness, ...] = ()  # that a function has otherwise
    scenarios: tuple[Migrated, ...] = ()  # that end otherwise, where it is the only row
    # of its edits what the field of `Separated` says that knows of a play which is not kept: `seen` or `hidden`
    known: str = ""
    shared: tuple[Witness, ...] = ()  # plays of edits that stand in other rows too

    @property
    def shown(self) -> bool:
        """Whether anything shows it."""
        return bool(self.plays or self.values or self.scenarios or self.known)


NO_EVIDENCE = Evidence()


def evidence_of(whole: Whole, rows: Sequence[Sequence[int]]) -> list[Evidence]:
    """What shows each of some rows, which are given by the numbers of their edits."""
    behaviour = whole.behaviour
    if behaviour is None:
        return [NO_EVIDENCE] * len(rows)
    if len(rows) == 1:
        differing = tuple(each for each in behaviour.scenarios if each.outcome == "differs")
        changed = behaviour.verdict.word == "changed"
        found = Evidence(behaviour.witnesses, behaviour.values)
        return [found if found.shown or not changed else Evidence(scenarios=differing)]
    times = Counter(number for row in rows for number in set(row))
    return [_of(whole, frozenset(row), frozenset(each for each in row if times[each] == 1)) for row in rows]


def _of(whole: Whole, edits: frozenset[int], own: frozenset[int]) -> Evidence:
    behaviour = whole.behaviour
    assert behaviour is not None
    names = {_name(whole.comparison.edits[each]) for each in own}
    plays = tuple(each for each in behaviour.witnesses if each.subject and not own.isdisjoint(each.subject.edits))
    shared = tuple(each for each in behaviour.witnesses if each.subject and not edits.isdisjoint(each.subject.edits))
    values = tuple(each for each in behaviour.values if not names.isdisjoint({each.old, each.new}))
    apart = behaviour.separated
    known = (sort for sort in ("seen", "hidden") if apart and not own.isdisjoint(getattr(apart, sort)))
    return Evidence(plays, values, known=next(known, ""), shared=shared)


def _name(edit: Edit) -> str:
    """The declaration that an edit is in, as values name it; an attribute by its kind."""
    _, item = sides(edit)
    if item is None:
        return ""
    return item.address.replace("/", ".") if item.sort in _HOLDING else item.address.partition("/")[0]
