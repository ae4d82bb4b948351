"""Edit script between two outlines: edit types, move detection, and the section of each edit."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import ClassVar

from rulewright.base.frozen import dataclass
from rulewright.diff.item_matching import (
    REMARK_SORTS,
    ItemMatch,
    ItemPair,
    UnmatchedNew,
    UnmatchedOld,
    is_reversed_matching,
    match_outlines,
    measure_similarity,
    translate_names,
)
from rulewright.diff.rename_detection import detect_renames
from rulewright.program.outline.items import DeclaredName, ItemPart, Outline, OutlineItem


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Correspondence of names and addresses, from an old revision to a new one."""

    # old names to new names, unchanged ones included; removed ones are missing
    names: Mapping[DeclaredName, DeclaredName]
    addresses: Mapping[str, str]  # old to new addresses of matched steps, lines, rows and options

    def find_new_name(self, sort: str, name: str) -> str | None:
        """New name; None where it was removed."""
        declared_name = self.names.get(DeclaredName(sort, name))
        return None if declared_name is None else declared_name.name

    def invert_direction(self) -> "Correspondence":
        return Correspondence(
            {new: old for old, new in self.names.items()}, {new: old for old, new in self.addresses.items()}
        )


@dataclass(frozen=True, slots=True)
class PartDifference:
    """Part of an item that differs; None on the side that lacks it."""

    name: str
    was: ItemPart | None
    now: ItemPart | None


@dataclass(frozen=True, slots=True)
class AddEdit:
    """Addition of an item with everything inside it."""

    kind: ClassVar = "added"
    section: ClassVar = "rules"
    is_whole: ClassVar = True
    tone: ClassVar = "new"
    old: ClassVar[None] = None
    new: OutlineItem

    @property
    def item(self) -> OutlineItem:
        return self.new


@dataclass(frozen=True, slots=True)
class RemoveEdit:
    """Removal of an item with everything inside it."""

    kind: ClassVar = "removed"
    section: ClassVar = "rules"
    is_whole: ClassVar = True
    tone: ClassVar = "gone"
    old: OutlineItem
    new: ClassVar[None] = None

    @property
    def item(self) -> OutlineItem:
        return self.old


@dataclass(frozen=True, slots=True)
class MoveEdit:
    """Move of an item whose place counts."""

    kind: ClassVar = "moved"
    section: ClassVar = "rules"
    is_whole: ClassVar = True
    tone: ClassVar = "changed"
    old: OutlineItem
    new: OutlineItem

    @property
    def item(self) -> OutlineItem:
        return self.new


@dataclass(frozen=True, slots=True)
class ChangeEdit:
    """Change of the parts of an item itself; items inside it have edits of their own."""

    kind: ClassVar = "changed"
    section: ClassVar = "rules"
    is_whole: ClassVar = False
    tone: ClassVar = "changed"
    old: OutlineItem
    new: OutlineItem
    differences: tuple[PartDifference, ...]

    @property
    def item(self) -> OutlineItem:
        return self.new


@dataclass(frozen=True, slots=True)
class RenameEdit:
    """New name of an item: a step renumbered, a word, attribute or procedure renamed."""

    kind: ClassVar = "renamed"
    section: ClassVar = "names"
    is_whole: ClassVar = False
    tone: ClassVar = "same"
    old: OutlineItem
    new: OutlineItem

    @property
    def item(self) -> OutlineItem:
        return self.new


@dataclass(frozen=True, slots=True)
class RelabelEdit:
    """New name that is no declaration: of a variable, which nobody else can see, or the plural of a kind."""

    kind: ClassVar = "relabelled"
    section: ClassVar = "names"
    is_whole: ClassVar = False
    tone: ClassVar = "same"
    old: ClassVar[None] = None
    new: ClassVar[None] = None
    item: ClassVar[None] = None
    old_name: DeclaredName
    new_name: DeclaredName


@dataclass(frozen=True, slots=True)
class RewordEdit:
    """New title, prompt or reason of an item."""

    kind: ClassVar = "reworded"
    section: ClassVar = "wording"
    is_whole: ClassVar = False
    tone: ClassVar = "same"
    old: OutlineItem
    new: OutlineItem

    @property
    def item(self) -> OutlineItem:
        return self.new


@dataclass(frozen=True, slots=True)
class ClauseEdit:
    """Other clauses cited in the margin of an item."""

    kind: ClassVar = "recited"
    section: ClassVar = "margins"
    is_whole: ClassVar = False
    tone: ClassVar = "same"
    old: OutlineItem
    new: OutlineItem
    removed_clauses: tuple[str, ...]
    added_clauses: tuple[str, ...]

    @property
    def item(self) -> OutlineItem:
        return self.new


