"""What was removed in one place and added in another has moved: also into what is new, and out of what is gone."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.comparing.edits import REMARKS, Added, Edit, Moved, Removed
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item
from rulewright.comparing.partners import translated

_ENOUGH = 4


def with_moves(edits: Sequence[Edit], names: Mapping[Name, Name], *, turned: bool) -> Iterator[Edit]:
    """The edits, with moves in place of what was removed and added, each after the edit of what it moved into."""
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
        yield from (moved[id(each)] for each in edit.new.inside() if id(each) in moved)


def _moves(lost: Sequence[Item], found: Sequence[Item], names: Mapping[Name, Name], *, turned: bool) -> Iterator[Moved]:
    """What moved; looked for from the new side to the old one, or turned, so that both directions find the same."""
    if turned:
        back = {new: old for old, new in names.items()}
        yield from (Moved(old, new) for new, old in _pairs(found, lost, back))
    else:
        yield from (Moved(old, new) for old, new in _pairs(lost, found, names))


def _pairs(sources: Sequence[Item], goals: Sequence[Item], names: Mapping[Name, Name]) -> list[tuple[Item, Item]]:
    taken: set[int] = set()
    return [pair for goal in goals for pair in _into(goal, sources, names, taken)]


def _into(
    goal: Item, sources: Sequence[Item], names: Mapping[Name, Name], taken: set[int]
) -> Iterator[tuple[Item, Item]]:
    """What came to an item, or into it, from elsewhere."""
    same = (each for source in sources for each in source.inside() if id(each) not in taken)
    found = next((each for each in same if _same(each, goal, names)), None) if _can_move(goal) else None
    if found is not None:
        taken.update(id(each) for each in found.inside())
        yield found, goal
        return
    for each in goal.items:
        yield from _into(each, sources, names, taken)


def _can_move(item: Item) -> bool:
    """Whether an item has no name to be known by, and says enough to be known again elsewhere."""
    return item.name is None and item.sort not in REMARKS and (len(item.form) > _ENOUGH or bool(item.items))


def _same(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    return (
        translated(old.form, names) == new.form
        and len(old.items) == len(new.items)
        and all(_same(a, b, names) for a, b in zip(old.items, new.items, strict=True))
    )
