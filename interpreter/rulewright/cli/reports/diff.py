"""The comparison report: an HTML page with both texts side by side, and a draft change log in Markdown."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from types import SimpleNamespace

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
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
    witness_subject_lines,
)
from rulewright.cli.reports import SentencePart, render_template, split_sentence
from rulewright.cli.witness_stories import (
    MarkedPiece,
    WitnessStory,
    find_matching_blocks,
    make_witness_story,
    mark_differing_words,
)
from rulewright.diff.change_rows import GONE, NEW, ChangeRow
from rulewright.diff.differential_testing.results import PlayWitness, ValueWitness
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import EDIT_SECTIONS, SECTION_TITLES
from rulewright.diff.first_screen import list_clause_entries
from rulewright.program.outline.items import DeclaredName, OutlineItem

_MAX_UNFOLDED_LINES = 6
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
class _SheetBlock:
    """Lines that are all equal, or none of them."""

    rows: tuple[SheetRow, ...]
    is_folded: bool


@dataclass(frozen=True, slots=True)
class TextSheet:
    """A text in both revisions, with its names."""

    old: str
    new: str
    blocks: tuple[_SheetBlock, ...]

    @property
    def title(self) -> str:
        return " → ".join(dict.fromkeys(filter(None, (self.old, self.new))))


_LineKey = tuple[str, int]
LineMarks = tuple[Mapping[_LineKey, tuple[RenderedEdit, ...]], Mapping[_LineKey, tuple[RenderedEdit, ...]]]
"""Edits by line of the old texts and of the new texts."""


def mark_edited_lines(diff: DiffResult) -> LineMarks:
    """Edits by line; an added, removed or moved node marks all its lines, any other edit the first."""
    old: dict[_LineKey, tuple[RenderedEdit, ...]] = {}
    new: dict[_LineKey, tuple[RenderedEdit, ...]] = {}
    for worded_edit in diff.worded_edits:
        for marks, span, texts in (
            (old, worded_edit.old, diff.old.loaded.texts),
            (new, worded_edit.new, diff.new.loaded.texts),
        ):
            for key in _marked_lines(worded_edit, span, texts) if span else ():
                marks[key] = (*marks.get(key, ()), worded_edit)
    return old, new


def _marked_lines(edit: RenderedEdit, span: Span, texts: Mapping[str, Text]) -> Iterator[_LineKey]:
    text = texts[span.source]
    first = text.get_position(span.start).line
    whole = text.content[span.start : span.end].rstrip().count("\n") if edit.kind in _WHOLE_EDIT_SORTS else 0
    return ((span.source, line) for line in range(first, first + whole + 1))


def make_sheets(diff: DiffResult) -> tuple[TextSheet, ...]:
    """All rule texts of two revisions, paired by file name, else by order of reading."""
    old, new = diff.old.loaded.texts, diff.new.loaded.texts
    laying = _SheetLayout(mark_edited_lines(diff), pair_first_lines(diff))
    return tuple(
        TextSheet(before or "", after or "", laying.layout_blocks(old.get(before or ""), new.get(after or "")))
        for before, after in _pair_files([*filter(_is_rule_text, old)], [*filter(_is_rule_text, new)])
    )


def pair_first_lines(diff: DiffResult) -> Mapping[_LineKey, _LineKey]:
    """First lines of nodes that both revisions have: old line to new line."""
    comparison = diff.whole.comparison
    same = comparison.correspondence
    known: dict[object, OutlineItem] = {}
    for item in comparison.outlines[1].walk_items():
        known.setdefault(_pairing_key(item, item.name, item.address), item)
    pairs: dict[_LineKey, _LineKey] = {}
    edited = ((edit.old, edit.new) for edit in comparison.edits if edit.old is not None and edit.new is not None)
    unedited = (
        (outline_item, new)
        for outline_item in comparison.outlines[0].walk_items()
        for name in [same.names.get(outline_item.name) if outline_item.name else None]
        if (new := known.get(_pairing_key(outline_item, name, same.addresses.get(outline_item.address, ""))))
        is not None
    )
    for old, new in (*edited, *unedited):
        was, now = _first_line_key(old, diff.old.loaded.texts), _first_line_key(new, diff.new.loaded.texts)
        if was is not None and now is not None and now not in pairs.values():
            pairs.setdefault(was, now)
    return pairs


def _pairing_key(item: OutlineItem, name: DeclaredName | None, address: str) -> object:
    return name if item.name else (item.sort, address)


def _first_line_key(item: OutlineItem, texts: Mapping[str, Text]) -> _LineKey | None:
    text = texts.get(item.span.source)
    return None if text is None else (item.span.source, text.get_position(item.span.start).line)


def _is_rule_text(name: str) -> bool:
    return not name.endswith((".yaml", ".yml"))


def _pair_files(old: list[str], new: list[str]) -> Iterator[tuple[str | None, str | None]]:
    by_name = {posixpath.basename(item): item for item in new}
    same = {item: by_name[posixpath.basename(item)] for item in old if posixpath.basename(item) in by_name}
    yield from same.items()
    yield from zip_longest(
        (item for item in old if item not in same), (item for item in new if item not in same.values())
    )


@dataclass(frozen=True, slots=True)
class _SheetLayout:
    marks: LineMarks
    partners: Mapping[_LineKey, _LineKey]

    def layout_blocks(self, old: Text | None, new: Text | None) -> tuple[_SheetBlock, ...]:
        """Rows of two texts: partners on one row, other lines opposite a gap."""
        old_lines, new_lines = (text.content.splitlines() if text else [] for text in (old, new))
        names = old.name if old else "", new.name if new else ""
        back = {
            self.partners[at]: at for number in range(len(old_lines)) if (at := (names[0], number + 1)) in self.partners
        }
        keys = [self._alignment_key((names[0], number), line) for number, line in enumerate(old_lines, 1)]
        news = [
            back.get((names[1], number)) or self._alignment_key((names[1], number), line)
            for number, line in enumerate(new_lines, 1)
        ]
        rows: list[SheetRow] = []
        for tag, first, end, start, stop in find_matching_blocks(keys, news):
            before = [self._make_cell(0, names[0], old_lines, number) for number in range(first, end)]
            after = [self._make_cell(1, names[1], new_lines, number) for number in range(start, stop)]
            rows += map(_make_sheet_row, before, after) if tag == "equal" else _rows_of_replaced(before, after)
        return tuple(
            _SheetBlock(run, all(row.same for row in run) and len(run) > _MAX_UNFOLDED_LINES)
            for run in _split_runs(rows)
        )

    def _alignment_key(self, at: _LineKey, line: str) -> object:
        return at if at in self.partners else line

    def _make_cell(self, side: int, name: str, lines: list[str], number: int) -> SheetCell:
        edits = self.marks[side].get((name, number + 1), ())
        rules = [edit for edit in edits if edit.section == "rules"]
        return SheetCell(
            number + 1, lines[number], (rules or edits)[0].kind if edits else "", "\n".join(map(str, edits))
        )


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


def _split_runs(block: Sequence[SheetRow]) -> Iterator[tuple[SheetRow, ...]]:
    """Runs of equal rows and of differing rows."""
    run: list[SheetRow] = []
    for row in block:
        if run and run[-1].same != row.same:
            yield tuple(run)
            run = []
        run.append(row)
    if run:
        yield tuple(run)


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


@dataclass(frozen=True, slots=True)
class _WordedEdit:
    """An edit in words; links are tuples of side, sheet number and line."""

    place: str
    parts: tuple[SentencePart, ...]
    cites: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _EditGroup:
    """Edits of one subject; a single edit has no heading."""

    heading: str
    edits: tuple[_WordedEdit, ...]


def render_diff_page(diff: DiffResult) -> str:
    """HTML page: verdicts, edits with links into the texts, both texts side by side."""
    return render_template("diff.html", _make_diff_report(diff))


def render_change_log(diff: DiffResult) -> str:
    """Draft change log in Markdown, by clause; each clause has an empty line for the reason."""
    return render_template("diff.md", _make_diff_report(diff))


def _make_diff_report(diff: DiffResult) -> SimpleNamespace:
    old, new, verdict = diff.old, diff.new, diff.verdict
    is_same = old.revision == new.revision
    names = (old.request.display_name, new.request.display_name) if is_same else (old.revision, new.revision)
    laid = _collect_sheets(diff)
    stories = {
        id(part_witness): make_witness_story(part_witness, part)
        for part in diff.parts
        for part_witness in _part_witnesses(part)
    }
    changes = tuple(_change_entries(diff, laid, stories))
    others = (
        (title, part.edits_in_section(section)) for part in diff.parts for section, title in _LOG_SECTIONS.items()
    )
    return SimpleNamespace(
        title=f"{new.program.title}: {names[0]} → {names[1]}",
        names=names,
        name=new.program.title,
        old=old.revision,
        new=new.revision,
        verdict=str(verdict),
        word=verdict.word,
        says=verdict.meaning,
        counts="; ".join(filter(None, (_prefix_part_name(part, part.edit_counts) for part in diff.parts))),
        headline=verdict_headline(diff),
        evidence=evidence_mark_meaning(diff),
        is_shown=any(simple_namespace.is_shown for simple_namespace in changes),
        changes=changes,
        notes=tuple(
            filter(
                None,
                (
                    *diff.one_sided,
                    *diff.uncompared,
                    *list_warnings(diff),
                    summarize_scenarios(diff),
                    *summarize_folded(diff),
                    unread_files_line(diff),
                ),
            )
        ),
        sections=tuple(
            _make_report_section(edit_section, part.edits_in_section(edit_section), laid, part)
            for part in diff.parts
            for edit_section in EDIT_SECTIONS
            if part.edits_in_section(edit_section)
        ),
        clauses=tuple(edit_group for part in diff.parts for edit_group in _group_by_clause(part)),
        others=tuple(_EditGroup(title, tuple(map(_make_log_edit, lines))) for title, lines in others if lines),
        values=tuple(
            describe_value_witness(value_witness, part)
            for part in diff.parts
            for value_witness in _part_value_witnesses(part)
        ),
        plays=tuple(stories.values()),
        others_played=tuple(
            witness_story
            for witness_story in stories.values()
            if all(witness_story is not change.play for change in changes)
        ),
        lists=(
            *(unshown_edit for part in diff.parts for unshown_edit in list_unshown_edits(part)),
            *list_odds_shifts(diff),
        ),
        scenarios=tuple(list_migrated_scenarios(diff, every=True)),
        addresses=tuple(
            f"{outdated_address.file_and_line}: {outdated_address.place.description}"
            for outdated_address in diff.outdated_addresses
        ),
        key=_COLOUR_KEY,
        sheets=laid,
    )


def _collect_sheets(diff: DiffResult) -> tuple[TextSheet, ...]:
    """Sheets of the rulesets, then of overlays and other rulesets; each pair once."""
    laid: dict[tuple[str, str], TextSheet] = {}
    for part in diff.parts:
        for sheet in make_sheets(part):
            laid.setdefault((sheet.old, sheet.new), sheet)
    return tuple(laid.values())


def _part_witnesses(diff: DiffResult) -> tuple[PlayWitness, ...]:
    return diff.whole.behaviour.witnesses if diff.whole.behaviour else ()


def _part_value_witnesses(diff: DiffResult) -> tuple[ValueWitness, ...]:
    return diff.whole.behaviour.values if diff.whole.behaviour else ()


def _prefix_part_name(part: DiffResult, text: str) -> str:
    return f"{part.part_name}: {text}" if part.part_name and text else text


def _change_entries(
    diff: DiffResult, laid: Sequence[TextSheet], plays: Mapping[int, WitnessStory]
) -> Iterator[SimpleNamespace]:
    """Rows of the first screen, each with its witness; a witness is shown with its first row."""
    met: dict[int, int] = {}
    rows = ((part, row) for part in diff.parts for row in part.screen.rows)
    for number, (part, row) in enumerate(rows, 1):
        proof = find_row_proof(row, part)
        first = met.setdefault(id(proof.play), number) if proof.play is not None else number
        text = _prefix_part_name(part, " ".join(filter(None, split_row_statement(row))))
        yield SimpleNamespace(
            label=_ROW_LABELS.get(row.kind, ""),
            text=text,
            parts=split_sentence(text),
            more=tuple(row.further_sentences),
            cites=tuple(row.cited),
            is_shown=row.is_shown,
            edits=tuple(
                _make_worded_edit(worded_edit, worded_edit.lead, laid, part)
                for worded_edit in part.worded_edits
                if worded_edit.number in row.edits
            ),
            play=plays.get(id(proof.play)) if first == number else None,
            # edits of the witness, if other than those of the change
            shows=witness_subject_lines(proof.play, part)
            if proof.play is not None and not _is_about_row(proof.play, row)
            else (),
            # earlier change with the same witness
            played=first if first != number else 0,
            values=proof.values,
            lacking=proof.missing_reason,
        )


def _is_about_row(play: PlayWitness, row: ChangeRow) -> bool:
    """Whether a witness shows an edit of a row and needs no others."""
    return play.subject is not None and set(play.subject.edits) == set(row.edits) and not play.subject.needed


def _make_report_section(
    section: str, edits: tuple[RenderedEdit, ...], laid: Sequence[TextSheet], diff: DiffResult
) -> SimpleNamespace:
    count = f"{SECTION_TITLES[section]}: {len(edits)}" if section in SECTION_TITLES else ""
    title = _prefix_part_name(diff, count or f"{section.capitalize()}: {len(edits)}, {EDIT_SECTIONS[section]}")
    shown = [_make_edit_group(inside, laid, diff) for inside in group_rendered_edits(edits)]
    return SimpleNamespace(title=title, is_open=section in _OPEN_SECTIONS, groups=shown)


def _make_edit_group(inside: Sequence[RenderedEdit], laid: Sequence[TextSheet], diff: DiffResult) -> _EditGroup:
    if len(inside) == 1:
        return _EditGroup("", (_make_worded_edit(inside[0], inside[0].lead, laid, diff),))
    return _EditGroup(
        inside[0].heading,
        tuple(_make_worded_edit(rendered_edit, rendered_edit.lead_in_group, laid, diff) for rendered_edit in inside),
    )


def _make_worded_edit(edit: RenderedEdit, place: str, laid: Sequence[TextSheet], diff: DiffResult) -> _WordedEdit:
    links = (*_sheet_links("old", edit.old, laid, diff), *_sheet_links("new", edit.new, laid, diff))
    return _WordedEdit(place, split_sentence(edit.text), edit.cites if edit.section != "margins" else (), links)


def _make_log_edit(edit: RenderedEdit, besides: str = "") -> _WordedEdit:
    """An edit of the change log, with its clauses other than the current heading."""
    return _WordedEdit(
        edit.lead, split_sentence(edit.text), tuple(cite for cite in edit.cites if besides and cite != besides)
    )


def _sheet_links(
    side: str, span: Span | None, laid: Sequence[TextSheet], diff: DiffResult
) -> Iterator[tuple[str, int, int]]:
    if span is None:
        return
    line = (diff.old if side == "old" else diff.new).loaded.texts[span.source].get_position(span.start).line
    names = [sheet.old if side == "old" else sheet.new for sheet in laid]
    if span.source in names:
        yield side, names.index(span.source), line


def _group_by_clause(diff: DiffResult) -> Iterator[_EditGroup]:
    """Edits of rules grouped by their first clause, in the order of the documents."""
    clauses = {
        clause_entry.id: clause_entry
        for revision in diff.whole.comparison.revisions
        for clause_entry in list_clause_entries(revision)
    }
    edits_by_clause: dict[str, list[RenderedEdit]] = {}
    for edit in diff.edits_in_section("rules"):
        edits_by_clause.setdefault(edit.cites[0] if edit.cites else "", []).append(edit)
    known = {name: number for number, name in enumerate(clauses)}
    for clause in sorted(edits_by_clause, key=lambda name: (not name, known.get(name, len(known)), name)):
        where = clauses[clause].location if clause in clauses else ""
        heading = f"{clause} ({where})" if where else clause or "Without a clause"
        yield _EditGroup(
            _prefix_part_name(diff, heading),
            tuple(_make_log_edit(rendered_edit, besides=clause) for rendered_edit in edits_by_clause[clause]),
        )
