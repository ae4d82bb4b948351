"""Which names of two revisions mean the same; what can have happened to an item, and in which section it is told."""

from collections.abc import Mapping

from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Part


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What of an old revision is what of a new one.

    Attributes:
        names: from old names to new ones, those that stayed the same among them; what was removed is not in it.
        addresses: from old addresses to new ones: of steps, lines, rows and options that were matched.
    """

    names: Mapping[Name, Name]
    addresses: Mapping[str, str]

    def new(self, sort: str, name: str) -> str | None:
        """What an old name became; none where it was removed."""
        found = self.names.get(Name(sort, name))
        return None if found is None else found.name

    def mirrored(self) -> "Correspondence":
        """The same, from the new revision to the old one."""
        return Correspondence(
            {new: old for old, new in self.names.items()}, {new: old for old, new in self.addresses.items()}
        )


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
