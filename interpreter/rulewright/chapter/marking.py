"""A chapter with marks on what overlays changed, against the chapter without them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TypeVar

from rulewright.chapter.document import Chapter, Grid, Mark, Paragraph, Section

_T = TypeVar("_T")
_ALIKE = 0.6


def marked(before: Chapter, after: Chapter) -> Chapter:
    """The later of two chapters, with marks: what it alone has, what the earlier one alone has, in its place there."""
    return replace(after, sections=tuple(_sections(before.sections, after.sections)), is_marked=True)


def _sections(before: Sequence[Section], after: Sequence[Section]) -> Iterator[Section]:
    """Sections in the order of the later chapter; one that is gone follows the one that it followed."""
    earlier, later = _places(before), _places(after)
    gone: dict[object, list[Section]] = defaultdict(list)
    last: object = None
    for place, each in earlier.items():
        if place in later:
            last = place
        else:
            gone[last].append(replace(each, mark=Mark.GONE))
    yield from gone[None]
    for place, each in later.items():
        yield _section(earlier[place], each) if place in earlier else replace(each, mark=Mark.NEW)
        yield from gone[place]


def _places(sections: Sequence[Section]) -> dict[object, Section]:
    """Sections by what they are found by in both chapters: their link, else number, heading and which of that name."""
    met: Counter[object] = Counter()
    found: dict[object, Section] = {}
    for each in sections:
        place = each.anchor or (each.number, each.heading)
        met[place] += 1
        found[place, met[place]] = each
    return found


def _section(one: Section, other: Section) -> Section:
    return replace(
        other,
        before=one.heading if one.heading != other.heading else "",
        entries=_entries(one.entries, other.entries),
        sections=tuple(_sections(one.sections, other.sections)),
    )


def _entries(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> tuple[Paragraph, ...]:
    return tuple(_merged(before, after, _shape, _entry, lambda each, mark: replace(each, mark=mark)))


def _shape(entry: Paragraph) -> tuple[str, object]:
    return entry.said, entry.grid and entry.grid.heads


def _entry(one: Paragraph, other: Paragraph) -> Paragraph | None:
    """What both say; none where they have too little in common to be the same entry."""
    (said, heads), (now, others) = _shape(one), _shape(other)
    if heads != others or (said != now and SequenceMatcher(None, said.split(), now.split()).ratio() < _ALIKE):
        return None
    grid = _grid(one.grid, other.grid) if one.grid is not None and other.grid is not None else other.grid
    return replace(other, before=said if said != now else "", grid=grid, inside=_entries(one.inside, other.inside))


_Row = tuple[tuple[str, ...], tuple[str, ...], Mark]


def _grid(before: Grid, after: Grid) -> Grid:
    """The rows of both."""
    made = [*_merged(_rows(before), _rows(after), lambda row: row[0], _row, lambda row, mark: (*row[:2], mark))]
    rows, cites, marks = zip(*made, strict=True) if made else ((), (), ())
    return Grid(after.heads, rows, cites, marks)


def _rows(grid: Grid) -> list[_Row]:
    return [(row, cites, Mark.NONE) for row, cites in zip(grid.rows, grid.cites, strict=True)]


def _row(one: _Row, other: _Row) -> _Row | None:
    return other if one[0] == other[0] else None


def _merged(
    before: Sequence[_T],
    after: Sequence[_T],
    key: Callable[[_T], object],
    both: Callable[[_T, _T], _T | None],
    alone: Callable[[_T, Mark], _T],
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
            yield from (made,) if made is not None else (alone(one, Mark.GONE), alone(other, Mark.NEW))
        yield from (alone(each, Mark.GONE) for each in ones[len(others) :])
        yield from (alone(each, Mark.NEW) for each in others[len(ones) :])
