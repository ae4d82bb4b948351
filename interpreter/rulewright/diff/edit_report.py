"""Edits rendered for people: section, order, heading, words, lines."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.diff.comparison import RulesetComparison
from rulewright.diff.edit_wording import EditWording
from rulewright.diff.edits import (
    IMPLIED_SECTION,
    AddEdit,
    ChangeEdit,
    Correspondence,
    Edit,
    RelabelEdit,
    RemoveEdit,
    RenameEdit,
    find_edit_section,
)
from rulewright.diff.item_places import ItemPlaces, is_unnamed_line, relocate_removed_item
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem
from rulewright.wording.english import add_colon

_TextPosition = tuple[int, int]
_EditSortKey = tuple[_TextPosition, int, _TextPosition]
_LAST_POSITION = (1 << 30, 0)


def sort_edits_by_text(
    edits: Sequence[Edit], outlines: tuple[Outline, Outline], same: Correspondence, files: tuple[Sequence[str], ...]
) -> tuple[Edit, ...]:
    """Edits in the order of their declarations in the text; those of one declaration keep their order.

    Removed items come after what they followed in the old text; names of variables come last.

    Args:
        edits: to order.
        outlines: of the old revision and of the new one.
        same: correspondence of both.
        files: names of the texts of both, in the order of reading.
    """
    old, new = (_item_positions(outline, names) for outline, names in zip(outlines, files, strict=True))
    tops = {
        id(outline_item): item for outline in outlines for item in outline.items for outline_item in item.walk_subtree()
    }
    here = {item.name: new[id(item)] for item in outlines[1].items if item.name}
    keys: dict[int, _EditSortKey] = {id(item): (new[id(item)], 0, _LAST_POSITION) for item in outlines[1].items}
    before = (-1, 0)
    for item in sorted(outlines[0].items, key=lambda outline_item: old[id(outline_item)]):
        now = same.names.get(item.name) if item.name else None
        before = here.get(now, before) if now else before
        keys[id(item)] = (before, 0 if now in here else 1, old[id(item)])
    return tuple(sorted(edits, key=lambda edit: _edit_sort_key(edit, tops, keys)))


def _edit_sort_key(edit: Edit, tops: Mapping[int, OutlineItem], keys: Mapping[int, _EditSortKey]) -> _EditSortKey:
    if isinstance(edit, RelabelEdit):
        return _LAST_POSITION, 0, _LAST_POSITION
    return keys[id(tops[id(edit.old if isinstance(edit, RemoveEdit) else edit.new)])]


def _item_positions(outline: Outline, files: Sequence[str]) -> Mapping[int, _TextPosition]:
    numbers = {name: number for number, name in enumerate(files)}
    return {id(item): (numbers.get(item.span.source, len(files)), item.span.start) for item in outline.items}


def find_implied_edits(edits: Sequence[Edit]) -> frozenset[int]:
    """Identities of edits that others tell: of word lists told with a setting, of calls that follow a changed default."""
    implied = {(edit.kind, name) for edit in edits for name in _find_setting_lists(edit)}
    return frozenset(
        id(edit)
        for edit in edits
        if (isinstance(edit, AddEdit | RemoveEdit) and (edit.kind, edit.item.name) in implied)
        or _is_default_argument_edit(edit)
    )


def _find_setting_lists(edit: Edit) -> Iterator[DeclaredName]:
    item = edit.item
    for part in item.parts if item is not None and item.sort == "setting" else ():
        if part.name == "type":
            yield from (token for token in part.form if isinstance(token, DeclaredName) and token.sort == "values")


def _is_default_argument_edit(edit: Edit) -> bool:
    if not isinstance(edit, ChangeEdit) or not edit.new.text or edit.old.text != edit.new.text:
        return False
    return {difference.name for difference in edit.differences} == {"arguments"}


@dataclass(frozen=True, slots=True)
class RenderedEdit:
    """Edit in words."""

    section: str  # key of `EDIT_SECTIONS`, or `IMPLIED_SECTION`
    kind: str  # of the edit
    tone: str  # of the edit
    group: str  # enclosing step or declaration, perhaps the edited item itself
    title: str  # of the group; empty if it has none, or titles are what is told
    place: str  # edited item, for people
    lead: str  # words before the text; empty if the text names its place
    lead_in_group: str  # the same below the heading of the group
    text: str  # before and after in one line; code between backticks
    cites: tuple[str, ...]  # clauses of the place, of the new revision if it is in both
    old: Span | None  # whole range if removed or moved; None if added
    new: Span | None  # whole range if added or moved; None if removed
    number: int  # in the comparison

    @property
    def heading(self) -> str:
        """Group with its title."""
        return f'{self.group} "{self.title}"' if self.title else self.group

    def __str__(self) -> str:
        return f"{add_colon(self.lead)} {self.text}" if self.lead else self.text


def render_edits(comparison: RulesetComparison, wording: EditWording) -> tuple[RenderedEdit, ...]:
    """Every edit between two revisions in these words, in the order of the new text."""
    files = tuple(tuple(revision.texts) for revision in comparison.revisions)
    edits = sort_edits_by_text(comparison.edits, comparison.outlines, comparison.correspondence, files)
    implied = find_implied_edits(edits)
    numbers = {id(edit): number for number, edit in enumerate(comparison.edits)}
    renderer = _EditRenderer(comparison, wording)
    return tuple(
        renderer.render_edit(edit, numbers[id(edit)], IMPLIED_SECTION if id(edit) in implied else "") for edit in edits
    )


class _EditRenderer:
    def __init__(self, comparison: RulesetComparison, wording: EditWording) -> None:
        self._comparison = comparison
        self._wording = wording
        self._procedures = {
            item.id for outline in comparison.outlines for item in outline.items if item.sort == "procedure"
        }

    def render_edit(self, edit: Edit, number: int, instead: str) -> RenderedEdit:
        item, places = self._find_shown_item(edit)
        section = instead or find_edit_section(edit)
        if section == "rules" and number in self._comparison.proved_rewrites:
            section = "rewritten"
        place = edit.new_name.owner if isinstance(edit, RelabelEdit) else ""
        if item is not None:
            place = places.name_place(item) if section in {"wording", "margins"} else places.name_edited_place(item)
        group, title = self._find_group(edit, item, place, places)
        title = title if section in _TITLED_SECTIONS else ""
        heading = f'{group} "{title}"' if title else group
        if isinstance(edit, AddEdit | RemoveEdit) and item is not None:
            line = "" if _is_step_or_declaration(item) else places.name_inner_line(item)
            around = heading if "/" in item.address else ""
            head = around if _is_step_or_declaration(item) else ", ".join(filter(None, [heading, line]))
            own = "" if item.sort == "line" or is_unnamed_line(item) else f"{_own_name(item)}{_title_suffix(item)}"
            head, inner = (", ".join(filter(None, (words, own))) for words in (head, line))
        else:
            head, inner = _build_edit_leads(item, place, group, heading, is_titled=section in _TITLED_SECTIONS)
        statement = self._wording.describe_edit(edit)
        text = statement.statement
        if isinstance(edit, AddEdit | RemoveEdit):
            text = f"{edit.kind}: {statement.was or statement.now}".removesuffix(": ")
        whole = isinstance(edit, AddEdit | RemoveEdit)
        cites = () if edit.item is None else _collect_cited_clauses(edit.item) if whole else edit.item.cites
        old, new = (_edit_span(item, whole=edit.is_whole) for item in (edit.old, edit.new))
        return RenderedEdit(
            section, edit.kind, edit.tone, group, title, place, head, inner, text, cites, old, new, number
        )

    def _find_shown_item(self, edit: Edit) -> tuple[OutlineItem | None, ItemPlaces]:
        """Item whose place and names a sentence shows; None for a variable."""
        old, new = self._wording.places
        match edit:
            case RemoveEdit(item):
                now = relocate_removed_item(item, self._comparison.correspondence)
                return (now, new) if now else (item, old)
            case RenameEdit():
                return edit.old, old
            case _:
                return edit.new, new

    def _find_group(self, edit: Edit, item: OutlineItem | None, place: str, places: ItemPlaces) -> tuple[str, str]:
        """Step or declaration to list an edit below, with its title; the procedure for a step of one revision."""
        if item is not None and item.sort == "step" and isinstance(edit, AddEdit | RemoveEdit):
            around = item.address.partition("/")[0]
            return f"procedure {around}", places.titles.get(around, "")
        around = place if item is None or _is_step_or_declaration(item) else places.name_container(item)
        title = places.container_title(item) if item is not None else ""
        return f"procedure {around}" if around in self._procedures else around, title


_TITLED_SECTIONS = frozenset({"rules", "rewritten", "declarations"})


def _collect_cited_clauses(item: OutlineItem) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cite for inside in item.walk_subtree() for cite in inside.cites))


def _is_step_or_declaration(item: OutlineItem) -> bool:
    return item.sort == "step" or "/" not in item.address


def _own_name(item: OutlineItem) -> str:
    return f"{item.sort} {item.id.rpartition('/')[2]}".rstrip()


def _title_suffix(item: OutlineItem) -> str:
    return f' "{item.title}"' if item.title else ""


def _build_edit_leads(
    item: OutlineItem | None, place: str, group: str, heading: str, *, is_titled: bool
) -> tuple[str, str]:
    """Words before the text of an edit that does not name its place: by itself, and below its heading."""
    within = group.removeprefix("procedure ")
    is_within = place.startswith(within)
    inner = _own_name(item) if item is not None else ""
    inner = place.removeprefix(within).lstrip(", .") if is_within else inner
    if not is_titled:
        return place, inner
    suffix = _title_suffix(item) if item is not None and inner else ""
    head = ", ".join(filter(None, [heading, f"{inner}{suffix}"])) if is_within else f"{place}{suffix}"
    return head, f"{inner}{suffix}"


def _edit_span(item: OutlineItem | None, *, whole: bool) -> Span | None:
    """Place of an item, with everything inside it where that was added, removed or moved too."""
    if item is None or not item.span.source:
        return None
    inside = (
        outline_item.span.end for outline_item in item.walk_subtree() if outline_item.span.source == item.span.source
    )
    return Span(item.span.source, item.span.start, max(inside)) if whole else item.span
