"""Texts of two revisions for a page, line by line: partners on one row, edits as colours."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from rulewright.cli.beside import Piece, blocks_of, pieces
from rulewright.cli.diff_found import Found
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import sides
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name
from rulewright.source import Span, Text

_FOLDED = 6
_WHOLE = frozenset({"added", "removed", "moved"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of one revision: its number, what it says, the sort of edit that colours it, all edits in words."""

    line: int
    text: str
    sort: str
    told: str
    pieces: tuple[Piece, ...] = ()  # its text, with what its partner says otherwise marked; nothing where it has none


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
class _Block:
    """Lines that are all the same, or none of them."""

    rows: tuple[Row, ...]
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text in both revisions, by its names."""

    old: str
    new: str
    blocks: tuple[_Block, ...]

    @property
    def title(self) -> str:
        """Its name, or both."""
        return " → ".join(dict.fromkeys(filter(None, (self.old, self.new))))


_Line = tuple[str, int]
Marks = tuple[Mapping[_Line, tuple[Told, ...]], Mapping[_Line, tuple[Told, ...]]]
"""What was edited at the lines of old texts and of new ones."""


def marks_of(found: Found) -> Marks:
    """What was edited at which line; what came, went or moved marks all its lines, anything else its first."""
    old: dict[_Line, tuple[Told, ...]] = {}
    new: dict[_Line, tuple[Told, ...]] = {}
    for each in found.told:
        for marks, span, texts in ((old, each.old, found.old.loaded.texts), (new, each.new, found.new.loaded.texts)):
            for key in _lines(each, span, texts) if span else ():
                marks[key] = (*marks.get(key, ()), each)
    return old, new


def _lines(each: Told, span: Span, texts: Mapping[str, Text]) -> Iterator[_Line]:
    text = texts[span.source]
    first = text.position(span.start).line
    whole = text.content[span.start : span.end].rstrip().count("\n") if each.sort in _WHOLE else 0
    return ((span.source, line) for line in range(first, first + whole + 1))


def sheets(found: Found) -> tuple[Sheet, ...]:
    """All texts of rules of two revisions, paired by the names of their files, else in the order of reading."""
    old, new = found.old.loaded.texts, found.new.loaded.texts
    laying = _Laying(marks_of(found), partners_of(found))
    return tuple(
        Sheet(before or "", after or "", laying.blocks(old.get(before or ""), new.get(after or "")))
        for before, after in _pairs([*filter(_is_rules, old)], [*filter(_is_rules, new)])
    )


def partners_of(found: Found) -> Mapping[_Line, _Line]:
    """The first lines of what is in both revisions: those of the new one by those of the old one."""
    comparison = found.whole.comparison
    same = comparison.correspondence
    known: dict[object, Item] = {}
    for each in comparison.outlines[1].every():
        known.setdefault(_known_by(each, each.name, each.address), each)
    pairs: dict[_Line, _Line] = {}
    edited = ((old, new) for old, new in map(sides, comparison.edits) if old is not None and new is not None)
    unedited = (
        (each, new)
        for each in comparison.outlines[0].every()
        for name in [same.names.get(each.name) if each.name else None]
        if (new := known.get(_known_by(each, name, same.addresses.get(each.address, "")))) is not None
    )
    for old, new in (*edited, *unedited):
        was, now = _first(old, found.old.loaded.texts), _first(new, found.new.loaded.texts)
        if was is not None and now is not None and now not in pairs.values():
            pairs.setdefault(was, now)
    return pairs


def _known_by(item: Item, name: Name | None, address: str) -> object:
    return name if item.name else (item.sort, address)


def _first(item: Item, texts: Mapping[str, Text]) -> _Line | None:
    text = texts.get(item.span.source)
    return None if text is None else (item.span.source, text.position(item.span.start).line)


def _is_rules(name: str) -> bool:
    return not name.endswith((".yaml", ".yml"))


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[str | None, str | None]]:
    by_name = {posixpath.basename(each): each for each in new}
    same = {each: by_name[posixpath.basename(each)] for each in old if posixpath.basename(each) in by_name}
    yield from same.items()
    yield from zip_longest(
        (each for each in old if each not in same), (each for each in new if each not in same.values())
    )


@dataclass(frozen=True, slots=True)
class _Laying:
    marks: Marks
    partners: Mapping[_Line, _Line]

    def blocks(self, old: Text | None, new: Text | None) -> tuple[_Block, ...]:
        """Two texts line by line: partners on one row, what stands in one of them opposite a gap."""
        mine, others = (text.content.splitlines() if text else [] for text in (old, new))
        names = old.name if old else "", new.name if new else ""
        back = {self.partners[at]: at for number in range(len(mine)) if (at := (names[0], number + 1)) in self.partners}
        keys = [self._key((names[0], number), line) for number, line in enumerate(mine, 1)]
        news = [
            back.get((names[1], number)) or self._key((names[1], number), line) for number, line in enumerate(others, 1)
        ]
        rows: list[Row] = []
        for tag, first, end, start, stop in blocks_of(keys, news):
            before = [self._cell(0, names[0], mine, number) for number in range(first, end)]
            after = [self._cell(1, names[1], others, number) for number in range(start, stop)]
            rows += map(_beside, before, after) if tag == "equal" else _replaced(before, after)
        return tuple(_Block(each, all(row.same for row in each) and len(each) > _FOLDED) for each in _parted(rows))

    def _key(self, at: _Line, line: str) -> object:
        return at if at in self.partners else line

    def _cell(self, side: int, name: str, lines: list[str], number: int) -> Cell:
        edits = self.marks[side].get((name, number + 1), ())
        rules = [each for each in edits if each.section == "rules"]
        return Cell(number + 1, lines[number], (rules or edits)[0].sort if edits else "", "\n".join(map(str, edits)))


def _replaced(before: Sequence[Cell], after: Sequence[Cell]) -> Iterator[Row]:
    """Lines without partners, those that are much alike beside each other."""
    for old, new in zip_longest(before, after):
        row = _beside(old, new)
        if old is not None and new is not None and old.text != new.text and row.old is not None and not row.old.pieces:
            yield from (_beside(old, None), _beside(None, new))
        else:
            yield row


def _beside(old: Cell | None, new: Cell | None) -> Row:
    """A row: what differs in it marked, and coloured where no edit tells of it."""
    if old is None or new is None:
        return Row(old and _coloured(old), new and _coloured(new))
    if old.text == new.text:
        return Row(old, new)
    was, now = pieces(old.text, new.text)
    return Row(replace(_coloured(old), pieces=was), replace(_coloured(new), pieces=now))


def _coloured(cell: Cell) -> Cell:
    return replace(cell, sort=cell.sort or "other") if cell.text.strip() else cell


def _parted(block: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    """Rows in runs of rows that are the same and rows that are not."""
    run: list[Row] = []
    for row in block:
        if run and run[-1].same != row.same:
            yield tuple(run)
            run = []
        run.append(row)
    if run:
        yield tuple(run)
