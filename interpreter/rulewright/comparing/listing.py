"""Lists of words that came or went with the settings that choose from them, and are told with these."""

from collections.abc import Iterator

from rulewright.comparing.edits import Added, Edit, Removed
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item


def without_lists(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits without those of such lists."""
    told = {(type(edit), name) for edit in edits for name in _chosen_from(edit)}
    return tuple(each for each in edits if (type(each), _listed(each)) not in told)


def _chosen_from(edit: Edit) -> Iterator[Name]:
    item = _item(edit)
    if item is not None and item.sort == "setting":
        said = (token for part in item.parts if part.name == "type" for token in part.form)
        yield from (each for each in said if isinstance(each, Name) and each.sort == "values")


def _listed(edit: Edit) -> Name | None:
    item = _item(edit)
    return item.name if item is not None and item.name and item.name.sort == "values" else None


def _item(edit: Edit) -> Item | None:
    return edit.new if isinstance(edit, Added) else edit.old if isinstance(edit, Removed) else None
