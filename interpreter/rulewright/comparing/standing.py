"""Where items stand among others: inside which line, and after what."""

from collections.abc import Iterator
from itertools import pairwise

from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.phrases import Phrase, Quote
from rulewright.comparing.quoting import short

_BLOCKS = frozenset({"line", "branch", "case", "else", "option", "watch"})


class Standing:
    """What is around and before every item of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._around = {id(each): item for item in outline.every() for each in item.items}
        rows = (outline.items, *(item.items for item in outline.every()))
        self._before = {id(each): before for row in rows for before, each in _following(row)}

    def block(self, item: Item) -> str:
        """The line an item stands in; nothing where it stands in a step or declaration only."""
        around = self._around.get(id(item))
        return short(around.text) if around is not None and around.sort in _BLOCKS else ""

    def before(self, item: Item) -> Item | None:
        """What stands before an item, of those whose order counts; none where it is the first."""
        return self._before.get(id(item))


def _following(row: tuple[Item, ...]) -> Iterator[tuple[Item, Item]]:
    ordered = [each for each in row if each.ordered and each.sort != "parameter"]
    return pairwise(ordered)


def moved(old: Standing, was: Item, new: Standing, now: Item) -> Phrase:
    """Where an item went that did not leave its step or declaration."""
    left, come = old.block(was), new.block(now)
    if left != come:
        return ("now inside ", Quote(come)) if come else ("no longer inside ", Quote(left))
    before = new.before(now)
    if before is None:
        return ("now comes first",)
    return ("now comes after ", _called(before))


def _called(item: Item) -> str | Quote:
    if not item.id:
        return Quote(short(item.text))
    return f"step {item.id}" if item.sort == "step" else item.id
