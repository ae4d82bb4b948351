"""What can have happened to an item."""

from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item, Part
from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Added:
    """The item is new, with all inside it."""

    new: Item


@dataclass(frozen=True, slots=True)
class Removed:
    """The item is gone, with all inside it."""

    old: Item


@dataclass(frozen=True, slots=True)
class Moved:
    """The item stands elsewhere, where its place counts."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Renamed:
    """The item is called otherwise: a step renumbered, a word, attribute or procedure renamed."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A name that is no declaration: of a variable, which nobody else can see, or the plural of a kind."""

    old: Name
    new: Name


@dataclass(frozen=True, slots=True)
class Reworded:
    """Its title, prompt or reason reads otherwise."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Recited:
    """Other clauses stand in its margin."""

    old: Item
    new: Item
    lost: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A part that says something else; none where it is not there."""

    name: str
    was: Part | None
    now: Part | None


@dataclass(frozen=True, slots=True)
class Changed:
    """The item itself says something else; what stands inside it has edits of its own."""

    old: Item
    new: Item
    differences: tuple[Difference, ...]


Edit = Added | Removed | Moved | Renamed | Relabelled | Reworded | Recited | Changed
"""Edits that may change play."""
RULES = (Added, Removed, Moved, Changed)

REMARKS = frozenset({"ruling", "outside", "void", "departs"})
"""Sorts of items that only people read."""


def is_rule(edit: Edit) -> bool:
    """Whether an edit may change play: not a name, a title, a clause in the margin, a remark."""
    item = edit.new if isinstance(edit, Added | Moved | Changed) else getattr(edit, "old", None)
    return isinstance(edit, RULES) and isinstance(item, Item) and item.sort not in REMARKS
