"""Looks of marks, notes as text, and the chart of a procedure with differences to another revision."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.wording.chapter.english import first_lower, first_upper
from rulewright.wording.flow_chart import END_ID, NO_MARK, ChartBox, ChartMark, ChartNote, FlowChart

NOTE_SIGNS = {
    "only": "◇",
    "choice": "◆",
    "roll": "⚄",
    "decide": "=",
    "call": "▸",
    "event": "✦",
    "change": "±",
    "jump": "→",
}
"""Sign before a note, by its sort."""
_MIN_SHARED_CONDITION_LETTERS = 24
"""Letters of a condition from which on it is not repeated."""
_COMPARISON_LEGEND = (
    ("new", "new"),
    ("changed", "changed, with what it was"),
    ("gone", "gone"),
    ("same", "only named, worded or written differently"),
)


@dataclass(frozen=True, slots=True)
class MarkLook:
    """Colour and sign of a mark."""

    fill: str = "white"
    sign: str = ""
    dash: str = ""
    weight: float = 1
    is_struck: bool = False


PLAIN_LOOK = MarkLook()
"""Look without a mark."""

LOOKS_BY_MARK = {
    "full": MarkLook("#dff5e1", "●"),
    "part": MarkLook("#fff3c4", "◐", weight=2),
    "none": MarkLook("#ffd9d6", "○", dash="6 4", weight=1.5),
    "left": MarkLook("#e9e9ef", "·", dash="2 3"),
    "new": MarkLook("#dff5e1", "+", weight=3),
    "changed": MarkLook("#fff3c4", "~", weight=2),
    "gone": MarkLook("#ffd9d6", "✕", dash="6 4", is_struck=True),
    "same": MarkLook("#e9e9ef", "≈"),
}
"""By sort of mark."""


def render_note(note: ChartNote, made: FlowChart, before: ChartNote | None = None) -> str:
    """Text of a note without backticks, as a drawing has one font.

    Conditions shared with `before`, the note above, are omitted.
    """
    if note.sort == "only":
        return f"Only if {note.text}".replace("`", "")
    what = f"go to {made.box_reference(note.target)}" if note.target else note.text
    if not note.condition:
        return first_upper(what.replace("`", ""))
    is_under = before is not None and _shares_condition(note, before)
    when = f"…{note.condition.removeprefix(before.condition)}" if before and is_under else first_upper(note.condition)
    what = what if note.sort == "decide" else first_lower(what)
    return f"{when}{' ' if when == '…' else ': '}{what}".replace("`", "")


def _shares_condition(note: ChartNote, before: ChartNote) -> bool:
    is_part = note.condition.startswith(before.condition) and note.condition[len(before.condition) :][:1] in {"", ","}
    return (
        len(before.condition) > _MIN_SHARED_CONDITION_LETTERS
        and is_part
        and note.enclosing_spans[: len(before.enclosing_spans)] == before.enclosing_spans
    )


def render_box_notes(box: ChartBox, made: FlowChart) -> Iterator[tuple[ChartNote, str]]:
    """Notes of a box with their texts."""
    for before, note in zip((None, *box.notes), box.notes, strict=False):
        yield note, render_note(note, made, before)


@dataclass(frozen=True, slots=True)
class ChartEdit:
    """An edit between two revisions: addresses of what it is about, its own first, and its places."""

    sort: str  # `new`, `gone`, `changed` or `same`
    old: tuple[str, ...]  # addresses, with all removed parts; empty if new
    new: tuple[str, ...]  # addresses, with all added parts; empty if gone
    places: tuple[Span | None, Span | None]  # old and new
    description: str


def compare_charts(old: FlowChart, new: FlowChart, same: Mapping[str, str], edits: Sequence[ChartEdit]) -> FlowChart:
    """The new chart with all differences marked, and removed parts of the old one in place.

    A missing procedure has a chart without boxes; `same` maps old addresses to new ones.
    """
    return replace(new, boxes=tuple(_ChartComparison(old, new, same, edits).merge_boxes()), legend=_COMPARISON_LEGEND)


_NoteKey = tuple[str, bool]


def _note_key(note: ChartNote) -> _NoteKey:
    """A step and its condition share an address."""
    return note.address, note.sort == "only"


class _ChartComparison:
    def __init__(self, old: FlowChart, new: FlowChart, same: Mapping[str, str], edits: Sequence[ChartEdit]) -> None:
        self._old, self._new, self._edits = old, new, edits
        self._new_addresses = dict(same)
        if old.boxes and new.boxes and not old.boxes[0].id and not new.boxes[0].id:
            self._new_addresses[old.boxes[0].address] = new.boxes[0].address
        self._new_notes = {_note_key(note): note for box in new.boxes for note in box.notes if note.address}
        self._old_notes = {_note_key(note): note for box in old.boxes for note in box.notes if note.address}
        self._partners = {
            key: partner
            for address, is_only in self._old_notes
            if (key := (self._new_addresses.get(address, ""), is_only)) in self._new_notes
            for partner in [self._old_notes[address, is_only]]
        }
        self._old_boxes = {
            self._new_addresses[box.address]: box for box in old.boxes if box.address in self._new_addresses
        }
        self._note_addresses = {note.address for note in (*self._new_notes.values(), *self._old_notes.values())}
        self._box_addresses = {box.address for chart in (old, new) for box in chart.boxes}
        self._shown_edits = {id(edit) for edit in edits if self._is_edit_shown(edit)}

    def _is_edit_shown(self, edit: ChartEdit) -> bool:
        """Whether a note or box that is new or gone, or a note in both, shows an edit."""
        alone = {"new": edit.new, "gone": edit.old}.get(edit.sort, ())
        if any(item in self._note_addresses or item in self._box_addresses for item in alone):
            return True
        return any(
            edit in self._find_note_edits(note, self._partners.get(_note_key(note)))
            for note in self._new_notes.values()
        )

    def _find_nearest_shown(self, addresses: Sequence[str]) -> str:
        """Nearest address whose note or box can show an edit; empty for parts of one revision."""
        address = addresses[0] if addresses else ""
        while address and address not in self._note_addresses and address not in self._box_addresses:
            address = address.rpartition("/")[0]
        return address

    def merge_boxes(self) -> Iterator[ChartBox]:
        """A removed box follows its former predecessor."""
        known = {box.address for box in self._old_boxes.values()}
        gone: dict[str, list[ChartBox]] = {}
        last = ""
        for box in self._old.boxes:
            if box.address in known:
                last = self._new_addresses[box.address]
            else:
                gone.setdefault(last, []).append(self._mark_removed_box(box))
        yield from gone.get("", ())
        followers = [*(box.id for box in self._new.boxes[1:]), END_ID]
        for box, follower in zip(self._new.boxes, followers, strict=True):
            made = self._mark_box(box, follower)
            yield replace(made, next_id=follower) if box.address in gone else made
            yield from gone.get(box.address, ())

    def _mark_removed_box(self, box: ChartBox) -> ChartBox:
        """Its id may be the number of another box now."""
        mark = ChartMark("gone")
        notes = tuple(replace(note, mark=mark, target=self._map_old_target(note.target)) for note in box.notes)
        following = {one.id: other.id for one, other in pairwise(self._old.boxes)}
        after = self._map_old_target(following.get(box.id, END_ID))
        return replace(box, id=self._map_old_target(box.id), notes=notes, mark=mark, onward_mark=mark, next_id=after)

    def _map_old_target(self, to: str) -> str:
        box = next((chart_box for chart_box in self._old.boxes if chart_box.id == to), None)
        if to == END_ID or box is None:
            return to
        address = self._new_addresses.get(box.address, "")
        partner = next((chart_box for chart_box in self._new.boxes if chart_box.address == address), None)
        if partner is not None:
            return partner.id
        return f"old {to}" if any(chart_box.id == to for chart_box in self._new.boxes) else to

    def _mark_box(self, box: ChartBox, follower: str) -> ChartBox:
        before = self._old_boxes.get(box.address)
        if before is None:
            mark = ChartMark("new")
            return replace(
                box, notes=tuple(replace(note, mark=mark) for note in box.notes), mark=mark, onward_mark=mark
            )
        comments = [
            edit
            for edit in self._edits
            if id(edit) not in self._shown_edits and self._is_edit_in_box(edit, box, before)
        ]
        notes = tuple(self._merge_notes(box, before, is_open=any(edit.sort != "same" for edit in comments)))
        sorts = {*(note.mark.sort for note in notes), *(edit.sort for edit in comments)} - {""}
        sort = "" if not sorts else "same" if sorts == {"same"} else "changed"
        number = self._old.boxes.index(before)
        followed = self._map_old_target(self._old.boxes[number + 1].id) if number + 1 < len(self._old.boxes) else END_ID
        onward = NO_MARK if before.falls_through and followed == follower else ChartMark("new")
        return replace(
            box, notes=notes, mark=ChartMark(sort, tuple(edit.description for edit in comments)), onward_mark=onward
        )

    def _is_edit_in_box(self, edit: ChartEdit, box: ChartBox, before: ChartBox) -> bool:
        if edit.new:
            return _find_enclosing_box(edit.new[0], self._new) == box.address
        return _find_enclosing_box(edit.old[0], self._old) == before.address

    def _merge_notes(self, box: ChartBox, before: ChartBox, *, is_open: bool) -> Iterator[ChartNote]:
        gone: dict[_NoteKey | None, list[ChartNote]] = {}
        last: _NoteKey | None = None
        mine = {_note_key(note) for note in box.notes}
        changes = [render_note(note, self._old) for note in before.notes if note.sort == "change"]
        lost = [change for change in changes if change not in {render_note(note, self._new) for note in box.notes}]
        for note in before.notes:
            if note.sort == "change":
                continue
            key = self._new_addresses.get(note.address, ""), note.sort == "only"
            if key not in self._new_notes:
                gone.setdefault(last, []).append(
                    replace(note, mark=ChartMark("gone"), target=self._map_old_target(note.target))
                )
            elif key in mine:
                last = key
        yield from gone.get(None, ())
        for note in box.notes:
            is_other = note.sort == "change" and render_note(note, self._new) not in changes
            mark = (
                NO_MARK
                if not is_other
                else ChartMark("changed", (f"was: {lost.pop(0)}",))
                if lost
                else ChartMark("new")
            )
            yield self._mark_note(note, is_open=is_open) if note.address else replace(note, mark=mark)
            yield from gone.get(_note_key(note), ())

    def _mark_note(self, note: ChartNote, *, is_open: bool) -> ChartNote:
        before = self._partners.get(_note_key(note))
        if before is None:
            return replace(note, mark=ChartMark("new"))
        own = self._find_note_edits(note, before)
        old_text, now = render_note(before, self._old), render_note(note, self._new)
        if old_text == now and not own:
            return note
        is_rule = any(edit.sort != "same" for edit in own) or (not own and is_open)
        comments = (f"was: {old_text}",) if old_text != now else tuple(edit.description for edit in own)
        return replace(note, mark=ChartMark("changed" if is_rule else "same", comments))

    def _find_note_edits(self, note: ChartNote, before: ChartNote | None) -> list[ChartEdit]:
        """Edits of the note itself and of branches around it."""
        if before is None:
            return []
        is_guard = note.sort == "only" and any(box.address == note.address for box in self._new.boxes)
        if is_guard and render_note(before, self._old) == render_note(note, self._new):
            return []
        return [edit for edit in self._edits if self._shows_edit(note, before, edit)]

    def _shows_edit(self, note: ChartNote, before: ChartNote, edit: ChartEdit) -> bool:
        if not edit.old or not edit.new:
            lone = {*edit.old, *edit.new}
            near = note.address if edit.new else before.address
            return not lone & self._note_addresses and self._find_nearest_shown(edit.new or edit.old) == near
        old_span, now = edit.places
        return (
            note.address == self._find_nearest_shown(edit.new)
            or now in note.enclosing_spans
            or old_span in before.enclosing_spans
        )


def _find_enclosing_box(address: str, chart: FlowChart) -> str:
    known: Collection[str] = {box.address for box in chart.boxes}
    while address and address not in known:
        address = address.rpartition("/")[0]
    return address
