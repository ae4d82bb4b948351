"""Two revisions of texts laid side by side, line by line, with what was edited where."""

import posixpath
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import zip_longest

from rulewright.cli.diff_found import Found
from rulewright.comparing.telling import Told
from rulewright.frozen import dataclass
from rulewright.source import Span, Text


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of one revision: its number, what it says, the sort of edit that colours it, all edits in words."""

    line: int
    text: str
    sort: str
    told: str


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines side by side; none where a revision has no such line."""

    old: Cell | None
    new: Cell | None

    @property
    def same(self) -> bool:
        """Whether both say the same and nothing was edited."""
        return self.old is not None and self.new is not None and not self.old.sort and not self.new.sort


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text in both revisions, by its names, in blocks of lines that are the same and lines that are not."""

    old: str
    new: str
    blocks: tuple[tuple[Row, ...], ...]


Marks = tuple[Mapping[tuple[str, int], tuple[Told, ...]], Mapping[tuple[str, int], tuple[Told, ...]]]
"""What was edited at the lines of old texts and of new ones."""

_WHOLE = frozenset({"added", "removed", "moved"})


def marks_of(found: Found) -> Marks:
    """What was edited at which line; what came, went or moved marks all its lines, anything else its first."""
    old: dict[tuple[str, int], tuple[Told, ...]] = {}
    new: dict[tuple[str, int], tuple[Told, ...]] = {}
    for each in found.told:
        for marks, span, texts in ((old, each.old, found.old.loaded.texts), (new, each.new, found.new.loaded.texts)):
            for key in _lines(each, span, texts) if span else ():
                marks[key] = (*marks.get(key, ()), each)
    return old, new


def _lines(each: Told, span: Span, texts: Mapping[str, Text]) -> Iterator[tuple[str, int]]:
    text = texts[span.source]
    first = text.position(span.start).line
    whole = text.content[span.start : span.end].rstrip().count("\n") if each.sort in _WHOLE else 0
    return ((span.source, line) for line in range(first, first + whole + 1))


def sheets(old: Mapping[str, Text], new: Mapping[str, Text], marks: Marks) -> tuple[Sheet, ...]:
    """All texts of rules of two revisions, paired by the names of their files, else in the order of reading."""
    return tuple(
        Sheet(before or "", after or "", _blocks(old.get(before or ""), new.get(after or ""), marks))
        for before, after in _pairs([*filter(_is_rules, old)], [*filter(_is_rules, new)])
    )


def _is_rules(name: str) -> bool:
    return not name.endswith((".yaml", ".yml"))


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[str | None, str | None]]:
    by_name = {posixpath.basename(each): each for each in new}
    same = {each: by_name[posixpath.basename(each)] for each in old if posixpath.basename(each) in by_name}
    yield from same.items()
    yield from zip_longest(
        (each for each in old if each not in same), (each for each in new if each not in same.values())
    )


def _blocks(old: Text | None, new: Text | None, marks: Marks) -> tuple[tuple[Row, ...], ...]:
    mine, others = (text.content.splitlines() if text else [] for text in (old, new))
    blocks: list[tuple[Row, ...]] = []
    for tag, first, end, start, stop in SequenceMatcher(None, mine, others, autojunk=False).get_opcodes():
        before = [_cell(old, mine, number, marks[0], tag) for number in range(first, end)]
        after = [_cell(new, others, number, marks[1], tag) for number in range(start, stop)]
        blocks.append(tuple(Row(a, b) for a, b in zip_longest(before, after)))
    return tuple(each for block in blocks for each in _parted(block))


def _parted(block: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
    """A block in runs of rows that are the same and rows that are not."""
    run: list[Row] = []
    for row in block:
        if run and run[-1].same != row.same:
            yield tuple(run)
            run = []
        run.append(row)
    if run:
        yield tuple(run)


def _cell(
    text: Text | None, lines: list[str], number: int, marks: Mapping[tuple[str, int], tuple[Told, ...]], tag: str
) -> Cell:
    edits = marks.get((text.name if text else "", number + 1), ())
    rules = [each for each in edits if each.section == "rules"]
    sort = (rules or edits)[0].sort if edits else "" if tag == "equal" or not lines[number].strip() else "other"
    return Cell(number + 1, lines[number], sort, "\n".join(map(str, edits)))
