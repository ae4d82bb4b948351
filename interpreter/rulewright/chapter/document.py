"""A chapter as frozen data, in the order of the page; templates put it into Markdown and HTML.

Sentences are plain text in which what stands between backticks is code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import StrEnum
from itertools import count

from rulewright.frozen import dataclass
from rulewright.source import Span


class Mark(StrEnum):
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
    grid: "Grid | None" = None  # a table that belongs to it; none for most
    mark: Mark = Mark.NONE  # what overlays did to it and all that stands below it
    before: str = ""  # what it said before overlays replaced that; empty where they did not
    span: Span | None = None  # the line that it says in words; none where it says no single one
    anchor: str = ""  # what leads to it; empty unless the chapter is placed

    def links(self, known: Mapping[str, str]) -> Mapping[str, str]:
        """What titles in its sentence lead to: those of the chapter, and first of all its own."""
        return {**known, **{each.text: each.anchor for each in self.see}} if self.see else known


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the heads of its columns, its rows, for each row its clauses, and if overlays are marked its mark."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cites: tuple[tuple[str, ...], ...]
    marks: tuple[Mark, ...] = ()

    @property
    def is_cited(self) -> bool:
        """Whether any row has a clause of its own."""
        return any(self.cites)


def grid(heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...], cites: tuple[tuple[str, ...], ...]) -> Grid:
    """A table without the columns in which nothing stands; the first one stays."""
    kept = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
    return Grid(tuple(heads[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows), cites)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    heading: str  # its title
    number: str  # what its author numbered it by; empty where it has no number
    anchor: str  # what links lead to
    cites: tuple[str, ...] = ()  # clauses in its margin
    entries: tuple[Paragraph, ...] = ()  # paragraphs, lists and tables, in order
    sections: tuple["Section", ...] = ()  # those inside it
    notes: tuple[str, ...] = ()  # the author's comments on it
    mark: Mark = Mark.NONE  # what overlays did to it and all that stands below it
    before: str = ""  # its heading before overlays replaced that; empty where they did not
    span: Span | None = None  # the declaration or step that it tells of; none where it tells of several


@dataclass(frozen=True, slots=True)
class Example:
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
    sections: tuple[Section, ...]  # the parts of the chapter, in order
    is_marked: bool = False  # whether it shows what overlays changed
    # by title the link to what has it, where sentences name it between quotes
    links: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()  # the boards of a state, where one is shown


@dataclass(frozen=True, slots=True)
class Placed:
    """A part of a chapter, and what of the text it tells of."""

    anchor: str  # what leads to it
    span: Span


def placed(made: Chapter) -> tuple[Chapter, tuple[Placed, ...]]:
    """A chapter in which something leads to every sentence that tells of one line, and all places, in its order."""
    numbers = count(1)
    sections = tuple(_section(each, numbers) for each in made.sections)
    return replace(made, sections=sections), tuple(place for each in sections for place in _places(each))


def _section(section: Section, numbers: Iterator[int]) -> Section:
    entries = tuple(_entry(each, numbers) for each in section.entries)
    return replace(section, entries=entries, sections=tuple(_section(each, numbers) for each in section.sections))


def _entry(entry: Paragraph, numbers: Iterator[int]) -> Paragraph:
    anchor = f"line-{next(numbers)}" if entry.span is not None else ""
    return replace(entry, anchor=anchor, inside=tuple(_entry(each, numbers) for each in entry.inside))


def _places(part: Section | Paragraph) -> Iterator[Placed]:
    if part.span is not None and part.anchor:
        yield Placed(part.anchor, part.span)
    inside: tuple[Section | Paragraph, ...] = part.inside if isinstance(part, Paragraph) else part.entries
    for each in (*inside, *(part.sections if isinstance(part, Section) else ())):
        yield from _places(each)
