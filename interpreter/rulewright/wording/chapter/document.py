"""A chapter as frozen data, in the order of the page; templates put it into Markdown and HTML.

Sentences are plain text in which what stands between backticks is code.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import count
from typing import TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span


class RevisionMark(StrEnum):
    """What overlays did to a part of the chapter."""

    NONE = ""
    NEW = "inserted"
    GONE = "removed"


@dataclass(frozen=True, slots=True)
class CrossReference:
    """Another place of the chapter that a sentence names between quotes: what it is called, and its anchor."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or an item of a list, with what stands below it."""

    said: str  # a sentence or more
    inside: tuple["Paragraph", ...] = ()  # what stands below it, in order
    cites: tuple[str, ...] = ()  # clauses in its margin, by their short ids
    see: tuple[CrossReference, ...] = ()  # places that it mentions
    notes: tuple[str, ...] = ()  # the author's comments on it, for the designer's notes
    grid: "ChapterGrid | None" = None  # a table that belongs to it; none for most
    mark: RevisionMark = RevisionMark.NONE  # what overlays did to it and all that stands below it
    before: str = ""  # what it said before overlays replaced that; empty where they did not
    span: Span | None = None  # the line that it says in words; none where it says no single one
    anchor: str = ""  # what leads to it; empty unless the chapter is placed

    def links(self, known: Mapping[str, str]) -> Mapping[str, str]:
        """What titles in its sentence lead to: those of the chapter, and first of all its own."""
        return (
            {**known, **{cross_reference.text: cross_reference.anchor for cross_reference in self.see}}
            if self.see
            else known
        )


@dataclass(frozen=True, slots=True)
class ChapterGrid:
    """A table: the heads of its columns, its rows, for each row its clauses, and if overlays are marked its mark."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cites: tuple[tuple[str, ...], ...]
    marks: tuple[RevisionMark, ...] = ()

    @property
    def is_cited(self) -> bool:
        """Whether any row has a clause of its own."""
        return any(self.cites)


def drop_empty_columns(
    heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...], cites: tuple[tuple[str, ...], ...]
) -> ChapterGrid:
    """A table without the columns in which nothing stands; the first one stays."""
    kept = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
    return ChapterGrid(tuple(heads[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows), cites)


@dataclass(frozen=True, slots=True)
class ChapterSection:
    """A heading with what stands below it."""

    heading: str  # its title
    number: str  # what its author numbered it by; empty where it has no number
    anchor: str  # what links lead to
    cites: tuple[str, ...] = ()  # clauses in its margin
    entries: tuple[Paragraph, ...] = ()  # paragraphs, lists and tables, in order
    sections: tuple["ChapterSection", ...] = ()  # those inside it
    notes: tuple[str, ...] = ()  # the author's comments on it
    mark: RevisionMark = RevisionMark.NONE  # what overlays did to it and all that stands below it
    before: str = ""  # its heading before overlays replaced that; empty where they did not
    span: Span | None = None  # the declaration or step that it tells of; none where it tells of several


@dataclass(frozen=True, slots=True)
class BoardExample:
    """A board as it is in a state, for the end of a chapter."""

    title: str  # what it is the board of
    lines: tuple[str, ...]  # the board as text; of the plane none
    picture: str  # the same as an SVG, in an address that holds it


@dataclass(frozen=True, slots=True)
class Chapter:
    """A ruleset as a chapter."""

    title: str  # of the ruleset
    # what stands on its first page, each with its value: revision, fingerprint, overlays, documents
    facts: tuple[tuple[str, str], ...]
    sections: tuple[ChapterSection, ...]  # the parts of the chapter, in order
    is_marked: bool = False  # whether it shows what overlays changed
    # by title the link to what has it, where sentences name it between quotes
    links: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[BoardExample, ...] = ()  # the boards of a state, where one is shown


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part of a chapter, and what of the text it tells of."""

    anchor: str  # what leads to it
    span: Span


def assign_line_anchors(made: Chapter) -> tuple[Chapter, tuple[PlacedPart, ...]]:
    """A chapter in which something leads to every sentence that tells of one line, and all places, in its order."""
    numbers = count(1)
    sections = tuple(_anchor_section(section, numbers) for section in made.sections)
    return replace(made, sections=sections), tuple(
        place for section in sections for place in _collect_placed_parts(section)
    )


def _anchor_section(section: ChapterSection, numbers: Iterator[int]) -> ChapterSection:
    entries = tuple(_anchor_entry(entry, numbers) for entry in section.entries)
    return replace(
        section,
        entries=entries,
        sections=tuple(_anchor_section(chapter_section, numbers) for chapter_section in section.sections),
    )


def _anchor_entry(entry: Paragraph, numbers: Iterator[int]) -> Paragraph:
    anchor = f"line-{next(numbers)}" if entry.span is not None else ""
    return replace(entry, anchor=anchor, inside=tuple(_anchor_entry(paragraph, numbers) for paragraph in entry.inside))


