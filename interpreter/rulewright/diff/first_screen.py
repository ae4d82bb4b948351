"""First screen of a comparison: ranked rows, clauses, and folding of edits that matter only under other readings."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from rulewright.checker.symbols import ClauseListEntry
from rulewright.diff.change_rows import (
    CHANGED,
    GONE,
    NEW,
    ChangeRow,
    FirstScreen,
    FoldedEdits,
    RowBuilder,
    RowMaterial,
    UneditedClause,
    UnrankedRow,
    shorten_clause,
)
from rulewright.diff.clause_matching import (
    ClauseMargins,
    ClausePairs,
    ClauseRanking,
    count_turned_words,
    pair_clauses,
    rename_in_sentence,
)
from rulewright.diff.comparison import FullComparison, RowEvidence, find_row_evidence
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edit_wording import EditWording
from rulewright.diff.edits import (
    AddEdit,
    ChangeEdit,
    ClauseEdit,
    Correspondence,
    Edit,
    MoveEdit,
    RelabelEdit,
    RemoveEdit,
    RenameEdit,
    RewordEdit,
)
from rulewright.diff.item_matching import translate_names
from rulewright.diff.item_places import ItemPlaces
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName, OutlineItem
from rulewright.program.outline.outline_builder import build_outline
from rulewright.wording.chosen_readings import fold_chosen_readings

_ItemIdentity = tuple[str, str, int, str]


class WrittenReadings:
    """Two revisions under their written readings, beside the revisions themselves.

    Args:
        programs: of the old revision and of the new one.
        places: of the items of both.
        same: correspondence of both.
    """

    def __init__(
        self, programs: tuple[Program, Program], places: tuple[ItemPlaces, ItemPlaces], same: Correspondence
    ) -> None:
        self._has_settings = any(program.settings for program in programs)
        self._old_items, self._new_items = (
            {
                _item_identity(item): item
                for item in build_outline(fold_chosen_readings(program, skips_steps=True).program, {}).walk_items()
            }
            if self._has_settings
            else {}
            for program in programs
        )
        self._places = places
        self._same = same

    def is_without_effect(self, edit: Edit) -> bool:
        """Whether an edit makes no difference under the written readings."""
        if not self._has_settings:
            return False
        match edit:
            case AddEdit(new):
                return new.sort in _RULE_ITEM_SORTS and _item_identity(new) not in self._new_items
            case RemoveEdit(old):
                return old.sort in _RULE_ITEM_SORTS and _item_identity(old) not in self._old_items
            case ChangeEdit(old, new):
                before, after = self._old_items.get(_item_identity(old)), self._new_items.get(_item_identity(new))
                if before is None or after is None:
                    return before is after
                return _translate_item_parts(before, self._same.names) == _translate_item_parts(after, {})
            case MoveEdit(old, new):
                if self._is_reordered_only(old, new):
                    return False
                before, after = self._find_deciding_parent(old, 0), self._find_deciding_parent(new, 1)
                return before is not None and after is not None and self._is_partner(before, after)
            case RenameEdit() | RelabelEdit() | RewordEdit() | ClauseEdit():
                return True
            case _:
                assert_never(edit)

    def _is_reordered_only(self, old: OutlineItem, new: OutlineItem) -> bool:
        before, after = (places.find_parent(item) for places, item in zip(self._places, (old, new), strict=True))
        if before is None or after is None:
            return before is after
        return self._is_partner(before, after)

    def _find_deciding_parent(self, item: OutlineItem, side: int) -> OutlineItem | None:
        known = (self._old_items, self._new_items)[side]
        around = self._places[side].find_parent(item)
        while around is not None and (
            _item_identity(around) not in known or any(outline_item.sort == "branch" for outline_item in around.items)
        ):
            around = self._places[side].find_parent(around)
        return around

    def _is_partner(self, old: OutlineItem, new: OutlineItem) -> bool:
        return self._same.addresses.get(old.address) == new.address and old.sort == new.sort


_RULE_ITEM_SORTS = frozenset(
    {"line", "branch", "else", "case", "condition", "modifier", "row", "requirement", "step", "key", "always"}
)


def _item_identity(item: OutlineItem) -> _ItemIdentity:
    return item.sort, item.span.source, item.span.start, item.id


def _translate_item_parts(item: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> object:
    return tuple((part.name, translate_names(part.form, names)) for part in item.parts)


_PROVABLE_SORTS = frozenset({"function", "procedure", "handler", "rule"})
_INNER_NAME_SORTS = frozenset({"step", "parameter", "local"})
_KIND_RANKS = {CHANGED: 0, NEW: 1, GONE: 2}


def list_clause_entries(revision: LoadedRuleset) -> tuple[ClauseListEntry, ...]:
    """Clauses of the documents of a revision, in the order of their lists."""
    lists = revision.linked.clause_lists.values() if revision.linked else ()
    return tuple(entry for clause_list in lists for entry in clause_list)


def build_screen(whole: FullComparison, rendered_edits: Sequence[RenderedEdit], wording: EditWording) -> FirstScreen:
    """First screen of two revisions, rows in order of prominence.

    Edits that matter only under other readings are folded, unless nothing else could explain what plays show.

    Args:
        whole: comparison, with plays or without.
        rendered_edits: every edit in words.
        wording: what words them.
    """
    comparison, programs, same = whole.comparison, whole.comparison.programs, whole.comparison.correspondence
    readings = WrittenReadings(programs, wording.places, same)
    rules = [rendered_edit for rendered_edit in rendered_edits if rendered_edit.section == "rules"]
    margins = ClauseMargins(wording.places[0]), ClauseMargins(wording.places[1])
    proved = tuple(
        rule.number for rule in rules if _is_proved_edit(comparison.edits[rule.number], whole, wording.places)
    )
    unfolded = [rule.number for rule in rules if rule.number not in proved]
    quiet = tuple(item for item in unfolded if readings.is_without_effect(comparison.edits[item]))
    if len(quiet) == len(unfolded) and whole.behaviour is not None and whole.behaviour.witnesses:
        quiet = ()
    old_list, new_list = map(list_clause_entries, comparison.revisions)
    clauses = pair_clauses((old_list, new_list), comparison.outlines, margins, same)
    spoken = [rule for rule in rules if rule.number not in quiet and rule.number not in proved]
    drafting = RowBuilder(RowMaterial(comparison.edits, spoken, margins, clauses, wording, same.names))
    drafts = _merge_equal_rows(drafting.build_rows())
    told_of = _omissible_documents(programs)
    rows = tuple(_rank_rows(drafts, find_row_evidence(whole, [draft.row.edits for draft in drafts]), told_of))
    folded = FoldedEdits(
        readings=(
            *quiet,
            *(
                rendered_edit.number
                for rendered_edit in rendered_edits
                if rendered_edit.section == "declarations" and _is_setting_edit(rendered_edit)
            ),
        ),
        helpers=(
            *sorted(drafting.helper_edits),
            *(
                rendered_edit.number
                for rendered_edit in rendered_edits
                if rendered_edit.section == "declarations" and not _is_setting_edit(rendered_edit)
            ),
        ),
        same=tuple(sorted(drafting.same_clause_edits - {number for row in rows for number in row.edits})),
        wording=_edit_numbers(rendered_edits, "wording"),
        margins=_edit_numbers(rendered_edits, "margins"),
        rewritten=(*_edit_numbers(rendered_edits, "rewritten"), *proved),
    )

    def make_unedited(old: str, new: str) -> UneditedClause:
        was = clauses.old[old].paraphrase if old else ""
        return UneditedClause(
            shorten_clause(old, told_of), shorten_clause(new, told_of), was, clauses.new[new].paraphrase
        )

    return FirstScreen(
        rows,
        tuple(make_unedited(*reworded_clause) for reworded_clause in _find_reworded_clauses(clauses, rows)),
        tuple(make_unedited("", unmentioned_clause) for unmentioned_clause in _find_unmentioned_clauses(clauses, rows)),
        tuple(_list_renames(whole)),
        folded,
    )


def _is_proved_edit(edit: Edit, whole: FullComparison, places: tuple[ItemPlaces, ItemPlaces]) -> bool:
    """Whether an edit only rewrites its routine or function, whatever becomes of what that mentions."""
    unproved = whole.comparison.unproved.old, whole.comparison.unproved.new
    inside = [
        (places[side].find_declaration(item), side)
        for side, item in enumerate((edit.old, edit.new))
        if item is not None and places[side].find_parent(item) is not None
    ]
    return bool(inside) and all(
        around.name is not None and around.name.sort in _PROVABLE_SORTS and around.name not in unproved[side]
        for around, side in inside
    )


def _find_reworded_clauses(clauses: ClausePairs, rows: Sequence[ChangeRow]) -> Iterator[tuple[str, str]]:
    """Clauses with another text and no row, those with another meaning first."""
    reported = {clause for row in rows for clause in row.clauses[1]}
    result = list[tuple[int, str, str]]()
    for old, new in clauses.successors.items():
        before, after = clauses.old[old].paraphrase, clauses.new[new].paraphrase
        if before and after and before != after and new not in reported and not clauses.has_same_sentence(old, new):
            result.append((count_turned_words(before, after), old, new))
    yield from ((old, new) for _, old, new in sorted(result, key=lambda item: -item[0]))


def _find_unmentioned_clauses(clauses: ClausePairs, rows: Sequence[ChangeRow]) -> Iterator[str]:
    """Clauses of the new document alone that a line carries out and no row is about, the most telling first."""
    successors, reported = {*clauses.successors.values()}, {clause for row in rows for clause in row.clauses[1]}
    unmentioned = (
        clause_list_entry
        for name, clause_list_entry in clauses.new.items()
        if name not in reported and name not in successors and not clause_list_entry.word
    )
    telling = ClauseRanking(
        rename_in_sentence(clause_list_entry.paraphrase, clauses.names) for clause_list_entry in clauses.old.values()
    )
    yield from telling.rank_clauses(
        clause_list_entry for clause_list_entry in unmentioned if clause_list_entry.paraphrase
    )


def _edit_numbers(rendered_edits: Sequence[RenderedEdit], section: str) -> tuple[int, ...]:
    return tuple(rendered_edit.number for rendered_edit in rendered_edits if rendered_edit.section == section)


def _is_setting_edit(each: RenderedEdit) -> bool:
    return each.place.startswith("setting ")


def _omissible_documents(programs: tuple[Program, Program]) -> frozenset[str]:
    names = [[document.name for document in program.documents] for program in programs]
    return frozenset(name for item in names for name in item) if all(len(item) <= 1 for item in names) else frozenset()


def _merge_equal_rows(drafts: Sequence[UnrankedRow]) -> list[UnrankedRow]:
    """Drafts with different sides, each once, with the edits of all that read alike."""
    result: dict[tuple[str, str, str, str], UnrankedRow] = {}
    for draft in drafts:
        row = draft.row
        key = row.kind, row.name, row.was, row.now
        if key in result:
            first = result[key]
            result[key] = replace(first, row=replace(first.row, edits=(*first.row.edits, *row.edits)))
        elif row.kind != CHANGED or row.was != row.now:
            result[key] = draft
    return list(result.values())


def _rank_rows(
    drafts: Sequence[UnrankedRow], evidence: Sequence[RowEvidence], prefixes: Collection[str]
) -> Iterator[ChangeRow]:
    ranked = [(draft, replace(draft.row, evidence=shows)) for draft, shows in zip(drafts, evidence, strict=True)]
    ranked.sort(
        key=lambda pair: (
            _KIND_RANKS[pair[1].kind],
            not pair[0].has_clause_sentence,
            not pair[1].is_shown,
            not pair[0].is_direct,
            pair[0].clause_position,
        )
    )
    for _, row in ranked:
        cited = dict.fromkeys(row.clauses[1] or row.clauses[0])
        yield replace(row, cited=tuple(shorten_clause(item, prefixes) for item in cited))


def _list_renames(whole: FullComparison) -> Iterator[tuple[str, str]]:
    for edit in whole.comparison.edits:
        if (
            isinstance(edit, RenameEdit)
            and edit.old.name
            and edit.old.name.sort not in _INNER_NAME_SORTS
            and edit.new.id
        ):
            yield edit.old.id, edit.new.id
