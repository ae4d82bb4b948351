"""What every edit comes to for people: in which section, under which heading, in which words, at which lines."""

import re
from collections.abc import Iterator

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.edits import (
    REMARKS,
    Added,
    Changed,
    Edit,
    Moved,
    Recited,
    Relabelled,
    Removed,
    Renamed,
    Reworded,
    is_rule,
)
from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.places import Places
from rulewright.comparing.wording import Sentence, sentences
from rulewright.frozen import dataclass
from rulewright.source import Span

SECTIONS = {
    "rules": "what may change play",
    "names": "what is only called otherwise",
    "wording": "titles, questions and reasons",
    "margins": "clauses cited in margins",
    "remarks": "rulings, and clauses answered for without a rule",
}
"""Where an edit is told, and what stands there."""

SORTS = {
    Added: "added",
    Removed: "removed",
    Moved: "moved",
    Changed: "changed",
    Renamed: "renamed",
    Relabelled: "relabelled",
    Reworded: "reworded",
    Recited: "recited",
}
"""The word for each sort of edit."""


@dataclass(frozen=True, slots=True)
class Told:
    """One edit in words.

    Attributes:
        section: a key of `SECTIONS`.
        sort: a word of `SORTS`.
        group: the step or declaration around it; it may be what was edited itself.
        place: what was edited, as designers call it.
        head: what to say before the text; empty where the text names its place itself.
        inner: the same below the heading of the group.
        text: what was and is.
        cites: clauses in its margin.
        old: where it is in the old revision, or nowhere.
        new: where it is in the new one, or nowhere.
    """

    section: str
    sort: str
    group: str
    place: str
    head: str
    inner: str
    text: str
    cites: tuple[str, ...]
    old: Span | None
    new: Span | None

    def __str__(self) -> str:
        """The whole line."""
        return f"{self.head}: {self.text}" if self.head else self.text


def told(comparison: Comparison) -> tuple[Told, ...]:
    """Every edit between two revisions, in the order of the new text."""
    before, after = comparison.outlines
    places = {False: Places(before), True: Places(after)}
    procedures = {item.id for each in (before, after) for item in each.items if item.sort == "procedure"}
    teller = _Teller(places[False], places[True], procedures)
    return tuple(_tell(teller, comparison.edits, before, after))


def _tell(teller: "_Teller", edits: tuple[Edit, ...], old: Outline, new: Outline) -> Iterator[Told]:
    return (teller.told(edit, sentence) for edit, sentence in sentences(edits, old, new))


@dataclass(frozen=True, slots=True)
class _Teller:
    old: Places
    new: Places
    procedures: set[str]

    def told(self, edit: Edit, sentence: Sentence) -> Told:
        item, places = _shown(edit), self.old if isinstance(edit, Removed | Renamed) else self.new
        group = self._group(item, sentence.place, places)
        inner = _inside(item, sentence.place, group)
        head = sentence.place
        if isinstance(edit, Added | Removed) and item and _names_itself(item):
            head, inner = _outside(item, group), ""
        where = (_span(getattr(edit, side, None)) for side in ("old", "new"))
        section, sort = _section(edit, item), SORTS[type(edit)]
        return Told(section, sort, group, sentence.place, head, inner, sentence.text, sentence.cites, *where)

    def _group(self, item: Item | None, place: str, places: Places) -> str:
        own = item is None or item.sort == "step" or "/" not in item.address
        around = place if own or item is None else places.around(item)
        return f"procedure {around}" if around in self.procedures else around


def _shown(edit: Edit) -> Item | None:
    """The item that the place of a sentence is that of; none for a variable."""
    if isinstance(edit, Relabelled):
        return None
    return edit.old if isinstance(edit, Removed | Renamed) else edit.new


def _inside(item: Item | None, place: str, group: str) -> str:
    """A place without its heading."""
    heading = group.removeprefix("procedure ")
    if place.startswith(heading):
        return place.removeprefix(heading).lstrip(", .")
    return f"{item.sort} {item.id.rpartition('/')[2]}" if item and place != group else ""


def _outside(item: Item, group: str) -> str:
    """What is around an item that names itself; nothing around a declaration."""
    if item.sort == "step":
        return f"procedure {item.address.partition('/')[0]}"
    return group if "/" in item.address else ""


def _names_itself(item: Item) -> bool:
    """Whether the text of an item begins with its name, and with what it is."""
    name = item.id.rpartition("/")[2]
    begins = re.match(rf"(?:[a-z0-9]+ )*{re.escape(name)}(?!\w)", item.text)
    return not name or (item.sort != "parameter" and begins is not None)


def _section(edit: Edit, item: Item | None) -> str:
    if item is not None and item.sort in REMARKS:
        return "remarks"
    if is_rule(edit):
        return "rules"
    return {Reworded: "wording", Recited: "margins"}.get(type(edit), "names")


def _span(item: object) -> Span | None:
    return item.span if isinstance(item, Item) and item.span.source else None
