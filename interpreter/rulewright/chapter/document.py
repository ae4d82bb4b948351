"""A chapter as frozen data, in the order of the page; templates put it into Markdown and HTML.

Sentences are plain text in which what stands between backticks is code.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from rulewright.frozen import dataclass


class Mark(StrEnum):
    """What overlays did to a part of the chapter."""

    NONE = ""
    NEW = "inserted"
    GONE = "removed"


@dataclass(frozen=True, slots=True)
class Reference:
    """Another place of the chapter that a sentence names between quotes: what it is called, and its anchor."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A paragraph, or an item of a list, with what stands below it.

    Attributes:
        said: a sentence or more.
        inside: what stands below it, in order.
        cites: clauses in its margin, by their short ids.
        see: places that it mentions.
        notes: the author's comments on it, for the designer's notes.
        grid: a table that belongs to it; none for most.
        mark: what overlays did to it and all that stands below it.
        before: what it said before overlays replaced that; empty where they did not.
    """

    said: str
    inside: tuple["Entry", ...] = ()
    cites: tuple[str, ...] = ()
    see: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    grid: "Grid | None" = None
    mark: Mark = Mark.NONE
    before: str = ""

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
    """A heading with what stands below it.

    Attributes:
        heading: its title.
        number: what its author numbered it by; empty where it has no number.
        anchor: what links lead to.
        cites: clauses in its margin.
        entries: paragraphs, lists and tables, in order.
        sections: those inside it.
        notes: the author's comments on it.
        mark: what overlays did to it and all that stands below it.
        before: its heading before overlays replaced that; empty where they did not.
    """

    heading: str
    number: str
    anchor: str
    cites: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    sections: tuple["Section", ...] = ()
    notes: tuple[str, ...] = ()
    mark: Mark = Mark.NONE
    before: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A board as it is in a state, for the end of a chapter.

    Attributes:
        title: what it is the board of.
        lines: the board as text; of the plane none.
        picture: the same as an SVG, in an address that holds it.
    """

    title: str
    lines: tuple[str, ...]
    picture: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A ruleset as a chapter.

    Attributes:
        title: of the ruleset.
        facts: what stands on its first page, each with its value: revision, fingerprint, overlays, documents.
        sections: the parts of the chapter, in order.
        is_marked: whether it shows what overlays changed.
        links: by title the link to what has it, where sentences name it between quotes.
        examples: the boards of a state, where one is shown.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    is_marked: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