def _collect_placed_parts(part: ChapterSection | Paragraph) -> Iterator[PlacedPart]:
    if part.span is not None and part.anchor:
        yield PlacedPart(part.anchor, part.span)
    inside: tuple[ChapterSection | Paragraph, ...] = part.inside if isinstance(part, Paragraph) else part.entries
    for item in (*inside, *(part.sections if isinstance(part, ChapterSection) else ())):
        yield from _collect_placed_parts(item)


_T = TypeVar("_T")
_MIN_SIMILARITY_RATIO = 0.6


def mark_revisions(before: Chapter, after: Chapter) -> Chapter:
    """The later of two chapters, with marks: what it alone has, what the earlier one alone has, in its place there."""
    return replace(after, sections=tuple(_merge_sections(before.sections, after.sections)), is_marked=True)


def _merge_sections(before: Sequence[ChapterSection], after: Sequence[ChapterSection]) -> Iterator[ChapterSection]:
    """Sections in the order of the later chapter; one that is gone follows the one that it followed."""
    earlier, later = _index_sections(before), _index_sections(after)
    gone: dict[object, list[ChapterSection]] = defaultdict(list)
    last: object = None
    for place, chapter_section in earlier.items():
        if place in later:
            last = place
        else:
            gone[last].append(replace(chapter_section, mark=RevisionMark.GONE))
    yield from gone[None]
    for place, item in later.items():
        yield _merge_section_pair(earlier[place], item) if place in earlier else replace(item, mark=RevisionMark.NEW)
        yield from gone[place]


def _index_sections(sections: Sequence[ChapterSection]) -> dict[object, ChapterSection]:
    """Sections by what they are found by in both chapters: their link, else number, heading and which of that name."""
    met: Counter[object] = Counter()
    result: dict[object, ChapterSection] = {}
    for section in sections:
        place = section.anchor or (section.number, section.heading)
        met[place] += 1
        result[place, met[place]] = section
    return result


def _merge_section_pair(one: ChapterSection, other: ChapterSection) -> ChapterSection:
    return replace(
        other,
        before=one.heading if one.heading != other.heading else "",
        entries=_merge_entries(one.entries, other.entries),
        sections=tuple(_merge_sections(one.sections, other.sections)),
    )


def _merge_entries(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> tuple[Paragraph, ...]:
    return tuple(
        _merge_sequences(
            before, after, _entry_shape, _merge_entry_pair, lambda paragraph, mark: replace(paragraph, mark=mark)
        )
    )


def _entry_shape(entry: Paragraph) -> tuple[str, object]:
    return entry.said, entry.grid and entry.grid.heads


def _merge_entry_pair(one: Paragraph, other: Paragraph) -> Paragraph | None:
    """What both say; none where they have too little in common to be the same entry."""
    (said, heads), (now, others) = _entry_shape(one), _entry_shape(other)
    if heads != others or (
        said != now and SequenceMatcher(None, said.split(), now.split()).ratio() < _MIN_SIMILARITY_RATIO
    ):
        return None
    grid = _merge_grids(one.grid, other.grid) if one.grid is not None and other.grid is not None else other.grid
    return replace(
        other, before=said if said != now else "", grid=grid, inside=_merge_entries(one.inside, other.inside)
    )


_MarkedRow = tuple[tuple[str, ...], tuple[str, ...], RevisionMark]


def _merge_grids(before: ChapterGrid, after: ChapterGrid) -> ChapterGrid:
    """The rows of both."""
    made = [
        *_merge_sequences(
            _unmarked_rows(before),
            _unmarked_rows(after),
            lambda row: row[0],
            _merge_row_pair,
            lambda row, mark: (*row[:2], mark),
        )
    ]
    rows, cites, marks = zip(*made, strict=True) if made else ((), (), ())
    return ChapterGrid(after.heads, rows, cites, marks)


def _unmarked_rows(grid: ChapterGrid) -> list[_MarkedRow]:
    return [(row, cites, RevisionMark.NONE) for row, cites in zip(grid.rows, grid.cites, strict=True)]


def _merge_row_pair(one: _MarkedRow, other: _MarkedRow) -> _MarkedRow | None:
    return other if one[0] == other[0] else None


def _merge_sequences(
    before: Sequence[_T],
    after: Sequence[_T],
    key: Callable[[_T], object],
    both: Callable[[_T, _T], _T | None],
    alone: Callable[[_T, RevisionMark], _T],
) -> Iterator[_T]:
    """What stands in both sequences, and what stands in one, in the order of the later.

    Args:
        before: the earlier sequence.
        after: the later one.
        key: what members that are the same have in common.
        both: one member of two; none where they are not the same.
        alone: marks a member that only one sequence has.
    """
    matcher = SequenceMatcher(None, [*map(key, before)], [*map(key, after)], autojunk=False)
    for _, low, high, first, last in matcher.get_opcodes():
        ones, others = before[low:high], after[first:last]
        for one, other in zip(ones, others, strict=False):
            made = both(one, other)
            yield from (made,) if made is not None else (alone(one, RevisionMark.GONE), alone(other, RevisionMark.NEW))
        yield from (alone(item, RevisionMark.GONE) for item in ones[len(others) :])
        yield from (alone(item, RevisionMark.NEW) for item in others[len(ones) :])
