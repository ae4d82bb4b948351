"""The comparison report: an HTML page with both texts side by side, and a draft change log in Markdown."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, zip_longest
from types import SimpleNamespace

from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.cli.diff_odds import list_odds_shifts
from rulewright.cli.diff_result import DiffResult, group_rendered_edits
from rulewright.cli.diff_screen import (
    evidence_mark_meaning,
    split_row_statement,
    summarize_folded,
    summarize_scenarios,
    unread_files_line,
    verdict_headline,
)
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import (
    describe_value_witness,
    find_row_proof,
    list_migrated_scenarios,
    list_unshown_edits,
    shorten_shipped_path,
    witness_subject_lines,
)
from rulewright.cli.reports import render_template
from rulewright.cli.witness_stories import (
    MarkedPiece,
    WitnessStory,
    find_matching_blocks,
    make_witness_story,
    mark_differing_words,
)
from rulewright.diff.change_rows import GONE, NEW
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import EDIT_SECTIONS, SECTION_TITLES
from rulewright.diff.first_screen import list_clause_entries
from rulewright.program.outline.items import DeclaredName, OutlineItem

_WHOLE_EDIT_SORTS = frozenset({"added", "removed", "moved"})


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One line of one revision: number, marked text, sort of its edit, and its edits in words."""

    line: int
    text: str
    sort: str
    tooltip: str
    pieces: tuple[MarkedPiece, ...] = ()  # text with differences marked; empty: a gap


@dataclass(frozen=True, slots=True)
class SheetRow:
    """Two lines side by side; None opposite a gap."""

    old: SheetCell | None
    new: SheetCell | None

    @property
    def same(self) -> bool:
        """Whether both are equal and unedited."""
        return self.old is not None and self.new is not None and not self.old.sort and not self.new.sort


@dataclass(frozen=True, slots=True)
class TextSheet:
    """A text in both revisions, with its names; runs of rows that are all the same, or none of them."""

    old: str
    new: str
    runs: tuple[tuple[SheetRow, ...], ...]

    @property
    def title(self) -> str:
        return " → ".join(dict.fromkeys(filter(None, (self.old, self.new))))


_LineKey = tuple[str, int]
LineMarks = tuple[dict[_LineKey, list[RenderedEdit]], dict[_LineKey, list[RenderedEdit]]]
"""Edits by line of the old texts and of the new texts."""


def mark_edited_lines(diff: DiffResult) -> LineMarks:
    """Edits by line; an added, removed or moved node marks all its lines, any other edit the first."""
    marks: LineMarks = {}, {}
    for edit in diff.worded_edits:
        for side, span, compared in zip(marks, (edit.old, edit.new), (diff.old, diff.new), strict=True):
            if span is None:
                continue
            text = compared.loaded.texts[span.source]
            first, whole = text.get_position(span.start).line, text.content[span.start : span.end].rstrip()
            last = first + (whole.count("\n") if edit.kind in _WHOLE_EDIT_SORTS else 0)
            for line in range(first, last + 1):
                side.setdefault((span.source, line), []).append(edit)
    return marks


def make_sheets(diff: DiffResult) -> tuple[TextSheet, ...]:
    """All rule texts of two revisions, paired by file name, else by order of reading."""
    old, new = diff.old.loaded.texts, diff.new.loaded.texts
    marks, partners = mark_edited_lines(diff), pair_first_lines(diff)
    names, others = ([name for name in texts if not name.endswith((".yaml", ".yml"))] for texts in (old, new))
    by_file_name = {posixpath.basename(name): name for name in others}
    same = {name: by_file_name[file] for name in names if (file := posixpath.basename(name)) in by_file_name}
    lone = ([name for name in names if name not in same], [name for name in others if name not in same.values()])
    sheets = []
    for before, after in (*same.items(), *zip_longest(*lone, fillvalue="")):
        cells = _make_cells(old.get(before), marks[0]), _make_cells(new.get(after), marks[1])
        rows = _align_cells(cells, (before, after), partners)
        sheets.append(TextSheet(before, after, tuple(tuple(run) for _, run in groupby(rows, lambda row: row.same))))
    return tuple(sheets)


def pair_first_lines(diff: DiffResult) -> Mapping[_LineKey, _LineKey]:
    """First lines of nodes that both revisions have: old line to new line."""
    comparison = diff.comparison
    same, (outline, other) = comparison.correspondence, comparison.outlines
    known: dict[object, OutlineItem] = {}
    for item in other.walk_items():
        known.setdefault(_pairing_key(item, item.name, item.address), item)
    both = [(edit.old, edit.new) for edit in comparison.edits if edit.old is not None and edit.new is not None]
    for item in outline.walk_items():
        name = same.names.get(item.name) if item.name else None
        partner = known.get(_pairing_key(item, name, same.addresses.get(item.address, "")))
        both += [] if partner is None else [(item, partner)]
    pairs: dict[_LineKey, _LineKey] = {}
    for old, new in both:
        was, now = _first_line_key(old, diff.old.loaded.texts), _first_line_key(new, diff.new.loaded.texts)
        if was is not None and now is not None and now not in pairs.values():
            pairs.setdefault(was, now)
    return pairs


