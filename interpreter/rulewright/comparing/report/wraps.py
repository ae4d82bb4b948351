"""Blocks that were put around lines, taken away from around them, or exchanged for others: one change each."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from rulewright.comparing.edits import Added, Edit, Moved, Removed
from rulewright.frozen import dataclass
from rulewright.outline.items import Item


@dataclass(frozen=True, slots=True)
class Wrap:
    """A block around lines that are otherwise what they were, by the numbers of its edits."""

    gone: int | None  # the block that went; none where there was none
    come: int | None  # the one that came; none where there is none
    moved: tuple[int, ...]  # the lines that stood or stand inside

    @property
    def edits(self) -> tuple[int, ...]:
        """All its edits, in order."""
        return tuple(sorted({*self.moved} | {each for each in (self.gone, self.come) if each is not None}))


def wraps(edits: Sequence[Edit], numbers: Collection[int]) -> Iterator[Wrap]:
    """The wraps among some edits, of which those of moved lines say what they entered or left."""
    old: dict[int, int] = {}
    new: dict[int, int] = {}
    for number in numbers:
        edit = edits[number]
        if isinstance(edit, Moved):
            old[id(edit.old)] = new[id(edit.new)] = number
    gone: dict[int, frozenset[int]] = {}
    come: dict[int, frozenset[int]] = {}
    for number in numbers:
        edit = edits[number]
        if isinstance(edit, Removed) and edit.old.sort == "line":
            gone[number] = _held(edit.old, old)
        elif isinstance(edit, Added) and edit.new.sort == "line":
            come[number] = _held(edit.new, new)
    for number, held in come.items():
        if held:
            before = next((each for each, others in gone.items() if others == held), None)
            gone.pop(before, None)  # type: ignore[arg-type]
            yield Wrap(before, number, tuple(sorted(held)))
    yield from (Wrap(number, None, tuple(sorted(held))) for number, held in gone.items() if held)


def head(block: Item) -> Item:
    """The first line of a block, which an `if` has in its first branch."""
    first = block.items[0]
    return first if first.sort == "branch" else block


def _held(item: Item, moved: Mapping[int, int]) -> frozenset[int]:
    """The moved lines in a block; none where anything else stands in it."""
    if id(item) in moved:
        return frozenset({moved[id(item)]})
    parts = [_held(each, moved) for each in item.items if each.sort != "parameter"]
    return frozenset[int]().union(*parts) if all(parts) else frozenset()
