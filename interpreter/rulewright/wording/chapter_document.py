"""A chapter as frozen data, in page order, and rows as its grids; templates of `cli` print it as Markdown and HTML.

Sentences are plain text with code between backticks.
"""

import dataclasses
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import count, product
from typing import TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import split_conjuncts
from rulewright.program.expressions import Binding, Expression
from rulewright.wording.english import first_upper
from rulewright.wording.phrases import PhraseGenerator


class RevisionMark(StrEnum):
    """Effect of overlays on a part of the chapter."""

    NONE = ""
    NEW = "inserted"
    GONE = "removed"


@dataclass(frozen=True, slots=True)
class CrossReference:
    """Title of another place that a sentence quotes, and its anchor."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Footnote:
    """A reading of the source, told at the foot of the section whose rule it settles."""

    text: str
    ruling: str = ""  # its id; empty for a setting
    cites: tuple[str, ...] = ()
    number: int = 0  # in the chapter, from 1; 0 before numbering

    @property
    def sources(self) -> tuple[str, ...]:
        """Its ruling and clauses."""
        return (*((self.ruling,) if self.ruling else ()), *self.cites)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or list item, with its nested items."""

    text: str  # one sentence or more
    inside: tuple["Paragraph", ...] = ()  # nested items
    cites: tuple[str, ...] = ()  # short ids of clauses in the margin
    see: tuple[CrossReference, ...] = ()
    notes: tuple[str, ...] = ()  # comments of the author, for designer's notes
    grid: "ChapterGrid | None" = None
    mark: RevisionMark = RevisionMark.NONE  # also of all nested items
    before: str = ""  # text that overlays replaced
    span: Span | None = None  # of the statement, if it states a single one
    anchor: str = ""  # empty unless lines were anchored
    footnotes: tuple[Footnote, ...] = ()

    def links(self, known: Mapping[str, str]) -> Mapping[str, str]:
        """Anchors by title in the sentence; its own references before those of the chapter."""
        return (
            {**known, **{cross_reference.text: cross_reference.anchor for cross_reference in self.see}}
            if self.see
            else known
        )


@dataclass(frozen=True, slots=True)
class ChapterGrid:
    """A table: heads, rows, clauses by row, and marks by row if overlays are marked."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cites: tuple[tuple[str, ...], ...]
    marks: tuple[RevisionMark, ...] = ()

    @property
    def is_cited(self) -> bool:
        """Whether any row has clauses."""
        return any(self.cites)


def drop_empty_columns(
    heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...], cites: tuple[tuple[str, ...], ...]
) -> ChapterGrid:
    """Table without empty columns; the first column stays."""
    columns = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
    return ChapterGrid(
        tuple(heads[at] for at in columns), tuple(tuple(row[at] for at in columns) for row in rows), cites
    )


def make_data_url(media_type: str, content: bytes) -> str:
    """A picture as it stands in a page that needs no other file."""
    return f"data:{media_type};base64,{b64encode(content).decode()}"


@dataclass(frozen=True, slots=True)
class BoardExample:
    """A board in a state."""

    title: str
    lines: tuple[str, ...]  # as text; empty for the plane
    picture: str  # SVG as a data URL


@dataclass(frozen=True, slots=True)
class PlayExample:
    """An example of play: a scenario as its story tells it, between pictures of its start and its end."""

    title: str
    anchor: str  # of the section about the procedure that it plays
    lines: tuple[str, ...]
    boards: tuple[BoardExample, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown that an author has printed between the rules."""

    markdown: str
    pictures: Mapping[str, str]  # data URLs, by the places that the text names


@dataclass(frozen=True, slots=True)
class ChapterSection:
    """A heading with its content."""

    heading: str
    number: str  # by the author
    anchor: str
    cites: tuple[str, ...] = ()  # clauses in the margin
    entries: tuple[Paragraph, ...] = ()  # paragraphs, lists and tables
    sections: tuple["ChapterSection", ...] = ()  # nested
    notes: tuple[str, ...] = ()  # comments of the author
    mark: RevisionMark = RevisionMark.NONE  # also of all nested parts
    before: str = ""  # heading that overlays replaced
    span: Span | None = None  # of the declaration or step, if it is about a single one
    footnotes: tuple[Footnote, ...] = ()  # of the heading
    foot: tuple[Footnote, ...] = ()  # those of all its parts, at its end
    plays: tuple[PlayExample, ...] = ()  # at its end
    prose: Prose | None = None  # below its heading


