"""What was removed in one place and added in another has moved: also into what is new, and out of what is gone."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.comparing.edits import REMARKS, Added, Edit, Moved, Removed
from rulewright.comparing.matching import translated
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item

_ENOUGH = 4


def with_moves(edits: Sequence[Edit], names: Mapping[Name, Name]) -> Iterator[Edit]:
    """The edits, with moves in place of what was removed and added, each after the edit of what it moved into."""
    lost = [each.old for each in edits if isinstance(each, Removed)]
    moves = {id(each): list(_into(each.new, lost, names, set())) for each in edits if isinstance(each, Added)}
    left = {id(move.old) for found in moves.values() for move in found}
    for edit in edits:
        whole = any(isinstance(edit, Added) and move.new is edit.new for move in moves.get(id(edit), ()))
        if not whole and not (isinstance(edit, Removed) and id(edit.old) in left):
            yield edit
        yield from moves.get(id(edit), ())


def _into(item: Item, lost: Sequence[Item], names: Mapping[Name, Name], taken: set[int]) -> Iterator[Moved]:
    """What came to an item, or into it, from elsewhere."""
    found = next((each for each in _sources(lost) if id(each) not in taken and _same(each, item, names)), None)
    if found is not None and _can_move(item):
        taken.add(id(found))
        yield Moved(found, item)
        return
    for each in item.items:
        yield from _into(each, lost, names, taken)


def _sources(lost: Sequence[Item]) -> Iterator[Item]:
    for each in lost:
        yield from each.inside()


def _can_move(item: Item) -> bool:
    """Whether an item has no name to be known by, and says enough to be known again elsewhere."""
    return item.name is None and item.sort not in REMARKS and (len(item.form) > _ENOUGH or bool(item.items))


def _same(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    return (
        translated(old.form, names) == new.form
        and len(old.items) == len(new.items)
        and all(_same(a, b, names) for a, b in zip(old.items, new.items, strict=True))
    )