Edit = AddEdit | RemoveEdit | MoveEdit | ChangeEdit | RenameEdit | RelabelEdit | RewordEdit | ClauseEdit
"""Kinds of edits. Each says of itself:

kind: its word in reports and in JSON.
section: key of `EDIT_SECTIONS`; a declaration or remark has another one (`find_edit_section`).
is_whole: whether it concerns everything inside the item too.
tone: `new`, `gone`, `changed` or `same`, for the colours of lines and charts.
old, new, item: the item in both revisions, and in the last that has it; None where there is none.
"""


def is_rule_edit(edit: Edit) -> bool:
    """Whether an edit may change play: not a name, a title, a cited clause, a remark."""
    return edit.section == "rules" and edit.item is not None and edit.item.sort not in REMARK_SORTS


EDIT_SECTIONS = {
    "rules": "what may change play",
    "rewritten": "rules written differently, play proved the same",
    "declarations": "what there is to speak of, which counts where rules mention it",
    "names": "what only has another name",
    "wording": "titles, questions and reasons",
    "margins": "clauses cited in margins",
    "remarks": "rulings, and clauses answered for without a rule",
}
"""Sections of edits with their meanings."""

IMPLIED_SECTION = "implied"
"""Section of edits that others imply; not shown."""

SECTION_TITLES = {"rewritten": "Written differently, play proved the same"}
"""Titles of sections that differ from their key."""

_VOCABULARY_SORTS = frozenset(
    "values die kind record part board attribute cell side field setting relation event measure".split()  # noqa: SIM905
)


def find_edit_section(edit: Edit) -> str:
    """Section of an edit, by its kind and the sort of its item."""
    item = edit.item
    is_one_sided = isinstance(edit, AddEdit | RemoveEdit)
    if item is not None and (item.sort in REMARK_SORTS or (is_one_sided and _has_only_remarks(item))):
        return "remarks"
    return "declarations" if is_one_sided and item is not None and _is_vocabulary(item) else edit.section


def _has_only_remarks(item: OutlineItem) -> bool:
    return bool(item.items) and all(
        outline_item.sort in REMARK_SORTS or _has_only_remarks(outline_item) for outline_item in item.items
    )


def _is_vocabulary(item: OutlineItem) -> bool:
    """Whether an item only declares what exists; a derived attribute is a rule."""
    if item.name is None or item.name.sort not in _VOCABULARY_SORTS:
        return False
    return item.name.sort != "attribute" or any(part.name == "type" for part in item.parts)


_MIN_IDENTIFYING_TOKENS = 4
_MIN_MOVE_SIMILARITY = 0.4


DiffInside = Callable[[OutlineItem, OutlineItem], Iterator[Edit]]
"""Edits of two matched items, with all inside them."""


def replace_by_moves(
    edits: Sequence[Edit], names: Mapping[DeclaredName, DeclaredName], inside: DiffInside, *, turned: bool
) -> Iterator[Edit]:
    """Edits with moves in place of matching removals and additions, each after the edit of what it moved into.

    A move is followed by the edits of what changed on the way.
    """
    lost = [remove_edit.old for remove_edit in edits if isinstance(remove_edit, RemoveEdit)]
    result = [add_edit.new for add_edit in edits if isinstance(add_edit, AddEdit)]
    moved = {id(move.new): move for move in _find_moves(lost, result, names, turned=turned)}
    moved_ids = {id(move.old) for move in moved.values()}
    for edit in edits:
        if not isinstance(edit, AddEdit):
            if not (isinstance(edit, RemoveEdit) and id(edit.old) in moved_ids):
                yield edit
            continue
        if id(edit.new) not in moved:
            yield edit
        for move in (moved[id(outline_item)] for outline_item in edit.new.walk_subtree() if id(outline_item) in moved):
            yield move
            yield from inside(move.old, move.new)


def _find_moves(
    lost: Sequence[OutlineItem],
    added: Sequence[OutlineItem],
    names: Mapping[DeclaredName, DeclaredName],
    *,
    turned: bool,
) -> Iterator[MoveEdit]:
    """Moves; searched in one canonical direction, so that both directions of a comparison find the same."""
    if turned:
        back = {new: old for old, new in names.items()}
        yield from (MoveEdit(old, new) for new, old in _MoveFinder(back, added).find_moves_into(lost))
    else:
        yield from (MoveEdit(old, new) for old, new in _MoveFinder(names, lost).find_moves_into(added))


