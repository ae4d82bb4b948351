"""Edits rendered for people: section, order, heading, words, lines; and outdated addresses in scripts and scenarios."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.diff.comparison import RulesetComparison
from rulewright.diff.edit_wording import (
    EditSentence,
    Phrase,
    PlaceNames,
    describe_edits,
    phrase_text,
    relocate_removed_item,
    title_suffix,
)
from rulewright.diff.edits import (
    IMPLIED_SECTION,
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
    added_or_removed_item,
    edit_sides,
    find_edit_section,
)
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.name_table import RequestAddresses, request_addresses
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem
from rulewright.program.walk import list_step_addresses
from rulewright.scenarios.expectation_schema import named_line_types, row_addresses
from rulewright.wording.flow_chart import ChartEdit, FlowChart, compare_charts, make_chart

_REQUEST_KEYS = ("asked", "asked_of", "offered", "rejects")
_PATH_KEYS = ("path", "passed_over")
_ROW_KEYS = ("applied", "not_applied", "counted", "decided")
_VALUE_KEYS = ("values",)


@dataclass(frozen=True, slots=True)
class OutdatedAddress:
    """Place in a file that names an address."""

    span: Span
    written: str  # text at the place
    old: str  # address meant in the old revision
    new: str  # its new address; empty if removed


class OutdatedAddressFinder:
    """Finder of addresses in scripts and scenarios that mean something else, or nothing, in a new revision."""

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        self._correspondence = same
        self._program_addresses = _ProgramAddresses(old), _ProgramAddresses(new)

    @property
    def is_needed(self) -> bool:
        """Whether any address could read differently."""
        old, new = self._program_addresses
        return any(sort.all != new.addresses_for(name).all for name, sort in old.addresses_by_use.items())

    def find_script_changes(self, node: DocumentNode | None) -> Iterator[OutdatedAddress]:
        """Outdated addresses of a script: the questions that its answers are for."""
        match node:
            case ListNode(items):
                for item in items:
                    at = item.get("at") if isinstance(item, MapNode) and "answer" in item else None
                    yield from self._find_address_change(at, "asked")
            case MapNode(entries):
                for key, _ in entries:
                    yield from self._find_address_change(key, "asked")

    def find_expectation_changes(self, expect: MapNode) -> Iterator[OutdatedAddress]:
        """Outdated addresses in the expectations of a scenario."""
        for sort, keys in {
            "asked": _REQUEST_KEYS,
            "path": _PATH_KEYS,
            "rows": _ROW_KEYS,
            "values": _VALUE_KEYS,
        }.items():
            for key in keys:
                yield from self._find_expected_changes(expect.get(key), sort)

    def _find_expected_changes(self, node: DocumentNode | None, sort: str) -> Iterator[OutdatedAddress]:
        match node:
            case ListNode(items):
                for item in items:
                    yield from self._find_address_change(item.get("at") if isinstance(item, MapNode) else item, sort)
            case MapNode(entries):
                for key, _ in entries:
                    yield from self._find_address_change(key, sort)
            case _:
                yield from self._find_address_change(node, sort)

    def _find_address_change(self, node: DocumentNode | MapKey | None, sort: str) -> Iterator[OutdatedAddress]:
        written = node.text if isinstance(node, MapKey) else node.written if isinstance(node, ScalarNode) else ""
        old, new = (side.addresses_for(sort) for side in self._program_addresses)
        meant = old.resolve(written) if written else None
        if node is None or not isinstance(meant, str):
            return
        now = self._correspondence.addresses.get(meant, "")
        now = now if now in new.all else ""
        if new.resolve(written) != now:
            yield OutdatedAddress(node.span, written, meant, now)

    def is_old_script(self, node: DocumentNode) -> bool:
        """Whether a text can only be a script of the old revision."""
        match node:
            case ListNode(items):
                return any(isinstance(item, MapNode) and "answer" in item for item in items)
            case MapNode(entries):
                known = self._program_addresses[0].addresses_for("asked")
                return bool(entries) and all(isinstance(known.resolve(key.text), str) for key, _ in entries)
            case _:
                return False


def sort_address_changes(changes: Iterable[OutdatedAddress]) -> tuple[OutdatedAddress, ...]:
    """Outdated addresses without duplicates, in the order of files and places."""
    return tuple(
        sorted(
            dict.fromkeys(changes),
            key=lambda outdated_address: (outdated_address.span.source, outdated_address.span.start),
        )
    )


class _ProgramAddresses:
    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def addresses_by_use(self) -> Mapping[str, RequestAddresses]:
        rows = row_addresses(self._program)
        lists = dict.fromkeys(row.rpartition("/")[0] for row in rows)
        return {
            "asked": RequestAddresses(request_addresses(self._program)),
            "path": RequestAddresses(list_step_addresses(self._program)),
            "rows": RequestAddresses((*rows, *lists)),
            "values": RequestAddresses(tuple(named_line_types(self._program))),
        }

    def addresses_for(self, sort: str) -> RequestAddresses:
        return self.addresses_by_use[sort]


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


def find_implied_edits(edits: tuple[Edit, ...]) -> frozenset[int]:
    """Identities of edits that others tell: of word lists told with a setting, of calls that follow a changed default."""
    implied = {(type(edit), name) for edit in edits for name in _find_setting_lists(edit)}
    return frozenset(
        id(item)
        for item in edits
        if (type(item), _find_word_list_name(item)) in implied or _is_default_argument_edit(item)
    )


def _find_setting_lists(edit: Edit) -> Iterator[DeclaredName]:
    item = added_or_removed_item(edit)
    if item is not None and item.sort == "setting":
        tokens = (token for part in item.parts if part.name == "type" for token in part.form)
        yield from (
            declared_name
            for declared_name in tokens
            if isinstance(declared_name, DeclaredName) and declared_name.sort == "values"
        )


def _find_word_list_name(edit: Edit) -> DeclaredName | None:
    item = added_or_removed_item(edit)
    return item.name if item is not None and item.name and item.name.sort == "values" else None


def _is_default_argument_edit(edit: Edit) -> bool:
    if not isinstance(edit, ChangeEdit) or not edit.new.text or edit.old.text != edit.new.text:
        return False
    return {difference.name for difference in edit.differences} == {"arguments"}


EDIT_KINDS = {
    AddEdit: "added",
    RemoveEdit: "removed",
    MoveEdit: "moved",
    ChangeEdit: "changed",
    RenameEdit: "renamed",
    RelabelEdit: "relabelled",
    RewordEdit: "reworded",
    ClauseEdit: "recited",
}


@dataclass(frozen=True, slots=True)
class RenderedEdit:
    """Edit in words."""

    section: str  # key of `EDIT_SECTIONS`, or `IMPLIED_SECTION`
    kind: str  # word of `EDIT_KINDS`
    group: str  # enclosing step or declaration, perhaps the edited item itself
    title: str  # of the group; empty if it has none, or titles are what is told
    place: str  # edited item, for people
    lead: str  # words before the text; empty if the text names its place
    lead_in_group: str  # the same below the heading of the group
    phrase: Phrase  # before and after
    cites: tuple[str, ...]
    old: Span | None  # whole range if removed or moved; None if added
    new: Span | None  # whole range if added or moved; None if removed
    number: int  # in the comparison

    @property
    def text(self) -> str:
        """Text in one line."""
        return phrase_text(self.phrase)

    @property
    def heading(self) -> str:
        """Group with its title."""
        return f'{self.group} "{self.title}"' if self.title else self.group

    def __str__(self) -> str:
        return f"{self.lead}: {self.text}" if self.lead else self.text


def render_edits(comparison: RulesetComparison, files: tuple[Sequence[str], Sequence[str]]) -> tuple[RenderedEdit, ...]:
    """Every edit between two revisions, in the order of the new text; `files` are the names of the texts of both."""
    before, after = comparison.outlines
    same = comparison.correspondence
    edits = sort_edits_by_text(comparison.edits, comparison.outlines, same, files)
    quiet = find_implied_edits(edits)
    procedures = {item.id for outline in (before, after) for item in outline.items if item.sort == "procedure"}
    numbers = {id(each): number for number, each in enumerate(comparison.edits)}
    teller = _EditRenderer(comparison, PlaceNames(before), PlaceNames(after), procedures, numbers)
    return tuple(
        teller.render_edit(edit, sentence, IMPLIED_SECTION if id(edit) in quiet else "")
        for edit, sentence in describe_edits(edits, before, after, same)
    )


@dataclass(frozen=True, slots=True)
class _EditRenderer:
    comparison: RulesetComparison
    old: PlaceNames
    new: PlaceNames
    procedures: set[str]
    numbers: Mapping[int, int]

    def render_edit(self, edit: Edit, sentence: EditSentence, instead: str) -> RenderedEdit:
        item, places = self._find_shown_item(edit)
        section, place = instead or find_edit_section(edit, item), sentence.place
        if section == "rules" and self.numbers[id(edit)] in self.comparison.proved_rewrites:
            section = "rewritten"
        group, title = self._find_group(edit, item, place, places)
        title = title if section in _TITLED_SECTIONS else ""
        heading = f'{group} "{title}"' if title else group
        if isinstance(edit, AddEdit | RemoveEdit) and item is not None:
            line = "" if _is_step_or_declaration(item) else places.name_inner_line(item)
            around = heading if "/" in item.address else ""
            head, inner = (around if _is_step_or_declaration(item) else ", ".join(filter(None, [heading, line]))), line
        else:
            head, inner = _build_edit_leads(item, place, group, heading, is_titled=section in _TITLED_SECTIONS)
        whole = isinstance(edit, AddEdit | RemoveEdit | MoveEdit)
        old, new = (_edit_span(item, whole=whole) for item in edit_sides(edit))
        sort, number = EDIT_KINDS[type(edit)], self.numbers[id(edit)]
        return RenderedEdit(
            section, sort, group, title, place, head, inner, sentence.phrase, sentence.cites, old, new, number
        )

    def _find_shown_item(self, edit: Edit) -> tuple[OutlineItem | None, PlaceNames]:
        """Item whose place and names a sentence shows; None for a variable."""
        match edit:
            case RelabelEdit():
                return None, self.new
            case RemoveEdit(old):
                now = relocate_removed_item(old, self.comparison.correspondence)
                return (now, self.new) if now else (old, self.old)
            case RenameEdit(old):
                return old, self.old
            case _:
                return edit.new, self.new

    def _find_group(self, edit: Edit, item: OutlineItem | None, place: str, places: PlaceNames) -> tuple[str, str]:
        """Step or declaration to list an edit below, with its title; the procedure for a step of one revision."""
        if item is not None and item.sort == "step" and isinstance(edit, AddEdit | RemoveEdit):
            around = item.address.partition("/")[0]
            return f"procedure {around}", places.titles.get(around, "")
        around = place if item is None or _is_step_or_declaration(item) else places.name_container(item)
        title = places.container_title(item) if item is not None else ""
        return f"procedure {around}" if around in self.procedures else around, title


_TITLED_SECTIONS = frozenset({"rules", "rewritten", "declarations"})


def _is_step_or_declaration(item: OutlineItem) -> bool:
    return item.sort == "step" or "/" not in item.address


def _build_edit_leads(
    item: OutlineItem | None, place: str, group: str, heading: str, *, is_titled: bool
) -> tuple[str, str]:
    """Words before the text of an edit that does not name its place: by itself, and below its heading."""
    within = group.removeprefix("procedure ")
    is_within = place.startswith(within)
    inner = f"{item.sort} {item.id.rpartition('/')[2]}" if item is not None else ""
    inner = place.removeprefix(within).lstrip(", .") if is_within else inner
    if not is_titled:
        return place, inner
    suffix = title_suffix(item) if item is not None and inner else ""
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


_CHART_MARKS = {"rules": "changed", "rewritten": "same", "names": "same", "wording": "same"}


def build_comparison_chart(
    name: str, programs: tuple[Program, Program], comparison: RulesetComparison, rendered_edits: Sequence[RenderedEdit]
) -> FlowChart | None:
    """Flow chart of a procedure with its edits marked; the new one where both revisions have it; None where neither has.

    Args:
        name: of the procedure in the new revision, else in the old one.
        programs: the old revision and the new one.
        comparison: of both.
        rendered_edits: edits in words.
    """
    old, new = programs
    same = comparison.correspondence
    if name not in new.procedures:
        name = same.find_new_name("procedure", name) or name
    before = same.invert_direction().find_new_name("procedure", name) if name in new.procedures else name
    charts = [
        make_chart(program.procedures[item], program) if item in program.procedures else None
        for item, program in ((before or "", old), (name, new))
    ]
    drawn = charts[1] or charts[0]
    if drawn is None:
        return None
    nothing = replace(drawn, boxes=())
    touched = {
        id(rendered_edit): chart_edit
        for rendered_edit in rendered_edits
        for chart_edit in _mark_edit(rendered_edit, comparison)
    }
    inside = [
        chart_edit
        for chart_edit in touched.values()
        if _is_in_procedure(chart_edit.old, before or "") or _is_in_procedure(chart_edit.new, name)
    ]
    merged_chart = compare_charts(charts[0] or nothing, charts[1] or nothing, same.addresses, inside)
    elsewhere = sum(rendered_edit.section == "rules" for rendered_edit in rendered_edits) - sum(
        rendered_edit.section == "rules" and touched.get(id(rendered_edit)) in inside
        for rendered_edit in rendered_edits
    )
    return replace(merged_chart, remarks=tuple(_chart_remarks(old, new, elsewhere)))


def _mark_edit(each: RenderedEdit, comparison: RulesetComparison) -> Iterator[ChartEdit]:
    if each.section not in _CHART_MARKS:
        return
    edit = comparison.edits[each.number]
    old, new = edit_sides(edit)
    sort = {AddEdit: "new", RemoveEdit: "gone"}.get(type(edit), _CHART_MARKS[each.section])
    text = f"{each.lead_in_group}: {each.text}" if each.lead_in_group else each.text
    places = (old.span if old else None), (new.span if new else None)
    yield ChartEdit(sort, _item_addresses(old), _item_addresses(new), places, text.replace("`", ""))


def _item_addresses(item: OutlineItem | None) -> tuple[str, ...]:
    return (
        tuple(dict.fromkeys(outline_item.address for outline_item in item.walk_subtree())) if item is not None else ()
    )


def _is_in_procedure(addresses: Sequence[str], procedure: str) -> bool:
    return bool(addresses) and addresses[0].partition("/")[0] == procedure


def _chart_remarks(old: Program, new: Program, elsewhere: int) -> Iterator[str]:
    if old.revision != new.revision:
        yield f"revision {old.revision} → {new.revision}"
    if elsewhere:
        one = "1 edit of a rule stands" if elsewhere == 1 else f"{elsewhere} edits of rules stand"
        yield f"{one} outside this procedure; `rulewright diff` shows all".replace("`", "")
