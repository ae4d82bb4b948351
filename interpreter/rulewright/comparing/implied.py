"""Edits that other edits tell already."""

from collections.abc import Iterator

from rulewright.comparing.edits import Added, Changed, Edit, Removed
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item


def implied(edits: tuple[Edit, ...]) -> frozenset[int]:
    """Such edits, by their identity: of lists of words told with a setting, and of calls that follow a default."""
    told = {(type(edit), name) for edit in edits for name in _chosen_from(edit)}
    return frozenset(id(each) for each in edits if (type(each), _listed(each)) in told or _follows(each))


def _chosen_from(edit: Edit) -> Iterator[Name]:
    """The list of words that a setting chooses from."""
    item = _item(edit)
    if item is not None and item.sort == "setting":
        said = (token for part in item.parts if part.name == "type" for token in part.form)
        yield from (each for each in said if isinstance(each, Name) and each.sort == "values")


def _listed(edit: Edit) -> Name | None:
    item = _item(edit)
    return item.name if item is not None and item.name and item.name.sort == "values" else None


def _item(edit: Edit) -> Item | None:
    return edit.new if isinstance(edit, Added) else edit.old if isinstance(edit, Removed) else None


def _follows(edit: Edit) -> bool:
    """Whether a line reads as before, and only what is given to it by default is another."""
    if not isinstance(edit, Changed) or not edit.new.text or edit.old.text != edit.new.text:
        return False
    return {each.name for each in edit.differences} == {"arguments"}