class _MoveFinder:
    def __init__(self, names: Mapping[DeclaredName, DeclaredName], sources: Sequence[OutlineItem]) -> None:
        self._names = names
        self._numbers: dict[object, int] = {}  # by form and numbers of what is inside: equal items have one number
        self._sources = list(self._number_items(sources, names))
        self._used_ids: set[int] = set()

    def _number_items(
        self, items: Iterable[OutlineItem], names: Mapping[DeclaredName, DeclaredName]
    ) -> list[tuple[OutlineItem, int]]:
        """Items with all inside them, each before what is inside it, and their numbers."""
        result: list[tuple[OutlineItem, int]] = []
        for item in items:
            inside = self._number_items(item.items, names)
            own = {id(each): number for each, number in inside}
            key = translate_names(item.form, names), tuple(own[id(each)] for each in item.items)
            result += [(item, self._numbers.setdefault(key, len(self._numbers))), *inside]
        return result

    def find_moves_into(self, goals: Sequence[OutlineItem]) -> Iterator[tuple[OutlineItem, OutlineItem]]:
        every = self._number_items(goals, {})
        numbers = {id(goal): number for goal, number in every if _is_identifying(goal)}
        yield from self._search_goals(goals, numbers, frozenset(numbers.values()))

    def _search_goals(
        self, goals: Sequence[OutlineItem], numbers: Mapping[int, int], every: frozenset[int]
    ) -> Iterator[tuple[OutlineItem, OutlineItem]]:
        for goal in goals:
            result = self._find_move_source(goal, numbers.get(id(goal)), every)
            if result is None:
                yield from self._search_goals(goal.items, numbers, every)
            else:
                self._used_ids.update(id(outline_item) for outline_item in result.walk_subtree())
                yield result, goal

    def _find_move_source(self, goal: OutlineItem, number: int | None, every: frozenset[int]) -> OutlineItem | None:
        """Item that says the same, else the likely one, if no other item says the same."""
        if goal.name is not None or goal.sort in REMARK_SORTS:
            return None
        unused = [source for source in self._sources if id(source[0]) not in self._used_ids]
        same = next((source for source, each in unused if each == number), None)
        return same or next(
            (source for source, each in unused if each not in every and self._is_likely_source(source, goal)), None
        )

    def _is_likely_source(self, source: OutlineItem, goal: OutlineItem) -> bool:
        """Whether an item has the same name in the same declaration, or holds equal lines, and says much of it."""
        named = bool(goal.id) and (source.sort, source.id) == (goal.sort, goal.id)
        named = named and self._translate_owner(source) == _owner_address(goal)
        holding = (
            len(goal.form) > _MIN_IDENTIFYING_TOKENS
            and bool(source.items)
            and translate_names(source.form, self._names) == goal.form
        )
        return (named or holding) and measure_similarity(source, goal, self._names) >= _MIN_MOVE_SIMILARITY

    def _translate_owner(self, source: OutlineItem) -> str:
        owner = _owner_address(source)
        name = self._names.get(DeclaredName("procedure", owner))
        return name.name if name else owner


def _owner_address(item: OutlineItem) -> str:
    return item.address.partition("/")[0]


def _is_identifying(item: OutlineItem) -> bool:
    """Whether an item says enough to be recognized."""
    return len(item.form) > _MIN_IDENTIFYING_TOKENS or bool(item.items)


@dataclass(frozen=True, slots=True)
class StructuralDiff:
    """Correspondence of two revisions, and the edit script in the order of the new text."""

    correspondence: Correspondence
    edits: tuple[Edit, ...]


def diff_outlines(old: Outline, new: Outline) -> StructuralDiff:
    """Structural diff of two outlines: renames, then matching of items, then moves."""
    turned = is_reversed_matching(old, new)
    names = {one: other for other, one in detect_renames(new, old).items()} if turned else detect_renames(old, new)
    matches = match_outlines(old, new, names, turned=turned)
    names |= {pair.old.name: pair.new.name for pair in iterate_item_pairs(matches) if pair.old.name and pair.new.name}
    edits = _collect_edits(matches, names, turned=turned)
    moves = sorted(
        (move_edit for move_edit in edits if isinstance(move_edit, MoveEdit)),
        key=lambda move_edit: _move_sort_key(move_edit, turned=turned),
    )
    moved = chain.from_iterable(
        match_outlines(Outline((move.old,)), Outline((move.new,)), names, turned=turned) for move in moves
    )
    called = (
        (one, other)
        for one, other in names.items()
        if one.sort in {"local", "plural"} and one.short_name != other.short_name
    )
    labels = (RelabelEdit(one, other) for one, other in called)
    return StructuralDiff(Correspondence(names, _map_addresses((*matches, *moved))), (*labels, *edits))


