"""What was removed in one place and added in another has moved: also into what is new, and out of what is gone."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rulewright.comparing.edits import REMARKS, Added, Edit, Moved, Removed
from rulewright.comparing.partners import likeness, translated
from rulewright.outline.items import Item
from rulewright.outline.names import Name

_ENOUGH = 4
_LIKELY = 0.4


Inside = Callable[[Item, Item], Iterator[Edit]]
"""The edits of two items that are one, and of all inside them."""


def with_moves(edits: Sequence[Edit], names: Mapping[Name, Name], inside: Inside, *, turned: bool) -> Iterator[Edit]:
    """The edits, with moves in place of what was removed and added, each after the edit of what it moved into.

    What moved and was changed on the way is followed by its own edits.
    """
    lost = [each.old for each in edits if isinstance(each, Removed)]
    found = [each.new for each in edits if isinstance(each, Added)]
    moved = {id(move.new): move for move in _moves(lost, found, names, turned=turned)}
    gone = {id(move.old) for move in moved.values()}
    for edit in edits:
        if not isinstance(edit, Added):
            if not (isinstance(edit, Removed) and id(edit.old) in gone):
                yield edit
            continue
        if id(edit.new) not in moved:
            yield edit
        for move in (moved[id(each)] for each in edit.new.inside() if id(each) in moved):
            yield move
            yield from inside(move.old, move.new)


def _moves(lost: Sequence[Item], found: Sequence[Item], names: Mapping[Name, Name], *, turned: bool) -> Iterator[Moved]:
    """What moved; looked for from the new side to the old one, or turned, so that both directions find the same."""
    if turned:
        back = {new: old for old, new in names.items()}
        yield from (Moved(old, new) for new, old in _Moving(back, found).into(lost))
    else:
        yield from (Moved(old, new) for old, new in _Moving(names, lost).into(found))


class _Moving:
    """Looks for what came from items of one revision into those of another."""

    def __init__(self, names: Mapping[Name, Name], sources: Sequence[Item]) -> None:
        self._names = names
        self._sources = [each for source in sources for each in source.inside()]
        self._taken: set[int] = set()

    def into(self, goals: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
        """What came to items, or into them, from elsewhere: source and goal."""
        yield from self._into(goals, [each for goal in goals for each in goal.inside()])

    def _into(self, goals: Sequence[Item], every: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
        for goal in goals:
            found = self._source(goal, every)
            if found is None:
                yield from self._into(goal.items, every)
            else:
                self._taken.update(id(each) for each in found.inside())
                yield found, goal

    def _source(self, goal: Item, every: Sequence[Item]) -> Item | None:
        """What says the same, else what bears the same name and says much of it, if no other item says the same."""
        if goal.name is not None or goal.sort in REMARKS:
            return None
        left = [each for each in self._sources if id(each) not in self._taken]
        same = next((each for each in left if self._is_same(each, goal)), None)
        likely = (each for each in left if self._is_likely(each, goal))
        return same or next((each for each in likely if not any(self._is_same(each, other) for other in every)), None)

    def _is_same(self, source: Item, goal: Item) -> bool:
        """Whether an item says all that another does, and that is enough to be known by."""
        return _says_enough(goal) and _same(source, goal, self._names)

    def _is_likely(self, source: Item, goal: Item) -> bool:
        """Whether an item bears the same name in the same declaration and says much of it."""
        named = bool(goal.id) and (source.sort, source.id) == (goal.sort, goal.id)
        return named and self._owner(source) == _owner(goal) and likeness(source, goal, self._names) >= _LIKELY

    def _owner(self, source: Item) -> str:
        owner = _owner(source)
        name = self._names.get(Name("procedure", owner))
        return name.name if name else owner


def _owner(item: Item) -> str:
    return item.address.partition("/")[0]


def _says_enough(item: Item) -> bool:
    """Whether an item says enough to be known again elsewhere."""
    return len(item.form) > _ENOUGH or bool(item.items)


def _same(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    return (
        translated(old.form, names) == new.form
        and len(old.items) == len(new.items)
        and all(_same(a, b, names) for a, b in zip(old.items, new.items, strict=True))
    )
