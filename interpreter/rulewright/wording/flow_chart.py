"""The flow chart of a procedure, in the words of its chapter, and the chart with differences to another revision."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import get_fallback, has_unreachable_end
from rulewright.wording.english import first_lower, first_upper, join_words, speak_name
from rulewright.wording.phrases import PhraseGenerator
from rulewright.wording.sentences import SentenceGenerator, step_heading, step_number, step_reference

END_ID = "end"
_STATEMENT_SORTS = {
    "roll": st.ChanceLine,
    "decide": st.RowsLine | st.Rank,
    "event": st.Trigger,
    "call": st.CallLine,
}
"""Sort of a note by the first of these classes to which its line belongs."""


@dataclass(frozen=True, slots=True)
class ChartMark:
    """Mark of a box or note."""

    sort: str = ""  # `full`, `part`, `none` or `left` of coverage; `new`, `changed`, `gone` or `same` of a comparison
    comments: tuple[str, ...] = ()


NO_MARK = ChartMark()


@dataclass(frozen=True, slots=True)
class ChartNote:
    """A line in a box."""

    # `only` (when the step is carried out), `choice`, `roll`, `decide`, `call`, `event`, `change` or `jump`
    sort: str
    text: str  # empty for a jump
    # conditions inside the step: `if so, and if the unit is weak`
    condition: str = ""
    target: str = ""  # of a jump: id of a box, or `END_ID`
    address: str = ""  # of the statement or requirement; of the step for its condition; empty for changes
    enclosing_spans: tuple[Span, ...] = ()  # branches, cases and options around it, outermost first
    mark: ChartMark = NO_MARK


@dataclass(frozen=True, slots=True)
class ChartBox:
    """A step, or the statements before the first one."""

    id: str  # number by the author; empty before the first step
    title: str
    notes: tuple[ChartNote, ...]
    falls_through: bool  # whether play can go from its last statement to the next box
    address: str = ""  # of the step; of the procedure before the first step
    mark: ChartMark = NO_MARK
    onward_mark: ChartMark = NO_MARK  # of the arrow to the next box
    next_id: str = ""  # of the next box, or `END_ID`, if that is not the one below

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{step_number(self.id)}  {self.title}".strip()


@dataclass(frozen=True, slots=True)
class FlowChart:
    """Title of a procedure and its boxes in the order of the book."""

    title: str
    boxes: tuple[ChartBox, ...]
    legend: tuple[tuple[str, str], ...] = ()  # sorts of marks with their meanings
    remarks: tuple[str, ...] = ()  # on the marks

    def box_reference(self, to: str) -> str:
        """Reference of a jump to a box: its number, else its title."""
        titles = [box.title for box in self.boxes if box.id == to]
        return "the end" if to == END_ID else step_reference(to, titles[0] if titles else to)


def make_chart(procedure: d.Procedure, program: Program) -> FlowChart:
    """Flow chart of a procedure."""
    builder = _ChartBuilder(procedure, program)
    opening = tuple(builder.opening_notes())
    steps = [builder.make_step_box(step) for step in procedure.steps]
    title = procedure.title or speak_name(procedure.name)
    head = "Before the first step" if steps else title
    before = [ChartBox("", head, opening, builder.has_open_end, procedure.name)] if opening or not steps else []
    return FlowChart(title, tuple(before + steps))


class _ChartBuilder:
    def __init__(self, procedure: d.Procedure, program: Program) -> None:
        self._procedure = procedure
        self._phrases = PhraseGenerator(program, procedure.variables, procedure, procedure.parameters)
        self._sentences = SentenceGenerator(program, self._phrases)
        # statements without nested ones, with their conditions
        self._leaf_lines: list[tuple[list[object], _ConditionPath]] = []

    @property
    def has_open_end(self) -> bool:
        """Whether the statements before the first step lead to it."""
        blocks = [item for item in self._procedure.opening if isinstance(item, tuple)]
        return not any(map(has_unreachable_end, blocks))

    def opening_notes(self) -> Iterator[ChartNote]:
        for item in self._procedure.opening:
            if isinstance(item, d.Need):
                yield ChartNote(
                    "only",
                    f"{self._phrases.condition_clause(item.condition)}{self._asked_only_if(item)}",
                    address=item.address,
                )
            elif isinstance(item, tuple):
                yield from self._changing_notes(item, ())

    def _asked_only_if(self, need: d.Need) -> str:
        return f" (asked only if {self._phrases.condition_clause(need.guard)})" if need.guard is not None else ""

    def make_step_box(self, step: d.Step) -> ChartBox:
        guard = step.guard
        only = (
            () if guard is None else (ChartNote("only", self._phrases.condition_clause(guard), address=step.address),)
        )
        goes_on = guard is not None or not has_unreachable_end(step.block)
        return ChartBox(
            step.id,
            step_heading(step),
            (*only, *self._changing_notes(step.block, [*walk_nodes(step.block)])),
            goes_on,
            step.address,
        )

    def _changing_notes(self, block: Sequence[st.Statement], setters: Sequence[object]) -> tuple[ChartNote, ...]:
        """Notes of a block, with what it always changes; variables that `setters` set where there is no other note."""
        self._leaf_lines.clear()
        notes = tuple(self._block_notes(block, _UNCONDITIONAL))
        last_told = max((number for number, note in enumerate(notes, 1) if not note.target), default=0)
        always = [item for line, at in self._leaf_lines for item in line if not at.condition]
        changed = self._phrases.changed_places(always) or (
            [] if last_told else self._phrases.changed_variables(setters)
        )
        changes = (ChartNote("change", f"Changes {join_words(changed)}"),) if changed else ()
        return (*notes[:last_told], *changes, *notes[last_told:])

    def _block_notes(self, block: Sequence[st.Statement], at: "_ConditionPath") -> Iterator[ChartNote]:
        first = len(self._leaf_lines)
        notes = [*self._notes_of_lines(block, at)]
        path_lines = [item for line, where in self._leaf_lines[first:] if where is at for item in line]
        changed = self._phrases.changed_places(path_lines) if at.condition else []
        last_told = max(
            (number for number, note in enumerate(notes, 1) if not note.target or note.condition != at.condition),
            default=0,
        )
        changes = (
            [ChartNote("change", f"changes {join_words(changed)}", at.condition, enclosing_spans=at.enclosing_spans)]
            if changed
            else []
        )
        yield from (*notes[:last_told], *changes, *notes[last_told:])

    def _notes_of_lines(self, block: Sequence[st.Statement], at: "_ConditionPath") -> Iterator[ChartNote]:
        """Notes of lines without what they change, which is told once, of the whole block with this condition."""
        before: st.Statement | None = None
        for line in block:
            yield from self._line_notes(line, at, before)
            before = line

    def _line_notes(self, line: st.Statement, at: "_ConditionPath", before: st.Statement | None) -> Iterator[ChartNote]:
        match line:
            case st.Proceed(step=step):
                yield at.make_note("jump", "", line, step)
            case _ if isinstance(line, st.EndLine):
                yield at.make_note("jump", "", line, END_ID)
            case _ if isinstance(line, st.QuestionLine):
                yield from self._question_notes(line, at)
            case st.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    condition = self._sentences.if_clause(branch.condition, before)
                    yield from self._block_notes(branch.block, at.with_condition(condition, branch.span))
                yield from self._block_notes(otherwise or (), at.with_condition("otherwise"))
            case st.Match(subject=subject, cases=cases):
                for case_ in cases:
                    yield from self._block_notes(
                        case_.block, at.with_condition(self._case_condition(subject, case_), case_.span)
                    )
            case st.Together(block=inside):
                yield from self._notes_of_lines(inside, at)
            case _ if isinstance(line, st.LoopLine):
                yield from self._block_notes(line.block, at.with_condition(self._sentences.loop_condition(line)))
            case _:
                sort = next((word for word, sorts in _STATEMENT_SORTS.items() if isinstance(line, sorts)), "")
                otherwise = get_fallback(line)
                aside = {id(node) for node in walk_nodes(otherwise)}
                self._leaf_lines.append(([node for node in walk_nodes(line) if id(node) not in aside], at))
                if sort:
                    yield at.make_note(sort, self._line_sentence(line), line)
                yield from self._block_notes(otherwise, at.with_condition("if that is impossible"))

    def _case_condition(self, subject: Expression, case: st.Case) -> str:
        values = self._sentences.case_values_phrase(case.values, subject)
        return f"if {self._phrases.noun_phrase(subject)} is {values}" if values else "otherwise"

    def _line_sentence(self, line: st.Statement) -> str:
        return self._sentences.line_paragraphs(line)[0].text.rstrip(".:")

    def _question_notes(self, line: st.QuestionLine, at: "_ConditionPath") -> Iterator[ChartNote]:
        question = line.question
        yield at.make_note("choice", self._line_sentence(line), line)
        is_whether = isinstance(question.shape, st.Whether)
        if isinstance(question.shape, st.Choose):
            for option in question.shape.options:
                chosen = f"“{option.title or speak_name(option.id)}”"
                yield from self._block_notes(option.block, at.with_condition(chosen, option.span))
        if is_whether:
            yield from self._block_notes(question.block, at.with_condition("if so"))
        else:
            yield from self._notes_of_lines(question.block, at)
        no = "if not" if is_whether else "without a possible answer"
        yield from self._block_notes(question.otherwise or (), at.with_condition(no))


@dataclass(frozen=True, slots=True)
class _ConditionPath:
    """Conditions inside a step under which a statement runs: words and spans."""

    condition: str = ""
    enclosing_spans: tuple[Span, ...] = ()

    def with_condition(self, condition: str, *spans: Span) -> "_ConditionPath":
        condition = f"{condition[:1].lower()}{condition[1:]}"
        both = self.condition and condition
        return _ConditionPath(
            f"{self.condition}, and {condition}" if both else self.condition or condition,
            (*self.enclosing_spans, *spans),
        )

    def make_note(self, sort: str, text: str, line: st.Statement, to: str = "") -> ChartNote:
        return ChartNote(sort, text, self.condition, to, line.address, self.enclosing_spans)


_UNCONDITIONAL = _ConditionPath()


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


def render_note(note: ChartNote, chart: FlowChart, before: ChartNote | None = None) -> str:
    """Text of a note without backticks, as a drawing has one font.

    Conditions shared with `before`, the note above, are omitted.
    """
    if note.sort == "only":
        return f"Only if {note.text}".replace("`", "")
    what = f"go to {chart.box_reference(note.target)}" if note.target else note.text
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


def render_box_notes(box: ChartBox, chart: FlowChart) -> Iterator[tuple[ChartNote, str]]:
    """Notes of a box with their texts."""
    for before, note in zip((None, *box.notes), box.notes, strict=False):
        yield note, render_note(note, chart, before)


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
        removed: dict[str, list[ChartBox]] = {}
        last = ""
        for box in self._old.boxes:
            if box.address in known:
                last = self._new_addresses[box.address]
            else:
                removed.setdefault(last, []).append(self._mark_removed_box(box))
        yield from removed.get("", ())
        followers = [*(box.id for box in self._new.boxes[1:]), END_ID]
        for box, follower in zip(self._new.boxes, followers, strict=True):
            marked = self._mark_box(box, follower)
            yield replace(marked, next_id=follower) if box.address in removed else marked
            yield from removed.get(box.address, ())

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
        removed: dict[_NoteKey | None, list[ChartNote]] = {}
        last: _NoteKey | None = None
        note_keys = {_note_key(note) for note in box.notes}
        changes = [render_note(note, self._old) for note in before.notes if note.sort == "change"]
        lost = [change for change in changes if change not in {render_note(note, self._new) for note in box.notes}]
        for note in before.notes:
            if note.sort == "change":
                continue
            key = self._new_addresses.get(note.address, ""), note.sort == "only"
            if key not in self._new_notes:
                removed.setdefault(last, []).append(
                    replace(note, mark=ChartMark("gone"), target=self._map_old_target(note.target))
                )
            elif key in note_keys:
                last = key
        yield from removed.get(None, ())
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
            yield from removed.get(_note_key(note), ())

    def _mark_note(self, note: ChartNote, *, is_open: bool) -> ChartNote:
        before = self._partners.get(_note_key(note))
        if before is None:
            return replace(note, mark=ChartMark("new"))
        edits = self._find_note_edits(note, before)
        old_text, now = render_note(before, self._old), render_note(note, self._new)
        if old_text == now and not edits:
            return note
        is_rule = any(edit.sort != "same" for edit in edits) or (not edits and is_open)
        comments = (f"was: {old_text}",) if old_text != now else tuple(edit.description for edit in edits)
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
