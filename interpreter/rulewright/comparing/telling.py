"""What every edit comes to for people: in which section, under which heading, in which words, at which lines."""

from collections.abc import Mapping, Sequence

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.edits import Added, Changed, Edit, Moved, Recited, Relabelled, Removed, Renamed, Reworded
from rulewright.comparing.implied import implied
from rulewright.comparing.ordering import in_text_order
from rulewright.comparing.outline import Item
from rulewright.comparing.phrases import Phrase, plain
from rulewright.comparing.places import Places, carried
from rulewright.comparing.quoting import titled
from rulewright.comparing.sections import IMPLIED, section_of
from rulewright.comparing.wording import Sentence, sentences
from rulewright.frozen import dataclass
from rulewright.source import Span

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
        section: a key of `SECTIONS`, or `IMPLIED`.
        sort: a word of `SORTS`.
        group: the step or declaration around it; it may be what was edited itself.
        title: the title of that; empty where it has none, or where titles are what is told.
        place: what was edited, as designers call it.
        head: what to say before the text; empty where the text names its place itself.
        inner: the same below the heading of the group.
        said: what was and is.
        cites: clauses in its margin.
        old: where it is in the old revision, or nowhere; all of it where it came, went or moved.
        new: the same in the new one.
        number: its number among the edits of the comparison.
    """

    section: str
    sort: str
    group: str
    title: str
    place: str
    head: str
    inner: str
    said: Phrase
    cites: tuple[str, ...]
    old: Span | None
    new: Span | None
    number: int

    @property
    def text(self) -> str:
        """What was and is, in one line."""
        return plain(self.said)

    @property
    def heading(self) -> str:
        """The group with its title."""
        return f'{self.group} "{self.title}"' if self.title else self.group

    def __str__(self) -> str:
        """The whole line."""
        return f"{self.head}: {self.text}" if self.head else self.text


def told(comparison: Comparison, files: tuple[Sequence[str], Sequence[str]]) -> tuple[Told, ...]:
    """Every edit between two revisions, in the order of the new text; files are the names of the texts of both."""
    before, after = comparison.outlines
    same = comparison.correspondence
    edits = in_text_order(comparison.edits, comparison.outlines, same, files)
    quiet = implied(edits)
    procedures = {item.id for each in (before, after) for item in each.items if item.sort == "procedure"}
    numbers = {id(each): number for number, each in enumerate(comparison.edits)}
    teller = _Teller(comparison, Places(before), Places(after), procedures, numbers)
    return tuple(
        teller.told(edit, sentence, IMPLIED if id(edit) in quiet else "")
        for edit, sentence in sentences(edits, before, after, same)
    )


@dataclass(frozen=True, slots=True)
class _Teller:
    comparison: Comparison
    old: Places
    new: Places
    procedures: set[str]
    numbers: Mapping[int, int]

    def told(self, edit: Edit, sentence: Sentence, instead: str) -> Told:
        """An edit in words, in the section it belongs to or in another instead."""
        item, places = self._shown(edit)
        section, place = instead or self._section(edit, item), sentence.place
        group, title = self._group(edit, item, place, places)
        title = title if section in _TITLED else ""
        heading = _Heading(group, title, section in _TITLED)
        if isinstance(edit, Added | Removed) and item is not None:
            head, inner = _outside(item, heading, places.line(item))
        else:
            head, inner = _heads(item, place, heading)
        whole = isinstance(edit, Added | Removed | Moved)
        old, new = (_span(getattr(edit, side, None), whole=whole) for side in ("old", "new"))
        sort, number = SORTS[type(edit)], self.numbers[id(edit)]
        return Told(section, sort, group, title, place, head, inner, sentence.said, sentence.cites, old, new, number)

    def _section(self, edit: Edit, item: Item | None) -> str:
        section = section_of(edit, item)
        same = section == "rules" and self.numbers[id(edit)] in self.comparison.rewritten
        return "rewritten" if same else section

    def _shown(self, edit: Edit) -> tuple[Item | None, Places]:
        """The item that the place of a sentence is that of, and whose names it bears; none for a variable."""
        match edit:
            case Relabelled():
                return None, self.new
            case Removed(old):
                now = carried(old, self.comparison.correspondence)
                return (now, self.new) if now else (old, self.old)
            case Renamed(old):
                return old, self.old
            case _:
                return edit.new, self.new

    def _group(self, edit: Edit, item: Item | None, place: str, places: Places) -> tuple[str, str]:
        """The step or declaration to tell an edit below, with its title; the procedure for a step of one revision."""
        if item is not None and item.sort == "step" and isinstance(edit, Added | Removed):
            around = item.address.partition("/")[0]
            return f"procedure {around}", places.titles.get(around, "")
        around = place if item is None or _is_own(item) else places.around(item)
        title = places.title(item) if item is not None else ""
        return f"procedure {around}" if around in self.procedures else around, title


_TITLED = frozenset({"rules", "rewritten", "declarations"})


def _is_own(item: Item) -> bool:
    """Whether an item is a step or a declaration itself."""
    return item.sort == "step" or "/" not in item.address


@dataclass(frozen=True, slots=True)
class _Heading:
    """A group with its title, and whether titles are shown beside names at all."""

    group: str
    title: str
    titles: bool

    def __str__(self) -> str:
        return f'{self.group} "{self.title}"' if self.title else self.group


def _outside(item: Item, heading: _Heading, line: str) -> tuple[str, str]:
    """What to say before the text of what came or went, which names itself."""
    if item.sort == "step" or "/" not in item.address:
        return str(heading) if "/" in item.address else "", ""
    return ", ".join(filter(None, [str(heading), line])), line


def _heads(item: Item | None, place: str, heading: _Heading) -> tuple[str, str]:
    """What to say before the text of any other edit: by itself, and below its heading."""
    within = heading.group.removeprefix("procedure ")
    is_within = place.startswith(within)
    inner = place.removeprefix(within).lstrip(", .") if is_within else _plain_inner(item)
    if not heading.titles:
        return place, inner
    own = titled(item) if item is not None and inner else ""
    head = ", ".join(filter(None, [str(heading), f"{inner}{own}"])) if is_within else f"{place}{own}"
    return head, f"{inner}{own}"


def _plain_inner(item: Item | None) -> str:
    return f"{item.sort} {item.id.rpartition('/')[2]}" if item is not None else ""


def _span(item: object, *, whole: bool) -> Span | None:
    """Where an item is, with all that stands inside it where that came, went or moved too."""
    if not isinstance(item, Item) or not item.span.source:
        return None
    inside = (each.span.end for each in item.inside() if each.span.source == item.span.source)
    return Span(item.span.source, item.span.start, max(inside)) if whole else item.span