def _pairing_key(item: OutlineItem, name: DeclaredName | None, address: str) -> object:
    return name if item.name else (item.sort, address)


def _first_line_key(item: OutlineItem, texts: Mapping[str, Text]) -> _LineKey | None:
    text = texts.get(item.span.source)
    return None if text is None else (item.span.source, text.get_position(item.span.start).line)


def _make_cells(text: Text | None, marks: Mapping[_LineKey, Sequence[RenderedEdit]]) -> list[SheetCell]:
    cells = []
    for number, line in enumerate(text.content.splitlines() if text else (), 1):
        edits = marks.get((text.name if text else "", number), ())
        rules = [edit for edit in edits if edit.section == "rules"]
        kind = (rules or edits)[0].kind if edits else ""
        cells.append(SheetCell(number, line, kind, "\n".join(map(str, edits))))
    return cells


def _align_cells(
    cells: tuple[list[SheetCell], list[SheetCell]], names: tuple[str, str], partners: Mapping[_LineKey, _LineKey]
) -> Iterator[SheetRow]:
    """Rows of two texts: partners on one row, other lines opposite a gap."""
    (before, after), (old, new) = cells, names
    places = [(old, cell.line) for cell in before]
    back = {partners[at]: at for at in places if at in partners}
    keys = [at if at in partners else cell.text for at, cell in zip(places, before, strict=True)]
    news = [back.get((new, cell.line)) or cell.text for cell in after]
    for tag, first, end, start, stop in find_matching_blocks(keys, news):
        pair = before[first:end], after[start:stop]
        yield from map(_make_sheet_row, *pair) if tag == "equal" else _rows_of_replaced(*pair)


def _rows_of_replaced(before: Sequence[SheetCell], after: Sequence[SheetCell]) -> Iterator[SheetRow]:
    """Rows of lines without partners, similar ones beside each other."""
    for old, new in zip_longest(before, after):
        row = _make_sheet_row(old, new)
        if old is not None and new is not None and old.text != new.text and row.old is not None and not row.old.pieces:
            yield from (_make_sheet_row(old, None), _make_sheet_row(None, new))
        else:
            yield row


def _make_sheet_row(old: SheetCell | None, new: SheetCell | None) -> SheetRow:
    """A row with marked differences; coloured if no edit explains them."""
    if old is None or new is None:
        return SheetRow(old and _colour_unedited(old), new and _colour_unedited(new))
    if old.text == new.text:
        return SheetRow(old, new)
    was, now = mark_differing_words(old.text, new.text)
    return SheetRow(replace(_colour_unedited(old), pieces=was), replace(_colour_unedited(new), pieces=now))


def _colour_unedited(cell: SheetCell) -> SheetCell:
    return replace(cell, sort=cell.sort or "other") if cell.text.strip() else cell


_OPEN_SECTIONS = frozenset({"rules", "rewritten", "declarations", "names"})
_ROW_LABELS = {NEW: "New.", GONE: "Gone."}
_COLOUR_KEY = (
    ("added", "added"),
    ("removed", "removed"),
    ("changed", "changed or moved"),
    ("renamed", "name, wording or margin"),
    ("other", "layout, or listed elsewhere"),
)
_LOG_SECTIONS = {
    **SECTION_TITLES,
    "declarations": "Declarations",
    "names": "Names",
    "wording": "Wording",
    "remarks": "Rulings and clauses without a rule",
}


def render_diff_page(diff: DiffResult) -> str:
    """HTML page: verdicts, edits with links into the texts, both texts side by side."""
    return render_template("diff.html", _make_diff_report(diff))


def render_change_log(diff: DiffResult) -> str:
    """Draft change log in Markdown, by clause; each clause has an empty line for the reason."""
    return render_template("diff.md", _make_diff_report(diff))


