"""In which section an edit is told."""

from rulewright.comparing.edits import REMARKS, Added, Edit, Recited, Removed, Reworded, is_rule
from rulewright.comparing.outline import Item

SECTIONS = {
    "rules": "what may change play",
    "rewritten": "rules written otherwise, play proved the same",
    "declarations": "what there is to speak of, which counts where rules mention it",
    "names": "what is only called otherwise",
    "wording": "titles, questions and reasons",
    "margins": "clauses cited in margins",
    "remarks": "rulings, and clauses answered for without a rule",
}
"""Where an edit is told, and what stands there."""

IMPLIED = "implied"
"""The section of edits that others tell already; it is not shown."""

TITLES = {"rewritten": "Written otherwise, play proved the same"}
"""Titles of sections that their word does not tell."""

_DECLARED = frozenset(
    "values die kind record part board attribute cell side field setting relation event measure".split()  # noqa: SIM905
)


def section_of(edit: Edit, item: Item | None) -> str:
    """The section for an edit of an item; no item for an edit of a variable."""
    if item is not None and (item.sort in REMARKS or (isinstance(edit, Added | Removed) and _only_remarks(item))):
        return "remarks"
    if is_rule(edit):
        declared = item is not None and isinstance(edit, Added | Removed) and _is_declared(item)
        return "declarations" if declared else "rules"
    return {Reworded: "wording", Recited: "margins"}.get(type(edit), "names")


def _only_remarks(item: Item) -> bool:
    """Whether nothing stands inside an item but what only people read."""
    return bool(item.items) and all(each.sort in REMARKS or _only_remarks(each) for each in item.items)


def _is_declared(item: Item) -> bool:
    """Whether an item only says what there is; a derived attribute says what holds."""
    if item.name is None or item.name.sort not in _DECLARED:
        return False
    return item.name.sort != "attribute" or any(part.name == "type" for part in item.parts)
