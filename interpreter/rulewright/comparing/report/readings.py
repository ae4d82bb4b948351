"""Which edits only matter where another reading is chosen than the one that is written."""

from collections.abc import Mapping

from rulewright.comparing.edits import Added, Changed, Edit, Moved, Removed
from rulewright.comparing.naming import Correspondence, Name
from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.outlining import outline
from rulewright.comparing.partners import translated
from rulewright.comparing.report.published import published
from rulewright.program.declarations import Program

_Key = tuple[str, str, int, str]


class Readings:
    """Two revisions as they play by what is written, beside two revisions as they are.

    Args:
        programs: of the old revision and of the new one.
        outlines: of both.
        same: what of one is what of the other.
    """

    def __init__(
        self, programs: tuple[Program, Program], outlines: tuple[Outline, Outline], same: Correspondence
    ) -> None:
        self._are_there = any(each.settings for each in programs)
        self._old, self._new = (_known(each) if self._are_there else {} for each in programs)
        self._around = tuple(
            {id(each): item for item in outline_.every() for each in item.items} for outline_ in outlines
        )
        self._same = same

    def only(self, edit: Edit) -> bool:  # noqa: PLR0911 - one case for each sort
        """Whether an edit makes no difference to the rules as they are read where nothing else is chosen."""
        if not self._are_there:
            return False
        match edit:
            case Added(new):
                return new.sort in _READ and _key(new) not in self._new
            case Removed(old):
                return old.sort in _READ and _key(old) not in self._old
            case Changed(old, new):
                before, after = self._old.get(_key(old)), self._new.get(_key(new))
                if before is None or after is None:
                    return before is after
                return _said(before, self._same.names) == _said(after, {})
            case Moved(old, new):
                before, after = self._parent(old, 0), self._parent(new, 1)
                return before is not None and after is not None and self._are_partners(before, after)
        return False

    def _parent(self, item: Item, side: int) -> Item | None:
        """What an item stands in; of lines, what decides something by the readings that are written."""
        known = (self._old, self._new)[side]
        around = self._around[side].get(id(item))
        while around is not None and (_key(around) not in known or _is_all_inside(around)):
            around = self._around[side].get(id(around))
        return around

    def _are_partners(self, old: Item, new: Item) -> bool:
        return self._same.addresses.get(old.address) == new.address and old.sort == new.sort


_READ = frozenset(
    {"line", "branch", "else", "case", "condition", "modifier", "row", "requirement", "step", "key", "always"}
)


def _known(program: Program) -> Mapping[_Key, Item]:
    return {_key(each): each for each in outline(published(program), {}).every()}


def _key(item: Item) -> _Key:
    return item.sort, item.span.source, item.span.start, item.id


def _said(item: Item, names: Mapping[Name, Name]) -> object:
    return tuple((part.name, translated(part.form, names)) for part in item.parts)


def _is_all_inside(item: Item) -> bool:
    return any(each.sort == "branch" for each in item.items)
