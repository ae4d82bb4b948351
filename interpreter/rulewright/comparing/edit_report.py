"""What edits come to for people: section, order, heading, words, lines; and where scenarios use words that changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.edit_wording import Sentence, sentences
from rulewright.comparing.edits import (
    IMPLIED,
    Added,
    Changed,
    Correspondence,
    Edit,
    Moved,
    Recited,
    Relabelled,
    Removed,
    Renamed,
    Reworded,
    lone,
    section_of,
    sides,
)
from rulewright.comparing.item_places import Phrase, Places, carried, plain, titled
from rulewright.frozen import dataclass
from rulewright.inputs.names import Addresses, request_addresses
from rulewright.inputs.nodes import Items, Key, Mapping as MappingNode, Node, Scalar
from rulewright.outline.items import Item, Name, Outline
from rulewright.program.declarations import Program
from rulewright.program.walk import step_addresses
from rulewright.scenarios.expectations.shapes import named_lines, row_addresses
from rulewright.source import Span

_ASKED = ("asked", "asked_of", "offered", "rejects")
_PATHS = ("path", "passed_over")
_ROWS = ("applied", "not_applied", "counted", "decided")
_VALUES = ("values",)


@dataclass(frozen=True, slots=True)
class Readdressed:
    """A place in a file that names an address."""

    span: Span  # the place
    written: str  # what stands there
    old: str  # the address that is meant in the old revision
    new: str  # what it is in the new one; empty where it is gone


class Readdressing:
    """Finds the places in scripts and scenarios whose addresses mean something else, or nothing, in a new revision."""

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        self._same = same
        self._sides = _Known(old), _Known(new)

    @property
    def is_needed(self) -> bool:
        """Whether any address could read otherwise."""
        old, new = self._sides
        return any(sort.all != new.of(name).all for name, sort in old.sorts.items())

    def script(self, node: Node | None) -> Iterator[Readdressed]:
        """The places of a script: the questions that its answers are for."""
        match node:
            case Items(items):
                for each in items:
                    at = each.get("at") if isinstance(each, MappingNode) and "answer" in each else None
                    yield from self._named(at, "asked")
            case MappingNode(entries):
                for key, _ in entries:
                    yield from self._named(key, "asked")

    def expectations(self, expect: MappingNode) -> Iterator[Readdressed]:
        """The places in what a scenario expects."""
        for sort, keys in {"asked": _ASKED, "path": _PATHS, "rows": _ROWS, "values": _VALUES}.items():
            for key in keys:
                yield from self._expected(expect.get(key), sort)

    def _expected(self, node: Node | None, sort: str) -> Iterator[Readdressed]:
        match node:
            case Items(items):
                for each in items:
                    yield from self._named(each.get("at") if isinstance(each, MappingNode) else each, sort)
            case MappingNode(entries):
                for key, _ in entries:
                    yield from self._named(key, sort)
            case _:
                yield from self._named(node, sort)

    def _named(self, node: Node | Key | None, sort: str) -> Iterator[Readdressed]:
        written = node.text if isinstance(node, Key) else node.written if isinstance(node, Scalar) else ""
        old, new = (side.of(sort) for side in self._sides)
        meant = old.resolve(written) if written else None
        if node is None or not isinstance(meant, str):
            return
        now = self._same.addresses.get(meant, "")
        now = now if now in new.all else ""
        if new.resolve(written) != now:
            yield Readdressed(node.span, written, meant, now)

    def is_script(self, node: Node) -> bool:
        """Whether a text can be nothing but a script of the old revision."""
        match node:
            case Items(items):
                return any(isinstance(each, MappingNode) and "answer" in each for each in items)
            case MappingNode(entries):
                known = self._sides[0].of("asked")
                return bool(entries) and all(isinstance(known.resolve(key.text), str) for key, _ in entries)
            case _:
                return False


def once(found: Iterable[Readdressed]) -> tuple[Readdressed, ...]:
    """Each place once, in the order of files and places."""
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.span.source, each.span.start)))


class _Known:
    """The addresses of one program, by what they are named for."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def sorts(self) -> Mapping[str, Addresses]:
        """Of questions, steps, rows and lines that work something out."""
        rows = row_addresses(self._program)
        lists = dict.fromkeys(each.rpartition("/")[0] for each in rows)
        return {
            "asked": Addresses(request_addresses(self._program)),
            "path": Addresses(step_addresses(self._program)),
            "rows": Addresses((*rows, *lists)),
            "values": Addresses(tuple(named_lines(self._program))),
        }

    def of(self, sort: str) -> Addresses:
        """The addresses of one of `sorts`."""
        return self.sorts[sort]


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