@dataclasses.dataclass(frozen=True)
class Chapter:
    """A ruleset as a chapter."""

    title: str  # of the ruleset
    # names and values on the first page: revision, fingerprint, overlays, documents
    facts: tuple[tuple[str, str], ...]
    sections: tuple[ChapterSection, ...]  # parts in order
    is_marked: bool = False  # overlays are marked
    # anchors by quoted title
    links: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[BoardExample, ...] = ()  # boards of a state
    meanings: Mapping[str, str] = field(default_factory=dict)  # of what has a short one, by anchor
    clause_prefix: str = ""  # with which all clauses begin, for pages that leave it out
    prose: Prose | None = None  # before the contents

    @cached_property
    def numbers(self) -> Mapping[str, str]:
        """Numbers of parts and their sections, `3` and `3.4`, by anchor; for references on paper."""
        return {
            section.anchor: number
            for part_number, part in enumerate(self.sections, 1)
            for section, number in [
                (part, f"{part_number}"),
                *((inner, f"{part_number}.{at}") for at, inner in enumerate(part.sections, 1)),
            ]
            if section.anchor
        }


def number_footnotes(parts: Sequence[ChapterSection]) -> tuple[ChapterSection, ...]:
    """Parts with their footnotes numbered through; each of their sections lists its own at its foot."""
    numbers = count(1)
    return tuple(
        replace(
            _number_section(replace(part, sections=()), numbers),
            sections=tuple(_number_section(section, numbers) for section in part.sections),
        )
        for part in parts
    )


def _number_section(section: ChapterSection, numbers: Iterator[int]) -> ChapterSection:
    foot: dict[tuple[str, str], Footnote] = {}

    def number(footnotes: tuple[Footnote, ...]) -> tuple[Footnote, ...]:
        for footnote in footnotes:
            if (footnote.ruling, footnote.text) not in foot:
                foot[footnote.ruling, footnote.text] = replace(footnote, number=next(numbers))
        return tuple(foot[footnote.ruling, footnote.text] for footnote in footnotes)

    def number_paragraph(paragraph: Paragraph) -> Paragraph:
        footnotes = number(paragraph.footnotes)
        return replace(paragraph, footnotes=footnotes, inside=tuple(map(number_paragraph, paragraph.inside)))

    def number_inside(inner: ChapterSection) -> ChapterSection:
        footnotes = number(inner.footnotes)
        entries = tuple(map(number_paragraph, inner.entries))
        return replace(
            inner, footnotes=footnotes, entries=entries, sections=tuple(map(number_inside, inner.sections)), foot=()
        )

    numbered = number_inside(section)
    return replace(numbered, foot=tuple(foot.values()))


def add_prose(chapter: Chapter, introduction: Prose | None, by_anchor: Mapping[str, Prose]) -> Chapter:
    """A chapter with an introduction, and with prose below the headings of the parts that have these anchors."""

    def add(section: ChapterSection) -> ChapterSection:
        return replace(section, prose=by_anchor.get(section.anchor), sections=tuple(map(add, section.sections)))

    return replace(chapter, prose=introduction, sections=tuple(map(add, chapter.sections)))


def walk_sections(sections: Sequence[ChapterSection]) -> Iterator[ChapterSection]:
    """Sections and all that are nested in them, in the order of the page."""
    for section in sections:
        yield section
        yield from walk_sections(section.sections)


def add_play_examples(chapter: Chapter, examples: Sequence[PlayExample]) -> Chapter:
    """A chapter with examples of play at the end of the sections about their procedures."""

    def add(section: ChapterSection) -> ChapterSection:
        plays = tuple(example for example in examples if example.anchor == section.anchor)
        return replace(section, plays=plays) if plays else section

    return replace(
        chapter,
        sections=tuple(replace(part, sections=tuple(map(add, part.sections))) for part in chapter.sections),
    )


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """An anchored part of a chapter, and the source text that it is about."""

    anchor: str
    span: Span


