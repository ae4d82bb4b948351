"""How the marks of a chart look, and a chart with marks on what another revision of it has otherwise."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from rulewright.chapter.english import first_lower, first_upper
from rulewright.charts.chart import END, PLAIN, Box, Chart, Mark, Note
from rulewright.frozen import dataclass
from rulewright.source import Span

SIGNS = {"only": "◇", "choice": "◆", "roll": "⚄", "decide": "=", "call": "▸", "event": "✦", "change": "±", "jump": "→"}
"""What stands before a line of a box, by its sort."""
_LONG = 24
"""From how many letters on a condition is not told again."""
_LEGEND = (
    ("new", "new"),
    ("changed", "changed, with what it was"),
    ("gone", "gone"),
    ("same", "only named, worded or written differently"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """How what bears a mark is drawn: its colour, and by what it is known without any."""

    fill: str = "white"
    sign: str = ""
    dash: str = ""
    weight: float = 1
    is_struck: bool = False


LOOK = Look()
"""Of what bears no mark."""

LOOKS = {
    "full": Look("#dff5e1", "●"),
    "part": Look("#fff3c4", "◐", weight=2),
    "none": Look("#ffd9d6", "○", dash="6 4", weight=1.5),
    "left": Look("#e9e9ef", "·", dash="2 3"),
    "new": Look("#dff5e1", "+", weight=3),
    "changed": Look("#fff3c4", "~", weight=2),
    "gone": Look("#ffd9d6", "✕", dash="6 4", is_struck=True),
    "same": Look("#e9e9ef", "≈"),
}
"""By sort of mark."""


def told(note: Note, made: Chart, before: Note | None = None) -> str:
    """What a note of a chart says, without the backticks around code: a drawing has one font.

    Conditions that the note has in common with the line above it, `before`, are told there alone.
    """
    if note.sort == "only":
        return f"Only if {note.text}".replace("`", "")
    what = f"go to {made.called(note.to)}" if note.to else note.text
    if not note.when:
        return first_upper(what.replace("`", ""))
    is_under = before is not None and _is_under(note, before)
    when = f"…{note.when.removeprefix(before.when)}" if before and is_under else first_upper(note.when)
    what = what if note.sort == "decide" else first_lower(what)
    return f"{when}{' ' if when == '…' else ': '}{what}".replace("`", "")


def _is_under(note: Note, before: Note) -> bool:
    """Whether all conditions of a line are conditions of the next one, too."""
    is_part = note.when.startswith(before.when) and note.when[len(before.when) :][:1] in {"", ","}
    return len(before.when) > _LONG and is_part and note.within[: len(before.within)] == before.within


def told_in(box: Box, made: Chart) -> Iterator[tuple[Note, str]]:
    """The notes of a box of a chart, each with what it says below the one before."""
    for before, note in zip((None, *box.notes), box.notes, strict=False):
        yield note, told(note, made, before)


@dataclass(frozen=True, slots=True)
class Touched:
    """An edit between two revisions: the addresses of what it is about, its own first, and where that stands."""

    sort: str  # `new`, `gone`, `changed` or `same`
    old: tuple[str, ...]  # with all that went; empty where it is new
    new: tuple[str, ...]  # with all that came; empty where it is gone
    places: tuple[Span | None, Span | None]  # in the old revision and in the new one
    said: str  # what it is, in words


def compared(old: Chart, new: Chart, same: Mapping[str, str], edits: Sequence[Touched]) -> Chart:
    """The new one of two charts of a procedure, with what of the old one is gone in its place; all that differs marked.

    A procedure that is not there has a chart without boxes; `same` are new addresses by old ones, of what is in both.
    """
    return replace(new, boxes=tuple(_Comparing(old, new, same, edits).boxes()), legend=_LEGEND)


_Key = tuple[str, bool]


def _key(note: Note) -> _Key:
    """What a line is known by: a step has its address and so has the condition of the step."""
    return note.address, note.sort == "only"


class _Comparing:
    def __init__(self, old: Chart, new: Chart, same: Mapping[str, str], edits: Sequence[Touched]) -> None:
        self._old, self._new, self._edits = old, new, edits
        self._same = dict(same)
        if old.boxes and new.boxes and not old.boxes[0].id and not new.boxes[0].id:
            self._same[old.boxes[0].address] = new.boxes[0].address
        self._mine = {_key(note): note for box in new.boxes for note in box.notes if note.address}
        self._theirs = {_key(note): note for box in old.boxes for note in box.notes if note.address}
        self._partners = {
            key: partner
            for address, is_only in self._theirs
            if (key := (self._same.get(address, ""), is_only)) in self._mine
            for partner in [self._theirs[address, is_only]]
        }
        self._boxes = {self._same[box.address]: box for box in old.boxes if box.address in self._same}
        self._lines = {note.address for note in (*self._mine.values(), *self._theirs.values())}
        self._steps = {box.address for chart in (old, new) for box in chart.boxes}
        self._told = {id(edit) for edit in edits if self._is_told(edit)}

    def _is_told(self, edit: Touched) -> bool:
        """Whether a line or a box that came or went, or a line that is in both, shows an edit."""
        alone = {"new": edit.new, "gone": edit.old}.get(edit.sort, ())
        if any(each in self._lines or each in self._steps for each in alone):
            return True
        return any(edit in self._of(note, self._partners.get(_key(note))) for note in self._mine.values())

    def _nearest(self, addresses: Sequence[str]) -> str:
        """The address of the line or box that shows what is in both revisions; empty for what is in one."""
        address = addresses[0] if addresses else ""
        while address and address not in self._lines and address not in self._steps:
            address = address.rpartition("/")[0]
        return address

    def boxes(self) -> Iterator[Box]:
        """All boxes; one that is gone follows the one that it followed."""
        known = {box.address for box in self._boxes.values()}
        gone: dict[str, list[Box]] = {}
        last = ""
        for box in self._old.boxes:
            if box.address in known:
                last = self._same[box.address]
            else:
                gone.setdefault(last, []).append(self._gone(box))
        yield from gone.get("", ())
        followers = [*(box.id for box in self._new.boxes[1:]), END]
        for box, follower in zip(self._new.boxes, followers, strict=True):
            made = self._box(box, follower)
            yield replace(made, next=follower) if box.address in gone else made
            yield from gone.get(box.address, ())

    def _gone(self, box: Box) -> Box:
        """A box of the old revision alone; what it is called by may be the number of another box now."""
        mark = Mark("gone")
        notes = tuple(replace(note, mark=mark, to=self._led(note.to)) for note in box.notes)
        following = {one.id: other.id for one, other in pairwise(self._old.boxes)}
        after = self._led(following.get(box.id, END))
        return replace(box, id=self._led(box.id), notes=notes, mark=mark, onward=mark, next=after)

    def _led(self, to: str) -> str:
        """What a box of the old revision is called in the chart."""
        box = next((each for each in self._old.boxes if each.id == to), None)
        if to == END or box is None:
            return to
        address = self._same.get(box.address, "")
        partner = next((each for each in self._new.boxes if each.address == address), None)
        if partner is not None:
            return partner.id
        return f"old {to}" if any(each.id == to for each in self._new.boxes) else to

    def _box(self, box: Box, follower: str) -> Box:
        before = self._boxes.get(box.address)
        if before is None:
            mark = Mark("new")
            return replace(box, notes=tuple(replace(note, mark=mark) for note in box.notes), mark=mark, onward=mark)
        aside = [edit for edit in self._edits if id(edit) not in self._told and self._is_in(edit, box, before)]
        notes = tuple(self._notes(box, before, is_open=any(edit.sort != "same" for edit in aside)))
        sorts = {*(note.mark.sort for note in notes), *(edit.sort for edit in aside)} - {""}
        sort = "" if not sorts else "same" if sorts == {"same"} else "changed"
        number = self._old.boxes.index(before)
        followed = self._led(self._old.boxes[number + 1].id) if number + 1 < len(self._old.boxes) else END
        onward = PLAIN if before.goes_on and followed == follower else Mark("new")
        return replace(box, notes=notes, mark=Mark(sort, tuple(edit.said for edit in aside)), onward=onward)

    def _is_in(self, edit: Touched, box: Box, before: Box) -> bool:
        """Whether an edit is about a box, or about what stands nowhere nearer than in it."""
        if edit.new:
            return _around(edit.new[0], self._new) == box.address
        return _around(edit.old[0], self._old) == before.address

    def _notes(self, box: Box, before: Box, *, is_open: bool) -> Iterator[Note]:
        """The lines of a box, those that are gone after the one that they followed."""
        gone: dict[_Key | None, list[Note]] = {}
        last: _Key | None = None
        mine = {_key(note) for note in box.notes}
        changes = [told(note, self._old) for note in before.notes if note.sort == "change"]
        lost = [each for each in changes if each not in {told(note, self._new) for note in box.notes}]
        for note in before.notes:
            if note.sort == "change":
                continue
            key = self._same.get(note.address, ""), note.sort == "only"
            if key not in self._mine:
                gone.setdefault(last, []).append(replace(note, mark=Mark("gone"), to=self._led(note.to)))
            elif key in mine:
                last = key
        yield from gone.get(None, ())
        for note in box.notes:
            is_other = note.sort == "change" and told(note, self._new) not in changes
            mark = PLAIN if not is_other else Mark("changed", (f"was: {lost.pop(0)}",)) if lost else Mark("new")
            yield self._note(note, is_open=is_open) if note.address else replace(note, mark=mark)
            yield from gone.get(_key(note), ())

    def _note(self, note: Note, *, is_open: bool) -> Note:
        before = self._partners.get(_key(note))
        if before is None:
            return replace(note, mark=Mark("new"))
        own = self._of(note, before)
        was, now = told(before, self._old), told(note, self._new)
        if was == now and not own:
            return note
        is_rule = any(edit.sort != "same" for edit in own) or (not own and is_open)
        said = (f"was: {was}",) if was != now else tuple(edit.said for edit in own)
        return replace(note, mark=Mark("changed" if is_rule else "same", said))

    def _of(self, note: Note, before: Note | None) -> list[Touched]:
        """The edits of what is in both revisions that a line shows: its own, and those of branches around it."""
        if before is None:
            return []
        is_guard = note.sort == "only" and any(box.address == note.address for box in self._new.boxes)
        if is_guard and told(before, self._old) == told(note, self._new):
            return []
        return [edit for edit in self._edits if self._shows(note, before, edit)]

    def _shows(self, note: Note, before: Note, edit: Touched) -> bool:
        if not edit.old or not edit.new:
            lone = {*edit.old, *edit.new}
            near = note.address if edit.new else before.address
            return not lone & self._lines and self._nearest(edit.new or edit.old) == near
        was, now = edit.places
        return note.address == self._nearest(edit.new) or now in note.within or was in before.within


def _around(address: str, chart: Chart) -> str:
    """The address of the box that something stands in: the nearest one around it."""
    known: Collection[str] = {box.address for box in chart.boxes}
    while address and address not in known:
        address = address.rpartition("/")[0]
    return address