def implied(edits: tuple[Edit, ...]) -> frozenset[int]:
    """Edits that others tell: of lists of words told with a setting, of calls that follow a default; by identity."""
    told = {(type(edit), name) for edit in edits for name in _chosen_from(edit)}
    return frozenset(id(each) for each in edits if (type(each), _listed(each)) in told or _follows(each))


def _chosen_from(edit: Edit) -> Iterator[Name]:
    """The list of words that a setting chooses from."""
    item = lone(edit)
    if item is not None and item.sort == "setting":
        said = (token for part in item.parts if part.name == "type" for token in part.form)
        yield from (each for each in said if isinstance(each, Name) and each.sort == "values")


def _listed(edit: Edit) -> Name | None:
    item = lone(edit)
    return item.name if item is not None and item.name and item.name.sort == "values" else None


def _follows(edit: Edit) -> bool:
    """Whether a line reads as before, and only what is given to it by default is another."""
    if not isinstance(edit, Changed) or not edit.new.text or edit.old.text != edit.new.text:
        return False
    return {each.name for each in edit.differences} == {"arguments"}


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
    """One edit in words."""

    section: str  # a key of `SECTIONS`, or `IMPLIED`
    sort: str  # a word of `SORTS`
    group: str  # the step or declaration around it; it may be what was edited itself
    title: str  # the title of that; empty where it has none, or where titles are what is told
    place: str  # what was edited, as designers call it
    head: str  # what to say before the text; empty where the text names its place itself
    inner: str  # the same below the heading of the group
    said: Phrase  # what was and is
    cites: tuple[str, ...]  # clauses in its margin
    old: Span | None  # where it is in the old revision, or nowhere; all of it where it came, went or moved
    new: Span | None  # the same in the new one
    number: int  # its number among the edits of the comparison

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
        section, place = instead or section_of(edit, item), sentence.place
        if section == "rules" and self.numbers[id(edit)] in self.comparison.rewritten:
            section = "rewritten"
        group, title = self._group(edit, item, place, places)
        title = title if section in _TITLED else ""
        heading = f'{group} "{title}"' if title else group
        if isinstance(edit, Added | Removed) and item is not None:
            line = "" if _is_own(item) else places.line(item)
            around = heading if "/" in item.address else ""
            head, inner = (around if _is_own(item) else ", ".join(filter(None, [heading, line]))), line
        else:
            head, inner = _heads(item, place, group, heading, is_titled=section in _TITLED)
        whole = isinstance(edit, Added | Removed | Moved)
        old, new = (_span(item, whole=whole) for item in sides(edit))
        sort, number = SORTS[type(edit)], self.numbers[id(edit)]
        return Told(section, sort, group, title, place, head, inner, sentence.said, sentence.cites, old, new, number)

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


def _heads(item: Item | None, place: str, group: str, heading: str, *, is_titled: bool) -> tuple[str, str]:
    """What to say before the text of an edit that does not name its place: by itself, and below its heading."""
    within = group.removeprefix("procedure ")
    is_within = place.startswith(within)
    inner = f"{item.sort} {item.id.rpartition('/')[2]}" if item is not None else ""
    inner = place.removeprefix(within).lstrip(", .") if is_within else inner
    if not is_titled:
        return place, inner
    own = titled(item) if item is not None and inner else ""
    head = ", ".join(filter(None, [heading, f"{inner}{own}"])) if is_within else f"{place}{own}"
    return head, f"{inner}{own}"


def _span(item: Item | None, *, whole: bool) -> Span | None:
    """Where an item is, with all that stands inside it where that came, went or moved too."""
    if item is None or not item.span.source:
        return None
    inside = (each.span.end for each in item.inside() if each.span.source == item.span.source)
    return Span(item.span.source, item.span.start, max(inside)) if whole else item.span