def assign_line_anchors(chapter: Chapter) -> tuple[Chapter, tuple[PlacedPart, ...]]:
    """Chapter with an anchor for every sentence about a single statement, and all anchored parts in order."""
    numbers = count(1)
    sections = tuple(_anchor_section(section, numbers) for section in chapter.sections)
    return replace(chapter, sections=sections), tuple(
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
    """The later chapter with marks: new parts, and removed parts at their former places.

    Sections are matched by anchor, entries by `difflib.SequenceMatcher`.
    """
    merged = number_footnotes([*_merge_sections(before.sections, after.sections)])
    return replace(after, sections=merged, is_marked=True)


def _merge_sections(before: Sequence[ChapterSection], after: Sequence[ChapterSection]) -> Iterator[ChapterSection]:
    """Order of the later chapter; a removed section follows its former predecessor."""
    earlier, later = _index_sections(before), _index_sections(after)
    removed: dict[object, list[ChapterSection]] = defaultdict(list)
    last: object = None
    for place, chapter_section in earlier.items():
        if place in later:
            last = place
        else:
            removed[last].append(replace(chapter_section, mark=RevisionMark.GONE))
    yield from removed[None]
    for place, item in later.items():
        yield _merge_section_pair(earlier[place], item) if place in earlier else replace(item, mark=RevisionMark.NEW)
        yield from removed[place]


def _index_sections(sections: Sequence[ChapterSection]) -> dict[object, ChapterSection]:
    """By anchor, else by number and heading; the second member counts repetitions."""
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
    return entry.text, entry.grid and entry.grid.heads


def _merge_entry_pair(one: Paragraph, other: Paragraph) -> Paragraph | None:
    """None if they are too different to be revisions of one entry."""
    (old_text, heads), (new_text, others) = _entry_shape(one), _entry_shape(other)
    if heads != others or (
        old_text != new_text
        and SequenceMatcher(None, old_text.split(), new_text.split()).ratio() < _MIN_SIMILARITY_RATIO
    ):
        return None
    grid = _merge_grids(one.grid, other.grid) if one.grid is not None and other.grid is not None else other.grid
    return replace(
        other,
        before=old_text if old_text != new_text else "",
        grid=grid,
        inside=_merge_entries(one.inside, other.inside),
    )


_MarkedRow = tuple[tuple[str, ...], tuple[str, ...], RevisionMark]


def _merge_grids(before: ChapterGrid, after: ChapterGrid) -> ChapterGrid:
    merged = [
        *_merge_sequences(
            _unmarked_rows(before),
            _unmarked_rows(after),
            lambda row: row[0],
            _merge_row_pair,
            lambda row, mark: (*row[:2], mark),
        )
    ]
    rows, cites, marks = zip(*merged, strict=True) if merged else ((), (), ())
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
    """Both sequences merged in the order of the later one.

    Args:
        before: earlier sequence.
        after: later sequence.
        key: equal for members that are the same.
        both: merges two members; None if they are not the same.
        alone: marks a member of one sequence only.
    """
    matcher = SequenceMatcher(None, [*map(key, before)], [*map(key, after)], autojunk=False)
    for _, low, high, first, last in matcher.get_opcodes():
        ones, others = before[low:high], after[first:last]
        for one, other in zip(ones, others, strict=False):
            merged = both(one, other)
            yield from (
                (merged,) if merged is not None else (alone(one, RevisionMark.GONE), alone(other, RevisionMark.NEW))
            )
        yield from (alone(item, RevisionMark.GONE) for item in ones[len(others) :])
        yield from (alone(item, RevisionMark.NEW) for item in others[len(ones) :])


GUARD_LIST_HEADING = "Only if all of these hold; else this step is skipped:"
"""Before the conditions of a step, if they are many."""
_MAX_INLINE_CONDITIONS = 2
_CHANGE_FORMATS = {
    "plus": "{0}",
    "times": "×{0}",  # noqa: RUF001 - a product
    "becomes": "becomes {0}",
    "at least": "at least {0}",
    "at most": "at most {0}",
}


class RowTableGenerator:
    """Grids of rows; `say` renders their conditions and values."""

    def __init__(self, say: PhraseGenerator) -> None:
        self._phrases = say

    def make_rule_table(self, rule: d.Tally | d.Decide | st.TallyLine | st.DecideLine) -> Paragraph:
        """Rows of a tally or decision, with how they are read."""
        match rule:
            case d.Tally(start=start, rows=rows) | st.TallyLine(start=start, rows=rows):
                sentence = f"Begin at {self._phrases.noun_phrase(start)}; each row that applies changes it, in order:"
                return Paragraph(sentence, grid=self.make_tally_grid(rows))
            case d.Decide(rows=rows) | st.DecideLine(rows=rows):
                return Paragraph("The first row that applies decides:", grid=self.make_decision_grid(rows))

    def make_tally_grid(self, rows: Sequence[ex.TallyRow]) -> ChapterGrid:
        """Modifiers of a tally."""
        return drop_empty_columns(
            ("Change", "When", "Why"),
            tuple(
                (self.modifier_phrase(row), self.applicability_phrase(row.guard, row.binding), row.title)
                for row in rows
            ),
            tuple(row.cites for row in rows),
        )

    def modifier_phrase(self, row: ex.TallyRow) -> str:
        """`+2`, `at most 6`."""
        amount = (
            self._phrases.operand_phrase(row.amount) if row.change == "times" else self._phrases.noun_phrase(row.amount)
        )
        if row.change == "plus":
            return amount if amount.startswith(("−", "-")) else f"+{amount}"  # noqa: RUF001
        return _CHANGE_FORMATS[row.change].format(amount)

    def applicability_phrase(self, guard: Expression | None, binding: Binding | None = None) -> str:
        """`always`, or the condition of a modifier."""
        if binding is None:
            return "always" if guard is None else self._phrases.condition_clause(guard)
        when = "" if guard is None else f", if {self._phrases.condition_clause(guard)}"
        return f"for each {self._phrases.filtered_member_phrase(binding)}{when}"

    def make_decision_grid(self, rows: Sequence[ex.DecideRow]) -> ChapterGrid:
        """Rows of a decision."""
        return drop_empty_columns(
            ("Result", "If", "Why"),
            tuple(
                (
                    self._phrases.value_phrase(row.value),
                    "otherwise" if row.guard is None else self._phrases.condition_clause(row.guard),
                    row.title,
                )
                for row in rows
            ),
            tuple(row.cites for row in rows),
        )

    def make_lookup_grid(self, heads: tuple[str, ...], rows: Sequence[ex.TableRow]) -> ChapterGrid:
        """Rows of a table; as a two-way grid if two inputs meet in all combinations."""
        cells = [tuple(self.cell_phrase(cell) for cell in row.cells) for row in rows]
        results = [self._phrases.noun_phrase(row.result) for row in rows]
        if len(heads) == _MAX_INLINE_CONDITIONS:
            down, across = (tuple(dict.fromkeys(column)) for column in zip(*cells, strict=True))
            if min(len(down), len(across)) > 1 and cells == [*product(down, across)]:
                return _make_two_way_grid(heads, (down, across), results, [row.cites for row in rows])
        grid_rows = tuple((*texts, result) for texts, result in zip(cells, results, strict=True))
        return ChapterGrid((*heads, "Result"), grid_rows, tuple(row.cites for row in rows))

    def cell_phrase(self, cell: ex.Cell) -> str:
        """`4 or more`, `2 to 3`."""

        def bound_phrase(node: Expression | None) -> str:
            return "" if node is None else self._phrases.noun_phrase(node)

        if cell.value is not None:
            return bound_phrase(cell.value)
        if cell.low is None and cell.high is None:
            return "any"
        if cell.high is None:
            return f"{bound_phrase(cell.low)} or more"
        if cell.low is None:
            return f"{bound_phrase(cell.high)} or less"
        low, high = bound_phrase(cell.low), bound_phrase(cell.high)
        return low if low == high else f"{low} to {high}"

    def make_condition_grid(self, rows: Sequence[ex.ConditionRow], else_: str) -> ChapterGrid:
        """Conditions with the words of their refusal."""
        return drop_empty_columns(
            ("Condition", else_),
            tuple((first_upper(self.guarded_condition_phrase(row)), row.title and f"“{row.title}”") for row in rows),
            tuple(row.cites for row in rows),
        )

    def make_guard_paragraph(self, guard: Expression) -> Paragraph:
        """Guard of a step; operands of a long one as a list."""
        parts = split_conjuncts(guard)
        if len(parts) <= _MAX_INLINE_CONDITIONS:
            return Paragraph(f"Only if {self._phrases.condition_clause(guard)}; else this step is skipped.")
        inside = tuple(Paragraph(f"{first_upper(self._phrases.condition_clause(part))}.") for part in parts)
        return Paragraph(GUARD_LIST_HEADING, inside)

    def guarded_condition_phrase(self, row: ex.ConditionRow) -> str:
        """Condition of a row, with its guard."""
        when = f" (asked only if {self._phrases.condition_clause(row.guard)})" if row.guard is not None else ""
        return f"{self._phrases.condition_clause(row.condition)}{when}"


def _make_two_way_grid(
    heads: tuple[str, ...],
    inputs: tuple[tuple[str, ...], tuple[str, ...]],
    results: Sequence[str],
    cites: Sequence[tuple[str, ...]],
) -> ChapterGrid:
    down, across = inputs
    lines = [slice(first, first + len(across)) for first in range(0, len(results), len(across))]
    return ChapterGrid(
        (" \\ ".join(heads), *across),
        tuple((value, *results[line]) for value, line in zip(down, lines, strict=True)),
        tuple(tuple(dict.fromkeys(cite for item in cites[line] for cite in item)) for line in lines),
    )
