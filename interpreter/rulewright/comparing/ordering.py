"""Edits in the order of the new text, whatever their sort."""

from collections.abc import Mapping, Sequence

from rulewright.comparing.edits import Edit, Relabelled, Removed
from rulewright.comparing.naming import Correspondence
from rulewright.comparing.outline import Item, Outline

_Place = tuple[int, int]
_Key = tuple[_Place, int, _Place]
_LAST = (1 << 30, 0)


def in_text_order(
    edits: Sequence[Edit], outlines: tuple[Outline, Outline], same: Correspondence, files: tuple[Sequence[str], ...]
) -> tuple[Edit, ...]:
    """The edits by the declarations they are in; those of one declaration stay as they are.

    What the new text lacks comes after what it followed in the old one; names of variables come last.

    Args:
        edits: to order.
        outlines: of the old revision and of the new one.
        same: what of the old one is what of the new one.
        files: names of the texts of both, in the order of reading.
    """
    old, new = (_places(outline, names) for outline, names in zip(outlines, files, strict=True))
    tops = {id(each): item for outline in outlines for item in outline.items for each in item.inside()}
    here = {item.name: new[id(item)] for item in outlines[1].items if item.name}
    keys: dict[int, _Key] = {id(item): (new[id(item)], 0, _LAST) for item in outlines[1].items}
    before = (-1, 0)
    for item in sorted(outlines[0].items, key=lambda each: old[id(each)]):
        now = same.names.get(item.name) if item.name else None
        before = here.get(now, before) if now else before
        keys[id(item)] = (before, 0 if now in here else 1, old[id(item)])
    return tuple(sorted(edits, key=lambda edit: _key(edit, tops, keys)))


def _key(edit: Edit, tops: Mapping[int, Item], keys: Mapping[int, _Key]) -> _Key:
    if isinstance(edit, Relabelled):
        return _LAST, 0, _LAST
    return keys[id(tops[id(edit.old if isinstance(edit, Removed) else edit.new)])]


def _places(outline: Outline, files: Sequence[str]) -> Mapping[int, _Place]:
    numbers = {name: number for number, name in enumerate(files)}
    return {id(item): (numbers.get(item.span.source, len(files)), item.span.start) for item in outline.items}
