"""Which lines of the text the parts of a chapter tell of."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from rulewright.chapter.document import Chapter, Paragraph, Section
from rulewright.frozen import dataclass
from rulewright.source import Span


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