def _move_sort_key(edit: MoveEdit, *, turned: bool) -> tuple[object, ...]:
    """Order of moves that is the same in both directions."""
    old, new = (
        (outline_item.address, outline_item.span.source, outline_item.span.start)
        for outline_item in (edit.old, edit.new)
    )
    return (*new, *old) if turned else (*old, *new)


def _map_addresses(matches: tuple[ItemMatch, ...]) -> dict[str, str]:
    """New addresses by old ones; of items that share an address, that of the outer one."""
    result: dict[str, str] = {}
    used: set[str] = set()
    for pair in iterate_item_pairs(matches):
        old, new = pair.old.address, pair.new.address
        if old and old not in result and new not in used:
            result[old] = new
            used.add(new)
    return result


def _collect_edits(
    matches: tuple[ItemMatch, ...], names: Mapping[DeclaredName, DeclaredName], *, turned: bool
) -> tuple[Edit, ...]:
    nothing = (frozenset[str](), frozenset[str]())

    def diff_inside(old: OutlineItem, new: OutlineItem) -> Iterator[Edit]:
        (result,) = match_outlines(Outline((old,)), Outline((new,)), names, turned=turned)
        yield from _edits_of_match(result, names, nothing)

    edits = list(chain.from_iterable(_edits_of_match(match_, names, nothing) for match_ in matches))
    return tuple(replace_by_moves(edits, names, diff_inside, turned=turned))


def iterate_item_pairs(matches: tuple[ItemMatch, ...]) -> Iterator[ItemPair]:
    """All pairs, with those inside them."""
    for match_ in matches:
        if isinstance(match_, ItemPair):
            yield match_
            yield from iterate_item_pairs(match_.inside)


_ChangedClauses = tuple[frozenset[str], frozenset[str]]


def _edits_of_match(
    item_match: ItemMatch, names: Mapping[DeclaredName, DeclaredName], around: _ChangedClauses
) -> Iterator[Edit]:
    match item_match:
        case UnmatchedOld(item):
            yield RemoveEdit(item)
        case UnmatchedNew(item):
            yield AddEdit(item)
        case ItemPair(old, new, moved, inside):
            if moved:
                yield MoveEdit(old, new)
            if old.id != new.id and not (old.sort == "line" and _is_local_rename(old, new, names)):
                yield RenameEdit(old, new)
            if old.title != new.title:
                yield RewordEdit(old, new)
            lost, fresh = frozenset(old.cites) - frozenset(new.cites), frozenset(new.cites) - frozenset(old.cites)
            if lost - around[0] or fresh - around[1]:
                yield ClauseEdit(old, new, tuple(sorted(lost - around[0])), tuple(sorted(fresh - around[1])))
            differences = tuple(_diff_item_parts(old, new, names))
            if differences:
                yield ChangeEdit(old, new, differences)
            for each in inside:
                yield from _edits_of_match(each, names, (lost, fresh))


def _is_local_rename(old: OutlineItem, new: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> bool:
    return any(
        before.sort == "local" and before.short_name == old.id and after.short_name == new.id
        for before, after in names.items()
    )


def _diff_item_parts(
    old: OutlineItem, new: OutlineItem, names: Mapping[DeclaredName, DeclaredName]
) -> Iterator[PartDifference]:
    before, after = _index_parts(old), _index_parts(new)
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key), after.get(key)
        name = key[0]
        if was is None or now is None or translate_names(was.form, names) != now.form:
            yield PartDifference(name, was, now)


def _index_parts(item: OutlineItem) -> dict[tuple[str, int], ItemPart]:
    counts: Counter[str] = Counter()
    result = {}
    for part in item.parts:
        result[part.name, counts[part.name]] = part
        counts[part.name] += 1
    return result


def find_reused_titles(edits: Sequence[Edit]) -> tuple[RewordEdit, ...]:
    """New titles of words or options that another of the same list had before, as where two were exchanged."""
    reworded = [edit for edit in edits if isinstance(edit, RewordEdit) and edit.new.sort in {"word", "option"}]
    before = {(_list_address(edit), edit.old.title) for edit in reworded}
    return tuple(edit for edit in reworded if edit.new.title and (_list_address(edit), edit.new.title) in before)


def _list_address(edit: RewordEdit) -> str:
    return edit.new.address.rpartition("/")[0]