def _make_diff_report(diff: DiffResult) -> SimpleNamespace:
    """What both templates read; edits, rows and plays are those of the comparison."""
    old, new = diff.old, diff.new
    is_same = old.revision == new.revision
    names = (old.request.display_name, new.request.display_name) if is_same else (old.revision, new.revision)
    sheets: dict[tuple[str, str], TextSheet] = {}
    for sheet in (sheet for part in diff.parts for sheet in make_sheets(part)):
        sheets.setdefault((sheet.old, sheet.new), sheet)
    stories = {id(one): make_witness_story(one, part) for part in diff.parts for one in part.witnesses}
    changes = tuple(_change_entries(diff, stories))
    notes = (
        *diff.one_sided,
        *diff.uncompared,
        *list_warnings(diff),
        summarize_scenarios(diff),
        *summarize_folded(diff),
    )
    by_section = [(part, name, part.edits_in_section(name)) for part in diff.parts for name in EDIT_SECTIONS]
    return SimpleNamespace(
        diff=diff,
        title=f"{new.program.title}: {names[0]} → {names[1]}",
        names=names,
        counts="; ".join(filter(None, (_prefix_part_name(part, part.edit_counts) for part in diff.parts))),
        headline=verdict_headline(diff),
        evidence=evidence_mark_meaning(diff),
        changes=changes,
        notes=tuple(filter(None, (*notes, unread_files_line(diff)))),
        sections=[
            (_head_section(part, name, len(edits)), name in _OPEN_SECTIONS, group_rendered_edits(edits), part)
            for part, name, edits in by_section
            if edits
        ],
        clauses=[group for part in diff.parts for group in _group_by_clause(part)],
        others=[
            (title, edits)
            for part in diff.parts
            for name, title in _LOG_SECTIONS.items()
            if (edits := part.edits_in_section(name))
        ],
        values=[describe_value_witness(value, part) for part in diff.parts for value in part.values],
        plays=[*stories.values()],
        others_played=[story for story in stories.values() if all(story is not change.play for change in changes)],
        lists=[*(one for part in diff.parts for one in list_unshown_edits(part)), *list_odds_shifts(diff)],
        scenarios=[*list_migrated_scenarios(diff, every=True)],
        addresses=[shorten_shipped_path(str(one)) for one in diff.outdated_addresses],
        key=_COLOUR_KEY,
        sheets=[*sheets.values()],
        list_links=partial(_list_links, [*sheets.values()]),
    )


def _prefix_part_name(part: DiffResult, text: str) -> str:
    return f"{part.part_name}: {text}" if part.part_name and text else text


def _head_section(part: DiffResult, name: str, number: int) -> str:
    head = f"{SECTION_TITLES.get(name, name.capitalize())}: {number}"
    return _prefix_part_name(part, head if name in SECTION_TITLES else f"{head}, {EDIT_SECTIONS[name]}")


def _list_links(sheets: Sequence[TextSheet], edit: RenderedEdit, part: DiffResult) -> Iterator[tuple[str, int, int]]:
    """Where the lines of an edit stand on the page: side, number of the sheet, line."""
    for side, span in (("old", edit.old), ("new", edit.new)):
        names = [getattr(sheet, side) for sheet in sheets]
        if span is not None and span.source in names:
            text = getattr(part, side).loaded.texts[span.source]
            yield side, names.index(span.source), text.get_position(span.start).line


def _change_entries(diff: DiffResult, stories: Mapping[int, WitnessStory]) -> Iterator[SimpleNamespace]:
    """Rows of the first screen, each with its witness; a witness is shown with its first row."""
    met: dict[int, int] = {}
    rows = ((part, row) for part in diff.parts for row in part.screen.rows)
    for number, (part, row) in enumerate(rows, 1):
        proof = find_row_proof(row, part)
        play = proof.play
        first = met.setdefault(id(play), number) if play is not None else number
        subject = play.subject if play is not None else None
        is_about_row = subject is not None and set(subject.edits) == set(row.edits) and not subject.needed
        yield SimpleNamespace(
            row=row,
            part=part,
            label=_ROW_LABELS.get(row.kind, ""),
            text=_prefix_part_name(part, " ".join(filter(None, split_row_statement(row)))),
            edits=[edit for edit in part.worded_edits if edit.number in row.edits],
            proof=proof,
            play=stories.get(id(play)) if first == number else None,
            # edits of the witness, if other than those of the change
            shows=() if play is None or is_about_row else witness_subject_lines(play, part),
            # earlier change with the same witness
            played=first if first != number else 0,
        )


def _group_by_clause(diff: DiffResult) -> Iterator[tuple[str, str, list[RenderedEdit]]]:
    """Edits of rules by their first clause, in the order of the documents: a heading, the clause, its edits."""
    entries = {entry.id: entry for revision in diff.comparison.revisions for entry in list_clause_entries(revision)}
    edits_by_clause: dict[str, list[RenderedEdit]] = {}
    for edit in diff.edits_in_section("rules"):
        edits_by_clause.setdefault(edit.cites[0] if edit.cites else "", []).append(edit)
    order = {name: number for number, name in enumerate(entries)}
    for clause in sorted(edits_by_clause, key=lambda name: (not name, order.get(name, len(order)), name)):
        where = entries[clause].location if clause in entries else ""
        heading = f"{clause} ({where})" if where else clause or "Without a clause"
        yield _prefix_part_name(diff, heading), clause, edits_by_clause[clause]
