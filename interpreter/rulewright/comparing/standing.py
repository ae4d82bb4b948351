"""Where items stand among others: inside which line, and after what."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.phrases import Phrase, Quote, joined
from rulewright.comparing.quoting import short

_BLOCKS = frozenset({"line", "branch", "case", "else", "option", "watch"})


class Standing:
    """What is around and before every item of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._around = {id(each): item for item in outline.every() for each in item.items}
        rows = (outline.items, *(item.items for item in outline.every()))
        self._before = {id(each): before for row in rows for before, each in _following(row)}

    def blocks(self, item: Item) -> Iterator[Item]:
        """The lines an item stands in, the innermost first."""
        around = self._around.get(id(item))
        while around is not None and around.sort in _BLOCKS:
            yield around
            around = self._around.get(id(around))

    def called(self, block: Item) -> Phrase:
        """A line by its text; the other side of an `if` by its condition."""
        around = self._around.get(id(block))
        if block.sort != "else" or around is None:
            return (Quote(short(block.text)),)
        first = next((each for each in around.items if each.sort == "branch"), around)
        return ("the `else` of ", Quote(short(first.text)))

    def before(self, item: Item) -> Item | None:
        """What stands before an item, of those whose order counts; none where it is the first."""
        return self._before.get(id(item))


def _following(row: tuple[Item, ...]) -> Iterator[tuple[Item, Item]]:
    ordered = [each for each in row if each.ordered and each.sort != "parameter"]
    return pairwise(ordered)


Same = Callable[[Item, Item], bool]
"""Whether an item of the old revision is one of the new one."""


def moved(old: Standing, was: Item, new: Standing, now: Item, same: Same) -> Phrase:
    """Where an item went that did not leave its step or declaration: what it entered and left, else its place.

    What was around it before under another condition was not entered.
    """
    before, after = _opening(old.blocks(was)), _opening(new.blocks(now))
    left = [each for each in before if not any(same(each, other) for other in after)]
    entered = [each for each in after if not any(same(other, each) for other in before)]
    told: list[Phrase] = []
    if entered:
        told.append(("now inside ", *new.called(entered[0])))
    if left:
        told.append(("no longer inside ", *old.called(left[0])))
    return joined(iter(told), ", ") or _after(new.before(now))


def _opening(blocks: Iterator[Item]) -> list[Item]:
    """Blocks that say when or how often; the line around branches says nothing by itself."""
    return [each for each in blocks if not any(inner.sort == "branch" for inner in each.items)]


def _after(before: Item | None) -> Phrase:
    return ("now comes first",) if before is None else ("now comes after ", _called(before))


def _called(item: Item) -> str | Quote:
    if not item.id:
        return Quote(short(item.text))
    return f"step {item.id}" if item.sort == "step" else item.id
