"""Rows of a comparison: one for each change of play, built from edits and named by the titles of their authors."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

from rulewright.base.frozen import dataclass, replace
from rulewright.checker.symbols import ClauseListEntry
from rulewright.diff.clause_matching import ClauseMargins, ClausePairs, ClauseRanking, rename_in_sentence
from rulewright.diff.comparison import NO_ROW_EVIDENCE, RowEvidence
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edit_wording import BeforeAfter, EditWording, describe_word_order, print_minus_signs
from rulewright.diff.edits import AddEdit, ChangeEdit, Edit, MoveEdit, RemoveEdit
from rulewright.diff.item_places import ItemPlaces
from rulewright.program.outline.items import CELL_SEPARATOR, DeclaredName, OutlineItem
from rulewright.wording.english import add_colon


@dataclass(frozen=True, slots=True)
class BlockWrap:
    """Block put around, or removed from around, otherwise unchanged lines; by numbers of edits."""

    removed_block: int | None  # number of the edit; None if there is none
    added_block: int | None  # number of the edit; None if there is none
    moved: tuple[int, ...]  # numbers of the edits of the lines inside

    @property
    def edits(self) -> tuple[int, ...]:
        return tuple(
            sorted({*self.moved} | {item for item in (self.removed_block, self.added_block) if item is not None})
        )


def find_block_wraps(edits: Sequence[Edit], numbers: Collection[int]) -> Iterator[BlockWrap]:
    """Wraps among edits; edits of moved lines say which blocks they entered or left."""
    old: dict[int, int] = {}
    new: dict[int, int] = {}
    for number in numbers:
        edit = edits[number]
        if isinstance(edit, MoveEdit):
            old[id(edit.old)] = new[id(edit.new)] = number
    removed: dict[int, frozenset[int]] = {}
    added: dict[int, frozenset[int]] = {}
    for number in numbers:
        edit = edits[number]
        if isinstance(edit, RemoveEdit) and edit.old.sort == "line":
            removed[number] = _moved_lines_inside(edit.old, old)
        elif isinstance(edit, AddEdit) and edit.new.sort == "line":
            added[number] = _moved_lines_inside(edit.new, new)
    for number, lines in added.items():
        if lines:
            before = next((item for item, others in removed.items() if others == lines), None)
            removed.pop(before, None)  # type: ignore[arg-type]
            yield BlockWrap(before, number, tuple(sorted(lines)))
    yield from (BlockWrap(number, None, tuple(sorted(lines))) for number, lines in removed.items() if lines)


def block_head(block: OutlineItem) -> OutlineItem:
    """First line of a block; an `if` has it in its first branch."""
    first = block.items[0]
    return first if first.sort == "branch" else block


def _moved_lines_inside(item: OutlineItem, moved: Mapping[int, int]) -> frozenset[int]:
    if id(item) in moved:
        return frozenset({moved[id(item)]})
    parts = [
        _moved_lines_inside(outline_item, moved) for outline_item in item.items if outline_item.sort != "parameter"
    ]
    return frozenset[int]().union(*parts) if all(parts) else frozenset()


CHANGED, NEW, GONE = "changed", "new", "gone"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """Row: one change of play."""

    kind: str  # `changed`, `new` or `gone`
    name: str  # subject in its author's words; empty where a heading says no more than its sentences
    halves: BeforeAfter
    further_sentences: tuple[str, ...]  # of `now`, or of `was` for a row that is gone; in the order of the document
    clauses: tuple[tuple[str, ...], tuple[str, ...]]  # (old, new)
    edits: tuple[int, ...]  # numbers
    telling: tuple[int, ...] = ()  # positions of all its sentences, the most telling first; empty: as they stand
    cited: tuple[str, ...] = ()  # the clauses, shortened for display
    evidence: RowEvidence = NO_ROW_EVIDENCE

    @property
    def was(self) -> str:
        return self.halves.was

    @property
    def now(self) -> str:
        return self.halves.now

    @property
    def is_shown(self) -> bool:
        """Whether a play, a value or a scenario shows it."""
        return self.evidence.has_evidence


@dataclass(frozen=True, slots=True)
class FoldedEdits:
    """Edits that are counted, not listed."""

    readings: tuple[int, ...]  # edits that matter only under a reading that is not the written one, settings included
    helpers: tuple[int, ...]  # declarations used by other rules, added, removed or changed with them
    same: tuple[int, ...]  # edits of clauses with unchanged content
    wording: tuple[int, ...]  # titles, questions and reasons
    margins: tuple[int, ...]  # cited clauses
    rewritten: tuple[int, ...]  # edits proved to be rewrites, whatever becomes of what they mention


@dataclass(frozen=True, slots=True)
class UneditedClause:
    """Clause without a row: the lines that carry it out are unchanged."""

    old: str  # short id in the old document; empty if only the new one has it
    new: str  # short id in the new document
    old_sentence: str
    new_sentence: str


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """First screen: rows, clauses and folded edits."""

    rows: tuple[ChangeRow, ...]  # changed, then new, then gone, each in order of prominence
    reworded: tuple[UneditedClause, ...]  # clauses with another text
    stated: tuple[UneditedClause, ...]  # clauses of the new document alone, the most telling first
    names: tuple[tuple[str, str], ...]  # renames as (old, new)
    folded: FoldedEdits

    def rows_of_kind(self, kind: str) -> tuple[ChangeRow, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


_HEADING_PATTERN = re.compile(r"[^,(:]+")
_PLACE_PATTERN = re.compile(
    r"(?:[Ss]tep|[Bb]ox|[Pp]age|[Bb]ullet|[Pp]oint|[Rr]ow|[Ss]ection|[Cc]hapter|[Pp]aragraph)\b|[\W\da-z]"
)
_SORTS_WITH_OWN_WORD = frozenset(
    {"condition", "modifier", "row", "key", "attribute", "setting", "word", "parameter", "game field"}
)


def clause_heading(clause: ClauseListEntry) -> str:
    """Document heading above a clause; empty where only a number or a place is known."""
    result = _HEADING_PATTERN.match(clause.location)
    name = result[0].strip() if result else ""
    return "" if _PLACE_PATTERN.match(name) else name


def title_item(item: OutlineItem, places: ItemPlaces, titles: Mapping[str, str]) -> str:
    """Title of an item for people: of its step or declaration, and its own word."""
    own_word = _own_word(item, titles)
    around = places.find_parent(item)
    while around is not None:
        if around.title:
            return f"{add_colon(around.title)} {own_word}" if own_word and own_word != around.title else around.title
        if around.sort == "step" or places.find_parent(around) is None:
            return f"{_untitled_name(around)}: {own_word}" if own_word else _untitled_name(around)
        around = places.find_parent(around)
    return own_word or _untitled_name(item)


_PLACE_ID_PATTERN = re.compile(r"^row_\d+\b|/\d+$")
"""Ids of rows and columns that the language numbers, since their cells are no single word."""
_NEGATIVE_CELL_PATTERN = re.compile(r"(?:^|\| |\.\.)-\d")


def _own_word(item: OutlineItem, titles: Mapping[str, str]) -> str:
    """Own word of an item; of a row named by its cells, the titles of their words."""
    if item.title:
        return item.title
    if item.sort == "row":
        cells = next((part.text for part in item.parts if part.name == "cells"), "")
        if _PLACE_ID_PATTERN.search(item.id) and _NEGATIVE_CELL_PATTERN.search(cells):
            return print_minus_signs(f"row {'/'.join(titles.get(cell, cell) for cell in cells.split(CELL_SEPARATOR))}")
        return "/".join(_name_cell(part, titles) for part in item.id.split("/"))
    return _spaced_words(item.id) if item.sort in _SORTS_WITH_OWN_WORD or (item.name and item.sort != "step") else ""


def _name_cell(part: str, titles: Mapping[str, str]) -> str:
    """Title of a word in the id of a row; of several rows of one name with its number: `Forest (2)`."""
    word, _, number = part.partition("#")
    title = titles.get(word) or _spaced_words(word)
    return f"{title} ({number})" if number else title


def _untitled_name(item: OutlineItem) -> str:
    """Name of an item without a title, by its id: `step 3`, `needed`."""
    return f"{item.sort} {item.id}" if item.sort == "step" else _spaced_words(item.id) or item.sort


def _spaced_words(name: str) -> str:
    return name.replace("_", " ")


def shorten_clause(clause: str, documents: Collection[str]) -> str:
    """Clause without the name of its document, where that is one of these."""
    document, _, rest = clause.partition(".")
    return rest if rest and document in documents else clause


_HELPER_SORTS = frozenset(
    "term decide table relation record attribute parameter external".split()  # noqa: SIM905
) | {"external procedure", "external term", "list of words", "die", "tally"}
_ACTION_SORTS = frozenset({"procedure", "handler", "standing rule", "event", "always", "step", "measure"})
_TRAILING_CHARS = " .;"


@dataclass(frozen=True, slots=True)
class UnrankedRow:
    """Row before ranking."""

    row: ChangeRow
    clause_position: int  # in the list of the new document
    is_direct: bool  # whether a line was edited, not only removed and added
    has_clause_sentence: bool = True  # whether its text is from a clause list


@dataclass(frozen=True, slots=True)
class RowMaterial:
    """Input of the row builder."""

    edits: Sequence[Edit]  # all edits of the comparison
    rendered_edits: Sequence[RenderedEdit]  # edits of rules that may have changed play
    margins: tuple[ClauseMargins, ClauseMargins]
    clauses: ClausePairs
    wording: EditWording
    names: Mapping[DeclaredName, DeclaredName]  # new names by old names


class RowBuilder:
    """Builder of rows from the edits of rules between two revisions.

    Attributes:
        same_clause_edits: numbers of edits of clauses with unchanged content.
        helper_edits: numbers of edits that only serve others.
    """

    def __init__(self, material: RowMaterial) -> None:
        self._edits, self._rendered_edits = (
            material.edits,
            {rendered_edit.number: rendered_edit for rendered_edit in material.rendered_edits},
        )
        self._margins, self._clauses = material.margins, material.clauses
        self._wording, self._names = material.wording, material.names
        self._order = {each: number for number, each in enumerate(self._clauses.new)}
        self._clauses_by_edit = {number: self._clauses_of_edit(self._edits[number]) for number in self._rendered_edits}
        self._edited_signatures = {
            item.address.partition("/")[0]
            for number in self._rendered_edits
            if (item := self._edits[number].item) is not None and item.sort == "parameter"
        }
        self.same_clause_edits: set[int] = set()
        self.helper_edits: set[int] = set()

    def build_rows(self) -> list[UnrankedRow]:
        """All rows; sets `same_clause_edits` and `helper_edits`."""
        removed_clauses = [
            item
            for item in self._clauses.old
            if item not in self._clauses.successors and self._clause_sentence(item, 0)
        ]
        result = [*self._changed_clause_rows(), *self._new_clause_rows(), *self._one_sided_rows(removed_clauses, 0)]
        used = {number for unranked_row in result for number in unranked_row.row.edits} | self.same_clause_edits
        spoken = {item for draft in result for side in draft.row.clauses for item in side}
        remaining = [number for number in self._rendered_edits if number not in used]
        joined = {number for number in remaining if self._is_below_reported_clause(number, spoken)}
        self.same_clause_edits |= joined
        remaining = [number for number in remaining if number not in joined]
        rewritten = bool(result) and self._has_new_documents()
        plain = [
            number
            for number in remaining
            if not self._is_helper_edit(number) and not (rewritten and self._is_minor_edit(number))
        ]
        self.helper_edits = {number for number in remaining if number not in plain}
        coded = list(self._coded_rows(plain))
        if not result and not coded and not self.same_clause_edits:
            coded, self.helper_edits = list(self._coded_rows(remaining)), set()
        return [*result, *coded]

    def _clauses_of_edit(self, edit: Edit) -> tuple[tuple[str, ...], tuple[str, ...]]:
        old, new = self._margins
        if isinstance(edit, AddEdit | RemoveEdit):
            find_old, find_new = old.find_clauses_inside, new.find_clauses_inside
        else:
            find_old, find_new = old.find_own_clauses, new.find_own_clauses
        return find_old(edit.old) if edit.old else (), find_new(edit.new) if edit.new else ()

    def _edits_about(self, clause: str, side: int) -> tuple[int, ...]:
        return tuple(number for number, touched in self._clauses_by_edit.items() if clause in touched[side])

    # Clauses that became others.

    def _changed_clause_rows(self) -> Iterator[UnrankedRow]:
        for old, new in self._clauses.successors.items():
            edits = tuple(sorted({*self._edits_about(old, 0), *self._edits_about(new, 1)}))
            before, after = self._clause_sentence(old, 0), self._clause_sentence(new, 1)
            if not edits or not before or not after or before == after:
                continue
            direct = any(self._is_direct_change(number, old, new) for number in edits)
            stays = old != new and not direct and (old, new) in self._clauses.partly_unedited
            if stays or (old != new and self._clauses.is_same_clause(old, new)):
                self.same_clause_edits.update(edits)
                continue
            others = self._companion_clauses(old, new)
            more = tuple(self._clause_sentence(other, 1) for other in others)
            name = clause_heading(self._clauses.new[new]) or self._title_cited_place(edits, new)
            row = ChangeRow(CHANGED, name, BeforeAfter(before, after), more, ((old,), (new, *others)), edits)
            yield UnrankedRow(row, self._order[new], is_direct=direct)

    def _is_direct_change(self, number: int, old: str, new: str) -> bool:
        edit, (before, after) = self._edits[number], self._clauses_by_edit[number]
        return isinstance(edit, ChangeEdit) and (old in before or new in after)

    def _companion_clauses(self, old: str, new: str) -> tuple[str, ...]:
        """New clauses of the successors of an old clause's lines that are successor of no other clause."""
        successors = set(self._clauses.successors.values())
        result: dict[str, None] = {}
        for number in self._edits_about(old, 0):
            if self._is_direct_change(number, old, new):
                result |= dict.fromkeys(self._clauses_by_edit[number][1])
        return tuple(
            item for item in result if item not in successors and item != new and self._clause_sentence(item, 1)
        )

    def _title_cited_place(self, edits: Iterable[int], clause: str, side: int = 1) -> str:
        for number in edits:
            item = (self._edits[number].old, self._edits[number].new)[side]
            for outline_item in item.walk_subtree() if item is not None else ():
                if clause in self._margins[side].find_own_clauses(outline_item):
                    return self._title_item(outline_item, side)
        return ""

    def _title_item(self, item: OutlineItem, side: int) -> str:
        return title_item(item, self._wording.places[side], self._wording.word_titles[side])

    def _clause_sentence(self, clause: str, side: int) -> str:
        entry = (self._clauses.old, self._clauses.new)[side].get(clause)
        return entry.paraphrase.rstrip(_TRAILING_CHARS) if entry else ""

    # Clauses of one revision only.

    def _new_clause_rows(self) -> Iterator[UnrankedRow]:
        became = {*self._clauses.successors.values()}
        joined = {
            companion_clause
            for old, new in self._clauses.successors.items()
            for companion_clause in self._companion_clauses(old, new)
        }
        free = [item for item in self._clauses.new if item not in became and item not in joined]
        yield from self._one_sided_rows([item for item in free if self._clause_sentence(item, 1)], 1)

    def _one_sided_rows(self, clauses: Sequence[str], side: int) -> Iterator[UnrankedRow]:
        groups: dict[str, list[str]] = {}
        headings: dict[tuple[int, ...], str] = {}
        for clause in clauses:
            edits = self._edits_about(clause, side)
            heading = self._group_heading(clause, side) if edits else ""
            if all(not self._edits[number].is_whole for number in edits):  # what one line says is one change
                heading = headings.setdefault(edits, heading)
            if edits:
                groups.setdefault(heading, []).append(clause)
        others, listed = (
            (self._clauses.new, self._clauses.old)[side].values(),
            (self._clauses.old, self._clauses.new)[side],
        )
        became = (
            (self._clause_sentence(successor, 1) for successor in self._clauses.successors.values()) if side else ()
        )
        telling = ClauseRanking(
            [*(rename_in_sentence(other.paraphrase, self._clauses.names) for other in others), *became]
        )
        for name, cited in groups.items():
            ranked = telling.rank_clauses(listed[item] for item in cited)
            edits = tuple(sorted({number for item in cited for number in self._edits_about(item, side)}))
            first, *more = (self._clause_sentence(item, side) for item in cited)
            halves = BeforeAfter("", first) if side else BeforeAfter(first, "")
            about = ((), tuple(cited)) if side else (tuple(cited), ())
            row = ChangeRow(
                NEW if side else GONE, name, halves, tuple(more), about, edits, tuple(map(cited.index, ranked))
            )
            yield UnrankedRow(row, self._order.get(cited[0], 0), is_direct=True)

    def _group_heading(self, clause: str, side: int) -> str:
        entry = (self._clauses.old, self._clauses.new)[side][clause]
        return clause_heading(entry) or (self._title_cited_place(self._edits_about(clause, 1), clause) if side else "")

    # Edits that no clause speaks of.

    def _is_below_reported_clause(self, number: int, spoken: AbstractSet[str]) -> bool:
        """Whether a line without citation stands below a clause that has a row."""
        edit = self._edits[number]
        if self._clauses_by_edit[number] != ((), ()):
            return False
        around = [
            self._margins[side].find_clauses(item) for side, item in enumerate((edit.old, edit.new)) if item is not None
        ]
        return any(around) and all(spoken >= frozenset(each) for each in around if each)

    def _is_helper_edit(self, number: int) -> bool:
        """Whether an edit only serves others: an added or removed helper, a variable, a parameter."""
        edit = self._edits[number]
        item = edit.item
        if isinstance(edit, ChangeEdit):
            typed = edit.new.sort == "parameter" and {difference.name for difference in edit.differences} == {"type"}
            return typed or self._has_changed_arguments_only(edit)
        if isinstance(edit, RemoveEdit) and self._is_writing_removed_only(edit.old):
            return True
        if not isinstance(edit, AddEdit | RemoveEdit) or item is None:
            return False
        if item.sort == "line" and any(part.name == "what it does" and part.form == ("Let",) for part in item.parts):
            return True
        if item.sort in _HELPER_SORTS:
            return not (item.title and any(outline_item.sort in {"modifier", "row"} for outline_item in item.items))
        return False

    def _has_new_documents(self) -> bool:
        """Whether the documents were replaced, so that hardly any clause has its old id."""
        unchanged_count = sum(old == new for old, new in self._clauses.successors.items())
        return 2 * unchanged_count < len(self._clauses.old)

    def _is_minor_edit(self, number: int) -> bool:
        """Whether an edit is in a helper or line that no clause of a new document cites."""
        edit, item = self._edits[number], self._edited_item(number)
        around = self._wording.places[0 if isinstance(edit, RemoveEdit) else 1].find_declaration(item)
        if around.sort in {"term", "relation"}:
            return not any(outline_item.cites for outline_item in around.walk_subtree())
        if isinstance(edit, ChangeEdit):  # how a value is written down
            return item.sort == "attribute" and {difference.name for difference in edit.differences} <= {
                "type",
                "start",
            }
        return item.sort in {"line", "key", "branch", "relation", "term"} and isinstance(edit, AddEdit | RemoveEdit)

    def _has_changed_arguments_only(self, edit: ChangeEdit) -> bool:
        was, now = edit.old.text, edit.new.text
        for name in self._edited_signatures:
            was, now = (re.sub(rf"\b{re.escape(name)}\([^()]*\)", name, item) for item in (was, now))
        return bool(was) and was == now and edit.old.text != edit.new.text

    def _is_writing_removed_only(self, item: OutlineItem) -> bool:
        """Whether lines only set attributes that the new revision does not have."""
        lines = [
            outline_item
            for outline_item in item.walk_subtree()
            if outline_item.sort == "line" and not outline_item.items
        ]
        return bool(lines) and all(map(self._is_removed_attribute_write, lines))

    def _is_removed_attribute_write(self, line: OutlineItem) -> bool:
        parts_by_name = {part.name: part for part in line.parts}
        if "what is changed" not in parts_by_name or parts_by_name["what it does"].form != ("Assign",):
            return False
        written = [
            declared_name
            for declared_name in parts_by_name["what is changed"].form
            if isinstance(declared_name, DeclaredName) and declared_name.sort == "attribute"
        ]
        return bool(written) and not any(declared_name in self._names for declared_name in written)

    def _coded_rows(self, numbers: Sequence[int]) -> Iterator[UnrankedRow]:
        remaining = list(numbers)
        standalone = [
            item
            for item in remaining
            if not isinstance(self._edits[item], MoveEdit) or self._wording.changes_block(self._edits[item])
        ]
        for wrap in find_block_wraps(self._edits, standalone):
            remaining = [item for item in remaining if item not in wrap.edits]
            yield self._make_wrap_row(wrap)
        for removed, added in self._pair_exchanged_lines(remaining):
            remaining.remove(removed)
            remaining.remove(added)
            old, new = self._edited_item(removed), self._edited_item(added)
            yield self._make_unranked_row(CHANGED, new, 1, self._wording.describe_exchange(old, new), (removed, added))
        for number in remaining:
            yield self._make_single_row(number)

    def _make_wrap_row(self, wrap: BlockWrap) -> UnrankedRow:
        was, now = (
            None if item is None else block_head(self._edited_item(item))
            for item in (wrap.removed_block, wrap.added_block)
        )
        lines = [self._edited_item(item) for item in wrap.moved]
        halves = self._wording.describe_wrap(was, now, lines)
        return self._make_unranked_row(CHANGED, lines[0], 1, halves, wrap.edits)

    def _edited_item(self, number: int) -> OutlineItem:
        result = self._edits[number].item
        assert result is not None
        return result

    def _pair_exchanged_lines(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for number in numbers:
            edit = self._edits[number]
            item = edit.item if isinstance(edit, AddEdit | RemoveEdit) else None
            if item is not None and item.sort == "line" and not item.items:
                pair = groups.setdefault((self._rendered_edits[number].group, item.sort), ([], []))
                pair[isinstance(edit, AddEdit)].append(number)
        yield from ((removed[0], added[0]) for removed, added in groups.values() if len(removed) == len(added) == 1)

    def _make_single_row(self, number: int) -> UnrankedRow:
        edit, item = self._edits[number], self._edited_item(number)
        side = 0 if isinstance(edit, RemoveEdit) else 1
        if isinstance(edit, AddEdit | RemoveEdit) and (item.sort in _ACTION_SORTS or item.name is not None):
            body = self._wording.describe_body(item, side)
            return self._make_unranked_row(
                *((NEW, item, 1, BeforeAfter("", body)) if side else (GONE, item, 0, BeforeAfter(body, ""))), (number,)
            )
        if isinstance(edit, MoveEdit) and item.sort == "word":
            old, new = (
                places.find_declaration(word)
                for places, word in zip(self._wording.places, (edit.old, edit.new), strict=True)
            )
            halves = describe_word_order(old, new)
            return self._make_unranked_row(CHANGED, new, 1, halves, (number,))
        if isinstance(edit, ChangeEdit) and [difference.name for difference in edit.differences] == ["cells"]:
            item = self._wording.places[1].find_declaration(item)  # the line of a table stands for all its columns
        return self._make_unranked_row(CHANGED, item, side, self._wording.describe_edit(edit), (number,))

    def _make_unranked_row(
        self, kind: str, item: OutlineItem, side: int, halves: BeforeAfter, edits: tuple[int, ...]
    ) -> UnrankedRow:
        cites = (
            self._margins[side].find_clauses_inside(item) if kind != CHANGED else self._margins[side].find_clauses(item)
        )
        clauses = (cites, ()) if side == 0 else ((), cites)
        name = self._title_item(item, side)
        printed = replace(halves, was=print_minus_signs(halves.was), now=print_minus_signs(halves.now))
        row = ChangeRow(kind, name, printed, (), clauses, edits)
        last = len(self._order)
        return UnrankedRow(
            row, self._order.get(cites[0], last) if cites else last, is_direct=True, has_clause_sentence=False
        )
